"""A density from a classifier: rows against a sample of a density that is known."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import DensityMixin, clone
from sklearn.utils import check_random_state

from ..data import Chunk
from ..features.input_ranges import is_number, whole_number
from ..learners import Description, WholeRows
from ..learners.fitted import check_variances
from ..learners.validation import term_name
from ..statistics import Moments
from .parts.many_classes import log_odds
from .parts.references import DENSITIES, EvenBox, Foreign, Normal, StandardCoordinates, default_learner

PILOT = 10_000  # draws that tell how large the odds become
MOST_DRAWS = 10_000_000  # of the reference, for a sample


class ContrastiveDensity(DensityMixin, WholeRows):
    """A density by contrast: a classifier tells the rows from a sample of a reference density.

        f(x) = odds(x) |w_0| / |w| f_0(x),   odds = P(1 | x) / P(0 | x)

    with |w_0| rows drawn from f_0 and |w| rows that were given. What a normal density or an even one lacks is learnt by
    any classifier with probabilities; how good the density is follows from how good these are.

    Statistic: none, all rows are in memory, and what is drawn is drawn anew. No merge, no forget. Cost: that of the
    classifier on |w| + |w_0| rows.

    Parameters
    ----------
    estimator : classifier, default=None
        With `predict_proba`; it sees columns of mean zero and deviation one. None is a logistic regression on Gaussian
        bumps. Probabilities of zero or one, as of trees that are grown to the end, make no density.
    reference : {"gaussian", "box"} or a density estimator, default="gaussian"
        f_0: of the mean and covariance of the rows, even in the box of the rows, or what an estimator with
        `score_samples` and `sample` makes of them. Beyond a box the density is zero.
    spread : float, default=1.0
        How far the reference reaches: deviations, or the sides of the box, times this.
    n_contrast : int, default=None
        |w_0|; None is ten times the weight of the rows, at least 1,000. With more the integral is nearer to one.
    random_state : int, RandomState or None, default=None
        Seeds the draws; None is a seed like any other.

    Attributes
    ----------
    learner_ : classifier
    reference_ : reference
    log_ratio_ : float
        ln |w_0| / |w|.

    Examples
    --------
    >>> from sumlearn import ContrastiveDensity
    >>> from sumlearn.data import load_example
    >>> rows = load_example("faithful").X
    >>> model = ContrastiveDensity().fit(rows)
    >>> round(model.score(rows), 1), round(model.reference_score(rows), 1)
    (-4.2, -4.7)
    >>> total, error = model.normalisation()
    >>> bool(abs(total - 1.0) < 0.1)
    True

    References
    ----------
    Lecture note 002; Hastie, Tibshirani & Friedman 2009, sec. 14.2.4; Gutmann & Hyvärinen, "Noise-contrastive
    estimation", 2010.
    """

    description = Description(parts=(StandardCoordinates, EvenBox, Normal, Foreign))

    target = None
    private = ("_frame",)

    def __init__(
        self,
        estimator: Any = None,
        *,
        reference: Any = "gaussian",
        spread: float = 1.0,
        n_contrast: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.reference = reference
        self.spread = spread
        self.n_contrast = n_contrast
        self.random_state = random_state

    def check(self) -> None:
        if self.estimator is not None and (isinstance(self.estimator, type) or not has_odds(self.estimator)):
            raise TypeError(f"estimator must be a classifier with predict_proba, got {self.estimator!r}")
        if not is_number(self.spread) or not 0.0 < self.spread < np.inf:
            raise ValueError(f"spread must be finite and above zero, got {self.spread!r}")
        if self.n_contrast is not None:
            whole_number(self.n_contrast, "n_contrast", 1)
        known = isinstance(self.reference, str) and self.reference in DENSITIES
        density = not isinstance(self.reference, str | type) and all(
            hasattr(self.reference, name) for name in ("fit", "score_samples", "sample")
        )
        if not known and not density:
            names = f"{', '.join(map(repr, DENSITIES))} or an estimator with score_samples and sample"
            raise ValueError(f"reference must be one of {names}, got {self.reference!r}")

    def learn(self, rows: Chunk) -> dict[str, Any]:
        weight = np.asarray(rows.weight)
        moments = Moments.of(rows.X, weight=weight)
        deviation = moments.deviation
        check_variances(deviation)
        if not (deviation > 0).all():
            column = term_name(self, int(np.argmin(deviation)))
            alone = "1 sample" if moments.is_single else f"column {column} is constant"
            raise ValueError(f"{alone}: a density needs at least 2 different values in every column")
        frame = StandardCoordinates.of(moments)
        Z = frame.coordinates(np.asarray(rows.X, dtype=float))
        reference = self.referred(Z, weight)
        W = float(weight.sum())
        n = max(1000, round(10.0 * W)) if self.n_contrast is None else int(self.n_contrast)
        drawn = reference.draw(n, check_random_state(0 if self.random_state is None else self.random_state))
        learner = default_learner(W) if self.estimator is None else clone(self.estimator)
        fitted = told_apart(learner, Z, drawn, weight)
        ratio = float(np.log(n) - np.log(W))
        return {"learner_": fitted, "reference_": reference, "log_ratio_": ratio, "_frame": frame}

    def referred(self, Z: np.ndarray, weight: np.ndarray) -> Any:
        """The reference, made of the rows."""
        if isinstance(self.reference, str):
            return DENSITIES[self.reference].of(Z, weight, float(self.spread))
        plain = bool((weight == 1.0).all())
        return Foreign(clone(self.reference).fit(Z, **({} if plain else {"sample_weight": weight})))

    # -- in use -----------------------------------------------------------------------------------------------------

    def score_samples(self, X: Any) -> np.ndarray:
        """ln f(x) of each row."""
        return self.parts_of(X).density.astype(self.float_dtype, copy=False)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Mean of ln f(x) over the rows."""
        return float(np.average(self.parts_of(X).density, weights=sample_weight))

    def reference_score(self, X: Any, sample_weight: Any = None) -> float:
        """Mean of ln f_0(x) over the rows: what the classifier starts from."""
        return float(np.average(self.parts_of(X).reference, weights=sample_weight))

    def parts_of(self, X: Any) -> LogDensities:
        rows = self.rows_of(X)
        Z = self._frame.coordinates(np.asarray(rows, dtype=float))
        known = self.reference_.log_density(Z)
        return LogDensities(known + self.log_ratios(Z) - self._frame.log_volume, known - self._frame.log_volume)

    def log_ratios(self, Z: np.ndarray) -> np.ndarray:
        """ln f / f_0, in the coordinates of the classifier."""
        return log_odds(self.learner_, Z) + self.log_ratio_

    def normalisation(self, n_samples: int = 100_000, random_state: Any = None) -> tuple[float, float]:
        """The integral of f, and its standard error: the mean of f / f_0 over new draws from the reference."""
        self.check_ready()
        n = whole_number(n_samples, "n_samples", 2)
        with np.errstate(over="ignore"):
            ratios = np.exp(self.log_ratios(self.reference_.draw(n, check_random_state(random_state))))
            return float(ratios.mean()), float(ratios.std(ddof=1) / np.sqrt(n))

    def sample(self, n_samples: int = 1, random_state: Any = None) -> np.ndarray:
        """Rows drawn from f: draws from the reference that are kept in proportion to their odds.

        The largest odds are those of ten thousand draws; rarer ones that are larger are cut to them.
        """
        self.check_ready()
        n, random = whole_number(n_samples, "n_samples", 1), check_random_state(random_state)
        most = self.log_ratios(self.reference_.draw(PILOT, random)).max()
        kept: list[np.ndarray] = []
        found = drawn = 0
        while found < n:
            if drawn > MOST_DRAWS:
                raise ValueError("the reference lies too far from the rows to draw by it: another one, or more spread")
            Z = self.reference_.draw(PILOT, random)
            stay = Z[np.log(random.uniform(size=PILOT)) <= self.log_ratios(Z) - most]
            kept.append(stay)
            found, drawn = found + len(stay), drawn + PILOT
        return self._frame.rows(np.concatenate(kept)[:n]).astype(self.float_dtype, copy=False)


class LogDensities(NamedTuple):
    """ln f and ln f_0 of some rows."""

    density: np.ndarray
    reference: np.ndarray


def has_odds(estimator: Any) -> bool:
    return hasattr(estimator, "predict_proba") and hasattr(estimator, "fit")


def told_apart(learner: Any, Z: np.ndarray, drawn: np.ndarray, weight: np.ndarray) -> Any:
    """A classifier that has learnt rows as 1 and drawn ones, which weigh one, as 0."""
    y = np.repeat([1, 0], [len(Z), len(drawn)])
    masses = {} if (weight == 1.0).all() else {"sample_weight": np.append(weight, np.ones(len(drawn)))}
    return learner.fit(np.concatenate([Z, drawn]), y, **masses)
