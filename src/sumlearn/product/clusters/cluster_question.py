"""What a clustering is asked for: of which columns, into how many clusters, by which method."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..opened_table import OpenedTable
from ..problems import DataProblem, UsageProblem
from ..table_columns import check_finite
from ..targets import weights_of

METHODS = {"kmeans": "k-means", "lbg": "LBG, a codebook that grows", "gmm": "Gaussian mixture"}
MOST = 100  # clusters that a reader can make anything of


@dataclass(frozen=True)
class ClusterQuestion:
    """The options of `cluster` and of ``sumlearn cluster``.

    >>> ClusterQuestion("2..5").sizes, ClusterQuestion("3").sizes, ClusterQuestion("2,4,8").sizes
    ([2, 3, 4, 5], [3], [2, 4, 8])
    """

    k: str = "2..10"
    method: str = "kmeans"
    target: str | None = None
    drop: Sequence[str] = ()
    ids: Sequence[str] = ()
    weights: str | None = None
    seed: int = 0
    max_levels: int | None = None

    def check(self) -> None:
        if self.method not in METHODS:
            raise UsageProblem(f"--method {self.method!r} is none of {', '.join(METHODS)}")
        if self.seed < 0:
            raise UsageProblem(f"--seed {self.seed} must not be negative")
        self.sizes  # noqa: B018  refused here

    @property
    def sizes(self) -> list[int]:
        """Numbers of clusters, ascending."""
        text = str(self.k).replace(" ", "")
        span = re.fullmatch(r"(\d+)\.\.(\d+)", text)
        if span is not None:
            found = list(range(int(span[1]), min(int(span[2]), MOST + 1) + 1))
        elif re.fullmatch(r"\d+(,\d+)*", text):
            found = sorted({int(size) for size in text.split(",")})
        else:
            found = []
        if not found or found[0] < 1 or found[-1] > MOST:
            raise UsageProblem(f"-k {self.k!r} is no number of clusters from 1 to {MOST}, such as 3, 2..10 or 2,4,8")
        return found

    def columns_of(self, table: OpenedTable) -> tuple[Any, dict[str, Any], np.ndarray | None]:
        """The columns that are clustered by, the options of TableModel, and weights."""
        for option, names in (("--drop", self.drop), ("--ids", self.ids)):
            for name in names:
                table.require(name, option)
        for option, aside_name in (("--target", self.target), ("--weights", self.weights)):
            if aside_name is not None:
                table.require(aside_name, option)
        for option, named in (("--target", self.target), ("--weights", self.weights)):
            for other, others in (("--drop", self.drop), ("--ids", self.ids)):
                if named in others:
                    raise UsageProblem(f"{named!r} is in {other}, but {option} sets it aside already: name it once")
        aside = [name for name in dict.fromkeys((self.target, self.weights)) if name is not None]
        weight = None if self.weights is None else weights_of(table, self.weights)
        frame = table.frame.drop_columns(aside)
        left_out = (*self.drop, *self.ids)
        drop = [*self.drop, *table.flags_of(left_out)]
        table.check_clear([name for name in frame.column_names if name not in left_out])
        check_finite(frame, drop)
        if not frame.num_columns:
            raise DataProblem("no column is left to cluster by")
        options = {"ids": list(self.ids) or None, "drop": drop or None}
        return frame, options | ({} if self.max_levels is None else {"max_levels": self.max_levels}), weight
