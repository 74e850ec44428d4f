"""Iterative: every step is a sum, the model is not. So it works out of core and on a cluster, but has no + and no -."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

from ..data import Source
from ..engines import total
from .abilities import Abilities
from .callbacks import stepwise
from .learner import Learner


class Iterative(Learner):
    """Base of learners that read the rows several times, each time for a sum: one reduce for each step.

    >>> import numpy as np
    >>> from sumlearn.statistics import Total
    >>> class Spread(Iterative):
    ...     "The mean of y, and in a second pass the mean distance from it."
    ...     def learn(self, source):
    ...         def mean(of):
    ...             sums = self.total_of(lambda c: Total(of(c.y).sum(keepdims=True), float(len(c.y)), len(c.y)), source)
    ...             return float(sums.values[0] / sums.weight)
    ...         middle = mean(lambda y: y)
    ...         return {"mean_": middle, "distance_": mean(lambda y: np.abs(y - middle))}
    >>> model = Spread().fit([[0.0]] * 4, [1.0, 2.0, 3.0, 6.0])
    >>> model.mean_, model.distance_
    (3.0, 1.5)
    """

    _previous: dict[str, Any]  # while fitting: the fit before, with `warm_start`
    _step: Callable[[], None] | None  # while fitting: to be called at every step

    @abstractmethod
    def learn(self, source: Source) -> dict[str, Any]:
        """Fitted attributes by name, from the rows of a source."""

    def learn_from(self, source: Source, watch: Any) -> None:
        previous = {name: value for name, value in vars(watch or self).items() if name.endswith("_")}
        self._previous = previous if getattr(self, "warm_start", False) else {}
        with stepwise(watch) as self._step:
            values = self.learn(source)
        del self._previous, self._step
        self.__dict__.update(values)

    def total_of(self, summarise: Any, source: Source) -> Any:
        """The sum of summarise(chunk) over a source; a bad value is named by its row and column."""
        found = total(summarise, source, factor=8, workers=getattr(self, "n_jobs", None))
        if self._step is not None:
            self._step()
        return found

    def own_abilities(self) -> Abilities:
        return Abilities()
