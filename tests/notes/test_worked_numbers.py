"""Numbers that the lecture notes print, or that follow from their formulas on the bundled tables."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score, roc_curve
from sklearn.preprocessing import PolynomialFeatures

from sumlearn import PCA, GaussianNB, LinearDiscriminantAnalysis, LinearRegression, QuadraticDiscriminantAnalysis
from sumlearn.data import load_example
from sumlearn.evaluation import rms_error, sum_of_squares_error
from sumlearn.statistics import Moments

ALPHA = 0.9


@pytest.fixture(scope="module")
def iris():
    return load_example("iris")


def printed(values, digits):
    return pytest.approx(values, abs=0.5 * 10.0**-digits)


def test_iris_setosa_mean_and_variance(iris):
    moments = Moments.of(iris.X[:50])
    assert moments.mean == printed([5.006, 3.428, 1.462, 0.246], 3)
    assert moments.covariance().diagonal() == printed([0.121764, 0.140816, 0.029556, 0.010884], 6)


def test_incremental_mean_and_second_moment(iris):
    """mu = T / (T + 1) mu + x / (T + 1): one row at a time gives the same numbers."""
    total, mean = Moments.empty(4), np.zeros(4)
    for t, x in enumerate(iris.X[:50]):
        total = total + Moments.of(x[None])
        mean = t / (t + 1) * mean + x / (t + 1)
        assert total.mean == pytest.approx(mean, rel=1e-13)
    assert total.covariance().diagonal() == printed([0.121764, 0.140816, 0.029556, 0.010884], 6)


def forgetting(X):
    """mu <- a mu + (1 - a) x, started at the first row: rows of weight 1 - a join what has decayed by a."""
    total = Moments.of(X[:1])
    for x in X[1:]:
        total = total.decay(ALPHA) + Moments.of(x[None], weight=[1 - ALPHA])
    return total


def test_exponential_forgetting(iris):
    after_50, after_150 = forgetting(iris.X[:50]), forgetting(iris.X)
    assert after_50.mean == printed([4.9586, 3.3921, 1.4653, 0.2531], 4)
    assert after_150.mean == printed([6.4794, 3.0236, 5.3781, 2.0667], 4)
    assert after_150.covariance().diagonal() == printed([0.2311, 0.0756, 0.1587, 0.0760], 4)


def test_exponential_forgetting_is_the_recursion_of_the_note(iris):
    mean, second = iris.X[0], iris.X[0] ** 2
    for x in iris.X[1:]:
        mean, second = ALPHA * mean + (1 - ALPHA) * x, ALPHA * second + (1 - ALPHA) * x**2
    total = forgetting(iris.X)
    assert total.weight == pytest.approx(1.0, rel=1e-14)
    assert total.mean == pytest.approx(mean, rel=1e-13)
    assert total.covariance().diagonal() == pytest.approx(second - mean**2, rel=1e-11)


def test_exponential_forgetting_of_a_learner(iris):
    """The same by decay and partial_fit; the scale of the weights does not matter for a mean."""
    model = PCA(2).partial_fit(iris.X[:1], sample_weight=[10.0])
    for x in iris.X[1:]:
        model.decay(ALPHA).partial_fit(x[None], sample_weight=[10.0 * (1 - ALPHA)])
    assert model.mean_ == printed([6.4794, 3.0236, 5.3781, 2.0667], 4)


def test_exponential_weights_sum_to_less_than_one():
    """Started at nothing, (1 - a) a^(T - t) sums to 1 - a^T: .651 for a = .9 and ten rows."""
    total = Moments.empty(1)
    for t in range(10):
        total = total if t == 0 else total.decay(ALPHA)
        total = total + Moments.of([[float(t)]], weight=[1 - ALPHA])
    assert total.weight == printed(0.651, 3)
    assert total.weight == pytest.approx(1 - ALPHA**10, rel=1e-14)
    weights = (1 - ALPHA) * ALPHA ** np.arange(9, -1, -1)
    assert total.mean == pytest.approx([weights @ np.arange(10) / weights.sum()], rel=1e-14)


def test_iris_classifiers(iris):
    """Resubstitution: linear 3 errors, quadratic 3, naive 6 of 150."""
    for learner, errors in ((LinearDiscriminantAnalysis(), 3), (QuadraticDiscriminantAnalysis(), 3), (GaussianNB(), 6)):
        assert (learner.fit(iris.X, iris.y).predict(iris.X) != iris.y).sum() == errors


def test_iris_projections(iris):
    """Two principal components hold 97.8 % of the variance; the first discriminant 99.1 % of the separation."""
    assert PCA(2).fit(iris.X).explained_variance_ratio_ == printed([0.9246, 0.0531], 4)
    assert LinearDiscriminantAnalysis().fit(iris.X, iris.y).explained_variance_ratio_ == printed([0.9912, 0.0088], 4)


def test_root_mean_square_error():
    """E = 1/2 sum (y - t)^2 and E_RMS = sqrt(2 E / N) of a straight line through the faithful geyser."""
    X = load_example("faithful").X
    x, t = X[:, :1], X[:, 1]
    model = LinearRegression().fit(x, t)
    error = sum_of_squares_error(t, model.predict(x))
    assert error == pytest.approx(0.5 * len(t) / model.noise_precision_, rel=1e-12)
    assert rms_error(t, model.predict(x)) == pytest.approx(np.sqrt(2 * error / len(t)), rel=1e-15)
    assert rms_error(t, model.predict(x)) == pytest.approx(model.noise_precision_**-0.5, rel=1e-12)


def test_three_points_of_note_001():
    """(0.9, 3.0), (3.0, 4.1), (1.2, 0.3) with targets 0.5, 2.5, -1.0: three points determine a plane."""
    X, t = np.array([[0.9, 3.0], [3.0, 4.1], [1.2, 0.3]]), np.array([0.5, 2.5, -1.0])
    expected = np.linalg.solve(np.column_stack([X, np.ones(3)]), t)
    model = LinearRegression().fit(X, t)
    assert np.append(model.coef_, model.intercept_) == pytest.approx(expected, rel=1e-12)
    assert rms_error(t, model.predict(X)) < 1e-14


# Least-squares polynomial classifiers of the Pima table: area under the ROC curve, equal error rate, break-even point,
# error rate.
PIMA = {1: (0.8393, 0.239, 0.660, 0.216), 2: (0.8722, 0.228, 0.701, 0.197), 3: (0.9106, 0.183, 0.754, 0.164)}
PIMA_TEST = {1: (0.8632, 0.220, 0.688, 0.202), 2: (0.8255, 0.257, 0.642, 0.223), 3: (0.6313, 0.376, 0.495, 0.328)}


def polynomial_scores(train, test, degree):
    """Scores of rows `test` under least squares on 0/1 targets and all products up to a degree."""
    mean, deviation = train.X.mean(axis=0), train.X.std(axis=0, ddof=1)
    powers = PolynomialFeatures(degree, include_bias=False)
    target = (train.y == np.unique(train.y)[1]).astype(float)
    model = LinearRegression().fit(powers.fit_transform((train.X - mean) / deviation), target)
    return model.predict(powers.transform((test.X - mean) / deviation)), test.y == np.unique(train.y)[1]


def working_points(score, positive):
    """Equal error: FNR where |FNR - FPR| is least; break-even: recall where |recall - precision| is least."""
    fpr, tpr, _ = roc_curve(positive, score, drop_intermediate=False)
    equal = (1 - tpr)[np.argmin(np.abs(1 - tpr - fpr))]
    order = np.argsort(-score, kind="stable")
    hits = np.cumsum(positive[order])
    recall, precision = hits / positive.sum(), hits / np.arange(1, len(score) + 1)
    even = recall[np.argmin(np.where(hits > 0, np.abs(recall - precision), np.inf))]
    return roc_auc_score(positive, score), equal, even, ((score > 0.5) != positive).mean()


def check_pima(train, test, degree, expected):
    found = working_points(*polynomial_scores(train, test, degree))
    assert found[0] == printed(expected[0], 4)
    assert found[1] == printed(expected[1], 3)
    assert found[2] == printed(expected[2], 3)
    assert found[3] == printed(expected[3], 3)


@pytest.mark.parametrize("degree", PIMA)
def test_pima_polynomial_classifier(degree):
    pima = load_example("pima")
    check_pima(pima, pima, degree, PIMA[degree])


@pytest.mark.parametrize("degree", PIMA_TEST)
def test_pima_polynomial_classifier_on_new_rows(degree):
    check_pima(load_example("pima_tr"), load_example("pima_te"), degree, PIMA_TEST[degree])
