"""Inference on logistic regression, from the curvature of the log-likelihood at its maximum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import xlogy
from sklearn.exceptions import ConvergenceWarning

from ....statistics import Total
from ....statistics.warnings import warn
from ...inference import ESTIMABLE, Inference, WaldTest, parameter_names, with_gaps
from ...validation import term_name
from .information import Curvature, Scores

NEAR = 1e-4  # square of the distance from the maximum, in standard errors, above which it is none
PENALISED = (
    "With a penalty this is the normal approximation (Laplace) of the posterior whose prior is the penalty: standard "
    "errors and intervals are the posterior's, and there are no valid z or Wald tests. C=inf has them."
)


@dataclass(frozen=True, kw_only=True, eq=False)
class LogisticInference(Inference):
    """Inference on log-odds: of the second of two classes, or of every class against the first.

        V = I^-1,   I = sum_n s_n (diag p_n - p_n p_n') (x) x_n x_n'   (two classes: X'WX with w = s p (1 - p))

    With an L2 penalty V is the inverse of I plus its curvature. ln L0 is that of a model with an intercept alone.
    """

    null_likelihood: float

    @property
    def pseudo_r2(self) -> float:
        """McFadden's 1 - ln L / ln L0."""
        return 1.0 - self.likelihood / self.null_likelihood

    @property
    def likelihood_ratio_test(self) -> WaldTest:
        """All coefficients but the intercepts are zero: 2 (ln L - ln L0) is chi-squared."""
        from scipy.stats import chi2

        self.refuse_if_biased()
        if self.names[:1] != ("intercept",):
            raise ValueError("without an intercept the shares of the classes are no special case of the model")
        statistic = 2.0 * (self.likelihood - self.null_likelihood)
        degrees = round(self.parameters - len(self.groups or ("",)))
        return WaldTest(statistic, degrees, None, float(chi2.sf(statistic, degrees)))

    def facts(self) -> tuple[tuple[str, Any], ...]:
        facts = [("rows", self.weight), ("log-likelihood", self.likelihood), ("of shares alone", self.null_likelihood)]
        facts += [("pseudo R2", self.pseudo_r2), ("AIC", self.aic), ("BIC", self.bic)]
        if not self.biased and self.names[:1] == ("intercept",):
            test = self.likelihood_ratio_test
            facts.append(("chi-squared", f"{test.statistic:.5g} ({test.degrees}), p = {test.p_value:.3g}"))
        return tuple(facts)


@dataclass(frozen=True, eq=False)
class Layout:
    """Which parameters there are: a block of `size` for each output, the intercept first."""

    outputs: int
    size: int
    intercept: bool
    aliased: np.ndarray  # places in a block that depend on others

    @property
    def contrasts(self) -> np.ndarray:
        """D with D theta the parameters of every class less those of the first; of one output they stay."""
        if self.outputs == 1:
            return np.eye(self.size)
        others = self.outputs - 1
        return np.kron(np.column_stack([-np.ones(others), np.eye(others)]), np.eye(self.size))

    def determined(self, penalised: bool) -> np.ndarray:
        """Which parameters are free, when those that are fixed by convention are held at zero.

        The likelihood knows differences of classes only, so that the first is held; a penalty on the coefficients
        leaves a common shift of the intercepts.
        """
        free = np.ones((self.outputs, self.size), bool)
        if penalised:
            free[0, 0] = self.outputs == 1 or not self.intercept
        else:
            free[0] = self.outputs == 1
            free[:, self.aliased] = False
        return free.ravel()


def logistic_inference(model: Any, scores: Scores, total: Total, penalty: float) -> LogisticInference:
    """The inference of a fit from its curvature; `penalty` is 1 / C of an L2 penalty, zero without one."""
    curvature, intercept = Curvature.of(total, scores), scores.intercept
    dependent = () if penalty else getattr(model, "aliased_", ())
    layout = Layout(scores.outputs, scores.size, intercept, np.asarray(dependent, dtype=np.intp) + intercept)
    H = curvature.hessian
    null, blind = null_space(H[-1, :, -1, :], layout)
    H = H.reshape(layout.outputs * layout.size, -1)
    P = np.tile(np.append(np.zeros(int(intercept)), np.full(len(scores.origin), penalty)), layout.outputs)
    inverse = partial_inverse(H + np.diag(P), layout.determined(bool(penalty)))
    if inverse is None:
        raise ValueError("the curvature of the likelihood is singular: columns depend on each other; use a penalty")
    warn_if_no_maximum(curvature.gradient.ravel() + P * scores.parameters.ravel(), inverse)
    bound = partial_inverse(H, layout.determined(False)) if penalty else inverse
    groups = max(layout.outputs - 1, 1)
    natural = np.kron(np.eye(groups), natural_map(scores))
    L = natural @ layout.contrasts
    back = np.linalg.inv(natural)
    gaps = np.tile(blind, groups)
    weight = curvature.weight
    estimates = (L @ scores.parameters.ravel()).reshape(groups, -1)
    return LogisticInference(
        model=type(model).__name__,
        names=parameter_names([term_name(model, j) for j in range(len(scores.origin))], intercept),
        groups=() if layout.outputs == 1 else tuple(f"{label} / {scores.classes[0]}" for label in scores.classes[1:]),
        estimates=estimates[0] if layout.outputs == 1 else estimates,
        spread=L @ inverse @ L.T,
        blind=gaps,
        fisher_information=back.T @ H[-len(back) :, -len(back) :] @ back,
        cramer_rao=np.full_like(back, np.nan) if bound is None else with_gaps(L @ bound @ L.T, gaps),
        degrees=None,
        weight=total.weight,
        parameters=float((inverse * H).sum()),
        likelihood=-curvature.value,
        null=natural @ np.kron(np.eye(groups), null),
        biased=PENALISED if penalty else "",
        null_likelihood=float(xlogy(weight, weight / weight.sum()).sum()),
    )


def natural_map(scores: Scores) -> np.ndarray:
    """T with (intercept, b) = T (level at the centre, b)."""
    T = np.eye(scores.size)
    if scores.intercept:
        T[0, 1:] = -scores.origin
    return T


def partial_inverse(H: np.ndarray, free: np.ndarray) -> np.ndarray | None:
    """The inverse over the free parameters, zero elsewhere; None where there is none."""
    part = H[np.ix_(free, free)]
    scale = np.sqrt(np.maximum(part.diagonal(), 1e-300))
    out = np.zeros_like(H)
    try:
        unit = cho_solve(cho_factor(part / scale / scale[:, None]), np.eye(len(part)))
    except np.linalg.LinAlgError:
        return None
    out[np.ix_(free, free)] = unit / scale / scale[:, None]
    return out


def null_space(block: np.ndarray, layout: Layout) -> tuple[np.ndarray, np.ndarray]:
    """Directions of one output that no row sees, in columns, and which parameters have a share in one.

    A constant column is left out and its coefficient is zero, so that the intercept stays determined.
    """
    kept = np.ones(layout.size, bool)
    kept[layout.aliased] = False
    null = np.eye(layout.size)[:, layout.aliased]
    inverse = partial_inverse(block, kept)
    if inverse is None or not null.shape[1]:
        return null, ~kept
    null = null - inverse @ block[:, layout.aliased]
    scale = np.sqrt(block.diagonal())[:, None]
    shares = np.abs(null) * scale > ESTIMABLE * scale[layout.aliased, 0]
    shares[layout.aliased, np.arange(len(layout.aliased))] = True
    constant = shares.sum(axis=0) == 1 + shares[0]
    if layout.intercept:
        null[0, constant], shares[0, constant] = 0.0, False
    return null, shares.any(axis=1)


def warn_if_no_maximum(gradient: np.ndarray, inverse: np.ndarray) -> None:
    """Say so where the coefficients are not those of these rows: other rows, or a solver that was stopped."""
    distance = float(gradient @ inverse @ gradient)
    if distance > NEAR:
        warn(
            f"the likelihood of these rows is greatest {np.sqrt(distance):.2g} standard errors away from the "
            "coefficients: these are not the rows of the fit, or it did not converge",
            ConvergenceWarning,
        )
