"""Quotients of whole numbers of any length, in two words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from .statistic import Words

BITS = 114  # of a quotient before it is rounded: two words have 106


class Scaled(NamedTuple):
    """Numbers of two words in units of powers of two of their own."""

    words: Words
    exponent: np.ndarray

    def in_units(self, exponent: np.ndarray | int) -> Words:
        return self.words.shifted(self.exponent - exponent)


def quotients(numerators: Iterable[int], denominator: int) -> Scaled:
    """numerator / denominator: the first word is the nearest double, and both are right to 2^-106.

    What comes out follows from the numbers alone.

    >>> found = quotients([1, -2, 0], 3).in_units(0)
    >>> found.hi.tolist(), [round(v * 2**54, 6) for v in found.lo.tolist()]
    ([0.3333333333333333, -0.6666666666666666, 0.0], [0.333333, -0.666667, 0.0])
    """
    size = denominator.bit_length()
    high, low, exponent = [], [], []
    for value in numerators:
        shift = BITS + size - value.bit_length()
        found, rest = divmod(abs(value) << max(shift, 0), denominator << max(-shift, 0))
        found = 2 * found + (rest != 0)  # a last bit says that there is more, so that nothing is taken for a tie
        found = -found if value < 0 else found
        nearest = float(found)
        high.append(nearest)
        low.append(float(found - int(nearest)))
        exponent.append(-shift - 1)
    return Scaled(Words(np.array(high), np.array(low)), np.array(exponent, dtype=np.int64))
