"""scikit-learn-intelex: its own classes, scikit-learn itself unpatched. Its threads are its own, not BLAS ones."""

from __future__ import annotations

from sklearnex.decomposition import PCA
from sklearnex.linear_model import LinearRegression, LogisticRegression, Ridge

from benchmarks import numbers
from benchmarks.candidates import DEFAULT_BLAS, Candidate, Rival
from benchmarks.data import Data
from benchmarks.rivals.scikit_learn import cross_validations, fits, grid_searches

rival = Rival("intelex", __name__)


@rival.enters("linear_regression")
def linear_regression(data: Data) -> list[Candidate]:
    return fits({"default": LinearRegression()}, data, data.target, numbers.coefficients, DEFAULT_BLAS)


@rival.enters("ridge")
def ridge(data: Data) -> list[Candidate]:
    return fits({"default": Ridge(alpha=1.0)}, data, data.target, numbers.coefficients, DEFAULT_BLAS)


@rival.enters("pca")
def pca(data: Data) -> list[Candidate]:
    solvers = ("covariance_eigh", "full")
    estimators = {f"svd_solver={solver}": PCA(n_components=10, svd_solver=solver) for solver in solvers}
    return fits(estimators, data, None, numbers.components, DEFAULT_BLAS)


@rival.enters("ridge_cv")
def ridge_cv(data: Data) -> list[Candidate]:
    return grid_searches(Ridge(), data)


@rival.enters("cross_validate/linear_regression")
def cross_validate_linear_regression(data: Data) -> list[Candidate]:
    return cross_validations({"": LinearRegression()}, data, data.target, "r2")


@rival.enters("logistic/two")
@rival.enters("logistic/two_narrow")
def logistic_two(data: Data) -> list[Candidate]:
    two = data.binary()
    estimators = {"lbfgs tol=1e-6": LogisticRegression(tol=1e-6, max_iter=10_000)}
    return fits(estimators, two, two.labels, numbers.log_loss, DEFAULT_BLAS)


@rival.enters("logistic/ten")
def logistic_ten(data: Data) -> list[Candidate]:
    estimators = {"lbfgs tol=1e-6": LogisticRegression(tol=1e-6, max_iter=10_000)}
    return fits(estimators, data, data.labels, numbers.log_loss, DEFAULT_BLAS)
