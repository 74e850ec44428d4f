"""Many models on many data sets: which differences to a baseline are real."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold

from ..resampling.cross_validation import cross_validate
from ..resampling.scoring import score_name
from ..resampling.splits import Split, columns_apart, splits_of
from .corrected_test import CorrectedTTest, corrected_t_test

WIN, TIE, LOSS = "v", " ", "*"


@dataclass(frozen=True, eq=False)
class Comparison:
    """The outcome of `compare`; printed, it is the table of Weka's Experimenter.

    Attributes
    ----------
    scores : dict {(data set, model): array (J,)}
        Score of every split.
    tests : dict {(data set, model): CorrectedTTest}
        Of the differences to the baseline, for all other models.
    marks : dict {(data set, model): "v", " " or "*"}
        Better than the baseline, no difference, worse.
    datasets, models : list of str
        Names; the first model is the baseline.
    alpha : float
        Level of the tests.
    score_name : str
        What was scored; larger is better.
    """

    scores: dict[tuple[str, str], np.ndarray]
    tests: dict[tuple[str, str], CorrectedTTest]
    marks: dict[tuple[str, str], str]
    datasets: list[str]
    models: list[str]
    alpha: float
    score_name: str

    @classmethod
    def of(
        cls, scores: dict[tuple[str, str], np.ndarray], splits: Mapping[str, list[Split]], alpha: float, name: str
    ) -> Comparison:
        """Scores of the splits of every data set, judged; the first model is the baseline."""
        datasets, models = (list(dict.fromkeys(names)) for names in zip(*scores, strict=True))
        tests, marks = {}, {}
        for dataset in datasets:
            sizes = np.array([(len(train), len(test)) for train, test in splits[dataset]]).T
            for model in models[1:]:
                test = corrected_t_test(scores[dataset, model] - scores[dataset, models[0]], *sizes)
                tests[dataset, model] = test
                marks[dataset, model] = TIE if test.p_value > alpha else WIN if test.mean > 0 else LOSS
        return cls(scores, tests, marks, datasets, models, alpha, name)

    def mean(self, dataset: str, model: str) -> float:
        return float(self.scores[dataset, model].mean())

    def tally(self, model: str) -> tuple[int, int, int]:
        """On how many data sets a model is better than the baseline, no different, and worse."""
        marks = [self.marks[dataset, model] for dataset in self.datasets]
        return marks.count(WIN), marks.count(TIE), marks.count(LOSS)

    def __str__(self) -> str:
        head, rows, foot = self._cells()
        table = [head, *rows, foot]
        first, base, *others = (max(len(line[j]) for line in table) for j in range(len(head)))

        def laid_out(line: list[str]) -> str:
            right = "  ".join(text.rjust(width) for text, width in zip(line[2:], others, strict=True))
            return f"{line[0]:<{first}}  {line[1]:>{base}} | {right}".rstrip()

        lines = [laid_out(line) for line in table]
        rule = "-" * max(map(len, lines))
        key = [f"({j}) {name}" for j, name in enumerate(self.models, 1)]
        title = f"{self.score_name}, mean(sd); v better, * worse than (1), corrected t-test at {self.alpha:g}"
        return "\n".join([title, lines[0], rule, *lines[1:-1], rule, lines[-1], "", *key])

    def _repr_html_(self) -> str:
        head, rows, foot = self._cells()

        def line(cells: list[str], tag: str) -> str:
            return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"

        names = [head[0], *(f"({j}) {name}" for j, name in enumerate(self.models, 1))]
        body = "".join(line(cells, "td") for cells in rows)
        title = f"{self.score_name}, mean(sd); v better, * worse than (1), corrected t-test at {self.alpha:g}"
        return (
            f"<table><caption>{escape(title)}</caption><thead>{line(names, 'th')}</thead>"
            f"<tbody>{body}</tbody><tfoot>{line(foot, 'td')}</tfoot></table>"
        )

    def _cells(self) -> tuple[list[str], list[list[str]], list[str]]:
        """Head, one line for every data set, and the tally."""
        head = ["Dataset", *(f"({j}) {name[:12]}" for j, name in enumerate(self.models, 1))]
        rows = []
        for dataset in self.datasets:
            cells = [f"{dataset} ({len(self.scores[dataset, self.models[0]])})"]
            for model in self.models:
                values = self.scores[dataset, model]
                mark = f" {self.marks[dataset, model]}" if model != self.models[0] else ""
                cells.append(f"{values.mean():.4f}({values.std(ddof=1):.4f}){mark}")
            rows.append(cells)
        tallies = ["({}/{}/{})".format(*self.tally(model)) for model in self.models[1:]]
        return head, rows, ["", f"({WIN}/{TIE}/{LOSS})", *tallies]


def compare(
    models: Mapping[str, Any],
    datasets: Mapping[str, Any],
    *,
    cv: Any = None,
    scoring: Any = None,
    alpha: float = 0.05,
    random_state: Any = 0,
) -> Comparison:
    """Compare models with a baseline, the first of them, on several data sets.

    All models see the same splits of a data set. The differences of their scores to those of the baseline are judged
    by the corrected resampled t-test (`corrected_t_test`), since splits share training rows.

    Parameters
    ----------
    models : dict {name: estimator}
        Two or more; the first is the baseline.
    datasets : dict {name: (X, y) or (X, y, sample_weight)}
        Tables in memory; y may name a column of X.
    cv : int, splitter or None, default=None
        None is ten times ten folds, stratified for classifiers, as in Weka; a number is so many folds, once.
    scoring : str, callable or None
        One score, larger is better; None is the estimators' own.
    alpha : float, default=0.05
        Level of the two-sided tests. They are not corrected for their number.
    random_state : int, RandomState or None, default=0
        Of the ten times ten folds.

    Returns
    -------
    Comparison
        ``scores``, ``tests``, ``marks``, ``tally(model)``; a table as text and HTML.

    Examples
    --------
    >>> from sumlearn import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
    >>> from sumlearn.data import load_example
    >>> from sumlearn.evaluation import compare
    >>> data = {name: load_example(name) for name in ("iris", "pima")}
    >>> models = {"linear": LinearDiscriminantAnalysis(), "quadratic": QuadraticDiscriminantAnalysis()}
    >>> print(compare(models, {name: (table.X, table.y) for name, table in data.items()}))
    accuracy, mean(sd); v better, * worse than (1), corrected t-test at 0.05
    Dataset         (1) linear |    (2) quadratic
    ---------------------------------------------
    iris (100)  0.9800(0.0335) | 0.9733(0.0379)
    pima (100)  0.7731(0.0387) | 0.7421(0.0444) *
    ---------------------------------------------
                       (v/ /*) |          (0/1/1)
    <BLANKLINE>
    (1) linear
    (2) quadratic

    References
    ----------
    Nadeau & Bengio, "Inference for the generalization error", 2003; Witten, Frank, Hall & Pal, "Data mining", 2016.
    """
    if len(models) < 2:
        raise ValueError(f"models must name a baseline and at least one other model, got {len(models)}")
    if not datasets:
        raise ValueError("datasets is empty")
    if not 0.0 < alpha < 1.0:
        raise ValueError(f"alpha must be between 0 and 1, got {alpha!r}")
    baseline = next(iter(models))
    scores, splits = {}, {}
    for dataset, (X, y, *weight) in datasets.items():
        X, y, _ = columns_apart(X, y, None)
        options = {"scoring": scoring, "error_score": "raise", "sample_weight": weight[0] if weight else None}
        splits[dataset] = shared = shared_splits(models[baseline], X, y, cv, random_state)
        for model, estimator in models.items():
            try:
                values = cross_validate(estimator, X, y, cv=shared, **options)["test_score"]
            except ValueError as error:
                raise ValueError(f"model {model!r} on data set {dataset!r}: {error}") from error
            for number in np.flatnonzero(~np.isfinite(values))[:1]:
                raise ValueError(f"the score of {model!r} on {dataset!r} is {values[number]} in split {number}")
            scores[dataset, model] = values
    return Comparison.of(scores, splits, alpha, score_name(scoring, models[baseline]))


def shared_splits(estimator: Any, X: Any, y: Any, cv: Any, random_state: Any) -> list[Split]:
    """The splits that all models see; whether they are stratified is the baseline's to say."""
    if cv is None:
        kind = RepeatedStratifiedKFold if is_classifier(estimator) else RepeatedKFold
        cv = kind(n_splits=10, n_repeats=10, random_state=random_state)
    return splits_of(estimator, X, y, None, cv)
