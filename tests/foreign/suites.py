"""The lists: which test modules of scikit-learn are run, and which of their tests are left out, and why."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

LISTS = Path(__file__).parent / "deselected"


@dataclass(frozen=True)
class Group:
    """Tests that are left out for one reason; `*` in a name stands for anything."""

    category: str
    reason: str
    tests: tuple[str, ...]

    def patterns(self) -> dict[str, re.Pattern[str]]:
        return {name: re.compile(".*".join(map(re.escape, name.split("*")))) for name in self.tests}


@dataclass(frozen=True)
class Suite:
    """One test module, the classes that are swapped in it, and the lists."""

    name: str
    module: str
    written_for: str  # version of scikit-learn, the first two numbers
    swap: dict[str, list[str]]
    not_ours: tuple[Group, ...]  # tests of something else: not run, not counted
    deselected: tuple[Group, ...]  # tests of ours that fail, and must go on failing
    through: tuple[str, ...] = ()  # modules that the tests name themselves: svm.LinearSVC
    given: dict[str, Any] = field(default_factory=dict)  # names of the module that hold something else than there

    def find(self, test: str) -> tuple[str, Group] | None:
        """Which list a test is on, and under which reason."""
        for kind in ("not_ours", "deselected"):
            for group in getattr(self, kind):
                if any(pattern.fullmatch(test) for pattern in group.patterns().values()):
                    return kind, group
        return None

    def stale(self, tests: list[str]) -> list[str]:
        """Names on the lists that match no test."""
        return [
            name
            for group in self.not_ours + self.deselected
            for name, pattern in group.patterns().items()
            if not any(pattern.fullmatch(test) for test in tests)
        ]


def groups(table: list[dict[str, Any]]) -> tuple[Group, ...]:
    return tuple(Group(entry["category"], entry["reason"], tuple(entry["tests"])) for entry in table)


def load(name: str) -> Suite:
    table = tomllib.loads((LISTS / f"{name}.toml").read_text(encoding="utf-8"))
    return Suite(
        name,
        table["module"],
        table["written_for"],
        table["swap"],
        groups(table.get("not_ours", [])),
        groups(table.get("deselected", [])),
        tuple(table.get("through", [])),
        table.get("given", {}).get("values", {}),
    )


def names() -> list[str]:
    return sorted(path.stem for path in LISTS.glob("*.toml"))
