"""A basis inside a learner: the model on the mapped columns, streamed, merged and cross-validated."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

import sumlearn
from sumlearn import LinearRegression, LogisticRegression, Ridge, RidgeCV, cross_validate
from sumlearn.features import Polynomial, RadialBasis, RandomFourierBasis, SigmoidBasis

from tests.agreement.problems import classes, distance, regression
from tests.laws.discovered import CLASSIFIERS, supervised
from tests.laws.discovered import MATRIX_ESTIMATORS as ESTIMATORS
from tests.laws.discovered import MATRIX_LEARNERS as LEARNERS

WITH_BASIS = [kind for kind in ESTIMATORS if "basis" in kind().get_params()]
BASES = {
    "polynomial": Polynomial(2),
    "orthogonal": Polynomial(3, orthogonal=True, domain=(-30.0, 30.0)),
    "radial": RadialBasis(np.array([[0.0, 0.0], [1.0, -1.0], [3.0, 2.0]]), 2.0),
    "sigmoid": SigmoidBasis([-1.0, 0.0, 2.0], 1.5),
}
each_kind = pytest.mark.parametrize("kind", WITH_BASIS, ids=lambda kind: kind.__name__)
each_basis = pytest.mark.parametrize("basis", BASES.values(), ids=BASES)


def problem(kind, rows=300):
    X, y = classes(rows, 2, 3) if kind in CLASSIFIERS else regression(rows, 2)
    return (X, y) if supervised(kind) else (X, None)


def scores(model, X):
    return model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X)


def test_a_linear_discriminant_on_a_basis():
    """A curved border from the sums of phi: merged, and the same as on columns written out."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (300, 2))
    y = (X**2).sum(axis=1) < 0.6
    kind = sumlearn.LinearDiscriminantAnalysis
    model, plain = kind(basis=Polynomial(2)).fit(X, y), kind().fit(Polynomial(2).fit_transform(X), y)
    assert np.allclose(model.predict_proba(X), plain.predict_proba(Polynomial(2).fit_transform(X)), atol=1e-12)
    assert model.score(X, y) > 0.95 > kind().fit(X, y).score(X, y)
    halves = [kind(basis=Polynomial(2)).fit(X[i::2], y[i::2]) for i in (0, 1)]
    assert distance(sum(halves).coef_, model.coef_) < 1e-9
    assert np.allclose(model.transform(X), plain.transform(Polynomial(2).fit_transform(X)), atol=1e-9)


def test_every_linear_learner_takes_one():
    """Those of the two linear families, of which two are no linear functions of the columns; and the discriminants."""
    families = ("sumlearn.learners.linear.", "sumlearn.learners.regression.")
    linear = {kind.__name__ for kind in ESTIMATORS if kind.__module__.startswith(families)}
    wanted = linear - {"PolynomialClassifier", "SparseRepresentationClassifier"} | {"LinearDiscriminantAnalysis"}
    assert len(wanted) > 15 and wanted <= {kind.__name__ for kind in WITH_BASIS}


@each_kind
@each_basis
def test_is_the_model_on_mapped_columns(kind, basis):
    X, y = problem(kind)
    found = kind(basis=basis).fit(X, y)
    phi = clone(basis).fit(X).transform(X)
    assert found.n_features_in_ == 2
    assert np.allclose(scores(found, X), scores(kind().fit(phi, y), phi), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("kind", [k for k in WITH_BASIS if k in LEARNERS], ids=lambda kind: kind.__name__)
def test_models_add_up(kind):
    X, y = problem(kind)
    parts = [kind(basis=Polynomial(2)).fit(X[i::3], y[i::3]) for i in range(3)]
    whole = kind(basis=Polynomial(2)).fit(X, y)
    assert np.allclose(scores(sum(parts), X), scores(whole, X), rtol=1e-8, atol=1e-8)
    assert np.allclose(scores(sum(parts) - parts[2], X), scores(parts[0] + parts[1], X), rtol=1e-7, atol=1e-7)
    with pytest.raises(ValueError, match="differ in basis"):
        parts[0] + kind(basis=Polynomial(3)).fit(X, y)
    assert not hasattr(whole, "restrict")  # the columns of the sums are terms of the basis


def test_centres_from_other_rows_do_not_merge():
    X, y = regression(200, 2)
    a, b = (Ridge(basis=RadialBasis(5, random_state=0)).fit(X[part], y[part]) for part in (slice(100), slice(100, 200)))
    with pytest.raises(ValueError, match="differ in their basis"):
        a + b
    a.partial_fit(X[100:], y[100:])  # the centres of the first call stay
    given = Ridge(basis=RadialBasis(a.basis_.centres_, a.basis_.widths_)).fit(X, y)
    assert distance(a.predict(X), given.predict(X)) < 1e-9


def test_cross_validation_is_that_of_a_pipeline():
    X, y = regression(300, 3)
    found = cross_validate(Ridge(basis=Polynomial(2)), X, y, cv=5, scoring=["r2", "neg_mean_absolute_error"])
    chain = make_pipeline(PolynomialFeatures(2, include_bias=False), Ridge())
    wanted = cross_validate(chain, X, y, cv=5, scoring=["r2", "neg_mean_absolute_error"])
    for name in ("test_r2", "test_neg_mean_absolute_error"):
        assert np.allclose(found[name], wanted[name], rtol=1e-9)


def test_centres_are_chosen_inside_the_folds():
    """A basis that looks at the data is fitted on the training rows of each fold, as in a pipeline."""
    X, y = regression(120, 2)
    basis = RadialBasis(6, 3.0, random_state=0)
    found = cross_validate(Ridge(basis=basis), X, y, cv=4)["test_score"]
    assert np.allclose(found, cross_validate(make_pipeline(basis, Ridge()), X, y, cv=4)["test_score"], rtol=1e-9)


def test_nearly_perfect_fits_are_scored_on_rows():
    """R^2 above 1 - 1e-4 is computed from held-out rows, which go through the basis once."""
    X, _ = regression(200, 2)
    y = X[:, 0] * X[:, 1] + X[:, 0] ** 2
    scores = cross_validate(LinearRegression(basis=Polynomial(2)), X, y, cv=3)["test_score"]
    assert (scores > 1 - 1e-12).all() and (scores <= 1).all()


def test_penalty_is_chosen():
    X, y = regression(200, 3)
    phi = Polynomial(2).fit(X).transform(X)
    for cv in (None, 5):
        found, wanted = RidgeCV(basis=Polynomial(2), cv=cv).fit(X, y), RidgeCV(cv=cv).fit(phi, y)
        assert found.alpha_ == wanted.alpha_
        assert distance(found.predict(X), wanted.predict(phi)) < 1e-9


@pytest.mark.parametrize("kind", [Ridge, LogisticRegression])
def test_files_and_clusters(kind, tmp_path):
    da = pytest.importorskip("dask.array")
    X, y = problem(kind, 6000)
    wanted = scores(kind(basis=Polynomial(2)).fit(X, y), X)
    pd.DataFrame(X, columns=["a", "b"]).assign(y=y).to_csv(tmp_path / "rows.csv", index=False)
    streamed = kind(basis=Polynomial(2)).fit(str(tmp_path / "rows.csv"), "y")
    assert np.allclose(scores(streamed, pd.DataFrame(X, columns=["a", "b"])), wanted, rtol=1e-9, atol=1e-9)
    blocks = kind(basis=Polynomial(2)).fit(da.from_array(X, chunks=(1000, 2)), da.from_array(y, chunks=1000))
    assert np.allclose(scores(blocks, X), wanted, rtol=1e-9, atol=1e-9)
    looked = kind(basis=RadialBasis(5, random_state=0))  # centres are looked up first
    wanted = scores(looked.fit(X, y), X)
    streamed = looked.fit(str(tmp_path / "rows.csv"), "y")
    assert np.allclose(scores(streamed, pd.DataFrame(X, columns=["a", "b"])), wanted, rtol=1e-9, atol=1e-9)


def test_bad_values_are_named_by_their_input():
    frame = pd.DataFrame(np.ones((9, 2)), columns=["a", "b"])
    frame.loc[4, "b"] = np.nan
    with pytest.raises(ValueError, match="NaN: first at row 4, column 'b'"):
        Ridge(basis=Polynomial(2)).fit(frame, np.arange(9.0))


def test_dependent_terms_are_named():
    frame = pd.DataFrame({"a": np.arange(9.0), "one": np.ones(9)})
    with pytest.warns(sumlearn.IllConditionedWarning, match=r"column\(s\) one, a one, one\^2"):
        LinearRegression(basis=Polynomial(2)).fit(frame, np.arange(9.0) ** 2)


def test_only_a_basis_is_one():
    with pytest.raises(TypeError, match=r"basis must be a basis of sumlearn\.features"):
        Ridge(basis=PolynomialFeatures(2)).fit([[0.0], [1.0]], [0.0, 1.0])


@pytest.mark.parametrize("basis", [RandomFourierBasis(60), SigmoidBasis(np.linspace(-1.5, 1.5, 30), 0.7)], ids=str)
def test_a_penalty_makes_few_rows_independent_of_their_history(basis):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(54, 2)).round(2), rng.normal(size=54).round(2)
    fitted, rest = (Ridge(1e-6, basis=basis).fit(X[rows], y[rows]) for rows in (slice(40), slice(20)))
    forgot = Ridge(1e-6, basis=basis).fit(X, y).forget(X[40:], y[40:])
    for model in (forgot, rest.partial_fit(X[20:40], y[20:40])):
        np.testing.assert_allclose(model.predict(X), fitted.predict(X), rtol=0, atol=1e-7)
    plain = LinearRegression(basis=basis).fit(X, y).forget(X[40:], y[40:])
    assert plain.digits_ < 3  # without one it says that little is known


@pytest.mark.parametrize("placing", ["spread", "random", "kmeans"])
def test_rows_of_weight_zero_are_absent_where_centres_are_drawn(placing):
    rng = np.random.default_rng(4)
    X, y, weight = rng.standard_normal((40, 2)), rng.standard_normal(40), rng.integers(0, 3, 40)
    there = weight > 0
    weighted, absent = (
        LinearRegression(basis=RadialBasis(5, placing=placing, random_state=0)).fit(X[part], y[part], weight[part])
        for part in (slice(None), there)
    )
    np.testing.assert_array_equal(weighted.basis_.centres_, absent.basis_.centres_)
    X[-1], weight[-1] = np.nan, 1
    with pytest.raises(ValueError, match="row 39"):
        LinearRegression(basis=RadialBasis(5, placing=placing)).fit(X, y, weight)
