"""What a clustering leaves behind: a model for tables that says which cluster a row belongs to."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.metaestimators import available_if

from ..labelled_rows import features_of
from ..metrics import Answers
from ..problems import UsageProblem
from ..reading import Reading, written_as
from ..tables import as_table
from ..unseen_levels import UnseenLevels


class ClusteredModel(BaseEstimator):
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

    def __init__(self, model: Any = None, facts: Any = None) -> None:
        self.model = model
        self.facts = facts

    def predict(self, X: Any) -> np.ndarray:
        """The number of the cluster of every row."""
        table, unseen = as_table(X, reading=self.reading()), UnseenLevels()
        labels = self.answers(table).labels
        unseen.count(self.model, table.frame)
        unseen.tell()
        return labels

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

    def labels(self, answers: Answers, threshold: float | None = None) -> np.ndarray:
        """The clusters; there is no threshold."""
        self.check_threshold(threshold)
        return answers.labels

    def check_threshold(self, threshold: float | None) -> None:
        if threshold is not None:
            raise UsageProblem("--threshold is for models of two classes; this model tells clusters")

    def reading(self, labelled: bool = False) -> Reading:
        """How files are read for the model: by its schema; there are no labels."""
        return replace(written_as(self.facts), schema=self.model.schema_, labels=tuple(self.facts["ids"]))

    @property
    def classes_(self) -> np.ndarray:
        """Numbers of the clusters."""
        return np.arange(1, self.facts["k"] + 1)

    def __sklearn_is_fitted__(self) -> bool:
        return self.model is not None
