"""LeastSquaresClassifier against scikit-learn's RidgeClassifier, NumPy's lstsq and numbers worked by hand."""

import numpy as np
import pytest
import scipy.sparse as sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import cross_val_score

from sumlearn import (
    GaussianNB,
    IllConditionedWarning,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    LinearRegression,
    QuadraticDiscriminantAnalysis,
    cross_validate,
)

from tests.agreement.problems import CLASSES, classes, distance, whole_weights

EXACT = 1e-9
CLASS_WEIGHTS = {
    "none": lambda k: None,
    "balanced": lambda k: "balanced",
    "given": lambda k: {j: 0.5 + 3.0 * j for j in range(k)},
    "some": lambda k: {k - 1: 4.0},
    "without the first": lambda k: {0: 0.0},
}


def one_hot(y):
    return (y[:, None] == np.unique(y)).astype(float)


def with_ones(X):
    return np.column_stack([X, np.ones(len(X))])


@settings(max_examples=60)
@given(
    shape=st.sampled_from(sorted(CLASSES)),
    alpha=st.sampled_from([1e-6, 0.3, 40.0]),
    intercept=st.booleans(),
    weighting=st.sampled_from(sorted(CLASS_WEIGHTS)),
)
def test_agrees_with_ridge_classifier(shape, alpha, intercept, weighting):
    """Its targets -1 and +1 are an affine map of 0 and 1, so the planes are 2 f - 1."""
    n, d, k = CLASSES[shape]
    X, y = classes(n, d, k)
    options = {"fit_intercept": intercept, "class_weight": CLASS_WEIGHTS[weighting](k)}
    ours = LeastSquaresClassifier(alpha, **options).fit(X, y)
    reference = RidgeClassifier(alpha, solver="svd", **options).fit(X, y)
    assert distance(ours.coef_, np.atleast_2d(reference.coef_)) < EXACT
    assert np.abs(ours.intercept_ - reference.intercept_).max() < EXACT
    assert distance(ours.decision_function(X), reference.decision_function(X)) < EXACT
    assert np.array_equal(ours.predict(X), reference.predict(X))


@pytest.mark.parametrize("shape", sorted(CLASSES))
def test_classification_by_regression_on_zero_and_one(shape):
    """Two classes: f is the regression on 0 and 1, the second class where f > 1/2. More: W = Y X^+, the largest f."""
    X, y = classes(*CLASSES[shape])
    model = LeastSquaresClassifier().fit(X, y)
    W = np.linalg.lstsq(with_ones(X), one_hot(y), rcond=None)[0]
    f = with_ones(X) @ W
    if f.shape[1] == 2:
        assert distance((1.0 + model.decision_function(X)) / 2.0, f[:, 1]) < 1e-12
        assert np.array_equal(model.predict(X), np.where(f[:, 1] > 0.5, 1, 0))
    else:
        assert distance((1.0 + model.decision_function(X)) / 2.0, f) < 1e-12
        assert np.array_equal(model.predict(X), f.argmax(axis=1))


def test_four_points_by_hand():
    """x = 0, 1, 2, 3 with t = 0, 0, 1, 1: slope 2 / 5, f = 0.4 x - 0.1, and f = 1/2 at x = 1.5."""
    model = LeastSquaresClassifier().fit([[0.0], [1.0], [2.0], [3.0]], ["no", "no", "yes", "yes"])
    assert model.coef_.tolist() == [[pytest.approx(0.8, rel=1e-15)]]
    assert model.intercept_.tolist() == [pytest.approx(-1.2, rel=1e-15)]
    assert model.predict([[1.49], [1.51]]).tolist() == ["no", "yes"]


def test_a_score_of_one_half_is_the_first_class():
    model = LeastSquaresClassifier().fit([[-1.0], [1.0]], [0, 1])
    assert model.decision_function([[0.0]]) == [0.0]
    assert model.predict([[0.0]]) == [0]


def test_a_class_between_two_others_is_hidden():
    """Three classes on a line: the plane of the middle one is flat, so it is never the largest."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 100)
    X = 4.0 * y[:, None] + rng.standard_normal((300, 1))
    assert (LeastSquaresClassifier().fit(X, y).predict(X) == 1).mean() < 0.02
    assert (LinearDiscriminantAnalysis().fit(X, y).predict(X) == 1).mean() > 0.3


@pytest.mark.parametrize("weighting", ["none", "balanced", "given"])
def test_weights_are_repetitions(weighting):
    X, y = classes(150, 3, 3)
    weight = whole_weights(150)
    options = {"alpha": 2.0, "class_weight": CLASS_WEIGHTS[weighting](3)}
    weighted = LeastSquaresClassifier(**options).fit(X, y, sample_weight=weight)
    reference = RidgeClassifier(solver="svd", **options).fit(X.repeat(weight, axis=0), y.repeat(weight))
    assert distance(weighted.coef_, reference.coef_) < EXACT


def test_class_weights_are_weights_of_the_rows():
    X, y = classes(150, 3, 3)
    factor = np.array([0.25, 1.0, 7.0])
    a = LeastSquaresClassifier(1.5, class_weight=dict(enumerate(factor))).fit(X, y)
    b = LeastSquaresClassifier(1.5).fit(X, y, sample_weight=factor[y])
    assert distance(a.coef_, b.coef_) < 1e-13
    assert distance(a.intercept_, b.intercept_) < 1e-13


@settings(max_examples=25)
@given(
    alpha=st.sampled_from([0.0, 3.0]),
    intercept=st.booleans(),
    weighting=st.sampled_from(["none", "balanced", "given"]),
    seed=st.integers(0, 5),
)
def test_scores_add_up(alpha, intercept, weighting, seed):
    """Not the labels alone: the scores of merged, diminished and decayed models are those of a fit."""
    X, y = classes(300, 4, 3, seed)
    X = X + np.array([0.0, 1e3, -1e6, 5.0])
    make = lambda rows, w=None: LeastSquaresClassifier(  # noqa: E731
        alpha, fit_intercept=intercept, class_weight=CLASS_WEIGHTS[weighting](3)
    ).fit(X[rows], y[rows], sample_weight=w)
    a, b, both = make(slice(0, 90)), make(slice(90, 300)), make(slice(0, 300))
    assert distance((a + b).decision_function(X), both.decision_function(X)) < 1e-9
    assert distance((both - a).decision_function(X), b.decision_function(X)) < 1e-9
    faded = make(slice(0, 300), np.where(np.arange(300) < 90, 0.125, 1.0))
    assert distance((a.decay(0.125) + b).decision_function(X), faded.decision_function(X)) < 1e-9
    few = both.restrict([3, 0])
    assert distance(few.coef_, LeastSquaresClassifier(**both.get_params()).fit(X[:, [3, 0]], y).coef_) < 1e-9


@pytest.mark.parametrize("weighting", ["none", "balanced"])
def test_models_of_different_labels_are_merged(weighting):
    X, y = classes(200, 4, 4)
    options = {"class_weight": CLASS_WEIGHTS[weighting](4)}
    parts = [LeastSquaresClassifier(**options).fit(X[rows], y[rows]) for rows in (y < 2, y >= 2)]
    assert [p.coef_.shape for p in parts] == [(1, 4), (1, 4)]
    assert distance(sum(parts).coef_, LeastSquaresClassifier(**options).fit(X, y).coef_) < 1e-12


def test_sums_of_other_learners_serve():
    X, y = classes(200, 4, 3)
    expected = LeastSquaresClassifier(0.5).fit(X, y).coef_
    for other in (LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis()):
        assert distance(LeastSquaresClassifier(0.5).solve(other.fit(X, y).statistic_).coef_, expected) < 1e-12
    weighted = LeastSquaresClassifier(0.5, class_weight="balanced")
    assert (
        distance(weighted.solve(QuadraticDiscriminantAnalysis().fit(X, y).statistic_).coef_, weighted.fit(X, y).coef_)
        < 1e-12
    )
    with pytest.raises(ValueError, match="full moments"):
        LeastSquaresClassifier().solve(GaussianNB().fit(X, y).statistic_)


def test_fewer_rows_than_columns():
    X, y = classes(12, 20, 3)
    model = LeastSquaresClassifier().fit(X, y)
    centred = X - X.mean(axis=0)
    expected = np.linalg.pinv(centred) @ (2.0 * one_hot(y) - 1.0)
    assert distance(model.coef_, expected.T) < 1e-10
    assert np.array_equal(model.predict(X), y)


@pytest.mark.parametrize("rows", [150, 9000])
@pytest.mark.parametrize("weighting", ["none", "balanced"])
def test_dependent_columns(rows, weighting):
    X, y = classes(rows, 3, 3)
    options = {"class_weight": CLASS_WEIGHTS[weighting](3)}
    expected = LeastSquaresClassifier(**options).fit(X, y).decision_function(X)
    X = np.column_stack([X, X[:, 0], np.full(rows, 3.0), X[:, 1] - 2.0 * X[:, 2]])
    with pytest.warns(
        IllConditionedWarning, match="rank 3 of 6: column.s. 3, 4, 5 are constant or combinations"
    ) as log:
        model = LeastSquaresClassifier(**options).fit(X, y)
    assert len(log) == 1
    assert model.rank_ == 3
    assert model.aliased_.tolist() == [3, 4, 5]
    assert distance(model.decision_function(X), expected) < 1e-10
    factor = np.ones(rows) if weighting == "none" else (rows / 3.0 / np.bincount(y))[y]
    mean = factor @ X / factor.sum()
    root = np.sqrt(factor)[:, None]
    shortest = np.linalg.pinv(root * (X - mean), rcond=1e-12) @ (root * (2.0 * one_hot(y) - 1.0))
    assert distance(model.coef_, shortest.T) < 1e-9


@pytest.mark.parametrize("weighting", ["none", "balanced"])
def test_nearly_dependent_columns_keep_their_digits(weighting):
    """Columns that differ by 1e-7 of their size: of a plain product no digit would be left."""
    rng = np.random.default_rng(1)
    X, apart = (np.round(rng.standard_normal(shape) * 2.0**10) / 2.0**10 for shape in ((20000, 3), 20000))
    y = (X[:, 0] + apart + 0.5 * rng.standard_normal(20000) > 0.3).astype(int)
    near = np.column_stack([X, X[:, 0] + apart * 2.0**-23])
    model = LeastSquaresClassifier(class_weight=CLASS_WEIGHTS[weighting](2)).fit(near, y)
    # the same plane in columns that are independent: b0 x0 + b3 (x0 + e) = (b0 + b3) x0 + b3 e
    weight = None if weighting == "none" else (20000 / 2.0 / np.bincount(y))[y]
    expected = LinearRegression().fit(np.column_stack([X, apart]), 2.0 * y - 1.0, sample_weight=weight).coef_
    assert model.condition_ > 1e6
    assert model.coef_[0, 3] == pytest.approx(expected[3] * 2.0**23, rel=1e-8)
    assert model.coef_[0, 1] == pytest.approx(expected[1], rel=1e-6)


@pytest.mark.parametrize("weighting", ["none", "balanced"])
@pytest.mark.parametrize("offset", [1e6, 1e9])
def test_offset_changes_no_score(offset, weighting):
    X, y = classes(9000, 4, 3)
    X = np.round(64 * X) / 64
    options = {"class_weight": CLASS_WEIGHTS[weighting](3)}
    expected = LeastSquaresClassifier(**options).fit(X, y).decision_function(X)
    found = LeastSquaresClassifier(**options).fit(X + offset, y).decision_function(X + offset)
    assert distance(found, expected) < 1e-9


def test_one_class_and_classes_fixed_beforehand():
    X, y = classes(60, 3, 2)
    only = LeastSquaresClassifier().fit(X, np.full(60, "all"))
    assert only.predict(X).tolist() == ["all"] * 60
    assert only.decision_function(X).tolist() == [1.0] * 60
    fixed = LeastSquaresClassifier().partial_fit(X, y, classes=[0, 1, 5])
    assert fixed.decision_function(X).shape == (60, 3)
    assert (fixed.decision_function(X)[:, 2] == -1.0).all()
    assert np.array_equal(fixed.predict(X), LeastSquaresClassifier().fit(X, y).predict(X))


@pytest.mark.parametrize("labels", [["b", "a", "c"], [-5, 7, 2], [True, False], np.array(["x", "y"], dtype=object)])
def test_labels_of_every_kind(labels):
    X, y = classes(90, 3, len(labels))
    labels = np.asarray(labels)
    ours, reference = LeastSquaresClassifier(1.0).fit(X, labels[y]), RidgeClassifier(1.0).fit(X, labels[y])
    assert ours.classes_.tolist() == reference.classes_.tolist()
    assert ours.predict(X).tolist() == reference.predict(X).tolist()


def test_float32_and_sparse():
    X, y = classes(200, 4, 3)
    reference = LeastSquaresClassifier().fit(X, y)
    narrow = LeastSquaresClassifier().fit(X.astype(np.float32), y)
    assert narrow.coef_.dtype == narrow.decision_function(X.astype(np.float32)).dtype == np.float32
    assert distance(narrow.coef_, reference.coef_) < 1e-5
    rows = LeastSquaresClassifier().fit(sparse.csr_array(X), y)
    assert distance(rows.decision_function(sparse.csr_array(X)), reference.decision_function(X)) < 1e-13


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": -1.0}, "alpha must be finite and not negative, got -1.0"),
        ({"alpha": np.nan}, "alpha must be finite"),
        ({"alpha": [1.0, 2.0, 3.0]}, "penalties do not correspond: 3"),
        ({"class_weight": "even"}, "class_weight must be a dict, 'balanced' or None, got 'even'"),
        ({"class_weight": [1.0, 2.0]}, "class_weight must be a dict"),
        ({"class_weight": {0: 1.0, "1": 2.0}}, "class_weight names a class that is not in y: '1'"),
        ({"class_weight": {1: -2.0}}, "class_weight of class 1 must be finite and not negative, got -2.0"),
        ({"class_weight": {1: np.nan}}, "class_weight of class 1 must be finite"),
        ({"class_weight": {0: 0.0, 1: 0.0, 2: 0.0}}, "class_weight is zero for every class"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        LeastSquaresClassifier(**options).fit(*classes(60, 4, 3))


def test_class_weights_ask_for_their_own_sums():
    X, y = classes(60, 4, 3)
    model = LeastSquaresClassifier().fit(X, y)
    with pytest.raises(ValueError, match="class_weight needs the full moments of every class: fit anew"):
        model.set_params(class_weight="balanced").predict(X)
    with pytest.raises(ValueError, match="hyperparameters have changed since the fit"):
        model.partial_fit(X, y)


@pytest.mark.parametrize("weighting", ["none", "balanced"])
def test_exact_cross_validation(weighting):
    X, y = classes(300, 4, 3)
    options = {"alpha": 2.0, "class_weight": CLASS_WEIGHTS[weighting](3)}
    ours = cross_validate(LeastSquaresClassifier(**options), X, y, cv=7)["test_score"]
    assert ours.tolist() == cross_val_score(RidgeClassifier(**options), X, y, cv=7).tolist()
