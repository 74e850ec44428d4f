"""Links between scores, odds and probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np


def sigmoid(score: Any) -> np.ndarray:
    """1 / (1 + exp(-a)), without overflow and with full precision in both tails.

    >>> sigmoid(np.array([0.0, -800.0, 800.0])).tolist()
    [0.5, 0.0, 1.0]
    """
    score = np.asarray(score)
    e = np.exp(-np.abs(score))
    return np.where(score >= 0, 1.0, e).astype(e.dtype) / (1.0 + e)


def odds(probability: Any) -> np.ndarray:
    """p / (1 - p), for p from 0 to 1.

    >>> odds(np.array([0.75])).tolist()
    [3.0]
    """
    p = within(probability, "probability", 1.0)
    with np.errstate(divide="ignore"):
        return p / (1.0 - p)


def probability(odds: Any) -> np.ndarray:
    """o / (1 + o), the inverse of `odds`, for o from 0 to infinity.

    >>> probability(np.array([3.0, np.inf])).tolist()
    [0.75, 1.0]
    """
    o = within(odds, "odds", np.inf)
    with np.errstate(divide="ignore", over="ignore"):
        return 1.0 / (1.0 + 1.0 / o)


def within(values: Any, name: str, most: float) -> np.ndarray:
    """Numbers from 0 to `most`; the first that is none of them is refused."""
    array = np.asarray(values, dtype=float)
    outside = ~((array >= 0.0) & (array <= most)).ravel()  # NaN too
    if outside.any():
        place = int(np.argmax(outside))
        at = f" at place {place}" if array.ndim else ""
        value = np.format_float_positional(array.ravel()[place], trim="-")  # all digits: 1 + 1e-15 is outside
        raise ValueError(f"{name} must be from 0 to {most:g}, got {value}{at}")
    return array


def log_softmax(scores: Any) -> np.ndarray:
    """a_k - ln sum_j exp a_j over the last axis: of a vector, or row by row; a score of -inf is a probability of zero.

    >>> np.exp(log_softmax(np.array([[0.0, np.log(3.0)]]))).round(12).tolist()
    [[0.25, 0.75]]
    """
    scores = np.asarray(scores)
    with np.errstate(over="ignore"):  # what is so far below the largest has the probability zero
        shifted = scores - scores.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


def softmax(scores: Any) -> np.ndarray:
    """exp a_k / sum_j exp a_j over the last axis: of a vector, or row by row.

    NaN, an infinite score, and -inf for all classes have no probabilities and are refused.

    >>> softmax([0.0, np.log(3.0)]).round(12).tolist()
    [0.25, 0.75]
    >>> softmax(np.array([[0.0, np.log(3.0)]])).round(12).tolist()
    [[0.25, 0.75]]
    """
    array = np.asarray(scores, dtype=np.result_type(np.asarray(scores), np.float32))
    if not array.ndim or not array.shape[-1]:
        raise ValueError(f"scores must hold one for each class along the last axis, got shape {array.shape}")
    largest = array.max(axis=-1).ravel()  # NaN if there is one
    if not np.isfinite(largest).all():
        row = int(np.argmin(np.isfinite(largest)))
        at = f" in row {row}" if array.ndim > 1 else ""
        raise ValueError(f"scores must be finite, or -inf for some of the classes; the largest is {largest[row]}{at}")
    return np.exp(log_softmax(array))


def coupled(log_odds: np.ndarray) -> np.ndarray:
    """Scores u with u_k - u_l nearest to given pairwise log-odds R_kl = log p_k / p_l, by least squares.

        u_k = 1/K sum_l R_kl

    R is antisymmetric, (..., K, K). The solution is unique up to a constant; this one sums to zero. Its softmax gives
    the probabilities.

    >>> R = np.log(np.array([[1.0, 2.0], [0.5, 1.0]]))
    >>> softmax(coupled(R)[None]).round(12).tolist()
    [[0.666666666667, 0.333333333333]]
    """
    R = np.asarray(log_odds, dtype=float)
    if R.ndim < 2 or R.shape[-1] != R.shape[-2]:
        raise ValueError(f"log_odds must hold a square matrix for each row, got shape {R.shape}")
    if not np.isfinite(R).all():
        raise ValueError("log_odds must be finite: a probability of 0 or 1 has none")
    if not np.allclose(R, -np.swapaxes(R, -1, -2)):
        raise ValueError("log_odds must be antisymmetric: log p_k / p_l = -log p_l / p_k")
    return R.mean(axis=-1)
