"""`sumlearn train` beside other libraries on the same folds, and how often its interval holds.

python -m benchmarks.tables                  scores, headline, time and estimate over all tables, as rows for Markdown
python -m benchmarks.tables pima wine        some of them
python -m benchmarks.tables --coverage 40    small tables of known truth, 40 of each kind: intervals against fresh rows
python -m benchmarks.tables --noise 50       tables without meaning: the mean headline AUC

A number more is the first seed.
"""

from __future__ import annotations

import sys
import time
import warnings
from typing import Any

import numpy as np
import pyarrow as pa
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LogisticRegressionCV, RidgeCV
from sklearn.metrics import roc_auc_score
from sklearn.svm import SVC, SVR

from sumlearn.product import train
from sumlearn.product.left_out import LeftOutAnswers
from sumlearn.product.metrics import answers_of
from sumlearn.product.procedure import MARGIN

BUNDLED = ("pima", "iris", "wine", "breast_cancer", "diabetes", "digits", "faithful", "linnerud", "xor", "overlapping")
TARGETS = {"faithful": "waiting"}  # of a table that does not say; those that are made have y
RIVALS = {
    "classify": {
        "forest": lambda: RandomForestClassifier(300, random_state=0),
        "boosting": lambda: HistGradientBoostingClassifier(random_state=0),
        "RBF SVM": lambda: SVC(),
        "linear": lambda: LogisticRegressionCV(max_iter=1000, l1_ratios=(0.0,), use_legacy_attributes=False),
    },
    "regress": {
        "forest": lambda: RandomForestRegressor(300, random_state=0),
        "boosting": lambda: HistGradientBoostingRegressor(random_state=0),
        "RBF SVM": lambda: SVR(),
        "linear": lambda: RidgeCV(np.logspace(-3, 3, 13)),
    },
}


def columns(X: np.ndarray, y: Any) -> pa.Table:
    return pa.table({f"x{j}": X[:, j] for j in range(X.shape[1])} | {"y": pa.array(y)})


def generated() -> dict[str, pa.Table]:
    """Lines, curves, products, many classes, collinear columns, outliers, few rows, many columns."""
    rng = np.random.default_rng(0)
    X, wide = rng.normal(size=(600, 8)), rng.normal(size=(150, 60))
    hidden = rng.normal(size=(846, 5))
    views = hidden @ rng.normal(size=(5, 18)) + 0.02 * rng.normal(size=(846, 18))
    kinds = np.argmax(hidden[:, :4] + 0.7 * rng.normal(size=(846, 4)), axis=1)
    noise = rng.normal(size=600)
    far = np.where(rng.random(600) < 0.05, 40.0, 1.0)
    tall = rng.normal(size=(10_000, 100))
    return {
        "line": columns(X, X @ np.arange(8) + noise),
        "waves": columns(X, np.sin(2 * X[:, 0]) + X[:, 1] ** 2 + 0.3 * noise),
        "products": columns(X[:167], X[:167, 0] * X[:167, 1] + X[:167, 2] + 0.4 * noise[:167]),
        "outliers": columns(X, X[:, 0] - X[:, 1] + 0.2 * far * noise),
        "rings": columns(X[:, :2], np.where((X[:, :2] ** 2).sum(axis=1) + 0.3 * noise > 1.4, "out", "in")),
        "vehicle-like": columns(views, np.array(list("abcd"))[kinds]),
        "wide": columns(wide, np.where(wide[:, 0] + wide[:, 1] + 0.5 * noise[:150] > 0, "p", "n")),
        "rare": columns(X, np.where(X[:, 0] + 0.5 * noise > 2.0, "p", "n")),
        "tall": columns(tall, np.where(tall[:, :10].sum(axis=1) + 3 * rng.normal(size=10_000) > 0, "p", "n")),
    }


HEAD = "table | saved | score | headline | forest | boosting | RBF SVM | linear | seconds (CPU) | told | dropped"


def compared(name: str, table: Any) -> tuple[str, float]:
    """A row under HEAD, and by how much the best rival is ahead on the same folds and coded columns."""
    said: dict[str, str] = {}
    start, spent = time.perf_counter(), time.process_time()
    target = None if name in BUNDLED else "y"
    training = train(
        table, TARGETS.get(name, target), row_hashes=False, tell=lambda label, text: said.setdefault(label, text)
    )
    seconds, spent = time.perf_counter() - start, time.process_time() - spent
    metrics, problem, nested = training.metrics, training.problem, training.nested
    (own,) = [line["score"] for line in metrics["leaderboard"] if line["model"] == metrics["chosen"]["model"]]
    scores = []
    for make in RIVALS[problem.target.task].values():
        answers = []
        for train_rows, test_rows in nested.splits:
            coded = problem.coded(train_rows, test_rows)(problem.candidates[0])
            answers.append(answers_of(make().fit(coded.features, coded.values), coded.asked, problem.target))
        scores.append(LeftOutAnswers(problem, [test for _, test in nested.splits], answers).value(problem.metric))
    low, high = metrics["interval"]
    told = said["estimate"].partition(": ")[2].partition("   ")[0]
    words = [name, f"`{metrics['chosen']['model']}`", f"{problem.metric.title} {own:.3f}"]
    words += [f"{metrics['score']:.3f} [{low:.3f}, {high:.3f}]", *(f"{score:.3f}" for score in scores)]
    words += [f"{seconds:.1f} ({spent:.1f})", told, " ".join(f"`{model}`" for model in metrics["dropped"])]
    return f"| {' | '.join(words)} |", max(scores) - own


def drawn(seed: int, rows: int, columns_: int, size: float, classes: bool) -> Any:
    """A table of known truth, and a function that draws more of it."""
    rng = np.random.default_rng(seed)
    weights = rng.normal(size=columns_) * size / np.sqrt(columns_)

    def more(n: int) -> pa.Table:
        X = rng.normal(size=(n, columns_))
        f = X @ weights
        y = np.where(rng.random(n) < 1 / (1 + np.exp(-f)), "p", "n") if classes else f + rng.normal(size=n)
        return columns(X, y)

    return more(rows), more


KINDS = ((100, 6, 1.5, True), (200, 20, 1.5, True), (120, 8, 0.0, True), (80, 6, 1.0, False), (100, 15, 0.5, False))


def coverage(runs: int, first: int, rows: int, columns_: int, size: float, classes: bool) -> tuple[str, list[bool]]:
    """How often the interval holds the score on fresh rows, and how wide it is for the errors that are made.

    Width over 2 * 1.96 times the root of the mean squared error: 1 where errors are normal and all is known of them.
    """
    held, widths, errors, heads = [], [], [], []
    models = "lda,qda,naive_bayes,least_squares,logistic" if classes else "linear,ridge,lasso,polynomial,huber"
    for seed in range(first, first + runs):
        table, more = drawn(seed, rows, columns_, size, classes)
        training = train(table, "y", models=models, seed=seed, row_hashes=False, budget="none")
        fresh, model = more(10_000), training.model.model
        y, X = np.array(fresh.column("y").to_pylist()), fresh.drop_columns(["y"])
        if classes:
            scores = (model.predict_proba if hasattr(model, "predict_proba") else model.decision_function)(X)
            truth = roc_auc_score(y == "p", scores[:, 1] if scores.ndim == 2 else scores)
        else:
            truth = 1 - np.mean((y - model.predict(X)) ** 2) / np.var(y)
        low, high = training.metrics["interval"]
        held.append(low <= truth <= high)
        widths.append(high - low)
        errors.append(training.metrics["score"] - truth)
        heads.append(training.metrics["score"])
    wide = np.mean(widths) / (2 * 1.96 * np.sqrt(np.mean(np.square(errors))))
    what = f"{'AUC' if classes else 'R2'} of {rows} x {columns_}, effects of {size:g}"
    mean = f"headline {np.mean(heads):.4f}, off by {np.mean(errors):+.4f} ± {np.std(errors) / np.sqrt(runs):.4f}"
    line = f"{what}: {100 * np.mean(held):.1f} % of {runs} intervals hold, {wide:.2f} times as wide as needed; {mean}"
    return line, held


def main(words: list[str]) -> None:
    warnings.simplefilter("ignore")
    if words[:1] in (["--coverage"], ["--noise"]):
        every: list[bool] = []
        runs, first = (int(word) for word in [*words[1:], "0"][:2])
        for kind in KINDS if words[0] == "--coverage" else KINDS[2:3]:
            line, held = coverage(runs, first, *kind)
            every += held
            print(line, flush=True)
        print(f"all: {100 * np.mean(every):.1f} % of {len(every)} intervals hold")
    else:
        tables: dict[str, Any] = {name: name for name in BUNDLED} | generated()
        print(f"| {HEAD} |\n{'|---' * (HEAD.count('|') + 1)}|")
        ahead = []
        for name in words or tables:
            line, lead = compared(name, tables[name])
            ahead.append(lead)
            print(line, flush=True)
        count = sum(lead <= MARGIN for lead in ahead)
        print(f"\nbest of the five, or within {MARGIN} of the best: {count} of {len(ahead)} tables")


if __name__ == "__main__":
    main(sys.argv[1:])
