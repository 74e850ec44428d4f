"""Boosting by passes over the rows: every level of a round's trees is a sum of whole-number histograms.

Rows may lie in files or on a cluster. The trees are those that are grown in memory, on the same bins: sums of whole
numbers do not know in how many parts they were taken.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ...compiled.boost_histograms import add_rows
from ...compiled.boost_rows import EXPONENTS, land, pack, sums_by_place
from ...compiled.boost_splits import HIGH, LOW
from ...data import Chunk, Source
from ...learners.ability import Abilities
from ...learners.callbacks import stepwise
from ...learners.learner import Learner
from ...learners.linear.parts.class_weight import class_factors
from ...statistics.row_checks import check_range
from .boost_blocks import BoostBlock, BoostBlocks, BoostReader, Masses, Tallies
from .boost_branches import Branch, BranchGrowth
from .boost_growing import EMPTY, Grown, newton_values
from .boost_memory import owner_class_weight, previous_of
from .boost_plan import BoostFacts, BoostPlan, BoostTask, Scales
from .boost_pruning import pruned
from .boost_stopping import StoppingJudge, extremes
from .boost_sums import FINE, MOST_TIMES, scale_of, size_of, size_table
from .boost_trees import BoostedTrees, GrownTree

DIGIT = 16  # bits of a number that a pass of a quantile decides
MOST_PLACES = 512  # leaves of a round that quantiles are found for


class BoostByPasses(Learner):
    """The road on which rows are read again for every level of a tree; `owner` is the estimator."""

    def __init__(self, owner: Any) -> None:
        self.owner = owner

    def own_abilities(self) -> Abilities:
        return Abilities()

    def learn_from(self, source: Source, watch: Any) -> None:
        owner, before = self.owner, previous_of(self.owner, watch)
        if before is not None:
            self._look = before["_look"]
        refuse_whole_rows(owner)
        blocks = BoostBlocks(source, BoostReader(self.look_data(), owner.target, source.gaps), owner.n_jobs)
        task = surveyed(owner, blocks, self.n_features_in_, vars(self).get("feature_names_in_"))
        if before is not None and task.classes is not None and not np.array_equal(before["classes_"], task.classes):
            raise ValueError(f"warm_start: the classes differ from those of the fit before, {before['classes_']}")
        with stepwise(watch) as tell:
            fit = PassesFit(task, blocks, owner, before)
            fit.run(tell)
        self.__dict__.update(task.attributes | fit.attributes())


def refuse_whole_rows(owner: Any) -> None:
    """Parameters that need all rows at once."""
    advice = "needs all rows in memory: use method='memory'"
    if getattr(owner, "subsample", 1.0) < 1.0:
        raise ValueError(f"subsample={owner.subsample} {advice}")
    if owner.loss == "huber":
        raise ValueError(f"loss='huber' {advice}")
    scoring = getattr(owner, "scoring", "loss")
    if not (isinstance(scoring, str) and scoring == "loss"):
        raise ValueError(f"scoring={scoring!r} {advice}, or scoring='loss'")


# -- what must be known first -----------------------------------------------------------------------------------------


def surveyed(owner: Any, blocks: BoostBlocks, features: int, names: Any) -> BoostTask:
    """The task, from two to four passes: labels, weights and which rows are held back; the reader learns of them."""
    seen = blocks.chunks(labels_and_parts)
    parts, masses, weight = seen.sums
    starts = np.concatenate([[0], np.cumsum([parts[first] for first in sorted(parts)])])
    firsts = {first: int(start) for first, start in zip(sorted(parts), starts[:-1], strict=True)}
    classes, factors = None, None
    if owner.target == "number":
        facts = BoostFacts(features, names, weight, None, float(seen.least[0][0]), float(-seen.least[0][1]))
    else:
        labels = sorted(masses)
        classes = np.array(labels)
        own = np.array([masses[label] for label in labels])
        factors = class_factors(owner_class_weight(owner), classes, own)
        facts = BoostFacts(features, names, float((own if factors is None else own * factors).sum()), classes)
    task = owner.task_of(facts)
    plan, stopping = task.plan, task.stopping
    blocks.reader = blocks.reader._replace(
        loss=plan.loss, classes=classes, factors=factors, firsts=firsts, seed=plan.seed
    )
    if stopping is not None and stopping.fraction is not None:
        extreme = blocks.chunks(extreme_hashes).least[0]
        blocks.reader = blocks.reader._replace(fraction=stopping.fraction, extreme=extreme)
    weigh(blocks)
    plan.warn_of_light_rows(blocks.reader.total, seen.count)
    blocks.keep(seen.count, plan.loss.outputs)
    return task


def labels_and_parts(reader: BoostReader, chunk: Chunk, numbers: np.ndarray) -> Tallies:
    """Rows that count in every part, labels and their weights, the ends of the targets."""
    rows = reader.rows(chunk)
    assert rows.weight is not None
    parts = Masses({int(numbers[0]): len(rows.y)} if len(rows.y) else {})
    with np.errstate(over="ignore"):
        weight = float(rows.weight.sum())
    check_range(weight)
    if reader.target == "number":
        ends = np.array([rows.y.min(initial=np.inf), -rows.y.max(initial=-np.inf)])
        return Tallies.of(len(rows.y), parts, Masses(), weight, least=(ends,))
    labels, codes = np.unique(rows.y, return_inverse=True)
    masses = np.bincount(codes, rows.weight, minlength=len(labels))
    return Tallies.of(len(rows.y), parts, Masses(zip(labels.tolist(), masses.tolist(), strict=True)), weight)


def extreme_hashes(reader: BoostReader, chunk: Chunk, numbers: np.ndarray) -> Tallies:
    rows = reader.rows(chunk)
    labels = np.zeros(len(rows.y), np.int64) if reader.classes is None else reader.loss.class_numbers(rows.y)  # type: ignore[union-attr]
    many = 1 if reader.classes is None else len(reader.classes)
    return Tallies.of(len(rows.y), least=(extremes(reader.place(len(rows.y), numbers), labels, many, reader.seed),))


def weigh(blocks: BoostBlocks) -> None:
    """Whether weights are whole, and their sum over the rows that are learnt from."""
    seen = blocks.total(weight_sizes)
    fractions, whole, table = seen.sums
    if not fractions and whole <= MOST_TIMES:
        blocks.reader = blocks.reader._replace(whole=True, total=float(whole))
        return
    scale = scale_of(size_of(table), FINE)
    total = int(blocks.total(partial(weight_sum, scale)).sums[0]) / scale
    blocks.reader = blocks.reader._replace(whole=False, total=total, unit=scale_of(total, 2.0**40))


def weight_sizes(block: BoostBlock) -> Tallies:
    weight = block.rows.weight
    assert weight is not None
    return Tallies.of(len(weight), int((weight != np.floor(weight)).sum()), float(weight.sum()), size_table(weight))


def weight_sum(scale: float, block: BoostBlock) -> Tallies:
    assert block.rows.weight is not None
    return Tallies.of(len(block.rows.y), int(np.rint(block.rows.weight * scale).astype(np.int64).sum()))


# -- sums of numbers that rows have ------------------------------------------------------------------------------------


def targets_of(block: BoostBlock) -> np.ndarray:
    return np.asarray(block.rows.y, dtype=np.float64)


def mean_over(blocks: BoostBlocks, numbers: Callable[[BoostBlock], np.ndarray]) -> float:
    """`exact_mean`, by passes."""
    low = float(blocks.total(partial(least_number, numbers)).least[0])
    size = size_of(blocks.total(partial(sizes_above, numbers, low)).sums[0])
    scale = scale_of(size, FINE)
    return low + int(blocks.total(partial(sum_above, numbers, low, scale)).sums[0]) / scale / blocks.reader.total


def least_number(numbers: Any, block: BoostBlock) -> Tallies:
    return Tallies.of(len(block.rows.y), least=(np.array(numbers(block).min(initial=np.inf)),))


def above(numbers: Any, low: float, block: BoostBlock) -> np.ndarray:
    return block.weights.times_slope(numbers(block) - low)


def sizes_above(numbers: Any, low: float, block: BoostBlock) -> Tallies:
    return Tallies.of(len(block.rows.y), size_table(above(numbers, low, block), block.weights.times))


def sum_above(numbers: Any, low: float, scale: float, block: BoostBlock) -> Tallies:
    whole = np.rint(above(numbers, low, block) * scale).astype(np.int64)
    times = block.weights.times
    return Tallies.of(len(whole), int((whole * times if len(times) else whole).sum()))


def class_amounts(classes: int, scale: float, block: BoostBlock) -> Tallies:
    """Weights of the classes, in units of 1 / scale where they are not whole."""
    weights, y = block.weights, block.rows.y
    own = weights.times if weights.factor is None else np.rint(weights.factor * scale).astype(np.int64)
    found = np.zeros(classes, np.int64)
    np.add.at(found, y, own if len(own) else 1)
    return Tallies.of(len(y), found)


def quantiles_over(
    blocks: BoostBlocks, numbers: Callable[[BoostBlock], tuple[np.ndarray, np.ndarray]], places: int, share: float
) -> np.ndarray:
    """`weighted_quantile` of the numbers at every place, by passes: bits are decided from the highest on.

    numbers(block) are numbers and the places that they belong to.
    """
    unit = 1.0 if blocks.reader.whole else blocks.reader.unit
    prefix = np.zeros((places, 2), np.uint64)
    want = below = None
    for shift in range(64 - DIGIT, -1, -DIGIT):
        tables = blocks.total(partial(digits, numbers, prefix, shift)).sums[0]
        if want is None:
            mass = tables[:, 0].sum(axis=1) / unit
            place = np.maximum(share * (mass - 1.0), 0.0)
            below = np.floor(place * (1.0 + 1e-12))
            part = np.maximum(place - below, 0.0)
            eps = 1e-9 * mass
            want = np.stack([below + eps, np.minimum(below + 1.0 + eps, mass - 2.0 * eps)], axis=1) * unit
            want = np.maximum(np.minimum(want, ((mass - 2.0 * eps) * unit)[:, None]), 0.0)
        sums = np.cumsum(tables, axis=2)
        digit = np.minimum((sums <= want[:, :, None]).sum(axis=2), 2**DIGIT - 1)
        before = np.where(digit > 0, np.take_along_axis(sums, np.maximum(digit - 1, 0)[:, :, None], 2)[:, :, 0], 0)
        want = want - before
        prefix |= digit.astype(np.uint64) << np.uint64(shift)
    ends = numbers_of_keys(prefix)
    return ends[:, 0] + part * (ends[:, 1] - ends[:, 0])


def keys_of_numbers(numbers: np.ndarray) -> np.ndarray:
    """Whole numbers in the order of the doubles (minus zero is zero)."""
    bits = np.ascontiguousarray(numbers + 0.0).view(np.uint64)
    return np.where(bits >> np.uint64(63), ~bits, bits | np.uint64(2**63))


def numbers_of_keys(keys: np.ndarray) -> np.ndarray:
    bits = np.where(keys >> np.uint64(63), keys & np.uint64(2**63 - 1), ~keys)
    return np.ascontiguousarray(bits).view(np.float64)


def digits(numbers: Any, prefix: np.ndarray, shift: int, block: BoostBlock) -> Tallies:
    """How much weighs each digit, of numbers that begin as the quantiles of their place do."""
    values, place = numbers(block)
    keys, amount = keys_of_numbers(values), block.weights.amount
    tables = np.zeros((len(prefix), 2, 2**DIGIT), np.int64)
    digit = ((keys >> np.uint64(shift)) & np.uint64(2**DIGIT - 1)).astype(np.int64)
    for end in range(2):
        same = (
            np.ones(len(keys), bool)
            if shift + DIGIT == 64
            else keys >> np.uint64(shift + DIGIT) == prefix[place, end] >> np.uint64(shift + DIGIT)
        )
        np.add.at(tables, (place[same], end, digit[same]), amount[same] if len(amount) else 1)
    return Tallies.of(len(keys), tables)


# -- a round ----------------------------------------------------------------------------------------------------------


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


class PassesFit:
    """Rounds of trees, each of some passes."""

    def __init__(self, task: BoostTask, blocks: BoostBlocks, owner: Any, before: dict[str, Any] | None) -> None:
        self.task, self.blocks, self.owner, self.plan = task, blocks, owner, task.plan
        edges = blocks.reader.edges
        self.bins, self.category = np.asarray(edges.counts, np.int64), edges.sizes > 0
        self.judge = None
        if task.stopping is not None:
            self.judge = StoppingJudge(task.stopping, self.plan.loss, task.classes, self.plan.seed)
        self.watched: list[float] = []
        self.usable: np.ndarray | None = None
        self.trees: list[GrownTree] = []
        if before is None:
            zero = isinstance(self.plan.start, str) and self.plan.start == "zero"
            self.base = (
                np.zeros(self.plan.loss.outputs) if zero else self.plan.loss.start(EMPTY, self.middle, self.shares)
            )
        else:
            self.base, self.trees = before["trees_"].base, before["trees_"].trees()
            self.watched = list(before.get("train_score_", ()))
            if self.judge is not None:
                self.judge.train, self.judge.validation = self.watched, list(before.get("validation_score_", ()))
        self.old = len(self.trees) // self.plan.loss.outputs

    def middle(self, values: np.ndarray, quantile: float | None) -> float:
        if quantile is None:
            return mean_over(self.blocks, targets_of)
        return float(quantiles_over(self.blocks, whole_block, 1, quantile)[0])

    def shares(self, classes: int) -> np.ndarray:
        reader = self.blocks.reader
        scale = 1.0 if reader.whole else scale_of(reader.total, FINE)
        return self.blocks.total(partial(class_amounts, classes, scale)).sums[0] / scale / reader.total

    def run(self, tell: Any) -> None:
        plan, rounds = self.plan, self.plan.rounds
        number = len(self.trees) // plan.loss.outputs
        while True:
            model = BoostedTrees.of(self.trees, self.category, self.base)
            last = number == rounds
            if last and self.judge is None and not (plan.watched and number > self.old):
                return
            seen = self.blocks.total(partial(first_look, BoostRound(plan, model, number)))
            if self.judged(seen.sums[2], number) or last:
                return
            self.round(BoostRound(plan, model, number), seen)
            number += 1
            if tell is not None:
                tell()
            if self.owner.verbose:
                print(f"[{number}/{rounds}] {len(self.trees)} trees", flush=True)

    def judged(self, losses: np.ndarray, number: int) -> bool:
        """Keep the losses before a round, which are those after the one before; whether that was the last one."""
        means = -losses[:, 0] / losses[:, 1]
        twice = 2.0 if self.plan.loss.name in ("squared", "logistic") else 1.0
        if self.plan.watched and number > self.old:
            self.watched.append(-twice * float(means[0]))
        if self.judge is None or (number == self.old and (self.old or self.judge.stopping.moving)):
            return False
        self.judge.train.append(float(means[0]) if not self.plan.watched else -self.watched[-1])
        if len(means) > 1:
            self.judge.validation.append(float(means[1]))
        return self.judge.stopping.over(self.judge.validation if len(means) > 1 else self.judge.train)

    def round(self, round_: BoostRound, seen: Tallies) -> None:
        plan, reader, outputs = self.plan, self.blocks.reader, self.plan.loss.outputs
        tables, bare, _ = seen.sums
        rows = reader.total if reader.whole else float(seen.count)
        flat_loss = plan.loss.flat
        if flat_loss:
            tables[:, 1] = bare
        has = bool(tables[:, 1].any())
        fine = [Scales.of(table[0], table[1] if has else None, rows) for table in tables]
        if plan.newton:
            scales = fine
        else:
            splits = [Scales.of(table[0], bare if bare.any() else None, rows) for table in tables]
            scales = [own._replace(fine_g=f.fine_g, fine_h=f.fine_h) for own, f in zip(splits, fine, strict=True)]
        round_ = BoostRound(plan, round_.model, round_.number, tuple(scales))
        if self.usable is None:
            codes = self.blocks.total(codes_present).least[0] == 0
            self.usable = (codes.sum(axis=1) > 1).astype(np.uint8)
        growing = [
            BranchGrowth(plan, scales[k], self.bins, self.category, self.usable, round_.number * outputs + k)
            for k in range(outputs)
        ]
        self.grow(growing, round_, seen.count)
        self.answer([one.tree() for one in growing], round_)

    def grow(self, growing: list[BranchGrowth], round_: BoostRound, rows: int) -> None:
        """Passes until nothing is missing."""
        counted, reader, first = not self.plan.flat, self.blocks.reader, True
        while any(one.wanted for one in growing):
            slots, trees, place = [], [], 0
            for one in growing:
                tree, nodes = one.tree(known=True)
                own, number = np.full(len(nodes), -1, np.int64), {id(node): k for k, node in enumerate(nodes)}
                for branch, _ in one.wanted:
                    own[number[id(branch)]] = place
                    place += 1
                slots.append(own)
                trees.append(tree)
            model = BoostedTrees.of(trees, self.category, np.zeros(len(trees)))
            seen = self.blocks.total(partial(histograms, round_, model, slots, counted))
            sums, counts = seen.sums
            place = 0
            for one in growing:
                here = range(place, place + len(one.wanted))
                place += len(one.wanted)
                known = [counts[k] for k in here] if counted else None
                if first:
                    amounts = 1.0 if reader.whole else reader.unit
                    one.begin(sums[here[0]], None if known is None else known[0], rows, reader.total, amounts)
                elif len(here):
                    one.learn([sums[k] for k in here], known)
            first = False

    def answer(self, trees: list[tuple[GrownTree, list[Branch]]], round_: BoostRound) -> None:
        """The values of the leaves."""
        plan = self.plan
        grown: list[Grown] = []
        for tree, nodes in trees:
            leaves = np.flatnonzero(tree.links[:, 0] < 0)
            bounds = np.array([[nodes[k].numbers[LOW], nodes[k].numbers[HIGH]] for k in leaves])
            whole = Grown(tree, EMPTY, np.zeros((len(leaves), 2), np.int64), leaves, bounds)
            grown.append(pruned(whole, plan.prune, tree.numbers[0, 2]) if plan.prune > 0.0 else whole)
        model = BoostedTrees.of([one.tree for one in grown], self.category, np.zeros(len(grown)))
        if plan.loss.quantile is None:
            sizes = [len(one.tree.links) for one in grown]
            sums = self.blocks.total(partial(leaf_tallies, round_, model, sizes)).sums
            for k, (one, scales) in enumerate(zip(grown, round_.scales, strict=True)):
                G, H = sums[k][one.nodes] / scales.fine_g, sums[len(grown) + k][one.nodes] / scales.fine_h
                one.tree.values[one.nodes] = newton_values(G, H, plan.penalty, one.bounds) * (plan.rate * plan.step)
        else:
            one = grown[0]
            if len(one.nodes) > MOST_PLACES:
                raise ValueError(
                    f"loss={self.owner.loss!r} with method='passes' finds quantiles for {MOST_PLACES} leaves at most, "
                    f"a tree has {len(one.nodes)}: limit max_leaf_nodes or max_depth"
                )
            place = np.full(len(one.tree.links), -1, np.int64)
            place[one.nodes] = np.arange(len(one.nodes))
            own = partial(residuals, round_, model, place)
            values = quantiles_over(self.blocks, own, len(one.nodes), plan.loss.quantile)
            one.tree.values[one.nodes] = np.clip(values, one.bounds[:, 0], one.bounds[:, 1]) * (plan.rate * plan.step)
        self.trees += [one.tree for one in grown]

    def attributes(self) -> dict[str, Any]:
        trees = BoostedTrees.of(self.trees, self.category, self.base)
        told: dict[str, Any] = {"trees_": trees, "n_iter_": trees.many // trees.outputs}
        if self.plan.watched:
            return told | {"train_score_": np.array(self.watched), "init_": None}
        scores = {} if self.judge is None else {"train": self.judge.train, "validation": self.judge.validation}
        return told | {f"{name}_score_": np.array(scores.get(name, [])) for name in ("train", "validation")}


def whole_block(block: BoostBlock) -> tuple[np.ndarray, np.ndarray]:
    return targets_of(block), np.zeros(len(block.rows.y), np.int64)


def codes_present(block: BoostBlock) -> Tallies:
    """0 where a column has a code, else 1."""
    codes = block.rows.codes
    absent = np.ones((codes.shape[1], 256), np.uint8)
    for own, column in zip(absent, codes.T, strict=True):
        own[np.unique(column)] = 0
    return Tallies.of(len(codes), least=(absent,))
