"""Bagging against scikit-learn's draws and answers, rows against weights, and sums against fits on samples."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as ScikitLDA
from sklearn.ensemble import BaggingClassifier as ScikitClassifier
from sklearn.ensemble import BaggingRegressor as ScikitRegressor
from sklearn.linear_model import Ridge as ScikitRidge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier as ScikitTree

import sumlearn as sl
from sumlearn.data import load_example
from sumlearn.ensembles.parts import bag
from sumlearn.evaluation import bootstrap

RNG = np.random.default_rng(0)
X = RNG.normal(size=(700, 9)) @ RNG.normal(size=(9, 9)) + 5.0
Y = X @ RNG.normal(size=9) + RNG.normal(size=700)
LABELS = np.array(["low", "middle", "top"])[np.digitize(Y + RNG.normal(size=700), np.quantile(Y, [0.4, 0.8]))]
SETTINGS = (
    {},
    {"max_samples": 0.5},
    {"max_samples": 300, "bootstrap": False},
    {"max_features": 4},
    {"max_features": 0.7, "bootstrap_features": True},
)


def regressor(**more):
    return sl.BaggingRegressor(sl.Ridge(0.5), 12, random_state=4, **more)


# -- scikit-learn -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_ridges_are_those_of_scikit_learn(settings):
    ours = regressor(**settings).fit(X, Y)
    theirs = ScikitRegressor(ScikitRidge(0.5), 12, random_state=4, **settings).fit(X, Y)
    for name in ("estimators_samples_", "estimators_features_"):
        for mine, yours in zip(getattr(ours, name), getattr(theirs, name), strict=True):
            whole = name == "estimators_features_" and len(mine) == 9 and "bootstrap_features" not in settings
            assert np.array_equal(np.sort(mine), np.sort(yours)) if whole else np.array_equal(mine, yours)
    assert np.allclose(ours.predict(X), theirs.predict(X), rtol=1e-9)
    assert [m.random_state for m in ours.estimators_] == [m.random_state for m in theirs.estimators_]
    for mine, yours in zip(ours.estimators_, theirs.estimators_, strict=True):
        assert np.allclose(np.sort(mine.coef_), np.sort(yours.coef_), rtol=1e-8)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_discriminants_are_those_of_scikit_learn(settings):
    if settings.get("bootstrap_features"):  # a column twice is singular
        settings = {"max_features": 5}
    ours = sl.BaggingClassifier(sl.LinearDiscriminantAnalysis(), 12, random_state=4, **settings).fit(X, LABELS)
    theirs = ScikitClassifier(ScikitLDA(), 12, random_state=4, **settings).fit(X, LABELS)
    assert np.allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-9)
    assert np.allclose(ours.predict_log_proba(X), theirs.predict_log_proba(X), atol=1e-8)
    assert np.allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-8)
    assert (ours.predict(X) == theirs.predict(X)).all() and ours.classes_.tolist() == ["low", "middle", "top"]
    assert ours.estimators_[0].classes_.tolist() == theirs.estimators_[0].classes_.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    "base", [ScikitTree(max_features=3), KNeighborsClassifier(), make_pipeline(StandardScaler(), ScikitTree())], ids=str
)
def test_any_estimator_is_bagged_as_scikit_learn_does(base):
    settings = {"n_estimators": 15, "random_state": 1, "oob_score": True, "max_features": 0.8}
    ours, theirs = (kind(base, **settings).fit(X, LABELS) for kind in (sl.BaggingClassifier, ScikitClassifier))
    assert np.allclose(ours.predict_proba(X), theirs.predict_proba(X))
    known = ~np.isnan(ours.oob_decision_function_[:, 0])
    assert np.allclose(ours.oob_decision_function_[known], theirs.oob_decision_function_[known])


def test_rows_that_members_left_out_are_scored_as_scikit_learn_does():
    ours = sl.BaggingRegressor(sl.Ridge(), 40, oob_score=True, random_state=0).fit(X, Y)
    theirs = ScikitRegressor(ScikitRidge(), 40, oob_score=True, random_state=0).fit(X, Y)
    assert np.allclose(ours.oob_prediction_, theirs.oob_prediction_)
    assert np.isclose(ours.oob_score_, theirs.oob_score_)
    few = sl.BaggingRegressor(sl.Ridge(), 2, oob_score=True, random_state=0)
    with pytest.warns(UserWarning, match="do not have OOB scores"):
        few.fit(X, Y)
    known = ~np.isnan(few.oob_prediction_)
    assert 0 < known.sum() < len(Y)
    errors, spread = (Y - few.oob_prediction_)[known], Y[known] - Y[known].mean()
    assert np.isclose(few.oob_score_, 1 - (errors @ errors) / (spread @ spread))


def test_weights_are_probabilities_as_in_scikit_learn():
    weight = RNG.integers(1, 5, 700).astype(float)
    ours = regressor(max_samples=500).fit(X, Y, weight)
    theirs = ScikitRegressor(ScikitRidge(0.5), 12, random_state=4, max_samples=500).fit(X, Y, weight)
    assert np.allclose(ours.predict(X), theirs.predict(X), rtol=1e-9)
    weight[::3] = 0.0
    holes = X.copy()
    holes[::3] = np.nan  # nobody looks at rows of weight zero
    some = regressor(max_samples=500).fit(holes, Y, weight)
    there = np.flatnonzero(weight)
    fewer = regressor(max_samples=500).fit(X[there], Y[there], weight[there])
    assert np.allclose(some.predict(X), fewer.predict(X))
    assert all(np.isin(rows, there).all() for rows in some.estimators_samples_)


# -- sums, weights, rows ----------------------------------------------------------------------------------------------


def without_sums(monkeypatch):
    monkeypatch.setattr(bag, "adds_up", lambda base, X: False)


@pytest.mark.parametrize("settings", SETTINGS[:4], ids=str)
@pytest.mark.parametrize(
    ("kind", "base", "y"),
    [
        (sl.BaggingRegressor, sl.Ridge(0.1), Y),
        (sl.BaggingRegressor, sl.LinearRegression(), np.column_stack([Y, X[:, 0] ** 2])),
        (sl.BaggingClassifier, sl.LinearDiscriminantAnalysis(), LABELS),
    ],
    ids=["ridge", "two targets", "lda"],
)
def test_members_from_sums_weights_and_rows_are_the_same(kind, base, y, settings, monkeypatch):
    model = lambda: kind(base, 6, random_state=2, **settings)  # noqa: E731
    asked = []
    count = bag.MemberSums.statistics
    monkeypatch.setattr(bag.MemberSums, "statistics", lambda *given: asked.append(len(given[1])) or count(*given))
    sums = model().fit(X, y)
    assert asked == [1, 6]  # they do come from sums, after a look at those of all rows
    without_sums(monkeypatch)
    weights = model().fit(X, y)
    assert asked == [1, 6]
    monkeypatch.setattr(bag, "has_fit_parameter", lambda base, name: False)
    rows = model().fit(X, y)
    for one, two, three in zip(sums.estimators_, weights.estimators_, rows.estimators_, strict=True):
        assert np.allclose(one.coef_, two.coef_, rtol=1e-9, atol=1e-11)
        assert np.allclose(two.coef_, three.coef_, rtol=1e-9, atol=1e-11)
        assert np.allclose(one.intercept_, three.intercept_, rtol=1e-8)


def test_statistics_of_samples_are_those_of_their_rows():
    model = regressor().fit(X, Y)
    for member, rows in zip(model.estimators_[:3], model.estimators_samples_[:3], strict=True):
        own = sl.Ridge(0.5).fit(X[rows], Y[rows]).statistic_
        assert np.allclose(member.statistic_.mean, own.mean, rtol=1e-13)
        assert np.allclose(member.statistic_.scatter, own.scatter, rtol=1e-10, atol=1e-9)
        error = np.abs(member.statistic_.scatter - own.scatter)
        r = member.statistic_.rounding + own.rounding
        assert (error <= np.sqrt(np.outer(r, r))).all()


@pytest.mark.parametrize("case", ["dependent", "constant", "offset", "rare flag", "tiny units"])
def test_tables_that_lose_digits_are_summed_with_care(case, monkeypatch):
    Z = X.copy()
    if case == "dependent":
        Z[:, 3] = Z[:, 2] + 1e-7 * RNG.normal(size=700)
    elif case == "constant":
        Z[:, 3] = 7.0
    elif case == "offset":
        Z += 1e9
    elif case == "rare flag":
        Z[:, 3] = np.arange(700) == 5  # most samples lack it, or have it once
    else:
        Z *= 1e-120
    sums = sl.BaggingRegressor(sl.LinearRegression(), 5, random_state=0)
    with pytest.warns(Warning) if case in ("constant", "rare flag") else no_warning():
        sums.fit(Z, Y)
        without_sums(monkeypatch)
        own = sl.BaggingRegressor(sl.LinearRegression(), 5, random_state=0).fit(Z, Y)
    for one, two in zip(sums.estimators_, own.estimators_, strict=True):
        assert one.aliased_.tolist() == two.aliased_.tolist()
        assert np.allclose(one.coef_, two.coef_, rtol=1e-6, atol=1e-6 * np.abs(two.coef_).max())


def no_warning():
    import warnings

    return warnings.catch_warnings()


def test_a_learner_that_sums_something_else_is_fitted_on_its_samples():
    class Logarithms(sl.Ridge):
        """Sums logarithms of the columns: looks like a learner on moments, and is none of these."""

        def summarise(self, chunk, look=None):
            return sl.statistics.Moments.of(np.log(np.abs(chunk.X) + 1.0), chunk.y, chunk.weight)

    model = sl.BaggingRegressor(Logarithms(), 3, random_state=0).fit(X, Y)
    rows = model.estimators_samples_[0]
    assert np.allclose(model.estimators_[0].coef_, Logarithms().fit(X[rows], Y[rows]).coef_)


def test_a_sample_without_a_class():
    labels = np.where(np.arange(700) == 3, "rare", LABELS)
    model = sl.BaggingClassifier(sl.LinearDiscriminantAnalysis(), 6, random_state=0)
    shares = model.fit(X, labels).predict_proba(X)
    theirs = ScikitClassifier(ScikitLDA(solver="lsqr"), 6, random_state=0).fit(X, labels)
    assert sorted({len(m.classes_) for m in model.estimators_}) == [3, 4]
    assert np.allclose(shares, theirs.predict_proba(X), atol=1e-6)
    assert np.allclose(shares.sum(axis=1), 1.0)
    labels[[5, 9]] = "strange", "odd"  # members lack different ones: columns of the same number, of other classes
    with pytest.raises(ValueError, match="member 0 lack a class"):
        model.fit(X, labels).decision_function(X)


# -- what members tell ------------------------------------------------------------------------------------------------


def test_parameters_spread_as_in_the_bootstrap():
    model = sl.BaggingRegressor(sl.Ridge(), 300, random_state=0).fit(X, Y)
    spread, other = model.parameters(), bootstrap(sl.Ridge(), X, Y, n=300, random_state=1)
    assert np.allclose(spread.estimate, other.estimate)
    assert np.allclose(spread.standard_error, other.standard_error, rtol=0.25)
    assert np.allclose(spread.interval(0.9), other.interval(0.9), atol=0.8 * other.standard_error.max())
    assert np.allclose(model.parameters("intercept_").mean, np.mean([m.intercept_ for m in model.estimators_]))
    low, high = model.band(X[:50], 0.9)
    answers = np.array([m.predict(X[:50]) for m in model.estimators_])
    assert np.allclose([low, high], np.quantile(answers, [0.05, 0.95], axis=0))
    trees = sl.BaggingRegressor(n_estimators=3).fit(X, Y)
    assert np.isnan(trees.parameters(lambda tree: tree.tree_.threshold[:1]).bias).all()
    with pytest.raises(ValueError, match="no coef_"):
        trees.parameters()


def test_the_error_out_of_bag_is_that_of_new_rows_up_to_its_own():
    rng = np.random.default_rng(5)
    Z = rng.normal(size=(6000, 5))
    y = (Z[:, 0] + Z[:, 1] ** 2 + rng.normal(size=6000) > 1).astype(int)
    model = sl.BaggingClassifier(sl.QuadraticDiscriminantAnalysis(), 50, oob_score=True, random_state=0)
    model.fit(Z[:1000], y[:1000])
    fresh = model.score(Z[1000:], y[1000:])
    right = model.oob_decision_function_.argmax(axis=1) == y[:1000]
    spread = bootstrap(np.mean, right.astype(float), n=200, random_state=0).standard_error
    assert abs(model.oob_score_ - fresh) < 3 * spread


@pytest.mark.parametrize("weighted", [False, True])
def test_groups_are_drawn_whole_and_their_sums_weigh_anew(weighted, monkeypatch):
    groups = np.random.default_rng(6).integers(0, 40, 700).astype(str)
    weight = np.where(np.arange(700) == 3, 0.0, np.arange(700) % 3 + 0.5) if weighted else None
    asked = []
    count = bag.MemberSums.statistics
    monkeypatch.setattr(bag.MemberSums, "statistics", lambda *given: asked.append(given[1].shape) or count(*given))
    for kind, base, y in (
        (sl.BaggingRegressor, sl.Ridge(0.5), Y),
        (sl.BaggingClassifier, sl.LinearDiscriminantAnalysis(), np.unique(LABELS, return_inverse=True)[1]),
    ):
        model = kind(base, 5, random_state=2).fit(X, y, weight, groups=groups)
        assert asked[-1] == (5, 40)  # as many weights as there are groups
        for member, rows in zip(model.estimators_, model.estimators_samples_, strict=True):
            own = clone(base).fit(X[rows], y[rows], None if weight is None else weight[rows])
            assert np.allclose(member.coef_, own.coef_, rtol=1e-9, atol=1e-11)
            there = np.ones(700) if weight is None else weight > 0
            times = np.bincount(rows, minlength=700) / np.where(there, 1.0, np.inf)
            assert all(len(set(times[(groups == name) & (there > 0)])) == 1 for name in np.unique(groups))
    table = pd.DataFrame(X, columns=[f"c{j}" for j in range(9)]).assign(site=groups)
    named = sl.BaggingRegressor(sl.Ridge(0.5), 5, random_state=2).fit(table, Y, weight, groups="site")
    bare = sl.BaggingRegressor(sl.Ridge(0.5), 5, random_state=2).fit(X, Y, weight, groups=groups)
    assert np.allclose(named.predict(table.drop(columns="site")), bare.predict(X))
    assert np.allclose(named.parameters().estimate, sl.Ridge(0.5).fit(X, Y, weight).coef_)
    with pytest.raises(ValueError, match="there are 700 rows, got 699"):
        bare.fit(X, Y, groups=groups[1:])
    if weighted:
        with pytest.raises(ValueError, match="KNeighborsRegressor takes no sample_weight"):
            sl.BaggingRegressor(KNeighborsRegressor()).fit(X, Y, weight, groups=groups)


def test_the_error_out_of_bag_of_groups_is_that_of_new_groups():
    rng = np.random.default_rng(7)
    group = np.repeat(np.arange(80), 20)
    Z = np.repeat(rng.normal(size=(80, 3)), 20, axis=0) + 0.1 * rng.normal(size=(1600, 3))
    y = Z[:, 0] + np.repeat(rng.normal(size=80), 20) + 0.1 * rng.normal(size=1600)
    models = [sl.BaggingRegressor(n_estimators=30, oob_score=True, random_state=0) for _ in range(2)]
    rows, groups = models[0].fit(Z[:800], y[:800]), models[1].fit(Z[:800], y[:800], groups=group[:800])
    fresh = groups.score(Z[800:], y[800:])
    assert rows.oob_score_ > 0.9 and fresh < 0.6 and abs(groups.oob_score_ - fresh) < 0.25


# -- other things -----------------------------------------------------------------------------------------------------


def test_more_members_are_added_to_those_there_are():
    whole = regressor().fit(X, Y)
    grown = sl.BaggingRegressor(sl.Ridge(0.5), 5, random_state=4, warm_start=True).fit(X, Y)
    grown.set_params(n_estimators=12).fit(X, Y)
    assert np.allclose(grown.predict(X), whole.predict(X)) and len(grown) == 12
    with pytest.warns(UserWarning, match="Warm-start fitting without increasing"):
        grown.fit(X, Y)
    with pytest.raises(ValueError, match="must be larger or equal"):
        grown.set_params(n_estimators=3).fit(X, Y)


@pytest.mark.parametrize("jobs", [1, 2, -1])
def test_threads_change_no_bit(jobs):
    assert np.array_equal(regressor(n_jobs=jobs).fit(X, Y).predict(X), regressor().fit(X, Y).predict(X))
    trees = [sl.BaggingClassifier(ScikitTree(), 4, random_state=0, n_jobs=j).fit(X, LABELS) for j in (None, jobs)]
    assert np.array_equal(*(tree.predict_proba(X) for tree in trees))


def test_tables_files_gaps_and_what_is_saved(tmp_path):
    table = pd.DataFrame(X, columns=[f"c{j}" for j in range(9)])
    model = sl.BaggingClassifier(sl.LinearDiscriminantAnalysis(), 5, random_state=0).fit(table, LABELS)
    sl.save(model, tmp_path / "model.sl")
    again = sl.load(tmp_path / "model.sl")
    assert np.array_equal(again.predict_proba(table), model.predict_proba(table))
    assert not list(sl.abilities(again)) and len(again.estimators_features_) == 5
    with pytest.raises(AttributeError, match="in no file"):
        again.estimators_samples_  # noqa: B018
    table.assign(y=LABELS).to_csv(tmp_path / "rows.csv", index=False)
    file = sl.BaggingClassifier(sl.LinearDiscriminantAnalysis(), 5, random_state=0).fit(str(tmp_path / "rows.csv"), "y")
    assert np.allclose(file.predict_proba(table), model.predict_proba(table))
    holes = X.copy()
    holes[::7, 2] = np.nan
    assert sl.BaggingClassifier(n_estimators=5).fit(holes, LABELS).score(holes, LABELS) > 0.8  # trees take gaps
    with pytest.raises(ValueError, match="NaN: first at row 0, column 2"):
        sl.BaggingClassifier(sl.LinearDiscriminantAnalysis()).fit(holes, LABELS)


def test_bad_parameters_are_named():
    for parameters, words in (
        ({"n_estimators": 0}, "n_estimators must be a whole number"),
        ({"max_samples": 1.5}, "max_samples must be"),
        ({"max_features": 0}, "max_features must be"),
        ({"max_features": 10}, "max_features must be <= n_features"),
        ({"max_samples": 701, "bootstrap": False}, "must be <= n_samples=700"),
        ({"oob_score": True, "bootstrap": False}, "only available if bootstrap=True"),
        ({"oob_score": True, "warm_start": True}, "only available if warm_start=False"),
        ({"estimator": sl.Ridge}, "estimator must be an estimator"),
        ({"estimator": sl.TableModel(sl.Ridge())}, "reads tables"),
        ({"estimator": sl.Ridge(alpha=-1.0)}, "alpha"),
    ):
        with pytest.raises(ValueError, match=words):
            sl.BaggingRegressor(**parameters).fit(X, Y)
    with pytest.warns(UserWarning, match="recommended to use bootstrap=True"):
        regressor(bootstrap=False, max_samples=20).fit(X, Y, np.arange(700) % 3 + 1.0)
    pima = load_example("pima")
    with pytest.raises(ValueError, match="level must be"):
        regressor().fit(pima.X[:, :3], pima.X[:, 3]).band(pima.X[:, :3], 1.0)


@pytest.mark.parametrize("base", [None, sl.LinearDiscriminantAnalysis(), sl.GaussianNB()], ids=str)
def test_single_precision_bytes_and_infinity(base):
    """Gaps go on to who takes them, infinity to none of these; float32 rows have float32 answers."""
    model = sl.BaggingClassifier(base, 4, random_state=0)
    single = model.fit(X.astype(np.float32), LABELS).predict_proba(X.astype(np.float32))
    assert single.dtype == np.float32
    assert np.allclose(single, model.fit(X, LABELS).predict_proba(X), atol=0.26)
    swapped = model.fit(X.astype(">f8"), LABELS).predict_proba(X)
    assert np.array_equal(swapped, model.fit(X, LABELS).predict_proba(X))
    bad = pd.DataFrame(X, columns=[f"c{j}" for j in range(9)])
    bad.iloc[37, 2] = np.inf
    with pytest.raises(ValueError, match="infinity: first at row 37, column 'c2'"):
        model.fit(bad, LABELS)
    weight = np.ones(700)
    weight[37] = 0.0
    bad.iloc[40, 1] = -np.inf
    with pytest.raises(ValueError, match="infinity: first at row 40, column 'c1'"):
        model.fit(bad, LABELS, weight)


def test_infinity_is_left_to_members_that_check_nothing():
    """As scikit-learn does, where a pipeline begins with a step that says so; the others refuse it."""
    broken = X.copy()
    broken[3, 1], broken[8, 2] = np.inf, np.nan
    mend = FunctionTransformer(lambda rows: np.where(np.isfinite(rows), rows, 0.0))
    model = sl.BaggingRegressor(make_pipeline(mend, sl.Ridge()), 3, random_state=0).fit(broken, Y)
    mended = np.where(np.isfinite(broken), broken, 0.0)
    whole = sl.BaggingRegressor(make_pipeline(mend, sl.Ridge()), 3, random_state=0).fit(mended, Y)
    assert np.allclose(model.predict(broken), whole.predict(mended), rtol=1e-12)
    for base in (ScikitTree(), make_pipeline(StandardScaler(), sl.Ridge())):
        with pytest.raises(ValueError, match="infinity: first at row 3, column 1"):
            sl.BaggingRegressor(base, 3).fit(broken, Y)
