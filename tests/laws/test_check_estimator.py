"""scikit-learn's own checks on every public estimator, without a single expected failure."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.laws.discovered import ESTIMATORS


@parametrize_with_checks([kind() for kind in ESTIMATORS])
def test_scikit_learn_checks(estimator, check):
    check(estimator)
