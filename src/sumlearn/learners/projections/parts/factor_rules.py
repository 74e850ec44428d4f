"""Steps of non-negative factors, X ~ W H: W of some rows given H, and H given sums over the rows.

    |X - W H|^2 / 2 + penalties:   one sweep over the coordinates
                             or:   W <- W * X H' / (W H H'),   H <- H * W'X / (W'W H)
    d(X | W H), any beta:          W <- W * [X (W H)^(beta-2) H' / (W H)^(beta-1) H']^gamma,   H likewise

Note 003 first prints W W'C for W'W C in the denominator, which does not even have the shape; sums over the rows are all
that H needs, so rows may come in any pieces.

References: Lee & Seung, "Algorithms for non-negative matrix factorization", 2001; Cichocki & Phan, "Fast local
algorithms for large scale nonnegative matrix and tensor factorizations", 2009; Févotte & Idier, "Algorithms for
nonnegative matrix factorization with the beta-divergence", 2011.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sparse

from ....compiled.factor_steps import (
    descend_rows,
    multiply_rows,
    settle_rows,
    sparse_divergence,
    sparse_ratios,
    sparse_shares,
)
from .sums import SeveralSums, crossed, times, weighted

EPSILON = float(np.finfo(np.float32).eps)  # what stands in for zero in a denominator
TINY = float(np.finfo(np.float64).eps)
CACHED = 2**17  # numbers of a block of rows that stays in the cache between its products
CHECKED = 10  # steps after which multiplicative rules look at the divergence


class FactorPenalty(NamedTuple):
    """l1 |.|_1 + l2 |.|^2 / 2 on a factor."""

    l1: float = 0.0
    l2: float = 0.0


def blocks(X: Any) -> Iterator[tuple[slice, Any]]:
    """Rows that are multiplied together: few enough to stay in the cache, all where they are sparse."""
    if sparse.issparse(X):
        yield slice(None), X
        return
    size = max(CACHED // max(X.shape[1], 1), 64)
    for start in range(0, X.shape[0], size):
        yield slice(start, start + size), X[start : start + size]


# -- coordinate descent -----------------------------------------------------------------------------------------------


def descended(
    X: Any,
    W: np.ndarray,
    weight: np.ndarray,
    H: np.ndarray,
    inner: np.ndarray,
    penalty: FactorPenalty,
    order: np.ndarray,
) -> SeveralSums:
    """W after a sweep, and what H is to know: W'X, W'W, how far the gradient was from zero; `inner` is H H'."""
    W, Ht = W.copy(), np.ascontiguousarray(H.T)
    G, violation = ridged(inner, penalty.l2), 0.0
    cross, gram = np.zeros(H.shape), np.zeros((len(H), len(H)))
    for rows, own in blocks(X):
        part = W[rows]
        B = np.ascontiguousarray(times(own, Ht))
        violation += descend_rows(part, G, B - part.dtype.type(penalty.l1) if penalty.l1 else B, weight[rows], order)
        mine = weighted(part, weight[rows])
        cross, gram = cross + products(mine, own), gram + (mine.T @ part).astype(np.float64)
    return SeveralSums.of(weight, [W], cross, gram, violation)


def descended_parts(
    H: np.ndarray, cross: np.ndarray, gram: np.ndarray, penalty: FactorPenalty, order: np.ndarray
) -> tuple[np.ndarray, float]:
    """H after a sweep, and how far the gradient was from zero."""
    Ht, B = np.ascontiguousarray(H.T), np.ascontiguousarray(cross.T) - penalty.l1
    violation = descend_rows(Ht, ridged(gram, penalty.l2), B, np.ones(len(Ht)), order)
    return np.ascontiguousarray(Ht.T), violation


def ridged(G: np.ndarray, l2: float) -> np.ndarray:
    return G + np.eye(len(G), dtype=G.dtype) * G.dtype.type(l2) if l2 else G


def products(W: np.ndarray, X: Any) -> np.ndarray:
    """W'X as float64."""
    return crossed(X, W).T if sparse.issparse(X) else (W.T @ X).astype(np.float64, copy=False)


# -- multiplicative rules ---------------------------------------------------------------------------------------------


def exponent(beta: float) -> float:
    """The power of a step that cannot make the divergence larger (Févotte & Idier 2011)."""
    return 1.0 / (2.0 - beta) if beta < 1 else 1.0 / (beta - 1.0) if beta > 2 else 1.0


def multiplied(
    X: Any,
    W: np.ndarray,
    weight: np.ndarray,
    H: np.ndarray,
    inner: np.ndarray,
    penalty: FactorPenalty,
    beta: float,
) -> SeveralSums:
    """W after a step, and what H is to know: numerator and denominator of its own step; `inner` is H H'."""
    W = W.copy()
    if beta == 2 and sparse.issparse(X):
        below, cross = penalised(W @ inner, W, penalty), np.zeros(H.T.shape)
        Ht, floor = np.ascontiguousarray(H.T), W.dtype.type(EPSILON)
        multiply_rows(X.indptr, X.indices, X.data, W, Ht, below, weight, floor, cross)
        return SeveralSums.of(weight, [W], cross.T, weighted(W, weight).T @ W)
    above, below = np.zeros(H.shape), np.zeros((len(H), len(H)) if beta == 2 else len(H) if beta == 1 else H.shape)
    for rows, own in blocks(X):
        W[rows] = part = step_of_rows(own, W[rows], H, penalty, beta, inner)
        for total, more in zip((above, below), asked_of_parts(own, part, weight[rows], H, beta), strict=True):
            total += more
    return SeveralSums.of(weight, [W], above, below)


def step_of_rows(
    X: Any, W: np.ndarray, H: np.ndarray, penalty: FactorPenalty, beta: float, inner: np.ndarray | None = None
) -> np.ndarray:
    """W times its multipliers; squares (beta 2) ask for `inner`, H H'."""
    if beta == 2:
        above, below = times(X, H.T), W @ inner
    elif beta == 1 and sparse.issparse(X):
        above, below = np.empty_like(W), np.broadcast_to(H.sum(axis=1), W.shape)
        sparse_ratios(X.indptr, X.indices, X.data, W, np.ascontiguousarray(H.T), EPSILON, above)
    else:
        ratios, powers = of_product(X, W @ H, beta)
        above, below = ratios @ H.T, np.broadcast_to(H.sum(axis=1), W.shape) if powers is None else powers @ H.T
    W = W * multiplier(above, below, W, penalty, beta)
    if beta < 1:
        W[W < TINY] = 0.0
    return W


def of_product(X: Any, P: np.ndarray, beta: float) -> tuple[np.ndarray, np.ndarray | None]:
    """X P^(beta-2) and P^(beta-1) for P = W H; None where the second is one."""
    X = X.toarray() if sparse.issparse(X) else X
    safe = np.maximum(P, EPSILON) if beta < 2 else P
    if beta == 1:
        return X / safe, None
    ratios = X / safe**2 if beta == 0 else X * safe ** (beta - 2)
    return ratios, (safe if beta < 1 else P) ** (beta - 1)


def multiplier(
    above: np.ndarray, below: np.ndarray, factor: np.ndarray, penalty: FactorPenalty, beta: float
) -> np.ndarray:
    below = penalised(below, factor, penalty)
    found = above / np.where(below == 0, EPSILON, below)
    gamma = exponent(beta)
    return np.asarray((found if gamma == 1 else found**gamma).astype(factor.dtype, copy=False))


def penalised(below: np.ndarray, factor: np.ndarray, penalty: FactorPenalty) -> np.ndarray:
    """A denominator, with what the penalty adds to it."""
    if penalty.l1:
        below = below + penalty.l1
    return below + penalty.l2 * factor if penalty.l2 else below


def asked_of_parts(X: Any, W: np.ndarray, weight: np.ndarray, H: np.ndarray, beta: float) -> tuple[Any, Any]:
    """SeveralSums that the step of H needs: W'X and W'W; or W'(X P^(beta-2)) and W'P^(beta-1), or the sums of W."""
    mine = weighted(W, weight)
    if beta == 2:
        return products(mine, X), mine.T @ W
    if beta == 1 and sparse.issparse(X):
        above = np.zeros(H.T.shape)
        sparse_shares(X.indptr, X.indices, X.data, W, np.ascontiguousarray(H.T), weight, EPSILON, above)
        return above.T, mine.sum(axis=0)
    ratios, powers = of_product(X, W @ H, beta)
    return mine.T @ ratios, mine.sum(axis=0) if powers is None else mine.T @ powers


def multiplied_parts(
    H: np.ndarray, above: np.ndarray, below: np.ndarray, penalty: FactorPenalty, beta: float
) -> np.ndarray:
    """H after a step."""
    if beta == 1:
        below = np.broadcast_to(np.where(below == 0, 1.0, below)[:, None], H.shape)
    H = H * multiplier(above, below @ H if beta == 2 else below, H, penalty, beta)
    if beta <= 1:
        H[H < TINY] = 0.0
    return H


# -- how far the rows are ---------------------------------------------------------------------------------------------


def divergence(X: Any, W: np.ndarray, weight: np.ndarray, H: np.ndarray, beta: float) -> np.ndarray:
    """d(X | W H) of every row, times its weight; half the square where beta is 2."""
    found = [of_rows(own, W[rows], weight[rows], H, beta) for rows, own in blocks(X)]
    return np.concatenate(found) if found else np.zeros(0)


def of_rows(X: Any, W: np.ndarray, weight: np.ndarray, H: np.ndarray, beta: float) -> np.ndarray:
    if sparse.issparse(X) and beta == 2:
        squares = np.asarray(X.multiply(X).sum(axis=1)).ravel()
        return weight * (squares - 2.0 * ((X @ H.T) * W).sum(axis=1) + ((W @ (H @ H.T)) * W).sum(axis=1)) / 2.0
    if sparse.issparse(X) and beta == 1:
        out = W @ H.sum(axis=1) * weight
        sparse_divergence(X.indptr, X.indices, X.data, W, np.ascontiguousarray(H.T), weight, EPSILON, out)
        return out
    P = W @ H
    X = X.toarray() if sparse.issparse(X) else X
    if beta == 2:
        return weight * ((X - P) ** 2).sum(axis=1, dtype=np.float64) / 2.0
    seen = X > EPSILON  # the logarithm of zero is not asked for
    safe = np.where(seen, np.maximum(P, EPSILON), 1.0).astype(np.float64)
    own = np.where(seen, X, 1.0).astype(np.float64)
    if beta == 1:
        terms = own * np.log(own / safe) - np.where(seen, X, 0.0) + P
        return weight * terms.sum(axis=1)
    if beta == 0:
        return weight * (np.where(seen, own / safe - np.log(own / safe), 0.0) - 1.0).sum(axis=1)
    powers = np.where(seen, own**beta - beta * own * safe ** (beta - 1), 0.0) + (beta - 1) * np.float64(P) ** beta
    return weight * powers.sum(axis=1) / (beta * (beta - 1))


# -- rows by themselves -----------------------------------------------------------------------------------------------


def coded(X: Any, H: np.ndarray, penalty: FactorPenalty, beta: float, tol: float, most: int) -> np.ndarray:
    """W of rows given H, each of them by itself: the same whatever rows stand beside it."""
    if beta == 2:
        W, B = np.zeros((X.shape[0], len(H)), H.dtype), np.ascontiguousarray(X @ H.T) - H.dtype.type(penalty.l1)
        settle_rows(W, ridged(H @ H.T, penalty.l2), B, tol, most)
        return W
    level = np.sqrt(np.asarray(X.mean(axis=1)).ravel() / len(H))
    W = np.repeat(level[:, None], len(H), axis=1).astype(H.dtype)
    moving, ones = np.arange(X.shape[0]), np.ones(X.shape[0])
    first = before = np.sqrt(2.0 * np.maximum(divergence(X, W, ones, H, beta), 0.0))
    for step in range(1, most + 1):
        W[moving] = step_of_rows(X[moving], W[moving], H, penalty, beta)
        if step % CHECKED == 0 and tol > 0:
            after = np.sqrt(2.0 * np.maximum(divergence(X[moving], W[moving], ones[moving], H, beta), 0.0))
            on = before - after >= tol * first
            moving, before, first = moving[on], after[on], first[on]
            if not len(moving):
                break
    return W
