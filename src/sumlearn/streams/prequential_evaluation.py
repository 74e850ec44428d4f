"""Test, then train: an honest score over time."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_regressor

from .parts.asked_rows import Asking
from .parts.stream_blocks import StreamBlock, stream_blocks

STRETCHES = 100  # that the score is told for, unless somebody says how long they are


@dataclass(frozen=True, eq=False)
class Prequential:
    """What a model said to each row before it learnt it, and what became of it.

    Attributes
    ----------
    predictions : array (n,)
        The answer to each row; NaN, or None, where the model had none yet.
    asked : bool array (n,)
        Whether there was one.
    truth, weight : arrays (n,)
        What came, and what it weighs.
    rows : int array (m,)
        Rows that had passed at the end of each stretch.
    errors : array (m,)
        Over the rows of each stretch: the root of the mean square, or the share of wrong labels; NaN where none was
        asked.
    error_name : str
        Which of the two.
    score : float
        Over all rows asked: R^2 about their mean, or accuracy.
    coefficients : array (m, p) or None
        The model's `coef_` at the end of each stretch, NaN where it had none.
    names : list of str
        Of the coefficients.
    effective_sizes : array (m,) or None
        `effective_size_` there, of models that fade.
    model : the model that has learnt all rows.
    """

    predictions: np.ndarray
    asked: np.ndarray
    truth: np.ndarray
    weight: np.ndarray
    rows: np.ndarray
    errors: np.ndarray
    error_name: str
    score: float
    coefficients: np.ndarray | None
    names: list[str]
    effective_sizes: np.ndarray | None
    model: Any

    def __str__(self) -> str:
        lines = [
            f"{'rows':>10}{self.error_name:>24}" + ("" if self.effective_sizes is None else f"{'rows in effect':>18}")
        ]
        sizes = [None] * len(self.rows) if self.effective_sizes is None else self.effective_sizes
        for rows, error, size in zip(self.rows, self.errors, sizes, strict=True):
            lines.append(f"{rows:>10}{error:>24.4f}" + ("" if size is None else f"{size:>18.1f}"))
        return "\n".join(lines)

    def table(self) -> dict[str, np.ndarray]:
        """A column for each thing that is told of every stretch, for `pandas.DataFrame` or another table."""
        columns = {"rows": self.rows, self.error_name: self.errors}
        if self.effective_sizes is not None:
            columns["effective_size"] = self.effective_sizes
        if self.coefficients is not None:
            columns |= dict(zip(self.names, self.coefficients.T, strict=True))
        return columns


def prequential(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    times: Any = None,
    block: int = 1,
    every: int | None = None,
    classes: Any = None,
) -> Prequential:
    """Ask a model about each row, then let it learn the row: the score is that of rows it did not know.

        for rows in their order:  answers = model.predict(rows);  model.partial_fit(rows, y)

    With ``block=1`` row by row. For `LinearRegression`, `Ridge`, `GaussianNB` and `LinearDiscriminantAnalysis`, alone
    or in `Fading`, a compiled loop gives the answers, from sums that it carries from row to row; the rows themselves
    are learnt in blocks, exactly. Answers equal those of one call after the other, numbers to about 1e-10 of the
    deviation of y; where two classes are nearly as likely, or columns nearly dependent, the model itself is asked. Any
    other estimator with `partial_fit` is asked and taught by its own methods.

    Parameters
    ----------
    model : estimator with predict and partial_fit
        It stays as it is: a copy learns, which goes on from what was learnt before.
    X, y, sample_weight : array, table or path, in the order of the rows; y the target or the name of its column
        Of files every column but y, the weights and the time of the model is a feature.
    times : array, default=None
        Of models that take them (`SlidingWindow`, `TumblingWindow`, `Fading`).
    block : int, default=1
        How many rows are asked about and learnt together.
    every : int, default=None
        Rows of a stretch for which error and coefficients are told; None makes about a hundred of them, of files 1000
        rows each.
    classes : array, default=None
        Labels to come, for classifiers that must know them at their first rows.

    Returns
    -------
    Prequential
        ``predictions``, ``errors``, ``score``, ``coefficients``, ``effective_sizes``, ``model``.

    Examples
    --------
    >>> import numpy as np
    >>> from sumlearn import Fading, LinearRegression
    >>> from sumlearn.streams import prequential
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((2000, 1))
    >>> y = X[:, 0] * np.where(np.arange(2000) < 1000, 1.0, -1.0) + 0.1 * rng.standard_normal(2000)
    >>> told = prequential(Fading(LinearRegression(), half_life=50), X, y, every=500)
    >>> print(told)
          rows  root mean square error    rows in effect
           500                  0.1027             144.0
          1000                  0.0980             144.3
          1500                  0.5326             144.3
          2000                  0.0968             144.3
    >>> print(told.coefficients[:, 0].round(2), round(prequential(LinearRegression(), X, y).score, 2))
    [ 1.01  0.98 -1.   -1.  ] -0.0

    References
    ----------
    Dawid, "Present position and potential developments: some personal views. Statistical theory: the prequential
    approach", 1984; Gama, Sebastião & Rodrigues, "On evaluating stream learning algorithms", 2013.
    """
    if not (hasattr(model, "predict") and hasattr(model, "partial_fit")):
        raise TypeError(f"{type(model).__name__} cannot learn from rows as they come: it needs predict and partial_fit")
    if not (is_classifier(model) or is_regressor(model)):
        raise TypeError(f"{type(model).__name__} is neither a classifier nor a regressor: its answers have no score")
    for name, value in (("block", block), ("every", every)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1):
            raise ValueError(f"{name} must be a whole number above 0, got {value!r}")
    asking = Asking(copy.deepcopy(model), int(block), classes)
    notes = [note_of(asking.model, part) for part in asked(asking, X, y, sample_weight, times, every)]
    return told(asking, notes)


def asked(
    asking: Asking, X: Any, y: Any, weight: Any, times: Any, every: int | None
) -> Iterator[tuple[StreamBlock, np.ndarray, np.ndarray]]:
    """Each stretch after it was asked about and learnt, with the answers and whether there were any."""
    found = False
    for part in stream_blocks(asking.model, X, y, weight, times, every, STRETCHES):
        found = True
        answers, known = asking.stretch(part)
        yield part, answers, known
    if not found:
        raise ValueError("there are no rows")
    if not asking.answered:
        raise ValueError(f"the model gave no answer to any row: {asking.refusal}")


@dataclass(frozen=True)
class StretchNote:
    """What is noted of a stretch."""

    answers: np.ndarray
    known: np.ndarray
    truth: np.ndarray
    weight: np.ndarray
    coefficients: np.ndarray | None
    names: list[str]
    effective_size: float | None


def note_of(model: Any, stretch: tuple[StreamBlock, np.ndarray, np.ndarray]) -> StretchNote:
    part, answers, known = stretch
    weight = np.ones(len(part)) if part.weight is None else np.asarray(part.weight, dtype=float)
    inner = getattr(model, "learner_", model)
    coefficients = np.asarray(inner.coef_) if hasattr(inner, "coef_") else None
    names = [str(name) for name in getattr(inner, "feature_names_in_", [])]
    size = getattr(model, "effective_size_", None)
    return StretchNote(answers, known, part.y, weight, coefficients, names, size)


def told(asking: Asking, notes: list[StretchNote]) -> Prequential:
    """The notes of all stretches together."""
    labels = is_classifier(asking.model)
    answers, known, truth, weight = (
        np.concatenate([getattr(note, name) for note in notes]) for name in ("answers", "known", "truth", "weight")
    )
    errors = np.array([error_of(note.answers[note.known], note.truth[note.known], note.weight[note.known], labels)
                       for note in notes])  # fmt: skip
    error = error_of(answers[known], truth[known], weight[known], labels)
    score = 1.0 - error if labels else 1.0 - error**2 / variance_of(truth[known], weight[known])
    shapes = [note.coefficients.size for note in notes if note.coefficients is not None]
    width = max(shapes, default=0)
    coefficients = np.full((len(notes), width), np.nan) if width else None
    for row, note in enumerate(notes):
        if coefficients is not None and note.coefficients is not None and note.coefficients.size == width:
            coefficients[row] = note.coefficients.ravel()
    names = next((note.names for note in reversed(notes) if len(note.names) == width), [f"x{j}" for j in range(width)])
    sizes = None if notes[-1].effective_size is None else np.array([note.effective_size for note in notes], dtype=float)
    return Prequential(
        answers,
        known,
        truth,
        weight,
        np.cumsum([len(note.truth) for note in notes]),
        errors,
        "error rate" if labels else "root mean square error",
        float(score),
        coefficients,
        names,
        sizes,
        asking.model,
    )


def error_of(answers: np.ndarray, truth: np.ndarray, weight: np.ndarray, labels: bool) -> float:
    if not weight.sum() > 0:
        return float("nan")
    if labels:
        return float(weight @ (answers != truth) / weight.sum())
    away = answers.astype(float) - truth
    return float(np.sqrt(weight @ away**2 / weight.sum()))


def variance_of(values: np.ndarray, weight: np.ndarray) -> float:
    total = weight.sum()
    if not total > 0:
        return float("nan")
    away = values - weight @ values / total
    variance = float(weight @ away**2 / total)
    return variance if variance > 0 else float("nan")
