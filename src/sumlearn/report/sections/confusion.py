"""Which classes are taken for which."""

from __future__ import annotations

import numpy as np

from ...evaluation.two_classes.confusion import Confusion
from ..blocks import Block, Grid, Heat, Section, grid_of
from ..evidence import Evidence
from ..numbers import three

MOST_MODELS = 3
MOST_CLASSES = 30


def confusion(evidence: Evidence) -> Section | None:
    if not evidence.classify:
        return None
    blocks: list[Block] = []
    for title, answers in list(evidence.answers.items())[: MOST_MODELS if len(evidence.target.classes) <= 6 else 1]:
        table = Confusion.of(evidence.truth, answers.labels, evidence.weight, labels=evidence.target.classes.tolist())
        blocks.append(heat(table, title))
    blocks.append(by_class(evidence))
    lead = "True classes by row, answers by column, on rows that were not learnt; the tint is the share of the row."
    return Section("confusion", "Which classes are confused", lead, blocks)


def heat(table: Confusion, title: str) -> Heat:
    counts = table.table[:MOST_CLASSES, :MOST_CLASSES]
    totals = table.table.sum(axis=1, keepdims=True)[:MOST_CLASSES]
    shares = np.divide(counts, totals, out=np.zeros_like(counts), where=totals > 0)
    more = "" if len(table.labels) <= MOST_CLASSES else f", the first {MOST_CLASSES} of {len(table.labels)} classes"
    caption = f"{title}: accuracy {table.accuracy:.3f}{more}"
    return Heat([str(label) for label in table.labels[:MOST_CLASSES]], counts.tolist(), shares.tolist(), caption)


def by_class(evidence: Evidence) -> Grid:
    answers = evidence.chosen
    table = Confusion.of(evidence.truth, answers.labels, evidence.weight, labels=evidence.target.classes.tolist())
    rows = []
    for label in table.labels:
        rates = table.rates(label, empty=float("nan"))
        values = [rates.tpr, rates.tnr, rates.precision, rates.care, rates.f()]
        rows.append([str(label), *map(three, values), rates.tp + rates.fn])
    headers = ["class", "sensitivity (recall)", "specificity", "PPV (precision)", "NPV (care)", "F", "rows"]
    return grid_of(headers, rows, f"{evidence.chosen_title}, class by class")
