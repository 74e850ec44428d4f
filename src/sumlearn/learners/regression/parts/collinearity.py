"""Which columns depend on which, from the scatter alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....solvers.linear_system import system_of
from ....solvers.normal_equations import least_squares
from ....statistics import Moments, in_words
from ...validation import term_name


def collinearity(model: Any) -> list[dict[str, Any]]:
    """One record a column: its name, its variance inflation, whether it is aliased, and its combination."""
    moments: Moments = in_words(model.statistic_)
    aliased = {int(j) for j in model.aliased_}
    kept = [j for j in range(moments.features) if j not in aliased]
    inflation = dict(zip(kept, inflations(moments.restrict(kept)), strict=True)) if kept else {}
    return [
        {
            "column": term_name(model, j),
            "inflation": float(inflation.get(j, np.inf)),
            "aliased": j in aliased,
            "combination": combination(model, moments, j, kept) if j in aliased else {},
        }
        for j in range(moments.features)
    ]


def inflations(moments: Moments) -> np.ndarray:
    """Diagonal of the inverse of the correlation matrix."""
    system = system_of(moments, np.zeros(0, np.intp), 0.0, intercept=True)
    return np.linalg.inv(system.G.hi).diagonal() * system.G.hi.diagonal()


def combination(model: Any, moments: Moments, column: int, kept: list[int]) -> dict[Any, float]:
    """Coefficients with which the kept columns before it give the aliased one; {} for a constant."""
    if moments.diagonal[column] <= 0:
        return {}
    before = [j for j in kept if j < column]
    index = np.array([*before, column])
    part = moments.project(np.eye(moments.columns)[:, index], targets=1)
    coef = least_squares(part).coef[0]
    return {term_name(model, j): float(b) for j, b in zip(before, coef, strict=True) if abs(b) > 1e-12}
