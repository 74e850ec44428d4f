"""Coefficients of linear models for numbers with what is known of them: intervals, and the Cramér-Rao bound."""

from __future__ import annotations

import numpy as np

from ...learners.ability import abilities
from ...learners.description import description_of
from ...statistics import Moments, in_words
from ..blocks import Chart
from ..evidence import Evidence
from ..plots.figure import Figure, Item, Line, Panel, Spans

LEVEL = 1.959963984540054  # deviations on either side that hold 95 % of a normal variable
MOST_FEATURES = 25
LONGEST = 22  # letters of a name beside the picture
BESIDE = 0.28  # how far below an interval its bound is drawn


def forest(evidence: Evidence, coef: np.ndarray, names: list[str]) -> Chart | None:
    """Intervals of the strongest coefficients, each above the bound for estimates without a bias."""
    deviation = deviations(evidence)
    if deviation is None:
        return None
    strongest = np.argsort(-np.abs(coef), kind="stable")[:MOST_FEATURES]
    at = -np.arange(float(len(strongest)))
    items: list[Item] = [Line(np.zeros(2), np.array([0.6, at[-1] - 0.6]), "", "quiet", "dash", 1.2)]
    intervals = [("95 % interval", deviation, 0.0, 0, 2.2), ("Cramér-Rao bound", cramer_rao(evidence), BESIDE, 1, 1.2)]
    for label, width, down, color, thickness in intervals:
        if width is not None:
            middle, half = coef[strongest], LEVEL * width[strongest]
            items.append(Spans(middle, at - down, middle - half, middle + half, label, color, thickness))
    ticks = tuple((float(y), shortened(names[j])) for y, j in zip(at, strongest, strict=True))
    what = "effect of one deviation" if evidence.model.model.scale else "coefficient"
    panel = Panel(tuple(items), what, "", y_range=(at[-1] - 0.8, 0.8), y_ticks=ticks, legend="above")
    figure = Figure((panel,), "", size=(6.4, 1.4 + 0.28 * len(strongest)))
    return Chart("forest", figure, words(evidence, len(names)))


def shortened(name: str) -> str:
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"


def words(evidence: Evidence, count: int) -> str:
    more = f" Shown are the {MOST_FEATURES} strongest of {count}." if count > MOST_FEATURES else ""
    learner = evidence.model.model.learner_
    text = "Intervals that miss zero belong to features whose effect has a sign, as far as these rows can tell. "
    if description_of(learner).posterior == "flat":
        return f"{text}Least squares reaches the Cramér-Rao bound: no unbiased estimate has shorter intervals.{more}"
    return (
        f"{text}No unbiased estimate has shorter intervals than the Cramér-Rao bound; a penalty, or a prior, buys "
        f"shorter ones with a bias towards zero.{more}"
    )


def sums_of(evidence: Evidence) -> tuple[Moments, float] | None:
    """Moments of a linear model for numbers, and its noise s^2 = RSS / (n - d - 1); None for other models."""
    model = evidence.model.model
    learner = model.learner_
    known = description_of(learner).posterior is not None and "merge" in abilities(model)
    if not known or len(getattr(learner, "aliased_", ())):
        return None
    moments = in_words(model.design_.apply(model.statistic_))
    freedom = moments.weight - moments.features - 1
    if not isinstance(moments, Moments) or freedom <= 0:
        return None
    if description_of(learner).posterior == "prior":
        return moments, 1.0 / learner.beta_
    return moments, float(np.ravel(moments.weight / learner.noise_precision_ / freedom)[0])


def deviations(evidence: Evidence) -> np.ndarray | None:
    """Standard errors of least squares; posterior deviations of ridge and of Bayesian regression; None for others.

    s^2 (S_xx + alpha I)^-1.
    """
    sums = sums_of(evidence)
    if sums is None:
        return None
    learner = evidence.model.model.learner_
    if description_of(learner).posterior == "prior":
        return rooted(np.diag(learner.sigma_))
    return rooted(inverse_diagonal(sums[0], float(np.ravel(getattr(learner, "alpha", 0.0))[0])) * sums[1])


def cramer_rao(evidence: Evidence) -> np.ndarray | None:
    """The least deviations of unbiased estimates: s^2 S_xx^-1, the inverse of the Fisher information."""
    sums = sums_of(evidence)
    return None if sums is None else rooted(inverse_diagonal(sums[0], 0.0) * sums[1])


def inverse_diagonal(moments: Moments, penalty: float) -> np.ndarray:
    """Of (S_xx + penalty I)^-1; NaN where there is none."""
    d = moments.features
    S = moments.scatter[:d, :d] + penalty * np.eye(d)
    try:
        return np.linalg.inv(S).diagonal() if np.linalg.cond(S) < 1e12 else np.full(d, np.nan)
    except np.linalg.LinAlgError:
        return np.full(d, np.nan)


def rooted(variance: np.ndarray) -> np.ndarray | None:
    """Deviations, where all variances are positive numbers."""
    return np.sqrt(variance) if (variance > 0).all() else None
