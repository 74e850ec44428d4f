"""What a model loses without a column: its score on rows left out, with the values of the column shuffled."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ...product.metrics import answers_of
from ...product.procedure import fitted_to
from ..blocks import Chart, Section
from ..evidence import Evidence
from ..plots.figure import Figure, Item, Line, Panel, Spans
from .complexity import splits_of, winner
from .forest import shortened

MOST_COLUMNS = 100  # of a table whose columns are shuffled one by one
MOST_ANSWERS = 1_000_000  # rows that are asked about
MOST_SHUFFLES = 5  # of a column in every split
MOST_SPLITS = 5
MOST_LINES = 25


class AskedLearner(NamedTuple):
    """A fitted learner, rows that it has not learnt, as numbers, and the columns that these come from."""

    learner: Any
    features: np.ndarray
    rows: np.ndarray
    owners: list[str]


def importances(evidence: Evidence) -> Section | None:
    """Of any model: one fit for each split, or the finished model on fresh rows."""
    columns = evidence.columns_read
    splits = 1 if evidence.fresh else min(len(splits_of(evidence)), MOST_SPLITS)
    each = max(1, len(columns)) * len(evidence.target.values)
    if not 2 <= len(columns) <= MOST_COLUMNS or not splits or each > MOST_ANSWERS:
        return None
    shuffles = int(np.clip(MOST_ANSWERS // each, 1, MOST_SHUFFLES))
    try:
        losses = np.array([losses_of(evidence, asked, columns, shuffles) for asked in models(evidence)])
    except (ValueError, np.linalg.LinAlgError):  # the model has no solution on the rows of some split
        return None
    if not len(losses) or not np.isfinite(losses).all():
        return None
    return Section("importances", "What the model needs", lead(evidence), [chart(evidence, columns, losses)])


def models(evidence: Evidence) -> Iterator[AskedLearner]:
    """The chosen model on the training rows of every split; on fresh rows the model itself."""
    if evidence.nested is None:
        owners = [feature.column for feature in evidence.model.model.design_.features]
        yield AskedLearner(evidence.model.model.learner_, evidence.seen, np.arange(len(evidence.seen)), owners)
        return
    problem = evidence.nested.problem
    candidate = winner(problem, evidence)
    for train, test in splits_of(evidence)[:MOST_SPLITS] if candidate is not None else ():
        coded = problem.coded(train, test)(candidate)  # type: ignore[arg-type]
        learner = candidate.learner().set_params(**evidence.metrics["chosen"]["params"])  # type: ignore[union-attr]
        yield AskedLearner(fitted_to(coded, learner), coded.asked, test, list(coded.owners))


def losses_of(evidence: Evidence, asked: AskedLearner, columns: list[str], shuffles: int) -> np.ndarray:
    """How much the score gets worse when each column is shuffled, all of its features together, in the mean."""
    rng = np.random.default_rng(0)
    orders = [rng.permutation(len(asked.rows)) for _ in range(shuffles)]
    whole = gains(evidence, asked, asked.features, 1)[0]
    losses = []
    for column in columns:
        own = [j for j, owner in enumerate(asked.owners) if owner == column]
        features = np.tile(asked.features, (shuffles, 1))
        features[:, own] = np.concatenate([asked.features[order][:, own] for order in orders])
        losses.append(whole - gains(evidence, asked, features, shuffles).mean() if own else 0.0)
    return np.array(losses)


def gains(evidence: Evidence, asked: AskedLearner, features: np.ndarray, times: int) -> np.ndarray:
    """The score, larger is better, of answers to the same rows so many times."""
    target, weight, n = evidence.target, evidence.target.weight, len(asked.rows)
    answers = answers_of(asked.learner, features, target).decided(target, evidence.model.facts["threshold"])
    own = None if weight is None else weight[asked.rows]
    truth = target.values[asked.rows]
    parts = (answers.of(np.arange(k * n, (k + 1) * n)) for k in range(times))
    return np.array([evidence.metric.gain(evidence.metric(target, truth, part, own)) for part in parts])


def chart(evidence: Evidence, columns: list[str], losses: np.ndarray) -> Chart:
    """The columns that are needed most, with the least and the largest loss over the splits."""
    mean = losses.mean(axis=0)
    first = np.argsort(-mean, kind="stable")[:MOST_LINES]
    at = -np.arange(float(len(first)))
    items: list[Item] = [
        Line(np.zeros(2), np.array([0.6, at[-1] - 0.6]), "", "quiet", "dash", 1.2),
        Spans(mean[first], at, losses[:, first].min(axis=0), losses[:, first].max(axis=0), "", 0, 2.2),
    ]
    ticks = tuple((float(y), shortened(columns[j])) for y, j in zip(at, first, strict=True))
    what = f"{evidence.metric.title}: how much worse"
    panel = Panel(tuple(items), what, "", y_range=(at[-1] - 0.8, 0.8), y_ticks=ticks)
    figure = Figure((panel,), "", size=(6.4, 1.4 + 0.28 * len(first)))
    more = f" Shown are the first {MOST_LINES} of {len(columns)}." if len(columns) > MOST_LINES else ""
    lines = "" if len(losses) == 1 else "Lines run from the least to the largest loss over the splits. "
    caption = f"{lines}About zero: the model does as well without. Below zero: by chance, or to its good.{more}"
    return Chart("importances", figure, caption)


def lead(evidence: Evidence) -> str:
    whose = "fresh rows" if evidence.fresh else "rows left out"
    return (
        f"The score on {whose}, when the values of one column are shuffled among them: what the model loses without "
        "what that column says. Columns that say the same stand in for each other, so that neither is missed much."
    )
