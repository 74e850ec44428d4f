"""Backpropagation: slopes of every activation, head and depth against differences, and what layers are made of."""

import numpy as np
import pytest

from sumlearn.learners.networks.activations import ACTIVATIONS, ELU, LeakyReLU, Maxout, activation_of
from sumlearn.learners.networks.parts.heads import HEADS
from sumlearn.learners.networks.parts.initialisation import first_weights
from sumlearn.learners.networks.parts.network import NO_CHANCE, Network

KINDS = [*dict.fromkeys(ACTIVATIONS.values()), LeakyReLU(0.3), ELU(0.5), Maxout(3)]


def targets(head, rows, outputs, rng):
    if head == "softmax":
        return rng.integers(0, outputs, rows)
    if head == "logistic":
        return rng.integers(0, 2, (rows, outputs)).astype(float)
    return np.abs(rng.standard_normal((rows, outputs))) if head == "exp" else rng.standard_normal((rows, outputs))


def network_of(units, f, head, seed=0, dtype=np.float64, device=None):
    network = Network(units, f, HEADS[head], dtype, device=device)
    return network.begin(*first_weights(units, f, 0.7, np.random.RandomState(seed)))


@pytest.mark.parametrize("units", [[3, 2], [3, 4, 2], [3, 5, 4, 3]], ids=str)
@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("f", KINDS, ids=repr)
def test_slopes_are_those_of_the_loss(f, head, units):
    """Central differences of the loss, in every weight; with weights of rows and with decay."""
    rng = np.random.default_rng(1)
    network = network_of(units, f, head)
    X, y = rng.standard_normal((6, units[0])), targets(head, 6, units[-1], rng)
    share = rng.random(6)
    network.weights += 0.05 * rng.standard_normal(len(network.weights))
    network.loss(X, y, share, 0.3)
    found, point, step = network.slopes.copy(), network.weights.copy(), 1e-6
    for place in range(len(point)):
        sides = []
        for sign in (1.0, -1.0):
            network.weights[:] = point
            network.weights[place] += sign * step
            sides.append(network.loss(X, y, share, 0.3))
        assert found[place] == pytest.approx((sides[0] - sides[1]) / (2.0 * step), rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("f", KINDS, ids=repr)
def test_slopes_on_tensors_are_the_same(f, head):
    """The road of a device: every activation and head, with weights of rows and decay."""
    pytest.importorskip("torch", reason="torch is not installed")
    rng = np.random.default_rng(1)
    X, y, share = rng.standard_normal((6, 3)), targets(head, 6, 2, rng), rng.random(6)
    losses, slopes = [], []
    for device in (None, "cpu"):
        network = network_of([3, 5, 4, 2], f, head, device=device)
        losses.append(float(network.loss(*map(network.do.array, (X, y, share)), 0.3)))
        slopes.append(network.do.numbers(network.slopes))
    assert losses[1] == pytest.approx(losses[0], rel=1e-12)
    assert slopes[1] == pytest.approx(slopes[0], rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("f", [kind for kind in KINDS if kind.pieces == 1], ids=repr)
def test_value_and_slope(f):
    z = np.array([-3.0, -0.5, 0.2, 4.0])
    differences = (f.value(z + 1e-6) - f.value(z - 1e-6)) / 2e-6
    assert f.slope(f.value(z)) == pytest.approx(differences, rel=1e-6)


def test_activations_by_hand():
    """The lecture notes' leaky ReLU has a tenth of the slope, ELU tends to -1, Maxout takes the larger sum."""
    assert activation_of("leaky_relu").value(np.array([-2.0, 3.0])).tolist() == [-0.2, 3.0]
    assert activation_of("elu").value(np.array([-50.0, 0.5])) == pytest.approx([-1.0, 0.5])
    z = np.array([[1.0, -3.0, 0.5, 2.0], [1.0, 1.0, 1.0, 0.0]])
    assert Maxout().value(z).tolist() == [[1.0, 2.0], [1.0, 1.0]]
    assert Maxout().slope(z).tolist() == [[1.0, 0.0, 0.0, 1.0], [1.0, 1.0, 0.0, 0.0]]  # of equal ones the first
    assert activation_of("sigmoid") is activation_of("logistic")
    with pytest.raises(ValueError, match="activation must be one of .*'maxout'.*, got 'swish'"):
        activation_of("swish")


@pytest.mark.parametrize("dropout", [0.2, 0.5, 0.8])
def test_dropout_leaves_the_mean(dropout):
    """Inverted scaling: over many draws the outputs are those without dropout; a share of them is silent."""
    a, random = np.full((400, 50), 2.0), np.random.default_rng(0)
    network = Network([2, 50, 1], ACTIVATIONS["relu"], HEADS["identity"], np.float64, [dropout])
    out, factors = network.do.silenced("layer", a, dropout, random)
    silent = (out == 0.0).mean()
    assert silent == pytest.approx(dropout, abs=4.0 * np.sqrt(dropout * (1 - dropout) / a.size))
    assert out.mean() == pytest.approx(2.0, abs=4.0 * 2.0 * np.sqrt(dropout / (1 - dropout) / a.size))
    assert set(np.unique(factors).round(12)) == {0.0, round(1.0 / (1.0 - dropout), 12)}


def test_silent_units_learn_nothing():
    """With the same silent units forward and backward, slopes are those of the network without them."""
    network = Network([2, 40, 1], ACTIVATIONS["tanh"], HEADS["identity"], np.float64, [0.5])
    network.begin(*first_weights([2, 40, 1], network.f, 1.0, np.random.RandomState(0)))
    network.loss(np.ones((1, 2)), np.zeros((1, 1)), np.ones(1), 0.0, np.random.default_rng(0))
    layer = network.layers[0]
    silent = layer.factors[0] == 0.0
    assert 5 < silent.sum() < 35
    assert not layer.dW[:, silent].any()
    assert layer.dW[:, ~silent].all()


@pytest.mark.parametrize("init", ["auto", "xavier", "he", 0.3])
def test_first_weights(init):
    units, f = [300, 200, 100], ACTIVATIONS["relu"]
    coefs, intercepts = first_weights(units, f, init, np.random.RandomState(0))
    wanted = {"auto": (2 / 500, 2 / 300), "xavier": (2 / 500, 2 / 300), "he": (2 / 300, 2 / 200), 0.3: (0.09, 0.09)}
    assert [W.var() for W in coefs] == pytest.approx(wanted[init], rel=0.05)
    assert [bool(b.any()) for b in intercepts] == [init == "auto"] * 2


def test_rows_by_single_precision_are_the_same():
    rng = np.random.default_rng(0)
    X, y, share = rng.standard_normal((5, 3)), rng.integers(0, 3, 5), np.full(5, 0.2)
    precise = network_of([3, 6, 3], ACTIVATIONS["relu"], "softmax")
    single = network_of([3, 6, 3], ACTIVATIONS["relu"], "softmax", dtype=np.float32)
    losses = precise.loss(X, y, share, 0.1), single.loss(X.astype(np.float32), y, share.astype(np.float32), 0.1)
    assert losses[1] == pytest.approx(losses[0], rel=1e-6)
    assert single.slopes.dtype == np.float32
    assert single.slopes == pytest.approx(precise.slopes, abs=1e-6)


def test_an_epoch_uses_its_room_again():
    network, X = network_of([3, 6, 3], ACTIVATIONS["tanh"], "softmax"), np.ones((8, 3))
    network.loss(X, np.zeros(8, dtype=int), np.full(8, 1 / 8), 0.0, NO_CHANCE)
    rooms = {name: room.ctypes.data for name, room in network.do.rooms.items()}
    network.loss(X[:5], np.zeros(5, dtype=int), np.full(5, 1 / 5), 0.0, NO_CHANCE)
    assert {name: room.ctypes.data for name, room in network.do.rooms.items()} == rooms
