"""What proves which model a file holds, and how precise it still is."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from ..saving import describe
from ..statistics import Moments, in_words
from .trained import TrainedModel


def certificate_of(model: TrainedModel, path: str | os.PathLike[str]) -> dict[str, Any]:
    """SHA-256 of the sums in a file (of the whole content where there are none), and the digits left in them.

    The sums are everything that a model that adds up knows of its rows.
    """
    description = describe(path)
    sums = [statistic["digest"] for statistic in description["statistics"]]
    digest = sums[0] if sums else description["members"]["estimator.skops"]["sha256"]
    return {"sha256": digest, "digits": digits_of(getattr(model.model, "statistic_", None))}


def digits_of(statistic: Any) -> float | None:
    """The fewest decimal digits that rounding has left in a variance; None where nothing was summed.

    >>> import numpy as np
    >>> digits_of(Moments.of(np.arange(8.0).reshape(4, 2))) > 15
    True
    """
    digits = [float(moments.digits.min()) for moments in moments_in(statistic) if moments.rows and moments.digits.size]
    return min(digits) if digits else None


def moments_in(value: Any) -> Iterator[Moments]:
    value = in_words(value)
    if isinstance(value, Moments):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from moments_in(part)
    elif is_dataclass(value):
        for field in fields(value):
            yield from moments_in(getattr(value, field.name))
