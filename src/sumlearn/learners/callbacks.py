"""Progress: scikit-learn's callbacks (new in 1.9), in this one place; without them, nothing happens.

    Ridge().set_callbacks(sklearn.callback.ProgressBar()).fit("trips/*.parquet", "fare")

draws a bar with the time that remains: one step for every part that is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..data import Source

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # an older scikit-learn
    CallbackSupportMixin = object

    def with_callbacks(method: Any) -> Any:
        return method


STATE = ("_skl_callbacks", "_skl_callbacks_to_teardown", "_callback_fit_ctx", "_parent_callback_ctx")


def watched(estimator: Any, source: Source, factor: int) -> Iterator[Any]:
    """The parts of a source; whoever watches the estimator hears of every one."""
    parts = source.parts(factor)
    whole = estimator._init_callback_context(max_subtasks=source.expected_parts(factor))
    whole.call_on_fit_task_begin(estimator=estimator)
    for part in parts:
        step = whole.subcontext(task_name="read and add up")
        step.call_on_fit_task_begin(estimator=estimator)
        yield part
        step.call_on_fit_task_end(estimator=estimator)
    whole.call_on_fit_task_end(estimator=estimator)


@contextmanager
def stepwise(estimator: Any) -> Iterator[Callable[[], None] | None]:
    """A function to call at every step of a fit, for whoever watches the estimator; None if nobody does."""
    if not is_watched(estimator):
        yield None
        return
    whole = estimator._init_callback_context(max_subtasks=None)  # nobody knows
    whole.call_on_fit_task_begin(estimator=estimator)

    def step() -> None:
        task = whole.subcontext(task_name="step")
        task.call_on_fit_task_begin(estimator=estimator)
        task.call_on_fit_task_end(estimator=estimator)

    yield step
    whole.call_on_fit_task_end(estimator=estimator)


def is_watched(estimator: Any) -> bool:
    names = ("_skl_callbacks", "_parent_callback_ctx")
    return estimator is not None and any(name in estimator.__dict__ for name in names)
