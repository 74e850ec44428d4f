"""The time that a training may take, and an end to fits that do not end."""

from __future__ import annotations

import time
from typing import Any

import numpy as np


class OutOfTime(Exception):
    """A fit that takes longer than there is time."""


class Clock:
    """The time that a training may take. Watches fits as a callback of scikit-learn: every step may be the last."""

    def __init__(self, seconds: float) -> None:
        self.start, self.seconds = time.perf_counter(), seconds
        self.end = self.start + seconds

    @property
    def endless(self) -> bool:
        return bool(np.isinf(self.seconds))

    def within(self, seconds: float) -> Clock:
        """A clock for a part of the work, which ends with the whole at the latest."""
        part = Clock(seconds)
        part.end = min(part.end, self.end)
        return part

    def until(self, share: float) -> Clock | None:
        """A clock that ends after a share of the time; None where there is no end."""
        return None if self.endless else self.within(self.start + share * self.seconds - time.perf_counter())

    def check(self) -> None:
        if time.perf_counter() > self.end:
            raise OutOfTime

    @property
    def seconds_left(self) -> float:
        return self.end - time.perf_counter()

    def has(self, seconds: float) -> bool:
        return time.perf_counter() + seconds < self.end

    def setup(self, *task: Any, **more: Any) -> None: ...

    def teardown(self, *task: Any, **more: Any) -> None: ...

    def on_fit_task_begin(self, *task: Any, **more: Any) -> None:
        self.check()

    def on_fit_task_end(self, *task: Any, **more: Any) -> None: ...
