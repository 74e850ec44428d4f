"""The laws of a learner: those of every kind, and those of each ability that it has."""

from __future__ import annotations

import copy
import operator
import pickle
import warnings
from typing import Any

import numpy as np
from sklearn.base import clone

from ..learners import Abilities, Learner, Sequential, Wrapper, abilities
from ..statistics import IllConditionedWarning
from .laws import assert_refused, ensure, law
from .same_model import assert_same_model, outputs

METHODS = {"update": "partial_fit", "merge": "merge", "forget": "forget", "decay": "decay", "restrict": "restrict"}


def check_learner(learner: Learner, X: Any, y: Any = None, tolerance: float = 1e-9) -> None:
    """Check a learner of any kind, on rows that are enough for three models.

    The laws of all learners:

    - its methods are exactly those of its `abilities`, before and after the fit, and what is inside a `Wrapper` has at
      least these;
    - a second fit is the same; a fit that is refused changes nothing; a pickled model says the same;
    - weight 1 = no weight and, unless rows are learnt in their order or by their number, weight 2 = the row twice,
      weight 0 = the row absent, rows in any order are the same model.

    Those of each ability, for models that took the same look:

    - "merge": fit on all rows = fit + fit = ``sum(models)``; a + b = b + a; models of differing hyperparameters are not
      added, and the error names them; ``solve(statistic_)`` = the model; ``set_params`` after the fit = a fit with
      those parameters;
    - "update": ``partial_fit`` in pieces = fit on all rows;
    - "forget": unlearning a model or rows = a fit without them; more than there is cannot be forgotten;
    - "decay": decay(1) = same, decay(f) = all weights times f;
    - "restrict": restrict = a fit on those columns.

    Models are compared by what they predict or transform of the rows (of a thousand, evenly spread, where there are
    more), relative to the largest prediction.

    >>> import numpy as np
    >>> from sumlearn import GaussianNB, LogisticRegression
    >>> X = np.random.default_rng(0).standard_normal((40, 2))
    >>> check_learner(GaussianNB(var_smoothing=0.1), X, X[:, 0] > 0)
    >>> check_learner(LogisticRegression(), X, X[:, 0] > 0, tolerance=1e-6)
    """
    X, y = np.asarray(X), None if y is None else np.asarray(y)
    laws = Laws(learner, X, y, tolerance)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IllConditionedWarning)
        laws.of_abilities()
        for word in ("merge", "update", "forget"):
            if word in laws.able:
                getattr(laws, f"of_{word}")()
        laws.of_fits()
        if "decay" in laws.able:
            laws.of_decay()
        laws.of_refusals()
        laws.of_changes()
        if "restrict" in laws.able:
            laws.of_restrict()
        laws.of_parameters()


class Laws:
    """The laws of one learner on one table; all models take the look of a fit on all rows."""

    def __init__(self, learner: Any, X: np.ndarray, y: np.ndarray | None, tolerance: float) -> None:
        self.learner, self.X, self.y, self.tolerance = learner, X, y, tolerance
        self.able: Abilities = abilities(learner)
        self.everything = fitted(learner, X, y)
        self.look = self.everything.look_ if learner.looks else None
        self.parts = thirds(X, y)
        self.queries = X[:: max(1, len(X) // 1000)]

    def fit(self, rows: Any, weight: Any = None) -> Any:
        """The model of some rows."""
        return fitted(self.learner, self.X[rows], rows_of(self.y, rows), weight, self.look)

    def same(self, a: Any, b: Any, tolerance: float | None = None) -> None:
        assert_same_model(a, b, self.queries, self.tolerance if tolerance is None else tolerance)

    # -- of every learner -------------------------------------------------------------------------------------------

    def of_abilities(self) -> None:
        with law("abilities are the same before and after the fit"):
            ensure(abilities(self.everything) == self.able, f"{self.able}, then {abilities(self.everything)}")
        for model in (self.learner, self.everything):
            for word, method in METHODS.items():
                promised = word in self.able or method in self.able.inexact
                with law(f"{method} is there exactly where it is among the abilities"):
                    ensure(hasattr(model, method) == promised, f"{method}: {hasattr(model, method)}, {self.able}")
        with law("+ and - are there exactly where they are among the abilities"):
            ensure(is_refused(operator.add, self.everything) != ("merge" in self.able), f"+, {self.able}")
            ensure(is_refused(operator.sub, self.everything) != ("forget" in self.able), f"-, {self.able}")
        if isinstance(self.learner, Wrapper):
            with law("a wrapper can do at most what is inside, and what survives"):
                inner = [set(abilities(inside)) for inside in self.everything.learners_]
                ensure(set(self.able) <= self.learner.survive.intersection(*inner), f"{self.able}, inside {inner}")

    def of_fits(self) -> None:
        n, everything = len(self.X), self.everything
        with law("a second fit is the same"):
            self.same(self.fit(slice(None)), everything, 0.0)
        with law("a fit that is refused changes nothing"):
            model, bad = self.fit(slice(None)), np.array(self.X, dtype=float)
            bad[n // 2, 0] = np.nan
            if not model.__sklearn_tags__().input_tags.allow_nan:
                assert_refused(model.fit, bad, self.y)
            self.same(model, everything, 0.0)
        with law("weight 1 = no weight"):
            self.same(self.fit(slice(None), np.ones(n)), everything)
        if isinstance(self.learner, Sequential) or self.learner.numbered:  # it depends on the order of its rows
            return
        first, second, _ = self.parts
        with law("rows in any order"):
            self.same(self.fit(np.random.default_rng(0).permutation(n)), everything)
        with law("weight 2 = the row twice"):
            weight = np.ones(n)
            weight[first] = 2.0
            self.same(self.fit(slice(None), weight), self.fit(np.repeat(np.arange(n), weight.astype(int))))
        with law("weight 0 = the row absent"):
            weight = np.ones(n)
            weight[second] = 0.0
            self.same(self.fit(slice(None), weight), self.fit(np.flatnonzero(weight)))

    # -- of each ability --------------------------------------------------------------------------------------------

    def of_merge(self) -> None:
        models = [self.fit(i) for i in self.parts]
        a, b, c = models
        with law("fit(all) = fit + fit"):
            self.same(a + b + c, self.everything)
        with law("fit(all) = sum(models)"):
            self.same(sum(models), self.everything)
        with law("+ leaves its sides unchanged"):
            self.same(a, self.fit(self.parts[0]), 0.0)
        with law("a + b = b + a"):
            self.same(a + b, b + a)
        with law("(a + b) + c = a + (b + c)"):
            self.same((a + b) + c, a + (b + c))

    def of_update(self) -> None:
        with law("fit(all) = partial_fit in pieces"):
            model = unfitted(self.learner, self.look)
            for i in self.parts:
                ensure(model.partial_fit(self.X[i], rows_of(self.y, i)) is model, "partial_fit does not return self")
            self.same(model, self.everything)
        with law("a piece without rows changes nothing"):
            self.same(model.partial_fit(self.X[:0], rows_of(self.y, slice(0))), self.everything)

    def of_forget(self) -> None:
        first, *others = self.parts
        expected = self.fit(np.sort(np.concatenate(others)))
        everything, some = self.fit(slice(None)), self.fit(first)
        with law("fit(all) - fit(some) = fit(the others)"):
            self.same(everything - some, expected)
        with law("forget(rows) = fit(the others)"):
            self.same(everything.forget(self.X[first], rows_of(self.y, first)), expected)
        with law("forget of no rows changes nothing"):
            self.same(everything.forget(self.X[:0], rows_of(self.y, slice(0))), expected)
        with law("more than there is cannot be forgotten"):
            assert_refused(operator.sub, some, self.fit(slice(None)))
            assert_refused(some.forget, self.X, self.y)
            self.same(some, self.fit(first), 0.0)

    def of_decay(self) -> None:
        with law("decay(1) = same"):
            self.same(self.fit(slice(None)).decay(1.0), self.everything, 0.0)
        with law("decay(0.5) = a fit with half the weights"):
            half = self.fit(slice(None), np.full(len(self.X), 0.5))
            self.same(self.fit(slice(None)).decay(0.5), half)
        for factor in (0.0, 1.5, np.nan):
            with law(f"decay({factor}) is refused"):
                assert_refused(self.fit(slice(None)).decay, factor)

    def of_restrict(self) -> None:
        d = self.X.shape[1]
        for columns in [[j] for j in range(min(d, 2))] + ([list(range(d))[:0:-1]] if d > 1 else []):
            with law(f"restrict({columns}) = a fit on those columns"):
                check_restricted(self.everything, self.learner, self.X, self.y, columns, self.tolerance)

    def of_refusals(self) -> None:
        for name in self.learner.get_params(deep=False) if "merge" in self.able else ():
            other = copy.deepcopy(self.everything).set_params(**{name: "another value"})
            with law(f"models that differ in {name} are not added"):
                assert_refused(operator.add, self.everything, other, names=name)
            if "forget" in self.able:
                with law(f"models that differ in {name} are not subtracted"):
                    assert_refused(operator.sub, self.everything, other, names=name)

    def of_changes(self) -> None:
        behind_basis = "basis_" in vars(self.everything)  # the sums are those of its terms
        if hasattr(self.learner, "solve"):
            with law("solve(statistic_) = the model"):
                if behind_basis:
                    assert_refused(clone(self.learner).solve, self.everything.statistic_)
                else:
                    self.same(clone(self.learner).solve(self.everything.statistic_), self.everything)
        with law("a pickled model predicts the same and learns on"):
            first, *others = self.parts
            part = pickle.loads(pickle.dumps(self.fit(first)))
            self.same(part, self.fit(first), 0.0)
            if "update" in self.able:
                for i in others:
                    part.partial_fit(self.X[i], rows_of(self.y, i))
                self.same(part, self.everything)

    def of_parameters(self) -> None:
        if not hasattr(self.learner, "solve"):
            return
        with law("set_params after the fit = a fit with those parameters"):
            plain = unfitted(type(self.learner)(), self.look)
            try:
                plain.fit(self.X, self.y)
                plain.set_params(**self.learner.get_params(deep=False))
                outputs(plain, self.X)
            except ValueError:  # a parameter that chooses another statistic asks for a new fit
                return
            self.same(plain, self.everything)


def is_refused(operation: Any, model: Any) -> bool:
    """Whether an operator is not defined for models of this kind; that it refuses these two is another matter."""
    try:
        operation(model, model)
    except TypeError:
        return True
    except ValueError:
        return False
    return False


def check_restricted(
    everything: Any, learner: Any, X: np.ndarray, y: np.ndarray | None, columns: list[int], tolerance: float
) -> None:
    """The restricted model is that of a fit on those columns, or both are refused."""
    part = X[:, columns]
    try:
        expected = fitted(learner, part, y)
    except ValueError:
        assert_refused(lambda: outputs(everything.restrict(columns), part))
        return
    assert_same_model(everything.restrict(columns), expected, part, tolerance)


def fitted(learner: Any, X: Any, y: Any, weight: Any = None, look: Any = None) -> Any:
    model = unfitted(learner, look)
    return model.fit(X, y) if weight is None else model.fit(X, y, sample_weight=weight)


def unfitted(learner: Any, look: Any) -> Any:
    return clone(learner) if look is None else clone(learner).with_look(look)


def rows_of(y: np.ndarray | None, index: Any) -> np.ndarray | None:
    return None if y is None else y[index]


def thirds(X: np.ndarray, y: np.ndarray | None) -> list[np.ndarray]:
    """Three parts of the rows with about equal shares of every class, or of small and large targets."""
    order = np.arange(len(X)) if y is None else np.argsort(y.reshape(len(y), -1)[:, 0], kind="stable")
    return [np.sort(order[k::3]) for k in range(3)]
