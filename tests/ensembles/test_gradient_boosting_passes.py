"""Boosting by passes over files and clusters gives the trees of the rows in memory."""

import numpy as np
import pandas as pd
import pytest

import sumlearn as sl
from sumlearn.ensembles.parts import boost_blocks, boost_passes
from sumlearn.ensembles.parts.boost_quantiles import keys_of_numbers, numbers_of_keys

RNG = np.random.default_rng(0)
N = 900
FRAME = pd.DataFrame(np.round(RNG.standard_normal((N, 4)), 2), columns=list("abcd"))
FRAME.iloc[::7, 1] = np.nan
FRAME["city"] = np.array(["Rome", "Oslo", "Bern", "Cork"])[RNG.integers(0, 4, N)]
SCORE = (
    np.nan_to_num(FRAME[list("abcd")].to_numpy()).sum(axis=1) + (FRAME["city"] == "Oslo") + 0.3 * RNG.standard_normal(N)
)
TARGETS = {
    "numbers": SCORE.to_numpy(),
    "two": np.where(SCORE > 0.3, "yes", "no"),
    "three": np.digitize(SCORE, [-1.0, 1.0]),
    "counts": RNG.poisson(np.exp(0.3 * SCORE)).astype(float),
}
R, C = sl.HistGradientBoostingRegressor, sl.HistGradientBoostingClassifier
G, K = sl.GradientBoostingRegressor, sl.GradientBoostingClassifier
CASES = [
    (R, "numbers", {}),
    (R, "numbers", {"loss": "absolute_error"}),
    (R, "numbers", {"loss": "quantile", "quantile": 0.8, "max_leaf_nodes": 5}),
    (R, "counts", {"loss": "poisson", "l2_regularization": 1.0}),
    (R, "numbers", {"monotonic_cst": {"a": 1, "c": -1}}),
    (R, "numbers", {"early_stopping": True, "n_iter_no_change": 2}),
    (C, "two", {}),
    (C, "two", {"max_features": 0.5, "max_leaf_nodes": None, "max_depth": 4}),
    (C, "two", {"class_weight": "balanced", "interaction_cst": [(0, 1), (2, 3, 4)]}),
    (C, "three", {"min_samples_leaf": 5}),
    (C, "three", {"early_stopping": True, "validation_fraction": 0.3}),
    (G, "numbers", {"max_leaf_nodes": 6, "ccp_alpha": 0.01}),
    (G, "numbers", {"loss": "quantile"}),
    (K, "two", {"loss": "exponential"}),
    (K, "three", {"max_features": 2, "n_iter_no_change": 2}),
]


def model_of(kind, options, method):
    rounds = {"max_iter": 4} if kind in (R, C) else {"n_estimators": 4}
    return kind(random_state=0, method=method, **rounds, **options)


@pytest.mark.parametrize(("kind", "target", "options"), CASES, ids=lambda value: str(getattr(value, "__name__", value)))
@pytest.mark.parametrize("weights", ["none", "whole", "parts"])
@pytest.mark.thinned(3)
def test_passes_grow_the_trees_of_memory(kind, target, options, weights):
    rng = np.random.default_rng(1)
    weight = {"none": None, "whole": rng.integers(0, 3, N).astype(float), "parts": rng.uniform(0.1, 2.0, N)}[weights]
    fits = [model_of(kind, options, method).fit(FRAME, TARGETS[target], weight) for method in ("memory", "passes")]
    memory, passes = (model.raw_scores(FRAME) for model in fits)
    assert np.array_equal(memory, passes)
    assert fits[0].trees_ == fits[1].trees_ or getattr(fits[0], "max_leaf_nodes", None) is None
    for name in ("train_score_", "validation_score_"):
        if hasattr(fits[0], name):
            np.testing.assert_allclose(getattr(fits[0], name), getattr(fits[1], name), rtol=1e-9)


FORMS = [("parquet", True), ("parquet", False), ("csv", True), ("csv", False), ("files", True), ("files", False)]


@pytest.mark.parametrize(("form", "kept"), [*FORMS, ("dask", True)])  # a cluster keeps nothing
def test_files_and_clusters_grow_the_trees_of_memory(form, kept, tmp_path, monkeypatch):
    monkeypatch.setattr(boost_blocks, "KEPT", boost_blocks.KEPT if kept else 0)
    table = FRAME.assign(y=TARGETS["two"])
    options = {"max_iter": 3, "random_state": 0, "early_stopping": True, "method": "passes"}
    if form == "dask":
        source = pytest.importorskip("dask.dataframe").from_pandas(table, npartitions=3)
    elif form == "parquet":
        table.to_parquet(tmp_path / "rows.parquet", row_group_size=100)
        source = str(tmp_path / "rows.parquet")
    elif form == "csv":
        table.to_csv(tmp_path / "rows.csv", index=False)
        source = str(tmp_path / "rows.csv")
    else:
        for k in range(3):
            table.iloc[300 * k : 300 * (k + 1)].to_parquet(tmp_path / f"rows{k}.parquet")
        source = str(tmp_path / "rows*.parquet")
    wanted = C(**{**options, "method": "memory"}).fit(FRAME, TARGETS["two"])
    model = C(**options).fit(source, "y")
    assert model.trees_ == wanted.trees_ and list(model.classes_) == ["no", "yes"]
    assert np.array_equal(model.predict_proba(FRAME), wanted.predict_proba(FRAME))
    gathered = C(**{**options, "method": "memory"}).fit(source, "y")
    assert gathered.trees_ == wanted.trees_


def test_small_chunks_change_no_bit(monkeypatch):
    from sumlearn.data import source

    whole = {
        kind: kind(max_iter=3, random_state=0).fit(FRAME, TARGETS[y]).trees_
        for kind, y in ((R, "numbers"), (C, "three"))
    }
    monkeypatch.setattr(source, "chunk_rows", lambda features, factor=1: 64)
    for kind, y in ((R, "numbers"), (C, "three")):
        for threads in (1, 2):
            for method in ("memory", "passes"):
                model = kind(max_iter=3, random_state=0, method=method, n_jobs=threads).fit(FRAME, TARGETS[y])
                assert model.trees_ == whole[kind]


def test_a_row_that_is_no_number_is_named(tmp_path):
    y = TARGETS["numbers"].copy()
    y[417] = np.inf
    for method in ("memory", "passes"):
        with pytest.raises(ValueError, match="417"):
            R(method=method).fit(FRAME, y)


def test_what_needs_all_rows_is_refused(monkeypatch):
    for model, word in (
        (R(method="passes", early_stopping=True, scoring="r2"), "scoring"),
        (G(method="passes", subsample=0.5), "subsample"),
        (G(method="passes", loss="huber"), "huber"),
        (G(method="passes", init=sl.LinearRegression()), "init"),
    ):
        with pytest.raises(ValueError, match=word):
            model.fit(FRAME[list("acd")], TARGETS["numbers"])
    monkeypatch.setattr(boost_passes, "MOST_PLACES", 20)
    with pytest.raises(ValueError, match="20 leaves at most, a tree has 30"):
        R("absolute_error", method="passes").fit(FRAME, TARGETS["numbers"])


def test_warm_starts_go_on_by_passes():
    whole = R(max_iter=6, method="passes").fit(FRAME, TARGETS["numbers"])
    model = R(max_iter=2, method="passes", warm_start=True).fit(FRAME, TARGETS["numbers"])
    assert model.set_params(max_iter=6).fit(FRAME, TARGETS["numbers"]).trees_ == whole.trees_


def test_keys_have_the_order_of_numbers():
    numbers = np.sort(np.concatenate([RNG.standard_normal(50) * 10.0 ** RNG.integers(-300, 300, 50), [0.0, -1.0, 1.0]]))
    keys = keys_of_numbers(numbers)
    assert (np.diff(keys.astype(object)) > 0).all() and np.array_equal(numbers_of_keys(keys), numbers)
    assert keys_of_numbers(np.array([-0.0])) == keys_of_numbers(np.array([0.0]))
