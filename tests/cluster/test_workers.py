"""A cluster of processes: the same bits for any number of them, also when one is killed."""

import os
import signal
import threading
import time

import numpy as np
import pytest

pytest.importorskip("distributed")
import dask
import dask.array as da

from sumlearn import GaussianNB, LinearRegression, Ridge
from sumlearn.engines import cluster
from sumlearn.statistics import Moments

from tests.cluster.blocks import LABEL, ROWS, SCORE, X, local_cluster, scaled
from tests.cluster.parquet import TABLE, frames
from tests.files.tables import assert_same_fit

BLOCK = 32_768


def blocks(values, rows=BLOCK):
    return da.from_array(values, chunks=(rows, *values.shape[1:]))


def noted(block, folder=None, pause=0.0, block_info=None):
    """The block, and a note of who read it."""
    if block_info:
        number = block_info[0]["chunk-location"][0]
        with open(os.path.join(folder, f"{os.getpid()}-{number}-{time.time_ns()}"), "w"):
            time.sleep(pause)
    return block


def watched(folder, pause=0.0, rows=BLOCK):
    return blocks(X, rows).map_blocks(noted, folder=str(folder), pause=pause, dtype=float, meta=np.empty((0, 3)))


def notes(folder):
    """(process, block) of every reading so far."""
    return [tuple(map(int, name.split("-")[:2])) for name in os.listdir(folder)]


@pytest.fixture(scope="module")
def client():
    with local_cluster() as client:
        yield client


@pytest.mark.parametrize("workers", [2, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 4))])
def test_the_number_of_workers_does_not_matter(client, tmp_path, workers):
    pids = scaled(client, workers)
    model = LinearRegression().fit(watched(tmp_path, pause=0.05), blocks(SCORE))
    assert_same_fit(model, LinearRegression().fit(X, SCORE))
    readers = {pid for pid, _ in notes(tmp_path)}
    assert readers <= pids and os.getpid() not in readers  # rows are read by workers, never here
    assert sorted(block for _, block in notes(tmp_path)) == list(range(6))  # each block once
    assert_same_fit(GaussianNB().fit(blocks(X), blocks(LABEL)), GaussianNB().fit(X, LABEL))
    odd = LinearRegression().fit(blocks(X, 20_000), blocks(SCORE, 20_000))
    with dask.config.set(scheduler="threads"):
        assert_same_fit(odd, LinearRegression().fit(blocks(X, 20_000), blocks(SCORE, 20_000)))


def test_parquet_on_two_workers(client, tmp_path):
    scaled(client, 2)
    expected = Ridge().fit(TABLE[list("abcd")], TABLE["y"])
    given = frames(tmp_path)
    for form in ("row groups", "many files"):
        model = Ridge().fit(given[form].drop(columns=["kind", "w"]), "y")
        np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-12, err_msg=form)


def test_workers_of_another_version_are_refused(client, monkeypatch):
    monkeypatch.setattr(cluster, "__version__", "99.0")
    monkeypatch.setattr(cluster, "ALIKE", set())
    with pytest.raises(ValueError, match=r"the worker tcp://.* has sumlearn \d.*, here is 99\.0: install"):
        LinearRegression().fit(blocks(X), blocks(SCORE))


def test_only_a_sum_comes_back(client, monkeypatch):
    """What the caller receives is some hundred numbers, whatever the number of rows."""
    received = []
    gather = client.gather

    def spy(futures, *arguments, **options):
        result = gather(futures, *arguments, **options)
        received.append(result)
        return result

    monkeypatch.setattr(client, "gather", spy)
    model = LinearRegression().fit(blocks(X), blocks(SCORE))
    assert len(received) == 1
    (total,) = received[0] if isinstance(received[0], list) else received
    assert isinstance(total, Moments) and total.rows == ROWS
    assert total is model.statistic_


def test_a_bad_value_on_a_worker(client):
    """The error of a worker is the error of the caller, with block and row."""
    bad = X.copy()
    bad[45_000, 1] = np.nan
    model = LinearRegression().fit(X, SCORE)
    before = model.statistic_
    with pytest.raises(ValueError, match="X contains NaN: first at row 5000 of block 2, column 1"):
        model.fit(blocks(bad, 20_000), blocks(SCORE, 20_000))
    assert model.statistic_ is before


def test_a_worker_killed_in_the_middle(client, tmp_path):
    """Its blocks are summed again by another one, with the same bits."""
    pids = scaled(client, 2)
    killed = []

    def kill():
        """As soon as both have read a block and one of them is at its third."""
        end = time.monotonic() + 30
        while time.monotonic() < end and not killed:
            done = [pid for pid, _ in notes(tmp_path)]
            busy = [pid for pid in pids if done.count(pid) >= 3]
            if len(set(done)) == 2 and busy:
                os.kill(busy[0], signal.SIGKILL)
                killed.append(busy[0])
            time.sleep(0.01)

    killer = threading.Thread(target=kill)
    killer.start()
    model = LinearRegression().fit(watched(tmp_path, pause=0.2, rows=8192), blocks(SCORE, 8192))
    killer.join()
    assert killed, "the pass ended before a worker could be killed"
    read = [block for _, block in notes(tmp_path)]
    assert set(read) == set(range(-(-ROWS // 8192)))
    assert len(read) > len(set(read))  # something was lost, and read again
    assert_same_fit(model, LinearRegression().fit(X, SCORE))
