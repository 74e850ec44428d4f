"""HistogramRows: the road to a tree level by level, from histograms over chunks."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from ....compiled import tree_histograms
from ....data import Chunk, Source
from ....statistics.row_checks import check_range
from ....statistics.statistic import Counted
from ...linear.parts.class_weight import class_factors
from ...passes import Passes
from ...stepwise import Stepwise
from ...validation import usable_rows
from .binning import BinEdges
from .draft import Draft, all_below, settled
from .growth import power_of_two
from .histogram_splits import BinSplits
from .settings import growth_of
from .tree import UNDEFINED, Tree

ROOM = 2**27  # bytes of histograms that are added up at a time
BITS = 61  # of a sum
PURE = 2.0**-36  # of the impurity of all rows: less may be the rounding of targets
TARGETS = 2.0**40  # units that a weighted target reaches from the centre


@dataclass(frozen=True, eq=False)
class TargetRange(Counted):
    """What is there: labels, or least and largest number; the largest weight. Nothing of it depends on an order."""

    labels: frozenset[Any]
    low: float
    high: float
    largest: float
    total: float
    count: int

    def zero(self) -> Self:
        return type(self)(frozenset(), np.inf, -np.inf, 0.0, 0.0, 0)

    def merge(self, other: Self) -> Self:
        return type(self)(
            self.labels | other.labels, min(self.low, other.low), max(self.high, other.high),
            max(self.largest, other.largest), self.total + other.total, self.count + other.count,
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class BinSums(Counted):
    """Whole-number sums of the bins of some nodes: (nodes, columns, bins, sums)."""

    bins: np.ndarray
    total: float
    count: int

    def zero(self) -> Self:
        return type(self)(np.zeros_like(self.bins), 0.0, 0)

    def merge(self, other: Self) -> Self:
        return type(self)(self.bins + other.bins, self.total + other.total, self.count + other.count)


@dataclass
class OpenNode:
    """A node while the tree grows: its sums, and how it is split."""

    sums: np.ndarray
    depth: int
    open: bool = True
    feature: int = UNDEFINED
    threshold: float = float(UNDEFINED)
    side: np.ndarray | None = None
    gap: int = 0
    branches: list[OpenNode] = field(default_factory=list)

    def nodes(self) -> list[OpenNode]:
        return all_below(self)


class Scale(NamedTuple):
    """How targets and weights become whole numbers: first in units of the largest, in which no product overflows."""

    labels: np.ndarray
    factors: np.ndarray | None
    centre: float
    weight_unit: float
    number_unit: float
    mass_unit: float
    target_unit: float
    square_unit: float

    def masses(self, chunk: Chunk, label: np.ndarray | None) -> np.ndarray:
        return np.rint(self.weights(chunk, label) / self.mass_unit).astype(np.int64)

    def weights(self, chunk: Chunk, label: np.ndarray | None = None) -> np.ndarray:
        weight = np.asarray(chunk.weight) / self.weight_unit
        return weight if self.factors is None or label is None else weight * self.factors[label]

    def numbers(self, chunk: Chunk) -> np.ndarray:
        """Targets around the centre."""
        return (np.asarray(chunk.y, dtype=np.float64) - self.centre) / self.number_unit


class Level(NamedTuple):
    """The tree so far, and what it was grown with."""

    root: OpenNode
    scale: Scale
    edges: BinEdges
    splits: BinSplits


class HistogramRows(Stepwise):
    """A pass for each level of the tree: the histograms of its open nodes are a sum over the rows."""

    reads: ClassVar[str] = "mixed"
    needs_look, limit, keeps_trace = True, None, False

    def __init__(self, model: Any) -> None:
        self.model = model

    def look(self, source: Source) -> BinEdges:
        return BinEdges.of_source(source, self.columns_.sizes, self.model.max_bins)

    def start(self, rows: Passes, look: BinEdges) -> Level:
        model, of_classes = self.model, self.model.target == "label"
        there: TargetRange = rows.total(partial(target_range, of_classes))
        check_range(there.total)
        labels = np.array(sorted(there.labels)) if of_classes else np.empty(0)
        middle = 0.0 if of_classes else 0.5 * there.low + 0.5 * there.high
        reach = 0.0 if of_classes else max(there.high - middle, middle - there.low)
        if not of_classes:
            model.check_range(there.low, there.high)
        scale = scale_of(labels, None, middle, reach, there.largest, there.count)
        sizes, classes = self.columns_.sizes, len(labels)
        if of_classes and model.class_weight is not None:
            masses = self.level_sums(rows, None, scale, look, classes).bins[0, 0].sum(axis=0)[:-1] * scale.mass_unit
            factors = class_factors(model.class_weight, labels, masses)
            assert factors is not None
            scale = scale_of(labels, factors, middle, reach, there.largest * float(factors.max()), there.count)
        sums = self.level_sums(rows, None, scale, look, classes).bins[0, 0].sum(axis=0)
        free = BinSplits(growth_of(model, there.count, 0.0, sizes, classes), classes, *scale[5:])
        mass = float(free.mass(sums))
        growth = growth_of(model, there.count, mass, sizes, classes)
        unit = scale.number_unit
        growth = replace(growth, min_impurity_decrease=growth.min_impurity_decrease / unit / unit)
        return Level(OpenNode(sums, 0), scale, look, replace(free, growth=growth))

    def step(self, state: Level, rows: Passes) -> Level:
        root: OpenNode = copy.deepcopy(state.root)
        splits, growth = state.splits, state.splits.growth
        everything = float(splits.mass(root.sums))
        waiting = [node for node in root.nodes() if node.open]
        for node in waiting:
            mass, few = float(splits.mass(node.sums)), node.sums[-1] < growth.min_samples_split
            stop = few or node.depth >= growth.max_depth or mass < 2 * growth.min_weight_leaf
            node.open = not stop and impurity_of(splits, node.sums) > PURE * impurity_of(splits, root.sums)
        waiting = [node for node in waiting if node.open]
        columns, width = len(state.edges.counts), len(root.sums)
        together = max(1, ROOM // (columns * 256 * width * 8))
        tree = tree_of(root, splits, columns)
        places = {id(node): place for place, node in enumerate(root.nodes())}
        for first in range(0, len(waiting), together):
            some = waiting[first : first + together]
            slots = np.full(len(places), -1)
            slots[[places[id(node)] for node in some]] = np.arange(len(some))
            sums = self.level_sums(rows, tree, state.scale, state.edges, splits.classes, slots, len(some))
            for node, histogram in zip(some, sums.bins, strict=True):
                grow(node, histogram, state.edges, splits, everything)
        return state._replace(root=root)

    def level_sums(
        self, rows: Passes, tree: Tree | None, scale: Scale, edges: BinEdges, classes: int,
        slots: np.ndarray | None = None, count: int = 1,
    ) -> BinSums:  # fmt: skip
        """Histograms of the nodes that have a slot; without a tree, of all rows in one."""
        return rows.total(partial(bin_sums, tree, scale, edges, classes, slots, count))

    def done(self, before: Level, after: Level) -> bool:
        return not any(node.open for node in after.root.nodes())

    def attributes(self, state: Level) -> dict[str, Any]:
        tree, scale = tree_of(state.root, state.splits, len(state.edges.counts)), state.scale
        tree = replace(tree, weighted_n_node_samples=tree.weighted_n_node_samples * scale.weight_unit)
        if not state.splits.classes:
            unit = scale.number_unit
            with np.errstate(over="ignore"):
                tree = replace(tree, value=scale.centre + tree.value * unit, impurity=tree.impurity * unit * unit)
        return self.model.described(tree, scale.labels)


def target_range(of_classes: bool, chunk: Chunk) -> TargetRange:
    rows = usable_rows(chunk, gaps=True)
    y, weight = np.asarray(rows.y), np.asarray(rows.weight)
    if y.ndim > 1 and y.shape[1] > 1:
        raise ValueError(
            f"method='histogram' learns one target, got {y.shape[1]} columns of y: take method='exact', or fit a tree "
            "for each column"
        )
    if not len(y):
        return TargetRange(frozenset(), np.inf, -np.inf, 0.0, 0.0, 0)
    with np.errstate(over="ignore"):
        whole = float(weight.sum())
    if of_classes:
        labels, low, high = frozenset(np.unique(y).tolist()), np.inf, -np.inf
    else:
        labels, low, high = frozenset(), float(y.min()), float(y.max())
    return TargetRange(labels, low, high, float(weight.max()), whole, len(y))


def scale_of(
    labels: np.ndarray, factors: np.ndarray | None, middle: float, reach: float, largest: float, count: int
) -> Scale:
    """Units of weights and targets that let no sum of so many rows overflow."""
    room = 2.0 ** (BITS - 1) / max(count, 1)
    weight_unit, number_unit = power_of_two(largest), power_of_two(reach)
    largest, reach = largest / weight_unit, reach / number_unit  # from 1 to 2, or 0
    mass_unit = power_at(largest / min(room, 2.0**52))
    most = min(room, TARGETS)
    target_unit = power_at(largest * max(reach, 1.0) / most)
    square_unit = power_at(most**2 / largest / room)
    return Scale(labels, factors, middle, weight_unit, number_unit, mass_unit, target_unit, square_unit)


def power_at(number: float) -> float:
    """The power of two at or above."""
    return 2.0 ** float(np.ceil(np.log2(number)))


def bin_sums(
    tree: Tree | None, scale: Scale, edges: BinEdges, classes: int, slots: np.ndarray | None, count: int, chunk: Chunk
) -> BinSums:
    """The histograms of a chunk."""
    rows = usable_rows(chunk, gaps=True)
    X = np.asarray(rows.X)
    sums = np.zeros((count, len(edges.counts), 256, classes + 1 if classes else 4), np.int64)
    slot = np.zeros(len(X), np.int64) if tree is None or slots is None else slots[tree.apply(X)]
    codes = edges.codes(X, 1)
    if classes:
        label = np.searchsorted(scale.labels, np.asarray(rows.y))
        tree_histograms.add_classes(codes, slot, label, scale.masses(rows, label), sums)
    else:
        y, weight = scale.numbers(rows), scale.weights(rows)
        target = np.rint(weight * y / scale.target_unit).astype(np.int64)
        square = np.rint(weight * (y / scale.target_unit) ** 2 / scale.square_unit).astype(np.int64)
        tree_histograms.add_numbers(codes, slot, scale.masses(rows, None), target, square, sums)
    return BinSums(sums, float(np.asarray(rows.weight).sum()), len(X))


def grow(node: OpenNode, histogram: np.ndarray, edges: BinEdges, splits: BinSplits, everything: float) -> None:
    """Split a node, if that is worth it."""
    node.open = False
    split = splits.best(histogram, edges)
    if split is None or split.gain / everything + 2.3e-16 < splits.growth.min_impurity_decrease:
        return
    j = split.feature
    node.feature, node.gap = j, 0 if split.gaps_left else 1
    rest = node.sums - split.sums
    if not histogram[j, 255, -1]:  # gaps and levels that nobody has seen go with most rows
        node.gap = 0 if split.sums[-1] > rest[-1] else 1
    if edges.sizes[j]:
        start, stop = edges.level_starts[j : j + 2]
        bins = edges.level_bins[start:stop].astype(np.int64)
        seen = np.append(histogram[j, : len(split.left), -1] > 0, np.zeros(256 - len(split.left), dtype=bool))
        left = np.append(split.left, np.zeros(256 - len(split.left), dtype=bool))
        node.side = np.where(seen[bins], np.where(left[bins], 0, 1), node.gap)
        node.threshold = np.nan
    else:
        node.threshold = edges.threshold(j, int(np.flatnonzero(split.left)[-1]))
        if split.left.all():
            node.threshold = np.inf
    node.branches = [OpenNode(sums, node.depth + 1) for sums in (split.sums, rest)]


def impurity_of(splits: BinSplits, sums: np.ndarray) -> float:
    """Impurity of a node."""
    if splits.classes and (sums[:-1] > 0).sum() < 2:
        return 0.0
    return float(splits.impure(sums)) / float(splits.mass(sums))


def tree_of(root: OpenNode, splits: BinSplits, features: int) -> Tree:
    """The arrays of a tree that grows, in the units of its sums."""
    nodes = root.nodes()
    drafts = {id(node): draft_of(node, splits) for node in nodes}
    for node in nodes:
        drafts[id(node)].branches = [drafts[id(child)] for child in node.branches]
    tree = settled(drafts[id(root)], features)
    if splits.classes:
        return tree
    sums = np.array([node.sums for node in nodes])
    mass = splits.mass(sums)
    means = sums[:, 1] * splits.target_unit / mass
    return replace(tree, value=means[:, None, None], weighted_n_node_samples=mass)


def draft_of(node: OpenNode, splits: BinSplits) -> Draft:
    counts = node.sums[:-1] * splits.mass_unit if splits.classes else node.sums[:1] * splits.mass_unit
    split = node.feature, node.threshold, node.side, node.gap
    return Draft(counts, float(node.sums[-1]), impurity_of(splits, node.sums), *split)
