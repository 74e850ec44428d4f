"""One objective of every kind, small."""

import numpy as np
import scipy.sparse as sparse

from sumlearn.data.source import ArraySource
from sumlearn.objectives import (
    L1,
    L2,
    Absolute,
    Coding,
    Frame,
    Hinge,
    Huber,
    Logistic,
    OwnFunction,
    Penalised,
    Quadratic,
    Softmax,
    Squared,
)
from sumlearn.objectives.ordinal_losses import OrderedLogit
from sumlearn.objectives.ordinal_objective import OrdinalObjective, RankCoding
from sumlearn.statistics import Moments

from tests.objectives.problems import objective_of, rows


def linear(loss, penalty, kind=np.asarray):
    X, y = rows(loss)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    return objective_of(loss, penalty, 0.7, kind(X), y)


def ordinal():
    X, y = rows(Softmax())
    frame = Frame(X.mean(axis=0), X.std(axis=0), True, standardised=False)
    coding, share = RankCoding(Coding(np.arange(3)), np.arange(3)), np.bincount(y) / len(y)
    return OrdinalObjective.over(
        ArraySource(X, y, None), coding, loss=OrderedLogit(), alpha=0.7, frame=frame, share=share
    )


def quadratic(penalty):
    return Quadratic.of(Moments.of(*rows(Squared())), penalty, 0.7)


def valley(w):
    """Rosenbrock's, with its floor at (1, 1)."""
    return 100.0 * (w[1] - w[0] ** 2) ** 2 + (1.0 - w[0]) ** 2


def valley_slope(w):
    return np.array([-400.0 * w[0] * (w[1] - w[0] ** 2) - 2.0 * (1.0 - w[0]), 200.0 * (w[1] - w[0] ** 2)])


def valley_curvature(w):
    return np.array([[1200.0 * w[0] ** 2 - 400.0 * w[1] + 2.0, -400.0 * w[0]], [-400.0 * w[0], 200.0]])


OBJECTIVES = {
    "logistic": lambda: linear(Logistic(), L2()),
    "softmax": lambda: linear(Softmax(), L2()),
    "sparse": lambda: linear(Logistic(), L2(), sparse.csr_array),
    "huber": lambda: linear(Huber(0.1), L2()),
    "hinge": lambda: linear(Hinge(), L2()),
    "absolute": lambda: linear(Absolute(), L2()),
    "hinge, l1": lambda: linear(Hinge(), L1()),
    "l1": lambda: linear(Logistic(), L1()),
    "ordinal": ordinal,
    "quadratic": lambda: quadratic(L2()),
    "quadratic, l1": lambda: quadratic(L1()),
    "value": lambda: OwnFunction.of(valley, [-1.2, 1.0]),
    "value and slope": lambda: OwnFunction.of(valley, [-1.2, 1.0], valley_slope),
    "value, slope and curvature": lambda: OwnFunction.of(valley, [-1.2, 1.0], valley_slope, valley_curvature),
    "own, l2": lambda: Penalised(OwnFunction.of(valley, [-1.2, 1.0], valley_slope, valley_curvature), L2(), 0.7),
    "own, l1": lambda: Penalised(OwnFunction.of(valley, [-1.2, 1.0], valley_slope, valley_curvature), L1(), 0.7),
}
