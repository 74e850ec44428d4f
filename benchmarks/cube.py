"""`python -m benchmarks.cube`: windows of a cube, and rolling ridge over many groups, against recomputing.

    python -m benchmarks.cube query            # 100,000 leaves of 20 columns: milliseconds for a model
    python -m benchmarks.cube roll             # 1,000 groups, 10 million rows, 365,000 windows of 28 days
    python -m benchmarks.cube roll --groups 100 --rows 1000000

Rivals of the rolling windows: polars_ols, where it is installed; running sums of products in NumPy, subtracted at the
ends of every window and solved in one batched call, which is the quickest that can be written in a few lines; and
polars, with the same products by group and day, `rolling_sum` over them. The equal result is checked before a ratio is
printed, and how far each of them comes off once the columns have an offset.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.timing import blas_threads

COLUMNS = 5
WINDOW = 28


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cube")
    parser.add_argument("what", choices=["query", "roll"])
    parser.add_argument("--groups", type=int, default=1000)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--leaves", type=int, default=100_000)
    parser.add_argument("--repeat", type=int, default=3)
    chosen = parser.parse_args()
    with blas_threads(1):
        if chosen.what == "query":
            query(chosen.leaves)
        else:
            roll(chosen.groups, chosen.rows, chosen.repeat)


# -- windows ----------------------------------------------------------------------------------------------------------


def query(leaves: int) -> None:
    """A model of any window and any groups, where there are so many leaves of 20 columns."""
    import pandas as pd

    import sumlearn as sl

    shops, rng = 50, np.random.default_rng(0)
    hours = leaves // shops
    rows = 6 * leaves
    frame = pd.DataFrame(rng.standard_normal((rows, 20)), columns=[f"x{j}" for j in range(20)])
    frame["shop"] = np.resize(np.arange(shops), rows)
    frame["ts"] = pd.Timestamp("2026-01-01") + pd.to_timedelta(np.arange(rows) // shops % hours, unit="h")
    frame["y"] = frame["x0"] + rng.standard_normal(rows)
    begin = time.perf_counter()
    cube = sl.ModelCube(sl.Ridge(), time="ts", grain="1h", by="shop").fit(frame, "y")
    print(f"{cube.n_leaves_:,} leaves of {rows:,} rows: built in {time.perf_counter() - begin:.1f} s, ", end="")
    print(f"{cube.nbytes / 2**20:.0f} MiB, {cube.bytes_per_leaf} bytes a leaf")
    edges = pd.date_range("2026-01-01", periods=hours + 1, freq="h").to_pydatetime()
    kinds: dict[str, Callable[[], Any]] = {
        "one shop": lambda: {"shop": int(rng.integers(shops))},
        "ten shops": lambda: {"shop": rng.choice(shops, 10, replace=False).tolist()},
        "all shops": lambda: {},
    }
    for name, drawn in kinds.items():
        took, solving = [], []
        for _ in range(200):
            first, last = sorted(rng.choice(hours + 1, 2, replace=False).tolist())
            groups, window = drawn(), slice(edges[first], edges[last])
            begin = time.perf_counter()
            model = cube[window, groups]
            took.append(time.perf_counter() - begin)
            _ = model.coef_
            solving.append(time.perf_counter() - begin)
        lot = np.quantile(took, [0.5, 0.95]) * 1e3, np.quantile(solving, [0.5, 0.95]) * 1e3
        print(f"  any window, {name:<10} {lot[0][0]:.2f} ms (95 %: {lot[0][1]:.2f}), ", end="")
        print(f"with coefficients {lot[1][0]:.2f} ms (95 %: {lot[1][1]:.2f})")
    begin = time.perf_counter()
    part = frame[(frame["ts"] >= edges[10]) & (frame["ts"] < edges[hours - 10]) & (frame["shop"] < 10)]
    sl.Ridge().fit(part.drop(columns=["ts", "shop", "y"]), part["y"]).coef_  # noqa: B018  solved when asked for
    print(f"  a refit of the rows of ten shops: {(time.perf_counter() - begin) * 1e3:.0f} ms")


# -- rolling ----------------------------------------------------------------------------------------------------------


def table(groups: int, rows: int, offset: float = 0.0) -> Any:
    import pandas as pd

    rng = np.random.default_rng(1)
    days = 365 + WINDOW - 1
    frame = pd.DataFrame(rng.standard_normal((rows, COLUMNS)) + offset, columns=[f"x{j}" for j in range(COLUMNS)])
    frame["y"] = (frame.to_numpy() - offset) @ np.linspace(1, 2, COLUMNS) + rng.standard_normal(rows)
    frame["shop"] = rng.integers(0, groups, rows)
    frame["ts"] = pd.Timestamp("2025-01-01") + pd.to_timedelta(rng.integers(0, days * 86400, rows), unit="s")
    return frame


def roll(groups: int, rows: int, repeat: int) -> None:
    """Ridge over every window of 28 days of every group, a day apart."""
    frame = table(groups, rows)
    roads: dict[str, Callable[[Any, int], np.ndarray]] = {"sumlearn": ours, "NumPy, running sums": numpy_sums}
    roads["polars, rolling sums"] = polars_sums
    try:
        import polars_ols  # noqa: F401  its expressions enter by themselves

        roads["polars_ols"] = with_polars_ols
    except ImportError:
        print("polars_ols is not installed: not compared")
    small = table(20, 20_000)
    for road in roads.values():
        road(small, 20)  # compiled, and its libraries loaded
    found, best = {}, dict.fromkeys(roads, np.inf)
    for _ in range(repeat):
        for name, road in roads.items():
            begin = time.perf_counter()
            found[name] = road(frame, groups)
            best[name] = min(best[name], time.perf_counter() - begin)
    whole = found["sumlearn"]
    print(f"{groups:,} groups, {rows:,} rows, {len(whole):,} ridge models of {COLUMNS} columns, best of {repeat}:")
    for name, seconds in best.items():
        apart = np.nanmax(np.abs(found[name] - whole))
        print(f"  {name:<22} {seconds:7.2f} s  {seconds / best['sumlearn']:5.2f}x   furthest coefficient {apart:.0e}")
    offset = 1e6
    plain, far = table(20, 20_000), table(20, 20_000, offset)
    print(f"the same with an offset of {offset:.0e}, 20 groups: furthest coefficient from those without it")
    for name, road in roads.items():
        apart = np.nanmax(np.abs(road(far, 20)[:, :COLUMNS] - road(plain, 20)[:, :COLUMNS]))
        print(f"  {name:<22} {apart:.0e}")


def ours(frame: Any, groups: int) -> np.ndarray:
    import sumlearn as sl

    cube = sl.ModelCube(sl.Ridge(alpha=1.0), time="ts", grain="1d", by="shop").fit(frame, "y")
    found = cube.roll(f"{WINDOW}d", "1d", by="shop")
    return found[[*(f"x{j}" for j in range(COLUMNS)), "intercept"]].to_numpy()


def numpy_sums(frame: Any, groups: int) -> np.ndarray:
    """Products by group and day, running sums over days, differences, one batched solution."""
    days = 365 + WINDOW - 1
    day = (frame["ts"].to_numpy() - np.datetime64("2025-01-01")).astype("m8[D]").astype(np.int64)
    cell = frame["shop"].to_numpy() * days + day
    Z = np.column_stack([np.ones(len(frame)), frame[[f"x{j}" for j in range(COLUMNS)]], frame["y"]])
    p = Z.shape[1]
    sums = np.zeros((groups * days, p, p))
    for i in range(p):
        for j in range(i, p):
            sums[:, i, j] = np.bincount(cell, Z[:, i] * Z[:, j], minlength=groups * days)
            sums[:, j, i] = sums[:, i, j]
    running = np.zeros((groups, days + 1, p, p))
    np.cumsum(sums.reshape(groups, days, p, p), axis=1, out=running[:, 1:])
    window = running[:, WINDOW:] - running[:, :-WINDOW]
    return solved(window.reshape(-1, p, p))


def solved(window: np.ndarray) -> np.ndarray:
    """Ridge of products about zero of (1, x, y), the intercept without a penalty."""
    penalty = np.diag(np.append(0.0, np.ones(COLUMNS)))
    found = np.linalg.solve(window[:, :-1, :-1] + penalty, window[:, :-1, -1:])[..., 0]
    return np.column_stack([found[:, 1:], found[:, 0]])


def polars_sums(frame: Any, groups: int) -> np.ndarray:
    """The same products by group and day in polars, and its rolling sums."""
    import polars as pl

    names = ["one", *(f"x{j}" for j in range(COLUMNS)), "y"]
    pairs = [(i, j) for i in range(len(names)) for j in range(i, len(names))]
    days = 365 + WINDOW - 1
    table = pl.from_pandas(frame, rechunk=False).with_columns(
        one=1.0, day=(pl.col("ts") - pl.datetime(2025, 1, 1)).dt.total_days()
    )
    products = [(pl.col(names[i]) * pl.col(names[j])).sum().alias(f"{i},{j}") for i, j in pairs]
    daily = table.lazy().group_by("shop", "day").agg(products).collect()
    grid = pl.DataFrame({"shop": np.repeat(np.arange(groups), days), "day": np.tile(np.arange(days), groups)})
    whole = grid.join(daily, on=["shop", "day"], how="left").fill_null(0.0).sort("shop", "day")
    rolling = [pl.col(f"{i},{j}").rolling_sum(WINDOW).over("shop") for i, j in pairs]
    values = whole.select(rolling).to_numpy().reshape(groups, days, -1)[:, WINDOW - 1 :].reshape(-1, len(pairs))
    window = np.empty((len(values), len(names), len(names)))
    for k, (i, j) in enumerate(pairs):
        window[:, i, j] = window[:, j, i] = values[:, k]
    return solved(window)


def with_polars_ols(frame: Any, groups: int) -> np.ndarray:
    """polars_ols recomputes over rows, so its window is that of so many rows of a group; its answers differ."""
    import polars as pl
    import polars_ols as pls

    features = [pl.col(f"x{j}") for j in range(COLUMNS)]
    rows = len(frame) // groups // (365 + WINDOW - 1) * WINDOW
    table = pl.from_pandas(frame).sort("shop", "ts")
    model = pls.compute_rolling_least_squares(
        pl.col("y"), *features, rolling_kwargs=pls.RollingKwargs(window_size=rows, alpha=1.0), add_intercept=True,
        mode="coefficients",
    )  # fmt: skip
    each = table.select("shop", day=pl.col("ts").dt.date(), found=model.over("shop"))
    last = each.group_by("shop", "day", maintain_order=True).last().unnest("found")
    days, start = 365 + WINDOW - 1, np.datetime64("2025-01-01")
    grid = pl.DataFrame({"shop": np.repeat(np.arange(groups), days), "day": np.tile(start + np.arange(days), groups)})
    whole = grid.join(last, on=["shop", "day"], how="left").sort("shop", "day")  # a day without rows has the last model
    found = whole.select(pl.col(*(f"x{j}" for j in range(COLUMNS)), "const").forward_fill().over("shop")).to_numpy()
    return found.reshape(groups, days, -1)[:, WINDOW - 1 :].reshape(-1, COLUMNS + 1)


if __name__ == "__main__":
    main()
