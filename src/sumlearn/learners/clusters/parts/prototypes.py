"""What methods share that put a prototype into every cluster: which is nearest, how far all of them are."""

from __future__ import annotations

import copy
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin

from ....data import Chunk
from ....engines import in_threads, total
from ....features.input_ranges import one_of, whole_number
from ....statistics import Moments
from ....statistics.warnings import warn
from ...fitted import narrowed
from ...passes import Passes
from .codebook import Codebook, present, weights_of, written_out
from .frame import METRICS, Coordinates, given_covariance
from .starts import check_init, is_given

ROWS = 2**14  # that a thread is asked about at a time
FAR_OFF = 1e150  # where squares overflow, in units of the frame
ANSWER = [("label", np.int32), ("square", np.float64)]


class Prototypes(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin):
    """For learners with `cluster_centers_`: w_c(x), c = argmin_k d(x, w_k), by the metric of Euclid or Mahalanobis."""

    target: ClassVar[str | None] = None
    n_clusters: int
    init: Any
    n_init: Any
    metric: str = "euclidean"
    covariance: Any = None
    cluster_centers_: np.ndarray
    covariance_: np.ndarray
    n_features_in_: int
    rows_of: Any  # of the learner
    float_dtype: Any
    fit: Any

    def check_clusters(self) -> None:
        """Refuse parameters that all of them have."""
        whole_number(self.n_clusters, "n_clusters", 1)
        check_init(getattr(self, "init", "k-means++"))
        one_of(self.metric, "metric", METRICS)
        if self.covariance is not None and self.metric != "mahalanobis":
            raise ValueError("covariance is for metric='mahalanobis'")

    def check_starts(self) -> None:
        """Refuse a number of starts that is none."""
        if not (isinstance(self.n_init, str) and self.n_init == "auto"):
            whole_number(self.n_init, "n_init", 1)

    def starts(self, usual: int) -> int:
        """How many starts there are; `usual` is how many where they are random."""
        if is_given(self.init):
            if not isinstance(self.n_init, str) and self.n_init != 1:
                warn(
                    "Explicit initial center position passed: performing only one init in "
                    f"{type(self).__name__} instead of n_init={self.n_init}.",
                    RuntimeWarning,
                )
            return 1
        if isinstance(self.n_init, str):
            return 1 if isinstance(self.init, str) and self.init == "k-means++" else usual
        return int(self.n_init)

    def need_rows(self, rows: int | None) -> None:
        """There are at least as many rows as centres."""
        if rows is not None and rows < self.n_clusters:
            raise ValueError(
                f"n_samples={rows} should be >= n_clusters={self.n_clusters}: give at least {self.n_clusters} rows, "
                "or ask for fewer clusters."
            )

    # -- asking -----------------------------------------------------------------------------------------------------

    def predict(self, X: Any) -> np.ndarray:
        """The number of the nearest centre of every row; of equally near ones the first."""
        return self._nearest(X)[0]

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None, **options: Any) -> np.ndarray:
        """Fit, and the number of the cluster of every row."""
        return self.fit(X, None, sample_weight=sample_weight, **options).labels_

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> np.ndarray:
        """Fit, and the distances of every row to the centres."""
        return self.fit(X, None, sample_weight=sample_weight).transform(X)

    def transform(self, X: Any) -> np.ndarray:
        """The distance of every row to every centre, (rows, n_clusters)."""
        X = self.rows_of(X, sparse_ok=True)
        codebook = self._codebook()
        found = in_threads(lambda rows: codebook.distances(X[rows]), slices(X.shape[0]))
        return narrowed(np.concatenate(found), X.dtype)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Minus the sum of the squared distances of the rows to their centres, each times its weight."""
        _, squares, frame = self._nearest(X)
        weight = weights_of(given_weight(sample_weight, len(squares)), len(squares))
        return -frame.unit * float(np.sum(squares * weight if len(weight) else squares))

    def quantization_error(self, X: Any, sample_weight: Any = None) -> float:
        """E_VQ, the mean distance of the rows to their centres."""
        _, squares, frame = self._nearest(X)
        lengths = np.sqrt(squares)
        return frame.length * float(np.average(lengths, weights=given_weight(sample_weight, len(lengths))))

    def _nearest(self, X: Any) -> tuple[np.ndarray, np.ndarray, Coordinates]:
        """Labels, and squared distances in units of this frame."""
        X = self.rows_of(X, sparse_ok=True)
        codebook = self._codebook()
        found = in_threads(lambda rows: codebook.nearest(X[rows]), slices(X.shape[0]))
        labels, squares = (np.concatenate([one[part] for one in found]) for part in range(2))
        return labels, squares, codebook.frame

    def _codebook(self) -> Codebook:
        return Codebook.around(self.cluster_centers_, self.__dict__.get("covariance_"))

    # -- learning -----------------------------------------------------------------------------------------------------

    def metric_of(self, source: Any, moments: Moments | None = None) -> np.ndarray | None:
        """Sigma of the metric of Mahalanobis: as given, or of the rows, of `moments`; None for that of Euclid."""
        if self.metric == "euclidean":
            return None
        if self.covariance is not None:
            return given_covariance(self.covariance, source.features)
        if moments is None:
            moments = total(lambda chunk: Moments.of(chunk.X, weight=chunk.weight), source, factor=8)
        return moments.covariance()

    def centres_told(self, frame: Coordinates, centres: np.ndarray, covariance: np.ndarray | None) -> dict[str, Any]:
        """The attributes that are known of centres in a frame."""
        told: dict[str, Any] = {"cluster_centers_": narrowed(frame.natural(centres), self.float_dtype)}
        return told if covariance is None else told | {"covariance_": covariance}

    def rows_told(self, rows: Passes) -> dict[str, Any]:
        """Labels of all rows and what the model loses of them, by one more pass."""
        codebook = self._codebook()
        found = rows.each(partial(answers, codebook))
        labels, squares = np.ascontiguousarray(found["label"]), np.ascontiguousarray(found["square"])
        weight = found["weight"].copy() if "weight" in (found.dtype.names or ()) else None
        del found
        mass = np.bincount(np.maximum(labels, 0), weight, len(self.cluster_centers_)).astype(np.float64)
        frame = codebook.frame
        inertia = frame.unit * float(np.sum(squares if weight is None else weight * squares))
        if not np.isfinite(inertia):
            raise ValueError("the squares of the distances of the rows to the centres overflow: rescale the columns")
        lengths = np.sqrt(squares, out=squares)
        length = frame.length * float(np.sum(lengths if weight is None else weight * lengths))
        return {
            "labels_": labels,
            "inertia_": inertia,
            "quantization_error_": length / float(mass.sum()),
            "cluster_weights_": mass,
        }

    @property
    def _n_features_out(self) -> int:
        return self.cluster_centers_.shape[0]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def without_labels(self) -> Self:
        """A copy that holds nothing that has a number for each row."""
        work = copy.copy(self)
        work.__dict__.pop("labels_", None)
        return work


def answers(codebook: Codebook, chunk: Chunk) -> np.ndarray:
    """Label and squared distance of every row of a chunk, and its weight where there are weights.

    A row of weight zero that is nowhere, since it holds NaN or such, has no label: -1.
    """
    n = chunk.X.shape[0]
    found = np.empty(n, ANSWER if chunk.weight is None else [*ANSWER, ("weight", np.float64)])
    if chunk.weight is not None:
        found["weight"] = weights_of(chunk.weight, n)
        absent = np.flatnonzero(found["weight"] == 0)
        if len(absent):
            with np.errstate(invalid="ignore", over="ignore"):
                away = np.abs(codebook.frame.coordinates(written_out(chunk.X[absent])))
            known = absent[(away < FAR_OFF).all(axis=1)]
            found["label"], found["square"] = -1, 0.0
            found["label"][known] = codebook.nearest(chunk.X[known])[0]
            with present(chunk) as (X, _):
                found["label"][found["weight"] > 0], found["square"][found["weight"] > 0] = codebook.nearest(X)
            return found
    found["label"], found["square"] = codebook.nearest(chunk.X)
    return found


def slices(n: int) -> list[slice]:
    return [slice(start, min(start + ROWS, n)) for start in range(0, n, ROWS)]


def given_weight(weight: Any, rows: int) -> np.ndarray | None:
    """Weights as an array, one for each row."""
    if weight is None:
        return None
    weight = np.asarray(weight, dtype=np.float64)
    return np.full(rows, float(weight)) if weight.ndim == 0 else weight
