"""Rows for networks, a batch at a time: in memory in scikit-learn's order, of files and clusters chunk by chunk."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sparse
from sklearn.model_selection import train_test_split

from ....data import Chunk, InMemory, Rows, Source
from ....engines import one_blas_thread
from ....engines.summing import NO_WEIGHT, summary_of_part
from ....statistics.warnings import warn
from ...batches import Batches
from ...validation import column_name, usable_rows
from .place import moved_rows

MUCH = 2.0**22  # multiplications of a product from which threads of BLAS are worth their barriers
AUTO = 200  # rows of a batch, as scikit-learn takes


class NetworkBatch(NamedTuple):
    """Rows, targets as the head wants them, and the weight of each over that of all (one number where all are alike);
    `weight` is that of all."""

    X: Any
    target: Any
    share: Any
    weight: float


class NetworkRows:
    """The rows of a source: `epoch(number)` gives all batches, `kept_back` what `validate` has held back.

    Rows in memory are shuffled and split as scikit-learn does it, by the same draws; of a stream, chunk by chunk, as
    `Batches` does.
    """

    def __init__(self, source: Source, learner: Any) -> None:
        self.source, self.learner = source, learner
        self.random = learner.random
        self.chunk: Chunk | None = None
        self.order: np.ndarray | None = None
        self.kept_back: list[Chunk] = []
        self.ready: tuple[Any, Any, Any] | None = None
        self.shares: dict[int, Any] = {}  # of batches whose rows are all alike, by their number
        if isinstance(source, InMemory):
            usable = partial(usable_rows, sparse_ok=True)
            self.chunk = summary_of_part(usable, source, Rows(slice(0, source.rows)))
            if not self.chunk.X.shape[0]:
                raise ValueError(NO_WEIGHT)
            self.order = np.arange(self.chunk.X.shape[0])
        else:
            self.batches = Batches(source, learner)

    def chunks(self) -> Iterator[Chunk]:
        """All rows, without an order of their own: to know labels and shapes."""
        if self.chunk is not None:
            yield self.chunk
        else:
            yield from (chunk for _, chunk in self.batches.read())

    def validate(self) -> None:
        """Hold some rows back, of rows in memory two classes in equal shares."""
        learner = self.learner
        if not learner.early_stopping:
            return
        if self.chunk is None:
            self.kept_back = list(self.batches.held())
            held = sum(chunk.X.shape[0] for chunk in self.kept_back)
        else:
            y = self.chunk.y
            two = learner.target == "label" and len(learner.classes_) == 2 and y is not None and y.ndim == 1
            self.order, back = train_test_split(
                self.order, random_state=self.random, test_size=learner.validation_fraction, stratify=y if two else None
            )
            held, parts = len(back), (None if v is None else v[back] for v in self.chunk[1:3])
            self.kept_back = [Chunk(self.chunk.X[back], *parts)]
        if held < 2:
            raise ValueError(
                "The validation set is too small. Increase 'validation_fraction' or the size of your dataset."
            )

    def epoch(self, number: int) -> Iterator[NetworkBatch]:
        """All rows that are learnt from, once."""
        many = self.learner.work(self.size()) > MUCH
        with nullcontext() if many else one_blas_thread(), np.errstate(over="ignore", invalid="ignore"):
            yield from self.shuffled() if self.chunk is not None else self.streamed(number)

    def size(self) -> int:
        """Rows of a batch."""
        size = self.learner.batch_size
        return size if self.order is None else min(size, len(self.order))

    def shuffled(self) -> Iterator[NetworkBatch]:
        do, order, chunk = self.learner.network.do, self.order, self.chunk
        assert chunk is not None and order is not None
        if self.ready is None:
            if self.learner.given_size > len(order):
                warn("Got `batch_size` less than 1 or larger than sample size. It is going to be clipped", UserWarning)
            weight = chunk.weight
            alike = weight is None or bool((weight == weight[0]).all())
            self.ready = (*self.prepared(chunk), None if alike else weight)
            self.one = 1.0 if weight is None else float(weight[0])
        X, target, weight = self.ready
        if self.learner.shuffle:
            places = np.arange(len(order))
            self.random.shuffle(places)
            self.order = order = order[places]
        size = self.size()
        for start in range(0, len(order), size):
            rows = order[start : start + size]
            w = None if weight is None else weight[rows]
            yield self.batch(do.taken("rows", X, rows), do.taken("target", target, rows), w, len(rows))

    def streamed(self, number: int) -> Iterator[NetworkBatch]:
        for chunk in self.batches.epoch(number):
            weight = np.asarray(chunk.weight)
            self.one = float(weight[0])
            yield self.batch(*self.prepared(chunk), None if (weight == weight[0]).all() else weight, len(weight))

    def batch(self, X: Any, target: Any, weight: Any, rows: int) -> NetworkBatch:
        do = self.learner.network.do
        if weight is None:
            if rows not in self.shares:
                self.shares[rows] = do.array(np.full(1, 1.0 / rows))
            return NetworkBatch(X, target, self.shares[rows], rows * self.one)
        total = float(weight.sum())
        return NetworkBatch(X, target, do.array(weight / total), total)

    def prepared(self, chunk: Chunk) -> tuple[Any, Any]:
        """Rows and targets as the network wants them."""
        do = self.learner.network.do
        X = moved_rows(self.learner.place_, chunk.X)
        return do.array(X), do.array(self.learner.coded(chunk.y))

    def largest_column(self) -> str:
        """The column of the largest value, for who is told that learning went astray."""
        X = next(self.chunks()).X
        largest = np.abs(X).max(axis=0)
        largest = largest.toarray().ravel() if sparse.issparse(largest) else largest
        column = int(np.argmax(largest))
        return f"of which column {column_name(self.learner, column)!r} reaches {largest[column]:.3g}"

    def held(self) -> Iterator[Any]:
        """None: the score of rows held back is taken between the epochs."""
        return iter(())
