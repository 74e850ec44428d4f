"""Quasi-complete separation: along which direction some rows are separated from all others, and which rows they are."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ....data import Chunk, InMemory, Rows
from ....objectives import Frame
from ....statistics import Total
from ...validation import term_name

MOVED = 1e-4  # of a step in deviations of the columns: rows whose margin grows by less lie on the border
NAMED = 5  # columns and rows


def whereabouts(learner: Any, objective: Any, direction: np.ndarray, classes: np.ndarray | None) -> str:
    """The sentence: "along +1 flag (in standard deviations) 20 of 200 rows (3, 5, 8, ...)"."""
    d = objective.frame.features
    step = direction[:, :d] / np.abs(direction[:, :d]).max()
    k = int(np.abs(step).max(axis=1).argmax())
    columns = [j for j in np.argsort(-np.abs(step[k]), kind="stable") if abs(step[k, j]) > 1e-2]
    terms = [f"{step[k, j]:+.2g} {column(learner, int(j))}" for j in columns[:NAMED]]
    whose = f" for class {classes[k].item()!r}" if len(step) > 1 and classes is not None else ""
    source = objective.source
    if isinstance(source, InMemory):
        rows = np.flatnonzero(moved(source.chunk(Rows(slice(0, source.rows))), objective.frame, direction))
        count, total = len(rows), source.rows
        which = f" ({', '.join(map(str, rows[:NAMED]))}{', ...' if count > NAMED else ''})"
    else:
        sums = objective.total(partial(counted, frame=objective.frame, direction=direction), 8)
        count, total, which = int(sums.values[0]), sums.rows, ""
    along = " ".join(terms) + (" ..." if len(columns) > NAMED else "")
    return f"along {along}{whose} (in standard deviations), {count} of {total} rows{which}"


def column(learner: Any, j: int) -> str:
    name = term_name(learner, j)
    return f"column {name}" if isinstance(name, int) else str(name)


def counted(chunk: Chunk, frame: Frame, direction: np.ndarray) -> Total:
    return Total(np.array([moved(chunk, frame, direction).sum()]), float(chunk.X.shape[0]), chunk.X.shape[0])


def moved(chunk: Chunk, frame: Frame, direction: np.ndarray) -> np.ndarray:
    """Rows whose margin grows along a direction; labels are -1 and 1, or numbers of classes."""
    coef, constant = frame.scoring(direction)
    change = frame.rows(chunk.X) @ coef.T + constant
    if change.shape[1] == 1:
        growth = change[:, 0] * chunk.y
    else:
        growth = change[np.arange(len(change)), np.asarray(chunk.y).astype(int)] - change.min(axis=1)
    present = True if chunk.weight is None else chunk.weight > 0
    return (growth > MOVED * np.abs(direction).max()) & present
