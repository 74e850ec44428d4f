"""A plugin for pytest: one round of drawn tests, with a seed of its own.

Drawn are the tests of Hypothesis, and those with a parameter `seed`, which is moved to where nobody has been. A test
that speaks of what is likely, not of what is always so, is marked `chance` and keeps its seed.
"""

from __future__ import annotations

import json
import random
import time
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis.internal.detection import is_hypothesis_test

from tests import draws

STRIDE = 1000  # between the seeds of one round and the next


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("fuzz")
    group.addoption("--fuzz-seed", type=int, required=True, help="what the round is drawn from")
    group.addoption("--fuzz-factor", type=int, default=1, help="times as many examples as every day")
    group.addoption("--fuzz-until", type=float, help="start no test after this time, in seconds since 1970")
    group.addoption("--fuzz-results", type=Path, help="write what failed to this file")


def pytest_configure(config: pytest.Config) -> None:
    draws.register_profiles()
    settings.load_profile("fuzz")
    config.pluginmanager.register(Round(config), "round of fuzz")


class Round:
    """Keeps the drawn tests, in an order of the round's own, and notes what fails."""

    def __init__(self, config: pytest.Config) -> None:
        self.seed, self.factor = config.getoption("--fuzz-seed"), config.getoption("--fuzz-factor")
        self.until = config.getoption("--fuzz-until")
        # workers report to whoever started them, who writes
        self.results = None if hasattr(config, "workerinput") else config.getoption("--fuzz-results")
        self.ran = 0
        self.failures: list[dict[str, str]] = []

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        drawn = [item for item in items if self.redrawn(item)]
        config.hook.pytest_deselected(items=[item for item in items if item not in set(drawn)])
        random.Random(self.seed).shuffle(drawn)  # the same order on every worker
        items[:] = drawn

    def redrawn(self, item: pytest.Item) -> bool:
        """Whether a test is drawn; how it is, is set."""
        test = getattr(item, "obj", None)
        if test is not None and is_hypothesis_test(test):
            usual = getattr(test, "_hypothesis_internal_use_settings", None) or settings.default
            more = settings(usual, max_examples=self.factor * usual.max_examples)
            function = getattr(test, "__func__", test)
            # one function serves all its parameters: it is told once
            if not hasattr(function, "fuzzed"):
                function._hypothesis_internal_use_settings, function.fuzzed = more, True
            return True
        parameters = item.callspec.params if hasattr(item, "callspec") else {}
        if isinstance(parameters.get("seed"), int) and not item.get_closest_marker("chance"):
            parameters["seed"] += STRIDE * (self.seed % 1_000_000)
            return True
        return False

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        if self.until and time.time() > self.until:
            pytest.skip("the time is over")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.ran += report.when == "call" and not report.skipped
        if report.failed:
            self.failures.append({"test": report.nodeid, "text": report.longreprtext})

    def pytest_sessionfinish(self) -> None:
        if self.results:
            found = {"ran": self.ran, "failures": self.failures}
            self.results.write_text(json.dumps(found), encoding="utf-8")
