"""Sparse models against other libraries: equal objective, every rival at its best setting, one run, ratios printed.

    python -m benchmarks.sparse [tall] [wide] [logistic] [--share 0.1]

`--share` takes fewer rows, for a quick look. All sides have one BLAS thread; runs are interleaved, and the best counts.
"objective" is relative to the least of the table. For many rows the time of the bare product X'X stands below: whoever
looks at all rows once needs it.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import sklearn.linear_model as rival
from sklearn.datasets import make_classification, make_regression
from threadpoolctl import threadpool_limits

import sumlearn as sl

from benchmarks.timing import timed


def race(title: str, sides: dict[str, Callable[[], Any]], objective: Callable[[Any], float], rounds: int = 3) -> None:
    """Time and objective of every side, and the ratio to ours, which is the first."""
    best, found = dict.fromkeys(sides, np.inf), {}
    for _ in range(rounds):
        for name, side in sides.items():
            began = time.perf_counter()
            found[name] = side()
            best[name] = min(best[name], time.perf_counter() - began)
    values = {name: objective(model) for name, model in found.items()}
    least, ours = min(values.values()), best[next(iter(sides))]
    print(f"\n{title}\n| | ms | ratio | objective above the least |\n|---|---|---|---|")
    for name in sides:
        above = (values[name] - least) / abs(least)
        print(f"| {name} | {1e3 * best[name]:.0f} | {best[name] / ours:.1f} | {above:.1e} |", flush=True)


def lasso_objective(X: np.ndarray, y: np.ndarray, alpha: float) -> Callable[[Any], float]:
    def value(model: Any) -> float:
        r = y - X @ model.coef_ - model.intercept_
        return float(r @ r) / (2 * len(y)) + alpha * float(np.abs(model.coef_).sum())

    return value


def tall(share: float) -> None:
    """200,000 x 200: a path of 100 penalties, and five folds of it."""
    n = int(200_000 * share)
    X, y = make_regression(n, 200, n_informative=40, noise=30.0, random_state=0)
    X[:, 1:] += 0.7 * X[:, :-1]
    X, y = X - X.mean(axis=0), y - y.mean()
    alphas = np.abs(X.T @ y).max() / n * np.logspace(0, -3, 100)

    def risk_of_path(found: Any) -> float:
        coef = found[1]
        r = y[:, None] - X @ coef[:, ::20]
        return float(((r * r).sum(axis=0) / (2 * n) + alphas[::20] * np.abs(coef[:, ::20]).sum(axis=0)).sum())

    race(
        f"lasso path, {n} x 200, 100 penalties",
        {
            "sumlearn": lambda: sl.Lasso.path(X, y, l1_ratio=1.0, alphas=alphas),
            "scikit-learn, Gram": lambda: rival.lasso_path(X, y, alphas=alphas, precompute=True, tol=1e-6),
        },
        risk_of_path,
    )
    race(
        f"LassoCV, {n} x 200, 5 folds x 100 penalties",
        {
            "sumlearn": lambda: sl.LassoCV(alphas=alphas, cv=5, n_jobs=1).fit(X, y),
            "scikit-learn": lambda: rival.LassoCV(alphas=alphas, cv=5, tol=1e-6).fit(X, y),
        },
        lambda model: float(model.mse_path_.mean(axis=1).min()),
        1 if share > 0.5 else 2,
    )
    product = min(timed(lambda: X.T @ X)[0] for _ in range(3))
    print(f"\nthe product X'X alone: {1e3 * product:.0f} ms")


def wide(share: float) -> None:
    """2,000 x 50,000."""
    d = int(50_000 * share)
    X, y = make_regression(2000, d, n_informative=50, noise=5.0, random_state=0)
    F, alpha = np.asfortranarray(X), 0.05 * float(np.abs(X.T @ (y - y.mean())).max()) / 2000
    sides = {
        "sumlearn": lambda: sl.Lasso(alpha, tol=1e-6).fit(F, y),
        "scikit-learn": lambda: rival.Lasso(alpha, tol=1e-6).fit(F, y),
    }
    for name in ("skglm", "celer"):
        try:
            kind = __import__(name).Lasso
        except ImportError:
            continue
        sides[name] = lambda kind=kind: kind(alpha=alpha, tol=1e-6).fit(F, y)
        kind(alpha=alpha).fit(F[:50, :50], y[:50])  # it compiles
    race(f"lasso, 2000 x {d}", sides, lasso_objective(X, y, alpha))


def logistic(share: float) -> None:
    """100,000 x 100, two classes, L1."""
    n = int(100_000 * share)
    X, y = make_classification(n, 100, n_informative=20, n_redundant=10, random_state=0, flip_y=0.05)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    C, signs = 300.0 / n, np.where(y == 1, 1.0, -1.0)

    def risk(model: Any) -> float:
        coef, intercept = np.ravel(model.coef_), float(np.ravel(model.intercept_)[0])
        return float(np.logaddexp(0.0, -signs * (X @ coef + intercept)).sum()) + float(np.abs(coef).sum()) / C

    sides = {
        "sumlearn": lambda: sl.LogisticRegression(l1_ratio=1.0, C=C, n_jobs=1).fit(X, y),
        "scikit-learn, saga": lambda: rival.LogisticRegression(
            l1_ratio=1.0, C=C, solver="saga", tol=1e-6, max_iter=1000
        ).fit(X, y),
        "scikit-learn, liblinear": lambda: rival.LogisticRegression(
            l1_ratio=1.0, C=C, solver="liblinear", tol=1e-6, intercept_scaling=1e4, max_iter=1000
        ).fit(X, y),
    }
    try:
        from skglm import SparseLogisticRegression

        F = np.asfortranarray(X)
        SparseLogisticRegression(1.0 / (C * n), tol=1e-8).fit(F[:200], y[:200])
        sides["skglm"] = lambda: SparseLogisticRegression(1.0 / (C * n), tol=1e-8).fit(F, signs)
    except ImportError:
        pass
    race(f"logistic regression with L1, {n} x 100", sides, risk, 2)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", nargs="*", default=["tall", "wide", "logistic"])
    parser.add_argument("--share", type=float, default=1.0)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    with threadpool_limits(1):
        for task in options.task:
            {"tall": tall, "wide": wide, "logistic": logistic}[task](options.share)
