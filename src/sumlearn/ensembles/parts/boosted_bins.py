"""BoostedBins: the road to AdaBoost over chunks, files and clusters: for each round one sum over the rows."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ...compiled.stumps import add_bins, cut_bins
from ...data import Chunk, Source
from ...learners.passes import Passes
from ...learners.stepwise import Stepwise
from ...learners.trees.parts.binning import BinEdges
from ...learners.trees.parts.histogram_rows import TargetRange, target_range
from ...learners.validation import usable_rows
from ...statistics.row_checks import check_range
from ...statistics.total import Total
from ...statistics.warnings import warn
from .boosted_rows import ENDLESS, first_of_best, no_better
from .boosting_rule import BoostingRule, as_shares, raised, started
from .stumps import Stump, Stumps

BINS = 256


class Rounds(NamedTuple):
    """The stumps so far, and what is needed to find the weight of any row from them."""

    edges: BinEdges
    classes: np.ndarray
    rule: BoostingRule
    stumps: tuple[Stump, ...] = ()
    bins: tuple[int, ...] = ()  # the last bin on the left of each
    votes: tuple[float, ...] = ()
    errors: tuple[float, ...] = ()
    wholes: tuple[float, ...] = ()  # what weights were divided by after each
    trace: tuple[float, ...] = ()
    ended: bool = False


class BoostedBins(Stepwise):
    """A pass for each round: weights by column, bin and class are a sum over the rows.

    A part keeps the bins of its rows and their weights from pass to pass; one that lost them finds them again.
    """

    needs_look, limit, keeps_trace = True, None, False
    reads: ClassVar[str] = "numbers"

    def __init__(self, model: Any) -> None:
        self.model = model

    @property
    def n_jobs(self) -> int | None:
        return self.model.n_jobs

    def look(self, source: Source) -> BinEdges:
        return BinEdges.of_source(source, np.zeros(source.features, np.int64), self.model.max_bins)

    def start(self, rows: Passes, look: BinEdges) -> Rounds:
        there: TargetRange = rows.total(partial(target_range, True))
        check_range(there.total)
        classes = np.array(sorted(there.labels))
        rule = BoostingRule(self.model.algorithm, float(self.model.learning_rate), len(classes), there.total)
        return Rounds(look, classes, rule)

    def step(self, state: Rounds, rows: Passes) -> Rounds:
        columns, classes = len(state.edges.counts), len(state.classes)
        sums = rows.total_noting(partial(bin_masses, state)).values
        missed = sums[-1]
        masses = sums[: columns * BINS * classes].reshape(columns, BINS, classes)
        counts = sums[columns * BINS * classes : -1].reshape(columns, BINS).astype(np.int64)
        trace = (*state.trace, missed / state.rule.mass) if state.stumps else ()
        if state.ended or len(state.stumps) == self.model.n_estimators:
            return state._replace(trace=trace, ended=True)
        stump, bin = best_stump(masses, counts, state.edges)
        vote = state.rule.vote(stump.error)
        if vote is None:
            if not state.stumps:
                raise ValueError(no_better(self.model, stump.error))
            return state._replace(trace=trace, ended=True)
        wrong, whole = stump.error, float(stump.masses.sum())
        with np.errstate(over="ignore"):
            after = (whole - wrong * whole) + wrong * whole * float(np.exp(vote))
        if not np.isfinite(after):
            warn(ENDLESS.format(len(state.stumps)), UserWarning)
        return state._replace(
            stumps=(*state.stumps, stump),
            bins=(*state.bins, bin),
            votes=(*state.votes, vote),
            errors=(*state.errors, stump.error),
            wholes=(*state.wholes, after),
            trace=trace,
            ended=stump.error <= 0.0 or not np.isfinite(after),
        )

    def done(self, before: Rounds, after: Rounds) -> bool:
        return len(after.trace) == len(after.stumps)

    def attributes(self, state: Rounds) -> dict[str, Any]:
        votes, errors = np.zeros(self.model.n_estimators), np.ones(self.model.n_estimators)
        votes[: len(state.votes)], errors[: len(state.errors)] = state.votes, state.errors
        return {
            "classes_": state.classes,
            "n_classes_": len(state.classes),
            "estimator_weights_": votes,
            "estimator_errors_": errors,
            "trace_": np.array(state.trace),
            "stumps_": Stumps.of(state.stumps, len(state.edges.counts)),
        }


def best_stump(masses: np.ndarray, counts: np.ndarray, edges: BinEdges) -> tuple[Stump, int]:
    """The cut between bins that is best, and the last bin on its left."""
    scores, places = np.empty(len(masses)), np.empty(len(masses), np.int64)
    cut_bins(masses, counts, scores, places)
    if (masses[0].sum(axis=0) > 0).sum() < 2:  # rows of one class have no question
        scores[:] = -1.0
    feature = first_of_best(scores)
    own, rows, bin = masses[feature], counts[feature], int(places[feature])
    if scores[feature] < 0.0:
        sides = np.array([own.sum(axis=0), np.zeros(own.shape[1])])
        return Stump(-1, np.inf, sides, np.array([rows.sum(), 0])), BINS
    parts = slice(0, bin + 1), slice(bin + 1, None)
    sides = np.array([own[part].sum(axis=0) for part in parts])
    return Stump(feature, edges.threshold(feature, bin), sides, np.array([rows[part].sum() for part in parts])), bin


def bin_masses(state: Rounds, chunk: Chunk, notes: dict[str, Any]) -> Total:
    """Weights by column, bin and class, rows by column and bin, and the weight of rows that are told wrongly so far."""
    rows = usable_rows(chunk, sparse_ok=False)
    assert rows.weight is not None
    X, classes, first = np.asarray(rows.X), len(state.classes), notes.get("rounds", 0)
    if not first and "codes" not in notes:
        notes["codes"] = state.edges.codes(X, 1)
        notes["label"] = np.searchsorted(state.classes, np.asarray(rows.y))
        notes["weight"], notes["said"] = started(rows.weight, state.rule.mass), np.zeros((len(X), classes))
    codes, label, weight, votes = notes["codes"], notes["label"], notes["weight"], notes["said"]
    for m in range(first, len(state.stumps)):
        stump, every = state.stumps[m], np.arange(len(codes))
        side = (codes[:, max(stump.feature, 0)] > state.bins[m]).astype(np.int64)
        answers = stump.said[side]
        votes[every, answers] += state.votes[m]
        weight = as_shares(raised(weight, answers != label, state.votes[m]), state.wholes[m])
    notes["weight"], notes["rounds"] = weight, len(state.stumps)
    masses = np.zeros((codes.shape[1], BINS, classes))
    counts = np.zeros((codes.shape[1], BINS), np.int64)
    add_bins(codes, label, weight, masses, counts)
    missed = float(rows.weight @ (votes.argmax(axis=1) != label)) if len(codes) else 0.0
    values = np.concatenate([masses.ravel(), counts.ravel().astype(np.float64), [missed]])
    return Total(values, float(rows.weight.sum()), len(codes))
