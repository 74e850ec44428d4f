"""Which columns of a table a model reads, chosen from the training rows alone: `sffs:10`, `sfs`, `fcbf:0.1`, `all`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .problems import DataProblem, UsageProblem, suggested
from .targets import Target

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
        target: Target,
        metric: str,
    ) -> list[str]:
        """Names of the chosen columns; `owners` says which column each feature comes from."""
        names = list(dict.fromkeys(owners))
        if len(names) < 2:
            return names
        groups = [[j for j, owner in enumerate(owners) if owner == name] for name in names]
        if self.method == "fcbf":
            return self.filtered(features, owners, values, weight, target)
        from ..selection import SubsetSearch

        by_labels = "auc" if metric == "auc" and target.two_classes else "accuracy"
        search = SubsetSearch(
            self.method,
            criterion="r2" if target.task == "regress" else by_labels,
            estimator=estimator_for(target),
            k=min(self.number, len(names)) if isinstance(self.number, int) else str(self.number),
            column_groups=groups,
        )
        chosen = set(search.fit(features, values, sample_weight=weight).subset_.tolist())
        return [name for name, group in zip(names, groups, strict=True) if chosen.issuperset(group)]

    def filtered(
        self, features: np.ndarray, owners: list[str], values: np.ndarray, weight: np.ndarray | None, target: Target
    ) -> list[str]:
        if target.task == "regress":
            raise UsageProblem("--features fcbf is for classes; sffs and sfs choose for numbers")
        from ..selection import FCBF
        from ..selection.workflow_steps.choosing import BINS

        support = FCBF(float(self.number), bins=BINS).fit(features, values, sample_weight=weight).get_support()
        chosen = {owner for owner, kept in zip(owners, support, strict=True) if kept}
        if not chosen:
            raise DataProblem(f"no column has a symmetric uncertainty above {self.number:g}; --features fcbf:0")
        return [name for name in dict.fromkeys(owners) if name in chosen]


def whole(value: str) -> int:
    number = int(value)
    if number < 1:
        raise ValueError(value)
    return number


def estimator_for(target: Target) -> Any:
    """The model whose score chooses: the sums of all subsets are those of one pass."""
    from ..learners.gaussian.linear_discriminant import LinearDiscriminantAnalysis
    from ..learners.regression.ridge import Ridge

    return Ridge(alpha=1.0) if target.task == "regress" else LinearDiscriminantAnalysis()
