"""The curse of dimension in two numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..row_values import number_or_array

LARGEST = np.log10(np.finfo(float).max)


def shell_share(eps: Any, d: Any) -> Any:
    """Share of a ball in d dimensions that lies within a shell of relative thickness eps below its surface.

        1 - (1 - eps)^d

    Computed without cancellation, so that thin shells keep their digits. Arrays are combined elementwise.

    >>> print([round(shell_share(0.05, d), 3) for d in (1, 2, 20, 100)])
    [0.05, 0.098, 0.642, 0.994]

    References: lecture notes 000 and 003; Bishop, "Pattern recognition and machine learning", 2006, section 1.4.
    """
    thickness, dimension = np.asarray(eps, dtype=float), dimensions(d)
    if not ((thickness >= 0) & (thickness <= 1)).all():
        raise ValueError(f"eps must be between 0 and 1, got {eps!r}")
    with np.errstate(divide="ignore"):  # log 0 at eps = 1: the shell is the whole ball
        return number_or_array(-np.expm1(dimension * np.log1p(-thickness)))


def needed_samples(eps: Any, d: Any, log10: bool = False) -> Any:
    """Cells of edge eps that fill a unit cube in d dimensions: the samples needed for one in each.

        eps^-d

    A whole number where 1 / eps is one. With ``log10=True`` the decimal logarithm, which never overflows; a number that
    would is a ValueError.

    >>> print(needed_samples(0.1, 3), round(needed_samples(0.1, 500, log10=True), 6))
    1000.0 500.0

    References: lecture notes 000 and 003.
    """
    edge, dimension = np.asarray(eps, dtype=float), dimensions(d)
    if not ((edge > 0) & (edge <= 1)).all():
        raise ValueError(f"eps must be above 0 and at most 1, got {eps!r}")
    digits = dimension * -np.log10(edge)
    if log10:
        return number_or_array(digits)
    if (digits >= LARGEST).any():
        raise ValueError(f"eps^-d has {digits.max():.0f} digits, more than a float holds: ask for log10=True")
    per_edge = 1.0 / edge
    whole = np.isclose(per_edge, np.rint(per_edge), rtol=1e-14, atol=0.0)
    return number_or_array(np.power(np.where(whole, np.rint(per_edge), per_edge), dimension))


def dimensions(d: Any) -> np.ndarray:
    values = np.asarray(d, dtype=float)
    if not ((values >= 1) & np.isfinite(values) & (values == np.floor(values))).all():
        raise ValueError(f"d must be a whole number of at least 1, got {d!r}")
    return values
