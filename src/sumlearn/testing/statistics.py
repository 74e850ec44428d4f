"""The laws of a statistic: zero, any order of addition, removal, decay, restriction."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from typing import Any, TypeVar

import numpy as np

from ..statistics import Counts, Grouped, IllConditionedWarning, Moments, Statistic, capabilities
from .laws import assert_refused, ensure, law
from .same_statistic import assert_same_bits, assert_same_statistic

S = TypeVar("S", bound=Statistic)
REFUSABLE = 1e5  # a removal may be refused where what goes deviates this many times more than what stays


def check_statistic(parts: Sequence[Statistic], whole: Statistic | None = None, tolerance: float = 1e-12) -> None:
    """Check every law of addition, and those of what else the statistic can do, on summaries of disjoint rows.

    `whole` is the summary of all their rows, made in one piece. The laws:

    - zero on either side changes no bit; a + b = b + a; (a + b) + c = a + (b + c); any bracketing, and ``sum``, give
      the whole;
    - (a + b) - b = a; a - a has no rows; what was never there cannot be removed;
    - decay(1) changes nothing; decay(f)(a + b) = decay(f)(a) + decay(f)(b);
    - ``restrict`` and ``recode`` commute with merging.

    What it can do is what its type says (`Removable`, `Decayable`, `Restrictable`, `Recodable`).

    >>> from sumlearn.statistics import Counts
    >>> check_statistic([Counts.of(["a", "b"]), Counts.of(["b"]), Counts.of([])])
    """
    if not parts:
        raise ValueError("check_statistic needs one or more statistics")
    with law("sum(parts) = whole"):
        total: Statistic = sum(parts)  # type: ignore[assignment]
        assert_same_statistic(total, total if whole is None else whole, tolerance)
    whole = total if whole is None else whole
    check_identity(parts)
    with law("parts added from the right = whole"):
        assert_same_statistic(reduce(lambda after, part: part.merge(after), reversed(parts)), whole, tolerance)
    with law("parts added as a tree = whole"):
        assert_same_statistic(as_tree(parts), whole, tolerance)
    for a, b in pairs(parts):
        with law("a + b = b + a"):
            assert_same_statistic(a.merge(b), b.merge(a), tolerance)
    for a, b, c in zip(parts, parts[1:], parts[2:], strict=False):
        with law("(a + b) + c = a + (b + c)"):
            assert_same_statistic(a.merge(b).merge(c), a.merge(b.merge(c)), tolerance)
    able: Any = frozenset.intersection(*map(capabilities, (whole, *parts)))
    for word, check in CHECKS.items():
        if word in able:
            check(parts, tolerance)


def check_identity(parts: Sequence[Statistic]) -> None:
    for a in parts:
        zero = a.zero()
        with law("zero has no rows"):
            ensure(zero.rows == 0 and zero.weight == 0, f"it has {zero.rows} rows of weight {zero.weight}")
        with law("a + 0 = a, to the bit"):
            assert_same_bits(a.merge(zero), a)
        with law("0 + a = a, to the bit"):
            assert_same_bits(zero.merge(a), a)
        with law("0 + 0 = 0"):
            assert_same_bits(zero.merge(zero), zero)


def check_restrict(parts: Sequence[Any], tolerance: float) -> None:
    """restrict(a + b) = restrict(a) + restrict(b), for a few choices of columns in any order."""
    features = max(width(part) for part in parts)
    known = [part for part in parts if width(part) == features]
    choices = [list(range(features)), list(range(features))[::-1], list(range(0, features, 2))]
    for columns in [c for c in choices if c]:
        for a, b in pairs(known):
            with law(f"restrict(a + b) = restrict(a) + restrict(b), columns {columns}"):
                together = a.merge(b).restrict(columns)
                assert_same_statistic(together, a.restrict(columns).merge(b.restrict(columns)), tolerance)
                ensure(width(together) == len(columns), f"{width(together)} columns are left")


def check_recode(parts: Sequence[Any], tolerance: float) -> None:
    """recode(a + b) = recode(a) + recode(b), for columns in other units and in another order."""
    features = max(width(part) for part in parts)
    A = 2.0 * np.eye(features)[::-1]
    for a, b in pairs([part for part in parts if width(part) == features]):
        with law("recode(a + b) = recode(a) + recode(b)"):
            assert_same_statistic(a.merge(b).recode(A), a.recode(A).merge(b.recode(A)), tolerance)


def check_remove(parts: Sequence[Any], tolerance: float) -> None:
    for a, b in pairs(parts):
        whole = a.merge(b)
        with law("(a + b) - b = a"):
            left = removed(whole, b, a)
            if left is not None:
                assert_same_statistic(left, a, tolerance, within=whole)
        if b.rows:
            with law("more than there is cannot be removed"):
                assert_refused(a.remove, whole)
    for a in parts:
        with law("a - a has no rows"):
            nothing = a.remove(a)
            ensure(
                nothing.rows == 0 and nothing.weight == 0, f"{nothing.rows} rows of weight {nothing.weight} are left"
            )
        with law("a - 0 = a, to the bit"):
            assert_same_bits(a.remove(a.zero()), a)


def check_decay(parts: Sequence[Any], tolerance: float) -> None:
    for a, b in pairs(parts):
        for factor in (0.5, 0.7):
            with law(f"decay({factor})(a + b) = decay({factor})(a) + decay({factor})(b)"):
                assert_same_statistic(a.merge(b).decay(factor), a.decay(factor).merge(b.decay(factor)), tolerance)
    for a in parts:
        with law("decay(1) = same, to the bit"):
            assert_same_bits(a.decay(1.0), a)
        for factor in (0.0, -0.5, 1.5, np.nan, np.inf):
            with law(f"decay({factor}) is refused"):
                assert_refused(a.decay, factor)
        with law("decay(f) multiplies the weight by f"):
            ensure(a.decay(0.25).rows == a.rows, "the number of rows changed")
            ensure(abs(a.decay(0.25).weight - 0.25 * a.weight) <= tolerance * a.weight, "the weight is another")


CHECKS = {"restrict": check_restrict, "remove": check_remove, "decay": check_decay, "recode": check_recode}


def removed(whole: Any, part: Any, rest: Any) -> Any:
    """whole - part; None where it was refused for want of digits, and rightly so."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", IllConditionedWarning)
            return whole.remove(part)
    except ValueError as error:
        if "digits" in str(error) and dwarfed(rest, whole):
            return None
        raise


def dwarfed(part: Any, whole: Any) -> bool:
    """Whether a column deviates REFUSABLE times more in the whole than in the part."""
    if isinstance(part, Moments):
        return bool((whole.deviation > REFUSABLE * part.deviation).any())
    if isinstance(part, Mapping):
        return any(dwarfed(value, whole[key]) for key, value in part.items())
    if dataclasses.is_dataclass(part):
        return any(dwarfed(getattr(part, f.name), getattr(whole, f.name)) for f in dataclasses.fields(part))
    return False


def as_tree(parts: Sequence[S]) -> S:
    level = list(parts)
    while len(level) > 1:
        level = [level[i].merge(level[i + 1]) if i + 1 < len(level) else level[i] for i in range(0, len(level), 2)]
    return level[0]


def pairs(parts: Sequence[S]) -> Iterator[tuple[S, S]]:
    """Each part with the next one, and the last with the first."""
    return zip(parts, [*parts[1:], parts[0]], strict=True)


def width(statistic: Any) -> int:
    """Number of columns that ``restrict`` chooses from; zero where no row has said it."""
    if isinstance(statistic, Grouped):
        return max((width(part) for part in statistic.groups.values()), default=0)
    return len(statistic.levels) if isinstance(statistic, Counts) else int(statistic.features)
