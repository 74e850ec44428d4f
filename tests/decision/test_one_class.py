"""One class: the share that is accepted, against its law and on new rows; the density against scikit-learn's; ROC."""

import numpy as np
import pytest
from scipy.stats import binomtest, multivariate_normal
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

import sumlearn as sl
from sumlearn.statistics import IllConditionedWarning

from tests.laws.discovered import MATRIX_LEARNERS

MIX = np.array([[1.0, 0.5, 0.0], [0.0, 1.0, 0.3], [0.0, 0.0, 20.0]])


def bells(n, rng, offset=1e6):
    return rng.standard_normal((n, 3)) @ MIX + offset


def ring(n, rng):
    angle, radius = rng.uniform(0.0, 2.0 * np.pi, n), rng.normal(3.0, 0.3, n)
    return np.column_stack([radius * np.cos(angle), 100.0 * radius * np.sin(angle)])


def within(accepted, share):
    """Whether the count is within its binomial interval."""
    low, high = binomtest(int(accepted.sum()), len(accepted)).proportion_ci(0.999)
    return low <= share <= high


@pytest.mark.parametrize("acceptance", [0.9, 0.5])
def test_a_share_of_new_normal_rows_is_accepted_however_few_were_learnt(acceptance):
    rng = np.random.default_rng(0)
    one = {law: [] for law in ("f", "chi2")}  # a new row for each model, so that they are independent
    for _ in range(600):
        rows, new = bells(9, rng), bells(1, rng)
        for law, found in one.items():
            found.append(sl.OneClassGaussian(acceptance, law=law).fit(rows).predict(new)[0] == 1)
    assert within(np.array(one["f"]), acceptance) and not within(np.array(one["chi2"]), acceptance)


def test_the_density_is_the_normal_one_and_its_threshold_the_quantile():
    rng = np.random.default_rng(1)
    X, new = bells(5000, rng, 0.0), bells(20_000, rng, 0.0)
    model = sl.OneClassGaussian(0.95).fit(X)
    law = multivariate_normal(X.mean(axis=0), np.cov(X.T, bias=True))
    np.testing.assert_allclose(model.score_samples(new), law.logpdf(new), rtol=1e-10)
    np.testing.assert_allclose(model.score(new), law.logpdf(new).mean(), rtol=1e-10)
    assert model.acceptance_ == 0.95 and abs((model.predict(new) == 1).mean() - 0.95) < 0.01
    np.testing.assert_array_equal(model.decision_function(new) >= 0, model.predict(new) == 1)
    drawn = model.sample(20_000, random_state=0)
    np.testing.assert_allclose(np.corrcoef(drawn.T), np.corrcoef(X.T), atol=0.03)
    np.testing.assert_allclose(drawn.std(axis=0), X.std(axis=0), rtol=0.03)


def test_laplace_nothing_known_of_outliers():
    """Accepted where p_1 N(x) >= p_0 / V; the share is that of the law at this threshold."""
    rng = np.random.default_rng(2)
    X, new = bells(2000, rng), bells(20_000, rng)
    model = sl.OneClassGaussian(outlier_share=0.1, volume=1e4).fit(X)
    np.testing.assert_array_equal(model.predict(new) == 1, 0.9 * np.exp(model.score_samples(new)) >= 0.1 / 1e4)
    assert abs((model.predict(new) == 1).mean() - model.acceptance_) < 0.01
    by_share = sl.OneClassGaussian(model.acceptance_).fit(X)
    assert by_share.offset_ == pytest.approx(model.offset_, rel=1e-9)


def test_it_merges_forgets_and_keeps_the_share():
    rng = np.random.default_rng(3)
    a, b = bells(30, rng), bells(40, rng)
    whole = sl.OneClassGaussian(0.9).fit(np.concatenate([a, b]))
    merged = sl.OneClassGaussian(0.9).fit(a) + sl.OneClassGaussian(0.9).fit(b)
    left = sl.OneClassGaussian(0.9).fit(np.concatenate([a, b])).forget(b)
    for one, other in ((merged, whole), (left, sl.OneClassGaussian(0.9).fit(a))):
        np.testing.assert_allclose(one.score_samples(b), other.score_samples(b), rtol=1e-9)
        assert one.offset_ == pytest.approx(other.offset_, rel=1e-9)
    assert sl.OneClassGaussian in MATRIX_LEARNERS


def test_ratios_of_weights_alone_count_where_rows_are_not_counted():
    rng = np.random.default_rng(4)
    X, new = bells(60, rng), bells(500, rng)
    whole = sl.OneClassGaussian(0.8, law="chi2").fit(X)
    light = sl.OneClassGaussian(0.8, law="chi2").fit(X, sample_weight=np.full(60, 1e-3))
    np.testing.assert_array_equal(whole.predict(new), light.predict(new))
    np.testing.assert_array_equal(
        whole.predict(new), sl.OneClassGaussian(0.8, law="chi2").fit(X).decay(1e-6).predict(new)
    )


def test_few_rows_flat_directions_and_nothing():
    rng = np.random.default_rng(5)
    X = bells(3, rng)
    with pytest.warns(IllConditionedWarning, match="no row is rejected"):
        assert (sl.OneClassGaussian().fit(X).predict(bells(9, rng)) == 1).all()
    with pytest.raises(ValueError, match="at least 2 different rows"):
        sl.OneClassGaussian().fit(np.ones((5, 2)))
    flat = np.column_stack([bells(50, rng), np.full(50, 7.0)])
    with pytest.warns(IllConditionedWarning, match=r"1 direction\(s\); column\(s\) 3 are constant"):
        model = sl.OneClassGaussian().fit(flat)
    off = flat.copy()
    off[:, 3] += 0.01
    assert model.rank_ == 3 and (model.predict(flat) == 1).mean() > 0.8 and (model.predict(off) == -1).all()
    assert model.predict(flat[:1] + 1e200).tolist() == [-1]  # infinitely far, and no error


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"acceptance": 1.0}, "acceptance must be between"),
        ({"law": "t"}, "law must be one of"),
        ({"volume": 3.0}, "go together"),
        ({"outlier_share": 0.1, "volume": 0.0}, "volume must be"),
    ],
)
def test_gaussian_parameters_that_make_no_sense(options, message):
    with pytest.raises(ValueError, match=message):
        sl.OneClassGaussian(**options).fit(bells(20, np.random.default_rng(0)))


LEARNERS = [
    None,
    SVC(),
    KNeighborsClassifier(15),
    HistGradientBoostingClassifier(max_iter=20, random_state=0),
    sl.Ridge(),
]
LEARNERS[-1].set_params(basis=sl.features.RadialBasis(30, random_state=0))


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_phantoms_around_any_learner(learner):
    rng = np.random.default_rng(6)
    X, new, real = ring(400, rng), ring(4000, rng), rng.standard_normal((300, 2)) * [1.0, 100.0]
    model = sl.PhantomNegatives(learner).fit(X)
    assert 0.9 <= (model.predict(new) == 1).mean() <= 0.99  # the threshold is itself a quantile of 400 rows
    assert (model.row_scores_ >= model.offset_).mean() == pytest.approx(0.95, abs=0.03)
    assert model.phantom_roc().auc() > 0.75
    curve = model.roc(np.concatenate([new, real]), np.repeat([1, -1], [len(new), len(real)]))
    assert curve.auc() > 0.93 and (model.predict(real) == -1).mean() > 0.8
    np.testing.assert_array_equal(model.decision_function(new) >= 0, model.predict(new) == 1)


def test_samplers():
    """A box and a bell surround the rows; shuffled columns are those of the rows, and know nothing of each other."""
    from sumlearn.decision.parts.references import SAMPLERS

    rng = np.random.default_rng(7)
    Z = rng.standard_normal((500, 2)) @ np.array([[1.0, 0.9], [0.0, 0.4]])
    drawn = {
        name: kind.of(Z, np.ones(500), 1.5).draw(4000, np.random.RandomState(0)) for name, kind in SAMPLERS.items()
    }
    half = (Z.max(axis=0) - Z.min(axis=0)) / 2
    np.testing.assert_allclose(np.ptp(drawn["box"], axis=0), 3.0 * half, rtol=0.01)
    np.testing.assert_allclose(np.cov(drawn["gaussian"].T), 2.25 * np.cov(Z.T), rtol=0.1)
    assert np.isin(drawn["shuffled"], Z).all() and abs(np.corrcoef(drawn["shuffled"].T)[0, 1]) < 0.06
    assert np.corrcoef(Z.T)[0, 1] > 0.85
    heavy = np.where(np.arange(500) < 50, 3.0, 0.5)
    twice = SAMPLERS["shuffled"].of(Z, heavy, 1.0).draw(9, np.random.RandomState(1))
    rows = SAMPLERS["shuffled"].of(np.repeat(Z, (2 * heavy).astype(int), axis=0), np.ones(750), 1.0)
    np.testing.assert_array_equal(twice, rows.draw(9, np.random.RandomState(1)))


def test_copies_of_a_row_do_not_tell_its_score():
    """A row that is there ten times is left out with all its copies: its score is that of a stranger."""
    rng = np.random.default_rng(8)
    X = rng.standard_normal((80, 2))
    base = KNeighborsClassifier(1)
    plain, copied = (sl.PhantomNegatives(base).fit(rows) for rows in (X, np.repeat(X, 10, axis=0)))
    assert np.mean(copied.row_scores_ > 0) <= np.mean(plain.row_scores_ > 0) + 0.1 < 1.0


def test_a_phantom_model_is_saved_and_merges_with_none(tmp_path):
    rng = np.random.default_rng(9)
    X = ring(100, rng)
    model = sl.PhantomNegatives(sampler="shuffled").fit(X)
    sl.save(model, tmp_path / "model.zip")
    np.testing.assert_array_equal(sl.load(tmp_path / "model.zip").score_samples(X), model.score_samples(X))
    assert not list(sl.abilities(model)) and not hasattr(model, "partial_fit")
    with pytest.raises(TypeError):
        model + model


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sampler": "sphere"}, "sampler must be one of 'box', 'gaussian', 'shuffled'"),
        ({"acceptance": 0.0}, "acceptance must be"),
        ({"spread": 0.0}, "spread must be"),
        ({"n_phantoms": 1}, "n_phantoms must be"),
        ({"n_folds": 1}, "n_folds must be"),
    ],
)
def test_phantom_parameters_that_make_no_sense(options, message):
    with pytest.raises(ValueError, match=message):
        sl.PhantomNegatives(**options).fit(ring(20, np.random.default_rng(0)))


def test_what_cannot_be_learnt_is_said():
    with pytest.raises(TypeError, match="estimator must be an estimator"):
        sl.PhantomNegatives(SVC).fit(np.eye(3))
    with pytest.raises(ValueError, match="at least 2 different rows"):
        sl.PhantomNegatives().fit(np.ones((5, 2)))
    model = sl.OneClassGaussian().fit(bells(50, np.random.default_rng(0)))
    with pytest.raises(ValueError, match="y must be 1"):
        model.roc(np.eye(3), ["in", "out", "out"])
    with pytest.raises(ValueError, match="one class only"):
        model.roc(np.eye(3), [1, 1, 1])
