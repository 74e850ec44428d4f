"""Ten tables of different kinds, made by a seed, for whoever compares trees, forests and boosting."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.datasets import make_classification, make_friedman1
from sklearn.preprocessing import OrdinalEncoder


class Made(NamedTuple):
    """Rows to learn from and rows to be judged by; `classes` is 0 for numbers."""

    train: pd.DataFrame
    y_train: np.ndarray
    test: pd.DataFrame
    y_test: np.ndarray
    classes: int


def halves(frame: pd.DataFrame, y: np.ndarray, classes: int, learnt: int) -> Made:
    return Made(frame[:learnt], y[:learnt], frame[learnt:], y[learnt:], classes)


def numbers(X: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])


def two_classes(seed: int) -> Made:
    X, y = make_classification(4000, 20, n_informative=8, n_clusters_per_class=3, random_state=seed)
    return halves(numbers(X), y, 2, 1500)


def many_classes(seed: int) -> Made:
    X, y = make_classification(6000, 16, n_informative=12, n_classes=15, n_clusters_per_class=1, random_state=seed)
    return halves(numbers(X), y, 15, 2500)


def imbalanced(seed: int) -> Made:
    X, y = make_classification(8000, 15, n_informative=6, weights=[0.94], class_sep=0.8, random_state=seed)
    return halves(numbers(X), y, 2, 3000)


def noisy(seed: int) -> Made:
    X, y = make_classification(5000, 25, n_informative=5, flip_y=0.4, random_state=seed)
    return halves(numbers(X), y, 2, 2000)


def wide(seed: int) -> Made:
    X, y = make_classification(2300, 400, n_informative=15, n_redundant=30, random_state=seed)
    return halves(numbers(X), y, 2, 300)


def with_words(seed: int, n: int, levels: tuple[int, ...]) -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers with gaps, and words whose levels have effects of their own; the score that a target is made of."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    score = X[:, 0] + np.sin(2 * X[:, 1]) + X[:, 2] * X[:, 3]
    frame = numbers(X)
    for j, size in enumerate(levels):
        level = rng.choice(size, n, p=rng.dirichlet(np.full(size, 2.0)))
        score = score + rng.normal(size=size)[level]
        frame[f"word{j}"] = pd.Series([f"level {code}" for code in level]).where(rng.random(n) > 0.05)
    for j in range(3):
        frame.loc[rng.random(n) < 0.1, f"x{j}"] = np.nan
    return frame, score


def mixed_classes(seed: int) -> Made:
    frame, score = with_words(seed, 4500, (4, 8, 12))
    y = (score + np.random.default_rng(seed + 1).normal(size=len(score)) > np.median(score)).astype(int)
    return halves(frame, y, 2, 2000)


def many_levels(seed: int) -> Made:
    frame, score = with_words(seed, 5500, (60, 120))
    y = np.searchsorted(np.quantile(score, [0.33, 0.66]), score + np.random.default_rng(seed + 1).normal(size=5500))
    return halves(frame, y, 3, 3000)


def mixed_numbers(seed: int) -> Made:
    frame, score = with_words(seed, 4500, (5, 20))
    return halves(frame, score + np.random.default_rng(seed + 1).normal(size=4500), 0, 2000)


def smooth_numbers(seed: int) -> Made:
    X, y = make_friedman1(4000, 10, noise=1.0, random_state=seed)
    return halves(numbers(X), y, 0, 1500)


def heavy_tails(seed: int) -> Made:
    rng = np.random.default_rng(seed)
    X = np.exp(rng.normal(size=(4500, 8)))
    y = np.log1p(X[:, 0] * X[:, 1]) + (X[:, 2] > 1.5) + 0.5 * rng.standard_t(2.5, size=4500)
    return halves(numbers(X), y, 0, 2000)


TABLES: dict[str, Callable[[int], Made]] = {
    maker.__name__: maker
    for maker in (
        two_classes, many_classes, imbalanced, noisy, wide, mixed_classes, many_levels, mixed_numbers, smooth_numbers,
        heavy_tails,
    )
}  # fmt: skip


def in_codes(made: Made) -> Made:
    """Words as codes, for estimators that read numbers alone; gaps stay gaps."""
    words = [name for name in made.train.columns if name.startswith("word")]
    if not words:
        return made
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan).fit(made.train[words])
    coded = (frame.assign(**dict(zip(words, encoder.transform(frame[words]).T, strict=True)))
             for frame in (made.train, made.test))  # fmt: skip
    train, test = (frame.astype(float) for frame in coded)
    return made._replace(train=train, test=test)
