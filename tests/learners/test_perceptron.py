"""The perceptron against scikit-learn's, against numbers worked out by hand, and against Novikoff's bound."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sparse
import sklearn.linear_model
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from sumlearn import Perceptron

rng = np.random.default_rng(0)
NOTE = np.array([[0.9, 3.0], [3.0, 4.1], [1.2, 0.3]]), np.array(["+", "+", "-"])  # lecture note 001


def problem(n=150, d=4, classes=3, seed=0, noise=0.5):
    generator = np.random.default_rng([seed, n, d, classes])
    X = generator.standard_normal((n, d)) * generator.uniform(0.2, 4.0, d) + generator.uniform(-2.0, 2.0, d)
    scores = X @ generator.standard_normal((d, classes)) + noise * generator.standard_normal((n, classes))
    return X, scores.argmax(axis=1)


def separable(n=200, d=3, seed=0, gap=0.3):
    """Two classes with a plane between them through the origin of (x, 1), and its direction of unit length."""
    generator = np.random.default_rng(seed)
    X = generator.standard_normal((3 * n, d))
    labels = np.zeros(0)
    while not labels.any() or labels.min() == labels.max():  # a plane far from most rows has one class on one side
        plane = generator.standard_normal(d + 1)
        plane /= np.linalg.norm(plane)
        margin = X @ plane[:-1] + plane[-1]
        keep = np.flatnonzero(np.abs(margin) > gap)[:n]
        labels = np.sign(margin[keep]).astype(int)
    return X[keep], labels, plane


def quietly(model, *data, **more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(*data, **more)


# -- by hand --------------------------------------------------------------------------------------------------------


def test_note_001_online():
    """w = 0 is wrong on 1: (1; .9, 3). Right on 2, wrong on 3: (0; -.3, 2.7). Wrong on 3: (-1; -1.5, 2.4). Rest."""
    X, y = NOTE
    model = Perceptron(shuffle=False).fit(X, y == "+")
    assert model.coef_ == pytest.approx(np.array([[-1.5, 2.4]]), abs=1e-12)
    assert model.intercept_ == pytest.approx([-1.0])
    assert model.mistakes_ == [2, 1, 0]
    assert model.converged_
    assert model.decision_function(X) == pytest.approx([4.85, 4.34, -2.08])


def test_note_001_batch():
    """From w = 0 all three are on the wrong side (<=): (1; 2.7, 6.8); then 3 is wrong until (-2; -.9, 5.9)."""
    X, y = NOTE
    model = Perceptron(mode="batch").fit(X, y == "+")
    assert model.coef_ == pytest.approx(np.array([[-0.9, 5.9]]), abs=1e-12)
    assert model.intercept_ == pytest.approx([-2.0])
    assert model.mistakes_ == [3, 1, 1, 1, 0]
    assert model.n_iter_ == 5
    assert model.converged_


def test_labels_of_the_note():
    X, y = NOTE
    assert Perceptron().fit(X, y).predict(X).tolist() == ["+", "+", "-"]  # "+" sorts before "-"


# -- theory ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("shuffle", [False, True])
def test_novikoff(seed, shuffle):
    """At most (R / gamma)^2 mistakes, R the longest (x, 1) and gamma the margin of any plane of unit length."""
    X, y, plane = separable(seed=seed)
    augmented = np.column_stack([X, np.ones(len(X))])
    bound = (np.linalg.norm(augmented, axis=1).max() / (y * (augmented @ plane)).min()) ** 2
    model = Perceptron(shuffle=shuffle, random_state=seed, tol=None, max_iter=300).fit(X, y)
    assert model.converged_
    assert 0 < sum(model.mistakes_) <= bound
    assert (model.predict(X) == y).all()


@pytest.mark.parametrize("mode", ["online", "batch"])
def test_no_mistakes_mean_no_change(mode):
    X, y, _ = separable()
    model = Perceptron(mode=mode, tol=None, max_iter=100).fit(X, y)
    longer = Perceptron(mode=mode, tol=None, max_iter=200).fit(X, y)
    assert model.mistakes_[-1] == 0
    assert np.array_equal(model.coef_, longer.coef_)


def test_exclusive_or_never_comes_to_rest():
    X, y = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), [0, 0, 1, 1]
    for mode in ("online", "batch"):
        with pytest.warns(ConvergenceWarning, match="25 epochs"):
            model = Perceptron(mode=mode, max_iter=25, tol=0.0, n_iter_no_change=100).fit(X, y)
        assert not model.converged_
        assert model.mistakes_[-1] > 0
        assert model.n_iter_ == 25


@pytest.mark.parametrize("mode", ["online", "batch"])
def test_by_default_a_plane_is_found_where_there_is_one(mode):
    """Learning ends with the first epoch that changes nothing, not where the loss stands still for a while."""
    for seed in range(20):
        X, y, _ = separable(60, 4, seed, gap=0.05)
        model = Perceptron(mode=mode, max_iter=100_000, random_state=seed).fit(X * [1.0, 0.1, 1.0, 5.0], y)
        assert model.converged_
        assert model.mistakes_.index(0) == model.n_iter_ - 1
        assert model.score(X * [1.0, 0.1, 1.0, 5.0], y) == 1.0


@pytest.mark.parametrize("classes", [2, 3])
def test_mistakes_that_are_left_are_counted(classes):
    X, y = problem(classes=classes)
    with pytest.warns(ConvergenceWarning, match="30 epochs were not enough: ([0-9]+) mistakes are left") as caught:
        model = Perceptron(max_iter=30).fit(X, y)
    scores = model.decision_function(X)
    sides = np.where(y == 1, 1, -1) if classes == 2 else np.where(y[:, None] == np.arange(3), 1, -1)
    left = int((sides * scores <= 0).sum())
    assert left > 0
    assert f": {left} mistakes" in str(caught[0].message)
    assert ("each class against the rest" in str(caught[0].message)) == (classes > 2)


def test_a_penalty_or_rows_held_back_do_not_come_to_rest():
    """There, by default, learning stops as scikit-learn's does."""
    X, y = problem()
    for options in ({"penalty": "l2"}, {"early_stopping": True}):
        ours, theirs = Perceptron(**options).fit(X, y), sklearn.linear_model.Perceptron(**options).fit(X, y)
        assert ours.coef_ == pytest.approx(theirs.coef_, rel=1e-9)
        assert ours.n_iter_ == theirs.n_iter_


def test_no_warning_where_all_is_learnt():
    X, y, _ = separable()
    epochs = Perceptron(tol=None, max_iter=300).fit(X, y).mistakes_.index(0) + 1
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        Perceptron(max_iter=epochs, n_iter_no_change=100).fit(X, y)
        Perceptron(max_iter=1, tol=None).fit(*problem())  # so many epochs were asked for
    assert not caught


# -- batch ----------------------------------------------------------------------------------------------------------


def test_batch_against_a_plain_loop():
    X, y = problem(classes=2)
    w = np.zeros(5)
    A, sign = np.column_stack([X, np.ones(len(X))]), np.where(y == 1, 1.0, -1.0)
    for _ in range(30):
        wrong = sign * (A @ w) <= 0
        w += 0.5 * (sign[wrong, None] * A[wrong]).sum(axis=0)
    model = quietly(Perceptron(mode="batch", eta0=0.5, max_iter=30), X, y)
    assert np.append(model.coef_, model.intercept_) == pytest.approx(w, rel=1e-9)


def test_batch_takes_rows_in_any_order_and_weights_as_numbers_of_rows():
    X, y = problem()
    weight = rng.integers(0, 4, len(X))
    again = rng.permutation(np.repeat(np.arange(len(X)), weight))
    model = quietly(Perceptron(mode="batch", max_iter=20), X, y, sample_weight=weight)
    other = quietly(Perceptron(mode="batch", max_iter=20), X[again], y[again])
    assert model.coef_ == pytest.approx(other.coef_, rel=1e-9)
    assert model.intercept_ == pytest.approx(other.intercept_, rel=1e-9)


@pytest.mark.parametrize("options", [{"penalty": "l2"}, {"early_stopping": True}])
def test_batch_refuses_what_it_has_not(options):
    with pytest.raises(ValueError, match=f"{next(iter(options))}.*mode='online'"):
        Perceptron(mode="batch", **options).fit(*problem())


# -- scikit-learn ---------------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(
    options=st.fixed_dictionaries(
        {
            "eta0": st.floats(0.1, 3.0),
            "alpha": st.sampled_from([1e-5, 1e-3, 0.05]),
            "shuffle": st.booleans(),
            "fit_intercept": st.booleans(),
            "random_state": st.integers(0, 50),
            "class_weight": st.sampled_from([None, "balanced", {0: 2.0, 1: 0.3}]),
        }
    ),
    stop=st.sampled_from(
        [
            {"tol": 1e-3},
            {"tol": 0.05, "n_iter_no_change": 2},
            {"tol": 1e-2, "penalty": "l2"},
            {"tol": 1e-3, "early_stopping": True, "validation_fraction": 0.2},
            {"tol": None, "max_iter": 7, "penalty": "l1"},
            {"tol": None, "max_iter": 7, "penalty": "elasticnet", "l1_ratio": 0.4},
        ]
    ),
    classes=st.integers(2, 4),
    weighted=st.booleans(),
    seed=st.integers(0, 1000),
)
def test_scikit_learn(options, stop, classes, weighted, seed):
    """The same rows in the same order: weights, epochs and patterns agree, for every parameter.

    What it refuses (a class of one row cannot be held back in shares, a weighted class has to come), we refuse.
    """
    X, y = problem(classes=classes, seed=seed)
    weight = np.random.default_rng(seed).uniform(0.5, 2.0, len(X)) if weighted else None
    try:
        theirs = quietly(sklearn.linear_model.Perceptron(**options, **stop), X, y, sample_weight=weight)
    except ValueError as refusal:
        with pytest.raises(ValueError, match=re.escape(str(refusal).partition(" Classes with")[0])):
            quietly(Perceptron(**options, **stop), X, y, sample_weight=weight)
        return
    ours = quietly(Perceptron(**options, **stop), X, y, sample_weight=weight)
    size = np.abs(theirs.coef_).max()
    assert np.abs(ours.coef_ - theirs.coef_).max() <= 1e-9 * size
    assert np.abs(ours.intercept_ - theirs.intercept_).max() <= 1e-9 * max(size, 1.0)
    assert (ours.n_iter_, ours.t_) == (theirs.n_iter_, theirs.t_)
    assert np.array_equal(ours.predict(X), theirs.predict(X))


def test_partial_fit_and_warm_start_as_scikit_learn():
    X, y = problem()
    ours, theirs = Perceptron(shuffle=False), sklearn.linear_model.Perceptron(shuffle=False)
    for part in np.array_split(np.arange(len(X)), 7):
        for model in (ours, theirs):
            model.partial_fit(X[part], y[part], classes=[0, 1, 2])
        assert ours.coef_ == pytest.approx(theirs.coef_, rel=1e-9)
        assert ours.t_ == theirs.t_
    for model in (ours, theirs):
        model.set_params(warm_start=True, max_iter=3, tol=None).fit(X, y)
    assert ours.coef_ == pytest.approx(theirs.coef_, rel=1e-9)
    given = [m.fit(X, y, coef_init=np.ones((3, 4)), intercept_init=[1.0, 2.0, 3.0]).coef_ for m in (ours, theirs)]
    assert given[0] == pytest.approx(given[1], rel=1e-9)


def test_parameters_attributes_and_methods():
    theirs = sklearn.linear_model.Perceptron()
    assert theirs.get_params() | {"tol": "auto"} == {
        name: Perceptron().get_params()[name] for name in theirs.get_params()
    }
    X, y = problem()
    ours, theirs = Perceptron(tol=1e-3).fit(X, y), theirs.fit(X, y)
    public = [name for name in dir(theirs) if not name.startswith("_")]
    wanted = [name for name in public if name.endswith("_") or callable(getattr(theirs, name))]
    assert [name for name in wanted if not hasattr(ours, name)] == []
    assert not hasattr(ours, "predict_proba")
    for name in ("coef_", "intercept_", "classes_"):
        assert getattr(ours, name).shape == getattr(theirs, name).shape
    with pytest.raises(AttributeError):
        _ = Perceptron().intercept_


def test_sparsify():
    X, y = problem()
    model = Perceptron(penalty="l1").fit(X, y)
    scores, intercept = model.decision_function(X), model.intercept_
    assert sparse.issparse(model.sparsify().coef_)
    assert np.array_equal(model.decision_function(X), scores)
    assert model.intercept_ == pytest.approx(intercept)
    more = model.partial_fit(X, y).coef_
    assert np.array_equal(more, Perceptron(penalty="l1").fit(X, y).partial_fit(X, y).coef_)


# -- where rows come from -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("penalty", [None, "l2", "l1"])
def test_sparse_rows_give_the_model_of_dense_rows(penalty):
    """scikit-learn shrinks the steps of the intercept to a hundredth where rows are sparse; ours do not differ."""
    X, y = problem(d=6)
    X = np.where(rng.random(X.shape) < 0.5, X, 0.0)
    X[3] = 0.0
    options = {"penalty": penalty, "alpha": 1e-3, "tol": None, "max_iter": 6}
    whole, thin = Perceptron(**options).fit(X, y), Perceptron(**options).fit(sparse.csr_array(X), y)
    assert thin.coef_ == pytest.approx(whole.coef_, rel=1e-9, abs=1e-12)
    assert thin.intercept_ == pytest.approx(whole.intercept_, rel=1e-9)
    assert thin.predict(sparse.csc_array(X)).tolist() == whole.predict(X).tolist()


def test_a_sparse_matrix_of_zeros():
    model = Perceptron(tol=1e-3).fit(sparse.csr_array((6, 3)), [0, 0, 0, 0, 1, 1])
    assert (model.coef_ == 0).all()


def test_files_and_clusters_in_the_order_of_their_chunks(tmp_path):
    """Without shuffling, a table in a file or on a cluster gives the bits of the table in memory."""
    dask = pytest.importorskip("dask.array")
    X, y = problem(9000, 3)
    frame = pd.DataFrame(X, columns=list("abc")).assign(label=y)
    frame.to_parquet(tmp_path / "rows.parquet")
    options = {"shuffle": False, "max_iter": 4, "tol": None}
    expected = Perceptron(**options).fit(X, y)
    for model in (
        Perceptron(**options).fit(tmp_path / "rows.parquet", "label"),
        Perceptron(**options).fit(frame, "label"),
        Perceptron(**options).fit(dask.from_array(X, (2500, 3)), dask.from_array(y, 2500)),
    ):
        assert np.array_equal(model.coef_, expected.coef_)
        assert np.array_equal(model.intercept_, expected.intercept_)
        assert model.mistakes_ == expected.mistakes_
    batch = Perceptron(mode="batch", max_iter=5)
    found = quietly(batch, tmp_path / "rows.parquet", "label").coef_
    assert found == pytest.approx(quietly(batch, X, y).coef_, rel=1e-9)
    shuffled = Perceptron(max_iter=4, tol=None).fit(tmp_path / "rows.parquet", "label")
    assert shuffled.score(frame[list("abc")], y) > 0.8
    with pytest.raises(ValueError, match="early_stopping"):
        Perceptron(early_stopping=True).fit(tmp_path / "rows.parquet", "label")


def test_threads_change_nothing():
    X, y = problem(classes=4)
    assert np.array_equal(Perceptron(n_jobs=3, tol=1e-3).fit(X, y).coef_, Perceptron(tol=1e-3).fit(X, y).coef_)


# -- faults ---------------------------------------------------------------------------------------------------------


def test_rows_far_away():
    """Offsets of 1e9 change nothing; a column is moved only where it lies beyond 1000 deviations."""
    X, y = problem()
    X = np.round((X - X.mean(axis=0)) * 1024) / 1024
    plain = Perceptron(tol=1e-3).fit(X, y)
    for offset in (1e9, np.array([0.0, 1e6, -1e9, 1e12])):
        model = Perceptron(tol=1e-3).fit(X + offset, y)
        assert np.array_equal(model.coef_, plain.coef_)
        assert np.array_equal(model.decision_function(X + offset), plain.decision_function(X))
        thin = Perceptron(tol=1e-3).fit(sparse.csr_array(X + offset), y)
        assert np.array_equal(thin.predict(sparse.csr_array(X + offset)), plain.predict(X))
    near = Perceptron(tol=1e-3).fit(X + 64.0, y)
    assert np.array_equal(near.coef_, sklearn.linear_model.Perceptron().fit(X + 64.0, y).coef_)


def test_a_refused_chunk_changes_nothing():
    X, y = problem()
    model = Perceptron().partial_fit(X, y, classes=[0, 1, 2])
    before = {name: np.copy(value) for name, value in vars(model).items()}
    bad = X.copy()
    bad[7, 2] = np.nan
    for rows, labels, message in (
        (bad, y, "NaN: first at row 7, column 2"),
        (X, np.where(np.arange(len(y)) == 9, 5, y), "label 5 in y, first at row 9"),
        (X, y.astype(str), "label '"),
        (X[:, :3], y, "3 features"),
    ):
        with pytest.raises(ValueError, match=message):
            model.partial_fit(rows, labels)
    with pytest.raises(ValueError, match="row 4"):
        model.partial_fit(X, y, sample_weight=np.where(np.arange(len(y)) == 4, -1.0, 1.0))
    with pytest.raises(ValueError, match="sample_weight is zero"):
        model.partial_fit(X, y, sample_weight=np.zeros(len(y)))
    with pytest.raises(ValueError, match="last call"):
        model.partial_fit(X, y, classes=[0, 1])
    assert model.partial_fit(X[:0], y[:0]) is model
    assert all(np.array_equal(value, before[name]) for name, value in vars(model).items())
    assert not any(hasattr(model, name) for name in ("merge", "forget", "decay", "__add__", "__sub__"))


@pytest.mark.parametrize(
    ("options", "name"),
    [({"eta0": 0.0}, "eta0"), ({"mode": "both"}, "mode"), ({"alpha": -1.0}, "alpha"), ({"max_iter": 0}, "max_iter"),
     ({"penalty": "l3"}, "penalty"), ({"tol": -1.0}, "tol"), ({"class_weight": "even"}, "class_weight")],
)  # fmt: skip
def test_parameters_out_of_range(options, name):
    with pytest.raises(ValueError, match=f"The '{name}' parameter of Perceptron must be .* Got .* instead"):
        Perceptron(**options).fit(*problem())


def test_starts_that_do_not_fit():
    X, y = problem()
    with pytest.raises(ValueError, match="coef_init"):
        Perceptron().fit(X, y, coef_init=np.zeros((2, 4)))
    with pytest.raises(ValueError, match="intercept_init"):
        Perceptron().fit(X, y, intercept_init=[0.0, np.nan, 0.0])
    with pytest.raises(ValueError, match="classes must be passed"):
        Perceptron().partial_fit(X, y)
    with pytest.raises(ValueError, match="balanced"):
        Perceptron(class_weight="balanced").partial_fit(X, y, classes=[0, 1, 2])


def test_one_class_and_one_row():
    X, y = problem()
    assert Perceptron().fit(X, ["only"] * len(X)).predict(X).tolist() == ["only"] * len(X)
    assert Perceptron().fit(X[:1], y[:1]).predict(X).tolist() == [y[0]] * len(X)


def test_zero_weight_is_an_absent_row():
    X, y = problem()
    weight = np.arange(len(X)) % 3 * 0.5
    kept = weight > 0
    sick = np.where(kept[:, None], X, np.nan)
    model = Perceptron(tol=1e-3).fit(sick, y, sample_weight=weight)
    assert np.array_equal(model.coef_, Perceptron(tol=1e-3).fit(X[kept], y[kept], sample_weight=weight[kept]).coef_)


def test_verbose_tells_of_every_epoch(capsys):
    Perceptron(verbose=1, max_iter=3, tol=None).fit(*problem())
    assert capsys.readouterr().out.count("epoch") == 3
