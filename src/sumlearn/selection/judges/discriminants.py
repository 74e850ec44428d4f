"""Gaussian classifiers on subsets of the features, judged on rows left out."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from ...data import Source
from ...engines import in_threads, one_blas_thread
from ...evaluation.resampling.splits import Split
from ...learners.description import description_of, kind_of
from .decision_scores import areas, cost_table
from .fold_sums import fold_sums, moments_of_classes, numbered, units_of_rows, weight_of
from .held_out_rows import HeldOutRows
from .judge import Judge, JudgesFolds, JudgesNeighbours, Subset, one_by_one_less

CRITERIA = ("accuracy", "auc", "cost")
BLOCK = 2**24  # bytes of scores at a time, for each thread
TINY = 2.0**-40  # share of the scores within which a decision is a matter of rounding


class DiscriminantJudge(JudgesNeighbours, JudgesFolds, Judge):
    """J(S) of a Gaussian classifier on the columns S, from sums and the rows left out; larger is better.

        accuracy   mean over the splits of the share of rows decided rightly
        auc        mean over the splits of the area under the ROC curve (two classes)
        cost       minus the mean over the splits of the mean cost of the decisions

    Every model is the one that a fit on the training rows would give. Adding or dropping column j changes the score of
    class k by terms of one number for each row, w_j, which is linear in the row; so all neighbours of S cost O(n |S|)
    each, and no solving. "accuracy" is counted in single precision wherever the lead of a class exceeds the error bound
    of that; the other decisions are taken in double, and those that rounding could turn even then by the refitted
    model: counts are those of refitting.

    Statistic: that of the classifier for every group of rows that share their role in all splits; one pass, and the
    rows that are tested stay in memory (12 bytes a number; 4 beside an array of doubles, which is not copied; for
    linear discriminants the number of columns counts as the next multiple of 8, above 16 columns of 32).

    Examples
    --------
    >>> from sklearn.model_selection import StratifiedKFold
    >>> from sumlearn import LinearDiscriminantAnalysis
    >>> from sumlearn.data import load_example, open_source
    >>> iris = load_example("iris")
    >>> splits = list(StratifiedKFold(5).split(iris.X, iris.y))
    >>> judge = DiscriminantJudge.of(open_source(iris.X, iris.y), LinearDiscriminantAnalysis(), "accuracy", splits)
    >>> judge.with_each((2,), [0, 1, 3]).round(4).tolist()
    [0.96, 0.9467, 0.96]
    """

    def __init__(
        self, estimator: Any, criterion: str, rows: HeldOutRows, training: list[Any], costs: np.ndarray
    ) -> None:
        self.estimator, self.criterion, self.costs = estimator, criterion, costs
        self.rows, self.training, self.size = rows, training, rows.X.shape[1]
        self.weights = np.array([[weight_of(sums, label) for label in rows.labels.tolist()] for sums in training])
        self.present = self.weights > 0
        self.log_priors = np.full(self.weights.shape, -np.inf)
        for f, seen in enumerate(self.present):
            with np.errstate(divide="ignore"):
                self.log_priors[f, seen] = np.log(estimator.priors_of(self.weights[f, seen], rows.labels[seen]))
        self.present &= np.isfinite(self.log_priors)
        self.at: tuple[Subset, np.ndarray] | None = None

    @classmethod
    def of(
        cls, source: Source, estimator: Any, criterion: str, splits: Sequence[Split], costs: Any = None
    ) -> DiscriminantJudge | None:
        """A judge, or None where the estimator has an option whose effect is no function of a subset's sums.

        Parameters
        ----------
        source : Source
            Rows with labels, as `training_source` opens them: arrays, tables, files or Dask collections.
        estimator : LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis or GaussianNB
            Ours or scikit-learn's. Shrinkage, `n_components` and ``var_smoothing=0`` give None.
        criterion : {"accuracy", "auc", "cost"}
        splits : list of (train, test)
            Row numbers.
        costs : array of shape (classes, classes) or pair, default=None
            Of deciding for the class of the column where that of the row is true; a pair is, for two classes, the cost
            of a false acceptance (the first class taken for the second) and of a false rejection. None: one an error.
        """
        if criterion not in CRITERIA:
            raise ValueError(f"criterion must be one of {', '.join(CRITERIA)}, got {criterion!r}")
        model = ours(estimator)
        kind = judges().get(str(description_of(model).judge))
        if kind is None or not kind.honours(model):
            return None
        source = numbered(source)
        labels = np.unique(source.y)  # type: ignore[arg-type]
        if len(labels) < 2:
            raise ValueError(f"y holds {len(labels)} class: there is nothing to tell apart")
        if criterion == "auc" and len(labels) != 2:
            raise ValueError(f"criterion 'auc' needs two classes, y holds {len(labels)}")
        folds = fold_sums(model.summariser(), source, splits, model.chunk_factor)
        overall = moments_of_classes(folds[0][0])
        rows = HeldOutRows(source, splits, overall.mean, units_of_rows(overall))
        judge = kind(model, criterion, rows, [train for train, _ in folds], cost_table(costs, len(labels)))
        if criterion == "auc":
            judge.check_two_classes()
        return judge

    @staticmethod
    @abstractmethod
    def honours(estimator: Any) -> bool:
        """Whether all options act on a subset as they act on the sums of all columns."""

    @abstractmethod
    def base_scores(self, subset: Subset) -> np.ndarray | None:
        """Scores of all rows left out, (positions, classes), up to a term they share; None if S is dependent."""

    @abstractmethod
    def ready(self, subset: Subset) -> bool:
        """Turn to a subset, before its neighbours are asked for; False if it cannot be judged."""

    @abstractmethod
    def can_move(self, columns: np.ndarray) -> np.ndarray:
        """Which of the columns may enter or leave the subset of the last `ready`."""

    @abstractmethod
    def neighbour_folds(self, subset: Subset, columns: np.ndarray) -> np.ndarray:
        """Scores (splits, columns) after any one of the columns entered or left. Mostly `folds_beside`."""

    @abstractmethod
    def count(self, subset: Subset, columns: np.ndarray) -> np.ndarray:
        """Weight of the rows decided rightly, (splits, columns), after any one of the columns entered or left."""

    @abstractmethod
    def scores(self, f: int, subset: Subset, columns: np.ndarray) -> np.ndarray:
        """Scores of the rows of split f after any one of the columns entered or left, (rows, classes, columns)."""

    # -- the face of a judge ------------------------------------------------------------------------------------------

    def score(self, subset: Subset) -> float:
        values = self.fold_scores(subset)
        return -np.inf if values is None else float(values.mean())

    def fold_scores(self, subset: Subset) -> np.ndarray | None:
        """The scores of the splits; None where the subset cannot be judged."""
        base = self.base(subset)
        if base is None:
            return None
        if self.criterion == "accuracy":
            return self._right(subset, base) / self.rows.total
        return np.array([self._judged(f, base[self.rows.of_split(f), :, None])[0] for f in range(len(self.training))])

    def after_entering(self, subset: Subset, candidates: Sequence[int]) -> np.ndarray:
        return self._neighbours(subset, candidates)

    def after_leaving(self, subset: Subset, candidates: Sequence[int]) -> np.ndarray:
        if not self.ready(subset):  # what is left may be independent
            return one_by_one_less(self, subset, candidates)
        return self._neighbours(subset, candidates)

    # -- how ----------------------------------------------------------------------------------------------------------

    def scored(self, subset: Subset) -> np.ndarray:
        """`base` of a subset that was found `ready`."""
        base = self.base(subset)
        assert base is not None
        return base

    def base(self, subset: Subset) -> np.ndarray | None:
        """`base_scores`, kept for the next question."""
        if self.at is None or self.at[0] != tuple(subset):
            self.at = None
            base = self.base_scores(subset)
            self.at = None if base is None else (tuple(subset), base)
        return None if self.at is None else self.at[1]

    def _neighbours(self, subset: Subset, candidates: Sequence[int]) -> np.ndarray:
        columns = np.asarray(candidates, dtype=np.int64)
        means = np.full(len(columns), -np.inf)
        if not len(columns) or not self.ready(subset):
            return means
        can = self.can_move(columns)
        if can.any():
            means[can] = self.neighbour_folds(subset, columns[can]).mean(axis=0)
        return means

    def folds_beside(self, subset: Subset, columns: np.ndarray) -> np.ndarray:
        """The scores from what each column adds to those of the subset."""
        if self.criterion == "accuracy":
            return self.count(subset, columns) / self.rows.total[:, None]
        self.base(subset)
        with one_blas_thread():
            return np.array(in_threads(lambda f: self._fold(f, subset, columns), range(len(self.training))))

    def _fold(self, f: int, subset: Subset, columns: np.ndarray) -> np.ndarray:
        """The criterion in split f after any one of the columns entered or left, some of them at a time."""
        rows = self.rows.of_split(f)
        width = max(1, BLOCK // (8 * len(self.rows.labels) * max(rows.stop - rows.start, 1)))
        parts = [columns[first : first + width] for first in range(0, len(columns), width)]
        return np.concatenate([self._judged(f, self.scores(f, subset, part)) for part in parts])

    def _right(self, subset: Subset, base: np.ndarray) -> np.ndarray:
        """Weight of the rows that the subset itself decides rightly, for every split."""
        rows = np.arange(len(base))
        others = base.copy()
        others[rows, self.rows.codes] = -np.inf
        own, best = base[rows, self.rows.codes], others.max(axis=1)
        with np.errstate(invalid="ignore"):
            lead = np.where(own > -np.inf, own - best, -np.inf)
        size = np.where(np.isfinite(base), np.abs(base), 0.0).max(axis=1)
        sure = np.abs(lead) > TINY * size
        right = np.add.reduceat(np.where(sure & (lead > 0), self.rows.weights, 0.0), self.rows.offsets[:-1])
        unsure = np.flatnonzero(~sure)
        split = self._split_of(unsure)
        for f in np.unique(split):
            right[f] += self._refitted(int(f), subset, unsure[split == f])
        return right

    def settled(self, subset: Subset, columns: np.ndarray, correct: np.ndarray, doubt: np.ndarray) -> np.ndarray:
        """Counts with the decisions in doubt, (position, column) each, taken by the refitted models."""
        split = self._split_of(doubt[:, 0])
        for f, j in {(int(f), int(j)) for f, j in zip(split, doubt[:, 1], strict=True)}:
            chosen = tuple(sorted({*subset} ^ {int(columns[j])}))
            positions = doubt[(split == f) & (doubt[:, 1] == j), 0]
            correct[f, j] += self._refitted(f, chosen, positions)
        return correct

    def _refitted(self, f: int, subset: Subset, positions: np.ndarray) -> float:
        """Weight of some rows of a split that the model fitted on the subset decides rightly."""
        columns, labels = np.array(subset, dtype=np.intp), self.rows.labels
        if len(columns):
            model = clone(self.estimator).solve(self.training[f].restrict(columns))
            decided = model.predict(self.rows.X[np.ix_(self.rows.order[positions], columns)])
        else:
            decided = labels[self.log_priors[f].argmax()]
        return float(self.rows.weights[positions][decided == labels[self.rows.codes[positions]]].sum())

    def _split_of(self, positions: np.ndarray) -> np.ndarray:
        return np.searchsorted(self.rows.offsets, positions, side="right") - 1

    def counted(self, kernel: Any, shape: tuple[int, int], *terms: Any) -> tuple[np.ndarray, np.ndarray]:
        """Run a counting kernel over all rows in threads: counts, and decisions in doubt."""
        terms = tuple(map(np.ascontiguousarray, terms))  # another layout would be compiled anew
        room = 1024
        while True:

            def some(start: int, stop: int, room: int = room) -> tuple[np.ndarray, np.ndarray, int]:
                correct, doubt = np.zeros(shape), np.zeros((room, 2), np.int64)
                doubtful = kernel(start, stop, *terms, correct, doubt)
                return correct, doubt[:doubtful], doubtful

            parts = self.rows.in_threads(some)
            most = max(doubtful for _, _, doubtful in parts)
            if most <= room:
                return sum(correct for correct, _, _ in parts), np.concatenate([doubt for _, doubt, _ in parts])
            room = most

    def base_from(self, kernel: Any, *terms: Any) -> np.ndarray:
        """Run a kernel that scores all rows, in threads: (positions, classes)."""
        terms = tuple(map(np.ascontiguousarray, terms))
        base = np.empty((len(self.rows.order), len(self.rows.labels)))
        self.rows.in_threads(lambda start, stop: kernel(start, stop, *self.rows.place, *terms, base))
        return base

    def _judged(self, f: int, scores: np.ndarray) -> np.ndarray:
        """The criterion from scores of a split, (rows, classes, subsets)."""
        part = self.rows.of_split(f)
        truth, weight = self.rows.codes[part], self.rows.weights[part]
        if self.criterion == "auc":
            return areas(scores[:, 1] - scores[:, 0], truth == 1, weight)
        table = self.costs if self.criterion == "cost" else 1.0 - np.eye(scores.shape[1])
        return -(weight @ table[truth[:, None], scores.argmax(axis=1)]) / weight.sum()

    def check_two_classes(self) -> None:
        for f in range(len(self.training)):
            part = self.rows.of_split(f)
            truth, weight = self.rows.codes[part], self.rows.weights[part]
            if len(np.unique(truth[weight > 0])) < 2 or not self.present[f].all():
                raise ValueError(f"criterion 'auc' needs both classes in training and test rows: split {f} lacks one")


def judges() -> dict[str, type[DiscriminantJudge]]:
    """The judges of classifiers, by the word that these have for them; loaded when first asked for."""
    from .linear_discriminant import LinearDiscriminantJudge
    from .naive_bayes import NaiveBayesJudge
    from .quadratic_discriminant import QuadraticDiscriminantJudge

    return {
        "linear_discriminant": LinearDiscriminantJudge,
        "quadratic_discriminant": QuadraticDiscriminantJudge,
        "naive_bayes": NaiveBayesJudge,
    }


def ours(estimator: Any) -> Any:
    """Our estimator of the same name and parameters, for one of scikit-learn's that has a judge here."""
    kind: Any = kind_of(estimator)
    same = type(estimator) is kind or description_of(kind).judge not in judges()
    return estimator if same else kind(**estimator.get_params(deep=False))
