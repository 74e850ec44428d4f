"""Trees on rows in memory: the buffers, one tree at a time, and the values of its leaves."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compiled.boost_growth import (
    DONE,
    FREE,
    LEAVES,
    MOST_LEAVES,
    NODES,
    PHASE,
    START,
    WANT_SLOT,
    WANT_START,
    WANT_STOP,
    grow,
)
from ...compiled.boost_histograms import TOGETHER, fill, lay_out
from ...compiled.boost_rows import leaf_places, newton_steps, pack, sums_by_place
from ...compiled.boost_splits import HIGH, LEAF_NUMBERS, LOW, SUM_G, SUM_H
from ...engines import in_threads
from ...engines.pool import cores
from .boost_plan import BoostPlan, Scales, constraints, key_of
from .boost_sums import NONE, exact_total, scale_of, whole_size, whole_times
from .boost_trees import GrownTree

FEW_SLOTS = 80  # histograms that wait where the smaller side always comes first
THREADED = 2**14  # rows from which a histogram is worth several threads
EMPTY = np.empty(0)


class RowWeights(NamedTuple):
    """How much rows count: whole weights count as so many rows, others are factors."""

    times: np.ndarray  # whole weights, or empty
    factor: np.ndarray | None  # other weights
    amount: np.ndarray  # weights as whole numbers of a unit, or empty: one for each row
    unit: float  # of amounts, for a weight of one
    total: float

    @classmethod
    def of(cls, weight: np.ndarray | None, rows: int) -> RowWeights:
        times, factor = whole_times(weight)
        if factor is None:
            return cls(times, None, times, 1.0, float(times.sum()) if len(times) else float(rows))
        total = exact_total(factor)
        unit = scale_of(total, 2.0**40)
        return cls(NONE, factor, np.rint(factor * unit).astype(np.int64), unit, total)

    def take(self, rows: np.ndarray) -> RowWeights:
        """Those of some rows."""
        if self.factor is not None:
            return self.of(self.factor[rows], len(rows))
        return self.of(self.times[rows].astype(float) if len(self.times) else None, len(rows))

    def numbers(self) -> np.ndarray | None:
        """As numbers; None where all are one."""
        return self.factor if self.factor is not None else self.times.astype(float) if len(self.times) else None

    def exact(self) -> np.ndarray | None:
        """The same in whole units, so that sums are exact in any order."""
        return self.numbers() if self.factor is None else self.amount / self.unit

    def times_slope(self, slope: np.ndarray) -> np.ndarray:
        return slope if self.factor is None else slope * self.factor

    def times_curvature(self, curvature: np.ndarray) -> np.ndarray:
        """The weight alone where there is no curvature, which then is one."""
        if self.factor is None:
            return curvature
        return self.factor * curvature if len(curvature) else self.factor


class Steps(NamedTuple):
    """Slopes and curvatures of rows at their scores, times the weights that are factors."""

    slope: np.ndarray
    curvature: np.ndarray  # empty: one for each row


class Grown(NamedTuple):
    """A tree, and which rows are in its leaves: rows[spans[l, 0] : spans[l, 1]] in the leaf at nodes[l]."""

    tree: GrownTree
    rows: np.ndarray
    spans: np.ndarray
    nodes: np.ndarray
    bounds: np.ndarray  # on the values of the leaves


class Grower:
    """Rows as codes, laid out for histograms, with room for one tree after another."""

    scales: Scales  # of the latest tree

    def __init__(
        self, codes: np.ndarray, bins: np.ndarray, category: np.ndarray, plan: BoostPlan, n_jobs: int | None
    ) -> None:
        n, d = codes.shape
        groups = (d + 7) // 8
        self.plan, self.category, self.workers = plan, category.astype(np.uint8), min(n_jobs or cores(), max(groups, 1))
        by_row, self.columns = np.zeros((n, 8 * groups), np.uint8), np.empty((d, n), np.uint8)
        lay_out(codes, by_row, self.columns)
        self.words = by_row.view(np.uint64)
        self.bins = np.asarray(bins, np.int64)
        self.usable = np.array([len(column) > 0 and (column != column[0]).any() for column in self.columns], np.uint8)
        self.directions, self.groups = constraints(plan, d)
        self.bounded = bool(self.directions.any())
        self.packed = np.empty(n, np.int64)
        self.spare = np.empty(n + 1, np.uint32)
        self.leaf_numbers = np.empty(n, np.uint16)
        self.gathered = [np.empty((groups, TOGETHER), np.uint64) for _ in range(self.workers)]
        self.values = [np.empty(TOGETHER, np.int64) for _ in range(self.workers)]
        self.pool: np.ndarray = np.zeros((0, groups, 8, 256), np.int64)

    def room(self, slots: int) -> np.ndarray:
        """Histograms for so many leaves, kept from tree to tree."""
        if len(self.pool) < slots:
            self.pool = np.zeros((slots, *self.pool.shape[1:]), np.int64)
        return self.pool

    def grow(self, steps: Steps, weights: RowWeights, tree: int, rows: np.ndarray | None = None) -> Grown:
        """A tree for these slopes, on all rows or on some of them."""
        plan, n = self.plan, len(steps.slope)
        rows = np.arange(n, dtype=np.uint32) if rows is None else rows.astype(np.uint32)
        curvature = steps.curvature if plan.newton else weights.times_curvature(EMPTY)
        flat = plan.flat
        self.scales = scales = scales_of(steps.slope, curvature, weights)
        hessian = pack(steps.slope, curvature, weights.times, scales.g, scales.h, self.packed)
        weight = weights.total
        if len(rows) < n:
            weight = float(weights.amount[rows].sum()) / weights.unit if len(weights.amount) else float(len(rows))
            hessian = int((self.packed[rows] & 0xFFFFFFFF).sum())
        largest = 0.0 if flat else largest_of(curvature, weights) * scales.h + 0.5
        amounts = 0.0 if flat else weights.unit
        numbers = plan.numbers(scales, weight, hessian, largest, amounts, self.bounded)
        limits = plan.limits(len(rows), weight, scales.h if flat else 0.0, THREADED if self.workers > 1 else 2**62)
        return self.run(rows, numbers, limits, NONE if flat else weights.amount, scales, tree)

    def places(self, grown: Grown) -> np.ndarray:
        """The number of the leaf of every row; one more than there are where the tree has not seen the row."""
        many, n = len(grown.spans), len(self.packed)
        if many >= 2**16:
            self.leaf_numbers = self.leaf_numbers.astype(np.uint32)
        if len(grown.rows) < n:
            self.leaf_numbers.fill(many)
        leaf_places(grown.rows, grown.spans, many, self.leaf_numbers)
        return self.leaf_numbers

    def run(
        self, rows: np.ndarray, numbers: np.ndarray, limits: np.ndarray, amount: np.ndarray, scales: Scales, tree: int
    ) -> Grown:
        most = int(limits[MOST_LEAVES])
        slots = max(most if self.plan.leaves is not None else min(most, FEW_SLOTS), 2)
        pool = self.room(slots)
        control = np.zeros(10, np.int64)
        control[PHASE], control[FREE] = START, slots
        free = np.arange(slots)
        leaves = np.zeros((most, LEAF_NUMBERS))
        spans, nodes, where = np.zeros((most, 2), np.int64), np.zeros(most, np.int64), np.zeros(most, np.int64)
        keys = np.full(most, key_of(self.plan, tree), np.uint64)
        active = np.ones((most, len(self.groups)), np.uint8)
        sets, waiting = np.zeros((most, 4), np.uint64), np.zeros(most, np.int64)
        links, tree_numbers = np.zeros((2 * most, 4), np.int32), np.zeros((2 * most, 3))
        tree_sets = np.zeros((2 * most, 4), np.uint64)
        while control[PHASE] != DONE:
            grow(
                self.words, self.columns, self.packed, rows, self.spare, amount, self.bins, self.category,
                self.directions, self.groups, self.usable, numbers, limits, control, pool, free, where, leaves, spans,
                nodes, keys, active, sets, waiting, links, tree_numbers, tree_sets, self.gathered[0], self.values[0],
            )  # fmt: skip
            if control[PHASE] != DONE:
                self.fill_in_threads(rows, control, pool)
        many, size = int(control[LEAVES]), int(control[NODES])
        told = tree_numbers[:size]
        told[nodes[:many], 1:] = leaves[:many, SUM_G : SUM_H + 1]
        told *= np.array((scales.h / scales.g**2, 1.0 / scales.g, 1.0 / scales.h))
        grown = GrownTree(links[:size], told, tree_sets[:size], np.zeros(size))
        return Grown(grown, rows, spans[:many], nodes[:many], leaves[:many, LOW : HIGH + 1])

    def fill_in_threads(self, rows: np.ndarray, control: np.ndarray, pool: np.ndarray) -> None:
        """A large histogram: every thread has columns of its own, so nothing is merged."""
        groups = self.words.shape[1]
        cuts = np.linspace(0, groups, self.workers + 1).astype(int)

        def some(k: int) -> None:
            fill(
                self.words, self.bins, self.packed, rows, control[WANT_START], control[WANT_STOP], cuts[k],
                cuts[k + 1], pool[control[WANT_SLOT]], self.gathered[k], self.values[k],
            )  # fmt: skip

        in_threads(some, range(self.workers), self.workers)


def scales_of(slope: np.ndarray, curvature: np.ndarray, weights: RowWeights) -> Scales:
    size = whole_size(curvature, weights.times) if len(curvature) else None
    rows = float(weights.times.sum()) if len(weights.times) else float(len(slope))
    return Scales.of(whole_size(slope, weights.times), size, rows)


def largest_of(curvature: np.ndarray, weights: RowWeights) -> float:
    """The largest Hessian of a weight of one."""
    return float((curvature if weights.factor is None else curvature / weights.factor).max(initial=0.0))


def leaf_values(
    plan: BoostPlan, grown: Grown, places: np.ndarray, steps: Steps, weights: RowWeights, scales: Scales | None
) -> np.ndarray:
    """What the leaves answer by a Newton step from sums that have all their digits, the same in any order."""
    scales = scales_of(steps.slope, steps.curvature, weights) if scales is None else scales
    many = len(grown.spans)
    sums = np.zeros((2, many + 1), np.int64)  # the last of rows that the tree has not seen
    sums_by_place(places, steps.slope, weights.times, scales.fine_g, sums[0])
    sums_by_place(places, steps.curvature, weights.times, scales.fine_h, sums[1])
    return newton_values(plan, sums[0, :many], sums[1, :many], scales, grown.bounds)


def newton_values(plan: BoostPlan, G: np.ndarray, H: np.ndarray, scales: Scales, bounds: np.ndarray) -> np.ndarray:
    """The same from the sums of slopes and curvatures, times the learning rate."""
    values = np.empty(len(G))
    newton_steps(G, H, scales.fine_g, scales.fine_h, plan.penalty, bounds, plan.rate * plan.step, values)
    return values
