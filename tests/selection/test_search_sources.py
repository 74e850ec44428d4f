"""The same subset from arrays, tables, sparse matrices, files and Dask collections; and any estimator."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
import scipy.sparse as sparse
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.metrics import make_scorer, mean_absolute_error
from sklearn.model_selection import GroupKFold, KFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import sumlearn
from sumlearn import GaussianNB, LinearDiscriminantAnalysis, LinearRegression, Ridge, SubsetSearch, TableModel
from sumlearn.features import Polynomial
from sumlearn.selection import nested_score
from sumlearn.selection.judges.judge import Judge

rng = np.random.default_rng(0)
NAMES = list("abcdef")
X = np.round(rng.standard_normal((300, 6)) @ (np.eye(6) + 0.3 * rng.standard_normal((6, 6))), 3)
NUMBER = np.round(X[:, 0] - 2.0 * X[:, 3] + 0.5 * X[:, 5] + rng.standard_normal(300), 3)
LABEL = np.array(["no", "perhaps", "yes"])[np.digitize(NUMBER, [-1.0, 1.5])]
TARGETS = {"number": NUMBER, "label": LABEL}
each_target = pytest.mark.parametrize("target", TARGETS)


def outcome(search):
    return search.subset_.tolist(), search.evaluations_


def test_transform_of_files(tmp_path):
    path = tmp_path / "rows.parquet"
    pd.DataFrame(X, columns=NAMES).assign(answer=NUMBER).to_parquet(path)
    found = SubsetSearch("sfs", k=2).fit(path, "answer")
    assert np.array_equal(found.transform(path), X[:, found.subset_])
    assert list(found.set_output(transform="pandas").transform(path).columns) == [NAMES[j] for j in found.subset_]


@each_target
@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_tables(target, library):
    columns = {name: X[:, j] for j, name in enumerate(NAMES)}
    expected = SubsetSearch("sffs").fit(X, TARGETS[target])
    for found in (
        SubsetSearch("sffs").fit(library(columns), TARGETS[target]),
        SubsetSearch("sffs").fit(library(columns | {"answer": TARGETS[target]}), "answer"),
    ):
        assert outcome(found) == outcome(expected)
        assert found.score_ == pytest.approx(expected.score_, rel=1e-12)
        assert found.feature_names_in_.tolist() == NAMES
        assert found.transform(library(columns)).shape == (300, len(found.subset_))


@each_target
def test_sparse(target):
    S = np.where(np.abs(X) > 0.8, X, 0.0)
    expected = SubsetSearch("sbe").fit(S, TARGETS[target])
    found = SubsetSearch("sbe").fit(sparse.csr_array(S), TARGETS[target])
    assert outcome(found) == outcome(expected)
    assert (found.transform(sparse.csr_array(S)).toarray() == expected.transform(S)).all()


@each_target
@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_files(target, format, tmp_path):
    table = pa.table({name: X[:, j] for j, name in enumerate(NAMES)} | {"answer": TARGETS[target]})
    for number, part in enumerate((table[:170], table[170:])):
        if format == "csv":
            part.to_pandas().to_csv(tmp_path / f"{number}.csv", index=False)
        else:
            parquet.write_table(part, tmp_path / f"{number}.parquet")
    cv = KFold(4, shuffle=True, random_state=0)
    expected = SubsetSearch("sffs", cv=cv).fit(X, TARGETS[target])
    found = SubsetSearch("sffs", cv=cv).fit(str(tmp_path / f"*.{format}"), "answer")
    assert outcome(found) == outcome(expected)
    assert found.score_ == pytest.approx(expected.score_, rel=1e-12)
    assert found.get_feature_names_out().tolist() == [NAMES[i] for i in expected.subset_]
    estimator = DecisionTreeClassifier() if target == "label" else Ridge(basis=Polynomial(2))
    with pytest.raises(ValueError, match="in(to)? memory"):
        SubsetSearch("sfs", estimator).fit(str(tmp_path / f"*.{format}"), "answer")


@each_target
def test_dask(target):
    frames = pytest.importorskip("dask.dataframe")
    frame = pd.DataFrame(X, columns=NAMES).assign(answer=TARGETS[target])
    expected = SubsetSearch("sfs", k=3).fit(X, TARGETS[target])
    found = SubsetSearch("sfs", k=3).fit(frames.from_pandas(frame, npartitions=3), "answer")
    assert outcome(found) == outcome(expected)


@each_target
def test_weights_are_repeated_rows(target):
    """Weight 2 is the row twice, weight 0 its absence, in training and in testing."""
    weight = rng.integers(0, 3, 300)
    folds = np.arange(300) % 4
    y = TARGETS[target]
    twice = np.repeat(np.arange(300), weight)

    def splits(rows):
        return [(np.flatnonzero(folds[rows] != f), np.flatnonzero(folds[rows] == f)) for f in range(4)]

    weighted = SubsetSearch("sffs", cv=splits(np.arange(300))).fit(X, y, sample_weight=weight)
    repeated = SubsetSearch("sffs", cv=splits(twice)).fit(X[twice], y[twice])
    assert outcome(weighted) == outcome(repeated)
    assert weighted.score_ == pytest.approx(repeated.score_, rel=1e-10)


def test_offsets_change_nothing():
    plain = SubsetSearch("sffs").fit(X, NUMBER)
    far = SubsetSearch("sffs").fit(np.round(X * 1024) / 1024 + 2.0**30, NUMBER)
    assert far.subset_.tolist() == plain.subset_.tolist()
    assert far.score_ == pytest.approx(plain.score_, abs=1e-4)


# -- estimators and criteria ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("criterion", ["r2", "mse", "loo", "aic", "bic"])
def test_criteria_of_least_squares(criterion):
    found = SubsetSearch("exhaustive", criterion=criterion).fit(X, NUMBER)
    assert {0, 3} <= set(found.subset_.tolist())
    assert SubsetSearch("sfs", Ridge(1.0), criterion).fit(X, NUMBER).score_ <= found.score_ + abs(0.05 * found.score_)


def test_costs():
    two = LABEL == "yes"
    plain = SubsetSearch("sfs", criterion="cost").fit(X, two)
    assert plain.score_ == pytest.approx(SubsetSearch("sfs", criterion="accuracy").fit(X, two).score_ - 1.0)
    dear = SubsetSearch("sfs", criterion="cost", costs=(1.0, 10.0)).fit(X, two)
    assert dear.score_ < plain.score_


def test_scorers_of_any_kind():
    scorer = make_scorer(mean_absolute_error, greater_is_better=False)
    by_function = SubsetSearch("sfs", LinearRegression(), scorer).fit(X, NUMBER)
    by_name = SubsetSearch("sfs", LinearRegression(), "neg_mean_absolute_error").fit(X, NUMBER)
    assert outcome(by_function) == outcome(by_name)
    folds = cross_val_score(LinearRegression(), X[:, by_name.subset_], NUMBER, scoring="neg_mean_absolute_error")
    assert by_name.score_ == pytest.approx(folds.mean(), rel=1e-10)

    def worst(estimator, X, y):
        return -np.abs(estimator.predict(X) - y).max()

    assert SubsetSearch("sfs", Ridge(), worst).fit(X, NUMBER).score_ < -1.0


def test_any_estimator_equals_scikit_learns_selector():
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    reference = SequentialFeatureSelector(tree, n_features_to_select=3, cv=3).fit(X, LABEL)
    found = SubsetSearch("sfs", tree, k=3, cv=3).fit(X, LABEL)
    assert found.get_support().tolist() == reference.get_support().tolist()
    weighted = SubsetSearch("sfs", tree, k=3, cv=3).fit(X, LABEL, sample_weight=np.ones(300))
    assert outcome(weighted) == outcome(found)


def test_gaps_where_the_estimator_can():
    gaps = X[:120].copy()
    gaps[::7, 2] = np.nan
    found = SubsetSearch("sfs", DecisionTreeClassifier(random_state=0), k=3, cv=2).fit(gaps, LABEL[:120])
    assert found.transform(gaps).shape == (120, 3)
    with pytest.raises(ValueError, match="NaN: first at row 0, column 2"):
        SubsetSearch("sfs", KNeighborsClassifier(), k=1, cv=2).fit(gaps, LABEL[:120])


def test_mixed_tables():
    """Text columns are for the estimator to understand."""
    frame = pd.DataFrame({"word": LABEL, "noise": X[:, 1], "other": np.where(X[:, 2] > 0, "u", "v")})
    found = SubsetSearch("sfs", TableModel(LinearRegression()), "r2", k=1, cv=3).fit(frame, NUMBER)
    assert found.get_feature_names_out().tolist() == ["word"]
    assert list(found.set_output(transform="pandas").transform(frame)["word"]) == LABEL.tolist()


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_tables_for_any_estimator(library):
    frame = library({name: X[:, j] for j, name in enumerate(NAMES)} | {"site": np.arange(300) // 10})
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    expected = SubsetSearch("sfs", tree, k=2, cv=GroupKFold(3)).fit(X, LABEL, groups=np.arange(300) // 10)
    for estimator, wanted in ((tree, expected.subset_.tolist()), (Ridge(basis=Polynomial(2)), [3])):
        search = SubsetSearch("sfs", estimator, k=len(wanted), cv=GroupKFold(3))
        found = search.fit(frame, LABEL if estimator is tree else NUMBER, groups="site")
        assert found.subset_.tolist() == wanted
        assert found.n_features_in_ == 6  # a column of groups is no feature
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        SubsetSearch("sfs", tree).fit(frame, LABEL, sample_weight=np.ones(299))
    honest = nested_score(SubsetSearch("sfs", tree, k=2, cv=3), frame, LABEL, cv=2)
    assert honest.scores.shape == (2,)


def test_several_targets():
    two = np.column_stack([NUMBER, X[:, 1] ** 2])
    found = SubsetSearch("sfs", Ridge(), "r2", k=2).fit(X, two)
    assert found.score_ == pytest.approx(cross_val_score(Ridge(), X[:, found.subset_], two).mean(), rel=1e-10)


def test_a_basis_is_refitted():
    found = SubsetSearch("sfs", Ridge(basis=Polynomial(2)), k=1, cv=3).fit(X, X[:, 4] ** 2)
    assert found.subset_.tolist() == [4]


class Widest(Judge):
    """A judge that is made of a source."""

    def __init__(self, sums):
        self.sums, self.size = sums, len(sums)

    @classmethod
    def of(cls, source):
        return cls(np.concatenate([chunk.X for chunk in source.chunks()]).var(axis=0))

    def score(self, subset):
        return float(self.sums[list(subset)].sum())


def test_a_class_of_judges():
    found = SubsetSearch("sfs", criterion=Widest, k=1).fit(X, NUMBER)
    assert found.subset_.tolist() == [X.var(axis=0).argmax()]


def test_naive_bayes_of_both_libraries():
    from sklearn.naive_bayes import GaussianNB as Theirs

    ours, theirs = (SubsetSearch("sbfs", kind()).fit(X, LABEL) for kind in (GaussianNB, Theirs))
    assert outcome(ours) == outcome(theirs) and ours.score_ == theirs.score_
    assert theirs.score_ == pytest.approx(cross_val_score(Theirs(), X[:, theirs.subset_], LABEL).mean())


def test_options_that_no_judge_honours_take_the_slow_road():
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as Theirs

    shrunk = Theirs(solver="lsqr", shrinkage="auto")
    found = SubsetSearch("sfs", shrunk, k=2).fit(X, LABEL)
    assert found.score_ == pytest.approx(cross_val_score(shrunk, X[:, found.subset_], LABEL).mean())
    half = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.5)
    found = SubsetSearch("sfs", half, k=2).fit(X, LABEL)
    assert found.score_ == pytest.approx(cross_val_score(half, X[:, found.subset_], LABEL).mean())


def test_saved_and_loaded(tmp_path):
    found = SubsetSearch("sffs", LinearDiscriminantAnalysis(), n_best=3).fit(pd.DataFrame(X, columns=NAMES), LABEL)
    sumlearn.save(found, tmp_path / "search.sumlearn")
    back = sumlearn.load(tmp_path / "search.sumlearn")
    assert back.subset_.tolist() == found.subset_.tolist()
    assert back.trace_.subset(5) == found.trace_.subset(5)
    assert back.scores_by_size_ == found.scores_by_size_
    assert back.get_feature_names_out().tolist() == found.get_feature_names_out().tolist()
