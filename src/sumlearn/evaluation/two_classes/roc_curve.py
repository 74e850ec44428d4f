"""Every working point of a score: the receiver operating characteristic and what follows from it."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..row_values import normal_quantile, weights_of
from .crossing import break_even, equal_error
from .labels_and_scores import scores_of, split_classes
from .threshold_counts import counted, weighed


class RocPoint(NamedTuple):
    """A working point: rows with score >= threshold are accepted."""

    threshold: float
    tpr: float
    fpr: float
    precision: float

    @property
    def fnr(self) -> float:
        return 1.0 - self.tpr

    @property
    def tnr(self) -> float:
        return 1.0 - self.fpr


class RocCurve:
    """Rates of a two-class score at every threshold: accept if score >= threshold.

        TPR = N_tt / N_t.    FNR = 1 - TPR    FPR = N_ft / N_f.    TNR = 1 - FPR    precision = N_tt / N_.t
        AUC = P(score of a positive > score of a negative), ties counting half (Wilcoxon, Mann & Whitney)

    Thresholds are the distinct scores from the highest to the lowest, after infinity, which accepts nothing. A weight
    is a number of rows: 2 equals the row twice. Cost: one sort; everything else is linear in the number of thresholds.

    Parameters
    ----------
    y_true : array of n labels
        Two of them, or more where `positive` is given, which is then told from all others.
    score : array of n numbers
        High for the positive class.
    sample_weight : array of n numbers, default=None
        None is one for every row.
    positive : label, default=None
        None is the greater of the two labels, ``classes_[1]`` of a classifier.

    Attributes
    ----------
    thresholds : array
        Infinity, then the distinct scores, falling.
    tp, fp : arrays
        Weight of the positive and of the negative rows accepted at each threshold.
    tpr, fnr, fpr, tnr, precision : arrays
        Rates at each threshold. Where nothing is accepted precision would be 0/0; it is set to 1, where scikit-learn's
        curve ends too.
    positives, negatives : float
        Weight of all rows of either class.
    positive : label
        The positive class.

    Examples
    --------
    >>> from sumlearn import LinearDiscriminantAnalysis
    >>> from sumlearn.data import load_example
    >>> train, test = load_example("pima_tr"), load_example("pima_te")
    >>> score = LinearDiscriminantAnalysis().fit(train.X, train.y).decision_function(test.X)
    >>> curve = RocCurve(test.y, score)
    >>> print(f"AUC {curve.auc():.4f}, equal error rate {curve.eer:.3f}, break-even point {curve.bep:.3f}")
    AUC 0.8632, equal error rate 0.220, break-even point 0.688
    >>> low, high = curve.auc_interval()
    >>> print(f"between {low:.3f} and {high:.3f}")
    between 0.823 and 0.903

    References
    ----------
    Lecture note 002 (which draws TPR over TNR, so that its axis runs from right to left). Fawcett, "An introduction to
    ROC analysis", 2006. DeLong, DeLong & Clarke-Pearson, "Comparing the areas under two or more correlated receiver
    operating characteristic curves", 1988.
    """

    thresholds: np.ndarray
    tp: np.ndarray
    fp: np.ndarray
    positive: Any

    def __init__(self, y_true: Any, score: Any, sample_weight: Any = None, positive: Any = None) -> None:
        accepted, self.positive = split_classes(y_true, positive)
        values = scores_of(score, len(accepted))
        weight = weights_of(sample_weight, len(accepted))
        if weight is None:
            self.thresholds, self.tp, self.fp = counted(values, accepted)
        else:
            self.thresholds, self.tp, self.fp = weighed(values, accepted, weight)
        self._check_both_classes()

    @classmethod
    def from_counts(cls, thresholds: Any, positives: Any, negatives: Any, positive: Any = 1) -> RocCurve:
        """The curve of scores that are known by their counts: rows of either class at each threshold, from the top.

        >>> RocCurve.from_counts([0.9, 0.5, 0.1], [2, 1, 1], [0, 1, 3]).auc()
        0.8125
        """
        curve = cls.__new__(cls)
        curve.thresholds = np.append(np.inf, np.asarray(thresholds, dtype=float))
        curve.tp, curve.fp = (np.append(0.0, np.cumsum(counts, dtype=float)) for counts in (positives, negatives))
        if not curve.thresholds.shape == curve.tp.shape == curve.fp.shape or (np.diff(curve.thresholds) >= 0).any():
            raise ValueError("from_counts needs falling thresholds and one count of either class for each")
        curve.positive = positive
        curve._check_both_classes()
        return curve

    def _check_both_classes(self) -> None:
        for name, total in (("positive", self.positives), ("negative", self.negatives)):
            if not total > 0:
                raise ValueError(f"no {name} row has a weight above zero: there is nothing to tell apart")

    @property
    def positives(self) -> float:
        return float(self.tp[-1])

    @property
    def negatives(self) -> float:
        return float(self.fp[-1])

    @cached_property
    def tpr(self) -> np.ndarray:
        return self.tp / self.positives

    @cached_property
    def fpr(self) -> np.ndarray:
        return self.fp / self.negatives

    @property
    def fnr(self) -> np.ndarray:
        return (self.positives - self.tp) / self.positives

    @property
    def tnr(self) -> np.ndarray:
        return (self.negatives - self.fp) / self.negatives

    @cached_property
    def precision(self) -> np.ndarray:
        accepted = self.tp + self.fp
        return np.divide(self.tp, accepted, out=np.ones_like(self.tp), where=accepted > 0)

    # -- the whole curve in one number ------------------------------------------------------------------------------

    def auc(self, ties: str = "half") -> float:
        """Share of the pairs of a positive and a negative row in which the positive has the higher score.

        A tie counts one half (``ties="half"``: the area under the curve) or nothing (``"strict"``: the lecture note).
        """
        if ties not in ("half", "strict"):
            raise ValueError(f"ties must be 'half' or 'strict', got {ties!r}")
        above = self.tp[:-1] if ties == "strict" else 0.5 * (self.tp[:-1] + self.tp[1:])
        return float(np.diff(self.fp) @ above / (self.positives * self.negatives))

    @property
    def average_precision(self) -> float:
        """Mean precision over the steps of recall: sum_k (TPR_k - TPR_{k-1}) precision_k."""
        return float(np.diff(self.tp) @ self.precision[1:] / self.positives)

    def auc_variance(self) -> float:
        """Variance of the AUC (DeLong, DeLong & Clarke-Pearson 1988).

        S10 / N_t. + S01 / N_f., the variances over the rows of either class of the share of the other class that a row
        is on the right side of.
        """
        area, variance = self.auc(), 0.0
        for counts, others, total, name in (
            (self.tp, self.fp, self.positives, "positive"),
            (self.fp, self.tp, self.negatives, "negative"),
        ):
            if total <= 1.0:
                raise ValueError(f"the variance of the AUC needs {name} rows of weight above 1, got {total:g}")
            beaten = 0.5 * (others[:-1] + others[1:]) / others[-1]
            mean = 1.0 - area if name == "positive" else area
            variance += float(np.diff(counts) @ (beaten - mean) ** 2) / (total - 1.0) / total
        return variance

    def auc_interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Limits of the AUC: normal, by DeLong's variance, cut at 0 and 1.

        Where the AUC is 0 or 1 the variance is estimated as zero and the limits coincide: too narrow.
        """
        half = normal_quantile(confidence) * self.auc_variance() ** 0.5
        return max(0.0, self.auc() - half), min(1.0, self.auc() + half)

    # -- working points ---------------------------------------------------------------------------------------------

    def point(self, index: int) -> RocPoint:
        """The working point at ``thresholds[index]``."""
        rates = (self.thresholds, self.tpr, self.fpr, self.precision)
        return RocPoint(*(float(values[index]) for values in rates))

    def at(self, threshold: float) -> RocPoint:
        """The rates of any threshold."""
        if np.isnan(threshold):
            raise ValueError("threshold is NaN")
        index = int(np.searchsorted(-self.thresholds, -threshold, side="right")) - 1
        return self.point(index)._replace(threshold=float(threshold))

    @property
    def eer_point(self) -> RocPoint:
        """Where |FNR - FPR| is least; of several the highest threshold. Ties over the crossing are interpolated."""
        return self._among(*equal_error(self.tp, self.fp))

    @property
    def eer(self) -> float:
        """Equal error rate: FNR at the score with the smallest |FNR - FPR|; .5 of a constant score."""
        return self.eer_point.fnr

    @property
    def eer_interpolated(self) -> bool:
        """Whether no threshold has the rates of `eer_point`: only some of the rows with that score are accepted."""
        return equal_error(self.tp, self.fp)[1] < 1.0

    @property
    def diagonal_point(self) -> RocPoint:
        """Where the curve, drawn as a line, meets FNR = FPR: as a rule between two thresholds.

        With few rows of a class `eer` is one of few shares; both rates of this point are the same.

        >>> curve = RocCurve([0, 0, 0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
        >>> curve.eer, curve.diagonal_point.fnr
        (0.5, 0.25)
        """
        return self._among(*equal_error(self.tp, self.fp, between=True))

    @property
    def bep_point(self) -> RocPoint:
        """Where |recall - precision| is least and a positive row is accepted; ties as for `eer_point`.

        Both are zero where the first rows, as many as there are positive ones, hold none of those.
        """
        return self._among(*break_even(self.tp, self.fp))

    @property
    def bep(self) -> float:
        """Break-even point: recall at the score with the smallest |recall - precision|; of a constant score the share
        of positive rows."""
        return self.bep_point.tpr

    @property
    def bep_interpolated(self) -> bool:
        """Whether no threshold has the rates of `bep_point`, as for `eer_interpolated`."""
        return break_even(self.tp, self.fp)[1] < 1.0

    def _among(self, index: int, share: float) -> RocPoint:
        """The point where a share of the rows with the score ``thresholds[index]`` is accepted."""
        if share == 1.0:
            return self.point(index)
        tp, fp = (float(counts[index - 1] + share * np.diff(counts)[index - 1]) for counts in (self.tp, self.fp))
        return RocPoint(float(self.thresholds[index]), tp / self.positives, fp / self.negatives, tp / (tp + fp))

    @property
    def tangent_point(self) -> RocPoint:
        """Where a line of 45 degrees touches the curve: TPR - FPR, Youden's index, is greatest."""
        return self.point(1 + int(np.argmax((self.tp * self.negatives - self.fp * self.positives)[1:])))

    def expected_cost(
        self, false_accept: float = 1.0, false_reject: float = 1.0, prior: float | None = None
    ) -> np.ndarray:
        """Expected cost of a row at each threshold: rho_FA (1 - prior) FPR + rho_FR prior FNR.

        `prior` is the probability of a positive row where the rule will be used; None is their share in the data.
        """
        if not (0 <= false_accept < np.inf and 0 <= false_reject < np.inf and false_accept + false_reject > 0):
            raise ValueError(f"costs must be finite, not negative, not both zero: {false_accept!r}, {false_reject!r}")
        if prior is None:
            prior = self.positives / (self.positives + self.negatives)
        if not 0.0 <= prior <= 1.0:
            raise ValueError(f"prior must be a probability, got {prior!r}")
        return false_accept * (1.0 - prior) * self.fpr + false_reject * prior * self.fnr

    def iso_cost_point(
        self, false_accept: float = 1.0, false_reject: float = 1.0, prior: float | None = None
    ) -> RocPoint:
        """The cheapest working point; it may be to accept nothing, at threshold infinity.

        Lines of equal cost have the slope rho_FA (1 - prior) / (rho_FR prior); the steepest-left of them that meets the
        curve touches it here.
        """
        return self.point(int(np.argmin(self.expected_cost(false_accept, false_reject, prior))))

    # -- other drawings ---------------------------------------------------------------------------------------------

    def convex_hull(self) -> np.ndarray:
        """Indices of the thresholds on the upper convex hull: the only ones that are cheapest for some costs."""
        from ...compiled.roc import upper_hull

        hull = np.empty(len(self.tp), np.intp)
        return hull[: upper_hull(self.fp, self.tp, hull)].copy()

    def det(self) -> tuple[np.ndarray, np.ndarray]:
        """Detection error trade-off: FPR and FNR as normal deviates, at thresholds where neither is 0 or 1.

        A straight line where both classes have normal scores.
        """
        from scipy.special import ndtri

        inside = (self.fp > 0) & (self.fp < self.negatives) & (self.tp > 0) & (self.tp < self.positives)
        return ndtri(self.fpr[inside]), ndtri(self.fnr[inside])

    def __repr__(self) -> str:
        return (
            f"RocCurve(positive={self.positive!r}, {self.positives:g} positive and {self.negatives:g} negative rows, "
            f"AUC {self.auc():.4f})"
        )


def auc(y_true: Any, score: Any, ties: str = "half", sample_weight: Any = None, positive: Any = None) -> float:
    """Area under the ROC curve: the statistic of Wilcoxon, Mann & Whitney as a share of all pairs.

        AUC = 1 / (N_t. N_f.) sum_{x positive} sum_{y negative} [u(x) > u(y)] + [u(x) = u(y)] / 2

    ``ties="strict"`` leaves the second term out, as the lecture note does.

    >>> auc([1, 1, 0, 0], [0.8, 0.4, 0.4, 0.2]), auc([1, 1, 0, 0], [0.8, 0.4, 0.4, 0.2], ties="strict")
    (0.875, 0.75)
    """
    return RocCurve(y_true, score, sample_weight, positive).auc(ties)
