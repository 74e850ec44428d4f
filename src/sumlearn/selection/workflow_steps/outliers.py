"""Step 6: rows that lie too far from the others of their class, seen in the top-ranked columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import chi2, f

from ...features.input_ranges import is_number, whole_number
from .step import Step, listed, skipped

STEPS = 30  # of concentration, at most; a handful is the rule
ORDINARY = 0.9  # share of a class whose spread is the measure of the others; above one half for the sake of long tails


def set_aside(
    options: Any, features: np.ndarray, y: np.ndarray, task: str, order: np.ndarray, names: list[str]
) -> tuple[np.ndarray, Step]:
    """Numbers of the rows that later steps do not see; `order` ranks the columns of the table."""
    level = options.outliers
    if level is None or level is False:
        return np.zeros(0, dtype=np.intp), skipped("outliers")
    if not is_number(level) or not 0 < level < 1:
        raise ValueError(f"outliers must be a number between 0 and 1, or None; got {level!r}")
    top = order[: whole_number(options.n_top, "n_top", 1)]
    labels = task == "classification"
    seen = features[:, top] if labels else np.column_stack([features[:, top], y])
    far = outliers(seen, y if labels else np.zeros(len(y)), level)
    judged = [names[j] for j in top]
    what = f"rows {listed(far.tolist())}" if len(far) else "none"
    return far, Step("outliers", f"{what}; judged by {listed(judged)}", {"rows": far.tolist(), "columns": judged})


def outliers(rows: np.ndarray, classes: np.ndarray, level: float) -> np.ndarray:
    """Numbers of rows that would hardly occur in a Gaussian class: a chance of `level` that any such row is named.

        d^2(x) = (x - m)' C^-1 (x - m)  >  p (k^2 - 1) / (k (k - p)) F quantile (1 - level / n; p, k - p)

    for p columns and a class of k of the n rows: Hotelling's limit, which minds that m and C are estimates.
    Centre m and covariance C of a class come from the half of its rows that lie closest together (the concentration
    steps of Rousseeuw & Van Driessen 1999, from medians and deviations), then from all rows near those, so that
    outliers do not hide each other; their scale is such that nine tenths of the class lie where they do in a Gaussian
    one, so that long tails are no outliers. More than a tenth of a class is therefore not found.

    >>> rows = np.random.default_rng(0).standard_normal((100, 2))
    >>> rows[[3, 50]] = [[9.0, 9.0], [-9.0, 9.0]]
    >>> outliers(rows, np.zeros(100), 0.01).tolist()
    [3, 50]
    """
    n, p = rows.shape
    far = np.zeros(n, dtype=bool)
    for label in np.unique(classes):
        inside = np.flatnonzero(classes == label)
        k = len(inside)
        if k > 5 * p:  # of fewer rows nothing can be said
            limit = p * (k**2 - 1) / (k * (k - p)) * f.isf(level / n, p, k - p)
            far[inside] = distances(rows[inside]) > limit
    return np.flatnonzero(far)


def distances(rows: np.ndarray) -> np.ndarray:
    """Squared robust distances of the rows of a class, in units of a chi-square variable.

    Zero for all where half of the rows lie in a plane: distances from a plane have no scale.
    """
    n, d = rows.shape
    middle = np.median(rows, axis=0)
    spread = np.median(np.abs(rows - middle), axis=0)
    if not (spread > 0).all():
        return np.zeros(n)
    squares = (((rows - middle) / spread) ** 2).sum(axis=1)
    half = (n + d + 1) // 2
    core = np.zeros(0, dtype=np.intp)
    for _ in range(STEPS):
        closest = np.sort(np.argpartition(squares, half - 1)[:half])
        if np.array_equal(closest, core):
            break
        core = closest
        squares = squared_distances(rows, rows[core])
    near = scaled(squares, d) <= chi2.ppf(0.975, d)
    return scaled(squared_distances(rows, rows[near]), d)


def scaled(squares: np.ndarray, d: int) -> np.ndarray:
    """Distances whose quantile is that of a chi-square variable."""
    measure = np.quantile(squares, ORDINARY)
    return squares * (chi2.ppf(ORDINARY, d) / measure) if measure > 0 else np.zeros_like(squares)


def squared_distances(rows: np.ndarray, core: np.ndarray) -> np.ndarray:
    """Mahalanobis distances from the centre of the core; zero where its covariance is singular."""
    scatter = np.atleast_2d(np.cov(core, rowvar=False))
    scale = np.sqrt(np.diag(scatter))
    if not (scale > 0).all() or np.linalg.cond(scatter / np.outer(scale, scale)) > 1e10:
        return np.zeros(len(rows))
    away = rows - core.mean(axis=0)
    return np.einsum("ij,ij->i", away, np.linalg.solve(scatter, away.T).T)
