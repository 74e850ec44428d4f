"""OverTime: a model of recent rows, around any learner whose model is a function of a sum."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import get_tags

from ...data import InMemory
from ...data.files import is_path
from ...data.source import is_frame
from ...learners.ability import NEEDS, Abilities, abilities
from ...learners.fitted import Holder, same
from ...learners.owners import owned
from ...learners.placed import refuse_places
from ...learners.regression.ridge import Ridge
from ...learners.sum_algebra import SumAlgebra, fixed_classes, versions_in
from ...learners.turns import in_turn
from .answers import AnswersOfLearner
from .timed_rows import TimedRows, timed_rows
from .times import Times, span_of, without_time

NAMES = {"number": "numbers", "moment": "moments", "moment with zone": "moments with a time zone"}


class OverTime(AnswersOfLearner, BaseEstimator):
    """Base of learners around one learner, whose rows have an order or a time.

    They write `length`, the parameter that is a number of rows or a span; `begin`, their state before the first row;
    `pass_by`, that state after some rows; and `statistic_of`, the sum that the model is made of.
    """

    learner: Any
    time: Any
    needs: tuple[str, ...] = ("merge",)  # of the learner
    survive: tuple[str, ...] = ("update",)
    _state: Any
    _inner: Any
    _asked: tuple[Any, Any]
    solved_from: ClassVar[str] = "_state"
    _holder: Holder
    _time_kind: str | None

    # -- what a method writes ---------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def length(self) -> tuple[str, Any]:
        """The name and value of the parameter that is a number of rows or a span."""

    @abstractmethod
    def begin(self) -> Any:
        """The state before the first row."""

    @abstractmethod
    def pass_by(self, state: Any, rows: TimedRows, summarise: Any) -> Any:
        """The state after some more rows; the old one stays as it is."""

    @abstractmethod
    def statistic_of(self, state: Any, summarise: Any) -> Any:
        """The sum that the model is made of; None where there are no rows."""

    def known_of(self, state: Any) -> Any:
        """A sum of some rows that count, by which the next ones are read; None for that of all."""

    def check_own(self) -> None:
        """Refuse parameters that make no sense."""

    # -- learning ---------------------------------------------------------------------------------------------------

    @in_turn
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, times: Any = None) -> Self:
        """Learn from rows in their order, or by their times, and from nothing that was learnt before."""
        return self._learn(X, y, sample_weight, times, None, whole=True)

    @in_turn
    def partial_fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, classes: Any = None, times: Any = None
    ) -> Self:
        """Learn from the rows that come next: the same model as one fit on all of them, in blocks or one by one."""
        return self._learn(X, y, sample_weight, times, classes, whole=False)

    def _learn(self, X: Any, y: Any, weight: Any, times: Any, classes: Any, whole: bool) -> Self:
        self.check()
        fresh = whole or "_state" not in vars(self)
        asked = (self.length[1], self.time)
        if not fresh and not same(list(asked), list(self._asked)):
            before = ", ".join(
                f"{name}={value!r}" for name, value in zip((self.length[0], "time"), self._asked, strict=True)
            )
            raise ValueError(f"the model was begun with {before}: rows that are gone do not come back, so fit anew")
        inner = clone(self.plain_learner) if fresh else self._inner.twin()
        fixed = fixed_classes(vars(inner).get("_classes"), classes)
        if classes is not None and not hasattr(inner, "labels_of"):
            raise TypeError(f"{type(inner).__name__} takes no classes: it has no labels to fix")
        if fixed is None:
            refuse_places(getattr(inner, "learner", inner), "a model over time")
        source, found, time_name = self._opened(inner, X, y, weight, times, fresh)
        if source.rows == 0:
            return self
        inner.remember(source)
        summarise = inner.summariser()
        state, kind = (self.begin(), None) if fresh else (self._state, self._time_kind)
        for rows, new in timed_rows(source, found, time_name):
            kind = self._same_kind(kind, new)
            state = self.pass_by(state, rows.in_order(), summarise) if len(rows) else state
        statistic = self.statistic_of(state, summarise) if fresh else None
        if fresh:
            if statistic is None:
                raise ValueError("sample_weight is zero for every row: the sum of the weights must be positive")
            inner.absorb(statistic, source)
        if fixed is not None:
            if not isinstance(source, InMemory):
                raise ValueError("the classes are fixed: give y itself, not the name of a column of files")
            labels = np.unique(np.asarray(source.y))
            unknown = sorted(set(labels.tolist()) - set(fixed.tolist()))
            if unknown:
                raise ValueError(
                    f"The target label(s) {unknown} in y do not exist in the initial classes {fixed.tolist()}"
                )
            inner._classes = fixed
        known = self.known_of(state)  # nothing of rows that are gone stays with the learner inside
        inner.statistic_ = self.statistic_of(state, summarise) if known is None else known
        changed = {"_asked": asked, "_inner": inner, "_state": state, "_time_kind": kind, "_holder": Holder()}
        if fresh:
            changed["_time_in_rows"] = isinstance(self.time, int) and not is_frame(X)
            if whole:
                inner.solved()
        self.__dict__ = self.__dict__ | changed
        return self

    def _opened(
        self, inner: Any, X: Any, y: Any, weight: Any, times: Any, fresh: bool
    ) -> tuple[Any, Times | None, Any]:
        """The rows as the learner inside reads them, their times, and the column of files that holds these."""
        inner.check()
        if is_path(X):
            if times is not None:
                raise ValueError("X names files, so the times are one of their columns: name it, time='...'")
            if self.time is not None and not isinstance(self.time, str):
                raise ValueError(f"X names files, so time must name a column, got {self.time!r}")
            left_out = () if self.time is None else (self.time,)
            return inner.open(X, y, weight, reset=fresh, left_out=left_out), None, self.time
        X, found = without_time(X, self.time, times)
        source = inner.open(X, y, weight, reset=fresh, empty_ok=not fresh)
        if found is None and not self.counts_rows:
            raise ValueError(
                f"{self.length[0]}={self.length[1]!r} is a span of time: give times=, or name a column, time="
            )
        if found is not None and self.counts_rows:
            raise ValueError(
                f"{self.length[0]}={self.length[1]!r} counts rows, but times were given: name their column"
            )
        return source, found, None

    def _same_kind(self, known: str | None, new: str | None) -> str | None:
        if known is not None and new is not None and known != new:
            raise ValueError(f"the times are {NAMES[new]}, those before were {NAMES[known]}")
        wanted = span_of(self.length[1], self.length[0])[0]
        if new is not None and (new == "number") != (wanted == "number"):
            raise ValueError(f"{self.length[0]}={self.length[1]!r} does not go with times that are {NAMES[new]}")
        return known if new is None else new

    def check(self) -> None:
        """Refuse a learner without the sums that this needs, and parameters that make no sense."""
        learner = self.plain_learner
        able = abilities(learner)
        missing = [word for word in self.needs if word not in able]
        if not isinstance(learner, SumAlgebra) or missing:
            raise TypeError(
                f"{type(self).__name__} needs a learner whose sums {' and '.join(self.needs)}: "
                f"{type(learner).__name__} {able}"
            )
        if self.time is not None and (isinstance(self.time, bool) or not isinstance(self.time, str | int)):
            raise ValueError(f"time must name or number a column, got {self.time!r}")
        name, value = self.length
        _, length = span_of(value, name)
        if self.counts_rows and self.whole_rows and length != int(length):
            raise ValueError(f"{name} counts rows and must be a whole number, got {value!r}")
        self.check_own()

    whole_rows = True  # whether `length` must be a whole number where it counts rows

    @property
    def counts_rows(self) -> bool:
        """Whether time is counted in rows."""
        return self.time is None and span_of(self.length[1], self.length[0])[0] == "number"

    @property
    def span(self) -> Any:
        """The length as a number, of rows or in the units of the times."""
        return span_of(self.length[1], self.length[0])[1]

    # -- what follows -----------------------------------------------------------------------------------------------

    @property
    def plain_learner(self) -> Any:
        return Ridge() if self.learner is None else self.learner

    def own_abilities(self) -> Abilities:
        inner = abilities(self.plain_learner)
        able = all(word in inner for word in self.needs)
        return Abilities(tuple(w for w in NEEDS if able and w in self.survive), same_look=inner.same_look)

    @property
    def learner_(self) -> Any:
        """The learner, fitted to the rows that count now."""
        if "_state" not in vars(self):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'learner_'")
        holder = self._holder
        if holder.key is None:
            inner = self._inner.twin()
            inner.statistic_ = self.statistic_of(self._state, inner.summariser())
            holder.values, holder.key = {"learner": owned(inner.unsolved(), self)}, ()
        return holder.values["learner"]

    def shares_of(self, part: Any) -> list[dict[str, Any]]:
        """What was shared of the learner at other times: few rows may have come or gone since."""
        return versions_in(vars(self).get("_shared"))

    def remember_share(self, part: Any, record: dict[str, Any]) -> None:
        self._shared = record

    @property
    def statistic_(self) -> Any:
        """The sum that the model is made of."""
        return self.learner_.statistic_

    def __sklearn_is_fitted__(self) -> bool:
        return "_state" in vars(self)

    @property
    def classes_(self) -> np.ndarray:
        return self.learner_.classes_

    @property
    def n_features_in_(self) -> int:
        if "_state" not in vars(self):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'n_features_in_'")
        return self._inner.n_features_in_ + int(self._time_in_rows)

    @property
    def feature_names_in_(self) -> np.ndarray:
        if "_state" not in vars(self):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'feature_names_in_'")
        return self._inner.feature_names_in_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.plain_learner)
        for name in ("estimator_type", "target_tags", "classifier_tags", "regressor_tags", "input_tags"):
            setattr(tags, name, getattr(inner, name))
        return tags
