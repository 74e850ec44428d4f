"""Where neighbours are looked for: what a metric makes of rows, and who finds the nearest ones there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

from ....engines import cores, in_threads
from ....features import metrics
from ....features.input_ranges import finite_numbers, one_of
from ....features.metrics import whitening
from ....statistics import Moments
from .point_tree import PointTree
from .rows_in_order import RowsInOrder

WITH_GAPS = ("hamming", "mixed", "nan_euclidean")  # metrics of coded columns, where NaN stands for a gap
FEW_COLUMNS = 15  # up to which a tree of SciPy beats all distances
PAIRS = 2**22  # distances that a thread holds at a time
POWERS = {"manhattan": 1.0, "cityblock": 1.0, "l1": 1.0, "euclidean": 2.0, "l2": 2.0, "chebyshev": np.inf}
OWN = ("infinity", "minkowski", "mahalanobis", "seuclidean", "hamming", "mixed", *POWERS)
MOST_FLAGS = 2**12  # levels of all columns together, up to which a flag stands for each


def same(values: np.ndarray) -> np.ndarray:
    return values


class Space(NamedTuple):
    """A metric that was made ready: `map` takes rows to points, `finish` turns distances there into those asked for."""

    map: Any  # from rows, points
    search: Callable[[np.ndarray], Any]  # from points, who finds the nearest of them
    finish: Callable[[np.ndarray], np.ndarray] = same


class Linear(NamedTuple):
    """(x - origin) times a matrix, or times a number for each column: differences first, also far from zero."""

    origin: np.ndarray
    factor: np.ndarray

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        apart = rows - self.origin
        return apart @ self.factor if self.factor.ndim == 2 else apart * self.factor


def space_of(
    metric: Any, p: float, given: Mapping[str, Any] | None, rows: RowsInOrder | None, origin: np.ndarray
) -> Space:
    """The space of a metric; `rows` are those learnt, from which scales come that are not given."""
    params, columns = dict(given or {}), len(origin)
    if hasattr(metric, "pairwise"):  # a metric of scikit-learn's, made ready
        return Space(same, partial(Pairs, distances=metric.pairwise))
    if metric == "infinity":
        metric = "chebyshev"
    if metric == "minkowski" or (isinstance(metric, str) and metric in POWERS):
        power = POWERS[metric] if metric in POWERS else params.pop("p", p)
        return minkowski(float(power), params, metric, origin)
    if metric == "mahalanobis":
        return mahalanobis(params, rows, origin)
    if metric == "seuclidean":
        variance = params.pop("V", None)
        refuse_more(params, metric, ("V",))
        if variance is None:
            variance = moments_of(rows, metric, "V").deviation ** 2
        variance = vector_of(variance, "metric_params['V']", columns)
        return Space(Linear(origin, 1.0 / np.sqrt(np.where(variance > 0, variance, 1.0))), PointTree)
    if metric == "hamming":
        refuse_more(params, metric, ())
        return hamming(known(rows, metric))
    if metric == "mixed":
        refuse_more(params, metric, ())
        return mixed(known(rows, metric))
    if metric == "precomputed":
        refuse_more(params, metric, ())
        return Space(same, GivenDistances)
    if metric == "braycurtis":
        refuse_more(params, metric, ())
        return Space(same, partial(Pairs, distances=metrics.bray_curtis))
    return Space(same, partial(Pairs, distances=foreign(metric, params)))


def known(rows: RowsInOrder | None, metric: str) -> RowsInOrder:
    if rows is None:
        raise ValueError(f"metric={metric!r} takes scales and levels from all rows, which are not there beforehand")
    return rows


def refuse_more(params: Mapping[str, Any], metric: str, names: tuple[str, ...]) -> None:
    for name in params:
        taken = f"takes {', '.join(names)}" if names else "takes none"
        raise ValueError(f"metric_params has {name!r}, but metric={metric!r} {taken}")


def vector_of(values: Any, name: str, columns: int) -> np.ndarray:
    found = finite_numbers(values, name)
    if found.shape != (columns,) or (found < 0).any():
        raise ValueError(f"{name} must hold a number that is not negative for each of {columns} columns")
    return found


def moments_of(rows: RowsInOrder | None, metric: str, name: str, form: Any = "diagonal") -> Moments:
    if rows is None:
        raise ValueError(f"metric={metric!r} needs metric_params={{{name!r}: ...}} where the rows are not kept")
    return Moments.of(rows.X, None, rows.mass, form=form)


# -- numbers -----------------------------------------------------------------------------------------------------------


def minkowski(power: float, params: dict[str, Any], metric: Any, origin: np.ndarray) -> Space:
    """(sum_j w_j |a_j - b_j|^p)^(1/p), and the largest difference for infinite p."""
    weight = params.pop("w", None) if metric == "minkowski" else None
    refuse_more(params, metric, ("w", "p") if metric == "minkowski" else ())
    if not power > 0:
        raise ValueError(f"p must be positive, got {power!r}")
    search: Any = PointTree if power == 2 else partial(powers, power=power)
    if weight is None:
        return Space(same, search)
    weight = vector_of(weight, "metric_params['w']", len(origin))
    return Space(Linear(origin, weight if np.isinf(power) else weight ** (1.0 / power)), search)


def mahalanobis(params: dict[str, Any], rows: RowsInOrder | None, origin: np.ndarray) -> Space:
    """((a - b)' S^-1 (a - b))^(1/2), S given as V, its inverse as VI, or the covariance of the rows."""
    covariance, inverse = params.pop("V", None), params.pop("VI", None)
    refuse_more(params, "mahalanobis", ("V", "VI"))
    if covariance is not None and inverse is not None:
        raise ValueError("metric_params: V and VI are the inverses of each other, give one of them")
    if covariance is None and inverse is None:
        covariance = moments_of(rows, "mahalanobis", "V", "full").covariance()
    factor = whitening(covariance if inverse is None else inverse, len(origin), inverse is not None)
    return Space(Linear(origin, factor), PointTree)


def foreign(metric: Any, params: dict[str, Any]) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """All distances by a metric of scikit-learn's, or by a function of two rows."""
    from sklearn.metrics import pairwise_distances
    from sklearn.metrics.pairwise import PAIRWISE_DISTANCE_FUNCTIONS
    from sklearn.neighbors import VALID_METRICS

    if not callable(metric):
        names = sorted({*VALID_METRICS["brute"], *PAIRWISE_DISTANCE_FUNCTIONS, *OWN} - {"pyfunc"})
        one_of(metric, "metric", tuple(names))
    gaps: dict[str, Any] = {"ensure_all_finite": "allow-nan"} if metric == "nan_euclidean" else {}
    return partial(pairwise_distances, metric=metric, **gaps, **params)


# -- levels and mixed columns ------------------------------------------------------------------------------------------


def hamming(rows: RowsInOrder) -> Space:
    """The share of the columns that differ, from flags of levels: two for each column that does. A gap is a level."""
    levels = [np.unique(column) for column in rows.X.T]  # NaN comes last, and once
    if sum(map(len, levels)) > MOST_FLAGS:
        return Space(same, partial(Pairs, distances=metrics.hamming))
    flags = Flags(tuple(range(rows.features)), levels)
    return Space(flags, PointTree, partial(share_of_flags, columns=rows.features))


def share_of_flags(distances: np.ndarray, columns: int) -> np.ndarray:
    return np.round(distances**2) / (2 * columns)


def mixed(rows: RowsInOrder) -> Space:
    """d^2 = sum over numbers of (a - b)^2 / 2 s^2 + how many categories differ.

    A gap among categories is a level of its own. A number that is missing stands at the mean of its column and is 1/2
    away from any that is there: so a column counts 1 between two rows that have nothing to do with each other, whether
    it is numbers, gaps against numbers or categories of many levels.
    """
    kinds = rows.look or ((),) * rows.features
    categories = tuple(j for j, kind in enumerate(kinds) if kind[:1] == ("category",))
    places = [j for j in range(rows.features) if j not in categories]
    flags = Flags(categories, [np.unique(rows.X[:, j]) for j in categories])
    centre, scale = np.zeros(len(places)), np.ones(len(places))
    for at, j in enumerate(places):
        there = ~np.isnan(rows.X[:, j])
        if there.any():
            moments = Moments.of(rows.X[there, j : j + 1], None, rows.mass[there], form="diagonal")
            centre[at] = moments.mean[0]
            scale[at] = moments.deviation[0] if moments.deviation[0] > 0 else 1.0

    return Space(MixedPoints(places, centre, scale, flags), PointTree, half_squares)


def half_squares(distances: np.ndarray) -> np.ndarray:
    return distances * np.sqrt(0.5)


class MixedPoints(NamedTuple):
    """Numbers in deviations about their means, a flag for each gap, and the flags of categories."""

    numbers: list[int]
    centre: np.ndarray
    scale: np.ndarray
    flags: Flags

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        values = rows[:, self.numbers]
        gap = np.isnan(values)
        return np.hstack([np.where(gap, 0.0, (values - self.centre) / self.scale), gap, self.flags(rows)])


class Flags(NamedTuple):
    """A flag for each level of some columns; all that was never met, together, is as far away as other levels are."""

    columns: tuple[int, ...]
    levels: list[np.ndarray]

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        parts, unseen = [], np.zeros(len(rows))
        for j, own in zip(self.columns, self.levels, strict=True):
            values = rows[:, j]
            flags = (values[:, None] == own) | (np.isnan(values)[:, None] & np.isnan(own))
            unseen += ~flags.any(axis=1)
            parts.append(flags.astype(np.float64))
        return np.hstack([*parts, np.sqrt(unseen)[:, None]])


# -- searches without a tree of ours -----------------------------------------------------------------------------------


class Pairs:
    """The nearest points among all, by any distance of two."""

    most_room = 0

    def __init__(self, points: np.ndarray, distances: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> None:
        self.points, self.distances, self.workers = points, distances, cores()

    def __len__(self) -> int:
        return len(self.points)

    def portions(self, queries: np.ndarray) -> list[slice]:
        size = max(1, PAIRS // max(len(self), 1))
        return [slice(start, start + size) for start in range(0, len(queries), size)]

    def nearest(self, queries: np.ndarray, m: int, room: int = 0) -> tuple[np.ndarray, np.ndarray]:
        m += room

        def portion(part: slice) -> tuple[np.ndarray, np.ndarray]:
            distances = self.distances(queries[part], self.points)
            numbers = np.argpartition(distances, m - 1, axis=1)[:, :m] if m < len(self) else None
            numbers = np.tile(np.arange(len(self)), (len(distances), 1)) if numbers is None else np.sort(numbers)
            found = np.take_along_axis(distances, numbers, axis=1)
            order = np.argsort(found, axis=1, kind="stable")
            return np.take_along_axis(found, order, axis=1), np.take_along_axis(numbers, order, axis=1)

        found = in_threads(portion, self.portions(queries), self.workers)
        distances, numbers = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
        return distances, numbers

    def within(self, queries: np.ndarray, radii: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        def portion(part: slice) -> tuple[np.ndarray, ...]:
            distances = self.distances(queries[part], self.points)
            inside = distances <= radii[part, None]
            return inside.sum(axis=1), distances[inside], np.nonzero(inside)[1]

        found = in_threads(portion, self.portions(queries), self.workers)
        counts, distances, numbers = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
        return np.append(0, np.cumsum(counts)), distances, numbers


def powers(points: np.ndarray, power: float) -> Pairs | PowerTree:
    """Who finds the nearest by sums of powers of differences: a tree of SciPy where that is faster."""
    named: dict[float, dict[str, Any]] = {1.0: {"metric": "cityblock"}, np.inf: {"metric": "chebyshev"}}
    distances = partial(cdist, **named.get(power, {"metric": "minkowski", "p": power}))
    if points.shape[1] <= FEW_COLUMNS and power >= 1:
        return PowerTree(points, power)
    return Pairs(points, distances)


class PowerTree:
    """The same by the kd-tree of SciPy."""

    most_room = 0

    def __init__(self, points: np.ndarray, power: float) -> None:
        self.points, self.power, self.workers = points, power, cores()
        self.tree = cKDTree(points)

    def nearest(self, queries: np.ndarray, m: int, room: int = 0) -> tuple[np.ndarray, np.ndarray]:
        return self.tree.query(queries, np.arange(1, m + room + 1), p=self.power, workers=self.workers)

    def within(self, queries: np.ndarray, radii: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        balls = self.tree.query_ball_point(queries, radii, p=self.power, workers=self.workers)
        counts = np.array([len(ball) for ball in balls], dtype=np.int64)
        numbers = np.concatenate([np.asarray(ball, dtype=np.int64) for ball in balls])
        rows = np.repeat(np.arange(len(queries)), counts)
        distances = np.empty(len(numbers))
        for part in (slice(start, start + PAIRS) for start in range(0, len(numbers), PAIRS)):
            apart = np.abs(queries[rows[part]] - self.points[numbers[part]])
            distances[part] = np.linalg.norm(apart, self.power, axis=1)
        return np.append(0, np.cumsum(counts)), distances, numbers


class GivenDistances(Pairs):
    """Distances that are given: a query is a row of them."""

    def __init__(self, points: np.ndarray) -> None:
        super().__init__(points, first_of)


def first_of(queries: np.ndarray, points: np.ndarray) -> np.ndarray:
    return queries
