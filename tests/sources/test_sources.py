"""The same rows in any container give the same model, and are never changed."""

import decimal
import functools

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sparse

from sumlearn import NMF, GaussianNB, LinearRegression, Ridge, RidgeCV
from sumlearn.testing import assert_same_model, assert_same_statistic, outputs

from tests.laws.discovered import MATRIX_ESTIMATORS as ESTIMATORS
from tests.laws.discovered import MATRIX_LEARNERS as LEARNERS
from tests.laws.discovered import MATRIX_REGRESSORS as REGRESSORS
from tests.laws.discovered import POINT_CLASSIFIERS as CLASSIFIERS
from tests.laws.discovered import target

rng = np.random.default_rng(0)
WHOLE = rng.integers(0, 100, (90, 4))  # whole numbers that every kind of number can hold
WHOLE[:, 1] = rng.integers(0, 2, 90)
X = WHOLE.astype(float)
NAMES = ["a", "b", "c", "d"]
each_estimator = pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)


def reversed_twice(A):
    """The same values behind negative strides."""
    return np.ascontiguousarray(A[::-1, ::-1])[::-1, ::-1]


def read_only(A):
    A = A.copy()
    A.flags.writeable = False
    return A


def strided(A):
    wide = np.full((2 * len(A), 2 * A.shape[1]), -1.0)
    wide[::2, ::2] = A
    return wide[::2, ::2]


ARRAYS = {
    "Fortran order": np.asfortranarray,
    "negative strides": reversed_twice,
    "every other": strided,
    "big-endian": lambda A: A.astype(">f8"),
    "big-endian float32": lambda A: A.astype(">f4"),
    "little-endian float32 in Fortran order": lambda A: np.asfortranarray(A.astype("<f4")),
    "read-only": read_only,
    "longdouble": lambda A: A.astype(np.longdouble),
    "float16": lambda A: A.astype(np.float16),
    "objects": lambda A: A.astype(object),
    "objects of all kinds": lambda A: np.array(
        [[np.float32(row[0]), bool(row[1]), int(row[2]), decimal.Decimal(int(row[3]))] for row in A], dtype=object
    ),
    "lists": lambda A: A.tolist(),
    "tuples": lambda A: tuple(map(tuple, A.tolist())),
    **{f"int{b}": (lambda A, b=b: A.astype(f"int{b}")) for b in (8, 16, 32, 64)},
    **{f"uint{b}": (lambda A, b=b: A.astype(f"uint{b}")) for b in (8, 16, 32, 64)},
    "big-endian int16": lambda A: A.astype(">i2"),
}
SPARSE = {
    name: getattr(sparse, name)
    for name in ("csr_matrix", "csc_matrix", "coo_matrix", "lil_matrix", "csr_array", "csc_array", "coo_array")
}
NULLABLE = pd.DataFrame(X, columns=NAMES).astype({"a": "Int64", "b": "boolean", "c": "Float64", "d": "UInt8"})
FRAMES = {
    "pandas": pd.DataFrame(X, columns=NAMES),
    "pandas of all kinds": pd.DataFrame(X, columns=NAMES).astype(
        {"a": "int8", "b": bool, "c": "float32", "d": "uint16"}
    ),
    "pandas nullable": NULLABLE,
    "pandas of arrow": pd.DataFrame(X, columns=NAMES).astype({"a": "int64[pyarrow]", "b": "bool[pyarrow]"}),
    "pandas of objects": pd.DataFrame(X, columns=NAMES).astype(object),
    "pandas with an index": pd.DataFrame(X, columns=NAMES, index=np.arange(90)[::-1] * 7),
    "polars": pl.DataFrame(X, schema=NAMES),
    "polars of all kinds": pl.DataFrame(X, schema=NAMES).cast({"a": pl.Int8, "b": pl.Boolean, "c": pl.Float32}),
    "pyarrow": pa.table({name: X[:, j] for j, name in enumerate(NAMES)}),
    "pyarrow of all kinds": pa.table(
        {"a": pa.array(WHOLE[:, 0], pa.int8()), "b": pa.array(X[:, 1] > 0), "c": X[:, 2], "d": pa.array(WHOLE[:, 3])}
    ),
    "pyarrow in pieces": pa.concat_tables(
        [pa.table({name: X[rows, j] for j, name in enumerate(NAMES)}) for rows in (slice(0, 7), slice(7, 90))]
    ),
}


def rounding(kind, single):
    """What another layout may change; factors go through a hundred steps, and of single rows they are single too."""
    return (2e-6 if single else 1e-14) * (50 if kind is NMF else 1)


def y_for(kind):
    return target(kind, X)


@functools.cache
def plain(kind):
    """The model of the rows as an array; nobody changes it."""
    return kind().fit(X, y_for(kind))


@functools.cache
def plain_outputs(kind):
    return outputs(plain(kind), X)


def assert_same_outputs(found, wanted, tolerance):
    assert list(found) == list(wanted)
    for name in wanted:
        if wanted[name].dtype.kind == "f":
            assert found[name].dtype.kind == "f"
            assert np.abs(found[name] - wanted[name]).max() <= tolerance * np.abs(wanted[name]).max()
        else:
            assert np.array_equal(found[name], wanted[name])


@pytest.mark.thinned(7)
@each_estimator
@pytest.mark.parametrize("layout", ARRAYS)
def test_arrays_of_any_layout(kind, layout):
    given = ARRAYS[layout](X)
    y = y_for(kind)
    tolerance = rounding(kind, "float32" in layout)
    model = kind().fit(given, y)
    assert_same_model(model, plain(kind), X, tolerance)
    assert_same_outputs(outputs(model, given), plain_outputs(kind), tolerance)


@each_estimator
def test_boolean_arrays(kind):
    B = rng.random((60, 3)) < 0.5
    y = target(kind, B.astype(float) + rng.standard_normal((60, 3)))
    assert_same_model(kind().fit(B, y), kind().fit(B.astype(float), y), B.astype(float), 1e-14)


@each_estimator
def test_read_only_memory_map(kind, tmp_path):
    np.save(tmp_path / "x.npy", X)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    assert isinstance(mapped, np.memmap)
    y = y_for(kind)
    model = kind().fit(mapped, y)
    assert_same_model(model, plain(kind), X, 0.0)
    assert_same_model(model, plain(kind), mapped, 0.0)
    assert np.array_equal(np.load(tmp_path / "x.npy"), X)


@pytest.mark.thinned(8)
@each_estimator
@pytest.mark.parametrize("layout", SPARSE)
@pytest.mark.parametrize("dtype", [np.float64, np.int32, np.float32])
def test_sparse_of_any_layout(kind, layout, dtype):
    given = SPARSE[layout](X.astype(dtype))
    y = y_for(kind)
    tolerance = rounding(kind, dtype == np.float32)
    model = kind().fit(given, y)
    assert_same_model(model, plain(kind), X, tolerance)
    assert_same_outputs(outputs(model, given), plain_outputs(kind), tolerance)


@pytest.mark.thinned(4)
@each_estimator
@pytest.mark.parametrize("kind_of_frame", FRAMES)
def test_frames(kind, kind_of_frame):
    frame = FRAMES[kind_of_frame]
    y = y_for(kind)
    model = kind().fit(frame, y)
    assert list(model.feature_names_in_) == NAMES
    assert_same_outputs(outputs(model, frame), plain_outputs(kind), 1e-14)


@pytest.mark.parametrize("kind", LEARNERS, ids=lambda kind: kind.__name__)
def test_frames_of_different_libraries_can_be_mixed(kind):
    y = y_for(kind)

    def part(rows):
        return None if y is None else y[rows]

    model = kind().fit(FRAMES["pandas"][:30], part(slice(0, 30)))
    model.partial_fit(FRAMES["polars"][30:60], part(slice(30, 60)))
    model.partial_fit(FRAMES["pyarrow"].slice(60), part(slice(60, 90)))
    assert_same_model(model, kind().fit(FRAMES["pandas"], y), FRAMES["polars"])
    model.forget(FRAMES["pyarrow"].slice(0, 30), part(slice(0, 30)))
    assert_same_model(model, kind().fit(FRAMES["pandas"][30:], part(slice(30, 90))), FRAMES["pandas"])


TARGETS = {
    "list": lambda y: y.tolist(),
    "tuple": lambda y: tuple(y.tolist()),
    "series": pd.Series,
    "series with an index": lambda y: pd.Series(y, index=np.arange(len(y))[::-1]),
    "polars series": pl.Series,
    "pyarrow array": pa.array,
    "pyarrow chunked array": lambda y: pa.chunked_array([pa.array(y[:10]), pa.array(y[10:])]),
    "read-only": read_only,
    "objects": lambda y: y.astype(object),
}


@pytest.mark.thinned(4)
@pytest.mark.parametrize("kind", CLASSIFIERS + REGRESSORS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("form", TARGETS)
def test_targets_in_any_container(kind, form):
    y = y_for(kind)
    assert_same_model(kind().fit(X, TARGETS[form](y)), plain(kind), X, 0.0)


@pytest.mark.parametrize("form", ["series", "polars series", "pyarrow array", "list"])
def test_weights_in_any_container(form):
    weight = 1.0 + np.arange(90) % 3
    expected = Ridge().fit(X, X[:, 0], sample_weight=weight)
    assert_same_model(Ridge().fit(X, X[:, 0], sample_weight=TARGETS[form](weight)), expected, X, 0.0)


def with_target(library, y):
    columns = {name: X[:, j] for j, name in enumerate(NAMES)}
    columns = {"a": columns.pop("a"), "target": y, **columns}
    return {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}[library](columns)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("kind", CLASSIFIERS + REGRESSORS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_target_is_the_name_of_a_column(kind, library):
    y = y_for(kind)
    model = kind().fit(with_target(library, y), "target")
    assert list(model.feature_names_in_) == NAMES
    assert_same_model(model, kind().fit(FRAMES["pandas"], y), FRAMES["pandas"])
    if kind in LEARNERS:
        twice = kind().fit(with_target(library, y), "target").partial_fit(with_target(library, y), "target")
        both = kind().fit(np.vstack([X, X]), np.concatenate([y, y]))
        assert_same_statistic(twice.statistic_, both.statistic_)


def test_target_that_is_no_column():
    frame = with_target("pandas", X[:, 0])
    with pytest.raises(ValueError, match="no column 'tarket' in X; did you mean 'target'"):
        Ridge().fit(frame, "tarket")
    with pytest.raises(ValueError, match="X must be a data frame"):
        Ridge().fit(X, "target")


@pytest.mark.thinned(2)
@each_estimator
@pytest.mark.parametrize("library", ["pandas", "pandas nullable", "polars", "pyarrow"])
def test_nulls_are_named_by_column_and_row(kind, library):
    values = [None if i == 17 else float(v) for i, v in enumerate(X[:, 2])]
    columns = {"a": X[:, 0], "b": X[:, 1], "with hole": values, "d": X[:, 3]}
    frame = {
        "pandas": lambda: pd.DataFrame(columns),
        "pandas nullable": lambda: pd.DataFrame(columns).astype({"with hole": "Int64"}),
        "polars": lambda: pl.DataFrame(columns),
        "pyarrow": lambda: pa.table(columns),
    }[library]()
    with pytest.raises(ValueError, match="Input X contains NaN: first at row 17, column 'with hole'"):
        kind().fit(frame, y_for(kind))


@pytest.mark.parametrize("library", ["pandas nullable", "polars", "pyarrow"])
def test_null_among_booleans_is_named(library):
    flags = [True, False, None, True, False, True]
    columns = {"x": [1.0, 2.0, 4.0, 3.0, 6.0, 5.0], "flag": flags}
    frame = {
        "pandas nullable": lambda: pd.DataFrame(columns).astype({"flag": "boolean"}),
        "polars": lambda: pl.DataFrame(columns),
        "pyarrow": lambda: pa.table(columns),
    }[library]()
    with pytest.raises(ValueError, match="Input X contains NaN: first at row 2, column 'flag'"):
        LinearRegression().fit(frame, np.arange(6.0))


@pytest.mark.parametrize(
    ("column", "what"),
    [
        (["x", "y", "z"], "text"),
        (pd.Categorical(["x", "y", "x"]), "category"),
        (pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-05"]), "date"),
        (pd.to_timedelta([1, 2, 3], unit="s"), "date"),
    ],
)
def test_columns_that_are_no_numbers_are_named(column, what):
    frame = pd.DataFrame({"x": [1.0, 2.0, 4.0], "odd one": column})
    with pytest.raises(ValueError, match=f"'odd one' holds {what}"):
        Ridge().fit(frame, [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match=f"'odd one' holds {what}"):
        Ridge().fit(pl.from_pandas(frame), [1.0, 2.0, 3.0])


@pytest.mark.thinned(3)
@each_estimator
@pytest.mark.parametrize("form", ["array", "Fortran", "float32", "int", "csr", "csc", "pandas"])
def test_input_is_never_changed(kind, form):
    make = {
        "array": lambda: X.copy(),
        "Fortran": lambda: np.asfortranarray(X),
        "float32": lambda: X.astype(np.float32),
        "int": lambda: WHOLE.copy(),
        "csr": lambda: sparse.csr_matrix(X),
        "csc": lambda: sparse.csc_matrix(X),
        "pandas": lambda: pd.DataFrame(X, columns=NAMES),
    }[form]
    given, y, weight = make(), y_for(kind), 1.0 + np.arange(90) % 2
    y_before = None if y is None else y.copy()
    model = kind().fit(given, y, sample_weight=weight)
    outputs(model, given)
    if kind in LEARNERS:
        model.partial_fit(given, y).forget(given, y)
    now = given.toarray() if sparse.issparse(given) else np.asarray(given)
    assert np.array_equal(now, X)
    assert now.dtype == (float if form == "pandas" else make().dtype)
    assert np.array_equal(weight, 1.0 + np.arange(90) % 2)
    assert y is None or np.array_equal(y, y_before)


def test_large_frame_is_read_in_chunks():
    """More rows than a chunk, so that errors and results cross the border."""
    Z = rng.standard_normal((70_000, 3))
    y = Z @ [1.0, -2.0, 0.5]
    expected = LinearRegression().fit(Z, y)
    for frame in (pd.DataFrame(Z, columns=list("abc")), pl.DataFrame(Z, schema=list("abc"))):
        assert_same_statistic(LinearRegression().fit(frame, y).statistic_, expected.statistic_, 0.0)
    Z[66_001, 1] = np.nan
    with pytest.raises(ValueError, match="row 66001, column 'b'"):
        LinearRegression().fit(pl.DataFrame(Z, schema=list("abc")), y)
    with pytest.raises(ValueError, match="row 66001, column 1"):
        LinearRegression().fit(Z, y)
    with pytest.raises(ValueError, match="row 66001, column 1"):
        GaussianNB().fit(Z, y > 0)
    with pytest.raises(ValueError, match="row 66001, column 1"):
        RidgeCV(cv=3).fit(Z, y)


@pytest.mark.parametrize("table", [np.array, pd.DataFrame])
def test_text_among_objects_is_named_by_its_place(table):
    """Also far down, where another chunk begins."""
    objects = np.ones((9000, 2), dtype=object)
    objects[8500, 1] = "7"
    with pytest.raises(ValueError, match="'7' is text, not a number, first at row 8500, column '?1'?$"):
        Ridge().fit(table(objects), np.ones(9000))


def test_unsigned_labels_beyond_the_signed_range():
    y = np.array([2**63 + 1, 2**63 + 2, 2**63 + 9] * 5, dtype=np.uint64)
    X = np.random.default_rng(0).standard_normal((15, 2))
    assert GaussianNB().fit(X, y).classes_.tolist() == [2**63 + 1, 2**63 + 2, 2**63 + 9]
