"""What a training is asked for, said once for the command, for `train` and for whoever sets up the problem."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from ..data.dialect import Dialect
from .metrics import Costs
from .problems import UsageProblem, suggested
from .schemes import Scheme

UNITS = {"": 1.0, "s": 1.0, "min": 60.0, "h": 3600.0}


@dataclass(frozen=True)
class Options:
    """The options of `train` and of ``sumlearn train``, by the names that they have there and in ``run.toml``.

    >>> options = Options("diabetes", cost=(1.0, 5.0), cv=3)
    >>> options.costs, str(options.scheme), options.seconds
    (Costs(false_accept=1.0, false_reject=5.0), '3', 60.0)
    """

    target: str | None = None
    task: str = "auto"
    models: str | Sequence[Any] = "auto"
    can: Sequence[str] = ()
    positive: str | None = None
    cost: Sequence[float] | str | Mapping[Any, float] | None = None
    cv: str | int = "5"
    metric: str | None = None
    features: str | None = None
    drop: Sequence[str] = ()
    ids: Sequence[str] = ()
    weights: str | None = None
    seed: int = 0
    row_hashes: bool = True
    memory: str | None = None
    budget: str = "60s"
    dropped: Sequence[str] = ()
    refits: int | None = None
    encoding: str | None = None
    dates: str | None = None
    decimal: str | None = None
    missing: Sequence[str] = ()
    max_levels: int | None = None
    precision: str | None = None
    engine: str | None = None
    device: str | None = None

    @classmethod
    def given(cls, options: dict[str, Any]) -> Options:
        """Those that are named; a name that is none is refused."""
        for name in options:
            if name not in NAMES:
                raise TypeError(f"train has no option {name!r}{suggested(name, NAMES)}")
        return cls(**options)

    @property
    def dialect(self) -> Dialect:
        """How text files are written, as far as it is said."""
        return dialect_of(vars(self))

    @property
    def costs(self) -> Costs | None:
        if self.cost is None:
            return None
        try:
            if isinstance(self.cost, str):
                return Costs.read(self.cost)
            if isinstance(self.cost, Mapping):
                return Costs.of(self.cost)
            accept, reject = self.cost
            return Costs(accept, reject)
        except OSError as error:
            raise UsageProblem(f"--cost {self.cost!r} cannot be read: {error.strerror}") from None
        except (TypeError, ValueError) as error:
            raise UsageProblem(f"{error} (--cost)") from None

    @property
    def scheme(self) -> Scheme:
        return Scheme.parse(str(self.cv))

    @property
    def torch_device(self) -> str | None:
        """The device that networks are learnt on, as torch names it; None for NumPy.

        >>> Options(device="cpu").torch_device is None
        True
        """
        if self.device in (None, "cpu"):
            return None
        from ..learners.networks.parts.arithmetic import arithmetic_for

        try:
            arithmetic_for("float32", self.device)
        except (ImportError, ValueError) as error:
            raise UsageProblem(f"{error} (--device)") from None
        return self.device

    @property
    def seconds(self) -> float:
        """The budget; endless where it is "none".

        >>> Options(budget="2min").seconds, Options(budget="none").seconds
        (120.0, inf)
        """
        if str(self.budget) == "none":
            return float("inf")
        match = re.fullmatch(r"\s*([0-9]+\.?[0-9]*)\s*(s|min|h|)\s*", str(self.budget))
        if match is None or float(match[1]) <= 0:
            raise UsageProblem(f"--budget {self.budget!r} is no time such as 60s, 5min or none")
        return float(match[1]) * UNITS[match[2]]


def dialect_of(options: Mapping[str, Any]) -> Dialect:
    """
    >>> dialect_of({"dates": "dmy", "missing": ["?"]})
    Dialect(encoding=None, dates='dmy', decimal=None, missing=('?',), fallback=None)
    """
    try:
        said = {name: options.get(name) for name in ("encoding", "dates", "decimal")}
        return Dialect(**said, missing=tuple(options.get("missing") or ()))
    except ValueError as error:
        raise UsageProblem(f"--{error}") from None


NAMES = tuple(option.name for option in fields(Options))
