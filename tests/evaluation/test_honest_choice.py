"""The whole procedure against scikit-learn's grid search inside cross-validation; and what happens on pure noise."""

import numpy as np
import pandas as pd
import pytest
import sklearn.linear_model
import sklearn.naive_bayes
from scipy import stats
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, StratifiedKFold, cross_val_score
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import sumlearn
from sumlearn.data import load_example
from sumlearn.evaluation import corrected_t_test, honest_choice

from tests.agreement.problems import classes, regression


def test_one_candidate_is_a_nested_grid_search():
    X, y = regression(80, 10)
    grid = {"alpha": [0.01, 1.0, 30.0, 1000.0], "fit_intercept": [True, False]}
    outer, inner = KFold(4, shuffle=True, random_state=0), KFold(3, shuffle=True, random_state=1)
    found = honest_choice({"ridge": (sumlearn.Ridge(), grid)}, X, y, cv=outer, inner=inner)
    search = GridSearchCV(sklearn.linear_model.Ridge(solver="svd"), grid, cv=inner)
    assert found.scores == pytest.approx(cross_val_score(search, X, y, cv=outer), rel=1e-9)
    search.fit(X, y)
    assert found.choice.params == search.best_params_
    assert found.choice.inner_score == pytest.approx(search.best_score_, rel=1e-9)
    assert found.estimator.predict(X) == pytest.approx(search.predict(X), rel=1e-9)
    for (train, _), choice in zip(outer.split(X), found.choices, strict=True):
        assert choice.params == search.fit(X[train], y[train]).best_params_


def test_model_and_hyperparameters_are_chosen_together():
    """The best of two grid searches, by their inner scores, in every outer fold."""
    X, y = classes(120, 3, 3)
    candidates = {
        "bayes": (sumlearn.GaussianNB(), {"var_smoothing": [1e-9, 0.1, 1.0]}),
        "tree": (DecisionTreeClassifier(random_state=0), [{"max_depth": [2]}, {"max_depth": [4, 6]}]),
        "plain": sumlearn.LinearDiscriminantAnalysis(),
    }
    outer, inner = StratifiedKFold(3), StratifiedKFold(4)
    found = honest_choice(candidates, X, y, cv=outer, inner=inner, scoring="neg_log_loss")
    rivals = {
        "bayes": GridSearchCV(
            sklearn.naive_bayes.GaussianNB(), candidates["bayes"][1], cv=inner, scoring="neg_log_loss"
        ),
        "tree": GridSearchCV(*candidates["tree"], cv=inner, scoring="neg_log_loss"),
        "plain": GridSearchCV(sumlearn.LinearDiscriminantAnalysis(), {}, cv=inner, scoring="neg_log_loss"),
    }
    for (train, test), score, choice in zip(outer.split(X, y), found.scores, found.choices, strict=True):
        fitted = {name: search.fit(X[train], y[train]) for name, search in rivals.items()}
        best = max(fitted, key=lambda name: fitted[name].best_score_)
        assert (choice.name, choice.params) == (best, fitted[best].best_params_)
        assert choice.inner_score == pytest.approx(fitted[best].best_score_, rel=1e-9)
        assert score == pytest.approx(fitted[best].score(X[test], y[test]), rel=1e-8)


def test_weights_choose_fit_and_score():
    X, y = classes(60, 3, 2)
    weight = np.random.default_rng(0).integers(0, 3, 60).astype(float)
    trees = {f"tree {depth}": DecisionTreeClassifier(max_depth=depth, random_state=0) for depth in (1, 3)}
    field = {"bayes": sumlearn.GaussianNB(), **trees}
    outer, inner = StratifiedKFold(2), StratifiedKFold(3)

    def right(model, train, test):
        fitted = clone(model).fit(X[train], y[train], sample_weight=weight[train])
        return fitted.score(X[test], y[test], sample_weight=weight[test])

    found = honest_choice(field, X, y, cv=outer, inner=inner, sample_weight=weight)
    for (train, test), score, choice in zip(outer.split(X, y), found.scores, found.choices, strict=True):
        within = [(train[a], train[b]) for a, b in inner.split(X[train], y[train])]
        means = {name: np.mean([right(model, *rows) for rows in within]) for name, model in field.items()}
        assert choice.name == max(means, key=means.__getitem__) and choice.inner_score == pytest.approx(
            max(means.values())
        )
        assert score == pytest.approx(right(field[choice.name], train, test), rel=1e-12)
    best = clone(field[found.choice.name]).fit(X, y, sample_weight=weight)
    assert np.array_equal(found.estimator.predict(X), best.predict(X))


def test_the_interval_is_that_of_nadeau_and_bengio():
    X, y = regression(60, 3)
    found = honest_choice({"ridge": sumlearn.Ridge()}, X, y, cv=KFold(5), confidence=0.9)
    mean, variance = found.scores.mean(), found.scores.var(ddof=1)
    half = stats.t.ppf(0.95, 4) * np.sqrt((1 / 5 + 12 / 48) * variance)
    assert found.score == pytest.approx(mean)
    assert found.interval == pytest.approx((mean - half, min(mean + half, 1.0)))


@pytest.mark.chance
@pytest.mark.thinned(2)
@pytest.mark.parametrize("seed", range(4))
def test_pure_noise_is_called_noise(seed):
    """Seven candidates and labels without meaning: the inner score flatters, the outer interval holds 1/2."""
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((100, 20)), np.arange(100) % 2
    candidates = {
        "quadratic": (sumlearn.QuadraticDiscriminantAnalysis(), {"reg_param": [0.1, 0.4, 0.7, 1.0]}),
        "bayes": (sumlearn.GaussianNB(), {"var_smoothing": [1e-9, 1e-3, 1.0]}),
    }
    found = honest_choice(candidates, X, y, scoring="roc_auc", inner=StratifiedKFold(5, shuffle=True, random_state=0))
    low, high = found.interval
    assert low < 0.5 < high
    assert found.score_name == "roc_auc"


@pytest.mark.slow
def test_intervals_of_pure_noise_hold_as_often_as_they_say():
    """Sixty problems at 95 %: fewer than 50 intervals that hold 1/2 would come by chance once in 1e4."""
    candidates = {
        "quadratic": (sumlearn.QuadraticDiscriminantAnalysis(), {"reg_param": [0.1, 0.4, 0.7, 1.0]}),
        "bayes": (sumlearn.GaussianNB(), {"var_smoothing": [1e-9, 1e-3, 1.0]}),
    }
    found = [
        honest_choice(candidates, rng.standard_normal((100, 20)), np.arange(100) % 2, scoring="roc_auc")
        for rng in map(np.random.default_rng, range(60))
    ]
    assert sum(f.interval[0] < 0.5 < f.interval[1] for f in found) >= 50
    assert np.mean([f.score for f in found]) == pytest.approx(0.5, abs=0.035)
    assert np.mean([f.choice.inner_score for f in found]) > 0.53  # the scores that chose are too kind


def test_groups_stay_together_outside_and_inside():
    """Rows in pairs with the same noise: a splitter that tears pairs apart would see a tree that remembers."""
    rng = np.random.default_rng(0)
    half = rng.standard_normal((40, 3))
    X, y, groups = np.repeat(half, 2, axis=0), np.repeat(rng.standard_normal(40), 2), np.repeat(np.arange(40), 2)
    X = X + 1e-6 * rng.standard_normal(X.shape)
    candidates = {"tree": DecisionTreeRegressor(random_state=0)}
    torn = honest_choice(candidates, X, y, cv=KFold(4, shuffle=True, random_state=0), inner=KFold(3))
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=y, group=groups)
    kept = honest_choice(candidates, frame, "y", groups="group", cv=GroupKFold(4), inner=GroupKFold(3))
    assert torn.score > 0.0 > kept.score
    assert kept.estimator.feature_names_in_.tolist() == ["a", "b", "c"]
    same = honest_choice(candidates, X, y, groups=groups, cv=GroupKFold(4), inner=GroupKFold(3))
    assert same.scores == pytest.approx(kept.scores)


def test_a_report():
    X, y = regression(60, 3)
    found = honest_choice({"ridge": (sumlearn.Ridge(), {"alpha": [0.5, 2.0]})}, X, y, cv=3, inner=3)
    text = str(found)
    assert f"honest r2: {found.score:.4f}, 95% interval" in text
    assert text.splitlines()[0].startswith("chosen on all rows: ridge(alpha=")
    assert len(text.splitlines()) == 4 + 3


def test_what_is_refused(tmp_path):
    X, y = regression(30, 2)
    with pytest.raises(TypeError, match="candidates must be a dictionary of names and estimators, got list"):
        honest_choice([sumlearn.Ridge()], X, y)
    with pytest.raises(ValueError, match="candidates is empty"):
        honest_choice({}, X, y)
    with pytest.raises(TypeError, match="candidate 'a' must be an estimator or a pair"):
        honest_choice({"a": 3}, X, y)
    with pytest.raises(ValueError, match="confidence must be between 0 and 1"):
        honest_choice({"a": sumlearn.Ridge()}, X, y, confidence=95)
    with pytest.raises(ValueError, match="load the table into memory first"):
        honest_choice({"a": sumlearn.Ridge()}, "rows.csv", "y")
    with pytest.raises(ValueError, match="an interval needs at least two"):
        honest_choice({"a": sumlearn.Ridge()}, X, y, cv=[(np.arange(20), np.arange(20, 30))])
    X[7, 1] = np.nan
    with pytest.raises(ValueError, match="NaN: first at row 7, column 1"):
        honest_choice({"a": sumlearn.Ridge()}, X, y)


@pytest.mark.filterwarnings("ignore")
def test_a_class_that_is_too_rare():
    X = classes(40, 2, 2)[0]
    rare = np.r_[np.ones(2, int), np.zeros(38, int)]
    with pytest.raises(ValueError, match="candidate 'a' with {} has no score in an inner fold"):
        honest_choice({"a": sumlearn.GaussianNB()}, X, rare, scoring="roc_auc")


def test_the_interval_ends_at_the_limit_of_the_score():
    iris = load_example("iris")
    found = honest_choice({"lda": sumlearn.LinearDiscriminantAnalysis()}, iris.X, iris.y)
    assert found.interval[0] < found.score < found.interval[1] == 1.0
    x = np.arange(40.0)
    noise = np.random.default_rng(1).standard_normal(40) * np.repeat([0.1, 3.0], 20)
    cv = KFold(5, shuffle=True, random_state=0)
    line = honest_choice({"line": sumlearn.LinearRegression()}, x[:, None], x + noise, cv=cv)
    assert line.interval[1] <= 1.0


def test_limits_hold_only_where_the_mean_is_within_them():
    test = corrected_t_test([-3.0, -2.0, -4.0], 8, 2)
    assert test.interval(limits=(0.0, 1.0)) == test.interval()
