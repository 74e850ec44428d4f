"""Which features a fitted learner reads, where it chooses among those that it is given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def selector_in(learner: Any, count: int) -> Any:
    """The first step of a pipeline that selects among so many features; None where there is no such step.

    >>> from sklearn.pipeline import make_pipeline
    >>> from sumlearn import LinearDiscriminantAnalysis, SubsetSearch
    >>> from sumlearn.data import load_example
    >>> iris = load_example("iris")
    >>> learner = make_pipeline(SubsetSearch("sfs", k=2), LinearDiscriminantAnalysis()).fit(iris.X, iris.y)
    >>> selector_in(learner, 4).subset_.tolist()
    [1, 3]
    """
    for _, step in getattr(learner, "steps", ()):
        if hasattr(step, "get_support") and getattr(step, "n_features_in_", None) == count:
            return step
    return None


def features_read(learner: Any, names: Sequence[str], owners: Sequence[str]) -> list[str]:
    """Names of the features that a selecting step keeps; without one, of the columns of the table that are there."""
    selector = selector_in(learner, len(names))
    if selector is None:
        return list(dict.fromkeys(owners))
    return [name for name, kept in zip(names, selector.get_support(), strict=True) if kept]
