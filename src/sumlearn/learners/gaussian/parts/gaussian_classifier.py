"""What the Gaussian classifiers share: labels, priors, and posteriors from joint log-densities."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from ....statistics.warnings import warn
from ...classifier import LabelMixin
from ...linear_map import numbers_of
from ...posterior import PosteriorMixin
from ...validation import term_name

BLOCK = 8192  # rows scored at a time


class JointDensities(PosteriorMixin):
    """p(k | x) ~ p(k) p(x | k): Bayes' rule, for whatever has a density for each class."""

    rows_of: Any  # of the learner

    @abstractmethod
    def joint(self, X: np.ndarray) -> np.ndarray:
        """ln p(k) + ln p(x | k), up to a term that all classes share; one column per class."""

    def joint_rows(self, X: Any) -> np.ndarray:
        X = self.rows_of(X)
        with np.errstate(over="ignore", invalid="ignore"):
            parts = [self.joint(X[i : i + BLOCK]) for i in range(0, max(len(X), 1), BLOCK)]
        joint = parts[0] if len(parts) == 1 else np.concatenate(parts)
        numbers_of(joint.max(axis=1, initial=-np.inf))  # no class has a density there
        return joint


class GaussianClassifier(JointDensities, LabelMixin):
    """p(k | x) ~ p(k) N(x | m_k, S_k)."""


def warn_of_directions(model: Any, left_out: int, deviation: np.ndarray, statistic: Any) -> None:
    """Directions that are left out, since the classes do not vary in them; where rows are few, columns alone."""
    still = np.flatnonzero(deviation == 0)
    few = statistic.weight <= statistic.features + len(statistic.labels)
    if not left_out or (few and not len(still)):
        return
    names = ", ".join(str(term_name(model, int(j))) for j in still[:5]) + (", ..." if len(still) > 5 else "")
    which = f"; column(s) {names} are constant within every class and count for nothing" if len(still) else ""
    count = f"{left_out} of {len(deviation)} directions"
    warn(f"the classes do not vary in {count}: columns are constant or dependent{which}")


def decision(joint: np.ndarray) -> np.ndarray:
    """Joint log-densities as scikit-learn's decision function: for two classes the log-odds of the second."""
    if joint.shape[1] == 1:
        return np.zeros(len(joint))
    return joint[:, 1] - joint[:, 0] if joint.shape[1] == 2 else joint


def shrinkage_of(model: Any) -> Any:
    """`shrinkage`, or that of a covariance estimator which is a function of the sums: the empirical or the shrunk."""
    estimator = model.covariance_estimator
    if estimator is None:
        return model.shrinkage
    from sklearn.covariance import EmpiricalCovariance, ShrunkCovariance

    if model.shrinkage is not None:
        raise ValueError("covariance_estimator and shrinkage parameters are not None. Only one of the two can be set.")
    if model.solver == "svd":
        raise ValueError(
            "covariance_estimator is not supported with solver='svd': a covariance estimator is not supported with svd"
        )
    if type(estimator) not in (EmpiricalCovariance, ShrunkCovariance) or estimator.assume_centered:
        refuse(type(model).__name__, covariance_estimator=estimator)
    return getattr(estimator, "shrinkage", 0.0)


def refuse(name: str, **options: Any) -> None:
    """Options that are no function of the sums."""
    for option, value in options.items():
        if value is not None:
            raise ValueError(
                f"{name}({option}={value!r}) is no function of the sums, it needs the rows: use {option}=None"
                + (" or a number" if option == "shrinkage" else "")
            )
