"""Kernels that are functions of the product of two rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sparse

from ..input_ranges import is_number
from .coded_rows import Coded, products, squares
from .gamma import checked_gamma, gamma_number
from .kernel import Kernel


@dataclass(frozen=True)
class LinearKernel(Kernel):
    """The product of two rows.

        k(x, x') = x'x'

    Its numbers are those of the columns as they come: with an offset of 1e9 they are 1e18, and a difference of one is
    below their rounding. Centre such columns first. Cost: O(n m d).

    Examples
    --------
    >>> from sumlearn.features.kernels import LinearKernel
    >>> LinearKernel()([[1.0, 2.0]], [[3.0, 4.0]]).tolist()
    [[11.0]]
    """

    @property
    def definite(self) -> bool:
        return True

    def origin(self, rows: Any) -> None:
        return None

    def coded(self, rows: Any, origin: Any) -> Coded:
        return Coded(rows)

    def fill(self, left: Coded, right: Coded, out: np.ndarray) -> None:
        products(left.rows, right.rows, out)

    def diagonal_of(self, rows: Any) -> np.ndarray:
        return squares(rows)


@dataclass(frozen=True)
class PolynomialKernel(Kernel):
    """A power of the product of two rows: all monomials of the columns up to a degree.

        k(x, x') = (gamma x'x' + coef0)^degree

    With gamma = coef0 = 1 it is the note's. Positive definite for whole degrees and coef0 >= 0. Its numbers are those
    of the columns as they come: centre columns of large offset first, which is another kernel, and usually the one that
    was meant. Cost: O(n m d).

    Parameters
    ----------
    degree : float, default=3
    gamma : float, "spread", "scale", "auto" or None, default="spread"
        As for `GaussianKernel`.
    coef0 : float, default=1.0
        The constant; without it (zero) all monomials have the whole degree.

    Examples
    --------
    >>> from sumlearn.features.kernels import PolynomialKernel
    >>> PolynomialKernel(2, gamma=1.0)([[1.0, 2.0]], [[3.0, 4.0]]).tolist()
    [[144.0]]

    References
    ----------
    Lecture note 003.
    """

    degree: float = 3
    gamma: Any = "spread"
    coef0: float = 1.0

    def __post_init__(self) -> None:
        checked_gamma(self.gamma)
        checked_number(self.coef0, "coef0")
        if not is_number(self.degree) or not 0 <= self.degree < np.inf:
            raise ValueError(f"degree must be a number of at least 0, got {self.degree!r}")

    @property
    def definite(self) -> bool:
        return self.coef0 >= 0 and float(self.degree).is_integer()

    def found(self, rows: Any, weight: np.ndarray | None) -> dict[str, Any]:
        return {"gamma": gamma_number(self.gamma, rows, weight)}

    def origin(self, rows: Any) -> None:
        return None

    def coded(self, rows: Any, origin: Any) -> Coded:
        return Coded(rows)

    def fill(self, left: Coded, right: Coded, out: np.ndarray) -> None:
        products(left.rows, right.rows, out)
        out *= self.gamma
        out += self.coef0
        self.raise_to_degree(out)

    def diagonal_of(self, rows: Any) -> np.ndarray:
        found = self.gamma * squares(rows) + self.coef0
        self.raise_to_degree(found)
        return found

    def raise_to_degree(self, values: np.ndarray) -> None:
        if float(self.degree).is_integer() and 1 <= self.degree <= 16:
            base = values.copy() if self.degree > 1 else values
            with np.errstate(over="ignore"):
                for _ in range(int(self.degree) - 1):
                    values *= base
            return
        if not float(self.degree).is_integer() and (values < 0).any():
            raise ValueError(f"a negative number has no power of degree {self.degree}: take a whole degree")
        with np.errstate(over="ignore"):
            np.power(values, self.degree, out=values)


@dataclass(frozen=True)
class SigmoidKernel(Kernel):
    """The hyperbolic tangent of the product of two rows, as in a network with one hidden layer.

        k(x, x') = tanh(gamma x'x' + coef0)

    It is no product of features: its matrix has negative eigenvalues for most rows, whatever gamma and coef0, and
    `definite` says so. Support vector machines find a stationary point with it, least squares and likelihoods in the
    dual refuse what it makes of them where that matters. Cost: O(n m d).

    Parameters
    ----------
    gamma : float, "spread", "scale", "auto" or None, default="spread"
        As for `GaussianKernel`; the note's kappa.
    coef0 : float, default=1.0
        The note's theta.

    Examples
    --------
    >>> from sumlearn.features.kernels import SigmoidKernel
    >>> SigmoidKernel(1.0, 0.0)([[0.5]], [[1.0]]).round(4).tolist(), SigmoidKernel().definite
    ([[0.4621]], False)

    References
    ----------
    Lecture note 003; Lin & Lin, "A study on sigmoid kernels for SVM and the training of non-PSD kernels by SMO-type
    methods", 2003.
    """

    gamma: Any = "spread"
    coef0: float = 1.0

    def __post_init__(self) -> None:
        checked_gamma(self.gamma)
        checked_number(self.coef0, "coef0")

    @property
    def definite(self) -> bool:
        return False

    def found(self, rows: Any, weight: np.ndarray | None) -> dict[str, Any]:
        return {"gamma": gamma_number(self.gamma, rows, weight)}

    def origin(self, rows: Any) -> None:
        return None

    def coded(self, rows: Any, origin: Any) -> Coded:
        return Coded(rows)

    def fill(self, left: Coded, right: Coded, out: np.ndarray) -> None:
        products(left.rows, right.rows, out)
        out *= self.gamma
        out += self.coef0
        np.tanh(out, out=out)

    def diagonal_of(self, rows: Any) -> np.ndarray:
        return np.tanh(self.gamma * squares(rows) + self.coef0)


@dataclass(frozen=True)
class CosineKernel(Kernel):
    """The cosine of the angle between two rows; zero where one of them is zero.

        k(x, x') = x'x' / (|x| |x'|)

    Positive definite. Cost: O(n m d).

    Examples
    --------
    >>> from sumlearn.features.kernels import CosineKernel
    >>> CosineKernel()([[1.0, 1.0], [0.0, 0.0]], [[2.0, 0.0]]).round(4).tolist()
    [[0.7071], [0.0]]
    """

    @property
    def definite(self) -> bool:
        return True

    def origin(self, rows: Any) -> None:
        return None

    def coded(self, rows: Any, origin: Any) -> Coded:
        length = np.sqrt(squares(rows))
        factor = np.divide(1.0, length, out=np.zeros_like(length), where=length > 0).astype(rows.dtype)
        if sparse.issparse(rows):
            return Coded((sparse.diags(factor) @ rows).tocsr())
        return Coded(rows * factor[:, None])

    def fill(self, left: Coded, right: Coded, out: np.ndarray) -> None:
        products(left.rows, right.rows, out)

    def diagonal_of(self, rows: Any) -> np.ndarray:
        return (squares(rows) > 0).astype(np.float64)


def checked_number(value: Any, name: str) -> None:
    if not is_number(value) or not np.isfinite(value):
        raise ValueError(f"{name} must be a finite number, got {value!r}")
