"""A random forest for numbers: the mean of trees, each on rows that were drawn."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.exceptions import DataConversionWarning
from sklearn.utils._param_validation import StrOptions

from ..data import Chunk
from ..learners.description import Description
from ..learners.trees.parts.binning import BinEdges
from ..learners.whole_rows import WholeRows
from ..statistics.warnings import warn
from .parts.determination import determination
from .parts.forest import CONSTRAINTS, LEAVES, OFFER, Forest
from .parts.forest_growth import ForestRows
from .parts.forest_trees import ForestTrees


class RandomForestRegressor(Forest, RegressorMixin, WholeRows):
    """The mean of trees whose leaves are means.

        f(x) = 1/T sum_t mean of y in leaf_t(x),   leaf_t: of a tree on rows drawn with replacement
        a node asks of `max_features` columns, drawn anew, for the cut of largest decrease of  mean (y - mean y)^2

    Trees grow on at most 255 bins of every column, as those of `RandomForestClassifier`, whose page tells more. Targets
    are rounded to whole numbers of 2^-60 of the range of their node before they are added up, so that no sum depends on
    the order of rows.

    Kind: all rows, as codes of one byte; also of files and Dask. No merge, no forget. Cost: O(T m n log n) for m
    columns at a node.

    Parameters
    ----------
    n_estimators : int, default=100
    criterion : {"squared_error", "absolute_error", "poisson", "friedman_mse"}, default="squared_error"
        "poisson" is the deviance of counts. "absolute_error" has medians in the leaves; these are no function of sums
        over bins, so its trees grow from sorted columns, which takes some ten times as long. "friedman_mse" chooses the
        cuts that "squared_error" does, and goes the way it goes in scikit-learn.
    max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, max_leaf_nodes, min_impurity_decrease
        As of `RandomForestClassifier`.
    bootstrap, n_jobs, random_state, verbose, warm_start, ccp_alpha, max_samples, monotonic_cst
        As of `RandomForestClassifier`.
    max_features : float, int, "sqrt", "log2" or None, default=1.0
        Columns that a node looks at: all.
    oob_score : bool or callable, default=False
        By R^2, or by score(y, predictions).

    Attributes
    ----------
    n_outputs_, n_features_in_, estimators_, feature_importances_, trees_
        As of `RandomForestClassifier`.
    oob_score_, oob_prediction_
        With `oob_score`; NaN for a row that every tree has drawn.

    Examples
    --------
    >>> import numpy as np
    >>> from sumlearn import RandomForestRegressor
    >>> X = np.linspace(0.0, 6.0, 200)[:, None]
    >>> model = RandomForestRegressor(50, oob_score=True).fit(X, np.sin(X[:, 0]))
    >>> print(model.predict([[1.5]]).round(2), round(model.oob_score_, 4))
    [1.] 0.9996

    References
    ----------
    Breiman, "Random forests", Machine Learning 45, 2001; Breiman, Friedman, Olshen & Stone, "Classification and
    regression trees", 1984.
    """

    description = Description(
        offers=(OFFER,),
        complexity=LEAVES,
        grows=True,
        parts=(ForestTrees, BinEdges),
        variants={
            "n_estimators": (3,),
            "criterion": ("squared_error",),
            "max_depth": (None, 3),
            "max_leaf_nodes": (None, 5),
            "max_features": (1.0, "sqrt"),
            "ccp_alpha": (0.0, 0.01),
            "bootstrap": (True, False),
        },
        lacks={"sample": "its leaves are means; how targets spread about them is not kept"},
    )

    target = "number"

    _parameter_constraints: dict[str, Any] = CONSTRAINTS | {
        "criterion": [StrOptions({"squared_error", "poisson", "friedman_mse", "absolute_error"})],
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "squared_error",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = 1.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = True,
        oob_score: Any = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        ccp_alpha: float = 0.0,
        max_samples: float | None = None,
        monotonic_cst: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.monotonic_cst = monotonic_cst

    def learn(self, rows: Chunk) -> dict[str, Any]:
        targets = np.asarray(rows.y, dtype=np.float64)
        if targets.ndim == 2 and targets.shape[1] == 1:
            warn("A column-vector y was passed when a 1d array was expected.", DataConversionWarning)
            targets = targets[:, 0]
        if self.criterion == "friedman_mse":
            warnings.warn(
                'Value `"friedman_mse"` for `criterion` is deprecated in scikit-learn 1.9: it chooses the cuts of '
                '`"squared_error"`',
                FutureWarning,
                stacklevel=2,
            )
        if self.criterion == "poisson":
            if (targets < 0).any():
                raise ValueError("Some value(s) of y are negative which is not allowed for Poisson regression.")
            if not targets.any():
                raise ValueError("Sum of y is not strictly positive which is necessary for Poisson regression.")
        columns = np.ascontiguousarray(targets.reshape(len(targets), -1).T)
        known = np.zeros((0, 0), np.int32), (), columns
        coded = ForestRows(rows.X, self.columns_.sizes, *known, np.asarray(rows.weight))
        learnt = {**self.forest_of(coded), "n_outputs_": len(columns)}
        if self.oob_score:
            means = self.left_out(coded, learnt)
            means = means[:, 0] if targets.ndim == 1 else means
            known_rows = ~np.isnan(means.reshape(len(means), -1)[:, 0])
            if callable(self.oob_score):
                score = self.oob_score(targets[known_rows], means[known_rows])
            else:
                score = determination(targets[known_rows], means[known_rows], coded.weight[known_rows])
            learnt |= {"oob_prediction_": means, "oob_score_": score}
        return learnt

    def predict(self, X: Any) -> np.ndarray:
        """The mean of the trees for every row; of several targets (rows, targets)."""
        codes = self.codes_of(X)
        means = self.trees_.answers(codes, self.workers)[0] / len(self.trees_)
        return means[:, 0] if means.shape[1] == 1 else means
