"""What a careful reader would ask: leaks among many classes, columns by their names, each thing once."""

import warnings

import numpy as np
import pyarrow as pa
import pytest

from sumlearn.product import train
from sumlearn.product.checks import told_in_order
from sumlearn.statistics.warnings import IllConditionedWarning


def checks(table, models, **options):
    found = train(table, "y", models=models, refits=0, row_hashes=False, budget="none", cv=3, **options)
    return [(check["code"], check["text"]) for check in found.metrics["checks"]]


@pytest.fixture
def numbers():
    rng = np.random.default_rng(0)
    return {name: rng.normal(size=120) for name in ("a", "b", "c")}


@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_a_leak_among_many_classes(numbers, noise):
    """The number of the class as a column, in no order of the classes."""
    number = np.resize(np.arange(4), 120)
    leak = np.array([2.0, 0.0, 3.0, 1.0])[number] + noise * np.random.default_rng(1).random(120)
    table = pa.table(numbers | {"code": leak, "y": np.array(list("wxyz"))[number]})
    told = checks(table, "lda,naive_bayes")
    found = [text for code, text in told if code == "leak-suspect"]
    assert len(found) == 1 and "'code'" in found[0] and "--drop code" in found[0]
    assert all("within the classes the column 'code' follows" in text for code, text in told if code == "collinear")


def test_what_is_no_leak():
    rng = np.random.default_rng(0)
    assert told_in_order(rng.normal(size=300), rng.integers(0, 5, 300)) == 0.0
    rare = np.r_[np.ones(5), np.zeros(995)]  # nearly all rows are of one class: nothing is told by that
    assert told_in_order(rng.normal(size=1000), rare) < 0.5


def test_duplicate_columns_are_named(numbers):
    words = np.resize(["u", "v", "w"], 120)
    copies = {"again": numbers["a"], "word": words, "other": np.char.upper(words), "none": 0.0 * numbers["a"]}
    copies["nothing"] = copies["none"]  # constants say nothing
    table = pa.table(numbers | copies | {"y": np.resize(["n", "p"], 120)})
    found = [text for code, text in checks(table, "naive_bayes") if code == "duplicate-columns"]
    assert [text.partition(" hold")[0] for text in found] == [
        "the columns 'a' and 'again'",
        "the columns 'word' and 'other'",
    ]


def test_a_copy_is_told_once(numbers):
    table = pa.table(numbers | {"again": numbers["a"], "y": np.resize(["n", "p"], 120)})
    told = [code for code, _ in checks(table, "lda") if code in ("collinear", "duplicate-columns")]
    assert told == ["duplicate-columns"]


def test_dependent_columns_have_names_and_are_told_once(numbers):
    table = pa.table(numbers | {"total": numbers["a"] + numbers["b"] + numbers["c"], "y": numbers["a"] ** 2})
    with warnings.catch_warnings():
        warnings.simplefilter("error", IllConditionedWarning)
        found = [text for code, text in checks(table, "linear") if code == "collinear"]
    assert len(found) == 1 and "'total'" in found[0]


def test_a_procedure_that_differs_is_explained():
    """Two candidates that are good on different splits: the score of the choice is not that of the chosen."""
    from sumlearn.product.checks import stability

    class Problem:
        from sumlearn.product.metrics import METRICS

        metric = METRICS["auc"]

    account = {
        "folds": [0.8, 0.82, 0.81],
        "interval": [0.78, 0.84],
        "chosen": {"model": "lda"},
        "chosen_in_splits": ["lda", "lda", "qda"],
        "procedure": {"score": 0.7},
    }
    (check,) = stability(Problem, account)
    assert check.code == "procedure-differs" and "qda in 1" in check.text
