"""Greedy and floating searches against plain references, scikit-learn's sequential selector and closed counts."""

import warnings
from math import comb

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.linear_model import LinearRegression as TheirLinearRegression
from sklearn.linear_model import Ridge as TheirRidge
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sumlearn import (
    GaussianNB,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    LinearRegression,
    Ridge,
    SubsetSearch,
)
from sumlearn.data import load_example
from sumlearn.selection import Workflow
from sumlearn.selection.judges.judge import Judge

from tests.selection import references
from tests.selection.references import monotone_worth, random_worth

SIZE = 9
BLANK = np.zeros((2, SIZE))


def searched(method, worth, size=SIZE, **options):
    return SubsetSearch(method, criterion=worth, **options).fit(np.zeros((2, size)))


def assert_same(search, kept):
    """The same best set and score for every size, and the same number of sets looked at."""
    assert {n: tuple(s.tolist()) for n, s in search.path_.items()} == {n: s for n, (_, s) in sorted(kept.items())}
    for n, (score, _) in kept.items():
        assert search.scores_by_size_[n] == pytest.approx(score, abs=1e-12)
    trace = search.trace_
    assert {trace.subset(i) for i in range(len(trace))} == kept.asked


each_seed = pytest.mark.parametrize("seed", range(6))


@each_seed
@pytest.mark.parametrize("k", [1, 4, 9, "best"])
def test_sfs_and_sbe(seed, k):
    worth = random_worth(SIZE, seed)
    most, least = (SIZE, 1) if k == "best" else (k, k)
    up, down = searched("sfs", worth, k=k), searched("sbe", worth, k=k)
    assert_same(up, references.sfs(worth, SIZE, most))
    assert_same(down, references.sbe(worth, SIZE, least))
    for search in (up, down):
        assert search.score_ == pytest.approx(worth(search.subset_), abs=1e-12)
        best = max(search.scores_by_size_, key=search.scores_by_size_.get) if k == "best" else k
        assert len(search.subset_) == best
        assert search.approximate_ and not search.interrupted_


def test_numbers_of_evaluations():
    """SFS to n: n D - n (n - 1) / 2; SBE to n: (D - n)(D + n + 1) / 2 and the start; a step of GSFS(m): C(D - n, m)."""
    worth, D, n = random_worth(SIZE, 0), SIZE, 4
    assert searched("sfs", worth, k=n).evaluations_ == n * D - n * (n - 1) // 2
    assert searched("sbe", worth, k=n).evaluations_ == (D - n) * (D + n + 1) // 2 + 1
    assert searched("gsfs", worth, k=4, block=2).evaluations_ == comb(D, 2) + comb(D - 2, 2)
    assert searched("exhaustive", worth, k=n).evaluations_ == comb(D, n)


@each_seed
@pytest.mark.parametrize(("plus", "minus"), [(1, 0), (2, 1), (3, 1), (4, 3), (9, 2)])
@pytest.mark.parametrize("k", [2, 5, "best"])
def test_plus_take_away(seed, plus, minus, k):
    worth = random_worth(SIZE, seed)
    most = SIZE if k == "best" else k
    assert_same(searched("pta", worth, k=k, plus=plus, minus=minus), references.pta(worth, SIZE, most, plus, minus))
    assert_same(searched("gpta", worth, k=k, plus=plus, minus=minus), references.gpta(worth, SIZE, most, plus, minus))


@each_seed
@pytest.mark.parametrize(("plus", "minus"), [(0, 1), (1, 2), (1, 4)])
def test_take_away_plus(seed, plus, minus):
    """More out than in: downwards from everything."""
    worth = random_worth(SIZE, seed)
    found = searched("pta", worth, k=3, plus=plus, minus=minus)
    assert_same(found, references.take_away_pta(worth, SIZE, 3, plus, minus))


def test_plus_take_away_does_not_choose_one_feature_twice():
    """The note's step asks about S in place of S': with it, plus 3 would find one feature three times."""
    search = searched("pta", lambda s: -abs(sum(s) - 12.0), k=3, plus=3, minus=1)
    assert len(set(search.subset_.tolist())) == 3


@each_seed
@pytest.mark.parametrize("block", [1, 2, 3, 5])
@pytest.mark.parametrize("k", [5, "best"])
def test_blocks(seed, block, k):
    worth = random_worth(SIZE, seed)
    most = SIZE if k == "best" else k
    assert_same(searched("gsfs", worth, k=k, block=block), references.gsfs(worth, SIZE, most, block))


@pytest.mark.parametrize("seed", range(25))
def test_floating(seed):
    """At every size the better one of Pudil's floating search and forward selection, and so never below either."""
    size = 11
    worth = random_worth(size, seed, scale=1.5)
    forward, floating = references.sfs(worth, size, size), references.sffs(worth, size, size)
    found = searched("sffs", worth, size=size)
    for n in range(1, size + 1):
        best = max(forward[n], floating[n])
        assert found.scores_by_size_[n] == pytest.approx(best[0], abs=1e-12)
        assert tuple(found.path_[n].tolist()) == best[1]
    down, back = references.sbe(worth, size, 1), searched("sbfs", worth, size=size)
    assert all(back.scores_by_size_[n] >= down[n][0] - 1e-12 for n in down)


def test_floating_backward_is_floating_forward_of_the_complement():
    """J'(S) = J(all - S) turns one into the other."""
    size = 10
    for seed in range(10):
        worth = random_worth(size, seed, scale=1.5)
        back = searched("sbfs", worth, size=size)
        turned = searched("sffs", lambda s, w=worth: w(sorted(set(range(size)) - set(s))), size=size, max_features=9)
        for n in range(1, size):
            assert back.scores_by_size_[n] == pytest.approx(turned.scores_by_size_[size - n], abs=1e-12)


def test_floating_beats_forward_somewhere_and_can_end_below_it():
    """Both happen, which is why both paths are looked at."""
    better = below = 0
    for seed in range(60):
        worth = random_worth(11, seed, scale=1.5)
        forward, floating = references.sfs(worth, 11, 6), references.sffs(worth, 11, 6)
        better += any(floating[n][0] > forward[n][0] + 1e-9 for n in forward)
        below += any(floating[n][0] < forward[n][0] - 1e-9 for n in forward)
    assert better > 0 and below > 0


def test_floating_may_go_further():
    """With max_features, sets of k features found on the way back count too."""
    for seed in range(10):
        worth = random_worth(11, seed, scale=1.5)
        near, far = searched("sffs", worth, size=11, k=4), searched("sffs", worth, size=11, k=4, max_features=9)
        assert far.score_ >= near.score_ - 1e-12
        assert len(far.subset_) == 4 and max(far.path_) == 9


def test_pulsing_curve():
    worth = random_worth(11, 2, scale=1.5)
    trace = searched("sffs", worth, size=11).trace_
    jumps = np.diff(trace.move_size)
    assert (jumps == 1).any() and (jumps == -1).any()
    assert trace.score[0] == worth((0,)) and trace.direction[0] == 1
    frame = trace.to_frame()
    assert list(frame.columns) == ["step", "direction", "size", "score", "subset"]
    assert len(frame) == len(trace)
    assert all(len(s) == n and worth(s) == pytest.approx(j, abs=1e-12) for s, n, j in
               zip(frame["subset"], frame["size"], frame["score"], strict=True))  # fmt: skip


# -- against scikit-learn ---------------------------------------------------------------------------------------------


diabetes = load_diabetes(return_X_y=True, scaled=False)
pima = load_example("pima")


@pytest.mark.thinned(2)
@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (LinearRegression(), TheirLinearRegression()),
        (TheirLinearRegression(fit_intercept=False), TheirLinearRegression(fit_intercept=False)),
        (Ridge(30.0), TheirRidge(30.0)),
        (TheirRidge(30.0), TheirRidge(30.0)),
    ],
    ids=["least squares", "theirs without intercept", "ridge", "their ridge"],
)
def test_scikit_learns_selector_on_numbers(direction, ours, theirs):
    X, y, k = diabetes[0][:, :7], diabetes[1], 3
    cv = KFold(4, shuffle=True, random_state=1)
    reference = SequentialFeatureSelector(
        theirs, n_features_to_select=k, direction=direction, cv=cv, scoring="neg_mean_squared_error"
    ).fit(X, y)
    method = {"forward": "sfs", "backward": "sbe"}[direction]
    search = SubsetSearch(method, ours, "neg_mean_squared_error", k=k, cv=cv).fit(X, y)
    assert search.get_support().tolist() == reference.get_support().tolist()
    assert search.trace_.step.max() < 20  # asked for together, not one by one
    assert search.transform(X) == pytest.approx(reference.transform(X))


@pytest.mark.thinned(2)
@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.parametrize(
    ("estimator", "scoring"),
    [
        (LinearDiscriminantAnalysis(), "accuracy"),
        (LinearDiscriminantAnalysis(), "roc_auc"),
        (GaussianNB(), "accuracy"),
        (KNeighborsClassifier(9), "accuracy"),
        (LeastSquaresClassifier(), "accuracy"),
    ],
    ids=lambda e: e if isinstance(e, str) else type(e).__name__,
)
def test_scikit_learns_selector_on_labels(direction, scoring, estimator):
    """Judges from sums, judges that cut sums to columns, and judges that refit."""
    X, y = pima.X[:250, :6], pima.y[:250]
    cv = StratifiedKFold(3)
    reference = SequentialFeatureSelector(
        clone(estimator), n_features_to_select=3, direction=direction, cv=cv, scoring=scoring
    ).fit(X, y)
    method = {"forward": "sfs", "backward": "sbe"}[direction]
    search = SubsetSearch(method, estimator, scoring, k=3, cv=cv).fit(X, y)
    assert search.get_support().tolist() == reference.get_support().tolist()


def test_defaults_follow_the_target():
    X, y = diabetes
    numbers = SubsetSearch().fit(X, y)  # whole numbers, but 214 different ones
    assert numbers.score_ == pytest.approx(SubsetSearch("sfs", LinearRegression(), "r2").fit(X, y).score_)
    labels = SubsetSearch().fit(pima.X, pima.y)
    assert labels.score_ == SubsetSearch("sfs", LinearDiscriminantAnalysis(), "accuracy").fit(pima.X, pima.y).score_
    assert labels.score_ == SubsetSearch(criterion="accuracy").fit(pima.X, pima.y == pima.y[0]).score_


def test_in_a_pipeline_and_with_names():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(pima.X, columns=list("abcdefgh")[: pima.X.shape[1]])
    model = make_pipeline(StandardScaler(), SubsetSearch(k=3), LinearDiscriminantAnalysis())
    assert model.fit(frame, pima.y).score(frame, pima.y) > 0.7
    search = SubsetSearch(k=3).fit(frame, pima.y)
    chosen = [frame.columns[i] for i in search.subset_]
    assert search.get_feature_names_out().tolist() == chosen
    out = search.set_output(transform="pandas").transform(frame)
    assert list(out.columns) == chosen
    back = search.set_output(transform="default").inverse_transform(frame[chosen].to_numpy())
    assert back.shape == frame.shape and (back[:, search.subset_] == frame[chosen].to_numpy()).all()


# -- ties -------------------------------------------------------------------------------------------------------------


def test_the_first_of_equals_wins():
    search = searched("sfs", lambda s: float(len(s) >= 2), k=3)
    assert search.subset_.tolist() == [0, 1, 2]
    assert searched("sfs", lambda s: float(len(s) >= 2)).subset_.tolist() == [0, 1]  # the smallest size of equals
    assert searched("sbe", lambda s: float(len(s) >= 2)).subset_.tolist() == [7, 8]  # a useless one does go


def test_tolerance_makes_equals_of_neighbours():
    def worth(s):
        return 1.0 + 1e-5 * max(s)

    assert searched("sfs", worth, k=1, tol=0.0).subset_.tolist() == [8]
    assert searched("sfs", worth, k=1, tol=1e-3).subset_.tolist() == [0]


def test_identical_columns():
    X, y = diabetes
    double = np.column_stack([X[:, :4], X[:, 0], X[:, 2]])
    search = SubsetSearch("sfs", k=2).fit(double, y)
    assert set(search.subset_.tolist()) <= {0, 1, 2, 3}


class Counting(Judge):
    """Answers one by one, and counts."""

    monotone = True

    def __init__(self, worth, size):
        self.worth, self.size, self.count = worth, size, 0

    def score(self, subset):
        self.count += 1
        return self.worth(subset)


@pytest.mark.parametrize("method", ["sfs", "sbe", "pta", "gsfs", "gpta", "sffs", "sbfs", "bnb", "astar", "exhaustive"])
def test_evaluations_are_counted_and_not_repeated(method):
    judge = Counting(monotone_worth(SIZE, 1), SIZE)
    search = SubsetSearch(method, criterion=judge, k=4).fit(BLANK)
    assert search.evaluations_ == judge.count == len(search.trace_)
    assert len(search.subset_) == 4


@pytest.mark.parametrize("codes", [np.arange(120) % 12, np.arange(120)[:12] % 3], ids=["12 classes", "few rows"])
def test_codes_that_are_taken_for_numbers_are_warned_about(codes):
    """Least squares on the codes of classes depends on their order; nothing else would tell."""
    rows = np.random.default_rng(0).standard_normal((len(codes), 3))
    with pytest.warns(UserWarning, match="different whole numbers, which may be labels, and is taken for numbers"):
        SubsetSearch("sfs", k=1, cv=2).fit(rows, codes)
    with pytest.warns(UserWarning, match="say task='classification' if they are labels"):
        Workflow(bootstrap=None, contest=None, search=None, cv=2).fit(rows, codes)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SubsetSearch("sfs", LinearRegression(), k=1, cv=2).fit(rows, codes)
        SubsetSearch("sfs", k=1, cv=2).fit(rows, codes + 0.5)
