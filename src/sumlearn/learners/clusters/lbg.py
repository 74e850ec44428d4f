"""The algorithm of Linde, Buzo and Gray: a codebook that grows by splitting."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...data import Chunk
from ...features.input_ranges import is_number, whole_number
from ...features.seeds import drawn_seed
from ...statistics import Moments, Total
from ..description import Description
from ..fitted import check_variances, narrowed
from ..passes import Passes
from ..stepwise import Stepwise
from .parts.codebook import Codebook, present
from .parts.frame import Coordinates
from .parts.lloyd import cluster_sums, means, moved
from .parts.prototypes import Prototypes


class Split(NamedTuple):
    """A codebook that was refined: its size, E_VQ, the sum of squares, the steps it took, and its centres."""

    size: int
    error: float
    inertia: float
    steps: int
    centres: np.ndarray


class Growth(NamedTuple):
    """A codebook on its way, and the ones before it."""

    codebook: Codebook
    covariance: np.ndarray | None
    tolerance: float
    seed: int
    steps: int = 0
    splits: tuple[Split, ...] = ()
    ended: bool = False


class LBG(Prototypes, Stepwise):
    """A codebook that starts at the mean and grows by splitting its centres, until it is good or large enough.

        w_1 = mean of all rows
        repeat: w_l -> w_l + e, w_l - e, for all l or the M of largest error;  refine by k-means
        until E_VQ = 1/N sum_n d(x_n, w_c(x_n)) < e_min  or  L = L_max

    Statistic: sums of (x, 1) by cluster, a pass for each step. Learns from files and clusters larger than memory.
    Cannot merge or forget exactly. Cost of a step: O(n L d), less where bounds tell that a row stays.

    Parameters
    ----------
    n_clusters : int, default=8
        L_max, the largest size of the codebook.
    min_error : float, default=0.0
        e_min: below this mean distance the codebook is good enough.
    split : "all" or int, default="all"
        Which centres are split: all, or as many (M) of largest error, sum of the distances of their rows. Of all so
        many as L_max leaves room for, the worst first.
    epsilon : float, default=0.01
        Length of e, as a share of the root of the mean squared distance of the rows of the centre.
    max_iter : int, default=300
        Most steps of k-means between two splits.
    tol : float, default=1e-4
        A step that moves the centres by less, as a share of the mean variance of the columns, ends the refinement.
    metric : "euclidean" or "mahalanobis", default="euclidean"
    covariance : array (n_features, n_features) or None, default=None
        Sigma of the metric of Mahalanobis; None is that of the rows.
    random_state : int, RandomState or None, default=0
        Seeds the directions of e.

    Attributes
    ----------
    cluster_centers_, labels_, inertia_, cluster_weights_, quantization_error_, covariance_
        As in KMeans.
    splits_ : list of Split
        Every codebook that was refined: `size`, `error` (E_VQ), `inertia`, `steps` and `centres`.
    n_iter_ : int
        Steps of k-means.
    trace_ : array
        E_VQ of the codebooks in `splits_`.

    Examples
    --------
    >>> from sumlearn import LBG
    >>> from sumlearn.data import load_example
    >>> model = LBG(8).fit(load_example("faithful").X)
    >>> [(split.size, round(split.error, 2)) for split in model.splits_]
    [(1, 12.02), (2, 4.68), (4, 2.77), (8, 1.44)]
    >>> LBG(64, min_error=2.0, split=1).fit(load_example("faithful").X).cluster_centers_.shape
    (6, 2)

    References
    ----------
    Lecture note 000 ("LGB"); Linde, Buzo & Gray, "An algorithm for vector quantizer design", 1980.
    """

    description = Description(
        parts=(Split,),
        variants={
            "n_clusters": (1, 2, 3, 5),
            "split": ("all", 1, 2),
            "min_error": (0.0, 1e-3),
            "metric": ("euclidean", "mahalanobis"),
        },
    )
    limit = None
    chunk_factor = 8

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        min_error: float = 0.0,
        split: Any = "all",
        epsilon: float = 0.01,
        max_iter: int = 300,
        tol: float = 1e-4,
        metric: str = "euclidean",
        covariance: Any = None,
        random_state: Any = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.min_error = min_error
        self.split = split
        self.epsilon = epsilon
        self.max_iter = max_iter
        self.tol = tol
        self.metric = metric
        self.covariance = covariance
        self.random_state = random_state

    def check(self) -> None:
        self.check_clusters()
        whole_number(self.max_iter, "max_iter", 1)
        if not (isinstance(self.split, str) and self.split == "all"):
            whole_number(self.split, "split", 1)
        for name, least in (("min_error", 0.0), ("tol", 0.0), ("epsilon", 1e-12)):
            value = getattr(self, name)
            if not is_number(value) or not least <= value < np.inf:
                raise ValueError(f"{name} must be a number of at least {least:g}, got {value!r}")

    def start(self, rows: Passes, look: Any) -> Growth:
        form: Any = "diagonal" if self.metric == "euclidean" else "full"
        moments = rows.total(lambda chunk: Moments.of(chunk.X, weight=chunk.weight, form=form))
        check_variances(moments.deviation)
        covariance = self.metric_of(rows.source, moments)
        frame = Coordinates.of(moments, covariance)
        centre = frame.coordinates(moments.mean[None])
        tolerance = self.tol * float(frame.variances(moments).mean())
        return Growth(Codebook.of(frame, centre), covariance, tolerance, drawn_seed(self.random_state))

    def step(self, state: Growth, rows: Passes) -> Growth:
        after, _ = means(state.codebook, cluster_sums({0: state.codebook}, rows)[0], rows)
        steps = state.steps + 1
        if moved(state.codebook, after) > state.tolerance and steps < self.max_iter:
            return state._replace(codebook=after, steps=steps)
        errors = rows.total(partial(errors_of, after)).values
        lengths, squares, mass = errors
        error, size = after.frame.length * float(lengths.sum() / mass.sum()), len(mass)
        split = Split(size, error, after.frame.unit * float(squares.sum()), steps, after.frame.natural(after.centres))
        state = state._replace(codebook=after, steps=0, splits=(*state.splits, split))
        chosen = self.worst(lengths)
        if error < self.min_error or size >= self.n_clusters or not len(chosen):
            return state._replace(ended=True)
        return state._replace(codebook=Codebook.of(after.frame, self.divided(after, errors, chosen, state.seed)))

    def worst(self, lengths: np.ndarray) -> np.ndarray:
        """Numbers of the centres to be split: of largest error, none without error."""
        most = len(lengths) if isinstance(self.split, str) else int(self.split)
        order = np.argsort(-lengths, kind="stable")[: min(most, self.n_clusters - len(lengths))]
        return np.sort(order[lengths[order] > 0])

    def divided(self, codebook: Codebook, errors: np.ndarray, chosen: np.ndarray, seed: int) -> np.ndarray:
        """Every chosen centre as two, a short way to either side."""
        centres, (_, squares, mass) = codebook.centres, errors
        random = np.random.default_rng([seed, len(centres)])
        away = random.standard_normal((len(chosen), centres.shape[1]))
        length = self.epsilon * np.sqrt(squares[chosen] / mass[chosen])
        away *= (length / np.sqrt((away**2).sum(axis=1)))[:, None]
        divided = centres.copy()
        divided[chosen] += away
        return np.concatenate([divided, centres[chosen] - away])

    def done(self, before: Growth, after: Growth) -> bool:
        return after.ended

    def trace(self, state: Growth) -> Any:
        return state.splits[-1].error if state.splits and state.steps == 0 else ()

    def attributes(self, state: Growth) -> dict[str, Any]:
        told = self.centres_told(state.codebook.frame, state.codebook.centres, state.covariance)
        splits = [split._replace(centres=narrowed(split.centres, self.float_dtype)) for split in state.splits]
        return told | {"splits_": splits, "n_iter_": sum(split.steps for split in splits)}

    def afterwards(self, rows: Passes) -> dict[str, Any]:
        rows.notes.clear()  # bounds are not needed any more, and room is
        return self.rows_told(rows)


def errors_of(codebook: Codebook, chunk: Chunk) -> Total:
    """Sums of distances, of their squares (in units of the frame) and of weights by cluster, each times the weight."""
    with present(chunk) as (X, weight):
        labels, squares = codebook.nearest(X)
    n, k = len(labels), len(codebook.centres)
    mass = weight if len(weight) else np.ones(n)
    values = [np.bincount(labels, mass * of, k) for of in (np.sqrt(squares), squares, np.ones(n))]
    return Total(np.stack(values), float(mass.sum()), n)
