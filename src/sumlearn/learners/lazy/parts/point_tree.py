"""Points laid out for finding the nearest ones: leaves of neighbours, and blocks of leaves for products."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from ....compiled import leaves as laid
from ....compiled import neighbours as kernels
from ....engines import cores, in_threads, one_blas_thread

LEAF = 192  # points of a leaf, about
BATCH = 256  # queries that one thread works on at a time
BLOCK = 2048  # points of a product, about
GROUP = 64  # products of which the least is looked at before any of them
PARTS = 8  # of all leaves, which are laid out by themselves
PROBES = 32  # queries that tell how many leaves have to be looked at
MANY = 0.4  # of all leaves: products are faster from here on
FAR = 1e15  # from the points, in their unit: products in single precision may overflow
FARTHEST = 1e150  # in their unit: squares are still numbers
FILL = np.float32(1e30)  # squared length of points that only fill a leaf or a block


class PointTree:
    """Points in a space, of which the nearest to any queries are found; exact, whatever the offset.

    >>> tree = PointTree(np.array([[0.0], [1.0], [5.0]]))
    >>> distances, numbers = tree.nearest(np.array([[4.0], [-1.0]]), 2)
    >>> distances.tolist(), numbers.tolist()
    ([[1.0, 3.0], [1.0, 2.0]], [[2, 1], [0, 1]])
    """

    most_room = 256  # for points as near as the last, before all of them are looked for

    def __init__(self, points: np.ndarray) -> None:
        d = points.shape[1]
        low, high = points.min(axis=0), points.max(axis=0)
        self.origin = 0.5 * low + 0.5 * high
        spread = float((0.5 * high - 0.5 * low).max(initial=0.0))
        self.unit = 2.0 ** int(np.frexp(min(spread, 1e308))[1]) if spread > 0 else 1.0
        self.columns, self.workers = d, cores()
        self.order, self.starts = in_leaves(points, LEAF)
        self.X = np.take(points, self.order, axis=0)
        self.X /= self.unit
        leaves = len(self.starts) - 1
        width = -(-int(np.diff(self.starts).max()) // laid.RUN) * laid.RUN
        self.centres, self.radii = np.empty((leaves, d)), np.empty(leaves)
        self.blocks = np.zeros((leaves, laid.FIVE * -(-max(d, 1) // laid.FIVE), width), np.float32)
        self.lengths, boxes = np.full((leaves, width), FILL), np.empty((leaves, 2, d))
        laid.fill_leaves(self.X, self.starts, self.centres, self.blocks, self.lengths, boxes, self.radii)
        groups = boxes.reshape(-(-leaves // kernels.GROUP), -1, 2, d)
        wider = np.stack([groups[:, :, 0].min(axis=1), groups[:, :, 1].max(axis=1)], axis=1)
        self.boxes = np.concatenate([boxes, wider])

    def __len__(self) -> int:
        return len(self.X)

    @property
    def leaves(self) -> tuple[Any, ...]:
        return self.X, self.starts, self.centres, self.blocks, self.lengths, self.boxes, self.radii

    def nearest(self, queries: np.ndarray, m: int, room: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """Distances to the m nearest points in ascending order, and the numbers of these.

        With room for more, also those that are as near as the m-th, as many as there is room for, and infinity.
        """
        Q, order = self.in_order(queries)
        squares, places = np.empty((len(Q), m + room)), np.empty((len(Q), m + room), np.int64)
        by_products = self.by_products(Q, m)

        def batch(start: int) -> None:
            part = slice(start, start + BATCH)
            some = np.ascontiguousarray(Q[part])
            near = np.abs(some).max(axis=1, initial=0.0) <= FAR + np.abs(self.origin / self.unit).max(initial=0.0)
            if by_products and near.all():
                self.scan(some, m, squares[part], places[part])
            else:
                kernels.nearest_in_tree(some, m, *self.leaves, squares[part], places[part])

        with one_blas_thread():
            in_threads(batch, range(0, len(Q), BATCH), self.workers)
        distances, numbers = np.empty_like(squares), np.empty_like(places)
        distances[order], numbers[order] = np.sqrt(squares) * self.unit, self.order[places]
        return distances, numbers

    def by_products(self, Q: np.ndarray, m: int) -> bool:
        """Whether most leaves have to be looked at, as a few queries tell."""
        leaves = len(self.starts) - 1
        if leaves < 2 or not len(Q):
            return False
        chosen = Q[len(Q) // 2 : len(Q) // 2 + PROBES]
        lists = np.empty((len(chosen), m)), np.empty((len(chosen), m), np.int64)
        visited = kernels.nearest_in_tree(np.ascontiguousarray(chosen), m, *self.leaves, *lists)
        return visited > MANY * leaves * len(chosen)

    def scan(self, Q: np.ndarray, m: int, squares: np.ndarray, places: np.ndarray) -> None:
        """The nearest points of a batch of queries, by products with blocks of points, the nearest blocks first."""
        columns, ends, centres, radii, low, high = self.products
        bounds = np.empty((len(Q), len(radii)))
        kernels.bounds_of_boxes(Q, low, high, bounds)
        squares[:], places[:] = np.inf, -1
        width = columns.shape[2]
        A, away = np.empty((len(Q), self.columns + 1), np.float32), np.empty(len(Q))
        found = np.empty((len(Q), width), np.float32)
        for b in np.argsort(bounds.min(axis=0), kind="stable"):
            who = np.flatnonzero(bounds[:, b] <= squares[:, m - 1] * kernels.TIED)
            if not len(who):
                continue
            kernels.queries_about(Q, who, centres[b], A, away)
            np.dot(A[: len(who)], columns[b], out=found[: len(who)])
            values = found[: len(who)].reshape(len(who), -1, GROUP)
            first, last = ends[b], ends[b + 1]
            kernels.scan(values, who, away, Q, self.X, first, last - first, radii[b], m, squares, places)

    @cached_property
    def products(self) -> tuple[np.ndarray, ...]:
        """Blocks of points as (x - c, |x - c|^2) in single precision, where they begin, centres, radii and boxes."""
        leaves = len(self.starts) - 1
        step = max(1, min(leaves, int(BLOCK * leaves / len(self))))
        ends = np.unique(np.append(self.starts[::step], len(self)))
        width = -(-int(np.diff(ends).max()) // GROUP) * GROUP
        blocks = len(ends) - 1
        columns = np.zeros((blocks, self.columns + 1, width), np.float32)
        columns[:, -1] = FILL
        centres, radii = np.empty((blocks, self.columns)), np.empty(blocks)
        low, high = np.empty((self.columns, blocks)), np.empty((self.columns, blocks))
        for b in range(blocks):
            points = self.X[ends[b] : ends[b + 1]]
            low[:, b], high[:, b] = points.min(axis=0), points.max(axis=0)
            centres[b] = 0.5 * (low[:, b] + high[:, b])
            about = points - centres[b]
            lengths = np.einsum("ij,ij->i", about, about)
            columns[b, :-1, : len(points)], columns[b, -1, : len(points)] = about.T, lengths
            radii[b] = np.sqrt(lengths.max())
        return columns, ends, centres, radii, low, high

    def within(self, queries: np.ndarray, radii: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """All points within a distance of each query: where those of every query begin, distances and numbers."""
        Q, order = self.in_order(queries)
        squares = np.ascontiguousarray((radii[order] / self.unit) ** 2)
        ends = np.zeros(len(Q) + 1, np.int64)
        nothing = np.empty(0), np.empty(0, np.int64)

        def batch(start: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            part = slice(start, start + BATCH)
            given = np.ascontiguousarray(Q[part]), squares[part], *self.leaves
            counts = np.zeros(len(given[0]) + 1, np.int64)
            kernels.all_within(*given, counts, *nothing)
            room = np.empty(counts[-1]), np.empty(counts[-1], np.int64)
            if counts[-1]:
                kernels.all_within(*given, counts, *room)
            return np.diff(counts), *room

        some = in_threads(batch, range(0, len(Q), BATCH), self.workers)
        counts, distances, places = (np.concatenate(arrays) for arrays in zip(*some, strict=True))
        ends[1:] = np.cumsum(counts)
        back = np.argsort(order, kind="stable")
        taken = ranges(ends[:-1][back], counts[back])
        starts = np.append(0, np.cumsum(counts[back]))
        return starts, (np.sqrt(distances) * self.unit)[taken], self.order[places[taken]]

    def in_order(self, queries: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Queries in the unit of the points, neighbours after neighbours."""
        with np.errstate(over="ignore"):
            Q = np.clip(queries / self.unit, -FARTHEST, FARTHEST)
        order, _ = in_leaves(Q, 8) if len(Q) > 8 else (np.arange(len(Q)), None)
        return np.ascontiguousarray(Q[order]), order


def in_leaves(points: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """An order in which neighbours stand together, in a power of two of leaves of about so many points."""
    leaves = 2 ** max(0, round(np.log2(max(len(points) / size, 1.0))))
    order, starts = np.arange(len(points)), np.zeros(leaves + 1, np.int64)
    starts[-1] = len(points)
    columns = np.array(points.T, order="C", dtype=np.float64)
    part = max(1, leaves // PARTS)
    laid.halve(columns, order, starts, part)
    parts = [starts[first : first + part + 1] for first in range(0, leaves, part)]
    in_threads(lambda some: laid.halve(columns, order, some, 1), parts, cores())
    return order, starts


def ranges(starts: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """start, start + 1, ... for every start, as many as it counts.

    >>> ranges(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    ends = np.cumsum(counts)
    return np.repeat(starts - (ends - counts), counts) + np.arange(ends[-1] if len(ends) else 0)
