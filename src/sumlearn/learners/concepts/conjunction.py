"""Conjunction: a hypothesis that asks something of every attribute, and the order of generality."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .attributes import ANY, NONE, Attributes


@dataclass(frozen=True)
class Interval:
    """Neighbouring levels of an ordered attribute, any of which will do."""

    levels: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.levels[0]}..{self.levels[-1]}"


Constraint = str | Interval


@dataclass(frozen=True)
class Conjunction:
    """h(x) = 1 where every attribute is as asked: a value, neighbouring values of an order, or anything ("?").

        h >= g   if and only if   {x: g(x) = 1} is a subset of {x: h(x) = 1}      (h is more general than g, or equal)

    The order is read off the constraints: h asks of each attribute no more than g does. The empty hypothesis, which
    covers nothing, is below all others.

    Parameters
    ----------
    constraints : tuple of str and Interval
        One for each attribute; "?" is anything. "∅" in all places is the empty hypothesis.

    Examples
    --------
    >>> from sumlearn import concepts
    >>> h, g = concepts.Conjunction(("Sunny", "?", "?")), concepts.Conjunction(("Sunny", "?", "Strong"))
    >>> h >= g, g >= h, h.covers(("Sunny", "Warm", "Weak"))
    (True, False, True)
    >>> print(g.generalised(("Sunny", "Cold", "Weak")))
    <Sunny, ?, ?>
    >>> print(concepts.Conjunction.empty(3).generalised(("Sunny", "Warm", "Weak")))
    <Sunny, Warm, Weak>

    References
    ----------
    Lecture note 000; Mitchell, "Machine learning", 1997, sec. 2.3.
    """

    constraints: tuple[Constraint, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "constraints", tuple(self.constraints))
        if NONE in self.constraints and set(self.constraints) != {NONE}:
            raise ValueError("a hypothesis that asks for nothing possible of one attribute is empty in all of them")

    @classmethod
    def empty(cls, attributes: int) -> Conjunction:
        """The hypothesis that covers nothing."""
        return cls((NONE,) * attributes)

    @classmethod
    def anything(cls, attributes: int) -> Conjunction:
        """The hypothesis that covers everything."""
        return cls((ANY,) * attributes)

    @property
    def is_empty(self) -> bool:
        return NONE in self.constraints

    def covers(self, row: Sequence[str]) -> bool:
        """Whether h(x) = 1."""
        return all(allows(c, value) for c, value in zip(self.constraints, row, strict=True))

    def __ge__(self, other: Conjunction) -> bool:
        if len(self.constraints) != len(other.constraints):
            raise ValueError(f"hypotheses over {len(self.constraints)} and {len(other.constraints)} attributes")
        return other.is_empty or all(map(includes, self.constraints, other.constraints))

    def __gt__(self, other: Conjunction) -> bool:
        return self >= other and self != other

    def __le__(self, other: Conjunction) -> bool:
        return other >= self

    def __lt__(self, other: Conjunction) -> bool:
        return other > self

    def generalised(self, row: Sequence[str], attributes: Attributes | None = None) -> Conjunction:
        """The least general hypothesis above this one that covers a row; `attributes` tell which have an order."""
        return self.joined(Conjunction(tuple(row)), attributes)

    def joined(self, other: Conjunction, attributes: Attributes | None = None) -> Conjunction:
        """The least general hypothesis above both."""
        if self.is_empty or other.is_empty:
            return other if self.is_empty else self
        orders = (None,) * len(self.constraints) if attributes is None else attributes.orders
        pairs = zip(self.constraints, other.constraints, orders, strict=True)
        return Conjunction(tuple(hull(a, b, order) for a, b, order in pairs))

    def specialised(self, row: Sequence[str], attributes: Attributes) -> list[Conjunction]:
        """The most general hypotheses below this one that do not cover a row; without the empty one."""
        if not self.covers(row):
            return [self]
        found = []
        for j, (constraint, value) in enumerate(zip(self.constraints, row, strict=True)):
            for less in without(constraint, value, attributes.levels[j], attributes.ordered[j]):
                found.append(Conjunction((*self.constraints[:j], less, *self.constraints[j + 1 :])))
        return found

    def __str__(self) -> str:
        return f"<{', '.join(map(str, self.constraints))}>"


def allows(constraint: Constraint, value: str) -> bool:
    if isinstance(constraint, Interval):
        return value in constraint.levels
    return constraint == ANY or (constraint == value and constraint != NONE)


def includes(a: Constraint, b: Constraint) -> bool:
    """Whether a allows whatever b does."""
    if a in (ANY, b):
        return True
    return b != ANY and isinstance(a, Interval) and set(levels_of(b)) <= set(a.levels)


def levels_of(constraint: Constraint) -> tuple[str, ...]:
    return constraint.levels if isinstance(constraint, Interval) else (constraint,)


def among(levels: tuple[str, ...], order: tuple[str, ...]) -> Constraint:
    """Neighbouring levels as a constraint: a single one is its value, all of several are anything."""
    if len(levels) == 1:
        return levels[0]
    return ANY if len(levels) == len(order) else Interval(levels)


def hull(a: Constraint, b: Constraint, order: tuple[str, ...] | None) -> Constraint:
    """The least that allows what a or b does."""
    if a == b or includes(a, b):
        return a
    if order is None or b == ANY:
        return ANY
    places = [order.index(level) for level in (*levels_of(a), *levels_of(b))]
    return among(order[min(places) : max(places) + 1], order)


def without(constraint: Constraint, value: str, levels: tuple[str, ...], ordered: bool) -> list[Constraint]:
    """The most that a constraint may still allow, once it must not allow a value."""
    if not ordered:
        return [level for level in levels if level != value] if constraint == ANY else []
    own = levels if constraint == ANY else levels_of(constraint)
    place = own.index(value)
    return [among(part, levels) for part in (own[:place], own[place + 1 :]) if part]
