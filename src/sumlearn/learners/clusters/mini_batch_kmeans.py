"""k-means, some rows at a time."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np

from ...data import Chunk, Source
from ...engines import total
from ...features.input_ranges import is_number, whole_number
from ...statistics import Moments
from ...statistics.warnings import warn
from ...statistics.weights import refuse_faint
from ..batches import Batches, seed_of
from ..description import Description
from ..fitted import check_variances
from ..passes import Passes
from ..sequential import Sequential
from .parts.codebook import Codebook, weights_of, written_out
from .parts.frame import Coordinates
from .parts.prototypes import Prototypes
from .parts.starts import is_given, starts_of


class Moving(NamedTuple):
    """Centres on their way: the weight that each has drawn, and how the errors of the batches have gone."""

    codebook: Codebook
    mass: np.ndarray
    covariance: np.ndarray | None
    tolerance: float
    rows: int | None  # of an epoch, where they are known
    steps: int = 0
    error: float = np.nan  # mean squared distance in units of the frame, older batches faded out
    least: float = np.inf
    idle: int = 0  # batches since it was least
    waiting: float = 0.0  # rows since centres of little weight were placed anew
    ended: bool = False


class MiniBatchKMeans(Prototypes, Sequential):
    """k-means on some rows at a time: every centre goes to the mean of all rows that it was ever nearest to.

        c_k <- c_k + (sum_{n in batch, k} w_n (x_n - c_k)) / M_k,   M_k = weight of all rows it has drawn

    Sequential: batches in their order, in epochs. Quicker than `KMeans` on many rows and a little worse. `partial_fit`
    learns on, and is not exact: rows keep the centre that was nearest when they came, so what comes of it depends on
    their order, and nothing can be merged or forgotten. Cost of an epoch: O(n k d).

    Parameters
    ----------
    n_clusters : int, default=8
    init : "k-means++", "random", array (k, n_features) or callable, default="k-means++"
    max_iter : int, default=100
        Most epochs.
    batch_size : int, default=1024
        Rows at a time.
    verbose : int, default=0
        Whether every batch is printed.
    compute_labels : bool, default=True
        Whether `labels_`, `inertia_` and what else takes a pass over all rows is found after the fit.
    random_state : int, RandomState or None, default=0
        Seeds starts, the order of the rows, and centres that are placed anew.
    tol : float, default=0.0
        A batch that moves the centres by less, as a share of the mean variance of the columns, is the last.
    max_no_improvement : int or None, default=10
        Learning ends after so many batches without a smaller error, older ones faded out.
    init_size : int or None, default=None
        Rows among which starts are drawn; None is as in KMeans.
    n_init : int or "auto", default="auto"
        Starts, of which the best on those rows is taken; "auto" is 1 for "k-means++" and for given centres, else 3.
    reassignment_ratio : float, default=0.01
        Centres that have drawn less than this share of the most are placed on rows of the batch, now and then.
    metric, covariance
        As in KMeans; the covariance is that of the rows of the first fit.

    Attributes
    ----------
    cluster_centers_, labels_, inertia_, cluster_weights_, quantization_error_, covariance_
        As in KMeans.
    n_iter_, n_steps_ : int
        Epochs begun, and batches learnt.

    Examples
    --------
    >>> from sumlearn import MiniBatchKMeans
    >>> from sumlearn.data import load_example
    >>> model = MiniBatchKMeans(3, batch_size=50).fit(load_example("iris").X)
    >>> print(model.inertia_ < 80.0, sorted(model.cluster_weights_.tolist())[1])
    True 50.0

    References
    ----------
    Sculley, "Web-scale k-means clustering", 2010.
    """

    description = Description(
        parts=(Moving, Codebook, Coordinates),
        variants={
            "n_clusters": (1, 2, 3),
            "init": ("k-means++", "random"),
            "batch_size": (7, 1024),
            "max_no_improvement": (None, 3),
            "metric": ("euclidean", "mahalanobis"),
        },
    )
    needs_look = True
    look_parameters: ClassVar[tuple[str, ...]] = ("n_clusters", "metric")

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: Any = "k-means++",
        max_iter: int = 100,
        batch_size: int = 1024,
        verbose: int = 0,
        compute_labels: bool = True,
        random_state: Any = 0,
        tol: float = 0.0,
        max_no_improvement: int | None = 10,
        init_size: int | None = None,
        n_init: Any = "auto",
        reassignment_ratio: float = 0.01,
        metric: str = "euclidean",
        covariance: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.verbose = verbose
        self.compute_labels = compute_labels
        self.random_state = random_state
        self.tol = tol
        self.max_no_improvement = max_no_improvement
        self.init_size = init_size
        self.n_init = n_init
        self.reassignment_ratio = reassignment_ratio
        self.metric = metric
        self.covariance = covariance

    def check(self) -> None:
        self.check_clusters()
        self.check_starts()
        for name in ("max_iter", "batch_size"):
            whole_number(getattr(self, name), name, 1)
        for name in ("max_no_improvement", "init_size"):
            if getattr(self, name) is not None:
                whole_number(getattr(self, name), name, 0 if name == "max_no_improvement" else 1)
        for name in ("tol", "reassignment_ratio"):
            if not is_number(getattr(self, name)) or not 0.0 <= getattr(self, name) < np.inf:
                raise ValueError(f"{name} must be a number of at least 0, got {getattr(self, name)!r}")

    def look(self, source: Source) -> np.ndarray:
        """The best of some starts, (1, k, features)."""
        covariance = self.metric_of(source) if self.metric != "euclidean" and not is_given(self.init) else None
        size = self.init_size
        if size is not None and size < self.n_clusters:
            warn(
                f"init_size={size} should be larger than n_clusters={self.n_clusters}. "
                "Setting it to min(3*n_clusters, n_samples)",
                RuntimeWarning,
            )
            size = 3 * self.n_clusters
        return starts_of(
            source, self.n_clusters, self.init, self.starts(3), self.random_state, covariance, size=size, best=True
        )

    def start(self, batches: Batches, look: np.ndarray) -> Moving:
        covariance, source = self.metric_of(batches.source), batches.source
        frame = Coordinates.around(look[0], covariance)
        tolerance = 0.0
        if self.tol:
            moments = total(lambda chunk: Moments.of(chunk.X, weight=chunk.weight, form="diagonal"), source, factor=8)
            check_variances(moments.deviation)
            tolerance = self.tol * float(np.mean(moments.deviation**2 / frame.unit)) if covariance is None else self.tol
        rows = source.rows if batches.whole is None else sum(chunk.X.shape[0] for _, chunk in batches.whole)
        self.need_rows(rows)
        codebook = Codebook.of(frame, frame.coordinates(look[0]))
        return Moving(codebook, np.zeros(self.n_clusters), covariance, tolerance, rows)

    def learn(self, state: Moving, batch: Chunk) -> Moving:
        if state.ended:
            return state
        X, before = written_out(batch.X), state.codebook
        weight = weights_of(batch.weight, len(X))
        refuse_faint(weight)
        _, squares = before.nearest(X)
        drawn = weight if len(weight) else np.ones(len(X))
        sums = before.sums(X, weight, {})
        sums = sums.hi + sums.lo
        mass = state.mass + sums[:, -1]
        share = np.where(mass > 0, 1.0 / np.where(mass > 0, mass, 1.0), 0.0)
        centres = before.centres + share[:, None] * (sums[:, :-1] - sums[:, -1:] * before.centres)
        weighs = float(drawn.sum())
        error = float((drawn * squares).sum() / weighs) if weighs else np.nan
        waiting = state.waiting + len(X)
        if self.reassignment_ratio > 0 and ((mass == 0).any() or waiting >= 10 * self.n_clusters):
            centres, mass = self.placed_anew(state, centres, mass, X, drawn)
            waiting = 0.0
        after = Codebook.of(before.frame, centres)
        moved = float(((centres - before.centres) ** 2).sum())
        state = state._replace(codebook=after, mass=mass, steps=state.steps + 1, waiting=waiting)
        if self.verbose:
            print(f"Minibatch step {state.steps}: mean batch inertia: {error * before.frame.unit}")
        return self.judged(state, error, moved, len(X))

    def placed_anew(
        self, state: Moving, centres: np.ndarray, mass: np.ndarray, X: np.ndarray, drawn: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Centres of little weight on rows of the batch, at most half as many as it has, with the least weight."""
        weak, there = np.flatnonzero(mass < self.reassignment_ratio * mass.max()), np.flatnonzero(drawn)
        weak = weak[np.argsort(mass[weak], kind="stable")][: len(there) // 2]
        if not len(weak):
            return centres, mass
        random = np.random.default_rng([seed_of(self.random_state), state.steps])
        rows = random.choice(there, len(weak), replace=False)
        centres, mass = centres.copy(), mass.copy()
        centres[weak] = state.codebook.frame.coordinates(X[rows])
        mass[weak] = np.delete(mass, weak).min()
        return centres, mass

    def judged(self, state: Moving, error: float, moved: float, rows: int) -> Moving:
        """Whether these batches have led anywhere; the first one says little."""
        if state.steps == 1:
            return state
        known = state.rows if state.rows is not None else state.steps * rows
        fresh = min(2.0 * rows / (known + 1), 1.0)
        error = error if np.isnan(state.error) else state.error + fresh * (error - state.error)
        idle = 0 if error < state.least else state.idle + 1
        still = state.tolerance > 0.0 and moved <= state.tolerance
        stuck = self.max_no_improvement is not None and idle >= self.max_no_improvement
        if self.verbose and (still or stuck):
            why = "small centers change" if still else "lack of improvement in inertia"
            print(f"Converged ({why}) at step {state.steps}")
        ended = still or stuck
        return state._replace(error=error, least=min(error, state.least), idle=idle, ended=ended)

    def finished(self, state: Moving) -> bool:
        return state.ended

    def attributes(self, state: Moving) -> dict[str, Any]:
        told = self.centres_told(state.codebook.frame, state.codebook.centres, state.covariance)
        return told | {"n_steps_": state.steps}

    def afterwards(self, rows: Passes) -> dict[str, Any]:
        self.__dict__["state_"] = vars(self)["state_"]._replace(ended=False, idle=0)  # more rows are learnt
        return self.rows_told(rows) if self.compute_labels else {}
