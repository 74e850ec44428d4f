"""From a table and options to a problem; whatever is wrong with the options is found here, before any work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..features import TableEncoder
from .candidates import Candidate
from .catalogue import named_candidates
from .feature_choice import FeatureChoice
from .metrics import metric_of
from .problems import DataProblem, UsageProblem
from .procedure import Problem
from .progress import Progress
from .schemes import Scheme
from .tables import OpenedTable
from .targets import Target, target_of, values_of_column
from .training_options import TrainingOptions


def problem_of(table: OpenedTable, options: TrainingOptions, progress: Progress) -> tuple[Problem, int]:
    """The problem, and the number of rows that have no target."""
    name = options.target if options.target is not None else table.target
    if name is None:
        raise UsageProblem(f"which column is to be predicted? --target, one of {', '.join(map(repr, table.columns))}")
    if options.task not in ("auto", "classify", "regress"):
        raise UsageProblem(f"--task {options.task!r}: auto, classify or regress")
    for option, columns in (("--drop", options.drop), ("--ids", options.ids)):
        for column in columns:
            table.require(column, option)
            if column == name:
                raise UsageProblem(f"{option} names the target {name!r}")
    scheme, choice, costs = options.scheme, FeatureChoice.parse(options.features), options.costs
    target = target_of(table, name, options.task, options.positive, options.weights)
    if costs is not None and not target.two_classes:
        raise UsageProblem("--cost is for two classes")
    candidates = named_candidates(options.models, target.task, options.can)
    groups = None
    if scheme.column is not None:
        table.require(scheme.column, "--cv")
        target, groups = arranged(table, target, scheme)
    aside = [c for c in (name, options.weights, scheme.column) if c is not None]
    frame = table.frame.drop_columns(aside).take(target.rows)
    sorting = {"ids": list(options.ids) or None, "drop": list(options.drop) or None}
    metric = metric_of(options.metric, target, costs)
    suited = suited_candidates(candidates, frame, sorting)
    problem = Problem(frame, target, metric, suited, scheme, groups, options.seed, costs, sorting, progress, choice)
    return problem, table.rows - len(target.rows)


def suited_candidates(candidates: Sequence[Candidate], frame: Any, sorting: dict[str, Any]) -> list[Candidate]:
    """The candidates that can cope with the number of features of a table."""
    features = len(TableEncoder(**sorting).fit(frame).get_feature_names_out())
    suited = [c for c in candidates if c.most_features is None or features <= c.most_features]
    if all(candidate.foreign for candidate in suited):
        name, most = candidates[0].name, candidates[0].most_features
        raise DataProblem(f"the model {name!r} takes up to {most} features, the table has {features} (--models)")
    return suited


def arranged(table: OpenedTable, target: Target, scheme: Scheme) -> tuple[Target, np.ndarray | None]:
    """Groups of the rows, or the rows in the order of time."""
    column = table.frame.column(scheme.column).combine_chunks().take(target.rows)
    missing = np.flatnonzero(np.asarray(column.is_null(nan_is_null=True)))
    if len(missing):
        raise UsageProblem(f"the column {scheme.column!r} is missing in row {target.rows[missing[0]]} (--cv {scheme})")
    if scheme.kind == "group":
        return target, np.unique(values_of_column(column), return_inverse=True)[1]
    order = np.argsort(values_of_column(column), kind="stable")
    weight = None if target.weight is None else target.weight[order]
    values, rows = target.values[order], target.rows[order]
    return Target(target.name, target.task, values, rows, target.classes, target.positive, weight), None
