"""Units of columns: powers of two in which their squares neither overflow nor vanish."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from .projection import NOTHING

if TYPE_CHECKING:
    from .moments import Moments


def suitable_exponent(spreads: Iterable[Moments], halves: Iterable[np.ndarray]) -> np.ndarray:
    """Units in which scatters and squared differences (given as halves, which cannot overflow) stay in range."""
    sizes = [np.where(m.diagonal > 0, np.frexp(np.sqrt(np.abs(m.diagonal)))[1] + m.exponent, NOTHING) for m in spreads]
    sizes += [np.where(half != 0, np.frexp(half)[1] + 1, NOTHING) for half in halves]
    return suitable_size(np.max(sizes, axis=0))


def suitable_size(wanted: np.ndarray) -> np.ndarray:
    """Exponents of deviations where these leave the middle of the range; zero elsewhere."""
    return np.where((np.abs(wanted) > 300) & (wanted != NOTHING), wanted, 0)
