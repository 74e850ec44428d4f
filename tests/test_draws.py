"""The same examples are drawn everywhere; a skip for a missing package is a failure where it must be; fuzz finds."""

import os
import random
import re
import subprocess
import sys
import types
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import conftest, skips

ROOT = Path(__file__).parents[1]


def drawn():
    examples = []

    @settings(max_examples=200)
    @given(st.lists(st.one_of(st.integers(), st.floats()), max_size=6), st.integers(0, 10**6))
    def test(numbers, seed):
        examples.append((numbers, seed))

    test()
    return examples


def test_draws_do_not_depend_on_what_is_loaded(monkeypatch, tmp_path):
    """Neither on the run, nor on the constants of a module that has been imported meanwhile."""
    first = drawn()
    module = types.ModuleType("full_of_numbers")
    module.__file__ = str(tmp_path / "full_of_numbers.py")
    Path(module.__file__).write_text("\n".join(f"x{k} = {k * 7919}" for k in range(400)), encoding="utf-8")
    monkeypatch.setitem(sys.modules, "full_of_numbers", module)
    assert repr(drawn()) == repr(first)
    assert len({repr(example) for example in first}) > 100


def test_nothing_is_timed_or_remembered():
    assert settings.default.derandomize and settings.default.deadline is None and settings.default.database is None


@pytest.mark.parametrize("again", [False, True])
def test_generators_without_a_seed_have_that_of_the_name_of_the_test(request, again):
    seed = zlib.crc32(request.node.nodeid.encode())
    assert random.random() == random.Random(seed).random()
    assert np.random.random() == np.random.RandomState(seed).random()  # noqa: NPY002


def report(outcome, longrepr):
    return pytest.TestReport("tests/x.py::test", ("tests/x.py", 1, "test"), {}, outcome, longrepr, "setup")


MISSING = ("tests/x.py", 1, "Skipped: could not import 'onnx': No module named 'onnx'")
NO_FORK = ("tests/x.py", 1, "Skipped: needs fork")


@pytest.mark.parametrize(
    ("strict", "why", "outcome"), [("1", MISSING, "failed"), ("1", NO_FORK, "skipped"), ("", MISSING, "skipped")]
)
def test_a_missing_package_fails_where_everything_has_to_run(monkeypatch, strict, why, outcome):
    monkeypatch.setenv("SUMLEARN_STRICT_SKIPS", strict)
    judged = skips.judged(report("skipped", why))
    assert judged.outcome == outcome
    assert outcome == "skipped" or "could not import 'onnx'" in judged.longrepr


def test_what_is_expected_to_fail_is_no_skip(monkeypatch):
    monkeypatch.setenv("SUMLEARN_STRICT_SKIPS", "1")
    expected = report("skipped", MISSING)
    expected.wasxfail = "known"
    assert skips.judged(expected).outcome == "skipped"


FRAGILE = """
import pytest
from hypothesis import given, strategies as st

@given(st.integers(0, 10**6))
def test_drawn(number):
    assert number < 5000

@pytest.mark.parametrize("seed", [0, 1])
def test_seeded(seed):
    assert seed < 1000

@pytest.mark.chance
@pytest.mark.parametrize("seed", [2])
def test_likely(seed):
    assert seed == 2

def test_not_drawn():
    assert False
"""


def test_fuzz_tells_what_fails_and_how_to_draw_it_again(tmp_path):
    path = tmp_path / "test_fragile.py"
    path.write_text(FRAGILE, encoding="utf-8")
    words = [sys.executable, "-m", "tests.fuzz", "--seed", "7", "--workers", "0", str(path)]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST")}
    done = subprocess.run(words, cwd=ROOT, env=environment, text=True, capture_output=True, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "seed 7, 1 times the examples: 3 tests in" in done.stdout
    assert "number=5000" in done.stdout and "reproduce_failure" in done.stdout
    assert "make fuzz SEED=7 FACTOR=1" in done.stdout
    assert "3 distinct failures" in done.stdout and "test_not_drawn" not in done.stdout
    path.write_text(FRAGILE.replace("5000", "10**7").replace("1000", "10**9"), encoding="utf-8")
    done = subprocess.run(words, cwd=ROOT, env=environment, text=True, capture_output=True, check=False)
    assert done.returncode == 0 and "nothing failed" in done.stdout, done.stdout + done.stderr


class Combination:
    """A test with parameters, as far as thinning asks."""

    nodeid = "tests/x.py::test_thinned[some-id]"

    def __init__(self, k, **params):
        self.callspec = types.SimpleNamespace(params=params)
        self.thinned = k and pytest.mark.thinned(k).mark
        self.marks = []

    def get_closest_marker(self, name):
        return self.thinned if name == "thinned" else None

    def add_marker(self, mark):
        self.marks.append(mark.name)


def test_every_value_comes_up_in_what_is_left_of_a_thinned_test():
    items = [Combination(3, kind=i, layout=j) for i in range(5) for j in range(4)]
    conftest.pytest_collection_modifyitems([*items, alone := Combination(None)])
    left = [item.callspec.params for item in items if item.marks == []]
    assert {params["kind"] for params in left} == set(range(5))
    assert {params["layout"] for params in left} == set(range(4))
    assert len(left) == 7 and all(item.marks in ([], ["slow"]) for item in items) and alone.marks == []


@pytest.mark.parametrize("folder", ["laws", "agreement", "faults"])
def test_what_is_said_of_every_method_is_tested_every_day(folder):
    files = sorted((ROOT / "tests" / folder).glob("test_*.py"))
    assert files and not [path.name for path in files if re.search(r"mark\.(slow|thinned)", path.read_text())]
