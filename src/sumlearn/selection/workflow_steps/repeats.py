"""Step 9: the whole workflow again on bootstrap samples."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from ...evaluation.resampling.bootstrap import drawn, left_out
from ...features.input_ranges import whole_number
from .step import Step, listed, skipped
from .workflow_rows import WorkflowRows


@dataclass(frozen=True, eq=False)
class Repeats:
    """What the samples say.

    Attributes
    ----------
    scores : array (samples,)
        Of the workflow fitted on a sample, on the rows that the sample left out.
    frequency : dict {feature: share of the samples that chose it}
        The most frequent first.
    stability : float
        Mean Jaccard index of the features of two samples: 1 if all choose the same.

    Examples
    --------
    >>> repeats = summed_up([0.9, 0.8, 0.7], [["a", "b"], ["a"], ["a", "c"]])
    >>> round(repeats.score, 3), repeats.frequency["a"], round(repeats.stability, 3)
    (0.8, 1.0, 0.444)
    """

    scores: np.ndarray
    frequency: dict[str, float]
    stability: float

    @property
    def score(self) -> float:
        return float(self.scores.mean())

    @property
    def standard_error(self) -> float:
        """Deviation over the samples."""
        return float(self.scores.std(ddof=1))


def repeated(options: Any, rows: WorkflowRows, names: list[str]) -> tuple[Any, Step]:
    """The workflow again on samples, if it is asked for; `names` are those of all features."""
    if options.bootstrap is None or options.bootstrap is False:
        return None, skipped("bootstrap")
    count = whole_number(options.bootstrap, "bootstrap", 2)
    again = clone(options).set_params(task=rows.task, bootstrap=None)
    repeats = on_samples(again, rows, count, names)
    often = [f"{name} {share:.0%}" for name, share in repeats.frequency.items()]
    what = f"{repeats.score:.3f} +- {repeats.standard_error:.3f} on rows left out; stability {repeats.stability:.2f}: "
    numbers = {"score": repeats.score, "stability": repeats.stability, "frequency": repeats.frequency}
    return repeats, Step("bootstrap", what + listed(often), numbers)


def on_samples(workflow: Any, rows: WorkflowRows, count: int, names: list[str]) -> Repeats:
    """Fit a workflow on samples drawn with replacement and score the rows left out.

    A row may be drawn twice and then lie on both sides of an inner split: the choice suffers a little, the score of
    rows left out is honest. Samples that lack a class, or leave no row out, are drawn again.
    """
    rng = check_random_state(workflow.random_state)
    chosen: list[list[str]] = []
    scores: list[float] = []
    for _ in range(20 * count):
        sample = drawn(len(rows.y), rng)
        out = left_out(sample, len(rows.y))
        if not len(out) or (rows.task == "classification" and lacks_rows(rows.y, sample)):
            continue
        fitted = rows.take(sample).fit(clone(workflow))
        chosen.append([names[j] for j in fitted.subset_])
        scores.append(rows.take(out).score(fitted))
        if len(scores) == count:
            return summed_up(scores, chosen)
    raise ValueError(f"bootstrap={count}: {len(rows.y)} rows are too few, hardly a sample holds all classes")


def lacks_rows(y: np.ndarray, sample: np.ndarray) -> bool:
    """Whether a sample has fewer than two different rows of a class."""
    labels, codes = np.unique(y, return_inverse=True)
    return bool((np.bincount(codes[np.unique(sample)], minlength=len(labels)) < 2).any())


def summed_up(scores: list[float], chosen: list[list[str]]) -> Repeats:
    counts = Counter(name for names in chosen for name in names)
    shares = [len({*a} & {*b}) / len({*a} | {*b}) for a, b in combinations(chosen, 2)]
    frequency = {name: times / len(chosen) for name, times in counts.most_common()}
    return Repeats(np.array(scores), frequency, float(np.mean(shares)))
