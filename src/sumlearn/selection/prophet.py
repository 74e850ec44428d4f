"""The prophet: what J(S) will be, guessed from the subsets that were judged."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ..engines import one_blas_thread
from ..features.input_ranges import is_number, whole_number
from ..features.kernels import Combinatorial
from ..features.kernels.combinatorial import indicators


class Prophet(BaseEstimator):
    """Combinatorial regression: a function of sets as a sum over small sets, learnt in the dual.

        J~(S) = m + sum over |U| <= k of a_U [U within S] = m + sum_i b_i K_<=k(S_i, S)
        (K + alpha I) b = J - m,   m = mean of J

    The number of terms, C(D, k), does not matter: the system has the size of the number of subsets that were judged.
    Ridge with alpha > 0 in place of the squared system K^2 b = K J of the note, whose condition is the square.
    As `SubsetSearch(method="astar", prophet=...)` it says which subsets to judge next; what it guesses is never taken
    for a score. Cost: fit O(T^3) for T subsets, predict O(T D) for each subset.

    Parameters
    ----------
    degree : int, default=2
        Largest number of features that act together, the k of the formula.
    alpha : float, default=0.01
        Penalty, positive.
    batch : int, default=50
        In a search: subsets that are judged between two fits.
    beam : int, default=10
        In a search: best subsets whose neighbours are considered.
    steps : int, default=3
        In a search: how many steps ahead the prophet looks on its own word.
    patience : int, default=5
        In a search: fits without a better subset before it ends.
    memory : int, default=800
        In a search: subsets that are learnt from; half of them the best, the others spread over the rest.
    random_state : int, Generator or None, default=0
        In a search: for the subsets that are drawn at random.

    Attributes
    ----------
    dual_coef_ : array (T,)
        b of the formula.
    intercept_ : float
        m.
    subsets_ : array (T, D)
        The subsets it has learnt from, as rows of 0 and 1.

    Examples
    --------
    >>> from itertools import combinations
    >>> from sumlearn.selection import Prophet
    >>> def worth(s):
    ...     return sum(s) + 10.0 * {1, 4}.issubset(s)
    >>> judged = [s for size in range(3) for s in combinations(range(6), size)]
    >>> prophet = Prophet(alpha=1e-6).fit(judged, [worth(s) for s in judged])
    >>> prophet.predict([(0, 1, 4), (0, 2, 5)]).round(1).tolist()
    [15.0, 7.0]

    References
    ----------
    Lecture note 002, combinatorial regression.
    """

    def __init__(
        self,
        degree: int = 2,
        *,
        alpha: float = 0.01,
        batch: int = 50,
        beam: int = 10,
        steps: int = 3,
        patience: int = 5,
        memory: int = 800,
        random_state: Any = 0,
    ) -> None:
        self.degree = degree
        self.alpha = alpha
        self.batch = batch
        self.beam = beam
        self.steps = steps
        self.patience = patience
        self.memory = memory
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from subsets (iterables of column numbers, or rows of 0 and 1) and their scores."""
        kernel = self.kernel()
        for name in ("batch", "beam", "steps", "patience", "memory"):
            whole_number(getattr(self, name), name, 1)
        if not is_number(self.alpha) or not 0 < self.alpha < np.inf:
            raise ValueError(f"alpha must be a positive number, got {self.alpha!r}")
        rows, scores = indicators(X), np.asarray(y, dtype=float)
        if scores.shape != (len(rows),):
            raise ValueError(f"{len(rows)} subsets need as many scores, got an array of shape {scores.shape}")
        if not len(rows):
            raise ValueError("at least 1 subset is needed to learn from")
        if not np.isfinite(scores).all():
            first = int(np.argmin(np.isfinite(scores)))
            raise ValueError(f"scores must be finite, got {scores[first]} for subset {first}")
        self.intercept_ = float(scores.mean())
        with one_blas_thread():  # its threads spin at the barriers of small systems
            system = kernel(rows)
            system[np.diag_indices(len(rows))] += self.alpha
            self.dual_coef_ = cho_solve(cho_factor(system), scores - self.intercept_)
        self.subsets_ = rows
        return self

    def predict(self, X: Any) -> np.ndarray:
        """J~ of subsets."""
        check_is_fitted(self)
        with one_blas_thread():
            return self.intercept_ + self.kernel()(X, self.subsets_) @ self.dual_coef_

    def kernel(self) -> Combinatorial:
        return Combinatorial(self.degree)
