"""Bias and variance against complexity: errors on rows learnt and on rows left out as a model gets more freedom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from ...learners.ability import abilities
from ...learners.description import INVERSE_PENALTY, Complexity, description_of
from ...product.candidates import Candidate
from ...product.metrics import METRICS, Answers, answers_of
from ...product.problems import DataProblem
from ...product.procedure import fitted_to, warmed
from ...product.schemes import Scheme, Split
from ...product.training_problem import CodedSplit, Problem
from ..blocks import Block, Chart, Section
from ..evidence import Evidence
from ..plots.figure import Figure, Item, Line, Mark, Panel

FOREIGN = {"LinearSVC": INVERSE_PENALTY}  # of scikit-learn, where we have none of that name
MOST_SPLITS = 10
MOST_SIZES = 10
MOST_WORK = {True: 3e8, False: 2e7}  # numbers read by all fits, of models that add up and of others
SAMPLES = 25  # of the bootstrap
MOST_ROWS, MOST_FEATURES = 5_000, 60  # of a table whose bootstrap is quick


@dataclass(frozen=True)
class Axis:
    """What is varied: a hyperparameter of the candidate over some values, or, without one, the number of features."""

    candidate: Candidate
    values: np.ndarray
    title: str
    parameter: str | None = None
    log: bool = True
    freer: str = "left"  # where the model has more freedom
    own: float | None = None  # the value of the saved model


def complexity(evidence: Evidence) -> Section | None:
    axis = axis_of(evidence)
    splits = [] if axis is None else splits_of(evidence)
    if axis is None or not splits or work(evidence, axis, len(splits)) > MOST_WORK[axis.candidate.can_all]:
        return None
    try:
        learnt, left = errors_over(evidence, axis, splits)
    except (ValueError, np.linalg.LinAlgError):  # some value of the parameter has no solution on some rows
        return None
    both = figure(evidence, axis, learnt, left)
    blocks: list[Block] = [Chart("complexity", both, words(evidence, axis, len(splits)))]
    parts = decomposition(evidence, axis)
    if parts is not None:
        caption = (
            f"The error of {SAMPLES} fits to bootstrap samples, on the rows that each has not drawn, in its two parts. "
            "The mean fit is off by bias; noise cannot be told from it. Single fits vary about their mean: variance."
        )
        blocks.append(Chart("bias-variance", parts, caption))
    lead = (
        "Too little freedom and both errors are high: bias. Too much, and the error on rows learnt falls while that on "
        "rows left out rises: variance."
    )
    return Section("complexity", "Too simple or too free?", lead, blocks)


# -- what is varied --------------------------------------------------------------------------------------------------


def axis_of(evidence: Evidence) -> Axis | None:
    """The axis that suits the chosen model, as its learner describes it; None where it names none."""
    candidate = None if evidence.nested is None else winner(evidence.nested.problem, evidence)
    if candidate is None:
        return None
    learner = candidate.learner()
    said = description_of(learner).complexity or FOREIGN.get(type(learner).__name__)
    if said is None or (said.parameter is None and evidence.features.shape[1] < 2):
        return None
    if said.parameter is None:
        sizes = np.unique(np.linspace(1, evidence.features.shape[1], MOST_SIZES).round())
        return Axis(candidate, sizes, said.title, log=said.log, freer=said.freer)
    if said.stand_in is not None:
        other = replace(candidate, learner=lambda: in_place_of(learner, said))
        return Axis(other, np.array(said.points), said.title, said.parameter, said.log, said.freer)
    params = learner.get_params(deep=False)
    own = own_value(evidence, said, params[said.parameter])
    able = {name: known[params[name]] for name, known in said.instead.items() if params[name] in known}
    varied = replace(candidate, learner=lambda: clone(learner).set_params(**able)) if able else candidate
    values = np.array(said.points) if said.points else decades(own, learner)
    return Axis(varied, values, said.title, said.parameter, said.log, said.freer, own)


def own_value(evidence: Evidence, said: Complexity, given: Any) -> float | None:
    """The hyperparameter of the saved model, chosen or found by itself; without points of its own, a size."""
    learner = evidence.model.model.learner_
    chosen = evidence.model.facts["model"]["params"].get(said.parameter, getattr(learner, f"{said.parameter}_", given))
    value = number_or(chosen, said.otherwise)
    return value if said.points else value or None


def in_place_of(learner: Any, said: Complexity) -> Any:
    """The learner that has the hyperparameter, with what both have."""
    import sumlearn

    params = learner.get_params(deep=False)
    return getattr(sumlearn, str(said.stand_in))(**{name: params[name] for name in said.keeps if name in params})


def decades(own: float | None, learner: Any) -> np.ndarray:
    """Penalties about that of the model; more of them where all are solved from the same sums."""
    steps = 10 if "merge" in abilities(learner) else 7
    return np.logspace(-2, 4, steps) if own is None else own * np.logspace(-3, 3, steps)


def winner(problem: Problem, evidence: Evidence) -> Candidate | None:
    name = evidence.metrics["chosen"]["model"]
    return next((candidate for candidate in problem.candidates if candidate.name == name), None)


def number_or(value: Any, other: float | None) -> float | None:
    return float(value) if isinstance(value, int | float) and np.isfinite(value) else other


def splits_of(evidence: Evidence) -> Sequence[Split]:
    """The splits of the training, or some of them; five folds where single rows were left out."""
    assert evidence.nested is not None
    problem, splits = evidence.nested.problem, evidence.nested.splits
    if problem.scheme.kind == "loo":
        try:
            return Scheme("folds", 5).outer(problem.target, None, problem.seed)
        except DataProblem:
            return []
    return splits[:MOST_SPLITS]


def work(evidence: Evidence, axis: Axis, splits: int) -> float:
    return float(evidence.features.size) * splits * len(axis.values)


# -- both errors -----------------------------------------------------------------------------------------------------


def errors_over(evidence: Evidence, axis: Axis, splits: Sequence[Split]) -> tuple[np.ndarray, np.ndarray]:
    """Errors on rows learnt and on rows left out, (values, splits)."""
    assert evidence.nested is not None
    problem = evidence.nested.problem
    learnt, left = [], []
    for train, test in splits:
        coded = problem.coded(train, test)(axis.candidate)
        both = coded._replace(asked=np.concatenate([coded.features, coded.asked]))
        found = answers_over(problem, axis, both)
        learnt.append([error(problem, a.of(np.arange(len(train))), train) for a in found])
        left.append([error(problem, a.of(np.arange(len(train), len(a.labels))), test) for a in found])
    return np.array(learnt).T, np.array(left).T


def answers_over(problem: Problem, axis: Axis, coded: CodedSplit) -> list[Answers]:
    if axis.parameter is not None:
        return along_parameter(problem, axis, coded)
    order, found = ranked(problem, coded), []
    for size in axis.values.astype(int):
        here = order[:size]
        columns = None if coded.columns is None else coded.columns.restrict(here)
        some = coded._replace(features=coded.features[:, here], asked=coded.asked[:, here], columns=columns)
        found.append(answers_of(fitted_to(some, axis.candidate.learner()), some.asked, problem.target))
    return found


def along_parameter(problem: Problem, axis: Axis, coded: CodedSplit) -> list[Answers]:
    """Answers for all values: a model that is solved from sums is fitted once, another for each."""
    learner, found = warmed(axis.candidate.learner()), []
    for number, value in enumerate(axis.values.tolist()):
        learner.set_params(**{str(axis.parameter): value})
        if number == 0 or "merge" not in abilities(learner):
            fitted_to(coded, learner)
        found.append(answers_of(learner, coded.asked, problem.target))
    return found


def ranked(problem: Problem, coded: CodedSplit) -> np.ndarray:
    """Features in the order of what each says about the target, on the rows learnt."""
    from ...selection import Ranker

    task = "regression" if problem.target.task == "regress" else "classification"
    ranker = Ranker("pearson" if task == "regression" else "f", task=task)
    return ranker.fit(coded.features, coded.values, sample_weight=coded.weight).order_


def error(problem: Problem, answers: Answers, rows: np.ndarray) -> float:
    """Mean squared error, or the share of rows decided wrongly."""
    if problem.target.task == "regress":
        return problem.score(answers, rows, METRICS["rmse"]) ** 2
    return problem.score(answers, rows, METRICS["error"])


def figure(evidence: Evidence, axis: Axis, learnt: np.ndarray, left: np.ndarray) -> Figure:
    items: list[Item] = []
    for k, (label, table) in enumerate((("rows learnt", learnt), ("rows left out", left))):
        mean = table.mean(axis=1)
        spread = table.std(axis=1, ddof=1) if table.shape[1] > 1 else None
        band = (None, None) if spread is None else (mean - spread, mean + spread)
        items.append(Line(axis.values, mean, label, k, "solid", 2.0, *band))
    middle = left.mean(axis=1)
    best = int(np.argmin(middle))
    items.append(Mark(float(axis.values[best]), float(middle[best]), f"least, at {axis.values[best]:.3g}", 1, "above"))
    if axis.own is not None and axis.values[0] <= axis.own <= axis.values[-1]:
        scale = np.log if axis.log else np.asarray
        side = "right" if axis.own > axis.values[best] else "below"
        height = float(np.interp(scale(axis.own), scale(axis.values), middle))
        items.append(Mark(axis.own, height, f"the model's, {axis.own:.3g}", "ink", side))
    what = "Share of rows decided wrongly" if evidence.classify else "Mean squared error"
    panel = Panel(tuple(items), axis.title, what, log_x=axis.log, legend="above")
    return Figure((panel,), "", size=(6.4, 4.4))


def words(evidence: Evidence, axis: Axis, splits: int) -> str:
    sampled = "sample" in evidence.metrics
    since = "it is of rows outside of the sample" if sampled else "the choice was repeated within every split"
    band = "Bands are one deviation over the splits. " if splits > 1 else ""
    return (
        f"To the {axis.freer} the model has more freedom. {band}The least error was found on the rows that measure it, "
        f"so it is optimistic; the headline is not, since {since}."
    )


# -- bias and variance -----------------------------------------------------------------------------------------------


def decomposition(evidence: Evidence, axis: Axis) -> Figure | None:
    """Squared error in two parts, from bootstrap samples; for models that are solved from sums."""
    from ...evaluation import bias_variance

    features, target = evidence.features, evidence.target
    quick = len(features) <= MOST_ROWS and features.shape[1] <= MOST_FEATURES
    plain = axis.candidate.can_all and axis.parameter is not None and target.weight is None
    if evidence.classify or not quick or not plain:
        return None
    learner, values = axis.candidate.learner(), target.values.astype(float)
    options: dict[str, Any] = {"n": SAMPLES, "random_state": 0, "parameter": axis.parameter, "values": axis.values}
    try:
        found = bias_variance(learner, features, values, **options)
    except (ValueError, np.linalg.LinAlgError):
        return None
    both = Line(axis.values, found.error, "error", 0), Line(axis.values, found.bias2, "bias² and noise", 1)
    scatter = (Line(axis.values, found.variance, "variance", 2),)
    panels = (
        Panel(both, axis.title, "Squared error", log_x=axis.log, legend="above", share=2.0),
        Panel(scatter, axis.title, "Variance", log_x=axis.log, legend="above"),
    )
    return Figure(panels, "", stacked=True, size=(6.4, 5.2))
