"""The summary as text, HTML, LaTeX and data frame."""

import numpy as np
import pandas as pd

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
    html = table._repr_html_()
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
