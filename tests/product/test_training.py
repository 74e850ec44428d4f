"""train: what its parts promise, where the command line does not look."""

import numpy as np
import pyarrow as pa
import pytest

from sumlearn.evaluation import bootstrap_error
from sumlearn.product import DataProblem, read_table, train
from sumlearn.product.catalogue import CANDIDATES
from sumlearn.product.nested_answers import INSIDE
from sumlearn.product.saved_score import REFITS
from sumlearn.product.targets import target_of


@pytest.mark.parametrize("candidate", [c for c in CANDIDATES if c.can_all], ids=lambda c: f"{c.task}-{c.name}")
def test_solving_again_equals_fitting_again(candidate):
    """Hyperparameters are tried on the sums of one fit: the same model as a fit with them."""
    table = read_table("pima")
    name = "diabetes" if candidate.task == "classify" else "age"
    y = target_of(table, name, candidate.task).values
    frame = table.frame.drop_columns([name])
    grid = candidate.grid(y)
    model = candidate.estimator().set_params(**grid[0]).fit(frame, y)
    for params in grid:
        fresh = candidate.estimator().set_params(**params).fit(frame, y)
        ask = "predict_proba" if hasattr(fresh, "predict_proba") else "predict"
        found = getattr(model.set_params(**params), ask)(frame)
        np.testing.assert_array_equal(found, getattr(fresh, ask)(frame))


def test_boot632_weighs_the_two_errors_as_efron_does():
    found = train("iris", models="lda", cv="boot632:8")
    rows = np.arange(150)
    out = [
        np.mean(a.labels != found.target.values[test])
        for a, (_, test) in zip(found.nested.answers["procedure"], found.nested.splits, strict=True)
    ]
    inside = np.mean(found.nested.training["procedure"].labels != found.target.values[rows])
    expected = (1 - INSIDE) * inside + INSIDE * np.mean(out)
    assert found.metrics["scores"]["error"]["score"] == pytest.approx(expected)
    from sumlearn import LinearDiscriminantAnalysis
    from sumlearn.data import load_example

    iris = load_example("iris")
    reference = bootstrap_error(LinearDiscriminantAnalysis(), iris.X, iris.y, kind="632", n=100, random_state=0)
    assert found.metrics["scores"]["error"]["score"] == pytest.approx(reference.error, abs=0.02)


def test_holdout_interval_is_that_of_the_rows_left_out():
    """Accuracy on n rows: the bootstrap interval is the binomial one, about 2 * 1.96 sqrt(p (1 - p) / n) wide."""
    found = train("pima", models="lda", cv="holdout:0.5", metric="accuracy").metrics
    p, n = found["score"], 384
    low, high = found["interval"]
    assert high - low == pytest.approx(2 * 1.96 * np.sqrt(p * (1 - p) / n), rel=0.15)


def test_missing_values_are_filled_within_the_folds():
    """A value that only one row has must not reach the others: moving it changes no other row's score."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=60), np.resize(["a", "b"], 60)
    x[::7] = np.nan

    def scores(far):
        values = x.copy()
        values[1] = far
        table = pa.table({"x": pa.array(values, from_pandas=True), "z": rng_z, "y": y})
        found = train(table, "y", models="lda", cv=3)
        split = next(k for k, (_, test) in enumerate(found.nested.splits) if 1 in test)
        test = found.nested.splits[split][1]
        return {int(row): s for row, s in zip(test, found.nested.answers["procedure"][split].scores, strict=True)}

    rng_z = rng.normal(size=60)
    near, far = scores(0.0), scores(50.0)
    assert near.keys() == far.keys()
    assert all(near[row] == far[row] for row in near if row != 1)
    assert near[1] != far[1]


def test_frames_of_any_library():
    import pandas as pd
    import polars as pl

    table = read_table("iris")
    frames = [table, "iris", table.frame, pl.from_arrow(table.frame), pd.DataFrame(table.frame.to_pydict())]
    scores = [train(frame, "Species", models="lda", cv=2).metrics["folds"] for frame in frames]
    assert all(s == pytest.approx(scores[0]) for s in scores)


def test_progress_counts_to_its_end():
    seen = []
    train("iris", models="lda,qda", cv=2, progress=lambda *said: seen.append(said))
    fits = 2 * 2 * (5 + 1)  # models, splits, training sets that tune a split and its own
    stages = {"models tried on a sample": 2, "fits": fits, "refits with other weights": REFITS}
    assert list(dict.fromkeys(what for what, _, _ in seen)) == [*stages]
    for stage, total in stages.items():
        steps = [(done, of) for what, done, of in seen if what == stage]
        assert steps[0] == (0, total)
        assert steps[-1] == (total, total)
        assert steps == sorted(steps)


def test_a_progress_that_raises_stops_the_training():
    """So Ctrl-C is heeded even where Python lost it."""

    def stop(what, done, total):
        if done == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train("iris", models="lda,qda", cv=2, progress=stop)


@pytest.mark.parametrize("unit", [1e-200, 1e150])
def test_scores_do_not_depend_on_the_unit_of_the_target(unit):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = X[:, 0] + rng.normal(size=60)
    plain, other = (
        train(pa.table({"a": X[:, 0], "b": X[:, 1], "y": y * u}), "y", models="linear,ridge", budget="none", refits=2)
        for u in (1.0, unit)
    )
    assert other.metrics["score"] == pytest.approx(plain.metrics["score"])
    assert other.metrics["interval"] == pytest.approx(plain.metrics["interval"])
    assert other.metrics["scores"]["rmse"]["score"] == pytest.approx(unit * plain.metrics["scores"]["rmse"]["score"])
    low, high = plain.metrics["interval"]
    assert plain.metrics["refits"] == 0 and low < plain.metrics["score"] - 0.05 < high  # two refits have no spread


EMPTY = {"none": {}, "numbers of rows": {"id": np.arange(60)}}


@pytest.mark.parametrize("columns", EMPTY.values(), ids=EMPTY)
def test_a_table_without_columns_to_learn_from_is_refused(columns):
    with pytest.raises(DataProblem, match="no column is left to learn from"):
        train(pa.table(columns | {"y": np.sin(np.arange(60.0))}), "y")
