"""Probabilities of classifiers by scores: Gaussian scores by class, from the sums."""

import numpy as np
import pytest
import sklearn.linear_model
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
def test_two_classes_are_two_gaussians_of_one_variance(kind):
    """ln P1 / P0 is that of two normal densities of the scores, but for a constant that puts the border to zero."""
    X, y = PIMA.X, PIMA.y == PIMA.y[0]
    model = kind().fit(X, y)
    g, P = model.decision_function(X), model.predict_proba(X)
    share = (
        np.where(y, 1.0, 1.0)
        if model.get_params().get("class_weight") is None
        else np.where(y, y.size / y.sum(), y.size / (~y).sum())
    )
    means = g[~y].mean(), g[y].mean()
    within = np.where(y, g - means[1], g - means[0]) ** 2
    deviation = np.sqrt((share * within).sum() / share.sum())
    odds = norm.logpdf(g, means[1], deviation) - norm.logpdf(g, means[0], deviation)
    at_zero = norm.logpdf(0.0, means[1], deviation) - norm.logpdf(0.0, means[0], deviation)
    assert np.log(P[:, 1] / P[:, 0]) == pytest.approx(odds - at_zero, rel=1e-6, abs=1e-6)
    assert np.array_equal(model.classes_[P.argmax(axis=1)], model.predict(X))


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


def test_linear_classifier_with_a_likelihood():
    X, y = IRIS.X, IRIS.y
    each = sl.LinearClassifier("logistic", alpha=1.0).fit(X, y)
    theirs = OneVsRestClassifier(sklearn.linear_model.LogisticRegression(tol=1e-10, max_iter=10_000)).fit(X, y)
    assert each.predict_proba(X) == pytest.approx(theirs.predict_proba(X), abs=1e-5)
    joint, two = sl.LinearClassifier("softmax").fit(X, y), sl.LinearClassifier("logistic").fit(X, y == "setosa")
    assert joint.predict_proba(X) == pytest.approx(sl.LogisticRegression().fit(X, y).predict_proba(X), abs=1e-6)
    assert two.predict_proba(X)[:, 1] == pytest.approx(1 / (1 + np.exp(-two.decision_function(X))))
