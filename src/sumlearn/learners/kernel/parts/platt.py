"""Probabilities from scores of rows that were left out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sparse
from sklearn.utils import check_random_state

from ....objectives.links import sigmoid
from ....statistics.warnings import warn

FOLDS = 5
STEPS = 100
ENOUGH = 1e-10  # of the slopes, as a share of the weight
SHORTEST = 1e-10


def calibrated(scores: np.ndarray, first: np.ndarray, weight: np.ndarray) -> tuple[float, float]:
    """a and b of P(first | score f) = sigmoid(a f + b), by maximum likelihood.

    The answers are not 1 and 0 but (N1 + 1) / (N1 + 2) and 1 / (N0 + 2), with the weights N1 and N0 of both classes, so
    that scores that tell them apart do not lead to certainty; a is not negative. Newton's method on a convex function.
    """
    of_first, of_second = float(weight[first].sum()), float(weight[~first].sum())
    answer = np.where(first, (of_first + 1.0) / (of_first + 2.0), 1.0 / (of_second + 2.0))
    scale = float(np.sqrt(np.average(scores**2, weights=weight))) or 1.0
    f, total = scores / scale, float(weight.sum())

    def loss(a: float, b: float) -> float:
        z = a * f + b
        return float(weight @ (np.logaddexp(0.0, z) - answer * z))

    a, b = 0.0, float(np.log((of_first + 1.0) / (of_second + 1.0)))
    value = loss(a, b)
    for _ in range(STEPS):
        p = sigmoid(a * f + b)
        slope, bend = weight * (p - answer), weight * p * (1.0 - p)
        g = np.array([slope @ f, slope.sum()])
        if np.abs(g).max() <= ENOUGH * total:
            break
        H = np.array([[bend @ f**2, bend @ f], [bend @ f, bend.sum()]]) + 1e-12 * total * np.eye(2)
        step, length = np.linalg.solve(H, -g), 1.0
        while length > SHORTEST and loss(a + length * step[0], b + length * step[1]) > value + 1e-4 * length * g @ step:
            length *= 0.5
        a, b = a + length * step[0], b + length * step[1]
        value = loss(a, b)
    if a < 0.0:  # scores that say nothing: the likeliest sigmoid that does not fall with them is flat
        return 0.0, float(np.log(weight @ answer) - np.log(weight @ (1.0 - answer)))
    return a / scale, b


def folds_of(first: np.ndarray, tokens: np.ndarray) -> np.ndarray | None:
    """A fold for every row, each with rows of both classes; None where a class has no two different rows.

    `tokens` are numbers drawn for different rows, so that copies of a row are left out together.
    """
    folds = np.empty(len(first), dtype=np.intp)
    count = min(FOLDS, *(len(np.unique(tokens[side])) for side in (first, ~first)))
    if count < 2:
        return None
    for side in (first, ~first):
        folds[side] = np.unique(tokens[side], return_inverse=True)[1].reshape(-1) % count
    return folds


def left_out_scores(
    fitted: Callable[[np.ndarray], Callable[[np.ndarray], np.ndarray]], first: np.ndarray, tokens: np.ndarray
) -> np.ndarray:
    """The score of every row by a machine that has not seen it; fitted(rows) is its scores, as a function of rows."""
    every, folds = np.arange(len(first)), folds_of(first, tokens)
    if folds is None:
        warn("probabilities are fitted on rows that were learnt from: a class has no two different rows to leave out")
        return fitted(every)(every)
    scores = np.empty(len(first))
    for fold in range(int(folds.max()) + 1):
        out = folds == fold
        scores[out] = fitted(every[~out])(every[out])
    return scores


def row_tokens(X: Any, seed: Any) -> np.ndarray:
    """A number for every different row, others for every seed: it depends on nothing but what is in the row."""
    from ....compiled.row_hash import row_hashes

    salt = np.uint64(check_random_state(0 if seed is None else seed).randint(1, 2**31 - 1))
    out = np.empty(X.shape[0], dtype=np.uint64)
    for start in range(0, X.shape[0], 1024):
        rows = X[start : start + 1024]
        rows = np.ascontiguousarray(rows.toarray() if sparse.issparse(rows) else rows) + 0.0  # no -0.0
        row_hashes(rows.view(np.uint64), out[start : start + 1024])
    return (out ^ salt) * (salt * np.uint64(2) + np.uint64(1))
