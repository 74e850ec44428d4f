"""The corrected resampled t-test: scores over splits that share training rows are no independent numbers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class CorrectedTTest(NamedTuple):
    """Mean difference, its standard error, t, degrees of freedom, and the two-sided p-value."""

    mean: float
    standard_error: float
    statistic: float
    df: int
    p_value: float

    def interval(
        self, confidence: float = 0.95, limits: tuple[float, float] = (-np.inf, np.inf)
    ) -> tuple[float, float]:
        """Where the mean lies with that confidence; it ends at the limits of the score, if the mean is within them."""
        from scipy.stats import t

        if not 0.0 < confidence < 1.0:
            raise ValueError(f"confidence must be between 0 and 1, got {confidence!r}")
        half = float(t.ppf(0.5 + confidence / 2.0, self.df)) * self.standard_error
        ends = self.mean - half, self.mean + half
        low, high = np.clip(ends, *limits) if limits[0] <= self.mean <= limits[1] else ends
        return float(low), float(high)


def corrected_t_test(differences: Any, n_train: Any, n_test: Any) -> CorrectedTTest:
    """Student's test of scores or differences of scores over J splits, with a variance that minds the overlap.

        t = d / sqrt((1/J + n_test / n_train) s^2),  J - 1 degrees of freedom

    d and s^2 are mean and variance of the J differences. The plain test has 1/J alone; it takes the splits for
    independent and finds differences that are not there.

    Parameters
    ----------
    differences : array (J,)
        One number for each split.
    n_train, n_test : int, or arrays (J,)
        Rows of the training and test sets; of unequal splits the mean ratio is taken.

    Returns
    -------
    CorrectedTTest
        ``mean``, ``standard_error``, ``statistic``, ``df``, ``p_value``, and ``interval(confidence)``.

    Examples
    --------
    >>> from sumlearn.evaluation import corrected_t_test
    >>> test = corrected_t_test([0.02, 0.01, 0.03, 0.00, 0.02], n_train=80, n_test=20)
    >>> round(test.statistic, 3), round(test.p_value, 3)
    (2.092, 0.105)

    References
    ----------
    Nadeau & Bengio, "Inference for the generalization error", Machine Learning 52, 2003; Bouckaert & Frank,
    "Evaluating the replicability of significance tests for comparing learning algorithms", 2004.
    """
    from scipy.stats import t as student

    values = np.asarray(differences, dtype=float)
    if values.ndim != 1 or len(values) < 2:
        raise ValueError(f"differences must be at least two numbers, got shape {values.shape}")
    for row in np.flatnonzero(~np.isfinite(values))[:1]:
        raise ValueError(f"differences holds {values[row]} at row {row}")
    sizes = np.asarray(n_train, dtype=float), np.asarray(n_test, dtype=float)
    for name, size in zip(("n_train", "n_test"), sizes, strict=True):
        if not (np.isfinite(size).all() and (size > 0).all()) or size.shape not in ((), values.shape):
            raise ValueError(f"{name} must be a positive number of rows, or one for each split")
    ratio = float(np.mean(sizes[1] / sizes[0]))
    mean, df = float(values.mean()), len(values) - 1
    spread = float(values.std(ddof=1))
    if spread <= 1e-15 * np.abs(values).max(initial=0.0):  # all equal but for rounding
        spread = 0.0
    error = spread * np.sqrt(1.0 / len(values) + ratio)
    statistic = mean / error if error > 0 else 0.0 if mean == 0 else float(np.copysign(np.inf, mean))
    return CorrectedTTest(mean, float(error), float(statistic), df, float(2.0 * student.sf(abs(statistic), df)))
