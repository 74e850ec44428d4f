"""What forests of classes and of numbers share: parameters, bins, growth, leaves."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions

from ...data import Chunk, Source
from ...engines import cores
from ...features.seeds import drawn_seed
from ...learners.description import Complexity, Offer, Tuning
from ...learners.trees.parts.binning import BinEdges
from ...statistics.warnings import warn
from .forest_growth import ForestRows, Growing, grown
from .forest_trees import ForestTrees
from .forest_views import ForestViews

MOST_DRAWS = 2**53
LEAVES = Complexity("max_leaf_nodes", "leaves of a tree", (2, 4, 8, 16, 32, 64, 128, 256), freer="right")
OFFER = Offer("forest", "random forest", 65, tuning=Tuning("min_samples_leaf", (1, 5)), fixed={"n_estimators": 200})
CONSTRAINTS: dict[str, Any] = {
    "n_estimators": [Interval(Integral, 1, None, closed="left")],
    "max_depth": [Interval(Integral, 1, None, closed="left"), None],
    "min_samples_split": [
        Interval(Integral, 2, None, closed="left"),
        Interval(RealNotInt, 0.0, 1.0, closed="right"),
    ],
    "min_samples_leaf": [
        Interval(Integral, 1, None, closed="left"),
        Interval(RealNotInt, 0.0, 1.0, closed="neither"),
    ],
    "min_weight_fraction_leaf": [Interval(Real, 0.0, 0.5, closed="both")],
    "max_features": [
        Interval(Integral, 1, None, closed="left"),
        Interval(RealNotInt, 0.0, 1.0, closed="right"),
        StrOptions({"sqrt", "log2"}),
        None,
    ],
    "max_leaf_nodes": [Interval(Integral, 2, None, closed="left"), None],
    "min_impurity_decrease": [Interval(Real, 0.0, None, closed="left")],
    "bootstrap": ["boolean"],
    "oob_score": ["boolean", callable],
    "n_jobs": [Integral, None],
    "random_state": ["random_state"],
    "verbose": ["verbose"],
    "warm_start": ["boolean"],
    "ccp_alpha": [Interval(Real, 0.0, None, closed="left")],
    "max_samples": [
        None,
        Interval(RealNotInt, 0.0, None, closed="neither"),
        Interval(Integral, 1, None, closed="left"),
    ],
    "monotonic_cst": ["array-like", None],
}


class Forest(ForestViews):
    """Trees on bins, each on rows of its own draw and with a choice of columns at every node. For `WholeRows`."""

    reads: ClassVar[str] = "mixed"
    needs_look: ClassVar[bool] = True
    many_targets: ClassVar[bool] = True
    private: ClassVar[tuple[str, ...]] = ("_draw",)
    unsaved: ClassVar[tuple[str, ...]] = ("_draw",)

    n_estimators: int
    criterion: str
    max_depth: int | None
    min_samples_split: Any
    min_samples_leaf: Any
    min_weight_fraction_leaf: float
    max_features: Any
    max_leaf_nodes: int | None
    min_impurity_decrease: float
    bootstrap: bool
    oob_score: Any
    n_jobs: int | None
    random_state: Any
    verbose: int
    warm_start: bool
    ccp_alpha: float
    max_samples: Any
    monotonic_cst: Any
    # of the learner
    numbers: np.ndarray
    _validate_params: Any
    columns_: Any
    previous: dict[str, Any]
    look_data: Any
    rows_of: Any
    n_features_in_: int

    # -- before the rows --------------------------------------------------------------------------------------------

    def check(self) -> None:
        self._validate_params()
        if not self.bootstrap and self.max_samples is not None:
            raise ValueError(
                "`max_sample` cannot be set if `bootstrap=False`. Either switch to `bootstrap=True` or set "
                f"`max_sample=None`. Got max_samples={self.max_samples!r}"
            )
        if not self.bootstrap and self.oob_score:
            raise ValueError("Out of bag estimation only available if bootstrap=True")

    def look(self, source: Source) -> BinEdges:
        """Bins of all rows, or of a sample of large tables."""
        return BinEdges.of_source(source, self.columns_.sizes, n_jobs=self.workers)

    def kept(self, chunk: Chunk) -> Chunk:
        """Codes of bins: a byte for every number."""
        return chunk._replace(X=self.look_data().codes(chunk.X, self.workers))

    def memory_needed(self, rows: int, features: int) -> int:
        """Codes by row and by column, what a thread needs for its tree, and trees whose leaves have three rows."""
        leaves = min(rows // 3 + 1, self.max_leaf_nodes or rows)
        return rows * (2 * features + 40 + 160 * min(self.workers, self.n_estimators)) + 24 * leaves * self.n_estimators

    @property
    def workers(self) -> int:
        """Threads: all processors, unless a number is given; -2 leaves one of them."""
        given = self.n_jobs
        if given == 0:
            raise ValueError("n_jobs == 0 has no meaning: give a number of threads, or -1 for all processors")
        return cores() if given is None else max(cores() + 1 + given, 1) if given < 0 else int(given)

    # -- growth -------------------------------------------------------------------------------------------------------

    def forest_of(self, rows: ForestRows, subsample: bool = False) -> dict[str, Any]:
        """All trees, those of a fit before included, and how their rows were drawn."""
        before: ForestTrees | None = self.previous.get("trees_")
        first = 0 if before is None else len(before)
        if before is not None:
            self.check_continued(before, rows)
        if first > self.n_estimators:
            raise ValueError(
                f"n_estimators={self.n_estimators} must be larger or equal to len(estimators_)={first} when "
                "warm_start==True"
            )
        seed = self.previous.get("seed_", self.seed())
        drawn, draws = self.previous.get("draws_", np.zeros(0, np.int64)), self.draws(rows)
        learnt = {"seed_": seed, "draws_": np.append(drawn, np.full(self.n_estimators - first, draws))}
        if draws:
            learnt["rows_hash_"] = rows.fingerprint
        same = not first or (draws and self.previous.get("rows_hash_") == rows.fingerprint)
        learnt["_draw"] = (self.numbers.astype(np.int32), rows.draw if draws else None) if same else None
        if self.oob_score and drawn.any() and self.previous.get("rows_hash_") != rows.fingerprint:
            raise ValueError("oob_score with warm_start needs the rows of the fit before")
        if before is not None and first == self.n_estimators:
            warn("Warm-start fitting without increasing n_estimators does not fit new trees.", UserWarning)
            return {**learnt, "trees_": before}
        growing, total = self.growing(rows), self.n_estimators

        def tell(number: int) -> None:
            if self.verbose > 0:
                print(f"tree {number + 1} of {total}")

        own = vars(self).get("_own_seed")
        trees = grown(rows, growing, seed, range(first, total), draws, subsample, self.workers, tell, own)
        return {**learnt, "trees_": trees if before is None else before.followed_by(trees)}

    def left_out(self, rows: ForestRows, learnt: dict[str, Any]) -> np.ndarray:
        """What the trees that have not drawn a row answer to it, in the mean; NaN where there is none."""
        bags = rows.bags(learnt["seed_"], learnt["draws_"], self.workers)
        sums, answers = learnt["trees_"].answers(rows.codes, self.workers, bags)
        if (answers == 0).any():
            warn(
                "Some inputs do not have OOB scores. This probably means too few trees were used to compute any "
                "reliable OOB estimates.",
                UserWarning,
            )
        with np.errstate(invalid="ignore"):
            return sums / np.where(answers > 0, answers, np.nan)[:, None]

    def check_continued(self, before: ForestTrees, rows: ForestRows) -> None:
        """Refuse to go on with trees that were grown on other bins or labels."""
        own = rows.classes if rows.outputs == 1 else 0, rows.width
        if (before.classes, before.outputs) != own or self.previous["_look"].data != self.look_data():
            raise ValueError(
                "warm_start goes on with trees that were grown on other columns, values or labels: fit the same rows, "
                "hand over the look of the first fit by with_look(model.look_), or fit anew"
            )

    def seed(self) -> int:
        """None is a seed too: two fits on the same rows give the same forest."""
        return drawn_seed(0 if self.random_state is None else self.random_state)

    def draws(self, rows: ForestRows) -> int:
        """How many rows are drawn for a tree; 0: all are taken."""
        if not self.bootstrap or not len(rows.varying):  # nothing to split by: the answer is that of all rows
            return 0
        if self.max_samples is None:
            drawn = float(rows.weight.sum()) if rows.counts_rows and rows.factor is None else float(len(rows.codes))
            return checked_draws(drawn)
        if isinstance(self.max_samples, Integral):
            return checked_draws(int(self.max_samples))
        whole = float(rows.weight.sum() if rows.factor is None else rows.weight @ rows.factor)
        size = checked_draws(max(self.max_samples * whole // 1, 1.0))
        if size < max(10, len(rows.codes) ** (1 / 3)):
            warn(
                f"Using the fractional value max_samples={self.max_samples} when the total sum of sample weights is "
                f"{whole:g} results in a low number ({size}) of bootstrap samples. We recommend passing `max_samples` "
                "as an integer instead.",
                UserWarning,
            )
        return size

    def growing(self, rows: ForestRows) -> Growing:
        """The parameters as numbers, for so many rows and columns."""
        d, n = len(rows.varying), len(rows.codes)
        number = n if self.bootstrap or not len(rows.multiples) else int(rows.multiples.sum())
        split, leaf = self.min_samples_split, self.min_samples_leaf
        return Growing(
            self.criterion,
            features_at_a_node(self.max_features, max(d, 1)),
            2**31 if self.max_depth is None else int(self.max_depth),
            int(split) if isinstance(split, Integral) else max(2, int(np.ceil(split * number))),
            int(leaf) if isinstance(leaf, Integral) else max(1, int(np.ceil(leaf * number))),
            float(self.min_weight_fraction_leaf),
            0 if self.max_leaf_nodes is None else int(self.max_leaf_nodes),
            float(self.min_impurity_decrease),
            float(self.ccp_alpha),
            self.signs(rows),
        )

    def signs(self, rows: ForestRows) -> np.ndarray:
        """The signs of the columns that answers may only rise or fall with; none where there are none."""
        if self.monotonic_cst is None:
            return np.zeros(0, np.int64)
        signs = np.asarray(self.monotonic_cst)
        if signs.shape != (rows.codes.shape[1],):
            raise ValueError(
                f"monotonic_cst has shape {signs.shape} but the input data X has {rows.codes.shape[1]} features."
            )
        if not np.isin(signs, (-1, 0, 1)).all():
            raise ValueError(f"monotonic_cst must be None or an array-like of -1, 0 or 1, but got {signs}")
        if rows.outputs > 1:
            raise ValueError("Monotonicity constraints are not supported with multiple output.")
        if rows.classes > 2:
            raise ValueError("Monotonicity constraints are not supported with multiclass classification")
        bound = np.flatnonzero((signs != 0) & (rows.sizes > 0))
        if len(bound):
            raise ValueError(f"monotonic_cst: column {bound[0]} is a category, which has no order to be monotonic in")
        return signs.astype(np.int64) if signs.any() else np.zeros(0, np.int64)

    def codes_of(self, X: Any) -> np.ndarray:
        """The bins of rows to be answered."""
        rows = self.rows_of(X)
        return self.look_data().codes(rows, self.workers)


def checked_draws(size: float) -> int:
    """Refuse more draws than whole numbers can be told apart."""
    if size > MOST_DRAWS:
        raise ValueError(
            f"{size:.3g} rows would be drawn for every tree, more than can be counted: sample_weight is a number of "
            "rows; divide it, or give max_samples as a number"
        )
    return round(size)


def features_at_a_node(wanted: Any, features: int) -> int:
    """A number, a share, "sqrt", "log2" or None (all) as a number of columns."""
    if wanted is None:
        return features
    if isinstance(wanted, str):
        return max(1, int(np.sqrt(features) if wanted == "sqrt" else np.log2(features)))
    return int(wanted) if isinstance(wanted, Integral) else max(1, int(wanted * features))
