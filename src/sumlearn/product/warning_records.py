"""Warnings as plain things, which are kept or sent, and said again by whoever goes on."""

from __future__ import annotations

import threading
import uuid
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

THIS_PROCESS = uuid.uuid4().hex


def record_of(warning: warnings.WarningMessage) -> list[str]:
    """The name of its kind, and its words."""
    return [warning.category.__name__, str(warning.message)]


def warn_again(told: Iterable[Sequence[str]]) -> None:
    """The warnings of work that was done before, or elsewhere."""
    known = {kind.__name__: kind for kind in every_warning(Warning)}
    for name, message in told:
        warnings.warn(message, known.get(name, UserWarning), stacklevel=2)


def every_warning(kind: type[Warning]) -> Iterable[type[Warning]]:
    yield kind
    for one in kind.__subclasses__():
        yield from every_warning(one)


class Recorder:
    """Records what each thread is warned of, where several of them work side by side.

    Who listens to warnings is a fact of the process: it is set by the first that enters, put back by the last.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.told: dict[int, list[list[str]]] = {}  # by thread
        self.catching: Any = None

    @contextmanager
    def recording(self) -> Iterator[list[list[str]]]:
        """What the calling thread is warned of; other threads that work for somebody tell everybody."""
        own: list[list[str]] = []
        with self.lock:
            if not self.told:
                self.catching = warnings.catch_warnings()
                self.catching.__enter__()
                warnings.simplefilter("always")
                warnings.showwarning = self.show  # type: ignore[assignment]
            self.told[threading.get_ident()] = own
        try:
            yield own
        finally:
            with self.lock:
                del self.told[threading.get_ident()]
                if not self.told:
                    self.catching.__exit__(None, None, None)

    def show(self, message: Any, category: type[Warning], *where: Any) -> None:
        own = self.told.get(threading.get_ident())
        for told in self.told.values() if own is None else [own]:
            told.append([category.__name__, str(message)])


RECORDER = Recorder()
