"""Threads that change one model take turns, so that none works on a copy of what another has changed meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

F = TypeVar("F", bound=Callable[..., Any])
LOCKS: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()  # beside the models: a lock cannot be copied or saved
NEW = threading.Lock()


def in_turn(change: F) -> F:
    """A method that changes its model: one thread after the other."""

    @wraps(change)
    def changing(model: Any, *arguments: Any, **named: Any) -> Any:
        with NEW:
            lock = LOCKS.setdefault(model, threading.RLock())
        with lock:
            return change(model, *arguments, **named)

    return changing  # type: ignore[return-value]
