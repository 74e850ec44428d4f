"""Model trees: a tree with a linear model in every leaf."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from ...data import Chunk
from ...features.input_ranges import is_number, whole_number
from ..description import Description, Offer, Tuning
from ..whole_rows import WholeRows
from .parts.growth import UNLIMITED, Growth, power_of_two
from .parts.node_models import NodeModels, means_of_known
from .parts.tree import Tree
from .parts.tree_mixin import TreeMixin


class ModelTree(TreeMixin, RegressorMixin, WholeRows):
    """Numbers by a tree of questions, with a ridge regression in every leaf (M5').

        leaf:       f(x) = m_y + w'(x - m),   w = argmin sum_n s_n (y_n - f(x_n))^2 + alpha sum_j (d_j w_j)^2
        expected:   E = RSS / W (W + v) / (W - v),   v = 1 + trace((S + alpha D^2)^-1 S)
        smoothed:   f_path = (W f + k f_above) / (W + k),   from the root to the leaf

    The tree is a regression tree by squared errors. The moments of a node are the sum of those of its branches, so the
    models of all nodes come from one pass over the leaves; S is the scatter of a node, D the deviations of all rows.
    From below, a subtree becomes a leaf where its own model is expected to have no more error, E W; where the mean
    alone is better, or W <= v, that is the model. Columns of numbers enter the models, gaps as the mean of the column;
    categories enter through splits alone.

    Statistic: Moments of every node, of rows that are kept while the tree grows. Cost: O(n d log n) for the tree,
    O(n d^2) for the moments, O(d^3) a node.

    Parameters
    ----------
    alpha : float, default=1.0
        Penalty of the models, for columns in units of their deviations.
    smoothing : float, default=15.0
        k, the weight of the model above; zero is none.
    prune : bool, default=True
        Whether subtrees go that are expected to be worse than one model.
    max_depth : int or None, default=None
        Most questions on the way to a leaf.
    min_weight_leaf : float, default=20.0
        Least weight of the rows in a leaf.
    categorical_features : "from_dtype", mask, places or names, default="from_dtype"
        Columns that are categories.

    Attributes
    ----------
    tree_ : Tree
        Nodes as arrays; `value` are their means.
    slopes_ : array (nodes, columns)
        Coefficients of every node, smoothed; zero for categories.
    intercepts_ : array (nodes,)
        Of values as they are.
    fill_, level_ : array (columns,), array (nodes,)
        Means of the columns, which stand for gaps in the models, and what the models say there.
    columns_ : CodedColumns

    Examples
    --------
    >>> import numpy as np
    >>> from sumlearn import DecisionTreeRegressor, ModelTree
    >>> x = np.linspace(-1, 1, 400)[:, None]
    >>> y = np.where(x[:, 0] < 0.5, x[:, 0], 8 - 6 * x[:, 0])
    >>> model = ModelTree(alpha=0, smoothing=0).fit(x, y)
    >>> model.get_n_leaves(), model.slopes_[1:, 0].round(2).tolist(), round(model.score(x, y), 4)
    (2, [1.0, -6.0], 1.0)
    >>> round(DecisionTreeRegressor(max_leaf_nodes=2).fit(x, y).score(x, y), 4)
    0.8883

    References
    ----------
    Quinlan, "Learning with continuous classes", 1992; Wang & Witten, "Inducing model trees for continuous classes",
    1997.
    """

    description = Description(
        offers=(
            Offer("model_tree", "tree of ridge regressions", 48, tuning=Tuning("min_weight_leaf", (10.0, 40.0)),
                  extra=True),
        ),
        parts=(Tree,),
        lacks={"sample": "the noise of a leaf is not kept: its few rows would not tell it"},
        variants={"alpha": (1.0, 0.01), "prune": (True, False), "smoothing": (15.0, 0.0)},
    )

    target, copies = "number", 3

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        smoothing: float = 15.0,
        prune: bool = True,
        max_depth: int | None = None,
        min_weight_leaf: float = 20.0,
        categorical_features: Any = "from_dtype",
    ) -> None:
        self.alpha = alpha
        self.smoothing = smoothing
        self.prune = prune
        self.max_depth = max_depth
        self.min_weight_leaf = min_weight_leaf
        self.categorical_features = categorical_features

    def check(self) -> None:
        for name in ("alpha", "smoothing", "min_weight_leaf"):
            value = getattr(self, name)
            if not is_number(value) or not 0.0 <= value < np.inf:
                raise ValueError(f"{name} must be a number that is not negative, got {value!r}")
        if self.max_depth is not None:
            whole_number(self.max_depth, "max_depth", 1)

    def learn(self, rows: Chunk) -> dict[str, Any]:
        sizes, y, weight = self.columns_.sizes, np.asarray(rows.y, dtype=np.float64), np.asarray(rows.weight)
        unit, numbers = power_of_two(np.abs(y).max()), np.flatnonzero(sizes == 0)
        tree = self.growth().tree(rows.X, sizes, y[:, None] / unit, 0, weight)
        fill = np.zeros(len(sizes))
        fill[numbers] = means_of_known(rows.X[:, numbers], weight)
        known = np.where(np.isnan(rows.X), fill, rows.X)[:, numbers]
        units = np.array([power_of_two(largest) for largest in np.abs(known).max(axis=0)])
        models = NodeModels.of(
            tree, known / units, y / unit, weight, tree.apply(rows.X), fill[numbers] / units, float(self.alpha)
        )
        if self.prune:
            leaves = models.better_alone(tree)
            kept = tree.kept_at(leaves)
            tree, models = tree.cut_at(leaves), models.some(kept)
        slopes, levels = models.smoothed(tree, float(self.smoothing))
        coef, levels = np.zeros((tree.node_count, len(sizes))), levels * unit
        with np.errstate(over="ignore", invalid="ignore"):
            coef[:, numbers] = slopes / units * unit
            intercepts, impurity = levels - coef @ fill, tree.impurity * unit * unit
        if not np.isfinite(intercepts).all():
            raise ValueError("a coefficient overflows: rescale the columns or y")
        tree = replace(tree, value=tree.value * unit, impurity=impurity)
        return {"tree_": tree, "slopes_": coef, "level_": levels, "intercepts_": intercepts, "fill_": fill}

    def growth(self) -> Growth:
        depth = UNLIMITED if self.max_depth is None else int(self.max_depth)
        return Growth("squared_error", max_depth=depth, min_weight_leaf=float(self.min_weight_leaf))

    def predict(self, X: Any) -> np.ndarray:
        """The linear model of the leaf of every row."""
        rows = self.rows_of(X)
        leaf = self.tree_.apply(rows)
        apart = np.where(np.isnan(rows), 0.0, rows - self.fill_)
        return (self.slopes_[leaf] * apart).sum(axis=1) + self.level_[leaf]
