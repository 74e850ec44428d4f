"""Which columns matter: what each says alone, how the search went, and how often each was chosen."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...features import TableEncoder
from ...product.columns.features_read import selector_in
from ...product.columns.selection_plan import Features, column_folds
from ...selection import FCBF, Ranker, SubsetSearch
from ...selection.workflow_steps.choosing import BINS
from ..blocks import Bar, Block, Chart, Grid, Prose, Section, grid_of
from ..evidence import Evidence
from .complexity import winner
from .search_trace import by_size, by_step, path_table, size_words, step_words

MOST_FEATURES = 2000  # of a table whose features are ranked
MOST_ROWS = 200_000
MOST_LINES = 40
FOLDS = 5  # that judge a column alone
SCORES = {  # the score of one feature, its title, and what guessing has
    "two": ("auc", "AUC alone", 0.5),
    "many": ("accuracy", "accuracy alone", 0.0),
    "number": (None, "R² alone", 0.0),
}


@dataclass(frozen=True, eq=False)
class Choosing:
    """Everything that there was to choose from, by unit: columns of the table, or features where a pipeline chooses.

    `owners` is the unit of each feature, `selector` a fitted search or filter, if there is one.
    """

    evidence: Evidence
    features: np.ndarray
    owners: list[str]
    selector: Any

    @cached_property
    def units(self) -> list[str]:
        return list(dict.fromkeys(self.owners))

    def best_of(self, scores: np.ndarray) -> dict[str, float]:
        """The score of a unit is that of its best feature."""
        best: dict[str, float] = {}
        for unit, score in zip(self.owners, scores.tolist(), strict=True):
            best[unit] = max(score, best.get(unit, -np.inf))
        return best

    def names(self, numbers: Any) -> list[str]:
        return list(dict.fromkeys(self.owners[j] for j in numbers))

    @property
    def chosen(self) -> list[str]:
        """Units that the saved model reads."""
        if self.selector is not None:
            return self.names(np.flatnonzero(self.selector.get_support()))
        return self.evidence.model.facts["columns"]

    @property
    def times(self) -> dict[str, int]:
        """In how many splits each unit was chosen."""
        nested = self.evidence.nested
        assert nested is not None
        return {unit: sum(unit in read for read in nested.read) for unit in self.units}


def selection(evidence: Evidence) -> Section | None:
    chosen = choosing(evidence)
    if chosen is None or len(chosen.units) < 2:
        return None
    blocks: list[Block] = []
    search = chosen.selector if isinstance(chosen.selector, SubsetSearch) else None
    if search is not None:
        blocks += [
            Chart("search-sizes", by_size(search), size_words(search)),
            Chart("search-steps", by_step(search), step_words(search)),
            path_table(search, chosen.names),
        ]
    if isinstance(chosen.selector, FCBF):
        blocks.append(filter_table(chosen, chosen.selector))
    if isinstance(chosen.selector, Ranker):
        blocks.append(score_table(chosen, chosen.selector))
    blocks.append(ranking(chosen))
    if chosen.selector is not None:
        blocks.append(Prose(stability_words(chosen)))
    return Section("selection", "Which columns matter", lead(chosen), blocks)


def lead(choice: Choosing) -> str:
    if choice.selector is None:
        return "What each column says about the target by itself, and nothing about what it says together with others."
    where = "on all rows. The choice was made anew within every split, from its training rows alone, so the headline is"
    if "sample" in choice.evidence.metrics:
        where = "on the sample. The headline is of other rows, so it is"
    return f"{len(choice.chosen)} of {len(choice.units)} were chosen, {where} honest; scores that chose are optimistic."


def choosing(evidence: Evidence) -> Choosing | None:
    """What was chosen from, on all rows; None for fresh rows, and where there are too many features."""
    if evidence.nested is None or len(evidence.target.values) > MOST_ROWS:
        return None
    problem, model = evidence.nested.problem, evidence.model.model
    candidate = winner(problem, evidence)
    if problem.choice is None or candidate is None:
        names = evidence.feature_names
        if len(names) > MOST_FEATURES:
            return None
        selector, owners = selector_in(model.learner_, len(names)), evidence.feature_owners
        return Choosing(evidence, evidence.features, owners if selector is None else names, selector)
    weight = evidence.target.weight
    encoder = TableEncoder(**candidate.coding(problem.columns)).fit(evidence.frame, sample_weight=weight)
    owners = [feature.column for feature in encoder.design_.features]
    if len(owners) > MOST_FEATURES or len(set(owners)) < 2:
        return None
    features = encoder.transform(evidence.frame)
    plan = problem.choice.plan(evidence.target, problem.metric.name, problem.column_seed)
    selector = plan.search(Features(features, evidence.target.values, owners, weight=weight))
    if plan.method.is_filter:
        selector = FCBF(plan.method.delta or 0.0, bins=BINS)
    return Choosing(evidence, features, owners, selector.fit(features, evidence.target.values, sample_weight=weight))


# -- filters ---------------------------------------------------------------------------------------------------------


def filter_table(choice: Choosing, fcbf: FCBF) -> Grid:
    """Symmetric uncertainty with the class, and what became of each feature."""
    scores, fate = np.asarray(fcbf.scores_), np.asarray(fcbf.dropped_by_)
    reach = float(scores.max()) or 1.0
    rows = []
    for j in np.argsort(-scores, kind="stable"):
        known = {-1: "chosen", -2: "says too little"}.get(int(fate[j]))
        what = known or f"redundant: {choice.owners[fate[j]]} says it"
        rows.append([choice.owners[j], float(scores[j]), Bar(0.0, 0.0, float(scores[j]) / reach), what])
    caption = f"Symmetric uncertainty with the target; of a feature to be chosen at least {fcbf.delta:g}"
    return grid_of(["feature", "uncertainty shared", "", "what became of it"], rows, caption, MOST_LINES)


def score_table(choice: Choosing, ranker: Ranker) -> Grid:
    scores, kept = np.asarray(ranker.scores_), ranker.get_support()
    reach = float(scores[np.isfinite(scores)].max(initial=0.0)) or 1.0
    rows = []
    for j in ranker.order_:
        share = min(1.0, max(0.0, float(scores[j]) / reach))
        rows.append([choice.owners[j], float(scores[j]), Bar(0.0, 0.0, share), kept_word(kept[j])])
    return grid_of(["feature", ranker.chosen_score, "", ""], rows, f"Ranked by {ranker.chosen_score}", MOST_LINES)


def kept_word(kept: Any) -> str:
    return "chosen" if kept else ""


# -- the ranking -----------------------------------------------------------------------------------------------------


def ranking(choice: Choosing) -> Grid:
    """Cross-validated score of a linear model that sees one feature, best first; and how often it was chosen."""
    evidence = choice.evidence
    title, base, scores = alone(choice)
    splits = evidence.nested.splits if evidence.nested is not None else []
    chose, times, chosen = choice.selector is not None, choice.times, set(choice.chosen)
    rows: list[list[Any]] = []
    for unit in sorted(scores, key=lambda unit: -scores[unit]):
        share = min(1.0, max(0.0, (scores[unit] - base) / (1.0 - base)))
        row: list[Any] = [unit, scores[unit], Bar(0.0, 0.0, share)]
        if chose:
            often = Bar(0.0, 0.0, times[unit] / len(splits))
            row += [f"{times[unit]} of {len(splits)}", often, kept_word(unit in chosen)]
        rows.append(row)
    more = ["chosen in splits", "", "in the model"] if chose else []
    caption = (
        f"A linear model that sees one feature, on rows left out of {FOLDS} folds; a category is as good as its best "
        "level. Columns that help only together stand low here."
    )
    return grid_of(["column", title, "", *more], rows, caption, MOST_LINES)


def alone(choice: Choosing) -> tuple[str, float, dict[str, float]]:
    """Title of the score, what guessing has, and the score of every unit."""
    from ...product.metrics import kind_of

    target, nested = choice.evidence.target, choice.evidence.nested
    assert nested is not None
    scoring, title, base = SCORES[kind_of(target)]
    values = target.values
    if target.two_classes:
        values = (values == target.positive).astype(int)
    options: Any = {} if scoring is None else {"scoring": scoring}
    options["cv"] = column_folds(FOLDS, target.task, nested.problem.column_seed)
    task = "regression" if scoring is None else "classification"
    ranker = Ranker("one_feature", task=task, **options).fit(choice.features, values, sample_weight=target.weight)
    scores = np.nan_to_num(np.asarray(ranker.scores_, dtype=float), nan=base, neginf=base)
    if scoring == "accuracy":
        base = max(target.counts().values()) / len(target.values)
    return title, min(base, 0.999), choice.best_of(scores)


def stability_words(choice: Choosing) -> str:
    """How alike the choices of the splits are."""
    from ...selection.nested_scores import jaccard

    assert choice.evidence.nested is not None
    read = [np.array(names) for names in choice.evidence.nested.read]
    if len(read) < 2:
        return "There was one split, so that nothing is known of how stable the choice is."
    always = sum(count == len(read) for count in choice.times.values())
    return (
        f"Two splits share {jaccard(read):.0%} of the columns that either chose (mean Jaccard index); {always} were "
        f"chosen in all {len(read)} splits. Where that is little, other rows would have chosen other columns."
    )
