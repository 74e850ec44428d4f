"""Radial basis function networks."""

from __future__ import annotations

from typing import Any

from ...features import RadialBasis
from ..description import PENALTY, Description, Offer, Tuning
from ..fitted import Fitted
from ..one_pass import OnePass
from .parts.layered import LayeredClassifier, LayeredRegressor


class LayerOf(Fitted):
    """An array of the hidden layer, which travels with the model."""

    def __get__(self, model: Any, owner: type | None = None) -> Any:
        if model is None:
            return self
        if "basis_" not in vars(model):
            raise AttributeError(f"{type(model).__name__!r} object has no attribute {self.name!r}")
        return getattr(model.basis_, self.name)


class RBFNetwork(LayeredRegressor, OnePass):
    """Gaussian bumps on the data, and a weighted sum of them: the weights are ridge regression.

        f(x) = b0 + sum_j b_j exp(-|x - mu_j|^2 / (2 s_j^2))
        b = argmin sum_n w_n (y_n - f(x_n))^2 + alpha |b|^2

    The centres mu are means of clusters of the rows, rows, a grid, or given; the widths s follow from them, or are
    given (`features.RadialBasis`). It is the unified model with constants in place of lines, a_e = 0 and b_e = b_j.

    Statistic: Moments of (phi(x), y). One pass, after the one that places the centres. Can merge, forget and decay;
    centres that were taken from rows stay with the model, and only models of the same centres add: of several sites
    one fits by default, the others with its `centres_` and `widths_`. Cost for M centres: summarise O(n M (d + M)),
    solve O(M^3).

    Parameters
    ----------
    centres : int or array (M, n_features), default=20
        How many centres, at most as many as there are different rows; or the centres themselves.
    width : float, array (M,), "mean_distance", "max_distance" or "spacing", default="mean_distance"
        The s of the formula, or the rule for it.
    placing : "kmeans", "random", "spread", "quantile" or "grid", default="kmeans"
        Where a number of centres goes: to the means of clusters, to rows, or to a grid over `domain`.
    neighbours : int, default=2
        For ``width="mean_distance"``.
    alpha : float, default=1e-3
        Penalty on the length of the output weights; zero is least squares, of the least norm.
    domain : (low, high), one such pair for each column, or None, default=None
        The ends of the grid.
    random_state : int, RandomState or None, default=0
        Seeds the placing.
    fit_intercept : bool, default=True
        Whether the output layer has a constant b0; the note has none.

    Attributes
    ----------
    centres_, widths_ : arrays (M, n_features) and (M,)
        The hidden layer.
    coef_, intercept_
        The output layer.
    basis_ : RadialBasis
        The hidden layer as a transformer.
    rank_, condition_, aliased_, digits_, noise_precision_, log_likelihood_, statistic_
        As in Ridge.

    Examples
    --------
    >>> import numpy as np
    >>> from sumlearn import RBFNetwork
    >>> x = np.linspace(0.0, 1.0, 300)[:, None]
    >>> y = np.sin(2.0 * np.pi * x[:, 0])
    >>> network = RBFNetwork(10, alpha=1e-6).fit(x, y)
    >>> print(network.centres_.shape, f"{network.score(x, y):.4f}")
    (10, 1) 0.9997

    References
    ----------
    Lecture note 000 (2.4), which once prints the exponent without the square; Broomhead & Lowe, "Multivariable
    functional interpolation and adaptive networks", 1988; Moody & Darken, "Fast learning in networks of
    locally-tuned processing units", 1989.
    """

    description = Description(
        offers=(
            Offer("rbf", "radial basis network", 90, {"centres": 50}, Tuning("alpha", (0.01, 0.1, 1.0)), extra=True),
        ),
        complexity=PENALTY,
    )

    centres_ = LayerOf("Centres of the bumps, (M, features).")
    widths_ = LayerOf("Widths of the bumps, (M,).")

    def __init__(
        self,
        centres: Any = 20,
        *,
        width: Any = "mean_distance",
        placing: str = "kmeans",
        neighbours: int = 2,
        alpha: Any = 1e-3,
        domain: Any = None,
        random_state: Any = 0,
        fit_intercept: bool = True,
    ) -> None:
        self.centres = centres
        self.width = width
        self.placing = placing
        self.neighbours = neighbours
        self.alpha = alpha
        self.domain = domain
        self.random_state = random_state
        self.fit_intercept = fit_intercept

    @property
    def basis(self) -> RadialBasis:
        """The hidden layer, before it has seen rows."""
        return bumps(self)


class RBFNetworkClassifier(LayeredClassifier, OnePass):
    """The bumps of RBFNetwork, with least squares on the classes above them.

        g_k(x) = b_k0 + b_k'phi(x), fitted to +1 for rows of class k and to -1 for the others; the largest g_k decides

    Statistic: Pooled moments of phi(x) by class. One pass, after the one that places the centres. Can merge, forget and
    decay; only models of the same centres add. Cost for M centres: summarise O(n M (d + M)), solve O(M^3 + K M^2).

    Parameters
    ----------
    centres, width, placing, neighbours, alpha, domain, random_state, fit_intercept
        As in RBFNetwork.
    class_weight : None, "balanced" or dict, default=None
        Factor on the weight of every row of a class.

    Attributes
    ----------
    centres_, widths_, basis_
        The hidden layer.
    coef_, intercept_, classes_, rank_, condition_, aliased_, digits_
        As in LeastSquaresClassifier, a column of `coef_` for each bump.

    Examples
    --------
    >>> import numpy as np
    >>> from sumlearn import RBFNetworkClassifier
    >>> X = np.random.default_rng(0).uniform(-1.0, 1.0, (400, 2))
    >>> y = np.where((X**2).sum(axis=1) < 0.5, "inside", "outside")
    >>> print(f"{RBFNetworkClassifier().fit(X, y).score(X, y):.3f}")
    0.980

    References
    ----------
    Lecture note 000 (2.4); Broomhead & Lowe 1988; Moody & Darken 1989.
    """

    description = Description(
        offers=(
            Offer("rbf", "radial basis network", 120, {"centres": 50}, Tuning("alpha", (0.01, 0.1, 1.0)), extra=True),
        ),
        complexity=PENALTY,
    )

    centres_ = LayerOf("Centres of the bumps, (M, features).")
    widths_ = LayerOf("Widths of the bumps, (M,).")

    def __init__(
        self,
        centres: Any = 20,
        *,
        width: Any = "mean_distance",
        placing: str = "kmeans",
        neighbours: int = 2,
        alpha: float = 1e-3,
        domain: Any = None,
        class_weight: Any = None,
        random_state: Any = 0,
        fit_intercept: bool = True,
    ) -> None:
        self.centres = centres
        self.width = width
        self.placing = placing
        self.neighbours = neighbours
        self.alpha = alpha
        self.domain = domain
        self.class_weight = class_weight
        self.random_state = random_state
        self.fit_intercept = fit_intercept

    @property
    def basis(self) -> RadialBasis:
        """The hidden layer, before it has seen rows."""
        return bumps(self)


def bumps(network: Any) -> RadialBasis:
    return RadialBasis(
        network.centres,
        network.width,
        placing=network.placing,
        neighbours=network.neighbours,
        domain=network.domain,
        random_state=network.random_state,
        fewer=True,
        double=True,
    )
