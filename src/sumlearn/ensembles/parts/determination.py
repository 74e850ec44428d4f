"""The coefficient of determination of rows left out, for targets of any size."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import r2_score


def determination(truth: np.ndarray, answers: np.ndarray, weight: np.ndarray) -> float:
    """R^2, the mean over the columns of the targets, each in a unit in which its squares are in range.

    >>> y = np.array([1.0, 2.0, 4.0])
    >>> [round(determination(s * y, s * np.array([1.0, 2.0, 3.0]), np.ones(3)), 4) for s in (1.0, 1e-200, 1e200)]
    [0.7857, 0.7857, 0.7857]
    """
    _, unit = np.frexp(np.abs(truth).max(axis=0, initial=0.0))
    return float(r2_score(np.ldexp(truth, -unit), np.ldexp(answers, -unit), sample_weight=weight))
