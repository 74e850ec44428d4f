"""The summary as text, HTML, LaTeX and data frame."""

import numpy as np
import pandas as pd
import pytest

from sumlearn import LinearRegression, LogisticRegression

from tests.agreement.problems import distance, regression
from tests.learners.inference_problems import overlapping


def test_summary_in_four_forms():
    X, y = regression(50, 2)
    frame = pd.DataFrame(X, columns=["a & b", "<script>"])
    model = LinearRegression().fit(frame, y)
    table = model.summary(level=0.9)
    text, found = str(table), table.to_frame()
    assert "intercept" in text and "lower 90 %" in text and "adjusted R2" in text
    assert found.index.tolist() == ["intercept", "a & b", "<script>"]
    assert distance(found["std. error"], model.standard_errors_) == 0.0
    assert distance(found[["lower 90 %", "upper 90 %"]], model.confidence_interval(0.9)) == 0.0
    html = table.to_html()
    assert html == table._repr_html_()
    assert "<script>" not in html and "&lt;script&gt;" in html and "a &amp; b" in html
    latex = table.to_latex()
    assert r"a \& b" in latex and latex.startswith(r"\begin{tabular}{lrrrrrr}") and r"\end{tabular}" in latex
    assert latex.count(r"\\") == 4


def test_summary_of_several_targets_and_classes():
    X, Y = regression(50, 2, 3)
    found = LinearRegression().fit(X, Y).summary().to_frame()
    assert found.index[4] == ("target 1", "x0")
    X, y = overlapping(300, 2, 3)
    found = LogisticRegression(C=np.inf).fit(X, np.array(["ash", "elm", "oak"])[y]).summary()
    assert found.to_frame().index[3] == ("oak / ash", "intercept")
    assert "pseudo R2" in str(found) and " z " in str(found)


@pytest.mark.filterwarnings("ignore:rank 3 of 4")
def test_names_that_break_lines_do_not_break_the_table():
    X, y = regression(50, 3)
    names = ["two\nlines", "a\ttab\r", "\u2028 & \x00"]
    model = LinearRegression().fit(pd.DataFrame(np.column_stack([X, X[:, 0]]), columns=[*names, "again\n"]), y)
    table = model.summary()
    lines = str(table).split("\n\n")[1].splitlines()
    assert len(lines) == 6 and lines[2].startswith("two\\nlines") and len({len(line) for line in lines[1:]}) == 1
    assert table.to_latex().count("\n") == len(table.to_latex().splitlines()) - 1
    assert "\x00" not in table.to_html() and "again\\n" in str(table).splitlines()[-1]
    assert table.to_frame().index.tolist() == ["intercept", *names, "again\n"]
