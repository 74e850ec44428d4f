"""How far a training has come, told to whoever listens."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]  # what is done, how many of them, of how many


class Pace:
    """Counts steps; `beat` tells the present count again, so that a listener can stop a long step between its fits.

    >>> pace = Pace(lambda what, done, total: print(what, done, total))
    >>> pace.begin("models tuned", 2)
    models tuned 0 2
    >>> pace.step()
    models tuned 1 2
    """

    def __init__(self, progress: Progress = lambda what, done, total: None) -> None:
        self.progress = progress
        self.what, self.done, self.total = "", 0, 0

    def begin(self, what: str, total: int) -> None:
        self.what, self.done, self.total = what, 0, total
        self.beat()

    def step(self) -> None:
        self.done += 1
        self.beat()

    def beat(self) -> None:
        self.progress(self.what, self.done, self.total)
