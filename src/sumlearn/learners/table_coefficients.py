"""Coefficients of a linear learner in the units of the table."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..features.table.design import Design


def coef_table(learner: Any, design: Design) -> list[tuple[str, Any]]:
    """b'x + b0 with x = (v - centre) / deviation, as a function of v."""
    if not hasattr(learner, "coef_"):
        raise ValueError(f"{type(learner).__name__} has no coefficients")
    coef = np.atleast_2d(np.asarray(learner.coef_, dtype=float))
    intercept = np.broadcast_to(np.asarray(getattr(learner, "intercept_", 0.0), dtype=float), len(coef)).copy()
    natural = coef.copy()
    for j, name in enumerate(design.names):
        if name in design.scales:
            centre, deviation = design.scales[name]
            natural[:, j] /= deviation
            intercept -= natural[:, j] * centre
    rows = [("(intercept)", intercept), *zip(design.names, natural.T, strict=True)]
    return [(name, float(values[0]) if len(values) == 1 else values.tolist()) for name, values in rows]
