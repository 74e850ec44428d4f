"""The sum of a sliding window over any statistic, without subtraction."""

from __future__ import annotations

from typing import Any

from ..statistics import Statistic


class WindowSum:
    """The sum of the statistics that were pushed and not yet popped: a queue made of two stacks.

        total = (s_1 + (s_2 + ... + s_k)) + (s_k+1 + ... + s_n)

    The older stack holds the sums from each of its statistics on to its end, the younger stack one sum of all that it
    has. To pop takes the top off the older stack; when that is empty, the younger one is turned over. Each statistic is
    merged three times in its life, whatever the length of the window, and nothing is ever subtracted: rows a million
    times larger than the rest leave without a trace. A single `pop` may turn over the whole window.

    Statistic: any that merges. Cost: push and pop one to two merges each, over time; memory two statistics for each
    that is in the window.

    Examples
    --------
    >>> from sumlearn.statistics import Moments
    >>> from sumlearn.streams import WindowSum
    >>> window = WindowSum()
    >>> for day, rows in enumerate([[[1.0], [3.0]], [[1e20]], [[5.0]], [[7.0], [9.0]]]):
    ...     window.push(Moments.of(rows), time=day)
    ...     window.pop_until(day - 2)       # the last two days stay
    0
    0
    1
    1
    >>> len(window), window.total.rows, window.total.mean.tolist(), window.total.squares.tolist()
    (2, 3, [7.0], [8.0])

    References
    ----------
    Tangwongsan, Hirzel & Schneider, "Sliding-window aggregation algorithms", 2018.
    """

    def __init__(self) -> None:
        self._older: list[tuple[Any, Statistic, Statistic]] = []  # time, statistic, sum from it on to the end
        self._younger: list[tuple[Any, Statistic]] = []
        self._sum: Statistic | None = None  # of the younger

    def __len__(self) -> int:
        return len(self._older) + len(self._younger)

    def push(self, statistic: Any, time: Any = None) -> None:
        """Add a statistic at the young end; `time` is for `pop_until`, and must not be before that of the last one."""
        if not isinstance(statistic, Statistic):
            raise TypeError(f"a window adds up statistics, got {type(statistic).__name__}")
        if len(self):
            newest = self._younger[-1][0] if self._younger else self._older[0][0]
            if (newest is None) != (time is None):
                raise ValueError("of the statistics of a window either all have a time or none has")
            if time is not None and time < newest:
                raise ValueError(f"time goes back: {time!r} after {newest!r}; push statistics in their order")
            kind = type(self._younger[-1][1] if self._younger else self._older[0][1])
            if type(statistic) is not kind:
                kinds = kind.__name__, type(statistic).__name__
                raise TypeError(f"a window adds up statistics of one kind, got {kinds[0]} and {kinds[1]}")
        if self._older and self._sum is None:
            self._older[0][1] + statistic  # it may refuse, while nothing has changed yet
        self._sum = statistic if self._sum is None else self._sum + statistic
        self._younger.append((time, statistic))

    def pop(self) -> Any:
        """Take the oldest statistic out, and return it."""
        if not self._older:
            if not self._younger:
                raise IndexError("pop from an empty window")
            total: Any = None
            for time, statistic in reversed(self._younger):
                total = statistic if total is None else statistic + total
                self._older.append((time, statistic, total))
            self._younger, self._sum = [], None
        return self._older.pop()[1]

    def pop_until(self, time: Any) -> int:
        """Take out all statistics whose time is not after `time`; returns how many they were."""
        count = 0
        while len(self) and self.oldest <= time:
            self.pop()
            count += 1
        return count

    def drop_newest(self, count: int = 1) -> None:
        """Take statistics out at the young end: what is left is merged anew."""
        if not 0 <= count <= len(self):
            raise IndexError(f"cannot drop {count} of {len(self)} statistics")
        kept = [(time, statistic) for time, statistic, _ in reversed(self._older)] + self._younger
        self._older, self._younger, self._sum = [], kept[: len(kept) - count], None
        for _, statistic in self._younger:
            self._sum = statistic if self._sum is None else self._sum + statistic

    @property
    def oldest(self) -> Any:
        """The time of the statistic that goes next."""
        if not len(self):
            raise IndexError("the window is empty")
        return self._older[-1][0] if self._older else self._younger[0][0]

    @property
    def total(self) -> Any:
        """The sum of all in the window."""
        if not len(self):
            raise IndexError("the window is empty: it has no sum")
        if not self._older or self._sum is None:
            return self._older[-1][2] if self._older else self._sum
        return self._older[-1][2] + self._sum

    def copy(self) -> WindowSum:
        """A window of its own with the same statistics."""
        other = WindowSum()
        other._older, other._younger, other._sum = [*self._older], [*self._younger], self._sum
        return other
