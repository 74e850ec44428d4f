"""Files as people have them: encodings, dates, decimal signs, units, bounds, gaps; what is found rules later files."""

import datetime
import json

import numpy as np
import pyarrow as pa
import pytest

import sumlearn as sl
from sumlearn.data.dialect import Dialect, ReadingWarning
from sumlearn.product import read_table, train
from sumlearn.product.problems import DataProblem

from tests.cli.conftest import run  # noqa: F401  a fixture

DAY = datetime.datetime(2023, 3, 15)


def file(path, columns, delimiter=",", encoding="utf-8"):
    """A file of columns of texts, with quotes where they are needed."""
    lines = [columns, *zip(*columns.values(), strict=True)]
    cells = [[f'"{cell}"' if delimiter in cell else cell for cell in line] for line in lines]
    path.write_bytes("".join(delimiter.join(line) + "\n" for line in cells).encode(encoding))
    return str(path)


def read(path, texts, delimiter=",", **said):
    """A column between others, as it is read."""
    others = ["a", "b"] * len(texts)
    table = read_table(
        file(path / "t.csv", {"x": texts, "other": others[: len(texts)]}, delimiter), dialect=Dialect(**said)
    )
    return table, table.frame.column("x").to_pylist()


# -- encodings --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "latin-1", "utf-16", "utf-16-le", "utf-16-be"])
def test_encodings_give_the_same_table(tmp_path, encoding):
    columns = {"Größe": ["1", "2"], "Stadt": ["Köln", "Zürich"]}
    table = read_table(file(tmp_path / "t.csv", columns, encoding=encoding))
    assert table.frame.to_pydict() == {"Größe": [1, 2], "Stadt": ["Köln", "Zürich"]}
    assert [note.code for note in table.found.notes] == ([] if encoding.startswith("utf-8") else ["encoding"])


def test_an_encoding_that_is_said_is_taken(tmp_path):
    path = file(tmp_path / "t.csv", {"x": ["1"], "miasto": ["Třeť"]}, encoding="cp1250")
    with pytest.raises(ValueError, match="neither UTF-8 nor cp1252: name its encoding"):
        read_table(path)
    table = read_table(path, dialect=Dialect(encoding="cp1250"))
    assert table.frame.column("miasto").to_pylist() == ["Třeť"]
    with pytest.raises(ValueError, match="t.csv' is not utf-16: "):
        read_table(file(tmp_path / "t.csv", {"x": ["1"], "y": ["a"]}), dialect=Dialect(encoding="utf-16"))


# -- dates ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["15.03.2023", "15/03/2023", "03/15/2023", "2023/03/15", "15-03-2023", "15.3.2023"])
def test_dates_are_read_in_the_order_that_is_left(tmp_path, text):
    table, values = read(tmp_path, [text] * 3)
    assert values == [DAY] * 3
    assert [note.code for note in table.found.notes] == ["dates"]


def test_the_order_comes_from_the_whole_column(tmp_path):
    _, values = read(tmp_path, ["03/04/2023", "03/15/2023", "-"])
    assert values == [datetime.datetime(2023, 3, 4), DAY, None]


def test_dates_with_times_and_iso_dates_among_others(tmp_path):
    _, values = read(tmp_path, ["15.03.2023 10:30", "2023-03-15", "15.03.2023 10:30:05"])
    assert values == [DAY.replace(hour=10, minute=30), DAY, DAY.replace(hour=10, minute=30, second=5)]


def test_an_order_that_is_left_open_is_asked_for(tmp_path):
    table, values = read(tmp_path, ["03/04/2023", "05/06/2023"])
    assert values == ["03/04/2023", "05/06/2023"]
    with pytest.raises(DataProblem, match=r"column 'x' .* dates such as 03/04/2023: --dates dmy or mdy .*--drop x"):
        table.check_clear(["x"])
    assert read(tmp_path, ["03/04/2023"], dates="dmy")[1] == [datetime.datetime(2023, 4, 3)]
    assert read(tmp_path, ["03/04/2023"], dates="mdy")[1] == [datetime.datetime(2023, 3, 4)]


def test_between_dots_the_day_comes_first_and_that_is_said(tmp_path):
    table, values = read(tmp_path, ["03.04.2023"])
    assert values == [datetime.datetime(2023, 4, 3)]
    assert "assumed" in table.found.notes[0].text


@pytest.mark.parametrize("texts", [["15/03/2023", "03/15/2023"], ["15.03.23"], ["10.1.22", "1.10.12"]])
def test_what_may_be_no_date_stays_text_and_is_named(tmp_path, texts):
    table, values = read(tmp_path, texts)
    assert values == texts
    assert [(note.code, note.column) for note in table.found.notes] == [("dates", "x")]


def test_years_of_two_digits_where_the_order_is_said(tmp_path):
    assert read(tmp_path, ["15.03.23"], dates="dmy")[1] == [DAY]


# -- numbers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["$1,234.50", "$5.00"], [1234.5, 5.0]),
        (["-$1,234.50", "$-5.00"], [-1234.5, -5.0]),
        (["1.234,5 EUR", "1,5 EUR"], [1234.5, 1.5]),
        (["1 234,5 €", "2,25 €"], [1234.5, 2.25]),
        (["1'234.5", "2.25"], [1234.5, 2.25]),
        (["12 %", "7.5 %"], [12.0, 7.5]),
        (["1,234,567", "1,234"], [1234567.0, 1234.0]),
        (["1,5", "1,234"], [1.5, 1.234]),
        (["1.5", "-", "?"], [1.5, None, None]),
        (["7", "n/a", "NA", "."], [7.0, None, None, None]),
        (["−5", "- 3", "=2.5"], [-5.0, -3.0, 2.5]),
        (['"12 %"', '"n/a"', '"NA"'], [12.0, None, None]),
    ],
)
def test_numbers_as_people_write_them(tmp_path, texts, numbers):
    table, values = read(tmp_path, texts)
    assert values == numbers
    assert [(note.code, note.column) for note in table.found.notes] == [("numbers", "x")]


def test_bounds_have_a_flag(tmp_path):
    table, values = read(tmp_path, ["<5", "7", "> 100", "50", "8", "n/a", "9"])
    assert values == [5.0, 7.0, 100.0, 50.0, 8.0, None, 9.0]
    assert table.frame.column("x: below").to_pylist() == [True, *[False] * 6]
    assert table.frame.column("x: above").to_pylist() == [False, False, True, *[False] * 4]


def test_a_sign_that_is_left_open_is_asked_for(tmp_path):
    table, values = read(tmp_path, ["1,234", "5"])
    assert values == ["1,234", "5"]
    with pytest.raises(DataProblem, match="column 'x' .* such as 1,234: --decimal point or comma"):
        table.check_clear(["x"])
    assert read(tmp_path, ["1,234", "5"], decimal="point")[1] == [1234.0, 5.0]
    assert read(tmp_path, ["1,234", "5"], decimal="comma")[1] == [1.234, 5.0]


@pytest.mark.parametrize("text", ["1.234", "1,234"])
def test_plain_numbers_between_semicolons_may_be_thousands(tmp_path, text):
    table, _ = read(tmp_path, [text, "5"], ";")
    with pytest.raises(DataProblem, match=f"column 'x' .* such as {text}, with decimals or with thousands: --decimal"):
        table.check_clear(["x"])
    said = "comma" if "," in text else "point"
    assert read(tmp_path, [text, "5"], ";", decimal=said)[1] == [1.234, 5.0]


def test_other_columns_tell_the_sign(tmp_path):
    path = file(tmp_path / "t.csv", {"x": ["1,234", "5"], "z": ["0.5", "0.25"]})
    assert read_table(path).frame.column("x").to_pylist() == [1234.0, 5.0]
    for texts, numbers in ((["1.234", "5"], [1234.0, 5.0]), (["1.234", "5.678"], [1234.0, 5678.0])):
        path = file(tmp_path / "t.csv", {"x": texts, "z": ["0,5", "0,25"]}, ";")
        assert read_table(path).frame.column("x").to_pylist() == numbers


def test_three_decimals_throughout_are_decimals(tmp_path):
    table, values = read(tmp_path, ["1.234", "5.678"], ";")
    assert values == [1.234, 5.678] and not table.found.unclear


@pytest.mark.parametrize(
    ("texts", "code"),
    [
        (["$5", "5 EUR"], "units"),
        (["12 %", "0.12"], "units"),
        (["1.5", "1,5"], "numbers"),
        ([*map(str, range(19)), "many"], "mostly-numbers"),
        ([*map(str, range(14)), *["approx 5"] * 6], "mostly-numbers"),
    ],
)
def test_what_is_no_number_stays_text_and_is_named(tmp_path, texts, code):
    table, values = read(tmp_path, texts)
    assert values == texts
    assert [(note.code, note.column) for note in table.found.notes] == [(code, "x")]


@pytest.mark.parametrize("texts", [["007", "x"], ["01234", "D-1"], ["<5", ">5"], ["A1", "A2"], ["1-3", "4-6"]])
def test_levels_stay_levels(tmp_path, texts):
    table, values = read(tmp_path, texts)
    assert values == texts
    assert not table.found.notes and not table.found.unclear


def test_nothing_or_a_gap_among_amounts_is_asked_for(tmp_path):
    table, _ = read(tmp_path, ["$5.00", "-"])
    with pytest.raises(DataProblem, match="--missing -"):
        table.check_clear(["x"])
    assert read(tmp_path, ["$5.00", "-"], missing=("-",))[1] == [5.0, None]


def test_cells_that_count_as_gaps(tmp_path):
    assert read(tmp_path, ["1.5", "-999", "inf", "-Infinity", "many"], missing=("-999", "inf", "many"))[1] == [
        1.5, None, None, None, None]  # fmt: skip


# -- a model and the files that come later ----------------------------------------------------------------------------


def german(path, first, last, encoding="cp1252"):
    rng = np.random.default_rng(0)
    size, day = rng.normal(1500, 400, 80), rng.integers(1, 28, 80)
    columns = {
        "tag": [f"{d:02d}/0{1 + i % 9}/2023" for i, d in enumerate(day)],
        "fläche": [f"{s:,.1f}".replace(",", "_").replace(".", ",").replace("_", ".") for s in size],
        "crp": ["<5" if i % 8 == 0 else f"{5 + i % 11}" for i in range(80)],
        "ort": ["Köln" if i % 3 else "Bonn" for i in range(80)],
        "preis": [f"{3 * s + 100 * (i % 8 == 0):.2f} EUR".replace(".", ",") for i, s in enumerate(size)],
    }
    return file(path, {name: values[first:last] for name, values in columns.items()}, ";", encoding)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("everyday")
    found = train(german(path / "all.csv", 0, 60), "preis", models="ridge", cv=2, refits=0)
    said = {note["column"]: note["code"] for note in found.metrics["reading"]}
    assert said == {None: "encoding", "tag": "dates", "fläche": "numbers", "crp": "numbers", "preis": "numbers"}
    sl.save(found.model, path / "m.skops")
    return sl.load(path / "m.skops")


def test_what_was_found_rules_later_files(model, tmp_path):
    """The rows alone would leave the order of dates and the sign open."""
    rows = file(tmp_path / "one.csv", {"tag": ["03/04/2023"], "fläche": ["1.234"], "crp": ["7"], "ort": ["Bonn"]}, ";")
    exact = [[datetime.datetime(2023, 4, 3)], [1234.0], [7.0], ["Bonn"], [False]]
    frame = pa.table(dict(zip(["tag", "fläche", "crp", "ort", "crp: below"], exact, strict=True)))
    expected = model.predict(frame)
    np.testing.assert_array_equal(model.predict(rows), expected)
    np.testing.assert_array_equal(model.predict(read_table(rows)), expected)
    assert {"tag", "crp: below"} <= set(model.facts["columns"])


def test_update_and_forget_read_them_too(model, tmp_path):
    more = model.update(german(tmp_path / "more.csv", 60, 80, "utf-8"))
    assert more.facts["rows"] == 80
    assert more.forget(german(tmp_path / "more.csv", 60, 80)).facts["rows"] == 60


@pytest.mark.parametrize(
    ("column", "text", "words"),
    [
        ("tag", "03/15/2023", "line 3: '03/15/2023' is no date like 31.12.2024"),
        ("fläche", "1234.5", "line 3: '1234.5' is not written like 1.234,5"),
        ("crp", "> 9", "line 3: '> 9' is not written like"),
        ("crp", "7 %", "line 3: '7 %' is not written like"),
    ],
)
def test_a_cell_that_is_written_otherwise_is_refused_by_its_line(model, tmp_path, column, text, words):
    columns = {"tag": ["03/04/2023"] * 2, "fläche": ["1.234,5"] * 2, "crp": ["7"] * 2, "ort": ["Bonn"] * 2}
    columns[column] = [columns[column][0], text]
    with pytest.raises(ValueError, match=words):
        model.predict(file(tmp_path / "t.csv", columns, ";"))


def test_plain_numbers_are_ruled_too(tmp_path):
    """A file that leaves the sign open has the model's."""
    x = np.arange(40) / 8 + 1
    columns = {"x": [f"{v:.3f}" for v in x], "y": [f"{2 * v:.3f}" for v in x]}
    found = train(file(tmp_path / "t.csv", columns), "y", models="linear", cv=2, refits=0).model
    with pytest.raises(ValueError, match="column 'x': line 2: .*'1,234'"):
        found.predict(file(tmp_path / "one.csv", {"x": ["1,234", "2"], "z": ["a", "b"]}, ";"))
    answer = found.predict(file(tmp_path / "one.csv", {"x": ["1,5"], "z": ["a"]}, ";"))
    np.testing.assert_allclose(answer, [3.0], rtol=1e-9)


def test_the_time_of_rows_is_their_date_not_its_spelling(tmp_path):
    days = [f"{1 + i % 28:02d}.{1 + i // 28:02d}.2023" for i in range(84)]
    columns = {"d": days, "x": [str(i % 7) for i in range(84)], "y": [str(i % 5 + 0.5) for i in range(84)]}
    found = train(file(tmp_path / "t.csv", columns), "y", models="ridge", cv="time:d", refits=0)
    assert found.target.rows.tolist() == list(range(84))


def test_targets_that_are_bounds_are_refused_and_columns_go_with_their_flags(tmp_path):
    columns = {"x": ["<5" if i % 9 == 0 else f"{i}.5" for i in range(60)], "z": [f"{i % 7}.5" for i in range(60)]}
    columns["other"] = [f"{i * i % 11}.5" for i in range(60)]
    path = file(tmp_path / "t.csv", columns)
    with pytest.raises(DataProblem, match=r"column 'x' .* has bounds \(below a number\)"):
        train(path, "x", models="ridge", cv=2)
    found = train(path, "z", models="ridge", cv=2, drop=["x"], task="regress", refits=0)
    assert "x: below" not in found.model.facts["columns"]


# -- the command ------------------------------------------------------------------------------------------------------


def test_options_of_reading_are_kept(run, tmp_path):  # noqa: F811
    rng = np.random.default_rng(1)
    columns = {
        "d": [f"0{1 + i % 9}/0{1 + i % 8}/2023" for i in range(60)],
        "x": ["inf" if i == 7 else f"{v:.3f}" for i, v in enumerate(rng.normal(size=60))],
        "name": [f"n{i % 30}" for i in range(60)],
        "y": ["ab"[i % 2] for i in range(60)],
    }
    file(tmp_path / "t.csv", columns)
    words = ["train", "t.csv", "-t", "y", "--models", "naive_bayes", "--cv", "2", "-o", "out", "-q", "--force"]
    found = run(*words)
    assert (found.code, "--dates dmy or mdy" in found.err) == (3, True)
    found = run(*words, "--dates", "dmy")
    assert found.code == 3
    assert "column 'x' is infinite in row 7: --missing inf reads such cells as gaps, --drop x" in found.err
    found = run(*words, "--dates", "dmy", "--missing", "inf", "--max-levels", "20", "--json")
    assert found.code == 0, found.err
    metrics = json.loads(found.out)
    assert any(line["column"] == "name" and "max_levels = 20" in line["why"] for line in metrics["columns_left_out"])
    kept = (tmp_path / "out" / "run.toml").read_text()
    assert 'dates = "dmy"' in kept and 'missing = ["inf"]' in kept and "max_levels = 20" in kept
    assert run("train", "--config", "out/run.toml", "-o", "again", "-q").code == 0
    assert run(*words, "--dates", "ddd").code == 2


def test_what_was_found_is_said_once(run, tmp_path):  # noqa: F811
    german(tmp_path / "t.csv", 0, 60)
    found = run("train", "t.csv", "-t", "preis", "--models", "ridge", "--cv", "2")
    assert found.code == 0, found.err
    assert found.err.count("read as cp1252") == 1
    assert found.err.count("'tag' holds dates: day, month, year") == 1


def test_sites_that_write_otherwise_can_be_merged(tmp_path):
    """Sums know no spelling; a later file is read where it leaves one reading."""
    rng = np.random.default_rng(2)
    models = []
    for site, order in (("a", "%d/%m/%Y"), ("b", "%m/%d/%Y")):
        days = [DAY.replace(day=15) + datetime.timedelta(days=int(k)) for k in rng.integers(0, 300, 40)]
        columns = {"d": [day.strftime(order) for day in days], "y": [f"{v:.4f}" for v in rng.normal(size=40)]}
        path = file(tmp_path / f"{site}.csv", columns)
        models.append(train(path, "y", models="ridge", cv=2, refits=0).model)
    both = models[0].merge(models[1])
    for text in ("20/03/2023", "03/20/2023"):
        answer = both.predict(file(tmp_path / "t.csv", {"d": [text]}))
        np.testing.assert_array_equal(answer, both.predict(pa.table({"d": [DAY.replace(day=20)]})))
    with pytest.raises(DataProblem, match="column 'd' .* the models that were merged differ in it"):
        both.predict(file(tmp_path / "t.csv", {"d": ["03/04/2023"]}))


# -- learners of the library -------------------------------------------------------------------------------------------

COUNTS = np.random.default_rng(2).integers(0, 9, 40)
EVERYDAY = {
    "a gap": ([f"{n}.5" if n else "-" for n in COUNTS], ","),
    "thousands": ([f"{n + 1},234" if n else "1,234.5" for n in COUNTS], ","),
    "decimal commas": ([f"{n},25" for n in COUNTS], ","),
    "dates between dots": ([f"{n + 10}.03.2023" for n in COUNTS], ","),
    "dates of months first": ([f"03/{n + 10}/2023" for n in COUNTS], ","),
    "decimals or thousands, told by others": ([f"{n + 1}.234" if n else "12" for n in COUNTS], ";"),
}


@pytest.mark.parametrize("case", EVERYDAY)
def test_a_learner_reads_a_file_as_the_command_does(tmp_path, case):
    texts, delimiter = EVERYDAY[case]
    y = [f"{n / 8}".replace(".", "," if delimiter == ";" else ".") for n in COUNTS]
    path = file(tmp_path / "t.csv", {"x": texts, "y": y, "word": ["a", "b"] * 20}, delimiter)
    with pytest.warns(ReadingWarning, match="'x' holds"):
        of_file = sl.TableModel(sl.Ridge()).fit(path, "y")
    of_frame = sl.TableModel(sl.Ridge()).fit(read_table(path).frame, "y")
    assert of_file.schema_ == of_frame.schema_
    assert of_file.schema_["x"].kind != "category"
    with pytest.warns(ReadingWarning):
        np.testing.assert_array_equal(of_file.predict(path), of_frame.predict(read_table(path).frame))


def test_a_learner_asks_where_a_column_can_be_read_in_several_ways(tmp_path):
    columns = {"x": [f"{n + 1}/{n % 3 + 1}/2023" for n in COUNTS], "y": [f"{n}.5" for n in COUNTS]}
    path = file(tmp_path / "t.csv", columns)
    with pytest.raises(ValueError, match=r"'x' of '.*' holds dates .*dates= of Files"):
        sl.TableModel(sl.Ridge()).fit(path, "y")
    with pytest.warns(ReadingWarning):
        model = sl.TableModel(sl.Ridge()).fit(sl.data.Files(path, dates="mdy"), "y")
    assert model.schema_["x"].kind == "date"
    assert sl.TableModel(sl.Ridge(), drop=["x"]).fit(path, "y").feature_names_out_ == ["nothing"]


@pytest.mark.parametrize(("texts", "what"), [(["5 %"], "a unit, %"), (["7", "8", "<5"], "bounds, below")])
def test_a_learner_refuses_what_it_would_have_to_remember(tmp_path, texts, what):
    path = file(tmp_path / "t.csv", {"x": texts * 30, "y": ["1", "2", "2.5"] * 10 * len(texts)})
    for learner in (sl.Ridge(), sl.TableModel(sl.Ridge())):
        with pytest.raises(ValueError, match=f"column 'x' of '.*' holds numbers with {what}"):
            learner.fit(path, "y")


def test_cells_that_are_said_to_be_gaps_are_gaps_to_a_learner(tmp_path):
    path = file(tmp_path / "t.csv", {"x": ["1.5", "unknown", "3"] * 10, "y": ["1", "2", "2.5"] * 10})
    assert sl.TableModel(sl.Ridge()).fit(sl.data.Files(path, missing=["unknown"]), "y").schema_["x"].kind == "number"


def test_levels_stay_as_they_are_written(tmp_path):
    """A model that has learnt words reads words, also where a file looks like dates."""
    train_path = file(tmp_path / "a.csv", {"x": ["15.03.2023", "none yet"] * 20, "y": ["1", "2"] * 20})
    model = sl.TableModel(sl.Ridge()).fit(train_path, "y")
    again = file(tmp_path / "b.csv", {"x": ["15.03.2023"] * 3, "y": ["1"] * 3})
    np.testing.assert_allclose(model.predict(again), model.predict(pa.table({"x": ["15.03.2023"] * 3})))
