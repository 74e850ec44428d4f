"""The usual task: ours against every rival that enters, timed; and five models from one pass."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from benchmarks.agreement import compare
from benchmarks.candidates import DEFAULT_BLAS, Candidate, Numbers, Rival
from benchmarks.data import Data
from benchmarks.results import Row, times
from benchmarks.tasks import Field, Task
from benchmarks.timing import Effort, Entry, blas_threads, fastest, run_rounds, try_settings

FIVE = ("linear_regression", "ridge", "pca", "lda", "gaussian_nb")


def race(task: Task, data: Data, field: Field, effort: Effort) -> list[Row]:
    """Try all settings, run the rounds, and give one row for each rival, the best rival first."""
    ours = None
    if field.ours is not None:
        (ours,) = try_settings(field.ours, task.model, data, effort)[0]
    attempts = [try_settings(rival, task.model, data, effort) for rival in field.rivals]
    attempts = [(tried, left) for tried, left in attempts if tried]
    run_rounds(ours, [tried for tried, _ in attempts], effort)
    attempts.sort(key=lambda attempt: fastest(attempt[0]).seconds)
    return [row_of(task, data, ours, tried, left, best=place == 0) for place, (tried, left) in enumerate(attempts)]


def row_of(task: Task, data: Data, ours: Entry | None, tried: list[Entry], left: list[Entry], best: bool) -> Row:
    """Ours against the best of one rival's settings."""
    theirs = fastest(tried)
    row = Row(
        task=task.name,
        dtype=str(data.X.dtype),
        rival=theirs.rival,
        setting=theirs.setting,
        theirs=1e3 * theirs.seconds,
        target=task.target(theirs.rival),
        best=best,
        extrapolated=theirs.extrapolated,
        runs=theirs.runs,
        tried=tuple(described(entry, ours) for entry in tried),
        not_tried=tuple(entry.setting for entry in left),
    )
    if ours is None:
        return row
    agreement = compare(ours.numbers(), theirs.numbers(), task.tolerance(data.X.dtype))
    return replace(row, ours=1e3 * ours.seconds, agreement=agreement)


def race_five(task: Task, data: Data, field: Field, effort: Effort) -> list[Row]:
    """Five models: the rivals fit them in sequence, each by its best rival, and each by scikit-learn."""
    data = data.binary()
    attempts = {
        name: [entry for rival in field.rivals for entry in try_settings(rival, name, data, effort)[0]] for name in FIVE
    }
    only = {name: [entry for entry in entries if entry.rival == "scikit-learn"] for name, entries in attempts.items()}
    teams = {
        team: {name: fastest(entries) for name, entries in members.items()}
        for team, members in (("best of each", attempts), ("scikit-learn", only))
        if all(members.values())
    }
    rows = race(task, data, Field(field.ours, [in_sequence(*team) for team in teams.items()]), effort)
    members = {
        team: tuple(f"{name} by {entry.rival}, {described(entry)}" for name, entry in entries.items())
        for team, entries in teams.items()
    }
    return [replace(row, tried=members[row.rival]) for row in rows]


def described(entry: Entry, ours: Entry | None = None) -> str:
    """A setting, its time, and how many times ours that is."""
    text = f"{entry.setting}: {1e3 * entry.seconds:,.0f} ms"
    if entry.extrapolated:
        text += " extrapolated"
    return text if ours is None else f"{text} ({times(entry.seconds / ours.seconds)})"


def in_sequence(name: str, entries: dict[str, Entry]) -> Rival:
    """A rival that runs the given entry for each model, one after the other."""

    def run() -> dict[str, Any]:
        results = {}
        for model, entry in entries.items():
            with blas_threads(entry.blas):
                results[model] = entry.candidate.run()
        return results

    def read(results: dict[str, Any]) -> Numbers:
        return {
            f"{model} {key}": value
            for model, result in results.items()
            for key, value in entries[model].candidate.numbers(result).items()
        }

    rival = Rival(name, __name__)
    rival.enters("five_models")(lambda data: [Candidate("five fits in sequence", run, read, DEFAULT_BLAS)])
    return rival
