"""Would more rows help, and what does the penalty do?"""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone

from ...learners.ability import abilities
from ...statistics import Moments
from ..blocks import Block, Chart, Section
from ..evidence import Evidence
from ..plots.figure import Figure, Item, Line, Panel
from ..plots.fits import learning_curve as learning_figure

ROWS = (60, 200_000)  # between which a learning curve is worth its time
FEATURES = 60  # of a model that is quickly fitted many times
MOST_PATHS = 8
ALPHAS = np.logspace(-2, 5, 36)
SCORERS = {"two": ("roc_auc", "AUC"), "many": ("accuracy", "Accuracy"), "number": ("r2", "R²")}


def growth(evidence: Evidence) -> Section | None:
    blocks: list[Block] = []
    curve = learning(evidence)
    if curve is not None:
        caption = (
            "If the lower line still rises at its end, more rows would help; if the lines meet, other columns would."
        )
        blocks.append(Chart("learning", learning_figure(curve), caption + " Bands are one deviation over the folds."))
    path = ridge_path(evidence)
    if path is not None:
        of = "a ridge regression" if sparse_learner(evidence) is None else "the lasso, or of the elastic net,"
        caption = f"Coefficients of standardised features as the penalty of {of} grows; the strongest only."
        blocks.append(Chart("path", path, caption))
    if not blocks:
        return None
    lead = "The score as rows are added, and the coefficients as they are held back."
    return Section("growth", "More rows, more penalty", lead, blocks)


def learning(evidence: Evidence) -> Any:
    """A learning curve of a model that adds up, from sums; None where it would be dear."""
    from ...evaluation.resampling.learning_curve import learning_curve
    from ...product.metrics import kind_of

    model = evidence.model.model
    rows = len(evidence.target.values)
    wide = len(model.feature_names_out_) > FEATURES
    if evidence.nested is None or "merge" not in abilities(model) or wide or not ROWS[0] <= rows <= ROWS[1]:
        return None
    if evidence.nested.problem.scheme.kind not in ("folds", "loo", "holdout", "boot632"):
        return None  # rows that belong together, or have an order, cannot be drawn by lot
    scoring, title = SCORERS[kind_of(evidence.target)]
    values = evidence.target.values
    if evidence.two:
        values = (values == evidence.target.positive).astype(int)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few rows are part of the experiment
        try:
            curve = learning_curve(
                clone(model), evidence.frame, values, cv=5, scoring=scoring, shuffle=True, random_state=0
            )
        except ValueError:  # a class that the first rows do not hold
            return None
    return replace(curve, score_name=title) if np.isfinite(curve.test_scores).all() else None


def ridge_path(evidence: Evidence) -> Figure | None:
    moments = feature_moments(evidence)
    names = evidence.feature_names
    if moments is None or moments.features > FEATURES or moments.targets != 1:
        return None
    from ...learners.regression.parts.ridge_path import RidgePath

    learner, alphas = sparse_learner(evidence), ALPHAS
    if learner is None:
        path = RidgePath.of(moments, alphas, True)
        coef = path.vectors @ path.beta[0]
    else:
        alphas, coef = sparse_path(moments, float(learner.l1_ratio))
    strongest = np.argsort(-np.abs(coef[:, len(alphas) // 2]), kind="stable")[:MOST_PATHS]
    lines: list[Item] = [
        Line(alphas, coef[j], names[j], k, "solid" if k < 6 else "dot") for k, j in enumerate(strongest)
    ]
    panel = Panel(tuple(lines), "penalty λ", "Coefficient (standardised features)", log_x=True, legend="above")
    return Figure((panel,), "", size=(6.4, 4.4))


def sparse_learner(evidence: Evidence) -> Any:
    """The lasso or the elastic net, where it is the model of the report."""
    from ...learners.regression.elastic_net import ElasticNet
    from ...learners.regression.lasso import Lasso

    learner = getattr(evidence.model.model, "learner", None)
    return learner if isinstance(learner, Lasso | ElasticNet) else None


def sparse_path(moments: Moments, l1_ratio: float) -> tuple[np.ndarray, np.ndarray]:
    """Penalties, smallest first, and coefficients (features, penalties)."""
    from ...learners.regression.parts.sparse_path import SparsePath, alpha_grid, largest_alpha

    ratio = max(l1_ratio, 1e-3)
    alphas = alpha_grid(largest_alpha(moments, ratio, True, False), 1e-3, len(ALPHAS))
    return alphas[::-1], SparsePath.of(moments, alphas, l1_ratio, True, tol=1e-4).beta[0][:, ::-1]


def feature_moments(evidence: Evidence) -> Moments | None:
    """Moments of features and target; of two classes the target is 1 for the positive one. None for more classes."""
    if evidence.classify and not evidence.two:
        return None
    target = evidence.target
    values = (target.values == target.positive).astype(float) if evidence.two else target.values
    return Moments.of(evidence.features, values, target.weight)
