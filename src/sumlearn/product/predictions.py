"""Answers to rows that were left out, as a table."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .nested_answers import NestedAnswers
from .training_problem import Problem

OWN = ("row", "split", "model", "prediction")
NUMBER = re.compile(r"[+-]?[\d.,]+([eE][+-]?\d+)?")
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet would run such a text


def out_of_fold(problem: Problem, nested: NestedAnswers, who: str, ids: Sequence[str]) -> dict[str, list[Any]]:
    """One line for every row left out: its number in the table, its ids, split, target, answer, and scores."""
    rows, answers = nested.pooled(who)
    target = problem.target
    frame = problem.frame.take(rows)
    columns: dict[str, list[Any]] = {"row": target.rows[rows].tolist()}
    columns |= {title_of(name, "id"): frame.column(name).to_pylist() for name in ids}
    columns["split"] = [number for number, (_, test) in enumerate(nested.splits) for _ in test]
    columns["model"] = [who] * len(rows)
    columns[title_of(target.name, "target")] = target.values[rows].tolist()
    columns["prediction"] = answers.labels.tolist()
    columns |= score_columns(answers.scores, target.positive, target.classes.tolist())
    order = np.lexsort((columns["split"], columns["row"]))
    return {name: [values[i] for i in order] for name, values in columns.items()}


def title_of(name: str, what: str) -> str:
    """What a column of the table is called beside the predictions; their own names are taken.

    >>> title_of("age", "target"), title_of("model", "target")
    ('age', 'model (target)')
    """
    return f"{name} ({what})" if name in OWN or name.startswith(("score ", "probability ")) else name


def score_columns(scores: Any, positive: Any, classes: Sequence[Any], what: str = "score") -> dict[str, list[float]]:
    """Scores by the class that they are high for."""
    if scores is None:
        return {}
    if scores.ndim == 1:
        return {f"{what} {positive}": scores.tolist()}
    return {f"{what} {label}": scores[:, k].tolist() for k, label in enumerate(classes)}


def csv_text(columns: Mapping[str, Sequence[Any]], labels: Sequence[str] = (), header: bool = True) -> str:
    """A CSV that a spreadsheet does not run: free text that begins like a formula gets an apostrophe.

    Numbers never do, nor do class labels, in the columns named by `labels`: predictions must join with the data.

    >>> print(csv_text({"note": ["=1+1", "fine"], "x": [-1.5, 2.0], "class": ["+", "-"]}, ["class"]), end="")
    note,x,class
    '=1+1,-1.5,+
    fine,2.0,-
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    if header:
        writer.writerow([safe(name) for name in columns])
    cells = [values if name in labels else [safe(v) for v in values] for name, values in columns.items()]
    writer.writerows(zip(*cells, strict=True))
    return out.getvalue()


def safe(value: Any) -> Any:
    """
    >>> safe("=1+1"), safe("-1.5"), safe("-1+1")
    ("'=1+1", '-1.5', "'-1+1")
    """
    runs = isinstance(value, str) and value.startswith(FORMULA) and not NUMBER.fullmatch(value)
    return f"'{value}" if runs else value
