"""Labels in one column or in several: codes, shares and answers, as scikit-learn lays them out."""

from __future__ import annotations

from typing import Any

import numpy as np

from .linear.parts.class_weight import class_factors


def coded_labels(y: np.ndarray) -> tuple[list[np.ndarray], np.ndarray]:
    """The labels of every column, sorted, and their codes (columns, rows).

    >>> coded_labels(np.array([["b", "x"], ["a", "x"]]))[1].tolist()
    [[1, 0], [0, 0]]
    """
    pairs = [np.unique(own, return_inverse=True) for own in (y.T if y.ndim == 2 else y[None])]
    return [labels for labels, _ in pairs], np.array([codes.reshape(-1) for _, codes in pairs], dtype=np.int64)


def column_factors(
    class_weight: Any, classes: list[np.ndarray], codes: np.ndarray, weight: np.ndarray, zero_ok: bool = False
) -> np.ndarray | None:
    """The factor of every row by `class_weight`: that of its label; of several columns the product of theirs.

    Several columns have a list with a dictionary for each, or "balanced" for all.
    """
    if class_weight is None:
        return None
    listed = len(classes) > 1 and isinstance(class_weight, list)
    wanted = class_weight if listed else [class_weight] * len(classes)
    if len(wanted) != len(classes) or (len(classes) > 1 and isinstance(class_weight, dict)):
        raise ValueError(
            "number of elements in class_weight should match number of outputs. Give a list with a dictionary for each "
            f"of {len(classes)} columns of y"
        )
    out = np.ones(codes.shape[1])
    for own, labels, code in zip(wanted, classes, codes, strict=True):
        factors = class_factors(own, labels, np.bincount(code, weight, minlength=len(labels)), zero_ok)
        if factors is not None:
            out *= factors[code]
    if not out.any():
        raise ValueError("class_weight leaves no row a weight")
    return out


def split_shares(shares: np.ndarray, classes: Any) -> Any:
    """Shares of the labels, those of all columns side by side: an array for each column where `classes` is a list."""
    if not isinstance(classes, list):
        return shares
    return np.split(shares, np.cumsum([len(own) for own in classes])[:-1], axis=1)


def most_probable(shares: Any, classes: Any) -> np.ndarray:
    """The label of the largest share, the first of equals; of several columns (rows, columns)."""
    if not isinstance(classes, list):
        return classes[shares.argmax(axis=1)]
    return np.stack([own[part.argmax(axis=1)] for own, part in zip(classes, shares, strict=True)], axis=1)


def logarithms(shares: Any) -> Any:
    """Logarithms of shares, of an array or of each of a list; -infinity where there is none."""
    with np.errstate(divide="ignore"):
        return [np.log(own) for own in shares] if isinstance(shares, list) else np.log(shares)


def in_sklearn_form(classes: list[np.ndarray]) -> dict[str, Any]:
    """`classes_`, `n_classes_` and `n_outputs_`: of a single column without a list."""
    single = len(classes) == 1
    number: Any = len(classes[0]) if single else np.array([len(own) for own in classes])
    return {"classes_": classes[0] if single else classes, "n_classes_": number, "n_outputs_": len(classes)}
