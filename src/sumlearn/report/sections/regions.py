"""What the model decides where: a slice through its space, coloured by the answers.

x(u, v) = m + u q1 + v q2,   q1, q2 orthonormal: two discriminants, or one and the first component of the rest
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...product.metrics import answers_of
from ..blocks import Chart, Prose, Section
from ..evidence import Evidence
from ..numbers import quoted
from ..plots.figure import Figure, Item, Line, Panel, Points, Regions
from .working_point import own_threshold

STEPS = 90  # of the grid on either side
MOST_POINTS = 800
MOST_CLASSES = 6  # that have a colour of their own; the rest share one
MOST_FEATURES = 200
LEAST_ROWS = 5
OTHERS = "other classes"
AXES = {  # by the number of discriminants
    0: ("first component", "second component"),
    1: ("first discriminant", "first component of the rest"),
    2: ("first discriminant", "second discriminant"),
}
LEAD = "Every point of the ground is asked of the saved model and coloured by its answer; dots are rows."


def regions(evidence: Evidence) -> Section | None:
    if not evidence.classify:
        return None
    features = evidence.seen
    reason = hindrance(evidence, features)
    if reason is not None:
        return section(Prose(f"Not drawn: {reason}."))
    if features.shape[1] == 1:
        return section(Chart("regions", one_feature(evidence, features[:, 0]), line_words(evidence)))
    plane, names = plane_of(features, evidence.target.values)
    return section(Chart("regions", slice_of(evidence, features, plane, names), words(evidence, features, plane)))


def section(block: Chart | Prose) -> Section:
    return Section("regions", "What the model decides where", LEAD, [block])


def hindrance(evidence: Evidence, features: np.ndarray) -> str | None:
    """Why there is nothing to draw, if there is not."""
    kinds = {feature.kind for feature in evidence.model.model.design_.features}
    if evidence.encoder is not None and ("level" in kinds or np.isnan(features).any()):
        return "the model reads categories and gaps as they are, and nothing lies between those"
    if "value" not in kinds:
        return "no column is a number, so that there is nothing between its values"
    if features.shape[1] > MOST_FEATURES:
        return f"of {features.shape[1]} features (more than {MOST_FEATURES}) two directions say little"
    if len(features) < LEAST_ROWS or not (features.std(axis=0) > 0).any():
        return "too few different rows"
    return None


# -- the plane -------------------------------------------------------------------------------------------------------


def plane_of(features: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, tuple[str, str]]:
    """Two orthonormal directions (features, 2) and their names: discriminants, then components of what is left."""
    from ... import LinearDiscriminantAnalysis

    centred = features - features.mean(axis=0)
    if len(np.unique(values)) > 1:
        lda = LinearDiscriminantAnalysis(solver="eigen", shrinkage=0.01).fit(features, values)
        axes = np.asarray(lda.scalings_, dtype=float)[:, :2]
    else:
        axes = np.zeros((features.shape[1], 0))
    axes = orthonormal(axes)
    names = AXES[axes.shape[1]]
    while axes.shape[1] < 2:
        rest = centred - centred @ axes @ axes.T
        component = np.linalg.eigh(rest.T @ rest)[1][:, -1:]
        axes = np.linalg.qr(np.column_stack([axes, component]))[0]
    return steady(axes), names


def orthonormal(directions: np.ndarray) -> np.ndarray:
    """The span of directions; one that depends on those before is left out."""
    Q, R = np.linalg.qr(directions)
    size = np.abs(R.diagonal())
    return Q[:, size > 1e-8 * size.max(initial=0.0)]


def steady(directions: np.ndarray) -> np.ndarray:
    """The largest entry of each direction is positive, so that the picture does not depend on a sign."""
    largest = np.abs(directions).argmax(axis=0)
    return directions * np.sign(directions[largest, range(directions.shape[1])])


def slice_of(evidence: Evidence, features: np.ndarray, plane: np.ndarray, axes: tuple[str, str]) -> Figure:
    middle = features.mean(axis=0)
    places = (features - middle) @ plane
    u, v = (grid_over(places[:, k]) for k in (0, 1))
    points = middle + np.column_stack([np.tile(u, len(v)), np.repeat(v, len(u))]) @ plane.T
    names, colors = palette(evidence)
    codes = coded(evidence, decided(evidence, points), names).reshape(len(v), len(u))
    items: list[Item] = [Regions(u, v, codes, names, colors), *dots(evidence, places, names, colors)]
    ends: Any = {"x_range": (float(u[0]), float(u[-1])), "y_range": (float(v[0]), float(v[-1]))}
    panel = Panel(tuple(items), *axes, legend="above", **ends)
    return Figure((panel,), "", size=(6.4, 5.4))


def grid_over(values: np.ndarray) -> np.ndarray:
    low, high = float(values.min()), float(values.max())
    room = 0.04 * (high - low) or 0.5
    return np.linspace(low - room, high + room, STEPS)


def decided(evidence: Evidence, points: np.ndarray) -> np.ndarray:
    """Labels that the saved model gives, by its own threshold."""
    answers = answers_of(evidence.model.model.learner_, points, evidence.target)
    return answers.decided(evidence.target, evidence.model.facts["threshold"]).labels


def palette(evidence: Evidence) -> tuple[tuple[str, ...], tuple[int | str, ...]]:
    """Names with a colour: of many classes the most frequent ones, in their order; the rest is grey."""
    labels = [str(label) for label in evidence.target.classes]
    if len(labels) <= MOST_CLASSES:
        return tuple(labels), tuple(range(len(labels)))
    counts = evidence.target.counts()
    kept = sorted(sorted(labels, key=lambda label: -counts[label])[:MOST_CLASSES], key=labels.index)
    return (*kept, OTHERS), (*range(MOST_CLASSES), "quiet")


def coded(evidence: Evidence, labels: np.ndarray, names: tuple[str, ...]) -> np.ndarray:
    """Places of labels among the names; the last one for those that have none."""
    number = {name: k for k, name in enumerate(names)}
    known = np.array([number.get(str(label), len(names) - 1) for label in evidence.target.classes])
    return known[np.searchsorted(evidence.target.classes, labels)]


def dots(evidence: Evidence, places: np.ndarray, names: tuple[str, ...], colors: tuple[Any, ...]) -> list[Item]:
    """Rows by their true class; those that were answered wrongly when they were left out have a mark."""
    some = drawn(len(evidence.rows))
    here, truth = places[evidence.rows[some]], coded(evidence, evidence.truth[some], names)
    items: list[Item] = [
        Points(here[truth == k, 0], here[truth == k, 1], name, color)
        for k, (name, color) in enumerate(zip(names, colors, strict=True))
        if (truth == k).any()
    ]
    wrong = evidence.chosen.labels[some] != evidence.truth[some]
    if wrong.any():
        items.append(Points(here[wrong, 0], here[wrong, 1], "answered wrongly", "ink", small=True))
    return items


def drawn(count: int) -> np.ndarray:
    """Some answers, drawn by lot, where there are too many to draw."""
    return np.sort(np.random.default_rng(0).permutation(count)[:MOST_POINTS])


def words(evidence: Evidence, features: np.ndarray, plane: np.ndarray) -> str:
    shown = min(len(evidence.rows), MOST_POINTS)
    centred = features - features.mean(axis=0)
    share = float(((centred @ plane) ** 2).sum() / (centred**2).sum())
    who = "fresh rows" if evidence.fresh else "rows, marked where they were answered wrongly while left out"
    text = (
        f"A slice of the model, not the model: {features.shape[1]} features on a plane that holds {share:.0%} of their "
        "variance, all other directions at their mean. Rows lie beside the slice, so a dot on foreign ground need not "
        f"be an error. {shown:,} of {len(evidence.rows):,} {who}."
    )
    if len(evidence.target.classes) > MOST_CLASSES:
        text += f" The {MOST_CLASSES} most frequent of {len(evidence.target.classes)} classes have a colour."
    return text


# -- one feature -----------------------------------------------------------------------------------------------------


def one_feature(evidence: Evidence, values: np.ndarray) -> Figure:
    """The scores of the saved model over its only feature, with the answers to rows that were left out."""
    x = grid_over(values)
    scores: Any = answers_of(evidence.model.model.learner_, x[:, None], evidence.target).scores
    names, colors = palette(evidence)
    given: Any = evidence.chosen.scores
    some = drawn(len(evidence.rows))
    where, truth = values[evidence.rows[some]], coded(evidence, evidence.truth[some], names)
    items: list[Item] = []
    if evidence.two:
        level = own_threshold(evidence)
        items += [
            Line(x, scores, f"score of {quoted(evidence.target.positive)}", "ink"),
            Line(x[[0, -1]], np.full(2, level), "threshold", "quiet", "dash", 1.2),
        ]
        heights = given[some]
    else:
        columns = {str(label): k for k, label in enumerate(evidence.target.classes)}
        items += [Line(x, scores[:, columns[n]], n, c) for n, c in zip(names, colors, strict=True) if n in columns]
        heights = given[some, np.searchsorted(evidence.target.classes, evidence.truth[some])]
    for k, (name, color) in enumerate(zip(names, colors, strict=True)):
        mine = truth == k
        if mine.any():
            items.append(Points(where[mine], heights[mine], f"rows {name}", color))
    label = evidence.model.model.feature_names_out_[0]
    return Figure((Panel(tuple(items), str(label), "score", legend="above"),), "", size=(6.4, 4.6))


def line_words(evidence: Evidence) -> str:
    which = "" if evidence.two else " of their own class"
    shown = min(len(evidence.rows), MOST_POINTS)
    return (
        "One feature: lines are scores of the saved model, dots the scores"
        f"{which} that rows got while they were left out. Shown are {shown:,} of {len(evidence.rows):,} rows."
    )
