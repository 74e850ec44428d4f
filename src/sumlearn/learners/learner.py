"""OnePass: a model is solve(sum of summarise(chunk)). Written once, for every such learner.

A learner of this kind writes two functions: ``summarise(chunk)``, which reads hyperparameters only, and
``solution(statistic)``, which turns a sum into fitted attributes. Priors and penalties enter in the second, never in
the first; so the sum is the whole state, and fitting out of core, updating, merging, unlearning, decaying and cutting
to a subset of the columns follow from the algebra of the statistic.
"""

from __future__ import annotations

import copy
import operator
from abc import abstractmethod
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ..data import Chunk, Source
from ..data.mapped import inputs_of
from ..engines import engine_for
from ..statistics import Ledger, Removable
from .callbacks import STATE, CallbackSupportMixin, watched, with_callbacks
from .fitted import Holder, parameter_names, same, settings
from .validation import prediction_rows, summary_of_part, training_source


class OnePass(CallbackSupportMixin, BaseEstimator):
    """Base of all learners whose statistic adds.

    >>> from sumlearn.learners import Fitted
    >>> from sumlearn.statistics import Moments
    >>> class Average(OnePass):
    ...     mean_ = Fitted("Mean of the target.")
    ...     def summarise(self, chunk):
    ...         return Moments.of(chunk.X, chunk.y, chunk.weight)
    ...     def solution(self, statistic):
    ...         return {"mean_": statistic.mean[-1]}
    >>> a, b = Average().fit([[0.0], [1.0]], [1.0, 2.0]), Average().fit([[5.0]], [9.0])
    >>> float((a + b).mean_), float(((a + b) - b).mean_)
    (4.0, 1.5)
    """

    one_pass: ClassVar[bool] = True
    mergeable: ClassVar[bool] = True
    forgettable: ClassVar[bool] = True
    target: ClassVar[str | None] = "number"  # what y is: "number", "label", or None
    chunk_factor: ClassVar[int] = 2  # chunks of this many times 4096 rows, so that few merges are needed

    statistic_: Any
    basis_: Any
    _holder: Holder
    _ledger: Ledger
    n_features_in_: int

    # -- what a learner writes --------------------------------------------------------------------------------------

    @abstractmethod
    def summarise(self, chunk: Chunk) -> Removable:
        """The statistic of some rows; may read hyperparameters, nothing else."""

    @abstractmethod
    def solution(self, statistic: Any) -> dict[str, Any]:
        """Fitted attributes by name, from the statistic and the hyperparameters."""

    # -- learning ---------------------------------------------------------------------------------------------------

    @with_callbacks
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from rows: one pass over X (array, sparse matrix or table; y an array or the name of a column)."""
        work = self._without_fit()
        source = training_source(work, X, y, sample_weight, target=self.target, reset=True)
        return self._commit(work._absorb(source, watch=self), solve=True)

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from more rows: the same model as one fit on all of them."""
        if "statistic_" not in self.__dict__:
            work = self._without_fit()
            source = training_source(work, X, y, sample_weight, target=self.target, reset=True)
            return self._commit(work._absorb(source))
        work = copy.copy(self)
        source = training_source(work, X, y, sample_weight, target=self.target, reset=False, empty_ok=True)
        if source.rows == 0:
            return self
        more = work.sum_of(source)
        work.statistic_ = self._combine(more, "merge")
        work._remember(source)
        work._note(source, "merge")
        return self._commit(work)

    def forget(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Unlearn rows that were learnt before, exactly; raises ValueError when they cannot have been."""
        check_is_fitted(self)
        work = copy.copy(self)
        source = training_source(work, X, y, sample_weight, target=self.target, reset=False, empty_ok=True)
        if source.rows == 0:
            return self
        work._note(source, "remove")
        work.statistic_ = self._combine(work.sum_of(source), "remove")
        return self._commit(work)

    def decay(self, factor: float) -> Self:
        """Multiply the weight of everything learnt so far by `factor`."""
        check_is_fitted(self)
        work = copy.copy(self)
        work.statistic_ = self.statistic_.decay(factor)
        return self._commit(work)

    def merge(self, other: Self) -> Self:
        """A new model that has learnt the rows of both."""
        return self._joined(other, "merge")

    def restrict(self, columns: Any) -> Self:
        """A new model on some of the features (names, indices or a mask), without touching the data again."""
        check_is_fitted(self)
        if "basis_" in self.__dict__:
            raise ValueError("the columns of the sums are terms of the basis: fit on the columns you want instead")
        index = np.atleast_1d(self._column_index(columns))
        work = copy.copy(self)
        work.statistic_ = self.statistic_.restrict(index)
        work.n_features_in_ = len(index)
        work.__dict__.pop("_ledger", None)  # it knows whole rows only
        if hasattr(self, "feature_names_in_"):
            work.feature_names_in_ = self.feature_names_in_[index]
        return copy.copy(work)._commit(work)

    def solve(self, statistic: Any, like: Source | None = None) -> Self:
        """Become the model of a statistic that is there already: several models from one pass.

        `like` is the source that the statistic came from, where names and kind of float should be taken from it.
        """
        work = self._without_fit()
        work.statistic_ = statistic
        work.n_features_in_ = statistic.features
        if like is not None:
            work.n_features_in_ = inputs_of(like).features
            if like.columns is not None:
                work.feature_names_in_ = np.array(like.columns.names, dtype=object)
        if getattr(self, "basis", None) is not None:
            if like is None or inputs_of(like) is like:
                raise ValueError("a basis was set: `like` must be the source, with the basis, that the sums came from")
            work.basis_ = like.basis  # type: ignore[attr-defined]
        work._remember(like)
        return self._commit(work, solve=True)

    def sum_of(self, source: Source, watch: Any = None) -> Any:
        """The statistic of all rows of a source; callbacks of the estimator `watch` hear of every part."""
        engine = engine_for(source, getattr(self, "n_jobs", None))
        statistic = engine.reduce(
            partial(self._without_fit().summary_of, source), watched(watch or self, source, self.chunk_factor)
        )
        if statistic.weight == 0:
            raise ValueError("sample_weight is zero for every row: the sum of the weights must be positive")
        return statistic

    def keep_ledger(self) -> Self:
        """From the next `fit` on, keep a fingerprint of the rows learnt: `verify` can then say what the model holds."""
        self._ledger = Ledger(0, 0)
        return self

    def verify(self, X: Any, y: Any = None, sample_weight: Any = None) -> bool:
        """Whether the model has learnt exactly these rows, in any order, whatever was merged and forgotten between."""
        check_is_fitted(self)
        if "_ledger" not in self.__dict__:
            raise ValueError("no ledger was kept: call keep_ledger() before fit")
        source = training_source(copy.copy(self), X, y, sample_weight, target=self.target, reset=False, empty_ok=True)
        return self._ledger == ledger_of(source)

    def __add__(self, other: Self) -> Self:
        return self._joined(other, "merge") if isinstance(other, OnePass) else NotImplemented

    def __radd__(self, other: Any) -> Self:
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __sub__(self, other: Self) -> Self:
        return self._joined(other, "remove") if isinstance(other, OnePass) else NotImplemented

    # -- using ------------------------------------------------------------------------------------------------------

    def solved(self) -> dict[str, Any]:
        """The fitted attributes for the present statistic and hyperparameters."""
        check_is_fitted(self)
        if self.statistic_.rows == 0:
            raise ValueError(f"this {type(self).__name__} holds no rows: all that it learnt was forgotten")
        holder: Holder = self.__dict__["_holder"]
        key = (self.statistic_, *settings(self))
        if holder.key is None or len(key) != len(holder.key) or any(map(operator.is_not, key, holder.key)):
            check_basis(getattr(self, "basis", None), self.__dict__.get("basis_"))
            values = self.solution(self.statistic_)
            holder.values, holder.key = values, key
        return holder.values

    def rows_of(self, X: Any, *, sparse_ok: bool = False) -> Any:
        """X checked against the fit, for predicting."""
        check_is_fitted(self)
        self.solved()
        return prediction_rows(self, X, sparse_ok=sparse_ok)

    def without_names(self) -> Self:
        """The same model, asked about bare arrays."""
        work = copy.copy(self)
        work.__dict__.pop("feature_names_in_", None)
        return work

    def __sklearn_is_fitted__(self) -> bool:
        return "statistic_" in self.__dict__

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = self.target is not None
        return tags

    @property
    def float_dtype(self) -> np.dtype[Any]:
        """float32 if all rows learnt were, else float64."""
        return self.__dict__.get("_dtype", np.dtype(np.float64))

    # -- how ----------------------------------------------------------------------------------------------------------

    def summary_of(self, source: Source, part: Any) -> Removable:
        """Read some rows and summarise them; a bad value is named by its row in the whole and its column."""
        return summary_of_part(self.summarise, source, part)

    def _absorb(self, source: Source, watch: Any = None) -> Self:
        self.statistic_ = self.sum_of(source, watch)
        self._remember(source)
        if "_ledger" in self.__dict__:
            self._ledger = ledger_of(source)
        return self

    def _note(self, source: Source, how: str) -> None:
        if "_ledger" in self.__dict__:
            self._ledger = getattr(self._ledger, how)(ledger_of(source))

    def _remember(self, source: Source | None) -> None:
        """What the statistic does not say: the kind of float, and whatever a learner adds to it."""
        dtype = np.dtype(np.float64) if source is None else source.dtype
        self._dtype = np.promote_types(self.__dict__.get("_dtype", dtype), dtype)

    def _without_fit(self) -> Self:
        work = copy.copy(self)
        parameters = set(parameter_names(type(self)))
        for name in [
            name
            for name in vars(self)
            if name not in parameters and (name.endswith("_") or name in ("_dtype", "_holder", *STATE))
        ]:
            del work.__dict__[name]
        return work

    def _commit(self, work: Self, solve: bool = False) -> Self:
        """Take over what was learnt on a copy: a refused chunk changes nothing."""
        work._holder = Holder()
        if solve:
            work.solved()
        watching = {name: self.__dict__[name] for name in STATE if name in self.__dict__}
        self.__dict__.clear()
        self.__dict__.update(work.__dict__ | watching)
        return self

    def _combine(self, more: Any, how: str) -> Any:
        if type(more) is not type(self.statistic_):
            raise ValueError(
                f"{type(self).__name__}: the sums are {type(self.statistic_).__name__} and {type(more).__name__}: the "
                "hyperparameters have changed since the fit; fit anew"
            )
        try:
            return getattr(self.statistic_, how)(more)
        except ValueError as error:
            raise ValueError(f"{type(self).__name__}: {error}") from None

    def _joined(self, other: Any, how: str) -> Self:
        check_is_fitted(self)
        check_is_fitted(other)
        if type(self) is not type(other):
            raise TypeError(f"cannot {how} a {type(self).__name__} and a {type(other).__name__}")
        mapped_alike = same(self.__dict__.get("basis_"), other.__dict__.get("basis_"))
        settled: set[str] = set()
        if mapped_alike and "basis_" in self.__dict__ and all(made_by(m.basis, m.basis_) for m in (self, other)):
            settled = {"basis", *self.basis_.placed_by}  # however the same basis came about
        differing = [
            f"{name} ({getattr(self, name)!r} and {getattr(other, name)!r})"
            for name in parameter_names(type(self))
            if name not in settled and not same(getattr(self, name), getattr(other, name))
        ]
        if differing:
            raise ValueError(f"the models differ in {', '.join(differing)}")
        if not mapped_alike:
            what, advice = ", ".join(self.basis_.differing(other.basis_)), self.basis_.advice(other.basis_)
            raise ValueError(
                f"the models differ in their basis, {what}: it was placed or drawn at different fits; {advice}"
            )
        fixed = [self.__dict__.get("_classes"), other.__dict__.get("_classes")]
        if not same(*fixed):
            raise ValueError(f"the models differ in the classes fixed beforehand: {fixed[0]} and {fixed[1]}")
        mine, theirs = (getattr(m, "feature_names_in_", None) for m in (self, other))
        if mine is not None and theirs is not None and list(mine) != list(theirs):
            raise ValueError(f"the models differ in their columns: {list(mine)} and {list(theirs)}")
        work = copy.copy(self)
        work.statistic_ = self._combine(other.statistic_, how)
        work._dtype = np.promote_types(self.float_dtype, other.float_dtype)
        if "_ledger" in self.__dict__:
            if "_ledger" not in other.__dict__:
                raise ValueError(f"cannot {how}: one of the models keeps a ledger, the other does not")
            work._ledger = getattr(self._ledger, how)(other._ledger)
        if mine is None and theirs is not None:
            work.feature_names_in_ = theirs
        return copy.copy(work)._commit(work)

    def _column_index(self, columns: Any) -> np.ndarray:
        columns = np.asarray(columns)
        if columns.dtype.kind in "UO" and columns.size:
            names = list(getattr(self, "feature_names_in_", []))
            unknown = [name for name in columns.ravel().tolist() if name not in names]
            if unknown:
                raise ValueError(f"no feature {unknown[0]!r}; the features are {names or 'unnamed'}")
            return np.array([names.index(name) for name in columns.ravel()])
        return np.arange(self.n_features_in_)[columns if columns.size else columns.astype(np.intp)]


def is_sum(estimator: Any) -> bool:
    """Whether a fit on some rows is a sum over them: one-pass learners, unless their basis looks at all rows first.

    A learner that is made of another (`adds_up`) adds up where that one does.
    """
    basis = getattr(estimator, "basis", None)
    stateless = basis is None or getattr(basis, "stateless", True)
    return isinstance(estimator, OnePass) and stateless and getattr(estimator, "adds_up", True)


def check_basis(basis: Any, fitted: Any) -> None:
    """Refuse a basis that is not the one of the sums: it was set after the fit."""
    if (basis is not None or fitted is not None) and not made_by(basis, fitted):
        raise ValueError(f"the sums are those of {fitted!r}, but now there is {basis!r}: fit anew")


def made_by(basis: Any, fitted: Any) -> bool:
    """Whether a fitted basis is one of these parameters."""
    return type(basis) is type(fitted) and all(
        same(value, getattr(fitted, name))
        for name, value in basis.get_params(deep=False).items()
        if not isinstance(value, np.random.RandomState)  # a copy has been drawn from
    )


def ledger_of(source: Source) -> Ledger:
    """The fingerprint of all rows of a source."""
    if source.rows == 0:
        return Ledger(0, 0)
    return engine_for(source).reduce(partial(ledger_of_part, source), source.parts())


def ledger_of_part(source: Source, part: Any) -> Ledger:
    chunk = source.chunk(part)
    return Ledger.of(chunk.X, chunk.y, chunk.weight)
