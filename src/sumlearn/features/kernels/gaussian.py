"""The Gaussian kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sparse
from scipy.spatial.distance import cdist

from ..input_ranges import positive_numbers
from .coded_rows import Coded, dense, products, squares
from .gamma import checked_gamma, gamma_number
from .kernel import Kernel

PRECISE = {np.dtype(np.float32): 1e-5, np.dtype(np.float64): 1e-11}  # largest error of an exponent from products
COLUMNS = 1024  # whose distances are in the cache at the same time


@dataclass(frozen=True)
class GaussianKernel(Kernel):
    """The Gaussian, or radial basis function, of the distance; scikit-learn's "rbf".

        k(x, x') = exp(-gamma |x - x'|^2) = exp(-|x - x'|^2 / (2 s^2)),   gamma = 1 / (2 s^2)

    Positive definite: no two different rows have proportional features. Distances are taken by one product of rows that
    are counted from their mean, so that an offset costs no digits; and from differences where rows lie too far from it
    for the width. Cost: O(n m d).

    Parameters
    ----------
    gamma : float, "spread", "scale", "auto" or None, default="spread"
        "spread": one over the sum of the variances of the columns. "scale": 1 / (n_features variance), the variance of
        all entries about their common mean, as in scikit-learn, which an offset of one column changes. "auto" and None:
        1 / n_features. Variances are weighted. `GaussianKernel.of_width(s)` takes the s of the formula.

    Examples
    --------
    >>> from sumlearn.features.kernels import GaussianKernel
    >>> GaussianKernel.of_width(2.0)([[1e9], [1e9 + 2.0]]).round(4).tolist()
    [[1.0, 0.6065], [0.6065, 1.0]]

    References
    ----------
    Lecture note 003; Bishop, "Pattern recognition and machine learning", 2006, section 6.2.
    """

    gamma: Any = "spread"

    def __post_init__(self) -> None:
        checked_gamma(self.gamma)

    @classmethod
    def of_width(cls, width: float) -> Self:
        """The kernel of width s: gamma = 1 / (2 s^2)."""
        return cls(float(0.5 / positive_numbers(width, "width") ** 2))

    @property
    def definite(self) -> bool:
        return True

    def found(self, rows: Any, weight: np.ndarray | None) -> dict[str, Any]:
        return {"gamma": gamma_number(self.gamma, rows, weight)}

    def origin(self, rows: Any) -> Any:
        """The mean, from the first row; sparse rows are counted from zero, which they are full of."""
        if sparse.issparse(rows) or not len(rows):
            return None
        first = rows[0].astype(np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            mean = first + (rows - first).mean(axis=0)
        return np.where(np.isfinite(mean), mean, 0.0)

    def coded(self, rows: Any, origin: Any) -> Coded:
        width = np.sqrt(self.gamma)
        with np.errstate(over="ignore", invalid="ignore"):
            if origin is None:
                scaled = rows * rows.dtype.type(width)
            else:
                scaled = ((dense(rows) - origin) * width).astype(rows.dtype, copy=False)
            return Coded(scaled, squares(scaled))

    def fill(self, left: Coded, right: Coded, out: np.ndarray) -> None:
        """exp(-|x - y|^2) of rows that are counted in units of sqrt(2) s."""
        if not len(left.each) or not len(right.each):  # type: ignore[arg-type]
            return
        reach = left.each.max() + right.each.max()  # type: ignore[union-attr]
        for start in range(0, out.shape[1], COLUMNS):
            columns = slice(start, start + COLUMNS)
            exponent = out[:, columns]
            minus_distances(left, right.take(columns), reach, exponent)
            np.exp(exponent, out=exponent)

    def diagonal_of(self, rows: Any) -> np.ndarray:
        return np.ones(rows.shape[0])


def minus_distances(left: Coded, right: Coded, reach: float, out: np.ndarray) -> None:
    """-|x - y|^2, by a product where its rounding is small beside one, else from differences."""
    bound = PRECISE[out.dtype]
    if reach * np.finfo(out.dtype).eps <= bound:
        products(left.rows, right.rows, out)
        out *= 2.0
        out -= np.add.outer(left.each, right.each)  # type: ignore[arg-type]
        np.minimum(out, 0.0, out=out)
        return
    with np.errstate(over="ignore", invalid="ignore"):
        out[...] = -cdist(dense(left.rows), dense(right.rows), "sqeuclidean")
    if np.isnan(out).any():
        raise ValueError("X is too large for the kernel: a distance between rows overflows")
