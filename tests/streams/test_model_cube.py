"""A window of a cube is a fit on its rows, whatever was appended, changed or taken out before."""

import copy
import datetime
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import polars as pl
import pytest

import sumlearn as sl
from sumlearn.learners import OnePass
from sumlearn.statistics import Moments
from sumlearn.streams.parts import cube_rows
from sumlearn.streams.parts.cube_stack import MomentStack, StatisticList

from tests.streams.cube_tables import FEATURES, drawn_window, refit, table

WHERE = {"time": "ts", "grain": "1d", "by": ["shop", "lane"]}


COLUMNS = [*FEATURES, "y", "shop", "lane", "ts"]


def cube_of(frame, learner=None, weight=None, **where):
    learner = sl.Ridge(alpha=0.5) if learner is None else learner
    columns = [*COLUMNS, *([weight] if weight else [])]
    return sl.ModelCube(learner, **(WHERE | where)).fit(frame[columns], "y", weight)


def assert_same(model, other, tolerance=1e-10):
    assert type(model) is type(other)
    np.testing.assert_allclose(model.coef_, other.coef_, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(model.intercept_, other.intercept_, rtol=tolerance, atol=tolerance)
    assert model.statistic_.weight == pytest.approx(other.statistic_.weight, rel=1e-13)


def draw_windows(count, seed, offset=0.0, weighted=False, grain="1d"):
    rng, frame = np.random.default_rng(seed), table(seed=seed, offset=offset)
    cube = cube_of(frame, weight="w" if weighted else None, grain=grain)
    checked = 0
    while checked < count:
        item, rows = drawn_window(rng, frame)
        if rows["w"].sum() < 8:
            continue
        other = refit(sl.Ridge(alpha=0.5), rows, weighted)
        tolerance = 1e-10 if offset == 0 else 1e-7  # the intercept of rows at 1e9 has seven digits less
        np.testing.assert_allclose(cube[item].coef_, other.coef_, rtol=1e-10, atol=1e-10)
        assert_same(cube[item], other, tolerance)
        checked += 1


@pytest.mark.parametrize(("offset", "weighted", "grain"), [(0.0, False, "1d"), (1e9, False, "6h"), (0.0, True, "1d")])
def test_windows_equal_refits(offset, weighted, grain):
    draw_windows(40, 1, offset, weighted, grain)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_a_thousand_windows_equal_refits(seed):
    draw_windows(250, seed, 1e9 if seed == 3 else 0.0, seed == 2)


def test_a_window_has_the_abilities_of_the_learner():
    frame = table(400)
    cube = cube_of(frame, sl.LinearRegression())
    march = cube["2026-03"]
    rows = frame[frame["ts"].dt.month == 3]
    plain = refit(sl.LinearRegression(), rows)
    np.testing.assert_allclose(march.standard_errors_, plain.standard_errors_, rtol=1e-9)
    np.testing.assert_allclose(march.predict(rows[FEATURES]), plain.predict(rows[FEATURES]), rtol=1e-9, atol=1e-12)
    assert march.feature_names_in_.tolist() == FEATURES
    april = cube["2026-04"]
    assert_same(march + april, cube["2026-03":"2026-04"])
    assert_same(march.partial_fit(rows[FEATURES], rows["y"]), refit(sl.LinearRegression(), pd.concat([rows, rows])))
    assert_same(cube["2026-03"], plain)  # the cube has not learnt what its model has
    assert_same(cube[:].restrict(["a", "b"]), sl.LinearRegression().fit(frame[["a", "b"]], frame["y"]))


LEARNERS = [
    sl.LinearDiscriminantAnalysis(),
    sl.QuadraticDiscriminantAnalysis(),
    sl.GaussianNB(),
    sl.PCA(2),
    sl.BayesianRegression(),
    sl.Lasso(0.1),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_any_learner_whose_sums_add_up(learner):
    frame = table(600)
    frame["label"] = np.where(frame["y"] > 0, "up", "down")
    target = "label" if learner.target == "label" else "y" if learner.target == "number" else None
    columns = [*FEATURES, "shop", "ts", *([target] if target else [])]
    cube = sl.ModelCube(learner, time="ts", grain="1w", by="shop").fit(frame[columns].iloc[:400], target)
    cube.append(frame[columns].iloc[400:])
    rows = frame[(frame["ts"] >= "2026-02-02") & frame["shop"].isin(["A", "C"])]
    plain = type(learner)(**learner.get_params()).fit(rows[FEATURES], rows[target] if target else None)
    model = cube["2026-02-02":, {"shop": ["A", "C"]}]
    for name in ("coef_", "means_", "theta_", "components_", "explained_variance_"):
        if hasattr(plain, name):
            np.testing.assert_allclose(getattr(model, name), getattr(plain, name), rtol=1e-9, atol=1e-10)
    if hasattr(plain, "predict"):
        assert np.array_equal(model.predict(rows[FEATURES]).astype(str), plain.predict(rows[FEATURES]).astype(str)) or (
            np.allclose(model.predict(rows[FEATURES]), plain.predict(rows[FEATURES]), rtol=1e-9)
        )


PLAIN = [
    kind
    for kind in (getattr(sl, name) for name in sl.__all__)
    if isinstance(kind, type) and issubclass(kind, OnePass) and kind().statistic_type is Moments
]


@pytest.mark.parametrize("kind", PLAIN, ids=lambda kind: kind.__name__)
def test_sums_of_all_leaves_at_once_are_those_of_the_learner(kind, monkeypatch):
    """The shortcut asks one leaf whether a learner sums plainly: what it finds holds for all leaves, of all of ours."""
    frame = table(300)
    frame[FEATURES] = np.abs(frame[FEATURES]) * [1.0, 1e3, 1e-3]
    learner = kind()
    target = "y" if learner.target == "number" else None
    columns = [*FEATURES, "shop", "ts", *([target] if target else [])]
    where = {"time": "ts", "grain": "2d", "by": "shop"}
    fast = sl.ModelCube(learner, **where).fit(frame[columns], target)
    monkeypatch.setattr(cube_rows, "sums_plainly", lambda *_: False)
    slow = sl.ModelCube(learner, **where).fit(frame[columns], target)
    a, b = (cube._tree.stack.take(cube._tree.leaves.numbers) for cube in (fast, slow))
    for i in range(len(a)):
        np.testing.assert_allclose(a.at(i).mean, b.at(i).mean, rtol=1e-15)
        np.testing.assert_allclose(a.at(i).scatter, b.at(i).scatter, rtol=1e-13, atol=1e-15 * b.at(i).squares.max())
    assert kind in PLAIN


def test_a_learner_that_changes_its_rows_is_summed_by_itself():
    class Clipped(sl.Ridge):
        """Looks like Ridge as long as no value is large."""

        def summarise(self, chunk, look=None):
            return Moments.of(np.minimum(chunk.X, 2.0), chunk.y, chunk.weight)

    frame = table(500)
    frame[FEATURES] *= 3
    cube = cube_of(frame, Clipped())
    np.testing.assert_allclose(cube[:].coef_, Clipped().fit(frame[FEATURES], frame["y"]).coef_, rtol=1e-10)


# -- what comes later -------------------------------------------------------------------------------------------------


def test_days_that_are_appended_equal_one_fit():
    frame = table(2500)[COLUMNS]
    by_day = [day for _, day in frame.groupby(frame["ts"].dt.date)]
    cube = cube_of(by_day[40])
    order = np.random.default_rng(2).permutation(len(by_day))
    for day in order[order != 40]:
        cube.append(by_day[day])
    rng = np.random.default_rng(3)
    for _ in range(30):
        item, rows = drawn_window(rng, frame)
        if len(rows) > 8:
            assert_same(cube[item], refit(sl.Ridge(alpha=0.5), rows))


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_events_in_any_order_equal_a_fresh_build(seed):
    """Late, corrected and deleted rows, in batches of any order: a cube of the rows that are there in the end."""
    rng, frame = np.random.default_rng(seed), table(1500, seed, offset=[0.0, 1e6, 0.0][seed % 3])[COLUMNS]
    cube, there = cube_of(frame.iloc[:500]), frame.iloc[:500]
    waiting = frame.iloc[500:]
    while len(waiting):
        late, waiting = waiting.iloc[:120], waiting.iloc[120:]
        gone = there.sample(int(rng.integers(1, 60)), random_state=int(rng.integers(99)))
        wrong = there.drop(gone.index).sample(30, random_state=1)
        mended = wrong.assign(y=wrong["y"] + 1.0, ts=wrong["ts"] + pd.Timedelta(days=3))
        events = pd.concat([late.assign(sign=1), gone.assign(sign=-1)]).sample(frac=1.0, random_state=2)
        for corrected in rng.permutation([False, True]):
            if corrected:
                cube.apply(old=wrong, new=mended)
            else:
                cube.apply(events)
        there = pd.concat([there.drop(gone.index).drop(wrong.index), late, mended])
    fresh = cube_of(there)
    assert cube.n_leaves_ == fresh.n_leaves_
    for _ in range(25):
        item, rows = drawn_window(rng, there)
        if len(rows) > 10:
            np.testing.assert_allclose(cube[item].coef_, fresh[item].coef_, rtol=1e-9, atol=1e-9)
            assert cube[item].statistic_.weight == len(rows)


def test_what_was_never_there_is_not_removed_and_nothing_changes():
    frame = table(300)[COLUMNS]
    cube = cube_of(frame)
    before = cube[:].coef_.copy()
    strange = frame.iloc[:1].assign(a=1e6)
    for wrong, text in [
        (frame.iloc[:1].assign(ts=pd.Timestamp("2031-01-01")), "never there"),
        (frame.iloc[:1].assign(shop="Z"), "never there"),
        (pd.concat([strange] * 40), "cannot remove"),
    ]:
        good = frame.iloc[5:6].assign(ts=pd.Timestamp("2026-04-01"))
        with pytest.raises(ValueError, match=text):
            cube.apply(old=wrong, new=good)
        assert np.array_equal(cube[:].coef_, before)
    with pytest.raises(ValueError, match="sign is 1 or -1, row 1"):
        cube.apply(frame.iloc[:2].assign(sign=[1, 0]))
    with pytest.raises(TypeError, match="give changes"):
        cube.apply()
    with pytest.raises(ValueError, match="fit it anew"):
        cube.apply(old=frame)


def test_a_leaf_that_is_emptied_is_gone():
    frame = table(300)[COLUMNS]
    cube = cube_of(frame)
    day = frame[frame["ts"].dt.date == frame["ts"].dt.date.iloc[0]]
    cube.apply(old=day)
    with pytest.raises(ValueError, match="no rows in"):
        cube[str(frame["ts"].dt.date.iloc[0])]
    assert cube.n_leaves_ == cube_of(frame.drop(day.index)).n_leaves_


# -- times ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("grain", "item", "first", "last"),
    [
        ("1d", "2026-03", "2026-03-01", "2026-04-01"),
        ("1d", "2026", "2026-01-01", "2027-01-01"),
        ("1d", "2026-Q1", "2026-01-01", "2026-04-01"),
        ("1d", datetime.date(2026, 3, 7), "2026-03-07", "2026-03-08"),
        ("1d", slice("2026-02", "2026-03"), "2026-02-01", "2026-04-01"),
        ("1d", slice("2026-02", datetime.datetime(2026, 3, 1)), "2026-02-01", "2026-03-01"),
        ("1d", slice(np.datetime64("2026-02-03"), None), "2026-02-03", "2030"),
        ("1w", "2026-W10", "2026-03-02", "2026-03-09"),
        ("1mo", slice(None, "2026-02"), "2000", "2026-03-01"),
        ("15min", slice("2026-02-01 10:15:00", "2026-02-05 23"), "2026-02-01 10:15", "2026-02-06"),
        ("1h", slice(pd.Timestamp("2026-02-01 10:00"), pd.Timestamp("2026-03-01")), "2026-02-01 10:00", "2026-03-01"),
    ],
)  # fmt: skip
def test_periods_include_their_end_and_instants_do_not(grain, item, first, last):
    frame = table(4000)
    cube = cube_of(frame, grain=grain, by="shop")
    assert cube[item].statistic_.rows == ((frame["ts"] >= first) & (frame["ts"] < last)).sum()


def test_times_with_a_zone_are_times_of_utc():
    frame = table(2000)[COLUMNS]
    local = frame.assign(ts=frame["ts"].dt.tz_localize("UTC").dt.tz_convert("Europe/Berlin"))
    cube = cube_of(local)
    assert_same(cube["2026-03-28":"2026-03-30"], cube_of(frame)["2026-03-28":"2026-03-30"])  # clocks change on the 29th
    berlin = datetime.timezone(datetime.timedelta(hours=2))
    assert (
        cube[datetime.datetime(2026, 4, 1, 2, tzinfo=berlin) :].statistic_.rows == (frame["ts"] >= "2026-04-01").sum()
    )
    with pytest.raises(ValueError, match="no time zone"):
        cube[datetime.datetime(2026, 4, 1) :]
    with pytest.raises(ValueError, match="no time zone, those before had a time zone"):
        cube.append(frame)
    assert str(cube.roll("28d")["start"].dtype).endswith("UTC]")


def test_numbers_as_times():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.standard_normal(500), "t": np.round(rng.uniform(-3, 7, 500), 1), "k": [1, 2] * 250})
    frame["y"] = frame["x"] + 0.1 * rng.standard_normal(500)
    cube = sl.ModelCube(sl.LinearRegression(), time="t", grain=0.1, by="k").fit(frame, "y")
    for low, high in [(-2.3, 0.3), (0.3, 0.7), (6.9, 8.0)]:
        rows = frame[(frame["t"] > low - 0.05) & (frame["t"] < high - 0.05)]
        assert cube[low:high].statistic_.rows == len(rows)
    with pytest.raises(ValueError, match="inside of a step"):
        cube[0.25:]
    with pytest.raises(TypeError, match="times of this cube are numbers"):
        cube["2026-03":]
    assert cube.roll(2.0, 0.5, by="k")["k"].unique().tolist() == [1, 2]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_units_and_years_before_1970(unit):
    days = np.arange("1969-12-25", "1970-01-08", dtype="M8[D]").astype(f"M8[{unit}]") - np.timedelta64(1, "s")
    frame = pd.DataFrame({"ts": days, "x": np.arange(14.0), "y": np.arange(14.0) ** 2})
    cube = sl.ModelCube(sl.LinearRegression(), time="ts", grain="1d").fit(frame, "y")
    assert cube["1969"].statistic_.rows == 8
    assert cube["1969-12-24":"1969-12-26"].statistic_.mean[0] == 1.0


# -- what is refused ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"ts": pd.NaT}, r"missing \(NaT\), first at row 3"),
        ({"shop": None}, "key in column 'shop' is missing, first at row 3"),
        ({"a": np.nan}, "contains NaN: first at row 3, column 'a'"),
        ({"b": np.inf}, "contains infinity: first at row 3, column 'b'"),
        ({"y": np.nan}, "y contains NaN: first at row 3"),
    ],
)
def test_a_bad_row_is_named_and_nothing_changes(change, text):
    frame = table(200)
    cube = cube_of(frame)
    before = cube[:].coef_.copy()
    bad = frame[COLUMNS].iloc[:50].reset_index(drop=True)
    for name, value in change.items():
        bad[name] = bad[name].astype(object) if name == "shop" else bad[name]
        bad.loc[3, name] = value
    with pytest.raises(ValueError, match=text):
        cube.append(bad)
    assert np.array_equal(cube[:].coef_, before)
    with pytest.raises(ValueError, match=text):
        cube_of(bad.assign(w=1.0))


def test_what_makes_no_sense_is_refused():
    frame = table(100)
    rows = frame[COLUMNS]
    cube = cube_of(frame)
    for item in [
        "2026-13",
        "soon",
        "2026-03-01 10",
        slice("2026-04", "2026-03"),
        slice("2026", None, 2),
        slice("2031", None),
    ]:
        with pytest.raises(ValueError, match="no period|inside of a step|empty|no step|no rows"):
            cube[item]
    for item in [3, None, ("2026-03", "A"), ({"shop": "A"}, "2026")]:
        with pytest.raises(TypeError, match="window"):
            cube[item]
    with pytest.raises(ValueError, match="no rows with shop = 'Z'; there are 'A', 'B'"):
        cube[{"shop": ["A", "Z"]}]
    with pytest.raises(ValueError, match="no rows with lane = '1'"):
        cube[{"lane": "1"}]
    with pytest.raises(ValueError, match="no key 'shops'; did you mean 'shop'"):
        cube[{"shops": "A"}]
    with pytest.raises(ValueError, match="sums add up"):
        sl.ModelCube(sl.SVC(), time="ts", grain="1d")
    with pytest.raises(ValueError, match="15min"):
        sl.ModelCube(sl.Ridge(), time="ts", grain="daily")
    with pytest.raises(ValueError, match="different columns"):
        sl.ModelCube(sl.Ridge(), time="ts", grain="1d", by="ts")
    with pytest.raises(ValueError, match="not fitted yet"):
        sl.ModelCube(sl.Ridge(), time="ts", grain="1d")["2026"]
    with pytest.raises(TypeError, match="data frame or files"):
        sl.ModelCube(sl.Ridge(), time="ts", grain="1d").fit(np.eye(3), np.ones(3))
    with pytest.raises(ValueError, match="no column 'when'"):
        cube_of(frame, time="when")
    with pytest.raises(ValueError, match="not times"):
        cube_of(frame.assign(ts=frame["ts"].astype(str)))
    with pytest.raises(ValueError, match="whole numbers and|text and"):
        cube.append(rows.assign(shop=np.arange(100)))
    with pytest.raises(ValueError, match="sample_weight is zero for every row"):
        cube_of(frame.assign(w=0.0), weight="w")


def test_a_cube_that_cannot_fit_is_refused_before_it_is_made(monkeypatch):
    monkeypatch.setattr(cube_rows, "available_memory", lambda: 10_000)
    with pytest.raises(ValueError, match="take a longer grain, fewer keys or fewer columns"):
        cube_of(table(100))


# -- sources and memory -----------------------------------------------------------------------------------------------


def test_frames_of_any_library_and_files_give_the_same_cube(tmp_path):
    frame = table(900)[COLUMNS]
    frame.to_csv(tmp_path / "all.csv", index=False)
    frame.iloc[:500].to_parquet(tmp_path / "1.parquet", index=False)
    frame.iloc[500:].to_parquet(tmp_path / "2.parquet", index=False)
    plain = cube_of(frame)
    others = [
        frame.assign(shop=frame["shop"].astype("category")),
        pl.from_pandas(frame),
        pl.from_pandas(frame).with_columns(pl.col("shop").cast(pl.Categorical)),
        pl.from_pandas(frame).to_arrow(),
        str(tmp_path / "all.csv"),
        str(tmp_path / "*.parquet"),
    ]
    for other in others:
        cube = sl.ModelCube(sl.Ridge(alpha=0.5), **WHERE).fit(other, "y")
        assert cube.keys_ == plain.keys_
        assert cube.n_leaves_ == plain.n_leaves_
        assert_same(cube["2026-02", {"shop": "B"}], plain["2026-02", {"shop": "B"}])
    cube.append(frame.iloc[:50])
    assert cube[:].statistic_.rows == 950


def test_numbers_out_of_range_and_wide_rows_are_kept_as_objects():
    frame = table(60)[COLUMNS]
    large = frame.assign(a=frame["a"] * 1e150)
    cube = cube_of(large)
    assert isinstance(cube._tree.stack, StatisticList)
    np.testing.assert_allclose(
        cube[:].predict(large[FEATURES]), refit(sl.Ridge(alpha=0.5), large).predict(large[FEATURES])
    )
    cube = cube_of(frame)
    assert isinstance(cube._tree.stack, MomentStack)
    cube.append(large.iloc[:30])
    assert isinstance(cube._tree.stack, StatisticList)
    both = pd.concat([frame, large.iloc[:30]])
    np.testing.assert_allclose(cube[:].statistic_.mean, Moments.of(both[[*FEATURES, "y"]]).mean, rtol=1e-12)
    rng = np.random.default_rng(0)
    wide = pd.DataFrame(rng.standard_normal((30, 140)), columns=[f"x{j}" for j in range(140)])
    wide["y"], wide["ts"] = wide["x0"], pd.date_range("2026", periods=30)
    held = sl.ModelCube(sl.Ridge(), time="ts", grain="1w").fit(wide, "y")
    np.testing.assert_allclose(
        held[:].coef_, sl.Ridge().fit(wide.drop(columns=["y", "ts"]), wide["y"]).coef_, rtol=1e-8
    )


def test_thin_data_are_not_copied_many_times():
    """Keys that have one row each: floors that would hardly have fewer nodes are left out."""
    n = 3000
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.standard_normal(n), "y": rng.standard_normal(n), "k": np.arange(n)})
    frame["ts"] = pd.Timestamp("2026-01-01") + pd.to_timedelta(rng.integers(0, 10**6, n), unit="min")
    cube = sl.ModelCube(sl.Ridge(), time="ts", grain="1min", by="k").fit(frame, "y")
    assert len(cube._tree.stack) < 3 * cube.n_leaves_  # the floor of all keys, and some on it
    chosen = rng.choice(n, 200, replace=False)
    assert_same(cube[{"k": chosen}], sl.Ridge().fit(frame.loc[chosen, ["x"]], frame.loc[chosen, "y"]))


def test_copies_are_of_their_own_and_memory_is_said():
    frame = table(300)[COLUMNS]
    cube = cube_of(frame)
    twin = pickle.loads(pickle.dumps(copy.deepcopy(cube)))
    twin.append(frame.iloc[:100])
    assert cube[:].statistic_.rows == 300
    assert twin[:].statistic_.rows == 400
    assert cube.bytes_per_leaf == 8 * (4 + 3 * 4 + 4 * 5)
    assert cube.n_leaves_ * cube.bytes_per_leaf <= cube.nbytes < 3 * cube.n_leaves_ * cube.bytes_per_leaf
    assert (cube.start_, cube.end_) == (
        frame["ts"].min().normalize(),
        frame["ts"].max().normalize() + pd.Timedelta(days=1),
    )
    assert "leaves" in repr(cube)


def test_a_row_of_no_weight_is_absent():
    frame = table(400)
    frame.loc[frame["w"] == 0, "a"] = np.nan
    cube = cube_of(frame, weight="w")
    assert_same(cube[:], refit(sl.Ridge(alpha=0.5), frame[frame["w"] > 0], weighted=True))
    double = cube_of(pd.concat([frame[frame["w"] > 0]] * 2).assign(w=1.0), weight="w")
    assert_same(cube_of(frame[frame["w"] > 0].assign(w=2.0), weight="w")[:], double[:])


def test_no_row_that_threads_append_is_lost():
    frame = table(seed=3)[COLUMNS]
    cube, parts = cube_of(frame[:40]), [frame[i : i + 4] for i in range(40, 200, 4)]
    before, switches = cube[:], sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            asked = list(pool.map(lambda part: cube.append(part) is cube and cube[:].statistic_.rows, parts))
    finally:
        sys.setswitchinterval(switches)
    assert cube[:].statistic_.rows == 200 and set(asked) <= set(range(44, 201, 4)) and before.statistic_.rows == 40
    assert_same(cube[:], cube_of(frame[:200])[:])


def test_a_night_without_rows_changes_nothing():
    frame = table(200)
    cube = cube_of(frame)
    none = frame[[*FEATURES, "shop", "lane", "ts", "y"]][:0]
    for changed in (cube.append(none), cube.apply(old=none), cube.apply(old=none, new=none.astype(object))):
        assert changed.total.statistic_.rows == 200
    assert cube.apply(none.assign(sign=1)).total.statistic_.rows == 200


@pytest.mark.parametrize(("kind", "low", "high"), [(np.int8, -128, 127), (np.uint64, 2**63, 2**63 + 200)])
def test_keys_of_any_whole_numbers(kind, low, high):
    levels = np.random.default_rng(0).integers(low, high, 500, dtype=kind)
    frame = table(500)[[*FEATURES, "ts", "y"]].assign(level=levels)
    cube = sl.ModelCube(sl.Ridge(), time="ts", grain="1mo", by="level").fit(frame, "y")
    assert [key for (key,) in cube.keys_] == np.unique(levels).tolist()
    assert cube[{"level": int(levels[7])}].statistic_.rows == (levels == levels[7]).sum()


def test_truth_values_are_no_whole_numbers():
    frame = table(200)[[*FEATURES, "ts", "y"]].assign(level=1)
    cube = sl.ModelCube(sl.Ridge(), time="ts", grain="1mo", by="level").fit(frame, "y")
    with pytest.raises(ValueError, match="truth values and whole numbers"):
        cube.append(frame.assign(level=True))
