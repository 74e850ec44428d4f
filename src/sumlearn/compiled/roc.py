"""Counts above every threshold, from the scores of two classes."""

import numpy as np
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


@njit(**SETTINGS)
def areas(order, last, own, weight, found):
    """Area under the ROC curve of every column of scores, ties counting half; NaN where a side has no weight.

    `order[k]` ranks the rows by ascending score, `last` says where a run of equal scores ends, `own[k]` which rows are
    positive.
    """
    for k in range(len(order)):
        pairs = positives = negatives = 0.0
        above, below = 0.0, 0.0  # weight of the positive and of the negative rows of one score
        for a in range(order.shape[1]):
            i = order[k, a]
            if own[k, i]:
                above += weight[i]
            else:
                below += weight[i]
            if last[k, a]:
                pairs += above * (negatives + 0.5 * below)
                positives += above
                negatives += below
                above = below = 0.0
        found[k] = pairs / (positives * negatives) if positives > 0 and negatives > 0 else np.nan


@njit(**SETTINGS)
def areas_of_sorted(positive, negative, found):
    """Area under the ROC curve of every row of scores, ties counting half; both classes ascend along the rows."""
    p, n = positive.shape[1], negative.shape[1]
    for k in range(len(found)):
        below = within = 0  # negatives below the positive at hand, and at or below it
        pairs = 0.0
        for i in range(p):
            value = positive[k, i]
            while below < n and negative[k, below] < value:
                below += 1
            within = max(within, below)
            while within < n and negative[k, within] <= value:
                within += 1
            pairs += below + within
        found[k] = pairs / (2.0 * p * n)
