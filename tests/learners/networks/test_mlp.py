"""Multilayer perceptrons: what they learn, how they end, what they refuse."""

import copy
import sys
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_digits

import sumlearn as sl
from sumlearn import MLPClassifier, MLPRegressor
from sumlearn.learners.networks.activations import ELU
from sumlearn.learners.networks.optimisers import AdaGrad, Momentum, RMSProp
from sumlearn.learners.networks.schedules import Adaptive, Cosine, InverseScaling, StepDecay, WarmUp

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
rng = np.random.default_rng(0)
X = rng.standard_normal((120, 3))
CLASSES = np.digitize(X[:, 0] * X[:, 1], [-0.3, 0.3])
WAYS = [
    {"solver": "adam"},
    {"solver": "sgd", "momentum": 0.0},
    {"solver": "sgd", "nesterovs_momentum": False},
    {"solver": "sgd"},
    {"solver": "adagrad", "learning_rate_init": 0.3},
    {"solver": RMSProp(0.8)},
    {"solver": "lbfgs"},
    {"solver": "barzilai_borwein"},
]


def digits():
    rows, labels = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(rows))
    return rows[order] / 16.0, labels[order]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: ", ".join(map(str, way.values())))
def test_xor(way):
    """No line separates it; one hidden layer does, by every rule."""
    options = {"learning_rate_init": 0.1, "max_iter": 800, "tol": 0.0, "n_iter_no_change": 800, "batch_size": 4}
    model = MLPClassifier((10,), activation="tanh", **(options | way)).fit(XOR, [0, 1, 1, 0])
    assert model.predict(XOR).tolist() == [0, 1, 1, 0]
    assert model.loss_ < 0.4


@pytest.mark.parametrize("activation", ["relu", "leaky_relu", "maxout", "elu", "sigmoid"])
def test_digits(activation):
    """Above 97 % of rows that were left out."""
    rows, labels = digits()
    rows = rows.astype(np.float32)
    model = MLPClassifier((200,), activation=activation, max_iter=60, learning_rate_init=0.005, alpha=0.01)
    assert model.fit(rows[:1200], labels[:1200]).score(rows[1200:], labels[1200:]) > 0.97


def test_regression_reaches_its_noise():
    """y = sin x + noise of deviation 0.1: the error on fresh rows is that of the noise, and not less."""
    random = np.random.default_rng(1)
    x = random.uniform(-3.0, 3.0, (2000, 1))
    y = np.sin(x[:, 0]) + 0.1 * random.standard_normal(2000)
    model = MLPRegressor(hidden_layer_sizes=(30,), activation="tanh", learning_rate_init=0.01, early_stopping=True)
    error = np.sqrt(np.mean((model.fit(x[:1000], y[:1000]).predict(x[1000:]) - y[1000:]) ** 2))
    assert 0.09 < error < 0.115


def test_equal_seeds_equal_models():
    options = {"dropout": (0.3, 0.1), "max_iter": 5, "early_stopping": True, "hidden_layer_sizes": (8, 6)}
    one, two, other = (MLPClassifier(**options, random_state=seed).fit(X, CLASSES) for seed in (1, 1, 2))
    assert np.array_equal(one.predict_proba(X), two.predict_proba(X))
    assert not np.array_equal(one.predict_proba(X), other.predict_proba(X))


def test_early_stopping_keeps_the_best_weights():
    noisy = rng.permutation(CLASSES)
    model = MLPClassifier(early_stopping=True, learning_rate_init=0.05, max_iter=60, tol=0.0).fit(X, noisy)
    assert model.best_validation_score_ == max(model.validation_scores_) > model.validation_scores_[-1]
    longer = MLPClassifier(learning_rate_init=0.05, max_iter=60, tol=0.0).fit(X, noisy)
    assert longer.validation_scores_ is None


def test_max_norm():
    model = MLPClassifier((9,), max_norm=0.5, max_iter=20, learning_rate_init=0.05).fit(X, CLASSES)
    assert max(np.sqrt((W**2).sum(axis=0)).max() for W in model.coefs_) <= 0.5 + 1e-12
    free = MLPClassifier((9,), max_iter=20, learning_rate_init=0.05).fit(X, CLASSES)
    assert max(np.sqrt((W**2).sum(axis=0)).max() for W in free.coefs_) > 0.5


def test_weights_of_rows_are_their_number_where_all_are_seen():
    weight = rng.integers(0, 3, 120).astype(float)
    options = {"solver": "lbfgs", "max_iter": 20, "activation": "tanh", "hidden_layer_sizes": (4,)}
    times = np.repeat(np.arange(120), weight.astype(int))
    heavy = MLPRegressor(**options).fit(X, X[:, 0] ** 2, weight)
    twice = MLPRegressor(**options).fit(X[times], X[times, 0] ** 2)
    assert heavy.predict(X) == pytest.approx(twice.predict(X), rel=1e-6)


@pytest.mark.parametrize("options", [{"solver": "adam"}, {"solver": "lbfgs"}], ids=str)
def test_files_are_learnt_as_arrays_are(tmp_path, options):
    """One chunk: the same bits where all rows are seen at each step, and with batches of all rows."""
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame(X, columns=list("abc")).assign(y=CLASSES)
    table.to_csv(tmp_path / "rows.csv", index=False)
    model = MLPClassifier((5,), max_iter=8, batch_size=len(X), shuffle=False, **options)
    found = model.fit(tmp_path / "rows.csv", "y").predict_proba(table[list("abc")])
    assert found == pytest.approx(model.fit(table, "y").predict_proba(table[list("abc")]), rel=1e-9)


def test_many_chunks_of_a_stream():
    """More rows than a chunk: the sum over all of them at each step is that of one array."""
    dask = pytest.importorskip("dask.array")
    random = np.random.default_rng(3)
    rows = random.standard_normal((3000, 2))
    y = rows[:, 0] * rows[:, 1]
    options = {"hidden_layer_sizes": (6,), "solver": "lbfgs", "max_iter": 15, "activation": "tanh"}
    whole = MLPRegressor(**options).fit(rows, y)
    parts = MLPRegressor(**options).fit(dask.from_array(rows, chunks=(700, 2)), dask.from_array(y, chunks=700))
    assert parts.predict(rows) == pytest.approx(whole.predict(rows), abs=1e-6)
    late = np.repeat(np.array(["a", "b", "c"], dtype=object), 40)  # some labels come with later chunks
    found = MLPClassifier((4,), max_iter=1).fit(dask.from_array(X, chunks=(40, 3)), dask.from_array(late, chunks=40))
    assert found.classes_.tolist() == ["a", "b", "c"]


def test_learning_goes_on():
    """partial_fit after half of the epochs is the whole course, with what the optimiser remembers."""
    options = {"hidden_layer_sizes": (6,), "shuffle": False, "batch_size": 30, "tol": 0.0}
    whole = MLPRegressor(**options, max_iter=6).fit(X, X[:, 0])
    half = MLPRegressor(**options, max_iter=3).fit(X, X[:, 0])
    for _ in range(3):
        half.partial_fit(X, X[:, 0])
    assert half.loss_curve_ == pytest.approx(whole.loss_curve_, rel=1e-12)
    assert (half.n_iter_, half.t_) == (whole.n_iter_, whole.t_) == (6, 720)
    warm = MLPRegressor(**options, max_iter=3, warm_start=True).fit(X, X[:, 0])
    assert warm.fit(X, X[:, 0]).loss_curve_[3] < warm.loss_curve_[0]


def test_divergence_is_named():
    model = MLPRegressor(solver="sgd", learning_rate_init=1e6, activation="identity", max_iter=50)
    with pytest.raises(ValueError, match=r"Learning diverged in epoch \d+, .* of which column 1 reaches 300"):
        model.fit(X * [1.0, 1.0, 0.1] + [0.0, 297.5, 0.0], X[:, 0])
    with pytest.warns(RuntimeWarning, match="learning diverged in epoch .* weights of the best epoch before are kept"):
        kept = MLPRegressor(solver="sgd", learning_rate_init=0.9, activation="identity", early_stopping=True).fit(
            10.0 * X, X[:, 0]
        )
    assert np.isfinite(kept.predict(X)).all()


def test_schedules():
    assert [StepDecay(2, 0.1).rate(1.0, epoch, 0) for epoch in range(4)] == pytest.approx([1.0, 1.0, 0.1, 0.1])
    assert [Cosine(4, 0.5).rate(1.0, epoch, 0) for epoch in (0, 2, 4, 9)] == pytest.approx([1.0, 0.75, 0.5, 0.5])
    assert [WarmUp(2, StepDecay(1)).rate(1.0, epoch, 0) for epoch in range(4)] == pytest.approx([0.5, 1.0, 1.0, 0.5])
    assert InverseScaling(0.5).rate(1.0, 7, 99) == pytest.approx(0.1)
    assert Adaptive().stalled(1.0) == 0.2
    still = MLPClassifier(learning_rate=StepDecay(1, 0.0), max_iter=4, solver="adam").fit(X, CLASSES)
    assert len({round(loss, 12) for loss in still.loss_curve_[1:]}) == 1  # a rate of zero moves nothing


def test_optimisers_by_hand():
    w, v = np.array([1.0]), np.zeros(1)
    for rule, wanted in ((Momentum(0.5, False), [0.9, 0.75]), (Momentum(0.5, True), [0.85, 0.675])):
        w[:], v[:] = 1.0, 0.0
        found = []
        for t in (1, 2):
            rule.step(w, np.array([1.0]), (v,), 0.1, t)
            found.append(float(w[0]))
        assert found == pytest.approx(wanted)
    w[:], v[:] = 1.0, 0.0
    AdaGrad().step(w, np.array([3.0]), (v,), 0.1, 1)
    AdaGrad().step(w, np.array([4.0]), (v,), 0.1, 2)
    assert w[0] == pytest.approx(1.0 - 0.1 - 0.1 * 4.0 / 5.0)


def test_the_range_test_finds_rates_that_teach():
    from sumlearn.learners.networks.range_test import rate_range

    model = MLPClassifier((10,), batch_size=20)
    found = rate_range(model, X, CLASSES, low=1e-5, high=100.0)
    assert not hasattr(model, "coefs_")
    assert 1e-4 < found.rate < 1.0
    assert len(found.rates) == len(found.losses) < 100  # it ends where the loss is lost
    with pytest.raises(ValueError, match="solver='lbfgs' has no learning rate"):
        rate_range(MLPClassifier(solver="lbfgs"), X, CLASSES)


def test_several_labels_and_several_numbers():
    labels = np.column_stack([X[:, 0] > 0, X[:, 1] > 0]).astype(int)
    model = MLPClassifier((10,), solver="lbfgs", max_iter=100).fit(X, labels)
    assert model.score(X, labels) > 0.95
    assert model.predict_proba(X).shape == (120, 2)
    with pytest.raises(ValueError, match="several labels at once are columns of 0 and 1"):
        MLPClassifier().fit(X, 2 * labels)
    numbers = MLPRegressor(solver="lbfgs").fit(X, X[:, :2])
    assert numbers.score(X, X[:, :2]) > 0.99


def test_models_with_objects_as_parameters_are_kept(tmp_path):
    model = MLPClassifier((4,), activation=ELU(0.5), solver=RMSProp(), learning_rate=Cosine(9), max_iter=3)
    sl.save(model.fit(X, CLASSES), tmp_path / "network.sl")
    again = sl.load(tmp_path / "network.sl")
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
    assert np.array_equal(
        again.partial_fit(X, CLASSES).predict_proba(X), model.partial_fit(X, CLASSES).predict_proba(X)
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hidden_layer_sizes": (3, -1)}, "hidden_layer_sizes must be > 0"),
        ({"dropout": 1.0}, "dropout must be a number from 0 to below 1"),
        ({"dropout": (0.5, 0.5)}, "one for each of the 1 hidden layers"),
        ({"solver": "lbfgs", "dropout": 0.5}, "needs batches: solver='lbfgs' has none"),
        ({"solver": "newton"}, "solver must be one of 'sgd', .*'lbfgs'.*got 'newton'"),
        ({"init": "orthogonal"}, "init must be one of 'auto', 'xavier', 'he', or the deviation"),
        ({"learning_rate": "fast"}, "learning_rate must be one of 'constant'"),
        ({"max_norm": 0.0}, "max_norm"),
        ({"alpha": -1.0}, "alpha"),
    ],
)
def test_what_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        MLPClassifier(**options).fit(X, CLASSES)


def test_counts_are_not_negative():
    with pytest.raises(ValueError, match="loss='poisson' needs y >= 0: row 0"):
        MLPRegressor(loss="poisson").fit(X, -np.ones(120))


def test_new_classes_are_refused():
    model = MLPClassifier(max_iter=2).fit(X, CLASSES)
    before = model.predict_proba(X)
    with pytest.raises(ValueError, match="`y` has classes not in"):
        model.partial_fit(X, np.full(120, 7))
    assert np.array_equal(model.predict_proba(X), before)


def test_weights_are_not_used_in_another_network(tmp_path):
    """Parameters that are set after the fit would change the answers without a word, or what more rows teach."""
    model = MLPClassifier((4,), activation=ELU(0.5), max_iter=2).fit(X, CLASSES)
    sl.save(model, tmp_path / "network.sl")
    for found in (model, sl.load(tmp_path / "network.sl")):
        before = found.predict_proba(X)
        for other in ("tanh", "elu"):
            found.set_params(activation=other)
            for use in (found.predict, lambda rows, found=found: found.partial_fit(rows, CLASSES)):
                with pytest.raises(ValueError, match=r"learnt with activation=ELU\(scale=0.5\), and now it is"):
                    use(X)
        assert np.array_equal(found.set_params(activation=ELU(0.5)).predict_proba(X), before)
    numbers = MLPRegressor(max_iter=2).fit(X, X[:, 0] ** 2).set_params(loss="poisson")
    with pytest.raises(ValueError, match="the head was 'identity', .* need 'exp'"):
        numbers.partial_fit(X, X[:, 0] ** 2)
    with pytest.raises(ValueError, match="the head was 'softmax', .* need 'logistic'"):
        MLPClassifier(max_iter=2).fit(X, CLASSES).partial_fit(X, np.eye(3, dtype=int)[CLASSES])


def test_another_optimiser_does_not_remember_what_the_first_one_did():
    """A speed below zero is no mean of squares: its root was no number."""
    options = {"hidden_layer_sizes": (5,), "max_iter": 5}
    model = MLPClassifier(solver="sgd", **options).fit(X, CLASSES).set_params(solver="rmsprop")
    fresh = MLPClassifier(solver="rmsprop", **options)
    vars(fresh).update(
        copy.deepcopy({k: v for k, v in vars(model).items() if k not in (*fresh.get_params(), "_progress")})
    )
    found = model.partial_fit(X, CLASSES).predict_proba(X)
    assert np.array_equal(found, fresh.partial_fit(X, CLASSES).predict_proba(X))


def test_the_same_code_on_tensors():
    pytest.importorskip("torch", reason="torch is not installed")
    options = {"hidden_layer_sizes": (6, 5), "max_iter": 8, "activation": "maxout"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        here, there = (MLPClassifier(**options, device=device).fit(X, CLASSES) for device in (None, "cpu"))
    assert there.predict_proba(X) == pytest.approx(here.predict_proba(X), rel=1e-9)


@pytest.mark.parametrize("way", [w for w in WAYS if w["solver"] not in ("lbfgs", "barzilai_borwein")], ids=str)
def test_every_rule_on_tensors(way):
    """Steps, lengths that are cut, weights of rows and rows held back."""
    pytest.importorskip("torch", reason="torch is not installed")
    options = {"hidden_layer_sizes": (6,), "max_iter": 5, "max_norm": 0.8, "early_stopping": True, "alpha": 0.1} | way
    weight = 1.0 + rng.random(120)
    here, there = (MLPRegressor(**options, device=device).fit(X, X[:, 0] ** 2, weight) for device in (None, "cpu"))
    assert there.predict(X) == pytest.approx(here.predict(X), rel=1e-9, abs=1e-12)
    assert there.validation_scores_ == pytest.approx(here.validation_scores_, rel=1e-9)


def test_a_device_that_is_not_there_is_named():
    pytest.importorskip("torch", reason="torch is not installed")
    with pytest.raises(ValueError, match="device='cudax' is not there"):
        MLPClassifier(device="cudax").fit(X, CLASSES)


def test_a_table_of_few_rows_is_left_to_other_models():
    pa = pytest.importorskip("pyarrow")
    from sumlearn.product.catalogue import named_candidates
    from sumlearn.product.problems import DataProblem
    from sumlearn.product.training_problem import suited_candidates

    table = pa.table(dict(zip("abc", X.T, strict=True)))
    for rows, wanted in ((99, ["lda"]), (100, ["lda", "network"])):
        found = suited_candidates(named_candidates("lda,network", "classify"), table, {}, rows)
        assert [candidate.name for candidate in found] == wanted
    with pytest.raises(DataProblem, match="the model 'network' asks for 100 rows, the table has 99"):
        suited_candidates(named_candidates("network", "classify"), table, {}, 99)


def test_without_torch_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match=r"sumlearn\[torch\]"):
        MLPClassifier(device="cpu").fit(X, CLASSES)
