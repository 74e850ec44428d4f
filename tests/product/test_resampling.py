"""Scores of samples against scores of the drawn rows themselves, and against scikit-learn's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from sumlearn.product import read_table, train
from sumlearn.product.metrics import METRICS, Answers, Costs, metrics_for
from sumlearn.product.nested_answers import PROCEDURE
from sumlearn.product.resampling import resampled, samples
from sumlearn.product.targets import TargetRows

KINDS = {"number": 0, "two": 2, "many": 4}


def drawn(kind, seed, weighted):
    """A target, answers with ties, and weights, some zero; in halves, so that no rounding decides between equals."""
    rng = np.random.default_rng(seed)
    n, count = int(rng.integers(12, 60)), KINDS[kind]
    weight = rng.integers(0, 4, n) * 0.5 if weighted else None
    if not count:
        truth = rng.normal(size=n)
        target = TargetRows("y", "regress", truth, np.arange(n), np.array([]))
        return target, Answers(truth + rng.normal(size=n)), weight
    classes = np.array(["a", "b", "c", "d"][:count])
    truth = np.append(np.repeat(classes, 2), rng.choice(classes, n - 2 * count))
    scores = (rng.normal(size=(n, count)) + (truth[:, None] == classes)).round(1)
    labels = classes[scores.argmax(axis=1)]
    target = TargetRows("y", "classify", truth, np.arange(n), classes, "b" if count == 2 else None)
    return target, Answers(labels, scores[:, 1] if count == 2 else scores), weight


@pytest.mark.parametrize("kind", KINDS)
@given(seed=st.integers(0, 10_000), weighted=st.booleans())
def test_scores_are_those_of_the_drawn_rows(kind, seed, weighted):
    target, answers, weight = drawn(kind, seed, weighted)
    counts = list(samples(target, target.values, 4, seed))
    for metric in metrics_for(target, Costs(2.0, 3.0) if kind == "two" else None).values():
        found = resampled(metric, target, target.values, answers, weight, counts)
        for score, count in zip(found, counts, strict=True):
            rows = np.repeat(np.arange(len(count)), count)
            own = None if weight is None else weight[rows]
            if own is not None and own.sum() == 0:
                continue
            wanted = metric(target, target.values[rows], answers.of(rows), own)
            assert score == pytest.approx(wanted, rel=1e-12, abs=1e-12, nan_ok=True), metric.name


def test_samples_keep_the_classes_and_repeat():
    target, _, _ = drawn("many", 3, False)
    first, second = (list(samples(target, target.values, 5, 7)) for _ in range(2))
    assert np.array_equal(first, second) and len({tuple(count) for count in first}) > 1
    for count in first:
        for label in target.classes:
            mine = target.values == label
            assert count[mine].sum() == mine.sum()


def test_area_of_many_classes_is_scikit_learns():
    target, answers, _ = drawn("many", 5, False)
    probability = np.exp(answers.scores) / np.exp(answers.scores).sum(axis=1, keepdims=True)
    count = np.ones(len(target.values))
    found = resampled(METRICS["auc"], target, target.values, Answers(answers.labels, probability), None, [count])
    wanted = roc_auc_score(target.values, probability, multi_class="ovr", average="macro")
    assert found == pytest.approx([wanted], rel=1e-12)


def test_the_interval_of_a_holdout_is_that_of_its_samples():
    found = train(read_table("iris").frame, "Species", models="lda", cv="holdout:0.4", metric="auc")
    rows, answers = found.nested.pooled(PROCEDURE)
    rng, truth = np.random.default_rng(0), found.target.values[rows]
    scores = []
    for _ in range(1000):
        strata = [np.flatnonzero(truth == label) for label in found.target.classes]
        some = np.concatenate([rng.choice(rows_of_class, len(rows_of_class)) for rows_of_class in strata])
        scores.append(METRICS["auc"](found.target, truth[some], answers.of(some), None))
    assert found.metrics["interval"] == pytest.approx(np.quantile(scores, [0.025, 0.975]), rel=1e-12)
