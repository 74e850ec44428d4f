"""SoftSums: moments of the rows by component, each row in all of them by its shares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ....compiled.mixture import share_out
from ....compiled.quadratic_forms import add_moments
from ....statistics.row_checks import prepare
from ....statistics.statistic import Counted
from .gaussians import DOUBTFUL, Gaussians, block_rows, forms_of, products
from .whitening import Whitening


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
    size, d, runs = mixtures[0].size, X.shape[1], len(mixtures)
    step = block_rows(d)
    summed: About | Products = About(mixtures, d) if about_means else Products(mixtures)
    values, shares = np.zeros(runs), np.zeros(runs * size)
    for start in range(0, len(X), step):
        Z = where.placed(X[start : start + step])
        w = np.ones(Z.shape[1]) if weight is None else weight[start : start + step]
        L = summed.log_joint(Z)
        share_out(L, runs, w, values, shares)
        summed.add(Z, L, w)
    first, second = summed.sums()
    total = float(len(X)) if weight is None else float(weight.sum())
    return SoftSums(values, shares.reshape(runs, size), first, second, total, len(X))


class Products:
    """Sums by products: (z, 1)'Theta_k (z, 1) are the log-densities, sum r_k (z, 1)(z, 1)' the moments.

    For "diag" and "tied" these are Theta Phi and R Phi' with Phi = (1, z, z^2), or (1, z) and what all share.
    """

    def __init__(self, mixtures: Sequence[Gaussians]) -> None:
        self.mixtures, self.form = mixtures, mixtures[0].form
        self.d = d = mixtures[0].means.shape[1]
        self.theta = np.concatenate([mixture.coefficients() for mixture in mixtures])
        self.total = np.zeros_like(self.theta)
        self.pooled = np.zeros((d, d))
        self.most = DOUBTFUL / max(max(mixture.stiffness for mixture in mixtures), 1e-300)

    def log_joint(self, Z: np.ndarray) -> np.ndarray:
        self.P, largest = products(self.form, Z)
        if largest > self.most:  # a row so far away that its products have lost the difference
            return np.concatenate([mixture.log_joint(Z) for mixture in self.mixtures])
        if self.form == "full":
            return forms_of(Z, self.theta)
        L = self.theta @ self.P
        if self.form == "tied":
            size = len(L) // len(self.mixtures)
            for run, mixture in enumerate(self.mixtures):
                L[run * size : (run + 1) * size] -= mixture.shared(Z)
        return L

    def add(self, Z: np.ndarray, shares: np.ndarray, weight: np.ndarray) -> None:
        if self.form == "full":
            add_moments(Z, shares, self.total)
            return
        self.total += shares @ self.P.T
        if self.form == "tied":
            self.pooled += (Z * weight) @ Z.T

    def sums(self) -> tuple[np.ndarray, np.ndarray]:
        d, runs = self.d, len(self.mixtures)
        if self.form == "full":
            whole = self.total.reshape(runs, -1, d + 1, d + 1)
            upper = np.triu(whole[..., :d, :d])
            return whole[..., :d, d], upper + np.triu(upper, 1).swapaxes(-1, -2)
        total = self.total.reshape(runs, -1, self.total.shape[1])
        first = total[:, :, 1 : 1 + d]
        if self.form == "tied":
            return first, np.repeat(self.pooled[None], runs, axis=0)
        return first, total[:, :, 1 + d :]


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

    def add(self, Z: np.ndarray, shares: np.ndarray, weight: np.ndarray) -> None:
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
