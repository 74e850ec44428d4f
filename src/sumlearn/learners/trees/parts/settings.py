"""What the parameters of a tree mean, for so many rows and columns; and which of them make no sense."""

from __future__ import annotations

import math
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ....features.input_ranges import is_number, one_of, whole_number
from .growth import UNLIMITED, Growth


def check_growth(learner: Any, criteria: tuple[str, ...]) -> None:
    """Refuse parameters of a growth that make no sense, whatever the rows are."""
    one_of(learner.criterion, "criterion", criteria)
    one_of(learner.splitter, "splitter", ("best", "random"))
    one_of(learner.method, "method", ("exact", "histogram"))
    if learner.max_depth is not None:
        whole_number(learner.max_depth, "max_depth", 1)
    if learner.max_leaf_nodes is not None:
        whole_number(learner.max_leaf_nodes, "max_leaf_nodes", 2)
    rows_or_share(learner.min_samples_split, "min_samples_split", 2, inclusive=True)
    rows_or_share(learner.min_samples_leaf, "min_samples_leaf", 1, inclusive=False)
    for name, largest in (("min_weight_fraction_leaf", 0.5), ("min_impurity_decrease", np.inf), ("ccp_alpha", np.inf)):
        value = getattr(learner, name)
        if not is_number(value) or not 0.0 <= value <= largest:
            upper = f"at most {largest:g}" if np.isfinite(largest) else "any size"
            raise ValueError(f"{name} must be a number that is not negative, {upper}, got {value!r}")
    wanted = learner.max_features
    if isinstance(wanted, str):
        one_of(wanted, "max_features", ("sqrt", "log2"))
    elif wanted is not None and not is_share(wanted, inclusive=True):
        whole_number(wanted, "max_features", 1)


def rows_or_share(value: Any, name: str, least: int, *, inclusive: bool) -> None:
    if not is_share(value, inclusive=inclusive):
        try:
            whole_number(value, name, least)
        except ValueError:
            end = "at most 1" if inclusive else "below 1"
            raise ValueError(
                f"{name} must be a whole number of rows, at least {least}, or a share of them above 0 and {end}, got "
                f"{value!r}"
            ) from None


def is_share(value: Any, *, inclusive: bool) -> bool:
    real = is_number(value) and not isinstance(value, Integral)
    return real and value > 0.0 and (value <= 1.0 if inclusive else value < 1.0)


def columns_tried(wanted: Any, d: int) -> int:
    """How many columns are tried at a node."""
    if wanted is None:
        return d
    if isinstance(wanted, str):
        return max(1, int(np.sqrt(d) if wanted == "sqrt" else np.log2(d)))
    if isinstance(wanted, Integral):
        if int(wanted) > d:
            raise ValueError(f"max_features must be at most the number of columns, {d}, got {wanted!r}")
        return int(wanted)
    return max(1, int(wanted * d))


def signs_of(learner: Any, sizes: np.ndarray, classes: int, outputs: int) -> tuple[int, ...]:
    """Directions of monotone columns, checked."""
    if learner.monotonic_cst is None:
        return ()
    signs = np.asarray(learner.monotonic_cst)
    if signs.shape != (len(sizes),):
        raise ValueError(f"monotonic_cst has shape {len(signs)} but the input data X has {len(sizes)} features.")
    if not np.isin(signs, (-1, 0, 1)).all():
        raise ValueError(f"monotonic_cst must be None or an array-like of -1, 0 or 1, but got {np.unique(signs)}")
    if outputs > 1:
        raise ValueError("Monotonicity constraints are not supported with multiple outputs.")
    if classes > 2:
        raise ValueError("Monotonicity constraints are not supported with multiclass classification")
    for j in np.flatnonzero((signs != 0) & (sizes > 0))[:1]:
        raise ValueError(f"monotonic_cst: column {j} is a category, whose levels have no order")
    return tuple(int(sign) for sign in signs)


def growth_of(learner: Any, rows: int, mass: float, sizes: np.ndarray, classes: int, outputs: int = 1) -> Growth:
    """The settings in numbers, for rows of a mass and columns with so many levels."""
    leaf, split = learner.min_samples_leaf, learner.min_samples_split
    leaf = int(leaf) if isinstance(leaf, Integral) else math.ceil(leaf * rows)
    split = int(split) if isinstance(split, Integral) else max(2, math.ceil(split * rows))
    tried = columns_tried(learner.max_features, len(sizes))
    draws = learner.splitter == "random" or tried < len(sizes)
    return Growth(
        criterion=learner.criterion,
        random=learner.splitter == "random",
        max_depth=UNLIMITED if learner.max_depth is None else int(learner.max_depth),
        min_samples_split=max(split, 2 * leaf),
        min_samples_leaf=leaf,
        min_weight_leaf=float(learner.min_weight_fraction_leaf) * mass,
        max_features=tried,
        max_leaf_nodes=-1 if learner.max_leaf_nodes is None else int(learner.max_leaf_nodes),
        min_impurity_decrease=float(learner.min_impurity_decrease),
        monotonic=signs_of(learner, sizes, classes, outputs),
        seed=int(check_random_state(learner.random_state).randint(2**31 - 1)) if draws else 0,
    )
