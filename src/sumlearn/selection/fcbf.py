"""Fast correlation-based filter."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..data import Chunk, Source
from ..features.bin_edges import edges_of
from ..learners.fitted import Fitted
from ..learners.one_pass import OnePass
from ..statistics import LevelCounts
from .filter import FilterMixin, levels_of, looks_for_edges, refuse_other_bins
from .scores.information import class_uncertainty, pair_uncertainty, refuse_one_class

RIVALS = ("survivors", "all")


class FCBF(FilterMixin, OnePass):
    """Features that say something about the class and that no better feature already says.

        SU(a, b) = 2 I(a, b) / (H(a) + H(b))
        relevant    SU(x_i, y) >= delta  and  SU(x_i, y) > 0
        redundant   there is x_j, ranked before x_i, with  SU(x_i, x_j) >= SU(x_i, y)

    Features are ranked by SU(x_i, y); of equal ones the earlier column comes first, so that of two copies one stays
    (the definition of the note, with >= on both sides, would drop both). The uncertainties of all pairs come from one
    table of counts.

    Statistic: LevelCounts with all pairs of levels. One pass. Can merge, forget, decay, restrict. Cost: summarise
    O(n L^2 / 64) for L levels of all columns, memory L^2; solve O(L^2).

    Parameters
    ----------
    delta : float, default=0.0
        Least uncertainty that is shared with the class.
    rivals : {"survivors", "all"}, default="survivors"
        Who makes a feature redundant: better features that survived themselves (Yu & Liu), or any better one.
    bins : int, list of edges for each column, or None, default=None
        None: the values of a column are its levels, at most 256. A number: quantiles of the rows of the first `fit`,
        which later rows share. Edges make models of different tables addable: ``FCBF(bins=other.edges_)``. Words and
        categories are levels in any case.

    Attributes
    ----------
    scores_ : SU(x_i, y) of each feature.
    order_ : column numbers of the selected features, best first.
    dropped_by_ : the column that made each feature redundant; -1 for those selected, -2 for those not relevant.
    classes_ : labels, sorted.
    edges_ : edges of the bins, a row for each column, padded by infinity; -infinity for words.

    Examples
    --------
    >>> from sumlearn.data import load_example
    >>> from sumlearn.selection import FCBF
    >>> dna = load_example("dna")
    >>> model = FCBF().fit(dna.X, dna.y)
    >>> [dna.columns[j] for j in model.order_[:4]], len(model.order_)
    (['V90', 'V85', 'V93', 'V105'], 38)
    >>> model.scores_[model.order_[:4]].round(4).tolist()
    [0.3113, 0.275, 0.253, 0.1901]

    References
    ----------
    Lecture note 002; Yu & Liu, "Feature selection for high-dimensional data: a fast correlation-based filter
    solution", 2003.
    """

    target, reads = "label", "levels"
    statistic_type = LevelCounts
    look_parameters = ("bins",)
    private = ("_bins",)
    chunk_factor = 8  # tables of pairs are dear to merge

    scores_ = Fitted("SU(x_i, y) of each feature.")
    order_ = Fitted("Column numbers of the selected features, best first.")
    dropped_by_ = Fitted("The column that made each feature redundant; -1: selected, -2: not relevant.")
    classes_ = Fitted("Labels, sorted.")
    edges_ = Fitted("Edges of the bins.")

    def __init__(self, delta: float = 0.0, *, rivals: str = "survivors", bins: Any = None) -> None:
        self.delta = delta
        self.rivals = rivals
        self.bins = bins

    def check(self) -> None:
        if self.rivals not in RIVALS:
            raise ValueError(f"rivals must be one of {', '.join(RIVALS)}, got {self.rivals!r}")
        if not isinstance(self.delta, int | float | np.number) or not 0.0 <= self.delta <= 1.0:
            raise ValueError(f"delta must be between 0 and 1, got {self.delta!r}")

    @property
    def needs_look(self) -> bool:
        return looks_for_edges(self.bins)

    def look(self, source: Source) -> np.ndarray | None:
        self._bins = self.bins if looks_for_edges(self.bins) else None
        return edges_of(self.bins, source)

    def summarise(self, chunk: Chunk, look: Any = None) -> LevelCounts:
        return levels_of(chunk, look, "pairs")

    def solution(self, statistic: LevelCounts) -> dict[str, Any]:
        self.check()
        refuse_one_class(statistic)
        refuse_other_bins(self, self.bins, statistic.edges)
        scores = class_uncertainty(statistic)
        dropped_by = drop(scores, pair_uncertainty(statistic), self.delta, self.rivals)
        kept = np.flatnonzero(dropped_by == -1)
        values = {
            "scores_": scores,
            "order_": kept[np.argsort(-scores[kept], kind="stable")],
            "dropped_by_": dropped_by,
            "classes_": np.array(statistic.labels),
        }
        return values | ({} if statistic.edges is None else {"edges_": statistic.edges})

    def _get_support_mask(self) -> np.ndarray:
        return self.solved()["dropped_by_"] == -1


def drop(scores: np.ndarray, pairs: np.ndarray, delta: float, rivals: str) -> np.ndarray:
    """For each feature the one that makes it redundant, the best of them; -1 for none, -2 if it is not relevant.

    >>> pairs = np.array([[1.0, 0.4, 0.0], [0.4, 1.0, 0.2], [0.0, 0.2, 1.0]])
    >>> drop(np.array([0.5, 0.3, 0.1]), pairs, 0.0, "survivors").tolist()
    [-1, 0, -1]
    >>> drop(np.array([0.5, 0.3, 0.1]), pairs, 0.0, "all").tolist()
    [-1, 0, 1]
    """
    dropped_by = np.where((scores >= delta) & (scores > 0), -1, -2)
    ranked = np.argsort(-scores, kind="stable")
    ranked = ranked[dropped_by[ranked] == -1]
    for place, rival in enumerate(ranked):
        if rivals == "survivors" and dropped_by[rival] != -1:
            continue
        after = ranked[place + 1 :]
        beaten = after[(pairs[rival, after] >= scores[after]) & (dropped_by[after] == -1)]
        dropped_by[beaten] = rival
    return dropped_by
