"""Where weights begin: small and by chance, so that no two units are alike."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....features.input_ranges import is_number
from ..activations import Activation
from .network import shapes_of

STARTS = ("auto", "xavier", "he")


def check_start(init: Any) -> None:
    if not (isinstance(init, str) and init in STARTS) and not (is_number(init) and 0.0 < init < np.inf):
        raise ValueError(
            f"init must be one of {', '.join(map(repr, STARTS))}, or the deviation of a normal start, got {init!r}"
        )


def first_weights(
    units: list[int], f: Activation, init: Any, random: np.random.RandomState
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Matrices and intercepts, by what `init` says.

        "auto"     uniform between -u and u, u^2 = 6 / (m + n), with sigmoids 2 / (m + n); intercepts too, as in
                   scikit-learn, of which it takes the same draws
        "xavier"   N(0, 2 / (m + n)): sums keep their size on both ways where f is near the identity (Glorot & Bengio)
        "he"       N(0, 2 / m): they do where f silences half of the units (He et al.)
        s          N(0, s^2), the lecture notes' start

    for a layer of m inputs and n units; intercepts begin at zero but for "auto".
    """
    matrices, intercepts = [], []
    for (m, n), outputs in zip(shapes_of(units, f), units[1:], strict=True):
        if init == "auto":
            reach = np.sqrt(f.gain / (m + outputs))
            matrices.append(random.uniform(-reach, reach, (m, n)))
            intercepts.append(random.uniform(-reach, reach, n))
            continue
        deviation = {"xavier": np.sqrt(2.0 / (m + outputs)), "he": np.sqrt(2.0 / m)}.get(init, init)
        matrices.append(deviation * random.standard_normal((m, n)))
        intercepts.append(np.zeros(n))
    return matrices, intercepts
