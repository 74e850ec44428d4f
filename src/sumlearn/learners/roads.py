"""Roads: a method with several ways to learn, each of one of the five kinds.

The way follows from the parameters and the number of columns, never from the number of rows: so what a model can do is
known before the fit, and a small and a large site take the same way.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from ..data import Source
from .ability import Abilities
from .fitted import parameter_names
from .learner import Learner
from .sum_algebra import SumAlgebra


class Roads(SumAlgebra, Learner):
    """Base of methods that are learnt in one way or another: `road` makes the learner that does it.

    What is learnt is kept here, under the names that the road gives it; the road itself is made when it is needed. The
    model can do what its road can: a road that is a sum merges and forgets, another does not.

    >>> import numpy as np
    >>> from sumlearn import abilities
    >>> from sumlearn.learners import Fitted, OnePass, WholeRows
    >>> from sumlearn.statistics import Moments
    >>> class Mean(OnePass):
    ...     target, statistic_type = None, Moments
    ...     def summarise(self, chunk, look): return Moments.of(chunk.X, None, chunk.weight)
    ...     def solution(self, statistic): return {"centre_": statistic.mean}
    >>> class Median(WholeRows):
    ...     target = None
    ...     def learn(self, rows): return {"centre_": np.median(rows.X, axis=0)}
    >>> class Centre(Roads):
    ...     target, centre_ = None, Fitted("The centre.")
    ...     def __init__(self, kind="mean"): self.kind = kind
    ...     def road(self): return Mean() if self.kind == "mean" else Median()
    >>> a, b = Centre().fit([[0.0], [1.0]]), Centre().fit([[8.0]])
    >>> (a + b).centre_, Centre("median").fit([[0.0], [1.0], [8.0]]).centre_
    (array([3.]), array([1.]))
    >>> print(abilities(a), "|", abilities(Centre("median")), hasattr(Centre("median"), "forget"))
    can update, merge, forget, decay, restrict | can nothing False
    """

    @abstractmethod
    def road(self) -> Any:
        """The learner that does the work, unfitted, for these parameters."""

    def learn_from(self, source: Source, watch: Any) -> None:
        road = self.along()
        road.check()
        road.learn_from(source, watch)
        self.adopt(road)

    def learnt_on(self, X: Any, y: Any, sample_weight: Any, classes: Any) -> Any:
        work = self.twin()
        road, fixed = work.along(), {} if classes is None else {"classes": classes}
        road = road.partial_fit(X, y, sample_weight, **fixed)
        work.adopt(road)
        return self.commit(work)

    def adopt(self, road: Any) -> None:
        """Take over what was learnt on a road."""
        own = set(parameter_names(type(road)))
        self.__dict__.pop("_look", None)  # it may travel with the sums
        self.__dict__.update({name: value for name, value in vars(road).items() if name not in own})

    def own_abilities(self) -> Abilities:
        return self.road().own_abilities()

    def sum_of(self, source: Source, watch: Any = None) -> Any:
        """The statistic of all rows of a source."""
        return self.along().sum_of(source, watch)

    def summary_of(self, source: Source, part: Any) -> Any:
        """The statistic of some rows of a source."""
        return self.along().summary_of(source, part)

    def summariser(self) -> Any:
        """What makes the statistic of a chunk."""
        return self.along().summariser()

    def solution(self, statistic: Any) -> dict[str, Any]:
        """Fitted attributes by name, from the statistic and the hyperparameters."""
        return self.along().solution(statistic)

    def along(self) -> Any:
        """The road, with what was learnt and looked up on it so far."""
        road, own = self.road(), set(parameter_names(type(self)))
        kept = {name: value for name, value in vars(self).items() if name not in own}
        road.__dict__.update({name: value for name, value in kept.items() if name not in parameter_names(type(road))})
        return road

    def __sklearn_is_fitted__(self) -> bool:
        kept = {*parameter_names(type(self)), "n_features_in_", "feature_names_in_", "basis_"}
        return any(name.endswith("_") and name not in kept for name in vars(self))
