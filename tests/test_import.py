"""Importing the library costs next to nothing, and what was compiled once is not compiled again."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import sumlearn

SOURCE = str(Path(sumlearn.__file__).parent.parent)
HEAVY = ["numba", "pandas", "polars", "pyarrow", "scipy", "sklearn"]
MOST_SECONDS = 0.05

TIME_IMPORT = """
import time
import numpy
start = time.perf_counter()
import sumlearn
print(time.perf_counter() - start)
"""

FIT_EVERYTHING = """
import json, pkgutil, sys, warnings
from importlib import import_module
import numpy as np
import sumlearn
from numba.core.dispatcher import Dispatcher

warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
X, y = rng.standard_normal((5000, 5)), rng.standard_normal(5000)
label = np.arange(5000) % 3
dependent = np.column_stack([X, X[:, 0] + X[:, 1]])
for dtype in (np.float64, np.float32):
    A, b = X.astype(dtype), y.astype(dtype)
    sumlearn.LinearRegression().fit(A, b).predict(A)
    sumlearn.LinearRegression().fit(A[:50], b[:50], rng.uniform(size=50))
    sumlearn.LinearRegression().fit(dependent.astype(dtype), b)
    sumlearn.Ridge().fit(A, b, rng.uniform(size=5000)).log_likelihood_
    sumlearn.RidgeCV(cv=3).fit(A, b)
    sumlearn.RidgeCV().fit(A, b)
    sumlearn.PCA(2).fit(A).transform(A)
    for name in ("LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis", "GaussianNB"):
        learner = getattr(sumlearn, name)
        whole = learner().fit(A, label)
        whole.predict_proba(A)
        (whole + learner().fit(A[:100], label[:100])).forget(A[:100], label[:100]).decay(0.5).classes_
    sumlearn.cross_validate(sumlearn.Ridge(), A, b, cv=3)
    sumlearn.evaluation.RocCurve(label == 1, b).convex_hull()
statistics = sumlearn.statistics.Moments.of(X, y)
statistics.project(np.eye(6)).restrict([0, 2])

hits = misses = 0
for info in pkgutil.iter_modules(import_module("sumlearn.compiled").__path__, "sumlearn.compiled."):
    for function in vars(import_module(info.name)).values():
        if isinstance(function, Dispatcher) and function.__module__ == info.name:
            hits += sum(function.stats.cache_hits.values())
            misses += sum(function.stats.cache_misses.values())
print(json.dumps({"hits": hits, "misses": misses}))
"""


def run(code, **variables):
    """What a fresh process prints."""
    path = os.pathsep.join([SOURCE, *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": path} | variables,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_import_loads_nothing_heavy():
    code = f"import sys, json, sumlearn; dir(sumlearn); print(json.dumps([m for m in {HEAVY} if m in sys.modules]))"
    assert json.loads(run(code)) == []


def test_examples_load_nothing_heavy():
    """The bundled tables need NumPy alone."""
    code = "import sys, sumlearn.data.examples as e; e.load_example('iris'); print('numba' in sys.modules)"
    assert run(code).strip() == "False"


def test_import_is_quick():
    """Over NumPy, the best of several processes: noise only ever adds."""
    assert min(float(run(TIME_IMPORT)) for _ in range(7)) < MOST_SECONDS


def test_every_public_name_can_be_loaded():
    code = "import sumlearn; [getattr(sumlearn, name) for name in sumlearn.__all__]; print(len(sumlearn.__all__))"
    assert int(run(code)) >= 9


def test_unknown_names_raise_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'Rigde'"):
        sumlearn.Rigde  # noqa: B018


@pytest.mark.slow
def test_a_process_compiles_nothing_where_another_has_been():
    """In the cache of all tests. Two that fill it at the same time may lose an entry: a third one finds it."""
    found = (json.loads(run(FIT_EVERYTHING)) for _ in range(3))
    assert any(each["misses"] == 0 and each["hits"] > 0 for each in found)


@pytest.mark.slow
def test_second_process_compiles_nothing(tmp_path):
    """In a cache of its own: the first process fills it, the second finds everything there."""
    first = json.loads(run(FIT_EVERYTHING, NUMBA_CACHE_DIR=str(tmp_path)))
    second = json.loads(run(FIT_EVERYTHING, NUMBA_CACHE_DIR=str(tmp_path)))
    assert first["misses"] > 0
    assert second["misses"] == 0
    assert second["hits"] > 0


BEYOND = """
import json, sys
import sklearn.linear_model
before = {name.partition(".")[0] for name in sys.modules}
import sumlearn
sumlearn.Ridge, sumlearn.LinearDiscriminantAnalysis
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules} - before - set(sys.stdlib_module_names))))
"""
CPU_SECONDS = "import time, {}; print(time.process_time())"


def test_the_way_to_an_estimator_loads_numba_and_nothing_else_beyond_scikit_learn():
    extra = [name for name in json.loads(run(BEYOND)) if not name.startswith("_")]
    assert set(extra) <= {"sumlearn", "numba", "llvmlite", "yaml"}


@pytest.mark.slow
def test_the_way_to_an_estimator_is_at_most_half_longer_than_that_of_scikit_learn():
    """CPU time, the best of several processes."""
    theirs = min(float(run(CPU_SECONDS.format("sklearn.linear_model"))) for _ in range(5))
    ours = min(float(run(CPU_SECONDS.format("sumlearn.learners.regression.ridge"))) for _ in range(5))
    assert ours <= 1.5 * theirs


def test_compiled_loops_carry_no_wrappers_that_nobody_calls():
    """What surrounds a loop takes a fifth of the time that compiling it does."""
    from sumlearn.compiled import sums, two_words

    assert sums.exact_scatter.targetoptions["no_cfunc_wrapper"]
    assert two_words.add.targetoptions["no_cpython_wrapper"]
