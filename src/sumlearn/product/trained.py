"""What a training leaves behind: a model for tables, what is known of it, and which rows it has learnt."""

from __future__ import annotations

import copy
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.metaestimators import available_if

from ..data.target import check_spelling
from ..learners.sum_algebra import joined_shares
from .candidates import can
from .labelled_rows import check_classes, features_of, labelled_rows
from .metrics import Answers, answers_of
from .opened_table import OpenedTable
from .prequential import PrequentialScore
from .problems import CannotDo
from .reading import Reading, written_as
from .repeats import LearntBefore, files_of, held_by_both, identity_of, new_token, refuse_file
from .row_ledger import RowLedger
from .tables import as_table, tables_of
from .targets import TargetRows
from .unseen_levels import UnseenLevels


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
        table, unseen = as_table(X, reading=self.reading()), UnseenLevels()
        labels = self.labels(self.answers(table), threshold)
        unseen.count(self.model, table.frame)
        unseen.tell()
        return labels

    def labels(self, answers: Answers, threshold: float | None = None) -> np.ndarray:
        """Labels or numbers, by the threshold where there is one."""
        self.check_threshold(threshold)
        return answers.decided(self.target, self.facts["threshold"] if threshold is None else threshold).labels

    def check_threshold(self, threshold: float | None) -> None:
        """A threshold is for two classes, and a probability where the model gives those."""
        if threshold is None:
            return
        if len(self.facts["classes"]) != 2:
            raise ValueError("threshold is for models of two classes")
        if not (0 <= threshold <= 1 if hasattr(self.model, "predict_proba") else np.isfinite(threshold)):
            raise ValueError(f"threshold {threshold:g} is no probability from 0 to 1")

    @available_if(lambda self: hasattr(self.model, "predict_proba"))
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes, in the order of `classes_`."""
        return self._asked("predict_proba", X)

    @available_if(lambda self: hasattr(self.model, "decision_function"))
    def decision_function(self, X: Any) -> np.ndarray:
        """Scores of the classes; of two, one that is high for the second."""
        return self._asked("decision_function", X)

    def _asked(self, what: str, X: Any) -> np.ndarray:
        table, unseen = as_table(X, reading=self.reading()), UnseenLevels()
        features = self.features(table)
        unseen.count(self.model, table.frame)
        unseen.tell()
        return np.asarray(getattr(self.model.learner_, what)(features))

    def features(self, table: OpenedTable) -> np.ndarray:
        """What the learner sees of a table."""
        if not self.facts["rows"]:
            raise CannotDo("the model has forgotten all its rows: it knows nothing until it is updated")
        return self.model.features_of(features_of(table, self.facts))

    def answers(self, X: Any) -> Answers:
        """Labels as the learner gives them, and its scores: of the positive class, or one column for each class."""
        table = as_table(X, reading=self.reading())
        features = self.features(table)
        return answers_of(self.model.learner_, features, self.target)

    def reading(self, labelled: bool = False) -> Reading:
        """How files are read for the model: by its schema, with target and weights where rows are `labelled`."""
        facts, written = self.facts, written_as(self.facts)
        if not labelled:
            return replace(written, schema=self.model.schema_, labels=tuple(facts["ids"]))
        target, weights = (facts["target"],), (facts["weights"],) if facts["weights"] else ()
        texts = tuple(name for name, type in facts.get("dates", {}).items() if type == "string")
        reading = replace(written, schema=self.model.schema_, labels=tuple(facts["ids"]), numbers=weights, texts=texts)
        if facts["task"] == "regress":
            return replace(reading, numbers=(*target, *weights))
        if isinstance(facts["classes"][0], str):
            return replace(reading, texts=(*target, *texts))
        return replace(reading, labels=(*facts["ids"], *target), spelling=facts.get("spelling"))

    @property
    def target(self) -> TargetRows:
        """What is predicted, without values."""
        known = {} if self.facts["task"] == "regress" else {"classes": self.model.classes_}
        return TargetRows.known(self.facts | known)

    @property
    def classes_(self) -> np.ndarray:
        return self.model.classes_

    @property
    def can(self) -> tuple[str, ...]:
        """What the model, or its rival, can do exactly."""
        return can(self.adding_model) if self.adding_model is not None else ()

    @property
    def adding_model(self) -> Any:
        return self.model if can(self.model) else self.rival

    def __sklearn_is_fitted__(self) -> bool:
        return self.model is not None

    # -- changing ---------------------------------------------------------------------------------------------------

    def update(self, X: Any, source: str = "", again: bool = False, new_classes: bool = False) -> TrainedModel:
        """A model that has learnt these rows as well. It is asked about them first: the history keeps that score.

        Rows that it holds already are refused, unless they are to count `again`, or are no more than the repeats of the
        table itself explain; the history says how many they are ("held"). A label that is none of its classes is
        refused, unless `new_classes` are wanted.
        """
        new, count, unseen = self._adding("update"), 0, UnseenLevels()
        digest = getattr(X, "digest", "")
        asked = PrequentialScore(copy.deepcopy(new.facts))
        ledger = None if new.ledger is None else RowLedger.of_dict(new.ledger)
        held = None if ledger is None else LearntBefore(ledger)
        if held is None and not again:
            refuse_file(self.facts, digest)
        for table in tables_of(X, new.reading(labelled=True)):
            rows = labelled_rows(table, self.facts)
            if not new_classes:
                check_classes(rows, self.facts, "learnt with new_classes=True, --new-classes")
            unseen.count(self.adding_model, rows.features)
            asked.ask(new.model, rows, None if held is None else ~held.of(rows.words))
            new.model.partial_fit(rows.features, rows.values, rows.weight)
            ledger = None if ledger is None or ledger.is_full else ledger.added(rows.words)
            count += len(rows.values)
        if held is not None and held.count and not again:
            refuse_file(self.facts, digest)
            held.refuse()
        new.ledger = None if ledger is None else ledger.as_dict()
        unseen.tell("they are new to the model")
        more = {} if held is not None and not held.count else {"held": None if held is None else held.count}
        new.facts["identity"] = [*identity_of(self), new_token()]
        new.facts["files"] = dict(files_of(self.facts) + Counter([digest] if digest else []))
        return new._noted("update", count, source, asked.told() | more)

    def forget(self, X: Any, source: str = "") -> TrainedModel:
        """A model that has never learnt these rows; rows that it has not learnt are refused by their numbers."""
        new, count = self._adding("forget"), 0
        if self.ledger is not None and vars(new.model).get("_decayed"):
            raise CannotDo("the rows decayed since they were learnt, by how much their hashes do not tell: train anew")
        ledger = None if new.ledger is None else RowLedger.of_dict(new.ledger)
        for table in tables_of(X, new.reading(labelled=True)):
            rows = labelled_rows(table, self.facts)
            ledger = None if ledger is None else ledger.removed(rows.words, table.first)
            new.model.forget(rows.features, rows.values, rows.weight)
            count += len(rows.values)
        new.ledger = None if ledger is None else ledger.as_dict()
        new.facts["identity"] = identity_of(self)
        new.facts["files"] = dict(files_of(self.facts) - Counter([getattr(X, "digest", "")]))
        return new._noted("forget", -count, source)

    def merge(
        self, other: TrainedModel, source: str = "", again: bool = False, new_classes: bool = False
    ) -> TrainedModel:
        """A model that has learnt the rows of both; rows that both hold are refused, unless they count `again`.

        So are models that have classes which the other lacks, both of them, unless `new_classes` are wanted.
        """
        new, second = self._adding("merge"), other._adding("merge")
        if not (self.facts["rows"] and other.facts["rows"]):
            raise CannotDo("one of the models has forgotten all its rows: there is nothing to merge, use the other")
        for fact in ("task", "target", "positive", "weights"):
            unknown = fact == "positive" and None in (self.facts[fact], other.facts[fact])  # of more classes than two
            if self.facts[fact] != other.facts[fact] and not unknown:
                raise CannotDo(f"the models differ in their {fact}: {self.facts[fact]!r} and {other.facts[fact]!r}")
        check_spelling(self.facts.get("spelling"), other.facts.get("spelling"), "the labels of one model", CannotDo)
        if self.facts["task"] == "classify" and not new_classes:
            own, others = (set(model.classes_.tolist()) for model in (new, second))
            if own - others and others - own:
                raise CannotDo(
                    f"each model has classes that the other lacks, {min(own - others)!r} and {min(others - own)!r}: "
                    "if all of them are wanted, merge with new_classes=True, --new-classes"
                )
        kinds = [model.facts["model"] for model in (new, second)]
        if kinds[0]["model"] != kinds[1]["model"]:
            titles = f"{kinds[0]['title']} and {kinds[1]['title']}"
            raise CannotDo(f"{titles} do not add up: train both with --models {kinds[0]['model']}")
        held = held_by_both(self, other, again)
        new.facts["reading"] = joined_reading(self.facts.get("reading"), other.facts.get("reading"))
        # the sums do not depend on the hyperparameters: those of the first model are taken
        new.model = new.model + second.model.set_params(learner=new.model.learner)
        joined_shares(new, other)
        if new.ledger is not None and second.ledger is not None:
            new.ledger = RowLedger.of_dict(new.ledger).joined(RowLedger.of_dict(second.ledger)).as_dict()
        else:
            new.ledger = None
        new.facts["identity"] = sorted({*identity_of(self), *identity_of(other)})
        new.facts["files"] = dict(files_of(self.facts) + files_of(other.facts))
        return new._noted("merge", int(second.facts["rows"]), source, {"held": held})

    def shared_as(self, statistic: Any) -> TrainedModel:
        """The model on sums that may be shared: without hashes, and without names and digests of files."""
        new = self._adding("merge")
        new.__dict__.pop("_shared", None)
        new.model.statistic_, new.ledger = statistic, None
        new.model.unsolved()
        new.facts["identity"] = identity_of(self)
        new.facts.pop("files", None)
        new.facts["columns"] = [column.name for column in statistic.schema.used]
        new.facts["history"] = [{"what": "share", "rows": self.facts["rows"], "source": ""}]
        return new

    @property
    def changed(self) -> int:
        """Number of rows that the last change was about."""
        return int(self.facts["history"][-1]["rows"])

    @property
    def is_scored(self) -> bool:
        """Whether the score of the training is one of the classes that the model has now."""
        return self.facts.get("scored_classes", self.facts["classes"]) == self.facts["classes"]

    @property
    def note(self) -> str | None:
        """A sentence, where changing means to give the winner up."""
        if can(self.model) or self.rival is None:
            return None
        winner, rival = self.facts["model"], self.facts["rival"]
        return f"{winner['title']} cannot be changed exactly: the new file holds its rival, {rival['title']}"

    def _adding(self, what: str) -> TrainedModel:
        model = self.adding_model
        if model is None or what not in can(model):
            raise CannotDo(
                f"{self.facts['model']['title']} cannot {what} exactly, and was trained without a rival that can; "
                f"train with --can {what}"
            )
        facts = copy.deepcopy(self.facts)
        if model is self.rival:
            facts |= {"model": facts["rival"], "threshold": facts["rival"]["threshold"]}
        facts["rival"] = None
        new = TrainedModel(copy.deepcopy(model), None, facts, self.ledger)
        new.__dict__.update({name: value for name, value in vars(self).items() if name == "_shared"})
        return new

    def _noted(self, what: str, rows: int, source: str, more: dict[str, Any] | None = None) -> TrainedModel:
        self.facts["rows"] += rows
        self.facts.setdefault("scored_classes", self.facts["classes"])
        line = {"what": what, "rows": abs(rows), "source": source} | (more or {})
        self.facts["history"] = [*self.facts["history"], line]
        self.facts["columns"] = [column.name for column in self.model.schema_.used]
        if self.facts["task"] == "classify" and self.facts["rows"]:
            self.facts |= named_classes(self.model.classes_, self.facts)
        return self


def joined_reading(a: dict[str, Any] | None, b: dict[str, Any] | None) -> dict[str, Any] | None:
    """How files of two sites are read: as the first's, and by no form where a text may mean two things."""
    from ..data.readers.written import joined_forms

    return a or b if a is None or b is None else a | {"forms": joined_forms(a["forms"], b["forms"])}


def named_classes(classes: np.ndarray, facts: dict[str, Any]) -> dict[str, Any]:
    """Classes of a changed model; of two, the positive one stays, and is the greater if there was none.

    >>> named_classes(np.array(["a", "b"]), {"positive": None, "negative": None, "threshold": None})
    {'classes': ['a', 'b'], 'positive': 'b', 'negative': 'a', 'threshold': None}
    """
    known = classes.tolist()
    if len(known) != 2:  # a threshold decides between two
        return {"classes": known, "threshold": None}
    positive = facts["positive"] if facts["positive"] in known else known[-1]
    negative = next(label for label in known if label != positive)
    threshold = facts["threshold"] if (positive, negative) == (facts["positive"], facts["negative"]) else None
    return {"classes": known, "positive": positive, "negative": negative, "threshold": threshold}
