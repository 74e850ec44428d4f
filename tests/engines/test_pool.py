"""Threads that stay: in order, never waiting for themselves, quiet after an error, new in a forked process."""

import os
import sys
import threading
import time

import numpy as np
import pytest

from sumlearn import LinearRegression
from sumlearn.engines import Serial, Threads, in_threads
from sumlearn.engines.pool import is_worker, pool
from sumlearn.statistics import Total, row_checks
from sumlearn.testing import assert_same_bits


def ones(_):
    return Total(np.ones(1), 1.0, 1)


def test_results_stand_in_the_order_of_the_items():
    def late(i):
        time.sleep(0.02 * (4 - i))
        return i

    assert in_threads(late, range(5), 3) == [0, 1, 2, 3, 4]


def test_the_threads_of_one_call_serve_the_next():
    seen = [set(in_threads(lambda _: (time.sleep(0.01), threading.get_ident())[1], range(8), 2)) for _ in range(3)]
    assert all(len(threads) == 2 for threads in seen)  # the caller is one of them
    assert threading.get_ident() in set.intersection(*seen)
    assert len(set.union(*seen)) <= 3  # a pool of two may send either of its own


def test_of_several_errors_the_first_item_has_its_way():
    def fail(i):
        time.sleep(0.05 if i == 0 else 0.0)
        raise RuntimeError(f"item {i}")

    with pytest.raises(RuntimeError, match="item 0"):
        in_threads(fail, range(2), 2)


def test_an_interrupt_of_the_caller_ends_the_others():
    caller, done = threading.get_ident(), []

    def work(i):
        if threading.get_ident() == caller:
            raise KeyboardInterrupt
        time.sleep(0.01)
        done.append(i)

    with pytest.raises(KeyboardInterrupt):
        in_threads(work, range(100), 2)
    assert len(done) < 10


def test_many_sums_leave_no_more_threads_than_one():
    Threads(3).reduce(ones, range(10))
    before = threading.active_count()
    for _ in range(20):
        Threads(3).reduce(ones, range(10))
    assert threading.active_count() == before


def test_work_inside_of_work_does_not_wait_for_itself():
    def inner(i):
        return Threads(2).reduce(ones, range(4)).weight + sum(in_threads(abs, [-i, -i], 2))

    assert in_threads(inner, range(6), 2) == [4.0 + 2 * i for i in range(6)]


def test_after_an_error_nothing_goes_on():
    done = []

    def work(i):
        if i == 0:
            raise RuntimeError("first")
        time.sleep(0.01)
        done.append(i)

    with pytest.raises(RuntimeError, match="first"):
        in_threads(work, range(50), 2)
    ended = list(done)
    time.sleep(0.1)
    assert done == ended
    assert len(done) < 49


def test_after_an_error_in_a_sum_nothing_goes_on():
    done = []

    def work(i):
        if i == 0:
            raise RuntimeError("first")
        time.sleep(0.02)
        done.append(i)
        return ones(i)

    with pytest.raises(RuntimeError, match="first"):
        Threads(2).reduce(work, range(50))
    ended = list(done)
    time.sleep(0.1)
    assert done == ended


def test_two_callers_share_the_threads_and_get_their_own_sums():
    found = {}

    def caller(number):
        found[number] = Threads(2).reduce(lambda i: Total(np.full(1, float(number)), 1.0, 1), range(40))

    callers = [threading.Thread(target=caller, args=(number,)) for number in range(4)]
    for thread in callers:
        thread.start()
    for thread in callers:
        thread.join()
    for number in range(4):
        expected = Serial().reduce(lambda i, number=number: Total(np.full(1, float(number)), 1.0, 1), range(40))
        assert_same_bits(found[number], expected)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own():
    in_threads(abs, range(4), 2)
    child = os.fork()
    if child == 0:
        code = 0 if in_threads(abs, [-1, -2, -3], 2) == [1, 2, 3] and not is_worker() else 1
        sys.stdout.flush()
        os._exit(code)
    assert os.waitpid(child, 0)[1] == 0


def test_large_work_arrays_do_not_stay():
    X = np.random.default_rng(0).standard_normal((9000, 200))
    LinearRegression(n_jobs=2).fit(X, X[:, 0])
    kept = [array.nbytes for buffers in row_checks._everyone for array in buffers.arrays.values()]
    assert max(kept, default=0) <= row_checks.KEPT
    LinearRegression(n_jobs=2).fit(X[:, :5], X[:, 0])
    assert any(buffers.arrays for buffers in row_checks._everyone)


def test_a_pool_has_as_many_threads_as_asked_for():
    assert pool(3)._max_workers == 3
    assert pool(3) is pool(3) is not pool(2)
