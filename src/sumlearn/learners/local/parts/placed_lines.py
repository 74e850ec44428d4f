"""What learners around centres share: where the centres come from, predictions, draws."""

from __future__ import annotations

from abc import abstractmethod
from functools import partial
from typing import Any, ClassVar

import numpy as np
from sklearn.base import RegressorMixin

from ....data import Chunk, Source
from ....engines import total
from ....features.input_ranges import whole_number
from ....statistics import RowSample
from ...fitted import Fitted
from ...linear_map import numbers_of
from ...sampling import draws_of
from .lines import LocalLines
from .placed_sums import PlacedSums
from .places import Places, given_places, learned_places, need_rows

SAMPLE = 4096  # different rows among which centres are placed


class PlacedLines(RegressorMixin):
    """f(x) = sum_e Phi_e(x) (a_e'x + b_e), with the Phi_e known before the sums; for one-pass learners.

    Centres that are given, or a grid over a given domain, need no look at the rows: such models add up as they are.
    Otherwise a first pass places the centres, and they travel with the statistic.
    """

    statistic_type: Any = PlacedSums
    many_targets = True
    look_parameters: ClassVar[tuple[str, ...]] = ("centres", "width", "placing", "domain")
    centres: Any
    width: Any
    placing: str
    domain: Any
    normalise: bool
    share: ClassVar[float] = 1.0  # of the distance of neighbouring centres that a width by rule has
    rows_of: Any  # of the learner
    solved: Any
    float_dtype: Any
    chunk_factor: int

    centres_ = Fitted("Centres, (E, features).")
    widths_ = Fitted("Widths of each centre and column, (E, features).")
    covariances_ = Fitted("Sigma_e, (E, features, features), where covariances were given.")
    slopes_ = Fitted("a_e, (E, features) or (E, targets, features).")
    intercepts_ = Fitted("b_e, (E,) or (E, targets).")
    noise_variance_ = Fitted("Variances around the lines, (E,) or (E, targets).")

    @property
    def needs_look(self) -> bool:
        """Whether rows decide about the centres."""
        return need_rows(self.centres, self.placing, self.domain)

    @property
    @abstractmethod
    def form(self) -> str:
        """Which sums are needed."""

    @abstractmethod
    def lines(self, statistic: PlacedSums) -> LocalLines:
        """The fitted function."""

    def look(self, source: Source) -> Places:
        """Where the Gaussians stand."""
        if not self.needs_look:
            return self.given_places(source.features)
        size = max(SAMPLE, 4 * whole_number(self.centres, "centres", 1))
        sample = total(partial(sample_of, size), source, factor=self.chunk_factor)
        return learned_places(sample.X, self.centres, self.width, self.placing, self.share)

    def summarise(self, chunk: Chunk, look: Places | None = None) -> PlacedSums:
        places = self.given_places(chunk.X.shape[1]) if look is None else look
        return PlacedSums.of(chunk.X, chunk.y, chunk.weight, places, self.asked(), self.form)

    def solution(self, statistic: PlacedSums) -> dict[str, Any]:
        self.check_places(statistic)
        lines = self.lines(statistic)
        single = self.__dict__.get("_single_target", lines.levels.shape[1] == 1)
        dtype = self.float_dtype
        return {
            "lines": lines,
            "centres_": statistic.centres,
            **spread_of(statistic.widths),
            "slopes_": (lines.slopes[:, 0] if single else lines.slopes).astype(dtype),
            "intercepts_": (lines.intercepts[:, 0] if single else lines.intercepts).astype(dtype),
            "noise_variance_": lines.noise[:, 0] if single else lines.noise,
        }

    def lines_in_use(self) -> LocalLines:
        """Those of another model that this one was made of, or those of the sums."""
        return self.given_ if "given_" in self.__dict__ else self.solved()["lines"]

    def predict(self, X: Any) -> np.ndarray:
        """The weighted sum of the lines at every row."""
        rows = self.rows_of(X)
        return self.shaped(numbers_of(self.lines_in_use().predict(rows)))

    def sample(self, X: Any, random_state: Any = None, *, n: int | None = None) -> np.ndarray:
        """Draw a target for every row: the prediction, and normal noise of the variance around the lines there.

        Of a mixture, one of its Gaussians is drawn first: a draw from p(y | x). With `n`, so many draws along the first
        axis.
        """
        from sklearn.utils import check_random_state

        rows, lines, random = self.rows_of(X), self.lines_in_use(), check_random_state(random_state)
        if n is None:
            return self.shaped(lines.sample(rows, random))
        return np.stack([self.shaped(lines.sample(rows, random)) for _ in range(*draws_of(n))])

    def shaped(self, values: np.ndarray) -> np.ndarray:
        single = self.__dict__.get("_single_target", values.shape[1] == 1)
        return (values[:, 0] if single else values).astype(self.float_dtype)

    # -- where the centres come from ----------------------------------------------------------------------------------

    def given_places(self, features: int) -> Places:
        return given_places(self.centres, self.width, self.placing, self.domain, features, self.share)

    def asked(self) -> str:
        """How places were asked for that rows decide about."""
        names = ("centres", "width", "placing") if self.needs_look else ()
        return ", ".join(f"{name}={np.asarray(getattr(self, name)).tolist()!r}" for name in names)

    def check_places(self, statistic: PlacedSums) -> None:
        """Refuse sums that the present parameters would not have made."""
        if self.needs_look:
            same = self.asked() == statistic.asked
        else:
            # the first release took a matrix of features x features for deviations of so many centres
            deviations = np.array_equal(self.width, statistic.widths)
            width = 1.0 if deviations else self.width
            wanted = given_places(self.centres, width, self.placing, self.domain, statistic.features, self.share)
            same = np.array_equal(wanted.centres, statistic.centres)
            same = same and (deviations or np.array_equal(wanted.widths, statistic.widths))
        if not same or self.form != statistic.form:
            raise ValueError(
                "centres, width, placing, domain or normalise have changed since the sums were made: fit anew"
            )


def spread_of(widths: np.ndarray) -> dict[str, np.ndarray]:
    if widths.ndim == 2:
        return {"widths_": widths}
    return {"widths_": np.sqrt(np.einsum("ejj->ej", widths)), "covariances_": widths}


def sample_of(size: int, chunk: Chunk) -> RowSample:
    return RowSample.of(chunk.X, chunk.weight, size=size)
