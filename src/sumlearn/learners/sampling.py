"""Draws: labels from the probabilities of a classifier, targets from a prediction and its noise."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if

from ..features.input_ranges import whole_number


def with_noise(mean: np.ndarray, variance: Any, random_state: Any, n: int | None = None) -> np.ndarray:
    """A draw from N(mean, variance) for every row; `variance` is a number, or one for each target or each value.

    With `n`, so many draws, one after the other along the first axis.
    """
    deviation = np.sqrt(variance)
    if not np.isfinite(deviation).all():
        raise ValueError("the variance of y around the predictions is out of range: rescale y")
    return mean + deviation * check_random_state(random_state).standard_normal(draws_of(n) + mean.shape)


def draws_of(n: int | None) -> tuple[int, ...]:
    """The shape of n draws; None is a single one, without an axis of its own."""
    return () if n is None else (whole_number(n, "n", 1),)


def drawn_labels(shares: Any, classes: Any, random_state: Any, n: int | None = None) -> np.ndarray:
    """A label for every row from its shares of the classes; with `n`, so many times, along the first axis.

    Lists of both are those of several targets, which are drawn each by itself, along the last axis.
    """
    if isinstance(classes, list):
        source = check_random_state(random_state)
        return np.stack([drawn_labels(*own, source, n) for own in zip(shares, classes, strict=True)], axis=-1)
    up_to = np.cumsum(shares, axis=1, dtype=np.float64)
    drawn = check_random_state(random_state).uniform(size=(*draws_of(n), len(up_to), 1)) * up_to[:, -1:]
    return classes[(drawn >= up_to).sum(axis=-1)]


class LabelSamplingMixin:
    """`sample` for classifiers that have probabilities."""

    classes_: Any

    @available_if(lambda model: hasattr(model, "predict_proba"))
    def sample(self, X: Any, random_state: Any = None, *, n: int | None = None) -> np.ndarray:
        """Draw a label for every row from P(k | x); with `n`, so many times: (n, rows).

        Where a row may have several labels, each is drawn by itself, and the answer has a column for each.
        """
        if getattr(self, "multilabel_", False):
            pairs = [np.column_stack([1.0 - own, own]) for own in self.predict_proba(X).T]  # type: ignore[attr-defined]
            return drawn_labels(pairs, [np.array([0, 1])] * len(pairs), random_state, n)
        return drawn_labels(self.predict_proba(X), self.classes_, random_state, n)  # type: ignore[attr-defined]
