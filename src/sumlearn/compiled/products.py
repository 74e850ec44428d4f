"""Products of columns, built from shorter products."""

from numba import njit

from .two_words import SETTINGS


@njit(**SETTINGS)
def fill_products(factors, factor, rest, out, first):
    """out[i, first + k] = factors[i, factor[k]] * out[i, first + rest[k]]; a rest of -1 is the empty product, one.

    Row by row, so that a row is still in the cache when its longer products are formed.
    """
    for i in range(out.shape[0]):
        for k in range(len(factor)):
            value = factors[i, factor[k]]
            if rest[k] >= 0:
                value *= out[i, first + rest[k]]
            out[i, first + k] = value
