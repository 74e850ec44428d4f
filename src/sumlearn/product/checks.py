"""Checks with codes: what a careful reader would ask about a training."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..data.schema import IDENTIFIER
from ..evaluation.two_classes.roc_curve import auc
from .labelled_rows import column_values
from .nested_answers import NestedAnswers
from .row_ledger import row_words
from .trained import TrainedModel
from .training_problem import Problem

LEAK = 0.99  # AUC, or share of the variance, of one column
IMBALANCE = 0.05
FEW_ROWS = 10
GAP = 0.1  # of a score between 0 and 1
WIDE = 0.1
OFF = 0.05  # mean distance of probabilities from what comes true
SURE = 3.3  # deviations: a chance of one in a thousand
ALIKE = 0.99  # correlation of two columns
MOST_COLUMNS, MOST_ROWS = 200, 20_000  # that are compared with each other
BINS = 10
SHOWN = 5  # pairs of columns


class Check(NamedTuple):
    """A finding: its code and a sentence."""

    code: str
    text: str


def checks_of(
    problem: Problem, account: dict[str, Any], nested: NestedAnswers, model: TrainedModel, caught: Sequence[Any]
) -> list[dict[str, str]]:
    """All findings, as plain values."""
    copies = copied(problem, model)
    checks = [
        *leaks(problem, model),
        *rare_classes(problem),
        *against_baseline(problem, account),
        *stability(problem, account),
        *duplicates(problem, nested, model),
        *identifiers(model),
        *calibration(problem, nested, model),
        *numerical(caught, model, problem, copies),
    ]
    named = list(twins(problem, model, copies))
    if any(check.code == "collinear" for check in named):
        checks = [check for check in checks if check.code != "collinear"]
    return [check._asdict() for check in [*checks, *named]]


def leaks(problem: Problem, model: TrainedModel) -> Iterator[Check]:
    """One column that tells (nearly) everything."""
    target = problem.target
    for name in model.facts["columns"]:
        values = column_values(problem.frame.column(name))
        words = values.dtype == object
        share = told_by_words(values, target) if words else told_by(values, target)
        if share > LEAK:
            what = "R2" if target.task == "regress" else "AUC" if target.two_classes and not words else "accuracy"
            text = f"the column {name!r} alone has {what} {share:.3f}: is it known beforehand? --drop {name}"
            yield Check("leak-suspect", text)


def told_by(values: np.ndarray, target: Any) -> float:
    """How much one column of numbers tells by itself: AUC, how well it keeps many classes apart, or R^2."""
    present = np.isfinite(values)
    if present.sum() < FEW_ROWS:
        return 0.0
    values, truth = values[present], target.values[present]
    if target.task == "regress":
        if np.ptp(values) == 0 or np.ptp(truth) == 0:
            return 0.0
        return float(np.corrcoef(values, truth)[0, 1] ** 2)
    if not target.two_classes:
        return told_in_order(values, truth)
    area = auc(truth == target.positive, values) if len(np.unique(truth)) == 2 else 0.5
    return max(area, 1.0 - area)


def told_in_order(values: np.ndarray, truth: np.ndarray) -> float:
    """How well a column of numbers keeps many classes apart: 1 where each class has values of its own, in one piece.

        1 - (rows unlike most with their value + pieces beyond one for each class) / (rows that are not of the largest)

    >>> told_in_order(np.array([2.0, 2.0, 7.0, 5.0, 5.0]), np.array(["b", "b", "a", "c", "c"]))
    1.0
    """
    (_, value), (labels, label) = (np.unique(x, return_inverse=True) for x in (values, truth))
    table = np.zeros((value.max() + 1, len(labels)))
    np.add.at(table, (value, label), 1.0)
    pieces = 1 + np.count_nonzero(np.diff(table.argmax(axis=1)))
    wrong = len(truth) - table.max(axis=1).sum() + max(0, pieces - len(labels))
    others = len(truth) - table.sum(axis=0).max()
    return float(max(0.0, 1.0 - wrong / others)) if others else 0.0


def told_by_words(values: np.ndarray, target: Any) -> float:
    """How much one column of words tells by itself: share of the rows that are not of the largest class, or R^2."""
    words, codes = np.unique(values.astype(str), return_inverse=True)
    if len(words) * FEW_ROWS > len(values):
        return 0.0
    if target.task == "regress":
        means = np.bincount(codes, target.values) / np.bincount(codes)
        return float(1.0 - np.sum((target.values - means[codes]) ** 2) / (np.var(target.values) * len(values)))
    table = np.zeros((len(words), len(target.classes)))
    np.add.at(table, (codes, np.searchsorted(target.classes, target.values)), 1.0)
    others = table.sum() - table.sum(axis=0).max()
    return float(1.0 - (table.sum() - table.max(axis=1).sum()) / others)


def rare_classes(problem: Problem) -> Iterator[Check]:
    target = problem.target
    if target.task != "classify":
        return
    for label, count in target.counts().items():
        if count < FEW_ROWS:
            yield Check("few-rows", f"the class {label!r} has {count} rows: its rates are little more than guesses")
    label, count = min(target.counts().items(), key=lambda item: item[1])
    share = count / len(target.values)
    if share < IMBALANCE:
        text = f"{share:.1%} of the rows are {label!r}: look at more than the accuracy; --cost weighs errors"
        yield Check("imbalance", text)


def against_baseline(problem: Problem, account: dict[str, Any]) -> Iterator[Check]:
    metric = problem.metric
    low, high = account["interval"]
    reached = low if metric.larger_is_better else high
    base = account["baseline"][metric.name]
    if metric.gain(reached) <= metric.gain(base):
        yield Check(
            "no-better-than-baseline",
            f"the interval of {metric.title} reaches the baseline's {base:.3g}: nothing may have been learnt",
        )
    gap = metric.gain(account["training"][metric.name]) - metric.gain(account["score"])
    if metric.limits[1] == 1.0 and gap > GAP:
        yield Check("overfit-gap", f"{metric.title} is {gap:.2f} better on the rows learnt than on rows left out")


def stability(problem: Problem, account: dict[str, Any]) -> Iterator[Check]:
    metric, folds = problem.metric, [value for value in account["folds"] if value is not None]
    if metric.limits[1] == 1.0 and len(folds) > 1 and np.std(folds, ddof=1) > WIDE:
        yield Check("fold-spread", f"{metric.title} ranges from {min(folds):.2f} to {max(folds):.2f} over the splits")
    chosen = Counter(account["chosen_in_splits"])
    name, splits = account["chosen"]["model"], len(account["chosen_in_splits"])
    if splits > 1 and chosen[name] <= splits // 2:
        yield Check("unstable-choice", f"{name!r} was chosen in {chosen[name]} of {splits} splits")
    (low, high), whole = account["interval"], account["procedure"]["score"]
    if whole is not None and not low <= whole <= high:
        others = ", ".join(f"{other} in {count}" for other, count in chosen.most_common() if other != name)
        why = f"some splits chose otherwise ({others})" if others else "it is a mean over splits, which differ much"
        text = f"the whole procedure has {metric.title} {whole:.3f}, outside of the interval of {name!r}: {why}"
        yield Check("procedure-differs", text)


def duplicates(problem: Problem, nested: NestedAnswers, model: TrainedModel) -> Iterator[Check]:
    """Equal rows on both sides of a split are answers that were learnt by heart."""
    if problem.scheme.kind == "boot632":
        return
    columns = [column_values(problem.frame.column(name)) for name in model.facts["columns"]]
    words = np.ascontiguousarray(row_words([*columns, problem.target.values]))
    codes = np.unique(words.view(np.dtype((np.void, words.itemsize * words.shape[1]))), return_inverse=True)[1].ravel()
    shared = sum(int(np.isin(codes[test], codes[train]).sum()) for train, test in nested.splits)
    if shared:
        yield Check("duplicates", f"{shared} of the rows left out have an equal row among those learnt; --cv group:COL")


def identifiers(model: TrainedModel) -> Iterator[Check]:
    """Columns that were left out because they number or name the rows."""
    for note in model.model.report_:
        if note.code == IDENTIFIER:
            yield Check("id-like", f"the column {note.column!r} was left out: {note.why}")


def calibration(problem: Problem, nested: NestedAnswers, model: TrainedModel) -> Iterator[Check]:
    """Probabilities that do not come true: Spiegelhalter's test (1986), and a distance that matters."""
    winner = model.facts["model"]["model"]
    target = problem.target
    if not target.two_classes or winner not in nested.answers or not hasattr(model.model.learner_, "predict_proba"):
        return
    rows, answers = nested.pooled(winner)
    if answers.scores is None:
        return
    truth, said = target.values[rows] == target.positive, np.clip(answers.scores, 1e-9, 1.0 - 1e-9)
    spread = np.sqrt(np.sum((1.0 - 2.0 * said) ** 2 * said * (1.0 - said)))
    surprise = abs(np.sum((truth - said) * (1.0 - 2.0 * said))) / spread if spread > 0 else 0.0
    cell = np.minimum((said * BINS).astype(int), BINS - 1)
    distance = float(np.abs(np.bincount(cell, truth - said, BINS)).sum() / len(said))
    if surprise > SURE and distance > OFF:
        text = f"probabilities are off by {distance:.2f} on average: take the order of the scores, not their size"
        yield Check("poor-calibration", text)


def copied(problem: Problem, model: TrainedModel) -> dict[str, str]:
    """Columns with the values of one before them, and that one; constants say nothing, however many there are."""
    first: dict[bytes, str] = {}
    copies = {}
    for name, values in compared_columns(problem, model).items():
        codes = np.unique(values.astype(str), return_inverse=True)[1] if values.dtype == object else values
        key, constant = codes.tobytes(), codes[0] == codes[-1] and (codes == codes[0]).all()
        if not constant and first.setdefault(key, name) != name:
            copies[name] = first[key]
    return copies


def compared_columns(problem: Problem, model: TrainedModel) -> dict[str, np.ndarray]:
    return {name: column_values(problem.frame.column(name)) for name in model.facts["columns"][:MOST_COLUMNS]}


def twins(problem: Problem, model: TrainedModel, copies: dict[str, str]) -> Iterator[Check]:
    """Columns with the same values, and numbers that say nearly the same."""
    for name, other in copies.items():
        yield Check("duplicate-columns", f"the columns {other!r} and {name!r} hold the same values; --drop {name}")
    step, columns = 1 + problem.frame.num_rows // MOST_ROWS, compared_columns(problem, model)
    numbers = {
        name: np.nan_to_num(values, nan=np.nanmean(values))
        for name, values in ((name, values[::step]) for name, values in columns.items() if name not in copies)
        if values.dtype != object and np.isfinite(values).any() and np.nanstd(values) > 0
    }
    if len(numbers) < 2:
        return
    names, alike = list(numbers), np.abs(np.triu(np.corrcoef(np.array(list(numbers.values()))), 1))
    pairs = np.argwhere(alike > ALIKE)
    if len(pairs):
        shown = ", ".join(f"{names[i]!r} and {names[j]!r} (|r| = {alike[i, j]:.4f})" for i, j in pairs[:SHOWN])
        more = f", and {len(pairs) - SHOWN} more pairs" if len(pairs) > SHOWN else ""
        yield Check("collinear", f"columns that say nearly the same: {shown}{more}")


def numerical(caught: Sequence[Any], model: TrainedModel, problem: Problem, copies: dict[str, str]) -> Iterator[Check]:
    """Warnings of the learners, once for each kind; columns by their names, which a learner does not know."""
    codes = {
        "ConvergenceWarning": "not-converged",
        "IllConditionedWarning": "collinear",
        "PerfectSeparationWarning": "separated",
    }
    seen: dict[str | None, str] = {}
    for warning in caught:  # of several alike always the same one is told, whichever of the workers was first
        code, message = codes.get(warning.category.__name__), str(warning.message)
        seen[code] = min(message, seen.get(code, message))
    if "collinear" in seen:
        found, where = dependent(model, problem), ""
        if not found and problem.target.task == "classify":
            found, where = dependent(model, problem, within=True), "within the classes "
        if found and {*found} <= {*copies}:  # that is said already
            del seen["collinear"]
        elif len(found) == 1:
            seen["collinear"] = f"{where}the column {found[0]!r} follows from those before it"
        else:
            whose = f"{where}the columns {', '.join(map(repr, found))}" if found else "in some splits some columns"
            seen["collinear"] = f"{whose} follow from those before them"
    for code, message in sorted((code, message) for code, message in seen.items() if code is not None):
        yield Check(code, message.partition("\n")[0][:200])


def dependent(model: TrainedModel, problem: Problem, within: bool = False) -> list[str]:
    """Features of the saved model that are sums of those before them on some of the rows, or `within` their classes."""
    rows = np.unique(np.linspace(0, problem.frame.num_rows - 1, MOST_ROWS // 10).astype(int))
    X = problem.features(model.model, rows)
    X = (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-300)
    if within:
        codes = np.unique(problem.target.values[rows], return_inverse=True)[1]
        means = np.array([X[codes == code].mean(axis=0) for code in range(codes.max() + 1)])
        X = X - means[codes]
    size = np.abs(np.diagonal(np.linalg.qr(X)[1])) / np.sqrt(len(X))
    return [name for name, left in zip(model.model.feature_names_out_, size, strict=False) if left < 1e-6][:SHOWN]
