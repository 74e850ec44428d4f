"""InOrder: the road of networks by batches in their order, with an optimiser and a schedule."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ....statistics.warnings import warn
from ...batches import Epoch
from ...linear.parts.labels import fixed_classes
from ...sequential import Sequential
from ...turns import in_turn
from ..optimisers import Optimiser
from ..schedules import LEAST, Schedule
from .network_rows import AUTO, NetworkBatch, NetworkRows
from .of_model import OfModel
from .place import moved_rows

BEST = -np.inf


@dataclass
class Course:
    """How learning goes: what the optimiser remembers, the curves, and the best weights by rows held back."""

    optimiser: Optimiser
    schedule: Schedule
    memories: tuple[Any, ...]
    rate: float
    random: np.random.Generator  # of dropout
    factor: float = 1.0  # by which stalls have made the rate smaller
    steps: int = 0
    epochs: int = 0  # of this fit
    rows: int = 0  # shown, over all fits
    losses: list[float] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    best_score: float = BEST
    best_loss: float = np.inf
    best: Any = None  # weights
    idle: int = 0  # epochs without a gain
    sums: Any = 0.0  # of losses in this epoch
    weight: float = 0.0
    shown: int = 0
    ended: bool = False


class LearntInOrder(OfModel):
    """All that a network does with batches. The model says how: its parameters, labels and heads are asked for.

    What the optimiser remembers goes with the model (`_progress`), so that `partial_fit` goes on from there.
    """

    rows_in_order = NetworkRows
    keeps_state = False
    tol = None  # learning ends by the rules below
    one_epoch = False  # whether more rows are being learnt, without an end of their own
    network: Any
    batches: NetworkRows
    classes_: np.ndarray
    place_: Any
    # of the learner
    previous: dict[str, Any]
    without_fit: Any
    open: Any
    commit: Any
    remember: Any
    float_dtype: Any
    epoch: Any
    take: Any

    # -- what the base asks for -------------------------------------------------------------------------------------

    @property
    def given_size(self) -> int:
        return 0 if self.model.batch_size == "auto" else self.model.batch_size

    @property
    def batch_size(self) -> int:
        return self.given_size or AUTO

    @property
    def shuffle(self) -> bool:
        return self.model.shuffle

    @property
    def random_state(self) -> Any:
        return self.model.random_state

    @property
    def early_stopping(self) -> bool:
        return self.model.early_stopping

    @property
    def validation_fraction(self) -> float:
        return self.model.validation_fraction

    @property
    def random(self) -> np.random.RandomState:
        """The draws of a fit, in scikit-learn's order: weights, rows held back, batches."""
        if "_random" not in vars(self):
            self._random = self.model.random()
        return self._random

    def work(self, rows: int) -> float:
        """Multiplications of the largest product of a batch."""
        return max(rows * m * n for m, n in self.network.shapes)

    def coded(self, y: Any) -> np.ndarray:
        """Targets as the head wants them."""
        return self.model.coded(y, self.classes_ if self.target == "label" else None, self.place_)

    # -- learning ---------------------------------------------------------------------------------------------------

    @in_turn
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None, classes: Any = None) -> Self:
        """One epoch over some more rows; labels of rows to come are named at the first call."""
        if self.early_stopping:
            raise ValueError("partial_fit does not support early_stopping=True")
        first = "coefs_" not in vars(self)
        work = self.without_fit() if first else copy.copy(self)
        source = work.open(X, y, sample_weight, reset=first, empty_ok=not first)
        if not first and source.rows == 0:
            return self
        work.remember(source)
        work.one_epoch, work.previous = True, {} if first else dict(vars(self))
        if work.target == "label":
            work.previous["classes_"] = fixed_classes(vars(self).get("classes_"), classes)
        batches = NetworkRows(source, work)
        done = work.epoch(batches, Epoch(work.start(batches, None), vars(self).get("n_iter_", 0)))
        work.take(done, np.zeros(0))
        return self.commit(work)

    def start(self, batches: NetworkRows, look: Any) -> Course:
        before = self.previous
        self.network, told = self.model.network_for(batches, before, self.float_dtype, self.random, self.one_epoch)
        vars(self).update(told)
        course = self.course(before if "coefs_" in before else {})
        batches.validate()
        self.batches = batches
        return course

    def course(self, before: dict[str, Any]) -> Course:
        """The beginning. Curves of a fit before go on; speeds do only where more rows are learnt."""
        model, network = self.model, self.network
        optimiser, schedule = model.optimiser(), model.schedule()
        chance = self.random.randint(2**31) if any(layer.dropout for layer in network.layers) else 0
        memories = tuple(network.do.zeros(len(network.weights)) for _ in range(optimiser.memories))
        course = Course(optimiser, schedule, memories, model.learning_rate_init, np.random.default_rng(chance))
        course.rows, course.losses = before.get("t_", 0), list(before.get("loss_curve_", ()))
        course.scores = list(before.get("validation_scores_") or ())
        course.best_loss = before.get("best_loss_") or np.inf
        progress = before.get("_progress", {}) if self.one_epoch else {}
        if progress.get("rule") == type(optimiser).__name__:  # another one remembers other things
            course.memories = tuple(network.do.array(memory.copy()) for memory in progress["memories"])
            course.steps, course.factor = progress["steps"], progress["factor"]
            course.random = np.random.default_rng([chance, course.steps])
        course.rate = schedule.rate(float(model.learning_rate_init), len(course.losses), course.rows) * course.factor
        return course

    def learn(self, state: Course, batch: NetworkBatch) -> Course:
        network, model = self.network, self.model
        loss = network.loss(batch.X, batch.target, batch.share, float(model.alpha) / batch.weight, state.random)
        state.steps += 1
        state.optimiser.step(network.weights, network.slopes, state.memories, state.rate, state.steps)
        if model.max_norm is not None:
            network.shorten(float(model.max_norm))
        state.sums = state.sums + batch.weight * loss
        state.weight += batch.weight
        state.shown += batch.X.shape[0]
        return state

    def turn(self, state: Course) -> Course:
        """After an epoch: the curves, the best weights, the next rate, and whether that was the last one."""
        model, network = self.model, self.network
        loss = float(state.sums) / state.weight
        state.losses.append(loss)
        state.epochs += 1
        state.rows += state.shown
        state.sums, state.weight, state.shown = 0.0, 0.0, 0
        if model.verbose:
            print(f"Iteration {len(state.losses)}, loss = {loss:.8f}")
        finite = bool(np.isfinite(loss)) and network.do.finite(network.weights)
        if self.batches.kept_back:
            score = self.score_held_back() if finite else float("nan")
            state.scores.append(score)
            if model.verbose:
                print(f"Validation score: {score:f}")
            gained = score >= state.best_score + model.tol
            if score > state.best_score or state.best is None:
                state.best_score = state.best_score if np.isnan(score) else score
                state.best = network.do.numbers(network.weights).copy()
        else:
            gained = loss <= state.best_loss - model.tol
            state.best_loss = min(loss, state.best_loss)
        state.idle = 0 if gained else state.idle + 1
        if not finite:
            self.diverged(state)
        elif state.idle > model.n_iter_no_change:
            self.stalled(state)
        state.rate = state.schedule.rate(float(model.learning_rate_init), len(state.losses), state.rows) * state.factor
        return state

    def stalled(self, state: Course) -> None:
        """No gain for too long: go on with a smaller rate, or end."""
        factor = state.schedule.stalled(state.factor)
        if self.model.verbose:
            what = "Validation score" if self.batches.kept_back else "Training loss"
            patience = self.model.n_iter_no_change
            print(f"{what} did not improve more than tol={self.model.tol:f} for {patience} consecutive epochs.")
        if factor is None or state.rate <= LEAST:
            state.ended = True
        else:
            state.factor, state.idle = factor, 0

    def diverged(self, state: Course) -> None:
        """Weights that are no numbers end learning; those of the best epoch are good where rows were held back."""
        where = f"epoch {len(state.losses)}, where the loss was {state.losses[-1]:.3g}"
        cure = f"rescale the columns, {self.batches.largest_column()}, or use a smaller learning_rate_init"
        if state.best_score > BEST:
            warn(f"learning diverged in {where}: the weights of the best epoch before are kept; {cure}", RuntimeWarning)
            state.ended = True
            return
        raise ValueError(
            "Solver produced non-finite parameter weights. The input data may contain large values and need to be "
            f"preprocessed. Learning diverged in {where}: {cure} ({self.model.learning_rate_init:g})"
        )

    def finished(self, state: Course) -> bool:
        return state.ended

    def epoch_error(self, state: Course) -> float:
        """The mean loss of the epoch, with the penalty."""
        return state.losses[-1]

    def attributes(self, state: Course) -> dict[str, Any]:
        network = self.network
        if state.best is not None:
            network.weights[...] = network.do.array(state.best)
        if not state.ended and state.epochs == self.max_iter and not self.one_epoch:
            warn(
                f"Stochastic Optimizer: Maximum iterations ({self.max_iter}) reached and the optimization hasn't "
                "converged yet.",
                ConvergenceWarning,
            )
        early, memories = bool(self.batches.kept_back), [network.do.numbers(m).copy() for m in state.memories]
        for name in ("network", "batches", "previous", "one_epoch", "_random"):
            vars(self).pop(name, None)
        return {
            **self.model.weights_told(network, self.place_),
            "loss_": state.losses[-1],
            "loss_curve_": list(state.losses),
            "best_loss_": None if early else state.best_loss,
            "validation_scores_": list(state.scores) if early else None,
            "best_validation_score_": state.best_score if early else None,
            "t_": state.rows,
            "_progress": {
                "rule": type(state.optimiser).__name__,
                "memories": memories,
                "steps": state.steps,
                "factor": state.factor,
            },
        }

    def score_held_back(self) -> float:
        """Accuracy or R^2 of the rows held back."""
        chunks = self.batches.kept_back
        said = np.concatenate([self.network.says(moved_rows(self.place_, chunk.X)) for chunk in chunks])
        true = np.concatenate([self.coded(chunk.y) for chunk in chunks])
        weight = np.concatenate([np.asarray(chunk.weight) for chunk in chunks])
        if not np.isfinite(said).all():
            return float("nan")
        return self.model.score_of(said, true, None if (weight == weight[0]).all() else weight)


class InOrder(LearntInOrder, Sequential):  # type: ignore[misc, override]
    """Rows of a network a batch at a time."""

    def __init__(self, model: Any) -> None:
        self.model = model
