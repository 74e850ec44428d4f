"""What a workflow says about its steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from sklearn.utils.validation import has_fit_parameter

SHOWN = 6  # names or row numbers that a line lists


class Step(NamedTuple):
    """One of the nine steps: its name, what was done, and the numbers behind that."""

    step: str
    what: str
    numbers: dict[str, Any]


def fitted(estimator: Any, X: Any, y: Any, weight: Any) -> Any:
    """An estimator fitted on rows with weights; one that takes none is refused."""
    if weight is None:
        return estimator.fit(X, y)
    if not has_fit_parameter(estimator, "sample_weight"):
        raise ValueError(f"{type(estimator).__name__}.fit takes no sample_weight: leave it out, or the weights")
    return estimator.fit(X, y, sample_weight=weight)


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
