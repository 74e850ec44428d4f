"""NumPy: what one would write by hand, where no library has the method."""

from __future__ import annotations

import numpy as np
import scipy.linalg

import sumlearn as sl

from benchmarks.candidates import BOTH_BLAS, Candidate, Numbers, Rival
from benchmarks.data import Data

rival = Rival("NumPy", __name__)

HIDDEN, PENALTY, ROWS = 200, 0.1, 16_384


@rival.enters("extreme_learning_machine")
def extreme_learning_machine(data: Data) -> list[Candidate]:
    """The same random hidden layer, its Gram matrix in blocks of rows, and one Cholesky factor."""
    drawn = sl.ExtremeLearningMachineRegressor(HIDDEN).basis.fit(data.X)
    low, half = drawn.domain_[:, 0], 0.5 * (drawn.domain_[:, 1] - drawn.domain_[:, 0])
    directions, shift = drawn.directions_, (drawn.directions_ * drawn.places_).sum(axis=0)

    def hidden(X: np.ndarray) -> np.ndarray:
        z = ((X - low) / half - 1.0) @ directions
        z -= shift
        np.negative(z, out=z)
        np.exp(z, out=z)
        z += 1.0
        return np.reciprocal(z, out=z)

    def run() -> tuple[np.ndarray, float]:
        gram, cross = np.zeros((HIDDEN + 1, HIDDEN + 1)), np.zeros(HIDDEN + 1)
        level = data.target.mean()
        for start in range(0, len(data.X), ROWS):
            H = np.empty((min(ROWS, len(data.X) - start), HIDDEN + 1))
            H[:, :HIDDEN], H[:, HIDDEN] = hidden(data.X[start : start + ROWS]), 1.0
            gram += H.T @ H
            cross += H.T @ (data.target[start : start + ROWS] - level)
        gram[np.arange(HIDDEN), np.arange(HIDDEN)] += PENALTY
        solution = scipy.linalg.solve(gram, cross, assume_a="pos")
        return solution[:HIDDEN], solution[HIDDEN] + level

    def read(model: tuple[np.ndarray, float]) -> Numbers:
        return {"predictions": hidden(data.sample) @ model[0] + model[1]}

    return [Candidate("Gram matrix in blocks", run, read, BOTH_BLAS)]
