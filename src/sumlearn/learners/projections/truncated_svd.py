"""Truncated singular value decomposition: the best approximation of a matrix by one of low rank."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from ...data import Chunk
from ...statistics import Moments
from ..description import Description
from ..fitted import Fitted, parameter_names
from ..linear_map import numbers_of
from ..roads import Roads
from .parts.coordinates import decoded
from .parts.singular_roads import ALGORITHMS, MOST_SUMMED, SingularByPasses, SingularBySums, SingularOptions


class TruncatedSVD(SingularOptions, ClassNamePrefixFeaturesOutMixin, TransformerMixin, Roads):
    """The best approximation of rows by a matrix of rank k; like principal components, but about zero.

        A = U S V',   A_k = U_k S_k V_k' = A V_k V_k',   |A - A_k|_F least among all matrices of rank k
        encode z = V_k'x,   decode x~ = V_k z;   U_k U_k' A = A_k too, while U U' = I holds for a square U only

    The mean is not taken off, so sparse rows stay sparse. Of up to 512 columns their products are added up: the answer
    is exact, and models merge and forget. Of more, leading directions are found by passes over the rows: block Krylov,
    which after as many passes is closer than scikit-learn's power iterations.

    Statistic: Moments of x, where the road is a sum. One pass. Can merge, forget, decay, restrict. Cost: summarise
    O(n d^2), solve O(d^3). By passes: adds nothing up; n_iter + 2 passes, O(n k) each for every column that is filled.

    Parameters
    ----------
    n_components : int, default=2
        The rank k.
    algorithm : {"randomized", "arpack", "sums"}, default="randomized"
        What is done above 512 columns: so many passes as `n_iter` says; passes until the directions stand still to
        `tol`; or products of all columns after all, d^2 numbers, so that models can be merged.
    n_iter : int, default=5
        "randomized": passes beyond the first.
    n_oversamples : int, default=10
        By passes: directions that are carried along beside the k that are wanted.
    power_iteration_normalizer : {"auto", "QR", "LU", "none"}, default="auto"
        Accepted for compatibility: blocks of directions are always orthonormal.
    random_state : int, RandomState or None, default=None
        By passes: where to begin.
    tol : float, default=0.0
        "arpack": A'A v differs from its multiple of v by at most this share; 0 is as far as rounding allows.

    Attributes
    ----------
    components_ : array (k, features)
        V', rows of unit length; the sign makes their largest entry positive.
    singular_values_ : array (k,)
        S; of weighted rows those of sqrt(w) x.
    explained_variance_, explained_variance_ratio_ : array (k,)
        Variance of the coordinates, divisor N, and its share of that of all columns; as in scikit-learn they are about
        the mean, so they need not fall.

    Examples
    --------
    >>> import numpy as np
    >>> from sumlearn import TruncatedSVD
    >>> A = np.array([[3.0, 0.0, 1.0], [0.0, 2.0, 0.0], [3.0, 0.0, 1.0]])
    >>> model = TruncatedSVD(1).fit(A)
    >>> model.singular_values_.round(4).tolist(), model.inverse_transform(model.transform(A)).round(4).tolist()
    ([4.4721], [[3.0, 0.0, 1.0], [0.0, 0.0, 0.0], [3.0, 0.0, 1.0]])
    >>> (TruncatedSVD(1).fit(A[:1]) + TruncatedSVD(1).fit(A[1:])).singular_values_.round(4).tolist()
    [4.4721]

    References
    ----------
    Lecture note 003; Eckart & Young, "The approximation of one matrix by another of lower rank", 1936; Musco & Musco,
    "Randomized block Krylov methods for stronger and faster approximate singular value decomposition", 2015.
    """

    description = Description(variants={"n_components": (1, 2), "algorithm": ALGORITHMS, "tol": (0.0,)})

    statistic_type = Moments

    components_ = Fitted("Directions, (components, features).")
    singular_values_ = Fitted("Singular values of the rows.")
    explained_variance_ = Fitted("Variance of the coordinates.")
    explained_variance_ratio_ = Fitted("Its share of the variance of all columns.")
    left_out_ = Fitted("Mean squared distance of the rows from their approximation.")

    def road(self) -> Any:
        """Sums up to so many columns, where they are asked for, or where there are some; passes above."""
        options = {name: getattr(self, name) for name in parameter_names(type(self))}
        columns = self.__dict__.get("n_features_in_", 0)
        summed = columns <= MOST_SUMMED or self.algorithm == "sums" or "statistic_" in self.__dict__
        return (SingularBySums if summed else SingularByPasses)(**options)

    def summarise(self, chunk: Chunk, look: Any = None) -> Moments:
        """The statistic of some rows, where the road is a sum."""
        return Moments.of(chunk.X, weight=chunk.weight)

    def transform(self, X: Any) -> np.ndarray:
        """Coordinates of every row along the components; sparse rows are not filled."""
        X = self.rows_of(X, sparse_ok=True)
        with np.errstate(over="ignore", invalid="ignore"):
            return numbers_of(X @ self.components_.T)

    def inverse_transform(self, X: Any) -> np.ndarray:
        """Rows from their coordinates: V z."""
        self.check_ready()
        return decoded(X, self.components_)

    def reconstruction_error(self, X: Any = None) -> float:
        """Mean squared distance |x - x~|^2 of the rows of X; without X that of the training rows."""
        if X is None:
            self.check_ready()
            return self.left_out_
        X = self.rows_of(X)
        turn = self.components_.T
        return float(((X - (X @ turn) @ turn.T) ** 2).sum(axis=1).mean())

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
