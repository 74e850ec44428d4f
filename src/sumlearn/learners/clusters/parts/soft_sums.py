"""SoftSums: moments of the rows by component, each row in all of them by its shares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ....compiled.mixture import gather, share_out
from ....statistics.row_checks import prepare
from ....statistics.statistic import Counted
from .gaussians import DOUBTFUL, Gaussians, block_rows, products
from .whitening import Whitening

WORTH_GATHERING = 8  # columns from which on a product for each component is worth its calls
MOST_ROOM = 2**25  # bytes in which rows may be gathered
MOSTLY_ZERO = 0.4  # share of the shares that are not zero up to which rows are gathered


@dataclass(frozen=True, eq=False)
class SoftSums(Counted):
    """For several mixtures: the log-likelihood, and by component N = sum r, sum r u and sum r u u', u = z - a.

    The reference a is zero where the sums come from products, else the mean of the component. `second` has a matrix for
    each component, or one for all ("tied"), or diagonals.
    """

    values: np.ndarray  # (mixtures,)
    shares: np.ndarray  # (mixtures, components)
    first: np.ndarray  # (mixtures, components, features)
    second: np.ndarray
    total: float
    count: int

    def merge(self, other: Self) -> Self:
        if self.first.shape != other.first.shape or self.second.shape != other.second.shape:
            raise ValueError(f"soft sums differ in shape: {self.first.shape} and {other.first.shape}")
        return type(self)(
            self.values + other.values,
            self.shares + other.shares,
            self.first + other.first,
            self.second + other.second,
            self.total + other.total,
            self.count + other.count,
        )

    def zero(self) -> Self:
        values, shares, first, second = map(np.zeros_like, (self.values, self.shares, self.first, self.second))
        return type(self)(values, shares, first, second, 0.0, 0)


def soft_sums(
    mixtures: Sequence[Gaussians], about_means: bool, where: Whitening, X: Any, weight: Any = None
) -> SoftSums:
    """The sums of some rows under each of several mixtures of one form; log-likelihoods are those of z."""
    X, _, weight = prepare(X, None, weight)
    form, size, d, runs = mixtures[0].form, mixtures[0].size, X.shape[1], len(mixtures)
    step = block_rows(form, d)
    summed: About | Products = About(mixtures, d) if about_means else Products(mixtures, where, step)
    values, shares = np.zeros(runs), np.zeros(runs * size)
    for start in range(0, len(X), step):
        rows = np.ascontiguousarray(X[start : start + step], dtype=np.float64)
        Z = where.placed(rows)
        w = np.ones(Z.shape[1]) if weight is None else weight[start : start + step]
        L = summed.log_joint(Z)
        held = share_out(L, runs, w, values, shares)
        summed.add(rows, Z, L, w, held)
    first, second = summed.sums()
    total = float(len(X)) if weight is None else float(weight.sum())
    return SoftSums(values, shares.reshape(runs, size), first, second, total, len(X))


class Products:
    """Sums by two products: Theta Phi are the log-densities, R Phi' the moments, Phi = (1, z, products of z).

    Where most shares are zero, rows are gathered by component instead, and multiplied with themselves.
    """

    def __init__(self, mixtures: Sequence[Gaussians], where: Whitening, step: int) -> None:
        self.mixtures, self.form, self.where = mixtures, mixtures[0].form, where
        self.d = d = len(where.scale)
        self.theta = np.concatenate([mixture.coefficients() for mixture in mixtures])
        self.total = np.zeros_like(self.theta)
        self.pooled = np.zeros((d, d))
        self.most = DOUBTFUL / max(max(mixture.stiffness for mixture in mixtures), 1e-300)
        self.room = np.empty((0, 0))
        room = 16 * len(self.theta) * step * (d + 1)
        self.can_gather = self.form == "full" and where.inner is None and d >= WORTH_GATHERING and room < MOST_ROOM
        count = len(self.theta) if self.can_gather else 0
        self.gathered = np.empty((count, 2 * step, d + 1))
        self.filled = np.zeros(count, dtype=np.int64)
        self.squares = np.zeros((count, d + 1, d + 1))

    def log_joint(self, Z: np.ndarray) -> np.ndarray:
        if self.room.shape[1] != Z.shape[1]:
            self.room = np.empty((self.theta.shape[1], Z.shape[1]))
        self.P, largest = products(self.form, Z, self.room)
        if largest > self.most:  # a row so far away that its products have lost the difference
            return np.concatenate([mixture.log_joint(Z) for mixture in self.mixtures])
        L = self.theta @ self.P
        if self.form == "tied":
            size = len(L) // len(self.mixtures)
            for run, mixture in enumerate(self.mixtures):
                L[run * size : (run + 1) * size] -= mixture.shared(Z)
        return L

    def add(self, rows: np.ndarray, Z: np.ndarray, shares: np.ndarray, weight: np.ndarray, held: int) -> None:
        if self.can_gather and held < MOSTLY_ZERO * shares.size:
            self.flush(self.gathered.shape[1] - len(rows))
            gather(rows, self.where.origin, self.where.scale, shares, self.gathered, self.filled)
            return
        self.total += shares @ self.P.T
        if self.form == "tied":
            self.pooled += (Z * weight) @ Z.T

    def flush(self, most: int) -> None:
        """Make room where more than so many rows have been gathered."""
        for k in np.flatnonzero(self.filled > most):
            B = self.gathered[k, : self.filled[k]]
            self.squares[k] += B.T @ B
            self.filled[k] = 0

    def sums(self) -> tuple[np.ndarray, np.ndarray]:
        d, runs = self.d, len(self.mixtures)
        total = self.total.reshape(runs, -1, self.total.shape[1])
        first, rest = total[:, :, 1 : 1 + d], total[:, :, 1 + d :]
        if self.form == "diag":
            return first, rest
        if self.form == "tied":
            return first, np.repeat(self.pooled[None], runs, axis=0)
        second = np.empty((*rest.shape[:2], d, d))
        rows, columns = np.triu_indices(d)
        second[:, :, rows, columns] = second[:, :, columns, rows] = rest
        if self.can_gather:
            self.flush(0)
            squares = self.squares.reshape(*rest.shape[:2], d + 1, d + 1)
            first, second = first + squares[..., d, :d], second + squares[..., :d, :d]
        return first, second


class About:
    """Sums about the mean of every component, from differences: right however narrow the components are."""

    def __init__(self, mixtures: Sequence[Gaussians], features: int) -> None:
        self.mixtures, self.form = mixtures, mixtures[0].form
        runs, size, d = len(mixtures), mixtures[0].size, features
        self.first = np.zeros((runs, size, d))
        shape = {"full": (runs, size, d, d), "tied": (runs, d, d), "diag": (runs, size, d)}[self.form]
        self.second = np.zeros(shape)

    def log_joint(self, Z: np.ndarray) -> np.ndarray:
        return np.concatenate([mixture.log_joint(Z) for mixture in self.mixtures])

    def add(self, rows: np.ndarray, Z: np.ndarray, shares: np.ndarray, weight: np.ndarray, held: int) -> None:
        size = self.first.shape[1]
        for run, mixture in enumerate(self.mixtures):
            for k, mean in enumerate(mixture.means):
                share = shares[run * size + k]
                away = Z - mean[:, None]
                self.first[run, k] += away @ share
                if self.form == "diag":
                    self.second[run, k] += (away * away) @ share
                    continue
                away *= np.sqrt(share)
                part = away @ away.T
                if self.form == "tied":
                    self.second[run] += part
                else:
                    self.second[run, k] += part

    def sums(self) -> tuple[np.ndarray, np.ndarray]:
        return self.first, self.second
