"""Iteration: the one loop of all that goes step by step, solvers and learners alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

S = TypeVar("S")


@dataclass(frozen=True)
class Run(Generic[S]):
    """Where the steps led: the last state, how many there were, whether it was done, and what was traced."""

    state: S
    steps: int
    done: bool
    trace: np.ndarray


def iterate(
    start: S,
    step: Callable[[S], S],
    done: Callable[[S, S], bool],
    most: int | None = None,
    watch: Callable[[], None] | None = None,
    trace: Callable[[S], Any] | None = None,
) -> Run[S]:
    """Step from state to state until `done(before, after)`, at most so many times (None: without end).

    States are opaque, and never changed. `trace(after)` is a number to be kept, or several, or none: `()`. `watch`
    is called for each of them; without a trace, at every step.

    >>> run = iterate(1.0, lambda x: (x + 2.0 / x) / 2, lambda before, after: abs(after - before) < 1e-9, 50)
    >>> run.state, run.steps, run.done
    (1.414213562373095, 5, True)
    """
    state, ended, steps = start, False, 0
    values: list[Any] = []
    while not ended and (most is None or steps < most):
        before, state = state, step(state)
        steps += 1
        ended = bool(done(before, state))
        told = (None,) if trace is None else trace(state)
        told = told if isinstance(told, tuple) else np.ravel(told).tolist()
        values.extend(told)
        for _ in told if watch is not None else ():
            watch()  # type: ignore[misc]
    return Run(state, steps, ended, np.array([] if trace is None else values, dtype=float))
