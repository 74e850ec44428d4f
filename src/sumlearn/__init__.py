"""Machine learning that adds up: a model is solve(sum of summarise(chunk)).

Names are loaded when first used, so that ``import sumlearn`` costs next to nothing.
"""

from importlib import import_module
from typing import Any

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
}
_FOLDERS = ("data", "engines", "evaluation", "learners", "solvers", "statistics", "testing")

__all__ = ["__version__", *sorted(_HOMES), *_FOLDERS]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    elif name in _FOLDERS:
        value = import_module(f"{__name__}.{name}")
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
