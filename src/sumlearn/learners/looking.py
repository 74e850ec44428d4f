"""Looking: the part of a learner that takes its look at the data, keeps it, and takes that of another."""

from __future__ import annotations

import copy
from typing import Any, ClassVar, Self

from ..data import Source
from ..data.coded_columns import CodedColumns
from .look import Look, taken, through
from .mixed_columns import coded


class Looking:
    """A learner that must know something of its rows before it learns from them writes `look`; see `Look`.

    >>> import numpy as np
    >>> from sumlearn import RBFNetwork
    >>> X = np.arange(40.0)[:, None]
    >>> north = RBFNetwork(5).fit(X[::2], np.sin(X[::2, 0]))
    >>> south = RBFNetwork(5).with_look(north.look_).fit(X[1::2], np.sin(X[1::2, 0]))
    >>> (north + south).statistic_.rows
    40
    """

    needs_look: Any = False  # whether `look` needs rows, with these parameters
    look_parameters: ClassVar[tuple[str, ...]] = ()  # what decides about `look`, beside a basis
    reads: ClassVar[str]
    columns_: CodedColumns  # of learners that read mixed columns
    n_features_in_: int
    feature_names_in_: Any

    def look(self, source: Source) -> Any:
        """What must be known of the rows before they are learnt from; nothing, unless a method says so."""

    def with_look(self, look: Look | None) -> Self:
        """From the next `fit` on, take this look instead of an own one: that of a model to be merged with."""
        if not (look is None or isinstance(look, Look)):
            raise TypeError(f"a look is what `look_` of a model is, got {type(look).__name__}")
        self._handed_look = look
        return self

    def with_columns(self, columns: CodedColumns | None) -> Self:
        """From the next `fit` on, arrays hold rows that are coded already, and these are their columns."""
        self._handed_columns = columns
        return self

    def looked_at(self, source: Source) -> Source:
        """Take a look at a source that is open: the rows as they are learnt from."""
        source = coded(self, source, reset=True) if self.reads == "mixed" else source
        look = taken(self, source)
        if look.basis is not None:
            self.basis_ = look.basis
        if look.data is not None:
            self._look = look
        return through(source, look.basis)

    def through_look(self, source: Source) -> Source:
        """More rows, by the look that was taken."""
        source = coded(self, source, reset=False) if self.reads == "mixed" else source
        return through(source, self.__dict__.get("basis_"))

    def look_data(self) -> Any:
        """What the learner itself looked up."""
        look = self.__dict__.get("_look")
        return getattr(self.__dict__.get("statistic_"), "look", None) if look is None else look.data

    @property
    def look_(self) -> Look | None:
        """What was looked up before the rows were learnt from, to be kept or handed on; None if that was nothing."""
        data, basis = self.look_data(), self.__dict__.get("basis_")
        if data is None and basis is None:
            return None
        names = None if "feature_names_in_" not in self.__dict__ else tuple(map(str, self.feature_names_in_))
        asked = {name: getattr(self, name) for name in self.look_parameters}
        return copy.deepcopy(Look(basis, data, self.n_features_in_, names, asked))

    @property
    def looks(self) -> bool:
        """Whether rows have to be looked at before they are learnt from, with these parameters."""
        return bool(self.needs_look or not getattr(getattr(self, "basis", None), "stateless", True))
