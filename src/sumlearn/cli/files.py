"""Model files of the command line: which file is meant, and where a new one goes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from .output import Output

if TYPE_CHECKING:
    from ..product.trained import TrainedModel


def model_path(text: str) -> Path:
    """The file that is meant: itself, or the model in a folder that `train` wrote."""
    from ..product.folder import MODEL
    from ..product.problems import DataProblem

    path = Path(text)
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


def save_model(model: TrainedModel, path: Path) -> dict[str, Any]:
    """Write a model; returns what proves which one it is."""
    from ..product.certificate import certificate_of
    from ..saving import save

    save(model, path)
    return certificate_of(model, path)


def tell_change(out: Output, what: str, text: str, model: TrainedModel, path: Path) -> None:
    """Write the changed model, and say what was done, with the certificate."""
    certificate = save_model(model, path)
    rows = model.facts["rows"]
    out.result(what, f"{text}; the model holds {rows} rows")
    out.result("model", f"{model.facts['model']['title']}   sha256 {certificate['sha256']}")
    if certificate["digits"] is not None:
        out.result("digits", f"{certificate['digits']:.1f} kept")
    out.result("wrote", str(path))
    out.document({"did": what, "rows": rows, "model": model.facts["model"], "file": str(path), **certificate})
