"""Settings that all tests share: what is drawn, and what may be skipped."""

import random
import zlib

import numpy as np
import pytest

from tests import draws, skips

draws.register_profiles()


@pytest.fixture(autouse=True)
def shared_generators(request: pytest.FixtureRequest) -> None:
    """Who asks NumPy or Python for numbers without a seed gets those of the test's name, in any order of tests."""
    seed = zlib.crc32(request.node.nodeid.encode())
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):
    return skips.judged((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector):
    return skips.judged((yield))
