"""`sumlearn train`: the folder it writes, that it can be repeated, and what it says."""

import csv
import json
import os
import stat
import subprocess
import sys
import tomllib
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import sumlearn
from sumlearn.product.catalogue import CANDIDATES

from tests.cli.conftest import ENVIRONMENT
from tests.cli.tables import mixed, pima_part, pima_rows, write

FILES = {"report.html", "model.skops", "predictions.csv", "metrics.json", "run.toml", "train.py"}


@pytest.fixture
def pima(tmp_path):
    return pima_part(tmp_path / "pima.csv", 0, 250)


def table_of(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_results_go_to_stdout_and_notes_to_stderr(run, pima):
    found = run("train", pima, "-t", "diabetes", "--models", "lda,logistic")
    assert found.code == 0
    assert [line.split()[0] for line in found.out.splitlines()] == ["best", "AUC", "also", "wrote"]
    assert [line.split()[0] for line in found.err.splitlines()][:4] == ["reading", "estimate", "task", "models"]
    assert "250 rows x 9 columns" in found.err
    assert 'positive = "pos" (38.4%)' in found.err
    assert "can update, forget, merge" in found.out
    assert 'always "neg": AUC 0.50, error 38.4 %' in found.out
    assert "optimistic" in found.out
    assert set(os.listdir("pima-report")) == FILES
    assert set(os.listdir()) == {"pima.csv", "pima-report"}


def test_predictions_are_those_behind_the_score(run, pima):
    """Fold by fold, from the file alone: its labels give the accuracy that metrics.json reports."""
    run("train", pima, "-t", "diabetes", "--models", "lda,naive_bayes", "--metric", "accuracy")
    metrics = json.loads(Path("pima-report/metrics.json").read_text())
    rows = table_of("pima-report/predictions.csv")
    assert [int(row["row"]) for row in rows] == list(range(250))
    assert [row["diabetes"] for row in rows] == [row[-1] for row in pima_rows()[1][:250]]
    splits = np.array([int(row["split"]) for row in rows])
    right = np.array([row["diabetes"] == row["prediction"] for row in rows])
    np.testing.assert_allclose([right[splits == k].mean() for k in range(5)], metrics["folds"])
    assert metrics["score"] + metrics["optimism"] == pytest.approx(np.mean(metrics["folds"]))
    assert {row["model"] for row in rows} == {metrics["chosen"]["model"]}


def test_json_is_one_document_and_equals_the_file(run, pima):
    found = run("train", pima, "-t", "diabetes", "--models", "lda", "--cv", "2", "--json", "--quiet")
    document = json.loads(found.out)
    assert found.err == ""
    assert {Path(file).name for file in document.pop("files")} == FILES
    assert document == json.loads(Path("pima-report/metrics.json").read_text())


@pytest.mark.slow
def test_train_py_prints_metrics_json_exactly(run, pima):
    run("train", pima, "-t", "diabetes", "--models", "lda,logistic", "--cost", "FA=1,FR=3", "--cv", "3", "--seed", "7")
    script = Path("pima-report/train.py")
    assert len(script.read_text().splitlines()) <= 25
    done = subprocess.run([sys.executable, script.resolve()], env=ENVIRONMENT, capture_output=True, cwd="/", check=True)
    assert done.stdout == Path("pima-report/metrics.json").read_bytes()


def test_run_toml_repeats_the_run_and_options_go_before_it(run, pima):
    run("train", pima, "-t", "diabetes", "--models", "lda", "--cv", "2", "--drop", "age,mass")
    options = tomllib.loads(Path("pima-report/run.toml").read_text())
    assert (options["target"], options["cv"], options["drop"]) == ("diabetes", "2", ["age", "mass"])
    assert run("train", "--config", "pima-report/run.toml", "-o", "again").code == 0
    assert Path("again/metrics.json").read_bytes() == Path("pima-report/metrics.json").read_bytes()
    run("train", "--config", "pima-report/run.toml", "-o", "other", "--cv", "3")
    assert json.loads(Path("other/metrics.json").read_text())["cv"] == "3"


def test_unknown_option_in_run_toml(run, tmp_path):
    (tmp_path / "run.toml").write_text('data = "pima"\ntargte = "diabetes"\n')
    found = run("train", "--config", "run.toml")
    assert found.code == 2
    assert "did you mean 'target'?" in found.err


def test_fail_under(run, pima):
    words = ["train", pima, "-t", "diabetes", "--models", "lda", "--cv", "2"]
    found = run(*words, "--fail-under", "auc=0.99")
    assert found.code == 4
    assert "demanded by --fail-under" in found.err
    assert set(os.listdir("pima-report")) == FILES  # there is something to look at
    assert run(*words, "--force", "--fail-under", "auc=0.6").code == 0
    assert run(*words, "--force", "--fail-under", "error=0.01").code == 4  # of an error, small is good
    assert run(*words, "--force", "--fail-under", "error=0.9").code == 0


def test_existing_folder_is_refused_and_force_keeps_other_files(run, pima, tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "mine.txt").write_text("mine")
    words = ["train", pima, "-t", "diabetes", "--models", "lda", "--cv", "2", "-o", "out"]
    refused = run(*words)
    assert refused.code == 2
    assert "--force" in refused.err
    assert os.listdir(folder) == ["mine.txt"]
    assert run(*words, "--force").code == 0
    assert set(os.listdir(folder)) == FILES | {"mine.txt"}
    assert (folder / "mine.txt").read_text() == "mine"
    assert set(os.listdir()) == {"pima.csv", "out"}


def test_a_folder_that_cannot_be_written_to(run, pima, tmp_path, monkeypatch):
    """Found before any work; as root, permissions do not bind, so the question itself is answered here."""
    locked = tmp_path / "locked"
    locked.mkdir()
    locked.chmod(stat.S_IRUSR | stat.S_IXUSR)
    real = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: False if Path(path) == locked else real(path, mode))
    found = run("train", pima, "-t", "diabetes", "-o", "locked/out")
    assert found.code == 1
    assert "cannot be written to; -o names another" in found.err
    assert os.listdir(locked) == []


def test_a_failure_while_writing_leaves_nothing(run, pima, monkeypatch):
    import sumlearn.product.folder as folder

    def full(options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(folder, "python_text", full)
    found = run("train", pima, "-t", "diabetes", "--models", "lda", "--cv", "2")
    assert found.code == 1
    assert "No space left on device" in found.err
    assert os.listdir() == ["pima.csv"]


def test_a_folder_that_another_was_first_to_write(run, pima, monkeypatch):
    """Without --force nothing is replaced, also what came while the training went on."""
    import sumlearn.product.folder as folder

    def meanwhile(options):
        os.mkdir("pima-report")
        Path("pima-report/model.skops").write_text("theirs")
        return ""

    monkeypatch.setattr(folder, "python_text", meanwhile)
    found = run("train", pima, "-t", "diabetes", "--models", "lda", "--cv", "2")
    assert found.code == 1 and "written by others meanwhile" in found.err
    assert os.listdir("pima-report") == ["model.skops"] and sorted(os.listdir()) == ["pima-report", "pima.csv"]
    os.chdir("pima-report")
    found = run("train", "pima", "--models", "lda", "--cv", "2", "-o", ".", "--force")
    assert found.code == 2 and "the folder you are in" in found.err


def test_the_model_in_python(run, pima):
    """The file is an ordinary model of the library, and answers for any kind of frame."""
    import pandas as pd
    import polars as pl

    run("train", pima, "-t", "diabetes", "--models", "lda", "--cv", "2")
    model = sumlearn.load("pima-report/model.skops")
    frame = pd.read_csv(pima)
    answers = model.predict(frame)
    assert (answers == model.predict(pl.from_pandas(frame))).all()
    metrics = json.loads(Path("pima-report/metrics.json").read_text())
    assert np.mean(answers == frame["diabetes"]) == pytest.approx(metrics["training"]["accuracy"])


@pytest.mark.slow
@pytest.mark.parametrize("models", ["auto", "all"])
def test_all_candidates_of_both_tasks(run, tmp_path, models):
    """Every candidate has a line on the leaderboard; none of them failed; the yardstick is not chosen."""
    mixed(tmp_path / "m.csv")
    for target, task in (("label", "classify"), ("size", "regress")):
        words = ["train", "m.csv", "-t", target, "--cv", "2", "-o", target, "--json", "--models", models]
        words += ["--budget", "none"]
        found = json.loads(run(*words).out)
        names = {c.name for c in CANDIDATES if c.task == task and (models == "all" or not c.extra)}
        assert found["failed"] == {}
        assert {line["model"] for line in found["leaderboard"]} == names
        assert found["chosen"]["model"] != "sklearn_boosting"
        assert found["task"] == task
        assert found["rows_without_target"] == (7 if target == "size" else 0)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("cv", ["loo", "group:city", "time:day", "holdout:0.3", "boot632:4"])
def test_schemes(run, tmp_path, cv):
    mixed(tmp_path / "m.csv", {"loo": 24, "time:day": 240}.get(cv, 90))  # the first training window is a sixth of them
    words = ["train", "m.csv", "-t", "label", "--models", "naive_bayes", "--cv", cv, "--json"]
    found = json.loads(run(*words).out)
    low, high = found["interval"]
    assert 0.0 <= low <= found["score"] <= high <= 1.0
    assert found["cv"] == cv
    rows = table_of("m-report/predictions.csv")
    keys = table_of(tmp_path / "m.csv")
    if cv == "group:city":  # a city is in one split only
        of_city = {}
        for row in rows:
            of_city.setdefault(keys[int(row["row"])]["city"], set()).add(row["split"])
        assert all(len(splits) == 1 for splits in of_city.values())
    if cv == "time:day":  # later splits hold later days
        days = [[keys[int(r["row"])]["day"] for r in rows if int(r["split"]) == k] for k in range(5)]
        assert all(max(a) <= min(b) for a, b in pairwise(days))
    if cv == "holdout:0.3":
        assert len(rows) == 27
    if cv == "loo":
        assert sorted(int(row["split"]) for row in rows) == list(range(24))


def test_costs_move_the_threshold(run, pima):
    """A false rejection that costs twenty times as much: nearly everybody is accepted."""
    words = ["train", pima, "-t", "diabetes", "--models", "lda", "--cv", "3", "--json"]
    plain = json.loads(run(*words, "-o", "a").out)
    dear = json.loads(run(*words, "-o", "b", "--cost", "FA=1,FR=20").out)
    assert plain["chosen"]["threshold"] is None
    assert 0.0 < dear["chosen"]["threshold"] < 0.3
    accepted = [sum(row["prediction"] == "pos" for row in table_of(f"{f}/predictions.csv")) for f in "ab"]
    assert accepted[1] > accepted[0] + 30
    answers = [line.split(",")[1] for line in run("predict", "b", pima).out.splitlines()[1:]]
    assert answers.count("pos") > accepted[0] + 30
    own = run("predict", "b", pima, "--threshold", "0.5").out
    assert own == run("predict", "a", pima).out


def test_weights(run, tmp_path):
    """Weights of one change nothing; a row of weight zero might as well be another one."""
    header, rows = pima_rows()
    rng = np.random.default_rng(0)
    write(tmp_path / "ones.csv", [*header, "w"], [[*row, "1"] for row in rows[:200]])
    weight = rng.integers(0, 3, 200)
    write(tmp_path / "w.csv", [*header, "w"], [[*row, str(w)] for row, w in zip(rows[:200], weight, strict=True)])
    other = [row if w else [*rows[500][:-1], row[-1]] for row, w in zip(rows[:200], weight, strict=True)]
    write(tmp_path / "z.csv", [*header, "w"], [[*row, str(w)] for row, w in zip(other, weight, strict=True)])
    words = ["-t", "diabetes", "--models", "lda", "--cv", "2", "--json", "-q"]
    plain = json.loads(run("train", "ones.csv", *words, "--drop", "w", "-o", "a").out)
    ones = json.loads(run("train", "ones.csv", *words, "--weights", "w", "-o", "b").out)
    assert ones["folds"] == pytest.approx(plain["folds"])
    weighted, other = (
        json.loads(run("train", name, *words, "--weights", "w", "-o", name[0]).out) for name in ("w.csv", "z.csv")
    )
    assert weighted["folds"] == pytest.approx(other["folds"])
    assert weighted["folds"] != pytest.approx(plain["folds"])


def test_positive_class(run, pima):
    """The AUC is the same from both sides; threshold and F1 are not."""
    words = ["train", pima, "-t", "diabetes", "--models", "lda", "--cv", "3", "--json"]
    pos = json.loads(run(*words, "-o", "a").out)
    neg = json.loads(run(*words, "-o", "b", "--positive", "neg").out)
    assert neg["folds"] == pytest.approx(pos["folds"])
    assert neg["scores"]["f1"]["score"] > pos["scores"]["f1"]["score"] + 0.1
    header = run("predict", "b", pima, "--proba").out.splitlines()[0]
    assert header == "row,prediction,probability neg"


def test_can_demands_models_that_add_up(run, pima):
    found = json.loads(run("train", pima, "-t", "diabetes", "--can", "update,forget,merge", "--cv", "2", "--json").out)
    names = {line["model"] for line in found["leaderboard"] if not line["yardstick"]}
    assert names == {"lda", "qda", "naive_bayes", "mixed_bayes", "least_squares"}
