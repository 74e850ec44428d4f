"""Naive Bayes on counts: scikit-learn's answers over drawn parameters, and products worked out by hand."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sparse
import sklearn.naive_bayes as reference
from hypothesis import given, settings
from hypothesis import strategies as st

import sumlearn as sl
from sumlearn.data import load_example

KINDS = ("BernoulliNB", "CategoricalNB", "ComplementNB", "MultinomialNB")


@pytest.mark.parametrize("name", KINDS)
@settings(max_examples=15)
@given(
    seed=st.integers(0, 99),
    alpha=st.sampled_from([1e-3, 0.5, 1.0, 7.0]),
    fit_prior=st.booleans(),
    weighted=st.booleans(),
    prior=st.sampled_from([None, [0.2, 0.3, 0.5]]),
)
def test_agrees_with_scikit_learn(name, seed, alpha, fit_prior, weighted, prior):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(9, 60)), int(rng.integers(2, 6))  # of one column there is no norm
    X, y = rng.integers(0, 4, (n, d)), np.r_[0, 1, 2, rng.integers(0, 3, n - 3)]
    X[0] = 3  # all categories
    weight = rng.random(n) if weighted else None
    more = {"norm": bool(seed % 2)} if name == "ComplementNB" else {"min_categories": 5} if "Cat" in name else {}
    asked = {"alpha": alpha, "fit_prior": fit_prior, "class_prior": prior, **more}
    ours = getattr(sl, name)(**asked).fit(X, y, weight)
    theirs = getattr(reference, name)(**asked).fit(X, y, weight)
    for attribute in ("class_log_prior_", "class_count_"):
        np.testing.assert_allclose(getattr(ours, attribute), getattr(theirs, attribute), rtol=1e-12)
    for a, b in zip(ours.feature_log_prob_, theirs.feature_log_prob_, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-9, atol=1e-12)
    if name != "CategoricalNB":
        rows = sparse.csr_array(X.astype(float))
        again = getattr(sl, name)(**asked).fit(rows, y, weight)
        np.testing.assert_allclose(again.feature_count_, ours.feature_count_, rtol=1e-13)
        np.testing.assert_allclose(again.predict_proba(rows), ours.predict_proba(X), rtol=1e-9, atol=1e-12)


def table(rng, n):
    """Words, truth values, counts and numbers, with gaps."""
    frame = pd.DataFrame(
        {
            "colour": rng.choice(["red", "green", "blue"], n),
            "wet": rng.random(n) < 0.4,
            "spots": rng.poisson(3.0, n).astype(float),
            "holes": rng.poisson(1.0, n).astype(float),
            "size": rng.normal(1e9, 2.0, n),
        }
    )
    frame.loc[rng.integers(0, n, 5), "colour"] = None
    frame.loc[rng.integers(0, n, 5), "size"] = np.nan
    frame.loc[rng.integers(0, n, 5), "spots"] = np.nan
    return frame, rng.choice(["eat", "leave"], n)


def by_hand(frame, y, row, label, alpha, smoothing=1e-9):
    """ln p(x, k) of a row, from the definition."""
    own = frame[y == label]
    total = np.log((y == label).mean())
    if isinstance(row.colour, str):
        known = own.colour.dropna()
        total += np.log(((known == row.colour).sum() + alpha) / (len(known) + alpha * frame.colour.nunique()))
    total += np.log(((own.wet == row.wet).sum() + alpha) / (len(own) + 2 * alpha))
    counts = own[["spots", "holes"]].sum() + alpha
    shares = np.log(counts / counts.sum())
    total += (row[["spots", "holes"]].astype(float).fillna(0.0) * shares).sum()
    if not np.isnan(row["size"]):
        away = own["size"] - 1e9
        variance = away.var(ddof=0) + smoothing * (frame["size"] - 1e9).var(ddof=0)
        total += -0.5 * np.log(2 * np.pi * variance) - (row["size"] - 1e9 - away.mean()) ** 2 / (2 * variance)
    return total


@pytest.mark.parametrize("alpha", [0.5, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_mixed_tables_against_the_definition(alpha, seed):
    frame, y = table(np.random.default_rng(seed), 60)
    model = sl.NaiveBayes(alpha=alpha, count_features=["spots", "holes"]).fit(frame, y)
    found = model.predict_joint_log_proba(frame)
    expected = [[by_hand(frame, y, row, label, alpha) for label in ("eat", "leave")] for _, row in frame.iterrows()]
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-6)


def test_numbers_alone_are_gaussian_naive_bayes():
    iris = load_example("iris")
    ours = sl.NaiveBayes().fit(iris.X, iris.y).predict_proba(iris.X)
    np.testing.assert_allclose(ours, sl.GaussianNB().fit(iris.X, iris.y).predict_proba(iris.X), atol=1e-6)


def test_categories_alone_are_categorical_naive_bayes():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 4, (80, 5)), rng.integers(0, 3, 80)
    X[:4] = np.arange(4)[:, None]
    frame = pd.DataFrame(X, columns=list("abcde"))
    model = sl.NaiveBayes(categorical_features=list("abcde")).fit(frame, y)
    expected = reference.CategoricalNB().fit(X, y).predict_proba(X)
    np.testing.assert_allclose(model.predict_proba(frame), expected, rtol=1e-9)
    assert np.array_equal(model.predict(frame), sl.NaiveBayes().fit(frame.astype(str), y).predict(frame.astype(str)))
