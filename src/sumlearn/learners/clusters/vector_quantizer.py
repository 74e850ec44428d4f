"""Vector quantisation, a row at a time."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np

from ...compiled.quantizer import draw_nearest
from ...data import Chunk, Source
from ...features.input_ranges import is_number, whole_number
from ..batches import Batches
from ..description import Description
from ..passes import Passes
from ..sequential import Sequential
from .parts.codebook import weights_of, written_out
from .parts.frame import Coordinates
from .parts.prototypes import Prototypes
from .parts.starts import is_given, starts_of


class Drawn(NamedTuple):
    """Where the prototypes have been drawn, by rows of how much weight, and the errors of the epochs."""

    frame: Coordinates
    centres: np.ndarray
    covariance: np.ndarray | None
    seen: float = 0.0
    length: float = 0.0  # sum of distances since the epoch began
    before: float = 0.0  # weight seen when it began
    errors: tuple[float, ...] = ()


class VectorQuantizer(Prototypes, Sequential):
    """Prototypes for rows that come one after the other: each draws the one that is nearest.

        c = argmin_k d(x, w_k);   w_c <- w_c + eps (x - w_c)
        eps = learning_rate / (1 + rate_decay t / K) after t rows;   E_VQ = 1/N sum_n d(x_n, w_c(x_n))

    Sequential: rows in their order, in epochs; learns on with `partial_fit`. What comes of it depends on that order:
    cannot merge or forget. Cost of an epoch: O(n K d). A row of weight w draws as it would w times in a row.

    Parameters
    ----------
    n_clusters : int, default=8
        K.
    init : "k-means++", "random", array (K, n_features) or callable, default="k-means++"
        Where the prototypes start.
    learning_rate : float in (0, 1), default=0.5
    rate_decay : float, default=0.05
        How soon the rate falls; at ``rate_decay=learning_rate`` a prototype is about the mean of what it has drawn, at
        0 the rate stays, for rows whose distribution moves.
    max_iter : int, default=20
        Most epochs.
    tol : float, default=1e-3
        An epoch whose E_VQ differs from that before by less, as a share of it, is the last.
    shuffle : bool, default=True
        Whether rows come in another order in every epoch.
    metric : "euclidean" or "mahalanobis", default="euclidean"
    covariance : array (n_features, n_features) or None, default=None
        Sigma of the metric of Mahalanobis; None is that of the rows of the first fit.
    random_state : int, RandomState or None, default=0
        Seeds the start and the order.

    Attributes
    ----------
    cluster_centers_ : array (K, n_features)
        The prototypes.
    trace_ : array
        E_VQ of every epoch: of each row the distance before it draws.
    quantization_error_, inertia_, labels_, cluster_weights_, covariance_
        Of the rows of the last fit with the prototypes at its end, as in KMeans.
    n_iter_ : int
        Epochs.

    Examples
    --------
    >>> from sumlearn import VectorQuantizer
    >>> from sumlearn.data import load_example
    >>> X = load_example("faithful").X
    >>> model = VectorQuantizer(2).fit(X)
    >>> print(f"{model.quantization_error_:.2f}", model.cluster_centers_.round(0).tolist())
    4.68 [[2.0, 55.0], [4.0, 80.0]]

    References
    ----------
    Lecture note 000, where the move is misprinted as eps (w - x): so the prototype would go to nothing; Kohonen,
    "Self-organizing maps", 1995; MacQueen, "Some methods for classification", 1967.
    """

    description = Description(
        parts=(Drawn, Coordinates),
        variants={
            "n_clusters": (1, 2, 3),
            "learning_rate": (0.1, 0.5),
            "rate_decay": (0.0, 0.05, 0.5),
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
        learning_rate: float = 0.5,
        rate_decay: float = 0.05,
        max_iter: int = 20,
        tol: float = 1e-3,
        shuffle: bool = True,
        metric: str = "euclidean",
        covariance: Any = None,
        random_state: Any = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.learning_rate = learning_rate
        self.rate_decay = rate_decay
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.metric = metric
        self.covariance = covariance
        self.random_state = random_state

    def check(self) -> None:
        self.check_clusters()
        whole_number(self.max_iter, "max_iter", 1)
        if not is_number(self.learning_rate) or not 0.0 < self.learning_rate < 1.0:
            raise ValueError(f"learning_rate must be a number between 0 and 1, got {self.learning_rate!r}")
        for name in ("rate_decay", "tol"):
            if not is_number(getattr(self, name)) or not 0.0 <= getattr(self, name) < np.inf:
                raise ValueError(f"{name} must be a number of at least 0, got {getattr(self, name)!r}")

    def look(self, source: Source) -> np.ndarray:
        """A start, (1, K, features)."""
        covariance = self.metric_of(source) if self.metric != "euclidean" and not is_given(self.init) else None
        return starts_of(source, self.n_clusters, self.init, 1, self.random_state, covariance)

    def start(self, batches: Batches, look: np.ndarray) -> Drawn:
        covariance = self.metric_of(batches.source)
        frame = Coordinates.around(look[0], covariance)
        return Drawn(frame, frame.coordinates(look[0]), covariance)

    def learn(self, state: Drawn, batch: Chunk) -> Drawn:
        X, centres = written_out(batch.X), state.centres.copy()
        weight = weights_of(batch.weight, len(X))
        found = draw_nearest(*state.frame.placed(X), weight, centres, state.seen, self.learning_rate, self.rate_decay)
        return state._replace(centres=centres, length=state.length + found[0], seen=found[1])

    def turn(self, state: Drawn) -> Drawn:
        error = state.length / max(state.seen - state.before, 1e-300) * state.frame.length
        return state._replace(length=0.0, before=state.seen, errors=(*state.errors, float(error)))

    def finished(self, state: Drawn) -> bool:
        if len(state.errors) < 2:
            return False
        before, last = state.errors[-2:]
        return abs(before - last) <= float(self.tol or 0.0) * before

    def attributes(self, state: Drawn) -> dict[str, Any]:
        return self.centres_told(state.frame, state.centres, state.covariance) | {"trace_": np.array(state.errors)}

    def afterwards(self, rows: Passes) -> dict[str, Any]:
        return self.rows_told(rows)
