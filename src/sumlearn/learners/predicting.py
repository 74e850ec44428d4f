"""Predicting: the part of a learner that takes rows to be predicted, and knows whether it can answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .validation import blocks_of_rows, checked_rows, prediction_rows


class Predicting:
    """What a learner's `predict` and its kin need.

    >>> from sumlearn import Ridge
    >>> model = Ridge().fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])
    >>> model.in_blocks([[4.0], [5.0]], lambda rows: 2 * rows[:, 0]).tolist()
    [8.0, 10.0]
    """

    twin: Any  # of the learner that it is part of

    def rows_of(self, X: Any, *, sparse_ok: bool = False) -> Any:
        """X checked against the fit, for predicting."""
        self.check_ready()
        return prediction_rows(self, X, sparse_ok=sparse_ok)

    def in_blocks(self, X: Any, answer: Callable[[Any], np.ndarray], *, sparse_ok: bool = False) -> np.ndarray:
        """answer(rows) for X checked against the fit, in blocks, so that what a basis makes of them stays small."""
        self.check_ready()
        if "basis_" not in self.__dict__:
            return answer(checked_rows(self, X, sparse_ok=sparse_ok))
        answers = [answer(rows) for rows in blocks_of_rows(self, X, sparse_ok=sparse_ok)]
        return answers[0] if len(answers) == 1 else np.concatenate(answers)

    def check_ready(self) -> None:
        """Refuse a model that was not fitted, or whose sums have no solution."""
        if "statistic_" in self.__dict__ and hasattr(self, "solved"):
            self.solved()
        else:
            check_is_fitted(self)

    def without_names(self) -> Self:
        """The same model, asked about bare arrays."""
        work = self.twin()
        work.__dict__.pop("feature_names_in_", None)
        return work

    @property
    def float_dtype(self) -> np.dtype[Any]:
        """float32 if all rows learnt were, else float64."""
        return self.__dict__.get("_dtype", np.dtype(np.float64))
