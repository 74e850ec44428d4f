"""Every public estimator, found in ``sumlearn.__all__``: a new one is put through every check without an edit."""

import inspect

import numpy as np
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, is_classifier

import sumlearn
from sumlearn.learners import OnePass
from sumlearn.learners.abilities import sums_by_row


def public(base):
    found = [getattr(sumlearn, name) for name in sumlearn.__all__]
    return [value for value in found if inspect.isclass(value) and issubclass(value, base)]


ESTIMATORS = public(BaseEstimator)
# Those whose default looks at the rows before they are summed (centres) add up once that is given: their own tests.
LEARNERS = [kind for kind in public(OnePass) if sums_by_row(kind())]
CLASSIFIERS = [c for c in ESTIMATORS if is_classifier(c())]
REGRESSORS = [c for c in ESTIMATORS if c not in CLASSIFIERS and hasattr(c, "predict")]
SELECTORS = [  # features are chosen for a target
    c for c in ESTIMATORS if c not in CLASSIFIERS + REGRESSORS and c().__sklearn_tags__().target_tags.required
]

# What TableModel reads is a table, where text is a category, a gap is filled and columns go by name: what matrices are
# refused for, tables are made for. Its faults and sources are in tests/table; the laws are those of all.
MATRIX_ESTIMATORS, MATRIX_LEARNERS, MATRIX_REGRESSORS = (
    [kind for kind in kinds if kind is not sumlearn.TableModel] for kinds in (ESTIMATORS, LEARNERS, REGRESSORS)
)


def supervised(kind):
    return kind in CLASSIFIERS or kind in REGRESSORS or kind in SELECTORS


def target(kind, X, seed=0):
    """A y that suits the learner: three classes, noisy numbers, or nothing. Made of the ranks of the columns."""
    if not supervised(kind):
        return None
    rng = np.random.default_rng(seed)
    size = np.abs(np.asarray(X, dtype=float)).max(axis=0)
    scaled = np.asarray(X, dtype=float) / np.where(size > 0, size, 1.0)
    score = scaled.sum(axis=1) + 0.3 * scaled.std() * rng.standard_normal(len(scaled))
    if kind in CLASSIFIERS:
        return np.array(["low", "middle", "top"])[(3 * score.argsort(kind="stable").argsort()) // len(score)]
    return score


# Values worth trying, by parameter. What is not listed is drawn by the kind of its default.
VALUES = {
    "alpha": [0.0, 0.3, 20.0],
    "n_components": [None, 1, 2],
    "priors": [None, [0.2, 0.3, 0.5]],
    "reg_param": [0.0, 0.1],
    "shrinkage": [None, 0.3],
    "tol": [1e-4],
    "var_smoothing": [1e-9, 1e-3],
}
CHOICES = {
    "BayesianRegression": {"alpha": ["evidence", 0.3, 20.0], "beta": ["evidence", 0.5]},
    "FisherDiscriminant": {"within": ["pooled", "identity"], "threshold": ["midpoint", "prior"]},
    "LeastSquaresClassifier": {"class_weight": [None, "balanced", {"low": 3.0, "top": 0.5}]},
    "LinearDiscriminantAnalysis": {"solver": ["svd", "lsqr", "eigen"]},
    "Loess": {"bandwidth": [None, 0.7], "degree": [0, 1, 2], "robust_iterations": [0, 1], "span": [0.3, 2 / 3, 1.0]},
    "NadarayaWatson": {"bandwidth": ["loo", 0.5, 40.0], "left_out": ["auto", None, 7]},
    "PCA": {"n_components": [None, 1, 2, 0.9, "mle"], "svd_solver": ["auto", "full", "randomized"]},
    "PolynomialClassifier": {
        "class_weight": [None, "balanced"],
        "degree": [1, 2, 3],
        "interactions": [True, False, "only"],
    },
    "QuadraticDiscriminantAnalysis": {"solver": ["svd", "eigen"]},
    "Ridge": {"solver": ["auto", "cholesky", "sag"]},
}


def values_of(kind, name, default):
    if name in CHOICES.get(kind.__name__, {}):
        return CHOICES[kind.__name__][name]
    if name in VALUES:
        return VALUES[name]
    if isinstance(default, bool):
        return [False, True]
    if isinstance(default, float):
        return [default, default / 2, default * 2]
    return [default]


def variants(kind):
    """Learners of a kind with drawn hyperparameters."""
    options = {name: values_of(kind, name, default) for name, default in kind().get_params(deep=False).items()}
    return st.fixed_dictionaries({name: st.sampled_from(values) for name, values in options.items()}).map(
        lambda parameters: kind(**parameters)
    )
