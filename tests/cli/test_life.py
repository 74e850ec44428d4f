"""A folder that `train` wrote knows its newest model, and what became of it."""

import json
import os
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

import sumlearn
from sumlearn.cli import main
from sumlearn.product import read_table, train
from sumlearn.product.folder import write_folder
from sumlearn.product.problems import CannotDo, DataProblem

from tests.cli.tables import pima_part


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    path = tmp_path_factory.mktemp("life")
    for name, first, last in (("a", 0, 120), ("b", 120, 150), ("c", 150, 180)):
        pima_part(path / f"{name}.csv", first, last)
    training = train(path / "a.csv", "diabetes", models="lda", cv=2, refits=0)
    write_folder(training, path / "A", {"data": "a.csv", "target": "diabetes"})
    return path


@pytest.fixture
def folder(run, trained, tmp_path):
    shutil.copytree(trained, tmp_path, dirs_exist_ok=True)


def rows_in(path):
    return sumlearn.load(path).facts["rows"]


def test_updates_follow_one_another(run, folder):
    before = Path("A/model.skops").read_bytes()
    assert run("update", "A", "b.csv").code == 0
    assert run("update", "A", "c.csv").code == 0
    assert Path("A/model.skops").read_bytes() == before  # the model of the training stays
    assert (rows_in("A/model-2.skops"), rows_in("A/model-3.skops")) == (150, 180)
    pima_part(Path("all.csv"), 0, 180)
    assert run("predict", "A", "all.csv").out == run("predict", "A/model-3.skops", "all.csv").out
    assert run("forget", "A", "b.csv").code == 0
    text = run("info", "A").out
    for words in ("A/model-4.skops", "train    120 rows of a", "update   30 rows of b", "forget   30 rows of b"):
        assert words in text, text
    assert [event["what"] for event in json.loads(run("info", "A", "--json").out)["history"]] == [
        "train", "update", "update", "forget"]  # fmt: skip
    os.remove("A/model.skops")  # it knows rows that were forgotten
    assert run("update", "A", "b.csv").code == 0
    assert rows_in("A/model-5.skops") == 180


def test_in_place_is_the_newest(run, folder):
    assert run("update", "A", "b.csv").code == 0
    assert run("update", "A", "c.csv", "--in-place").code == 0
    assert (rows_in("A/model.skops"), rows_in("A/model-2.skops")) == (120, 180)


def test_a_new_training_is_the_newest(run, folder):
    """What became of the old model does not outlive it."""
    assert run("update", "A", "b.csv").code == 0
    Path("A/notes.txt").write_text("mine")
    training = train("c.csv", "diabetes", models="lda", cv=2, refits=0)
    write_folder(training, Path("A"), {"data": "c.csv", "target": "diabetes"})
    assert json.loads(run("info", "A", "--json").out)["rows"] == 30
    assert sorted(os.listdir("A"))[:3] == ["metrics.json", "model.skops", "notes.txt"]


def test_whoever_comes_too_late_does_it_again(run, folder, monkeypatch):
    """Another process updates the folder after the model was read."""
    from sumlearn.cli import files

    load, first = files.load_model, []

    def slow(path):
        model = load(path)
        if not first:
            first.append(path)
            assert files.change_model(["A"], None, lambda m: m.update("c.csv", "c")).path.name == "model-2.skops"
        return model

    table = read_table("b.csv", sumlearn.load("A/model.skops").reading(labelled=True))
    monkeypatch.setattr(files, "load_model", slow)
    done = files.change_model(["A"], None, lambda model: model.update(table, "b"))
    assert (done.path.name, rows_in(done.path)) == ("model-3.skops", 180)


def test_a_loaded_model_has_what_its_learner_has(folder):
    model, table = sumlearn.load("A/model.skops"), read_table("b.csv")
    frame = table.frame.select(model.facts["columns"])
    np.testing.assert_array_equal(model.predict_proba("b.csv"), model.model.predict_proba(frame))
    np.testing.assert_array_equal(model.decision_function(table), model.model.decision_function(frame))
    assert model.predict_proba("b.csv").shape == (30, 2)


def test_numbers_have_no_probabilities():
    model = train("noisy_curve", models="ridge", cv=2, refits=0).model
    assert not hasattr(model, "predict_proba") and not hasattr(model, "decision_function")


def test_a_model_that_has_forgotten_everything_says_so(run, folder):
    found = run("forget", "A", "a.csv")
    assert found.code == 0, found.err
    assert "the model has forgotten everything" in run("info", "A").out
    for call in ("predict", "predict_proba"):
        with pytest.raises(CannotDo, match="the model has forgotten all its rows"):
            getattr(sumlearn.load("A/model-2.skops"), call)("b.csv")
    refused = run("predict", "A", "b.csv")
    assert (refused.code, "forgotten all its rows" in refused.err) == (1, True)
    other = train("c.csv", "diabetes", models="lda", cv=2, refits=0).model
    sumlearn.save(other, "other.skops")
    for pair in (["A", "other.skops"], ["other.skops", "A"]):
        found = run("merge", *pair, "-o", "both.skops")
        assert found.code == 1 and "forgotten all its rows: there is nothing to merge" in found.err, found.err
    found = run("share", "A", "-o", "shared.skops")
    assert found.code == 3 and "not shared: it has forgotten all its rows" in found.err
    with pytest.raises(DataProblem, match="no column 'glucose' in the table"):
        other.predict(read_table("pima").frame.drop_columns(["glucose"]))
    assert run("update", "A", "b.csv").code == 0  # and can learn again
    assert run("predict", "A", "c.csv").code == 0


def test_the_bare_command_prints_help(run):
    found = run()
    assert (found.code, found.err) == (0, "")
    assert "Usage: sumlearn" in found.out and "train" in found.out


def test_a_folder_of_a_training_is_no_table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pima").mkdir()
    (tmp_path / "pima" / "metrics.json").write_text("{}")
    (tmp_path / "pima" / "predictions.csv").write_text("row,prediction\n0,1\n")
    with pytest.raises(DataProblem, match="'pima' is a folder that `sumlearn train` wrote, and no table"):
        read_table("pima")


def test_a_reader_that_went_away_costs_no_model(tmp_path, monkeypatch):
    """`sumlearn train ... | head`: nobody hears the results any more, and the model is there all the same."""
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{i % 7},{i % 5},{'yes' if i % 2 else 'no'}\n" for i in range(40))
    (tmp_path / "t.csv").write_text("a,b,y\n" + rows)
    for words in (["train", "t.csv", "-t", "y", "--models", "lda", "--cv", "2", "-o", "M", "-q"], ["info", "M"]):
        read, write = os.pipe()
        os.close(read)
        with os.fdopen(write, "w") as stream, monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", stream)
            assert main(words) == 0
    assert sumlearn.load(tmp_path / "M" / "model.skops").facts["rows"] == 40


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
def test_pipes_and_devices_are_no_tables(run, tmp_path):
    """Nothing waits for a writer that never comes, and nothing reads without end."""
    os.mkfifo(tmp_path / "pipe")
    for where in (str(tmp_path / "pipe"), "/dev/zero"):
        done = run("train", where, "-t", "y")
        assert done.code == 3 and f"'{where}' is a pipe or a device and cannot be read twice" in done.err
        with pytest.raises(ValueError, match="is a pipe or a device"):
            sumlearn.Ridge().fit(where, "y")
