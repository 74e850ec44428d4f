"""What the parameters of a mixture of Gaussians may be, and what they say together."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....features.input_ranges import finite_numbers, is_number, one_of, whole_number
from ....statistics import Moments
from ....statistics.warnings import warn
from ...fitted import LEAST_SPREAD, check_variances
from ...validation import term_name
from .expectation import Rules
from .mixture_starts import FORMS, STARTS


class MixtureOptions:
    """Of a learner with the parameters of `GaussianMixture`."""

    n_components: int
    covariance_type: str
    init_params: str
    tol: float
    reg_covar: Any
    learning_decay: float
    weights_init: Any
    means_init: Any
    precisions_init: Any

    def check(self) -> None:
        for name, least in (("n_components", 1), ("max_iter", 0), ("n_init", 1), ("verbose_interval", 1)):
            whole_number(getattr(self, name), name, least)
        one_of(self.covariance_type, "covariance_type", tuple(FORMS))
        one_of(self.init_params, "init_params", STARTS)
        if not is_number(self.tol) or not 0.0 <= self.tol < np.inf:
            raise ValueError(f"tol must be finite and not negative, got {self.tol!r}")
        ridge = finite_numbers(self.reg_covar, "reg_covar")
        if (ridge < 0).any() or ridge.ndim > 1:
            raise ValueError(f"reg_covar must not be negative, a number or one for each column, got {self.reg_covar!r}")
        if not is_number(self.learning_decay) or not 0.5 < self.learning_decay <= 1.0:
            raise ValueError(f"learning_decay must be above 0.5 and at most 1, got {self.learning_decay!r}")

    @property
    def rules(self) -> Rules:
        return Rules(self.covariance_type, self.ridge, float(self.tol))

    @property
    def ridge(self) -> Any:
        """`reg_covar`; one number where there is one variance."""
        given = np.asarray(self.reg_covar, dtype=np.float64)
        return float(given.mean()) if given.ndim == 0 or self.covariance_type == "spherical" else given

    @property
    def needs_look(self) -> bool:
        """Whether rows decide where the components start."""
        return any(part is None for part in (self.weights_init, self.means_init, self.precisions_init))

    def check_rows(self, moments: Moments) -> None:
        """Refuse rows that are too few, or do not vary where nothing is added to their variance."""
        check_variances(moments.deviation, least=0.0 if np.all(self.ridge) else LEAST_SPREAD)
        k, rows = self.n_components, max(moments.rows, int(moments.weight))
        if rows < k:
            raise ValueError(f"Expected n_samples >= n_components but got n_components = {k}, n_samples = {rows}")
        still = np.flatnonzero(moments.diagonal == 0)
        if len(still) and moments.rows > 1 and np.all(self.ridge):
            names = ", ".join(str(term_name(self, int(j))) for j in still[:5]) + (", ..." if len(still) > 5 else "")
            warn(f"column(s) {names} are constant: their variance is what reg_covar gives")
