"""AdaBoost with stumps beside scikit-learn's: the same stumps, 100,000 x 50, 200 rounds.

python -m benchmarks.adaboost         two and four classes; one thread, CPU seconds; exact cuts, and 255 bins
python -m benchmarks.adaboost 5       so many rounds of scikit-learn, whose time grows with their number (3)
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.ensemble import AdaBoostClassifier as ScikitAdaBoost
from threadpoolctl import threadpool_limits

from sumlearn import AdaBoostClassifier

ROWS, COLUMNS, ROUNDS = 100_000, 50, 200


def made(classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows in single precision, as scikit-learn's trees read them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, COLUMNS)).astype(np.float32).astype(np.float64)
    score = X[:, :5].sum(axis=1) + np.abs(X[:, 5]) + rng.normal(size=ROWS)
    return X, np.digitize(score, np.quantile(score, np.arange(1, classes) / classes))


def timed(action: Callable[[], Any]) -> tuple[Any, float]:
    start = time.process_time()
    result = action()
    return result, time.process_time() - start


def compare(classes: int, rounds: int) -> None:
    X, y = made(classes)
    ours = AdaBoostClassifier(n_estimators=ROUNDS, n_jobs=1)
    ours.fit(X[:1000], y[:1000])  # compiled
    ours, own = timed(lambda: ours.fit(X, y))
    binned = AdaBoostClassifier(n_estimators=ROUNDS, max_bins=255, n_jobs=1)
    binned.fit(X[:1000], y[:1000])
    binned, of_bins = timed(lambda: binned.fit(X, y))
    theirs, seconds = timed(lambda: ScikitAdaBoost(n_estimators=rounds, random_state=0).fit(X, y))
    seconds *= ROUNDS / rounds
    far = np.abs(ours.estimator_errors_[:rounds] - theirs.estimator_errors_).max()
    print(
        f"{classes} classes: ours {own:.1f} s, ratio {seconds / own:.0f}; with {binned.max_bins} bins {of_bins:.1f} s, "
        f"ratio {seconds / of_bins:.0f}; scikit-learn {seconds:.0f} s (from {rounds} rounds)\n"
        f"           errors of these rounds differ by {far:.0e}; on the rows learnt {ours.trace_[-1]:.4f}, with bins "
        f"{binned.trace_[-1]:.4f}",
        flush=True,
    )


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    print(f"{ROWS} x {COLUMNS}, {ROUNDS} rounds of stumps, one thread")
    with threadpool_limits(1):
        for classes in (2, 4):
            compare(classes, rounds)


if __name__ == "__main__":
    main()
