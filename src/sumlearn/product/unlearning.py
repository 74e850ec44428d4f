"""The proof of unlearning: a model after forgetting beside the model that never saw the rows.

    hash = sha256(kind, parameters, sums)     sums: the fields by name, and their numbers, as in a model file

The second model is fitted to the remaining rows by the same parameters and the same schema. Sums that are exact give
equal hashes; others differ by their rounding, which is measured.
"""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, NamedTuple

import numpy as np

from ..saving.fields import to_fields
from ..saving.manifest import parameters_of
from ..saving.names import name_of
from ..statistics import Statistic
from ..statistics.statistic import Words
from .labelled_rows import labelled_rows
from .problems import DataProblem
from .row_ledger import SHOWN, RowLedger
from .tables import tables_of
from .trained import TrainedModel

ROUNDING = 1e-6  # relative; more is no rounding: other rows


class Unlearnt(NamedTuple):
    """Hashes of the model after forgetting and of the one that never saw the rows, and how far they are apart.

    `rows` is how many rows remain, `compared` whether each of them was held against the hashes of the model's rows.
    `sums` and `coefficients` are the largest relative differences; None where a model has no such thing.
    """

    forgotten: str
    never: str
    rows: int
    compared: bool
    sums: float | None
    coefficients: float | None

    @property
    def equal(self) -> bool:
        return self.forgotten == self.never


def unlearnt(model: TrainedModel, remaining: Any, name: str) -> Unlearnt:
    """Hold a model that has forgotten rows against the rows that remain; others than those that it holds are refused.

    >>> from sumlearn.product import read_table, train
    >>> iris = read_table("iris")
    >>> model = train(iris, models="lda", cv=2).model.forget(iris.frame.slice(100, 50))
    >>> proof = unlearnt(model, iris.frame.slice(0, 100), "the rest")
    >>> proof.rows, proof.compared, proof.sums < 1e-12
    (100, True, True)
    >>> unlearnt(model, iris.frame.slice(1, 100), "the rest")
    Traceback (most recent call last):
    sumlearn.product.problems.DataProblem: the rest is not what the model holds: row 99 is not in the model (or was ...
    """
    fresh = copy.deepcopy(model.model)
    fresh.statistic_ = fresh.statistic_.zero()
    fresh.unsolved()
    ledger = None if model.ledger is None else RowLedger.of_dict(model.ledger)
    count, strange = 0, []
    for table in tables_of(remaining, model.reading(labelled=True)):
        rows = labelled_rows(table, model.facts)
        if ledger is not None:
            ledger, there = ledger.without(rows.words)
            strange += (table.first + np.flatnonzero(~there)).tolist()
        fresh.partial_fit(rows.features, rows.values, rows.weight)
        count += len(rows.values)
    left = model.facts["rows"] - count if ledger is None else ledger.count
    refuse_others(name, strange, left)
    pair = (model.model, fresh)
    apart = relative_difference(*(one.statistic_ for one in pair))
    if apart is None or apart > ROUNDING:
        raise DataProblem(f"{name} is not what the model holds: the sums of its rows are other ones")
    forgotten, never = map(hash_of, pair)
    return Unlearnt(forgotten, never, count, ledger is not None, apart, coefficients_apart(*pair))


def refuse_others(name: str, strange: list[int], left: int) -> None:
    """Rows that the model does not hold, and rows of the model that are not there."""
    said = []
    if strange:
        shown = ", ".join(map(str, strange[:SHOWN])) + (", ..." if len(strange) > SHOWN else "")
        many = len(strange) > 1
        said.append(f"row{'s' if many else ''} {shown} {'are' if many else 'is'} not in the model (or was read before)")
    if left:
        what = "the model holds" if left > 0 else "the model lacks"
        said.append(f"{what} {abs(left)} row{'s' if abs(left) > 1 else ''} that {'it lacks' if left > 0 else 'it has'}")
    if said:
        raise DataProblem(f"{name} is not what the model holds: {'; '.join(said)}")


def hash_of(model: Any) -> str:
    """SHA-256 of what a TableModel on sums is: the classes, the parameters, and the sums to the bit."""
    structure, run = to_fields(model.statistic_)
    kinds = [name_of(type(model)), name_of(type(model.plain_learner))]
    what = [kinds, parameters_of(model) | {"learner": parameters_of(model.plain_learner)}, structure]
    digest = hashlib.sha256(json.dumps(what, sort_keys=True).encode())
    digest.update(run)
    return digest.hexdigest()


def relative_difference(a: Any, b: Any) -> float | None:
    """The largest difference of numbers that correspond, beside the largest number of their array; None: other forms.

    >>> relative_difference({"a": np.array([1.0, 4.0])}, {"a": np.array([1.0, 5.0])})
    0.2
    """
    found = [0.0]
    for mine, theirs in pairs(a, b):
        if mine is None or np.shape(mine) != np.shape(theirs):
            return None
        scale = max(np.abs(mine).max(initial=0.0), np.abs(theirs).max(initial=0.0))
        if scale > 0 and np.isfinite(scale):
            found.append(float(np.abs(np.subtract(mine, theirs)).max() / scale))
    return max(found)


def pairs(a: Any, b: Any) -> Iterator[tuple[Any, Any]]:
    """Arrays of numbers that correspond; a pair with None where the two have other forms."""
    if type(a) is not type(b):
        yield None, None
    elif isinstance(a, Words):
        yield np.asarray(a.hi + a.lo, dtype=float), np.asarray(b.hi + b.lo, dtype=float)
    elif isinstance(a, Mapping):
        if a.keys() != b.keys():
            yield None, None
        else:
            for key in a:
                yield from pairs(a[key], b[key])
    elif isinstance(a, np.ndarray) and a.dtype.kind in "fiub":
        yield a.astype(float), b.astype(float)
    elif isinstance(a, list | tuple):
        for one, other in zip(a, b, strict=len(a) == len(b)):
            yield from pairs(one, other)
    elif isinstance(a, Statistic) or is_dataclass(a):
        for field in fields(a):  # type: ignore[arg-type]
            if field.init and "rounding" not in field.name:  # how precise a sum is, not what it is
                yield from pairs(getattr(a, field.name), getattr(b, field.name))
    elif isinstance(a, float):
        yield np.array([a]), np.array([b])


def coefficients_apart(a: Any, b: Any) -> float | None:
    """The largest relative difference of what the two models answer with, where they have coefficients."""
    if not hasattr(a.plain_learner, "coef_") and not hasattr(type(a.plain_learner), "coef_"):
        return None
    return relative_difference(*(np.asarray(model.solved()["learner_"].coef_, dtype=float) for model in (a, b)))
