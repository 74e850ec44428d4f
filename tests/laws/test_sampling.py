"""Every public regressor and classifier draws outputs from what it has fitted, or says why it cannot."""

import numpy as np
import pytest

from sumlearn.learners.description import described_classes, description_of

from tests.laws.discovered import CLASSIFIERS, REGRESSORS, suited, target


@pytest.mark.parametrize("kind", CLASSIFIERS + REGRESSORS, ids=lambda kind: kind.__name__)
def test_outputs_are_drawn_or_there_is_a_reason(kind):
    model = kind()
    assert hasattr(model, "sample") != ("sample" in description_of(kind).lacks)
    if "sample" in description_of(kind).lacks:
        assert not hasattr(model, "predict_proba")
        return
    X = suited(kind, np.random.default_rng(0).standard_normal((60, 3)))
    y = target(kind, X)
    model.fit(X, y)
    asked = suited(kind, np.random.default_rng(1).standard_normal((60, 3)))  # of rows learnt, trees may be sure
    first, again, other = model.sample(asked, 0), model.sample(asked, 0), model.sample(asked, 1)
    assert first.shape == model.predict(asked).shape and first.dtype.kind == np.asarray(y).dtype.kind
    assert (first == again).all() and (first != other).any()
    many = model.sample(asked, 0, n=30)
    assert many.shape == (30, *first.shape) and many.dtype.kind == first.dtype.kind
    assert (many == model.sample(asked, 0, n=30)).all() and (many != many[0]).any()
    with pytest.raises(ValueError, match="n must be"):
        model.sample(X, 0, n=0)
    if kind in CLASSIFIERS:
        assert set(first) <= set(model.classes_)
    else:  # noise is about as large as the residuals, and its mean is zero
        away = np.concatenate([model.sample(X, seed) for seed in range(40)]) - np.tile(model.predict(X), 40)
        size = np.sqrt(np.mean((y - model.predict(X)) ** 2))
        assert abs(away.mean()) < 0.1 * away.std() and 0.7 * size < away.std() < 3.0 * size


def test_reasons_are_given_where_something_is_lacking():
    """A description that names what its class has, or that no class of its kind has, is out of date."""
    for kind in described_classes():
        for name, reason in description_of(kind).lacks.items():
            assert reason and not hasattr(kind(), name)
            assert any(hasattr(other(), name) for other in (CLASSIFIERS if kind in CLASSIFIERS else REGRESSORS))


@pytest.mark.parametrize("kind", [kind for kind in REGRESSORS if hasattr(kind(), "sample")], ids=lambda k: k.__name__)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_noise_that_is_no_number_is_not_drawn(kind):
    X = np.random.default_rng(0).standard_normal((60, 3))
    with pytest.raises(ValueError, match="out of range|overflows|leaves the range"):
        kind().fit(X, 1e200 * target(kind, X)).sample(X, 0)
