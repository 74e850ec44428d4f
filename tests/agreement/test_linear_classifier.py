"""LinearClassifier against scikit-learn, statsmodels and itself: weights, labels, files, clusters, bad input."""

import copy
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sparse
import sklearn.linear_model
import sklearn.svm
import statsmodels.api
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from sumlearn import LinearClassifier
from sumlearn.data import load_example
from sumlearn.objectives import ElasticNet, Hinge, Logistic
from sumlearn.solvers import GradientDescent, Newton

from tests.agreement.problems import classes, distance, whole_weights

LOSSES = ["logistic", "softmax", "hinge", "squared_hinge"]
alphas = st.floats(0.05, 50.0)


@pytest.fixture(scope="module")
def pima():
    table = load_example("pima")
    return (table.X - table.X.mean(axis=0)) / table.X.std(axis=0), table.y


def objective(model):
    return sum(solution.objective for solution in model.solutions_)


# -- other libraries --------------------------------------------------------------------------------------------------


@settings(max_examples=20)
@given(alpha=alphas, intercept=st.booleans(), weighted=st.booleans(), k=st.sampled_from([2, 3]))
def test_logistic_and_softmax(alpha, intercept, weighted, k):
    """To 1e-6 of the largest coefficient; scikit-learn's gradients end at about 1e-10."""
    X, y = classes(150, 4, k)
    weight = np.random.default_rng(1).uniform(0.1, 3.0, 150) if weighted else None
    ours = LinearClassifier("logistic" if k == 2 else "softmax", alpha=alpha, fit_intercept=intercept).fit(X, y, weight)
    reference = sklearn.linear_model.LogisticRegression(
        C=1.0 / alpha, fit_intercept=intercept, solver="newton-cg", tol=1e-12, max_iter=1000
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reference.fit(X, y, weight)
    assert distance(ours.coef_, reference.coef_) < 1e-6
    assert distance(ours.decision_function(X), reference.decision_function(X)) < 1e-6
    assert np.array_equal(ours.predict(X), reference.predict(X))


def test_maximum_likelihood(pima):
    X, y = pima
    t = (y == "pos").astype(float)
    ours = LinearClassifier(penalty=None).fit(X, y)
    reference = statsmodels.api.Logit(t, statsmodels.api.add_constant(X)).fit(disp=0, tol=1e-12)
    assert distance(np.append(ours.intercept_, ours.coef_), reference.params) < 1e-9
    assert objective(ours) == pytest.approx(-reference.llf, rel=1e-13)


@settings(max_examples=10)
@given(alpha=alphas, weighted=st.booleans())
def test_hinge_is_the_support_vector_machine(alpha, weighted):
    """Where all support vectors are at their bound, as many of one class as of the other, the risk is flat in the
    intercept: any point of an interval is a minimum, and the machine may stop at another one. Then the risks agree.
    """
    X, y = classes(120, 3, 2)
    weight = np.random.default_rng(1).uniform(0.1, 3.0, 120) if weighted else None
    ours = LinearClassifier("hinge", alpha=alpha).fit(X, y, weight)
    reference = sklearn.svm.SVC(kernel="linear", C=1.0 / alpha, tol=1e-9).fit(X, y, weight)
    assert distance(ours.coef_, reference.coef_) < 1e-4
    sign = np.where(y == ours.classes_[1], 1.0, -1.0)
    given = np.ones(120) if weight is None else weight

    def risk(intercept):
        return given @ np.maximum(0.0, 1.0 - sign * (X @ ours.coef_[0] + intercept))

    shift = reference.intercept_[0] - ours.intercept_[0]
    flat = abs(risk(ours.intercept_[0] + shift) - risk(ours.intercept_[0])) <= 1e-9 * risk(ours.intercept_[0])
    assert risk(ours.intercept_[0]) <= risk(reference.intercept_[0]) * (1.0 + 1e-9)
    assert distance(ours.decision_function(X), reference.decision_function(X)) < 1e-3 or flat


@settings(max_examples=10)
@given(alpha=alphas)
def test_squared_hinge_is_linear_svc(alpha):
    """Without an intercept, which liblinear penalises."""
    X, y = classes(120, 3, 2)
    ours = LinearClassifier("squared_hinge", alpha=alpha, fit_intercept=False).fit(X, y)
    reference = sklearn.svm.LinearSVC(C=1.0 / alpha, fit_intercept=False, dual=False, tol=1e-12).fit(X, y)
    # LinearSVC: 1/2 |w|^2 + C sum max(0, 1 - m)^2, ours: sum + alpha / 2 |w|^2
    assert distance(ours.coef_, reference.coef_) < 1e-6


@pytest.mark.parametrize("ratio", [1.0, 0.4])
def test_sparse_coefficients(pima, ratio):
    X, y = pima
    ours = LinearClassifier("logistic", ElasticNet(ratio), alpha=20.0).fit(X, y)
    reference = sklearn.linear_model.LogisticRegression(
        C=1 / 20.0, l1_ratio=ratio, solver="saga", tol=1e-10, max_iter=100_000, random_state=0
    ).fit(X, y)
    assert distance(ours.coef_, reference.coef_) < 1e-5
    assert np.array_equal(ours.coef_ == 0, reference.coef_ == 0)
    assert (ours.coef_ == 0).any()


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "logistic"])
def test_several_classes_are_one_against_the_rest(loss):
    X, y = classes(150, 3, 3)
    model = LinearClassifier(loss, alpha=2.0).fit(X, y)
    assert model.coef_.shape == (3, 3) and len(model.solutions_) == 3 and model.n_iter_.shape == (3,)
    for k in range(3):
        binary = LinearClassifier(loss, alpha=2.0).fit(X, y == k)
        assert distance(model.coef_[k], binary.coef_[0]) < 1e-7
        assert model.intercept_[k] == pytest.approx(binary.intercept_[0], rel=1e-6, abs=1e-8)
    scores = model.decision_function(X)
    assert np.array_equal(model.predict(X), scores.argmax(axis=1))


# -- weights and labels -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", LOSSES)
def test_weight_two_is_the_row_twice(loss):
    X, y = classes(100, 3, 3)
    s = whole_weights(100)
    often = np.repeat(np.arange(100), s)
    bad = X.copy()
    bad[s == 0] = np.nan  # rows that weigh nothing are not looked at
    weighted = LinearClassifier(loss).fit(bad, y, s)
    repeated = LinearClassifier(loss).fit(X[often], y[often])
    assert distance(weighted.coef_, repeated.coef_) < 1e-6
    assert distance(weighted.decision_function(X), repeated.decision_function(X)) < 1e-6


@pytest.mark.parametrize("loss", ["logistic", "softmax", "squared_hinge"])
@pytest.mark.parametrize("form", ["dense", "sparse"])
def test_class_weights_are_weights_of_rows(loss, form):
    X, y = classes(150, 3, 3)
    X = sparse.csr_array(X) if form == "sparse" else X
    factors = {0: 2.0, 2: 0.3}
    rows = np.array([factors.get(label, 1.0) for label in y])
    by_class = LinearClassifier(loss, class_weight=factors).fit(X, y)
    by_row = LinearClassifier(loss).fit(X, y, rows)
    assert distance(by_class.coef_, by_row.coef_) < 1e-9
    balanced = LinearClassifier(loss, class_weight="balanced").fit(X, y)
    share = 150 / (3 * np.bincount(y))
    assert distance(balanced.coef_, LinearClassifier(loss).fit(X, y, share[y]).coef_) < 1e-9


@pytest.mark.parametrize("labels", [["no", "yes"], [False, True], [-1, 1], [3.0, 7.0]])
def test_labels_of_any_kind(labels):
    X, y = classes(80, 2, 2)
    expected = LinearClassifier().fit(X, y)
    model = LinearClassifier().fit(X, np.array(labels)[y])
    assert model.classes_.tolist() == labels
    assert np.array_equal(model.coef_, expected.coef_)
    assert np.array_equal(model.predict(X), np.array(labels)[expected.predict(X)])


@pytest.mark.parametrize("loss", LOSSES)
def test_one_class_is_predicted(loss):
    X, _ = classes(20, 2, 2)
    model = LinearClassifier(loss).fit(X, ["only"] * 20)
    assert model.predict(X).tolist() == ["only"] * 20
    assert model.classes_.tolist() == ["only"] and not model.coef_.any()
    y = np.array(["only"] * 19 + ["never"])
    model = LinearClassifier(loss, class_weight="balanced").fit(X, y, np.append(np.ones(19), 0.0))
    assert model.classes_.tolist() == ["only"]


def test_labels_of_weight_zero_are_no_classes():
    X, y = classes(90, 2, 2)
    names = np.array(["b", "c"])[y].astype(object)
    s = np.ones(90)
    names[:5], names[5:10], s[:10] = "a", "d", 0.0
    for weights in (None, "balanced", {"b": 2.0}):
        model = LinearClassifier(class_weight=weights).fit(X, names, s)
        expected = LinearClassifier(class_weight=weights).fit(X[10:], names[10:])
        assert model.classes_.tolist() == ["b", "c"]
        assert distance(model.coef_, expected.coef_) < 1e-12


# -- hard columns -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_offset(loss, dtype):
    """Columns at 1e9 (float32: at 1e4) give the predictions of columns about zero."""
    X, y = classes(150, 3, 2)
    offset, grid = (2.0**30, 1024) if dtype == np.float64 else (2.0**13, 256)
    X = np.round(X * grid) / grid  # so that adding the offset rounds nothing
    near = LinearClassifier(loss, alpha=0.5).fit(X.astype(dtype), y)
    far = LinearClassifier(loss, alpha=0.5).fit((X + offset).astype(dtype), y)
    apart = distance(far.decision_function((X + offset).astype(dtype)), near.decision_function(X.astype(dtype)))
    assert apart < (1e-6 if dtype == np.float64 else 1e-3)


@pytest.mark.parametrize("scale", [1e-100, 1e-8, 1e8, 1e100])
def test_scale(scale):
    X, y = classes(150, 3, 2)
    plain = LinearClassifier(penalty=None).fit(X, y)
    scaled = LinearClassifier(penalty=None).fit(X * scale, y)
    assert distance(scaled.decision_function(X * scale), plain.decision_function(X)) < 1e-9


@pytest.mark.parametrize("scale", [1e-160, 1e160])
def test_a_scale_beyond_squares_is_named(scale):
    X, y = classes(150, 3, 2)
    X[:, 1] *= scale
    with pytest.raises(ValueError, match="column 1"):
        LinearClassifier().fit(X, y)


@pytest.mark.parametrize("loss", LOSSES)
def test_fewer_rows_than_columns(loss):
    X, y = classes(12, 30, 2)
    model = LinearClassifier(loss, alpha=0.1).fit(X, y)
    assert all(solution.converged for solution in model.solutions_)
    assert model.score(X, y) == 1.0


@pytest.mark.parametrize("loss", LOSSES)
def test_dependent_and_constant_columns(loss):
    """With L2 the weight is shared: two equal columns with half the coefficient each cost half the penalty."""
    X, y = classes(150, 2, 2)
    wide = np.column_stack([X, X[:, :1], np.full(150, 3.0)])
    model = LinearClassifier(loss, alpha=1e-6).fit(wide, y)
    plain = LinearClassifier(loss, alpha=1e-6).fit(X, y)
    assert distance(model.decision_function(wide), plain.decision_function(X)) < 1e-3
    assert distance(model.coef_[:, 0], model.coef_[:, 2]) < 1e-3
    assert np.abs(model.coef_[:, 3]).max() < 1e-3


@pytest.mark.parametrize("loss", LOSSES)
def test_other_forms_of_the_same_rows(loss):
    X, y = classes(150, 3, 3)
    X = np.where(np.abs(X) < 0.5, 0.0, X)
    expected = LinearClassifier(loss).fit(X, y)
    frame = pd.DataFrame(X, columns=list("abc"))
    for rows in (sparse.csr_array(X), sparse.csc_array(X), np.asfortranarray(X), frame, X[::-1][::-1], X.tolist()):
        model = LinearClassifier(loss).fit(rows, y)
        assert distance(model.coef_, expected.coef_) < 1e-6
        assert distance(model.decision_function(rows), expected.decision_function(X)) < 1e-6
    single = LinearClassifier(loss).fit(X.astype(np.float32), y)
    assert single.coef_.dtype == np.float32
    assert distance(single.coef_, expected.coef_) < 1e-3


# -- how it is fitted -------------------------------------------------------------------------------------------------


def test_losses_and_solvers_as_objects(pima):
    X, y = pima
    by_name, by_hand = LinearClassifier("logistic").fit(X, y), LinearClassifier(Logistic(), solver=Newton()).fit(X, y)
    assert distance(by_hand.coef_, by_name.coef_) < 1e-9
    slow = LinearClassifier(solver=GradientDescent(rate=1.0)).fit(X, y)
    assert distance(slow.coef_, by_name.coef_) < 1e-4


def test_too_few_steps_are_said(pima):
    X, y = pima
    for loss, solver in (("logistic", "newton"), ("hinge", "newton"), ("logistic", "gradient"), ("logistic", "sgd")):
        with pytest.warns(ConvergenceWarning, match=r"not reached in \d+ iterations .*max_iter"):
            LinearClassifier(loss, solver=solver, max_iter=1).fit(X, y)


def test_warm_start(pima):
    X, y = pima
    for solver in ("newton", "barzilai_borwein"):
        model = LinearClassifier(warm_start=True, solver=solver).fit(X, y)
        first, steps = model.coef_, model.n_iter_[0]
        model.fit(X, y)
        assert model.n_iter_[0] < steps
        assert distance(model.coef_, first) < 1e-6
    several = LinearClassifier("softmax", warm_start=True).fit(*classes(100, 3, 3))
    steps = several.n_iter_[0]
    assert several.fit(*classes(100, 3, 3)).n_iter_[0] < steps
    several.fit(*classes(100, 2, 2))  # another shape: a new start
    assert several.coef_.shape == (2, 2)


def test_random_state_decides_the_order(pima):
    X, y = pima

    def fitted(seed):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return LinearClassifier(solver="sgd", max_iter=2, random_state=seed).fit(X, y).coef_

    assert np.array_equal(fitted(0), fitted(np.int64(0)))
    assert np.array_equal(fitted(0), fitted(np.random.RandomState(0)))
    assert not np.array_equal(fitted(0), fitted(1))


def written(X, y, folder, form, names="abc"):
    frame = pd.DataFrame(X, columns=list(names)).assign(target=y)
    paths = [folder / f"{i}.{form}" for i in range(3)]
    for i, path in enumerate(paths):
        part = frame.iloc[i * len(X) // 3 : (i + 1) * len(X) // 3]
        part.to_csv(path, index=False) if form == "csv" else part.to_parquet(path)
    return str(folder / f"*.{form}")


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge", "softmax"])
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_files(loss, form, tmp_path):
    X, y = classes(600, 3, 3)
    names = np.array(["one", "three", "two"])[y]
    model = LinearClassifier(loss, class_weight="balanced").fit(written(X, names, tmp_path, form), "target")
    expected = LinearClassifier(loss, class_weight="balanced").fit(X, names)
    assert model.classes_.tolist() == ["one", "three", "two"]
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    assert distance(model.coef_, expected.coef_) < 1e-9


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
def test_dask(loss):
    dask_array = pytest.importorskip("dask.array")
    X, y = classes(600, 3, 2)
    s = np.random.default_rng(0).choice([0.0, 1.0, 2.0], 600)
    blocks = [dask_array.from_array(a, chunks=c) for a, c in ((X, (170, 3)), (y, 170), (s, 170))]
    model = LinearClassifier(loss).fit(*blocks)
    assert distance(model.coef_, LinearClassifier(loss).fit(X, y, s).coef_) < 1e-9


def test_a_stream_in_batches(tmp_path):
    """Stochastic steps within the chunks of files."""
    X, y = classes(600, 3, 2)
    model = LinearClassifier(solver="sgd", tol=1e-10).fit(written(X, y, tmp_path, "csv"), "target")
    assert distance(model.coef_, LinearClassifier().fit(X, y).coef_) < 1e-3


# -- bad input --------------------------------------------------------------------------------------------------------


def broken(X, row, column, value):
    X = X.copy()
    X[row, column] = value
    return X


@pytest.mark.parametrize("form", ["dense", "sparse", "frame"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_bad_values_are_named(form, value):
    X, y = classes(60, 3, 2)
    bad = broken(X, 17, 1, value)
    rows = {"dense": bad, "sparse": sparse.csr_array(bad), "frame": pd.DataFrame(bad, columns=list("abc"))}[form]
    column = "'?b'?" if form == "frame" else "1"
    for loss in LOSSES:
        with pytest.raises(ValueError, match=f"X contains .*row 17, column {column}"):
            LinearClassifier(loss).fit(rows, y)


@pytest.mark.parametrize(
    ("X", "y", "weight", "message"),
    [
        (np.zeros((0, 2)), [], None, "0 sample"),
        (np.zeros((4, 0)), [0, 1, 0, 1], None, "0 feature"),
        (np.zeros(4), [0, 1, 0, 1], None, "2D array"),
        (np.zeros((4, 2)), [0, 1, 0], None, "inconsistent numbers of samples"),
        (np.zeros((4, 2)), None, None, "requires y"),
        (np.zeros((4, 2)), [0, 1, 0, np.nan], None, "y contains NaN.*row 3"),
        (np.zeros((4, 2)), [0.5, 1.5, 0.5, 1.5], None, "Unknown label type"),
        (np.array([["1", "2"]] * 4), [0, 1, 0, 1], None, "strings"),
        (np.array([[1, "2"]] * 4, dtype=object), [0, 1, 0, 1], None, "'2' is text"),
        (np.zeros((4, 2), complex), [0, 1, 0, 1], None, "Complex"),
        (np.zeros((4, 2)), [0, 1, 0, 1], [1, 1, 1], "inconsistent numbers of samples"),
        (np.zeros((4, 2)), [0, 1, 0, 1], [1, 1, -1, 1], "weight.*row 2"),
        (np.zeros((4, 2)), [0, 1, 0, 1], [1, np.nan, 1, 1], "weight.*row 1"),
        (np.zeros((4, 2)), [0, 1, 0, 1], [0, 0, 0, 0], "zero"),
    ],
)
def test_bad_input(X, y, weight, message):
    with pytest.raises((ValueError, TypeError), match=message):
        LinearClassifier().fit(X, y, weight)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"alpha": -1.0}, "alpha must be finite and not negative, got -1.0"),
        ({"alpha": np.nan}, "alpha must be finite and not negative, got nan"),
        ({"alpha": "strong"}, "alpha must be finite and not negative, got 'strong'"),
        ({"loss": "huber"}, "loss='huber' is not one for this task"),
        ({"loss": "zero_one"}, "loss='zero_one' is not convex.*use one of perceptron, hinge, "),
        ({"penalty": "l3"}, "penalty must be one of"),
        ({"penalty": "l0", "solver": "newton"}, "cannot minimise penalty='l0'; 'proximal' can"),
        ({"solver": "adam"}, "solver must be 'auto', one of 'newton'"),
        ({"tol": -1.0}, "tol must not be negative, got -1.0"),
        ({"max_iter": -1}, "max_iter must not be negative, got -1"),
        ({"class_weight": "even"}, "class_weight must be a dict"),
        ({"class_weight": {5: 1.0}}, "class_weight names a class that is not in y: 5"),
        ({"class_weight": {0: -1.0}}, "class_weight of class 0 must be positive, got -1.0"),
        ({"class_weight": {1: np.nan}}, "class_weight of class 1"),
        (
            {"loss": "hinge", "penalty": "l1", "solver": "newton"},
            "penalty='l1'; 'sgd' and 'proximal' and 'smoothing' and 'interior_point' can",
        ),
    ],
)
def test_bad_parameters(parameters, message):
    X, y = classes(40, 2, 2)
    with pytest.raises(ValueError, match=message):
        LinearClassifier(**parameters).fit(X, y)


def test_a_failed_fit_changes_nothing():
    X, y = classes(60, 3, 2)
    model = LinearClassifier(Hinge()).fit(X, y)
    before = copy.deepcopy(vars(model))
    for rows, labels, message in (
        (broken(X, 3, 1, np.nan)[:, :2], y, "Input X contains NaN: first at row 3, column 1"),
        (X, y[:-1], "X has 60 rows, y has 59"),
        (np.zeros((0, 3)), y[:0], r"Found array with 0 sample\(s\)"),
    ):
        with pytest.raises(ValueError, match=message):
            model.fit(rows, labels)
        assert vars(model).keys() == before.keys()
        assert np.array_equal(model.coef_, before["coef_"]) and model.n_features_in_ == 3
    fresh = LinearClassifier()
    with pytest.raises(ValueError, match="Input X contains NaN: first at row 3, column 1"):
        fresh.fit(broken(X, 3, 1, np.nan), y)
    with pytest.raises(NotFittedError):
        fresh.predict(X)


def test_predictions_check_their_rows():
    X, y = classes(60, 3, 2)
    model = LinearClassifier().fit(X, y)
    with pytest.raises(ValueError, match="X has 2 features, but LinearClassifier is expecting 3 features"):
        model.predict(X[:, :2])
    with pytest.raises(ValueError, match="row 2, column 1"):
        model.predict(broken(X, 2, 1, np.nan))


@pytest.mark.parametrize("solver", ["auto", "sgd", "cutting_planes"])
def test_the_perceptron_loss_has_its_minimum_at_zero_which_is_said(solver):
    """No score, no loss: where a solver ends at zero itself all rows are told alike."""
    X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), [0, 1, 1, 0]
    said = "all coefficients are zero, where the perceptron loss has its minimum: every row gets the same score"
    with pytest.warns(UserWarning, match=said):
        model = LinearClassifier("perceptron", solver=solver).fit(X, y)
    assert len(set(model.predict(X))) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        LinearClassifier("hinge", solver=solver).fit(X, y)  # zero is not the minimum of a loss with a margin by itself
    with pytest.warns(UserWarning, match=r"all coefficients of \d of 3 classes are zero"):
        LinearClassifier("perceptron", solver="sgd").fit(np.eye(3)[[0, 1, 2, 0, 1, 2]], [0, 1, 2, 1, 2, 0])
