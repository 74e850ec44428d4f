"""Random forests beside scikit-learn's: time, memory and what they say of rows left out.

python -m benchmarks.forest             200,000 x 50: two classes, five classes, numbers; one thread, CPU seconds
python -m benchmarks.forest --threads   a forest of 100 on one and on all processors, with its memory
python -m benchmarks.forest --quality   ten tables of different kinds, five seeds: scores at defaults
python -m benchmarks.forest --bins      what 255 bins lose against exact splits, on the tables of numbers

A number more is the number of trees of scikit-learn that are timed (3).
"""

from __future__ import annotations

import sys
import time
import warnings
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier as ScikitClassifier
from sklearn.ensemble import RandomForestRegressor as ScikitRegressor
from sklearn.metrics import log_loss, roc_auc_score

from sumlearn import RandomForestClassifier, RandomForestRegressor

from benchmarks.tree_tables import TABLES, Made, in_codes

ROWS, LEFT_OUT, COLUMNS, SEEDS, OWN_TREES = 200_000, 50_000, 50, 5, 20


def large(classes: int, seed: int = 0) -> tuple[Any, ...]:
    """Rows to learn from, and rows left out."""
    X, y = make_classification(
        ROWS + LEFT_OUT, COLUMNS, n_informative=15, n_classes=max(classes, 2), flip_y=0.1, random_state=seed
    )
    X = X.astype(np.float32)
    if not classes:
        y = X[:, 0] + np.sin(X[:, 1] * X[:, 2]) + 3.0 * y + np.random.default_rng(seed).normal(size=len(y))
    return X[:ROWS], y[:ROWS], X[ROWS:], y[ROWS:]


def pair(classes: int) -> tuple[Any, Any]:
    return (RandomForestClassifier, ScikitClassifier) if classes else (RandomForestRegressor, ScikitRegressor)


def timed(action: Any, *arguments: Any) -> tuple[Any, float]:
    start = time.process_time()
    result = action(*arguments)
    return result, time.process_time() - start


def speed(trees: int) -> None:
    """CPU seconds a tree: of forests of twenty with their bins, the better of two; of the rival's with few trees.

    The score is that of as few trees of each.
    """
    print(f"{ROWS} x {COLUMNS}, one thread; score of {trees} trees on {LEFT_OUT} rows left out")
    for classes in (2, 5, 0):
        X, y, asked, truth = large(classes)
        ours, theirs = pair(classes)
        model, rival = ours(OWN_TREES, n_jobs=1), theirs(trees, n_jobs=1, random_state=0)
        few = ours(trees, n_jobs=1).fit(X, y)  # compiled
        first = timed(model.fit, X, y)[1]
        slow = timed(rival.fit, X, y)[1] / trees
        best = min(first, timed(model.fit, X, y)[1]) / OWN_TREES
        own, asking = timed(few.score, asked, truth)
        other, asking_rival = timed(rival.score, asked, truth)
        print(
            f"{classes or 'numbers':>8}  ours {best:.3f} s a tree, score {own:.4f}; scikit-learn {slow:.3f} s, "
            f"{other:.4f}; ratio {slow / best:.1f}, predicting {asking_rival / asking:.1f}",
            flush=True,
        )


def threads() -> None:
    """Wall time of 100 trees for two classes, the memory that is said beforehand, and that of the trees."""
    X, y, asked, truth = large(2)
    RandomForestClassifier(2).fit(X[:2000], y[:2000])
    for jobs in (1, -1):
        start = time.perf_counter()
        model = RandomForestClassifier(100, n_jobs=jobs).fit(X, y)
        seconds = time.perf_counter() - start
        held = model.trees_.words.nbytes + model.trees_.values.nbytes
        print(
            f"n_jobs={jobs:2}: {seconds:.1f} s, score {model.score(asked, truth):.4f}; said beforehand "
            f"{model.memory_needed(*X.shape) / 2**20:.0f} MB, rows {X.nbytes / 2**20:.0f}, trees {held / 2**20:.0f}"
        )


def judged(model: Any, made: Made) -> float:
    """AUC for two classes, minus the log loss for more, R^2 for numbers."""
    if not made.classes:
        return float(model.score(made.test, made.y_test))
    shares = model.predict_proba(made.test)
    if made.classes == 2:
        return float(roc_auc_score(made.y_test, shares[:, 1]))
    return -float(log_loss(made.y_test, np.clip(shares, 1e-4, 1.0), labels=model.classes_))


def quality() -> None:
    """Defaults of both on ten tables; differences in units of the spread over seeds."""
    print(
        "AUC, minus log loss, or R^2 on rows left out: the mean over seeds, and its standard error for the difference"
    )
    differences = []
    for name, maker in TABLES.items():
        scores = np.zeros((SEEDS, 2))
        for seed in range(SEEDS):
            made = maker(seed)
            ours, theirs = pair(made.classes)
            scores[seed, 0] = judged(ours(random_state=seed).fit(made.train, made.y_train), made)
            coded = in_codes(made)
            scores[seed, 1] = judged(theirs(random_state=seed, n_jobs=1).fit(coded.train, coded.y_train), coded)
        away = scores[:, 0] - scores[:, 1]
        differences.append(away)
        error = away.std(ddof=1) / np.sqrt(SEEDS)
        print(f"{name:>15}  ours {scores[:, 0].mean():.4f}  scikit-learn {scores[:, 1].mean():.4f}  "
              f"difference {away.mean():+.4f} ({error:.4f})")  # fmt: skip
    each = np.array(differences)
    error = each.std(ddof=1) / np.sqrt(each.size)
    print(f"{'mean':>15}  difference {each.mean():+.4f}, standard error {error:.4f}")


def bins() -> None:
    """One tree on all rows and columns, where a leaf has 20 rows, on as many values as there are rows."""
    from sklearn.tree import DecisionTreeRegressor

    for rows in (2_000, 20_000, 200_000):
        X, y, asked, truth = large(0)
        settings = {"min_samples_leaf": 20}
        own = RandomForestRegressor(1, bootstrap=False, **settings).fit(X[:rows], y[:rows]).score(asked, truth)
        exact = DecisionTreeRegressor(**settings, random_state=0).fit(X[:rows], y[:rows]).score(asked, truth)
        print(f"{rows:>8} rows: R^2 {own:.4f} on bins, {exact:.4f} exact")


def main(arguments: list[str]) -> None:
    trees = next((int(word) for word in arguments if word.isdigit()), 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        chosen = {"--threads": threads, "--quality": quality, "--bins": bins}
        for word in arguments:
            if word in chosen:
                chosen[word]()
        if not set(chosen) & set(arguments):
            speed(trees)


if __name__ == "__main__":
    main(sys.argv[1:])
