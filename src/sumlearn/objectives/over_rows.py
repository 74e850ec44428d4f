"""OverRows: what objectives share that are a sum over the rows of a source."""

from __future__ import annotations

import copy
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sparse

from ..data import Chunk, InMemory, Source
from ..engines import engine_for
from ..engines.journal import summed
from ..statistics import Expansion

FORMED = 3000  # numbers in a point up to which a Hessian is formed


class OverRows:
    """A source and a coding of its labels; `multiplier` says how often a row counts (a sample stands for all)."""

    source: Source
    coding: Any
    multiplier: float
    workers: int | None

    noise: ClassVar[float] = 0.0

    @classmethod
    def over(cls, source: Source, coding: Any = None, **parts: Any) -> Self:
        """The objective over a source; labels in memory are coded once, others chunk by chunk."""
        if isinstance(source, InMemory) and coding is not None:
            chunk = coding(Chunk(None, source.y, source.weight))
            source, coding = copy.copy(source), None
            source.y, source.weight = chunk.y, chunk.weight
        return cls(source=source, coding=coding, **parts)  # type: ignore[call-arg]

    @property
    def is_sparse(self) -> bool:
        return sparse.issparse(getattr(self.source, "X", None))

    @property
    def rows(self) -> int:
        """Rows of the source; zero where nobody knows."""
        return self.source.rows or 0

    @property
    def rounding(self) -> float:
        """Relative rounding of a pass."""
        return float(np.finfo(self.source.dtype).eps)

    @property
    def cost(self) -> float:
        return 1.0 / self.multiplier

    def forms_hessian_of(self, size: int) -> bool:
        """Whether a Hessian of so many numbers is formed."""
        return size <= (FORMED // 4 if self.is_sparse else FORMED)

    def total(self, summary: Any, factor: int) -> Expansion:
        """The sum of summary(chunk) over the source: one pass."""
        engine = engine_for(self.source, self.workers)
        return summed(partial(summary_of, self.source, self.coding, summary), self.source, engine, factor)


def summary_of(source: Source, coding: Any, summary: Any, part: Any) -> Expansion:
    """Read some rows, code their labels and sum them: what a worker does."""
    chunk = source.chunk(part)
    return summary(chunk if coding is None else coding(chunk))
