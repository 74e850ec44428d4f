"""Gradient boosting as Friedman has it: least squares on the gradients, and a step for every leaf."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..features.input_ranges import one_of
from ..learners.description import Complexity, Description
from ..learners.roads import Roads
from .parts.boost_friedman import PARTS, FriedmanParameters
from .parts.boost_model import BoostedLabels, BoostedNumbers, check_number

ROUNDS = Complexity("n_estimators", "rounds of trees", (3, 10, 30, 100, 300), freer="right")
NO_DRAWS = "the trees tell a mean or a quantile, not how y varies about it"
VARIANTS: dict[str, tuple[Any, ...]] = {
    "n_estimators": (3, 8),
    "learning_rate": (0.1, 0.5),
    "subsample": (1.0,),
    "max_depth": (3, None, 1),
    "max_leaf_nodes": (None, 4),
    "min_samples_split": (2, 9),
    "min_samples_leaf": (1, 5),
    "min_weight_fraction_leaf": (0.0, 0.1),
    "min_impurity_decrease": (0.0, 1e-3),
    "ccp_alpha": (0.0, 1e-3),
    "validation_fraction": (0.1,),
    "init": (None, "zero"),
    "warm_start": (False,),
    "tol": (1e-4,),
    "n_jobs": (None, 1),
    "method": ("memory",),
}


class GradientBoostingRegressor(FriedmanParameters, BoostedNumbers, Roads):
    """A sum of small trees, each a least-squares tree on the gradients of the loss at the sum so far; for numbers.

        tree t:  least squares on r = -l'(y, f_{t-1}(x));   f_t(x) = f_{t-1}(x) + rate * value of the leaf of x
        value:   what minimises the loss in the leaf: mean, median or quantile of y - f, or one Newton step

    Splits are taken between bins, of which a column has up to 255: with so few different values, or rows, they are all
    the splits there are. Gaps and categories need no coding. Histograms are whole numbers, exact in any order: the same
    bits for any `n_jobs`, any chunks and any source.

    Statistic: whole-number histograms of the gradients for each leaf. Many passes, each a sum: in memory, or out of
    core and on Dask (`method`). No merge, no forget. Cost: O(n d) a level of a tree.

    Parameters
    ----------
    loss : {"squared_error", "absolute_error", "huber", "quantile"}, default="squared_error"
        What is minimised.
    learning_rate, n_estimators : float, int, default=0.1, 100
        The rate of the formula, and rounds.
    subsample : float, default=1.0
        Share of the rows that a round sees: every row is drawn with this probability, by its number.
    criterion : default="deprecated"
        As in scikit-learn 1.9, of no consequence: "friedman_mse" and "squared_error" find the same splits.
    min_samples_split, min_samples_leaf : int or float, default=2, 1
        Weight of the rows that a node to be split, and a leaf, needs; a float is a share of all.
    min_weight_fraction_leaf : float, default=0.0
        Share of all weight that a leaf needs.
    max_depth, max_leaf_nodes : int or None, default=3, None
        Of a tree, at most. With a limit of leaves, the leaf of largest gain is split first.
    min_impurity_decrease : float, default=0.0
        What a split must gain: the fall of the mean squared error of all rows.
    init : estimator, "zero" or None, default=None
        Where the scores start: at the answers of a model, which sees coded rows; at zero; at the best constant.
    random_state : int, RandomState or None, default=None
        Draws of rows, of columns and of rows that are held back.
    max_features : {"sqrt", "log2"}, int, float or None, default=None
        Columns that are drawn for every split.
    alpha : float, default=0.9
        The quantile of "quantile", and of the residuals at which "huber" turns linear.
    verbose, warm_start
        As in scikit-learn.
    validation_fraction, n_iter_no_change, tol : float, int or None, float, default=0.1, None, 1e-4
        With a number of rounds, so many without a gain of `tol` on the rows held back end it.
    ccp_alpha : float, default=0.0
        Trees are pruned by this complexity parameter.
    method : {"memory", "passes"}, default="memory"
        "memory" gathers the rows of any source as bytes; "passes" reads them again for every level of a tree.
    n_jobs : int or None, default=None
        Threads; None is all. No bit depends on it.

    Attributes
    ----------
    trees_ : BoostedTrees
        All nodes, as arrays; `estimators_` has views of the single trees.
    feature_importances_, train_score_, oob_improvement_, oob_scores_, oob_score_, n_estimators_, max_features_
        As in scikit-learn.
    init_ : estimator or None
        The model that the scores start from.

    Examples
    --------
    >>> from sumlearn import GradientBoostingRegressor
    >>> from sumlearn.data import load_example
    >>> rows = load_example("faithful").X
    >>> model = GradientBoostingRegressor(n_estimators=30).fit(rows[:, :1], rows[:, 1])
    >>> print(f"{model.score(rows[:, :1], rows[:, 1]):.3f}")
    0.862

    References
    ----------
    Friedman, "Greedy function approximation: a gradient boosting machine", 2001; "Stochastic gradient boosting", 2002.
    """

    description = Description(
        complexity=ROUNDS,
        parts=PARTS,
        variants={**VARIANTS, "loss": ("squared_error", "huber"), "alpha": (0.9, 0.5)},
        lacks={"sample": NO_DRAWS},
        grows=True,
    )

    def __init__(
        self,
        *,
        loss: str = "squared_error",
        learning_rate: float = 0.1,
        n_estimators: int = 100,
        subsample: float = 1.0,
        criterion: str = "deprecated",
        min_samples_split: Any = 2,
        min_samples_leaf: Any = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_depth: int | None = 3,
        min_impurity_decrease: float = 0.0,
        init: Any = None,
        random_state: Any = None,
        max_features: Any = None,
        alpha: float = 0.9,
        verbose: int = 0,
        max_leaf_nodes: int | None = None,
        warm_start: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int | None = None,
        tol: float = 1e-4,
        ccp_alpha: float = 0.0,
        method: str = "memory",
        n_jobs: int | None = None,
    ) -> None:
        self.loss = loss
        self.learning_rate = learning_rate
        self.n_estimators = n_estimators
        self.subsample = subsample
        self.criterion = criterion
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_depth = max_depth
        self.min_impurity_decrease = min_impurity_decrease
        self.init = init
        self.random_state = random_state
        self.max_features = max_features
        self.alpha = alpha
        self.verbose = verbose
        self.max_leaf_nodes = max_leaf_nodes
        self.warm_start = warm_start
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.ccp_alpha = ccp_alpha
        self.method = method
        self.n_jobs = n_jobs

    def check_task(self) -> None:
        one_of(self.loss, "loss", ("squared_error", "absolute_error", "huber", "quantile"))
        check_number(self.alpha, "alpha", 0.0, 1.0, open_low=True, open_high=True)

    def quantile_of(self) -> float:
        """The quantile of the loss, or of Huber's corner."""
        return float(self.alpha)

    def apply(self, X: Any) -> np.ndarray:
        """The leaf of every row in every tree: (n, rounds), places of nodes in their tree."""
        return self.leaves_of(X)[:, :, 0]


class GradientBoostingClassifier(FriedmanParameters, BoostedLabels, Roads):
    """A sum of small trees, each a least-squares tree on the gradients of the loss at the sum so far; for labels.

        P(1 | x) = sigma(f(x)),   or softmax of one sum of trees for each class
        value:  a Newton step, sum r / sum p (1 - p),   times (K - 1) / K for K > 2 classes

    Statistic: whole-number histograms of the gradients for each leaf. Many passes, each a sum: in memory, or out of
    core and on Dask (`method`). No merge, no forget. Cost: O(n d) a level of a tree, K trees a round for K > 2.

    Parameters
    ----------
    loss : {"log_loss", "exponential"}, default="log_loss"
        What is minimised; "exponential", the loss of AdaBoost, is for two classes.
    learning_rate, n_estimators, subsample, criterion, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, \
max_depth, min_impurity_decrease, init, random_state, max_features, verbose, max_leaf_nodes, warm_start, \
validation_fraction, n_iter_no_change, tol, ccp_alpha, method, n_jobs
        As in GradientBoostingRegressor.

    Attributes
    ----------
    classes_, n_classes_
        Labels, sorted, and their number.
    trees_, feature_importances_, train_score_, oob_improvement_, oob_scores_, oob_score_, n_estimators_, \
max_features_, init_
        As in GradientBoostingRegressor.

    Examples
    --------
    >>> from sumlearn import GradientBoostingClassifier
    >>> from sumlearn.data import load_example
    >>> pima = load_example("pima")
    >>> model = GradientBoostingClassifier(n_estimators=30).fit(pima.X[::2], pima.y[::2])
    >>> print(f"{model.score(pima.X[1::2], pima.y[1::2]):.3f}")
    0.771

    References
    ----------
    As for GradientBoostingRegressor.
    """

    description = Description(complexity=ROUNDS, parts=PARTS, variants=VARIANTS, grows=True)

    def __init__(
        self,
        *,
        loss: str = "log_loss",
        learning_rate: float = 0.1,
        n_estimators: int = 100,
        subsample: float = 1.0,
        criterion: str = "deprecated",
        min_samples_split: Any = 2,
        min_samples_leaf: Any = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_depth: int | None = 3,
        min_impurity_decrease: float = 0.0,
        init: Any = None,
        random_state: Any = None,
        max_features: Any = None,
        verbose: int = 0,
        max_leaf_nodes: int | None = None,
        warm_start: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int | None = None,
        tol: float = 1e-4,
        ccp_alpha: float = 0.0,
        method: str = "memory",
        n_jobs: int | None = None,
    ) -> None:
        self.loss = loss
        self.learning_rate = learning_rate
        self.n_estimators = n_estimators
        self.subsample = subsample
        self.criterion = criterion
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_depth = max_depth
        self.min_impurity_decrease = min_impurity_decrease
        self.init = init
        self.random_state = random_state
        self.max_features = max_features
        self.verbose = verbose
        self.max_leaf_nodes = max_leaf_nodes
        self.warm_start = warm_start
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.ccp_alpha = ccp_alpha
        self.method = method
        self.n_jobs = n_jobs

    def check_task(self) -> None:
        one_of(self.loss, "loss", ("log_loss", "exponential"))

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """ln P(k | x), one column per class."""
        return np.log(self.predict_proba(X))

    def apply(self, X: Any) -> np.ndarray:
        """The leaf of every row in every tree: (n, rounds, trees in a round), places of nodes in their tree."""
        return self.leaves_of(X)
