"""The rows that went wrong most."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..blocks import Section, grid_of
from ..evidence import Evidence
from .working_point import own_threshold

MOST = 15


def worst(evidence: Evidence) -> Section | None:
    lost = losses(evidence)
    order = np.argsort(-lost, kind="stable")
    order = order[lost[order] > 0][:MOST]
    if not len(order):
        return None
    rows = [line(evidence, i) for i in order]
    score = [] if not evidence.classify else ["score of the positive class" if evidence.two else "score of its class"]
    headers = ["row", *evidence.ids, f"true {evidence.target.name}", "answer", *(score or ["error"])]
    lead = "Look at these first: wrong labels, wrong units, or a kind of row that the columns do not describe."
    caption = "Rows are counted from 0 in the table that was read; their other values are not in this file"
    return Section("worst", "Worst errors", lead, [grid_of(headers, rows, caption, MOST)])


def losses(evidence: Evidence) -> np.ndarray:
    """How far each answer is off, zero where it is right."""
    truth, answers = evidence.truth, evidence.chosen
    if not evidence.classify:
        return np.abs(truth - answers.labels)
    wrong = answers.labels != truth
    scores: Any = answers.scores
    if scores is None:
        return wrong.astype(float)
    own = own_scores(evidence)
    return np.where(wrong, 1.0 + own.max() - own, 0.0)


def own_scores(evidence: Evidence) -> np.ndarray:
    """The score of each row for its true class; of two classes how far it is on the right side of the threshold."""
    scores: Any = evidence.chosen.scores
    if evidence.two:
        ahead = scores - own_threshold(evidence)
        return np.where(evidence.truth == evidence.target.positive, ahead, -ahead)
    return scores[np.arange(len(scores)), np.searchsorted(evidence.target.classes, evidence.truth)]


def line(evidence: Evidence, i: int) -> list[Any]:
    row = int(evidence.rows[i])
    names = [evidence.frame.column(name)[row].as_py() for name in evidence.ids]
    truth, answer = evidence.truth[i].item(), evidence.chosen.labels[i].item()
    scores = evidence.chosen.scores
    if not evidence.classify:
        last = truth - answer
    elif scores is None:
        last = None
    else:
        last = float(scores[i] if evidence.two else own_scores(evidence)[i])
    both = map(str, (truth, answer)) if evidence.classify else (truth, answer)
    return [str(evidence.table_rows[i]), *map(str, names), *both, last]
