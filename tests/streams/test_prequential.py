"""prequential: every row is asked about before it is learnt, whatever road the answers come by."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import SGDClassifier, SGDRegressor

import sumlearn as sl
from sumlearn.streams import prequential
from sumlearn.streams.parts import asked_rows


def one_by_one(model, X, y, weight=None, first=1, **more):
    """The definition: predict, then partial_fit."""
    said = []
    for row in range(len(X)):
        here = slice(row, row + 1)
        given = {} if weight is None else {"sample_weight": weight[here]}
        if row >= first:
            said.append(model.predict(X[here])[0])
        model.partial_fit(X[here], y[here], **given, **{name: values[here] for name, values in more.items()})
    return np.array(said)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((350, 5)) @ rng.standard_normal((5, 5)) + np.array([0.0, 1e6, 5.0, 0.0, -1e3])
    drift = np.where(np.arange(350) < 200, 1.0, -1.0)
    y = (X - X.mean(axis=0)) @ np.arange(5.0) * drift + rng.standard_normal(350)
    return X, y, np.array(["low", "middle", "top"])[np.digitize(y, [-2.0, 2.0])]


REGRESSORS = [
    sl.LinearRegression(),
    sl.Ridge(alpha=0.3),
    sl.Fading(sl.LinearRegression(), half_life=40),
    sl.Fading(sl.Ridge(alpha=5.0), half_life=40.5),
    sl.SlidingWindow(sl.Ridge(), size=50),
    sl.Ridge(fit_intercept=False),
]
CLASSIFIERS = [
    sl.GaussianNB(),
    sl.GaussianNB(var_smoothing=1e-3),
    sl.LinearDiscriminantAnalysis(),
    sl.Fading(sl.GaussianNB(), half_life=40),
    sl.Fading(sl.LinearDiscriminantAnalysis(), half_life=40),
    sl.TumblingWindow(sl.GaussianNB(), every=100),
]


def used_loops(monkeypatch):
    used = []

    def noted(*arguments):
        loop = real(*arguments)
        used.append(loop is not None)
        return loop

    real = asked_rows.loop_for
    monkeypatch.setattr(asked_rows, "loop_for", noted)
    return used


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("model", REGRESSORS, ids=str)
def test_numbers_are_those_of_one_call_after_the_other(rows, model, weighted, monkeypatch):
    X, y, _ = rows
    weight = np.random.default_rng(1).random(len(X)) + 0.1 if weighted else None
    used = used_loops(monkeypatch)
    told = prequential(model, X, y, weight, every=150)
    right = one_by_one(clone(model), X, y, weight)
    assert told.asked.sum() == len(X) - 1 and not told.asked[0] and np.isnan(told.predictions[0])
    assert np.abs(told.predictions[1:] - right).max() <= 1e-9 * y.std()
    assert any(used) == (model in REGRESSORS[:4])
    away = (told.predictions - y)[1:150]
    w = np.ones(149) if weight is None else weight[1:150]
    assert told.errors[0] == pytest.approx(np.sqrt(w @ away**2 / w.sum()), rel=1e-12)
    assert told.rows.tolist() == [150, 300, 350]


@pytest.mark.parametrize("model", CLASSIFIERS, ids=str)
def test_labels_are_those_of_one_call_after_the_other(rows, model, monkeypatch):
    X, _, y = rows
    used = used_loops(monkeypatch)
    told = prequential(model, X, y, every=200)
    start = int(np.argmax(told.asked & (np.arange(len(X)) > 20)))
    taught = clone(model).partial_fit(X[:start], y[:start])
    right = one_by_one(taught, X[start:], y[start:], first=0)
    assert told.asked[20:].all()
    assert (told.predictions[start:] == right).all()
    assert any(used) == (model not in CLASSIFIERS[5:])
    assert told.score == pytest.approx(np.mean(told.predictions[told.asked] == y[told.asked]), rel=1e-12)


def test_loops_stop_where_doubles_do_not_suffice(rows):
    """Columns that are nearly, or altogether, dependent for a while are left to the model itself."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((200, 3))
    X[60:150, 2] = X[60:150, 0] + 1e-7 * X[60:150, 2]
    y = X @ [1.0, 2.0, 3.0] + 0.1 * rng.standard_normal(200)
    for model in (sl.Fading(sl.LinearRegression(), half_life=5), sl.LinearRegression()):
        told = prequential(model, X, y)
        right = one_by_one(clone(model), X, y)
        assert np.abs(told.predictions[1:] - right).max() <= 1e-6 * np.abs(right).max()
    constant = np.column_stack([X[:, :2], np.ones(200)])
    with pytest.warns(sl.IllConditionedWarning):
        told = prequential(sl.LinearRegression(), constant[:60], y[:60])
    assert np.isfinite(told.predictions[1:]).all()


def test_the_model_is_that_of_learning_in_blocks(rows):
    X, y, _ = rows
    model = sl.Fading(sl.Ridge(), half_life=30)
    told = prequential(model, X, y, every=100)
    right = sl.Fading(sl.Ridge(), half_life=30).fit(X, y)
    assert told.model.predict(X) == pytest.approx(right.predict(X), rel=1e-12)
    assert not hasattr(model, "learner_")  # the one that was handed over has learnt nothing
    assert told.coefficients[-1] == pytest.approx(right.learner_.coef_, rel=1e-9)
    assert told.effective_sizes[-1] == pytest.approx(right.effective_size_, rel=1e-12)
    on = prequential(right, X[:50], y[:50])
    assert on.asked.all() and on.model.now_ == 400 and right.now_ == 350


def test_times_count_in_the_loop_as_they_do_outside(rows):
    X, y = rows[0][:60], rows[1][:60]
    times = np.cumsum(np.random.default_rng(2).exponential(1.0, len(X)))
    times[::17] -= 30.0  # some rows come late
    table = pd.DataFrame(X, columns=list("abcde")).assign(t=times)
    for learner in (sl.Ridge(), sl.LinearRegression()):
        model = sl.Fading(learner, half_life=25.0, time="t")
        told = prequential(model, table, y)
        right = one_by_one(clone(model), table, y)
        assert np.abs(told.predictions[1:] - right).max() <= 1e-9 * y.std()
    stamps = pd.Timestamp("2026-01-01") + pd.to_timedelta(times, unit="h")
    beside = prequential(sl.Fading(sl.Ridge(), half_life="25h"), X, y, times=stamps)
    inside = prequential(sl.Fading(sl.Ridge(), half_life=25.0, time="t"), table, y)
    assert np.nanmax(np.abs(beside.predictions - inside.predictions)) <= 1e-6 * y.std()


def test_arrays_tables_and_files_are_one_stream(rows, tmp_path):
    X, y, labels = rows
    for model, target in ((sl.Fading(sl.Ridge(), half_life=50), y), (sl.GaussianNB(), labels)):
        table = pd.DataFrame(X, columns=list("abcde")).assign(fare=target)
        table.to_csv(tmp_path / "a.csv", index=False)
        table[:300].to_parquet(tmp_path / "1.parquet", index=False)
        table[300:].to_parquet(tmp_path / "2.parquet", index=False)
        right = prequential(model, X, target, every=200)
        for source in (table, tmp_path / "a.csv", [tmp_path / "1.parquet", tmp_path / "2.parquet"]):
            told = prequential(model, source, "fare", every=200)
            assert told.rows.tolist() == [200, 350]
            assert told.asked[20:].all() and told.score == pytest.approx(right.score, rel=1e-9)
            assert told.errors == pytest.approx(right.errors, rel=1e-7)


def test_blocks_are_asked_about_as_a_whole(rows):
    X, y, _ = rows
    told = prequential(sl.Ridge(), X, y, block=100)
    assert not told.asked[:3].any()  # a stretch has three rows here: no block is longer
    told = prequential(sl.Ridge(), X, y, block=100, every=350)
    assert told.asked.tolist() == [False] * 100 + [True] * 250
    model = sl.Ridge().fit(X[:100], y[:100])
    assert told.predictions[100:200] == pytest.approx(model.predict(X[100:200]), rel=1e-12)


def test_estimators_of_other_libraries(rows):
    X, y, labels = rows
    told = prequential(SGDRegressor(random_state=0), (X - X.mean(axis=0)) / X.std(axis=0), y)
    assert told.asked.sum() == len(X) - 1 and told.coefficients.shape[1] == 5
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    told = prequential(SGDClassifier(random_state=0), scaled, labels, classes=np.unique(labels))
    assert told.score > 0.3


def test_the_table_and_what_is_printed(rows):
    X, y, _ = rows
    told = prequential(sl.Fading(sl.Ridge(), half_life=20), pd.DataFrame(X, columns=list("abcde")), y, every=175)
    assert list(told.table()) == ["rows", "root mean square error", "effective_size", *"abcde"]
    assert pd.DataFrame(told.table()).shape == (2, 8)
    assert str(told).splitlines()[0].split() == ["rows", "root", "mean", "square", "error", "rows", "in", "effect"]
    from sumlearn.report import plots

    figure = plots.drift(told)
    assert [line.label for line in figure.panels[1].items] == list("abcde")
    assert len(plots.drift(prequential(sl.GaussianNB(), X, y > 0)).panels) == 1


def test_bad_rows_and_parameters(rows):
    X, y, _ = rows
    bad = X.copy()
    bad[220, 1] = np.nan
    for model in (sl.Ridge(), sl.SlidingWindow()):
        with pytest.raises(ValueError, match="contains NaN"):
            prequential(model, bad, y)
    with pytest.raises(TypeError, match="needs predict and partial_fit"):
        prequential(sl.SVC(), X, y)
    with pytest.raises(ValueError, match="block must be a whole number above 0"):
        prequential(sl.Ridge(), X, y, block=0)
    with pytest.raises(ValueError, match="X has 350 rows, and y has 349"):
        prequential(sl.Ridge(), X, y[1:])
    with pytest.raises(ValueError, match="there are no rows"):
        prequential(sl.Ridge(), X[:0], y[:0])
    with pytest.raises(ValueError, match="gave no answer to any row"):
        prequential(sl.Ridge(), X[:1], y[:1])
    with pytest.raises(ValueError, match="one target for each row"):
        prequential(sl.Ridge(), X, X)


@pytest.mark.parametrize("model", [sl.Ridge(), sl.Fading(sl.GaussianNB(), half_life=500)], ids=str)
def test_stretches_that_are_longer_than_a_chunk_keep_to_the_loop(model, monkeypatch):
    """Half a million rows are cut into such; by the methods of the model they take a thousand times as long."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((12_000, 3))
    y = X @ [1.0, -1.0, 0.5] + rng.standard_normal(len(X))
    y = y if isinstance(model, sl.Ridge) else y > 0
    weight = rng.random(len(X)) + 0.5
    asked, own = [], asked_rows.Asking.one_block
    monkeypatch.setattr(asked_rows.Asking, "one_block", lambda self, *rows: (asked.append(rows), own(self, *rows))[1])
    long = prequential(model, X, y, weight, every=6000)
    assert len(asked) < 100
    short = prequential(model, X, y, weight, every=2000)
    if isinstance(model, sl.Ridge):
        np.testing.assert_allclose(long.predictions[1:], short.predictions[1:], rtol=1e-9, atol=1e-9)
    else:
        np.testing.assert_array_equal(long.predictions[1:], short.predictions[1:])
