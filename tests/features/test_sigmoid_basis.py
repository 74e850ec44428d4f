"""Sigmoids against the formula in extended precision, and hand-worked places and widths."""

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sumlearn.features import SigmoidBasis


def rows(n, d, seed=0):
    return np.random.default_rng([seed, n, d]).standard_normal((n, d)) * 2.0 + 0.5


@given(
    n=st.integers(1, 20),
    d=st.integers(1, 4),
    M=st.integers(1, 5),
    width=st.floats(0.1, 10.0),
    form=st.sampled_from(["number", "per centre", "per column"]),
    bias=st.booleans(),
)
def test_formula(n, d, M, width, form, bias):
    """1 / (1 + exp(-(x - mu) / s)), by column and then by centre."""
    X, centres = rows(n, d), rows(M, d, seed=1)
    widths = {
        "number": np.array(width),
        "per centre": width * np.arange(1, M + 1),
        "per column": width * np.arange(1, M * d + 1).reshape(M, d),
    }[form]
    s = {"number": np.full((M, d), width), "per centre": widths.reshape(-1, 1) * np.ones(d), "per column": widths}[form]
    basis = SigmoidBasis(centres, float(widths) if form == "number" else widths, bias=bias).fit(X)
    found = basis.transform(X)
    assert found.shape == (n, d * M + bias) == (n, basis.size(d))
    column = int(bias)
    for k in range(d):
        for j in range(M):
            expected = 1.0 / (1.0 + np.exp(-(X[:, k] - centres[j, k]) / s[j, k]))
            np.testing.assert_allclose(found[:, column], expected, rtol=1e-13)
            column += 1


def test_it_rises():
    """The lecture note prints exp(a), which would fall."""
    phi = SigmoidBasis([0.0], 1.0).fit_transform(np.linspace(-3.0, 3.0, 7)[:, None])[:, 0]
    assert (np.diff(phi) > 0).all()
    assert phi[3] == 0.5


@pytest.mark.parametrize("argument", [-745.0, -700.0, -40.0, -1e-9, 0.0, 1e-9, 30.0, 40.0, 1e5, -1e5, 1e308, -1e308])
def test_both_tails(argument):
    found = SigmoidBasis([0.0], 1.0).fit_transform([[argument]])[0, 0]
    with mpmath.workdps(40):
        exact = float(1 / (1 + mpmath.exp(-mpmath.mpf(argument))))
    assert found == pytest.approx(exact, rel=1e-13, abs=5e-324)


def test_no_overflow_between_huge_numbers():
    basis = SigmoidBasis([1e308, -1e308], 1e-300).fit([[0.0]])
    assert basis.transform([[-1e308], [1e308]]).tolist() == [[0.0, 0.5], [0.5, 1.0]]


def test_float32_and_offset():
    X = (np.round(rows(30, 2) * 1024) / 1024).astype(np.float32)
    plain = SigmoidBasis(4).fit(X)
    assert plain.transform(X).dtype == np.float32
    wide = SigmoidBasis(4).fit(X.astype(float))
    np.testing.assert_allclose(plain.transform(X), wide.transform(X.astype(float)), rtol=1e-6)
    far = SigmoidBasis(4).fit(X.astype(float) + 1e9)
    np.testing.assert_allclose(far.transform(X.astype(float) + 1e9), wide.transform(X.astype(float)), rtol=1e-6)


def test_places_and_spacing_worked_by_hand():
    X = np.array([[0.0, 10.0], [1.0, 10.0], [2.0, 30.0], [4.0, 20.0], [4.0, 20.0]])
    quantile = SigmoidBasis(2).fit(X)  # 1/4 and 3/4 of the values 0, 1, 2, 4 and 10, 20, 30
    assert quantile.centres_.tolist() == [[0.75, 15.0], [2.5, 25.0]]
    assert quantile.widths_.tolist() == [[1.75, 10.0]] * 2
    grid = SigmoidBasis(3, placing="grid").fit(X)
    assert grid.centres_.tolist() == [[0.0, 10.0], [2.0, 20.0], [4.0, 30.0]]
    assert grid.widths_.tolist() == [[2.0, 10.0]] * 3
    ends = SigmoidBasis(3, placing="grid", domain=(0.0, 1.0)).fit(X)
    assert ends.centres_.tolist() == [[0.0, 0.0], [0.5, 0.5], [1.0, 1.0]]
    listed = SigmoidBasis([0.0, 1.0, 5.0]).fit(X)
    assert listed.centres_.tolist() == [[0.0, 0.0], [1.0, 1.0], [5.0, 5.0]]
    assert listed.widths_.tolist() == [[2.5, 2.5]] * 3


@pytest.mark.parametrize("placing", ["quantile", "grid"])
def test_constant_columns_and_a_single_row(placing):
    phi = SigmoidBasis(3, placing=placing).fit_transform([[7.0, 1e12]])
    assert np.isfinite(phi).all()
    assert phi[0, 1] == pytest.approx(0.5)
    assert (np.diff(phi[0, :3]) < 0).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"centres": 0}, "centres must be a whole number of at least 1, got 0"),
        ({"centres": 1}, "width='spacing' needs at least two different centres"),
        ({"centres": [[1.0, 2.0, 3.0]]}, r"centres must have shape \(M,\) or \(M, 2\), got \(1, 3\)"),
        ({"centres": [np.inf]}, r"centres must be finite, got inf at index \(0,\)"),
        ({"centres": [-1e308, 1e308]}, "width='spacing' needs .* finite"),
        ({"width": 0.0}, "width must be positive, got 0"),
        ({"width": [1.0, -2.0, 1.0]}, "width must be positive, got -2"),
        ({"width": [1.0, 2.0]}, "width must hold 3 numbers"),
        ({"width": [[1.0], [1.0], [1.0]]}, r"width must have shape \(M,\) or \(M, 2\)"),
        ({"width": "narrow"}, "width must be one of 'spacing', got 'narrow'"),
        ({"placing": "random"}, "placing must be one of 'quantile', 'grid', got 'random'"),
        ({"placing": "grid", "domain": (2.0, 1.0)}, "domain must have low < high"),
    ],
)
def test_bad_parameters(options, message):
    with pytest.raises(ValueError, match=message):
        SigmoidBasis(**{"centres": 3} | options).fit(rows(20, 2))
