"""The honest outer loop: whatever is chosen is chosen without the rows that score it.

    outer split: choose on the training rows, by whatever inner splits that takes; fit; ask once about the rows left out

Choices of models, of columns and of whole workflows are scored by it; `train` asks for answers instead of scores.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from ..data import vector
from ..data.collections import is_dask
from ..data.files import is_path
from .comparison.corrected_test import CorrectedTTest, corrected_t_test
from .resampling.splits import Split, columns_apart, splits_of

Chosen = TypeVar("Chosen")
Answer = TypeVar("Answer")
Listener = Callable[[str, int, int], None]  # what is done, how many of them, of how many


class ScoredFold(NamedTuple, Generic[Chosen]):
    """What was chosen without the rows of a fold, and its score on them."""

    choice: Chosen
    score: float


def rows_to_split(what: str, X: Any, y: Any, groups: Any) -> tuple[Any, np.ndarray, np.ndarray | None]:
    """A table in memory, its target and its groups; `what` is told to whoever brings a stream."""
    if is_path(X) or is_dask(X):
        raise ValueError(f"{what} splits rows within splits: load the table into memory first")
    X, y, groups = columns_apart(X, y, groups)
    return X, vector(y), None if groups is None else vector(groups, "groups")


def weights_of_rows(sample_weight: Any, rows: np.ndarray) -> dict[str, Any]:
    """What a fit or a score of these rows is told of their weights."""
    return {} if sample_weight is None else {"sample_weight": vector(sample_weight, "sample_weight")[rows]}


def outer_splits(estimator: Any, X: Any, y: Any, groups: Any, cv: Any) -> list[Split]:
    """The splits of a scheme, two at least."""
    splits = splits_of(estimator, X, y, groups, cv)
    if len(splits) < 2:
        raise ValueError(f"cv makes {len(splits)} split: an interval needs at least two")
    return splits


def outer_loop(
    splits: Sequence[Split],
    choose: Callable[[np.ndarray], Chosen],
    answer: Callable[[Chosen, np.ndarray, np.ndarray], Answer],
    progress: Listener | None = None,
) -> list[Answer]:
    """Choose and ask in every split: the answers, often a `ScoredFold` each.

    Parameters
    ----------
    splits : list of (train, test)
        Row numbers.
    choose : callable
        Is given the training rows, and returns what it chose; it never hears of the others.
    answer : callable
        Is given that choice, the training rows to fit it on, and the rows left out, about which it asks once. What it
        returns is all that is kept.
    progress : callable or None
        Called with ("outer fold", done, total).

    Examples
    --------
    The mean or the median, whichever is nearer to the rows at hand, and how near it comes to the next one:

    >>> y = np.array([1.0, 2.0, 3.0, 20.0])
    >>> splits = [(np.delete(np.arange(4), k), np.array([k])) for k in range(4)]
    >>> nearest = lambda train: min((np.mean, np.median), key=lambda f: np.abs(y[train] - f(y[train])).sum())
    >>> error = lambda f, train, test: (f.__name__, float(np.abs(y[test] - f(y[train])).mean()))
    >>> outer_loop(splits, nearest, error)
    [('median', 2.0), ('median', 1.0), ('median', 1.0), ('mean', 18.0)]
    """
    answers = []
    for number, (train, test) in enumerate(splits, 1):
        answers.append(answer(choose(train), train, test))
        if progress is not None:
            progress("outer fold", number, len(splits))
    return answers


def expected_score(folds: Sequence[ScoredFold[Any]], splits: Sequence[Split]) -> CorrectedTTest:
    """Mean and interval of the scores of all outer folds: what to expect of choosing and fitting on new rows."""
    sizes = np.array([(len(train), len(test)) for train, test in splits]).T
    return corrected_t_test([fold.score for fold in folds], *sizes)
