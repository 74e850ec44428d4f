"""Alternation: two sets of variables in turn, each at its best given the other: k-means, mixtures, factors W C."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .iteration import Run, iterate

Total = Callable[[Callable[[Any], Any]], Any]


class Turn(NamedTuple):
    """Where an alternation stands: both sets of variables, and their value."""

    first: Any
    second: Any
    value: Any = np.inf


def alternate(
    start: Any,
    first: Callable[..., Any],
    second: Callable[[Any], Any],
    value: Callable[[Any, Any], Any],
    *,
    tol: float = 1e-6,
    most: int | None = 1000,
    done: Callable[[Turn, Turn], bool] | None = None,
    total: Total | None = None,
    watch: Callable[[], None] | None = None,
) -> Run[Turn]:
    """Improve two sets of variables in turn, each given the other.

        a <- first(b)     what is best of a, given b: shares in the components; the codes W
        b <- second(a)    what is best of b, given a: parameters of the components; the parts C

    Neither half can make the value worse, so it converges wherever it is bounded. Where `a` is a function of the rows,
    nobody needs all of it at once: what the second half asks for is a sum, and an engine makes it.

    Parameters
    ----------
    start : object
        The first `b`.
    first, second : callable
        The two halves.
    value : callable
        value(a, b), a number, or one for each of several alternations that share their passes; it is the trace.
    tol : float
        The end, when no value has changed by as much.
    most : int or None
        Turns at most.
    done : callable or None
        done(before, after) instead of `tol`; both are a `Turn`: `first`, `second`, `value`.
    total : callable or None
        With it, first(b, chunk) is a `Statistic` of some rows, and `a` their sum. `total` makes it, such as that of
        `Passes` of a source, on the engine that the source asks for: threads, files in parts, Dask.
    watch : callable or None
        Called after every turn.

    Returns
    -------
    Run
        `state` (a `Turn`), `steps`, `done`, `trace`.

    Examples
    --------
    The best rank-one approximation of a matrix, W given C and C given W:

    >>> import numpy as np
    >>> X = np.array([[2.0, 4.0], [1.0, 2.0], [3.0, 5.0]])
    >>> run = alternate(
    ...     np.array([1.0, 0.0]), lambda c: X @ c / (c @ c), lambda w: w @ X / (w @ w),
    ...     lambda w, c: np.sum((X - np.outer(w, c)) ** 2), tol=1e-12)
    >>> round(float(run.state.value), 6), round(float(np.linalg.svd(X)[1][1] ** 2), 6), run.done
    (0.084868, 0.084868, True)

    Two means of one column; the rows are in a source, their sums by mean are the first half:

    >>> from sumlearn.data import open_source
    >>> from sumlearn.learners.passes import Passes
    >>> from sumlearn.statistics import Grouped
    >>> rows = Passes(open_source(np.array([[0.0], [1.0], [7.0], [9.0]])))
    >>> nearest = lambda means, chunk: np.abs(chunk.X - means).argmin(axis=1)
    >>> run = alternate(
    ...     np.array([0.0, 1.0]), lambda means, chunk: Grouped.of(chunk.X, nearest(means, chunk), form="diagonal"),
    ...     lambda sums: np.array([part.mean[0] for _, part in sums.items()]),
    ...     lambda sums, means: sum(part.diagonal[0] for _, part in sums.items()), total=rows.total)
    >>> run.state.second.tolist(), float(run.state.value), run.trace.tolist()
    ([0.5, 8.0], 2.5, [34.666666666666664, 2.5, 2.5])

    References
    ----------
    Csiszár & Tusnády, Information geometry and alternating minimization procedures, 1984; lecture notes 000 (E and M)
    and 003 (W and C).
    """
    step = partial(next_turn, first=first, second=second, value=value, total=total)
    return iterate(Turn(None, start), step, done or partial(settled, tol=tol), most, watch, value_of)


def next_turn(
    before: Turn,
    first: Callable[..., Any],
    second: Callable[[Any], Any],
    value: Callable[[Any, Any], Any],
    total: Total | None = None,
) -> Turn:
    """Both halves once: the step of a stepwise learner that alternates."""
    a = first(before.second) if total is None else total(partial(first, before.second))
    b = second(a)
    return Turn(a, b, value(a, b))


def settled(before: Turn, after: Turn, tol: float) -> bool:
    """Whether no value has changed by as much as `tol`; of two that are equal, none has."""
    old, new = np.asarray(before.value), np.asarray(after.value)
    with np.errstate(invalid="ignore"):
        return bool(np.all((new == old) | (np.abs(new - old) < tol)))


def value_of(turn: Turn) -> Any:
    return turn.value
