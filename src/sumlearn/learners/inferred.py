"""What a learner says of its estimates, written once for all that have an `Inference`."""

from __future__ import annotations

from typing import Any

import numpy as np

from .fitted import Named
from .inference import WaldTest
from .summary_table import SummaryTable


class Inferred(Named):
    """A fitted attribute that the inference of a model tells; whatever is in its way is an AttributeError."""

    def __get__(self, model: Any, owner: type | None = None) -> Any:
        if model is None:
            return self
        try:
            return getattr(model.inference(), self.name.rstrip("_"))
        except Exception as error:  # reprs read every attribute: nothing but AttributeError may come out
            missing = f"{type(model).__name__!r} object has no attribute {self.name!r}"
            raise AttributeError(f"{missing}: {error}") from error


class InferenceMixin:
    """What a learner says of its estimates; it writes `inference()`, everything here follows."""

    inference: Any  # a method that returns an Inference

    covariance_ = Inferred("Covariance of the estimates, the intercept first; NaN where they are not determined.")
    fisher_information_ = Inferred("Fisher information, minus the expected curvature of the log-likelihood.")
    cramer_rao_ = Inferred("The bound of Cramer and Rao for unbiased estimators: the inverse of the information.")
    standard_errors_ = Inferred("Standard errors of the estimates, the intercept first.")
    t_values_ = Inferred("Estimates in standard errors; of classifiers, z values.")
    p_values_ = Inferred("Two-sided p values of the hypothesis that a parameter is zero.")
    aic_ = Inferred("Akaike's criterion, -2 ln L + 2 p.")
    bic_ = Inferred("The Bayesian criterion, -2 ln L + p ln N.")

    def confidence_interval(self, level: float = 0.95) -> np.ndarray:
        """Lower and upper limit of every parameter, the intercept first: (parameters, 2)."""
        return self.inference().confidence_interval(level)

    def wald_test(self, R: Any, q: Any = 0.0) -> WaldTest:
        """Test R b = q; R is a matrix with a column for each parameter, the intercept first, or names of parameters."""
        return self.inference().wald_test(R, q)

    def summary(self, level: float = 0.95) -> SummaryTable:
        """A table of the estimates, which prints as text, HTML, LaTeX or a data frame."""
        return self.inference().summary(level)
