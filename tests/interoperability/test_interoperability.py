"""Our estimators inside everything that scikit-learn builds around an estimator."""

import copy
import pickle

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import config_context, discriminant_analysis
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.covariance import EmpiricalCovariance, ShrunkCovariance
from sklearn.ensemble import StackingClassifier, StackingRegressor, VotingRegressor
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import RFE, SequentialFeatureSelector
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.linear_model import Ridge as ReferenceRidge
from sklearn.metrics import get_scorer
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV, KFold, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils import estimator_html_repr
from sklearn.utils.validation import check_is_fitted

from sumlearn import (
    PCA,
    GaussianNB,
    LinearDiscriminantAnalysis,
    LinearRegression,
    QuadraticDiscriminantAnalysis,
    Ridge,
    RidgeCV,
)

REGRESSORS = [LinearRegression(), Ridge(2.0), RidgeCV(), RidgeCV([0.1, 10.0], cv=3)]
CLASSIFIERS = [GaussianNB(), LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis()]
TRANSFORMERS = [PCA(2), LinearDiscriminantAnalysis(n_components=2)]
ALL = [*REGRESSORS, *CLASSIFIERS, PCA(2)]


def named(estimators):
    return pytest.mark.parametrize("estimator", estimators, ids=str)


def regression(rows=120, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal([0.0, 5.0, -3.0, 100.0], 1.0, size=(rows, 4))
    return X, X @ [2.0, 0.0, -1.0, 0.5] + rng.normal(size=rows)


def classes(rows=150, seed=0, labels=("ash", "birch", "oak")):
    rng = np.random.default_rng(seed)
    y = rng.integers(len(labels), size=rows)
    centres = np.array([[0.0, 0.0, 0.0, 0.0], [2.0, 1.0, 0.0, 0.0], [0.0, 3.0, 1.0, 0.0]])
    return rng.normal(size=(rows, 4)) + centres[y], np.array(labels)[y]


def problem(estimator):
    return regression() if isinstance(estimator, LinearRegression | Ridge | RidgeCV) else classes()


def answers(estimator, X):
    """What a fitted model says about rows: all methods that it has."""
    methods = [m for m in ("predict", "predict_proba", "decision_function", "transform") if hasattr(estimator, m)]
    assert methods
    return {method: getattr(estimator, method)(X) for method in methods}


def assert_same_answers(a, b, X):
    expected, given = answers(a, X), answers(b, X)
    assert expected.keys() == given.keys()
    for method, values in expected.items():
        np.testing.assert_array_equal(given[method], values, err_msg=method)


# -- inside pipelines -------------------------------------------------------------------------------------------------


@named([*REGRESSORS, *CLASSIFIERS])
def test_pipeline_is_the_same_as_by_hand(estimator):
    X, y = problem(estimator)
    pipeline = make_pipeline(StandardScaler(), clone(estimator)).fit(X, y)
    scaled = StandardScaler().fit_transform(X)
    by_hand = clone(estimator).fit(scaled, y)
    np.testing.assert_array_equal(pipeline.predict(X), by_hand.predict(scaled))
    assert pipeline.score(X, y) == by_hand.score(scaled, y) > 0.5


@named(TRANSFORMERS)
def test_transformer_in_a_pipeline(estimator):
    X, y = classes()
    pipeline = make_pipeline(clone(estimator), GaussianNB()).fit(X, y)
    by_hand = clone(estimator).fit(X, y)
    np.testing.assert_allclose(pipeline[0].transform(X), by_hand.transform(X), rtol=1e-12)
    np.testing.assert_allclose(clone(estimator).fit_transform(X, y), by_hand.transform(X), rtol=1e-12)
    assert pipeline.n_features_in_ == 4
    assert pipeline.score(X, y) > 0.7
    prefix = type(estimator).__name__.lower()
    assert pipeline[:-1].get_feature_names_out().tolist() == [f"{prefix}0", f"{prefix}1"]


def test_column_transformer_on_a_mixed_table():
    X, y = regression()
    table = pd.DataFrame(X, columns=list("abcd")).assign(kind=np.where(y > np.median(y), "high", "low"))
    parts = ColumnTransformer(
        [("numbers", PCA(3), list("abcd")), ("levels", OneHotEncoder(sparse_output=False), ["kind"])]
    )
    pipeline = make_pipeline(parts, Ridge(1e-3)).fit(table, y)
    expected = ["numbers__pca0", "numbers__pca1", "numbers__pca2", "levels__kind_high", "levels__kind_low"]
    assert pipeline[0].get_feature_names_out().tolist() == expected
    reference = make_pipeline(clone(parts), ReferenceRidge(1e-3)).fit(table, y)
    np.testing.assert_allclose(pipeline.predict(table), reference.predict(table), rtol=1e-8)
    assert pipeline.score(table, y) > 0.8


def test_transformed_target():
    X, y = regression()
    y = np.exp(y / 20.0)
    model = TransformedTargetRegressor(Ridge(), func=np.log, inverse_func=np.exp).fit(X, y)
    np.testing.assert_allclose(model.predict(X), np.exp(Ridge().fit(X, np.log(y)).predict(X)), rtol=1e-12)


# -- choosing and scoring ---------------------------------------------------------------------------------------------


def test_grid_search_over_alpha_finds_what_ridge_cv_finds():
    X, y = regression()
    alphas = np.logspace(-3, 4, 15)
    folds = KFold(5, shuffle=True, random_state=0)
    search = GridSearchCV(Ridge(), {"alpha": alphas}, cv=folds, scoring="neg_mean_squared_error").fit(X, y)
    exact = RidgeCV(alphas, cv=folds, scoring="neg_mean_squared_error").fit(X, y)
    assert search.best_params_["alpha"] == exact.alpha_
    assert search.best_score_ == pytest.approx(exact.best_score_, rel=1e-10)
    np.testing.assert_allclose(search.best_estimator_.coef_, exact.coef_, rtol=1e-10)


@named(CLASSIFIERS)
def test_grid_search_over_priors(estimator):
    X, y = classes(labels=(0, 1, 2))
    priors = [None, [1 / 3, 1 / 3, 1 / 3], [0.98, 0.01, 0.01]]
    search = GridSearchCV(clone(estimator), {"priors": priors}, cv=3).fit(X, y)
    scores = search.cv_results_["mean_test_score"]
    by_hand = [cross_val_score(clone(estimator).set_params(priors=p), X, y, cv=3).mean() for p in priors]
    np.testing.assert_allclose(scores, by_hand)
    assert scores[2] < scores[1]
    assert search.best_params_["priors"] == priors[int(np.argmax(scores))]


@named([PCA(), LinearDiscriminantAnalysis()])
def test_grid_search_over_components_in_a_pipeline(estimator):
    X, y = classes()
    pipeline = make_pipeline(clone(estimator), GaussianNB())
    name = f"{type(estimator).__name__.lower()}__n_components"
    search = GridSearchCV(pipeline, {name: [1, 2]}, cv=4, error_score="raise").fit(X, y)
    assert search.best_params_[name] == 2
    assert search.best_estimator_[0].transform(X).shape == (len(X), 2)


def test_splits_may_be_a_generator():
    X, y = regression()
    given = RidgeCV([0.1, 10.0], cv=KFold(4).split(X)).fit(X, y)
    assert given.best_score_ == RidgeCV([0.1, 10.0], cv=KFold(4)).fit(X, y).best_score_


@pytest.mark.parametrize("ours", [LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis])
def test_covariance_estimators_that_are_functions_of_the_sums(ours):
    X, y = classes()
    for estimator, shrinkage in ((ShrunkCovariance(shrinkage=0.3), 0.3), (EmpiricalCovariance(), None)):
        given = ours(solver="eigen", covariance_estimator=estimator).fit(X, y)
        assert_same_answers(ours(solver="eigen", shrinkage=shrinkage).fit(X, y), given, X)
        theirs = getattr(discriminant_analysis, ours.__name__)(solver="eigen", covariance_estimator=estimator)
        np.testing.assert_allclose(given.predict_proba(X), theirs.fit(X, y).predict_proba(X), rtol=1e-7)


@named([*REGRESSORS, *CLASSIFIERS])
def test_cross_val_score_and_predict_are_the_loop(estimator):
    X, y = problem(estimator)
    folds = list(KFold(4, shuffle=True, random_state=1).split(X))
    fitted = [clone(estimator).fit(X[train], y[train]) for train, _ in folds]
    scores = cross_val_score(estimator, X, y, cv=folds)
    assert scores.tolist() == [model.score(X[test], y[test]) for model, (_, test) in zip(fitted, folds, strict=True)]
    predictions = cross_val_predict(estimator, X, y, cv=folds)
    for model, (_, test) in zip(fitted, folds, strict=True):
        np.testing.assert_array_equal(predictions[test], model.predict(X[test]))


@named(CLASSIFIERS)
@pytest.mark.parametrize("scoring", ["neg_log_loss", "roc_auc_ovr", "balanced_accuracy"])
def test_scorers(estimator, scoring):
    X, y = classes()
    model = clone(estimator).fit(X, y)
    score = get_scorer(scoring)(model, X, y)
    assert (-0.8 if scoring == "neg_log_loss" else 0.6) < score <= 1.0


def test_selectors():
    X, y = regression()
    ranked = RFE(LinearRegression(), n_features_to_select=3).fit(X, y)
    forward = SequentialFeatureSelector(Ridge(), n_features_to_select=3, cv=4).fit(X, y)
    assert ranked.get_support().tolist() == forward.get_support().tolist() == [True, False, True, True]


# -- tables in, tables out --------------------------------------------------------------------------------------------


@named(TRANSFORMERS)
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_set_output(estimator, library):
    X, y = classes()
    plain = clone(estimator).fit(X, y).transform(X)
    names = [f"{type(estimator).__name__.lower()}{i}" for i in range(2)]
    model = clone(estimator).set_output(transform=library)
    if library == "pandas":
        table = pd.DataFrame(X, columns=list("abcd"), index=np.arange(len(X)) + 1000)
        out = model.fit(table, y).transform(table)
        assert isinstance(out, pd.DataFrame)
        assert out.index.tolist() == table.index.tolist()
    else:
        table = pl.DataFrame(X, schema=list("abcd"))
        out = model.fit(table, y).transform(table)
        assert isinstance(out, pl.DataFrame)
    assert list(out.columns) == names
    np.testing.assert_allclose(out.to_numpy(), plain, rtol=1e-12)
    assert list(model.fit_transform(table, y).columns) == names
    assert isinstance(model.set_output(transform="default").transform(table), np.ndarray)


def test_set_output_reaches_through_a_pipeline():
    X, y = classes()
    table = pd.DataFrame(X, columns=list("abcd"))
    pipeline = make_pipeline(StandardScaler(), PCA(3), LinearDiscriminantAnalysis()).set_output(transform="pandas")
    out = pipeline.fit(table, y).transform(table)
    assert out.columns.tolist() == ["lineardiscriminantanalysis0", "lineardiscriminantanalysis1"]
    assert pipeline[-1].feature_names_in_.tolist() == ["pca0", "pca1", "pca2"]


@named(ALL)
@pytest.mark.parametrize("table", [pd.DataFrame, lambda X, columns: pl.DataFrame(X, schema=columns)], ids=["pd", "pl"])
def test_tables_name_their_features(estimator, table):
    X, y = problem(estimator)
    names = list("abcd")
    model = clone(estimator).fit(table(X, columns=names), y)
    assert model.feature_names_in_.tolist() == names
    assert_same_answers(clone(estimator).fit(X, y), model.__class__(**model.get_params()).fit(X, y), X)
    with pytest.raises(ValueError, match="feature names"):
        (model.transform if isinstance(model, PCA) else model.predict)(table(X, columns=names[::-1]))


# -- metadata routing -------------------------------------------------------------------------------------------------


@named([LinearRegression(), Ridge(), RidgeCV(), *CLASSIFIERS])
def test_weights_are_routed_through_a_pipeline(estimator):
    X, y = problem(estimator)
    weight = np.random.default_rng(3).integers(0, 4, size=len(y)).astype(float)
    with config_context(enable_metadata_routing=True):
        pipeline = make_pipeline(
            StandardScaler().set_fit_request(sample_weight=True), clone(estimator).set_fit_request(sample_weight=True)
        ).fit(X, y, sample_weight=weight)
    scaled = StandardScaler().fit(X, sample_weight=weight).transform(X)
    assert_same_answers(clone(estimator).fit(scaled, y, sample_weight=weight), pipeline[-1], scaled)
    unweighted = clone(estimator).fit(scaled, y)
    assert not np.array_equal(unweighted.predict(X), pipeline[-1].predict(X)) or isinstance(y[0], str)


@pytest.mark.parametrize("estimator", [Ridge(), GaussianNB()], ids=str)
def test_weights_are_routed_through_a_search(estimator):
    X, y = problem(estimator)
    grid = {"alpha": [0.1, 1e4]} if isinstance(estimator, Ridge) else {"var_smoothing": [1e-9, 1.0]}
    weight = np.random.default_rng(4).uniform(0.1, 5.0, size=len(y))
    folds = list(KFold(3).split(X))
    with config_context(enable_metadata_routing=True):
        asked = clone(estimator).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        search = GridSearchCV(asked, grid, cv=folds).fit(X, y, sample_weight=weight)
    (name, values), scores = grid.popitem(), []
    for value in values:
        model = clone(estimator).set_params(**{name: value})
        scores.append(
            np.mean(
                [
                    model.fit(X[a], y[a], sample_weight=weight[a]).score(X[b], y[b], sample_weight=weight[b])
                    for a, b in folds
                ]
            )
        )
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], scores, rtol=1e-12)


def test_weights_that_nobody_asked_for_are_refused():
    X, y = regression()
    with config_context(enable_metadata_routing=True), pytest.raises(ValueError, match="sample_weight"):
        GridSearchCV(Ridge(), {"alpha": [1.0]}).fit(X, y, sample_weight=np.ones(len(y)))


# -- copies -----------------------------------------------------------------------------------------------------------


@named(ALL)
@pytest.mark.parametrize("how", ["pickle", "joblib", "memory map", "deepcopy"])
def test_copies_answer_the_same_and_learn_on(estimator, how, tmp_path):
    X, y = problem(estimator)
    model = clone(estimator).fit(X, y)
    if how == "pickle":
        twin = pickle.loads(pickle.dumps(model))
    elif how == "deepcopy":
        twin = copy.deepcopy(model)
    else:
        joblib.dump(model, tmp_path / "model.joblib")
        twin = joblib.load(tmp_path / "model.joblib", mmap_mode="r" if how == "memory map" else None)
    assert twin.get_params().keys() == model.get_params().keys()
    assert_same_answers(model, twin, X)
    if hasattr(model, "partial_fit"):
        before = answers(model, X)
        twin.partial_fit(X[:30] + 1.0, y[:30])
        grown = clone(estimator).fit(np.vstack([X, X[:30] + 1.0]), np.concatenate([y, y[:30]]))
        for method, values in answers(grown, X).items():
            same = np.testing.assert_array_equal if values.dtype.kind in "UO" else np.testing.assert_allclose
            same(
                answers(twin, X)[method], values, **({} if values.dtype.kind in "UO" else {"rtol": 1e-7, "atol": 1e-9})
            )
        for method, values in answers(model, X).items():
            np.testing.assert_array_equal(values, before[method])
        difference = (twin - clone(estimator).fit(X[:30] + 1.0, y[:30])).statistic_.weight
        assert difference == pytest.approx(model.statistic_.weight)


@named(ALL)
def test_partially_fitted_models_are_copied_too(estimator):
    if not hasattr(estimator, "partial_fit"):
        pytest.skip("has no partial_fit")
    X, y = problem(estimator)
    model = clone(estimator).partial_fit(X[:60], y[:60]).partial_fit(X[60:], y[60:])
    for twin in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert_same_answers(model, twin, X)


@named(ALL)
def test_clone_is_unfitted_and_has_the_parameters(estimator):
    X, y = problem(estimator)
    model = clone(estimator).fit(X, y)
    twin = clone(model)
    assert {k: repr(v) for k, v in twin.get_params().items()} == {k: repr(v) for k, v in model.get_params().items()}
    assert not [name for name in vars(twin) if name.endswith("_")]
    with pytest.raises(NotFittedError):
        check_is_fitted(twin)
    assert_same_answers(model, twin.fit(X, y), X)


@named(ALL)
def test_html(estimator):
    X, y = problem(estimator)
    name = type(estimator).__name__
    assert name in estimator_html_repr(clone(estimator))
    fitted = clone(estimator).fit(X, y)
    assert name in estimator_html_repr(fitted)
    assert "fitted" in fitted._repr_html_()
    assert name in estimator_html_repr(make_pipeline(StandardScaler(), fitted))
    assert repr(fitted) == repr(estimator)
    if hasattr(estimator, "partial_fit"):
        partly = clone(estimator).partial_fit(X[:1], y[:1])
        assert name in estimator_html_repr(partly)
        assert name in estimator_html_repr(partly.partial_fit(X[1:], y[1:]))


@named([LinearDiscriminantAnalysis(n_components=7), PCA(7), GaussianNB(priors=[0.5, 0.5]), Ridge(-1.0)])
def test_html_of_a_model_that_cannot_be_solved(estimator):
    X, y = problem(estimator)
    model = clone(estimator).partial_fit(X, y)
    assert type(model).__name__ in estimator_html_repr(model)
    with pytest.raises(ValueError, match=r"n_components|priors|alpha"):
        (model.transform if isinstance(model, PCA) else model.predict)(X)


@named(CLASSIFIERS)
def test_html_while_a_class_is_awaited(estimator):
    X, y = classes()
    model = clone(estimator).partial_fit(X[y != "oak"], y[y != "oak"], classes=["ash", "birch", "oak"])
    assert type(model).__name__ in estimator_html_repr(model)
    assert "oak" not in model.predict(X)


# -- inside other estimators ------------------------------------------------------------------------------------------


@named([*REGRESSORS, *CLASSIFIERS])
def test_permutation_importance_finds_the_column_that_matters_not(estimator):
    X, y = problem(estimator)
    X[:, 3] = np.random.default_rng(0).normal(size=len(X))
    if isinstance(estimator, LinearRegression | Ridge | RidgeCV):
        y = X @ [2.0, 1.0, -1.0, 0.0] + 0.1 * y
    result = permutation_importance(clone(estimator).fit(X, y), X, y, n_repeats=3, random_state=0)
    assert result.importances.shape == (4, 3)
    assert result.importances_mean[3] < 0.05 < result.importances_mean[0]


@named(CLASSIFIERS)
@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_calibration(estimator, method):
    X, y = classes(300)
    model = CalibratedClassifierCV(clone(estimator), method=method, cv=3).fit(X, y)
    probabilities = model.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    assert model.score(X, y) > 0.7
    assert all(isinstance(part.estimator, type(estimator)) for part in model.calibrated_classifiers_)


@named(CLASSIFIERS)
def test_fixed_threshold(estimator):
    X, y = classes()
    y = np.where(y == "oak", "oak", "other")
    inner = clone(estimator).fit(X, y)
    probability = inner.predict_proba(X)[:, 1]
    model = FixedThresholdClassifier(
        clone(estimator), threshold=0.9, pos_label="other", response_method="predict_proba"
    )
    np.testing.assert_array_equal(model.fit(X, y).predict(X), np.where(probability >= 0.9, "other", "oak"))
    assert (model.predict(X) != inner.predict(X)).any()


def test_voting():
    X, y = regression()
    members = [("plain", LinearRegression()), ("ridge", Ridge(50.0)), ("chosen", RidgeCV())]
    model = VotingRegressor(members, weights=[1.0, 2.0, 3.0]).fit(X, y)
    each = np.column_stack([clone(member).fit(X, y).predict(X) for _, member in members])
    np.testing.assert_allclose(model.predict(X), each @ [1.0, 2.0, 3.0] / 6.0, rtol=1e-12)


def test_stacking():
    X, y = classes()
    members = [(type(m).__name__, clone(m)) for m in CLASSIFIERS]
    model = StackingClassifier(members, final_estimator=LogisticRegression(), cv=3).fit(X, y)
    assert model.transform(X).shape == (len(X), 9)
    assert model.score(X, y) > 0.75
    ours_on_top = StackingClassifier(members[:2], final_estimator=LinearDiscriminantAnalysis(), cv=3).fit(X, y)
    assert ours_on_top.score(X, y) > 0.75
    X, y = regression()
    stacked = StackingRegressor([("a", Ridge()), ("b", LinearRegression())], final_estimator=Ridge(), cv=3).fit(X, y)
    assert stacked.score(X, y) > 0.7


# -- other processes --------------------------------------------------------------------------------------------------


@pytest.mark.thinned(4)
@named([Ridge(), RidgeCV(cv=3), GaussianNB(), PCA(2)])
def test_processes_fit_the_same_model(estimator):
    X, y = problem(estimator)
    parts = [np.arange(len(X))[i::3] for i in range(3)]
    here = [clone(estimator).fit(X[rows], y[rows]) for rows in parts]
    tasks = (joblib.delayed(clone(estimator).fit)(X[rows], y[rows]) for rows in parts)
    there = joblib.Parallel(n_jobs=2, backend="loky")(tasks)
    for a, b in zip(here, there, strict=True):
        assert_same_answers(a, b, X)
    if hasattr(estimator, "partial_fit"):
        assert sum(there).statistic_.rows == len(X)


def test_search_in_processes():
    X, y = classes()
    grid = {"lineardiscriminantanalysis__shrinkage": [0.0, 0.5, 1.0]}
    pipeline = make_pipeline(PCA(3), LinearDiscriminantAnalysis(solver="eigen"))
    alone = GridSearchCV(pipeline, grid, cv=3).fit(X, y)
    with joblib.parallel_backend("loky", n_jobs=2):
        together = GridSearchCV(pipeline, grid, cv=3).fit(X, y)
    np.testing.assert_array_equal(alone.cv_results_["mean_test_score"], together.cv_results_["mean_test_score"])
    assert alone.best_params_ == together.best_params_


def test_memory_mapped_rows_from_joblib(tmp_path):
    X, y = regression(500)
    joblib.dump(X, tmp_path / "X.joblib")
    mapped = joblib.load(tmp_path / "X.joblib", mmap_mode="r")
    assert isinstance(mapped, np.memmap)
    np.testing.assert_array_equal(Ridge().fit(mapped, y).coef_, Ridge().fit(X, y).coef_)
