"""The one data set of all tasks: ten Gaussian classes with correlated columns and a linear target."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

CLASSES = 10
SOME_FOLDS, SOME_ROWS = 3, 11  # penalties that slow rivals run: leaving out folds, leaving out single rows
ROWS_AT_A_TIME = 50_000  # rows drawn at a time, so that making the data needs little more memory than holding it
MIXED = 2_000  # columns up to which they are correlated: a rotation of more takes longer than all that is measured
SEPARATION = 2.5  # typical distance of a class mean from the centre, in within-class standard deviations


@dataclass(frozen=True)
class Data:
    """Rows, a numeric target and integer labels; for the ridge tasks also penalties and fold count."""

    X: np.ndarray
    target: np.ndarray
    labels: np.ndarray
    alphas: np.ndarray
    folds: int = 10
    whole: bool = False  # rivals run all penalties instead of a few from which the rest is extrapolated

    def some(self, count: int) -> np.ndarray:
        """Positions in `alphas` of the penalties that are compared, and that slow rivals run: this many, or all."""
        if self.whole:
            return np.arange(len(self.alphas))
        return np.linspace(0, len(self.alphas) - 1, count + 2).astype(int)[1:-1]

    @property
    def sample(self) -> np.ndarray:
        """The rows on which predictions are compared."""
        return self.X[:10_000]

    def head(self, rows: int) -> Data:
        """The first rows, for warming up."""
        return replace(self, X=self.X[:rows], target=self.target[:rows], labels=self.labels[:rows])

    def binary(self) -> Data:
        """The same rows with two classes, whose labels 0 and 1 are also the numeric target."""
        labels = (self.labels >= CLASSES // 2).astype(np.int64)
        return replace(self, target=labels.astype(self.X.dtype), labels=labels)


@lru_cache(maxsize=1)
def make(rows: int, columns: int, dtype: str = "float64", whole: bool = False, seed: int = 0) -> Data:
    """Draw x = mean_k + spread_k * z A + offset and target = x'beta + noise, reproducibly."""
    rng = np.random.default_rng(seed)
    mixing = np.geomspace(3.0, 0.3, columns)  # distinct variances: components are well defined
    if columns <= MIXED:
        rotation, _ = np.linalg.qr(rng.standard_normal((columns, columns)))
        mixing = mixing[:, None] * rotation
    mix = np.matmul if mixing.ndim == 2 else np.multiply
    means = SEPARATION / np.sqrt(columns) * mix(rng.standard_normal((CLASSES, columns)), mixing)
    means += np.linspace(-2.0, 2.0, columns)
    spread = rng.uniform(0.7, 1.3, (CLASSES, columns)).astype(dtype)
    beta = rng.standard_normal(columns) / np.sqrt(columns)

    mixing, means, beta = mixing.astype(dtype), means.astype(dtype), beta.astype(dtype)
    labels = rng.integers(0, CLASSES, rows)
    X = np.empty((rows, columns), dtype)
    target = np.empty(rows, dtype)
    for start in range(0, rows, ROWS_AT_A_TIME):
        part = slice(start, min(start + ROWS_AT_A_TIME, rows))
        label = labels[part]
        noise = rng.standard_normal((len(label), columns), dtype=np.dtype(dtype))
        X[part] = mix(spread[label] * noise, mixing) + means[label]
        target[part] = X[part] @ beta + rng.standard_normal(len(label), dtype=np.dtype(dtype))
    return Data(X, target, labels, alphas=np.logspace(-3, 6, 100), whole=whole)
