"""What a workflow says about its steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

SHOWN = 6  # names or row numbers that a line lists


class Step(NamedTuple):
    """One of the nine steps: its name, what was done, and the numbers behind that."""

    step: str
    what: str
    numbers: dict[str, Any]


def skipped(step: str) -> Step:
    return Step(step, "skipped", {})


def listed(items: Sequence[Any]) -> str:
    """
    >>> listed([3, 5]), listed(list("abcdefgh"))
    ('3, 5', 'a, b, c, d, e, f, ... (8)')
    """
    text = ", ".join(str(item) for item in items[:SHOWN])
    return text if len(items) <= SHOWN else f"{text}, ... ({len(items)})"


def text_of(steps: Sequence[Step]) -> str:
    """A numbered line for every step.

    >>> print(text_of([Step("features", "4 columns", {}), skipped("normalise")]))
    1 features      4 columns
    2 normalise     skipped
    """
    return "\n".join(f"{number} {step.step:<13} {step.what}" for number, step in enumerate(steps, 1))
