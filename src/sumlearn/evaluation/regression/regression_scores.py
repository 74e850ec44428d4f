"""How good a regression is: the usual scores, with limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...data import vector
from ..row_values import check_finite, normal_quantile, weights_of

LARGEST = 1e75  # limits of squared errors take fourth powers
NAMES = ("r2", "mae", "mse", "rmse", "mape")


@dataclass(frozen=True, eq=False)
class RegressionScores:
    """Scores of predictions, computed when they are asked for.

        R2 = 1 - RSS / TSS     RSS = sum w (y - f)^2     TSS = sum w (y - mean y)^2
        MAE = mean |y - f|     MSE = RSS / W     RMSE = sqrt(MSE)     MAPE = mean |y - f| / |y|

    R2 is negative where the mean of y would have been the better prediction. MAPE is a share, not times 100.
    """

    y: np.ndarray
    prediction: np.ndarray
    weight: np.ndarray
    row: np.ndarray  # where each stood in what was given, for errors
    confidence: float = 0.95

    @property
    def r2(self) -> float:
        """Coefficient of determination; ValueError where y is constant, which makes it x/0."""
        return 1.0 - self.mse / self._spread()

    @property
    def mae(self) -> float:
        """Mean absolute error."""
        return self._mean(np.abs(self._residual()))

    @property
    def mse(self) -> float:
        """Mean squared error."""
        return self._mean(self._residual() ** 2)

    @property
    def rmse(self) -> float:
        """Root mean squared error, in the units of y."""
        return float(np.sqrt(self.mse))

    @property
    def mape(self) -> float:
        """Mean absolute error as a share of |y|; ValueError, which names the row, where y is zero."""
        return self._mean(self._relative())

    def interval(self, name: str) -> tuple[float, float]:
        """Limits of a score at the given confidence.

        MAE, MSE and MAPE are means over rows: normal limits, with the variance of the mean over (W - 1) W. RMSE: the
        roots of the limits of MSE. R2: normal, by the delta method; row n moves it by

            psi_n = (1 - R2) (y_n - mean y)^2 / V - (y_n - f_n)^2 / V,     V = TSS / W

        The rows must be independent of the fit and of each other. Errors are cut at zero, R2 at one. With few rows, or
        few that dominate, such limits are too narrow.
        """
        if name not in NAMES:
            raise ValueError(f"no score {name!r}: there are {', '.join(NAMES)}")
        if name == "rmse":
            low, high = self.interval("mse")
            return low**0.5, high**0.5
        value = getattr(self, name)
        half = normal_quantile(self.confidence) * self._error_of_mean(self._influence(name))
        return (value - half, min(1.0, value + half)) if name == "r2" else (max(0.0, value - half), value + half)

    def _influence(self, name: str) -> np.ndarray:
        """Per row, how far it moves the score, up to a constant."""
        residual = self._residual()
        if name == "r2":
            spread = self._spread()
            return ((1.0 - self.r2) * (self.y - self._mean(self.y)) ** 2 - residual**2) / spread
        if name == "mape":
            return self._relative()
        return np.abs(residual) if name == "mae" else residual**2

    def _error_of_mean(self, values: np.ndarray) -> float:
        total = float(self.weight.sum())
        if total <= 1.0:
            raise ValueError(f"limits need rows of weight above 1, got {total:g}")
        return float(np.sqrt(self.weight @ (values - self._mean(values)) ** 2 / (total - 1.0) / total))

    def _mean(self, values: np.ndarray) -> float:
        return float(self.weight @ values / self.weight.sum())

    def _residual(self) -> np.ndarray:
        return self.y - self.prediction

    def _spread(self) -> float:
        """Variance of y."""
        if np.ptp(self.y) == 0.0:
            raise ValueError("y is constant: R2 compares with its variance, which is zero")
        return self._mean((self.y - self._mean(self.y)) ** 2)

    def _relative(self) -> np.ndarray:
        if not self.y.all():
            raise ValueError(f"y is zero, first at row {self.row[np.argmin(self.y != 0)]}: MAPE divides by it")
        return np.abs(self._residual() / self.y)

    def __str__(self) -> str:
        lines = []
        for name in NAMES:
            try:
                low, high = self.interval(name)
                lines.append(f"{name:<5}{getattr(self, name):>12.6g}   {low:.6g} to {high:.6g}")
            except ValueError as reason:
                lines.append(f"{name:<5}{'-':>12}   {reason}")
        return "\n".join(lines)


def regression_scores(y: Any, prediction: Any, sample_weight: Any = None, confidence: float = 0.95) -> RegressionScores:
    """R2, MAE, MSE, RMSE and MAPE of predictions, each with limits.

    Parameters
    ----------
    y, prediction : arrays of n numbers
        Truth and prediction.
    sample_weight : array of n numbers, default=None
        A weight is a number of rows: 2 equals the row twice, 0 its absence.
    confidence : float, default=0.95
        Of the limits.

    Returns
    -------
    RegressionScores
        Attributes ``r2, mae, mse, rmse, mape``; ``interval(name)``; ``print`` shows all of them.

    Examples
    --------
    >>> from sumlearn import LinearRegression
    >>> from sumlearn.data import load_example
    >>> rows = load_example("faithful").X
    >>> model = LinearRegression().fit(rows[:136, :1], rows[:136, 1])
    >>> scores = regression_scores(rows[136:, 1], model.predict(rows[136:, :1]))
    >>> print(round(scores.r2, 4), round(scores.rmse, 4))
    0.808 5.995
    >>> print(scores)
    r2       0.807956   0.767634 to 0.848278
    mae       4.79387   4.18662 to 5.40113
    mse       35.9404   27.9171 to 43.9638
    rmse      5.99504   5.28366 to 6.63052
    mape    0.0708876   0.0609895 to 0.0807857

    References
    ----------
    Lecture note 003 (whose MAPE has no guard at y = 0, and whose R2 "from 0 to 1" may be negative on new rows).
    """
    truth, guess = numbers(y, "y"), numbers(prediction, "prediction")
    if truth.shape != guess.shape:
        raise ValueError(f"y has {len(truth)} rows and prediction {len(guess)}")
    weight = weights_of(sample_weight, len(truth))
    weight = np.ones(len(truth)) if weight is None else weight
    normal_quantile(confidence)
    keep = weight > 0
    for name, values in (("y", truth), ("prediction", guess)):
        check_finite(np.where(keep, values, 0.0), name)
    if not keep.any():
        raise ValueError("there is no row of weight above zero")
    largest = max(np.abs(values[keep]).max() for values in (truth, guess))
    if largest > LARGEST:
        raise ValueError(f"y and prediction go up to {largest:.3g}: beyond {LARGEST:g} their powers are no floats")
    return RegressionScores(truth[keep], guess[keep], weight[keep], np.flatnonzero(keep), confidence)


def numbers(values: Any, name: str) -> np.ndarray:
    array = vector(values, name)
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{name} must hold real numbers, got dtype {array.dtype}")
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got shape {array.shape}")
    return array.astype(float)
