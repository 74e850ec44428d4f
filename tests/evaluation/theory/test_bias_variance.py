"""Bias and variance against closed forms, and against loops over the definitions."""

import numpy as np
import pytest
import sklearn.linear_model
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.tree import DecisionTreeClassifier

import sumlearn
from sumlearn.evaluation import bias_variance

from tests.agreement.problems import classes, regression

DESIGN = np.random.default_rng(0).standard_normal((25, 3)) @ [[1.0, 0.7, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 2.0]]
SIGMA = 0.8


def curve(X):
    """Not linear, so that a line has a bias."""
    return X @ [1.0, -1.0, 0.5] + 0.5 * X[:, 0] ** 2


def draw(rng):
    return DESIGN, curve(DESIGN) + SIGMA * rng.standard_normal(len(DESIGN))


class Always(RegressorMixin, ClassifierMixin, BaseEstimator):
    """Learns nothing."""

    def __init__(self, answer=0.0):
        self.answer = answer

    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.full(len(X), self.answer)


@pytest.mark.parametrize("ours", [True, False], ids=["sumlearn", "scikit-learn"])
def test_ridge_against_its_hat_matrix(ours):
    """Fixed design: f = H y, bias = (H - I) t, variance = sigma^2 tr(H H') / n; within four standard errors."""
    kind = sumlearn.Ridge if ours else sklearn.linear_model.Ridge
    alphas = [0.1, 5.0, 100.0]
    n = 400
    found = bias_variance(
        kind(), draw, truth=curve, test=DESIGN, noise=SIGMA**2, parameter="alpha", values=alphas, n=n, random_state=0
    )
    rows = len(DESIGN)
    centre = np.eye(rows) - 1 / rows
    Z = centre @ DESIGN
    for i, alpha in enumerate(alphas):
        H = 1 / rows + Z @ np.linalg.solve(Z.T @ Z + alpha * np.eye(3), Z.T)
        bias = (H - np.eye(rows)) @ curve(DESIGN)
        spread = SIGMA**2 * H @ H.T
        chance = 4.0 * np.sqrt(2.0 * np.trace(spread @ spread) / n) / rows  # of the variance
        assert found.variance[i] == pytest.approx(np.trace(spread) / rows, abs=chance)
        wobble = 4.0 * 2.0 * np.sqrt(bias @ spread @ bias / n) / rows + chance / n
        assert found.bias2[i] == pytest.approx(np.mean(bias**2), abs=wobble)
    assert found.error == pytest.approx(found.bias2 + found.variance + SIGMA**2)
    assert found.complexity.tolist() == alphas and found.parameter == "alpha" and found.loss == "squared"


def test_an_unbiased_estimator_has_no_bias_however_few_samples():
    """Least squares on its own design, the truth linear: bias 0 on average over studies, also with 3 samples each."""

    def line(X):
        return X @ [1.0, 2.0, 3.0]

    def sample(rng):
        return DESIGN, line(DESIGN) + rng.standard_normal(len(DESIGN))

    found = [
        bias_variance(sumlearn.LinearRegression(), sample, truth=line, test=DESIGN, n=3, random_state=seed)
        for seed in range(150)
    ]
    bias2 = np.array([f.bias2[0] for f in found])
    variance = np.array([f.variance[0] for f in found])
    assert abs(bias2.mean()) < 4.0 * bias2.std() / np.sqrt(150)
    assert variance.mean() == pytest.approx(4 / 25, abs=4.0 * variance.std() / np.sqrt(150))  # p sigma^2 / n


def test_a_constant_has_bias_only():
    X, y = regression(30, 2)
    found = bias_variance(
        Always(2.0), lambda rng: (X, y), truth=lambda X: X[:, 0], test=X, noise=0.0, loss="squared", n=5
    )
    assert found.bias2[0] == pytest.approx(np.mean((2.0 - X[:, 0]) ** 2))
    assert found.variance[0] == 0.0 and found.noise[0] == 0.0
    assert found.error[0] == pytest.approx(found.bias2[0])


def test_noise_is_measured_on_fresh_rows():
    rng = np.random.default_rng(0)
    X = np.repeat(DESIGN, 400, axis=0)
    y = curve(X) + SIGMA * rng.standard_normal(len(X))
    found = bias_variance(sumlearn.Ridge(), draw, truth=curve, test=(X, y), n=20, random_state=0)
    assert found.noise[0] == pytest.approx(SIGMA**2, abs=4 * SIGMA**2 * np.sqrt(2 / len(X)))
    default = bias_variance(sumlearn.Ridge(), draw, truth=curve, n=5, random_state=0)
    fresh = draw(np.random.default_rng(0))
    assert default.noise[0] == pytest.approx(np.mean((fresh[1] - curve(fresh[0])) ** 2))


def test_squared_error_is_the_sum_of_its_parts():
    """The mean over models of (f - y)^2 on fresh targets, within chance."""
    rng = np.random.default_rng(1)
    models = [sumlearn.Ridge(3.0).fit(*draw(rng)) for _ in range(400)]
    X = DESIGN
    fresh = curve(X) + SIGMA * rng.standard_normal((400, len(X)))
    losses = np.array([(model.predict(X) - y) ** 2 for model, y in zip(models, fresh, strict=True)])
    found = bias_variance(sumlearn.Ridge(3.0), draw, truth=curve, test=X, noise=SIGMA**2, n=400, random_state=2)
    chance = 4.0 * losses.mean(axis=1).std() / np.sqrt(400)
    assert found.error[0] == pytest.approx(losses.mean(), abs=1.5 * chance)


# -- 0/1 loss ---------------------------------------------------------------------------------------------------------


def domingos(votes, truth):
    """Bias, variance and net variance of each row, by the definitions."""
    parts = []
    for t, labels in zip(truth, votes.T, strict=True):
        values, counts = np.unique(labels, return_counts=True)
        main = values[counts.argmax()]
        bias = float(main != t)
        variance = np.mean(labels != main)
        if main == t:
            c = 1.0
        else:
            others = labels[labels != main]
            c = -np.mean(others == t) if len(others) else 0.0
        assert np.mean(labels != t) == pytest.approx(bias + c * variance)  # Domingos' theorem
        parts.append((bias, variance, c * variance))
    return np.mean(parts, axis=0)


@pytest.mark.parametrize("kinds", [2, 3])
def test_labels_against_the_definitions(kinds):
    X, y = classes(60, 2, kinds)
    names = np.array(["a", "b", "c"])
    truth = names[y]

    def sample(rng):
        rows = rng.integers(0, 60, 25)
        wrong = rng.random(25) < 0.2
        return X[rows], np.where(wrong, names[rng.integers(0, kinds, 25)], truth[rows])

    observed = np.where(np.arange(60) % 10 == 0, "a", truth)
    tree = DecisionTreeClassifier(random_state=0)
    found = bias_variance(
        tree, sample, truth=truth, test=(X, observed), n=40, parameter="max_depth", values=[1, 5], random_state=3
    )
    for i, depth in enumerate([1, 5]):
        rng = np.random.default_rng(3)
        votes = np.array([clone(tree).set_params(max_depth=depth).fit(*sample(rng)).predict(X) for _ in range(40)])
        bias, variance, net = domingos(votes, truth)
        assert found.bias2[i] == pytest.approx(bias)
        assert found.variance[i] == pytest.approx(variance)
        assert found.net_variance[i] == pytest.approx(net)
        assert found.error[i] == pytest.approx(np.mean(votes != observed))
    assert found.noise == pytest.approx(np.mean(observed != truth))
    assert found.loss == "zero_one"


def test_two_gaussians_and_a_rule_without_variance():
    """The Bayes rule given: no bias, no variance, noise = the Bayes error Phi(-d/2)."""

    class Given(Always):
        def predict(self, X):
            return (X[:, 0] > 0).astype(int)

    def sample(rng, rows=20_000):
        y = rng.integers(0, 2, rows)
        return (rng.standard_normal(rows) + (2 * y - 1))[:, None], y

    found = bias_variance(
        Given(), sample, truth=lambda X: (X[:, 0] > 0).astype(int), loss="zero_one", n=2, random_state=0
    )
    bayes = stats.norm.cdf(-1.0)
    assert found.bias2[0] == found.variance[0] == 0.0
    assert found.error[0] == pytest.approx(found.noise[0])
    assert found.noise[0] == pytest.approx(bayes, abs=4 * np.sqrt(bayes * (1 - bayes) / 20_000))


# -- without the truth ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("learner", [sumlearn.Ridge(2.0), sklearn.linear_model.Lasso(0.2)])
def test_out_of_bag_parts_of_a_regression(learner):
    X, y = regression(30, 2)
    found = bias_variance(learner, X, y, n=25, random_state=5)
    rng = np.random.RandomState(int(np.random.default_rng(5).integers(2**31)))
    held = [[] for _ in y]
    for _ in range(25):
        rows = rng.randint(0, 30, 30)
        model = clone(learner).fit(X[rows], y[rows])
        for i in np.setdiff1d(np.arange(30), rows):
            held[i].append(model.predict(X[[i]])[0])
    several = [(np.array(h), t) for h, t in zip(held, y, strict=True) if len(h) > 1]
    assert found.variance[0] == pytest.approx(np.mean([h.var(ddof=1) for h, _ in several]))
    assert found.bias2[0] == pytest.approx(np.mean([(h.mean() - t) ** 2 - h.var(ddof=1) / len(h) for h, t in several]))
    assert found.error[0] == pytest.approx(np.mean([np.mean((h - t) ** 2) for h, t in several]))
    assert found.noise[0] == 0.0


def test_out_of_bag_parts_of_a_classifier():
    X, y = classes(50, 2, 3)
    found = bias_variance(
        sumlearn.GaussianNB(), X, y, n=30, parameter="var_smoothing", values=[1e-9, 1.0], random_state=0
    )
    assert found.error == pytest.approx(found.bias2 + found.net_variance)  # y is taken for the truth
    assert (found.variance > 0).all() and (found.error < 1).all()
    alone = bias_variance(sumlearn.GaussianNB(var_smoothing=1.0), X, y, n=30, random_state=0)
    assert alone.error[0] == found.error[1]  # all values see the same samples


def test_a_table():
    found = bias_variance(sumlearn.Ridge(), draw, truth=curve, test=DESIGN, parameter="alpha", values=[1.0, 2.0], n=3)
    lines = str(found).splitlines()
    assert lines[0].split() == ["alpha", "bias2", "variance", "noise", "error"]
    assert [line.split()[0] for line in lines[1:]] == ["1.0", "2.0"]


def test_what_is_refused():
    X, y = regression(20, 2)
    ridge = sumlearn.Ridge()
    with pytest.raises(ValueError, match="truth must say the best prediction"):
        bias_variance(ridge, draw)
    with pytest.raises(ValueError, match="truth, test and noise need a function"):
        bias_variance(ridge, X, y, truth=curve)
    with pytest.raises(ValueError, match="parameter and values must be given together"):
        bias_variance(ridge, X, y, parameter="alpha")
    with pytest.raises(ValueError, match="loss must be 'squared' or 'zero_one'"):
        bias_variance(ridge, X, y, loss="absolute")
    with pytest.raises(ValueError, match="noise is the variance of y"):
        bias_variance(sumlearn.GaussianNB(), draw, truth=curve, noise=1.0)
    with pytest.raises(ValueError, match="at least 2 training sets"):
        bias_variance(ridge, X, y, n=1)
    with pytest.raises(ValueError, match="values is empty"):
        bias_variance(ridge, X, y, parameter="alpha", values=[])
    with pytest.raises(ValueError, match="truth has 3 rows and y of the test rows has 25"):
        bias_variance(ridge, draw, truth=np.zeros(3))
    with pytest.raises(ValueError, match="Invalid parameter 'aplha'"):
        bias_variance(ridge, X, y, parameter="aplha", values=[1.0])
    X[3, 0] = np.nan
    with pytest.raises(ValueError, match="NaN: first at row 3, column 0"):
        bias_variance(ridge, X, y)


@pytest.mark.parametrize("classes", [False, True])
def test_weights_are_numbers_of_rows(classes):
    """In the means over test rows: a weight of two equals the row twice, a weight of zero its absence."""
    rng = np.random.default_rng(5)
    test, weight = rng.standard_normal((12, 2)), np.array([2, 0, 1, 1, 3, 1, 0, 1, 1, 1, 2, 1])
    truth = (lambda X: X[:, 0] > 0) if classes else (lambda X: X[:, 0])
    model = sumlearn.LinearDiscriminantAnalysis() if classes else sumlearn.LinearRegression()

    def draw(rng):
        X = rng.standard_normal((20, 2))
        return X, truth(X + 0.3 * rng.standard_normal((20, 2)))

    options = {"truth": truth, "n": 10, "random_state": 0}
    once = bias_variance(model, draw, test=test, sample_weight=weight, **options)
    often = bias_variance(model, draw, test=np.repeat(test, weight, axis=0), **options)
    for name in ("bias2", "variance", "noise", "error", "net_variance"):
        assert getattr(once, name) == pytest.approx(getattr(often, name), abs=1e-12)


def test_weights_of_data_are_in_fits_and_means():
    rng = np.random.default_rng(6)
    X, weight = rng.standard_normal((60, 2)), np.ones(60)
    y = X @ [1.0, 2.0] + rng.standard_normal(60)
    y[:5] += 100.0
    weight[:5] = 0.0
    some = bias_variance(sumlearn.LinearRegression(), X, y, n=40, sample_weight=weight, random_state=0)
    whole = bias_variance(sumlearn.LinearRegression(), X, y, n=40, random_state=0)
    assert some.error[0] < 3.0 < whole.error[0]
    ones = bias_variance(sumlearn.LinearRegression(), X, y, n=10, sample_weight=np.ones(60), random_state=0)
    plain = bias_variance(sumlearn.LinearRegression(), X, y, n=10, random_state=0)
    assert ones.error == pytest.approx(plain.error)
