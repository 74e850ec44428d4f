"""Which columns are read, and what they may hold."""

import datetime
import decimal
import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

from sumlearn import (
    PCA,
    GaussianNB,
    LinearRegression,
    LogisticRegression,
    Ridge,
    RidgeCV,
    SigmoidNeuron,
    TableModel,
    cross_validate,
)
from sumlearn.data import Files
from sumlearn.data.readers import reader_of

from tests.files.tables import (
    FRAME,
    LABELS,
    SCORE,
    X,
    assert_same_fit,
    columns,
    text_file,
    write_arrow,
    write_csv,
    write_json,
    write_parquet,
)

SMALL = columns("number", rows=slice(0, 60))
FORMATS = {"csv": write_csv, "parquet": write_parquet, "arrow": write_arrow, "jsonl": write_json}
each_format = pytest.mark.parametrize("ending", FORMATS)


def small(folder, ending, frame=SMALL):
    path = folder / f"t.{ending}"
    FORMATS[ending](frame, path)
    return path


# -- selection --------------------------------------------------------------------------------------------------------


@each_format
def test_only_the_columns_needed_are_read(tmp_path, monkeypatch, ending):
    """Extra columns are not decoded, whatever they hold."""
    asked = []
    kind = type(reader_of(str(small(tmp_path, ending))))
    read = kind.read

    def spy(self, types, rows):
        for batch in read(self, types, rows):
            asked.append(set(batch.schema.names))
            yield batch

    model = LinearRegression().fit(small(tmp_path, ending), "number")
    monkeypatch.setattr(kind, "read", spy)
    wide = FRAME.iloc[60:120].assign(note="a\nnote", more=1.5)
    model.partial_fit(small(tmp_path, ending, wide), "number")
    assert asked and all(names == {"a", "b", "c", "number"} for names in asked)
    assert_same_fit(model, LinearRegression().fit(X[:60], SCORE[:60]).partial_fit(X[60:120], SCORE[60:120]))


@each_format
@pytest.mark.parametrize("how", ["partial_fit", "forget"])
def test_a_missing_column_is_named_with_the_nearest(tmp_path, ending, how):
    frame = SMALL.rename(columns={"a": "age", "b": "income", "c": "height"})
    model = LinearRegression().fit(small(tmp_path, ending, frame), "number")
    before = model.statistic_
    path = small(tmp_path, ending, frame.rename(columns={"income": "incomes"}))
    with pytest.raises(ValueError, match=rf"no column 'income' in '.*t\.{ending}'; did you mean 'incomes'\?"):
        getattr(model, how)(path, "number")
    assert model.statistic_ is before


@each_format
def test_a_missing_target_or_weight_is_named_with_the_nearest(tmp_path, ending):
    path = small(tmp_path, ending)
    with pytest.raises(ValueError, match="no column 'numbr' for the target in .*did you mean 'number'"):
        LinearRegression().fit(path, "numbr")
    with pytest.raises(ValueError, match="no column 'zzz' for the weight in .*the columns are a, b, number, c"):
        LinearRegression().fit(path, "number", "zzz")


def test_a_column_that_other_files_lack(tmp_path):
    write_csv(SMALL, tmp_path / "0.csv")
    write_csv(SMALL.assign(d=1.0), tmp_path / "1.csv")
    write_csv(SMALL.drop(columns="b"), tmp_path / "2.csv")
    with pytest.raises(ValueError, match=r"1\.csv' has a column 'd' that other files do not have"):
        LinearRegression().fit([tmp_path / "0.csv", tmp_path / "1.csv"], "number")
    with pytest.raises(ValueError, match=r"no column 'b' in .*2\.csv'"):
        LinearRegression().fit([tmp_path / "0.csv", tmp_path / "2.csv"], "number")


def test_a_table_of_the_target_alone(tmp_path):
    with pytest.raises(ValueError, match="holds no column besides the target"):
        LinearRegression().fit(text_file(tmp_path, "y\n1\n2\n"), "y")


def test_without_names_files_cannot_be_matched(tmp_path):
    model = LinearRegression().fit(X[:60], SCORE[:60])
    with pytest.raises(ValueError, match="fitted without column names"):
        model.partial_fit(small(tmp_path, "csv"), "number")


# -- kinds of numbers -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_float32_stays_float32(tmp_path, ending):
    narrow = X[:20_000].astype(np.float32)
    frame = pd.DataFrame(narrow, columns=["a", "b", "c"]).assign(number=SCORE[:20_000])
    path = small(tmp_path, ending, frame)
    model, expected = Ridge().fit(path, "number"), Ridge().fit(narrow, SCORE[:20_000])
    assert_same_fit(model, expected)
    assert model.float_dtype == np.float32
    assert model.coef_.dtype == expected.coef_.dtype == np.float32
    assert PCA().fit(small(tmp_path, ending, frame[["a", "b", "c"]])).components_.dtype == np.float32


def test_one_wide_column_or_file_makes_all_wide(tmp_path):
    narrow = SMALL.astype({"a": "float32", "b": "float32", "c": "float32"})
    mixed = narrow.astype({"b": "float64"})
    assert Ridge().fit(small(tmp_path, "parquet", mixed), "number").coef_.dtype == np.float64
    write_parquet(narrow, tmp_path / "0.parquet")
    write_parquet(SMALL, tmp_path / "1.parquet")
    both = [tmp_path / "0.parquet", tmp_path / "1.parquet"]
    model = Ridge().fit(both, "number")
    assert model.coef_.dtype == np.float64
    rows = np.vstack([narrow[["a", "b", "c"]].to_numpy(np.float64), SMALL[["a", "b", "c"]].to_numpy()])
    assert_same_fit(model, Ridge().fit(rows, np.tile(SCORE[:60], 2)))


def test_every_kind_of_number(tmp_path):
    whole = np.arange(60) % 7
    arrow = {
        **{f"i{b}": pa.array(whole, getattr(pa, f"int{b}")()) for b in (8, 16, 32, 64)},
        **{f"u{b}": pa.array(whole**2 % 5, getattr(pa, f"uint{b}")()) for b in (8, 16, 32, 64)},
        "half": pa.array((whole / 4).astype(np.float16)),
        "truth": pa.array(whole % 2 == 1),
        "decimal": pa.array([decimal.Decimal(int(w)) / 8 for w in whole], pa.decimal128(10, 4)),
        "huge": pa.array(whole * 2**60 + 1, pa.int64()),
        "y": pa.array(SCORE[:60]),
    }
    pa.parquet.write_table(pa.table(arrow), tmp_path / "t.parquet")
    rows = np.column_stack([np.array(column.to_pylist(), dtype=np.float64) for column in list(arrow.values())[:-1]])
    assert_same_fit(Ridge().fit(tmp_path / "t.parquet", "y"), Ridge().fit(rows, SCORE[:60]))


@each_format
def test_booleans_are_numbers(tmp_path, ending):
    frame = SMALL.assign(a=SMALL.a > 0, number=SMALL.number > 0)
    rows = frame[["a", "b", "c"]].to_numpy(np.float64)
    expected = LinearRegression().fit(rows, frame.number.to_numpy(np.float64))
    assert_same_fit(LinearRegression().fit(small(tmp_path, ending, frame), "number"), expected)


@pytest.mark.parametrize("labels", [["no", "yes"], [3, 11], [False, True]], ids=["text", "whole", "truth"])
@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_categories_are_labels(tmp_path, ending, labels):
    codes = (SCORE[:60] > np.median(SCORE[:60])).astype(int)
    frame = columns(rows=slice(0, 60)).assign(label=pd.Categorical.from_codes(codes, labels))
    model = GaussianNB().fit(small(tmp_path, ending, frame), "label")
    assert_same_fit(model, GaussianNB().fit(X[:60], np.array(labels)[codes]))


def test_labels_beyond_a_double(tmp_path):
    """Whole numbers are labels as they are, not as floats."""
    labels = np.where(SCORE[:60] > np.median(SCORE[:60]), 2**60, 2**60 + 1)
    frame = columns(rows=slice(0, 60)).assign(label=labels)
    for ending in FORMATS:
        assert GaussianNB().fit(small(tmp_path, ending, frame), "label").classes_.tolist() == [2**60, 2**60 + 1]


@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow", "jsonl"])
def test_labels_beyond_a_double_among_floats(tmp_path, ending):
    """Read as floats, two classes would be one."""
    whole = columns(rows=slice(0, 60)).assign(label=np.where(np.arange(60) % 2, 2**53, 2**53 + 1))
    FORMATS[ending](whole, tmp_path / f"0.{ending}")
    FORMATS[ending](whole.assign(label=0.0), tmp_path / f"1.{ending}")
    place = rf"row 0 of '.*0\.{ending}'.* holds 9007199254740992\.0 among floats"
    with pytest.raises(ValueError, match=rf"Labels of 2\^53 and more must be whole numbers.*{place}"):
        GaussianNB().fit(tmp_path, "label")


def test_labels_that_no_type_holds(tmp_path):
    """Not wrapped around."""
    for number, labels in enumerate((pa.array([2**63 + 5, 7], pa.uint64()), pa.array([-1, 7], pa.int64()))):
        pa.parquet.write_table(pa.table({"x": [1.0, 2.0], "y": labels}), tmp_path / f"{number}.parquet")
    with pytest.raises(ValueError, match=r"0\.parquet', column 'y', rows from 0: .*9223372036854775813 not in range"):
        GaussianNB().fit(tmp_path, "y")


def test_polars_writes_text_of_another_type(tmp_path):
    import polars as pl

    frame = pl.DataFrame({"a": X[:60, 0], "label": LABELS["text"][:60].tolist()})
    frame.write_parquet(tmp_path / "t.parquet")
    frame.write_ipc(tmp_path / "t.arrow")
    expected = GaussianNB().fit(X[:60, :1], LABELS["text"][:60])
    assert_same_fit(GaussianNB().fit(tmp_path / "t.parquet", "label"), expected)
    assert_same_fit(GaussianNB().fit(tmp_path / "t.arrow", "label"), expected)


# -- what is refused --------------------------------------------------------------------------------------------------


DAY = datetime.date(2024, 2, 29)
REFUSED = {
    "category": pd.Categorical(["u", "v"] * 30),
    "date": pd.Series([pd.Timestamp(DAY)] * 60),
    "text": np.array(["u", "v"] * 30),
    "numeric text": np.array(["1", "2.5"] * 30),
}
KIND = {"numeric text": "text"}


@pytest.mark.parametrize("role", ["feature", "target", "weight"])
@pytest.mark.parametrize("what", REFUSED)
@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_columns_that_hold_no_numbers(tmp_path, ending, what, role):
    name = {"feature": "b", "target": "number", "weight": "w"}[role]
    path = small(tmp_path, ending, SMALL.assign(**{"w": 1.0, name: REFUSED[what]}))
    kind = KIND.get(what, what)
    with pytest.raises(ValueError, match=rf"column '{name}' of '.*t\.{ending}' holds {kind} values, not numbers"):
        LinearRegression().fit(path, "number", "w")


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_text_and_dates_in_text_files(tmp_path, ending):
    for value, kind in (("red", "text"), (str(DAY), "date")):
        path = small(tmp_path, ending, SMALL.assign(b=value))
        with pytest.raises(ValueError, match=rf"column 'b' of '.*' holds {kind} values, not numbers") as caught:
            LinearRegression().fit(path, "number")
        assert ending == "jsonl" or f"(line 2: {value!r})" in str(caught.value)


def test_nested_and_binary_columns(tmp_path):
    plain = {"a": pa.array(X[:3, 0]), "y": pa.array(SCORE[:3])}
    binary = [pa.array([b"x", b"y", b"z"], type) for type in (pa.binary(), pa.large_binary(), pa.binary(1))]
    for bad, kind in ((pa.array([[1.0], [2.0], []]), "nested"), *((bad, "bytes") for bad in binary)):
        pa.parquet.write_table(pa.table({**plain, "bad": bad}), tmp_path / "t.parquet")
        with pytest.raises(ValueError, match=f"column 'bad' of .* holds {kind} values, not numbers"):
            LinearRegression().fit(tmp_path / "t.parquet", "y")
        with pytest.raises(ValueError, match=f"column 'bad' of .* holds {kind} values, not labels"):
            GaussianNB().fit(tmp_path / "t.parquet", "bad")


@each_format
@pytest.mark.parametrize("name", ["a", "number", "weight"])
def test_an_empty_cell_is_named_by_file_row_line_and_column(tmp_path, ending, name):
    frame = columns("number", True, slice(0, 20_000)).assign(weight=1.0)
    frame.loc[17_003, name] = np.nan
    path = tmp_path / f"t.{ending}"
    if ending == "jsonl":
        frame.to_json(path, orient="records", lines=True)  # a null
    else:
        FORMATS[ending](frame, path)
    line = {"csv": ", line 17005", "jsonl": ", line 17004"}.get(ending, "")
    model = LinearRegression()
    with pytest.raises(ValueError, match=rf"row 17003 of '.*t\.{ending}'{line}") as caught:
        model.fit(path, "number", "weight")
    assert {"a": "column 'a'", "number": "y contains", "weight": "sample_weight contains"}[name] in str(caught.value)
    assert not hasattr(model, "statistic_")


@each_format
def test_an_empty_label(tmp_path, ending):
    frame = columns("text", rows=slice(0, 50))
    frame.loc[31, "text"] = None
    if ending == "jsonl":
        frame.to_json(tmp_path / "t.jsonl", orient="records", lines=True)
    else:
        small(tmp_path, ending, frame)
    line = {"csv": ", line 33", "jsonl": ", line 32"}.get(ending, "")
    with pytest.raises(ValueError, match=rf"y contains NaN: first at row 31 of '.*t\.{ending}'{line}\."):
        GaussianNB().fit(tmp_path / f"t.{ending}", "text")


def test_an_empty_cell_in_the_second_file(tmp_path):
    write_csv(columns("number", rows=slice(0, 3_000)), tmp_path / "0.csv")
    frame = columns("number", rows=slice(0, 3_000))
    frame.loc[7, "c"] = np.nan
    write_csv(frame, tmp_path / "1.csv")
    with pytest.raises(ValueError, match=r"row 7 of '.*1\.csv', line 9, column 'c'"):
        LinearRegression().fit(tmp_path, "number")


def test_a_column_without_any_value(tmp_path):
    path = text_file(tmp_path, "a,b,y\n1,,2\n2,,3\n")
    with pytest.raises(ValueError, match=r"row 0 of '.*table\.csv', line 2, column 'b'"):
        LinearRegression().fit(path, "y")


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_numbers_that_are_no_labels(tmp_path, ending):
    frame = columns("number", rows=slice(0, 50)).assign(number=1.0)
    frame.loc[44, "number"] = 1.5
    line = {"csv": ", line 46", "jsonl": ", line 45"}.get(ending, "")
    place = rf"row 44 of '.*t\.{ending}'{line} holds 1\.5"
    with pytest.raises(ValueError, match=f"Unknown label type: continuous.*{place}"):
        GaussianNB().fit(small(tmp_path, ending, frame), "number")


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_labels_that_are_not_finite(tmp_path, value):
    frame = columns(rows=slice(0, 50)).assign(label=1.0)
    frame.loc[12, "label"] = value
    table = pa.table({name: pa.array(frame[name].to_numpy()) for name in frame})  # NaN, not null
    pa.parquet.write_table(table, tmp_path / "t.parquet")
    with pytest.raises(ValueError, match="y contains NaN or infinity: first at row 12 of"):
        GaussianNB().fit(tmp_path / "t.parquet", "label")


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_names_that_stand_twice(tmp_path, ending):
    table = pa.Table.from_arrays([pa.array(X[:9, j]) for j in range(3)], ["a", "y", "a"])
    path = tmp_path / f"t.{ending}"
    (pa.parquet.write_table if ending == "parquet" else pa.feather.write_feather)(table, path)
    with pytest.raises(ValueError, match=rf"column 'a' stands more than once in '.*t\.{ending}'"):
        LinearRegression().fit(path, "y")


# -- how files are named, and what they cannot do ---------------------------------------------------------------------


@pytest.mark.parametrize("where", ["no.csv", "no/*.parquet", "."])
def test_a_path_that_does_not_exist(tmp_path, where):
    message = f"no table found at {str(tmp_path / where)!r}: it is no file, no folder with tables, and no pattern"
    with pytest.raises(FileNotFoundError, match=re.escape(message)):
        LinearRegression().fit(tmp_path / where, "y")
    with pytest.raises(FileNotFoundError, match=re.escape(message)):
        LinearRegression().fit([str(tmp_path / where)], "y")


def test_y_and_weights_must_be_names(tmp_path):
    path = small(tmp_path, "csv")
    with pytest.raises(ValueError, match="X names files, so y must name a column, got ndarray"):
        LinearRegression().fit(path, SCORE[:60])
    with pytest.raises(ValueError, match="X names files, so sample_weight must name a column, got ndarray"):
        LinearRegression().fit(path, "number", np.ones(60))
    with pytest.raises(ValueError, match="requires y to be passed: the name of the target column"):
        LinearRegression().fit(path)


@each_format
def test_rows_of_files_are_numbered_for_splits(tmp_path, ending):
    """tests/evaluation/resampling/test_streams.py has more."""
    path = small(tmp_path, ending)
    expected = cross_validate(LinearRegression(), SMALL, "number", cv=3)["test_score"]
    assert cross_validate(LinearRegression(), path, "number", cv=3)["test_score"] == pytest.approx(expected, rel=1e-9)
    for learner in (RidgeCV(cv=3), RidgeCV()):
        expected = learner.fit(SMALL, "number").coef_
        assert learner.fit(path, "number").coef_ == pytest.approx(expected, rel=1e-9)


def test_the_target_is_no_feature_of_a_projection(tmp_path):
    """As with a data frame: a named target is left out, also where the learner does not need it."""
    path = small(tmp_path, "csv")
    assert list(PCA().fit(SMALL, "number").feature_names_in_) == ["a", "b", "c"]
    assert list(PCA().fit(path, "number").feature_names_in_) == ["a", "b", "c"]


# -- columns that are chosen ------------------------------------------------------------------------------------------


@each_format
def test_columns_are_chosen_or_dropped(tmp_path, ending):
    path = small(tmp_path, ending, SMALL.assign(note="a\nnote", more=1.5))
    for options in ({"columns": ["c", "a"]}, {"drop": ["note", "more", "b"]}):
        names = options.get("columns", ["a", "c"])
        expected = Ridge().fit(SMALL[names], SCORE[:60])
        for model in (Ridge().fit(path, "number", **options), Ridge().fit(Files(path, **options), "number")):
            assert_same_fit(model, expected)
            assert model.feature_names_in_.tolist() == names
            np.testing.assert_array_equal(model.predict(path), expected.predict(SMALL[names]))
    with pytest.raises(ValueError, match="no column 'mor' for drop; did you mean 'more'"):
        Ridge().fit(path, "number", drop=["mor"])
    with pytest.raises(TypeError, match="columns and drop choose among the columns of files: select them"):
        Ridge().fit(SMALL, "number", drop=["b"])


@pytest.mark.parametrize("learner", [GaussianNB, SigmoidNeuron, LogisticRegression, lambda: TableModel(GaussianNB())])
def test_columns_are_chosen_in_every_learner(tmp_path, learner):
    frame = columns(rows=slice(0, 200)).assign(label=LABELS["truth"][:200], note="x")
    path = small(tmp_path, "csv", frame)
    model = learner().fit(path, "label", columns=["a", "b"])
    expected = learner().fit(frame[["a", "b"]], frame["label"])
    np.testing.assert_array_equal(model.predict(frame[["a", "b"]]), expected.predict(frame[["a", "b"]]))


def test_lazy_frames(tmp_path):
    """Computed in pieces into a file, which is read like any other."""
    import polars as pl

    path = small(tmp_path, "parquet", columns("number"))
    lazy = pl.scan_parquet(path).filter(pl.col("a") > 0).with_columns(b=pl.col("b") * 2)
    table = lazy.collect()
    expected = LinearRegression().fit(table, "number")
    model = LinearRegression().fit(lazy, "number")
    assert_same_fit(model, expected)
    np.testing.assert_array_equal(model.predict(lazy), expected.predict(table.drop("number")))
    assert_same_fit(model.partial_fit(lazy, "number"), expected.partial_fit(table, "number"))
    bad = lazy.with_columns(c=pl.when(pl.col("a") > 2).then(None).otherwise(pl.col("c")))
    with pytest.raises(ValueError, match=r"NaN: first at row \d+ of 'a LazyFrame', column 'c'"):
        LinearRegression().fit(bad, "number")
