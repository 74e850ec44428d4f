"""Local polynomials around every query: lowess and loess."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from ...compiled import local_curve
from ...compiled import local_polynomial as kernels
from ...data import Chunk
from ...engines import in_threads, one_blas_thread
from ...features.input_ranges import is_number, whole_number
from ...statistics import Moments
from ..description import Description
from ..fitted import Fitted, Later
from ..one_pass import OnePass
from ..sampling import with_noise
from .parts.bandwidth import left_out_rows
from .parts.kept_rows import KeptRows
from .parts.kernel_rows import writable

BATCH = 2**20  # weights of rows for queries that a thread holds at a time
QUERIES = 256  # of one column, at a time
ALMOST = 1.0 - 1e-10  # of the weight asked for, so that rounding does not ask for one row more


class Loess(RegressorMixin, OnePass):
    """A polynomial fitted anew around every query, to the rows near it (locally weighted scatterplot smoothing).

        f(q) = b_0 of argmin_b sum_i w_i r_i (1 - (|x_i - q| / h)^3)^3 (y_i - b'phi(x_i - q))^2,   |x_i - q| < h(q)

    phi are all monomials up to `degree`, and h(q) is the distance within which the share `span` of the weight lies.
    Robust iterations (Cleveland 1979) fit the rows themselves, and set r_i = (1 - (e_i / 6 m)^2)^2, zero beyond, for
    the residuals e_i and their median size m.

    Statistic: KeptRows, the different rows and their weights: what adds is a measure, and it grows with the rows. One
    pass. Can merge, forget, decay, restrict. Cost for p = C(d + degree, degree): summarise O(n d), predict
    O(n (d + span p^2)) a query, solve as much for every row in each robust iteration.

    Parameters
    ----------
    span : float, default=2/3
        Share of the weight of all rows that a neighbourhood holds, in (0, 1]. Of n rows these are span * n, rounded up
        (statsmodels rounds down).
    bandwidth : float or None, default=None
        A fixed h in the place of `span`; in standard deviations if `standardise` is set. Where no row is that near, the
        nearest ones are averaged.
    degree : 0, 1 or 2, default=1
        Local means, lines (planes) or parabolas with all products.
    robust_iterations : int, default=0
        How often the residuals decide about weights; 3 or 4 resist outliers.
    standardise : bool, default=True
        Measure distances in standard deviations of each column; of one column it changes nothing but the unit of
        `bandwidth`.

    Attributes
    ----------
    robust_weights_ : array (rows,) or (rows, targets)
        r_i of the different rows, in the order of ``statistic_.Z``; one without robust iterations.
    noise_variance_ : float or array (targets,)
        sum w r e^2 / sum w r (1 - l) over the rows, l being what a row counts in its own fit; `sample` draws with it.
        Computed when it is asked for, of large tables from some of the rows (as NadarayaWatson's "auto").

    Examples
    --------
    >>> import numpy as np
    >>> from sumlearn import Loess
    >>> x = np.arange(20.0)[:, None]
    >>> y = np.where(x[:, 0] == 7, 100.0, 2 * x[:, 0] + 1)
    >>> for iterations in (0, 1, 2):
    ...     print(f"{Loess(0.5, robust_iterations=iterations).fit(x, y).predict([[8.0]])[0]:.2f}")
    31.33
    17.00
    17.00

    References
    ----------
    Cleveland, "Robust locally weighted regression and smoothing scatterplots", 1979; Cleveland & Devlin, "Locally
    weighted regression", 1988; lecture note 000, section 2.4.
    """

    description = Description(
        parts=(KeptRows,),
        variants={
            "bandwidth": (None, 0.7),
            "degree": (0, 1, 2),
            "robust_iterations": (0, 1),
            "span": (0.3, 2 / 3, 1.0),
        },
    )

    robust_weights_ = Fitted("Robust weight of every different row.")
    noise_variance_ = Later("residual_variance", "Variance of the targets around the local polynomials.")

    statistic_type = KeptRows
    many_targets = True

    def __init__(
        self,
        span: float = 2 / 3,
        *,
        bandwidth: float | None = None,
        degree: int = 1,
        robust_iterations: int = 0,
        standardise: bool = True,
    ) -> None:
        self.span = span
        self.bandwidth = bandwidth
        self.degree = degree
        self.robust_iterations = robust_iterations
        self.standardise = standardise

    def summarise(self, chunk: Chunk, look: Any = None) -> KeptRows:
        return KeptRows.of(chunk.X, chunk.y, chunk.weight)

    def solution(self, statistic: KeptRows) -> dict[str, Any]:
        self.check_parameters()
        moments = Moments.of(statistic.X, None, statistic.mass, form="diagonal")
        deviation = moments.deviation
        if not self.standardise:  # one power of two for all columns: squares stay in range, and nothing is rounded
            deviation = np.where(deviation > 0, 2.0 ** np.frexp(deviation.max())[1], 0.0)
        scale = np.where(deviation > 0, deviation, np.inf)
        unit = 2.0 ** np.frexp(statistic.mass.max())[1]  # products of weights stay in range
        level = np.average(statistic.y, axis=0, weights=statistic.mass / unit)
        found = {
            "origin": moments.mean,
            "scale": scale,
            "level": level,
            "points": np.array(((statistic.X - moments.mean) / scale).T, order="C"),
            "values": np.array((statistic.y - level).T, order="C"),
            "mass": statistic.mass / unit,
            "unit": np.array(unit),
            "order": np.argsort(statistic.X[:, 0], kind="stable") if statistic.features == 1 else np.empty(0, np.intp),
        }
        robust = np.stack([self.robust_weights(found, t) for t in range(statistic.targets)])
        single = self.__dict__.get("_single_target", statistic.targets == 1)
        return found | {"robust": robust, "robust_weights_": robust[0] if single else robust.T}

    def check_parameters(self) -> None:
        if not is_number(self.span) or not 0.0 < self.span <= 1.0:
            raise ValueError(f"span must be in (0, 1], got {self.span!r}")
        if self.bandwidth is not None and (not is_number(self.bandwidth) or not 0.0 < self.bandwidth < np.inf):
            raise ValueError(f"bandwidth must be positive, or None, got {self.bandwidth!r}")
        if whole_number(self.degree, "degree", 0) > 2:
            raise ValueError(f"degree must be 0, 1 or 2, got {self.degree!r}")
        whole_number(self.robust_iterations, "robust_iterations", 0)

    def robust_weights(self, rows: dict[str, Any], target: int) -> np.ndarray:
        """r_i for one of the targets."""
        mass, values = rows["mass"], rows["values"][target : target + 1]
        robust = np.ones(len(mass))
        for _ in range(self.robust_iterations):
            fitted = self.fits(rows, rows["points"].T, values, robust)[0][:, 0]
            robust = bisquare(np.abs(values[0] - fitted), mass)
        return robust

    def fits(
        self, rows: dict[str, Any], queries: np.ndarray, values: np.ndarray, robust: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Local polynomials at points in the coordinates of the rows, in threads over batches of them.

        And what a row of weight one at each point would count in them.
        """
        out, queries = np.empty((len(queries), len(values) + 1)), np.ascontiguousarray(queries)
        bandwidth = 0.0 if self.bandwidth is None else float(self.bandwidth)
        if not self.standardise:
            bandwidth /= float(rows["scale"].min(initial=np.inf)) if np.isfinite(rows["scale"]).any() else 1.0
        wanted = ALMOST * float(self.span) * float(rows["mass"].sum())
        done = np.zeros(len(queries), dtype=bool)
        if queries.shape[1] == 1:
            self.curves(rows, values, robust, queries[:, 0], wanted, bandwidth, out, done)
        if not done.all():
            out[~done] = self.surfaces(rows, values, robust, queries[~done], wanted, bandwidth)
        return out[:, :-1], out[:, -1]

    def curves(
        self, rows: dict[str, Any], values: np.ndarray, robust: np.ndarray, queries: np.ndarray, wanted: float,
        bandwidth: float, out: np.ndarray, done: np.ndarray,
    ) -> None:  # fmt: skip
        """Fits in one column, whose rows are sorted; what has no neighbours is not done."""
        order = rows["order"]
        x, mass = rows["points"][0, order], rows["mass"][order]
        given = x, np.ascontiguousarray(values[:, order]), mass, robust[order], np.append(0.0, np.cumsum(mass))

        def batch(start: int) -> None:
            part = slice(start, start + QUERIES)
            local_curve.curves(*given, queries[part], wanted, bandwidth, int(self.degree), out[part], done[part])

        in_threads(batch, range(0, len(queries), QUERIES))

    def surfaces(
        self, rows: dict[str, Any], values: np.ndarray, robust: np.ndarray, queries: np.ndarray, wanted: float,
        bandwidth: float,
    ) -> np.ndarray:  # fmt: skip
        """Fits in any number of columns, a batch of queries with the weights of all rows at a time."""
        degree, columns = int(self.degree), sums_of_columns(rows["points"], values, int(self.degree))
        reach = float((rows["points"] ** 2).sum(axis=0).max())
        size = int(np.clip(BATCH // rows["points"].shape[1], 1, 64))
        out = np.empty((len(queries), len(values) + 1))

        def batch(start: int) -> None:
            part = slice(start, start + size)
            some, found = queries[part], out[part]
            weights, radii = np.empty((len(some), len(robust))), np.empty(len(some))
            kernels.neighbourhoods(rows["points"], rows["mass"], robust, some, wanted, bandwidth, weights, radii)
            done = np.zeros(len(some), dtype=bool)
            if degree < 2:
                kernels.planes(weights @ columns, some, radii, degree, reach, found, done)
            if not done.all():
                rest = np.empty((int((~done).sum()), len(values) + 1))
                kernels.polynomials(rows["points"], values, weights[~done], radii[~done], some[~done], degree, rest)
                found[~done] = rest

        with one_blas_thread():
            in_threads(batch, range(0, len(queries), size))
        return out

    def predict(self, X: Any) -> np.ndarray:
        """The value of the local polynomial at every row."""
        X = self.rows_of(X)
        rows = self.kept()
        with np.errstate(over="ignore"):
            queries = np.clip((X - rows["origin"]) / rows["scale"], -1e100, 1e100)
        if self.robust_iterations:
            targets = range(len(rows["values"]))
            fits = [self.fits(rows, queries, rows["values"][t : t + 1], rows["robust"][t])[0][:, 0] for t in targets]
            found = np.stack(fits, axis=1)
        else:
            found = self.fits(rows, queries, rows["values"], np.ones(len(rows["mass"])))[0]
        single = self.__dict__.get("_single_target", found.shape[1] == 1)
        found = found + rows["level"]
        return (found[:, 0] if single else found).astype(self.float_dtype)

    def sample(self, X: Any, random_state: Any = None, *, n: int | None = None) -> np.ndarray:
        """Draw a target for every row from N(f(x), noise_variance_); with `n`, so many times, along the first axis."""
        return with_noise(self.predict(X), type(self).noise_variance_.of(self), random_state, n)

    def residual_variance(self) -> Any:
        """sum w r e^2 / sum w r (1 - l) for every target."""
        rows, found = self.kept(), []
        some = left_out_rows(self.statistic_.Z, "auto")
        for values, robust in zip(rows["values"], rows["robust"], strict=True):
            fitted, share = self.fits(rows, rows["points"].T[some], values[None], robust)
            weight = (rows["mass"] * robust)[some]
            degrees = (weight * (1.0 - robust[some] * share / rows["unit"])).sum()
            if degrees <= 1e-9 * weight.sum():
                raise ValueError("every row is fitted exactly: there are no degrees of freedom for the noise")
            with np.errstate(over="ignore"):  # `sample` refuses it
                found.append(float((weight * (values[some] - fitted[:, 0]) ** 2).sum() / degrees))
        return found[0] if self.__dict__.get("_single_target", len(found) == 1) else np.array(found)

    def kept(self) -> dict[str, Any]:
        """The solution, with arrays that the compiled loops take."""
        return {name: writable(value) for name, value in self.solved().items() if isinstance(value, np.ndarray)}


def sums_of_columns(points: np.ndarray, values: np.ndarray, degree: int) -> np.ndarray:
    """1, y, x, x y and x x' of every row, (rows, sums): weighted sums of them are all that a local plane needs."""
    d, n = points.shape
    products = [values]
    if degree == 1:
        products += [points, *(points[j] * values for j in range(d)), *(points[j] * points[j:] for j in range(d))]
    return np.concatenate([np.ones((1, n)), *products]).T


def bisquare(sizes: np.ndarray, mass: np.ndarray) -> np.ndarray:
    """(1 - (e / 6 m)^2)^2 within 6 m, else zero, for the weighted median m of the sizes e; m = 0 trusts exact fits."""
    median = weighted_median(sizes, mass)
    share = np.where(sizes > 0, 1.0, 0.0) if median == 0 else np.minimum(sizes / (6.0 * median), 1.0)
    return (1.0 - share**2) ** 2


def weighted_median(values: np.ndarray, mass: np.ndarray) -> float:
    """The middle value, or the mean of the two middle ones, where a weight of k is k values."""
    order = np.argsort(values, kind="stable")
    reach = np.cumsum(mass[order])
    half, room = 0.5 * reach[-1], 1e-12 * reach[-1]
    low = int(np.searchsorted(reach, half - room))
    high = int(np.searchsorted(reach, half + room))
    return float(0.5 * (values[order[low]] + values[order[min(high, len(order) - 1)]]))
