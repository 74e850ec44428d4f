"""Mixtures of Gaussians against scikit-learn's from equal starts and steps: `python -m benchmarks.mixtures`.

Runs are interleaved, and the best time of each side counts; scikit-learn has its BLAS at one thread, and with
`--all-threads` also at all of them, which wait for each other on a machine that does anything else.
The mean log-likelihood of each side is printed beside its time: equal is the condition for a ratio.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.datasets import make_blobs
from sklearn.mixture import GaussianMixture
from threadpoolctl import threadpool_limits

import sumlearn as sl


def timed(fit: Callable[[], Any]) -> tuple[float, Any]:
    begun = time.perf_counter()
    model = fit()
    return time.perf_counter() - begun, model


def race(kind: str, rows: int, columns: int, k: int, steps: int, spread: float, rounds: int, all_threads: bool) -> None:
    X, _ = make_blobs(rows, columns, centers=k, cluster_std=spread, random_state=1)
    means = X[np.random.default_rng(0).choice(rows, k, False)]
    shape = {"full": (k, columns, columns), "tied": (columns, columns), "diag": (k, columns)}[kind]
    precisions = np.ones(shape) if kind == "diag" else np.broadcast_to(np.eye(columns), shape)
    start = {"weights_init": np.full(k, 1.0 / k), "means_init": means, "precisions_init": precisions}
    options = {"covariance_type": kind, "max_iter": steps, "tol": 0.0, **start}

    def theirs(threads: int | None) -> Any:
        with threadpool_limits(threads, user_api="blas"):
            return GaussianMixture(k, **options).fit(X)

    sides: dict[str, Callable[[], Any]] = {
        "sumlearn": lambda: sl.GaussianMixture(k, **options).fit(X),
        "scikit-learn, BLAS 1": lambda: theirs(1),
    }
    if all_threads:
        sides["scikit-learn, BLAS all"] = lambda: theirs(None)
    sl.GaussianMixture(k, **options).fit(X[:1000])  # compiled
    best: dict[str, tuple[float, float]] = {}
    for _ in range(rounds):
        for name, fit in sides.items():
            seconds, model = timed(fit)
            best[name] = min(best.get(name, (np.inf, 0.0)), (seconds, model.lower_bound_))
    own, value = best.pop("sumlearn")
    print(f"{kind}, {rows} x {columns}, {k} components, {steps} steps, spread {spread:g}")
    print(f"    sumlearn {own:8.3f} s  mean log-likelihood {value:.9f}")
    for name, (seconds, other) in best.items():
        print(
            f"    {name:24} {seconds:8.3f} s  mean log-likelihood {other:.9f}  ratio {seconds / own:6.2f}", flush=True
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--kind", nargs="*", default=["full", "tied", "diag"])
    parser.add_argument("--spread", nargs="*", type=float, default=[3.0, 9.0])  # apart, and into each other
    parser.add_argument("--all-threads", action="store_true")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    for kind in arguments.kind:
        for spread in arguments.spread:
            race(kind, arguments.rows, 20, 10, arguments.steps, spread, arguments.rounds, arguments.all_threads)


if __name__ == "__main__":
    main()
