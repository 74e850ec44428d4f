"""What perceptron, adaline and sigmoid neuron share: labels, starts, one class against the rest, scores."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import scipy.sparse as sparse
from sklearn.base import ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state, compute_class_weight

from ....compiled import patterns
from ....data import Chunk
from ....data.chosen_files import files_of
from ....engines import cores
from ....engines.summing import NO_WEIGHT
from ....statistics.warnings import warn
from ...batches import Epoch
from ...callbacks import with_callbacks
from ...fitted import narrowed
from ...linear_map import affine
from ...ordered_rows import OrderedRows, moved
from ...turns import in_turn
from .epochs import Epochs, largest_square
from .labels import fixed_classes, label_counts
from .one_against_rest import NOTHING, HeldBack, OneAgainstRest, Patterns, Rule

MOST = np.iinfo(np.int32).max
SMALL = 1e-3  # what an epoch has to gain, where learning does not come to rest by itself


class Lesson(NamedTuple):
    """What is being learnt: a problem for each class, and the epochs they go through; None of one class only."""

    problems: list[OneAgainstRest]
    epochs: Epochs | None
    rows: OrderedRows


class Neuron(ClassifierMixin):
    """f(x) = w'x + b, learnt pattern by pattern; several classes are learnt one against the rest. For `Sequential`.

    >>> from sumlearn import Perceptron
    >>> neuron = Perceptron().fit([[0.0], [1.0], [3.0], [4.0]], ["a", "a", "b", "b"])
    >>> isinstance(neuron, Neuron), neuron.predict([[0.5], [3.5]]).tolist()
    (True, ['a', 'b'])
    """

    target: ClassVar[str | None] = "label"
    private: ClassVar[tuple[str, ...]] = ("_bias", "_offset", "_exponent", "_begin_from")
    rows_in_order = OrderedRows
    keeps_state = False
    far: ClassVar[float] = 0.0  # columns whose mean is so many deviations from zero are learnt about their mean

    coef_: Any
    classes_: np.ndarray
    _bias: np.ndarray
    _offset: np.ndarray
    _exponent: np.ndarray
    _begin_from: tuple[Any, Any]

    fit_intercept: bool
    max_iter: int
    tol: Any
    shuffle: bool
    verbose: int
    random_state: Any
    n_iter_no_change: int
    class_weight: Any
    warm_start: bool
    n_jobs: int | None
    eta: Any = "auto"
    early_stopping: bool = False
    validation_fraction: float = 0.1
    # of the learner
    _validate_params: Any
    without_fit: Any
    open: Any
    commit: Any
    rows_of: Any
    epoch: Any
    take: Any
    previous: Any

    # -- what a neuron writes ---------------------------------------------------------------------------------------

    @abstractmethod
    def rule(self, rows: Patterns) -> Rule:
        """How to learn; the first rows are there to choose a step by. May set fitted attributes."""

    @abstractmethod
    def settled(self, problems: list[OneAgainstRest]) -> bool:
        """Whether learning has come to its end."""

    def check(self) -> None:
        self._validate_params()

    # -- learning ---------------------------------------------------------------------------------------------------

    @with_callbacks
    def fit(
        self,
        X: Any,
        y: Any,
        coef_init: Any = None,
        intercept_init: Any = None,
        sample_weight: Any = None,
        *,
        columns: Sequence[str] | None = None,
        drop: Sequence[str] = (),
    ) -> Self:
        """Learn in up to `max_iter` epochs, from zero or from given weights.

        X is an array, a sparse matrix, a table, a Dask collection or a path (then y names a column). Files and Dask
        collections are read once to find the labels and once for every epoch, in the order of their chunks; rows are
        shuffled within a chunk.
        """
        work = self.without_fit()
        source = work.open(files_of(X, columns, drop), y, sample_weight, reset=True)
        work._begin_from = coef_init, intercept_init
        return self.commit(work.fitted_on(source, watch=self))

    @in_turn
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """One epoch over some rows; the labels of all rows to come are given at the first call."""
        self.check()
        if self.early_stopping:
            raise ValueError("early_stopping should be False with partial_fit")
        if isinstance(self.class_weight, str):
            raise ValueError("class_weight='balanced' is not supported for partial_fit: give a weight for each class")
        first = "coef_" not in vars(self)
        work = self.without_fit() if first else copy.copy(self)
        work.classes_ = fixed_classes(vars(self).get("classes_"), classes)
        source = work.open(X, y, sample_weight, reset=first, empty_ok=not first)
        rows = OrderedRows(source, work)
        if rows.kept == []:
            return self
        if not any(chunk.X.shape[0] for chunk, _ in rows):
            raise ValueError(NO_WEIGHT)
        work.remember(source)
        if first:
            work._start(None, None, *work._place(rows))
        lesson = work._lesson(rows, None, work._class_weights(NOTHING))
        work.take(work.epoch(rows, Epoch(lesson)), NOTHING)
        return self.commit(work)

    def start(self, batches: OrderedRows, look: Any) -> Lesson:
        """Labels, weights to begin with, and a problem for each class."""
        self.classes_, counts = label_counts(batches)
        coef_init, intercept_init = self.__dict__.pop("_begin_from", (None, None))
        before = self.previous
        if "coef_" in before and coef_init is None and intercept_init is None:
            self._start(dense(before["coef_"]), before["_bias"], before["_offset"], before["_exponent"])
        else:
            self._start(coef_init, intercept_init, *self._place(batches))
            self._bias = self._bias + self.coef_ @ self._offset
        return self._lesson(batches, self.max_iter, self._class_weights(counts))

    def learn(self, state: Lesson, batch: Patterns) -> Lesson:
        if state.epochs is not None:
            if state.epochs.over:
                state.epochs.begin(state.problems)
            state.epochs.show(batch)
        return state

    def turn(self, state: Lesson) -> Lesson:
        if state.epochs is not None:
            state.epochs.end(state.problems)
        return state

    def finished(self, state: Lesson) -> bool:
        return not any(problem.active for problem in state.problems)

    def attributes(self, state: Lesson) -> dict[str, Any]:
        problems, epochs, rows = state
        if epochs is None:  # the only class is predicted
            return {"loss_curve_": [], "mistakes_": [], "n_iter_": 0, "converged_": True}
        values = {
            "coef_": np.ldexp(np.array([p.coef for p in problems]), -self._exponent),
            "_bias": np.array([p.bias for p in problems]),
            "loss_curve_": epochs.losses,
            "mistakes_": epochs.mistakes,
            "n_iter_": len(epochs.losses),
            "t_": self.t_ + len(epochs.losses) * epochs.shown,
            "converged_": self.settled(problems),
        }
        asked = epochs.rule.rests or (self.tol is not None and epochs.most != 1)
        if asked and epochs.most == values["n_iter_"] and not values["converged_"]:
            left = sum(problem.wrong(batch) for batch in rows.epoch(0) for problem in problems)
            each = " (each class against the rest)" if len(problems) > 1 else ""
            warn(
                f"{epochs.most} epochs were not enough: {left} mistakes are left{each}. Increase max_iter; classes "
                "that no plane separates are never learnt without mistakes",
                ConvergenceWarning,
            )
        return values

    # -- using ------------------------------------------------------------------------------------------------------

    def decision_function(self, X: Any) -> np.ndarray:
        """w'x + b: one column for each class, or that of the second class where there are two."""
        X = self.rows_of(X, sparse_ok=True)
        coef = np.ldexp(dense(self.coef_), self._exponent).T
        scores = narrowed(affine(moved(X, self._offset, self._exponent), coef, self._bias), X.dtype)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> np.ndarray:
        """The class with the largest score."""
        scores = self.decision_function(X)
        if scores.ndim == 2:
            return self.classes_[scores.argmax(axis=1)]
        return self.classes_[np.where(scores > 0, len(self.classes_) - 1, 0)]

    @property
    def intercept_(self) -> np.ndarray:
        """b; the bias is kept at an offset of the columns, where it loses no digits."""
        if "coef_" not in vars(self):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'intercept_'")
        return self._bias - self.coef_ @ self._offset

    def sparsify(self) -> Self:
        """Keep the coefficients as a sparse matrix."""
        self.coef_ = sparse.csr_matrix(self.coef_)
        return self

    def densify(self) -> Self:
        """Keep the coefficients as an array."""
        self.coef_ = dense(self.coef_)
        return self

    # -- for the rules ------------------------------------------------------------------------------------------------

    def stable_step(self, eta: Any, rows: Patterns, curvature: float, share: float) -> tuple[int, float]:
        """The kind of step and its size; "auto" is share / (curvature max |(x, 1)|^2).

        A share of one would correct the longest pattern whole, and undo what the others taught (Widrow's misadjustment
        is eta tr R / 2).
        """
        if eta != "auto":
            return patterns.PLAIN, float(eta)
        known = vars(self).get("eta_")  # chosen by the first rows, kept when more come
        largest = largest_square(rows, self.fit_intercept)
        return patterns.CAPPED, known or share / (curvature * (largest or 1.0))

    # -- how ----------------------------------------------------------------------------------------------------------

    def _place(self, rows: OrderedRows) -> tuple[np.ndarray, np.ndarray]:
        """What is taken off the columns (the intercept makes good for it), and the exponents of their units.

        Nothing with a step that was given: then the rule is the one that is written down, on the rows as they are.
        """
        spread = next(iter(rows))[1]
        if self.eta != "auto":
            return np.zeros(len(spread.mean)), np.zeros(len(spread.mean), dtype=int)
        offset = spread.offset(self.far) if self.fit_intercept else np.zeros(len(spread.mean))
        return offset, spread.exponent

    def _start(self, coef: Any, bias: Any, offset: np.ndarray, exponent: np.ndarray) -> None:
        """Weights to begin with; None is zero."""
        K, d = 1 if len(self.classes_) <= 2 else len(self.classes_), len(offset)
        coef = np.zeros((K, d)) if coef is None else np.atleast_2d(np.array(coef, dtype=float))
        bias = np.zeros(K) if bias is None else np.atleast_1d(np.array(bias, dtype=float))
        for name, values, shape in (("coef_init", coef, (K, d)), ("intercept_init", bias, (K,))):
            if values.shape != shape:
                raise ValueError(f"{name} does not match the data: its shape is {values.shape}, not {shape}")
            if not np.isfinite(values).all():
                raise ValueError(f"{name} holds NaN or infinity")
        self.coef_, self._bias, self._offset, self._exponent, self.t_ = coef, bias, offset, exponent, 1.0

    def _class_weights(self, counts: np.ndarray) -> np.ndarray:
        """Factors of the steps for each class and for its rest; the rest weighs 1 unless it is one class itself."""
        classes = self.classes_
        if self.class_weight == "balanced":
            own = counts.sum() / (len(counts) * counts)
        else:
            own = compute_class_weight(self.class_weight, classes=classes, y=classes)
        return np.array([[own[1], own[0]]]) if len(classes) == 2 else np.column_stack([own, np.ones(len(own))])

    def _lesson(self, rows: OrderedRows, most: int | None, class_weights: np.ndarray) -> Lesson:
        if len(self.classes_) < 2:
            return Lesson([], None, rows)
        if self.eta != "auto" and (self._offset.any() or self._exponent.any()):  # the step was given since
            self._bias, self._offset, self._exponent = self.intercept_, 0.0 * self._offset, 0 * self._exponent
        first = next(rows.epoch(0))
        epochs = Epochs(
            self.rule(first),
            most,
            SMALL if self.tol == "auto" else self.tol,
            self.n_iter_no_change,
            self.shuffle,
            workers=cores() if self.n_jobs == -1 else self.n_jobs or 1,
            verbose=self.verbose,
            in_memory=rows.kept is not None,
        )
        if self.early_stopping:
            if rows.kept is None:
                raise ValueError("early_stopping holds rows back by number: load the table into memory first")
            epochs.held_back = HeldBack(first, self.validation_fraction, self.random_state)
        if epochs.rule.kind == patterns.CAPPED:  # the step is chosen for a weight of one
            class_weights = class_weights / class_weights.max(axis=1, keepdims=True)
        problems = self._problems(class_weights)
        epochs.begin(problems)
        return Lesson(problems, epochs, rows)

    def _problems(self, class_weights: np.ndarray) -> list[OneAgainstRest]:
        """Each class with a seed of its own, drawn as scikit-learn draws it."""
        generator = check_random_state(self.random_state)
        coef = np.ldexp(dense(self.coef_), self._exponent)
        K = len(coef)
        sources = [generator] if K == 1 else [np.random.RandomState(s) for s in generator.randint(MOST, size=K)]
        problems = []
        for k, source in enumerate(sources):
            source.randint(1, MOST)  # scikit-learn's data set takes the first number
            start = coef[k].copy(), float(self._bias[k]), class_weights[k]
            problems.append(OneAgainstRest(1 if K == 1 else k, *start, int(source.randint(MOST)), self.t_ - 1.0))
        return problems

    def patterns_of(self, chunk: Chunk) -> Patterns:
        """Rows with the offset taken off, and the numbers of their labels."""
        codes = np.searchsorted(self.classes_, chunk.y)  # type: ignore[arg-type]
        X = moved(chunk.X, self._offset, self._exponent)
        return Patterns(X, codes, NOTHING if chunk.weight is None else chunk.weight)


def dense(coef: Any) -> np.ndarray:
    return coef.toarray() if sparse.issparse(coef) else coef
