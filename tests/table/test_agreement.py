"""TableModel against scikit-learn's preprocessing, refitted for every fold, and its own learners on the rows."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.linear_model import Ridge as SklearnRidge
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import sumlearn as sl
from sumlearn import TableModel

from tests.table.tables import mixed_table, without
from tests.table.test_updates import LEARNERS, assert_same, outputs


def sklearn_pipeline(train, alpha):
    """The same definitions: mean fill, indicator not scaled, most frequent level dropped."""
    text = train.select_dtypes(exclude="number").columns
    filled = make_pipeline(SimpleImputer(), StandardScaler())
    flags = MissingIndicator(features="missing-only")
    counts = [train[name].value_counts() for name in text]
    reference = [sorted(count.index[count == count.max()])[0] for count in counts]
    levels = OneHotEncoder(drop=reference)
    numbers = ["size", "rooms"]
    return make_pipeline(
        ColumnTransformer([("filled", filled, numbers), ("flags", flags, numbers), ("levels", levels, list(text))]),
        SklearnRidge(alpha, solver="cholesky"),
    )


@pytest.mark.parametrize("alpha", [0.1, 5.0])
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_cross_validation_is_a_pipeline_refitted_for_every_fold(alpha, offset):
    frame = mixed_table(300, 11, missing=0.1, offset=offset)[["size", "rooms", "city", "y"]]
    frame["shape"] = np.random.default_rng(0).choice(["flat", "house", "loft"], 300, p=[0.6, 0.3, 0.1])
    cv = KFold(5, shuffle=True, random_state=1)
    ours = sl.cross_validate(TableModel(sl.Ridge(alpha), rare=1), frame, "y", cv=cv, return_estimator=True)
    X = frame.drop(columns="y")
    gaps = X.fillna({"city": "missing"})
    for number, (train, test) in enumerate(cv.split(X)):
        theirs = sklearn_pipeline(gaps.iloc[train], alpha).fit(gaps.iloc[train], frame.y.iloc[train])
        predicted = theirs.predict(gaps.iloc[test])
        np.testing.assert_allclose(ours["estimator"][number].predict(X.iloc[test]), predicted, rtol=1e-7)
        score = theirs.score(gaps.iloc[test], frame.y.iloc[test])
        assert ours["test_score"][number] == pytest.approx(score, abs=1e-8)


@pytest.mark.parametrize("name", LEARNERS)
def test_exact_folds_are_fits_on_the_training_rows(name):
    learner, target = LEARNERS[name]
    frame = without(mixed_table(240, 12), target)
    cv = StratifiedKFold(4) if target == "kind" else KFold(4)
    plain = TableModel(learner, rare=4)
    found = sl.cross_validate(plain, frame, target, cv=cv, return_estimator=True)
    X = frame.drop(columns=target)
    for number, (train, test) in enumerate(cv.split(X, frame[target])):
        expected = clone(plain).fit(frame.iloc[train], target)
        assert_same(found["estimator"][number], expected, X.iloc[test])
        assert found["test_score"][number] == pytest.approx(expected.score(X.iloc[test], frame[target].iloc[test]))


@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("name", LEARNERS)
def test_sums_of_features_give_the_model_of_the_features(name, scale):
    """The learner solved from recoded sums is the learner fitted on the mapped rows."""
    learner, target = LEARNERS[name]
    frame = without(mixed_table(400, 13), target)
    model = TableModel(learner, rare=20, scale=scale).fit(frame, target)
    X = model.features_of(frame)
    assert X.shape == (400, len(model.feature_names_out_))
    expected = clone(learner).fit(X, frame[target].to_numpy())
    np.testing.assert_allclose(outputs(model.learner_, X), outputs(expected, X), atol=1e-8)


@pytest.mark.filterwarnings("ignore::sumlearn.IllConditionedWarning")
def test_hand_worked_table():
    """Three cells filled with 4 = (2 + 6) / 2; reference level b; least squares by hand through four points."""
    frame = pd.DataFrame({"x": [2.0, None, 6.0, None], "c": ["b", "b", "a", "b"], "y": [1.0, 5.0, 4.0, 7.0]})
    model = TableModel(sl.LinearRegression(), rare=1, scale=False).fit(frame, "y")
    assert model.feature_names_out_ == ["x", "x: missing", "c=a"]
    np.testing.assert_array_equal(
        model.features_of(frame), [[2.0, 0.0, 0.0], [4.0, 1.0, 0.0], [6.0, 0.0, 1.0], [4.0, 1.0, 0.0]]
    )
    # row 0: b0 + 2 b = 1; rows 1 and 3: b0 + 4 b + m = 6; row 2: b0 + 6 b + a = 4
    b0, b, m, a = (value for _, value in model.coef_table())
    assert (b0 + 2 * b, b0 + 4 * b + m, b0 + 6 * b + a) == pytest.approx((1.0, 6.0, 4.0))


def test_coefficients_are_in_the_units_of_the_table():
    frame = mixed_table(200, 14)[["size", "rooms", "city", "y"]]
    scaled = TableModel(sl.LinearRegression()).fit(frame, "y")
    plain = TableModel(sl.LinearRegression(), scale=False).fit(frame, "y")
    for (name, value), (other, expected) in zip(scaled.coef_table(), plain.coef_table(), strict=True):
        assert name == other and value == pytest.approx(expected)
    assert plain.coef_table()[1][1] == pytest.approx(plain.learner_.coef_[0])


def test_an_offset_of_a_billion_changes_no_prediction():
    near, far = (without(mixed_table(500, 15, offset=offset), "y") for offset in (0.0, 1e9))
    for learner in (sl.Ridge(), sl.LinearRegression()):
        a, b = TableModel(learner).fit(near, "y"), TableModel(learner).fit(far, "y")
        np.testing.assert_allclose(b.predict(far), a.predict(near), atol=1e-7)
        np.testing.assert_allclose(b.learner_.coef_, a.learner_.coef_, atol=1e-7)


def test_the_unknown_gets_the_mean_of_the_levels():
    frame = mixed_table(200, 16, missing=0.0)[["city", "y"]]
    model = TableModel(sl.LinearRegression()).fit(frame, "y")
    everyone = pd.DataFrame({"city": ["Atlantis", None]})
    np.testing.assert_allclose(model.predict(everyone), frame.y.mean())  # level means, weighted by their counts


def test_rare_levels_are_pooled():
    rng = np.random.default_rng(0)
    levels = np.repeat(["a", "b", "c", "d"], [50, 40, 6, 7])
    frame = pd.DataFrame({"c": levels, "y": rng.random(103)})
    model = TableModel(sl.LinearRegression(), rare=10).fit(frame, "y")
    assert model.feature_names_out_ == ["c=b", "c: other"]
    few = frame.y[90:].mean()
    np.testing.assert_allclose(model.predict(pd.DataFrame({"c": ["c", "d"]})), few)
    assert ("c", "pooled") in [note[:2] for note in model.report_]
    alone = TableModel(sl.LinearRegression(), rare=0.1).fit(frame[:97], "y")  # too little for a level of its own
    assert alone.feature_names_out_ == ["c=b"]


@pytest.mark.slow
def test_a_thousand_columns():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1200, 1000))
    X[rng.random(X.shape) < 0.01] = np.nan
    frame = pd.DataFrame(X, columns=[f"v{j}" for j in range(1000)])
    y = np.nan_to_num(X[:, 0]) + rng.standard_normal(1200)
    model = TableModel(sl.Ridge(10.0), rare=100).fit(frame, y)
    assert len(model.feature_names_out_) == 1000
    theirs = make_pipeline(SimpleImputer(), StandardScaler(), SklearnRidge(10.0, solver="cholesky")).fit(X, y)
    np.testing.assert_allclose(model.predict(frame), theirs.predict(X), atol=1e-8)
