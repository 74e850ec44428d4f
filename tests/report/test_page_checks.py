"""Faults that were put into a table are found, by their codes; a table without them is left in peace."""

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import norm

import sumlearn as sl
from sumlearn.product import train


def table(n=300, **more):
    """Two columns that tell something, and a label."""
    rng = np.random.default_rng(5)
    x, noise = rng.normal(size=(n, 2)), rng.normal(size=n)
    label = np.where(x[:, 0] + 0.5 * x[:, 1] + noise > 0, "yes", "no")
    return {"a": x[:, 0], "b": x[:, 1], "label": label} | more


def wobble(n, seed=9):
    return np.random.default_rng(100 + seed).normal(size=n)


def codes(columns, models="lda", **options):
    found = train(pa.table(columns), "label", models=models, cv="3", **options)
    return {check["code"]: check["text"] for check in found.metrics["checks"]}


def test_a_good_table_has_no_finding():
    assert codes(table()) == {}


def test_a_leak():
    columns = table()
    columns["leak"] = np.where(columns["label"] == "yes", 1.0, 0.0) + 0.01 * wobble(300)
    assert "'leak'" in codes(columns)["leak-suspect"]


def test_duplicates():
    columns = {name: np.concatenate([values, values[:100]]) for name, values in table().items()}
    assert "duplicates" in codes(columns)


def test_imbalance():
    columns = table(600)
    columns["label"] = np.where(np.arange(600) % 40 == 0, "yes", "no")
    assert {"imbalance", "no-better-than-baseline"} <= set(codes(columns))


def test_an_overfit_model():
    columns = {f"x{j}": wobble(80, j) for j in range(40)}
    columns["label"] = np.where(np.arange(80) % 2 == 0, "yes", "no")
    assert "overfit-gap" in codes(columns)


def test_a_column_that_names_the_rows():
    columns = table(row_id=np.arange(1, 301))
    assert "'row_id'" in codes(columns)["id-like"]
    assert "id-like" not in codes(table(), ids=())


def test_columns_that_say_the_same():
    columns = table()
    columns["inches"] = columns["a"] / 2.54 + 1e-3 * wobble(300)
    text = codes(columns, models="least_squares")["collinear"]
    assert "'a'" in text and "'inches'" in text


def test_poor_calibration():
    """Naive Bayes counts twenty copies of one fact as twenty facts; logistic regression does not."""
    n = 800
    fact = wobble(n)
    label = np.where(fact + wobble(n, 1) > 0, "yes", "no")
    columns = {f"x{j}": fact + 0.3 * wobble(n, 2 + j) for j in range(20)} | {"label": label}
    found = train(pa.table(columns), "label", models="naive_bayes", cv="3")
    text = {check["code"]: check["text"] for check in found.metrics["checks"]}["poor-calibration"]
    rows, answers = found.nested.pooled("naive_bayes")
    truth = found.target.values[rows] == "yes"
    gaps = [
        abs(np.sum(truth[part] - answers.scores[part]))
        for low in np.arange(10) / 10
        for part in [np.flatnonzero(np.clip(np.floor(answers.scores * 10), 0, 9) == round(10 * low))]
    ]
    assert f"off by {sum(gaps) / n:.2f}" in text
    assert "poor-calibration" not in codes(columns, models="logistic")


def test_calibration_has_few_false_alarms():
    """Probabilities that are right are seldom called wrong: the limit is one in a thousand, and a distance beside."""
    from sumlearn.product.checks import SURE

    assert 2 * norm.sf(SURE) == pytest.approx(0.001, rel=0.05)


def test_findings_are_in_the_page():
    columns = table()
    columns["leak"] = np.where(columns["label"] == "yes", 1.0, 0.0) + 0.01 * wobble(300)
    report = sl.evaluate(sl.GaussianNB(), pa.table(columns), "label", cv=3)
    assert "leak-suspect" in report.html and "Checks: 1 to look at" in report.html
