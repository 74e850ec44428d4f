"""Ranker against scikit-learn, SciPy, exact arithmetic and closed forms; the laws of its sums."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf
from scipy import stats
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_selection import SelectKBest, f_classif, f_regression, mutual_info_classif
from sklearn.feature_selection._mutual_info import _compute_mi_cc, _compute_mi_cd
from sklearn.linear_model import LinearRegression
from sklearn.metrics import mutual_info_score
from sklearn.model_selection import KFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import sumlearn as sl
from sumlearn.features import bin_edges
from sumlearn.selection import Ranker
from sumlearn.statistics import LevelCounts, RowSample
from sumlearn.statistics.bins import quantile_edges, quantiles
from sumlearn.testing import check_learner
from sumlearn.testing.learners import Laws
from sumlearn.testing.statistics import check_identity

rng = np.random.default_rng(0)
LABELS = np.array(["a", "b", "c"])[rng.integers(0, 3, 240)]
X = rng.standard_normal((240, 6)) + np.outer(LABELS == "a", [2.0, 1.0, 0.5, 0.2, 0.0, 0.0])
Y = X @ [1.0, -2.0, 0.0, 0.3, 0.0, 0.0] + rng.standard_normal(240)
LEVELS = np.round(2 * X).clip(-3, 3)
WEIGHT = rng.integers(0, 4, 240).astype(float)

SUMS = [
    (Ranker("pearson", k=3), X, Y),
    (Ranker("pearson", k=2, task="classification"), X, LABELS == "a"),
    (Ranker("f", k=2), X, LABELS),
    (Ranker("f", k=2, task="regression"), X, Y),
    (Ranker("fisher", threshold=0.05), X, LABELS),
    (Ranker("mutual_information", k=3), LEVELS, LABELS),
    (Ranker("mutual_information", k=3, bins=np.tile([-0.5, 0.0, 1.0], (6, 1))), X, LABELS),
    (Ranker("symmetric_uncertainty", k=4), LEVELS, LABELS),
]
ROWS = [
    Ranker("one_feature", k=2),
    Ranker("one_feature", k=2, estimator="naive_bayes"),
    Ranker("mutual_information", k=2, estimator="knn"),
]
each_sum = pytest.mark.parametrize("ranker, X, y", SUMS, ids=lambda v: v.score if isinstance(v, Ranker) else "")


# -- labels or numbers ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["memory", "file", "chunks"])
def test_permuted_codes_of_classes_give_the_same_ranking(place, tmp_path):
    """By default a few whole numbers are labels: their order and distances mean nothing."""
    codes = np.searchsorted(["a", "b", "c"], LABELS)
    rankers = []
    for permuted in (codes, np.array([5, 0, 2])[codes]):
        if place == "file":
            frame = pd.DataFrame(X, columns=list("uvwxyz")).assign(target=permuted)
            frame.to_csv(tmp_path / "rows.csv", index=False)
            rankers.append(Ranker().fit(tmp_path / "rows.csv", "target"))
        elif place == "memory":
            rankers.append(Ranker().fit(X, permuted))
        else:
            rankers.append(Ranker().partial_fit(X[:100], permuted[:100]).partial_fit(X[100:], permuted[100:]))
    expected = Ranker("f").fit(X, LABELS)
    for ranker in rankers:
        np.testing.assert_allclose(ranker.scores_, expected.scores_, rtol=1e-9)
        assert ranker.order_.tolist() == expected.order_.tolist()
    for permuted in (codes, np.array([1, 0, 2])[codes]):  # the third class comes later, in either order of the others
        two = permuted < 2
        later = Ranker().partial_fit(X[two], permuted[two]).partial_fit(X[~two], permuted[~two])
        np.testing.assert_allclose(later.scores_, rankers[0].scores_, rtol=1e-12)
        np.testing.assert_allclose(Ranker().fit(X, permuted == 2).scores_, Ranker("f").fit(X, permuted == 2).scores_)
    joined = Ranker().fit(X[::2], codes[::2]) + Ranker().fit(X[1::2], codes[1::2])
    np.testing.assert_allclose(joined.scores_, expected.scores_, rtol=1e-9)


def test_the_score_without_a_name_follows_the_target():
    assert Ranker().fit(X, Y).scores_.tolist() == Ranker("pearson").fit(X, Y).scores_.tolist()
    assert Ranker(task="classification").fit(X, LABELS).scores_.tolist() == Ranker("f").fit(X, LABELS).scores_.tolist()
    whole = np.arange(240)
    assert Ranker().fit(X, whole).scores_.tolist() == Ranker("pearson").fit(X, whole).scores_.tolist()


def test_codes_of_many_classes_are_asked_about(tmp_path):
    """Twelve classes whose codes could be ages: a correlation with the codes would change with their order."""
    codes = np.arange(240) % 12
    path = tmp_path / "codes.csv"
    pd.DataFrame(X[:, :2], columns=["u", "v"]).assign(target=codes).to_csv(path, index=False)
    words = "more than 10 different whole numbers, which may be labels or numbers: say task="
    for ranker in (Ranker(), Ranker("pearson")):
        for fit in (lambda r: r.fit(X, codes), lambda r: r.fit(path, "target"), lambda r: r.partial_fit(X, codes)):
            with pytest.raises(ValueError, match=words):
                fit(clone(ranker))
    for order in (np.arange(12), np.arange(12)[::-1] * 3):
        ranker = Ranker(task="classification").fit(X, order[codes])
        np.testing.assert_allclose(ranker.scores_, Ranker("f", task="classification").fit(X, codes).scores_, rtol=1e-9)
    assert Ranker(task="regression").fit(X, codes).chosen_score == "pearson"


def test_a_target_that_may_be_either_is_asked_about(tmp_path):
    codes = np.searchsorted(["a", "b", "c"], LABELS)
    for y in (codes, codes.astype(float)):
        with pytest.raises(ValueError, match="3 different whole numbers, which may be labels or numbers: say task="):
            Ranker("pearson").fit(X, y)
    for score in ("f", "one_feature"):
        with pytest.raises(ValueError, match="more than 10 different whole numbers, which may be labels or numbers"):
            Ranker(score).fit(X, np.arange(240) // 2)
    path = tmp_path / "whole.csv"
    lines = [f"{a},{b}" for a, b in zip(X[:, 0], np.arange(240) // 2, strict=True)]
    path.write_text("\n".join(["x,y", *lines]))
    with pytest.raises(ValueError, match="more than 10 different whole numbers, which may be labels or numbers"):
        Ranker("f").fit(path, "y")
    assert len(Ranker("f", task="classification").fit(path, "y").scores_) == 1
    for start in (1, 3):  # a stream of single rows must not end in a correlation with codes
        with pytest.raises(ValueError, match=f"whole numbers.*n_samples = {start} is too few to tell"):
            Ranker().partial_fit(X[:start], codes[:start])
    for task in ("classification", "regression"):
        assert len(Ranker("f", task=task).fit(X, codes).scores_) == 6
    assert (
        Ranker("pearson").fit(X, codes == 1).scores_.tolist() == Ranker("pearson").fit(X, codes != 1).scores_.tolist()
    )


@pytest.mark.parametrize("y", [LABELS, LABELS.astype(object)], ids=["text", "objects"])
def test_the_error_for_words_names_the_remedy(y):
    with pytest.raises(ValueError, match="words are labels, say task='classification'"):
        Ranker("pearson").fit(X, y)
    with pytest.raises(ValueError, match="words are labels, say task='classification'"):
        Ranker().fit(X, y)
    with pytest.raises(ValueError, match=r"row 0 holds -?[\d.]+; numbers are ranked with task='regression'"):
        Ranker("f").fit(X, Y)
    with pytest.raises(ValueError, match="numbers are ranked with task='regression', by another score or estimator"):
        Ranker("fisher").fit(X, Y)


# -- the protocol -----------------------------------------------------------------------------------------------------


# A parameter is read and set as the attribute of its name, by get_params, set_params, clone, the text and users; so
# `score` cannot be a method too. A method would have to hide the parameter in another place and override all of these,
# and would have nothing to score: a ranker predicts nothing. The three checks hold once the attribute is not called.
REASON = "they call whatever is named score; here that is the name of one, not a method"


@parametrize_with_checks(
    [Ranker(), Ranker("mutual_information", k=1, bins=4), Ranker("one_feature", cv=2)],
    expected_failed_checks=lambda ranker: dict.fromkeys(
        (
            "check_n_features_in_after_fitting",
            *(() if ranker.score is None else ("check_fit_score_takes_y", "check_pipeline_consistency")),
        ),
        REASON,
    ),
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_selects_names_and_keeps_tables():
    frame = pd.DataFrame(X, columns=list("uvwxyz"))
    ranker = Ranker("f", k=2).set_output(transform="pandas").fit(frame, LABELS)
    assert list(ranker.get_feature_names_out()) == ["u", "v"]
    assert list(ranker.transform(frame).columns) == ["u", "v"]
    assert ranker.get_support(indices=True).tolist() == [0, 1]
    assert ranker.inverse_transform(ranker.transform(frame)).shape == X.shape
    model = make_pipeline(Ranker("f", k=3), LinearDiscriminantAnalysis()).fit(frame, LABELS)
    other = make_pipeline(SelectKBest(f_classif, k=3), LinearDiscriminantAnalysis()).fit(frame, LABELS)
    assert (model.predict(frame) == other.predict(frame)).all()


def test_top_k_and_threshold():
    ranker = Ranker("f").fit(X, LABELS)
    assert ranker.order_.tolist() == np.argsort(-ranker.scores_).tolist()
    assert ranker.ranking_[ranker.order_].tolist() == [1, 2, 3, 4, 5, 6]
    assert ranker.get_support().all()
    theta = np.sort(ranker.scores_)[3]
    assert (ranker.set_params(threshold=theta).get_support() == (ranker.scores_ >= theta)).all()
    assert ranker.set_params(k=1).get_support(indices=True).tolist() == [ranker.order_[0]]
    twins = Ranker("f", k=1).fit(X[:, [1, 0, 0]], LABELS)
    assert twins.order_.tolist() == [1, 2, 0]  # of equals the earlier column


# -- agreement --------------------------------------------------------------------------------------------------------


def test_f_and_pearson_are_scikit_learns():
    F, p = f_classif(X, LABELS)
    ranker = Ranker("f").fit(X, LABELS)
    np.testing.assert_allclose(ranker.scores_, F, rtol=1e-10)
    np.testing.assert_allclose(ranker.p_values_, p, rtol=1e-8)
    F, p = f_regression(X, Y)
    np.testing.assert_allclose(Ranker("f", task="regression").fit(X, Y).scores_, F, rtol=1e-10)
    ranker = Ranker("pearson").fit(X, Y)
    np.testing.assert_allclose(ranker.p_values_, p, rtol=1e-8)
    np.testing.assert_allclose(ranker.scores_, [abs(stats.pearsonr(x, Y)[0]) for x in X.T], rtol=1e-10)


def test_pearson_of_two_classes_is_the_point_biserial_correlation():
    y = np.where(LABELS == "a", "yes", "no")
    ranker = Ranker("pearson", task="classification").fit(X, y)
    expected = [stats.pointbiserialr(y == "yes", x) for x in X.T]
    np.testing.assert_allclose(ranker.scores_, [abs(e[0]) for e in expected], rtol=1e-10)
    np.testing.assert_allclose(ranker.p_values_, [e[1] for e in expected], rtol=1e-8)


def test_fisher_is_between_over_within():
    values = []
    for x in X.T:
        groups = [x[k == LABELS] for k in "abc"]
        between = sum(len(g) * (g.mean() - x.mean()) ** 2 for g in groups)
        values.append(between / sum(((g - g.mean()) ** 2).sum() for g in groups))
    np.testing.assert_allclose(Ranker("fisher").fit(X, LABELS).scores_, values, rtol=1e-10)


@settings(max_examples=20)
@given(st.integers(2, 9), st.integers(2, 5), st.integers(0, 2**32 - 1))
def test_information_is_scikit_learns(levels, classes, seed):
    draw = np.random.default_rng(seed)
    Z, y = draw.integers(0, levels, (80, 4)) - 3, draw.integers(0, classes, 80)
    y[:2] = 0, 1
    ranker = Ranker("mutual_information").fit(Z, y)
    np.testing.assert_allclose(ranker.scores_, [mutual_info_score(z, y) for z in Z.T], atol=1e-12)
    expected = mutual_info_classif(Z, y, discrete_features=True)
    np.testing.assert_allclose(ranker.scores_, expected, atol=1e-12)
    for z, p in zip(Z.T, ranker.p_values_, strict=True):
        table = pd.crosstab(z, y).to_numpy()
        found = stats.chi2_contingency(table, correction=False, lambda_="log-likelihood").pvalue
        assert p == pytest.approx(found, rel=1e-8)


def test_symmetric_uncertainty_by_hand():
    """Four rows: H(x) = log 2, H(y) = log 2, I = 0 and log 2."""
    Z = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    assert Ranker("symmetric_uncertainty").fit(Z, [0, 0, 1, 1]).scores_ == pytest.approx([1.0, 0.0], abs=1e-15)
    tennis = sl.data.load_example("play_tennis")
    codes = np.column_stack([np.unique(column, return_inverse=True)[1] for column in tennis.X.T])
    gains = Ranker("mutual_information").fit(codes, tennis.y).scores_ / np.log(2.0)
    found = dict(zip(tennis.columns, gains, strict=True))
    for name, gain in {"Outlook": 0.2467, "Humidity": 0.1518, "Wind": 0.0481, "Temperature": 0.0292}.items():
        assert found[name] == pytest.approx(gain, abs=5e-5)


@pytest.mark.parametrize("neighbours", [1, 3, 7])
def test_neighbours_are_scikit_learns(neighbours):
    """Against the estimates themselves, without the noise that mutual_info_classif adds to the columns."""
    knn = Ranker("mutual_information", estimator="knn", n_neighbors=neighbours)
    found = clone(knn).fit(X, LABELS).scores_
    np.testing.assert_allclose(found, [_compute_mi_cd(x, LABELS, neighbours) for x in X.T], rtol=1e-12)
    found = clone(knn).set_params(task="regression").fit(X, Y).scores_
    expected = [_compute_mi_cc(x / x.std(), Y / Y.std(), neighbours) for x in X.T]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_neighbours_find_the_information_of_gaussians():
    """I = -log(1 - r^2) / 2 for a normal pair."""
    draw = np.random.default_rng(1)
    x, noise = draw.standard_normal((2, 4000))
    for r in (0.0, 0.6, 0.9):
        y = r * x + np.sqrt(1 - r**2) * noise
        found = Ranker("mutual_information", estimator="knn", task="regression").fit(x[:, None], y).scores_[0]
        assert found == pytest.approx(-0.5 * np.log(1 - r**2), abs=0.05)


@pytest.mark.parametrize("cv", [3, KFold(4, shuffle=True, random_state=0)], ids=["3 folds", "shuffled"])
def test_one_feature_is_cross_validation_of_each(cv):
    for name, model in (("lda", LinearDiscriminantAnalysis()), ("naive_bayes", GaussianNB())):
        found = Ranker("one_feature", estimator=name, cv=cv).fit(X, LABELS).scores_
        expected = [cross_val_score(model, X[:, [j]], LABELS, cv=cv).mean() for j in range(6)]
        np.testing.assert_allclose(found, expected, rtol=1e-12)
        y = LABELS == "a"
        found = Ranker("one_feature", estimator=name, cv=cv, scoring="auc").fit(X, y).scores_
        expected = [cross_val_score(model, X[:, [j]], y, cv=cv, scoring="roc_auc").mean() for j in range(6)]
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    found = Ranker("one_feature", task="regression", cv=cv).fit(X, Y).scores_
    expected = [cross_val_score(LinearRegression(), X[:, [j]], Y, cv=cv).mean() for j in range(6)]
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_one_feature_weighs_rows():
    """As cross-validation of each feature with the same weights, in training and in scoring."""
    for ranker, model, y in (
        (Ranker("one_feature", cv=3), sl.LinearDiscriminantAnalysis(), LABELS),
        (Ranker("one_feature", cv=3, estimator="naive_bayes"), sl.GaussianNB(), LABELS),
        (Ranker("one_feature", cv=3, task="regression"), sl.LinearRegression(), Y),
    ):
        found = ranker.fit(X, y, sample_weight=WEIGHT).scores_
        for j in range(6):
            scores = sl.cross_validate(model, X[:, [j]], y, cv=3, sample_weight=WEIGHT)["test_score"]
            assert found[j] == pytest.approx(scores.mean(), rel=1e-9)


# -- numerics ---------------------------------------------------------------------------------------------------------


def exact_f(column, labels):
    """F of an analysis of variance in 60 digits."""
    mp.dps = 60
    values = [mpf(float(v)) for v in column]
    names = sorted(set(labels))
    groups = [[v for v, label in zip(values, labels, strict=True) if label == k] for k in names]
    mean = sum(values) / len(values)
    means = [sum(g) / len(g) for g in groups]
    between = sum(len(g) * (m - mean) ** 2 for g, m in zip(groups, means, strict=True))
    within = sum((v - m) ** 2 for g, m in zip(groups, means, strict=True) for v in g)
    return float((between / (len(names) - 1)) / (within / (len(values) - len(names))))


@pytest.mark.parametrize("offset", [0.0, 1e9, -1e12])
def test_an_offset_costs_no_digits(offset):
    Z = X + offset  # rounded once; what is left is scored exactly
    expected = [exact_f(z, LABELS) for z in Z.T]
    np.testing.assert_allclose(Ranker("f").fit(Z, LABELS).scores_, expected, rtol=1e-13)
    parts = [Ranker("f").fit(Z[i::3], LABELS[i::3]) for i in range(3)]
    np.testing.assert_allclose(sum(parts).scores_, expected, rtol=1e-13)
    plain = Ranker("pearson").fit(np.round(X * 64) / 64, Y).scores_
    np.testing.assert_allclose(Ranker("pearson").fit(np.round(X * 64) / 64 + offset, Y).scores_, plain, rtol=1e-7)


def test_scales_do_not_matter():
    for scale in (1e-160, 1e150):
        np.testing.assert_allclose(
            Ranker("f").fit(X * scale, LABELS).scores_, Ranker("f").fit(X, LABELS).scores_, rtol=1e-9
        )


# -- the laws ---------------------------------------------------------------------------------------------------------


@each_sum
def test_rankers_add_up(ranker, X, y):
    if isinstance(ranker.bins, np.ndarray):  # edges are for all columns, so restrict is no fit with the same parameter
        laws = Laws(ranker, X, y, 1e-9)
        for law in (laws.of_merge, laws.of_update, laws.of_forget, laws.of_fits, laws.of_decay):
            law()
    else:
        check_learner(ranker, X, y)


@each_sum
def test_scores_add_up(ranker, X, y):
    """check_learner compares what is selected; here the scores themselves."""
    whole = clone(ranker).fit(X, y)
    parts = [clone(ranker).fit(X[i::3], y[i::3]) for i in range(3)]
    np.testing.assert_allclose(sum(parts).scores_, whole.scores_, rtol=1e-10, atol=1e-14)
    np.testing.assert_allclose((whole - parts[0]).scores_, (parts[1] + parts[2]).scores_, rtol=1e-8, atol=1e-12)
    weighted = clone(ranker).fit(X, y, sample_weight=WEIGHT)
    repeated = clone(ranker).fit(np.repeat(X, WEIGHT.astype(int), axis=0), np.repeat(y, WEIGHT.astype(int)))
    np.testing.assert_allclose(weighted.scores_, repeated.scores_, rtol=1e-10, atol=1e-14)
    part = whole.set_params(k=None).restrict([4, 1])
    np.testing.assert_allclose(part.scores_, whole.scores_[[4, 1]], rtol=1e-12)


@each_sum
def test_any_source_gives_the_same_scores(ranker, X, y, tmp_path):
    names = [f"x{j}" for j in range(6)]
    whole = clone(ranker).fit(X, y)
    frame = pd.DataFrame(X, columns=names)
    for other in (frame, pl.DataFrame(frame), sparse.csr_matrix(X), np.asfortranarray(X)):
        np.testing.assert_allclose(clone(ranker).fit(other, y).scores_, whole.scores_, rtol=1e-12, atol=1e-15)
    path = tmp_path / "table.parquet"
    pl.DataFrame(frame).with_columns(target=np.asarray(y)).write_parquet(path)
    found = clone(ranker).fit(str(path), "target")
    np.testing.assert_allclose(found.scores_, whole.scores_, rtol=1e-10, atol=1e-15)
    assert found.transform(frame).shape == whole.transform(X).shape


@each_sum
def test_dask_gives_the_same_scores(ranker, X, y):
    array = pytest.importorskip("dask.array")
    found = clone(ranker).fit(array.from_array(X, chunks=(80, 6)), array.from_array(np.asarray(y), chunks=80))
    np.testing.assert_allclose(found.scores_, clone(ranker).fit(X, y).scores_, rtol=1e-10, atol=1e-15)


@each_sum
def test_models_are_saved(ranker, X, y, tmp_path):
    model = clone(ranker).fit(X, y)
    sl.save(model, tmp_path / "model")
    copy = sl.load(tmp_path / "model")
    assert (copy.scores_ == model.scores_).all()
    assert ((copy + model).scores_ == (model + model).scores_).all()


@pytest.mark.parametrize("ranker", ROWS)
def test_scores_of_rows_are_saved(ranker, tmp_path):
    model = clone(ranker).fit(X, LABELS)
    sl.save(model, tmp_path / "model")
    copy = sl.load(tmp_path / "model")
    assert (copy.scores_ == model.scores_).all()
    assert copy.set_params(k=1).get_support(indices=True).tolist() == [model.order_[0]]


# -- bins -------------------------------------------------------------------------------------------------------------


def test_bins_are_quantiles_and_travel_with_the_sums():
    first, second = X[:120], X[120:]
    ranker = Ranker("mutual_information", bins=4).fit(first, LABELS[:120])
    codes = np.column_stack([np.searchsorted(e, x, side="right") for e, x in zip(ranker.edges_, first.T, strict=True)])
    assert (np.bincount(codes[:, 0]) == 30).all()
    np.testing.assert_allclose(ranker.scores_, Ranker("mutual_information").fit(codes, LABELS[:120]).scores_)
    other = Ranker("mutual_information", bins=4).fit(second, LABELS[120:])
    with pytest.raises(ValueError, match="edges_"):
        ranker + other
    fixed = Ranker("mutual_information", bins=ranker.edges_)
    together = clone(fixed).fit(first, LABELS[:120]) + clone(fixed).fit(second, LABELS[120:])
    grown = clone(ranker).fit(first, LABELS[:120]).partial_fit(second, LABELS[120:])
    np.testing.assert_allclose(together.scores_, grown.scores_)
    np.testing.assert_allclose(together.scores_, clone(fixed).fit(X, LABELS).scores_)
    left = grown.forget(second, LABELS[120:])
    np.testing.assert_allclose(left.scores_, ranker.scores_)


def test_bins_are_the_same_from_any_source(tmp_path):
    array = pytest.importorskip("dask.array")
    frame = pd.DataFrame(X, columns=list("uvwxyz")).assign(label=LABELS, weight=WEIGHT)
    frame.to_csv(tmp_path / "table.csv", index=False)
    ranker = Ranker("mutual_information", bins=5)
    whole = clone(ranker).fit(X, LABELS, sample_weight=WEIGHT)
    blocks = [array.from_array(values, chunks=(80, 6)[: values.ndim]) for values in (X, LABELS, WEIGHT)]
    for found in (
        clone(ranker).fit(*blocks[:2], sample_weight=blocks[2]),
        clone(ranker).fit(str(tmp_path / "table.csv"), "label", sample_weight="weight"),
    ):
        assert (found.edges_ == whole.edges_).all() and (found.scores_ == whole.scores_).all()


def test_quantiles_of_very_many_rows_are_those_of_some(monkeypatch):
    parts = [RowSample.numbered(range(i, i + 30), X[i : i + 30], size=100) for i in range(0, 240, 30)]
    check_identity(parts)
    found = sum(parts).in_order()
    assert found.rows == 240 and len(found.X) == 100
    places = [int(np.flatnonzero((row == X).all(axis=1))[0]) for row in found.X]
    assert places == found.numbers.tolist()
    assert (np.diff(places) >= 1).all() and np.diff(places).max() < 20 and np.ptp(places) > 200  # spread over all rows
    monkeypatch.setattr(bin_edges, "MOST_NUMBERS", 6 * 100)
    edges = Ranker("mutual_information", bins=5).fit(X, LABELS).edges_
    assert (edges == quantile_edges(found.X, None, 5)).all()


def test_few_values_stay_apart_in_bins():
    assert Ranker("mutual_information", bins=8).fit(LEVELS, LABELS).scores_ == pytest.approx(
        Ranker("mutual_information").fit(LEVELS, LABELS).scores_, abs=1e-14
    )


@given(st.lists(st.integers(0, 30), min_size=1, max_size=60), st.integers(2, 10))
def test_quantiles_part_the_weight(values, bins):
    column = np.array(values, dtype=float)
    edges = quantiles(column, np.ones(len(column)), bins)
    assert (np.diff(edges) > 0).all() and len(edges) < bins
    sizes = np.bincount(np.searchsorted(edges, column, side="right"), minlength=len(edges) + 1)
    assert sizes.min() > 0
    largest = np.unique(column, return_counts=True)[1].max()
    assert sizes.max() <= len(column) / bins + 2 * largest or len(np.unique(column)) <= bins
    weights = np.arange(len(column)) % 3 + 1
    repeated = np.repeat(column, weights)
    assert quantiles(column, weights.astype(float), bins).tolist() == pytest.approx(
        quantiles(repeated, np.ones(len(repeated)), bins).tolist()
    )


# -- refusals ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "ranker, y, message",
    [
        (Ranker("chi"), LABELS, "score must be one of"),
        (Ranker("f", k=7), LABELS, "k must be between 1 and n_features = 6"),
        (Ranker("f", k=0), LABELS, "k must be"),
        (Ranker("f", k=True), LABELS, "k must be"),
        (Ranker("f", threshold="high"), LABELS, "threshold"),
        (Ranker("f", task="ranking"), LABELS, "task"),
        (Ranker("fisher", task="regression"), Y, "task"),
        (Ranker("mutual_information", task="regression"), Y, "knn"),
        (Ranker("mutual_information", estimator="lda"), LABELS, "estimator"),
        (Ranker("mutual_information", bins=1), LABELS, "bins"),
        (Ranker("mutual_information", bins="many"), LABELS, "bins"),
        (Ranker("mutual_information", bins=[[0.0]]), LABELS, "bins has edges for 1 columns, X has 6"),
        (Ranker("mutual_information", bins=[[1.0, 0.0]] * 6), LABELS, "column 0"),
        (Ranker("mutual_information", estimator="knn", n_neighbors=0), LABELS, "n_neighbors"),
        (Ranker("one_feature", scoring="loss"), LABELS, "scoring"),
        (Ranker("one_feature", scoring="auc"), LABELS, "two classes"),
        (Ranker("one_feature", estimator="lda", task="regression"), Y, "estimator"),
        (Ranker("pearson", task="classification"), LABELS, "3 classes: take score='f', or say task='regression'"),
        *((Ranker(score), np.full(240, "a"), "one class") for score in ("f", "mutual_information", "one_feature")),
        (Ranker("mutual_information", estimator="knn"), np.full(240, "a"), "one class"),
    ],
)
def test_refusals_name_what_is_wrong(ranker, y, message):
    assert type(ranker).__name__ in repr(ranker) and ranker._repr_html_()  # looking at it is no use of it
    with pytest.raises(ValueError, match=message):
        ranker.fit(X, y)
    if hasattr(ranker, "partial_fit"):
        with pytest.raises(ValueError, match=message):
            ranker.partial_fit(X, y).get_support()


@pytest.mark.parametrize("ranker", [SUMS[0][0], SUMS[2][0], SUMS[6][0], Ranker("mutual_information", bins=3), *ROWS])
def test_bad_values_are_named(ranker):
    bad = pd.DataFrame(X, columns=list("uvwxyz"))
    bad.loc[17, "w"] = np.nan
    y = Y if ranker.score == "pearson" else LABELS
    with pytest.raises(ValueError, match="row 17, column 'w'"):
        clone(ranker).fit(bad, y)


def test_what_is_transformed_is_checked(tmp_path):
    frame = pd.DataFrame(X, columns=list("uvwxyz"))
    ranker = Ranker("f", k=2).fit(frame, LABELS)
    with pytest.raises(ValueError, match="column 'u' holds text"):
        ranker.transform(frame.astype(str))
    with pytest.raises(ValueError, match="row 3, column 'z'"):
        ranker.transform(frame.where(~(frame.index == 3)[:, None] | (frame.columns != "z")[None]))
    assert ranker.transform(pd.DataFrame(LEVELS.astype(int), columns=list("uvwxyz"))).dtype == np.int64
    pl.DataFrame(frame).write_parquet(tmp_path / "table.parquet")
    assert (ranker.transform(str(tmp_path / "table.parquet")) == X[:, :2]).all()


def test_continuous_columns_are_not_taken_for_levels():
    frame = pd.DataFrame(rng.standard_normal((300, 2)), columns=["u", "v"])
    with pytest.raises(ValueError, match="column 'u' has more than 256 levels .* bins"):
        Ranker("mutual_information").fit(frame, np.arange(300) % 2)


def test_constant_features_score_nothing():
    Z = np.column_stack([X[:, 0], np.full(240, 3.0)])
    for ranker in (Ranker("f"), Ranker("fisher"), Ranker("mutual_information", bins=4), ROWS[2]):
        model = clone(ranker).set_params(k=None).fit(Z, LABELS)
        assert model.scores_[1] == 0.0 and model.scores_[0] > 0.0
    assert Ranker("pearson").fit(Z, Y).scores_[1] == 0.0
    assert Ranker("f").fit(Z, LABELS).p_values_[1] == 1.0
    perfect = Ranker("f").fit((LABELS == "a")[:, None], LABELS == "a")
    assert perfect.scores_[0] == np.inf and perfect.p_values_[0] == 0.0


def test_scores_that_need_rows_are_no_sums():
    for ranker in ROWS:
        model = clone(ranker).fit(X, LABELS)
        assert not hasattr(model, "partial_fit") and not hasattr(model, "forget")
        with pytest.raises(TypeError):
            model + model
    with pytest.raises(ValueError, match="fit anew"):
        Ranker("f").fit(X, LABELS).set_params(score="mutual_information").transform(X)
    with pytest.raises(ValueError, match="sample_weight"):
        ROWS[2].fit(X, LABELS, sample_weight=WEIGHT)


def test_many_columns_are_scored_in_strips():
    """Restricted sums are cut elsewhere than those of a new fit, and are added all the same."""
    draw = np.random.default_rng(5)
    Z, y = draw.standard_normal((60, 150)) + 1e6, draw.standard_normal(60)
    whole = Ranker("pearson").fit(Z, y)
    np.testing.assert_allclose(whole.scores_, [abs(stats.pearsonr(z - 1e6, y)[0]) for z in Z.T], rtol=1e-8)
    some = draw.permutation(150)[:70]
    part = Ranker("pearson").fit(Z[:30], y[:30]).restrict(some) + Ranker("pearson").fit(Z[30:][:, some], y[30:])
    np.testing.assert_allclose(part.scores_, whole.scores_[some], rtol=1e-12)
    np.testing.assert_allclose((part - Ranker("pearson").fit(Z[30:, some], y[30:])).scores_,
                               Ranker("pearson").fit(Z[:30][:, some], y[:30]).scores_, rtol=1e-8)  # fmt: skip
    Z[40, 100] = np.inf
    with pytest.raises(ValueError, match="row 40, column 100"):
        Ranker("pearson").fit(Z, y)


def test_levels_of_many_kinds_of_numbers_are_the_same():
    expected = LevelCounts.of(LEVELS.astype(float), LABELS, form="pairs")
    for dtype in (np.int8, np.int64, np.float32, ">i4", ">f8"):
        found = LevelCounts.of(LEVELS.astype(dtype), LABELS, form="pairs")
        assert (found.values == expected.values).all() and (found.pairs == expected.pairs).all()
    large = LevelCounts.of(np.array([[2**60], [2**60 + 1], [5]]), [0, 1, 1])
    assert large.values.tolist() == [5.0, 2.0**60]
    assert large.table.tolist() == [[0.0, 1.0], [1.0, 1.0]]


def test_neighbours_are_not_misled_by_equal_numbers():
    """A column of two values and a target of whole numbers: equal ones carry no information by being equal."""
    from sklearn.datasets import load_diabetes
    from sklearn.feature_selection import mutual_info_regression

    X, y = load_diabetes(return_X_y=True)
    found = Ranker("mutual_information", estimator="knn", task="regression").fit(X, y).scores_
    draws = [mutual_info_regression(X, y, random_state=seed) for seed in range(5)]
    assert np.abs(found - np.mean(draws, axis=0)).max() < 0.04
    assert found.argmax() == 2


def test_neighbours_of_labels_are_not_misled_by_equal_numbers():
    """Measures to a tenth: every row has equals, at no distance, which says nothing against a column."""
    from sklearn.feature_selection import mutual_info_classif

    for name in ("iris", "pima"):
        table = sl.data.load_example(name)
        found = Ranker("mutual_information", estimator="knn").fit(table.X, table.y).scores_
        draws = [mutual_info_classif(table.X, table.y, discrete_features=False, random_state=seed) for seed in range(5)]
        assert np.abs(found - np.mean(draws, axis=0)).max() < 0.03
        far = Ranker("mutual_information", estimator="knn").fit(1e6 + 1024.0 * table.X, table.y).scores_
        assert np.abs(found - far).max() < 0.03
