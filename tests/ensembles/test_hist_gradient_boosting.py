"""Histogram boosting: categories, gaps, constraints, early stopping, warm starts, odd tables, refusals, saving."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.inspection import partial_dependence, permutation_importance
from sklearn.metrics import log_loss

import sumlearn as sl

R, C = sl.HistGradientBoostingRegressor, sl.HistGradientBoostingClassifier
RNG = np.random.default_rng(0)
X = np.round(RNG.standard_normal((400, 4)), 3)
Y = X @ [1.0, -2.0, 0.5, 0.0] + np.sin(3 * X[:, 0]) + 0.3 * RNG.standard_normal(400)


# -- categories and gaps ----------------------------------------------------------------------------------------------


def test_one_split_separates_categories_that_thresholds_would_cut_up():
    codes = np.repeat(np.arange(12), 40)
    y = np.isin(codes, [1, 4, 5, 9, 11]).astype(float)
    frame = pd.DataFrame({"kind": pd.Categorical.from_codes(codes, [f"k{c:02d}" for c in range(12)])})
    stump = R(max_iter=1, max_leaf_nodes=2, learning_rate=1.0).fit(frame, y)
    assert np.array_equal(stump.predict(frame).round(12), y) and stump.is_categorical_.tolist() == [True]
    assert (
        np.ptp(R(max_iter=1, max_leaf_nodes=2, learning_rate=1.0).fit(codes[:, None], y).predict(codes[:, None]) - y)
        > 0.1
    )


def test_words_gaps_and_levels_that_were_not_there():
    frame = pd.DataFrame({"city": np.array(["Rome", "Oslo", None], dtype=object)[np.arange(300) % 3], "size": 1.0})
    y = (np.arange(300) % 3) * 10.0
    model = R(max_iter=60, learning_rate=0.5).fit(frame, y)
    assert model.predict(frame[:3]) == pytest.approx([0.0, 10.0, 20.0], abs=1e-6)
    with pytest.warns(UserWarning, match="Bern"):
        unseen = model.predict(pd.DataFrame({"city": ["Bern"], "size": [1.0]}))
    assert unseen[0] == model.predict(frame[2:3])[0]  # as a gap


def test_many_levels_share_a_bin_without_a_word_being_lost():
    levels = np.array([f"l{k:03d}" for k in range(400)])
    frame = pd.DataFrame({"level": np.tile(levels, 30)})
    y = (np.tile(np.arange(400), 30) % 2).astype(float)
    score = R(max_iter=30).fit(frame, y).score(frame, y)
    assert score > 0.5  # 146 of 400 levels have no bin of their own


def test_gaps_have_a_direction_of_their_own():
    x = RNG.standard_normal(400)
    y = (x > 0).astype(float)
    for value in (0.0, 1.0, 5.0):
        x[::4], y[::4] = np.nan, value
        model = R(max_iter=80, learning_rate=0.3, min_samples_leaf=5).fit(x[:, None], y)
        assert np.abs(model.predict(x[:, None]) - y).max() < 1e-3


def test_gaps_that_come_later_go_with_the_many():
    x = np.arange(100.0)[:, None]
    for large, side in ((80, 0.0), (20, 1.0)):
        y = (x[:, 0] >= large).astype(float)
        model = R(max_iter=1, max_leaf_nodes=2, learning_rate=1.0, min_samples_leaf=1).fit(x, y)
        assert model.predict([[np.nan]])[0] == pytest.approx(side)


def test_categories_of_arrays_by_mask_place_and_name():
    Z = np.column_stack([X[:, :2], RNG.integers(0, 5, 400)])
    mask = R(max_iter=3, categorical_features=[False, False, True]).fit(Z, Y)
    place = R(max_iter=3, categorical_features=[2]).fit(Z, Y)
    named = R(max_iter=3, categorical_features=["c"]).fit(pd.DataFrame(Z, columns=list("abc")), Y)
    assert mask.trees_ == place.trees_ == named.trees_ and mask.trees_.category.tolist() == [0, 0, 1]
    assert R(max_iter=3, categorical_features=None).fit(Z, Y).is_categorical_ is None


# -- constraints ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "poisson"])
def test_monotonic_columns_are_monotonic(loss):
    y = np.exp(0.2 * Y) if loss == "poisson" else Y
    model = R(loss, monotonic_cst=[1, -1, 0, 0], max_iter=40, min_samples_leaf=5).fit(X, y)
    grid = np.linspace(-3, 3, 60)
    for row in X[:20]:
        for column, sign in ((0, 1), (1, -1)):
            rows = np.repeat(row[None], 60, axis=0)
            rows[:, column] = grid
            assert (sign * np.diff(model.predict(rows)) >= -1e-12).all()
    free = R(loss, max_iter=40, min_samples_leaf=5).fit(X, y)
    rows = np.repeat(X[:1], 60, axis=0)
    rows[:, 0] = grid
    assert (np.diff(free.predict(rows)) < 0).any()


def test_interactions_are_kept_apart():
    y = X[:, 0] * X[:, 1] + X[:, 2]
    grid = np.stack(np.meshgrid([-1.0, 1.0], [-1.0, 1.0], [-1.0, 1.0], [0.0], indexing="ij"), axis=-1).reshape(-1, 4)

    def interaction(model, a, b):
        """Largest second difference of predictions in two columns."""
        f = model.predict(grid).reshape(2, 2, 2)
        return np.abs(np.diff(np.diff(f, axis=a), axis=b)).max()

    free, apart = R(max_iter=50).fit(X, y), R(max_iter=50, interaction_cst=[{0, 1}, {2}]).fit(X, y)
    alone = R(max_iter=50, interaction_cst="no_interactions").fit(X, y)
    assert interaction(free, 0, 1) > 0.5 and interaction(apart, 0, 1) > 0.5
    assert interaction(apart, 0, 2) < 1e-12 and interaction(apart, 1, 2) < 1e-12 and interaction(free, 0, 2) > 1e-3
    assert interaction(alone, 0, 1) < 1e-12
    pairs = R(max_iter=5, interaction_cst="pairwise").fit(X, y)
    for tree in pairs.trees_.trees():
        assert most_columns_on_a_path(tree) <= 2


def most_columns_on_a_path(tree):
    stack, most = [(0, frozenset())], 0
    while stack:
        node, seen = stack.pop()
        column, left = tree.links[node, 0], tree.links[node, 1]
        if column >= 0:
            stack += [(left, seen | {column}), (left + 1, seen | {column})]
        most = max(most, len(seen))
    return most


def test_limits_of_leaves_depth_and_columns():
    model = R(max_iter=5, max_leaf_nodes=7, max_depth=4, max_features=0.5, min_samples_leaf=3, random_state=0).fit(X, Y)
    for tree in model.trees_.trees():
        assert (tree.links[:, 0] < 0).sum() == 7
    stumps = R(max_iter=40, max_depth=1, max_features=0.25, random_state=0).fit(X, Y)
    assert set(stumps.trees_.links[:, 0]) == {-1, 0, 1, 2, 3}  # one column drawn at a time: all of them come up
    again = R(max_iter=40, max_depth=1, max_features=0.25, random_state=0).fit(X, Y)
    other = R(max_iter=40, max_depth=1, max_features=0.25, random_state=1).fit(X, Y)
    assert stumps.trees_ == again.trees_ and stumps.trees_ != other.trees_


# -- losses -----------------------------------------------------------------------------------------------------------


def test_losses_minimise_what_they_name():
    groups, y = np.repeat([0.0, 1.0], [70, 130]), np.exp(RNG.standard_normal(200))
    y[70:] *= 3.0
    middles = {
        "squared_error": np.mean,
        "poisson": np.mean,
        "gamma": np.mean,
        "absolute_error": np.median,
        "quantile": lambda own: np.quantile(own, 0.9),
    }
    for loss, middle in middles.items():
        model = R(loss, quantile=0.9 if loss == "quantile" else None, max_iter=300).fit(groups[:, None], y)
        wanted = [middle(y[groups == group]) for group in (0.0, 1.0)]
        rel = 1e-6 if middle is np.mean else 0.02  # a median may be anything between two rows
        assert model.predict([[0.0], [1.0]]) == pytest.approx(wanted, rel=rel), loss
    y = np.exp(0.5 * Y)
    below = {q: (y <= R("quantile", quantile=q, max_iter=60).fit(X, y).predict(X)).mean() for q in (0.1, 0.5, 0.9)}
    assert all(abs(share - q) < 0.06 for q, share in below.items())
    assert (R("poisson", max_iter=5).fit(X, np.floor(y)).predict(X) > 0).all()


def test_targets_that_a_loss_cannot_have():
    with pytest.raises(ValueError, match="strictly positive"):
        R("gamma").fit(X, np.maximum(Y, 0.0))
    with pytest.raises(ValueError, match="non-negative y"):
        R("poisson").fit(X, Y)
    with pytest.raises(ValueError, match=r"sum\(y\) > 0"):
        R("poisson").fit(X, 0 * Y)


# -- early stopping and warm starts -----------------------------------------------------------------------------------


def test_early_stopping_ends_when_rows_held_back_do():
    noise = RNG.standard_normal(400)
    model = R(early_stopping=True, max_iter=200, random_state=0).fit(X, noise)
    assert model.n_iter_ < 30 and len(model.train_score_) == len(model.validation_score_) == model.n_iter_ + 1
    assert model.validation_score_[-1] <= model.validation_score_[-11] + 1e-7
    assert model.train_score_[-1] > model.train_score_[0]
    assert R(max_iter=30).fit(X, noise).n_iter_ == 30  # "auto": few rows
    judged = R(early_stopping=True, validation_fraction=None, max_iter=30).fit(X, Y)
    assert judged.n_iter_ == 30 and not len(judged.validation_score_)


def test_auto_stops_where_rows_are_many():
    many = RNG.standard_normal((10_001, 2))
    model = C(max_iter=40, random_state=0).fit(many, RNG.random(10_001) > 0.5)
    assert model.n_iter_ < 40 and len(model.validation_score_)
    assert not len(C(max_iter=2).fit(many[:10_000], RNG.random(10_000) > 0.5).validation_score_)


@pytest.mark.parametrize("scoring", ["accuracy", "neg_log_loss", "roc_auc", None])
def test_scorers_judge_too(scoring):
    labels = np.where(Y > 0, "yes", "no")
    model = C(early_stopping=True, scoring=scoring, max_iter=12, random_state=0).fit(X, labels)
    assert (
        len(model.validation_score_) == model.n_iter_ + 1 and model.validation_score_[-1] > model.validation_score_[0]
    )
    if scoring == "neg_log_loss":
        by_loss = C(early_stopping=True, max_iter=12, random_state=0).fit(X, labels)
        assert np.allclose(by_loss.validation_score_, model.validation_score_)


def test_a_scorer_of_ones_own_is_asked():
    def score(model, rows, y):
        return -np.abs(model.predict(rows) - y).mean()

    assert R(early_stopping=True, scoring=score, max_iter=3, random_state=0).fit(X, Y).validation_score_[-1] < 0


def test_no_class_is_held_back_as_a_whole():
    labels = np.array(["many"] * 395 + ["rare"] * 2 + ["one"] * 3)
    for seed in range(10):
        model = C(early_stopping=True, validation_fraction=0.5, max_iter=2, random_state=seed).fit(X, labels)
        assert np.isfinite(model.trees_.base).all() and np.exp(model.trees_.base).min() > 1e-9


@pytest.mark.parametrize("target", ["numbers", "labels"])
def test_warm_starts_go_on(target):
    y = Y if target == "numbers" else np.digitize(Y, [-1.0, 1.0])
    kind = R if target == "numbers" else C
    whole, model = kind(max_iter=9).fit(X, y), kind(max_iter=3, warm_start=True).fit(X, y)
    first = model.trees_
    model.set_params(max_iter=9).fit(X, y)
    assert model.n_iter_ == 9 and model.trees_ == whole.trees_ and first.many == model.trees_.many // 3
    with pytest.raises(ValueError, match="larger than or equal to the 9 rounds"):
        model.set_params(max_iter=5).fit(X, y)
    assert model.n_iter_ == 9  # and nothing was changed


# -- answers ----------------------------------------------------------------------------------------------------------


def test_stages_lead_to_the_answers():
    for classes in (2, 3):
        y = np.digitize(Y, np.quantile(Y, np.arange(1, classes) / classes))
        model = C(max_iter=6).fit(X, y)
        for staged, final in (
            (model.staged_predict_proba, model.predict_proba),
            (model.staged_decision_function, model.decision_function),
            (model.staged_predict, model.predict),
        ):
            stages = list(staged(X))
            assert len(stages) == 6 and np.array_equal(stages[-1], final(X))
        assert model.predict_proba(X).sum(axis=1) == pytest.approx(np.ones(400))
        assert log_loss(y, next(iter(model.staged_predict_proba(X)))) > log_loss(y, model.predict_proba(X))
    stages = list(R(max_iter=4).fit(X, Y).staged_predict(X))
    assert len(stages) == 4 and np.array_equal(stages[-1], R(max_iter=4).fit(X, Y).predict(X))


def test_inspection_of_scikit_learn_works():
    model = R(max_iter=20).fit(X, Y)
    curve = partial_dependence(model, X, [1], kind="average")["average"][0]
    assert curve[0] - curve[-1] > 3.0
    importance = permutation_importance(model, X, Y, n_repeats=3, random_state=0).importances_mean
    assert importance.argmax() == 1 and importance[3] < 0.1
    labels = C(max_iter=10).fit(X, Y > 0)
    assert partial_dependence(labels, X, [(0, 1)], grid_resolution=4)["average"].shape == (1, 4, 4)


def test_predictions_in_threads_are_the_same():
    many = np.tile(X, (60, 1))
    model = R(max_iter=10, n_jobs=1).fit(X, Y)
    one = model.predict(many)
    assert np.array_equal(one, model.set_params(n_jobs=2).predict(many))
    assert np.array_equal(one[:400], one[-400:])


def test_class_weights_are_weights():
    X, y = np.round(4 * globals()["X"]), (Y > 1.5).astype(int)  # weights have a part in bins, unless values are few
    balanced = C(max_iter=5, class_weight="balanced").fit(X, y)
    weight = np.where(y == 1, 400 / (2 * y.sum()), 400 / (2 * (400 - y.sum())))
    assert balanced.trees_ == C(max_iter=5).fit(X, y, weight).trees_
    assert balanced.predict(X).mean() > C(max_iter=5).fit(X, y).predict(X).mean()
    assert (
        C(max_iter=5, class_weight={1: 3.0}).fit(X, y).trees_
        == C(max_iter=5).fit(X, y, np.where(y == 1, 3.0, 1.0)).trees_
    )


# -- odd tables -------------------------------------------------------------------------------------------------------


def test_odd_tables():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert R().fit([[1.0]], [5.0]).predict([[3.0], [np.nan]]).tolist() == [5.0, 5.0]
        assert R().fit(np.ones((50, 3)), np.arange(50.0)).predict(np.ones((1, 3)))[0] == pytest.approx(24.5)
        assert R().fit(np.full((50, 2), np.nan), np.arange(50.0)).predict([[1.0, 2.0]])[0] == pytest.approx(24.5)
        assert np.ptp(R().fit(X, np.full(400, 7.0)).predict(X)) == 0.0
        one = C().fit(X, ["only"] * 400)
        assert set(one.predict(X)) == {"only"} and one.predict_proba(X).tolist() == [[1.0]] * 400
        assert one.decision_function(X).tolist() == [0.0] * 400 and one.n_iter_ == 0
        doubled = R(max_iter=5).fit(np.hstack([X, X]), Y)
        assert np.array_equal(doubled.predict(np.hstack([X, X])), R(max_iter=5).fit(X, Y).predict(X))


def test_far_and_huge_values():
    for shift, scale in ((1e9, 1.0), (0.0, 1e200), (0.0, 1e-200)):
        Z = X * scale + shift
        exact = np.unique(Z[:, 0]).size == np.unique(X[:, 0]).size
        if exact and shift == 0.0:
            assert np.array_equal(R(max_iter=5).fit(Z, Y).predict(Z), R(max_iter=5).fit(X, Y).predict(X))
    base = R(max_iter=20).fit(X, Y).predict(X)
    for factor in (2.0**300, 2.0**-300, -1.0):
        assert R(max_iter=20).fit(X, factor * Y).predict(X) / factor == pytest.approx(base, rel=1e-9)
    assert R(max_iter=20).fit(X, Y + 1e9).predict(X) - 1e9 == pytest.approx(base, abs=1e-5)


def test_trees_to_the_last_row():
    model = R(max_iter=1, learning_rate=1.0, min_samples_leaf=1, max_leaf_nodes=None).fit(X, Y)
    assert np.abs(model.predict(X) - Y).max() < 1e-12
    chain = np.arange(3000.0)[:, None]
    deep = R(max_iter=1, learning_rate=1.0, min_samples_leaf=1, max_leaf_nodes=None, max_bins=255).fit(
        chain, 2.0 ** -np.arange(3000.0)
    )
    assert np.isfinite(deep.predict(chain)).all()


def test_imbalanced_labels_keep_their_rate():
    A, y = make_classification(4000, 6, weights=[0.98], flip_y=0.0, random_state=0)
    p = C(max_iter=40).fit(A, y).predict_proba(A)[:, 1]
    assert p.mean() == pytest.approx(y.mean(), rel=0.05) and log_loss(y, p) < 0.05


def test_weights_too_small_for_a_leaf_are_told():
    for size in (1 / 400, 1e-12):
        with pytest.warns(UserWarning, match="min_samples_leaf"):
            model = R(max_iter=2).fit(X, Y, np.full(400, size))
        assert model.predict(X) == pytest.approx(np.full(400, Y.mean()))


@pytest.mark.parametrize("method", ["memory", "passes"])
@pytest.mark.parametrize("size", [1e-300, 1e300])
def test_sizes_whose_squares_are_out_of_range_are_refused(method, size):
    for kind, y in ((R, Y), (C, (Y > 0).astype(int))):
        with pytest.raises(ValueError, match="sample_weight adds up to"):
            kind(method=method, max_iter=2).fit(X, y, np.full(400, size))
    with pytest.raises(ValueError, match="y reaches from .* rescale y"):
        R(method=method, max_iter=2).fit(X, Y * size)
    with pytest.raises(ValueError, match="so large that its sums overflow"):
        R(method=method, max_iter=2).fit(X, Y, np.full(400, 1e307))
    assert R(max_iter=2, method=method).fit(X, np.full(400, size)).predict(X).tolist() == [size] * 400


# -- refusals ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"learning_rate": 0.0}, "learning_rate"),
        ({"max_iter": 0}, "max_iter"),
        ({"max_leaf_nodes": 1}, "max_leaf_nodes"),
        ({"max_depth": 0}, "max_depth"),
        ({"min_samples_leaf": 0}, "min_samples_leaf"),
        ({"l2_regularization": -1.0}, "l2_regularization"),
        ({"max_features": 1.5}, "max_features"),
        ({"max_bins": 256}, "max_bins"),
        ({"max_bins": 1}, "max_bins"),
        ({"monotonic_cst": [1, 0]}, "monotonic_cst"),
        ({"monotonic_cst": [2, 0, 0, 0]}, "monotonic_cst"),
        ({"monotonic_cst": {"a": 1}}, "monotonic_cst"),
        ({"interaction_cst": [(0, 9)]}, "interaction_cst"),
        ({"interaction_cst": 3}, "interaction_cst"),
        ({"interaction_cst": "all"}, "interaction_cst"),
        ({"early_stopping": "yes"}, "early_stopping"),
        ({"scoring": "best"}, "scoring"),
        ({"validation_fraction": 0.0}, "validation_fraction"),
        ({"n_iter_no_change": 0}, "n_iter_no_change"),
        ({"tol": -1.0}, "tol"),
        ({"verbose": -1}, "verbose"),
        ({"warm_start": "no"}, "warm_start"),
        ({"method": "disk"}, "method"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"loss": "log_loss"}, "loss"),
        ({"loss": "quantile"}, "quantile"),
        ({"quantile": 2.0}, "quantile"),
        ({"categorical_features": [7]}, "categorical_features"),
    ],
)
def test_parameters_are_refused_by_name(options, word):
    with pytest.raises(ValueError, match=word):
        R(**options).fit(X, Y)


def test_constraints_that_make_no_sense():
    with pytest.raises(ValueError, match="multiclass"):
        C(monotonic_cst=[1, 0, 0, 0]).fit(X, np.digitize(Y, [-1, 1]))
    with pytest.raises(ValueError, match="Categorical features cannot have monotonic constraints"):
        R(monotonic_cst=[1, 0, 0, 0], categorical_features=[0]).fit(np.floor(X), Y)
    with pytest.raises(ValueError, match="infinity"):
        R().fit(np.where(X > 2, np.inf, X), Y)


# -- files of models --------------------------------------------------------------------------------------------------


def test_saved_models_answer_the_same(tmp_path):
    frame = pd.DataFrame(X, columns=list("abcd")).assign(city=np.array(["Rome", "Oslo"])[RNG.integers(0, 2, 400)])
    model = C(max_iter=4).fit(frame, np.where(Y > 0, "yes", "no"))
    sl.save(model, tmp_path / "model.sumlearn")
    again = sl.load(tmp_path / "model.sumlearn")
    assert np.array_equal(again.predict_proba(frame), model.predict_proba(frame)) and again.trees_ == model.trees_


def test_trees_that_were_tampered_with_are_refused():
    from dataclasses import replace

    trees = R(max_iter=2).fit(X, Y).trees_
    codes = np.zeros((1, 4), np.uint8)
    for name, place, value in (("links", (0, 1), 0), ("links", (0, 0), 9), ("links", (0, 1), 10**6), ("starts", 1, 3)):
        array = getattr(trees, name).copy()
        array[place] = value
        with pytest.raises(ValueError, match="do not fit together"):
            replace(trees, **{name: array}).scores(codes)
