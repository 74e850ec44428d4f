"""Files that still know rows which a model has forgotten: what a certificate names, to be destroyed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ..learners.sum_algebra import versions_in
from ..saving import load
from .folder import FILES, MODEL, REPORT
from .labelled_rows import labelled_rows
from .problems import DataProblem
from .repeats import identity_of
from .row_ledger import RowLedger
from .tables import tables_of
from .trained import TrainedModel

ENDINGS = (".skops", ".sumlearn")
BESIDE = {  # what else `train` writes, and what it knows
    "predictions.csv": "answers to single rows",
    REPORT: "sums of folds, and single rows",
    "metrics.json": "scores and figures of the rows",
}


class Knowing(NamedTuple):
    """A file, and what it knows; a file that is not at hand has no path."""

    path: Path | None
    why: str


def files_that_know(old: TrainedModel, path: Path, written: Path, rows: Any) -> list[Knowing]:
    """Files beside a model, and those that its history tells of, that still know rows which were forgotten.

    `path` is the file that the model was read from, `written` the one without the rows, `rows` those forgotten.
    """
    folder = path.absolute().parent
    found = [Knowing(file, why) for file, why in models_that_know(old, folder, written, rows)]
    if (folder / "run.toml").exists() or (folder / MODEL).exists():
        found += [Knowing(folder / name, why) for name, why in BESIDE.items() if (folder / name).is_file()]
    found += [Knowing(place, "sums of a run that was interrupted") for place in unfinished(folder)]
    shared = versions_in(vars(old).get("_shared"))
    if shared:
        found.append(Knowing(None, f"{len(shared)} file{'s' if len(shared) > 1 else ''} shared of the model"))
    sources = dict.fromkeys(event["source"] for event in old.facts["history"] if event.get("source"))
    if sources:
        found.append(Knowing(None, f"the tables that it learnt from: {', '.join(sources)}"))
    return found


def models_that_know(old: TrainedModel, folder: Path, written: Path, rows: Any) -> Iterator[tuple[Path, str]]:
    """Models in a folder that were made of the same rows, and hold some of those; drafts of killed writers too."""
    for file in sorted(folder.iterdir()):
        if not file.is_file() or file.absolute() == written.absolute():
            continue
        if file.name.startswith(".") and file.suffix == ".tmp":
            yield file, "what a writer that was killed left behind"
        elif file.suffix in ENDINGS:
            try:
                model: Any = load(file)
            except (ValueError, OSError):
                continue
            related = isinstance(model, TrainedModel) and set(identity_of(model)) & set(identity_of(old))
            if related and holds(model, rows):
                yield file, f"a model of {model.facts['rows']} rows, those among them"


def holds(model: TrainedModel, rows: Any) -> bool:
    """Whether a model holds any of some rows; one without hashes may."""
    if model.ledger is None:
        return bool(model.facts["rows"])
    ledger = RowLedger.of_dict(model.ledger)
    try:
        tables = tables_of(rows, model.reading(labelled=True))
        return any(ledger.held(labelled_rows(table, model.facts).words).any() for table in tables)
    except DataProblem:  # it reads them otherwise
        return True


def unfinished(folder: Path) -> list[Path]:
    """Checkpoints of runs that were interrupted, in a folder and beside it."""
    places = [*folder.iterdir(), *folder.parent.glob(f"{folder.name}.unfinished")]
    return sorted(place for place in places if place.is_dir() and place.suffix in (".unfinished", ".checkpoint"))


assert set(BESIDE) <= {*FILES, REPORT}
