"""What kernel methods share: the kernel that they are given, the matrix of their rows, and sums over them."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sparse

from ....data import Chunk
from ....features.kernels import Kernel, PrecomputedKernel, kernel_of


class KernelModel:
    """Parameters `kernel`, `degree`, `coef0` and `kernel_params`, as scikit-learn has them, and `gamma` with most."""

    kernel: Any
    gamma: Any = None
    degree: float
    coef0: float
    kernel_params: Any

    sparse_ok = True
    private: ClassVar[tuple[str, ...]] = ("_weight", "_penalty")

    @property
    def is_given(self) -> bool:
        """Whether X is the kernel matrix itself."""
        return is_precomputed(self.kernel)

    def named(self, kernel: Any) -> Kernel:
        """The kernel that is meant; words among its own parameters are not numbers yet."""
        if self.kernel_params is not None and not isinstance(self.kernel_params, dict):
            raise TypeError(f"kernel_params must be a dict or None, got {type(self.kernel_params).__name__}")
        return kernel_of(kernel, gamma=self.gamma, degree=self.degree, coef0=self.coef0, parameters=self.kernel_params)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.pairwise = self.is_given
        return tags


def is_precomputed(kernel: Any) -> bool:
    return isinstance(kernel, PrecomputedKernel) or (isinstance(kernel, str) and kernel == "precomputed")


NARROW = 512  # columns up to which sparse rows are multiplied faster as dense ones


def precise(rows: Any) -> Any:
    """Rows in float64: values of a kernel that are rounded to single precision are no values of a definite one.

    Narrow sparse rows become dense: the same numbers, to the bit.
    """
    if sparse.issparse(rows):
        return rows.toarray().astype(np.float64) if rows.shape[1] <= NARROW else rows.astype(np.float64)
    return np.ascontiguousarray(rows, dtype=np.float64)


def sums_at(kernel: Kernel, points: Any, X: Any, coefficients: np.ndarray) -> np.ndarray:
    """sum_i a_i k(x, x_i) of every row, in blocks; columns of `coefficients` are sums of their own."""
    if isinstance(kernel, PrecomputedKernel):
        return X @ coefficients
    return kernel.at(precise(points)).times(X, coefficients)


def dual_predictions(model: Any, X: Any) -> np.ndarray:
    """b0 + sum_i b_i k(x, x_i) of a regression that keeps its rows."""
    rows = model.rows_of(X, sparse_ok=True)
    sums = sums_at(model.kernel_, model.X_fit_, rows, model.dual_coef_)
    return (sums + model.intercept_).astype(model.float_dtype)


def own_matrix(kernel: Kernel, rows: Chunk) -> np.ndarray:
    """K of the rows that weigh something with themselves, as an array of float64 to write on."""
    X = precise(rows.X)
    if isinstance(kernel, PrecomputedKernel):
        check_symmetric(X)
    K = kernel.at(X).own()
    there = np.flatnonzero(rows.weight > 0)  # type: ignore[operator]
    if len(there) < len(K):
        K = K[np.ix_(there, there)]
    if not np.isfinite(K).all():
        i, j = there[np.argwhere(~np.isfinite(K))[0]]
        column = int(abs(X).max(axis=0).argmax())
        raise ValueError(
            f"the kernel of rows {i} and {j} is no number; the largest values are in column {column}: rescale it"
        )
    return K


def check_symmetric(K: Any) -> None:
    """Refuse a matrix that is given and is no matrix of a kernel; half of it would be looked at, and half not."""
    if K.shape[0] != K.shape[1]:
        return  # another message
    away = abs(K - K.T)
    if away.max() > 1e-6 * abs(K).max():
        i, j = np.unravel_index(int(away.argmax()), K.shape)
        raise ValueError(f"a precomputed kernel must be symmetric: rows {min(i, j)} and {max(i, j)} have two values")
