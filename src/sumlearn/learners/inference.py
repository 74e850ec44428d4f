"""How sure a fit is: standard errors, intervals and tests from estimates and their covariance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .summary_table import SummaryTable

ESTIMABLE = 1e-7  # share of a parameter in a direction that the rows say nothing about, above which it is undetermined


@dataclass(frozen=True)
class WaldTest:
    """A test of R b = q: the statistic, its degrees of freedom (`residual` None: chi-squared), and p."""

    statistic: Any
    degrees: int
    residual: Any
    p_value: Any


@dataclass(frozen=True, kw_only=True, eq=False)
class Inference:
    """Estimates, their covariance, and what follows from both.

        se_j = sqrt(V_jj)     b_j -+ q se_j     t_j = b_j / se_j     W = (R b - q)'(R V R')^-1 (R b - q)

    The quantile q is Student's with `degrees` of freedom, or normal where that is None. Arrays have a row for each
    target or class where there are several. Parameters that the rows do not determine, because their columns depend on
    each other, have NaN in the covariance and in what follows from it.

    >>> from sumlearn import LinearRegression
    >>> found = LinearRegression().fit([[0.0], [1.0], [2.0], [3.0]], [1.0, 3.0, 5.0, 8.0]).inference()
    >>> found.names, found.p_values.round(4)
    (('intercept', 'x0'), array([0.1323, 0.0056]))
    """

    model: str
    names: tuple[str, ...]  # of the parameters, the intercept first
    groups: tuple[str, ...]  # targets, or classes against the first; empty where there is one
    estimates: np.ndarray
    spread: np.ndarray  # V, right for whatever the rows determine
    blind: np.ndarray  # which parameters they do not determine
    fisher_information: np.ndarray
    cramer_rao: np.ndarray
    degrees: Any
    weight: float  # rows, or the sum of their weights
    parameters: Any  # how many numbers were fitted; with a penalty, their effective number
    likelihood: Any  # the logarithm of the likelihood; None where the sums do not tell it
    null: np.ndarray  # directions of the parameters that the rows say nothing about, in columns
    biased: str = ""  # why tests would not be valid

    @property
    def covariance(self) -> np.ndarray:
        """V, with NaN where the rows do not determine a parameter."""
        return with_gaps(self.spread, self.blind)

    @property
    def standard_errors(self) -> np.ndarray:
        """Square roots of the variances."""
        return np.sqrt(np.diagonal(self.covariance, axis1=-2, axis2=-1)).reshape(self.estimates.shape)

    @property
    def t_values(self) -> np.ndarray:
        """Estimates in standard errors; where `degrees` is None, z values."""
        self.refuse_if_biased()
        b, error = self.estimates, self.standard_errors
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where((b == 0) & (error == 0), 0.0, b / error)

    @property
    def p_values(self) -> np.ndarray:
        """P(|t| at least as large, if the parameter is zero)."""
        from scipy.stats import norm, t

        values = np.abs(self.t_values)
        return 2.0 * (norm.sf(values) if self.degrees is None else t.sf(values, self.of_parameters(self.degrees)))

    @property
    def log_likelihood(self) -> Any:
        """ln P(y | x) at the estimates."""
        if self.likelihood is None:
            raise ValueError("the likelihood needs sum ln w of the precisions w, which the sums do not hold")
        return self.likelihood

    @property
    def aic(self) -> Any:
        """-2 ln L + 2 p; p counts coefficients and intercept, not the variance of the noise."""
        return -2.0 * self.log_likelihood + 2.0 * self.parameters

    @property
    def bic(self) -> Any:
        """-2 ln L + p ln N."""
        return -2.0 * self.log_likelihood + np.log(self.weight) * self.parameters

    def confidence_interval(self, level: float = 0.95) -> np.ndarray:
        """Lower and upper limit of every parameter along the last axis."""
        degrees = None if self.degrees is None else self.of_parameters(self.degrees)
        half = quantile(level, degrees) * self.standard_errors
        return np.stack([self.estimates - half, self.estimates + half], axis=-1)

    def wald_test(self, R: Any, q: Any = 0.0) -> WaldTest:
        """Test R b = q, all rows at once; R is a matrix, or names of parameters that are tested to be q.

        F(r, degrees) = W / r, or W ~ chi-squared with r degrees of freedom where `degrees` is None.
        """
        from scipy.stats import chi2, f

        self.refuse_if_biased()
        R = self.restrictions(R)
        used = (R != 0).any(axis=0)
        b, V = self.estimates.reshape(self.spread.shape[:-1]), self.spread[..., used, :][..., :, used]
        gap = b @ R.T - np.broadcast_to(np.asarray(q, dtype=float), len(R))
        spread = R[:, used] @ V @ R[:, used].T
        if not np.isfinite(spread).all():
            raise ValueError("R tests parameters whose covariance is not known")
        length = np.sqrt(np.diagonal(spread, axis1=-2, axis2=-1))
        if not (length > 0).all():
            raise ValueError("there is no noise, or a row of R is zero: nothing can be tested")
        gap, spread = gap / length, spread / length[..., :, None] / length[..., None, :]  # whatever units R has
        if np.min(np.linalg.matrix_rank(spread, tol=1e-10 * len(R), hermitian=True)) < len(R):
            raise ValueError("the rows of R are not independent")
        W = (gap * np.linalg.solve(spread, gap[..., None])[..., 0]).sum(axis=-1)
        if self.degrees is None:
            return WaldTest(plain(W), len(R), None, plain(chi2.sf(W, len(R))))
        return WaldTest(plain(W / len(R)), len(R), self.degrees, plain(f.sf(W / len(R), len(R), self.degrees)))

    def restrictions(self, R: Any) -> np.ndarray:
        """R as a matrix with a column for each parameter, refused where it asks for what the rows do not determine."""
        size = self.spread.shape[-1]
        asked = [R] if isinstance(R, str) else list(R)
        if asked and all(isinstance(name, str) for name in asked):
            unknown = [name for name in asked if name not in self.names]
            if unknown:
                raise ValueError(f"no parameter {unknown[0]!r}; there are {', '.join(self.names)}")
            places = [i for i in range(size) if self.names[i % len(self.names)] in asked]
            matrix = np.eye(size)[places]
        else:
            matrix = np.atleast_2d(np.asarray(R, dtype=float))
        if matrix.ndim != 2 or matrix.shape[1] != size or not len(matrix):
            raise ValueError(f"R must have {size} columns, one for each parameter, got shape {matrix.shape}")
        if not np.isfinite(matrix).all():
            raise ValueError(f"R must be finite, row {int(np.argmin(np.isfinite(matrix).all(axis=1)))} is not")
        blind = np.abs(matrix @ self.null) > ESTIMABLE * (np.abs(matrix) @ np.abs(self.null))
        if blind.any():
            raise ValueError(f"row {int(blind.any(axis=1).argmax())} of R tests what the rows do not determine")
        return matrix

    def facts(self) -> Any:
        """What stands above the table: pairs of a name and a value; the number of rows, unless it says more."""

    def summary(self, level: float = 0.95) -> SummaryTable:
        """Estimates, standard errors, tests and intervals: a table that prints as text, HTML, LaTeX or a data frame."""
        kind = "z" if self.degrees is None else "t"
        tests = {} if self.biased else {kind: self.t_values, "p": self.p_values}
        interval = self.confidence_interval(level)
        percent = f"{100 * level:g} %"
        shown = {"estimate": self.estimates, "std. error": self.standard_errors} | tests
        shown |= {f"lower {percent}": interval[..., 0], f"upper {percent}": interval[..., 1]}
        table = np.stack([*shown.values()], axis=-1).reshape(-1, len(shown))
        labels = [(group, name) for group in self.groups or ("",) for name in self.names]
        rows = tuple((group, name, tuple(map(float, v))) for (group, name), v in zip(labels, table, strict=True))
        return SummaryTable(self.model, (self.facts() or (("rows", self.weight),)), tuple(shown), rows, self.notes())

    def notes(self) -> tuple[str, ...]:
        undetermined = np.isnan(self.standard_errors).reshape(-1, len(self.names)).any(axis=0)
        names = ", ".join(name for name, blind in zip(self.names, undetermined, strict=True) if blind)
        gone = f"NA: the rows do not determine these parameters, columns depend on each other: {names}."
        return tuple(note for note in (gone if names else "", self.biased) if note)

    def refuse_if_biased(self) -> None:
        if self.biased:
            raise ValueError(self.biased)

    def of_parameters(self, values: Any) -> Any:
        """One number for each target, shaped to stand beside the parameters."""
        return np.asarray(values)[..., None]


def quantile(level: float, degrees: Any = None) -> Any:
    """The two-sided quantile of Student's distribution, or of the normal one."""
    from scipy.stats import norm, t

    if not (isinstance(level, int | float | np.number) and 0.0 < level < 1.0):
        raise ValueError(f"level must lie between 0 and 1, got {level!r}")
    tail = 0.5 * (1.0 - level)
    return norm.isf(tail) if degrees is None else t.isf(tail, degrees)


def with_gaps(matrix: np.ndarray, blind: np.ndarray) -> np.ndarray:
    """A covariance in which parameters that the rows do not determine have NaN."""
    return np.where(blind[..., :, None] | blind[..., None, :], np.nan, matrix)


def plain(value: Any) -> Any:
    """A number where there is one."""
    return float(value) if np.ndim(value) == 0 else value


def parameter_names(columns: Sequence[Any], intercept: bool) -> tuple[str, ...]:
    """Names of the parameters; columns without a name are called x0, x1, ..."""
    names = [f"x{name}" if isinstance(name, int) else str(name) for name in columns]
    return (*(["intercept"] if intercept else []), *names)
