"""Passes that are interrupted go on to the same bits, or say why they do not."""

import os
import signal
import subprocess
import sys
import time
import warnings

import numpy as np
import pytest

import sumlearn as sl
from sumlearn.data import Files
from sumlearn.data.files import FileSource
from sumlearn.data.readers.reader import Reader
from sumlearn.engines.journal import open_journal
from sumlearn.saving import checkpoints
from sumlearn.testing import assert_same_bits

from tests.saving.checkpointed import Broken, breaking, csv, parquet

ROWS = 61_000  # eight parts of a one-pass learner


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("long")
    parquet(folder / "t.parquet", ROWS)
    (folder / "csv").mkdir()
    for number, rows in enumerate([9_000, 13_000, 1, 20_000, 5_000]):
        csv(folder / "csv" / f"{number}.csv", rows, number)
    return folder


LEARNERS = {
    "ridge": (lambda **k: sl.Ridge(alpha=2.0, **k), "y", 3),
    "one worker": (lambda **k: sl.Ridge(n_jobs=1), "y", 3),
    "discriminant": (lambda **k: sl.LinearDiscriminantAnalysis(), "label", 3),
    "table": (lambda **k: sl.TableModel(sl.Ridge()), "y", 5),
    "basis": (lambda **k: sl.RBFNetwork(4, random_state=0), "y", 9),
    "logistic": (lambda **k: sl.LogisticRegression(), "label", 7),
    "k-means": (lambda **k: sl.KMeans(3, n_init=1, random_state=0, max_iter=6, tol=0.0), None, 7),
    "mixture": (lambda **k: sl.GaussianMixture(2, random_state=0, max_iter=4, tol=0.0), None, 7),
    "tree": (lambda **k: sl.DecisionTreeClassifier(max_depth=3, splitter="histogram"), "label", 7),
}


def dropped(where, target):
    return Files(where, drop=[name for name in ("y", "label") if name != target])


def fitted_in_pieces(make, where, target, place, tries=200):
    """Fits again and again until one comes to its end; the learner, and where every run went on."""
    starts = []
    for _ in range(tries):
        learner = make()
        try:
            with checkpoints(place, every=0) as kept:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", UserWarning)  # too few steps
                    learner.fit(dropped(where, target), target)
                return learner, starts
        except Broken:
            starts.append(kept.resumed)
    raise AssertionError(f"it never ends: {starts[-3:]}")


def assert_same_fit(a, b):
    assert vars(a).keys() == vars(b).keys()
    for name in vars(a):
        if name.endswith("_"):
            assert_same_bits(getattr(a, name), getattr(b, name))


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("where", ["t.parquet", "csv"])
def test_the_bits_are_those_of_a_fit_that_nobody_disturbed(folder, tmp_path, monkeypatch, name, where):
    make, target, every = LEARNERS[name]
    expected = make()
    with warnings.catch_warnings(), checkpoints(tmp_path / "whole"):
        warnings.simplefilter("ignore", UserWarning)
        expected.fit(dropped(folder / where, target), target)
    breaking(monkeypatch, every)
    found, starts = fitted_in_pieces(make, folder / where, target, tmp_path / "kept")
    assert_same_fit(found, expected)
    assert len(starts) > 1 and starts == sorted(starts, key=lambda start: start or (0, 0))
    assert not (tmp_path / "kept").exists() and not list(tmp_path.glob(".*"))
