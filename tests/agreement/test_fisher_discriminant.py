"""FisherDiscriminant against closed forms, SciPy's generalised eigenvalues, least squares, linear discriminants."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import eigh
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as Reference

from sumlearn import (
    FisherDiscriminant,
    IllConditionedWarning,
    LinearDiscriminantAnalysis,
    LinearRegression,
    QuadraticDiscriminantAnalysis,
)

from tests.agreement.problems import CLASSES, classes, distance, whole_weights


def unit(w):
    w = np.ravel(w)
    return w / np.linalg.norm(w)


def cosine(a, b):
    return float(unit(a) @ unit(b))


def scatters(X, y):
    """S_w and S_b of note 003, by their definitions."""
    labels = np.unique(y)
    S_w = sum((X[y == k] - X[y == k].mean(axis=0)).T @ (X[y == k] - X[y == k].mean(axis=0)) for k in labels)
    apart = [X[y == k].mean(axis=0) - X.mean(axis=0) for k in labels]
    S_b = sum((y == k).sum() * np.outer(m, m) for k, m in zip(labels, apart, strict=True))
    return S_w, S_b


def criterion(X, y, w):
    """J = (m1' - m0')^2 / (s0^2 + s1^2) from the projected rows."""
    a, b = (X[y == k] @ w for k in (0, 1))
    return (b.mean() - a.mean()) ** 2 / (((a - a.mean()) ** 2).sum() + ((b - b.mean()) ** 2).sum())


@pytest.mark.parametrize("seed", range(3))
def test_two_classes_closed_form(seed):
    X, y = classes(150, 4, 2, seed)
    model = FisherDiscriminant().fit(X, y)
    m0, m1 = (X[y == k].mean(axis=0) for k in (0, 1))
    w = unit(np.linalg.solve(scatters(X, y)[0], m1 - m0))
    assert distance(model.direction_, w) < 1e-11
    assert model.threshold_ == pytest.approx(w @ (m0 + m1) / 2, rel=1e-10)
    assert model.criterion_ == pytest.approx(criterion(X, y, w), rel=1e-11)
    assert np.array_equal(model.predict(X), (X @ w > w @ (m0 + m1) / 2).astype(int))


def test_by_hand():
    """S_w = [[16, 8], [8, 16/3]], m1 - m0 = (0, 4/3): w ~ (-1, 2), J = 4/3; along m1 - m0 alone J = 1/3."""
    X = np.array([[0.0, 0.0], [4.0, 2.0], [2.0, 2.0], [0.0, 2.0], [4.0, 4.0], [2.0, 2.0]])
    y = np.array([0, 0, 0, 1, 1, 1])
    model = FisherDiscriminant().fit(X, y)
    assert np.allclose(model.direction_, np.array([-1.0, 2.0]) / np.sqrt(5.0), atol=1e-14)
    assert model.criterion_ == pytest.approx(4 / 3, rel=1e-13)
    assert model.eigenvalues_.tolist() == [pytest.approx(4 / 3 * 3 * 3 / 6, rel=1e-13)]
    plain = FisherDiscriminant(within="identity").fit(X, y)
    assert np.allclose(plain.direction_, [0.0, 1.0], atol=1e-14)
    assert plain.criterion_ == pytest.approx(1 / 3, rel=1e-13)


def test_no_direction_has_a_larger_criterion():
    X, y = classes(200, 5, 2)
    model = FisherDiscriminant().fit(X, y)
    rng = np.random.default_rng(0)
    others = rng.standard_normal((500, 5))
    near = model.direction_ + 0.01 * rng.standard_normal((500, 5))
    assert max(criterion(X, y, w) for w in np.vstack([others, near])) < model.criterion_


def test_mean_difference_direction():
    """Without the scatter within, w ~ m1 - m0: the projected means are farthest apart, the criterion is lower."""
    X, y = classes(200, 5, 2)
    m0, m1 = (X[y == k].mean(axis=0) for k in (0, 1))
    model = FisherDiscriminant(within="identity").fit(X, y)
    assert distance(model.direction_, unit(m1 - m0)) < 1e-13
    assert model.criterion_ == pytest.approx(criterion(X, y, m1 - m0), rel=1e-12)
    assert model.criterion_ < FisherDiscriminant().fit(X, y).criterion_
    nearest = ((X[:, None] - np.array([m0, m1])) ** 2).sum(axis=2).argmin(axis=1)
    assert np.array_equal(model.predict(X), nearest)


@pytest.mark.parametrize(("n0", "n1"), [(40, 90), (90, 40), (50, 50)])
def test_least_squares_with_signed_targets(n0, n1):
    """t = +N/N1 and -N/N0 gives Fisher's direction and the mean of all rows as threshold; note 000 loses the sign."""
    rng = np.random.default_rng([n0, n1])
    X = np.vstack([rng.standard_normal((n0, 3)), rng.standard_normal((n1, 3)) + np.array([1.0, 0.5, 0.0])])
    X = X @ rng.random((3, 3))
    y = np.repeat([0, 1], [n0, n1])
    N = n0 + n1
    model = FisherDiscriminant(threshold="mean").fit(X, y)
    signed = LinearRegression().fit(X, np.where(y == 1, N / n1, -N / n0))
    assert cosine(signed.coef_, model.direction_) == pytest.approx(1.0, abs=1e-13)
    assert signed.intercept_ == pytest.approx(-signed.coef_ @ X.mean(axis=0), rel=1e-10)
    assert np.array_equal(model.predict(X), (signed.predict(X) > 0).astype(int))
    unsigned = LinearRegression().fit(X, np.where(y == 1, N / n1, N / n0)).coef_
    if n0 == n1:
        assert np.abs(unsigned).max() < 1e-14
    else:
        assert cosine(unsigned, model.direction_) == pytest.approx(np.sign(n0 - n1), abs=1e-13)


@pytest.mark.parametrize("shape", ["two", "three", "one column"])
def test_thresholds(shape):
    X, y = classes(*CLASSES[shape])
    if shape == "two":
        w = FisherDiscriminant().fit(X, y).direction_
        mean = FisherDiscriminant(threshold="mean").fit(X, y)
        assert mean.threshold_ == pytest.approx(w @ X.mean(axis=0), rel=1e-10)
        assert mean.decision_function(X.mean(axis=0)[None]) == pytest.approx([0.0], abs=1e-12)
    prior, generative = FisherDiscriminant(threshold="prior").fit(X, y), LinearDiscriminantAnalysis().fit(X, y)
    found, expected = prior.decision_function(X), generative.decision_function(X)
    if found.ndim == 2:
        found, expected = (s - s.mean(axis=1, keepdims=True) for s in (found, expected))
    assert distance(found, expected) < 1e-9
    even = np.full(len(np.unique(y)), 1.0 / len(np.unique(y)))
    equal = LinearDiscriminantAnalysis(priors=even).fit(X, y)
    assert np.array_equal(FisherDiscriminant().fit(X, y).predict(X), equal.predict(X))


def test_generative_direction_is_parallel():
    X, y = classes(300, 5, 2)
    fisher = FisherDiscriminant().fit(X, y)
    for generative in (LinearDiscriminantAnalysis(), Reference()):
        assert cosine(generative.fit(X, y).coef_, fisher.direction_) == pytest.approx(1.0, abs=1e-13)


@settings(max_examples=20)
@given(d=st.integers(2, 6), k=st.integers(2, 5), seed=st.integers(0, 20))
def test_eigenvalues_and_directions(d, k, seed):
    X, y = classes(60 * k, d, k, seed)
    model = FisherDiscriminant().fit(X, y)
    S_w, S_b = scatters(X, y)
    values, vectors = eigh(S_b, S_w)
    most = min(d, k - 1)
    values, vectors = values[::-1][:most], vectors[:, ::-1][:, :most]
    assert distance(model.eigenvalues_, values) < 1e-9
    J = values.sum() if k > 2 else criterion(X, y, vectors[:, 0])
    assert model.criterion_ == pytest.approx(J, rel=1e-9)
    for j in range(most):
        assert abs(cosine(model.scalings_[:, j], vectors[:, j])) == pytest.approx(1.0, abs=1e-9)
    Z = model.transform(X)
    inside, between = scatters(Z, y)
    assert distance(inside / len(X), np.eye(most)) < 1e-9
    assert distance(between, np.diag(len(X) * values)) < 1e-9


@pytest.mark.parametrize("components", [None, 1, 2, 3])
def test_transform(components):
    X, y = classes(200, 4, 4)
    ours, reference = (cls(n_components=components).fit(X, y) for cls in (FisherDiscriminant, Reference))
    found, expected = ours.transform(X), reference.transform(X)
    assert found.shape == expected.shape == (200, components or 3)
    for a, b in zip(found.T, expected.T, strict=True):
        assert abs(cosine(a, b)) == pytest.approx(1.0, abs=1e-12)
    names = [f"fisherdiscriminant{j}" for j in range(components or 3)]
    assert ours.get_feature_names_out().tolist() == names


@pytest.mark.parametrize("within", ["pooled", "identity"])
@pytest.mark.parametrize("components", [1, 2, 3])
def test_classes_are_told_apart_in_the_projection(within, components):
    X, y = classes(240, 5, 4)
    model = FisherDiscriminant(components, within=within).fit(X, y)
    Z = model.transform(X)
    means = np.array([Z[y == k].mean(axis=0) for k in range(4)])
    squares = ((Z[:, None] - means) ** 2).sum(axis=2)
    assert np.array_equal(model.predict(X), squares.argmin(axis=1))
    found = model.decision_function(X)
    assert distance(found - found[:, :1], -0.5 * (squares - squares[:, :1])) < 1e-10
    model.set_params(threshold="prior")
    assert np.array_equal(model.predict(X), (0.5 * squares - np.log(np.bincount(y) / 240)).argmin(axis=1))


def test_trace_criterion_of_the_mean_directions():
    X, y = classes(240, 5, 4)
    model = FisherDiscriminant(within="identity").fit(X, y)
    S_w, S_b = scatters(X, y)
    W = model.scalings_
    assert model.criterion_ == pytest.approx(np.trace(np.linalg.solve(W.T @ S_w @ W, W.T @ S_b @ W)), rel=1e-10)
    ratio = np.diag(W.T @ S_b @ W) / np.diag(W.T @ S_w @ W)
    assert distance(model.eigenvalues_, ratio) < 1e-11
    assert model.criterion_ < FisherDiscriminant().fit(X, y).criterion_


@pytest.mark.parametrize("within", ["pooled", "identity"])
@pytest.mark.parametrize("threshold", ["midpoint", "prior"])
def test_scores_add_up(within, threshold):
    X, y = classes(300, 4, 3)
    X = X + np.array([0.0, 1e3, -1e6, 5.0])
    make = lambda rows: FisherDiscriminant(within=within, threshold=threshold).fit(X[rows], y[rows])  # noqa: E731
    a, b, both = make(slice(0, 90)), make(slice(90, 300)), make(slice(0, 300))
    assert distance((a + b).decision_function(X), both.decision_function(X)) < 1e-9
    assert distance((a + b).transform(X), both.transform(X)) < 1e-9
    assert distance((both - a).decision_function(X), b.decision_function(X)) < 1e-9
    weight = whole_weights(300)
    weighted = FisherDiscriminant(within=within, threshold=threshold).fit(X, y, sample_weight=weight)
    repeated = FisherDiscriminant(within=within, threshold=threshold).fit(X.repeat(weight, axis=0), y.repeat(weight))
    assert distance(weighted.decision_function(X), repeated.decision_function(X)) < 1e-9
    assert weighted.criterion_ == pytest.approx(repeated.criterion_, rel=1e-9)


def test_sums_of_other_learners_serve():
    X, y = classes(200, 4, 3)
    expected = FisherDiscriminant().fit(X, y).transform(X)
    for other in (LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis()):
        assert distance(FisherDiscriminant().solve(other.fit(X, y).statistic_).transform(X), expected) < 1e-10


@pytest.mark.parametrize("within", ["pooled", "identity"])
@pytest.mark.parametrize("offset", [1e6, 1e9])
def test_offset_changes_nothing(offset, within):
    X, y = classes(200, 4, 3)
    X = np.round(64 * X) / 64
    plain, moved = (FisherDiscriminant(within=within).fit(X + c, y) for c in (0.0, offset))
    assert distance(moved.decision_function(X + offset), plain.decision_function(X)) < 1e-9
    assert distance(moved.transform(X + offset), plain.transform(X)) < 1e-9
    assert moved.criterion_ == pytest.approx(plain.criterion_, rel=1e-9)


@pytest.mark.parametrize("within", ["pooled", "identity"])
@pytest.mark.parametrize("exponent", [-530, 400])
def test_scale_changes_nothing(exponent, within):
    X, y = classes(200, 4, 2)
    plain, scaled = (FisherDiscriminant(within=within).fit(np.ldexp(X, e), y) for e in (0, exponent))
    assert distance(scaled.direction_, plain.direction_) < 1e-12
    assert scaled.threshold_ == pytest.approx(np.ldexp(plain.threshold_, exponent), rel=1e-11)
    assert scaled.criterion_ == pytest.approx(plain.criterion_, rel=1e-11)


@pytest.mark.parametrize("kind", ["duplicate", "constant"])
def test_dependent_columns(kind):
    X, y = classes(150, 3, 3)
    expected = FisherDiscriminant().fit(X, y).decision_function(X)
    X = np.column_stack([X, X[:, 0] if kind == "duplicate" else np.full(150, 3.0)])
    with pytest.warns(IllConditionedWarning, match="do not vary in 1 of 4 directions"):
        ours = FisherDiscriminant().fit(X, y)
    assert distance(ours.decision_function(X), expected) < 1e-9


def test_fewer_rows_than_columns():
    X, y = classes(12, 20, 3)
    generative = Reference(priors=np.full(3, 1 / 3)).fit(X, y)
    assert np.array_equal(FisherDiscriminant().fit(X, y).predict(X), generative.predict(X))


def test_one_class_and_classes_fixed_beforehand():
    X, y = classes(60, 3, 2)
    for within in ("pooled", "identity"):
        only = FisherDiscriminant(within=within).fit(X, np.full(60, "all"))
        assert only.predict(X).tolist() == ["all"] * 60
        assert only.transform(X).shape == (60, 0)
        assert only.criterion_ == 0.0
        fixed = FisherDiscriminant(within=within).partial_fit(X, y, classes=[0, 1, 5])
        assert np.array_equal(fixed.predict(X), FisherDiscriminant(within=within).fit(X, y).predict(X))
        assert (fixed.decision_function(X)[:, 2] == -np.inf).all()


@pytest.mark.parametrize("labels", [["b", "a", "c"], [-5, 7, 2], [True, False], np.array(["x", "y"], dtype=object)])
def test_labels_of_every_kind(labels):
    X, y = classes(90, 3, len(labels))
    labels = np.asarray(labels)
    model = FisherDiscriminant().fit(X, labels[y])
    assert model.classes_.tolist() == sorted(labels.tolist())
    assert model.predict(X).tolist() == labels[FisherDiscriminant().fit(X, y).predict(X)].tolist()
    assert model.classes_.tolist() == Reference().fit(X, labels[y]).classes_.tolist()


def test_float32():
    X, y = classes(200, 4, 3)
    narrow = FisherDiscriminant().fit(X.astype(np.float32), y)
    assert narrow.transform(X.astype(np.float32)).dtype == narrow.coef_.dtype == np.float32
    assert distance(narrow.coef_, FisherDiscriminant().fit(X, y).coef_) < 1e-4


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"within": "full"}, "within must be one of pooled, identity, got 'full'"),
        ({"threshold": 0.5}, "threshold must be one of midpoint, mean, prior, got 0.5"),
        ({"threshold": "mean"}, 'threshold="mean" parts two classes, but there are 3'),
        ({"n_components": 3}, r"n_components must be between 1 and min\(n_features, n_classes - 1\) = 2, got 3"),
        ({"n_components": 0}, "n_components must be between 1"),
        ({"n_components": "2"}, "n_components must be between 1"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        FisherDiscriminant(**options).fit(*classes(60, 4, 3))


def test_as_many_rows_as_classes():
    with pytest.raises(ValueError, match="number of samples must be more than the number of classes"):
        FisherDiscriminant().fit([[0.0], [1.0]], [0, 1])
    assert FisherDiscriminant(within="identity").fit([[0.0], [1.0]], [0, 1]).predict([[0.4], [0.6]]).tolist() == [0, 1]


@pytest.mark.parametrize("kind", [FisherDiscriminant, LinearDiscriminantAnalysis])
@pytest.mark.parametrize("rows", [5, 60])
def test_a_column_that_is_the_class_is_named_however_few_rows_there_are(kind, rows):
    X, y = np.random.default_rng(0).standard_normal((rows, 3)), np.arange(rows) % 2
    X[:, 1] = y
    with pytest.warns(IllConditionedWarning, match=r"1 of 3 directions.*column\(s\) 1 are constant within every class"):
        kind().fit(X, y)
