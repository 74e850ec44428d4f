"""Kernel regression of Nadaraya and Watson."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from ...data import Chunk
from ...engines import total
from ...features.input_ranges import is_number, one_of, positive_numbers, whole_number
from ...statistics import Moments
from ..description import BY_FEATURES, Description, Offer
from ..fitted import Fitted, Later
from ..one_pass import OnePass
from ..sampling import with_noise
from ..validation import prediction_rows
from .parts.bandwidth import LeftOut, Search, in_units, left_out_rows, search
from .parts.kept_rows import KeptRows
from .parts.kernel_rows import KernelRows, KernelSums


class NadarayaWatson(RegressorMixin, OnePass):
    """The mean of the targets around a query, weighted by a Gaussian.

        f(q) = sum_i w_i K_i y_i / sum_i w_i K_i,   K_i = exp(-1/2 sum_j (q_j - x_ij)^2 / h_j^2)

    Numerator and denominator are sums over the rows, but other sums for every query: so the rows are kept. The
    bandwidths are chosen by leaving out one row at a time, exactly and without refits: f(x_i) without row i is the same
    quotient without the term i. One pass over the distances serves a whole grid of bandwidths, since the kernel of
    h / sqrt(2) is the square of that of h. Far from all rows f(q) is the target of the nearest one, never 0 / 0.

    Statistic: KeptRows, the different rows and their weights: what adds is a measure, and it grows with the rows. One
    pass. Can merge, forget, decay, restrict. Cost: summarise O(n d), solve O(n d) and for "loo" O(m n d) for m rows
    that are left out, predict O(n d) a query, less where blocks of rows are too far away to matter.

    Parameters
    ----------
    bandwidth : "loo", float or array (n_features,), default="loo"
        The h of the formula, one for all columns or one for each. "loo": the deviation of each column times the one
        factor that has the least squared leave-one-out error, on a grid of 1/8 of an octave. A column that does not
        vary is then left out (its bandwidth is infinite).
        A weight is a number of rows, of which one is left out: with weights of two and more the copies that stay tell
        the answer, and the narrowest factor wins. Weights that say how sure a row is need a bandwidth that is given.
    left_out : "auto", int or None, default="auto"
        How many rows are left out in turn to choose the bandwidth; the others stay in the sums. None: every one.
        "auto": every one as far as that makes 5 million pairs, else so many at equal steps, but at least 250.

    Attributes
    ----------
    bandwidth_ : array (n_features,)
        The h in use.
    loo_error_ : float
        With "loo": the mean squared leave-one-out error at `bandwidth_`, averaged over the targets.
    search_ : named tuple (factors, errors, by_target)
        With "loo": the factors that were tried, widest first; their errors in units of the variance of the targets,
        which decide; and the mean squared errors of each target.
    noise_variance_ : float or array (targets,)
        The mean squared leave-one-out error of each target; `sample` draws with it. Where the bandwidth is given,
        it is computed when it is asked for.

    Examples
    --------
    >>> import numpy as np
    >>> from sumlearn import NadarayaWatson
    >>> X, y = np.array([[0.0], [1.0], [2.0]]), np.array([0.0, 1.0, 4.0])
    >>> NadarayaWatson(bandwidth=1.0).fit(X, y).predict([[1.0], [1e6]])
    array([1.5481, 4.    ])
    >>> from sumlearn.data import load_example
    >>> rows = load_example("faithful").X
    >>> model = NadarayaWatson().fit(rows[:, :1], rows[:, 1])
    >>> print(f"{model.bandwidth_[0]:.3f} {model.loo_error_ ** 0.5:.3f}")
    0.261 5.683

    References
    ----------
    Lecture note 000, which prints the exponent without its minus; Nadaraya, "On estimating regression", 1964; Watson,
    "Smooth regression analysis", 1964; Bishop, "Pattern recognition and machine learning", 2006, section 6.3.1.
    """

    description = Description(
        offers=(Offer("kernel", "Nadaraya-Watson", 120, extra=True),),
        complexity=BY_FEATURES,
        parts=(KeptRows,),
        variants={"bandwidth": ("loo", 0.5, 40.0), "left_out": ("auto", None, 7)},
    )

    loo_error_ = Fitted("Mean squared leave-one-out error at the bandwidth chosen.")
    bandwidth_ = Fitted("Bandwidth of each column.")
    search_ = Fitted("Factors of the deviations that were tried, and their leave-one-out errors.")
    noise_variance_ = Later("left_out_variance", "Mean squared leave-one-out error of each target.")

    statistic_type = KeptRows
    many_targets = True

    def __init__(self, bandwidth: Any = "loo", *, left_out: Any = "auto") -> None:
        self.bandwidth = bandwidth
        self.left_out = left_out

    def summarise(self, chunk: Chunk, look: Any = None) -> KeptRows:
        return KeptRows.of(chunk.X, chunk.y, chunk.weight)

    def solution(self, statistic: KeptRows) -> dict[str, Any]:
        if not (self.left_out is None or is_number(self.left_out)):
            one_of(self.left_out, "left_out", ("auto",))
        elif self.left_out is not None:
            whole_number(self.left_out, "left_out", 1)
        moments = Moments.of(statistic.X, None, statistic.mass, form="diagonal")
        origin = moments.mean
        found: dict[str, Any] = {}
        if isinstance(self.bandwidth, str):
            one_of(self.bandwidth, "bandwidth", ("loo",))
            deviation = np.where(moments.deviation > 0, moments.deviation, np.inf)
            factor = 1.0
            if len(statistic.Z) > 1:
                Z = (statistic.X - origin) / deviation
                tried = search(Z, statistic.y, statistic.mass, left_out_rows(statistic.Z, self.left_out))
                factor = tried.factors[tried.best]
                found = self.searched(tried, statistic)
            bandwidth = factor * deviation
        else:
            bandwidth = given_bandwidth(self.bandwidth, statistic.features)
        rows_in_blocks = KernelRows.of(statistic.X, statistic.y, statistic.mass, origin, bandwidth)
        return found | {"bandwidth_": bandwidth, "kernel_rows": rows_in_blocks}

    def parameters_on(self, columns: np.ndarray, features: int) -> dict[str, Any] | None:
        if isinstance(self.bandwidth, str) or np.ndim(self.bandwidth) == 0:
            return None
        return {"bandwidth": given_bandwidth(self.bandwidth, features)[columns]}

    def searched(self, tried: Search, statistic: KeptRows) -> dict[str, Any]:
        """What the search tells, in the units of the targets."""
        variance = tried.by_target[tried.best]
        single = self.__dict__.get("_single_target", statistic.targets == 1)
        return {
            "search_": tried,
            "loo_error_": float(variance.mean()),
            "noise_variance_": float(variance[0]) if single else variance,
        }

    def predict(self, X: Any) -> np.ndarray:
        """The kernel-weighted mean of the targets at every row."""
        rows = self.rows_of(X)
        kernel_rows: KernelRows = self.solved()["kernel_rows"]
        return self.shaped(kernel_rows.sums_at(rows).means())

    def predict_over(self, queries: Any, X: Any, y: Any = None, sample_weight: Any = None) -> np.ndarray:
        """Predictions from rows that are not kept: one pass over X (files, Dask collections, arrays), in chunks.

        Needs a bandwidth given as numbers, and no fit. Here the two sums themselves are the statistic.

        >>> NadarayaWatson(bandwidth=1.0).predict_over([[1.0]], [[0.0], [1.0], [2.0]], [0.0, 1.0, 4.0])
        array([1.5481])
        """
        if isinstance(self.bandwidth, str):
            raise ValueError(f"predict_over needs the bandwidth as numbers, got bandwidth={self.bandwidth!r}")
        work = self.without_fit()
        source = work.open(X, y, sample_weight, reset=True)
        rows = prediction_rows(work, queries, sparse_ok=False).astype(np.float64)
        work.remember(source)
        bandwidth = given_bandwidth(self.bandwidth, source.features)
        sums: KernelSums = total(partial(kernel_sums, rows, bandwidth), source, factor=self.chunk_factor)
        return work.shaped(sums.means())

    def sample(self, X: Any, random_state: Any = None, *, n: int | None = None) -> np.ndarray:
        """Draw a target for every row from N(f(x), noise_variance_); with `n`, so many times, along the first axis."""
        return with_noise(self.predict(X), type(self).noise_variance_.of(self), random_state, n)

    def left_out_variance(self) -> Any:
        """Mean squared leave-one-out error of each target at the bandwidth in use."""
        rows: KeptRows = self.statistic_
        if len(rows.Z) < 2:
            raise ValueError("the noise is estimated by leaving out one row at a time, which needs two different rows")
        Z = (rows.X - self.solved()["kernel_rows"].origin) / self.bandwidth_
        left_out = LeftOut.of(Z, rows.y, rows.mass, left_out_rows(rows.Z, self.left_out))
        variance = in_units(left_out.errors(np.ones(1), 0)[0, 0], left_out.unit)
        return float(variance[0]) if self.__dict__.get("_single_target", len(variance) == 1) else variance

    def shaped(self, means: np.ndarray) -> np.ndarray:
        single = self.__dict__.get("_single_target", means.shape[1] == 1)
        return (means[:, 0] if single else means).astype(self.float_dtype)


def kernel_sums(queries: np.ndarray, bandwidth: np.ndarray, chunk: Chunk) -> KernelSums:
    """The kernel sums of some rows, for every query."""
    rows = KeptRows.of(chunk.X, chunk.y, chunk.weight)
    if not rows.count:
        return KernelSums(np.full(len(queries), -np.inf), np.zeros((len(queries), rows.targets + 1)), 0.0, 0)
    return KernelRows.of(rows.X, rows.y, rows.mass, rows.X[0], bandwidth).sums_at(queries)


def given_bandwidth(bandwidth: Any, features: int) -> np.ndarray:
    """One positive number for each column."""
    found = positive_numbers(bandwidth, "bandwidth")
    if found.shape not in ((), (features,)):
        raise ValueError(f"bandwidth must be one number or one for each of {features} columns, got shape {found.shape}")
    return np.full(features, found)
