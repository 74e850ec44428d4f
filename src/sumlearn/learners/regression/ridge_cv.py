"""Ridge regression with the penalty chosen by exact cross-validation."""

from __future__ import annotations

from functools import partial
from numbers import Real
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.utils.validation import check_is_fitted

from ...data import InMemory, Source, Stream
from ...data.stream import in_memory
from ...engines import cores, engine_for, in_threads, one_blas_thread, pattern_sums, rounds, training_sums
from ...engines.folds import Round, merge_all
from ...statistics import Moments, Total
from ..description import Description
from ..validation import rows_by_number, training_source
from .ridge import Ridge
from .ridge_path import RidgePath
from .scores import FROM_SUMS, nearly_exact


class RidgeCV(RegressorMixin, BaseEstimator):
    """Ridge regression over a whole path of penalties, the best one chosen by exact cross-validation.

        K folds: train on the sum of the other folds, and score sum (y - b'x - b0)^2 from the fold's own sum
        leave-one-out: r_i / (1 - h_ii), h the hat matrix, for all penalties at once (a second read)

    One eigendecomposition per fold serves all penalties: 100 of them in 10 folds cost one pass over the data.

    Statistic: Moments of (x, y) per fold; one pass (two for leave-one-out and for scores that need predictions). The
    choice of the penalty is no sum, so this learner has no `+`; ``best_estimator_`` is a Ridge that has. Files and Dask
    collections are read as streams, targets first; scores that need predictions hold one fold in memory at a time.

    Parameters
    ----------
    alphas : array, default=(0.1, 1.0, 10.0)
        Penalties to try, positive.
    fit_intercept : bool, default=True
        Whether to fit b0.
    scoring : str or callable, default=None
        With `cv`, None means R^2; without, the negative mean squared error. Squared-error scores come from the sums.
    cv : int, splitter or iterable of splits, default=None
        None is leave-one-out.
    gcv_mode : {"auto", "svd", "eigen"}, default=None
        Accepted for compatibility.
    store_cv_results : bool, default=False
        With leave-one-out, keep the squared errors of all rows in ``cv_results_`` (rows, [targets,] alphas).
    alpha_per_target : bool, default=False
        With leave-one-out, choose the penalty of each target by itself.
    basis : basis of `sumlearn.features`, default=None
        x -> phi(x) before anything else; one that needs no look at the data streams and merges.

    Attributes
    ----------
    alpha_, best_score_, coef_, intercept_, best_estimator_
        The chosen penalty, its score, its coefficients, and the Ridge itself, which can update, merge and forget.
    path_coef_, path_intercept_
        Coefficients and intercepts for all penalties, (alphas, [targets,] features).
    cv_results_
        With `cv`: mean squared errors, (folds, alphas).
    statistic_
        The sums of all rows.

    Examples
    --------
    >>> import numpy as np
    >>> from sumlearn import RidgeCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((200, 5))
    >>> y = X @ [1.0, 0.5, 0.0, 0.0, 0.0] + rng.standard_normal(200)
    >>> model = RidgeCV(np.logspace(-2, 3, 11), cv=5).fit(X, y)
    >>> float(model.alpha_), model.cv_results_.shape
    (10.0, (5, 11))

    References
    ----------
    Lecture notes 000, 003; Golub, Heath & Wahba, "Generalized cross-validation", 1979; Allen's PRESS, 1974.
    """

    description = Description(onnx="linear")

    one_pass = False
    mergeable = False
    forgettable = False

    def __init__(
        self,
        alphas: Any = (0.1, 1.0, 10.0),
        *,
        fit_intercept: bool = True,
        scoring: Any = None,
        cv: Any = None,
        gcv_mode: str | None = None,
        store_cv_results: bool = False,
        alpha_per_target: bool = False,
        basis: Any = None,
    ) -> None:
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.scoring = scoring
        self.cv = cv
        self.gcv_mode = gcv_mode
        self.store_cv_results = store_cv_results
        self.alpha_per_target = alpha_per_target
        self.basis = basis

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose the penalty and fit with it."""
        alphas = self._checked_alphas()
        work = type(self)(**self.get_params(deep=False))  # not a clone: the splits of `cv` may be a generator
        source = rows_by_number(training_source(work, X, y, sample_weight, target="number", reset=True))
        single = source.targets == 1
        results: dict[str, Any] = {}
        if self.cv is None:
            total, scores = self._leave_one_out(source, alphas, results)
        else:
            total, scores = self._folds(source, alphas, results)
        per_target = self.alpha_per_target and not single
        best = scores.argmax(axis=-1) if per_target else int(scores.mean(axis=0).argmax())
        alpha = alphas[best] if per_target else float(alphas[best])
        model = self._ridge(total, alpha, source)
        coef, intercept = RidgePath.of(total, alphas, self.fit_intercept).coefficients()
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)
        self.__dict__.update({k: v for k, v in vars(work).items() if k.endswith("_")} | results)
        self.alpha_ = alpha
        self.best_score_ = scores[np.arange(len(scores)), best] if per_target else float(scores.mean(axis=0)[best])
        self.best_estimator_, self.statistic_ = model, total
        self.coef_, self.intercept_ = model.coef_, model.intercept_
        self.path_coef_ = coef[:, 0] if single else coef
        self.path_intercept_ = intercept[:, 0] if single else intercept
        return self

    def predict(self, X: Any) -> np.ndarray:
        """b'x + b0 for every row."""
        check_is_fitted(self)
        return self.best_estimator_.predict(X)

    def sample(self, X: Any, random_state: Any = None) -> np.ndarray:
        """Draw a target for every row from N(f(x), 1 / beta), the distribution that the chosen Ridge has fitted."""
        check_is_fitted(self)
        return self.best_estimator_.sample(X, random_state)

    # -- how ----------------------------------------------------------------------------------------------------------

    def _checked_alphas(self) -> np.ndarray:
        given = np.atleast_1d(np.asarray(self.alphas, dtype=object))
        if given.ndim != 1 or not len(given):
            raise ValueError(f"alphas must be one or more finite numbers, got {self.alphas!r}")
        least = "> 0.0 for leave-one-out" if self.cv is None else ">= 0.0"
        for i, alpha in enumerate(given):
            if not isinstance(alpha, Real):
                raise TypeError(f"alphas[{i}] must be an instance of float, not {type(alpha).__name__}")
            if not np.isfinite(float(alpha)) or alpha < 0 or (alpha == 0 and self.cv is None):
                raise ValueError(f"alphas must be finite and positive: alphas[{i}] == {alpha}, must be {least}")
        alphas = given.astype(float)
        if self.gcv_mode not in (None, "auto", "svd", "eigen"):
            raise ValueError(f"gcv_mode must be None, 'auto', 'svd' or 'eigen', got {self.gcv_mode!r}")
        if self.cv is not None and self.store_cv_results:
            raise ValueError("cv!=None and store_cv_results=True are incompatible")
        if self.cv is not None and self.alpha_per_target:
            raise ValueError("cv!=None and alpha_per_target=True are incompatible")
        return alphas

    def _ridge(self, statistic: Moments, alpha: Any, source: Source) -> Ridge:
        model = Ridge(alpha, fit_intercept=self.fit_intercept, basis=self.basis)
        model.solve(statistic, like=source)
        return model

    def _leave_one_out(
        self, source: InMemory | Stream, alphas: np.ndarray, results: dict[str, Any]
    ) -> tuple[Moments, np.ndarray]:
        """Scores (targets, alphas): a first read for the sums, a second for residuals and hat values."""
        ridge = Ridge(fit_intercept=self.fit_intercept)
        total = ridge.sum_of(source)
        path = RidgePath.of(total, alphas, self.fit_intercept)
        if self.scoring is None and not self.store_cv_results:
            squared = engine_for(source).reduce(partial(left_out_total, path, source), source.parts())
            return total, -squared.values / squared.weight
        chunks = list(source.chunks())
        errors = np.concatenate([path.left_out_errors(chunk) for chunk in chunks])  # (rows, targets, alphas)
        y = np.concatenate([np.asarray(chunk.y, dtype=float) for chunk in chunks])
        weight = source.weight if source.weight is not None else np.ones(len(y))
        if self.scoring is None:
            squares = weight[:, None, None] * errors**2
            if self.store_cv_results:
                results["cv_results_"] = squares[:, 0] if y.ndim == 1 else squares
            return total, -squares.sum(axis=0) / weight.sum()
        predictions = y.reshape(len(y), -1)[:, :, None] - errors
        if self.store_cv_results:
            results["cv_results_"] = predictions[:, 0] if y.ndim == 1 else predictions
        scorer = check_scoring(Ridge(), scoring=self.scoring)
        extra = {} if source.weight is None else {"sample_weight": source.weight}
        flat = y.reshape(len(y), -1)
        if self.alpha_per_target and y.ndim == 2:
            columns = [[t] for t in range(flat.shape[1])]
        else:
            columns = [list(range(flat.shape[1]))]
        scores = [
            [scorer(Given(), predictions[:, c, a].squeeze(), flat[:, c].squeeze(), **extra) for a in range(len(alphas))]
            for c in columns
        ]
        return total, np.array(scores, dtype=float)

    def _folds(
        self, source: InMemory | Stream, alphas: np.ndarray, results: dict[str, Any]
    ) -> tuple[Moments, np.ndarray]:
        """Scores (1, alphas), averaged over the folds."""
        n: int = source.rows  # type: ignore[assignment]
        splits = list(check_cv(self.cv, source.y, classifier=False).split(np.zeros(n), source.y))
        ridge = Ridge(fit_intercept=self.fit_intercept)
        errors, scores = np.empty((len(splits), len(alphas))), np.empty((len(splits), len(alphas)))
        from_sums = self.scoring is None or self.scoring in FROM_SUMS
        total: Any = None
        for part in rounds(splits, n):
            sums = pattern_sums(partial(ridge.summary_of, source), source, engine_for(source), part)
            if total is None and part.covers:
                total = merge_all(sums)

            def fold(item: tuple[int, Any], part: Round = part, sums: Any = sums) -> None:
                s, train = item
                number = part.splits[s]
                path = RidgePath.of(train, alphas, self.fit_intercept)
                test = merge_all([sums[p] for p in part.test[s]])
                squares = path.squared_errors(test)
                spread = np.maximum(test.scatter.diagonal()[test.features :], 0.0)
                if nearly_exact(squares, spread):
                    squares = held_out_squares(path, *in_memory(source, part.rows(part.test[s])))
                errors[number] = squares.mean(axis=0) / test.weight
                if from_sums:
                    scores[number] = FROM_SUMS[self.scoring or "r2"](squares, spread, test.weight, test.rows)
                else:
                    held = in_memory(source, part.rows(part.test[s]))
                    scores[number] = self._scores_of_rows(train, alphas, *held)

            workers = 1 if isinstance(source, Stream) else cores()  # one fold of a stream in memory at a time
            with one_blas_thread():
                in_threads(fold, enumerate(training_sums(sums, part)), workers)
        results["cv_results_"] = errors
        if np.isnan(scores).any():
            raise ValueError("R^2 needs two rows in every fold: use scoring='neg_mean_squared_error', or cv=None")
        total = ridge.sum_of(source) if total is None else total
        if total.weight == 0:
            raise ValueError("sample_weight is zero for every row: the sum of the weights must be positive")
        return total, scores.mean(axis=0)[None]

    def _scores_of_rows(self, train: Moments, alphas: np.ndarray, source: InMemory, rows: np.ndarray) -> np.ndarray:
        """Any other score: one model per penalty, solved from the sums, asked about the rows left out."""
        scorer = check_scoring(Ridge(), scoring=self.scoring)
        X, y = source.native(rows), source.y[rows]  # type: ignore[index]
        extra = {} if source.weight is None else {"sample_weight": source.weight[rows]}
        return np.array([scorer(self._ridge(train, float(alpha), source), X, y, **extra) for alpha in alphas])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.multi_output = True
        return tags


class Given(RegressorMixin, BaseEstimator):
    """Predictions that are there already, for a scorer."""

    def predict(self, X: np.ndarray) -> np.ndarray:
        return X

    def __sklearn_is_fitted__(self) -> bool:
        return True


def left_out_total(path: RidgePath, source: Source, part: Any) -> Total:
    return path.left_out_total(source.chunk(part))


def held_out_squares(path: RidgePath, source: InMemory, rows: np.ndarray) -> np.ndarray:
    """Squared errors of rows read once more: (targets, alphas)."""
    total = 0.0
    for chunk in map(source.chunk, source.parts_of(rows)):
        X = chunk.X.toarray() if hasattr(chunk.X, "toarray") else chunk.X
        residuals = path.residuals(np.asarray(X, dtype=float), np.asarray(chunk.y, dtype=float))
        weight = np.ones(len(residuals)) if chunk.weight is None else chunk.weight
        total = total + np.einsum("i,ita,ita->ta", weight, residuals, residuals)
    return np.asarray(total)
