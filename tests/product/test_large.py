"""Tables larger than memory: choice on a sample, sums and score of all rows."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from pyarrow import csv

from sumlearn import LinearDiscriminantAnalysis, TableModel
from sumlearn.product import DataProblem, UsageProblem, large, read_table, train
from sumlearn.product.large import draws, sample_of
from sumlearn.product.metrics import Answers
from sumlearn.product.table_blocks import Blocks
from sumlearn.product.tables import open_table
from sumlearn.product.training import COPIES, for_table, memory_of

ROWS = 5000
TINY = "100kB"
LEAST = 1000  # rows of the sample, however little memory there is


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    city = rng.choice(["Rome", "Oslo", "Bonn"], ROWS)
    a, b = rng.normal(5.0, 2.0, ROWS), rng.normal(size=ROWS)
    score = 0.5 * (a - 5) + b + (city == "Oslo") + rng.normal(size=ROWS)
    columns = {
        "a": pa.array(np.where(rng.random(ROWS) < 0.05, np.nan, a), from_pandas=True),
        "b": pa.array(b),
        "city": pa.array(city),
        "label": pa.array(np.where(rng.random(ROWS) < 0.01, None, np.where(score > 0, "yes", "no"))),
        "number": pa.array(score),
        "count": pa.array(rng.integers(1, 4, ROWS).astype(float)),
    }
    return pa.table(columns)


@pytest.fixture(scope="module")
def file(frame, tmp_path_factory):
    path = tmp_path_factory.mktemp("large") / "big.parquet"
    pyarrow.parquet.write_table(frame, path, row_group_size=700)
    return str(path)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """So that the rows come in several blocks."""
    monkeypatch.setattr("sumlearn.product.table_blocks.ROWS_AT_A_TIME", 600)


def options(**others):
    return {"target": "label", "models": "lda", "drop": ["number", "count"], "memory": TINY, **others}


def test_the_model_is_that_of_all_rows(file, frame):
    found = train(file, **options())
    kept = frame.filter(frame.column("label").is_valid())
    model = TableModel(LinearDiscriminantAnalysis(solver="lsqr"), drop=["number", "count"])
    model.set_params(learner__shrinkage=found.model.model.learner.shrinkage)
    model.fit(kept.drop_columns(["label"]), np.array(kept.column("label").to_pylist()))
    for (name, a), (other, b) in zip(found.model.model.coef_table(), model.coef_table(), strict=True):
        assert name == other
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)
    assert found.model.facts["rows"] == len(kept)
    assert found.metrics["rows_without_target"] == ROWS - len(kept)
    assert found.metrics["classes"] == {k: kept.column("label").to_pylist().count(k) for k in ("no", "yes")}


def test_no_row_is_scored_that_was_learnt_or_chose(file, frame):
    """The score again: refitted without each fold, on rows outside of the sample."""
    found = train(file, **options(metric="accuracy", seed=3))
    numbers = np.arange(ROWS)
    label = np.array(frame.column("label").to_pylist(), dtype=object)
    present = np.array([v is not None for v in label])
    share = sample_of(open_table(file, 0), LEAST, 3).share
    outside = draws(numbers, 3) >= share
    fold = (draws(numbers, 4) * 5).astype(int)
    X = frame.select(["a", "b", "city"])
    scores = []
    for k in range(5):
        train_rows, test_rows = np.flatnonzero(present & (fold != k)), np.flatnonzero(present & outside & (fold == k))
        model = TableModel(LinearDiscriminantAnalysis(solver="lsqr", shrinkage=found.model.model.learner.shrinkage))
        model.fit(X.take(train_rows), label[train_rows].astype(str))
        scores.append(np.mean(model.predict(X.take(test_rows)) == label[test_rows]))
    assert found.metrics["folds"] == pytest.approx(scores, abs=1e-12)
    assert found.metrics["sample"]["scored"] == (present & outside).sum()
    assert found.metrics["sample"]["rows"] == ROWS - outside.sum() <= LEAST


def test_numbers_weights_and_holdout(file, frame):
    found = train(file, target="number", models="ridge", drop=["label"], weights="count", memory=TINY, cv="holdout:0.3")
    held = draws(np.arange(ROWS), 1) < 0.3
    X = frame.select(["a", "b", "city"])
    y, w = (np.asarray(frame.column(name)) for name in ("number", "count"))
    learner = found.model.model.learner
    model = TableModel(learner).fit(X.filter(pa.array(~held)), y[~held], w[~held])
    asked = held & (draws(np.arange(ROWS), 0) >= sample_of(open_table(file, 0), LEAST, 0).share)
    answer = model.predict(X.filter(pa.array(asked)))
    centre = np.average(y[asked], weights=w[asked])
    expected = 1 - np.sum(w[asked] * (y[asked] - answer) ** 2) / np.sum(w[asked] * (y[asked] - centre) ** 2)
    assert found.metrics["score"] == pytest.approx(expected, abs=1e-9)
    low, high = found.metrics["interval"]
    assert low < expected < high


def test_it_can_update_forget_and_is_hashed(file, frame):
    found = train(file, **options())
    some = frame.filter(frame.column("label").is_valid()).slice(0, 40)
    before = found.model
    after = before.forget(some)
    again = after.update(some)
    assert after.facts["rows"] == before.facts["rows"] - 40
    pairs = zip(before.model.coef_table(), again.model.coef_table(), strict=True)
    assert all(np.allclose(a[1], b[1], rtol=1e-9, atol=1e-12) for a, b in pairs)
    with pytest.raises(DataProblem, match="the model never learnt row 0"):
        after.forget(some.slice(0, 1))


def test_changes_in_blocks_are_changes_at_once(file, frame, tmp_path):
    """Files of more than a block are learnt and forgotten block by block; rows are named as in the file."""
    kept = frame.filter(frame.column("label").is_valid())
    path = tmp_path / "rest.parquet"
    pyarrow.parquet.write_table(kept.slice(1000), path, row_group_size=700)
    model = train(kept.slice(0, 1000), "label", models="lda", drop=["number", "count"], cv=2).model
    blocks = open_table(path, 0)
    assert isinstance(blocks, Blocks)
    at_once, in_blocks = model.update(kept.slice(1000)), model.update(blocks)
    assert in_blocks.changed == at_once.changed == len(kept) - 1000
    for (_, a), (_, b) in zip(at_once.model.coef_table(), in_blocks.model.coef_table(), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)
    assert in_blocks.forget(blocks).facts["rows"] == 1000
    strange = pa.concat_tables([kept.slice(1000, 900), kept.slice(0, 900).set_column(1, "b", pa.array(np.zeros(900)))])
    pyarrow.parquet.write_table(strange, path, row_group_size=700)
    with pytest.raises(DataProblem, match="never learnt rows 900, 901"):
        in_blocks.forget(open_table(path, 0))


@pytest.mark.slow
def test_the_report_says_what_was_sampled(file):
    from sumlearn.report import report_of

    found = train(file, **options())
    page = report_of(found).html
    scored = f"{found.metrics['sample']['scored']:,} rows that were not learnt"
    assert scored in page
    assert "repeated within every split" not in page
    assert "but the headline are of the sample" in page
    small = report_of(train("iris", models="lda", cv=2)).html
    assert "repeated within every split" in small and "of the sample" not in small


@pytest.mark.slow
def test_the_same_run_twice(file):
    first, second = (train(file, **options(seed=1)).metrics for _ in range(2))
    assert first == second


def test_what_needs_memory_is_refused(file):
    with pytest.raises(UsageProblem, match=r"--cv time:a needs the table in memory"):
        train(file, **options(cv="time:a"))
    with pytest.raises(UsageProblem, match="'logistic' cannot"):
        train(file, **options(models="logistic"))


def test_a_class_that_the_sample_misses(frame, tmp_path):
    labels = np.array(frame.column("label").to_pylist(), dtype=object)
    outside = np.flatnonzero(draws(np.arange(ROWS), 0) > 0.9)
    labels[outside[0]] = "perhaps"
    path = tmp_path / "rare.parquet"
    pyarrow.parquet.write_table(frame.set_column(3, "label", pa.array(labels.tolist())), path)
    with pytest.raises(DataProblem, match="class 'perhaps' of 'label' is too rare"):
        train(str(path), **options())


@pytest.mark.slow
def test_few_rows_are_their_own_sample(tmp_path, frame):
    """A table that is thought too large but has few rows: the folds of the training score it, never rows that chose."""
    path = tmp_path / "few.parquet"
    pyarrow.parquet.write_table(frame.slice(0, 800), path)
    found, expected = train(str(path), **options()), train(frame.slice(0, 800), **options())
    assert isinstance(open_table(path, 0), Blocks)
    assert "sample" not in found.metrics
    assert found.metrics["folds"] == expected.metrics["folds"]
    assert found.model.facts["history"][0]["sha256"] == open_table(path, 0).digest


def test_a_training_part_is_told_by_its_size():
    from sumlearn.product.large import as_nested

    answers = [Answers(np.zeros(30)), Answers(np.zeros(50))]
    problem = train("faithful", "waiting", models="linear", cv=2).problem
    target = replace(problem.target, values=np.arange(80.0))
    found = as_nested(replace(problem, target=target), answers, 8 * 10**12)  # more rows than memory has numbers for
    assert found.sizes.tolist() == [[5 * 10**12, 3 * 10**12], [30, 50]]


def test_the_sample_is_fair(file):
    """Every row has the same chance, whichever block it is in."""
    sample = sample_of(open_table(file, 0), LEAST, 0)
    assert sample.rows == ROWS
    assert LEAST / 2.5 < sample.table.rows <= LEAST
    assert sample.share == 0.125
    hits = sum(draws(np.arange(ROWS), seed) < 0.25 for seed in range(400))
    assert abs(hits.mean() - 100) < 1 and hits.std() == pytest.approx(np.sqrt(75), rel=0.1)
    both = np.corrcoef(draws(np.arange(ROWS), 0), draws(np.arange(ROWS), 1))[0, 1]
    assert abs(both) < 0.05


def test_libraries_and_copies_count_as_memory():
    assert for_table("500MB") == pytest.approx(8e7 / COPIES)
    assert for_table("1MB") == pytest.approx(1e5 / COPIES)  # less than the libraries take: as little as can be
    kept = train("faithful", "waiting", models="linear", cv=2, refits=0, memory="500MB").problem.room
    assert kept == for_table("500MB")  # coded rows for who asks again


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is told in other units")
def test_memory_is_kept(tmp_path):
    """The peak of a process of its own, libraries included."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300_000, 20)).round(4)
    label = np.where(X[:, 0] + rng.normal(size=len(X)) > 0, "p", "n")
    csv.write_csv(pa.table({f"x{j}": X[:, j] for j in range(20)} | {"y": label}), tmp_path / "big.csv")
    code = (
        "import resource; from sumlearn.product import train; train('big.csv', 'y', memory='500MB', budget='20s');"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    told = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert int(told) < 500_000


def test_memory_in_words():
    assert memory_of("2 MB") == 2e6
    assert memory_of("1.5g") == 1.5e9
    assert memory_of(None) > 1e6
    for text in ("much", "", "-1GB", "1..2GB"):
        with pytest.raises(UsageProblem, match="--memory"):
            memory_of(text)


def test_a_small_table_is_read_at_once():
    assert read_table("iris").rows == 150
    assert not isinstance(open_table("iris"), Blocks)
    assert large.SAMPLE == 50_000
