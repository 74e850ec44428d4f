"""Classification by the vote of the nearest rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sparse

from ..classifier import LabelMixin
from ..label_columns import most_probable, split_shares
from ..one_pass import OnePass
from ..sampling import drawn_labels
from .parts.nearest import NEIGHBOURS, Nearest
from .parts.rows_in_order import Labels, RowsInOrder


class KNeighborsClassifier(LabelMixin, Nearest, OnePass):  # type: ignore[override]
    """The label that most of the nearest rows have.

        p_c(q) = sum_{i in N(q)} w_i v(d_i) [y_i = c] / sum_{i in N(q)} w_i v(d_i),   v = 1 or 1 / d

    N(q) holds the nearest rows, until their weight is k. By default all that are as far away as the last of them vote
    too, so that the answer does not depend on the order of the rows. Distances are exact in double precision, whatever
    the offset: products in single precision choose who is measured, and a bound of their rounding loses nobody.

    Statistic: RowsInOrder, the rows and their weights: it grows with them. One pass. Can merge, forget, decay,
    restrict. Cost: summarise O(n d), solve O(n d + n log n) and for "loo" one search, predict O(n d) a query at worst
    and about O(d log n) in few columns.

    Parameters
    ----------
    n_neighbors : int or "loo", default=5
        k, counted in weight: a row of weight two is two rows. "loo": the k up to `max_neighbors` whose leave-one-out
        score is best, the largest of equals; one search serves all of them. Of more than 20,000 rows so many are left
        out in turn.
    weights : {"uniform", "distance"}, function or None, default="uniform"
        v. "distance": 1 / d; where rows are at no distance, they alone vote. A function is given an array of distances,
        a row for each query, and returns their weights.
    algorithm, leaf_size : default="auto", 30
        Accepted as scikit-learn has them; the answers are the same, and how they are found follows from the rows.
    p : float, default=2
        Power of the Minkowski metric.
    metric : str or function, default="minkowski"
        Any of scikit-learn's, as far as it knows it of dense rows, also "precomputed"; "mahalanobis" and "seuclidean"
        take the covariance and the variances of the rows where `metric_params` gives none. "hamming" is the share of
        columns that differ, and "mixed" is for tables: half the squared difference in deviations for numbers, plus one
        for each category that differs, under the root. Both take words and gaps: a gap among categories is a level of
        its own, a missing number stands at the mean of its column, half a unit of squared distance from those that are
        there. Levels that were not met at the fit count as gaps.
    metric_params : dict or None, default=None
        "w" for "minkowski", "V" or "VI" for "mahalanobis", "V" for "seuclidean", or arguments of the metric.
    n_jobs : int or None, default=None
        Threads; None and -1 are all processors.
    ties : {"all", "first"}, default="all"
        Whether all rows vote that are as far away as the k-th (up to 1e-12 of the distance), or the first of them until
        k is reached: those learnt earlier. Only then the order of the rows matters, also that of models that are added.
    max_neighbors : int, default=50
        The largest k that "loo" tries.

    Attributes
    ----------
    classes_ : array, or list of arrays
        Labels, sorted; of several targets those of each.
    n_neighbors_ : int
        k in use.
    loo_scores_ : array
        Share of the rows that the others classify rightly with 1, 2, ... neighbours (to k, or `max_neighbors` with
        "loo"). Where t classes have most votes, a row of one of them counts 1 / t, so that no class is preferred.
        Computed when it is asked for, unless k was chosen by it.
    n_samples_fit_, effective_metric_, effective_metric_params_, outputs_2d_
        As scikit-learn has them.

    Examples
    --------
    >>> from sumlearn import KNeighborsClassifier
    >>> from sumlearn.data import load_example
    >>> iris = load_example("iris")
    >>> model = KNeighborsClassifier("loo").fit(iris.X, iris.y)
    >>> print(model.n_neighbors_, round(model.loo_scores_.max(), 3), model.predict([[6.0, 3.0, 4.9, 1.6]]))
    19 0.977 ['versicolor']

    References
    ----------
    Lecture notes 000 and 003; Cover & Hart, "Nearest neighbor pattern classification", 1967; Friedman, Bentley &
    Finkel, "An algorithm for finding best matches in logarithmic expected time", 1977.
    """

    description = NEIGHBOURS

    def values_of(self, statistic: RowsInOrder) -> Any:
        """A flag for each label of each target, of the labels that are known."""
        assert statistic.names is not None
        known = self.known_labels(statistic.names)
        columns, start = np.empty(statistic.y.shape, dtype=np.int64), 0
        for t, (own, names) in enumerate(zip(statistic.names, known, strict=True)):
            places = np.array([names.index(label) for label in own], dtype=np.int64)
            columns[:, t] = start + places[statistic.y[:, t].astype(np.int64)]
            start += len(names)
        n, targets = statistic.rows, statistic.targets
        return sparse.csr_matrix(
            (np.ones(n * targets), columns.ravel(), np.arange(0, n * targets + 1, targets)), (n, start)
        )

    def known_labels(self, names: Labels) -> list[list[Any]]:
        """The labels of every target: those that occur, or those that were fixed beforehand."""
        fixed = vars(self).get("_classes")
        return [list(own) for own in names] if fixed is None else [fixed.tolist()]

    def described(self, statistic: RowsInOrder) -> dict[str, Any]:
        assert statistic.names is not None
        labels = [np.array(own) for own in self.known_labels(statistic.names)]
        single = len(labels) == 1
        return {"classes_": labels[0] if single else labels, "outputs_2d_": not single}

    def score_left_out(self, mean: np.ndarray, found: dict[str, Any], rows: RowsInOrder, asked: np.ndarray) -> float:
        weight, right = rows.mass[asked], 0.0
        truth, start = found["values"][asked].toarray() > 0, 0
        names = self.known_labels(rows.names or ())
        for own in names:
            votes, flags = mean[:, start : start + len(own)], truth[:, start : start + len(own)]
            winners = votes >= votes.max(axis=1, keepdims=True) * (1.0 - 1e-12)
            right += float(weight @ ((winners & flags).any(axis=1) / winners.sum(axis=1)))
            start += len(own)
        return right / (float(weight.sum()) * len(names))

    def predict(self, X: Any = None) -> np.ndarray:
        """The label of most votes for every row, the first in their order of equals.

        Without X, for every row learnt, by the others.
        """
        return self.decided(self.votes(X), None)

    def predict_proba(self, X: Any = None) -> Any:
        """Shares of the votes, a column for each of `classes_`; of several targets a list of such arrays."""
        return split_shares(self.votes(X).astype(self.float_dtype), self.classes_)

    def decided(self, votes: np.ndarray, names: Labels | None) -> np.ndarray:
        classes: Any = self.classes_ if names is None else [np.array(own) for own in names]
        classes = classes[0] if isinstance(classes, list) and len(classes) == 1 else classes
        return most_probable(split_shares(votes, classes), classes)

    def sample(self, X: Any, random_state: Any = None, *, n: int | None = None) -> np.ndarray:
        """Draw a label for every row from the shares of the votes; with `n`, so many times, along the first axis."""
        return drawn_labels(self.predict_proba(X), self.classes_, random_state, n)
