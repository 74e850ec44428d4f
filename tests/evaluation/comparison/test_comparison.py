"""The corrected resampled t-test against published numbers, and comparisons against scores computed one by one."""

import re

import numpy as np
import pandas as pd
import pytest
import sklearn.naive_bayes
from scipy import stats
from sklearn.linear_model import Lasso, LogisticRegression
from sklearn.model_selection import KFold, RepeatedStratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

import sumlearn
from sumlearn.evaluation import compare, corrected_t_test, cross_validate

from tests.agreement.problems import classes, regression

# -- the test ---------------------------------------------------------------------------------------------------------


def with_t(t, n):
    """n numbers whose plain t is that."""
    values = np.random.default_rng(0).standard_normal(n)
    values = (values - values.mean()) / values.std(ddof=1)
    return values + t / np.sqrt(n)


def test_a_published_example():
    """scikit-learn's guide "Statistical comparison of models": 10 x 10 folds of 200 rows, two kernels.

    Uncorrected t 2.611, p (one-sided) 0.005; corrected t 0.750, p 0.227.
    """
    found = corrected_t_test(with_t(2.611, 100), n_train=180, n_test=20)
    assert round(found.statistic, 3) == 0.750
    assert round(found.p_value / 2, 3) == 0.227
    assert found.df == 99


def test_against_the_formula():
    differences = np.array([0.02, 0.01, 0.03, 0.0, 0.02, -0.01])
    found = corrected_t_test(differences, 90, 10)
    error = np.sqrt((1 / 6 + 10 / 90) * differences.var(ddof=1))
    assert found.mean == pytest.approx(differences.mean()) and found.standard_error == pytest.approx(error)
    assert found.p_value == pytest.approx(2 * stats.t.sf(differences.mean() / error, 5))
    low, high = found.interval(0.9)
    assert (low, high) == pytest.approx(stats.t.interval(0.9, 5, loc=differences.mean(), scale=error))
    assert corrected_t_test(-differences, 90, 10).p_value == pytest.approx(found.p_value)


def test_without_test_rows_it_is_students():
    values = with_t(1.7, 12)
    assert corrected_t_test(values, 1e12, 1).p_value == pytest.approx(stats.ttest_1samp(values, 0.0).pvalue)


def test_unequal_splits_take_the_mean_ratio():
    values = with_t(1.0, 3)
    found = corrected_t_test(values, [80, 60, 40], [20, 30, 40])
    assert found.standard_error == pytest.approx(np.sqrt(1 / 3 + (0.25 + 0.5 + 1.0) / 3))


def test_it_errs_as_rarely_as_it_says():
    """Ten random splits of 50 of 100 normal numbers, true mean 0: the plain test finds one in four cases a difference.

    Scores are means of test rows; training rows matter not at all, which is the case that the correction is safe for.
    """
    rng = np.random.default_rng(0)
    corrected, plain = 0, 0
    for _ in range(400):
        values = rng.standard_normal(100)
        scores = [values[rng.permutation(100)[:50]].mean() for _ in range(10)]
        corrected += corrected_t_test(scores, 50, 50).p_value < 0.05
        plain += stats.ttest_1samp(scores, 0.0).pvalue < 0.05
    assert corrected <= 0.08 * 400 < 0.25 * 400 < plain


def test_equal_differences():
    same = corrected_t_test(np.full(4, 0.1), 3, 1)
    assert same.statistic == np.inf and same.p_value == 0.0
    none = corrected_t_test(np.zeros(4), 3, 1)
    assert none.statistic == 0.0 and none.p_value == 1.0
    assert corrected_t_test(np.full(3, -0.2), 3, 1).statistic == -np.inf


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (([0.1], 9, 1), "at least two numbers"),
        (([0.1, np.nan], 9, 1), "nan at row 1"),
        (([0.1, 0.2], 0, 1), "n_train must be a positive number"),
        (([0.1, 0.2], 9, [1, 1, 1]), "n_test must be a positive number"),
        (([[0.1, 0.2]], 9, 1), "at least two numbers"),
    ],
)
def test_bad_differences(given, message):
    with pytest.raises(ValueError, match=message):
        corrected_t_test(*given)


# -- comparisons ------------------------------------------------------------------------------------------------------

EASY = classes(120, 3, 2)
NOISE = np.random.default_rng(0).standard_normal((80, 3)), np.arange(80) % 2
MODELS = {
    "bayes": sumlearn.GaussianNB(),
    "poor": sumlearn.GaussianNB(var_smoothing=1e6),
    "neighbour": KNeighborsClassifier(3),
}


def test_scores_and_tests_one_by_one():
    models = {name: MODELS[name] for name in ("bayes", "poor")}
    found = compare(models, {"easy": EASY, "noise": NOISE}, random_state=4)
    splitter = RepeatedStratifiedKFold(n_splits=10, n_repeats=10, random_state=4)
    rivals = {
        "bayes": sklearn.naive_bayes.GaussianNB(),
        "poor": sklearn.naive_bayes.GaussianNB(var_smoothing=1e6),
    }
    for name, (X, y) in {"easy": EASY, "noise": NOISE}.items():
        scores = {model: cross_val_score(rival, X, y, cv=splitter) for model, rival in rivals.items()}
        for model in models:
            assert found.scores[name, model] == pytest.approx(scores[model], abs=1e-12)
            assert found.mean(name, model) == pytest.approx(scores[model].mean())
        difference = scores["poor"] - scores["bayes"]
        t = difference.mean() / np.sqrt((1 / 100 + 1 / 9) * difference.var(ddof=1))
        assert found.tests[name, "poor"].statistic == pytest.approx(t, rel=1e-6)
        p = 2 * stats.t.sf(abs(t), 99)
        assert found.marks[name, "poor"] == (" " if p > 0.05 else "v" if t > 0 else "*")
    assert found.marks["easy", "poor"] == "*" and found.marks["noise", "poor"] == " "
    assert found.tally("poor") == (0, 1, 1)
    assert ("easy", "bayes") not in found.tests


def test_wins_and_losses_turn_round():
    swapped = {"poor": MODELS["poor"], "bayes": MODELS["bayes"]}
    found = compare(swapped, {"easy": EASY}, cv=10)
    assert found.marks["easy", "bayes"] == "v" and found.tally("bayes") == (1, 0, 0)


def test_regressions_and_splitters():
    X, y = regression(60, 4)
    frame = pd.DataFrame(X, columns=list("abcd")).assign(y=y)
    models = {"ridge": sumlearn.Ridge(), "lasso": Lasso(5.0)}
    found = compare(models, {"table": (frame, "y")}, cv=KFold(5), scoring="neg_mean_absolute_error")
    for name, model in models.items():
        expected = cross_val_score(model, X, y, cv=KFold(5), scoring="neg_mean_absolute_error")
        assert found.scores["table", name] == pytest.approx(expected, rel=1e-9)
    assert found.score_name == "neg_mean_absolute_error"


def test_weights_of_a_data_set():
    X, y = classes(60, 2, 2)
    weight = np.random.default_rng(0).integers(0, 3, 60).astype(float)
    models = {"ours": sumlearn.GaussianNB(), "theirs": sklearn.naive_bayes.GaussianNB()}
    found = compare(models, {"rows": (X, y, weight), "plain": (X, y)}, cv=4)
    for name, model in models.items():
        expected = cross_validate(model, X, y, cv=4, sample_weight=weight)["test_score"]
        assert found.scores["rows", name] == pytest.approx(expected, rel=1e-12)
        assert found.scores["plain", name] == pytest.approx(cross_validate(model, X, y, cv=4)["test_score"], rel=1e-12)


def test_the_table():
    found = compare(MODELS, {"easy": EASY, "noise": NOISE}, cv=10)
    lines = str(found).splitlines()
    assert lines[0] == "accuracy, mean(sd); v better, * worse than (1), corrected t-test at 0.05"
    assert lines[1].split() == ["Dataset", "(1)", "bayes", "|", "(2)", "poor", "(3)", "neighbour"]
    assert set(lines[2]) == {"-"} and lines[2] == lines[5]
    values = found.scores["easy", "poor"]
    assert f"{values.mean():.4f}({values.std(ddof=1):.4f}) *" in lines[3]
    assert lines[3].startswith("easy (10)") and lines[3].index("|") == lines[4].index("|") == lines[6].index("|")
    assert lines[6].split("|")[0].strip() == "(v/ /*)"
    assert re.findall(r"\(\d/\d/\d\)", lines[6]) == [
        "({}/{}/{})".format(*found.tally(m)) for m in ("poor", "neighbour")
    ]
    assert lines[8:] == ["(1) bayes", "(2) poor", "(3) neighbour"]


def test_the_html_is_escaped():
    bad = "<script>alert(1)</script>"
    found = compare({bad: sumlearn.GaussianNB(), "b&b": sumlearn.GaussianNB()}, {bad: EASY}, cv=3)
    html = found._repr_html_()
    assert "<script>" not in html and "&lt;script&gt;" in html and "b&amp;b" in html
    assert html.count("<tr>") == 3


def test_what_is_refused():
    with pytest.raises(ValueError, match="a baseline and at least one other"):
        compare({"a": sumlearn.GaussianNB()}, {"easy": EASY})
    with pytest.raises(ValueError, match="datasets is empty"):
        compare(MODELS, {})
    with pytest.raises(ValueError, match="alpha must be between 0 and 1"):
        compare(MODELS, {"easy": EASY}, alpha=5)
    X, y = EASY
    broken = X.copy()
    broken[5, 2] = np.nan
    with pytest.raises(ValueError, match="model 'bayes' on data set 'broken': .*row 5, column 2"):
        compare(MODELS, {"broken": (broken, y)}, cv=3)
    with pytest.raises(ValueError, match="model 'logistic' on data set 'one class'"):
        models = {"bayes": sumlearn.GaussianNB(), "logistic": LogisticRegression()}
        compare(models, {"one class": (X, np.zeros(len(X)))}, cv=KFold(3))
