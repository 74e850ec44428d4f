"""Extreme learning machines: a random hidden layer and an output layer by least squares."""

from __future__ import annotations

from typing import Any

from ...features import RandomBasis
from ..description import PENALTY, Description, Offer, Tuning
from ..one_pass import OnePass
from .parts.layered import LayeredClassifier, LayeredRegressor


class ExtremeLearningMachineRegressor(LayeredRegressor, OnePass):
    """A network with one hidden layer whose weights are drawn, not learnt; the output weights are ridge regression.

        f(x) = b0 + sum_j b_j h(a_j'(t - m_j)),   t = the columns brought to [-1, 1],   a_j, m_j random
        b = argmin sum_n w_n (y_n - f(x_n))^2 + alpha |b|^2

    The hidden layer is `features.RandomBasis`: for one column and sigmoids it is the note's sigma((x - mu_j) / s_j)
    with random mu_j and s_j. Seed and domain give the same layer everywhere, and the output layer over it is learnt,
    merged and unlearnt exactly. Models with different seeds do not add.

    Statistic: Moments of (phi(x), y). One pass. Can merge, forget and decay; with ``domain=None`` the ranges of the
    first fit stay with the model, and only models of the same ranges add: of several sites one fits by default, the
    others with ``domain=first.basis_.domain_``. Cost for M hidden units: summarise
    O(n M (d + M)), solve O(M^3).

    Parameters
    ----------
    n_hidden : int, default=100
        M.
    alpha : float, default=0.1
        Penalty on the length of the output weights; zero is least squares, of the least norm.
    activation : "sigmoid", "tanh", "relu" or "rbf", default="sigmoid"
        What a hidden unit computes.
    scale : float, default=2.0
        How steep hidden units are, in units of the domain.
    domain : (low, high), one such pair for each column, or None, default=None
        The range of the inputs; None takes the least and largest value of the rows of the first fit.
    random_state : int, RandomState or None, default=0
        The seed of the hidden layer. None draws one at the first fit; it is kept in ``basis_.seed_``.
    fit_intercept : bool, default=True
        Whether the output layer has a constant b0; the note has none.

    Attributes
    ----------
    coef_, intercept_
        The output layer.
    basis_ : RandomBasis
        The hidden layer.
    rank_, condition_, aliased_, digits_, noise_precision_, log_likelihood_, statistic_
        As in Ridge.

    Examples
    --------
    >>> import numpy as np
    >>> from sumlearn import ExtremeLearningMachineRegressor
    >>> x = np.linspace(0.0, 1.0, 300)[:, None]
    >>> y = np.sin(2.0 * np.pi * x[:, 0])
    >>> sites = [ExtremeLearningMachineRegressor(30, alpha=1e-8, domain=(0.0, 1.0)) for _ in range(2)]
    >>> for i, site in enumerate(sites):
    ...     _ = site.fit(x[i::2], y[i::2])
    >>> print(f"{abs(sum(sites).predict(x) - y).max():.4f}")
    0.0004

    References
    ----------
    Lecture note 000 (2.3), which prints sigma with exp(a); Huang, Zhu & Siew, "Extreme learning machine: theory and
    applications", 2006.
    """

    description = Description(
        offers=(
            Offer(
                "extreme",
                "extreme learning machine",
                80,
                {"n_hidden": 200},
                Tuning("alpha", (0.1, 1.0, 10.0)),
                extra=True,
            ),
        ),
        complexity=PENALTY,
    )

    def __init__(
        self,
        n_hidden: int = 100,
        *,
        alpha: Any = 0.1,
        activation: str = "sigmoid",
        scale: float = 2.0,
        domain: Any = None,
        random_state: Any = 0,
        fit_intercept: bool = True,
    ) -> None:
        self.n_hidden = n_hidden
        self.alpha = alpha
        self.activation = activation
        self.scale = scale
        self.domain = domain
        self.random_state = random_state
        self.fit_intercept = fit_intercept

    @property
    def basis(self) -> RandomBasis:
        """The hidden layer, before it has seen ranges."""
        return hidden_layer(self)


class ExtremeLearningMachineClassifier(LayeredClassifier, OnePass):
    """The random hidden layer of ExtremeLearningMachineRegressor, with least squares on the classes above it.

        g_k(x) = b_k0 + b_k'phi(x), fitted to +1 for rows of class k and to -1 for the others; the largest g_k decides

    Statistic: Pooled moments of phi(x) by class. One pass. Can merge, forget and decay; with ``domain=None`` the ranges
    of the first fit stay with the model, and only models of the same ranges add. Cost for M hidden units: summarise
    O(n M (d + M)), solve O(M^3 + K M^2).

    Parameters
    ----------
    n_hidden, alpha, activation, scale, domain, random_state, fit_intercept
        As in ExtremeLearningMachineRegressor.
    class_weight : None, "balanced" or dict, default=None
        Factor on the weight of every row of a class.

    Attributes
    ----------
    coef_, intercept_, classes_, rank_, condition_, aliased_, digits_
        As in LeastSquaresClassifier, a column of `coef_` for each hidden unit.
    basis_ : RandomBasis
        The hidden layer.

    Examples
    --------
    >>> from sumlearn import ExtremeLearningMachineClassifier
    >>> X, y = [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], ["same", "same", "other", "other"]
    >>> print(ExtremeLearningMachineClassifier(20).fit(X, y).score(X, y))  # exclusive or
    1.0

    References
    ----------
    Lecture note 000 (2.3); Huang, Zhu & Siew, "Extreme learning machine: theory and applications", 2006.
    """

    description = Description(
        offers=(
            Offer(
                "extreme",
                "extreme learning machine",
                110,
                {"n_hidden": 200},
                Tuning("alpha", (0.1, 1.0, 10.0)),
                extra=True,
            ),
        ),
        complexity=PENALTY,
    )

    def __init__(
        self,
        n_hidden: int = 100,
        *,
        alpha: float = 0.1,
        activation: str = "sigmoid",
        scale: float = 2.0,
        domain: Any = None,
        class_weight: Any = None,
        random_state: Any = 0,
        fit_intercept: bool = True,
    ) -> None:
        self.n_hidden = n_hidden
        self.alpha = alpha
        self.activation = activation
        self.scale = scale
        self.domain = domain
        self.class_weight = class_weight
        self.random_state = random_state
        self.fit_intercept = fit_intercept

    @property
    def basis(self) -> RandomBasis:
        """The hidden layer, before it has seen ranges."""
        return hidden_layer(self)


def hidden_layer(network: Any) -> RandomBasis:
    return RandomBasis(
        network.n_hidden,
        network.activation,
        scale=network.scale,
        domain=network.domain,
        random_state=network.random_state,
        double=True,
    )
