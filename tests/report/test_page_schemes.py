"""A page for every way to leave rows out, every model, and tables with little in them."""

import numpy as np
import pyarrow as pa
import pytest

from sumlearn.product import train
from sumlearn.report.html_report import report_of

from .test_page import Seen


def table(n=60, columns=3, classes=2, **more):
    """Columns of noise, the first of which tells something; no classes is a target of numbers."""
    rng = np.random.default_rng(n + columns)
    X = rng.normal(size=(n, columns))
    y = 2 * X[:, 0] + rng.normal(size=n)
    if classes:
        y = np.array([f"c{k}" for k in np.digitize(y, np.quantile(y, np.arange(1, classes) / classes))])
    return {f"x{j}": X[:, j] for j in range(columns)} | {"y": y} | more


RNG = np.random.default_rng(0)
ORDERED = {"x": np.arange(60.0), "z": RNG.normal(size=60), "y": np.where(np.arange(60) < 30, "a", "b")}
WORDS = {"w": RNG.choice(list("abc"), 90), "v": RNG.choice(list("de"), 90), "y": RNG.choice(["n", "p"], 90)}
CASES = {
    "bootstrap": (table(), {"models": "lda", "cv": "boot632:3"}),
    "leave one out": (table(20), {"models": "naive_bayes", "cv": "loo"}),
    "leave one out, numbers": (table(20, classes=0), {"models": "linear", "cv": "loo"}),
    "groups": (table(g=RNG.integers(0, 8, 60)), {"models": "lda", "cv": "group:g"}),
    "time": (table(120, classes=0, when=np.arange(120) * 1.5), {"models": "ridge,linear", "cv": "time:when"}),
    "weights": (table(w=RNG.integers(0, 3, 60).astype(float)), {"models": "lda", "weights": "w", "cv": "3"}),
    "costs": (table(), {"models": "svm", "cost": (1, 5), "metric": "cost", "cv": "3"}),
    "no sums to add up": (table(classes=0), {"models": "median", "cv": "2"}),
    "one column": (table(columns=1, classes=0), {"models": "linear", "cv": "3"}),
    "a column that numbers all rows": (ORDERED, {"models": "lda", "cv": "3"}),
    "words and duplicates": (WORDS, {"models": "lda", "cv": "3"}),
    "a constant column": (table(classes=0, c=np.ones(60)), {"models": "linear", "cv": "3"}),
    "labels that are booleans": ({"x": RNG.normal(size=60), "y": RNG.random(60) < 0.5}, {"models": "lda", "cv": "3"}),
    "nothing varies within a class": (
        {"x": np.repeat([0.0, 1.0, 2.0], 20), "z": np.repeat([5.0, 1.0, 2.0], 20), "v": np.repeat([5.0, 1.0, 9.0], 20)}
        | {"y": np.repeat(["a", "b", "c"], 20)},
        {"models": "lda", "cv": "3"},
    ),
    "copies of a column": (table(classes=0) | {"c": table(classes=0)["x0"]}, {"models": "linear,ridge", "cv": "3"}),
    "a rare class": (table() | {"y": np.array(["a"] * 29 + ["b"] * 28 + ["c"] * 3)}, {"models": "lda", "cv": "3"}),
    "a search over gaps and levels": (
        table(80, classes=0, w=RNG.choice(list("uvw"), 80), g=np.where(RNG.random(80) < 0.3, np.nan, RNG.random(80))),
        {"models": "ridge", "cv": "3", "features": "sffs"},
    ),
    "a search of one split": (table(80), {"models": "lda", "cv": "holdout:0.3", "features": "sfs:1"}),
    "labels that are numbers": (table(classes=0) | {"y": np.arange(60) % 3}, {"models": "qda", "cv": "3"}),
}


@pytest.mark.thinned(5)
@pytest.mark.parametrize("name", CASES)
def test_a_page_is_written(name):
    columns, options = CASES[name]
    found = train(pa.table(columns), "y", **options)
    page = report_of(found).html
    seen = Seen(page)
    assert not {"nan", "None", "NaN", "inf"} & set(seen.cells)
    assert all(figure["data"] for figure in seen.data["figures"].values())
    if "threshold" in seen.data:
        counts = seen.data["threshold"]
        weight = found.target.weight
        rows, _ = found.nested.pooled(found.metrics["chosen"]["model"])
        total = len(rows) if weight is None else weight[rows].sum()
        assert counts["tp"][-1] + counts["fp"][-1] == pytest.approx(total)
        assert 0 <= counts["start"] < len(counts["tp"])
