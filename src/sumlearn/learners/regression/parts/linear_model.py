"""What least squares and ridge share: the statistic, predictions, and what the residuals tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.base import RegressorMixin

from ....engines import one_blas_thread
from ....solvers.normal_equations import LinearSolution, least_squares
from ....statistics import Moments, in_words
from ....statistics.warnings import warn
from ...fitted import Fitted, Later
from ...inference import WaldTest
from ...inferred import InferenceMixin, Inferred
from ...linear_map import affine, in_type_of, is_far
from ...precision import AtPrecision
from ...validation import term_name
from .inference import LinearInference, linear_inference

if TYPE_CHECKING:
    from .influence import Influence


class LinearModel(InferenceMixin, RegressorMixin):
    """f(x) = b'x + b0, with b from the moments of (x, y); for one-pass learners."""

    many_targets = True
    statistic_type: Any = AtPrecision(Moments)
    single_out: ClassVar[bool] = False  # whether float32 rows get float32 answers although all is float64 inside
    fit_intercept: bool
    statistic_: Moments
    solved: Any  # of the learner
    in_blocks: Any
    float_dtype: Any

    coef_ = Fitted("Coefficients b, (features,) or (targets, features).")
    intercept_ = Fitted("Intercept b0, a number or (targets,).")
    rank_ = Fitted("Number of independent columns, as far as the sums can tell.")
    condition_ = Later("_condition", "Condition number of the columns, about their mean and scaled to unit length.")
    aliased_ = Fitted("Indices of columns that are combinations of earlier ones, or constant.")
    digits_ = Fitted("Decimal digits of the coefficients that rounding leaves.")
    noise_precision_ = Fitted("Maximum-likelihood precision of the noise, beta = N / RSS.")
    log_likelihood_ = Fitted("Log-likelihood of the training rows under N(f(x), 1 / beta).")
    noise_variance_ = Inferred("Unbiased variance of the noise, s2 = RSS / (N - p).")
    r2_ = Inferred("Share of the variance of the training rows that is explained, 1 - RSS / TSS.")
    adjusted_r2_ = Inferred("1 - (1 - R2) (N - 1) / (N - p).")
    variance_inflation_ = Inferred("1 / (1 - R_j^2) for each column; infinite where it depends on others.")

    def regression(self, statistic: Moments, alpha: Any) -> dict[str, Any]:
        """Fitted attributes by name; `alpha` is the penalty of each target."""
        if statistic.targets == 0:
            raise ValueError(f"{type(self).__name__} needs moments of (x, y); these have no target")
        found = least_squares(
            statistic, alpha, intercept=self.fit_intercept, nonnegative=bool(getattr(self, "positive", False))
        )
        self._warn(found, statistic, penalised=bool(np.all(np.asarray(alpha) > 0)))
        single = self.__dict__.get("_single_target", statistic.targets == 1)
        coef, intercept = found.coef.astype(self.float_dtype), found.intercept.astype(self.float_dtype)
        column = self.__dict__.get("_column_target", False)  # (1,) is then scikit-learn's shape of the intercept
        d = statistic.features
        mean, deviation = statistic.mean, statistic.deviation
        far = self.fit_intercept and is_far(mean[:d], deviation[:d])
        rest = statistic.mean_rest
        level = mean[d:] + (rest[d:] - found.coef @ rest[:d])
        solution: dict[str, Any] = {
            "coef_": coef[0] if single else coef,
            "intercept_": (intercept[0] if single and not column else intercept) if self.fit_intercept else 0.0,
            "rank_": found.rank,
            "system": found,
            "aliased_": found.aliased,
            "digits_": found.digits,
            "centre": mean[:d] if far else None,
            "level": level[0] if single else level,
            "parameters": np.column_stack([found.intercept, found.coef]) if self.fit_intercept else found.coef,
            "alpha": alpha,
            "inferences": {},  # by the meaning of the weights, when they are asked for
        }
        return solution | self.likelihood(statistic, solution, single)

    def likelihood(self, statistic: Moments, solution: dict[str, Any], single: bool) -> dict[str, Any]:
        """beta = N / RSS and ln p(y | x) = N/2 (ln beta - ln 2 pi) - beta RSS / 2, N the sum of the weights."""
        N = statistic.weight
        errors = squared_errors(residual_moments(statistic, solution))
        with np.errstate(divide="ignore"):
            beta = N / errors
            log = 0.5 * N * (np.log(beta) - np.log(2.0 * np.pi) - 1.0)
        return {
            "noise_precision_": float(beta[0]) if single else beta,
            "log_likelihood_": float(log[0]) if single else log,
        }

    def predict(self, X: Any) -> np.ndarray:
        """b'x + b0 for every row."""
        plane = self.plane()
        values = self.in_blocks(X, lambda rows: affine(rows, *plane), sparse_ok=True)
        return in_type_of(X, values) if self.single_out else values

    def plane(self) -> tuple[Any, ...]:
        """Coefficients and intercept, centre and level: x -> f(x)."""
        solution = self.solved()
        return solution["coef_"].T, solution["intercept_"], solution["centre"], solution["level"]

    # -- how sure it is -----------------------------------------------------------------------------------------------

    def inference(self, weights: str = "frequency", covariance: Any = None) -> LinearInference:
        """Standard errors, intervals and tests, from the sums alone.

        `weights` says what `sample_weight` was: a number of rows ("frequency"), so that N is its sum, or the precision
        1 / variance of a measurement, up to a factor ("precision"), so that N is the number of rows. `covariance` is
        taken in the place of the model's own, such as that of `robust_covariance`.
        """
        known = self.solved()["inferences"]
        if covariance is None and weights in known:
            return known[weights]
        with one_blas_thread():  # its threads spin at the barriers of small products
            found = linear_inference(self, weights, covariance)
        return known.setdefault(weights, found) if covariance is None else found

    def f_test(self, R: Any = None, q: Any = 0.0) -> WaldTest:
        """F test of R b = q (see `wald_test`); without R, that all coefficients but the intercept are zero.

        >>> from sumlearn import LinearRegression
        >>> model = LinearRegression().fit([[0.0], [1.0], [2.0], [3.0]], [1.0, 3.0, 5.0, 8.0])
        >>> test = model.f_test([0.0, 1.0], 2.0)  # is the slope 2?
        >>> round(test.statistic, 6), round(test.p_value, 4)
        (3.0, 0.2254)
        """
        return self.inference().f_test if R is None else self.wald_test(R, q)

    def predict_interval(
        self, X: Any, level: float = 0.95, kind: str = "mean", weights: str = "frequency"
    ) -> np.ndarray:
        """Limits of f(x) for every row ("mean"), or of a new target there ("new"): (rows, 2), or (rows, targets, 2).

            f(x) -+ t s sqrt(h),   h = 1/W + (x - m)'S^-1 (x - m);    for a new target sqrt(1 + h)

        The limits are infinite where columns depend on each other in the rows of the fit, but not in this one.

        >>> from sumlearn import LinearRegression
        >>> model = LinearRegression().fit([[0.0], [1.0], [2.0], [3.0]], [1.0, 3.0, 5.0, 8.0])
        >>> model.predict_interval([[4.0]], kind="new").round(3)
        array([[ 7.365, 12.635]])
        """
        from .intervals import predict_interval

        return predict_interval(self, X, level, kind, weights)

    def sample(self, X: Any, random_state: Any = None, *, n: int | None = None) -> np.ndarray:
        """Draw a target for every row from N(f(x), 1 / beta), the distribution that was fitted.

        With `n`, so many draws: (n, rows), or (n, rows, targets).
        """
        from .intervals import sample

        return sample(self, X, random_state, n)

    def robust_covariance(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, kind: str = "HC3", weights: str = "frequency"
    ) -> np.ndarray:
        """Covariance of the estimates that is right also where the noise varies from row to row.

            (X'X)^-1 (sum_n c_n e_n^2 x_n x_n') (X'X)^-1
            HC0: c = 1    HC1: c = N / (N - p)    HC2: c = 1 / (1 - h_n)    HC3: c = 1 / (1 - h_n)^2

        X, y and weights are those of the fit; they are read once, files and Dask collections chunk by chunk. Give it
        to `inference(covariance=...)` for standard errors, tests and a summary.

        >>> from sumlearn import LinearRegression
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [1.0, 3.0, 5.0, 8.0]
        >>> model = LinearRegression().fit(X, y)
        >>> np.sqrt(model.robust_covariance(X, y).diagonal()).round(4)
        array([0.5141, 0.3653])
        """
        from .robust import robust_covariance

        return robust_covariance(self, X, y, sample_weight, kind, weights)

    def influence(self, X: Any, y: Any = None, sample_weight: Any = None, *, weights: str = "frequency") -> Influence:
        """Leverage, residuals, studentised residuals and Cook's distance of the rows of the fit, in one more pass."""
        from .influence import influence

        return influence(self, X, y, sample_weight, weights)

    def _condition(self) -> float:
        """Largest over smallest singular value of the scaled columns, when it is asked for."""
        return self.solved()["system"].condition

    def residual_moments(self, moments: Moments) -> Moments:
        """Moments of y - f(x), from the moments of (x, y) of any rows: squared errors without the rows."""
        return residual_moments(moments, self.solved())

    def _warn(self, found: LinearSolution, statistic: Moments, penalised: bool) -> None:
        if penalised:
            return
        text = ""
        if len(found.aliased) and statistic.weight > statistic.features:
            names = ", ".join(str(term_name(self, int(j))) for j in found.aliased[:5])
            text = (
                f"rank {found.rank} of {statistic.features}: column(s) {names}"
                f"{', ...' if len(found.aliased) > 5 else ''} are constant or combinations of others; "
                "the solution of least norm is returned"
            )
        elif found.hidden:
            text = (
                f"rows that were forgotten have left rounding in the sums, which hides {found.hidden} of the columns: "
                "predictions may differ from those of a fit on the rows that stay; fit these anew, or use Ridge"
            )
        elif found.digits < 3:
            text = f"the columns are so nearly dependent that {found.digits:.1f} digits of the coefficients are left"
        if text:
            warn(text)


def residual_moments(moments: Moments, solution: dict[str, Any]) -> Moments:
    moments, coef = in_words(moments), np.atleast_2d(solution["coef_"]).astype(float)
    A = np.vstack([-coef.T, np.eye(moments.targets)])
    if solution["centre"] is not None:  # y - f(x) = (y - level) - b'(x - centre)
        return moments.shift(-np.append(solution["centre"], solution["level"])).project(A)
    return moments.project(A).shift(-np.broadcast_to(solution["intercept_"], (moments.targets,)))


def squared_errors(residuals: Moments) -> np.ndarray:
    """Sum of w r^2 for each target."""
    mean = residuals.mean
    return np.maximum(residuals.squares + residuals.weight * mean**2, 0.0)
