"""Model files of the command line: which file is meant, and where a new one goes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .output import Output

if TYPE_CHECKING:
    from ..product.trained import TrainedModel


def model_path(text: str) -> Path:
    """The file that is meant: itself, or the model in a folder that `train` wrote."""
    from ..product.folder import MODEL, restore_folder
    from ..product.problems import DataProblem

    path = Path(text)
    restore_folder(path)
    if path.is_dir():
        path = path / MODEL
    if not path.is_file():
        raise DataProblem(f"there is no model file {str(path)!r}; `sumlearn train` writes one")
    return path


def load_model(path: Path) -> TrainedModel:
    from ..product.problems import DataProblem
    from ..product.trained import TrainedModel
    from ..saving import load

    model = load(path)
    if not isinstance(model, TrainedModel):
        raise DataProblem(f"{str(path)!r} holds a {type(model).__name__}, not a model of `sumlearn train`")
    return model


def destination(source: Path, given: str | None, in_place: bool, force: bool, suffix: str) -> Path:
    """Where the changed model goes: a new file, unless it was said to be the old one."""
    from ..product.problems import UsageProblem

    if in_place and given is not None:
        raise UsageProblem("--in-place and -o contradict each other")
    if in_place:
        return source
    path = Path(given) if given is not None else source.with_name(f"{source.stem}-{suffix}{source.suffix}")
    if path.exists() and not force:
        raise UsageProblem(f"the file {str(path)!r} exists; --force overwrites it, -o names another")
    if not path.absolute().parent.is_dir():
        raise UsageProblem(f"there is no folder {str(path.parent)!r}; -o names another")
    return path


class Change(NamedTuple):
    """The models that were read, the one that was written, and what proves which one that is."""

    read: list[TrainedModel]
    written: TrainedModel
    certificate: dict[str, Any]


def change_model(
    paths: Sequence[Path], place: Path, change: Callable[..., TrainedModel], force: bool = False
) -> Change:
    """Read models, change them and write the outcome, such that nobody's work is lost.

    The file is locked, and replaced only if it is still the one that was read, or is still not there. Whoever comes too
    late does it again with the file that is there now, this time with the lock from the beginning.
    """
    from ..product.certificate import certificate_of
    from ..saving import save
    from ..saving.locking import ChangedMeanwhile, locked, stamp_of

    again = any(path.exists() and place.exists() and path.samefile(place) for path in paths)
    for alone in (False, True):
        with locked(place) if alone else nullcontext():
            before = stamp_of(place) if again else None  # a new file is one that nobody has written meanwhile
            read = [load_model(path) for path in paths]
            written = change(*read)
            with nullcontext() if alone else locked(place):
                if stamp_of(place) == before or (force and not again):
                    save(written, place)
                    return Change(read, written, certificate_of(written, place))
        if not again:
            break
    raise ChangedMeanwhile(f"{str(place)!r} was written by others meanwhile; nothing was written: try again")


def tell_change(out: Output, what: str, text: str, change: Change, path: Path) -> None:
    """Say what was done, with the certificate."""
    model, certificate = change.written, change.certificate
    rows = model.facts["rows"]
    out.result(what, f"{text}; the model holds {rows} rows")
    out.result("model", f"{model.facts['model']['title']}   sha256 {certificate['sha256']}")
    if certificate["digits"] is not None:
        out.result("digits", f"{certificate['digits']:.1f} kept")
    out.result("wrote", str(path))
    out.document({"did": what, "rows": rows, "model": model.facts["model"], "file": str(path), **certificate})
