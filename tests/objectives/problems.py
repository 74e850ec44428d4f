"""Small problems for every loss, and the objective written out in NumPy."""

import numpy as np
import scipy.sparse as sparse

from sumlearn.data.source import ArraySource, SparseSource
from sumlearn.objectives import (
    Absolute,
    EpsilonInsensitive,
    Frame,
    Hinge,
    Huber,
    LinearObjective,
    Logistic,
    PerceptronLoss,
    Quantile,
    Softmax,
    Squared,
    SquaredHinge,
)

LOSSES = [
    Logistic(),
    SquaredHinge(),
    Softmax(),
    Squared(),
    Huber(0.8),
    Hinge(0.3),
    PerceptronLoss(0.3),
    Absolute(0.3),
    EpsilonInsensitive(0.2, 0.3),
    Quantile(0.8, 0.3),
]
CLASSES = 3


def rows(loss, n=60, d=4, seed=0):
    """Rows of unequal scale, and targets that suit the loss."""
    rng = np.random.default_rng([seed, n, d])
    X = rng.standard_normal((n, d)) * 10.0 ** np.linspace(-1.0, 1.0, d) + np.linspace(-2.0, 3.0, d)
    if loss.coding == "class":
        return X, rng.integers(0, CLASSES, n)
    signal = (X[:, 0] - X[:, 0].mean()) / X[:, 0].std() + rng.standard_normal(n)
    return X, np.where(signal > 0, 1.0, -1.0) if loss.coding == "sign" else signal


def weights(n, seed=1):
    """Some rows weigh nothing."""
    return np.random.default_rng(seed).choice([0.0, 0.5, 1.0, 3.0], n)


def outputs(loss):
    return CLASSES if loss.coding == "class" else 1


def plain_frame(d, intercept):
    """Coordinates as they are: a point is (coefficients, intercept)."""
    return Frame(np.zeros(d), np.ones(d), intercept, standardised=False)


def objective_of(loss, penalty, alpha, X, y, weight=None, frame=None, intercept=True, **more):
    source = (SparseSource if sparse.issparse(X) else ArraySource)(X, y, weight)
    frame = plain_frame(X.shape[1], intercept) if frame is None else frame
    return LinearObjective.over(
        source, None, loss=loss, penalty=penalty, alpha=alpha, frame=frame, outputs=outputs(loss), **more
    )


def written_out(loss, penalty, alpha, X, y, weight, coef, intercept):
    """F(w) = sum_n s_n l(y_n, w'x_n + w0) + alpha Omega(w), by its formula."""
    f = X @ coef.T + intercept
    value = loss.value(y, f if loss.coding == "class" else f[:, 0])
    total = value.sum() if weight is None else weight @ value
    return total + alpha * penalty.value(coef)
