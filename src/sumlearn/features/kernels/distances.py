"""Kernels of other distances than Euclid's: the sum of absolute differences, chi squared."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import additive_chi2_kernel

from .coded_rows import Coded, dense
from .gamma import checked_gamma, gamma_number
from .kernel import Kernel


@dataclass(frozen=True)
class LaplacianKernel(Kernel):
    """Falls off with the sum of absolute differences.

        k(x, x') = exp(-gamma sum_j |x_j - x'_j|)

    Positive definite. Functions that it makes are continuous and have kinks, where those of the Gaussian are smooth.
    From differences, so that an offset costs no digits. Sparse rows are made dense block by block. Cost: O(n m d).

    Parameters
    ----------
    gamma : float, "spread", "scale", "auto" or None, default="auto"
        As for `GaussianKernel`.

    Examples
    --------
    >>> from sumlearn.features.kernels import LaplacianKernel
    >>> LaplacianKernel(0.5)([[0.0, 0.0]], [[1.0, -1.0]]).round(4).tolist()
    [[0.3679]]
    """

    gamma: Any = "auto"

    def __post_init__(self) -> None:
        checked_gamma(self.gamma)

    @property
    def definite(self) -> bool:
        return True

    def found(self, rows: Any, weight: np.ndarray | None) -> dict[str, Any]:
        return {"gamma": gamma_number(self.gamma, rows, weight)}

    def origin(self, rows: Any) -> None:
        return None

    def coded(self, rows: Any, origin: Any) -> Coded:
        return Coded(rows)

    def fill(self, left: Coded, right: Coded, out: np.ndarray) -> None:
        in_column_blocks(partial(cdist, metric="cityblock"), left.rows, right.rows, out)
        out *= -self.gamma
        np.exp(out, out=out)

    def diagonal_of(self, rows: Any) -> np.ndarray:
        return np.ones(rows.shape[0])


@dataclass(frozen=True)
class Chi2Kernel(Kernel):
    """For histograms and counts: falls off with their chi-squared distance.

        k(x, x') = exp(-gamma sum_j (x_j - x'_j)^2 / (x_j + x'_j)),   0 / 0 = 0

    Positive definite for columns without negative values. Cost: O(n m d).

    Parameters
    ----------
    gamma : float, "spread", "scale", "auto" or None, default=1.0
        As for `GaussianKernel`; None is one here, as in scikit-learn.

    Examples
    --------
    >>> from sumlearn.features.kernels import Chi2Kernel
    >>> Chi2Kernel()([[1.0, 0.0]], [[3.0, 0.0]]).round(4).tolist()
    [[0.3679]]
    """

    gamma: Any = 1.0

    def __post_init__(self) -> None:
        checked_gamma(self.gamma)

    @property
    def definite(self) -> bool:
        return True

    def found(self, rows: Any, weight: np.ndarray | None) -> dict[str, Any]:
        return {"gamma": 1.0 if self.gamma is None else gamma_number(self.gamma, rows, weight)}

    def origin(self, rows: Any) -> None:
        return None

    def coded(self, rows: Any, origin: Any) -> Coded:
        return Coded(not_negative(rows))

    def fill(self, left: Coded, right: Coded, out: np.ndarray) -> None:
        in_column_blocks(additive_chi2_kernel, left.rows, right.rows, out)
        out *= self.gamma
        np.exp(out, out=out)

    def diagonal_of(self, rows: Any) -> np.ndarray:
        return np.ones(rows.shape[0])


@dataclass(frozen=True)
class AdditiveChi2Kernel(Kernel):
    """Minus the chi-squared distance of histograms.

        k(x, x') = -sum_j (x_j - x'_j)^2 / (x_j + x'_j),   0 / 0 = 0

    Only conditionally positive definite, so `definite` is False: its diagonal is zero. Cost: O(n m d).

    Examples
    --------
    >>> from sumlearn.features.kernels import AdditiveChi2Kernel
    >>> AdditiveChi2Kernel()([[1.0, 0.0]], [[3.0, 0.0]]).tolist()
    [[-1.0]]
    """

    @property
    def definite(self) -> bool:
        return False

    def origin(self, rows: Any) -> None:
        return None

    def coded(self, rows: Any, origin: Any) -> Coded:
        return Coded(not_negative(rows))

    def fill(self, left: Coded, right: Coded, out: np.ndarray) -> None:
        in_column_blocks(additive_chi2_kernel, left.rows, right.rows, out)

    def diagonal_of(self, rows: Any) -> np.ndarray:
        return np.zeros(rows.shape[0])


COLUMNS = 4096  # rows of the other side that are dense at the same time


def in_column_blocks(distance: Any, left: Any, right: Any, out: np.ndarray) -> None:
    """distance(x, y) of dense rows into `out`; sparse ones are made dense a block at a time."""
    left = dense(left)
    for start in range(0, out.shape[1], COLUMNS):
        columns = slice(start, start + COLUMNS)
        out[:, columns] = distance(left, dense(right[columns]))


def not_negative(rows: Any) -> Any:
    values = rows.data if hasattr(rows, "toarray") else rows
    if (values < 0).any():
        row = int(np.argmax((dense(rows) < 0).any(axis=1)))
        raise ValueError(f"the chi-squared kernel takes no negative values, X has one at row {row}")
    return rows
