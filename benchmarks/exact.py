"""What sums without any rounding cost: fits with ``precision="exact"`` beside those in two words. Prints ratios.

    python -m benchmarks.exact            # 1,000,000 x 20 and 200,000 x 100
    python -m benchmarks.exact --quick    # a tenth of the rows

CPU time of one thread, for both; rounds interleaved, the best counts. The target, at most 15 times as long, belongs to
normal doubles without weights.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import sumlearn as sl

from benchmarks.timing import blas_threads

SIZES = ((1_000_000, 20), (200_000, 100))
TARGET = 15.0
Case = tuple[str, Any, np.ndarray, np.ndarray, np.ndarray | None]


def cases(n: int, d: int) -> Iterator[Case]:
    """Name, learner, X, y and weights."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    y = X @ rng.standard_normal(d) + rng.standard_normal(n)
    labels = rng.integers(0, 5, n)
    line = sl.LinearRegression(n_jobs=1)
    yield "normal doubles", line, X, y, None
    yield "single precision", line, X.astype(np.float32), y.astype(np.float32), None
    yield "whole numbers", line, np.round(100 * X), np.round(y), None
    yield "log-normal doubles", line, np.exp(2 * X), y, None
    yield "whole weights", line, X, y, rng.integers(1, 5, n).astype(float)
    yield "weights", line, X, y, rng.random(n)
    yield "5 classes, linear discriminant", sl.LinearDiscriminantAnalysis(), X, labels, None
    yield "5 classes, naive Bayes", sl.GaussianNB(), X, labels, None
    few = slice(max(n // 20, 1))
    yield "60 decades (a 20th of the rows)", line, (X * 10.0 ** rng.integers(-30, 30, X.shape))[few], y[few], None


def best_of(runs: tuple[Callable[[], Any], ...], rounds: int) -> list[float]:
    """CPU seconds of the best round of each: other work on the machine counts for less there."""
    best = [np.inf] * len(runs)
    for _ in range(rounds):
        for k, run in enumerate(runs):
            start = time.process_time()
            run()
            best[k] = min(best[k], time.process_time() - start)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print(f"{'rows':>9} {'columns':>7}  {'what':<32} {'plain':>8} {'exact':>8} {'ratio':>6} {'digits':>7} {'KiB':>7}")
    with blas_threads(1):
        for n, d in SIZES:
            for name, learner, X, y, weight in cases(n // 10 if options.quick else n, d):
                models = [at_precision(learner, precision) for precision in (None, "exact")]
                for model in models:  # compiled, and caches filled
                    model.fit(X[:5000], y[:5000], None if weight is None else weight[:5000])
                runs = tuple(lambda m=m, X=X, y=y, w=weight: m.fit(X, y, w) for m in models)
                plain, exact = best_of(runs, options.rounds)
                parts = getattr(models[1].statistic_, "groups", {"": models[1].statistic_}).values()
                places, size = max(p.digits.shape[1] for p in parts), sum(p.digits.nbytes for p in parts)
                missed = "  above 15" if name == "normal doubles" and exact > TARGET * plain else ""
                print(
                    f"{len(X):>9} {d:>7}  {name:<32} {plain:7.3f}s {exact:7.3f}s {exact / plain:5.1f}x {places:>7} "
                    f"{size / 1024:>7.0f}{missed}",
                    flush=True,
                )


def at_precision(learner: Any, precision: str | None) -> Any:
    """The learner, unfitted, at a precision."""
    return learner.without_fit().set_params(precision=precision)


if __name__ == "__main__":
    main()
