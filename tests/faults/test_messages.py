"""One sentence that names column, row and remedy; and what is given in an unusual form is used, or refused."""

import datetime
import decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sparse

import sumlearn as sl
from sumlearn.features import TableEncoder
from sumlearn.product import train

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
Y = X @ [1.0, 2.0, 3.0]
LABEL = (X[:, 0] > 0).astype(int)
FRAME = pd.DataFrame(X, columns=["a", "b", "c"])


def refusal(call):
    with pytest.raises((ValueError, TypeError)) as caught:
        call()
    text = str(caught.value)
    assert "\n" not in text
    return text


# -- forms of X -------------------------------------------------------------------------------------------------------


def test_sparse_columns_of_pandas_are_used():
    thin = FRAME.assign(a=pd.arrays.SparseArray(X[:, 0]), c=pd.arrays.SparseArray(np.round(X[:, 2])))
    thick = FRAME.assign(c=np.round(X[:, 2]))
    for learner in (sl.Ridge(), sl.TableModel()):
        expected = learner.fit(thick, Y).predict(thick)
        np.testing.assert_array_equal(learner.fit(thin, Y).predict(thin), expected)
    assert TableEncoder().fit(thin).feature_names_out_ == ["a", "b", "c"]


def test_complex_columns_are_refused():
    for bad in (X[:, 1] + 1j, (X[:, 1] + 1j).astype(object)):
        for learner in (sl.TableModel(), sl.Ridge(), TableEncoder()):
            assert "Complex data not supported" in refusal(lambda b=bad, m=learner: m.fit(FRAME.assign(b=b), Y))
    model = sl.TableModel().fit(FRAME, Y)
    assert "column 'b', row 0: Complex" in refusal(lambda: model.predict(FRAME.assign(b=X[:, 1] + 1j)))


def test_masked_values_are_refused():
    mask = np.zeros_like(X, dtype=bool)
    plain = np.ma.masked_array(X, mask)
    np.testing.assert_array_equal(sl.Ridge().fit(plain, Y).coef_, sl.Ridge().fit(X, Y).coef_)
    mask = mask.copy()
    mask[7, 1] = True
    hidden = np.ma.masked_array(X, mask)
    model = sl.Ridge().fit(X, Y)
    for call in (
        lambda: sl.Ridge().fit(hidden, Y),
        lambda: sl.TableModel().fit(hidden, Y),
        lambda: model.predict(hidden),
        lambda: sl.SigmoidNeuron().fit(hidden, LABEL),
    ):
        assert "X is a masked array, and row 7, column 1 is masked" in refusal(call)
    assert "y is a masked array, and row 7 is" in refusal(lambda: model.fit(X, np.ma.masked_array(Y, mask[:, 1])))
    labels = np.ma.masked_array(LABEL, mask[:, 1])
    assert "y is a masked array, and row 7 is" in refusal(lambda: sl.GaussianNB().fit(X, labels))
    weight = np.ma.masked_array(np.ones(40), mask[:, 1])
    assert "sample_weight is a masked array, and row 7" in refusal(lambda: model.fit(X, Y, weight))


def in_pieces(dense):
    """A sparse matrix whose cells are sums of two entries."""
    rows, columns = dense.shape
    away = 100.0 * RNG.normal(size=dense.shape)
    data = np.stack([dense - away, away], axis=2).ravel()
    return sparse.csr_matrix((data, np.tile(np.repeat(np.arange(columns), 2), rows), 2 * columns * np.arange(rows + 1)))


@pytest.mark.parametrize("learner", [sl.SigmoidNeuron, sl.Adaline, sl.Perceptron, sl.LogisticRegression])
def test_cells_of_sparse_rows_in_several_pieces(learner):
    thin = in_pieces(X)
    before = thin.data.copy()
    expected = learner().fit(thin.toarray(), LABEL)
    model = learner().fit(thin, LABEL)
    np.testing.assert_allclose(model.coef_, expected.coef_, atol=1e-9)
    np.testing.assert_array_equal(model.predict(thin), expected.predict(X))
    assert not thin.has_canonical_format and (thin.data == before).all()


@pytest.mark.parametrize(
    "moment", [datetime.datetime(2024, 1, 1), pd.Timestamp("2024-01-01"), np.datetime64("2024-01-01"), pd.Timedelta(1)]
)
def test_moments_among_numbers_are_named(moment):
    bad = X.astype(object)
    bad[3, 1] = moment
    assert "is a moment, not a number, first at row 3, column 1" in refusal(lambda: sl.Ridge().fit(bad, Y))
    frame = pd.DataFrame(bad, columns=["a", "b", "c"])
    assert "is a moment, not a number, first at row 3, column 'b'" in refusal(lambda: sl.Ridge().fit(frame, Y))
    assert "column 'b'" in refusal(lambda: sl.TableModel().fit(frame, Y))
    target = Y.astype(object)
    target[3] = moment
    assert "first at row 3" in refusal(lambda: sl.Ridge().fit(X, target))


@pytest.mark.parametrize("learner", [sl.Ridge(), sl.GaussianNB(), sl.PCA(), sl.TableModel(), TableEncoder()])
def test_names_that_stand_twice(learner):
    twice = FRAME.set_axis(["a", "b", "a"], axis=1)
    expected = "column 'a' stands more than once in X: rename or drop one of them"
    assert refusal(lambda: learner.fit(twice, LABEL)) == expected
    assert refusal(lambda: learner.fit(pa.Table.from_arrays([*X.T], ["a", "b", "a"]), LABEL)) == expected


# -- labels -----------------------------------------------------------------------------------------------------------

LABELS = {
    "decimal": ([decimal.Decimal(1), decimal.Decimal(2)], "row 0 holds Decimal('1') in y; labels are text"),
    "date": ([datetime.date(2024, 1, 1), datetime.date(2024, 1, 2)], "row 0 holds datetime.date(2024, 1, 1) in y"),
    "NA": (["a", pd.NA], "y contains NaN: first at row 1"),
    "mixed": (["a", 1], "y holds labels of different kinds: 'a' in row 0 and 1 in row 1; make all of them text"),
    "truth and number": ([True, 2], "y holds labels of different kinds: True in row 0 and 2 in row 1"),
    "NUL": (["a", "a\0"], "a label contains a NUL byte: row 1 holds 'a\\x00'"),
    "fraction": ([1, 2.5], "Unknown label type: continuous. .*row 1 holds 2.5"),
}


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("learner", [sl.GaussianNB(), sl.LogisticRegression(), sl.TableModel(sl.GaussianNB())])
def test_labels_that_are_none(learner, labels):
    values, words = LABELS[labels]
    y = np.array(values * 20 + [None], dtype=object)[:-1]
    with pytest.raises(ValueError, match=words.replace("(", r"\(").replace(")", r"\)").replace("\\x", r"\\x")):
        learner.fit(X, y)
    with pytest.raises(ValueError, match="row"):
        learner.fit(X, values * 20)


def test_labels_of_files_and_tables_that_are_none(tmp_path):
    frame = {"a": X[:, 0], "b": X[:, 1]}
    pq.write_table(pa.table({**frame, "y": [decimal.Decimal(1), decimal.Decimal(2)] * 20}), tmp_path / "d.parquet")
    assert "row 0 of '" in refusal(lambda: sl.GaussianNB().fit(tmp_path / "d.parquet", "y"))
    table = pa.table({**frame, "y": ["a", "a\0"] * 20})
    for call in (
        lambda: sl.TableModel(sl.GaussianNB()).fit(table, "y"),
        lambda: train(table, "y", models="naive_bayes", cv=2),
    ):
        assert "a label contains a NUL byte: row 1 holds" in refusal(call)


# -- columns of restrict ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ([True], "one truth value for each of the 3 features, got 1"),
        ([True, False, True, True], "one truth value for each of the 3 features, got 4"),
        ([0.5, 1.0, 0.0], "named, numbered or masked by truth values, got 0.5"),
        ([5], "there is no column 5: the model has 3 features"),
        (["z"], "no feature 'z'"),
    ],
)
def test_columns_that_restrict_cannot_mean(columns, words):
    for model in (sl.Ridge().fit(X, Y), sl.TableModel(sl.Ridge()).fit(FRAME, Y)):
        assert words in refusal(lambda m=model: m.restrict(columns))


# -- predictions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["row", "score 1"])
def test_a_target_that_is_called_like_a_column_of_the_predictions(name):
    table = FRAME.assign(**{name: LABEL})
    found = train(table, name, models="lda", cv=2).predictions
    assert list(found) == ["row", "split", "model", f"{name} (target)", "prediction", "score 1"]
    assert found["row"] == list(range(40))
    assert found[f"{name} (target)"] == LABEL.tolist()
    assert set(found["model"]) == {"lda"}
