"""What learners around centres share: where the centres come from, predictions, draws."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np
from sklearn.base import RegressorMixin

from ...data import Chunk, Source
from ...engines import engine_for
from ...features.input_ranges import whole_number
from ...statistics import Removable
from ..fitted import Fitted
from ..learner import OnePass
from ..validation import plain_source, summary_of_part
from .lines import LocalLines
from .placed_sums import PlacedSums
from .places import Places, given_places, learned_places, need_rows
from .row_sample import RowSample

SAMPLE = 4096  # different rows among which centres are placed


class PlacedLearner(RegressorMixin, OnePass):
    """f(x) = sum_e Phi_e(x) (a_e'x + b_e), with the Phi_e known before the sums.

    Centres that are given, or a grid over a given domain, need no look at the rows: such models add up as they are.
    Otherwise a first pass places the centres, and they travel with the statistic.
    """

    centres: Any
    width: Any
    placing: str
    domain: Any
    normalise: bool
    target: ClassVar[str | None] = "number"
    share: ClassVar[float] = 1.0  # of the distance of neighbouring centres that a width by rule has
    _places: Places

    centres_ = Fitted("Centres, (E, features).")
    widths_ = Fitted("Widths of each centre and column, (E, features).")
    slopes_ = Fitted("a_e, (E, features) or (E, targets, features).")
    intercepts_ = Fitted("b_e, (E,) or (E, targets).")
    noise_variance_ = Fitted("Variances around the lines, (E,) or (E, targets).")

    @property
    def adds_up(self) -> bool:
        """Whether any two fits are around the same centres."""
        return not need_rows(self.centres, self.placing, self.domain)

    @property
    @abstractmethod
    def form(self) -> str:
        """Which sums are needed."""

    @abstractmethod
    def lines(self, statistic: PlacedSums) -> LocalLines:
        """The fitted function."""

    def summarise(self, chunk: Chunk) -> Removable:
        places = self.given_places(chunk.X.shape[1]) if self.adds_up else self._places
        return PlacedSums.of(chunk.X, chunk.y, chunk.weight, places, self.asked(), self.form)

    def solution(self, statistic: PlacedSums) -> dict[str, Any]:
        self.check_places(statistic)
        lines = self.lines(statistic)
        single = self.__dict__.get("_single_target", lines.levels.shape[1] == 1)
        dtype = self.float_dtype
        return {
            "lines": lines,
            "centres_": statistic.centres,
            "widths_": statistic.widths,
            "slopes_": (lines.slopes[:, 0] if single else lines.slopes).astype(dtype),
            "intercepts_": (lines.intercepts[:, 0] if single else lines.intercepts).astype(dtype),
            "noise_variance_": lines.noise[:, 0] if single else lines.noise,
        }

    def predict(self, X: Any) -> np.ndarray:
        """The weighted sum of the lines at every row."""
        rows = self.rows_of(X)
        return self.shaped(self.solved()["lines"].predict(rows))

    def sample(self, X: Any, random_state: Any = None) -> np.ndarray:
        """Draw a target for every row: the prediction, and normal noise of the variance around the lines there."""
        from sklearn.utils import check_random_state

        rows = self.rows_of(X)
        return self.shaped(self.solved()["lines"].sample(rows, check_random_state(random_state)))

    def shaped(self, values: np.ndarray) -> np.ndarray:
        single = self.__dict__.get("_single_target", values.shape[1] == 1)
        return (values[:, 0] if single else values).astype(self.float_dtype)

    # -- where the centres come from ----------------------------------------------------------------------------------

    def open_table(
        self, X: Any, y: Any, weight: Any, *, reset: bool, empty_ok: bool = False, left_out: Sequence[str] = ()
    ) -> Source:
        """The source of the rows; a fresh fit places its centres first."""
        source = plain_source(
            self, X, y, weight, target=self.target, reset=reset, empty_ok=empty_ok, left_out=left_out
        )
        if not self.adds_up:
            self._places = self.learned_places(source) if reset else self.__dict__["statistic_"].places
        return source

    def given_places(self, features: int) -> Places:
        return given_places(self.centres, self.width, self.placing, self.domain, features, self.share)

    def learned_places(self, source: Source) -> Places:
        size = max(SAMPLE, 4 * whole_number(self.centres, "centres", 1))
        sample = engine_for(source).reduce(
            partial(summary_of_part, partial(sample_of, size), source), source.parts(self.chunk_factor)
        )
        if not sample.count:
            raise ValueError("sample_weight is zero for every row: the sum of the weights must be positive")
        return learned_places(sample.X, self.centres, self.width, self.placing, self.share)

    def asked(self) -> str:
        """How places were asked for that rows decide about."""
        names = () if self.adds_up else ("centres", "width", "placing")
        return ", ".join(f"{name}={np.asarray(getattr(self, name)).tolist()!r}" for name in names)

    def check_places(self, statistic: PlacedSums) -> None:
        """Refuse sums that the present parameters would not have made."""
        if self.adds_up:
            wanted = self.given_places(statistic.features)
            same = all(np.array_equal(a, b) for a, b in zip(wanted, statistic.places, strict=True))
        else:
            same = self.asked() == statistic.asked
        if not same or self.form != statistic.form:
            raise ValueError(
                "centres, width, placing, domain or normalise have changed since the sums were made: fit anew"
            )

    def _remember(self, source: Source | None) -> None:
        super()._remember(source)
        if source is not None:
            self._single_target = source.single_target

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


def sample_of(size: int, chunk: Chunk) -> RowSample:
    return RowSample.of(chunk.X, chunk.weight, size=size)
