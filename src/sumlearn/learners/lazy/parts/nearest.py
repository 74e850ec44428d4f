"""What learners from nearest neighbours share: parameters, the search, and what is asked of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sparse

from ....data import Chunk, Source
from ....data.coded_columns import CodedColumns
from ....engines import cores, total
from ....features.input_ranges import is_number, one_of, whole_number
from ....statistics.warnings import warn
from ...description import Complexity, Description, Offer
from ...fitted import Fitted, Later
from ...validation import prediction_rows
from .left_out_neighbours import LeftOutNeighbours
from .neighbour_lists import ENOUGH, ENTRIES, FEW_NEIGHBOURS, among_rows, lists_of
from .neighbour_means import averaged, grouped, points_of, weighted
from .row_groups import RowGroups
from .rows_in_order import Kinds, RowsInOrder
from .shells import Shells
from .spaces import WITH_GAPS, Space, space_of

EQUAL = 1e-9  # scores that rounding alone tells apart
NEIGHBOURS = Description(
    offers=(Offer("neighbours", "nearest neighbours", 128, fixed={"n_neighbors": "loo"}, extra=True),),
    complexity=Complexity("n_neighbors", "neighbours k", (1, 2, 3, 5, 8, 13, 21, 34, 55), otherwise=5.0),
    parts=(RowsInOrder,),
    variants={
        "n_neighbors": (1, 4, "loo"),
        "weights": ("uniform", "distance"),
        "metric": ("minkowski", "seuclidean", "chebyshev"),
        "max_neighbors": (7,),
    },
)


class Nearest(LeftOutNeighbours):
    """A mixin of learners that keep their rows and look for the nearest: `values_of` says what is averaged there."""

    statistic_: RowsInOrder
    n_features_in_: int
    # of the learner that it is part of
    solved: Any
    rows_of: Any
    check_ready: Any
    without_fit: Any
    float_dtype: Any
    values_of: Any
    decided: Any
    described: Any
    target: ClassVar[Any]
    chunk_factor: ClassVar[int]

    n_samples_fit_ = Fitted("How many rows were learnt.")
    n_neighbors_ = Fitted("How many neighbours count.")
    effective_metric_ = Fitted("The metric in use.")
    effective_metric_params_ = Fitted("Its parameters.")
    loo_scores_ = Later("left_out_scores", "Scores of rows left out in turn, for 1, 2, ... neighbours.")

    statistic_type = RowsInOrder
    many_targets = True
    needs_look = False

    def __init__(
        self,
        n_neighbors: Any = 5,
        *,
        weights: str | Callable[[np.ndarray], np.ndarray] | None = "uniform",
        algorithm: str = "auto",
        leaf_size: int = 30,
        p: float = 2,
        metric: Any = "minkowski",
        metric_params: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        ties: str = "all",
        max_neighbors: int = 50,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs
        self.ties = ties
        self.max_neighbors = max_neighbors

    # -- learning -----------------------------------------------------------------------------------------------------

    @property
    def reads(self) -> str:
        """Metrics of levels and gaps see coded columns."""
        return "mixed" if isinstance(self.metric, str) and self.metric in WITH_GAPS else "numbers"

    @property
    def is_given(self) -> bool:  # type: ignore[override]
        """Whether rows are distances."""
        return isinstance(self.metric, str) and self.metric == "precomputed"

    def look(self, source: Source) -> Any:
        """Of mixed columns what they are: codes mean nothing without it."""
        if self.reads == "numbers":
            return None
        return kinds_of(vars(self)["columns_"])

    def summarise(self, chunk: Chunk, look: Any = None) -> RowsInOrder:
        if self.is_given:
            check_given(chunk.X)
        own = vars(self).get("columns_")
        if look is not None and own is not None and kinds_of(own) != look:
            raise ValueError("the columns of these rows have other levels than those that the look has met")
        return RowsInOrder.of(chunk.X, chunk.y, chunk.weight, labels=self.target == "label", look=look)

    def check(self) -> None:
        """Refuse parameters that make no sense."""
        if isinstance(self.n_neighbors, str):
            one_of(self.n_neighbors, "n_neighbors", ("loo",))
        else:
            whole_number(self.n_neighbors, "n_neighbors", 1)
        whole_number(self.max_neighbors, "max_neighbors", 1)
        if not (self.weights is None or callable(self.weights)):
            one_of(self.weights, "weights", ("uniform", "distance"))
        one_of(self.ties, "ties", ("all", "first"))
        one_of(self.algorithm, "algorithm", ("auto", "ball_tree", "kd_tree", "brute"))
        whole_number(self.leaf_size, "leaf_size", 1)
        if (not is_number(self.p) and self.p is not None) or (self.p is not None and not self.p > 0):
            raise ValueError(f"p must be positive, got {self.p!r}")
        if not (isinstance(self.metric, str) or callable(self.metric) or hasattr(self.metric, "pairwise")):
            raise ValueError(f"metric must be a name or a function of two rows, got {self.metric!r}")
        if not (self.metric_params is None or isinstance(self.metric_params, dict)):
            raise ValueError(f"metric_params must be a dict or None, got {self.metric_params!r}")
        if self.bends and self.algorithm in ("ball_tree", "kd_tree"):
            raise ValueError(
                f'algorithm="{self.algorithm}" does not support 0 < p < 1 for the Minkowski metric. To resolve this '
                'problem either set p >= 1 or algorithm="brute".'
            )

    @property
    def bends(self) -> bool:
        """Whether the way round may be shorter: powers below one are no metric, and no tree helps."""
        return self.metric == "minkowski" and (self.p or 2) < 1

    def solution(self, statistic: RowsInOrder) -> dict[str, Any]:
        self.check()
        if "p" in (self.metric_params or {}):
            warn("p is found in metric_params: the parameter of the learner is ignored", SyntaxWarning)
        if self.reads == "mixed" and statistic.look is None:
            raise ValueError(f"metric={self.metric!r} reads levels and gaps; the rows learnt were numbers: fit anew")
        if self.bends:
            warn("for 0 < p < 1 the power of Minkowski is no metric: all distances are compared", UserWarning)
        space = self.space(statistic, statistic.X[0])
        points = space.map(statistic.X)
        if self.is_given:
            if statistic.rows != statistic.features:
                raise ValueError(
                    f"with metric='precomputed' X holds the distances among the rows learnt: it must be square, got "
                    f"{statistic.rows} rows of {statistic.features} distances"
                )
            order, starts = np.arange(statistic.rows), np.arange(statistic.rows + 1)
        else:
            groups = RowGroups.of(points if points is statistic.X else points + 0.0)
            order, starts = groups.order, np.append(groups.starts, statistic.rows)
            if len(starts) > statistic.rows:  # all are different
                order, starts = np.arange(statistic.rows), np.arange(statistic.rows + 1)
            else:
                points = points[order[starts[:-1]]]
        values = self.values_of(statistic)
        mass, sums = statistic.mass, weighted(values, statistic.mass)
        if len(starts) <= statistic.rows:
            mass, sums = np.add.reduceat(mass[order], starts[:-1]), grouped(sums, order, starts)
        metric, params = self.metric, dict(self.metric_params or {})
        if metric == "minkowski":
            power = params.pop("p", self.p)
            metric = {1: "manhattan", 2: "euclidean"}.get(power, "chebyshev" if np.isinf(power) else metric)
            metric = "minkowski" if "w" in params else metric
            params |= {"p": power} if metric == "minkowski" else {}
        search = space.search(points)
        search.workers = cores() if self.n_jobs is None or self.n_jobs < 1 else int(self.n_jobs)
        found = {
            "space": space,
            "search": search,
            "order": order,
            "starts": starts,
            "points": statistic.X if self.is_given else points,
            "values": values,
            "mass": mass,
            "sums": sums,
            "n_samples_fit_": statistic.rows,
            "effective_metric_": metric,
            "effective_metric_params_": params,
        }
        found |= self.described(statistic)
        if not isinstance(self.n_neighbors, str):
            return found | {"n_neighbors_": int(self.n_neighbors)}
        most = max(1, min(int(self.max_neighbors), int(np.floor(statistic.weight * (2.0 - ENOUGH) - 1.0))))
        scores = np.ones(1) if statistic.rows < 2 else self.scores_of(found, statistic, most)
        best = int(np.flatnonzero(scores >= scores.max() - EQUAL)[-1])  # the smoothest of equals
        return found | {"loo_scores_": scores, "n_neighbors_": best + 1}

    def space(self, statistic: RowsInOrder | None, origin: np.ndarray) -> Space:
        return space_of(self.metric, 2.0 if self.p is None else self.p, self.metric_params, statistic, origin)

    # -- using --------------------------------------------------------------------------------------------------------

    def votes(self, X: Any) -> np.ndarray:
        """The weighted mean of the values of the neighbours; without X, for every row learnt, by the others."""
        found = self.solved()
        if X is None:
            return self.left_out_votes(found)
        points = self.checked(found["space"].map(self.queries_of(X)))
        k = float(found["n_neighbors_"])
        return self.in_batches(points, k, lambda part: self.means_at(found, points[part], k))

    def means_at(self, found: dict[str, Any], points: np.ndarray, k: float) -> np.ndarray:
        lists = lists_of(found["search"], points, k, found["mass"])
        sums, mass = found["sums"], found["mass"]
        if self.ties == "first":
            mass, sums = self.statistic_.mass, weighted(found["values"], self.statistic_.mass)
            lists = among_rows(lists, found["order"], found["starts"], mass, k)
        return averaged(lists, lists.shares(k, self.ties), self.weights, sums, found["space"])

    def in_batches(self, points: np.ndarray, k: float, work: Any) -> np.ndarray:
        size = max(256, int(ENTRIES / max(k, FEW_NEIGHBOURS)))
        parts = [work(slice(start, start + size)) for start in range(0, max(len(points), 1), size)]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def queries_of(self, X: Any) -> np.ndarray:
        self.check_ready()
        if self.is_given:
            check_given(X)
        return np.asarray(self.rows_of(X), dtype=np.float64)

    def checked(self, points: np.ndarray) -> np.ndarray:
        with np.errstate(invalid="ignore", over="ignore"):
            if self.reads == "numbers" and not np.isfinite(points.sum()):
                for row in np.flatnonzero(~np.isfinite(points).all(axis=1))[:1]:
                    raise ValueError(f"row {row} is so far from the rows learnt that its values overflow: rescale it")
        return points

    def kneighbors(self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        """Distances to the nearest rows, and their numbers in the order in which they were learnt.

        Rows are counted, whatever they weigh; of equally near ones the earlier is first. Without X the rows learnt are
        asked, and none of them is its own neighbour.
        """
        found = self.solved()
        k = found["n_neighbors_"] if n_neighbors is None else whole_number(n_neighbors, "n_neighbors", 1)
        rows, own = self.statistic_.rows, X is None
        if k + own > rows:
            less = "<" if own else "<="
            raise ValueError(
                f"Expected n_neighbors {less} n_samples_fit, but n_neighbors = {k}, n_samples_fit = {rows}"
            )
        if own:
            points, groups = found["points"], points_of(found)
        else:
            points = self.checked(found["space"].map(self.queries_of(X)))
        counts = np.diff(found["starts"]).astype(np.float64)

        def lists_for(part: slice) -> tuple[np.ndarray, np.ndarray]:
            lists = lists_of(found["search"], points[groups[part]] if own else points[part], k + own, counts)
            lists = among_rows(lists, found["order"], found["starts"], np.ones(rows), k + own)
            places = lists.starts[:-1, None] + np.arange(k + own)
            distance, number = lists.distance[places], lists.number[places]
            if own:
                mine = number == np.arange(rows)[part][:, None]
                mine[~mine.any(axis=1), 0] = True  # more rows are at no distance than are asked for
                distance, number = (values[~mine].reshape(-1, k) for values in (distance, number))
            return found["space"].finish(distance), number

        size = max(256, ENTRIES // max(k, FEW_NEIGHBOURS))
        asked = rows if own else len(points)
        parts = [lists_for(slice(start, start + size)) for start in range(0, max(asked, 1), size)]
        distance, number = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        return (distance.astype(self.float_dtype), number) if return_distance else number

    def kneighbors_graph(self, X: Any = None, n_neighbors: int | None = None, mode: str = "connectivity") -> Any:
        """The same as a sparse matrix, a row for each query: ones ("connectivity"), or distances ("distance")."""
        one_of(mode, "mode", ("connectivity", "distance"))
        distance, number = self.kneighbors(X, n_neighbors)
        values = np.ones(number.size) if mode == "connectivity" else distance.ravel()
        starts = np.arange(0, number.size + 1, number.shape[1])
        return sparse.csr_matrix((values, number.ravel(), starts), shape=(len(number), self.statistic_.rows))

    def predict_over(self, queries: Any, X: Any, y: Any = None, sample_weight: Any = None) -> np.ndarray:
        """Predictions from rows that are not kept: one pass over X (files, Dask collections, arrays), in chunks.

        The lists of the nearest are the statistic here; they hold no more rows than count. Needs no fit, a number of
        neighbours, and a metric that takes nothing from the rows.
        """
        self.check()
        if isinstance(self.n_neighbors, str) or self.reads != "numbers" or self.is_given:
            raise ValueError("predict_over needs n_neighbors as a number, and a metric of numbers")
        work = self.without_fit()
        source = work.open(X, y, sample_weight, reset=True)
        rows = prediction_rows(work, queries, sparse_ok=False).astype(np.float64)
        work.remember(source)
        space = self.space(None, rows[0])
        make = partial(shells, work, space, space.map(rows), float(self.n_neighbors))
        found: Shells = total(make, source, factor=self.chunk_factor)
        return work.decided(averaged_shells(found, self.weights, space), found.names)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.pairwise = self.is_given
        return tags


def kinds_of(columns: CodedColumns) -> Kinds:
    """What columns are, and the levels that their codes stand for."""
    pairs = zip(columns.levels, columns.ordered, strict=True)
    return tuple(() if own is None else ("ordered" if ordered else "category", *own) for own, ordered in pairs)


def check_given(X: Any) -> None:
    """Refuse what are no distances."""
    if sparse.issparse(X):
        raise TypeError(
            "metric='precomputed' needs all distances: in a sparse matrix it is not said of which rows they are zero; "
            "give an array, or the rows themselves and the name of the metric"
        )
    values = np.asarray(X)
    if values.dtype.kind in "if" and values.size and values.min() < 0:
        raise ValueError("Negative values in data passed to precomputed distance matrix.")


def shells(learner: Any, space: Space, points: np.ndarray, k: float, chunk: Chunk) -> Shells:
    """The nearest rows of a chunk to every query."""
    rows: RowsInOrder = learner.summarise(chunk)
    if not rows.rows:
        return Shells.nothing(len(points), rows.targets, k, learner.ties, rows.names)
    lists = lists_of(space.search(space.map(rows.X)), points, k, rows.mass)
    values = learner.values_of(rows)
    return Shells.of(lists, values.toarray() if sparse.issparse(values) else values, k, learner.ties, rows)


def averaged_shells(found: Shells, weights: Any, space: Space) -> np.ndarray:
    lists = found.lists
    return averaged(lists, lists.shares(found.k, found.ties), weights, found.sums, space)
