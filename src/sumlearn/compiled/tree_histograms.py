"""Histograms of bins: whole numbers, so that any order of rows and chunks gives the same bits."""

from numba import njit

from .two_words import SETTINGS


@njit(**SETTINGS)
def add_classes(codes, slot, label, mass, out):
    """out[slot, column, bin, class] += mass, and one more row in the last place; slot -1 is nowhere."""
    last = out.shape[3] - 1
    for i in range(len(codes)):
        s = slot[i]
        if s < 0:
            continue
        for j in range(codes.shape[1]):
            out[s, j, codes[i, j], label[i]] += mass[i]
            out[s, j, codes[i, j], last] += 1


@njit(**SETTINGS)
def add_numbers(codes, slot, mass, target, square, out):
    """out[slot, column, bin] += mass, mass times target, mass times its square, and one row."""
    for i in range(len(codes)):
        s = slot[i]
        if s < 0:
            continue
        for j in range(codes.shape[1]):
            b = codes[i, j]
            out[s, j, b, 0] += mass[i]
            out[s, j, b, 1] += target[i]
            out[s, j, b, 2] += square[i]
            out[s, j, b, 3] += 1
