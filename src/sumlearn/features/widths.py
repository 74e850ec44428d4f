"""Widths of Gaussians from the distances of their centres."""

from __future__ import annotations

import numpy as np
from scipy.spatial import KDTree
from scipy.spatial.distance import cdist

from .input_ranges import learned_domain, middle_and_half

RULES = ("mean_distance", "max_distance", "spacing")


def width_by_rule(centres: np.ndarray, rule: str, neighbours: int) -> np.ndarray:
    """One width for each centre."""
    M = len(centres)
    if M < 2 or (centres == centres[0]).all():
        raise ValueError(f"width={rule!r} needs at least two different centres; give the width as a number")
    middle, half = middle_and_half(learned_domain(centres))
    unit = half.max()
    shifted = (centres - middle) / unit
    if rule == "max_distance":
        return np.full(M, unit * largest_distance(shifted) / np.sqrt(2.0 * M))
    nearest = KDTree(shifted).query(shifted, k=np.arange(2, 2 + min(neighbours, M - 1)))[0]  # the first is the centre
    if rule == "spacing":
        return np.full(M, unit * nearest[:, 0].mean())
    width = unit * nearest.mean(axis=1)
    if not (width > 0).all():
        raise ValueError(
            f"width='mean_distance' is zero at centre {int(width.argmin())}, which is there {neighbours + 1} times; "
            "give the width as a number, or different centres"
        )
    return width


def largest_distance(points: np.ndarray, block: int = 1024) -> float:
    """The largest distance of two points, a block at a time."""
    return max(float(cdist(points[i : i + block], points).max()) for i in range(0, len(points), block))
