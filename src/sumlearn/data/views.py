"""Views: the rows of a source with other weights, targets, or fewer of them; nothing is copied or checked again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .chunk import Chunk
from .source import InMemory, Source

Change = Callable[[Chunk], Chunk]


def viewed(source: Source, change: Change) -> Source:
    """The source whose chunks are change(chunk). `change` may give rows another `y` or `weight` (zero is absence),
    row by row; it is shown chunks whose X may be None, and leaves X alone."""
    return ViewInMemory(source, change) if isinstance(source, InMemory) else ViewStream(source, change)


class ViewInMemory(InMemory):
    """Rows in memory, which are changed once."""

    def __init__(self, inputs: InMemory, change: Change) -> None:
        self.inputs, self.rows, self.features, self.columns = inputs, inputs.rows, inputs.features, inputs.columns
        changed = change(Chunk(None, inputs.y, inputs.weight, inputs.columns))
        super().__init__(changed.y, changed.weight)
        self.target, self.gaps = inputs.target.of(changed.y), inputs.gaps

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.inputs.dtype

    def read(self, rows: slice | np.ndarray) -> Any:
        return self.inputs.read(rows)


class ViewStream(Source):
    """Rows of files or of a cluster, changed by whoever reads them."""

    def __init__(self, inputs: Source, change: Change) -> None:
        self.inputs, self.change = inputs, change
        self.rows, self.features, self.columns = inputs.rows, inputs.features, inputs.columns
        self.target, self.gaps = inputs.target, inputs.gaps

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.inputs.dtype

    def parts(self, factor: int = 1) -> Iterator[Any]:
        return self.inputs.parts(factor)

    def expected_parts(self, factor: int = 1) -> int | None:
        return self.inputs.expected_parts(factor)

    def chunk(self, part: Any) -> Chunk:
        chunk = self.inputs.chunk(part)
        changed = self.change(chunk)
        if changed.y is not None and chunk.y is not None and changed.y.shape[1:] != chunk.y.shape[1:]:
            raise ValueError("a view of a stream keeps the number of target columns; read the rows into memory")
        return changed
