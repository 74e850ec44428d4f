"""The notes' mean, second moment and inverse, row by row: a formula to be looked at, on which nothing here rests."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .row_checks import prepare, raise_if_not_finite
from .warnings import IllConditionedWarning, warn

LEAST, FEW = 3.0, 6.0  # digits below which an inverse is refused, and warned of


@dataclass(frozen=True, eq=False)
class InverseCovariance:
    """Mean, second moment about zero and its inverse, carried from row to row by the Sherman-Morrison-Woodbury formula.

        m <- (T m + x) / (T + 1),   R <- (T R + x x') / (T + 1)
        R^-1 <- (T + 1) / T [R^-1 - R^-1 x x' R^-1 / (T + x' R^-1 x)]
        C = R - m m',   C^-1 = R^-1 + R^-1 m m' R^-1 / (1 - m' R^-1 m)

    The inverse of a covariance at d^2 steps a row, as lecture note 002 derives it (which calls R the covariance: C is).
    It is exact as algebra and poor as arithmetic: R grows with the square of the mean, an error in R^-1 stays in it for
    ever and is multiplied by the condition of R, which is the square of that of the rows. From a condition of about
    1e6 on, no digit can be relied upon. `digits` tells how many are left, measured on R R^-1 = I: below six
    `inverse_covariance` warns, below three it refuses. `Moments` keeps the scatter about the mean in two words, solves
    when it is asked to, and is what every learner here uses.

    Statistic: none; rows come one by one or in blocks, and never go. Cost: O(d^2) a row; O(n^2 d + n d^2) for a block
    of n rows, by Woodbury's formula.

    Attributes
    ----------
    weight : float
        Number of rows, T.
    mean, second_moment, inverse : arrays
        m, R and R^-1 as they were carried along.

    Examples
    --------
    >>> import numpy as np
    >>> from sumlearn.statistics import InverseCovariance, Moments
    >>> rows = np.random.default_rng(0).standard_normal((500, 3))
    >>> def carried(rows):
    ...     model = InverseCovariance.of(rows[:10])
    ...     for x in rows[10:]:
    ...         model = model.learn(x)
    ...     return model
    >>> right = np.linalg.inv(Moments.of(rows).covariance())
    >>> bool(carried(rows).digits > 12), np.allclose(carried(rows).inverse_covariance, right, rtol=1e-12)
    (True, True)
    >>> far = rows + 3000.0                                     # the condition of R is 3e7
    >>> bool(carried(far).digits < 3)                           # and its inverse is refused
    True
    >>> float(np.abs(np.linalg.inv(Moments.of(far).covariance()) - right).max().round(9))
    0.0

    References
    ----------
    Lecture note 002; Sherman & Morrison, "Adjustment of an inverse matrix corresponding to a change in one element of
    a given matrix", 1950; Woodbury, "Inverting modified matrices", 1950.
    """

    weight: float
    mean: np.ndarray
    second_moment: np.ndarray
    inverse: np.ndarray

    @classmethod
    def of(cls, X: Any) -> InverseCovariance:
        """Begin with some rows, at least one more than there are columns: R is inverted once."""
        X = checked(X)
        n, d = X.shape
        if n <= d:
            raise ValueError(f"the covariance of {d} columns has an inverse from {d + 1} rows on, got {n}")
        R = X.T @ X / n
        try:
            inverse = np.linalg.inv(R)
        except np.linalg.LinAlgError:
            raise ValueError("the second moment has no inverse: columns are dependent") from None
        return cls(float(n), X.mean(axis=0), R, (inverse + inverse.T) / 2)

    def learn(self, X: Any) -> InverseCovariance:
        """One more row, or a block of them."""
        X = checked(X, len(self.mean))
        n, T = len(X), self.weight
        if not n:
            return self
        B = self.inverse @ X.T
        inner = T * np.eye(n) + X @ B
        if not (np.linalg.eigvalsh((inner + inner.T) / 2) > 0.5 * T).all():  # x' R^-1 x is not negative
            raise ValueError(
                "the inverse that was carried along has lost all digits: use Moments, which keeps the sums"
            )
        inverse = (T + n) / T * (self.inverse - B @ np.linalg.solve(inner, B.T))
        mean = (T * self.mean + X.sum(axis=0)) / (T + n)
        R = (T * self.second_moment + X.T @ X) / (T + n)
        return InverseCovariance(T + n, mean, R, (inverse + inverse.T) / 2)

    @property
    def covariance(self) -> np.ndarray:
        """R - m m', which loses the digits that the mean has more than the deviations."""
        return self.second_moment - np.outer(self.mean, self.mean)

    @cached_property
    def digits(self) -> float:
        """Decimal digits of the inverse of the covariance that are left.

        What R R^-1 differs from I by, in units in which R has a unit diagonal; and 1 - m' R^-1 m, which is small where
        the mean is large, takes as many digits again as it has zeros.
        """
        size = np.sqrt(self.second_moment.diagonal())
        if not (size > 0).all():
            return 0.0
        wrong = (self.second_moment @ self.inverse - np.eye(len(size))) * size / size[:, None]
        room = 1.0 - self.mean @ self.inverse @ self.mean
        lost = max(float(np.abs(wrong).max()), 2.0**-53 * float(np.abs(np.outer(size, size) * self.inverse).max()))
        if not room > 0:
            return 0.0
        return float(np.clip(-np.log10(lost / min(room, 1.0)), 0.0, 16.0))

    @property
    def inverse_covariance(self) -> np.ndarray:
        """C^-1; warns below six digits, refuses below three."""
        if self.digits < LEAST:
            raise ValueError(
                f"of the inverse that was carried along {self.digits:.1f} digits are left: use Moments, which keeps "
                "the sums and solves when asked"
            )
        if self.digits < FEW:
            warn(
                f"of the inverse that was carried along {self.digits:.1f} digits are left; Moments has more",
                IllConditionedWarning,
            )
        B = self.inverse @ self.mean
        return self.inverse + np.outer(B, B) / (1.0 - self.mean @ B)


def checked(X: Any, columns: int | None = None) -> np.ndarray:
    """Rows as a matrix of floats; a vector is one row."""
    X = np.asarray(X)
    X, _, _ = prepare(X[None] if X.ndim == 1 else X)
    raise_if_not_finite(X)
    if columns is not None and X.shape[1] != columns:
        raise ValueError(f"rows of {columns} columns are carried along, got {X.shape[1]}")
    return X.astype(float)
