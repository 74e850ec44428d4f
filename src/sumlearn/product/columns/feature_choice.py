"""Which columns of a table a model reads, chosen from the training rows alone: `sffs:10`, `sfs`, `fcbf:0.1`, `all`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..problems import UsageProblem, suggested
from ..targets import TargetRows
from .select_methods import Method

if TYPE_CHECKING:
    from .selection_plan import Plan

SEARCHES = ("sfs", "sbe", "sffs", "sbfs")
EXAMPLES = "all, sffs, sffs:10, sfs:parsimonious, fcbf, fcbf:0.1"


class FeatureChoice(NamedTuple):
    """A way to choose columns. A category's levels enter and leave together, as does a number with its missing flag.

    >>> FeatureChoice.parse("sffs:10")
    FeatureChoice(method='sffs', number=10)
    >>> FeatureChoice.parse("all") is None
    True
    """

    method: str
    number: int | float | str

    @classmethod
    def parse(cls, text: str | None) -> FeatureChoice | None:
        method, _, value = str(text or "all").partition(":")
        if method == "all" and not value:
            return None
        if method not in (*SEARCHES, "fcbf"):
            known = suggested(method, ("all", *SEARCHES, "fcbf"))
            raise UsageProblem(f"--features {text!r} is no way to choose{known} (--features, such as {EXAMPLES})")
        try:
            if method == "fcbf":
                delta = float(value or 0.0)
                if not 0.0 <= delta < 1.0:
                    raise ValueError
                return cls(method, delta)
            return cls(method, value if value == "parsimonious" else whole(value) if value else "best")
        except ValueError:
            raise UsageProblem(f"--features {text!r} is no way to choose; there are {EXAMPLES}") from None

    def __str__(self) -> str:
        return self.method if self.number in ("best", 0.0) else f"{self.method}:{self.number}"

    def columns(
        self,
        features: np.ndarray,
        owners: list[str],
        values: np.ndarray,
        weight: np.ndarray | None,
        target: TargetRows,
        metric: str,
        seed: int | None = None,
    ) -> list[str]:
        """Names of the chosen columns; `owners` says which column each feature comes from, `seed` shuffles folds."""
        if len(set(owners)) < 2:
            return owners[:1]
        if self.method == "fcbf" and target.task == "regress":
            raise UsageProblem("--features fcbf is for classes; sffs and sfs choose for numbers")
        from .selecting import chosen_columns
        from .selection_plan import Features

        return chosen_columns(Features(features, values, owners, weight=weight), self.plan(target, metric, seed))

    def plan(self, target: TargetRows, metric: str, seed: int | None = None) -> Plan:
        """What is asked of `sumlearn select`; a small penalty keeps dependent columns apart."""
        from .selection_plan import Plan

        method = Method(self.method, delta=self.number if isinstance(self.number, float) else None)
        by_labels = "auc" if metric == "auc" and target.two_classes else "accuracy"
        criterion = "r2" if target.task == "regress" else by_labels
        k = "best" if isinstance(self.number, float) else self.number
        return Plan(method, target.task, criterion, k, penalty=1.0, option="--features", seed=seed)


def whole(value: str) -> int:
    number = int(value)
    if number < 1:
        raise ValueError(value)
    return number
