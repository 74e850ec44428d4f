"""Scores against scikit-learn, with drawn weights and answers; thresholds against brute force."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from sklearn import metrics as sk

from sumlearn.product.metrics import METRICS, Answers, Costs, cheapest_threshold, cost_metric, metric_of, metrics_for
from sumlearn.product.targets import TargetRows


def target_of(values, task="classify"):
    classes = np.unique(values) if task == "classify" else np.array([])
    return TargetRows("y", task, values, np.arange(len(values)), classes, classes[-1] if len(classes) == 2 else None)


def drawn(seed, classes):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(10, 60))
    truth = np.concatenate([classes, rng.choice(classes, n)])
    scores = rng.normal(size=(len(truth), len(classes))).round(1)  # with ties
    weight = rng.integers(1, 4, len(truth)).astype(float)
    return truth, Answers(np.array(classes)[scores.argmax(axis=1)], scores), weight


@given(seed=st.integers(0, 10_000))
def test_two_classes(seed):
    truth, answers, weight = drawn(seed, ["a", "b"])
    answers = answers._replace(scores=answers.scores[:, 1])
    target = target_of(truth)
    expected = {
        "auc": sk.roc_auc_score(truth == "b", answers.scores, sample_weight=weight),
        "accuracy": sk.accuracy_score(truth, answers.labels, sample_weight=weight),
        "balanced_accuracy": sk.balanced_accuracy_score(truth, answers.labels, sample_weight=weight),
        "f1": sk.f1_score(truth, answers.labels, pos_label="b", sample_weight=weight, zero_division=0.0),
        "error": sk.zero_one_loss(truth, answers.labels, sample_weight=weight),
        "eer": equal_error_of(truth == "b", answers.scores, weight),
    }
    for name, value in expected.items():
        assert METRICS[name](target, truth, answers, weight) == pytest.approx(value), name


def equal_error_of(truth, scores, weight):
    """Where scikit-learn's curve, a line from point to point, has FNR = FPR."""
    fpr, tpr, _ = sk.roc_curve(truth, scores, sample_weight=weight, drop_intermediate=False)
    step = np.arange(len(fpr))
    at = brentq(lambda t: 1.0 - np.interp(t, step, tpr) - np.interp(t, step, fpr), 0, step[-1], xtol=1e-14)
    return np.interp(at, step, fpr)


def test_the_equal_error_rate_of_few_positives_lies_between_the_steps():
    """Of 8 positives a threshold misses 0, 1/8, 2/8, ...; of 50 negatives it accepts 0, 1/50, ..."""
    rng = np.random.default_rng(2)
    truth, scores = np.repeat(["n", "p"], [50, 8]), np.append(rng.normal(size=50), rng.normal(0.8, 1, 8))
    rate = METRICS["eer"](target_of(truth), truth, Answers(truth, scores), None)
    assert rate == pytest.approx(0.18) == equal_error_of(truth == "p", scores, np.ones(58))
    assert 8 * rate != round(8 * rate)


@given(seed=st.integers(0, 10_000))
def test_many_classes(seed):
    truth, answers, weight = drawn(seed, [0, 1, 2, 5])
    target = target_of(truth)
    columns = zip([0, 1, 2, 5], answers.scores.T, strict=True)
    aucs = [sk.roc_auc_score(truth == k, column, sample_weight=weight) for k, column in columns]
    assert METRICS["auc"](target, truth, answers, weight) == pytest.approx(np.mean(aucs))
    f1 = sk.f1_score(truth, answers.labels, average="macro", sample_weight=weight, zero_division=0.0)
    assert METRICS["f1"](target, truth, answers, weight) == pytest.approx(f1)


@given(seed=st.integers(0, 10_000))
def test_numbers(seed):
    rng = np.random.default_rng(seed)
    truth, labels, weight = rng.normal(size=30), rng.normal(size=30), rng.uniform(0.1, 2.0, 30)
    target, answers = target_of(truth, "regress"), Answers(labels)
    expected = {
        "r2": sk.r2_score(truth, labels, sample_weight=weight),
        "rmse": sk.root_mean_squared_error(truth, labels, sample_weight=weight),
        "mae": sk.mean_absolute_error(truth, labels, sample_weight=weight),
    }
    for name, value in expected.items():
        assert METRICS[name](target, truth, answers, weight) == pytest.approx(value), name


@given(seed=st.integers(0, 10_000), fa=st.sampled_from([0.0, 1.0, 3.0]), fr=st.sampled_from([0.5, 1.0, 20.0]))
def test_the_cheapest_threshold(seed, fa, fr):
    """No threshold between, below or above the scores is cheaper."""
    truth, answers, weight = drawn(seed, ["a", "b"])
    answers = answers._replace(scores=answers.scores[:, 1])
    target, costs = target_of(truth), Costs(fa, fr)
    cost = cost_metric(costs)

    def paid(threshold):
        return cost(target, truth, answers.decided(target, threshold), weight)

    found = cheapest_threshold(target, truth, answers.scores, weight, costs)
    levels = np.unique(answers.scores)
    tried = [levels[0] - 1, *((levels[1:] + levels[:-1]) / 2), levels[-1] + 1]
    assert paid(found) == pytest.approx(min(map(paid, tried)))
    assert np.abs(levels - found).min() > 1e-9  # rounding of a score decides nothing


def test_the_default_score_follows_the_target():
    two, many = target_of(np.array(["a", "b", "a"])), target_of(np.array([1, 2, 3]))
    numbers = target_of(np.array([1.0, 2.5]), "regress")
    assert [metric_of(None, t).name for t in (two, many, numbers)] == ["auc", "accuracy", "r2"]
    assert "cost" in metrics_for(two, Costs())
    assert "cost" not in metrics_for(two)


def test_one_class_has_no_auc():
    target = target_of(np.array(["a", "b"]))
    found = METRICS["auc"](target, np.array(["a", "a"]), Answers(np.array(["a", "b"]), np.array([0.1, 0.2])), None)
    assert np.isnan(found)
