"""Where the components of a mixture start: from groups of rows, or as given."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from ....data import Source
from ....engines import one_blas_thread, sample_of
from ....features.input_ranges import finite_numbers
from ....statistics import Moments
from ....statistics.row_checks import dense
from ...fitted import check_variances
from ..kmeans import KMeans
from ..lbg import LBG
from .frame import Coordinates
from .gaussians import Gaussians, factor_of_precision, factors_of
from .starts import at_random, different_rows, plus_plus
from .whitening import Whitening

NUMBERS = 2**20  # of the rows among which components start
FOR_EACH = 64  # rows for every component, at least
STARTS = ("kmeans", "k-means++", "random", "random_from_data", "lbg")
FORMS = {"full": "full", "tied": "tied", "diag": "diag", "spherical": "diag"}


class MixtureStarts(NamedTuple):
    """Weights (starts, k), means (starts, k, features) and covariances of components that rows have placed.

    Covariances are those of the rows alone: (starts, k, features, features), one for all k ("tied") or diagonals.
    """

    weights: np.ndarray
    means: np.ndarray
    covariances: np.ndarray


def starts_from_rows(
    source: Source, k: int, init: str, count: int, covariance_type: str, random_state: Any, given: np.ndarray | None
) -> MixtureStarts:
    """`count` starts, from all rows or a sample of 2^20 numbers of them.

    Draws depend on which rows there are and on their weights, not on their order.
    """
    size = max(NUMBERS // max(source.features, 1), FOR_EACH * k, 4096)
    chunk = sample_of(source, size)
    X = np.asarray(dense(chunk.X) if hasattr(chunk.X, "tocsr") else chunk.X, dtype=np.float64)
    random = check_random_state(random_state)
    rows, mass = different_rows(X, chunk.weight)
    moments = Moments.of(rows, weight=mass, form="diagonal")
    check_variances(moments.deviation)
    frame = Coordinates.of(moments)
    Z = frame.coordinates(rows)
    with one_blas_thread():
        if given is not None:
            found = [one_hot(nearest(Z, (given - frame.origin) * np.ldexp(1.0, -frame.exponent)), k)]
        else:
            found = [shares_of(Z, mass, k, init, random) for _ in range(count)]
        parts = [moments_of(Z, mass, shares, covariance_type) for shares in found]
    weights, means, covariances = (np.stack(part) for part in zip(*parts, strict=True))
    return MixtureStarts(weights, frame.natural(means), np.ldexp(covariances, 2 * frame.exponent))


def shares_of(Z: np.ndarray, mass: np.ndarray, k: int, init: str, random: np.random.RandomState) -> np.ndarray:
    """Shares of the components in every row, (rows, k)."""
    if init == "random":
        shares = random.uniform(size=(len(Z), k))
        return shares / shares.sum(axis=1, keepdims=True)
    return one_hot(labels_of(Z, mass, k, init, random), k)


def labels_of(Z: np.ndarray, mass: np.ndarray, k: int, init: str, random: np.random.RandomState) -> np.ndarray:
    """A group for every row; where there are fewer different rows than groups, some groups have none."""
    if len(Z) <= k:
        return np.arange(len(Z))
    if init == "lbg":
        seed = int(random.randint(2**31 - 1))
        return LBG(k, random_state=seed).fit(Z, sample_weight=mass).labels_
    draw = at_random if init == "random_from_data" else plus_plus
    centres = Z[draw(Z, mass, k, random)]
    if init == "kmeans":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # EM goes on from wherever it came to
            return KMeans(k, init=centres, n_init=1, max_iter=100).fit(Z, sample_weight=mass).labels_
    return nearest(Z, centres)


def nearest(Z: np.ndarray, centres: np.ndarray) -> np.ndarray:
    return (0.5 * (centres * centres).sum(axis=1) - Z @ centres.T).argmin(axis=1)


def one_hot(labels: np.ndarray, k: int) -> np.ndarray:
    shares = np.zeros((len(labels), k))
    shares[np.arange(len(labels)), labels] = 1.0
    return shares


def moments_of(
    Z: np.ndarray, mass: np.ndarray, shares: np.ndarray, covariance_type: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Weights, means and covariances; a component without rows stands in the middle, with weight zero."""
    weighted = shares * mass[:, None]
    N = weighted.sum(axis=0)
    safe = np.where(N > 0, N, 1.0)
    means = (weighted.T @ Z) / safe[:, None]
    d = Z.shape[1]
    full = covariance_type in ("full", "tied")
    covariances = np.zeros((len(N), d, d) if full else (len(N), d))
    for k, mean in enumerate(means):
        away = (Z - mean) * np.sqrt(weighted[:, k] / safe[k])[:, None]
        covariances[k] = away.T @ away if full else (away * away).sum(axis=0)
    weights = N / N.sum()
    if covariance_type == "tied":
        covariances = np.einsum("k,kij->ij", weights, covariances)
    return weights, means, covariances


class Given(NamedTuple):
    """Weights, means and precisions that were given, checked; or None."""

    weights: np.ndarray | None
    means: np.ndarray | None
    factors: np.ndarray | None

    @property
    def is_whole(self) -> bool:
        return not any(part is None for part in self)


def given_starts(model: Any, features: int) -> Given:
    """What of the start was given, in scikit-learn's shapes; refused in its words."""
    k, kind = model.n_components, model.covariance_type
    weights = means = factors = None
    if model.weights_init is not None:
        weights = finite_numbers(model.weights_init, "weights_init")
        check_shape(weights, (k,), "weights")
        if (weights < 0.0).any() or (weights > 1.0).any():
            raise ValueError(
                "The parameter 'weights' should be in the range [0, 1], but got "
                f"max value {weights.min():.5f}, min value {weights.max():.5f}"
            )
        if abs(1.0 - weights.sum()) > 1e-6:
            raise ValueError(
                f"The parameter 'weights' should be normalized, but got sum(weights) = {weights.sum():.5f}"
            )
    if model.means_init is not None:
        means = finite_numbers(model.means_init, "means_init")
        check_shape(means, (k, features), "means")
    if model.precisions_init is not None:
        precisions = finite_numbers(model.precisions_init, "precisions_init")
        check_shape(precisions, shape_of(kind, k, features), f"{kind} precision")
        factors = factors_of_precisions(precisions, kind, features)
    return Given(weights, means, factors)


def shape_of(covariance_type: str, k: int, features: int) -> tuple[int, ...]:
    """The shape of covariances and precisions."""
    shapes = {"full": (k, features, features), "tied": (features, features), "diag": (k, features)}
    return shapes.get(covariance_type, (k,))


def factors_of_precisions(precisions: np.ndarray, kind: str, features: int) -> np.ndarray:
    if kind in ("diag", "spherical"):
        if (precisions <= 0.0).any():
            raise ValueError(f"'{kind} precision' should be positive")
        roots = np.sqrt(precisions)
        return np.repeat(roots[:, None], features, axis=1) if kind == "spherical" else roots
    matrices = precisions[None] if kind == "tied" else precisions
    try:
        if not np.allclose(matrices, matrices.swapaxes(-1, -2)):
            raise np.linalg.LinAlgError
        factors = np.stack([factor_of_precision(matrix) for matrix in matrices])
    except np.linalg.LinAlgError:
        raise ValueError(f"'{kind} precision' should be symmetric, positive-definite") from None
    return factors[0] if kind == "tied" else factors


def check_shape(array: np.ndarray, shape: tuple[int, ...], name: str) -> None:
    if array.shape != shape:
        raise ValueError(f"The parameter '{name}' should have the shape of {shape}, but got {array.shape}")


def first_mixtures(
    starts: MixtureStarts | None, given: Given, covariance_type: str, reg_covar: Any, where: Whitening
) -> list[Gaussians]:
    """The mixtures to begin with, in the coordinates of the fit."""
    form = FORMS[covariance_type]
    found = []
    for run in range(1 if starts is None else len(starts.weights)):
        weights = starts.weights[run] if given.weights is None else given.weights  # type: ignore[union-attr]
        means = where.point(starts.means[run] if given.means is None else given.means)  # type: ignore[union-attr]
        if given.factors is not None:
            factors = where.factor(given.factors)
        else:
            raw = where.covariance(starts.covariances[run])  # type: ignore[union-attr]
            if covariance_type == "spherical":
                raw = np.broadcast_to(raw.mean(axis=1, keepdims=True), raw.shape)
            factors = factors_of(form, raw + where.ridge(reg_covar))
        found.append(Gaussians(form, weights, means, factors))
    return found
