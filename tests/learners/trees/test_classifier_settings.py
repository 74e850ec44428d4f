"""Classification trees beyond scikit-learn's: categories, gaps, many branches, pruning, costs."""

import itertools

import numpy as np
import pandas as pd
import pytest

from sumlearn import DecisionTreeClassifier, DecisionTreeRegressor
from sumlearn.learners.trees.parts.draft import Draft, settled
from sumlearn.learners.trees.parts.pruning import ErrorBased, most_errors

C45 = {"split": "multiway", "criterion": "gain_ratio", "missing": "fractions"}


def impurity(y, weight, criterion):
    share = np.array([weight[y == k].sum() for k in np.unique(y)]) / weight.sum()
    return 1 - (share**2).sum() if criterion == "gini" else -(share * np.log2(share)).sum()


def best_division(levels, y, weight, criterion):
    """Most gain over all divisions of the levels into two sets."""
    names, best = np.unique(levels), 0.0
    for size in range(1, len(names)):
        for some in itertools.combinations(names, size):
            left = np.isin(levels, some)
            after = sum(weight[s].sum() * impurity(y[s], weight[s], criterion) for s in (left, ~left))
            best = max(best, weight.sum() * impurity(y, weight, criterion) - after)
    return best


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_levels_are_divided_as_well_as_can_be(criterion, classes, seed):
    """Two classes by their order (Fisher), three by trying everything."""
    rng = np.random.default_rng(seed)
    levels, y = rng.integers(0, 7, 80), rng.integers(0, classes, 80)
    weight = rng.integers(1, 5, 80) / 2.0
    model = DecisionTreeClassifier(criterion=criterion, max_depth=1, categorical_features=[0])
    tree = model.fit(levels[:, None], y, weight).tree_
    mass = tree.weighted_n_node_samples
    gain = mass[0] * tree.impurity[0] - mass[1] * tree.impurity[1] - mass[2] * tree.impurity[2]
    assert gain == pytest.approx(best_division(levels, y, weight, criterion))


def test_levels_of_a_regression_are_divided_by_their_means():
    rng = np.random.default_rng(0)
    levels, y = rng.integers(0, 6, 60), rng.standard_normal(60)
    tree = DecisionTreeRegressor(max_depth=1, categorical_features=[0]).fit(levels[:, None], y).tree_
    best = np.inf
    for size in range(1, 6):
        for some in itertools.combinations(range(6), size):
            left = np.isin(levels, some)
            best = min(best, sum(len(y[s]) * y[s].var() for s in (left, ~left) if s.any()))
    assert (tree.weighted_n_node_samples[1:] * tree.impurity[1:]).sum() == pytest.approx(best)


def test_many_levels_and_many_classes_use_shares_of_classes():
    rng = np.random.default_rng(1)
    levels = rng.integers(0, 40, 2000)
    y = levels % 4
    model = DecisionTreeClassifier(categorical_features=[0]).fit(levels[:, None], y)
    assert model.score(levels[:, None], y) == 1.0 and model.get_n_leaves() == 4


def test_words_and_gaps_need_no_encoding():
    """A table as the soybean data: thirty categories, many of them missing."""
    rng = np.random.default_rng(2)
    y = rng.integers(0, 6, 600)
    names = np.array(["absent", "present", "norm", "lt", "gt"])
    noise = (rng.random((30, 600)) < 0.3) * rng.integers(0, 5, (30, 600))
    frame = pd.DataFrame({f"c{j}": names[(y * (j % 3 + 1) + noise[j]) % 5] for j in range(30)})
    frame = frame.mask(rng.random((600, 30)) < 0.15)
    for options in ({}, {"split": "multiway", "criterion": "entropy"}, C45 | {"pruning": "error_based"}):
        model = DecisionTreeClassifier(min_samples_leaf=2, **options).fit(frame[:400], y[:400])
        assert model.score(frame[400:], y[400:]) > 0.5, options
        assert model.predict_proba(frame[400:]).sum(axis=1) == pytest.approx(np.ones(200))


def test_a_gap_goes_down_all_branches_by_their_masses():
    """Worked by hand: 13 known rows of 14; the row without an outlook is 5/13, 3/13 and 5/13 of a row."""
    frame = pd.DataFrame({"outlook": ["sunny"] * 5 + ["overcast"] * 3 + ["rain"] * 5 + [None], "x": np.arange(14.0)})
    y = np.array(list("nnnyy" "yyy" "yyynn" "y"))
    model = DecisionTreeClassifier(max_depth=1, **C45).fit(frame[["outlook"]], y)
    mass = dict(zip(("overcast", "rain", "sunny"), model.tree_.weighted_n_node_samples[1:], strict=True))
    assert mass == pytest.approx({"overcast": 3 + 3 / 13, "rain": 5 + 5 / 13, "sunny": 5 + 5 / 13})
    asked = model.predict_proba(pd.DataFrame({"outlook": [None, "overcast"]}))
    assert asked[1] == pytest.approx([0, 1])
    leaves = {"sunny": (2 + 5 / 13) / (5 + 5 / 13), "rain": (3 + 5 / 13) / (5 + 5 / 13)}
    expected = sum(mass[name] / 14 * leaves.get(name, 1.0) for name in mass)
    assert asked[0, 1] == pytest.approx(expected)


def test_gain_ratio_does_not_fall_for_many_levels():
    rng = np.random.default_rng(3)
    good = rng.integers(0, 2, 40)
    frame = pd.DataFrame({"number": [f"r{i}" for i in range(40)], "good": np.where(good, "a", "b")})
    y = np.where(rng.random(40) < 0.1, 1 - good, good)
    assert DecisionTreeClassifier(split="multiway", criterion="entropy").fit(frame, y).tree_.feature[0] == 0
    assert DecisionTreeClassifier(split="multiway", criterion="gain_ratio").fit(frame, y).tree_.feature[0] == 1


# -- pruning -----------------------------------------------------------------------------------------------------------


def test_limits_of_errors_are_those_of_the_book():
    """Quinlan 1993, section 4.2: U(0, 6), U(0, 9), U(0, 1), U(1, 16) at 25 %, and the sums that he compares."""
    limits = [most_errors(e, n, 0.25) / n for e, n in ((0, 6), (0, 9), (0, 1), (1, 16))]
    assert limits == pytest.approx([0.206, 0.143, 0.750, 0.157], abs=5e-4)
    assert most_errors(0, 6, 0.25) + most_errors(0, 9, 0.25) + most_errors(0, 1, 0.25) == pytest.approx(3.273, abs=3e-3)
    assert most_errors(1, 16, 0.25) == pytest.approx(2.512, abs=6e-3)


def test_the_subtree_of_the_book_becomes_a_leaf():
    """Education spending: no (6), yes (9), unknown (1): sixteen rows, of which the leaf has one wrong."""
    level = np.repeat([0.0, 1.0, 2.0], [6, 9, 1])
    code = np.repeat([0, 0, 1], [6, 9, 1])
    leaves = [Draft(np.array(c, dtype=float), sum(c), 0.0) for c in ((6, 0), (9, 0), (0, 1))]
    root = Draft(np.array([15.0, 1.0]), 16, 0.1, 0, np.nan, np.array([0, 1, 2]), 1, leaves)
    assert settled(root, 1).n_leaves == 3
    pruned = ErrorBased(0.25, 2).pruned(root, level[:, None], code, np.ones(16))
    assert not pruned.branches and pruned.counts.tolist() == [15.0, 1.0]


def test_a_branch_takes_the_place_of_its_node():
    """The root asks a useless question, nearly all of its rows go one way, and that branch asks the right one."""
    rng = np.random.default_rng(4)
    X = np.column_stack([np.r_[np.zeros(3), np.ones(97)], rng.random(100)])
    code = (X[:, 1] > 0.5).astype(np.int64)
    counts = np.bincount(code[3:], minlength=2).astype(float)
    leaves = [Draft(np.array([counts[0], 0.0]), counts[0], 0.0), Draft(np.array([0.0, counts[1]]), counts[1], 0.0)]
    inner = Draft(counts, 97, 0.5, 1, 0.5, None, 0, leaves)
    first = np.bincount(code[:3], minlength=2).astype(float)
    root = Draft(np.bincount(code).astype(float), 100, 0.5, 0, 0.5, None, 0, [Draft(first, 3, 0.4), inner])
    pruned = ErrorBased(0.25, 2).pruned(root, X, code, np.ones(100))
    assert pruned.feature == 1 and len(pruned.nodes()) == 3 and pruned.mass == 100


def test_pruning_makes_noise_a_leaf():
    rng = np.random.default_rng(5)
    X, y = rng.standard_normal((300, 4)), rng.random(300) < 0.15
    grown = DecisionTreeClassifier().fit(X, y)
    for pruning in ("error_based", "cost_complexity"):
        pruned = DecisionTreeClassifier(pruning=pruning).fit(X, y)
        assert pruned.get_n_leaves() < grown.get_n_leaves() / 2, pruning
    assert pruned.get_n_leaves() <= 3


@pytest.mark.parametrize("size", [1e-300, 1e300])
def test_the_price_of_a_leaf_has_no_unit_of_weight(size):
    X = np.random.default_rng(0).standard_normal((200, 3))
    y = (X[:, 0] + 0.5 * X[:, 1] > 0).astype(int)
    weights = None, np.full(200, size)
    chosen = [DecisionTreeClassifier(pruning="cost_complexity").fit(X, y, weight) for weight in weights]
    assert chosen[0].get_n_leaves() == chosen[1].get_n_leaves() > 1


def test_costs_move_the_answers_of_leaves():
    X = np.zeros((10, 1))
    y = np.array(["ill"] * 3 + ["well"] * 7)
    assert DecisionTreeClassifier().fit(X, y).predict(X[:1]) == ["well"]
    assert DecisionTreeClassifier(costs=[[0, 5], [1, 0]]).fit(X, y).predict(X[:1]) == ["ill"]
    with pytest.raises(ValueError, match="costs must have a row and a column for each of 2 classes"):
        DecisionTreeClassifier(costs=[[0, 1, 1]]).fit(X, y)


# -- what trees must bear ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, C45, {"split": "multiway", "pruning": "error_based"}])
def test_odd_tables(options):
    for X, y in [
        (np.zeros((5, 3)), np.arange(5)),  # constant
        (np.arange(6.0)[:, None], np.zeros(6)),  # one class
        (np.ones((1, 2)), ["a"]),  # one row
        (np.repeat(np.arange(3.0)[:, None], 4, axis=0), np.tile([0, 1], 6)),  # equal rows, both classes
        (np.full((4, 2), np.nan), [0, 1, 0, 1]),  # nothing is known
    ]:
        model = DecisionTreeClassifier(**options).fit(X, y)
        assert model.predict(X).shape == (len(X),)
        assert model.predict_proba(X).sum(axis=1) == pytest.approx(np.ones(len(X)))


def test_a_deep_tree():
    """Every split takes one row off: three thousand levels, no recursion."""
    n = 3000
    X = np.arange(n, dtype=float)[:, None]
    weight = 2.0 ** np.linspace(0, 900, n)
    model = DecisionTreeRegressor(criterion="absolute_error", max_depth=n).fit(X, np.cumsum(np.ones(n)) % 2, weight)
    assert model.score(X, np.cumsum(np.ones(n)) % 2, weight) == 1.0
    assert len(model.text().splitlines()) == model.tree_.node_count - 1


def test_offsets_and_scales_change_nothing():
    rng = np.random.default_rng(6)
    X = np.round(rng.standard_normal((200, 3)) * 1024) / 1024
    y = X[:, 0] > X[:, 1]
    z = X[:, 0] + rng.standard_normal(200)
    plain = DecisionTreeClassifier().fit(X, y)
    for moved in (X + 1e9, X * 2.0**-900, X * 2.0**900):
        assert (DecisionTreeClassifier().fit(moved, y).apply(moved) == plain.apply(X)).all()
    numbers = DecisionTreeRegressor(max_depth=5).fit(X, z)
    for scale in (2.0**-600, 2.0**600):
        model = DecisionTreeRegressor(max_depth=5).fit(X, z * scale)
        assert (model.predict(X) / scale == numbers.predict(X)).all()
    far = DecisionTreeRegressor(max_depth=5).fit(X, z + 2.0**30)
    assert (far.apply(X) == numbers.apply(X)).all()
    outlier = np.append(z, 1e15)  # one value far away takes nothing from the others
    with_it = DecisionTreeRegressor().fit(np.vstack([X, [[99.0, 0, 0]]]), outlier)
    assert with_it.predict(X) == pytest.approx(z, abs=1e-12)


def test_the_order_of_rows_changes_no_bit():
    rng = np.random.default_rng(7)
    X, y, weight = rng.standard_normal((500, 4)), rng.standard_normal(500), rng.random(500)
    order = rng.permutation(500)
    a = DecisionTreeRegressor(min_samples_leaf=5).fit(X, y, weight).tree_
    b = DecisionTreeRegressor(min_samples_leaf=5).fit(X[order], y[order], weight[order]).tree_
    for name in ("feature", "threshold", "impurity", "value", "weighted_n_node_samples"):
        assert np.array_equal(getattr(a, name), getattr(b, name)), name


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"split": "many"}, "split must be one of 'binary', 'multiway'"),
        ({"pruning": "yes"}, "pruning must be one of"),
        ({"confidence": 1.0}, "confidence must lie between 0 and 1"),
        ({"missing": "mean"}, "missing must be one of"),
        ({"criterion": "mse"}, "criterion must be one of"),
        ({"max_depth": 0}, "max_depth must be a whole number of at least 1"),
        ({"min_samples_leaf": 1.5}, "min_samples_leaf must be a whole number of rows"),
        ({"split": "multiway", "max_leaf_nodes": 5}, "max_leaf_nodes must be None with split='multiway'"),
        ({"criterion": "gain_ratio", "splitter": "random"}, "splitter must be 'best'"),
        ({"max_features": 9}, "max_features must be at most the number of columns, 2"),
        ({"monotonic_cst": [1, 0], "categorical_features": [0]}, "column 0 is a category"),
    ],
)
def test_parameters_that_make_no_sense(options, words):
    with pytest.raises(ValueError, match=words):
        DecisionTreeClassifier(**options).fit(np.eye(2), [0, 1])


def test_bad_targets_are_named():
    X = np.arange(6.0)[:, None]
    with pytest.raises(ValueError, match="Input y contains NaN: first at row 3"):
        DecisionTreeRegressor().fit(X, [0, 1, 2, np.nan, 4, 5])
    with pytest.raises(ValueError, match="negative which is not allowed for Poisson regression: -1 is the least"):
        DecisionTreeRegressor(criterion="poisson").fit(X, [0, 1, -1, 3, 4, 5])
    with pytest.raises(ValueError, match="Input X contains infinity: first at row 1"):
        DecisionTreeClassifier().fit([[0.0], [np.inf]], [0, 1])


# -- several targets ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_levels_are_divided_best_for_several_targets(criterion):
    rng = np.random.default_rng(3)
    levels, labels = rng.integers(0, 6, 120), np.stack([rng.integers(0, 3, 120), rng.integers(0, 2, 120)], axis=1)
    X = pd.DataFrame({"level": pd.Categorical(levels)})
    tree = DecisionTreeClassifier(max_depth=1, criterion=criterion).fit(X, labels).tree_
    sides = [np.isin(levels, some) for size in (1, 2, 3) for some in itertools.combinations(range(6), size)]

    def after(left):
        parts = [(own[side], np.ones(side.sum())) for side in (left, ~left) for own in labels.T]
        return sum(mass.sum() * impurity(own, mass, criterion) for own, mass in parts)

    found = (tree.impurity * tree.weighted_n_node_samples)[1:].sum()
    assert found == pytest.approx(min(map(after, sides)) / 2, abs=1e-9)


def test_several_targets_in_words():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    model = DecisionTreeClassifier().fit(X, [["a", "x"], ["a", "y"], ["b", "y"], ["b", "y"]])
    assert model.text().splitlines() == ["x0 <= 1.5", "|   x0 <= 0.5: a, x (1)", "|   x0 > 0.5: a, y (1)",
                                         "x0 > 1.5: b, y (2)"]  # fmt: skip
    assert "b, y" in model.svg() and model.sample(X, 0, n=3).shape == (3, 4, 2)
    np.testing.assert_array_equal(model.predict([[0.2], [9.0]]), [["a", "x"], ["b", "y"]])


@pytest.mark.parametrize(
    "settings",
    [{"split": "multiway"}, {"missing": "fractions"}, {"pruning": "error_based"}, {"costs": [[0, 1], [1, 0]]},
     {"method": "histogram"}, {"criterion": "gain_ratio"}, {"class_weight": {0: 2.0}}, {"monotonic_cst": [1]}],
    ids=str,
)  # fmt: skip
def test_what_takes_one_target_says_so(settings):
    with pytest.raises(ValueError, match="columns|outputs"):
        DecisionTreeClassifier(**settings).fit([[0.0], [1.0], [2.0]], [[0, 0], [0, 1], [1, 1]])
    with pytest.raises(ValueError, match="one label"):
        DecisionTreeClassifier().fit([[0.0], [1.0]], [[0, 0], [1, 1]]).rules()
