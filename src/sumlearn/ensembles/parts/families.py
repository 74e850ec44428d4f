"""The classifiers that EM can fit from labelled rows and shares of the others."""

from __future__ import annotations

from typing import Any

from ...learners.bayes.bernoulli import BernoulliNB
from ...learners.bayes.multinomial import MultinomialNB
from ...learners.clusters.gaussian_mixture_classifier import GaussianMixtureClassifier
from ...learners.gaussian.linear_discriminant import LinearDiscriminantAnalysis
from ...learners.gaussian.naive_bayes import GaussianNB
from ...learners.gaussian.quadratic_discriminant import QuadraticDiscriminantAnalysis
from .class_densities import (
    Family,
    of_counts,
    of_independent_columns,
    of_own_covariances,
    of_shared_covariance,
    of_truth_values,
    smoothing_of_all,
)
from .mixture_densities import completed_mixtures, densities_of, ridge_of, started, sums_of_components

FAMILIES: dict[type, Family] = {
    LinearDiscriminantAnalysis: Family(of_shared_covariance),
    QuadraticDiscriminantAnalysis: Family(of_own_covariances),
    GaussianNB: Family(of_independent_columns, ridge=smoothing_of_all),
    MultinomialNB: Family(of_counts, sparse_ok=True, gaussian=False),
    GaussianMixtureClassifier: Family(
        densities_of, ridge=ridge_of, sums=sums_of_components, model=completed_mixtures, start=started
    ),
    BernoulliNB: Family(of_truth_values, sparse_ok=True, gaussian=False),
}


def family_of(estimator: Any) -> Family:
    """The family of a classifier; refused with parameters whose solution is no maximum of a likelihood."""
    found = next((family for kind, family in FAMILIES.items() if type(estimator) is kind), None)
    if found is None:
        names = ", ".join(kind.__name__ for kind in FAMILIES)
        raise TypeError(
            f"EM with unlabelled rows needs a classifier that maximises a likelihood of sums: one of {names}; got "
            f"{type(estimator).__name__}"
        )
    for name in ("shrinkage", "reg_param", "covariance_estimator", "unbiased", "basis"):
        value = getattr(estimator, name, None)
        if value is not None and value is not False and not (name == "reg_param" and value == 0.0):
            raise ValueError(
                f"estimator has {name}={value!r}, which maximises no likelihood that EM could climb: leave it out; "
                "GaussianNB(var_smoothing=...) is the smoothed one"
            )
    if isinstance(estimator, LinearDiscriminantAnalysis) and estimator.priors is not None and estimator.solver != "svd":
        raise ValueError("estimator has priors that weight the class covariances: use its solver='svd'")
    return found
