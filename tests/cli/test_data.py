"""Tables as people have them: quotes, semicolons, marks, gaps, several files; and tables that are broken."""

import io
import json
import sys

import numpy as np
import pytest

from tests.cli.tables import mixed, pima_part, write

WORDS = ["--models", "naive_bayes", "--cv", "2", "--json", "-q", "--force"]


def trained(run, *arguments):
    found = run("train", *arguments, *WORDS)
    assert found.code == 0, found.err
    return json.loads(found.out)


def test_dialects_of_csv_give_the_same_model(run, tmp_path):
    """Commas and quotes, semicolons, tabs, a byte order mark, Windows line ends."""
    mixed(tmp_path / "m.csv")
    mixed(tmp_path / "semicolon.csv", delimiter=";")
    mixed(tmp_path / "tab.tsv", delimiter="\t")
    text = (tmp_path / "m.csv").read_text()
    (tmp_path / "bom.csv").write_text("\ufeff" + text, encoding="utf-8")
    (tmp_path / "windows.csv").write_bytes(text.replace("\n", "\r\n").encode())
    expected = trained(run, "m.csv", "-t", "label")
    assert expected["classes"].keys() == {"+", "-"}
    for name in ("semicolon.csv", "tab.tsv", "bom.csv", "windows.csv"):
        assert trained(run, name, "-t", "label")["folds"] == expected["folds"], name


def test_formats_give_the_same_model(run, tmp_path):
    import pyarrow.csv as pc
    import pyarrow.feather as pf
    import pyarrow.parquet as pq

    table = pc.read_csv(pima_part(tmp_path / "p.csv", 0, 120))
    pq.write_table(table, tmp_path / "p.parquet")
    pf.write_feather(table, tmp_path / "p.arrow", compression="uncompressed")
    (tmp_path / "p.jsonl").write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
    expected = trained(run, "p.csv", "-t", "diabetes")
    for name in ("p.parquet", "p.arrow", "p.jsonl"):
        assert trained(run, name, "-t", "diabetes")["folds"] == pytest.approx(expected["folds"]), name


def test_glob_folder_and_stdin(run, tmp_path, monkeypatch):
    (tmp_path / "parts").mkdir()
    pima_part(tmp_path / "parts" / "a.csv", 0, 60)
    pima_part(tmp_path / "parts" / "b.csv", 60, 120)
    whole = pima_part(tmp_path / "whole.csv", 0, 120)
    expected = trained(run, "whole.csv", "-t", "diabetes")
    assert trained(run, "parts", "-t", "diabetes")["folds"] == expected["folds"]
    assert trained(run, "parts/*.csv", "-t", "diabetes")["folds"] == expected["folds"]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(whole.read_bytes())))
    assert trained(run, "-", "-t", "diabetes")["folds"] == expected["folds"]
    assert (tmp_path / "stdin-report" / "model.skops").exists()


def test_a_file_goes_before_a_bundled_table(run, tmp_path):
    write(tmp_path / "iris", ["x", "y"], [[i, "ab"[i % 2]] for i in range(20)])
    assert trained(run, "iris", "-t", "y")["data"]["rows"] == 20


def test_text_columns_dates_and_gaps_are_reported(run, tmp_path):
    mixed(tmp_path / "m.csv")
    found = trained(run, "m.csv", "-t", "label")
    said = {line["column"]: line["what"] for line in found["columns_left_out"]}
    assert said["key"] == "left out"
    assert said["size"] == "filled"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("a,y\n1,x\n2,x,9\n3,z\n", "line 3"),
        ('a,y\n1,x\n"2,x\n3,z\n', "c.csv"),
        ("1,2\n3,4\n", "header"),
        ("", "empty"),
        ("a,y\n", "no rows"),
        ("a,a\n1,2\n", "more than once"),
    ],
)
def test_broken_csv_is_named_with_its_line(run, tmp_path, content, words):
    (tmp_path / "c.csv").write_text(content)
    found = run("train", "c.csv", "-t", "y")
    assert found.code == 3
    assert words in found.err
    assert len(found.err.splitlines()) == 1


def test_truncated_parquet(run, tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"a": np.arange(1000.0), "y": np.arange(1000) % 2}), tmp_path / "t.parquet")
    data = (tmp_path / "t.parquet").read_bytes()
    (tmp_path / "t.parquet").write_bytes(data[: len(data) // 2])
    found = run("train", "t.parquet", "-t", "y")
    assert found.code == 3
    assert "t.parquet" in found.err


def test_files_with_other_columns(run, tmp_path):
    write(tmp_path / "1.csv", ["a", "y"], [[1, 2]])
    write(tmp_path / "2.csv", ["b", "y"], [[1, 2]])
    found = run("train", "*.csv", "-t", "y")
    assert found.code == 3
    assert "column 'a' is not in all files" in found.err


def rows(target, n=40, seed=0):
    rng = np.random.default_rng(seed)
    return [[f"{rng.normal():.4f}", f"{rng.normal():.4f}", target(i)] for i in range(n)]


@pytest.mark.parametrize(
    ("target", "words"),
    [
        (lambda i: "a", "is 'a' in every row"),
        (lambda i: "", "is empty in all rows"),
        (lambda i: "rare" if i in (3, 20) else "usual", "the class 'rare' has 2 rows"),
        (lambda i: "rare" if i in (3, 9, 20, 30) else "usual", "--cv 4"),
        (lambda i: f"word{i}", "40 labels in 40 rows; --target names another column"),
        (lambda i: i, "40 labels in 40 rows; --task regress"),
    ],
)
def test_targets_that_cannot_be_learnt(run, tmp_path, target, words):
    write(tmp_path / "t.csv", ["a", "b", "y"], rows(target))
    found = run("train", "t.csv", "-t", "y", "--task", "classify")
    assert found.code == 3
    assert words in found.err
    assert not (tmp_path / "t-report").exists()


def test_few_rows_of_a_class_are_learnt_where_they_can_be(run, tmp_path):
    write(tmp_path / "t.csv", ["a", "b", "y"], rows(lambda i: "rare" if i in (3, 9, 20) else "ab"[i % 2]))
    found = trained(run, "t.csv", "-t", "y")
    assert "few-rows" in [check["code"] for check in found["checks"]]
    write(tmp_path / "u.csv", ["a", "b", "y"], rows(lambda i: "rare" if i % 8 == 0 else "usual"))
    assert trained(run, "u.csv", "-t", "y")["classes"] == {"rare": 5, "usual": 35}


def test_numbers_are_labels_or_numbers(run, tmp_path):
    """Few whole numbers are labels; --task overrides."""
    write(tmp_path / "t.csv", ["a", "b", "y"], rows(lambda i: i % 3))
    assert trained(run, "t.csv", "-t", "y")["task"] == "classify"
    found = run("train", "t.csv", "-t", "y", "--task", "regress", "--models", "ridge", "--cv", "2", "--json", "--force")
    assert json.loads(found.out)["task"] == "regress"
    write(tmp_path / "u.csv", ["a", "b", "y"], rows(lambda i: i * 0.5))
    found = run("train", "u.csv", "-t", "y", "--models", "ridge", "--cv", "2", "--json")
    assert json.loads(found.out)["task"] == "regress"


def test_rows_without_target_are_dropped_and_counted(run, tmp_path):
    write(tmp_path / "t.csv", ["a", "b", "y"], rows(lambda i: "" if i % 10 == 0 else "ab"[i % 2]))
    found = run("train", "t.csv", "-t", "y", "--models", "lda", "--cv", "2")
    assert "4 rows without 'y'" in found.err
    assert json.loads((tmp_path / "t-report" / "metrics.json").read_text())["rows_without_target"] == 4
