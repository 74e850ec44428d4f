"""Regression trees."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from ..description import Description
from ..roads import Roads
from .parts.exact_rows import ExactRows
from .parts.pruning import at_cost
from .parts.settings import check_growth, columns_tried, growth_of
from .parts.tree import Tree
from .parts.tree_mixin import TreeMixin

CRITERIA = ("squared_error", "friedman_mse", "absolute_error", "poisson")


class DecisionTreeRegressor(TreeMixin, RegressorMixin, Roads):
    """Numbers by questions about one column at a time (CART).

        squared_error    I = sum w (y - m)^2 / sum w,        m the mean of a node
        absolute_error   I = sum w |y - m| / sum w,          m its weighted median
        poisson          I = sum w y log(y / m) / sum w,     m the mean; y >= 0

    A node is cut where most impurity goes, |S| I(S) - |S_l| I(S_l) - |S_r| I(S_r), and a leaf predicts its m; of
    several targets impurities are averaged. The levels of a category are divided along their means, which is best for
    one target and squares (Fisher 1958), and for the other criteria a good choice among very many. A gap takes the
    branch that gains most. Sums are exact: targets are taken around the mean of their node, in units that let no sum be
    rounded, so the order of rows changes nothing.

    Statistic: none, all rows are kept while the tree grows. Cost: O(n d log n) to sort, O(n d) for each level of depth,
    for absolute errors O(n d log n) for each.

    Parameters
    ----------
    criterion : {"squared_error", "friedman_mse", "absolute_error", "poisson"}, default="squared_error"
        Impurity I. "friedman_mse" prefers the same cuts as "squared_error", and is deprecated as in scikit-learn.
    splitter, max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, max_features, random_state, \
max_leaf_nodes, min_impurity_decrease, ccp_alpha, monotonic_cst
        As in scikit-learn; `min_samples_*` count rows whatever they weigh.
    method : {"exact"}, default="exact"
        All rows in memory.
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
        parts=(Tree,),
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
        self.categorical_features = categorical_features

    def check(self) -> None:
        check_growth(self, CRITERIA)
        if self.criterion == "friedman_mse":
            warnings.warn(
                'Value `"friedman_mse"` for `criterion` is deprecated: "squared_error" prefers the same cuts.',
                FutureWarning,
                stacklevel=4,
            )

    def road(self) -> Any:
        """All rows in memory, every cut tried."""
        return ExactRows(self)

    def learnt(self, X: np.ndarray, sizes: np.ndarray, y: np.ndarray, weight: np.ndarray) -> dict[str, Any]:
        """Fitted attributes, from coded rows."""
        y = y.reshape(len(y), -1).astype(np.float64)
        if self.criterion == "poisson":
            if (y < 0).any():
                row = int(np.argwhere(y < 0)[0, 0])
                raise ValueError(
                    "Some value(s) of y are negative which is not allowed for Poisson regression: "
                    f"{y[row].min():g} in row {row}."
                )
            if not y.sum() > 0:
                raise ValueError("Sum of y is not positive which is necessary for Poisson regression.")
        growth = growth_of(self, len(X), float(weight.sum()), sizes, 0, y.shape[1])
        return {
            "tree_": at_cost(growth.tree(X, sizes, y, 0, weight), float(self.ccp_alpha)),
            "n_outputs_": y.shape[1],
            "max_features_": columns_tried(self.max_features, X.shape[1]),
        }

    def predict(self, X: Any, check_input: bool = True) -> np.ndarray:
        """What the leaf of every row says."""
        rows = self.rows_of(X)
        values = self.tree_.predict(rows)[:, :, 0]
        return values[:, 0] if self.__dict__.get("_single_target", values.shape[1] == 1) else values
