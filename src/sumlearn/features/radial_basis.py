"""Gaussian radial basis functions."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy.spatial.distance import cdist

from .basis import Basis
from .centre_placement import PLACINGS, place
from .input_ranges import finite_numbers, is_number, one_of, positive_numbers, whole_number
from .widths import RULES, width_by_rule

BLOCK = 1024  # rows whose distances are in the cache at the same time
FAR = 1e100  # in units of the spread of the centres: the square is still finite, and no function reaches so far


class RadialBasis(Basis):
    """Gaussian bumps around centres.

        phi_j(x) = exp(-|x - mu_j|^2 / (2 s_j^2))

    With gamma = 1 / (2 s^2) it is the Gaussian kernel between x and mu_j. Distances are taken from a point amid the
    centres, so a common offset of rows and centres costs no digits. Cost: O(n M d) for M centres.

    Parameters
    ----------
    centres : int or array (M, n_features), default=10
        How many centres, or the centres themselves; for one column a list of M numbers will do.
    width : float, array (M,), "mean_distance", "max_distance" or "spacing", default="mean_distance"
        The s of the formula, for all centres or for each. By rule: of each centre, the mean distance to its nearest
        `neighbours`; the largest distance of two centres over sqrt(2 M), one for all; the mean distance of a centre to
        its nearest other, one for all.
    placing : "spread", "random", "kmeans", "quantile" or "grid", default="spread"
        Where a number of centres goes. "spread": a random row, then always the row farthest from all centres there are.
        "random": different rows at random. "kmeans": the means of so many clusters of the different rows. "grid": so
        many equal steps in each column over its `domain`, in all combinations, which makes centres^n_features in all.
        "quantile": the same at the quantiles (j + 1/2) / centres of the different values of each column.
    neighbours : int, default=2
        For ``width="mean_distance"``.
    domain : (low, high), one such pair for each column, or None, default=None
        The ends of the grid; None takes the least and largest value of the rows.
    random_state : int, RandomState or None, default=None
        Seeds "spread", "random" and "kmeans".
    fewer : bool, default=False
        Whether fewer centres will do where there are fewer different rows; else that is an error.
    double : bool, default=False
        Give float64 also for rows of float32.
    bias : bool, default=False
        Begin with a constant column. Learners have an intercept of their own.

    Attributes
    ----------
    centres_ : array (M, n_features)
        The centres in use.
    widths_ : array (M,)
        Their widths.

    Examples
    --------
    >>> from sumlearn.features import RadialBasis
    >>> basis = RadialBasis([0.0, 1.0], width=0.5).fit([[0.0]])
    >>> basis.transform([[0.0], [0.5]]).round(4).tolist()
    [[1.0, 0.1353], [0.6065, 0.6065]]
    >>> far = RadialBasis([1e9, 1e9 + 1.0], width=0.5).fit([[0.0]])
    >>> far.transform([[1e9 + 0.5]]).round(4).tolist()
    [[0.6065, 0.6065]]

    References
    ----------
    Lecture notes 000 and 003; Bishop, "Pattern recognition and machine learning", 2006, eq. 3.4 and section 6.3;
    Moody & Darken, "Fast learning in networks of locally-tuned processing units", 1989 (neighbours); Haykin, "Neural
    networks", 1999, section 5.13 (largest distance); Gonzalez, "Clustering to minimize the maximum intercluster
    distance", 1985 (spread).
    """

    fewer: bool = False  # older files have no word about it
    placed_by: ClassVar[dict[str, str]] = {"centres": "centres_", "width": "widths_"} | dict.fromkeys(
        ("placing", "neighbours", "domain", "random_state", "fewer"), "centres_"
    )

    def __init__(
        self,
        centres: Any = 10,
        width: Any = "mean_distance",
        *,
        placing: str = "spread",
        neighbours: int = 2,
        domain: Any = None,
        random_state: Any = None,
        fewer: bool = False,
        double: bool = False,
        bias: bool = False,
    ) -> None:
        self.centres = centres
        self.width = width
        self.placing = placing
        self.neighbours = neighbours
        self.domain = domain
        self.random_state = random_state
        self.fewer = fewer
        self.double = double
        self.bias = bias

    @property
    def stateless(self) -> bool:
        """True if the centres are given, or are a grid over a given domain."""
        return not is_number(self.centres) or (self.placing == "grid" and self.domain is not None)

    def size(self, n_features: int) -> int:
        """Number of outputs for so many columns."""
        if "centres_" in vars(self):
            return len(self.centres_) + int(self.bias)
        if not is_number(self.centres):
            return len(self.centres) + int(self.bias)
        count = whole_number(self.centres, "centres", 1)
        return (count**n_features if self.placing in ("grid", "quantile") else count) + int(self.bias)

    def learn(self, rows: np.ndarray) -> dict[str, Any]:
        one_of(self.placing, "placing", PLACINGS)
        if is_number(self.centres):
            count = whole_number(self.centres, "centres", 1)
            centres = place(rows, count, self.placing, self.domain, self.random_state, self.fewer)
        else:
            centres = given_centres(self.centres, rows.shape[1])
        widths = self.widths(centres)
        if widths.min() < 1e-150 * middle_and_unit(centres, widths)[1]:  # its square would be zero
            raise ValueError(f"width must not be below 1e-150 of the spread of the centres, got {widths.min():g}")
        return {"centres_": centres, "widths_": widths}

    def widths(self, centres: np.ndarray) -> np.ndarray:
        if isinstance(self.width, str):
            one_of(self.width, "width", RULES)
            if self.fewer and len(centres) == 1:
                return np.ones(1)  # of a single row nothing is known but itself
            return width_by_rule(centres, self.width, whole_number(self.neighbours, "neighbours", 1))
        width = positive_numbers(self.width, "width")
        if width.shape not in ((), (len(centres),)):
            raise ValueError(f"width must be one number or one for each of {len(centres)} centres, got {width.shape}")
        return np.full(len(centres), width)

    def evaluate(self, X: np.ndarray, out: np.ndarray, first: int) -> None:
        origin, unit = middle_and_unit(self.centres_, self.widths_)
        centres, widths = (self.centres_ - origin) / unit, self.widths_ / unit
        rate = -0.5 / widths**2
        for start in range(0, len(X), BLOCK):
            rows = slice(start, start + BLOCK)
            with np.errstate(over="ignore"):
                shifted = np.clip((X[rows] - origin) / unit, -FAR, FAR)
            exponent = squared_distances(shifted, centres, widths.min())
            exponent *= rate
            out[rows, first:] = np.exp(exponent, out=exponent)

    def names(self, inputs: list[str]) -> list[str]:
        return [f"radial{j}" for j in range(len(self.centres_))]

    def may_overflow(self, X: np.ndarray) -> bool:
        return False


def given_centres(centres: Any, n_features: int) -> np.ndarray:
    array = finite_numbers(centres, "centres")
    if array.ndim == 1 and n_features == 1:
        array = array[:, None]
    if array.ndim != 2 or array.shape[1] != n_features:
        raise ValueError(f"centres must have shape (M, {n_features}), one column for each of X, got {array.shape}")
    return np.ascontiguousarray(array)


def middle_and_unit(centres: np.ndarray, widths: np.ndarray) -> tuple[np.ndarray, float]:
    """A point amid the centres, and a power of two about as large as their spread or widths."""
    low, high = 0.5 * centres.min(axis=0), 0.5 * centres.max(axis=0)
    size = max(float((high - low).max()), float(widths.max()))
    return low + high, float(2.0 ** np.floor(np.log2(size)))


def squared_distances(X: np.ndarray, centres: np.ndarray, least_width: float) -> np.ndarray:
    """|x - mu_j|^2, by one product where that leaves the exponent ten digits, else from differences.

    |x|^2 - 2 x'mu + |mu|^2 errs by some eps |mu|^2, which is to be small beside s^2.
    """
    size = (centres**2).sum(axis=1)
    if size.max() > 1e5 * least_width**2:
        return cdist(X, centres, "sqeuclidean")
    distances = X @ (-2.0 * centres.T)
    distances += (X**2).sum(axis=1)[:, None]
    distances += size
    return np.maximum(distances, 0.0, out=distances)
