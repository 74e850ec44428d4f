"""What is asked of one class: of which columns, by which method, how many of its rows are to be accepted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..labelled_rows import column_values
from ..opened_table import OpenedTable
from ..problems import DataProblem, UsageProblem, suggested
from ..table_question import TableQuestion

METHODS = {"gauss": "normal density", "phantom": "phantom negatives", "svm": "support vectors"}


@dataclass(frozen=True)
class OneClassQuestion(TableQuestion):
    """The options of `one_class` and of ``sumlearn oneclass``.

    >>> OneClassQuestion("phantom", 0.9).learner()
    PhantomNegatives(acceptance=0.9, random_state=0)
    """

    method: str = "gauss"
    acceptance: float = 0.95
    normal: str | None = None

    purpose: ClassVar[str] = "learn from"

    def check(self) -> None:
        if self.method not in METHODS:
            raise UsageProblem(f"--method {self.method!r} is none of {', '.join(METHODS)}")
        if not 0.0 < self.acceptance < 1.0:
            raise UsageProblem(f"--acceptance {self.acceptance:g} is no share between 0 and 1")
        if self.normal is not None and self.target is None:
            raise UsageProblem("--normal is a label of the column that --target names: give both")
        self.check_seed()

    def learner(self) -> Any:
        """The learner of the method."""
        from ... import OneClassGaussian, OneClassSVM, PhantomNegatives

        if self.method == "gauss":
            return OneClassGaussian(self.acceptance)
        if self.method == "svm":
            return OneClassSVM(nu=1.0 - self.acceptance, gamma="scale")
        return PhantomNegatives(acceptance=self.acceptance, random_state=self.seed)

    def of_the_class(self, table: OpenedTable) -> np.ndarray:
        """Which rows are of the class: all, unless a label says so."""
        if self.normal is None:
            return np.ones(table.rows, dtype=bool)
        texts = np.array([text_of(value) for value in column_values(table.frame.column(self.target)).tolist()])
        labels = sorted(set(texts.tolist()) - {""})
        if self.normal not in labels:
            raise DataProblem(
                f"no row has {self.normal!r} in {self.target!r}{suggested(self.normal, labels)} (--normal)"
            )
        return texts == self.normal


def text_of(value: Any) -> str:
    """
    >>> text_of(1.0), text_of("a"), text_of(None)
    ('1', 'a', '')
    """
    if value is None or value != value:
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)
