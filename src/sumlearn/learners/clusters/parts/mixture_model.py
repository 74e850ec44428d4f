"""A fitted mixture of Gaussians in use: densities, shares, draws, regressions."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ....data import Chunk
from ....engines import in_threads, one_blas_thread, total
from ....features.input_ranges import whole_number
from ....objectives.links import log_softmax
from ....statistics import Total
from ....statistics.row_checks import prepare, raise_if_not_finite
from ...linear_map import in_type_of
from ...local.parts.from_mixture import lines_of_mixture
from ...passes import FACTOR
from .gaussians import NOTHING, Gaussians, block_rows
from .mixture_starts import FORMS, shape_of
from .whitening import Whitening


class MixtureModel:
    """p(x) = sum_k pi_k N(x | m_k, S_k), from `weights_`, `means_` and `precisions_cholesky_`."""

    covariance_type: str
    random_state: Any
    weights_: np.ndarray
    means_: np.ndarray
    covariances_: np.ndarray
    precisions_cholesky_: np.ndarray
    n_features_in_: int
    rows_of: Any  # of the learner
    check_ready: Any
    open: Any
    float_dtype: Any
    n_jobs: int | None

    # -- densities ----------------------------------------------------------------------------------------------------

    def in_use(self) -> tuple[Whitening, Gaussians]:
        """The mixture in coordinates of its own, about the mean of its heaviest component."""
        weights, means, natural = (
            np.asarray(part, dtype=np.float64) for part in (self.weights_, self.means_, self.precisions_cholesky_)
        )
        d = means.shape[1]
        form = FORMS[self.covariance_type]
        if natural.shape != shape_of(self.covariance_type, *means.shape):
            raise ValueError(f"covariance_type={self.covariance_type!r} is not that of the fit: fit anew")
        rest = self.__dict__.get("_rest")
        away = means - means[weights.argmax()]
        away = away if rest is None or rest.shape != means.shape else away + rest
        if self.covariance_type == "spherical":
            natural = np.repeat(natural[:, None], d, axis=1)
        spread = away - weights @ away
        whole = (spread * weights[:, None]).T @ spread
        if form == "diag":
            whole[np.diag_indices(d)] += weights @ (1.0 / natural**2)
        else:
            lower = np.linalg.inv(natural).swapaxes(-1, -2)
            own = lower @ lower.swapaxes(-1, -2)
            whole += own if form == "tied" else np.einsum("k,kij->ij", weights, own)
        where = Whitening.of(means[weights.argmax()], whole, self.covariance_type)
        return where, Gaussians(form, weights, where.turned(away * where.scale), where.factor(natural))

    def log_joint(self, X: np.ndarray) -> np.ndarray:
        """log pi_k N(x | m_k, S_k), (rows, components)."""
        where, mixture = self.in_use()
        out = np.empty((len(X), mixture.size))
        step = block_rows(X.shape[1])

        def block(start: int) -> None:
            out[start : start + step] = mixture.log_joint_of(where.placed(X[start : start + step])).T

        with one_blas_thread(), np.errstate(over="ignore", invalid="ignore"):
            in_threads(block, range(0, len(X), step), self.n_jobs)
        lost = ~(out.max(axis=1, initial=-np.inf) > NOTHING)
        if lost.any():
            row = int(lost.argmax())
            raise ValueError(f"row {row} is so far from all components that it has no density: rescale or drop it")
        return out + where.log_volume

    def score_samples(self, X: Any) -> np.ndarray:
        """log p(x) of every row."""
        rows = self.rows_of(X)
        return in_type_of(rows, log_sum(self.log_joint(rows)))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Mean of log p(x) over the rows: of arrays, tables, files, Dask collections."""
        found = self.log_likelihood(X, sample_weight)
        return float(found.values[0] / found.weight)

    def log_likelihood(self, X: Any, sample_weight: Any = None) -> Total:
        """Weighted sum of log p(x)."""
        self.check_ready()
        source = self.open(X, None, sample_weight, reset=False)
        with np.errstate(over="ignore", invalid="ignore"):
            return total(partial(log_likelihood_of, self), source, factor=FACTOR, workers=self.n_jobs)

    def bic(self, X: Any, sample_weight: Any = None) -> float:
        """Bayesian information criterion, -2 log p(X) + parameters log(rows); weights are numbers of rows."""
        found = self.log_likelihood(X, sample_weight)
        return float(-2.0 * found.values[0] + self._n_parameters() * np.log(found.weight))

    def aic(self, X: Any, sample_weight: Any = None) -> float:
        """Akaike's information criterion, -2 log p(X) + 2 parameters."""
        return float(-2.0 * self.log_likelihood(X, sample_weight).values[0] + 2 * self._n_parameters())

    def _n_parameters(self) -> int:
        k, d = self.means_.shape
        matrix = d * (d + 1) // 2
        free = {"full": k * matrix, "tied": matrix, "diag": k * d, "spherical": k}[self.covariance_type]
        return free + k * d + k - 1

    # -- components ---------------------------------------------------------------------------------------------------

    def predict(self, X: Any) -> np.ndarray:
        """The most probable component of every row."""
        return self.log_joint(self.rows_of(X)).argmax(axis=1)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Shares of the components in every row, p(k | x)."""
        rows = self.rows_of(X)
        return in_type_of(rows, np.exp(log_softmax(self.log_joint(rows))))

    def sample(self, n_samples: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """Draws from the mixture, and the component of each; ordered by component."""
        self.check_ready()
        if n_samples == 0:  # in scikit-learn's words
            raise ValueError(f"Invalid value for 'n_samples': {n_samples} . The sampling requires at least one sample.")
        n, random = whole_number(n_samples, "n_samples", 1), check_random_state(self.random_state)
        counts = random.multinomial(n, np.asarray(self.weights_, dtype=np.float64) / np.sum(self.weights_))
        labels = np.repeat(np.arange(len(counts)), counts)
        normal = random.standard_normal((n, self.means_.shape[1]))
        natural = np.asarray(self.precisions_cholesky_, dtype=np.float64)
        if self.covariance_type in ("diag", "spherical"):
            away = normal / (natural if self.covariance_type == "diag" else natural[:, None])[labels]
        elif self.covariance_type == "tied":
            away = normal @ np.linalg.inv(natural)
        else:
            away = np.concatenate([normal[labels == k] @ np.linalg.inv(one) for k, one in enumerate(natural)])
        return (self.means_[labels] + away).astype(self.float_dtype), labels

    # -- some columns from others -------------------------------------------------------------------------------------

    def conditional(self, X: Any, given: Any, *, return_std: bool = False) -> Any:
        """E[x_b | x_a] of every row: the columns b that are not given, from those that are (mixture regression).

            E[x_b | x_a] = sum_k p(k | x_a) (m_kb + S_kba S_kaa^-1 (x_a - m_ka))

        `given` are the columns a, by number or by name; X holds these alone, in that order. With `return_std` also the
        standard deviations of p(x_b | x_a): those around the lines, and those of the lines among each other.
        """
        self.check_ready()
        from_columns, to_columns = self.split(given)
        X = np.asarray(X, dtype=np.float64)
        if X.ndim != 2 or X.shape[1] != len(from_columns):
            raise ValueError(f"X must have the {len(from_columns)} given columns, got shape {X.shape}")
        if not np.isfinite(X).all():
            row, column = (int(i) for i in np.argwhere(~np.isfinite(X))[0])
            raise ValueError(f"Input X contains NaN or infinity: first at row {row}, column {column}.")
        origin = np.asarray(self.means_, dtype=np.float64)[int(np.argmax(self.weights_))]
        order = np.concatenate([from_columns, to_columns])
        lines = lines_of_mixture(Ordered(self, order, origin), len(to_columns))
        rows = X - origin[from_columns]
        mean = lines.predict(rows)
        found = (mean + origin[to_columns]).astype(self.float_dtype)
        if not return_std:
            return found
        weights, variance = lines.weights(rows), np.zeros_like(mean)
        for e, noise in enumerate(lines.noise):
            variance += weights[:, e, None] * (noise + (lines.lines(rows, e) - mean) ** 2)
        return found, np.sqrt(variance).astype(self.float_dtype)

    def split(self, given: Any) -> tuple[np.ndarray, np.ndarray]:
        """Numbers of the given columns, in their order, and of the others."""
        names = [str(name) for name in self.__dict__.get("feature_names_in_", ())]
        wanted = [given] if isinstance(given, str | int | np.integer) else list(given)
        numbers = []
        for one in wanted:
            if isinstance(one, str):
                if one not in names:
                    raise ValueError(f"no column {one!r} among those of the fit: {names}")
                numbers.append(names.index(one))
            elif isinstance(one, int | np.integer) and not isinstance(one, bool) and 0 <= one < self.n_features_in_:
                numbers.append(int(one))
            else:
                raise ValueError(
                    f"given must hold names of columns or numbers below {self.n_features_in_}, got {one!r}"
                )
        if len(set(numbers)) != len(numbers) or not 0 < len(numbers) < self.n_features_in_:
            raise ValueError("given must name some of the columns, each once, and leave at least one")
        rest = [j for j in range(self.n_features_in_) if j not in numbers]
        return np.array(numbers), np.array(rest)


class Ordered:
    """The parameters of a mixture with its columns in another order, about an origin."""

    def __init__(self, model: MixtureModel, order: np.ndarray, origin: np.ndarray) -> None:
        self.covariance_type, self.weights_ = model.covariance_type, model.weights_
        rest = vars(model).get("_rest")
        away = np.asarray(model.means_, dtype=np.float64) - origin + (0.0 if rest is None else rest)
        self.means_ = away[:, order]
        given = np.asarray(model.covariances_, dtype=np.float64)
        matrices = self.covariance_type in ("full", "tied")
        self.covariances_ = given[..., order[:, None], order] if matrices else given
        if self.covariance_type == "diag":
            self.covariances_ = given[:, order]


def log_sum(joint: np.ndarray) -> np.ndarray:
    """log sum_k exp of every row."""
    largest = joint.max(axis=1)
    return largest + np.log(np.exp(joint - largest[:, None]).sum(axis=1))


def log_likelihood_of(model: MixtureModel, chunk: Chunk) -> Total:
    X, _, weight = prepare(chunk.X, None, chunk.weight)
    if X.dtype.kind == "f" and not np.isfinite(X.sum()):
        raise_if_not_finite(X)
    logs = log_sum(model.log_joint(X))
    w = np.ones(len(X)) if weight is None else weight
    return Total(np.array([logs @ w]), float(w.sum()), len(X))
