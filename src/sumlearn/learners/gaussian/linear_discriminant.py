"""Linear discriminant analysis."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from ...data import Chunk
from ...statistics import Grouped, Moments, Pooled, in_words
from ..correlation import Correlation
from ..description import Complexity, Description, Offer, Tuning
from ..fitted import Fitted, Later, check_variances, narrowed
from ..linear_map import affine, is_far, numbers_of
from ..one_pass import OnePass
from ..precision import at_precision, is_exact
from .parts.gaussian_classifier import GaussianClassifier, decision, refuse, shrinkage_of, warn_of_directions

SOLVERS = ("svd", "lsqr", "eigen")


class LinearDiscriminantAnalysis(ClassNamePrefixFeaturesOutMixin, TransformerMixin, GaussianClassifier, OnePass):
    """Normal classes that share a covariance; also a projection to at most K - 1 dimensions.

        ln p(k | x) = x'C^-1 m_k - 1/2 m_k'C^-1 m_k + ln p(k) + const,   C = S_w / N
        two classes: w = C^-1 (m_1 - m_0),  w0 = 1/2 m_0'C^-1 m_0 - 1/2 m_1'C^-1 m_1 + ln p_1 / p_0

    with S_w the scatter within the classes (note 004 has both quadratic signs wrong, and its "unbiased" divisor N - M
    should be N - K: ``unbiased=True``). Directions in which the classes do not vary are left out, with a warning.

    Statistic: Pooled moments (class means, diagonals, one scatter). One pass. Can merge, forget, decay, restrict. Cost:
    summarise O(n d^2), solve O(d^3). GaussianNB, PCA and least squares on numeric labels can be solved from it too.

    Parameters
    ----------
    solver : {"svd", "lsqr", "eigen"}, default="svd"
        All give the same model, except that with given `priors` "lsqr" and "eigen" weight the class covariances with
        them (which needs the full moments of each class).
    shrinkage : float between 0 and 1, default=None
        C becomes (1 - s) C + s tr(C) / d I. "auto" is no function of the sums and is refused.
    priors : dict or array of shape (classes,), default=None
        Prior probabilities by label, or by the place of the classes, of which then none may be forgotten altogether. A
        class without rows has none, and the others share what is left. None takes the share of the weights.
    n_components : int, default=None
        Dimensions of `transform`, at most min(K - 1, d).
    store_covariance : bool, default=False
        Accepted for compatibility; ``covariance_`` is always there.
    tol : float, default=1e-4
        Directions whose within-class deviation, of features scaled to unit variance, is below this are left out.
    covariance_estimator : EmpiricalCovariance or ShrunkCovariance, default=None
        In place of `shrinkage`, with "lsqr" and "eigen". Any other is refused: it needs the rows.
    unbiased : bool, default=False
        Divide S_w by N - K instead of N.
    basis : basis of `sumlearn.features`, default=None
        x -> phi(x) before anything else; models of a basis that looks at the data merge where the look is the same.
    precision : {None, "double", "exact"}, default=None
        "exact" sums without any rounding: the same rows leave the same bits, however they came and went. It takes
        longer, and nothing decays.

    Attributes
    ----------
    coef_, intercept_, classes_, priors_, means_, covariance_, xbar_, scalings_, explained_variance_ratio_
        As in scikit-learn.

    Examples
    --------
    >>> from sumlearn import LinearDiscriminantAnalysis
    >>> from sumlearn.data import load_example
    >>> iris = load_example("iris")
    >>> model = LinearDiscriminantAnalysis().fit(iris.X, iris.y)
    >>> float(model.score(iris.X, iris.y)), model.transform(iris.X).shape
    (0.98, (150, 2))
    >>> sites = [LinearDiscriminantAnalysis().fit(iris.X[i::2], iris.y[i::2]) for i in (0, 1)]
    >>> bool(abs(sum(sites).coef_ - model.coef_).max() < 1e-9)
    True

    References
    ----------
    Lecture notes 000, 003, 004; Fisher 1936; Hastie, Tibshirani & Friedman 2009, sec. 4.3.
    """

    description = Description(
        offers=(Offer("lda", "linear discriminant", 10, {"solver": "lsqr"}, Tuning("shrinkage", (None, 0.1, 0.5))),),
        complexity=Complexity(
            "shrinkage",
            "shrinkage of the covariance",
            (0.0, 0.01, 0.03, 0.1, 0.2, 0.35, 0.5, 0.7, 0.85, 1.0),
            log=False,
            otherwise=0.0,
            instead={"solver": {"svd": "lsqr"}},
        ),
        judge="linear_discriminant",
        onnx="linear",
        variants={"precision": (None, "exact"), "solver": SOLVERS},
    )

    chunk_factor = 8  # a merge costs a rank-one term for every class

    coef_ = Fitted("Weights of the discriminants, (1, features) for two classes, else (classes, features).")
    intercept_ = Fitted("Constants of the discriminants.")
    priors_ = Fitted("Prior probabilities.")
    means_ = Fitted("Class means.")
    covariance_ = Later("covariance_within", "Covariance within the classes.")
    xbar_ = Fitted("Mean of the class means, weighted by the priors.")
    scalings_ = Fitted("Directions of the projection, (features, components).")
    explained_variance_ratio_ = Fitted("Share of the variance between the classes along each direction.")
    _n_features_out = Fitted("Number of columns that `transform` returns.")

    def __init__(
        self,
        solver: str = "svd",
        shrinkage: Any = None,
        priors: Any = None,
        n_components: int | None = None,
        store_covariance: bool = False,
        tol: float = 1e-4,
        covariance_estimator: Any = None,
        unbiased: bool = False,
        basis: Any = None,
        *,
        precision: str | None = None,
    ) -> None:
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.n_components = n_components
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator
        self.unbiased = unbiased
        self.basis = basis
        self.precision = precision

    @property
    def _weights_covariances(self) -> bool:
        return self.priors is not None and self.solver in ("lsqr", "eigen")

    @property
    def statistic_type(self) -> Any:
        return at_precision(self, Grouped[Moments] if self._weights_covariances else Pooled)

    def summarise(self, chunk: Chunk, look: Any = None) -> Pooled | Grouped[Moments]:
        if self._weights_covariances or is_exact(self):
            return Grouped.of(chunk.X, chunk.y, chunk.weight, exact=is_exact(self))
        return Pooled.of(chunk.X, chunk.y, chunk.weight)

    def solution(self, statistic: Any) -> dict[str, Any]:
        self._check_options()
        labels = self.labels_of(statistic)
        parts: dict[Any, Moments] = dict((statistic.groups if isinstance(statistic, Pooled) else statistic).items())
        seen = [label for label in labels.tolist() if label in parts]
        if len(seen) > 1 and all(part.is_single for part in parts.values()):
            raise ValueError("The number of samples must be more than the number of classes.")
        weights = np.array([parts[label].weight if label in parts else 0.0 for label in labels.tolist()])
        priors = self.priors_of(weights, labels)
        d = statistic.features
        within = self._within(statistic, priors, labels)
        check_variances(within.deviation)
        # differences of the class means from the first, exact at any offset
        first = parts[seen[0]]
        origin = -first.mean
        zero = first.shift(origin).mean
        apart = np.array([parts[k].shift(origin).mean - zero if k in parts else np.zeros(d) for k in labels.tolist()])
        centre = priors @ apart
        apart = apart - np.where(weights[:, None] > 0, centre, apart)
        whiten = self._whitening(within, apart, statistic)
        scalings, ratio = self._directions(apart @ whiten, whiten, priors, statistic.weight, len(seen))
        projected = apart @ scalings
        coef = projected @ scalings.T
        with np.errstate(divide="ignore"):
            level = -0.5 * (projected**2).sum(axis=1) + np.log(np.where(weights > 0, priors, 0.0))
        xbar = first.mean + centre
        level = level - coef @ ((first.mean - xbar) + centre + zero)  # at xbar, which is one word of that mean
        intercept = level - coef @ xbar
        if len(labels) == 2:
            coef, intercept, level = coef[1:] - coef[:1], intercept[1:] - intercept[:1], level[1:] - level[:1]
        dtype = self.float_dtype
        means = np.array([parts[k].mean if k in parts else np.full(d, np.nan) for k in labels.tolist()])
        return {
            "classes_": labels,
            "coef_": narrowed(coef, dtype),
            "intercept_": narrowed(intercept, dtype),
            "priors_": priors,
            "means_": narrowed(means, dtype),
            "xbar_": narrowed(xbar, dtype),
            "scalings_": narrowed(scalings, dtype),
            "explained_variance_ratio_": ratio,
            "centre": xbar if is_far(xbar, within.deviation) else None,
            "level": level,
            "_n_features_out": min(self._components(len(seen), d), scalings.shape[1]),
        }

    def covariance_within(self) -> np.ndarray:
        """`covariance_`, which predictions do not need."""
        within = self._within(in_words(self.statistic_), self.priors_, self.classes_)
        return narrowed(within.covariance, self.float_dtype)

    def joint(self, X: np.ndarray) -> np.ndarray:
        scores = self._scores(X)
        return scores if len(self.classes_) != 2 else np.column_stack([np.zeros_like(scores[:, 0]), scores[:, 0]])

    def decision_function(self, X: Any) -> np.ndarray:
        """Log-odds of the second of two classes, else the discriminants of all."""
        return decision(self.joint_rows(X))

    def transform(self, X: Any) -> np.ndarray:
        """Project to the directions that separate the classes best."""
        X = self.rows_of(X)
        solution = self.solved()
        scalings = solution["scalings_"][:, : solution["_n_features_out"]]
        with np.errstate(over="ignore", invalid="ignore"):
            return numbers_of(X @ scalings if self.solver == "eigen" else (X - solution["xbar_"]) @ scalings)

    # -- the steps of the solution ------------------------------------------------------------------------------------

    def _check_options(self) -> None:
        if self.solver not in SOLVERS:
            raise ValueError(f"solver must be one of {', '.join(SOLVERS)}, got {self.solver!r}")
        shrinkage = shrinkage_of(self)
        if shrinkage is not None:
            if isinstance(shrinkage, str):
                refuse("LinearDiscriminantAnalysis", shrinkage=shrinkage)
            if self.solver == "svd":
                raise ValueError("shrinkage not supported with 'svd' solver: use solver='lsqr' or 'eigen'")
            if not 0 <= shrinkage <= 1:
                raise ValueError(f"shrinkage must be between 0 and 1, got {shrinkage!r}")

    def _within(self, statistic: Any, priors: np.ndarray, labels: np.ndarray) -> Correlation:
        """Deviations and correlations within the classes."""
        if self._weights_covariances:
            if isinstance(statistic, Pooled):
                raise ValueError("priors weight the class covariances with this solver: fit anew, or use solver='svd'")
            parts = [(p, statistic[k]) for p, k in zip(priors, labels.tolist(), strict=True) if k in statistic.groups]
            C = np.sum([p * part.covariance() for p, part in parts], axis=0)
            scale = np.sqrt(np.where(C.diagonal() > 0, C.diagonal(), 1.0))
            found = Correlation(np.sqrt(C.diagonal()), C / scale / scale[:, None])
        else:
            pooled = statistic if isinstance(statistic, Pooled) else Pooled.from_groups(statistic, statistic.features)
            within = pooled.within
            divisor = within.weight - (len(pooled.labels) if self.unbiased else 0)
            if divisor <= 0:
                raise ValueError(
                    f"an unbiased covariance of {len(pooled.labels)} classes needs more than that many rows"
                )
            found = Correlation.of(within, divisor)
        shrinkage = shrinkage_of(self)
        return found.shrunk(shrinkage) if shrinkage else found

    def _whitening(self, within: Correlation, apart: np.ndarray, statistic: Any) -> np.ndarray:
        """A with A'C A = I over the directions in which the classes vary."""
        A, still = within.whitening(self.tol, apart)
        warn_of_directions(self, still, within.deviation, statistic)
        return A

    def _directions(
        self, means: np.ndarray, whiten: np.ndarray, priors: np.ndarray, weight: float, classes: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Principal directions of the whitened class means."""
        if means.shape[1] == 0 or classes < 2:
            return np.zeros((len(whiten), 0)), np.zeros(0)
        _, sizes, rotation = np.linalg.svd(
            np.sqrt(weight * priors / (classes - 1))[:, None] * means, full_matrices=False
        )
        ratio = (sizes**2 / (sizes**2).sum())[: self._components(classes, len(whiten))] if sizes[0] > 0 else sizes[:0]
        return whiten @ rotation[sizes > self.tol * sizes[0]].T, ratio

    def _components(self, classes: int, features: int) -> int:
        most = min(classes - 1, features)
        if self.n_components is None:
            return most
        if not isinstance(self.n_components, int | np.integer) or self.n_components < 1:
            raise ValueError(f"n_components must be a whole number above 0, got {self.n_components!r}")
        if self.n_components > most:
            raise ValueError(
                f"n_components cannot be larger than min(n_features, n_classes - 1) = {most}: there are {features} "
                f"feature(s) and {classes} class(es)" + (", that is one class only" if classes == 1 else "")
            )
        return self.n_components

    def _scores(self, X: np.ndarray) -> np.ndarray:
        solution = self.solved()
        return affine(X, solution["coef_"].T, solution["intercept_"], solution["centre"], solution["level"])
