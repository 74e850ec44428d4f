"""Grouped: one statistic per label."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Generic, Self, TypeVar

import numpy as np

from . import chunk_sums, class_sums
from .exact_moments import ExactMoments
from .moments import Moments
from .row_checks import encode, floats_as_they_lie, prepare
from .statistic import Decayable, Recodable, Removable, Restrictable, RowError, Statistic, capabilities
from .weights import FAINTEST

S = TypeVar("S", bound=Statistic)


@dataclass(frozen=True, eq=False)
class Grouped(Removable, Decayable, Restrictable, Recodable, Generic[S]):
    """{label: statistic}, labels sorted; a label that is absent stands for zero.

    >>> a = Grouped.of([[1.0], [2.0], [4.0]], ["x", "y", "y"])
    >>> b = Grouped.of([[3.0]], ["z"])
    >>> {label: part.mean.tolist() for label, part in (a + b).items()}
    {'x': [1.0], 'y': [3.0], 'z': [3.0]}
    >>> list((a + b) - b)
    ['x', 'y']
    """

    groups: Mapping[Any, S]

    def __post_init__(self) -> None:
        object.__setattr__(self, "groups", MappingProxyType({k: self.groups[k] for k in sorted_labels(self.groups)}))

    def __reduce__(self) -> Any:  # a mapping proxy cannot be pickled
        return type(self), (dict(self.groups),)

    @classmethod
    def of(
        cls, X: Any, labels: Any, weight: Any = None, *, form: str = "full", precise: bool = True, exact: bool = False
    ) -> Grouped[Any]:
        """Moments of the rows of each label, full or diagonal (`precise` as in Moments.of), or `exact` ones."""
        X, labels, weight = prepare(X, labels, weight, 0.0 if exact else FAINTEST)
        assert labels is not None
        names, codes = encode(labels)
        if form == "diagonal" and not exact:
            fields = class_sums.diagonals(floats_as_they_lie(X), codes, len(names), weight) if names else []
            return Grouped({name: Moments(**values) for name, values in zip(names, fields, strict=True)})
        order = np.argsort(codes, kind="stable")
        none = np.zeros((len(X), 0))
        groups: dict[Any, Any] = {}
        start = 0
        for name, count in zip(names, np.bincount(codes, minlength=len(names)), strict=True):
            index = order[start : start + count]
            start += count
            try:
                if exact:
                    groups[name] = ExactMoments.of(X[index], None, None if weight is None else weight[index], form=form)
                    continue
                limit = {} if precise else {"limit": np.inf}
                groups[name] = Moments(**chunk_sums.full(X, none, weight, index, **limit))
            except RowError as error:
                raise RowError(error.name, int(index[error.row]), error.column, error.value) from None
        return Grouped(groups)

    def __getitem__(self, label: Any) -> S:
        return self.groups[label]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.groups)

    def __len__(self) -> int:
        return len(self.groups)

    def items(self) -> Any:
        return self.groups.items()

    @property
    def labels(self) -> list[Any]:
        return list(self.groups)

    @property
    def weight(self) -> float:
        return float(sum(part.weight for part in self.groups.values()))

    @property
    def rows(self) -> int:
        return sum(part.rows for part in self.groups.values())

    @property
    def holds_rows(self) -> bool:
        return any(getattr(part, "holds_rows", False) for part in self.groups.values())

    @property
    def features(self) -> int:
        return next((part.features for part in self.groups.values()), 0)  # type: ignore[attr-defined]

    def zero(self) -> Self:
        return type(self)({})

    def merge(self, other: Self) -> Self:
        self._check_same(other)
        merged = dict(self.groups)
        for label, part in other.groups.items():
            merged[label] = merged[label].merge(part) if label in merged else part
        return type(self)(merged)

    def remove(self, other: Self, flags: np.ndarray | None = None, **more: Any) -> Self:
        """The statistics without those of `other`; `flags` and what is beside them as in `Moments.remove`."""
        self._check_same(other)
        self._check_able("remove")
        more |= {} if flags is None else {"flags": flags}
        left = dict(self.groups)
        for label, part in other.groups.items():
            if part.rows == 0:
                continue
            if label not in left:
                raise ValueError(f"cannot remove rows labelled {label!r}: none were merged")
            rest = left[label].remove(part, **more)
            if rest.rows:
                left[label] = rest
            else:
                del left[label]
        return type(self)(left)

    def decay(self, factor: float) -> Self:
        self.check_factor(factor)
        self._check_able("decay")
        parts: dict[Any, Any] = {label: part.decay(factor) for label, part in self.groups.items()}  # type: ignore[attr-defined]
        return type(self)({label: part for label, part in parts.items() if part.rows})

    def restrict(self, columns: Any) -> Self:
        self._check_able("restrict")
        return self.map(lambda part: part.restrict(columns))  # type: ignore[attr-defined]

    def recode(self, A: Any, offset: np.ndarray | None = None) -> Self:
        """The moments of A'x + offset for each label (`Moments.recode`)."""
        self._check_able("recode")
        return self.map(lambda part: part.recode(A, offset))  # type: ignore[attr-defined]

    def settle(self, flags: np.ndarray) -> Self:
        """Flags that are set in no row of a label, or in all, are exactly so (`Moments.settle`)."""
        return self.map(lambda part: part.settle(flags))  # type: ignore[attr-defined]

    def map(self, change: Callable[[S], S]) -> Self:
        return type(self)({label: change(part) for label, part in self.groups.items()})

    def moments(self, labels: bool = False) -> Moments:
        """Moments of all rows together; with ``labels=True`` of (x, label), for numeric labels."""
        parts = list(self.groups.values())
        if labels:
            parts = [part.with_targets(np.array([float(label)])) for label, part in self.groups.items()]  # type: ignore[attr-defined]
        total = parts[0]
        for part in parts[1:]:
            total = total.merge(part)
        return total  # type: ignore[return-value]

    def contents(self) -> list[S]:
        return list(self.groups.values())

    def _check_able(self, what: str) -> None:
        if what not in capabilities(self):
            raise TypeError(f"a Grouped of {type(self.contents()[0]).__name__} has no {what}: its parts have none")

    def _check_same(self, other: Grouped[Any]) -> None:
        for mine in self.groups.values():
            for theirs in other.groups.values():
                if type(mine) is not type(theirs):
                    raise ValueError(f"groups hold {type(mine).__name__} and {type(theirs).__name__}")
                if isinstance(mine, Moments | ExactMoments):
                    mine._check_same(theirs)  # type: ignore[arg-type]
                return


def sorted_labels(labels: Any) -> list[Any]:
    try:
        return sorted(labels)
    except TypeError as error:
        kinds = sorted({type(label).__name__ for label in labels})
        raise ValueError(f"labels of different kinds cannot be sorted: {', '.join(kinds)}") from error
