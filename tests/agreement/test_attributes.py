"""Whatever scikit-learn's estimator of the same name offers after fit, ours offers too: shape, kind and value."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sparse
import sklearn.decomposition
import sklearn.discriminant_analysis
import sklearn.linear_model
import sklearn.naive_bayes

import sumlearn

from tests.agreement.problems import classes, regression

HOMES = {
    "LinearRegression": sklearn.linear_model,
    "Ridge": sklearn.linear_model,
    "RidgeCV": sklearn.linear_model,
    "LinearDiscriminantAnalysis": sklearn.discriminant_analysis,
    "QuadraticDiscriminantAnalysis": sklearn.discriminant_analysis,
    "GaussianNB": sklearn.naive_bayes,
    "PCA": sklearn.decomposition,
}
CASES = [
    ("LinearRegression", {}),
    ("LinearRegression", {"fit_intercept": False}),
    ("LinearRegression", {"positive": True}),
    ("Ridge", {"alpha": 3.0}),
    ("Ridge", {"solver": "svd"}),
    ("Ridge", {"solver": "cholesky", "fit_intercept": False}),
    ("RidgeCV", {}),
    ("RidgeCV", {"store_cv_results": True}),
    ("RidgeCV", {"cv": 4, "alphas": (1.0, 100.0)}),
    ("LinearDiscriminantAnalysis", {}),
    ("LinearDiscriminantAnalysis", {"store_covariance": True}),
    ("LinearDiscriminantAnalysis", {"solver": "lsqr"}),
    ("LinearDiscriminantAnalysis", {"solver": "eigen"}),
    ("QuadraticDiscriminantAnalysis", {}),
    ("QuadraticDiscriminantAnalysis", {"store_covariance": True}),
    ("QuadraticDiscriminantAnalysis", {"solver": "eigen", "store_covariance": True}),
    ("GaussianNB", {}),
    ("PCA", {}),
    ("PCA", {"n_components": 2}),
    ("PCA", {"n_components": 2, "svd_solver": "full", "whiten": True}),
]
# Where the value differs on purpose. The attribute must still be there.
OTHER_VALUE = {
    ("Ridge", None, "n_iter_"): "1, for every solver stands for one direct solution; scikit-learn has None",
    ("Ridge", "svd", "n_iter_"): "as without a solver",
    ("Ridge", "cholesky", "n_iter_"): "as without a solver",
    ("LinearDiscriminantAnalysis", "lsqr", "coef_"): "up to a term that all classes share: all solvers, one model",
    ("LinearDiscriminantAnalysis", "lsqr", "intercept_"): "as coef_",
    ("LinearDiscriminantAnalysis", "eigen", "coef_"): "as with lsqr",
    ("LinearDiscriminantAnalysis", "eigen", "intercept_"): "as with lsqr",
    ("LinearDiscriminantAnalysis", "eigen", "scalings_"): "only the directions that transform uses",
    ("QuadraticDiscriminantAnalysis", "eigen", "scalings_"): "largest first, as with svd",
    ("QuadraticDiscriminantAnalysis", "eigen", "rotations_"): "largest first, as with svd",
}
UP_TO_SIGN = {"scalings_", "rotations_"}  # eigenvectors; scikit-learn does not fix their sign here


def case_name(case):
    name, options = case
    return name + "".join(f"-{key}={value}" for key, value in options.items())


@pytest.fixture(params=CASES, ids=case_name)
def case(request):
    return request.param


def problem(name):
    if name == "PCA":
        return regression(120, 5)[:1]
    if HOMES[name] is sklearn.linear_model:
        return regression(120, 5)
    return classes(120, 4, 3)


def fitted(case, *data):
    name, options = case
    return getattr(sumlearn, name)(**options).fit(*data), getattr(HOMES[name], name)(**options).fit(*data)


def public(model):
    """Names ending in one underscore that the model has; some of scikit-learn's are properties that may refuse."""
    return [n for n in dir(model) if n.endswith("_") and not n.startswith("_") and hasattr(model, n)]


def stacked(value):
    return np.array(value) if isinstance(value, list) else np.asarray(value)


def test_every_attribute_is_there(case):
    ours, reference = fitted(case, *problem(case[0]))
    missing = [name for name in public(reference) if not hasattr(ours, name)]
    assert missing == []


def test_every_attribute_has_the_same_shape_kind_and_value(case):
    ours, reference = fitted(case, *problem(case[0]))
    wrong = []
    for name in public(reference):
        if not hasattr(ours, name):
            continue  # told by the test above
        found, expected = stacked(getattr(ours, name)), stacked(getattr(reference, name))
        same_kind = found.dtype.kind == expected.dtype.kind
        if (case[0], case[1].get("solver"), name) in OTHER_VALUE:
            continue
        if found.shape != expected.shape or not same_kind:
            wrong.append(f"{name}: {found.shape} {found.dtype}, not {expected.shape} {expected.dtype}")
        elif expected.dtype.kind != "f":
            if not np.array_equal(found, expected):
                wrong.append(f"{name}: {found}, not {expected}")
        else:
            if name in UP_TO_SIGN:
                found, expected = np.abs(found), np.abs(expected)
            if not np.allclose(found, expected, rtol=1e-8, atol=1e-9 * np.abs(expected).max(initial=0.0)):
                wrong.append(f"{name}: {found}, not {expected}")
    assert wrong == []


def test_float32_rows(case):
    """The same attributes, to the digits of the rows; models themselves may keep more."""
    wide, narrow = problem(case[0]), [a.astype(np.float32) if a.dtype == np.float64 else a for a in problem(case[0])]
    ours, ours_narrow = (fitted(case, *data)[0] for data in (wide, narrow))
    for name in public(ours):
        expected, found = getattr(ours, name), getattr(ours_narrow, name)
        if name in UP_TO_SIGN or not isinstance(expected, float | np.ndarray) or stacked(expected).dtype.kind != "f":
            continue
        assert found.shape == expected.shape if isinstance(expected, np.ndarray) else np.ndim(found) == 0
        if name not in ("condition_", "digits_"):
            assert np.allclose(found, expected, rtol=1e-3, atol=1e-4 * np.abs(expected).max(initial=0.0)), name


def test_names_of_columns(case):
    X, *y = problem(case[0])
    frame = pd.DataFrame(X, columns=[f"column {j}" for j in range(X.shape[1])])
    ours, reference = fitted(case, frame, *y)
    assert ours.feature_names_in_.tolist() == reference.feature_names_in_.tolist()
    assert ours.feature_names_in_.dtype == reference.feature_names_in_.dtype
    assert ours.n_features_in_ == reference.n_features_in_
    if hasattr(reference, "get_feature_names_out"):
        assert ours.get_feature_names_out().tolist() == reference.get_feature_names_out().tolist()


@pytest.mark.parametrize("name", ["LinearRegression", "Ridge", "RidgeCV"])
def test_several_targets(name):
    ours, reference = fitted((name, {}), *regression(120, 5, 3))
    for attribute in ("coef_", "intercept_"):
        assert getattr(ours, attribute).shape == getattr(reference, attribute).shape
        assert getattr(ours, attribute) == pytest.approx(getattr(reference, attribute), rel=1e-8)


@pytest.mark.parametrize("name", ["LinearRegression", "Ridge"])
def test_sparse_rows(name):
    X, y = regression(120, 5)
    X[np.abs(X) < 2] = 0.0
    ours, reference = fitted((name, {}), sparse.csr_array(X), y)
    missing = [attribute for attribute in public(reference) if not hasattr(ours, attribute)]
    assert missing == []
    assert ours.coef_ == pytest.approx(reference.coef_, rel=1e-3)  # scikit-learn's is iterative


@pytest.mark.parametrize("name", HOMES)
def test_parameters(name):
    """scikit-learn's parameters are all there, with their defaults."""
    ours = getattr(sumlearn, name)().get_params()
    reference = getattr(HOMES[name], name)().get_params()
    assert {key: ours.get(key, "missing") for key in reference} == reference


@pytest.mark.parametrize("name", HOMES)
def test_methods(name):
    """scikit-learn's public methods are all there."""
    ours, reference = getattr(sumlearn, name), getattr(HOMES[name], name)
    methods = [m for m in dir(reference) if not m.startswith("_") and callable(getattr(reference, m, None))]
    missing = [m for m in methods if not hasattr(ours, m)]
    assert missing == []
