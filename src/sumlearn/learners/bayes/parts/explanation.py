"""Explanation: the log-odds of one prediction, part by part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .factors import Factors

WIDTH = 30  # signs of the longest bar


@dataclass(frozen=True)
class Explanation:
    """ln p(label | x) / p(against | x) as a sum over the prior and the columns; as text, a bar for each.

    Attributes
    ----------
    label, against : the class that is explained, and the one it is compared with.
    parts : ((what, log-odds), ...), the prior first, then the columns in their order.
    log_odds : their sum.
    probability : p(label | x) among all classes.
    """

    label: Any
    against: Any
    parts: tuple[tuple[str, float], ...]
    probability: float

    @classmethod
    def of(
        cls,
        factors: Factors,
        values: list[np.ndarray],
        words: Mapping[str, str],
        classes: list[Any],
        label: Any,
        against: Any,
    ) -> Any:
        """Of one row; `label` is the most probable class unless it is given, `against` the next one.

        `words` are levels that were never met.
        """
        joint = factors.joint(values, 1)[0]
        order = np.argsort(-joint, kind="stable").tolist()
        k = order[0] if label is None else classes.index(label)
        m = next(i for i in order if i != k) if against is None else classes.index(against)
        scores = []
        for part, value in zip(factors.parts, values, strict=True):
            own = np.zeros((1, len(classes)))
            part.add(value, own)
            scores.append((f"{part.name} = {words.get(part.name) or part.said(value[0])}", own[0]))
        told = [("prior", factors.prior), *scores]
        shares = np.exp(joint - joint.max())
        parts = tuple((name, difference(values[k], values[m])) for name, values in told)
        return cls(classes[k], classes[m], parts, float(shares[k] / shares.sum()))

    @property
    def log_odds(self) -> float:
        """The sum of all parts."""
        return float(sum(value for _, value in self.parts))

    def __str__(self) -> str:
        known = [abs(value) for _, value in self.parts if np.isfinite(value)]
        unit, wide = max(known, default=1.0) or 1.0, max(len(name) for name, _ in self.parts)
        head = f"{self.label} against {self.against}: log-odds {self.log_odds:.2f}, probability {self.probability:.3f}"
        lines = [
            f"  {name:{wide}}  {value:+7.2f}  {bar(np.clip(value, -unit, unit) / unit)}".rstrip()
            for name, value in self.parts
        ]
        return "\n".join([head, *lines])


def difference(a: float, b: float) -> float:
    """a - b, where what rules out both classes tells nothing."""
    return 0.0 if a == b else float(a - b)


def bar(share: float) -> str:
    return ("+" if share > 0 else "-") * round(WIDTH * abs(share))
