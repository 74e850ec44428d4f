"""Windows and fading: equal to a fit on the rows that count, with the weights that they have."""

import copy
import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone

import sumlearn as sl
from sumlearn.data import load_example
from sumlearn.saving import describe

HOUR = 3600 * 10**9


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1500, 4)) + np.array([0.0, 1e6, -5.0, 0.0])
    y = X @ [1.0, -2.0, 0.5, 0.0] + rng.standard_normal(1500)
    return X, y, np.array(["low", "middle", "top"])[np.digitize(y - np.median(y), [-1.0, 1.0])]


def answers(model, X):
    ask = model.predict_proba if hasattr(model, "predict_proba") else model.predict
    return np.asarray(ask(X), dtype=float)


LEARNERS = [
    sl.LinearRegression(),
    sl.Ridge(alpha=3.0),
    sl.GaussianNB(),
    sl.LinearDiscriminantAnalysis(),
    sl.QuadraticDiscriminantAnalysis(),
]


def fade(ages, half_life):
    return 2.0 ** (-np.asarray(ages, dtype=float) / half_life)


def by_blocks(model, X, y, sizes, **more):
    start, step = 0, 0
    while start < len(X):
        stop = start + sizes[step % len(sizes)]
        model.partial_fit(X[start:stop], y[start:stop], **{name: values[start:stop] for name, values in more.items()})
        start, step = stop, step + 1
    return model


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_each_is_the_fit_on_the_rows_that_count(rows, learner):
    X, numbers, labels = rows
    y = labels if hasattr(learner, "predict_proba") else numbers
    weight = np.random.default_rng(1).integers(0, 3, len(X)).astype(float)
    there = weight > 0
    last = np.flatnonzero(there)[-400:]
    for model, which, factor in (
        (sl.SlidingWindow(learner, size=400), last, None),
        (sl.TumblingWindow(learner, every=300), np.flatnonzero(there)[600:900], None),
        (sl.Fading(learner, half_life=120.0), np.flatnonzero(there), fade(np.arange(there.sum())[::-1], 120.0)),
    ):
        model.fit(X, y, sample_weight=weight)
        own = weight[which] if factor is None else weight[which] * factor
        right = answers(clone(learner).fit(X[which], y[which], sample_weight=own), X)
        assert np.abs(answers(model, X) - right).max() <= 1e-12 * np.abs(right).max()
        parts = by_blocks(clone(model), X, y, (1, 1, 130, 7), sample_weight=weight)
        assert np.abs(answers(parts, X) - right).max() <= 1e-12 * np.abs(right).max()


@pytest.mark.parametrize("size", [1, 5, 127, 128, 129, 400, 5000])
def test_windows_of_every_length(rows, size):
    X, y = rows[0][:650], rows[1][:650]
    blocks = by_blocks(sl.SlidingWindow(sl.Ridge(), size=size), X, y, (1, 300, 64, 128))
    single = by_blocks(sl.SlidingWindow(sl.Ridge(), size=size), X, y, (1,))
    right = sl.Ridge().fit(X[-size:], y[-size:])
    for model in (blocks, single):
        assert model.rows_ == min(size, len(X)) == model.statistic_.rows
        assert model.statistic_.mean == pytest.approx(right.statistic_.mean, rel=1e-14)
        assert np.abs(model.predict(X) - right.predict(X)).max() <= 1e-12 * np.abs(right.predict(X)).max()


def test_rows_that_are_huge_leave_no_trace(rows):
    X, y, _ = rows
    X, y = X.copy(), y.copy()
    X[:500], y[:500] = 1e100, -1e120
    model = by_blocks(sl.SlidingWindow(sl.LinearRegression(), size=800), X, y, (50,))
    right = sl.LinearRegression().fit(X[-800:], y[-800:])
    assert model.learner_.coef_ == pytest.approx(right.coef_, rel=1e-10)


# -- time -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def table(rows):
    X, y, _ = rows
    hours = np.sort(np.random.default_rng(2).integers(0, 90 * 24 * 4, len(X))) * 15  # minutes, many of them equal
    stamps = pd.Timestamp("2026-01-01") + pd.to_timedelta(hours, unit="min")
    return pd.DataFrame(X, columns=list("abcd")).assign(y=y, ts=stamps)


def in_window(table, span):
    return table[table.ts > table.ts.max() - pd.Timedelta(span.upper())]


def test_the_window_is_open_at_its_old_end(table):
    model = sl.SlidingWindow(sl.Ridge(), size="28d", time="ts").fit(table, "y")
    rolled = table.set_index("ts").y.rolling("28D").sum()  # pandas has the same end
    assert model.statistic_.mean[-1] * model.rows_ == pytest.approx(rolled.iloc[-1], rel=1e-12)
    edge = pd.DataFrame({"x": [1.0, 2.0, 4.0], "y": [0.0, 1.0, 5.0], "t": [0.0, 5.0, 10.0]})
    assert sl.SlidingWindow(sl.Ridge(), size=10, time="t").fit(edge, "y").rows_ == 2


@pytest.mark.parametrize("seed", range(3))
def test_late_rows_are_placed_by_their_time(table, seed):
    rng, span = np.random.default_rng(seed), "28d"
    order = np.argsort(np.arange(len(table)) + rng.integers(0, (5, 300, 3000)[seed % 3], len(table)), kind="stable")
    window, fading = sl.SlidingWindow(sl.Ridge(), size=span, time="ts"), sl.Fading(half_life="5d", time="ts")
    for part in np.array_split(order, 60):
        window.partial_fit(table.iloc[part], "y")
        fading.partial_fit(table.iloc[part], "y")
    for model in (window, sl.SlidingWindow(sl.Ridge(), size=span, time="ts").fit(table.iloc[order], "y")):
        right = sl.SlidingWindow(sl.Ridge(), size=span, time="ts").fit(table, "y")
        assert model.rows_ == len(in_window(table, span)) == right.rows_
        assert model.statistic_.scatter == pytest.approx(right.statistic_.scatter, rel=1e-12, abs=1e-9)
    days = (table.ts.max() - table.ts) / pd.Timedelta("1D")
    features = table[list("abcd")]
    right = sl.Ridge().fit(features, table.y, sample_weight=fade(days, 5.0))
    assert fading.predict(features) == pytest.approx(right.predict(features), rel=1e-12)


def test_late_rows_of_a_window_that_is_over_are_refused(table):
    model = sl.TumblingWindow(sl.Ridge(), every="7d", time="ts").fit(table[50:], "y")
    before = model.predict(table[list("abcd")])
    with pytest.raises(ValueError, match="row 0 belongs to the window from .* which is over"):
        model.partial_fit(table[:1], "y")
    assert (model.predict(table[list("abcd")]) == before).all()
    begin, end = model.window_
    inside = table[(table.ts.astype("datetime64[ns]").astype(int) // (7 * 24 * HOUR)) * 7 * 24 * HOUR == begin]
    assert end - begin == 7 * 24 * HOUR and len(inside) == model.statistic_.rows > 0
    shuffled = table.sample(frac=1.0, random_state=0)
    again = sl.TumblingWindow(sl.Ridge(), every="7d", time="ts").fit(shuffled, "y")
    assert again.predict(table[list("abcd")]) == pytest.approx(
        sl.TumblingWindow(sl.Ridge(), every="7d", time="ts").fit(table, "y").predict(table[list("abcd")]), rel=1e-12
    )


def test_times_of_all_kinds_and_sources(table, tmp_path):
    features, stamps = table[list("abcd")], table.ts
    right = sl.SlidingWindow(sl.Ridge(), size="28d", time="ts").fit(table, "y")
    expected = right.predict(features)
    csv, parquet = tmp_path / "t.csv", tmp_path / "t.parquet"
    table.to_csv(csv, index=False)
    table.to_parquet(parquet, index=False)
    named = [table, pl.from_pandas(table), csv, parquet, table.assign(ts=stamps.dt.tz_localize("UTC"))]
    for source in named:
        model = sl.SlidingWindow(sl.Ridge(), size="28d", time="ts").fit(source, "y")
        assert model.rows_ == right.rows_
        assert model.predict(features) == pytest.approx(expected, rel=1e-14)
    beside = [stamps, stamps.to_numpy(), stamps.tolist(), [stamp.to_pydatetime() for stamp in stamps]]
    for times in beside:
        model = sl.SlidingWindow(sl.Ridge(), size=datetime.timedelta(days=28)).fit(features, table.y, times=times)
        assert model.predict(features) == pytest.approx(expected, rel=1e-14)
    hours = (stamps - pd.Timestamp("1970-01-01")) / pd.Timedelta("1h")
    column = np.column_stack([features, hours])
    for X in (column, sparse.csr_matrix(column)):
        model = sl.SlidingWindow(sl.Ridge(), size=28 * 24, time=-1).fit(X, table.y)
        assert model.n_features_in_ == 5 and model.rows_ == right.rows_
        assert model.predict(X) == pytest.approx(expected, rel=1e-9)
    assert right.predict(table.drop(columns="y")) == pytest.approx(expected, rel=1e-15)  # with the time or without


def test_models_that_fade_by_time_merge(table):
    features = table[list("abcd")]
    parts = [sl.Fading(sl.Ridge(), half_life="5d", time="ts").fit(table[i::3], "y") for i in range(3)]
    whole = sl.Fading(sl.Ridge(), half_life="5d", time="ts").fit(table, "y")
    both = parts[0] + parts[1].merge(parts[2])
    assert both.predict(features) == pytest.approx(whole.predict(features), rel=1e-12)
    assert both.effective_size_ == pytest.approx(whole.effective_size_, rel=1e-12) and both.now_ == whole.now_
    early, late = (
        sl.Fading(sl.Ridge(), half_life="5d", time="ts").fit(table[a:b], "y") for a, b in ((0, 400), (400, None))
    )
    assert (early + late).predict(features) == pytest.approx(whole.predict(features), rel=1e-12)
    with pytest.raises(ValueError, match=r"differ in half_life \('5d' and '6d'\)"):
        early + sl.Fading(sl.Ridge(), half_life="6d", time="ts").fit(table, "y")


# -- fading ---------------------------------------------------------------------------------------------------------


def test_effective_size_is_kishs_of_the_weights_and_tends_to_its_limit():
    X, alpha = np.zeros((4000, 1)) + np.arange(4000.0)[:, None], 0.5 ** (1 / 30)
    model = sl.Fading(sl.Ridge(), half_life=30).fit(X[:10], X[:10, 0])
    w = alpha ** np.arange(10.0)
    assert model.effective_size_ == pytest.approx(w.sum() ** 2 / (w**2).sum(), rel=1e-13)
    assert model.weight_ == pytest.approx((1 - alpha**10) / (1 - alpha), rel=1e-13) and model.now_ == 10
    model.partial_fit(X[10:25], X[10:25, 0])
    w = alpha ** np.arange(25.0)
    assert model.effective_size_ == pytest.approx(w.sum() ** 2 / (w**2).sum(), rel=1e-13)
    model.partial_fit(X[25:], X[25:, 0])
    assert model.effective_size_ == pytest.approx((1 + alpha) / (1 - alpha), rel=1e-12)
    twice = sl.Fading(sl.Ridge()).fit(X[:6], X[:6, 0], sample_weight=[1, 2, 1, 1, 2, 1])
    assert twice.effective_size_ == pytest.approx(8.0)


def test_iris_is_forgotten_as_in_the_notes():
    """Started at the first row, as the note's recursion is: that row weighs 1, every other 1 - a."""
    iris = load_example("iris")
    weight = np.append(1.0, np.full(149, 1.0 - 0.9))
    model = sl.Fading(sl.PCA(2), half_life=np.log(0.5) / np.log(0.9))
    model.fit(iris.X[:50], sample_weight=weight[:50])
    assert model.learner_.mean_ == pytest.approx([4.9586, 3.3921, 1.4653, 0.2531], abs=5e-5)
    model.partial_fit(iris.X[50:], sample_weight=weight[50:])
    assert model.learner_.mean_ == pytest.approx([6.4794, 3.0236, 5.3781, 2.0667], abs=5e-5)
    assert model.statistic_.covariance().diagonal() == pytest.approx([0.2311, 0.0756, 0.1587, 0.0760], abs=5e-5)
    assert model.weight_ == pytest.approx(1.0, rel=1e-13)


def test_a_mean_is_right_from_the_first_row_on():
    """The note's weights sum to 1 - a^T; a mean of five equal rows must be their value all the same."""
    model = sl.Fading(sl.PCA(1), half_life=np.log(0.5) / np.log(0.9)).fit(np.full((5, 2), 7.0) + np.eye(5)[:, :2])
    w = 0.9 ** np.arange(4.0, -1.0, -1.0)
    assert model.learner_.mean_ == pytest.approx((w @ (np.full((5, 2), 7.0) + np.eye(5)[:, :2])) / w.sum(), rel=1e-14)


@pytest.mark.parametrize("learner", [sl.LinearRegression(), sl.Ridge(), sl.BayesianRegression()])
def test_nothing_winds_up_while_features_are_silent(learner):
    """100,000 rows in which two of four columns say nothing; a carried inverse grows by 2^(n / half-life) there."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100_600, 4))
    X[300:100_300, 2:] = 0.0
    y = X @ [1.0, -1.0, 2.0, -2.0] + 0.1 * rng.standard_normal(len(X))
    model = by_blocks(sl.Fading(learner, half_life=100), X[:100_300], y[:100_300], (2000,))
    silent = model.learner_.coef_
    assert np.isfinite(silent).all() and np.abs(silent).max() < 10
    assert silent[:2] == pytest.approx([1.0, -1.0], abs=0.1)
    for row in range(100_300, 100_600):
        model.partial_fit(X[row : row + 1], y[row : row + 1])
    assert model.learner_.coef_ == pytest.approx([1.0, -1.0, 2.0, -2.0], abs=0.1)
    last = slice(-20_000, None)
    right = clone(learner).fit(X[last], y[last], sample_weight=fade(np.arange(20_000)[::-1], 100))
    assert model.learner_.coef_ == pytest.approx(right.coef_, rel=1e-9)


def test_decay_and_age_without_end():
    X = np.arange(20.0)[:, None]
    model = sl.Fading(sl.Ridge(), half_life=5).fit(X[:10], X[:10, 0]).decay(0.25)
    w = np.append(0.25 * fade(np.arange(9, -1, -1) + 10, 5), fade(np.arange(9, -1, -1), 5))
    right = sl.Ridge().fit(X, X[:, 0], sample_weight=w)
    assert model.partial_fit(X[10:], X[10:, 0]).learner_.coef_ == pytest.approx(right.coef_, rel=1e-13)
    timed = sl.Fading(sl.Ridge(), half_life=1.0, time=0)
    timed.fit([[0.0, 1.0], [1.0, 3.0]], [1.0, 2.0]).partial_fit([[1e6, 5.0]], [7.0])
    assert timed.weight_ == 1.0 and timed.effective_size_ == 1.0 and timed.predict([[0.0, 9.0]]) == [7.0]
    assert timed.partial_fit([[2.0, 5.0]], [7.0]).weight_ == 1.0  # it is too old to weigh anything


# -- what holds of all -------------------------------------------------------------------------------------------------

ALL = [sl.Fading(half_life=50), sl.SlidingWindow(size=100), sl.TumblingWindow(every=100)]


@pytest.mark.parametrize("model", ALL, ids=lambda model: type(model).__name__)
def test_refused_rows_change_nothing(rows, model):
    X, y, _ = rows
    model = clone(model).fit(X[:250], y[:250])
    before = copy.deepcopy(model).partial_fit(X[250:400], y[250:400]).predict(X)
    bad = X[250:400].copy()
    bad[120, 2] = np.nan
    with pytest.raises(ValueError, match="NaN: first at row 120, column 2"):
        model.partial_fit(bad, y[250:400])
    with pytest.raises(ValueError, match="sample_weight"):
        model.partial_fit(X[:5], y[:5], sample_weight=[1.0, 1.0, -1.0, 1.0, 1.0])
    with pytest.raises(ValueError, match="3 features"):
        model.partial_fit(X[:5, :3], y[:5])
    assert (model.partial_fit(X[250:400], y[250:400]).predict(X) == before).all()


@pytest.mark.parametrize("model", ALL, ids=lambda model: type(model).__name__)
def test_saved_models_go_on(rows, model, tmp_path):
    X, y, _ = rows
    model = clone(model).fit(X[:777], y[:777])
    sl.save(model, tmp_path / "model")
    back = sl.load(tmp_path / "model")
    assert (back.predict(X) == model.predict(X)).all()
    nothing = back.partial_fit(X[777:780], y[777:780], np.zeros(3))  # rows that weigh nothing, the first after a file
    assert (nothing.predict(X) == model.predict(X)).all()
    for part in (slice(777, 778), slice(778, 1300)):
        assert back.partial_fit(X[part], y[part]).predict(X) == pytest.approx(
            model.partial_fit(X[part], y[part]).predict(X), rel=1e-12
        )


def test_a_file_knows_no_row_that_is_gone(rows, tmp_path):
    X, y, _ = rows
    for model, kept in (
        (sl.SlidingWindow(size=100), 100),
        (sl.SlidingWindow(size=300.0, time=0), 300),
        (sl.TumblingWindow(every=100), 100),
    ):
        timed = np.column_stack([np.arange(len(X)), X]) if model.time is not None else X
        model.fit(timed[:1000], y[:1000]).partial_fit(timed[1000:1400], y[1000:1400])
        sl.save(model, tmp_path / "model")
        state = sl.load(tmp_path / "model")._state
        blocks = [] if isinstance(model, sl.TumblingWindow) else [*state.blocks, *state.pieces]
        assert sum(map(len, blocks)) == (kept if blocks else 0)
        assert all(part["rows"] <= kept for part in describe(tmp_path / "model")["statistics"])
        told = [finding.kind for finding in sl.disclosure(model)]
        assert told == (["rows"] if blocks else [])
        assert model.statistic_.mean == pytest.approx(
            sl.Ridge().fit(X[1400 - kept : 1400], y[1400 - kept : 1400]).statistic_.mean
        )


def test_lengths_that_change_after_the_first_rows_are_refused(rows):
    X, y, _ = rows
    model = sl.SlidingWindow(size=100).fit(X, y).set_params(size=500)
    with pytest.raises(ValueError, match="the model was begun with size=100, time=None"):
        model.partial_fit(X, y)
    assert model.fit(X, y).rows_ == 500


def test_a_copy_does_not_share_what_comes_later(rows):
    X, y, _ = rows
    for model in ALL:
        model = clone(model).fit(X[:500], y[:500])
        other, before = copy.copy(model), model.predict(X)
        other.partial_fit(X[500:], y[500:])
        assert (model.predict(X) == before).all() and (other.predict(X) != before).any()


def test_rows_may_be_changed_after_they_were_learnt(rows):
    X, y = rows[0][:300].copy(), rows[1][:300].copy()
    model, right = (sl.SlidingWindow(sl.Ridge(), size=200).fit(rows[0][:300], rows[1][:300]) for _ in range(2))
    model = sl.SlidingWindow(sl.Ridge(), size=200).fit(X, y)
    X[:], y[:] = 0.0, 0.0
    model.partial_fit(rows[0][300:310], rows[1][300:310])
    right.partial_fit(rows[0][300:310], rows[1][300:310])
    assert (model.predict(rows[0]) == right.predict(rows[0])).all()


def test_classes_come_and_go(rows):
    X = rows[0][:400]
    y = np.repeat(["a", "b", "c", "b"], 100)
    model = sl.SlidingWindow(sl.GaussianNB(), size=150)
    seen = [list(model.partial_fit(X[i : i + 50], y[i : i + 50]).classes_) for i in range(0, 400, 50)]
    assert seen == [["a"], ["a"], ["a", "b"], ["a", "b"], ["b", "c"], ["b", "c"], ["b", "c"], ["b", "c"]]
    fixed = sl.SlidingWindow(sl.GaussianNB(), size=150).partial_fit(X[:50], y[:50], classes=["a", "b", "c"])
    assert fixed.predict_proba(X[:1]).shape == (1, 3)
    with pytest.raises(ValueError, match=r"\['d'\] in y do not exist in the initial classes"):
        fixed.partial_fit(X[:1], ["d"])


def test_abilities_tell_the_truth():
    for model, able in (
        (sl.Fading(half_life=5), ["update", "decay"]),
        (sl.Fading(half_life=5, time=0), ["update", "merge", "decay"]),
        (sl.SlidingWindow(), ["update"]),
        (sl.TumblingWindow(), ["update"]),
    ):
        assert list(sl.abilities(model)) == able
        for word, method in (("merge", "merge"), ("decay", "decay"), ("forget", "forget")):
            assert hasattr(model, method) == (word in able)
    with pytest.raises(TypeError):
        sl.Fading(half_life=5).fit([[1.0], [2.0]], [1.0, 2.0]) + sl.Fading(half_life=5).fit([[1.0]], [1.0])


@pytest.mark.parametrize(
    ("model", "error", "words"),
    [
        (sl.SlidingWindow(sl.LogisticRegression()), TypeError, "needs a learner whose sums merge"),
        (sl.Fading(sl.CandidateElimination(), half_life=3), TypeError, "needs a learner whose sums merge and decay"),
        (sl.SlidingWindow(sl.TableModel()), TypeError, "reads tables"),
        (sl.SlidingWindow(size=0), ValueError, "size must be positive"),
        (sl.SlidingWindow(size=2.5), ValueError, "size counts rows and must be a whole number"),
        (sl.SlidingWindow(size="28 days"), ValueError, "such as '28d'"),
        (sl.SlidingWindow(size="28d"), ValueError, "is a span of time: give times="),
        (sl.SlidingWindow(size=5, time="ts"), ValueError, "time='ts' names a column, so X must be a data frame"),
        (sl.SlidingWindow(size=5, time=9), ValueError, "there is no column 9"),
        (sl.SlidingWindow(size="5d", time=0), ValueError, "does not go with times that are numbers"),
        (sl.SlidingWindow(size=5, time=True), ValueError, "time must name or number a column"),
        (sl.Fading(half_life=-1), ValueError, "half_life must be positive"),
        (sl.TumblingWindow(every=np.nan), ValueError, "every must be positive and finite"),
    ],
)
def test_parameters_that_cannot_be_honoured(rows, model, error, words):
    X, y, _ = rows
    with pytest.raises(error, match=words):
        model.fit(X, y)


@pytest.mark.parametrize(
    ("times", "words"),
    [
        (["2026-01-01", "2026-01-02"], "times holds text, first '2026-01-01'"),
        ([pd.Timestamp("2026-01-01"), pd.NaT], "no usable time at row 1"),
        (np.array(["2026-01-01", "NaT"], dtype="datetime64[s]"), "no usable time at row 1"),
        ([pd.Timestamp("2026-01-01"), pd.Timestamp("2026-01-02", tz="UTC")], "with and without a time zone"),
        (np.array(["2026-01-01", "3026-01-01"], dtype="datetime64[s]"), "between 1680 and 2260"),
        ([pd.Timestamp("2026-01-01")], "2 rows and 1 times"),
        ([1.0, 2.0], "does not go with times that are numbers"),
        (np.zeros((2, 2)), "one time for each row"),
    ],
)
def test_times_that_are_none(times, words):
    with pytest.raises(ValueError, match=words):
        sl.SlidingWindow(size="1d").fit([[1.0], [2.0]], [1.0, 2.0], times=times)


def test_times_of_another_kind_are_refused(table):
    model = sl.Fading(half_life="1d", time="ts").fit(table, "y")
    with pytest.raises(ValueError, match="times are moments with a time zone, those before were moments"):
        model.partial_fit(table.assign(ts=table.ts.dt.tz_localize("UTC")), "y")
    with pytest.raises(ValueError, match="counts rows, but times were given"):
        sl.Fading(half_life=3).fit([[1.0]], [1.0], times=[1.0])


def test_tables_of_words_fade(table):
    words = table.assign(city=np.where(table.a > 0, "Rome", "Oslo"))
    model = sl.Fading(sl.TableModel(sl.Ridge()), half_life="5d", time="ts").fit(words, "y")
    days = (table.ts.max() - table.ts) / pd.Timedelta("1D")
    right = sl.TableModel(sl.Ridge()).fit(words.drop(columns="ts"), "y", sample_weight=fade(days, 5.0))
    assert model.predict(words.drop(columns="y")) == pytest.approx(right.predict(words.drop(columns=["y", "ts"])), 1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("learner", [sl.Ridge(), sl.GaussianNB()], ids=lambda learner: type(learner).__name__)
def test_a_million_steps(learner):
    rng = np.random.default_rng(0)
    drift = np.linspace(0.0, 1e3, 1_000_000)[:, None]
    X = rng.standard_normal((1_000_000, 3)) + drift
    y = (X @ [1.0, 2.0, -3.0] > 0).astype(float) if learner.target == "label" else X @ [1.0, 2.0, -3.0]
    window, fading = sl.SlidingWindow(learner, size=1000), sl.Fading(learner, half_life=200)
    for model in (window, fading):
        by_blocks(model, X[:900_000], y[:900_000], (997,))
        by_blocks(model, X[900_000:], y[900_000:], (1,) * 9 + (100,))
    right = clone(learner).fit(X[-1000:], y[-1000:])
    assert answers(window, X[-99:]) == pytest.approx(answers(right, X[-99:]), rel=1e-12, abs=1e-12)
    last = slice(-30_000, None)
    right = clone(learner).fit(X[last], y[last], sample_weight=fade(np.arange(30_000)[::-1], 200))
    assert answers(fading, X[-99:]) == pytest.approx(answers(right, X[-99:]), rel=1e-12, abs=1e-12)
