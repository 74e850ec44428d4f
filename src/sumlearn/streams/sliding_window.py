"""A window that slides over the rows, around any learner on sums."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..learners.description import Description
from .parts.over_time import OverTime
from .parts.row_window import GRAIN, OpenWindow, RowBlock, WindowRows, block_of, cuts, joined
from .parts.timed_rows import TimedRows


class SlidingWindow(OverTime):
    """A learner of the last rows only: the last N, or those of the last 28 days, exactly.

        rows n - N + 1 ... n,   or those with   T - size < t <= T,   T the time of the newest row

    The model is that of a new fit on these rows, as far as rounding goes, after any number of steps: sums are merged
    and never subtracted. The window is exact to the row, so its rows are kept, in blocks; of the blocks between the
    oldest and the youngest there are sums (`WindowSum`), and where the window's end cuts through a block, what is left
    of it is summed when the model is asked for. Rows that come late are placed by their time, or are none if the window
    has passed them; where they belong into blocks that are summed already, these are summed again.

    Statistic: that of the learner inside, which must merge. One pass. Can update. Cost: two to three merges and a sum
    for each block of max(128, 2 d) rows that comes; solve O(128 d^2) more than the learner's; memory the rows of the
    window, and two statistics for each block.

    Parameters
    ----------
    learner : learner on sums, default=None
        None is ``Ridge()``.
    size : number, str or timedelta, default=1000
        How many rows; or how much time, in the units of the times, or a span such as "28d" or "90min".
    time : str or int, default=None
        The column of X that holds the time of each row: it is no feature. Or hand over ``times=`` at `fit`.

    Attributes
    ----------
    learner_ : the learner, fitted to the rows of the window.
    rows_ : int
        How many rows are in the window.
    now_ : the time of the newest row; None where rows are counted.

    Examples
    --------
    >>> import numpy as np
    >>> from sumlearn import LinearRegression, SlidingWindow
    >>> x = np.arange(300.0)
    >>> y = np.where(x < 100, 1e12, 3 * x)                  # a fault of the first hundred rows
    >>> model = SlidingWindow(LinearRegression(), size=200)
    >>> model.fit(x[:150, None], y[:150]).rows_
    150
    >>> print(model.partial_fit(x[150:, None], y[150:]).learner_.coef_.round(10), model.rows_)
    [3.] 200

    References
    ----------
    Tangwongsan, Hirzel & Schneider, "Sliding-window aggregation algorithms", 2018.
    """

    description = Description(parts=(RowBlock, WindowRows))

    def __init__(self, learner: Any = None, *, size: Any = 1000, time: str | int | None = None) -> None:
        self.learner = learner
        self.size = size
        self.time = time

    @property
    def length(self) -> tuple[str, Any]:
        return "size", self.size

    def check_own(self) -> None:
        if self.plain_learner.reads in ("table", "mixed"):
            raise TypeError(
                f"{type(self).__name__} keeps rows of numbers, and {type(self.plain_learner).__name__} reads tables: "
                "TumblingWindow and Fading keep sums alone"
            )

    def begin(self) -> None:
        return None

    def pass_by(self, state: WindowRows | None, rows: TimedRows, summarise: Any) -> WindowRows:
        window = OpenWindow(state, summarise)
        grain = max(GRAIN, 2 * rows.chunk.X.shape[1])
        if rows.times is not None and window.now is not None and rows.times[0] < window.now:
            rows = self.placed(window, rows, grain)
        for part in cuts(len(rows), max(grain - window.grown, 1), grain):
            piece = rows.take(part)
            window.append(block_of(piece), grain, piece.summary(summarise))
            self.cut(window)
        return window.frozen()

    def placed(self, window: OpenWindow, rows: TimedRows, grain: int) -> TimedRows:
        """Put late rows where their times belong; returns those that are not late."""
        times: Any = rows.times
        late = rows.take(slice(0, int(np.searchsorted(times, window.now, side="left"))))
        late.summary(window.summarise)  # a bad value is refused, also where the window has passed it
        late = late.take(np.flatnonzero(times[: len(late)] > window.now - self.span))
        if len(late):
            now = window.now
            added = block_of(late)
            block = joined([*window.taken_after(added.times[0]), added])
            block = block.take(np.argsort(block.times, kind="stable"))
            for part in cuts(len(block), grain, grain):
                window.append(block.take(part), grain)
            window.now = now
        return rows.take(slice(int(np.searchsorted(times, window.now, side="left")), None))

    def cut(self, window: OpenWindow) -> None:
        """Rows go that are no longer in the window."""
        if self.counts_rows:
            window.keep_last(int(self.span))
        else:
            window.keep_after(window.now - self.span)

    def statistic_of(self, state: WindowRows | None, summarise: Any) -> Any:
        return None if state is None else OpenWindow(state, summarise).total()

    def known_of(self, state: WindowRows) -> Any:
        return None if state.sums is None else state.sums.youngest()  # they are taken anew of a model out of a file

    @property
    def kept_rows(self) -> int:
        """How many rows are in its file, beside the sums."""
        return self.rows_ if "_state" in vars(self) else 0

    @property
    def rows_(self) -> int:
        """How many rows are in the window."""
        if "_state" not in vars(self):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'rows_'")
        return self._state.rows

    @property
    def now_(self) -> Any:
        """The time of the newest row; None where rows are counted."""
        if "_state" not in vars(self):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'now_'")
        return self._state.now
