"""Where centres go, when only their number is given."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ..statistics.row_checks import available_memory
from .input_ranges import given_domain, grid_points, learned_domain, middle_and_half, quantile_points

PLACINGS = ("spread", "random", "kmeans", "quantile", "grid")
ENOUGH = 4096  # different rows among which clusters are looked for
TIED = 1e-5  # squared distances that differ by less are a tie, which the first row wins; rounding shall not decide it


def place(
    rows: np.ndarray, count: int, placing: str, domain: Any, random_state: Any, fewer: bool = False
) -> np.ndarray:
    """Centres for rows, (M, columns) in float64; with `fewer` as many as there are different rows will do."""
    if placing == "quantile":
        return combinations(quantile_points(rows, count))
    if placing == "grid":
        ranges = learned_domain(rows) if domain is None else given_domain(domain, rows.shape[1])
        return combinations(grid_points(ranges, count))
    choose = {"spread": spread_rows, "random": random_rows, "kmeans": cluster_means}[placing]
    centres = choose(rows, count, check_random_state(random_state))
    if len(centres) < count and not fewer:
        raise ValueError(
            f"centres={count} needs as many different rows, but X has {len(centres)} (n_samples = {len(rows)})"
        )
    return centres


def combinations(points: np.ndarray) -> np.ndarray:
    """All combinations of the points of every column; the last column changes fastest."""
    count, d = points.shape
    if 8 * d * count**d > available_memory():
        raise ValueError(f"centres={count} in each of {d} columns makes {count}^{d} combinations: too many to hold")
    return np.stack([axis.ravel() for axis in np.meshgrid(*points.T, indexing="ij")], axis=1)


def random_rows(rows: np.ndarray, count: int, random: np.random.RandomState) -> np.ndarray:
    """Different rows, as many as there are up to `count`."""
    order = random.permutation(len(rows))
    looked_at = count
    while True:
        first = np.unique(rows[order[:looked_at]], axis=0, return_index=True)[1]
        if len(first) >= count or looked_at >= len(rows):
            return rows[order[np.sort(first)[:count]]].astype(np.float64)
        looked_at *= 2


def spread_rows(rows: np.ndarray, count: int, random: np.random.RandomState) -> np.ndarray:
    """A random row, then always the one farthest from those chosen (Gonzalez 1985); equal rows are taken once."""
    middle, half = middle_and_half(learned_domain(rows))
    shifted = (rows - middle) / half.max()  # neither an offset nor a large unit costs digits of the distances
    chosen = [int(random.randint(len(rows)))]
    nearest = np.full(len(rows), np.inf)
    while len(chosen) < count:
        nearest = np.minimum(nearest, ((shifted - shifted[chosen[-1]]) ** 2).sum(axis=1))
        reach = nearest.max()
        if reach == 0.0:
            break
        chosen.append(int(np.argmax(nearest >= (1.0 - TIED) * reach)))
    return rows[chosen].astype(np.float64)


def cluster_means(rows: np.ndarray, count: int, random: np.random.RandomState) -> np.ndarray:
    """Means of the clusters that k-means finds among the different rows: neither order nor repetition matters."""
    from sklearn.cluster import KMeans

    different = np.unique(rows, axis=0).astype(np.float64)
    if len(different) > ENOUGH:
        different = different[random.permutation(len(different))[:ENOUGH]]
    if len(different) <= count:
        return different
    middle, half = middle_and_half(learned_domain(different))
    unit = half.max()
    shifted = (different - middle) / unit  # neither an offset nor a large unit costs digits of the distances
    found = KMeans(count, n_init=1, max_iter=100, random_state=random).fit(shifted)
    return middle + unit * found.cluster_centers_
