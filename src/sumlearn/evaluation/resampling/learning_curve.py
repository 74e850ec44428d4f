"""Learning curves: how the score grows with the number of training rows."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils import check_random_state

from ...data import vector
from ...data.collections import is_dask
from ...data.files import is_path
from ...engines import rounds
from .cross_validation import cross_validate
from .scoring import score_name
from .splits import Split, columns_apart, splits_of


@dataclass(frozen=True, eq=False)
class LearningCurve:
    """Scores for growing training sets.

    Attributes
    ----------
    sizes : int array (m,)
        Rows learnt.
    train_scores, test_scores : array (m, k)
        Scores on the rows learnt and on the rows left out, for every size and split.
    score_name : str
        What was scored; larger is better.
    """

    sizes: np.ndarray
    train_scores: np.ndarray
    test_scores: np.ndarray
    score_name: str

    def __str__(self) -> str:
        lines = [f"{'rows':>10}{'train':>12}{'test':>12}{'(sd)':>10}   {self.score_name}"]
        for size, train, test in zip(self.sizes, self.train_scores, self.test_scores, strict=True):
            spread = test.std(ddof=1) if len(test) > 1 else 0.0
            lines.append(f"{size:>10}{train.mean():>12.4f}{test.mean():>12.4f}{f'({spread:.4f})':>10}")
        return "\n".join(lines)


def learning_curve(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    sizes: Any = (0.1, 0.325, 0.55, 0.775, 1.0),
    cv: Any = None,
    scoring: Any = None,
    groups: Any = None,
    shuffle: bool = False,
    random_state: Any = None,
    sample_weight: Any = None,
) -> LearningCurve:
    """Training and test scores of an estimator for growing training sets, over the splits of any splitter.

        of every training set the first n_1, n_2, ... rows are learnt; the test set stays the same

    The sums of a one-pass learner grow by the rows between two sizes: one read for all sizes where the splits share
    their order, else one for every split. Scores and splits are those of scikit-learn's function of this name.

    Parameters
    ----------
    estimator : estimator
        Any.
    X, y, groups : as in `cross_validate`, files and Dask collections included
    sizes : array
        Shares of the smallest training set (up to 1), or numbers of rows.
    cv, scoring : as in `cross_validate`
        One score.
    shuffle : bool, default=False
        Shuffle every training set before its first rows are taken.
    random_state : int, RandomState or None
        For `shuffle`.
    sample_weight : array, default=None
        Weights of the rows, in training and in scoring.

    Returns
    -------
    LearningCurve
        ``sizes``, ``train_scores``, ``test_scores``, ``score_name``.

    Examples
    --------
    >>> from sumlearn import GaussianNB
    >>> from sumlearn.data import load_example
    >>> from sumlearn.evaluation import learning_curve
    >>> pima = load_example("pima")
    >>> curve = learning_curve(GaussianNB(), pima.X, pima.y, sizes=[50, 200, 600], cv=5)
    >>> print(curve.test_scores.mean(axis=1).round(3))
    [0.703 0.74  0.753]

    References
    ----------
    Perlich, "Learning curves in machine learning", in: Encyclopedia of machine learning, 2010.
    """
    if scoring is not None and not isinstance(scoring, str) and not callable(scoring):
        raise ValueError(f"scoring must be one score, a name or a callable, got {scoring!r}")
    splits = splits_of(estimator, X, y, groups, cv)
    counts = counts_of(sizes, min(len(train) for train, _ in splits))
    if shuffle:
        rng = check_random_state(random_state)
        splits = [(rng.permutation(train), test) for train, test in splits]
    elif is_classifier(estimator) and not (is_path(X) or is_dask(X)):
        warn_of_missing_classes(vector(columns_apart(X, y, groups)[1]), splits, int(min(counts)))
    grown = [[(train[:count], test) for count in counts] for train, test in splits]
    results = [
        cross_validate(
            estimator,
            X,
            y,
            groups=groups,
            cv=part,
            scoring=scoring,
            return_train_score=True,
            sample_weight=sample_weight,
            error_score="raise",
        )
        for part in shared_reads(grown)
    ]
    shape = (len(splits), len(counts))
    train, test = (np.concatenate([f[f"{side}_score"] for f in results]).reshape(shape).T for side in ("train", "test"))
    return LearningCurve(counts, train, test, score_name(scoring, estimator))


def warn_of_missing_classes(labels: np.ndarray, splits: Sequence[Split], count: int) -> None:
    for train, _ in splits:
        few, all_of_them = (len(set(labels[rows].tolist())) for rows in (train[:count], train))
        if few < all_of_them:
            message = f"the first {count} rows of a training set hold {few} of its {all_of_them} classes"
            warnings.warn(f"{message}: if the rows are sorted, use shuffle=True", UserWarning, stacklevel=3)
            return


def counts_of(sizes: Any, most: int) -> np.ndarray:
    """Numbers of rows, rising, each once."""
    wanted = np.atleast_1d(np.asarray(sizes))
    if wanted.ndim != 1 or not wanted.size or wanted.dtype.kind not in "fiu":
        raise ValueError(f"sizes must be shares or numbers of rows, got {sizes!r}")
    if wanted.dtype.kind == "f":
        if not ((wanted > 0.0) & (wanted <= 1.0)).all():
            raise ValueError(f"sizes must be shares in (0, 1], got {wanted.tolist()}")
        return np.unique(np.maximum((wanted * most).astype(int), 1))
    if not ((wanted > 0) & (wanted <= most)).all():
        raise ValueError(f"sizes must be from 1 to {most}, the rows of the smallest training set: {wanted.tolist()}")
    return np.unique(wanted).astype(int)


def shared_reads(grown: list[list[Split]]) -> list[list[Split]]:
    """All splits of all sizes together if their sums come from one read, else those of every split by themselves."""
    together = [split for sizes in grown for split in sizes]
    rows = 1 + max(int(part.max()) for split in together for part in split)
    return [together] if len(rounds(together, rows)) == 1 else grown
