"""What may move, how many, how long: fixed and excluded columns, groups, sizes, budgets, Ctrl-C, and refusals."""

import time
import warnings
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GroupKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeRegressor

from sumlearn import LinearDiscriminantAnalysis, LinearRegression, Ridge, SubsetSearch
from sumlearn.data import load_example
from sumlearn.selection.judges.judge import Judge

from tests.learners.test_callbacks import Recorder
from tests.selection.references import random_worth

SIZE = 8
BLANK = np.zeros((2, SIZE))
pima = load_example("pima")
METHODS = ["sfs", "sbe", "pta", "gsfs", "gpta", "sffs", "sbfs", "exhaustive"]


def searched(method, worth, **options):
    return SubsetSearch(method, criterion=worth, **options).fit(BLANK)


# -- columns ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_fixed_and_excluded(method):
    worth = random_worth(SIZE, 4)
    found = searched(method, worth, k=4, fixed=[6, 1], excluded=[0, 3])
    for number in range(len(found.trace_)):
        subset = set(found.trace_.subset(number))
        assert {1, 6} <= subset and not subset & {0, 3}
    assert len(found.subset_) == 4
    whole = searched(method, worth, fixed=[6, 1], excluded=[0, 3])
    assert min(whole.path_) == 2 or method in ("gsfs", "gpta")
    assert max(whole.path_) == 6


def test_fixed_alone_is_an_answer():
    found = searched("sfs", lambda s: -float(len(s)), fixed=[2, 5])
    assert found.subset_.tolist() == [2, 5]
    assert searched("sbe", lambda s: -float(len(s)), k=2, fixed=[2, 5]).subset_.tolist() == [2, 5]


@pytest.mark.parametrize("method", METHODS)
def test_columns_that_enter_together(method):
    worth = random_worth(SIZE, 5)
    groups = {"first": [0, 7], "second": [2, 3, 4]}
    found = searched(method, worth, k=2, column_groups=groups)
    units = [(0, 7), (2, 3, 4), (1,), (5,), (6,)]
    legal = {tuple(sorted(sum(some, ()))) for n in range(1, 6) for some in combinations(units, n)}
    trace = found.trace_
    assert {trace.subset(i) for i in range(len(trace))} <= legal
    pairs = [tuple(sorted(a + b)) for a, b in combinations(units, 2)]
    assert tuple(found.subset_.tolist()) in pairs
    if method == "exhaustive":
        assert tuple(found.subset_.tolist()) == max(pairs, key=worth)
    whole = searched(method, worth, column_groups=groups)
    assert set(whole.path_) <= {1, 2, 3, 4, 5}


def test_columns_by_name_number_and_mask():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(BLANK, columns=list("abcdefgh"))
    worth = random_worth(SIZE, 6)
    wanted = searched("sfs", worth, k=3, fixed=[1], excluded=[4, 5]).subset_.tolist()
    for fixed, excluded in ((["b"], ["e", "f"]), ("b", np.array([4, 5])), (1, [c in "ef" for c in "abcdefgh"])):
        found = SubsetSearch("sfs", criterion=worth, k=3, fixed=fixed, excluded=excluded).fit(frame)
        assert found.subset_.tolist() == wanted


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "best"}, "method must be one of 'sfs', 'sbe'"),
        ({"k": 0}, "k must be a whole number of at least 1, got 0"),
        ({"k": 9}, "k=9 features were asked for: it must be at most the 8 there are"),
        ({"k": 2.5}, "k must be a whole number"),
        ({"k": True}, "k must be one of 'best', 'parsimonious', got True"),
        ({"k": "all"}, "k must be one of 'best', 'parsimonious', got 'all'"),
        ({"k": 1, "fixed": [0, 1]}, "k=1 features were asked for: it must be at least the 2 fixed ones"),
        ({"k": 4, "max_features": 3}, "max_features=3 is below k=4"),
        ({"max_features": 0}, "max_features must be a whole number of at least 1"),
        ({"method": "pta", "plus": 2, "minus": 2}, "plus and minus must differ"),
        ({"plus": -1}, "plus must be a whole number of at least 0"),
        ({"block": 0}, "block must be a whole number of at least 1"),
        ({"n_best": 0}, "n_best must be a whole number of at least 1"),
        ({"tol": -1.0}, "tol must be a number from 0 to below 1"),
        ({"tol": np.nan}, "tol must be a number from 0 to below 1"),
        ({"max_evaluations": 0}, "max_evaluations must be a whole number of at least 1"),
        ({"max_seconds": 0}, "max_seconds must be a positive number"),
        ({"fixed": ["a"]}, "fixed: no column 'a'; the columns are unnamed"),
        ({"fixed": [8]}, "fixed: no column 8; there are 8, numbered from 0"),
        ({"excluded": [-1]}, "excluded: no column -1"),
        ({"excluded": [True, False]}, "excluded is a mask of 2 columns, there are 8"),
        ({"excluded": range(8)}, "excluded leaves no columns"),
        ({"fixed": [2], "excluded": [2]}, "column 2 is fixed and column 2 is excluded"),
        ({"column_groups": [[0, 1], [1, 2]]}, "column 1 is in two groups"),
        ({"column_groups": [[]]}, "group 0 has no columns"),
        ({"fixed": [0], "excluded": [1], "column_groups": [[0, 1]]}, "the same or enter together"),
        ({"method": "sfs", "prophet": 1}, "a prophet guides method='astar'"),
    ],
)
def test_what_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        SubsetSearch(criterion=lambda s: float(len(s)), **options).fit(BLANK)


def test_a_refused_fit_changes_nothing():
    search = searched("sfs", random_worth(SIZE, 0), k=3)
    before = search.subset_
    with pytest.raises(ValueError, match="k=9"):
        search.set_params(k=9).fit(BLANK)
    assert search.subset_ is before
    fresh = SubsetSearch(k=9, criterion=lambda s: 1.0)
    with pytest.raises(ValueError, match="k=9"):
        fresh.fit(BLANK)
    assert not hasattr(fresh, "n_features_in_")


def test_estimators_and_criteria_that_are_none():
    X, y = pima.X, pima.y
    with pytest.raises(ValueError, match="requires y to be passed"):
        SubsetSearch().fit(X)
    with pytest.raises(TypeError, match="estimator must be an estimator"):
        SubsetSearch(estimator=LinearRegression).fit(X, y)
    with pytest.raises(ValueError, match="has no use for an estimator"):
        SubsetSearch("sfs", LinearDiscriminantAnalysis(), "mahalanobis").fit(X, y)
    with pytest.raises(ValueError, match="criterion 'aic' is for LinearRegression and Ridge"):
        SubsetSearch("sfs", LinearDiscriminantAnalysis(), "aic").fit(X, y)
    with pytest.raises(ValueError, match="criterion 'cost' cannot be judged for KNeighborsClassifier"):
        SubsetSearch("sfs", KNeighborsClassifier(), "cost").fit(X, y)
    with pytest.raises(ValueError, match="no_such_score"):
        SubsetSearch("sfs", KNeighborsClassifier(), "no_such_score").fit(X, y)
    with pytest.raises(TypeError, match="criterion must be a name, a function or a Judge"):
        SubsetSearch("sfs", KNeighborsClassifier(), 7).fit(X, y)
    with pytest.raises(ValueError, match="the judge was made for 3"):
        SubsetSearch(criterion=type("Three", (Judge,), {"size": 3, "score": lambda self, s: 0.0})()).fit(X)
    with pytest.raises(ValueError, match="criterion 'aic' needs one target, y has 2 columns"):
        SubsetSearch("sfs", Ridge(), "aic").fit(X, X[:, :2])
    with pytest.raises(TypeError, match="prophet must be a Prophet"):
        SubsetSearch("astar", criterion=lambda s: 0.0, k=2, prophet=3).fit(X)


def test_one_class_is_named():
    for criterion in ("accuracy", "mahalanobis"):
        with pytest.raises(ValueError, match="class"):
            SubsetSearch(criterion=criterion).fit(pima.X, np.full(len(pima.X), "all the same"))


def test_scores_that_are_no_numbers():
    with pytest.raises(ValueError, match=r"criterion is NaN for columns \(0, 3\)"):
        searched("sfs", lambda s: np.nan if s == (0, 3) else float(-sum(s)))
    with pytest.raises(ValueError, match="no subset can be judged"):
        searched("sfs", lambda s: -np.inf)


# -- columns that cannot be judged ------------------------------------------------------------------------------------


def table_with_dependent_columns():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 4))
    X = np.column_stack([np.full(80, 3.0), X, X[:, 0] - 2.0 * X[:, 1], np.full(80, -1.0)])
    return X, X[:, 1] + X[:, 3] + 0.1 * rng.standard_normal(80)


@pytest.mark.parametrize("method", METHODS)
def test_constant_and_dependent_columns(method):
    """They are never chosen: 0 and 6 are constant, 5 depends on 1 and 2."""
    X, y = table_with_dependent_columns()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        found = SubsetSearch(method, LinearRegression(), "r2", cv=4).fit(X, y)
    assert not {0, 6} & set(found.subset_.tolist())
    assert found.score_ > 0.97 and np.isfinite(list(found.scores_by_size_.values())).all()


def test_backward_says_what_it_starts_without():
    X, y = table_with_dependent_columns()
    with pytest.warns(UserWarning, match=r"columns \[0, 5, 6\] depend on those before them"):
        SubsetSearch("sbe", LinearRegression(), "r2").fit(X, y)
    named = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
    with pytest.warns(UserWarning, match=r"columns \['x0', 'x5', 'x6'\] depend on those before them"):
        SubsetSearch("sbe", LinearRegression(), "r2").fit(named, y)
    with pytest.raises(ValueError, match="no subset of 6 features was judged"):
        SubsetSearch("sfs", LinearRegression(), "r2", k=6).fit(X, y)


# -- sizes ------------------------------------------------------------------------------------------------------------


def test_parsimonious_is_within_one_standard_error():
    X, y = pima.X, pima.y
    best = SubsetSearch("sffs", LinearDiscriminantAnalysis(), "accuracy", cv=10).fit(X, y)
    folds = cross_val_score(LinearDiscriminantAnalysis(), X[:, best.subset_], y, cv=10)
    assert best.score_ == pytest.approx(folds.mean())
    assert best.standard_error_ == pytest.approx(folds.std(ddof=1) / np.sqrt(10))
    few = SubsetSearch("sffs", LinearDiscriminantAnalysis(), "accuracy", cv=10, k="parsimonious").fit(X, y)
    least = best.score_ - best.standard_error_
    assert len(few.subset_) == min(n for n, score in best.scores_by_size_.items() if score >= least)
    assert few.score_ == best.scores_by_size_[len(few.subset_)]
    with pytest.raises(ValueError, match="mean over folds"):
        searched("sfs", lambda s: float(len(s)), k="parsimonious")


def test_max_features_bounds_the_answer():
    found = searched("sfs", lambda s: float(len(s)), max_features=5)
    assert len(found.subset_) == 5 and max(found.path_) == 5
    assert len(searched("sbe", lambda s: float(len(s)), max_features=5).subset_) == 5


def test_groups_of_rows_go_to_the_splitter():
    X, y = pima.X[:200], pima.y[:200]
    groups = np.arange(200) // 10
    found = SubsetSearch("sfs", LinearDiscriminantAnalysis(), k=2, cv=GroupKFold(4)).fit(X, y, groups=groups)
    score = cross_val_score(LinearDiscriminantAnalysis(), X[:, found.subset_], y, cv=GroupKFold(4), groups=groups)
    assert found.score_ == pytest.approx(score.mean())


# -- ends -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("budget", [1, 5, 13, 20])
def test_a_budget_of_evaluations(method, budget):
    asked = []
    worth = random_worth(SIZE, 2)

    def counted(subset):
        asked.append(subset)
        return worth(subset)

    with pytest.warns(ConvergenceWarning, match=f"the budget was spent after {budget} evaluations"):
        found = searched(method, counted, max_evaluations=budget)
    assert found.evaluations_ == len(asked) == budget
    assert found.interrupted_ and found.approximate_
    assert found.score_ == max(map(worth, asked))


def test_a_budget_that_is_enough():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = searched("sfs", random_worth(SIZE, 2), k=2, max_evaluations=15, max_seconds=60.0)
    assert found.evaluations_ == 15 and not found.interrupted_


def test_the_nearest_size_when_the_budget_ends_early():
    with pytest.warns(ConvergenceWarning, match="of 1 features"):
        found = searched("sfs", random_worth(SIZE, 2), k=5, max_evaluations=8)
    assert len(found.subset_) == 1


def test_a_budget_of_seconds():
    def slow(subset):
        time.sleep(0.01)
        return float(len(subset))

    start = time.perf_counter()
    with pytest.warns(ConvergenceWarning, match="the budget was spent"):
        found = searched("exhaustive", slow, max_seconds=0.1)
    assert time.perf_counter() - start < 2.0
    assert 1 <= found.evaluations_ < 255


def test_interrupted_by_hand():
    """Ctrl-C keeps the best subset so far."""
    worth = random_worth(SIZE, 3)
    asked = []

    def stopped(subset):
        if len(asked) == 20:
            raise KeyboardInterrupt
        asked.append(subset)
        return worth(subset)

    with pytest.warns(ConvergenceWarning, match="the search was interrupted after 15 evaluations"):
        found = searched("sfs", stopped)  # the third step is lost as a whole
    assert found.interrupted_ and found.standard_error_ is None
    assert found.score_ == max(map(worth, asked[:15]))
    assert found.transform(BLANK).shape == (2, len(found.subset_))


def test_interrupted_before_anything_is_known():
    def stopped(subset):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        searched("sfs", stopped)


def test_progress_is_told():
    recorder = Recorder()
    found = SubsetSearch("sfs", k=3).set_callbacks(recorder).fit(pima.X, pima.y)
    assert recorder.events.count("begin") == recorder.events.count("end") == 3 + 1  # steps, and the whole
    assert recorder.events[-1] == "teardown"
    assert found.subset_.tolist() == SubsetSearch("sfs", k=3).fit(pima.X, pima.y).subset_.tolist()


# -- judges -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("estimator", "criterion"),
    [(DecisionTreeRegressor(max_depth=3, random_state=0), "r2"), (Ridge(2.0), "neg_mean_absolute_error"), (None, None)],
    ids=["refitted", "cut from sums", "from sums"],
)
def test_neighbours_are_judged_as_by_themselves(estimator, criterion):
    """J(S + j) and J(S - j) asked for together equal J asked for alone, and the mean of the folds."""
    from sumlearn.selection.judging import case_for

    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 5))
    y = X[:, 0] - X[:, 2] + rng.standard_normal(60)
    judge = case_for(SubsetSearch("sfs", estimator, criterion), X, y, None, None).judge
    for subset in ((1,), (0, 2, 4)):
        outside = [j for j in range(5) if j not in subset]
        alone = [judge.score(tuple(sorted((*subset, j)))) for j in outside]
        assert judge.with_each(subset, outside) == pytest.approx(alone, rel=1e-10)
        assert judge.score(subset) == pytest.approx(judge.folds(subset).mean(), rel=1e-10)
    alone = [judge.score(tuple(i for i in (0, 2, 4) if i != j)) for j in (0, 2, 4)]
    assert judge.without_each((0, 2, 4), [0, 2, 4]) == pytest.approx(alone, rel=1e-10)


def theirs(name, **options):
    from sklearn import discriminant_analysis, linear_model, naive_bayes

    home = next(m for m in (discriminant_analysis, linear_model, naive_bayes) if hasattr(m, name))
    return getattr(home, name)(**options)


@pytest.mark.parametrize(
    ("estimator", "criterion", "judge"),
    [
        (None, None, "LinearDiscriminantJudge"),
        (theirs("LinearDiscriminantAnalysis"), "roc_auc", "LinearDiscriminantJudge"),
        (theirs("GaussianNB"), None, "NaiveBayesJudge"),
        (theirs("LinearRegression"), "neg_mean_squared_error", "LeastSquaresJudge"),
        (theirs("Ridge", alpha=2.0), "bic", "LeastSquaresJudge"),
        (Ridge(), "loo", "LeaveOneOutJudge"),
        (None, "trace", "SeparabilityJudge"),
        (Ridge(), "neg_median_absolute_error", "RestrictedSumsJudge"),
        (LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.1), "accuracy", "RestrictedSumsJudge"),
        (theirs("LinearRegression", positive=True), "r2", "RefitJudge"),
        (theirs("LinearDiscriminantAnalysis", solver="lsqr", shrinkage="auto"), None, "RefitJudge"),
        (KNeighborsClassifier(), None, "RefitJudge"),
    ],
)
def test_the_quickest_judge_is_chosen(estimator, criterion, judge):
    from sumlearn.selection.judging import case_for

    numbers = criterion in ("neg_mean_squared_error", "bic", "loo", "neg_median_absolute_error", "r2")
    y = pima.X[:, 2] if numbers else pima.y
    found = case_for(SubsetSearch("sfs", estimator, criterion), pima.X, y, None, None)
    assert type(found.judge).__name__ == judge


def test_a_judge_needs_a_score_and_nothing_else():
    """Its size is that of the rows; neither the judge nor its class is changed."""

    class Mine(Judge):
        def score(self, subset):
            return -abs(len(subset) - 2.0) - 0.1 * sum(subset)

    judge = Mine()
    for criterion in (judge, Mine):
        for method in ("sfs", "sbe", "pta", "sffs", "exhaustive"):
            assert SubsetSearch(method, criterion=criterion).fit(np.zeros((3, 5))).subset_.tolist() == [0, 1]
    assert not hasattr(judge, "size")
    assert SubsetSearch("sfs", criterion=judge).fit(np.zeros((3, 7)), np.arange(3)).subset_.tolist() == [0, 1]
