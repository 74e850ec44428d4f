"""Stacks against scikit-learn's, sums that members have in common, and what is refused."""

import numpy as np
import pandas as pd
import pytest
import sklearn.ensemble as theirs
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, PredefinedSplit, RepeatedKFold, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import sumlearn as sl
from sumlearn.data import load_example
from sumlearn.ensembles.parts import common_sums, left_out
from sumlearn.features import Polynomial

IRIS = load_example("iris")
X, Y = np.asarray(IRIS.X), np.asarray(IRIS.y)
RX, RY = load_diabetes(return_X_y=True)
ADDITIVE = [
    ("lda", sl.LinearDiscriminantAnalysis()),
    ("qda", sl.QuadraticDiscriminantAnalysis()),
    ("nb", sl.GaussianNB()),
]
REGRESSIONS = [
    ("weak", sl.Ridge(1e-3)),
    ("strong", sl.Ridge(0.1)),
    ("plain", sl.LinearRegression()),
    ("lasso", sl.Lasso(0.1)),
]
FINAL = LogisticRegression(C=0.5, max_iter=2000, tol=1e-10)
WEIGHT = np.random.default_rng(3).uniform(0.5, 2.0, 150)


@pytest.fixture
def reads(monkeypatch):
    """Members that shared a read, read by read."""
    found = []

    def watched(*arguments):
        commons = common_sums.sums_in_common(*arguments)
        found.extend(common.members for common in commons)
        return commons

    monkeypatch.setattr(left_out, "sums_in_common", watched)
    return found


# -- scikit-learn ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["auto", "predict_proba", "decision_function", "predict"])
@pytest.mark.parametrize("passthrough", [False, True])
@pytest.mark.parametrize("classes", [2, 3])
def test_the_answers_of_scikit_learns_classifier(method, passthrough, classes):
    kept = np.flatnonzero(np.isin(Y, np.unique(Y)[-classes:]))
    experts = [("lda", sl.LinearDiscriminantAnalysis()), ("ls", sl.LeastSquaresClassifier(alpha=1.0))]
    if method == "predict_proba":
        experts = ADDITIVE
    settings = {
        "cv": StratifiedKFold(4, shuffle=True, random_state=1),
        "stack_method": method,
        "passthrough": passthrough,
    }
    ours = sl.StackingClassifier(experts, FINAL, **settings).fit(X[kept], Y[kept])
    other = theirs.StackingClassifier(experts, FINAL, **settings).fit(X[kept], Y[kept])
    np.testing.assert_allclose(ours.transform(X), other.transform(X), atol=1e-8)
    np.testing.assert_allclose(ours.predict_proba(X), other.predict_proba(X), atol=1e-6)
    assert (ours.predict(X) == other.predict(X)).all() and ours.stack_method_ == other.stack_method_
    assert ours.get_feature_names_out().tolist() == other.get_feature_names_out().tolist()


@pytest.mark.parametrize("cv", [None, 3, KFold(4, shuffle=True, random_state=0)])
@pytest.mark.parametrize("passthrough", [False, True])
def test_the_answers_of_scikit_learns_regressor(cv, passthrough):
    ours = sl.StackingRegressor(REGRESSIONS, cv=cv, passthrough=passthrough).fit(RX, RY)
    other = theirs.StackingRegressor(REGRESSIONS, sl.RidgeCV(), cv=cv, passthrough=passthrough).fit(RX, RY)
    np.testing.assert_allclose(ours.transform(RX), other.transform(RX), atol=1e-8)
    np.testing.assert_allclose(ours.predict(RX), other.predict(RX), rtol=1e-7)


def test_weights_reach_members_and_the_final_estimator():
    settings = {"final_estimator": FINAL, "cv": 3}
    ours = sl.StackingClassifier([*ADDITIVE, ("tree", DecisionTreeClassifier(max_depth=2))], **settings)
    other = theirs.StackingClassifier(ours.estimators, **settings).fit(X, Y, sample_weight=WEIGHT)
    np.testing.assert_allclose(ours.fit(X, Y, WEIGHT).predict_proba(X), other.predict_proba(X), atol=1e-6)


def test_foreign_members_and_members_that_do_not_add_up():
    mixed = [
        ("hist", HistGradientBoostingRegressor(max_iter=5)),
        ("ridge", sl.Ridge(0.1)),
        ("tree", sl.DecisionTreeRegressor(max_depth=2)),
    ]
    frame = pd.DataFrame(RX, columns=[f"c{j}" for j in range(10)])
    ours = sl.StackingRegressor(mixed, n_jobs=2).fit(frame, RY)
    other = theirs.StackingRegressor(mixed, sl.RidgeCV()).fit(frame, RY)
    np.testing.assert_allclose(ours.predict(frame), other.predict(frame), rtol=1e-7)
    assert ours.named_estimators_["hist"].feature_names_in_[0] == "c0"


def test_regressions_among_classifiers_learn_codes():
    ours = sl.StackingClassifier([("ridge", sl.Ridge()), ("nb", sl.GaussianNB())], FINAL).fit(X, Y)
    codes = np.unique(Y, return_inverse=True)[1]
    np.testing.assert_allclose(ours.transform(X)[:, 0], sl.Ridge().fit(X, codes).predict(X), atol=1e-10)


def test_prefit_members_stay_as_they_are():
    fitted = [(name, clone(member).fit(X[::2], Y[::2])) for name, member in ADDITIVE]
    ours = sl.StackingClassifier(fitted, FINAL, cv="prefit").fit(X[1::2], Y[1::2])
    other = theirs.StackingClassifier(fitted, FINAL, cv="prefit").fit(X[1::2], Y[1::2])
    assert all(a is b for a, (_, b) in zip(ours.estimators_, fitted, strict=True))
    np.testing.assert_allclose(ours.predict_proba(X), other.predict_proba(X), atol=1e-6)


# -- sums in common -------------------------------------------------------------------------------------------------


def test_members_of_the_same_sums_share_one_read(reads):
    members = [(f"r{i}", sl.Ridge(10.0**i)) for i in range(8)]
    members += [
        ("plain", sl.LinearRegression()),
        ("bayes", sl.BayesianRegression()),
        ("lasso", sl.Lasso(0.1)),
        ("net", sl.ElasticNet(0.1)),
    ]
    stack = sl.StackingRegressor(members, cv=4).fit(RX, RY)
    assert reads == [list(range(12))]
    for model, (_, member) in zip(stack.estimators_, members, strict=True):
        np.testing.assert_allclose(model.predict(RX), clone(member).fit(RX, RY).predict(RX), rtol=1e-6)


def test_members_that_sum_otherwise_do_not_share(reads):
    """A basis, parameters that the sums read, and another kind of class sums."""
    members = [
        ("a", sl.Ridge(1.0)),
        ("b", sl.Ridge(1.0, basis=Polynomial(2))),
        ("c", sl.Ridge(2.0, basis=Polynomial(2))),
        ("d", sl.Ridge(2.0, basis=Polynomial(3))),
    ]
    few = RX[:, :2]
    stack = sl.StackingRegressor(members, cv=3).fit(few, RY)
    assert reads == [[0], [1, 2], [3]]
    for model, (_, member) in zip(stack.estimators_, members, strict=True):
        np.testing.assert_allclose(model.predict(few), clone(member).fit(few, RY).predict(few), rtol=1e-7)
    reads.clear()
    counts = np.floor(X)
    kinds = [
        ("b0", sl.BernoulliNB(binarize=1.5)),
        ("b1", sl.BernoulliNB(binarize=3.5)),
        ("b2", sl.BernoulliNB(binarize=3.5, alpha=3.0)),
    ]
    stack = sl.StackingClassifier(kinds, FINAL).fit(counts, Y)
    assert reads == [[0], [1, 2]]
    for model, (_, member) in zip(stack.estimators_, kinds, strict=True):
        np.testing.assert_allclose(model.predict_proba(counts), clone(member).fit(counts, Y).predict_proba(counts))


def test_the_watch_sees_what_is_read():
    class Cut(sl.Ridge):
        def __init__(self, alpha=1.0, top=5.0):
            super().__init__(alpha)
            self.top = top

        def summarise(self, chunk, look=None):
            return sl.statistics.Moments.of(np.minimum(chunk.X, self.top), chunk.y, chunk.weight)

    def opened(member):
        member.n_features_in_ = 2
        return member

    watch = common_sums.Watch(opened(Cut(top=1.0)))
    watch.summarise(sl.data.Chunk(np.ones((3, 2)), np.arange(3.0)))
    assert "top" in watch.read and "alpha" not in watch.read
    assert watch.holds_for(opened(Cut(alpha=9.0, top=1.0)))
    assert not watch.holds_for(opened(Cut(top=2.0))) and not watch.holds_for(opened(sl.Ridge()))


def test_whoever_predicts_in_another_way_is_asked_by_itself():
    class Cut(sl.Ridge):
        def predict(self, X):
            return np.minimum(super().predict(X), 150.0)

    members = [("plane", sl.Ridge(0.1)), ("other", sl.Ridge(1.0)), ("cut", Cut(1.0))]
    ours = sl.StackingRegressor(members, cv=3).fit(RX, RY)
    other = theirs.StackingRegressor(members, sl.RidgeCV(), cv=3).fit(RX, RY)
    np.testing.assert_allclose(ours.final_estimator_.coef_, other.final_estimator_.coef_, rtol=1e-6)


@pytest.mark.parametrize(
    "cv", [KFold(5, shuffle=True, random_state=2), PredefinedSplit(np.arange(442) % 7), [*KFold(3).split(RX)]]
)
def test_any_scheme_that_leaves_rows_out_once(cv):
    ours = sl.StackingRegressor(REGRESSIONS, cv=cv).fit(RX, RY)
    other = theirs.StackingRegressor(REGRESSIONS, sl.RidgeCV(), cv=cv).fit(RX, RY)
    np.testing.assert_allclose(ours.predict(RX), other.predict(RX), rtol=1e-7)


# -- weights, classes, inputs ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("cv", [3, [*StratifiedKFold(3).split(X, Y)]])
def test_rows_of_weight_zero_are_absent(cv):
    weight = np.where(np.arange(150) % 4 == 1, 0.0, 1.0)
    kept = np.flatnonzero(weight)
    members = [*ADDITIVE, ("tree", DecisionTreeClassifier(max_depth=2, random_state=0))]
    ours = sl.StackingClassifier(members, FINAL, cv=cv).fit(X, Y, weight)
    if isinstance(cv, list):
        place = np.full(150, -1)
        place[kept] = np.arange(len(kept))
        cv = [tuple(place[part][place[part] >= 0] for part in split) for split in cv]
    alone = sl.StackingClassifier(members, FINAL, cv=cv).fit(X[kept], Y[kept])
    np.testing.assert_allclose(ours.predict_proba(X), alone.predict_proba(X), atol=1e-6)


def test_a_class_that_a_fold_has_not_seen():
    rows = np.r_[0:50, 50:100, 100:105]
    splits = [*KFold(5).split(rows)]  # the last one trains without virginica
    stack = sl.StackingClassifier(
        [("nb", sl.GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=3))], FINAL, cv=splits
    )
    assert stack.fit(X[rows], Y[rows]).transform(X).shape == (150, 6)
    assert stack.classes_.tolist() == ["setosa", "versicolor", "virginica"]


def test_files_are_gathered_and_models_are_saved(tmp_path):
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame.assign(kind=Y).to_csv(tmp_path / "iris.csv", index=False)
    read = sl.StackingClassifier(ADDITIVE).fit(str(tmp_path / "iris.csv"), "kind")
    model = sl.StackingClassifier(ADDITIVE).fit(frame, Y)
    np.testing.assert_allclose(read.predict_proba(frame), model.predict_proba(frame), atol=1e-9)
    assert (read.predict(str(tmp_path / "iris.csv")) == model.predict(frame)).all()
    sl.save(model, tmp_path / "m.sumlearn")
    again = sl.load(tmp_path / "m.sumlearn")
    assert (again.predict_proba(frame) == model.predict_proba(frame)).all() and not list(sl.abilities(again))


def test_sparse_rows():
    import scipy.sparse as sparse

    rows = sparse.csr_matrix(np.floor(RX * 100))
    ours = sl.StackingRegressor(REGRESSIONS[:2], passthrough=True).fit(rows, RY)
    dense = sl.StackingRegressor(REGRESSIONS[:2], passthrough=True).fit(rows.toarray(), RY)
    np.testing.assert_allclose(ours.predict(rows), dense.predict(rows.toarray()), rtol=1e-6)
    assert sparse.issparse(ours.transform(rows))


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"estimators": []}, "non-empty list"),
        ({"estimators": [("cv", sl.GaussianNB())]}, "cannot be a name"),
        ({"stack_method": "guess"}, "stack_method must be one of"),
        (
            {"estimators": [("svm", sl.LinearSVC())], "stack_method": "predict_proba"},
            "does not implement the method predict_proba",
        ),
        ({"final_estimator": 3}, "final_estimator must be an estimator"),
        ({"passthrough": "yes"}, "passthrough must be True or False"),
        ({"cv": "leave"}, "cv must be a number of folds"),
        ({"cv": RepeatedKFold(n_splits=3, n_repeats=2)}, "leave every row out once"),
        ({"cv": [(np.arange(100), np.arange(100, 150))]}, "leave every row out once"),
        ({"cv": [(np.arange(150), np.arange(150))]}, "learns row 0 and leaves it out as well"),
        ({"estimators": [("t", sl.TableModel(sl.GaussianNB()))]}, "put the StackingClassifier inside"),
        ({"n_jobs": 0}, "n_jobs"),
    ],
)
def test_what_makes_no_sense_is_refused(parameters, sentence):
    with pytest.raises((ValueError, TypeError), match=sentence):
        sl.StackingClassifier(**parameters).fit(X, Y)


def test_members_without_weights_are_named():
    with pytest.raises(TypeError, match="'near' .KNeighborsClassifier. does not support sample weights"):
        sl.StackingClassifier([("near", KNeighborsClassifier())]).fit(X, Y, np.ones(150))
    with pytest.raises(TypeError, match="'final_estimator' .KNeighborsClassifier. does not support sample weights"):
        sl.StackingClassifier(final_estimator=KNeighborsClassifier()).fit(X, Y, np.ones(150))


def test_a_bad_value_is_named_by_its_row():
    bad = X.copy()
    bad[77, 2] = np.inf
    with pytest.raises(ValueError, match="row 77, column 2"):
        sl.StackingClassifier(ADDITIVE).fit(bad, Y)
