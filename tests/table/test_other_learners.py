"""Learners that are no sums over rows: fitted on the mapped rows, and then they neither add nor unlearn."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestRegressor
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import sumlearn as sl
from sumlearn import TableModel
from sumlearn.features import Polynomial

from tests.table.tables import mixed_table, without

OTHERS = {
    "logistic regression": (sl.LogisticRegression(), "kind"),
    "boosting": (HistGradientBoostingClassifier(max_iter=5), "kind"),
    "forest": (RandomForestRegressor(5, random_state=0), "y"),
    "support vectors": (SVC(), "kind"),
    "a basis": (sl.Ridge(basis=Polynomial(2)), "y"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_the_learner_is_fitted_on_the_features(name, tmp_path):
    learner, target = OTHERS[name]
    frame = without(mixed_table(150, 50), target)
    weight = np.random.default_rng(0).random(150) + 0.5
    model = TableModel(learner).fit(frame, target, weight)
    X = model.features_of(frame)
    expected = clone(learner).fit(X, frame[target].to_numpy(), sample_weight=weight)
    np.testing.assert_array_equal(model.predict(frame), expected.predict(X))
    assert is_classifier(model) == (target == "kind") and is_regressor(model) == (target == "y")
    assert not list(sl.abilities(model))
    for method in ("partial_fit", "forget", "decay", "merge", "restrict"):
        assert not hasattr(model, method)
    with pytest.raises(TypeError, match="unsupported operand"):
        _ = model + model
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.predict(frame), model.predict(frame))
    assert copy.report_ == model.report_
    frame.to_csv(tmp_path / "t.csv", index=False)
    from_file = TableModel(learner).fit(tmp_path / "t.csv", target)
    np.testing.assert_array_equal(from_file.predict(frame), TableModel(learner).fit(frame, target).predict(frame))


def test_the_design_is_the_same_for_sums_and_rows():
    frame = without(mixed_table(300, 51), "y")
    sums, rows = TableModel(sl.Ridge()).fit(frame, "y"), TableModel(RandomForestRegressor(2)).fit(frame, "y")
    assert sums.feature_names_out_ == rows.feature_names_out_
    np.testing.assert_allclose(sums.features_of(frame), rows.features_of(frame), atol=1e-12)


def test_methods_are_those_of_the_learner():
    assert hasattr(TableModel(sl.LogisticRegression()), "predict_proba")
    assert not hasattr(TableModel(sl.Ridge()), "predict_proba")
    assert hasattr(TableModel(SVC()), "decision_function")
    with pytest.raises(TypeError, match="classifier or a regressor"):
        TableModel(sl.PCA()).fit(mixed_table(80, 52)[["size", "rooms", "city"]])


def test_grid_search_reaches_the_learner():
    frame = without(mixed_table(150, 53), "y")
    search = GridSearchCV(TableModel(sl.Ridge()), {"learner__alpha": [0.1, 1e4], "rare": [1, 20]}, cv=3)
    search.fit(frame.drop(columns="y"), frame["y"])
    assert search.best_params_["learner__alpha"] == 0.1


def test_classes_can_be_fixed_beforehand():
    frame = without(mixed_table(200, 54), "kind")
    some = frame[frame.kind != "dear"]
    model = TableModel(sl.LinearDiscriminantAnalysis())
    model.partial_fit(some, "kind", classes=["cheap", "dear", "fair"])
    assert model.predict_proba(some).shape == (len(some), 3)
    with pytest.raises(ValueError, match="'huge'"):
        model.partial_fit(some.assign(kind="huge"), "kind")
    model.partial_fit(frame[frame.kind == "dear"], "kind")
    expected = TableModel(sl.LinearDiscriminantAnalysis()).fit(frame, "kind")
    np.testing.assert_allclose(model.predict_proba(frame), expected.predict_proba(frame), atol=1e-9)


@pytest.mark.thinned(3)
@pytest.mark.foreign
@parametrize_with_checks([TableModel(sl.LinearDiscriminantAnalysis()), TableModel(sl.LogisticRegression())])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_an_ordered_target_keeps_its_order(tmp_path):
    frame = mixed_table(200, 3)[["size", "rooms", "city", "kind"]]
    words = ["cheap", "fair", "dear"]
    ordered = frame.assign(kind=pd.Categorical(frame["kind"], categories=words, ordered=True))
    ordered.to_parquet(tmp_path / "t.parquet")
    expected = TableModel(sl.OrdinalRegression(order=words)).fit(frame, "kind")
    for table in (ordered, str(tmp_path / "t.parquet")):
        model = TableModel(sl.OrdinalRegression()).fit(table, "kind")
        assert model.classes_.tolist() == words
        np.testing.assert_array_equal(model.predict(frame), expected.predict(frame))
    apart = TableModel(sl.OrdinalRegression()).fit(ordered.drop(columns="kind"), ordered["kind"])
    assert apart.classes_.tolist() == words


def test_warnings_name_the_columns_of_the_table():
    """The number of a coded column says nothing to who has the table."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"city": rng.choice(["rome", "oslo", "bonn"], 200), "z": rng.standard_normal(200)})
    y = (table["city"] == "oslo") | (table["z"] + rng.logistic(size=200) > 0)
    with pytest.warns(sl.PerfectSeparationWarning, match=r"along \+1 city=oslo \(in standard deviations\)"):
        model = TableModel(sl.LogisticRegression(C=np.inf)).fit(table, y)
    assert not hasattr(model.learner_, "feature_names_in_")
    assert model.predict(table).shape == (200,)
    twice = table[["z"]].assign(double=2.0 * table["z"])
    with pytest.warns(sl.IllConditionedWarning, match="double are constant or combinations"):
        TableModel(sl.LogisticRegression(C=np.inf)).fit(twice, rng.integers(0, 2, 200))
