"""Cross-validation from one read of the data."""

from __future__ import annotations

import time
import warnings
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import FitFailedWarning
from sklearn.metrics import get_scorer
from sklearn.model_selection import cross_validate as plain_cross_validate
from sklearn.utils import _safe_indexing

from ...data import Stream, vector
from ...data.files import is_path
from ...engines import cores, in_threads, merge_all, one_blas_thread, round_sums, training_sums
from ...learners.ability import sums_by_row
from .held_out import HeldOut
from .scoring import score_all, scorers_of
from .splits import checked_splits, columns_apart, numbered_source

NOT_YET = np.inf


def cross_validate(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    groups: Any = None,
    scoring: Any = None,
    cv: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    params: dict[str, Any] | None = None,
    pre_dispatch: Any = "2*n_jobs",
    return_train_score: bool = False,
    return_estimator: bool = False,
    return_indices: bool = False,
    error_score: Any = np.nan,
    sample_weight: Any = None,
) -> dict[str, Any]:
    """Scores of an estimator over the splits of any scikit-learn splitter, as scikit-learn's function returns them.

    A one-pass learner is summed once per group of rows that share their role in all splits; each training set is a sum
    of those sums, so every model is the one that a fit on its training rows would give. Squared-error scores of linear
    regressions (R^2, mean and root mean squared error, explained variance) come from the sums of the rows left out;
    every other score reads those rows a second time. Anything else than a one-pass learner is handed to scikit-learn.

    Files and Dask collections are read as streams: targets and weights first, then one read for the sums of each round
    of splits. Scores that need rows gather those left out, as many splits at a time as fit into 256 MiB, at least one;
    training scores of that kind gather the training rows of a split. So memory holds the splits (row numbers), the
    sums, and at most two copies of those rows; a cluster sends them to the caller.

    Parameters
    ----------
    estimator : estimator
        Any; fast and exact for one-pass learners.
    X, y, groups
        As in `fit`; y and groups may name columns of X, and must if X names files. A column of groups is no feature.
    scoring : str, callable, list, tuple, dict or None
        As in scikit-learn.
    cv : int, splitter, iterable or None, default=None
        None is five folds.
    n_jobs, verbose, pre_dispatch, error_score
        As in scikit-learn; a one-pass learner uses `n_jobs` threads for its read.
    params : dict, default=None
        ``sample_weight`` and ``groups`` may stand here too.
    return_train_score, return_estimator, return_indices : bool, default=False
        What else to return.
    sample_weight : array, default=None
        Weights of the rows, in training and in scoring.

    Returns
    -------
    dict
        ``test_score`` (or ``test_NAME`` for several scores), ``fit_time``, ``score_time`` and what was asked for.

    Examples
    --------
    >>> from sumlearn import LinearDiscriminantAnalysis, cross_validate
    >>> from sumlearn.data import load_example
    >>> pima = load_example("pima")
    >>> scores = cross_validate(LinearDiscriminantAnalysis(), pima.X, pima.y, cv=10, scoring="roc_auc")
    >>> round(float(scores["test_score"].mean()), 3)
    0.83
    """
    params = dict(params or {}) | ({} if sample_weight is None else {"sample_weight": sample_weight})
    if not sums_by_row(estimator):
        if is_path(X):
            raise ValueError(
                f"X names files: one-pass learners are cross-validated from them, {type(estimator).__name__} is not; "
                "load the table into memory"
            )
        X, y, groups = columns_apart(X, y, groups)
        weight = params.get("sample_weight")
        sides = ["test", "train"] if return_train_score else ["test"]
        found = plain_cross_validate(
            estimator,
            X,
            y,
            groups=groups,
            scoring=scoring if weight is None else no_score,
            cv=cv,
            n_jobs=n_jobs,
            verbose=verbose,
            params=params or None,
            pre_dispatch=pre_dispatch,
            return_train_score=return_train_score and weight is None,
            return_estimator=return_estimator or weight is not None,
            return_indices=return_indices or weight is not None,
            error_score=error_score,
        )
        if weight is not None:  # scikit-learn would fit with weights and score without
            scorers, fitted = scorers_of(estimator, scoring), found.pop("test_score") == NOT_YET
            found |= weighted_scores(found, fitted, scorers, X, y, vector(weight), sides, error_score)
        kept = {"estimator": return_estimator, "indices": return_indices}
        return {name: value for name, value in found.items() if kept.get(name, True)}
    groups = params.pop("groups", groups)
    sample_weight = params.pop("sample_weight", None)
    if params:
        raise ValueError(f"{type(estimator).__name__}.fit takes no parameter {', '.join(params)}")
    probe = clone(estimator)
    source, groups = numbered_source(probe, X, y, groups, sample_weight)
    labels = source.y if source.y is not None or y is None or isinstance(y, str) else vector(y)
    splits = checked_splits(estimator, source.rows, labels, groups, cv)
    scorers = scorers_of(estimator, scoring)
    sides = ["test", "train"] if return_train_score else ["test"]
    results: list[dict[str, Any]] = [{} for _ in splits]
    start = time.perf_counter()
    for part, sums in round_sums(
        probe.summariser(), source, splits, factor=estimator.chunk_factor, workers=n_jobs
    ):
        shared = (time.perf_counter() - start) / len(part.splits)
        wanted = HeldOut(source, part, [getattr(part, side)[s] for s in range(len(part.splits)) for side in sides])

        def one(item: Any, part: Any = part, sums: Any = sums, shared: float = shared, wanted: Any = wanted) -> None:
            s, statistic = item
            start = time.perf_counter()
            model: Any = None
            try:
                model = clone(estimator).solve(statistic, like=source)
            except Exception as error:
                if error_score == "raise":
                    raise
                warnings.warn(f"the fit of split {part.splits[s]} failed: {error}", FitFailedWarning, stacklevel=2)
            middle = time.perf_counter()
            result: dict[str, Any] = {"fit_time": shared + middle - start}
            for number, side in enumerate(sides, s * len(sides)):
                held = statistic if side == "train" else merge_all([sums[p] for p in part.test[s]])
                if model is None:
                    scores = dict.fromkeys(scorers, error_score)
                else:
                    scores = score_all(scorers, model, held, partial(wanted.rows, number))
                result.update({f"{side}_{name}": value for name, value in scores.items()})
            result["score_time"] = time.perf_counter() - middle
            if return_estimator:
                result["estimator"] = model
            results[part.splits[s]] = result

        workers = 1 if isinstance(source, Stream) else cores()  # a stream is gathered in the order of the splits
        with one_blas_thread():
            in_threads(one, enumerate(training_sums(sums, part)), workers)
        start = time.perf_counter()
    out: dict[str, Any] = {key: [result[key] for result in results] for key in results[0]}
    out = {key: values if key == "estimator" else np.array(values) for key, values in out.items()}
    if return_indices:
        out["indices"] = {"train": [train for train, _ in splits], "test": [test for _, test in splits]}
    return out


def no_score(model: Any, X: Any, y: Any) -> float:
    """What a fit that did not fail has until it is scored."""
    return NOT_YET


def weighted_scores(
    fits: dict[str, Any], fitted: Any, scorers: dict[str, Any], X: Any, y: Any, weight: Any, sides: Any, empty: Any
) -> dict[str, Any]:
    """Scores of models that are fitted to the splits, on the weighted rows of each side; `empty` where a fit failed."""
    out: dict[str, list[float]] = {}
    times = []
    for split, model in enumerate(fits["estimator"]):
        start = time.perf_counter()
        for side in sides:
            rows = fits["indices"][side][split]
            part = [_safe_indexing(X, rows), None if y is None else _safe_indexing(y, rows)]
            for name, scorer in scorers.items():
                scorer = get_scorer(scorer) if isinstance(scorer, str) else scorer
                score = scorer(model, *part, sample_weight=weight[rows]) if fitted[split] else empty
                for key, value in (score if isinstance(score, dict) else {name: score}).items():
                    out.setdefault(f"{side}_{key}", []).append(value)
        times.append(time.perf_counter() - start)
    return {name: np.array(values) for name, values in out.items()} | {"score_time": np.array(times)}
