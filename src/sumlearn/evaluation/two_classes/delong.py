"""Are two areas under ROC curves different, when both scores were given to the same rows?"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..row_values import check_finite, normal_quantile, weights_of
from .labels_and_scores import scores_of, split_classes


class DelongTest(NamedTuple):
    """Two areas, their difference a - b with its variance, and the two-sided test that it is zero."""

    auc_a: float
    auc_b: float
    difference: float
    variance: float
    z: float
    p_value: float
    interval: tuple[float, float]


def delong_test(
    y_true: Any,
    score_a: Any,
    score_b: Any,
    sample_weight: Any = None,
    positive: Any = None,
    confidence: float = 0.95,
) -> DelongTest:
    """Paired test of two AUCs (DeLong, DeLong & Clarke-Pearson 1988).

        V_t(x) = share of the negatives below the positive x     V_f(y) = share of the positives above the negative y
        variance of AUC_a - AUC_b = Var(V_ta - V_tb) / N_t. + Var(V_fa - V_fb) / N_f.,  ties counting half

    The placements V are found by binary search, so that the cost is that of sorting (Sun & Xu 2014).

    Parameters
    ----------
    y_true, sample_weight, positive
        As for `RocCurve`.
    score_a, score_b : arrays of n numbers
        Two scores of the same rows.
    confidence : float, default=0.95
        Of the interval of the difference.

    Returns
    -------
    DelongTest
        ``auc_a, auc_b, difference, variance, z, p_value, interval``. Equal placements give z = 0 and p = 1. A
        difference whose variance is estimated as zero cannot be tested and is a ValueError.

    Examples
    --------
    Does a model of all seven measurements tell diabetes better than glucose alone?

    >>> from sumlearn import LinearDiscriminantAnalysis
    >>> from sumlearn.data import load_example
    >>> train, test = load_example("pima_tr"), load_example("pima_te")
    >>> score = LinearDiscriminantAnalysis().fit(train.X, train.y).decision_function(test.X)
    >>> areas = delong_test(test.y, score, test.X[:, test.columns.index("glu")])
    >>> print(f"{areas.auc_a:.3f} against {areas.auc_b:.3f}, p = {areas.p_value:.4f}")
    0.863 against 0.797, p = 0.0009
    """
    accepted, _ = split_classes(y_true, positive)
    weight = weights_of(sample_weight, len(accepted))
    weight = np.ones(len(accepted)) if weight is None else weight
    for name, side in (("positive", accepted), ("negative", ~accepted)):
        if not weight[side].sum() > 1.0:
            raise ValueError(f"the variance of an AUC needs {name} rows of weight above 1, got {weight[side].sum():g}")
    areas, placements = [], []
    for name, score in (("score_a", score_a), ("score_b", score_b)):
        values = scores_of(score, len(accepted), name)
        check_finite(np.where(weight > 0, values, 0.0), name)
        below = share_below(values[accepted], values[~accepted], weight[~accepted])
        above = 1.0 - share_below(values[~accepted], values[accepted], weight[accepted])
        areas.append(weighted_mean(below, weight[accepted]))
        placements.append((below, above))
    (below_a, above_a), (below_b, above_b) = placements
    variance = variance_of_mean(below_a - below_b, weight[accepted])
    variance += variance_of_mean(above_a - above_b, weight[~accepted])
    a, b = areas
    half, z = normal_quantile(confidence) * variance**0.5, z_value(a - b, variance)
    return DelongTest(a, b, a - b, variance, z, two_sided(z), (a - b - half, a - b + half))


def share_below(values: np.ndarray, others: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """For each value the share of `others` below it, ties counting half."""
    order = np.argsort(others, kind="stable")
    ranked, heaped = others[order], np.append(0.0, np.cumsum(weight[order]))
    below = heaped[np.searchsorted(ranked, values, side="left")] + heaped[np.searchsorted(ranked, values, side="right")]
    return below / (2.0 * heaped[-1])


def weighted_mean(values: np.ndarray, weight: np.ndarray) -> float:
    return float(values @ weight / weight.sum())


def variance_of_mean(values: np.ndarray, weight: np.ndarray) -> float:
    """sum w (v - mean)^2 / (W - 1) / W, a weight being a number of rows."""
    mean, total = weighted_mean(values, weight), float(weight.sum())
    return float(weight @ (values - mean) ** 2) / (total - 1.0) / total


def z_value(difference: float, variance: float) -> float:
    noise = np.finfo(float).eps  # shares are sums of at most a few roundings
    if variance > noise**2:
        return difference / variance**0.5
    if abs(difference) <= 4.0 * noise:
        return 0.0
    raise ValueError(f"the AUCs differ by {difference:g} with an estimated variance of zero: there is no test")


def two_sided(z: float) -> float:
    from scipy.special import ndtr

    return float(2.0 * ndtr(-abs(z)))
