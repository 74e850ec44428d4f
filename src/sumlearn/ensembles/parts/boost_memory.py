"""Boosting on rows in memory: coded as bytes, then one tree after another."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from ...compiled.boost_rows import add_by_place
from ...data import Source
from ...learners.ability import Abilities
from ...learners.callbacks import stepwise
from ...learners.learner import Learner
from ...learners.trees.parts.binning import BinEdges
from ...objectives.losses import Huber
from ...statistics.row_sample import number_hashes
from .boost_bytes import ByteRows, gathered, task_and_rows
from .boost_growing import Grower, Grown, RowWeights, Steps, leaf_values
from .boost_losses import BoostLoss, start_scores
from .boost_plan import BoostPlan
from .boost_progress import BoostProgress
from .boost_pruning import pruned
from .boost_stopping import Stopping, StoppingJudge, held_back
from .boost_sums import FINE, exact_mean, scale_of, weighted_quantile, whole_times
from .boost_trees import BoostedTrees, GrownTree


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
        task, rows = task_and_rows(owner, rows, self.n_features_in_, vars(self).get("feature_names_in_"))
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


class MemoryFit:
    """Rounds of trees on coded rows."""

    def __init__(self, task: Any, rows: ByteRows, edges: BinEdges, owner: Any, before: dict[str, Any] | None) -> None:
        self.task, self.owner, self.edges = task, owner, edges
        self.plan: BoostPlan = task.plan
        self.category = edges.sizes > 0
        self.stopping: Stopping | None = task.stopping
        self.held: ByteRows | None = None
        if self.stopping is not None and self.stopping.fraction is not None:
            labels = None if task.classes is None else self.plan.loss.class_numbers(rows.y)
            held = held_back(np.arange(len(rows.y)), labels, self.stopping.fraction, self.plan.seed)
            self.held, rows = rows.take(np.flatnonzero(held)), rows.take(np.flatnonzero(~held))
        self.rows = rows
        self.weights = RowWeights.of(rows.weight, len(rows.y))
        self.plan.warn_of_light_rows(self.weights.total, len(rows.y))
        self.grower = Grower(rows.codes, edges.counts, self.category, self.plan, owner.n_jobs)
        self.begin(before)

    def begin(self, before: dict[str, Any] | None) -> None:
        """Scores before the first tree, or those of the fit before."""
        loss = self.plan.loss
        self.trees: list[GrownTree] = []
        self.watched: dict[str, list[float]] = {"train": [], "outside": [], "improvement": []}
        self.judge = None
        self.model = None if before is None else before.get("init_")
        if self.stopping is not None:
            self.judge = StoppingJudge(self.stopping, loss, self.task.classes, self.plan.seed)
        if before is None:
            self.base = self.first_scores()
        else:
            self.base, self.trees = before["trees_"].base, before["trees_"].trees()
            if self.judge is not None:
                self.judge.train = list(before.get("train_score_", ()))
                self.judge.validation = list(before.get("validation_score_", ()))
            done = len(self.trees) // len(self.base)
            for name, key in (
                ("train", "train_score_"),
                ("outside", "oob_scores_"),
                ("improvement", "oob_improvement_"),
            ):
                self.watched[name] = list(before.get(key, np.zeros(done if self.plan.watched else 0)))
        self.scores = self.scores_of(self.rows)
        many = loss.outputs > 1  # arrays that are made anew in every round cost more than what is written there
        self.room = (np.empty(self.scores.shape), np.empty(self.scores.shape)) if many else None
        if self.held is not None:
            self.held_scores = self.scores_of(self.held)

    def first_scores(self) -> np.ndarray:
        """The constant part of the scores before the first tree; a model that they start from is fitted."""
        loss, start = self.plan.loss, self.plan.start
        if isinstance(start, str):
            return loss.start(self.rows.y, self.middle, self.shares) if start == "loss" else np.zeros(loss.outputs)
        y = self.rows.y if self.task.classes is None else self.task.classes[loss.class_numbers(self.rows.y)]
        self.model = fitted_start(start, self.rows.X, y, self.rows.weight)
        return np.zeros(loss.outputs)

    def scores_of(self, rows: ByteRows) -> np.ndarray:
        """Scores (outputs, n) of the trees so far."""
        trees = BoostedTrees.of(self.trees, self.category, self.base)
        scores = np.ascontiguousarray(trees.scores(rows.codes, n_jobs=self.owner.n_jobs).T)
        return scores if self.model is None else scores + start_scores(self.model, self.plan.loss, rows.X)

    def middle(self, values: np.ndarray, quantile: float | None) -> float:
        """A quantile or the mean of some numbers of the rows."""
        if quantile is None:
            return exact_mean(values, self.weights.times, self.weights.factor)
        return weighted_quantile(values, quantile, self.weights.exact())

    def shares(self, classes: int) -> np.ndarray:
        """Shares of the classes."""
        y, weights = self.rows.y, self.weights
        if weights.factor is not None:
            scale = scale_of(weights.total, FINE)
            whole = np.rint(weights.factor * scale).astype(np.int64)
            return np.array([whole[y == k].sum() for k in range(classes)]) / scale / weights.total
        return np.bincount(y, weights.times if len(weights.times) else None, minlength=classes) / weights.total

    # -- rounds -----------------------------------------------------------------------------------------------------

    def run(self, tell: Any) -> None:
        plan, first = self.plan, len(self.trees) // self.plan.loss.outputs
        if self.judge is not None and not self.judge.train and not self.judge.stopping.moving:
            self.judged()
        progress = BoostProgress(plan, int(self.owner.verbose), first)
        for number in range(first, plan.rounds):
            self.round(number)
            if tell is not None:
                tell()
            over = self.judge is not None and self.judged()
            progress.tell(number, over, self.watched, self.judge)
            if over:
                break

    def round(self, number: int) -> None:
        """A tree for every output, all of them at the scores of the round before."""
        plan, loss = self.plan, self.plan.loss
        drawn = self.drawn(number)
        if loss.corner is not None:
            loss = loss.at_corner(self.middle(np.abs(self.rows.y - self.scores[0]), loss.corner))
        outside = self.outside(drawn, loss)
        slopes, curvatures = loss.terms(self.rows.y, self.scores, self.room)
        for k in range(loss.outputs):
            tree = number * loss.outputs + k
            steps = Steps(self.weights.times_slope(slopes[k]), self.weights.times_curvature(curvatures[k]))
            grown = self.grower.grow(steps, self.weights, tree, drawn)
            if plan.prune > 0.0:
                grown = pruned(grown, plan.prune, grown.tree.numbers[0, 2])
            places = self.grower.places(grown)
            values = self.values(grown, places, steps, k, loss)
            grown.tree.values[grown.nodes] = values
            self.trees.append(grown.tree)
            if drawn is None:
                add_by_place(places, values, self.scores[k])
            else:
                self.scores[k] += self.said(grown.tree, self.rows.codes)
            if self.held is not None:
                self.held_scores[k] += self.said(grown.tree, self.held.codes)
        if plan.watched:
            self.watch(drawn, loss, outside)

    def values(self, grown: Grown, places: np.ndarray, steps: Steps, k: int, loss: BoostLoss) -> np.ndarray:
        """What the leaves answer, times the learning rate."""
        quantile, weight = loss.quantile, self.weights.exact()
        if quantile is None:
            scales = self.grower.scales if self.plan.newton else None
            return leaf_values(self.plan, grown, places, steps, self.weights, scales)
        residual = self.rows.y - self.scores[k]
        values = np.empty(len(grown.spans))
        for leaf, (start, stop) in enumerate(grown.spans):
            own = grown.rows[start:stop]
            own_weight = None if weight is None else weight[own]
            values[leaf] = weighted_quantile(residual[own], quantile, own_weight)
            if isinstance(loss.loss, Huber):  # and a step from the median (Friedman 2001, equation 24)
                far = residual[own] - values[leaf]
                near = np.clip(far, -loss.loss.delta, loss.loss.delta)
                values[leaf] += exact_mean(near, *whole_times(own_weight))
        return np.clip(values, grown.bounds[:, 0], grown.bounds[:, 1]) * (self.plan.rate * self.plan.step)

    def said(self, tree: GrownTree, codes: np.ndarray) -> np.ndarray:
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

    def outside(self, drawn: np.ndarray | None, loss: BoostLoss) -> float:
        """The loss on the rows that a round does not see, before it."""
        if drawn is None or not self.plan.watched:
            return 0.0
        seen = self.watched["outside"]
        return seen[-1] if seen else self.loss_on(np.setdiff1d(np.arange(len(self.rows.y)), drawn), loss)

    def watch(self, drawn: np.ndarray | None, loss: BoostLoss, before: float) -> None:
        """Keep the loss of a round, on the rows that it saw and on the others."""
        if drawn is None:
            self.watched["train"].append(self.loss_on(slice(None), loss))
            return
        self.watched["train"].append(self.loss_on(drawn, loss))
        others = self.loss_on(np.setdiff1d(np.arange(len(self.rows.y)), drawn), loss)
        self.watched["outside"].append(others)
        self.watched["improvement"].append(before - others)

    def loss_on(self, rows: Any, loss: BoostLoss) -> float:
        """The mean loss of some rows; of none, nothing."""
        y, weight = self.rows.y[rows], None if self.rows.weight is None else self.rows.weight[rows]
        if not len(y):
            return 0.0
        twice = 2.0 if loss.name in ("squared", "logistic") else 1.0  # as scikit-learn has it
        return twice * float(np.average(loss.value(y, self.scores[:, rows]), weights=weight))

    def judged(self) -> bool:
        assert self.judge is not None
        held = None if self.held is None else (self.held.y, self.held.weight, self.held_scores)
        return self.judge.see((self.rows.y, self.rows.weight, self.scores), held)

    def attributes(self) -> dict[str, Any]:
        trees = BoostedTrees.of(self.trees, self.category, self.base)
        told: dict[str, Any] = {"trees_": trees, "n_iter_": trees.many // trees.outputs}
        if not self.plan.watched:
            scores = {} if self.judge is None else {"train": self.judge.train, "validation": self.judge.validation}
            return told | {f"{name}_score_": np.array(scores.get(name, [])) for name in ("train", "validation")}
        told |= {"train_score_": np.array(self.watched["train"]), "init_": self.model}
        if self.plan.sample < 1.0:
            outside = np.array(self.watched["outside"])
            told |= {"oob_scores_": outside, "oob_improvement_": np.array(self.watched["improvement"])}
            told["oob_score_"] = float(outside[-1]) if len(outside) else np.nan
        return told


def fitted_start(start: Any, X: np.ndarray | None, y: np.ndarray, weight: np.ndarray | None) -> Any:
    """A model that boosting starts from, fitted to the rows."""
    model = clone(start)
    if weight is None:
        return model.fit(X, y)
    message = f"The initial estimator {type(model).__name__} does not support sample weights."
    if not has_fit_parameter(model, "sample_weight"):
        raise ValueError(message)
    return model.fit(X, y, sample_weight=weight)
