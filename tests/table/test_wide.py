"""Tables of many columns: what is coded from sums takes memory that grows with the columns, not with their square."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import eye_array

import sumlearn as sl
from sumlearn.features import TableEncoder
from sumlearn.statistics import Moments, Pooled
from sumlearn.testing import assert_same_statistic


def wide_table(columns):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.standard_normal((60, columns)), columns=[f"c{j}" for j in range(columns)])
    table.iloc[3:9, 5], table.iloc[:, 7] = np.nan, 4.0
    return table.assign(k=list("abcab") * 12), rng.integers(0, 3, 60).astype(float)


def peak(work):
    """Bytes that some work takes at most at once."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("make", [Moments.of, Pooled.of, lambda X, y: Moments.of(X, form="diagonal")])
def test_a_sparse_map_takes_little_memory_and_gives_what_a_dense_one_gives(make):
    X, y = np.random.default_rng(0).standard_normal((20, 5000)), np.arange(20) % 3
    sums, few = make(X, y), make(X[:, :200], y)
    A = eye_array(5000, format="csc") * 2.0
    assert peak(lambda: sums.recode(A, np.ones(5000))) < 20e6  # a dense one has 200 MB
    A = A[:200, :190]
    assert_same_statistic(few.recode(A, np.ones(190)), few.recode(A.toarray(), np.ones(190)), 1e-14)


@pytest.mark.parametrize("encode", [True, False])
def test_every_map_of_a_table_is_sparse(encode, monkeypatch):
    dense, recode = [], Moments.recode
    monkeypatch.setattr(Moments, "recode", lambda self, A, *c: dense.append(type(A)) or recode(self, A, *c))
    table, y = wide_table(150)
    if encode:
        TableEncoder().fit(table).transform(table)
    else:
        model = sl.TableModel(sl.Ridge()).fit(table[:30], y[:30]).partial_fit(table[30:], y[30:])
        model.forget(table[:3], y[:3]).predict(table)
    assert {kind.__name__ for kind in dense} == {"csc_array"}


@pytest.mark.slow
@pytest.mark.parametrize("learner", [sl.Ridge(), sl.LinearDiscriminantAnalysis()], ids=repr)
def test_a_wide_table_takes_little_memory(learner):
    table, y = wide_table(3000)
    model = sl.TableModel(learner)
    assert peak(lambda: model.fit(table, y).predict(table)) < 60e6  # of 3,000 x 3,000 numbers one matrix has 72 MB
