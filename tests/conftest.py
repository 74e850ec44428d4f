"""Settings that all tests share: what is drawn, and what may be skipped."""

import gc
import random
import signal
import threading
import zlib

import numpy as np
import pytest

from tests import draws, skips

draws.register_profiles()


def pytest_sessionstart() -> None:
    """Who starts tests in the background of a shell lets them ignore Ctrl-C; programs in the tests press it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Tests and modules live to the end: the garbage collector need not look through them again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def shared_generators(request: pytest.FixtureRequest) -> None:
    """Who asks NumPy or Python for numbers without a seed gets those of the test's name, in any order of tests."""
    seed = zlib.crc32(request.node.nodeid.encode())
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of a test that is `thinned(k)`, every k-th combination of its parameters is left to `make test`, in turn.

    The positions of the values of all parameters are added, so that every value of every parameter comes up as long as
    another one has k values; all other combinations are `slow`.
    """
    seen: dict[tuple[str, str], dict[int, int]] = {}  # by test and parameter: values, in the order in which they come
    for item in items:
        mark = item.get_closest_marker("thinned")
        if mark is None:
            continue
        places = [
            values.setdefault(id(value), len(values))
            for name, value in item.callspec.params.items()
            for values in [seen.setdefault((item.nodeid.partition("[")[0], name), {})]
        ]
        if sum(places) % mark.args[0]:
            item.add_marker(pytest.mark.slow)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):
    return skips.judged((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector):
    return skips.judged((yield))
