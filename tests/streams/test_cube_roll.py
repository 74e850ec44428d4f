"""Rolling windows are refits, and the Chow test is that of statsmodels."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats

import sumlearn as sl

from tests.streams.cube_tables import FEATURES, table

COLUMNS = [*FEATURES, "y", "shop", "lane", "ts"]
WHERE = {"time": "ts", "grain": "1d", "by": ["shop", "lane"]}


def check_rolling(learner, frame, found, by, weighted=False):
    """Every row of a table of rolling windows against a refit, and that no window is left out."""
    for row in found.to_dict("records"):
        rows = frame[(frame["ts"] >= row["start"]) & (frame["ts"] < row["end"])]
        for name in by:
            rows = rows[rows[name] == row[name]]
        model = learner.fit(rows[FEATURES], rows["y"], rows["w"] if weighted else None)
        coefficients = [row[name] for name in FEATURES]
        np.testing.assert_allclose(coefficients, model.coef_, rtol=1e-10, atol=1e-10)
        assert row["intercept"] == pytest.approx(model.intercept_, rel=1e-7, abs=1e-10)
        assert row["weight"] == pytest.approx(model.statistic_.weight, rel=1e-12)
        fitted = model.predict(rows[FEATURES])
        weight = rows["w"] if weighted else np.ones(len(rows))
        errors = np.average((rows["y"] - fitted) ** 2, weights=weight)
        assert row["rmse"] == pytest.approx(np.sqrt(errors), rel=1e-6, abs=1e-9)
        centre = np.average(rows["y"], weights=weight) if learner.fit_intercept else 0.0
        total = np.average((rows["y"] - centre) ** 2, weights=weight)
        assert row["r2"] == pytest.approx(1 - errors / total, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize(
    ("learner", "offset", "weighted", "window", "step", "by", "partial"),
    [
        (sl.Ridge(alpha=2.0), 0.0, False, "28d", "1d", ["shop"], False),
        (sl.LinearRegression(), 1e9, False, "30d", "7d", ["lane"], False),
        (sl.Ridge(alpha=0.7, fit_intercept=False), 0.0, True, "20d", "3d", ["lane", "shop"], False),
        (sl.LinearRegression(fit_intercept=False), 0.0, False, "100d", "10d", [], True),
        (sl.Ridge(alpha=1e-3), 1e6, True, "2d", "1d", ["lane"], True),
    ],
)
def test_rolling_windows_are_refits(learner, offset, weighted, window, step, by, partial):
    frame = table(1500, seed=4, offset=offset, days=60 if window != "100d" else 140, shops="ABC")
    columns = [*COLUMNS, *(["w"] if weighted else [])]
    cube = sl.ModelCube(learner, **WHERE).fit(frame[columns], "y", "w" if weighted else None)
    found = cube.roll(window, step, by=by or None, partial=partial)
    assert found["end"].max() == pd.Timestamp(cube.end_)
    groups = 1 if not by else len(frame[by].drop_duplicates())
    days, every, width = (cube.end_ - cube.start_).days, int(step[:-1]), int(window[:-1])
    assert len(found) == groups * len(range(days, 0 if partial else width - 1, -every))
    chosen = found.sample(min(len(found), 25), random_state=1)
    check_rolling(learner, frame, chosen, by, weighted)
    assert (found["hard"].mean() < 0.2) or offset


@pytest.mark.slow
def test_every_rolling_window_is_a_refit():
    frame = table(2000, seed=9, shops="ABCD")
    for learner in (sl.Ridge(alpha=1.0), sl.LinearRegression()):
        cube = sl.ModelCube(learner, **WHERE).fit(frame[COLUMNS], "y")
        check_rolling(learner, frame, cube.roll("14d", by="shop"), ["shop"])


def test_hard_windows_go_the_careful_road_and_say_so():
    frame = table(600, seed=2, shops="AB")[COLUMNS]
    frame["c"] = frame["a"] * 1e-9 + frame["b"]  # nearly the same, then exactly
    late = frame["ts"] >= "2026-03-01"
    frame.loc[late, "c"] = frame.loc[late, "b"]
    cube = sl.ModelCube(sl.LinearRegression(), **WHERE).fit(frame, "y")
    with pytest.warns(sl.IllConditionedWarning, match="constant or depend on each other"):
        found = cube.roll("14d", "5d")
    assert found["hard"].any()
    for row in found[found["hard"]].to_dict("records"):
        rows = frame[(frame["ts"] >= row["start"]) & (frame["ts"] < row["end"])]
        with pytest.warns(sl.IllConditionedWarning) if row["start"] >= pd.Timestamp("2026-03-01") else nothing():
            model = sl.LinearRegression().fit(rows[FEATURES], rows["y"])
        np.testing.assert_allclose([row[n] for n in FEATURES], model.coef_, rtol=1e-5, atol=1e-8)


def nothing():
    import contextlib

    return contextlib.nullcontext()


def test_groups_without_rows_in_a_window_are_left_out():
    frame = table(200, shops="AB")[COLUMNS]
    frame = frame[(frame["shop"] == "A") | (frame["ts"] < "2026-02-01")]
    cube = sl.ModelCube(sl.Ridge(), **WHERE).fit(frame, "y")
    found = cube.roll("10d", "10d", by="shop")
    assert found[found["shop"] == "B"]["start"].max() < pd.Timestamp("2026-02-01")
    assert (found["weight"] > 0).all()


def test_exact_sums_are_rolled_and_compared_too():
    frame = table(300)[COLUMNS]
    plain, exact = (sl.ModelCube(sl.Ridge(precision=p), **WHERE).fit(frame, "y") for p in (None, "exact"))
    names = [*FEATURES, "intercept", "r2", "rmse"]
    np.testing.assert_allclose(exact.roll("60d", "9d")[names], plain.roll("60d", "9d")[names], rtol=1e-10)
    parts = {"shop": "A"}, {"shop": "B"}
    assert exact.compare(*parts).statistic == pytest.approx(plain.compare(*parts).statistic, rel=1e-10)


def test_what_cannot_be_rolled_is_refused():
    frame = table(200)[COLUMNS]
    cube = sl.ModelCube(sl.Ridge(), **WHERE).fit(frame, "y")
    for arguments, text in [
        (("36h",), "no whole number of steps"),
        (("1mo",), "months are not all of one length"),
        (("400d",), "longer than the time"),
        (("7d", "1d", "shops"), "did you mean 'shop'"),
    ]:
        with pytest.raises(ValueError, match=text):
            cube.roll(*arguments)
    with pytest.raises(TypeError, match="28d"):
        cube.roll(28)
    with pytest.raises(ValueError, match="one window at a time"):
        sl.ModelCube(sl.PCA(), **WHERE).fit(frame.drop(columns="y")).roll("7d")
    with pytest.raises(ValueError, match="positive=False"):
        sl.ModelCube(sl.Ridge(positive=True), **WHERE).fit(frame, "y").roll("7d")


# -- the Chow test ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("intercept", "offset"), [(True, 0.0), (False, 0.0), (True, 1e6)])
def test_chow_is_that_of_statsmodels(intercept, offset):
    frame = table(500, seed=3, offset=offset)
    first, second = frame[frame["ts"] < "2026-02-01"], frame[frame["ts"].dt.month == 3]
    cube = sl.ModelCube(sl.LinearRegression(fit_intercept=intercept), **WHERE).fit(frame[COLUMNS], "y")
    test = cube.compare("2026-01", "2026-03")
    both = pd.concat([first, second])
    shifted = both[FEATURES] - offset if intercept else both[FEATURES]  # centred for statsmodels: the same test
    X = sm.add_constant(shifted) if intercept else shifted
    after = np.repeat([0.0, 1.0], [len(first), len(second)])[:, None]
    names = [*X.columns, *(f"{name}*" for name in X.columns)]
    wide = sm.OLS(both["y"].to_numpy(), pd.DataFrame(np.hstack([X, X * after]), columns=names)).fit()
    narrow = sm.OLS(both["y"].to_numpy(), X.to_numpy()).fit()
    F, p, _ = wide.compare_f_test(narrow)
    assert test.statistic == pytest.approx(F, rel=1e-7)
    assert test.p_value == pytest.approx(p, rel=1e-6)
    assert test.degrees == (3 + intercept, len(both) - 2 * (3 + intercept))
    for name in FEATURES:
        assert test.change[name] == pytest.approx(wide.params[f"{name}*"], rel=1e-6)
        assert test.standard_error[name] == pytest.approx(wide.bse[f"{name}*"], rel=1e-6)
        assert test.p_values[name] == pytest.approx(wide.pvalues[f"{name}*"], rel=1e-5)
    assert "Chow test: F(" in str(test)


def test_chow_by_its_formula_for_groups_and_any_penalty():
    frame = table(300, seed=5)
    cube = sl.ModelCube(sl.Ridge(alpha=100.0), **WHERE).fit(frame[COLUMNS], "y")
    test = cube.compare({"lane": 0}, {"lane": [1, 2]})
    parts = [frame[frame["lane"] == 0], frame[frame["lane"] != 0]]

    def squares(rows):
        X = np.column_stack([np.ones(len(rows)), rows[FEATURES]])
        return float(np.linalg.lstsq(X, rows["y"], rcond=None)[1][0])

    apart = sum(map(squares, parts))
    F = (squares(frame) - apart) / 4 / (apart / 292)
    assert test.statistic == pytest.approx(F, rel=1e-9)
    assert test.p_value == pytest.approx(stats.f.sf(F, 4, 292), rel=1e-9)


def test_what_cannot_be_compared_is_refused():
    frame = table(200)[COLUMNS]
    cube = sl.ModelCube(sl.LinearRegression(), **WHERE).fit(frame, "y")
    with pytest.raises(ValueError, match="share 28 steps|share"):
        cube.compare("2026-02", slice("2026-02", "2026-03"))
    with pytest.raises(ValueError, match="needs more than 4"):
        cube.compare(str(frame["ts"].min().date()), "2026-03")
    flat = frame.assign(c=np.where(frame["ts"] < "2026-02-01", 1.0, frame["c"]))
    with pytest.raises(ValueError, match="column 'c' is constant or depends on others in '2026-01'"):
        sl.ModelCube(sl.LinearRegression(), **WHERE).fit(flat, "y").compare("2026-01", "2026-03")
    with pytest.raises(ValueError, match="regressions of one target"):
        sl.ModelCube(sl.PCA(), **WHERE).fit(frame.drop(columns="y")).compare("2026-01", "2026-03")
