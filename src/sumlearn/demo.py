"""A short tour: ``make demo``, or ``python -m sumlearn.demo``. It needs the package rich, no network and no terminal.

Everything it prints is computed while it runs, on the bundled Pima table (768 women, 8 measurements, diabetes or not).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.linear_model import RidgeCV as RivalRidgeCV
from sklearn.metrics import roc_auc_score

from . import (
    GaussianNB,
    LinearDiscriminantAnalysis,
    LinearRegression,
    QuadraticDiscriminantAnalysis,
    Ridge,
    RidgeCV,
    disclosure,
)
from .data import load_example
from .engines import all_but_one
from .statistics import Grouped, Moments

if TYPE_CHECKING:
    from rich.console import Console

FOLDS = 10


class Pima(NamedTuple):
    X: np.ndarray
    y: np.ndarray  # 1 for diabetes, 0 for none
    columns: tuple[str, ...]
    fold: np.ndarray  # which of the ten folds a row belongs to


def main() -> int | str:
    try:
        from rich.console import Console
    except ModuleNotFoundError:
        return 'the demo prints with rich, which is not installed: pip install "sumlearn[cli]"'
    console = Console(highlight=False)
    pima = load_pima()
    with console.status("loading the compiled loops (a first run compiles them, which takes some seconds)"):
        warm_up(pima)
    console.print("[bold]sumlearn: machine learning that adds up[/]")
    console.print("model = solve( sum of summarise(chunk) over all chunks of the data )\n")
    size = f"{len(pima.X)} women, {pima.X.shape[1]} measurements, {int(pima.y.sum())} of them with diabetes"
    console.print(f"The bundled Pima table: {size}. All numbers below are computed now.")
    for number, part in enumerate((one_pass, two_hospitals, forgetting, subsets, ridge_path, offset), start=1):
        part(console, pima, number)
    console.print("\nNext: docs/tutorial/first_steps.md goes on step by step.")
    return 0


def load_pima() -> Pima:
    table = load_example("pima")
    y = (np.asarray(table.y) == "pos").astype(int)
    fold = np.random.default_rng(0).permutation(len(y)) % FOLDS
    return Pima(np.asarray(table.X, dtype=float), y, table.columns, fold)


def warm_up(pima: Pima) -> None:
    """Load what a first call would load, so that the times below are those of the work."""
    sums = Grouped.of(pima.X[:100], pima.y[:100])
    QuadraticDiscriminantAnalysis().solve(sums + sums)
    Ridge().solve(sums.moments(labels=True))
    RidgeCV(cv=2).fit(pima.X[:100], pima.y[:100])
    LinearDiscriminantAnalysis().fit(pima.X[:100], pima.y[:100]).forget(pima.X[:10], pima.y[:10])


# -- the six parts --------------------------------------------------------------------------------------------------


def one_pass(console: Console, pima: Pima, number: int) -> None:
    heading(console, number, f"Four models and their {FOLDS}-fold cross-validation from one pass")
    models: dict[str, Callable[[Grouped[Moments]], Callable[[np.ndarray], np.ndarray]]] = {
        "linear discriminant": lambda s: LinearDiscriminantAnalysis().solve(s).decision_function,
        "quadratic discriminant": lambda s: QuadraticDiscriminantAnalysis().solve(s).decision_function,
        "Gaussian naive Bayes": lambda s: log_odds(GaussianNB().solve(s)),
        "ridge on the 0/1 label": lambda s: Ridge().solve(s.moments(labels=True)).predict,
    }
    (sums, train), reading = timed(lambda: fold_sums(pima, lambda X, y: Grouped.of(X, y)))
    rows = []
    for name, solve in models.items():
        solved, solving = timed(lambda solve=solve: [solve(s) for s in train])  # type: ignore[misc]
        scores = [roc_auc_score(y, score(X)) for score, (X, y) in zip(solved, folds(pima), strict=True)]
        own = roc_auc_score(pima.y, solve(sum(sums))(pima.X))
        spread = f"{np.mean(scores):.3f} +- {np.std(scores, ddof=1):.3f}"
        rows.append((name, spread, f"{own:.3f}", f"{1e3 * solving:.1f} ms"))
    print_table(console, ("model", "AUC, left out", "AUC, learnt", f"solved {FOLDS} times in"), rows)
    console.print(
        f"One read: {FOLDS} sums ({1e3 * reading:.1f} ms); a training set is {FOLDS - 1} of them, added. Each model "
        "is the one that a fit on its training rows would give. Left out: the mean over the folds and their spread."
    )


def two_hospitals(console: Console, pima: Pima, number: int) -> None:
    heading(console, number, "Two hospitals, one model from the sums of both")
    here = pima.fold < 4
    a = LinearDiscriminantAnalysis().fit(pima.X[here], pima.y[here])
    b = LinearDiscriminantAnalysis().fit(pima.X[~here], pima.y[~here])
    together = LinearDiscriminantAnalysis().fit(pima.X, pima.y)
    merged, seconds = timed(lambda: a + b)
    rows = [
        (f"hospital A, {here.sum()} rows", small(difference(a, together))),
        (f"hospital B, {(~here).sum()} rows", small(difference(b, together))),
        ("A + B", small(difference(merged, together))),
    ]
    print_table(console, ("linear discriminant of", "coefficients differ from one fit on all rows by"), rows)
    told = len(disclosure(a)) + len(disclosure(b))
    console.print(
        f"Adding the two models took {1e3 * seconds:.2f} ms; what travels is the sums. They are not anonymous: classes "
        f"and levels of few rows would tell these rows; disclosure() names {told or 'none'} here."
    )


def forgetting(console: Console, pima: Pima, number: int) -> None:
    heading(console, number, "Fifty patients ask to be forgotten")
    gone = np.random.default_rng(1).choice(len(pima.X), 50, replace=False)
    kept = np.setdiff1d(np.arange(len(pima.X)), gone)
    model = LinearDiscriminantAnalysis().fit(pima.X, pima.y)
    refit = LinearDiscriminantAnalysis().fit(pima.X[kept], pima.y[kept])
    rows = [("before", small(difference(model, refit)))]
    _, seconds = timed(lambda: model.forget(pima.X[gone], pima.y[gone]))
    rows += [("after forget(50 rows)", small(difference(model, refit)))]
    print_table(console, ("linear discriminant", f"coefficients differ from a refit on {len(kept)} rows by"), rows)
    console.print(f"It took {1e3 * seconds:.2f} ms and read the 50 rows only.")


def subsets(console: Console, pima: Pima, number: int) -> None:
    heading(console, number, "Which measurements? Forward selection without the data")
    sums, train = fold_sums(pima, lambda X, y: Moments.of(X, y))
    pairs, fits = list(zip(train, sums, strict=True)), 0

    def score(columns: Sequence[int]) -> float:
        """Mean over the folds of R^2: a fold's errors come from its own sums, under the model of the other nine."""
        nonlocal fits
        fits += len(sums)
        return float(np.mean([r2(a.restrict(columns), b.restrict(columns)) for a, b in pairs]))

    start = time.perf_counter()
    chosen: list[int] = []
    rows = []
    while len(chosen) < len(pima.columns):
        best, value = max(
            ((j, score([*chosen, j])) for j in range(len(pima.columns)) if j not in chosen), key=lambda found: found[1]
        )
        chosen.append(best)
        rows.append((str(len(chosen)), "+ " + pima.columns[best], f"{value:.4f}", "#" * round(80 * value)))
    seconds = time.perf_counter() - start
    print_table(console, ("features", "added", "R2, left out", ""), rows)
    console.print(
        f"Least squares on the 0/1 label: {fits} fits in {seconds:.2f} s, all from {FOLDS} sums by restrict(). "
        "The score that chose the features is kind to them: an honest estimate needs an outer loop."
    )


def ridge_path(console: Console, pima: Pima, number: int) -> None:
    heading(console, number, f"Ridge regression: 100 penalties in {FOLDS} folds")
    alphas = np.logspace(-2, 6, 100)
    splits = [(np.flatnonzero(pima.fold != k), np.flatnonzero(pima.fold == k)) for k in range(FOLDS)]
    ours, seconds = timed(lambda: RidgeCV(alphas, cv=splits).fit(pima.X, pima.y))
    theirs, rival_seconds = timed(lambda: RivalRidgeCV(alphas, cv=splits).fit(pima.X, pima.y))
    rows = [
        ("sumlearn", f"{ours.alpha_:.4g}", f"{ours.best_score_:.6f}", f"{1e3 * seconds:.0f} ms"),
        ("scikit-learn", f"{theirs.alpha_:.4g}", f"{theirs.best_score_:.6f}", f"{1e3 * rival_seconds:.0f} ms"),
    ]
    print_table(console, ("RidgeCV of", "chosen penalty", "R2, left out", "time"), rows)
    console.print("One pass, one eigendecomposition for each fold; scikit-learn fits 1000 models and one more.")


def offset(console: Console, pima: Pima, number: int) -> None:
    heading(console, number, "Precision: an offset must not change a slope")
    rows = []
    for distance in (0.0, 1e3, 1e6, 1e9):
        far = pima.X + distance
        right = LinearRegression().fit(far - distance, pima.y).coef_  # the subtraction is exact: the same table
        ours, plain = LinearRegression().fit(far, pima.y).coef_, normal_equations(far, pima.y)
        errors = [float(np.abs(b - right).max() / np.abs(right).max()) for b in (ours, plain)]
        glucose = [f"{b[1]:.8f}" if np.isfinite(b[1]) else "-" for b in (ours, plain)]
        rows.append((f"{distance:,.0f}", glucose[0], small(errors[0]), glucose[1], small(errors[1])))
    print_table(console, ("all columns +", "sumlearn", "off by", "(A'A)^-1 A'y", "off by"), rows)
    console.print(
        "The coefficient of glucose in a least-squares fit, and the largest error of the eight coefficients beside the "
        "largest of them; on the right the normal equations as a first course writes them, in NumPy."
    )


# -- how ------------------------------------------------------------------------------------------------------------


def folds(pima: Pima) -> list[tuple[np.ndarray, np.ndarray]]:
    return [(pima.X[pima.fold == k], pima.y[pima.fold == k]) for k in range(FOLDS)]


def fold_sums(pima: Pima, summarise: Callable[[np.ndarray, np.ndarray], Any]) -> tuple[list[Any], list[Any]]:
    """The sum of every fold, and for every fold the sum of the others."""
    sums = [summarise(X, y) for X, y in folds(pima)]
    return sums, list(all_but_one(sums))


def r2(train: Moments, held: Moments) -> float:
    residuals = LinearRegression().solve(train).residual_moments(held)
    return 1.0 - float(residuals.scatter[0, 0] + residuals.weight * residuals.mean[0] ** 2) / held.scatter[-1, -1]


def log_odds(model: GaussianNB) -> Callable[[np.ndarray], np.ndarray]:
    return lambda X: np.diff(model.predict_log_proba(X), axis=1)[:, 0]


def normal_equations(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """What a first course teaches: a column of ones, (A'A)^-1 A'y in plain double precision."""
    A = np.column_stack([np.ones(len(X)), X])
    try:
        return np.linalg.solve(A.T @ A, A.T @ y)[1:]
    except np.linalg.LinAlgError:
        return np.full(X.shape[1], np.nan)


def difference(a: LinearDiscriminantAnalysis, b: LinearDiscriminantAnalysis) -> float:
    """Largest difference of a coefficient, relative to the largest coefficient."""
    return float(np.abs(a.coef_ - b.coef_).max() / np.abs(b.coef_).max())


def small(value: float) -> str:
    """A difference for a table."""
    return "no solution" if np.isnan(value) else f"{value:.0e}" if value else "0"


def timed(action: Callable[[], Any]) -> tuple[Any, float]:
    start = time.perf_counter()
    return action(), time.perf_counter() - start


def heading(console: Console, number: int, text: str) -> None:
    console.print(f"\n[bold cyan]{number}  {text}[/]")


def print_table(console: Console, headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for i, header in enumerate(headers):
        table.add_column(header, justify="left" if i == 0 or header in ("", "added") else "right")
    for row in rows:
        table.add_row(*row)
    console.print(table)


if __name__ == "__main__":
    sys.exit(main())
