"""Polynomials of the columns: monomials, or products of Legendre polynomials."""

from __future__ import annotations

from functools import lru_cache
from math import comb
from typing import Any

import numpy as np

from ..compiled.products import fill_products
from .basis import Basis
from .input_ranges import given_domain, learned_domain, middle_and_half, one_of, whole_number

BLOCK = 1024  # rows whose powers are in the cache at the same time


class Polynomial(Basis):
    """All monomials of the columns up to a degree.

        phi(x) = x_1^k_1 x_2^k_2 ... x_d^k_d,   1 <= k_1 + ... + k_d <= degree

    With ``orthogonal=True`` each power is a Legendre polynomial of the column, brought from its range to [-1, 1]:

        phi(x) = P_k1(t_1) ... P_kd(t_d),   t_j = (2 x_j - low_j - high_j) / (high_j - low_j)
        P_0 = 1,   P_1 = t,   (k + 1) P_(k+1) = (2 k + 1) t P_k - k P_(k-1)

    With the constant they span the same functions, so least squares gives the same curve; but powers are nearly
    dependent, and these are not. Outputs come in the order of scikit-learn's `PolynomialFeatures`: by degree, then
    lexicographic.

    Cost: O(n M) for M = C(d + degree, degree) - 1 outputs, one product each.

    Parameters
    ----------
    degree : int, default=2
        The largest sum of exponents (the note's M). Zero leaves the constant alone, which is the learner's intercept.
    interactions : True, False or "only", default=True
        All monomials; powers of single columns, x_j^k; or products of different columns (each exponent 0 or 1).
    orthogonal : bool, default=False
        Legendre polynomials instead of powers.
    domain : (low, high), one such pair for each column, or None, default=None
        The range that is brought to [-1, 1]; None takes the least and largest value of the rows. Used with
        ``orthogonal=True`` only. Rows outside are mapped by the same polynomials, which grow quickly there.
    bias : bool, default=False
        Begin with a constant column. Learners have an intercept of their own.

    Attributes
    ----------
    domain_ : array (n_features, 2)
        The ranges in use, with ``orthogonal=True``.
    powers_ : array (outputs, n_features)
        The exponents k of every output.

    Examples
    --------
    >>> from sumlearn.features import Polynomial
    >>> basis = Polynomial(degree=2).fit([[2.0, 3.0]])
    >>> basis.get_feature_names_out().tolist()
    ['x0', 'x1', 'x0^2', 'x0 x1', 'x1^2']
    >>> basis.transform([[2.0, 3.0]]).tolist()
    [[2.0, 3.0, 4.0, 6.0, 9.0]]
    >>> Polynomial(3, orthogonal=True, domain=(0.0, 1.0)).fit([[0.0]]).transform([[0.75]]).tolist()
    [[0.5, -0.125, -0.4375]]

    References
    ----------
    Lecture notes 000 and 003; Bishop, "Pattern recognition and machine learning", 2006, section 1.1; Abramowitz &
    Stegun, "Handbook of mathematical functions", 1964, 22.7.10.
    """

    row_by_row = True

    def __init__(
        self,
        degree: int = 2,
        interactions: bool | str = True,
        orthogonal: bool = False,
        domain: Any = None,
        bias: bool = False,
    ) -> None:
        self.degree = degree
        self.interactions = interactions
        self.orthogonal = orthogonal
        self.domain = domain
        self.bias = bias

    @property
    def stateless(self) -> bool:
        """True unless ranges are learned from the rows."""
        return not self.orthogonal or self.domain is not None

    @property
    def powers_(self) -> np.ndarray:
        """The exponents of every output."""
        constant = np.zeros((int(self.bias), self.n_features_in_), dtype=np.intp)
        return np.vstack([constant, exponents(self.n_features_in_, self.degree, self.interactions)])

    def size(self, n_features: int) -> int:
        """Number of outputs for so many columns."""
        degree = whole_number(self.degree, "degree", 0)
        one_of(self.interactions, "interactions", (True, False, "only"))
        if self.interactions is False:
            count = n_features * degree
        elif self.interactions == "only":
            count = sum(comb(n_features, k) for k in range(1, min(degree, n_features) + 1))
        else:
            count = comb(n_features + degree, degree) - 1
        return count + int(self.bias)

    def learn(self, rows: np.ndarray) -> dict[str, Any]:
        self.size(rows.shape[1])
        if not self.orthogonal:
            return {}
        if self.domain is None:
            return {"domain_": learned_domain(rows)}
        return {"domain_": given_domain(self.domain, rows.shape[1])}

    def evaluate(self, X: np.ndarray, out: np.ndarray, first: int) -> None:
        if not self.degree:
            return
        highest = 1 if self.interactions == "only" else self.degree
        factor, rest = plan(X.shape[1], self.degree, self.interactions)
        for start in range(0, len(X), BLOCK):
            rows = slice(start, start + BLOCK)
            factors = legendre(X[rows], self.domain_, highest) if self.orthogonal else powers(X[rows], highest)
            fill_products(factors, factor, rest, out[rows], first)

    def names(self, inputs: list[str]) -> list[str]:
        def power(name: str, k: int) -> str:
            if self.orthogonal:
                return f"P{k}({name})"
            return name if k == 1 else f"{name}^{k}"

        rows = exponents(len(inputs), self.degree, self.interactions)
        return [" ".join(power(inputs[j], row[j]) for j in np.flatnonzero(row)) for row in rows]

    def may_overflow(self, X: np.ndarray) -> bool:
        with np.errstate(over="ignore"):
            return self.orthogonal or not np.isfinite(np.abs(X).max() ** X.dtype.type(self.degree))


def powers(X: np.ndarray, highest: int) -> np.ndarray:
    """x_1 .. x_d, x_1^2 .. x_d^2, ..., up to the highest power."""
    n, d = X.shape
    table = np.empty((n, highest, d), dtype=X.dtype)
    table[:, 0] = X
    with np.errstate(over="ignore"):
        for k in range(1, highest):
            np.multiply(table[:, k - 1], X, out=table[:, k])
    return table.reshape(n, highest * d)


def legendre(X: np.ndarray, domain: np.ndarray, highest: int) -> np.ndarray:
    """P_1(t_1) .. P_1(t_d), P_2(t_1) .. P_2(t_d), ..., where t is x brought from the domain to [-1, 1]."""
    n, d = X.shape
    middle, half = middle_and_half(domain)
    table = np.empty((n, highest, d), dtype=X.dtype)
    with np.errstate(over="ignore", invalid="ignore"):
        t = table[:, 0] = (X - middle) / half  # in float64, since the middle may be far from zero
        for k in range(1, highest):
            before = 1.0 if k == 1 else table[:, k - 2]
            table[:, k] = ((2 * k + 1) * t * table[:, k - 1] - k * before) / (k + 1)
    return table.reshape(n, highest * d)


@lru_cache(maxsize=16)
def plan(d: int, degree: int, interactions: bool | str) -> tuple[np.ndarray, np.ndarray]:
    """How every product is built: its first factor, a column of `powers`, and the rest, an earlier product or -1.

    Products of degree k that begin with column j are, in lexicographic order, x_j^k, then x_j^(k-1) times those of
    degree 1 of later columns, and so on down to x_j times those of degree k - 1. What x_j^m is multiplied with is one
    run of products, since those of a degree are ordered by their first column: `starts[k][j]` is where column j begins.
    """
    factor: list[np.ndarray] = [np.empty(0, dtype=np.intp)]
    rest = list(factor)
    starts: list[list[int]] = [[]]
    size = 0
    for k in range(1, degree + 1):
        starts.append([])
        for j in range(d):
            starts[k].append(size)
            for m in leading_exponents(k, interactions):
                run = np.arange(starts[k - m][j + 1], starts[k - m][d]) if m < k else np.array([-1])
                factor.append(np.full(len(run), (m - 1) * d + j))
                rest.append(run)
                size += len(run)
        starts[k].append(size)
    return np.concatenate(factor, dtype=np.intp), np.concatenate(rest, dtype=np.intp)


def leading_exponents(k: int, interactions: bool | str) -> range:
    """Exponents that the first column of a product of degree k may have, from the largest."""
    if interactions == "only":
        return range(1, 0, -1)
    return range(k, 0 if interactions else k - 1, -1)


def exponents(d: int, degree: int, interactions: bool | str) -> np.ndarray:
    """The exponent of every column in every product: (products, columns)."""
    factor, rest = plan(d, degree, interactions)
    table = np.zeros((len(factor), d), dtype=np.intp)
    for i, (power, column) in enumerate(zip(*divmod(factor, d), strict=True)):
        if rest[i] >= 0:
            table[i] = table[rest[i]]
        table[i, column] += power + 1
    return table
