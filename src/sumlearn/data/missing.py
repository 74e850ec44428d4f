"""What counts as a missing value."""

from __future__ import annotations

from typing import Any

import numpy as np


def is_missing(value: Any) -> bool:
    """None, NaN, or the NA of pandas, which is equal to nothing and differs from nothing."""
    return value is None or not isinstance(value == value, bool | np.bool_) or value != value


def unmasked(values: Any, name: str) -> Any:
    """A masked array without its mask, if nothing is masked: arithmetic would use what lies behind it."""
    if not isinstance(values, np.ma.MaskedArray):
        return values
    for place in np.argwhere(np.ma.getmaskarray(values))[:1]:
        where = f"row {place[0]}" + (f", column {place[1]}" if values.ndim > 1 else "")
        raise ValueError(
            f"{name} is a masked array, and {where} is masked: leave such rows out, or give {name}.filled(np.nan) to a "
            "learner that takes gaps, such as TableModel"
        )
    return values.data
