"""Local lines against weighted least squares for each centre; adding, unlearning, files and clusters."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.linear_model import LinearRegression

import sumlearn
from sumlearn import LocalRegression, TableModel, UnifiedModel, cross_validate, load, save
from sumlearn.features import gaussian_weights
from sumlearn.learners.ability import sums_by_row
from sumlearn.learners.fitted import Holder
from sumlearn.learners.local.parts.placed_sums import PlacedSums
from sumlearn.learners.local.parts.places import Places, kmeans, widths_of
from sumlearn.statistics import RowSample
from sumlearn.testing import assert_same_model
from sumlearn.testing.learners import Laws

CENTRES = np.array([[0.0, 0.0], [1.0, -1.0], [-1.0, 1.5], [0.5, 2.0]])


def problem(rows=200, columns=2, seed=0):
    rng = np.random.default_rng(seed)
    X = np.round(rng.standard_normal((rows, columns)) * 1024) / 1024
    return X, np.sin(2 * X[:, 0]) + X[:, -1] ** 2 + 0.1 * rng.standard_normal(rows)


def gaussians(X, centres, widths):
    return np.exp(-0.5 * (((X[:, None] - centres) / widths) ** 2).sum(axis=2))


def by_formula(X, y, Q, centres, widths, normalise, weight=1.0):
    phi, at = gaussians(X, centres, widths), gaussians(Q, centres, widths)
    lines = [LinearRegression().fit(X, y, sample_weight=phi[:, e] * weight).predict(Q) for e in range(len(centres))]
    total = sum(at[:, [e]] * np.reshape(line, (len(Q), -1)) for e, line in enumerate(lines))
    total = total / at.sum(axis=1, keepdims=True) if normalise else total
    return total.reshape(lines[0].shape)


@pytest.mark.parametrize("normalise", [True, False])
@pytest.mark.parametrize("width", [0.7, [0.5, 1.0, 2.0, 0.8], np.linspace(0.4, 2.0, 8).reshape(4, 2)])
def test_weighted_least_squares_for_every_centre(normalise, width):
    X, y = problem()
    weight = np.random.default_rng(1).uniform(0.2, 3.0, len(X))
    widths = np.broadcast_to(np.asarray(width) if np.ndim(width) != 1 else np.reshape(width, (4, 1)), (4, 2))
    model = LocalRegression(CENTRES, width, normalise=normalise).fit(X, y, sample_weight=weight)
    Q = X[:50] + 0.1
    wanted = by_formula(X, y, Q, CENTRES, widths, normalise, weight)
    np.testing.assert_allclose(model.predict(Q), wanted, rtol=0, atol=1e-10)
    phi = gaussians(X, CENTRES, widths) * weight[:, None]
    for e in range(4):
        line = LinearRegression().fit(X, y, sample_weight=phi[:, e])
        np.testing.assert_allclose(model.slopes_[e], line.coef_, rtol=1e-9)
        np.testing.assert_allclose(model.intercepts_[e], line.intercept_, rtol=1e-9)
        noise = np.average((y - line.predict(X)) ** 2, weights=phi[:, e])
        np.testing.assert_allclose(model.noise_variance_[e], noise, rtol=1e-9)


def test_several_targets():
    X, y = problem()
    Y = np.column_stack([y, X[:, 0] - 3 * y])
    model = LocalRegression(CENTRES, 0.9).fit(X, Y)
    np.testing.assert_allclose(model.predict(X), by_formula(X, Y, X, CENTRES, np.full((4, 2), 0.9), True), atol=1e-10)
    assert model.slopes_.shape == (4, 2, 2) and model.intercepts_.shape == model.noise_variance_.shape == (4, 2)


def test_the_notes_form_over_counts_where_bumps_overlap():
    x = np.linspace(0, 1, 50)[:, None]
    model = LocalRegression([0.3, 0.7], 1.0, normalise=False).fit(x, np.ones(50))
    assert model.predict([[0.5]])[0] == pytest.approx(2 * np.exp(-0.02), abs=1e-12)
    assert model.set_params(normalise=True).predict([[0.5]])[0] == pytest.approx(1.0, abs=1e-12)


LEARNERS = [
    LocalRegression([[0.0, 0.0], [1.0, -1.0]], 0.9),
    LocalRegression(CENTRES, normalise=False),
    LocalRegression(3, placing="grid", domain=[(-2, 2), (-3, 3)]),
    UnifiedModel(CENTRES, 1.1),
    UnifiedModel(2, placing="grid", domain=(-2, 2), normalise=False, alpha=0.1),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_given_centres_add_up(learner):
    X, y = problem(120)
    assert sums_by_row(learner)
    laws = Laws(learner, X, y, 1e-9)
    laws.of_merge()
    laws.of_update()
    laws.of_fits()
    laws.of_decay()
    laws.of_refusals()
    Laws(learner, X, y, 1e-8).of_forget()


@settings(max_examples=15)
@given(data=st.data())
def test_drawn_places_add_up(data):
    E, d = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 3))
    kind = data.draw(st.sampled_from([LocalRegression, UnifiedModel]))
    X, y = problem(150, d, seed=E)
    # under Gaussians far wider than the data all lines of a UnifiedModel are one line, but for rounding
    widths = [0.6, 1.5] if kind is UnifiedModel else [0.6, 1.5, 40.0]
    learner = kind(X[:E], data.draw(st.sampled_from(widths)), normalise=data.draw(st.booleans()))
    parts = np.array_split(np.random.default_rng(0).permutation(150), data.draw(st.integers(2, 6)))
    total = sum(clone(learner).fit(X[i], y[i]) for i in parts)
    assert_same_model(total, clone(learner).fit(X, y), X, 1e-8)


def test_placed_centres_travel_with_the_sums():
    X, y = problem()
    model = LocalRegression(5).fit(X[:100], y[:100])
    assert not sums_by_row(model)
    before = model.centres_.copy()
    model.partial_fit(X[100:], y[100:])
    assert np.array_equal(model.centres_, before)
    given = LocalRegression(model.centres_, model.widths_).fit(X, y)
    assert_same_model(model, given, X, 1e-12)
    assert_same_model(model.forget(X[100:], y[100:]), LocalRegression(5).fit(X[:100], y[:100]), X, 1e-9)
    assert_same_model(LocalRegression(5).solve(model.statistic_), model, X, 0.0)
    with pytest.raises(ValueError, match="around different centres"):
        model + LocalRegression(5).fit(X[100:], y[100:])
    assert not hasattr(model, "restrict")  # the weights of these sums depend on every column
    for change in ({"width": 3.0}, {"centres": 4}, {"placing": "grid"}, {"centres": CENTRES}):
        with pytest.raises(ValueError, match="fit anew"):
            clone(model).set_params(**change).solve(model.statistic_)


@pytest.mark.parametrize("kind", [LocalRegression, UnifiedModel])
@pytest.mark.parametrize("placing", ["kmeans", "grid"])
def test_placing_does_not_depend_on_order_copies_or_chunks(kind, placing):
    X, y = problem()
    model = kind(4, placing=placing)
    whole = clone(model).fit(X, y)
    order = np.random.default_rng(0).permutation(len(X))
    twice = np.repeat(order, 2)
    for rows in (order, twice):
        assert_same_model(clone(model).fit(X[rows], y[rows]), whole, X, 1e-9)
    weight = (np.arange(len(X)) % 3 > 0) * 1.0
    part = weight > 0
    assert_same_model(clone(model).fit(X, y, sample_weight=weight), clone(model).fit(X[part], y[part]), X, 1e-9)


@pytest.mark.parametrize("kind", [LocalRegression, UnifiedModel])
@pytest.mark.parametrize("centres", [4, CENTRES])
def test_files_and_clusters(kind, centres, tmp_path):
    pandas = pytest.importorskip("pandas")
    array = pytest.importorskip("dask.array")
    X, y = problem(5000)
    frame = pandas.DataFrame(X, columns=["a", "b"]).assign(y=y)
    frame.to_parquet(tmp_path / "t.parquet", row_group_size=900)
    wanted = kind(centres).fit(X, y)
    file = kind(centres).fit(str(tmp_path / "t.parquet"), "y")
    np.testing.assert_allclose(file.predict(frame[["a", "b"]]), wanted.predict(X), rtol=0, atol=1e-9)
    blocks = kind(centres).fit(array.from_array(X, chunks=(900, 2)), array.from_array(y, chunks=900))
    np.testing.assert_allclose(blocks.predict(X), wanted.predict(X), rtol=0, atol=1e-9)


def test_saved_models_go_on_learning(tmp_path):
    X, y = problem()
    made = UnifiedModel.from_local_regression(LocalRegression(3).fit(X, y))
    for learner in (LocalRegression(4), UnifiedModel(CENTRES), made):
        model = learner if hasattr(learner, "given_") else learner.fit(X[:150], y[:150])
        sumlearn.save(model, tmp_path / "m.sumlearn")
        copy = sumlearn.load(tmp_path / "m.sumlearn")
        assert np.array_equal(copy.predict(X), model.predict(X))
        if not hasattr(learner, "given_"):
            copy.partial_fit(X[150:], y[150:])
            assert_same_model(copy, model.partial_fit(X[150:], y[150:]), X, 0.0)


def test_cross_validation_is_that_of_refits():
    from sklearn.model_selection import KFold, cross_val_score

    X, y = problem()
    for model in (LocalRegression(CENTRES, 0.9), LocalRegression(4), UnifiedModel(CENTRES, 0.9)):
        found = cross_validate(model, X, y, cv=KFold(4), scoring="neg_mean_squared_error")["test_score"]
        wanted = cross_val_score(clone(model), X, y, cv=KFold(4), scoring="neg_mean_squared_error")
        np.testing.assert_allclose(found, wanted, rtol=1e-8)


@pytest.mark.parametrize("kind", [LocalRegression, UnifiedModel])
def test_offsets_and_scales_change_nothing(kind):
    X, y = problem()
    plain = kind(5).fit(X, y).predict(X)
    for factor, offset in ((1.0, 1e9), (2.0**-500, 0.0), (2.0**300, 0.0)):
        moved = X * factor + offset
        np.testing.assert_allclose(kind(5).fit(moved, y).predict(moved), plain, rtol=0, atol=1e-6)


def test_far_queries_follow_the_nearest_line():
    X, y = problem()
    model = LocalRegression(CENTRES, 0.5).fit(X, y)
    far = np.array([[300.0, 0.0], [0.0, 4000.0]])
    nearest = ((far[:, None] - CENTRES) ** 2).sum(axis=2).argmin(axis=1)
    wanted = (model.slopes_[nearest] * far).sum(axis=1) + model.intercepts_[nearest]
    np.testing.assert_allclose(model.predict(far), wanted, rtol=1e-9)
    assert (LocalRegression(CENTRES, 0.5, normalise=False).fit(X, y).predict(far) == 0).all()
    assert np.isfinite(model.predict([[1e300, -1e300]])).all()


def test_a_centre_without_rows_has_the_line_of_all():
    X, y = problem()
    lonely = np.vstack([CENTRES, [[1e4, 1e4]]])
    model = LocalRegression(lonely, 0.5).fit(X, y)
    line = LinearRegression().fit(X, y)
    np.testing.assert_allclose(model.slopes_[4], line.coef_, rtol=1e-9)
    np.testing.assert_allclose(model.predict([[1e4, 1e4]]), line.predict([[1e4, 1e4]]), rtol=1e-9)


def test_few_rows_and_constant_columns():
    assert np.allclose(LocalRegression().fit([[3.0, 1.0]], [5.0]).predict([[0.0, 0.0], [9.0, 9.0]]), 5.0)
    X, y = problem(60)
    wide = np.column_stack([X, np.full(60, 4.0)])
    model = LocalRegression(4).fit(wide, y)
    assert (model.widths_[:, 2] == np.inf).all() and (model.slopes_[:, 2] == 0).all()
    plain = LocalRegression(4).fit(X, y).predict(X)
    np.testing.assert_allclose(model.predict(np.column_stack([X, np.full(60, -9.0)])), plain, rtol=1e-9)


def test_draws_have_the_noise_around_the_lines():
    rng = np.random.default_rng(0)
    x = rng.uniform(-3, 3, (4000, 1))
    y = 2 * x[:, 0] + np.where(x[:, 0] > 0, 1.0, 0.1) * rng.standard_normal(4000)
    model = LocalRegression([-2.0, 2.0], 0.7).fit(x, y)
    np.testing.assert_allclose(np.sqrt(model.noise_variance_), [0.1, 1.0], rtol=0.15)
    at = np.array([[-2.0], [2.0]])
    draws = np.stack([model.sample(at, random_state=seed) for seed in range(3000)])
    np.testing.assert_allclose(draws.std(axis=0), [0.1, 1.0], rtol=0.15)
    np.testing.assert_allclose(draws.mean(axis=0), model.predict(at), atol=0.06)


@pytest.mark.parametrize("kind", [LocalRegression, UnifiedModel])
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"centres": 0}, "centres must be a whole number of at least 1, got 0"),
        ({"centres": 2.5}, "centres must be a whole number"),
        ({"centres": [[0.0, np.nan]]}, "centres must be finite"),
        ({"centres": [[0.0, 1.0, 2.0]]}, r"centres must have shape \(M, 2\)"),
        ({"centres": [[0.0, 1.0]]}, "width='auto' needs at least two different centres"),
        ({"width": 0.0}, "width must be positive, got 0"),
        ({"width": -1.0}, "width must be positive, got -1"),
        ({"width": np.nan}, "width must be finite"),
        ({"width": "wide"}, "width must be one of 'auto', got 'wide'"),
        ({"centres": CENTRES, "width": [1.0, 2.0]}, "width must be one number, one for each of 4 centres"),
        ({"placing": "random"}, "placing must be one of 'kmeans', 'grid', got 'random'"),
        ({"placing": "grid", "domain": (2.0, 1.0)}, "domain must have low < high"),
    ],
)
def test_bad_parameters(kind, parameters, message):
    X, y = problem(40)
    with pytest.raises(ValueError, match=message):
        kind(**parameters).fit(X, y)


def test_bad_values_are_named():
    X, y = problem(40)
    bad = X.copy()
    bad[23, 1] = np.inf
    for centres in (4, CENTRES):
        with pytest.raises(ValueError, match="Input X contains infinity: first at row 23, column 1"):
            LocalRegression(centres).fit(bad, y)
        with pytest.raises(ValueError, match="sample_weight is zero for every row"):
            LocalRegression(centres).fit(X, y, sample_weight=np.zeros(40))


def test_the_sample_of_rows_is_a_sum():
    X = np.random.default_rng(0).standard_normal((500, 3))
    whole = RowSample.of(X, size=50)
    parts = sum(RowSample.of(X[i::7], size=50) for i in range(7))
    assert np.array_equal(whole.X, parts.X) and len(whole.X) == 50 and parts.count == 500
    assert np.array_equal(RowSample.of(np.repeat(X, 3, axis=0), size=50).X, whole.X)
    assert abs(whole.X.mean()) < 0.3


def test_kmeans_finds_clusters_and_rows():
    rng = np.random.default_rng(0)
    true = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]])
    rows = true[np.arange(300) % 3] + 0.1 * rng.standard_normal((300, 2))
    found = kmeans(rows, 3)
    assert cdist(true, found).min(axis=1).max() < 0.05
    assert len(kmeans(np.ones((5, 2)), 3)) == 1


def test_widths_by_rule():
    centres = np.array([[0.0], [1.0], [3.0]])
    np.testing.assert_allclose(widths_of(centres, "auto", np.ones(1), 1.0)[:, 0], [2.0, 1.5, 2.5])
    np.testing.assert_allclose(widths_of(centres, "auto", np.array([10.0]), 0.5)[:, 0], [1.0, 0.75, 1.25])
    X, y = problem()
    np.testing.assert_allclose(2 * LocalRegression(5).fit(X, y).widths_, UnifiedModel(5).fit(X, y).widths_)


@pytest.mark.parametrize("kind", [LocalRegression, UnifiedModel])
def test_given_centres_inside_a_table(kind):
    """Centres are in the features of the table, whatever kinds its columns have."""
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame({"a": rng.standard_normal(200), "c": rng.choice(["u", "v"], 200)})
    y = np.sin(2 * frame["a"].to_numpy()) + (frame["c"] == "u")
    learner = kind(centres=[[-1.0, 0.5], [0.0, 0.5], [1.0, 0.5]], width=1.0)
    model = TableModel(learner).fit(frame, y)
    alone = clone(learner).fit(model.features_of(frame), y)
    np.testing.assert_allclose(model.predict(frame), alone.predict(model.features_of(frame)), rtol=1e-12)
    assert not hasattr(model, "partial_fit")
    with pytest.raises(ValueError, match=r"centres must have shape \(M, 2\), one column for each of X, got \(1, 3\)"):
        TableModel(kind(centres=[[0.0, 0.0, 0.0]], width=1.0)).fit(frame, y)


# -- full covariances -------------------------------------------------------------------------------------------------


def tilted(E, seed=0):
    """Covariances of two columns that lean."""
    roots = np.random.default_rng(seed).uniform(0.3, 0.9, (E, 2, 2)) * [[1.0, 0.0], [1.0, 1.0]]
    return roots @ roots.transpose(0, 2, 1)


@pytest.mark.parametrize("E", [1, 2, 3])
@pytest.mark.parametrize("each", [False, True])
def test_full_covariances_against_weighted_least_squares(E, each):
    """Every line is least squares with the weights exp(-(x - mu)'Sigma^-1 (x - mu) / 2), also where E is d."""
    rng = np.random.default_rng(0)
    X, centres = rng.uniform(-1, 1, (80, 2)), rng.uniform(-1, 1, (E, 2))
    y = np.sin(3 * X[:, 0]) + X[:, 1] ** 2
    S = tilted(E) if each else np.broadcast_to(tilted(1)[0], (E, 2, 2))
    model = LocalRegression(centres, width=S if each else S[0]).fit(X, y)
    phi = np.stack([gaussian_weights(X, mu, sigma) for mu, sigma in zip(centres, S, strict=True)], axis=1)
    lines = [LinearRegression().fit(X, y, sample_weight=phi[:, e]) for e in range(E)]
    assert model.slopes_ == pytest.approx(np.array([line.coef_ for line in lines]), rel=1e-9)
    blend = sum(phi[:, e] * lines[e].predict(X) for e in range(E)) / phi.sum(axis=1)
    assert model.predict(X) == pytest.approx(blend, rel=1e-9)
    assert model.covariances_ == pytest.approx(S)
    assert model.widths_ == pytest.approx(np.sqrt(np.einsum("ejj->ej", S)))


def test_models_with_covariances_add_up_and_are_saved(tmp_path):
    rng = np.random.default_rng(1)
    X, centres = rng.uniform(-1, 1, (80, 2)), [[-0.5, 0.0], [0.5, 0.0]]
    y = X[:, 0] * X[:, 1]
    one, two, both = (LocalRegression(centres, tilted(2)).fit(X[i], y[i]) for i in (np.s_[:40], np.s_[40:], np.s_[:]))
    assert (one + two).predict(X) == pytest.approx(both.predict(X), rel=1e-10)
    assert (both - two).predict(X) == pytest.approx(one.predict(X), rel=1e-7)
    save(both, tmp_path / "model")
    assert np.array_equal(load(tmp_path / "model").predict(X), both.predict(X))
    with pytest.raises(ValueError, match="different centres"):
        _ = one.statistic_ + LocalRegression(centres, width=tilted(1)[0]).fit(X, y).statistic_


def test_a_square_matrix_is_a_covariance_or_refused():
    X = np.random.default_rng(0).uniform(-1, 1, (30, 2))
    y, centres = X[:, 0], [[-0.5, 0.0], [0.5, 0.0]]
    S = np.array([[0.5, 0.2], [0.2, 0.4]])
    assert np.array_equal(
        LocalRegression(centres, S).fit(X, y).predict(X),
        LocalRegression(centres, np.stack([S, S])).fit(X, y).predict(X),
    )
    for width, message in (
        ([[0.5, 0.2], [0.3, 0.4]], "must be symmetric"),
        ([[0.5, 2.0], [2.0, 0.4]], "must be positive definite"),
        (np.stack([S, S, S]), r"\(2, 2\) or \(2, 2, 2\), got \(3, 2, 2\)"),
        (np.ones((3, 2)), r"covariances \(2, 2\)"),
    ):
        with pytest.raises(ValueError, match=message):
            LocalRegression(centres, width).fit(X, y)


def test_sums_of_the_first_release_keep_their_deviations():
    """There, deviations of two centres in two columns were a square matrix: such a model goes on."""
    X = np.random.default_rng(0).uniform(-1, 1, (30, 2))
    centres, deviations = np.array([[-0.5, 0.0], [0.5, 0.0]]), np.array([[0.5, 0.2], [0.3, 0.4]])
    places = Places(centres, deviations)
    model = LocalRegression(centres, deviations)
    model.statistic_ = PlacedSums.of(X, X[:, 0] ** 2, None, places, "", "separate")
    model.n_features_in_, model._holder = 2, Holder()
    wide = np.stack([np.diag(row**2) for row in deviations])
    assert model.predict(X) == pytest.approx(LocalRegression(centres, wide).fit(X, X[:, 0] ** 2).predict(X), rel=1e-9)
