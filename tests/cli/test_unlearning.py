"""`forget --remaining`: the model after forgetting beside the one that never saw the rows; and who still knows them."""

import csv
import json

import numpy as np
import pytest

import sumlearn
from sumlearn.cli import main
from sumlearn.data.examples import ENTRIES, TABLES
from sumlearn.product import read_table, train
from sumlearn.product.knowing import files_that_know
from sumlearn.product.problems import DataProblem
from sumlearn.product.unlearning import hash_of, relative_difference, unlearnt
from sumlearn.statistics import Moments

from tests.cli.tables import mixed, pima_part, pima_rows, write

TABLES_OF = {"pima": "lda", "play_tennis": "mixed_bayes", "iris": "qda", "faithful": "ridge"}


def with_hashes(*more):
    """All rows, those that go, and those that remain; a model of all of them."""
    header, rows = pima_rows()
    write("all.csv", header, rows[:300])
    write("go.csv", header, rows[100:140])
    write("rest.csv", header, rows[:100] + rows[140:300])
    asked = ["--models", "lda", "--cv", "2", "--budget", "none", "--refits", "0"]
    assert main(["train", "all.csv", "-t", "diabetes", *asked, "-o", "m", "-q", *more]) == 0


def without_hashes():
    with_hashes("--no-row-hashes")


@pytest.fixture
def trained(tmp_path, made_once):
    made_once(with_hashes, tmp_path)


def test_both_hashes_and_the_rows_are_told(trained, run):
    found = run(*["forget", "m", "go.csv", "--remaining", "rest.csv"])
    assert found.code == 0, found.err
    assert "the model holds exactly the 260 rows of rest.csv: compared one by one by their hashes" in found.out
    model = sumlearn.load("m/model-2.skops")
    proof = unlearnt(model, read_table("rest.csv"), "the rest")
    assert f"forgotten sha256 {proof.forgotten}" in found.out and f"never saw sha256 {proof.never}" in found.out
    assert hash_of(model.model) == proof.forgotten
    assert ("the same to the bit" in found.out) == proof.equal and ("differ by rounding" in found.out) != proof.equal
    assert proof.sums < 1e-14 and proof.coefficients < 1e-12


def test_exact_sums_have_equal_hashes(tmp_path, run):
    with open(mixed(tmp_path / "all.csv"), newline="") as file:
        header, *rows = csv.reader(file)
    for name, part in {"go": rows[::7], "rest": [row for k, row in enumerate(rows) if k % 7]}.items():
        write(tmp_path / f"{name}.csv", header, part)
    asked = ["-t", header[-1], "--precision", "exact", "--cv", "2", "--budget", "none", "--refits", "0", "-q"]
    assert run(*["train", "all.csv", "--models", "lda", "-o", "m", *asked]).code == 0
    found = run(*["forget", "m", "go.csv", "--remaining", "rest.csv"])
    assert found.code == 0 and "the two models are the same to the bit" in found.out, found.err
    refused = run(*["train", "all.csv", "--models", "logistic", "-o", "n", *asked])
    assert refused.code == 2 and "has no exact sums (--precision)" in refused.err


def test_the_document_has_them_too(trained, run):
    found = json.loads(run(*["forget", "m", "go.csv", "--remaining", "rest.csv", "--json", "-q"]).out)
    assert found["unlearnt"]["rows"] == 260 and found["unlearnt"]["compared"]
    assert found["unlearnt"]["equal"] == (found["unlearnt"]["forgotten"] == found["unlearnt"]["never"])
    assert any(one["file"].endswith("model.skops") for one in found["destroy"])


def changed_cell(rows):
    other = [*rows[0][:1], "200", *rows[0][2:]]
    return [other, *rows[1:]], "row 0 is not in the model .*; the model holds 1 row that it lacks"


def missing_row(rows):
    return rows[:7] + rows[8:], "the model holds 1 row that it lacks"


def double_row(rows):
    return [*rows, rows[3]], "row 260 is not in the model"


@pytest.mark.parametrize("change", [changed_cell, missing_row, double_row])
@pytest.mark.parametrize("hashes", [True, False])
def test_other_rows_are_refused_and_nothing_is_written(made_once, run, tmp_path, change, hashes):
    made_once(with_hashes if hashes else without_hashes, tmp_path)
    header, all_rows = pima_rows()
    rest = all_rows[:100] + all_rows[140:300]
    rows, message = change(rest)
    write(tmp_path / "rest.csv", header, rows)
    found = run(*["forget", "m", "go.csv", "--remaining", "rest.csv"])
    assert found.code == 3 and not (tmp_path / "m" / "model-2.skops").exists()
    if hashes:
        with pytest.raises(DataProblem, match=message):
            unlearnt(sumlearn.load("m/model.skops").forget(read_table("go.csv")), read_table("rest.csv"), "it")
    assert "'rest.csv' is not what the model holds" in found.err


@pytest.mark.parametrize("name", TABLES_OF)
def test_bundled_tables(tmp_path, name):
    """Categories, dates and gaps too: the sums after forgetting are those of the rest."""
    with open(TABLES / ENTRIES[name].file, encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    go = slice(3, 6) if len(rows) < 20 else slice(20, 45)
    write(tmp_path / "all.csv", header, rows)
    write(tmp_path / "go.csv", header, rows[go])
    write(tmp_path / "rest.csv", header, rows[: go.start] + rows[go.stop :])
    options = {"models": TABLES_OF[name], "cv": "2" if len(rows) > 20 else "loo", "budget": "none", "refits": 0}
    model = train(tmp_path / "all.csv", ENTRIES[name].target or "waiting", **options).model.forget(
        read_table(tmp_path / "go.csv")
    )
    proof = unlearnt(model, read_table(tmp_path / "rest.csv"), "the rest")
    assert proof.compared and proof.sums < 1e-12


def test_a_mixed_table(tmp_path):
    mixed(tmp_path / "m.csv", 160)
    with open(tmp_path / "m.csv", encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    write(tmp_path / "go.csv", header, rows[:30])
    write(tmp_path / "rest.csv", header, rows[30:][::-1])
    model = train(tmp_path / "m.csv", "label", models="lda", cv=2, ids=["key"], budget="none", refits=0).model
    proof = unlearnt(model.forget(read_table(tmp_path / "go.csv")), read_table(tmp_path / "rest.csv"), "the rest")
    assert proof.compared and proof.rows == 130 and proof.sums < 1e-12


def test_the_certificate_lists_who_knows_the_rows(trained, run, tmp_path):
    pima_part("more.csv", 300, 320)
    assert run(*["update", "m", "more.csv", "-q"]).code == 0  # m/model-2.skops: knows them
    assert run(*["forget", "m/model.skops", "go.csv", "-o", "m/without.skops", "-q"]).code == 0  # does not
    (tmp_path / "m" / "copy.sumlearn").write_bytes((tmp_path / "m" / "model.skops").read_bytes())
    (tmp_path / "m" / ".model.skops.0123.tmp").write_bytes(b"half")
    (tmp_path / "m.unfinished").mkdir()
    assert (
        run(
            *[
                "train",
                "more.csv",
                "-t",
                "diabetes",
                "--models",
                "lda",
                "--cv",
                "2",
                "--budget",
                "none",
                "--refits",
                "0",
                "-o",
                "other",
                "-q",
            ]
        ).code
        == 0
    )
    (tmp_path / "m" / "other.skops").write_bytes((tmp_path / "other" / "model.skops").read_bytes())  # never saw them
    found = run(*["forget", "m", "go.csv"])
    assert found.code == 0, found.err
    named = [line.split()[1] for line in found.out.splitlines() if line.startswith("  destroy   /")]
    inside = {path.rpartition("/m/")[2] for path in named if "/m/" in path}
    assert inside == {
        *("model.skops", "model-2.skops", "copy.sumlearn", ".model.skops.0123.tmp"),
        *("predictions.csv", "report.html", "metrics.json"),
    }
    assert any(path.endswith("m.unfinished") for path in named)
    assert "the tables that it learnt from: all, more" in found.out


def test_in_place_the_old_file_is_gone(trained, run, tmp_path):
    found = run(*["forget", "m", "go.csv", "--in-place", "--remaining", "rest.csv"])
    assert found.code == 0 and "model.skops   a model" not in found.out and "predictions.csv" in found.out


def test_what_was_shared_is_told(trained, run):
    assert run(*["share", "m", "-o", "shared.skops", "-q"]).code == 0
    found = run(*["forget", "m", "go.csv"])
    assert "1 file shared of the model" in found.out


def test_a_difference_of_forms_is_none():
    a = Moments.of(np.eye(3))
    assert relative_difference(a, a) == 0.0
    assert relative_difference(a, Moments.of(np.eye(4))) is None
    assert relative_difference({"a": 1.0}, {"b": 1.0}) is None


def test_nothing_beside_a_model_alone(trained, tmp_path):
    alone = tmp_path / "alone"
    alone.mkdir()
    (alone / "m.skops").write_bytes((tmp_path / "m" / "model.skops").read_bytes())
    old = sumlearn.load(alone / "m.skops")
    found = files_that_know(old, alone / "m.skops", alone / "new.skops", read_table(tmp_path / "go.csv"))
    assert [one.path and one.path.name for one in found] == ["m.skops", None]
