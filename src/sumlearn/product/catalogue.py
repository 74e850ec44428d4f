"""The models that `train` tries: what the public learners offer, and yardsticks of another library."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from ..learners.description import described_classes
from ..learners.precision import CHOICES, EXACT
from .candidates import ABILITIES, Candidate, along, candidates_of
from .problems import UsageProblem, suggested


def boosting(name: str) -> Callable[[], Any]:
    def make() -> Any:
        import sklearn.ensemble

        return getattr(sklearn.ensemble, name)(random_state=0)

    return make


YARDSTICKS = tuple(
    Candidate("sklearn_boosting", "boosted trees (scikit-learn)", task, boosting(name), along(), True, extra=True)
    for task, name in (("classify", "HistGradientBoostingClassifier"), ("regress", "HistGradientBoostingRegressor"))
)


def in_order(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """By task and rank, yardsticks last; equal ranks by name."""
    return tuple(sorted(candidates, key=lambda c: (c.task, c.foreign, c.rank, c.name)))


CANDIDATES = in_order((*candidates_of(described_classes()), *YARDSTICKS))


def candidates_for(task: str) -> Iterator[Candidate]:
    return (candidate for candidate in CANDIDATES if candidate.task == task)


def named_candidates(
    names: str | Sequence[Any], task: str, can: Sequence[str] = (), precision: str | None = None
) -> list[Candidate]:
    """The candidates of a task: "auto", "all", or those named; without all abilities of `can`, one is only shown.

    So is one that has no exact sums, where these are asked for.

    "auto" is the strongest of each family.

    Classes of learners may stand among the names: they are tried as they offer themselves. Candidates themselves may
    stand in the place of names: they are taken as they are.
    """
    if not isinstance(names, str) and all(isinstance(name, Candidate) for name in names):
        return list(names)
    for ability in can:
        if ability not in ABILITIES:
            raise UsageProblem(f"no ability {ability!r}{suggested(ability, ABILITIES)} (--can)")
    if precision not in CHOICES:
        raise UsageProblem(f"--precision is {' or '.join(map(str, CHOICES[1:]))}, got {precision!r}")
    exactly = precision == EXACT
    known = {c.name: c.exact() if exactly else c for c in candidates_for(task)}
    wanted = names.split(",") if isinstance(names, str) else list(names)
    if wanted in (["auto"], ["all"]):
        chosen = [c for c in known.values() if wanted == ["all"] or not c.extra]
        return [replace(c, barred=c.barred or (not c.foreign and not set(can) <= set(c.can))) for c in chosen]
    chosen = [candidate for name in wanted for candidate in candidates_called(name, task, known, exactly)]
    for c in chosen:
        if c.barred and exactly:
            raise UsageProblem(f"the model {c.name!r} has no exact sums (--precision)")
        if not c.foreign and not set(can) <= set(c.can):
            raise UsageProblem(f"the model {c.name!r} cannot {', '.join(set(can) - set(c.can))} (--can)")
        if any(other is not c and other.name == c.name for other in chosen):
            raise UsageProblem(f"two models are called {c.name!r} (--models)")
    if all(candidate.foreign for candidate in chosen):
        raise UsageProblem(f"{chosen[0].name!r} is a yardstick and is never chosen: name another beside it (--models)")
    return chosen


def candidates_called(name: Any, task: str, known: dict[str, Candidate], exactly: bool) -> list[Candidate]:
    """The candidate of a name, those that a class offers for the task, or the candidate itself."""
    if isinstance(name, Candidate):
        return [name]
    if isinstance(name, type):
        offered = [candidate for candidate in in_order(candidates_of([name])) if candidate.task == task]
        if not offered:
            raise UsageProblem(f"{name.__name__} offers no model for this task")
        return [candidate.exact() for candidate in offered] if exactly else offered
    if name.strip() not in known:
        raise UsageProblem(f"no model {name.strip()!r} for this task{suggested(name.strip(), known)} (--models)")
    return [known[name.strip()]]
