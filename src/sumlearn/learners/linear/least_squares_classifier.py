"""Classification by least squares."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...data import Chunk
from ...statistics import Grouped, Moments, Pooled
from ...statistics.chunk_sums import PRODUCT_LIMIT, condition
from ...statistics.projection import TWO_WORD_EPS
from ..description import PENALTY, Description, Offer, Tuning
from ..one_pass import OnePass
from ..precision import at_precision, is_exact
from ..validation import term_name
from .parts.label_regression import LabelRegression


class LeastSquaresClassifier(LabelRegression, OnePass):
    """Regression on the class: a plane through targets 0 and 1, the class by which side of 1/2 it gives.

        two classes: f(x) = b'x + b0 with sum_n w_n (t_n - f(x_n))^2 + alpha |b|^2 least, t = 0 or 1; class 1 if f > 1/2
        K classes:   one-hot targets, W = Y X^+ (alpha = 0), the class of the largest f_k

    ``decision_function`` is g = 2 f - 1, the regression on -1 and +1, so its sign decides; ``coef_`` and ``intercept_``
    belong to g, and f = (1 + g) / 2. With an intercept both codings are one model, and it is scikit-learn's
    RidgeClassifier. Without, the targets are -1 and +1: the plane passes through the origin. f is no probability: it
    leaves [0, 1]. `predict_proba` takes the scores of every class to be Gaussian, from the same sums.

    Statistic: Pooled moments (class means, one scatter); with `class_weight` the full moments of every class. One pass.
    Can merge, forget, decay, restrict. Cost: summarise O(n d^2), solve O(d^3 + K d^2). The sums of
    LinearDiscriminantAnalysis serve too: ``LeastSquaresClassifier().solve(lda.statistic_)``.

    Parameters
    ----------
    alpha : float, default=0.0
        Penalty on the length of the weights, not negative; the intercept is free.
    fit_intercept : bool, default=True
        Whether to fit b0.
    class_weight : None, "balanced" or dict, default=None
        Factor on the weight of every row of a class. "balanced" gives all classes the same total, W / (K W_k).
    basis : basis of `sumlearn.features`, default=None
        x -> phi(x) before anything else; models of a basis that looks at the data merge where the look is the same.
    precision : {None, "double", "exact"}, default=None
        "exact" sums without any rounding: the same rows leave the same bits, however they came and went. It takes
        longer, and nothing decays.

    Attributes
    ----------
    coef_, intercept_, classes_
        The planes g, as in scikit-learn's RidgeClassifier.
    rank_, condition_, aliased_, digits_
        As in LinearRegression.

    Examples
    --------
    >>> from sumlearn import LeastSquaresClassifier
    >>> from sumlearn.data import load_example
    >>> pima = load_example("pima")
    >>> model = LeastSquaresClassifier().fit(pima.X, pima.y)
    >>> print(f"{model.score(pima.X, pima.y):.4f}")
    0.7839
    >>> sites = [LeastSquaresClassifier().fit(pima.X[i::2], pima.y[i::2]) for i in (0, 1)]
    >>> bool(abs(sum(sites).coef_ - model.coef_).max() < 1e-12)
    True

    References
    ----------
    Lecture notes 000, 003, 004; Duda, Hart & Stork 2001, sec. 5.8; Bishop 2006, sec. 4.1.3.
    """

    description = Description(
        offers=(
            Offer(
                "least_squares", "least squares on labels", 40, tuning=Tuning("alpha", (0.1, 1.0, 10.0, 100.0, 1000.0))
            ),
            Offer(
                "polynomial",
                "least squares on products",
                80,
                tuning=Tuning("alpha", (1.0, 10.0, 100.0)),
                degree=2,
                most_features=50,
            ),  # whose products are some 1300
        ),
        complexity=PENALTY,
        onnx="linear",
        variants={"precision": (None, "exact"), "class_weight": (None, "balanced", {"low": 3.0, "top": 0.5})},
    )

    def __init__(
        self,
        alpha: float = 0.0,
        *,
        fit_intercept: bool = True,
        class_weight: Any = None,
        basis: Any = None,
        precision: str | None = None,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.basis = basis
        self.precision = precision

    @property
    def statistic_type(self) -> Any:
        return at_precision(self, Pooled if self.class_weight is None else Grouped[Moments])

    def summarise(self, chunk: Chunk, look: Any = None) -> Pooled | Grouped[Moments]:
        if self.class_weight is not None or is_exact(self):
            return Grouped.of(chunk.X, chunk.y, chunk.weight, exact=is_exact(self))
        return precisely_pooled(chunk.X, chunk.y, chunk.weight)

    def solution(self, statistic: Pooled | Grouped[Moments]) -> dict[str, Any]:
        return self.regression(statistic, self.labels_of(statistic))

    def scores(self, X: Any) -> np.ndarray:
        return self.planes(X)

    def term_name(self, term: int) -> Any:
        return term_name(self, term)


def precisely_pooled(X: Any, labels: Any, weight: Any) -> Pooled:
    """Pooled moments, from precise sums by class where columns are too nearly dependent for one product."""
    pooled = Pooled.of(X, labels, weight)
    within = pooled.within
    rounded = not within.holds_rows and (within.rounding > 2.0**6 * TWO_WORD_EPS * within.diagonal).any()
    if rounded and condition(within.spread.hi) > PRODUCT_LIMIT[np.dtype(np.float64)]:
        return Pooled.from_groups(Grouped.of(X, labels, weight), pooled.features)
    return pooled
