"""`sumlearn oneclass` on a mixed table: the folder, the page, the saved model, real negatives, what makes no sense."""

import json

import numpy as np
import pytest

import sumlearn as sl
from sumlearn.cli.running import main
from sumlearn.product import DataProblem, UsageProblem, one_class

pa = pytest.importorskip("pyarrow")
pytest.importorskip("typer")


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    """Parts of one kind, with gaps and categories, and some that are broken in one way or another."""
    rng = np.random.default_rng(0)
    broken = rng.random(400) < 0.2
    length = 10.0 + 0.1 * rng.standard_normal(400) + np.where(broken & (rng.random(400) < 0.5), 1.5, 0.0)
    mass = 3.0 * length + 0.2 * rng.standard_normal(400) + np.where(broken, 4.0, 0.0)
    lines = ["id,length,mass,line,state"]
    for i in range(400):
        size = "" if i % 13 == 0 else f"{length[i]:.3f}"
        lines.append(
            f"<b>{i}</b>,{size},{mass[i]:.3f},{'AB'[int(rng.random() < 0.5)]},{'bad' if broken[i] else 'good'}"
        )
    path = tmp_path_factory.mktemp("parts") / "parts.csv"
    path.write_text("\n".join(lines) + "\n")
    return path, broken


@pytest.mark.parametrize("method", ["gauss", "phantom", "svm"])
def test_broken_parts_are_told(parts, method, tmp_path, capfd):
    path, broken = parts
    out = tmp_path / "out"
    words = [
        "oneclass",
        str(path),
        "-t",
        "state",
        "--normal",
        "good",
        "--method",
        method,
        "--ids",
        "id",
        "-o",
        str(out),
    ]
    assert main([*words, "--json"]) == 0
    told = json.loads(capfd.readouterr().out)
    assert told["rows"] == (~broken).sum() and told["negatives"]["rows"] == broken.sum()
    assert {file.name for file in out.iterdir()} == {"report.html", "model.skops", "oneclass.csv", "oneclass.json"}
    low, high = told["interval"]
    assert told["negatives"]["auc"] > 0.9 and low <= 0.951 and high >= 0.9  # flags are no bells
    assert set(told["least_typical"]) <= set(np.flatnonzero(~broken).tolist())
    page = (out / "report.html").read_text()
    assert "<b>1</b>" not in page and "Against real negatives" in page
    assert ("Against phantoms" in page) == (method == "phantom") == (told["phantom_auc"] is not None)
    lines = [line.split(",") for line in (out / "oneclass.csv").read_text().splitlines()]
    assert lines[0] == ["row", "id", "prediction", "score", "learnt"] and len(lines) == 401
    model = sl.load(out / "model.skops")
    said, given = model.predict(str(path)), np.array([int(line[2]) for line in lines[1:]])
    np.testing.assert_array_equal(said[broken], given[broken])  # real negatives are scored by the model that is saved
    assert (said[~broken] == 1).mean() > 0.9
    assert main(["predict", str(out), str(path), "--proba", "-q", "-o", str(tmp_path / "again.csv")]) == 0
    again = [line.split(",") for line in (tmp_path / "again.csv").read_text().splitlines()]
    assert again[0] == ["row", "id", "prediction", "score 1"]
    assert [int(line[2]) for line in again[1:]] == said.tolist()
    capfd.readouterr()
    assert main(["info", str(out)]) == 0 and "class 'good' or an outlier" in capfd.readouterr().out
    assert main(["update", str(out), str(path)]) == 1 and "holds one class" in capfd.readouterr().err
    assert main(["predict", str(out), str(path), "--threshold", "0.5", "-q"]) == 2
    assert main(words) == 2 and "--force" in capfd.readouterr().err


def test_all_rows_are_of_the_class_without_a_label(tmp_path, capfd):
    assert main(["oneclass", "iris", "-o", str(tmp_path / "out")]) == 0
    text = capfd.readouterr()
    assert "negatives" not in text.out and "stands aside (--normal LABEL)" in text.err
    assert "Against real negatives" not in (tmp_path / "out" / "report.html").read_text()


def test_weights_are_rows():
    rng = np.random.default_rng(1)
    x, w = rng.standard_normal(60), rng.integers(0, 3, 60)
    weighted = one_class(pa.table({"x": x, "w": w.astype(float)}), weights="w").model.model.learner_
    plain = one_class(pa.table({"x": np.repeat(x, w)})).model.model.learner_
    assert weighted.offset_ == pytest.approx(plain.offset_, rel=1e-9)


def test_questions_that_make_no_sense():
    for options, words in (
        ({"method": "tree"}, "--method 'tree'"),
        ({"acceptance": 1.0}, "--acceptance 1"),
        ({"seed": -1}, "--seed"),
        ({"normal": "x"}, "--normal is a label"),
    ):
        with pytest.raises(UsageProblem, match=words):
            one_class("faithful", **options)
    with pytest.raises(DataProblem, match="no row has 'setos' in 'Species'; did you mean 'setosa'"):
        one_class("iris", normal="setos")
    with pytest.raises(DataProblem, match="at least 10 are needed"):
        one_class(pa.table({"x": np.arange(5.0)}))
    with pytest.raises(DataProblem, match="no column is left to learn from"):
        one_class(pa.table({"w": np.ones(20)}), weights="w")
