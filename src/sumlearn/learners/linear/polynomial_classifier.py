"""The polynomial classifier."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...data import Chunk
from ...features import Polynomial
from ...features.polynomial import exponents
from ..description import PENALTY, Description, Offer, Tuning
from ..fitted import Fitted
from ..linear_map import affine
from ..one_pass import OnePass
from .parts.label_regression import LabelRegression
from .parts.polynomial_sums import PolynomialSums

BLOCK = 4096  # rows whose monomials are in memory at the same time


class PolynomialClassifier(LabelRegression, OnePass):
    """Least squares on the monomials of standardised inputs: curved borders from one linear system.

        phi(u) = u_1^k_1 ... u_d^k_d,  1 <= k_1 + ... + k_d <= degree,   u = (x - mean) / deviation
        f_k(x) = b_k'phi(u) + b0_k,    sum_n w_n (t_nk - f_k(x_n))^2 + alpha |b_k|^2 least,   t = 1 or 0

    The class is the one of the largest f_k, of two classes the second if f > 1/2; ``decision_function`` is 2 f - 1, as
    in LeastSquaresClassifier, which this is for degree 1. Without a penalty standardising changes no prediction.

    Statistic: moments of the monomials for every class, about an origin of their own: mean and deviation enter in
    `solve`, and offsets cost no digits. One pass. Can merge, forget, decay, restrict. Cost for M = C(d + degree,
    degree) - 1 monomials: summarise O(n M^2), solve O(M^3).

    Parameters
    ----------
    degree : int, default=2
        The largest sum of exponents.
    alpha : float, default=0.0
        Penalty on the length of the weights, not negative.
    interactions : True, False or "only", default=True
        All monomials; powers of single columns; or products of different columns.
    fit_intercept : bool, default=True
        Whether to fit b0.
    class_weight : None, "balanced" or dict, default=None
        Factor on the weight of every row of a class.

    Attributes
    ----------
    coef_, intercept_, classes_, rank_, condition_, aliased_, digits_
        As in LeastSquaresClassifier, a column of `coef_` for each monomial.
    powers_ : array (monomials, features)
        The exponents k.
    mean_, scale_ : array (features,)
        What the inputs are standardised with.

    Examples
    --------
    >>> from sumlearn import PolynomialClassifier
    >>> from sumlearn.data import load_example
    >>> pima = load_example("pima")
    >>> for degree in (1, 2, 3):
    ...     model = PolynomialClassifier(degree).fit(pima.X, pima.y)
    ...     print(len(model.powers_), f"{1 - model.score(pima.X, pima.y):.3f}")
    8 0.216
    44 0.197
    164 0.164

    References
    ----------
    Lecture notes 002 and 004; Schuermann, "Pattern classification: a unified view of statistical and neural
    approaches", 1996.
    """

    description = Description(
        offers=(
            Offer(
                "polynomial3",
                "least squares on powers",
                100,
                {"degree": 3, "interactions": False},
                Tuning("alpha", (1.0, 10.0, 100.0)),
                extra=True,
            ),
        ),
        complexity=PENALTY,
        parts=(PolynomialSums,),
        variants={"class_weight": (None, "balanced"), "degree": (1, 2, 3), "interactions": (True, False, "only")},
    )

    statistic_type = PolynomialSums
    chunk_factor = 2

    powers_ = Fitted("Exponents of the monomials, (monomials, features).")
    mean_ = Fitted("Means of the inputs.")
    scale_ = Fitted("Deviations of the inputs, one for a constant.")

    def __init__(
        self,
        degree: int = 2,
        *,
        alpha: float = 0.0,
        interactions: bool | str = True,
        fit_intercept: bool = True,
        class_weight: Any = None,
    ) -> None:
        self.degree = degree
        self.alpha = alpha
        self.interactions = interactions
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight

    def summarise(self, chunk: Chunk, look: Any = None) -> PolynomialSums:
        return PolynomialSums.of(chunk.X, chunk.y, chunk.weight, degree=self.degree, interactions=self.interactions)

    def solution(self, statistic: PolynomialSums) -> dict[str, Any]:
        for name in ("degree", "interactions"):
            if getattr(statistic, name) != getattr(self, name):
                raise ValueError(f"the sums were made with {name}={getattr(statistic, name)!r}: fit anew")
        inputs = statistic.inputs()
        varying = inputs.deviation > 0
        unit = np.where(varying, statistic.unit, 0)
        mean = statistic.origin + np.ldexp(inputs.mean, unit)
        scale = np.where(varying, np.ldexp(inputs.deviation, unit), 1.0)
        sums = statistic.about(mean, scale)
        return self.regression(sums, self.labels_of(statistic)) | {
            "powers_": exponents(statistic.features, self.degree, self.interactions),
            "mean_": mean,
            "scale_": scale,
        }

    def scores(self, X: Any) -> np.ndarray:
        X = self.rows_of(X)
        return np.concatenate([self.scores_of(X[i : i + BLOCK]) for i in range(0, len(X), BLOCK)])

    def scores_of(self, X: np.ndarray) -> np.ndarray:
        solution = self.solved()
        phi = Polynomial(self.degree, self.interactions).map((X - solution["mean_"]) / solution["scale_"])
        found = affine(phi, solution["coef_"].T, solution["intercept_"], solution["centre"], solution["level"])
        return found.astype(self.float_dtype)

    def term_name(self, term: int) -> Any:
        names = [f"x{j}" for j in range(self.n_features_in_)]
        inputs = [str(name) for name in getattr(self, "feature_names_in_", names)]
        return Polynomial(self.degree, self.interactions).names(inputs)[term]
