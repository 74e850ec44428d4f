"""What classifiers that are made of two-class problems share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import is_regressor
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if

from ...data import Source
from ...learners import LabelMixin, Learner
from ...learners.gaussian.linear_discriminant import LinearDiscriminantAnalysis
from ...learners.sampling import LabelSamplingMixin
from .by_label import ByLabel
from .dichotomies import ProblemFits, ProblemSums, adds_up, in_memory, is_pairwise
from .seen import SeenClasses, SeenLabels, classes_seen, labels_seen, tell_constant

ANSWERS = ("predict", "predict_proba", "predict_log_proba", "decision_function")
TINY = float(np.finfo(np.float64).tiny)
OTHER_PLAN = "the problems were fitted with other parameters, which said otherwise who is told from whom: fit anew"


def learns_more(model: Any) -> bool:
    """Whether a model learns on; if not, the error says what its learner lacks."""
    return model.adds_up or bool(model.base.partial_fit)


class ManyClasses(LabelSamplingMixin, LabelMixin):
    """Classes told apart by many answers to questions with two. A method writes its `table`."""

    estimator: Any
    n_jobs: int | None
    rows_of: Any  # of the learner
    solved: Any
    look_data: Any
    float_dtype: Any
    private: ClassVar[tuple[str, ...]] = ("_plan",)

    @abstractmethod
    def table(self, K: int) -> tuple[np.ndarray, np.ndarray]:
        """Which of K classes are positive and which negative, problem by problem."""

    def check_several(self) -> None:
        """Refuse parameters that make no sense where a row may have several labels."""

    def plan(self, K: int) -> tuple[np.ndarray, np.ndarray]:
        """The table for the classes that have rows; of a single one there is nothing to ask."""
        if K < 2:
            self.table(2)  # refuses what it refuses for more
            return np.zeros((0, K), dtype=bool), np.zeros((0, K), dtype=bool)
        return self.table(K)

    @abstractmethod
    def many_scores(self, rows: Any, models: Iterator[Any]) -> np.ndarray:
        """A column for each class that has rows, of two or more."""

    def scores(self, X: Any) -> np.ndarray:
        """A column for each class: of a single one that has rows, zeros."""
        rows, models = self.asked(X)
        single = int(self.found()[1].sum()) == 1
        return self.over_all(np.zeros((rows.shape[0], 1)) if single else self.many_scores(rows, models), -np.inf)

    @property
    def base(self) -> Any:
        """The learner of the problems."""
        if isinstance(self.estimator, type) or not (self.estimator is None or hasattr(self.estimator, "fit")):
            raise TypeError(f"estimator must be an estimator or None, got {self.estimator!r}")
        return LinearDiscriminantAnalysis() if self.estimator is None else self.estimator

    def check(self) -> None:
        self.base  # noqa: B018  # refuses what is no estimator

    @property
    def takes_gaps(self) -> bool:
        """Whether NaN is left to the learner: one of another library that takes it, or mends it."""
        return allows_gaps(self.estimator)

    @available_if(learns_more)
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from more rows: exactly where the sums of the learner add up, else as its own `partial_fit` does.

        With `classes` at the first call the labels are fixed; else new ones may come, where sums add up.
        """
        return self.updated(X, y, sample_weight, classes)

    # -- the two roads ----------------------------------------------------------------------------------------------

    @property
    def adds_up(self) -> bool:
        return adds_up(self.base)

    def road(self) -> ProblemSums | ProblemFits:
        scheme = type(self)(**{name: getattr(self, name) for name in self._get_param_names()})
        if "_classes" in vars(self):
            scheme._classes = self._classes
        return ProblemSums(scheme, self.n_jobs) if self.adds_up else ProblemFits(scheme)

    @property
    def needs_look(self) -> bool:
        return not self.adds_up

    def look(self, source: Source) -> SeenClasses | SeenLabels | None:
        """The classes, or several labels of a row, where the problems are fitted one by one."""
        if self.adds_up:
            return None
        if not source.single_target:
            self.check_several()
            labels = labels_seen(in_memory(self.base, source))
            for number, sides in enumerate(labels.weights):
                tell_constant(number, np.flatnonzero(sides).tolist())
            return labels
        seen = classes_seen(in_memory(self.base, source))
        self.plan(len(seen.labels))
        return seen

    # -- what was learnt --------------------------------------------------------------------------------------------

    def found(self) -> tuple[np.ndarray, np.ndarray, list[Any], np.ndarray]:
        """All labels, which of them have rows, the models of the problems, and what the rows weigh."""
        if "statistic_" in vars(self):
            solution = self.solved()
            return solution["classes_"], solution["here"], solution["estimators_"], solution["weights"]
        if "learners_" not in vars(self):
            raise AttributeError(f"{type(self).__name__!r} object has no classes yet: call fit")
        look = self.look_data()
        labels = np.arange(len(look.weights)) if isinstance(look, SeenLabels) else np.array(look.labels)
        return labels, np.ones(len(labels), dtype=bool), self.learners_, look.weights

    classes_ = property(lambda self: self.shown(0), doc="Labels, sorted.")
    estimators_ = property(lambda self: self.shown(2), doc="The models of the problems.")

    def shown(self, place: int) -> Any:
        """A part of what was found; reprs read every attribute: nothing but AttributeError may come out."""
        try:
            return self.found()[place]
        except (ValueError, TypeError) as error:
            raise AttributeError(f"{type(self).__name__!r} object has no classes: {error}") from error

    @property
    def n_classes_(self) -> int:
        """Number of classes."""
        return len(self.classes_)

    @property
    def tells_several(self) -> bool:
        """Whether a row may have several labels, or none."""
        learnt = vars(self).get("statistic_")
        return isinstance(self.look_data() if learnt is None else learnt, ByLabel | SeenLabels)

    def over_all(self, values: np.ndarray, absent: float) -> np.ndarray:
        """Columns of the classes that have rows, among those of all."""
        here = self.found()[1]
        whole = np.full((len(values), len(here)), absent)
        whole[:, here] = values
        return whole

    def asked(self, X: Any) -> tuple[Any, Iterator[Any]]:
        """The rows, and the models that answer to bare arrays."""
        rows = self.rows_of(X, sparse_ok=True)
        self.refuse_other_plan()
        models = (m.without_names() if hasattr(m, "without_names") else m for m in self.found()[2])
        if "pairwise_indices_" in vars(self):
            return rows, map(OnColumns, models, self.pairwise_indices_)
        return rows, models

    def refuse_other_plan(self) -> None:
        """Refuse parameters that were set since the problems were fitted one by one, if they make others of them."""
        known = vars(self).get("_plan")
        if known is not None and not np.array_equal(known, np.stack(self.plan(known.shape[2]))):
            raise ValueError(OTHER_PLAN)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = is_pairwise(self.estimator)
        return tags


class OnColumns:
    """A model that has learnt some of the columns, asked about rows of all."""

    def __init__(self, model: Any, columns: np.ndarray) -> None:
        self.model, self.columns = model, columns

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.model, name)
        return (lambda X: found(X[:, self.columns])) if name in ANSWERS else found


def allows_gaps(base: Any) -> bool:
    """Whether an estimator of another library takes NaN; a pipeline, if its first step does."""
    first = base.steps[0][1] if hasattr(base, "steps") else base
    if isinstance(first, Learner | type) or not hasattr(first, "fit"):
        return False
    return bool(get_tags(first).input_tags.allow_nan)


def has_odds(model: Any) -> bool:
    """Whether the learner of the problems tells probabilities."""
    return hasattr(model.base, "predict_proba")


def confidence(model: Any, X: Any) -> np.ndarray:
    """The answer of a regression less 1/2, the decision function, else the probability of the second."""
    if is_regressor(model):
        return np.ravel(model.predict(X)).astype(float) - 0.5
    if hasattr(model, "decision_function"):
        return np.ravel(model.decision_function(X)).astype(float)
    return np.asarray(model.predict_proba(X)[:, 1], dtype=float)


def claims(model: Any, X: Any) -> np.ndarray:
    """Whether the second of two answers is the likelier one."""
    scored = is_regressor(model) or hasattr(model, "decision_function")
    return confidence(model, X) > (0.0 if scored else 0.5)


def log_odds(model: Any, X: Any) -> np.ndarray:
    """ln P(1 | x) / P(0 | x), finite: a probability of zero counts as the least number that there is."""
    if hasattr(model, "predict_log_proba"):
        with np.errstate(divide="ignore"):
            logs = np.asarray(model.predict_log_proba(X), dtype=float)
    else:
        logs = np.log(np.maximum(np.asarray(model.predict_proba(X), dtype=float), TINY))
    logs = np.maximum(logs, np.log(TINY)) if not np.isfinite(logs).all() else logs
    return logs[:, 1] - logs[:, 0]
