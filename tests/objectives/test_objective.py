"""Objectives: value, gradient and Hessian against the formula and differences, on every kind of rows."""

import numpy as np
import pytest
import scipy.sparse as sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from sumlearn.data import Chunk
from sumlearn.objectives import L1, L2, Coding, ElasticNet, Frame, Free, LinearObjective, Logistic, Softmax, Squared
from sumlearn.objectives.frame import frame_of

from tests.objectives.problems import CLASSES, LOSSES, objective_of, outputs, plain_frame, rows, weights, written_out

each_loss = pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)


def some_point(objective, seed=2, size=0.3):
    return size * np.random.default_rng(seed).standard_normal(objective.start.shape)


def parts_of(point, frame):
    coef = frame.coefficients(point)
    return coef, frame.intercepts(coef, frame.levels(point))


def frames(X, intercept):
    """Three coordinate systems for the same rows."""
    mean = X.mean(axis=0) if intercept else np.zeros(X.shape[1])
    deviation = X.std(axis=0)
    return [
        plain_frame(X.shape[1], intercept),
        Frame(mean, deviation, intercept, standardised=False),
        Frame(mean, deviation, intercept, standardised=True),
    ]


@each_loss
@settings(max_examples=12)
@given(
    intercept=st.booleans(),
    weighted=st.booleans(),
    system=st.sampled_from([0, 1, 2]),
    alpha=st.sampled_from([0.0, 0.7]),
    seed=st.integers(0, 1000),
)
def test_value_gradient_and_hessian(loss, intercept, weighted, system, alpha, seed):
    X, y = rows(loss)
    weight = weights(len(X)) if weighted else None
    frame = frames(X, intercept)[system]
    objective = objective_of(loss, L2(), alpha, X, y, weight, frame, intercept)
    point = some_point(objective, seed)
    found = objective.expand(point, 2)
    assert found.value == pytest.approx(
        written_out(loss, L2(), alpha, X, y, weight, *parts_of(point, frame)), rel=1e-12
    )
    assert found.rows == (len(X) if weight is None else np.count_nonzero(weight))
    assert found.weight == pytest.approx(len(X) if weight is None else weight.sum())
    check_gradient(objective, point, found)
    if loss.name not in ("squared_hinge", "huber"):  # whose Hessians jump: differences may straddle a jump
        check_hessian(objective, point, found)


def check_gradient(objective, point, found, step=1e-6):
    """Central differences of the value, along every coordinate."""
    for k in range(point.size):
        e = np.zeros(point.size)
        e[k] = step
        e = e.reshape(point.shape)
        rise = (objective.expand(point + e, 0).value - objective.expand(point - e, 0).value) / (2 * step)
        assert found.gradient.ravel()[k] == pytest.approx(rise, rel=1e-5, abs=1e-4)


def check_hessian(objective, point, found, step=1e-6):
    assert found.hessian == pytest.approx(found.hessian.T, rel=1e-12)
    for k in range(point.size):
        e = np.zeros(point.size)
        e[k] = step
        e = e.reshape(point.shape)
        bend = (objective.expand(point + e).gradient - objective.expand(point - e).gradient) / (2 * step)
        largest = np.abs(found.hessian).max()
        assert found.hessian[k] == pytest.approx(bend.ravel(), rel=1e-4, abs=1e-6 * max(largest, 1.0))


@each_loss
def test_hessian_by_its_formula(loss):
    """sum_n s_n c_n (x, 1)(x, 1)' for one output, sum_n s_n (diag p - p p') x (x, 1)(x, 1)' for several."""
    X, y = rows(loss)
    s = weights(len(X))
    objective = objective_of(loss, Free(), 0.0, X, y, s)
    point = some_point(objective)
    Z = np.column_stack([X, np.ones(len(X))])
    f = Z @ point.T
    if loss.coding == "class":
        p = loss.curvature(y, f)
        bends = np.eye(CLASSES)[None] * p[:, :, None] - p[:, :, None] * p[:, None, :]
        expected = np.einsum("n,nkl,ni,nj->kilj", s, bends, Z, Z).reshape(point.size, point.size)
    else:
        expected = (Z * (s * loss.curvature(y, f[:, 0]))[:, None]).T @ Z
    found = objective.expand(point, 2).hessian
    assert found == pytest.approx(expected, rel=1e-10, abs=1e-12 * np.abs(expected).max())


@each_loss
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_product_is_the_hessian_times_a_direction(loss, intercept, kind):
    X, y = rows(loss)
    for frame in frames(X, intercept)[: 1 if kind == "sparse" else 3]:
        rows_of = sparse.csr_array(X) if kind == "sparse" else X
        objective = objective_of(loss, L2(), 0.7, rows_of, y, weights(len(X)), frame, intercept)
        point, direction = some_point(objective), some_point(objective, 3)
        expected = objective.expand(point, 2).hessian @ direction.ravel()
        assert objective.product(point, direction).ravel() == pytest.approx(expected, rel=1e-10, abs=1e-9)


@each_loss
def test_rows_of_weight_zero_are_absent(loss):
    """Even if they hold no numbers."""
    X, y = rows(loss)
    s = weights(len(X))
    kept = s > 0
    bad = X.copy()
    bad[~kept] = np.nan
    with_them = objective_of(loss, L2(), 0.7, bad, y, s)
    without = objective_of(loss, L2(), 0.7, X[kept], y[kept], s[kept])
    point = some_point(without)
    a, b = with_them.expand(point, 2), without.expand(point, 2)
    assert a.value == pytest.approx(b.value, rel=1e-14)
    assert a.gradient == pytest.approx(b.gradient, rel=1e-12)
    assert a.hessian == pytest.approx(b.hessian, rel=1e-12)
    assert (a.weight, a.rows) == (b.weight, b.rows)
    assert with_them.product(point, point) == pytest.approx(without.product(point, point), rel=1e-12)


@each_loss
def test_weight_two_is_the_row_twice(loss):
    X, y = rows(loss)
    s = np.random.default_rng(0).integers(0, 4, len(X))
    often = np.repeat(np.arange(len(X)), s)
    a = objective_of(loss, L2(), 0.7, X, y, s.astype(float))
    b = objective_of(loss, L2(), 0.7, X[often], y[often])
    point = some_point(a)
    assert a.expand(point).value == pytest.approx(b.expand(point).value, rel=1e-13)
    assert a.expand(point).gradient == pytest.approx(b.expand(point).gradient, rel=1e-10, abs=1e-10)


@each_loss
def test_sparse_rows_are_dense_rows(loss):
    X, y = rows(loss)
    X = np.where(np.abs(X) < 1.0, 0.0, X)
    s = weights(len(X))
    dense, thin = objective_of(loss, L2(), 0.7, X, y, s), objective_of(loss, L2(), 0.7, sparse.csr_array(X), y, s)
    assert thin.is_sparse and not dense.is_sparse
    point = some_point(dense)
    for order in (0, 1, 2):
        a, b = dense.expand(point, order), thin.expand(point, order)
        assert a.value == pytest.approx(b.value, rel=1e-13)
        assert a.gradient == pytest.approx(b.gradient, rel=1e-10, abs=1e-10)
        assert a.hessian == pytest.approx(b.hessian, rel=1e-10, abs=1e-9)


@each_loss
def test_single_precision(loss):
    X, y = rows(loss, n=2000)
    double, single = objective_of(loss, L2(), 0.7, X, y), objective_of(loss, L2(), 0.7, X.astype(np.float32), y)
    assert single.rounding == pytest.approx(1.2e-7, rel=0.1)
    point = some_point(double)
    a, b = double.expand(point, 2), single.expand(point, 2)
    assert a.value == pytest.approx(b.value, rel=1e-5)
    assert a.gradient == pytest.approx(b.gradient, rel=1e-3, abs=1e-4 * np.abs(a.gradient).max())


@each_loss
def test_an_offset_of_a_billion_in_standardised_coordinates(loss):
    """The same value, gradient and Hessian as without the offset, to the digits that rows at 1e9 still hold."""
    X, y = rows(loss)
    X = np.round(X * 1024) / 1024  # so that the offset is added without rounding
    deviation = X.std(axis=0)
    offset = 2.0**30
    centre = np.round((X.mean(axis=0)) * 1024) / 1024
    near = Frame(centre, deviation, True, standardised=True)
    far = Frame(centre + offset, deviation, True, standardised=True)
    a = objective_of(loss, L2(), 0.7, X, y, frame=near)
    b = objective_of(loss, L2(), 0.7, X + offset, y, frame=far)
    point = some_point(a)
    left, right = a.expand(point, 2), b.expand(point, 2)
    assert left.value == pytest.approx(right.value, rel=1e-13)
    assert left.gradient == pytest.approx(right.gradient, rel=1e-11, abs=1e-11)
    assert left.hessian == pytest.approx(right.hessian, rel=1e-11, abs=1e-11)


@each_loss
def test_chunks_add_up(loss):
    """Several chunks and threads, against one sum."""
    X, y = rows(loss, n=90_000, d=3)
    objective = objective_of(loss, Free(), 0.0, X, y)
    point = some_point(objective)
    found = objective.expand(point, 2)
    assert found.value == pytest.approx(
        written_out(loss, Free(), 0.0, X, y, None, point[:, :-1], point[:, -1]), rel=1e-11
    )
    once = objective_of(loss, Free(), 0.0, X, y, workers=1).expand(point, 2)
    assert np.array_equal(found.gradient, once.gradient)  # the merge tree knows no workers
    assert np.array_equal(found.hessian, once.hessian)


# -- penalties --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("penalty", [L1(), ElasticNet(0.4)], ids=repr)
@pytest.mark.parametrize("system", [0, 1, 2])
def test_penalties_with_kinks_are_left_to_prox(penalty, system):
    loss = Logistic()
    X, y = rows(loss)
    frame = frames(X, True)[system]
    objective = objective_of(loss, penalty, 0.7, X, y, None, frame)
    point = some_point(objective)
    coef, intercept = parts_of(point, frame)
    found = objective.expand(point)
    free = objective_of(loss, Free(), 0.0, X, y, None, frame).expand(point)
    assert found.value == pytest.approx(free.value, rel=1e-15)
    assert found.gradient == pytest.approx(free.gradient, rel=1e-15)
    assert objective.rough(point) == pytest.approx(0.7 * penalty.value(coef), rel=1e-12)
    total = found.value + objective.rough(point)
    assert total == pytest.approx(written_out(loss, penalty, 0.7, X, y, None, coef, intercept), rel=1e-12)
    # argmin |v - point|^2 / (2 step) + alpha Omega(coefficients of v): no other point near it costs less
    step = 0.05
    best = objective.prox(point, step)
    cost = proximal_cost(objective, point, step)
    rng = np.random.default_rng(0)
    for size in (1e-1, 1e-3):
        assert all(cost(best) <= cost(best + size * rng.standard_normal(best.shape)) for _ in range(50))
    assert best[:, -1] == pytest.approx(point[:, -1])  # the intercept is not penalised


def proximal_cost(objective, point, step):
    return lambda v: ((v - point) ** 2).sum() / (2 * step) + objective.rough(v)


def test_smooth_penalties_need_no_prox():
    loss = Logistic()
    X, y = rows(loss)
    objective = objective_of(loss, L2(), 0.7, X, y)
    point = some_point(objective)
    assert objective.rough(point) == 0.0
    assert objective.prox(point, 0.1) is point


def test_the_intercept_is_not_penalised():
    loss = Logistic()
    X, y = rows(loss)
    objective = objective_of(loss, L2(), 0.7, X, y)
    point = some_point(objective)
    assert objective.penalty_gradient(point)[:, -1] == 0.0
    assert objective.penalty_curvature(point)[:, -1] == 0.0
    assert (objective.penalty_gradient(point)[:, :-1] == 0.7 * point[:, :-1]).all()


# -- margins ----------------------------------------------------------------------------------------------------------


def test_margins_are_taken_where_they_tell_something():
    loss = Logistic()
    X, y = rows(loss)
    point = np.array([[1.0, 0.0, 0.0, 0.0, 0.0]])
    free = objective_of(loss, Free(), 0.0, X, y)
    assert free.expand(point).margin == pytest.approx((y * X[:, 0]).min())
    assert objective_of(loss, L2(), 1.0, X, y).expand(point).margin == -np.inf
    assert objective_of(Squared(), Free(), 0.0, X, y).expand(point).margin == -np.inf


# -- samples and batches ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", [Logistic(), Softmax(), Squared()], ids=lambda loss: loss.name)
def test_a_sample_stands_for_all_rows(loss):
    """Samples that start at different rows: their mean is the whole; each is near it."""
    X, y = rows(loss, n=8000)
    s = weights(len(X))
    frame = Frame(X.mean(axis=0), X.std(axis=0), True, standardised=False)
    whole = objective_of(loss, L2(), 0.7, X, y, s, frame)
    point = some_point(whole)
    expected = whole.expand(point, 2)
    values, gradients = [], []
    for first in range(8):
        order = np.roll(np.arange(len(X)), -first)
        sample = objective_of(loss, L2(), 0.7, X[order], y[order], s[order], frame).thinned(8)
        found = sample.expand(point, 2)
        values.append(found.value)
        gradients.append(found.gradient)
        assert sample.source.X.dtype == np.float32
        assert found.value == pytest.approx(expected.value, rel=0.1)
        assert found.hessian == pytest.approx(expected.hessian, rel=0.5, abs=0.2 * np.abs(expected.hessian).max())
    assert np.mean(values) == pytest.approx(expected.value, rel=1e-5)
    assert np.mean(gradients, axis=0) == pytest.approx(expected.gradient, rel=1e-3, abs=1e-4 * len(X))


def test_a_sample_needs_rows_that_can_be_chosen():
    X, y = rows(Logistic())
    assert objective_of(Logistic(), L2(), 1.0, sparse.csr_array(X), y).thinned(4) is None


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_batches_hold_every_row_once(kind, size):
    X, y = rows(Logistic())
    X[:, 0] = np.arange(len(X))
    s = weights(len(X))
    objective = objective_of(Logistic(), L2(), 1.0, sparse.csr_array(X) if kind == "sparse" else X, y, s)
    seen = []
    for batch in objective.batches(size, 5):
        part = batch.X.toarray() if kind == "sparse" else batch.X
        assert 1 <= len(part) <= size
        number = part[:, 0].astype(int)
        assert np.array_equal(part, X[number]) and np.array_equal(batch.y, y[number])
        assert np.array_equal(batch.weight, s[number])
        seen.extend(number)
    assert sorted(seen) == np.flatnonzero(s).tolist()
    assert seen != sorted(seen)
    again = [row for batch in objective.batches(size, 5) for row in np.ravel(batch.y)]
    assert again == [y[i] for i in seen]  # the seed decides the order


def test_gradients_of_batches_add_up():
    X, y = rows(Logistic())
    s = weights(len(X))
    objective = objective_of(Logistic(), L2(), 0.7, X, y, s)
    point = some_point(objective)
    total = sum(objective.gradient_of(batch, point) for batch in objective.batches(7, 0))
    expected = objective.expand(point).gradient - objective.penalty_gradient(point)
    assert total == pytest.approx(expected, rel=1e-12)


# -- coding and frames ------------------------------------------------------------------------------------------------


def test_coding():
    chunk = Chunk(np.zeros((4, 1)), np.array(["b", "a", "c", "b"]), np.array([1.0, 2.0, 3.0, 4.0]))
    classes = np.array(["a", "b", "c"])
    assert Coding(classes)(chunk).y.tolist() == [1, 0, 2, 1]
    assert Coding(classes, positive=1)(chunk).y.tolist() == [1.0, -1.0, -1.0, 1.0]
    weighted = Coding(classes, 1, np.array([1.0, 10.0, 100.0]))
    assert weighted(chunk).weight.tolist() == [10.0, 2.0, 300.0, 40.0]
    assert weighted(chunk._replace(weight=None)).weight.tolist() == [10.0, 1.0, 100.0, 10.0]


def test_labels_are_coded_in_memory_or_chunk_by_chunk():
    """The same objective, whether labels are numbers beforehand or not."""
    from sumlearn.data.source import ArraySource

    X, y = rows(Logistic())
    labels = np.where(y > 0, "yes", "no")
    coding = Coding(np.array(["no", "yes"]), 1, np.array([1.0, 3.0]))
    source = ArraySource(X, labels, None)
    parts = {"loss": Logistic(), "penalty": L2(), "alpha": 1.0, "frame": plain_frame(4, True)}
    early, late = LinearObjective.over(source, coding, **parts), LinearObjective(source=source, coding=coding, **parts)
    assert early.coding is None and source.y is labels
    point = some_point(early)
    assert early.expand(point).value == pytest.approx(late.expand(point).value, rel=1e-15)
    expected = objective_of(Logistic(), L2(), 1.0, X, y, np.where(y > 0, 3.0, 1.0)).expand(point)
    assert early.expand(point).value == pytest.approx(expected.value, rel=1e-14)
    assert late.thinned(4) is None
    batch = next(late.batches(5, 0))
    assert set(batch.y) <= {-1.0, 1.0} and set(batch.weight) <= {1.0, 3.0}


@settings(max_examples=40)
@given(
    outputs=st.integers(1, 3),
    intercept=st.booleans(),
    offset=st.sampled_from([0.0, 1e3, 1e9]),
    scale=st.sampled_from([1e-5, 1.0, 1e5]),
)
def test_points_and_coefficients_are_two_views(outputs, intercept, offset, scale):
    rng = np.random.default_rng(0)
    unit, centre = scale * rng.uniform(0.5, 2.0, 4), offset * rng.standard_normal(4)
    frame = Frame(centre if intercept else np.zeros(4), unit, intercept, standardised=False)
    coef, intercepts = rng.standard_normal((outputs, 4)), rng.standard_normal(outputs)
    point = frame.point(coef, intercepts)
    assert point.shape == (outputs, frame.size)
    assert frame.coefficients(point) == pytest.approx(coef, rel=1e-14)
    back = frame.intercepts(coef, frame.levels(point))
    expected = intercepts if intercept else np.zeros(outputs)
    assert back == pytest.approx(expected, rel=1e-13, abs=1e-13 * (1 + np.abs(coef @ centre).max()))
    X = centre + unit * rng.standard_normal((5, 4))
    for standardised in (False, True):
        system = Frame(frame.centre, unit, intercept, standardised)
        weights, constant = system.scoring(point)
        scores = system.rows(X) @ weights.T + constant
        exact = ((X - frame.centre) / unit) @ point[:, :4].T + frame.levels(point)
        assert scores == pytest.approx(exact, rel=1e-6, abs=1e-6 * (1 + 1e-9 * offset / scale))


def test_which_rows_are_standardised():
    one = np.ones(2)
    assert not frame_of(10.0 * one, one, True, np.float64).standardised
    assert frame_of(1e9 * one, one, True, np.float64).standardised
    assert frame_of(10.0 * one, one, True, np.float32).standardised  # narrower: sooner
    assert not frame_of(1e9 * one, one, False, np.float64).standardised  # there is nothing to take off
    assert frame_of(0.0 * one, 1e-120 * one, True, np.float64).standardised
    for deviation in (1e-160, 1e160):  # squares would not be numbers
        with pytest.raises(ValueError, match="column 1"):
            frame_of(0.0 * one, np.array([1.0, deviation]), True, np.float64)
    constant = frame_of(3.0 * one, 0.0 * one, True, np.float64)
    assert constant.unit.tolist() == [1.0, 1.0]


def test_outputs_by_loss():
    assert [outputs(loss) for loss in LOSSES].count(CLASSES) == 1
