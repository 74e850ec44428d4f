"""Arithmetic on numbers of two words, hi + lo, with |lo| <= ulp(hi) / 2: about 32 decimal digits.

Knuth's two-sum, an exact product by fused multiply-add, and the sloppy-free add and multiply of Hida, Li & Bailey
("Quad-double arithmetic", 2000). Scalars in, scalars out; LLVM inlines them into the loops that use them.
"""

from numba import njit, types
from numba.extending import intrinsic

# Half of a first use is spent on what surrounds a function: none is called from C, and scalars not from Python either.
SETTINGS = {"cache": True, "nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
INSIDE = SETTINGS | {"no_cpython_wrapper": True}


@intrinsic
def fma(typing_context, a, b, c):
    """a * b + c with one rounding (a machine instruction, or libm's where the processor has none)."""

    def generate(context, builder, signature, arguments):
        return builder.fma(*arguments)

    return types.float64(types.float64, types.float64, types.float64), generate


@njit(**INSIDE)
def two_sum(a, b):
    """a + b = s + e exactly."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


@njit(**INSIDE)
def quick_two_sum(a, b):
    """a + b = s + e exactly, where |a| >= |b|."""
    s = a + b
    return s, b - (s - a)


@njit(**INSIDE)
def two_product(a, b):
    """a * b = p + e exactly."""
    p = a * b
    return p, fma(a, b, -p)


@njit(**INSIDE)
def add(ah, al, bh, bl):
    s, e = two_sum(ah, bh)
    t, f = two_sum(al, bl)
    s, e = quick_two_sum(s, e + t)
    return quick_two_sum(s, e + f)


@njit(**INSIDE)
def multiply(ah, al, bh, bl):
    p, e = two_product(ah, bh)
    return quick_two_sum(p, fma(ah, bl, fma(al, bh, e)))


@njit(**INSIDE)
def divide(ah, al, bh, bl):
    """Long division, three quotients of one word."""
    q1 = ah / bh
    ph, pl = multiply(bh, bl, q1, 0.0)
    rh, rl = add(ah, al, -ph, -pl)
    q2 = rh / bh
    ph, pl = multiply(bh, bl, q2, 0.0)
    rh, rl = add(rh, rl, -ph, -pl)
    q3 = rh / bh
    q1, q2 = quick_two_sum(q1, q2)
    return add(q1, q2, q3, 0.0)


@njit(**INSIDE)
def root(ah, al):
    """Square root of a positive number: one Newton step from the root of the high word."""
    r = ah**0.5
    ph, pl = two_product(r, r)
    dh, _ = add(ah, al, -ph, -pl)
    return quick_two_sum(r, dh / (2.0 * r))
