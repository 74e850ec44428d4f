"""Subsets of columns as rows of numbers."""

from numba import njit

from .two_words import SETTINGS


@njit(**SETTINGS)
def with_each(columns, changed, out):
    """out[i] = columns and changed[i], ascending; the columns are."""
    q = len(columns)
    for i in range(len(changed)):
        new, a = changed[i], 0
        while a < q and columns[a] < new:
            out[i, a] = columns[a]
            a += 1
        out[i, a] = new
        while a < q:
            out[i, a + 1] = columns[a]
            a += 1


@njit(**SETTINGS)
def without_each(columns, changed, out):
    """out[i] = columns without changed[i], which is one of them."""
    for i in range(len(changed)):
        a = 0
        for column in columns:
            if column != changed[i]:
                out[i, a] = column
                a += 1
