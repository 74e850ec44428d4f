"""Gaussian naive Bayes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...data import Chunk
from ...engines import in_threads
from ...statistics import Grouped, Moments, Pooled
from ..description import BY_FEATURES, Description, Offer
from ..fitted import Fitted, check_variances
from ..linear_map import away_from, is_far
from ..one_pass import OnePass
from ..precision import AtPrecision, is_exact
from .parts.gaussian_classifier import GaussianClassifier

NUMBERS = 2**15  # of rows that one thread takes at a time: they stay in the cache from class to class


class GaussianNB(GaussianClassifier, OnePass):
    """Classes with independent normal features.

        ln p(k | x) = ln p(k) - 1/2 sum_j [ln 2 pi v_kj + (x_j - m_kj)^2 / v_kj] + const
        v_kj = S_kj / W_k + var_smoothing * max_j Var(x_j)

    The smoothing enters in `solve`, from the variance of all rows, so that ``partial_fit`` gives the model of one fit
    (scikit-learn's keeps the smoothing of the last chunk).

    Statistic: Grouped[Moments], diagonal. One pass. Can merge, forget, decay, restrict. Cost: summarise O(n d), solve
    O(K d). Also solves the Pooled statistic of LinearDiscriminantAnalysis and the full one of
    QuadraticDiscriminantAnalysis.

    Parameters
    ----------
    priors : dict or array of shape (classes,), default=None
        Prior probabilities by label, or by the place of the classes, of which then none may be forgotten altogether. A
        class without rows has none, and the others share what is left. None takes the share of the weights.
    var_smoothing : float, default=1e-9
        Share of the largest variance that is added to all.
    precision : {None, "double", "exact"}, default=None
        "exact" sums without any rounding: the same rows leave the same bits, however they came and went. It takes
        longer, and nothing decays.

    Attributes
    ----------
    classes_, class_count_, class_prior_, theta_, var_, epsilon_
        Labels; weight of each class; priors; means; variances with the smoothing; the smoothing.

    Examples
    --------
    >>> from sumlearn import GaussianNB
    >>> from sumlearn.data import load_example
    >>> iris = load_example("iris")
    >>> model = GaussianNB().fit(iris.X, iris.y)
    >>> float(model.score(iris.X, iris.y))
    0.96
    >>> model.theta_[0].round(3).tolist()
    [5.006, 3.428, 1.462, 0.246]

    References
    ----------
    Lecture note 004; Hastie, Tibshirani & Friedman, "The elements of statistical learning", 2009, sec. 6.6.3.
    """

    description = Description(
        offers=(Offer("naive_bayes", "Gaussian naive Bayes", 30),),
        complexity=BY_FEATURES,
        judge="naive_bayes",
        onnx="naive_bayes",
        variants={"precision": (None, "exact")},
    )

    statistic_type = AtPrecision(Grouped[Moments])
    chunk_factor = 8  # a pass of so little work wants few merges
    exact_priors = True

    class_count_ = Fitted("Weight of each class.")
    class_prior_ = Fitted("Prior probabilities.")
    theta_ = Fitted("Means, (classes, features).")
    var_ = Fitted("Variances with the smoothing, (classes, features).")
    epsilon_ = Fitted("The variance that is added to all.")

    def __init__(self, *, priors: Any = None, var_smoothing: float = 1e-9, precision: str | None = None) -> None:
        self.priors = priors
        self.var_smoothing = var_smoothing
        self.precision = precision

    def summarise(self, chunk: Chunk, look: Any = None) -> Grouped[Moments]:
        return Grouped.of(chunk.X, chunk.y, chunk.weight, form="diagonal", exact=is_exact(self))

    def solution(self, statistic: Any) -> dict[str, Any]:
        if not 0 <= self.var_smoothing < np.inf:
            raise ValueError(f"var_smoothing must be a number that is not negative, got {self.var_smoothing!r}")
        groups: Grouped[Moments] = statistic.groups if isinstance(statistic, Pooled) else statistic
        total = groups.moments()
        labels = self.labels_of(groups)
        d = total.columns
        parts = [groups.groups.get(label) for label in labels.tolist()]
        weights = np.array([0.0 if part is None else part.weight for part in parts])
        theta = np.array([np.zeros(d) if part is None else part.mean for part in parts])
        deviation = np.array([np.zeros(d) if part is None else part.deviation for part in parts])
        check_variances(total.deviation)
        spread = total.deviation.max(initial=0.0)
        unit = int(np.frexp(spread)[1])  # squares are taken in units of the largest deviation: nothing overflows
        scaled = np.ldexp(deviation, -unit) ** 2
        epsilon = self.var_smoothing * np.ldexp(spread, -unit) ** 2
        scaled += epsilon if epsilon > 0 else np.where(scaled.max(axis=0) > 0, 0.0, 1.0)
        variance = np.ldexp(scaled, 2 * unit)
        limits = np.finfo(self.float_dtype)
        fits = bool(((variance > limits.tiny) & (variance < limits.max)).all())
        dtype = self.float_dtype if fits else np.float64
        return {
            "classes_": labels,
            "class_count_": weights,
            "class_prior_": self.priors_of(weights, labels).astype(dtype),
            "theta_": theta.astype(dtype),
            "var_": variance.astype(dtype),
            "epsilon_": float(np.ldexp(epsilon, 2 * unit)),
            "mean": theta,
            "rest": [
                None if part is None or not is_far(part.mean, part.deviation) else part.mean_rest for part in parts
            ],
            "unit": unit,
            "precision": 1.0 / np.maximum(scaled, np.finfo(float).tiny),
            "constant": -0.5 * np.log(2.0 * np.pi * np.maximum(scaled, np.finfo(float).tiny)).sum(axis=1)
            - d * unit * np.log(2.0),
        }

    def joint(self, X: np.ndarray) -> np.ndarray:
        solution = self.solved()
        out = np.empty((len(X), len(solution["theta_"])), dtype=X.dtype)
        with np.errstate(divide="ignore"):
            level = np.log(solution["class_prior_"]) + solution["constant"]

        def block(start: int) -> None:
            rows = slice(start, start + size)
            for k, (mean, precision) in enumerate(zip(solution["mean"], solution["precision"], strict=True)):
                away = away_from(X[rows], mean, solution["rest"][k])
                away = away * float(np.ldexp(1.0, -unit)) if abs(unit) < 1000 else np.ldexp(away, -unit)
                out[rows, k] = level[k] - 0.5 * np.einsum("ij,ij->i", away, away * precision)

        unit, size = solution["unit"], max(NUMBERS // max(X.shape[1], 1), 16)
        in_threads(block, range(0, len(X), size))
        return out

    def predict_joint_log_proba(self, X: Any) -> np.ndarray:
        """ln p(x, k), one column per class."""
        return self.joint_rows(X)
