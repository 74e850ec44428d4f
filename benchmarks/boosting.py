"""`python -m benchmarks.boosting`: boosted trees beside scikit-learn and LightGBM, one thread each.

Times: 200,000 rows of 50 columns, 100 rounds of 31 leaves, in turns, the best of some turns, as seconds of a processor;
run it with OMP_NUM_THREADS=1. The loss is that of 50,000 rows left out. `--losses`: the same problems made by five
seeds, and by how much our loss is above that of each rival, with its standard error. `--tables`: ten tables of
different kinds, defaults of both, losses on rows left out over five seeds.
"""

from __future__ import annotations

import argparse
import time
import warnings
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import make_classification, make_friedman1
from sklearn.metrics import log_loss, mean_squared_error

import sumlearn as sl

FIXED = {"max_iter": 100, "max_leaf_nodes": 31, "learning_rate": 0.1, "min_samples_leaf": 20, "early_stopping": False}


def problems(rows: int, columns: int, seed: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Two classes, numbers and five classes; a fifth of the rows is left out."""
    many = rows * 5 // 4
    informative = min(20, columns // 2)
    common: dict[str, Any] = {
        "n_features": columns,
        "n_informative": informative,
        "n_redundant": columns // 5,
        "flip_y": 0.1,
        "class_sep": 0.5,
        "random_state": seed,
    }
    two = make_classification(many, n_classes=2, **common)
    five = make_classification(many, n_classes=5, n_clusters_per_class=1, **common)
    X, y = make_friedman1(many, max(columns, 10), noise=3.0, random_state=seed)
    found = {"two classes": two, "numbers": (X[:, :columns], y), "five classes": five}
    return {name: (X.astype(np.float32), y) for name, (X, y) in found.items()}


def candidates(numbers: bool) -> dict[str, Any]:
    """Fresh models by name; the rivals that are there."""
    import sklearn.ensemble as theirs

    kind = "HistGradientBoostingRegressor" if numbers else "HistGradientBoostingClassifier"
    models = {"sumlearn": getattr(sl, kind)(n_jobs=1, **FIXED), "scikit-learn": getattr(theirs, kind)(**FIXED)}
    try:
        import lightgbm
    except ImportError:
        return models
    lgbm = lightgbm.LGBMRegressor if numbers else lightgbm.LGBMClassifier
    return models | {"LightGBM": lgbm(n_jobs=1, verbose=-1)}  # its defaults are the same


def loss_of(model: Any, X: Any, y: np.ndarray, numbers: bool) -> float:
    return mean_squared_error(y, model.predict(X)) if numbers else log_loss(y, model.predict_proba(X))


def race(rows: int, columns: int, turns: int, seed: int, only: str | None) -> None:
    """Print seconds, losses and ratios."""
    sl.HistGradientBoostingClassifier(max_iter=2).fit(
        np.random.default_rng(0).random((200, 4), np.float32), [0, 1] * 100
    )
    print(f"{rows} x {columns} float32, one thread, best of {turns}: seconds and loss on rows left out")
    for name, (X, y) in problems(rows, columns, seed).items():
        if only is not None and not name.startswith(only):
            continue
        numbers = name == "numbers"
        best: dict[str, float] = {}
        loss: dict[str, float] = {}
        for _ in range(turns):
            for who, model in candidates(numbers).items():
                begin = time.process_time()  # of one thread: neighbours on the machine count for less
                model.fit(X[:rows], y[:rows])
                seconds = time.process_time() - begin
                best[who] = min(best.get(who, np.inf), seconds)
                loss[who] = loss_of(model, X[rows:], y[rows:], numbers)
        for who in best:
            ratio = "" if who == "sumlearn" else f"   {best[who] / best['sumlearn']:.2f}x"
            print(f"  {name:13} {who:13} {best[who]:7.2f} s   {loss[who]:.5f}{ratio}", flush=True)


def compare_losses(rows: int, columns: int, seeds: int, only: str | None) -> None:
    """Print by how much our losses on rows left out are above those of the rivals, mean and standard error."""
    print(f"{rows} x {columns} float32, {seeds} seeds: loss on rows left out above the rival's, as a share of it")
    above: dict[tuple[str, str], list[float]] = {}
    for seed in range(seeds):
        for name, (X, y) in problems(rows, columns, seed).items():
            if only is not None and not name.startswith(only):
                continue
            numbers = name == "numbers"
            models = candidates(numbers)
            loss = {who: loss_of(m.fit(X[:rows], y[:rows]), X[rows:], y[rows:], numbers) for who, m in models.items()}
            for who in loss.keys() - {"sumlearn"}:
                above.setdefault((name, who), []).append(loss["sumlearn"] / loss[who] - 1.0)
    for (name, who), found in above.items():
        error = np.std(found, ddof=1) / len(found) ** 0.5
        print(f"  {name:13} {who:13} {100 * np.mean(found):+.3f} %, standard error {100 * error:.3f} %", flush=True)


# -- as good as scikit-learn's? ----------------------------------------------------------------------------------------


def tables(seed: int) -> dict[str, tuple[pd.DataFrame, np.ndarray]]:
    """Ten tables of different kinds, twice as many rows as are learnt from."""
    rng = np.random.default_rng(seed)
    n = 4000
    found: dict[str, tuple[Any, np.ndarray]] = {
        "classes": make_classification(n, 20, n_informative=8, random_state=seed),
        "many classes": make_classification(
            n, 20, n_informative=12, n_classes=12, n_clusters_per_class=1, random_state=seed
        ),
        "imbalanced": make_classification(n, 15, n_informative=6, weights=[0.96], random_state=seed),
        "noisy labels": make_classification(n, 15, n_informative=6, flip_y=0.4, random_state=seed),
        "wide": make_classification(600, 300, n_informative=15, random_state=seed),
        "numbers": make_friedman1(n, 12, noise=1.0, random_state=seed),
        "noisy numbers": make_friedman1(n, 12, noise=8.0, random_state=seed),
    }
    X = rng.standard_normal((n, 8))
    X[rng.random(X.shape) < 0.2] = np.nan
    found["gaps"] = X, np.isnan(X[:, 0]) * 2.0 + np.nan_to_num(X[:, 1] * X[:, 2]) + 0.5 * rng.standard_normal(n)
    levels = [rng.integers(0, size, n) for size in (3, 12, 60, 150)]
    effects = [rng.standard_normal(size) for size in (3, 12, 60, 150)]
    score = sum(effect[own] for effect, own in zip(effects, levels, strict=True)) + X[:, 4:6].sum(
        axis=1, where=~np.isnan(X[:, 4:6])
    )
    mixed = pd.DataFrame(X[:, 4:], columns=list("abcd"))
    for k, own in enumerate(levels):
        mixed[f"level{k}"] = pd.Categorical.from_codes(own, [f"v{j}" for j in range(own.max() + 1)])
    found["mixed numbers"] = mixed, np.asarray(score + rng.standard_normal(n))
    found["mixed classes"] = mixed, np.asarray(score + rng.standard_normal(n) > 0).astype(int)
    return {
        name: (X if isinstance(X, pd.DataFrame) else pd.DataFrame(X).add_prefix("x"), y)
        for name, (X, y) in found.items()
    }


def compare(seeds: int) -> None:
    """Print losses of the defaults, and the mean of the relative differences with its standard error."""
    import sklearn.ensemble as theirs

    differences = []
    for seed in range(seeds):
        for name, (X, y) in tables(seed).items():
            half, numbers = len(y) // 2, "numbers" in name or name == "gaps"
            kind = "HistGradientBoostingRegressor" if numbers else "HistGradientBoostingClassifier"
            models = [getattr(home, kind)(random_state=0).fit(X[:half], y[:half]) for home in (sl, theirs)]
            ours, other = (loss_of(model, X[half:], y[half:], numbers) for model in models)
            differences.append((name, np.log(ours / other)))
    for name in dict(differences):
        own = np.array([value for word, value in differences if word == name])
        print(f"  {name:14} loss {100 * own.mean():+6.2f} % of scikit-learn's")
    values = np.array([value for _, value in differences])
    by_table = values.reshape(seeds, -1).mean(axis=0)
    error = by_table.std(ddof=1) / len(by_table) ** 0.5
    print(f"  mean {100 * values.mean():+.2f} %, standard error over tables {100 * error:.2f} %")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.boosting", description=__doc__)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--columns", type=int, default=50)
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=("two", "numbers", "five"))
    parser.add_argument("--tables", action="store_true", help="compare defaults on ten tables instead")
    parser.add_argument("--losses", action="store_true", help="compare losses of several seeds instead")
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if options.tables:
            compare(options.seeds)
        elif options.losses:
            compare_losses(options.rows, options.columns, options.seeds, options.only)
        else:
            race(options.rows, options.columns, options.turns, options.seed, options.only)


if __name__ == "__main__":
    main()
