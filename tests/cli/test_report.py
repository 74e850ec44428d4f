"""`sumlearn report`, and the page that `sumlearn train` leaves in its folder."""

import json
from pathlib import Path

import pytest

from sumlearn.cli import main

from tests.cli.tables import pima_part


def old_and_fresh():
    pima_part("old.csv", 0, 300)
    pima_part("fresh.csv", 300, 500)
    words = ["--models", "lda", "--cv", "3", "--cost", "FA=1,FR=3", "--drop", "age"]
    assert main(["train", "old.csv", "-t", "diabetes", *words]) == 0


@pytest.fixture
def trained(run, tmp_path, made_once):
    made_once(old_and_fresh, tmp_path)
    return run


def test_train_leaves_a_page_with_its_command(trained):
    page = Path("old-report/report.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>") and "Predicting “diabetes”" in page
    command = "sumlearn train old.csv --target diabetes --models lda --cost FA=1.0,FR=3.0 --cv 3 --drop age"
    assert command in page
    again = trained(*command.split()[1:], "-o", "again")
    assert again.code == 0
    assert Path("again/metrics.json").read_bytes() == Path("old-report/metrics.json").read_bytes()


def test_a_report_on_fresh_rows(trained):
    found = trained("report", "old-report", "fresh.csv", "--json")
    assert found.code == 0, found.err
    document = json.loads(found.out)
    assert document["file"] == "fresh-report.html" and document["metric"] == "auc"
    assert Path("fresh-report.html").stat().st_size < 2_500_000
    assert trained("report", "old-report", "fresh.csv").code == 2  # the file is there
    assert trained("report", "old-report", "fresh.csv", "--force").code == 0
    told = trained("report", "old-report/model.skops", "fresh.csv", "-o", "other.html")
    low, high = document["interval"]
    assert f"AUC {document['score']:.3f} [{low:.3f}, {high:.3f}] on 200 rows" in told.out
    assert "at its training" in told.out


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (["nowhere.skops", "fresh.csv"], 3, "there is no model file"),
        (["old-report", "nowhere.csv"], 3, "nowhere.csv"),
        (["old-report", "iris"], 3, "no column 'diabetes'"),
        (["old-report", "fresh.csv", "-o", "no/where.html"], 2, "there is no folder"),
    ],
)
def test_errors_are_one_sentence(trained, words, code, text):
    found = trained("report", *words)
    assert found.code == code
    assert text in found.err and found.err.count("\n") == 1
    assert not Path("fresh-report.html").exists()
