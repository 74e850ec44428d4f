"""Fusion: Bayes' rule of independent sensors, objects of several measurements, sums against refits."""

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, cross_validate

import sumlearn as sl
from sumlearn.data import load_example

IRIS = load_example("iris")
X, Y = np.asarray(IRIS.X), np.asarray(IRIS.y)
KEPT = np.r_[0:50, 50:70, 100:140]  # priors that differ
SENSORS = [("sepals", sl.GaussianNB(var_smoothing=0.0), [0, 1]), ("petals", sl.GaussianNB(var_smoothing=0.0), [2, 3])]
RULES = ["product", "mean", "median", "majority", "preference"]


def test_product_is_naive_bayes_where_sensors_are():
    model = sl.Fusion(SENSORS).fit(X[KEPT], Y[KEPT])
    whole = sl.GaussianNB(var_smoothing=0.0).fit(X[KEPT], Y[KEPT])
    np.testing.assert_allclose(model.predict_proba(X), whole.predict_proba(X), atol=1e-12)


def test_bare_product_counts_the_prior_twice():
    model = sl.Fusion(SENSORS, priors=None).fit(X[KEPT], Y[KEPT])
    parts = [
        sl.GaussianNB(var_smoothing=0.0).fit(X[KEPT][:, c], Y[KEPT]).predict_proba(X[:, c]) for c in ([0, 1], [2, 3])
    ]
    product = parts[0] * parts[1]
    np.testing.assert_allclose(model.predict_proba(X), product / product.sum(axis=1, keepdims=True), atol=1e-12)
    corrected = model.set_params(priors="learnt").predict_proba(X)  # without another fit
    bayes = product / (np.array([50, 20, 40]) / 110)
    np.testing.assert_allclose(corrected, bayes / bayes.sum(axis=1, keepdims=True), atol=1e-12)


def test_priors_by_label_and_by_place():
    priors = {"setosa": 0.2, "virginica": 0.5, "versicolor": 0.3}
    by_name = sl.Fusion(SENSORS, priors=priors).fit(X, Y)
    by_place = sl.Fusion(SENSORS, priors=[0.2, 0.3, 0.5]).fit(X, Y)
    np.testing.assert_allclose(by_name.predict_proba(X), by_place.predict_proba(X))
    for priors in ({"setosa": 1.0}, [0.5, 0.5], [1.0, np.nan, 1.0], "flat"):
        with pytest.raises(ValueError, match="priors"):
            sl.Fusion(SENSORS, priors=priors).fit(X, Y).predict(X)


def test_measurements_of_one_object_are_multiplied():
    """Three measurements by two sensors: the log posterior is the sum of six, less five log priors."""
    model = sl.Fusion(SENSORS).fit(X[KEPT], Y[KEPT])
    rows = X[[60, 61, 120]]
    parts = [
        sl.GaussianNB(var_smoothing=0.0).fit(X[KEPT][:, c], Y[KEPT]).predict_proba(rows[:, c]) for c in ([0, 1], [2, 3])
    ]
    logs = np.log(np.stack(parts)).sum(axis=(0, 1)) - 5 * np.log(np.array([50, 20, 40]) / 110)
    expected = np.exp(logs - logs.max())
    found = model.predict_proba(rows, groups=["a", "a", "a"])
    np.testing.assert_allclose(found, np.tile(expected / expected.sum(), (3, 1)), atol=1e-12)


@pytest.mark.parametrize("rule", RULES)
def test_one_measurement_each_is_no_grouping(rule):
    model = sl.Fusion(SENSORS, rule=rule).fit(X, Y)
    groups = np.random.default_rng(0).permutation(150)
    assert (model.predict(X, groups=groups) == model.predict(X)).all()
    np.testing.assert_allclose(model.row_scores(X, groups), model.scores(X), rtol=1e-12)


@pytest.mark.parametrize("rule", RULES)
def test_objects_are_decided_one_by_one(rule):
    """Objects of one to four rows, in any order of rows, as each would be alone."""
    model = sl.Fusion(SENSORS, rule=rule, weights=[1.0, 2.0]).fit(X, Y)
    rng = np.random.default_rng(1)
    order = rng.permutation(150)
    rows, groups = X[order], np.array([f"flower {g}" for g in rng.integers(0, 60, 150)])
    names, said = model.predict_objects(rows, groups)
    assert names.tolist() == list(dict.fromkeys(groups.tolist()))
    for name, label in zip(names, said, strict=True):
        own = rows[groups == name]
        assert model.predict(own, groups=np.zeros(len(own))).tolist() == [label] * len(own)
    assert (model.predict(rows, groups=groups) == dict(zip(names, said, strict=True))[groups[0]]).any()


def test_an_object_counts_once():
    model = sl.Fusion([("all", sl.GaussianNB(), None)]).fit(X, Y)
    wrong = int(np.flatnonzero(model.predict(X) != Y)[0])
    right = np.flatnonzero((model.predict(X) == Y) & (Y == "setosa"))[:3]
    rows = np.r_[wrong, right]
    assert model.score(X[rows], Y[rows]) == 0.75
    assert model.score(X[rows], Y[rows], groups=[0, 1, 1, 1]) == 0.5
    assert model.score(X[rows], Y[rows], sample_weight=[3.0, 1.0, 1.0, 1.0], groups=[0, 1, 1, 1]) == 0.25
    with pytest.raises(ValueError, match="row 1 has another label than the first row of its object 7"):
        model.score(X[[0, 149]], Y[[0, 149]], groups=[7, 7])


def test_scikit_learn_routes_groups_to_decisions_and_scores():
    flowers = np.arange(150) // 5
    with config_context(enable_metadata_routing=True):
        model = sl.Fusion(SENSORS).set_score_request(groups=True)
        found = cross_validate(model, X, Y, cv=GroupKFold(3), params={"groups": flowers})["test_score"]
    by_hand = [
        clone(model).fit(X[a], Y[a]).score(X[b], Y[b], groups=flowers[b]) for a, b in GroupKFold(3).split(X, Y, flowers)
    ]
    np.testing.assert_allclose(found, by_hand)


@pytest.mark.parametrize("groups", [[0, 1], [[0]] * 150, [None] * 150, [np.nan] * 150])
def test_groups_that_make_no_sense(groups):
    with pytest.raises(ValueError, match="groups"):
        sl.Fusion(SENSORS).fit(X, Y).predict(X, groups=groups)


def test_sums_of_sensors_add_up():
    model = sl.Fusion(SENSORS)
    assert list(sl.abilities(model)) == ["update", "merge", "forget", "decay"] and not hasattr(model, "restrict")
    whole, (a, b) = clone(model).fit(X, Y), (clone(model).fit(X[i::2], Y[i::2]) for i in (0, 1))
    np.testing.assert_allclose((a + b).scores(X), whole.scores(X), atol=1e-8)
    np.testing.assert_allclose((a + b).forget(X[1::2], Y[1::2]).scores(X), a.scores(X), atol=1e-7)
    faded = clone(model).fit(X[::2], Y[::2]).decay(0.5).partial_fit(X[1::2], Y[1::2])
    weighted = clone(model).fit(X, Y, np.where(np.arange(150) % 2, 1.0, 0.5))
    np.testing.assert_allclose(faded.scores(X), weighted.scores(X), atol=1e-7)
    assert weighted.class_weights_.tolist() == [37.5, 37.5, 37.5]


def test_columns_by_name_number_mask_and_from_files(tmp_path):
    frame = pd.DataFrame(X, columns=["sl", "sw", "pl", "pw"])
    ways = (["pl", "pw"], [2, 3], [-2, -1], [False, False, True, True], np.array(["pl", "pw"]))
    models = [sl.Fusion([("s", sl.GaussianNB(), "sw"), ("p", LogisticRegression(), way)]).fit(frame, Y) for way in ways]
    assert models[0].named_estimators_["p"].feature_names_in_.tolist() == ["pl", "pw"]
    for model in models[1:]:
        np.testing.assert_allclose(model.scores(frame), models[0].scores(frame))
    frame.assign(kind=Y).to_csv(tmp_path / "iris.csv", index=False)
    sensors = [("s", sl.GaussianNB(), ["sw", "sl"]), ("p", sl.LinearDiscriminantAnalysis(), ["pw"])]
    read = sl.Fusion(sensors).fit(str(tmp_path / "iris.csv"), "kind")
    np.testing.assert_allclose(read.scores(frame), sl.Fusion(sensors).fit(frame, Y).scores(frame), atol=1e-9)
    flowers = frame.assign(flower=np.arange(150) // 5)
    assert (read.predict(flowers, groups="flower") == read.predict(frame, groups=flowers["flower"])).all()


@pytest.mark.parametrize("columns", [[4], ["pl"], [], [0, 0], [True], [0.5]])
def test_columns_that_are_not_there_are_named(columns):
    with pytest.raises(ValueError, match="columns of 'one'"):
        sl.Fusion([("one", sl.GaussianNB(), columns)]).fit(X, Y)


def test_saved_and_loaded(tmp_path):
    model = sl.Fusion(SENSORS).fit(X, Y)
    swapped = [("sepals", sl.GaussianNB(), [2, 3]), ("petals", sl.GaussianNB(), [0, 1])]
    before = model.predict_proba(X)  # sensors are asked about the columns that they learnt, whatever is set later
    assert (model.set_params(estimators=swapped).predict_proba(X) == before).all()
    model.set_params(estimators=SENSORS)
    sl.save(model, tmp_path / "m.sumlearn")
    again = sl.load(tmp_path / "m.sumlearn")
    assert (again.predict_proba(X) == model.predict_proba(X)).all()
    assert (again + model).class_weights_.tolist() == [100.0, 100.0, 100.0]


def test_blocks_on_a_cluster():
    arrays = pytest.importorskip("dask.array")
    codes = np.unique(Y, return_inverse=True)[1]
    sensors = [("s", sl.GaussianNB(), [1, 0]), ("p", sl.LinearDiscriminantAnalysis(), [3])]
    spread = sl.Fusion(sensors).fit(arrays.from_array(X, chunks=(40, 4)), arrays.from_array(codes, chunks=40))
    np.testing.assert_allclose(spread.scores(X), sl.Fusion(sensors).fit(X, codes).scores(X), atol=1e-9)
    spread.forget(arrays.from_array(X[:50], chunks=(20, 4)), arrays.from_array(codes[:50], chunks=20))
    assert spread.class_weights_.tolist() == [50.0, 50.0]
