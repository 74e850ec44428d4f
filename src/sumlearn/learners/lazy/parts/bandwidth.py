"""The bandwidth of a kernel by leave-one-out: many bandwidths from one pass over the distances, no refits."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....compiled.gaussian_kernel import TILE, left_out_errors
from ....engines import in_threads
from ....statistics.weights import FAINT
from .kernel_rows import UNIT, blocks_of, negligible_bits

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
        return widest(self.factors, self.errors)


def widest(factors: np.ndarray, errors: np.ndarray) -> int:
    """The widest of the bandwidths of least error, whatever rounding makes of errors that are equal."""
    return int(np.argmax(np.where(errors <= errors.min() * (1.0 + 1e-9), factors, -np.inf)))


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
    rows = LeftOut.of(Z, y, weight, left_out)
    scale = variances(rows.values.T, rows.weight)
    factors = WIDEST * 2.0 ** (-0.5 * np.arange(HALVINGS + 1))
    errors = rows.errors(factors[:1], HALVINGS)[0]
    step = 0.5
    for _ in range(2):
        step /= FINER + 1
        steps = np.delete(np.arange(-FINER, FINER + 1), FINER)
        more = factors[widest(factors, (errors / scale).mean(axis=1))] * 2.0 ** (step * steps)
        found = rows.errors(more, 0)[:, 0]
        factors, errors = np.append(factors, more), np.concatenate([errors, found])
    order = np.argsort(-factors)
    return Search(factors[order], (errors / scale).mean(axis=1)[order], in_units(errors[order], rows.unit))


class LeftOut(NamedTuple):
    """Rows in blocks of neighbours, and which of them are left out."""

    points: np.ndarray  # (columns, rows), in units in which the kernel of bandwidth one is 2^(-|x - x'|^2)
    columns: np.ndarray  # w y of every target, and w: (targets + 1, rows)
    values: np.ndarray  # y less a constant, in its unit: (targets, rows)
    weight: np.ndarray
    left_out: np.ndarray
    unit: np.ndarray  # a power of two for each target, so that squares stay in range

    @classmethod
    def of(cls, Z: np.ndarray, y: np.ndarray, weight: np.ndarray, left_out: np.ndarray) -> LeftOut:
        order, _ = blocks_of(Z, TILE)  # kernels of a tile vanish together
        place = np.empty(len(Z), dtype=np.int64)
        place[order] = np.arange(len(Z))
        values, mass = np.array((y - y[:1])[order].T, order="C"), weight[order]
        mass = np.where(np.abs(mass - 1.0) <= FAINT, 1.0, mass)  # came in parts: the row is left out, not all but a bit
        unit = 2.0 ** np.frexp(np.abs(values).max(axis=1))[1]
        values /= unit[:, None]
        points = np.array(UNIT * Z[order].T, order="C")
        return cls(points, np.array([*(mass * values), mass]), values, mass, place[left_out], unit)

    def errors(self, factors: np.ndarray, halvings: int) -> np.ndarray:
        """Mean squared leave-one-out errors in squares of the unit, (factors, halvings + 1, targets)."""
        least = float(np.exp2(-negligible_bits(self.weight)))

        def part(rows: np.ndarray) -> np.ndarray:
            errors = np.zeros((len(factors), halvings + 1, len(self.values)))
            left_out_errors(*self[:4], rows, factors**-2.0, halvings, least, errors)
            return errors

        pieces = min(len(self.left_out), 16)  # whatever the number of threads, so that the sums are the same
        total = sum(in_threads(part, np.array_split(self.left_out, pieces)))
        return total / self.weight[self.left_out].sum()


def in_units(squares: np.ndarray, unit: np.ndarray) -> np.ndarray:
    """Squares that were taken in some units; infinite where they are too large for a number."""
    with np.errstate(over="ignore"):
        return squares * unit * unit


def variances(y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Of each target, one for a constant: errors of several targets are added in these units."""
    mean = np.average(y, axis=0, weights=weight)
    found = np.average((y - mean) ** 2, axis=0, weights=weight)
    return np.where(found > 0, found, 1.0)
