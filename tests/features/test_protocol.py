"""What every basis does: scikit-learn's checks, frames, the raw map, sameness, and errors that name their place."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from sumlearn.features import Nystroem, Polynomial, RadialBasis, RandomBasis, RandomFourierBasis, SigmoidBasis
from sumlearn.statistics import Moments

CENTRES = [[0.0, 1.0, 2.0], [1.0, 0.0, -1.0], [0.5, 0.5, 3.0]]
STATELESS = [
    Nystroem(components=CENTRES),
    Nystroem("poly", gamma=0.5, components=CENTRES, bias=True),
    Polynomial(3),
    Polynomial(2, "only", bias=True),
    Polynomial(3, False, orthogonal=True, domain=(-4.0, 4.0)),
    RadialBasis(CENTRES),
    RadialBasis(2, "spacing", placing="grid", domain=(0.0, 1.0), bias=True),
    RandomBasis(5, domain=(-4.0, 4.0)),
    RandomBasis(3, "relu", domain=(-4.0, 4.0), bias=True),
    RandomFourierBasis(6, 2.0, bias=True),
    SigmoidBasis([0.0, 1.0], bias=True),
    SigmoidBasis(3, placing="grid", domain=(0.0, 1.0)),
]
LEARNED = [
    Nystroem(gamma="spread", n_components=4, random_state=0),
    Nystroem("laplacian", n_components=4, placing="kmeans", random_state=0, bias=True),
    Polynomial(3, orthogonal=True),
    RadialBasis(4, random_state=0),
    RadialBasis(4, "max_distance", placing="random", random_state=0, bias=True),
    RadialBasis(4, placing="kmeans", random_state=0),
    RadialBasis(2, placing="quantile"),
    RadialBasis(2, placing="grid"),
    RandomBasis(4, "tanh", bias=True),
    RandomBasis(4, "rbf"),
    SigmoidBasis(3),
    SigmoidBasis(3, 0.5, placing="grid"),
]
EVERY = pytest.mark.parametrize("basis", [*STATELESS, *LEARNED], ids=str)
X = np.random.default_rng(0).standard_normal((40, 3))


@pytest.mark.foreign
@parametrize_with_checks(
    [
        Nystroem(n_components=2, random_state=0),
        Polynomial(),
        Polynomial(3, False, orthogonal=True, bias=True),
        RadialBasis(),
        RadialBasis(2, "spacing", placing="quantile"),
        RadialBasis(5, placing="kmeans", random_state=0),
        RandomBasis(10),
        RandomFourierBasis(10),
        SigmoidBasis(),
        SigmoidBasis(2, placing="grid", bias=True),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@EVERY
def test_raw_map_is_the_transform(basis):
    fitted = clone(basis).fit(X)
    for dtype in (np.float64, np.float32):
        for rows in (X.astype(dtype), np.asfortranarray(X, dtype=dtype), X.astype(dtype)[::-2]):
            raw, checked = fitted.map(rows), fitted.transform(rows)
            assert raw.dtype == checked.dtype == dtype
            assert raw.flags.c_contiguous
            assert raw.shape == (len(rows), fitted.size(3))
            assert np.array_equal(raw, checked)
    assert fitted.map(X[:0]).shape == (0, fitted.size(3))
    several = np.tile(X, (130, 1))  # more rows than a block holds
    np.testing.assert_allclose(fitted.map(several), np.tile(fitted.map(X), (130, 1)), rtol=1e-12, atol=1e-14)


@EVERY
def test_bias_is_a_leading_constant(basis):
    without = clone(basis).set_params(bias=False).fit(X).transform(X)
    with_bias = clone(basis).set_params(bias=True).fit(X)
    assert np.array_equal(with_bias.transform(X), np.column_stack([np.ones(len(X)), without]))
    assert with_bias.get_feature_names_out()[0] == "1"


@EVERY
def test_size_is_known_before_the_fit(basis):
    assert clone(basis).size(3) == clone(basis).fit(X).transform(X).shape[1]


@EVERY
def test_sameness(basis):
    one, two = clone(basis).fit(X), clone(basis).fit(X)
    assert one.same_as(two)
    assert one.same_as(pickle.loads(pickle.dumps(one)))
    assert not one.same_as(clone(basis))
    assert not one.same_as(clone(basis).set_params(bias=not basis.bias).fit(X))
    assert not one.same_as("basis")
    other = clone(basis).fit(X[:10] * 3.0 + 1.0)
    assert one.same_as(other) == basis.stateless
    if basis.stateless and not isinstance(basis, RadialBasis | Nystroem):
        assert not one.same_as(clone(basis).fit(X[:, :2]))


def test_sameness_of_parameters():
    assert not Polynomial(2).same_as(Polynomial(3))
    assert not Polynomial(2).same_as(Polynomial(2, "only"))
    assert not Polynomial(2).same_as(SigmoidBasis(2))
    assert not RadialBasis([0.0, 1.0]).same_as(RadialBasis([0.0, 2.0]))
    assert not RadialBasis([0.0, 1.0], 1.0).same_as(RadialBasis([0.0, 1.0], "spacing"))
    listed, array = RadialBasis([[0.0], [1.0]]), RadialBasis(np.array([[0.0], [1.0]]), random_state=3)
    assert listed.same_as(array)
    assert listed.fit(X[:, :1]).same_as(array.fit(X[:, :1]))


def test_stateless_or_not():
    assert all(basis.stateless for basis in STATELESS)
    assert not any(basis.stateless for basis in LEARNED)


@pytest.mark.parametrize("basis", STATELESS, ids=str)
def test_a_stateless_basis_sees_no_rows(basis):
    """Fitted on other rows it maps alike, so sums over chunks that were mapped apart are the sum over all."""
    whole = clone(basis).fit(X).transform(X)
    parts = [clone(basis).fit(part * 0.1 + 5.0).map(part) for part in (X[:1], X[1:15], X[15:])]
    assert np.allclose(np.vstack(parts), whole, rtol=1e-14)
    merged = sum((Moments.of(part) for part in parts[1:]), Moments.of(parts[0]))
    np.testing.assert_allclose(merged.mean, Moments.of(whole).mean, rtol=1e-13)


def frames():
    table = dict(zip("abc", X.T, strict=True))
    return {"pandas": pd.DataFrame(table), "polars": pl.DataFrame(table), "pyarrow": pa.table(table)}


@EVERY
@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_frames(basis, kind):
    table = frames()[kind]
    fitted = clone(basis).fit(table)
    assert np.array_equal(fitted.transform(table), clone(basis).fit(X).transform(X))
    assert list(fitted.feature_names_in_) == ["a", "b", "c"]
    names = fitted.get_feature_names_out()
    assert len(set(names)) == len(names) == fitted.size(3)
    if kind != "pyarrow":
        out = clone(basis).set_output(transform=kind).fit(table).transform(table)
        assert type(out) is type(table)
        assert list(out.columns) == list(names)
    with pytest.raises(ValueError, match="feature names"):
        fitted.transform(frames()["pandas"].rename(columns={"a": "z"}))


def test_names():
    table = frames()["pandas"][["a", "b"]]
    assert Polynomial(2, orthogonal=True).fit(table).get_feature_names_out().tolist() == [
        "P1(a)", "P1(b)", "P2(a)", "P1(a) P1(b)", "P2(b)",
    ]  # fmt: skip
    assert Polynomial(2, False, bias=True).fit(table).get_feature_names_out().tolist() == ["1", "a", "b", "a^2", "b^2"]
    assert SigmoidBasis(2).fit(table).get_feature_names_out().tolist() == [
        "a_sigmoid0", "a_sigmoid1", "b_sigmoid0", "b_sigmoid1",
    ]  # fmt: skip
    assert RadialBasis(2).fit(table).get_feature_names_out().tolist() == ["radial0", "radial1"]


@EVERY
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_bad_values_are_named(basis, value):
    bad = X.copy()
    bad[17, 1] = value
    what = "NaN" if np.isnan(value) else "infinity"
    fitted = clone(basis).fit(X)
    before = fitted.transform(X)
    for method in (fitted.fit, fitted.transform):
        with pytest.raises(ValueError, match=f"Input X contains {what}: first at row 17, column 1"):
            method(bad)
    named = pd.DataFrame(bad, columns=["a", "b", "c"])
    with pytest.raises(ValueError, match=f"Input X contains {what}: first at row 17, column 'b'"):
        clone(basis).fit(named)
    with pytest.raises(ValueError, match=f"Input X contains {what}: first at row 17, column 1"):
        fitted.fit(bad[:, :2])
    assert np.array_equal(fitted.transform(X), before)  # a refused fit changes nothing


@EVERY
def test_input_that_is_no_table_of_numbers(basis):
    with pytest.raises(TypeError, match=r"Sparse data was passed for X.*use X.toarray\(\)"):
        clone(basis).fit(sparse.csr_array(X))
    for bad, message in (
        (np.array([["1.0", "2.0", "3.0"]] * 20), "dtype='numeric' is not compatible with arrays of bytes/strings"),
        (X.astype(str).tolist(), "dtype='numeric' is not compatible with arrays of bytes/strings"),
        (X[0], "Expected 2D array, got 1D array instead"),
        (X + 1j, "Complex data not supported"),
        (X[:0], r"Found array with 0 sample\(s\)"),
        (X[:, :0], r"Found array with 0 feature\(s\)"),
    ):
        with pytest.raises(ValueError, match=message):
            clone(basis).fit(bad)
    with pytest.raises(NotFittedError):
        clone(basis).transform(X)
    with pytest.raises(ValueError, match="X has 2 features, but .* is expecting 3 features"):
        clone(basis).fit(X).transform(X[:, :2])


@EVERY
def test_input_of_other_kinds(basis):
    whole = np.round(X * 10)
    fitted = clone(basis).fit(whole)
    expected = fitted.transform(whole)
    for other in (whole.astype(np.int8), whole.astype(">f8"), whole.astype(object), whole.tolist()):
        assert np.array_equal(fitted.transform(other), expected)
    locked = whole.copy()
    locked.flags.writeable = False
    assert np.array_equal(clone(basis).fit(locked).transform(locked), expected)


def test_a_changed_parameter_leaves_nothing_behind():
    basis = Polynomial(2, orthogonal=True).fit(X)
    basis.set_params(orthogonal=False).fit(X)
    assert basis.same_as(Polynomial(2).fit(X))
