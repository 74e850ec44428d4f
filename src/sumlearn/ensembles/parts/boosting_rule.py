"""BoostingRule: when boosting ends, what a member's vote is, and what rows weigh after it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...compiled.stumps import TIE

EPSILON = float(np.finfo(np.float64).eps)  # the least weight of a row, of all rows together


@dataclass(frozen=True)
class BoostingRule:
    """AdaBoost.M1 or SAMME.

        M1       v = -log beta,  beta = e / (1 - e),                   while e < 1/2
        SAMME    v = log((1 - e) / e) + log(K - 1),                    while e < 1 - 1/K
        weights of rows that are wrong: times exp(v), all over their sum

    times the learning rate. To divide the weights of the right rows by exp(v), as M1 is written, is the same but for a
    factor of all. A member without an error ends it, with a finite vote: by M1 that of a member which errs on half a
    row of all W, log(1 + 2 W); by SAMME 1, as in scikit-learn.

    >>> BoostingRule("m1", 1.0, 2, 10.0).vote(0.2), BoostingRule("samme", 1.0, 4, 10.0).vote(0.5)
    (1.3862943611198906, 1.0986122886681098)
    >>> BoostingRule("m1", 1.0, 4, 10.0).vote(0.5)
    >>> round(BoostingRule("m1", 1.0, 2, 10.0).vote(0.0), 4)
    3.0445
    """

    algorithm: str
    learning_rate: float
    classes: int
    mass: float  # sum of the weights of all rows

    def vote(self, error: float) -> float | None:
        """The vote of a member with this weighted error; None where it is no better than guessing."""
        if error <= 0.0:
            return 1.0 if self.algorithm == "samme" else self.learning_rate * float(np.log1p(2.0 * self.mass))
        bound = 0.5 if self.algorithm == "m1" else 1.0 - 1.0 / self.classes
        if error >= bound - TIE:
            return None
        more = 0.0 if self.algorithm == "m1" else np.log(self.classes - 1.0)
        return float(self.learning_rate * (np.log((1.0 - error) / error) + more))


def started(weight: np.ndarray, mass: float) -> np.ndarray:
    """The weights of rows before the first round, as shares of the whole."""
    return np.maximum(weight / mass, EPSILON)


def raised(weight: np.ndarray, wrong: np.ndarray, vote: float) -> np.ndarray:
    """The weights after a member, not yet as shares."""
    with np.errstate(over="ignore"):
        return np.where(wrong, weight * np.exp(vote), weight)


def as_shares(weight: np.ndarray, whole: float) -> np.ndarray:
    """Weights as shares of the whole; none falls below the rounding of one."""
    return np.maximum(weight / whole, EPSILON)
