"""What follows from a statistic: a model that is one learns on, merges, unlearns, decays, and is cut to columns.

Each of these is there exactly where the statistic has it (`abilities`), and equal to a new fit with the same look.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..data import Source
from ..data.mapped import inputs_of
from ..data.target import check_spelling
from ..engines import one_blas_thread, total
from ..engines.journal import asked_by
from ..statistics import Ledger, in_words
from .ability import Operators, with_ability
from .fitted import Holder, parameter_names, same, settings, unchanged
from .learner import EVENTS
from .look import Look, made_by, same_look
from .placed import placed_parameter, refuse_gone
from .turns import in_turn


def learns_on(model: Any) -> bool:
    able = model.own_abilities()
    return "update" in able or "partial_fit" in able.inexact


def has_ledger(model: Any) -> bool:
    """A ledger is a fingerprint of rows of numbers."""
    return model.reads != "table" and "merge" in model.own_abilities()


class SumAlgebra(Operators):
    """For learners with ``statistic_``: everything that a sum can do. They write `solution` and `sum_of`.

    >>> from sumlearn import LinearRegression
    >>> X, y = [[0.0], [1.0], [2.0], [5.0]], [1.0, 3.0, 4.0, 9.0]
    >>> a, b = LinearRegression().fit(X[:2], y[:2]), LinearRegression().fit(X[2:], y[2:])
    >>> bool(np.allclose((a + b).coef_, LinearRegression().fit(X, y).coef_))
    True
    >>> bool(np.allclose((a + b).forget(X[2:], y[2:]).coef_, a.coef_))
    True
    """

    solved_from: ClassVar[str] = "statistic_"  # what a file keeps; solutions are computed anew when first asked for
    statistic_: Any
    _holder: Holder
    _ledger: Ledger
    # of the learner that it is part of
    solution: Any
    sum_of: Any
    open: Any
    commit: Any
    without_fit: Any
    twin: Any
    reads: ClassVar[str]
    target: ClassVar[Any]
    sums_depend_on: ClassVar[tuple[str, ...]] = ()  # hyperparameters that rows are summed by, and asked by
    takes_classes: ClassVar[bool] = False  # whether `partial_fit` of rows in their order wants labels to come
    remember: Any
    own_abilities: Any
    float_dtype: Any
    n_features_in_: int
    feature_names_in_: Any
    _classes: Any
    _dtype: Any

    # -- learning ---------------------------------------------------------------------------------------------------

    @available_if(learns_on)
    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, classes: Any = None) -> Self:
        """Learn from more rows: the same model as one fit on all of them.

        With `classes` at the first call the labels of a classifier are fixed; else new ones may come.
        """
        with asked_by(self, "partial_fit"):
            return self.updated(X, y, sample_weight, classes)

    @with_ability("forget")
    @in_turn
    def forget(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Unlearn rows that were learnt before, exactly; raises ValueError when they cannot have been."""
        check_is_fitted(self)
        with asked_by(self, "forget"):
            source = self.open(X, y, sample_weight, reset=False, empty_ok=True)
            return self if source.rows == 0 else self.commit(self.changed(source, "remove"))

    @with_ability("decay")
    @in_turn
    def decay(self, factor: float) -> Self:
        """Multiply the weight of everything learnt so far by `factor`; `forget` then asks for what is left of it."""
        check_is_fitted(self)
        work = self.twin()
        work.statistic_ = self._with_places(self.statistic_.decay(factor))
        if factor < 1.0:
            work._decayed = True
        if "_ledger" in self.__dict__ and factor < 1.0:
            work._ledger = self._ledger.faded()
        return self.commit(work.unsolved())

    @with_ability("merge")
    def merge(self, other: Self) -> Self:
        """A new model that has learnt the rows of both."""
        return self._joined(other, "merge")

    @with_ability("restrict")
    def restrict(self, columns: Any) -> Self:
        """A new model on some of the features (names, indices or a mask), without touching the data again."""
        check_is_fitted(self)
        index = np.atleast_1d(self._column_index(columns))
        work = self.twin().set_params(**self.parameters_on(index, self.n_features_in_) or {})
        work.statistic_ = self.statistic_.restrict(index)
        work.n_features_in_ = len(index)
        work.__dict__.pop("_ledger", None)  # it knows whole rows only
        work.__dict__.pop("_handed_look", None)  # it was one at all columns
        if hasattr(self, "feature_names_in_"):
            work.feature_names_in_ = self.feature_names_in_[index]
        return work.unsolved()

    def parameters_on(self, columns: np.ndarray, features: int) -> dict[str, Any] | None:
        """Hyperparameters that have a number for each of the features, cut to some of these; None if there are none."""

    @with_ability("merge")
    def solve(self, statistic: Any, like: Source | None = None, classes: Any = None) -> Self:
        """Become the model of a statistic that is there already: several models from one pass.

        `like` is the source that the statistic came from, where names and kind of float should be taken from it;
        `classes` are labels that are fixed, as in `partial_fit`.
        """
        work = self.without_fit()
        if classes is not None:
            work._classes = classes
        work.n_features_in_ = statistic.features
        if like is not None:
            work.n_features_in_ = inputs_of(like).features
            if like.columns is not None:
                work.feature_names_in_ = np.array(like.columns.names, dtype=object)
            work.remember(like)
        if getattr(self, "basis", None) is not None:
            if like is None or inputs_of(like) is like:
                raise ValueError("a basis was set: `like` must be the source, with the basis, that the sums came from")
            work.basis_ = like.basis  # type: ignore[attr-defined]
        if getattr(self, "keeps_look", False):
            handed = self.__dict__.get("_handed_look")
            if handed is None:
                raise ValueError("the sums rest on a look: hand it over, with_look(model.look_)")
            work._look = handed
        work.statistic_ = statistic
        work.unsolved().solved()
        return self.commit(work)

    @available_if(has_ledger)
    def keep_ledger(self) -> Self:
        """From the next `fit` on, keep a fingerprint of the rows learnt: `verify` can then say what the model holds."""
        self._ledger = Ledger(0, 0)
        return self

    @available_if(has_ledger)
    def verify(self, X: Any, y: Any = None, sample_weight: Any = None) -> bool:
        """Whether the model has learnt exactly these rows, in any order, whatever was merged and forgotten between."""
        check_is_fitted(self)
        if "_ledger" not in self.__dict__:
            raise ValueError("no ledger was kept: call keep_ledger() before fit")
        self._ledger.refuse_decayed()
        source = self.open(X, y, sample_weight, reset=False, empty_ok=True)
        return self._ledger == ledger_of(source)

    # -- using ------------------------------------------------------------------------------------------------------

    def solved(self) -> dict[str, Any]:
        """The fitted attributes for the present statistic and hyperparameters."""
        check_is_fitted(self)
        if self.statistic_.rows == 0:
            raise ValueError(f"this {type(self).__name__} holds no rows: all that it learnt was forgotten")
        self.refuse_other_sums()
        holder: Holder = self.__dict__["_holder"]
        key = (self.statistic_, *settings(self))
        if holder.key is None or len(key) != len(holder.key) or not all(map(unchanged, holder.key, key)):
            basis, fitted = getattr(self, "basis", None), self.__dict__.get("basis_")
            if (basis is not None or fitted is not None) and not made_by(basis, fitted):
                raise ValueError(f"the sums are those of {fitted!r}, but now there is {basis!r}: fit anew")
            sums = in_words(self.statistic_)
            # threads spin at the barriers of small products; and share out sums otherwise when there are others of them
            alone = getattr(sums, "holds_rows", False) or sums is not self.statistic_
            with one_blas_thread() if alone else nullcontext():
                values = self.solution(sums)
            holder.values, holder.key = values, key
        return holder.values

    def __sklearn_is_fitted__(self) -> bool:
        return "statistic_" in self.__dict__

    # -- how ----------------------------------------------------------------------------------------------------------

    def absorb(self, statistic: Any, source: Source) -> None:
        """Become the model of the sums of a source."""
        self.statistic_ = statistic
        if self.sums_depend_on:
            self._summed_by = tuple(getattr(self, name) for name in self.sums_depend_on)
        if hasattr(statistic, "look"):  # it travels with the sums
            self.__dict__.pop("_look", None)
        if "_ledger" in self.__dict__:
            self._ledger = ledger_of(source)
        self.unsolved()

    @in_turn
    def updated(self, X: Any, y: Any, sample_weight: Any, classes: Any = None) -> Self:
        """Learn from more rows; from the first ones nothing is solved either, since more are to come."""
        fixable = hasattr(self, "labels_of") or self.takes_classes or (self.reads == "table" and self.target == "label")
        if classes is not None and not fixable:
            raise TypeError(f"{type(self).__name__}.partial_fit takes no classes: it has no labels to fix")
        if "update" not in self.own_abilities():
            return self.learnt_on(X, y, sample_weight, classes)
        if "statistic_" in self.__dict__:
            fixed = fixed_classes(self.__dict__.get("_classes"), classes)
            source = self.open(X, y, sample_weight, reset=False, empty_ok=True)
            work = self.twin() if source.rows == 0 else self.changed(source, "merge")
        else:
            fixed, work = fixed_classes(None, classes), self.without_fit()
            source = work.open(X, y, sample_weight, reset=True)
            work.begun_on(source)
        if fixed is not None:
            unknown = sorted(set(work.statistic_.labels) - set(fixed.tolist()))
            if unknown:
                raise ValueError(
                    f"The target label(s) {unknown} in y do not exist in the initial classes {fixed.tolist()}"
                )
            work._classes = fixed
        return self.commit(work.unsolved())

    def begun_on(self, source: Source) -> Self:
        """Learn from the first rows of several chunks: nothing is solved, since more are to come."""
        self.remember(source)
        self.absorb(self.sum_of(source), source)
        return self

    def learnt_on(self, X: Any, y: Any, sample_weight: Any, classes: Any) -> Any:
        """Learn from more rows where that is not exact."""

    def changed(self, source: Source, how: str) -> Self:
        """The model with the rows of a source merged or removed."""
        work = self.twin()
        if "_ledger" in self.__dict__:
            work._ledger = getattr(self._ledger, how)(ledger_of(source))
        part = work.sum_of(source)
        work.statistic_ = self._combine(part, how)
        if how == "merge":
            work.remember(source)
        elif self._removes_parts(part):
            work._removed = True
        return work.unsolved()

    def refuse_other_sums(self) -> None:
        """Refuse sums of rows that were summed by other hyperparameters: these were set since."""
        for name, value in zip(self.sums_depend_on, self.__dict__.get("_summed_by", ()), strict=False):
            if getattr(self, name) != value:
                now = getattr(self, name)
                raise ValueError(f"the rows were summed with {name}={value!r}, and now it is {now!r}: fit anew")

    def unsolved(self) -> Self:
        """Forget the solution, not the sums."""
        self._holder = Holder()
        self.__dict__.pop("_done", None)  # it was said of other sums
        return self

    def _combine(self, more: Any, how: str) -> Any:
        if type(more) is not type(self.statistic_):
            raise ValueError(
                f"{type(self).__name__}: the sums are {type(self.statistic_).__name__} and {type(more).__name__}: the "
                "hyperparameters have changed since the fit, or the form of y has; fit anew"
            )
        self.refuse_other_sums()
        basis, last_bit = self.__dict__.get("basis_"), {}
        if how == "remove" and basis is not None and not basis.row_by_row:
            last_bit = {"rounded": float(np.finfo(np.float64 if basis.double else self.float_dtype).epsneg)}
        try:
            combined = getattr(self.statistic_, how)(more, **last_bit)
            return self._with_places(combined)
        except ValueError as error:
            raise ValueError(f"{type(self).__name__}: {error}") from None

    def _with_places(self, statistic: Any) -> Any:
        """The statistic, refused where a class is gone while priors go by place: theirs would be another's."""
        learner = getattr(self, "learner", self)
        if placed_parameter(learner) is not None and statistic.rows and "_classes" not in self.__dict__:
            refuse_gone(learner, self.statistic_.labels, statistic.labels)
        return statistic

    def _joined(self, other: Any, how: str) -> Self:
        check_is_fitted(self)
        check_is_fitted(other)
        refuse_differing(self, other, how)
        other.refuse_other_sums()
        work = self.twin()
        work.statistic_ = self._combine(other.statistic_, how)
        work.__dict__.update({name: True for name in EVENTS if vars(other).get(name)})
        work.remember_spelling(vars(other).get("_spelling"))
        if how == "remove" and self._removes_parts(other.statistic_):
            work._removed = True
        work._dtype = np.promote_types(self.float_dtype, other.float_dtype)
        if "_ledger" in self.__dict__:
            if "_ledger" not in other.__dict__:
                raise ValueError(f"cannot {how}: one of the models keeps a ledger, the other does not")
            work._ledger = getattr(self._ledger, how)(other._ledger)
        if how == "merge":
            joined_shares(work, other)
        if not hasattr(self, "feature_names_in_") and hasattr(other, "feature_names_in_"):
            work.feature_names_in_ = other.feature_names_in_
        return work.unsolved()

    def _removes_parts(self, part: Any) -> bool:
        """Whether rows may go with a part of their weight: some weigh more than one, or less."""
        return not all(getattr(statistic, "is_whole", True) for statistic in (self.statistic_, part))

    def _column_index(self, columns: Any) -> np.ndarray:
        columns = np.asarray(columns)
        if columns.dtype.kind in "UO" and columns.size:
            names = list(getattr(self, "feature_names_in_", []))
            unknown = [name for name in columns.ravel().tolist() if name not in names]
            if unknown:
                raise ValueError(f"no feature {unknown[0]!r}; the features are {names or 'unnamed'}")
            return np.array([names.index(name) for name in columns.ravel()])
        return place_of(columns, self.n_features_in_)


def place_of(columns: np.ndarray, features: int) -> np.ndarray:
    """Numbers of columns from numbers or a mask."""
    if columns.dtype.kind == "b" and columns.shape != (features,):
        raise ValueError(f"a mask has one truth value for each of the {features} features, got {columns.size}")
    if columns.size and columns.dtype.kind not in "iub":
        raise ValueError(f"columns are named, numbered or masked by truth values, got {columns.ravel()[0].item()!r}")
    for column in columns[(columns >= features) | (columns < -features)][:1] if columns.dtype.kind in "iu" else ():
        raise ValueError(f"there is no column {column}: the model has {features} features, numbered from 0")
    return np.arange(features)[columns if columns.size else columns.astype(np.intp)]


def fixed_classes(known: np.ndarray | None, classes: Any) -> np.ndarray | None:
    """Labels that were fixed at the first call, or are now."""
    if classes is None:
        return known
    classes = np.unique(np.asarray(classes))
    if known is not None and not np.array_equal(known, classes):
        raise ValueError(f"`classes={classes.tolist()}` differs from the earlier call, {known.tolist()}")
    return classes


def refuse_differing(a: Any, b: Any, how: str) -> None:
    """Models of another kind, other parameters, another look, other classes or columns are not joined."""
    if type(a) is not type(b):
        raise TypeError(f"cannot {how} a {type(a).__name__} and a {type(b).__name__}")
    looks: list[Look | None] = [a.look_, b.look_]
    bases = [None if look is None else look.basis for look in looks]
    alike, settled = same(*bases), set[str]()
    if alike and bases[0] is not None and all(made_by(m.basis, m.basis_) for m in (a, b)):
        settled = {"basis", *bases[0].placed_by}  # however the same basis came about
    differing = [
        f"{name} ({getattr(a, name)!r} and {getattr(b, name)!r})"
        for name in parameter_names(type(a))
        if name not in settled and not same(getattr(a, name), getattr(b, name))
    ]
    if differing:
        raise ValueError(f"the models differ in {', '.join(differing)}")
    check_spelling(vars(a).get("_spelling"), vars(b).get("_spelling"), "the labels of one model")
    if not all("merge" in m.own_abilities() for m in (a, b)):
        raise ValueError(f"cannot {how} models of which only one has sums")
    if not alike:
        what, advice = ", ".join(bases[0].differing(bases[1])), bases[0].advice(bases[1])  # type: ignore[union-attr]
        raise ValueError(
            f"the models differ in their basis, {what}: it was placed or drawn at different fits; {advice}"
        )
    if any("_look" in vars(m) for m in (a, b)) and not same_look(*looks):
        raise ValueError(
            "the models looked at different rows before their sums: give the second the look of the first, "
            "with_look(first.look_), and fit it anew"
        )
    fixed = [m.__dict__.get("_classes") for m in (a, b)]
    if not same(*fixed):
        raise ValueError(f"the models differ in the classes fixed beforehand: {fixed[0]} and {fixed[1]}")
    mine, theirs = (getattr(m, "feature_names_in_", None) for m in (a, b))
    if mine is not None and theirs is not None and list(mine) != list(theirs):
        raise ValueError(f"the models differ in their columns: {list(mine)} and {list(theirs)}")


def joined_shares(model: Any, other: Any) -> None:
    """Let a model remember what was shared of another that became a part of it: its rest is what others can tell."""
    mine, theirs = vars(model).get("_shared"), vars(other).get("_shared")
    records = [*versions_in(mine), *versions_in(theirs)]
    if theirs is not None:
        model._shared = {**records[0], "earlier": records[1:]}


def versions_in(record: dict[str, Any] | None) -> list[dict[str, Any]]:
    """The records of all versions that were shared, the last one first.

    >>> versions_in({"rows": 9, "earlier": [{"rows": 5}]})
    [{'rows': 9}, {'rows': 5}]
    """
    if record is None:
        return []
    return [{name: value for name, value in record.items() if name != "earlier"}, *record.get("earlier", [])]


def ledger_of(source: Source) -> Ledger:
    """The fingerprint of all rows of a source."""
    return Ledger(0, 0) if source.rows == 0 else total(ledger_of_chunk, source, empty_ok=True)


def ledger_of_chunk(chunk: Any) -> Ledger:
    return Ledger.of(chunk.X, chunk.y, chunk.weight)
