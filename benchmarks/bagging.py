"""Bagging beside scikit-learn's, with the same draws: 200 members, ridge regressions and linear discriminants.

python -m benchmarks.bagging               20,000 x 50, and 100,000 x 20; one thread, CPU seconds, the best of three
python -m benchmarks.bagging 20000 50      so many rows and columns

Of scikit-learn's solvers the fastest that gives the same coefficients is taken; it is timed on a fourth of the members.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as ScikitLDA
from sklearn.ensemble import BaggingClassifier as ScikitClassifier
from sklearn.ensemble import BaggingRegressor as ScikitRegressor
from sklearn.linear_model import Ridge as ScikitRidge
from threadpoolctl import threadpool_limits

from sumlearn import BaggingClassifier, BaggingRegressor, LinearDiscriminantAnalysis, Ridge

MEMBERS, PART, REPEAT, SAME = 200, 4, 3, 1e-6


def timed(action: Callable[[], Any]) -> float:
    """CPU seconds, the best of some."""
    best = np.inf
    for _ in range(REPEAT):
        start = time.process_time()
        action()
        best = min(best, time.process_time() - start)
    return best


def differs(ours: Any, theirs: Any) -> float:
    """How far coefficients of the first members are apart, as a share of the largest."""
    pairs = zip(ours.estimators_, theirs.estimators_, strict=False)
    return max(float(np.abs(a.coef_ - b.coef_).max() / np.abs(b.coef_).max()) for a, b in pairs)


def race(title: str, ours: Any, kind: Any, bases: list[Any], X: np.ndarray, y: np.ndarray) -> None:
    fitted = ours.fit(X, y)  # compiled
    own = timed(lambda: ours.fit(X, y))
    rivals = []
    for base in bases:
        rival = kind(base, MEMBERS // PART, random_state=0)
        seconds = timed(lambda rival=rival: rival.fit(X, y)) * PART
        if differs(fitted, rival) < SAME:
            rivals.append((seconds, base.solver))
    best, solver = min(rivals)
    print(f"  {title:22} ours {own:.2f} s, scikit-learn ({solver}) {best:.2f} s, ratio {best / own:.1f}", flush=True)


def compare(rows: int, columns: int) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, columns))
    y = X @ rng.normal(size=columns) + rng.normal(size=rows)
    print(f"{MEMBERS} members, {rows} x {columns}, one thread")
    ridges = [ScikitRidge(solver=solver) for solver in ("cholesky", "lsqr")]
    race("ridge", BaggingRegressor(Ridge(), MEMBERS, random_state=0, n_jobs=1), ScikitRegressor, ridges, X, y)
    discriminants = [ScikitLDA(solver=solver) for solver in ("lsqr", "svd", "eigen")]
    ours = BaggingClassifier(LinearDiscriminantAnalysis(), MEMBERS, random_state=0, n_jobs=1)
    race("linear discriminant", ours, ScikitClassifier, discriminants, X, (y > 0).astype(int))


def main() -> None:
    asked = [int(word) for word in sys.argv[1:]]
    with threadpool_limits(1):
        for rows, columns in [(asked[0], asked[1])] if asked else [(20_000, 50), (100_000, 20)]:
            compare(rows, columns)


if __name__ == "__main__":
    main()
