"""Our classes under scikit-learn's names, where the names differ: parameters and attributes are translated, no more."""

from __future__ import annotations

from typing import Any

import numpy as np

import sumlearn
from sumlearn import BayesianRegression
from sumlearn.features import Nystroem as Nystroem  # a helper, not at the top level


class Translated(BayesianRegression):
    """scikit-learn calls our beta alpha, and our alpha lambda."""

    alpha = beta = "evidence"
    prior_on_intercept = False
    prior_mean = prior_precision = basis = None

    @property
    def alpha_(self) -> float:
        return self.solved()["beta_"]

    @property
    def lambda_(self) -> Any:
        return self.solved()["alpha_"]


class BayesianRidge(Translated):
    """Hyperpriors are taken as flat, and where to start is of no importance.

    Of the path to the maximum there are its ends: the score at scikit-learn's start, and at the maximum.
    """

    ard = False
    n_iter_ = 1

    def __init__(
        self,
        *,
        max_iter: int = 300,
        tol: float = 1e-3,
        alpha_1: float = 1e-6,
        alpha_2: float = 1e-6,
        lambda_1: float = 1e-6,
        lambda_2: float = 1e-6,
        alpha_init: float | None = None,
        lambda_init: float | None = None,
        compute_score: bool = False,
        fit_intercept: bool = True,
    ) -> None:
        self.max_iter, self.tol, self.compute_score = max_iter, tol, compute_score
        self.alpha_1, self.alpha_2, self.lambda_1, self.lambda_2 = alpha_1, alpha_2, lambda_1, lambda_2
        self.alpha_init, self.lambda_init, self.fit_intercept = alpha_init, lambda_init, fit_intercept


    @property
    def scores_(self) -> np.ndarray:
        moments = self.statistic_
        start = 1.0 / (moments.scatter[-1, -1] / moments.weight + np.finfo(np.float64).eps)
        return np.array([self.score_at(start, 1.0), self.score_at(self.alpha_, self.lambda_)])

    def score_at(self, noise: float, prior: float) -> float:
        """ln p(y | alpha, lambda) and what Gamma hyperpriors add to it."""
        model = BayesianRegression(alpha=prior, beta=noise, fit_intercept=self.fit_intercept).solve(self.statistic_)
        of_prior = self.lambda_1 * np.log(prior) - self.lambda_2 * prior
        return model.log_evidence_ + of_prior + self.alpha_1 * np.log(noise) - self.alpha_2 * noise


class ARDRegression(Translated):
    """Its covariance is that of the weights that are in."""

    ard = True

    def __init__(
        self,
        *,
        max_iter: int = 300,
        tol: float = 1e-3,
        threshold_lambda: float = 1e4,
        compute_score: bool = False,
        fit_intercept: bool = True,
    ) -> None:
        self.max_iter, self.tol, self.compute_score = max_iter, tol, compute_score
        self.threshold_lambda, self.fit_intercept = threshold_lambda, fit_intercept

    @property
    def sigma_(self) -> np.ndarray:
        inside = np.flatnonzero(np.isfinite(self.lambda_))
        return self.solved()["sigma_"][np.ix_(inside, inside)]


class LabelPropagation(sumlearn.LabelPropagation):
    """Its graph has a public name here."""

    def _build_graph(self) -> Any:
        return self.graph()


class LabelSpreading(sumlearn.LabelSpreading):
    """As above."""

    def _build_graph(self) -> Any:
        return self.graph()
