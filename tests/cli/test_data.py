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


@pytest.mark.slow
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
    write(tmp_path / "iris", ["x", "y"], [[i % 7, "ab"[i % 2]] for i in range(20)])
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


def test_decimal_commas(run, tmp_path):
    """As spreadsheets of half of Europe write them: 0,5 between semicolons."""
    mixed(tmp_path / "m.csv")
    lines = [line.split(",") for line in (tmp_path / "m.csv").read_text().splitlines() if '"' not in line]
    (tmp_path / "points.csv").write_text("".join(",".join(cells) + "\n" for cells in lines))
    written = ["\t".join([*cells[:1], cells[1].replace(".", ","), *cells[2:]]) for cells in lines]
    (tmp_path / "commas.csv").write_text("".join(line.replace("\t", ";") + "\n" for line in written))
    expected = trained(run, "points.csv", "-t", "label")
    assert trained(run, "commas.csv", "-t", "label")["folds"] == expected["folds"]


def test_a_folder_of_parquet(run, tmp_path):
    import pyarrow.csv as pc
    import pyarrow.parquet as pq

    table = pc.read_csv(pima_part(tmp_path / "p.csv", 0, 120))
    (tmp_path / "parts" / "more").mkdir(parents=True)
    pq.write_table(table.slice(0, 50), tmp_path / "parts" / "a.parquet")
    pq.write_table(table.slice(50), tmp_path / "parts" / "more" / "b.parquet")
    (tmp_path / "parts" / "_SUCCESS").write_text("")
    expected = trained(run, "p.csv", "-t", "diabetes")
    assert trained(run, "parts", "-t", "diabetes")["folds"] == pytest.approx(expected["folds"])


@pytest.mark.slow
def test_a_thousand_columns(run, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 1000)).round(3)
    label = np.where(X[:, 0] > 0, "yes", "no")
    rows = [[*map(str, row), word] for row, word in zip(X.tolist(), label, strict=True)]
    write(tmp_path / "wide.csv", [f"x{j}" for j in range(1000)] + ["y"], rows)
    found = trained(run, "wide.csv", "-t", "y")
    assert found["data"]["columns"] == 1001
    assert run("predict", "wide-report", "wide.csv").out.count("\n") == 61
    assert len(run("info", "wide-report").out.splitlines()) < 40


def test_names_that_would_be_something_elsewhere(run, tmp_path):
    """Paths, formulas, markup and options as names of columns, labels and files are names and nothing else."""
    rng = np.random.default_rng(0)
    names = ["../../up", "=cmd|' /C calc'!A0", "<img src=x onerror=alert(1)>", "--force", "{{7*7}}", "a,b\nc", "%s"]
    X = rng.normal(size=(80, len(names))).round(4)
    label = np.where(X.sum(axis=1) > 0, "</script>", "@SUM(1)")
    rows = [[*map(str, row), word] for row, word in zip(X.tolist(), label, strict=True)]
    file = "$(touch hacked) <b>.csv"
    write(tmp_path / file, [*names, "__class__"], rows)
    found = trained(run, file, "-t", "__class__", "-o", "out")
    assert found["columns_left_out"] == []
    assert set(found["classes"]) == {"</script>", "@SUM(1)"}
    written = run("predict", "out", file).out.splitlines()
    assert {line.split(",", 1)[1] for line in written[1:]} <= {"</script>", "@SUM(1)"}  # labels are never changed
    assert run("update", "out", file, "-o", "two.skops", "--again").code == 0
    assert run("forget", "two.skops", file, "-o", "one.skops").code == 0
    shown = run("info", "one.skops").out
    assert "alert(1)" in shown or "7 columns" in shown
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted([file, "out", "two.skops", "one.skops"])


def test_a_class_of_two_rows(run, tmp_path):
    """Among several classes it is learnt and flagged; of two classes it cannot be both learnt and scored."""
    mixed(tmp_path / "m.csv", 300)
    header, *rows = [line.split(",") for line in (tmp_path / "m.csv").read_text().splitlines() if '"' not in line]
    for row, word in zip(rows, ["rare", "rare"], strict=False):
        row[-1] = word
    write(tmp_path / "three.csv", header, rows)
    found = trained(run, "three.csv", "-t", "label")
    assert found["classes"]["rare"] == 2
    assert any(check["code"] == "few-rows" and "'rare'" in check["text"] for check in found["checks"])
    write(tmp_path / "two.csv", header, [row for row in rows if row[-1] != "-"])
    refused = run("train", "two.csv", "-t", "label", *WORDS)
    assert refused.code == 3
    assert "the class 'rare' has 2 rows" in refused.err
