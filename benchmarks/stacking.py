"""Stacks of twenty models that add up, in five folds, beside scikit-learn's stacks of its own models.

    python -m benchmarks.stacking [--rows 100000] [--columns 50]

The same members, folds and final estimator on both sides, one BLAS thread; equal answers first, then fit, runs
interleaved, the best counts. The rival runs with n_jobs=None and with -1; the better of the two counts.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
import sklearn.ensemble as theirs
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from threadpoolctl import threadpool_limits

import sumlearn as sl

RUNS, MEMBERS, FOLDS = 3, 20, 5
TARGET = 20.0
Pair = tuple[Any, Any]


def regressions() -> list[tuple[str, Any, Any]]:
    """Nineteen ridges and least squares: one kind of sums."""
    ridges = [
        (f"ridge{i}", sl.Ridge(10.0**power), Ridge(10.0**power)) for i, power in enumerate(np.linspace(-3, 6, 19))
    ]
    return [("plain", sl.LinearRegression(), LinearRegression()), *ridges]


def linear(shrinkage: float) -> Pair:
    """A linear discriminant of each library."""
    options = {"solver": "lsqr", "shrinkage": shrinkage}
    return sl.LinearDiscriminantAnalysis(**options), LinearDiscriminantAnalysis(**options)


def discriminants() -> list[tuple[str, Any, Any]]:
    """Linear discriminants of twenty shrinkages: one kind of sums."""
    return [(f"lda{i}", *linear(float(shrinkage))) for i, shrinkage in enumerate(np.linspace(0.0, 0.95, MEMBERS))]


def mixed() -> list[tuple[str, Any, Any]]:
    """Twelve linear discriminants, four quadratic ones and four of naive Bayes: three kinds of sums.

    To score a row by a quadratic discriminant takes longer than to sum it, for both.
    """
    found = [(f"lda{i}", *linear(float(shrinkage))) for i, shrinkage in enumerate(np.linspace(0.0, 0.9, 12))]
    for i, power in enumerate((0.01, 0.1, 0.3, 0.6)):
        found.append(
            (
                f"qda{i}",
                sl.QuadraticDiscriminantAnalysis(reg_param=power),
                QuadraticDiscriminantAnalysis(reg_param=power),
            )
        )
        found.append((f"nb{i}", sl.GaussianNB(var_smoothing=power), GaussianNB(var_smoothing=power)))
    return found


def stacks(task: str, jobs: int | None) -> Pair:
    """Ours and theirs."""
    if task == "regressors":
        members = regressions()
        ours, rival = sl.StackingRegressor, theirs.StackingRegressor
        finals = sl.RidgeCV(), sl.RidgeCV()
    else:
        members = discriminants() if task == "discriminants" else mixed()
        ours, rival = sl.StackingClassifier, theirs.StackingClassifier
        finals = sl.LinearDiscriminantAnalysis(), sl.LinearDiscriminantAnalysis()
    assert len(members) == MEMBERS
    return (
        ours([(name, mine) for name, mine, _ in members], finals[0], cv=FOLDS),
        rival([(name, other) for name, _, other in members], finals[1], cv=FOLDS, n_jobs=jobs),
    )


def rows(n: int, d: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """A table, numbers that depend on it, and three classes of them."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d)) @ (np.eye(d) + 0.3 * rng.standard_normal((d, d)) / np.sqrt(d))
    y = X @ rng.standard_normal(d) + 3.0 * rng.standard_normal(n)
    labels = np.digitize(y, np.quantile(y, [0.3, 0.7]))
    return X, {"regressors": y, **dict.fromkeys(("discriminants", "mixed"), labels)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--columns", type=int, default=50)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--tasks", nargs="*", default=["regressors", "discriminants", "mixed"])
    asked = parser.parse_args()
    X, targets = rows(asked.rows, asked.columns)
    print(f"| stack of {MEMBERS} | fit, s | scikit-learn, s | ratio | target | differ by |\n|---|---|---|---|---|---|")
    with threadpool_limits(1):
        for task in asked.tasks:
            y, best, said = targets[task], [np.inf, np.inf], []
            for run in range(asked.runs):
                for k, model in enumerate(stacks(task, -1 if run == 1 else None)):
                    began = time.perf_counter()
                    model.fit(X, y)
                    best[k] = min(best[k], time.perf_counter() - began)
                    if run == 0:
                        said.append(model.predict(X[:5000]))
            if task == "regressors":
                apart = float(np.abs(said[0] - said[1]).max() / np.abs(said[1]).max())
                assert apart < 1e-6, f"the answers differ by {apart}"
            else:
                apart = float((said[0] != said[1]).mean())
                assert apart < 0.005, f"{apart:.2%} of the answers differ"
            ratio = best[1] / best[0]
            print(f"| {task} | {best[0]:.2f} | {best[1]:.2f} | {ratio:.1f} | {TARGET:.0f} | {apart:.1e} |", flush=True)


if __name__ == "__main__":
    main()
