"""BaggedMembers: the members of a bag, what they have drawn, and what they say together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ...engines import in_threads
from ...evaluation.resampling.bootstrap import Bootstrap, parameter_of
from ...learners.learner import Learner

AHEAD = 8  # answers of members that wait to be added up, for each thread


class BaggedMembers:
    """Members that were fitted, each on rows and columns of its own."""

    n_jobs: int | None
    estimator_: Any
    estimators_: list[Any]
    estimators_features_: list[np.ndarray]
    rows_of: Any  # of the learner
    sparse_ok: Any  # of the learner

    @property
    def workers(self) -> int | None:
        """Threads for members: one, unless more are asked for, where they are of another library."""
        return 1 if self.n_jobs is None and not isinstance(self.estimator_, Learner) else threads(self.n_jobs)

    # -- what was drawn -----------------------------------------------------------------------------------------------

    @property
    def estimators_samples_(self) -> list[np.ndarray]:
        """The places of the rows that each member has drawn; a model that was read from a file does not have them."""
        if vars(self).get("_draws") is None:
            raise AttributeError("which rows a member has drawn is known to the model that was fitted, and in no file")
        draws, places = vars(self)["_draws"], vars(self)["_places"]
        return [places[draws.of(member)[1]] for member in range(len(draws))]

    def parameters(self, statistic: Any = None) -> Bootstrap:
        """How a parameter is spread over the members: mean, deviation and percentile intervals.

        `statistic` is the name of an attribute or a function of a member; None is ``coef_``. The estimate that `bias`
        compares with is that of all rows where members come from sums, NaN elsewhere.
        """
        values = [parameter_of(member, statistic) for member in self.estimators_]
        for m, value in enumerate(values):
            if value.shape != values[0].shape:
                raise ValueError(
                    f"the statistic has shape {value.shape} in member {m} and {values[0].shape} in the first: a class "
                    "that its rows lack? Give a statistic that has always the same shape"
                )
        whole = vars(self).get("_whole")
        estimate = np.full(values[0].shape, np.nan) if whole is None else parameter_of(whole, statistic)
        return Bootstrap(estimate, np.array(values), None, "none")

    # -- answers ------------------------------------------------------------------------------------------------------

    def asked(self, X: Any) -> Any:
        return self.rows_of(X, sparse_ok=self.sparse_ok)

    def each(self, ask: Callable[[int], Any], add: Callable[[Any, Any], Any], members: Sequence[int]) -> Any:
        """ask(member) for all of them, added up in their order."""
        total: Any = None
        for first in range(0, len(members), AHEAD):
            for answer in in_threads(ask, members[first : first + AHEAD], self.workers):
                total = answer if total is None else add(total, answer)
        return total

    def own_columns(self, rows: Any, member: int) -> Any:
        """The columns of a member."""
        columns = self.estimators_features_[member]
        whole = len(columns) == rows.shape[1] and (columns == np.arange(len(columns))).all()
        return rows if whole else rows[:, columns]

    def __len__(self) -> int:
        """How many members there are."""
        check_is_fitted(self)
        return len(self.estimators_)

    def __getitem__(self, number: int) -> Any:
        check_is_fitted(self)
        return self.estimators_[number]

    def __iter__(self) -> Iterator[Any]:
        check_is_fitted(self)
        return iter(self.estimators_)


def threads(n_jobs: int | None) -> int | None:
    return None if n_jobs is None or n_jobs < 1 else n_jobs
