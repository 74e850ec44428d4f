"""cluster: from a table to clusters, how many there are, and what tells them apart."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...engines import one_blas_thread
from ...features import TableEncoder
from ...features.table.encoder import design_rows
from ...learners.table_model import TableModel
from ...version import __version__
from ..labelled_rows import column_values
from ..metrics_json import used_columns
from ..opened_table import OpenedTable
from ..problems import DataProblem
from ..progress import Listener, nobody
from ..tables import as_table
from .cluster_question import METHODS, ClusterQuestion
from .cluster_trials import ClusterSpace, ClusterTrial, best_of, trials_of
from .clustered_model import ClusteredModel
from .profiles import Profile, profiles_of

Tell = Callable[[str, str], None]
MOST_LABELS = 30  # of a target that is shown against the clusters


@dataclass(frozen=True, eq=False)
class Clustering:
    """The outcome of `cluster`.

    Attributes
    ----------
    model : ClusteredModel
        Fitted to all rows: what is saved.
    metrics : dict
        The account, as in ``clusters.json``.
    labels : array
        The cluster of every row, from 1, the largest first.
    trials : list of ClusterTrial
    chosen : ClusterTrial
    space : ClusterSpace
        The rows as the method sees them.
    profiles : list of Profile
    table : OpenedTable
    frame : pyarrow.Table
        The columns that were clustered by, and those that were left out of them.
    against : dict or None
        Rows by label of the target and by cluster, where there is a target.
    """

    model: ClusteredModel
    metrics: dict[str, Any]
    labels: np.ndarray
    trials: list[ClusterTrial]
    chosen: ClusterTrial
    space: ClusterSpace
    profiles: list[Profile]
    table: OpenedTable
    frame: Any
    against: dict[str, list[float]] | None


def cluster(
    data: Any,
    *,
    progress: Listener = nobody,
    tell: Tell = lambda label, text: None,
    **options: Any,
) -> Clustering:
    """Find clusters in a table, and say how many there are.

        code the columns: numbers in deviations, gaps filled with the mean, a flag for each level
        for every number of clusters: cluster the rows;  take the largest mean silhouette, of mixtures the least BIC

    Two levels of a category are as far apart as numbers that differ by one deviation.

    Parameters
    ----------
    data : path, glob, folder, bundled name, Table, or a pyarrow, pandas or polars table
    k : "2..10", "3", "2,4,8"
    method : "kmeans", "lbg" or "gmm"
    target : str
        A column that is not clustered by, but shown against the clusters; a bundled table knows its own.
    drop, ids : names of columns
        That are no features; ids go beside the clusters.
    weights : str
        A column of weights: how many rows a row stands for.
    seed : int
        Of starts and samples.
    max_levels : int
        Text of more different values is left out.

    Returns
    -------
    Clustering

    Examples
    --------
    >>> from sumlearn.product import cluster
    >>> found = cluster("iris", k="2..6", method="gmm")
    >>> found.metrics["k"], found.metrics["chosen_by"], found.metrics["sizes"]
    (2, 'the least BIC', [100.0, 50.0])
    >>> found.against["setosa"]
    [0.0, 50.0]
    """
    table = as_table(data)
    if table.target not in (*(options.get("drop") or ()), *(options.get("ids") or ())):
        options.setdefault("target", table.target)
    question = ClusterQuestion(**options)
    question.check()
    table = question.as_asked(table)
    frame, columns, weight = question.columns_of(table)
    with one_blas_thread():
        design = TableEncoder(**columns).fit(frame, sample_weight=weight).design_
        space = ClusterSpace(design, design_rows(design, frame), weight, question.seed)
        sizes = possible(question.sizes, space)
        trials = trials_of(question.method, sizes, space, question.seed, lambda i, n: progress("clusterings", i, n))
        chosen, why = best_of(trials, question.method)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the trials have told what there is to tell
            model = TableModel(chosen.learner, **columns).fit(frame, sample_weight=weight)
    inner = model.learner_
    inner.__dict__.pop("labels_", None)  # of every row of the table
    internal = inner.predict(space.X)
    mass = np.ones(len(internal)) if weight is None else weight
    sizes_found = np.bincount(internal, mass, chosen.k)
    order = np.argsort(-sizes_found, kind="stable")
    place = np.argsort(order, kind="stable") + 1
    labels = place[internal]
    facts = facts_of(table, question, chosen, why, model, order, sizes_found[order])
    clustered = ClusteredModel(model, facts)
    against = against_target(table, question, labels, chosen.k, mass)
    profiles = profiles_of(model.schema_, frame, labels, chosen.k, weight)
    metrics = account_of(table, question, trials, clustered, profiles, against, space, labels)
    return Clustering(clustered, metrics, labels, trials, chosen, space, profiles, table, frame, against)


def possible(sizes: list[int], space: ClusterSpace) -> list[int]:
    """Numbers of clusters for which there are enough different rows."""
    there = space.X if space.weight is None else space.X[space.weight > 0]
    different = len(np.unique(there, axis=0))
    found = [k for k in sizes if k <= different]
    if not found:
        raise DataProblem(f"there are {different} different rows for {sizes[0]} clusters (-k)")
    return found


def facts_of(
    table: OpenedTable,
    question: ClusterQuestion,
    chosen: ClusterTrial,
    why: str,
    model: Any,
    order: np.ndarray,
    sizes: np.ndarray,
) -> dict[str, Any]:
    """What the model file says about itself."""
    return {
        "task": "cluster",
        "target": None,
        "method": question.method,
        "k": chosen.k,
        "chosen_by": why,
        "order": order.tolist(),
        "sizes": sizes.tolist(),
        "classes": list(range(1, chosen.k + 1)),
        "positive": None,
        "threshold": None,
        "weights": question.weights,
        "ids": list(question.ids),
        "columns": used_columns(model),
        "reading": None if table.found is None else table.found.facts(),
        "rows": table.rows,
        "silhouette": chosen.silhouette,
        "bic": chosen.bic,
        "model": {"model": question.method, "title": METHODS[question.method], "params": {}, "can": []},
        "history": [{"what": "cluster", "rows": table.rows, "source": table.name, "sha256": table.digest}],
        "sumlearn": __version__,
    }


def against_target(
    table: OpenedTable, question: ClusterQuestion, labels: np.ndarray, k: int, mass: np.ndarray
) -> dict[str, list[float]] | None:
    """Weight of the rows by label of the target and by cluster; a target of many values is not shown."""
    if question.target is None:
        return None
    values = column_values(table.frame.column(question.target)).tolist()
    texts = ["" if value is None or value != value else f"{value:g}" if isinstance(value, float) else str(value)
             for value in values]  # fmt: skip
    if len(set(texts)) > MOST_LABELS:
        return None
    found = {text: [0.0] * k for text in sorted(set(texts))}
    for text, label, weighs in zip(texts, labels.tolist(), mass.tolist(), strict=True):
        found[text][label - 1] += weighs
    return found


def account_of(
    table: OpenedTable,
    question: ClusterQuestion,
    trials: list[ClusterTrial],
    model: ClusteredModel,
    profiles: list[Profile],
    against: dict[str, list[float]] | None,
    space: ClusterSpace,
    labels: np.ndarray,
) -> dict[str, Any]:
    """Everything that clusters.json says."""
    facts = model.facts
    tried = [
        {"k": t.k, "inertia": t.inertia, "error": t.error, "silhouette": t.silhouette, "bic": t.bic} for t in trials
    ]
    parts = [labels[space.sample] == c for c in range(1, facts["k"] + 1)]
    chosen = next(trial for trial in trials if trial.k == facts["k"])
    own = chosen.silhouettes
    silhouettes = [float(own[part].mean()) if len(own) and part.any() else None for part in parts]
    notes = [{"column": note.column, "what": note.what, "why": note.why} for note in model.model.report_]
    return {
        "format": 1,
        "data": {"name": table.name, "rows": table.rows, "columns": len(table.columns), "sha256": table.digest},
        "method": facts["method"],
        "title": METHODS[facts["method"]],
        "k": facts["k"],
        "chosen_by": facts["chosen_by"],
        "silhouette": facts["silhouette"],
        "bic": facts["bic"],
        "sizes": facts["sizes"],
        "silhouettes": silhouettes,
        "silhouette_rows": len(space.sample),
        "tried": tried,
        "features": space.X.shape[1],
        "columns": facts["columns"],
        "columns_left_out": notes,
        "target": question.target,
        "against": against,
        "seed": question.seed,
        "profiles": [
            {
                "column": p.column,
                "kind": p.kind,
                "apart": p.apart,
                "all": told(p.all),
                "clusters": list(map(told, p.clusters)),
            }
            for p in profiles
        ],
    }


def told(value: Any) -> Any:
    """Mean and deviation by name."""
    return {"mean": value[0], "deviation": value[1]} if isinstance(value, tuple) else value
