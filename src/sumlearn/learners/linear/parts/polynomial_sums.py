"""Sums of monomials by class, about an origin of their own: right at any offset and any scale.

Powers of x at an offset of 1e6 have no digits left, so a chunk is summed in z = (x - origin) / 2^unit, with an origin
near its mean and a unit near its reach. Monomials about another origin are a linear map of these,

    (r z + t)^e = sum over f <= e of binom(e, f) r^f t^(e - f) z^f        (products over the columns)

so two sums are brought to one origin before they are added, without rows and in two words. Origins lie on a coarse grid
of powers of two: the numbers t have few bits, and the map is free of rounding.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from math import comb
from typing import Any, Self

import numpy as np

from ....compiled.substitution import gather
from ....features import Polynomial
from ....features.input_ranges import whole_number
from ....features.polynomial import exponents
from ....statistics import Decayable, Grouped, Moments, Removable, Restrictable, Words
from ....statistics.projection import NOTHING, TWO_WORD_EPS
from ....statistics.row_checks import prepare, raise_if_not_finite
from ....statistics.weights import UNIT


@dataclass(frozen=True, eq=False)
class PolynomialSums(Removable, Decayable, Restrictable):
    """Moments of the monomials of z = (x - origin) / 2^unit, for every class.

    >>> a = PolynomialSums.of([[1.0], [2.0]], ["x", "y"], degree=2)
    >>> b = PolynomialSums.of([[5.0], [7.0]], ["x", "x"], degree=2)
    >>> (a + b).about(np.zeros(1), np.ones(1))["x"].mean.tolist()
    [4.333333333333333, 25.0]
    """

    degree: int
    interactions: bool | str
    origin: np.ndarray
    unit: np.ndarray  # exponents of two; NOTHING where a column has not varied yet
    groups: Grouped[Moments]

    @classmethod
    def of(
        cls, X: Any, labels: Any, weight: Any = None, *, degree: int, interactions: bool | str = True
    ) -> PolynomialSums:
        X, labels, weight = prepare(X, labels, weight)
        X = X.astype(np.float64, copy=False)
        basis = Polynomial(degree, interactions)
        whole_number(degree, "degree", 1)
        basis.size(X.shape[1])  # refuses what is no choice
        origin, unit = frame_of(X)
        Z = np.ldexp(X - origin, -np.where(unit == NOTHING, 0, unit))
        return cls(degree, interactions, origin, unit, Grouped.of(basis.map(Z), labels, weight))

    @property
    def weight(self) -> float:
        return self.groups.weight

    @property
    def rows(self) -> int:
        return self.groups.rows

    @property
    def labels(self) -> list[Any]:
        return self.groups.labels

    @property
    def features(self) -> int:
        """Columns of x."""
        return len(self.origin)

    def zero(self) -> Self:
        return replace(self, groups=self.groups.zero())

    def merge(self, other: Self) -> Self:
        a, b = self.together(other)
        return other if not self.rows else replace(a, groups=a.groups.merge(b.groups))

    def remove(self, other: Self) -> Self:
        a, b = self.together(other)
        reach = 2.0**self.degree  # of what powers about another origin are made: |z| and the way between are below one
        return replace(a, groups=a.groups.remove(b.groups, rounded=UNIT, reach=reach))

    def decay(self, factor: float) -> Self:
        return replace(self, groups=self.groups.decay(factor))

    def restrict(self, columns: Any) -> Self:
        chosen = np.asarray(columns)
        index = np.arange(self.features)[chosen if chosen.size else chosen.astype(np.intp)]
        wanted = np.zeros((len(exponents(len(index), self.degree, self.interactions)), self.features), dtype=np.intp)
        np.add.at(wanted.T, index, exponents(len(index), self.degree, self.interactions).T)
        place = places(self.features, self.degree, self.interactions)
        terms = [place[tuple(row)] for row in wanted.tolist()]
        return replace(self, origin=self.origin[index], unit=self.unit[index], groups=self.groups.restrict(terms))

    def inputs(self) -> Moments:
        """Moments of z itself, all classes together: the monomials of degree one come first."""
        return self.groups.restrict(np.arange(self.features)).moments()

    def about(self, origin: np.ndarray, scale: np.ndarray) -> Grouped[Moments]:
        """Moments of the monomials of u = (x - origin) / scale."""
        unit = np.where(self.unit == NOTHING, 0, self.unit)
        return self.substituted(np.ldexp(1.0 / scale, unit), (self.origin - origin) / scale)

    def substituted(self, factor: np.ndarray, offset: np.ndarray) -> Grouped[Moments]:
        """Moments of the monomials of factor * z + offset."""
        index, rest, binomials = expansion(self.features, self.degree, self.interactions)
        basis = Polynomial(self.degree, self.interactions)
        powers, shifts = (np.append(basis.map(values[None])[0], 1.0) for values in (factor, offset))
        coef = binomials * powers[index] * shifts[rest]  # the entry -1 stands for the empty product
        constant = shifts[:-1]
        return self.groups.map(lambda part: mapped(part, index, coef, constant))

    def together(self, other: Self) -> tuple[Self, Self]:
        """Both in the same frame: this origin, and a unit that holds all rows."""
        self._check_same(other)
        if not self.rows or not other.rows:
            return self, replace(other, origin=self.origin, unit=self.unit)
        apart = other.origin - self.origin
        unit = np.maximum(np.maximum(self.unit, other.unit), np.where(apart != 0, np.frexp(apart)[1], NOTHING))
        return self.framed(self.origin, unit), other.framed(self.origin, unit)

    def framed(self, origin: np.ndarray, unit: np.ndarray) -> Self:
        if np.array_equal(origin, self.origin) and np.array_equal(unit, self.unit):
            return self
        shift = np.where(unit == NOTHING, 0, unit)
        groups = self.substituted(np.ldexp(1.0, self.unit - unit), np.ldexp(self.origin - origin, -shift))
        return replace(self, origin=origin, unit=unit, groups=groups)

    def _check_same(self, other: PolynomialSums) -> None:
        for name, attribute in (("degree", "degree"), ("interactions", "interactions"), ("columns", "features")):
            mine, theirs = getattr(self, attribute), getattr(other, attribute)
            if mine != theirs:
                raise ValueError(f"sums of monomials differ in {name}: {mine} and {theirs}")


def frame_of(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """An origin near the mean, on a grid of about half a deviation, and a power of two beyond all |x - origin|."""
    if not len(X):
        return np.zeros(X.shape[1]), np.full(X.shape[1], NOTHING)
    first = X[0]
    with np.errstate(invalid="ignore", over="ignore"):
        away = X - first
        reach = np.abs(away).max(axis=0)
    if not np.isfinite(reach).all():
        raise_if_not_finite(X)
        raise ValueError(f"column {int(np.argmin(np.isfinite(reach)))} is out of the range of numbers: rescale it")
    exponent = np.where(reach > 0, np.frexp(reach)[1], 0)
    away = np.ldexp(away, -exponent)
    grid = exponent + np.frexp(away.std(axis=0))[1] - 1
    origin = first + np.ldexp(away.mean(axis=0), exponent)
    with np.errstate(over="ignore"):
        rounded = np.ldexp(np.rint(np.ldexp(origin, -grid)), grid)
    origin = np.where(reach > 0, np.where(np.isfinite(rounded), rounded, origin), first)
    reach = np.abs(X - origin).max(axis=0)
    return origin, np.where(reach > 0, np.frexp(reach)[1], NOTHING)


def places(d: int, degree: int, interactions: bool | str) -> dict[tuple[int, ...], int]:
    """Where the monomial of these exponents stands; the empty product is at -1."""
    found = {tuple(row): i for i, row in enumerate(exponents(d, degree, interactions).tolist())}
    return found | {(0,) * d: -1}


@lru_cache(maxsize=16)
def expansion(d: int, degree: int, interactions: bool | str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The terms of every monomial: where f stands, where e - f stands, and binom(e, f); without f = 0, padded by -1."""
    place = places(d, degree, interactions)
    rows = []
    for e in exponents(d, degree, interactions).tolist():
        used = [j for j in range(d) if e[j]]
        terms = []
        for f in product(*(range(e[j] + 1) for j in used)):
            if any(f):
                lower, upper = [0] * d, [0] * d
                for j, k in zip(used, f, strict=True):
                    lower[j], upper[j] = k, e[j] - k
                binomial = np.prod([comb(e[j], k) for j, k in zip(used, f, strict=True)])
                terms.append((place[tuple(lower)], place[tuple(upper)], float(binomial)))
        rows.append(terms)
    widest = max(map(len, rows))
    table = np.array([terms + [(-1, -1, 0.0)] * (widest - len(terms)) for terms in rows])
    return table[..., 0].astype(np.intp), table[..., 1].astype(np.intp), table[..., 2].copy()


def mapped(part: Moments, index: np.ndarray, coef: np.ndarray, constant: np.ndarray) -> Moments:
    """Moments of A'z + constant for a sparse A: a projection that costs as many products as A has entries a column."""
    part = part.with_exponent(np.zeros_like(part.exponent))
    p = len(index)
    half, spread, centre = Words.empty((p, p)), Words.empty((p, p)), Words.empty((p, 1))
    gather(index, coef, *part.spread, *half)
    gather(index, coef, *(np.ascontiguousarray(word.T) for word in half), *spread)
    gather(index, coef, *(word[:, None] for word in part.centre), *centre)
    size = (np.abs(coef) * np.sqrt(part.rounding)[index]).sum(axis=1)
    moved = replace(
        part,
        centre=Words(centre.hi[:, 0].copy(), centre.lo[:, 0].copy()),
        spread=spread,
        rounding=size**2 + TWO_WORD_EPS * np.abs(spread.hi.diagonal()),
    )
    return moved.shift(constant)
