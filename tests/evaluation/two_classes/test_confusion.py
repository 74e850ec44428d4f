"""Confusion tables and their rates: laws, scikit-learn, and the tables of the notes worked by hand."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import (
    accuracy_score,
    confusion_matrix,
    fbeta_score,
    precision_score,
    recall_score,
)

from sumlearn.evaluation import BinnedRoc, Confusion, Rates
from sumlearn.selection.judges import NearestNeighbourJudge
from sumlearn.testing import check_statistic

WEIGHTS = (0.0, 0.1, 0.25, 1.0, 2.0, 3.5)


@st.composite
def tables(draw, most=1, smallest=0):
    """Truth, decision and weights of some pieces of a table of up to four classes."""
    weighted, classes = draw(st.booleans()), draw(st.sampled_from(["ab", "abc", "abcd"]))
    found = []
    for _ in range(draw(st.integers(1, most))):
        n = draw(st.integers(smallest, 12))
        truth, decision = (
            np.array(draw(st.lists(st.sampled_from(classes), min_size=n, max_size=n)), dtype="U1") for _ in range(2)
        )
        weight = np.array(draw(st.lists(st.sampled_from(WEIGHTS), min_size=n, max_size=n)))
        found.append((truth, decision, weight if weighted else None))
    return found


@settings(max_examples=60)
@given(tables(most=5), st.sampled_from([None, "abcd", "abcdefg"]))
def test_laws(pieces, labels):
    weight = None if pieces[0][2] is None else np.concatenate([w for _, _, w in pieces])
    truth, decision = (np.concatenate([piece[i] for piece in pieces]) for i in (0, 1))
    whole = Confusion.of(truth, decision, weight, labels)
    check_statistic([Confusion.of(*piece, labels) for piece in pieces], whole)


@pytest.mark.filterwarnings("ignore:A single label was found")
@settings(max_examples=50)
@given(tables(smallest=1), st.floats(0.05, 0.95), st.sampled_from([0.0, 1.0]))
def test_agrees_with_scikit_learn(pieces, share, empty):
    truth, decision, weight = pieces[0]
    if weight is not None:
        weight[0] = 1.0
        keep = weight > 0  # scikit-learn keeps the labels of absent rows
        truth, decision, weight = truth[keep], decision[keep], weight[keep]
    confusion = Confusion.of(truth, decision, weight)
    assert list(confusion.labels) == sorted({*truth, *decision})
    expected = confusion_matrix(truth, decision, sample_weight=weight, labels=confusion.labels)
    assert confusion.table == pytest.approx(expected, abs=1e-12)
    assert confusion.accuracy == pytest.approx(accuracy_score(truth, decision, sample_weight=weight), abs=1e-12)
    assert confusion.error == pytest.approx(1 - confusion.accuracy, abs=1e-12)

    options = {"sample_weight": weight, "zero_division": empty}
    # b / PRE + (1 - b) / REC is F_beta with beta^2 = (1 - b) / b
    beta = np.sqrt((1 - share) / share)
    scores = {"precision": precision_score, "tpr": recall_score}
    for label in confusion.labels:
        rates = confusion.rates(label, empty=empty)
        for name, score in scores.items():
            value = score(truth, decision, labels=[label], average="macro", **options)
            assert getattr(rates, name) == pytest.approx(value, abs=1e-12)
        value = fbeta_score(truth, decision, beta=beta, labels=[label], average="macro", **options)
        assert rates.f(share) == pytest.approx(value, abs=1e-12)
    for kind in ("macro", "micro", "weighted"):
        for name, score in scores.items():
            value = score(truth, decision, average=kind, **options)
            assert confusion.average(name, kind, empty=empty) == pytest.approx(value, abs=1e-12)
        value = fbeta_score(truth, decision, beta=beta, average=kind, **options)
        assert confusion.f(share, average=kind, empty=empty) == pytest.approx(value, abs=1e-12)


def test_hand_worked_table():
    """40 good guys accepted, 10 rejected; 5 bad guys accepted, 45 rejected.

    of the truth: 40/50, 10/50, 5/50, 45/50; of the decision: 40/45, 5/45, 10/55, 45/55; of all: 85/100, 15/100.
    """
    truth = np.repeat([True, True, False, False], [40, 10, 5, 45])
    decision = np.repeat([True, False, True, False], [40, 10, 5, 45])
    confusion = Confusion.of(truth, decision)
    assert confusion.table.tolist() == [[45, 5], [10, 40]]
    rates = confusion.rates()
    assert (rates.tp, rates.fn, rates.fp, rates.tn) == (40, 10, 5, 45)
    expected = {
        "tpr": 40 / 50,
        "recall": 40 / 50,
        "fnr": 10 / 50,
        "fpr": 5 / 50,
        "tnr": 45 / 50,
        "precision": 40 / 45,
        "garbage": 5 / 45,
        "waste": 10 / 55,
        "care": 45 / 55,
        "accuracy": 85 / 100,
        "error": 15 / 100,
    }
    assert {name: getattr(rates, name) for name in expected} == pytest.approx(expected, rel=1e-15)
    # F with b = 1/2 is 2 N_tt / (2 N_tt + N_tf + N_ft); the note lost the first 2
    assert rates.f() == pytest.approx(80 / 95, rel=1e-15)
    assert rates.f(0.25) == pytest.approx(1 / (0.25 / (40 / 45) + 0.75 / (40 / 50)), rel=1e-15)
    assert rates.f(1.0) == rates.precision and rates.f(0.0) == rates.tpr
    assert confusion.f() == rates.f() and confusion.f(0.25, positive=True) == rates.f(0.25)
    assert confusion.rates(False).tpr == rates.tnr


def test_note_f_value():
    """Five sixths, not 5/12: precision and recall both 5/6."""
    assert Rates(tp=5, fn=1, fp=1, tn=3).f() == pytest.approx(5 / 6, rel=1e-15)


def test_averages_of_three_classes_by_hand():
    """Precision 2/3, 1/3 and 1 of classes with 2, 2 and 3 rows; 4/7 of the sums."""
    truth, decision = list("aabbccc"), list("aaabbcb")
    confusion = Confusion.of(truth, decision)
    assert confusion.table.tolist() == [[2, 0, 0], [1, 1, 0], [0, 2, 1]]
    assert confusion.average("precision") == pytest.approx((2 / 3 + 1 / 3 + 1) / 3, rel=1e-15)
    assert confusion.average("precision", "weighted") == pytest.approx((2 * 2 / 3 + 2 / 3 + 3) / 7, rel=1e-15)
    assert confusion.average("precision", "micro") == pytest.approx(4 / 7, rel=1e-15)
    assert confusion.average("waste", "macro") == pytest.approx((0 + 1 / 4 + 2 / 6) / 3, rel=1e-15)


def test_zero_over_zero_is_named_or_replaced():
    """Nothing is ever taken for "c", and nothing is one."""
    confusion = Confusion.of(list("ab"), list("ab"), labels="abc")
    rates = confusion.rates("c")
    for name, reason in (
        ("tpr", "no row is of the class"),
        ("fnr", "no row is of the class"),
        ("precision", "no row is predicted to be of the class"),
        ("garbage", "no row is predicted to be of the class"),
    ):
        with pytest.raises(ValueError, match=f"{name} of class 'c' is 0/0: {reason}"):
            getattr(rates, name)
    with pytest.raises(ValueError, match="f of class 'c'"):
        rates.f()
    assert (rates.fpr, rates.tnr, rates.waste, rates.care, rates.accuracy) == (0.0, 1.0, 0.0, 1.0, 1.0)
    assert confusion.rates("c", empty=0.0).tpr == 0.0
    assert confusion.average("tpr", empty=0.0) == pytest.approx(2 / 3)
    assert confusion.average("tpr", "weighted") == 1.0  # a class without rows has no weight
    with pytest.raises(ValueError, match="tpr of class 'c'"):
        confusion.average("tpr")
    everything = Confusion.of(list("aa"), list("aa")).rates("a")
    for name in ("fpr", "tnr", "waste", "care"):
        with pytest.raises(ValueError, match=f"{name} of class 'a' is 0/0: no row is"):
            getattr(everything, name)


def test_f_is_zero_where_nothing_is_accepted():
    """The harmonic mean has a limit where precision is 0/0."""
    rates = Confusion.of(["p", "p", "n"], ["n", "n", "n"]).rates("p")
    assert rates.f() == 0.0


def test_nothing_counted():
    nothing = Confusion.of([], [])
    assert nothing.labels == () and nothing.rows == 0
    for call in (lambda: nothing.accuracy, lambda: nothing.error, lambda: nothing.average("tpr")):
        with pytest.raises(ValueError, match="no rows"):
            call()
    assert "no rows" in str(nothing) and "no rows" in nothing._repr_html_()


def test_labels_unite_and_vanish():
    a, b = Confusion.of([1, 2], [1, 2]), Confusion.of([3], [1])
    assert (a + b).labels == (1, 2, 3)
    assert ((a + b) - b).labels == (1, 2)
    declared = Confusion.of([1], [1], labels=[3, 1])
    assert declared.labels == (1, 3) and (declared + a).labels == (1, 2, 3)
    assert (declared - declared).table.tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_labels_of_any_kind():
    truth, decision = [0, 1, 1, 0, 1], [0, 1, 0, 1, 1]
    expected = Confusion.of(truth, decision).table
    for change in (np.array, pd.Series, lambda v: np.array(v, dtype=bool), lambda v: np.array(["n", "y"])[v]):
        assert np.array_equal(Confusion.of(change(truth), change(decision)).table, expected)


def test_large_counts_are_exact():
    a = Confusion.of([0, 1], [1, 1], [2.0**52, 1.0])
    assert (a + a).table.tolist() == [[0.0, 2.0**53], [0.0, 2.0]]


def test_text():
    text = str(Confusion.of(["cat", "dog", "dog"], ["cat", "cat", "dog"], [1, 1, 0.5]))
    assert text.splitlines() == [
        "       predicted",
        "truth  cat  dog    tpr  precision      f",
        "cat      1    0  1.000      0.500  0.667",
        "dog      1  0.5  0.333      1.000  0.500",
        "accuracy 0.600 of 3 rows of weight 2.5",
    ]


def test_html_is_escaped():
    html = Confusion.of(["<script>alert(1)</script>", "b&b"], ["b&b", "b&b"])._repr_html_()
    assert "<script>" not in html and "&lt;script&gt;" in html and "b&amp;b" in html
    assert html.count("<tr>") == 3 and "accuracy 0.500 of 2 rows" in html


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Confusion.of([1, 2], [1]), "y_true has 2 rows and y_pred 1"),
        (lambda: Confusion.of([1.0, np.nan], [1.0, 1.0]), "y_true contains NaN: first at row 1"),
        (lambda: Confusion.of(["a", "b"], ["a", None]), "y_pred contains NaN: first at row 1"),
        (lambda: Confusion.of(pd.Series(["a", pd.NA]), ["a", "b"]), "y_true contains NaN: first at row 1"),
        (lambda: Confusion.of([[1, 2]], [[1, 2]]), "y_true must be one-dimensional"),
        (lambda: Confusion.of(["a"], [1]), "labels of different kinds"),
        (lambda: Confusion.of([1], [1], [-1.0]), "sample_weight"),
        (lambda: Confusion.of([1], [1], [1.0, 1.0]), "sample_weight has shape"),
        (lambda: Confusion.of([1, 5, 7], [1, 1, 1], labels=[1, 2]), "y_true holds the label 5.*row 1"),
        (lambda: Confusion.of([1, 1], [1, 9], labels=[1, 2]), "y_pred holds the label 9.*row 1"),
        (lambda: Confusion.of([1], [1]) + Confusion.of(["a"], ["a"]), "labels of different kinds"),
        (lambda: Confusion.of([1], [1]) - Confusion.of([2], [1]), "cannot remove"),
        (lambda: Confusion.of([1, 2, 3], [1, 2, 3]).rates(), "3 classes: say with positive="),
        (lambda: Confusion.of([1, 2], [1, 2]).rates(4), "no class 4 in the table: 1, 2"),
        (lambda: Confusion.of([1, 2], [1, 2]).f(1.5), "weight must be"),
        (lambda: Confusion.of([1, 2], [1, 2]).average("tpr", "median"), "kind must be"),
        (lambda: Confusion.of([1, 2], [1, 2]).average("roc"), "no rate 'roc'"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("kind", ["confusion", "binned", "nearest"])
def test_row_weights_are_called_sample_weight(kind):
    """The former name warns, and works."""
    y, values, weight = np.array([0, 1, 1, 0]), np.array([0, 1, 0, 0]), np.array([1.0, 2.0, 1.0, 3.0])
    count = {
        "confusion": lambda **w: Confusion.of(y, values, **w).table.tolist(),
        "binned": lambda **w: BinnedRoc.of(y, values, grid=[0.5], **w).counts.tolist(),
        "nearest": lambda **w: NearestNeighbourJudge.of(values[:, None], y, **w).score((0,)),
    }[kind]
    with pytest.warns(FutureWarning, match=r"weight= of .* goes with the next release: it is sample_weight="):
        former = count(weight=weight)
    assert former == count(sample_weight=weight) != count()
