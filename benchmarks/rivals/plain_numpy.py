"""NumPy: what one would write by hand, where no library has the method."""

from __future__ import annotations

import numpy as np
import scipy.linalg

import sumlearn as sl

from benchmarks import local
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


@rival.enters("local/nadaraya_watson")
def nadaraya_watson(data: Data) -> list[Candidate]:
    """Exponents of a block of queries by one product of augmented matrices, the exponential in place, a product."""
    queries, h = local.queries(data), local.bandwidth(data)
    centre = data.X.mean(axis=0)

    def candidate(block: int) -> Candidate:
        def run() -> np.ndarray:
            Z, Q = (data.X - centre) / h, (queries - centre) / h
            right = np.vstack([Z.T, np.ones(len(Z)), -0.5 * (Z**2).sum(axis=1)])
            left = np.column_stack([Q, -0.5 * (Q**2).sum(axis=1), np.ones(len(Q))])
            values = np.column_stack([data.target, np.ones(len(Z))])
            found = np.empty(len(Q))
            for start in range(0, len(Q), block):
                K = left[start : start + block] @ right
                np.exp(K, out=K)
                sums = K @ values
                found[start : start + block] = sums[:, 0] / sums[:, 1]
            return found

        return Candidate(f"exponents by a product, {block} queries at a time", run, local.predictions, BOTH_BLAS)

    return [candidate(20), candidate(100)]


@rival.enters("local/bandwidth")
def bandwidth(data: Data) -> list[Candidate]:
    """Distances of a block of rows once, then a kernel for every bandwidth; ours tries four more around the best."""

    def candidate(block: int) -> Candidate:
        def run() -> np.ndarray:
            Z, errors = local.deviations(data.X), np.zeros(len(local.FACTORS))
            values = np.column_stack([data.target, np.ones(len(Z))])
            squares = (Z**2).sum(axis=1)
            for start in range(0, len(Z), block):
                rows = slice(start, start + block)
                D = squares[rows, None] + squares - 2.0 * (Z[rows] @ Z.T)
                D[np.arange(len(D)), np.arange(start, start + len(D))] = np.inf
                D -= D.min(axis=1, keepdims=True)
                for k, factor in enumerate(local.FACTORS):
                    sums = np.exp(D * (-0.5 / factor**2)) @ values
                    errors[k] += ((data.target[rows] - sums[:, 0] / sums[:, 1]) ** 2).sum()
            return errors / len(Z)

        return Candidate(f"{block} rows at a time", run, lambda errors: {"errors": errors}, BOTH_BLAS)

    return [candidate(50), candidate(200)]


@rival.enters("local/lwr_queries")
def lwr_queries(data: Data) -> list[Candidate]:
    """Gaussians of all queries and centres by broadcasting, times the lines."""
    queries, (centres, width) = local.queries(data), local.places(data)
    model = sl.LocalRegression(centres, width).fit(data.X, data.target)
    slopes, intercepts = model.slopes_, model.intercepts_

    def candidate(block: int) -> Candidate:
        def run() -> np.ndarray:
            found = np.empty(len(queries))
            for start in range(0, len(queries), block):
                Q = queries[start : start + block]
                phi = np.exp(-0.5 * (((Q[:, None] - centres) / width) ** 2).sum(axis=2))
                found[start : start + block] = (phi * (Q @ slopes.T + intercepts)).sum(axis=1) / phi.sum(axis=1)
            return found

        return Candidate(f"broadcast, {block} queries at a time", run, local.predictions, BOTH_BLAS)

    return [candidate(500), candidate(20_000)]


@rival.enters("local/loess_curve")
@rival.enters("local/loess_surface")
def loess(data: Data) -> list[Candidate]:
    """Weighted planes of a block of queries by broadcasting, and one call that solves them all."""
    queries, near = local.queries(data), int(np.ceil(local.SPAN * len(data.X) - 1e-9))

    def candidate(block: int) -> Candidate:
        def run() -> np.ndarray:
            scale, found = data.X.std(axis=0), np.empty(len(queries))
            Z, Q = data.X / scale, queries / scale
            for start in range(0, len(Q), block):
                away = Z - Q[start : start + block, None]
                D = (away**2).sum(axis=2)
                reach = np.partition(D, near - 1, axis=1)[:, near - 1 : near]
                W = np.where(reach > D, (1.0 - (D / reach) ** 1.5) ** 3, 0.0)
                A = np.concatenate([np.ones((*D.shape, 1)), away], axis=2)
                WA = (W[:, :, None] * A).transpose(0, 2, 1)
                found[start : start + block] = np.linalg.solve(WA @ A, WA @ data.target[:, None])[:, 0, 0]
            return found

        return Candidate(f"broadcast, {block} queries at a time", run, local.predictions, BOTH_BLAS)

    return [candidate(20), candidate(100)]
