"""Every public estimator, found in ``sumlearn.__all__``: a new one is put through every check without an edit."""

import inspect

import numpy as np
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, is_classifier

import sumlearn
from sumlearn.data.target import Target
from sumlearn.learners import OnePass, Roads
from sumlearn.learners.ability import sums_by_row
from sumlearn.learners.description import description_of


def public(base):
    found = list(dict.fromkeys(getattr(sumlearn, name) for name in sumlearn.__all__))  # one may have two names
    return [value for value in found if inspect.isclass(value) and issubclass(value, base) and not words_alone(value)]


def words_alone(kind):
    """What learns concepts refuses numbers: it has tests of its own, on words (tests/learners/concepts)."""
    return issubclass(kind, BaseEstimator) and not kind().__sklearn_tags__().input_tags.two_d_array


ESTIMATORS = public(BaseEstimator)
# Those whose default looks at the rows before they are summed (centres) add up once that is given: their own tests.
LEARNERS = [kind for kind in public(OnePass) if sums_by_row(kind())]
LEARNERS += [kind for kind in public(Roads) if sums_by_row(kind()) and kind().reads == "numbers"]
CLASSIFIERS = [c for c in ESTIMATORS if is_classifier(c())]
PREDICTORS = [c for c in ESTIMATORS if c not in CLASSIFIERS and hasattr(c, "predict")]
REGRESSORS = [c for c in PREDICTORS if c().__sklearn_tags__().target_tags.required]  # clusters need no target
SELECTORS = [  # features are chosen for a target
    c for c in ESTIMATORS if c not in CLASSIFIERS + REGRESSORS and c().__sklearn_tags__().target_tags.required
]


def reads_tables(kind):
    """What TableModel reads is a table, where text is a category, a gap is filled and columns go by name.

    What matrices are refused for, tables are made for. Its faults and sources are in tests/table; the laws are those
    of all. What hands gaps on to trees (bagging) does not refuse them either.
    """
    tags = kind().__sklearn_tags__().input_tags
    return tags.categorical or tags.allow_nan


def counts_alone(kind):
    """What reads counts, numbered categories or truth values makes nothing of points; it has tests of its own."""
    tags = kind().__sklearn_tags__().classifier_tags
    return tags is not None and tags.poor_score


def partly_labelled(kind):
    """Whether rows may have no label: None, NaN, or -1 among numbers, which is no class there."""
    return Target.named(kind().target).partly


POINT_CLASSIFIERS = [kind for kind in CLASSIFIERS if not counts_alone(kind)]
MATRIX_ESTIMATORS, MATRIX_LEARNERS, MATRIX_REGRESSORS = (
    [kind for kind in kinds if not reads_tables(kind) and not counts_alone(kind)]
    for kinds in (ESTIMATORS, LEARNERS, REGRESSORS)
)


def supervised(kind):
    return kind in CLASSIFIERS or kind in REGRESSORS or kind in SELECTORS


def suited(kind, X):
    """Rows that suit the learner: without signs, where it takes no negative numbers; few categories, for such."""
    tags = kind().__sklearn_tags__().input_tags
    if not tags.positive_only:
        return X
    return np.floor(np.abs(X)) % 7 if tags.categorical else np.abs(X)


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


# Values worth trying, by parameter, where the learner names none itself; what is not listed is drawn by the kind of its
# default.
VALUES = {
    "alpha": [0.0, 0.3, 20.0],
    "n_components": [None, 1, 2],
    "priors": [None, [0.2, 0.3, 0.5], {"low": 0.2, "top": 0.5, "middle": 0.3}],
    "reg_param": [0.0, 0.1],
    "shrinkage": [None, 0.3],
    "tol": [1e-4],
    "var_smoothing": [1e-9, 1e-3],
}


def values_of(kind, name, default):
    if name in description_of(kind).variants:
        return description_of(kind).variants[name]
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
