"""AdaBoost against a round worked out by hand, scikit-learn's SAMME, and itself over chunks, files and Dask."""

import warnings

import dask.array as da
import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.datasets import make_classification
from sklearn.ensemble import AdaBoostClassifier as ScikitAdaBoost
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier as ScikitTree

import sumlearn as sl
from sumlearn.data import load_example
from sumlearn.ensembles.parts import boosted_bins

X10 = np.arange(10.0)[:, None]
Y10 = np.array([1, 1, 1, 0, 0, 0, 1, 1, 1, 0])


def made(classes=2, n=400, seed=0, d=6):
    X, y = make_classification(
        n, d, n_informative=d - 1, n_redundant=0, n_classes=classes, flip_y=0.1, random_state=seed
    )
    return X.astype(np.float32).astype(float), y  # scikit-learn's trees read single precision


# -- worked out by hand -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("more", [{}, {"max_bins": 20}])
def test_three_rounds_worked_out_by_hand(more):
    """Ten points on a line, + + + - - - + + + -, as in note 002 with its beta = e / (1 - e).

    Round 1, all weights 1/10: up to 2.5 is +, wrong at 6, 7, 8: e = 3/10. Weights: 1/6 there, 1/14 elsewhere.
    Round 2: up to 8.5 is +, wrong at 3, 4, 5: e = 3/14. Weights: 1/6 there, 7/66 at 6, 7, 8, 1/22 elsewhere.
    Round 3: up to 5.5 is -, wrong at 0, 1, 2 and 9: e = 4/22. The three together are right everywhere.
    """
    model = sl.AdaBoostClassifier(n_estimators=3, algorithm="m1", **more).fit(X10, Y10)
    assert model.stumps_.threshold.tolist() == [2.5, 8.5, 5.5]
    assert np.allclose(model.estimator_errors_, [3 / 10, 3 / 14, 2 / 11], rtol=1e-14)
    assert np.allclose(model.estimator_weights_, np.log([7 / 3, 11 / 3, 9 / 2]), rtol=1e-14)
    assert np.allclose(model.stumps_.masses[1].sum(axis=0), [3 / 14 + 1 / 14, 3 / 14 + 1 / 2])
    assert np.allclose(model.trace_, [0.3, 0.3, 0.0])
    assert np.allclose(model.error_bound_[0], 2 * np.sqrt(0.21))
    votes = np.log([7 / 3, 11 / 3, 9 / 2])
    at_nine = votes @ [-1, -1, 1] / votes.sum()  # two say -, the third +
    assert np.allclose(model.margins(X10[9:], Y10[9:]), -at_nine)
    assert np.allclose(model.decision_function(X10[9:]), 2 * at_nine)
    assert (model.margins(X10, Y10) > 0).all()


@pytest.mark.parametrize("more", [{}, {"max_bins": 20}])
def test_a_perfect_member_has_a_finite_vote_and_ends_it(more):
    X, y = X10, (X10[:, 0] > 3.2).astype(int)
    m1 = sl.AdaBoostClassifier(algorithm="m1", **more).fit(X, y)
    assert len(m1) == 1
    assert m1.estimator_errors_[0] == 0.0
    assert np.isclose(m1.estimator_weights_[0], np.log(21.0))  # half an error in ten rows: (1 - 1/22) / (1/22)
    heavy = sl.AdaBoostClassifier(algorithm="m1", **more).fit(X, y, np.full(10, 2.0))
    assert np.isclose(heavy.estimator_weights_[0], np.log(41.0))
    samme, theirs = sl.AdaBoostClassifier(**more).fit(X, y), ScikitAdaBoost().fit(X, y)
    assert samme.estimator_weights_.tolist() == theirs.estimator_weights_.tolist()
    assert samme.estimator_errors_.tolist() == theirs.estimator_errors_.tolist()


@pytest.mark.parametrize("more", [{}, {"max_bins": 20}])
def test_it_ends_where_a_member_guesses(more):
    X, y = np.ones((4, 1)), np.array([0, 1, 1, 1])
    model = sl.AdaBoostClassifier(algorithm="m1", **more).fit(X, y)  # the same again would err on half of the weight
    assert len(model) == 1
    assert model.estimator_errors_[:2].tolist() == [0.25, 1.0]
    with pytest.raises(ValueError, match=r"worse than random.*the stump is 0\.5"):
        sl.AdaBoostClassifier(**more).fit([[0.0], [0.0], [1.0], [1.0]], [0, 1, 0, 1])
    iris = load_example("iris")  # three classes: M1 wants half of the weight, SAMME more than a third
    with pytest.raises(ValueError, match="algorithm='samme' asks less"):
        sl.AdaBoostClassifier(algorithm="m1", **more).fit(np.arange(6.0)[:, None] % 2, ["a", "b", "c", "a", "b", "c"])
    assert sl.AdaBoostClassifier(n_estimators=20, **more).fit(iris.X, iris.y).score(iris.X, iris.y) > 0.94


# -- scikit-learn -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("classes", "rate", "weighted"), [(2, 1.0, False), (2, 0.3, True), (3, 1.0, True), (5, 0.7, False)]
)
def test_the_answers_are_those_of_scikit_learn(classes, rate, weighted):
    X, y = made(classes, seed=classes)
    weight = np.random.default_rng(1).integers(0, 4, len(y)).astype(float) if weighted else None
    ours = sl.AdaBoostClassifier(n_estimators=30, learning_rate=rate).fit(X, y, weight)
    theirs = ScikitAdaBoost(n_estimators=30, learning_rate=rate, random_state=0).fit(X, y, weight)
    assert np.allclose(ours.estimator_errors_, theirs.estimator_errors_, rtol=1e-10)
    assert np.allclose(ours.estimator_weights_, theirs.estimator_weights_, rtol=1e-9)
    for one, other in zip(ours.estimators_, theirs.estimators_, strict=True):
        assert one.tree_.feature.tolist() == other.tree_.feature.tolist()
        assert np.allclose(one.tree_.threshold, other.tree_.threshold)
        assert np.allclose(one.tree_.value, other.tree_.value)
        assert np.allclose(one.tree_.impurity, other.tree_.impurity)
        assert one.tree_.n_node_samples.tolist() == other.tree_.n_node_samples.tolist()
        assert np.allclose(one.tree_.weighted_n_node_samples, other.tree_.weighted_n_node_samples)
    for name in ("predict", "predict_proba", "predict_log_proba", "decision_function"):
        mine, yours = getattr(ours, name)(X), getattr(theirs, name)(X)
        assert (mine == yours).all() if name == "predict" else np.allclose(mine, yours)
    for name in ("staged_predict", "staged_predict_proba", "staged_decision_function"):
        for mine, yours in zip(getattr(ours, name)(X), getattr(theirs, name)(X), strict=True):
            assert (mine == yours).all() if name == "staged_predict" else np.allclose(mine, yours)
    assert np.allclose(list(ours.staged_score(X, y)), list(theirs.staged_score(X, y)))
    assert np.allclose(ours.feature_importances_, theirs.feature_importances_)


@pytest.mark.parametrize("depth", [2, 3])
def test_any_estimator_is_boosted_as_scikit_learn_does(depth):
    X, y = made(3, seed=4)
    base = ScikitTree(max_depth=depth, max_features=2)  # it draws: the seeds are the same too
    ours = sl.AdaBoostClassifier(base, n_estimators=8, random_state=3).fit(X, y)
    theirs = ScikitAdaBoost(base, n_estimators=8, random_state=3).fit(X, y)
    assert np.allclose(ours.decision_function(X), theirs.decision_function(X))
    assert np.allclose(ours.feature_importances_, theirs.feature_importances_)


def test_our_stumps_as_an_estimator_are_the_stumps():
    X, y = made(seed=6)
    fast = sl.AdaBoostClassifier(n_estimators=15).fit(X, y)
    slow = sl.AdaBoostClassifier(sl.DecisionTreeClassifier(max_depth=1), n_estimators=15).fit(X, y)
    assert np.allclose(fast.estimator_errors_, slow.estimator_errors_)
    assert np.allclose(fast.decision_function(X), slow.decision_function(X))


# -- the three ways to learn from weights -----------------------------------------------------------------------------


def test_many_copies_are_weights_and_few_are_rounded():
    X, y = made(seed=7)
    native = sl.AdaBoostClassifier(n_estimators=10).fit(X, y)
    many = sl.AdaBoostClassifier(n_estimators=10, weighting="copies", copies=1e6).fit(X, y)
    assert np.allclose(native.decision_function(X), many.decision_function(X))
    few = sl.AdaBoostClassifier(n_estimators=10, weighting="copies", copies=3).fit(X, y)
    assert few.score(X, y) > 0.7
    with pytest.raises(ValueError, match="copies is too small"):
        sl.AdaBoostClassifier(weighting="copies", copies=1e-3).fit(X, y)


def test_copies_of_rows_are_whole_weights():
    """An estimator that takes no weights gets rows; with the same copies one that does is the same."""
    X, y = made(seed=8, n=150)

    class Bare(sl.GaussianNB):
        def fit(self, X, y):
            return super().fit(X, y)

    weighted = sl.AdaBoostClassifier(sl.GaussianNB(), n_estimators=4, weighting="copies").fit(X, y)
    rows = sl.AdaBoostClassifier(Bare(), n_estimators=4, weighting="copies").fit(X, y)
    assert np.allclose(weighted.estimator_weights_, rows.estimator_weights_)
    assert np.allclose(weighted.decision_function(X), rows.decision_function(X))


def test_resampling_draws_by_the_weights_and_is_repeatable():
    X, y = made(seed=9)
    fits = [
        sl.AdaBoostClassifier(n_estimators=20, weighting="resample", random_state=seed).fit(X, y) for seed in (0, 0, 1)
    ]
    assert np.array_equal(fits[0].decision_function(X), fits[1].decision_function(X))
    assert not np.array_equal(fits[0].decision_function(X), fits[2].decision_function(X))
    assert abs(fits[0].score(X, y) - sl.AdaBoostClassifier(n_estimators=20).fit(X, y).score(X, y)) < 0.06
    heavy = sl.AdaBoostClassifier(n_estimators=5, weighting="resample", random_state=0).fit(X, y, np.full(len(y), 1e6))
    native = sl.AdaBoostClassifier(n_estimators=5).fit(X, y)  # of so many draws the shares are the weights
    assert np.allclose(heavy.decision_function(X), native.decision_function(X), atol=0.01)
    neighbours = KNeighborsClassifier(15)
    with pytest.raises(ValueError, match=r"doesn't support sample_weight: choose weighting='resample'"):
        sl.AdaBoostClassifier(neighbours).fit(X, y)
    model = sl.AdaBoostClassifier(neighbours, n_estimators=5, weighting="resample", random_state=0).fit(X, y)
    assert model.score(X, y) > 0.8


# -- chunks, files and clusters ---------------------------------------------------------------------------------------


def test_bins_lose_nothing_where_columns_have_few_values():
    X, y = made(3, seed=10, n=600)
    X = np.round(X * 4)
    exact = sl.AdaBoostClassifier(n_estimators=25).fit(X, y)
    binned = sl.AdaBoostClassifier(n_estimators=25, max_bins=255).fit(X, y)
    assert np.allclose(exact.estimator_errors_, binned.estimator_errors_)
    assert np.array_equal(exact.stumps_.threshold, binned.stumps_.threshold)
    assert np.allclose(exact.trace_, binned.trace_)
    thin = sl.AdaBoostClassifier(n_estimators=25, max_bins=255).fit(csr_matrix(X), y)
    assert np.array_equal(thin.decision_function(csr_matrix(X)), binned.decision_function(X))


def test_a_table_a_file_of_it_and_a_cluster_give_the_same_stumps(tmp_path):
    X, y = made(seed=11, n=500)
    weight = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    model = sl.AdaBoostClassifier(n_estimators=12, max_bins=30)
    whole = sl.AdaBoostClassifier(**model.get_params()).fit(X, y, weight)
    arrays = (da.from_array(part, chunks=(130, -1)[: part.ndim]) for part in (X, y, weight))
    cluster = sl.AdaBoostClassifier(**model.get_params()).fit(*arrays)
    table = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])]).assign(label=np.array(["no", "yes"])[y])
    table.to_csv(tmp_path / "rows.csv", index=False)
    file = sl.AdaBoostClassifier(**model.get_params()).fit(str(tmp_path / "rows.csv"), "label")
    bare = sl.AdaBoostClassifier(**model.get_params()).fit(X, y)
    assert np.allclose(cluster.decision_function(X), whole.decision_function(X))
    assert np.allclose(cluster.trace_, whole.trace_)
    assert np.allclose(file.decision_function(table.drop(columns="label")), bare.decision_function(X))
    assert set(file.predict(table.drop(columns="label"))) == {"no", "yes"}
    exact = sl.AdaBoostClassifier(n_estimators=12).fit(str(tmp_path / "rows.csv"), "label")
    own = sl.AdaBoostClassifier(n_estimators=12).fit(X, y)
    assert np.allclose(exact.decision_function(table.drop(columns="label")), own.decision_function(X))


def test_a_round_is_one_sum_over_the_parts(monkeypatch):
    X, y = made(seed=19, n=400)
    read = []
    count = boosted_bins.add_bins
    monkeypatch.setattr(boosted_bins, "add_bins", lambda codes, *more: read.append(len(codes)) or count(codes, *more))
    parts = da.from_array(X, chunks=(100, -1)), da.from_array(y, chunks=100)
    model = sl.AdaBoostClassifier(n_estimators=7, max_bins=30).fit(*parts)
    assert len(model) == 7 and read == [100] * 4 * 8  # and one for the error of all seven


def test_a_part_that_lost_its_notes_gives_the_same_answer():
    from sumlearn.data import Chunk, open_source

    X, y = made(seed=12)
    model = sl.AdaBoostClassifier(n_estimators=6, max_bins=20)
    road = model.road()
    source = model.open(X, y, None, reset=True)
    from sumlearn.learners.passes import Passes

    state, notes = road.start(Passes(source), model.look_data()), {}
    chunk = Chunk(X, y, None, None)
    for _ in range(4):
        kept = boosted_bins.bin_masses(state, chunk, notes)
        anew = boosted_bins.bin_masses(state, chunk, {})
        assert np.allclose(kept.values, anew.values, rtol=1e-12, atol=1e-15)
        state = road.step(state, Passes(open_source(X, y)))


# -- what stands for what ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("more", [{}, {"max_bins": 10}, {"algorithm": "m1"}])
def test_rows_in_any_order_and_weights_are_rows(more):
    X, y = made(seed=13, n=200)
    weight = np.random.default_rng(2).integers(0, 3, len(y))
    model = lambda: sl.AdaBoostClassifier(n_estimators=10, **more)  # noqa: E731
    rows = np.random.default_rng(3).permutation(np.repeat(np.arange(len(y)), weight))
    weighted, repeated = model().fit(X, y, weight), model().fit(X[rows], y[rows])
    assert np.allclose(weighted.decision_function(X), repeated.decision_function(X))
    X[weight == 0] = np.nan  # nobody looks at rows of weight zero
    assert np.allclose(model().fit(X, y, weight).estimator_errors_, weighted.estimator_errors_)


@pytest.mark.parametrize("more", [{}, {"max_bins": 10}])
def test_odd_tables(more):
    X, y = made(seed=14, n=120)
    one = sl.AdaBoostClassifier(**more).fit(X, np.full(len(y), "same"))
    assert set(one.predict(X)) == {"same"} and (one.predict_proba(X) == 1.0).all()
    assert (one.margins(X, one.predict(X)) == 1).all()
    constant = sl.AdaBoostClassifier(**more).fit(np.ones((5, 2)), [0, 0, 0, 1, 1])  # the larger class, then a guess
    assert constant.predict(np.zeros((1, 2))).tolist() == [0] and len(constant) == 1
    assert constant.estimators_[0].get_depth() == 0 and constant.feature_importances_.tolist() == [0.0, 0.0]
    far = sl.AdaBoostClassifier(n_estimators=5, **more).fit(X + 1e9, y)
    near = sl.AdaBoostClassifier(n_estimators=5, **more).fit((X + 1e9) - 1e9, y)
    assert np.allclose(far.estimator_errors_, near.estimator_errors_)
    single = sl.AdaBoostClassifier(**more).fit([[1.0]], ["a"])
    assert single.predict([[3.0]]).tolist() == ["a"]


def test_bad_input_is_named_and_changes_nothing():
    X, y = made(seed=15, n=60)
    model = sl.AdaBoostClassifier(n_estimators=3).fit(X, y)
    before = model.decision_function(X)
    bad = X.copy()
    bad[7, 2] = np.nan
    for call in (lambda: model.fit(bad, y), lambda: model.fit(X, y, np.zeros(len(y)))):
        with pytest.raises(ValueError, match=r"row 7, column 2|zero for every row"):
            call()
    assert np.array_equal(model.decision_function(X), before)
    with pytest.raises(ValueError, match="'z' in row 1, which is not among the classes"):
        sl.AdaBoostClassifier().fit(X, np.array(["a", "b"])[y]).margins(X[:2], ["a", "z"])
    for parameters, words in (
        ({"algorithm": "SAMME.R"}, "algorithm must be one of 'm1', 'samme'"),
        ({"weighting": "none"}, "weighting must be one of"),
        ({"learning_rate": 0.0}, "learning_rate must be positive"),
        ({"max_bins": 256}, "max_bins must be at most 255"),
        ({"max_bins": 9, "weighting": "copies"}, "max_bins is for stumps"),
        ({"n_estimators": 0}, "n_estimators must be a whole number"),
    ):
        with pytest.raises(ValueError, match=words):
            sl.AdaBoostClassifier(**parameters).fit(X, y)


@pytest.mark.parametrize("more", [{}, {"max_bins": 255}])
def test_steps_that_are_too_large_end_with_a_warning(more):
    X, y = made(seed=16)
    with pytest.warns(UserWarning, match="infinite values, at iteration 0"):
        model = sl.AdaBoostClassifier(learning_rate=1e3, **more).fit(X, y)
    assert len(model) == 1


@pytest.mark.parametrize("more", [{}, {"max_bins": 30}, {"estimator": sl.GaussianNB()}])
def test_a_model_from_a_file_answers_alike(more, tmp_path):
    pima = load_example("pima")
    model = sl.AdaBoostClassifier(n_estimators=6, **more).fit(pima.X, pima.y)
    sl.save(model, tmp_path / "model.sl")
    again = sl.load(tmp_path / "model.sl")
    assert np.array_equal(again.decision_function(pima.X), model.decision_function(pima.X))
    assert not list(sl.abilities(again)) and len(again.estimators_) == len(model)
    assert np.array_equal(again.trace_, model.trace_)


def test_the_error_stays_below_its_bound_and_margins_grow():
    pima = load_example("pima")
    model = sl.AdaBoostClassifier(n_estimators=60, algorithm="m1").fit(pima.X, pima.y)
    assert (model.trace_ <= model.error_bound_ + 1e-12).all()
    assert np.isclose(1.0 - model.score(pima.X, pima.y), model.trace_[-1])
    assert np.isclose(np.mean(model.margins(pima.X, pima.y) <= 0), model.trace_[-1])
    scores = list(model.staged_score(pima.X, pima.y))
    assert np.allclose(1.0 - np.array(scores), model.trace_)


def test_threads_change_no_bit():
    X, y = made(seed=17, d=20)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fits = [sl.AdaBoostClassifier(n_estimators=8, n_jobs=jobs).fit(X, y).decision_function(X) for jobs in (1, 2)]
    assert np.array_equal(*fits)


def test_stumps_of_a_file_that_do_not_fit_are_refused():
    from dataclasses import replace

    X, y = made(seed=18)
    model = sl.AdaBoostClassifier(n_estimators=3).fit(X, y)
    sound = model.stumps_
    for wrong in (
        replace(sound, feature=np.array([0, 1, 99])),
        replace(sound, n_features=99),
        replace(sound, threshold=sound.threshold[:2]),
        replace(sound, rows=sound.rows[:, :1]),
        replace(sound, feature=sound.feature.astype(float)),
    ):
        model.stumps_ = wrong
        with pytest.raises(ValueError, match="stumps do not fit together"):
            model.predict(X)
        with pytest.raises(ValueError, match="stumps do not fit together"):
            next(model.staged_predict(X))
