"""Powers of two of a block of exponents: rows of a Gaussian kernel, as a product of rows leaves them."""

import numpy as np
from numba import float32, int32, njit, types
from numba.extending import intrinsic

from .gaussian_kernel import PLAIN, power_of_two

LOWEST = np.float32(-126.0)  # smaller powers count as this one
HALF = np.float32(0.5)
SERIES = tuple(
    np.float32(c) for c in (1.5403530e-4, 1.3333558e-3, 9.6181291e-3, 5.5504109e-2, 2.4022651e-1, 6.9314718e-1, 1.0)
)


@intrinsic
def single_of(typing_context, bits):
    """The number of single precision that has these 32 bits."""

    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], context.get_value_type(types.float32))

    return types.float32(types.int32), generate


@njit(**PLAIN)
def single_power_of_two(x):
    """2^x for x <= 0 in single precision, to 2e-7 of it, without branches: 2^k times a series for the rest."""
    x = max(x, LOWEST)
    k = int32(x - HALF)
    r = x - float32(k)
    p = SERIES[0]
    p = p * r + SERIES[1]
    p = p * r + SERIES[2]
    p = p * r + SERIES[3]
    p = p * r + SERIES[4]
    p = p * r + SERIES[5]
    p = p * r + SERIES[6]
    return p * single_of((k + int32(127)) << int32(23))


@njit(**PLAIN)
def write_powers(exponents, out, slots, first):
    """out[slots_r, first + c] = 2^min(exponents[r, c], 0)."""
    for r in range(exponents.shape[0]):
        row, here = out[slots[r]], exponents[r]
        for c in range(exponents.shape[1]):
            row[first + c] = single_power_of_two(min(here[c], float32(0.0)))


@njit(**PLAIN)
def powers(exponents):
    """2^min(x, 0) in place of every x."""
    for r in range(exponents.shape[0]):
        row = exponents[r]
        for c in range(exponents.shape[1]):
            row[c] = power_of_two(min(row[c], 0.0))
