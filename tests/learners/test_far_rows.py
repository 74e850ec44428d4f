"""Rows far from zero, and queries far from the rows: the same predictions, or a word about it."""

import numpy as np
import pytest

import sumlearn as sl

RNG = np.random.default_rng(0)
A, APART = np.round(RNG.normal(size=40) * 2**10) / 2**10, RNG.integers(-3, 4, 40) * 2.0**-12
X = np.column_stack([A, A + APART])  # nearly the same column twice; exact at an offset of 1e9 too
Y = A + 1000.0 * APART + RNG.normal(size=40) / 8
FAR = 1e9

NUMBERS = [sl.LinearRegression(), sl.Ridge(1e-9), sl.BayesianRegression()]
LABELS = [
    sl.LinearDiscriminantAnalysis(tol=1e-12),
    sl.FisherDiscriminant(tol=1e-12),
    sl.LeastSquaresClassifier(),
    sl.QuadraticDiscriminantAnalysis(),
    sl.GaussianNB(),
]


@pytest.mark.parametrize("learner", NUMBERS, ids=str)
def test_an_offset_changes_no_prediction(learner):
    near = learner.fit(X, Y).predict(X)
    far = learner.fit(X + FAR, Y).predict(X + FAR)
    np.testing.assert_allclose(far, near, rtol=0, atol=1e-8)


@pytest.mark.parametrize("learner", LABELS, ids=str)
def test_an_offset_changes_no_score(learner):
    answer = "decision_function" if hasattr(learner, "decision_function") else "predict_log_proba"
    near = getattr(learner.fit(X, Y > 0), answer)(X)
    far = getattr(learner.fit(X + FAR, Y > 0), answer)(X + FAR)
    np.testing.assert_allclose(far, near, rtol=0, atol=1e-9 * np.abs(near).max())


def test_an_offset_changes_no_coordinates():
    near, far = sl.PCA(whiten=True).fit(X).transform(X), sl.PCA(whiten=True).fit(X + FAR).transform(X + FAR)
    np.testing.assert_allclose(far, near, rtol=0, atol=1e-8)


@pytest.mark.parametrize("value", [1e160, -1e308])
@pytest.mark.parametrize(
    "learner",
    [sl.GaussianNB(), sl.QuadraticDiscriminantAnalysis(), sl.PolynomialClassifier(), sl.UnifiedModel(2)],
    ids=str,
)
def test_a_query_that_overflows_is_refused(learner, value):
    model = learner.fit(X, Y if isinstance(learner, sl.UnifiedModel) else Y > 0)
    queries = np.vstack([X[:3], [[value, -value]]])
    for name in ("predict", "predict_proba", "decision_function"):
        if not hasattr(model, name):
            continue
        try:
            found = getattr(model, name)(queries)
        except ValueError as error:
            assert "row 3 is so far from the rows learnt that its values overflow" in str(error)
        else:
            assert found.dtype.kind != "f" or np.isfinite(found).all()


@pytest.mark.parametrize("kind", [sl.LogisticRegression, sl.LinearDiscriminantAnalysis])
def test_scores_that_overflow_give_no_probability(kind):
    model = kind().fit(X, Y > 0)
    for queries in ([[1e308, 1e308]], [[1e308, -1e308]]):
        for name in ("predict_proba", "predict_log_proba"):
            try:
                assert not np.isnan(getattr(model, name)(queries)).any()
            except ValueError as error:
                assert "row 0 is so far" in str(error)


@pytest.mark.parametrize("learner", [*NUMBERS, *LABELS, sl.PCA(), sl.NadarayaWatson()], ids=str)
def test_weights_whose_sum_overflows_are_refused(learner):
    y = Y > 0 if learner in LABELS else Y
    with pytest.raises(ValueError, match="sample_weight is so large that its sums overflow: scale it down"):
        learner.fit(X, y, sample_weight=np.full(40, 1e307))


def test_models_whose_weights_overflow_are_not_added():
    heavy = sl.LinearRegression().fit(X, Y, np.full(40, 4e306))
    with pytest.raises(ValueError, match="sums overflow"):
        heavy + heavy


@pytest.mark.parametrize(
    "learner",
    [sl.LinearDiscriminantAnalysis(), sl.LinearDiscriminantAnalysis("eigen"), sl.FisherDiscriminant(), sl.PCA()],
    ids=str,
)
def test_coordinates_that_overflow_are_refused(learner):
    model = learner.fit(X, Y > 0)
    with pytest.raises(ValueError, match="row 1 is so far from the rows learnt that its values overflow"):
        model.transform([[0.0, 0.0], [1.7e308, -1.7e308]])


RULES = [sl.Perceptron(), sl.Adaline(), sl.SigmoidNeuron(), sl.SigmoidNeuron(loss="logistic")]


@pytest.mark.parametrize("learner", RULES, ids=str)
def test_weights_whose_losses_overflow_are_refused(learner):
    with pytest.raises(ValueError, match="sample_weight is so large that its sums overflow: scale it down"):
        learner.fit(X, Y > 0, sample_weight=np.full(40, 5e306))


def test_a_step_by_weights_and_lengths_that_overflow_is_refused():
    with pytest.raises(ValueError, match="sample_weight is so large that its sums overflow: scale it down"):
        sl.Adaline().fit(X * 2.0**200, Y > 0, sample_weight=np.full(40, 2.0**700))


@pytest.mark.parametrize("learner", RULES, ids=str)
def test_rows_at_the_end_of_the_range_are_learnt_in_their_units(learner):
    rows = np.where(Y[:, None] > 0, 1.9, -1.9) * np.array([1.0, 0.5]) * np.linspace(0.9, 1.0, 40)[:, None]
    near, far = (learner.fit(rows * unit, Y > 0).decision_function(rows * unit) for unit in (1.0, 2.0**1023))
    assert (near > 0).tolist() == (far > 0).tolist() == (Y > 0).tolist()


def test_a_rule_that_divides_by_squares_out_of_range_is_refused():
    model = sl.Adaline(normalized=True, eta=0.5)
    with pytest.raises(ValueError, match="row 2 .* is so large that its square overflows: scale the columns"):
        model.fit(np.vstack([X[:2], [[1e200, 0.0]], X[2:]]), np.append(Y, 1.0) > 0)
