"""The general boundary, on conjunctions that are written as bits: to compare two of them is one operation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ..attributes import ANY, NONE, Attributes
from ..conjunction import Conjunction, Constraint, among, levels_of

BLOCK = 2**24  # pairs that are compared at a time


class BitCode:
    """Conjunctions as whole numbers: a bit for each level that is allowed, and one more of each attribute for "?".

    So h >= g where g has no bit that h lacks; the empty hypothesis is zero.

    >>> code = BitCode(Attributes(("sky",), (("clear", "grey"),), (False,)))
    >>> bin(code.bits_of(Conjunction(("grey",)))), bin(code.bits_of(Conjunction(("?",))))
    ('0b10', '0b111')
    """

    def __init__(self, attributes: Attributes) -> None:
        self.levels, self.ordered = attributes.levels, attributes.ordered
        self.starts = np.cumsum([0, *(len(own) + 1 for own in self.levels)]).tolist()
        self.places = [{level: k for k, level in enumerate(own)} for own in self.levels]

    def bits_of(self, h: Conjunction) -> int:
        """The bits of a hypothesis."""
        if NONE in h.constraints:
            return 0
        return sum(self.constraint_bits(j, constraint) for j, constraint in enumerate(h.constraints))

    def constraint_bits(self, j: int, constraint: Constraint) -> int:
        if constraint == ANY:
            return self.anything(j)
        return sum(1 << (self.starts[j] + self.places[j][level]) for level in levels_of(constraint))

    def anything(self, j: int) -> int:
        """All bits of an attribute."""
        return (1 << self.starts[j + 1]) - (1 << self.starts[j])

    def row(self, values: Sequence[str]) -> int:
        """The bits of the levels of a row."""
        return sum(1 << (self.starts[j] + self.places[j][value]) for j, value in enumerate(values))

    def hypothesis(self, bits: int) -> Conjunction:
        """The hypothesis that has these bits, which is not the empty one."""
        found: list[Constraint] = []
        for j, levels in enumerate(self.levels):
            own = bits & self.anything(j)
            allowed = tuple(level for k, level in enumerate(levels) if own >> (self.starts[j] + k) & 1)
            found.append(ANY if own == self.anything(j) else among(allowed, levels))
        return Conjunction(tuple(found))

    def specialised(self, bits: int, row: int, least: int) -> Iterable[int]:
        """The most general below one that covers a row, and above `least`, that do not cover it."""
        for j, ordered in enumerate(self.ordered):
            own, value = bits & self.anything(j), row & self.anything(j)
            if own == self.anything(j):
                levels = own ^ (1 << (self.starts[j + 1] - 1))
            elif ordered:
                levels = own
            else:
                continue
            below = levels & (value - 1)
            parts = (below, levels ^ below ^ value) if ordered else single_bits(levels ^ value)
            needed = least & self.anything(j)
            for part in parts:
                if part and not needed & ~part:
                    yield bits ^ own ^ part


def single_bits(bits: int) -> Iterable[int]:
    """The bits one by one, the lowest first."""
    while bits:
        lowest = bits & -bits
        yield lowest
        bits ^= lowest


class TooManyMembers(ValueError):
    """A boundary that has grown beyond its limit, after so many rows."""

    def __init__(self, done: int) -> None:
        super().__init__(f"too many members after {done} rows")
        self.done = done


def general_boundary(
    attributes: Attributes, least: Conjunction, negatives: Sequence[Sequence[str]], most: int
) -> list[Conjunction]:
    """The most general hypotheses above `least` that cover no negative row; without the empty one."""
    code = BitCode(attributes)
    low = code.bits_of(least)
    members = [sum(code.anything(j) for j in range(len(attributes.names)))]
    for done, negative in enumerate(negatives, 1):
        row = code.row(negative)
        kept = [g for g in members if row & ~g]
        found = {h: None for g in members if not row & ~g for h in code.specialised(g, row, low)}
        members = kept + extremal(list(found), kept, most - len(kept), code.starts[-1])
        if len(members) > most:
            raise TooManyMembers(done)
    return [code.hypothesis(bits) for bits in members]


def extremal(found: list[int], kept: list[int], room: int, width: int) -> list[int]:
    """Those that have nothing above them, neither among themselves nor of `kept`; at most one more than there is room.

    Those found are different, so each is below itself alone.
    """
    if not found:
        return []
    size = 8 * -(-width // 64)
    rows, above = (words(some, size) for some in (found, kept + found))
    stay: list[int] = []
    step = max(1, BLOCK // len(above))
    for start in range(0, len(found), step):
        below = np.ones((len(rows[start : start + step]), len(above)), dtype=bool)
        for word in range(rows.shape[1]):
            below &= rows[start : start + step, word, None] & ~above[:, word] == 0
        stay += [found[start + k] for k in np.flatnonzero(below.sum(axis=1) == 1).tolist()]
        if len(stay) > room:
            break
    return stay


def words(numbers: list[int], size: int) -> np.ndarray:
    """Whole numbers as rows of 64-bit words."""
    told = b"".join(number.to_bytes(size, "little") for number in numbers)
    return np.frombuffer(told, dtype="<u8").reshape(len(numbers), -1)
