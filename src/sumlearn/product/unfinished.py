"""What a training has done so far, in a folder beside the one that it will write: an interrupted one goes on from it.

Steps are kept as soon as they are finished: the plan of the budget, every candidate with its answers, the refits behind
the interval; of a table larger than memory also the sample, and the sums of every fold with the block that they go up
to. Kept is what was found, never code; whatever follows from it is computed again, to the same bits.
"""

from __future__ import annotations

import shutil
import time
import warnings
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import numpy as np

from ..saving.atomic import replace_file
from ..saving.checkpoint_files import OtherVersion, read_values, write_values
from ..saving.locking import locked
from ..saving.reading import bytes_of
from ..saving.source_stamp import differing, stamp_of_file
from .metrics import Answers
from .opened_table import OpenedTable
from .problems import DataProblem
from .procedure import Tuned
from .trials import Trial
from .warning_records import record_of, warn_again

T = TypeVar("T")
ASKED, ENDING = "asked", ".part"
PATIENCE = 10.0  # seconds: what took less is not kept
EVERY = 30.0  # seconds between two states of one read
FREE = ("budget", "fail_under", "config", "engine")  # options that may be others when it goes on


class Unfinished:
    """The finished steps of a training. Without a folder nothing is kept.

    >>> Unfinished().step("two", lambda: 1 + 1)
    2
    """

    def __init__(self, folder: Path | None = None, asked: dict[str, Any] | None = None, resume: bool = False) -> None:
        self.folder, self.asked, self.resume = folder, asked, resume
        self.start = self.written = time.monotonic()
        self.waiting: dict[str, Any] = {}  # steps too young to be written
        self.stack = ExitStack()
        self.reused: list[str] = []

    @classmethod
    def at(cls, folder: Path, options: dict[str, Any], table: Any, resume: bool) -> Unfinished:
        """For a table that is open; of one that comes through a pipe nothing is kept."""
        if table.origin == "-":
            return cls()
        asked = {name: str(value) for name, value in options.items() if value is not None and name not in FREE}
        blocks = table.blocks if isinstance(table, OpenedTable) else table
        files = [] if blocks is None else [stamp_of_file(reader) for reader in blocks.readers]
        kind = "in memory" if isinstance(table, OpenedTable) else "in parts (--memory)"
        told = {"asked": asked | {"the table is read": kind}, "files": files, "work": getattr(table, "origin", "")}
        return cls(folder, told, resume)

    def __enter__(self) -> Self:
        if self.folder is None:
            return self
        try:
            self.stack.enter_context(locked(self.folder, wait=0.0))
        except TimeoutError:
            if self.resume:
                raise
            self.folder = None  # another run writes there: this one keeps nothing
            return self
        try:
            if not self.resume and self.folder.exists():
                shutil.rmtree(self.folder)
            self.check()
        except BaseException:
            self.stack.close()
            raise
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self.folder is not None and kind is None:
            shutil.rmtree(self.folder, ignore_errors=True)
        self.stack.close()

    @property
    def exists(self) -> bool:
        """Whether something is kept."""
        return self.folder is not None and self.folder.exists()

    def check(self) -> None:
        """Refuse what an interrupted run of other options or another table has left."""
        if not self.exists:
            return
        if (before := self.read(ASKED)) is None:
            return
        difference = differing(before, self.asked or {})
        if difference is not None:
            raise DataProblem(
                f"the interrupted run in {str(self.folder)!r} is another one: {difference}; without --resume it is "
                "begun anew"
            )

    # -- steps -------------------------------------------------------------------------------------------------------

    def step(
        self,
        name: str,
        work: Callable[[], T],
        plain: Callable[[T], Any] = lambda found: found,
        made: Callable[[Any], T] = lambda found: found,
    ) -> T:
        """What some work finds, or found before; `plain` makes plain things of it, `made` makes it of those."""
        if self.folder is None:
            return work()
        kept = self.read(name)
        if kept is not None:
            self.reused.append(name)
            warn_again(kept["warnings"])
            return made(kept["found"])
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = work()
        told = [record_of(warning) for warning in caught]
        for warning in caught:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
        self.keep(name, {"found": plain(found), "warnings": told})
        return found

    def has(self, name: str) -> bool:
        """Whether a step was done before."""
        return self.exists and self.path(name).is_file()

    def keep(self, name: str, value: Any) -> None:
        """Write a step; those of the first seconds wait."""
        self.waiting[name] = value
        if self.folder is None or time.monotonic() < self.start + PATIENCE:
            return
        try:
            if not self.folder.exists():
                self.folder.mkdir()
                write_values(self.path(ASKED), self.asked)
            for known, one in self.waiting.items():
                write_values(self.path(known), one)
        except OSError as error:
            warnings.warn(
                f"what is done could not be kept, the run goes on without: {error}", UserWarning, stacklevel=2
            )
            self.folder = None
        self.waiting = {}

    def due(self) -> bool:
        """Whether the state of a long read should be written again."""
        now = time.monotonic()
        if self.folder is None or now < max(self.start + PATIENCE, self.written + EVERY):
            return False
        self.written = now
        return True

    def read(self, name: str) -> Any:
        """What was kept under a name; None where nothing was, or where it is damaged, which is said."""
        if self.folder is None or not self.path(name).is_file():
            return None
        try:
            return read_values(self.path(name))
        except OtherVersion as error:
            raise DataProblem(f"the interrupted run in {str(self.folder)!r} cannot go on: {error}") from None
        except Exception as error:
            warnings.warn(f"{str(self.path(name))!r} is damaged and done again: {error}", UserWarning, stacklevel=2)
            return None

    def path(self, name: str) -> Path:
        assert self.folder is not None
        return self.folder / f"{name}{ENDING}"

    def keep_table(self, name: str, frame: Any) -> None:
        """A table as an Arrow file."""
        import pyarrow as pa

        if self.folder is None or time.monotonic() < self.start + PATIENCE:
            return
        self.keep(ASKED, self.asked)
        sink = pa.BufferOutputStream()
        with pa.ipc.new_file(sink, frame.schema) as writer:
            writer.write_table(frame)
        if self.folder is not None:
            replace_file(self.folder / f"{name}.arrow", sink.getvalue().to_pybytes())

    def table(self, name: str) -> Any:
        """A table that was kept, or None; damage of it is seen by whoever knows its digest."""
        import pyarrow as pa

        if self.folder is None or not (self.folder / f"{name}.arrow").is_file():
            return None
        try:
            return pa.ipc.open_file(pa.BufferReader(bytes_of(self.folder / f"{name}.arrow"))).read_all()
        except (pa.ArrowException, OSError):
            return None


# -- trials as plain things, and back --------------------------------------------------------------------------------


def plain_trial(trial: Trial) -> dict[str, Any]:
    return {
        "by_split": [plain_tuned(one) for one in trial.by_split],
        "answers": [list(answers) for answers in trial.answers],
        "on_all": plain_tuned(trial.on_all),
    }


def plain_tuned(tuned: Tuned) -> list[Any]:
    """Places in grids: the grids follow from the rows."""
    return [int(tuned.number), float(tuned.gain), None if tuned.threshold is None else float(tuned.threshold)]


def trial_of(plain: dict[str, Any], problem: Any, candidate: Any) -> Trial:
    values = problem.target.values
    by_split = [
        tuned_of(one, candidate, values[train])
        for one, (train, _) in zip(plain["by_split"], problem.splits, strict=True)
    ]
    answers = [Answers(*one) for one in plain["answers"]]
    return Trial(by_split, answers, tuned_of(plain["on_all"], candidate, values))


def tuned_of(plain: list[Any], candidate: Any, values: np.ndarray) -> Tuned:
    number, gain, threshold = plain
    return Tuned(candidate, candidate.grid(values)[number], number, gain, threshold)
