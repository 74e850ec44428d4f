"""The same table from pandas, polars, pyarrow, CSV and Parquet is the same model."""

import numpy as np
import pandas as pd
import pytest

import sumlearn as sl
from sumlearn import TableModel
from sumlearn.data.dialect import ReadingWarning

from tests.table.tables import mixed_table, together, without

pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")


def in_forms(frame, folder):
    frame.to_parquet(folder / "t.parquet")
    frame.to_csv(folder / "t.csv", index=False)
    nullable = frame.convert_dtypes()
    return {
        "polars": pl.from_pandas(frame),
        "pyarrow": pa.Table.from_pandas(frame),
        "nullable pandas": nullable,
        "categorical": frame.assign(city=frame.city.astype("category")),
        "objects": frame.astype(object),
        "parquet": str(folder / "t.parquet"),
        "csv": str(folder / "t.csv"),
    }


@pytest.mark.parametrize("target", ["y", "kind"])
def test_every_form_gives_the_same_model(target, tmp_path):
    frame = without(mixed_table(300, 20), target)
    learner = sl.Ridge() if target == "y" else sl.LinearDiscriminantAnalysis()
    expected = TableModel(learner).fit(frame, target)
    for form, table in in_forms(frame, tmp_path).items():
        model = TableModel(learner).fit(table, target)
        assert model.schema_.kinds == expected.schema_.kinds, form
        assert model.feature_names_out_ == expected.feature_names_out_, form
        np.testing.assert_allclose(model.learner_.coef_, expected.learner_.coef_, atol=1e-12, err_msg=form)
        np.testing.assert_array_equal(model.predict(table), model.predict(frame), err_msg=form)
        updated = model.forget(table, target) if form == "csv" else model.partial_fit(table, target)
        assert updated.statistic_.rows == (0 if form == "csv" else 600)


def test_files_are_updated_from_files_and_cross_validated(tmp_path):
    first, second = without(mixed_table(400, 21), "y"), without(mixed_table(300, 22, ("Rome", "Lima")), "y")
    whole = together(first, second)
    for name, frame in {"a": first, "b": second, "whole": whole}.items():
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    model = TableModel().fit(str(tmp_path / "a.csv"), "y").partial_fit(str(tmp_path / "b.csv"), "y")
    expected = TableModel().fit(whole, "y")
    np.testing.assert_allclose(model.predict(whole), expected.predict(whole), atol=1e-10)
    both = TableModel().fit([str(tmp_path / "a.csv"), str(tmp_path / "b.csv")], "y")
    np.testing.assert_allclose(both.predict(whole), expected.predict(whole), atol=1e-10)
    ours = sl.cross_validate(TableModel(), str(tmp_path / "whole.csv"), "y", cv=3)
    theirs = sl.cross_validate(TableModel(), whole, "y", cv=3)
    np.testing.assert_allclose(ours["test_score"], theirs["test_score"], atol=1e-10)


def test_a_csv_as_people_write_it(tmp_path):
    """A byte-order mark, semicolons, quotes with a delimiter in them, gaps, dates, booleans."""
    rows = ['"size";city;when;garden;y']
    for i in range(40):
        size = "" if i % 5 == 0 else f"{i % 7}.5"
        city = ['"Rome; Italy"', '"Bern ""old"""', ""][i % 3]
        rows.append(f"{size};{city};2024-{i % 12 + 1:02d}-11;{'true' if i % 4 else 'false'};{i % 7 + i % 3}")
    path = tmp_path / "people.csv"
    path.write_bytes(b"\xef\xbb\xbf" + "\r\n".join(rows).encode())
    model = TableModel(rare=1).fit(path, "y")
    assert dict(zip(model.schema_.names, model.schema_.kinds, strict=True)) == {
        "size": "number",
        "city": "category",
        "when": "date",
        "garden": "boolean",
    }
    assert 'city=Bern "old"' in model.feature_names_out_ or "city=Rome; Italy" in model.feature_names_out_
    assert model.predict(path).shape == (40,)
    assert {(note.column, note.what, note.weight) for note in model.report_} >= {("size", "filled", 8.0)}


def test_decimal_commas_are_numbers(tmp_path):
    for name, mark, comma in (("points.csv", ",", "."), ("commas.csv", ";", ",")):
        lines = [mark.join([f"{i * i % 7}{comma}5", str(i % 3), str(i % 4)]) for i in range(150)]
        (tmp_path / name).write_text(mark.join(["price", "b", "y"]) + "\n" + "\n".join(lines))
    points, commas = (TableModel().fit(tmp_path / name, "y") for name in ("points.csv", "commas.csv"))
    assert commas.feature_names_out_ == ["price", "b"]
    assert commas.coef_table() == points.coef_table()


def test_a_decimal_comma_between_commas_is_read_and_said(tmp_path):
    path = tmp_path / "comma.csv"
    lines = [f'"{i},5",{i % 3},{i % 4}' for i in range(150)]
    path.write_text("price,b,y\n" + "\n".join(lines))
    with pytest.warns(ReadingWarning, match="'price' holds numbers"):
        model = TableModel().fit(path, "y")
    assert model.feature_names_out_ == ["price", "b"]
    assert not model.report_


def test_columns_are_found_by_name():
    frame = without(mixed_table(100, 23), "y")
    model = TableModel().fit(frame, "y")
    expected = model.predict(frame)
    turned = frame[frame.columns[::-1]]
    np.testing.assert_array_equal(model.predict(turned), expected)
    np.testing.assert_array_equal(model.predict(frame.drop(columns="y")), expected)


def test_weights_may_be_a_column(tmp_path):
    frame = without(mixed_table(200, 24), "y")
    weight = np.random.default_rng(0).integers(1, 4, 200).astype(float)
    expected = TableModel().fit(frame, "y", weight)
    weighted = frame.assign(w=weight)
    weighted.to_parquet(tmp_path / "w.parquet")
    for table in (weighted, str(tmp_path / "w.parquet")):
        model = TableModel().fit(table, "y", "w")
        np.testing.assert_allclose(model.predict(table), expected.predict(frame), atol=1e-12)
    twice = frame.loc[frame.index.repeat(weight.astype(int))]
    np.testing.assert_allclose(TableModel().fit(twice, "y").predict(frame), expected.predict(frame), atol=1e-9)


def test_labels_of_all_kinds():
    frame = mixed_table(200, 25)[["size", "rooms", "city", "y"]]
    high = frame.y > frame.y.median()
    for labels in (high, high.astype(int), np.where(high, "+", "-"), pd.Categorical(np.where(high, "b", "a"))):
        table = frame.drop(columns="y").assign(label=labels)
        model = TableModel(sl.LinearDiscriminantAnalysis()).fit(table, "label")
        assert set(model.predict(table)) == set(model.classes_) == set(np.unique(np.asarray(labels)))
        assert model.score(table, "label") > 0.8
        assert model.score(table.drop(columns="label"), np.asarray(labels)) == model.score(table, "label")


def test_levels_are_read_as_they_are_written_because_the_model_says_so(tmp_path):
    """A file that holds nothing but digits in a column of levels is no column of numbers."""
    codes = np.array(["007", "K1", "12"])[np.arange(60) % 3]
    frame = pd.DataFrame({"code": codes, "size": np.arange(60) % 7, "y": np.where(codes == "007", 5.0, 1.0)})
    frame.to_csv(tmp_path / "first.csv", index=False)
    digits = frame[frame.code != "K1"]
    digits.to_csv(tmp_path / "digits.csv", index=False)
    model = TableModel(sl.LinearRegression(), rare=1).fit(tmp_path / "first.csv", "y")
    np.testing.assert_allclose(model.predict(tmp_path / "digits.csv"), digits["y"], atol=1e-9)
    assert sorted(model.partial_fit(tmp_path / "digits.csv", "y").design_.levels["code"]) == ["=007", "=12", "=K1"]
