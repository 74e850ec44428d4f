"""Threads with one model: those that change it take turns, those that ask have an answer of one state of it."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable
from copy import copy
from functools import wraps
from types import FunctionType
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

F = TypeVar("F", bound=Callable[..., Any])
LOCKS: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()  # beside the models: a lock cannot be copied or saved
NEW = threading.Lock()
ASKING = (
    *("predict", "predict_proba", "predict_log_proba", "predict_joint_log_proba", "predict_interval", "predict_over"),
    *("predict_variance", "decision_function", "score_samples", "transform", "inverse_transform", "sample", "explain"),
    *("apply", "kneighbors", "conditional", "reconstruction_error", "confidence_interval", "f_test", "summary"),
)


def in_turn(change: F) -> F:
    """A method that changes its model: one thread after the other."""

    @wraps(change)
    def changing(model: Any, *arguments: Any, **named: Any) -> Any:
        with NEW:
            lock = LOCKS.setdefault(model, threading.RLock())
        with lock:
            return change(model, *arguments, **named)

    return changing  # type: ignore[return-value]


def answer_of_one_state(kind: type) -> None:
    """Let every method of a learner that answers work on what the model holds at its beginning.

    Coefficients and intercept are read one after the other. A thread that learns in between would have them be of two
    models, and the answer of none. A copy shares all that the model holds, so that solutions are kept as before.
    Methods are replaced where they are written. Those that somebody else writes are left as they are: they may set
    attributes, which a copy would lose.
    """
    for name in ASKING:
        found = inspect.getattr_static(kind, name, None)
        function = getattr(found, "fn", found)  # of a method that is there under a condition
        if not isinstance(function, FunctionType) or hasattr(function, "of_one_state"):
            continue
        home = next(base for base in kind.__mro__ if name in vars(base))
        if home.__module__.partition(".")[0] != __name__.partition(".")[0]:
            continue
        if found is function:
            setattr(home, name, on_a_copy(function))
        else:
            there = copy(found)
            there.fn = on_a_copy(function)
            setattr(home, name, there)


def on_a_copy(ask: FunctionType) -> FunctionType:
    @wraps(ask)
    def asking(model: Any, *arguments: Any, **named: Any) -> Any:
        return ask(model.twin() if hasattr(model, "twin") else model, *arguments, **named)

    asking.of_one_state = True  # type: ignore[attr-defined]
    return asking  # type: ignore[return-value]
