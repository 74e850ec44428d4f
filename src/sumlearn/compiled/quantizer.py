"""Rows in their order, each of which draws the prototype that is nearest to it."""

import numpy as np
from numba import njit

from .centres import squared_of_row
from .two_words import SETTINGS


@njit(**SETTINGS)
def draw_nearest(X, scale, origin, weight, centres, seen, rate, decay):
    """w_c += eps (z - w_c) for the rows z = scale x - origin, in their order; centres are changed.

    The rate is rate / (1 + decay t / k) after rows of weight t; a row of weight w draws as it would w times. Returned
    are the sum of the distances before each move and the weight seen.
    """
    k, d = centres.shape
    total = 0.0
    for i in range(len(X)):
        w = weight[i] if len(weight) else 1.0
        c, nearest = 0, np.inf
        for j in range(k):
            away = squared_of_row(X, i, scale, origin, centres[j])
            if away < nearest:
                c, nearest = j, away
        total += w * np.sqrt(nearest)
        share = rate / (1.0 + decay * seen / k)
        share = share if w == 1.0 else 1.0 - (1.0 - share) ** w
        for q in range(d):
            centres[c, q] += share * ((scale * X[i, q] - origin[q]) - centres[c, q])
        seen += w
    return total, seen
