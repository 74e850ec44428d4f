"""Boosting on rows in memory: coded as bytes, then one tree after another."""

from __future__ import annotations

from functools import partial
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from ...compiled.boost_rows import add_to_rows
from ...data import Chunk, Source
from ...engines.summing import NO_WEIGHT, summary_of_part
from ...learners.ability import Abilities
from ...learners.batches import in_order
from ...learners.callbacks import stepwise
from ...learners.learner import Learner
from ...learners.trees.parts.binning import BinEdges
from ...learners.validation import usable_rows
from ...statistics import RowError
from ...statistics.row_checks import available_memory, raise_if_not_finite
from ...statistics.row_sample import number_hashes
from .boost_growing import Grower, Grown, RowWeights, Steps, leaf_sums, newton_values
from .boost_plan import Plan
from .boost_stopping import Judge, Stopping, held_back
from .boost_sums import exact_mean, exact_total, weighted_quantile
from .boost_trees import BoostedTrees, Tree


class CodedRows(NamedTuple):
    """Rows as bytes, with targets and weights."""

    codes: np.ndarray
    y: np.ndarray
    weight: np.ndarray | None

    def take(self, rows: np.ndarray) -> CodedRows:
        return CodedRows(self.codes[rows], self.y[rows], None if self.weight is None else self.weight[rows])


class BoostInMemory(Learner):
    """The road on which all rows are in memory, a byte for each value. `owner` is the estimator, which says what is
    wanted: see `BoostingModel`."""

    def __init__(self, owner: Any) -> None:
        self.owner = owner

    def own_abilities(self) -> Abilities:
        return Abilities()

    def learn_from(self, source: Source, watch: Any) -> None:
        owner, before = self.owner, previous_of(self.owner, watch)
        if before is not None:
            self._look = before["_look"]
        edges: BinEdges = self.look_data()
        rows = gathered(source, edges, owner)
        task = owner.task_of(rows.y, rows.weight, self.n_features_in_, vars(self).get("feature_names_in_"))
        rows = rows._replace(y=task.y, weight=task.weight)
        if before is not None and task.classes is not None and not np.array_equal(before["classes_"], task.classes):
            raise ValueError(f"warm_start: the classes differ from those of the fit before, {before['classes_']}")
        with stepwise(watch) as tell:
            fit = MemoryFit(task, rows, edges, owner, before)
            fit.run(tell)
        self.__dict__.update(task.attributes | fit.attributes())


def previous_of(owner: Any, watch: Any) -> dict[str, Any] | None:
    """What was learnt before, with `warm_start`."""
    if not owner.warm_start or watch is None or "trees_" not in vars(watch):
        return None
    before = vars(watch)
    if owner.most_rounds < before["n_iter_"]:
        raise ValueError(
            f"{owner.rounds_name}={owner.most_rounds} must be larger than or equal to the {before['n_iter_']} rounds "
            "of the fit before when warm_start==True"
        )
    return before


def gathered(source: Source, edges: BinEdges, owner: Any) -> CodedRows:
    """All rows that weigh something, as bytes."""
    parts: list[CodedRows] = []
    code = partial(coded_rows, edges, owner.target, source.gaps, owner.n_jobs)
    count = 0
    for part in in_order(source):
        parts.append(summary_of_part(code, source, part))
        count += len(parts[-1].y)
        need, have = 3 * count * (source.features + 16), available_memory()
        if need > have:
            raise ValueError(
                f"{type(owner).__name__} with method='memory' keeps all rows as bytes: {count} rows of "
                f"{source.features} columns need {need / 2**30:.2f} GiB, {have / 2**30:.2f} GiB are there; use "
                "method='passes', or fit on fewer rows"
            )
    if not count:
        raise ValueError(NO_WEIGHT)
    codes, y, weight = (np.concatenate(arrays) if len(arrays) > 1 else arrays[0] for arrays in zip(*parts, strict=True))
    return CodedRows(codes, y, None if (weight == 1.0).all() else weight)


def coded_rows(edges: BinEdges, target: str, gaps: bool, n_jobs: int | None, chunk: Chunk) -> CodedRows:
    rows = usable_rows(chunk, sparse_ok=False, gaps=gaps)
    y = np.asarray(rows.y)
    if target == "number":
        y = y.astype(np.float64)
        if not np.isfinite(y).all():
            kept = None if chunk.weight is None else np.flatnonzero(chunk.weight)
            try:
                raise_if_not_finite(y, "y")
            except RowError as error:
                raise RowError("y", error.row if kept is None else int(kept[error.row]), None, error.value) from None
    return CodedRows(edges.codes(rows.X, n_jobs), y, rows.weight)


class MemoryFit:
    """Rounds of trees on coded rows."""

    def __init__(self, task: Any, rows: CodedRows, edges: BinEdges, owner: Any, before: dict[str, Any] | None) -> None:
        self.task, self.owner, self.edges = task, owner, edges
        self.plan: Plan = task.plan
        self.category = edges.sizes > 0
        self.stopping: Stopping | None = task.stopping
        self.held: CodedRows | None = None
        if self.stopping is not None and self.stopping.fraction is not None:
            labels = None if task.classes is None else self.plan.loss.class_numbers(rows.y)
            held = held_back(np.arange(len(rows.y)), labels, self.stopping.fraction, self.plan.seed)
            self.held, rows = rows.take(np.flatnonzero(held)), rows.take(np.flatnonzero(~held))
        self.rows = rows
        self.weights = RowWeights.of(rows.weight, len(rows.y))
        self.grower = Grower(rows.codes, edges.counts, self.category, self.plan, owner.n_jobs)
        self.begin(before)

    def begin(self, before: dict[str, Any] | None) -> None:
        """Scores before the first tree, or those of the fit before."""
        loss, n_jobs = self.plan.loss, self.owner.n_jobs
        self.trees: list[Tree] = []
        self.improvement: list[float] = []
        self.judge = None
        if self.stopping is not None:
            self.judge = Judge(self.stopping, loss, self.task.classes, self.plan.seed)
        if before is None:
            self.base = loss.start(self.rows.y, self.middle, self.shares)
            self.scores = np.repeat(self.base[:, None], len(self.rows.y), axis=1)
            if self.held is not None:
                self.held_scores = np.repeat(self.base[:, None], len(self.held.y), axis=1)
        else:
            model: BoostedTrees = before["trees_"]
            self.base, self.trees = model.base, model.trees()
            self.scores = np.ascontiguousarray(model.scores(self.rows.codes, n_jobs=n_jobs).T)
            if self.held is not None:
                self.held_scores = np.ascontiguousarray(model.scores(self.held.codes, n_jobs=n_jobs).T)
            if self.judge is not None:
                self.judge.train = list(before.get("train_score_", ()))
                self.judge.validation = list(before.get("validation_score_", ()))

    def middle(self, values: np.ndarray, quantile: float | None) -> float:
        """A quantile or the mean of some numbers of the rows."""
        if quantile is None:
            return exact_mean(values, self.weights.times, self.weights.factor)
        return weighted_quantile(values, quantile, self.weights.numbers())

    def shares(self, classes: int) -> np.ndarray:
        """Shares of the classes."""
        y, weights = self.rows.y, self.weights
        if weights.factor is not None:
            return np.array([exact_total(weights.factor[y == k]) for k in range(classes)]) / weights.total
        return np.bincount(y, weights.times if len(weights.times) else None, minlength=classes) / weights.total

    # -- rounds -----------------------------------------------------------------------------------------------------

    def run(self, tell: Any) -> None:
        plan, outputs, verbose = self.plan, self.plan.loss.outputs, int(self.owner.verbose)
        if self.judge is not None and not self.judge.train:
            self.judged()
        for number in range(len(self.trees) // outputs, plan.rounds):
            begin = perf_counter()
            self.round(number)
            if tell is not None:
                tell()
            over = self.judge is not None and self.judged()
            if verbose and (verbose > 1 or number + 1 == plan.rounds or over or (number + 1) % 10 == 0):
                print(self.told(number, perf_counter() - begin), flush=True)
            if over:
                break

    def round(self, number: int) -> None:
        """A tree for every output, all of them at the scores of the round before."""
        plan, loss = self.plan, self.plan.loss
        slopes, curvatures = loss.terms(self.rows.y, self.scores)
        drawn = self.drawn(number)
        for k in range(loss.outputs):
            tree = number * loss.outputs + k
            steps = Steps(self.weights.times_slope(slopes[k]), self.weights.times_curvature(curvatures[k]))
            grown = self.grower.grow(steps, self.weights, tree, drawn)
            values = self.values(grown, steps, k) * plan.rate
            grown.tree.values[grown.nodes] = values
            self.trees.append(grown.tree)
            if drawn is None:
                add_to_rows(grown.rows, grown.spans, len(values), values, self.scores[k])
            else:
                self.scores[k] += self.said(grown.tree, self.rows.codes)
            if self.held is not None:
                self.held_scores[k] += self.said(grown.tree, self.held.codes)

    def values(self, grown: Grown, steps: Steps, k: int) -> np.ndarray:
        """What the leaves answer, before the learning rate."""
        quantile, weight = self.plan.loss.quantile, self.weights.numbers()
        if quantile is None:
            return newton_values(*leaf_sums(grown, steps, self.weights), self.plan.penalty, grown.bounds)
        residual = self.rows.y - self.scores[k]
        values = np.empty(len(grown.spans))
        for leaf, (start, stop) in enumerate(grown.spans):
            own = grown.rows[start:stop]
            values[leaf] = weighted_quantile(residual[own], quantile, None if weight is None else weight[own])
        return np.clip(values, grown.bounds[:, 0], grown.bounds[:, 1])

    def said(self, tree: Tree, codes: np.ndarray) -> np.ndarray:
        """What one tree adds to the scores of rows."""
        scores = np.zeros((len(codes), 1))
        BoostedTrees.of([tree], self.category, np.zeros(1)).add(codes, 0, 1, scores, self.owner.n_jobs)
        return scores[:, 0]

    def drawn(self, number: int) -> np.ndarray | None:
        """The rows that a round sees; None: all."""
        if self.plan.sample >= 1.0:
            return None
        hashes = number_hashes(np.arange(len(self.rows.y)), self.plan.seed + 7919 * (number + 1))
        drawn = hashes < np.uint64(self.plan.sample * 2.0**64)
        drawn[np.argmin(hashes)] = True
        return np.flatnonzero(drawn)

    def judged(self) -> bool:
        assert self.judge is not None
        held = None if self.held is None else (self.held.y, self.held.weight, self.held_scores)
        return self.judge.see((self.rows.y, self.rows.weight, self.scores), held)

    def told(self, number: int, seconds: float) -> str:
        text = f"[{number + 1}/{self.plan.rounds}] {len(self.trees)} trees, {seconds:.3f} s a round"
        if self.judge is not None:
            text += f", train score {self.judge.train[-1]:.5f}"
            text += f", validation score {self.judge.validation[-1]:.5f}" if self.judge.validation else ""
        return text

    def attributes(self) -> dict[str, Any]:
        trees = BoostedTrees.of(self.trees, self.category, self.base)
        judge = self.judge
        return {
            "trees_": trees,
            "n_iter_": trees.many // trees.outputs,
            "train_score_": np.array(judge.train if judge is not None else []),
            "validation_score_": np.array(judge.validation if judge is not None else []),
        }
