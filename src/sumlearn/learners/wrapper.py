"""Wrapper: around one or many learners, of other libraries too. It can do at most what those inside can."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from ..data import Source
from ..engines import in_threads
from .ability import NEEDS, Abilities, Operators, abilities, with_ability
from .learner import Learner
from .placed import refuse_gone
from .sum_algebra import refuse_differing
from .teaching import teach
from .turns import in_turn
from .validation import known_labels


class Wrapper(Operators, Learner):
    """Base of learners that are made of others: each of those learns from the rows, or from a view of them.

    `survive` says which abilities are left of those that all learners inside have; what was chosen or drawn by looking
    at all rows survives nothing, unless it is a look that models share. Those inside take their own looks. Parameters
    of what is inside count when it is fitted: after `set_params`, fit anew.

    >>> from sumlearn import GaussianNB, abilities
    >>> class Costly(Wrapper):
    ...     "The label of least expected cost; costs[i, j] of saying j where i is true."
    ...     target = "label"
    ...     def __init__(self, learner, costs): self.learner, self.costs = learner, costs
    ...     def inside(self, look): return [self.learner]
    ...     def predict(self, X):
    ...         model = self.learners_[0]
    ...         return model.classes_[(model.predict_proba(X) @ np.asarray(self.costs)).argmin(axis=1)]
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], [0, 0, 1, 0, 1, 1]
    >>> costs = [[0.0, 1.0], [5.0, 0.0]]
    >>> a, b = Costly(GaussianNB(), costs).fit(X[:4], y[:4]), Costly(GaussianNB(), costs).fit(X[4:], y[4:])
    >>> (a + b).predict([[1.0], [2.0]]).tolist(), list(abilities(a))
    ([0, 1], ['update', 'merge', 'forget', 'decay', 'restrict'])
    """

    survive: ClassVar[frozenset[str]] = frozenset(NEEDS)
    at_once: Any = 1  # learners that learn at the same time, with these parameters; None: on all processors
    learners_: list[Any]

    # -- what a wrapper writes --------------------------------------------------------------------------------------

    @abstractmethod
    def inside(self, look: Any) -> Sequence[Any]:
        """The learners inside, unfitted; `look` is what `self.look` has returned, None before a fit."""

    def views(self, source: Source, look: Any) -> Any:
        """What each of them learns from (`data.views.viewed`); the source itself, unless a method says so."""

    # -- what follows -----------------------------------------------------------------------------------------------

    def learn_from(self, source: Source, watch: Any) -> None:
        self.learners_ = self.all_taught(source)

    def begun_on(self, source: Source) -> Self:
        """Learn from the first rows of several chunks: nothing is solved, since more are to come."""
        self.remember(source)
        self.learners_ = self.all_taught(source, first=True)
        return self

    def all_taught(self, source: Source, first: bool = False) -> list[Any]:
        """The learners inside, which have learnt from what each of them sees of a source."""
        learners = [clone(learner) for learner in self.inside(self.look_data())]
        tasks = zip(learners, self.seen_by(source, len(learners)), strict=True)
        return in_threads(lambda task: self.taught(*task, first=first), tasks, self.at_once)

    def own_abilities(self) -> Abilities:
        inner = [abilities(learner) for learner in self.inside(None)]
        gone = set() if getattr(self, "basis", None) is None else {"restrict"}
        exact = [w for w in NEEDS if w in self.survive - gone and inner and all(w in able for able in inner)]
        return Abilities(tuple(exact), same_look=self.looks or any(able.same_look for able in inner))

    @with_ability("update")
    @in_turn
    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from more rows: the same model as one fit on all of them."""
        if "learners_" not in self.__dict__:
            work = self.without_fit()
            return self.commit(work.begun_on(work.open(X, y, sample_weight, reset=True)))
        return self._changed(X, y, sample_weight, "merge")

    @with_ability("forget")
    @in_turn
    def forget(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Unlearn rows that were learnt before, exactly; raises ValueError when they cannot have been."""
        check_is_fitted(self)
        return self._changed(X, y, sample_weight, "remove")

    @with_ability("decay")
    @in_turn
    def decay(self, factor: float) -> Self:
        """Multiply the weight of everything learnt so far by `factor`."""
        check_is_fitted(self)
        return self.commit(self.holding([copy.copy(learner).decay(factor) for learner in self.learners_]))

    @with_ability("merge")
    def merge(self, other: Self) -> Self:
        """A new model that has learnt the rows of both."""
        return self._joined(other, "merge")

    @with_ability("restrict")
    def restrict(self, columns: Any) -> Self:
        """A new model on some of the features (names, indices or a mask), without touching the data again."""
        check_is_fitted(self)
        work = self.holding([learner.restrict(columns) for learner in self.learners_])
        inner = vars(work.learners_[0])
        work.__dict__.update({name: inner[name] for name in ("n_features_in_", "feature_names_in_") if name in inner})
        return work

    def seen_by(self, source: Source, count: int) -> Sequence[Source]:
        views = self.views(source, self.look_data())
        return [source] * count if views is None else views

    def taught(self, learner: Any, source: Source, first: bool = False) -> Any:
        """A learner that has learnt from a source; one of another library, from its rows in memory."""
        if getattr(learner, "reads", None) == "table":
            raise TypeError(f"{type(learner).__name__} reads tables: put the {type(self).__name__} inside of it")
        names = vars(self).get("feature_names_in_")
        names = None if names is None else names[getattr(source, "chosen", slice(None))]
        return teach(learner, source, names, first)

    def holding(self, learners: list[Any]) -> Self:
        """A copy around other fitted learners."""
        work = self.twin()
        work.learners_ = learners
        return work

    def changed(self, source: Source, how: str) -> Self:
        """The model with the rows of a source merged or removed."""
        pairs = zip(self.learners_, self.seen_by(source, len(self.learners_)), strict=True)
        work = self.holding([learner.changed(learner.through_look(view), how) for learner, view in pairs])
        if how == "merge":
            work.remember(source)
        else:
            refuse_gone(self, known_labels(self), known_labels(work))
        return work

    def _changed(self, X: Any, y: Any, sample_weight: Any, how: str) -> Self:
        source = self.open(X, y, sample_weight, reset=False, empty_ok=True)
        return self if source.rows == 0 else self.commit(self.changed(source, how))

    def _joined(self, other: Any, how: str) -> Self:
        check_is_fitted(self)
        check_is_fitted(other)
        refuse_differing(self, other, how)
        work = self.holding([a._joined(b, how) for a, b in zip(self.learners_, other.learners_, strict=True)])
        work.remember_spelling(vars(other).get("_spelling"))
        if how == "remove":
            refuse_gone(self, known_labels(self), known_labels(work))
        work._dtype = np.promote_types(self.float_dtype, other.float_dtype)
        return work
