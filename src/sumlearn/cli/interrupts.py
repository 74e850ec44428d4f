"""Ctrl-C, also where Python loses it: an exception in a finaliser or in a callback from C is printed and forgotten."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

pressed = threading.Event()


@contextmanager
def listening() -> Iterator[None]:
    """Remember that Ctrl-C was pressed, besides raising KeyboardInterrupt as Python does."""
    pressed.clear()
    if threading.current_thread() is not threading.main_thread():  # signals belong to the main thread
        yield
        return
    before = signal.signal(signal.SIGINT, heard)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def heard(number: int, frame: Any) -> None:
    pressed.set()
    raise KeyboardInterrupt


def stop_if_interrupted() -> None:
    """Raise an interrupt that was lost."""
    if pressed.is_set():
        raise KeyboardInterrupt


def settle() -> None:
    """Have Python forget an interrupt that was dealt with.

    One that passed through `exec` or `eval` of text, as compilers use them, is remembered in the interpreter as
    unhandled, which then ends by SIGINT whatever exit code is returned; evaluating any other text clears that.
    """
    exec("")
