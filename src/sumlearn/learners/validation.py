"""What comes in: scikit-learn's protocol for X, y and weights, and errors that name argument, column and row."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sparse
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.validation import validate_data

from ..data import Chunk
from ..data.collections import DaskSource, frame_target, is_dask
from ..data.continuous_labels import ContinuousLabels
from ..data.file_rows import LevelRows
from ..data.files import FileSource, is_path
from ..data.mapped import MappedStream
from ..data.source import (
    InMemory,
    Source,
    frame_of,
    is_frame,
    numbers,
    open_source,
    order_of_target,
    split_target,
    vector,
)
from ..data.stream import Stream
from ..data.target import LABELS, Target, check_labels
from ..data.target_column import partly_known_target
from ..data.views import ViewStream
from ..data.word_levels import with_numbers_for_words
from ..engines import one_blas_thread
from ..statistics import LevelCounts, RowError
from ..statistics.level_sums import are_words
from ..statistics.row_checks import raise_if_not_finite, unmasked
from ..statistics.warnings import warn
from .mixed_columns import open_blocks, open_files, open_rows, prediction_rows_of

SCALARS = tuple(type for types in LABELS.values() for type in types)
BLOCK = 2**28  # bytes that a basis makes of rows at a time, when a model is asked


def training_source(
    estimator: Any,
    X: Any,
    y: Any,
    weight: Any,
    *,
    target: str | None = None,
    reset: bool,
    empty_ok: bool = False,
    left_out: Sequence[str] = (),
) -> Source:
    """The source that a learner opens; for any other estimator the rows as `plain_source` opens them."""
    if hasattr(estimator, "open"):
        return estimator.open(X, y, weight, reset=reset, empty_ok=empty_ok, left_out=left_out)
    return plain_source(estimator, X, y, weight, target=target, reset=reset, empty_ok=empty_ok, left_out=left_out)


def opened(
    learner: Any, X: Any, y: Any, weight: Any, *, reset: bool, empty_ok: bool, left_out: Sequence[str]
) -> Source:
    """The rows as the learner reads them: columns of numbers, or tables of columns of all kinds."""
    if learner.reads == "table":
        from .table_rows import open_table

        return open_table(learner, X, y, weight, reset=reset, empty_ok=empty_ok, left_out=left_out)
    if learner.reads == "levels" and not is_path(X):
        X, y = frame_target(X, y) if is_dask(X) else split_target(X, y)
        X = with_numbers_for_words(X)
    return plain_source(learner, X, y, weight, target=learner.target, reset=reset, empty_ok=empty_ok, left_out=left_out)


def dense(rows: Any) -> np.ndarray:
    return rows.toarray() if sparse.issparse(rows) else rows


def plain_source(
    estimator: Any,
    X: Any,
    y: Any,
    weight: Any,
    *,
    target: str | None,
    reset: bool,
    empty_ok: bool = False,
    left_out: Sequence[str] = (),
) -> Source:
    """Check X, y and weights as scikit-learn would, and open them; `target` is "number", "label" or None.

    Sets (``reset=True``) or checks the names and number of features of the estimator. Values are not scanned here:
    the sums find NaN and infinity by themselves. Columns of files that are `left_out` are no features.
    """
    if is_path(X):
        return file_source(estimator, X, y, weight, target, reset, left_out)
    if is_dask(X):
        return cluster_source(estimator, X, y, weight, target, reset)
    known = Target.named(target)
    known = known.with_order(order_of_target(X, y)) if known.labels else known
    X, y = split_target(X, y)
    X, weight = split_target(X, weight, "sample_weight")
    X = features(estimator, X, reset, y if target else "no_validation", minimum=0 if empty_ok else 1)
    if getattr(estimator, "takes_indicators", False) and sparse.issparse(y) and y.ndim == 2 and y.shape[1] > 1:
        y, known = y.toarray(), replace(known, sparse=True)
    y = known_target(y, known, estimator)
    if weight is not None:
        weight = vector(weight, "sample_weight")
        if weight.ndim == 0:
            weight = np.full(X.shape[0], float(weight))
        if weight.ndim != 1:
            raise ValueError(f"Sample weights must be 1D array or scalar, got {weight.ndim} dimensions")
        weight = numbers(weight) if weight.dtype.kind not in "fiub" else weight.astype(np.float64, copy=False)
    if getattr(estimator, "reads", "numbers") == "mixed":
        return open_rows(estimator, X, y, weight, reset=reset).known_as(known)
    return open_source(X, y, weight).known_as(known)


def file_source(
    estimator: Any, X: Any, y: Any, weight: Any, target: str | None, reset: bool, left_out: Sequence[str] = ()
) -> FileSource:
    """Files, where y and the weights are names of columns."""
    for name, value in (("y", y if target else None), ("sample_weight", weight)):
        if value is not None and not isinstance(value, str):
            raise ValueError(f"X names files, so {name} must name a column, got {type(value).__name__}")
    if target and y is None:
        raise ValueError(f"{type(estimator).__name__} requires y to be passed: the name of the target column")
    known = None if reset else getattr(estimator, "feature_names_in_", None)
    if not reset and known is None:
        raise ValueError("the model was fitted without column names, so it cannot be matched with the columns of files")
    names = None if known is None else [str(c) for c in known]
    left_out = (*left_out, y) if not target and isinstance(y, str) else left_out
    if getattr(estimator, "reads", "numbers") == "mixed":
        source = open_files(estimator, X, y if target else None, weight, reset=reset, left_out=left_out)
        return with_names(estimator, source, reset)
    form = LevelRows(word_columns(estimator)) if getattr(estimator, "reads", "numbers") == "levels" else None
    return with_names(estimator, FileSource(X, y if target else None, target, weight, names, left_out, form), reset)


def with_names(estimator: Any, source: FileSource, reset: bool) -> FileSource:
    """Files whose columns the estimator remembers, or whose labels are read as it knows them."""
    if reset:
        estimator.feature_names_in_ = np.array(source.columns.names, dtype=object)  # type: ignore[union-attr]
        estimator.n_features_in_ = source.features
    return source if reset else source.labelled_like(known_labels(estimator), vars(estimator).get("_spelling"))


def word_columns(estimator: Any) -> list[str]:
    """The columns whose levels, as far as the model has learnt, are words."""
    counts, names = vars(estimator).get("statistic_"), vars(estimator).get("feature_names_in_")
    if not isinstance(counts, LevelCounts) or names is None:
        return []
    return [str(name) for name, values in zip(names, counts.levels, strict=True) if are_words(values).any()]


def known_labels(estimator: Any) -> Any:
    """The labels that a model has learnt; none where it learns numbers."""
    state = vars(estimator)
    labels = state.get("_classes", getattr(state.get("statistic_"), "labels", None))
    labels = state.get("classes_") if labels is None else labels
    if labels is None and "learners_" in state:  # what is made of others knows what they know
        labels = list(dict.fromkeys(label for learner in state["learners_"] for label in known_labels(learner)))
    return () if labels is None else labels


def cluster_source(estimator: Any, X: Any, y: Any, weight: Any, target: str | None, reset: bool) -> DaskSource:
    """Dask collections; their names and number of columns are checked, their values when they are summed."""
    if target and y is None:
        raise ValueError(f"{type(estimator).__name__} requires y to be passed, but the target y is None.")
    y = y if target or isinstance(y, str) else None
    shape: tuple[Any, ...] = getattr(y, "shape", ())
    if Target.named(target).labels and len(shape) == 2 and shape[1] != 1 and not takes_columns(estimator):
        raise ValueError(f"y should be a 1d array, got {shape[1]} columns: {type(estimator).__name__} learns one")
    mixed = getattr(estimator, "reads", "numbers") == "mixed"
    source = open_blocks(estimator, X, y, weight, reset=reset) if mixed else DaskSource(X, y, weight, target)
    names = None if source.columns is None else np.array(source.columns.names, dtype=object)
    if reset:
        estimator.n_features_in_ = source.features
        if names is not None:
            estimator.feature_names_in_ = names
    else:
        known = getattr(estimator, "feature_names_in_", None)
        if known is not None and names is not None and list(known) != list(names):
            raise ValueError(f"the columns differ from those of the fit: {list(names)} and {list(known)}")
        if source.features != estimator.n_features_in_:
            raise ValueError(
                f"X has {source.features} features, but the model was fitted with {estimator.n_features_in_}"
            )
    return source


def takes_columns(estimator: Any) -> bool:
    """Whether several columns of labels are learnt."""
    return bool(getattr(estimator, "many_targets", False) or getattr(estimator, "takes_indicators", False))


def rows_by_number(source: Source) -> InMemory | Stream:
    """A source whose rows can be told apart by their number, as splitters need it.

    Of files and clusters, targets and weights are read first, to count the rows and to know their labels.
    """
    if isinstance(source, MappedStream | ViewStream):
        raise ValueError("rows by number behind a basis or a view need the table in memory: load it first")
    return source.number() if isinstance(source, Stream) else source  # type: ignore[return-value]


def prediction_rows(estimator: Any, X: Any, *, sparse_ok: bool) -> Any:
    """X as float32 or float64 with the features of the fit, behind the basis of the fit if it had one."""
    return through_basis(estimator, checked_rows(estimator, X, sparse_ok=sparse_ok))


def blocks_of_rows(estimator: Any, X: Any, *, sparse_ok: bool) -> Iterator[Any]:
    """The same in blocks of rows, so that what the basis makes of them fits into `BLOCK` bytes."""
    rows = checked_rows(estimator, X, sparse_ok=sparse_ok)
    size = max(BLOCK // (8 * max(estimator.basis_.size(rows.shape[1]), 1)), 256)
    for start in range(0, rows.shape[0], size):
        yield through_basis(estimator, rows if size >= rows.shape[0] else rows[start : start + size])


def through_basis(estimator: Any, rows: Any) -> Any:
    """phi(x) of every row, where the fit had a basis."""
    if vars(estimator).get("basis_") is None:
        return rows
    with one_blas_thread():  # its threads spin at the barriers of small products
        return estimator.basis_.map(np.ascontiguousarray(dense(rows)))


def checked_rows(estimator: Any, X: Any, *, sparse_ok: bool) -> Any:
    """X as float32 or float64 with the features of the fit; sparse stays sparse where the learner can use it."""
    if getattr(estimator, "reads", "numbers") == "mixed":
        X = X if is_path(X) else features(estimator, X, reset=False, y="no_validation", minimum=1)
        return prediction_rows_of(estimator, X)
    if is_path(X):
        X = file_rows(estimator, X)
    elif getattr(estimator, "reads", "numbers") == "levels":
        X = with_numbers_for_words(X)
    X = features(estimator, X, reset=False, y="no_validation", minimum=1)
    source = open_source(X)
    rows = source.read(slice(0, source.rows))
    if sparse.issparse(rows) and not sparse_ok:
        rows = rows.toarray()
    if sparse.issparse(rows):
        rows = rows.astype(source.dtype, copy=False)
        values = rows.data
    else:
        rows = np.asarray(rows, dtype=source.dtype)
        values = rows
    gaps, mended = (bool(getattr(estimator, name, False)) for name in ("takes_gaps", "takes_infinity"))
    with np.errstate(invalid="ignore", over="ignore"):
        finite = np.isfinite(values.sum()) or (gaps and (mended or not np.isinf(values).any()))
    if not finite:
        filled = rows.toarray() if sparse.issparse(rows) else rows
        try:
            raise_if_not_finite(np.where(np.isnan(filled), 0.0, filled) if gaps else filled)
        except RowError as error:
            raise ValueError(error.describe(error.row, column_name(estimator, error.column))) from None
    return rows


def file_rows(estimator: Any, X: Any) -> Any:
    """The features of files as a table in memory, found by their names."""
    import narwhals.stable.v2 as nw

    source = file_source(estimator, X, None, None, None, reset=False)
    rows = np.concatenate([chunk.X for chunk in source.chunks()])
    assert source.columns is not None
    return nw.from_dict(dict(zip(source.columns.names, rows.T, strict=True)), backend="pyarrow").to_native()


def features(estimator: Any, X: Any, reset: bool, y: Any, minimum: int) -> Any:
    if is_frame(X):
        frame_of(X)
        validate_data(estimator, X, y=y, reset=reset, skip_check_array=True)
        if X.shape[0] < minimum:
            raise ValueError(
                f"Found array with {X.shape[0]} sample(s) (shape={tuple(X.shape)}) while a minimum of {minimum} "
                "is required."
            )
        return X
    X = unmasked(X, "X")
    if y is None:
        validate_data(estimator, X, y=None, reset=reset, skip_check_array=True)
    checked = validate_data(
        estimator,
        X,
        reset=reset,
        accept_sparse="csr",
        dtype=None,
        ensure_all_finite=False,
        ensure_min_samples=minimum,
    )
    if checked.dtype.kind not in "fiubO":
        raise ValueError(f"dtype='numeric' is not compatible with arrays of bytes/strings: X has dtype {checked.dtype}")
    return checked


def known_target(y: Any, known: Target, estimator: Any) -> np.ndarray | None:
    """y as numbers, as labels, or nothing; a learner of both may have an advice for who has given the other."""
    try:
        if getattr(estimator, "takes_indicators", False):
            columns = vector(y)  # a list of labels stays one: as an array they would all be text
            if columns.ndim == 2 and columns.shape[1] > 1:
                return numbers(columns) if columns.dtype.kind == "O" else columns
        if known.kind == "number":
            return numeric_target(y) if getattr(estimator, "many_targets", True) else one_target(y, estimator)
        if known.partly:
            return partly_known_target(y)
        return label_target(y, bool(getattr(estimator, "many_targets", False))) if known.labels else None
    except ValueError as error:
        if not hasattr(estimator, "target_advice") or isinstance(error, RowError):
            raise
        raise type(error)(f"{str(error).removesuffix('.')}; {estimator.target_advice}") from None


def numeric_target(y: Any) -> np.ndarray:
    y = vector(y)
    if y.dtype.kind not in "fiub":
        if y.dtype.kind == "c":
            raise ValueError("Complex data not supported: y")
        if y.dtype.kind != "O":
            raise ValueError(f"y must hold numbers, got dtype {y.dtype}")
        y = numbers(y)
    if y.ndim not in (1, 2):
        raise ValueError(f"y should be a 1d or 2d array, got an array of shape {y.shape} instead.")
    return y


def one_target(y: Any, estimator: Any) -> np.ndarray:
    """A vector of numbers: one column is taken as one, more are refused."""
    y = numeric_target(y)
    if y.ndim == 2 and y.shape[1] != 1:
        text = f"y should be a 1d array, got {y.shape[1]} columns: {type(estimator).__name__} learns one target"
        try:
            raise_if_not_finite(y, "y")
        except RowError as error:
            text += f". {error}"
        raise ValueError(text)
    if y.ndim == 2:
        warn("A column-vector y was passed when a 1d array was expected.", DataConversionWarning)
    return y.reshape(-1)


def label_target(y: Any, several: bool = False) -> np.ndarray:
    """Labels as a vector; where there may be `several` targets, also as columns."""
    if isinstance(y, list | tuple) and all(isinstance(label, SCALARS) for label in y):
        check_labels(y)  # as an array they would all be text
    y = vector(y)
    if y.ndim == 2 and y.shape[1] == 1:
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. Please change the shape of y to (n_samples,), "
            "for example using ravel().",
            DataConversionWarning,
            stacklevel=4,
        )
        y = y[:, 0]
    if several and y.ndim == 2 and y.shape[1]:
        for column in y.T:
            label_target(column)
        return y
    if y.ndim != 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {y.shape} instead.")
    if y.dtype.kind == "c":
        raise ValueError("Complex data not supported: y")
    if y.dtype.kind == "f":
        with np.errstate(invalid="ignore"):
            whole = y == np.floor(y)
        if not whole.all() or not np.isfinite(y.sum()):
            raise_if_not_finite(y, "y")
            raise ContinuousLabels(
                "Unknown label type: continuous. Labels must be whole numbers, strings or booleans; "
                f"row {int(np.argmin(whole))} holds {y[np.argmin(whole)].item()!r}."
            )
    if y.dtype.kind == "O":
        check_labels(y)
    return y


def usable_rows(chunk: Chunk, sparse_ok: bool = True, gaps: bool = False, absent_too: bool = False) -> Chunk:
    """Rows of positive weight with their weights, dense unless sparse ones are welcome, without NaN and infinity.

    With `gaps`, NaN stands for one, and infinity was refused before. With `absent_too`, rows of weight zero stay.
    """
    X, y, weight = chunk.X, chunk.y, chunk.weight
    rows = np.arange(X.shape[0])
    if weight is None:
        weight = np.ones(len(rows))
    elif not (np.isfinite(weight).all() and (weight > 0).all()):
        for row in np.flatnonzero(~np.isfinite(weight) | (weight < 0))[:1]:
            raise RowError("sample_weight", int(row), None, float(weight[row]))
        if not absent_too:
            rows = np.flatnonzero(weight)
            X, y, weight = X[rows], None if y is None else y[rows], weight[rows]
    if y is not None and y.dtype.kind == "f" and not np.isfinite(y).all():
        place = tuple(np.argwhere(~np.isfinite(y))[0])
        raise RowError("y", int(rows[place[0]]), int(place[1]) if y.ndim > 1 else None, float(y[place]))
    if sparse.issparse(X) and not sparse_ok:
        X = X.toarray()
    values = X.data if sparse.issparse(X) else X
    if not gaps and values.dtype.kind == "f" and not np.isfinite(values).all():
        try:
            raise_if_not_finite(X.toarray() if sparse.issparse(X) else X)
        except RowError as error:
            raise RowError("X", int(rows[error.row]), error.column, error.value) from None
    return Chunk(X, y, weight, chunk.columns)


def term_name(estimator: Any, column: int) -> Any:
    """How a column of the sums is called: a feature, or a term of the basis."""
    if getattr(estimator, "basis_", None) is None:
        return column_name(estimator, column)
    return estimator.basis_.get_feature_names_out(getattr(estimator, "feature_names_in_", None))[column]


def column_name(estimator: Any, column: int | None) -> Any:
    names = getattr(estimator, "feature_names_in_", None)
    return column if names is None or column is None or column >= len(names) else str(names[column])
