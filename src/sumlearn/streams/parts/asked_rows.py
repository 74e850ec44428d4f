"""Asking a model about rows before it learns them: in blocks, one by one, or by a compiled loop."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_classifier

from ...learners.one_pass import OnePass
from ..fading import Fading
from .rows_in_turn import STRETCH, Stretch, loop_for
from .stream_blocks import StreamBlock
from .timed_rows import timed_rows


class Asking:
    """A model that is asked about rows and then learns them, and what it said."""

    def __init__(self, model: Any, block: int, classes: Any) -> None:
        self.model, self.block, self.classes = model, block, classes
        self.labels = is_classifier(model)
        self.answered = False  # whether the model has given an answer yet
        self.refusal: Exception | None = None

    def stretch(self, rows: StreamBlock) -> tuple[np.ndarray, np.ndarray]:
        """Answers to rows, and whether there were any; the model has learnt the rows then."""
        answers = np.full(len(rows), None if self.labels else np.nan, dtype=object if self.labels else float)
        known, start = np.zeros(len(rows), dtype=bool), 0
        while start < len(rows):
            whole = slice(start, min(start + STRETCH, len(rows)))
            if self.block == 1 and self.answered:
                self.in_turn(rows.take(whole), answers[whole], known[whole])
            else:
                whole = slice(start, min(start + self.block, len(rows)))
                self.one_block(rows.take(whole), answers[whole], known[whole])
            start = whole.stop
        return answers.astype(rows.y.dtype) if self.labels and known.all() else answers, known

    def one_block(self, rows: StreamBlock, answers: np.ndarray, known: np.ndarray) -> None:
        """What the model says to some rows, by its own methods.

        Where it refuses to, as one that has learnt too little does, there is no answer: a bad row is refused again when
        it is learnt, and nothing is caught then.
        """
        try:
            answers[:], known[:] = self.model.predict(rows.X), True
            self.answered = True
        except ValueError as error:
            self.refusal = error
        self.learn(rows)

    def learn(self, rows: StreamBlock) -> None:
        more: dict[str, Any] = {} if rows.weight is None else {"sample_weight": rows.weight}
        if rows.times is not None:
            more["times"] = rows.times
        if self.classes is not None:
            more["classes"], self.classes = self.classes, None
        self.model.partial_fit(rows.X, rows.y, **more)

    def in_turn(self, rows: StreamBlock, answers: np.ndarray, known: np.ndarray) -> None:
        """Row by row: by a loop as far as it goes, else by the model's own methods."""
        stretch, start = self.opened(rows), 0
        while start < len(rows):
            loop = None if stretch is None else loop_for(self.model, plain(self.model))
            if loop is not None and stretch is not None:
                stop, said = loop(self.model.statistic_, stretch, start)
                answers[start:stop], known[start:stop] = said, True
                if stop > start:
                    self.learn(rows.take(slice(start, stop)))
                start = stop
            if start < len(rows):
                one = slice(start, start + 1)
                self.one_block(rows.take(one), answers[one], known[one])
                start += 1

    def opened(self, rows: StreamBlock) -> Stretch | None:
        """The rows as a loop wants them; None where the model is none for a loop, or its rows are not."""
        model = self.model
        fading = type(model) is Fading
        inner = model._inner.twin() if fading else model
        if not isinstance(inner, OnePass) or loop_for(model, plain(model)) is None:
            return None
        if fading:
            source, times, _ = model._opened(inner, rows.X, rows.y, rows.weight, rows.times, False)
        else:
            source, times = inner.open(rows.X, rows.y, rows.weight, reset=False), None
        parts = [part for part, _ in timed_rows(source, times, None)]
        if sum(map(len, parts)) != len(rows):
            return None  # some rows weigh nothing
        chunks, found = [part.chunk for part in parts], together([part.times for part in parts])
        usual = all(isinstance(chunk.X, np.ndarray) and chunk.X.dtype.kind in "fiub" for chunk in chunks)
        if not usual or chunks[0].X.dtype == np.float32:
            return None
        X = np.asarray(together([chunk.X for chunk in chunks]), dtype=float)
        y = np.asarray(together([chunk.y for chunk in chunks]), dtype=None if self.labels else float).reshape(len(rows))
        if not np.isfinite(X.sum()):
            return None  # whoever learns it says where
        masses = together([chunk.weight for chunk in chunks])
        weight = np.ones(len(rows)) if masses is None else np.array(masses, dtype=float)
        fade = np.ones(len(rows))
        if fading and model.half_life is not None:
            if found is None:
                fade[:] = np.exp2(model.exponents(1.0))
            else:
                latest = np.maximum.accumulate(np.append(model.now_, found))
                fade = np.exp2(model.exponents(np.diff(latest).astype(float)))
                weight *= np.exp2(model.exponents((latest[1:] - found).astype(float)))
        return Stretch(X, y, weight, fade)


def together(parts: list[Any]) -> Any:
    """The rows of all parts, one below the other; None where they have none of it."""
    return parts[0] if len(parts) == 1 or parts[0] is None else np.concatenate(parts)


def plain(model: Any) -> Any:
    """The learner whose sums they are."""
    return model.plain_learner if type(model) is Fading else model
