"""Mixed columns below the learners: levels of a category are counted alike from every kind of table."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sparse

from sumlearn.data import open_source
from sumlearn.data.levels import Levels, joined_order
from sumlearn.data.mixed import MixedRows, stacked_rows
from sumlearn.data.mixed_sources import open_mixed
from sumlearn.data.schema import Column, Schema
from sumlearn.data.stream import Stream
from sumlearn.engines import engine_for
from sumlearn.statistics import Statistic

dd = pytest.importorskip("dask.dataframe")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

SIZES = ["small", "middle", "large", "huge"]  # nothing is huge
ROWS = 9000  # more than two chunks


def table(n=ROWS, seed=0):
    """Numbers, whole numbers, text with gaps, an ordered category, booleans, dates; levels that come late."""
    rng = np.random.default_rng(seed)
    city = rng.choice(["Rome", "Oslo", "Bern"], n).astype(object)
    city[n - n // 4 :] = rng.choice(["Rome", "Lima"], n // 4)
    city[rng.random(n) < 0.1] = None
    size = np.array(SIZES[:3], dtype=object)[rng.integers(0, 3, n)]
    size[rng.random(n) < 0.1] = None
    height = np.round(rng.standard_normal(n), 3)
    height[rng.random(n) < 0.1] = np.nan
    return pd.DataFrame(
        {
            "height": height,
            "rooms": rng.integers(1, 5, n),
            "city": city,
            "size": pd.Categorical(size, categories=SIZES, ordered=True),
            "garden": rng.random(n) < 0.4,
            "when": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 400, n), unit="D"),
            "kind": rng.choice(["dear", "fair"], n),
            "w": rng.integers(0, 3, n) / 2.0,
        }
    )


DECLARED = {"rooms": "category", "size": SIZES}


def forms(frame, folder):
    """The same table from every library and file format, and in Dask."""
    words = frame.assign(size=frame["size"].astype(object))
    frame.to_parquet(folder / "t.parquet", row_group_size=2500)
    words[:5000].to_csv(folder / "1.csv", index=False)
    words[5000:].to_csv(folder / "2.csv", index=False)
    frame.to_feather(folder / "t.feather", compression="uncompressed")
    words.to_json(folder / "t.jsonl", orient="records", lines=True, date_format="iso", date_unit="s")
    polars = pl.from_pandas(words).with_columns(pl.col("size").cast(pl.Enum(SIZES)))
    return {
        "pandas": frame,
        "categorical": frame.assign(city=frame["city"].astype("category")),
        "objects": words.astype({"height": object, "rooms": object}),
        "polars": polars,
        "polars categorical": polars.with_columns(pl.col("city").cast(pl.Categorical)),
        "arrow": pa.Table.from_pandas(frame),
        "parquet": str(folder / "t.parquet"),
        "csv": str(folder / "*.csv"),
        "feather": str(folder / "t.feather"),
        "json lines": str(folder / "t.jsonl"),
        "dask": dd.from_pandas(frame, npartitions=4),
        "dask categorical": dd.from_pandas(frame.assign(city=frame["city"].astype("category")), npartitions=3),
    }


class Tally(Statistic):
    """Weight of every level of every column by class, of missing cells too, and sums of numbers: a learner in small."""

    def __init__(self, cells, sums, rows):
        self.cells, self.sums, self.count = cells, sums, rows

    @classmethod
    def of(cls, chunk):
        rows = chunk.X
        assert isinstance(rows, MixedRows) and rows.shape == (len(chunk.y), len(rows.names))
        weight = np.ones(len(rows)) if chunk.weight is None else chunk.weight
        cells, sums = Counter(), Counter()
        for name in rows.names:
            column = rows.column(name)
            if isinstance(column, Levels):
                for label in np.unique(chunk.y):
                    for code, level in enumerate([*column.names, None]):
                        here = (column.codes == (code if level is not None else -1)) & (chunk.y == label)
                        if here.any():
                            cells[name, level, str(label)] += float(weight[here].sum())
            else:
                sums[name] += float(np.nansum(weight * column))
                cells[name, None, ""] += float(weight[rows.missing(name)].sum())
        return cls(cells, sums, len(rows))

    @property
    def weight(self):
        return float(self.count)

    @property
    def rows(self):
        return self.count

    def zero(self):
        return Tally(Counter(), Counter(), 0)

    def merge(self, other):
        return Tally(self.cells + other.cells, self.sums + other.sums, self.count + other.count)


def tally(source):
    return engine_for(source).reduce(lambda part: Tally.of(source.chunk(part)), source.parts())


def expected_cells(frame, weight):
    """By pandas."""
    cells = Counter()
    for name in ("rooms", "city", "size"):
        text = frame[name].astype(object).map(str, na_action="ignore")
        groups = weight.groupby([text.where(text.notna(), None), frame["kind"]], dropna=False)
        for (level, label), total in groups.sum().items():
            cells[name, None if level is None or level != level else level, label] += total
    for name in ("height", "garden", "when"):
        cells[name, None, ""] += float(weight[frame[name].isna()].sum())
    return +cells


def test_every_form_has_the_same_levels_and_numbers(tmp_path):
    frame = table()
    expected = expected_cells(frame, frame["w"])
    days = (frame["when"] - pd.Timestamp("1970-01-01")).dt.days
    for form, given in forms(frame, tmp_path).items():
        source = open_mixed(given, "kind", "w", target="label", schema=DECLARED)
        assert source.target.kind == "label" and source.target.single
        assert source.columns.names == ("height", "rooms", "city", "size", "garden", "when"), form
        assert source.columns.kinds == ("number", "numbered", "category", "ordered", "boolean", "date"), form
        assert source.columns["size"].order == tuple(SIZES), form
        found = tally(source)
        assert found.count == ROWS, form
        assert +found.cells == expected, form
        assert found.sums["height"] == pytest.approx((frame["height"] * frame["w"]).sum()), form
        assert found.sums["garden"] == (frame["garden"] * frame["w"]).sum(), form
        assert found.sums["when"] == (days * frame["w"]).sum(), form


def test_orders_that_tables_declare_need_not_be_said(tmp_path):
    frame = table(300)
    for form, given in forms(frame, tmp_path).items():
        source = open_mixed(given, "kind", target="label", left_out=["w"] if isinstance(given, str) else ())
        kind = "category" if form in ("csv", "json lines", "objects") else "ordered"
        assert source.columns["size"].kind == kind, form
        assert source.columns["size"].order == (tuple(SIZES) if kind == "ordered" else ()), form


def test_the_schema_of_a_model_rules(tmp_path):
    """A file of digits is read as levels, and levels are texts as they are written, because the model says so."""
    first = pd.DataFrame({"code": ["007", "K1", "12"], "n": ["1", "2", "x"], "kind": list("aba")})
    later = pd.DataFrame({"code": ["007", "012"], "n": ["1", "2"], "kind": list("ab")})
    for name, frame in {"first": first, "later": later}.items():
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    schema = open_mixed(tmp_path / "first.csv", "kind", target="label").columns
    assert schema.kinds == ("category", "category")
    source = open_mixed(tmp_path / "later.csv", "kind", target="label", schema=schema)
    (chunk,) = source.chunks()
    assert chunk.X.levels("code").names == ("007", "012")
    assert chunk.X.levels("n").names == ("1", "2")
    assert open_mixed(tmp_path / "later.csv", "kind", target="label").columns.kinds == ("number", "number")
    numbers = Schema((Column("code", "number"), Column("n", "number")))
    with pytest.raises(ValueError, match="column 'code': line 3: .*'K1'"):
        next(open_mixed(tmp_path / "first.csv", "kind", target="label", schema=numbers).chunks()).X.numbers("n")


def test_numbers_with_gaps_are_the_same_levels_everywhere(tmp_path):
    frame = pd.DataFrame({"rooms": [1.0, None, 2.0, 1.0], "kind": list("abab")})
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    for given in (frame, pl.from_pandas(frame), tmp_path / "t.csv", tmp_path / "t.parquet", dd.from_pandas(frame, 2)):
        source = open_mixed(given, "kind", target="label", schema={"rooms": "category"})
        found = tally(source)
        assert {cell[1:] for cell in found.cells} == {("1", "a"), ("1", "b"), ("2", "a"), (None, "b")}


def test_whole_numbers_beyond_floats_stay_apart(tmp_path):
    frame = pd.DataFrame({"code": [2**53, 2**53 + 1], "kind": list("ab")})
    frame.to_parquet(tmp_path / "t.parquet")
    for given in (frame, tmp_path / "t.parquet"):
        (chunk,) = open_mixed(given, "kind", target="label", schema={"code": "category"}).chunks()
        assert chunk.X.levels("code").names == (str(2**53), str(2**53 + 1))


def test_text_in_bare_arrays_is_refused():
    X = np.array([[1.0, "a"], [2.0, "b"]], dtype=object)
    with pytest.raises(ValueError, match="could not convert string to float: 'a' is text, not a number"):
        open_mixed(X)
    with pytest.raises(ValueError, match="not compatible with arrays of bytes/strings"):
        open_mixed(np.array([["a"], ["b"]]))
    with pytest.raises(TypeError, match="Sparse data"):
        open_mixed(sparse.eye(3))
    (chunk,) = open_mixed(np.array([[1, 2.5], [3, None]], dtype=object), schema={"x0": "category"}).chunks()
    assert chunk.X.kinds == ("numbered", "number") and chunk.X.levels("x0").names == ("1", "3")
    np.testing.assert_array_equal(chunk.X.numbers("x1"), [2.5, np.nan])


def test_frames_of_text_stay_refused_where_numbers_are_asked_for():
    with pytest.raises(ValueError, match="column 'city' holds text values, not numbers"):
        open_source(pd.DataFrame({"city": ["Rome"]}))


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"town": "category"}, "no column 'town' for schema; did you mean"),
        ({"city": "word"}, "the kind of column 'city' must be one of .* got 'word'"),
        ({"city": "ordered"}, "column 'city' has no order of its own"),
    ],
)
def test_wrong_declarations_are_named(schema, message):
    frame = pd.DataFrame({"city": ["Rome"], "towns": [1.0]})
    with pytest.raises(ValueError, match=message):
        open_mixed(frame, schema=schema)


def test_a_level_outside_its_order_is_named_with_its_row():
    frame = pd.DataFrame({"size": ["small", "giant"]})
    (chunk,) = open_mixed(frame, schema={"size": SIZES}).chunks()
    with pytest.raises(ValueError, match="row 1: 'giant' is none of the ordered levels 'small', 'middle'"):
        chunk.X.levels("size")


def test_a_column_without_values_must_not_get_any():
    empty = open_mixed(pd.DataFrame({"a": [None, None], "b": [1.0, 2.0]}, dtype=object))
    (chunk,) = empty.chunks()
    assert chunk.X.kinds == ("empty", "number") and np.isnan(chunk.X.numbers("a")).all()
    (later,) = open_mixed(pd.DataFrame({"a": ["x"], "b": [1.0]}), schema=empty.columns).chunks()
    with pytest.raises(ValueError, match="the column had no values when its kind was decided"):
        later.X.numbers("a")


def test_columns_that_are_missing_or_too_many_are_named(tmp_path):
    frame = pd.DataFrame({"a": [1.0], "b": ["x"]})
    schema = open_mixed(frame).columns
    more = frame.assign(c=1)
    more.to_csv(tmp_path / "t.csv", index=False)
    for given in (more, tmp_path / "t.csv", dd.from_pandas(more, npartitions=1)):
        with pytest.raises(ValueError, match="a column 'c' that was not there at the fit"):
            open_mixed(given, schema=schema)
    with pytest.raises(ValueError, match="no column 'b', which the model needs"):
        open_mixed(frame[["a"]], schema=schema)


def test_rows_are_stacked_whatever_their_levels_are():
    frame = table(400)
    whole = open_mixed(frame.drop(columns=["kind", "w"]))
    (rows,) = (chunk.X for chunk in whole.chunks())
    parts = [rows.take(np.arange(i, 400, 3)) for i in range(3)]
    stacked = stacked_rows(parts)
    order = np.concatenate([np.arange(i, 400, 3) for i in range(3)])
    assert stacked.shape == rows.shape
    for name in rows.names:
        found, expected = stacked.take(np.argsort(order)).column(name), rows.column(name)
        if isinstance(expected, Levels):
            assert set(found.names) == set(expected.names)
            found, expected = found.among(expected.names).codes, expected.codes
        np.testing.assert_array_equal(found, expected)
    assert stacked.levels("size").names == tuple(SIZES)


def test_rows_of_files_and_blocks_are_found_by_number(tmp_path):
    frame = table(6000)
    rows = np.array([1, 5, 4100, 5999])
    for form, given in forms(frame, tmp_path).items():
        source = open_mixed(given, "kind", "w", target="label", schema=DECLARED)
        if isinstance(source, Stream):
            (some,) = source.number().gather([rows])
            assert some.y.tolist() == frame["kind"][rows].tolist(), form
            (chunk,) = some.chunks()
            text = [None if code < 0 else chunk.X.levels("city").names[code] for code in chunk.X.levels("city").codes]
            assert text == frame["city"][rows].tolist(), form


def test_orders_are_joined_where_they_leave_one():
    assert joined_order(("a", "c"), ("a", "b", "c")) == ("a", "b", "c")
    assert joined_order(("a", "b", "c"), ("a", "c")) == ("a", "b", "c")
    assert joined_order(("b", "c"), ("a", "b")) == ("a", "b", "c")
    for a, b in (("ab", "ba"), ("ab", "ac"), ("a", "b"), ("axb", "ayb")):
        with pytest.raises(ValueError, match="has the order .* on one side and .* on the other"):
            joined_order(tuple(a), tuple(b))


def test_schemas_with_levels_merge():
    def of(kind, order=()):
        return Schema((Column("a", kind, order=order),))

    merged = of("ordered", ("low", "middle")).merge(of("ordered", ("middle", "high")))
    assert merged["a"].order == ("low", "middle", "high")
    assert of("numbered").merge(of("category")).kinds == ("category",)
    assert of("numbered").merge(of("empty")).kinds == ("numbered",)
    with pytest.raises(ValueError, match="ordered levels on one side and categories on the other"):
        of("ordered", ("a",)).merge(of("category"))
    with pytest.raises(ValueError, match="column 'a' has the order"):
        of("ordered", ("a", "b")).merge(of("ordered", ("b", "a")))
