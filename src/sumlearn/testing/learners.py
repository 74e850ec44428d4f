"""The laws of a learner: adding, unlearning, weights, refusals, changes after the fit."""

from __future__ import annotations

import copy
import operator
import pickle
import warnings
from typing import Any

import numpy as np
from sklearn.base import clone

from ..learners.one_pass import OnePass
from ..statistics import IllConditionedWarning
from .laws import assert_refused, ensure, law
from .same_model import assert_same_model, outputs


def check_learner(learner: OnePass, X: Any, y: Any = None, tolerance: float = 1e-9) -> None:
    """Check that a learner adds up, on rows that are enough for three models.

    The laws:

    - fit on all rows = fit + fit = ``sum(models)`` = ``partial_fit`` in pieces = fit on the rows in any order;
    - a + b = b + a; models of differing hyperparameters are not added, and the error names them;
    - unlearning a model or rows = a fit without them;
    - weight 2 = the row twice, weight 0 = the row absent; decay(1) = same, decay(f) = all weights times f;
    - restrict = a fit on those columns, and ``solve(statistic_)`` = the model; behind a basis both are refused;
    - a pickled model learns on;
    - ``set_params`` after the fit = a fit with those parameters.

    Models are compared by what they predict or transform, relative to the largest prediction.

    >>> import numpy as np
    >>> from sumlearn import GaussianNB
    >>> X = np.random.default_rng(0).standard_normal((40, 2))
    >>> check_learner(GaussianNB(var_smoothing=0.1), X, X[:, 0] > 0)
    """
    X, y = np.asarray(X), None if y is None else np.asarray(y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IllConditionedWarning)
        check_adding(learner, X, y, tolerance)
        check_unlearning(learner, X, y, tolerance)
        check_weights(learner, X, y, tolerance)
        check_refusals(learner, X, y)
        check_changes(learner, X, y, tolerance)


def check_adding(learner: OnePass, X: np.ndarray, y: np.ndarray | None, tolerance: float) -> None:
    everything = fitted(learner, X, y)
    parts = thirds(X, y)
    models = [fitted(learner, X[i], rows_of(y, i)) for i in parts]
    a, b, c = models
    with law("fit(all) = fit + fit"):
        assert_same_model(a + b + c, everything, X, tolerance)
    with law("fit(all) = sum(models)"):
        assert_same_model(sum(models), everything, X, tolerance)
    with law("+ leaves its sides unchanged"):
        assert_same_model(a, fitted(learner, X[parts[0]], rows_of(y, parts[0])), X, 0.0)
    with law("a + b = b + a"):
        assert_same_model(a + b, b + a, X, tolerance)
    with law("(a + b) + c = a + (b + c)"):
        assert_same_model((a + b) + c, a + (b + c), X, tolerance)
    with law("fit(all) = partial_fit in pieces"):
        model = clone(learner)
        for i in parts:
            ensure(model.partial_fit(X[i], rows_of(y, i)) is model, "partial_fit does not return self")
        assert_same_model(model, everything, X, tolerance)
    with law("a piece without rows changes nothing"):
        assert_same_model(model.partial_fit(X[:0], rows_of(y, slice(0))), everything, X, tolerance)
    with law("rows in any order"):
        order = np.random.default_rng(0).permutation(len(X))
        assert_same_model(fitted(learner, X[order], rows_of(y, order)), everything, X, tolerance)


def check_unlearning(learner: OnePass, X: np.ndarray, y: np.ndarray | None, tolerance: float) -> None:
    first, *others = thirds(X, y)
    rest = np.sort(np.concatenate(others))
    expected = fitted(learner, X[rest], rows_of(y, rest))
    with law("fit(all) - fit(some) = fit(the others)"):
        everything, some = fitted(learner, X, y), fitted(learner, X[first], rows_of(y, first))
        assert_same_model(everything - some, expected, X, tolerance)
    with law("forget(rows) = fit(the others)"):
        assert_same_model(everything.forget(X[first], rows_of(y, first)), expected, X, tolerance)
    with law("forget of no rows changes nothing"):
        assert_same_model(everything.forget(X[:0], rows_of(y, slice(0))), expected, X, tolerance)
    with law("more than there is cannot be forgotten"):
        assert_refused(operator.sub, some, fitted(learner, X, y))
        assert_refused(some.forget, X, y)
        assert_same_model(some, fitted(learner, X[first], rows_of(y, first)), X, 0.0)


def check_weights(learner: OnePass, X: np.ndarray, y: np.ndarray | None, tolerance: float) -> None:
    everything = fitted(learner, X, y)
    first, second, _ = thirds(X, y)
    with law("weight 1 = no weight"):
        assert_same_model(fitted(learner, X, y, np.ones(len(X))), everything, X, tolerance)
    with law("weight 2 = the row twice"):
        weight = np.ones(len(X))
        weight[first] = 2.0
        twice = np.repeat(np.arange(len(X)), weight.astype(int))
        assert_same_model(fitted(learner, X, y, weight), fitted(learner, X[twice], rows_of(y, twice)), X, tolerance)
    with law("weight 0 = the row absent"):
        weight = np.ones(len(X))
        weight[second] = 0.0
        left = np.flatnonzero(weight)
        assert_same_model(fitted(learner, X, y, weight), fitted(learner, X[left], rows_of(y, left)), X, tolerance)
    with law("decay(1) = same"):
        assert_same_model(fitted(learner, X, y).decay(1.0), everything, X, 0.0)
    with law("decay(0.5) = a fit with half the weights"):
        half = fitted(learner, X, y, np.full(len(X), 0.5))
        assert_same_model(fitted(learner, X, y).decay(0.5), half, X, tolerance)
    for factor in (0.0, 1.5, np.nan):
        with law(f"decay({factor}) is refused"):
            assert_refused(fitted(learner, X, y).decay, factor)


def check_refusals(learner: OnePass, X: np.ndarray, y: np.ndarray | None) -> None:
    model = fitted(learner, X, y)
    for name in learner.get_params(deep=False):
        other = copy.deepcopy(model).set_params(**{name: "another value"})
        with law(f"models that differ in {name} are not added"):
            assert_refused(operator.add, model, other, names=name)
        with law(f"models that differ in {name} are not subtracted"):
            assert_refused(operator.sub, model, other, names=name)


def check_changes(learner: OnePass, X: np.ndarray, y: np.ndarray | None, tolerance: float) -> None:
    everything = fitted(learner, X, y)
    first, *others = thirds(X, y)
    behind_basis = "basis_" in vars(everything)  # the sums are those of its terms
    with law("solve(statistic_) = the model"):
        if behind_basis:
            assert_refused(clone(learner).solve, everything.statistic_)
        else:
            assert_same_model(clone(learner).solve(everything.statistic_), everything, X, tolerance)
    with law("a pickled model predicts the same and learns on"):
        part = pickle.loads(pickle.dumps(fitted(learner, X[first], rows_of(y, first))))
        assert_same_model(part, fitted(learner, X[first], rows_of(y, first)), X, 0.0)
        for i in others:
            part.partial_fit(X[i], rows_of(y, i))
        assert_same_model(part, everything, X, tolerance)
    d = X.shape[1]
    for columns in [[j] for j in range(min(d, 2))] + ([list(range(d))[:0:-1]] if d > 1 else []):
        with law(f"restrict({columns}) = a fit on those columns"):
            if behind_basis:
                assert_refused(everything.restrict, columns)
            else:
                check_restricted(everything, learner, X, y, columns, tolerance)
    with law("set_params after the fit = a fit with those parameters"):
        plain = type(learner)()
        try:
            plain.fit(X, y)
            plain.set_params(**learner.get_params(deep=False))
            outputs(plain, X)
        except ValueError:  # a parameter that chooses another statistic asks for a new fit
            return
        assert_same_model(plain, everything, X, tolerance)


def check_restricted(
    everything: Any, learner: OnePass, X: np.ndarray, y: np.ndarray | None, columns: list[int], tolerance: float
) -> None:
    """The restricted model is that of a fit on those columns, or both are refused."""
    part = X[:, columns]
    try:
        expected = fitted(learner, part, y)
    except ValueError:
        assert_refused(lambda: outputs(everything.restrict(columns), part))
        return
    assert_same_model(everything.restrict(columns), expected, part, tolerance)


def fitted(learner: Any, X: Any, y: Any, weight: Any = None) -> Any:
    return clone(learner).fit(X, y) if weight is None else clone(learner).fit(X, y, sample_weight=weight)


def rows_of(y: np.ndarray | None, index: Any) -> np.ndarray | None:
    return None if y is None else y[index]


def thirds(X: np.ndarray, y: np.ndarray | None) -> list[np.ndarray]:
    """Three parts of the rows with about equal shares of every class, or of small and large targets."""
    order = np.arange(len(X)) if y is None else np.argsort(y.reshape(len(y), -1)[:, 0], kind="stable")
    return [np.sort(order[k::3]) for k in range(3)]
