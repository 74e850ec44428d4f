"""One row of the table of ratios."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.agreement import Agreement


def times(ratio: float | None) -> str:
    """A ratio as text."""
    if ratio is None:
        return "-"
    return f"{ratio:,.0f}x" if ratio >= 10 else f"{ratio:.2g}x"


@dataclass(frozen=True)
class Row:
    """Ours against one rival at its best setting. Amounts are in `unit`; the ratio is theirs over ours."""

    task: str
    dtype: str
    rival: str
    setting: str
    ours: float | None = None
    theirs: float | None = None
    unit: str = "ms"
    target: float | None = None
    best: bool = False
    extrapolated: bool = False
    runs: int = 0
    agreement: Agreement | None = None
    error: str | None = None
    tried: tuple[str, ...] = ()
    not_tried: tuple[str, ...] = ()

    @property
    def failed(self) -> bool:
        return self.error is not None or (self.agreement is not None and not self.agreement.holds)

    @property
    def ratio(self) -> float | None:
        """How many times more the rival needs; None where the results disagree or a side is missing."""
        if self.failed or self.ours is None or self.theirs is None:
            return None
        return self.theirs / self.ours

    @property
    def reached(self) -> bool | None:
        """Is the target reached? None where there is no target or no ratio."""
        return None if self.target is None or self.ratio is None else self.ratio >= self.target

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self) | {"ratio": self.ratio, "reached": self.reached, "failed": self.failed}
