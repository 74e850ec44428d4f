"""Learner: what all learners share, whatever they learn from.

A learner is of one of five kinds, each in a file of its own. `OnePass`: the model is a function of a sum over the rows.
`Stepwise`: every step is one. `Sequential`: rows or batches in their order. `WholeRows`: all rows at once, in memory.
`Wrapper`: around other learners. Written here, once: parameters and rows are checked and opened, learning works on a
copy that is committed at the end, names and kinds of float are remembered, predictions are made in blocks.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.metadata_routing import UNUSED

from ..data import Source
from ..data.chosen_files import files_of
from ..data.mapped import inputs_of
from ..engines.journal import asked_by
from .ability import Abilities
from .callbacks import STATE, CallbackSupportMixin, with_callbacks
from .fitted import parameter_names
from .former import FormerNames
from .looking import Looking
from .predicting import Predicting
from .turns import answer_of_one_state
from .validation import opened

EVENTS = ("_decayed", "_removed")  # rows weigh less than they came with; went with weights that may be parts of theirs
OF_THE_FIT = (
    *("_dtype", "_holder", "_look", "_single_target", "_column_target", "_classes", "_spelling", "_summed_by"),
    *EVENTS,
)


class Learner(Looking, Predicting, FormerNames, CallbackSupportMixin, BaseEstimator):
    """Base of all learners. A kind of learner writes `learn_from` and `own_abilities`; a method sits on a kind.

    >>> class FirstRow(Learner):  # a kind of its own
    ...     "Predicts the first target that it has seen."
    ...     def learn_from(self, source, watch):
    ...         self.first_ = float(next(source.chunks()).y[0])
    ...     def own_abilities(self):
    ...         return Abilities(())
    ...     def predict(self, X):
    ...         return self.in_blocks(X, lambda rows: np.full(len(rows), self.first_))
    >>> FirstRow().fit([[1.0], [2.0]], [5.0, 7.0]).predict([[3.0]]).tolist()
    [5.0]
    """

    target: ClassVar[Any] = "number"  # what y is: "number", "label", "ordered", None; or a `Target`
    many_targets: ClassVar[bool] = False  # whether y may have several columns
    takes_indicators: Any = False  # whether columns of y may tell several labels of a row, by 0 and 1; sparse ones too
    column_target: ClassVar[bool] = False  # whether a single column of targets is a vector, but for the intercept
    reads: ClassVar[str] = "numbers"  # "levels": words too; "mixed": coded columns, gaps; "table": whatever there is
    chunk_factor: ClassVar[int] = 2  # chunks of this many times 4096 rows, so that few merges are needed
    takes_gaps: Any = False  # whether NaN stands for a gap in rows of numbers, with these parameters
    takes_infinity: Any = False  # whether infinity is left, as gaps are, to somebody else who mends it
    numbered: ClassVar[bool] = False  # whether rows are told apart by their numbers, as folds do: their order matters
    private: ClassVar[tuple[str, ...]] = ()  # attributes of the fit whose names do not end in an underscore
    unsaved: ClassVar[tuple[str, ...]] = ()  # those that answer questions about the rows of the fit, in no file

    n_features_in_: int
    feature_names_in_: np.ndarray

    __metadata_request__fit: ClassVar = {"columns": UNUSED, "drop": UNUSED}  # they belong to the file, not to its rows

    # -- what kinds and methods write -------------------------------------------------------------------------------

    @abstractmethod
    def learn_from(self, source: Source, watch: Any) -> None:
        """Set what is learnt from the rows of a source; callbacks of the estimator `watch` hear of it."""

    @abstractmethod
    def own_abilities(self) -> Abilities:
        """What the model can do exactly, with these parameters."""

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        answer_of_one_state(cls)

    def check(self) -> None:
        """Refuse parameters that make no sense, whatever the rows are; called before these are opened."""

    # -- learning ---------------------------------------------------------------------------------------------------

    @with_callbacks
    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        columns: Sequence[str] | None = None,
        drop: Sequence[str] = (),
    ) -> Self:
        """Learn from rows: X an array, sparse matrix, table, Dask collection or path; y an array or a column's name.

        Of files, `columns` names the features; or `drop` names columns that are none.
        """
        work, X = self.without_fit(), files_of(X, columns, drop)
        with asked_by(self, "fit"):
            return self.commit(work.fitted_on(work.open(X, y, sample_weight, reset=True), watch=self))

    def fitted_on(self, source: Source, watch: Any = None) -> Self:
        """Learn from rows that are open already, such as those of another learner with other weights or targets."""
        self.n_features_in_ = self.__dict__.get("n_features_in_", source.features)
        self.remember(source)
        self.learn_from(source, watch)
        return self

    # -- opening and committing ---------------------------------------------------------------------------------------

    def open(
        self, X: Any, y: Any, weight: Any, *, reset: bool, empty_ok: bool = False, left_out: Sequence[str] = ()
    ) -> Source:
        """X, y and weights, checked and opened; a fresh start (`reset`) looks at them, later rows share its look."""
        self.check()
        source = opened(self, X, y, weight, reset=reset, empty_ok=empty_ok, left_out=left_out)
        return self.looked_at(source) if reset else self.through_look(source)

    def twin(self) -> Self:
        """A copy to work on, which shares what it holds; scikit-learn's own way takes the time of a small pass."""
        work = object.__new__(type(self))
        work.__dict__.update(self.__dict__)
        return work

    def without_fit(self) -> Self:
        """A copy with the hyperparameters, and nothing that was learnt."""
        work, kept, gone = self.twin(), {*parameter_names(type(self)), "_ledger"}, {*OF_THE_FIT, *STATE, *self.private}
        for name in [name for name in vars(self) if name not in kept and (name.endswith("_") or name in gone)]:
            del work.__dict__[name]
        return work

    def commit(self, work: Self) -> Self:
        """Take over what was learnt on a copy: a refused chunk changes nothing."""
        watching = {name: self.__dict__[name] for name in STATE if name in self.__dict__}
        self.__dict__ = work.__dict__ | watching  # in one step: whoever predicts meanwhile has the old or the new
        return self

    def remember(self, source: Any) -> None:
        """The kind of float, and whether y was a vector."""
        self._dtype = np.promote_types(self.__dict__.get("_dtype", source.dtype), source.dtype)
        self._column_target = self.column_target and source.targets == 1 and not source.single_target
        self._single_target = source.single_target or self._column_target
        self.remember_spelling(getattr(inputs_of(source), "spelling", None))
        if self.reads == "table":
            self.target_name_, self.weight_name_ = (getattr(source, n, None) for n in ("target_name", "weight_name"))

    def remember_spelling(self, spelling: str | None) -> None:
        """How labels are written, if that is known: later rows that write them otherwise are refused."""
        if spelling is not None:
            self._spelling = spelling

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.categorical = self.reads == "mixed"
        tags.input_tags.allow_nan = bool(self.reads == "mixed" or self.takes_gaps)
        tags.target_tags.required = self.target is not None
        tags.target_tags.multi_output = bool(self.many_targets)
        return tags
