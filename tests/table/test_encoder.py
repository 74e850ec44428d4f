"""The encoder as a transformer of scikit-learn."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import sumlearn as sl
from sumlearn.features import TableEncoder

from tests.table.tables import mixed_table, without


@pytest.mark.foreign
@parametrize_with_checks([TableEncoder()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@pytest.mark.foreign
@parametrize_with_checks([TableEncoder(rare=1, scale=False)])
def test_scikit_learn_checks_of_variants(estimator, check):
    check(estimator)


def test_it_is_the_map_of_the_model():
    frame = without(mixed_table(200, 60), "y")
    X = frame.drop(columns="y")
    model, encoder = sl.TableModel(sl.Ridge(2.0)).fit(frame, "y"), TableEncoder().fit(X)
    np.testing.assert_allclose(encoder.transform(X), model.features_of(X), atol=1e-12)
    assert encoder.report_ == model.report_
    pipeline = make_pipeline(TableEncoder(), Ridge(2.0, solver="cholesky")).fit(X, frame["y"])
    np.testing.assert_allclose(pipeline.predict(X), model.predict(X), atol=1e-9)


def test_outputs_have_names():
    X = mixed_table(200, 61)[["size", "city"]]
    out = TableEncoder().set_output(transform="pandas").fit_transform(X)
    assert list(out.columns) == ["size", "size: missing", *TableEncoder().fit(X).feature_names_out_[2:]]
    np.testing.assert_allclose(out["size"].mean(), 0.0, atol=1e-12)
    np.testing.assert_allclose(out["size"].std(ddof=0), 1.0)


def test_weights_count_rows():
    X = mixed_table(60, 62)[["size", "city"]]
    weight = np.arange(60) % 3
    twice = X.loc[X.index.repeat(weight)]
    weighted = clone(TableEncoder()).fit(X, sample_weight=weight).transform(X)
    np.testing.assert_allclose(weighted, TableEncoder().fit(twice).transform(X), atol=1e-12)


def test_a_refused_table_changes_nothing():
    X = mixed_table(60, 63)[["size", "city"]]
    encoder = TableEncoder().fit(X)
    before = encoder.transform(X)
    bad = X.copy()
    bad.loc[5, "size"] = np.inf
    with pytest.raises(ValueError, match="row 5.*'size'"):
        encoder.fit(bad)
    np.testing.assert_array_equal(encoder.transform(X), before)
    with pytest.raises(ValueError, match="'size'"):
        encoder.transform(pd.DataFrame({"city": ["Rome"]}))
