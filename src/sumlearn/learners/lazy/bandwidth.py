"""The bandwidth of a kernel by leave-one-out: many bandwidths from one pass over the distances, no refits."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compiled.gaussian_kernel import left_out_errors
from .kernel_rows import ROOT_HALF, in_threads

WIDEST = 8.0  # in deviations; each bandwidth of the coarse search is 1 / sqrt(2) of the one before
HALVINGS = 24  # the narrowest is WIDEST / 2^12
FINER = 1  # bandwidths between two neighbours, on both sides, in each of the finer searches
PAIRS = 5 * 10**6  # of left-out rows and others, beyond which only some of the rows are left out
FEWEST = 250  # of these: with m of them, chance costs some 4 / m of the error


class Search(NamedTuple):
    """Bandwidths that were tried, widest first, and their leave-one-out errors.

    `errors` are mean squares in units of the variance of the targets, averaged over these; `by_target` are plain.
    """

    factors: np.ndarray
    errors: np.ndarray
    by_target: np.ndarray

    @property
    def best(self) -> int:
        return int(np.argmin(self.errors))


def left_out_rows(Z: np.ndarray, wanted: int | str | None) -> np.ndarray:
    """Which rows are left out in turn: all of them, or some at equal steps where they are sorted.

    Offsets and units leave that order as it is.
    """
    n = len(Z)
    count = n if wanted is None else max(PAIRS // n, FEWEST) if wanted == "auto" else int(wanted)
    if count >= n:
        return np.arange(n)
    return np.lexsort(Z.T[::-1])[np.linspace(0, n - 1, count).astype(np.int64)]


def search(Z: np.ndarray, y: np.ndarray, weight: np.ndarray, left_out: np.ndarray) -> Search:
    """Bandwidths in units of Z by their leave-one-out error: a coarse grid, then twice a finer one around the best.

    The answer is on a grid, so that rounding does not change it.
    """
    points, scale = np.array(ROOT_HALF * Z.T, order="C"), variances(y, weight)
    values = np.array((y - y[:1]).T, order="C")
    factors = WIDEST * 2.0 ** (-0.5 * np.arange(HALVINGS + 1))
    errors = errors_of(points, values, weight, left_out, factors[:1], HALVINGS)[0]
    step = 0.5
    for _ in range(2):
        step /= FINER + 1
        steps = np.delete(np.arange(-FINER, FINER + 1), FINER)
        more = factors[int(np.argmin((errors / scale).mean(axis=1)))] * 2.0 ** (step * steps)
        found = errors_of(points, values, weight, left_out, more, 0)[:, 0]
        factors, errors = np.append(factors, more), np.concatenate([errors, found])
    order = np.argsort(-factors)
    return Search(factors[order], (errors / scale).mean(axis=1)[order], errors[order])


def errors_of(
    points: np.ndarray, values: np.ndarray, weight: np.ndarray, left_out: np.ndarray, factors: np.ndarray, halvings: int
) -> np.ndarray:
    """Mean squared leave-one-out errors, (factors, halvings + 1, targets)."""

    def part(rows: np.ndarray) -> np.ndarray:
        errors = np.zeros((len(factors), halvings + 1, len(values)))
        left_out_errors(points, values, weight.copy(), rows, factors**-2.0, halvings, errors)
        return errors

    pieces = min(len(left_out), 16)  # whatever the number of threads, so that the sums are the same
    return sum(in_threads(part, np.array_split(left_out, pieces))) / weight[left_out].sum()


def variances(y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Of each target, one for a constant: errors of several targets are added in these units."""
    mean = np.average(y, axis=0, weights=weight)
    found = np.average((y - mean) ** 2, axis=0, weights=weight)
    return np.where(found > 0, found, 1.0)
