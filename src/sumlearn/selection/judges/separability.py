"""How far apart the classes are on a subset of the features: from the sums by class alone."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from ...data import Chunk, Source
from ...statistics import Grouped, Moments, Pooled
from .fold_sums import is_constant, scaled_difference, scaled_scatter, total_of, units
from .swept import Swept, SweptJudge

CRITERIA = ("mahalanobis", "bhattacharyya", "trace", "likelihood")


class SeparabilityJudge(SweptJudge):
    """J(S), the distance of the classes on the columns S; no rows are left out, none are read after the sums.

        mahalanobis     sum over pairs of (m_k - m_l)'C^-1 (m_k - m_l), C the covariance within the classes
        bhattacharyya   sum over pairs of 1/8 (m_k - m_l)'D^-1 (m_k - m_l) + 1/2 ln |D| / sqrt(|C_k| |C_l|),
                        D = (C_k + C_l) / 2
        trace           tr S_w^-1 S_b, S_b = sum_k W_k (m_k - m)(m_k - m)'; tr S_w^-1 S_t is |S| more
        likelihood      log-likelihood of the rows by a normal density for each class, less that by one for all,
                        for each row: 1/2 (ln |C| - sum_k W_k / W ln |C_k|)

    Covariances have divisor W. All are blind to the units of the columns, and monotone: J(S) <= J(T) for S within T.
    (Mahalanobis and trace gain w^2 / T_jj >= 0 with every column; the Bhattacharyya integral cannot grow when columns
    are dropped, by the inequality of Cauchy and Schwarz; the gain in likelihood is ln of the residual variance of one
    regression against the weighted mean of those of the classes, and Jensen's inequality does the rest.) With each of
    them every column that is swept in adds its own term, so all neighbours of S cost O(K^2 d).

    Statistic: Pooled moments for "mahalanobis" and "trace", Grouped[Moments] for the others. One pass.

    Examples
    --------
    >>> from sumlearn.data import load_example, open_source
    >>> iris = load_example("iris")
    >>> judge = SeparabilityJudge.of(open_source(iris.X, iris.y), "trace")
    >>> judge.with_each((), [0, 1, 2, 3]).round(3).tolist()
    [1.623, 0.669, 16.057, 13.061]

    References
    ----------
    Fukunaga, "Introduction to statistical pattern recognition", 1990, ch. 3, 9 and 10.
    """

    monotone = True

    def __init__(self, sums: Any, criterion: str) -> None:
        self.criterion = criterion
        groups: Grouped[Moments] = sums.groups if isinstance(sums, Pooled) else sums
        parts = [part for part in groups.groups.values() if part.weight > 0]
        if len(parts) < 2:
            raise ValueError(f"y holds {len(parts)} class: there is nothing to tell apart")
        self.size = groups.features
        self.unit = units(groups.moments() if isinstance(sums, Grouped) else sums.within)
        self.share = np.array([part.weight for part in parts]) / sums.weight
        make = self._pooled if isinstance(sums, Pooled) else self._by_class
        stack, self.linear, self.logs = make(sums, parts)
        self.state = Swept(stack, self.size)

    @classmethod
    def of(cls, source: Source, criterion: str) -> SeparabilityJudge:
        """A judge of the rows of a source with labels; criterion is one of the four above."""
        if criterion not in CRITERIA:
            raise ValueError(f"criterion must be one of {', '.join(CRITERIA)}, got {criterion!r}")
        return cls(total_of(pooled if criterion in ("mahalanobis", "trace") else by_class, source, 8), criterion)

    def here(self) -> np.ndarray:
        T, d = self.state.T, self.size
        quadratic = -T.diagonal(axis1=1, axis2=2)[:, d:]
        inside = sorted(self.state.subset)
        determinant = np.zeros(len(T))
        if inside:  # ln |C_SS| from the precision, which is in the swept matrix
            determinant = -np.linalg.slogdet(-T[np.ix_(range(len(T)), inside, inside)])[1]
        return np.array([(self.linear * quadratic).sum() + self.logs @ determinant])

    def beside(self, columns: np.ndarray) -> np.ndarray:
        T, d = self.state.T, self.size
        pivots = T[:, columns, columns]
        terms = T[:, columns, d:] ** 2 / pivots[:, :, None]
        gain = np.einsum("ajc,ac->j", terms, self.linear) + self.logs @ np.log(np.abs(pivots))
        return self.here() + gain[None]

    def means_beside(self, columns: np.ndarray) -> np.ndarray:
        return self.means_of_movable(columns)

    def _pooled(self, sums: Pooled, parts: list[Moments]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """One matrix, the covariance within the classes, with differences of means behind it, and their factors."""
        flat = is_constant(sums.within)
        if self.criterion == "trace":
            total = sums.groups.moments()
            apart = [scaled_difference(part, total, self.unit) for part in parts]
            factor = self.share
        else:
            apart = [scaled_difference(a, b, self.unit) for a, b in combinations(parts, 2)]
            factor = np.ones(len(apart))
        C = scaled_scatter(sums.within, self.unit) / sums.weight
        return bordered([C], [np.array(apart)], [flat]), factor[None], np.zeros(1)

    def _by_class(self, sums: Grouped[Moments], parts: list[Moments]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The covariance of every class, then those of the pairs or of all rows, with the factors of ln |C|."""
        covariances = [scaled_scatter(part, self.unit) / part.weight for part in parts]
        flats = [is_constant(part) for part in parts]
        none = np.zeros((1, self.size))
        if self.criterion == "likelihood":
            total = sums.moments()
            stack = bordered(
                [*covariances, scaled_scatter(total, self.unit) / total.weight],
                [none] * (len(parts) + 1),
                [*flats, is_constant(total)],
            )
            return stack, np.zeros((len(stack), 1)), np.append(-0.5 * self.share, 0.5)
        pairs = list(combinations(range(len(parts)), 2))
        means = [(covariances[a] + covariances[b]) / 2.0 for a, b in pairs]
        apart = [scaled_difference(parts[a], parts[b], self.unit)[None] for a, b in pairs]
        stack = bordered(
            [*covariances, *means],
            [*[none] * len(parts), *apart],
            [*flats, *(flats[a] | flats[b] for a, b in pairs)],
        )
        linear = np.append(np.zeros(len(parts)), np.full(len(pairs), 0.125))
        logs = np.append(np.full(len(parts), -0.25 * (len(parts) - 1)), np.full(len(pairs), 0.5))
        return stack, linear[:, None], logs


def bordered(covariances: list[np.ndarray], vectors: list[np.ndarray], flats: list[np.ndarray]) -> np.ndarray:
    """Matrices [[C, v'], [v, 0]]; a column that is constant where C was summed has no variance at all."""
    d, more = len(covariances[0]), len(vectors[0])
    stack = np.zeros((len(covariances), d + more, d + more))
    for T, C, v, flat in zip(stack, covariances, vectors, flats, strict=True):
        T[:d, :d], T[:d, d:], T[d:, :d] = C, v.T, v
        T[:d, :d][flat], T[:d, :d][:, flat] = 0.0, 0.0
    return stack


def pooled(chunk: Chunk) -> Pooled:
    return Pooled.of(chunk.X, chunk.y, chunk.weight)


def by_class(chunk: Chunk) -> Grouped[Moments]:
    return Grouped.of(chunk.X, chunk.y, chunk.weight, precise=False)
