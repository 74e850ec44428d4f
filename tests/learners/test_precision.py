"""precision="exact": the same rows leave the same bits, however they came, went, were cut up and were added."""

import tempfile
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from sklearn.base import clone

import sumlearn as sl
from sumlearn.features import Polynomial, RadialBasis, SigmoidBasis
from sumlearn.learners.fitted import Fitted, Later
from sumlearn.saving.fields import from_fields, to_fields
from sumlearn.statistics import ExactMoments, Grouped, Moments, in_words
from sumlearn.testing import assert_same_bits

LEARNERS = {
    "LinearRegression": sl.LinearRegression(precision="exact"),
    "Ridge": sl.Ridge(0.5, precision="exact"),
    "Ridge on products": sl.Ridge(0.5, precision="exact", basis=Polynomial(2)),
    "BayesianRegression": sl.BayesianRegression(precision="exact"),
    "Lasso": sl.Lasso(0.05, precision="exact"),
    "ElasticNet": sl.ElasticNet(0.05, precision="exact"),
    "PCA": sl.PCA(2, precision="exact"),
    "IncrementalPCA": sl.IncrementalPCA(2, precision="exact"),
    "OneClassGaussian": sl.OneClassGaussian(precision="exact"),
    "LinearDiscriminantAnalysis": sl.LinearDiscriminantAnalysis(precision="exact"),
    "LinearDiscriminantAnalysis with priors": sl.LinearDiscriminantAnalysis(
        "lsqr", priors={0: 0.2, 1: 0.3, 2: 0.5}, precision="exact"
    ),
    "QuadraticDiscriminantAnalysis": sl.QuadraticDiscriminantAnalysis(precision="exact"),
    "GaussianNB": sl.GaussianNB(precision="exact"),
    "FisherDiscriminant": sl.FisherDiscriminant(precision="exact"),
    "LeastSquaresClassifier": sl.LeastSquaresClassifier(precision="exact"),
    "LeastSquaresClassifier with weights": sl.LeastSquaresClassifier(class_weight="balanced", precision="exact"),
}
RNG = np.random.default_rng(0)
ROWS = 60
X = RNG.standard_normal((ROWS, 3)) * [1.0, 1e-3, 1e4] + [0.0, 5.0, 1e6]
X[:, 1] = np.round(X[:, 1], 3)
NUMBERS = X @ [1.0, 200.0, 1e-4] + RNG.standard_normal(ROWS)
LABELS = np.arange(ROWS) % 3


def targets(model):
    return {"label": LABELS, "number": NUMBERS, None: None}[model.target]


def taken(model, rows, weight=None):
    y = targets(model)
    return {"X": X[rows], "y": None if y is None else y[rows], "sample_weight": weight}


def fresh(learner, rows, weight=None):
    return clone(learner).fit(**taken(learner, rows, weight))


def assert_same_attributes(a, b):
    """Every fitted attribute, and what it predicts, to the bit."""
    assert_same_bits(a.statistic_, b.statistic_)
    described = [item for kind in type(a).__mro__ for item in vars(kind).items()]
    names = {name for name, value in described if isinstance(value, Fitted | Later)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in sorted(names - {"_n_features_out"}):
            x, y = getattr(a, name, None), getattr(b, name, None)  # some are there with two classes alone
            for left, right in zip(x, y, strict=True) if isinstance(x, list) else [(x, y)]:
                np.testing.assert_array_equal(left, right, err_msg=name)
        answer = "predict" if hasattr(a, "predict") else "transform"
        np.testing.assert_array_equal(getattr(a, answer)(X), getattr(b, answer)(X))


each_learner = pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS)


@each_learner
def test_another_order_of_learning_and_forgetting(learner):
    keep = np.arange(20, ROWS)
    north, south = fresh(learner, np.arange(25)[::-1]), fresh(learner, RNG.permutation(np.arange(25, ROWS)))
    ours = (south + north).forget(**taken(learner, np.arange(7))).forget(**taken(learner, np.arange(19, 6, -1)))
    assert_same_attributes(ours, fresh(learner, keep))
    theirs = south - fresh(learner, np.arange(30, 40)) + fresh(learner, np.r_[20:25, 30:40])
    assert_same_attributes(theirs, fresh(learner, RNG.permutation(keep)))


@each_learner
def test_it_agrees_with_sums_in_two_words(learner):
    weight = RNG.integers(1, 4, ROWS) / 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        models = [clone(learner).set_params(precision=p) for p in ("exact", None, "double")]
        exact, plain, double = (model.fit(**taken(learner, slice(None), weight)) for model in models)
    answer = "predict" if hasattr(exact, "predict") else "transform"
    ours, theirs = getattr(exact, answer)(X), getattr(plain, answer)(X)
    np.testing.assert_allclose(ours, theirs, rtol=1e-7, atol=1e-7)
    assert_same_bits(double.statistic_, plain.statistic_)


@each_learner
def test_abilities_say_what_there_is(learner):
    able, plain = sl.abilities(learner), sl.abilities(clone(learner).set_params(precision=None))
    assert set(able) == set(plain) - {"decay"}
    assert not hasattr(learner, "decay")
    assert sl.abilities(fresh(learner, slice(None))) == able


@each_learner
def test_it_is_the_same_out_of_a_file(learner, tmp_path):
    model = fresh(learner, np.arange(40))
    sl.save(model, tmp_path / "model")
    again = sl.load(tmp_path / "model")
    assert_same_attributes(again, model)
    assert_same_attributes(again.partial_fit(**taken(learner, np.arange(40, ROWS))), fresh(learner, np.arange(ROWS)))


@each_learner
def test_columns_that_are_chosen_later(learner):
    if "restrict" not in sl.abilities(learner):
        assert learner.basis is not None  # it has features of its own
        return
    cut = fresh(learner, slice(None)).restrict([2, 0])
    y = targets(learner)
    assert_same_bits(cut.statistic_, clone(learner).fit(X[:, [2, 0]], y).statistic_)


class Life(RuleBasedStateMachine):
    """Rows come alone, in chunks and with other models, and go again; some twice, some with weights."""

    learner = None

    @initialize(rows=st.sets(st.integers(0, ROWS - 1), min_size=12, max_size=30))
    def begin(self, rows):
        self.held = {}
        self.model = self.learnt(clone(self.learner), sorted(rows))

    def learnt(self, model, rows, weight=1.0):
        for row in rows:
            self.held.setdefault(row, []).append(weight)
        return model.partial_fit(**taken(model, rows, np.full(len(rows), weight)))

    @rule(rows=st.lists(st.integers(0, ROWS - 1), min_size=1, max_size=9), weight=st.sampled_from([1.0, 2.0, 0.1]))
    def learn(self, rows, weight):
        self.model = self.learnt(self.model, rows, weight)

    @rule(
        chunks=st.lists(st.lists(st.integers(0, ROWS - 1), min_size=1, max_size=5), min_size=1, max_size=3),
        left=st.booleans(),
    )
    def merge(self, chunks, left):
        other = clone(self.learner)
        for rows in chunks:
            other = self.learnt(other, rows)
        self.model = self.model + other if left else other + self.model

    @precondition(lambda self: sum(map(len, self.held.values())) > 16)
    @rule(data=st.data(), by_model=st.booleans())
    def forget(self, data, by_model):
        rows = data.draw(st.lists(st.sampled_from(sorted(self.held)), min_size=1, max_size=4, unique=True))
        weight = np.array([self.held[row].pop() for row in rows])
        self.held = {row: weights for row, weights in self.held.items() if weights}
        gone = taken(self.learner, rows, weight)
        if by_model:
            self.model = self.model - clone(self.learner).partial_fit(**gone)
        else:
            self.model.forget(**gone)

    @rule()
    def keep(self):
        with tempfile.TemporaryDirectory() as folder:
            sl.save(self.model, Path(folder, "model"))
            self.model = sl.load(Path(folder, "model"))

    @rule(seed=st.integers(0, 99))
    def compare(self, seed):
        self.check(seed)

    def teardown(self):
        if hasattr(self, "model"):
            self.check(0)

    def check(self, seed):
        pairs = [(row, weight) for row, weights in self.held.items() for weight in weights]
        rows, weight = map(np.array, zip(*np.random.default_rng(seed).permutation(pairs).tolist(), strict=True))
        expected = fresh(self.learner, rows.astype(int), weight)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert_same_attributes(self.model, expected)


@pytest.mark.filterwarnings("ignore:the smallest group")
@pytest.mark.parametrize("name", ["Ridge", "LinearDiscriminantAnalysis", "GaussianNB"])
def test_any_history_leaves_the_bits_of_a_fresh_fit(name):
    machine = type(name, (Life,), {"learner": LEARNERS[name]}).TestCase
    machine.settings = settings(max_examples=12, stateful_step_count=12)
    machine().runTest()


def test_any_number_of_workers_and_any_source(tmp_path):
    import dask.array as da
    import pandas

    rng = np.random.default_rng(1)
    rows = rng.standard_normal((20_001, 4)) * [1.0, 1e-5, 1e5, 1.0]
    y = rows.sum(axis=1) + rng.standard_normal(len(rows))
    one, two = (sl.LinearRegression(n_jobs=n, precision="exact").fit(rows, y) for n in (1, 2))
    order = rng.permutation(len(rows))
    table = pandas.DataFrame(rows[order], columns=list("abcd")).assign(y=y[order])
    table.to_csv(tmp_path / "rows.csv", index=False)
    models = [
        two,
        sl.LinearRegression(precision="exact").fit(*(da.from_array(a, chunks=(3000, *a.shape[1:])) for a in (rows, y))),
        sl.LinearRegression(precision="exact").fit(str(tmp_path / "rows.csv"), "y"),
        sl.LinearRegression(precision="exact").fit(np.asfortranarray(rows[order]), y[order]),
    ]
    for model in models:
        assert_same_bits(model.statistic_, one.statistic_)
        np.testing.assert_array_equal(model.coef_, one.coef_)
        assert model.intercept_ == one.intercept_


def test_single_precision_is_summed_as_the_doubles_that_it_is():
    single = X.astype(np.float32)
    a = sl.PCA(precision="exact").fit(single)
    assert_same_bits(a.statistic_, sl.PCA(precision="exact").fit(single.astype(float)).statistic_)
    assert a.components_.dtype == np.float32


def test_the_ledger_proves_which_rows_are_left():
    model = sl.Ridge(precision="exact").keep_ledger().fit(X, NUMBERS).forget(X[:10], NUMBERS[:10])
    rest, y = X[10:], NUMBERS[10:]
    order = RNG.permutation(len(rest))
    assert model.verify(rest[order], y[order])
    changed = rest.copy()
    changed[3, 1] = np.nextafter(changed[3, 1], 9e9)
    assert not model.verify(changed, y)
    assert not model.verify(rest[1:], y[1:])
    twice = np.r_[np.arange(len(rest)), 4]
    assert not model.verify(rest[twice], y[twice])
    assert not model.verify(rest, np.where(np.arange(len(y)) == 7, np.nextafter(y, 9e9), y))


def test_nothing_is_left_when_all_rows_are_gone():
    model = sl.GaussianNB(precision="exact").fit(X, LABELS).forget(X[::-1], LABELS[::-1])
    assert len(model.statistic_) == 0
    model = sl.Ridge(precision="exact").fit(X, NUMBERS)
    model.forget(X[30:], NUMBERS[30:]).forget(X[:30], NUMBERS[:30])
    assert model.statistic_.digits.size == 0 and model.statistic_.rows == 0
    with pytest.raises(ValueError, match="holds no rows"):
        model.predict(X)


def test_a_refused_removal_changes_nothing():
    model = sl.Ridge(precision="exact").fit(X, NUMBERS)
    before = model.statistic_.digest
    moved = X.copy()
    moved[0, 0] += 1e-9
    with pytest.raises(ValueError, match="Ridge: the rows to remove are not the rows that were merged"):
        model.forget(moved, NUMBERS)
    assert model.statistic_.digest == before


def test_what_is_refused():
    with pytest.raises(ValueError, match="precision must be None, 'double' or 'exact', got 'double-double'"):
        sl.Ridge(precision="double-double").fit(X, NUMBERS)
    with pytest.raises(ValueError, match="the models differ in precision"):
        sl.Ridge(precision="exact").fit(X, NUMBERS) + sl.Ridge().fit(X, NUMBERS)
    with pytest.raises(ValueError, match="precision='exact' and a RadialBasis"):
        sl.Ridge(precision="exact", basis=RadialBasis(3)).fit(X, NUMBERS)
    with pytest.raises(ValueError, match="there are none above 2000 columns"):
        sl.Lasso(precision="exact").fit(np.eye(4, 2001), NUMBERS[:4])
    model = sl.Ridge(precision="exact").fit(X, NUMBERS).set_params(precision=None)
    with pytest.raises(ValueError, match="hyperparameters have changed since the fit"):
        model.partial_fit(X, NUMBERS)


def test_a_basis_that_looks_at_rows_gives_the_same_bits_with_the_same_look():
    first = sl.Ridge(precision="exact", basis=SigmoidBasis(3)).fit(X[:, :1], NUMBERS)
    again = sl.Ridge(precision="exact", basis=SigmoidBasis(3)).with_look(first.look_).fit(X[30:, :1], NUMBERS[30:])
    assert_same_bits((first.forget(X[:30, :1], NUMBERS[:30])).statistic_, again.statistic_)


def test_what_else_reads_the_sums_reads_exact_ones():
    model, plain = (sl.LinearRegression(precision=p).fit(X, NUMBERS) for p in ("exact", None))
    np.testing.assert_allclose(model.standard_errors_, plain.standard_errors_)
    np.testing.assert_allclose(model.singular_, plain.singular_)
    np.testing.assert_allclose(model.predict_interval(X), plain.predict_interval(X))
    np.testing.assert_allclose(model.influence(X, NUMBERS).leverage, plain.influence(X, NUMBERS).leverage)
    assert model.collinearity()[0]["inflation"] == pytest.approx(plain.collinearity()[0]["inflation"])
    assert model.residual_moments(model.statistic_).mean == pytest.approx(0.0, abs=1e-6)
    folds = [sl.cross_validate(m, X, NUMBERS, cv=4)["test_score"] for m in (model, plain)]
    np.testing.assert_allclose(*folds)
    flags = (X.mean(axis=0) < X).astype(float)
    told = [set(sl.disclosure(m.fit(flags, NUMBERS), 25)) for m in (model, plain)]
    assert told[0] == told[1] and told[0]
    discriminants = [sl.LinearDiscriminantAnalysis(precision=p).fit(flags, LABELS) for p in ("exact", None)]
    told = [set(sl.disclosure(m, 9)) for m in discriminants]
    assert told[0] > told[1]  # products are kept by class, and tell pairs of columns in each


def mixed_rows():
    """Numbers with gaps and at an offset, dates, levels with gaps, truth values; targets and weights."""
    import pandas as pd

    rng, n = np.random.default_rng(4), 120
    frame = pd.DataFrame({"a": rng.standard_normal(n), "far": rng.standard_normal(n) * 1e3 + 1e9})
    frame["day"] = pd.Timestamp("2025-01-01") + pd.to_timedelta(rng.integers(0, 500, n), unit="D")
    frame["level"], frame["flag"] = rng.choice(["u", "v", "w", None], n), rng.random(n) < 0.3
    frame.loc[rng.random(n) < 0.1, "a"] = np.nan
    frame.loc[3, "level"] = "alone"
    return frame, frame["flag"] + rng.standard_normal(n), rng.choice(list("xyz"), n), rng.choice([0.1, 1.0, 2.5], n)


@pytest.mark.parametrize(
    "name", ["Ridge", "Lasso", "LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis", "GaussianNB"]
)
def test_tables_are_forgotten_to_the_last_bit(name, tmp_path):
    frame, numbers, labels, weight = mixed_rows()
    y = labels if LEARNERS[name].target == "label" else numbers.to_numpy()
    exact, plain = (sl.TableModel(clone(LEARNERS[name]).set_params(precision=p), rare=5) for p in ("exact", None))

    def learnt(model, rows):
        return clone(model).fit(frame.iloc[rows], y[rows], sample_weight=weight[rows])

    order = np.random.default_rng(5).permutation(len(frame))
    model = learnt(exact, order[40:]) + learnt(exact, order[:40])  # row 3 goes, and its level with it
    gone = np.unique(np.append(order[:30], 3))
    sl.save(model, tmp_path / "model")
    model = sl.load(tmp_path / "model").forget(frame.iloc[gone], y[gone], sample_weight=weight[gone])
    rest = np.setdiff1d(order, gone)
    fresh, near = learnt(exact, rest), learnt(plain, rest)
    assert_same_bits(model.statistic_, fresh.statistic_)
    answers = [getattr(m, "predict_proba", m.predict)(frame) for m in (model, fresh, near)]
    np.testing.assert_array_equal(answers[0], answers[1])
    np.testing.assert_allclose(answers[1], answers[2], rtol=1e-6, atol=1e-6)
    assert list(sl.abilities(exact)) == ["update", "merge", "forget", "restrict"]


@pytest.mark.parametrize("base", ["Ridge", "LinearDiscriminantAnalysis"])
def test_many_classes_by_two_add_up_exactly_too(base):
    model = sl.OneVsOneClassifier(clone(LEARNERS[base]))
    assert list(sl.abilities(model)) == ["update", "merge", "forget", "restrict"]
    ours = clone(model).fit(X[:40], LABELS[:40]) + clone(model).fit(X[40:], LABELS[40:])
    fresh = clone(model).fit(X[:9:-1], LABELS[:9:-1])
    ours.forget(X[:10], LABELS[:10])
    assert_same_bits(ours.statistic_, fresh.statistic_)
    for a, b in zip(ours.estimators_, fresh.estimators_, strict=True):
        np.testing.assert_array_equal(a.coef_, b.coef_)
    with pytest.raises(ValueError, match="precision must be None"):
        clone(model).set_params(estimator__precision="exakt").fit(X, LABELS)


def test_files_say_by_their_format_that_older_versions_cannot_read_them():
    sums = Grouped.of(X, LABELS, exact=True)
    fields, run = to_fields(sums)
    assert fields["format"] == 3
    assert_same_bits(from_fields(fields, run), sums)
    assert to_fields(Moments.of(X))[0]["format"] == 1


@pytest.mark.parametrize("field, value", [("unit", 3.0), ("columns", 2), ("form", "upper"), ("unit", 10**6)])
def test_fields_that_do_not_fit_together_are_refused(field, value):
    fields, run = to_fields(ExactMoments.of(X))
    fields["sum"]["statistic"][1][field] = value
    with pytest.raises(ValueError, match="do not fit together"):
        from_fields(fields, run)


def test_numbers_that_no_rows_leave_are_refused():
    sums = ExactMoments.of(X)
    fields, run = to_fields(sums)
    with pytest.raises(ValueError, match="do not fit together"):
        from_fields(fields, (-sums.digits).tobytes())
    swapped = sums.digits.copy()
    swapped[1] = 9 * swapped[0]
    with pytest.raises(ValueError, match="do not fit together"):
        from_fields(fields, swapped.tobytes())
    assert in_words(sums) is in_words(sums)
    assert len(run) == sums.digits.nbytes
