"""Gaussians with weights: densities of rows, and what sums over the rows make of them."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
from scipy.linalg import solve_triangular

from ....compiled.mixture import fill_squares
from ....compiled.quadratic_forms import longest_square, quadratic_forms

NOTHING = -1e300  # the logarithm of a weight that is zero
PRODUCTS = 1e5  # size of the precisions, times squares of means, up to which products cost no digits that matter
NUMBERS = 2**18  # in the rows of a block and their squares: of fewer, threads wait for each other
DOUBTFUL = 1e-9 / np.finfo(float).eps  # the same for the squares of single rows


class Ill(ValueError):
    """Components whose covariance has no inverse."""

    def __init__(self, components: list[int]) -> None:
        self.components = components
        super().__init__(
            "Fitting the mixture model failed because some components have ill-defined empirical covariance (for "
            "instance caused by singleton or collapsed samples). Try to decrease the number of components, increase "
            f"reg_covar, or scale the input data. It is component {', '.join(map(str, components))} whose rows do not "
            "vary in some direction."
        )


class Gaussians(NamedTuple):
    """sum_k pi_k N(z; m_k, (A_k A_k')^-1).

    `factors` holds A: a matrix (features, features) for each component ("full") or for all ("tied"), upper triangular;
    or a number for each component and column ("diag").
    """

    form: str
    weights: np.ndarray
    means: np.ndarray
    factors: np.ndarray

    @classmethod
    def with_covariances(cls, form: str, weights: np.ndarray, means: np.ndarray, covariances: np.ndarray) -> Self:
        """Refused, with the components, where one is singular: it has collapsed, and its density has no bound."""
        return cls(form, weights, means, factors_of(form, covariances))

    @property
    def size(self) -> int:
        return len(self.weights)

    @property
    def log_determinants(self) -> np.ndarray:
        """log |A_k|."""
        if self.form == "diag":
            return np.log(self.factors).sum(axis=1)
        found = np.log(np.diagonal(self.factors, axis1=-2, axis2=-1)).sum(axis=-1)
        return np.broadcast_to(found, self.size)

    @property
    def constants(self) -> np.ndarray:
        """log pi_k + log of the density at its peak, with respect to z."""
        with np.errstate(divide="ignore"):
            logs = np.maximum(np.log(self.weights), NOTHING)
        return logs + self.log_determinants - 0.5 * self.means.shape[1] * np.log(2.0 * np.pi)

    @property
    def precisions(self) -> np.ndarray:
        """A_k A_k', or its diagonal."""
        return self.factors**2 if self.form == "diag" else self.factors @ self.factors.swapaxes(-1, -2)

    @property
    def stiffness(self) -> float:
        """The largest size of a precision: what a product of two coordinates is multiplied with."""
        P = self.precisions[self.weights > 0] if self.form != "tied" else self.precisions[None]
        return float(np.sqrt((P.reshape(len(P), -1) ** 2).sum(axis=1)).max(initial=0.0))

    @property
    def are_wide(self) -> bool:
        """Whether products give log-densities that are right to some 1e-11."""
        squares = (self.means[self.weights > 0] ** 2).sum(axis=1).max(initial=0.0)
        return self.stiffness * (self.means.shape[1] + squares) <= PRODUCTS

    # -- log-densities ------------------------------------------------------------------------------------------------

    def coefficients(self) -> np.ndarray:
        """Theta with log pi_k N(z) = Theta_k'(1, z, z^2) for "diag"; for "tied", (1, z), up to what all share.

        For "full", (z, 1)'Theta_k (z, 1) with upper triangles.
        """
        P, m = self.precisions, self.means
        if self.form == "diag":
            linear = P * m
            return np.column_stack([self.constants - 0.5 * (linear * m).sum(axis=1), linear, -0.5 * P])
        linear = m @ P if self.form == "tied" else np.einsum("kij,kj->ki", P, m)
        constants = self.constants - 0.5 * (linear * m).sum(axis=1)
        if self.form == "tied":
            return np.column_stack([constants, linear])
        d = m.shape[1]
        forms = np.zeros((self.size, d + 1, d + 1))
        forms[:, :d, :d] = np.triu(-P, 1) - 0.5 * P * np.eye(d)
        forms[:, :d, d], forms[:, d, d] = linear, constants
        return forms

    def log_joint(self, Z: np.ndarray) -> np.ndarray:
        """log pi_k N(z) from differences, (components, rows): right however narrow they are."""
        out = np.empty((self.size, Z.shape[1]))
        for k, (constant, mean) in enumerate(zip(self.constants, self.means, strict=True)):
            away = Z - mean[:, None]
            if self.form == "diag":
                away *= self.factors[k][:, None]
            else:
                away = (self.factors if self.form == "tied" else self.factors[k]).T @ away
            out[k] = constant - 0.5 * np.einsum("ij,ij->j", away, away)
        return np.maximum(out, NOTHING, out=out)

    def log_joint_of(self, Z: np.ndarray) -> np.ndarray:
        """The same by products where these are precise."""
        if not self.are_wide:
            return self.log_joint(Z)
        P, largest = products(self.form, Z)
        if largest * self.stiffness > DOUBTFUL:
            return self.log_joint(Z)
        if self.form == "full":
            return forms_of(P, self.coefficients())
        L = self.coefficients() @ P
        return L if self.form != "tied" else L - self.shared(Z)

    def shared(self, Z: np.ndarray) -> np.ndarray:
        """z'P z / 2 of every row, where all components have one covariance."""
        turned = self.factors.T @ Z
        return 0.5 * np.einsum("ij,ij->j", turned, turned)


def products(form: str, Z: np.ndarray) -> tuple[np.ndarray, float]:
    """(1, z, z^2) of rows in columns; (1, z) for "tied", z for "full"; and the largest |z|^2."""
    if form == "full":
        return Z, longest_square(Z)
    if form == "tied":
        return np.concatenate([np.ones((1, Z.shape[1])), Z]), longest_square(Z)
    P = np.empty((1 + 2 * len(Z), Z.shape[1]))
    return P, fill_squares(Z, P)


def forms_of(Z: np.ndarray, forms: np.ndarray) -> np.ndarray:
    """The value of every form at every row."""
    out = np.empty((len(forms), Z.shape[1]))
    quadratic_forms(Z, forms, out)
    return out


def block_rows(features: int) -> int:
    """Rows that are looked at together."""
    return max(NUMBERS // (1 + 2 * features) // 64 * 64, 64)


def factors_of(form: str, covariances: np.ndarray) -> np.ndarray:
    """A with A A' = S^-1."""
    if form == "diag":
        flat = ~(covariances > 0.0).all(axis=1)
        if flat.any():
            raise Ill(np.flatnonzero(flat).tolist())
        return 1.0 / np.sqrt(covariances)
    if form == "tied":
        return factor_of(covariances, 0)
    return np.stack([factor_of(covariance, k) for k, covariance in enumerate(covariances)])


def factor_of(covariance: np.ndarray, component: int) -> np.ndarray:
    """A pivot below the rounding of the diagonal is none."""
    try:
        lower = np.linalg.cholesky(covariance)
    except np.linalg.LinAlgError:
        raise Ill([component]) from None
    if (np.diag(lower) ** 2 <= 4.0 * np.finfo(float).eps * np.diag(covariance)).any():
        raise Ill([component])
    return np.triu(solve_triangular(lower, np.eye(len(lower)), lower=True).T)


def factor_of_precision(precision: np.ndarray) -> np.ndarray:
    """A upper triangular with A A' the matrix: its Cholesky factor from the other end."""
    return np.linalg.cholesky(precision[::-1, ::-1])[::-1, ::-1]
