"""Regression by the mean of the nearest rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from ..fitted import Later
from ..one_pass import OnePass
from ..sampling import with_noise
from .parts.nearest import NEIGHBOURS, Nearest
from .parts.rows_in_order import Labels, RowsInOrder


class KNeighborsRegressor(RegressorMixin, Nearest, OnePass):  # type: ignore[override]
    """The mean of the targets of the nearest rows.

        f(q) = sum_{i in N(q)} w_i v(d_i) y_i / sum_{i in N(q)} w_i v(d_i),   v = 1 or 1 / d

    N(q) holds the nearest rows, until their weight is k, and all that are as far away as the last of them; search,
    metrics and their treatment of levels and gaps are those of `KNeighborsClassifier`.

    Statistic: RowsInOrder, the rows and their weights: it grows with them. One pass. Can merge, forget, decay,
    restrict. Cost: summarise O(n d), solve O(n d + n log n) and for "loo" one search, predict O(n d) a query at worst
    and about O(d log n) in few columns.

    Parameters
    ----------
    n_neighbors, weights, algorithm, leaf_size, p, metric, metric_params, n_jobs, ties, max_neighbors
        As of `KNeighborsClassifier`.

    Attributes
    ----------
    n_neighbors_ : int
        k in use.
    loo_scores_ : array
        R^2 of the predictions for every row by the others, with 1, 2, ... neighbours (to k, or `max_neighbors` with
        "loo"); the mean over several targets. Computed when it is asked for, unless k was chosen by it.
    noise_variance_ : float or array (targets,)
        Mean squared error of each target with `n_neighbors_`, of every row by the others; `sample` draws with it.
    n_samples_fit_, effective_metric_, effective_metric_params_
        As scikit-learn has them.

    Examples
    --------
    >>> from sumlearn import KNeighborsRegressor
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 4.0, 9.0]
    >>> KNeighborsRegressor(2, weights="distance").fit(X, y).predict([[1.25], [2.0]])
    array([1.75, 4.  ])
    >>> KNeighborsRegressor(1).fit(X, y).predict([[1.5]])  # both are as near
    array([2.5])

    References
    ----------
    Lecture notes 000 and 003; Stone, "Consistent nonparametric regression", 1977.
    """

    description = NEIGHBOURS

    noise_variance_ = Later("left_out_variance", "Mean squared leave-one-out error of each target.")

    def values_of(self, statistic: RowsInOrder) -> np.ndarray:
        """The targets."""
        return statistic.y

    def described(self, statistic: RowsInOrder) -> dict[str, Any]:
        return {}

    def score_left_out(self, mean: np.ndarray, found: dict[str, Any], rows: RowsInOrder, asked: np.ndarray) -> float:
        weight, truth = rows.mass[asked], rows.y[asked]
        truth, mean = of_moderate_size(truth, mean)
        level = np.average(truth, axis=0, weights=weight)
        spread, error = weight @ (truth - level) ** 2, weight @ (truth - mean) ** 2
        none = np.where(error > 0, 0.0, 1.0)  # as scikit-learn says of a constant
        return float(np.mean(np.where(spread > 0, 1.0 - error / np.where(spread > 0, spread, 1.0), none)))

    def predict(self, X: Any = None) -> np.ndarray:
        """The mean of the targets of the neighbours for every row; without X, for every row learnt, by the others."""
        return self.decided(self.votes(X), None)

    def decided(self, means: np.ndarray, names: Labels | None) -> np.ndarray:
        single = vars(self).get("_single_target", means.shape[1] == 1)
        return (means[:, 0] if single else means).astype(self.float_dtype)

    def sample(self, X: Any, random_state: Any = None, *, n: int | None = None) -> np.ndarray:
        """Draw a target for every row from N(f(x), noise_variance_); with `n`, so many times, along the first axis."""
        return with_noise(self.predict(X), type(self).noise_variance_.of(self), random_state, n)

    def left_out_variance(self) -> Any:
        """Mean squared error of each target, of every row by the others."""
        rows = self.statistic_
        apart = self.left_out_votes(self.solved()) - rows.y
        with np.errstate(over="ignore"):  # `sample` refuses it
            variance = np.average(apart**2, axis=0, weights=rows.mass)
        return float(variance[0]) if vars(self).get("_single_target", len(variance) == 1) else variance


def of_moderate_size(truth: np.ndarray, mean: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both times one power of two for each column, so that squares are numbers."""
    exponent = np.frexp(np.abs(truth).max(axis=0, initial=0.0))[1]
    return np.ldexp(truth, -exponent), np.ldexp(mean, -exponent)
