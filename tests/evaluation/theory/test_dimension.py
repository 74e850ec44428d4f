"""The curse of dimension: against exact arithmetic."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sumlearn.evaluation import needed_samples, shell_share


@given(st.floats(1e-300, 1.0, exclude_max=True), st.integers(1, 10**6))
def test_shell_share_to_the_last_digits(eps, d):
    with mpmath.workdps(400):
        expected = float(1 - (1 - mpmath.mpf(eps)) ** d)
    assert shell_share(eps, d) == pytest.approx(expected, rel=1e-13)


def test_shell_share_known():
    assert shell_share(0.5, 1) == 0.5 and shell_share(0.5, 2) == 0.75
    assert shell_share(0.0, 7) == 0.0 and shell_share(1.0, 7) == 1.0
    assert shell_share(1e-18, 3) == pytest.approx(3e-18, rel=1e-15)  # 1 - (1 - eps)^d would be 0
    assert shell_share(0.05, 10**9) == 1.0


def test_shell_share_is_the_share_of_drawn_points():
    """Uniform points of the ball: a fifth of the radius below the surface holds 1 - .8^d of them."""
    rng = np.random.default_rng(0)
    d = 6
    direction = rng.standard_normal((40_000, d))
    points = direction / np.linalg.norm(direction, axis=1)[:, None] * rng.uniform(size=(40_000, 1)) ** (1 / d)
    assert (np.linalg.norm(points, axis=1) > 0.8).mean() == pytest.approx(shell_share(0.2, d), abs=0.01)


@given(st.integers(1, 60), st.integers(1, 40))
def test_needed_samples_exact(cells, d):
    found = needed_samples(1 / cells, d)
    assert found == pytest.approx(float(1 / Fraction(1 / cells) ** d), rel=1e-13)
    assert needed_samples(1 / cells, d, log10=True) == pytest.approx(d * math.log10(cells), rel=1e-13, abs=1e-13)


def test_needed_samples_beyond_floats():
    assert needed_samples(0.1, 308) == pytest.approx(1e308, rel=1e-13)
    with pytest.raises(ValueError, match="400 digits.*log10=True"):
        needed_samples(0.1, 400)
    assert needed_samples(0.1, 400, log10=True) == pytest.approx(400.0, rel=1e-14)
    assert needed_samples(1.0, 10**6) == 1.0


def test_arrays():
    assert shell_share([0.1, 0.2], 2) == pytest.approx([0.19, 0.36], rel=1e-14)
    assert needed_samples(0.5, np.array([1, 2, 3])).tolist() == [2.0, 4.0, 8.0]
    assert isinstance(shell_share(0.1, 2), float) and isinstance(needed_samples(0.1, 2), float)


@pytest.mark.parametrize("eps", [-0.1, 1.1, np.nan])
def test_bad_eps(eps):
    for function in (shell_share, needed_samples):
        with pytest.raises(ValueError, match="eps must be"):
            function(eps, 2)
    with pytest.raises(ValueError, match="eps must be"):
        needed_samples(0.0, 2)


@pytest.mark.parametrize("d", [0, -1, np.nan, np.inf])
def test_bad_dimension(d):
    for function in (shell_share, needed_samples):
        with pytest.raises(ValueError, match="d must be"):
            function(0.1, d)


def test_whole_numbers():
    """A thousand cells of edge 0.1 fill a cube, not 999.9999999999998; there is no dimension of two and a half."""
    assert [needed_samples(0.1, d) for d in (1, 3, 9, 15)] == [10.0, 1e3, 1e9, 1e15]
    assert needed_samples(1 / 3, 20) == 3.0**20
    for function in (shell_share, needed_samples):
        with pytest.raises(ValueError, match=r"d must be a whole number of at least 1, got 2\.5"):
            function(0.1, 2.5)
