"""Coding: labels as the numbers that a loss takes, and class weights as weights of rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..data import Chunk


@dataclass(frozen=True)
class Coding:
    """Labels to numbers: their place among the sorted classes, or +1 for one class and -1 for all others."""

    classes: np.ndarray
    positive: int | None = None  # None: the number of the class
    class_weight: np.ndarray | None = None

    def __call__(self, chunk: Chunk) -> Chunk:
        assert chunk.y is not None
        codes = np.searchsorted(self.classes, chunk.y)
        codes = np.minimum(codes, len(self.classes) - 1)  # labels of weight zero are no classes, nor are they read
        y = codes if self.positive is None else np.where(codes == self.positive, 1.0, -1.0)
        weight = chunk.weight
        if self.class_weight is not None:
            weight = self.class_weight[codes] if weight is None else weight * self.class_weight[codes]
        return chunk._replace(y=y, weight=weight)
