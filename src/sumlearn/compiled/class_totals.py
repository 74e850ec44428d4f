"""Sums of the columns by class, of dense and of sparse rows, and whether their numbers are counts."""

import numpy as np
from numba import njit

from .two_words import SETTINGS

BROKEN = -2  # of add_levels: a number is no category


@njit(**SETTINGS)
def add_rows(X, codes, weight, classes, sums):
    """classes[k] += w and sums[k] += w x; returns whether a number is below zero or none, and whether one is no whole.

    No weights are those of one.
    """
    d = X.shape[1]
    bad, broken = 0, 0
    for i in range(len(X)):
        row, total = X[i], sums[codes[i]]
        if len(weight):
            w = weight[i]
            for j in range(d):
                total[j] += w * row[j]
        else:
            w = 1.0
            for j in range(d):
                total[j] += row[j]
        for j in range(d):
            x = row[j]
            bad += not x >= 0.0
            broken += x != np.floor(x)
        classes[codes[i]] += w
    return bad > 0, broken > 0


@njit(**SETTINGS)
def count_rows(X, codes, weight, above, classes, sums):
    """classes[k] += w and sums[k] += w [x > above]; returns whether a number is none."""
    d = X.shape[1]
    bad = 0
    for i in range(len(X)):
        row, total = X[i], sums[codes[i]]
        w = weight[i] if len(weight) else 1.0
        for j in range(d):
            x = row[j]
            total[j] += w if x > above else 0.0
            bad += x - x != 0.0
        classes[codes[i]] += w
    return bad > 0


@njit(**SETTINGS)
def add_sparse_rows(data, indices, starts, codes, weight, classes, sums):
    """`add_rows` of compressed rows."""
    bad, broken = 0, 0
    for i in range(len(starts) - 1):
        k = codes[i]
        w = weight[i] if len(weight) else 1.0
        for p in range(starts[i], starts[i + 1]):
            x = data[p]
            sums[k, indices[p]] += w * x
            bad += not x >= 0.0
            broken += x != np.floor(x)
        classes[k] += w
    return bad > 0, broken > 0


@njit(**SETTINGS)
def add_levels(X, logs, starts, joint):
    """joint[i] += logs[starts[j] + x_ij] for all columns; returns a column with a level beyond its own, -1 if none."""
    beyond, classes = -1, np.uint64(joint.shape[1])  # places without a sign: nobody looks at the end of the table
    for i in range(np.uint64(len(X))):
        for j in range(X.shape[1]):
            x = X[i, j]
            if not x >= 0.0 or x != np.floor(x):
                return BROKEN
            if x >= starts[j + 1] - starts[j]:
                beyond = j
            else:
                place = np.uint64(starts[j] + np.int64(x))
                for k in range(classes):
                    joint[i, k] += logs[place, k]
    return beyond
