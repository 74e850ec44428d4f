"""Bayesian linear regression."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
import scipy.sparse as sparse
from sklearn.base import RegressorMixin
from sklearn.utils import check_random_state

from ...data import Chunk
from ...features.input_ranges import whole_number
from ...statistics import Moments
from ..description import Complexity, Description, Offer
from ..fitted import Fitted, narrowed
from ..linear_map import affine, is_far
from ..one_pass import OnePass
from ..precision import AtPrecision, moments_of
from .parts.posterior import Posterior, isotropic, with_prior
from .parts.prior import checked_precision, checked_prior, where_others_are_zero
from .parts.relevance import relevance


class BayesianRegression(RegressorMixin, OnePass):
    """Linear regression with a Gaussian prior: the posterior of the weights, and predictions with their uncertainty.

        y ~ N(b0 + b'x, 1 / beta),   b ~ N(0, I / alpha)
        p(b | D) = N(m, S),          S^-1 = alpha I + beta sum_n x_n x_n',   m = beta S sum_n x_n y_n
        p(y | x, D) = N(m(x), s2(x)),  m(x) = b0 + m'x,  s2(x) = 1 / beta + x'S x

    with x counted from its mean, where b0 has a flat prior (with ``prior_on_intercept=True`` it shares the prior of the
    others, as in the notes, whose x begins with a one). The mean is that of Ridge(alpha / beta): maximum a posteriori.
    What is not given of alpha and beta has the largest evidence p(y | alpha, beta), found to the last digits from the
    same sums. With ``ard=True`` each weight has an alpha of its own, and many come out zero.

    Statistic: Moments of (x, y). One pass. Can merge, forget, decay, restrict. Cost: summarise O(n d^2), solve O(d^3).
    The posterior of some rows is the prior of the next: `partial_fit` and `+` are exact, for estimated precisions too,
    since these are found anew from all sums.

    Parameters
    ----------
    alpha : "evidence" or float, default="evidence"
        Precision of the prior. (scikit-learn's BayesianRidge calls it lambda.)
    beta : "evidence" or float, default="evidence"
        Precision of the noise. (scikit-learn's BayesianRidge calls it alpha.)
    fit_intercept : bool, default=True
        Whether there is a b0.
    prior_on_intercept : bool, default=False
        Whether b0 shares the prior of the other weights, instead of being flat.
    prior_mean : array (d,) or (d + 1,), default=None
        Mean of the prior, zero if None; with d + 1 numbers the first belongs to b0.
    prior_precision : array (d, d) or (d + 1, d + 1), default=None
        P for the prior N(prior_mean, (alpha P)^-1); the identity if None.
    ard : bool, default=False
        A precision for each weight, all estimated (automatic relevance determination).
    basis : basis of `sumlearn.features`, default=None
        x -> phi(x) before anything else; models of a basis that looks at the data merge where the look is the same.
    precision : {None, "double", "exact"}, default=None
        "exact" sums without any rounding: the same rows leave the same bits, however they came and went. It takes
        longer, and nothing decays.

    Attributes
    ----------
    coef_, intercept_
        Posterior means.
    alpha_, beta_
        The precisions in use; alpha_ is infinite where the evidence sees no slope, and with ``ard=True`` an array.
    sigma_ : array (d, d)
        Posterior covariance of the coefficients.
    gamma_ : float
        Effective number of weights that the data determine, between 0 and d.
    log_evidence_ : float
        ln p(y | alpha, beta); with a flat b0 per unit of its density.
    statistic_
        The sums themselves.

    Several targets are learnt each by itself, from the same sums: attributes have one more axis, the first.

    Examples
    --------
    >>> import numpy as np
    >>> from sumlearn import BayesianRegression
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([1.0, 3.0, 5.0, 8.0])
    >>> model = BayesianRegression(alpha=1.0, beta=4.0).fit(X, y)
    >>> model.coef_.round(4), model.sigma_.round(4)  # 46 / 21 and 1 / 21
    (array([2.1905]), array([[0.0476]]))
    >>> mean, deviation = model.predict([[1.5], [10.0]], return_std=True)
    >>> mean.round(3), deviation.round(3)  # wider far away
    (array([ 4.25 , 22.869]), array([0.559, 1.937]))
    >>> monday = BayesianRegression(alpha=1.0, beta=4.0).fit(X[:2], y[:2])
    >>> monday.partial_fit(X[2:], y[2:]).coef_.round(4)
    array([2.1905])

    References
    ----------
    Lecture note 000; MacKay, "Bayesian interpolation", 1992; Bishop, "Pattern recognition and machine learning", 2006,
    sec. 3.3 to 3.5; Tipping & Faul 2003 (ard).
    """

    description = Description(
        offers=(Offer("bayes", "Bayesian regression", 70, extra=True),),
        complexity=Complexity("alpha", "precision α of the prior"),
        posterior="prior",
        variants={"precision": (None, "exact"), "alpha": ("evidence", 0.3, 20.0), "beta": ("evidence", 0.5)},
    )

    coef_ = Fitted("Posterior mean of the coefficients.")
    intercept_ = Fitted("Posterior mean of the intercept.")
    alpha_ = Fitted("Precision of the prior: a number, or one for each coefficient.")
    beta_ = Fitted("Precision of the noise.")
    sigma_ = Fitted("Posterior covariance of the coefficients.")
    gamma_ = Fitted("Effective number of weights that the data determine.")
    log_evidence_ = Fitted("Log of the evidence at alpha_ and beta_.")

    statistic_type = AtPrecision(Moments)
    many_targets = True
    column_target = True

    def __init__(
        self,
        alpha: Any = "evidence",
        beta: Any = "evidence",
        *,
        fit_intercept: bool = True,
        prior_on_intercept: bool = False,
        prior_mean: Any = None,
        prior_precision: Any = None,
        ard: bool = False,
        basis: Any = None,
        precision: str | None = None,
    ) -> None:
        self.alpha = alpha
        self.beta = beta
        self.fit_intercept = fit_intercept
        self.prior_on_intercept = prior_on_intercept
        self.prior_mean = prior_mean
        self.prior_precision = prior_precision
        self.ard = ard
        self.basis = basis
        self.precision = precision

    def summarise(self, chunk: Chunk, look: Any = None) -> Moments:
        return moments_of(self, chunk.X, chunk.y, chunk.weight)

    def solution(self, statistic: Moments) -> dict[str, Any]:
        d, dtype = statistic.features, self.float_dtype
        if not d:
            raise ValueError("there is no column to learn from: for the constant alone take LinearRegression")
        if not statistic.targets:
            raise ValueError("BayesianRegression needs moments of (x, y); these have no target")
        posteriors = [self.posterior_of(of_target(statistic, t)) for t in range(statistic.targets)]
        single = self.__dict__.get("_single_target", len(posteriors) == 1)

        def each(value: Any) -> Any:
            """What there is of a target, or of each of several."""
            values = [value(posterior) for posterior in posteriors]
            return values[0] if single else np.array(values)

        centre = posteriors[0].mean
        far = self.fit_intercept and is_far(statistic.mean[:d], statistic.deviation[:d])
        rest = statistic.mean_rest[:d] if far else np.zeros(d)
        return {
            "coef_": narrowed(each(lambda p: p.coef), dtype),
            "intercept_": dtype.type(each(lambda p: p.level - p.coef @ p.mean)) if self.fit_intercept else 0.0,
            "alpha_": each(lambda p: p.alpha),
            "beta_": each(lambda p: p.beta),
            "sigma_": narrowed(each(lambda p: p.covariance), dtype),
            "gamma_": each(lambda p: p.gamma),
            "log_evidence_": each(lambda p: p.log_evidence),
            "centre": centre if far else None,
            "level": each(lambda p: p.level - p.coef @ rest),
            "posteriors": posteriors,
        }

    def posterior_of(self, moments: Moments) -> Posterior:
        alpha, beta = checked_precision(self.alpha, "alpha"), checked_precision(self.beta, "beta")
        prior = checked_prior(self, moments.features)
        if self.ard:
            if alpha is not None or prior is not None:
                raise ValueError("ard=True estimates a precision for each weight: give neither alpha nor a prior")
            return relevance(moments, self.fit_intercept, beta)
        if prior is None:
            return isotropic(moments, self.fit_intercept, alpha, beta)
        return with_prior(moments, self.fit_intercept, alpha, beta, *prior)

    # -- predicting ---------------------------------------------------------------------------------------------------

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Mean of the predictive distribution of every row; with `return_std` also its standard deviation."""
        solution = self.solved()
        plane = solution["coef_"].T, solution["intercept_"], solution["centre"], solution["level"]
        mean = self.in_blocks(X, lambda rows: affine(rows, *plane), sparse_ok=True)
        if not return_std:
            return mean
        noise, model = self.predict_variance(X)
        return mean, np.sqrt(noise + model).astype(mean.dtype)

    def predict_variance(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Variance of the noise and of the model, apart: 1 / beta, and what more rows would make smaller."""
        return self.variances(self.rows_of(X, sparse_ok=True))

    def variances(self, rows: Any) -> tuple[np.ndarray, np.ndarray]:
        dense = np.asarray(rows.toarray() if sparse.issparse(rows) else rows, dtype=float)
        posteriors: list[Posterior] = self.solved()["posteriors"]
        noise = [np.full(len(dense), 1.0 / posterior.beta) for posterior in posteriors]
        return self.by_row(noise), self.by_row([posterior.variance(dense) for posterior in posteriors])

    def by_row(self, values: list[np.ndarray]) -> np.ndarray:
        """Numbers of every target, the targets along the last axis; of a single one without it."""
        return values[0] if self.__dict__.get("_single_target", len(values) == 1) else np.stack(values, axis=-1)

    # -- drawing ------------------------------------------------------------------------------------------------------

    def sample_weights(self, n: int = 1, random_state: Any = None) -> np.ndarray:
        """Draws from the posterior: (n, d), or (n, 1 + d) with the intercept first; (n, 1 + d, targets) of several."""
        random, found = check_random_state(random_state), []
        for posterior in self.solved()["posteriors"]:
            level, slopes = drawn(posterior, n, random)
            intercept = level - slopes @ posterior.mean
            found.append(np.column_stack([intercept, slopes]) if self.fit_intercept else slopes)
        return self.by_row(found)

    def sample(self, X: Any, random_state: Any = None, *, n: int | None = None) -> np.ndarray:
        """Draw a target for every row from the predictive distribution; with `n`, so many times: (n, rows).

        The targets of one draw share their weights, and have noise of their own.
        """
        rows = np.asarray(self.rows_of(X), dtype=float)
        random, found = check_random_state(random_state), []
        for posterior in self.solved()["posteriors"]:
            level, slopes = drawn(posterior, 1 if n is None else n, random)
            mean = level[:, None] + slopes @ (rows - posterior.mean).T
            targets = mean + random.standard_normal(mean.shape) / np.sqrt(posterior.beta)
            found.append(targets[0] if n is None else targets)
        return self.by_row(found)

    def parameters_on(self, columns: np.ndarray, features: int) -> dict[str, Any] | None:
        prior = checked_prior(self, features)
        cut = () if prior is None else where_others_are_zero(*prior, columns, features)
        both = zip(("prior_mean", "prior_precision"), cut, strict=False)
        return {name: value for name, value in both if getattr(self, name) is not None}

    def posterior_as_prior(self) -> Self:
        """A model that has learnt nothing yet, whose prior is this posterior, at the same noise."""
        posteriors: list[Posterior] = self.solved()["posteriors"]
        if len(posteriors) > 1:
            raise ValueError(f"a prior is of one target: fit each of the {len(posteriors)} by itself")
        mean, precision = posteriors[0].as_prior(self.fit_intercept)
        more = {"alpha": 1.0, "beta": self.beta_, "prior_mean": mean, "prior_precision": precision}
        return type(self)(**self.get_params(deep=False) | more | {"ard": False, "prior_on_intercept": False})


def of_target(moments: Moments, target: int) -> Moments:
    """Moments of (x, y) with one of the targets."""
    if moments.targets == 1:
        return moments
    d = moments.features
    return replace(replace(moments, targets=0).restrict([*range(d), d + target]), targets=1)


def drawn(posterior: Posterior, n: int, random: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
    """Draws of the value at the mean of the inputs, and of the slopes."""
    away = random.standard_normal((whole_number(n, "n", 1), len(posterior.root))) @ posterior.root
    return posterior.level + away[:, 0], posterior.coef + away[:, 1:]
