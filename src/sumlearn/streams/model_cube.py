"""Models of any window and any group, from sums that were taken once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from ..engines.summing import NO_WEIGHT
from ..learners.description import Description
from ..learners.fitted import Holder
from ..learners.owners import owned
from ..learners.turns import in_turn
from .parts.cube_growth import grown, with_sums
from .parts.cube_in_files import InFiles
from .parts.cube_keys import Keys, parted
from .parts.cube_leaves import ListedLeaves, StackedLeaves
from .parts.cube_parts import CubePart
from .parts.cube_rows import CubeAxes, NewLeaves, leaves_of
from .parts.cube_stack import merged_safely
from .parts.cube_time import Grain
from .parts.cube_tree import CubeTree

if TYPE_CHECKING:
    from .parts.cube_chow import ChowTest


class ModelCube(InFiles):
    """The sums of a learner by time and group: any window of any groups is a fitted model, in milliseconds.

        model(window, groups) = solve( sum of the leaves of the groups whose steps lie in the window )

    Rows are read once. Each belongs to a leaf: its step of time, as long as `grain`, and its key, the levels of the
    columns `by`. Above the leaves lies a tree of merges, eight steps or keys to a node, so that a window is the sum of
    few nodes, whatever its length. Nothing is subtracted.

    ``cube["2026-03":"2026-05", {"shop": ["A", "B"]}]`` is a model of the learner's class with all its abilities. A text
    or a date is a period, and as the end of a window it belongs to it: these are March, April and May, whole. A
    datetime or a number is an instant, and a window ends before it. Either end may be open; ``cube["2026-03"]`` is
    March, and ``cube[{"shop": "A"}]`` all of A. Windows begin and end where steps do; anything else is refused.

    Times are naive, or have a zone: then steps, days and months too, are those of UTC. One cube takes one of the two.
    A step is [k g, (k + 1) g) of a grain g, from 1970-01-01 on, weeks from a Monday, months by the calendar.

    Statistic: that of the learner, one for each leaf; full moments of p up to 128 columns in arrays, 8 (p + 2)^2
    bytes each, others as objects. One pass. Cost: summarise as the learner, a query O(log n) merges.

    Parameters
    ----------
    learner : learner whose sums add up
        Such as Ridge, LinearDiscriminantAnalysis or PCA.
    time : str
        The column of times: dates, datetimes with or without a zone, or numbers.
    grain : str or number
        Length of a step: a number and "s", "min", "h", "d", "w", "mo" or "y", such as "15min" or "1mo"; where times are
        numbers, a number.
    by : str or list of str, default=()
        Columns whose levels are told apart: texts, whole numbers, truth values or categories. They and `time` are no
        features: where one should be, copy the column.

    Attributes
    ----------
    keys_ : list of tuples
        The combinations of levels that rows have had, in the order of their numbers.
    n_leaves_ : int
    start_, end_
        Where the first step begins, and where the last one ends.
    nbytes, bytes_per_leaf : int
        What the cube takes in memory, its nodes included, and what each of its sums does.

    Examples
    --------
    >>> import pandas as pd
    >>> import sumlearn as sl
    >>> sales = pd.DataFrame({
    ...     "day": pd.date_range("2026-01-01", periods=120, freq="D"), "shop": ["A", "B"] * 60,
    ...     "price": [1.0, 2.0, 3.0, 4.0, 5.0] * 24})
    >>> sales["sold"] = 20 - 2.0 * sales["price"] + (sales["day"] >= "2026-03-01") * sales["price"]
    >>> cube = sl.ModelCube(sl.LinearRegression(), time="day", grain="1d", by="shop").fit(sales, "sold")
    >>> cube["2026-01":"2026-02"].coef_, cube["2026-03":, {"shop": "A"}].coef_
    (array([-2.]), array([-1.]))
    >>> cube.compare("2026-02", "2026-03").change["price"]
    1.0

    References
    ----------
    Chan, Golub & LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances", 1979; Gray et
    al., "Data cube: a relational aggregation operator", 1997; Chow, "Tests of equality between sets of coefficients in
    two linear regressions", 1960.
    """

    description: ClassVar[Description] = Description(parts=(StackedLeaves, ListedLeaves))

    _axes: CubeAxes
    _model: Any  # the learner with what it knows of its columns, and no sums
    _keys: Keys
    _tree: CubeTree
    _target: Any
    _weights: Any

    def __init__(self, learner: Any, *, time: str, grain: Any, by: str | Sequence[str] = ()) -> None:
        names = (by,) if isinstance(by, str) else tuple(by)
        for name in (time, *names):
            if not isinstance(name, str):
                raise TypeError(f"time and by name columns, got {name!r}")
        if len({time, *names}) <= len(names):
            raise ValueError(f"time and by name different columns, got {[time, *names]}")
        able: Any = getattr(learner, "own_abilities", tuple)()
        if "merge" not in able or not hasattr(learner, "summariser"):
            raise ValueError(f"a cube needs a learner whose sums add up; {type(learner).__name__} has none that do")
        self.learner, self.time, self.grain, self.by = learner, time, grain, names
        self._axes = CubeAxes(time, names, Grain.of(grain))

    def __repr__(self) -> str:
        fitted = f", {self.n_leaves_:,} leaves" if "_tree" in vars(self) else ""
        return f"ModelCube({self.learner!r}, time={self.time!r}, grain={self.grain!r}, by={list(self.by)}{fitted})"

    # -- learning ---------------------------------------------------------------------------------------------------

    @in_turn
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Take the sums of rows: X a data frame or files (a path, a list of them, or `data.Files`), y and the weights
        names of columns, or arrays. What was there before is forgotten."""
        keys, axes = Keys(self.by), CubeAxes(self.time, self.by, Grain.of(self.grain))
        learner = self.learner.without_fit()
        new = leaves_of(learner, X, y, sample_weight, axes, keys, reset=True)
        if not len(new.codes):
            raise ValueError(NO_WEIGHT)
        tree = grown(new.codes, new.stack)
        named = {
            "_target": y if isinstance(y, str) else None,
            "_weights": sample_weight if isinstance(sample_weight, str) else None,
        }
        return self._commit(new, tree, named | {"_file": None, "_changed": None})

    @in_turn
    def append(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Take in more rows, of any time and any key, new ones too; without y and weights the columns of the fit.

        Rows that are refused change nothing.
        """
        new = self._read(X, y, sample_weight)
        return self if not len(new.codes) else self._commit(new, with_sums(self._tree, new.codes, new.stack))

    @in_turn
    def apply(
        self,
        changes: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        sign: str = "sign",
        old: Any = None,
        new: Any = None,
    ) -> ModelCube:
        """Take in rows that came late, were corrected or deleted.

        `changes` is a frame with a column `sign`: 1 for rows that are there from now on, -1 for rows that are not. Or
        `old` and `new` are frames of rows before and after their correction. All are taken in, then all removed; what
        cannot have been there is refused, and then nothing is changed. The result is that of a cube that never had the
        rows. Needs a learner that can forget.
        """
        from .parts.cube_changes import applied

        return applied(self, changes, y, sample_weight, sign, old, new)

    # -- asking -------------------------------------------------------------------------------------------------------

    def __getitem__(self, item: Any) -> Any:
        """The model of a window, of some groups, or of a window of some groups."""
        now = self._as_it_is()
        return owned(now._solve(now._nodes(item), item), self, now._part(item))

    @property
    def total(self) -> Any:
        """The model of all rows."""
        return self[:]

    def roll(
        self, window: Any, step: Any = None, by: str | Sequence[str] | None = None, *, partial: bool = False
    ) -> Any:
        """Models over rolling windows as a table: no object is made for any of them.

        A row for every group of `by` (columns of the cube; all together without any) and every window of that length
        that lies within the time of the cube; with `partial` those that begin before it too. Windows end a `step` apart
        (the grain, unless it is given), the last one at `end_`. Columns: those of `by`, ``start``, ``end`` (not in the
        window), ``weight``, a coefficient for every feature, ``intercept``, ``r2``, ``rmse`` (both of the rows of the
        window) and ``hard``: whether the system went the careful road, since its condition is above 1e12 or columns
        depend on others. Windows without rows are left out. For Ridge and LinearRegression of one target.
        """
        from .parts.cube_roll import rolled

        return rolled(self._as_it_is(), window, step, by, partial)

    def compare(self, before: Any, after: Any) -> ChowTest:
        """Whether two windows, or groups, have the same coefficients: the Chow test of least squares.

            F = (RSS - RSS_1 - RSS_2) / k / ((RSS_1 + RSS_2) / (N_1 + N_2 - 2k)),   F(k, N_1 + N_2 - 2k) if they have

        `before` and `after` are what stands in the brackets of ``cube[...]``. It is the test of the learner's columns
        without a penalty, whatever that of the learner is; both parts are taken to have noise of one variance. N is the
        sum of the weights.
        """
        from .parts.cube_chow import chow

        return chow(self._as_it_is(), before, after)

    # -- what is there ------------------------------------------------------------------------------------------------

    @property
    def keys_(self) -> list[tuple[Any, ...]]:
        return list(self._fitted()._keys.combos)

    @property
    def n_leaves_(self) -> int:
        return len(self._fitted()._tree.leaves.codes)

    @property
    def start_(self) -> Any:
        return self._axes.grain.label(self._fitted()._tree.span[0])

    @property
    def end_(self) -> Any:
        return self._axes.grain.label(self._fitted()._tree.span[1] + 1)

    @property
    def nbytes(self) -> int:
        return self._fitted()._tree.stack.nbytes + sum(f.codes.nbytes + f.numbers.nbytes for f in self._tree.floors)

    @property
    def bytes_per_leaf(self) -> int:
        return self._fitted()._tree.stack.bytes_each

    # -- how ----------------------------------------------------------------------------------------------------------

    def _fitted(self) -> Self:
        if "_tree" not in vars(self):
            raise NotFittedError("This ModelCube is not fitted yet: call fit with a data frame or files first")
        return self

    def _as_it_is(self) -> Self:
        """What is held now, whatever another thread takes in meanwhile."""
        now = object.__new__(type(self))
        now.__dict__.update(self.__dict__)
        return now

    def _read(self, X: Any, y: Any, weight: Any, keys: Keys | None = None) -> NewLeaves:
        """The leaves of more rows, by what is known of the columns."""
        known = self._fitted().total.twin()
        y = self._target if y is None else y
        weight = self._weights if weight is None else weight
        return leaves_of(known, X, y, weight, self._axes, self._keys if keys is None else keys, reset=False)

    def _commit(self, new: NewLeaves, tree: CubeTree, more: Mapping[str, Any] | None = None) -> Self:
        """Take all over in one step: whoever asks meanwhile has the cube of before."""
        model = new.learner.twin()
        for name in ("statistic_", "_holder", "_ledger", "_owner", "_shared"):
            model.__dict__.pop(name, None)
        axes = CubeAxes(self.time, self.by, Grain.of(self.grain), new.zone)
        changed = self.__dict__.get("_changed")
        known = {"_axes": axes, "_model": model, "_keys": new.keys, "_tree": tree}
        if changed is not None:
            known["_changed"] = np.union1d(changed, new.codes)
        self.__dict__ = self.__dict__ | known | dict(more or {})
        return self

    def _nodes(self, item: Any) -> np.ndarray:
        window, groups = parted(item)
        keys = None if groups is None else self._fitted()._keys.chosen(groups)
        first, last = self._axes.grain.window(window, str(self._fitted()._axes.zone))
        return self._tree.nodes(keys, first, last)

    def _part(self, item: Any) -> CubePart:
        """What a model is made of: steps and keys, None where all are meant."""
        window, groups = parted(item)
        keys = None if groups is None else tuple(self._keys.chosen(groups).tolist())
        return CubePart(*self._axes.grain.window(window, str(self._axes.zone)), keys)

    def _solve(self, nodes: np.ndarray, item: Any) -> Any:
        """The model of some nodes together."""
        if not len(nodes):
            raise ValueError(f"no rows in {item!r}; the cube has rows from {self.start_} to {self.end_}")
        merged = merged_safely(self._tree.stack, nodes, np.array([0, len(nodes)]))
        return self._model_of(merged.at(0))

    def _model_of(self, statistic: Any) -> Any:
        work = self._model.twin()
        work.statistic_, work._holder = statistic, Holder()
        if hasattr(statistic, "look"):  # it travels with the sums
            work.__dict__.pop("_look", None)
        check_is_fitted(work)
        return work
