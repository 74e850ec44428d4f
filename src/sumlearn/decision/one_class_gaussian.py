"""One class: a normal density and a threshold."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import chdtr, chdtri, fdtr, fdtri
from sklearn.utils import check_random_state

from ..data import Chunk
from ..features.input_ranges import is_number, one_of, whole_number
from ..learners import Description, Fitted, OnePass
from ..learners.fitted import check_variances
from ..learners.gaussian.parts.covariance_forms import SMALLEST, correlations, factored
from ..learners.linear_map import away_from
from ..learners.precision import AtPrecision, moments_of
from ..learners.validation import term_name
from ..statistics import Moments
from ..statistics.warnings import warn
from .parts.one_class import OneClassRule, check_share

BLOCK = 8192  # rows scored at a time
MANY = 1e12  # rows, of which mean and covariance are as good as known
LAWS = ("f", "chi2")


class OneClassGaussian(OneClassRule, OnePass):
    """One class as a normal density: a row belongs to it where the density reaches a threshold.

        accept if ln N(x | m, C) >= ln theta,   C = S / N
        (x - m)'C^-1 (x - m) <= d (N + 1) / (N - d) F_a(d, N - d)      a share a of new normal rows is accepted
        theta = p_0 / (p_1 V)                                          Laplace: outliers anywhere in a volume V

    The share holds exactly for rows that are normal, however few were learnt: it is the law of a new row about the mean
    and covariance of others (Hotelling). Where rows are not normal, look at it on rows left out, or choose a threshold
    there: `decision.WorkingPoint`.

    Statistic: Moments of x. One pass. Can merge, forget, decay, restrict. Cost: summarise O(n d^2), solve O(d^3).

    Parameters
    ----------
    acceptance : float, default=0.95
        a, the share of rows of the class that shall be accepted.
    law : {"f", "chi2"}, default="f"
        "f" counts rows by their weights; of no more rows than columns nothing is rejected, with a warning. "chi2" takes
        mean and covariance as known: only ratios of weights matter, and of few rows more than 1 - a are rejected.
    outlier_share, volume : float, default=None
        In the place of `acceptance`, both or none: p_0 = 1 - p_1, the share of outliers among all rows, and V, the
        volume over which they are spread evenly, in units of x. Nothing being known of outliers, no place is more
        likely than another (Laplace's principle of insufficient reason).
    precision : {None, "double", "exact"}, default=None
        "exact" sums without any rounding: the same rows leave the same bits, however they came and went. It takes
        longer, and nothing decays.

    Attributes
    ----------
    mean_, covariance_ : arrays
    offset_ : float
        ln theta.
    acceptance_ : float
        The share of new rows of the class that is accepted, by `law`; NaN where this has none.
    rank_ : int
        Directions in which the rows vary. In others a variance of 1e-12 is assumed, with a warning, so that rows
        which leave them are rejected.

    Examples
    --------
    >>> from sumlearn import OneClassGaussian
    >>> from sumlearn.data import load_example
    >>> iris = load_example("iris")
    >>> setosa = iris.y == "setosa"
    >>> model = OneClassGaussian(0.95).fit(iris.X[setosa])
    >>> [int((model.predict(iris.X[rows]) == 1).sum()) for rows in (setosa, ~setosa)]
    [48, 0]
    >>> halves = OneClassGaussian(0.95).fit(iris.X[:20]) + OneClassGaussian(0.95).fit(iris.X[20:50])
    >>> bool(abs(halves.offset_ - model.offset_) < 1e-9)
    True

    References
    ----------
    Lecture note 002; Hotelling, "The generalization of Student's ratio", 1931; Anderson, "An introduction to
    multivariate statistical analysis", 2003, sec. 5.2.
    """

    description = Description(variants={"acceptance": (0.95, 0.5), "law": LAWS, "precision": (None, "exact")})

    statistic_type = AtPrecision(Moments)
    target = None

    mean_ = Fitted("Mean of the rows.")
    covariance_ = Fitted("Covariance of the rows, S / N.")
    offset_ = Fitted("Least log-density at which a row is accepted.")
    acceptance_ = Fitted("Share of new rows of the class that is accepted, by the law.")
    rank_ = Fitted("Directions in which the rows vary.")

    def __init__(
        self,
        acceptance: float = 0.95,
        *,
        law: str = "f",
        outlier_share: float | None = None,
        volume: float | None = None,
        precision: str | None = None,
    ) -> None:
        self.acceptance = acceptance
        self.law = law
        self.outlier_share = outlier_share
        self.volume = volume
        self.precision = precision

    def check(self) -> None:
        check_share(self.acceptance, "acceptance")
        one_of(self.law, "law", LAWS)
        if (self.outlier_share is None) != (self.volume is None):
            raise ValueError("outlier_share and volume go together: how many outliers there are, and where")
        if self.outlier_share is not None and self.volume is not None:
            check_share(self.outlier_share, "outlier_share")
            if not is_number(self.volume) or not 0.0 < self.volume < np.inf:
                raise ValueError(f"volume must be finite and above zero, got {self.volume!r}")

    def summarise(self, chunk: Chunk, look: Any = None) -> Moments:
        return moments_of(self, chunk.X, None, chunk.weight)

    def solution(self, statistic: Moments) -> dict[str, Any]:
        self.check()
        deviation = statistic.deviation
        check_variances(deviation)
        if not deviation.any():
            rows = "1 sample" if statistic.is_single else "rows that are all alike"
            raise ValueError(f"{rows}: a density needs at least 2 different rows")
        form = factored(*correlations(statistic))
        rank = len(deviation) - form.flat
        level = -0.5 * (form.log_determinant + len(deviation) * np.log(2.0 * np.pi))  # ln N(m | m, C)
        known = self.law_of(statistic, rank, int((deviation > 0).sum()))
        if self.outlier_share is None or self.volume is None:
            offset, share = level - 0.5 * known.within(self.acceptance), float(self.acceptance)
        else:
            offset = float(np.log(self.outlier_share) - np.log1p(-self.outlier_share) - np.log(self.volume))
            share = known.share(max(2.0 * (level - offset), 0.0))
        if form.flat and np.isfinite(offset):
            still = [str(term_name(self, int(j))) for j in np.flatnonzero(deviation == 0)]
            named = f"; column(s) {', '.join(still[:5])} are constant" if still else ""
            floor = f"a variance of {SMALLEST:g} is assumed there"
            warn(f"the rows do not vary in {form.flat} direction(s){named}: {floor}")
        return {
            "mean_": statistic.mean,
            "covariance_": form.covariance,
            "offset_": float(offset),
            "acceptance_": share,
            "rank_": rank,
            "whiten": form.whiten,
            "level": level,
            "rest": statistic.mean_rest,
        }

    def law_of(self, statistic: Moments, rank: int, varying: int) -> Law:
        """The law of squared distances of new rows; of too few rows they have none."""
        if self.law == "chi2":
            return Law(rank, None, 1.0)
        N = statistic.weight
        if varying + statistic.weight_rounding >= N:
            if self.outlier_share is None:
                warn(
                    f"rows of a weight of {N:g} for {varying} column(s) that vary: any distance is possible, so no row "
                    f"is rejected; more than {varying} are needed, or fewer columns (PCA), or law='chi2'"
                )
            return Law(rank, None, np.inf)
        if N > MANY:
            return Law(rank, None, 1.0)
        return Law(rank, N - rank, rank * (N + 1.0) / (N - rank))

    def scores(self, X: Any) -> np.ndarray:
        """ln N(x | m, C)."""
        return self.solved()["level"] - 0.5 * self.mahalanobis(X)

    def mahalanobis(self, X: Any) -> np.ndarray:
        """(x - m)'C^-1 (x - m) of each row; infinite where it is no floating-point number."""
        rows, known = self.rows_of(X), self.solved()
        out = np.empty(len(rows))
        with np.errstate(over="ignore", invalid="ignore"):
            for start in range(0, len(rows), BLOCK):
                block = slice(start, start + BLOCK)
                away = away_from(rows[block], known["mean_"], known["rest"]) @ known["whiten"]
                out[block] = np.einsum("ij,ij->i", away, away)
        return np.where(np.isnan(out), np.inf, out)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Mean log-density of the rows."""
        return float(np.average(self.scores(X), weights=sample_weight))

    def sample(self, n_samples: int = 1, random_state: Any = None) -> np.ndarray:
        """Rows drawn from the density."""
        known = self.solved()
        values, vectors = np.linalg.eigh(known["covariance_"])
        n, random = whole_number(n_samples, "n_samples", 1), check_random_state(random_state)
        normal = random.standard_normal((n, len(values)))
        drawn = known["mean_"] + normal * np.sqrt(np.maximum(values, 0.0)) @ vectors.T
        return drawn.astype(self.float_dtype, copy=False)


class Law(NamedTuple):
    """How squared distances of new rows are spread: `stretch` times F with `freedom`, or times chi-squared."""

    rank: int
    freedom: float | None
    stretch: float

    def within(self, share: float) -> float:
        """The distance that a share of the rows keeps to."""
        if self.freedom is None:
            return self.stretch * float(chdtri(self.rank, 1.0 - share))
        return self.stretch * float(fdtri(self.rank, self.freedom, share))

    def share(self, distance: float) -> float:
        """The share of the rows within a distance; NaN where they have no law."""
        if not np.isfinite(self.stretch):
            return float("nan")
        if self.freedom is None:
            return float(chdtr(self.rank, distance / self.stretch))
        return float(fdtr(self.rank, self.freedom, distance / self.stretch))
