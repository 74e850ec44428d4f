"""A report: the account of a training and the page that shows it."""

from __future__ import annotations

import os
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from ..product.training import Training
from ..saving.atomic import replace_file
from .evidence import Evidence, evidence_of
from .numbers import three
from .page import framed, page_of


class Report:
    """What is known of a model, as numbers and as a page.

    In a notebook it shows itself.

    Parameters
    ----------
    evidence : Evidence
        What it is written from.

    Attributes
    ----------
    metrics : dict
        The account, as in ``metrics.json``.
    model : TrainedModel
        Fitted to all rows.

    Examples
    --------
    >>> import sumlearn as sl
    >>> report = sl.evaluate(sl.LinearDiscriminantAnalysis(), "iris", "Species")
    >>> report
    Report(Species by LinearDiscriminantAnalysis: accuracy 0.980, 0.919 to 0.995; a constant answer 0.333)
    >>> "<title>Predicting" in report.html
    True
    """

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence

    @property
    def metrics(self) -> dict[str, Any]:
        return self.evidence.metrics

    @property
    def model(self) -> Any:
        return self.evidence.model

    @cached_property
    def html(self) -> str:
        """The page, complete in itself."""
        return page_of(self.evidence)

    def save(self, path: str | os.PathLike[str], now: datetime | None = None) -> Path:
        """Write the page, whole or not at all; `now` takes the place of the time stamp."""
        place = Path(path)
        replace_file(place, (self.html if now is None else page_of(self.evidence, now)).encode())
        return place

    def _repr_html_(self) -> str:
        return framed(self.html)

    def __repr__(self) -> str:
        metrics, metric = self.metrics, self.evidence.metric
        low, high = (three(limit) for limit in metrics["interval"])
        base = three(metrics["baseline"][metric.name])
        what = f"{metrics['target']} by {metrics['chosen']['title']}"
        return f"Report({what}: {metric.title} {three(metrics['score'])}, {low} to {high}; a constant answer {base})"


def report_of(training: Training, command: str = "") -> Report:
    """The report of a training; `command` is what repeats it.

    >>> from sumlearn.product import train
    >>> report_of(train("iris", models="lda,qda")).metrics["chosen"]["title"]
    'linear discriminant'
    """
    return Report(evidence_of(training, command))
