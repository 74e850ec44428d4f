"""A plugin for pytest: a test module of scikit-learn, run on our classes.

The module is imported once as it is, so that everything it needs is loaded with scikit-learn's own classes inside;
then the public names are swapped while pytest imports it a second time. Only the tests see ours.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import json
import sys
import types
from pathlib import Path
from typing import Any

import pytest
from sklearn.utils.metaestimators import available_if

import sumlearn

from tests.foreign import adapters
from tests.foreign.suites import Suite, load

WATCHED = ("fit", "partial_fit", "get_metadata_routing", "__sklearn_tags__")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--foreign", required=True, help="name of a list in tests/foreign/deselected")
    parser.addoption("--foreign-results", type=Path, help="write the outcome of every test to this file")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Judge(load(config.getoption("--foreign")), config.getoption("--foreign-results")))


class Judge:
    """Swaps the classes, knows the lists, and notes what became of every test."""

    def __init__(self, suite: Suite, results: Path | None) -> None:
        self.suite, self.results = suite, results
        self.listed: dict[str, tuple[str, Any]] = {}
        self.outcomes: dict[str, dict[str, str]] = {}
        self.used = False  # whether the running test has called one of our classes
        self.watch()

    def watch(self) -> None:
        def noted(method: Any) -> Any:
            @functools.wraps(method)
            def call(*args: Any, **kwargs: Any) -> Any:
                self.used = True
                return method(*args, **kwargs)

            return call

        for ours in self.classes().values():
            for name in WATCHED:
                own = inspect.getattr_static(ours, name, None)
                if hasattr(own, "check") and hasattr(own, "fn"):  # a method that is there for some parameters alone
                    setattr(ours, name, available_if(noted(own.check))(noted(own.fn)))
                elif own is not None:
                    setattr(ours, name, noted(getattr(ours, name)))

    def classes(self) -> dict[str, type]:
        """Ours by name; those that have another name here are in `adapters`."""
        names = [name for names in self.suite.swap.values() for name in names]
        return {name: getattr(adapters if hasattr(adapters, name) else sumlearn, name) for name in names}

    # -- collecting ---------------------------------------------------------------------------------------------------

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self, session: pytest.Session) -> Any:
        importlib.import_module(self.suite.module)
        del sys.modules[self.suite.module]
        with pytest.MonkeyPatch.context() as patch:
            for home, names in self.suite.swap.items():
                for name in names:
                    patch.setattr(f"{home}.{name}", self.classes()[name])
            return (yield)

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        for name, ours in self.classes().items():
            away = ours if self.suite.through else None  # it may be named through its home alone
            if any(getattr(item.module, name, away) is not ours for item in items):  # type: ignore[attr-defined]
                raise pytest.UsageError(f"{self.suite.module} does not use our {name}")
        for module in {item.module.__name__: item.module for item in items}.values():  # type: ignore[attr-defined]
            self.look_through(module)
            for name, value in self.suite.given.items():
                if not hasattr(module, name):
                    raise pytest.UsageError(f"{self.suite.module} has no {name}, which {self.suite.name}.toml gives")
                setattr(module, name, value)
        stale = self.suite.stale([item.name for item in items])
        if stale:
            raise pytest.UsageError(f"{self.suite.name}.toml names tests that do not exist: {', '.join(stale)}")
        dropped = []
        for item in items:
            found = self.suite.find(item.name)
            if found is None:
                continue
            kind, group = found
            self.listed[item.nodeid] = found
            if kind == "not_ours":
                dropped.append(item)
                self.note(item.nodeid, "not ours")
            else:
                item.add_marker(pytest.mark.xfail(reason=group.reason, strict=True))
        config.hook.pytest_deselected(items=dropped)
        items[:] = [item for item in items if item not in dropped]

    def look_through(self, module: types.ModuleType) -> None:
        """Let a test module see ours also where it goes through the module that is their home."""
        for home in self.suite.through:
            for name, value in list(vars(module).items()):
                if value is sys.modules[home]:
                    double = types.ModuleType(home)
                    double.__dict__.update(vars(value))
                    double.__dict__.update({kind: self.classes()[kind] for kind in self.suite.swap[home]})
                    setattr(module, name, double)

    # -- running ------------------------------------------------------------------------------------------------------

    def pytest_runtest_logstart(self) -> None:
        self.used = False

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
        report = yield
        if call.when == "call" and report.passed and not self.used:
            report.outcome = "failed"
            report.longrepr = "passes without using our classes: list it under not_ours"
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.note(report.nodeid, "failed")
        elif report.skipped:
            own = report.nodeid in self.listed and hasattr(report, "wasxfail")
            self.note(report.nodeid, "deselected" if own else "skipped")
        elif report.when == "call":
            self.note(report.nodeid, "passed")

    def note(self, nodeid: str, outcome: str) -> None:
        _, group = self.listed.get(nodeid, (None, None))
        category = group.category if group and outcome in ("not ours", "deselected") else ""
        self.outcomes[nodeid.partition("::")[2]] = {"outcome": outcome, "category": category}

    def pytest_sessionfinish(self) -> None:
        if self.results:
            self.results.write_text(json.dumps(self.outcomes), encoding="utf-8")
