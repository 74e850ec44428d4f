"""FCBF against a plain reading of its definition, the numbers of the lecture note, and the laws of its sums."""

from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.metrics import mutual_info_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import sumlearn as sl
from sumlearn.selection import FCBF, Ranker
from sumlearn.statistics import level_counts
from sumlearn.testing import check_learner

rng = np.random.default_rng(0)
LABELS = np.array(["a", "b", "c"])[rng.integers(0, 3, 300)]
LEVELS = rng.integers(0, 4, (300, 8))
LEVELS[:, 2] = (LABELS == "a") + (rng.random(300) < 0.2)
LEVELS[:, 5] = LEVELS[:, 2] + (rng.random(300) < 0.1)
LEVELS[:, 6] = (LABELS == "b") ^ (rng.random(300) < 0.3)


@pytest.fixture(scope="module")
def dna():
    return sl.data.load_example("dna")


def uncertainty(a, b):
    """2 I / (H + H) by scikit-learn: the entropy of a column is its information about itself."""
    entropies = mutual_info_score(a, a) + mutual_info_score(b, b)
    return 2 * mutual_info_score(a, b) / entropies if entropies > 0 else 0.0


def by_definition(Z, y, delta, rivals):
    """Pairs one by one, in the words of Yu & Liu."""
    scores = np.array([uncertainty(z, y) for z in Z.T])
    ranked = [j for j in np.argsort(-scores, kind="stable") if scores[j] >= delta and scores[j] > 1e-12]
    kept = []
    for place, i in enumerate(ranked):
        better = kept if rivals == "survivors" else ranked[:place]
        if not any(uncertainty(Z[:, i], Z[:, j]) >= scores[i] for j in better):
            kept.append(i)
    return scores, kept


@parametrize_with_checks([FCBF()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks([FCBF(bins=4)])
def test_scikit_learn_checks_of_variants(estimator, check):
    check(estimator)


@settings(max_examples=25)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(2, 6),
    st.sampled_from([0.0, 0.01, 0.05]),
    st.sampled_from(["survivors", "all"]),
)
def test_is_its_definition(seed, levels, delta, rivals):
    draw = np.random.default_rng(seed)
    y = draw.integers(0, 3, 120)
    Z = draw.integers(0, levels, (120, 6))
    for j in range(1, 6, 2):
        Z[:, j] = np.where(draw.random(120) < 0.6, y, Z[:, j - 1])
    scores, kept = by_definition(Z, y, delta, rivals)
    model = FCBF(delta, rivals=rivals).fit(Z, y)
    np.testing.assert_allclose(model.scores_, scores, atol=1e-12)
    assert model.order_.tolist() == kept
    assert sorted(kept) == model.get_support(indices=True).tolist()


def test_who_dropped_whom():
    model = FCBF().fit(LEVELS, LABELS)
    pairs = np.array([[uncertainty(a, b) for b in LEVELS.T] for a in LEVELS.T])
    kept = set(model.order_.tolist())
    assert {2, 6} <= kept and 5 not in kept
    for j, by in enumerate(model.dropped_by_):
        assert (by == -1) == (j in kept)
        if by >= 0:
            assert by in kept and model.scores_[by] >= model.scores_[j] and pairs[by, j] >= model.scores_[j]
    assert (FCBF(0.05).fit(LEVELS, LABELS).dropped_by_ == -2).sum() == (model.scores_ < 0.05).sum()


def test_of_two_copies_one_stays():
    Z = np.column_stack([LEVELS[:, 2], LEVELS[:, 2], LEVELS[:, 6]])
    for rivals in ("survivors", "all"):
        assert FCBF(rivals=rivals).fit(Z, LABELS).dropped_by_.tolist() == [-1, 0, -1]


def test_dna_in_parts(dna):
    """Three sites, one of which leaves again: the bits of one fit."""
    parts = [FCBF().fit(dna.X[i::3], dna.y[i::3]) for i in range(3)]
    whole = FCBF().fit(dna.X, dna.y)
    assert (sum(parts).scores_ == whole.scores_).all()
    left = whole.forget(dna.X[::3], dna.y[::3])
    assert (left.scores_ == (parts[1] + parts[2]).scores_).all()
    assert left.order_.tolist() == (parts[1] + parts[2]).order_.tolist()


@pytest.mark.parametrize("model", [FCBF(), FCBF(0.02, rivals="all")], ids=["default", "all rivals"])
def test_adds_up(model):
    check_learner(model, LEVELS, LABELS)


def test_weights_are_numbers_of_rows():
    weight = rng.integers(0, 3, 300)
    weighted = FCBF().fit(LEVELS, LABELS, sample_weight=weight)
    repeated = FCBF().fit(np.repeat(LEVELS, weight, axis=0), np.repeat(LABELS, weight))
    assert (weighted.statistic_.pairs == repeated.statistic_.pairs).all()  # by row, and by bits
    assert (weighted.scores_ == repeated.scores_).all()


def test_many_levels_are_counted_alike():
    """Columns of many levels are counted row by row, those of few by bits: both are the Gram matrix of indicators."""
    for levels in (2, 5, 60):
        Z = rng.integers(0, levels, (500, 3))
        Z[:, 1] = 7
        counts = FCBF().fit(Z, np.arange(500) % 2).statistic_
        flags = np.concatenate([z[:, None] == np.unique(z) for z in Z.T], axis=1).astype(float)
        assert (counts.pairs == flags.T @ flags).all()


def test_any_source_gives_the_same_bits(tmp_path):
    names = [f"x{j}" for j in range(8)]
    whole = FCBF().fit(LEVELS, LABELS)
    frame = pd.DataFrame(LEVELS, columns=names)
    path = tmp_path / "table.parquet"
    pl.DataFrame(frame).with_columns(target=LABELS).write_parquet(path)
    array = pytest.importorskip("dask.array")
    blocks = array.from_array(LEVELS, chunks=(100, 8)), array.from_array(LABELS, chunks=100)
    for found in (
        FCBF().fit(frame, LABELS),
        FCBF().fit(pl.DataFrame(frame), LABELS),
        FCBF().fit(str(path), "target"),
        FCBF().fit(*blocks),
        FCBF().fit(LEVELS.astype(np.uint8), LABELS),
        FCBF().fit(LEVELS + 0.5, LABELS),
    ):
        assert (found.scores_ == whole.scores_).all()
        assert found.order_.tolist() == whole.order_.tolist()
    named = FCBF().fit(frame, LABELS)
    assert list(named.get_feature_names_out()) == [f"x{j}" for j in sorted(whole.order_)]


def test_continuous_columns_in_bins(tmp_path):
    Z = rng.standard_normal((2000, 4))
    y = (Z[:, 1] + 0.3 * rng.standard_normal(2000) > 0).astype(int)
    Z[:, 3] = Z[:, 1] + 0.05 * rng.standard_normal(2000)
    model = FCBF(0.02, bins=8).fit(Z, y)
    assert model.order_.tolist() in ([1], [3])
    edges = model.edges_
    codes = np.column_stack([np.searchsorted(e, z, side="right") for e, z in zip(edges, Z.T, strict=True)])
    np.testing.assert_allclose(model.scores_, FCBF().fit(codes, y).scores_, atol=1e-14)
    path = tmp_path / "table.parquet"
    pl.DataFrame(Z, schema=list("abcd")).with_columns(y=y).write_parquet(path)
    assert (FCBF(0.02, bins=8).fit(str(path), "y").scores_ == model.scores_).all()
    fixed = FCBF(0.02, bins=edges)
    together = clone(fixed).fit(Z[:900], y[:900]) + clone(fixed).fit(Z[900:], y[900:])
    assert (together.scores_ == model.scores_).all()


def test_is_saved(tmp_path):
    model = FCBF(bins=3).fit(LEVELS, LABELS)
    sl.save(model, tmp_path / "model")
    copy = sl.load(tmp_path / "model")
    assert (copy.scores_ == model.scores_).all()
    more = copy.partial_fit(LEVELS[:50], LABELS[:50])
    assert (more.scores_ == model.partial_fit(LEVELS[:50], LABELS[:50]).scores_).all()


@pytest.mark.parametrize(
    "model, y, message",
    [
        (FCBF(1.5), LABELS, "delta"),
        (FCBF("much"), LABELS, "delta"),
        (FCBF(rivals="some"), LABELS, "rivals"),
        (FCBF(bins=1000), LABELS, "bins"),
        (FCBF(), np.zeros(300), "one class"),
    ],
)
def test_refusals_name_what_is_wrong(model, y, message):
    with pytest.raises(ValueError, match=message):
        model.fit(LEVELS, y)


def test_memory_is_checked_before_it_is_taken(monkeypatch):
    monkeypatch.setattr(level_counts, "available_memory", lambda: 10_000)
    with pytest.raises(ValueError, match="all pairs of the .* levels of 8 columns need .* fewer columns"):
        FCBF().fit(LEVELS, LABELS)


def test_constant_columns_and_no_relevant_column():
    Z = np.column_stack([LEVELS[:, 2], np.zeros(300, int)])
    assert FCBF().fit(Z, LABELS).dropped_by_.tolist() == [-1, -2]
    with pytest.warns(UserWarning, match="No features were selected"):
        assert FCBF(0.9).fit(Z, LABELS).transform(Z).shape == (300, 0)


@pytest.mark.parametrize("times", [1, 7, 1000])
def test_an_independent_column_is_not_relevant_by_rounding(times):
    """Every level as often in each class: I = 0, whatever the logarithms make of it."""
    Z = np.tile([[0, 0], [1, 0], [2, 1], [0, 1], [1, 0], [2, 0]], (times, 1))
    y = np.tile([0, 0, 0, 1, 1, 1], times)
    model = FCBF().fit(Z, y)
    assert model.scores_.tolist() == [0.0, 0.0]
    assert model.dropped_by_.tolist() == [-2, -2]


WORDS = np.array(["red", "green", "blue", "grey", "pink", "plum"])[LEVELS]
TABLES = {
    "array of words": lambda: WORDS,
    "array of objects": lambda: WORDS.astype(object),
    "pandas": lambda: pd.DataFrame(WORDS, columns=list("stuvwxyz")),
    "pandas categories": lambda: pd.DataFrame(WORDS, columns=list("stuvwxyz")).astype("category"),
    "polars": lambda: pl.DataFrame({name: WORDS[:, j] for j, name in enumerate("stuvwxyz")}),
    "words and numbers": lambda: pd.DataFrame(WORDS, columns=list("stuvwxyz")).assign(u=LEVELS[:, 2]),
}


@pytest.mark.parametrize("kind", TABLES)
def test_words_and_categories_are_levels(kind):
    """The same scores as codes have; parts add up, rows are forgotten, and the columns that are left are words."""
    table, expected = TABLES[kind](), FCBF(0.01).fit(LEVELS, LABELS)
    model = FCBF(0.01).fit(table, LABELS)
    assert model.scores_ == pytest.approx(expected.scores_, abs=1e-14)
    assert model.order_.tolist() == expected.order_.tolist()
    parts = [FCBF(0.01).fit(table[a:b], LABELS[a:b]) for a, b in ((0, 130), (130, 300))]
    assert (parts[0] + parts[1]).scores_ == pytest.approx(expected.scores_, abs=1e-14)
    parts[0].partial_fit(table[130:300], LABELS[130:300]).forget(table[:130], LABELS[:130])
    assert parts[0].scores_ == pytest.approx(parts[1].scores_, abs=1e-14)
    chosen = np.asarray(model.transform(table))
    assert chosen.shape == (300, len(model.order_)) and chosen[0, 0] in (*WORDS.ravel(), *LEVELS.ravel())
    ranker = Ranker("mutual_information").fit(table, LABELS)
    assert ranker.scores_ == pytest.approx(Ranker("mutual_information").fit(LEVELS, LABELS).scores_, abs=1e-14)


def test_a_missing_word_is_named_and_the_target_may_be_a_column():
    frame = pd.DataFrame(WORDS, columns=list("stuvwxyz"))
    named = FCBF().fit(frame.assign(kind=LABELS), "kind")
    assert named.order_.tolist() == FCBF().fit(frame, LABELS).order_.tolist()
    frame.loc[7, "u"] = None
    with pytest.raises(ValueError, match="NaN.*row 7.*u|NaN.*u.*row 7"):
        FCBF().fit(frame, LABELS)


def places(frame, folder):
    """One table as a frame, as files with types and without, and on a cluster."""
    dd = pytest.importorskip("dask.dataframe")
    frame.to_csv(folder / "table.csv", index=False)
    frame.to_parquet(folder / "table.parquet")
    halves = [folder / "one.csv", folder / "two.csv"]
    frame[:40].to_csv(halves[0], index=False)
    frame[40:].to_csv(halves[1], index=False)
    cluster = dd.from_pandas(frame, npartitions=3, sort=False)
    return frame, folder / "table.csv", folder / "table.parquet", list(map(str, halves)), cluster


@pytest.mark.parametrize("bins", [None, 4])
def test_words_in_files_and_on_clusters(tmp_path, bins):
    """The same scores everywhere; words stay levels where numbers are put into bins; later rows are read alike."""
    codes, size = LEVELS[:120, [2, 5, 6]], np.random.default_rng(7).integers(0, 9, 120) / 2
    words = np.array(["7", "grün", "8"])[codes[:, 1]]
    frame = pd.DataFrame({"hue": WORDS[:120, 2], "size": size, "kind": words})
    frame["kind"] = frame["kind"].astype("category")
    frame["day"] = pd.to_datetime("2024-01-01") + pd.to_timedelta(codes[:, 2], "D")
    frame["y"] = LABELS[:120]
    edges = None if bins is None else Ranker("mutual_information", bins=bins).fit(size[:, None], frame.y).edges_[0]
    binned = size if edges is None else np.searchsorted(edges, size, side="right")
    plain = np.column_stack([codes[:, 0], binned, codes[:, 1], codes[:, 2]])
    expected, ranked = FCBF().fit(plain, LABELS[:120]), Ranker("mutual_information").fit(plain, LABELS[:120])
    for table in places(frame, tmp_path):
        model = FCBF(bins=bins).fit(table, "y")
        assert model.scores_ == pytest.approx(expected.scores_, abs=1e-14)
        assert model.order_.tolist() == expected.order_.tolist()
        assert Ranker("mutual_information", bins=bins).fit(table, "y").scores_ == pytest.approx(ranked.scores_)
    model = FCBF(bins=bins).fit(tmp_path / "table.csv", "y")
    digits = frame[frame.kind != "grün"]
    digits.to_csv(tmp_path / "digits.csv", index=False)  # the words of this file look like numbers
    model.partial_fit(tmp_path / "digits.csv", "y").forget(digits, "y")
    assert model.scores_ == pytest.approx(expected.scores_, abs=1e-14)
    shared = None if bins is None else model.edges_
    sites = [FCBF(bins=shared).fit(table, "y") for table in places(frame, tmp_path)[1:4]]
    assert sum(sites[1:], sites[0]).scores_ == pytest.approx(expected.scores_, abs=1e-14)
    chosen = FCBF().fit(tmp_path / "table.csv", "y").transform(tmp_path / "table.csv")
    assert set(frame.hue) & set(chosen.ravel())


def test_a_column_is_words_or_numbers():
    frame = pd.DataFrame({"u": ["a", "b"] * 20, "v": np.arange(40) % 3})
    y = np.arange(40) // 20
    words = FCBF().fit(frame, y)
    with pytest.raises(ValueError, match="column 0 holds words in some rows and numbers in others"):
        words.partial_fit(frame.assign(u=np.arange(40) % 2), y)
    assert words.statistic_.rows == 40
    with pytest.raises(ValueError, match="column 'u' holds words, but bins has edges of numbers for it"):
        FCBF(bins=[[0.5], [0.5]]).fit(frame, y)
    names = pd.DataFrame({"u": [f"name {i}" for i in range(300)]})
    with pytest.raises(ValueError, match="'u' has more than 256 levels .300 in 300 rows.: put words together"):
        FCBF().fit(names, np.arange(300) % 2)


@pytest.mark.parametrize("make", [FCBF, partial(Ranker, "mutual_information")])
def test_other_bins_do_not_follow_from_the_sums(make):
    """They are refused; edges that are the same are not, and are cut with the columns."""
    rng = np.random.default_rng(4)
    X = rng.standard_normal((60, 3))
    y = (X[:, 0] > 0).astype(int)
    model = make(bins=4).fit(X, y)
    scores, edges = model.scores_, list(model.edges_)
    assert model.set_params(bins=edges).scores_.tolist() == scores.tolist()
    for bins in (8, None, [*edges[:2], edges[2] + 1.0]):
        with pytest.raises(AttributeError, match="bins has changed since the sums were counted.*fit anew"):
            make(bins=4).fit(X, y).set_params(bins=bins).scores_  # noqa: B018
    some = [2, 0]
    cut = make(bins=edges).fit(X[:30], y[:30]).restrict(some)
    later = make(bins=[edges[j] for j in some]).fit(X[30:][:, some], y[30:])
    assert (cut + later).scores_ == pytest.approx(scores[some], rel=1e-12)
