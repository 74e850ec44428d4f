"""Counts above every threshold, from the scores of two classes."""

from numba import njit

from .two_words import SETTINGS


@njit(**SETTINGS)
def split_scores(score, accepted, positive, negative):
    """Copy the scores of either class into its own array, each one longer than its class.

    Without a branch: every score is written to both, and only the counter of its own class moves on.
    """
    i = j = 0
    for k in range(len(score)):
        positive[i] = score[k]
        negative[j] = score[k]
        i += accepted[k]
        j += 1 - accepted[k]


@njit(**SETTINGS)
def count_above(positive, negative, threshold, tp, fp):
    """Merge two ascending arrays from the top: distinct values, and how many of either class are at or above each.

    Returns the number of distinct values.
    """
    i, j, k = len(positive) - 1, len(negative) - 1, 0
    above, wrong = 0.0, 0.0
    while i >= 0 or j >= 0:
        if j < 0 or (i >= 0 and positive[i] > negative[j]):
            value = positive[i]
        else:
            value = negative[j]
        while i >= 0 and positive[i] == value:
            above += 1.0
            i -= 1
        while j >= 0 and negative[j] == value:
            wrong += 1.0
            j -= 1
        threshold[k], tp[k], fp[k] = value, above, wrong
        k += 1
    return k


@njit(**SETTINGS)
def upper_hull(x, y, hull):
    """Indices of the corners of the upper convex hull of points with ascending x (Andrew's monotone chain).

    Points on an edge are left out. `hull` holds the indices; returns their number. Exact for whole x and y below 2^26.
    """
    size = 0
    for k in range(len(x)):
        while size >= 2:
            a, b = hull[size - 2], hull[size - 1]
            if (x[b] - x[a]) * (y[k] - y[a]) < (y[b] - y[a]) * (x[k] - x[a]):
                break
            size -= 1
        hull[size] = k
        size += 1
    return size
