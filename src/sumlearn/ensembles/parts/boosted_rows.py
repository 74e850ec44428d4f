"""BoostedRows: the road to AdaBoost with all rows in memory, around stumps from sorted columns or any estimator."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from ...compiled.stumps import ROW, TIE, mark_cuts, scan_columns, side_sums
from ...data import Chunk
from ...engines import in_threads
from ...learners.trees.parts.growth import between
from ...learners.whole_rows import WholeRows
from ...statistics.warnings import warn
from .boosting_rule import BoostingRule, as_shares, raised, started
from .seeded import seeded
from .stumps import Stump, Stumps

TOGETHER = 8  # columns that a thread scans
MOST_ROWS = 2**31 - 1
ONE_BY_ONE = 2**24  # rows that are drawn each by itself
ENDLESS = (
    "Sample weights have reached infinite values, at iteration {}, causing overflow. Iterations stopped. Try lowering "
    "the learning rate."
)


class BoostedRows(WholeRows):
    """All rows in memory, for stumps once as they are and once in the order of every column."""

    copies = 2

    def __init__(self, model: Any) -> None:
        self.model = model

    @property
    def sparse_ok(self) -> bool:
        return self.model.estimator is not None

    def learn(self, rows: Chunk) -> dict[str, Any]:
        model = self.model
        assert rows.weight is not None
        classes, code = np.unique(rows.y, return_inverse=True)  # type: ignore[call-overload]
        mass = float(rows.weight.sum())
        rule = BoostingRule(model.algorithm, float(model.learning_rate), len(classes), mass)
        member: Any
        if model.estimator is None:
            member = SortedColumns(rows.X, code, len(classes), model.n_jobs)
        else:
            member = AnyMember(model.estimator, rows.X, np.asarray(rows.y), classes)
        given = drawn_weights(model, len(code), rows.weight, mass, member.takes_weights)
        random = check_random_state(model.random_state)
        votes, errors = np.zeros(model.n_estimators), np.ones(model.n_estimators)
        weight, shares = started(rows.weight, mass), rows.weight / mass
        said, trace = np.zeros((len(code), len(classes))), []
        for m in range(model.n_estimators):
            answers = member.learnt(given(weight, random), random)
            wrong = answers != code
            error = float(weight[wrong].sum() / weight.sum())
            vote = rule.vote(error)
            if vote is None:
                member.taken_back()
                if m == 0:
                    raise ValueError(no_better(model, error))
                break
            votes[m], errors[m] = vote, error
            heard = answers >= 0
            said[np.flatnonzero(heard), answers[heard]] += vote
            trace.append(float(shares @ (said.argmax(axis=1) != code)))
            if error <= 0.0:
                break
            if m + 1 < model.n_estimators:
                weight = raised(weight, wrong, vote)
                whole = float(weight.sum())
                if not np.isfinite(whole):
                    warn(ENDLESS.format(m), UserWarning)
                    break
                weight = as_shares(weight, whole)
        told = {"classes_": classes, "n_classes_": len(classes), "estimator_weights_": votes}
        return told | {"estimator_errors_": errors, "trace_": np.array(trace)} | member.attributes()


def no_better(model: Any, error: float) -> str:
    """The sentence of a first member that is worth nothing."""
    name = "the stump" if model.estimator is None else type(model.estimator).__name__
    more = "; algorithm='samme' asks less of it" if model.algorithm == "m1" else ""
    return (
        f"BaseClassifier in AdaBoostClassifier ensemble is worse than random, ensemble can not be fit: the weighted "
        f"error of {name} is {error:.3g} on the rows that it has learnt{more}"
    )


def drawn_weights(
    model: Any, rows: int, weight: np.ndarray, mass: float, weights_ok: bool
) -> Callable[[np.ndarray, Any], np.ndarray]:
    """What a member is given for the shares of rows: these, how often each was drawn, or how many copies it has."""
    if model.weighting == "native":
        if not weights_ok:
            raise ValueError(
                f"{type(model.estimator).__name__} doesn't support sample_weight: choose weighting='resample' or "
                "weighting='copies'"
            )
        return shares_themselves
    if model.weighting == "resample":
        whole = (weight == np.floor(weight)).all() and mass < MOST_ROWS
        return partial(draws, int(mass) if whole else rows)
    return partial(numbers_of_copies, float(model.copies) * mass)


def shares_themselves(shares: np.ndarray, random: Any) -> np.ndarray:
    return shares


def draws(size: int, shares: np.ndarray, random: Any) -> np.ndarray:
    """How often each row is among `size` that are drawn with these probabilities."""
    p = shares / shares.sum()
    if size > ONE_BY_ONE:  # the same law, without a number in memory for every draw
        return random.multinomial(size, p).astype(np.float64)
    drawn = random.choice(len(shares), size, p=p)
    return np.bincount(drawn, minlength=len(shares)).astype(np.float64)


def numbers_of_copies(enlarged: float, shares: np.ndarray, random: Any) -> np.ndarray:
    """C T beta, rounded to whole numbers."""
    times = np.rint(enlarged * shares)
    if not times.any():
        raise ValueError("copies is too small: no row has half a copy; increase it")
    return times


class SortedColumns:
    """Stumps from columns that are sorted once; then every round is a scan."""

    takes_weights = True

    def __init__(self, X: np.ndarray, code: np.ndarray, classes: int, n_jobs: int | None) -> None:
        if len(X) > MOST_ROWS:
            raise ValueError(f"stumps from sorted columns take {MOST_ROWS} rows at most, got {len(X)}: give max_bins")
        kind = np.float32 if X.dtype == np.float32 else np.float64  # of this machine's order of bytes
        self.columns = np.ascontiguousarray(X.T, dtype=kind)
        self.code, self.classes, self.n_jobs = code.astype(np.int64), classes, n_jobs
        self.orders = np.empty(self.columns.shape, np.uint32)
        in_threads(self.sort, range(len(self.columns)), n_jobs)
        self.stumps: list[Stump] = []

    def sort(self, column: int) -> None:
        values = self.columns[column]
        mark_cuts(np.argsort(values), values, self.orders[column])

    def learnt(self, weight: np.ndarray, random: Any) -> np.ndarray:
        """Learn one more stump: the classes that it says of the rows."""
        stump = self.best(weight)
        self.stumps.append(stump)
        if stump.feature < 0:
            return np.full(len(self.code), stump.said[0])
        return stump.said[(self.columns[stump.feature] > stump.threshold).astype(np.int64)]

    def best(self, weight: np.ndarray) -> Stump:
        weight = weight / weight.sum()
        totals = np.bincount(self.code, weight, minlength=self.classes)
        signed = np.where(self.code == 1, weight, -weight) if self.classes == 2 else weight
        scores, places = np.full(len(self.orders), -1.0), np.full(len(self.orders), -1)

        def some(first: int) -> None:
            part = slice(first, first + TOGETHER)
            scan_columns(self.orders[part], signed, weight, self.code, totals, scores[part], places[part])

        if (totals > 0).sum() > 1:  # rows of one class have no question
            in_threads(some, range(0, len(self.orders), TOGETHER), self.n_jobs)
        feature = first_of_best(scores)
        masses, sides = np.zeros((2, self.classes)), np.zeros(2, np.int64)
        column, threshold = self.columns[feature], np.inf
        if scores[feature] >= 0.0:
            threshold = self.cut(feature, int(places[feature]), weight)
        side_sums(column, threshold, self.code, weight, masses, sides)
        return Stump(feature if scores[feature] >= 0.0 else -1, threshold, masses, sides)

    def cut(self, feature: int, place: int, weight: np.ndarray) -> float:
        """Halfway between the neighbours of a cut that weigh something."""
        column, order = self.columns[feature], self.orders[feature] & ROW
        low, high = place, place + 1
        while weight[order[low]] == 0.0:
            low -= 1
        while weight[order[high]] == 0.0:
            high += 1
        return float(between(column[order[low]], column[order[high]]))

    def taken_back(self) -> None:
        """Forget the last stump."""
        self.stumps.pop()

    def attributes(self) -> dict[str, Any]:
        return {"stumps_": Stumps.of(self.stumps, len(self.columns))}


def first_of_best(scores: np.ndarray) -> int:
    """The first of the best scores, up to rounding."""
    return int((scores >= scores.max() - TIE).argmax())


class AnyMember:
    """Any estimator, on all rows with weights, or on copies of rows where it takes none."""

    def __init__(self, estimator: Any, X: Any, y: np.ndarray, classes: np.ndarray) -> None:
        from sklearn.utils.validation import has_fit_parameter

        self.estimator, self.X, self.y, self.classes = estimator, X, y, classes
        self.takes_weights = bool(has_fit_parameter(estimator, "sample_weight"))
        self.learners: list[Any] = []

    def learnt(self, weight: np.ndarray, random: Any) -> np.ndarray:
        """Learn one more: the classes that it says, as their numbers; -1 for a label that there is not."""
        learner = seeded(clone(self.estimator), random)
        if self.takes_weights:
            learner.fit(self.X, self.y, sample_weight=weight)
        else:
            rows = np.repeat(np.arange(len(self.y)), weight.astype(np.int64))
            learner.fit(self.X[rows], self.y[rows])
        self.learners.append(learner)
        return numbers_of(np.asarray(learner.predict(self.X)), self.classes)

    def taken_back(self) -> None:
        """Forget the last learner."""
        self.learners.pop()

    def attributes(self) -> dict[str, Any]:
        return {"learners_": self.learners}


def numbers_of(labels: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """The places of labels among the classes; -1 for others."""
    places = np.searchsorted(classes, labels).clip(max=len(classes) - 1)
    return np.where(classes[places] == labels, places, -1)
