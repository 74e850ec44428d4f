"""What a report is written from: answers to rows that were not learnt, and what is known of the model."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..evaluation.two_classes.roc_curve import RocCurve
from ..features import TableEncoder
from ..features.table.mixed_design import MixedDesign
from ..product.metrics import Answers, Metric
from ..product.nested_answers import PROCEDURE, NestedAnswers
from ..product.targets import TargetRows
from ..product.trained import TrainedModel
from ..product.training import Training


@dataclass(frozen=True, eq=False)
class Evidence:
    """Answers of one or several models to the same rows.

    Attributes
    ----------
    metrics : dict
        The account, as in ``metrics.json``.
    model : TrainedModel
        Fitted to all rows of the training.
    target : TargetRows
        Of the rows in `frame`.
    frame : pyarrow.Table
        Features of all rows.
    metric : Metric
        What is shown first.
    rows, split : int arrays
        Which row each answer belongs to, and the split in which it was left out.
    answers : dict {title: Answers}
        Of every candidate; the chosen one comes first.
    ids : list of str
        Columns that name rows.
    command : str
        What was run, as far as it is known.
    nested : NestedAnswers or None
        The splits; None where a finished model was asked about fresh rows.
    """

    metrics: dict[str, Any]
    model: TrainedModel
    target: TargetRows
    frame: Any
    metric: Metric
    rows: np.ndarray
    split: np.ndarray
    answers: dict[str, Answers]
    ids: list[str]
    command: str
    nested: NestedAnswers | None = None

    @property
    def fresh(self) -> bool:
        """Whether a finished model was asked about rows that came later."""
        return self.nested is None

    @property
    def classify(self) -> bool:
        return self.target.task == "classify"

    @property
    def two(self) -> bool:
        return self.target.two_classes

    @property
    def chosen(self) -> Answers:
        """Answers of the chosen model."""
        return next(iter(self.answers.values()))

    @property
    def chosen_title(self) -> str:
        return next(iter(self.answers))

    @property
    def truth(self) -> np.ndarray:
        return self.target.values[self.rows]

    @property
    def weight(self) -> np.ndarray | None:
        return None if self.target.weight is None else self.target.weight[self.rows]

    @property
    def table_rows(self) -> np.ndarray:
        """Numbers of the answered rows in the table that was read."""
        return self.target.rows[self.rows]

    @cached_property
    def curves(self) -> dict[str, RocCurve]:
        """ROC curves of all candidates, over all rows left out together; of two classes."""
        truth = self.truth == self.target.positive
        return {
            title: RocCurve(truth, answers.scores, self.weight, positive=True)
            for title, answers in self.answers.items()
            if answers.scores is not None
        }

    @cached_property
    def curve(self) -> RocCurve:
        return self.curves[self.chosen_title]

    @cached_property
    def seen(self) -> np.ndarray:
        """What the learner sees of every row."""
        return self.model.model.features_of(self.frame)

    @cached_property
    def encoder(self) -> TableEncoder | None:
        """Codes the columns of a learner that reads categories and gaps as they are; None for all others."""
        design = self.model.model.design_
        if not isinstance(design, MixedDesign):
            return None
        return TableEncoder().fit(self.frame.select(design.names), sample_weight=self.target.weight)

    @cached_property
    def features(self) -> np.ndarray:
        """Rows as numbers without gaps: what the learner sees, or what others would see in its place."""
        return self.seen if self.encoder is None else self.encoder.transform(self.frame.select(self.columns_read))

    @property
    def columns_read(self) -> list[str]:
        return list(dict.fromkeys(feature.column for feature in self.model.model.design_.features))

    @property
    def feature_names(self) -> list[str]:
        """Names of the features."""
        return [feature.name for feature in self.coded_features]

    @property
    def feature_owners(self) -> list[str]:
        """The columns that the features come from."""
        return [feature.column for feature in self.coded_features]

    @property
    def coded_features(self) -> Any:
        return (self.model.model if self.encoder is None else self.encoder).design_.features


def evidence_of(training: Training, command: str = "") -> Evidence:
    """The evidence of a training: candidates in the order of the leaderboard, the chosen one first."""
    nested, problem = training.nested, training.problem
    rows = nested.pooled(PROCEDURE)[0]
    split = np.repeat(np.arange(len(nested.splits)), [len(test) for _, test in nested.splits])
    titles = {candidate.name: candidate.title for candidate in problem.candidates}
    winner = training.metrics["chosen"]["model"]
    ranked = [line["model"] for line in training.metrics["leaderboard"]]
    order = sorted(ranked, key=lambda name: name != winner)
    answers = {titles[name]: nested.pooled(name)[1] for name in order}
    if winner not in order:  # it failed in some split, where another one was chosen
        answers = {"the whole procedure": nested.pooled(PROCEDURE)[1], **answers}
    return Evidence(
        metrics=training.metrics,
        model=training.model,
        target=training.target,
        frame=problem.frame,
        metric=problem.metric,
        rows=rows,
        split=split,
        answers=answers,
        ids=list(problem.columns["ids"] or []),
        command=command,
        nested=nested,
    )
