"""Learners that read mixed columns: whatever came in, they see the same coded rows."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import ClassifierMixin, clone

import sumlearn as sl
from sumlearn.data.coded_columns import CodedColumns
from sumlearn.data.views import viewed
from sumlearn.engines import sample_of
from sumlearn.learners import WholeRows
from sumlearn.learners.description import Description
from sumlearn.statistics.warnings import UnseenLevelsWarning

FRAME = pd.DataFrame(
    {
        "size": [1.0, np.nan, 3.0, 4.0, 5.0, 6.0],
        "city": ["Rome", "Oslo", None, "Rome", "Bern", "Oslo"],
        "open": [True, False, True, True, False, False],
        "grade": pd.Categorical(["low", "top", "mid", "low", "top", "mid"], ["low", "mid", "top"], ordered=True),
        "day": pd.to_datetime(["1970-01-02", "1970-01-03", None, "1970-01-05", "1970-01-06", "1970-01-07"]),
        "kind": ["a", "b", "a", "b", "a", "b"],
    }
)
CODED = np.array(
    [
        [1.0, 2.0, 1.0, 0.0, 1.0],
        [np.nan, 1.0, 0.0, 2.0, 2.0],
        [3.0, np.nan, 1.0, 1.0, np.nan],
        [4.0, 2.0, 1.0, 0.0, 4.0],
        [5.0, 0.0, 0.0, 2.0, 5.0],
        [6.0, 1.0, 0.0, 1.0, 6.0],
    ]
)


class Kept(ClassifierMixin, WholeRows):
    """Keeps its rows; predicts the first label."""

    target, reads, description = "label", "mixed", Description()

    def __init__(self, categorical_features="from_dtype"):
        self.categorical_features = categorical_features

    def learn(self, rows):
        return {"X_": rows.X, "y_": rows.y, "classes_": np.unique(rows.y)}

    def predict(self, X):
        self.asked_ = self.rows_of(X)
        return np.repeat(self.classes_[:1], len(self.asked_))


def same(a, b):
    np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("form", ["pandas", "polars", "arrow", "parquet", "dask"])
def test_every_form_of_a_table_is_coded_alike(form, tmp_path):
    table = {
        "pandas": lambda: FRAME,
        "polars": lambda: pl.from_pandas(FRAME).with_columns(pl.col("grade").cast(pl.Enum(["low", "mid", "top"]))),
        "arrow": lambda: pa.Table.from_pandas(FRAME),
        "parquet": lambda: written(FRAME, tmp_path / "table.parquet"),
        "dask": lambda: pytest.importorskip("dask.dataframe").from_pandas(FRAME, npartitions=3),
    }[form]()
    model = Kept().fit(table, "kind")
    same(model.X_, CODED)
    assert model.columns_.sizes.tolist() == [0, 3, 0, 0, 0]
    assert model.columns_.levels[1] == ("Bern", "Oslo", "Rome") and model.columns_.levels[3] == ("low", "mid", "top")
    asked = FRAME.drop(columns="kind")
    model.predict(asked.iloc[::-1])
    same(model.asked_, CODED[::-1])
    model.predict(written(asked, tmp_path / "asked.parquet"))
    same(model.asked_, CODED)


def written(frame, path):
    frame.to_parquet(path)
    return str(path)


def test_a_csv_file_is_read_by_the_schema_of_the_fit(tmp_path):
    rows = "zip,size,kind\n01234,1,a\n02345,,b\nD-10115,3,a\n"
    (tmp_path / "learnt.csv").write_text(rows)
    (tmp_path / "asked.csv").write_text("zip,size\n01234,1\n02345,\n")
    model = Kept().fit(str(tmp_path / "learnt.csv"), "kind")
    same(model.X_, [[0, 1], [1, np.nan], [2, 3]])
    model.predict(str(tmp_path / "asked.csv"))
    same(model.asked_, [[0, 1], [1, np.nan]])


def test_levels_never_seen_are_gaps_and_counted():
    model = Kept().fit(FRAME, "kind")
    asked = FRAME.drop(columns="kind").assign(city=["Kiel", "Oslo", "Kiel", None, "Ulm", "Rome"])
    with pytest.warns(UnseenLevelsWarning, match="'city' has levels never seen in 3 rows.*'Kiel', 'Ulm'"):
        model.predict(asked)
    same(model.asked_[:, 1], [np.nan, 1, np.nan, np.nan, np.nan, 2])


def test_arrays_have_gaps_and_no_infinity():
    X = np.array([[1.0, np.nan], [2.0, 3.0]], dtype=np.float32)
    model = Kept().fit(X, [0, 1])
    same(model.X_, X)
    assert model.X_.dtype == np.float32 and model.columns_ == CodedColumns.bare(2)
    for bad in (np.inf, -np.inf):
        with pytest.raises(ValueError, match="row 1.*column 0|infinity"):
            Kept().fit(np.array([[1.0, 2.0], [bad, 3.0]]), [0, 1])
        with pytest.raises(ValueError, match="row 0.*column 1|infinity"):
            model.predict(np.array([[1.0, bad]]))
    kept = Kept().fit(np.array([[1.0, 2.0], [np.inf, 3.0], [5.0, 6.0]]), [0, 1, 1], sample_weight=[1.0, 0.0, 1.0])
    same(kept.X_, [[1.0, 2.0], [5.0, 6.0]])  # what weighs nothing is not there


def test_levels_of_rows_that_weigh_nothing_are_none():
    model = Kept().fit(FRAME.drop(columns="kind"), FRAME["kind"], sample_weight=[1, 1, 1, 1, 0, 1])
    assert model.columns_.levels[1] == ("Oslo", "Rome")


@pytest.mark.parametrize("which", [[1], [False, True], np.array([1])])
def test_columns_of_arrays_that_are_declared_to_be_categories(which):
    X = np.array([[1.0, 10.0], [2.0, 9.0], [3.0, np.nan], [4.0, 10.0]])
    model = Kept(which).fit(X, [0, 1, 0, 1])
    same(model.X_, [[1, 1], [2, 0], [3, np.nan], [4, 1]])
    assert model.columns_.levels == (None, ("9", "10")) and model.columns_.sizes.tolist() == [0, 2]
    with pytest.warns(UnseenLevelsWarning):
        model.predict([[1.0, 8.0]])
    same(model.asked_, [[1.0, np.nan]])


def test_declared_columns_that_are_not_there_are_refused():
    refusals = (
        ([2], "integer indices"),
        ([True], "boolean mask"),
        (["town"], "'town' which is not a valid feature name .* The columns are size, city"),
    )
    for which, text in refusals:
        with pytest.raises(ValueError, match=text):
            Kept(which).fit(FRAME[["size", "city"]], FRAME["kind"])
    with pytest.raises(ValueError, match="column 'city' holds levels"):
        Kept(None).fit(FRAME[["size", "city"]], FRAME["kind"])
    same(Kept(["open"]).fit(FRAME[["size", "open"]], FRAME["kind"]).columns_.sizes, [0, 2])


def test_bare_arrays_of_words_stay_refused():
    with pytest.raises(ValueError, match="text, not a number|strings"):
        Kept().fit(np.array([["a", 1.0], ["b", 2.0]], dtype=object), [0, 1])


def test_rows_that_come_coded():
    columns = CodedColumns(("size", "city"), (None, ("Oslo", "Rome")), (False, False))
    model = Kept().with_columns(columns).fit(np.array([[1.0, 0.0], [np.nan, 1.0]]), ["a", "b"])
    assert model.columns_ == columns
    model.predict(np.array([[2.0, np.nan]]))
    same(model.asked_, [[2.0, np.nan]])
    with pytest.raises(ValueError, match="2 columns"):
        Kept().with_columns(columns).fit(np.zeros((2, 3)), ["a", "b"])
    assert not hasattr(clone(model), "columns_")


def test_views_and_samples_of_coded_rows():
    model = Kept()
    source = model.open(FRAME, "kind", None, reset=True)
    seen = viewed(source, lambda chunk: chunk._replace(weight=np.arange(len(chunk.y), dtype=float)))
    inner = Kept()
    inner.fitted_on(inner.looked_at(seen))
    same(inner.X_, CODED[1:])
    assert inner.columns_.sizes.tolist() == [0, 3, 0, 0, 0]
    same(sample_of(source, 10).X, CODED)


def test_saved_with_the_model(tmp_path):
    model = Kept().fit(FRAME, "kind")
    sl.save(model, tmp_path / "model.skops")
    again = sl.load(tmp_path / "model.skops", classes=[Kept])
    assert again.columns_ == model.columns_
    again.predict(FRAME.drop(columns="kind"))
    same(again.asked_, CODED)
