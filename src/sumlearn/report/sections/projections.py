"""The rows in two dimensions: principal components, and the directions that tell the classes apart."""

from __future__ import annotations

import numpy as np

from ..blocks import Block, Chart, Section
from ..evidence import Evidence
from ..plots.figure import Figure, Item, Panel, Points

MOST_POINTS = 1500
MOST_CLASSES = 12
MOST_FEATURES = 200  # of a table whose directions are cheap to find


def projections(evidence: Evidence) -> Section | None:
    from ... import PCA

    features = evidence.features
    if min(features.shape) < 3 or features.shape[1] > MOST_FEATURES:
        return None
    some = np.sort(np.random.default_rng(0).permutation(len(features))[:MOST_POINTS])
    pca = PCA(2).fit(features)
    shares = 100 * pca.explained_variance_ratio_
    names = [f"{'first' if k == 0 else 'second'} component ({shares[k]:.0f} % of the variance)" for k in (0, 1)]
    shown = f"{len(some):,} of {len(features):,} rows, drawn by lot" if len(some) < len(features) else "all rows"
    plane = pca.transform(features[some])
    blocks: list[Block] = [Chart("pca", scatter(evidence, plane, some, names), f"Shown are {shown}.")]
    told = discriminant(evidence, features, some, plane) if evidence.classify else None
    if told is not None:
        caption = "Found with the labels of these very rows, so the classes look further apart than on new ones."
        blocks.append(Chart("discriminant", told, caption))
    lead = "Each dot is a row, placed by two combinations of the features, which are scaled as the model sees them."
    return Section("projections", "The rows in two dimensions", lead, blocks)


def discriminant(evidence: Evidence, features: np.ndarray, some: np.ndarray, plane: np.ndarray) -> Figure | None:
    """The plane of the linear discriminant; of two classes its one direction over the first component.

    None where nothing varies within the classes, so that there is no direction to prefer.
    """
    from ... import LinearDiscriminantAnalysis

    lda = LinearDiscriminantAnalysis(solver="eigen", shrinkage=0.01).fit(features, evidence.target.values)
    places = np.asarray(lda.transform(features[some]), dtype=float)
    names = ["first discriminant", "second discriminant"]
    if not places.shape[1]:
        return None
    if places.shape[1] < 2:
        places, names[1] = np.column_stack([places[:, 0], plane[:, 0]]), "first component"
    return scatter(evidence, places[:, :2], some, names)


def scatter(evidence: Evidence, places: np.ndarray, some: np.ndarray, names: list[str]) -> Figure:
    values = evidence.target.values[some]
    items: list[Item] = []
    if evidence.classify:
        for k, label in enumerate(evidence.target.classes[:MOST_CLASSES]):
            mine = values == label
            if mine.any():
                items.append(Points(places[mine, 0], places[mine, 1], str(label), k))
    else:
        cuts = np.quantile(values, [1 / 3, 2 / 3])
        for k, word in enumerate(("lowest third", "middle third", "highest third")):
            mine = np.searchsorted(cuts, values) == k
            if mine.any():
                items.append(Points(places[mine, 0], places[mine, 1], f"{word} of the target", k))
    return Figure((Panel(tuple(items), names[0], names[1], legend="above"),), "", size=(6.4, 5.0))
