"""`update`, `forget`, `merge`: exact, to new files, with certificates; and what is refused."""

import csv
import hashlib
import json
import os
from pathlib import Path

import numpy as np
import pytest

import sumlearn
from sumlearn.cli import main
from sumlearn.product import read_table, train
from sumlearn.product.candidates import Candidate
from sumlearn.product.catalogue import CANDIDATES

from tests.cli.tables import mixed, pima_part, write

ADDING = [c.name for c in CANDIDATES if c.task == "classify" and c.can_all]


def fixed(monkeypatch):
    """Candidates with one set of hyperparameters each: the choices are then the same on all rows."""
    kept = [
        Candidate(c.name, c.title, c.task, c.learner, lambda values, c=c: c.grid(values)[:1], c.foreign)
        for c in CANDIDATES
    ]
    monkeypatch.setattr("sumlearn.product.catalogue.CANDIDATES", tuple(kept))


def scores(path, table):
    """Probabilities or scores for all rows."""
    return sumlearn.load(path).answers(read_table(table)).scores


def parts(path, name="m.csv"):
    """A mixed table in two parts; the second has a city that the first does not know."""
    mixed(path / name, 160)
    with open(path / name, encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    rows[130][2] = rows[131][2] = "Kiel"
    write(path / "a.csv", header, rows[:100])
    write(path / "b.csv", header, rows[100:])
    write(path / "ab.csv", header, rows)


@pytest.mark.thinned(4)
@pytest.mark.parametrize("model", ADDING)
def test_update_equals_training_on_all_rows(run, tmp_path, monkeypatch, model):
    fixed(monkeypatch)
    parts(tmp_path)
    words = ["-t", "label", "--ids", "key", "--models", model, "--cv", "2", "-q"]
    run("train", "a.csv", *words, "-o", "A")
    run("train", "ab.csv", *words, "-o", "AB")
    found = run("update", "A", "b.csv", "-o", "new.skops")
    assert found.code == 0, found.err
    assert "60 rows learnt; the model holds 160 rows" in found.out
    asked = sumlearn.load("new.skops").facts["history"][-1]["score"]
    assert f"AUC {asked:.3f} on these rows, before they were learnt" in found.err
    np.testing.assert_allclose(scores("new.skops", "ab.csv"), scores("AB/model.skops", "ab.csv"), rtol=0, atol=1e-9)
    # and back again
    assert run("forget", "new.skops", "b.csv", "-o", "old.skops").code == 0
    np.testing.assert_allclose(scores("old.skops", "ab.csv"), scores("A/model.skops", "ab.csv"), rtol=0, atol=1e-9)


def test_merge_equals_training_on_all_rows(run, tmp_path, monkeypatch):
    fixed(monkeypatch)
    parts(tmp_path)
    words = ["-t", "label", "--ids", "key", "--models", "lda", "--cv", "2", "-q"]
    for name in ("a", "b", "ab"):
        assert run("train", f"{name}.csv", *words, "-o", name.upper()).code == 0
    found = run("merge", "A", "B", "-o", "c.skops", "--json")
    assert json.loads(found.out)["rows"] == 160
    np.testing.assert_allclose(scores("c.skops", "ab.csv"), scores("AB/model.skops", "ab.csv"), rtol=0, atol=1e-9)
    # the merged model can forget the rows of either site
    assert run("forget", "c.skops", "a.csv", "-o", "b.skops").code == 0
    np.testing.assert_allclose(scores("b.skops", "ab.csv"), scores("B/model.skops", "ab.csv"), rtol=0, atol=1e-9)


def test_regression_with_weights(run, tmp_path):
    rng = np.random.default_rng(0)
    rows = [[f"{v:.5f}" for v in (*row, row @ [1.0, -2.0, 0.5] + rng.normal(), rng.integers(1, 4))]
            for row in rng.normal(size=(80, 3))]  # fmt: skip
    header = ["a", "b", "c", "y", "w"]
    write(tmp_path / "a.csv", header, rows[:50])
    write(tmp_path / "b.csv", header, rows[50:])
    write(tmp_path / "ab.csv", header, rows)
    words = ["-t", "y", "--weights", "w", "--models", "linear", "--cv", "2", "-q"]
    run("train", "a.csv", *words, "-o", "A")
    run("train", "ab.csv", *words, "-o", "AB")
    assert run("update", "A", "b.csv", "-o", "c.skops").code == 0
    whole, updated = (sumlearn.load(path).predict(read_table("ab.csv")) for path in ("AB/model.skops", "c.skops"))
    np.testing.assert_allclose(updated, whole, rtol=0, atol=1e-9)


def pima_model(*words):
    """A model of 150 rows, and fifty more."""
    pima_part("a.csv", 0, 150)
    pima_part("b.csv", 150, 200)
    assert main(["train", "a.csv", "-t", "diabetes", "--cv", "2", "-o", "A", "-q", "--models", "lda", *words]) == 0


@pytest.fixture
def a_model(run, tmp_path, made_once):
    made_once(pima_model, tmp_path)


def test_changes_write_a_new_file_unless_in_place(run, a_model):
    before = Path("A/model.skops").read_bytes()
    assert run("update", "A/model.skops", "b.csv").code == 0
    assert Path("A/model.skops").read_bytes() == before
    assert Path("A/model-updated.skops").exists()
    refused = run("update", "A/model.skops", "b.csv")
    assert refused.code == 2
    assert "--force" in refused.err
    assert run("update", "A", "b.csv", "--in-place", "-o", "x").code == 2
    assert run("update", "A", "b.csv", "--in-place").code == 0
    assert Path("A/model.skops").read_bytes() != before
    assert run("forget", "A/model.skops", "b.csv").code == 0
    assert Path("A/model-forgotten.skops").exists()


def test_forget_refuses_rows_it_never_learnt_by_number(run, a_model):
    with open("a.csv") as first, open("b.csv") as second:
        known, other = first.read().splitlines(), second.read().splitlines()
    Path("some.csv").write_text("\n".join([known[0], known[3], other[7], known[9], other[2]]) + "\n")
    before = Path("A/model.skops").read_bytes()
    found = run("forget", "A", "some.csv", "--in-place")
    assert found.code == 3
    assert "the model never learnt rows 1, 3" in found.err
    assert Path("A/model.skops").read_bytes() == before
    Path("twice.csv").write_text("\n".join([known[0], known[3], known[3]]) + "\n")
    assert "never learnt row 1" in run("forget", "A", "twice.csv").err
    # the same row from another kind of file is the same row
    import pyarrow.csv as pc
    import pyarrow.parquet as pq

    pq.write_table(pc.read_csv("a.csv").slice(0, 20), "some.parquet")
    assert run("forget", "A", "some.parquet").code == 0


def test_forget_prints_a_certificate(run, a_model):
    Path("some.csv").write_text("".join(Path("a.csv").read_text().splitlines(keepends=True)[:31]))
    found = json.loads(run("forget", "A", "some.csv", "-o", "f.skops", "--json").out)
    listed = sumlearn.saving.describe("f.skops")["statistics"][0]
    assert found["sha256"] == listed["digest"]
    assert len(found["sha256"]) == len(hashlib.sha256().hexdigest())
    assert found["rows"] == 120
    assert 15 < found["digits"] <= 32
    assert json.loads(run("info", "f.skops", "--json").out)["sha256"] == found["sha256"]
    text = run("forget", "A", "some.csv", "-o", "g.skops")
    assert found["sha256"] in text.out
    assert "model.skops   a model of 150 rows, those among them" in text.out


def test_without_hashes_forgetting_is_not_checked_and_says_so(run, tmp_path):
    pima_model("--no-row-hashes")
    Path("some.csv").write_text("".join(Path("a.csv").read_text().splitlines(keepends=True)[:31]))
    found = run("forget", "A", "some.csv")
    assert found.code == 0
    assert "keeps no hashes" in found.err
    assert "not kept" in run("info", "A").out


def test_hashes_are_salted(run, a_model):
    """The same rows in two files have nothing in common."""
    run("train", "a.csv", "-t", "diabetes", "--cv", "2", "-o", "B", "-q", "--models", "lda")
    hashes = [set(sumlearn.load(f"{x}/model.skops").ledger["parts"][0]["hashes"].tolist()) for x in "AB"]
    assert len(hashes[0]) == 150
    assert not hashes[0] & hashes[1]


def xor(path, n=400):
    """Only products of columns tell the classes apart: a model that adds up has no chance."""
    rng = np.random.default_rng(0)
    points = rng.normal(size=(n, 2))
    rows = [[f"{a:.5f}", f"{b:.5f}", "yes" if a * b > 0 else "no"] for a, b in points]
    write(path / "x.csv", ["a", "b", "y"], rows[: n // 2])
    write(path / "more.csv", ["a", "b", "y"], rows[n // 2 :])


def test_a_winner_that_does_not_add_up_is_saved_with_its_rival(run, tmp_path):
    xor(tmp_path)
    found = json.loads(run("train", "x.csv", "-t", "y", "--models", "lda,polynomial", "-o", "X", "--json").out)
    assert found["chosen"]["model"] == "polynomial"
    assert found["score"] > 0.9
    facts = json.loads(run("info", "X", "--json").out)
    assert (facts["model"]["model"], facts["rival"]["model"]) == ("polynomial", "lda")
    changed = run("update", "X", "more.csv", "-o", "u.skops")
    assert changed.code == 0
    assert "cannot be changed exactly: the new file holds its rival, linear discriminant" in changed.err
    facts = json.loads(run("info", "u.skops", "--json").out)
    assert (facts["model"]["model"], facts["rival"], facts["rows"]) == ("lda", None, 400)


def test_a_winner_without_rival_refuses(run, tmp_path):
    xor(tmp_path)
    run("train", "x.csv", "-t", "y", "--models", "polynomial", "-o", "X", "-q")
    for words in (["update", "X", "more.csv"], ["forget", "X", "x.csv"], ["merge", "X", "X", "-o", "m.skops"]):
        found = run(*words)
        assert found.code == 1
        assert f"cannot {words[0]} exactly" in found.err
        assert f"--can {words[0]}" in found.err
    written = {"metrics.json", "model.skops", "predictions.csv", "report.html", "run.toml", "train.py"}
    assert set(os.listdir("X")) == written


def test_models_that_do_not_fit_together_are_not_merged(run, a_model):
    run("train", "b.csv", "-t", "diabetes", "--cv", "2", "-o", "B", "-q", "--models", "naive_bayes")
    found = run("merge", "A", "B", "-o", "m.skops")
    assert found.code == 1
    assert "train both with --models lda" in found.err
    run("train", "b.csv", "-t", "age", "--cv", "2", "-o", "C", "-q", "--models", "ridge")
    assert "differ in their task" in run("merge", "A", "C", "-o", "m.skops").err
    run("train", "b.csv", "-t", "diabetes", "--cv", "2", "-o", "D", "-q", "--models", "lda", "--drop", "age")
    found = run("merge", "A", "D", "-o", "m.skops")
    assert found.code == 3
    assert not Path("m.skops").exists()


def test_rows_that_do_not_suit_the_model(run, a_model):
    lines = Path("b.csv").read_text().splitlines()
    Path("renamed.csv").write_text("\n".join([lines[0].replace("glucose", "glucos"), *lines[1:]]))
    assert "did you mean 'glucos'?" in run("update", "A", "renamed.csv").err
    Path("gap.csv").write_text("\n".join([*lines[:3], lines[3].rsplit(",", 1)[0] + ","]))
    assert "missing in row 2" in run("update", "A", "gap.csv").err
    found = run("update", "A", "iris")
    assert found.code == 3
    assert "no column 'diabetes'" in found.err


@pytest.mark.thinned(3)
@pytest.mark.parametrize("damage", [lambda data: data[: len(data) // 2], lambda data: b"text", lambda data: b""])
def test_damaged_model_files(run, a_model, damage):
    Path("bad.skops").write_bytes(damage(Path("A/model.skops").read_bytes()))
    for words in (["info", "bad.skops"], ["predict", "bad.skops", "a.csv"], ["update", "bad.skops", "b.csv"]):
        found = run(*words)
        assert found.code == 3
        assert "bad.skops" in found.err


def test_a_model_of_another_kind_is_refused(run, tmp_path):
    sumlearn.save(sumlearn.Ridge().fit(np.arange(10.0)[:, None], np.arange(10.0)), tmp_path / "r.skops")
    found = run("info", "r.skops")
    assert found.code == 3
    assert "holds a Ridge, not a model of `sumlearn train`" in found.err


def test_new_classes_and_lost_ones(monkeypatch):
    """A class that comes later is learnt; one that is forgotten is gone."""
    fixed(monkeypatch)
    iris = read_table("iris")
    two = train(iris.frame.slice(0, 100), "Species", models="lda", cv=2).model
    three = two.update(iris.frame.slice(100, 50), new_classes=True)
    assert three.facts["classes"] == ["setosa", "versicolor", "virginica"]
    whole = train(iris, models="lda", cv=2).model
    np.testing.assert_allclose(three.answers(iris).scores, whole.answers(iris).scores, rtol=0, atol=1e-9)
    assert three.forget(iris.frame.slice(100, 50)).facts["classes"] == ["setosa", "versicolor"]


def test_answers_after_classes_came_and_went(monkeypatch):
    """Of three classes none is positive; when two are left the model answers as one that never met the third."""
    fixed(monkeypatch)
    iris = read_table("iris")
    three = train(iris, models="lda", cv=2).model
    two = three.forget(iris.frame.slice(100, 50))
    plain = train(iris.frame.slice(0, 100), "Species", models="lda", cv=2).model
    assert (two.facts["positive"], two.facts["negative"]) == ("versicolor", "setosa")
    np.testing.assert_allclose(two.answers(iris).scores, plain.answers(iris).scores, rtol=0, atol=1e-9)
    assert two.predict(iris).tolist() == plain.predict(iris).tolist()
    both = plain.merge(three)
    assert both.facts["classes"] == ["setosa", "versicolor", "virginica"]
    one = two.forget(iris.frame.slice(50, 50))
    assert set(one.predict(iris).tolist()) == {"setosa"}


def test_a_threshold_ends_with_the_two_classes_it_was_for(monkeypatch):
    fixed(monkeypatch)
    iris = read_table("iris")
    two = train(iris.frame.slice(0, 100), "Species", models="lda", cv=2, cost=(1.0, 5.0), positive="setosa").model
    assert two.facts["threshold"] is not None
    assert two.update(iris.frame.slice(0, 10), again=True).facts["threshold"] == two.facts["threshold"]
    three = two.update(iris.frame.slice(100, 50), new_classes=True)
    assert three.facts["threshold"] is None
    assert set(three.predict(iris).tolist()) == {"setosa", "versicolor", "virginica"}
    again = three.forget(iris.frame.slice(100, 50))
    assert (again.facts["positive"], again.facts["negative"]) == ("setosa", "versicolor")


def test_a_new_file_that_another_was_first_to_write(run, a_model, monkeypatch):
    """Between the look at the place and the change another command has written there."""
    plain = sumlearn.cli.files.destination

    def late(*arguments):
        place = plain(*arguments)
        place.write_bytes(b"theirs")
        return place

    monkeypatch.setattr("sumlearn.cli.update.destination", late)
    found = run("update", "A", "b.csv", "-o", "new.skops")
    assert found.code == 1 and "written by others meanwhile" in found.err
    assert Path("new.skops").read_bytes() == b"theirs"
    assert run("update", "A", "b.csv", "-o", "forced.skops", "--force").code == 0


def test_a_change_that_comes_too_late_is_made_again(run, a_model, tmp_path, monkeypatch):
    """Somebody else changes the model while it is being changed: both changes are in the file."""
    pima_part(tmp_path / "c.csv", 200, 230)
    plain, calls = sumlearn.product.trained.TrainedModel.update, []

    def slow(model, *arguments):
        calls.append(model.facts["rows"])
        if len(calls) == 1:
            sumlearn.save(plain(model, read_table("c.csv")), "A/model.skops")
        return plain(model, *arguments)

    monkeypatch.setattr("sumlearn.product.trained.TrainedModel.update", slow)
    assert run("update", "A", "b.csv", "--in-place").code == 0
    assert calls == [150, 180] and sumlearn.load("A/model.skops").facts["rows"] == 230
    monkeypatch.setattr(
        "sumlearn.product.trained.TrainedModel.update",
        lambda model, *arguments: (
            sumlearn.save(plain(model, read_table("c.csv"), again=True), "A/model.skops"),
            model,
        )[1],
    )
    found = run("update", "A", "b.csv", "--in-place", "--again")
    assert found.code == 1 and "written by others meanwhile; nothing was written" in found.err
