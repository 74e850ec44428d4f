"""Faults of the input: the right answer, or an error that names what is wrong, and never a silent NaN.

Test names bear the numbers of the table of faults, A1 to A19.
"""

import inspect
import re
import warnings
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sparse
from sklearn.base import clone

import sumlearn as sl
from sumlearn import (
    LBG,
    NMF,
    PCA,
    SVC,
    SVR,
    AdaBoostClassifier,
    BaggingClassifier,
    ElasticNet,
    ElasticNetCV,
    Fading,
    GaussianNB,
    IllConditionedWarning,
    IncrementalPCA,
    KernelRidge,
    KMeans,
    KNeighborsClassifier,
    LabelPropagation,
    LabelSpreading,
    Lasso,
    LassoCV,
    LinearClassifier,
    LinearDiscriminantAnalysis,
    LinearRegression,
    LinearRegressor,
    LinearSVC,
    LinearSVR,
    LogisticRegression,
    MiniBatchKMeans,
    MLPClassifier,
    MLPRegressor,
    OneClassSVM,
    OrdinalRegression,
    Perceptron,
    QuadraticDiscriminantAnalysis,
    RegularizedPCA,
    Ridge,
    RidgeCV,
    SigmoidNeuron,
    SlidingWindow,
    SparseRepresentationClassifier,
    StackingRegressor,
    TransductiveSVM,
    TruncatedSVD,
    TumblingWindow,
    VectorQuantizer,
)
from sumlearn.statistics import ClassTotals, Counts, Grouped, Ledger, LevelCounts, Moments, Pooled, Strips
from sumlearn.testing import assert_same_model, assert_same_statistic, outputs

from tests.laws.discovered import MATRIX_ESTIMATORS as ESTIMATORS
from tests.laws.discovered import MATRIX_LEARNERS as LEARNERS
from tests.laws.discovered import MATRIX_REGRESSORS as REGRESSORS
from tests.laws.discovered import POINT_CLASSIFIERS as CLASSIFIERS
from tests.laws.discovered import partly_labelled, suited, supervised, target

rng = np.random.default_rng(0)
X = np.round(rng.standard_normal((60, 4)) * 1024) / 1024


def names(kind):
    return kind.__name__


each_estimator = pytest.mark.parametrize("kind", ESTIMATORS, ids=names)
each_learner = pytest.mark.parametrize("kind", LEARNERS, ids=names)
each_classifier = pytest.mark.parametrize("kind", CLASSIFIERS, ids=names)
each_fully_labelled = pytest.mark.parametrize("kind", [k for k in CLASSIFIERS if not partly_labelled(k)], ids=names)
each_regressor = pytest.mark.parametrize("kind", REGRESSORS, ids=names)
each_supervised = pytest.mark.parametrize("kind", [k for k in ESTIMATORS if supervised(k)], ids=names)


@pytest.fixture(name="X")
def rows_that_suit(kind):
    """X, without signs for who takes no negative numbers."""
    return suited(kind, X)


def with_value(A, row, column, value):
    A = np.array(A, dtype=float)
    A[row, column] = value
    return A


def part(y, rows):
    return None if y is None else y[rows]


def check_refuses(model, message, X, y=None, **more):
    """partial_fit and forget raise ValueError with this message, and the model stays what it was, to the bit."""
    good = outputs(model, GOOD)
    for method in ("partial_fit", "forget"):
        with pytest.raises(ValueError, match=message):
            getattr(model, method)(X, y, **more)
        for name, value in outputs(model, GOOD).items():
            assert np.array_equal(value, good[name])


GOOD = X[:10]
MARGINS = (LinearSVC, LinearSVR)  # as in scikit-learn, their intercept is penalised unless it is set free
PENALISED = (LinearClassifier, LinearRegressor, LogisticRegression, OrdinalRegression, Ridge, RidgeCV, *MARGINS)
GRAPHS = (LabelPropagation, LabelSpreading)  # gamma has the unit of one over a square
RECENT = (Fading, SlidingWindow, TumblingWindow)  # around ridge regression
PENALISED += (KernelRidge, StackingRegressor, *RECENT)
PROTOTYPES = (LBG, KMeans, MiniBatchKMeans, VectorQuantizer)  # they transform to distances, in the unit of the columns
NETWORKS = (MLPClassifier, MLPRegressor)  # they begin by chance: one more column changes all that is drawn
VOTES = (AdaBoostClassifier, BaggingClassifier)  # votes are squeezed about one half, samples have shares of their own
ABOUT_ZERO = (NMF, TruncatedSVD)  # an offset is a part of the rows like any other
POWERS = {PCA: 1.0, IncrementalPCA: 1.0, TruncatedSVD: 1.0, RegularizedPCA: 0.5, NMF: 0.5}  # of the unit, in the codes


def movable(kind):
    """A kind of learner to which it makes no difference where the columns lie."""
    if kind is SparseRepresentationClassifier:  # directions from zero, or from the mean
        return partial(kind, centre=True)
    if kind is KernelRidge:  # as in scikit-learn, its kernel is the product of the columns as they are
        return partial(kind, kernel="rbf", gamma="spread", fit_intercept=True)
    if kind in (OneClassSVM, SVC, SVR, TransductiveSVM):  # "scale" is that of scikit-learn: columns are not told apart
        return partial(kind, gamma="spread")
    return partial(kind, intercept_scaling="free") if kind in MARGINS else kind


def affordable(kind, rows):
    """So many rows, or fewer for who holds a matrix of all pairs of them."""
    needed = getattr(kind(), "memory_needed", lambda *shape: None)(rows, 4)
    return rows if needed is None or needed < 2**26 else 300


def in_units(kind, unit):
    """A learner whose penalty, if it has one, suits columns in these units: it has the unit of a square."""
    if kind in NETWORKS:
        return quick(kind)()
    if kind in MARGINS:
        return kind(C=unit**-2.0, intercept_scaling="free")
    if kind in GRAPHS:
        return kind(gamma=unit**-2.0)
    if kind is RidgeCV:
        return RidgeCV([unit**2])
    if kind in RECENT:
        return kind(Ridge(alpha=unit**2))
    if kind is RegularizedPCA:  # its penalty has the unit of a singular value
        return RegularizedPCA(gamma=unit)
    if kind is LogisticRegression:
        return LogisticRegression(C=unit**-2.0)
    if kind in (Lasso, ElasticNet):  # an L1 penalty has the unit of a column
        return kind(alpha=unit, **({"l1_ratio": 1.0} if kind is ElasticNet else {}))
    if kind in (LassoCV, ElasticNetCV):
        return kind(alphas=[unit], **({"l1_ratio": 1.0} if kind is ElasticNetCV else {}))
    if kind is StackingRegressor:
        return kind([("weak", Ridge(alpha=unit**2)), ("strong", Ridge(alpha=10.0 * unit**2))])
    return kind(alpha=unit**2) if kind in PENALISED else kind()


def scores(model, A):
    """Probabilities, or the decision function of a classifier that has none."""
    return model.predict_proba(A) if hasattr(model, "predict_proba") else model.decision_function(A)


# -- A1 -------------------------------------------------------------------------------------------------------------


@each_estimator
@pytest.mark.parametrize(("value", "what"), [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")])
def test_a1_non_finite_x_names_column_and_row(kind, value, what, X):
    y = target(kind, X)
    bad = with_value(X, 37, 2, value)
    message = f"Input X contains {what}: first at row 37, column 2"
    with pytest.raises(ValueError, match=message):
        kind().fit(bad, y)
    with pytest.raises(ValueError, match=message):
        outputs(kind().fit(X, y), bad)
    frame = pd.DataFrame(bad, columns=["a", "b", "sick", "d"])
    with pytest.raises(ValueError, match=f"Input X contains {what}: first at row 37, column 'sick'"):
        kind().fit(frame, y)
    with pytest.raises(ValueError, match=f"Input X contains {what}: first at row 37, column 'sick'"):
        outputs(kind().fit(pd.DataFrame(X, columns=frame.columns), y), frame)
    with pytest.raises(ValueError, match=message):
        kind().fit(bad.astype(np.float32), None if y is None else y)


@each_estimator
@pytest.mark.parametrize(("value", "what"), [(np.nan, "NaN"), (np.inf, "infinity")])
def test_a1_non_finite_sparse_x(kind, value, what, X):
    y = target(kind, X)
    bad = sparse.csr_array(with_value(X, 37, 2, value))
    message = f"Input X contains {what}: first at row 37, column 2"
    with pytest.raises(ValueError, match=message):
        kind().fit(bad, y)
    model = kind().fit(X, y)
    with pytest.raises(ValueError, match=message):
        outputs(model, bad)


@each_estimator
def test_a1_rows_of_weight_zero_count_in_the_place(kind, X):
    """Rows that do not count are absent, but the row in the message is that of the whole."""
    y = target(kind, X)
    weight = np.ones(60)
    weight[:3] = 0.0
    bad = with_value(X, 7, 2, np.nan)
    bad[1, 1] = np.nan  # absent
    with pytest.raises(ValueError, match="Input X contains NaN: first at row 7, column 2"):
        kind().fit(bad, y, sample_weight=weight)


@each_learner
def test_a1_refused_chunk_leaves_the_model_unchanged(kind):
    y = target(kind, X)
    check_refuses(kind().fit(X, y), "NaN: first at row 3, column 1", with_value(X, 3, 1, np.nan), y)


@each_regressor
@pytest.mark.parametrize(("value", "what"), [(np.nan, "NaN"), (np.inf, "infinity")])
def test_a1_non_finite_y_names_the_row(kind, value, what):
    y = target(kind, X)
    bad = y.copy()
    bad[41] = value
    with pytest.raises(ValueError, match=f"Input y contains {what}: first at row 41"):
        kind().fit(X, bad)
    two = np.column_stack([y, bad])
    one_target = kind is LinearRegressor
    message = "got 2 columns" if one_target else f"Input y contains {what}: first at row 41, column 1"
    with pytest.raises(ValueError, match=message):
        kind().fit(X, two)
    if kind in LEARNERS:
        check_refuses(kind().fit(X, y), f"Input y contains {what}: first at row 41", X, bad)


@each_fully_labelled
@pytest.mark.parametrize("missing", [None, np.nan])
def test_a1_missing_labels_name_the_row(kind, missing):
    y = target(kind, X).astype(object)
    y[5] = missing
    with pytest.raises(ValueError, match="Input y contains NaN: first at row 5"):
        kind().fit(X, y)
    numbers = np.arange(60.0) % 2
    numbers[7] = np.nan
    with pytest.raises(ValueError, match="Input y contains NaN: first at row 7"):
        kind().fit(X, numbers)


@each_estimator
@pytest.mark.parametrize(("value", "what"), [(np.nan, "NaN"), (np.inf, "infinity")])
def test_a1_non_finite_weights_name_the_row(kind, value, what, X):
    y = target(kind, X)
    weight = np.ones(60)
    weight[11] = value
    message = f"Input sample_weight contains {what}: first at row 11"
    with pytest.raises(ValueError, match=message):
        kind().fit(X, y, sample_weight=weight)
    if kind in LEARNERS:
        check_refuses(kind().fit(X, y), message, X, y, sample_weight=weight)


@each_learner
def test_a1_rows_are_counted_over_all_chunks(kind):
    big = np.resize(X, (100_000, 4))
    y = target(kind, big)
    with pytest.raises(ValueError, match="row 99000, column 3"):
        kind().fit(with_value(big, 99_000, 3, np.nan), y)


# -- A2 -------------------------------------------------------------------------------------------------------------


@each_estimator
def test_a2_shapes_are_refused_in_scikit_learns_words(kind, X):
    y = target(kind, X)
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        kind().fit(X[:0], part(y, slice(0)))
    with pytest.raises(ValueError, match=r"0 feature\(s\)"):
        kind().fit(X[:, :0], y)
    with pytest.raises(ValueError, match="Expected 2D array, got 1D array instead"):
        kind().fit(X[:, 0], y)
    with pytest.raises(ValueError, match="Found array with dim 3"):
        kind().fit(X.reshape(60, 2, 2), y)
    with pytest.raises(ValueError, match="Complex data not supported"):
        kind().fit(X.astype(complex), y)


@each_estimator
@pytest.mark.parametrize(
    ("odd", "message"),
    [
        ({}, "argument must be a string or a real number, not 'dict'"),
        ("word", "could not convert string to float: 'word'"),
        (b"bytes", "could not convert string to float: b'bytes'"),
        ((1.0, 2.0), "setting an array element with a sequence"),
        (object(), "argument must be a string or a real number, not 'object'"),
    ],
    ids=["dict", "text", "bytes", "tuple", "object"],
)
def test_a2_objects_that_are_no_numbers(kind, odd, message, X):
    objects = X.astype(object)
    objects[3, 1] = odd
    with pytest.raises((ValueError, TypeError), match=message):
        kind().fit(objects, target(kind, X))


@each_supervised
def test_a2_lengths_must_agree(kind):
    y = target(kind, X)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        kind().fit(X, y[:-1])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        kind().fit(pd.DataFrame(X), y[:-1])
    with pytest.raises(ValueError, match="requires y to be passed"):
        kind().fit(X, None)
    with pytest.raises(ValueError, match="Complex data not supported"):
        kind().fit(X, np.arange(60) + 1j)


@each_estimator
def test_a2_weights_must_fit(kind, X):
    y = target(kind, X)
    for weight, message in (
        (np.ones(59), "X has 60 rows, sample_weight has 59"),
        (np.ones((60, 2)), "Sample weights must be 1D array or scalar, got 2 dimensions"),
        (np.ones((60, 1)), "Sample weights must be 1D array or scalar, got 2 dimensions"),
        (["1"] * 60, "could not convert string to float"),
    ):
        with pytest.raises(ValueError, match=message):
            kind().fit(X, y, sample_weight=weight)


def test_a2_weights_may_name_a_column():
    y, frame = X @ np.arange(4.0), pd.DataFrame(X, columns=list("abcd")).assign(w=np.arange(60) % 3)
    model = LinearRegression().fit(frame, y + X[:, 0] ** 2, sample_weight="w")
    assert model.feature_names_in_.tolist() == list("abcd")
    assert model.coef_ == pytest.approx(LinearRegression().fit(X, y + X[:, 0] ** 2, frame.w).coef_)
    with pytest.raises(ValueError, match="sample_weight = 'HC0' names a column, so X must be a data frame"):
        LinearRegression().fit(X, y).robust_covariance(X, y, "HC0")


@each_estimator
def test_a2_number_of_features_at_predict(kind, X):
    model = kind().fit(X, target(kind, X))
    with pytest.raises(ValueError, match="3 features, but .* expecting 4 features"):
        outputs(model, X[:, :3])
    with pytest.raises(ValueError, match="Expected 2D array"):
        outputs(model, X[0])


@each_learner
def test_a2_number_of_features_at_partial_fit(kind):
    y = target(kind, X)
    check_refuses(kind().fit(X, y), "3 features, but .* expecting 4 features", X[:, :3], y)


@each_learner
def test_a2_refused_fit_leaves_the_estimator_unfitted(kind):
    model = kind()
    with pytest.raises(ValueError, match="NaN: first at row 0, column 0"):
        model.fit(with_value(X, 0, 0, np.nan), target(kind, X))
    assert vars(model) == vars(kind())


# -- A3 -------------------------------------------------------------------------------------------------------------


@each_learner
@pytest.mark.parametrize(
    "empty", [X[:0], sparse.csr_array((0, 4)), X[:0].astype(np.int8), np.empty((0, 4), dtype=object)]
)
def test_a3_empty_chunk_is_the_identity(kind, empty):
    y = target(kind, X)
    model = kind().fit(X, y)
    before = outputs(model, X)
    model.partial_fit(empty, part(y, slice(0)))
    model.forget(empty, part(y, slice(0)))
    for name, value in outputs(model, X).items():
        assert np.array_equal(value, before[name])


@each_learner
@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a3_empty_frame_is_the_identity(kind, library):
    y = target(kind, X)
    columns = {name: X[:, j] for j, name in enumerate("abcd")}
    model = kind().fit(library(columns), y)
    before = outputs(model, library(columns))
    model.partial_fit(library({name: v[:0] for name, v in columns.items()}), part(y, slice(0)))
    for name, value in outputs(model, library(columns)).items():
        assert np.array_equal(value, before[name])


# -- A4 and A5 ------------------------------------------------------------------------------------------------------


@each_estimator
def test_a4_single_row(kind, X):
    y = target(kind, X)
    try:
        model = movable(kind)().fit(X[:1], part(y, slice(1)))
    except ValueError as error:
        assert re.search(r"minimum of \d|at least \d|more than \d", str(error)), error
        return
    for value in outputs(model, X).values():
        assert value.dtype.kind == "U" or np.isfinite(value).all()
    if kind in NETWORKS:  # one row says nothing of the others, and the first weights do
        return
    if kind in REGRESSORS:
        assert np.allclose(model.predict(X), y[0], rtol=1e-12)
    if kind in CLASSIFIERS:
        assert (model.predict(X) == y[0]).all()


def check_no_label(kind, A, y):
    """-1 among numbers is no class of who takes rows without a label."""
    with pytest.raises(ValueError, match="no row has a label"):
        kind().fit(A, y)


@each_classifier
@pytest.mark.parametrize("rows", [1, 2, 3, 20])
@pytest.mark.parametrize("label", ["only", 7, True, -1])
def test_a5_one_class_is_predicted(kind, rows, label):
    if label == -1 and partly_labelled(kind):
        return check_no_label(kind, X[:rows], [label] * rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IllConditionedWarning)
        model = kind().fit(X[:rows], [label] * rows)
    assert model.classes_.tolist() == [label]
    assert model.predict(X).tolist() == [label] * 60
    if hasattr(model, "predict_proba"):
        assert (model.predict_proba(X) == 1.0).all()
        assert model.predict_proba(X).shape == (60, 1)


# -- A6 -------------------------------------------------------------------------------------------------------------


def test_a6_duplicate_columns_give_the_least_norm_and_one_warning():
    A = np.column_stack([X[:, 0], X[:, 1], X[:, 0], X[:, 0] - X[:, 1]])
    y = target(LinearRegression, X)
    with pytest.warns(IllConditionedWarning) as caught:
        model = LinearRegression().fit(A, y)
    assert len(caught) == 1
    assert "column(s) 2, 3 are" in str(caught[0].message)
    assert model.aliased_.tolist() == [2, 3]
    assert model.rank_ == 2
    centred = A - A.mean(axis=0)
    assert np.allclose(model.coef_, np.linalg.pinv(centred) @ (y - y.mean()), atol=1e-12)
    named = pd.DataFrame(A, columns=["one", "two", "again", "difference"])
    with pytest.warns(IllConditionedWarning, match="again, difference"):
        LinearRegression().fit(named, y)


@each_regressor
@pytest.mark.parametrize("value", [0.0, 7.0, 1e12, -1e-12])
def test_a6_constant_column_changes_nothing(kind, value):
    y = target(kind, X)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = movable(kind)().fit(np.column_stack([X, np.full(60, value)]), y)
    assert len(caught) == (kind is LinearRegression)  # a penalty makes the solution unique
    assert all(w.category is IllConditionedWarning and "column(s) 4 are" in str(w.message) for w in caught)
    if hasattr(model, "coef_") and getattr(model, "basis", None) is None:  # else they belong to a hidden layer
        assert model.coef_[4] == 0.0
    if kind in NETWORKS:
        return
    without = movable(kind)().fit(X, y)
    assert np.allclose(model.predict(np.column_stack([X, np.full(60, value)])), without.predict(X), rtol=1e-12)


@each_classifier
@pytest.mark.parametrize("value", [0.0, 7.0, 1e12])
def test_a6_constant_column_in_covariance_models(kind, value):
    y = target(kind, X)
    A = np.column_stack([X, np.full(60, value)])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = movable(kind)().fit(A, y)
    if kind in LEARNERS and kind not in (GaussianNB, KNeighborsClassifier):  # others: a penalty, small steps, distances
        assert any(issubclass(w.category, IllConditionedWarning) for w in caught)
    bound = 1e-12 if kind in LEARNERS else 1e-6  # iterations stop at a tolerance
    if kind is not Perceptron and kind not in NETWORKS:  # to the first, a constant is one more intercept
        assert np.allclose(scores(model, A), scores(movable(kind)().fit(X, y), X), rtol=bound, atol=bound)


@each_classifier
def test_a6_duplicate_columns_in_covariance_models(kind):
    y = target(kind, X)
    A = np.column_stack([X, X[:, 0]])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = kind().fit(A, y)
    found = scores(model, A)
    assert np.isfinite(found).all()
    if hasattr(model, "predict_proba"):
        assert np.allclose(found.sum(axis=1), 1.0)
    if kind in LEARNERS and kind not in (GaussianNB, KNeighborsClassifier):
        assert any(issubclass(w.category, IllConditionedWarning) for w in caught)
    if kind is LinearDiscriminantAnalysis:  # the dependent direction is left out, so a copy says nothing new
        assert np.allclose(found, kind().fit(X, y).predict_proba(X), rtol=0, atol=1e-12)


@each_classifier
def test_a6_all_columns_constant(kind):
    A, y = np.full((30, 2), 3.0), np.arange(30) % 3 // 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IllConditionedWarning)
        model = kind().fit(A, y)
    if hasattr(model, "predict_proba") and kind not in (SigmoidNeuron, *NETWORKS, *VOTES):  # steps circle about it
        assert np.allclose(model.predict_proba(A[:1]), [[2 / 3, 1 / 3]])
    assert model.predict(A[:1]).tolist() == [0]


def test_a6_constant_columns_in_pca():
    A = np.column_stack([X[:, 0], np.full(60, 5.0), X[:, 0]])
    model = PCA().fit(A)
    assert np.allclose(model.explained_variance_, [2 * X[:, 0].var(ddof=1), 0.0, 0.0])
    assert np.isfinite(model.transform(A)).all()
    constant = PCA().fit(np.full((10, 3), 7.0))
    assert (constant.explained_variance_ == 0).all()
    assert np.isfinite(constant.explained_variance_ratio_).all()


# -- A7 -------------------------------------------------------------------------------------------------------------


@each_classifier
def test_a7_perfect_separation_gives_finite_models(kind):
    """Gaussian classes have no infinite coefficients; whoever has must warn and stay finite."""
    A = np.vstack([X[:30], X[30:] + 1e3])
    y = np.repeat([0, 1], 30)
    model = kind().fit(A, y)
    assert (model.predict(A) == y).all()
    assert np.isfinite(scores(model, A)).all()
    for name in ("coef_", "intercept_", "thresholds_"):
        assert np.isfinite(getattr(model, name, 0.0)).all()


# -- A8 -------------------------------------------------------------------------------------------------------------


def quick(kind):
    """The perceptron, on rows that no plane separates, does not go through all its epochs.

    Nor do networks: what is rounded in one step is followed by the next.
    """
    if kind in NETWORKS:
        return partial(kind, max_iter=3)
    return partial(kind, tol=1e-3) if kind is Perceptron else movable(kind)


def check_comes_back(model, A):
    """Rows about zero come back from their codes, wherever they lie: they miss what they must, and no more."""
    missed = np.linalg.norm(model.inverse_transform(model.transform(A)) - A)
    if isinstance(model, NMF):  # iterations stop at a tolerance
        assert missed <= 1e-3 * np.linalg.norm(A)
        return
    k, sizes = model.n_components, np.linalg.svd(A, compute_uv=False)
    assert missed <= np.linalg.norm(sizes[k:]) * (1 + 1e-6)
    assert np.allclose(model.singular_values_, sizes[:k], rtol=1e-6)


@each_estimator
@pytest.mark.parametrize(("offset", "rows"), [(1e6, 60), (1e9, 3000), (-1e9, 60)])
def test_a8_offset_changes_nothing(kind, offset, rows):
    A = np.round(np.random.default_rng(1).standard_normal((affordable(kind, rows), 4)) * 1024) / 1024
    if kind in ABOUT_ZERO:
        return check_comes_back(kind().fit(suited(kind, A + offset)), suited(kind, A + offset))
    y, kind = target(kind, A), quick(kind)
    plain, moved = outputs(kind().fit(A, y), A), outputs(kind().fit(A + offset, y), A + offset)
    for name, value in plain.items():
        if value.dtype.kind == "f":
            assert np.abs(moved[name] - value).max() <= 1e-6 * np.abs(value).max()
        else:
            assert np.array_equal(moved[name], value)


@each_estimator
def test_a8_offset_in_one_column_and_in_y(kind, X):
    A = X + np.array([0.0, 1e9, 0.0, -1e6])
    if kind in ABOUT_ZERO:
        return check_comes_back(kind().fit(suited(kind, A)), suited(kind, A))
    y = target(kind, X)
    if kind in REGRESSORS:
        y = np.round(y * 1024) / 1024
        found = movable(kind)().fit(A, y + 1e9).predict(A) - 1e9
        assert np.abs(found - movable(kind)().fit(X, y).predict(X)).max() <= 1e-6
    else:
        plain, moved = outputs(movable(kind)().fit(X, y), X), outputs(movable(kind)().fit(A, y), A)
        for name, value in plain.items():
            assert value.dtype.kind == "U" or np.abs(moved[name] - value).max() <= 1e-6 * np.abs(value).max()


@each_learner
def test_a8_offset_survives_merging_and_forgetting(kind):
    y = target(kind, X)
    A = X + 1e9
    parts = [kind().fit(A[i::3], part(y, slice(i, None, 3))) for i in range(3)]
    merged = sum(parts) - parts[2]
    kept = np.arange(60) % 3 != 2
    if kind in ABOUT_ZERO:
        return check_comes_back(merged, A[kept])
    plain, moved = outputs(kind().fit(X[kept], part(y, kept)), X), outputs(merged, A)
    for name, value in plain.items():
        assert value.dtype.kind == "U" or np.abs(moved[name] - value).max() <= 1e-6 * np.abs(value).max()


# -- A9 -------------------------------------------------------------------------------------------------------------


SCALES = [2.0**-530, 2.0**-330, 2.0**330, 2.0**500, 2.0**660]


@each_estimator
@pytest.mark.parametrize("scale", SCALES)
def test_a9_scale_is_right_or_refused(kind, scale, X):
    """All columns scaled by a power of two: the same model in other units, or an error that names a column."""
    y = target(kind, X)
    if kind in (*PENALISED, *GRAPHS) and not 2.0**-500 < scale < 2.0**500:
        pytest.skip("no penalty of this size is a number")
    learner, plain = in_units(kind, scale), in_units(kind, 1.0)
    try:
        found = outputs(learner.fit(X * scale, y), X * scale)
    except ValueError as error:
        assert re.search(r"column \d", str(error)), error
        assert kind not in LEARNERS or not 2.0**-400 < scale < 2.0**400, "sums of squares are well within the range"
        return
    wanted = outputs(plain.fit(X, y), X)
    for name, value in wanted.items():
        if name == "transform":
            value = value * scale ** (1.0 if kind in PROTOTYPES else POWERS.get(kind, 0.0))
        if name == "score_samples":  # a density has the inverse unit
            value = value - X.shape[1] * np.log(scale)
        bound = 1e-12 if kind in LEARNERS else 1e-9  # iterations stop at a tolerance
        assert value.dtype.kind == "U" or np.abs(found[name] - value).max() <= bound * np.abs(value).max()


@each_estimator
def test_a9_columns_of_very_different_scale(kind, X):
    """Scales from 1e-160 to 1e150 side by side: finite and right where units do not matter, or refused."""
    y = target(kind, X)
    scales = np.array([2.0**-530, 1.0, 2.0**500, 2.0**10])
    try:
        found = outputs(kind().fit(X * scales, y), X * scales)
    except ValueError as error:
        assert re.search(r"column [02]\b", str(error)), error  # one of the two that are at the ends of the range
        return
    for value in found.values():
        assert value.dtype.kind == "U" or np.isfinite(value).all()
    if kind in (LinearRegression, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis):
        for name, value in outputs(kind().fit(X, y), X).items():
            assert value.dtype.kind == "U" or np.abs(found[name] - value).max() <= 1e-12 * np.abs(value).max()


@each_estimator
@pytest.mark.parametrize("scale", [1e30, 1e-30])
def test_a9_float32_at_the_edge_of_its_range(kind, scale, X):
    y = target(kind, X)
    A = (X * scale).astype(np.float32)
    learner = in_units(kind, scale)
    try:
        found = outputs(learner.fit(A, y), A)
    except ValueError as error:
        assert re.search(r"column \d", str(error)), error
        return
    wanted = outputs(clone(learner).fit(A.astype(float), y), A.astype(float))
    for name, value in wanted.items():
        assert value.dtype.kind == "U" or np.abs(found[name] - value).max() <= 2e-5 * np.abs(value).max()


# -- A10 to A12 -----------------------------------------------------------------------------------------------------


@each_estimator
@pytest.mark.parametrize("rows", [60, 20_000])
def test_a10_float32_is_summed_precisely_and_returned(kind, rows):
    A = (np.random.default_rng(2).standard_normal((affordable(kind, rows), 4)) + 100.0).astype(np.float32)
    y = target(kind, A)
    y32 = y if y is None or y.dtype.kind == "U" else y.astype(np.float32)
    kind, adds_up = quick(kind), kind in LEARNERS
    model = kind().fit(A, y32)
    some = A[:2000]
    found = outputs(model, some)
    precise = kind().fit(A.astype(float), y)
    if adds_up:
        same = precise if y32 is y else kind().fit(A.astype(float), y32.astype(float))
        assert_same_statistic(model.statistic_, same.statistic_, 1e-15)
    for name, value in outputs(precise, some.astype(float)).items():
        if value.dtype.kind == "f":
            assert found[name].dtype == np.float32
            assert np.abs(found[name] - value).max() <= 2e-4 * np.abs(value).max()


@each_estimator
@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint64])  # the others: tests/sources
def test_a11_integers_are_converted_before_products(kind, dtype):
    top = min(np.iinfo(dtype).max, 2**40)
    whole = np.random.default_rng(3).integers(top // 2, top, (60, 3), endpoint=True).astype(dtype)
    y = target(kind, whole)
    assert_same_model(kind().fit(whole, y), kind().fit(whole.astype(float), y), whole.astype(float), 1e-14)


def test_a11_counts_beyond_two_to_the_31():
    weight = np.full(60, 1e9)
    y = np.arange(60) % 2
    model = GaussianNB().fit(X, y, sample_weight=weight)
    assert model.class_count_.tolist() == [3e10, 3e10]
    assert_same_model(model, GaussianNB().fit(X, y), X)


@each_estimator
@pytest.mark.parametrize("kind_of_text", ["U", "S", "object", "list", "pandas", "polars"])
def test_a12_numeric_strings_are_always_refused(kind, kind_of_text, X):
    text = [[str(v) for v in row] for row in X.tolist()]
    given = {
        "U": lambda: np.array(text),
        "S": lambda: np.array(text, dtype="S"),
        "object": lambda: np.array(text, dtype=object),
        "list": lambda: text,
        "pandas": lambda: pd.DataFrame(text, columns=list("abcd")),
        "polars": lambda: pl.DataFrame(text, schema=list("abcd"), orient="row"),
    }[kind_of_text]()
    message = "column 'a' holds text" if kind_of_text in ("pandas", "polars") else "convert string|bytes/strings"
    y = target(kind, X)
    with pytest.raises(ValueError, match=message):
        kind().fit(given, y)
    plain = pd.DataFrame(X, columns=list("abcd")) if kind_of_text in ("pandas", "polars") else X
    model = kind().fit(plain, y)
    with pytest.raises(ValueError, match=message):
        outputs(model, given)
    if kind in LEARNERS:
        before = outputs(model, plain)
        with pytest.raises(ValueError, match=message):
            model.partial_fit(given, y)
        assert all(np.array_equal(value, before[name]) for name, value in outputs(model, plain).items())


@each_regressor
@pytest.mark.parametrize("y", [["1", "2"] * 30, np.array(["1", "2"] * 30, dtype=object), [b"1", b"2"] * 30])
def test_a12_numeric_strings_as_targets(kind, y):
    with pytest.raises(ValueError, match="y must hold numbers|could not convert string to float: '1'"):
        kind().fit(X, y)


# -- A13 ------------------------------------------------------------------------------------------------------------


@each_estimator
def test_a13_categories_are_refused_by_name(kind, X):
    """Columns of levels need an encoder; nothing is ever looked up, so nothing can be out of range."""
    frame = pd.DataFrame(X, columns=list("abcd")).assign(b=pd.Categorical(["x", "y"] * 30))
    with pytest.raises(ValueError, match="'b' holds category"):
        kind().fit(frame, target(kind, X))
    model = kind().fit(pd.DataFrame(X, columns=list("abcd")), target(kind, X))
    with pytest.raises(ValueError, match="'b' holds category"):
        outputs(model, frame)


# -- A14 ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [k for k in CLASSIFIERS if k in LEARNERS], ids=names)
class TestNewClasses:
    def test_a14_new_class_is_accepted(self, kind):
        y = target(kind, X)
        first = y != "top"
        model = kind().fit(X[first], y[first]).partial_fit(X[~first], y[~first])
        assert model.classes_.tolist() == ["low", "middle", "top"]
        assert_same_model(model, kind().fit(X, y), X)

    def test_a14_fixed_classes_refuse_others_and_name_them(self, kind):
        y = target(kind, X)
        known = y != "top"
        model = kind().partial_fit(X[known], y[known], classes=["low", "middle"])
        before = scores(model, X)
        with pytest.raises(ValueError, match=r"label\(s\) \['top'\] in y do not exist in the initial classes"):
            model.partial_fit(X, y)
        assert np.array_equal(scores(model, X), before)

    def test_a14_fixed_classes_may_come_later(self, kind):
        y = target(kind, X)
        known = y != "top"
        model = kind().partial_fit(X[known], y[known], classes=["low", "middle", "top"])
        assert model.classes_.tolist() == ["low", "middle", "top"]
        assert scores(model, X).shape == (60, 3)
        assert set(model.predict(X)) <= {"low", "middle"}
        if hasattr(model, "predict_proba"):
            proba = model.predict_proba(X)
            assert (proba[:, 2] == 0).all()
            assert np.allclose(proba.sum(axis=1), 1.0)
        model.partial_fit(X[~known], y[~known])
        assert_same_model(model, kind().fit(X, y), X)

    def test_a14_classes_cannot_change(self, kind):
        y = target(kind, X)
        model = kind().partial_fit(X, y, classes=["low", "middle", "top"])
        with pytest.raises(ValueError, match="differs from the earlier call"):
            model.partial_fit(X, y, classes=["low", "middle"])

    def test_a14_forgotten_class_is_gone(self, kind):
        y = target(kind, X)
        gone = y == "low"
        model = kind().fit(X, y).forget(X[gone], y[gone])
        assert model.classes_.tolist() == ["middle", "top"]
        assert_same_model(model, kind().fit(X[~gone], y[~gone]), X)

    def test_a14_labels_of_another_kind_are_refused(self, kind):
        y = target(kind, X)
        model = kind().fit(X, y)
        before = scores(model, X)
        with pytest.raises(ValueError, match="int.*str"):
            model.partial_fit(X, np.arange(60) % 3)
        assert np.array_equal(scores(model, X), before)


# -- A15 to A17 -----------------------------------------------------------------------------------------------------


@each_estimator
def test_a15_sparse_is_exact(kind):
    generator = np.random.default_rng(4)
    A = suited(kind, np.where(generator.random((300, 6)) < 0.3, generator.standard_normal((300, 6)), 0.0))
    y = target(kind, A)
    model = kind().fit(sparse.csr_array(A), y)
    assert_same_model(model, kind().fit(A, y), A, 1e-14)
    dense, thin = outputs(model, A), outputs(model, sparse.csr_array(A))
    for name, value in dense.items():
        assert value.dtype.kind == "U" or np.abs(thin[name] - value).max() <= 1e-14 * np.abs(value).max()


@each_supervised
def test_a15_sparse_y_is_refused_with_advice(kind):
    with pytest.raises(TypeError, match=r"toarray"):
        kind().fit(X, sparse.csr_array(np.ones((60, 1))))


@each_estimator
def test_a16_layout_does_not_matter_and_input_is_never_changed(kind, X):
    y = target(kind, X)
    expected = kind().fit(X, y)
    read_only = X.copy()
    read_only.flags.writeable = False
    for given in (np.asfortranarray(X), X[::-1, ::-1].copy()[::-1, ::-1], X.astype(">f8"), read_only):
        before = given.copy()
        assert_same_model(kind().fit(given, y), expected, X, 0.0)
        outputs(expected, given)
        assert np.array_equal(given, before)


@each_estimator
@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a17_columns_must_have_the_names_of_the_fit(kind, library, X):
    make = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}[library]

    def frame(columns):
        return make({name: X[:, "abcde".index(name) % 4] for name in columns})

    y = target(kind, X)
    model = kind().fit(frame("abcd"), y)
    missing = "Feature names seen at fit time, yet now missing:\n- d\n"
    for other, message in (
        ("bacd", "Feature names must be in the same order as they were in fit"),
        ("abc", f"during fit.\n{missing}"),
        ("abce", f"Feature names unseen at fit time:\n- e\n{missing}"),
    ):
        with pytest.raises(ValueError, match=message):
            outputs(model, frame(other))
        if kind in LEARNERS:
            before = outputs(model, frame("abcd"))
            with pytest.raises(ValueError, match=message):
                model.partial_fit(frame(other), y)
            assert all(np.array_equal(v, before[name]) for name, v in outputs(model, frame("abcd")).items())


# -- A18 and A19 ----------------------------------------------------------------------------------------------------


LABELS = {
    "strings": ["zebra", "ant", "Zorn"],
    "negative": [-5, 3, -1],
    "booleans": [True, False],
    "far apart": [10**12, -3, 0],
    "unsigned": np.array([200, 3, 0], dtype=np.uint8),
    "whole floats": [2.0, -1.0, 0.0],
    "objects": np.array(["b", "a"], dtype=object),
    "signs": ["+", "-"],
}


@each_classifier
@pytest.mark.parametrize("kind_of_label", LABELS)
def test_a18_labels_are_sorted_and_come_back(kind, kind_of_label):
    labels = np.asarray(LABELS[kind_of_label])
    if partly_labelled(kind) and labels.dtype.kind in "if":
        labels = labels[labels != -1]
    centres = 50.0 * np.eye(4)[: len(labels)]  # not on one line, where least squares hides the class in the middle
    codes = np.arange(60) % len(labels)
    y = labels[codes]
    model = kind().fit(X + centres[codes], y)
    assert model.classes_.tolist() == sorted(labels.tolist())
    assert model.predict(X + centres[codes]).tolist() == y.tolist()
    if kind in LEARNERS:
        model.partial_fit(X + centres[codes], y)
        assert model.predict(X + centres[codes]).tolist() == y.tolist()


@each_classifier
def test_a18_continuous_labels_are_refused(kind):
    with pytest.raises(ValueError, match="Unknown label type: continuous.*row 3"):
        kind().fit(X, np.where(np.arange(60) == 3, 0.5, 1.0))


@each_estimator
def test_a19_zero_weight_is_an_absent_row(kind, X):
    y = target(kind, X)
    weight = (np.arange(60) % 4 > 0) * 1.5
    kept = weight > 0
    sick = np.where(kept[:, None], X, np.nan)  # whatever an absent row holds
    assert_same_model(
        kind().fit(sick, y, sample_weight=weight), kind().fit(X[kept], part(y, kept), sample_weight=weight[kept]), X
    )


@each_estimator
def test_a19_all_weights_zero(kind, X):
    y = target(kind, X)
    message = "sample_weight is zero for every row"
    with pytest.raises(ValueError, match=message):
        kind().fit(X, y, sample_weight=np.zeros(60))
    if kind in LEARNERS:
        check_refuses(kind().fit(X, y), message, X, y, sample_weight=np.zeros(60))


@each_estimator
def test_a19_negative_weights_name_the_row(kind, X):
    y = target(kind, X)
    weight = np.ones(60)
    weight[23] = -0.5
    message = "Negative values in data passed to `sample_weight`: -0.5, first at row 23"
    with pytest.raises(ValueError, match=message):
        kind().fit(X, y, sample_weight=weight)
    if kind in LEARNERS:
        check_refuses(kind().fit(X, y), message, X, y, sample_weight=weight)


@each_learner
def test_a19_negative_weight_in_a_late_chunk_names_its_row(kind):
    big = np.resize(X, (100_000, 4))
    weight = np.ones(100_000)
    weight[99_001] = -1.0
    with pytest.raises(ValueError, match="row 99001"):
        kind().fit(big, target(kind, big), sample_weight=weight)


@each_learner
def test_a19_small_weights_are_not_few_rows(kind):
    """Only ratios of weights matter to a prediction without a penalty."""
    if {"alpha", "n_neighbors", "acceptance"} & set(kind().get_params()) or kind is RegularizedPCA:
        pytest.skip("a penalty weighs against the rows")  # or they are counted: k neighbours, the F law of few rows
    y = target(kind, X)
    wanted = outputs(kind().fit(X, y), X)
    for name, value in outputs(kind().fit(X, y, sample_weight=np.full(60, 1e-3)), X).items():
        assert value.dtype.kind == "U" or np.abs(value - wanted[name]).max() <= 1e-9 * np.abs(wanted[name]).max()


UNITS = {
    "least squares": sl.LinearRegression(),
    "lasso": sl.Lasso(0.1),
    "elastic net": sl.ElasticNet(0.1),
    "discriminant": sl.LinearDiscriminantAnalysis(),
    "one class": sl.OneClassGaussian(law="chi2"),
}


@pytest.mark.parametrize("learner", UNITS.values(), ids=UNITS)
@pytest.mark.parametrize("unit", [1e-270, 1e150, 1e300])
def test_a19_no_unit_of_the_weights_changes_an_answer(learner, unit):
    y = target(type(learner), X)
    wanted = outputs(clone(learner).fit(X, y), X)
    for name, value in outputs(clone(learner).fit(X, y, sample_weight=np.full(60, unit)), X).items():
        assert value.dtype.kind == "U" or np.abs(value - wanted[name]).max() <= 1e-9 * np.abs(wanted[name]).max()
    with pytest.raises(ValueError, match="sample_weight is zero for every row"):  # few digits would be left
        clone(learner).fit(X, y, sample_weight=np.full(60, 5e-324))


def test_a19_a_class_of_many_rows_has_a_threshold():
    assert np.isfinite(sl.OneClassGaussian().fit(X, None, np.full(60, 1e200)).decision_function(X)).all()
    few, many = (sl.OneClassGaussian().fit(X, None, np.full(60, w)).offset_ for w in (1e9, 1e12))
    assert few == pytest.approx(many, rel=1e-7)


@each_estimator
def test_a19_weights_at_the_ends_of_the_range_never_give_nan(kind):
    y = target(kind, X)
    rows = suited(kind, X)
    light = np.where(np.arange(60) % 2, 1e200, 1e-200)
    for weight in (np.full(60, 1e308), np.full(60, 1e300), np.full(60, 1e-300), np.full(60, 5e-324), light):
        if "sample_weight" not in inspect.signature(kind.fit).parameters:
            return
        try:
            model = kind().fit(rows, y, sample_weight=weight)
            found = outputs(model, rows) if hasattr(model, "predict") or hasattr(model, "transform") else {}
        except ValueError:
            continue
        assert all(value.dtype.kind != "f" or np.isfinite(value).all() for value in found.values())


MASKED = np.ma.masked_array(np.arange(6.0).reshape(3, 2), mask=[[0, 0], [0, 1], [0, 0]])
COLUMN = np.ma.masked_array([0, 1, 1], mask=[0, 0, 1])


@pytest.mark.parametrize(
    "of",
    [
        lambda X, y, w: Moments.of(X, y, w),
        lambda X, y, w: Grouped.of(X, y, w),
        lambda X, y, w: Pooled.of(X, y, w),
        lambda X, y, w: Strips.of(X, y, w),
        lambda X, y, w: Ledger.of(X, y, w),
        lambda X, y, w: LevelCounts.of(X, y, w),
        lambda X, y, w: ClassTotals.of(X, y, w),
        lambda X, y, w: Counts.of(X[:, 0], X[:, 1], y, weight=w),
    ],
    ids=["Moments", "Grouped", "Pooled", "Strips", "Ledger", "LevelCounts", "ClassTotals", "Counts"],
)
def test_masked_values_are_refused(of):
    X, y, w = MASKED.data, COLUMN.data, np.ones(3)
    of(np.ma.masked_array(X), np.ma.masked_array(y), np.ma.masked_array(w))
    for masked in ((MASKED, y, w), (X, COLUMN, w), (X, y, np.ma.masked_array(w, mask=COLUMN.mask))):
        with pytest.raises(ValueError, match="is a masked array, and row [12].* is masked"):
            of(*masked)
