"""Probabilities of classifiers by scores: Gaussian scores by class, from the sums."""

import numpy as np
import pytest
import sklearn.linear_model
from scipy.optimize import minimize_scalar
from scipy.stats import norm
from sklearn.multiclass import OneVsRestClassifier

import sumlearn as sl
from sumlearn.data import load_example
from sumlearn.objectives.links import softmax

IRIS, PIMA = load_example("iris"), load_example("pima")
KINDS = {
    "least squares": lambda: sl.LeastSquaresClassifier(0.1),
    "weighted": lambda: sl.LeastSquaresClassifier(class_weight="balanced"),
    "through zero": lambda: sl.LeastSquaresClassifier(fit_intercept=False),
    "fisher": sl.FisherDiscriminant,
    "identity": lambda: sl.FisherDiscriminant(within="identity"),
    "polynomial": sl.PolynomialClassifier,
    "extreme": lambda: sl.ExtremeLearningMachineClassifier(10, domain=(0.0, 100.0)),
    "radial": lambda: sl.RBFNetworkClassifier(PIMA.X[:6], width=50.0),
}
every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


@every_kind
def test_the_slope_is_the_likeliest_of_two_gaussians(kind):
    """Scores of the rows give means and a common variance; SciPy integrates and maximises."""
    X, y = PIMA.X, PIMA.y == PIMA.y[0]
    model = kind().fit(X, y)
    g, P = model.decision_function(X), model.predict_proba(X)
    balanced = model.get_params().get("class_weight") is not None
    weight = np.where(y, len(y) / (2 * y.sum()), len(y) / (2 * (~y).sum())) if balanced else np.ones(len(y))
    means = g[~y].mean(), g[y].mean()
    deviation = np.sqrt(np.average(np.where(y, g - means[1], g - means[0]) ** 2, weights=weight))
    share = weight[y].sum() / weight.sum()

    def loss(s):
        def expected(sign, mean):
            f = lambda t: np.log1p(np.exp(-sign * s * t)) * norm.pdf(t, mean, deviation)  # noqa: E731
            t = np.linspace(mean - 9 * deviation, mean + 9 * deviation, 4001)
            return np.trapezoid(f(t), t)

        return share * expected(1, means[1]) + (1 - share) * expected(-1, means[0])

    best = minimize_scalar(loss, bounds=(0.2 * model.score_slope_, 5 * model.score_slope_), options={"xatol": 1e-10})
    assert model.score_slope_ == pytest.approx(best.x, rel=1e-5)
    assert np.log(P[:, 1] / P[:, 0]) == pytest.approx(model.score_slope_ * g)
    assert np.array_equal(model.classes_[P.argmax(axis=1)], model.predict(X))


def test_two_classes_alike_have_the_slope_of_gaussian_posteriors():
    X = np.random.default_rng(0).standard_normal((500, 3))
    X, y = np.concatenate([X + 0.7, -X - 0.7]), np.repeat([1, 0], 500)
    model = sl.LeastSquaresClassifier().fit(X, y)
    g = model.decision_function(X)
    assert model.score_slope_ == pytest.approx((g[:500].mean() - g[500:].mean()) / g[:500].var(), rel=1e-9)
    assert model.predict_proba(X) == pytest.approx(sl.LinearDiscriminantAnalysis().fit(X, y).predict_proba(X), abs=1e-9)


def test_a_rare_class_has_its_share():
    rng = np.random.default_rng(0)
    y = rng.random(4000) < 0.1
    X = rng.standard_normal((4000, 3)) + 0.5 * y[:, None]
    P = sl.LeastSquaresClassifier().fit(X, y).predict_proba(X)[:, 1]
    assert P.mean() == pytest.approx(y.mean(), abs=0.02)


@every_kind
def test_merging_and_forgetting_stay_exact(kind):
    X, y = PIMA.X, PIMA.y
    one, two, both = (kind().fit(X[i], y[i]) for i in (np.s_[:300], np.s_[300:], np.s_[:]))
    assert (one + two).predict_proba(X) == pytest.approx(both.predict_proba(X), abs=1e-8)
    assert (both - two).predict_proba(X) == pytest.approx(one.predict_proba(X), abs=1e-6)


@every_kind
def test_several_classes(kind):
    X, y = IRIS.X, IRIS.y
    model = kind().fit(X, y) if "centres" not in kind().get_params() else sl.RBFNetworkClassifier(6).fit(X, y)
    P = model.predict_proba(X)
    assert P.sum(axis=1) == pytest.approx(1.0)
    assert np.array_equal(model.classes_[P.argmax(axis=1)], model.predict(X))
    assert pytest.approx(softmax(model.score_slope_ * model.decision_function(X))) == P
    assert np.log(P) == pytest.approx(model.predict_log_proba(X), abs=1e-9)


def test_fisher_with_shares_is_the_linear_discriminant():
    for X, y in ((PIMA.X, PIMA.y), (IRIS.X, IRIS.y)):
        ours, exact = sl.FisherDiscriminant(threshold="prior").fit(X, y), sl.LinearDiscriminantAnalysis().fit(X, y)
        assert ours.predict_proba(X) == pytest.approx(exact.predict_proba(X), abs=1e-10)


def test_scores_without_width_leave_no_doubt():
    X, y = [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], ["same", "same", "other", "other"]
    P = sl.ExtremeLearningMachineClassifier(20, alpha=0.0).fit(X, y).predict_proba(X)
    assert pytest.approx(np.array([[0.0, 1.0], [0.0, 1.0], [1.0, 0.0], [1.0, 0.0]])) == P


def test_one_class_and_classes_of_no_row():
    only = sl.LeastSquaresClassifier().fit(IRIS.X[:50], IRIS.y[:50])
    assert only.predict_proba(IRIS.X).tolist() == [[1.0]] * 150
    for labels in (["setosa", "virginica"], ["setosa", "versicolor", "virginica"]):
        fixed = sl.LeastSquaresClassifier().partial_fit(IRIS.X[:50], IRIS.y[:50], classes=labels)
        assert np.array_equal(fixed.classes_[fixed.predict_proba(IRIS.X).argmax(axis=1)], fixed.predict(IRIS.X))


def test_classes_of_no_row_have_none_and_blind_scores_leave_the_shares():
    y = np.where(IRIS.y == "setosa", "setosa", "virginica")
    for kind in (sl.LeastSquaresClassifier, sl.FisherDiscriminant):
        model = kind().partial_fit(IRIS.X, y, classes=["setosa", "versicolor", "virginica"])
        assert (model.predict_proba(IRIS.X)[:, 1] == 0.0).all()
        blind = kind().fit(np.ones((9, 2)), np.arange(9) % 3 // 2)
        assert blind.predict_proba([[1.0, 1.0]])[0] == pytest.approx([2 / 3, 1 / 3])


def test_linear_classifier_with_a_likelihood():
    X, y = IRIS.X, IRIS.y
    each = sl.LinearClassifier("logistic", alpha=1.0).fit(X, y)
    theirs = OneVsRestClassifier(sklearn.linear_model.LogisticRegression(solver="newton-cholesky", tol=1e-9)).fit(X, y)
    assert each.predict_proba(X) == pytest.approx(theirs.predict_proba(X), abs=1e-5)
    joint, two = sl.LinearClassifier("softmax").fit(X, y), sl.LinearClassifier("logistic").fit(X, y == "setosa")
    assert joint.predict_proba(X) == pytest.approx(sl.LogisticRegression().fit(X, y).predict_proba(X), abs=1e-6)
    assert two.predict_proba(X)[:, 1] == pytest.approx(1 / (1 + np.exp(-two.decision_function(X))))
