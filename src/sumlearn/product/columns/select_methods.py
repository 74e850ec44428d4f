"""How columns are to be chosen, as it is written on the command line."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..problems import UsageProblem, suggested

PLAIN = ("sfs", "sbe", "sffs", "sbfs", "exhaustive", "bnb", "astar")
MONOTONE = ("bnb", "astar")  # methods that need a criterion which never falls
SEPARABILITY = ("mahalanobis", "bhattacharyya", "trace", "likelihood")
WITHOUT_FOLDS = (*SEPARABILITY, "nearest", "loo", "aic", "bic")  # criteria that are no mean over folds
RANKS = {
    "mi": "mutual_information",
    "su": "symmetric_uncertainty",
    "pearson": "pearson",
    "f": "f",
    "fisher": "fisher",
    "mutual_information": "mutual_information",
    "symmetric_uncertainty": "symmetric_uncertainty",
    "one_feature": "one_feature",
}
EXAMPLES = "sfs, sbe, sffs, sbfs, pta:2,1, gsfs:2, gpta:2,1, bnb, astar, exhaustive, fcbf:0.1, rank:mi"
CRITERIA = {
    "classify": ("accuracy", "auc", "nearest", *SEPARABILITY),
    "regress": ("r2", "mse", "loo", "aic", "bic"),
}


@dataclass(frozen=True)
class Method:
    """A search with its parameters, a ranker with its score, or the correlation-based filter with its threshold.

    >>> Method.parse("pta:3,1").parameters, Method.parse("rank:mi").score, Method.parse("fcbf:0.1").delta
    ({'plus': 3, 'minus': 1}, 'mutual_information', 0.1)
    """

    name: str
    parameters: dict[str, int] = field(default_factory=dict)
    score: str | None = None
    delta: float | None = None

    @property
    def is_filter(self) -> bool:
        return self.name in ("rank", "fcbf")

    def __str__(self) -> str:
        return self.name if self.score is None else f"{self.name}:{self.score}"

    @classmethod
    def parse(cls, text: str) -> Method:
        name, _, value = text.partition(":")
        try:
            match name:
                case "pta" | "gpta":
                    plus, minus = (int(part) for part in (value or "2,1").split(","))
                    if min(plus, minus) < 0 or plus == minus:
                        raise UsageProblem(f"--method {text!r}: two different whole numbers, such as {name}:2,1")
                    return cls(name, {"plus": plus, "minus": minus})
                case "gsfs":
                    if int(value or 2) < 1:
                        raise ValueError(value)
                    return cls(name, {"block": int(value or 2)})
                case "fcbf":
                    if not 0.0 <= float(value or 0) <= 1.0:
                        raise UsageProblem(f"--method {text!r}: the threshold is between 0 and 1")
                    return cls(name, delta=float(value or 0))
                case "rank" if value in RANKS:
                    return cls(name, score=RANKS[value])
                case "rank":
                    raise UsageProblem(f"no score {value!r} to rank by{suggested(value, RANKS)} (--method rank:mi)")
                case _ if name in PLAIN and not value:
                    return cls(name)
        except ValueError as error:
            if isinstance(error, UsageProblem):
                raise
        known = suggested(name, (*PLAIN, "pta", "gsfs", "gpta", "fcbf", "rank"))
        raise UsageProblem(f"no method {text!r}{known} (--method, such as {EXAMPLES})")


def size_of(text: str, columns: int, fixed: int = 0) -> int | str:
    """How many columns: a number, "best" or "parsimonious"."""
    if text in ("best", "parsimonious"):
        return text
    try:
        number = int(text)
    except ValueError:
        raise UsageProblem(f"-k {text!r}: a number, best or parsimonious") from None
    if not 1 <= number <= columns:
        raise UsageProblem(f"-k {number}: there are {columns} columns to choose from")
    if number < fixed:
        raise UsageProblem(f"-k {number}: {fixed} columns are always chosen (--fixed)")
    return number


def criterion_of(given: str | None, method: Method, task: str, k: Any) -> str:
    """What is maximised; what does not suit the method or the target is refused."""
    known = CRITERIA[task]
    if task == "regress" and (method.name == "fcbf" or method.score == "fisher"):
        raise UsageProblem(f"--method {method} is for classes; rank:mi, rank:f and sffs choose for numbers")
    if given is not None and given not in known:
        raise UsageProblem(f"no criterion {given!r} for this target{suggested(given, known)} (--criterion)")
    if method.name in MONOTONE:
        if task == "regress":
            raise UsageProblem(f"--method {method.name} is for classes; exhaustive and sffs choose for numbers")
        if given is not None and given not in SEPARABILITY:
            raise UsageProblem(f"--method {method.name} needs one of {', '.join(SEPARABILITY)} (--criterion)")
        if isinstance(k, str):
            raise UsageProblem(f"--method {method.name} looks for the best subset of one size: -k NUMBER")
        return given or SEPARABILITY[0]
    if k == "parsimonious" and given in WITHOUT_FOLDS:
        raise UsageProblem(f"-k parsimonious needs a criterion that is a mean over folds, not {given!r} (--criterion)")
    return given or known[0]
