"""What cannot be joined says why."""

import numpy as np
import pytest

from sumlearn import GaussianNB, LinearDiscriminantAnalysis, Ridge

RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 3))
LABEL = np.arange(60) % 3


def test_sums_of_another_kind():
    model = LinearDiscriminantAnalysis().fit(X, LABEL).set_params(solver="lsqr", priors=[0.2, 0.3, 0.5])
    with pytest.raises(ValueError, match="Pooled and Grouped.*hyperparameters have changed"):
        model.partial_fit(X, LABEL)


def test_classes_fixed_beforehand():
    a = GaussianNB().partial_fit(X, LABEL, classes=[0, 1, 2])
    b = GaussianNB().partial_fit(X, LABEL, classes=[0, 1, 2, 3])
    with pytest.raises(ValueError, match="classes fixed beforehand"):
        _ = a + b
    assert (a + GaussianNB().partial_fit(X, LABEL, classes=[0, 1, 2])).class_count_.tolist() == [40.0, 40.0, 40.0]


def test_another_learner_or_number():
    model = Ridge().fit(X, X[:, 0])
    with pytest.raises(TypeError, match="a Ridge and a GaussianNB"):
        _ = model + GaussianNB().fit(X, LABEL)
    with pytest.raises(TypeError, match="unsupported operand .*'Ridge' and 'int'"):
        _ = model + 1
    with pytest.raises(ValueError, match=r"differ in alpha \(1\.0 and 2\.0\)"):
        _ = model + Ridge(2.0).fit(X, X[:, 0])
