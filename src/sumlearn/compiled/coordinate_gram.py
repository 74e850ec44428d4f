"""Coordinate descent on a Gram matrix: sparse quadratic problems whose rows are gone."""

import numpy as np
from numba import njit

from .two_words import INSIDE, SETTINGS


@njit(**INSIDE)
def shrunk(r, bend, l1, nonnegative):
    """argmin_v bend v^2 / 2 - r v + l1 |v|, over v >= 0 if that is asked for."""
    if r > l1:
        return (r - l1) / bend
    if r < -l1 and not nonnegative:
        return (r + l1) / bend
    return 0.0


@njit(**SETTINGS)
def descend(G, q, w, l1, l2, nonnegative, tol, most):
    """Minimise w'Gw / 2 - c'w + sum l1 |w| + sum l2 w^2 / 2 in place, with q = c - G w kept up to date.

    A sweep over all coordinates finds which are not zero; sweeps over these alone follow until nothing moves by more
    than `tol` (a move counts as its square times the curvature, which is twice what it gains), then all are asked
    again. Coordinates without curvature stay zero. Returns the number of sweeps, and whether they came to an end.
    """
    d = len(w)
    active, before = np.empty(d, np.int64), np.empty(d)
    sweeps = 0
    while sweeps < most:
        largest = 0.0
        count = 0
        for j in range(d):
            bend = G[j, j] + l2[j]
            if not G[j, j] > 0.0:
                continue
            old = w[j]
            new = shrunk(q[j] + G[j, j] * old, bend, l1[j], nonnegative)
            if new != old:
                move = new - old
                w[j] = new
                for k in range(d):
                    q[k] -= move * G[j, k]
                largest = max(largest, move * move * bend)
            if new != 0.0:
                active[count] = j
                before[count] = new
                count += 1
        sweeps += 1
        if largest <= tol:
            return sweeps, True
        moved = True
        while moved and sweeps < most:
            largest = 0.0
            for i in range(count):
                j = active[i]
                bend = G[j, j] + l2[j]
                old = w[j]
                new = shrunk(q[j] + G[j, j] * old, bend, l1[j], nonnegative)
                if new != old:
                    move = new - old
                    w[j] = new
                    for m in range(count):
                        k = active[m]
                        q[k] -= move * G[j, k]
                    largest = max(largest, move * move * bend)
            sweeps += 1
            moved = largest > tol
        share(G, q, w, active, before, count)
    return sweeps, False


@njit(**INSIDE)
def share(G, q, w, active, before, count):
    """Bring q up to date where no active coordinate is: moves among these were told to them alone."""
    d = len(w)
    told = np.zeros(d, np.bool_)
    for i in range(count):
        told[active[i]] = True
    for i in range(count):
        j = active[i]
        move = w[j] - before[i]
        if move != 0.0:
            for k in range(d):
                if not told[k]:
                    q[k] -= move * G[j, k]
