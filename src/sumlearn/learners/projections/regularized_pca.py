"""Regularised principal components: small axes are left out, large ones shrunk, and gaps are no obstacle."""

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
from .parts.regularized_roads import RegularizedBySums, RegularizedByTurns, RegularizedOptions, ridge_codes

BLOCK = 4096  # rows that are coded together


class RegularizedPCA(RegularizedOptions, ClassNamePrefixFeaturesOutMixin, TransformerMixin, Roads):
    """Components under a penalty: a low rank is chosen by its strength, and rows may have gaps.

        min |X - W C|^2 + gamma |W|^2 + gamma |C|^2,   W a row of codes for each row of X, C a row for each component
        closed form: X = U S V',  W C = U (S - gamma)+ V',  C = (S - gamma)+^(1/2) V'
        in turn: w = x C' (C C' + gamma I)^-1 for every row, over what is there; then likewise each column of C

    The note sums |c_j|^2 to k, where C has a column for every row: harmless, since it writes X for its transposed. Both
    ways find the same minimum; it is one of the matrix Z = W C under the penalty 2 gamma |Z|_* (the sum of its singular
    values), so a component beyond the rank is zero, and more of them change nothing.

    Statistic: Moments of x for solver="svd". One pass. Can merge, forget, decay, restrict. Cost: summarise O(n d^2),
    solve O(d^3). solver="als" adds nothing up; a turn is one pass, O(n d k^2).

    Parameters
    ----------
    n_components : int or None, default=None
        The largest rank; None is the number of features.
    gamma : float, default=1.0
        The penalty, in units of the singular values of X: sqrt(N) times a standard deviation.
    solver : {"svd", "als"}, default="svd"
        The closed form, from sums; or alternating ridge regressions, which leave gaps (NaN) out.
    centre : bool, default=True
        Take a level off each column, which is not penalised: of rows without gaps the mean.
    init : {"svd", "random"}, default="svd"
        "als": start from the singular vectors of rows whose gaps are filled by means, or at random.
    tol : float, default=1e-10
        "als": the end, when a turn changes the objective by no more than this share of it.
    max_iter : int, default=1000
        "als": turns at most.
    random_state : int, RandomState or None, default=None
        "als": where to start at random.

    Attributes
    ----------
    components_ : array (k, features)
        C, turned such that its rows are orthogonal, the longest first; the largest entry of each is positive.
    shrunk_values_ : array (k,)
        Singular values of W C: (S - gamma)+ where there are no gaps.
    mean_ : array (features,)
    n_components_, rank_ : int
        Rows of C, and how many of them are not zero.
    objective_ : float
        What was minimised.
    n_iter_ : int
        "als": turns; else one.
    trace_ : array
        "als": the objective after each turn.

    Examples
    --------
    >>> import numpy as np
    >>> from sumlearn import RegularizedPCA
    >>> from sumlearn.data import load_example
    >>> X = load_example("iris").X
    >>> closed = RegularizedPCA(gamma=2.0).fit(X)
    >>> closed.shrunk_values_.round(3).tolist(), closed.rank_  # singular values 25.1, 6.013, 3.414, 1.885
    ([23.1, 4.013, 1.414, 0.0], 3)
    >>> turns = RegularizedPCA(gamma=2.0, solver="als", init="random", tol=1e-14, random_state=0).fit(X)
    >>> bool(np.allclose(turns.components_[:3], closed.components_[:3], atol=1e-5))
    True
    >>> holes = X.copy()
    >>> holes[::3, 2] = np.nan  # a third of the petal lengths
    >>> model = RegularizedPCA(2, gamma=1.0, solver="als").fit(holes)
    >>> filled = model.inverse_transform(model.transform(holes))
    >>> round(float(np.abs(filled - X)[::3, 2].mean()), 2), round(float(np.abs(X[:, 2] - X[:, 2].mean()).mean()), 2)
    (0.32, 1.56)

    References
    ----------
    Lecture note 003; Udell, Horn, Zadeh & Boyd, "Generalized low rank models", 2016, sec. 2; Hastie, Mazumder, Lee &
    Zadeh, "Matrix completion and low-rank SVD via fast alternating least squares", 2015.
    """

    description = Description(
        variants={
            "n_components": (None, 1, 2),
            "gamma": (0.0, 0.5, 3.0),
            "solver": ("svd",),
            "init": ("svd",),
            "tol": (1e-10,),
        }
    )

    statistic_type = Moments

    components_ = Fitted("C, (components, features).")
    shrunk_values_ = Fitted("Singular values of W C.")
    mean_ = Fitted("Level of the features.")
    n_components_ = Fitted("Rows of C.")
    rank_ = Fitted("How many of them are not zero.")
    objective_ = Fitted("What was minimised.")
    n_iter_ = Fitted("Turns; one for the closed form.")

    @property
    def takes_gaps(self) -> bool:
        """Whether NaN is a gap."""
        return self.solver == "als"

    def road(self) -> Any:
        """Sums, or turns where gaps are to be left out."""
        options = {name: getattr(self, name) for name in parameter_names(type(self))}
        return (RegularizedByTurns if self.solver == "als" else RegularizedBySums)(**options)

    def summarise(self, chunk: Chunk, look: Any = None) -> Moments:
        """The statistic of some rows, where the road is a sum."""
        return Moments.of(chunk.X, weight=chunk.weight)

    def transform(self, X: Any) -> np.ndarray:
        """W of the rows: ridge regressions on the components, over what is there of each."""
        X = self.rows_of(X)
        C, mean = (values.astype(np.float64) for values in (self.components_, self.mean_))
        starts = range(0, len(X), BLOCK)
        found = [ridge_codes(X[start : start + BLOCK] - mean, C, float(self.gamma)) for start in starts]
        return numbers_of(np.concatenate(found).astype(self.float_dtype))

    def inverse_transform(self, X: Any) -> np.ndarray:
        """Rows from their codes, without gaps: m + W C."""
        self.check_ready()
        return decoded(X, self.components_) + self.mean_

    def reconstruction_error(self, X: Any) -> float:
        """Mean squared distance |x - x~|^2 of the rows of X, over what is there."""
        X = self.rows_of(X)
        away = X - self.mean_
        return float(np.nansum((away - decoded(self.transform(X), self.components_)) ** 2) / len(X))

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
