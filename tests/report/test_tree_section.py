"""The section of a tree: a picture with escaped names, and rules; none where the model is no tree."""

import pytest

from sumlearn.product import train
from sumlearn.report.html_report import report_of

from .tables import BREAKOUT, HOSTILE, hostile_table, numbers

DRAWN = 'aria-label="decision tree"'


@pytest.mark.parametrize("model", ["tree", "rules"])
def test_a_tree_is_drawn_and_told(model):
    training = train(hostile_table(), "<u>target</u>", models=model, ids=["<b>id</b>"], cv="3")
    page = report_of(training).html
    assert ("The tree" in page, DRAWN in page) == (model == "tree",) * 2
    assert ("The rules" in page) == (model == "rules") and "if " in page
    assert HOSTILE not in page and BREAKOUT not in page


@pytest.mark.parametrize("model", ["tree", "model_tree"])
def test_regression_trees_are_drawn_too(model):
    page = report_of(train("diabetes", models=model, cv="3")).html
    assert DRAWN in page


def test_other_models_have_no_tree():
    assert DRAWN not in report_of(numbers()).html
