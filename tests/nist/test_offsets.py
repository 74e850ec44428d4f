"""The covariance at large offsets, against exact rational numbers: one pass, merged, decayed and after removals."""

from fractions import Fraction

import numpy as np
import pytest

from sumlearn.statistics import Moments, Pooled

OFFSETS = [0.0, 1e6, 1e9, 1e12]
LIMIT = 1e-15  # error of S_ij relative to sqrt(S_ii S_jj), a few units in the last place


def rows(offset, n=600, d=3, seed=0, scale=1.0):
    """Small whole multiples of 1/64 about a large offset: the rows are exact in double precision at 1e12."""
    rng = np.random.default_rng(seed)
    X = np.round(64 * rng.standard_normal((n, d)) @ (np.eye(d) + 0.5 * np.ones((d, d)))) / 64
    return scale * X + offset


def exact_scatter(X, weight=None):
    """sum w x x' - (sum w x)(sum w x)' / sum w in whole numbers: x in units of 1/64, w in units of 1/8."""
    Z = np.array([[int(64 * v) for v in row] for row in X.tolist()], dtype=object)
    w = np.array([8] * len(X) if weight is None else [int(8 * v) for v in weight.tolist()], dtype=object)
    total, sums = sum(w), w @ Z
    scatter = total * ((w[:, None] * Z).T @ Z) - sums[:, None] * sums
    return np.array([[float(Fraction(int(v), total * 8 * 64**2)) for v in row] for row in scatter])


def error(moments, exact):
    size = np.sqrt(exact.diagonal())
    if moments.form == "diagonal":
        return np.abs(moments.scatter / exact.diagonal() - 1.0).max()
    return np.abs((moments.scatter - exact) / size / size[:, None]).max()


@pytest.fixture(params=OFFSETS, ids="{:.0e}".format)
def offset(request):
    return request.param


@pytest.mark.parametrize("form", ["full", "diagonal"])
@pytest.mark.parametrize("n", [5, 600, 9000])
def test_one_pass(offset, form, n):
    X = rows(offset, n)
    assert error(Moments.of(X, form=form), exact_scatter(X)) <= LIMIT


def test_weights(offset):
    X = rows(offset)
    weight = np.random.default_rng(1).integers(1, 9, len(X)) / 4.0
    assert error(Moments.of(X, weight=weight), exact_scatter(X, weight)) <= LIMIT


@pytest.mark.parametrize("parts", [2, 7, 600])
def test_merged(offset, parts):
    X = rows(offset)
    total = sum(Moments.of(part) for part in np.array_split(X, parts))
    assert error(total, exact_scatter(X)) <= LIMIT


def test_parts_at_different_offsets():
    X = np.vstack([rows(offset, 100, seed=k) for k, offset in enumerate(OFFSETS)])
    parts = [Moments.of(part) for part in np.array_split(X, 4)]
    assert error(sum(parts), exact_scatter(X)) <= LIMIT


def test_mean_keeps_what_one_word_cannot_hold(offset):
    X = rows(offset)
    mean = [sum(map(Fraction, column.tolist())) / len(X) for column in X.T]
    centre = Moments.of(X).centre
    error = [Fraction(float(h)) + Fraction(float(l)) - m for h, l, m in zip(*centre, mean, strict=True)]
    assert max(map(abs, map(float, error))) <= 1e-15


def test_remove_what_is_a_million_times_larger(offset):
    X, big = rows(offset), rows(offset, seed=2, scale=1e6)
    rest = (Moments.of(X) + Moments.of(big)) - Moments.of(big)
    assert error(rest, exact_scatter(X)) <= LIMIT


def test_a_thousand_additions_and_removals(offset):
    X = rows(offset)
    total = Moments.of(X)
    for k in range(1000):
        other = Moments.of(rows(offset, 8, seed=k))
        total = (total + other) - other
    assert total.rows == len(X)
    assert error(total, exact_scatter(X)) <= LIMIT


def test_decay(offset):
    X, more = rows(offset, 50), rows(offset, 30, seed=3)
    total = (Moments.of(X).decay(0.75) + Moments.of(more)).decay(0.5)
    weight = np.repeat([0.375, 0.5], [50, 30])
    assert error(total, exact_scatter(np.vstack([X, more]), weight)) <= LIMIT


@pytest.mark.parametrize("n", [30, 9000])
def test_pooled_within_the_classes(offset, n):
    X = rows(offset, n)
    label = np.arange(n) % 3
    exact = sum(exact_scatter(X[label == k]) for k in range(3))
    parts = [Pooled.of(X[i::2], label[i::2]) for i in range(2)]
    assert error(Pooled.of(X, label).within, exact) <= LIMIT
    assert error(sum(parts).within, exact) <= LIMIT
    assert error(Pooled.of(X, label).moments(), exact_scatter(X)) <= LIMIT


def test_raw_second_moments_would_not_do():
    """The bound is not met by the textbook formula sum x^2 - n m^2, so it tells one from the other."""
    X = rows(1e9)
    raw = X.T @ X - len(X) * np.outer(X.mean(axis=0), X.mean(axis=0))
    exact = exact_scatter(X)
    assert np.abs(raw - exact).max() > 1e-3 * exact.max()
