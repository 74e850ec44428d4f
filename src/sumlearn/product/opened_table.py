"""A table in memory, with where it came from and what was found out about its columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from .problems import DataProblem, suggested
from .reading import Reading

if TYPE_CHECKING:
    from .table_blocks import Blocks


@dataclass(frozen=True, eq=False)
class OpenedTable:
    """A table in memory and where it came from.

    Attributes
    ----------
    frame : pyarrow.Table
    name : str
        A short name: of the file without its ending, or of the bundled table.
    origin : str
        What reads it again: an absolute path or pattern, a bundled name, or "-".
    digest : str
        SHA-256 of the bytes of its files.
    target : str or None
        The target that a bundled table is known for.
    first : int
        Number of its first row, where it is a block of a larger table.
    blocks : Blocks or None
        The files that it was read from as a whole: what a model reads otherwise is read again.
    found : Everyday or None
        What was found out about the columns of its files.
    """

    frame: Any
    name: str
    origin: str
    digest: str
    target: str | None = None
    first: int = 0
    blocks: Blocks | None = None
    found: Any = None

    @property
    def columns(self) -> list[str]:
        return list(self.frame.column_names)

    @property
    def rows(self) -> int:
        return int(self.frame.num_rows)

    def require(self, name: str, option: str) -> None:
        """A column that an option names must be there."""
        if self.frame.schema.get_field_index(name) < 0:
            where = repr(self.origin) if self.origin else "the table"
            raise DataProblem(f"no column {name!r} in {where}{suggested(name, self.columns)} ({option})")

    def as_written(self) -> Iterator[dict[str, list[Any]]]:
        """All columns, those of text files as text."""
        if self.blocks is None:
            yield self.frame.to_pydict()
        else:
            yield self.blocks.written().frame().to_pydict()

    def check_clear(self, names: Iterable[str]) -> None:
        """Columns that can be read in several ways are an error that names the option that decides."""
        for name in names:
            if self.found is not None and name in self.found.unclear:
                text = f"column {name!r} of {self.origin!r} {self.found.unclear[name]}"
                raise DataProblem(f"{text}; --drop {name} leaves it out")

    def flags_of(self, names: Iterable[str]) -> list[str]:
        """The columns that say where numbers of some columns are bounds."""
        forms = {} if self.found is None else self.found.forms
        sides = [(name, side) for name in names for side in getattr(forms.get(name), "bounds", ())]
        return [f"{name}: {side}" for name, side in sides]

    def check_exact(self, names: Iterable[str]) -> None:
        """Targets, weights and times that are bounds are an error."""
        for flag in self.flags_of(names):
            name, _, side = flag.rpartition(": ")
            raise DataProblem(f"column {name!r} of {self.origin!r} has bounds ({side} a number): it needs the numbers")

    def read_as(self, reading: Reading) -> OpenedTable:
        """The same table, read as a model reads it, whatever else the files hold."""
        if self.blocks is None:
            return self
        before, now, frame = self.blocks, self.blocks.read_as(reading), self.frame
        wanted = [name for name in reading.names if name in now.types]
        place = {name: number for number, name in enumerate(self.columns)}
        again = {name: now.types[name] for name in wanted if name not in place or now.spelt(name, before)}
        columns = replace(now, types=again).frame() if again else frame
        for name in again:
            if name in place:
                frame = frame.set_column(place[name], name, columns.column(name))
            else:
                frame = frame.append_column(name, columns.column(name))
        blocks = replace(before, types=before.types | again, labels=(*before.labels, *now.labels))
        return replace(self, frame=frame, blocks=blocks)


Table = OpenedTable  # its public name
