"""Coefficients of the lasso and the elastic net for many penalties, as functions of X and y."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.utils import check_array, check_consistent_length

from ....data import Chunk
from ....data.source import ArraySource
from ....engines import total
from ....engines.summing import NO_WEIGHT
from ....statistics import Moments
from ...validation import usable_rows
from .sparse_path import SparsePath, alphas_of, hardest_pull, largest_alpha
from .sparse_rows import CentredRows, RowsPath

MOST_COLUMNS = 2000  # up to which the products of the columns are added up
KNOWN = ("X_offset", "X_scale", "sample_weight", "tol", "max_iter", "random_state", "selection", "do_screening")


def elastic_net_path(
    X: Any,
    y: Any,
    *,
    l1_ratio: float = 0.5,
    eps: float = 1e-3,
    n_alphas: Any = "deprecated",
    alphas: Any = "warn",
    precompute: Any = "auto",
    Xy: Any = None,
    copy_X: bool = True,
    coef_init: Any = None,
    verbose: Any = False,
    return_n_iter: bool = False,
    positive: bool = False,
    check_input: bool = True,
    **params: Any,
) -> tuple[Any, ...]:
    """Coefficients (features, alphas) without an intercept for a path of penalties, from the largest on.

    The arguments are those of scikit-learn's function of that name: `alphas` is a number of penalties or the penalties,
    `eps` the ratio of the least to the largest of a grid. Returned are penalties, coefficients, duality gaps and, if
    asked for, sweeps. With an intercept, take the columns and y from their means first, or use `LassoCV`.

    >>> from sumlearn import Lasso
    >>> alphas, coef, gaps = Lasso.path(np.eye(3), [3.0, 2.0, 1.0], l1_ratio=1.0, alphas=[0.5, 0.1])
    >>> alphas.tolist(), coef.round(3).T.tolist()
    ([0.5, 0.1], [[1.5, 0.5, 0.0], [2.7, 1.7, 0.7]])
    """
    unknown = [name for name in params if name not in KNOWN]
    if unknown:
        raise ValueError(f"Unexpected parameters in params: {', '.join(unknown)}")
    if params.get("selection", "cyclic") not in ("cyclic", "random"):
        raise ValueError("selection should be either random or cyclic.")
    alphas = asked_alphas(alphas, n_alphas)
    # the sums, and the rows for the other road, are looked through below
    X = check_array(X, accept_sparse="csc", dtype=[np.float64, np.float32], ensure_all_finite=False)
    y = check_array(y, dtype=X.dtype.type, ensure_2d=False)
    check_consistent_length(X, y)
    if y.ndim > 1 and y.shape[1] > 1:
        if positive:
            raise ValueError("positive=True is not allowed for multi-output (y.ndim != 1)")
        raise ValueError("a path is that of one target: coefficients that share their zeros are another model")
    y = y.reshape(len(y))
    weight = params.get("sample_weight")
    if weight is not None:
        weight = np.asarray(weight, dtype=float)
        check_consistent_length(X, weight)
        if not weight.any():
            raise ValueError(NO_WEIGHT)
    most, tol = int(params.get("max_iter", 1000)), float(params.get("tol", 1e-4))
    start = None if coef_init is None else np.asarray(coef_init, float)[None]
    path: SparsePath | RowsPath
    if X.shape[1] <= MOST_COLUMNS:
        moments = total(summed, ArraySource(X, y, weight))
        grid = alphas_of(alphas, lambda: largest_alpha(moments, l1_ratio, False, positive), l1_ratio, eps)
        path = SparsePath.of(moments, grid, l1_ratio, False, positive, most, tol, start)
    else:
        rows = usable_rows(Chunk(X, y, weight))
        grid = alphas_of(alphas, lambda: largest_of_rows(rows, l1_ratio, False, positive), l1_ratio, eps)
        path = RowsPath.of(rows, grid, l1_ratio, False, positive, most, tol, start)
    found = grid, path.beta[0].astype(X.dtype), path.gaps[0]
    return (*found, path.sweeps[0].tolist()) if return_n_iter else found


def summed(chunk: Chunk) -> Moments:
    return Moments.of(chunk.X, chunk.y, chunk.weight)


def lasso_path(X: Any, y: Any, **options: Any) -> tuple[Any, ...]:
    """The path of the lasso: `elastic_net_path` with l1_ratio = 1."""
    return elastic_net_path(X, y, **({"l1_ratio": 1.0} | options))


def asked_alphas(alphas: Any, n_alphas: Any) -> Any:
    """What scikit-learn's two arguments mean: a number of penalties, or the penalties."""
    if not (isinstance(n_alphas, str) and n_alphas == "deprecated"):
        warnings.warn("'n_alphas' was deprecated in 1.9: give a number as `alphas`", FutureWarning, stacklevel=3)
    count = 100 if isinstance(n_alphas, str) else n_alphas
    if alphas is None:
        warnings.warn("'alphas=None' is deprecated: give a number of penalties", FutureWarning, stacklevel=3)
    return count if alphas is None or (isinstance(alphas, str) and alphas == "warn") else alphas


def largest_of_rows(rows: Chunk, l1_ratio: float, intercept: bool, positive: bool) -> float:
    """The least penalty that leaves no coefficient, from rows in memory."""
    y = np.asarray(rows.y, dtype=float)
    design = CentredRows.of(rows.X, np.asarray(rows.weight, float), y.reshape(len(y), -1), intercept)
    return hardest_pull(np.ldexp(design.cross, design.unit + design.target_unit), positive) / (design.weight * l1_ratio)
