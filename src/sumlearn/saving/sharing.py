"""What may leave the house: a model whose sums tell of no level, pair or class that few rows have.

Levels of few rows become one with the next larger ones, missing values of few rows are filled, columns for which that
is not enough are left out. All of these are matrices on the sums, so the shared model adds up like any other. What
cannot be mended so is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.sparse import dok_array

from ..data.schema import LEVELS
from ..features.table.codes import Part
from ..features.table.sums import TableSums, flags_in
from ..learners.owners import shares_of
from ..learners.sum_algebra import SumAlgebra
from .cells import EVERY, POOLED, Atom, Cells, cells_of, holds_rows
from .disclosure import Finding, digest_of, disclosure, rare_cells, statistic_of, version_findings, versions_of

SHOWN = 5  # findings that a refusal names


@dataclass
class SharingPlan:
    """What is done to the sums of a table, by name of the column."""

    pooled: dict[str, list[str]] = field(default_factory=dict)
    filled: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    def told(self) -> list[str]:
        """In words that name no level."""
        kept = [(name, levels) for name, levels in self.pooled.items() if name not in self.left_out]
        words = [f"{len(levels)} levels of {name!r} became one" for name, levels in kept]
        words += [f"missing values of {name!r} were filled with its mean" for name in self.filled]
        return words + [f"{name!r} was left out" for name in self.left_out]


def shared(model: Any, least: int, others: Iterable[dict[str, Any]] = ()) -> tuple[Any, dict[str, Any]]:
    """A copy of a model that may be shared, which says what was done, and the record that stays with the model.

    `others` are records of what was shared of the same rows by other files. Raises ValueError where few rows can be
    told and nothing helps.
    """
    statistic = statistic_of(model)
    if statistic is None or not (hasattr(model, "shared_as") or isinstance(model, SumAlgebra)):
        raise ValueError(
            f"it is not shared: a {type(model).__name__} has no sums in which rows could be counted"
            + getattr(model, "advice_to_share", "")
        )
    if not statistic.rows:
        raise ValueError("it is not shared: it has forgotten all its rows")
    refuse([Finding("rows", (), statistic.rows)] if holds_rows(statistic) else [])
    plan, own, before = SharingPlan(), digest_of(statistic), [*versions_of(model), *shares_of(model)]
    records = {record["digest"]: record for record in [*others, *reversed(before)]}  # the newest of a kind
    same, versions = records.pop(own, None), list(records.values())
    if isinstance(statistic, TableSums):
        plan = planned(statistic, least, versions, same)
        statistic = applied(statistic, plan)
    copy = model.shared_as(statistic) if hasattr(model, "shared_as") else bare(model, statistic)
    copy._done = {"least": least, "done": plan.told()}
    refuse(disclosure(copy, least))
    cells = cells_of(statistic, getattr(model, "feature_names_in_", None))
    if cells is None:
        raise ValueError(f"it is not shared: in sums of the kind of a {type(model).__name__} no cells are counted")
    refuse(finding for record in versions for finding in version_findings(cells, with_pools(record, plan), least))
    kept = {"atoms": list(cells.atoms)} | {name: getattr(cells, name) for name in ("rows", "sizes", "counts")}
    # what is out is known to others: the copy says so to whoever changes it or adds it to his own
    copy._shared = {**kept, **vars(SharingPlan()), "digest": digest_of(statistic), "earlier": []}
    return copy, {**kept, **vars(plan), "digest": own, "earlier": versions[::-1]}


def bare(model: Any, statistic: Any) -> Any:
    """A learner on these sums, and nothing else that it knew of its rows."""
    work = model.twin()
    for name in ("_ledger", "_shared"):
        work.__dict__.pop(name, None)
    work.statistic_ = statistic
    return work.unsolved()


def refuse(findings: Iterable[Finding]) -> None:
    found = [str(finding) for finding in findings]
    if found:
        more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
        raise ValueError(f"it is not shared: {'; '.join(found[:SHOWN])}{more}")


# -- tables ------------------------------------------------------------------------------------------------------------


def planned(
    statistic: TableSums, least: int, versions: Sequence[dict[str, Any]], same: dict[str, Any] | None
) -> SharingPlan:
    """Pool, fill and leave out until no cell is rare; what was done for an earlier version stays done.

    `versions` were shared of other rows, `same` of the same ones.
    """
    plan = SharingPlan()
    for record in [*versions, *([] if same is None else [same])]:
        plan.pooled |= {name: sorted({*plan.pooled.get(name, []), *v}) for name, v in record["pooled"].items()}
        plan.filled += [name for name in record["filled"] if name not in plan.filled]
        plan.left_out += [name for name in record["left_out"] if name not in plan.left_out]
    while True:
        cells = cells_of(statistic, None, {name: set(levels) for name, levels in plan.pooled.items()})
        assert cells is not None
        cells = without(cells, plan)
        found = rare_cells(cells, least)
        for record in versions:
            found += version_findings(cells, with_pools(record, plan), least)
        kinds = {column.name: column.kind for column in statistic.schema.used}
        refuse(finding for finding in found if not any(atom[0] in kinds for atom in finding.where))
        if not found:
            return plan
        size = dict(zip(cells.atoms, cells.counts[EVERY], strict=True))
        atoms = {atom for finding in found for atom in finding.where if atom[0] in kinds}
        mend(plan, min(atoms, key=lambda atom: (size[atom], atom)), size, kinds)


def mend(plan: SharingPlan, atom: Atom, size: dict[Atom, float], kinds: dict[str, str]) -> None:
    """Let a rare atom be rare no more."""
    name, level = atom
    others = [other for other in size if other[0] == name and other != atom]
    if kinds[name] in LEVELS and len(others) > 1:
        partner = (name, POOLED) if (name, POOLED) in others else min(others, key=lambda other: (size[other], other))
        new = {level, partner[1]} - {POOLED}
        plan.pooled[name] = sorted({*plan.pooled.get(name, []), *new})
    elif kinds[name] not in LEVELS and level == "missing" and others == [(name, "present")]:
        plan.filled.append(name)
    else:
        plan.left_out.append(name)


def without(cells: Cells, plan: SharingPlan) -> Cells:
    """The cells of the columns that are left, without the gaps that are filled."""
    gone = {*plan.left_out}
    keep = [j for j, (name, level) in enumerate(cells.atoms) if name not in gone and not (
        name in plan.filled and level in ("missing", "present"))]  # fmt: skip
    counts = {label: values[keep] for label, values in cells.counts.items()}
    pairs = {label: values[np.ix_(keep, keep)] for label, values in cells.pairs.items()}
    atoms = tuple(cells.atoms[j] for j in keep)
    return Cells(cells.rows, cells.weight, cells.columns, atoms, cells.sizes, counts, pairs)


def with_pools(record: dict[str, Any], plan: SharingPlan) -> dict[str, Any]:
    """What was shared, by the levels that are left now: whoever has both versions can add his up in the same way."""
    old = [tuple(atom) for atom in record["atoms"]]
    names = [(name, POOLED if level in plan.pooled.get(name, ()) else level) for name, level in old]
    atoms = list(dict.fromkeys(names))
    counts = {label: np.zeros(len(atoms)) for label in record["counts"]}
    for label, values in record["counts"].items():
        np.add.at(counts[label], [atoms.index(name) for name in names], values)
    return {**record, "atoms": atoms, "counts": counts}


def applied(statistic: TableSums, plan: SharingPlan) -> TableSums:
    """The sums by a plan: a matrix on them."""
    reason = "few rows of a kind when the model was shared"
    schema = statistic.schema.without(dict.fromkeys(plan.left_out, reason))
    used = {column.name for column in schema.used}
    mean = dict(zip(statistic.parts, statistic.overall().mean.tolist(), strict=False))
    goes: dict[Part, Part | None] = {}
    for name, part in statistic.parts:
        if name not in used or (name in plan.filled and part == "missing"):
            goes[name, part] = None
        else:
            goes[name, part] = (name, POOLED if part in plan.pooled.get(name, ()) else part)
    parts = tuple(sorted({part for part in goes.values() if part is not None}))
    place = {part: j for j, part in enumerate(parts)}
    A = dok_array((len(statistic.parts), len(parts)))
    for i, target in enumerate(goes.values()):
        if target is not None:
            A[i, place[target]] = 1.0
    for name in plan.filled:
        gap = mean[name, "missing"]
        for kind in ("value", "month", "weekday"):
            if (name, kind) in place:
                A[statistic.parts.index((name, "missing")), place[name, kind]] = mean[name, kind] / (1.0 - gap)
    sums = statistic.sums.recode(A.tocsc())
    return TableSums(schema, parts, sums.settle(flags_in(schema, parts, sums)))
