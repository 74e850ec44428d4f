"""A working point: the threshold of a score of two classes, chosen on rows that were not learnt."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing, indexable

from ..evaluation.two_classes.roc_curve import RocCurve, RocPoint
from ..features.input_ranges import is_number, one_of
from .costs import Costs, matrix_of

RULES = ("eer", "bep", "tangent", "cost", "tpr", "fpr")
RESPONSES = ("auto", "predict_proba", "decision_function")


@dataclass(frozen=True)
class WorkingPoint:
    """A threshold: rows are accepted whose score reaches it.

        "eer"      argmin |FNR - FPR|            "bep"   argmin |recall - precision|
        "tangent"  argmax TPR - FPR              "cost"  argmin rho_FA (1 - p) FPR + rho_FR p FNR
        "tpr"      the highest with TPR >= rate  "fpr"   the lowest with FPR <= rate

    The rates are those of the rows that it was chosen on: take scores of rows that were not learnt, as `out_of_fold`
    does. Of thresholds that are equally good the highest is taken. A score that is the same for all rows has no working
    point between all and nothing, which is warned of.

    Attributes
    ----------
    threshold : float
        Infinity accepts nothing.
    tpr, fpr, precision : float
    positive : label
        The class that is accepted.
    rule : str
    response : str
        What the scores are: "predict_proba" or "decision_function", or "score" where they were given.

    Examples
    --------
    >>> from sumlearn import LinearDiscriminantAnalysis
    >>> from sumlearn.data import load_example
    >>> train, test = load_example("pima_tr"), load_example("pima_te")
    >>> model = LinearDiscriminantAnalysis()
    >>> point = WorkingPoint.out_of_fold(model, train.X, train.y, "cost", costs=Costs(1.0, 5.0))
    >>> print(f"{point.threshold:.3f}: TPR {point.tpr:.3f}, FPR {point.fpr:.3f}")
    0.101: TPR 0.941, FPR 0.500
    >>> decided = point.fixed(model).fit(train.X, train.y)              # scikit-learn's FixedThresholdClassifier
    >>> print(f"{(decided.predict(test.X) == point.positive)[test.y == point.positive].mean():.3f}")
    0.972

    References
    ----------
    Lecture note 002; Fawcett, "An introduction to ROC analysis", 2006.
    """

    threshold: float
    tpr: float
    fpr: float
    precision: float
    positive: Any
    rule: str
    response: str = "score"

    @classmethod
    def of(
        cls,
        y: Any,
        score: Any,
        rule: str = "eer",
        *,
        costs: Any = None,
        rate: float | None = None,
        prior: float | None = None,
        positive: Any = None,
        sample_weight: Any = None,
    ) -> Self:
        """The point of a rule on labels and scores, high for the positive class.

        `costs` (`Costs`, pairs by name, or a table) and `prior`, the share of positive rows where that of these rows is
        not the usual one, are for "cost"; `rate` is for "tpr" and "fpr". `positive` is the greater label, unless given.
        """
        check_rule(rule, costs, rate, prior)
        curve = RocCurve(y, score, sample_weight, positive)
        if len(curve.thresholds) == 2:  # infinity, and the one score
            warnings.warn(
                f"the score is {curve.thresholds[1]:g} for every row: a threshold accepts all rows or none",
                UserWarning,
                stacklevel=2,
            )
        point = chosen(curve, rule, costs_of(costs, y, curve.positive), rate, prior)
        return cls(point.threshold, point.tpr, point.fpr, point.precision, curve.positive, rule)

    @classmethod
    def out_of_fold(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        rule: str = "eer",
        *,
        cv: Any = 5,
        response: str = "auto",
        costs: Any = None,
        rate: float | None = None,
        prior: float | None = None,
        positive: Any = None,
        sample_weight: Any = None,
    ) -> Self:
        """The point of a rule on the scores of rows by a model that has not learnt them, of any classifier.

        `cv` is a number of folds or a splitter of scikit-learn; `response` says which scores, probabilities if there
        are some.
        """
        check_rule(rule, costs, rate, prior)
        one_of(response, "response", RESPONSES)
        method = response_of(estimator, response)
        X, y, sample_weight = indexable(X, y, sample_weight)
        labels = np.asarray(y)
        classes = np.unique(labels)
        if len(classes) != 2:
            raise ValueError(f"a working point is one of two classes, and y has {len(classes)}: {classes.tolist()[:5]}")
        wanted = classes[1] if positive is None else positive
        if wanted not in classes.tolist():
            raise ValueError(f"positive is {positive!r}, and the classes are {classes.tolist()}")
        weight = None if sample_weight is None else np.asarray(sample_weight, dtype=float)
        scores, seen = np.empty(len(labels)), np.zeros(len(labels), dtype=bool)  # a splitter may leave rows out
        for train, test in check_cv(cv, labels, classifier=True).split(X, labels):
            if len(np.unique(labels[train])) < 2:
                raise ValueError("a fold leaves rows of one class alone to learn from: fewer folds, or stratified ones")
            weights = {} if weight is None else {"sample_weight": weight[train]}
            model = clone(estimator).fit(_safe_indexing(X, train), labels[train], **weights)
            scores[test], seen[test] = scores_for(model, _safe_indexing(X, test), method, wanted), True
        point = cls.of(
            labels[seen], scores[seen], rule, costs=costs, rate=rate, prior=prior, positive=wanted,
            sample_weight=None if weight is None else weight[seen],
        )  # fmt: skip
        return cls(**{**vars(point), "response": method})

    def accepts(self, score: Any) -> np.ndarray:
        """Whether rows with these scores are accepted."""
        return np.asarray(score) >= self.threshold

    def fixed(self, estimator: Any) -> Any:
        """scikit-learn's FixedThresholdClassifier around a classifier, unfitted or in a FrozenEstimator."""
        from sklearn.model_selection import FixedThresholdClassifier

        method = "auto" if self.response == "score" else self.response
        return FixedThresholdClassifier(
            estimator, threshold=self.threshold, pos_label=self.positive, response_method=method
        )


def check_rule(rule: Any, costs: Any, rate: Any, prior: Any) -> None:
    """Refuse what a rule does not ask for, and what makes no sense."""
    one_of(rule, "rule", RULES)
    for name, value in (("costs", costs), ("prior", prior)):
        if value is not None and rule != "cost":
            raise ValueError(f"{name} is for 'cost', and the rule is {rule!r}")
    if rate is not None and rule not in ("tpr", "fpr"):
        raise ValueError(f"rate is for 'tpr' and 'fpr', and the rule is {rule!r}")
    if rule in ("tpr", "fpr") and (not is_number(rate) or not 0.0 <= rate <= 1.0):
        raise ValueError(f"rate must be between 0 and 1, the {rule.upper()} that is wanted; got {rate!r}")


def costs_of(costs: Any, y: Any, positive: Any) -> tuple[float, float]:
    """What a false acceptance and a false rejection cost more than the right answer."""
    if isinstance(costs, Costs) and not costs.pairs:
        return costs.false_accept, costs.false_reject
    if costs is None:
        return 1.0, 1.0
    labels = np.unique(np.asarray(y))
    if len(labels) != 2:
        raise ValueError(f"costs of a working point are of two classes, and y has {len(labels)}: give Costs of two")
    table, own = matrix_of(costs, labels), labels.tolist().index(positive)
    accept = float(table[1 - own, own] - table[1 - own, 1 - own])
    reject = float(table[own, 1 - own] - table[own, own])
    if min(accept, reject) < 0 or accept + reject == 0:
        raise ValueError("errors must not be cheaper than right answers, and one of them dearer: nothing is to decide")
    return accept, reject


def chosen(curve: RocCurve, rule: str, costs: tuple[float, float], rate: float | None, prior: float | None) -> RocPoint:
    """The point of a rule on a curve, one of its thresholds."""
    if rule == "cost":
        return curve.iso_cost_point(*costs, prior)
    if rule == "tangent":
        return curve.tangent_point
    if rule == "tpr":
        assert rate is not None
        return curve.point(int(np.argmax(curve.tpr >= rate * (1.0 - 1e-12))))
    if rule == "fpr":
        assert rate is not None
        return curve.point(int(np.flatnonzero(curve.fpr <= rate * (1.0 + 1e-12))[-1]))
    if rule == "eer":
        return curve.point(int(np.argmin(np.abs(curve.fnr - curve.fpr))))
    return curve.point(int(np.argmin(np.where(curve.tp > 0, np.abs(curve.tpr - curve.precision), np.inf))))


def response_of(estimator: Any, response: str) -> str:
    """The method that tells scores; probabilities where there is a choice, as in scikit-learn."""
    methods = RESPONSES[1:] if response == "auto" else (response,)
    there = [name for name in methods if hasattr(estimator, name)]
    if isinstance(estimator, type) or not there:
        raise TypeError(f"estimator must be a classifier with {' or '.join(methods)}, got {estimator!r}")
    return there[0]


def scores_for(model: Any, X: Any, method: str, positive: Any) -> np.ndarray:
    """Scores that are high for the positive of two classes."""
    place = np.asarray(model.classes_).tolist().index(positive)
    values = np.asarray(getattr(model, method)(X), dtype=float)
    if method == "predict_proba":
        return values[:, place]
    return values if place == 1 else -values
