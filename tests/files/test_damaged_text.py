"""Text files that are not what they should be: an error with file and line, or the right answer."""

import gzip
import re

import numpy as np
import pytest

from sumlearn import PCA, GaussianNB, LinearRegression, Ridge
from sumlearn.data import Files
from sumlearn.data.dialect import ReadingWarning
from sumlearn.data.readers import delimited, encoding
from sumlearn.data.readers.text import TextReader

from tests.files.tables import SCORE, X, assert_same_fit, columns, text_file, write_csv

PLAIN = "a,b,y\n" + "".join(f"{i % 7},{i % 5}.5,{i}\n" for i in range(40))
ROWS = np.array([[i % 7, i % 5 + 0.5] for i in range(40)], dtype=float)
Y = np.arange(40.0)


def expected():
    return LinearRegression().fit(ROWS, Y)


def refusal(path, kind=LinearRegression, y="y"):
    """Why a file is not learnt from."""
    model = kind()
    with pytest.raises(ValueError) as caught:
        model.fit(path, y)
    assert str(path) in str(caught.value)  # the file is named, always
    assert len(str(caught.value)) < 600
    assert not hasattr(model, "statistic_")
    return str(caught.value)


# -- right answers ----------------------------------------------------------------------------------------------------

GOOD = {
    "as it is": PLAIN,
    "byte-order mark": b"\xef\xbb\xbf" + PLAIN.encode(),
    "UTF-16": PLAIN.encode("utf-16"),
    "UTF-16, big-endian": b"\xfe\xff" + PLAIN.encode("utf-16-be"),
    "UTF-16 without a mark": PLAIN.encode("utf-16-le"),
    "Latin-1 in a name": PLAIN.replace("b", "é", 1).encode("latin-1"),
    "CRLF": PLAIN.replace("\n", "\r\n"),
    "CR": PLAIN.replace("\n", "\r"),
    "decimal commas": PLAIN.replace(",", ";").replace(".", ","),
    "no last line end": PLAIN.rstrip("\n"),
    "blank lines": PLAIN.replace("\n", "\n\n"),
    "blank lines before": "\n\n" + PLAIN,
    "semicolons": PLAIN.replace(",", ";"),
    "tabs": PLAIN.replace(",", "\t"),
    "bars": PLAIN.replace(",", "|"),
    "spaces about numbers": PLAIN.replace(",", " , ").replace("a , b , y", "a,b,y"),
    "all quoted": "\n".join(",".join(f'"{v}"' for v in line.split(",")) for line in PLAIN.split()) + "\n",
    "exponents": "a,b,y\n" + "".join(f"{i % 7},{(i % 5 + 0.5) * 1e3:.1f}E-3,{i}\n" for i in range(40)),
}


@pytest.mark.filterwarnings("ignore::sumlearn.data.dialect.ReadingWarning")
@pytest.mark.parametrize("how", GOOD)
def test_harmless_variants(tmp_path, how):
    assert_same_fit(LinearRegression().fit(text_file(tmp_path, GOOD[how]), "y"), expected())


def test_tabs_in_a_tsv_with_commas_in_names(tmp_path):
    text = PLAIN.replace(",", "\t").replace("a\t", "a,1\t", 1)
    model = LinearRegression().fit(text_file(tmp_path, text, "t.tsv"), "y")
    assert_same_fit(model, expected())
    assert list(model.feature_names_in_) == ["a,1", "b"]


def test_commas_in_quoted_names(tmp_path):
    text = PLAIN.replace(",", ";").replace("a;", '"a, in metres";', 1)
    model = LinearRegression().fit(text_file(tmp_path, text), "y")
    assert_same_fit(model, expected())
    assert list(model.feature_names_in_) == ["a, in metres", "b"]


def test_semicolons_in_names_between_commas(tmp_path):
    path = text_file(tmp_path, PLAIN.replace("a,", "a;1;2;3,", 1))
    assert list(LinearRegression().fit(path, "y").feature_names_in_) == ["a;1;2;3", "b"]


def test_a_header_longer_than_a_block(tmp_path, monkeypatch):
    monkeypatch.setattr(TextReader, "BLOCK", 64)
    path = text_file(tmp_path, PLAIN.replace("b", "b" * 100, 1))
    assert_same_fit(LinearRegression().fit(path, "y"), expected())


def quoted(rows=40):
    """A column of text with commas, quotes and line ends, which is a label."""
    labels = ['one, "two"\nthree', "plain", "a\n\nb"]
    lines = (f'{i % 7},"{labels[i % 3].replace(chr(34), 2 * chr(34))}",{i % 5}.5' for i in range(rows))
    return "a,label,b\n" + "\n".join(lines) + "\n", np.array(labels)[np.arange(rows) % 3]


@pytest.mark.parametrize("block", [100, 1 << 12, 1 << 22])
def test_quoted_fields_with_commas_and_line_ends(tmp_path, monkeypatch, block):
    """Also across the blocks in which text is read, and where a sample of the file would begin inside a field."""
    monkeypatch.setattr(TextReader, "AT_A_TIME", block)
    monkeypatch.setattr(TextReader, "BLOCK", max(block // 4, 64))
    text, labels = quoted(4000)
    rows = np.array([[i % 7, i % 5 + 0.5] for i in range(4000)], dtype=float)
    assert_same_fit(GaussianNB().fit(text_file(tmp_path, text), "label"), GaussianNB().fit(rows, labels))


def test_quoted_lines_that_look_like_rows(tmp_path, monkeypatch, small_blocks):
    """A sample that began inside a field would find text in all columns."""
    monkeypatch.setattr(delimited, "SAMPLES", 40)
    i = np.arange(6000)
    text = "a,label,b\n" + "".join(f'{k % 7},"one\nred,green,blue\n{k % 3}",{k % 5}.5\n' for k in i)
    model = GaussianNB().fit(text_file(tmp_path, text), "label")
    assert_same_fit(
        model,
        GaussianNB().fit(np.column_stack([i % 7, i % 5 + 0.5]), [f"one\nred,green,blue\n{k % 3}" for k in i]),
    )


def test_quoted_windows_line_ends(tmp_path):
    text, labels = quoted()
    path = text_file(tmp_path, text.replace("\n", "\r\n"))
    assert_same_fit(GaussianNB().fit(path, "label"), GaussianNB().fit(ROWS, np.char.replace(labels, "\n", "\r\n")))


def test_the_line_behind_quoted_line_ends(tmp_path):
    """Row 20 does not stand on line 22."""
    text, _ = quoted()
    lines = text.split("\n")
    at = next(i for i, line in enumerate(lines) if line.startswith("6,") and i > 30)
    row = sum(line[:2].strip(",").isdigit() for line in lines[1:at])
    lines[at] = lines[at].replace("6,", ",", 1)
    path = text_file(tmp_path, "\n".join(lines))
    assert re.search(f"NaN: first at row {row} of '.*', line {at + 1}, column 'a'", refusal(path, GaussianNB, "label"))
    assert row + 2 != at + 1


def test_an_empty_label_in_quotes_is_one(tmp_path):
    path = text_file(tmp_path, 'x,y\n1,""\n2,"v"\n3,""\n')
    assert GaussianNB().fit(path, "y").classes_.tolist() == ["", "v"]


def test_a_label_that_is_a_number_in_quotes_is_one(tmp_path):
    path = text_file(tmp_path, 'x,y\n1,"1"\n2,"2"\n3,"1"\n')
    assert GaussianNB().fit(path, "y").classes_.tolist() == [1, 2]


# -- errors with file and line ----------------------------------------------------------------------------------------


def with_line(number, text, lines=PLAIN):
    """The line of that number, counted from 1, replaced."""
    parts = lines.split("\n")
    parts[number - 1] = text
    return "\n".join(parts)


BAD = {
    "a field too many": (with_line(9, "1,2,3,4"), "line 9: Expected 3 columns, got 4"),
    "a field too few": (with_line(9, "1,2"), "line 9: Expected 3 columns, got 2"),
    "ragged behind blank lines": (with_line(9, "\n\n1,2"), "line 11: Expected 3 columns, got 2"),
    "a quote not closed": (with_line(9, '"1,2,3'), "line 9: Expected 3 columns, got 1"),
    "a quote not closed in the last field": (with_line(9, '1,2,"3'), r"column 'y' .* holds text .*\(line 9: '3.n"),
    "a quote in the middle": (with_line(9, '1"2,3,4'), r"column 'a' .* holds text .*\(line 9: '1\"2'"),
    "a NUL byte": (with_line(9, "1,2\0,3"), r"column 'b' .* holds text .*\(line 9: '2.x00'"),
    "a line of NUL bytes": (with_line(9, "\0" * 40), "line 9: Expected 3 columns, got 1"),
    "a letter in Latin-1": (with_line(9, "1,é,3").encode("latin-1"), r"column 'b' .* holds text .*\(line 9: 'é'"),
    "an encoding that nobody can tell": (with_line(9, "1,é\x81,3").encode("latin-1"), "neither UTF-8 nor cp1252: name"),
    "a decimal comma among points": (
        PLAIN.replace(",", ";").replace(".5", ",5", 1),
        r"column 'b' .* holds text .*\(line 2: '0,5' \(a decimal comma\? write decimal points\)\)",
    ),
    "a decimal comma between commas": (PLAIN.replace(".5", ",5"), "line 2: Expected 3 columns, got 4"),
    "an apostrophe": (PLAIN.replace("\n3,", "\n3'00,"), r"column 'a' .* holds text .*\(line 5: \"3'00\"\)"),
    "text": (with_line(9, "1,two,3"), r"column 'b' .* holds text .*\(line 9: 'two'"),
    "text behind an empty cell": (
        with_line(9, "1,two,3", with_line(5, "1,,3")),
        r"column 'b' .* holds text .*\(line 9: 'two'",
    ),
    "text behind a short line": (
        with_line(9, "1,2,three", with_line(5, "1,2")),
        r"column 'y' .* holds text .*\(line 9: 'three'",
    ),
    "text as target": (with_line(9, "1,2,three"), r"column 'y' .* holds text .*\(line 9: 'three'"),
    "a true among numbers": (with_line(9, "1,true,3"), r"column 'b' .* holds text .*\(line 9: 'true'"),
    "an empty cell": (with_line(9, "1,,3"), "NaN: first at row 7 of '.*', line 9, column 'b'"),
    "a cell that says NA": (with_line(9, "1,NA,3"), "NaN: first at row 7 of '.*', line 9, column 'b'"),
    "infinity": (with_line(9, "1,inf,3"), "infinity: first at row 7 of '.*', line 9, column 'b'"),
    "a number too large": (with_line(9, "1,1e999,3"), "infinity: first at row 7 of '.*', line 9, column 'b'"),
    "a name twice": (PLAIN.replace("b", "a", 1), "column 'a' stands more than once"),
    "empty": ("", "is empty"),
    "blank": ("\n  \n\n", "is empty"),
    "a header alone": ("a,b,y\n", "there are no rows in"),
    "a header alone without line end": ("a,b,y", "there are no rows in"),
}


@pytest.mark.filterwarnings("ignore::sumlearn.data.dialect.ReadingWarning")
@pytest.mark.parametrize("how", BAD)
def test_damage(tmp_path, how):
    text, match = BAD[how]
    assert re.search(match, refusal(text_file(tmp_path, text)))


def test_no_header(tmp_path):
    path = text_file(tmp_path, PLAIN.partition("\n")[2])
    reason = refusal(path, PCA, None)
    assert re.search("the first line of .* holds numbers instead of column names: is the header missing", reason)
    assert re.search("is the header missing", refusal(path))
    reason = refusal(text_file(tmp_path, "1,1\n2,3\n"), PCA, None)
    assert re.search("is the header missing", reason)  # not: "1" stands twice


def test_text_without_a_header(tmp_path):
    reason = refusal(text_file(tmp_path, "red,1\nblue,2\n"))
    assert re.search("no column 'y' for the target in .*the columns are red, 1", reason)


def test_a_label_with_a_nul_byte(tmp_path):
    path = text_file(tmp_path, "x,y\n1,u\n2,v\0\n3,v\n")
    assert re.search(r"NUL byte: row 1 of '.*', line 3 holds 'v.x00'", refusal(path, GaussianNB))


def test_a_label_in_latin_1(tmp_path):
    path = text_file(tmp_path, "x,y\n1,u\n2,é\n3,v\n".encode("latin-1"))
    with pytest.warns(ReadingWarning, match="table.csv' is not UTF-8: read as cp1252"):
        assert GaussianNB().fit(path, "y").classes_.tolist() == ["u", "v", "é"]
    assert GaussianNB().fit(Files(path, encoding="cp1250"), "y").classes_.tolist() == ["u", "v", "é"]


def test_bytes_behind_what_is_looked_at(tmp_path, monkeypatch):
    monkeypatch.setattr(encoding, "AT_A_TIME", 4)
    monkeypatch.setattr(encoding, "CHECKED", 8)
    path = text_file(tmp_path, "x,y\n1,u\n2,é\n3,v\n".encode("latin-1"))
    assert re.search(
        r"column 'y' of .* holds bytes values, not labels \(line 3: '�'\).*encoding", refusal(path, GaussianNB)
    )


def test_damage_in_the_second_file(tmp_path):
    text_file(tmp_path, PLAIN, "0.csv")
    text_file(tmp_path, with_line(9, "1,2"), "1.csv")
    with pytest.raises(ValueError, match=r"1\.csv' cannot be read: .*line 9: Expected 3 columns, got 2"):
        LinearRegression().fit(tmp_path, "y")


def test_a_header_alone_among_other_files(tmp_path):
    text_file(tmp_path, "a,b,y\n", "0.csv")
    text_file(tmp_path, PLAIN, "1.csv")
    text_file(tmp_path, "y,b,a", "2.csv")
    assert_same_fit(LinearRegression().fit(tmp_path, "y"), expected())
    labels = GaussianNB().fit(tmp_path, "y")
    assert labels.classes_.dtype.kind == "i" and labels.classes_.tolist() == list(range(40))


def test_damaged_gzip(tmp_path):
    packed = gzip.compress(PLAIN.encode())
    for cut in (2, 15, len(packed) // 2, len(packed) - 9):
        reason = refusal(text_file(tmp_path, packed[:cut], "t.csv.gz"))
        assert re.search("cannot be read: Truncated compressed stream", reason)
    assert re.search("cannot be read: .*incorrect header", refusal(text_file(tmp_path, PLAIN, "t.csv.gz")))
    flipped = bytearray(packed)
    flipped[len(packed) // 2] ^= 0xFF
    assert re.search("cannot be read: .*inflate failed", refusal(text_file(tmp_path, bytes(flipped), "t.csv.gz")))


# -- types over several blocks ----------------------------------------------------------------------------------------


FAR = 120_000  # lines, many times the block that is looked at first


def far_text(cell, line, rows=FAR, column=1):
    lines = [f"{i % 7},{i % 5},{i % 11}" for i in range(rows)]
    if cell is not None:
        fields = lines[line - 2].split(",")
        fields[column] = cell
        lines[line - 2] = ",".join(fields)
    return "a,b,y\n" + "\n".join(lines) + "\n"


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks that make a short file a long one."""
    monkeypatch.setattr(TextReader, "AT_A_TIME", 1 << 15)
    monkeypatch.setattr(TextReader, "BLOCK", 1 << 13)


@pytest.mark.parametrize("where", [60_000, 119_990])
@pytest.mark.parametrize("packed", [False, True])
def test_whole_numbers_then_a_decimal(tmp_path, small_blocks, where, packed):
    data = far_text("2.75", where).encode()
    name = "t.csv.gz" if packed else "t.csv"
    path = text_file(tmp_path, gzip.compress(data, 1) if packed else data, name)
    i = np.arange(FAR)
    rows = np.column_stack([i % 7, i % 5]).astype(float)
    rows[where - 2, 1] = 2.75
    assert_same_fit(LinearRegression().fit(path, "y"), LinearRegression().fit(rows, (i % 11).astype(float)))


@pytest.mark.parametrize("where", [3, 70_001, 119_990])
@pytest.mark.parametrize("column", [1, 2])
def test_whole_numbers_then_text(tmp_path, small_blocks, where, column):
    path = text_file(tmp_path, far_text("nought", where, column=column))
    assert re.search(rf"column '{'aby'[column]}'.*line {where}: .*'nought'", refusal(path))


def test_whole_numbers_then_a_long_text(tmp_path, small_blocks):
    """Its beginning is shown."""
    path = text_file(tmp_path, far_text("no" * 2000, 70_001))
    assert re.search("column 'b': line 70001: .*invalid value 'nonono", refusal(path))


def test_whole_numbers_then_an_empty_cell(tmp_path, small_blocks):
    assert re.search("row 80005 of '.*', line 80007, column 'b'", refusal(text_file(tmp_path, far_text("", 80_007))))


def test_whole_numbers_then_a_decimal_comma(tmp_path, small_blocks):
    text = far_text("1,5", 70_001).split("\n")
    text = "\n".join(line.replace(",", ";") if line != text[70_000] else "3;1,5;1" for line in text)
    assert re.search(r"column 'b'.*line 70001: .*'1,5'.*decimal comma", refusal(text_file(tmp_path, text)))


@pytest.mark.parametrize("where", [70_001, 119_990], ids=["between samples", "in a sample"])
def test_a_ragged_line_far_down(tmp_path, small_blocks, where):
    text = far_text(None, 0).split("\n")
    text[where - 1] = "1,2"
    assert re.search(f"line {where}: Expected 3 columns, got 2", refusal(text_file(tmp_path, "\n".join(text))))


def test_a_quote_that_swallows_the_rest(tmp_path, small_blocks):
    text = far_text(None, 0).split("\n")
    text[70_000] = '1,"2,3'
    reason = refusal(text_file(tmp_path, "\n".join(text)))
    assert re.search("line 70001: a field does not end; is a quote not closed", reason)


def test_latin_1_far_down(tmp_path, small_blocks, monkeypatch):
    """Between samples, and in one, where the encoding is not looked at."""
    monkeypatch.setattr(encoding, "CHECKED", 1)
    monkeypatch.setattr(encoding, "AT_A_TIME", 1000)
    text = far_text("é", 70_001).encode("latin-1")
    assert re.search("column 'b': line 70001: .*invalid value '�'", refusal(text_file(tmp_path, text)))
    text = far_text("é", FAR - 10).encode("latin-1")
    reason = refusal(text_file(tmp_path, text))
    assert re.search(rf"column 'b' of .* holds bytes values, .*\(line {FAR - 10}: '�'\)", reason)


def test_labels_that_are_whole_numbers_then_text(tmp_path, small_blocks):
    """Text near the end is found by a sample, so that all labels are text; hidden between samples it is an error."""
    path = text_file(tmp_path, far_text("none", FAR - 10, column=2))
    assert GaussianNB().fit(path, "y").classes_.tolist() == sorted([*map(str, range(11)), "none"])
    path = text_file(tmp_path, far_text("none", 70_001, column=2))
    assert re.search("column 'y'.*line 70001: .*'none'", refusal(path, GaussianNB))


def test_labels_that_are_whole_numbers_then_floats(tmp_path, small_blocks):
    path = text_file(tmp_path, far_text("12.0", FAR - 10, column=2))
    classes = GaussianNB().fit(path, "y").classes_
    assert classes.dtype == float and classes.tolist() == [*range(11), 12.0]


def test_words_at_the_ends_of_lines(tmp_path, monkeypatch, small_blocks):
    """A sample begins and ends with whole lines: half a word would be no boolean."""
    monkeypatch.setattr(delimited, "SAMPLES", 40)
    a, b, y = np.random.default_rng(0).integers(0, 2, (3, 20_000))
    words = ["false", "true"]
    text = "a,b,y\n" + "".join(f"{words[i]},{j},{words[k]}\n" for i, j, k in zip(a, b, y, strict=True))
    expected = LinearRegression().fit(np.column_stack([a, b]).astype(float), y.astype(float))
    assert_same_fit(LinearRegression().fit(text_file(tmp_path, text), "y"), expected)


def test_a_column_that_ends_empty(tmp_path, small_blocks):
    """A sample without any value does not change the type."""
    lines = [f"{i % 7},{i % 3},{i % 11}" if i < 60_000 else f"{i % 7},,{i % 11}" for i in range(FAR)]
    path = text_file(tmp_path, "a,b,y\n" + "\n".join(lines))
    assert re.search("NaN: first at row 60000 of '.*', line 60002, column 'b'", refusal(path))


def test_a_column_that_begins_empty(tmp_path, small_blocks):
    """Its first row is named, not the type that nobody could know."""
    lines = [f"{i % 7},,{i % 11}" if i < 60_000 else f"{i % 7},3,{i % 11}" for i in range(FAR)]
    assert re.search("row 0 of '.*', line 2, column 'b'", refusal(text_file(tmp_path, "a,b,y\n" + "\n".join(lines))))


# -- JSON lines -------------------------------------------------------------------------------------------------------

OBJECTS = "".join(f'{{"a": {i % 7}, "b": {i % 5}.5, "y": {i}}}\n' for i in range(40))
BAD_JSON = {
    "cut short": (OBJECTS[:-20], "line 40: Expecting property name"),
    "not an object": (with_line(9, "[1, 2, 3]", OBJECTS), r"line 9 is no object: '\[1, 2, 3\]'"),
    "no JSON": (with_line(9, "{'a': 1}", OBJECTS), "line 9: Expecting property name"),
    "text": (with_line(9, '{"a": "one", "b": 1, "y": 2}', OBJECTS), "line 9, column 'a' holds 'one', not a number"),
    "true": (with_line(9, '{"a": true, "b": 1, "y": 2}', OBJECTS), "line 9, column 'a' holds True, not a number"),
    "a key that is missing": (with_line(9, '{"a": 1, "y": 2}', OBJECTS), "row 8 of '.*', line 9, column 'b'"),
    "a null": (with_line(9, '{"a": 1, "b": null, "y": 2}', OBJECTS), "row 8 of '.*', line 9, column 'b'"),
    "a null behind blank lines": (
        with_line(9, '\n\n{"a": 1, "b": null, "y": 2}', OBJECTS),
        "row 8 of '.*', line 11, column 'b'",
    ),
    "a key twice": (with_line(9, '{"a": 1, "b": 1, "b": 2, "y": 2}', OBJECTS), "line 9: column 'b' stands more than"),
    "latin-1": (
        with_line(9, '{"a": "é", "b": 1, "y": 2}', OBJECTS).encode("latin-1"),
        "line 9, column 'a' holds 'é', not a number",
    ),
    "NaN": (with_line(9, '{"a": NaN, "b": 1, "y": 2}', OBJECTS), "NaN: first at row 8 of '.*', line 9, column 'a'"),
    "empty": ("", "is empty"),
    "blank": ("\n\n", "is empty"),
}


@pytest.mark.filterwarnings("ignore::sumlearn.data.dialect.ReadingWarning")
@pytest.mark.parametrize("how", BAD_JSON)
def test_damaged_json(tmp_path, how):
    text, match = BAD_JSON[how]
    assert re.search(match, refusal(text_file(tmp_path, text, "t.jsonl")))


@pytest.mark.parametrize("how", ["plain", "CRLF", "blank lines", "packed", "other order"])
def test_harmless_json(tmp_path, how):
    text = {"CRLF": OBJECTS.replace("\n", "\r\n"), "blank lines": OBJECTS.replace("\n", "\n\n")}.get(how, OBJECTS)
    if how == "other order":
        text = with_line(9, '{"y": 8, "b": 3.5, "a": 1}', text)
    name = "t.jsonl.gz" if how == "packed" else "t.jsonl"
    data = gzip.compress(text.encode()) if how == "packed" else text
    assert_same_fit(LinearRegression().fit(text_file(tmp_path, data, name), "y"), expected())


def test_json_far_down(tmp_path, small_blocks):
    good = '{"a": 1, "b": 2, "y": 3}\n'
    text = good * 30_000 + '{"a": "x", "b": 2, "y": 3}\n' + good * 5
    assert re.search("line 30001, column 'a' holds 'x', not a number", refusal(text_file(tmp_path, text, "t.jsonl")))
    decimal = '{"a": 1, "b": 2, "y": 3}\n{"a": 2, "b": 1, "y": 0}\n' * 15_000 + '{"a": 0.5, "b": 2, "y": 3}\n'
    rows = np.vstack([np.tile([[1.0, 2.0], [2.0, 1.0]], (15_000, 1)), [[0.5, 2.0]]])
    y = np.append(np.tile([3.0, 0.0], 15_000), 3.0)
    assert_same_fit(Ridge().fit(text_file(tmp_path, decimal, "t.jsonl"), "y"), Ridge().fit(rows, y))


def test_json_blames_only_what_is_read(tmp_path, small_blocks):
    """A column that nobody asked for changes its kind far down."""
    model = LinearRegression().fit(text_file(tmp_path, OBJECTS, "0.jsonl"), "y")
    text = '{"a": 1, "b": 2, "y": 3, "note": 4}\n' * 10_000 + '{"a": 1, "b": 2, "y": 3, "note": "x"}\n'
    assert model.partial_fit(text_file(tmp_path, text, "1.jsonl"), "y").statistic_.rows == 40 + 10_001
    path = text_file(tmp_path, text + '{"a": "x", "b": 2, "y": 3}\n', "2.jsonl")
    with pytest.raises(ValueError, match=r"2\.jsonl' cannot be read: line 10002, column 'a' holds 'x', not a number"):
        model.partial_fit(path, "y")


def test_refused_rows_leave_a_fitted_model_as_it_was(tmp_path):
    """An error in the last chunk of many: nothing of the others stays."""
    write_csv(columns("number"), tmp_path / "t.csv")
    model = LinearRegression().fit(tmp_path / "t.csv", "number")
    state = dict(model.__dict__)
    frame = columns("number")
    frame.loc[len(frame) - 1, "b"] = np.nan
    write_csv(frame, tmp_path / "bad.csv")
    for method in (model.fit, model.partial_fit, model.forget):
        with pytest.raises(ValueError, match=r"row 70000 of '.*bad\.csv', line 70002, column 'b'"):
            method(tmp_path / "bad.csv", "number")
        assert model.__dict__.keys() == state.keys()
        assert all(model.__dict__[name] is value for name, value in state.items())
    assert_same_fit(model, LinearRegression().fit(X, SCORE))
