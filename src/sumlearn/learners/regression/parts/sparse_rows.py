"""Lasso and elastic net for many penalties where columns are many: working sets on the rows themselves.

Of all columns only those are brought together that pull hardest on the residual: their products are few, and the
minimum on them is found to rounding. One product of all columns with the residual then tells how far that is from the
minimum over all (the duality gap), and which columns are to come in. No product of two other columns is ever formed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sparse

from ....data import Chunk
from ....engines import one_blas_thread
from ....solvers.sparse_quadratic import sparse_minimum
from ...fitted import check_variances
from ...linear_map import is_far

FIRST = 64  # columns of the first working set
ROUNDS = 500
LARGEST = 1e300  # a penalty on all rows that leaves nothing, whatever they are
SAMPLE, LINE = 64, 8  # rows that tell how far columns are from zero; of them neighbours
ORDINARY = 100  # exponents of numbers whose squares, and sums of them, are in range by themselves


@dataclass(frozen=True)
class RowsPath:
    """Coefficients for every penalty, (targets, features, alphas); centre and level of the rows; gaps and sweeps."""

    alphas: np.ndarray
    intercept: bool
    beta: np.ndarray
    centre: np.ndarray
    level: np.ndarray
    is_far: bool
    gaps: np.ndarray
    sweeps: np.ndarray
    converged: np.ndarray

    @classmethod
    def of(
        cls,
        rows: Chunk,
        alphas: np.ndarray,
        l1_ratio: float,
        intercept: bool,
        positive: bool = False,
        most: int = 1000,
        tol: float = 1e-4,
        start: np.ndarray | None = None,
    ) -> RowsPath:
        """The path over `alphas`, from the largest on."""
        y = np.asarray(rows.y, dtype=float)
        design = CentredRows.of(rows.X, np.asarray(rows.weight, dtype=float), y.reshape(len(y), -1), intercept)
        shape = design.targets.shape[1], len(alphas)
        beta, gaps = np.zeros((shape[0], design.features, shape[1])), np.zeros(shape)
        sweeps, converged = np.zeros(shape, np.int64), np.ones(shape, bool)
        with one_blas_thread():
            for t in range(shape[0]):
                search = WorkingSetSearch(design, t, positive, most, tol, None if start is None else start[t])
                for a, alpha in enumerate(alphas):
                    beta[t, :, a], gaps[t, a], sweeps[t, a], converged[t, a] = search.at(alpha, l1_ratio)
        gaps = np.ldexp(gaps, 2 * np.reshape(design.target_unit, (-1, 1))) / design.weight
        return cls(alphas, intercept, beta, design.centre, design.level, design.is_far, gaps, sweeps, converged)

    def levels(self) -> np.ndarray:
        """Intercepts for the first penalty."""
        coef = self.beta[:, :, 0]
        return self.level - coef @ self.centre if self.intercept else np.zeros(len(coef))

    def far(self) -> tuple[np.ndarray | None, np.ndarray]:
        """Where rows are far from zero the centre to take off; and the scores there."""
        return (self.centre if self.is_far and self.intercept else None), self.level

    def residuals(self, X: Any, y: np.ndarray) -> np.ndarray:
        """y - b'x - b0 for rows themselves: (rows, targets, alphas)."""
        y = y.reshape(len(y), -1)
        return np.stack([y[:, [t]] - self._scores(X, t) for t in range(len(self.beta))], axis=1)

    def _scores(self, X: Any, t: int) -> np.ndarray:
        some = np.flatnonzero(self.beta[t].any(axis=1))
        part = X[:, some].toarray() if sparse.issparse(X) else X[:, some]
        if not self.intercept:
            return part @ self.beta[t, some]
        return (part - self.centre[some]) @ self.beta[t, some] + self.level[t]


@dataclass(frozen=True)
class CentredRows:
    """sqrt(w) (x - m), never formed as a whole unless rows are so far from zero that it is needed.

    The products of all columns with a residual r need no mean: (X - 1m')' W r = X' W (r - w'r / W). So that of a column
    is found when the column is first brought in.
    """

    X: Any
    root: np.ndarray  # of the weights
    intercept: bool
    centre: np.ndarray  # of the columns that were brought in; zero without an intercept
    targets: np.ndarray  # sqrt(w) (y - m_y), (rows, targets)
    level: np.ndarray  # m_y
    weight: float
    is_far: bool
    unit: int = 0  # columns are in units of 2**unit, targets in those of 2**target_unit: squares are in range
    target_unit: Any = 0

    @classmethod
    def of(cls, X: Any, weight: np.ndarray, y: np.ndarray, intercept: bool) -> CentredRows:
        total, root = float(weight.sum()), np.sqrt(weight)
        X = X.tocsc() if sparse.issparse(X) else X
        level = weight @ y / total if intercept else np.zeros(y.shape[1])
        centre, far = np.zeros(X.shape[1]), False
        if intercept and not sparse.issparse(X):
            some = sample_of(X)
            far = is_far(some.mean(axis=0), some.std(axis=0))
            if far:  # products with the rows as they are would lose digits
                with one_blas_thread():
                    centre = np.asarray(X.T @ weight.astype(X.dtype), dtype=float) / total
                X = np.asarray(X, dtype=float) - centre
                rest = weight @ X / total  # what rounding left of the mean
                X -= rest
                centre += rest
        values = X.data[:: max(1, X.nnz // SAMPLE)] if sparse.issparse(X) else sample_of(X)
        targets = y - level
        check_variances(np.abs(targets).max(axis=0, initial=0.0), 0)
        unit, target_unit = int(unit_of(values.reshape(-1))), unit_of(targets)
        targets = root[:, None] * np.ldexp(targets, -target_unit)
        return cls(X, root, intercept, centre, targets, level, total, far, unit, target_unit)

    @property
    def features(self) -> int:
        return self.X.shape[1]

    @cached_property
    def cross(self) -> np.ndarray:
        """Products of all columns with the targets; one by one, since BLAS takes longer for two at a time."""
        with one_blas_thread():
            return np.column_stack([self.pull(target) for target in self.targets.T])

    def pull(self, residual: np.ndarray) -> np.ndarray:
        """Products of all columns with a residual (times sqrt(w), and of weighted mean zero)."""
        right = self.root * residual
        if self.intercept and not self.is_far:
            right = right - self.root * self.root * (float(right.sum()) / self.weight)
        pull = np.asarray(self.X.T @ right.astype(self.X.dtype), dtype=float)
        return np.ldexp(pull, -self.unit) if self.unit else pull

    def columns(self, some: np.ndarray) -> np.ndarray:
        """Some columns of the design, one after the other in memory."""
        part = self.X[:, some].toarray() if sparse.issparse(self.X) else self.X[:, some]
        part = np.asarray(part, dtype=float)
        if self.intercept and not self.is_far:
            self.centre[some] = (self.root * self.root) @ part / self.weight
        out = np.empty(part.shape, order="F")
        np.subtract(part, 0.0 if self.is_far else self.centre[some], out=out)
        out *= np.ldexp(self.root, -self.unit)[:, None]
        return out


def unit_of(values: np.ndarray) -> Any:
    """The exponent of the largest number of a column, where it is far from that of one; else zero."""
    _, unit = np.frexp(np.abs(values).max(axis=0, initial=0.0))
    return np.where(np.abs(unit) > ORDINARY, unit, 0)


def sample_of(X: np.ndarray) -> np.ndarray:
    """Some rows, here and there: of columns that lie together in memory, whole lines of the cache."""
    if not X.flags.f_contiguous or len(X) <= SAMPLE:
        return np.asarray(X[:: max(1, len(X) // SAMPLE)], dtype=float)
    starts = np.linspace(0, len(X) - LINE, SAMPLE // LINE).astype(int)
    return np.concatenate([X[start : start + LINE] for start in starts], dtype=float)


class WorkingSetSearch:
    """The working set of one target, which goes on from penalty to penalty."""

    def __init__(
        self, design: CentredRows, target: int, positive: bool, most: int, tol: float, start: np.ndarray | None
    ) -> None:
        self.design, self.positive, self.most, self.tol = design, positive, most, tol
        self.y, self.cross = np.ascontiguousarray(design.targets[:, target]), design.cross[:, target]
        self.unit = design.unit - int(np.atleast_1d(design.target_unit)[target])  # of a coefficient, upside down
        self.squares = float(self.y @ self.y)
        self.chosen = np.zeros(0, np.intp)
        self.block = np.empty((len(self.y), 0), order="F")
        self.G, self.w = np.zeros((0, 0)), np.zeros(0)
        self.pull, self.residual = self.cross, self.y
        if start is not None and start.any():
            self.admit(np.flatnonzero(start))
            self.w = np.ldexp(start[self.chosen].astype(float), self.unit)
            self.look()

    def at(self, alpha: float, l1_ratio: float) -> tuple[np.ndarray, float, int, bool]:
        """Coefficients, duality gap (of the sum over rows), sweeps, and whether the gap is below the tolerance."""
        summed = min(alpha, LARGEST / self.design.weight) * self.design.weight
        with np.errstate(over="ignore", under="ignore"):
            l1 = min(float(np.ldexp(summed * l1_ratio, self.unit - 2 * self.design.unit)), LARGEST)
            l2 = min(float(np.ldexp(summed * (1.0 - l1_ratio), -2 * self.design.unit)), LARGEST)
        sweeps, size = 0, FIRST
        floor = max(self.tol, 1e-14) * self.squares
        for _ in range(ROUNDS):
            gap = self.gap(l1, l2)
            if gap <= floor or sweeps >= self.most:
                break
            size = max(size, 2 * int(np.count_nonzero(self.w)))
            before = len(self.chosen)
            self.admit(self.strongest(size, l1))
            k = len(self.chosen)
            found = sparse_minimum(
                self.G, self.cross[self.chosen], np.full(k, l1), np.full(k, l2), self.w, self.positive,
                most=self.most - sweeps,
            )  # fmt: skip
            sweeps += found.sweeps
            self.w = found.w
            self.look()
            if not found.converged:
                gap = self.gap(l1, l2)
                break
            size = 2 * size if k == before else size
            if k == before and not self.violated(l1):
                gap = self.gap(l1, l2)
                break
        beta = np.zeros(self.design.features)
        beta[self.chosen] = np.ldexp(self.w, -self.unit)
        return beta, gap, max(sweeps, 1), gap <= max(floor, 1e-10 * self.squares) or not alpha

    def strongest(self, size: int, l1: float) -> np.ndarray:
        """Columns outside of the working set that pull hardest, so many that `size` are active or new."""
        force = self.pull.copy() if self.positive else np.abs(self.pull)
        force[self.chosen] = -np.inf
        wanted = min(size, int((force > l1).sum()))
        return np.argpartition(force, len(force) - wanted)[len(force) - wanted :] if wanted else np.zeros(0, np.intp)

    def violated(self, l1: float) -> bool:
        force = self.pull.copy() if self.positive else np.abs(self.pull)
        force[self.chosen] = 0.0
        return bool((force > l1 * (1.0 + 1e-9)).any())

    def admit(self, more: np.ndarray) -> None:
        """Columns join the working set; columns at zero leave it where it has grown much too large."""
        if not len(more):
            return
        if len(self.chosen) > 4 * (np.count_nonzero(self.w) + len(more)):
            kept = np.flatnonzero(self.w)
            self.chosen, self.w = self.chosen[kept], self.w[kept]
            self.block, self.G = np.asfortranarray(self.block[:, kept]), self.G[np.ix_(kept, kept)]
        new = self.design.columns(np.sort(more))
        beside = self.block.T @ new
        self.G = np.block([[self.G, beside], [beside.T, new.T @ new]])
        self.block = np.asfortranarray(np.hstack([self.block, new]))
        self.chosen = np.append(self.chosen, np.sort(more))
        self.w = np.append(self.w, np.zeros(len(more)))

    def look(self) -> None:
        """Residual and pulls of all columns for the present coefficients: one read of the rows."""
        self.residual = self.y - self.block @ self.w
        self.pull = self.design.pull(self.residual)

    def gap(self, l1: float, l2: float) -> float:
        """The duality gap over all columns."""
        r = self.residual
        squares, bent = float(r @ r), l2 * float(self.w @ self.w)
        pull = self.pull.copy()
        pull[self.chosen] -= l2 * self.w
        largest = float((pull if self.positive else np.abs(pull)).max(initial=0.0))
        share = min(1.0, l1 / largest) if largest > 0 else 1.0
        primal = 0.5 * squares + l1 * float(np.abs(self.w).sum()) + 0.5 * bent
        along = float(r @ self.y)
        dual = share * along - 0.5 * share**2 * (squares + bent)
        if l2:
            over = np.maximum((self.pull if self.positive else np.abs(self.pull)) - l1, 0.0)
            dual = max(dual, along - 0.5 * squares - 0.5 * float(over @ over) / l2)
        return max(primal - dual, 0.0)
