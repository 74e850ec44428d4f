"""Rules: what experts say about a row, as one score for each class.

Scores come as (experts, rows, classes). Weights say how much an expert counts: twice is as good as two of them.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata

RULES = ("majority", "preference", "mean", "product", "median")
OF_PROBABILITIES = ("mean", "product", "median")
TINY = float(np.finfo(np.float64).tiny)


def votes(scores: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Votes of each class: an expert's goes to its highest score, the first of equal ones.

    >>> votes(np.array([[[0.9, 0.1]], [[0.4, 0.6]], [[0.5, 0.5]]]), np.ones(3)).tolist()
    [[2.0, 1.0]]
    """
    found = np.zeros(scores.shape[1:])
    rows = np.arange(scores.shape[1])
    for said, weight in zip(scores.argmax(axis=2), weights, strict=True):
        found[rows, said] += weight
    return found


def points(scores: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Borda's points: from each expert one for every class that it ranks below, and half of one for every equal.

    >>> points(np.array([[[0.5, 0.3, 0.2]], [[0.4, 0.4, 0.2]]]), np.ones(2)).tolist()
    [[3.5, 2.5, 0.0]]
    """
    return np.tensordot(weights, rankdata(scores, axis=2) - 1.0, axes=1)


def mean(scores: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The weighted mean of the probabilities."""
    return np.tensordot(weights / weights.sum(), scores, axes=1)


def log_product(scores: np.ndarray, weights: np.ndarray, log_priors: np.ndarray | None = None) -> np.ndarray:
    """sum_m w_m ln P_m(k | x), less (sum_m w_m - 1) ln P(k) where priors are given; zero counts as the least number.

    >>> said = np.array([[[0.8, 0.2]], [[0.6, 0.4]]])
    >>> np.exp(log_product(said, np.ones(2))).round(2).tolist()
    [[0.48, 0.08]]
    """
    logs = np.tensordot(weights, np.log(np.maximum(scores, TINY)), axes=1)
    return logs if log_priors is None else logs - (weights.sum() - 1.0) * log_priors


def median(scores: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The weighted median of each class's probabilities, the middle of both where half of the weight lies below.

    >>> median(np.array([[[0.1, 0.9]], [[0.2, 0.8]], [[0.9, 0.1]]]), np.ones(3)).tolist()
    [[0.2, 0.8]]
    """
    order = scores.argsort(axis=0, kind="stable")
    ordered = np.take_along_axis(scores, order, axis=0)
    mass, half = np.cumsum(weights[order], axis=0), weights.sum() / 2
    last, near = len(scores) - 1, 1e-12 * weights.sum()
    low = np.minimum((mass < half - near).sum(axis=0), last)
    high = np.minimum((mass <= half + near).sum(axis=0), last)
    ends = [np.take_along_axis(ordered, place[None], axis=0)[0] for place in (low, high)]
    return (ends[0] + ends[1]) / 2


def decided(scores: np.ndarray, weights: np.ndarray, rule: str, log_priors: np.ndarray | None = None) -> np.ndarray:
    """One score for each row and class, in logarithms for the product; the highest decides, the first of equal ones."""
    if rule == "product":
        return log_product(scores, weights, log_priors)
    return {"majority": votes, "preference": points, "mean": mean, "median": median}[rule](scores, weights)


def shares(scores: np.ndarray, rule: str) -> np.ndarray:
    """Scores of a rule of probabilities, as probabilities: they add up to one."""
    if rule == "product":
        scores = np.exp(scores - scores.max(axis=1, keepdims=True))
    total = scores.sum(axis=1, keepdims=True)
    return np.where(total > 0.0, scores, 1.0) / np.where(total > 0.0, total, scores.shape[1])
