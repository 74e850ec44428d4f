"""`class_weight`: a factor on the weight of every row of a class."""

from __future__ import annotations

from typing import Any

import numpy as np


def class_factors(
    class_weight: Any, classes: np.ndarray, weight: np.ndarray, zero_ok: bool = False
) -> np.ndarray | None:
    """One factor for each class: "balanced" gives W / (K W_k), so that all count the same; None stays None.

    >>> class_factors("balanced", np.array(["no", "yes"]), np.array([30.0, 10.0])).round(3).tolist()
    [0.667, 2.0]
    """
    if class_weight is None:
        return None
    if class_weight == "balanced":
        return weight.sum() / (len(classes) * weight)
    if not isinstance(class_weight, dict):
        raise ValueError(f"class_weight must be a dict, 'balanced' or None, got {class_weight!r}")
    labels = classes.tolist()
    unknown = [label for label in class_weight if label not in labels]
    if unknown:
        raise ValueError(f"class_weight names a class that is not in y: {unknown[0]!r}")
    factors = np.array([float(class_weight.get(label, 1.0)) for label in labels])
    good = np.isfinite(factors) & ((factors >= 0) if zero_ok else (factors > 0))
    if not good.all():
        label, least = labels[int(np.argmin(good))], "finite and not negative" if zero_ok else "positive"
        raise ValueError(f"class_weight of class {label!r} must be {least}, got {class_weight[label]!r}")
    if not factors.any():
        raise ValueError("class_weight is zero for every class")
    return factors
