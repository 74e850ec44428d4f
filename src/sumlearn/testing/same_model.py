"""Whether two fitted models say the same of the same rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from .laws import ensure, law
from .same_statistic import assert_close


def assert_same_model(a: Any, b: Any, X: Any, tolerance: float = 1e-9) -> None:
    """Raise AssertionError unless two fitted models say the same of the rows of X.

    >>> import numpy as np
    >>> from sumlearn import PCA
    >>> X = np.array([[0.0, 1.0], [2.0, 2.0], [4.0, 4.0], [7.0, 4.0]])
    >>> assert_same_model(PCA(1).fit(X[:2]) + PCA(1).fit(X[2:]), PCA(1).fit(X), X)
    """
    ours, theirs = outputs(a, X), outputs(b, X)
    ensure(list(ours) == list(theirs), f"one has {list(ours)}, the other {list(theirs)}")
    for name in ours:
        with law(name):
            if ours[name].dtype.kind == "f":
                assert_close(ours[name], theirs[name], tolerance)
            else:
                ensure(np.array_equal(ours[name], theirs[name]), f"{ours[name]} and {theirs[name]}")


def outputs(model: Any, X: Any) -> dict[str, np.ndarray]:
    """What a model says of rows: probabilities and classes, or predictions, and what it transforms them to; densities.

    Of a model that chooses columns, which hands on whatever comes in, the choice itself.
    """
    found = {}
    if hasattr(model, "predict_proba"):
        found["predict_proba"] = np.asarray(model.predict_proba(X))
        if hasattr(model, "classes_"):  # components of a mixture are none
            found["classes_"] = np.asarray(model.classes_)
    elif hasattr(model, "predict"):
        found["predict"] = np.asarray(model.predict(X))
    if hasattr(model, "get_support"):
        kind = np.asarray(model.transform(X)).dtype
        found["get_support"] = np.asarray(model.get_support(), dtype=kind if kind.kind == "f" else float)
    elif hasattr(model, "transform"):
        found["transform"] = np.asarray(model.transform(X))
    if not found and hasattr(model, "score_samples"):
        found["score_samples"] = np.asarray(model.score_samples(X))
    if not found:
        raise ValueError(f"{type(model).__name__} neither predicts nor transforms: there is nothing to compare")
    return found
