"""Rows are asked about before they are learnt: an honest score of every update, for nothing (Dawid's prequential)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .labelled_rows import LabelledRows
from .left_out import together
from .metrics import Answers, answers_of, metric_of, metrics_for
from .targets import TargetRows

MOST_ROWS = 200_000  # that are asked about


@dataclass(eq=False)
class PrequentialScore:
    """Answers of a model to rows that it is about to learn.

    Attributes
    ----------
    facts : dict
        Of the model: target, task, classes, positive class, threshold and metric.
    """

    facts: dict[str, Any]
    truth: list[np.ndarray] = field(default_factory=list)
    weight: list[np.ndarray] = field(default_factory=list)
    answers: list[Answers] = field(default_factory=list)

    def ask(self, model: Any, rows: LabelledRows, fresh: np.ndarray | None = None) -> None:
        """Note what a TableModel says about rows, of those that are `fresh`; labels never met have no answer."""
        if sum(map(len, self.truth)) >= MOST_ROWS or not self.facts["rows"]:
            return
        known = np.ones(len(rows.values), dtype=bool) if fresh is None else fresh
        if self.facts["task"] == "classify":
            known = known & np.isin(rows.values, np.asarray(self.facts["classes"]))
        where = np.flatnonzero(known)
        if len(where):
            target = TargetRows.known(self.facts, rows.values)
            answers = answers_of(model.learner_, model.features_of(rows.features.take(where)), target)
            self.answers.append(answers.decided(target, self.facts["threshold"]))
            self.truth.append(rows.values[where])
            self.weight.append(np.ones(len(where)) if rows.weight is None else rows.weight[where])

    def told(self) -> dict[str, Any]:
        """The score, for the history of the model; nothing where it has no value."""
        if not self.answers:
            return {}
        truth, weight = np.concatenate(self.truth), np.concatenate(self.weight)
        target, answers = TargetRows.known(self.facts, truth), together(self.answers)
        name = self.facts.get("metric")
        metric = metric_of(name if name in metrics_for(target) else None, target)
        value = metric(target, truth, answers, weight) if weight.sum() > 0 else float("nan")
        return {"metric": metric.name, "score": float(value)} if np.isfinite(value) else {}
