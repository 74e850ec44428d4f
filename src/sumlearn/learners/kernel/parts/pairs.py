"""Classes one against one: who votes for whom, and where the numbers of a row stand."""

from __future__ import annotations

import numpy as np


def pairs_of(classes: int) -> list[tuple[int, int]]:
    """(0, 1), (0, 2), ..., (1, 2), ...: libsvm's order."""
    return [(i, j) for i in range(classes) for j in range(i + 1, classes)]


def laid_out(numbers: list[np.ndarray], members: list[tuple[np.ndarray, np.ndarray]], code: np.ndarray) -> np.ndarray:
    """The numbers of all pairs as libsvm has them: (classes - 1, rows).

    A row of class k has one number for each other class, in their order; `members` are the rows of each pair.
    """
    classes = int(code.max()) + 1
    out = np.zeros((classes - 1, len(code)))
    for (i, j), beta, (first, second) in zip(pairs_of(classes), numbers, members, strict=True):
        out[j - 1, first], out[i, second] = beta[: len(first)], beta[len(first) :]
    return out


def by_pair(dual_coef: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """The other way round: a column of coefficients for each pair, (vectors, pairs); vectors stand class by class."""
    ends = np.concatenate([[0], np.cumsum(sizes)])
    pairs = pairs_of(len(sizes))
    out = np.zeros((dual_coef.shape[1], len(pairs)))
    for k, (i, j) in enumerate(pairs):
        first, second = slice(ends[i], ends[i + 1]), slice(ends[j], ends[j + 1])
        out[first, k], out[second, k] = dual_coef[j - 1, first], dual_coef[i, second]
    return out


def votes(scores: np.ndarray, classes: int) -> np.ndarray:
    """How many pairs each class wins: of scores above zero the first of the pair does. (rows, classes)

    >>> votes(np.array([[1.0, -1.0, 1.0]]), 3).tolist()
    [[1, 1, 1]]
    """
    out = np.zeros((len(scores), classes), dtype=np.intp)
    for k, (i, j) in enumerate(pairs_of(classes)):
        first = scores[:, k] > 0
        out[:, i] += first
        out[:, j] += ~first
    return out


def against_rest(scores: np.ndarray, classes: int) -> np.ndarray:
    """Votes, and a part of one by the sum of the scores: what decides between classes of equally many.

    >>> against_rest(np.array([[1.0, -1.0, 3.0]]), 3).round(3).tolist()
    [[1.0, 1.222, 0.778]]
    """
    out, sums = np.zeros((len(scores), classes)), np.zeros((len(scores), classes))
    for k, (i, j) in enumerate(pairs_of(classes)):
        second = scores[:, k] < 0
        out[:, i] += ~second
        out[:, j] += second
        sums[:, i] += scores[:, k]
        sums[:, j] -= scores[:, k]
    return out + sums / (3.0 * (np.abs(sums) + 1.0))
