"""Which rows a model has learnt: a keyed hash of each, without the rows.

`statistics.Ledger` is one number for all rows, which proves a sum; this one can be asked about a single row.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .problems import DataProblem

MOST_ROWS = 1_000_000
MOMENT = re.compile(r"(?P<day>=\d{4}-\d\d-\d\d)[T ](?P<minute>\d\d:\d\d)(:(?P<second>\d\d)(\.(?P<part>\d+))?)?")
SHOWN = 5  # rows that an error names


Words = Callable[[Sequence[str]], np.ndarray]  # columns -> rows as 64-bit words


class LedgerPart(NamedTuple):
    """Rows hashed with one salt over the same columns."""

    salt: str
    columns: list[str]
    hashes: np.ndarray  # 64 bits each, sorted

    def hashed(self, words: np.ndarray) -> np.ndarray:
        return hashed(words, self.salt)


@dataclass(frozen=True, eq=False)
class RowLedger:
    """Sorted hashes of the rows learnt, in one part for each model that was merged.

    A hash is blake2b with the salt as its key. It says whether a given row was learnt; it does not give rows back, but
    whoever holds the file can ask about any row that he can guess.

    >>> rows = row_words([np.array([1.0, 2.0, 2.0]), np.array(["a", "b", "b"])])
    >>> ledger = RowLedger.empty(["x"]).added(lambda columns: rows)
    >>> ledger.count, ledger.removed(lambda columns: rows[1:]).count
    (3, 1)
    >>> ledger.removed(lambda columns: rows[[0, 0]])
    Traceback (most recent call last):
    sumlearn.product.problems.DataProblem: the model never learnt row 1
    """

    parts: tuple[LedgerPart, ...]

    @classmethod
    def empty(cls, columns: Sequence[str]) -> RowLedger:
        return cls((LedgerPart(secrets.token_hex(16), list(columns), np.empty(0, np.uint64)),))

    @property
    def count(self) -> int:
        return sum(len(part.hashes) for part in self.parts)

    @property
    def is_full(self) -> bool:
        """Whether there are more rows than hashes are kept of."""
        return self.count > MOST_ROWS

    def added(self, words: Words) -> RowLedger:
        first, *others = self.parts
        more = np.sort(np.concatenate([first.hashes, first.hashed(words(first.columns))]))
        return RowLedger((first._replace(hashes=more), *others))

    def joined(self, other: RowLedger) -> RowLedger:
        return RowLedger(self.parts + other.parts)

    def held(self, words: Words) -> np.ndarray:
        """Which rows were learnt, however often they come.

        >>> rows = row_words([np.array([1.0, 2.0])])
        >>> RowLedger.empty(["x"]).added(lambda columns: rows[:1]).held(lambda columns: rows[[0, 0, 1]]).tolist()
        [True, True, False]
        """
        return np.any([np.isin(part.hashed(words(part.columns)), part.hashes) for part in self.parts], axis=0)

    def in_common(self, other: RowLedger) -> int:
        """Rows that both hold, of those that can be compared: hashed with the same salt over the same columns."""
        mine = {(part.salt, *part.columns): part.hashes for part in self.parts}
        theirs = [(mine.get((part.salt, *part.columns)), part.hashes) for part in other.parts]
        return sum(int(taken(known, hashes)[1].sum()) for known, hashes in theirs if known is not None)

    def known(self, words: Words) -> np.ndarray:
        """Which rows were learnt; a row counts as often as it was learnt.

        >>> rows = row_words([np.array([1.0, 2.0])])
        >>> RowLedger.empty(["x"]).added(lambda columns: rows).known(lambda columns: rows[[1, 1]]).tolist()
        [True, False]
        """
        found: np.ndarray | None = None
        for part in self.parts:
            asked = words(part.columns)
            found = np.zeros(len(asked), dtype=bool) if found is None else found
            missing = np.flatnonzero(~found)
            found[missing] = taken(part.hashes, part.hashed(asked[missing]))[1]
        return np.zeros(0, dtype=bool) if found is None else found

    def removed(self, words: Words, first: int = 0) -> RowLedger:
        """Without these rows, numbered from `first`; a row counts as often as it was learnt.

        Rows that are not there are an error.
        """
        ledger, there = self.without(words)
        missing = np.flatnonzero(~there)
        if len(missing):
            shown = ", ".join(map(str, (first + missing[:SHOWN]).tolist())) + (", ..." if len(missing) > SHOWN else "")
            raise DataProblem(f"the model never learnt row{'s' if len(missing) > 1 else ''} {shown}")
        return ledger

    def without(self, words: Words) -> tuple[RowLedger, np.ndarray]:
        """Without those of some rows that are there, and which of them were; a row counts as often as it was learnt.

        >>> rows = row_words([np.array([1.0, 2.0])])
        >>> ledger, there = RowLedger.empty(["x"]).added(lambda columns: rows).without(lambda columns: rows[[1, 1]])
        >>> ledger.count, there.tolist()
        (1, [True, False])
        """
        there = np.zeros(0, bool)
        parts = []
        for number, part in enumerate(self.parts):
            asked = words(part.columns)
            there = there if number else np.zeros(len(asked), bool)
            missing = np.flatnonzero(~there)
            left, there[missing] = taken(part.hashes, part.hashed(asked[missing]))
            parts.append(part._replace(hashes=left))
        return RowLedger(tuple(parts)), there

    def as_dict(self) -> dict[str, Any] | None:
        """For a file; None above a million rows, of which no hashes are kept."""
        return None if self.is_full else {"parts": [part._asdict() for part in self.parts]}

    @classmethod
    def of_dict(cls, written: dict[str, Any]) -> RowLedger:
        return cls(tuple(LedgerPart(**part) for part in written["parts"]))


def taken(hashes: np.ndarray, wanted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sorted hashes without the wanted ones, and which of those were there; each takes one away.

    >>> taken(np.array([3, 3, 5]), np.array([5, 3, 5]))
    (array([3]), array([ True,  True, False]))
    """
    order = np.argsort(wanted, kind="stable")
    first = np.searchsorted(hashes, wanted[order])
    repeat = np.arange(len(wanted)) - np.searchsorted(wanted[order], wanted[order])  # the how-manieth of its kind
    place = first + repeat
    found = place < np.searchsorted(hashes, wanted[order], side="right")
    kept = np.ones(len(hashes), bool)
    kept[place[found]] = False
    out = np.empty(len(wanted), bool)
    out[order] = found
    return hashes[kept], out


def hashed(words: np.ndarray, salt: str) -> np.ndarray:
    """A keyed hash of every row of 64-bit words."""
    key = bytes.fromhex(salt)
    width = words.shape[1] * words.itemsize
    data = np.ascontiguousarray(words).tobytes()
    digests = [
        hashlib.blake2b(data[at : at + width], digest_size=8, key=key).digest() for at in range(0, len(data), width)
    ]
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)


def row_words(columns: list[np.ndarray]) -> np.ndarray:
    """Rows as 64-bit words: numbers by value, whatever their type; text by its hash; missing values are all alike."""
    return np.column_stack([number_words(c) if c.dtype.kind in "fiub" else text_words(c) for c in columns])


def number_words(values: np.ndarray) -> np.ndarray:
    numbers = values.astype(np.float64) + 0.0  # -0.0 and 0.0 are the same number
    numbers[np.isnan(numbers)] = np.nan
    return numbers.view(np.uint64)


def text_words(values: np.ndarray) -> np.ndarray:
    different, codes = np.unique(np.array(["" if v is None else f"={v}" for v in values]), return_inverse=True)
    digests = [hashlib.blake2b(moment_of(str(value)).encode(), digest_size=8).digest() for value in different]
    return np.array([int.from_bytes(digest, "little") for digest in digests], dtype=np.uint64)[codes]


def moment_of(text: str) -> str:
    """A moment in one way of writing it: formats of files have several, and a day is its midnight.

    >>> moment_of("=2020-01-31T00:00:00.000"), moment_of("=2020-01-31 08:30"), moment_of("=a 2020-01-31 08:30")
    ('=2020-01-31', '=2020-01-31 08:30:00', '=a 2020-01-31 08:30')
    """
    found = MOMENT.fullmatch(text)
    if found is None:
        return text
    time = f"{found['minute']}:{found['second'] or '00'}" + (f".{found['part'].rstrip('0')}" if found["part"] else "")
    time = time.rstrip(".")
    return found["day"] if time == "00:00:00" else f"{found['day']} {time}"
