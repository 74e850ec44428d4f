"""Lines under Gaussians, blended: t(x) = sum_e Phi_e(x) (level_e + slope_e'(x - anchor_e)) [/ sum_e Phi_e(x)]."""

import numpy as np
from numba import njit

from .gaussian_kernel import SETTINGS, power_of_two

FARTHEST = -1e300  # exponents end here: beyond, all Gaussians are equally far


@njit(**SETTINGS)
def exponents_of(points, start, centre, factor, out):
    """start - |f (x - mu)|^2 of some points, (columns, points)."""
    for i in range(len(out)):
        out[i] = start
    for j in range(len(centre)):
        c, f, x = centre[j], factor[j], points[j]
        for i in range(len(out)):
            away = (x[i] - c) * f
            out[i] -= away * away
    for i in range(len(out)):
        out[i] = max(out[i], FARTHEST)


@njit(**SETTINGS)
def add_line(points, weight, anchor, slope, level, line, out):
    """Add weight times level + slope'(x - anchor)."""
    for i in range(len(out)):
        line[i] = level
    for j in range(len(anchor)):
        a, s, x = anchor[j], slope[j], points[j]
        for i in range(len(out)):
            line[i] += s * (x[i] - a)
    for i in range(len(out)):
        out[i] += weight[i] * line[i]


@njit(**SETTINGS)
def blend(points, amplitudes, centres, factors, anchors, slopes, levels, normalised, out):
    """The weighted sum of the lines for every target, (targets, points); exponents and factors are in powers of two."""
    size, n = len(centres), points.shape[1]
    weights, largest, total, line = np.empty((size, n)), np.zeros(n), np.zeros(n), np.empty(n)
    out[:] = 0.0
    for e in range(size):
        exponents_of(points, amplitudes[e], centres[e], factors[e], weights[e])
    if normalised:
        for i in range(n):
            largest[i] = weights[0, i]
        for e in range(1, size):
            column = weights[e]
            for i in range(n):
                largest[i] = max(largest[i], column[i])
    for e in range(size):
        weight = weights[e]
        for i in range(n):
            weight[i] = power_of_two(weight[i] - largest[i])
            total[i] += weight[i]
        for t in range(len(out)):
            add_line(points, weight, anchors[e], slopes[e, t], levels[e, t], line, out[t])
    if normalised:
        for t in range(len(out)):
            column = out[t]
            for i in range(n):
                column[i] /= total[i]
