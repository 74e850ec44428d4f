"""Random functions of the columns: a hidden layer that is drawn, not learnt."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from .basis import Basis
from .input_ranges import given_domain, learned_domain, one_of, positive_numbers, whole_number
from .seeds import drawn_seed

ACTIVATIONS = ("sigmoid", "tanh", "relu", "rbf")
BLOCK = 4096  # rows whose arguments are in the cache at the same time
FAR = 1e100  # in half ranges: products with it are still numbers


class RandomBasis(Basis):
    """Sigmoids, ramps or bumps with random places, directions and widths: the hidden layer of an ELM.

        t = the columns, brought from their domain to [-1, 1];   m_j ~ uniform on [-1, 1]^d
        sigmoid, tanh, relu:  phi_j(x) = h(a_j'(t - m_j)),   a_j ~ N(0, scale^2 I / d)
        rbf:                  phi_j(x) = exp(-|t - m_j|^2 / (2 s_j^2)),   1 / s_j = scale 2^u / sqrt(d),  u ~ U(-1, 1)

    with h(z) = 1 / (1 + exp(-z)), tanh z or max(z, 0). For one column and the sigmoid this is the note's
    sigma((x - mu_j) / s_j) with random mu_j and s_j. A seed gives the same functions everywhere, so sums over rows in
    different places can be added; sums with different seeds are refused. Cost: O(n d M) for M functions.

    Parameters
    ----------
    n_functions : int, default=100
        M, the number of functions.
    activation : "sigmoid", "tanh", "relu" or "rbf", default="sigmoid"
        The h above, or bumps.
    scale : float, default=2.0
        How steep the functions are, in units of the domain.
    domain : (low, high), one such pair for each column, or None, default=None
        The range that is brought to [-1, 1]; None takes the least and largest value of the rows, and leaves columns out
        that do not vary. With a given domain no rows have to be seen.
    random_state : int, RandomState or None, default=0
        The seed. None draws one at every fit, which is kept in `seed_`.
    double : bool, default=False
        Give float64 also for rows of float32.
    bias : bool, default=False
        Begin with a constant column. Learners have an intercept of their own.

    Attributes
    ----------
    seed_ : int
        The seed in use.
    domain_ : array (n_features, 2)
        The range in use.
    directions_, places_ : arrays (n_features, M)
        The a and m above (for "rbf" a is 1 / s in every row).

    Examples
    --------
    >>> import numpy as np
    >>> from sumlearn import Ridge
    >>> from sumlearn.features import RandomBasis
    >>> x = np.linspace(0.0, 1.0, 200)[:, None]
    >>> y = np.sin(2.0 * np.pi * x[:, 0])
    >>> model = Ridge(1e-6, basis=RandomBasis(20, domain=(0.0, 1.0))).fit(x, y)
    >>> print(f"{abs(model.predict(x) - y).max():.3f}")
    0.003

    References
    ----------
    Lecture note 000 (2.3); Huang, Zhu & Siew, "Extreme learning machine: theory and applications", 2006; Rahimi &
    Recht, "Weighted sums of random kitchen sinks", 2008.
    """

    seeded = True
    placed_by: ClassVar[dict[str, str]] = {"domain": "domain_", "random_state": "seed_"}

    def __init__(
        self,
        n_functions: int = 100,
        activation: str = "sigmoid",
        *,
        scale: float = 2.0,
        domain: Any = None,
        random_state: Any = 0,
        double: bool = False,
        bias: bool = False,
    ) -> None:
        self.n_functions = n_functions
        self.activation = activation
        self.scale = scale
        self.domain = domain
        self.random_state = random_state
        self.double = double
        self.bias = bias

    @property
    def stateless(self) -> bool:
        """True if the domain is given."""
        return self.domain is not None

    def size(self, n_features: int) -> int:
        """Number of outputs for so many columns."""
        return whole_number(self.n_functions, "n_functions", 1) + int(self.bias)

    def learn(self, rows: np.ndarray) -> dict[str, Any]:
        one_of(self.activation, "activation", ACTIVATIONS)
        scale = positive_numbers(self.scale, "scale")
        if scale.ndim:
            raise ValueError(f"scale must be one number, got shape {scale.shape}")
        M, d = whole_number(self.n_functions, "n_functions", 1), rows.shape[1]
        varying = np.ones(d, bool) if self.stateless else rows.max(axis=0) > rows.min(axis=0)
        domain = given_domain(self.domain, d) if self.stateless else learned_domain(rows)
        seed = drawn_seed(self.random_state)
        # a stream of its own for each kind of number: a column more leaves those of the others as they are
        first, second = (np.random.RandomState([seed, kind]) for kind in (0, 1))
        places = first.uniform(-1.0, 1.0, (d, M))
        root = np.sqrt(max(varying.sum(), 1))
        if self.activation == "rbf":
            directions = np.broadcast_to(scale / root * 2.0 ** second.uniform(-1.0, 1.0, M), (d, M))
        else:
            directions = scale / root * second.standard_normal((d, M))
        return {
            "seed_": seed,
            "domain_": domain,
            "directions_": np.where(varying[:, None], directions, 0.0),
            "places_": places,
        }

    def evaluate(self, X: np.ndarray, out: np.ndarray, first: int) -> None:
        low, half = self.domain_[:, 0], 0.5 * self.domain_[:, 1] - 0.5 * self.domain_[:, 0]
        for start in range(0, len(X), BLOCK):
            rows = slice(start, start + BLOCK)
            with np.errstate(over="ignore"):
                inside = np.clip((X[rows] - low) / half - 1.0, -FAR, FAR)
            with np.errstate(over="ignore", under="ignore"):
                out[rows, first:] = self.activated(inside)

    def activated(self, t: np.ndarray) -> np.ndarray:
        a, m = self.directions_, self.places_
        if self.activation == "rbf":
            inverse = a.max(axis=0)  # 1 / s; a column that is left out has no row in the distance
            used = a.any(axis=1)
            away = ((t[:, used, None] - m[used]) ** 2).sum(axis=1)
            return np.exp(-0.5 * inverse**2 * away)
        if self.activation == "sigmoid":
            a = 0.5 * a  # sigma(z) = (1 + tanh(z / 2)) / 2, which is quicker
        z = t @ a - (a * m).sum(axis=0)
        if self.activation == "relu":
            return np.maximum(z, 0.0, out=z)
        np.tanh(z, out=z)
        if self.activation == "sigmoid":
            z += 1.0
            z *= 0.5
        return z

    def names(self, inputs: list[str]) -> list[str]:
        return [f"{self.activation}{j}" for j in range(self.directions_.shape[1])]

    def may_overflow(self, X: np.ndarray) -> bool:
        return self.activation == "relu"
