"""`python -m benchmarks.versions OLD/src NEW/src`: two versions of the library against each other, interleaved.

Every round starts a process for each version, and the old one twice: how far old and old are apart is the noise that a
difference between old and new is judged by. Times are the best of several runs in a process, then the median over
rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

import numpy as np

SMALL = 200  # fits in a task of small fits


def tasks() -> dict[str, object]:
    """Tasks by name; made in the process that runs them."""
    import sumlearn as sl
    from sumlearn.selection import Ranker

    rng = np.random.default_rng(0)
    X = rng.standard_normal((200_000, 50))
    y = X @ rng.standard_normal(50) + rng.standard_normal(len(X))
    labels = np.digitize(y, [-5.0, 5.0])
    two = (y > 0).astype(int)
    few, answer = X[:20_000, :40], y[:20_000]
    tiny, goal = X[:60, :5], y[:60]
    levels = np.digitize(X[:100_000, :40], [-1.0, 0.0, 1.0]).astype(float)
    near, value = X[:4_000, :3], y[:4_000]
    ridge = sl.Ridge().fit(X, y)

    def small() -> None:
        for _ in range(SMALL):
            sl.LinearRegression().fit(tiny, goal)

    def updates() -> None:
        model = sl.Ridge()
        for i in range(0, 6_000, 60):
            model.partial_fit(X[i : i + 60, :5], y[i : i + 60])
        _ = model.coef_

    def small_logistic() -> None:
        for _ in range(20):
            sl.LogisticRegression().fit(X[:1000, :5], two[:1000])

    return {
        "least squares": lambda: sl.LinearRegression().fit(X, y),
        "linear discriminant": lambda: sl.LinearDiscriminantAnalysis().fit(X, labels),
        "naive Bayes": lambda: sl.GaussianNB().fit(X, labels),
        "principal components": lambda: sl.PCA(5).fit(X),
        "ridge, 10 folds x 50 penalties": lambda: sl.RidgeCV(np.logspace(-3, 3, 50), cv=10).fit(X, y),
        "cross-validated discriminant": lambda: sl.cross_validate(
            sl.LinearDiscriminantAnalysis(), X[:50_000], labels[:50_000], cv=5
        ),
        "logistic regression": lambda: sl.LogisticRegression().fit(X, two),
        "logistic regression, 20 small fits": small_logistic,
        "hinge loss": lambda: sl.LinearClassifier("hinge").fit(X[:20_000, :10], two[:20_000]),
        "perceptron": lambda: sl.Perceptron(max_iter=5, tol=None).fit(X[:50_000], two[:50_000]),
        "forward selection": lambda: sl.SubsetSearch("sfs", sl.LinearRegression(), k=10).fit(few, answer),
        "ranking by information": lambda: Ranker("mutual_information").fit(levels, labels[:100_000]),
        "kernel regression": lambda: sl.NadarayaWatson(0.5).fit(near, value).predict(near),
        f"{SMALL} small fits": small,
        "100 updates": updates,
        "predict": lambda: ridge.predict(X),
    }


def timed(repeat: int) -> dict[str, float]:
    """Seconds of every task: the best of some runs after one to warm up."""
    import warnings

    warnings.simplefilter("ignore")
    times = {}
    for name, run in tasks().items():
        run()  # type: ignore[operator]
        rounds = []
        for _ in range(repeat):
            start = time.perf_counter()
            run()  # type: ignore[operator]
            rounds.append(time.perf_counter() - start)
        times[name] = min(rounds)
    return times


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.versions", description=__doc__)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    sources = {"old": options.old, "old again": options.old, "new": options.new}
    seen: dict[str, dict[str, list[float]]] = {}
    for number in range(options.rounds):
        names = list(sources)
        for version in names[number % 3 :] + names[: number % 3]:
            command = [sys.executable, "-m", "benchmarks.versions", "--measure", str(options.repeat)]
            environment = {**os.environ, "PYTHONPATH": os.path.abspath(sources[version])}
            result = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
            for task, seconds in json.loads(result.stdout).items():
                seen.setdefault(task, {}).setdefault(version, []).append(seconds)
    print(f"{'task':36} {'old, ms':>9} {'new, ms':>9} {'new / old':>10} {'old / old':>10}")
    for task, times in seen.items():
        old, again, new = (statistics.median(times[version]) for version in ("old", "old again", "new"))
        both = statistics.median(times["old"] + times["old again"])
        noise = max(old, again) / min(old, again)
        print(f"{task:36} {1e3 * both:9.2f} {1e3 * new:9.2f} {new / both:10.3f} {noise:10.3f}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(timed(int(sys.argv[2]))))
    else:
        main()
