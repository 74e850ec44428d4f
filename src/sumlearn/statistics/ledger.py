"""Ledger: which rows a sum holds, without keeping them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from ..compiled import hashing
from .row_checks import prepare
from .statistic import Removable

WORD = 2**64


@dataclass(frozen=True)
class Ledger(Removable):
    """Number of rows, and the sum modulo 2^128 of a hash of each: a fingerprint of a multiset of rows.

    Two ledgers are equal if they were made of the same rows in any order, any chunks, with any merges and removals in
    between; ledgers of other rows agree by chance once in 2^128. It proves that what was removed had been there and
    that nothing else is left. The hash is not cryptographic: it is a guard against mistakes, not against malice.

    >>> rows = np.arange(12.0).reshape(4, 3)
    >>> a, b = Ledger.of(rows[:1]), Ledger.of(rows[1:])
    >>> (a + b) == Ledger.of(rows[::-1]), (a + b) - a == b, a == b
    (True, True, False)
    """

    count: int
    fingerprint: int
    decayed: bool = False  # whether rows weigh less by now than they did when they came

    @classmethod
    def of(cls, X: Any, y: Any = None, weight: Any = None) -> Ledger:
        """The ledger of rows (x, y, weight); numbers count by value, labels by their text."""
        X, y, weight = prepare(X, y, weight)
        columns = [X.astype(np.float64)]
        if y is not None:
            y = y[:, None] if y.ndim == 1 else y
            columns.append(y.astype(np.float64) if y.dtype.kind in "fiub" else label_numbers(y))
        columns.append(np.ones((len(X), 1)) if weight is None else weight[:, None])
        words = np.concatenate(columns, axis=1) + 0.0  # -0.0 and 0.0 are the same number
        out = np.zeros(2, dtype=np.uint64)
        hashing.row_hash_sums(np.ascontiguousarray(words).view(np.uint64), out)
        return cls(len(words), int(out[0]) + WORD * int(out[1]))

    @property
    def weight(self) -> float:
        return float(self.count)

    @property
    def rows(self) -> int:
        return self.count

    def zero(self) -> Self:
        return type(self)(0, 0)

    def merge(self, other: Self) -> Self:
        return type(self)(self.count + other.count, self._words(other, 1), self.decayed or other.decayed)

    def remove(self, other: Self) -> Self:
        """The ledger of the rows that stay."""
        for side in (self, other):
            side.refuse_decayed()
        if other.count > self.count:
            raise ValueError(f"cannot remove {other.count} rows from {self.count}")
        left = type(self)(self.count - other.count, self._words(other, -1))
        if left.count == 0 and left.fingerprint != 0:
            raise ValueError("the rows to remove are not the rows that were merged")
        return left

    def faded(self) -> Self:
        """The same rows, which weigh less: by how much each is not known, so none is found here any more."""
        return replace(self, decayed=True) if self.count else self

    def refuse_decayed(self) -> None:
        if self.decayed:
            raise ValueError(
                "the ledger knows rows by the weight that they came with, and they decayed since: fit the rows anew, "
                "or keep no ledger and give forget the weight that is left of them"
            )

    def _words(self, other: Self, sign: int) -> int:
        low = (self.fingerprint % WORD + sign * (other.fingerprint % WORD)) % WORD
        high = (self.fingerprint // WORD + sign * (other.fingerprint // WORD)) % WORD
        return low + WORD * high


def label_numbers(y: np.ndarray) -> np.ndarray:
    """A number for every label, from its text."""
    unique, codes = np.unique(y.astype(str), return_inverse=True)
    digests = [hashlib.blake2b(str(label).encode(), digest_size=6).digest() for label in unique]
    return np.array([float(int.from_bytes(digest)) for digest in digests])[codes].reshape(y.shape)
