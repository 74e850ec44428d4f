"""The table of combinations: which loss, penalty and solver go together, and how far the minimum is from SciPy's."""

import warnings
from functools import cache
from typing import NamedTuple

import numpy as np
from sklearn.datasets import make_regression

from sumlearn import LinearClassifier, LinearRegressor
from sumlearn.data import load_example
from sumlearn.objectives import LOSSES, PENALTIES, ElasticNet, EpsilonInsensitive, Huber, Quantile
from sumlearn.solvers import SOLVERS

from tests.agreement.problems import classes
from tests.solvers.references import EPSILON, HUBER, QUANTILE, RATIO, least_masked, least_risk, least_subset, risk

CONVEX = [name for name, kind in LOSSES.items() if kind.convex]
WITH_NUMBERS = {
    "huber": Huber(HUBER),
    "epsilon_insensitive": EpsilonInsensitive(EPSILON),
    "quantile": Quantile(QUANTILE),
    "elasticnet": ElasticNet(RATIO),
}
ALPHA = 2.5


class Row(NamedTuple):
    loss: str
    penalty: str
    solver: str
    supported: bool
    gap: float  # of the objective, relative to the minimum; the worst over the data sets
    refusal: str


@cache
def problems(coding):
    """Rows, targets and weights: on one scale, and raw with weights."""
    rng = np.random.default_rng(0)
    if coding == "value":
        X, y = make_regression(60, 4, noise=10.0, bias=5.0, random_state=0)
        tilted = X * [1.0, 10.0, 0.1, 3.0] + [0.0, 50.0, 1.0, -4.0]
        return [(X, y, np.ones(60)), (tilted, y, rng.choice([0.5, 1.0, 3.0], 60))]
    if coding == "class":
        X, y = classes(150, 3, 3)  # they overlap, so that there is a minimum without a penalty
        tilted = X * [1.0, 10.0, 0.1] + [0.0, 50.0, 1.0]
        return [(X, y, np.ones(150)), (tilted, y, rng.choice([0.5, 1.0, 3.0], 150))]
    pima = load_example("pima")
    X, y = pima.X[:100], np.where(pima.y[:100] == "pos", 1.0, -1.0)
    return [((X - X.mean(axis=0)) / X.std(axis=0), y, np.ones(100)), (X, y, rng.choice([0.5, 1.0, 3.0], 100))]


@cache
def least(loss, penalty, number):
    return least_risk(loss, penalty, ALPHA, *problems(LOSSES[loss].coding)[number])


def learner(loss, penalty, solver):
    kind = LinearRegressor if LOSSES[loss].target == "number" else LinearClassifier
    return kind(WITH_NUMBERS.get(loss, loss), WITH_NUMBERS.get(penalty, penalty), alpha=ALPHA, solver=solver)


def is_rough(loss, solver):
    """Whether steps follow subgradients, whose noise does not vanish: near the minimum, on columns of one scale."""
    return solver == "pegasos" or (solver == "sgd" and not LOSSES[loss].smooth)


def row(loss, penalty, solver):
    """Fit this combination to every problem of its kind; what is refused is not supported."""
    gap = 0.0
    for number, (X, y, s) in enumerate(problems(LOSSES[loss].coding)[: 1 if is_rough(loss, solver) else None]):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                warnings.filterwarnings("ignore", "the penalty is not convex")
                warnings.filterwarnings("ignore", "all coefficients are zero, where the perceptron loss")
                model = learner(loss, penalty, solver).fit(X, y, s)
        except ValueError as error:
            return Row(loss, penalty, solver, False, np.inf, str(error))
        coef, intercept = np.atleast_2d(model.coef_), np.atleast_1d(model.intercept_)
        if penalty == "l0":  # a minimum among its neighbours: the least on its own columns
            some = tuple(np.flatnonzero(coef.any(axis=0)).tolist())
            if loss == "softmax":
                expected = least_masked(coef, intercept, X, y, s) + ALPHA * np.count_nonzero(coef)
            else:
                expected = least_subset(loss, ALPHA, X, y, s)[1][some]
            apart = risk(loss, "none", ALPHA, X, y, s, coef, intercept) + ALPHA * np.count_nonzero(coef) - expected
            gap = max(gap, abs(apart) / max(expected, 1e-3 * s.sum()))
            continue
        expected = least(loss, penalty, number)
        apart = risk(loss, penalty, ALPHA, X, y, s, coef, intercept) - expected
        gap = max(gap, abs(apart) / max(expected, 1e-3 * s.sum()))
    return Row(loss, penalty, solver, True, gap, "")


def taken(loss, penalty, solver):
    """Whether this combination is taken; one step tells."""
    X, y, s = problems(LOSSES[loss].coding)[0]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            learner(loss, penalty, solver).set_params(max_iter=1).fit(X, y, s)
    except ValueError:
        return False
    return True


def every_combination():
    return [(loss, penalty, solver) for loss in CONVEX for penalty in PENALTIES for solver in SOLVERS]


def support():
    """The penalties that each solver takes with each loss: {loss: {solver: [penalty, ...]}}."""
    found = {loss: {solver: [] for solver in SOLVERS} for loss in CONVEX}
    for loss, penalty, solver in every_combination():
        if taken(loss, penalty, solver):
            found[loss][solver].append(penalty)
    return found


def as_markdown(found):
    """The table of docs/methods/risk_minimisation.md."""
    lines = ["| loss | " + " | ".join(f"`{solver}`" for solver in SOLVERS) + " |", "|---" * (len(SOLVERS) + 1) + "|"]
    for loss, taken in found.items():
        lines.append(f"| `{loss}` | " + " | ".join(", ".join(p) or "no" for p in taken.values()) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(as_markdown(support()))
