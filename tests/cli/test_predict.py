"""`sumlearn predict`: formats, ids, scores, and files that a spreadsheet does not run."""

import csv
import io
import json
import sys
from pathlib import Path

import numpy as np
import pytest

import sumlearn
from sumlearn.product import read_table

from tests.cli.tables import mixed, pima_part


@pytest.fixture
def model(run, tmp_path):
    """Labels are + and -, keys begin with =."""
    mixed(tmp_path / "m.csv")
    words = ["train", "m.csv", "-t", "label", "--ids", "key", "--models", "lda", "--cv", "2", "-o", "M", "-q"]
    assert run(*words).code == 0
    return sumlearn.load("M/model.skops")


def test_predictions_of_the_command_are_those_of_the_model(run, model):
    rows = list(csv.DictReader(io.StringIO(run("predict", "M", "m.csv", "--proba").out)))
    assert [row["prediction"] for row in rows] == model.predict(read_table("m.csv")).tolist()
    expected = model.model.predict_proba(read_table("m.csv").frame.select(model.facts["columns"]))
    np.testing.assert_allclose([float(row["probability -"]) for row in rows], expected[:, 1])


def test_free_text_is_made_safe_and_labels_are_not(run, model):
    """In a cell that begins with = a spreadsheet would run it; + and - are labels, and join with the data."""
    rows = list(csv.DictReader(io.StringIO(run("predict", "M", "m.csv").out)))
    assert [row["key"] for row in rows[:3]] == ["'=id0", "'=id1", "'=id2"]
    assert {row["prediction"] for row in rows} == {"+", "-"}
    with open("M/predictions.csv", encoding="utf-8", newline="") as file:
        kept = list(csv.DictReader(file))
    assert kept[0]["key"] == "'=id0"
    assert {row["label"] for row in kept} == {row["prediction"] for row in kept} == {"+", "-"}


def test_negative_numbers_stay_numbers(run, tmp_path):
    mixed(tmp_path / "m.csv")
    run("train", "m.csv", "-t", "size", "--models", "ridge", "--cv", "2", "-o", "M", "-q")
    answers = [float(line) for line in run("predict", "M", "m.csv").out.splitlines()[1:]]
    assert min(answers) < 0


def test_formats(run, model):
    import pyarrow.parquet as pq

    for name in ("p.csv", "p.jsonl", "p.parquet"):
        assert run("predict", "M", "m.csv", "-o", name, "--proba").code == 0
    table = pq.read_table("p.parquet")
    lines = [json.loads(line) for line in Path("p.jsonl").read_text().splitlines()]
    assert lines == table.to_pylist()
    with open("p.csv", encoding="utf-8", newline="") as file:
        assert [row["prediction"] for row in csv.DictReader(file)] == table["prediction"].to_pylist()
    assert lines[0]["key"] == "=id0"  # only a spreadsheet needs the apostrophe
    assert run("predict", "M", "m.csv", "--format", "xls").code == 2
    refused = run("predict", "M", "m.csv", "-o", "p.csv")
    assert (refused.code, "--force" in refused.err) == (2, True)
    assert run("predict", "M", "m.csv", "-o", "p.csv", "--force").code == 0
    assert run("predict", "M", "m.csv", "--format", "jsonl").out.splitlines()[0].startswith("{")


def test_standard_input_is_the_default(run, model, monkeypatch):
    expected = run("predict", "M", "m.csv").out
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(Path("m.csv").read_bytes())))
    assert run("predict", "M").out == expected


def test_columns_may_be_reordered_and_added_but_not_missing(run, model, tmp_path):
    rows = list(csv.DictReader(Path("m.csv").read_text(encoding="utf-8").splitlines()))
    expected = run("predict", "M", "m.csv").out
    for row in rows:
        row["extra"] = "1"
        del row["label"]
    for name, columns in (("other.csv", ["extra", "day", "new", "city", "size", "key"]), ("less.csv", ["day", "city"])):
        with open(name, "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, columns, extrasaction="ignore")
            writer.writeheader()
            writer.writerows(rows)
    assert run("predict", "M", "other.csv").out == expected
    found = run("predict", "M", "less.csv")
    assert found.code == 3
    assert "no column 'size'" in found.err


def test_threshold_is_for_two_classes(run, tmp_path):
    run("train", "iris", "--models", "lda", "--cv", "2", "-q")
    found = run("predict", "iris-report", "iris", "--threshold", "0.5")
    assert (found.code, "two classes" in found.err) == (2, True)
    header = run("predict", "iris-report", "iris", "--proba").out.splitlines()[0]
    assert header == "prediction,probability setosa,probability versicolor,probability virginica"
    pima_part(tmp_path / "p.csv", 0, 100)
    run("train", "p.csv", "-t", "diabetes", "--models", "lda", "--cv", "2", "-q")
    assert set(run("predict", "p-report", "p.csv", "--threshold", "0").out.splitlines()[1:]) == {"pos"}
    assert set(run("predict", "p-report", "p.csv", "--threshold", "1.1").out.splitlines()[1:]) == {"neg"}


def test_info_tells_what_is_needed_to_use_the_model(run, model):
    text = run("info", "M").out
    for words in ("'label', 2 classes: +, -", '"-", threshold', "linear discriminant", "update, forget, merge", "size"):
        assert words in text
    facts = json.loads(run("info", "M", "--json").out)
    assert facts["columns"] == ["size", "city", "new", "day"]
    assert facts["history"][0]["sha256"] == read_table("m.csv").digest
