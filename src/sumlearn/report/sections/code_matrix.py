"""The code of classes that are told apart by many two-class problems."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import plots
from ..blocks import Block, Chart, Section, grid_of
from ..evidence import Evidence
from ..plots.code_matrix import MOST_CLASSES, MOST_PROBLEMS, least_distance


def code_matrix(evidence: Evidence) -> Section | None:
    """Of a model that has code words."""
    learner: Any = evidence.model.model.learner_
    book = getattr(learner, "code_book_", None)
    if book is None or not np.size(book):
        return None
    words, labels = np.asarray(book) > 0, [str(label) for label in learner.coded_classes_.tolist()]
    near = least_distance(words)
    caption = "A row is the word of a class, a column is a problem: classes with + are told from those with −."
    if words.shape[0] > MOST_CLASSES or words.shape[1] > MOST_PROBLEMS:
        caption += f" Shown are the first of {words.shape[0]} classes and {words.shape[1]} problems."
    rows = []
    for k, word in enumerate(words):
        apart = (words != word).sum(axis=1)
        apart[k] = words.shape[1] + 1
        other = int(apart.argmin())
        rows.append([labels[k], labels[other], int(apart[other]), (int(apart[other]) - 1) // 2])
    told = "The nearest word to that of each class; up to so many models may err, and it is still the nearest"
    blocks: list[Block] = [
        Chart("code", plots.code_matrix(learner), caption),
        grid_of(["class", "nearest class", "places that differ", "errors outvoted"], rows, told),
    ]
    sides = np.minimum(words.sum(axis=0), (~words).sum(axis=0))
    idle = int((sides == 0).sum())
    lead = (
        f"{words.shape[1]} two-class models tell {words.shape[0]} classes apart: the class is named whose word is "
        f"nearest to their answers. Any two words differ in {near} places or more."
    )
    if idle:
        lead += f" {idle} of the problems have all classes on one side, and say nothing."
    return Section("code", "The code of the classes", lead, blocks)
