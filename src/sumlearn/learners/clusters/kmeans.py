"""k-means."""

from __future__ import annotations

import copy as copying
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ...data import Source
from ...features.input_ranges import one_of, whole_number
from ...statistics import Moments
from ...statistics.warnings import warn
from ..description import Description
from ..fitted import check_variances, narrowed
from ..passes import Passes
from ..stepwise import Stepwise
from .parts.codebook import Codebook
from .parts.frame import Coordinates
from .parts.lloyd import cluster_sums, means, moved
from .parts.prototypes import Prototypes
from .parts.starts import is_given, starts_of


class Descent(NamedTuple):
    """Where one start has led: centres, the sum of squared distances to them, and whether it has come to its end."""

    codebook: Codebook
    squares: float = np.inf
    steps: int = 0
    ended: bool = False


class Descents(NamedTuple):
    """Those of all starts, side by side: a pass over the rows serves all of them."""

    runs: tuple[Descent, ...]
    frame: Coordinates
    covariance: np.ndarray | None
    spread: float  # sum of |z|^2 over the rows
    tolerance: float

    @property
    def best(self) -> Descent:
        return min(self.runs, key=lambda run: run.squares)

    @property
    def ended(self) -> bool:
        return all(run.ended for run in self.runs)


class KMeans(Prototypes, Stepwise):
    """Clusters around means: every row belongs to the nearest of k centres, which is the mean of its rows.

        J = sum_n w_n |x_n - c_k(n)|^2
        E  k(n) = argmin_k |x_n - c_k|;   M  c_k = sum_{n in k} w_n x_n / sum_{n in k} w_n;   J falls in either

    Statistic: sums of (x, 1) by cluster, a pass for each step, all starts in the same. Learns from files and clusters
    larger than memory with the same centres. Cannot merge or forget exactly: see `combine`. Cost of a step: O(n k d),
    less where bounds (Hamerly 2010) tell that a row stays; memory beside the rows 12 bytes for each row and start.

    Which centre is nearest is decided in single precision where its error bound allows, else in double, from
    differences; the first of equally near ones is taken. So labels depend on rows and centres alone, at any offset. A
    cluster that loses its rows takes the row farthest from its centre, of several the next ones.

    Parameters
    ----------
    n_clusters : int, default=8
        k.
    init : "k-means++", "random", array (k, n_features) or callable, default="k-means++"
        Where the centres start: drawn from all rows, or from a sample of 2 million numbers of them; or given.
    n_init : int or "auto", default="auto"
        How many starts, the best of which counts; "auto" is 10 for "random" and for callables, else 1.
    max_iter : int, default=300
        Most steps.
    tol : float, default=1e-4
        A step that moves the centres by less, as a share of the mean variance of the columns, is the last.
    verbose : int, default=0
        Whether every step is printed.
    random_state : int, RandomState or None, default=None
        Seeds the starts; None is a seed like any other: the same rows give the same clusters.
    copy_x : bool, default=True
        Accepted for compatibility: rows are never changed.
    algorithm : "lloyd" or "elkan", default="lloyd"
        Accepted for compatibility: the answers are the same, and whether bounds are kept follows from k and the
        columns.
    metric : "euclidean" or "mahalanobis", default="euclidean"
        The latter is (a - b)' Sigma^-1 (a - b).
    covariance : array (n_features, n_features) or None, default=None
        Sigma; None is that of the rows.

    Attributes
    ----------
    cluster_centers_ : array (k, n_features)
    labels_ : array (n_rows,)
    inertia_ : float
        J, in the squares of the metric.
    n_iter_ : int
        Steps of the best start.
    cluster_weights_ : array (k,)
        Sum of the weights of the rows of each cluster.
    quantization_error_ : float
        E_VQ, the mean distance of a row to its centre.
    trace_ : array
        J of the best start so far after every step.
    covariance_
        Sigma, for the metric of Mahalanobis.

    Examples
    --------
    >>> from sumlearn import KMeans
    >>> from sumlearn.data import load_example
    >>> X = load_example("iris").X
    >>> model = KMeans(3, n_init=5).fit(X)
    >>> print(f"{model.inertia_:.3f}", sorted(model.cluster_weights_.tolist()))
    78.851 [38.0, 50.0, 62.0]
    >>> far = KMeans(3, n_init=5).fit(X + 1e9)                   # the offset costs nothing but the bits of the data
    >>> print(f"{far.inertia_:.3f}")
    78.851

    References
    ----------
    Lecture note 000, where J and a strict comparison are misprinted; Lloyd, "Least squares quantization in PCM", 1982;
    Arthur & Vassilvitskii, "k-means++: the advantages of careful seeding", 2007; Hamerly, "Making k-means even faster",
    2010.
    """

    description = Description(
        variants={
            "n_clusters": (1, 2, 3),
            "init": ("k-means++", "random"),
            "n_init": ("auto", 3),
            "algorithm": ("lloyd", "elkan"),
            "metric": ("euclidean", "mahalanobis"),
        },
    )
    needs_look = True
    look_parameters: ClassVar[tuple[str, ...]] = ("n_clusters", "metric")
    chunk_factor = 8

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: Any = "k-means++",
        n_init: Any = "auto",
        max_iter: int = 300,
        tol: float = 1e-4,
        verbose: int = 0,
        random_state: Any = None,
        copy_x: bool = True,
        algorithm: str = "lloyd",
        metric: str = "euclidean",
        covariance: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state
        self.copy_x = copy_x
        self.algorithm = algorithm
        self.metric = metric
        self.covariance = covariance

    def check(self) -> None:
        self.check_clusters()
        one_of(self.algorithm, "algorithm", ("lloyd", "elkan"))
        whole_number(self.max_iter, "max_iter", 1)
        self.check_starts()
        if self.algorithm == "elkan" and self.n_clusters == 1:
            warn("algorithm='elkan' doesn't make sense for a single cluster. Using 'lloyd' instead.", RuntimeWarning)
        if not 0.0 <= self.tol < np.inf:
            raise ValueError(f"tol must be a number of at least 0, got {self.tol!r}")

    def look(self, source: Source) -> np.ndarray:
        """Starts, (starts, k, features)."""
        covariance = self.metric_of(source) if self.metric != "euclidean" and not is_given(self.init) else None
        return starts_of(source, self.n_clusters, self.init, self.starts(10), self.random_state, covariance)

    # -- learning -----------------------------------------------------------------------------------------------------

    def start(self, rows: Passes, look: np.ndarray) -> Descents:
        rows.factor *= parts_together(look[0].size)
        form: Any = "diagonal" if self.metric == "euclidean" else "full"
        moments = rows.total(lambda chunk: Moments.of(chunk.X, weight=chunk.weight, form=form))
        check_variances(moments.deviation)
        self.need_rows(moments.rows)
        covariance = self.metric_of(rows.source, moments)
        frame = Coordinates.of(moments, covariance)
        variance = frame.variances(moments)
        runs = tuple(Descent(Codebook.of(frame, frame.coordinates(one))) for one in look)
        return Descents(runs, frame, covariance, variance.sum() * moments.weight, self.tol * float(variance.mean()))

    def step(self, state: Descents, rows: Passes) -> Descents:
        going = {number: run for number, run in enumerate(state.runs) if not run.ended}
        codebooks = {number: run.codebook for number, run in going.items()}
        sums = cluster_sums(codebooks, rows)
        new = iter([self.moved(run, own, rows, state) for run, own in zip(going.values(), sums, strict=True)])
        after = state._replace(runs=tuple(run if run.ended else next(new) for run in state.runs))
        if self.verbose:
            self.say(state, after)
        return after

    def say(self, before: Descents, after: Descents) -> None:
        """Print what a step has done."""
        if not before.best.steps:
            print("Initialization complete")
        for number, (old, new) in enumerate(zip(before.runs, after.runs, strict=True)):
            if old.ended:
                continue
            print(f"Start {number}: Iteration {new.steps}, inertia {new.squares * after.frame.unit}.")
            if new.ended:
                way = moved(old.codebook, new.codebook)
                why = f"center shift {way} within tolerance {after.tolerance}" if way else "strict convergence"
                print(f"Start {number}: Converged at iteration {new.steps}: {why}.")

    def moved(self, run: Descent, sums: np.ndarray, rows: Passes, state: Descents) -> Descent:
        """The centres at the means of their rows."""
        after, mass = means(run.codebook, sums, rows)
        squares = max(state.spread - float((mass * (after.centres**2).sum(axis=1)).sum()), 0.0)
        return Descent(after, squares, run.steps + 1, moved(run.codebook, after) <= state.tolerance)

    def done(self, before: Descents, after: Descents) -> bool:
        return after.ended

    def trace(self, state: Descents) -> float:
        return state.best.squares * state.frame.unit

    def attributes(self, state: Descents) -> dict[str, Any]:
        best = state.best
        return self.centres_told(state.frame, best.codebook.centres, state.covariance) | {"n_iter_": best.steps}

    def afterwards(self, rows: Passes) -> dict[str, Any]:
        rows.notes.clear()  # bounds are not needed any more, and room is
        told = self.rows_told(rows)
        different = int((told["cluster_weights_"] > 0).sum())
        if different < self.n_clusters:
            warn(
                f"Number of distinct clusters ({different}) found smaller than n_clusters ({self.n_clusters}). "
                "Possibly due to duplicate points in X.",
                ConvergenceWarning,
            )
        return told

    # -- joining ------------------------------------------------------------------------------------------------------

    def combine(self, other: KMeans) -> Self:
        """The model of the clusters of both: their centres, each as heavy as its cluster, are clustered into k.

        That is not the model of all rows. A cluster stays whole: all its rows go to the centre that its own centre goes
        to, also those for which another would be nearer by now. Where both models had the same clusters nothing is
        lost; where a cluster of one lies across two of the other, its rows follow its mean. `inertia_` is that of this
        grouping, the sum of both and of what the centres were moved, and no less than that of the rows, which `score`
        of the result tells. There are no `labels_`.
        """
        if type(other) is not type(self):
            raise TypeError(f"a KMeans can be combined with a KMeans, got {type(other).__name__}")
        for model in (self, other):
            model.check_ready()
        names = [None if getattr(m, "feature_names_in_", None) is None else list(m.feature_names_in_)
                 for m in (self, other)]  # fmt: skip
        if self.n_features_in_ != other.n_features_in_ or (None not in names and names[0] != names[1]):
            raise ValueError(f"the models have other columns: {names[0] or self.n_features_in_} and "
                             f"{names[1] or other.n_features_in_}")  # fmt: skip
        sigmas: list[Any] = [model.__dict__.get("covariance_") for model in (self, other)]
        if (sigmas[0] is None) != (sigmas[1] is None) or not np.array_equal(sigmas[0], sigmas[1]):
            raise ValueError("the models measure distances by other metrics: give both the same covariance")
        centres = np.concatenate([m.cluster_centers_.astype(np.float64) for m in (self, other)])
        mass = np.concatenate([m.cluster_weights_ for m in (self, other)])
        plain = type(self)(self.n_clusters, random_state=0, metric=self.metric, covariance=sigmas[0], tol=0.0)
        start = plain.fit(centres, sample_weight=mass)
        work = copying.copy(self.without_labels())
        work.__dict__.pop("trace_", None)
        work._dtype = np.promote_types(self.float_dtype, other.float_dtype)
        work.cluster_centers_ = narrowed(start.cluster_centers_, work.float_dtype)
        work.cluster_weights_ = start.cluster_weights_
        work.inertia_ = self.inertia_ + other.inertia_ + start.inertia_
        work.__dict__.pop("quantization_error_", None)
        work.n_iter_ = start.n_iter_
        return work


def parts_together(coordinates: int) -> int:
    """How many of the usual parts make one, of so many coordinates of all centres: threads that are handed a tenth of a
    millisecond of work wait for each other longer than that."""
    return 4 if coordinates <= 8 else 2 if coordinates <= 16 else 1
