"""What classifiers by least squares share: coded classes as targets, and the class whose target is the largest."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np

from ....solvers.normal_equations import LinearSolution, least_squares
from ....statistics import Grouped, Moments, Pooled
from ....statistics.warnings import warn
from ...classifier import LabelMixin
from ...fitted import Fitted, Later, narrowed
from ...linear_map import affine, is_far
from ...regression.ridge import penalties
from .class_targets import best_class, coded_moments, codes_of
from .class_weight import class_factors
from .gaussian_scores import GaussianScores, later_slope, shares_of


class LabelRegression(GaussianScores, LabelMixin):
    """g_k(x) = b_k'phi(x) + b0_k, fitted to +1 for the rows of class k and to -1 for the others."""

    chunk_factor: ClassVar[int] = 8  # a merge costs a rank-one term for every class

    alpha: float
    fit_intercept: bool
    class_weight: Any
    float_dtype: Any  # of the learner
    solved: Any
    in_blocks: Any

    coef_ = Fitted("Weights, (1, terms) for two classes, else (classes, terms).")
    intercept_ = Fitted("Constants, (1,) or (classes,).")
    rank_ = Fitted("Number of independent terms, as far as the sums can tell.")
    condition_ = Later("_condition", "Condition number of the terms, about their mean and scaled to unit length.")
    aliased_ = Fitted("Indices of terms that are combinations of earlier ones, or constant.")
    digits_ = Fitted("Decimal digits of the weights that rounding leaves.")

    @abstractmethod
    def scores(self, X: Any) -> np.ndarray:
        """g(x) of every row, one column for two classes, else one per class."""

    def planes(self, X: Any) -> np.ndarray:
        """b'x + b0 of every row, in blocks."""
        solution = self.solved()
        plane = solution["coef_"].T, solution["intercept_"], solution["centre"], solution["level"]
        return self.in_blocks(X, lambda rows: affine(rows, *plane), sparse_ok=True)

    @abstractmethod
    def term_name(self, term: int) -> Any:
        """How a term is called in a warning."""

    def decision_function(self, X: Any) -> np.ndarray:
        """2 f(x) - 1: positive where f > 1/2; (rows,) for two classes, else one column per class."""
        scores = self.scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> np.ndarray:
        """The class of the largest score; of two classes the second where f > 1/2."""
        return best_class(self.scores(X), self.classes_)

    # -- the solution -------------------------------------------------------------------------------------------------

    def regression(self, sums: Pooled | Grouped[Moments], labels: np.ndarray) -> dict[str, Any]:
        """Fitted attributes from sums of phi by class."""
        alpha = penalties(self.alpha, 1)[0]
        codes = dict(zip(labels.tolist(), codes_of(len(labels)), strict=True))
        if self.class_weight is not None:
            if isinstance(sums, Pooled):
                raise ValueError("class_weight needs the full moments of every class: fit anew")
            weight = np.array([part.weight for _, part in sums.items()])
            factors = class_factors(self.class_weight, np.array(sums.labels), weight, zero_ok=True)
            assert factors is not None
            # only the ratio of errors and penalty counts, and sums may be scaled down but not up
            largest = factors.max()
            parts = zip(sums.items(), factors, strict=True)
            sums = Grouped({label: part.decay(f / largest) for (label, part), f in parts if f > 0})
            alpha /= largest
        moments = coded_moments(sums, codes)
        found = least_squares(moments, alpha, intercept=self.fit_intercept)
        if not alpha and moments.weight > moments.features:
            self.warn_of_dependence(found, moments.features)
        p = moments.features
        mean, deviation = moments.mean, moments.deviation
        level = mean[p:] if self.fit_intercept else found.coef @ mean[:p]
        shares = shares_of(sums, labels)
        return {
            "classes_": labels,
            "coef_": narrowed(found.coef, self.float_dtype),
            "intercept_": narrowed(found.intercept, self.float_dtype),
            "rank_": found.rank,
            "system": found,
            "aliased_": found.aliased,
            "digits_": found.digits,
            "centre": mean[:p] if self.fit_intercept and is_far(mean[:p], deviation[:p]) else None,
            "level": mean[p:] - found.coef @ moments.mean_rest[:p],
            "shares": shares,
            "slope": later_slope(sums, found.coef, mean[:p], level, shares),
        }

    def _condition(self) -> float:
        """Largest over smallest singular value of the scaled terms, when it is asked for."""
        return self.solved()["system"].condition

    def warn_of_dependence(self, found: LinearSolution, terms: int) -> None:
        if len(found.aliased):
            names = ", ".join(str(self.term_name(int(j))) for j in found.aliased[:5])
            warn(
                f"rank {found.rank} of {terms}: column(s) {names}{', ...' if len(found.aliased) > 5 else ''} are "
                "constant or combinations of others; the solution of least norm is returned"
            )
        elif found.digits < 3:
            warn(f"the columns are so nearly dependent that {found.digits:.1f} digits of the weights are left")
