"""Regression trees."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from ..description import Complexity, Description, Offer, Tuning
from ..roads import Roads
from .parts.binning import BinEdges
from .parts.pruning import at_cost
from .parts.settings import check_growth, columns_tried, growth_of
from .parts.tree import Tree
from .parts.tree_mixin import TreeMixin
from .parts.two_roads import TwoRoads

CRITERIA = ("squared_error", "friedman_mse", "absolute_error", "poisson")


class DecisionTreeRegressor(TwoRoads, TreeMixin, RegressorMixin, Roads):
    """Numbers by questions about one column at a time (CART).

        squared_error    I = sum w (y - m)^2 / sum w,        m the mean of a node
        absolute_error   I = sum w |y - m| / sum w,          m its weighted median
        poisson          I = sum w y log(y / m) / sum w,     m the mean; y >= 0

    A node is cut where most impurity goes, |S| I(S) - |S_l| I(S_l) - |S_r| I(S_r), and a leaf predicts its m; of
    several targets impurities are averaged. The levels of a category are divided along their means, which is best for
    one target and squares (Fisher 1958), and for the other criteria a good choice among very many. A gap takes the
    branch that gains most. Sums are exact: targets are taken around the mean of their node, in units that let no sum be
    rounded, so the order of rows changes nothing.

    Statistic: none, all rows are kept while the tree grows; "histogram": whole-number sums of bins, one pass for each
    level. No merge, no forget. Cost: O(n d log n) to sort, O(n d) for each level of depth, for absolute errors
    O(n d log n) for each.

    Parameters
    ----------
    criterion : {"squared_error", "friedman_mse", "absolute_error", "poisson"}, default="squared_error"
        Impurity I. "friedman_mse" prefers the same cuts as "squared_error", and is deprecated as in scikit-learn.
    splitter, max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, max_features, random_state, \
max_leaf_nodes, min_impurity_decrease, ccp_alpha, monotonic_cst
        As in scikit-learn; `min_samples_*` count rows whatever they weigh.
    method : {"exact", "histogram"}, default="exact"
        "exact" has all rows in memory, says so beforehand, and tries every cut. "histogram" reads files and Dask
        collections chunk by chunk, a pass for each level of depth, and cuts between at most `max_bins` bins of a
        column, of about equal weight: rows that share a bin stay together, so a cut may miss the best place by the
        weight of a bin, W / max_bins (columns of fewer values lose nothing). Sums are whole numbers: any chunks and
        any cluster give the same bits; targets are resolved to 2^-40 of their range. It is level by level, so it has
        no `max_leaf_nodes`, nor random cuts.
    max_bins : int, default=255
        Most bins of a column, for "histogram".
    categorical_features : "from_dtype", mask, places or names, default="from_dtype"
        Columns that are categories; by default those that a table says are.

    Attributes
    ----------
    tree_ : Tree
        Nodes as arrays, under scikit-learn's names.
    n_outputs_, max_features_, feature_importances_
        As in scikit-learn.
    columns_ : CodedColumns
        Names and levels of the columns.

    Examples
    --------
    >>> from sumlearn import DecisionTreeRegressor
    >>> from sumlearn.data import load_example
    >>> rows = load_example("faithful").X
    >>> model = DecisionTreeRegressor(max_depth=1).fit(rows[:, :1], rows[:, 1])
    >>> print(model.tree_.threshold[0].round(3), model.predict([[2.0], [4.0]]).round(2))
    2.984 [54.49 79.99]

    References
    ----------
    Breiman, Friedman, Olshen & Stone, "Classification and regression trees", 1984; Fisher, "On grouping for maximum
    homogeneity", 1958.
    """

    description = Description(
        offers=(
            Offer("tree", "regression tree", 44, {"min_samples_leaf": 5}, tuning=Tuning("max_depth", (3, 6, None)),
                  extra=True),
        ),
        complexity=Complexity("max_depth", "depth of the tree", (1, 2, 3, 4, 6, 8, 12), log=False, freer="right"),
        parts=(Tree, BinEdges),
        lacks={"sample": "leaves of a tree that is grown to the end hold one value: there is no noise to draw from"},
        variants={"ccp_alpha": (0.0, 0.02), "criterion": CRITERIA[::2], "max_depth": (None, 3)},
    )

    target = "number"
    many_targets = True

    def __init__(
        self,
        *,
        criterion: str = "squared_error",
        splitter: str = "best",
        max_depth: int | None = None,
        min_samples_split: Any = 2,
        min_samples_leaf: Any = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = None,
        random_state: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float = 0.0,
        monotonic_cst: Any = None,
        method: str = "exact",
        max_bins: int = 255,
        categorical_features: Any = "from_dtype",
    ) -> None:
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.ccp_alpha = ccp_alpha
        self.monotonic_cst = monotonic_cst
        self.method = method
        self.max_bins = max_bins
        self.categorical_features = categorical_features

    def check(self) -> None:
        check_growth(self, CRITERIA)
        self.check_roads()
        if self.method == "histogram" and self.criterion in ("absolute_error", "poisson"):
            raise ValueError(f"criterion must be 'squared_error' with method='histogram', got {self.criterion!r}")
        if self.criterion == "friedman_mse":
            warnings.warn(
                'Value `"friedman_mse"` for `criterion` is deprecated: "squared_error" prefers the same cuts.',
                FutureWarning,
                stacklevel=4,
            )

    def learnt(self, X: np.ndarray, sizes: np.ndarray, y: np.ndarray, weight: np.ndarray) -> dict[str, Any]:
        """Fitted attributes, from coded rows."""
        y = y.reshape(len(y), -1).astype(np.float64)
        self.check_range(float(y.min()), float(y.max()))
        growth = growth_of(self, len(X), float(weight.sum()), sizes, 0, y.shape[1])
        return self.described(growth.tree(X, sizes, y, 0, weight))

    def check_range(self, low: float, high: float) -> None:
        """Refuse targets that the criterion has no place for."""
        if self.criterion == "poisson" and low < 0:
            raise ValueError(
                f"Some value(s) of y are negative which is not allowed for Poisson regression: {low:g} is the least."
            )
        if self.criterion == "poisson" and not high > 0:
            raise ValueError("Sum of y is not positive which is necessary for Poisson regression.")

    def described(self, tree: Tree, classes: Any = None) -> dict[str, Any]:
        """Fitted attributes of a tree."""
        return {
            "tree_": at_cost(tree, float(self.ccp_alpha)),
            "n_outputs_": tree.n_outputs,
            "max_features_": columns_tried(self.max_features, tree.n_features),
        }

    def predict(self, X: Any, check_input: bool = True) -> np.ndarray:
        """What the leaf of every row says."""
        rows = self.rows_of(X)
        values = self.tree_.predict(rows)[:, :, 0]
        return values[:, 0] if self.__dict__.get("_single_target", values.shape[1] == 1) else values
