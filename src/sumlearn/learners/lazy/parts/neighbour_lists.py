"""Lists of neighbours: who is nearest to every query, how far, and what share of them counts; and what they say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sparse

from .point_tree import ranges

TIED = 1e-12  # distances are equal if they differ by this share of them: some roundings of sums of squares
ROOM = 14  # in a list for points as near as its last
ENTRIES = 2**21  # of lists, that are held at a time
FEW_NEIGHBOURS = 8  # up to which a list is long before it has entries
ENOUGH = 1.0 - 1e-12  # of the weight asked for, so that rounding does not ask for one row more


class Lists(NamedTuple):
    """Of every query a run of entries: distances in ascending order, the numbers of the points, and their weights."""

    starts: np.ndarray
    distance: np.ndarray
    number: np.ndarray
    mass: np.ndarray

    @property
    def counts(self) -> np.ndarray:
        return np.diff(self.starts)

    @property
    def query(self) -> np.ndarray:
        """The query of every entry."""
        return np.repeat(np.arange(len(self.starts) - 1), self.counts)

    def chosen(self, kept: np.ndarray) -> Self:
        """Some of the entries."""
        counts = np.bincount(self.query[kept], minlength=len(self.starts) - 1)
        entries = (self.distance[kept], self.number[kept], self.mass[kept])
        return type(self)(np.append(0, np.cumsum(counts)), *entries)

    def of(self, queries: np.ndarray) -> Self:
        """The lists of some queries, each as often as it is asked for."""
        counts = self.counts[queries]
        taken = ranges(self.starts[:-1][queries], counts)
        return type(self)(np.append(0, np.cumsum(counts)), self.distance[taken], self.number[taken], self.mass[taken])

    def before(self) -> np.ndarray:
        """The weight of the entries of the same query that come before each."""
        total = np.cumsum(self.mass)
        begun = np.append(0.0, total)[self.starts[:-1]]
        return np.maximum(total - self.mass - np.repeat(begun, self.counts), 0.0)

    def shares(self, k: float, ties: str, before: np.ndarray | None = None) -> np.ndarray:
        """What share of every entry is among the k nearest: all that are tied, or the first until k is reached."""
        before = self.before() if before is None else before
        wanted = before < k * ENOUGH
        if ties == "first":
            return np.where(wanted, np.clip((k - before) / self.mass, 0.0, 1.0), 0.0)
        last = np.bincount(self.query[wanted], minlength=len(self.starts) - 1)  # entries wanted are a run's first
        radius = self.distance[np.maximum(self.starts[:-1] + last - 1, 0)] if len(self.distance) else np.empty(0)
        return (self.distance <= np.repeat(radius * (1.0 + TIED), self.counts)).astype(np.float64)


def lists_of(search: Any, points: np.ndarray, wanted: float, sizes: np.ndarray) -> Lists:
    """The nearest points of every query until their sizes reach what is wanted, and all at the last distance."""
    n = len(sizes)
    typical = float(np.median(sizes)) if n else 1.0
    m = int(min(n, np.ceil(wanted / min(max(typical, 1e-6), 1.0))))
    parts = list(found_with(search, points, np.arange(len(points)), wanted, sizes, m, ROOM))
    if not parts:
        return Lists(np.zeros(len(points) + 1, np.int64), np.empty(0), np.empty(0, np.int64), np.empty(0))
    queries, counts, distance, number = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    starts = np.append(0, np.cumsum(counts))
    if len(parts) > 1:
        back = np.argsort(queries, kind="stable")
        taken = ranges(starts[:-1][back], counts[back])
        starts, distance, number = np.append(0, np.cumsum(counts[back])), distance[taken], number[taken]
    return Lists(starts, distance, number, sizes[number])


def found_with(
    search: Any, points: np.ndarray, who: np.ndarray, wanted: float, sizes: np.ndarray, m: int, room: int
) -> Any:
    """(queries, counts, distances, numbers) by the m nearest and some room for those tied; by more where too few."""
    if not len(who):
        return
    room = min(room, len(sizes) - m)
    distances, numbers = search.nearest(points[who], m, room)
    reached = np.cumsum(sizes[numbers[:, :m]], axis=1) >= wanted * ENOUGH
    light = ~reached.any(axis=1) & (m < len(sizes))
    last = np.where(reached.any(axis=1), reached.argmax(axis=1), m - 1)
    limit = distances[np.arange(len(who)), last] * (1.0 + TIED)
    inside = distances <= limit[:, None]
    inside[np.isnan(limit), :m] = True
    beyond = inside[:, -1] & (m + room < len(sizes)) & ~light  # others may be as near as the last of the list
    plain = ~light & ~beyond
    yield who[plain], inside[plain].sum(axis=1), distances[plain][inside[plain]], numbers[plain][inside[plain]]
    if light.any():
        yield from found_with(search, points, who[light], wanted, sizes, min(2 * m, len(sizes)), room)
    if beyond.any() and room < search.most_room:
        yield from found_with(search, points, who[beyond], wanted, sizes, m, 8 * max(room, 1))
    elif beyond.any():
        starts, found, places = search.within(points[who[beyond]], limit[beyond])
        order = np.lexsort((places, found, np.repeat(np.arange(beyond.sum()), np.diff(starts))))
        yield who[beyond], np.diff(starts), found[order], places[order]


def among_rows(lists: Lists, order: np.ndarray, starts: np.ndarray, mass: np.ndarray, most: float) -> Lists:
    """Points in terms of the rows that lie there: the earlier row comes first, among all that are equally near.

    `order` has the rows of every point one after the other, from `starts` on; no more of one point than can count.
    """
    sizes = np.diff(starts)[lists.number]
    if (mass == 1.0).all():
        sizes = np.minimum(sizes, int(min(np.ceil(most), 2**62)))
    if (sizes == 1).all():
        rows, query, distance, ends = order[starts[lists.number]], lists.query, lists.distance, lists.starts
    else:
        rows = order[ranges(starts[:-1][lists.number], sizes)]
        query, distance = np.repeat(lists.query, sizes), np.repeat(lists.distance, sizes)
        ends = np.append(0, np.cumsum(np.bincount(query, minlength=len(lists.starts) - 1)))
    if ((np.diff(query) == 0) & (np.diff(distance) <= 0) & ((np.diff(rows) < 0) | (np.diff(distance) < 0))).any():
        by = np.lexsort((rows, distance, query))
        distance, rows = distance[by], rows[by]
    return Lists(ends, distance, rows, mass[rows])


def weights_of(weights: Any, lists: Lists, counted: np.ndarray) -> np.ndarray:
    """The weight of every entry that counts by its distance; of those at no distance alone, where there are any."""
    if weights is None or (isinstance(weights, str) and weights == "uniform"):
        return np.ones(len(lists.distance))
    if isinstance(weights, str):
        distance = np.where(counted, lists.distance, np.inf)
        nearest = np.full(len(lists.starts) - 1, np.inf)
        held = lists.counts > 0
        if held.any():
            nearest[held] = np.minimum.reduceat(distance, lists.starts[:-1][held])
        near = np.repeat(nearest, lists.counts)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(near > 0, near / distance, distance == 0.0)  # 1 / d, in the unit of the nearest
    return by_function(weights, lists, counted)


def by_function(weights: Callable[[np.ndarray], Any], lists: Lists, counted: np.ndarray) -> np.ndarray:
    """What a function of distances says, which is given an array of as many neighbours for each query."""
    kept = lists.chosen(counted)
    found = np.empty(len(kept.distance))
    for count in np.unique(kept.counts):
        rows = np.flatnonzero(kept.counts == count)
        places = kept.starts[rows][:, None] + np.arange(count)
        values = np.asarray(weights(kept.distance[places]), dtype=np.float64)
        if values.shape != places.shape:
            raise ValueError(
                f"weights must return an array of the shape that it is given, {places.shape}, got {values.shape}"
            )
        endless = np.isinf(values)  # of those at no distance, say: they alone count
        found[places] = np.where(endless.any(axis=1, keepdims=True), endless, values)
    if np.isnan(found).any() or (found < 0).any():
        raise ValueError("weights must return numbers that are not negative")
    out = np.zeros(len(lists.distance))
    out[counted] = found
    return out


def summed(lists: Lists, entry: np.ndarray, values: Any) -> np.ndarray:
    """sum over the entries of a query of a factor times the values of the point, (queries, values)."""
    shape = len(lists.starts) - 1, values.shape[0]
    found = sparse.csr_matrix((entry, lists.number, lists.starts), shape=shape) @ values
    return found.toarray() if sparse.issparse(found) else np.asarray(found)
