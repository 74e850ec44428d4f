"""Ridge regression with the penalty chosen by exact cross-validation."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.utils.validation import check_is_fitted

from ...data import InMemory, Source, Stream
from ...engines import total
from ...engines.summing import NO_WEIGHT
from ...statistics import Moments
from ..ability import Abilities
from ..description import Description
from ..fitted import OfChosen
from ..learner import Learner
from ..validation import rows_by_number
from .parts.known_answers import KnownAnswers
from .parts.path_folds import path_scores
from .parts.ridge_path import RidgePath
from .ridge import Ridge


class RidgeCV(RegressorMixin, Learner):
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
        x -> phi(x) before anything else; models of a basis that looks at the data merge where the look is the same.

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

    many_targets = True

    coef_ = OfChosen("Coefficients at the chosen penalty.")
    intercept_ = OfChosen("Intercept at the chosen penalty.")

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

    def learn_from(self, source: Source, watch: Any) -> None:
        alphas = self._checked_alphas()
        numbered = rows_by_number(source)
        single = source.targets == 1
        results: dict[str, Any] = {}
        if self.cv is None:
            path, scores = self._leave_one_out(numbered, alphas, results)
        else:
            path, scores = self._folds(numbered, alphas, results)
        per_target = self.alpha_per_target and not single
        best = scores.argmax(axis=-1) if per_target else int(scores.mean(axis=0).argmax())
        alpha = alphas[best] if per_target else float(alphas[best])
        model = self._ridge(path.moments, alpha, source)
        coef, intercept = path.coefficients()
        self.__dict__.update(results)
        self.alpha_ = alpha
        self.best_score_ = scores[np.arange(len(scores)), best] if per_target else float(scores.mean(axis=0)[best])
        self.best_estimator_, self.statistic_ = model, path.moments
        self.path_coef_ = coef[:, 0] if single else coef
        self.path_intercept_ = intercept[:, 0] if single else intercept

    def own_abilities(self) -> Abilities:
        return Abilities()  # a choice does not add; that of `best_estimator_` does

    def predict(self, X: Any) -> np.ndarray:
        """b'x + b0 for every row."""
        check_is_fitted(self)
        return self.best_estimator_.predict(X)

    def sample(self, X: Any, random_state: Any = None, *, n: int | None = None) -> np.ndarray:
        """Draw a target for every row from N(f(x), 1 / beta) of the chosen Ridge; with `n`, so many times."""
        check_is_fitted(self)
        return self.best_estimator_.sample(X, random_state, n=n)

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
    ) -> tuple[RidgePath, np.ndarray]:
        """The path, and scores (targets, alphas): a first read for the sums, a second for residuals and hat values."""
        path = RidgePath.of(Ridge(fit_intercept=self.fit_intercept).sum_of(source), alphas, self.fit_intercept)
        if self.scoring is None and not self.store_cv_results:
            held = path.left_out_scores()
            if held is not None:
                return path, held
            squared = total(path.left_out_total, source)
            return path, -squared.values / squared.weight
        chunks = list(source.chunks())
        errors = np.concatenate([path.left_out_errors(chunk) for chunk in chunks])  # (rows, targets, alphas)
        y = np.concatenate([np.asarray(chunk.y, dtype=float) for chunk in chunks])
        weight = source.weight if source.weight is not None else np.ones(len(y))
        if self.scoring is None:
            squares = weight[:, None, None] * errors**2
            if self.store_cv_results:
                results["cv_results_"] = squares[:, 0] if y.ndim == 1 else squares
            return path, -squares.sum(axis=0) / weight.sum()
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
            [
                scorer(KnownAnswers(), predictions[:, c, a].squeeze(), flat[:, c].squeeze(), **extra)
                for a in range(len(alphas))
            ]
            for c in columns
        ]
        return path, np.array(scores, dtype=float)

    def _folds(
        self, source: InMemory | Stream, alphas: np.ndarray, results: dict[str, Any]
    ) -> tuple[RidgePath, np.ndarray]:
        """The path, and scores (1, alphas), averaged over the folds."""
        n: int = source.rows  # type: ignore[assignment]
        splits = list(check_cv(self.cv, source.y, classifier=False).split(np.zeros(n), source.y))
        ridge = Ridge(fit_intercept=self.fit_intercept)
        found = path_scores(
            ridge.summariser(),
            source,
            splits,
            alphas,
            lambda train, points: RidgePath.of(train, points, self.fit_intercept),
            lambda train, alpha: self._ridge(train, float(alpha), source),
            self.scoring,
        )
        results["cv_results_"] = found.errors
        if np.isnan(found.scores).any():
            raise ValueError("R^2 needs two rows in every fold: use scoring='neg_mean_squared_error', or cv=None")
        sums = ridge.sum_of(source) if found.total is None else found.total
        if sums.weight == 0:
            raise ValueError(NO_WEIGHT)
        return RidgePath.of(sums, alphas, self.fit_intercept), found.scores.mean(axis=0)[None]
