"""What becomes of the columns: kinds, columns that are left out, and the report that says so."""

import datetime

import numpy as np
import pandas as pd
import pytest

import sumlearn as sl
from sumlearn import TableModel
from sumlearn.data.column_kinds import decide, origin_of
from sumlearn.data.schema import Column, Schema
from sumlearn.data.table import table_of
from sumlearn.features.table.notes import SHARED_FLAG

from tests.table.tables import mixed_table


def kinds(max_levels=100, **columns):
    schema = decide(table_of(pd.DataFrame(columns)), [], [], max_levels)
    return dict(zip(schema.names, schema.kinds, strict=True)), {c.name: c.reason for c in schema.columns}


def test_kinds_of_columns():
    n = 60
    rng = np.random.default_rng(0)
    found, _ = kinds(
        number=rng.random(n),
        whole=rng.integers(0, 9, n),
        truth=rng.random(n) < 0.5,
        truth_with_gaps=np.where(rng.random(n) < 0.2, None, rng.random(n) < 0.5),
        word=rng.choice(["a", "b"], n),
        stamp=pd.date_range("2024-01-01", periods=n),
        day=[datetime.date(2024, 1, 1 + i % 28) for i in range(n)],
        text_day=[f"2024-02-{1 + i % 28:02d}" for i in range(n)],
        wait=pd.to_timedelta(rng.integers(0, 99, n), unit="h"),
        nothing=[None] * n,
        no_number=[np.nan] * n,
    )
    assert found == {
        "number": "number",
        "whole": "number",
        "truth": "boolean",
        "truth_with_gaps": "boolean",
        "word": "category",
        "stamp": "date",
        "day": "date",
        "text_day": "date",
        "wait": "number",
        "nothing": "empty",
        "no_number": "empty",
    }


def test_columns_that_are_left_out_and_why():
    n = 200
    rng = np.random.default_rng(1)
    found, reasons = kinds(
        max_levels=20,
        row=rng.permutation(n) + 1,
        year=np.arange(n) + 1800,
        customer_id=rng.permutation(10 * n)[:n],
        customerKey=[f"k{i}" for i in rng.permutation(n)],
        comment=[f"it was the {i}th visit" for i in range(n)],
        town=[f"t{i % 40}" for i in range(n)],
        price=[f"{i % 50},99" for i in range(n)],
        mixed=np.array([1, "a"] * (n // 2), dtype=object),
        amount=rng.permutation(10 * n)[:n],
        paid=rng.integers(0, 3, n),
    )
    out = {name for name, kind in found.items() if kind == "left out"}
    assert out == {"row", "customer_id", "customerKey", "comment", "town", "price", "mixed"}
    assert "identifier" in reasons["row"] and "identifier" in reasons["customer_id"]
    assert "identifier" in reasons["customerKey"]
    assert "free text" in reasons["comment"]
    assert "40 levels, more than max_levels = 20" in reasons["town"]
    assert "numbers written as text" in reasons["price"]
    assert "mixed types: int, str" in reasons["mixed"]


def test_the_report_names_every_column_that_was_touched():
    frame = mixed_table(200, 30)[["size", "city", "y"]]
    remarks = [f"remark number {i}" for i in range(200)]
    frame = frame.assign(id=range(200), same=7.0, note=remarks, unwanted=frame["size"])
    model = TableModel(drop=["unwanted"]).fit(frame, "y")
    notes = {(note.column, note.what): note for note in model.report_}
    assert {("id", "left out"), ("same", "constant"), ("note", "left out"), ("unwanted", "left out")} <= set(notes)
    assert notes["size", "filled"].weight == frame["size"].isna().sum()
    assert f"{frame['size'].mean():.6g}" in notes["size", "filled"].why
    assert model.feature_names_out_[:2] == ["size", "size: missing"]
    alone = TableModel(ids="id", drop=["unwanted", "note", "same"]).fit(frame, "y")
    assert alone.feature_names_out_ == model.feature_names_out_
    np.testing.assert_allclose(alone.predict(frame), model.predict(frame))


def test_columns_left_out_may_be_missing_later():
    frame = mixed_table(100, 31)[["size", "city", "y"]].assign(id=range(100))
    model = TableModel().fit(frame, "y")
    np.testing.assert_array_equal(model.predict(frame[["city", "size"]]), model.predict(frame))


def test_dates_have_days_months_and_weekdays():
    days = pd.DataFrame({"when": pd.to_datetime(["1970-01-01", "1970-02-02", "2024-12-31", None])})
    model = TableModel(rare=1, scale=False).fit(days, [1.0, 2.0, 3.0, 4.0])
    assert model.feature_names_out_ == ["when", "when: month", "when: weekday", "when: missing"]
    expected = [[0, 1, 4, 0], [32, 2, 1, 0], [20088, 12, 2, 0], [(0 + 32 + 20088) / 3, 5, 7 / 3, 1]]
    np.testing.assert_allclose(model.features_of(days), expected)


def test_time_zones_and_text_are_the_same_moment():
    utc = pd.date_range("2024-03-01 12:00", periods=50, freq="7h", tz="UTC")
    y = np.arange(50.0)
    expected = TableModel(scale=False).fit(pd.DataFrame({"t": utc.tz_localize(None)}), y)
    for column in (utc, utc.tz_convert("Asia/Tokyo"), utc.strftime("%Y-%m-%d %H:%M:%S")):
        model = TableModel(scale=False).fit(pd.DataFrame({"t": column}), y)
        np.testing.assert_allclose(model.learner_.coef_, expected.learner_.coef_)


def test_flags_that_say_the_same_are_one():
    frame = mixed_table(100, 32, missing=0.3)[["size", "y"]]
    frame["weight"] = frame["size"] * 2 + np.arange(100) % 3
    model = TableModel(sl.LinearRegression()).fit(frame, "y")
    assert model.feature_names_out_ == ["size", "size: missing", "weight"]
    (shared,) = [note for note in model.report_ if note.code == SHARED_FLAG]
    assert shared.why == "missing where 'size' is"


def test_a_table_without_anything_to_learn_from_gives_the_mean():
    frame = pd.DataFrame({"same": [3.0] * 30, "word": ["a"] * 30, "y": np.arange(30.0)})
    model = TableModel().fit(frame, "y")
    np.testing.assert_allclose(model.predict(frame), 14.5)


@pytest.mark.parametrize("values", [[1.0, 2.0, 3.0], [-5.0, 5.0], [0.0, 0.0], []])
def test_values_near_zero_are_counted_from_zero(values):
    assert origin_of(np.array(values)) == 0.0


@pytest.mark.parametrize("middle", [1e9, -3e5, 2e12])
def test_values_far_from_zero_are_counted_from_among_them(middle):
    values = middle + np.random.default_rng(0).standard_normal(100)
    assert abs(origin_of(values) - middle) < 3.0


def test_sites_with_different_origins_add_up():
    sites = ((1, 0.0), (2, 1e6 + 40), (3, 1e6))
    a, b, c = (mixed_table(80, seed, offset=offset)[["size", "rooms", "y"]] for seed, offset in sites)
    whole = pd.concat([a, b, c])
    expected = TableModel(sl.LinearRegression()).fit(whole, "y")
    model = sum(TableModel(sl.LinearRegression()).fit(table, "y") for table in (a, b, c))
    assert model.schema_["size"].origin != expected.schema_["size"].origin
    np.testing.assert_allclose(model.predict(whole), expected.predict(whole), rtol=1e-9)


def test_schemas_merge_by_name():
    a = Schema((Column("x", "number"), Column("c", "empty")))
    b = Schema((Column("c", "category"), Column("x", "boolean")))
    assert a.merge(b).kinds == ("number", "category")
    with pytest.raises(ValueError, match="only one of them has 'c'"):
        a.merge(Schema((Column("x", "number"), Column("z", "empty"))))
    with pytest.raises(ValueError, match="max_levels"):
        a.merge(Schema(a.columns, 7))
