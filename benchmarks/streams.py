"""`python -m benchmarks.streams`: rows predicted and learnt one by one, beside river where it is installed.

A stream is handed over in one call, asked about and learnt row by row (`streams.prequential`); river is given the same
rows as dictionaries that are made beforehand, and runs its own `predict_one` and `learn_one`. Each has one BLAS
thread; the best of several runs counts. Models that are the same thing must err alike; river's stochastic gradient, its
quickest regression, is another model and stands there for its time. Beside them: what a call for every row costs us.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

import sumlearn as sl
from sumlearn.streams import prequential

TARGET = 20.0


class Stream(NamedTuple):
    """Rows, a target of numbers that drifts, and labels."""

    X: np.ndarray
    y: np.ndarray
    labels: np.ndarray


class Timed(NamedTuple):
    """Rows a second, and the error of the answers."""

    rate: float
    error: float


class Race(NamedTuple):
    """Ours, and river's models that stand against it: whether each is the same model."""

    name: str
    ours: Any
    rivals: tuple[tuple[str, Callable[[], Any], bool], ...]
    labels: bool


def stream(rows: int, columns: int) -> Stream:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, columns))
    slope = np.linspace(-1.0, 1.0, columns) * np.where(np.arange(rows) < rows // 2, 1.0, -1.0)[:, None]
    y = (X * slope).sum(axis=1) + rng.standard_normal(rows)
    return Stream(X, y, np.array(["low", "middle", "high"])[np.digitize(y, [-1.0, 1.0])])


def races() -> list[Race]:
    """Ours beside river's; the rivals are left out where river is not installed."""
    half_life = 1000.0
    fade = 0.5 ** (1.0 / half_life)
    try:
        from river import linear_model, naive_bayes, preprocessing
    except ImportError:
        print("rival skipped: river is not installed")
        exact = fading = bayes = ()
    else:
        descent = ("gradient descent", lambda: preprocessing.StandardScaler() | linear_model.LinearRegression(), False)
        exact = (("BayesianLinearRegression", linear_model.BayesianLinearRegression, True), descent)
        smooth = lambda: linear_model.BayesianLinearRegression(smoothing=fade)  # noqa: E731
        fading = (("BayesianLinearRegression, smoothing", smooth, False), descent)
        bayes = (("GaussianNB", naive_bayes.GaussianNB, True),)
    return [
        Race("ridge", sl.Ridge(alpha=1.0), exact, False),
        Race("least squares, fading", sl.Fading(sl.LinearRegression(), half_life=half_life), fading, False),
        Race("ridge, fading", sl.Fading(sl.Ridge(alpha=1.0), half_life=half_life), fading, False),
        Race("naive Bayes", sl.GaussianNB(), bayes, True),
        Race("naive Bayes, fading", sl.Fading(sl.GaussianNB(), half_life=half_life), (), True),
        Race("linear discriminant", sl.LinearDiscriminantAnalysis(), (), True),
        Race("linear discriminant, fading", sl.Fading(sl.LinearDiscriminantAnalysis(), half_life=half_life), (), True),
    ]


def error_of(answers: np.ndarray, truth: np.ndarray) -> float:
    """Over the later half, where a beginning no longer counts."""
    later = slice(len(truth) // 2, None)
    if truth.dtype.kind == "U":
        return float(np.mean(answers[later] != truth[later]))
    return float(np.sqrt(np.mean((answers[later].astype(float) - truth[later]) ** 2)))


def ours(model: Any, X: np.ndarray, y: np.ndarray, repeat: int) -> Timed:
    prequential(model, X[:3000], y[:3000])
    best, error = np.inf, 0.0
    for _ in range(repeat):
        start = time.perf_counter()
        told = prequential(model, X, y)
        best = min(best, time.perf_counter() - start)
        error = error_of(told.predictions, y)
    return Timed(len(X) / best, error)


def single_calls(model: Any, X: np.ndarray, y: np.ndarray, rows: int) -> float:
    """Rows a second of predict and partial_fit, called for every row."""
    from sklearn.base import clone

    model = clone(model).partial_fit(X[:200], y[:200])
    start = time.perf_counter()
    for row in range(200, 200 + rows):
        model.predict(X[row : row + 1])
        model.partial_fit(X[row : row + 1], y[row : row + 1])
    return rows / (time.perf_counter() - start)


def rival(make: Callable[[], Any], X: np.ndarray, y: np.ndarray, repeat: int) -> Timed:
    rows = [dict(enumerate(row)) for row in X.tolist()]
    targets = y.tolist()
    best, error = np.inf, 0.0
    for _ in range(repeat):
        model, answers = make(), []
        start = time.perf_counter()
        for row, target in zip(rows, targets, strict=True):
            answers.append(model.predict_one(row))
            model.learn_one(row, target)
        best = min(best, time.perf_counter() - start)
        error = error_of(np.array(answers, dtype=object), y)
    return Timed(len(X) / best, error)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.streams", description=__doc__)
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--rival-rows", type=int, default=20_000, help="rows that river is given")
    parser.add_argument("--columns", type=int, default=10)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    data = stream(options.rows, options.columns)
    few = stream(options.rival_rows, options.columns)
    print(f"{options.rows:,} rows, {options.columns} columns; target: {TARGET:.0f} times the rival's rows")
    print(f"{'':30}{'rows a second':>14}{'error':>9}{'one-row calls':>15}")
    with threadpool_limits(1):
        for race in races():
            y, short = (data.labels, few.labels) if race.labels else (data.y, few.y)
            found, single = ours(race.ours, data.X, y, options.repeat), single_calls(race.ours, data.X, y, 500)
            print(f"{race.name:30}{found.rate:14,.0f}{found.error:9.4f}{single:15,.0f}", flush=True)
            same = ours(race.ours, few.X, short, 1).error if race.rivals else 0.0
            for name, make, equal in race.rivals:
                theirs = rival(make, few.X, short, options.repeat)
                agrees = abs(theirs.error - same) <= 0.01 * same
                word = ("" if agrees else "  FAILED: errors differ") if equal else "  (another model)"
                ratio = found.rate / theirs.rate
                print(f"  river, {name:21.21}{theirs.rate:14,.0f}{theirs.error:9.4f}{'':9}{ratio:6.1f} x{word}")


if __name__ == "__main__":
    main()
