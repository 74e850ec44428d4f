"""Decisions of least expected cost, by any classifier with probabilities."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin

from ..features.input_ranges import is_number
from ..learners import Description, Wrapper
from ..learners.ability import with_ability
from ..learners.gaussian.linear_discriminant import LinearDiscriminantAnalysis
from ..learners.sampling import LabelSamplingMixin
from ..learners.sum_algebra import fixed_classes
from .costs import Costs, matrix_of
from .parts.many_classes import allows_gaps


class CostSensitiveClassifier(LabelSamplingMixin, ClassifierMixin, Wrapper):
    """The class whose expected cost is least, or no answer where every answer is too dear.

        k(x) = argmin_j sum_i P(i | x) c_ij,    two classes: accept if ln P(1 | x) / P(0 | x) >= ln rho_FA / rho_FR

    Costs are looked at when a decision is made: other costs need no other fit.

    Statistic: that of the classifier inside; the model can merge, forget, decay and restrict as far as that can. Cost:
    that of the classifier.

    Parameters
    ----------
    estimator : classifier, default=None
        With `predict_proba`; None is LinearDiscriminantAnalysis(). Probabilities that are far off make costly
        decisions: scikit-learn's CalibratedClassifierCV inside mends them.
    costs : Costs, dict, table or None, default=None
        `Costs`; {(true, said): cost}; or a table with a row for each true class and a column for each said one, in the
        order of ``classes_``. None: every error costs 1.
    reject : float, default=None
        The cost of no answer: a row whose least expected cost is above it gets `reject_label`.
    reject_label : label, default=None
        A label of the kind of the classes that is none of them.

    Attributes
    ----------
    classes_ : array
    learners_ : list
        The fitted classifier.

    Examples
    --------
    >>> from sumlearn import CostSensitiveClassifier, GaussianNB
    >>> from sumlearn.data import load_example
    >>> iris = load_example("iris")
    >>> model = CostSensitiveClassifier(GaussianNB(), {("versicolor", "virginica"): 50.0}).fit(iris.X, iris.y)
    >>> [int((m.predict(iris.X) == "virginica").sum()) for m in (model, model.learners_[0])]
    [38, 50]

    References
    ----------
    Lecture note 002.
    """

    description = Description(parts=(Costs,))
    target = "label"

    def __init__(
        self, estimator: Any = None, costs: Any = None, *, reject: float | None = None, reject_label: Any = None
    ) -> None:
        self.estimator = estimator
        self.costs = costs
        self.reject = reject
        self.reject_label = reject_label

    def check(self) -> None:
        (base,) = self.inside(None)
        if isinstance(base, type) or not hasattr(base, "predict_proba"):
            raise TypeError(f"estimator must have predict_proba: expected costs need probabilities, got {base!r}")
        if self.reject is not None and not (is_number(self.reject) and 0.0 <= self.reject < np.inf):
            raise ValueError(f"reject must be a cost, finite and not negative, got {self.reject!r}")
        if (self.reject is None) != (self.reject_label is None):
            raise ValueError("reject and reject_label go together: what no answer costs, and what stands for it")

    @property
    def takes_gaps(self) -> bool:
        """Whether NaN is left to the classifier: one of another library that takes it, or mends it."""
        return allows_gaps(self.estimator)

    def inside(self, look: Any) -> list[Any]:
        return [LinearDiscriminantAnalysis() if self.estimator is None else self.estimator]

    @property
    def classes_(self) -> np.ndarray:
        if "learners_" not in vars(self):
            raise AttributeError(f"{type(self).__name__!r} object has no classes yet: call fit")
        return np.asarray(self.learners_[0].classes_)

    @with_ability("update")
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from more rows. With `classes` at the first call the labels are fixed; else new ones may come."""
        known = vars(self.learners_[0]).get("_classes") if "learners_" in vars(self) else None
        fixed = fixed_classes(known, classes)
        if fixed is not None:
            if isinstance(y, str):
                raise ValueError("labels are fixed: give y itself, not the name of its column")
            unknown = sorted(set(np.unique(np.asarray(y)).tolist()) - set(fixed.tolist()))
            if unknown:
                raise ValueError(
                    f"The target label(s) {unknown} in y do not exist in the initial classes {fixed.tolist()}"
                )
        super().partial_fit(X, y, sample_weight)
        if fixed is not None:
            self.learners_[0]._classes = fixed
            self.learners_[0].unsolved()
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """P(k | x) of the classifier inside, one column per class."""
        rows, model = self.rows_of(X, sparse_ok=True), self.learners_[0]
        if hasattr(model, "without_names"):
            return model.without_names().predict_proba(rows)
        return model.predict_proba(X if hasattr(model, "feature_names_in_") else rows)

    def expected_cost(self, X: Any) -> np.ndarray:
        """What each answer is expected to cost, one column per class."""
        return self.predict_proba(X) @ matrix_of(self.costs, self.classes_)

    def predict(self, X: Any) -> np.ndarray:
        """The answer of least expected cost; of two that cost the same the second, of more the first."""
        self.check()
        costs, classes = self.expected_cost(X), self.classes_
        best = (costs[:, 1] <= costs[:, 0]).astype(int) if costs.shape[1] == 2 else costs.argmin(axis=1)
        if self.costs is None and costs.shape[1] == 2:
            best = costs.argmin(axis=1)  # as the classifier inside
        answers = classes[best]
        if self.reject is None:
            return answers
        label = np.asarray(self.reject_label)
        if self.reject_label in classes.tolist() or (label.dtype.kind in "US") != (classes.dtype.kind in "USO"):
            raise ValueError(f"reject_label must be of the kind of {classes.tolist()} and none of them, got {label!r}")
        return np.where(costs.min(axis=1) > self.reject, label.astype(np.result_type(label, classes)), answers)
