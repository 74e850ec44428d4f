"""What a committee and a fusion of sensors share: experts that are asked, and how much each of them counts."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import is_regressor

from ...data import InMemory, Source
from ...features.input_ranges import whole_number
from ...learners import Learner
from ...learners.ability import with_ability
from ...learners.sum_algebra import fixed_classes
from .members import Asked, all_classes, placed, present, refuse_weights
from .rules import OF_PROBABILITIES, RULES


def tells_probabilities(model: Any) -> bool:
    return model.rule in OF_PROBABILITIES


def tells_scores(model: Any) -> bool:
    return not tells_probabilities(model)


def is_list(estimators: Any) -> bool:
    return isinstance(estimators, list | tuple)


class Voting:
    """Experts of labels that are asked one by one; the ensemble writes `members`."""

    rule: str
    n_jobs: int | None
    members: Any
    learners_: list[Any]

    def check_rule(self, members: list[tuple[Any, ...]]) -> None:
        """Refuse a rule that does not exist, and experts that cannot say what it needs."""
        if self.rule not in RULES:
            raise ValueError(f"rule must be one of {', '.join(RULES)}, got {self.rule!r}")
        for name, expert, *_ in members:
            if not hasattr(expert, "predict") or is_regressor(expert):
                raise TypeError(f"estimators: {name!r} is no classifier, but {type(expert).__name__}")
            if self.rule in OF_PROBABILITIES and not hasattr(expert, "predict_proba"):
                raise TypeError(
                    f"rule={self.rule!r} needs probabilities, and {name!r} ({type(expert).__name__}) has no "
                    "predict_proba: use rule='majority' or 'preference'"
                )
            if self.rule == "preference" and not any(
                hasattr(expert, m) for m in ("predict_proba", "decision_function")
            ):
                raise TypeError(
                    f"rule='preference' ranks the classes, and {name!r} ({type(expert).__name__}) has neither "
                    "predict_proba nor decision_function: use rule='majority'"
                )

    @property
    def at_once(self) -> int | None:
        """Experts that learn at the same time."""
        return 1 if self.n_jobs is None else workers_of(self.n_jobs)

    def fitted_experts(self) -> list[Any]:
        """The experts that learnt labels."""
        if "learners_" not in vars(self):
            raise AttributeError(f"{type(self).__name__!r} object has no experts yet: call fit")
        return [learner for learner in self.learners_ if hasattr(learner, "predict")]

    @property
    def classes_(self) -> np.ndarray:
        """Labels that any expert has seen, sorted."""
        return all_classes(self.fitted_experts())

    @with_ability("update")
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from more rows. With `classes` at the first call the labels are fixed; else new ones may come."""
        known = fixed_in(self.learners_[0]) if "learners_" in vars(self) else None
        fixed = fixed_classes(known, classes)
        if fixed is not None:
            if isinstance(y, str):
                raise ValueError("labels are fixed: give y itself, not the name of its column")
            unknown = sorted(set(np.unique(np.asarray(y)).tolist()) - set(fixed.tolist()))
            if unknown:
                raise ValueError(
                    f"The target label(s) {unknown} in y do not exist in the initial classes {fixed.tolist()}"
                )
        super().partial_fit(X, y, sample_weight)  # type: ignore[misc]
        if fixed is not None:
            fix_classes(self.learners_, fixed)
        return self

    def said(self, asked: Asked, expert: Any, columns: np.ndarray | None = None) -> np.ndarray:
        """What an expert says of every row and class, as the rule wants it."""
        classes = self.classes_
        if self.rule == "majority":
            votes = np.asarray(asked.answers(expert, "predict", columns))
            return (votes[:, None] == classes).astype(np.float64)
        if self.rule != "preference" or hasattr(expert, "predict_proba"):
            found = asked.answers(expert, "predict_proba", columns)
        else:
            found = asked.answers(expert, "decision_function", columns)
            if found.ndim == 1:
                found = np.column_stack([-found, found])
        absent = -np.inf if self.rule == "preference" else 0.0
        return placed(found.astype(np.float64), expert.classes_, classes, absent)


def workers_of(n_jobs: int | None) -> int | None:
    """Threads as `in_threads` counts them: None and negative numbers are all processors."""
    return None if n_jobs is None or n_jobs < 0 else whole_number(n_jobs, "n_jobs", 1)


def fixed_in(learner: Any) -> np.ndarray | None:
    """The labels that were fixed at the first call."""
    inner = vars(learner).get("learners_")
    return vars(learner).get("_classes") if inner is None else fixed_in(inner[0])


def fix_classes(learners: list[Any], classes: np.ndarray) -> None:
    """Let learners know labels that may come, and those inside of them."""
    for learner in learners:
        if "learners_" in vars(learner):
            fix_classes(learner.learners_, classes)
        else:
            learner._classes = classes
            learner.unsolved()


def weights_for(weights: Any, estimators: Any, count: int) -> np.ndarray:
    """A weight for each expert that is not dropped."""
    if weights is None:
        return np.ones(count)
    given = np.asarray(weights, dtype=np.float64)
    entries = estimators if is_list(estimators) else [None] * count
    if given.shape != (len(entries),):
        raise ValueError(
            f"Number of `estimators` and weights must be equal; got {given.size} weights, {len(entries)} estimators"
        )
    kept = np.array([entry is None or not isinstance(entry[1], str) for entry in entries])
    found = given[kept]
    if len(found) != count:
        raise ValueError(f"the model has {count} experts, and estimators names {len(found)} now: fit anew")
    if not (np.isfinite(found).all() and (found >= 0).all() and found.sum() > 0):
        raise ValueError(f"weights must be finite and not negative, and one of them positive, got {given.tolist()}")
    return found


def views_for(members: list[tuple[Any, ...]], source: Source) -> list[Source]:
    """What each expert learns from: one of another library, from the rows that weigh something."""
    foreign = [(name, expert) for name, expert, *_ in members if not isinstance(expert, Learner)]
    if foreign and isinstance(source, InMemory) and source.weight is not None:
        refuse_weights(foreign)
    weighty = present(source) if foreign else source
    return [source if isinstance(expert, Learner) else weighty for _, expert, *_ in members]
