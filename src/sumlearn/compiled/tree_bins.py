"""Codes of bins for trees: one byte for every number, category or gap."""

import numpy as np
from numba import njit, uint64

from .two_words import SETTINGS

GAP = 255  # the code of a missing value
BLOCK = 512  # rows whose codes are found column by column, so that thresholds and rows stay in the cache


@njit(**SETTINGS)
def bin_codes(X, thresholds, level_bins, level_starts, out):
    """out[i, j] = how many thresholds of column j lie below X[i, j]; the bin of its level; GAP where there is none.

    Rows of `thresholds` are padded with infinity to 2^k - 1. Column j has levels if level_starts[j + 1] is larger than
    level_starts[j]: then `level_bins` has their bins from there on.
    """
    n, d = X.shape
    values, places = np.empty(BLOCK), np.empty(BLOCK, np.uint64)
    for start in range(0, n, BLOCK):
        rows = min(n - start, BLOCK)
        for j in range(d):
            levels = level_starts[j + 1] - level_starts[j]
            if levels > 0:
                for i in range(rows):
                    x = X[start + i, j]
                    known = x >= 0 and x < levels
                    out[start + i, j] = level_bins[level_starts[j] + int(x)] if known else GAP
                continue
            cuts = thresholds[j]
            for i in range(rows):
                values[i], places[i] = X[start + i, j], 0
            step = uint64((thresholds.shape[1] + 1) // 2)
            while step > 0:  # a step for all rows of the block: many searches are under way at once
                for i in range(rows):
                    places[i] += step * uint64(cuts[places[i] + step - uint64(1)] < values[i])
                step >>= uint64(1)
            for i in range(rows):
                out[start + i, j] = places[i] if values[i] == values[i] else GAP
