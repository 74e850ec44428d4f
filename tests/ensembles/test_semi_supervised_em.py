"""EM with unlabelled rows: the objective never falls, its end is a maximum, sums from anywhere give one model."""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.special import log_softmax
from scipy.stats import multivariate_normal, norm

import sumlearn as sl
from sumlearn import (
    BernoulliNB,
    GaussianMixtureClassifier,
    GaussianNB,
    LinearDiscriminantAnalysis,
    MultinomialNB,
    QuadraticDiscriminantAnalysis,
    SemiSupervisedEM,
)
from sumlearn.data import load_example

dd = pytest.importorskip("dask.dataframe")

CLASSIFIERS = [
    GaussianNB(),
    GaussianNB(var_smoothing=0.3),
    GaussianNB(priors=[0.5, 0.2, 0.3]),
    LinearDiscriminantAnalysis(),
    LinearDiscriminantAnalysis(solver="lsqr"),
    QuadraticDiscriminantAnalysis(),
    MultinomialNB(),
    MultinomialNB(alpha=0.0),
    MultinomialNB(alpha=3.0, fit_prior=False),
    BernoulliNB(alpha=0.4, binarize=1.0),
]


def three(seed=0, n=240, hidden=0.85):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    X = rng.poisson(1.0 + 2.0 * (np.arange(4) == truth[:, None])).astype(float) + np.round(rng.random((n, 4)), 3)
    return X, np.where(rng.random(n) < hidden, -1, truth), truth


@pytest.mark.parametrize("part", [0.05, 1.0, 4.0])
@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=repr)
def test_no_step_lowers_the_objective(estimator, part):
    X, y, _ = three()
    model = SemiSupervisedEM(estimator, weight_of_unlabelled=part, tol=1e-9, max_iter=3000).fit(X, y)
    values = model.trace_[np.isfinite(model.trace_)]
    assert model.converged_ and model.n_iter_ > 3
    assert np.diff(values).min() >= -1e-12 * np.abs(values).max()
    assert values[-1] > values[0]


def test_the_smoothing_is_that_of_all_rows_from_the_first_step_on():
    """Labelled rows that spread less than the others have another largest variance, and Q would fall at once."""
    X, y, _ = three()
    X[y >= 0] *= 0.2
    for spread in (X, np.where((y >= 0)[:, None], np.round(X), X)):  # with variances of their own, or those of all
        model = SemiSupervisedEM(GaussianNB(var_smoothing=0.5), tol=1e-9, max_iter=3000).fit(spread, y)
        assert np.diff(model.trace_).min() >= -1e-12


def crossed(n, labels, seed=0):
    """Two classes in four groups, crosswise: a Gaussian for each class tells nothing."""
    rng = np.random.default_rng(seed)
    truth, side = np.arange(n) % 2, np.arange(n) // 2 % 2
    X = np.column_stack([5.0 * side, 5.0 * (side ^ truth)]) + rng.standard_normal((n, 2)) * [0.7, 1.0]
    return X, np.where(np.arange(n) < labels, truth, -1), truth


@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
def test_mixtures_for_each_class_climb_to_a_maximum(kind):
    for part, labels in ((1.0, 40), (0.3, 6), (3.0, 16)):
        X, y, truth = crossed(160, labels)
        classifier = GaussianMixtureClassifier(2, covariance_type=kind, var_smoothing=0.05)
        model = SemiSupervisedEM(classifier, weight_of_unlabelled=part, tol=1e-12, max_iter=3000).fit(X, y)
        assert np.diff(model.trace_).min() >= -1e-11
        weight = np.where(y < 0, part, 1.0)
        variances = np.average((X - np.average(X, axis=0, weights=weight)) ** 2, axis=0, weights=weight)
        R = np.full(2, 0.05 * variances.mean()) if kind == "spherical" else 0.05 * variances

        def value(moved, rng, X=X, y=y, R=R, part=part, model=model):
            """Q from the attributes of the model, all of them a little aside."""
            columns = []
            for prior, one in zip(model.estimator_.priors_, model.estimator_.learners_, strict=True):
                weights = np.exp(log_softmax(np.log(one.weights_) + moved * rng.standard_normal(2)))
                C = np.asarray(one.covariances_)
                if kind in ("full", "tied"):
                    L = np.eye(2) + moved * np.tril(rng.standard_normal((2, 2) if kind == "tied" else (2, 2, 2)))
                    C = np.broadcast_to(L @ C @ np.swapaxes(L, -1, -2), (2, 2, 2))
                else:
                    C = C * np.exp(moved * rng.standard_normal(C.shape))
                    C = np.array([np.diag(np.broadcast_to(c, 2)) for c in C])
                means = one.means_ + moved * rng.standard_normal((2, 2))
                parts = [
                    np.log(prior * p) + multivariate_normal(m, S).logpdf(X) - 0.5 * np.trace(np.diag(R / np.diag(S)))
                    if kind in ("diag", "spherical")
                    else np.log(prior * p) + multivariate_normal(m, S).logpdf(X) - 0.5 * R @ np.linalg.inv(S).diagonal()
                    for p, m, S in zip(weights, means, C, strict=True)
                ]
                columns.append(np.logaddexp.reduce(parts, axis=0))
            return objective(np.stack(columns, axis=1), y, part)

        own = value(0.0, np.random.default_rng(0))
        assert np.isclose(own / weight.sum(), model.trace_[-1], rtol=1e-9)
        asides = [value(size, np.random.default_rng(seed)) for seed in range(15) for size in (1e-2, 1e-4)]
        assert max(asides) <= own + 1e-7
    assert model.score(X, truth) > 0.9


def test_mixtures_start_where_labels_lead(tmp_path):
    X, y, truth = crossed(400, 24)
    model = SemiSupervisedEM(GaussianMixtureClassifier(2)).fit(X, y)
    alone = GaussianMixtureClassifier(2).fit(X[:24], y[:24])
    assert model.score(X, truth) > max(alone.score(X, truth), 0.94)
    assert SemiSupervisedEM(LinearDiscriminantAnalysis()).fit(X, y).score(X, truth) < 0.8
    assert isinstance(model.estimator_, GaussianMixtureClassifier)
    assert np.array_equal(model.estimator_.predict(X), model.predict(X))
    frame = pd.DataFrame(X, columns=["a", "b"])
    names = np.array(["no", "yes"], dtype=object)
    table = frame.assign(kind=np.where(y < 0, None, names[y]))
    table.to_csv(tmp_path / "t.csv", index=False)
    for given in (tmp_path / "t.csv", dd.from_pandas(table, npartitions=3)):
        other = SemiSupervisedEM(GaussianMixtureClassifier(2)).fit(given, "kind")
        assert np.allclose(other.predict_proba(frame), model.predict_proba(X), atol=1e-6)
    few = np.where(np.arange(400) < 4, y, -1)  # too few for two Gaussians each: one comes first
    assert [
        len(one.weights_) for one in SemiSupervisedEM(GaussianMixtureClassifier(2)).fit(X, few).estimator_.learners_
    ] == [2, 2]
    far = SemiSupervisedEM(GaussianMixtureClassifier(2)).fit(np.round(X * 2**10) / 2**10 + 2.0**30, y)
    near = SemiSupervisedEM(GaussianMixtureClassifier(2)).fit(np.round(X * 2**10) / 2**10, y)
    assert np.allclose(far.predict_proba(X + 2.0**30), near.predict_proba(X), atol=1e-5)
    sl.save(model, tmp_path / "m.sumlearn")
    assert np.array_equal(sl.load(tmp_path / "m.sumlearn").predict_proba(X), model.predict_proba(X))


def two(seed=1, n=40):
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % 2
    X = rng.standard_normal((n, 2)) * [1.0, 1.5] + 1.8 * truth[:, None]
    return X, np.where(np.arange(n) < 8, truth, -1)


def log_joint(X, priors, means, covariances):
    return np.log(priors) + np.stack(
        [multivariate_normal(m, C).logpdf(X) for m, C in zip(means, covariances, strict=True)], axis=1
    )


def objective(joint, y, part):
    given = y >= 0
    return joint[given, y[given]].sum() + part * np.logaddexp.reduce(joint[~given], axis=1).sum()


@pytest.mark.parametrize("part", [0.3, 1.0])
def test_the_end_is_a_maximum_of_normal_classes(part):
    """By SciPy over all parameters, from where EM has ended: nothing is left to gain, and the values agree."""
    X, y = two()
    model = SemiSupervisedEM(QuadraticDiscriminantAnalysis(), weight_of_unlabelled=part, tol=1e-14, max_iter=5000).fit(
        X, y
    )
    inner = model.estimator_

    def unpacked(t):
        factors = [np.array([[np.exp(t[i]), 0.0], [t[i + 1], np.exp(t[i + 2])]]) for i in (5, 8)]
        return np.exp(log_softmax([t[0], 0.0])), (t[1:3], t[3:5]), [L @ L.T for L in factors]

    start = [np.log(inner.priors_[0] / inner.priors_[1]), *inner.means_.ravel()]
    for C in inner.covariance_:
        L = np.linalg.cholesky(C)
        start += [np.log(L[0, 0]), L[1, 0], np.log(L[1, 1])]
    own = objective(log_joint(X, inner.priors_, inner.means_, inner.covariance_), y, part)
    weight = 8 + part * 32
    assert np.isclose(model.trace_[-1] * weight, own, rtol=1e-9)

    def value(t):
        return -objective(log_joint(X, *unpacked(t)), y, part)

    best = minimize(value, start, method="BFGS", options={"gtol": 1e-8})
    assert -best.fun - own < 1e-6
    rough = minimize(value, np.array(start) + 0.05, method="BFGS")
    assert np.isclose(-rough.fun, own, atol=1e-5)  # the same maximum from a little aside


def test_the_end_is_a_maximum_with_smoothing():
    """GaussianNB: every row has - 1/2 sum e / v in ln p(x, k), e the smoothing."""
    X, y = two(2)
    model = SemiSupervisedEM(GaussianNB(var_smoothing=0.2), tol=1e-14, max_iter=5000).fit(X, y)
    inner = model.estimator_
    e = inner.epsilon_
    assert np.isclose(e, 0.2 * X.var(axis=0).max())

    def value(t):
        means, v = t[1:5].reshape(2, 2), np.exp(t[5:]).reshape(2, 2)
        joint = log_softmax([t[0], 0.0]) + norm.logpdf(X[:, None], means, np.sqrt(v)).sum(axis=2)
        joint = joint - 0.5 * (e / v).sum(axis=1)
        return -objective(joint, y, 1.0)

    start = [np.log(inner.class_prior_[0] / inner.class_prior_[1]), *inner.theta_.ravel(), *np.log(inner.var_.ravel())]
    best = minimize(value, start, method="BFGS", options={"gtol": 1e-8})
    assert value(np.array(start)) - best.fun < 1e-7 and np.isclose(-best.fun / 40, model.trace_[-1], rtol=1e-8)


def test_the_end_is_a_maximum_of_counts():
    X, y, _ = three(3, 60)
    y = np.where(y == 2, -1, y)
    model = SemiSupervisedEM(MultinomialNB(alpha=0.7), tol=1e-14, max_iter=5000).fit(X, y)

    def value(t):
        logs = log_softmax(t[1:].reshape(2, 4), axis=1)
        return -objective(log_softmax([t[0], 0.0]) + X @ logs.T, y, 1.0) - 0.7 * logs.sum()

    inner = model.estimator_
    start = np.append(np.subtract(*inner.class_log_prior_), inner.feature_log_prob_.ravel())
    best = minimize(value, start, method="BFGS", options={"gtol": 1e-8})
    assert value(start) - best.fun < 1e-6 and np.isclose(-value(start) / 60, model.trace_[-1], rtol=1e-9)


@pytest.mark.parametrize("estimator", CLASSIFIERS[::3], ids=repr)
def test_without_unlabelled_rows_it_is_the_classifier(estimator):
    X, y, truth = three(4)
    given = y >= 0
    alone = estimator.fit(X[given], y[given]).predict_proba(X)
    zero = SemiSupervisedEM(estimator, weight_of_unlabelled=0.0).fit(X, y)
    assert np.allclose(zero.predict_proba(X), alone, atol=1e-10)
    full = SemiSupervisedEM(estimator).fit(X, truth)
    assert np.allclose(full.predict_proba(X), estimator.fit(X, truth).predict_proba(X))


def test_the_expected_sums_are_the_model():
    """One more M by hand, with fractional weights, is where it stands."""
    X, y, _ = three(5)
    model = SemiSupervisedEM(LinearDiscriminantAnalysis(), tol=1e-13, max_iter=5000).fit(X, y)
    shares = np.where((y >= 0)[:, None], y[:, None] == [0, 1, 2], model.predict_proba(X))
    again = LinearDiscriminantAnalysis().fit(np.tile(X, (3, 1)), np.repeat([0, 1, 2], len(X)), shares.T.ravel())
    assert np.allclose(again.coef_, model.estimator_.coef_, atol=1e-4)


def test_files_dask_chunks_order_and_weights(tmp_path):
    X, y, _ = three(6)
    frame = pd.DataFrame(X, columns=list("abcd"))
    names = np.array(["x", "y", "z"])
    table = frame.assign(kind=np.where(y < 0, None, names[y]))
    table.to_csv(tmp_path / "t.csv", index=False)
    table.to_parquet(tmp_path / "t.parquet")
    for estimator in (GaussianNB(), QuadraticDiscriminantAnalysis(), MultinomialNB()):
        expected = SemiSupervisedEM(estimator).fit(frame, table["kind"])
        for given in (tmp_path / "t.csv", tmp_path / "t.parquet", dd.from_pandas(table, npartitions=3)):
            model = SemiSupervisedEM(estimator).fit(given, "kind")
            assert np.allclose(model.predict_proba(frame), expected.predict_proba(frame), atol=1e-7)
            assert np.array_equal(model.transduction_, expected.transduction_)
        weight = np.random.default_rng(0).integers(0, 3, len(y))
        rows = np.random.default_rng(1).permutation(np.repeat(np.arange(len(y)), weight))
        a = SemiSupervisedEM(estimator, tol=1e-12, max_iter=5000).fit(X, y, weight)
        b = SemiSupervisedEM(estimator, tol=1e-12, max_iter=5000).fit(X[rows], y[rows])
        assert np.allclose(a.predict_proba(X), b.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize("estimator", [GaussianNB(), LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis()])
def test_an_offset_changes_nothing(estimator):
    X, y, _ = three(7)
    X = np.round(X * 2**10) / 2**10
    near, far = SemiSupervisedEM(estimator).fit(X, y), SemiSupervisedEM(estimator).fit(X + 2.0**30, y)
    assert near.n_iter_ == far.n_iter_
    assert np.allclose(near.predict_proba(X), far.predict_proba(X + 2.0**30), atol=1e-6)


def test_where_unlabelled_rows_help_and_where_they_hurt():
    rng = np.random.default_rng(0)
    truth = np.arange(600) % 2
    X = rng.standard_normal((600, 4)) + 1.3 * truth[:, None]
    y = np.where(np.arange(600) < 10, truth, -1)
    model = SemiSupervisedEM(GaussianNB(), weight_of_unlabelled="cv").fit(X, y)
    alone = GaussianNB().fit(X[:10], y[:10])
    assert model.score(X, truth) > alone.score(X, truth) + 0.02 and model.weight_of_unlabelled_ > 0
    # two groups in the first column, which are the classes only seven times in ten: EM takes them for the classes
    rng = np.random.default_rng(0)
    group = np.where(rng.random(600) < 0.7, truth, 1 - truth)
    X = np.column_stack([6.0 * group + rng.standard_normal(600), 2.5 * truth + rng.standard_normal(600)])
    y = np.where(np.arange(600) < 40, truth, -1)
    hurt = SemiSupervisedEM(GaussianNB(), compare=5).fit(X, y)
    alone = GaussianNB().fit(X[:40], y[:40])
    assert hurt.score(X, truth) < 0.75 < alone.score(X, truth)
    assert hurt.helped_ is False and hurt.comparison_.gain < -2.0 * hurt.comparison_.error
    chosen = SemiSupervisedEM(GaussianNB(), weight_of_unlabelled="cv").fit(X, y)
    assert chosen.weight_of_unlabelled_ < 0.3 and chosen.score(X, truth) >= alone.score(X, truth)
    assert chosen.losses_[chosen.weight_of_unlabelled_] == min(chosen.losses_.values())


def test_refusals():
    X, y, _ = three(8)
    with pytest.raises(ValueError, match="no row has a label"):
        SemiSupervisedEM().fit(X, np.full(len(X), -1))
    with pytest.raises(TypeError, match="one of LinearDiscriminantAnalysis, .*; got KNeighborsClassifier"):
        SemiSupervisedEM(sl.KNeighborsClassifier()).fit(X, y)
    with pytest.raises(ValueError, match="reg_param=0.1, which maximises no likelihood"):
        SemiSupervisedEM(QuadraticDiscriminantAnalysis(reg_param=0.1)).fit(X, y)
    with pytest.raises(ValueError, match="does not vary in 1 direction"):
        SemiSupervisedEM(LinearDiscriminantAnalysis()).fit(np.column_stack([X, X[:, 0]]), y)
    with pytest.raises(ValueError, match="weight_of_unlabelled"):
        SemiSupervisedEM(weight_of_unlabelled=-1.0).fit(X, y)
    with pytest.raises(ValueError, match="first at row 7"):
        bad = X.copy()
        bad[7, 1] = np.inf
        SemiSupervisedEM().fit(bad, y)
    with pytest.warns(Warning, match="2 steps were not enough"):
        assert not SemiSupervisedEM(max_iter=2).fit(X, y).converged_


def test_one_label_of_each_class_is_enough_to_start():
    iris = load_example("iris")
    y = np.full(150, None, dtype=object)
    y[[0, 60, 120]] = iris.y[[0, 60, 120]]
    for estimator, least in ((LinearDiscriminantAnalysis(), 0.95), (GaussianNB(), 0.85)):
        model = SemiSupervisedEM(estimator).fit(iris.X, y)
        assert (model.transduction_ == iris.y).mean() > least
    with pytest.raises(ValueError, match="there is one row"):
        SemiSupervisedEM(weight_of_unlabelled="cv").fit(iris.X, y)


def test_saved_and_sparse(tmp_path):
    from scipy.sparse import csr_matrix

    X, y, _ = three(9)
    X = np.floor(X)
    model = SemiSupervisedEM(MultinomialNB()).fit(X, y)
    thin = SemiSupervisedEM(MultinomialNB()).fit(csr_matrix(X), y)
    assert np.allclose(model.predict_proba(X), thin.predict_proba(csr_matrix(X)), atol=1e-9)
    sl.save(model, tmp_path / "m.sumlearn")
    assert np.array_equal(sl.load(tmp_path / "m.sumlearn").predict_proba(X), model.predict_proba(X))
    assert list(sl.abilities(model)) == []


@pytest.mark.parametrize("learner", [SemiSupervisedEM(), sl.LabelSpreading("knn"), sl.SelfTraining(GaussianNB())])
def test_tables_with_words_and_files(learner, tmp_path):
    """TableModel codes the columns; rows without a label stay rows without a label."""
    iris = load_example("iris")
    table = pd.DataFrame(iris.X, columns=list("abcd")).assign(colour=np.where(np.arange(150) % 3 == 0, "red", "blue"))
    y = pd.Series(iris.y.astype(object))
    y[np.arange(150) % 10 > 0] = None
    table.assign(kind=y).to_csv(tmp_path / "t.csv", index=False)
    expected = sl.TableModel(learner).fit(table, y)
    assert expected.score(table, iris.y) > 0.85
    for given in (table.assign(kind=y), tmp_path / "t.csv"):
        model = sl.TableModel(learner).fit(given, "kind")
        assert np.array_equal(model.predict(table), expected.predict(table))
    sl.save(model, tmp_path / "m.sumlearn")
    assert np.array_equal(sl.load(tmp_path / "m.sumlearn").predict(table), expected.predict(table))
