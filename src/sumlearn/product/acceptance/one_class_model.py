"""What learning one class leaves behind: a model for tables that says which rows are of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..labelled_rows import features_of
from ..metrics import Answers
from ..tables import as_table
from ..unlabelled_model import UnlabelledModel


class OneClassModel(UnlabelledModel):
    """The model that `one_class` saves, for tables with the columns that were learnt from.

    Parameters
    ----------
    model : TableModel
        Around OneClassGaussian, PhantomNegatives or OneClassSVM, fitted to the rows of the class.
    facts : dict
        Method, acceptance, rows: everything that `sumlearn info` prints.

    Examples
    --------
    >>> from sumlearn.product import one_class, read_table
    >>> faithful = read_table("faithful")
    >>> model = one_class(faithful).model
    >>> model.predict(faithful.frame.slice(0, 4)).tolist()
    [1, 1, 1, 1]
    """

    no_threshold = "--threshold is for models of two classes; this one was given a share to accept (--acceptance)"

    def __init__(self, model: Any = None, facts: Any = None) -> None:
        self.model = model
        self.facts = facts

    def decision_function(self, X: Any) -> np.ndarray:
        """The score of every row less its threshold: not negative where it is accepted."""
        scores = self.answers(as_table(X, reading=self.reading())).scores
        assert scores is not None
        return scores

    def answers(self, X: Any) -> Answers:
        """1 for every row that is accepted, -1 for outliers; and the score less its threshold."""
        table = as_table(X, reading=self.reading())
        return answers_of(self.model, features_of(table, self.facts))

    @property
    def classes_(self) -> np.ndarray:
        """-1 and 1."""
        return np.array([-1, 1])


def answers_of(model: Any, frame: Any) -> Answers:
    """What a TableModel of one class says of a frame."""
    rows, learner = model.features_of(frame), model.learner_
    return Answers(learner.predict(rows), learner.decision_function(rows))
