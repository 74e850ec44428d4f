"""Rows as a kernel wants them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sparse


@dataclass(frozen=True, eq=False)
class Coded:
    """Rows, and numbers that belong to each of them, such as its squared length.

    Attributes
    ----------
    rows : array or sparse matrix (n, columns)
    each : array (n,) or None
    """

    rows: Any
    each: np.ndarray | None = None

    def take(self, index: Any) -> Coded:
        """Some of the rows, by a slice or numbers."""
        return Coded(self.rows[index], None if self.each is None else self.each[index])

    @property
    def kind(self) -> np.dtype[Any]:
        return self.rows.dtype


@dataclass(frozen=True, eq=False)
class Together:
    """The same rows as several kernels want them."""

    parts: tuple[Any, ...]

    def take(self, index: Any) -> Together:
        """Some of the rows, by a slice or numbers."""
        return Together(tuple(part.take(index) for part in self.parts))

    @property
    def kind(self) -> np.dtype[Any]:
        return np.result_type(*(part.kind for part in self.parts))


def products(left: Any, right: Any, out: np.ndarray) -> None:
    """x'y of every pair of rows, dense or sparse."""
    if sparse.issparse(left):
        found = left @ right.T
        out[...] = found.toarray() if sparse.issparse(found) else found
    elif sparse.issparse(right):
        out[...] = (right @ left.T).T
    elif out.dtype == left.dtype == right.dtype:
        np.matmul(left, right.T, out=out)
    else:
        out[...] = left @ right.T


def squares(rows: Any) -> np.ndarray:
    """|x|^2 of every row, in float64."""
    if sparse.issparse(rows):
        return np.asarray(rows.multiply(rows).sum(axis=1), dtype=np.float64).ravel()
    return np.einsum("ij,ij->i", rows, rows, dtype=np.float64)


def dense(rows: Any) -> np.ndarray:
    return rows.toarray() if sparse.issparse(rows) else rows
