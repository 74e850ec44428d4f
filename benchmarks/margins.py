"""Linear support vector machines and dual logistic regression against liblinear: `python -m benchmarks.margins`.

Rivals run at their best setting (the dual or the primal, whichever is faster, at a tolerance that reaches the
objective) and both sides with one BLAS thread; runs are interleaved, and the best time of each counts. The objective of
each side is printed beside its time: equal or less is the condition for a ratio.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sparse
from sklearn import svm
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

import sumlearn as sl


def hinge_risk(X: np.ndarray, y: np.ndarray, model: Any, power: int) -> float:
    lack = np.maximum(0.0, 1.0 - (2.0 * y - 1.0) * (X @ model.coef_[0] + model.intercept_[0]))
    return float(0.5 * (model.coef_[0] @ model.coef_[0] + model.intercept_[0] ** 2) + (lack**power).sum())


def logistic_risk(X: Any, y: np.ndarray, model: Any) -> float:
    margin = (2.0 * y - 1.0) * (X @ model.coef_[0])
    return float(0.5 * model.coef_[0] @ model.coef_[0] + np.logaddexp(0.0, -margin).sum())


def timed(fit: Callable[[], Any], clock: Callable[[], float] = time.perf_counter) -> tuple[float, Any]:
    begun = clock()
    model = fit()
    return clock() - begun, model


def race(title: str, ours: Callable[[], Any], rivals: dict[str, Callable[[], Any]], risk: Any, rounds: int) -> None:
    """Interleaved runs; the best time of each side, and its objective."""
    best: dict[str, tuple[float, float]] = {}
    for _ in range(rounds):
        for name, fit in {"sumlearn": ours, **rivals}.items():
            seconds, model = timed(fit)
            value = risk(model)
            best[name] = min(best.get(name, (np.inf, value)), (seconds, value))
    own, least = best.pop("sumlearn")
    print(f"{title}\n    sumlearn {own:8.3f} s  objective {least:.6f}")
    for name, (seconds, value) in best.items():
        print(f"    {name:24} {seconds:8.3f} s  objective {value:.6f}  ratio {seconds / own:6.2f}", flush=True)


def squared_hinge(rows: int, rounds: int) -> None:
    X, y = make_classification(rows, 50, n_informative=30, n_redundant=5, flip_y=0.02, class_sep=0.8, random_state=0)
    rivals = {"LinearSVC primal": lambda: svm.LinearSVC(dual=False, tol=1e-6).fit(X, y)}
    risk = lambda model: hinge_risk(X, y, model, 2)  # noqa: E731
    race(f"squared hinge, {rows} x 50", lambda: sl.LinearSVC(n_jobs=1).fit(X, y), rivals, risk, rounds)


def hinge(rows: int, rounds: int) -> None:
    X, y = make_classification(rows, 50, n_informative=30, n_redundant=5, flip_y=0.02, class_sep=0.8, random_state=0)
    rivals = {"LinearSVC, 1000 epochs": lambda: svm.LinearSVC(loss="hinge", tol=1e-4, random_state=0).fit(X, y)}
    risk = lambda model: hinge_risk(X, y, model, 1)  # noqa: E731
    race(f"hinge, {rows} x 50", lambda: sl.LinearSVC(loss="hinge", n_jobs=1).fit(X, y), rivals, risk, rounds)


def sparse_logistic(rows: int, rounds: int) -> None:
    rng = np.random.default_rng(0)
    X = sparse.random_array((rows, rows), density=100 / rows, rng=rng, format="csr")
    X.data = rng.lognormal(size=len(X.data))
    X = sparse.csr_matrix(X.multiply(1.0 / np.sqrt(X.multiply(X).sum(axis=1))[:, None]))
    w = rng.standard_normal(rows) * (rng.random(rows) < 0.1)
    y = (X @ w + 0.1 * rng.standard_normal(rows) > 0).astype(int)
    common = {"C": 1.0, "fit_intercept": False}
    rivals = {
        f"liblinear dual, tol {tol:g}": lambda tol=tol: LogisticRegression(
            solver="liblinear", dual=True, tol=tol, max_iter=1000, random_state=0, **common
        ).fit(X, y)
        for tol in (1e-1, 1e-2)
    }
    ours = lambda: sl.LinearClassifier(  # noqa: E731
        "logistic", alpha=1.0, fit_intercept=False, solver=sl.solvers.DualCD(tol=1e-6)
    ).fit(X, y)
    race(f"sparse logistic, {rows} x {rows}", ours, rivals, lambda model: logistic_risk(X, y, model), rounds)


TASKS = {
    "squared_hinge": (squared_hinge, 500_000),
    "hinge": (hinge, 50_000),
    "sparse_logistic": (sparse_logistic, 50_000),
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.margins", description=__doc__)
    parser.add_argument("task", nargs="*", choices=[*TASKS, []], help="default: all")
    parser.add_argument("--rows", type=int, help="of every task, in the place of its own number")
    parser.add_argument("--rounds", type=int, default=2)
    given = parser.parse_args()
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in given.task or TASKS:
            task, rows = TASKS[name]
            task(given.rows or rows, given.rounds)


if __name__ == "__main__":
    main()
