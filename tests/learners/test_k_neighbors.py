"""Nearest neighbours: ties, order, weights, tables, chunks, and what is refused."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sparse

import sumlearn as sl
from sumlearn import KNeighborsClassifier, KNeighborsRegressor
from sumlearn.data import load_example
from sumlearn.learners.lazy.parts.neighbour_lists import lists_of
from sumlearn.learners.lazy.parts.rows_in_order import RowsInOrder
from sumlearn.learners.lazy.parts.shells import Shells
from sumlearn.learners.lazy.parts.spaces import space_of
from sumlearn.saving.sharing import shared
from sumlearn.statistics.warnings import UnseenLevelsWarning

RNG = np.random.default_rng(0)
GRID = np.round(RNG.standard_normal((90, 2)))  # many are as far away as others, or the same
Y = RNG.standard_normal(90)
LABELS = np.array(["low", "middle", "top"])[RNG.integers(0, 3, 90)]
ASKED = np.round(2 * RNG.standard_normal((40, 2))) / 2
KINDS = [(KNeighborsRegressor, Y), (KNeighborsClassifier, LABELS)]


def answers(model, X):
    return model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X)


def by_hand(X, y, mass, q, k):
    """All rows as near as the one at which the weight of k is reached."""
    away = np.sqrt(((X - q) ** 2).sum(axis=1))
    radius = next(r for r in np.unique(away) if mass[away <= r].sum() >= k)
    near = away <= radius
    return np.average(y[near], weights=mass[near])


@pytest.mark.parametrize("k", [1, 4])
def test_all_that_are_tied_vote(k):
    mass = RNG.integers(1, 4, 90).astype(float)
    for weight in (np.ones(90), mass, 0.25 * mass):
        found = KNeighborsRegressor(k).fit(GRID, Y, weight).predict(ASKED)
        np.testing.assert_allclose(found, [by_hand(GRID, Y, weight, q, k) for q in ASKED], rtol=1e-12)


CUBE = np.stack(np.meshgrid(*[np.arange(-12.0, 13.0)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
RADII = {2.0: 146.0**0.5, 1.0: 9.0, np.inf: 5.0}  # by the power: 192, 326 and 602 points are as far away


@pytest.mark.parametrize("p", RADII)
@pytest.mark.parametrize("tied", [3, 14, 15, 100, 170, 600])
@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_more_are_tied_than_a_list_has_room_for(p, tied, weights):
    """Lists have room for some that are tied with the last, then for more, then all of them are looked for."""
    sizes, radius, rng = np.linalg.norm(CUBE, p, axis=1), RADII[p], np.random.default_rng(tied)
    ring = rng.permutation(np.flatnonzero(np.isclose(sizes, radius)))[:tied]
    X = rng.permutation(np.vstack([CUBE[ring], CUBE[sizes > radius + 1.0][::9], CUBE[sizes == 1.0][:1]]))
    y, mass = rng.standard_normal(len(X)), rng.integers(1, 4, len(X)).astype(float)
    away = np.linalg.norm(X, p, axis=1)
    near = away < radius + 0.5  # the nearest one weighs 3 at most, so one of the tied is the fourth
    share = mass[near] if weights == "uniform" else mass[near] / away[near]
    model = KNeighborsRegressor(4, p=p, weights=weights)
    found = model.fit(X, y, mass).predict([[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    np.testing.assert_allclose(found, np.average(y[near], weights=share), rtol=1e-11)
    halves = (KNeighborsRegressor(4, p=p, weights=weights).fit(X[i::2], y[i::2], mass[i::2]) for i in (0, 1))
    np.testing.assert_allclose(sum(halves).predict([[0.0, 0.0, 0.0]]), found[:1], rtol=1e-11)
    np.testing.assert_allclose(model.predict_over([[0.0, 0.0, 0.0]], X, y, mass), found[:1], rtol=1e-11)


def test_decimals_that_are_tied_are_so_in_spite_of_rounding():
    X, y = np.array([[0.1], [0.7], [0.5]]), np.array([1.0, 3.0, 9.0])  # 0.4 - 0.1 > 0.7 - 0.4 in floating point
    assert 0.4 - 0.1 != 0.7 - 0.4
    assert KNeighborsRegressor(2).fit(X, y).predict([[0.4]])[0] == pytest.approx(13 / 3)


@pytest.mark.parametrize(("kind", "y"), KINDS)
@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_order_does_not_matter_where_all_vote(kind, y, weights):
    order = RNG.permutation(90)
    a, b = (kind(3, weights=weights).fit(GRID[part], y[part]) for part in (order[:31], order[31:]))
    expected = answers(kind(3, weights=weights).fit(GRID, y), ASKED)
    np.testing.assert_allclose(answers(a + b, ASKED), expected, rtol=1e-13)
    np.testing.assert_allclose(answers(b + a, ASKED), expected, rtol=1e-13)


@pytest.mark.parametrize(("kind", "y"), KINDS)
def test_first_is_the_order_of_learning(kind, y):
    a, b = kind(3, ties="first").fit(GRID[:40], y[:40]), kind(3, ties="first").fit(GRID[40:], y[40:])
    whole = kind(3, ties="first").fit(GRID, y)
    for model in (a + b, kind(3, ties="first").fit(GRID[:40], y[:40]).partial_fit(GRID[40:], y[40:])):
        assert np.array_equal(answers(model, ASKED), answers(whole, ASKED))
        assert np.array_equal(model.kneighbors(ASKED)[1], whole.kneighbors(ASKED)[1])
    assert np.array_equal(answers(whole - b, ASKED), answers(a, ASKED))
    assert not np.array_equal(answers(b + a, ASKED), answers(whole, ASKED))
    away = np.sqrt(((GRID[None] - ASKED[:, None]) ** 2).sum(axis=2))
    assert np.array_equal(whole.kneighbors(ASKED, 7)[1], np.argsort(away, axis=1, kind="stable")[:, :7])


def test_rows_learnt_in_parts_are_forgotten_as_wholes():
    rows = RowsInOrder.of([[1.0], [2.0], [1.0]], [5.0, 6.0, 5.0], [0.5, 1.0, 0.5])
    left = rows - RowsInOrder.of([[1.0]], [5.0])
    assert left.X.tolist() == [[2.0]] and left.rows == 1
    left = rows - RowsInOrder.of([[1.0]], [5.0], [0.75])
    assert left.X.tolist() == [[1.0], [2.0]] and left.mass.tolist() == [0.25, 1.0]  # the last goes first
    for other, message in (
        (RowsInOrder.of([[1.0]], [6.0]), "never merged"),
        (RowsInOrder.of([[2.0]], [6.0], [1.5]), "it was merged with weight 1"),
        (RowsInOrder.of([[1.0], [2.0]], [5.0, 6.0], [2.0, 2.0]), "cannot remove 2 rows of weight 4"),
        (RowsInOrder.of([[1.0, 2.0]], [6.0]), "differ in columns"),
        (RowsInOrder.of([[1.0]], ["a"], labels=True), "labels"),
    ):
        with pytest.raises(ValueError, match=message):
            rows - other


@pytest.mark.parametrize("kind", [KNeighborsClassifier, KNeighborsRegressor])
@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_a_row_that_came_in_parts_is_left_out_whole(kind, weights):
    """Else its other parts would be its nearest neighbour, and one neighbour the best number."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)).round(1), rng.integers(2, size=60)
    whole = kind("loo", weights=weights).fit(X, y)
    parts = kind("loo", weights=weights).fit(X, y, np.full(60, 0.25)).partial_fit(X, y, sample_weight=np.full(60, 0.75))
    assert parts.n_neighbors_ == whole.n_neighbors_ > 1
    assert np.allclose(parts.loo_scores_, whole.loo_scores_, rtol=1e-12)
    assert (kind("loo", weights=weights).fit(X, y, np.full(60, 0.25)).loo_scores_).max() < 1.0


def test_labels_come_and_go():
    model = KNeighborsClassifier(1).fit([[0.0], [1.0]], ["b", "c"])
    more = model + KNeighborsClassifier(1).fit([[5.0]], ["a"])
    assert more.classes_.tolist() == ["a", "b", "c"] and more.predict([[4.0], [0.9]]).tolist() == ["a", "c"]
    assert more.forget([[5.0]], ["a"]).classes_.tolist() == ["b", "c"]
    fixed = KNeighborsClassifier(1).partial_fit([[0.0]], [3], classes=[1, 2, 3])
    assert fixed.predict_proba([[9.0]]).tolist() == [[0.0, 0.0, 1.0]]


def test_fewer_rows_than_neighbours():
    model = KNeighborsRegressor(5).fit([[0.0], [1.0]], [1.0, 3.0])
    assert model.predict([[9.0]]).tolist() == [2.0]
    assert KNeighborsClassifier("loo").fit([[0.0]], ["a"]).predict([[1.0]]).tolist() == ["a"]
    with pytest.raises(ValueError, match="Expected n_neighbors <= n_samples_fit, but n_neighbors = 5"):
        model.kneighbors([[0.0]])
    with pytest.raises(ValueError, match="two or more"):
        KNeighborsClassifier(1).fit([[0.0]], ["a"]).predict(None)


@pytest.mark.parametrize(("kind", "y"), KINDS)
@pytest.mark.parametrize("ties", ["all", "first"])
@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_lists_over_chunks_are_those_of_all_rows(kind, y, ties, weights, tmp_path):
    model = kind(4, ties=ties, weights=weights)
    mass = RNG.integers(0, 3, 90).astype(float)
    expected = model.fit(GRID, y, mass).predict(ASKED)
    found = model.predict_over(ASKED, GRID, y, mass)
    assert (found == expected).all() if kind is KNeighborsClassifier else np.allclose(found, expected, rtol=1e-12)
    pd.DataFrame({"u": GRID[:, 0], "v": GRID[:, 1], "y": y, "w": mass}).to_parquet(tmp_path / "rows.parquet")
    found = model.predict_over(ASKED, str(tmp_path / "rows.parquet"), "y", "w")
    assert (found == expected).all() if kind is KNeighborsClassifier else np.allclose(found, expected, rtol=1e-12)


def shells_of(part, k=4.0, ties="all"):
    rows = RowsInOrder.of(GRID[part], Y[part])
    space = space_of("euclidean", 2.0, None, None, np.zeros(2))
    return Shells.of(lists_of(space.search(rows.X), ASKED, k, rows.mass), rows.y, k, ties, rows)


def test_shells_add_up_in_any_order_and_stay_small():
    a, b, c = (shells_of(slice(start, start + 30)) for start in (0, 30, 60))
    sums = [(a + b) + c, a + (b + c), (c + a) + b, shells_of(slice(0, 90)), (a + b) + (c + a.zero())]
    for other in sums[1:]:
        assert np.array_equal(other.starts, sums[0].starts) and np.array_equal(other.distance, sums[0].distance)
        assert np.array_equal(other.mass, sums[0].mass) and other.count == 90
        np.testing.assert_allclose(other.sums, sums[0].sums, rtol=1e-12, atol=1e-13)
    assert (np.diff(sums[0].starts) <= 4).all()
    with pytest.raises(ValueError, match="other queries"):
        a + shells_of(slice(0, 9), k=2.0)


# -- levels, gaps and tables -----------------------------------------------------------------------------------------


TABLE = pd.DataFrame(
    {
        "size": [1.0, 2.0, np.nan, 4.0, 5.0, 6.0],
        "city": ["Rome", "Oslo", "Rome", None, "Paris", "Oslo"],
        "kind": ["x", "x", "y", "y", "x", "y"],
    }
)


def mixed_by_hand(a, b):
    size = TABLE["size"].to_numpy()
    z = (np.array([a["size"], b["size"]], dtype=float) - np.nanmean(size)) / np.nanstd(size)
    gap = np.isnan(z)
    total = 0.5 * np.diff(np.where(gap, 0.0, z))[0] ** 2 + 0.5 * (gap[0] != gap[1])
    for name in ("city", "kind"):
        one, other = (None if pd.isna(row[name]) else row[name] for row in (a, b))
        total += one != other
    return np.sqrt(total)


def test_mixed_tables_by_the_stated_rule():
    model = KNeighborsClassifier(1, metric="mixed").fit(TABLE, list("abcdef"))
    distances, numbers = model.kneighbors(TABLE, 6)
    expected = np.array([[mixed_by_hand(a, b) for _, b in TABLE.iterrows()] for _, a in TABLE.iterrows()])
    np.testing.assert_allclose(np.take_along_axis(expected, numbers, axis=1), distances, rtol=1e-12, atol=1e-12)
    assert model.predict(TABLE).tolist() == list("abcdef")
    new = pd.DataFrame({"size": [1.0], "city": ["Cairo"], "kind": ["x"]})
    with pytest.warns(UnseenLevelsWarning, match="Cairo"):
        assert model.kneighbors(new, 1)[0][0, 0] == pytest.approx(1.0)  # a level that nobody has is one apart


def test_hamming_of_words_and_of_codes():
    model = KNeighborsRegressor(1, metric="hamming").fit(TABLE[["city", "kind"]], np.arange(6.0))
    assert model.kneighbors(TABLE[["city", "kind"]].iloc[[0]], 6)[0].tolist() == [[0.0, 0.5, 0.5, 0.5, 1.0, 1.0]]
    codes = RNG.integers(0, 3, (60, 5)).astype(float)
    own = KNeighborsRegressor(1, metric="hamming").fit(codes, np.arange(60.0)).kneighbors(codes, 60)[0]
    np.testing.assert_array_equal(own, np.sort((codes[:, None] != codes[None]).mean(axis=2), axis=1))


def test_tables_of_other_levels_are_not_added():
    halves = [TABLE.iloc[:3], TABLE.iloc[3:]]
    a, b = (KNeighborsRegressor(1, metric="mixed").fit(half, np.arange(3.0)) for half in halves)
    with pytest.raises(ValueError, match="other levels"):
        a + b
    declared = TABLE.astype({"city": pd.CategoricalDtype(["Oslo", "Paris", "Rome"])})
    model = KNeighborsRegressor(2, metric="mixed")
    assert "merge" in sl.abilities(model)
    whole = KNeighborsRegressor(2, metric="mixed").fit(TABLE[["size", "kind"]], np.arange(6.0))
    a, b = (
        KNeighborsRegressor(2, metric="mixed").fit(half[["size", "kind"]], y)
        for half, y in ((TABLE.iloc[[0, 2, 4]], [0.0, 2.0, 4.0]), (TABLE.iloc[[1, 3, 5]], [1.0, 3.0, 5.0]))
    )
    np.testing.assert_allclose((a + b).predict(TABLE[["size", "kind"]]), whole.predict(TABLE[["size", "kind"]]))
    assert len(declared)


def test_gaps_are_refused_where_nothing_is_said_of_them():
    with pytest.raises(ValueError, match="NaN: first at row 2"):
        KNeighborsRegressor(1).fit(TABLE[["size"]], np.arange(6.0))
    model = KNeighborsRegressor(1, metric="nan_euclidean").fit(TABLE[["size"]].fillna(3.0), np.arange(6.0))
    assert model.predict(pd.DataFrame({"size": [4.2]})).tolist() == [3.0]


# -- in the house ------------------------------------------------------------------------------------------------------


def test_saved_shared_and_in_a_table(tmp_path):
    iris = load_example("iris")
    for model in (KNeighborsClassifier(3), KNeighborsClassifier(3, metric="mixed")):
        model.fit(iris.X, iris.y)
        sl.save(model, tmp_path / "model.sumlearn")
        again = sl.load(tmp_path / "model.sumlearn")
        assert np.array_equal(again.predict_proba(iris.X), model.predict_proba(iris.X))
        assert (again + again).statistic_.rows == 300
        assert any(finding.kind == "rows" for finding in sl.disclosure(model))
        with pytest.raises(ValueError, match="rows"):
            shared(model, 5)
    frame = pd.concat([TABLE] * 4, ignore_index=True)
    y = ["a", "b", "a", "b", "a", "b"] * 4
    for learner in (KNeighborsClassifier(1), KNeighborsClassifier(1, metric="mixed")):
        assert sl.TableModel(learner).fit(frame, y).predict(frame).tolist() == y


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_neighbors": 0}, "n_neighbors must be a whole number of at least 1"),
        ({"n_neighbors": "best"}, "n_neighbors must be one of 'loo'"),
        ({"max_neighbors": 0}, "max_neighbors must be"),
        ({"weights": "near"}, "weights must be one of"),
        ({"ties": "last"}, "ties must be one of"),
        ({"algorithm": "tree"}, "algorithm must be one of"),
        ({"leaf_size": 0}, "leaf_size must be"),
        ({"p": 0}, "p must be positive"),
        ({"metric": "far"}, "metric must be one of"),
        ({"metric": 3}, "metric must be a name or a function"),
        ({"metric": "manhattan", "metric_params": {"V": 1}}, "has 'V', but metric='manhattan' takes none"),
        ({"metric": "seuclidean", "metric_params": {"V": [1.0]}}, "for each of 2 columns"),
        ({"metric_params": {"w": [1.0, -1.0]}}, "not negative for each of 2 columns"),
        ({"metric": "mahalanobis", "metric_params": {"V": [[1.0, 1.0], [1.0, 1.0]]}}, "not positive definite"),
        ({"metric": "precomputed"}, "Negative values in data"),
    ],
)
def test_what_is_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        KNeighborsRegressor(**parameters).fit(GRID, Y).predict(ASKED)


def test_a_metric_of_levels_is_not_set_afterwards():
    model = KNeighborsRegressor(1).fit(GRID, Y).set_params(metric="mixed")
    with pytest.raises(ValueError, match="the rows learnt were numbers: fit anew"):
        model.predict(ASKED)
    look = KNeighborsRegressor(1, metric="mixed").fit(TABLE, np.arange(6.0)).look_
    with pytest.raises(ValueError, match="other levels than those that the look has met"):
        KNeighborsRegressor(1, metric="mixed").with_look(look).fit(TABLE.iloc[:2], [1.0, 2.0])


def test_distances_that_are_given_are_square():
    with pytest.raises(ValueError, match="must be square"):
        KNeighborsRegressor(1, metric="precomputed").fit(np.abs(GRID), Y)
    with pytest.raises(TypeError, match="needs all distances"):
        KNeighborsRegressor(1, metric="precomputed").fit(sparse.eye_array(4).tocsr(), Y[:4])


def test_scales_of_the_rows():
    """Without parameters the covariance and the variances are those of the rows learnt, weights and all."""
    X, mass = RNG.standard_normal((50, 3)) @ RNG.standard_normal((3, 3)), RNG.integers(1, 4, 50).astype(float)
    S = np.cov(X.T, fweights=mass.astype(int), ddof=0)
    for metric, given in (("mahalanobis", {"V": S}), ("seuclidean", {"V": S.diagonal()})):
        own = KNeighborsRegressor(3, metric=metric).fit(X, X[:, 0], mass).kneighbors(X + 0.1)
        told = KNeighborsRegressor(3, metric=metric, metric_params=given).fit(X, X[:, 0]).kneighbors(X + 0.1)
        assert np.array_equal(own[1], told[1])
        np.testing.assert_allclose(own[0] / told[0], (own[0] / told[0])[0, 0], rtol=1e-9)  # one over n - 1, or n


def test_weights_that_say_nothing_are_refused():
    for bad, message in (
        (lambda d: 0.0 * d, "zero weights.* First at row 0"),
        (lambda d: d[:1], "an array of the shape"),
        (lambda d: -1.0 - d, "not negative"),
    ):
        with pytest.raises(ValueError, match=message):
            KNeighborsRegressor(2, weights=bad).fit(GRID, Y).predict(ASKED)
    for model in (KNeighborsRegressor("loo"), KNeighborsRegressor(2, metric="mixed")):
        with pytest.raises(ValueError, match="predict_over needs"):
            model.predict_over(ASKED, GRID, Y)
