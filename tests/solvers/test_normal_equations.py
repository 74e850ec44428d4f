"""Least squares from moments against NumPy, SciPy and exact rational numbers."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy.optimize import nnls

from sumlearn.compiled import positive as kernels
from sumlearn.solvers.linear_system import REFINABLE, refine, solve_positive, system_of
from sumlearn.solvers.normal_equations import least_squares
from sumlearn.statistics import Moments, Words


def design(n, d, condition=1.0, seed=0, targets=1):
    """Rows about zero with singular values from 1 to 1 / condition, and targets that are not in their span."""
    rng = np.random.default_rng([seed, n, d])
    U, V = np.linalg.qr(rng.standard_normal((n, d)))[0], np.linalg.qr(rng.standard_normal((d, d)))[0]
    X = np.sqrt(n) * (U * np.geomspace(1.0, 1.0 / condition, d)) @ V
    return X, X @ rng.standard_normal((d, targets)) + 0.1 * rng.standard_normal((n, targets))


def lstsq(X, Y, intercept):
    """Coefficients (targets, features) of least norm by the singular value decomposition, and intercepts."""
    mean, level = (X.mean(axis=0), Y.mean(axis=0)) if intercept else (np.zeros(X.shape[1]), np.zeros(Y.shape[1]))
    coef = np.linalg.pinv(X - mean, rcond=1e-11) @ (Y - level)
    return coef.T, level - mean @ coef


def close(found, expected, tolerance):
    return np.abs(found - expected).max() <= tolerance * np.abs(expected).max()


# -- independent columns ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize(("n", "d"), [(50, 1), (50, 4), (300, 12), (9, 8)])
def test_independent_columns(n, d, intercept):
    X, Y = design(n, d, targets=3)
    X = X + np.arange(d)
    found = least_squares(Moments.of(X, Y), intercept=intercept)
    coef, level = lstsq(X, Y, intercept)
    assert close(found.coef, coef, 1e-11)
    assert close(found.intercept, level, 1e-11) if intercept else (found.intercept == 0).all()
    assert found.rank == d and found.aliased.tolist() == []


def test_no_columns():
    """Nothing to learn from but the mean."""
    y = np.array([1.0, 2.0, 6.0])
    found = least_squares(Moments.of(np.zeros((3, 0)), y))
    assert found.coef.shape == (1, 0)
    assert found.intercept.tolist() == [3.0]


def test_a_single_row():
    found = least_squares(Moments.of([[2.0, 3.0]], [5.0]))
    assert found.coef.tolist() == [[0.0, 0.0]]
    assert found.intercept.tolist() == [5.0]
    assert found.rank == 0
    assert np.isfinite(found.digits)


def test_several_targets_with_penalties_of_their_own():
    X, Y = design(80, 5, targets=5)
    alphas = np.array([3.0, 0.0, 100.0, 3.0, 1e-3])
    found = least_squares(Moments.of(X, Y), alphas)
    for t, alpha in enumerate(alphas):
        centred = X - X.mean(axis=0)
        expected = np.linalg.solve(centred.T @ centred + alpha * np.eye(5), centred.T @ Y[:, t])
        assert close(found.coef[t], expected, 1e-12)
        alone = least_squares(Moments.of(X, Y[:, t]), alpha)
        assert close(found.coef[t], alone.coef[0], 1e-14)
        assert found.intercept[t] == pytest.approx(alone.intercept[0], rel=1e-13)


def test_a_penalty_bounds_the_condition():
    X, Y = design(80, 5, condition=1e8)
    free, held = least_squares(Moments.of(X, Y)), least_squares(Moments.of(X, Y), 1.0)
    assert free.condition > 1e6 > held.condition


# -- precision --------------------------------------------------------------------------------------------------------


def exact(G, g):
    """G x = g in 60 digits, for words G and g."""
    with mpmath.workdps(60):
        A = mpmath.matrix(G.hi.tolist()) + mpmath.matrix(G.lo.tolist())
        b = mpmath.matrix(g.hi.tolist()) + mpmath.matrix(g.lo.tolist())
        return mpmath.lu_solve(A, b)


def relative_error(x, expected):
    """Of hi + lo, in 60 digits."""
    with mpmath.workdps(60):
        found = [mpmath.mpf(float(h)) + mpmath.mpf(float(l)) for h, l in zip(x.hi[:, 0], x.lo[:, 0], strict=True)]
        size = max(abs(v) for v in expected)
        return float(max(abs(a - b) for a, b in zip(found, expected, strict=True)) / size)


@pytest.mark.parametrize("condition", [1e1, 1e3, 1e5])
def test_refinement(condition):
    """A double factor and residuals in two words give more than a double can show."""
    moments = Moments.of(*design(60, 6, condition))
    system = system_of(moments, np.array([0]), 0.0, intercept=True)
    factor = np.linalg.cholesky(system.G.hi).T
    x = refine(np.asfortranarray(factor), system.G, system.g)
    assert relative_error(x, exact(system.G, system.g)) < 2.0**-60


@pytest.mark.parametrize("condition", [1e2, 1e6, 1e9])
def test_two_word_cholesky(condition):
    """Solved throughout in two words: the condition of G costs digits of 31, not of 16."""
    moments = Moments.of(*design(60, 6, condition))
    system = system_of(moments, np.array([0]), 0.0, intercept=True)
    U, kept = Words(system.G.hi.copy(), system.G.lo.copy()), np.ones(6, bool)
    assert kernels.cholesky(U.hi, U.lo, np.zeros(6), kept, np.zeros((6, 6))) == 6
    x = Words(system.g.hi.copy(), system.g.lo.copy())
    kernels.substitute(U.hi, U.lo, kept, x.hi, x.lo)
    assert kept.all()
    assert relative_error(x, exact(system.G, system.g)) < 1e-28 * condition**2


@pytest.mark.parametrize("condition", [1.0, 1e3, 1e5, 1e6, 1e7, 1e9])
def test_either_road_gives_a_full_double(condition):
    """Below and above the limit of refinement the solution of the sums is right to the last digits."""
    moments = Moments.of(*design(60, 6, condition))
    system = system_of(moments, np.array([0]), 0.0, intercept=True)
    answer = solve_positive(system)
    found = answer.condition
    assert answer.kept.all()
    assert relative_error(answer.x, exact(system.G, system.g)) < 1e-15 * max(1.0, condition**2 / 1e14)
    assert condition / 40 <= found <= condition * 40
    if condition >= 1e7:
        assert found**2 > REFINABLE  # the second road was taken


# -- dependent columns ------------------------------------------------------------------------------------------------


def dependent(kind):
    rng = np.random.default_rng(3)
    X = rng.integers(-20, 21, (40, 4)).astype(float)
    if kind == "duplicate":
        return X[:, [0, 1, 1, 2, 3, 0]], [2, 5]
    if kind == "sum of columns":
        return np.column_stack([X, X[:, 0] + X[:, 1] - 2 * X[:, 3]]), [4]
    if kind == "chain of sums":
        return np.column_stack([X[:, 0], X[:, 0] + X[:, 1], X[:, 1], X, X.sum(axis=1)]), [2, 3, 4, 7]
    if kind == "constants":
        return np.column_stack([np.full(40, 3.0), X, np.full(40, -7.0), np.zeros(40)]), [0, 5, 6]
    if kind == "fewer rows than columns":
        return rng.standard_normal((6, 15)) + 2.0, list(range(5, 15))
    if kind == "copy in another unit":
        return np.column_stack([X, 1024.0 * X[:, 2]]), [4]
    if kind == "all equal rows":
        return np.tile(X[0], (40, 1)), [0, 1, 2, 3]
    raise KeyError(kind)


KINDS = [
    "duplicate",
    "sum of columns",
    "chain of sums",
    "constants",
    "fewer rows than columns",
    "copy in another unit",
    "all equal rows",
]


@pytest.mark.parametrize("targets", [1, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_aliased_columns_and_least_norm(kind, targets):
    X, aliased = dependent(kind)
    Y = np.random.default_rng(0).standard_normal((len(X), targets)) + 5.0
    found = least_squares(Moments.of(X, Y))
    coef, level = lstsq(X, Y, True)
    assert found.aliased.tolist() == aliased
    assert found.rank == X.shape[1] - len(aliased)
    assert found.condition == np.inf
    assert np.abs(found.coef - coef).max() <= 1e-10 * (np.abs(coef).max() or 1.0)
    assert close(found.intercept, level, 1e-10)


@pytest.mark.parametrize("kind", KINDS)
def test_aliased_columns_without_intercept(kind):
    X, _ = dependent(kind)
    Y = np.random.default_rng(0).standard_normal((len(X), 2)) + 5.0
    found = least_squares(Moments.of(X, Y), intercept=False)
    coef, _ = lstsq(X, Y, False)
    assert found.rank == np.linalg.matrix_rank(X)
    assert len(found.aliased) == X.shape[1] - found.rank
    assert close(found.coef, coef, 1e-10)


@pytest.mark.parametrize("parts", [2, 7, 40])
@pytest.mark.parametrize("kind", KINDS)
def test_aliased_columns_of_merged_moments(kind, parts):
    X, aliased = dependent(kind)
    y = np.random.default_rng(0).standard_normal(len(X))
    found = least_squares(sum(Moments.of(X[i::parts], y[i::parts]) for i in range(min(parts, len(X)))))
    assert found.aliased.tolist() == aliased
    coef = lstsq(X, y[:, None], True)[0]
    assert np.abs(found.coef - coef).max() <= 1e-9 * (np.abs(coef).max() or 1.0)


@pytest.mark.parametrize("n", [3000, 20000])
def test_aliased_columns_of_many_rows(n):
    """Large chunks are summed by a product or a QR factor: the bound must still tell dependence from rounding."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 5))
    X = np.column_stack([X, X[:, 0] + X[:, 1], X[:, 4]])
    y = X @ np.arange(7.0) + rng.standard_normal(n)
    parts = [Moments.of(part, target) for part, target in zip(np.array_split(X, 4), np.array_split(y, 4), strict=True)]
    found = least_squares(sum(parts))
    assert found.aliased.tolist() == [5, 6]
    assert close(found.coef, lstsq(X, y[:, None], True)[0], 1e-9)


@pytest.mark.parametrize("n", [50, 5000, 50000])
@pytest.mark.parametrize("scale", [1e1, 1e3, 1e4, 1e5, 1e6])
def test_a_total_and_its_parts(scale, n):
    """Whole numbers, so that total = large + small exactly; the small part, by which those two differ, comes last."""
    rng = np.random.default_rng([n, int(scale)])
    large, small = np.round(scale * rng.standard_normal(n)), np.round(10 * rng.standard_normal(n))
    X = np.column_stack([large + small, large, small])
    y = large / scale + small + rng.standard_normal(n)
    found = least_squares(Moments.of(X, y))
    assert (found.rank, found.aliased.tolist()) == (2, [2])
    assert close(found.coef, lstsq(X, y[:, None], True)[0], 1e-6)


@pytest.mark.parametrize("tiny", [1e-5, 1e-6])
def test_nearly_dependent_is_not_dependent(tiny):
    """Never a fixed cut: a column that differs by a millionth is kept and right."""
    X, Y = design(200, 4)
    X = np.column_stack([X, X[:, 0] + tiny * np.random.default_rng(1).standard_normal(200)])
    found = least_squares(Moments.of(X, Y))
    assert found.rank == 5
    assert close(found.coef, lstsq(X, Y, True)[0], 1e-8)


def rational_least_norm(X, y):
    """X^+ y about the mean, in rational numbers.

    b = C'(C C')^-1 (B'B)^-1 B'y for a rank factorisation X = B C, found by exact elimination.
    """
    rows, columns = len(X), len(X[0])
    mean = [sum(column) / Fraction(rows) for column in zip(*X, strict=True)]
    A = [[Fraction(v) - m for v, m in zip(row, mean, strict=True)] for row in X]
    level = sum(map(Fraction, y)) / rows
    t = [Fraction(v) - level for v in y]
    reduced, pivots = [row[:] for row in A], []
    for j in range(columns):  # reduced row echelon form: C is its non-zero rows, B the pivot columns of A
        k = next((i for i in range(len(pivots), rows) if reduced[i][j] != 0), None)
        if k is None:
            continue
        r = len(pivots)
        reduced[r], reduced[k] = reduced[k], reduced[r]
        reduced[r] = [v / reduced[r][j] for v in reduced[r]]
        for i in range(rows):
            if i != r and reduced[i][j] != 0:
                reduced[i] = [a - reduced[i][j] * b for a, b in zip(reduced[i], reduced[r], strict=True)]
        pivots.append(j)
    C, B = reduced[: len(pivots)], [[row[j] for j in pivots] for row in A]
    basis = list(zip(*B, strict=True))
    outer = solve(gram(C), solve(gram(basis), [dot(column, t) for column in basis]))
    return [dot(column, outer) for column in zip(*C, strict=True)]


def dot(a, b):
    return sum(u * v for u, v in zip(a, b, strict=True))


def gram(rows):
    return [[dot(r, s) for s in rows] for r in rows]


def solve(A, b):
    A = [[*row, v] for row, v in zip(A, b, strict=True)]
    for j in range(len(A)):
        k = next(i for i in range(j, len(A)) if A[i][j] != 0)
        A[j], A[k] = A[k], A[j]
        A[j] = [v / A[j][j] for v in A[j]]
        for i in range(len(A)):
            if i != j and A[i][j] != 0:
                A[i] = [a - A[i][j] * c for a, c in zip(A[i], A[j], strict=True)]
    return [row[-1] for row in A]


# 2^32 between scales is a condition of 2^64 of the sums; two words of 2^-104 leave ten digits and more of that
@pytest.mark.parametrize("power", [0, 20, 32])
@pytest.mark.parametrize("seed", range(4))
def test_least_norm_in_natural_units(seed, power):
    """Columns whose scales differ by up to 2^32: the norm is that of the coefficients as they are, and every fitted
    value is that of least squares."""
    rng = np.random.default_rng(seed)
    base = rng.integers(-9, 10, (12, 3))
    scales = [2**power, 1, 2 ** (power // 2)]
    X = base * scales
    combination = rng.integers(-2, 3, (3, 3))
    X = np.column_stack([X, X @ combination])[:, rng.permutation(6)]
    y = rng.integers(-50, 51, 12)
    expected = rational_least_norm(X.tolist(), y.tolist())
    found = least_squares(Moments.of(X.astype(float), y.astype(float)))
    size = max(map(abs, map(float, expected)))
    assert np.abs(found.coef[0] - [float(e) for e in expected]).max() <= 1e-10 * size
    coefficients = [Fraction(b) for b in found.coef[0].tolist()]
    fitted, mine = (np.array([float(dot(row, b)) for row in X.tolist()]) for b in (expected, coefficients))
    rounding = np.finfo(float).eps * (np.abs(X) @ np.abs(found.coef[0])).max()  # of the coefficients to one word
    assert np.abs((mine - mine.mean()) - (fitted - fitted.mean())).max() <= 1e-10 * np.abs(y).max() + 4 * rounding


# -- not negative -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize(("n", "d"), [(60, 5), (40, 1), (200, 12)])
def test_nonnegative(n, d, intercept):
    X, Y = design(n, d, targets=3)
    X = X + 0.5
    found = least_squares(Moments.of(X, Y), intercept=intercept, nonnegative=True)
    mean, level = (X.mean(axis=0), Y.mean(axis=0)) if intercept else (0.0, np.zeros(3))
    for t in range(3):
        expected = nnls(X - mean, Y[:, t] - level[t])[0]
        assert np.abs(found.coef[t] - expected).max() <= 1e-9
    assert (found.coef >= 0).all()


def test_nonnegative_with_a_penalty():
    X, Y = design(60, 5, targets=2)
    found = least_squares(Moments.of(X, Y), [2.0, 30.0], nonnegative=True)
    centred, target = X - X.mean(axis=0), Y - Y.mean(axis=0)
    for t, alpha in enumerate([2.0, 30.0]):
        stacked = np.vstack([centred, np.sqrt(alpha) * np.eye(5)])
        assert np.abs(found.coef[t] - nnls(stacked, np.append(target[:, t], np.zeros(5)))[0]).max() <= 1e-9


def test_nonnegative_with_dependent_columns():
    """The solution may not be unique, but its error is the least that is possible."""
    X, Y = design(60, 4)
    X = np.column_stack([X, X[:, 0] + X[:, 1]])
    b = least_squares(Moments.of(X, Y), nonnegative=True).coef[0]
    centred, target = X - X.mean(axis=0), Y[:, 0] - Y[:, 0].mean()
    least = nnls(centred, target)[1]
    assert (b >= 0).all()
    assert np.linalg.norm(target - centred @ b) == pytest.approx(least, rel=1e-10)


def test_nonnegative_reports_rank():
    X, Y = design(60, 4)
    found = least_squares(Moments.of(np.column_stack([X, X[:, 0]]), Y), nonnegative=True)
    assert found.rank == 4


# -- range ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [1e-160, 1e-60, 1e60, 1e150])
def test_scales_far_from_one(scale):
    X, Y = design(50, 3)
    expected = least_squares(Moments.of(X + 1.0, Y))
    found = least_squares(Moments.of(scale * (X + 1.0), Y))
    assert close(found.coef * scale, expected.coef, 1e-12)
    assert close(found.intercept, expected.intercept, 1e-12)
    found = least_squares(Moments.of(X + 1.0, scale * Y))
    assert close(found.coef / scale, expected.coef, 1e-12)


def test_overflowing_coefficients_are_refused():
    X, Y = design(50, 3)
    with pytest.raises(ValueError, match="coefficient of column .* overflows"):
        least_squares(Moments.of(1e-200 * X, 1e150 * Y))
