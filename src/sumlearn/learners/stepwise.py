"""Stepwise: a model that is found in steps, each of them a sum over the rows: out of core and on a cluster too."""

from __future__ import annotations

from abc import abstractmethod
from functools import partial
from typing import Any, ClassVar

from sklearn.exceptions import ConvergenceWarning

from ..data import Source
from ..solvers.iteration import iterate
from ..statistics.warnings import warn
from .ability import Abilities
from .callbacks import stepwise
from .learner import Learner
from .passes import Passes


class Stepwise(Learner):
    """Base of learners that go from state to state, with one or more passes over the rows for each step.

    >>> import numpy as np
    >>> from sumlearn.statistics import Grouped, Moments
    >>> class Means(Stepwise):
    ...     "Two means of one column, each of the rows that are nearest to it."
    ...     target, max_iter = None, 100
    ...     def start(self, rows, look):
    ...         moments = rows.total(lambda chunk: Moments.of(chunk.X, None, chunk.weight, form="diagonal"))
    ...         return moments.mean + moments.deviation * np.array([[-1.0], [1.0]])
    ...     def step(self, state, rows):
    ...         nearest = lambda chunk: np.abs(chunk.X - state[:, 0]).argmin(axis=1)
    ...         return np.array([m.mean for _, m in rows.total(
    ...             lambda chunk: Grouped.of(chunk.X, nearest(chunk), chunk.weight, form="diagonal")).items()])
    ...     def done(self, before, after):
    ...         return np.array_equal(before, after)
    ...     def attributes(self, state):
    ...         return {"centres_": state}
    >>> model = Means().fit([[0.0], [1.0], [7.0], [9.0]])
    >>> model.centres_.ravel().tolist(), model.n_iter_
    ([0.5, 8.0], 2)
    """

    limit: ClassVar[str | None] = "max_iter"  # the parameter that says how many steps there are at most
    keeps_trace: ClassVar[bool] = True  # whether what is traced becomes `trace_`
    unfinished: ClassVar[str] = "{most} steps were not enough: increase {limit}"  # the warning of a fit that is
    warm_start: bool = False  # whether to start from the fit before
    previous: dict[str, Any]  # while fitting: the attributes of the fit before, with `warm_start`

    # -- what a learner writes --------------------------------------------------------------------------------------

    @abstractmethod
    def start(self, rows: Passes, look: Any) -> Any:
        """The first state; with `warm_start`, ``self.previous`` holds the attributes of the fit before."""

    @abstractmethod
    def step(self, state: Any, rows: Passes) -> Any:
        """The next state: a new one, the old one is left as it was."""

    @abstractmethod
    def done(self, before: Any, after: Any) -> bool:
        """Whether a step has come to the end."""

    @abstractmethod
    def attributes(self, state: Any) -> dict[str, Any]:
        """Fitted attributes by name, from the last state."""

    def trace(self, state: Any) -> Any:
        """A number to be kept for every step, such as the error; none, unless a method says so."""

    def afterwards(self, rows: Passes) -> Any:
        """Attributes that take one more pass with what was learnt, such as labels; none, unless a method says so."""

    # -- what follows -----------------------------------------------------------------------------------------------

    def learn_from(self, source: Source, watch: Any) -> None:
        fitted = {} if watch is None else vars(watch)
        previous = {name: value for name, value in fitted.items() if name.endswith("_")}
        self.previous = previous if self.warm_start else {}
        most = None if self.limit is None else getattr(self, self.limit)
        with stepwise(watch) as tell:
            rows = Passes(source, getattr(self, "n_jobs", None))
            first = self.start(rows, self.look_data())
            if tell is not None:
                tell()
            trace = None if self.trace(first) is None else self.trace
            run = iterate(first, partial(self.one_step, rows), self.done, most, tell, trace)
            values = self.attributes(run.state)
        del self.previous
        told = {"trace_": run.trace} if self.keeps_trace and len(run.trace) else {}
        self.__dict__.update({"n_iter_": run.steps} | told | values)
        self.__dict__.update(self.afterwards(rows) or {})
        if most != 0 and not values.get("converged_", run.done):  # of several starts, the best decides
            warn(self.unfinished.format(most=most, limit=self.limit), ConvergenceWarning)

    def one_step(self, rows: Passes, state: Any) -> Any:
        return self.step(state, rows)

    def own_abilities(self) -> Abilities:
        return Abilities(inexact=("partial_fit",) if hasattr(self, "partial_fit") else ())
