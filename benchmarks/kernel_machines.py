"""Support vector machines with a Gaussian kernel against libsvm and intelex: `python -m benchmarks.kernel_machines`.

All with one thread and at the same tolerance; runs are interleaved, and the best time of each side counts, or the best
CPU time (`--cpu`), where the machine has other work to do. The dual of each side is computed afresh in double, from its
vectors: equal or more is the condition for a ratio.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn import svm
from sklearn.datasets import make_classification, make_regression
from threadpoolctl import threadpool_limits

import sumlearn as sl

from . import margins

COLUMNS = 20
clock = time.perf_counter


def dual(X: np.ndarray, y: np.ndarray, model: Any, gamma: float, epsilon: float = 0.0) -> float:
    """sum t b - e |b| - b'Kb / 2, in double."""
    b, rows = np.asarray(model.dual_coef_).ravel(), X[model.support_]
    length = (rows**2).sum(axis=1)
    total = float(b @ y[model.support_]) - epsilon * float(np.abs(b).sum())
    for first in range(0, len(b), 512):
        part = slice(first, first + 512)
        K = np.exp(-gamma * np.maximum(length[part, None] + length - 2.0 * rows[part] @ rows.T, 0.0))
        total -= 0.5 * float(b[part] @ (K @ b))
    return total


def race(title: str, sides: dict[str, Callable[[], Any]], value: Callable[[Any], float], rounds: int) -> None:
    best: dict[str, tuple[float, float]] = {}
    for _ in range(rounds):
        for name, fit in sides.items():
            seconds, model = margins.timed(fit, clock)
            if name not in best or seconds < best[name][0]:
                best[name] = seconds, value(model)
    own, most = best.pop("sumlearn")
    print(f"{title}\n    sumlearn {own:8.3f} s  dual {most:.5f}")
    for name, (seconds, found) in best.items():
        print(f"    {name:8} {seconds:8.3f} s  dual {found:.5f}  ratio {seconds / own:6.2f}", flush=True)


def sides_of(kind: str, X: np.ndarray, y: np.ndarray, skip: list[str], **parameters: Any) -> dict[str, Any]:
    from sklearnex import svm as faster

    fits: dict[str, Callable[[], Any]] = {
        "sumlearn": lambda: getattr(sl, kind)(n_jobs=1, cache_size=400, **parameters).fit(X, y),
        "intelex": lambda: getattr(faster, kind)(cache_size=400, **parameters).fit(X, y),
        "libsvm": lambda: getattr(svm, kind)(cache_size=400, **parameters).fit(X, y),
    }
    return {name: fit for name, fit in fits.items() if name not in skip}


def classes(rows: int, C: float, rounds: int, skip: list[str]) -> None:
    X, y = make_classification(
        rows, COLUMNS, n_informative=12, n_redundant=2, flip_y=0.05, class_sep=0.8, random_state=0
    )
    gamma, sign = 1.0 / (COLUMNS * X.var()), np.where(y > 0, 1.0, -1.0)
    sides = sides_of("SVC", X, y, skip, C=C, gamma=gamma)
    race(f"SVC, {rows} x {COLUMNS}, C = {C:g}", sides, lambda model: dual(X, sign, model, gamma), rounds)


def numbers(rows: int, C: float, rounds: int, skip: list[str]) -> None:
    X, y = make_regression(rows, COLUMNS, n_informative=8, noise=20.0, random_state=0)
    y, gamma = (y - y.mean()) / y.std(), 1.0 / (COLUMNS * X.var())
    sides = sides_of("SVR", X, y, skip, C=C, gamma=gamma, epsilon=0.1)
    race(f"SVR, {rows} x {COLUMNS}, C = {C:g}", sides, lambda model: dual(X, y, model, gamma, 0.1), rounds)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.kernel_machines", description=__doc__)
    parser.add_argument("kind", nargs="*", choices=["classes", "numbers", []], help="default: classes")
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--C", type=float, nargs="*", default=[1.0, 100.0])
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--skip", nargs="*", default=[], help="rivals that are left out")
    parser.add_argument("--cpu", action="store_true", help="CPU time, not that of the clock")
    given = parser.parse_args()
    if given.cpu:
        global clock
        clock = time.process_time
    import daal4py

    daal4py.daalinit(1)
    sl.SVC(n_jobs=1).fit(*make_classification(1100, random_state=0))  # compiled once
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for kind in given.kind or ["classes"]:
            for C in given.C:
                (classes if kind == "classes" else numbers)(given.rows, C, given.rounds, given.skip)


if __name__ == "__main__":
    main()
