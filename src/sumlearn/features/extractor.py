"""A fixed extractor: any function of a row in the place of a basis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..statistics import RowError
from .basis import Basis
from .input_ranges import one_of, whole_number


class Extractor(Basis):
    """Features that are given by a function of the row and by nothing else: HOG, SIFT, MFCC, a formula of one's own.

        phi(x) = function(x),   the same for all rows there are, whatever was learnt before

    It needs no look at the data, so every learner with a `basis` can use it, files and clusters included, and models
    behind the same function merge, forget and are cross-validated from sums. The same function is one that Python calls
    equal: write it at the top of a module, where workers and pickle find it by name too. A model file names no function
    but NumPy's and SciPy's elementwise ones, which `save` and `load` take.

    Parameters
    ----------
    function : callable
        Takes a row (features,) and returns numbers, as many for every row; with ``rows=True`` it takes rows
        (n, features) and returns (n, outputs), each by itself.
    rows : bool, default=False
        Whether the function takes many rows at a time, which is quicker.
    n_outputs : int or None, default=None
        How many numbers the function returns; None asks it, with a row of zeros.
    double : bool, default=False
        Give float64 also for rows of float32.
    bias : bool, default=False
        Begin with a constant column. Learners have an intercept of their own.

    Attributes
    ----------
    n_outputs_ : int
        Numbers that the function returns.

    Examples
    --------
    >>> import numpy as np
    >>> from sumlearn import Ridge
    >>> from sumlearn.features import Extractor
    >>> def area_and_diagonal(row):
    ...     return row[0] * row[1], np.hypot(*row)
    >>> X = np.array([[1.0, 2.0], [3.0, 1.0], [2.0, 2.0], [4.0, 3.0], [1.0, 5.0]])
    >>> basis = Extractor(area_and_diagonal).fit(X)
    >>> basis.transform(X[:1]).round(4).tolist(), basis.get_feature_names_out().tolist()
    ([[2.0, 2.2361]], ['area_and_diagonal0', 'area_and_diagonal1'])
    >>> price = 100.0 * X[:, 0] * X[:, 1]
    >>> halves = [Ridge(1e-9, basis=basis).fit(X[i], price[i]) for i in ([0, 1, 2], [3, 4])]
    >>> sum(halves).coef_.round(3).tolist()
    [100.0, -0.0]

    References
    ----------
    Lecture note 003 (fixed transforms: SIFT, HOG, MFCC).
    """

    def __init__(
        self,
        function: Callable[[np.ndarray], Any],
        rows: bool = False,
        *,
        n_outputs: int | None = None,
        double: bool = False,
        bias: bool = False,
    ) -> None:
        self.function = function
        self.rows = rows
        self.n_outputs = n_outputs
        self.double = double
        self.bias = bias

    @property
    def stateless(self) -> bool:
        """Always: nothing is learnt."""
        return True

    def size(self, n_features: int) -> int:
        """Number of outputs for so many columns."""
        known = self.__dict__.get("n_outputs_", self.n_outputs)
        found = self.asked(n_features) if known is None else whole_number(known, "n_outputs", 1)
        return found + int(self.bias)

    def asked(self, n_features: int) -> int:
        """How many numbers the function returns for a row of zeros."""
        try:
            return self.called(np.zeros((1, n_features))).shape[1]
        except Exception as error:
            raise ValueError(
                f"{name_of(self.function)} was asked for a row of zeros and answered {type(error).__name__}: {error}; "
                "say how many numbers it returns, n_outputs="
            ) from error

    def learn(self, rows: np.ndarray) -> dict[str, Any]:
        if not callable(self.function):
            raise TypeError(f"function must be a function of a row, got {type(self.function).__name__}")
        one_of(self.rows, "rows", (True, False))
        return {"n_outputs_": self.size(rows.shape[1]) - int(self.bias)}

    def evaluate(self, X: np.ndarray, out: np.ndarray, first: int) -> None:
        if not len(X):
            return
        found = self.called(X)
        if found.shape != (len(X), out.shape[1] - first):
            raise ValueError(
                f"{name_of(self.function)} returned {found.shape[1]} numbers for a row, not {out.shape[1] - first}"
            )
        bad = ~np.isfinite(found)
        for row, column in np.argwhere(bad)[:1]:
            error = RowError("X", int(row), None, float(found[row, column]))
            error.text = f"{name_of(self.function)} returned {found[row, column]:g} for row {{row}}"
            error.args = (error.describe(int(row), None),)
            raise error
        out[:, first:] = found

    def called(self, X: np.ndarray) -> np.ndarray:
        """The function's answers for some rows, (n, outputs); it may change its rows, which are copies."""
        if self.rows:
            found = np.asarray(self.function(X.copy()))
        else:
            answers = [np.ravel(self.function(row)) for row in X.copy()]
            found = np.stack(answers) if len({len(answer) for answer in answers}) == 1 else np.zeros(0)
        if found.ndim != 2 or len(found) != len(X) or found.dtype.kind not in "fiub":
            raise ValueError(
                f"{name_of(self.function)} must return as many real numbers for every row, "
                f"got {found.dtype} of shape {found.shape} for {len(X)} rows"
            )
        return found

    def names(self, inputs: list[str]) -> list[str]:
        return [f"{name_of(self.function)}{j}" for j in range(self.n_outputs_)]

    def may_overflow(self, X: np.ndarray) -> bool:
        return True


def name_of(function: Any) -> str:
    """What to call a function."""
    return str(getattr(function, "__name__", type(function).__name__.lower()))
