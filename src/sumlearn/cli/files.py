"""Model files of the command line: which file is meant, and where a new one goes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from .output import Output

if TYPE_CHECKING:
    from ..product.trained import TrainedModel


def model_path(text: str) -> Path:
    """The file that is meant: itself, or the newest model in a folder that `train` wrote."""
    from ..product.folder import newest_model, restore_folder
    from ..product.problems import DataProblem

    path = Path(text)
    restore_folder(path)
    if path.is_dir():
        path = newest_model(path)
    if not path.is_file():
        raise DataProblem(f"there is no model file {str(path)!r}; `sumlearn train` writes one")
    return path


def load_model(path: Path) -> TrainedModel:
    """A model of `sumlearn train`."""
    model = load_any(path)
    kept = {"cluster": ("clusters", "cluster"), "one class": ("one class", "learn it")}.get(model.facts["task"])
    if kept is not None:
        from ..product.problems import CannotDo

        raise CannotDo(
            f"{str(path)!r} holds {kept[0]}: `sumlearn predict` and `info` take it, {kept[1]} anew for the rest"
        )
    return model


def load_any(path: Path) -> Any:
    """A model of `sumlearn train`, `sumlearn cluster` or `sumlearn oneclass`."""
    from ..product.problems import DataProblem
    from ..product.trained import TrainedModel
    from ..product.unlabelled_model import UnlabelledModel
    from ..saving import load

    model = load(path)
    if not isinstance(model, TrainedModel | UnlabelledModel):
        raise DataProblem(f"{str(path)!r} holds a {type(model).__name__}, not a model of `sumlearn train`")
    return model


def destination(model: str, given: str | None, in_place: bool, force: bool, suffix: str) -> Path | None:
    """Where the changed model goes: a new file, unless it was said to be the old one; None: next in its folder."""
    from ..product.problems import UsageProblem

    if in_place and given is not None:
        raise UsageProblem("--in-place and -o contradict each other")
    source = model_path(model)
    if in_place:
        return source
    if given is None and Path(model).is_dir():
        return None
    path = Path(given) if given is not None else source.with_name(f"{source.stem}-{suffix}{source.suffix}")
    if path.exists() and not force:
        raise UsageProblem(f"the file {str(path)!r} exists; --force overwrites it, -o names another")
    if not path.absolute().parent.is_dir():
        raise UsageProblem(f"there is no folder {str(path.parent)!r}; -o names another")
    return path


def later_reading(model: TrainedModel, encoding: str | None, labelled: bool = False) -> Any:
    """How the model reads files, with the encoding that is said."""
    from ..product.options import dialect_of

    reading = model.reading(labelled)
    said = replace(reading.dialect, encoding=dialect_of({"encoding": encoding}).encoding)
    return replace(reading, dialect=said)


class Change(NamedTuple):
    """The models that were read, the one that was written, what proves which one that is, and where it is."""

    read: list[TrainedModel]
    written: TrainedModel
    certificate: dict[str, Any]
    path: Path


def change_model(
    models: Sequence[str], place: Path | None, change: Callable[..., TrainedModel], force: bool = False
) -> Change:
    """Read models, change them and write the outcome, such that nobody's work is lost.

    It goes to a place, or beside the newest model of the first's folder. The place is locked, and written only if it is
    still the file that was read, or is still not there; a folder, if its newest model is still that. Whoever comes too
    late does it again with what is there now, this time with the lock from the beginning.
    """
    from ..product.certificate import certificate_of
    from ..product.folder import MODEL, guard_of, next_model
    from ..saving import save
    from ..saving.locking import ChangedMeanwhile, locked, stamp_of

    guard = guard_of(place) if place is not None else Path(models[0]) / MODEL
    for alone in (False, True):
        with locked(guard) if alone else nullcontext():
            paths = [model_path(model) for model in models]
            same = place is not None and any(place.exists() and path.samefile(place) for path in paths)
            known = paths[0] if place is None else place
            before = stamp_of(known) if same or place is None else None  # a new file nobody has written meanwhile
            read = [load_model(path) for path in paths]
            written = change(*read)
            with nullcontext() if alone else locked(guard):
                newest = model_path(models[0]) if place is None else place
                if (newest == known and stamp_of(known) == before) or (force and place is not None and not same):
                    path = next_model(Path(models[0])) if place is None else place
                    save(written, path)
                    return Change(read, written, certificate_of(written, path), path)
        if place is not None and not same:
            break
    raise ChangedMeanwhile(f"{str(place)!r} was written by others meanwhile; nothing was written: try again")


def tell_change(
    out: Output, what: str, text: str, change: Change, details: Mapping[str, Any] = MappingProxyType({})
) -> None:
    """Say what was done, with the certificate; `details` go into the document."""
    model, certificate, path = change.written, change.certificate, change.path
    rows = model.facts["rows"]
    out.result(what, f"{text}; the model holds {rows} rows")
    out.result("model", f"{model.facts['model']['title']}   sha256 {certificate['sha256']}")
    if certificate["digits"] is not None:
        out.result("digits", f"{certificate['digits']:.1f} kept")
    out.result("wrote", str(path))
    out.document(
        {"did": what, "rows": rows, "model": model.facts["model"], "file": str(path), **certificate, **details}
    )
