"""What classification, regression and model trees share: questions to the tree."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sparse
from sklearn.base import clone
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from .drawing import as_svg, as_text
from .pruning import cost_path
from .tree import Tree
from .wording import Wording


class TreeMixin:
    """Of a learner whose `tree_` is a `Tree` of coded rows."""

    tree_: Tree
    rows_of: Any  # of the learner
    columns_: Any
    reads: ClassVar[str] = "mixed"

    def text(self, max_depth: int | None = None) -> str:
        """The tree as text: a line for each branch; leaves tell their weight, and that of other classes."""
        check_is_fitted(self)
        return as_text(self.tree_, self.wording(), max_depth)

    def apply(self, X: Any, check_input: bool = True) -> np.ndarray:
        """The leaf of every row, by its number."""
        rows = self.rows_of(X)
        return self.tree_.apply(rows)

    def decision_path(self, X: Any, check_input: bool = True) -> sparse.csr_matrix:
        """Which nodes every row passes: a sparse matrix of ones, (rows, nodes)."""
        rows = self.rows_of(X)
        return self.tree_.decision_path(rows)

    def get_depth(self) -> int:
        """Most splits between the root and a leaf."""
        check_is_fitted(self)
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """Number of leaves."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    def svg(self, max_depth: int | None = None) -> str:
        """The tree as a picture, a text that a browser shows; as deep as `max_depth`."""
        check_is_fitted(self)
        return as_svg(self.tree_, self.wording(), max_depth)

    def wording(self) -> Wording:
        """Names of columns, levels and classes."""
        return Wording(self.columns_, self.tree_.n_features, getattr(self, "classes_", None))

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """Prices of a leaf at which branches go, and the impurity of the leaves that are left.

        Returns
        -------
        Bunch
            `ccp_alphas`, from zero to the price of the whole tree, and `impurities`.
        """
        unpruned: Any = clone(self).set_params(ccp_alpha=0.0)
        path = cost_path(unpruned.fit(X, y, sample_weight).tree_)
        return Bunch(ccp_alphas=path.alphas, impurities=path.impurities)

    @property
    def feature_importances_(self) -> np.ndarray:
        """The share of every column in the impurity that splits have taken away from the rows learnt.

        Columns of many values are favoured, and rows learnt flatter the tree: permutation on rows left out does not.
        """
        check_is_fitted(self)
        return self.tree_.compute_feature_importances()
