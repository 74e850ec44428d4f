"""Parts of a cube: which of them have rows in common, for what may be shared of it."""

from __future__ import annotations

from typing import Any, NamedTuple


class CubePart(NamedTuple):
    """Steps from `first` to the one before `last`, and numbers of keys; None where an end is open, or all are meant.

    >>> CubePart(0, 4, None).meets(CubePart(4, None, (1,))), CubePart(0, 5, (1, 2)).meets(CubePart(4, None, (2,)))
    (False, True)
    """

    first: int | None
    last: int | None
    keys: tuple[int, ...] | None

    def meets(self, other: CubePart) -> bool:
        """Whether rows may be in both."""
        before = any(a.last is not None and b.first is not None and a.last <= b.first for a, b in pairs(self, other))
        apart = self.keys is not None and other.keys is not None and not {*self.keys} & {*other.keys}
        return not (before or apart)


def pairs(a: CubePart, b: CubePart) -> tuple[tuple[CubePart, CubePart], tuple[CubePart, CubePart]]:
    return (a, b), (b, a)


Shares = tuple[tuple[CubePart, dict[str, Any]], ...]


def shares_that_matter(shares: Shares, part: CubePart) -> list[dict[str, Any]]:
    """Records of the same part, for its versions are compared; parts without common rows tell nothing of each other.

    Raises ValueError for a part that overlaps with one that was shared: sums and differences of both may be few rows.
    """
    if any(other != part and part.meets(other) for other, _ in shares):
        raise ValueError(
            "it is not shared: a part of the cube that overlaps with it was shared, and what is in one of them alone "
            "may be few rows; share parts that have no rows in common"
        )
    return [record for other, record in shares if other == part]


def as_stored(shares: Shares) -> list[dict[str, Any]]:
    """What a file holds of them."""
    return [{"part": [p.first, p.last, None if p.keys is None else list(p.keys)], "record": r} for p, r in shares]


def from_stored(found: Any) -> Shares:
    """The shares again; raises ValueError for what are none."""
    try:
        shares = tuple((CubePart(a, b, None if keys is None else tuple(keys)), one["record"])
                       for one in found for a, b, keys in [one["part"]])  # fmt: skip
    except (TypeError, KeyError, ValueError) as error:
        raise ValueError("what was shared of a cube is not told") from error
    ends = [end for part, _ in shares for end in (part.first, part.last, *(part.keys or ()))]
    if not all(end is None or type(end) is int for end in ends) or not all(isinstance(r, dict) for _, r in shares):
        raise ValueError("what was shared of a cube is not told")
    return shares
