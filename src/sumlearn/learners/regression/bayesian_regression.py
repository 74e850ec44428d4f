"""Bayesian linear regression."""

from __future__ import annotations

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
from .parts.posterior import Posterior, isotropic, with_prior
from .parts.prior import checked_precision, checked_prior
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
        variants={"alpha": ("evidence", 0.3, 20.0), "beta": ("evidence", 0.5)},
    )

    coef_ = Fitted("Posterior mean of the coefficients.")
    intercept_ = Fitted("Posterior mean of the intercept.")
    alpha_ = Fitted("Precision of the prior: a number, or one for each coefficient.")
    beta_ = Fitted("Precision of the noise.")
    sigma_ = Fitted("Posterior covariance of the coefficients.")
    gamma_ = Fitted("Effective number of weights that the data determine.")
    log_evidence_ = Fitted("Log of the evidence at alpha_ and beta_.")

    statistic_type = Moments

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
    ) -> None:
        self.alpha = alpha
        self.beta = beta
        self.fit_intercept = fit_intercept
        self.prior_on_intercept = prior_on_intercept
        self.prior_mean = prior_mean
        self.prior_precision = prior_precision
        self.ard = ard
        self.basis = basis

    def summarise(self, chunk: Chunk, look: Any = None) -> Moments:
        return single_target(Moments.of(chunk.X, chunk.y, chunk.weight))

    def solution(self, statistic: Moments) -> dict[str, Any]:
        posterior = self.posterior_of(single_target(statistic))
        d = statistic.features
        far = self.fit_intercept and is_far(statistic.mean[:d], statistic.deviation[:d])
        intercept = posterior.level - posterior.coef @ posterior.mean
        return {
            "coef_": narrowed(posterior.coef, self.float_dtype),
            "intercept_": self.float_dtype.type(intercept) if self.fit_intercept else 0.0,
            "alpha_": posterior.alpha,
            "beta_": posterior.beta,
            "sigma_": narrowed(posterior.covariance, self.float_dtype),
            "gamma_": posterior.gamma,
            "log_evidence_": posterior.log_evidence,
            "centre": posterior.mean if far else None,
            "level": posterior.level - posterior.coef @ statistic.mean_rest[:d] if far else posterior.level,
            "posterior": posterior,
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
        plane = solution["coef_"], solution["intercept_"], solution["centre"], solution["level"]
        mean = self.in_blocks(X, lambda rows: affine(rows, *plane), sparse_ok=True)
        if not return_std:
            return mean
        noise, model = self.predict_variance(X)
        return mean, np.sqrt(noise + model).astype(mean.dtype)

    def predict_variance(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Variance of the noise and of the model, apart: 1 / beta, and what more rows would make smaller."""
        return self.variances(self.rows_of(X, sparse_ok=True))

    def variances(self, rows: Any) -> tuple[np.ndarray, np.ndarray]:
        posterior: Posterior = self.solved()["posterior"]
        dense = np.asarray(rows.toarray() if sparse.issparse(rows) else rows, dtype=float)
        return np.full(len(dense), 1.0 / posterior.beta), posterior.variance(dense)

    # -- drawing ------------------------------------------------------------------------------------------------------

    def sample_weights(self, n: int = 1, random_state: Any = None) -> np.ndarray:
        """Draws from the posterior: (n, d), or (n, 1 + d) with the intercept first."""
        level, slopes = self.drawn(n, check_random_state(random_state))
        if not self.fit_intercept:
            return slopes
        posterior: Posterior = self.solved()["posterior"]
        return np.column_stack([level - slopes @ posterior.mean, slopes])

    def sample(self, X: Any, random_state: Any = None, *, n: int | None = None) -> np.ndarray:
        """Draw a target for every row from the predictive distribution; with `n`, so many times: (n, rows).

        The targets of one draw share their weights, and have noise of their own.
        """
        rows = self.rows_of(X)
        random = check_random_state(random_state)
        posterior: Posterior = self.solved()["posterior"]
        level, slopes = self.drawn(1 if n is None else n, random)
        mean = level[:, None] + slopes @ (np.asarray(rows, dtype=float) - posterior.mean).T
        targets = mean + random.standard_normal(mean.shape) / np.sqrt(posterior.beta)
        return targets[0] if n is None else targets

    def drawn(self, n: int, random: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
        """Values at the mean of the inputs, and slopes."""
        posterior: Posterior = self.solved()["posterior"]
        away = random.standard_normal((whole_number(n, "n", 1), len(posterior.root))) @ posterior.root
        return posterior.level + away[:, 0], posterior.coef + away[:, 1:]

    def posterior_as_prior(self) -> Self:
        """A model that has learnt nothing yet, whose prior is this posterior, at the same noise."""
        mean, precision = self.solved()["posterior"].as_prior(self.fit_intercept)
        more = {"alpha": 1.0, "beta": self.beta_, "prior_mean": mean, "prior_precision": precision}
        return type(self)(**self.get_params(deep=False) | more | {"ard": False, "prior_on_intercept": False})


def single_target(moments: Moments) -> Moments:
    if not moments.targets:
        raise ValueError("BayesianRegression needs moments of (x, y); these have no target")
    if moments.targets != 1:
        raise ValueError(f"y should be a 1d array, got {moments.targets} columns: BayesianRegression learns one target")
    return moments
