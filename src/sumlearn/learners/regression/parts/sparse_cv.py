"""The penalty of the lasso and the elastic net chosen by cross-validation: what both share."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.model_selection import KFold, check_cv
from sklearn.utils.validation import check_is_fitted

from ....data import Chunk, InMemory, Source, Stream
from ....data.stream import in_memory
from ....engines import total
from ....engines.summing import NO_WEIGHT
from ....statistics import Moments
from ...ability import Abilities
from ...fitted import check_target
from ...validation import rows_by_number, usable_rows
from .linear_path import LinearPath
from .path_folds import PathScores, path_scores, row_path_scores
from .sparse_path import SparsePath, alphas_of, largest_alpha
from .sparse_paths import MOST_COLUMNS, largest_of_rows
from .sparse_regression import check_options, check_ratio, report
from .sparse_rows import RowsPath


def pair_moments(chunk: Chunk) -> Moments:
    """Moments of (x, y)."""
    return Moments.of(chunk.X, chunk.y, chunk.weight)


class SparseCV(RegressorMixin):
    """Folds, paths and the choice; a learner says which `estimator` has the chosen penalty."""

    many_targets: ClassVar[bool] = False
    numbered: ClassVar[bool] = True
    column_target: ClassVar[bool] = True
    eps: float
    alphas: Any
    fit_intercept: bool
    max_iter: int
    tol: float
    cv: Any
    n_jobs: int | None
    positive: bool
    best_estimator_: Any

    @abstractmethod
    def ratios(self) -> np.ndarray:
        """The shares of the L1 penalty to try."""

    @abstractmethod
    def estimator(self, alpha: float, l1_ratio: float) -> Any:
        """The learner of one penalty."""

    def check(self) -> None:
        """Refuse parameters that make no sense."""
        check_options(self)
        for ratio in self.ratios():
            check_ratio(ratio)
        if not (np.isfinite(self.eps) and self.eps > 0):
            raise ValueError(f"eps must be positive, got {self.eps!r}")

    def learn_from(self, source: Source, watch: Any) -> None:
        numbered = rows_by_number(source)
        n: int = numbered.rows  # type: ignore[assignment]
        cv = check_cv(self.cv)
        if isinstance(cv, KFold) and n < cv.n_splits:
            raise ValueError(f"{cv.n_splits} folds need at least {cv.n_splits} rows, got n_samples={n}")
        splits = list(cv.split(np.zeros(n), numbered.y))
        wide = source.features > MOST_COLUMNS
        found = self._on_rows(numbered, splits) if wide else self._on_sums(numbered, splits)
        grid, shape = found.points, (len(self.ratios()), -1)
        errors = found.errors.reshape(len(splits), *shape)
        best = np.unravel_index(errors.mean(axis=0).argmin(), errors.shape[1:])
        ratio, alpha = grid.reshape(*shape, 2)[best]
        model = self.estimator(float(alpha), float(ratio))
        if wide:
            model.fitted_on(source)
        else:
            model.solve(total(pair_moments, source) if found.total is None else found.total, like=source)
            self.statistic_ = model.statistic_
        alphas = grid.reshape(*shape, 2)[:, :, 1]
        asked = isinstance(self.alphas, int | np.integer)
        self.alpha_, self.l1_ratio_ = float(alpha), float(ratio)
        self.alphas_ = alphas if asked and len(alphas) > 1 else alphas[0]
        self.mse_path_ = np.squeeze(np.moveaxis(errors, 0, -1))
        self.best_estimator_ = model
        for name in ("coef_", "intercept_", "dual_gap_", "n_iter_"):
            setattr(self, name, getattr(model, name))

    def own_abilities(self) -> Abilities:
        return Abilities()  # a choice does not add; that of `best_estimator_` does

    def predict(self, X: Any) -> np.ndarray:
        """b'x + b0 for every row."""
        check_is_fitted(self)
        return self.best_estimator_.predict(X)

    # -- how ----------------------------------------------------------------------------------------------------------

    def _points(self, largest: Any) -> np.ndarray:
        """(l1_ratio, alpha) of every point; `largest(l1_ratio)` is where a grid begins."""
        found = []
        for ratio in self.ratios().tolist():
            alphas = alphas_of(self.alphas, lambda ratio=ratio: largest(ratio), ratio, self.eps)
            found.append(np.column_stack([np.full(len(alphas), ratio), alphas]))
        return np.concatenate(found)

    def _on_sums(self, source: InMemory | Stream, splits: Any) -> PathScores:
        def points(whole: Moments) -> np.ndarray:
            if whole.weight == 0:
                raise ValueError(NO_WEIGHT)
            check_target(whole.deviation[whole.features :])
            return self._points(lambda ratio: largest_alpha(whole, ratio, self.fit_intercept, self.positive))

        def path(train: Moments, points: np.ndarray) -> LinearPath:
            parts = [
                SparsePath.of(train, alphas, ratio, self.fit_intercept, self.positive, self.max_iter, self.tol)
                for ratio, alphas in by_ratio(points)
            ]
            for part in parts:
                report(part, self.max_iter)
            beta = np.concatenate([part.beta for part in parts], axis=2)
            return LinearPath(train, points[:, 1], self.fit_intercept, None, beta)

        return path_scores(
            pair_moments, source, splits, points, path, lambda train, point: None, "neg_mean_squared_error", self.n_jobs
        )

    def _on_rows(self, source: InMemory | Stream, splits: Any) -> PathScores:
        rows, _ = in_memory(source, np.arange(source.rows))  # type: ignore[arg-type]
        whole = usable_rows(rows.chunk(next(iter(rows.parts_of(np.arange(source.rows), 1 << 40)))))  # type: ignore[arg-type]
        points = self._points(lambda ratio: largest_of_rows(whole, ratio, self.fit_intercept, self.positive))

        def path(train: Any, points: np.ndarray) -> Any:
            parts = [
                RowsPath.of(train, alphas, ratio, self.fit_intercept, self.positive, self.max_iter, self.tol)
                for ratio, alphas in by_ratio(points)
            ]
            for part in parts:
                report(part, self.max_iter)
            return Joined(parts)

        return row_path_scores(rows, splits, points, path)


class Joined:
    """Several paths as one."""

    def __init__(self, parts: list[RowsPath]) -> None:
        self.parts = parts

    def residuals(self, X: Any, y: np.ndarray) -> np.ndarray:
        """(rows, targets, points)."""
        return np.concatenate([part.residuals(X, y) for part in self.parts], axis=2)


def by_ratio(points: np.ndarray) -> list[tuple[float, np.ndarray]]:
    """Alphas of every run of points with one l1_ratio."""
    cuts = np.flatnonzero(np.diff(points[:, 0])) + 1
    return [(float(part[0, 0]), part[:, 1]) for part in np.split(points, cuts)]
