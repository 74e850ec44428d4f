"""Random forests: the same bits whoever grows them, gaps and categories as they are, limits, rows left out."""

import copy
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification, make_friedman1
from sklearn.ensemble import RandomForestClassifier as ScikitForest

import sumlearn as sl
from sumlearn import RandomForestClassifier, RandomForestRegressor
from sumlearn.data.coded_columns import CodedColumns

RNG = np.random.default_rng(0)
X, Y = make_classification(500, 8, n_informative=5, n_classes=3, random_state=0)
A, B = make_friedman1(500, 6, noise=0.5, random_state=0)
ALL = {"bootstrap": False, "max_features": None}


def answers(model, rows):
    return model.predict_proba(rows) if hasattr(model, "predict_proba") else model.predict(rows)


# -- the same bits -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("settings", [{}, {"bootstrap": False}, {"max_leaf_nodes": 20}, {"max_samples": 0.5}], ids=str)
@pytest.mark.parametrize("kind", [RandomForestClassifier, RandomForestRegressor])
def test_neither_threads_nor_the_order_of_rows_change_a_bit(kind, settings):
    rows, target = (X, Y) if kind is RandomForestClassifier else (A, B)
    order = np.random.default_rng(1).permutation(len(rows))
    first = kind(25, n_jobs=1, oob_score=settings.get("bootstrap", True), **settings).fit(rows, target)
    other = kind(25, n_jobs=3, oob_score=settings.get("bootstrap", True), **settings).fit(rows[order], target[order])
    np.testing.assert_array_equal(answers(first, rows), answers(other, rows))
    np.testing.assert_array_equal(first.trees_.words, other.trees_.words)
    if settings.get("bootstrap", True):
        assert first.oob_score_ == pytest.approx(other.oob_score_, abs=1e-12)


@pytest.mark.parametrize("bootstrap", [True, False])
@pytest.mark.parametrize("kind", [RandomForestClassifier, RandomForestRegressor])
def test_weight_two_is_the_row_twice_and_zero_is_none(kind, bootstrap):
    rows, target = (X, Y) if kind is RandomForestClassifier else (A, B)
    weight = np.random.default_rng(2).integers(0, 4, len(rows))
    repeated = np.repeat(np.arange(len(rows)), weight)
    settings = {"bootstrap": bootstrap} if bootstrap else {"bootstrap": False, "min_samples_leaf": 4}
    weighted = kind(8, **settings).fit(rows, target, weight)
    copied = kind(8, **settings).fit(rows[repeated], target[repeated])
    np.testing.assert_array_equal(answers(weighted, rows), answers(copied, rows))


def test_other_seeds_give_other_forests_and_none_is_a_seed():
    same = [RandomForestClassifier(5).fit(X, Y).trees_.words for _ in range(2)]
    np.testing.assert_array_equal(*same)
    assert len(RandomForestClassifier(5, random_state=3).fit(X, Y).trees_.words) != len(same[0])
    np.testing.assert_array_equal(RandomForestClassifier(5, random_state=0).fit(X, Y).trees_.words, same[0])


def test_parts_of_weights_draw_rows_by_their_share():
    """A row of a thousandth of the weight is nearly never drawn."""
    rows, target = np.arange(400.0)[:, None], (np.arange(400) % 2)
    weight = np.where(target == 0, 1.0, 0.001)
    model = RandomForestClassifier(40, max_depth=1).fit(rows, target, weight)
    assert model.predict_proba(rows)[:, 0].mean() > 0.99


# -- gaps and categories -----------------------------------------------------------------------------------------------


def test_a_gap_that_tells_something_is_used():
    rows = RNG.normal(size=(400, 2))
    target = RNG.random(400) < 0.3
    rows[target, 1] = np.nan
    model = RandomForestClassifier(10, **ALL).fit(rows, target)
    assert (model.predict(rows) == target).all()
    assert model.estimators_[0].get_depth() == 1
    means = RandomForestRegressor(10, **ALL).fit(rows, 5.0 * target)
    np.testing.assert_array_equal(means.predict(rows), 5.0 * target)


def test_a_gap_that_was_never_seen_goes_with_most_rows():
    rows = np.arange(10.0)[:, None]
    target = np.where(rows[:, 0] < 7, 1.0, 3.0)
    assert RandomForestRegressor(3, **ALL).fit(rows, target).predict([[np.nan]]).tolist() == [1.0]
    assert RandomForestRegressor(3, **ALL).fit(-rows, target).predict([[np.nan]]).tolist() == [1.0]


@pytest.mark.parametrize("classes", [2, 3, 12])
def test_levels_are_split_as_sets(classes):
    """Levels that alternate take one split of sets for two classes, and as many as classes otherwise."""
    level = np.tile(np.arange(36), 10)
    target = level % classes
    columns = CodedColumns(("kind",), (tuple(map(str, range(36))),), (False,))
    model = RandomForestClassifier(3, **ALL).with_columns(columns).fit(level[:, None].astype(float), target)
    assert (model.predict(level[:, None].astype(float)) == target).all()
    assert model.estimators_[0].get_n_leaves() == classes
    tree = model.estimators_[0]
    left = tree.levels_left[0]
    assert 0 < len(left) < 36 and (classes > 2 or len(set(left % 2)) == 1)
    means = RandomForestRegressor(3, **ALL).with_columns(columns).fit(level[:, None].astype(float), target * 1.0)
    assert means.estimators_[0].get_n_leaves() == classes
    np.testing.assert_allclose(means.predict(level[:, None].astype(float)), target, atol=1e-12)


def test_frames_of_all_kinds_of_columns():
    n = 600
    rng = np.random.default_rng(5)
    city = rng.choice(["Bern", "Kiel", "Oslo", "Rome", "Ulm"], n)
    size = np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n))
    target = np.isin(city, ["Bern", "Rome"]) ^ (np.nan_to_num(size, nan=1.0) > 0.5)
    frame = pd.DataFrame({"size": size, "city": city, "noise": rng.normal(size=n)})
    model = RandomForestClassifier(60, oob_score=True).fit(frame, target)
    assert model.oob_score_ > 0.97
    with pytest.warns(UserWarning, match="never seen"):
        assert model.predict(frame.assign(city="Paris")).shape == (n,)
    assert model.feature_importances_[2] < 0.2


def test_a_level_beyond_the_bins_shares_one(tmp_path):
    level = np.concatenate([np.arange(400), np.tile(np.arange(200), 5)])
    frame = pd.DataFrame({"level": [f"l{i:03}" for i in level]})
    model = RandomForestRegressor(5, **ALL).fit(frame, level < 100)
    np.testing.assert_allclose(model.predict(frame)[level < 100], 1.0)


# -- hard tables -------------------------------------------------------------------------------------------------------


def test_one_class_and_one_row():
    assert RandomForestClassifier(3).fit([[1.0], [2.0]], ["a", "a"]).predict_proba([[5.0]]).tolist() == [[1.0]]
    assert RandomForestClassifier(3).fit([[1.0]], ["b"]).predict([[0.0]]).tolist() == ["b"]
    assert RandomForestRegressor(3).fit([[1.0]], [7.5]).predict([[0.0]]).tolist() == [7.5]


def test_constant_columns_and_repeated_rows():
    rows, target = np.ones((60, 3)), np.arange(60) % 3 == 0
    model = RandomForestClassifier(4).fit(rows, target)
    np.testing.assert_allclose(model.predict_proba(rows[:1]), [[2 / 3, 1 / 3]])
    assert not model.feature_importances_.any() and model.estimators_[0].get_depth() == 0
    doubled = np.repeat(RNG.normal(size=(20, 2)), 30, axis=0)
    labels = np.tile([0, 0, 1], 200)
    shares = RandomForestClassifier(4, **ALL).fit(doubled, labels).predict_proba(doubled)
    np.testing.assert_allclose(shares, np.tile([2 / 3, 1 / 3], (600, 1)))


def test_deep_trees():
    rows = np.arange(250.0)[:, None]
    target = np.arange(250) % 2
    model = RandomForestClassifier(2, **ALL).fit(rows, target)
    assert (model.predict(rows) == target).all() and model.estimators_[0].get_n_leaves() == 250
    grown = RandomForestRegressor(2, **ALL).fit(rows, 2.0 ** np.arange(250.0))  # one after the other from the top
    assert grown.estimators_[0].get_depth() > 100
    np.testing.assert_array_equal(grown.predict(rows), 2.0 ** np.arange(250.0))


def test_more_columns_than_rows():
    rows, target = RNG.normal(size=(30, 500)), np.arange(30) % 2
    rows[:, 7] += 10 * target
    model = RandomForestClassifier(50, max_features=0.5).fit(rows, target)
    assert (model.predict(rows) == target).all() and model.feature_importances_.argmax() == 7


@pytest.mark.parametrize("scale", [1e-300, 1e-6, 1.0, 1e300])
def test_targets_of_any_size(scale):
    model, other = (RandomForestRegressor(20, oob_score=True).fit(A, B * s) for s in (1.0, scale))
    assert other.oob_score_ == pytest.approx(model.oob_score_, abs=0.05)  # rounding makes other rows
    power = RandomForestRegressor(5, **ALL).fit(A, B * 2.0 ** np.rint(np.log2(scale)))
    plain = RandomForestRegressor(5, **ALL).fit(A, B)
    np.testing.assert_allclose(power.predict(A) / 2.0 ** np.rint(np.log2(scale)), plain.predict(A), rtol=1e-12)
    assert np.isfinite(other.predict(A)).all() and model.trees_.values.dtype == np.float64


def test_far_from_zero():
    grid = np.round(X * 1024) / 1024
    near, far = RandomForestClassifier(10).fit(grid, Y), RandomForestClassifier(10).fit(grid + 2.0**30, Y)
    np.testing.assert_array_equal(near.predict_proba(grid), far.predict_proba(grid + 2.0**30))
    means = [RandomForestRegressor(5, **ALL).fit(A, np.round(B * 1024) / 1024 + off) for off in (0.0, 2.0**30)]
    np.testing.assert_allclose(means[0].predict(A), means[1].predict(A) - 2.0**30, atol=1e-6)


def test_narrow_floats_are_the_same_as_wide_ones():
    rows = X.astype(np.float32)
    narrow, wide = RandomForestClassifier(10).fit(rows, Y), RandomForestClassifier(10).fit(rows.astype(float), Y)
    np.testing.assert_array_equal(narrow.predict_proba(rows), wide.predict_proba(rows.astype(float)))


# -- limits ------------------------------------------------------------------------------------------------------------


def rows_in_leaves(model, rows, tree=0):
    return np.unique(model.apply(rows)[:, tree], return_counts=True)[1]


@pytest.mark.parametrize("kind", [RandomForestClassifier, RandomForestRegressor])
def test_limits_hold(kind):
    rows, target = (X, Y) if kind is RandomForestClassifier else (A, B)

    def fitted(**settings):
        return kind(3, bootstrap=False, **settings).fit(rows, target)

    assert rows_in_leaves(fitted(min_samples_leaf=12), rows).min() >= 12
    assert rows_in_leaves(fitted(min_samples_leaf=0.1), rows).min() >= 50
    assert rows_in_leaves(fitted(min_weight_fraction_leaf=0.05), rows).min() >= 25
    assert max(tree.get_depth() for tree in fitted(max_depth=3).estimators_) == 3
    assert {tree.get_n_leaves() for tree in fitted(max_leaf_nodes=9).estimators_} == {9}
    whole, first = fitted(max_features=None), fitted(max_features=None, max_leaf_nodes=500)
    np.testing.assert_allclose(answers(whole, rows), answers(first, rows), atol=1e-12)  # in another order, all the same
    assert fitted(min_impurity_decrease=1e9).estimators_[0].node_count == 1
    assert fitted(ccp_alpha=1e9).estimators_[0].node_count == 1
    sizes = [fitted(ccp_alpha=alpha).estimators_[0].node_count for alpha in (0.0, 0.001, 0.01, 0.1)]
    assert sizes == sorted(sizes, reverse=True) and sizes[0] > sizes[-1]


def test_monotonic_answers():
    rng = np.random.default_rng(8)
    rows = rng.uniform(size=(600, 3))
    level = rows[:, 0] - rows[:, 1] + 0.5 * rng.normal(size=600)
    grid = np.linspace(0, 1, 50)
    for model in (
        RandomForestRegressor(20, monotonic_cst=[1, -1, 0]).fit(rows, level),
        RandomForestClassifier(20, monotonic_cst=[1, -1, 0]).fit(rows, level > 0),
    ):
        for column, sign in ((0, 1), (1, -1)):
            asked = np.full((50, 3), 0.4)
            asked[:, column] = grid
            told = answers(model, asked)
            steps = np.diff(told[:, 1] if told.ndim == 2 else told)
            assert (sign * steps >= -1e-12).all() and (sign * steps > 0).any()


def test_classes_that_are_balanced():
    rng = np.random.default_rng(9)
    rows = rng.normal(size=(2000, 3))
    target = (rows[:, 0] + rng.normal(size=2000)) > 2.2
    recall = {}
    for weight in (None, "balanced", "balanced_subsample", {False: 1.0, True: 30.0}):
        model = RandomForestClassifier(30, min_samples_leaf=20, class_weight=weight).fit(rows, target)
        recall[str(weight)] = model.predict(rows)[target].mean()
    assert recall["None"] < 0.3 and all(value > 0.6 for name, value in recall.items() if name != "None")


# -- rows left out -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [RandomForestClassifier, RandomForestRegressor])
def test_rows_left_out_tell_the_error_on_new_ones(kind):
    """Within the error of a bootstrap of the rows that are judged by: four standard deviations of both."""
    rng = np.random.default_rng(10)
    if kind is RandomForestClassifier:
        rows, target = make_classification(3000, 10, n_informative=6, flip_y=0.1, random_state=1)
    else:
        rows, target = make_friedman1(3000, 8, noise=2.0, random_state=1)
    model = kind(100, oob_score=True).fit(rows[:1500], target[:1500])
    told = model.predict(rows[1500:])
    losses = (told != target[1500:]) * 1.0 if kind is RandomForestClassifier else (told - target[1500:]) ** 2
    scores = [1 - losses[rng.integers(0, 1500, 1500)].mean() / (1 if "C" in kind.__name__[12:] else target[1500:].var())
              for _ in range(200)]  # fmt: skip
    assert abs(model.oob_score_ - model.score(rows[1500:], target[1500:])) < 4 * 2**0.5 * np.std(scores)


def test_scores_of_ones_own_and_rows_that_were_always_drawn():
    model = RandomForestClassifier(60, oob_score=lambda y, said: float(len(y))).fit(X, Y)
    assert model.oob_score_ == len(X)
    np.testing.assert_allclose(model.oob_decision_function_.sum(axis=1), 1.0)
    with pytest.warns(UserWarning, match="do not have OOB"):
        few = RandomForestRegressor(2, oob_score=True).fit(A, B)
    assert 0.2 < np.isnan(few.oob_prediction_).mean() < 0.6 and np.isfinite(few.oob_score_)


def test_out_of_bag_is_the_answer_of_the_trees_without_the_row():
    """By hand: one tree; where it has not drawn a row, out of bag and prediction are the same."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = RandomForestRegressor(1, oob_score=True).fit(A, B)
    known = ~np.isnan(model.oob_prediction_)
    np.testing.assert_array_equal(model.oob_prediction_[known], model.predict(A)[known])
    assert (model.predict(A)[~known] == B[~known]).mean() > 0.95 and (model.predict(A)[known] != B[known]).mean() > 0.95


# -- more trees --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [RandomForestClassifier, RandomForestRegressor])
def test_a_warm_start_adds_the_trees_that_would_have_been_there(kind):
    rows, target = (X, Y) if kind is RandomForestClassifier else (A, B)
    model = kind(5, warm_start=True, oob_score=False).fit(rows, target)
    words = model.trees_.words
    model.set_params(n_estimators=12).fit(rows, target)
    whole = kind(12).fit(rows, target)
    np.testing.assert_array_equal(model.trees_.words, whole.trees_.words)
    np.testing.assert_array_equal(words, whole.trees_.words[: len(words)])
    np.testing.assert_array_equal(answers(model, rows), answers(whole, rows))
    with pytest.warns(UserWarning, match="does not fit new trees"):
        model.fit(rows, target)
    before = copy.deepcopy(vars(model))
    with pytest.raises(ValueError, match="n_estimators=3 must be larger"):
        model.set_params(n_estimators=3).fit(rows, target)
    with pytest.raises(ValueError, match="other columns, values or labels"):
        model.set_params(n_estimators=20).fit(rows + 1.0, target)
    assert model.trees_ is not None and len(model.trees_) == len(before["trees_"])


def test_out_of_bag_after_a_warm_start():
    model = RandomForestClassifier(20, warm_start=True, oob_score=True).fit(X, Y)
    model.set_params(n_estimators=40).fit(X, Y)
    assert model.oob_score_ == RandomForestClassifier(40, oob_score=True).fit(X, Y).oob_score_
    late = RandomForestClassifier(20, warm_start=True).fit(X, Y).set_params(n_estimators=40, oob_score=True)
    assert late.fit(X, Y).oob_score_ == model.oob_score_
    late.set_params(n_estimators=50).with_look(late.look_)
    with pytest.raises(ValueError, match="needs the rows of the fit before"):
        late.fit(X[::-1][:-1], Y[::-1][:-1])


def test_a_forest_is_a_list_of_trees():
    model = RandomForestClassifier(4).fit(X, Y)
    assert len(model) == 4 and model[1].node_count == model.estimators_[1].node_count
    assert [tree.get_depth() for tree in model] == model.trees_.depths.tolist()
    with pytest.raises(AttributeError, match="not fitted yet"):
        _ = RandomForestClassifier().feature_importances_
    assert not hasattr(RandomForestRegressor(), "estimators_")


# -- looking at trees --------------------------------------------------------------------------------------------------


def test_thresholds_lead_where_codes_do():
    rows = np.where(RNG.random(A.shape) < 0.1, np.nan, A)
    model = RandomForestRegressor(3).fit(rows, B)
    for tree in model.estimators_:
        at = np.zeros(len(rows), int)
        while (tree.children_left[at] >= 0).any():
            value = rows[np.arange(len(rows)), np.maximum(tree.feature[at], 0)]
            left = np.where(np.isnan(value), tree.missing_go_to_left[at], value <= tree.threshold[at])
            at = np.where(
                tree.children_left[at] < 0, at, np.where(left, tree.children_left[at], tree.children_right[at])
            )
        np.testing.assert_array_equal(at, tree.apply(rows))
        np.testing.assert_array_equal(tree.value[at, 0], tree.predict(rows))
    np.testing.assert_allclose(np.mean([tree.predict(rows) for tree in model.estimators_], axis=0), model.predict(rows))


def test_paths_end_in_leaves():
    model = RandomForestClassifier(4).fit(X, Y)
    paths, starts = model.decision_path(X[:50])
    leaves = model.apply(X[:50])
    assert paths.shape == (50, starts[-1]) and starts[-1] == sum(tree.node_count for tree in model.estimators_)
    for t, tree in enumerate(model.estimators_):
        own = paths[:, starts[t] : starts[t + 1]].toarray()
        assert (own[:, 0] == 1).all() and (own[np.arange(50), leaves[:, t]] == 1).all()
        assert own.sum(axis=1).max() <= tree.get_depth() + 1


# -- files, memory, saving ---------------------------------------------------------------------------------------------


def test_files_are_gathered_as_codes(tmp_path):
    frame = pd.DataFrame(A, columns=list("abcdef")).assign(word=np.where(B > 10, "low", "high"), y=B)
    frame.to_parquet(tmp_path / "rows.parquet")
    model = RandomForestRegressor(5).fit(frame.drop(columns="y"), frame["y"])
    of_file = RandomForestRegressor(5).fit(str(tmp_path / "rows.parquet"), "y")
    np.testing.assert_array_equal(model.predict(frame.drop(columns="y")), of_file.predict(frame.drop(columns="y")))
    dask = pytest.importorskip("dask.dataframe").from_pandas(frame, npartitions=3)
    np.testing.assert_array_equal(
        RandomForestRegressor(5).fit(dask, "y").predict(frame.drop(columns="y")),
        of_file.predict(frame.drop(columns="y")),
    )


def test_memory_is_said_beforehand():
    model = RandomForestClassifier(5)
    assert model.memory_needed(10**6, 100) < 10**6 * 100 * 8  # the rows themselves
    model.max_memory = 1000
    with pytest.raises(ValueError, match="keeps all rows: 500 rows of 8 columns need"):
        model.fit(X, Y)


def test_saved_and_loaded(tmp_path):
    model = RandomForestClassifier(25, oob_score=True).fit(X, Y)
    sl.save(model, tmp_path / "forest.skops")
    again = sl.load(tmp_path / "forest.skops")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(again.feature_importances_, model.feature_importances_)
    assert again.set_params(n_estimators=30, warm_start=True).fit(X, Y).oob_score_ == pytest.approx(
        RandomForestClassifier(30, oob_score=True).fit(X, Y).oob_score_
    )


def test_trees_that_lead_astray_are_refused():
    trees = RandomForestClassifier(3).fit(X, Y).trees_
    codes = np.zeros((1, 8), np.uint8)
    for place, word in ((0, (9 << 42) | 1), (0, (1 << 42) | (2**32 - 1)), (0, 2**31), (0, 1 << 42)):
        words = trees.words.copy()
        words[place] = word
        with pytest.raises(ValueError, match="do not fit together"):
            replace(trees, words=words).answers(codes)
    with pytest.raises(ValueError, match="do not fit together"):
        replace(trees, starts=trees.starts[:-1]).answers(codes)
    with pytest.raises(ValueError, match="do not fit together"):
        replace(trees, values=trees.values[:, :1]).answers(codes)


# -- refusals ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"bootstrap": False, "max_samples": 10}, "max_sample"),
        ({"bootstrap": False, "oob_score": True}, "Out of bag"),
        ({"n_estimators": 0}, "n_estimators"),
        ({"max_features": 0}, "max_features"),
        ({"min_samples_split": 1}, "min_samples_split"),
        ({"criterion": "mae"}, "criterion"),
        ({"monotonic_cst": [1]}, "monotonic_cst has shape"),
        ({"monotonic_cst": [3] * 8}, "monotonic_cst must be"),
        ({"monotonic_cst": [1] * 8}, "multiclass"),
        ({"class_weight": {7: 1.0}}, "class_weight names a class"),
        ({"class_weight": {0: -1.0}}, "class_weight of class 0"),
        ({"n_jobs": 0}, "n_jobs == 0"),
    ],
)
def test_parameters_that_make_no_sense(settings, text):
    with pytest.raises(ValueError, match=text):
        RandomForestClassifier(**settings).fit(X, Y)


def test_more_rows_than_can_be_drawn_are_refused():
    heavy = np.full(len(X), 1e300)
    with pytest.raises(ValueError, match=r"rows would be drawn .* divide it"):
        RandomForestClassifier(2).fit(X, Y, heavy)
    assert RandomForestClassifier(2, max_samples=50, random_state=0).fit(X, Y, heavy).predict(X).size == len(X)
    with pytest.raises(ValueError, match="so large that its sums overflow"):
        RandomForestClassifier(2, max_samples=50).fit(X, Y, 1e7 * heavy)


def test_targets_that_make_no_sense():
    with pytest.raises(ValueError, match="negative"):
        RandomForestRegressor(criterion="poisson").fit(A, B - 100)
    with pytest.raises(ValueError, match="strictly positive"):
        RandomForestRegressor(criterion="poisson").fit(A, np.zeros(len(A)))
    with pytest.raises(ValueError, match=r"y.*row 3|row 3.*y|NaN"):
        RandomForestRegressor().fit(A, np.where(np.arange(len(B)) == 3, np.nan, B))
    with pytest.warns(FutureWarning, match="friedman_mse"):
        model = RandomForestRegressor(3, criterion="friedman_mse").fit(A, B)
    np.testing.assert_array_equal(model.predict(A), RandomForestRegressor(3).fit(A, B).predict(A))


def test_as_good_as_scikit_learns_on_new_rows():
    """Ten seeds each; the difference of the means is within two standard errors of it."""
    rows, target = make_classification(2400, 12, n_informative=7, n_classes=4, random_state=3)
    first, second = slice(0, 1200), slice(1200, None)
    ours, theirs = (
        [kind(40, random_state=s).fit(rows[first], target[first]).score(rows[second], target[second]) for s in range(8)]
        for kind in (RandomForestClassifier, ScikitForest)
    )
    assert np.mean(ours) > np.mean(theirs) - 2 * np.sqrt((np.var(ours) + np.var(theirs)) / 8) - 0.003


# -- several targets, medians, trees by themselves ---------------------------------------------------------------------


def mixed_table():
    rng = np.random.default_rng(6)
    frame = pd.DataFrame(rng.normal(size=(240, 3)).round(1), columns=list("abc"))
    frame["word"] = pd.Categorical(rng.choice(list("uvwxyz"), 240))
    frame.loc[rng.random(240) < 0.1, "a"] = np.nan
    scores = frame["a"].fillna(1.0) + frame["word"].isin(["u", "x"])
    labels = np.stack([scores > 0.5, frame["b"] + frame["c"] > 0.0], axis=1)
    numbers = np.stack([scores, 1e9 + frame["b"], 1e-9 * frame["c"] ** 2], axis=1)
    return frame, labels, numbers


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        (RandomForestClassifier, {"criterion": "entropy"}),
        (RandomForestClassifier, {"bootstrap": False, "max_leaf_nodes": 12}),
        (RandomForestRegressor, {"max_features": 0.5}),
        (RandomForestRegressor, {"criterion": "absolute_error", "min_samples_leaf": 2, "bootstrap": False}),
    ],
    ids=str,
)
def test_several_targets_keep_the_laws(kind, settings, tmp_path):
    frame, labels, numbers = mixed_table()
    y = labels if kind is RandomForestClassifier else numbers
    model = kind(6, n_jobs=1, **settings).fit(frame, y)
    order = np.random.default_rng(0).permutation(len(frame))
    other = kind(6, n_jobs=2, **settings).fit(frame.iloc[order], y[order])
    np.testing.assert_array_equal(np.array(answers(model, frame)), np.array(answers(other, frame)))
    twice = kind(6, **settings).fit(frame, y, np.full(len(frame), 2))
    whole = kind(6, **settings).fit(pd.concat([frame, frame]), np.concatenate([y, y]))
    np.testing.assert_allclose(np.array(answers(twice, frame)), np.array(answers(whole, frame)), rtol=1e-12)
    sl.save(model, tmp_path / "forest")
    np.testing.assert_array_equal(sl.load(tmp_path / "forest").predict(frame), model.predict(frame))
    assert model.predict(frame).shape == y.shape


def test_targets_of_different_sizes_do_not_disturb_each_other():
    frame, _, numbers = mixed_table()
    one = RandomForestRegressor(1, bootstrap=False, max_depth=3).fit(frame, numbers)
    leaves = one.apply(frame)[:, 0]
    for leaf in np.unique(leaves):
        inside = leaves == leaf
        expected = numbers[inside].astype(np.longdouble).mean(axis=0)
        np.testing.assert_allclose(one.predict(frame)[inside][0], expected.astype(float), rtol=1e-9)
    flat = np.column_stack([numbers[:, 1], np.full(240, 3.0)])  # and one that does not vary
    assert (RandomForestRegressor(3).fit(frame, flat).predict(frame)[:, 1] == 3.0).all()


def test_rows_left_out_judge_several_labels():
    frame, labels, _ = mixed_table()
    model = RandomForestClassifier(40, oob_score=True).fit(frame, labels)
    shares = model.oob_decision_function_
    assert shares.shape == (240, 2, 2) and 0.6 < model.oob_score_ < 0.99
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    with pytest.raises(ValueError, match="type of target"):
        RandomForestClassifier(2, oob_score=True).fit(A, np.tile(Y[:, None], 2))


def test_labels_of_several_columns_have_weights_each():
    words = np.array(["no", "yes"])[np.stack([Y == 0, Y == 1], axis=1).astype(int)]
    model = RandomForestClassifier(5, class_weight=[{"no": 2.0}, {"yes": 3.0}]).fit(X, words)
    assert [own.tolist() for own in model.classes_] == [["no", "yes"]] * 2
    assert model.sample(X[:3], 0, n=4).shape == (4, 3, 2)
    order = np.random.default_rng(0).permutation(len(X))
    balanced = RandomForestClassifier(5, class_weight="balanced_subsample")
    same = (balanced.fit(X, words).predict(X), balanced.fit(X[order], words[order]).predict(X))
    np.testing.assert_array_equal(*same)
    for wrong in ([{"no": 2.0}], {"no": 2.0}):
        with pytest.raises(ValueError, match="number of elements in class_weight"):
            RandomForestClassifier(5, class_weight=wrong).fit(X, words)
    with pytest.raises(ValueError, match="multiple output"):
        RandomForestClassifier(5, monotonic_cst=[1] * 8).fit(X, words)
    with pytest.raises(ValueError, match="other labels"):
        model.set_params(warm_start=True, n_estimators=7, class_weight=None).fit(X, words[:, 0])


@pytest.mark.parametrize("settings", [{"max_samples": 0.5}, {"bootstrap": False}], ids=str)
@pytest.mark.parametrize("kind", [RandomForestClassifier, RandomForestRegressor])
def test_a_tree_grows_again_from_its_rows(kind, settings, tmp_path):
    model = kind(4, max_features=0.5, min_impurity_decrease=1e-4, **settings).fit(X, Y)
    for tree, rows in zip(model.estimators_, model.estimators_samples_, strict=True):
        again = clone(tree).fit(X[rows], Y[rows])
        np.testing.assert_allclose(again.predict(X[rows]), tree.predict(X[rows]))
        assert tree.min_impurity_decrease == 1e-4 and not hasattr(tree, "bare")
    sl.save(model, tmp_path / "forest")
    read = sl.load(tmp_path / "forest")
    assert len(read.estimators_) == 4 and not hasattr(read, "estimators_samples_")
    more = model.set_params(warm_start=True, n_estimators=5)
    assert hasattr(more.fit(X, Y), "estimators_samples_") is kind(**settings).bootstrap
