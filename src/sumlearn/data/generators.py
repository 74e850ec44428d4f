"""Small synthetic problems; every one is the same for the same seed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

SIDE = 8  # of the digits' images, in pixels


class ToyPoints(NamedTuple):
    """Three points with a class each (`label`) and a number each (`target`)."""

    X: NDArray[np.float64]
    label: NDArray[np.str_]
    target: NDArray[np.float64]


def make_toy_points() -> ToyPoints:
    """Three points in the plane with labels and regression targets: small enough for pencil and paper.

    Returns
    -------
    ToyPoints
        `X` of shape (3, 2), `label` ('+', '+', '-') and `target` (0.5, 2.5, -1.0).

    Examples
    --------
    With a constant input there are as many weights as points, so the plane meets every target.

    >>> import numpy as np
    >>> from sumlearn.data.generators import make_toy_points
    >>> X, label, target = make_toy_points()
    >>> w = np.linalg.solve(np.column_stack([np.ones(3), X]), target)
    >>> print(w.round(4))
    [-1.9375  0.625   0.625 ]

    References
    ----------
    Lecture note 001, linear models.
    """
    X = np.array([[0.9, 3.0], [3.0, 4.1], [1.2, 0.3]])
    return ToyPoints(X, np.array(["+", "+", "-"]), np.array([0.5, 2.5, -1.0]))


def make_noisy_polynomial(
    n_samples: int = 30,
    coef: Sequence[float] = (0.0, 1.0, 0.0, -1.0),
    noise: float = 0.1,
    seed: int = 0,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Points on a polynomial curve with Gaussian noise, for questions of degree and overfitting.

        t = sum_j coef_j x^j + e,   x ~ U(-1, 1),   e ~ N(0, noise^2)

    Parameters
    ----------
    n_samples : int
        Number of points.
    coef : sequence of float
        Coefficients from the constant upwards; the default is x - x^3.
    noise : float
        Standard deviation of the noise.
    seed : int
        Seed of the random numbers: the same seed gives the same points.

    Returns
    -------
    X : ndarray of shape (n_samples, 1)
        Inputs in increasing order.
    t : ndarray of shape (n_samples,)
        Targets.

    Examples
    --------
    >>> import numpy as np
    >>> from sumlearn.data.generators import make_noisy_polynomial
    >>> X, t = make_noisy_polynomial(5000, coef=(1.0, 2.0), noise=0.1)
    >>> residual = t - (1 + 2 * X[:, 0])
    >>> print(round(residual.std(), 2))
    0.10

    References
    ----------
    Lecture note 000, polynomial curve fitting.
    """
    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(-1, 1, n_samples))
    t = np.polynomial.polynomial.polyval(x, coef) + rng.normal(0, noise, n_samples)
    return x[:, None], t


def make_xor(n_samples: int = 200, spread: float = 0.2, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Four clouds at the corners of a square, opposite corners of one class: no line separates them.

        x ~ N(corner, spread^2 I),   corner in {-1, 1}^2,   y = 1 if the signs of the corner differ

    Parameters
    ----------
    n_samples : int
        Number of points; the four corners share them as evenly as possible.
    spread : float
        Standard deviation of each cloud; 0 puts every point on its corner.
    seed : int
        Seed of the random numbers.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
    y : ndarray of shape (n_samples,)
        0 or 1.

    Examples
    --------
    Without spread these are the four rows of the truth table.

    >>> from sumlearn.data.generators import make_xor
    >>> X, y = make_xor(4, spread=0)
    >>> print(X.astype(int).tolist(), y)
    [[-1, -1], [-1, 1], [1, -1], [1, 1]] [0 1 1 0]

    References
    ----------
    Lecture note 004, the classical example of classes that are not separable.
    """
    rng = np.random.default_rng(seed)
    corners = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])
    which = np.arange(n_samples) % 4
    X = corners[which] + rng.normal(0, spread, (n_samples, 2))
    return X, (which % 3 != 0).astype(np.int64)  # corners 1 and 2 have one sign of each kind


def make_two_gaussians(
    n_samples: int = 200,
    distance: float = 2.0,
    prior: float = 0.5,
    n_features: int = 2,
    seed: int = 0,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Two Gaussian classes with unit covariance: separable when far apart, overlapping when near.

        x ~ N(-m, I) for y = 0,   x ~ N(+m, I) for y = 1,   m = (distance / 2, 0, ..., 0)

    With equal priors the best error is Phi(-distance / 2): 15.9 % at distance 2, 0.1 % at 6.

    Parameters
    ----------
    n_samples : int
        Number of points.
    distance : float
        Distance of the two means in standard deviations.
    prior : float
        Probability of class 1; each label is drawn with it.
    n_features : int
        Number of inputs; only the first one tells the classes apart.
    seed : int
        Seed of the random numbers.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        0 or 1.

    Examples
    --------
    The sign of the first input is the best rule; here is its error.

    >>> from sumlearn.data.generators import make_two_gaussians
    >>> X, y = make_two_gaussians(100_000, distance=2.0)
    >>> print(round(((X[:, 0] > 0) != y).mean(), 2))
    0.16

    References
    ----------
    Lecture note 004, separable and overlapping classes.
    """
    rng = np.random.default_rng(seed)
    y = (rng.random(n_samples) < prior).astype(np.int64)
    X = rng.normal(size=(n_samples, n_features))
    X[:, 0] += distance * (y - 0.5)
    return X, y


def make_two_class_scores(
    n_samples: int = 400, distance: float = 1.5, prior: float = 0.4, seed: int = 0
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Scores of a classifier for two classes, to draw a ROC curve from.

        s ~ N(0, 1) for y = 0,   s ~ N(distance, 1) for y = 1

    The area under the curve is Phi(distance / sqrt(2)): 0.856 at 1.5. The equal error rate is Phi(-distance / 2).

    Parameters
    ----------
    n_samples : int
        Number of scores.
    distance : float
        Distance of the two means in standard deviations.
    prior : float
        Probability of class 1.
    seed : int
        Seed of the random numbers.

    Returns
    -------
    score : ndarray of shape (n_samples,)
    y : ndarray of shape (n_samples,)
        0 or 1.

    Examples
    --------
    >>> from sumlearn.data.generators import make_two_class_scores
    >>> from sumlearn.evaluation import auc
    >>> score, y = make_two_class_scores(100_000)
    >>> abs(auc(y, score) - 0.856) < 0.003
    True

    References
    ----------
    Fawcett, "An introduction to ROC analysis", 2006.
    """
    rng = np.random.default_rng(seed)
    y = (rng.random(n_samples) < prior).astype(np.int64)
    return rng.normal(size=n_samples) + distance * y, y


class OccludedDigits(NamedTuple):
    """Images of digits, part of them hidden in some."""

    X: NDArray[np.float64]
    y: NDArray[np.int64]
    hidden: NDArray[np.bool_]


def make_occluded_digits(share: float = 0.5, size: int = 3, seed: int = 0) -> OccludedDigits:
    """Handwritten digits of 8 x 8 pixels, some with a square of full ink over them: noise that is large but sparse.

    Parameters
    ----------
    share : float
        Share of the images that are occluded.
    size : int
        Side of the square in pixels, 0 to 8.
    seed : int
        Which images, and where.

    Returns
    -------
    OccludedDigits
        `X` of shape (1797, 64) with values from 0 to 16, `y` the digits, `hidden` the pixels that were covered.

    Examples
    --------
    >>> from sumlearn.data.generators import make_occluded_digits
    >>> X, y, hidden = make_occluded_digits(share=1.0, size=4)
    >>> X.shape, hidden.sum(axis=1).tolist()[:3]
    ((1797, 64), [16, 16, 16])

    References
    ----------
    Lecture note 003, sparse noise. The images are scikit-learn's `load_digits`: Alpaydin & Kaynak, UCI repository.
    """
    if not 0 <= size <= SIDE:
        raise ValueError(f"size must be between 0 and {SIDE}, got {size}")
    if not 0.0 <= share <= 1.0:
        raise ValueError(f"share must be between 0 and 1, got {share}")
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    rng = np.random.default_rng(seed)
    chosen = rng.permutation(len(X))[: round(share * len(X))]
    hidden = np.zeros((len(X), SIDE, SIDE), bool)
    corners = rng.integers(0, SIDE - size + 1, (len(chosen), 2))
    for image, (row, column) in zip(chosen, corners, strict=True):
        hidden[image, row : row + size, column : column + size] = True
    flat = hidden.reshape(len(X), -1)
    return OccludedDigits(np.where(flat, 16.0, X), y.astype(np.int64), flat)
