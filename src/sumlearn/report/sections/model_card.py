"""The model: what it is, what it can do, and its coefficients."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..blocks import Bar, Block, Grid, Prose, Section, grid_of
from ..evidence import Evidence
from ..numbers import shown
from .forest import LEVEL, deviations, forest

MOST_FEATURES = 40
MOST_CLASSES = 8


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
        where = "on the sample of rows" if "sample" in evidence.metrics else "within every split anew"
        rows.append(["columns chosen by", f"{evidence.metrics['features']['how']}, {where}"])
    if evidence.two:
        threshold = "the learner's own" if facts["threshold"] is None else shown(float(facts["threshold"]))
        rows.append(["positive class", f"{facts['positive']}; threshold: {threshold}"])
    if facts["rival"] is not None:
        rows.append(["saved beside it", f"{facts['rival']['title']}, which can update, forget and merge"])
    blocks: list[Block] = [Grid(["", ""], rows), *coefficients(evidence)]
    lead = "The saved model was refitted on all rows; its scores are of the same model, fitted without the rows scored."
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
    table = one_equation(evidence, coef.ravel(), names, natural)
    picture = None if evidence.classify else forest(evidence, coef.ravel(), names)
    return [table] if picture is None else [table, picture]


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
        caption += " Intervals are normal, from the curvature of the sums."
    return grid_of(["feature", what, "", *limits, "in units of the table"], rows, caption, MOST_FEATURES)


def many_classes(evidence: Evidence, coef: np.ndarray, names: list[str]) -> Grid:
    labels = [str(label) for label in evidence.model.classes_][:MOST_CLASSES]
    order = np.argsort(-np.abs(coef).max(axis=0), kind="stable")
    rows = [[names[j], *(float(coef[k, j]) for k in range(len(labels)))] for j in order]
    caption = f"Effect of one deviation on the score of {'the first' if len(coef) > len(labels) else 'the'} classes"
    return grid_of(["feature", *labels], rows, caption, MOST_FEATURES)
