"""What a training leaves behind: a model for tables, what is known of it, and which rows it has learnt."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from .candidates import abilities
from .problems import CannotDo
from .row_ledger import RowLedger
from .rows import features_of, labelled_rows
from .scores import Answers
from .tables import as_table, tables_of


class TrainedModel(BaseEstimator):
    """The model that `train` saves, for tables with the columns that it was trained on.

    `update`, `forget` and `merge` are exact and return a new model. Where the winner cannot do that, its best rival
    that adds up was saved with it: the new model is then the rival's, and `note` says so.

    Parameters
    ----------
    model : TableModel
        The winner, fitted to all rows.
    rival : TableModel or None
        The best model that adds up, where the winner does not.
    facts : dict
        Target, task, classes, positive class, threshold, choice and score: everything that `sumlearn info` prints.
    ledger : dict or None
        Salted hashes of the rows learnt, for `forget`; None where none are kept.

    Examples
    --------
    >>> from sumlearn.product import read_table, train
    >>> iris = read_table("iris")
    >>> model = train(iris, models="lda").model
    >>> model.predict(iris.frame.slice(0, 2)).tolist()
    ['setosa', 'setosa']
    >>> smaller = model.forget(iris.frame.slice(100, 50))
    >>> smaller.facts["rows"], smaller.model.classes_.tolist()
    (100, ['setosa', 'versicolor'])
    """

    def __init__(self, model: Any = None, rival: Any = None, facts: Any = None, ledger: Any = None) -> None:
        self.model = model
        self.rival = rival
        self.facts = facts
        self.ledger = ledger

    # -- asking -----------------------------------------------------------------------------------------------------

    def predict(self, X: Any, threshold: float | None = None) -> np.ndarray:
        """Labels or numbers; `threshold` on the score of the positive class takes the place of the saved one."""
        labels, scores = self.answers(X)
        threshold = self.facts["threshold"] if threshold is None else threshold
        if threshold is None:
            return labels
        if scores is None or scores.ndim != 1:
            raise ValueError("threshold is for models of two classes")
        positive, negative = self.facts["positive"], self.facts["negative"]
        return np.where(scores >= threshold, positive, negative).astype(labels.dtype)

    def answers(self, X: Any) -> Answers:
        """Labels as the learner gives them, and its scores: of the positive class, or one column for each class."""
        learner, features = self.model.learner_, self.model.features_of(features_of(as_table(X), self.facts))
        labels = np.asarray(learner.predict(features))
        if self.facts["task"] == "regress":
            return Answers(labels.astype(float))
        proba = hasattr(learner, "predict_proba")
        scores = np.asarray(learner.predict_proba(features) if proba else learner.decision_function(features))
        if len(learner.classes_) != 2:
            return Answers(labels, scores)
        if scores.ndim == 1:
            scores = np.column_stack([-scores, scores])
        return Answers(labels, scores[:, learner.classes_.tolist().index(self.facts["positive"])])

    @property
    def classes_(self) -> np.ndarray:
        return self.model.classes_

    @property
    def can(self) -> tuple[str, ...]:
        """What the model, or its rival, can do exactly."""
        return abilities(self.adding_model) if self.adding_model is not None else ()

    @property
    def adding_model(self) -> Any:
        return self.model if abilities(self.model) else self.rival

    def __sklearn_is_fitted__(self) -> bool:
        return self.model is not None

    # -- changing ---------------------------------------------------------------------------------------------------

    def update(self, X: Any, source: str = "") -> TrainedModel:
        """A model that has learnt these rows as well."""
        new, count = self._adding("update"), 0
        ledger = None if new.ledger is None else RowLedger.of_dict(new.ledger)
        for table in tables_of(X):
            rows = labelled_rows(table, self.facts)
            new.model.partial_fit(rows.features, rows.values, rows.weight)
            ledger = None if ledger is None or ledger.is_full else ledger.added(rows.words)
            count += len(rows.values)
        new.ledger = None if ledger is None else ledger.as_dict()
        return new._noted("update", count, source)

    def forget(self, X: Any, source: str = "") -> TrainedModel:
        """A model that has never learnt these rows; rows that it has not learnt are refused by their numbers."""
        new, count = self._adding("forget"), 0
        ledger = None if new.ledger is None else RowLedger.of_dict(new.ledger)
        for table in tables_of(X):
            rows = labelled_rows(table, self.facts)
            ledger = None if ledger is None else ledger.removed(rows.words, table.first)
            new.model.forget(rows.features, rows.values, rows.weight)
            count += len(rows.values)
        new.ledger = None if ledger is None else ledger.as_dict()
        return new._noted("forget", -count, source)

    def merge(self, other: TrainedModel, source: str = "") -> TrainedModel:
        """A model that has learnt the rows of both."""
        new, second = self._adding("merge"), other._adding("merge")
        for fact in ("task", "target", "positive", "weights"):
            if self.facts[fact] != other.facts[fact]:
                raise CannotDo(f"the models differ in their {fact}: {self.facts[fact]!r} and {other.facts[fact]!r}")
        kinds = [model.facts["model"] for model in (new, second)]
        if kinds[0]["model"] != kinds[1]["model"]:
            titles = f"{kinds[0]['title']} and {kinds[1]['title']}"
            raise CannotDo(f"{titles} do not add up: train both with --models {kinds[0]['model']}")
        # the sums do not depend on the hyperparameters: those of the first model are taken
        new.model = new.model + second.model.set_params(learner=new.model.learner)
        if new.ledger is not None and second.ledger is not None:
            new.ledger = RowLedger.of_dict(new.ledger).joined(RowLedger.of_dict(second.ledger)).as_dict()
        else:
            new.ledger = None
        return new._noted("merge", int(second.facts["rows"]), source)

    @property
    def changed(self) -> int:
        """Number of rows that the last change was about."""
        return int(self.facts["history"][-1]["rows"])

    @property
    def note(self) -> str | None:
        """A sentence, where changing means to give the winner up."""
        if abilities(self.model) or self.rival is None:
            return None
        winner, rival = self.facts["model"], self.facts["rival"]
        return f"{winner['title']} cannot be changed exactly: the new file holds its rival, {rival['title']}"

    def _adding(self, what: str) -> TrainedModel:
        model = self.adding_model
        if model is None or what not in abilities(model):
            raise CannotDo(
                f"{self.facts['model']['title']} cannot {what} exactly, and was trained without a rival that can; "
                f"train with --can {what}"
            )
        facts = copy.deepcopy(self.facts)
        if model is self.rival:
            facts |= {"model": facts["rival"], "threshold": facts["rival"]["threshold"]}
        facts["rival"] = None
        return TrainedModel(copy.deepcopy(model), None, facts, self.ledger)

    def _noted(self, what: str, rows: int, source: str) -> TrainedModel:
        self.facts["rows"] += rows
        self.facts["history"] = [*self.facts["history"], {"what": what, "rows": abs(rows), "source": source}]
        self.facts["columns"] = [column.name for column in self.model.schema_.used]
        if self.facts["task"] == "classify" and self.facts["rows"]:
            self.facts["classes"] = self.model.classes_.tolist()
        return self
