"""One method, reduce: the same bits whoever adds, errors that leave nothing behind, BLAS as it was."""

import threading

import numpy as np
import pytest
from threadpoolctl import threadpool_info

import sumlearn.engines.engine as engine_module
from sumlearn import GaussianNB, LinearRegression
from sumlearn.data import Chunk, chunk_rows, open_source
from sumlearn.engines import Serial, Threads, one_blas_thread
from sumlearn.engines.engine import MergeTree
from sumlearn.learners import Roads
from sumlearn.statistics import Grouped, Moments, Pooled, Total
from sumlearn.testing import assert_same_bits

from tests.laws.discovered import MATRIX_LEARNERS as LEARNERS
from tests.laws.discovered import supervised, target

D = 5
ROWS = 23 * 4096 + 321
rng = np.random.default_rng(0)
X = rng.standard_normal((ROWS, D)) + np.array([0.0, 3.0, 1e3, -1e6, 1e9])
LABELS = rng.integers(0, 3, ROWS)

SUMMARIES = {
    "moments": lambda c: Moments.of(c.X),
    "with target": lambda c: Moments.of(c.X, c.y),
    "grouped": lambda c: Grouped.of(c.X, c.y, form="diagonal"),
    "pooled": lambda c: Pooled.of(c.X, c.y),
}
ENGINES = {"1 thread": Threads(1), "2 threads": Threads(2), "4 threads": Threads(4), "default": Threads()}
each_engine = pytest.mark.parametrize("engine", [Serial(), *ENGINES.values()], ids=["serial", *ENGINES])


def chunks(rows=slice(None)):
    return open_source(X[rows], LABELS[rows]).chunks()


@pytest.mark.parametrize("summary", SUMMARIES)
def test_worker_count_does_not_change_the_bits(summary):
    expected = Serial().reduce(SUMMARIES[summary], chunks())
    for engine in ENGINES.values():
        assert_same_bits(engine.reduce(SUMMARIES[summary], chunks()), expected)


@pytest.mark.parametrize("number", [1, 2, 3, 63, 64, 65, 71, 72, 73, 100, 129, 200])
def test_bits_agree_for_any_number_of_chunks(number):
    """Across the border at which threads take several chunks at a time; floating sums tell every other tree."""
    values = np.random.default_rng(1).standard_normal((number, 3))

    def summarise(i):
        return Total(values[i], 1.0, 1)

    expected = Serial().reduce(summarise, range(number))
    for workers in (2, 3, 4):
        assert_same_bits(Threads(workers).reduce(summarise, range(number)), expected)


def test_order_of_arrival_does_not_matter():
    """Later chunks finish first: the tree goes by number."""
    gate = threading.Event()

    def slow_first(i):
        if i == 0:
            gate.wait(5)
        if i == 5:
            gate.set()
        return Total(np.array([0.1 * (i + 1)]), 1.0, 1)

    found = Threads(4).reduce(slow_first, range(9))
    assert gate.is_set()
    assert_same_bits(found, Serial().reduce(lambda i: Total(np.array([0.1 * (i + 1)]), 1.0, 1), range(9)))


@pytest.mark.parametrize("power", [0, 1, 2, 3, 4])
def test_blocks_summed_elsewhere_give_the_bits_of_the_local_engine(power):
    size = 4096 * 2**power
    assert chunk_rows(D) == 4096
    tree = MergeTree()
    for start in range(0, ROWS, size):
        part = slice(start, min(start + size, ROWS))
        full = len(range(*part.indices(ROWS))) == size
        block = Serial().reduce(SUMMARIES["moments"], chunks(part))
        rest = -(-(part.stop - part.start) // 4096)
        tree.push(block, level=power if full else (rest - 1).bit_length())
    assert_same_bits(tree.total(), Threads(2).reduce(SUMMARIES["moments"], chunks()))


def test_models_fitted_on_blocks_have_the_bits_of_one_fit():
    y = X[:, 0] + rng.standard_normal(ROWS)
    size = chunk_rows(D, LinearRegression.chunk_factor)
    assert size % 4096 == 0
    rows = 4 * size
    assert rows <= ROWS
    blocks = [LinearRegression().fit(X[i : i + size], y[i : i + size]) for i in range(0, rows, size)]
    while len(blocks) > 1:
        blocks = [a + b for a, b in zip(blocks[::2], blocks[1::2], strict=True)]
    assert_same_bits(blocks[0].statistic_, LinearRegression().fit(X[:rows], y[:rows]).statistic_)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("kind", LEARNERS, ids=lambda kind: kind.__name__)
def test_fits_with_any_number_of_threads_have_the_same_bits(kind, monkeypatch):
    y = target(kind, X)
    found = []
    for workers in (1, 2, 4):
        monkeypatch.setattr(engine_module, "cores", lambda workers=workers: workers)
        found.append(kind().fit(X, y).statistic_)
    for other in found[1:]:
        assert_same_bits(found[0], other)


def test_n_jobs_is_the_number_of_threads(monkeypatch):
    asked, pool = [], engine_module.pool

    def recording(workers):
        asked.append(workers)
        return pool(workers)

    monkeypatch.setattr(engine_module, "pool", recording)
    LinearRegression(n_jobs=3).fit(X, X[:, 0])
    assert asked == [3]
    LinearRegression(n_jobs=1).fit(X, X[:, 0])
    assert asked == [3]
    monkeypatch.setattr(engine_module, "cores", lambda: 2)
    LinearRegression().fit(X, X[:, 0])
    assert asked == [3, 2]


def test_no_chunk_is_an_error():
    for engine in (Serial(), Threads(2)):
        with pytest.raises(ValueError, match="no chunks"):
            engine.reduce(lambda c: c, [])


# -- errors ---------------------------------------------------------------------------------------------------------


class Broken(Exception):
    pass


@each_engine
@pytest.mark.parametrize("bad", [0, 1, 40, 99])
def test_an_error_in_a_chunk_comes_out(engine, bad):
    def summarise(i):
        if i == bad:
            raise Broken(i)
        return Total(np.ones(1), 1.0, 1)

    with pytest.raises(Broken, match=str(bad)):
        engine.reduce(summarise, range(100))


@each_engine
def test_an_error_while_reading_comes_out(engine):
    def chunks_that_break():
        yield from range(70)
        raise Broken("file")

    with pytest.raises(Broken, match="file"):
        engine.reduce(lambda i: Total(np.ones(1), 1.0, 1), chunks_that_break())


@each_engine
def test_keyboard_interrupt_comes_out(engine):
    def summarise(i):
        if i == 3:
            raise KeyboardInterrupt
        return Total(np.ones(1), 1.0, 1)

    with pytest.raises(KeyboardInterrupt):
        engine.reduce(summarise, range(10))


def way_of(kind):
    """The class that makes the sums of a kind of learner: its own, or that of its road."""
    return type(kind().road()) if issubclass(kind, Roads) else kind


@pytest.mark.parametrize("kind", LEARNERS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("method", ["fit", "partial_fit", "forget"])
def test_an_error_in_a_late_chunk_leaves_the_estimator_unchanged(kind, method, monkeypatch):
    rows = 6 * chunk_rows(D, way_of(kind).chunk_factor)
    Z = np.resize(X, (rows, D))
    y = target(kind, Z)
    model = kind().fit(Z[:500], None if y is None else y[:500])
    before = dict(vars(model))
    one_way = way_of(kind)
    summarise, seen = one_way.summarise, []

    def breaks(self, chunk: Chunk, look):
        seen.append(len(chunk.X))
        if len(seen) > 2:
            raise Broken("late")
        return summarise(self, chunk, look)

    monkeypatch.setattr(one_way, "summarise", breaks)
    with pytest.raises(Broken):
        getattr(model, method)(Z, y)
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[name] is value for name, value in before.items())


@pytest.mark.parametrize("kind", LEARNERS, ids=lambda kind: kind.__name__)
def test_an_unfitted_estimator_stays_unfitted_after_an_error(kind, monkeypatch):
    def breaks(self, chunk, look):
        raise Broken

    monkeypatch.setattr(way_of(kind), "summarise", breaks)
    model = kind()
    for method in (model.fit, model.partial_fit):
        with pytest.raises(Broken):
            method(X[:100], target(kind, X[:100]) if supervised(kind) else None)
        assert vars(model) == vars(kind())


# -- BLAS threads ---------------------------------------------------------------------------------------------------


def blas_threads():
    return [(i["filepath"], i["num_threads"]) for i in threadpool_info() if i["user_api"] == "blas"]


@pytest.fixture
def two_blas_threads():
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=2, user_api="blas"):
        assert blas_threads() and all(number == 2 for _, number in blas_threads())
        yield


@each_engine
def test_blas_is_held_at_one_and_given_back(engine, two_blas_threads):
    inside = []

    def summarise(i):
        inside.append(blas_threads())
        return Total(np.ones(1), 1.0, 1)

    before = blas_threads()
    engine.reduce(summarise, range(10))
    assert all(number == 1 for found in inside for _, number in found)
    assert blas_threads() == before


@each_engine
def test_blas_is_given_back_after_an_error(engine, two_blas_threads):
    def breaks(i):
        raise Broken

    before = blas_threads()
    with pytest.raises(Broken):
        engine.reduce(breaks, range(10))
    assert blas_threads() == before


def test_blas_stays_at_one_until_the_outermost_leaves(two_blas_threads):
    with one_blas_thread():
        with one_blas_thread():
            pass
        assert all(number == 1 for _, number in blas_threads())
        LinearRegression().fit(X[:20_000], X[:20_000, 0])
        assert all(number == 1 for _, number in blas_threads())
    assert all(number == 2 for _, number in blas_threads())


def test_concurrent_fits_give_blas_back_and_the_same_model(two_blas_threads):
    expected = GaussianNB().fit(X[:30_000], LABELS[:30_000]).statistic_
    found = []

    def work():
        for _ in range(5):
            found.append(GaussianNB().fit(X[:30_000], LABELS[:30_000]).statistic_)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 20
    for statistic in found:
        assert_same_bits(statistic, expected)
    assert all(number == 2 for _, number in blas_threads())
