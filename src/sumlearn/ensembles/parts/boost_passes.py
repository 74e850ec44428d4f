"""Boosting by passes over the rows: every level of a round's trees is a sum of whole-number histograms.

Rows may lie in files or on a cluster. The trees are those that are grown in memory, on the same bins: sums of whole
numbers do not know in how many parts they were taken.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ...compiled.boost_splits import HIGH, LOW
from ...data import Source
from ...learners.ability import Abilities
from ...learners.callbacks import stepwise
from ...learners.learner import Learner
from .boost_blocks import BoostBlocks, BoostReader, Tallies
from .boost_branches import Branch, BranchGrowth
from .boost_growing import EMPTY, Grown, newton_values
from .boost_memory import previous_of
from .boost_plan import BoostTask, Scales
from .boost_pruning import pruned
from .boost_quantiles import class_amounts, mean_over, quantiles_over, targets_of, whole_block
from .boost_rounds import BoostRound, first_look, histograms, leaf_tallies, residuals
from .boost_stopping import StoppingJudge
from .boost_sums import FINE, scale_of, size_of
from .boost_survey import codes_present, surveyed
from .boost_trees import BoostedTrees, GrownTree

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
        fine = [Scales.of(size_of(table[0]), size_of(table[1]) if has else None, rows) for table in tables]
        if plan.newton:
            scales = fine
        else:
            splits = [Scales.of(size_of(table[0]), size_of(bare) if bare.any() else None, rows) for table in tables]
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
                G, H = sums[k][one.nodes], sums[len(grown) + k][one.nodes]
                one.tree.values[one.nodes] = newton_values(plan, G, H, scales, one.bounds)
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
