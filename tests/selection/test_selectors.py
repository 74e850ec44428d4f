"""Every public selector: a file, a pickle and a clone choose the same columns; tables, files and Dask as well."""

import copy
import inspect
import pickle

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sparse
from sklearn.base import BaseEstimator, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.naive_bayes import BernoulliNB
from sklearn.pipeline import make_pipeline

import sumlearn as sl
from sumlearn import selection
from sumlearn.data import load_example
from sumlearn.learners.ability import sums_by_row
from sumlearn.selection import FCBF, Prophet, Ranker, SubsetSearch, Workflow
from sumlearn.statistics import LevelCounts, Removable

PIMA = load_example("pima")
NAMES = list(PIMA.columns[:8])
LABELS = (np.asarray(PIMA.y) == "pos").astype(int)
FRAME = pd.DataFrame(PIMA.X, columns=NAMES)
TABLE = FRAME.assign(ill=LABELS)
EDGES = [np.quantile(column, [0.25, 0.5, 0.75]) + np.arange(3) * 1e-9 for column in PIMA.X.T]

MATRIX = {  # those that choose columns of a matrix
    "pearson": Ranker("pearson", k=3),
    "f": Ranker("f", k=4, threshold=10.0),
    "information in bins": Ranker("mutual_information", k=3, bins=6),
    "uncertainty in given bins": Ranker("symmetric_uncertainty", k=2, bins=EDGES),
    "one feature": Ranker("one_feature", k=3, cv=3, scoring="auc"),
    "neighbours": Ranker("mutual_information", k=2, estimator="knn", n_neighbors=2),
    "fcbf": FCBF(0.001, bins=6),
    "fcbf of all rivals": FCBF(bins=EDGES, rivals="all"),
    "sffs": SubsetSearch("sffs", criterion="auc", cv=4),
    "sbe of groups": SubsetSearch("sbe", k=3, fixed=["age"], excluded=["mass"], column_groups=[["glucose", "insulin"]]),
    "branch and bound": SubsetSearch("bnb", criterion="mahalanobis", k=3),
    "prophet": SubsetSearch("astar", criterion="accuracy", k=3, prophet=Prophet(batch=10, patience=1)),
    "n best": SubsetSearch("exhaustive", sl.GaussianNB(), k=2, n_best=4),
}
REFITTED = {"refitted": SubsetSearch("sfs", BernoulliNB(binarize=30.0), k=2, cv=3)}  # needs the rows in memory
WORKFLOWS = {
    "workflow": Workflow(products=None, contest=None, bootstrap=2, keep=6),
    "workflow of all kinds": Workflow(
        "classification",
        combinations=["pca", "lda"],
        ranking=Ranker("mutual_information", bins=4),
        search=SubsetSearch("sfs", k=3),
        contest={"bayes": sl.GaussianNB(), "linear": sl.LinearDiscriminantAnalysis()},
        keep=8,
        bootstrap=None,
    ),
    "workflow without steps": Workflow(
        normalise=None,
        products=None,
        combinations=None,
        ranking=None,
        outliers=None,
        search=None,
        contest=None,
        bootstrap=None,
    ),
}
SELECTORS = MATRIX | REFITTED | WORKFLOWS


def each(selectors):
    return pytest.mark.parametrize("selector", selectors.values(), ids=selectors)


@pytest.fixture(scope="module")
def fitted():
    """A selector fitted to the data frame, once."""
    known = {}

    def of(selector):
        if id(selector) not in known:
            known[id(selector)] = clone(selector).fit(FRAME, LABELS)
        return known[id(selector)]

    return of


@pytest.fixture(scope="module")
def parquet(tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / "pima.parquet"
    TABLE.to_parquet(path)
    return str(path)


def through_file(model, folder):
    sl.save(model, folder / "model.sumlearn")
    return sl.load(folder / "model.sumlearn")


def state(value):
    """What a fitted object knows, in a form that can be compared; solutions follow from the sums."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tolist()
    if isinstance(value, dict):
        return {key: state(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [state(item) for item in value]
    if isinstance(value, BaseEstimator | Removable | selection.Trace) or type(value).__module__.startswith("sumlearn."):
        found = {**getattr(value, "__dict__", {})} or {f: getattr(value, f) for f in getattr(value, "_fields", ())}
        return type(value).__name__, {name: state(item) for name, item in found.items() if name != "_holder"}
    return repr(value)


def test_every_public_selector_is_here():
    public = [getattr(selection, name) for name in selection.__all__]
    found = {kind for kind in public if inspect.isclass(kind) and issubclass(kind, BaseEstimator)}
    assert found == {type(selector) for selector in SELECTORS.values()} | {Prophet}


@pytest.mark.thinned(3)
@each(SELECTORS)
@pytest.mark.parametrize(
    "way",
    [through_file, lambda model, folder: pickle.loads(pickle.dumps(model)), lambda model, folder: copy.deepcopy(model)],
    ids=["file", "pickle", "copy"],
)
def test_a_fitted_one_comes_back(selector, way, fitted, tmp_path):
    model = fitted(selector)
    twin = way(model, tmp_path)
    assert vars(twin).keys() == vars(model).keys()
    assert state(twin) == state(model)
    assert twin.get_feature_names_out().tolist() == model.get_feature_names_out().tolist()
    np.testing.assert_array_equal(twin.transform(FRAME), model.transform(FRAME))
    assert str(twin) == str(model)
    if hasattr(model, "predict"):
        np.testing.assert_array_equal(twin.predict(FRAME), model.predict(FRAME))


@pytest.mark.thinned(2)
@each(SELECTORS)
def test_one_that_is_not_fitted_is_saved_and_cloned(selector, fitted, tmp_path):
    for twin in (through_file(selector, tmp_path), clone(fitted(selector))):
        assert vars(twin).keys() == vars(selector).keys()
        assert state(twin.get_params(deep=False)) == state(selector.get_params(deep=False))
    again = through_file(selector, tmp_path).fit(FRAME, LABELS)
    np.testing.assert_array_equal(again.transform(FRAME), fitted(selector).transform(FRAME))


def test_a_prophet_comes_back(tmp_path):
    subsets, worth = [(0,), (1,), (0, 1), (2, 3)], [1.0, 2.0, 4.0, 0.5]
    prophet = Prophet(3, alpha=0.1, beam=4).fit(subsets, worth)
    for twin in (through_file(prophet, tmp_path), pickle.loads(pickle.dumps(prophet))):
        assert state(twin) == state(prophet)
        np.testing.assert_array_equal(twin.predict([(0, 1, 2), (3,)]), prophet.predict([(0, 1, 2), (3,)]))
    assert clone(prophet).get_params() == prophet.get_params()


# -- rows from anywhere -----------------------------------------------------------------------------------------------


@pytest.mark.thinned(3)
@each(SELECTORS)
def test_tables_of_all_kinds(selector, fitted):
    chosen = fitted(selector).get_feature_names_out().tolist()
    for table in (TABLE, pl.from_pandas(TABLE), pa.Table.from_pandas(TABLE)):
        model = clone(selector).fit(table, "ill")
        assert model.get_feature_names_out().tolist() == chosen
        assert model.feature_names_in_.tolist() == NAMES


@each(MATRIX)
def test_files_and_clusters(selector, fitted, parquet):
    chosen = fitted(selector).get_feature_names_out().tolist()
    assert clone(selector).fit(parquet, "ill").get_feature_names_out().tolist() == chosen
    blocks = dd.from_pandas(TABLE, npartitions=3)
    assert clone(selector).fit(blocks, "ill").get_feature_names_out().tolist() == chosen


@each({name: MATRIX[name] for name in ("f", "information in bins", "fcbf", "sffs", "neighbours")})
def test_sparse_matrices_and_dask_arrays(selector):
    expected = clone(selector).fit(PIMA.X, LABELS)
    thin = clone(selector).fit(sparse.csr_array(PIMA.X), LABELS)
    assert thin.get_support().tolist() == expected.get_support().tolist()
    np.testing.assert_array_equal(thin.transform(sparse.csr_array(PIMA.X)).toarray(), expected.transform(PIMA.X))
    parts = da.from_array(PIMA.X, chunks=(300, 8)), da.from_array(LABELS, chunks=300)
    assert clone(selector).fit(*parts).get_support().tolist() == expected.get_support().tolist()


@each(REFITTED | WORKFLOWS)
def test_what_needs_rows_in_memory_says_so(selector, parquet):
    for rows in (parquet, dd.from_pandas(TABLE, npartitions=2)):
        with pytest.raises(ValueError, match="load the table into memory"):
            clone(selector).fit(rows, "ill")


# -- at home in scikit-learn ------------------------------------------------------------------------------------------


@pytest.mark.thinned(3)
@each(SELECTORS)
def test_set_output(selector, fitted):
    model = clone(selector).set_output(transform="pandas").fit(FRAME, LABELS)
    chosen = fitted(selector).get_feature_names_out().tolist()
    found = model.transform(FRAME)
    assert isinstance(found, pd.DataFrame)
    assert list(found.columns) == chosen
    found = model.set_output(transform="polars").transform(FRAME)
    assert isinstance(found, pl.DataFrame)
    assert found.columns == chosen
    np.testing.assert_array_equal(found.to_numpy(), fitted(selector).transform(FRAME))


@each(MATRIX | REFITTED)
def test_they_are_selectors_of_scikit_learn(selector, fitted):
    model = fitted(selector)
    assert isinstance(model, SelectorMixin)
    where = model.get_support(indices=True)
    assert [NAMES[j] for j in where] == model.get_feature_names_out().tolist()
    back = model.inverse_transform(model.transform(FRAME))
    np.testing.assert_array_equal(back[:, where], PIMA.X[:, where])
    assert not np.delete(back, where, axis=1).any()
    pipeline = make_pipeline(clone(selector), sl.LinearDiscriminantAnalysis()).fit(FRAME, LABELS)
    alone = sl.LinearDiscriminantAnalysis().fit(PIMA.X[:, where], LABELS)
    np.testing.assert_array_equal(pipeline.predict(FRAME), alone.predict(PIMA.X[:, where]))
    with pytest.raises(ValueError, match="feature names should match"):
        model.transform(FRAME[NAMES[::-1]])


# -- sums -------------------------------------------------------------------------------------------------------------

SUMS = [name for name in MATRIX if isinstance(MATRIX[name], Ranker | FCBF) and sums_by_row(MATRIX[name])]


def counted(X):
    """Rows as an offset of 1e9 leaves them: multiples of a power of two keep all their digits."""
    return np.round(X * 64.0) / 64.0


@pytest.mark.parametrize("name", ["f", "pearson", "information in bins", "uncertainty in given bins", "fcbf"])
def test_an_offset_of_a_milliard_changes_no_choice(name):
    X, selector = counted(PIMA.X), MATRIX[name]
    shifted = clone(selector)
    if isinstance(selector.bins, list):
        shifted.set_params(bins=[edges + 1e9 for edges in map(counted, EDGES)])
        selector = clone(selector).set_params(bins=[counted(edges) for edges in EDGES])
    here, far = clone(selector).fit(X, LABELS), shifted.fit(X + 1e9, LABELS)
    np.testing.assert_allclose(far.scores_, here.scores_, rtol=1e-12)
    assert far.get_support().tolist() == here.get_support().tolist()


@pytest.mark.parametrize("name", SUMS)
def test_parts_add_up_and_are_forgotten(name, fitted):
    parts = [clone(MATRIX[name]).fit(FRAME[i::3], LABELS[i::3]) for i in range(3)]
    whole = fitted(MATRIX[name])
    joined = parts[0] + parts[1] + parts[2]
    without = joined - parts[2]
    rest = clone(MATRIX[name]).fit(pd.concat([FRAME[0::3], FRAME[1::3]]), np.concatenate([LABELS[0::3], LABELS[1::3]]))
    for found, expected in ((joined, whole), (without, rest), (whole.__sub__(parts[2]), rest)):
        np.testing.assert_allclose(found.scores_, expected.scores_, rtol=1e-12)
        assert found.get_support().tolist() == expected.get_support().tolist()
        if isinstance(expected.statistic_, LevelCounts):  # whole numbers are counted exactly
            np.testing.assert_array_equal(found.statistic_.table, expected.statistic_.table)
