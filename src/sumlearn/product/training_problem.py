"""The problem of a training: rows to learn from, how to judge, and how the rows become numbers.

Whatever is wrong with the options is found here, before any work.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..data.coded_columns import CodedColumns
from ..data.column_kinds import decide
from ..data.schema_matching import not_empty, opened
from ..data.table import ArrayTable, Table, table_of
from ..data.table_source import TableSource
from ..decision.working_point import costs_of
from ..features import TableEncoder
from ..features.table.encoder import column_options, design_rows, encoder_sums
from ..features.table.mixed_design import MixedDesign
from .candidates import Candidate, Params
from .catalogue import named_candidates
from .columns.feature_choice import FeatureChoice
from .metrics import Answers, Costs, Metric, answers_of, metric_of
from .opened_table import OpenedTable
from .options import Options
from .problems import DataProblem, UsageProblem
from .progress import Progress
from .schemes import Scheme, Split
from .table_columns import features_beside, with_target
from .targets import TargetRows, values_of_column
from .workers import Here, Workers

WIDE = 200  # columns
SHOWN = 5  # of them, in a message
KEPT = 2.0**26  # bytes of coded rows that are kept, at most


class CodedSplit(NamedTuple):
    """Rows to learn from and rows to answer for, as numbers; all that is known of the columns comes from the former.

    `names` are those of the features, `owners` the columns of the table that they come from. A learner that reads mixed
    columns is handed what they are, `columns`.
    """

    features: np.ndarray
    values: np.ndarray
    weight: np.ndarray | None
    asked: np.ndarray
    names: tuple[str, ...]
    owners: tuple[str, ...]
    columns: CodedColumns | None = None


@dataclass(frozen=True, eq=False)
class Problem:
    """Rows to learn from and how to judge.

    Attributes
    ----------
    frame : pyarrow.Table
        Features (and columns that TableModel leaves out) of the rows that have a target.
    target : TargetRows
    metric : Metric
        What decides.
    candidates : list of Candidate
    scheme : Scheme
    groups : array or None
    seed : int
    costs : Costs or None
        With costs, labels are decided by the threshold that is cheapest on inner held-out rows.
    columns : dict
        Options of TableModel.
    choice : FeatureChoice or None
        How columns are chosen, from training rows alone; None takes all.
    progress : Progress
        Who hears of every fit.
    room : float
        Bytes of coded rows that are kept for who asks again.
    workers : Workers
        Who fits the candidates that do not add up.
    """

    frame: Any
    target: TargetRows
    metric: Metric
    candidates: Sequence[Candidate]
    scheme: Scheme
    groups: np.ndarray | None
    seed: int
    costs: Costs | None
    columns: dict[str, Any]
    progress: Progress
    choice: FeatureChoice | None = None
    room: float = KEPT
    workers: Workers = field(default_factory=Here)

    @cached_property
    def splits(self) -> list[Split]:
        """The splits that score."""
        return self.scheme.outer(self.target, self.groups, self.seed)

    def fit(self, candidate: Candidate, params: Params, rows: np.ndarray) -> Any:
        """The candidate as a TableModel, fitted to some rows."""
        self.progress.beat()
        columns = self.columns
        if self.choice is not None:
            columns = columns | {"drop": [*(columns["drop"] or []), *self.unchosen(candidate, rows)]}
        model = candidate.estimator(**columns).set_params(**params)
        return model.fit(self.frame.take(rows), self.target.values[rows], self.weight(rows))

    def unchosen(self, candidate: Candidate, rows: np.ndarray) -> list[str]:
        """The columns that are not chosen on some rows."""
        frame = self.frame.take(rows)
        design = plain_design(candidate.coding(self.columns), frame, self.weight(rows))
        chosen = self.chosen(design, design_rows(design, frame), rows)
        return [column.name for column in design.schema.used if column.name not in chosen]

    def chosen_for(
        self, candidate: Candidate, design: Any, features: np.ndarray, rows: np.ndarray, frame: Table, weight: Any
    ) -> list[str]:
        """Columns are judged as flags and filled numbers, whoever learns from them in the end."""
        if candidate.reads_mixed:
            design = plain_design(candidate.coding(self.columns), frame, weight)
            features = design_rows(design, frame)
        return self.chosen(design, features, rows)

    def chosen(self, design: Any, features: np.ndarray, rows: np.ndarray) -> list[str]:
        assert self.choice is not None
        owners = [feature.column for feature in design.features]
        arguments = features, owners, self.target.values[rows], self.weight(rows), self.target, self.metric.name
        return self.choice.columns(*arguments, seed=self.column_seed)

    @property
    def column_seed(self) -> int | None:
        """Of the folds that judge columns; None where the rows have an order in time."""
        return None if self.scheme.kind == "time" else self.seed

    def coded(self, train: np.ndarray, test: np.ndarray) -> Callable[[Candidate], CodedSplit]:
        """The features that a candidate's TableModel fitted to some rows has: the same for all that code alike."""
        key = train.tobytes(), test.tobytes()
        if key in self.kept:
            return self.kept[key]
        frame, asked, weight = self.table.take(train), self.table.take(test), self.weight(train)
        known: dict[str, CodedSplit] = {}

        def of(candidate: Candidate) -> CodedSplit:
            options = candidate.coding(self.columns)
            key = f"{candidate.reads_mixed} {options}"
            if key not in known:
                design = (mixed_design if candidate.reads_mixed else plain_design)(options, frame, weight)
                learnt, others = design_rows(design, frame), design_rows(design, asked)
                features, columns = list(design.features), getattr(design, "columns", None)
                if self.choice is not None:
                    kept = self.chosen_for(candidate, design, learnt, train, frame, weight)
                    where = [j for j, f in enumerate(features) if f.column in kept]
                    learnt, others, features = learnt[:, where], others[:, where], [features[j] for j in where]
                    columns = None if columns is None else columns.restrict(where)
                names, owners = tuple(f.name for f in features), tuple(f.column for f in features)
                known[key] = CodedSplit(learnt, self.target.values[train], weight, others, names, owners, columns)
            return known[key]

        if 8 * (len(self.kept) + 1) * (len(train) + len(test)) * self.frame.num_columns < self.room:
            self.kept[key] = of
        return of

    @cached_property
    def table(self) -> Table:
        """The frame; many columns of plain numbers are one array, whose columns are at hand."""
        import pyarrow as pa

        columns, names = self.frame.columns, self.frame.column_names
        if len(columns) >= WIDE and all(pa.types.is_float64(c.type) and not c.null_count for c in columns):
            return ArrayTable(np.column_stack([c.to_numpy() for c in columns]), tuple(names))
        return table_of(self.frame)

    @cached_property
    def kept(self) -> dict[tuple[bytes, bytes], Callable[[Candidate], CodedSplit]]:
        """Coded rows by who learns and who is asked."""
        return {}

    def features(self, model: Any, rows: np.ndarray) -> np.ndarray:
        """What the learner inside a fitted TableModel sees of some rows."""
        return model.features_of(self.frame.take(rows))

    def answers(self, model: Any, rows: np.ndarray) -> Answers:
        return answers_of(model.learner_, self.features(model, rows), self.target)

    def weight(self, rows: np.ndarray) -> np.ndarray | None:
        return None if self.target.weight is None else self.target.weight[rows]

    def score(self, answers: Answers, rows: np.ndarray, metric: Metric | None = None) -> float:
        return (metric or self.metric)(self.target, self.target.values[rows], answers, self.weight(rows))


def plain_design(options: dict[str, Any], frame: Any, weight: np.ndarray | None) -> Any:
    """What a TableModel makes of the columns: fills, scales and flags."""
    return TableEncoder(**options).fit(frame, sample_weight=weight).design_


def mixed_design(options: dict[str, Any], frame: Any, weight: np.ndarray | None) -> MixedDesign:
    """The same for a learner that reads categories and gaps as they are."""
    table = not_empty(opened(frame))
    schema = decide(table, *column_options(TableEncoder(**options)))
    return MixedDesign.of(encoder_sums(TableSource(table, schema, None, weight)))


def problem_of(table: OpenedTable, options: Options, progress: Progress) -> tuple[Problem, int]:
    """The problem, and the number of rows that have no target."""
    table, target = with_target(table, options)
    scheme, choice, costs = options.scheme, FeatureChoice.parse(options.features), options.costs
    if costs is not None:
        costs, target = suited_costs(costs, target)
    device = options.torch_device
    named = named_candidates(options.models, target.task, options.can, options.precision)
    if device is not None and not any(candidate.learns_on_devices for candidate in named):
        raise UsageProblem("none of the models learns on a device; --models network,... names one that does (--device)")
    candidates = [candidate.on(device) for candidate in named]
    groups = None
    if scheme.column is not None:
        table.require(scheme.column, "--cv")
        target, groups = arranged(table, target, scheme)
    frame, sorting = features_beside(table, target, options, scheme.column)
    metric = metric_of(options.metric, target, costs)
    kept = [c for c in candidates if c.name not in options.dropped]
    suited = suited_candidates(kept, frame, sorting, len(target.rows))
    problem = Problem(frame, target, metric, suited, scheme, groups, options.seed, costs, sorting, progress, choice)
    return problem, table.rows - len(target.rows)


def suited_costs(costs: Costs, target: TargetRows) -> tuple[Costs, TargetRows]:
    """Costs of two classes as those of the two errors; of more they go with the target."""
    if target.task == "regress":
        raise UsageProblem("--cost is for classes; the target is a number")
    try:
        if target.two_classes:
            return Costs(*costs_of(costs, target.classes, target.positive)), target
        costs.matrix(target.classes)
    except ValueError as error:
        raise UsageProblem(f"{error} (--cost)") from None
    return costs, replace(target, costs=costs)


def suited_candidates(
    candidates: Sequence[Candidate], frame: Any, sorting: dict[str, Any], rows: int
) -> list[Candidate]:
    """The candidates that can cope with the number of rows and of features of a table."""
    coding = {name: value for name, value in sorting.items() if value is not None}
    encoder = TableEncoder(**coding).fit(frame) if frame.num_columns else None
    if encoder is None or not encoder.design_.schema.used:
        told = [] if encoder is None else [f"{n.column!r} {n.what}, {n.why}" for n in encoder.report_[:SHOWN]]
        raise DataProblem("no column is left to learn from" + (f": {'; '.join(told)}" if told else ""))
    features = len(encoder.get_feature_names_out())
    enough = [c for c in candidates if rows >= c.least_rows]
    for wanted in (c for c in candidates if rows < c.least_rows and all(other.only_shown for other in enough)):
        raise DataProblem(
            f"the model {wanted.name!r} asks for {wanted.least_rows} rows, the table has {rows} (--models)"
        )
    fewer = [c for c in enough if c.most_rows is None or rows <= c.most_rows]
    suited = [c for c in fewer if c.most_features is None or features <= c.most_features]
    if all(candidate.only_shown for candidate in fewer):
        name, most = enough[0].name, enough[0].most_rows
        raise DataProblem(f"the model {name!r} takes up to {most} rows, the table has {rows} (--models)")
    if all(candidate.only_shown for candidate in suited):
        name, most = fewer[0].name, fewer[0].most_features
        raise DataProblem(f"the model {name!r} takes up to {most} features, the table has {features} (--models)")
    return suited


def arranged(table: OpenedTable, target: TargetRows, scheme: Scheme) -> tuple[TargetRows, np.ndarray | None]:
    """Groups of the rows, or the rows in the order of time."""
    column = table.frame.column(scheme.column).combine_chunks().take(target.rows)
    missing = np.flatnonzero(np.asarray(column.is_null(nan_is_null=True)))
    if len(missing):
        raise UsageProblem(f"the column {scheme.column!r} is missing in row {target.rows[missing[0]]} (--cv {scheme})")
    if scheme.kind == "group":
        return target, np.unique(values_of_column(column), return_inverse=True)[1]
    order = np.argsort(values_of_column(column), kind="stable")
    weight = None if target.weight is None else target.weight[order]
    return replace(target, values=target.values[order], rows=target.rows[order], weight=weight), None
