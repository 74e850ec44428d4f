"""Mutual information of continuous features from the distances to their nearest neighbours."""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree
from scipy.special import digamma

from ...data import Chunk, Source
from ...data.collections import DaskSource
from ...engines.summing import summary_of_part
from ...statistics.row_checks import encode, prepare, raise_if_not_finite


def information_with_labels(x: np.ndarray, y: np.ndarray, neighbours: int) -> float:
    """I(X, Y) of a number and a label (Ross 2014).

        I = psi(N) + <psi(k)> - <psi(N_y)> - <psi(m)>

    m counts the rows of any label that are nearer than the k-th neighbour of the same label, the row itself included.
    Rows that are alone with their label are left out. The estimate is for numbers that are all different: among equal
    ones the k-th neighbour is at no distance, and m would count all of them. So they are set apart, as below.
    """
    names, codes = encode(y)
    sizes = np.bincount(codes, minlength=len(names))
    kept = sizes[codes] > 1
    x, codes = x[kept], codes[kept]
    if not len(x):
        return 0.0
    x = x if all_different(x) else apart(in_deviations(x), seed=0)
    radius, k = np.empty(len(x)), np.empty(len(x))
    for label in np.unique(codes):
        rows = np.flatnonzero(codes == label)
        nearest = min(neighbours, len(rows) - 1)
        radius[rows], k[rows] = np.nextafter(distance_to(x[rows], nearest), 0.0), nearest
    information = digamma(len(x)) + digamma(k).mean() - digamma(sizes[codes]).mean() - digamma(within(x, radius)).mean()
    return max(0.0, float(information))


def information_with_numbers(x: np.ndarray, y: np.ndarray, neighbours: int) -> float:
    """I(X, Y) of two numbers (Kraskov, Stoegbauer & Grassberger 2004, the first estimate).

        I = psi(N) + psi(k) - <psi(n_x + 1)> - <psi(n_y + 1)>

    n_x and n_y count the rows whose x, or y, is nearer than the k-th neighbour in both. The estimate is for numbers
    that are all different: equal ones are set apart, far below their spread, in an order that means nothing.
    """
    scaled = [apart(in_deviations(values), seed) for seed, values in enumerate((x, y))]
    neighbours = min(neighbours, len(x) - 1)
    if neighbours < 1:
        return 0.0
    both = np.column_stack(scaled)
    distance, _ = cKDTree(both).query(both, neighbours + 1, p=np.inf)
    radius = np.nextafter(distance[:, -1], 0.0)
    counted = sum(digamma(within(values, radius)).mean() for values in scaled)
    return max(0.0, float(digamma(len(x)) + digamma(neighbours) - counted))


def in_deviations(values: np.ndarray) -> np.ndarray:
    """About their mean, in units of their standard deviation."""
    centred = values - values.mean()
    return centred / spread if (spread := centred.std()) > 0 else centred


def apart(values: np.ndarray, seed: int) -> np.ndarray:
    """The numbers themselves if they are all different; else with noise of 1e-10 of their deviation."""
    if all_different(values):
        return values
    return values + 1e-10 * np.random.default_rng(seed).standard_normal(len(values))


def all_different(values: np.ndarray) -> bool:
    return len(np.unique(values)) == len(values)


def distance_to(x: np.ndarray, k: int) -> np.ndarray:
    """Distance of every number to its k-th nearest neighbour: the narrowest of the windows of k + 1 that hold it."""
    order = np.argsort(x, kind="stable")
    v = x[order]
    padded = np.concatenate([np.full(k, -np.inf), v, np.full(k, np.inf)])
    best = np.full(len(v), np.inf)
    for below in range(k + 1):
        low = padded[k - below : k - below + len(v)]
        high = padded[2 * k - below : 2 * k - below + len(v)]
        np.minimum(best, np.maximum(v - low, high - v), out=best)
    out = np.empty_like(best)
    out[order] = best
    return out


def within(x: np.ndarray, radius: np.ndarray) -> np.ndarray:
    """How many numbers, itself included, are within the radius of each.

    x + radius is rounded: a neighbour just outside may seem to be inside, which its distance then tells.
    """
    v = np.sort(x)
    above = np.searchsorted(v, x + radius, side="right")
    outside = v[above - 1] - x > radius
    above = np.where(outside, np.searchsorted(v, v[above - 1], side="left"), above)
    below = np.searchsorted(v, x - radius, side="left")
    outside = x - v[below] > radius
    return above - np.where(outside, np.searchsorted(v, v[below], side="right"), below)


def information(source: Source, neighbours: int, labels: bool) -> np.ndarray:
    """I(X_j, Y) of every column, from the rows of a source."""
    if isinstance(neighbours, bool) or not isinstance(neighbours, int | np.integer) or neighbours < 1:
        raise ValueError(f"n_neighbors must be a whole number from 1 up, got {neighbours!r}")
    if isinstance(source, DaskSource):  # its parts are promises
        (source,) = source.gather([np.arange(source.rows or 0)])
    chunks = [summary_of_part(checked_rows, source, part) for part in source.parts()]
    X, y = (np.concatenate(arrays) for arrays in zip(*chunks, strict=True))
    estimate = information_with_labels if labels else information_with_numbers
    if labels and len(np.unique(y)) < 2:
        raise ValueError(f"y holds one class only, {np.unique(y).tolist()}: a score needs at least 2")
    return np.array([estimate(column, y, int(neighbours)) for column in X.T])


def checked_rows(chunk: Chunk) -> tuple[np.ndarray, np.ndarray]:
    """Finite features and targets; neighbours have no weights, but a weight of one is none."""
    if chunk.weight is not None and (chunk.weight != 1.0).any():
        raise ValueError("sample_weight: neighbours are counted, not weighed; use estimator='counts' with bins")
    X, y, _ = prepare(chunk.X, chunk.y)
    assert y is not None
    raise_if_not_finite(X)
    raise_if_not_finite(y, "y")
    return X.astype(np.float64), y
