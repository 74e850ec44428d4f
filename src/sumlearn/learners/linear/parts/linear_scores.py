"""Scores of linear models."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sparse

from ...linear_map import affine


def linear_scores(model: Any, X: Any) -> np.ndarray:
    """w_k'x + w0_k for every row and output, also far from zero."""
    coef = model.coef_.toarray() if sparse.issparse(model.coef_) else model.coef_
    coef = np.atleast_2d(coef)
    scores = affine(X, coef.T, np.atleast_1d(model.intercept_), model._centre, model._level)
    return scores.astype(X.dtype, copy=False)  # the centre is float64
