"""`sumlearn predict`: formats, ids, scores, and files that a spreadsheet does not run."""

import csv
import io
import json
import sys
from pathlib import Path

import numpy as np
import pytest

import sumlearn
from sumlearn.cli import main
from sumlearn.product import read_table, train
from sumlearn.product.tables import open_table

from tests.cli.tables import mixed, pima_part


def labels_and_keys():
    """Labels are + and -, keys begin with =."""
    mixed("m.csv")
    words = ["train", "m.csv", "-t", "label", "--ids", "key", "--models", "lda", "--cv", "2", "-o", "M", "-q"]
    assert main(words) == 0


@pytest.fixture
def model(run, tmp_path, made_once):
    made_once(labels_and_keys, tmp_path)
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
    answers = [float(line.split(",")[1]) for line in run("predict", "M", "m.csv").out.splitlines()[1:]]
    assert min(answers) < 0


@pytest.mark.slow
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
    assert header == "row,prediction,probability setosa,probability versicolor,probability virginica"
    pima_part(tmp_path / "p.csv", 0, 100)
    run("train", "p.csv", "-t", "diabetes", "--models", "lda", "--cv", "2", "-q")
    lines = run("predict", "p-report", "p.csv", "--threshold", "0").out.splitlines()
    assert lines == ["row,prediction", *(f"{i},pos" for i in range(100))]
    assert {line.split(",")[1] for line in run("predict", "p-report", "p.csv", "--threshold", "1").out.split()[1:]} == {
        "neg"
    }
    for threshold in ("1.1", "-0.1", "nan"):
        found = run("predict", "p-report", "p.csv", "--threshold", threshold)
        assert (found.code, "is no probability from 0 to 1" in found.err) == (2, True), threshold


def test_the_input_is_kept_as_it_is_written(run, tmp_path):
    """Also what the model reads as a number, and what it does not read at all; row numbers go on over blocks."""
    lines = [f"{'<5' if i % 9 == 0 else i + 7},0{i % 3},{'ab'[i % 2]}" for i in range(60)]
    Path("t.csv").write_text("\n".join(["crp,row,y", *lines]) + "\n")
    sumlearn.save(train("t.csv", "y", models="lda", cv=2, refits=0).model, "m.skops")
    found = run("predict", "m.skops", "t.csv", "--keep").out.splitlines()
    assert found[0] == "row,crp,row (input),y,prediction"
    assert [line.rsplit(",", 1)[0] for line in found[1:]] == [f"{i},{line}" for i, line in enumerate(lines)]
    assert run("predict", "m.skops", "t.csv", "--keep", "-o", "p.parquet").code == 0


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_the_input_is_kept_block_by_block(run, tmp_path, monkeypatch, name):
    import pyarrow.csv as pc
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    lines = [f"{v:.4f},{int(v > 0)}" for v in rng.normal(size=2500)]
    Path("t.csv").write_text("\n".join(["x,y", *lines]) + "\n")
    pq.write_table(pc.read_csv("t.csv"), "t.parquet")
    sumlearn.save(train("t.csv", "y", models="lda", cv=2, refits=0).model, "m.skops")
    monkeypatch.setattr("sumlearn.product.table_blocks.BLOCK", 1000)
    monkeypatch.setattr("sumlearn.product.tables.open_table.__defaults__", (1000, *open_table.__defaults__[1:]))
    found = run("predict", "m.skops", name, "--keep").out.splitlines()[1:]
    assert [line.split(",")[0] for line in found] == [str(i) for i in range(2500)]
    assert [float(line.split(",")[1]) for line in found] == [float(line.split(",")[0]) for line in lines]


def test_info_tells_what_is_needed_to_use_the_model(run, model):
    text = run("info", "M").out
    for words in ("'label', 2 classes: +, -", '"-", threshold', "linear discriminant", "update, forget, merge", "size"):
        assert words in text
    facts = json.loads(run("info", "M", "--json").out)
    assert facts["columns"] == ["size", "city", "new", "day"]
    assert facts["history"][0]["sha256"] == read_table("m.csv").digest
