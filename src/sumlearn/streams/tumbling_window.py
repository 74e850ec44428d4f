"""One window after the other, around any learner on sums."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..learners.description import Description
from .parts.over_time import OverTime
from .parts.timed_rows import TimedRows


@dataclass(frozen=True, eq=False)
class Windows:
    """The sum of the window that fills, and of the last one that is full."""

    number: int  # of the window that fills; they are counted from 0, or from 1970
    filling: Any
    rows: int  # passed so far, where rows are counted
    full: Any
    full_number: int | None


class TumblingWindow(OverTime):
    """A learner of one window after the other: the model is that of the last window that is full.

        window k: rows k N + 1 ... (k + 1) N,   or those with   k every <= t < (k + 1) every

    While a window fills, the model is that of the one before it; as long as none is full, that of the first. Windows of
    time begin at zero, dates at 1970-01-01 00:00 (weeks, then, on a Thursday); the one that a row's time is in ends all
    earlier ones, and a window without rows is skipped. Only sums are kept. Rows may come in any order within the window
    that fills; one of a window that is full is refused.

    Statistic: that of the learner inside, which must merge. One pass. Can update. Cost: that of the learner inside;
    memory two statistics.

    Parameters
    ----------
    learner : learner on sums, default=None
        None is ``Ridge()``.
    every : number, str or timedelta, default=1000
        The length of a window: rows; or time, in the units of the times, or a span such as "1d".
    time : str or int, default=None
        The column of X that holds the time of each row: it is no feature. Or hand over ``times=`` at `fit`.

    Attributes
    ----------
    learner_ : the learner, fitted to the last full window.
    window_ : (begin, end)
        Of that window: row numbers from 0, or times; the end is not in it.

    Examples
    --------
    >>> import numpy as np
    >>> from sumlearn import LinearRegression, TumblingWindow
    >>> x = np.arange(250.0)
    >>> y = np.where(x < 100, x, -x)
    >>> model = TumblingWindow(LinearRegression(), every=100).fit(x[:150, None], y[:150])
    >>> print(model.learner_.coef_.round(10), model.window_)
    [1.] (0, 100)
    >>> print(model.partial_fit(x[150:, None], y[150:]).learner_.coef_.round(10), model.window_)
    [-1.] (100, 200)
    """

    description = Description(parts=(Windows,))

    def __init__(self, learner: Any = None, *, every: Any = 1000, time: str | int | None = None) -> None:
        self.learner = learner
        self.every = every
        self.time = time

    @property
    def length(self) -> tuple[str, Any]:
        return "every", self.every

    def begin(self) -> None:
        return None

    def pass_by(self, state: Windows | None, rows: TimedRows, summarise: Any) -> Windows:
        passed = 0 if state is None else state.rows
        steps = passed + np.arange(len(rows)) if rows.times is None else rows.times
        numbers = np.floor_divide(steps, self.span).astype(np.int64)
        if state is not None and numbers[0] < state.number:
            raise ValueError(
                f"row {rows.name(0)} belongs to the window from {numbers[0] * self.span}, which is over: the rows of "
                f"a window must come before those of the next, from {state.number * self.span} on"
            )
        edges = np.flatnonzero(np.diff(numbers)) + 1
        for first, last in zip([0, *edges], [*edges, len(rows)], strict=True):
            number = int(numbers[first])
            more = rows.take(slice(first, last)).summary(summarise)
            if state is None:
                state = Windows(number, more, 0, None, None)
            elif number == state.number:
                state = Windows(number, state.filling + more, 0, state.full, state.full_number)
            else:
                state = Windows(number, more, 0, state.filling, state.number)
        assert state is not None
        whole = self.counts_rows and (passed + len(rows)) % int(self.span) == 0
        if whole:  # it is full with its last row, not with the next one
            return Windows(state.number + 1, state.filling.zero(), passed + len(rows), state.filling, state.number)
        return Windows(state.number, state.filling, passed + len(rows), state.full, state.full_number)

    def statistic_of(self, state: Windows | None, summarise: Any) -> Any:
        return None if state is None else state.filling if state.full is None else state.full

    @property
    def window_(self) -> tuple[Any, Any]:
        """Begin and end of the window that the model is made of."""
        if "_state" not in vars(self):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'window_'")
        state = self._state
        number = state.number if state.full_number is None else state.full_number
        return number * self.span, (number + 1) * self.span
