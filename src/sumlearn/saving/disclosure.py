"""disclosure: what the sums of a model tell of few rows, before they leave the house."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from ..learners.fitted import Holder
from ..learners.sum_algebra import versions_in
from ..statistics import Expansion, Ledger, Statistic, Total
from . import archive
from .cells import EVERY, Atom, Cells, cells_of, holds_rows, parts_of
from .fields import to_fields
from .names import is_ours
from .packing import Packer

LEAST = 5  # rows; of fewer a sum says much about each
# What learners hold that is made of names or parameters, or was shared already
NAMED = {"classes_", "feature_names_in_", "_summed_by", "_shared", "_done", "_metadata_request"}


class Finding(NamedTuple):
    """Something that few rows have.

    `kind` is "level" (a level, or a flag), "pair" (of two columns), "group" (a class, or a level within one), "leaf" (a
    step of time and a key of a cube, of few rows or of no more than there are columns), "version" (what changed since
    the model was shared), "rows" (rows are there, or follow from the sums), "weights" (the weight of a level does not
    tell its rows), "hashes" or "unknown" (a statistic that nobody can count).
    """

    kind: str
    where: tuple[Atom, ...]
    rows: int
    label: str = ""

    def __str__(self) -> str:
        places = " and ".join(f"{column} {level}".replace(" =", " = ") for column, level in self.where)
        within = f" of class {self.label[1:]}" if self.label else ""
        if self.kind == "group" and not self.where:
            return f"group: class {self.label[1:]} has {count(self.rows)}"
        if self.kind == "version":
            which = f" with {places}" if places else ""
            return f"version: since the model was shared {count(self.rows)}{which}{within} changed"
        if self.where:
            return f"{self.kind}: {places}{within}, {count(self.rows)}"
        return f"{self.kind}: {TEXTS[self.kind].format(rows=self.rows)}"


TEXTS = {
    "rows": "rows are held, or no more than columns are: they can be told from what is there ({rows})",
    "weights": "rows are weighted, so that the weight of a level does not tell its rows",
    "hashes": "hashes of {rows} rows: whoever can guess a row can ask whether it was learnt",
    "unknown": "a statistic or an estimator whose content nobody has counted",
}


def count(rows: int) -> str:
    return f"{rows} row{'' if rows == 1 else 's'}"


def disclosure(model: Any, least: int = LEAST) -> list[Finding]:
    """What the sums of a model tell about fewer than `least` rows.

        n_j = W m_j,   n_jk = W m_j m_k + S_jk       rows with a level, or flag, and with two of them

    Sums are not anonymous. A level that one person has gives the whole row back, target included: its products with the
    other columns are that row. So does an amount that one person has where all others have zero. Two versions of a
    model differ by the rows between them. Named are levels, flags and such amounts, pairs of them, classes, and changes
    since the model was last shared; rows and hashes that are kept as such.

    An empty list is no proof of anonymity. Other numbers are not looked at (a single large income stands out of a
    sum), nor is what others know already, nor versions that were handed on otherwise than by ``save(share=True)``.
    Pairs are counted within a version, not between two. Sums of ``precision="exact"`` tell more of few rows than
    what is counted here: no rounding hides their last digits.

    Parameters
    ----------
    model : estimator or statistic
        With sums: what has none is named as unknown.
    least : int, default=5
        Rows that a cell must have.

    Returns
    -------
    list of Finding
        (kind, where, rows, label), with a sentence as its text.

    Examples
    --------
    >>> import pandas as pd
    >>> import sumlearn as sl
    >>> table = pd.DataFrame({"age": [30.0, 40, 50, 60, 35, 45, 55, 65], "city": ["Rome"] * 7 + ["Oslo"]})
    >>> model = sl.TableModel(sl.LinearRegression()).fit(table, [1.0, 2, 3, 4, 1, 2, 3, 9])
    >>> for finding in sl.disclosure(model):
    ...     print(finding)
    level: city = Oslo, 1 row

    References
    ----------
    Hundepool et al., "Statistical disclosure control", 2012, ch. 4 (frequency rules).
    """
    if least < 1:
        raise ValueError(f"least must be at least 1, got {least!r}")
    packer = Packer()
    packer.pack(model)
    names = getattr(model, "feature_names_in_", None)
    found = []
    for statistic in packer.sums:
        if hasattr(model, "rare_leaves") and hasattr(statistic, "codes"):  # each leaf is a sum of its own
            found += [Finding("leaf", where, rows) for where, rows in model.rare_leaves(statistic, least)]
        else:
            found += findings_in(statistic, least, names)
    kept = [getattr(value, "kept_rows", 0) for value, _ in packer.known.values() if isinstance(value, BaseEstimator)]
    found += [Finding("rows", (), rows) for rows in kept if rows]  # beside the sums
    hashes = getattr(model, "ledger", None)
    if hashes is not None:
        found.append(Finding("hashes", (), sum(len(part["hashes"]) for part in hashes["parts"])))
    if any(is_uncounted(value) for value, _ in packer.known.values()) or not packer.sums:
        found.append(Finding("unknown", (), 0))
    statistic = statistic_of(model)
    for record in [] if statistic is None else versions_of(model):
        now = cells_of(statistic, names, {name: set(levels) for name, levels in record["pooled"].items()})
        if now is not None and digest_of(statistic) != record["digest"]:
            found += version_findings(now, record, least)
    return list(dict.fromkeys(found))


def versions_of(model: Any) -> list[dict[str, Any]]:
    """The records of what was shared of a model, or of parts of it, the last one first.

    A version may be far from the last one and near to an earlier one, so all of them are kept.
    """
    return versions_in(vars(model).get("_shared"))


def statistic_of(model: Any) -> Any:
    """The sums that a model would share: its own, or those of the part of it that adds up."""
    return getattr(getattr(model, "adding_model", model), "statistic_", None)


def is_uncounted(value: Any) -> bool:
    """Whether an estimator was fitted and holds more than sums, names and other estimators.

    Support vectors, leaves, weights and what is said of every row may be anybody's rows, so what is not known to be
    harmless counts as unknown. A look was taken at rows.
    """
    if not isinstance(value, BaseEstimator):
        return False
    held = {name: item for name, item in vars(value).items() if name not in value.get_params(deep=False)}
    if not any(name.endswith("_") and not name.startswith("__") for name in held):
        return False
    if not is_ours(type(value)) or getattr(value, "looks", False):
        return True
    return not all(name in NAMED or is_harmless(item) for name, item in held.items())


def is_harmless(item: Any) -> bool:
    """Sums, whose rows are counted; estimators, which are looked at themselves; words and whole numbers."""
    if isinstance(item, list | tuple):
        return all(map(is_harmless, item))
    if isinstance(item, BaseEstimator):
        return is_ours(type(item))
    return item is None or isinstance(item, Statistic | Holder | np.dtype | str | int | np.integer)


def digest_of(statistic: Any) -> str:
    """What tells sums that are the same to the bit."""
    said, run = to_fields(statistic)
    return archive.digest_of(json.dumps(said).encode() + run)


def findings_in(statistic: Any, least: int, names: Any = None) -> list[Finding]:
    """What one statistic tells."""
    if isinstance(statistic, Ledger):
        return [Finding("hashes", (), statistic.rows)] if statistic.rows else []
    found = []
    for part in parts_of(statistic):
        if not part.rows:
            continue
        if holds_rows(part):
            found.append(Finding("rows", (), part.rows))
            continue
        cells = cells_of(part, names)
        if part.rows < least or (cells is not None and part.rows <= cells.columns):
            found.append(Finding("rows", (), part.rows))
        if cells is not None:
            found += rare_cells(cells, least)
        elif not isinstance(part, Total | Expansion):
            found.append(Finding("unknown", (), part.rows))
    return found


def rare_cells(cells: Cells, least: int) -> list[Finding]:
    """Cells of some rows, but fewer than `least`."""
    if abs(cells.weight - cells.rows) > 1e-9 * cells.rows:
        return [Finding("weights", (), cells.rows)]
    found = [Finding("group", (), round(n), label) for label, n in cells.sizes.items() if 0.5 < n < least - 0.5]
    for label, counts in cells.counts.items():
        kind = "level" if label == EVERY else "group"
        found += [Finding(kind, (cells.atoms[j],), round(counts[j]), label) for j in few(counts, least)]
    for label, pairs in cells.pairs.items():
        for j, k in few(np.triu(pairs, 1), least):
            if cells.atoms[j][0] != cells.atoms[k][0]:
                found.append(Finding("pair", (cells.atoms[j], cells.atoms[k]), round(pairs[j, k]), label))
    return found


def few(counts: np.ndarray, least: int) -> Any:
    """Where there are rows, but fewer than `least`."""
    places = np.argwhere((np.abs(counts) > 0.5) & (np.abs(counts) < least - 0.5))
    return places[:, 0] if counts.ndim == 1 else places


def version_findings(now: Cells, record: dict[str, Any], least: int) -> list[Finding]:
    """Cells that differ by some rows, but fewer than `least`, from those that were shared."""
    found = [Finding("version", (), abs(now.rows - record["rows"]))] if abs(now.rows - record["rows"]) < least else []
    place = {tuple(atom): j for j, atom in enumerate(record["atoms"])}
    where = [place.get(atom, -1) for atom in now.atoms]
    for label in {**record["counts"], **now.counts}:
        before = np.append(record["counts"].get(label, np.zeros(len(place))), 0.0)[where]
        apart = now.counts.get(label, np.zeros(len(where))) - before
        found += [Finding("version", (now.atoms[j],), round(abs(apart[j])), label) for j in few(apart, least)]
    for label in {**record["sizes"], **now.sizes}:
        apart = np.array([now.sizes.get(label, 0.0) - record["sizes"].get(label, 0.0)])
        found += [Finding("version", (), round(abs(apart[0])), label) for _ in few(apart, least)]
    return found
