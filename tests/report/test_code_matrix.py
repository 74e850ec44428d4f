"""The code of the classes: the picture and the section say what the code book says."""

import numpy as np
import pandas as pd
import pytest

import sumlearn as sl
from sumlearn.data import load_example
from sumlearn.report import plots
from sumlearn.report.charts import drawing, numbers_of
from sumlearn.report.sections.code_matrix import code_matrix

IRIS = load_example("iris")
NAMES = np.array(["<b>a</b>", "b", "c", "d", "e", "f", "g"])


def table(n=140):
    rng = np.random.default_rng(0)
    y = np.arange(n) % 7
    return pd.DataFrame(rng.normal(size=(n, 3)) + 3.0 * rng.normal(size=(7, 3))[y], columns=list("xyz")).assign(
        kind=NAMES[y]
    )


@pytest.mark.parametrize("code", ["bch", "random", "exhaustive"])
def test_the_picture_is_the_code_book(code):
    frame = table()
    model = sl.OutputCodeClassifier(code=code).fit(frame[list("xyz")], frame.kind)
    (heat,) = plots.code_matrix(model).panels[0].items
    shown = model.code_book_[:, : plots.code_matrix(model).panels[0].items[0].values.shape[1]]
    np.testing.assert_array_equal(heat.values, shown > 0)
    assert heat.rows == tuple(NAMES) and heat.texts[0][0] == ("+" if shown[0, 0] > 0 else "−")
    assert [row[0] for row in numbers_of(plots.code_matrix(model)).rows][1].startswith("b: ")
    assert drawing(plots.code_matrix(model))["data"][0]["type"] == "heatmap"


def test_the_page_has_the_code_of_such_a_model_alone():
    page = sl.evaluate(sl.OutputCodeClassifier(code="bch"), table(), "kind", cv="2")
    section = code_matrix(page.evidence)
    words = page.evidence.model.model.learner_.code_book_ > 0
    apart = (words[:, None] != words).sum(axis=2) + 99 * np.eye(7, dtype=int)
    assert [row[2] for row in section.blocks[1].rows] == apart.min(axis=1).tolist()
    assert f"{words.shape[1]} two-class models tell 7 classes apart" in section.lead
    html = page.html
    assert "The code of the classes" in html and "<b>a</b>" not in html
    assert code_matrix(sl.evaluate(sl.GaussianNB(), table(), "kind", cv="2").evidence) is None


def test_a_problem_with_one_side_is_told_and_a_single_class_has_no_code():
    model = sl.OutputCodeClassifier(random_state=0).fit(IRIS.X, IRIS.y)
    sides = (model.code_book_ > 0).mean(axis=0)
    assert ((sides == 0) | (sides == 1)).any() and len(model.estimators_) == model.code_book_.shape[1] == 4
    frame = pd.DataFrame(IRIS.X, columns=IRIS.columns).assign(y=IRIS.y)
    page = sl.evaluate(sl.OutputCodeClassifier(random_state=0), frame, "y", cv="2")
    assert "of the problems have all classes on one side" in code_matrix(page.evidence).lead
    with pytest.raises(ValueError, match="no code of 1"):
        plots.code_matrix(sl.OutputCodeClassifier().fit(IRIS.X, np.ones(150, dtype=int)))
