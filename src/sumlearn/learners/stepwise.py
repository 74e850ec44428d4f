"""Stepwise: a model that is found in steps, each of them a sum over the rows: out of core and on a cluster too."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ..data import Chunk, Source
from ..data.collections import DaskSource
from ..data.mapped import inputs_of
from ..engines import in_threads, total
from ..engines.summing import summary_of_part
from ..solvers.iteration import iterate
from ..statistics.warnings import warn
from .ability import Abilities
from .callbacks import stepwise
from .learner import Learner

FACTOR = 8  # passes of little work want few merges


class Passes:
    """The rows of a source, as often as they are wanted: for sums over them, or for outputs in their order."""

    def __init__(self, source: Source, workers: int | None = None) -> None:
        self.source, self.workers = source, workers
        self.notes: dict[int, dict[str, Any]] = {}

    def total(self, summarise: Callable[[Chunk], Any]) -> Any:
        """The sum of summarise(chunk): one pass. A bad value is named by its row and column."""
        return total(summarise, self.source, factor=FACTOR, workers=self.workers)

    def total_noting(self, summarise: Callable[[Chunk, dict[str, Any]], Any]) -> Any:
        """The same, with a dictionary for each part that is kept from pass to pass: bounds, labels, whatever helps.

        It is a cache: a part whose notes are lost, as all are on a cluster, must give the same answer.
        """
        if isinstance(inputs_of(self.source), DaskSource):
            return self.total(partial(without_notes, summarise))
        parts = (Noted(part, self.notes.setdefault(number, {})) for number, part in enumerate(self.parts()))
        noting = NotedSource(self.source)
        return total(partial(with_notes, summarise), noting, workers=self.workers, parts=parts)  # type: ignore[arg-type]

    def each(self, answer: Callable[[Chunk], np.ndarray]) -> np.ndarray:
        """answer(chunk), a row for each row, in the order of the rows: one pass."""
        if isinstance(inputs_of(self.source), DaskSource):
            pieces = (piece for part in self.parts() for piece in part.compute().pieces())
            return np.concatenate([summary_of_part(answer, self.source, piece) for piece in pieces])
        one = partial(summary_of_part, answer, self.source)
        return np.concatenate(in_threads(one, self.parts(), self.workers))

    def parts(self) -> Iterator[Any]:
        return self.source.parts(FACTOR)


class Noted:
    """A part and its notes."""

    def __init__(self, part: Any, notes: dict[str, Any]) -> None:
        self.part, self.notes, self.name = part, notes, part.name


class NotedSource:
    """A source whose chunks come with the notes of their part."""

    def __init__(self, source: Source) -> None:
        self.source, self.columns = source, source.columns

    def chunk(self, noted: Noted) -> tuple[Chunk, dict[str, Any]]:
        return self.source.chunk(noted.part), noted.notes


def with_notes(summarise: Any, pair: tuple[Chunk, dict[str, Any]]) -> Any:
    return summarise(*pair)


def without_notes(summarise: Any, chunk: Chunk) -> Any:
    return summarise(chunk, {})


class Stepwise(Learner):
    """Base of learners that go from state to state, with one or more passes over the rows for each step.

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

    # -- what follows -----------------------------------------------------------------------------------------------

    def learn_from(self, source: Source, watch: Any) -> None:
        fitted = {} if watch is None else vars(watch)
        previous = {name: value for name, value in fitted.items() if name.endswith("_")}
        self.previous = previous if self.warm_start else {}
        look, most = self.look_, None if self.limit is None else getattr(self, self.limit)
        with stepwise(watch) as tell:
            rows = Passes(source, getattr(self, "n_jobs", None))
            first = self.start(rows, None if look is None else look.data)
            trace = None if self.trace(first) is None else self.trace
            run = iterate(first, partial(self.one_step, rows), self.done, most, tell, trace)
            values = self.attributes(run.state)
        del self.previous
        told = {"trace_": run.trace} if len(run.trace) else {}
        self.__dict__.update({"n_iter_": run.steps} | told | values)
        if not run.done:
            warn(f"{most} steps were not enough: increase {self.limit}", ConvergenceWarning)

    def one_step(self, rows: Passes, state: Any) -> Any:
        return self.step(state, rows)

    def own_abilities(self) -> Abilities:
        return Abilities()
