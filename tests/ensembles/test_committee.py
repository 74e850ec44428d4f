"""Committees: rules against hand calculation and scikit-learn, sums against refits, members of any library."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sumlearn as sl
from sumlearn.data import load_example
from sumlearn.ensembles.parts.rules import RULES, decided, median, points, shares, votes

IRIS = load_example("iris")
X, Y = np.asarray(IRIS.X), np.asarray(IRIS.y)
EXPERTS = [
    ("lda", sl.LinearDiscriminantAnalysis()),
    ("qda", sl.QuadraticDiscriminantAnalysis()),
    ("nb", sl.GaussianNB()),
]
SAID = np.array([[[0.7, 0.2, 0.1]], [[0.3, 0.4, 0.3]], [[0.1, 0.5, 0.4]]])  # three experts, one row, three classes


# -- the rules, by hand ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("majority", [1, 2, 0]),
        ("preference", [2 + 0.5 + 0, 1 + 2 + 2, 0 + 0.5 + 1]),
        ("mean", [1.1 / 3, 1.1 / 3, 0.8 / 3]),
        ("median", [0.3, 0.4, 0.3]),
        ("product", np.log([0.7 * 0.3 * 0.1, 0.2 * 0.4 * 0.5, 0.1 * 0.3 * 0.4])),
    ],
)
def test_rules_by_hand(rule, expected):
    np.testing.assert_allclose(decided(SAID, np.ones(3), rule)[0], expected, rtol=1e-14)


@pytest.mark.parametrize("rule", RULES)
def test_weight_two_is_the_expert_twice(rule):
    rng = np.random.default_rng(0)
    said = rng.dirichlet(np.ones(4), size=(3, 50))
    twice = decided(np.concatenate([said, said[1:2]]), np.ones(4), rule)
    np.testing.assert_allclose(decided(said, np.array([1.0, 2.0, 1.0]), rule), twice, rtol=1e-12)


def test_weighted_median_is_numpys_where_weights_are_equal():
    said = np.random.default_rng(1).random((6, 40, 3))
    np.testing.assert_allclose(median(said, np.full(6, 0.1)), np.median(said, axis=0), rtol=1e-13)
    np.testing.assert_allclose(median(said[:5], np.ones(5)), np.median(said[:5], axis=0), rtol=1e-13)


def test_zero_forbids_no_class_and_no_row_is_lost():
    certain = np.array([[[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]], [[0.0, 1.0, 0.0]]])
    scores = decided(certain, np.ones(3), "product")
    assert np.isfinite(scores).all() and scores.argmax() == 1
    np.testing.assert_allclose(shares(np.zeros((1, 4)), "median"), 0.25)


def test_equal_votes_go_to_the_first_class():
    tie = np.array([[[0.0, 1.0, 0.0]], [[1.0, 0.0, 0.0]]])
    assert votes(tie, np.ones(2)).argmax() == 0
    assert points(np.array([[[-np.inf, 0.2, -np.inf]]]), np.ones(1)).tolist() == [[0.5, 2.0, 0.5]]


# -- scikit-learn ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("weights", [None, [1.0, 0.5, 2.0]])
def test_scikit_learns_votes_and_means(weights):
    hard = VotingClassifier(EXPERTS, voting="hard", weights=weights).fit(X, Y)
    soft = VotingClassifier(EXPERTS, voting="soft", weights=weights).fit(X, Y)
    odd = np.random.default_rng(2).uniform(X.min(0), X.max(0), (300, 4))
    assert (sl.Committee(EXPERTS, weights=weights).fit(X, Y).predict(odd) == hard.predict(odd)).all()
    ours = sl.Committee(EXPERTS, rule="mean", weights=weights).fit(X, Y)
    np.testing.assert_allclose(ours.predict_proba(odd), soft.predict_proba(odd), atol=1e-12)


# -- sums -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES)
def test_what_all_experts_can_the_committee_can(rule):
    committee = sl.Committee(EXPERTS, rule=rule)
    assert list(sl.abilities(committee)) == ["update", "merge", "forget", "decay", "restrict"]
    whole = clone(committee).fit(X, Y)
    a, b = (clone(committee).fit(X[i::2], Y[i::2]) for i in (0, 1))
    np.testing.assert_allclose((a + b).scores(X), whole.scores(X), atol=1e-9)
    np.testing.assert_allclose((whole - b).scores(X), a.scores(X), atol=1e-8)
    np.testing.assert_allclose(clone(whole).fit(X, Y).forget(X[1::2], Y[1::2]).scores(X), a.scores(X), atol=1e-8)
    np.testing.assert_allclose(
        whole.restrict([0, 2]).scores(X[:, [0, 2]]), clone(whole).fit(X[:, [0, 2]], Y).scores(X[:, [0, 2]]), atol=1e-8
    )
    faded = clone(committee).fit(X[::2], Y[::2]).decay(0.5).partial_fit(X[1::2], Y[1::2])
    weighted = clone(committee).fit(X, Y, np.where(np.arange(150) % 2, 1.0, 0.5))
    np.testing.assert_allclose(faded.scores(X), weighted.scores(X), atol=1e-8)


def test_one_foreign_expert_takes_the_abilities():
    mixed = sl.Committee([*EXPERTS, ("theirs", LogisticRegression(max_iter=500))], rule="mean")
    assert not list(sl.abilities(mixed)) and not hasattr(mixed, "forget")
    assert mixed.fit(X, Y).score(X, Y) > 0.95


def test_classes_fixed_beforehand_and_classes_that_come_and_go():
    model = sl.Committee(EXPERTS, rule="mean")
    order = np.random.default_rng(0).permutation(150)
    for part in np.array_split(order, 4):
        model.partial_fit(X[part], Y[part], classes=["setosa", "versicolor", "virginica", "unheard"])
    assert (
        "unheard" in model.classes_
        and (model.predict(X) == sl.Committee(EXPERTS, rule="mean").fit(X, Y).predict(X)).all()
    )
    with pytest.raises(ValueError, match="do not exist in the initial classes"):
        model.partial_fit(X[:2], ["rose", "rose"])
    two = sl.Committee(EXPERTS, rule="mean").fit(X[:100], Y[:100])
    assert two.partial_fit(X[100:], Y[100:]).classes_.tolist() == ["setosa", "versicolor", "virginica"]
    assert two.forget(X[:50], Y[:50]).classes_.tolist() == ["versicolor", "virginica"]


def test_rows_of_weight_zero_are_absent_for_foreign_experts_too():
    weight = (Y != "virginica").astype(float)
    model = sl.Committee([("nb", sl.GaussianNB()), ("theirs", LogisticRegression(max_iter=500))], rule="mean")
    model.fit(X, Y, weight)
    assert model.classes_.tolist() == ["setosa", "versicolor"]
    np.testing.assert_allclose(model.predict_proba(X), clone(model).fit(X[:100], Y[:100]).predict_proba(X), atol=1e-9)


# -- random starts --------------------------------------------------------------------------------------------------


def test_random_starts_differ_and_repeat():
    network = sl.MLPClassifier(hidden_layer_sizes=(3,), max_iter=30, learning_rate_init=0.05)
    committee = sl.Committee(network, n_estimators=3, random_state=4, rule="mean")
    with pytest.warns(Warning):
        first, second = (clone(committee).fit(X, Y) for _ in range(2))
    seeds = [expert.random_state for expert in first.learners_]
    assert len(set(seeds)) == 3 and list(first.named_estimators_) == ["start0", "start1", "start2"]
    assert (first.predict_proba(X) == second.predict_proba(X)).all()
    nested = make_pipeline(StandardScaler(), sl.MLPClassifier(max_iter=5))
    with pytest.warns(Warning):
        starts = sl.Committee(nested, n_estimators=2, random_state=0).fit(X, Y).learners_
    assert len({start[-1].random_state for start in starts}) == 2


def test_starts_need_something_to_draw_and_draw_for_themselves():
    committee = sl.Committee(sl.RandomForestClassifier(n_estimators=2), n_estimators=2, random_state=1)
    assert not list(sl.abilities(committee))
    state = np.random.RandomState(7)
    before = state.get_state()[1].copy(), np.random.get_state()[1].copy()  # noqa: NPY002
    for source in (state, None):
        sl.abilities(committee.set_params(random_state=source))
    assert (state.get_state()[1] == before[0]).all() and (np.random.get_state()[1] == before[1]).all()  # noqa: NPY002
    with pytest.raises(ValueError, match="no random_state"):
        sl.Committee(sl.GaussianNB(), n_estimators=2).fit(X, Y)


# -- inputs ---------------------------------------------------------------------------------------------------------


def test_tables_files_gaps_and_threads(tmp_path):
    frame = pd.DataFrame(X, columns=list("abcd"))
    experts = [*EXPERTS, ("near", KNeighborsClassifier(3)), ("theirs", LogisticRegression(max_iter=500))]
    model = sl.Committee(experts, n_jobs=2).fit(frame, Y)
    assert model.named_estimators_["theirs"].feature_names_in_.tolist() == list("abcd")
    assert (model.predict(frame) == sl.Committee(experts).fit(frame, Y).predict(frame)).all()
    frame.assign(kind=Y).to_csv(tmp_path / "iris.csv", index=False)
    read = sl.Committee().fit(str(tmp_path / "iris.csv"), "kind")
    np.testing.assert_allclose(read.scores(frame), sl.Committee().fit(frame, Y).scores(frame))
    gaps = X.copy()
    gaps[::7, 1] = np.nan
    boosted = sl.Committee([("a", HistGradientBoostingClassifier(max_iter=5)), ("b", sl.DecisionTreeClassifier())])
    assert boosted.fit(gaps, Y).score(gaps, Y) > 0.9
    with pytest.raises(ValueError, match=r"row 0, column 1|NaN"):
        sl.Committee([*boosted.estimators, ("c", sl.GaussianNB())]).fit(gaps, Y)


def test_saved_and_loaded(tmp_path):
    model = sl.Committee([*EXPERTS, ("theirs", LogisticRegression(max_iter=500))], rule="product").fit(X, Y)
    sl.save(model, tmp_path / "m.sumlearn")
    assert (sl.load(tmp_path / "m.sumlearn").predict_proba(X) == model.predict_proba(X)).all()
    sl.save(sl.Committee(EXPERTS).fit(X[::2], Y[::2]), tmp_path / "half.sumlearn")
    both = sl.load(tmp_path / "half.sumlearn") + sl.Committee(EXPERTS).fit(X[1::2], Y[1::2])
    assert (both.predict(X) == sl.Committee(EXPERTS).fit(X, Y).predict(X)).all()


def test_members_are_parameters():
    model = sl.Committee(EXPERTS).set_params(lda__shrinkage=0.2, lda__solver="lsqr", nb="drop")
    assert model.get_params()["lda__shrinkage"] == 0.2 and EXPERTS[2][1] is not model.estimators[2][1]
    assert list(model.fit(X, Y).named_estimators_) == ["lda", "qda"]
    weighed = sl.Committee(EXPERTS, weights=[1.0, 1.0, 5.0]).set_params(lda="drop").fit(X, Y)
    assert (weighed.predict(X) == weighed.named_estimators_["nb"].predict(X)).all()


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"estimators": []}, "non-empty list"),
        ({"estimators": "lda"}, "non-empty list"),
        ({"estimators": [("a", sl.GaussianNB()), ("a", sl.GaussianNB())]}, "stands twice"),
        ({"estimators": [("rule", sl.GaussianNB())]}, "cannot be a name"),
        ({"estimators": [("a__b", sl.GaussianNB())]}, "cannot be a name"),
        ({"estimators": [("a", 3)]}, "must be an estimator or 'drop'"),
        ({"estimators": [("a", "drop")]}, "At least one"),
        ({"estimators": [("a", sl.Ridge())]}, "no classifier"),
        ({"estimators": [("a", sl.TableModel(sl.GaussianNB()))]}, "put the Committee inside"),
        ({"estimators": [("a", sl.LinearSVC())], "rule": "mean"}, "no predict_proba"),
        ({"rule": "loudest"}, "rule must be one of"),
        ({"weights": [1.0]}, "must be equal"),
        ({"weights": [0.0, 0.0]}, "one of them positive"),
        ({"weights": [np.nan, 1.0]}, "finite"),
        ({"n_estimators": 3}, "random starts of one classifier"),
    ],
)
def test_what_makes_no_sense_is_refused(parameters, sentence):
    with pytest.raises((ValueError, TypeError), match=sentence):
        sl.Committee(**parameters).fit(X, Y)


def test_experts_that_were_exchanged_have_no_weights():
    model = sl.Committee(EXPERTS, weights=[1.0] * len(EXPERTS)).fit(X, Y)
    with pytest.raises(ValueError, match="experts, and estimators names 1 now: fit anew"):
        model.set_params(estimators=EXPERTS[:1], weights=[1.0]).predict(X)


def test_a_member_that_takes_no_weights_is_named():
    with pytest.raises(TypeError, match="'near' .KNeighborsClassifier. does not support sample weights"):
        sl.Committee([("near", KNeighborsClassifier())]).fit(X, Y, np.ones(150))


def test_a_refused_chunk_changes_nothing():
    model = sl.Committee(EXPERTS, rule="mean").fit(X, Y)
    before = model.scores(X)
    with pytest.raises(ValueError, match="row 1"):
        model.partial_fit([[1.0] * 4, [np.nan] * 4], ["setosa", "setosa"])
    assert (model.scores(X) == before).all()
