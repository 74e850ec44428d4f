"""`sumlearn train --cost costs.csv`: costs of every pair of classes decide, in training, in the report and after it."""

import json

import numpy as np
import pytest

import sumlearn as sl
from sumlearn.cli.running import main
from sumlearn.decision import Costs
from sumlearn.product import UsageProblem, train

pytest.importorskip("pyarrow")
pytest.importorskip("typer")

TABLE = """true,setosa,versicolor,virginica
setosa,0,1,1
versicolor,1,0,1
virginica,1,30,0
"""


def test_a_table_of_costs_decides(tmp_path, capfd, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "costs.csv").write_text(TABLE)
    words = ["train", "iris", "--cost", "costs.csv", "--models", "lda", "--cv", "3", "--seed", "1", "-o", "out"]
    assert main([*words, "--json"]) == 0
    told = json.loads(capfd.readouterr().out)
    assert told["metric"] == "cost" and ["virginica", "versicolor", 30.0] in told["costs"]["pairs"]
    iris, model = sl.data.load_example("iris"), sl.load("out/model.skops")
    matrix = Costs.read("costs.csv").matrix(model.classes_)
    P = model.predict_proba("iris")
    np.testing.assert_array_equal(model.predict("iris"), model.classes_[(P @ matrix).argmin(axis=1)])
    assert ((model.predict("iris") == "versicolor") & (iris.y == "virginica")).sum() == 0
    lines = [line.split(",") for line in (tmp_path / "out" / "predictions.csv").read_text().splitlines()[1:]]
    true, said = (np.array([line[k] for line in lines]) for k in (3, 4))
    codes = [np.searchsorted(model.classes_, labels) for labels in (true, said)]
    assert told["scores"]["cost"]["score"] == pytest.approx(matrix[codes[0], codes[1]].mean(), abs=0.02)
    assert "What errors cost" in (tmp_path / "out" / "report.html").read_text()
    assert main(["train", "--config", "out/run.toml", "-o", "again", "-q"]) == 0
    assert json.loads((tmp_path / "again" / "metrics.json").read_text())["score"] == told["score"]
    smaller = model.forget(sl.product.read_table("iris").frame.slice(0, 50))  # a class that is gone costs nothing
    assert set(smaller.predict("iris")) <= {"versicolor", "virginica"}


def test_a_table_of_two_classes_is_two_costs(tmp_path):
    (tmp_path / "costs.csv").write_text("true,No,Yes\nNo,0,1\nYes,5,0\n")
    options = {"models": "lda", "cv": "3", "seed": 2}
    by_table = train("pima_tr", cost=str(tmp_path / "costs.csv"), **options).model.facts["threshold"]
    assert by_table == train("pima_tr", cost=(1.0, 5.0), **options).model.facts["threshold"]


@pytest.mark.parametrize(
    ("cost", "message"),
    [
        ("nowhere.csv", "cannot be read"),
        ({("setosa", "rose"): 1.0}, "costs name the class 'rose'"),
        ({("setosa", "virginica"): -1.0}, "not negative"),
        ((1.0, 2.0), "two classes"),
        ((1.0, 2.0, 3.0, 4.0), "--cost"),
    ],
)
def test_costs_that_make_no_sense(cost, message):
    with pytest.raises(UsageProblem, match=message):
        train("iris", cost=cost, models="lda")


def test_numbers_have_no_costs():
    with pytest.raises(UsageProblem, match="--cost is for classes"):
        train("faithful", "waiting", cost=(1.0, 2.0), models="linear")
