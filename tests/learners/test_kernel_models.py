"""Kernel methods as learners: parameters, memory, files, tables, folds, offsets."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sumlearn as sl
from sumlearn import (
    SVC,
    ImportVectorMachine,
    KernelRidge,
    KernelRidgeCV,
    KNeighborsRegressor,
    LassoCV,
    OneClassSVM,
    RidgeCV,
)
from sumlearn.data import load_example
from sumlearn.features import Nystroem
from sumlearn.features.kernels import GaussianKernel, LinearKernel, PrecomputedKernel
from sumlearn.testing import assert_same_model

rng = np.random.default_rng(1)
X = np.round(rng.standard_normal((80, 3)) * 1024) / 1024
Y = np.round((np.sin(X[:, 0]) + X[:, 1] * X[:, 2]) * 1024) / 1024
LABELS = np.array(["low", "middle", "top"])[np.digitize(Y, [-0.5, 0.5])]
KERNEL = 2.0 * GaussianKernel("spread") * LinearKernel() + 1.0

MODELS = [
    (KernelRidge(0.1, kernel=KERNEL), Y),
    (KernelRidge([0.1, 1.0], kernel="rbf", fit_intercept=True), np.column_stack([Y, Y**2])),
    (KernelRidgeCV([0.1, 1.0], kernel=[KERNEL, "rbf"], cv=3), Y),
    (ImportVectorMachine(kernel=GaussianKernel(0.5)), LABELS),
    (sl.Ridge(basis=Nystroem("rbf", gamma="spread", n_components=10, random_state=0)), Y),
    (sl.LogisticRegression(basis=Nystroem(KERNEL, n_components=10, random_state=0)), LABELS),
]


@pytest.mark.parametrize(("learner", "y"), MODELS, ids=lambda value: type(value).__name__)
def test_saved_and_loaded_with_their_kernels(learner, y, tmp_path):
    model = clone(learner).fit(X, y)
    sl.save(model, tmp_path / "model")
    again = sl.load(tmp_path / "model")
    assert_same_model(again, model, X, 0.0)
    assert getattr(again, "kernel_", None) == getattr(model, "kernel_", None)
    assert again.get_params().get("kernel") == model.get_params().get("kernel")


def test_a_function_of_ones_own_is_not_saved_as_something_else(tmp_path):
    model = KernelRidge(kernel=lambda x, y: float(x @ y)).fit(X, Y)
    np.testing.assert_allclose(model.predict(X), KernelRidge().fit(X, Y).predict(X), rtol=1e-9)
    with pytest.raises(ValueError, match="cannot be written|may not hold|without pickle"):
        sl.save(model, tmp_path / "model")


@pytest.mark.filterwarnings("error:X does not have valid feature names")
@pytest.mark.parametrize("learner", [KernelRidge(0.1, kernel="rbf"), KernelRidgeCV([0.1, 1.0])], ids=str)
def test_in_tables_pipelines_folds_and_files(learner, tmp_path):
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(place=np.where(X[:, 0] > 0, "n", "s"), y=Y)
    table = sl.TableModel(clone(learner)).fit(frame.drop(columns="y"), frame["y"])
    assert np.corrcoef(table.predict(frame.drop(columns="y")), Y)[0, 1] > 0.9
    piped = make_pipeline(StandardScaler(), clone(learner)).fit(X, Y)
    assert piped.score(X, Y) > 0.8
    scores = sl.cross_validate(clone(learner), X, Y, cv=4)["test_score"]
    assert len(scores) == 4 and scores.mean() > 0.5
    frame[["a", "b", "c", "y"]].to_csv(tmp_path / "rows.csv", index=False)
    streamed = clone(learner).fit(str(tmp_path / "rows.csv"), "y")
    np.testing.assert_allclose(
        streamed.predict(frame[["a", "b", "c"]]), clone(learner).fit(X, Y).predict(X), rtol=1e-9, atol=1e-12
    )


@pytest.mark.filterwarnings("ignore:R.2 score is not well-defined")
@pytest.mark.parametrize(
    ("make", "kind", "words"),
    [
        (lambda: KernelRidge(-1.0), ValueError, "alpha must be a number of at least zero"),
        (lambda: KernelRidge([0.1, 0.2, 0.3]), ValueError, r"one for each of 1 targets, got 3: KernelRidgeCV\(alphas"),
        (lambda: KernelRidge(kernel="gaussian"), ValueError, "kernel must be one of 'linear'"),
        (lambda: KernelRidge(kernel="rbf", gamma=-1.0), ValueError, "gamma must be finite and not negative"),
        (lambda: KernelRidge(kernel_params=3), TypeError, "kernel_params must be a dict"),
        (lambda: KernelRidge(max_memory=1e4), ValueError, "80 rows of 3 columns need 0.00 GiB"),
        (lambda: KernelRidge(kernel="precomputed"), ValueError, "square"),
        (lambda: KernelRidgeCV([0.0, 1.0]), ValueError, "alphas must be one or more numbers > 0.0 for leave-one-out"),
        (
            lambda: KernelRidgeCV(kernel="linear", gammas=[1.0]),
            ValueError,
            "gammas are for one kernel that has a gamma",
        ),
        (lambda: KernelRidgeCV(kernel=[]), ValueError, "which is empty"),
        (lambda: KernelRidgeCV(cv=40), ValueError, "R.2 needs two rows in every fold"),
        (lambda: KernelRidgeCV(n_jobs=0), ValueError, "n_jobs must be a whole number"),
        (lambda: KernelRidgeCV(max_memory=1e4), ValueError, "keeps all rows"),
    ],
)
def test_refused(make, kind, words):
    rows = slice(60 if "two rows" in words else None)
    with pytest.raises(kind, match=words):
        make().fit(X[rows], Y[rows])


def test_rows_are_left_out_with_a_penalty_alone():
    with pytest.raises(ValueError, match="alpha must be positive"):
        KernelRidge(0.0, kernel="laplacian").fit(X, Y).left_out()


def test_the_offset_of_a_column_and_of_the_target_changes_nothing():
    plain = KernelRidgeCV().fit(X, Y)
    away = X + np.array([1e9, 0.0, -1e6])
    moved = KernelRidgeCV().fit(away, Y + 1e6)
    assert moved.alpha_ == plain.alpha_ and moved.gamma_ == pytest.approx(plain.gamma_, rel=1e-12)
    np.testing.assert_allclose(moved.predict(away) - 1e6, plain.predict(X), atol=1e-7)


def test_a_matrix_that_is_given_has_columns_for_absent_rows():
    weight = np.where(np.arange(80) % 5 == 0, 0.0, 1.0 + np.arange(80) % 2)
    K = GaussianKernel(0.4)(X)
    for given in ("precomputed", PrecomputedKernel()):
        model = KernelRidge(0.1, kernel=given).fit(K, Y, weight)
        assert (model.dual_coef_[::5] == 0).all()
        other = KernelRidge(0.1, kernel="rbf", gamma=0.4).fit(X, Y, weight)
        np.testing.assert_allclose(model.predict(K), other.predict(X), rtol=1e-10)
        np.testing.assert_allclose(model.left_out()[0], other.left_out()[0], rtol=1e-8)
        assert sl.cross_validate(clone(model), K, Y, cv=3)["test_score"].shape == (3,)


def test_float32_is_learnt_precisely_and_returned():
    thin = X.astype(np.float32)
    model = KernelRidge(1e-6, kernel="rbf", gamma=0.5).fit(thin, Y)
    assert model.predict(thin).dtype == np.float32
    np.testing.assert_allclose(
        model.predict(thin), KernelRidge(1e-6, kernel="rbf", gamma=0.5).fit(X, Y).predict(X), 1e-4, 1e-5
    )


def test_landmarks_add_up():
    basis = Nystroem("rbf", gamma="spread", n_components=12, placing="kmeans", random_state=0)
    whole = sl.Ridge(0.1, basis=basis).fit(X, Y)
    north = sl.Ridge(0.1, basis=basis).with_look(whole.look_).fit(X[:50], Y[:50])
    south = sl.Ridge(0.1, basis=basis).with_look(whole.look_).fit(X[50:], Y[50:])
    np.testing.assert_allclose((north + south).predict(X), whole.predict(X), rtol=1e-9)
    np.testing.assert_allclose((north + south - south).predict(X), north.predict(X), rtol=1e-6, atol=1e-9)
    given = Nystroem(GaussianKernel(0.5), components=X[:10])
    assert given.stateless and not Nystroem(components=X[:10], gamma="spread").stateless
    merged = sl.Ridge(basis=given).fit(X[:50], Y[:50]) + sl.Ridge(basis=given).fit(X[50:], Y[50:])
    np.testing.assert_allclose(merged.predict(X), sl.Ridge(basis=given).fit(X, Y).predict(X), rtol=1e-9)


def test_landmarks_that_are_all_rows_give_kernel_ridge():
    few = sl.Ridge(0.1, basis=Nystroem(gamma=0.5, n_components=80, random_state=0)).fit(X, Y)
    all_rows = KernelRidge(0.1, kernel="rbf", gamma=0.5, fit_intercept=True).fit(X, Y)
    np.testing.assert_allclose(few.predict(X), all_rows.predict(X), atol=1e-9)


def test_landmarks_of_a_matrix_that_is_given():
    K = GaussianKernel(0.4)(X)
    basis = Nystroem("precomputed", n_components=20, random_state=0).fit(K)
    same = Nystroem(gamma=0.4, n_components=20, random_state=0).fit(X)
    np.testing.assert_allclose(basis.transform(K), same.transform(X), atol=1e-6)
    assert (basis.component_indices_ == same.component_indices_).all()
    for refused in (Nystroem("precomputed", placing="kmeans"), Nystroem("precomputed", components=K[:3])):
        with pytest.raises(ValueError, match="rows at random"):
            refused.fit(K)


def test_kernels_are_learnt_from_tables_of_the_notes():
    iris = load_example("iris")
    model = ImportVectorMachine(C=10.0).fit(iris.X, iris.y)
    assert model.score(iris.X, iris.y) >= 0.97 and len(model.support_) <= 15


def test_parameters_that_are_set_after_the_fit_change_nothing_of_it():
    model = KernelRidge(0.1, kernel="rbf", fit_intercept=True).fit(X, Y)
    noise, answers = model.noise_variance_, model.predict(X)
    model.set_params(alpha=10.0, fit_intercept=False, kernel="linear")
    assert model.noise_variance_ == noise and (model.predict(X) == answers).all()
    classes = ImportVectorMachine().fit(X, LABELS)
    shares = classes.predict_proba(X)
    assert (classes.set_params(kernel="precomputed").predict_proba(X) == shares).all()


def test_a_matrix_that_is_not_symmetric_is_refused():
    K = GaussianKernel(0.4)(X)
    K[3, 7] += 0.1
    given = {"kernel": "precomputed"}
    for learner, y in (
        (KernelRidge(**given), Y),
        (ImportVectorMachine(**given), LABELS),
        (SVC(**given), LABELS),
        (OneClassSVM(**given), None),
    ):
        with pytest.raises(ValueError, match="must be symmetric: rows 3 and 7"):
            learner.fit(K, y)


def test_numbers_of_numpy_and_kernels():
    assert np.float64(2.0) * GaussianKernel(0.5) == 2.0 * GaussianKernel(0.5)
    assert np.float64(2.0) + GaussianKernel(0.5) == 2.0 + GaussianKernel(0.5)


def test_train_takes_it_within_its_sizes():
    from sumlearn.product.candidates import Candidate, candidates_of

    (ridge,), (vectors,) = candidates_of([KernelRidgeCV]), candidates_of([ImportVectorMachine])
    assert isinstance(ridge, Candidate) and ridge.task == "regress" and vectors.task == "classify"
    assert ridge.most_rows == 1500 and vectors.most_rows == 8000 and vectors.extra and not ridge.extra
    assert len(vectors.grid(np.zeros(3))) == 4


@pytest.mark.parametrize("unit", [1e-200, 1e160])
def test_no_choice_by_squared_errors_that_are_lost(unit):
    """Of all penalties the first was taken; the score of neighbours has no unit."""
    for learner in (KernelRidgeCV(), KernelRidgeCV(cv=3), RidgeCV(), RidgeCV(cv=3), LassoCV(cv=3)):
        with pytest.raises(ValueError, match="rescale it"):
            learner.fit(X, Y * unit)
    plain, far = (KNeighborsRegressor("loo").fit(X, Y * u).loo_scores_ for u in (1.0, unit))
    np.testing.assert_allclose(far, plain, rtol=1e-12)
