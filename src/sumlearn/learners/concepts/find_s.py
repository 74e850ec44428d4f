"""Find-S: the least general conjunction above the positive rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...data import Chunk
from ..description import Description
from ..fitted import Fitted
from ..one_pass import OnePass
from .parts.concept_learner import ConceptLearner
from .version_space import VersionSpace


class FindS(ConceptLearner, OnePass):
    """The least general conjunction that covers all positive rows; negative rows are not looked at.

        h <- the empty hypothesis;  for every positive x:  h <- the least generalisation of h that covers x

    Attributes are columns of words, categories and truth values; ordered categories of data frames generalise to the
    least interval, others to anything.

    Statistic: VersionSpace, without negative rows. One pass. Can merge. Cost: O(n d).

    Parameters
    ----------
    positive : label, default=None
        The label of the rows that belong to the concept; None knows yes, true, 1, + and positive.
    categorical_features : list of str, default=None
        Columns of numbers that are levels.
    ids, drop : list of str, default=None
        Columns that are no attributes.

    Attributes
    ----------
    hypothesis_ : Conjunction
    classes_ : the two labels, sorted.

    Examples
    --------
    >>> import pandas as pd
    >>> from sumlearn import FindS
    >>> from sumlearn.data import load_example
    >>> sport = load_example("enjoy_sport")
    >>> days = pd.DataFrame(sport.X, columns=sport.columns)
    >>> print(FindS().fit(days, sport.y).hypothesis_)
    <Sunny, Warm, ?, Strong, ?, ?>

    References
    ----------
    Lecture note 000; Mitchell, "Machine learning", 1997, sec. 2.4.
    """

    description = Description(lacks={"sample": "it has no probabilities"})
    statistic_type = VersionSpace
    hypothesis_ = Fitted("The least general conjunction above the positive rows.")

    def __init__(
        self,
        *,
        positive: Any = None,
        categorical_features: Sequence[str] | None = None,
        ids: Sequence[str] | None = None,
        drop: Sequence[str] | None = None,
    ) -> None:
        self.positive = positive
        self.categorical_features = categorical_features
        self.ids = ids
        self.drop = drop

    def summarise(self, chunk: Chunk, look: Any = None) -> VersionSpace:
        own = self.examples(chunk)
        return VersionSpace.of(own.attributes, own.labelled(True), [], own.labels, own.ones, own.mass, len(own.rows))

    def solution(self, statistic: VersionSpace) -> dict[str, Any]:
        classes, one = self.classes_of(statistic)
        return {"classes_": classes, "one": one, "hypothesis_": statistic.least}

    def predict(self, X: Any) -> np.ndarray:
        """The label of the concept for rows that the hypothesis covers, else the other."""
        rows, one = self.asked(X), self.solved()["one"]
        return self.classes_[[one if self.hypothesis_.covers(row) else 1 - one for row in rows]]
