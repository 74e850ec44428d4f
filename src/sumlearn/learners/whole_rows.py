"""WholeRows: a model that needs all of its rows at once, in memory, and says beforehand how much of it."""

from __future__ import annotations

from abc import abstractmethod
from functools import partial
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sparse

from ..data import Chunk, Source
from ..engines.journal import not_kept
from ..engines.summing import NO_WEIGHT, summary_of_part
from ..statistics.row_checks import available_memory, check_range, raise_if_not_finite
from .ability import Abilities
from .batches import in_order
from .learner import Learner
from .validation import usable_rows


class WholeRows(Learner):
    """Base of learners that see all rows together: coded, weighted, checked, and in memory.

    Rows of weight zero are absent. Rows of files and clusters are gathered, if there is memory for them.

    >>> import numpy as np
    >>> class NearestCentroid(WholeRows):
    ...     "The label of the nearest mean of a class."
    ...     target = "label"
    ...     def learn(self, rows):
    ...         classes = np.unique(rows.y)
    ...         means = [np.average(rows.X[rows.y == c], axis=0, weights=rows.weight[rows.y == c]) for c in classes]
    ...         return {"classes_": classes, "means_": np.array(means)}
    ...     def predict(self, X):
    ...         far = np.linalg.norm(self.rows_of(X)[:, None] - self.means_, axis=2)
    ...         return self.classes_[far.argmin(axis=1)]
    >>> model = NearestCentroid().fit([[0.0], [1.0], [8.0], [9.0]], ["a", "a", "b", "b"])
    >>> model.predict([[3.0], [7.0]]).tolist()
    ['a', 'b']
    """

    max_memory: float | None = None  # bytes that the rows and what is made of them may take; None: what is free
    sparse_ok: Any = False  # whether sparse rows stay sparse, with these parameters
    copies: ClassVar[int] = 1  # how often the numbers of the rows are held: as they are, sorted, ...
    warm_start: bool = False  # whether to go on from the fit before
    previous: dict[str, Any]  # while fitting: what was learnt before, with `warm_start`
    numbers: np.ndarray  # while fitting: places of the rows in the table

    @abstractmethod
    def learn(self, rows: Chunk) -> dict[str, Any]:
        """Fitted attributes by name, from all rows of positive weight; their weights are always given."""

    def kept(self, chunk: Chunk) -> Chunk | None:
        """What is kept of some rows in their place, such as codes of one byte; the rows, unless a method says so."""

    def memory_needed(self, rows: int, features: int) -> int | None:
        """Bytes that a fit on so many rows takes; those of the rows themselves, unless a method says so."""

    def absent_too(self) -> bool | None:
        """Whether rows of weight zero stay, as where columns are numbered like rows; no, unless a method says so."""

    def learn_from(self, source: Source, watch: Any) -> None:
        not_kept("a fit that gathers its rows in memory", source)
        self.previous = dict(vars(watch)) if self.warm_start and watch is not None else {}
        learnt = self.learn(self.gathered(source))
        del self.previous, self.numbers
        self.__dict__.update(learnt)

    def own_abilities(self) -> Abilities:
        return Abilities()

    def gathered(self, source: Source) -> Chunk:
        """All rows of a source; a bad value is named by its row and column."""
        if source.rows is not None:
            self.refuse_memory(source.rows, source.features)
        chunks: list[Chunk] = []
        numbers: list[np.ndarray] = []
        rows = 0

        def usable(chunk: Chunk) -> Chunk:
            nonlocal rows
            n, weight = chunk.X.shape[0], chunk.weight
            numbers.append(rows + (np.arange(n) if weight is None or self.absent_too() else np.flatnonzero(weight)))
            rows += n
            if self.takes_gaps and not (source.gaps or self.takes_infinity):  # nobody has looked at these before
                refuse_infinity(chunk)
            return checked(chunk)

        gaps = source.gaps or bool(self.takes_gaps)
        checked = partial(usable_rows, sparse_ok=self.sparse_ok, gaps=gaps, absent_too=bool(self.absent_too()))
        for part in in_order(source):
            chunk = summary_of_part(usable, source, part)
            chunks.append(self.kept(chunk) or chunk)
            if source.rows is None:
                self.refuse_memory(sum(chunk.X.shape[0] for chunk in chunks), source.features)
        if not any(chunk.weight is None or chunk.weight.any() for chunk in chunks if chunk.X.shape[0]):
            raise ValueError(NO_WEIGHT)
        self.numbers = np.concatenate(numbers)
        stack = sparse.vstack if sparse.issparse(chunks[0].X) else np.concatenate
        y, weight = (None if a[0] is None else np.concatenate(a) for a in zip(*[c[1:3] for c in chunks], strict=True))
        assert weight is not None  # `usable_rows` gives all rows theirs
        with np.errstate(over="ignore"):
            check_range(weight.sum())
        return Chunk(chunks[0].X if len(chunks) == 1 else stack([c.X for c in chunks]), y, weight, chunks[0].columns)

    def refuse_memory(self, rows: int, features: int) -> None:
        need = self.memory_needed(rows, features) or 8 * rows * (self.copies * features + 2)
        have = available_memory() if self.max_memory is None else self.max_memory
        if need > have:
            raise ValueError(
                f"{type(self).__name__} keeps all rows: {rows} rows of {features} columns need {need / 2**30:.2f} GiB, "
                f"{have / 2**30:.2f} GiB are there for them; fit on fewer rows"
            )


def refuse_infinity(chunk: Chunk) -> None:
    """Raise RowError for infinity in a row that weighs something, where NaN stands for a gap."""
    values = chunk.X.data if sparse.issparse(chunk.X) else chunk.X
    if values.dtype.kind != "f" or not np.isinf(values).any():
        return
    dense = chunk.X.toarray() if sparse.issparse(chunk.X) else np.array(chunk.X)
    dense[np.isnan(dense)] = 0.0
    if chunk.weight is not None:
        dense[np.asarray(chunk.weight) == 0] = 0.0
    raise_if_not_finite(dense)
