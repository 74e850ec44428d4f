"""k-means against scikit-learn and scikit-learn-intelex: `python -m benchmarks.clusters`.

Equal starts and equally many steps, so equal sums of squares are the condition for a ratio. Rivals run at their best
setting (Lloyd or Elkan, their own threads); runs are interleaved, and the best time of each counts. Peak memory is that
of a process that does nothing else, above what it had with the rows.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import make_blobs


class Table(NamedTuple):
    """Rows around centres, and how far from them."""

    rows: int
    columns: int
    clusters: int
    spread: float
    steps: int = 20


TABLES = {
    "separated": Table(1_000_000, 20, 50, 1.0),
    "overlapping": Table(1_000_000, 20, 50, 4.0),
    "few": Table(1_000_000, 2, 3, 1.0),
    "wide": Table(200_000, 100, 20, 4.0),
    "many": Table(200_000, 10, 500, 1.0),
}


def made(table: Table, dtype: str) -> tuple[np.ndarray, np.ndarray]:
    X, _ = make_blobs(table.rows, table.columns, centers=table.clusters, cluster_std=table.spread, random_state=0)
    start = np.random.default_rng(0).choice(table.rows, table.clusters, replace=False)
    X = X.astype(dtype)
    return X, X[start]


def sides(table: Table, X: np.ndarray, start: np.ndarray) -> dict[str, Callable[[], Any]]:
    from sklearn.cluster import KMeans

    import sumlearn as sl

    common = {"init": start, "max_iter": table.steps, "tol": 0.0, "n_init": 1}
    found: dict[str, Callable[[], Any]] = {"sumlearn": lambda: sl.KMeans(table.clusters, **common).fit(X)}
    for name in ("lloyd", "elkan"):
        found[name] = lambda name=name: KMeans(table.clusters, algorithm=name, **common).fit(X)
    try:
        from sklearnex.cluster import KMeans as Intelex

        found["intelex"] = lambda: Intelex(table.clusters, **common).fit(X)
    except ImportError as missing:
        print(f"rival skipped: intelex ({missing})")
    return found


def race(name: str, table: Table, dtype: str, rounds: int) -> None:
    X, start = made(table, dtype)
    best: dict[str, tuple[float, float, float]] = {}
    for _ in range(rounds):
        for side, fit in sides(table, X, start).items():
            begun, spent = time.perf_counter(), time.process_time()
            model = fit()
            taken = time.perf_counter() - begun, time.process_time() - spent, float(model.inertia_)
            best[side] = min(best.get(side, taken), taken)
    own, _, least = best["sumlearn"]
    print(f"{name} {dtype}: {table.rows} x {table.columns}, k = {table.clusters}, {table.steps} steps")
    for side, (seconds, processor, inertia) in best.items():
        equal = abs(inertia / least - 1.0)
        print(f"    {side:10} {seconds:8.3f} s  (processors {processor:7.3f} s)  ratio {seconds / own:6.2f}  "
              f"sum of squares apart {equal:.1e}", flush=True)  # fmt: skip


def peak(name: str, side: str) -> None:
    """What a fit takes above its rows; for a process of its own."""
    table = TABLES[name]
    X, start = made(table, "float64")
    fit = sides(table, X, start)[side]
    small = Table(5000, table.columns, table.clusters, table.spread, 2)
    sides(small, X[:5000], start)[side]()  # libraries and compiled code
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    fit()
    print(f"    {side:10} {(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024:8.0f} MiB")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.clusters", description=__doc__)
    parser.add_argument("table", nargs="*", choices=[*TABLES, []], help="default: separated and overlapping")
    parser.add_argument("--dtype", default="float64", choices=["float64", "float32"])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--memory", action="store_true", help="peak memory in the place of times")
    parser.add_argument("--peak", help=argparse.SUPPRESS)
    given = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in given.table or ("separated", "overlapping"):
            if given.peak:
                peak(name, given.peak)
            elif given.memory:
                print(f"{name}: peak memory above the rows")
                for side in ("sumlearn", "lloyd", "elkan", "intelex"):
                    subprocess.run([sys.executable, "-m", "benchmarks.clusters", name, "--peak", side], check=False)
            else:
                race(name, TABLES[name], given.dtype, given.rounds)


if __name__ == "__main__":
    main()
