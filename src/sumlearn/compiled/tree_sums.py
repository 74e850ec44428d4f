"""Sums over the rows of a node of an exact tree: masses of classes, targets around a centre, impurity, value."""

import math

import numpy as np
from numba import njit

from .tree_absolute import median_of
from .tree_scans import ABSOLUTE, ENTROPY, LOGS, POISSON, SHARES, SQUARED, clear, x_log_x
from .two_words import INSIDE


@njit(**INSIDE)
def quantum(largest, m):
    """A power of two of which m multiples, none above the largest, have a sum without rounding; and its inverse."""
    if not largest > 0:
        return 1.0, 1.0
    exponent = min(max(52 - math.ceil(math.log2(largest * m)), -1000), 1000)
    return 2.0**-exponent, 2.0**exponent


@njit(**INSIDE)
def class_sums(kind, rows, s, e, code, given, weight, weighted, totals):
    """Masses of the classes, and the impurity of their mixture."""
    clear(totals)
    if weighted:
        largest = 0.0
        for k in range(s, e):
            largest = max(largest, given[rows[k]])
        unit, inverse = quantum(largest, e - s)
        for k in range(s, e):
            weight[rows[k]] = np.rint(given[rows[k]] * inverse) * unit
    for k in range(s, e):
        totals[code[rows[k]]] += weight[rows[k]] if weighted else 1.0
    mass, classes = 0.0, 0
    for k in range(len(totals)):
        mass += totals[k]
        classes += totals[k] > 0
    impurity = 0.0 if kind == ENTROPY else 1.0
    for k in range(len(totals)):
        share = totals[k] / mass
        impurity -= x_log_x(share) if kind == ENTROPY else share * share
    return mass, max(impurity, 0.0) if classes > 1 else 0.0


@njit(**INSIDE)
def number_sums(kind, rows, s, e, y, given, weight, weighted, centre, z, totals, values, orders):
    """Sums of the targets around the centre of the node, their mean, and the impurity.

    z are weighted targets around the centre, rounded to a unit that lets their sums be exact.
    """
    m, mass, outputs, impurity = e - s, 0.0, y.shape[1], 0.0
    if weighted:
        largest = 0.0
        for k in range(s, e):
            largest = max(largest, given[rows[k]])
        unit, inverse = quantum(largest, m)
        for k in range(s, e):
            weight[rows[k]] = np.rint(given[rows[k]] * inverse) * unit
            mass += weight[rows[k]]
    else:
        mass = float(m)
    for o in range(outputs):
        if kind in (POISSON, SHARES, LOGS):
            centre[o] = 0.0
        first, same, largest = y[rows[s], o], True, 0.0
        for k in range(s, e):
            value = y[rows[k], o]
            same &= value == first
            largest = max(largest, abs((value - centre[o]) * (given[rows[k]] if weighted else 1.0)))
        unit, inverse = quantum(largest, m)
        square_unit, square_inverse = quantum(largest * largest, m)
        total, squares = 0.0, 0.0
        for k in range(s, e):
            row = rows[k]
            w = given[row] if weighted else 1.0
            apart = y[row, o] - centre[o]
            z[row, o] = np.rint(w * apart * inverse) * unit
            total += z[row, o]
            if kind == POISSON:
                squares += w * apart * math.log(apart) if apart > 0 else 0.0
            elif kind == SQUARED:
                squares += np.rint(w * apart * apart * square_inverse) * square_unit
        totals[o] = total
        values[o] = first if same else centre[o] + total / mass
        if kind == ABSOLUTE:
            values[o], spread = median_of(orders[o], s, e, y, weight, weighted, o)
            impurity += spread / mass
        elif same:
            continue
        elif kind == SHARES:
            impurity += total / mass * (1.0 - total / mass)
        elif kind == LOGS:
            impurity -= x_log_x(total / mass)
        elif kind == POISSON:
            impurity += (squares - (total * math.log(total / mass) if total > 0 else 0.0)) / mass
        else:
            impurity += max((squares - total * total / mass) / mass, 0.0)
            if impurity == 0.0:  # rounding has taken it, not the targets
                impurity = 5e-324
    return mass, impurity / outputs


@njit(**INSIDE)
def purity_before(kind, totals, mass, impurity, outputs):
    """What `purity` would give for a node that is not cut."""
    worth = 0.0
    if kind == ENTROPY:
        for k in range(len(totals)):
            worth += x_log_x(totals[k])
        return worth - x_log_x(mass)
    if kind == POISSON:
        for k in range(len(totals)):
            worth += totals[k] * math.log(totals[k] / mass) if totals[k] > 0 else 0.0
        return worth
    if kind == LOGS:
        for k in range(len(totals)):
            worth += totals[k] * math.log2(totals[k] / mass) if totals[k] > 0 else 0.0
        return worth
    if kind == ABSOLUTE:
        return impurity * mass * outputs
    for k in range(len(totals)):
        worth += totals[k] * totals[k]
    return worth / mass


@njit(**INSIDE)
def sums_of_node(kind, rows, s, e, code, weight, weighted, z, totals):
    """Totals of the classes, or of the targets around the centre."""
    clear(totals)
    for k in range(s, e):
        if kind < SQUARED:
            totals[code[rows[k]]] += weight[rows[k]] if weighted else 1.0
        else:
            for o in range(len(totals)):
                totals[o] += z[rows[k], o]


@njit(**INSIDE)
def centre_of(rows, s, e, z, weight, weighted, before, centre):
    """The mean of a part of a node, from the exact sums of the node: what later sums are taken around."""
    mass = 0.0
    for k in range(s, e):
        mass += weight[rows[k]] if weighted else 1.0
    for o in range(len(centre)):
        total = 0.0
        for k in range(s, e):
            total += z[rows[k], o]
        centre[o] = before[o] + (total / mass if mass > 0 else 0.0)


@njit(**INSIDE)
def mean_of(kind, rows, s, e, code, z, weight, weighted, centre):
    """The share of the second class, or the mean of the target."""
    mass, total = 0.0, 0.0
    for k in range(s, e):
        more = weight[rows[k]] if weighted else 1.0
        mass += more
        total += (more if code[rows[k]] == 1 else 0.0) if kind < SQUARED else z[rows[k], 0]
    return total / mass + (0.0 if kind < SQUARED else centre[0])
