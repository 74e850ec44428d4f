"""The two roads to regularised components: singular values of all rows, or ridge regressions in turn."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sparse
from sklearn.utils import check_random_state

from ....data import Chunk
from ....features.input_ranges import one_of, whole_number
from ....solvers.alternation import Turn, next_turn, value_of
from ....statistics import Moments
from ....statistics.row_checks import raise_if_not_finite
from ...fitted import check_variances, narrowed
from ...one_pass import OnePass
from ...passes import Passes
from ...stepwise import Stepwise
from ...validation import usable_rows
from .axes import axes_of, sharpened, upright
from .sums import SeveralSums


class RegularizedOptions:
    """Parameters of both roads."""

    target: ClassVar[str | None] = None
    float_dtype: Any  # of the learner

    def __init__(
        self,
        n_components: int | None = None,
        gamma: float = 1.0,
        *,
        solver: str = "svd",
        centre: bool = True,
        init: str = "svd",
        tol: float = 1e-10,
        max_iter: int = 1000,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.gamma = gamma
        self.solver = solver
        self.centre = centre
        self.init = init
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def check(self) -> None:
        """Refuse parameters that make no sense."""
        if self.n_components is not None:
            whole_number(self.n_components, "n_components", 1)
        whole_number(self.max_iter, "max_iter", 1)
        one_of(self.solver, "solver", ("svd", "als"))
        one_of(self.init, "init", ("svd", "random"))
        one_of(self.centre, "centre", (True, False))
        for name in ("gamma", "tol"):
            value = getattr(self, name)
            number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
            if not (number and np.isfinite(value) and value >= 0):
                raise ValueError(f"{name} must be a finite number, not negative, got {value!r}")

    def number(self, features: int) -> int:
        """How many components."""
        if self.n_components is None:
            return features
        if self.n_components > features:
            raise ValueError(f"n_components={self.n_components} must be at most the number of features, {features}")
        return self.n_components

    def attributes_of(self, C: np.ndarray, mean: np.ndarray, value: float) -> dict[str, Any]:
        """Fitted attributes from the parts, which are turned such that they are orthogonal, the largest first."""
        _, sizes, axes = np.linalg.svd(C, full_matrices=False)
        own = np.zeros(C.shape)
        own[: len(sizes)] = sizes[:, None] * upright(axes)
        size = np.append(sizes, np.zeros(len(C) - len(sizes)))
        rank = int((size > np.finfo(float).eps * len(C) * size.max(initial=0.0)).sum())
        return {
            "components_": narrowed(own, self.float_dtype),
            "shrunk_values_": narrowed(size**2, self.float_dtype),
            "mean_": narrowed(mean, self.float_dtype),
            "n_components_": len(C),
            "rank_": rank,
            "objective_": float(value),
        }


class RegularizedBySums(RegularizedOptions, OnePass):
    """The closed form, of rows without gaps: singular values less gamma."""

    statistic_type = Moments

    def summarise(self, chunk: Chunk, look: Any = None) -> Moments:
        return Moments.of(chunk.X, weight=chunk.weight)

    def solution(self, statistic: Moments) -> dict[str, Any]:
        self.check()
        check_variances(statistic.deviation)
        k, rows = self.number(statistic.columns), max(statistic.least_rows(0), 1)
        axes = axes_of(statistic, self.centre)
        axes = sharpened(axes, statistic, min(k, rows), self.centre)
        sizes = axes.singular_values
        kept = min(k, len(sizes))
        shrunk = np.maximum(sizes[:kept] - self.gamma, 0.0)
        C = np.zeros((k, statistic.columns))
        C[:kept] = np.sqrt(shrunk)[:, None] * axes.directions(kept)
        value = ((sizes[:kept] - shrunk) ** 2 + 2.0 * self.gamma * shrunk).sum() + (sizes[kept:] ** 2).sum()
        mean = statistic.mean if self.centre else np.zeros(statistic.columns)
        return self.attributes_of(C, mean, value) | {"n_iter_": 1}


class CodesAndLevel(NamedTuple):
    """C, and the level of every column above `origin`."""

    C: np.ndarray
    level: np.ndarray
    origin: np.ndarray


class RegularizedByTurns(RegularizedOptions, Stepwise):
    """Ridge regressions in turn: W of the rows given C, and C given sums over the rows; gaps are left out of both."""

    takes_gaps = True

    def start(self, rows: Passes, look: Any) -> Turn:
        sums = rows.total(observed)
        seen, total = sums.parts
        empty = np.flatnonzero(seen == 0)
        if len(empty):
            names = rows.source.columns
            column = int(empty[0]) if names is None else names.names[empty[0]]
            raise ValueError(f"column {column!r} holds nothing but gaps: leave it out")
        d, origin = len(seen), total / seen if self.centre else np.zeros(len(seen))
        k = self.number(d)
        if self.init == "random":
            C = check_random_state(self.random_state).standard_normal((k, d))
        else:
            axes = axes_of(rows.total(partial(moments_filled, origin)), centred=False)
            C, kept = np.zeros((k, d)), min(k, len(axes.squares))
            C[:kept] = np.sqrt(axes.singular_values[:kept])[:, None] * axes.directions(kept)
        return Turn(None, CodesAndLevel(C, np.zeros(d), origin))

    def step(self, state: Turn, rows: Passes) -> Turn:
        first = partial(codes, gamma=self.gamma)
        second = partial(self.parts_given, origin=state.second.origin)
        return next_turn(state, first, second, self.objective, rows.total)

    def parts_given(self, sums: SeveralSums, origin: np.ndarray) -> CodesAndLevel:
        """C and levels from the products of the codes, column by column."""
        gram, cross = sums.parts[0], sums.parts[1]
        k = cross.shape[1] - 1
        penalised = gram + self.gamma * np.diag(np.append(np.ones(k), 0.0))
        if not self.centre:
            penalised, cross = penalised[:, :k, :k], cross[:, :k]
        found = ridge_solutions(penalised, cross)
        level = found[:, k] if self.centre else np.zeros(len(found))
        return CodesAndLevel(np.ascontiguousarray(found[:, :k].T), level, origin)

    def objective(self, sums: SeveralSums, parts: CodesAndLevel) -> float:
        """|X - W C|^2 over what is there, and the penalties."""
        gram, cross, squares, size = sums.parts
        full = np.vstack([parts.C, parts.level])
        fitted = np.einsum("ij,jik,kj->", full, gram, full) - 2.0 * (cross.T * full).sum()
        return float(squares + fitted + self.gamma * (size + (parts.C**2).sum()))

    def done(self, before: Turn, after: Turn) -> bool:
        return bool(abs(before.value - after.value) <= self.tol * after.value)

    def trace(self, state: Turn) -> Any:
        return value_of(state)

    def attributes(self, state: Turn) -> dict[str, Any]:
        C, level, origin = state.second
        return self.attributes_of(C, origin + level, state.value)

    def sum_of(self, source: Any, watch: Any = None) -> Any:
        """Refuse: there are no sums."""
        raise ValueError("solver='als' goes over the rows again and again, and there is no partial_fit; use fit")


def rows_with_gaps(chunk: Chunk) -> Chunk:
    """Dense rows of positive weight as float64; NaN is a gap, infinity is refused."""
    chunk = usable_rows(chunk, gaps=True)
    X = np.asarray(chunk.X.toarray() if sparse.issparse(chunk.X) else chunk.X, dtype=np.float64)
    if np.isinf(X).any():
        raise_if_not_finite(np.where(np.isnan(X), 0.0, X))
    return chunk._replace(X=X)


def observed(chunk: Chunk) -> SeveralSums:
    """Weight and sum of what is there, by column."""
    X, _, weight, _ = rows_with_gaps(chunk)
    assert weight is not None
    there = ~np.isnan(X)
    return SeveralSums.of(weight, weight @ there, weight @ np.where(there, X, 0.0))


def moments_filled(origin: np.ndarray, chunk: Chunk) -> Moments:
    """Moments about an origin that stands in the gaps."""
    X, _, weight, _ = rows_with_gaps(chunk)
    return Moments.of(np.where(np.isnan(X), 0.0, X - origin), weight=weight)


def ridge_codes(X: np.ndarray, C: np.ndarray, gamma: float) -> np.ndarray:
    """argmin_w |x - w C|^2 + gamma |w|^2 over what is there of every row."""
    there = ~np.isnan(X)
    k = len(C)
    if there.all():
        return ridge_solutions((C @ C.T + gamma * np.eye(k))[None], (X @ C.T)[None].transpose(0, 2, 1))[0].T
    pairs = (C[:, None] * C[None]).reshape(k * k, -1)
    gram = (there.astype(np.float64) @ pairs.T).reshape(-1, k, k) + gamma * np.eye(k)
    return ridge_solutions(gram, np.where(there, X, 0.0) @ C.T)


def ridge_solutions(gram: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Solutions of many small systems, of least norm where they have none of their own."""
    column = right if right.ndim == 3 else right[:, :, None]
    try:
        found = np.linalg.solve(gram, column)
        good = bool(np.isfinite(found).all())
    except np.linalg.LinAlgError:
        good = False
    if not good:
        found = np.linalg.pinv(gram, hermitian=True) @ column
    return found if right.ndim == 3 else found[:, :, 0]


def codes(parts: CodesAndLevel, chunk: Chunk, gamma: float) -> SeveralSums:
    """Products of the codes of some rows: by column those of what is there; squares of the rows and of the codes."""
    X, _, weight, _ = rows_with_gaps(chunk)
    assert weight is not None
    away = X - parts.origin
    W = np.column_stack([ridge_codes(away - parts.level, parts.C, gamma), np.ones(len(X))])
    there, filled = (~np.isnan(X)).astype(np.float64), np.where(np.isnan(X), 0.0, away)
    mine, k = W * weight[:, None], W.shape[1]
    gram = (there.T @ (mine[:, :, None] * W[:, None, :]).reshape(len(X), k * k)).reshape(-1, k, k)
    size = float((mine[:, :-1] * W[:, :-1]).sum())
    return SeveralSums.of(weight, gram, filled.T @ mine, float(weight @ (filled**2).sum(axis=1)), size)
