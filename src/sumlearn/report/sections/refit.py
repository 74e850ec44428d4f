"""A report that refits: the sums of every split travel with the page, which solves them again for other columns.

on the sums of the rows learnt:    b = (S_xx + lambda I)^-1 S_xy,   b0 = m_y - b'm_x
on the sums of the rows left out:  SSE = W (m_y - b'm_x - b0)^2 + S_yy - 2 b'S_xy + b'S_xx b
"""

from __future__ import annotations

import base64
from collections import Counter
from typing import Any

import numpy as np
from sklearn.base import clone

from ...features.table.notes import SHARED_FLAG
from ...saving.cells import TARGET, cells_of
from ...saving.disclosure import LEAST, rare_cells
from ...statistics import Moments, in_words
from ..blocks import Bar, Block, Grid, Live, Section, grid_of
from ..evidence import Evidence
from ..numbers import quoted
from .growth import feature_moments

MOST_FEATURES = 100
MOST_SPLITS = 10
LARGEST = 1e5  # penalty on the slider
LEAST_ROWS = 10  # of a split: sums of fewer rows come close to telling the rows


def refit(evidence: Evidence) -> Section | None:
    """For numbers and for two classes, where the table is not too wide and the splits are few and large."""
    sums = fold_sums(evidence)
    if sums is None:
        return None
    folds, columns, left_out = sums
    alpha, opens = own_penalty(evidence)
    design = evidence.model.model.design_
    own = features_in(design, columns)
    saved = sorted({columns.index(design.features[j].column) for j in own})
    data = {
        "columns": columns,
        "alpha": alpha,
        "start": saved,
        "folds": [{"column": places, "train": packed(a), "test": packed(b)} for places, a, b in folds],
        "all": {
            "column": places_of(design, columns),
            "names": [design.names[j] for j in own],
            "train": packed(feature_moments(evidence), own),
        },
    }
    start = scored(folds, set(saved), alpha)
    words = {"columns": columns, "start": start, "target": target_words(evidence), "alpha": alpha}
    words |= {"saved": saved, "opens": opens}
    blocks: list[Block] = [Live("refit", data, words), worth(folds, columns, saved, alpha, start["r2"])]
    lead = (
        "Tick columns off or move the penalty: coefficients and the cross-validated score are computed again, exactly, "
        "here in the page, from sums of products that travel with it. Whoever has the page has these sums; everything "
        f"in them rests on {LEAST} rows or more. " + (classes_words() if evidence.two else "")
    )
    if left_out:
        lead += f" Left out, since a level, a gap or a pair of them has fewer rows in a split: {', '.join(left_out)}."
    if evidence.nested is not None and evidence.nested.problem.choice is not None:
        lead += " The columns were chosen with all rows, so this score, unlike the headline, is optimistic."
    if any(note.code == SHARED_FLAG for note in evidence.model.model.report_):
        lead += " A flag of missing values that columns share stays with the first of them, and goes with it."
    return Section("refit", "Try other columns: a report that refits", lead, blocks)


def classes_words() -> str:
    return (
        "What is fitted is least squares on labels 0 and 1, which points in the direction of the linear discriminant; "
        "its R² is exact. Accuracy and AUC are no function of sums and are not shown here."
    )


def target_words(evidence: Evidence) -> str:
    if evidence.two:
        return f"1 for {quoted(evidence.target.positive)}, 0 for {quoted(evidence.target.negative)}"
    return evidence.target.name


def own_penalty(evidence: Evidence) -> tuple[float, str]:
    """The penalty of the saved model, and how it is said; 1 where the model is not least squares in any dress."""
    alpha, title = (
        penalty_of(evidence.model.model.learner_, feature_moments(evidence)),
        evidence.model.facts["model"]["title"],
    )
    if alpha is None:
        return 1.0, f"The saved model, {title}, is not least squares: the penalty opens at 1."
    return alpha, f"It opens at the columns and the penalty of the saved model, {title}."


def penalty_of(learner: Any, moments: Any) -> float | None:
    """lambda of least squares with the direction of the learner.

    A covariance that is shrunk by s, (1 - s) S_w / W + s tr(S_w) / (W d) I, points where least squares on labels with
    lambda = s / (1 - s) tr(S_w) / d does: the scatter between two classes has rank one, along the direction itself.
    """
    kind, params = type(learner).__name__, learner.get_params()
    if kind in ("LinearRegression", "Ridge", "LeastSquaresClassifier"):
        return float(params.get("alpha", 0.0))
    if kind != "LinearDiscriminantAnalysis":
        return None
    share = float(params["shrinkage"] or 0.0)
    return LARGEST if share == 1 else min(share / (1.0 - share) * within_scatter(moments), LARGEST)


def within_scatter(moments: Any) -> float:
    """Mean over the features of the scatter within two classes: S_xx - S_xy S_yx / S_yy, since y is 0 or 1."""
    S, between = moments.scatter, moments.scatter[:-1, -1]
    return float(np.mean(S.diagonal()[:-1] - between**2 / S[-1, -1]))


Fold = tuple[list[int], Moments, Moments]  # column of each feature, sums of the rows learnt and of those left out


def fold_sums(evidence: Evidence) -> tuple[list[Fold], list[str], list[str]] | None:
    """Sums of every split, coded by what was learnt from its training rows; their columns, and those left out."""
    nested, target = evidence.nested, evidence.target
    if nested is None or (evidence.classify and not evidence.two):
        return None
    too_wide = len(evidence.model.model.feature_names_out_) > MOST_FEATURES
    if too_wide or len(nested.splits) > MOST_SPLITS or min(len(test) for _, test in nested.splits) < LEAST_ROWS:
        return None
    from ... import Ridge

    values = (target.values == target.positive).astype(float) if evidence.two else target.values
    plain = clone(evidence.model.model).set_params(learner=Ridge())

    def sums_of(rows: np.ndarray, weight: np.ndarray | None = None) -> Any:
        return clone(plain).fit(evidence.frame.take(rows), values[rows], weight)

    every = [np.arange(len(values)), *(rows for split in nested.splits for rows in split)]
    telling = telling_columns([cells_of(sums_of(rows).statistic_) for rows in every])  # rows are counted, not weights
    if telling is None:
        return None
    coded = []
    for train, test in nested.splits:
        weight = [None if target.weight is None else target.weight[side] for side in (train, test)]
        coder = sums_of(train, weight[0])
        learnt = in_words(coder.design_.apply(coder.statistic_))
        left = Moments.of(coder.features_of(evidence.frame.take(test)), values[test], weight[1])
        coded.append((coder.design_, learnt, left))
    # a split may use a column that all rows together leave out
    designs = [evidence.model.model.design_, *(design for design, _, _ in coded)]
    used = {feature.column for design in designs for feature in design.features}
    if "" in used:  # nothing varies, so there is nothing to tick
        return None
    used.update(evidence.model.facts["columns"])
    columns = [name for name in evidence.frame.column_names if name in used - telling]
    if not columns:
        return None
    folds = []
    for design, learnt, left in coded:
        kept = features_in(design, columns)
        folds.append((places_of(design, columns), learnt.restrict(kept), left.restrict(kept)))
    return folds, columns, sorted(telling & used)


def telling_columns(parts: list[Any]) -> set[str] | None:
    """Columns without which no sum tells of few rows, by the cells of each; None where the target alone does."""
    found = [finding for cells in parts for finding in rare_cells(cells, LEAST)]
    out: set[str] = set()
    while found:
        named = Counter(column for finding in found for column, _ in finding.where if column != TARGET)
        if any(all(column == TARGET for column, _ in finding.where) for finding in found):
            return None
        worst = min(named, key=lambda name: (-named[name], name))
        out.add(worst)
        found = [finding for finding in found if all(column != worst for column, _ in finding.where)]
    return out


def features_in(design: Any, columns: list[str]) -> list[int]:
    return [j for j, feature in enumerate(design.features) if feature.column in columns]


def places_of(design: Any, columns: list[str]) -> list[int]:
    """The column of the table that each feature belongs to."""
    return [columns.index(feature.column) for feature in design.features if feature.column in columns]


def packed(moments: Moments | None, features: Any = slice(None)) -> dict[str, Any]:
    """Weight, then mean and upper triangle of the scatter as bytes of doubles."""
    assert moments is not None
    moments = moments.restrict(np.arange(moments.features)[features])
    numbers = np.concatenate([moments.mean, moments.scatter[np.triu_indices(moments.columns)]]).astype("<f8")
    return {"weight": moments.weight, "size": moments.columns, "numbers": base64.b64encode(numbers.tobytes()).decode()}


def scored(folds: list[Fold], kept: set[int], alpha: float) -> dict[str, float]:
    """Mean R^2 over the splits and root of the mean squared error of all rows left out: what the script computes."""
    from ... import Ridge

    shares, squares, total = [], 0.0, 0.0
    for places, learnt, left in folds:
        some = [j for j, place in enumerate(places) if place in kept]
        model = Ridge(alpha=alpha).solve(learnt.restrict(some))
        off = model.residual_moments(left.restrict(some))
        square = float(off.scatter[0, 0] + off.weight * off.mean[0] ** 2)
        spread = float(left.scatter[-1, -1])
        shares.append(1.0 - square / spread if spread > 0 else float("nan"))
        squares, total = squares + square, total + left.weight
    return {"r2": float(np.mean(shares)), "rmse": float(np.sqrt(squares / total))}


def worth(folds: list[Fold], columns: list[str], saved: list[int], alpha: float, whole: float) -> Grid:
    """What is lost without each column of the saved model, from the sums alone."""
    without = {k: whole - scored(folds, set(saved) - {k}, alpha)["r2"] for k in saved}
    reach = max(map(abs, without.values()), default=0.0) or 1.0
    rows = []
    for k in sorted(without, key=lambda k: -without[k]):
        at = 0.5 + 0.5 * without[k] / reach
        rows.append([columns[k], without[k], Bar(at, min(at, 0.5), max(at, 0.5), 0.5)])
    caption = "How much cross-validated R² falls when one column is left out and the rest is fitted again"
    return grid_of(["without", "R² lost", ""], rows, caption)
