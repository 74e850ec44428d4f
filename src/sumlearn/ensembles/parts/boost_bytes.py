"""Rows of a boosting in memory: a byte for each value, targets and weights as the loss takes them."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...data import Chunk, Source
from ...engines.summing import NO_WEIGHT, summary_of_part
from ...learners.batches import in_order
from ...learners.linear.parts.class_weight import class_factors
from ...learners.trees.parts.binning import BinEdges
from ...learners.validation import usable_rows
from ...statistics import RowError
from ...statistics.row_checks import available_memory, check_range, raise_if_not_finite
from .boost_plan import BoostFacts, BoostTask
from .boost_sums import exact_total


class ByteRows(NamedTuple):
    """Rows as bytes, with targets and weights."""

    codes: np.ndarray
    y: np.ndarray
    weight: np.ndarray | None
    X: np.ndarray | None = None  # the rows themselves, where a model is to start from

    def take(self, rows: np.ndarray) -> ByteRows:
        weight, X = (None if array is None else array[rows] for array in (self.weight, self.X))
        return ByteRows(self.codes[rows], self.y[rows], weight, X)


def task_and_rows(owner: Any, rows: ByteRows, features: int, names: Any) -> tuple[BoostTask, ByteRows]:
    """What is to be learnt, and the rows with targets and weights as the loss takes them."""
    y, weight = rows.y, rows.weight
    if owner.target == "number":
        total = float(len(y)) if weight is None else exact_total(weight)
        return owner.task_of(BoostFacts(features, names, total, None, float(y.min()), float(y.max()))), rows
    classes, codes = np.unique(y, return_inverse=True)
    factors = class_factors(owner_class_weight(owner), classes, np.bincount(codes, weight, minlength=len(classes)))
    if factors is not None:
        weight = factors[codes] if weight is None else weight * factors[codes]
    total = float(len(y)) if weight is None else exact_total(weight)
    task = owner.task_of(BoostFacts(features, names, total, classes))
    return task, rows._replace(y=task.plan.loss.coded(codes), weight=weight)


def owner_class_weight(owner: Any) -> Any:
    return getattr(owner, "class_weight", None)


def gathered(source: Source, edges: BinEdges, owner: Any) -> ByteRows:
    """All rows that weigh something, as bytes."""
    parts: list[ByteRows] = []
    code = partial(coded_rows, edges, owner.target, source.gaps, owner.n_jobs, owner.keeps_rows)
    count = 0
    for part in in_order(source):
        parts.append(summary_of_part(code, source, part))
        count += len(parts[-1].y)
        need = count * (source.features * (11 if owner.keeps_rows else 3) + 64)
        have = available_memory()
        if need > have:
            raise ValueError(
                f"{type(owner).__name__} with method='memory' keeps all rows as bytes: {count} rows of "
                f"{source.features} columns need {need / 2**30:.2f} GiB, {have / 2**30:.2f} GiB are there; use "
                "method='passes', or fit on fewer rows"
            )
    if not count:
        raise ValueError(NO_WEIGHT)
    codes, y, weight = (
        np.concatenate(arrays) if len(arrays) > 1 else arrays[0] for arrays in list(zip(*parts, strict=True))[:3]
    )
    with np.errstate(over="ignore"):
        check_range(weight.sum())
    X = np.concatenate([part.X for part in parts]) if owner.keeps_rows else None
    return ByteRows(codes, y, None if (weight == 1.0).all() else weight, X)


def coded_rows(
    edges: BinEdges, target: str, gaps: bool, n_jobs: int | None, keeps_rows: bool, chunk: Chunk
) -> ByteRows:
    rows = usable_rows(chunk, sparse_ok=False, gaps=gaps)
    y = np.asarray(rows.y)
    if target == "number":
        y = y.astype(np.float64)
        if not np.isfinite(y).all():
            kept = None if chunk.weight is None else np.flatnonzero(chunk.weight)
            try:
                raise_if_not_finite(y, "y")
            except RowError as error:
                raise RowError("y", error.row if kept is None else int(kept[error.row]), None, error.value) from None
    return ByteRows(edges.codes(rows.X, n_jobs), y, rows.weight, rows.X if keeps_rows else None)
