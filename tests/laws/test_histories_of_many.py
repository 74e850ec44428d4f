"""Drawn histories of what is made of others, looks first, reads levels, sums exactly, or knows recent rows alone."""

import tempfile
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sumlearn as sl
from sumlearn.testing import assert_same_model

from tests.laws.histories import CLASSES
from tests.laws.test_histories import check_history

pytestmark = pytest.mark.filterwarnings("ignore:the smallest group of rows")
LDA, QDA, NB = sl.LinearDiscriminantAnalysis, sl.QuadraticDiscriminantAnalysis, sl.GaussianNB
drawn = given(seed=st.integers(0, 2**32 - 1))


def kept(model):
    """What comes back from a file."""
    with tempfile.TemporaryDirectory() as folder:
        sl.save(model, Path(folder, "model"))
        return sl.load(Path(folder, "model"))


def each(learners):
    return pytest.mark.parametrize("learner", learners.values(), ids=learners)


OF_OTHERS = {
    "committee": sl.Committee([("lda", LDA()), ("qda", QDA(reg_param=0.1)), ("nb", NB())], rule="product"),
    "committee of neighbours": sl.Committee([("lda", LDA()), ("near", sl.KNeighborsClassifier(3))], rule="mean"),
    "fusion": sl.Fusion([("first", NB(), [0]), ("second", LDA(), [1])]),
    "costs": sl.CostSensitiveClassifier(NB(), {("a", "b"): 5.0}),
    "one against one": sl.OneVsOneClassifier(LDA(), decide="odds"),
    "one against one, naive": sl.OneVsOneClassifier(NB(), decide="odds"),
    "one against the rest": sl.OneVsRestClassifier(QDA(reg_param=0.1)),
    "codes": sl.OutputCodeClassifier(NB(), code="exhaustive"),
    "committee in a decision": sl.CostSensitiveClassifier(
        sl.Committee([("a", LDA()), ("b", NB())], rule="mean"), {("b", "c"): 9.0}
    ),
}
LOOKING = {
    "gaussians": sl.RBFNetwork(3, alpha=0.1),
    "gaussians, labels": sl.RBFNetworkClassifier(3, alpha=0.1),
    "random layer": sl.ExtremeLearningMachineRegressor(4),
    "random layer, labels": sl.ExtremeLearningMachineClassifier(4),
    "lines": sl.LocalRegression(2),
    "unified": sl.UnifiedModel(2, alpha=0.1),
}
LAZY = {
    "weighted by distance": sl.KNeighborsClassifier(3, weights="distance"),
    "city blocks": sl.KNeighborsRegressor(2, metric="manhattan"),
    "chosen size": sl.KNeighborsClassifier("loo"),
    "chosen size, numbers": sl.KNeighborsRegressor("loo"),
    "kernel": sl.NadarayaWatson(0.5),
    "lines near by": sl.Loess(0.9),
}
EXACT = {
    "regression": sl.LinearRegression(precision="exact"),
    "ridge": sl.Ridge(precision="exact"),
    "lda": LDA(precision="exact"),
    "qda": QDA(reg_param=0.1, precision="exact"),
    "naive Bayes": NB(precision="exact"),
    "components": sl.IncrementalPCA(precision="exact"),
    "one class": sl.OneClassGaussian(precision="exact"),
    "one against one": sl.OneVsOneClassifier(LDA(precision="exact"), decide="odds"),
}
TABLES = {
    "levels": sl.NaiveBayes(),
    "levels, smoothed more": sl.NaiveBayes(alpha=3.0),
    "levels in a table": sl.TableModel(sl.NaiveBayes()),
    "exact": sl.TableModel(sl.Ridge(precision="exact")),
}


@each(OF_OTHERS | LOOKING | LAZY)
@settings(max_examples=3)
@drawn
def test_a_history_of_many_models_looks_and_kept_rows_equals_a_refit(learner, seed):
    check_history(learner, seed)


@each(TABLES)
@settings(max_examples=3)
@drawn
def test_a_history_of_levels_equals_a_refit(learner, seed):
    check_history(learner, seed, table=True, binary="exact" in repr(learner))


@each(EXACT)
@settings(max_examples=3)
@drawn
def test_a_history_of_exact_sums_has_the_bits_of_a_refit(learner, seed):
    check_history(learner, seed, binary=True, offset=float(seed % 3) * 1e9, bits=True)


WINDOWED = {"regression": sl.Ridge(0.1), "lda": LDA(), "naive Bayes": NB(), "counts": sl.CategoricalNB()}


def drawn_stream(learner, rng):
    """Rows, targets whose classes come and go, and weights, some of them zero."""
    n = int(rng.integers(30, 90))
    counts = isinstance(learner, sl.CategoricalNB)
    X = rng.integers(3, size=(n, 2)) if counts else np.round(rng.normal(size=(n, 2)) * 4) / 4
    eras = np.arange(n) * 3 // n  # in each of which two classes occur
    y = X @ [1.0, -1.0] if isinstance(learner, sl.Ridge) else np.array(list(CLASSES))[eras + rng.integers(2, size=n)]
    return X, y, rng.choice([0.0, 0.1, 1 / 3, 1.0, 2.0], n)


@each(WINDOWED)
@settings(max_examples=4)
@drawn
def test_a_history_of_recent_rows_equals_a_fit_of_them(learner, seed):
    """Rows come late, in pieces of any size, and models are kept in files on the way."""
    rng = np.random.default_rng(seed)
    X, y, weight = drawn_stream(learner, rng)
    n, size, there = len(X), int(rng.integers(4, 25)), weight > 0
    times = np.arange(n) * 1.0
    late = np.argsort(times + rng.integers(0, 6, n), kind="stable")  # the order in which they come
    newest = np.flatnonzero(there)[-size:]
    within = np.flatnonzero(there & (times > times[there].max() - size))
    faded = weight * 2.0 ** ((times - times[there].max()) / size)
    for model, order, which, expected in (
        (sl.SlidingWindow(learner, size=size), np.arange(n), newest, weight),
        (sl.SlidingWindow(learner, size=float(size), time=2), late, within, weight),
        (sl.Fading(learner, half_life=float(size), time=2), late, np.flatnonzero(there), faded),
    ):
        rows, start = X if model.time is None else np.column_stack([X, times]), 0
        while start < n:
            part = order[start : start + int(rng.integers(1, 12))]
            start += len(part)
            if not weight[order[:start]].any():
                continue  # nothing to begin with
            model.partial_fit(rows[part], y[part], weight[part])
            model = kept(model) if rng.integers(6) == 0 else model
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            right = type(learner)(**learner.get_params()).fit(X[which], y[which], expected[which])
            assert_same_model(model.learner_, right, X, 1e-6)


@each({"regression": sl.Ridge(0.1), "lda": LDA(), "naive Bayes": NB(), "neighbours": sl.KNeighborsRegressor(2)})
@settings(max_examples=4)
@drawn
def test_a_history_of_a_cube_equals_a_fit_of_the_window(learner, seed):
    """Rows are appended late, taken out whole or in parts of their weight, and keys and classes come and go."""
    rng = np.random.default_rng(seed)
    n = 40
    X = np.round(rng.normal(size=(n, 2)) * 4) / 4
    numbers = X @ [1.0, -1.0] + np.arange(n) / 8
    labels = np.array(list(CLASSES))[np.minimum(np.arange(n) // 10 + rng.integers(2, size=n), 3)]
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": labels if hasattr(learner, "predict_proba") else numbers})
    frame["t"], frame["shop"] = np.arange(n) // 4 + rng.integers(-2, 3, n), rng.choice(list("uvw"), n)
    held = {}

    def taken(rows, sign):
        weights = [float(rng.choice([0.25, 0.5, 1.0])) for _ in rows]
        if sign < 0:
            weights = [min(w, held[i]) for w, i in zip(weights, rows, strict=True)]
        for i, w in zip(rows, weights, strict=True):
            held[i] = held.get(i, 0.0) + sign * w
            if not held[i]:
                del held[i]
        return frame.iloc[rows].assign(w=weights)

    cube = sl.ModelCube(learner, time="t", grain=1, by="shop").fit(taken(list(range(5, 20)), 1), "y", "w")
    for _ in range(8):
        some = [int(i) for i in rng.choice(n, int(rng.integers(1, 8)), replace=False)]
        if rng.integers(2):
            cube.append(taken(some, 1))
        else:
            gone = [i for i in some if i in held]
            if gone and len(held) > 8:
                cube.apply(old=taken(gone, -1), new=taken(some[:2], 1) if rng.integers(2) else None)
        cube = kept(cube) if rng.integers(4) == 0 else cube
    rows = frame.iloc[sorted(held)].assign(w=[held[i] for i in sorted(held)])
    for low, high in ((-3, 13), (0, 6), (4, 12)):
        part = rows[(rows.t >= low) & (rows.t < high)]
        if len(part) < 4 or part.y.nunique() < 2:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            right = type(learner)(**learner.get_params()).fit(part[["a", "b"]], part.y, part.w)
            assert_same_model(cube[low:high], right, frame[["a", "b"]], 1e-6)
