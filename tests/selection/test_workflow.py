"""The nine steps: what each finds, that each can be skipped, and that none of them sees the rows that are scored."""

import numpy as np
import pytest
from scipy.stats import chi2
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.datasets import load_diabetes, load_wine, make_classification, make_friedman1, make_moons
from sklearn.decomposition import PCA
from sklearn.feature_selection import f_classif, f_regression
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, RobustScaler, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from sumlearn import (
    GaussianNB,
    LinearDiscriminantAnalysis,
    LinearRegression,
    QuadraticDiscriminantAnalysis,
    Ridge,
    cross_validate,
)
from sumlearn.data import load_example
from sumlearn.evaluation import compare
from sumlearn.selection import Ranker, SubsetSearch, Workflow
from sumlearn.selection.workflow_steps.contest import usual
from sumlearn.selection.workflow_steps.outliers import outliers

STEPS = [
    "features", "normalise", "products", "combinations", "ranking", "outliers", "subset", "contest", "bootstrap",
]  # fmt: skip
BARE = {"normalise": None, "products": None, "combinations": None, "ranking": None, "outliers": None}
NOTHING = BARE | {"search": None, "contest": None, "bootstrap": None}


def informative(rows=200, noise=6, seed=0):
    """Labels that depend on columns 0 and 1; the others are noise."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, 2 + noise))
    y = np.where(X[:, 0] - X[:, 1] + 0.3 * rng.standard_normal(rows) > 0, "up", "down")
    return X, y


# -- what the steps find ----------------------------------------------------------------------------------------------


def test_finds_the_informative_features():
    X, y = informative()
    workflow = Workflow(products=None, combinations=None, bootstrap=None).fit(X, y)
    assert workflow.features_ == ["x0", "x1"]
    assert workflow.transform(X) == pytest.approx(StandardScaler().fit_transform(X)[:, :2])
    assert workflow.score(X, y) > 0.9


def test_finds_a_product():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((300, 5))
    y = X[:, 1] * X[:, 3] > 0
    workflow = Workflow(bootstrap=None).fit(X, y)
    assert "x1 x3" in workflow.features_
    assert workflow.score(X, y) > 0.9
    without = Workflow(products=None, contest=None, bootstrap=None).fit(X, y)
    assert without.score(X, y) < 0.7


def test_finds_a_square_for_numbers():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((200, 4))
    y = X[:, 2] ** 2 + 0.1 * rng.standard_normal(200)
    workflow = Workflow(bootstrap=None, outliers=None, k="parsimonious").fit(X, y)
    assert workflow.task_ == "regression"
    assert workflow.features_[0] == "x2^2"
    assert workflow.score(X, y) > 0.95


def test_finds_a_direction():
    """What is spread over ten columns is one principal component."""
    rng = np.random.default_rng(3)
    hidden = rng.standard_normal(200)
    X = hidden[:, None] + 0.8 * rng.standard_normal((200, 10))
    workflow = Workflow(products=None, bootstrap=None).fit(X, hidden > 0)
    assert next(iter(workflow.report_[4].numbers["scores"])) == "pca1"
    assert "pca1" in workflow.features_
    assert set(workflow.features_) <= {"pca1", "pca2"}


@pytest.mark.filterwarnings("ignore:the classes do not vary")
def test_features_are_those_of_scikit_learn():
    iris = load_example("iris")
    workflow = Workflow(bootstrap=None, keep=None, search=None, contest=None, n_combinations=3).fit(iris.X, iris.y)
    scaled = StandardScaler().fit_transform(iris.X)
    products = PolynomialFeatures(2, include_bias=False).fit_transform(scaled)
    directions = PCA(3).fit_transform(scaled)
    found = workflow.transform(iris.X)
    assert found[:, :14] == pytest.approx(products)
    assert np.abs(found[:, 14:]) == pytest.approx(np.abs(directions))
    assert workflow.all_features_[4:6] == ["x0^2", "x0 x1"]
    assert workflow.all_features_[14:] == ["pca1", "pca2", "pca3"]
    assert list(workflow.get_feature_names_out()) == workflow.features_ == workflow.all_features_


@pytest.mark.parametrize(("labels", "reference"), [(True, f_classif), (False, f_regression)])
def test_ranking_is_that_of_scikit_learn(labels, reference):
    rng = np.random.default_rng(4)
    X = rng.standard_normal((120, 5))
    number = X @ [0.0, 1.0, 0.2, 0.0, -2.0] + rng.standard_normal(120)
    y = np.digitize(number, [-1.0, 1.0]) if labels else number
    workflow = Workflow(combinations=None, outliers=None, bootstrap=None, keep=3, search=None).fit(X, y)
    features = PolynomialFeatures(2, include_bias=False).fit_transform(StandardScaler().fit_transform(X))
    scores = reference(features, y)[0]
    assert workflow.ranker_.scores_ == pytest.approx(scores)
    assert workflow.subset_.tolist() == np.sort(np.argsort(-scores)[:3]).tolist()
    assert list(workflow.report_[4].numbers["scores"]) == [workflow.all_features_[j] for j in np.argsort(-scores)]


def test_planted_outliers_are_set_aside_and_reported():
    X, y = informative()
    planted = [7, 60, 150]
    X[planted] = [[9.0, 9.0, *[0.0] * 6], [-9.0, -8.0, *[0.0] * 6], [8.0, 9.0, *[0.0] * 6]]
    workflow = Workflow(products=None, combinations=None, bootstrap=None, contest=None).fit(X, y)
    assert workflow.outliers_.tolist() == planted
    assert workflow.report_[5].numbers["rows"] == planted
    assert set(workflow.report_[5].numbers["columns"]) >= {"x0", "x1"}
    assert "rows 7, 60, 150" in str(workflow)
    inside = np.delete(np.arange(200), planted)
    expected = clone(workflow.estimator_).fit(workflow.transform(X[inside]), y[inside])
    assert workflow.predict_proba(X) == pytest.approx(expected.predict_proba(workflow.transform(X)))
    assert len(workflow.predict(X[planted])) == 3  # rows to be predicted are never set aside
    assert Workflow(outliers=None, bootstrap=None).fit(X, y).outliers_.tolist() == []


def test_outliers_of_a_numeric_target():
    rng = np.random.default_rng(5)
    X = rng.standard_normal((150, 3))
    y = X[:, 0] + 0.1 * rng.standard_normal(150)
    y[[20, 90]] = [6.0, -7.0]
    workflow = Workflow(products=None, combinations=None, bootstrap=None, n_top=1).fit(X, y)
    assert workflow.outliers_.tolist() == [20, 90]
    assert workflow.estimator_.coef_[0] / X[:, 0].std() == pytest.approx(1.0, abs=0.05)


def test_outliers_that_hide_each_other():
    """Seven per cent at one place: their distance from the mean and covariance of all rows is not remarkable."""
    rng = np.random.default_rng(6)
    rows = rng.standard_normal((200, 2)) @ [[2.0, 1.0], [0.0, 0.5]]
    rows[:14] = [9.0, -9.0] + 0.1 * rng.standard_normal((14, 2))
    away = rows - rows.mean(axis=0)
    classical = np.einsum("ij,ij->i", away, np.linalg.solve(np.cov(rows.T), away.T).T)
    assert classical.max() < chi2.isf(0.01 / 200, 2)
    assert outliers(rows, np.zeros(200), 0.01).tolist() == list(range(14))


def test_outliers_are_rare_where_there_are_none():
    """Two of 200 Gaussian tables are expected to have any at a level of 0.01; more than eight have a chance of 2e-4."""
    rng = np.random.default_rng(7)
    named = 0
    for _ in range(200):
        rows = rng.standard_normal((150, 3)) @ rng.standard_normal((3, 3)) + rng.standard_normal(3) * 100
        named += len(outliers(rows, np.arange(150) % 2, 0.01)) > 0
    assert named <= 8
    skewed = rng.exponential(size=(300, 2))
    assert len(outliers(skewed, np.zeros(300), 0.01)) <= 6


def test_outliers_do_not_depend_on_scales():
    rng = np.random.default_rng(8)
    rows = rng.standard_normal((100, 2))
    rows[5] = [9.0, -9.0]
    moved = rows * [1e-3, 1e4] + [1e3, -5.0]
    assert outliers(rows, np.zeros(100), 0.01).tolist() == outliers(moved, np.zeros(100), 0.01).tolist() == [5]


@pytest.mark.parametrize("column", ["constant", "mostly zero", "copy"])
def test_outliers_have_no_scale_in_a_plane(column):
    rows = np.random.default_rng(9).standard_normal((80, 2))
    rows[:, 1] = {"constant": 3.0, "mostly zero": (np.arange(80) % 5 == 0) * 2.0, "copy": rows[:, 0]}[column]
    assert outliers(rows, np.zeros(80), 0.01).tolist() == []
    assert outliers(rows[:8], np.zeros(8), 0.01).tolist() == []  # too few to say


def test_the_search_is_subset_search():
    pima = load_example("pima")
    options = BARE | {"contest": None, "bootstrap": None, "cv": 5}
    search = SubsetSearch("sbe", LinearDiscriminantAnalysis(), "auc", k=4).fit(pima.X, pima.y)
    workflow = Workflow(search=SubsetSearch("sbe", criterion="auc", k=4), **options).fit(pima.X, pima.y)
    assert workflow.subset_.tolist() == search.subset_.tolist()
    assert workflow.report_[6].numbers == {"score": search.score_, "evaluations": search.evaluations_}
    named = Workflow(search="sfs", **options).fit(pima.X, pima.y)
    expected = SubsetSearch("sfs").fit(pima.X, pima.y)
    assert named.subset_.tolist() == expected.subset_.tolist()
    small = SubsetSearch("sfs", k="parsimonious").fit(pima.X, pima.y)
    assert named.set_params(k="parsimonious").fit(pima.X, pima.y).subset_.tolist() == small.subset_.tolist()


def test_contest_takes_the_significantly_better():
    """Two classes with one centre and different spread: a quadratic matter."""
    rng = np.random.default_rng(10)
    y = np.arange(300) % 2
    X = rng.standard_normal((300, 2)) * np.where(y == 1, 4.0, 1.0)[:, None]
    workflow = Workflow(**BARE, search=None, bootstrap=None).fit(X, y)
    assert workflow.winner_ in ("quadratic discriminant", "naive Bayes")
    assert workflow.score(X, y) > 0.75
    quadratic = QuadraticDiscriminantAnalysis()
    entrants = {"linear": LinearDiscriminantAnalysis(), "bayes": GaussianNB(), "quadratic": quadratic}
    named = Workflow(**BARE, search=None, contest=entrants, bootstrap=None, cv=5).fit(X, y)
    found = compare(entrants, {"rows": (X, y)}, cv=5)
    means = {name: found.mean("rows", name) for name in entrants}
    assert named.report_[7].numbers == pytest.approx(means)
    assert named.winner_ == max(means, key=means.get)
    assert named.score_ == means[named.winner_]


def test_contest_keeps_the_first_of_equals():
    """Within one standard error, if that is asked for."""
    X, y = informative(rows=150)
    both = [GaussianNB(), LinearDiscriminantAnalysis()]
    first = Workflow(**BARE, search=None, contest=both, bootstrap=None, k="parsimonious")
    assert first.fit(X[:, :1], y).winner_ == "GaussianNB"
    other = first.set_params(contest=[LinearDiscriminantAnalysis(), GaussianNB()])
    assert other.fit(X[:, :1], y).winner_ == "LinearDiscriminantAnalysis"


def test_contest_takes_any_estimator():
    iris = load_example("iris")
    workflow = Workflow(contest={"neighbours": KNeighborsClassifier(5)}, bootstrap=None).fit(iris.X, iris.y)
    assert workflow.winner_ == "neighbours"
    assert isinstance(workflow.estimator_, KNeighborsClassifier)
    assert workflow.predict_proba(iris.X).shape == (150, 3)
    assert not hasattr(Workflow(contest={"ridge": Ridge()}, bootstrap=None, task="regression"), "predict_proba")


def test_techniques_compete_each_with_its_own_subset():
    """All twelve columns matter a little: no subset is as good as all of them, and the contest finds that out."""
    rng = np.random.default_rng(20)
    X = rng.standard_normal((160, 12))
    y = X.sum(axis=1) + rng.standard_normal(160) > 0
    options = {"products": None, "combinations": None, "bootstrap": None, "contest": None, "outliers": None}
    few = SubsetSearch("sfs", k=3)
    workflow = Workflow(search={"three": few, "own": "own", "filter": "fcbf"}, cv=5, **options).fit(X, y)
    assert workflow.technique_ == "own" and workflow.subset_.tolist() == list(range(12))
    scores = workflow.report_[7].numbers
    assert list(scores) == [f"linear discriminant on {name}" for name in ("three", "own", "filter")]
    # honest: three columns are chosen without the rows that score them, as a pipeline in cross-validation does
    piped = make_pipeline(StandardScaler(), few, LinearDiscriminantAnalysis())
    assert scores["linear discriminant on three"] == pytest.approx(cross_val_score(piped, X, y, cv=5).mean())
    assert workflow.score_ == max(scores.values())
    assert workflow.comparison_.models == list(scores)


def test_a_learner_judges_its_own_subset():
    """A column that differs in spread is for quadratic discriminants, one that differs in mean for linear ones."""
    rng = np.random.default_rng(21)
    y = np.arange(300) % 2
    X = rng.standard_normal((300, 4)) * np.column_stack([1 + 3.0 * y, *np.ones((3, 300))])
    X[:, 2] += 0.8 * y
    options = BARE | {"bootstrap": None, "search": "sfs", "k": 1}
    for learner, column in ((QuadraticDiscriminantAnalysis(), "x0"), (LinearDiscriminantAnalysis(), "x2")):
        assert Workflow(contest=[learner], **options).fit(X, y).features_ == [column]


def test_an_entrant_that_cannot_be_fitted_is_out():
    class Picky(LinearDiscriminantAnalysis):
        def check(self):
            raise ValueError("not today")

    X, y = informative(rows=80, noise=1)
    contest = {"picky": Picky(), "bayes": GaussianNB()}
    workflow = Workflow(contest=contest, search="own", bootstrap=None, products=None).fit(X, y)
    assert workflow.winner_ == "bayes" and "picky cannot be fitted" in workflow.report_[7].what
    with pytest.raises(ValueError, match="not today"):
        Workflow(contest={"picky": Picky(), "other": Picky()}, search="own", bootstrap=None).fit(X, y)


def plain_and_whole(X, y, task, cv=4, **options):
    """Honest scores of the best plain learner and of the workflow, and the standard error of the latter."""
    plain = max(cross_validate(model, X, y, cv=cv)["test_score"].mean() for model in usual(task).values())
    honest = Workflow(task, bootstrap=None, cv=4, **options).nested(X, y, cv=cv)
    return plain, honest.score, honest.scores.std(ddof=1) / len(honest.scores) ** 0.5


def test_the_whole_is_not_below_the_best_plain_learner():
    """Nearly all columns matter, so that choosing among them loses."""
    X, y = make_classification(200, 8, n_informative=7, n_redundant=0, n_classes=2, random_state=2)
    plain, whole, error = plain_and_whole(X, y, "classification", products=None, combinations=None)
    assert whole >= plain - error


@pytest.mark.slow
@pytest.mark.parametrize("table", ["pima", "moons", "wide", "wine", "diabetes", "friedman", "linear"])
def test_tables_of_different_kinds(table):
    pima, rng = load_example("pima"), np.random.default_rng(0)
    Z = rng.standard_normal((120, 20))
    X, y, task = {
        "pima": (pima.X, pima.y, "classification"),
        "moons": (*make_moons(300, noise=0.25, random_state=0), "classification"),
        "wide": (*make_classification(100, 30, n_informative=4, n_redundant=2, random_state=1), "classification"),
        "wine": (*load_wine(return_X_y=True), "classification"),
        "diabetes": (*load_diabetes(return_X_y=True), "regression"),
        "friedman": (*make_friedman1(200, random_state=0), "regression"),
        "linear": (Z, Z.sum(axis=1) + 3.0 * rng.standard_normal(120), "regression"),
    }[table]
    plain, whole, error = plain_and_whole(X, y, task, cv=5)
    assert whole >= plain - error
    if table == "wine":  # many pairs are equally good: folds by default decide by chance if the first of them wins
        honest = Workflow(task, bootstrap=None).nested(X, y)
        assert honest.score >= plain - honest.scores.std(ddof=1) / len(honest.scores) ** 0.5


@pytest.mark.slow
def test_the_order_of_a_table_has_no_part_in_the_choice():
    """The wines are listed by something that is no column: folds of neighbours choose badly, .966 where .994 is there.

    By default folds are of rows in any order.
    """
    X, y = load_wine(return_X_y=True)
    cv = StratifiedKFold(5, shuffle=True, random_state=1)
    plain = max(cross_validate(model, X, y, cv=cv)["test_score"].mean() for model in usual("classification").values())
    honest = Workflow("classification", bootstrap=None).nested(X, y, cv=cv)
    assert honest.score >= plain - honest.scores.std(ddof=1) / len(honest.scores) ** 0.5


def test_folds_by_default_are_of_rows_in_any_order():
    """Two halves of a sorted table differ: what was learnt on one says nothing about the other."""
    half = np.arange(80) // 40
    y = np.arange(80) % 2
    noise = 0.4 * np.random.default_rng(0).standard_normal((80, 2))
    X = noise + np.column_stack([np.where(half == 0, y, 1.0 - y), y])
    options = BARE | {"search": None, "contest": None, "bootstrap": None, "outliers": None}
    ordered = Workflow("classification", cv=2, **options).fit(X, y).score_
    folds = StratifiedKFold(5, shuffle=True, random_state=3)
    expected = cross_val_score(LinearDiscriminantAnalysis(), X, y, cv=folds).mean()
    assert Workflow("classification", random_state=3, **options).fit(X, y).score_ == pytest.approx(expected)
    assert expected > ordered + 0.2
    with pytest.raises(ValueError, match="cv must be"):
        Workflow(cv="shuffled").fit(X, y)


def test_of_equal_pairs_the_one_that_chose_nothing_wins():
    """Both columns are needed, so that a search can only find them again."""
    rng = np.random.default_rng(4)
    X = rng.standard_normal((90, 2))
    y = X[:, 0] + X[:, 1] + 0.5 * rng.standard_normal(90) > 0
    options = {"products": None, "combinations": None, "outliers": None, "bootstrap": None, "contest": None}
    workflow = Workflow(search=["sfs", "own"], **options).fit(X, y)
    scores = workflow.report_[7].numbers
    assert scores["linear discriminant on sfs"] == scores["linear discriminant on own"]
    assert workflow.technique_ == "own"
    assert Workflow(search=["sfs", "own"], k="parsimonious", **options).fit(X, y).technique_ == "sfs"


def test_cv_is_no_list_of_splits():
    """Rows of weight zero, outliers and samples have no part in the splits, so that row numbers mean other rows."""
    X, y = informative(rows=60, noise=1)
    splits = list(StratifiedKFold(3).split(X, y))
    weight = (np.arange(60) % 4 > 0).astype(float)
    for weights in (None, weight):
        with pytest.raises(ValueError, match="a number of folds or a splitter, no list of splits"):
            Workflow(cv=splits, bootstrap=None).fit(X, y, weights)


def test_weights_are_honoured():
    """A weight of zero is the absence of a row, in every step; weights of one change nothing."""
    X, y = informative(rows=120, noise=2)
    weight = np.random.default_rng(22).integers(0, 4, 120).astype(float)
    options = {"products": None, "bootstrap": None, "contest": [GaussianNB(), LinearDiscriminantAnalysis()]}
    weighted = Workflow(**options).fit(X, y, sample_weight=weight)
    kept = weight > 0
    without = Workflow(**options).fit(X[kept], y[kept], weight[kept])
    assert weighted.predict_proba(X) == pytest.approx(without.predict_proba(X))
    assert weighted.score_ == without.score_ and weighted.features_ == without.features_
    assert np.flatnonzero(kept)[without.outliers_].tolist() == weighted.outliers_.tolist()
    ones, plain = Workflow(**options).fit(X, y, np.ones(120)), Workflow(**options).fit(X, y)
    assert ones.predict_proba(X) == pytest.approx(plain.predict_proba(X))
    mean = np.average(X, axis=0, weights=weight)
    assert weighted.expansion_.scaler.mean_ == pytest.approx(mean)
    f = Ranker("f").fit((X - mean) / weighted.expansion_.scaler.scale_, y, weight).scores_
    assert weighted.ranker_.scores_[:4] == pytest.approx(f)
    assert weighted.score(X, y, weight) == np.average(weighted.predict(X) == y, weights=weight)
    honest = Workflow(**options, search="own").nested(X, y, cv=3, sample_weight=weight)
    assert len(honest.scores) == 3
    with pytest.raises(ValueError, match=r"KNeighborsClassifier.fit takes no sample_weight"):
        Workflow(bootstrap=None, contest=[KNeighborsClassifier()], search="own").fit(X, y, weight)
    with pytest.raises(ValueError, match="zero for every row"):
        Workflow().fit(X, y, np.zeros(120))


def test_bootstrap_says_how_stable_the_choice_is():
    X, y = informative()
    options = {"products": None, "combinations": None, "random_state": 3, "search": "sffs", "contest": None}
    found = Workflow(bootstrap=6, **options).fit(X, y).bootstrap_
    assert len(found.scores) == 6
    assert found.frequency["x0"] == found.frequency["x1"] == 1.0
    assert 0.9 < found.score <= 1.0
    assert 0.5 < found.stability <= 1.0
    noise = Workflow(bootstrap=6, **options).fit(X[:, 2:], y).bootstrap_
    assert noise.stability < found.stability
    assert abs(noise.score - 0.5) < 0.15
    again = Workflow(bootstrap=6, **options).fit(X, y).bootstrap_
    assert again.scores.tolist() == found.scores.tolist()


# -- steps are optional and reported ----------------------------------------------------------------------------------


def test_the_report_names_all_steps():
    X, y = informative(rows=100, noise=2)
    workflow = Workflow(bootstrap=2, contest=None).fit(X, y)
    assert [step.step for step in workflow.report_] == STEPS
    assert [line.split()[:2] for line in str(workflow).splitlines()] == [[str(i), s] for i, s in enumerate(STEPS, 1)]
    assert "skipped" not in str(workflow)
    assert repr(workflow) == "Workflow(bootstrap=2, contest=None)"
    assert str(Workflow(bootstrap=2)) == "Workflow(bootstrap=2)"


@pytest.mark.thinned(3)
@pytest.mark.filterwarnings("ignore:the classes do not vary")  # components depend on columns, and all are taken
@pytest.mark.parametrize("off", [None, pytest.param(False, marks=pytest.mark.slow)])
@pytest.mark.parametrize("step", [*STEPS[1:6], "search", "bootstrap"])
def test_a_step_can_be_skipped(step, off):
    X, y = informative(rows=80, noise=1)
    workflow = Workflow(**({"bootstrap": None} | {step: off})).fit(X, y)
    what = {report.step: report.what for report in workflow.report_}
    assert what[{"search": "subset"}.get(step, step)] == "skipped"
    assert workflow.score(X, y) > 0.85


def test_without_steps_it_is_a_linear_model():
    X, y = informative()
    workflow = Workflow(**NOTHING).fit(X, y)
    assert workflow.predict_proba(X) == pytest.approx(LinearDiscriminantAnalysis().fit(X, y).predict_proba(X))
    number = X[:, 0] + X[:, 3]
    assert Workflow(**NOTHING).fit(X, number).predict(X) == pytest.approx(LinearRegression().fit(X, number).predict(X))


@pytest.mark.parametrize("score", ["pearson", "fisher", "mutual_information", "symmetric_uncertainty", "one_feature"])
def test_other_rankings(score):
    X, y = informative(noise=8)
    workflow = Workflow(ranking=score, keep=2, products=None, combinations=None, search=None, bootstrap=None).fit(X, y)
    assert workflow.features_ == ["x0", "x1"]


def test_rankers_and_scalers_of_ones_own():
    X, y = informative()
    ranker = Ranker("mutual_information", bins=4)
    workflow = Workflow(ranking=ranker, normalise=RobustScaler(), search=None, keep=2, bootstrap=None, products=None)
    workflow.set_params(combinations=["pca", "lda"], n_combinations=1).fit(X, y)
    assert "lda1" in workflow.features_
    plain = clone(workflow).set_params(combinations=None).fit(X, y)
    assert plain.transform(X) == pytest.approx(RobustScaler().fit_transform(X)[:, :2])
    assert ranker.task is None  # what was handed in is not touched


def test_one_column_and_constant_columns():
    X, y = informative(rows=100, noise=1)
    alone = Workflow(bootstrap=None).fit(X[:, :1], y)
    assert alone.all_features_ == ["x0", "x0^2"]
    assert alone.report_[3].what == "skipped"
    X[:, 2] = 5.0
    workflow = Workflow(bootstrap=None).fit(X, y)
    assert workflow.report_[1].numbers == {"constant": ["x2"]}
    assert not any("x2" in name for name in workflow.features_)
    assert workflow.score(X, y) > 0.9


def test_offsets_and_scales_change_nothing():
    X, y = informative(noise=2)
    workflow = Workflow(bootstrap=None, contest=None).fit(X, y)
    moved = X * [1e-3, 1.0, 30.0, 1e3] + [5.0, 1e6, -1e3, 0.0]
    again = Workflow(bootstrap=None, contest=None).fit(moved, y)
    assert again.features_ == workflow.features_
    assert again.predict_proba(moved) == pytest.approx(workflow.predict_proba(X), abs=1e-6)


def test_numbers_ranked_by_mutual_information():
    rng = np.random.default_rng(11)
    X = rng.standard_normal((150, 4))
    options = BARE | {"ranking": "mutual_information"}
    workflow = Workflow(**options, keep=1, search=None, contest=None, bootstrap=None).fit(X, np.abs(X[:, 2]))
    assert workflow.features_ == ["x2"]


# -- honesty ----------------------------------------------------------------------------------------------------------


def test_noise_scores_as_guessing_when_all_steps_are_inside_the_folds():
    """Best of many features on 120 coins: the search believes in them, the outer folds do not."""
    rng = np.random.default_rng(12)
    X, y = rng.standard_normal((120, 12)), rng.permutation(np.arange(120) % 2)
    workflow = Workflow(combinations=("pca", "lda"), bootstrap=None, contest=None, search="sffs")
    honest = workflow.nested(X, y)
    low, high = honest.interval
    assert low < 0.5 < high
    assert abs(honest.score - 0.5) < 3 * 0.5 / np.sqrt(120)
    assert honest.inner_scores.mean() > honest.score + 0.1
    folds = cross_val_score(workflow, X, y, cv=StratifiedKFold(5))
    assert folds == pytest.approx(honest.scores)


def test_nested_is_cross_validation_of_the_workflow():
    rng = np.random.default_rng(13)
    X = rng.standard_normal((100, 4))
    y = X[:, 0] + 0.5 * X[:, 1] * X[:, 2] + 0.3 * rng.standard_normal(100)
    workflow = Workflow("regression", bootstrap=None, search=["sffs", "own"], contest=[LinearRegression(), Ridge()])
    honest = workflow.nested(X, y, cv=KFold(3))
    assert honest.scores == pytest.approx(cross_val_score(workflow, X, y, cv=KFold(3), scoring="r2"))
    assert honest.scores == pytest.approx(cross_validate(workflow, X, y, cv=KFold(3))["test_score"])
    assert len(honest.counts) == 4 + 10 + 2
    assert honest.counts[0] == 3
    assert honest.counts.sum() == sum(map(len, honest.subsets))
    mistake = workflow.nested(X, y, cv=KFold(3), scoring="neg_mean_absolute_error")
    assert (mistake.scores < 0).all()
    assert "report_" not in vars(workflow)


def test_unseen_rows_change_nothing():
    """What was learnt is a function of the training rows alone."""
    X, y = informative()
    workflow = Workflow(bootstrap=None, contest=None).fit(X[:150], y[:150])
    alone = workflow.predict_proba(X[150:151])
    assert workflow.predict_proba(X[150:])[:1] == pytest.approx(alone)


# -- at home in scikit-learn ------------------------------------------------------------------------------------------

CHECKED = [
    Workflow("classification", bootstrap=None, contest=None, search="sfs"),
    Workflow("regression", bootstrap=None, contest=None, search="sfs"),
]


# Weights are numbers of rows in every sum, but rows are set aside, and fall into folds, one by one.
BY_ROW = [f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")]


@pytest.mark.foreign
@parametrize_with_checks(CHECKED, expected_failed_checks=lambda _: dict.fromkeys(BY_ROW, "rows are split one by one"))
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_task_by_the_target_or_by_name():
    X, y = informative(rows=100, noise=1)
    options = {"bootstrap": None, "contest": None}
    found = Workflow(**options).fit(X, y)
    assert is_classifier(found)
    assert found.classes_.tolist() == ["down", "up"]
    codes = (y == "up").astype(int)
    numbers = Workflow("regression", **options).fit(X, codes)
    assert is_regressor(numbers)
    assert not hasattr(numbers, "classes_")
    assert not hasattr(numbers, "predict_proba")
    assert is_classifier(Workflow("classification"))
    assert not is_classifier(Workflow())
    again = numbers.set_params(task="classification").fit(X, codes)
    assert again.classes_.tolist() == [0, 1]
    assert not hasattr(again.set_params(task=None).fit(X, X[:, 0]), "classes_")


def test_data_frames_and_pipelines():
    pandas = pytest.importorskip("pandas")
    X, y = informative(noise=1)
    frame = pandas.DataFrame(X, columns=["left", "right", "other"])
    workflow = Workflow(bootstrap=2, products=None, combinations=None, contest=None).fit(frame.assign(way=y), "way")
    assert workflow.features_ == ["left", "right"]
    assert set(workflow.bootstrap_.frequency) <= {"left", "right", "other"}
    assert workflow.score(frame.assign(way=y), "way") == workflow.score(frame, y)
    piped = make_pipeline(StandardScaler(), Workflow(bootstrap=None, contest=None)).fit(X, y)
    assert piped.score(X, y) > 0.9
    with pytest.raises(ValueError, match="feature names"):
        workflow.predict(frame[["right", "left", "other"]])


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"task": "ranking"}, ValueError, "task must be one of"),
        ({"products": 1}, ValueError, "products must be a whole number of at least 2"),
        ({"combinations": "ica"}, ValueError, "combinations must be 'pca', 'lda'"),
        ({"n_combinations": 0}, ValueError, "n_combinations must be"),
        ({"ranking": "gini"}, ValueError, "score must be one of"),
        ({"ranking": 3}, TypeError, "ranking must be the name of a score"),
        ({"keep": 0}, ValueError, "keep must be"),
        ({"outliers": 1.5}, ValueError, "outliers must be a number between 0 and 1"),
        ({"n_top": 0}, ValueError, "n_top must be"),
        ({"search": "best"}, ValueError, "search must be one of"),
        ({"search": []}, ValueError, "search is empty"),
        ({"search": ["own", "own"]}, ValueError, "search: two selectors of one kind need names"),
        ({"contest": "all"}, ValueError, "contest must be"),
        ({"contest": {}}, ValueError, "contest is empty"),
        ({"contest": [StandardScaler()]}, TypeError, "'StandardScaler' must be an estimator with fit and predict"),
        ({"contest": [GaussianNB(), GaussianNB()]}, ValueError, "need names"),
        ({"bootstrap": 1}, ValueError, "bootstrap must be"),
        ({"normalise": PCA(1)}, ValueError, "normalise must keep the 3 columns"),
    ],
)
def test_bad_parameters(options, error, words):
    X, y = informative(rows=60, noise=1)
    with pytest.raises(error, match=words):
        Workflow(**({"bootstrap": None} | options)).fit(X, y)


def test_bad_rows_and_targets():
    X, y = informative(rows=60, noise=1)
    broken = X.copy()
    broken[7, 2] = np.nan
    with pytest.raises(ValueError, match="NaN.*row 7"):
        Workflow().fit(broken, y)
    with pytest.raises(ValueError, match="one class only"):
        Workflow().fit(X, np.full(60, "same"))
    number = X[:, 0].copy()
    number[4] = np.inf
    with pytest.raises(ValueError, match="row 4"):
        Workflow("regression").fit(X, number)
    with pytest.raises(ValueError, match="load the table into memory"):
        Workflow().fit("rows.csv", "y")
    with pytest.raises(ValueError, match="different kinds"):
        Workflow("classification").fit(X, np.array(["a", 1] * 30, dtype=object))
    with pytest.raises(ValueError, match="requires y"):
        Workflow().fit(X)
    with pytest.raises(ValueError, match="between classes"):
        Workflow(combinations="lda").fit(X, X[:, 0])
    with pytest.raises(ValueError, match="more than 20000"):
        Workflow(products=4).fit(np.random.default_rng(0).standard_normal((30, 40)), np.arange(30) % 2)
    fitted = Workflow(bootstrap=None).fit(X, y)
    with pytest.raises(ValueError, match="row 7"):
        fitted.predict(broken)
