"""What counts as a missing value."""

from __future__ import annotations

from typing import Any

import numpy as np


def is_missing(value: Any) -> bool:
    """None, NaN, or the NA of pandas, which is equal to nothing and differs from nothing."""
    return value is None or not isinstance(value == value, bool | np.bool_) or value != value
