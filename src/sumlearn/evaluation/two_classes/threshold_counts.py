"""How many rows of either class score at or above each threshold."""

from __future__ import annotations

import numpy as np

from ..row_values import check_finite

FEW = 1 << 14  # rows that are sorted in a millisecond


def counted(score: np.ndarray, accepted: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Thresholds and counts: either class is sorted by itself, without its labels, and both are merged.

    Of few rows they are weights of one, which need no compiled function.
    """
    if len(score) < FEW:
        return weighed(score, accepted, np.ones(len(score)))
    from ...compiled.roc import count_above, split_scores

    rows, hits = len(score), int(np.count_nonzero(accepted))
    positive, negative = np.empty(hits + 1, score.dtype), np.empty(rows - hits + 1, score.dtype)
    split_scores(score, accepted.view(np.uint8), positive, negative)
    for values in (positive[:-1], negative[:-1]):
        values.sort()
        if not (np.isfinite(values[0]) and np.isfinite(values[-1])):  # NaN and infinity are sorted to the ends
            check_finite(score, "score")
    thresholds, tp, fp = np.empty(rows + 1, score.dtype), np.empty(rows + 1), np.empty(rows + 1)
    thresholds[0], tp[0], fp[0] = np.inf, 0.0, 0.0
    last = 1 + count_above(positive[:-1], negative[:-1], thresholds[1:], tp[1:], fp[1:])
    return thresholds[:last], tp[:last], fp[:last]


def weighed(score: np.ndarray, accepted: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Thresholds and sums of weights; a row of weight zero is absent."""
    check_finite(np.where(weight > 0, score, 0.0), "score")
    keep = np.flatnonzero(weight > 0)
    if not len(keep):
        return np.array([np.inf]), np.zeros(1), np.zeros(1)
    order = keep[np.argsort(score[keep], kind="stable")[::-1]]
    values, hits, w = score[order], accepted[order], weight[order]
    last_of_ties = np.append(np.flatnonzero(values[1:] != values[:-1]), len(values) - 1)
    tp, fp = (np.append(0.0, np.cumsum(np.where(side, w, 0.0))[last_of_ties]) for side in (hits, ~hits))
    return np.append(np.inf, values[last_of_ties]).astype(score.dtype), tp, fp
