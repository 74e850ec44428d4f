"""What a clustering leaves behind: a model for tables that says which cluster a row belongs to."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.metaestimators import available_if

from ..labelled_rows import features_of
from ..metrics import Answers
from ..tables import as_table
from ..unlabelled_model import UnlabelledModel


class ClusteredModel(UnlabelledModel):
    """The model that `cluster` saves, for tables with the columns that were clustered by.

    Clusters are numbered from 1, the largest first.

    Parameters
    ----------
    model : TableModel
        Around KMeans, LBG or a GaussianMixture, fitted to all rows.
    facts : dict
        Method, number of clusters and how it was chosen, sizes: everything that `sumlearn info` prints.

    Examples
    --------
    >>> from sumlearn.product import cluster, read_table
    >>> faithful = read_table("faithful")
    >>> model = cluster(faithful).model
    >>> model.facts["k"], model.predict(faithful.frame.slice(0, 4)).tolist()
    (2, [1, 2, 1, 2])
    """

    no_threshold = "--threshold is for models of two classes; this model tells clusters"

    def __init__(self, model: Any = None, facts: Any = None) -> None:
        self.model = model
        self.facts = facts

    @available_if(lambda self: hasattr(self.model, "predict_proba"))
    def predict_proba(self, X: Any) -> np.ndarray:
        """The chance of every cluster, a column for each."""
        scores = self.answers(as_table(X, reading=self.reading())).scores
        assert scores is not None
        return scores

    def answers(self, X: Any) -> Answers:
        """The cluster of every row, and of a mixture the chances of all."""
        table = as_table(X, reading=self.reading())
        features = self.model.features_of(features_of(table, self.facts))
        order = np.asarray(self.facts["order"])
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(1, len(order) + 1)
        learner = self.model.learner_
        scores = learner.predict_proba(features)[:, order] if hasattr(learner, "predict_proba") else None
        return Answers(place[learner.predict(features)], scores)

    @property
    def classes_(self) -> np.ndarray:
        """Numbers of the clusters."""
        return np.arange(1, self.facts["k"] + 1)
