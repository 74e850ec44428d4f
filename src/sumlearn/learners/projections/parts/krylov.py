"""Leading right singular vectors by passes over the rows, where there are too many columns to add up their products.

A block of directions Q is sent through the rows, Y = A'(A Q), a sum over the rows; what is new in Y is the next block.
The best directions lie in the span of all blocks (Rayleigh and Ritz), which is far closer to the singular vectors than
the last block alone. Nothing as long as the rows is kept.

References: Musco & Musco, "Randomized block Krylov methods for stronger and faster approximate singular value
decomposition", 2015; Halko, Martinsson & Tropp, "Finding structure with randomness", 2011; Golub & Van Loan, "Matrix
computations", 2013, sec. 10.3 (block Lanczos).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ....data import Chunk
from ....statistics.row_checks import raise_if_not_finite
from .sums import SeveralSums, column_moments, crossed, floating_rows, times, weighted

CLEAN = 1e-2  # share of the longest of some directions from which on two projections leave none of the others


class Krylov(NamedTuple):
    """Orthonormal directions K, the products T = K'A'A K of those that were sent through the rows, and the next."""

    directions: np.ndarray  # (features, sent + next)
    products: np.ndarray  # (sent, sent)
    values: np.ndarray  # Ritz values, largest first
    turn: np.ndarray  # Ritz vectors, in the coordinates of those that were sent
    misfit: np.ndarray  # |A'A v - value v| of each of them
    passes: int
    columns: Any = None  # diagonal moments of the columns, of the first pass

    @property
    def sent(self) -> int:
        return len(self.products)

    def axes(self, many: int) -> np.ndarray:
        """The leading Ritz vectors as columns."""
        return self.directions[:, : self.sent] @ self.turn[:, :many]


def first_block(features: int, size: int, rng: Any) -> Krylov:
    """Random directions to begin with."""
    drawn = np.linalg.qr(rng.standard_normal((features, min(size, features))))[0]
    none = np.zeros(0)
    return Krylov(drawn, np.zeros((0, 0)), none, np.zeros((0, 0)), none, 0)


def image(directions: np.ndarray, first: bool, chunk: Chunk, span: slice) -> SeveralSums:
    """A'(A Q) of some rows, each times the root of its weight; with the moments of the columns, the first time."""
    X, _, weight, _ = floating_rows(chunk)
    assert weight is not None
    Q = np.ascontiguousarray(directions, dtype=X.dtype)
    with np.errstate(over="ignore", invalid="ignore"):
        Y = crossed(X, weighted(times(X, Q), weight))
    if not np.isfinite(Y.sum()):
        raise_if_not_finite(X.toarray() if hasattr(X, "toarray") else X)
        raise ValueError("X is so large that its squares overflow: rescale it")
    return SeveralSums.of(weight, Y, column_moments(X, weight)) if first else SeveralSums.of(weight, Y)


def grown(before: Krylov, sums: SeveralSums, most: int, fine: float) -> Krylov:
    """The next state, from the image of the directions that were next.

    What is below the share `fine` of the largest eigenvalue is rounding. Beyond `most` directions the best third stays.
    """
    Y, sent = sums.parts[0], before.sent
    columns = sums.parts[1] if len(sums.parts) > 1 else before.columns
    K = before.directions
    inner = K.T @ Y
    T = np.zeros((K.shape[1], K.shape[1]))
    T[:sent, :sent] = before.products
    T[:, sent:], T[sent:, :] = inner, inner.T
    T[sent:, sent:] = (inner[sent:] + inner[sent:].T) / 2.0
    values, turn = np.linalg.eigh(T)
    values, turn = values[::-1], turn[:, ::-1]
    rest = Y - K @ inner
    rest -= K @ (K.T @ rest)
    Q, R = np.linalg.qr(rest)
    left, sizes, _ = np.linalg.svd(R)
    kept = sizes > fine * max(values[0], 0.0)
    Q, misfit = Q @ left[:, kept], np.linalg.norm(R @ turn[sent:], axis=0)
    if kept.any() and sizes[kept][-1] < CLEAN * sizes[0]:  # short ones are not yet free of the rest
        Q -= K @ (K.T @ Q)
    K = np.hstack([K, Q])
    if T.shape[0] + Q.shape[1] > most:  # go on from the best of them
        keep = most // 3
        K = np.hstack([K[:, : len(T)] @ turn[:, :keep], K[:, len(T) :]])
        T, values, turn, misfit = np.diag(values[:keep]), values[:keep], np.eye(keep), misfit[:keep]
    return Krylov(K, T, values, turn, misfit, before.passes + 1, columns)
