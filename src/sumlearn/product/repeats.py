"""The same rows twice: what a model has learnt already is not learnt again unless that is meant.

Rows are compared by their hashes, files by their SHA-256, models by their identity: a token of every training and every
update, which copies, changed versions and shared files of a model have in common.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections import Counter
from typing import Any

import numpy as np

from .problems import CannotDo, DataProblem
from .row_ledger import RowLedger, Words

AGAIN = "they would count twice; --again (again=True) learns them all the same"
SPREAD = 3.0  # standard deviations of a count that may be chance


class LearntBefore:
    """How many rows of a table a model has learnt already, block by block.

    Tables of few levels repeat themselves. A new row of such a table is one that is held already with probability

        c = 1 - (rows that are held once) / (rows held)        (Good & Turing)

    or, where few rows are held, with the share of rows in the table that repeat another one of it, whichever is more.
    """

    def __init__(self, ledger: RowLedger) -> None:
        self.ledger, self.count, self.rows = ledger, 0, 0
        self.hashes: list[np.ndarray] = []

    def of(self, words: Words) -> np.ndarray:
        """Which rows of a block are held."""
        held = self.ledger.held(words)
        first = self.ledger.parts[0]
        self.hashes.append(first.hashed(words(first.columns)))
        self.count, self.rows = self.count + int(held.sum()), self.rows + len(held)
        return held

    @property
    def explained(self) -> float:
        """How many the repeats of the tables explain."""
        return explained(self.rows, self.ledger, repeated(np.concatenate(self.hashes)))

    def refuse(self) -> None:
        """Refuse a table of which more is held than its own repeats explain."""
        if self.count > self.explained:
            raise DataProblem(f"{self.count} of these {self.rows} rows are in the model already: {AGAIN}")


def explained(rows: int, ledger: RowLedger, share: float = 0.0) -> float:
    """Rows of so many new ones that are held by chance, at most."""
    hashes = np.concatenate([part.hashes for part in ledger.parts])
    single = np.unique(hashes, return_counts=True)[1] == 1
    share = max(share, 1.0 - single.sum() / len(hashes) if len(hashes) else 0.0)
    return rows * share + SPREAD * float(np.sqrt(rows * share * (1.0 - share)))


def repeated(hashes: np.ndarray) -> float:
    """The share of rows that repeat another one."""
    return 1.0 - len(np.unique(hashes)) / len(hashes) if len(hashes) else 0.0


# -- files and models ------------------------------------------------------------------------------------------------


def files_of(facts: dict[str, Any]) -> Counter[str]:
    """How often each file was learnt and not forgotten, by SHA-256."""
    first = facts["history"][0].get("sha256")
    return Counter(facts.get("files", {first: 1} if first else {}))


def refuse_file(facts: dict[str, Any], digest: str) -> None:
    if files_of(facts)[digest] > 0:
        raise DataProblem(f"the model has learnt this very file already: its rows are the same, {AGAIN}")


def identity_of(model: Any) -> list[str]:
    """Tokens of the trainings and updates that a model is made of; of a model that was never changed, by its salt."""
    known = model.facts.get("identity")
    if known:
        return list(known)
    salts = [] if model.ledger is None else [part["salt"] for part in model.ledger["parts"]]
    first = json.dumps([model.facts["history"], salts], sort_keys=True)
    return [hashlib.blake2b(first.encode(), digest_size=8).hexdigest()]


def new_token() -> str:
    return secrets.token_hex(8)


def held_by_both(a: Any, b: Any, again: bool) -> int | None:
    """Rows that two models have both learnt; None where that cannot be told. Refuses to count them twice.

    Hashes can be compared where models come from the same training; of another one they have another salt.
    """
    mine, theirs = set(identity_of(a)), set(identity_of(b))
    if mine == theirs:
        raise CannotDo("the two models are one and the same, or versions of it: its rows would count twice")
    unhashed = a.ledger is None or b.ledger is None
    if mine & theirs and unhashed and not again:
        raise DataProblem(f"the two models have trainings in common, and no hashes to tell which rows: {AGAIN}")
    if files_of(a.facts) & files_of(b.facts) and not mine & theirs and not again:
        raise DataProblem(f"the two models have learnt the same file: its rows are the same, {AGAIN}")
    if unhashed:
        return None
    first, second = RowLedger.of_dict(a.ledger), RowLedger.of_dict(b.ledger)
    count = first.in_common(second)
    if count > explained(second.count, first) and not again:
        raise DataProblem(f"{count} rows are in both models: {AGAIN}")
    comparable = {part.salt for part in first.parts} == {part.salt for part in second.parts}
    return count if comparable else None
