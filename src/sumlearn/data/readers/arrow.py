"""Arrow's own format, also known as IPC and Feather."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import pyarrow.ipc

from .reader import Reader


class ArrowReader(Reader):
    """The IPC file or stream format, batch by batch. Not memory-mapped: a map of a file cut short ends the process."""

    @contextmanager
    def open(self, columns: Sequence[str] | None = None) -> Iterator[Any]:
        # indices of columns: only those are read
        places = {name: j for j, name in enumerate(getattr(self, "types", ()))}
        fields = None if columns is None else [places[name] for name in columns]
        options = pa.ipc.IpcReadOptions(included_fields=fields)
        with pa.OSFile(self.path) as source:
            stream = source.read(6) != b"ARROW1"
            source.seek(0)
            yield (pa.ipc.open_stream if stream else pa.ipc.open_file)(source, options=options)

    def sniff(self) -> tuple[list[str], list[Any]]:
        with self.open() as reader:
            return reader.schema.names, reader.schema.types

    def read(self, types: dict[str, Any], rows: int, units: int = 0) -> Iterator[Any]:
        with self.open(list(types)) as reader:
            if hasattr(reader, "num_record_batches"):
                yield from (reader.get_batch(i) for i in range(reader.num_record_batches))
            else:
                yield from reader
