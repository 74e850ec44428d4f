"""ExactRows: the road to a tree by all rows at once, with every cut tried."""

from __future__ import annotations

from typing import Any

from ....data import Chunk
from ...whole_rows import WholeRows


class ExactRows(WholeRows):
    """All rows in memory, once as they are and once sorted by every column; the model says what is made of them."""

    reads, copies = "mixed", 2

    def __init__(self, model: Any) -> None:
        self.model = model

    def learn(self, rows: Chunk) -> dict[str, Any]:
        return self.model.learnt(rows.X, self.columns_.sizes, rows.y, rows.weight)
