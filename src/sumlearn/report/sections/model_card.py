"""The model: what it is, what it can do, and its coefficients."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..blocks import Bar, Block, Grid, Prose, Section, grid_of
from ..evidence import Evidence
from ..numbers import shown

MOST_FEATURES = 40
MOST_CLASSES = 8
LEVEL = 1.96  # deviations on either side that hold 95 % of a normal variable


def model_card(evidence: Evidence) -> Section:
    facts, features = evidence.model.facts, len(evidence.model.model.feature_names_out_)
    rows: list[list[Any]] = [
        ["model", facts["model"]["title"]],
        ["hyperparameters", parameters(facts["model"]["params"])],
        ["fitted to", f"all {shown(facts['rows'])} rows, after it had been scored on rows left out"],
        ["reads", f"{len(facts['columns'])} columns, which become {features} features"],
        ["afterwards it can", ", ".join(evidence.model.can) or "neither update, forget nor merge exactly"],
    ]
    if evidence.metrics.get("features") is not None:
        rows.append(["columns chosen by", f"{evidence.metrics['features']['how']}, within every split anew"])
    if evidence.two:
        threshold = "the learner's own" if facts["threshold"] is None else shown(float(facts["threshold"]))
        rows.append(["positive class", f"{facts['positive']}; threshold: {threshold}"])
    if facts["rival"] is not None:
        rows.append(["saved beside it", f"{facts['rival']['title']}, which can update, forget and merge"])
    blocks: list[Block] = [Grid(["", ""], rows), *coefficients(evidence)]
    lead = "The saved model was refitted on all rows; the scores are of the same procedure without the rows scored."
    return Section("model", f"The model: {facts['model']['title']}", lead, blocks)


def parameters(params: dict[str, Any]) -> str:
    words = {name: "none" if value is None else shown(value) for name, value in params.items()}
    return ", ".join(f"{name} = {word}" for name, word in words.items()) or "none to choose"


def coefficients(evidence: Evidence) -> list[Block]:
    """What drives the answer, strongest first; with limits where the model gives them."""
    model = evidence.model.model
    coef = np.asarray(getattr(model.learner_, "coef_", np.empty(0)), dtype=float)
    names = list(model.feature_names_out_)
    if coef.size == 0 or coef.shape[-1] != len(names):
        return [Prose("This model has no coefficients of single features to show.")]
    natural = dict(model.coef_table())
    if coef.ndim == 2 and len(coef) > 1:
        return [many_classes(evidence, coef, names)]
    return [one_equation(evidence, coef.ravel(), names, natural)]


def one_equation(evidence: Evidence, coef: np.ndarray, names: list[str], natural: dict[str, Any]) -> Grid:
    deviation = deviations(evidence)
    half = LEVEL * deviation if deviation is not None else np.zeros_like(coef)
    reach = float(np.max(np.abs(coef) + half)) or 1.0
    rows = []
    for j in np.argsort(-np.abs(coef), kind="stable"):
        at, wide = 0.5 + 0.5 * coef[j] / reach, 0.5 * half[j] / reach
        span = (at - wide, at + wide) if deviation is not None else (min(at, 0.5), max(at, 0.5))
        limits = [f"{shown(coef[j] - half[j])} to {shown(coef[j] + half[j])}"] if deviation is not None else []
        rows.append(
            [names[j], float(coef[j]), Bar(float(at), float(span[0]), float(span[1]), 0.5), *limits, natural[names[j]]]
        )
    rows.append(["(intercept)", "", "", *([""] if deviation is not None else []), natural["(intercept)"]])
    what = "effect of one deviation" if evidence.model.model.scale else "coefficient"
    limits = ["95 % interval"] if deviation is not None else []
    caption = (
        "Strongest first. One deviation of a number, or a yes instead of a no; the last column is in the units of the "
        "table. An effect is not a cause: columns that move together share it."
    )
    if deviation is not None:
        caption += " Intervals are normal, from the curvature of the sums: for least squares the Cramér-Rao bound."
    return grid_of(["feature", what, "", *limits, "in units of the table"], rows, caption, MOST_FEATURES)


def deviations(evidence: Evidence) -> np.ndarray | None:
    """Standard errors of least squares; the posterior deviations of ridge; None for other models.

    s^2 (S_xx + alpha I)^-1 with s^2 = RSS / (n - d - 1).
    """
    from ...learners.regression.linear_regression import LinearRegression
    from ...learners.regression.ridge import Ridge
    from ...statistics import Moments

    model = evidence.model.model
    learner = model.learner_
    if not isinstance(learner, LinearRegression | Ridge) or not model.adds_up or len(getattr(learner, "aliased_", ())):
        return None
    moments = model.design_.apply(model.statistic_)
    d = moments.features
    freedom = moments.weight - d - 1
    if not isinstance(moments, Moments) or freedom <= 0:
        return None
    S = moments.scatter[:d, :d] + float(getattr(learner, "alpha", 0.0)) * np.eye(d)
    noise = moments.weight / learner.noise_precision_ / freedom
    try:
        variance = noise * np.linalg.inv(S).diagonal()
    except np.linalg.LinAlgError:
        return None
    return np.sqrt(variance) if (variance > 0).all() else None


def many_classes(evidence: Evidence, coef: np.ndarray, names: list[str]) -> Grid:
    labels = [str(label) for label in evidence.model.classes_][:MOST_CLASSES]
    order = np.argsort(-np.abs(coef).max(axis=0), kind="stable")
    rows = [[names[j], *(float(coef[k, j]) for k in range(len(labels)))] for j in order]
    caption = f"Effect of one deviation on the score of {'the first' if len(coef) > len(labels) else 'the'} classes"
    return grid_of(["feature", *labels], rows, caption, MOST_FEATURES)
