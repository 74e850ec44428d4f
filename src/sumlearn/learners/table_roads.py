"""How a TableModel learns: from sums of coded rows where its learner has such, else from the rows."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
from sklearn.base import clone

from ..data import Chunk, Columns, Source
from ..data.mapped import mapped
from ..features.table.encoder import design_of, encoder_sums
from ..features.table.mixed_design import MixedDesign
from ..features.table.sums import TableSums
from ..statistics import capabilities
from .ability import Abilities, sums_by_row
from .fitted import Holder
from .learner import EVENTS, Learner
from .one_pass import OnePass
from .sum_algebra import SumAlgebra
from .table_rows import features_of_part


def is_recodable(learner: Any) -> bool:
    """Whether fills, scales and levels can act on the sums of a learner, and it is solved from what comes of that."""
    if getattr(learner, "basis", None) is not None or not isinstance(learner, SumAlgebra):
        return False
    kind = getattr(learner, "statistic_type", None)
    return kind is not None and sums_by_row(learner) and "recode" in capabilities(kind)


class RoadOfSums:
    """What the two roads share whose model is a function of sums of coded rows."""

    reads = "table"

    def __init__(self, model: Any) -> None:
        self.model = model

    @property
    def chunk_factor(self) -> int:
        return int(self.model.chunk_factor)

    def refuse_others(self, statistic: Any) -> None:
        if (self.model.target == "label") != hasattr(statistic.sums, "labels"):
            raise ValueError("the sums learnt are those of another learner: fit anew")

    def with_events(self, solved: Any) -> Any:
        """The learner inside, which knows of rows that went or weigh less."""
        solved.__dict__.update({name: True for name in EVENTS if vars(self).get(name)})
        return solved


class CodedSums(RoadOfSums, OnePass):  # type: ignore[override]
    """Sums of coded rows; the design is computed from them and applied to them."""

    @property
    def statistic_type(self) -> Any:
        return TableSums[self.model.plain_learner.statistic_type]  # type: ignore[name-defined]

    def summarise(self, chunk: Chunk, look: Any = None) -> TableSums[Any]:
        schema: Any = chunk.columns
        return TableSums.of(chunk, schema, partial(self.model.plain_learner.summarise, look=None))

    def solution(self, statistic: TableSums[Any]) -> dict[str, Any]:
        self.refuse_others(statistic)
        design = design_of(statistic, self.model)
        learner = clone(self.model.plain_learner)
        names: Any = SimpleNamespace(
            features=len(design.names),
            columns=Columns(tuple(design.names), ("number",) * len(design.names)),
            dtype=np.dtype(np.float64),
            single_target=self.__dict__.get("_single_target", True),
            targets=statistic.sums.targets if hasattr(statistic.sums, "targets") else 1,
        )
        solved = learner.solve(design.apply(statistic), like=names, classes=self.__dict__.get("_classes"))
        return parts_of(self.with_events(solved).without_names(), design)


class OwnSums(RoadOfSums, OnePass):  # type: ignore[override]
    """The sums of a learner that reads tables itself; what is asked of it later comes coded."""

    @property
    def statistic_type(self) -> Any:
        return self.model.plain_learner.statistic_type

    def check(self) -> None:
        self.model.plain_learner.check()

    def summarise(self, chunk: Chunk, look: Any = None) -> TableSums[Any]:
        return self.model.plain_learner.summarise(chunk, look)

    def solution(self, statistic: TableSums[Any]) -> dict[str, Any]:
        self.refuse_others(statistic)
        design = MixedDesign.of(statistic, self.model.handle_unknown)
        learner = clone(self.model.plain_learner).solve(statistic, classes=self.__dict__.get("_classes"))
        return parts_of(self.with_events(learner).of_coded_rows(design.columns), design)


class CodedRows(Learner):
    """One pass for the design, then the learner on the coded rows in memory."""

    reads = "table"

    def __init__(self, model: Any) -> None:
        self.model = model

    def learn_from(self, source: Source, watch: Any) -> None:
        self.statistic_ = encoder_sums(source)
        design = design_of(self.statistic_, self.model)
        chunks = [(part, source.chunk(part)) for part in source.parts()]
        rows = np.concatenate([features_of_part(design, chunk, part) for part, chunk in chunks])
        targets = [chunk.y for _, chunk in chunks if chunk.y is not None]
        weights = [chunk.weight for _, chunk in chunks if chunk.weight is not None]
        learner = clone(self.model.plain_learner)
        if source.target.levels and getattr(learner, "order", ()) is None:  # the rows alone would not tell the order
            learner.set_params(order=source.target.levels)
        y, weight = (np.concatenate(arrays) if arrays else None for arrays in (targets, weights))
        self.on_rows_ = fitted_to(learner, rows, y, weight, design.names), design  # no function of the sums
        self._holder = Holder()

    def own_abilities(self) -> Abilities:
        return Abilities()

    def solution(self, statistic: Any) -> dict[str, Any]:
        return solution_on_rows(self)


class MixedTable(Learner):
    """One pass for what the columns are, then a learner that reads categories and gaps as they are."""

    reads = "table"

    def __init__(self, model: Any) -> None:
        self.model = model

    def learn_from(self, source: Source, watch: Any) -> None:
        self.statistic_ = encoder_sums(source)
        design = MixedDesign.of(self.statistic_, self.model.handle_unknown)
        learner = clone(self.model.plain_learner)
        rows = mapped(source, design.columns)
        learner.check()
        self.on_rows_ = learner.fitted_on(learner.looked_at(rows), watch), design  # no function of the sums
        self._holder = Holder()

    def own_abilities(self) -> Abilities:
        return Abilities()

    def solution(self, statistic: Any) -> dict[str, Any]:
        return solution_on_rows(self)


def fitted_to(learner: Any, rows: np.ndarray, y: Any, weight: Any, names: Any) -> Any:
    """The learner, fitted to coded rows; one of ours knows how they are called while it learns, for what it says."""
    if getattr(type(learner), "fit", None) is not Learner.fit:
        return learner.fit(rows, y, **({} if weight is None else {"sample_weight": weight}))
    source = learner.open(rows, y, weight, reset=True)
    learner.feature_names_in_ = np.array(names, dtype=object)
    return learner.fitted_on(source).without_names()


def solution_on_rows(road: Any) -> dict[str, Any]:
    if "on_rows_" not in road.__dict__:
        raise ValueError("the learner needs rows, and the model has sums alone: fit anew")
    return parts_of(*road.on_rows_)


def parts_of(learner: Any, design: Any) -> dict[str, Any]:
    """The fitted attributes of a TableModel."""
    values = {
        "learner_": learner,
        "design_": design,
        "feature_names_out_": design.names,
        "report_": design.notes,
    }
    return values | ({"classes_": learner.classes_} if hasattr(learner, "classes_") else {})
