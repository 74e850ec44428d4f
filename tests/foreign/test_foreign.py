"""scikit-learn's own tests, run on our classes: everything passes but what the lists name, and that fails."""

import subprocess
import sys
from pathlib import Path

import pytest
import sklearn

from tests.foreign.suites import load, names

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.parametrize("name", names())
def test_scikit_learn_agrees(name):
    if not sklearn.__version__.startswith(load(name).written_for + "."):
        pytest.skip(f"the list is for scikit-learn {load(name).written_for}")
    command = [sys.executable, "-m", "tests.foreign", name]
    done = subprocess.run(command, cwd=ROOT, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", names())
def test_every_test_is_listed_once_and_with_a_reason(name):
    suite = load(name)
    listed = [test for group in suite.not_ours + suite.deselected for test in group.tests]
    assert len(listed) == len(set(listed))
    assert all(group.category and group.reason and group.tests for group in suite.not_ours + suite.deselected)
