"""How precisely rows are summed: in two words, or exactly (``precision="exact"``).

Exact sums depend on the rows that are there and on nothing else: not on their order, their chunks, the number of
workers, or on rows that came and went. So do all fitted attributes, to the bit, since they are solved from mean and
scatter of two words, which the sums are rounded to once (`statistics.in_words`).
"""

from __future__ import annotations

from typing import Any

from ..statistics import ExactMoments, Grouped, Moments, Pooled

EXACT = "exact"
CHOICES = (None, "double", EXACT)
EXACT_KINDS: dict[Any, Any] = {
    Moments: ExactMoments,
    Grouped[Moments]: Grouped[ExactMoments],
    Pooled: Grouped[ExactMoments],
}


def is_exact(learner: Any) -> bool:
    """Whether a learner sums exactly; refuses a precision that there is not."""
    precision = getattr(learner, "precision", None)
    if precision not in CHOICES:
        raise ValueError(f"precision must be None, 'double' or 'exact', got {precision!r}")
    return precision == EXACT


def at_precision(learner: Any, kind: Any) -> Any:
    """The type of the sums that a learner makes at its precision, where it makes `kind` in two words."""
    return EXACT_KINDS[kind] if getattr(learner, "precision", None) == EXACT else kind


class AtPrecision:
    """``statistic_type`` of a class of learners, which is another for those that sum exactly.

    >>> from sumlearn import Ridge
    >>> Ridge.statistic_type.__name__, Ridge(precision="exact").statistic_type.__name__
    ('Moments', 'ExactMoments')
    """

    def __init__(self, kind: Any) -> None:
        self.kind = kind

    def __get__(self, learner: Any, owner: type) -> Any:
        return at_precision(learner, self.kind)


def moments_of(learner: Any, X: Any, y: Any, weight: Any) -> Any:
    """Moments of the rows of a chunk, at the precision of a learner."""
    return (ExactMoments if is_exact(learner) else Moments).of(X, y, weight)


def check_precision(learner: Any) -> None:
    """Refuse a precision that there is not, and a basis whose last bits depend on the rows beside a row."""
    exact = is_exact(learner)
    basis = learner.__dict__.get("basis_", getattr(learner, "basis", None))
    if exact and basis is not None and not basis.row_by_row:
        raise ValueError(
            f"precision='exact' and a {type(basis).__name__}: the last bits of its features depend on which rows "
            "are mapped together; take Polynomial or SigmoidBasis, or map the rows beforehand"
        )
