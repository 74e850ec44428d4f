"""Row numbers of splits."""

from numba import njit

from .two_words import SETTINGS


@njit(**SETTINGS)
def take(train, test, number, untested, fold, seen):
    """Whether train and test are all rows, each once, and no earlier split tests on these: then fold[test] = number.

    `seen` holds the number of the split, plus one, that last met a row.
    """
    rows = len(fold)
    for side in (train, test):
        for i in side:
            if i < 0 or i >= rows or seen[i] == number + 1:
                return False
            seen[i] = number + 1
    for i in test:
        if fold[i] != untested:
            return False
        fold[i] = number
    return len(train) + len(test) == rows
