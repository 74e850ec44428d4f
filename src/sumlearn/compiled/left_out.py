"""Squared errors of rows predicted by all the others, for many models that differ in one column."""

from numba import njit

from .two_words import SETTINGS

SMALLEST = 2.0**-52  # of 1 - h: a row that decides its own prediction


@njit(**SETTINGS)
def squared_errors(W, hat, weight, c, gain, squares):
    """Add w (r / (1 - a h))^2 to squares, a = min(w, 1), for the model itself and for every neighbour j.

    W holds the residual r in its first column and the swept variables w_j behind it; a neighbour has the residual
    r - c_j w_j and the hat value h + gain_j w_j^2.
    """
    n, m = W.shape[0], len(c)
    for i in range(n):
        r, h, s = W[i, 0], hat[i], weight[i]
        a = min(s, 1.0)
        e = r / max(1.0 - a * h, SMALLEST)
        squares[0] += s * e * e
        for j in range(m):
            w = W[i, j + 1]
            e = (r - c[j] * w) / max(1.0 - a * (h + gain[j] * w * w), SMALLEST)
            squares[j + 1] += s * e * e
