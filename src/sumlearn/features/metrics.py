"""How far apart two rows are: distances of all pairs of rows, exact also far from zero."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
from scipy.spatial.distance import cdist

from ..data.source import numbers
from ..statistics.row_checks import dense, raise_if_not_finite
from .input_ranges import finite_numbers

PAIRS = 2**22  # differences that are held at a time


def euclidean(A: Any, B: Any = None) -> np.ndarray:
    """The length of the difference of every row of A and every row of B, or of A again.

        d(a, b) = sqrt(sum_j (a_j - b_j)^2)

    Differences are taken first: the shorter formula |a|^2 - 2 a'b + |b|^2 loses all digits far from zero.

    >>> euclidean([[1e9], [1e9 + 4.0]], [[1e9 + 1.0]]).tolist()
    [[1.0], [3.0]]
    """
    a, b = both(A, B)
    return lengths(a, b)


def mahalanobis(A: Any, B: Any = None, *, covariance: Any) -> np.ndarray:
    """The same in units of the spread in every direction.

        d(a, b) = sqrt((a - b)' S^-1 (a - b))

    Parameters
    ----------
    A, B : arrays (rows, columns)
    covariance : array (columns, columns), or anything with a `covariance`, such as `Moments` of the columns
        S, symmetric and positive definite.

    >>> import numpy as np
    >>> mahalanobis([[0.0, 0.0]], [[2.0, 0.0], [0.0, 2.0]], covariance=np.diag([4.0, 1.0])).tolist()
    [[1.0, 2.0]]
    """
    a, b = both(A, B)
    matrix = covariance.covariance() if hasattr(covariance, "covariance") else covariance
    factor = whitening(matrix, a.shape[1])
    origin = b.mean(axis=0) if len(b) else 0.0
    return lengths((a - origin) @ factor, (b - origin) @ factor)


def hamming(A: Any, B: Any = None) -> np.ndarray:
    """The share of the columns in which two rows differ: for levels, whatever their codes. A gap is a level.

    >>> hamming([[1.0, 2.0, 3.0, 4.0]], [[1.0, 2.0, 0.0, 0.0]]).tolist()
    [[0.5]]
    """
    a, b = both(A, B, gaps=True)
    found = np.empty((len(a), len(b)))
    for part in portions(a, b):
        here = a[part, None, :]
        found[part] = ((here != b) & ~(np.isnan(here) & np.isnan(b))).mean(axis=2)
    return found


def bray_curtis(A: Any, B: Any = None) -> np.ndarray:
    """The share of all amounts that differ: of rows without negative numbers that of SciPy.

        d(a, b) = sum_j |a_j - b_j| / sum_j (|a_j| + |b_j|)

    As scikit-learn's neighbours have it: from 0 to 1 whatever the signs, and 0 between two rows of zeros.

    >>> bray_curtis([[1.0, -1.0]], [[1.0, 1.0], [1.0, -1.0]]).tolist()
    [[0.5, 0.0]]
    """
    a, b = both(A, B)
    unit = max(np.abs(a).max(initial=0.0), np.abs(b).max(initial=0.0)) or 1.0
    a, b = a / unit, b / unit  # sums of large numbers stay finite
    whole = np.abs(a).sum(axis=1)[:, None] + np.abs(b).sum(axis=1)
    return cdist(a, b, "cityblock") / np.where(whole > 0, whole, 1.0)


def whitening(covariance: Any, columns: int, inverse: bool = False) -> np.ndarray:
    """W with W W' = S^-1, of S or of its inverse: |(a - b)'W| is the distance of Mahalanobis."""
    name = "the inverse covariance" if inverse else "the covariance"
    matrix = finite_numbers(covariance, name)
    if matrix.shape != (columns, columns):
        raise ValueError(f"{name} must have shape ({columns}, {columns}), got {matrix.shape}")
    if not np.allclose(matrix, matrix.T, rtol=1e-9, atol=0.0):
        raise ValueError(f"{name} is not symmetric")
    unit = np.sqrt(np.where(matrix.diagonal() > 0, matrix.diagonal(), 1.0))
    try:  # of the matrix in units of its own diagonal
        factor = scipy.linalg.cholesky((matrix + matrix.T) / 2 / unit / unit[:, None], lower=True)
    except scipy.linalg.LinAlgError:
        raise ValueError(f"{name} is not positive definite: leave out columns that follow from others") from None
    if inverse:
        return unit[:, None] * factor
    return scipy.linalg.solve_triangular(factor, np.diag(1.0 / unit), lower=True).T


def lengths(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    found = np.empty((len(a), len(b)))
    for part in portions(a, b):
        apart = a[part, None, :] - b
        found[part] = np.sqrt(np.einsum("ijk,ijk->ij", apart, apart))
    return found


def portions(a: np.ndarray, b: np.ndarray) -> Any:
    """Some rows of a at a time."""
    size = max(1, PAIRS // max(b.size, 1))
    return (slice(start, start + size) for start in range(0, len(a), size))


def both(A: Any, B: Any, gaps: bool = False) -> tuple[np.ndarray, np.ndarray]:
    a = rows_of(A, "A", gaps)
    b = a if B is None else rows_of(B, "B", gaps)
    if a.shape[1] != b.shape[1]:
        raise ValueError(f"A has {a.shape[1]} columns and B has {b.shape[1]}")
    return a, b


def rows_of(rows: Any, name: str, gaps: bool) -> np.ndarray:
    array = dense(rows) if hasattr(rows, "toarray") else np.asarray(rows)
    if array.ndim != 2:
        raise ValueError(f"{name} must be two-dimensional, got {array.ndim} dimension(s)")
    if array.dtype.kind not in "fiubO":
        raise ValueError(f"{name} must hold real numbers, got dtype {array.dtype}")
    array = numbers(array) if array.dtype == object else array.astype(np.float64)
    if not gaps:
        raise_if_not_finite(array, name)
    return array
