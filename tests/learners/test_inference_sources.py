"""Inference where rows are files, Dask collections, sparse, far from zero, or sent through a basis."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sparse

from sumlearn import LinearRegression, LogisticRegression
from sumlearn.features import Polynomial

from tests.agreement.problems import distance, regression
from tests.learners.inference_problems import EXACT, assert_same, overlapping


@pytest.fixture
def table():
    X, y = regression(9000, 3)
    return pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=y), X, y


def test_files(tmp_path, table):
    frame, X, y = table
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=2000)
    path = str(tmp_path / "rows.parquet")
    streamed, plain = LinearRegression().fit(path, "y"), LinearRegression().fit(X, y)
    assert_same(streamed, plain)
    assert streamed.inference().names == ("intercept", "a", "b", "c")
    assert distance(streamed.robust_covariance(path, "y"), plain.robust_covariance(X, y)) < EXACT
    found, expected = streamed.influence(path, "y"), plain.influence(X, y)
    assert distance(found.leverage, expected.leverage) < EXACT
    assert distance(found.cooks_distance, expected.cooks_distance) < EXACT
    assert distance(streamed.predict_interval(path), plain.predict_interval(X)) < EXACT


def test_dask(table):
    dask_array = pytest.importorskip("dask.array")
    _, X, y = table
    rows, target = dask_array.from_array(X, chunks=(2500, 3)), dask_array.from_array(y, chunks=2500)
    streamed, plain = LinearRegression().fit(rows, target), LinearRegression().fit(X, y)
    assert_same(streamed, plain)
    found, expected = streamed.robust_covariance(rows, target, kind="HC2"), plain.robust_covariance(X, y, kind="HC2")
    assert distance(found, expected) < EXACT
    assert distance(streamed.influence(rows, target).leverage, plain.influence(X, y).leverage) < EXACT


def test_logistic_rows_again(tmp_path):
    """A fit on a stream keeps no curvature; it comes with one more read."""
    X, y = overlapping(9000, 3, 3)
    pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=y).to_parquet(tmp_path / "rows.parquet", row_group_size=2000)
    path = str(tmp_path / "rows.parquet")
    plain = LogisticRegression(C=np.inf).fit(X, y)
    streamed = LogisticRegression(C=np.inf).fit(path, "y")
    assert not hasattr(streamed, "covariance_")
    assert distance(streamed.inference(path, "y").covariance, plain.covariance_) < 1e-7
    dask_array = pytest.importorskip("dask.array")
    rows, target = dask_array.from_array(X, chunks=(2500, 3)), dask_array.from_array(y, chunks=2500)
    assert distance(plain.inference(rows, target).covariance, plain.covariance_) < EXACT


def test_many_rows_are_not_read_once_more(monkeypatch):
    from sumlearn.learners.linear import logistic_regression

    X, y = overlapping()
    kept = LogisticRegression(C=np.inf).fit(X, y)
    monkeypatch.setattr(logistic_regression, "FEW", 1000)
    model = LogisticRegression(C=np.inf).fit(X, y)
    assert not hasattr(model, "covariance_")
    assert distance(model.inference(X, y).covariance, kept.covariance_) < EXACT


def test_sparse_rows_and_float32():
    X, y = regression(200, 3)
    X[np.abs(X) < 2] = 0.0
    plain = LinearRegression().fit(X, y)
    rows = sparse.csr_array(X)
    found = LinearRegression().fit(rows, y)
    assert_same(found, plain)
    assert distance(found.robust_covariance(rows, y), plain.robust_covariance(X, y)) < EXACT
    assert distance(found.predict_interval(rows), plain.predict_interval(X)) < EXACT
    narrow = LinearRegression().fit(X.astype(np.float32), y.astype(np.float32))
    assert_same(narrow, plain, 1e-4)
    X, y = overlapping()
    model = LogisticRegression(C=np.inf).fit(X, y)
    assert distance(model.inference(sparse.csr_array(X), y).covariance, model.covariance_) < EXACT


def test_a_basis_names_its_terms():
    X, y = regression(80, 1)
    model = LinearRegression(basis=Polynomial(2)).fit(X, y)
    plain = LinearRegression().fit(np.column_stack([X, X**2]), y)
    assert distance(model.standard_errors_, plain.standard_errors_) < EXACT
    assert len(model.inference().names) == 3
    assert distance(model.robust_covariance(X, y), plain.robust_covariance(np.column_stack([X, X**2]), y)) < EXACT


@pytest.mark.parametrize("offset", [1e6, 1e9])
def test_offsets(offset):
    """Whole multiples of 1/64, so that the shifted rows hold the same numbers; only the intercept is farther away."""
    X, y = regression(200, 3)
    X = np.round(64 * X) / 64
    near, far = LinearRegression().fit(X, y), LinearRegression().fit(X + offset, y)
    assert distance(far.standard_errors_[1:], near.standard_errors_[1:]) < EXACT
    assert distance(far.predict_interval(X + offset), near.predict_interval(X)) < EXACT
    assert distance(far.robust_covariance(X + offset, y)[1:, 1:], near.robust_covariance(X, y)[1:, 1:]) < EXACT
    assert distance(far.influence(X + offset, y).leverage, near.influence(X, y).leverage) < EXACT
