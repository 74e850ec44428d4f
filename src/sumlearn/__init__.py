"""Machine learning that adds up: a model is solve(sum of summarise(chunk)).

Names are loaded when first used, so that ``import sumlearn`` costs next to nothing.
"""

from .lazy import lazily
from .version import __version__

_HOMES = {
    "GaussianNB": "learners.gaussian.naive_bayes",
    "IllConditionedWarning": "statistics.warnings",
    "LinearDiscriminantAnalysis": "learners.gaussian.linear_discriminant",
    "LinearRegression": "learners.regression.linear_regression",
    "PCA": "learners.projections.pca",
    "QuadraticDiscriminantAnalysis": "learners.gaussian.quadratic_discriminant",
    "Ridge": "learners.regression.ridge",
    "RidgeCV": "learners.regression.ridge_cv",
    "cross_validate": "evaluation.cross_validation",
    **dict.fromkeys(("data", "engines", "evaluation", "learners", "solvers", "statistics", "testing"), ""),
}

__all__ = ["__version__", *sorted(_HOMES)]
__getattr__, __dir__ = lazily(__name__, _HOMES)
