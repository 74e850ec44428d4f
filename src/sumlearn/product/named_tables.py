"""Tables by name that are made rather than read: synthetic problems, and the tables that scikit-learn carries."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..data import generators

Columns = dict[str, np.ndarray]
GENERATED = "made with seed 0"
SCIKIT_LEARN = "scikit-learn; attribution in its documentation"


class Made(NamedTuple):
    """A table that exists when it is asked for."""

    target: str
    description: str
    source: str
    columns: Callable[[], Columns]


def plane(X: np.ndarray, label: np.ndarray) -> Columns:
    return {"x1": X[:, 0], "x2": X[:, 1], "label": label}


def three_points() -> Columns:
    X, label, target = generators.make_toy_points()
    return plane(X, label) | {"target": target}


def noisy_curve() -> Columns:
    X, t = generators.make_noisy_polynomial(200)
    return {"x": X[:, 0], "t": t}


def two_class_scores() -> Columns:
    score, label = generators.make_two_class_scores()
    return {"score": score, "label": label}


def pixels(X: np.ndarray, digit: np.ndarray) -> Columns:
    side = generators.SIDE
    return {f"pixel{i // side}{i % side}": X[:, i] for i in range(X.shape[1])} | {"digit": digit}


def of_scikit_learn(name: str, target: str) -> Callable[[], Columns]:
    """A loader of scikit-learn; labels by their names."""

    def columns() -> Columns:
        from sklearn import datasets

        bunch = getattr(datasets, f"load_{name}")()
        labels = getattr(bunch, "target_names", None)
        values = bunch.target if labels is None else np.asarray(labels)[bunch.target]
        return dict(zip(bunch.feature_names, np.asarray(bunch.data, float).T, strict=True)) | {target: values}

    return columns


def linnerud() -> Columns:
    from sklearn.datasets import load_linnerud

    bunch = load_linnerud()
    names = [*bunch.feature_names, *bunch.target_names]
    return dict(zip(names, np.column_stack([bunch.data, bunch.target]).T, strict=True))


def digits() -> Columns:
    from sklearn.datasets import load_digits

    return pixels(*load_digits(return_X_y=True))


MADE = {
    "three_points": Made("label", "Three points with a label and a number each.", "lecture note 001", three_points),
    "xor": Made(
        "label", "Four clouds that no line separates.", GENERATED, lambda: plane(*generators.make_xor(400, spread=0.4))
    ),
    "separable": Made(
        "label",
        "Two Gaussian classes, six standard deviations apart.",
        GENERATED,
        lambda: plane(*generators.make_two_gaussians(400, distance=6.0)),
    ),
    "overlapping": Made(
        "label",
        "Two Gaussian classes, two standard deviations apart: the best possible error is 15.9 %.",
        GENERATED,
        lambda: plane(*generators.make_two_gaussians(400)),
    ),
    "noisy_curve": Made("t", "Points on the curve x - x^3 with noise of 0.1.", GENERATED, noisy_curve),
    "two_class_scores": Made(
        "label", "Scores of a classifier for two classes, with an AUC of 0.856.", GENERATED, two_class_scores
    ),
    "occluded_digits": Made(
        "digit",
        "Images of handwritten digits, half of them with a square of ink over them.",
        f"{SCIKIT_LEARN}; {GENERATED}",
        lambda: pixels(*generators.make_occluded_digits()[:2]),
    ),
    "digits": Made("digit", "Images of 1797 handwritten digits, 8 x 8 pixels.", SCIKIT_LEARN, digits),
    "wine": Made(
        "cultivar",
        "Chemical analysis of 178 wines of three cultivars.",
        SCIKIT_LEARN,
        of_scikit_learn("wine", "cultivar"),
    ),
    "breast_cancer": Made(
        "diagnosis",
        "Cell nuclei of 569 tumours, malignant or benign.",
        SCIKIT_LEARN,
        of_scikit_learn("breast_cancer", "diagnosis"),
    ),
    "diabetes": Made(
        "progression",
        "Progression of diabetes in 442 patients after a year.",
        SCIKIT_LEARN,
        of_scikit_learn("diabetes", "progression"),
    ),
    "linnerud": Made("Weight", "Exercises and measures of twenty men.", SCIKIT_LEARN, linnerud),
}


def made_table(name: str) -> tuple[Any, str]:
    """The table as Arrow, and the digest of its values.

    >>> frame, digest = made_table("noisy_curve")
    >>> frame.column_names, frame.num_rows, len(digest)
    (['x', 't'], 200, 64)
    """
    import pyarrow as pa

    columns = MADE[name].columns()
    digest = hashlib.sha256()
    for title, values in columns.items():
        digest.update(title.encode() + b"\0" + np.ascontiguousarray(values).tobytes())
    return pa.table({title: pa.array(values) for title, values in columns.items()}), digest.hexdigest()
