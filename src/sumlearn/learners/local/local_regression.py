"""Locally weighted regression."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...solvers.normal_equations import least_squares
from ...statistics import Moments
from ..description import BY_FEATURES, Description, Offer
from ..one_pass import OnePass
from ..regression.parts.linear_model import residual_moments, squared_errors
from .parts.lines import LocalLines
from .parts.placed_lines import PlacedLines
from .parts.placed_sums import ALL, PlacedSums
from .parts.places import Places


class LocalRegression(PlacedLines, OnePass):
    """Straight lines, each fitted to its own neighbourhood and blended by Gaussians (LWR).

        (a_e, b_e) = argmin sum_n w_n Phi_e(x_n) (y_n - a'x_n - b)^2
        Phi_e(x) = exp(-1/2 (x - mu_e)'Sigma_e^-1 (x - mu_e)),   Sigma_e = diag(s_e1^2, ..., s_ed^2) or any covariance
        f(x) = sum_e Phi_e(x) (a_e'x + b_e) / sum_e Phi_e(x)

    Lecture note 000 writes the sum without the denominator, which counts twice where Gaussians overlap and falls to
    zero between them; ``normalise=False`` is that form.

    Statistic: moments of (x, y) for every centre, with weights times Phi_e, and the centres themselves. One pass, and
    one before it where rows place the centres. Can merge, forget and decay, where the centres are the same: give them,
    or a domain for their grid. Cost for E centres: summarise O(n E d^2), solve O(E d^3), predict O(n E d).

    Parameters
    ----------
    centres : int or array (E, n_features), default=10
        How many centres, or the centres themselves; for one column a list of E numbers will do. Rows never give more
        centres than there are different ones.
    width : "auto", float, array (E,), (E, n_features), (n_features, n_features) or (E, n_features, n_features)
        The deviations s, for all Gaussians, for each, or for each and column; or the covariance Sigma, for all or for
        each. A square matrix of the columns is always a covariance. "auto" (default): half the mean distance to the two
        nearest other centres; where rows place them, in units of the deviation of each column (for a grid, of half its
        range).
    placing : "kmeans" or "grid", default="kmeans"
        Where a number of centres goes: by k-means among (at most 4096 of) the different rows, without chance; or so
        many equal steps in each column over its range, in all combinations.
    domain : (low, high), one such pair for each column, or None, default=None
        The ends of the grid; None takes the least and largest value of the rows.
    normalise : bool, default=True
        Divide by the sum of the Gaussians.
    n_jobs : int or None, default=None
        Threads for the pass; None takes all processors.

    Attributes
    ----------
    centres_, widths_ : array (E, n_features)
        Where the Gaussians stand and how wide they are; infinite in columns that do not vary.
    covariances_ : array (E, n_features, n_features)
        Sigma_e, where covariances were given.
    slopes_, intercepts_
        a_e and b_e of every line; a centre that no row is near to has the line of all rows.
    noise_variance_ : array (E,)
        Weighted mean square of the residuals around each line; `sample` draws with their blend.

    Examples
    --------
    >>> import numpy as np
    >>> from sumlearn import LocalRegression
    >>> x = np.linspace(0.0, 6.0, 61)[:, None]
    >>> y = np.sin(x[:, 0])
    >>> places = {"centres": [0.0, 1.5, 3.0, 4.5, 6.0], "width": 0.6}
    >>> odd, even = (LocalRegression(**places).fit(x[i::2], y[i::2]) for i in (0, 1))
    >>> both = odd + even
    >>> both.slopes_.round(2).ravel().tolist()
    [0.76, 0.03, -0.83, -0.2, 0.58]
    >>> print(f"{np.abs(both.predict(x) - y).max():.3f}")
    0.127

    References
    ----------
    Lecture note 000, section 2.4; Atkeson, Moore & Schaal, "Locally weighted learning", 1997; Stulp & Sigaud, "Many
    regression algorithms, one unified model", 2015.
    """

    description = Description(
        offers=(Offer("local", "local lines", 100, extra=True),),
        complexity=BY_FEATURES,
        parts=(LocalLines, PlacedSums, Places),
    )

    share = 0.5  # wider ones would make all lines alike

    def __init__(
        self,
        centres: Any = 10,
        width: Any = "auto",
        *,
        placing: str = "kmeans",
        domain: Any = None,
        normalise: bool = True,
        n_jobs: int | None = None,
    ) -> None:
        self.centres = centres
        self.width = width
        self.placing = placing
        self.domain = domain
        self.normalise = normalise
        self.n_jobs = n_jobs

    @property
    def form(self) -> str:
        return "separate"

    def lines(self, statistic: PlacedSums) -> LocalLines:
        E = len(statistic.centres)
        parts = [statistic.sums[e if e in statistic.sums.labels else ALL] for e in range(E)]
        found = [line_of(part) for part in parts]
        anchors, slopes, levels, noise = (np.stack(column) for column in zip(*found, strict=True))
        whitening = statistic.look.whitening
        return LocalLines(
            np.zeros(E), statistic.centres, whitening, anchors, slopes, levels, noise, bool(self.normalise)
        )


def line_of(moments: Moments) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Anchor, slopes, level there, and variance around the least-squares line of some moments."""
    d = moments.features
    anchor, level = moments.mean[:d], moments.mean[d:]
    slopes = least_squares(moments).coef
    residuals = residual_moments(moments, {"coef_": slopes, "centre": anchor, "level": level})
    return anchor, slopes, level, squared_errors(residuals) / moments.weight
