"""Links between scores and probabilities."""

from __future__ import annotations

import numpy as np


def log_softmax(scores: np.ndarray) -> np.ndarray:
    """a_k - ln sum_j exp a_j, row by row; a score of -inf is a probability of zero.

    >>> np.exp(log_softmax(np.array([[0.0, np.log(3.0)]]))).round(12).tolist()
    [[0.25, 0.75]]
    """
    shifted = scores - scores.max(axis=1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
