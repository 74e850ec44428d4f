"""How sure is an answer? The predictive band of a linear model in its two parts, and the evidence of its prior.

p(y | x, D) = N(m(x), 1 / beta + x'S x):  noise, which more rows do not change, and what is not known of the weights.
Ridge is the mean of the posterior with alpha = lambda beta, least squares that with alpha = 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone

from ...evaluation.row_values import wilson
from ...learners.ability import abilities
from ...learners.description import description_of
from ...learners.regression.parts.evidence import Spectrum, best_precisions
from ...learners.regression.parts.posterior import Posterior, in_natural_units, isotropic, scaled
from ...learners.regression.parts.posterior import sums_of as sums_in_units
from ...statistics import Moments, in_words
from ..blocks import Block, Chart, Grid, Section
from ..evidence import Evidence
from ..numbers import quoted
from ..plots.figure import Figure, Item, Line, Mark, Panel, Points
from .forest import LEVEL

STEPS = 41
BINS = 25  # of predicted values, over which widths are averaged
MOST_POINTS = 500
MOST_FEATURES = 200
MOST_SPLITS = 10
DECADES = 4.0  # of the prior's precision on either side of the best


def bayes(evidence: Evidence) -> Section | None:
    model = evidence.model.model
    posterior = posterior_of(model, sums_of(model)) if suits(evidence) else None
    if posterior is None:
        return None
    blocks: list[Block] = [Chart("band", slice_of(evidence, posterior), slice_words(evidence))]
    left = left_out(evidence)
    if left is not None:
        blocks += [Chart("band-left-out", over_predictions(evidence, *left), over_words(evidence, *left)), table(*left)]
    curve = evidence_curve(sums_of(model))
    if curve is not None:
        caption = (
            "ln p(y | α) of a Gaussian prior N(0, 1/α) on the coefficients of standardised features, the noise at its "
            "best for every α: how well each prior foretells all rows at once, from their sums alone. λ = α / β is the "
            "penalty of the ridge regression with the same mean."
        )
        blocks.append(Chart("evidence", curve, caption))
    lead = (
        "The answer of a linear model is a distribution. Its width has two parts: noise, which no number of rows takes "
        "away, and what these rows leave open about the coefficients."
    )
    return Section("bayes", "How sure is an answer?", lead, blocks)


def suits(evidence: Evidence) -> bool:
    """Linear models for numbers whose posterior follows from the sums."""
    model = evidence.model.model
    if evidence.classify or "merge" not in abilities(model) or len(model.feature_names_out_) > MOST_FEATURES:
        return False
    learner = model.learner_
    plain = not getattr(learner, "positive", False) and getattr(learner, "fit_intercept", True)
    return description_of(learner).posterior is not None and plain


def sums_of(model: Any) -> Moments:
    """Moments of features and target of a fitted TableModel."""
    return in_words(model.design_.apply(model.statistic_))


def posterior_of(model: Any, moments: Moments) -> Posterior | None:
    """The posterior of the learner; of least squares and ridge the one whose mean they are, s2 = RSS / (N - d - 1)."""
    learner = model.learner_
    if hasattr(learner, "posterior_of"):
        return learner.posterior_of(moments)
    freedom = moments.weight - moments.features - 1
    penalty = float(np.ravel(getattr(learner, "alpha", 0.0))[0])
    if freedom <= 0 or (penalty == 0 and learner.rank_ < moments.features):
        return None  # nothing is left to tell noise from the fit
    beta = float(np.ravel(learner.noise_precision_)[0]) * freedom / moments.weight
    return isotropic(moments, True, penalty * beta, beta) if np.isfinite(beta) else None


def predicted(posterior: Posterior, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Mean, variance of the mean, and variance of the noise."""
    mean = posterior.level + (rows - posterior.mean) @ posterior.coef
    return mean, posterior.variance(rows), 1.0 / posterior.beta


def bands(x: np.ndarray, mean: np.ndarray, model: np.ndarray, noise: float) -> list[Item]:
    """The whole band and, within it, that of the mean alone."""
    items: list[Item] = []
    for label, color, variance in (("with noise", 0, model + noise), ("of the mean alone", 1, model)):
        half = LEVEL * np.sqrt(variance)
        items.append(Line(x, mean, label, color, "solid", 2.0, mean - half, mean + half))
    return items


# -- against the strongest feature -----------------------------------------------------------------------------------


def strongest(evidence: Evidence) -> int:
    """The feature that moves the answer most: the largest |coefficient| times its deviation."""
    coef = np.ravel(evidence.model.model.learner_.coef_)
    return int(np.argmax(np.abs(coef) * evidence.features.std(axis=0)))


def slice_of(evidence: Evidence, posterior: Posterior) -> Figure:
    features, j = evidence.features, strongest(evidence)
    x = np.linspace(features[:, j].min(), features[:, j].max(), STEPS)
    rows = np.tile(posterior.mean, (STEPS, 1))
    rows[:, j] = x
    items = bands(x, *predicted(posterior, rows))
    some = np.sort(np.random.default_rng(0).permutation(len(features))[:MOST_POINTS])
    others = np.delete(features[some] - posterior.mean, j, axis=1) @ np.delete(posterior.coef, j)
    dots = Points(features[some, j], evidence.target.values[some].astype(float) - others, "rows", "quiet", small=True)
    name = evidence.model.model.feature_names_out_[j]
    unit = ", standardised" if evidence.model.model.scale else ""
    panel = Panel((dots, *items), f"{name}{unit}", evidence.target.name, legend="above")
    return Figure((panel,), "", size=(6.4, 4.6))


def slice_words(evidence: Evidence) -> str:
    name = evidence.model.model.feature_names_out_[strongest(evidence)]
    count = len(evidence.features)
    some = f"{min(count, MOST_POINTS):,} of {count:,} rows"
    return (
        f"The answer over {quoted(name)}, which moves it most, all other features at their mean, with 95 % of what may "
        f"be expected. Dots are {some}, their targets corrected for their other features by the model."
    )


# -- on rows left out ------------------------------------------------------------------------------------------------


def left_out(evidence: Evidence) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray] | None:
    """Target, mean, variance of the mean and of the noise, of rows that the posterior has not seen."""
    target, model = evidence.target, evidence.model.model
    if evidence.nested is None:
        posterior = posterior_of(model, sums_of(model))
        assert posterior is not None
        mean, variance, noise = predicted(posterior, evidence.features)
        return target.values.astype(float), mean, variance, np.full(len(mean), noise)
    if len(evidence.nested.splits) > MOST_SPLITS:
        return None
    parts = []
    for train, test in evidence.nested.splits:
        weight = None if target.weight is None else target.weight[train]
        fitted = clone(model).fit(evidence.frame.take(train), target.values[train], weight)
        posterior = posterior_of(fitted, sums_of(fitted))
        if posterior is None:
            return None
        mean, variance, noise = predicted(posterior, fitted.features_of(evidence.frame.take(test)))
        parts.append((target.values[test].astype(float), mean, variance, np.full(len(mean), noise)))
    truth, means, model_parts, noises = (np.concatenate(part) for part in zip(*parts, strict=True))
    return truth, means, model_parts, noises


def inside(truth: np.ndarray, mean: np.ndarray, variance: np.ndarray) -> np.ndarray:
    return np.abs(truth - mean) <= LEVEL * np.sqrt(variance)


def over_predictions(
    evidence: Evidence, truth: np.ndarray, mean: np.ndarray, model: np.ndarray, noise: np.ndarray
) -> Figure:
    order = np.argsort(mean, kind="stable")
    parts = [part for part in np.array_split(order, BINS) if len(part)]
    x, wide, narrow = (np.array([values[part].mean() for part in parts]) for values in (mean, model + noise, model))
    some = np.sort(np.random.default_rng(0).permutation(len(mean))[:MOST_POINTS])
    items: list[Item] = [Points(mean[some], truth[some], "rows left out", "quiet", small=True)]
    for label, color, variance in (("with noise", 0, wide), ("of the mean alone", 1, narrow)):
        half = LEVEL * np.sqrt(variance)
        items.append(Line(x, x, label, color, "solid", 2.0, x - half, x + half))
    name = evidence.target.name
    return Figure((Panel(tuple(items), f"predicted {name}", f"true {name}", legend="above"),), "", size=(6.4, 5.0))


def over_words(evidence: Evidence, truth: np.ndarray, mean: np.ndarray, model: np.ndarray, noise: np.ndarray) -> str:
    share = float(inside(truth, mean, model + noise).mean())
    low, high = wilson(share, len(truth))
    rows = "fresh rows" if evidence.fresh else "rows left out"
    verdict = "as it should be" if low <= 0.95 <= high else "too often" if share > 0.95 else "not often enough"
    return (
        f"The 95 % band held {share:.1%} of {len(truth):,} {rows} ({low:.1%} to {high:.1%} by chance): {verdict}. "
        "Widths are means over neighbouring predictions."
    )


def table(truth: np.ndarray, mean: np.ndarray, model: np.ndarray, noise: np.ndarray) -> Grid:
    """Both parts in units of the target."""
    parts = {"noise": noise, "what is not known of the coefficients": model, "together": noise + model}
    whole = noise + model
    rows: list[list[Any]] = [
        [name, float(np.sqrt(part.mean())), f"{float((part / whole).mean()):.1%}"] for name, part in parts.items()
    ]
    rows.append(["errors that were made", float(np.sqrt(np.mean((truth - mean) ** 2))), None])
    return Grid(["", "deviation, in units of the target", "share of the variance"], rows, "What an answer is unsure of")


# -- the evidence ----------------------------------------------------------------------------------------------------


def profile(moments: Moments) -> Callable[[float], float]:
    """alpha -> ln p(y | alpha) at the best beta; all from one eigendecomposition."""
    sums = sums_in_units(moments, True)
    spectrum = Spectrum.of(sums.gram, sums.cross, sums.rest, sums.count)
    units = in_natural_units(sums, sums.count, flat=True)

    def log_evidence(alpha: float) -> float:
        return spectrum.log_evidence(best_precisions(spectrum, scaled(alpha, 2 * sums.slope_unit), None)) + units

    return log_evidence


def evidence_curve(moments: Moments) -> Figure | None:
    """ln p(y | alpha) over alpha, with its maximum; None where no slope at all is best."""
    best, log_evidence = isotropic(moments, True, None, None), profile(moments)
    if not np.isfinite(best.alpha) or not np.isfinite(best.log_evidence):
        return None
    alphas = float(best.alpha) * np.logspace(-DECADES, DECADES, 2 * STEPS - 1)
    heights = np.array([log_evidence(float(alpha)) for alpha in alphas])
    text = f"α = {best.alpha:.3g}, λ = {best.alpha / best.beta:.3g}"
    top = Mark(float(best.alpha), best.log_evidence, text, 1, "below")
    items: tuple[Item, ...] = (Line(alphas, heights, "log evidence", 0), top)
    panel = Panel(items, "precision α of the prior", "Log evidence", log_x=True)
    return Figure((panel,), "", size=(6.4, 4.2))
