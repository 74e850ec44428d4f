"""Bag: what bagging of classifiers and of regressions share; members from sums where they are learners on moments."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import has_fit_parameter

from ...data import Chunk, split_target
from ...data.collections import is_dask
from ...engines import in_threads
from ...features.input_ranges import is_number, whole_number
from ...statistics import Pooled
from ...statistics.warnings import warn
from .bagged_members import BaggedMembers, threads
from .bagging_draws import BaggingDraws, numbers_drawn, seeds_of
from .member_sums import MemberSums, adds_up, are_worth_it, is_sum_of
from .objects import Objects
from .seeded import seeded, seeds_in

LACKING = (
    "Some inputs do not have OOB scores. This probably means too few estimators were used to compute any reliable oob "
    "estimates."
)
VARIANTS = {
    "n_estimators": (4,),
    "max_samples": (None, 0.7),
    "max_features": (1.0, 2),
    "bootstrap_features": (False, True),
}
AT_A_TIME = 2**28  # bytes of how often rows were drawn, of members that are summed together


class Bag(BaggedMembers):
    """Of a learner with the parameters of scikit-learn's bagging, of which it has the draws too."""

    estimator: Any
    n_estimators: int
    max_samples: Any
    max_features: Any
    bootstrap: bool
    bootstrap_features: bool
    oob_score: bool
    warm_start: bool
    random_state: Any
    previous: dict[str, Any]
    numbers: np.ndarray
    n_features_in_: int
    private: ClassVar[tuple[str, ...]] = ("_draws", "_places", "_whole")
    unsaved: ClassVar[tuple[str, ...]] = ("_draws", "_places", "_whole")
    copies: ClassVar[int] = 2
    numbered: ClassVar[bool] = True  # draws are numbers of rows: other rows are drawn where these come in another order

    @property
    @abstractmethod
    def estimator_(self) -> Any:
        """What members are copies of."""

    @abstractmethod
    def left_out(self, rows: Chunk, y: np.ndarray, members: list[Any], draws: BaggingDraws) -> dict[str, Any]:
        """The answers to rows that members have not drawn, and how good they are."""

    # -- what is read -------------------------------------------------------------------------------------------------

    @property
    def takes_gaps(self) -> bool:
        """Whether NaN is left to the members: to a pipeline, if its first step takes it."""
        tags = self.first_tags
        return bool(tags.input_tags.allow_nan or tags.no_validation)

    @property
    def takes_infinity(self) -> bool:
        """Whether infinity is left to the members as well: to those that say that they take anything."""
        return bool(self.first_tags.no_validation)

    @property
    def first_tags(self) -> Any:
        """The tags of whoever sees the rows first: of a pipeline, its first step."""
        base = self.estimator_
        return get_tags(base.steps[0][1] if hasattr(base, "steps") else base)

    @property
    def sparse_ok(self) -> bool:
        """Whether members are given sparse rows as they are."""
        return bool(get_tags(self.estimator_).input_tags.sparse)

    def check(self) -> None:
        base = self.estimator
        if isinstance(base, type) or not (base is None or (hasattr(base, "fit") and hasattr(base, "predict"))):
            raise ValueError(f"estimator must be an estimator with fit and predict, or None, got {base!r}")
        if getattr(base, "reads", None) == "table":
            raise ValueError(f"{type(base).__name__} reads tables: put the {type(self).__name__} inside of it")
        whole_number(self.n_estimators, "n_estimators", 1)
        for name, none_ok in (("max_samples", True), ("max_features", False)):
            value = getattr(self, name)
            whole = isinstance(value, Integral)
            fits = is_number(value) and (int(value) >= 1 if whole else 0.0 < value <= 1.0)
            if not (fits or (none_ok and value is None)):
                raise ValueError(
                    f"{name} must be a whole number of at least 1 or a share in (0, 1]{' or None' * none_ok}, "
                    f"got {value!r}"
                )
        for name in ("bootstrap", "bootstrap_features", "oob_score", "warm_start"):
            if not isinstance(getattr(self, name), bool | np.bool_):
                raise ValueError(f"{name} must be True or False, got {getattr(self, name)!r}")
        jobs: Any = self.n_jobs
        if not (jobs is None or (is_number(jobs) and isinstance(jobs, Integral))):
            raise ValueError(f"n_jobs must be a whole number or None, got {jobs!r}")
        check_random_state(self.random_state)
        if not self.bootstrap and self.oob_score:
            raise ValueError("Out of bag estimation only available if bootstrap=True")
        if self.warm_start and self.oob_score:
            raise ValueError("Out of bag estimate only available if warm_start=False")

    # -- learning -----------------------------------------------------------------------------------------------------

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        columns: Sequence[str] | None = None,
        drop: Sequence[str] = (),
    ) -> Self:
        """Learn from rows, as any learner does. Rows of one of the `groups` are drawn together.

        `groups` has an entry for each row, or names a column of a table. Then samples are made of whole groups, all of
        which are as likely; `max_samples` counts groups, and weights are numbers of rows. A row is out of bag where
        its group is: that error is one of new groups.
        """
        if sample_weight is not None and not self.bootstrap and groups is None:
            warn(
                f"When fitting {type(self).__name__} with sample_weight it is recommended to use bootstrap=True, got "
                f"{self.bootstrap}.",
                UserWarning,
            )
        if groups is None:
            return super().fit(X, y, sample_weight, columns=columns, drop=drop)  # type: ignore[misc]
        X, groups = split_target(X, groups, "groups")
        work: Any = self.twin()  # type: ignore[attr-defined]
        work._together = Objects(groups)
        if hasattr(X, "shape") and not is_dask(X):
            work._together.refuse_other(X.shape[0])
        super(Bag, work).fit(X, y, sample_weight, columns=columns, drop=drop)  # type: ignore[misc]
        del work._together
        return self.commit(work)  # type: ignore[attr-defined]

    def bag_of(self, rows: Chunk, y: np.ndarray, labels: list[Any] | None) -> dict[str, Any]:
        """Members and what belongs to them, for targets as members are given them."""
        assert rows.weight is not None
        known = list(self.previous.get("estimators_", ()))
        more = self.n_estimators - len(known)
        if more < 0:
            raise ValueError(
                f"n_estimators={self.n_estimators} must be larger or equal to len(estimators_)={len(known)} when "
                "warm_start==True"
            )
        if not more:
            warn("Warm-start fitting without increasing n_estimators does not fit new trees.", UserWarning)
        draws = self.drawn(rows.X.shape, rows.weight, len(known), more)
        members = self.members(rows.X, y, rows.weight, labels, draws) if more else []
        columns = [draws.columns_of(m) for m in range(more)]
        told: dict[str, Any] = {
            "estimators_": known + members,
            "estimators_features_": [*self.previous.get("estimators_features_", ()), *columns],
            "_draws": draws if more else self.previous["_draws"],
            "_places": self.numbers if more else self.previous["_places"],
        }
        if "_whole" in vars(self):
            told["_whole"] = vars(self)["_whole"]
        return told | (self.left_out(rows, y, members, draws) if self.oob_score else {})

    def drawn(self, shape: tuple[int, int], weight: np.ndarray, known: int, more: int) -> BaggingDraws:
        """How members draw their rows and columns."""
        n, d = shape
        weighted, groups = bool((weight != 1.0).any()), self.groups_here(n)
        units = n if groups is None else int(groups.max()) + 1
        size = numbers_drawn(self.max_samples, units, float(weight.sum()) if groups is None else float(units))
        if not self.bootstrap and size > units:
            what = "n_samples" if groups is None else "number of groups"
            raise ValueError(
                f"Effective max_samples={size} must be <= {what}={units} to be able to sample without replacement."
            )
        columns = int(self.max_features if isinstance(self.max_features, Integral) else self.max_features * d)
        if columns > d:
            raise ValueError("max_features must be <= n_features")
        return BaggingDraws(
            seeds_of(check_random_state(0 if self.random_state is None else self.random_state), known, more),
            n,
            d,
            size,
            max(columns, 1),
            self.bootstrap,
            self.bootstrap_features,
            weight / weight.sum() if weighted and groups is None else None,
            groups,
            weight if weighted and groups is not None else None,
        )

    def groups_here(self, rows: int) -> np.ndarray | None:
        """The group of every row that weighs something, as numbers without gaps; None where rows are drawn."""
        given: Objects | None = vars(self).get("_together")
        if given is None:
            return None
        if self.numbers[-1] >= len(given.codes):
            given.refuse_other(int(self.numbers[-1]) + 1)
        return np.unique(given.codes[self.numbers], return_inverse=True)[1].ravel()

    def members(
        self, X: Any, y: np.ndarray, mass: np.ndarray, labels: list[Any] | None, draws: BaggingDraws
    ) -> list[Any]:
        """The members, fitted."""
        found: list[Any] = [None] * len(draws)
        base = self.estimator_
        if adds_up(base, X) and not draws.replace_columns:
            found = self.from_sums(base, X, y, mass, labels, draws)
        weights_ok = bool(has_fit_parameter(base, "sample_weight"))

        def one(member: int) -> Any:
            learner = seeded(clone(base), draws.generator(member))
            columns, drawn = draws.of(member)
            own = X if draws.of_all_columns else X[:, columns]
            if weights_ok:
                learner.fit(own, y, sample_weight=draws.weights(member))
            elif draws.masses is not None:
                raise ValueError(
                    f"{type(base).__name__} takes no sample_weight, and rows of groups keep theirs: leave it out"
                )
            else:
                learner.fit(own[drawn], y[drawn])
            return learner

        missing = [member for member, model in enumerate(found) if model is None]
        for member, model in zip(missing, in_threads(one, missing, self.workers), strict=True):
            found[member] = model
        return found

    def from_sums(
        self, base: Any, X: np.ndarray, y: np.ndarray, mass: np.ndarray, labels: Any, draws: BaggingDraws
    ) -> list[Any]:
        """Members of a learner on moments, all at once; None where that is not precise enough, or not what it sums."""
        found: list[Any] = [None] * len(draws)
        Y = y[:, None] if y.ndim == 1 else y
        pooled, (n, d) = base.statistic_type is Pooled, X.shape
        targets = 0 if pooled else Y.shape[1]
        if pooled != (labels is not None):
            return found
        if not are_worth_it(n, d + targets):
            self._whole = clone(base).fit(X, y, mass)
            return found
        base.check()
        Z, code = X if pooled else np.column_stack([X, Y]), y if pooled else None
        table = MemberSums(Z, code, labels or [], targets)
        if not np.isfinite(table.Z).all() or not table.in_range:
            return found
        whole = table.statistics(np.ones((1, n), np.uint16), 1)[0]
        if whole is None or not is_sum_of(base, X, y, whole):
            return found
        plain, names = clone(base), seeds_in(base)
        whole = whole if (mass == 1.0).all() else table.statistics(mass[None], 1)[0]
        self._whole = clone(base).fit(X, y, mass) if whole is None else plain.twin().solve(whole)
        if draws.groups is not None:
            table = MemberSums(Z, code, labels or [], targets, draws.groups, draws.masses)
        size = int(np.clip(AT_A_TIME // (2 * draws.units), 1, len(draws)))
        for first in range(0, len(draws), size):
            some = range(first, min(first + size, len(draws)))
            times = np.array(in_threads(draws.unit_times, some, threads(self.n_jobs)), dtype=draws.counts)
            for member, sums in zip(some, table.statistics(times, threads(self.n_jobs)), strict=True):
                if sums is not None:
                    if not draws.of_all_columns:
                        sums = sums.restrict(draws.columns_of(member))
                    found[member] = seeded(plain.twin(), draws.generator(member), names).solve(sums)
        return found
