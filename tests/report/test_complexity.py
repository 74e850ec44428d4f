"""Errors against complexity: those of scikit-learn on the same splits."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as TheirLDA
from sklearn.feature_selection import f_classif
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.linear_model import Ridge as TheirRidge
from sklearn.metrics import mean_squared_error
from sklearn.naive_bayes import GaussianNB as TheirNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sumlearn as sl
from sumlearn.product import train
from sumlearn.report.evidence import evidence_of
from sumlearn.report.plots.figure import Line, Mark
from sumlearn.report.sections.complexity import answers_over, axis_of, complexity, errors_over, splits_of

from .tables import mixed_table, numbers, two_classes


def frame_of(found):
    return np.column_stack([found.problem.frame[name].to_numpy() for name in found.problem.frame.column_names])


def theirs(found, values, make, error):
    """Errors of scikit-learn's models, scaled within the splits."""
    X, y = frame_of(found), found.target.values
    learnt, left = (np.zeros((len(values), len(found.nested.splits))) for _ in range(2))
    for k, (rows, test) in enumerate(found.nested.splits):
        for i, value in enumerate(values):
            model = make_pipeline(StandardScaler(), make(value)).fit(X[rows], y[rows])
            learnt[i, k], left[i, k] = (error(y[part], model.predict(X[part])) for part in (rows, test))
    return learnt, left


def wrong(truth, answers):
    return np.mean(truth != answers)


def check(found, make, error, **limits):
    evidence = evidence_of(found)
    axis = axis_of(evidence)
    ours = errors_over(evidence, axis, splits_of(evidence))
    for mine, its in zip(ours, theirs(found, axis.values, make, error), strict=True):
        np.testing.assert_allclose(mine, its, **limits)
    return evidence, axis


def test_ridge_is_that_of_scikit_learn():
    found = train("diabetes", models="ridge", cv="3")
    evidence, axis = check(found, lambda alpha: TheirRidge(alpha=alpha), mean_squared_error, rtol=1e-7)
    own = found.metrics["chosen"]["params"]["alpha"]
    assert axis.own == own and axis.values[0] == pytest.approx(own / 1000) and axis.freer == "left"
    chart, parts = complexity(evidence).blocks
    _, left, least, mine = chart.figure.panels[0].items
    table = theirs(found, axis.values, lambda alpha: TheirRidge(alpha=alpha), mean_squared_error)[1]
    assert left.y == pytest.approx(table.mean(axis=1), rel=1e-7)
    assert left.high - left.y == pytest.approx(table.std(axis=1, ddof=1), rel=1e-5)
    assert (least.x, least.y) == (axis.values[left.y.argmin()], left.y.min())
    assert isinstance(mine, Mark) and mine.x == own and left.y.min() <= mine.y
    error, bias, variance = (item for panel in parts.figure.panels for item in panel.items)
    assert error.y == pytest.approx(bias.y + variance.y, rel=1e-9)
    assert variance.y[0] > variance.y[-1] > 0 and bias.y[-1] > bias.y[0]


def test_least_squares_is_ridge_without_a_penalty():
    found = train("diabetes", models="linear", cv="3")
    evidence = evidence_of(found)
    axis = axis_of(evidence)
    assert axis.own is None and "least squares" in axis.title
    learnt, left = errors_over(evidence, axis, splits_of(evidence))
    plain = theirs(found, [0.0], TheirRidge, mean_squared_error)
    assert learnt[0] == pytest.approx(plain[0][0], rel=1e-4) and left[0] == pytest.approx(plain[1][0], rel=1e-3)


def test_shrinkage_of_the_discriminant_is_that_of_scikit_learn():
    found = train("pima", models="lda", cv="3")
    check(found, lambda share: TheirLDA(solver="lsqr", shrinkage=share), wrong, atol=1e-12)
    plain = sl.evaluate(sl.LinearDiscriminantAnalysis(), "pima2", "diabetes", cv=3)  # its solver cannot shrink
    assert complexity(plain.evidence) is not None


def test_logistic_regression_is_that_of_scikit_learn():
    found = train("pima", models="logistic", cv="3")
    _, axis = check(found, lambda C: TheirLogistic(C=C, tol=1e-7, max_iter=1000), wrong, atol=0.0041)
    assert axis.freer == "right" and axis.log


def test_naive_bayes_is_given_features_best_first():
    found = train("pima", models="naive_bayes", cv="3")
    evidence = evidence_of(found)
    axis = axis_of(evidence)
    assert axis.values.tolist() == list(range(1, 9))
    ours = errors_over(evidence, axis, splits_of(evidence))[1]
    X, y = frame_of(found), found.target.values
    for k, (rows, test) in enumerate(found.nested.splits):
        order = np.argsort(-f_classif(X[rows], y[rows])[0], kind="stable")
        for size in (1, 3, 8):
            some = order[:size]
            model = make_pipeline(StandardScaler(), TheirNB()).fit(X[rows][:, some], y[rows])
            assert ours[size - 1, k] == pytest.approx(np.mean(model.predict(X[test][:, some]) != y[test]))


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", ["qda", "svm", "fisher", "least_squares"])
def test_other_models_have_an_axis(name):
    chart = complexity(evidence_of(train("pima2", models=name, cv="2"))).blocks[0]
    lines = [item for item in chart.figure.panels[0].items if isinstance(item, Line)]
    assert [line.label for line in lines] == ["rows learnt", "rows left out"]
    assert all(np.isfinite(line.y).all() and 0 < line.y.min() <= line.y.max() < 1 for line in lines)


def test_a_penalty_is_changed_without_a_fit_where_there_are_sums():
    """The same errors as with a fit for every value."""
    evidence = evidence_of(two_classes())
    axis = axis_of(evidence)
    coded = evidence.nested.problem.coded(*evidence.nested.splits[0])(axis.candidate)
    found = answers_over(evidence.nested.problem, axis, coded)
    for value, answers in list(zip(axis.values, found, strict=True))[::3]:
        learner = axis.candidate.learner().set_params(**{axis.parameter: value}).fit(coded.features, coded.values)
        assert np.array_equal(learner.predict(coded.asked), answers.labels)


@pytest.mark.slow
def test_who_has_no_axis_has_no_section():
    from sklearn.neighbors import KNeighborsClassifier

    assert complexity(sl.evaluate(KNeighborsClassifier(), "iris", "Species", cv=2).evidence) is None
    assert complexity(sl.evaluate(sl.Perceptron(), "iris", "Species", cv=2).evidence) is None


@pytest.mark.slow
def test_leave_one_out_takes_folds():
    evidence = evidence_of(train(mixed_table(24), "rent", models="ridge", ids=["key"], cv="loo"))
    assert len(splits_of(evidence)) == 5
    assert len(splits_of(evidence_of(numbers()))) == 3
