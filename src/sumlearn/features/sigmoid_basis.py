"""Sigmoids of every column."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy.special import expit

from .basis import Basis
from .input_ranges import (
    finite_numbers,
    given_domain,
    grid_points,
    is_number,
    learned_domain,
    one_of,
    positive_numbers,
    quantile_points,
    whole_number,
)

BLOCK = 4096  # rows whose arguments are in the cache at the same time


class SigmoidBasis(Basis):
    """Smooth steps: a sigmoid of every column at several places.

        phi_kj(x) = sigma((x_k - mu_jk) / s_jk),   sigma(a) = 1 / (1 + exp(-a))

    Each rises from 0 to 1 around its centre mu, over a length of about 4 s. Outputs are ordered by column, then by
    centre. Cost: O(n d M) for M centres of each column.

    Parameters
    ----------
    centres : int or array (M,) or (M, n_features), default=5
        How many centres each column gets, or the centres: the same for all columns, or one column of the array each.
    width : float, array (M,) or (M, n_features), or "spacing", default="spacing"
        The s of the formula; "spacing" takes the mean distance of neighbouring centres of the column.
    placing : "quantile" or "grid", default="quantile"
        Where a number of centres goes: to the quantiles (j + 1/2) / M of the different values of a column, or in equal
        steps from one end of its `domain` to the other.
    domain : (low, high), one such pair for each column, or None, default=None
        The ends of the grid; None takes the least and largest value of the rows.
    bias : bool, default=False
        Begin with a constant column. Learners have an intercept of their own.

    Attributes
    ----------
    centres_, widths_ : arrays (M, n_features)
        The centres and widths in use.

    Examples
    --------
    >>> import numpy as np
    >>> from sumlearn.features import SigmoidBasis
    >>> basis = SigmoidBasis([0.0, 2.0], width=0.5).fit([[0.0]])
    >>> basis.transform([[0.0], [1.0]]).round(4).tolist()
    [[0.5, 0.018], [0.8808, 0.1192]]

    References
    ----------
    Lecture note 000, which prints sigma with exp(a); Bishop, "Pattern recognition and machine learning", 2006,
    eq. 3.5 and 3.6.
    """

    row_by_row = True
    placed_by: ClassVar[dict[str, str]] = {"centres": "centres_", "width": "widths_"} | dict.fromkeys(
        ("placing", "domain"), "centres_"
    )

    def __init__(
        self,
        centres: Any = 5,
        width: Any = "spacing",
        *,
        placing: str = "quantile",
        domain: Any = None,
        bias: bool = False,
    ) -> None:
        self.centres = centres
        self.width = width
        self.placing = placing
        self.domain = domain
        self.bias = bias

    @property
    def stateless(self) -> bool:
        """True if the centres are given, or are a grid over a given domain."""
        return not is_number(self.centres) or (self.placing == "grid" and self.domain is not None)

    def size(self, n_features: int) -> int:
        """Number of outputs for so many columns."""
        count = whole_number(self.centres, "centres", 1) if is_number(self.centres) else len(self.centres)
        return n_features * count + int(self.bias)

    def learn(self, rows: np.ndarray) -> dict[str, Any]:
        centres = self.places(rows)
        return {"centres_": centres, "widths_": self.widths(centres)}

    def places(self, rows: np.ndarray) -> np.ndarray:
        n_features = rows.shape[1]
        one_of(self.placing, "placing", ("quantile", "grid"))
        if not is_number(self.centres):
            return by_column(finite_numbers(self.centres, "centres"), "centres", n_features)
        count = whole_number(self.centres, "centres", 1)
        if self.placing == "quantile":
            return quantile_points(rows, count)
        domain = learned_domain(rows) if self.domain is None else given_domain(self.domain, n_features)
        return grid_points(domain, count)

    def widths(self, centres: np.ndarray) -> np.ndarray:
        if not isinstance(self.width, str):
            width = positive_numbers(self.width, "width")
            return np.full(centres.shape, width) if not width.ndim else by_column(width, "width", *centres.shape[::-1])
        one_of(self.width, "width", ("spacing",))
        count = len(centres)
        with np.errstate(over="ignore"):
            length = centres.max(axis=0) - centres.min(axis=0)
        if not ((length > 0) & (length < np.inf)).all():
            raise ValueError(
                "width='spacing' needs at least two different centres in every column, at a distance that is finite; "
                "give the width as a number"
            )
        return np.broadcast_to(length / (count - 1), centres.shape).copy()

    def evaluate(self, X: np.ndarray, out: np.ndarray, first: int) -> None:
        centres, widths = self.centres_.T, self.widths_.T
        for start in range(0, len(X), BLOCK):
            rows = slice(start, start + BLOCK)
            with np.errstate(over="ignore"):  # an infinite argument is a step that is over
                argument = (X[rows, :, None] - centres) / widths  # float64: a centre may be far from zero
            out[rows, first:] = expit(argument, out=argument).reshape(len(argument), -1)

    def names(self, inputs: list[str]) -> list[str]:
        return [f"{name}_sigmoid{j}" for name in inputs for j in range(len(self.centres_))]

    def may_overflow(self, X: np.ndarray) -> bool:
        return False


def by_column(array: np.ndarray, name: str, n_features: int, count: int | None = None) -> np.ndarray:
    """Numbers for every centre, given once for all columns or for each: (count, n_features)."""
    if array.ndim not in (1, 2) or (array.ndim == 2 and array.shape[1] != n_features):
        raise ValueError(f"{name} must have shape (M,) or (M, {n_features}), got {array.shape}")
    if count is not None and len(array) != count:
        raise ValueError(f"{name} must hold {count} numbers, one for each centre, got {len(array)}")
    return np.ascontiguousarray(np.broadcast_to(array.reshape(len(array), -1), (len(array), n_features)))
