"""Categorical naive Bayes."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sparse

from ...compiled.class_totals import BROKEN, add_levels
from ...data import Chunk
from ...engines import in_threads
from ...statistics import LevelCounts, RowError
from ...statistics.row_checks import floats, raise_if_not_finite
from ...statistics.warnings import UnseenLevelsWarning, warn
from ..description import Description
from ..fitted import Fitted
from ..one_pass import OnePass
from .parts.discrete import BLOCK, VARIANTS, DiscreteClassifier, logarithm

MOST = 2**20  # categories of a column, each of which has a place in its table


class CategoricalNB(DiscreteClassifier, OnePass):
    """Classes with independent categories, which are numbered 0, 1, 2, ...

        ln p(k | x) = ln p(k) + sum_j ln t_jk(x_j) + const,   t_jk(c) = (N_jkc + alpha) / (N_k + alpha n_j)

    N_jkc is the weight of category c of column j in class k, and n_j the number of categories. For words, gaps and
    columns of several kinds there is NaiveBayes. A category beyond those of the fit says nothing, with a warning.

    Statistic: LevelCounts. One pass. Can merge, forget, decay, restrict. Cost: summarise O(n d), solve O(K categories).

    Parameters
    ----------
    alpha : float, default=1.0
        Rows that are added with each category.
    force_alpha : bool, default=True
        False raises an alpha below 1e-10 to that.
    fit_prior : bool, default=True
        Priors are the shares of the weights, else uniform.
    class_prior : array of shape (classes,), default=None
        Prior probabilities by the place of the classes.
    min_categories : int or array of shape (features,), default=None
        Least number of categories of the columns; None takes one more than the largest that was met.

    Attributes
    ----------
    classes_, class_count_, class_log_prior_ : labels, their weights, logarithms of their priors.
    category_count_ : for each column the weights, (classes, categories).
    feature_log_prob_ : for each column ln t, (classes, categories).
    n_categories_ : number of categories of each column.

    Examples
    --------
    >>> from sumlearn import CategoricalNB
    >>> sky_and_wind = [[0, 1], [0, 0], [1, 1], [2, 1]]
    >>> model = CategoricalNB().fit(sky_and_wind, ["out", "out", "in", "in"])
    >>> model.predict_proba([[0, 0]]).round(3).tolist()
    [[0.143, 0.857]]

    References
    ----------
    Lecture note 000; Mitchell, "Machine learning", 1997, sec. 6.9.
    """

    description = Description(variants=VARIANTS)
    statistic_type = LevelCounts
    chunk_factor = 8
    own_alphas = False

    category_count_ = Fitted("Weights of the categories of each column, (classes, categories).")
    n_categories_ = Fitted("Number of categories of each column.")

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        min_categories: Any = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.min_categories = min_categories

    def check_own(self) -> None:
        least = np.asarray(0 if self.min_categories is None else self.min_categories)
        if least.dtype.kind not in "iu":
            raise ValueError(f"min_categories: 'min_categories' should have integral type, got {self.min_categories!r}")

    def summarise(self, chunk: Chunk, look: Any = None) -> LevelCounts:
        counts = LevelCounts.of(chunk.X, chunk.y, chunk.weight)
        strange = np.flatnonzero((counts.values < 0) | (counts.values != np.floor(counts.values)))
        if len(strange):
            self.refuse(chunk.X, True if chunk.weight is None else chunk.weight != 0)
        return counts

    def refuse(self, X: Any, there: Any = True) -> None:
        """Say where the first number is that is no category."""
        X = np.asarray(X.toarray() if sparse.issparse(X) else X)
        raise_if_not_finite(X)
        bad = ((X < 0) | (np.floor(X) != X)) & np.reshape(there, (-1, 1))
        for i, j in np.argwhere(bad)[:1]:
            with self.words_of_errors():
                raise NotACategory("X", int(i), int(j), float(X[i, j]))

    def solution(self, statistic: LevelCounts) -> dict[str, Any]:
        self.check()
        labels, alpha = self.labels_of(statistic), float(self.smoothing(statistic.features))
        place = [labels.tolist().index(label) for label in statistic.labels]
        weights = np.zeros(len(labels))
        weights[place] = statistic.classes
        sizes, tables = self.sizes_of(statistic), []
        for (a, b), size in zip(zip(statistic.starts[:-1], statistic.starts[1:], strict=True), sizes, strict=True):
            table = np.zeros((len(labels), size))
            table[np.ix_(place, statistic.values[a:b].astype(np.intp))] = statistic.table[a:b].T
            tables.append(table)
        smoothed = [table + alpha for table in tables]
        wholes = [table.sum(axis=1, keepdims=True) for table in smoothed]
        return {
            "classes_": labels,
            "class_count_": weights,
            "class_log_prior_": self.log_prior(weights),
            "category_count_": tables,
            "n_categories_": sizes,
            "feature_log_prob_": [
                logarithm(table / np.where(whole > 0, whole, 1.0))
                for table, whole in zip(smoothed, wholes, strict=True)
            ],
        }

    def sizes_of(self, statistic: LevelCounts) -> np.ndarray:
        """The number of categories of each column."""
        largest = np.array([values[-1] for values in statistic.levels])
        for j in np.flatnonzero(largest >= MOST)[:1]:
            raise ValueError(f"column {j} has a category {largest[j]:g}: number its categories from 0 on")
        sizes = largest.astype(np.int64) + 1
        if self.min_categories is None:
            return sizes
        least = np.asarray(self.min_categories)
        if least.ndim and least.shape != sizes.shape:
            raise ValueError(
                f"min_categories: 'min_categories' should have shape ({len(sizes)},) when an array-like is provided, "
                f"got {least.shape}"
            )
        return np.maximum(sizes, least).astype(np.int64)

    def joint(self, X: Any) -> np.ndarray:
        X = floats(X.toarray() if sparse.issparse(X) else X)
        tables = self.feature_log_prob_
        starts = np.cumsum([0, *(table.shape[1] for table in tables)])
        joint = np.tile(self.class_log_prior_, (len(X), 1))
        logs = np.vstack([table.T for table in tables])

        def block(start: int) -> int:
            rows = slice(start, start + BLOCK)
            return int(add_levels(X[rows], logs, starts, joint[rows]))

        beyond = in_threads(block, range(0, len(X), BLOCK))
        if BROKEN in beyond:
            self.refuse_row(X)
        if max(beyond, default=-1) >= 0:
            warn(f"column {max(beyond)} has categories beyond those of the fit: they say nothing", UnseenLevelsWarning)
        return joint

    def refuse_row(self, X: np.ndarray) -> None:
        try:
            self.refuse(X)
        except RowError as error:
            raise ValueError(error.describe(error.row, error.column)) from None

    def parameters_on(self, columns: np.ndarray, features: int) -> dict[str, Any] | None:
        least = np.asarray(self.min_categories)
        return {"min_categories": least[columns]} if least.ndim else None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = tags.input_tags.categorical = True
        return tags


class NotACategory(RowError):
    """A number with a fraction, where categories are numbered."""

    text = "X holds {value} in row {{row}}, column {{column!r}}: categories are whole numbers from 0 on"

    def __init__(self, name: str, row: int, column: int | None, value: float) -> None:
        self.text = self.text.format(value=value)
        super().__init__(name, row, column, value)
