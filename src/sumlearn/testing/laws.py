"""How a check fails: with the name of the law."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def law(name: str) -> Iterator[None]:
    """Failures inside bear the name of the law."""
    try:
        yield
    except AssertionError as error:
        raise AssertionError(f"{name}: {error}") from error
    except Exception as error:
        raise AssertionError(f"{name}: {type(error).__name__}: {error}") from error


def ensure(holds: Any, otherwise: str) -> None:
    """An assertion that optimised Python keeps too."""
    if not holds:
        raise AssertionError(otherwise)


def assert_refused(action: Callable[..., Any], *arguments: Any, names: str = "") -> None:
    """The action raises ValueError, with these names in the message."""
    try:
        action(*arguments)
    except ValueError as error:
        ensure(names in str(error), f"the error does not name {names!r}: {error}")
    else:
        raise AssertionError("it was not refused")
