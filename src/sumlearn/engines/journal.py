"""Passes over files that somebody writes down, so that one that is interrupted goes on where it was.

Whoever keeps them (`saving.checkpoints`) opens a journal; nobody else notices. The passes of the thread that opened it
are numbered as they come. One that was finished before is answered from the journal, the one that was interrupted goes
on with the open nodes of its merge tree, and the rest is as ever: so the bits are those of a run that nobody disturbed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..data import Source
from ..data.collections import DaskSource
from ..data.files import FileSource
from ..data.mapped import inputs_of
from .engine import Engine
from .fingerprint import PLAIN, fingerprint

UNSAID = ("n_jobs", "verbose", "warm_start")  # parameters that change no sum


class Pass(NamedTuple):
    """A sum over files: what is added up, of which rows, and for whom."""

    work: Callable[[Any], Any]
    source: Source
    factor: int = 1
    patterns: Sequence[np.ndarray] | None = None  # of rows that are added up apart
    asked: dict[str, Any] | None = None  # the learner and its parameters, for people

    @property
    def files(self) -> FileSource:
        return inputs_of(self.source)  # type: ignore[return-value]

    def digest(self) -> str:
        """Of all that decides about the sum, but the rows themselves."""
        return fingerprint((self.work, self.source, self.factor, self.patterns))

    def parts(self, begin: int = 0) -> Iterator[Any]:
        """The parts, without the first ones; those of files are not read again where their format can be skipped."""
        if begin:
            return self.files.parts(self.factor, self.patterns, begin)
        return self.files.parts(self.factor, *(() if self.patterns is None else (self.patterns,)))


class Journal(Protocol):
    """Who keeps passes."""

    def summed(self, one: Pass, engine: Any, parts: Iterable[Any] | None) -> Any:
        """The sum of a pass, from what is known of it and the rows that are left; `parts` where they are watched."""

    def not_kept(self, what: str) -> None:
        """Say that something reads files in a way that cannot be kept."""


open_journal: ContextVar[Journal | None] = ContextVar("open_journal", default=None)
asked: ContextVar[dict[str, Any] | None] = ContextVar("asked", default=None)


def summed(
    work: Callable[[Any], Any],
    source: Source,
    engine: Engine,
    factor: int = 1,
    *,
    parts: Iterable[Any] | None = None,
    patterns: Sequence[np.ndarray] | None = None,
) -> Any:
    """The sum of work(part) over a source, by an engine; kept where a journal is open and the source is one of files.

    `work` must do nothing but return a sum: it is not called again for what is kept.
    """
    journal = open_journal.get()
    if journal is not None and isinstance(inputs_of(source), DaskSource):
        raise ValueError("checkpoints are of passes over files; what a Dask worker loses, its scheduler makes good")
    if journal is not None and isinstance(inputs_of(source), FileSource):
        return journal.summed(Pass(work, source, factor, patterns, asked.get()), engine, parts)
    if parts is None:
        parts = source.parts(factor) if patterns is None else source.parts(factor, patterns)  # type: ignore[call-arg]
    return engine.reduce(work, parts)


def not_kept(what: str, source: Source) -> None:
    """Have it said where a journal is open that `what` reads files in a way that cannot be kept."""
    journal = open_journal.get()
    if journal is not None and isinstance(inputs_of(source), FileSource):
        journal.not_kept(what)


def keeps_passes() -> bool:
    """Whether a journal is open."""
    return open_journal.get() is not None


@contextmanager
def asked_by(learner: Any, method: str) -> Iterator[None]:
    """Whoever keeps passes knows for whom they are: for the outermost learner."""
    if open_journal.get() is None or asked.get() is not None:
        yield
        return
    token = asked.set({"learner": type(learner).__name__, "method": method} | plain_parameters(learner))
    try:
        yield
    finally:
        asked.reset(token)


def plain_parameters(learner: Any) -> dict[str, Any]:
    """Parameters that can be shown; of others the kind."""
    found = learner.get_params(deep=True)
    shown = {name: value for name, value in found.items() if name.rpartition("__")[2] not in UNSAID}
    return {name: value if isinstance(value, PLAIN) else type(value).__name__ for name, value in shown.items()}
