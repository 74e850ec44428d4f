"""What learners of principal components share: the components from moments, encoding, decoding, and a density."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from ....data import Chunk
from ....statistics import Moments
from ....statistics.warnings import warn
from ...fitted import Fitted, check_variances, narrowed
from ...linear_map import affine, away_from, is_far
from ...precision import AtPrecision, moments_of
from .axes import axes_of, freedom, sharpened
from .coordinates import decoded


class PrincipalComponents(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """Components of the largest variance; for `OnePass`. Who they are for says how many (`number`)."""

    statistic_type: ClassVar[Any] = AtPrecision(Moments)
    target: ClassVar[str | None] = None
    whiten: bool
    float_dtype: Any  # of the learner
    rows_of: Any
    solved: Any

    components_ = Fitted("Directions, (components, features).")
    explained_variance_ = Fitted("Variance along each component.")
    explained_variance_ratio_ = Fitted("Its share of the whole variance.")
    singular_values_ = Fitted("Roots of the eigenvalues of the scatter.")
    mean_ = Fitted("Mean of the features.")
    n_components_ = Fitted("Number of components.")
    noise_variance_ = Fitted("Mean variance of the components left out.")

    @abstractmethod
    def number(self, variance: np.ndarray, rows: int, columns: int) -> int:
        """How many components are wanted of rows whose axes have these variances."""

    def summarise(self, chunk: Chunk, look: Any = None) -> Moments:
        """The statistic of some rows."""
        return moments_of(self, chunk.X, None, chunk.weight)

    def components_of(self, statistic: Moments) -> dict[str, Any]:
        """Fitted attributes by name."""
        axes = axes_of(statistic)
        check_variances(statistic.deviation)
        rows = axes.rows(statistic)
        k = self.number(axes.over(freedom(statistic)), rows, statistic.columns)
        axes = sharpened(axes, statistic, min(k, rows - 1))
        variance, total = axes.over(freedom(statistic)), axes.squares.sum()
        rank = min(rows, len(variance))
        dtype = self.float_dtype
        return {
            "components_": axes.directions(k).astype(dtype),
            "explained_variance_": narrowed(variance[:k], dtype),
            "explained_variance_ratio_": (axes.squares[:k] / total if total > 0 else np.zeros(k)).astype(dtype),
            "singular_values_": narrowed(axes.singular_values[:k], dtype),
            "mean_": narrowed(statistic.mean, dtype),
            "rest": statistic.mean_rest if is_far(statistic.mean, statistic.deviation) else None,
            "n_components_": k,
            "noise_variance_": float(variance[k:rank].mean()) if k < rank else 0.0,
            "left_out": float(variance[k:].sum()) * freedom(statistic) / statistic.weight,
        }

    # -- encode and decode --------------------------------------------------------------------------------------------

    def transform(self, X: Any) -> np.ndarray:
        """Coordinates of every row along the components; sparse rows are not filled."""
        X = self.rows_of(X, sparse_ok=True)
        turn, rest = self.components_.T, self.solved()["rest"]
        level = 0.0 if rest is None else -rest @ turn
        out = affine(X, turn, level - self.mean_ @ turn, self.mean_, level)
        return out / self._scale() if self.whiten else out

    def inverse_transform(self, X: Any) -> np.ndarray:
        """Rows from their coordinates: m + W z."""
        return decoded(X, self.components_, self._scale() if self.whiten else None) + self.mean_

    def reconstruction_error(self, X: Any = None) -> float:
        """Mean squared distance |x - x~|^2 of the rows of X; without X that of the training rows, from the sums."""
        if X is None:
            return self.solved()["left_out"]
        away = self._away(X)  # of rows about the mean, so that an offset costs no digits
        turn = self.components_.T
        return float(((away - (away @ turn) @ turn.T) ** 2).sum(axis=1).mean())

    def _away(self, X: Any) -> np.ndarray:
        """x - m."""
        return away_from(self.rows_of(X), self.mean_, self.solved()["rest"])

    def _scale(self) -> np.ndarray:
        scale = np.sqrt(self.explained_variance_)
        return np.maximum(scale, np.finfo(scale.dtype).eps)

    # -- the probabilistic model --------------------------------------------------------------------------------------

    def get_covariance(self) -> np.ndarray:
        """Covariance of the probabilistic model: W (L - s2 I) W' + s2 I."""
        W, noise = self.components_, self.noise_variance_
        gain = np.maximum(self.explained_variance_ - noise, 0.0)
        return (W.T * gain) @ W + noise * np.eye(W.shape[1])

    def get_precision(self) -> np.ndarray:
        """Its inverse."""
        columns = self.mean_.size
        W, noise, spread = self.components_, self.noise_variance_, self.explained_variance_
        if self.n_components_ < columns:
            spread = np.append(spread, noise)
        told = f"the rows vary in fewer directions than there are columns ({columns}): they have no density"
        try:
            with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
                if noise == 0.0 or self.n_components_ == columns:
                    found = np.linalg.inv(self.get_covariance())
                else:
                    gain = np.maximum(self.explained_variance_ - noise, 0.0)
                    found = (np.eye(columns) - (W.T * (gain / (gain + noise))) @ W) / noise
        except np.linalg.LinAlgError:
            found = np.full((columns, columns), np.nan)
        if not np.isfinite(found).all():
            raise np.linalg.LinAlgError(f"{told}, or one beyond all numbers; take fewer components of more rows")
        if spread.min() <= columns * np.finfo(np.float64).eps * spread.max():
            warn(f"{told} but for rounding; take fewer components, or transform and score those")
        return found

    def score_samples(self, X: Any) -> np.ndarray:
        """Log-density of every row under the probabilistic model."""
        X = self._away(X)
        precision = self.get_precision()
        constant = X.shape[1] * np.log(2.0 * np.pi) - np.linalg.slogdet(precision)[1]
        return -0.5 * (np.einsum("ij,ij->i", X @ precision, X) + constant)

    def score(self, X: Any, y: Any = None) -> float:
        """Mean log-density of the rows."""
        return float(self.score_samples(X).mean())

    @property
    def _n_features_out(self) -> int:
        if "statistic_" not in self.__dict__:
            raise AttributeError("_n_features_out")
        return self.n_components_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
