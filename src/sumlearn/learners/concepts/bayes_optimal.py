"""The Bayes-optimal classifier over finitely many hypotheses."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from ...data import Chunk
from ...objectives.links import log_softmax
from ..description import Description
from ..fitted import Fitted
from ..one_pass import OnePass
from ..posterior import PosteriorMixin
from .concept_rows import ConceptRows
from .conjunction import Conjunction, allows
from .parts.concept_learner import ConceptLearner, check_limit
from .version_space import constraints


class BayesOptimalClassifier(PosteriorMixin, ConceptLearner, OnePass):
    """The vote of all hypotheses, each with its posterior probability.

        p(h | D) ~ p(h) prod_n (1 - noise)^[y_n = h(x_n)] noise^[y_n != h(x_n)]
        p(y | x) = sum_h p(y | x, h) p(h | D),   p(y | x, h) = 1 - noise if y = h(x), else noise

    Without noise and with equal priors p(h | D) = 1 / |VS| for the hypotheses of the version space, and zero for all
    others. No other rule that has the same hypotheses and priors errs less on average.

    Statistic: ConceptRows, the different rows and their weights. One pass. Can merge. Cost: summarise O(n d), solve
    O(hypotheses (different rows) d).

    Parameters
    ----------
    hypotheses : list of Conjunction, default=None
        None is all conjunctions over the levels that were met, the empty one too.
    prior : array of shape (hypotheses,), default=None
        Prior probabilities, up to a factor; None is all alike.
    noise : float, default=0.0
        Share of the labels that are wrong, below one half.
    max_hypotheses : int, default=100000
        More are refused.
    positive : label, default=None
        The label of the rows that belong to the concept; None knows yes, true, 1, + and positive.
    categorical_features : list of str, default=None
        Columns of numbers that are levels.
    ids, drop : list of str, default=None
        Columns that are no attributes.

    Attributes
    ----------
    hypotheses_, posterior_ : the hypotheses, and p(h | D) of each.
    map_ : Conjunction, the most probable one; of equal ones the first.
    classes_ : the two labels, sorted.

    Examples
    --------
    >>> import pandas as pd
    >>> from sumlearn import BayesOptimalClassifier
    >>> from sumlearn.data import load_example
    >>> sport = load_example("enjoy_sport")
    >>> days = pd.DataFrame(sport.X, columns=sport.columns)
    >>> model = BayesOptimalClassifier().fit(days, sport.y)
    >>> len(model.posterior_), model.posterior_[model.posterior_ > 0].round(4).tolist()
    (487, [0.1667, 0.1667, 0.1667, 0.1667, 0.1667, 0.1667])

    References
    ----------
    Lecture note 000; Mitchell, "Machine learning", 1997, sec. 6.3 and 6.7.
    """

    description = Description(parts=(ConceptRows,))
    statistic_type = ConceptRows
    hypotheses_ = Fitted("The hypotheses.")
    posterior_ = Fitted("p(h | D).")
    map_ = Fitted("The most probable hypothesis.")

    def __init__(
        self,
        hypotheses: Sequence[Conjunction] | None = None,
        *,
        prior: Any = None,
        noise: float = 0.0,
        max_hypotheses: int = 100_000,
        positive: Any = None,
        categorical_features: Sequence[str] | None = None,
        ids: Sequence[str] | None = None,
        drop: Sequence[str] | None = None,
    ) -> None:
        self.hypotheses = hypotheses
        self.prior = prior
        self.noise = noise
        self.max_hypotheses = max_hypotheses
        self.positive = positive
        self.categorical_features = categorical_features
        self.ids = ids
        self.drop = drop

    def check(self) -> None:
        noise = self.noise
        if isinstance(noise, bool) or not isinstance(noise, int | float | np.number) or not 0.0 <= noise < 0.5:
            raise ValueError(f"noise must be a share below one half, got {noise!r}")
        check_limit("max_hypotheses", self.max_hypotheses)
        if self.hypotheses is not None and not all(isinstance(h, Conjunction) for h in self.hypotheses):
            raise TypeError("hypotheses must be a list of Conjunction")

    def summarise(self, chunk: Chunk, look: Any = None) -> ConceptRows:
        own = self.examples(chunk)
        return ConceptRows.of(own.attributes, own.rows, own.is_one, own.weight, own.labels, own.ones)

    def solution(self, statistic: ConceptRows) -> dict[str, Any]:
        self.check()
        classes, one = self.classes_of(statistic)
        hypotheses = self.all_hypotheses(statistic)
        covered = coverage(hypotheses, list(statistic.weights))
        ones, others = np.array(list(statistic.weights.values())).T
        wrong = np.where(covered, others, ones).sum(axis=1)
        with np.errstate(divide="ignore"):
            log = np.log(self.priors_over(len(hypotheses)))
            if self.noise:
                log = log + wrong * (np.log(self.noise) - np.log1p(-self.noise))
        if not self.noise:
            log = np.where(wrong > 0, -np.inf, log)
        if not np.isfinite(log.max()):
            best = int(np.argmin(wrong))
            missed = np.where(covered[best], others, ones) > 0
            rows = [row for row, there in zip(statistic.weights, missed, strict=True) if there]
            raise ValueError(
                f"no hypothesis of positive prior agrees with all rows; {hypotheses[best]} is nearest, but for "
                f"{'; '.join('(' + ', '.join(row) + ')' for row in rows[:3])}: give noise the share of wrong labels"
            )
        posterior = np.exp(log_softmax(log))
        best = int(np.argmax(posterior))
        return {
            "classes_": classes,
            "one": one,
            "hypotheses_": hypotheses,
            "posterior_": posterior,
            "map_": hypotheses[best],
        }

    def all_hypotheses(self, statistic: ConceptRows) -> list[Conjunction]:
        """Those that are given, or all over the levels that were met."""
        attributes, most = statistic.attributes, int(self.max_hypotheses)
        if self.hypotheses is not None:
            own = list(self.hypotheses)
            if not own or any(len(h.constraints) != len(attributes.names) for h in own):
                raise ValueError(f"hypotheses must ask something of each of the attributes {list(attributes.names)}")
            return own
        choices = [constraints(levels, o) for levels, o in zip(attributes.levels, attributes.ordered, strict=True)]
        count = 1
        for options in choices:
            count *= len(options)
        if count + 1 > most:
            raise ValueError(f"there are {count + 1} conjunctions, more than max_hypotheses={most}: give some of them")
        return [*map(Conjunction, product(*choices)), Conjunction.empty(len(choices))]

    def priors_over(self, count: int) -> np.ndarray:
        """p(h)."""
        if self.prior is None:
            return np.full(count, 1.0 / count)
        prior = np.asarray(self.prior, dtype=float)
        if prior.shape != (count,):
            raise ValueError(f"prior must have a number for each of the {count} hypotheses, got shape {prior.shape}")
        if not ((prior >= 0) & (prior < np.inf)).all() or not prior.any():
            raise ValueError("prior must hold shares that are not negative, and some that are positive")
        return prior / prior.sum()

    def joint_rows(self, X: Any) -> np.ndarray:
        rows, solution = self.asked(X), self.solved()
        covered = coverage(solution["hypotheses_"], rows, solution["posterior_"] > 0)
        share = solution["posterior_"][solution["posterior_"] > 0] @ covered
        share = np.clip(self.noise + (1.0 - 2.0 * self.noise) * share, 0.0, 1.0)
        both = np.column_stack([1.0 - share, share] if solution["one"] else [share, 1.0 - share])
        with np.errstate(divide="ignore"):
            return np.log(both)


def coverage(hypotheses: Sequence[Conjunction], rows: Sequence[tuple[str, ...]], which: Any = None) -> np.ndarray:
    """Which hypotheses cover which rows, (hypotheses, rows): looked up once for each constraint and level."""
    own = hypotheses if which is None else [h for h, there in zip(hypotheses, which, strict=True) if there]
    covered = np.ones((len(own), len(rows)), dtype=bool)
    for j in range(len(own[0].constraints) if own else 0):
        levels = {level: k for k, level in enumerate(dict.fromkeys(row[j] for row in rows))}
        asked = {c: k for k, c in enumerate(dict.fromkeys(h.constraints[j] for h in own))}
        cells = [[allows(c, level) for level in levels] for c in asked]
        table = np.array(cells, dtype=bool).reshape(len(asked), len(levels))
        places = np.array([asked[h.constraints[j]] for h in own])
        covered &= table[places][:, [levels[row[j]] for row in rows]]
    return covered
