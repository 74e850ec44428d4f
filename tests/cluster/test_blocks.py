"""Dask arrays and data frames on the threads of this process: the fit of the same rows in memory."""

import os
import subprocess
import sys
import threading
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("dask")
import dask
import dask.array as da
import dask.dataframe as dd
from dask.delayed import Delayed

import sumlearn
from sumlearn import PCA, GaussianNB, LinearRegression, Ridge, RidgeCV, cross_validate
from sumlearn.data.collections import DaskSource
from sumlearn.testing import assert_same_model, assert_same_statistic

from tests.cluster.blocks import LABEL, NAMES, ROWS, SCORE, WEIGHT, X
from tests.cluster.parquet import TABLE, frames
from tests.files.tables import assert_same_fit
from tests.laws.discovered import CLASSIFIERS
from tests.laws.discovered import MATRIX_LEARNERS as LEARNERS
from tests.laws.discovered import MATRIX_REGRESSORS as REGRESSORS

TARGET = {kind: SCORE if kind in REGRESSORS else LABEL if kind in CLASSIFIERS else None for kind in LEARNERS}
each_learner = pytest.mark.parametrize("kind", LEARNERS, ids=lambda kind: kind.__name__)
FRAME = pd.DataFrame(X, columns=NAMES).assign(number=SCORE, label=LABEL, weight=WEIGHT)


@pytest.fixture(autouse=True)
def threads():
    with dask.config.set(scheduler="threads", num_workers=3):
        yield


def blocks(values, rows):
    return None if values is None else da.from_array(values, chunks=(rows, *values.shape[1:]))


def frame_of(cuts, frame=FRAME):
    """A data frame with partitions between those rows."""
    parts = [frame.iloc[start:stop] for start, stop in pairwise(cuts)]
    return dd.from_map(lambda part: part, parts, meta=frame.iloc[:0])


# -- the same bits ----------------------------------------------------------------------------------------------------


@pytest.mark.thinned(5)
@each_learner
@pytest.mark.parametrize("rows", [32_768, 65_536, 131_072, ROWS])
def test_blocks_of_whole_chunks_give_the_same_bits(kind, rows):
    y = TARGET[kind]
    assert_same_fit(kind().fit(blocks(X, rows), blocks(y, rows)), kind().fit(X, y))


def test_the_chunk_of_the_learner_decides():
    """8192 rows for least squares, not 4096 and not 12288."""
    wanted = LinearRegression().fit(X, SCORE).statistic_
    assert_same_fit(LinearRegression().fit(blocks(X, 8192), blocks(SCORE, 8192)), LinearRegression().fit(X, SCORE))
    for rows in (4096, 12_288):
        found = LinearRegression().fit(blocks(X, rows), blocks(SCORE, rows)).statistic_
        assert_same_statistic(found, wanted, 1e-12)


@pytest.mark.thinned(5)
@each_learner
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("rows", [4_999, 20_000])
def test_other_blocks_agree(kind, rows, weighted):
    """1e-12 of the statistic."""
    y, weight = TARGET[kind], WEIGHT if weighted else None
    model = kind().fit(blocks(X, rows), blocks(y, rows), blocks(weight, rows))
    expected = kind().fit(X, y, weight)
    assert_same_statistic(model.statistic_, expected.statistic_, 1e-12)
    assert_same_model(model, expected, X[:100], 1e-9)


@pytest.mark.thinned(3)
@each_learner
def test_weights_in_blocks(kind):
    y = TARGET[kind]
    model = kind().fit(blocks(X, 32_768), blocks(y, 32_768), blocks(WEIGHT, 32_768))
    assert_same_fit(model, kind().fit(X, y, WEIGHT))


@pytest.mark.parametrize("scheduler", ["sync", "threads"])
@pytest.mark.parametrize("workers", [1, 2, 5])
def test_the_number_of_threads_does_not_matter(scheduler, workers):
    with dask.config.set(scheduler=scheduler, num_workers=workers):
        model = LinearRegression().fit(blocks(X, 20_000), blocks(SCORE, 20_000))
    with dask.config.set(scheduler="sync"):
        assert_same_fit(model, LinearRegression().fit(blocks(X, 20_000), blocks(SCORE, 20_000)))


@pytest.mark.parametrize("number", [1, 2, 3, 5, 6, 7])
def test_any_number_of_blocks(number):
    rows = slice(0, number * 8192)
    model = Ridge().fit(blocks(X[rows], 8192), blocks(SCORE[rows], 8192))
    assert_same_fit(model, Ridge().fit(X[rows], SCORE[rows]))


# -- Parquet ----------------------------------------------------------------------------------------------------------


OFTEN = ("row groups", "many files", "a filter")
SELDOM = ("one file", "some row groups", "a pattern", "small blocks", "an expression")


@pytest.mark.parametrize("form", [*OFTEN, *(pytest.param(form, marks=pytest.mark.slow) for form in SELDOM)])
def test_columns_of_parquet_come_from_the_same_partitions(tmp_path, form):
    frame = frames(tmp_path)[form]
    features, y, w = TABLE[list("abcd")], TABLE["y"], TABLE["w"]
    expected, weighted = Ridge().fit(features, y).coef_, Ridge().fit(features, y, w).coef_
    X, plain = frame[list("abcd")], frame.drop(columns=["kind", "w"])
    for model in (Ridge().fit(plain, "y"), Ridge().fit(X, frame["y"])):
        np.testing.assert_allclose(model.coef_, expected, rtol=1e-12)
    for model in (Ridge().fit(frame.drop(columns="kind"), "y", "w"), Ridge().fit(X, frame["y"], frame["w"])):
        np.testing.assert_allclose(model.coef_, weighted, rtol=1e-12)
    found = GaussianNB().fit(frame.drop(columns=["y", "w"]), "kind")
    np.testing.assert_allclose(found.theta_, GaussianNB().fit(features, TABLE["kind"]).theta_, rtol=1e-12)


# -- data frames ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["name", "series", "array"])
def test_a_target_by_name_as_series_or_as_array(how):
    cuts = [*range(0, ROWS, 32_768), ROWS]
    frame = frame_of(cuts, FRAME[[*NAMES, "number"]])
    features = frame[NAMES]
    y = {"name": "number", "series": frame["number"], "array": frame["number"].to_dask_array()}[how]
    model = LinearRegression().fit(frame if how == "name" else features, y)
    assert_same_fit(model, LinearRegression().fit(X, SCORE))
    assert list(model.feature_names_in_) == NAMES


def test_labels_and_weights_of_a_data_frame():
    cuts = [*range(0, ROWS, 32_768), ROWS]
    frame = frame_of(cuts)
    model = GaussianNB().fit(frame[[*NAMES, "label"]], "label", frame["weight"])
    assert_same_fit(model, GaussianNB().fit(X, LABEL, WEIGHT))


def test_categories_as_labels():
    frame = FRAME[[*NAMES, "label"]].astype({"label": "category"})
    assert_same_fit(
        GaussianNB().fit(frame_of([*range(0, ROWS, 32_768), ROWS], frame), "label"), GaussianNB().fit(X, LABEL)
    )


def test_several_targets():
    Y = np.column_stack([SCORE, X[:, 0] ** 2])
    wanted = LinearRegression().fit(X, Y)
    assert_same_fit(LinearRegression().fit(blocks(X, 32_768), blocks(Y, 32_768)), wanted)
    assert wanted.coef_.shape == (2, 3)
    cut = da.from_array(Y, chunks=(32_768, 1))  # also where the columns lie apart
    assert_same_fit(LinearRegression().fit(da.from_array(X, chunks=(32_768, 2)), cut), wanted)


def test_float32_stays_float32():
    narrow = X.astype(np.float32)
    model = Ridge().fit(blocks(narrow, 32_768), blocks(SCORE, 32_768))
    assert_same_fit(model, Ridge().fit(narrow, SCORE))
    assert model.coef_.dtype == np.float32
    frame = frame_of([0, ROWS], pd.DataFrame(narrow, columns=NAMES))
    assert PCA().fit(frame).components_.dtype == np.float32


@pytest.mark.thinned(3)
@each_learner
def test_empty_partitions(kind):
    """At the beginning, in the middle, at the end: as if they were not there."""
    name = {"number": "number", "label": "label", None: None}[kind.target]
    frame = FRAME[[*NAMES, *([name] if name else [])]]
    cuts = [0, 0, 0, 32_768, 65_536, 65_536, ROWS, ROWS]
    full = [0, 32_768, 65_536, ROWS]
    model = kind().fit(frame_of(cuts, frame), name)
    expected = kind().fit(frame_of(full, frame), name)
    assert_same_statistic(model.statistic_, expected.statistic_, 1e-12)
    assert model.statistic_.rows == ROWS
    assert_same_model(model, expected, FRAME[NAMES][:100], 1e-9)


def test_empty_blocks_of_an_array():
    inside = blocks(X, 32_768)
    keep = inside[inside[:, 1] > 1e4]  # sizes that Dask does not know
    known = X[:, 1] > 1e4
    y = blocks(SCORE, 32_768)[inside[:, 1] > 1e4]
    expected = LinearRegression().fit(X[known], SCORE[known])
    assert_same_statistic(LinearRegression().fit(keep, y).statistic_, expected.statistic_, 1e-12)
    nothing = inside[inside[:, 1] > 1e9]
    with pytest.raises(ValueError, match="there are no rows to add up"):
        LinearRegression().fit(nothing, blocks(SCORE, 32_768)[inside[:, 1] > 1e9])


def test_more_and_less():
    half = 65_536
    model = LinearRegression().fit(blocks(X[:half], 8192), blocks(SCORE[:half], 8192))
    wanted = LinearRegression().fit(X[:half], SCORE[:half])
    model.partial_fit(blocks(X[half:], 8192), blocks(SCORE[half:], 8192))
    assert_same_fit(model, wanted.partial_fit(X[half:], SCORE[half:]))
    model.forget(blocks(X[half:], 8192), blocks(SCORE[half:], 8192))
    assert_same_fit(model, wanted.forget(X[half:], SCORE[half:]))


# -- what is refused --------------------------------------------------------------------------------------------------


def with_value(values, row, value):
    values = values.copy()
    values[row] = value
    return values


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_bad_value_is_named_by_block_and_row(bad):
    """Row 45,000 is the 5,000th of the third block."""
    good = [X, SCORE, WEIGHT + 1.0]
    for position, name in enumerate(["X", "y", "sample_weight"]):
        given = list(good)
        row = (45_000, 1) if name == "X" else 45_000
        given[position] = with_value(good[position], row, bad)
        model = LinearRegression()
        with pytest.raises(ValueError, match=rf"{name} contains .*row 5000 of block 2"):
            model.fit(*(blocks(part, 20_000) for part in given))
        assert not hasattr(model, "statistic_")


def test_a_bad_value_of_a_data_frame_is_named_by_column():
    frame = frame_of([0, 20_000, 40_000, ROWS], FRAME[[*NAMES, "number"]].assign(b=with_value(X[:, 1], 45_000, np.nan)))
    with pytest.raises(ValueError, match="row 5000 of block 2, column 'b'"):
        LinearRegression().fit(frame, "number")


@pytest.mark.parametrize("missing", [None, np.nan])
def test_a_missing_label(missing):
    labels = with_value(LABEL.astype(object), 45_000, missing)
    with pytest.raises(ValueError, match="y contains NaN.*row 5000 of block 2"):
        GaussianNB().fit(blocks(X, 20_000), blocks(labels, 20_000))
    numbers = with_value((LABEL == "low").astype(float), 45_000, np.nan)
    with pytest.raises(ValueError, match="y contains NaN.*row 5000 of block 2"):
        GaussianNB().fit(blocks(X, 20_000), blocks(numbers, 20_000))


def test_numbers_that_are_no_labels():
    with pytest.raises(ValueError, match="Unknown label type: continuous.*row 0 of block [01] holds"):
        GaussianNB().fit(blocks(X[:100], 50), blocks(SCORE[:100], 50))


def test_labels_in_a_column():
    for labels in (LABEL, LABEL == "low"):
        column = blocks(labels[:, None], 32_768)
        assert_same_fit(GaussianNB().fit(blocks(X, 32_768), column), GaussianNB().fit(X, labels))


def test_the_target_is_no_feature_of_a_projection():
    """As with a data frame in memory."""
    model = PCA().fit(frame_of([0, ROWS], FRAME[[*NAMES, "number"]]), "number")
    assert list(model.feature_names_in_) == NAMES


def test_rows_are_not_read_here():
    source = DaskSource(blocks(X, 20_000), blocks(SCORE, 20_000), None, "number")
    with pytest.raises(ValueError, match="the rows of a Dask collection stay on its cluster"):
        list(source.chunks())


def test_a_ledger_of_blocks():
    """Its rows are fingerprinted where they lie."""
    model = LinearRegression().keep_ledger().fit(blocks(X, 20_000), blocks(SCORE, 20_000))
    assert model.verify(X, SCORE)
    assert model.verify(blocks(X, 8192), blocks(SCORE, 8192))
    assert not model.verify(X[1:], SCORE[1:])


def test_text_among_the_features():
    frame = frame_of([0, 20_000, ROWS], FRAME[["a", "label", "number"]])
    with pytest.raises(ValueError, match="column 'label' holds text values, not numbers"):
        LinearRegression().fit(frame, "number")


def test_blocks_that_are_cut_otherwise():
    with pytest.raises(ValueError, match="X has 9 blocks of rows and y has 17: they must be cut alike"):
        LinearRegression().fit(blocks(X, 20_000), blocks(SCORE, 10_000))
    with pytest.raises(ValueError, match="X has 9 blocks of rows and sample_weight has 17"):
        LinearRegression().fit(blocks(X, 20_000), blocks(SCORE, 20_000), blocks(WEIGHT, 10_000))
    moved = da.from_array(SCORE, chunks=((10_000, 30_000, ROWS - 40_000),))
    with pytest.raises(ValueError, match="block 0 has 20000 rows in X and 10000 in y: they must be cut alike"):
        LinearRegression().fit(da.from_array(X, chunks=((20_000, 20_000, ROWS - 40_000), 3)), moved)


def test_partitions_that_are_cut_otherwise():
    """Dask does not know their rows, so a worker finds it."""
    frame, moved = frame_of([0, 20_000, ROWS]), frame_of([0, 10_000, ROWS])
    with pytest.raises(ValueError, match="block [01]: .*inconsistent numbers of samples"):
        LinearRegression().fit(frame[NAMES], moved["number"])


def test_other_kinds_of_y():
    with pytest.raises(TypeError, match="X is a Dask collection, so y must be one too, got ndarray"):
        LinearRegression().fit(blocks(X, 20_000), SCORE)
    with pytest.raises(TypeError, match="so sample_weight must be one too, got ndarray"):
        LinearRegression().fit(blocks(X, 20_000), blocks(SCORE, 20_000), WEIGHT)
    with pytest.raises(ValueError, match="no column 'numbr' in X; did you mean 'number'"):
        LinearRegression().fit(frame_of([0, ROWS]), "numbr")
    with pytest.raises(ValueError, match="requires y to be passed"):
        LinearRegression().fit(blocks(X, 20_000))
    with pytest.raises(ValueError, match="two-dimensional"):
        PCA().fit(blocks(SCORE, 20_000))


def test_other_columns_than_those_of_the_fit():
    model = LinearRegression().fit(frame_of([0, ROWS], FRAME[[*NAMES, "number"]]), "number")
    before = model.statistic_
    with pytest.raises(ValueError, match="columns"):
        model.partial_fit(frame_of([0, ROWS], FRAME[["a", "b", "weight", "number"]]), "number")
    with pytest.raises(ValueError, match="features"):
        LinearRegression().fit(X, SCORE).partial_fit(blocks(X[:, :2], 8192), blocks(SCORE, 8192))
    assert model.statistic_ is before


def test_rows_of_a_cluster_are_numbered_for_splits():
    """tests/evaluation/resampling/test_streams.py has more."""
    given = blocks(X, 20_000), blocks(SCORE, 20_000)
    for learner in (RidgeCV(cv=3), RidgeCV()):
        expected = learner.fit(X, SCORE).coef_
        assert learner.fit(*given).coef_ == pytest.approx(expected, rel=1e-9)
    expected = cross_validate(LinearRegression(), X, SCORE, cv=3)["test_score"]
    assert cross_validate(LinearRegression(), *given, cv=3)["test_score"] == pytest.approx(expected, rel=1e-9)


def test_a_block_that_fails_leaves_the_model_as_it_was():
    model = LinearRegression().fit(blocks(X, 20_000), blocks(SCORE, 20_000))
    state = dict(model.__dict__)

    def failing(block, block_info=None):
        if block_info and block_info[0]["chunk-location"][0] == 3:
            raise OSError("the disk is gone")
        return block

    broken = blocks(X, 20_000).map_blocks(failing, dtype=float, meta=np.empty((0, 3)))
    for method in (model.fit, model.partial_fit, model.forget):
        with pytest.raises(OSError, match="the disk is gone"):
            method(broken, blocks(SCORE, 20_000))
        assert all(model.__dict__[name] is value for name, value in state.items())


# -- where rows are ---------------------------------------------------------------------------------------------------


def test_rows_stay_in_the_tasks(monkeypatch):
    """What comes back to the caller is a sum; a block is read once, in a thread of the scheduler."""
    seen, returned = [], []

    def noted(block, block_info=None):
        if block_info:
            seen.append((block_info[0]["chunk-location"][0], threading.current_thread() is threading.main_thread()))
        return block

    compute = Delayed.compute

    def spy(self, **options):
        result = compute(self, **options)
        returned.append(result)
        return result

    monkeypatch.setattr(Delayed, "compute", spy)
    given = blocks(X, 20_000).map_blocks(noted, dtype=float, meta=np.empty((0, 3)))
    model = LinearRegression().fit(given, blocks(SCORE, 20_000))
    assert sorted(seen) == [(i, False) for i in range(9)]
    assert len(returned) == 1 and returned[0] is model.statistic_


def test_the_learner_is_sent_once():
    """A source is sent without its graph, and the tasks of all blocks share one summary."""
    import pickle

    from sumlearn.data.collections import DaskSource
    from sumlearn.engines.cluster import Cluster

    source = DaskSource(blocks(X, 1_000), blocks(SCORE, 1_000), None)
    assert len(pickle.dumps(source)) < 1_000
    sent = []

    class Summary:
        def __reduce__(self):
            sent.append(1)
            return Summary, ()

        def __call__(self, part):
            return sumlearn.statistics.Moments.of(part.X, part.y)

    assert Cluster().reduce(Summary(), source.parts()).rows == ROWS
    assert len(sent) <= 3  # to name it, not once for each of 165 blocks


NOTHING_OF_DASK = """
import sys
import numpy as np, pandas as pd
from sumlearn import GaussianNB, LinearRegression, cross_validate
X, y = np.random.default_rng(0).standard_normal((40, 2)), np.arange(40.0)
LinearRegression().fit(X, y)
LinearRegression().fit(pd.DataFrame(X, columns=["a", "b"]).assign(y=y), "y")
GaussianNB().fit(X, y > 20)
cross_validate(LinearRegression(), X, y)
print(sorted(name for name in sys.modules if name.partition(".")[0] in ("dask", "distributed")))
"""


def test_nothing_of_dask_is_loaded_without_a_collection():
    environment = os.environ | {"PYTHONPATH": str(Path(sumlearn.__file__).parents[1])}
    ended = subprocess.run([sys.executable, "-c", NOTHING_OF_DASK], capture_output=True, text=True, env=environment)
    assert ended.stdout.strip() == "[]", ended.stderr
