"""What blocks of rows are asked in a round of boosting: sizes of slopes, histograms, sums of leaves, residuals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...compiled.boost_histograms import add_rows
from ...compiled.boost_rows import EXPONENTS, land, pack, sums_by_place
from .boost_blocks import BoostBlock, Tallies
from .boost_growing import EMPTY
from .boost_plan import BoostPlan, Scales
from .boost_sums import size_table
from .boost_trees import BoostedTrees


@dataclass(frozen=True)
class BoostRound:
    """What blocks must know of a round: the trees before it, and how its slopes are rounded."""

    plan: BoostPlan
    model: BoostedTrees
    number: int
    scales: tuple[Scales, ...] = ()

    def steps(self, block: BoostBlock) -> tuple[np.ndarray, list[np.ndarray]]:
        """Slopes and curvatures times the weights that are factors."""
        slopes, curvatures = self.plan.loss.terms(block.rows.y, block.scored(self.model))
        weights = block.weights
        return weights.times_slope(slopes), [weights.times_curvature(curvature) for curvature in curvatures]

    def packed(self, block: BoostBlock) -> list[np.ndarray]:
        """Packed slopes for each output; the block keeps them for the round."""
        if block.packed is None or block.packed[0] != self.number:
            slopes, curvatures = self.steps(block)
            own = []
            for slope, curvature, scales in zip(slopes, curvatures, self.scales, strict=True):
                used = curvature if self.plan.newton else block.weights.times_curvature(EMPTY)
                own.append(np.empty(len(slope), np.int64))
                pack(slope, used, block.weights.times, scales.g, scales.h, own[-1])
            block.packed = self.number, own
        return block.packed[1]


def first_look(round_: BoostRound, block: BoostBlock) -> Tallies:
    """Sizes of slopes and curvatures, and the losses, learnt and held back, before the round."""
    weights = block.weights
    slopes, curvatures = round_.steps(block)
    tables = np.zeros((len(slopes), 2, EXPONENTS), np.int64)
    for k, (slope, curvature) in enumerate(zip(slopes, curvatures, strict=True)):
        tables[k, 0] = size_table(slope, weights.times)
        if len(curvature):
            tables[k, 1] = size_table(curvature, weights.times)
    bare = size_table(weights.factor) if weights.factor is not None else np.zeros(EXPONENTS, np.int64)
    losses = [loss_sum(round_, one) for one in (block, block.held) if one is not None]
    return Tallies.of(len(block.rows.y), tables, bare, np.array(losses))


def loss_sum(round_: BoostRound, block: BoostBlock) -> tuple[float, float]:
    """Sum of the losses of rows, and their weight."""
    values = round_.plan.loss.value(block.rows.y, block.scored(round_.model))
    weight = block.weights.numbers()
    return (
        (float(values.sum()), float(len(values))) if weight is None else (float(weight @ values), float(weight.sum()))
    )


def histograms(
    round_: BoostRound, partial_trees: BoostedTrees, slots: list[np.ndarray], counted: bool, block: BoostBlock
) -> Tallies:
    """Histograms of the nodes that are wanted: slots[k][node of tree k] is the place of its histogram, or -1."""
    d = block.rows.codes.shape[1]
    many = sum(int((own >= 0).sum()) for own in slots)
    sums = np.zeros((many, (d + 7) // 8, 8, 256), np.int64)
    counts = np.zeros((many if counted else 0, d, 256), np.int64)
    nodes = leaves_of(partial_trees, block)
    for k, (own, packed) in enumerate(zip(slots, round_.packed(block), strict=True)):
        if (own >= 0).any():
            add_rows(block.rows.codes, packed, block.weights.amount, own[nodes[:, k]], sums, counts)
    return Tallies.of(len(nodes), sums, counts)


def leaves_of(trees: BoostedTrees, block: BoostBlock) -> np.ndarray:
    """The node that each row is in, in each of some trees."""
    starts, links, sets, _ = trees.sound()
    nodes = np.empty((len(block.rows.y), trees.many), np.int64)
    land(block.rows.codes, 0, trees.many, starts, links, sets, trees.category, nodes)
    return nodes


def leaf_tallies(round_: BoostRound, trees: BoostedTrees, sizes: list[int], block: BoostBlock) -> Tallies:
    """Sums of slopes and curvatures at every node of every tree, fine enough for their digits."""
    nodes, (slopes, curvatures) = leaves_of(trees, block), round_.steps(block)
    G, H = [np.zeros(size, np.int64) for size in sizes], [np.zeros(size, np.int64) for size in sizes]
    for k, scales in enumerate(round_.scales):
        own = np.ascontiguousarray(nodes[:, k])
        sums_by_place(own, slopes[k], block.weights.times, scales.fine_g, G[k])
        sums_by_place(own, curvatures[k], block.weights.times, scales.fine_h, H[k])
    return Tallies.of(len(nodes), *G, *H)


def residuals(
    round_: BoostRound, trees: BoostedTrees, place: np.ndarray, block: BoostBlock
) -> tuple[np.ndarray, np.ndarray]:
    """y - f and the place of the leaf, of every row."""
    return block.rows.y - block.scored(round_.model)[0], place[leaves_of(trees, block)[:, 0]]
