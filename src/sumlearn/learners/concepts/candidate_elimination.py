"""Candidate elimination: the version space of labelled rows, and its vote."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...data import Chunk
from ...statistics.warnings import warn
from ..description import Description
from ..fitted import Fitted
from ..one_pass import OnePass
from ..sampling import LabelSamplingMixin
from .attributes import Attributes
from .conjunction import Conjunction, Interval
from .parts.concept_learner import ConceptLearner, check_limit
from .version_space import MOST_GENERAL, VersionSpace


class CandidateElimination(LabelSamplingMixin, ConceptLearner, OnePass):
    """All conjunctions that cover every positive row and no negative one, between their boundaries S and G.

        VS = {h: s <= h <= g for an s of S and a g of G}
        positive x:  members of G that do not cover x go;  S becomes its least generalisations that do
        negative x:  members of S that cover x go;  G becomes its least specialisations above S that do not
        members of S that are above others, and of G that are below others, go

    A row belongs to the concept if the majority of the version space says so; their share is the probability. What is
    kept are the least hypothesis above the positive rows and the different negative ones, so that the boundaries do not
    depend on the order of rows, and sites that merge intersect their spaces. Rows with wrong labels collapse the space:
    `fit` warns and names the rows, and `predict` refuses.

    Statistic: VersionSpace. One pass. Can merge. Cost: summarise O(n d), solve O(negative rows |G| d).

    Parameters
    ----------
    positive : label, default=None
        The label of the rows that belong to the concept; None knows yes, true, 1, + and positive.
    max_general : int, default=1000
        Members that G may come to.
    categorical_features : list of str, default=None
        Columns of numbers that are levels.
    ids, drop : list of str, default=None
        Columns that are no attributes.

    Attributes
    ----------
    S_, G_ : lists of Conjunction, the boundaries; empty where the space has collapsed.
    size_ : number of hypotheses in the space.
    converged_, collapsed_ : whether one hypothesis is left, or none.
    reason_ : why the space has collapsed, with the rows that did it; "" if it has not.
    classes_ : the two labels, sorted.

    Examples
    --------
    >>> import pandas as pd
    >>> from sumlearn import CandidateElimination
    >>> from sumlearn.data import load_example
    >>> sport = load_example("enjoy_sport")
    >>> days = pd.DataFrame(sport.X, columns=sport.columns)
    >>> model = CandidateElimination().fit(days, sport.y)
    >>> print(*model.S_, *model.G_, model.size_)
    <Sunny, Warm, ?, Strong, ?, ?> <?, Warm, ?, ?, ?, ?> <Sunny, ?, ?, ?, ?, ?> 6

    References
    ----------
    Lecture note 000; Mitchell, "Machine learning", 1997, sec. 2.5 to 2.7.
    """

    description = Description(parts=(Attributes, Conjunction, Interval))
    statistic_type = VersionSpace
    S_ = Fitted("The least general members.")
    G_ = Fitted("The most general members.")
    size_ = Fitted("Number of members.")
    converged_ = Fitted("Whether one hypothesis is left.")
    collapsed_ = Fitted("Whether none is left.")
    reason_ = Fitted("Why none is left.")

    def __init__(
        self,
        *,
        positive: Any = None,
        max_general: int = MOST_GENERAL,
        categorical_features: Sequence[str] | None = None,
        ids: Sequence[str] | None = None,
        drop: Sequence[str] | None = None,
    ) -> None:
        self.positive = positive
        self.max_general = max_general
        self.categorical_features = categorical_features
        self.ids = ids
        self.drop = drop

    def check(self) -> None:
        check_limit("max_general", self.max_general)

    def summarise(self, chunk: Chunk, look: Any = None) -> VersionSpace:
        own = self.examples(chunk)
        sides = own.labelled(True), own.labelled(False)
        return VersionSpace.of(own.attributes, *sides, own.labels, own.ones, own.mass)

    def solution(self, statistic: VersionSpace) -> dict[str, Any]:
        self.check()
        classes, one = self.classes_of(statistic)
        if statistic.collapsed:
            warn(statistic.reason, UserWarning)
        return {
            "classes_": classes,
            "one": one,
            "S_": statistic.S,
            "G_": statistic.general(int(self.max_general)),
            "size_": 0 if statistic.collapsed else statistic.size,
            "converged_": statistic.converged,
            "collapsed_": statistic.collapsed,
            "reason_": statistic.reason,
        }

    def predict_proba(self, X: Any) -> np.ndarray:
        """The share of the version space that votes for each label."""
        rows, one = self.asked(X), self.solved()["one"]
        votes = {row: self.statistic_.vote(row) for row in dict.fromkeys(rows)}
        share = np.array([votes[row] for row in rows]).reshape(-1, 1)
        return np.hstack([1.0 - share, share] if one else [share, 1.0 - share])

    def predict(self, X: Any) -> np.ndarray:
        """The label that the majority votes for; none of both is the other label than that of the concept."""
        one = self.solved()["one"]
        ours = self.predict_proba(X)[:, one] > 0.5
        return self.classes_[np.where(ours, one, 1 - one)]

    def query(self, X: Any = None) -> dict[str, str] | None:
        """The row whose label would tell most: as near as can be to one half of the space covers it.

        `X` is a table of the rows that may be asked; without it all combinations of the levels that were met, at most
        4096. None where all hypotheses agree.
        """
        self.check_ready()
        found = self.statistic_.query(None if X is None else self.asked(X))
        return None if found is None else dict(zip(self.statistic_.attributes.names, found[0], strict=True))
