"""Principal component analysis."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import gammaln
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from ...compiled import positive as kernels
from ...data import Chunk
from ...solvers.linear_system import system_of
from ...statistics import Moments, Words
from ..description import Description
from ..fitted import Fitted, check_variances, narrowed
from ..linear_map import away_from, is_far, numbers_of
from ..one_pass import OnePass

SMALL = 1e-6  # share of the largest eigenvalue: of smaller ones, eigenvalues in double lose digits
SVD_SOLVERS = ("auto", "full", "covariance_eigh", "arpack", "randomized")


class PCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, OnePass):
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
        variants={"n_components": (None, 1, 2, 0.9, "mle"), "svd_solver": ("auto", "full", "randomized")}
    )

    statistic_type = Moments
    target = None

    components_ = Fitted("Directions, (components, features).")
    explained_variance_ = Fitted("Variance along each component.")
    explained_variance_ratio_ = Fitted("Its share of the whole variance.")
    singular_values_ = Fitted("Roots of the eigenvalues of the scatter.")
    mean_ = Fitted("Mean of the features.")
    n_components_ = Fitted("Number of components.")
    n_samples_ = Fitted("Number of rows.")
    noise_variance_ = Fitted("Mean variance of the components left out.")

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

    def summarise(self, chunk: Chunk, look: Any = None) -> Moments:
        return Moments.of(chunk.X, weight=chunk.weight)

    def solution(self, statistic: Moments) -> dict[str, Any]:
        if self.svd_solver not in SVD_SOLVERS:
            raise ValueError(f"svd_solver must be one of {', '.join(SVD_SOLVERS)}, got {self.svd_solver!r}")
        varying = statistic.exponent[statistic.diagonal > 0]
        unit = int(varying.max()) if varying.any() else 0
        in_units = statistic.with_exponent(np.full(statistic.columns, unit))
        values, vectors = in_units.principal(min(statistic.least_rows(0), statistic.columns))
        check_variances(statistic.deviation)
        rows = rows_of_spectrum(values, statistic, unit)
        k = self._number(variance_of(values, statistic, unit), rows, statistic.columns)
        last = min(k, rows - 1)
        if not statistic.holds_rows and last > 0 and values[last - 1] < SMALL * values[0]:
            values, vectors = by_factor(statistic, unit, values, vectors)
        variance = variance_of(values, statistic, unit)
        components = vectors[:, :k].T
        components = (
            components * np.where(components[np.arange(k), np.abs(components).argmax(axis=1)] < 0, -1.0, 1.0)[:, None]
        )
        total = values.sum()
        rank = min(rows, len(values))
        dtype = self.float_dtype
        return {
            "components_": components.astype(dtype),
            "explained_variance_": narrowed(variance[:k], dtype),
            "explained_variance_ratio_": (values[:k] / total if total > 0 else np.zeros(k)).astype(dtype),
            "singular_values_": narrowed(np.ldexp(np.sqrt(values[:k]), unit), dtype),
            "mean_": narrowed(statistic.mean, dtype),
            "rest": statistic.mean_rest if is_far(statistic.mean, statistic.deviation) else None,
            "n_components_": k,
            "n_samples_": statistic.rows,
            "noise_variance_": float(variance[k:rank].mean()) if k < rank else 0.0,
            "left_out": float(variance[k:].sum()) * freedom(statistic) / statistic.weight,
        }

    def transform(self, X: Any) -> np.ndarray:
        """Coordinates of every row along the components."""
        with np.errstate(over="ignore", invalid="ignore"):
            out = self._away(X) @ self.components_.T
            if self.whiten:
                out /= self._scale()
            return numbers_of(out)

    def _away(self, X: Any) -> np.ndarray:
        """x - m."""
        return away_from(self.rows_of(X), self.mean_, self.solved()["rest"])

    def inverse_transform(self, X: Any) -> np.ndarray:
        """Rows from their coordinates: m + W z."""
        X = np.asarray(X)
        if self.whiten:
            X = X * self._scale()
        return X @ self.components_ + self.mean_

    def reconstruction_error(self, X: Any = None) -> float:
        """Mean squared distance |x - x~|^2 of the rows of X; without X that of the training rows, from the sums."""
        if X is None:
            return self.solved()["left_out"]
        X = self.rows_of(X)
        return float(((X - self.inverse_transform(self.transform(X))) ** 2).sum(axis=1).mean())

    def get_covariance(self) -> np.ndarray:
        """Covariance of the probabilistic model: W (L - s2 I) W' + s2 I."""
        W, noise = self.components_, self.noise_variance_
        gain = np.maximum(self.explained_variance_ - noise, 0.0)
        return (W.T * gain) @ W + noise * np.eye(W.shape[1])

    def get_precision(self) -> np.ndarray:
        """Its inverse."""
        if self.noise_variance_ == 0.0 or self.n_components_ == self.n_features_in_:
            return np.linalg.inv(self.get_covariance())
        W, noise = self.components_, self.noise_variance_
        gain = np.maximum(self.explained_variance_ - noise, 0.0)
        return (np.eye(W.shape[1]) - (W.T * (gain / (gain + noise))) @ W) / noise

    def score_samples(self, X: Any) -> np.ndarray:
        """Log-density of every row under the probabilistic model."""
        X = self._away(X)
        precision = self.get_precision()
        constant = X.shape[1] * np.log(2.0 * np.pi) - np.linalg.slogdet(precision)[1]
        return -0.5 * (np.einsum("ij,ij->i", X @ precision, X) + constant)

    def score(self, X: Any, y: Any = None) -> float:
        """Mean log-density of the rows."""
        return float(self.score_samples(X).mean())

    @property
    def _n_features_out(self) -> int:
        if "statistic_" not in self.__dict__:
            raise AttributeError("_n_features_out")
        return self.n_components_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _scale(self) -> np.ndarray:
        scale = np.sqrt(self.explained_variance_)
        return np.maximum(scale, np.finfo(scale.dtype).eps)

    def _number(self, variance: np.ndarray, rows: int, columns: int) -> int:
        most, wanted = min(rows, len(variance)), self.n_components
        if wanted is None:
            return most
        if isinstance(wanted, str):
            if wanted != "mle":
                raise ValueError(f"n_components must be a number, 'mle' or None, got {wanted!r}")
            if rows < columns:
                raise ValueError("n_components='mle' is only supported if n_samples >= n_features")
            return minka(variance, rows)
        if isinstance(wanted, float | np.floating) and 0.0 < wanted < 1.0:
            share = np.cumsum(variance) / variance.sum()
            return int(np.searchsorted(share, wanted, side="right") + 1)
        if isinstance(wanted, bool) or int(wanted) != wanted or not 0 <= wanted <= most:
            raise ValueError(
                f"n_components={wanted!r} must be between 0 and min(n_samples, n_features)={most} "
                f"with svd_solver={self.svd_solver!r}"
            )
        return int(wanted)


def rows_of_spectrum(values: np.ndarray, statistic: Moments, unit: int) -> int:
    """How many rows there are at least; `values` are the eigenvalues of the scatter in units of 4**unit."""
    noise = np.ldexp(statistic.rounding, 2 * (statistic.exponent - unit)).sum()
    floor = noise + len(values) * np.finfo(float).eps * values.max(initial=0.0)
    return statistic.least_rows(int((values > floor).sum()))


def variance_of(values: np.ndarray, statistic: Moments, unit: int) -> np.ndarray:
    with np.errstate(over="ignore", under="ignore"):
        return np.ldexp(values / freedom(statistic), 2 * unit)


def by_factor(
    statistic: Moments, unit: int, values: np.ndarray, vectors: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues and eigenvectors of S = U'U by singular values of U, which is factored in two words.

    Rounding then is a share of the largest singular value, as in a decomposition of the rows, and not of its square.
    The given ones stay where those that are small are none: columns that depend on others.
    """
    system = system_of(statistic, np.zeros(0, np.intp), 0.0, intercept=True)
    U = Words(system.G.hi.copy(), system.G.lo.copy())
    rank = kernels.cholesky(U.hi, U.lo, system.noise, np.ones(len(U.hi), bool), np.zeros_like(U.hi))
    if not rank or values[rank - 1] >= SMALL * values[0]:
        return values, vectors
    _, roots, directions = np.linalg.svd(np.triu(np.ldexp(U.hi, system.unit - unit)))
    return roots**2, directions.T


def freedom(statistic: Moments) -> float:
    """Divisor of the variance: the weight less one row; a weight below two rows still says something."""
    return max(statistic.weight - 1.0, 0.5 * statistic.weight)


def minka(variance: np.ndarray, rows: int) -> int:
    """The number of components with the largest evidence (Minka 2000, eq. 76 to 79)."""
    d = len(variance)
    evidence = [-np.inf] + [log_evidence(variance, k, rows) for k in range(1, d)]
    return int(np.argmax(evidence)) if d > 1 else 0


def log_evidence(variance: np.ndarray, k: int, rows: int) -> float:
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
