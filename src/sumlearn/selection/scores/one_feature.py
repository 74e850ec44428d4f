"""Scores of single features by models that see nothing else: cross-validated, all features at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...data import Chunk, InMemory, Stream
from ...engines import fold_sums, round_sums, training_sums
from ...evaluation import auc
from ...evaluation.resampling.held_out import HeldOut
from ...evaluation.resampling.splits import checked_splits
from ...learners.gaussian.naive_bayes import GaussianNB
from ...learners.regression.linear_regression import LinearRegression
from ...statistics import Grouped, Moments, Strips
from ...statistics.row_checks import floats, prepare
from .moment_scores import ratio

CELLS = 2**22  # of rows times features that are scored at a time
SMOOTHING = 1e-9  # share of the variance that naive Bayes adds, as GaussianNB does


def scores_by_class(source: InMemory | Stream, cv: Any, model: str, scoring: str) -> np.ndarray:
    """Mean over the splits of the accuracy, or the area under the curve, of a Gaussian classifier on each feature."""
    labels = np.unique(source.y)  # type: ignore[arg-type]
    if len(labels) < 2:
        raise ValueError(f"y holds one class only, {labels.tolist()}: a score needs at least 2")
    if scoring == "auc" and len(labels) != 2:
        raise ValueError(f"scoring='auc' is for two classes, y holds {len(labels)}")
    splits = checked_splits(GaussianNB(), source.rows, source.y, None, cv)
    variances = {"lda": pooled_variance, "naive_bayes": class_variances}[model]
    out = np.zeros((len(splits), source.features))
    for part, sums in round_sums(GaussianNB().summariser(), source, splits):
        wanted = HeldOut(source, part, part.test)
        for s, groups in enumerate(training_sums(sums, part)):
            assert isinstance(groups, Grouped)
            held, index = wanted.rows(s)
            out[part.splits[s]] = held_out_scores(groups, variances, held, index, scoring)
    return out.mean(axis=0)


def held_out_scores(
    groups: Grouped[Moments],
    variances: Callable[[Grouped[Moments]], np.ndarray],
    held: InMemory,
    index: np.ndarray,
    scoring: str,
) -> np.ndarray:
    """The score of every feature on some rows, for the Gaussian classifiers of a training sum."""
    weight = None if held.weight is None else held.weight[index]
    X, y, weight = prepare(held.read(index), held.y[index], weight)  # type: ignore[index]
    names = groups.labels
    means = np.array([part.mean for part in groups.groups.values()])
    prior = np.log(np.array([part.weight for part in groups.groups.values()]) / groups.weight)
    spread = variances(groups)
    truth = np.array([names.index(label) if label in names else -1 for label in y.tolist()])  # type: ignore[union-attr]
    scores = np.empty(X.shape[1])
    for part in column_blocks(X.shape):
        rows = floats(X[:, part]).astype(np.float64)
        joint = np.array(
            [
                prior[k] - 0.5 * np.log(spread[k, part]) - 0.5 * (rows - means[k, part]) ** 2 / spread[k, part]
                for k in range(len(names))
            ]
        )
        if scoring == "auc":
            scores[part] = [auc(truth, score, sample_weight=weight, positive=1) for score in (joint[-1] - joint[0]).T]
        else:
            scores[part] = np.average(joint.argmax(axis=0) == truth[:, None], axis=0, weights=weight)
    return scores


def column_blocks(shape: tuple[int, ...]) -> Iterator[slice]:
    step = max(1, CELLS // max(shape[0], 1))
    return (slice(start, start + step) for start in range(0, shape[1], step))


def pooled_variance(groups: Grouped[Moments]) -> np.ndarray:
    """One variance for all classes, S / W, as LinearDiscriminantAnalysis has it."""
    pooled = np.sum([part.deviation**2 * part.weight for part in groups.groups.values()], axis=0) / groups.weight
    return np.broadcast_to(positive(pooled, groups), (len(groups), len(pooled)))


def class_variances(groups: Grouped[Moments]) -> np.ndarray:
    """A variance for each class, and a little of the variance of all."""
    smoothing = SMOOTHING * groups.moments().deviation ** 2
    return np.array([positive(part.deviation**2 + smoothing, groups) for part in groups.groups.values()])


def positive(variance: np.ndarray, groups: Grouped[Moments]) -> np.ndarray:
    """Variances to divide by: classes without spread are told apart by their means, a constant feature not at all."""
    whole = groups.moments().deviation ** 2
    return np.maximum(variance, np.where(whole > 0, 1e-20 * whole, 1.0))


def scores_by_line(source: InMemory | Stream, cv: Any) -> np.ndarray:
    """Mean over the splits of R^2 of the least-squares line on each feature, from sums alone."""
    splits = checked_splits(LinearRegression(), source.rows, source.y, None, cv)
    out = np.zeros((len(splits), source.features))
    for fold in fold_sums(strips_of, source, splits):
        both = zip(fold.train.parts.values(), fold.test().parts.values(), strict=True)
        out[fold.number] = np.concatenate([line_scores(*strips) for strips in both])
    return out.mean(axis=0)


def strips_of(chunk: Chunk) -> Strips:
    return Strips.of(chunk.X, chunk.y, chunk.weight)


def line_scores(training: Moments, held: Moments) -> np.ndarray:
    """R^2 on held-out rows of y = m_y + b (x - m_x): residuals from their scatter and the distance of the means."""
    d = training.features
    exponent = np.maximum(training.exponent, held.exponent)
    training, held = training.with_exponent(exponent), held.with_exponent(exponent)
    S, V = training.spread.hi, held.spread.hi
    slope = np.where(S.diagonal()[:d] > 0, S[:d, d] / np.where(S.diagonal()[:d] > 0, S.diagonal()[:d], 1.0), 0.0)
    apart = (held.centre.hi - training.centre.hi) + (held.centre.lo - training.centre.lo)
    errors = V[d, d] - 2.0 * slope * V[:d, d] + slope**2 * V.diagonal()[:d]
    errors = np.maximum(errors, 0.0) + held.weight * (apart[d] - slope * apart[:d]) ** 2
    return 1.0 - ratio(errors, V[d, d]) if V[d, d] > 0 else np.zeros(d)
