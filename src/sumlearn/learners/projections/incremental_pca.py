"""Principal components of rows that arrive in batches."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...statistics import Moments
from ..description import Description
from ..fitted import Fitted
from ..one_pass import OnePass
from .parts.principal_components import PrincipalComponents


class IncrementalPCA(PrincipalComponents, OnePass):
    """Principal components of a stream: after any batches, in any order, those of all rows together.

        C w = lambda w,   C = S / (N - 1),   S the sum of the scatters of the batches and of their means

    The name is scikit-learn's, whose components are an approximation: it keeps n_components directions from batch to
    batch and drops the rest. Here the scatter is kept, so nothing is dropped and the answer is that of PCA. A batch may
    have fewer rows than there are components, and `n_components` may change between batches.

    Statistic: Moments of x. One pass. Can merge, forget, decay, restrict. Cost: summarise O(n d^2), solve O(d^3), only
    when something is asked for.

    Parameters
    ----------
    n_components : int or None, default=None
        How many components; None takes min(rows, features).
    whiten : bool, default=False
        Scale the components to unit variance.
    copy : bool, default=True
        Accepted for compatibility; X is never changed.
    batch_size : int or None, default=None
        Accepted for compatibility: `fit` reads X in chunks of its own, and the answer does not depend on them.
    precision : {None, "double", "exact"}, default=None
        "exact" sums without any rounding: the same rows leave the same bits, however they came and went. It takes
        longer, and nothing decays.

    Attributes
    ----------
    components_, explained_variance_, explained_variance_ratio_, singular_values_, mean_, var_, noise_variance_,
    n_components_, n_samples_seen_, batch_size_
        As in scikit-learn; the sign of a component makes its largest entry positive.

    Examples
    --------
    >>> import numpy as np
    >>> from sumlearn import IncrementalPCA
    >>> from sumlearn.data import load_example
    >>> X = load_example("iris").X
    >>> model = IncrementalPCA(2)
    >>> for batch in np.array_split(X, 75):  # two flowers at a time
    ...     model = model.partial_fit(batch)
    >>> model.explained_variance_ratio_.round(6).tolist()
    [0.924619, 0.053066]
    >>> model.forget(X[:50]).explained_variance_ratio_.round(4).tolist()  # without the setosas
    [0.8372, 0.0861]

    References
    ----------
    Lecture note 003; Ross, Lim, Lin & Yang, "Incremental learning for robust visual tracking", 2008 (the approximation
    that is not needed here).
    """

    description = Description(variants={"n_components": (None, 1, 2), "precision": (None, "exact")})

    var_ = Fitted("Variance of the features, divisor N.")
    n_samples_seen_ = Fitted("Number of rows.")
    batch_size_ = Fitted("What `batch_size` stands for.")

    def __init__(
        self,
        n_components: int | None = None,
        *,
        whiten: bool = False,
        copy: bool = True,
        batch_size: int | None = None,
        precision: str | None = None,
    ) -> None:
        self.n_components = n_components
        self.whiten = whiten
        self.copy = copy
        self.batch_size = batch_size
        self.precision = precision

    def check(self) -> None:
        for name in ("n_components", "batch_size"):
            value = getattr(self, name)
            whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
            if value is not None and not (whole and value >= 1):
                raise ValueError(f"{name} must be a whole number above 0 or None, got {value!r}")

    def solution(self, statistic: Moments) -> dict[str, Any]:
        self.check()
        batch = 5 * statistic.columns if self.batch_size is None else self.batch_size
        return self.components_of(statistic) | {
            "var_": statistic.squares / statistic.weight,
            "n_samples_seen_": statistic.rows,
            "batch_size_": batch,
        }

    def number(self, variance: np.ndarray, rows: int, columns: int) -> int:
        most = min(rows, len(variance))
        if self.n_components is None:
            return most
        if self.n_components > columns:
            raise ValueError(
                f"n_components={self.n_components!r} invalid for n_features={columns}, need more rows than columns for "
                "IncrementalPCA processing"
            )
        if self.n_components > most:
            raise ValueError(
                f"n_components={self.n_components!r} components need as many rows, so far there are {rows}"
            )
        return int(self.n_components)
