"""VersionSpace: all conjunctions that agree with some labelled rows, between their boundaries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, Self

from .attributes import ANY, Attributes
from .conjunction import Conjunction, Constraint, allows, among, includes
from .parts.concept_statistic import ConceptStatistic
from .parts.general_boundary import TooManyMembers, general_boundary

Row = tuple[str, ...]
MOST_GENERAL = 1000  # members of G
MOST_STATES = 100_000  # sets of rows that are still to be excluded, while hypotheses are counted
MOST_ROWS = 4096  # of an instance space that is searched for a question


@dataclass(frozen=True, eq=False)
class VersionSpace(ConceptStatistic):
    """{h: h covers all positive rows and no negative one} = {h: s <= h <= g for an s of S and a g of G}.

    Of the positive rows it keeps the least conjunction above them, of the negative ones the different rows: what two
    sites have in common is what agrees with the rows of both, so version spaces intersect by `merge`. Nothing can be
    taken back. The empty hypothesis is a member until a row is positive.

    >>> attributes = Attributes(("sky", "wind"), (("clear", "grey"), ("strong", "weak")), (False, False))
    >>> a = VersionSpace.of(attributes, positive=[("clear", "weak")], negative=[])
    >>> b = VersionSpace.of(attributes, positive=[], negative=[("grey", "strong")])
    >>> both = a + b
    >>> [str(h) for h in both.S], [str(h) for h in both.G], both.size
    (['<clear, weak>'], ['<?, weak>', '<clear, ?>'], 3)
    >>> both.vote(("clear", "strong"))
    0.3333333333333333
    """

    attributes: Attributes
    least: Conjunction  # above all positive rows
    negatives: tuple[Row, ...]
    labels: tuple[Any, ...]  # that were met
    ones: tuple[Any, ...]  # those of them that belong to the concept
    total: float
    count: int

    @classmethod
    def of(
        cls,
        attributes: Attributes,
        positive: Iterable[Row],
        negative: Iterable[Row],
        labels: Sequence[Any] = (),
        ones: Sequence[Any] = (),
        weight: float | None = None,
        count: int | None = None,
    ) -> VersionSpace:
        """The version space of some rows; `labels` are those they had, `ones` those of the positive."""
        positive, negative = list(positive), list(negative)
        least = Conjunction.empty(len(attributes.names))
        for row in dict.fromkeys(positive):
            least = least.generalised(row, attributes)
        count = len(positive) + len(negative) if count is None else count
        kept = tuple(sorted(set(negative)))
        total = float(count) if weight is None else weight
        return cls(attributes, least, kept, tuple(labels), tuple(ones), total, count)

    def zero(self) -> Self:
        return type(self)(least=Conjunction.empty(self.features), negatives=(), **self.nothing())

    def merge(self, other: Self) -> Self:
        joined = self.joined(other)
        least = self.least.joined(other.least, joined["attributes"])
        return type(self)(least=least, negatives=tuple(sorted({*self.negatives, *other.negatives})), **joined)

    # -- the boundaries ------------------------------------------------------------------------------------------------

    @cached_property
    def culprits(self) -> tuple[Row, ...]:
        """Negative rows that every hypothesis above the positive ones covers: they collapse the space."""
        return tuple(row for row in self.negatives if self.least.covers(row))

    @property
    def collapsed(self) -> bool:
        """Whether no conjunction agrees with the rows."""
        return bool(self.culprits)

    @property
    def S(self) -> list[Conjunction]:
        """The least general members."""
        return [] if self.collapsed else [self.least]

    @cached_property
    def G(self) -> list[Conjunction]:
        """The most general members; more than `MOST_GENERAL` are refused."""
        return self.general(MOST_GENERAL)

    def general(self, most: int) -> list[Conjunction]:
        """The most general members: at most so many."""
        if self.collapsed:
            return []
        try:
            members = general_boundary(self.attributes, self.least, self.negatives, most)
        except TooManyMembers as many:
            raise ValueError(
                f"the general boundary has more than {most} members after {many.done} of {len(self.negatives)} "
                "negative rows: learn more positive rows, leave attributes out, or allow more of them"
            ) from None
        return sorted(members, key=str) or [self.least]

    @property
    def converged(self) -> bool:
        """Whether a single hypothesis is left."""
        return not self.collapsed and self.size == 1

    def __contains__(self, h: Conjunction) -> bool:
        return h >= self.least and not any(map(h.covers, self.negatives))

    # -- counting ------------------------------------------------------------------------------------------------------

    @cached_property
    def size(self) -> int:
        """The number of members."""
        return self.counted(None) + (self.least.is_empty)

    def vote(self, row: Row) -> float:
        """The share of the members that cover a row."""
        self.refuse_nothing()
        return self.counted(tuple(row)) / self.size

    @cached_property
    def choices(self) -> list[list[tuple[Constraint, int]]]:
        """What may be asked of every attribute, above the least hypothesis; and which negatives that excludes."""
        found = []
        for j, (levels, ordered) in enumerate(zip(self.attributes.levels, self.attributes.ordered, strict=True)):
            least = None if self.least.is_empty else self.least.constraints[j]
            options = [c for c in constraints(levels, ordered) if least is None or includes(c, least)]
            masks = [
                sum(1 << i for i, row in enumerate(self.negatives) if not allows(option, row[j])) for option in options
            ]
            found.append(list(zip(options, masks, strict=True)))
        return found

    def counted(self, row: Row | None) -> int:
        """How many members that are not empty there are, or cover a row: attribute by attribute, by sets of negatives.

        What counts of the attributes before is which negative rows they exclude, so hypotheses are counted in bulk.
        """
        everyone = (1 << len(self.negatives)) - 1
        states = {0: 1}
        for j, options in enumerate(self.choices):
            after: dict[int, int] = {}
            for option, mask in options:
                if row is not None and not allows(option, row[j]):
                    continue
                for state, ways in states.items():
                    after[state | mask] = after.get(state | mask, 0) + ways
            if len(after) > MOST_STATES:
                raise ValueError(f"more than {MOST_STATES} cases to count: too many attributes and negative rows")
            states = after
        return states.get(everyone, 0)

    def members(self) -> list[Conjunction]:
        """All of them, the most specific first; for small spaces."""
        if self.collapsed:
            return []
        everyone, found = (1 << len(self.negatives)) - 1, []
        for chosen in product(*self.choices):
            mask = 0
            for _, own in chosen:
                mask |= own
            if mask == everyone:
                found.append(Conjunction(tuple(option for option, _ in chosen)))
        found += [self.least] * self.least.is_empty
        return sorted(found, key=lambda h: (h.constraints.count(ANY), str(h)))

    # -- for people ----------------------------------------------------------------------------------------------------

    @property
    def reason(self) -> str:
        """Why the space has collapsed, with the rows that did it; nothing if it has not."""
        if not self.collapsed:
            return ""
        shown = "; ".join(f"({', '.join(row)})" for row in self.culprits[:3])
        more = f" and {len(self.culprits) - 3} more" if len(self.culprits) > 3 else ""
        return (
            f"no conjunction agrees with all rows: whatever covers the positive ones is at least {self.least}, which "
            f"covers the negative {shown}{more}. A label is wrong, or the concept is no conjunction"
        )

    def refuse_nothing(self) -> None:
        if self.collapsed:
            raise ValueError(self.reason)

    def query(self, candidates: Iterable[Row] | None = None) -> tuple[Row, float] | None:
        """The row whose label would tell most, and the share that covers it; None where all members agree.

        `candidates` are the rows that may be asked; without any all combinations of levels, at most 4096.
        """
        self.refuse_nothing()
        if candidates is None:
            rows = 1
            for levels in self.attributes.levels:
                rows *= len(levels)
            if rows > MOST_ROWS:
                raise ValueError(f"there are {rows} combinations of levels, too many to look at: give candidates")
            candidates = product(*self.attributes.levels)
        best = min(((abs(self.vote(row) - 0.5), tuple(row)) for row in candidates), default=(0.5, ()))
        return None if best[0] == 0.5 else (best[1], self.vote(best[1]))


def constraints(levels: tuple[str, ...], ordered: bool) -> list[Constraint]:
    """All that may be asked of an attribute."""
    if not ordered:
        return [ANY, *levels]
    runs = [levels[i:k] for i in range(len(levels)) for k in range(i + 1, len(levels) + 1)]
    return [ANY, *(c for c in (among(run, levels) for run in runs) if c != ANY)]
