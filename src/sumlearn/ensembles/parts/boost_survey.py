"""What boosting by passes must know before its first round: labels, weights, and which rows are held back."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ...data import Chunk
from ...learners.linear.parts.class_weight import class_factors
from ...statistics.row_checks import check_range
from .boost_blocks import BoostBlock, BoostBlocks, BoostReader, Masses, Tallies
from .boost_bytes import owner_class_weight
from .boost_plan import BoostFacts, BoostTask
from .boost_stopping import extremes
from .boost_sums import FINE, MOST_TIMES, scale_of, size_of, size_table


def surveyed(owner: Any, blocks: BoostBlocks, features: int, names: Any) -> BoostTask:
    """The task, from two to four passes: labels, weights and which rows are held back; the reader learns of them."""
    seen = blocks.chunks(labels_and_parts)
    parts, masses, weight = seen.sums
    starts = np.concatenate([[0], np.cumsum([parts[first] for first in sorted(parts)])])
    firsts = {first: int(start) for first, start in zip(sorted(parts), starts[:-1], strict=True)}
    classes, factors = None, None
    if owner.target == "number":
        facts = BoostFacts(features, names, weight, None, float(seen.least[0][0]), float(-seen.least[0][1]))
    else:
        labels = sorted(masses)
        classes = np.array(labels)
        own = np.array([masses[label] for label in labels])
        factors = class_factors(owner_class_weight(owner), classes, own)
        facts = BoostFacts(features, names, float((own if factors is None else own * factors).sum()), classes)
    task = owner.task_of(facts)
    plan, stopping = task.plan, task.stopping
    blocks.reader = blocks.reader._replace(
        loss=plan.loss, classes=classes, factors=factors, firsts=firsts, seed=plan.seed
    )
    if stopping is not None and stopping.fraction is not None:
        extreme = blocks.chunks(extreme_hashes).least[0]
        blocks.reader = blocks.reader._replace(fraction=stopping.fraction, extreme=extreme)
    weigh(blocks)
    plan.warn_of_light_rows(blocks.reader.total, seen.count)
    blocks.keep(seen.count, plan.loss.outputs)
    return task


def labels_and_parts(reader: BoostReader, chunk: Chunk, numbers: np.ndarray) -> Tallies:
    """Rows that count in every part, labels and their weights, the ends of the targets."""
    rows = reader.rows(chunk)
    assert rows.weight is not None
    parts = Masses({int(numbers[0]): len(rows.y)} if len(rows.y) else {})
    with np.errstate(over="ignore"):
        weight = float(rows.weight.sum())
    check_range(weight)
    if reader.target == "number":
        ends = np.array([rows.y.min(initial=np.inf), -rows.y.max(initial=-np.inf)])
        return Tallies.of(len(rows.y), parts, Masses(), weight, least=(ends,))
    labels, codes = np.unique(rows.y, return_inverse=True)
    masses = np.bincount(codes, rows.weight, minlength=len(labels))
    return Tallies.of(len(rows.y), parts, Masses(zip(labels.tolist(), masses.tolist(), strict=True)), weight)


def extreme_hashes(reader: BoostReader, chunk: Chunk, numbers: np.ndarray) -> Tallies:
    rows = reader.rows(chunk)
    labels = np.zeros(len(rows.y), np.int64) if reader.classes is None else reader.loss.class_numbers(rows.y)  # type: ignore[union-attr]
    many = 1 if reader.classes is None else len(reader.classes)
    return Tallies.of(len(rows.y), least=(extremes(reader.place(len(rows.y), numbers), labels, many, reader.seed),))


def weigh(blocks: BoostBlocks) -> None:
    """Whether weights are whole, and their sum over the rows that are learnt from."""
    seen = blocks.total(weight_sizes)
    fractions, whole, table = seen.sums
    if not fractions and whole <= MOST_TIMES:
        blocks.reader = blocks.reader._replace(whole=True, total=float(whole))
        return
    scale = scale_of(size_of(table), FINE)
    total = int(blocks.total(partial(weight_sum, scale)).sums[0]) / scale
    blocks.reader = blocks.reader._replace(whole=False, total=total, unit=scale_of(total, 2.0**40))


def weight_sizes(block: BoostBlock) -> Tallies:
    weight = block.rows.weight
    assert weight is not None
    return Tallies.of(len(weight), int((weight != np.floor(weight)).sum()), float(weight.sum()), size_table(weight))


def weight_sum(scale: float, block: BoostBlock) -> Tallies:
    assert block.rows.weight is not None
    return Tallies.of(len(block.rows.y), int(np.rint(block.rows.weight * scale).astype(np.int64).sum()))


def codes_present(block: BoostBlock) -> Tallies:
    """0 where a column has a code, else 1."""
    codes = block.rows.codes
    absent = np.ones((codes.shape[1], 256), np.uint8)
    for own, column in zip(absent, codes.T, strict=True):
        own[np.unique(column)] = 0
    return Tallies.of(len(codes), least=(absent,))
