"""The unified model of local regressions."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ...features import RadialBasis
from ...features.input_ranges import is_number
from ...solvers.normal_equations import least_squares
from ..description import PENALTY, Description, Offer, Tuning
from ..one_pass import OnePass
from ..regression.parts.linear_model import LinearModel, residual_moments, squared_errors
from .local_regression import LocalRegression
from .parts.from_mixture import lines_of_mixture
from .parts.lines import LocalLines
from .parts.placed_lines import PlacedLines
from .parts.placed_sums import ALL, PlacedSums
from .parts.places import Places


class UnifiedModel(PlacedLines, OnePass):
    """Lines under Gaussians, the form of linear regression, weighted least squares, RBF networks, LWR and mixtures.

        f(x) = sum_e Phi_e(x) (a_e'x + b_e),   Phi_e(x) = exp(-1/2 (x - mu_e)'S_e^-1 (x - mu_e)) [/ sum of these]

    Fitted by itself, all a_e and b_e are found together, by one least squares: it is linear in them. The other models
    are this one with other Gaussians or another way to the lines, and can be written as one:

    - `from_linear_model`: one line under a Gaussian of infinite width; with weights, weighted least squares;
    - `from_radial_basis`: a_e = 0, b_e the weight of bump e, not normalised (an RBF network);
    - `from_local_regression`: every line fitted by itself to its neighbourhood (LWR);
    - `from_gaussian_mixture`: E[y | x] under a mixture of Gaussians of (x, y) (GMR).

    Statistic: moments of (psi(x), y) with psi = (Phi_e, Phi_e (x - mu_e) / s_e) over all e, and the centres. One pass,
    and one before it where rows place the centres. Can merge, forget and decay, where the centres are the same. Cost
    for M = E (d + 1): summarise O(n M^2), solve O(M^3), predict O(n E d). A model made of another one has no sums.

    Parameters
    ----------
    centres, width, placing, domain
        As in LocalRegression; ``width="auto"`` is the whole distance here, since the lines are found together.
    normalise : bool, default=True
        Divide by the sum of the Gaussians.
    alpha : float, default=0.0
        Penalty on the squares of b_e and s_e a_e, the lines in units of the width; not negative.
    n_jobs : int or None, default=None
        Threads for the pass; None takes all processors.

    Attributes
    ----------
    centres_, widths_, slopes_, intercepts_
        As in LocalRegression.
    noise_variance_ : array (E,)
        Mean square of the residuals, the same for all lines.

    Examples
    --------
    >>> import numpy as np
    >>> from sumlearn import LinearRegression, LocalRegression, UnifiedModel
    >>> x = np.linspace(0.0, 6.0, 61)[:, None]
    >>> y = np.sin(x[:, 0])
    >>> places = {"centres": [0.0, 1.5, 3.0, 4.5, 6.0], "width": 0.6}
    >>> together, apart = UnifiedModel(**places).fit(x, y), LocalRegression(**places).fit(x, y)
    >>> print(f"{np.abs(together.predict(x) - y).max():.4f} {np.abs(apart.predict(x) - y).max():.4f}")
    0.0299 0.1271
    >>> line = LinearRegression().fit(x, y)
    >>> UnifiedModel.from_linear_model(line).predict([[2.0]]) - line.predict([[2.0]])
    array([0.])

    References
    ----------
    Lecture note 000, section 2.4; Stulp & Sigaud, "Many regression algorithms, one unified model", 2015; Ghahramani &
    Jordan, "Supervised learning from incomplete data via an EM approach", 1994 (mixtures).
    """

    description = Description(
        offers=(
            Offer("unified", "local lines, fitted together", 110, tuning=Tuning("alpha", (0.01, 0.1, 1.0)), extra=True),
        ),
        complexity=PENALTY,
        parts=(LocalLines, PlacedSums, Places),
    )

    given_: LocalLines

    def __init__(
        self,
        centres: Any = 10,
        width: Any = "auto",
        *,
        placing: str = "kmeans",
        domain: Any = None,
        normalise: bool = True,
        alpha: float = 0.0,
        n_jobs: int | None = None,
    ) -> None:
        self.centres = centres
        self.width = width
        self.placing = placing
        self.domain = domain
        self.normalise = normalise
        self.alpha = alpha
        self.n_jobs = n_jobs

    @property
    def statistic_type(self) -> Any:
        return None if "given_" in self.__dict__ else PlacedSums  # made of another model, it has no sums

    @property
    def form(self) -> str:
        return "normalised" if self.normalise else "joint"

    def lines(self, statistic: PlacedSums) -> LocalLines:
        if not is_number(self.alpha) or not 0.0 <= self.alpha < np.inf:
            raise ValueError(f"alpha must be finite and not negative, got {self.alpha!r}")
        moments = statistic.sums[ALL]
        coef = least_squares(moments, float(self.alpha), intercept=False).coef
        residuals = residual_moments(moments, {"coef_": coef, "centre": None, "intercept_": 0.0})
        variance = squared_errors(residuals) / moments.weight
        E, d = statistic.centres.shape
        parts = coef.reshape(moments.targets, E, d + 1).transpose(1, 0, 2)
        whitening = statistic.look.whitening
        inner, levels = parts[:, :, 1:], parts[:, :, 0]
        slopes = inner * whitening[:, None, :] if whitening.ndim == 2 else inner @ whitening.transpose(0, 2, 1)
        noise = np.broadcast_to(variance, levels.shape)
        return LocalLines(
            np.zeros(E), statistic.centres, whitening, statistic.centres, slopes, levels, noise, bool(self.normalise)
        )

    # -- other models as this one -------------------------------------------------------------------------------------

    @classmethod
    def from_linear_model(cls, model: LinearModel) -> Self:
        """A line without bounds: LinearRegression or Ridge, whatever the weights of the rows were."""
        check_is_fitted(model)
        if getattr(model, "basis_", None) is not None:
            raise ValueError("the model is linear in a basis, not in x: of a RadialBasis, use from_radial_basis")
        centre, slopes, level, noise = parts_of(model)
        one = np.zeros((1, slopes.shape[1]))
        levels, shares = level[None], noise[None]
        lines = LocalLines(np.zeros(1), one, one, centre[None], slopes[None], levels, shares, normalised=False)
        return cls.made_of(lines, model)

    @classmethod
    def from_radial_basis(cls, model: LinearModel) -> Self:
        """Bumps: RBFNetwork, or LinearRegression or Ridge with ``basis=RadialBasis(...)``.

        The intercept is one more line, without bounds.
        """
        check_is_fitted(model)
        basis = getattr(model, "basis_", None)
        if not isinstance(basis, RadialBasis) or basis.bias:
            raise ValueError("the model has no RadialBasis without bias as its basis")
        centre, heights, level, noise = parts_of(model)
        M, d = basis.centres_.shape
        T = len(level)
        centres, whitening = np.vstack([basis.centres_, basis.centres_[:1]]), np.zeros((M + 1, d))
        whitening[:M] = 1.0 / basis.widths_[:, None]
        levels = np.vstack([heights.T, level - heights @ centre])
        shares = np.broadcast_to(noise, levels.shape)
        lines = LocalLines(
            np.zeros(M + 1), centres, whitening, centres, np.zeros((M + 1, T, d)), levels, shares, normalised=False
        )
        return cls.made_of(lines, model)

    @classmethod
    def from_local_regression(cls, model: LocalRegression) -> Self:
        """The lines of a LocalRegression."""
        check_is_fitted(model)
        return cls.made_of(model.solved()["lines"], model)

    @classmethod
    def from_gaussian_mixture(cls, mixture: Any, targets: int = 1) -> Self:
        """The regression of the last `targets` columns on the others, under a mixture that was fitted to (x, y).

        `mixture` has `weights_`, `means_`, `covariances_` and `covariance_type`, as scikit-learn's GaussianMixture.
        """
        check_is_fitted(mixture)
        return cls.made_of(lines_of_mixture(mixture, targets), mixture)

    @classmethod
    def made_of(cls, lines: LocalLines, model: Any) -> Self:
        made = cls(normalise=lines.normalised)
        made.given_ = lines
        made.n_features_in_ = lines.centres.shape[1]
        if not hasattr(model, "means_") and hasattr(model, "feature_names_in_"):  # a mixture knows the targets too
            made.feature_names_in_ = model.feature_names_in_
        made._single_target = vars(model).get("_single_target", lines.levels.shape[1] == 1)
        made._dtype = getattr(model, "float_dtype", np.dtype(np.float64))
        return made

    def __sklearn_is_fitted__(self) -> bool:
        return "statistic_" in self.__dict__ or "given_" in self.__dict__


def parts_of(model: LinearModel) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Anchor, coefficients (targets, columns), value at the anchor and residual variance of a linear model."""
    solution = model.solved()
    coef = np.atleast_2d(solution["coef_"]).astype(float)
    far = solution["centre"] is not None
    anchor = np.asarray(solution["centre"] if far else np.zeros(coef.shape[1]), dtype=float)
    level = np.broadcast_to(solution["level"] if far else solution["intercept_"], (len(coef),)).astype(float)
    return anchor, coef, level, 1.0 / np.atleast_1d(solution["noise_precision_"])
