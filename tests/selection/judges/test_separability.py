"""Distances of classes on subsets, from sums, against the formulas written out; monotone as promised."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.covariance import EmpiricalCovariance

import sumlearn as sl
from sumlearn.data import open_source
from sumlearn.learners.validation import training_source
from sumlearn.selection.judges.separability import CRITERIA, SeparabilityJudge


def table(classes=3, rows=200, columns=7, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(rows) % classes
    X = rng.standard_normal((rows, columns)) * (1 + 0.5 * y[:, None]) + rng.standard_normal((classes, columns))[y]
    return X @ (np.eye(columns) + 0.3 * rng.standard_normal((columns, columns))), y


def written_out(X, y, criterion, weight):
    groups = [(X[y == k], weight[y == k]) for k in np.unique(y)]
    means = [np.average(rows, axis=0, weights=w) for rows, w in groups]
    covariances = [np.cov(rows.T, aweights=w, bias=True).reshape(X.shape[1], -1) for rows, w in groups]
    share = np.array([w.sum() for _, w in groups]) / weight.sum()
    within = np.einsum("k,kij->ij", share, covariances)
    pairs = list(combinations(range(len(groups)), 2))
    if criterion == "mahalanobis":
        return sum((means[a] - means[b]) @ np.linalg.solve(within, means[a] - means[b]) for a, b in pairs)
    if criterion == "trace":
        mean = share @ np.array(means)
        between = np.einsum("k,ki,kj->ij", share, np.array(means) - mean, np.array(means) - mean)
        return np.trace(np.linalg.solve(within, between))
    if criterion == "bhattacharyya":
        total = 0.0
        for a, b in pairs:
            D, m = (covariances[a] + covariances[b]) / 2, means[a] - means[b]
            product = np.linalg.det(covariances[a]) * np.linalg.det(covariances[b])
            logs = np.log(np.linalg.det(D)) - 0.5 * np.log(product)
            total += m @ np.linalg.solve(D, m) / 8 + 0.5 * logs
        return total
    whole = np.cov(X.T, aweights=weight, bias=True).reshape(X.shape[1], -1)
    logs = [np.log(np.linalg.det(C)) for C in covariances]
    return 0.5 * (np.log(np.linalg.det(whole)) - share @ logs)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("weighted", [False, True])
def test_formulas(criterion, classes, weighted):
    X, y = table(classes)
    weight = np.random.default_rng(0).integers(1, 5, len(y)) / 2.0 if weighted else np.ones(len(y))
    judge = SeparabilityJudge.of(open_source(X, y, weight if weighted else None), criterion)
    assert judge.monotone
    rng = np.random.default_rng(1)
    for _ in range(8):
        subset = tuple(sorted(rng.choice(7, rng.integers(1, 7), replace=False).tolist()))
        assert judge.score(subset) == pytest.approx(written_out(X[:, subset], y, criterion, weight), rel=1e-9)
        others = [j for j in range(7) if j not in subset]
        expected = [judge.score(tuple(sorted((*subset, j)))) for j in others]
        np.testing.assert_allclose(judge.with_each(subset, others), expected, rtol=1e-10)
        fewer = [[i for i in subset if i != j] for j in subset]
        expected = [written_out(X[:, rest], y, criterion, weight) if rest else 0.0 for rest in fewer]
        np.testing.assert_allclose(judge.without_each(subset, subset), expected, rtol=1e-9, atol=1e-14)
    assert judge.score(()) == pytest.approx(0.0, abs=1e-15)
    assert judge.folds((1,)) is None


def test_likelihood_is_that_of_the_rows():
    """The ratio of likelihoods, by scikit-learn's densities."""
    X, y = table(rows=90)
    judge = SeparabilityJudge.of(open_source(X, y), "likelihood")
    subset = [0, 2, 5]
    groups = [X[y == k][:, subset] for k in range(3)]
    own = sum(EmpiricalCovariance().fit(rows).score(rows) * len(rows) / len(X) for rows in groups)
    one = EmpiricalCovariance().fit(X[:, subset]).score(X[:, subset])
    assert judge.score(tuple(subset)) == pytest.approx(own - one, rel=1e-10)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_monotone(criterion):
    """Random chains of subsets: J never falls when a column enters, also when columns are nearly dependent."""
    for seed in range(4):
        X, y = table(2 + seed % 3, rows=40, columns=9, seed=seed)
        X[:, 8] = X[:, 0] + 1e-3 * X[:, 8]
        judge = SeparabilityJudge.of(open_source(X, y), criterion)
        order = np.random.default_rng(seed).permutation(9)
        chain = [judge.score(tuple(sorted(order[:k].tolist()))) for k in range(10)]
        assert np.isfinite(chain).all()
        assert (np.diff(chain) >= -1e-9 * np.abs(chain[1:])).all()


@pytest.mark.parametrize("criterion", CRITERIA)
def test_offset_and_units_change_nothing(criterion):
    rng = np.random.default_rng(0)
    y = np.arange(120) % 3
    X = (rng.integers(-50, 50, (120, 4)) + 30 * y[:, None] * np.array([1, 0, 2, -1])).astype(float)
    near = SeparabilityJudge.of(open_source(X, y), criterion)
    far = SeparabilityJudge.of(open_source((X + 1e9) * [1.0, 4.0, 0.25, 2.0**40], y), criterion)
    for subset in ((0,), (1, 3), (0, 1, 2, 3)):
        assert far.score(subset) == pytest.approx(near.score(subset), rel=1e-10)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_constant_and_dependent_columns(criterion):
    X, y = table(columns=3)
    X = np.column_stack([X, np.full(len(y), 7.0), X[:, 0] - X[:, 2]])
    judge = SeparabilityJudge.of(open_source(X, y), criterion)
    np.testing.assert_array_equal(np.isinf(judge.with_each((0, 2), [1, 3, 4])), [False, True, True])
    assert judge.score((0, 2, 4)) == -np.inf


def test_files_and_clusters_agree_with_memory(tmp_path):
    import dask.array
    import pandas as pd

    X, y = table(rows=90, columns=4)
    frame = pd.DataFrame(X, columns=list("abcd")).assign(target=y)
    frame.to_parquet(tmp_path / "t.parquet")
    given = [
        (str(tmp_path / "t.parquet"), "target"),
        (frame[list("abcd")], y),
        (dask.array.from_array(X, chunks=(40, 4)), dask.array.from_array(y, chunks=40)),
    ]
    for criterion in CRITERIA:
        expected = SeparabilityJudge.of(open_source(X, y), criterion).with_each((1,), [0, 2, 3])
        for rows, target in given:
            source = training_source(sl.GaussianNB(), rows, target, None, target="label", reset=True)
            found = SeparabilityJudge.of(source, criterion).with_each((1,), [0, 2, 3])
            np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_bad_input_is_named():
    X, y = table()
    with pytest.raises(ValueError, match="criterion must be one of mahalanobis"):
        SeparabilityJudge.of(open_source(X, y), "distance")
    with pytest.raises(ValueError, match="y holds 1 class"):
        SeparabilityJudge.of(open_source(X, np.zeros(len(y), int)), "trace")
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN: first at row 3, column 1"):
        SeparabilityJudge.of(open_source(X, y), "trace")
