"""What the Gaussian classifiers share: labels, priors, and posteriors from joint log-densities."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin

from ...objectives.links import log_softmax
from ..fitted import Fitted, Holder
from ..learner import OnePass

BLOCK = 8192  # rows scored at a time


class GaussianClassifier(ClassifierMixin, OnePass):
    """p(k | x) ~ p(k) N(x | m_k, S_k)."""

    target = "label"
    priors: Any

    classes_ = Fitted("Labels, sorted.")

    @abstractmethod
    def joint(self, X: np.ndarray) -> np.ndarray:
        """ln p(k) + ln p(x | k), up to a term that all classes share; one column per class."""

    def partial_fit(  # type: ignore[override]
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> Self:
        """Learn from more rows. With `classes` at the first call the labels are fixed; else new ones may come."""
        fixed = self.__dict__.get("_classes") if "statistic_" in self.__dict__ else None
        if classes is not None:
            classes = np.unique(np.asarray(classes))
            if fixed is not None and not np.array_equal(fixed, classes):
                raise ValueError(f"`classes={classes.tolist()}` differs from the earlier call, {fixed.tolist()}")
            fixed = classes
        if fixed is not None:
            from ...data import split_target, vector

            X, y = split_target(X, y)
            y = vector(y)
            unknown = np.setdiff1d(y, fixed)
            if len(unknown):
                raise ValueError(
                    f"The target label(s) {unknown.tolist()} in y do not exist in the initial classes {fixed.tolist()}"
                )
        super().partial_fit(X, y, sample_weight)
        if fixed is not None:
            self._classes = fixed
            self._holder = Holder()
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The most probable label of every row."""
        best = self.joint_rows(X).argmax(axis=1)
        return self.classes_[best]

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """ln p(k | x), one column per class."""
        return log_softmax(self.joint_rows(X))

    def predict_proba(self, X: Any) -> np.ndarray:
        """p(k | x), one column per class."""
        return np.exp(self.predict_log_proba(X))

    def joint_rows(self, X: Any) -> np.ndarray:
        X = self.rows_of(X)
        if len(X) <= BLOCK:
            return self.joint(X)
        return np.concatenate([self.joint(X[i : i + BLOCK]) for i in range(0, len(X), BLOCK)])

    # -- for the solutions ------------------------------------------------------------------------------------------

    def labels_of(self, statistic: Any) -> np.ndarray:
        """Labels that occurred and those fixed beforehand."""
        fixed = self.__dict__.get("_classes")
        return np.array(statistic.labels) if fixed is None else fixed

    def priors_of(self, weights: np.ndarray) -> np.ndarray:
        if self.priors is None:
            return weights / weights.sum()
        priors = np.asarray(self.priors, dtype=float)
        if priors.shape != weights.shape:
            raise ValueError(
                f"Number of priors must match number of classes: {priors.shape} and {len(weights)} classes"
            )
        if (priors < 0).any() or not np.isfinite(priors).all():
            raise ValueError("priors must be non-negative")
        total = priors.sum()
        if abs(total - 1.0) > 1e-5:
            self.off_priors(total)
        return priors / total

    def off_priors(self, total: float) -> None:
        warnings.warn("The priors do not sum to 1. Renormalizing", UserWarning, stacklevel=6)


def decision(joint: np.ndarray) -> np.ndarray:
    """Joint log-densities as scikit-learn's decision function: for two classes the log-odds of the second."""
    if joint.shape[1] == 1:
        return np.zeros(len(joint))
    return joint[:, 1] - joint[:, 0] if joint.shape[1] == 2 else joint


def refuse(name: str, **options: Any) -> None:
    """Options that are no function of the sums."""
    for option, value in options.items():
        if value is not None:
            raise ValueError(
                f"{name}({option}={value!r}) is no function of the sums, it needs the rows: use {option}=None"
                + (" or a number" if option == "shrinkage" else "")
            )
