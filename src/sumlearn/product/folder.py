"""The folder that a training writes: model, predictions, metrics, and the same run as options and as Python."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..learners.sum_algebra import versions_in
from ..saving import load, save
from ..saving.exchange import aside_of, brought_back, replace_folder
from ..saving.locking import ChangedMeanwhile, locked
from ..version import __version__
from .predictions import csv_text, title_of
from .problems import UsageProblem
from .trained import TrainedModel
from .training import Training

MODEL = "model.skops"
NEWER = re.compile(r"model-(\d+)\.skops")  # what became of it
REPORT = "report.html"
FILES = (MODEL, "predictions.csv", "metrics.json", "run.toml", "train.py")


def newer_models(folder: Path) -> dict[int, Path]:
    """What became of the model of a folder, by the numbers of the files."""
    found = {file: NEWER.fullmatch(file.name) for file in folder.iterdir()}
    return {int(match[1]): file for file, match in found.items() if match is not None}


def newest_model(folder: Path) -> Path:
    """The model of a folder as it is now."""
    newer = newer_models(folder)
    return newer[max(newer)] if newer else folder / MODEL


def next_model(folder: Path) -> Path:
    """Where the next one goes."""
    return folder / f"model-{max(newer_models(folder), default=1) + 1}.skops"


def shared_beside(folder: Path, target: str, but: Path | None = None) -> list[dict[str, Any]]:
    """Records of what was shared of the models in a folder, but one of them: they are versions of each other.

    A training that replaces another one has much the same rows; that of another target is another model.
    """
    records = []
    for file in [folder / MODEL, *newer_models(folder).values()] if folder.is_dir() else []:
        if file != but and file.is_file():
            try:
                model: Any = load(file)
            except (ValueError, OSError):  # no model that could have been shared
                continue
            if isinstance(model, TrainedModel) and model.facts["target"] == target:
                records += versions_in(vars(model).get("_shared"))
    return records


def guard_of(model: Path) -> Path:
    """The file whose lock a model needs: all models of a folder share one."""
    return model.with_name(MODEL) if NEWER.fullmatch(model.name) else model


def check_folder(folder: Path, force: bool) -> None:
    """Refuse early: an existing folder without `force`, a place that cannot be written to."""
    restore_folder(folder)
    if folder.exists() and not folder.is_dir():
        raise UsageProblem(f"{str(folder)!r} is a file; -o names another folder")
    if folder.exists() and not force:
        raise UsageProblem(f"the folder {str(folder)!r} exists; --force overwrites its files, -o names another")
    if folder.exists() and Path.cwd().is_relative_to(folder.resolve()):
        raise UsageProblem(f"{str(folder)!r} is the folder you are in, which is replaced as one; -o names another")
    place = folder if folder.exists() else folder.absolute().parent
    if not place.is_dir():
        raise UsageProblem(f"there is no folder {str(place)!r}; -o names another")
    if not os.access(place, os.W_OK):
        raise PermissionError(f"the folder {str(place)!r} cannot be written to; -o names another")


def write_folder(
    training: Training, folder: Path, options: Mapping[str, Any], report: str = "", force: bool = True
) -> list[Path]:
    """All files, or none: they are written beside the folder first, and moved at the end. `report` is a page."""
    shared = shared_beside(folder, training.target.name)
    if shared:  # the new model takes the place of one that others know
        training.model._shared = {**shared[0], "earlier": shared[1:]}
    with drafted(folder, force) as draft:
        save(training.model, draft / MODEL)
        labels = [title_of(training.target.name, "target"), "prediction"] if training.target.task == "classify" else []
        (draft / "predictions.csv").write_text(csv_text(training.predictions, labels), encoding="utf-8")
        (draft / "metrics.json").write_text(metrics_text(training.metrics), encoding="utf-8")
        (draft / "run.toml").write_text(toml_text(options), encoding="utf-8")
        (draft / "train.py").write_text(python_text(options), encoding="utf-8")
        if report:
            (draft / REPORT).write_text(report, encoding="utf-8")
    return [folder / name for name in ((REPORT, *FILES) if report else FILES)]


@contextmanager
def drafted(folder: Path, force: bool) -> Iterator[Path]:
    """A folder that takes its place, as one, when all is written; other files of an existing folder stay in it."""
    folder = Path(os.path.realpath(folder))
    draft = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        yield draft
        with locked(folder):
            if folder.exists() and not force:
                raise ChangedMeanwhile(f"{str(folder)!r} was written by others meanwhile; nothing was written")
            if folder.exists():
                with locked(folder / MODEL):  # nobody changes the model meanwhile
                    replace_folder(folder, draft, [file.name for file in newer_models(folder).values()])
            else:
                os.chmod(draft, 0o777 & ~umask())
                os.rename(draft, folder)
    except BaseException:  # Ctrl-C as well
        shutil.rmtree(draft, ignore_errors=True)
        raise


def restore_folder(folder: Path) -> None:
    """Give a folder its name again, where a training that replaced it was killed in between."""
    folder = Path(os.path.realpath(folder))
    if not folder.exists() and aside_of(folder).exists():
        with locked(folder):
            brought_back(folder)


def umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def metrics_text(metrics: Mapping[str, Any]) -> str:
    return json.dumps(metrics, indent=2, allow_nan=False) + "\n"


def toml_text(options: Mapping[str, Any]) -> str:
    """Options as TOML; those that are None are left out.

    >>> print(toml_text({"data": "pima", "cv": "5", "seed": 0, "drop": ["a"], "cost": None}), end="")
    # sumlearn ... : sumlearn train --config run.toml
    data = "pima"
    cv = "5"
    seed = 0
    drop = ["a"]
    """
    lines = [f"# sumlearn {__version__} : sumlearn train --config run.toml"]
    given = {name: value for name, value in options.items() if value is not None}
    lines += [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in given.items()]
    return "\n".join(lines) + "\n"


def python_text(options: Mapping[str, Any]) -> str:
    """The same run in Python."""
    given = {name: value for name, value in options.items() if value not in (None, [])}
    data = given.pop("data")
    target = given.pop("target")
    lines = [
        f'"""What `sumlearn train` of version {__version__} did: prints what metrics.json holds."""',
        "",
        "import json",
        "",
        "from sumlearn.product import train",
        "",
        "training = train(",
        f"    {data!r},",
        f"    {target!r},",
        *(f"    {name}={value!r}," for name, value in given.items()),
        ")",
        "# training.model.predict(table); sumlearn.save(training.model, 'model.skops')",
        "print(json.dumps(training.metrics, indent=2))",
    ]
    return "\n".join(lines) + "\n"
