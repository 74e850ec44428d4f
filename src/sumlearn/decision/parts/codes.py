"""Code words for classes: tables of truth values, a row for each class and a column for each problem."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

# Coefficients of primitive polynomials as bits: x^3 + x + 1 is 0b1011.
PRIMITIVE = {3: 0b1011, 4: 0b10011, 5: 0b100101, 6: 0b1000011, 7: 0b10001001, 8: 0b100011101}
MOST_EXHAUSTIVE = 12
MOST_DRAWS = 1000


def random_words(K: int, length: int, random_state: Any) -> np.ndarray:
    """Coin tosses; the first ones, which are scikit-learn's for the same seed, unless two classes share a word."""
    draws = check_random_state(random_state)
    if 2**length >= K:
        for _ in range(MOST_DRAWS):
            words = draws.uniform(size=(K, length)) > 0.5
            if len(np.unique(words, axis=0)) == K:
                return words
    raise ValueError(f"no random code of length {length} tells {K} classes apart: give a larger code_size")


def exhaustive_words(K: int) -> np.ndarray:
    """Every way to cut K classes in two, 2^(K-1) - 1 of them.

    >>> exhaustive_words(3).astype(int).tolist()
    [[1, 1, 1], [0, 0, 1], [0, 1, 0]]
    """
    if K > MOST_EXHAUSTIVE:
        raise ValueError(f"an exhaustive code of {K} classes has {2 ** (K - 1) - 1} problems: use 'bch' or 'random'")
    rest = (np.arange(2 ** (K - 1) - 1) >> np.arange(K - 2, -1, -1)[:, None]) & 1
    return np.vstack([np.ones((1, 2 ** (K - 1) - 1), dtype=bool), rest.astype(bool)])


def bch_words(K: int, least: int) -> np.ndarray:
    """Words of the binary BCH code of the largest designed distance that has enough words for K classes.

    Its length is the first 2^m - 1 at or above `least` that will do. Any two words differ in as many places as
    designed; places that are alike in all words are left out.
    """
    for m, polynomial in PRIMITIVE.items():
        n = 2**m - 1
        if n < least:
            continue
        generators = list(bch_generators(m, polynomial))
        for generator in reversed(generators):
            dimension = n - (generator.bit_length() - 1)
            if 2**dimension > 2 * K:
                return chosen_words(K, n, generator, dimension)
    raise ValueError(f"no BCH code here has {K} words of length {least}: use 'random', or a smaller code_size")


def bch_generators(m: int, polynomial: int) -> Any:
    """Generators of growing distance: products of the minimal polynomials of alpha, alpha^3, alpha^5, ..."""
    n = 2**m - 1
    power = [1]
    for _ in range(n - 1):
        following = power[-1] << 1
        power.append(following ^ polynomial if following >> m else following)
    logarithm = {value: exponent for exponent, value in enumerate(power)}
    seen: set[int] = set()
    generator = 1
    for first in range(1, n, 2):
        coset = sorted({first * 2**j % n for j in range(m)})
        if coset[0] in seen:
            continue
        seen |= set(coset)
        minimal = [1]  # coefficients in the field, from the highest
        for root in coset:
            product = [0 if not c else power[(logarithm[c] + root) % n] for c in minimal]
            minimal = [a ^ b for a, b in zip([*minimal, 0], [0, *product], strict=True)]
        generator = times(generator, reduce(lambda bits, c: bits << 1 | c, minimal, 0))
        if generator.bit_length() - 1 < n:
            yield generator


def times(a: int, b: int) -> int:
    """Product of polynomials over two elements.

    >>> bin(times(0b11, 0b11))
    '0b101'
    """
    return reduce(lambda total, j: total ^ (a << j if b >> j & 1 else 0), range(b.bit_length()), 0)


def chosen_words(K: int, n: int, generator: int, dimension: int) -> np.ndarray:
    """K words in an order that is always the same, none the opposite of another; without places alike in all."""
    whole, words = 2**n - 1, list[int]()
    for message in np.random.default_rng(0).permutation(np.arange(1, 2 ** min(dimension, 16))).tolist():
        word = times(generator, message)
        if len(words) < K and word != whole and whole ^ word not in words:
            words.append(word)
    table = np.array([[word >> j & 1 for j in range(n)] for word in words], dtype=bool)
    return table[:, table.any(axis=0) & ~table.all(axis=0)]


def checked_words(words: np.ndarray, K: int) -> np.ndarray:
    """A code that was given: it tells the classes apart, and every problem has two sides."""
    if words.ndim != 2 or words.shape[0] != K or not words.shape[1]:
        raise ValueError(f"a code of {K} classes has a row for each, got a table of shape {words.shape}")
    same = [(j, i) for i in range(K) for j in range(i) if (words[i] == words[j]).all()]
    if same:
        raise ValueError(f"classes number {same[0][0]} and {same[0][1]} have the same code word: give another")
    flat = np.flatnonzero(words.all(axis=0) | ~words.any(axis=0))
    if len(flat):
        raise ValueError(f"problem number {flat[0]} of the code has all classes on one side: leave it out")
    return words
