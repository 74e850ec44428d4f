"""Few labels beside scikit-learn's: self-training, label propagation and label spreading, with the same answers.

python -m benchmarks.few_labels            all of them
python -m benchmarks.few_labels knn        those whose name has this word

One thread of BLAS for everybody, the best of three runs. Each is checked: the same labels in the end, shares that
differ by less than 1e-6.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn import discriminant_analysis, naive_bayes, semi_supervised
from threadpoolctl import threadpool_limits

import sumlearn

RUNS, CLASSES, SHARE = 3, 4, 0.01


def rows(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Normal classes that overlap; of every hundred rows one has a label."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, CLASSES, n)
    X = rng.standard_normal((n, d)) + 0.6 * rng.standard_normal((CLASSES, d))[truth]
    return X, np.where(rng.random(n) < SHARE, truth, -1)


def self_training(kind: str) -> tuple[Any, Any]:
    theirs = {
        "GaussianNB": naive_bayes.GaussianNB(),
        "LinearDiscriminantAnalysis": discriminant_analysis.LinearDiscriminantAnalysis(solver="lsqr"),
    }[kind]
    options: dict[str, Any] = {"threshold": 0.999, "max_iter": None}
    ours = sumlearn.SelfTraining(getattr(sumlearn, kind)(), **options)
    return ours, semi_supervised.SelfTrainingClassifier(theirs, **options)


def graph(kind: str, **options: Any) -> tuple[Any, Any]:
    return getattr(sumlearn, kind)(**options), getattr(semi_supervised, kind)(**options)


def limit(kind: str, **options: Any) -> tuple[Any, Any]:
    """The end of the steps: by equations, and by as many steps as it takes."""
    theirs = getattr(semi_supervised, kind)(**options, tol=1e-9, max_iter=100_000)
    return getattr(sumlearn, kind)(**options, solver="exact"), theirs


TASKS: dict[str, tuple[Callable[[], tuple[Any, Any]], int, int]] = {
    "self-training, naive Bayes": (lambda: self_training("GaussianNB"), 100_000, 50),
    "self-training, linear discriminant": (lambda: self_training("LinearDiscriminantAnalysis"), 100_000, 50),
    "label propagation, rbf": (lambda: graph("LabelPropagation", gamma=0.5), 3_000, 10),
    "label spreading, rbf": (lambda: graph("LabelSpreading", gamma=0.5), 3_000, 10),
    "label propagation, rbf, the end": (lambda: limit("LabelPropagation", gamma=0.5), 1_500, 10),
    "label propagation, knn": (lambda: graph("LabelPropagation", kernel="knn"), 20_000, 5),
    "label spreading, knn": (lambda: graph("LabelSpreading", kernel="knn"), 20_000, 5),
}


def best(model: Any, X: np.ndarray, y: np.ndarray) -> float:
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        model.fit(X, y)
        times.append(time.perf_counter() - start)
    return min(times)


def main(word: str = "") -> None:
    print(f"{'':36s} {'ours':>9s} {'theirs':>9s} {'ratio':>7s}  same labels, largest difference of shares")
    for name, (models, n, d) in TASKS.items():
        if word not in name:
            continue
        X, y = rows(n, d)
        ours, theirs = models()
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            seconds = best(ours, X, y), best(theirs, X, y)
            apart = abs(ours.predict_proba(X[:2000]) - theirs.predict_proba(X[:2000]))
        same = (ours.transduction_ == theirs.transduction_).mean()
        print(
            f"{name:36s} {seconds[0]:8.2f}s {seconds[1]:8.2f}s {seconds[1] / seconds[0]:6.1f}x  "
            f"{same:.4%} {np.nanmax(apart):.1e}  {ours.n_iter_} and {theirs.n_iter_} rounds",
            flush=True,
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
