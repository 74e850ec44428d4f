"""checkpoints: a long pass over files that was interrupted goes on where it was, to the same bits."""

from __future__ import annotations

import math
import os
import re
import shutil
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from ..engines.engine import MergeTree
from ..engines.journal import Pass, open_journal
from ..statistics.warnings import warn
from .checkpoint_files import OtherVersion, name_of_sum, read_sums, told_in, write_sums
from .fields import to_fields
from .locking import locked
from .source_stamp import differing, digest_of_pieces, stamp_of_pass

OPEN = "open.checkpoint"
DONE = re.compile(r"passes-(\d{6,12})\.checkpoint")  # by the number of the last pass in it
UNITS = {"": 1.0, "s": 1.0, "min": 60.0, "h": 3600.0}
SHARE = 0.02  # of the time, at most, that goes into writing


class Kept(NamedTuple):
    """A finished pass: what it was, and the file and place of its sum; no place where it could not be kept."""

    told: dict[str, Any]
    file: Path
    place: int | None


@contextmanager
def checkpoints(
    path: str | os.PathLike[str], *, every: str | float = "30s", classes: Iterable[type] = ()
) -> Iterator[PassKeeper]:
    """Keep the passes over files that are made inside of this block, so that the same block later goes on.

        with checkpoints("trips.checkpoint", every="30s"):
            model.fit("trips/*.parquet", "fare")

    A pass is a sum, and its state is the open nodes of a merge tree: at most one for every doubling of the parts. They
    are written down from time to time, with the number of parts and with what is added up: files, columns, parameters,
    what was looked up, version. When the block runs again, passes that were finished are answered from the folder, the
    one that was interrupted goes on behind its last part, and the outcome has the bits of a run that nobody disturbed,
    for any number of workers. At the end the folder is removed; after an error, Ctrl-C or `kill -9` it stays.

    Learners on sums keep all of it: one-pass and stepwise learners, TableModel around the first, cross-validation from
    sums. Passes over rows in memory are made again. What is not a mere sum over files (rows in their order, rows that
    are gathered, boosting) is made again too, and said in a warning. Drawing without a seed (``random_state=None``)
    gives another fit, which is refused when it departs from the first.

    Parameters
    ----------
    path : str or path
        A folder, which belongs to this block alone. It holds sums, and so knows of the rows what a model does.
    every : str or float, default="30s"
        How often to write: "30s", "5min", seconds. Writing never takes more than two per cent of the time.
    classes : classes, default=()
        Statistics of your own, as for `load`.

    Yields
    ------
    PassKeeper
        Its `resumed` says where the block went on: so many passes were finished, and so many parts of the next one.

    Raises
    ------
    ValueError
        Where files, columns or parameters are others than those of the interrupted run; it says which.
    TimeoutError
        Where another process uses the folder.

    Examples
    --------
    >>> import os, tempfile
    >>> import sumlearn as sl
    >>> from sumlearn.data import load_example
    >>> from sumlearn.saving import checkpoints
    >>> pima, folder = load_example("pima").path, tempfile.TemporaryDirectory()
    >>> place = os.path.join(folder.name, "pima.checkpoint")
    >>> with checkpoints(place):
    ...     model = sl.LinearDiscriminantAnalysis().fit(pima, "diabetes")
    >>> os.path.exists(place), model.statistic_.rows
    (False, 768)
    """
    with PassKeeper(path, every, classes) as keeper:
        yield keeper


class PassKeeper:
    """A folder of sums, and the journal that fills it; see `checkpoints`."""

    def __init__(self, path: str | os.PathLike[str], every: str | float, classes: Iterable[type] = ()) -> None:
        self.path, self.every, self.classes = Path(path), seconds_of(every), tuple(classes)
        self.resumed: tuple[int, int] | None = None

    # -- the block ----------------------------------------------------------------------------------------------------

    def __enter__(self) -> Self:
        self.lock = locked(self.path, wait=0.0)
        self.lock.__enter__()
        try:
            self.number = 0  # of the pass
            self.finished: list[tuple[dict[str, Any], Any]] = []  # not yet written
            self.current: tuple[dict[str, Any], Any, MergeTree] | None = None
            self.said: set[str] = set()
            digest_of_pieces.cache_clear()  # a file may have changed and kept its time
            self.kept = self.found()
            self.resumed = None
            self.next = time.monotonic() + self.every
            self.token = open_journal.set(self)
        except BaseException:
            self.lock.__exit__(None, None, None)
            raise
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        open_journal.reset(self.token)
        try:
            if kind is None:
                shutil.rmtree(self.path, ignore_errors=True)
            elif self.path.exists() or self.finished or (self.current is not None and self.current[2].nodes):
                self.write()
        finally:
            self.lock.__exit__(None, None, None)

    def found(self) -> list[Kept]:
        """The finished passes that files of an earlier run tell of."""
        kept: list[Kept] = []
        if not self.path.exists():
            return kept
        if not self.path.is_dir() or any(not ours(file.name) for file in self.path.iterdir()):
            raise ValueError(f"{str(self.path)!r} is no checkpoint: name a folder that does not exist yet")
        for draft in self.path.glob(".*.tmp"):  # of a process that was killed
            draft.unlink()
        for file in sorted(file for file in self.path.iterdir() if DONE.fullmatch(file.name)):
            try:
                lines = told_in(file)["passes"]
                if len(kept) + len(lines) != int(DONE.fullmatch(file.name)[1]):  # type: ignore[index]
                    raise ValueError("passes before it are missing")
            except OtherVersion as error:
                raise self.refused(f"{error}") from None
            except Exception as error:
                self.damaged(file, error)
                for later in self.path.iterdir():  # those behind it, and the open one, mean nothing without it
                    if later.name >= file.name or later.name == OPEN:
                        later.unlink()
                break
            kept += [Kept(line["told"], file, line["place"]) for line in lines]
        return kept

    # -- a journal ----------------------------------------------------------------------------------------------------

    def summed(self, one: Pass, engine: Any, parts: Iterable[Any] | None) -> Any:
        """The sum of a pass: read from the folder, or made of what is kept of it and of the parts that are left."""
        self.number += 1
        told = stamp_of_pass(one)
        if self.number <= len(self.kept):
            known = self.kept[self.number - 1]
            self.check(known.told, told)
            found = self.sum_of(known)
            if found is not None:
                self.restore_lengths(one, known.told)
                self.resumed = (self.number, 0)
                return found
        nodes = self.nodes_of(told, one)
        tree = MergeTree(nodes, self.beat)
        if nodes:
            self.resumed = (self.number - 1, tree.count)
        self.current = (told, one, tree)
        left = one.parts(tree.count) if parts is None else islice(parts, tree.count, None)
        total = engine.reduce(one.work, left, tree)  # nothing may be left
        if self.number > len(self.kept) + len(self.finished):
            self.finished.append((told | {"lengths": lengths(one)}, total))
        self.current = None
        self.beat()
        return total

    def not_kept(self, what: str) -> None:
        self.say(f"{what} is not kept in checkpoints: an interrupted run makes it again")

    # -- what is there -----------------------------------------------------------------------------------------------

    def sum_of(self, known: Kept) -> Any:
        if known.place is None:
            return None
        try:
            return read_sums(known.file, self.classes)[1][known.place]
        except Exception as error:
            raise self.refused(f"{known.file.name!r} cannot be read: {error}") from error

    def nodes_of(self, told: dict[str, Any], one: Pass) -> list[tuple[int, Any]]:
        """The open nodes of this pass, if it is the one that was interrupted."""
        file = self.path / OPEN
        if self.number != len(self.kept) + 1 or not file.exists():
            return []
        try:
            if told_in(file)["number"] != self.number:
                return []
            found, sums = read_sums(file, self.classes)
            levels = [int(level) for level in found["levels"]]
            if len(levels) != len(sums) or sorted(set(levels), reverse=True) != levels or min(levels, default=0) < 0:
                raise ValueError("its nodes are none of a merge tree")
        except OtherVersion as error:
            raise self.refused(f"{error}") from None
        except Exception as error:
            self.damaged(file, error)
            return []
        self.check(found["told"], told)
        self.restore_lengths(one, found["told"])
        return list(zip(levels, sums, strict=True))

    def restore_lengths(self, one: Pass, told: dict[str, Any]) -> None:
        """Files that were read to their end are not read again: they have not changed since."""
        for reader, length in zip(one.files.readers, told.get("lengths", ()), strict=False):
            reader.length = length if reader.length is None else reader.length

    def check(self, before: dict[str, Any], now: dict[str, Any]) -> None:
        difference = differing(before, now)
        if difference is not None:
            raise self.refused(f"pass {self.number} is another one: {difference}")

    def refused(self, why: str) -> ValueError:
        return ValueError(
            f"the checkpoint {str(self.path)!r} does not belong to this run: {why}; remove the folder to begin anew"
        )

    def damaged(self, file: Path, error: Exception) -> None:
        self.say(f"{str(file)!r} is damaged and not used, what it held is read again: {error}")

    # -- writing -----------------------------------------------------------------------------------------------------

    def beat(self) -> None:
        """Write, if it is time."""
        if time.monotonic() < self.next:
            return
        began = time.monotonic()
        self.write()
        ended = time.monotonic()
        self.next = ended + max(self.every, (ended - began) / SHARE if self.every else 0.0)

    def write(self) -> None:
        """First the passes that were finished, then the open one: killed in between, it is found to be an old one."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            if self.finished:
                self.write_finished()
            if self.current is not None and self.current[2].nodes:
                told, one, tree = self.current
                nodes = tree.nodes
                lines = {"levels": [level for level, _ in nodes], "told": told | {"lengths": lengths(one)}}
                write_sums(self.path / OPEN, {"number": self.number} | lines, [node for _, node in nodes])
        except OSError as error:
            self.say(f"no checkpoint could be written, the run goes on without: {error}")
        except ValueError as error:
            self.say(f"the sums of a pass have no form in a file, an interrupted run makes it again: {error}")

    def write_finished(self) -> None:
        """In a file of their own, which is never changed again."""
        sums: list[Any] = []
        lines: list[dict[str, Any]] = []
        last = len(self.kept) + len(self.finished)
        file = self.path / f"passes-{last:06}.checkpoint"
        for told, total in self.finished:
            place = len(sums) if is_writable(total) else None
            if place is None:
                self.say(f"the sums of a pass ({type(total).__name__}) are not kept: an interrupted run makes it again")
            else:
                sums.append(total)
            lines.append({"told": told, "place": place})
        write_sums(file, {"passes": lines}, sums)
        self.kept += [Kept(line["told"], file, line["place"]) for line in lines]
        self.finished = []

    def say(self, text: str) -> None:
        if text not in self.said:
            self.said.add(text)
            warn(text, UserWarning)


def seconds_of(text: str | float) -> float:
    """
    >>> seconds_of("30s"), seconds_of("2min"), seconds_of(0.5)
    (30.0, 120.0, 0.5)
    """
    if isinstance(text, int | float) and 0 <= text < math.inf:
        return float(text)
    match = re.fullmatch(r"\s*([0-9]+\.?[0-9]*)\s*(s|min|h|)\s*", str(text))
    if match is None:
        raise ValueError(f"every={text!r} is no time such as '30s', '5min' or a number of seconds")
    return float(match[1]) * UNITS[match[2]]


def ours(name: str) -> bool:
    return name == OPEN or DONE.fullmatch(name) is not None or name.endswith(".tmp")


def lengths(one: Pass) -> list[int | None]:
    return [reader.length for reader in one.files.readers]


def is_writable(total: Any) -> bool:
    try:
        to_fields(total, name_of_sum)
    except (ValueError, TypeError):
        return False
    return True
