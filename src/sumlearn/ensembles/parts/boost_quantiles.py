"""Means, shares and quantiles of numbers that rows have, by passes over them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .boost_blocks import BoostBlock, BoostBlocks, Tallies
from .boost_sums import FINE, scale_of, size_of, size_table

DIGIT = 16  # bits of a number that a pass of a quantile decides


def targets_of(block: BoostBlock) -> np.ndarray:
    return np.asarray(block.rows.y, dtype=np.float64)


def mean_over(blocks: BoostBlocks, numbers: Callable[[BoostBlock], np.ndarray]) -> float:
    """`exact_mean`, by passes."""
    low = float(blocks.total(partial(least_number, numbers)).least[0])
    size = size_of(blocks.total(partial(sizes_above, numbers, low)).sums[0])
    scale = scale_of(size, FINE)
    return low + int(blocks.total(partial(sum_above, numbers, low, scale)).sums[0]) / scale / blocks.reader.total


def least_number(numbers: Any, block: BoostBlock) -> Tallies:
    return Tallies.of(len(block.rows.y), least=(np.array(numbers(block).min(initial=np.inf)),))


def above(numbers: Any, low: float, block: BoostBlock) -> np.ndarray:
    return block.weights.times_slope(numbers(block) - low)


def sizes_above(numbers: Any, low: float, block: BoostBlock) -> Tallies:
    return Tallies.of(len(block.rows.y), size_table(above(numbers, low, block), block.weights.times))


def sum_above(numbers: Any, low: float, scale: float, block: BoostBlock) -> Tallies:
    whole = np.rint(above(numbers, low, block) * scale).astype(np.int64)
    times = block.weights.times
    return Tallies.of(len(whole), int((whole * times if len(times) else whole).sum()))


def class_amounts(classes: int, scale: float, block: BoostBlock) -> Tallies:
    """Weights of the classes, in units of 1 / scale where they are not whole."""
    weights, y = block.weights, block.rows.y
    own = weights.times if weights.factor is None else np.rint(weights.factor * scale).astype(np.int64)
    found = np.zeros(classes, np.int64)
    np.add.at(found, y, own if len(own) else 1)
    return Tallies.of(len(y), found)


def quantiles_over(
    blocks: BoostBlocks, numbers: Callable[[BoostBlock], tuple[np.ndarray, np.ndarray]], places: int, share: float
) -> np.ndarray:
    """`weighted_quantile` of the numbers at every place, by passes: bits are decided from the highest on.

    numbers(block) are numbers and the places that they belong to.
    """
    unit = 1.0 if blocks.reader.whole else blocks.reader.unit
    prefix = np.zeros((places, 2), np.uint64)
    want = below = None
    for shift in range(64 - DIGIT, -1, -DIGIT):
        tables = blocks.total(partial(digits, numbers, prefix, shift)).sums[0]
        if want is None:
            mass = tables[:, 0].sum(axis=1) / unit
            place = np.maximum(share * (mass - 1.0), 0.0)
            below = np.floor(place * (1.0 + 1e-12))
            part = np.maximum(place - below, 0.0)
            eps = 1e-9 * mass
            want = np.stack([below + eps, np.minimum(below + 1.0 + eps, mass - 2.0 * eps)], axis=1) * unit
            want = np.maximum(np.minimum(want, ((mass - 2.0 * eps) * unit)[:, None]), 0.0)
        sums = np.cumsum(tables, axis=2)
        digit = np.minimum((sums <= want[:, :, None]).sum(axis=2), 2**DIGIT - 1)
        before = np.where(digit > 0, np.take_along_axis(sums, np.maximum(digit - 1, 0)[:, :, None], 2)[:, :, 0], 0)
        want = want - before
        prefix |= digit.astype(np.uint64) << np.uint64(shift)
    ends = numbers_of_keys(prefix)
    return ends[:, 0] + part * (ends[:, 1] - ends[:, 0])


def keys_of_numbers(numbers: np.ndarray) -> np.ndarray:
    """Whole numbers in the order of the doubles (minus zero is zero)."""
    bits = np.ascontiguousarray(numbers + 0.0).view(np.uint64)
    return np.where(bits >> np.uint64(63), ~bits, bits | np.uint64(2**63))


def numbers_of_keys(keys: np.ndarray) -> np.ndarray:
    bits = np.where(keys >> np.uint64(63), keys & np.uint64(2**63 - 1), ~keys)
    return np.ascontiguousarray(bits).view(np.float64)


def digits(numbers: Any, prefix: np.ndarray, shift: int, block: BoostBlock) -> Tallies:
    """How much weighs each digit, of numbers that begin as the quantiles of their place do."""
    values, place = numbers(block)
    keys, amount = keys_of_numbers(values), block.weights.amount
    tables = np.zeros((len(prefix), 2, 2**DIGIT), np.int64)
    digit = ((keys >> np.uint64(shift)) & np.uint64(2**DIGIT - 1)).astype(np.int64)
    for end in range(2):
        same = (
            np.ones(len(keys), bool)
            if shift + DIGIT == 64
            else keys >> np.uint64(shift + DIGIT) == prefix[place, end] >> np.uint64(shift + DIGIT)
        )
        np.add.at(tables, (place[same], end, digit[same]), amount[same] if len(amount) else 1)
    return Tallies.of(len(keys), tables)


def whole_block(block: BoostBlock) -> tuple[np.ndarray, np.ndarray]:
    return targets_of(block), np.zeros(len(block.rows.y), np.int64)
