"""What the boosting estimators share: bins, roads, and answers from the trees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state

from ...data import Source
from ...features.input_ranges import is_number, one_of, whole_number
from ...learners.sampling import LabelSamplingMixin
from ...learners.trees.parts.binning import MOST_BINS, BinEdges
from .boost_losses import BoostLoss, start_scores
from .boost_memory import BoostInMemory
from .boost_passes import BoostByPasses
from .boost_plan import BoostFacts, BoostTask
from .boost_trees import BoostedTrees


class BoostingModel:
    """Bins, roads and scores; an estimator writes `plan_of` and `stopping_of`."""

    reads: ClassVar[str] = "mixed"
    needs_look: Any = True
    target: ClassVar[str | None]
    rounds_name: ClassVar[str]  # the parameter that says how many rounds there are
    keeps_rows: Any = False  # whether the rows themselves are needed, beside their bins

    trees_: BoostedTrees
    columns_: Any
    method: str
    n_jobs: int | None
    random_state: Any

    # -- learning ---------------------------------------------------------------------------------------------------

    def look(self, source: Source) -> BinEdges:
        return BinEdges.of_source(source, self.columns_.sizes, self.most_bins, n_jobs=self.n_jobs)

    def road(self) -> Any:
        return BoostInMemory(self) if self.method == "memory" else BoostByPasses(self)

    @property
    def most_bins(self) -> int:
        """Bins of a column of numbers."""
        return int(getattr(self, "max_bins", MOST_BINS))

    @property
    def most_rounds(self) -> int:
        return int(getattr(self, self.rounds_name))

    def seed(self) -> int:
        """Where draws begin; without a random state, anywhere."""
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    # -- answers ----------------------------------------------------------------------------------------------------

    def codes_of(self, X: Any) -> np.ndarray:
        """The bins of rows to predict for."""
        return self.coded(self.rows_of(X))  # type: ignore[attr-defined]

    def coded(self, rows: np.ndarray) -> np.ndarray:
        edges: BinEdges = self.look_data()  # type: ignore[attr-defined]
        return edges.codes(rows, self.n_jobs)

    def raw_scores(self, X: Any) -> np.ndarray:
        """Scores (n, outputs)."""
        rows = self.rows_of(X)  # type: ignore[attr-defined]
        return self.trees_.scores(self.coded(rows), n_jobs=self.n_jobs) + self.first_of(rows)

    def staged_scores(self, X: Any) -> Iterator[np.ndarray]:
        """The same after each round."""
        rows = self.rows_of(X)  # type: ignore[attr-defined]
        first = self.first_of(rows)
        return (scores + first for scores in self.trees_.staged(self.coded(rows), n_jobs=self.n_jobs))

    def first_of(self, rows: np.ndarray) -> Any:
        """What a model that boosting started from says of rows; zero where there is none."""
        model = self.__dict__.get("init_")
        if model is None:
            return 0.0
        classes = len(self.__dict__.get("classes_", ()))
        return start_scores(model, self.loss_for(classes), rows).T  # type: ignore[attr-defined]


class BoostedNumbers(RegressorMixin, BoostingModel):
    """Boosting of numbers."""

    target: ClassVar[str | None] = "number"
    loss: str

    def task_of(self, facts: BoostFacts) -> BoostTask:
        loss = self.loss_for(0)
        if loss.name == "poisson" and not (facts.low >= 0 and facts.high > 0):
            raise ValueError("loss='poisson' requires non-negative y and sum(y) > 0.")
        if loss.name == "gamma" and not facts.low > 0:
            raise ValueError("loss='gamma' requires strictly positive y.")
        plan = self.plan_of(loss, facts.features, facts.names, facts.weight, self.seed())
        told = self.told_of(loss)
        return BoostTask(plan, self.stopping_of(facts.weight), None, told)

    def loss_for(self, classes: int) -> BoostLoss:
        return BoostLoss.named(self.loss, 0, self.quantile_of())

    def predict(self, X: Any) -> np.ndarray:
        """The mean, median or quantile at every row."""
        return self.loss_for(0).answers(self.raw_scores(X))

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """The predictions after each round."""
        loss = self.loss_for(0)
        return (loss.answers(scores) for scores in self.staged_scores(X))


class BoostedLabels(LabelSamplingMixin, ClassifierMixin, BoostingModel):
    """Boosting of labels."""

    target: ClassVar[str | None] = "label"
    classes_: np.ndarray
    loss: str

    def task_of(self, facts: BoostFacts) -> BoostTask:
        assert facts.classes is not None
        many = len(facts.classes)
        if self.loss == "exponential" and many > 2:
            raise ValueError(
                f"loss='exponential' is only suitable for a binary classification problem, you have n_classes={many}. "
                "Please use loss='log_loss' instead."
            )
        loss = self.loss_for(many)
        plan = self.plan_of(loss, facts.features, facts.names, facts.weight, self.seed())
        stopping = self.stopping_of(facts.weight)
        if many == 1:
            plan, stopping = plan.without_rounds(), None
        told = {"classes_": facts.classes, "n_classes_": many} | self.told_of(loss)
        return BoostTask(plan, stopping, facts.classes, told)

    def loss_for(self, classes: int) -> BoostLoss:
        return BoostLoss.named(self.loss, classes)

    def decision_function(self, X: Any) -> np.ndarray:
        """The sum of the trees: one number for two classes, else one for each class."""
        return shaped(self.raw_scores(X))

    def staged_decision_function(self, X: Any) -> Iterator[np.ndarray]:
        """The scores after each round."""
        return (shaped(scores) for scores in self.staged_scores(X))

    def predict_proba(self, X: Any) -> np.ndarray:
        """P(k | x), one column per class."""
        return self.shares_of(self.raw_scores(X))

    def staged_predict_proba(self, X: Any) -> Iterator[np.ndarray]:
        """The probabilities after each round."""
        return (self.shares_of(scores) for scores in self.staged_scores(X))

    def predict(self, X: Any) -> np.ndarray:
        """The most probable label."""
        return self.best_of(self.raw_scores(X))

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """The labels after each round."""
        return (self.best_of(scores) for scores in self.staged_scores(X))

    def shares_of(self, scores: np.ndarray) -> np.ndarray:
        if len(self.classes_) == 1:
            return np.ones((len(scores), 1))
        return self.loss_for(len(self.classes_)).answers(scores)

    def best_of(self, scores: np.ndarray) -> np.ndarray:
        if len(self.classes_) == 1:
            return np.repeat(self.classes_, len(scores))
        if scores.shape[1] == 1:
            return self.classes_[(scores[:, 0] > 0).astype(np.int64)]
        return self.classes_[scores.argmax(axis=1)]


def shaped(scores: np.ndarray) -> np.ndarray:
    return scores[:, 0] if scores.shape[1] == 1 else scores


# -- parameters -------------------------------------------------------------------------------------------------------


def check_number(
    value: Any, name: str, low: float, high: float, *, open_low: bool = False, open_high: bool = False
) -> None:
    """Refuse what is no number of a range."""
    good = is_number(value) and low <= value <= high
    good = good and not (open_low and value == low) and not (open_high and value == high)
    if not good:
        left, right = "(" if open_low else "[", ")" if open_high or high == np.inf else "]"
        raise ValueError(f"{name} must be a number in {left}{low:g}, {high:g}{right}, got {value!r}")


def check_roads(learner: Any) -> None:
    """Parameters that all of them have."""
    one_of(learner.method, "method", ("memory", "passes"))
    if learner.n_jobs is not None and (not isinstance(learner.n_jobs, int | np.integer) or learner.n_jobs < 1):
        raise ValueError(f"n_jobs must be None or a whole number of at least 1, got {learner.n_jobs!r}")
    if not isinstance(learner.warm_start, bool | np.bool_):
        raise ValueError(f"warm_start must be True or False, got {learner.warm_start!r}")
    if (
        isinstance(learner.verbose, str)
        or not isinstance(learner.verbose, int | np.integer | bool)
        or learner.verbose < 0
    ):
        raise ValueError(f"verbose must be a whole number of at least 0, got {learner.verbose!r}")


def most_of(value: Any, name: str, least: int) -> None:
    if value is not None:
        whole_number(value, name, least)
