"""What an adapter offers: for each task, candidates that can be timed and whose results can be compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks.data import Data

Numbers = Mapping[str, np.ndarray]  # reals are compared by relative difference, integers by equality

BOTH_BLAS: tuple[int | None, ...] = (1, None)  # one BLAS thread, and the library's default
DEFAULT_BLAS: tuple[int | None, ...] = (None,)


@dataclass(frozen=True)
class Sample:
    """For work that may take minutes: its time is read off a line through the times of two shares of it.

    The candidate's `run` is the larger share: whole = less + stretch * (run - less). Where that is short,
    `whole` is run.
    """

    less: Callable[[], Any]
    whole: Callable[[], Any]
    stretch: float


@dataclass(frozen=True)
class Candidate:
    """One setting of one rival: `run` is timed, `numbers` reads from its result what is compared."""

    setting: str
    run: Callable[[], Any]
    numbers: Callable[[Any], Numbers]
    blas: tuple[int | None, ...] = BOTH_BLAS
    sample: Sample | None = None


Builder = Callable[[Data], list[Candidate]]


@dataclass
class Rival:
    """A library, the module of its adapter, and the candidates it enters for each task."""

    name: str
    module: str
    builders: dict[str, Builder] = field(default_factory=dict)

    def enters(self, task: str) -> Callable[[Builder], Builder]:
        """Decorator: the function builds this library's candidates for the task."""

        def register(builder: Builder) -> Builder:
            self.builders[task] = builder
            return builder

        return register

    def candidates(self, task: str, data: Data) -> list[Candidate]:
        """The candidates for a task, best guess first; none where the library does not do it."""
        builder = self.builders.get(task)
        return builder(data) if builder else []


def over_penalties(
    setting: str,
    fit: Callable[[np.ndarray], Any],
    data: Data,
    count: int,
    numbers: Callable[[Any], Numbers],
    blas: tuple[int | None, ...] = BOTH_BLAS,
) -> Candidate:
    """A candidate whose work is linear in the number of penalties: timed on one and on `count` of them."""
    some = data.alphas[data.some(count)]
    sample = None
    if not data.whole:
        stretch = (len(data.alphas) - 1) / (len(some) - 1)
        sample = Sample(lambda: fit(some[:1]), lambda: fit(data.alphas), stretch)
    return Candidate(setting, lambda: fit(some), numbers, blas, sample)
