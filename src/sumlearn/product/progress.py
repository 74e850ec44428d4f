"""How far a training has come, told to whoever listens."""

from __future__ import annotations

from ..evaluation.outer_loop import Listener


def nobody(what: str, done: int, total: int) -> None:
    """A listener that does not listen."""


class Progress:
    """Counts steps; `beat` tells the present count again, so that a listener can stop a long step between its fits.

    >>> progress = Progress(lambda what, done, total: print(what, done, total))
    >>> progress.begin("models tuned", 2)
    models tuned 0 2
    >>> progress.step()
    models tuned 1 2
    """

    def __init__(self, listener: Listener = nobody) -> None:
        self.listener = listener
        self.what, self.done, self.total = "", 0, 0

    def begin(self, what: str, total: int) -> None:
        self.what, self.done, self.total = what, 0, total
        self.beat()

    def step(self) -> None:
        self.done += 1
        self.beat()

    def end(self) -> None:
        """What is left is not done."""
        self.total = self.done
        self.beat()

    def beat(self) -> None:
        self.listener(self.what, self.done, self.total)
