"""Scores of answers to held-out rows, under the names that the command line knows.

They take answers of all tasks in one form and are asked thousands of times with other weights, so shares come from one
table of counts; curves are those of `evaluation`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..decision.costs import Costs
from ..evaluation.two_classes.roc_curve import RocCurve
from .problems import UsageProblem, suggested
from .targets import TargetRows


class Answers(NamedTuple):
    """What a model says about some rows.

    `labels` are labels or numbers; `scores` are high for the positive one of two classes, or have a column for each of
    more classes; None for numbers.
    """

    labels: np.ndarray
    scores: np.ndarray | None = None

    def of(self, rows: np.ndarray) -> Answers:
        return Answers(self.labels[rows], None if self.scores is None else self.scores[rows])

    def decided(self, target: TargetRows, threshold: float | None) -> Answers:
        """With labels by a threshold on the score of the positive class; None leaves them as the model gave them."""
        if threshold is None:
            return self
        assert self.scores is not None
        labels = np.where(self.scores >= threshold, target.positive, target.negative).astype(self.labels.dtype)
        return self._replace(labels=labels)


def answers_of(learner: Any, features: np.ndarray, target: TargetRows) -> Answers:
    """Labels or numbers, and scores: probabilities where the learner has them, else its decision function."""
    labels = np.asarray(learner.predict(features))
    if target.task == "regress":
        return Answers(labels.astype(float))
    asked = learner.predict_proba if hasattr(learner, "predict_proba") else learner.decision_function
    scores = np.asarray(asked(features))
    classes = list(learner.classes_)
    if scores.ndim == 1:
        scores = np.column_stack([-scores, scores])
    if target.two_classes:
        return Answers(labels, scores[:, classes.index(target.positive)])
    aligned = np.full((len(labels), len(target.classes)), scores.min() - 1.0)  # a class not seen is the last choice
    for k, label in enumerate(target.classes):
        if label in classes:
            aligned[:, k] = scores[:, classes.index(label)]
    if target.costs is not None and hasattr(learner, "predict_proba"):
        expected = np.maximum(aligned, 0.0) @ target.costs.matrix(target.classes)
        labels = np.asarray(target.classes)[expected.argmin(axis=1)]
    return Answers(labels, aligned)


OF_LABELS = ("accuracy", "error", "balanced_accuracy", "f1")  # scores that are functions of the table of classes
Function = Callable[[TargetRows, np.ndarray, Answers, np.ndarray], float]


class Metric(NamedTuple):
    """A score: its name, where it applies, which direction is good, and the function (target, truth, answers, weight).

    `kinds` are "two" (two classes), "many" (more), "number"; `costs` are those of a mean cost.
    """

    name: str
    title: str
    kinds: tuple[str, ...]
    larger_is_better: bool
    function: Function
    limits: tuple[float, float] = (0.0, 1.0)
    costs: Costs | None = None

    def gain(self, value: Any) -> Any:
        """The same number, but larger is better."""
        return value if self.larger_is_better else -value

    def __call__(self, target: TargetRows, truth: np.ndarray, answers: Answers, weight: np.ndarray | None) -> float:
        return self.function(target, truth, answers, np.ones(len(truth)) if weight is None else weight)


def auc(target: TargetRows, truth: np.ndarray, answers: Answers, weight: np.ndarray) -> float:
    """Area under the ROC curve; of more than two classes the mean over one against the rest."""
    assert answers.scores is not None
    if target.two_classes:
        return curve(target, truth, answers.scores, weight).auc() if both_classes(target, truth, weight) else np.nan
    one_against_rest = [
        RocCurve(truth == label, answers.scores[:, k], weight).auc()
        for k, label in enumerate(target.classes)
        if 0 < weight[truth == label].sum() < weight.sum()
    ]
    return float(np.mean(one_against_rest)) if one_against_rest else float("nan")


def curve(target: TargetRows, truth: np.ndarray, scores: np.ndarray, weight: np.ndarray | None) -> RocCurve:
    return RocCurve(truth == target.positive, scores, weight, positive=True)


def both_classes(target: TargetRows, truth: np.ndarray, weight: np.ndarray) -> bool:
    return 0 < weight[truth == target.positive].sum() < weight.sum()


def eer(target: TargetRows, truth: np.ndarray, answers: Answers, weight: np.ndarray) -> float:
    """Where both classes are missed equally often, between the steps of the curve, large where rows are few."""
    assert answers.scores is not None
    if not both_classes(target, truth, weight):
        return float("nan")
    return curve(target, truth, answers.scores, weight).diagonal_point.fnr


def cells(target: TargetRows, truth: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Where each row stands in the table of true and said classes; what is said and is no class has a column."""
    K = len(target.classes)
    said = np.minimum(np.searchsorted(target.classes, labels), K - 1)
    said = np.where(target.classes[said] == labels, said, K)
    return np.searchsorted(target.classes, truth) * (K + 1) + said


def of_table(name: str, costs: Costs | None = None) -> Function:
    """A score that is a function of the table of true and said classes."""

    def score(target: TargetRows, truth: np.ndarray, answers: Answers, weight: np.ndarray) -> float:
        return from_cells(name, target, cells(target, truth, answers.labels), weight, costs)

    return score


def from_cells(name: str, target: TargetRows, cell: np.ndarray, weight: np.ndarray, costs: Costs | None) -> float:
    """A score of decisions: share of the rows, mean recall, harmonic mean of precision and recall, or mean cost.

    >>> target = TargetRows("y", "classify", np.array([]), np.array([]), np.array(["n", "p"]), "p")
    >>> cell = np.repeat([0, 1, 4], [3, 1, 4])
    >>> [round(from_cells(name, target, cell, np.ones(8), None), 4) for name in OF_LABELS]
    [0.875, 0.125, 0.875, 0.8889]
    """
    K = len(target.classes)
    table = np.bincount(cell, weight, minlength=K * (K + 1)).reshape(K, K + 1)
    hits, rows, total = table.diagonal(), table.sum(axis=1), table.sum()
    positive = target.classes.tolist().index(target.positive) if target.two_classes else None
    if name == "cost":
        assert costs is not None
        if positive is None:
            matrix = costs.matrix(target.classes)
            return float((table * np.column_stack([matrix, matrix.max(axis=1)])).sum() / total)
        rejected = rows[positive] - hits[positive]
        return float((costs.false_accept * table[1 - positive, positive] + costs.false_reject * rejected) / total)
    if name in ("accuracy", "error"):
        return float(hits.sum() / total if name == "accuracy" else (total - hits.sum()) / total)
    if name == "balanced_accuracy":
        return float(np.mean(hits[rows > 0] / rows[rows > 0]))
    both = rows + table.sum(axis=0)[:K]
    f = np.divide(2.0 * hits, both, out=np.zeros(K), where=both > 0)
    return float(f.mean() if positive is None else f[positive])


def r2(target: TargetRows, truth: np.ndarray, answers: Answers, weight: np.ndarray) -> float:
    off, wrong = truth - np.average(truth, weights=weight), truth - answers.labels
    unit = np.abs(off).max(initial=0.0) or 1.0  # squares of small numbers are nothing, of large ones infinite
    total = np.sum(weight * (off / unit) ** 2)
    return float(1.0 - np.sum(weight * (wrong / unit) ** 2) / total) if total > 0 else float("nan")


def rmse(target: TargetRows, truth: np.ndarray, answers: Answers, weight: np.ndarray) -> float:
    wrong = truth - answers.labels
    unit = np.abs(wrong).max(initial=0.0) or 1.0
    return float(unit * np.sqrt(np.average((wrong / unit) ** 2, weights=weight)))


def mae(target: TargetRows, truth: np.ndarray, answers: Answers, weight: np.ndarray) -> float:
    return float(np.average(np.abs(truth - answers.labels), weights=weight))


METRICS = {
    metric.name: metric
    for metric in (
        Metric("auc", "AUC", ("two", "many"), True, auc),
        Metric("accuracy", "accuracy", ("many", "two"), True, of_table("accuracy")),
        Metric("balanced_accuracy", "balanced accuracy", ("two", "many"), True, of_table("balanced_accuracy")),
        Metric("f1", "F1", ("two", "many"), True, of_table("f1")),
        Metric("error", "error", ("two", "many"), False, of_table("error")),
        Metric("eer", "EER", ("two",), False, eer),
        Metric("r2", "R2", ("number",), True, r2, (-np.inf, 1.0)),
        Metric("rmse", "RMSE", ("number",), False, rmse, (0.0, np.inf)),
        Metric("mae", "MAE", ("number",), False, mae, (0.0, np.inf)),
    )
}
DEFAULT = {"two": "auc", "many": "accuracy", "number": "r2"}


def kind_of(target: TargetRows) -> str:
    return "number" if target.task == "regress" else "two" if target.two_classes else "many"


def metrics_for(target: TargetRows, costs: Costs | None = None) -> dict[str, Metric]:
    """All scores that apply to a target; the mean cost of a row where costs are given."""
    kind = kind_of(target)
    known = {name: metric for name, metric in METRICS.items() if kind in metric.kinds}
    return known if costs is None else known | {"cost": cost_metric(costs)}


def metric_of(name: str | None, target: TargetRows, costs: Costs | None = None) -> Metric:
    """The score that decides: AUC for two classes, accuracy or cost for more, R^2 for numbers, unless named."""
    known = metrics_for(target, costs)
    kind = kind_of(target)
    by_costs = costs is not None and kind == "many"  # what is decided by costs is judged by them
    chosen = ("cost" if by_costs else DEFAULT[kind]) if name is None else name
    if chosen not in known:
        raise UsageProblem(f"no metric {chosen!r} for this target{suggested(chosen, known)} (--metric)")
    return known[chosen]


def cost_metric(costs: Costs) -> Metric:
    return Metric("cost", "cost", ("two", "many"), False, of_table("cost", costs), (0.0, np.inf), costs)


def cheapest_threshold(
    target: TargetRows, truth: np.ndarray, scores: np.ndarray, weight: np.ndarray | None, costs: Costs
) -> float:
    """The threshold of least cost, halfway to the next lower score, so that rounding decides nothing.

    Above all scores where accepting nothing is cheapest, below all where accepting everything is.
    """
    roc = curve(target, truth, scores, weight)
    index = int(np.argmin(roc.expected_cost(costs.false_accept, costs.false_reject)))
    above = roc.thresholds[index]
    if index + 1 == len(roc.thresholds):
        return float(above) - 1.0
    below = roc.thresholds[index + 1]
    return float(below) + 1.0 if np.isinf(above) else float(above + below) / 2.0
