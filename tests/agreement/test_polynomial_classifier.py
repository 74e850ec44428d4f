"""PolynomialClassifier against scikit-learn's pipeline, rational arithmetic, and the worked figures on Pima."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import RidgeClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from sumlearn import IllConditionedWarning, LeastSquaresClassifier, PolynomialClassifier, cross_validate
from sumlearn.data import load_example
from sumlearn.learners.linear.parts.polynomial_sums import PolynomialSums

from tests.agreement.problems import classes, distance, whole_weights

# AUC, equal error rate, break-even point, error: resubstitution on 768 rows, and Pima.tr -> Pima.te
PIMA = {1: (0.8393, 0.239, 0.660, 0.216), 2: (0.8722, 0.228, 0.701, 0.197), 3: (0.9106, 0.183, 0.754, 0.164)}
PIMA_TEST = {1: (0.8632, 0.220, 0.688, 0.202), 2: (0.8255, 0.257, 0.642, 0.223), 3: (0.6313, 0.376, 0.495, 0.328)}


def figures(model, table):
    """AUC; FNR where |FNR - FPR| is least; recall where |recall - precision| is least; error."""
    scores, true = model.decision_function(table.X), table.y == model.classes_[1]
    order = np.argsort(-scores, kind="stable")
    ends = np.append(np.diff(scores[order]) != 0, True)  # accept all rows down to a score
    right, wrong = np.cumsum(true[order])[ends], np.cumsum(~true[order])[ends]
    missed, false_alarms = 1.0 - right / true.sum(), wrong / (~true).sum()
    recall, precision = right / true.sum(), right / (right + wrong)
    return (
        round(roc_auc_score(true, scores), 4),
        round(missed[np.abs(missed - false_alarms).argmin()], 3),
        round(recall[right > 0][np.abs(recall - precision)[right > 0].argmin()], 3),  # both are zero without a hit
        round(1.0 - model.score(table.X, table.y), 3),
    )


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_pima_resubstitution(degree):
    pima = load_example("pima")
    model = PolynomialClassifier(degree).fit(pima.X, pima.y)
    assert figures(model, pima) == PIMA[degree]
    merged = sum(PolynomialClassifier(degree).fit(pima.X[i::4], pima.y[i::4]) for i in range(4))
    assert figures(merged, pima) == PIMA[degree]


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_pima_training_and_test_rows(degree):
    train, test = load_example("pima_tr"), load_example("pima_te")
    model = PolynomialClassifier(degree).fit(train.X, train.y)
    assert figures(model, test) == PIMA_TEST[degree]


def features(degree, interactions):
    """scikit-learn's monomials, or the powers of single columns."""
    if interactions is False:
        return PowersOnly(degree)
    return PolynomialFeatures(degree, include_bias=False, interaction_only=interactions == "only")


class PowersOnly(PolynomialFeatures):
    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return np.column_stack([X**k for k in range(1, self.degree + 1)])

    def fit_transform(self, X, y=None):
        return self.transform(X)


@settings(max_examples=40)
@given(
    degree=st.integers(1, 4),
    alpha=st.sampled_from([1e-3, 1.0, 50.0]),
    interactions=st.sampled_from([True, False, "only"]),
    intercept=st.booleans(),
    class_weight=st.sampled_from([None, "balanced", {0: 3.0}]),
    k=st.integers(2, 3),
)
def test_agrees_with_the_pipeline(degree, alpha, interactions, intercept, class_weight, k):
    X, y = classes(300, 3, k)
    options = {"alpha": alpha, "fit_intercept": intercept, "class_weight": class_weight}
    ours = PolynomialClassifier(degree, interactions=interactions, **options).fit(X, y)
    ridge = RidgeClassifier(solver="svd", **options)
    reference = make_pipeline(StandardScaler(), features(degree, interactions), ridge).fit(X, y)
    assert distance(ours.coef_, np.atleast_2d(ridge.coef_)) < 1e-8
    assert distance(ours.decision_function(X), reference.decision_function(X)) < 1e-9
    assert np.array_equal(ours.predict(X), reference.predict(X))
    assert ours.powers_.shape == (ours.coef_.shape[1], 3)
    if interactions is True:
        assert np.array_equal(ours.powers_, reference[1].powers_)


def test_degree_one_is_least_squares():
    X, y = classes(200, 4, 3)
    ours, plain = PolynomialClassifier(1).fit(X, y), LeastSquaresClassifier().fit(X, y)
    assert distance(ours.decision_function(X), plain.decision_function(X)) < 1e-12
    assert distance(ours.coef_ / ours.scale_, plain.coef_) < 1e-12
    assert distance(ours.mean_, X.mean(axis=0)) < 1e-15
    assert distance(ours.scale_, X.std(axis=0)) < 1e-15


def test_standardising_changes_no_prediction_without_a_penalty():
    """The monomials of x and of (x - m) / s span the same functions."""
    X, y = classes(400, 3, 2)
    ours = PolynomialClassifier(3).fit(X, y)
    design = np.column_stack([np.ones(400), PolynomialFeatures(3, include_bias=False).fit_transform(X)])
    fitted = design @ np.linalg.lstsq(design, 2.0 * y - 1.0, rcond=None)[0]
    assert distance(ours.decision_function(X), fitted) < 1e-10


def test_a_circle_and_a_saddle():
    """What no plane separates: x^2 + y^2 and x y."""
    X = np.random.default_rng(0).uniform(-1.0, 1.0, (2000, 2))
    for y in ((X**2).sum(axis=1) > 0.6, X[:, 0] * X[:, 1] > 0):
        assert LeastSquaresClassifier().fit(X, y).score(X, y) < 0.75
        assert PolynomialClassifier(2).fit(X, y).score(X, y) > 0.95


# -- offsets and scales -----------------------------------------------------------------------------------------------


def curved(n=600, d=3, seed=0):
    """Rows of few bits, so that an offset of 1e9 is exact, with a curved border."""
    rng = np.random.default_rng([seed, n, d])
    X = np.round(rng.standard_normal((n, d)) * 256) / 256
    score = X[:, 0] * X[:, 1] + X[:, 2] ** 2 + 0.5 * rng.standard_normal(n)
    return X, np.digitize(score, [0.5, 1.5])


@pytest.mark.parametrize("degree", [2, 3, 5])
@pytest.mark.parametrize("offset", [1e3, 1e6, 1e9, np.array([-1e9, 0.0, 1e5])])
def test_offset_changes_no_score(degree, offset):
    X, y = curved()
    expected = PolynomialClassifier(degree).fit(X, y).decision_function(X)
    moved = PolynomialClassifier(degree).fit(X + offset, y)
    assert distance(moved.decision_function(X + offset), expected) < 1e-10
    merged = sum(PolynomialClassifier(degree).fit((X + offset)[i::5], y[i::5]) for i in range(5))
    assert distance(merged.decision_function(X + offset), expected) < 1e-10


@pytest.mark.parametrize("exponent", [-500, -20, 30, 400])
def test_scale_changes_no_score(exponent):
    X, y = curved()
    expected = PolynomialClassifier(3).fit(X, y).decision_function(X)
    scaled = np.ldexp(X, exponent)
    assert distance(PolynomialClassifier(3).fit(scaled, y).decision_function(scaled), expected) < 1e-12
    model = PolynomialClassifier(3)
    for i in range(3):  # row by row at first, where the unit is not known yet
        model.partial_fit(scaled[i : i + 1], y[i : i + 1])
    model.partial_fit(scaled[3:], y[3:])
    assert distance(model.decision_function(scaled), expected) < 1e-10


def test_parts_that_lie_apart():
    """Sorted rows: each part has an origin and a unit of its own, and the sum is that of one fit."""
    X, y = curved(n=400)
    X = X[np.argsort(X[:, 0])] * np.array([1e4, 1e-3, 1.0]) + np.array([1e7, 0.0, 3.0])
    whole = PolynomialClassifier(3).fit(X, y)
    parts = [PolynomialClassifier(3).fit(X[rows], y[rows]) for rows in np.array_split(np.arange(400), 5)]
    origins = np.array([part.statistic_.origin for part in parts])
    assert (np.diff(origins[:, 0]) > 0).all()
    for order in ((0, 1, 2, 3, 4), (4, 2, 0, 3, 1)):
        merged = sum(parts[i] for i in order)
        assert distance(merged.decision_function(X), whole.decision_function(X)) < 1e-10


@pytest.mark.parametrize("interactions", [True, False, "only"])
def test_sums_about_another_origin_are_exact(interactions):
    """Means and scatter of the monomials after a merge, against rational numbers: all is right to two words."""
    rng = np.random.default_rng(0)
    X = rng.integers(-60, 60, (30, 2)) / 8.0 + np.array([1e6, -3.0])
    X[15:] += 40.0
    merged = sum(
        PolynomialSums.of(X[i : i + 6], ["all"] * 6, degree=3, interactions=interactions) for i in range(0, 30, 6)
    )
    whole = merged.groups["all"]
    powers = PolynomialClassifier(3, interactions=interactions).fit(X, np.arange(30) % 2).powers_
    unit = [Fraction(2) ** int(u) for u in merged.unit]
    Z = [[(Fraction(x) - Fraction(o)) / u for x, o, u in zip(row, merged.origin, unit, strict=True)] for row in X]
    phi = [[row[0] ** int(k[0]) * row[1] ** int(k[1]) for k in powers] for row in Z]
    mean = [sum(row[j] for row in phi) / 30 for j in range(len(powers))]
    for j in range(len(powers)):
        high, low = Fraction(whole.centre.hi[j]), Fraction(whole.centre.lo[j])
        assert abs(high + low - mean[j]) <= Fraction(1, 2**95)
        for i in range(len(powers)):
            true = sum((row[i] - mean[i]) * (row[j] - mean[j]) for row in phi)
            found = Fraction(whole.spread.hi[i, j]) + Fraction(whole.spread.lo[i, j])
            assert abs(found - true) <= Fraction(1, 2**90)


# -- the algebra ------------------------------------------------------------------------------------------------------


@settings(max_examples=15)
@given(
    degree=st.integers(1, 3),
    alpha=st.sampled_from([0.0, 2.0]),
    interactions=st.sampled_from([True, False, "only"]),
    class_weight=st.sampled_from([None, "balanced"]),
)
def test_scores_add_up(degree, alpha, interactions, class_weight):
    X, y = classes(400, 3, 3)
    X = X + np.array([0.0, 1e3, -1e6])
    blank = PolynomialClassifier(degree, alpha=alpha, interactions=interactions, class_weight=class_weight)
    make = lambda rows, w=None: PolynomialClassifier(**blank.get_params()).fit(X[rows], y[rows], w)  # noqa: E731
    a, b, both = make(slice(0, 150)), make(slice(150, 400)), make(slice(0, 400))
    assert distance((a + b).decision_function(X), both.decision_function(X)) < 1e-9
    assert distance((b + a).decision_function(X), both.decision_function(X)) < 1e-9
    assert distance((both - a).decision_function(X), b.decision_function(X)) < 1e-9
    faded = make(slice(0, 400), np.where(np.arange(400) < 150, 0.125, 1.0))
    assert distance((a.decay(0.125) + b).decision_function(X), faded.decision_function(X)) < 1e-9
    few = PolynomialClassifier(**blank.get_params()).fit(X[:, [2, 0]], y)
    assert distance(both.restrict([2, 0]).decision_function(X[:, [2, 0]]), few.decision_function(X[:, [2, 0]])) < 1e-9


def test_weights_are_repetitions():
    X, y = classes(200, 3, 3)
    weight = whole_weights(200)
    weighted = PolynomialClassifier(2, alpha=1.0).fit(X, y, sample_weight=weight)
    repeated = PolynomialClassifier(2, alpha=1.0).fit(X.repeat(weight, axis=0), y.repeat(weight))
    assert distance(weighted.coef_, repeated.coef_) < 1e-10


def test_models_of_different_labels_are_merged():
    X, y = classes(300, 3, 4)
    parts = [PolynomialClassifier(2).fit(X[rows], y[rows]) for rows in (y < 1, y >= 1)]
    assert distance(sum(parts).coef_, PolynomialClassifier(2).fit(X, y).coef_) < 1e-10


# -- columns that say nothing, few rows, labels -----------------------------------------------------------------------


def test_flags_and_constants_are_aliased():
    """The square of a flag is the flag itself, and of a constant nothing is left."""
    X, y = curved(n=6000, d=3)
    A = np.column_stack([X[:, 0], X[:, 1] > 0, np.full(len(X), 7.0)])
    with pytest.warns(
        IllConditionedWarning, match=r"rank 4 of 9: column\(s\) x2, x0 x2, x1\^2, x1 x2, x2\^2 are"
    ) as log:
        model = PolynomialClassifier(2).fit(A, y)
    assert len(log) == 1
    design = np.column_stack([np.ones(len(A)), A[:, 0], A[:, 1], A[:, 0] ** 2, A[:, 0] * A[:, 1]])
    expected = design @ np.linalg.lstsq(design, 2.0 * (y[:, None] == np.arange(3)) - 1.0, rcond=None)[0]
    assert distance(model.decision_function(A), expected) < 1e-10


def test_warning_names_the_terms():
    pandas = pytest.importorskip("pandas")
    X, y = curved(d=3)
    frame = pandas.DataFrame({"age": X[:, 0], "flag": X[:, 1] > 0})
    with pytest.warns(IllConditionedWarning, match=r"column\(s\) flag\^2 are"):
        PolynomialClassifier(2).fit(frame, y)


def test_fewer_rows_than_monomials():
    X, y = classes(20, 5, 2)
    model = PolynomialClassifier(3).fit(X, y)
    phi = PolynomialFeatures(3, include_bias=False).fit_transform(StandardScaler().fit_transform(X))
    shortest = np.linalg.pinv(phi - phi.mean(axis=0)) @ (2.0 * y - 1.0)
    assert distance(model.coef_[0], shortest) < 1e-9
    assert np.array_equal(model.predict(X), y)


@pytest.mark.parametrize("labels", [["b", "a", "c"], [-5, 7, 2], [True, False], np.array(["x", "y"], dtype=object)])
def test_labels_of_every_kind(labels):
    X, y = classes(90, 3, len(labels))
    labels = np.asarray(labels)
    model = PolynomialClassifier(alpha=1.0).fit(X, labels[y])
    assert model.classes_.tolist() == sorted(labels.tolist())
    assert model.predict(X).tolist() == labels[PolynomialClassifier(alpha=1.0).fit(X, y).predict(X)].tolist()


def test_one_class_and_classes_fixed_beforehand():
    X, y = classes(60, 3, 2)
    assert PolynomialClassifier().fit(X, np.full(60, "all")).predict(X).tolist() == ["all"] * 60
    fixed = PolynomialClassifier().partial_fit(X, y, classes=[0, 1, 5])
    assert np.array_equal(fixed.predict(X), PolynomialClassifier().fit(X, y).predict(X))


def test_float32():
    X, y = classes(200, 3, 3)
    narrow = PolynomialClassifier().fit(X.astype(np.float32), y)
    assert narrow.coef_.dtype == narrow.decision_function(X.astype(np.float32)).dtype == np.float32
    assert (
        distance(narrow.decision_function(X.astype(np.float32)), PolynomialClassifier().fit(X, y).decision_function(X))
        < 1e-5
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"degree": 0}, "degree"),
        ({"degree": -1}, "degree"),
        ({"degree": 1.5}, "degree"),
        ({"degree": "2"}, "degree"),
        ({"interactions": "all"}, "interactions"),
        ({"alpha": -1.0}, "alpha must be finite and not negative"),
        ({"class_weight": "even"}, "class_weight must be a dict"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        PolynomialClassifier(**options).fit(*classes(60, 4, 3))


def test_another_degree_asks_for_its_own_sums():
    X, y = classes(60, 3, 2)
    model = PolynomialClassifier(2).fit(X, y)
    for name, value in (("degree", 3), ("interactions", False)):
        changed = PolynomialClassifier(2).fit(X, y).set_params(**{name: value})
        with pytest.raises(ValueError, match=f"the sums were made with {name}=.*: fit anew"):
            changed.predict(X)
        with pytest.raises(ValueError, match=f"differ in {name}"):
            changed.partial_fit(X, y)
    assert model.set_params(alpha=3.0).coef_ == pytest.approx(PolynomialClassifier(2, alpha=3.0).fit(X, y).coef_)


def test_exact_cross_validation():
    X, y = classes(300, 3, 3)
    ours = cross_validate(PolynomialClassifier(2, alpha=2.0), X, y, cv=7)["test_score"]
    reference = make_pipeline(StandardScaler(), features(2, True), RidgeClassifier(2.0))
    assert ours.tolist() == cross_val_score(reference, X, y, cv=7).tolist()
