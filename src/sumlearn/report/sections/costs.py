"""What errors cost, and what deciding by costs has saved: of more than two classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..blocks import Block, Grid, Prose, Section
from ..evidence import Evidence
from ..numbers import shown

MOST_CLASSES = 30


def costs(evidence: Evidence) -> Section | None:
    target = evidence.target
    if target.costs is None:
        return None
    matrix, labels = target.costs.matrix(target.classes), [str(label) for label in target.classes.tolist()]
    head = ["true class, by row", *labels[:MOST_CLASSES]]
    rows: list[list[Any]] = [
        [label, *row[:MOST_CLASSES]] for label, row in zip(labels[:MOST_CLASSES], matrix.tolist(), strict=False)
    ]
    blocks: list[Block] = [Grid(head, rows, "What an answer, by column, costs"), saved(evidence, matrix)]
    if not hasattr(evidence.model.model.learner_, "predict_proba"):
        blocks.append(Prose("The model has no probabilities: it answers as it would without costs."))
    lead = "The answer is the class whose expected cost is least, by the probabilities of the model."
    return Section("costs", "What errors cost", lead, blocks)


def saved(evidence: Evidence, matrix: np.ndarray) -> Grid:
    """The mean cost of a row left out: by least expected cost, by the most probable class, by the cheapest constant."""
    classes = evidence.target.classes
    true = np.searchsorted(classes, evidence.truth)
    weight = np.ones(len(true)) if evidence.weight is None else evidence.weight
    answers: Any = evidence.chosen
    said = np.minimum(np.searchsorted(classes, answers.labels), len(classes) - 1)
    constant = int((np.bincount(true, weight, len(classes)) @ matrix).argmin())
    ways = (
        ("least expected cost", said),
        ("most probable class", answers.scores.argmax(axis=1)),
        (f"always {str(classes[constant])!r}", np.full(len(true), constant)),
    )
    lines = [
        [name, shown(float(np.average(matrix[true, codes], weights=weight))), float((true != codes) @ weight)]
        for name, codes in ways
    ]
    return Grid(["answer by", "mean cost", "wrong rows"], lines, "On rows that were not learnt")
