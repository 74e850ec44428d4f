"""The code words of classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from .figure import Figure, HeatMap, Panel

MOST_CLASSES, MOST_PROBLEMS = 40, 70


def code_matrix(model: Any) -> Figure:
    """The code of a fitted OutputCodeClassifier: a row for each class, a column for each problem, dark where it is 1.

    Of very many classes and problems the first ones are drawn.

    >>> from sumlearn import OutputCodeClassifier
    >>> from sumlearn.data import load_example
    >>> iris = load_example("iris")
    >>> model = OutputCodeClassifier(code="exhaustive").fit(iris.X, iris.y)
    >>> code_matrix(model).panels[0].items[0].values.tolist()
    [[1.0, 1.0, 1.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    """
    words = np.asarray(model.code_book_) > 0
    if not words.size:
        raise ValueError(f"there is no code of {len(words)} class(es): nothing was to be told apart")
    labels = [str(label) for label in model.coded_classes_.tolist()]
    drawn = words[:MOST_CLASSES, :MOST_PROBLEMS]
    texts = tuple(tuple("+" if one else "−" for one in row) for row in drawn)
    heat = HeatMap(
        drawn.astype(float), texts, tuple(str(j + 1) for j in range(drawn.shape[1])), tuple(labels[:MOST_CLASSES])
    )
    panel = Panel((heat,), "Problem", "Class")
    size = min(1.6 + 0.32 * drawn.shape[1] + 0.08 * max(map(len, labels)), 24.0), 1.4 + 0.34 * len(drawn)
    near = least_distance(words)
    return Figure(
        (panel,), f"{words.shape[1]} problems, words differ in {near} places or more", size=(max(size[0], 4.2), size[1])
    )


def least_distance(words: np.ndarray) -> int:
    """The least number of places in which two code words differ."""
    apart = (words[:, None] != words).sum(axis=2)
    return int(apart[~np.eye(len(words), dtype=bool)].min())
