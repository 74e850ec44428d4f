"""What models for tables share that predict no column of it."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from .metrics import Answers
from .problems import UsageProblem
from .reading import Reading, written_as
from .tables import as_table
from .unseen_levels import UnseenLevels


class UnlabelledModel(BaseEstimator):
    """A TableModel, and facts: everything that `sumlearn info` prints."""

    model: Any
    facts: Any
    no_threshold: str  # why there is none to move

    @abstractmethod
    def answers(self, X: Any) -> Answers:
        """What is said of every row."""

    def predict(self, X: Any) -> np.ndarray:
        """What is said of every row."""
        table, unseen = as_table(X, reading=self.reading()), UnseenLevels()
        labels = self.answers(table).labels
        unseen.count(self.model, table.frame)
        unseen.tell()
        return labels

    def labels(self, answers: Answers, threshold: float | None = None) -> np.ndarray:
        """The labels of answers; there is no threshold to move."""
        self.check_threshold(threshold)
        return answers.labels

    def check_threshold(self, threshold: float | None) -> None:
        if threshold is not None:
            raise UsageProblem(self.no_threshold)

    def reading(self, labelled: bool = False) -> Reading:
        """How files are read for the model: by its schema; there are no labels."""
        return replace(written_as(self.facts), schema=self.model.schema_, labels=tuple(self.facts["ids"]))

    def __sklearn_is_fitted__(self) -> bool:
        return self.model is not None
