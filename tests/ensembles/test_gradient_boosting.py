"""Friedman's gradient boosting: its parameters, draws, scores, starts, pruning, refusals."""

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingRegressor as Theirs
from sklearn.inspection import partial_dependence

import sumlearn as sl

from tests.ensembles.boosting_reference import Reference

R, C = sl.GradientBoostingRegressor, sl.GradientBoostingClassifier
RNG = np.random.default_rng(0)
X = np.round(RNG.standard_normal((240, 4)), 3)
Y = X @ [1.0, -2.0, 0.5, 0.0] + np.sin(3 * X[:, 0]) + 0.3 * RNG.standard_normal(240)


def test_trees_are_those_of_the_reference():
    labels = (Y > 0).astype(float)
    model = C(n_estimators=3, min_samples_leaf=5, max_depth=2, learning_rate=0.4).fit(X, labels)
    terms = lambda f: (1 / (1 + np.exp(-f)) - labels, 1 / (1 + np.exp(-f)) / (1 + np.exp(f)))  # noqa: E731
    reference = Reference(0.4, None, 2, 5, newton=False)
    scores = reference.scores(model.codes_of(X), np.zeros(4, bool), terms, model.trees_.base, np.ones(240), 3)
    np.testing.assert_allclose(model.decision_function(X), scores[0], rtol=1e-9, atol=1e-9)


def test_a_round_sees_some_of_the_rows():
    model = R(subsample=0.5, random_state=0, n_estimators=60).fit(X, Y)
    assert len(model.oob_improvement_) == len(model.oob_scores_) == len(model.train_score_) == 60
    assert model.oob_score_ == model.oob_scores_[-1] < model.oob_scores_[0]
    assert model.oob_improvement_[1:] == pytest.approx(-np.diff(model.oob_scores_))
    assert model.oob_improvement_[:10].mean() > model.oob_improvement_[-10:].mean()
    again, other = (R(subsample=0.5, random_state=seed, n_estimators=60).fit(X, Y) for seed in (0, 1))
    assert model.trees_ == again.trees_ and model.trees_ != other.trees_
    assert not hasattr(R(n_estimators=2).fit(X, Y), "oob_scores_")


def test_half_of_the_rows_are_drawn():
    model = R(subsample=0.5, random_state=0, max_depth=1, min_samples_leaf=1, n_estimators=30).fit(X, Y)
    roots = model.trees_.numbers[model.trees_.starts[:-1], 2]
    assert abs(roots.mean() - 120) < 8 and np.ptp(roots) > 0


def test_train_scores_are_losses():
    model = R(n_estimators=5).fit(X, Y)
    assert model.train_score_[-1] == pytest.approx(np.mean((Y - model.predict(X)) ** 2))
    labels = Y > 0
    p = C(n_estimators=5).fit(X, labels)
    own = np.where(labels, *p.predict_proba(X).T[::-1])
    assert p.train_score_[-1] == pytest.approx(-2 * np.log(own).mean())


def test_starts():
    zero = R(init="zero", n_estimators=1, learning_rate=0.1).fit(X, Y + 10)
    assert zero.trees_.base.tolist() == [0.0] and zero.predict(X).mean() == pytest.approx(0.1 * (Y + 10).mean())
    line = R(init=sl.LinearRegression(), n_estimators=30).fit(X, Y)
    assert line.score(X, Y) > R(n_estimators=30).fit(X, Y).score(X, Y)
    assert np.array_equal(list(line.staged_predict(X))[-1], line.predict(X))
    assert R(init=sl.LinearRegression(), n_estimators=1, learning_rate=0.0).fit(X, Y).predict(X) == pytest.approx(
        sl.LinearRegression().fit(X, Y).predict(X)
    )
    labels = np.digitize(Y, [-1.0, 1.0])
    for y in (labels, labels > 0):
        start = sl.GaussianNB()
        model = C(init=start, n_estimators=1, learning_rate=0.0).fit(X, y)
        assert model.predict_proba(X) == pytest.approx(start.fit(X, y).predict_proba(X), abs=1e-6)
    weighted = R(init=sl.LinearRegression(), n_estimators=2).fit(X, Y, RNG.uniform(1, 2, 240))
    assert weighted.init_.n_features_in_ == 4
    for bad in ("one", object(), sl.PCA()):
        with pytest.raises(ValueError, match="init"):
            R(init=bad).fit(X, Y)


def test_pruning_takes_the_weakest_links():
    sizes = []
    for alpha in (0.0, 1e-3, 1e-2, 0.1, 10.0):
        ours = R(ccp_alpha=alpha, max_depth=5, n_estimators=3).fit(X, Y)
        theirs = Theirs(ccp_alpha=alpha, max_depth=5, n_estimators=3, random_state=0).fit(X, Y)
        sizes.append([(tree.links[:, 0] < 0).sum() for tree in ours.trees_.trees()])
        assert sizes[-1] == [tree.get_n_leaves() for tree in theirs.estimators_[:, 0]]
        assert ours.predict(X) == pytest.approx(theirs.predict(X), abs=1e-9)
    assert sizes[0] > sizes[2] > [1, 1, 1] == sizes[-1]


def test_early_stopping_and_warm_starts():
    model = R(n_iter_no_change=3, n_estimators=300, random_state=0, learning_rate=0.5).fit(X, Y)
    assert model.n_estimators_ < 100 and len(model.train_score_) == model.n_estimators_
    short = R(n_estimators=3, warm_start=True, subsample=0.7, random_state=0).fit(X, Y)
    whole = R(n_estimators=8, subsample=0.7, random_state=0).fit(X, Y)
    short.set_params(n_estimators=8).fit(X, Y)
    assert short.trees_ == whole.trees_ and np.allclose(short.oob_scores_, whole.oob_scores_)
    assert len(short.train_score_) == 8


def test_importances_and_leaves():
    model = R(n_estimators=40).fit(X, Y)
    assert model.feature_importances_.sum() == pytest.approx(1.0) and model.feature_importances_.argmax() == 1
    assert R(n_estimators=2).fit(X, np.ones(240)).feature_importances_.tolist() == [0.0] * 4
    leaves = model.apply(X)
    assert leaves.shape == (240, 40)
    labels = C(n_estimators=3).fit(X, np.digitize(Y, [-1, 1]))
    assert labels.apply(X).shape == (240, 3, 3) and labels.n_classes_ == 3
    curve = partial_dependence(model, X, [1])["average"][0]
    assert curve[0] > curve[-1]


def test_columns_are_drawn():
    assert [
        R(max_features=value, n_estimators=1).fit(X, Y).max_features_ for value in (None, "sqrt", "log2", 3, 0.5)
    ] == [4, 2, 2, 3, 2]
    stumps = R(max_features=1, max_depth=1, n_estimators=40, random_state=0).fit(X, Y)
    assert set(stumps.trees_.links[:, 0]) == {-1, 0, 1, 2, 3}


def test_huber_lies_between():
    y = Y.copy()
    y[::20] += 100.0
    others = np.arange(240) % 20 != 0
    error = {
        loss: np.mean((R(loss=loss, n_estimators=60).fit(X, y).predict(X) - Y)[others] ** 2)
        for loss in ("huber", "squared_error")
    }
    assert error["huber"] < 0.2 * error["squared_error"]


@pytest.mark.parametrize(
    "options",
    [
        {"learning_rate": -1.0},
        {"n_estimators": 0},
        {"subsample": 0.0},
        {"min_samples_split": 1},
        {"min_samples_split": 1.5},
        {"min_samples_leaf": 0},
        {"min_weight_fraction_leaf": 0.6},
        {"max_depth": 0},
        {"max_leaf_nodes": 1},
        {"min_impurity_decrease": -1.0},
        {"ccp_alpha": -1.0},
        {"validation_fraction": 1.0},
        {"n_iter_no_change": 0},
        {"tol": -1.0},
        {"max_features": "all"},
        {"max_features": 0},
        {"alpha": 1.0},
        {"loss": "gamma"},
        {"criterion": "mae"},
        {"verbose": -1},
    ],
    ids=str,
)
def test_parameters_are_refused_by_name(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        R(**options).fit(X, Y)


def test_what_is_of_no_consequence_is_said():
    with pytest.warns(FutureWarning, match="criterion is deprecated"):
        told = R(criterion="friedman_mse", n_estimators=2).fit(X, Y)
    assert told.trees_ == R(n_estimators=2).fit(X, Y).trees_
    with pytest.raises(ValueError, match="only suitable for a binary"):
        C(loss="exponential").fit(X, np.digitize(Y, [-1, 1]))
