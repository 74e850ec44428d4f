"""Principal component analysis."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import gammaln

from ...statistics import Moments
from ..description import Description
from ..fitted import Fitted
from ..one_pass import OnePass
from .parts.principal_components import PrincipalComponents

SVD_SOLVERS = ("auto", "full", "covariance_eigh", "arpack", "randomized")


class PCA(PrincipalComponents, OnePass):
    """The directions of largest variance; equally, the plane with the smallest squared distance to the rows.

        C w = lambda w,   C = S / (N - 1);   min |X - X W W'|_F  over  W'W = I
        encode z = W'(x - m),   decode x~ = m + W z,   error = sum of the eigenvalues left out

    Statistic: Moments of x. One pass. Can merge, forget, decay, restrict. Cost: summarise O(n d^2), solve O(d^3).

    Parameters
    ----------
    n_components : int, float in (0, 1), "mle" or None, default=None
        How many components: a number; the share of the variance to explain; Minka's estimate; or min(rows, features).
    copy, tol, iterated_power, n_oversamples, power_iteration_normalizer, random_state
        Accepted for compatibility; the decomposition is direct and X is never changed.
    whiten : bool, default=False
        Scale the components to unit variance.
    svd_solver : str, default="auto"
        scikit-learn's names are accepted; all give the same components.
    precision : {None, "double", "exact"}, default=None
        "exact" sums without any rounding: the same rows leave the same bits, however they came and went. It takes
        longer, and nothing decays.

    Attributes
    ----------
    components_, explained_variance_, explained_variance_ratio_, singular_values_, mean_, n_components_, n_samples_,
    noise_variance_
        As in scikit-learn; the sign of a component makes its largest entry positive.

    Examples
    --------
    >>> import numpy as np
    >>> from sumlearn import PCA
    >>> from sumlearn.data import load_example
    >>> X = load_example("iris").X
    >>> model = PCA(2).fit(X)
    >>> model.explained_variance_ratio_.round(4).tolist()
    [0.9246, 0.0531]
    >>> shifted = PCA(2).fit(X + 1e9)                        # the offset costs nothing but the bits of the data
    >>> bool(np.allclose(shifted.explained_variance_, model.explained_variance_, rtol=1e-6))
    True

    References
    ----------
    Lecture note 003; Minka, "Automatic choice of dimensionality for PCA", 2000; Tipping & Bishop, "Probabilistic
    principal component analysis", 1999 (`score`).
    """

    description = Description(
        variants={
            "precision": (None, "exact"),
            "n_components": (None, 1, 2, 0.9, "mle"),
            "svd_solver": ("auto", "full", "randomized"),
        }
    )

    n_samples_ = Fitted("Number of rows.")

    def __init__(
        self,
        n_components: Any = None,
        *,
        copy: bool = True,
        whiten: bool = False,
        svd_solver: str = "auto",
        tol: float = 0.0,
        iterated_power: Any = "auto",
        n_oversamples: int = 10,
        power_iteration_normalizer: str = "auto",
        random_state: Any = None,
        precision: str | None = None,
    ) -> None:
        self.n_components = n_components
        self.copy = copy
        self.whiten = whiten
        self.svd_solver = svd_solver
        self.tol = tol
        self.iterated_power = iterated_power
        self.n_oversamples = n_oversamples
        self.power_iteration_normalizer = power_iteration_normalizer
        self.random_state = random_state
        self.precision = precision

    def solution(self, statistic: Moments) -> dict[str, Any]:
        if self.svd_solver not in SVD_SOLVERS:
            raise ValueError(f"svd_solver must be one of {', '.join(SVD_SOLVERS)}, got {self.svd_solver!r}")
        return self.components_of(statistic) | {"n_samples_": statistic.rows}

    def number(self, variance: np.ndarray, rows: int, columns: int) -> int:
        most, wanted = min(rows, len(variance)), self.n_components
        if wanted is None:
            return most
        if isinstance(wanted, str):
            if wanted != "mle":
                raise ValueError(f"n_components must be a number, 'mle' or None, got {wanted!r}")
            if rows < columns:
                raise ValueError("n_components='mle' is only supported if n_samples >= n_features")
            return minka(variance, float(rows))
        if isinstance(wanted, float | np.floating) and 0.0 < wanted < 1.0:
            share = np.cumsum(variance) / variance.sum()
            return int(np.searchsorted(share, wanted, side="right") + 1)
        if isinstance(wanted, bool) or int(wanted) != wanted or not 0 <= wanted <= most:
            raise ValueError(
                f"n_components={wanted!r} must be between 0 and min(n_samples, n_features)={most} "
                f"with svd_solver={self.svd_solver!r}"
            )
        return int(wanted)


def minka(variance: np.ndarray, rows: float) -> int:
    """The number of components with the largest evidence (Minka 2000, eq. 76 to 79)."""
    d = len(variance)
    evidence = [-np.inf] + [log_evidence(variance, k, rows) for k in range(1, d)]
    return int(np.argmax(evidence)) if d > 1 else 0


def log_evidence(variance: np.ndarray, k: int, rows: float) -> float:
    d = len(variance)
    if variance[k - 1] < np.finfo(float).eps:
        return -np.inf
    i = np.arange(1, k + 1)
    prior = -k * np.log(2.0) + (gammaln((d - i + 1) / 2.0) - np.log(np.pi) * (d - i + 1) / 2.0).sum()
    noise = max(variance[k:].sum() / (d - k), np.finfo(float).eps)
    m = d * k - k * (k + 1.0) / 2.0
    smoothed = variance.copy()
    smoothed[k:] = noise
    hessian = 0.0
    for a in range(k):
        differences = (variance[a] - variance[a + 1 :]) * (1.0 / smoothed[a + 1 :] - 1.0 / smoothed[a])
        hessian += (np.log(differences) + np.log(rows)).sum()
    return float(
        prior
        - np.log(variance[:k]).sum() * rows / 2.0
        - np.log(noise) * rows * (d - k) / 2.0
        + np.log(2.0 * np.pi) * (m + k) / 2.0
        - hessian / 2.0
        - k * np.log(rows) / 2.0
    )
