"""What the naive Bayes models on counts share: smoothing, priors, and products with logarithms that may be -inf."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import contextmanager
from typing import Any

import numpy as np
import scipy.sparse as sparse

from ....compiled.sparse_products import rows_times
from ....engines import in_threads
from ....statistics import ClassTotals, RowError
from ....statistics.warnings import warn
from ...classifier import LabelMixin
from ...fitted import Fitted
from ...posterior import PosteriorMixin

LEAST_ALPHA = 1e-10
BLOCK = 2**12  # rows that one thread takes at a time
VARIANTS: dict[str, tuple[Any, ...]] = {"alpha": (0.3, 1.0, 20.0), "class_prior": (None, [0.2, 0.3, 0.5])}


class DiscreteClassifier(PosteriorMixin, LabelMixin):
    """p(k | x) ~ p(k) prod_j p(x_j | k), with probabilities that are smoothed shares of counts."""

    alpha: Any
    force_alpha: bool
    fit_prior: bool
    class_prior: Any
    own_alphas = True  # whether alpha may have a number for each column
    rows_of: Any  # of the learner
    check_ready: Any

    class_count_ = Fitted("Weight of each class.")
    class_log_prior_ = Fitted("Logarithms of the prior probabilities.")
    feature_log_prob_ = Fitted("ln p(x_j | k).")

    @abstractmethod
    def joint(self, X: Any) -> np.ndarray:
        """ln p(k) + ln p(x | k) of checked rows; one column per class."""

    def joint_rows(self, X: Any) -> np.ndarray:
        joint = self.joint(self.rows_of(X, sparse_ok=True))
        if not np.isfinite(joint.sum()):
            none = np.isneginf(joint).all(axis=1)  # zero everywhere, without smoothing
            joint[none] = self.class_log_prior_
        return joint

    def predict_joint_log_proba(self, X: Any) -> np.ndarray:
        """ln p(x, k), one column per class."""
        return self.joint_rows(X)

    def check(self) -> None:
        alpha = np.asarray(self.alpha)
        if alpha.dtype.kind not in "fiu" or alpha.ndim > (1 if self.own_alphas else 0):
            raise ValueError(f"alpha must be a number{' or one for each column' * self.own_alphas}, got {self.alpha!r}")
        if alpha.ndim and (alpha < 0).any():
            raise ValueError("alpha: All values in alpha must be greater than 0.")
        if not ((alpha >= 0) & (alpha < np.inf)).all():
            raise ValueError(f"alpha must be finite and not negative, got {self.alpha!r}")
        for name in ("force_alpha", "fit_prior"):
            if not isinstance(getattr(self, name), bool | np.bool_):
                raise ValueError(f"{name} must be True or False, got {getattr(self, name)!r}")
        self.check_own()
        if not self.force_alpha and alpha.min(initial=np.inf) < LEAST_ALPHA:
            warn(
                f"alpha too small will result in numeric errors, setting alpha = {LEAST_ALPHA:.1e}. Use "
                "`force_alpha=True` to keep alpha unchanged.",
                UserWarning,
            )

    def check_own(self) -> None:
        """Refuse what a class has of its own."""

    def smoothing(self, features: int) -> np.ndarray:
        """What is added to the counts; without `force_alpha` at least 1e-10."""
        alpha = np.asarray(self.alpha, dtype=float)
        if alpha.ndim and alpha.shape != (features,):
            raise ValueError(
                f"alpha: When alpha is an array, it should contains `n_features` numbers, {features}; got {len(alpha)}"
            )
        return alpha if self.force_alpha else np.maximum(alpha, LEAST_ALPHA)

    def log_prior(self, weights: np.ndarray) -> np.ndarray:
        """ln p(k) of the classes of these weights."""
        if self.class_prior is not None:
            prior = np.asarray(self.class_prior, dtype=float)
            if prior.shape != weights.shape:
                raise ValueError(
                    f"class_prior: Number of priors must match number of classes: {prior.shape} and {len(weights)}"
                )
            if not ((prior >= 0) & (prior < np.inf)).all() or not prior.any():
                raise ValueError(f"class_prior must hold shares that are not negative, got {self.class_prior!r}")
            return logarithm(prior)
        if not self.fit_prior:
            return np.full(len(weights), -np.log(len(weights)))
        return logarithm(weights) - np.log(weights.sum())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # of clouds of points, which are no counts
        return tags

    @contextmanager
    def words_of_errors(self) -> Any:
        """Errors of rows in scikit-learn's words."""
        try:
            yield
        except RowError as error:
            if not (error.name == "X" and error.value < 0 and np.isfinite(error.value)):
                raise
            raise NegativeError(type(self).__name__, error) from None


class TotalsClassifier(DiscreteClassifier):
    """Those on the sums of columns within classes."""

    statistic_type = ClassTotals
    chunk_factor = 8
    labels_of: Any
    solved: Any

    feature_count_ = Fitted("Sum of every column in each class, (classes, features).")

    def parameters_on(self, columns: np.ndarray, features: int) -> dict[str, Any] | None:
        alpha = np.asarray(self.alpha)
        return {"alpha": alpha[columns]} if alpha.ndim else None

    def scores_of(self, X: Any, name: str) -> np.ndarray:
        """X times the logarithms of that name; sparse rows want them by column, which are kept for the next rows."""
        solution, kept = self.solved(), f"{name}, by column"
        if not sparse.issparse(X):
            return product(X, solution[name])
        if kept not in solution:
            finite = np.isfinite(solution[name].sum())
            solution[kept] = np.ascontiguousarray(solution[name].T) if finite else None
        return product(X, solution[name]) if solution[kept] is None else sparse_product(X, solution[kept])

    def counts_of(self, statistic: ClassTotals) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Labels, their weights and sums; zero for labels that are fixed and have not come yet."""
        labels = self.labels_of(statistic)
        place = [labels.tolist().index(label) for label in statistic.labels]
        weights, sums = np.zeros(len(labels)), np.zeros((len(labels), statistic.features))
        weights[place], sums[place] = statistic.classes, statistic.sums
        return labels, weights, sums


class NegativeError(RowError):
    """A number below zero where there are counts."""

    def __init__(self, owner: str, error: RowError) -> None:
        self.text = f"Negative values in data passed to {owner} (input X): {error.value:g}, first at row {{row}}, "
        self.text += "column {column!r}."
        super().__init__("X", error.row, error.column, error.value)


def logarithm(values: np.ndarray) -> np.ndarray:
    """ln, -inf of zero."""
    with np.errstate(divide="ignore"):
        return np.log(values)


def product(X: Any, logs: np.ndarray) -> np.ndarray:
    """X logs', where zero times what is infinite is zero."""
    if np.isfinite(logs.sum()):
        return np.asarray(X @ logs.T)
    never = np.isinf(logs)
    found = np.asarray(X @ np.where(never, 0.0, logs).T)
    met = X != 0
    there = np.asarray((met.astype(float) if sparse.issparse(met) else met) @ never.T.astype(float)) > 0
    found[there] = logs[never][0]  # all of one sign
    return found


def sparse_product(X: Any, columns: np.ndarray) -> np.ndarray:
    """Sparse X times a few dense columns, blocks of rows side by side."""
    X = X.tocsr()
    data = X.data if X.dtype in (np.float32, np.float64) else X.data.astype(np.float64)

    def block(start: int) -> np.ndarray:
        return rows_times(X.indptr[start : start + BLOCK + 1], X.indices, data, columns)

    found = in_threads(block, range(0, max(X.shape[0], 1), BLOCK))
    return found[0] if len(found) == 1 else np.concatenate(found)
