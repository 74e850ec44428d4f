"""Histogram gradient boosting: trees of gradients, best leaf first."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..features.input_ranges import one_of
from ..learners.description import Complexity, Description, Offer, Tuning
from ..learners.roads import Roads
from ..learners.trees.parts.binning import BinEdges
from .parts.boost_hist import HistParameters
from .parts.boost_model import BoostedLabels, BoostedNumbers, check_number
from .parts.boost_trees import BoostedTrees

ROUNDS = Complexity("max_iter", "rounds of trees", (3, 10, 30, 100, 300), freer="right")
NO_DRAWS = "the trees tell a mean or a quantile, not how y varies about it"
VARIANTS: dict[str, tuple[Any, ...]] = {
    "max_iter": (3, 8),
    "learning_rate": (0.1, 0.5),
    "max_leaf_nodes": (31, 4, None),
    "max_depth": (None, 2),
    "min_samples_leaf": (5, 20),
    "l2_regularization": (0.0, 1.0),
    "max_bins": (255, 12),
    "max_features": (1.0,),
    "early_stopping": ("auto",),
    "validation_fraction": (0.1,),
    "warm_start": (False,),
    "tol": (1e-7,),
    "interaction_cst": (None, "no_interactions"),
    "n_jobs": (None, 1),
    "method": ("memory",),
}


class HistGradientBoostingRegressor(HistParameters, BoostedNumbers, Roads):
    """A sum of small trees, each grown on the gradients of the loss at the sum so far; for numbers.

        f_t(x) = f_{t-1}(x) + rate * value of the leaf of x in tree t
        value  = -G / (H + lambda),   G, H: sums of l'(y, f_{t-1}), l''(y, f_{t-1}) over the rows of the leaf
        gain   = GL^2 / (HL + lambda) + GR^2 / (HR + lambda) - G^2 / (H + lambda)

    Numbers come in up to 255 bins, categories as they are, gaps with a bin and a learnt direction of their own. The
    leaf of largest gain is split first. Gradients and Hessians are rounded to whole numbers, to 2^-31 of the sum of
    their sizes, so that histograms are exact in any order: the same bits for any `n_jobs`, any chunks and any source.

    Statistic: whole-number histograms of G and H for each leaf. Many passes, each a sum: in memory, or out of core and
    on Dask (`method`). No merge, no forget. Cost: O(n d) a level of a tree, O(n) a tree for the rest.

    Parameters
    ----------
    loss : {"squared_error", "absolute_error", "gamma", "poisson", "quantile"}, default="squared_error"
        What is minimised. "gamma" and "poisson" have a logarithmic link. The leaves of "absolute_error" and "quantile"
        answer with a median or quantile of their residuals.
    quantile : float or None, default=None
        Which quantile, for the loss of that name.
    learning_rate, max_iter : float, int, default=0.1, 100
        The rate of the formula, and rounds at most.
    max_leaf_nodes, max_depth : int or None, default=31, None
        Of a tree, at most. Without a limit of leaves all of them are split.
    min_samples_leaf : int, default=20
        Weight of the rows in a leaf at least: a row of weight 2 counts twice.
    l2_regularization : float, default=0
        The lambda of the formula.
    max_features : float, default=1.0
        Share of the columns that are drawn for every split.
    max_bins : int, default=255
        Bins of a column of numbers, at most; that of gaps comes on top.
    categorical_features : "from_dtype", array of places, names or truth values, or None, default="from_dtype"
        Which columns are categories. Beyond `max_bins` levels, the rarest share a bin.
    monotonic_cst : array of -1, 0, 1, or dict by name, default=None
        Columns in which predictions may not fall (1) or rise (-1).
    interaction_cst : {"pairwise", "no_interactions"}, sequence of groups of columns, or None, default=None
        Groups of columns that may come together on a path of a tree.
    warm_start : bool, default=False
        Whether to go on from the trees of the fit before, in its bins.
    early_stopping : "auto" or bool, default="auto"
        Whether to end when rows held back are not predicted better any more; "auto": above a weight of 10,000.
    scoring : str, callable or None, default="loss"
        What early stopping goes by. Scorers see the rows in memory (`method="memory"`).
    validation_fraction : float or None, default=0.1
        Share of the rows that is held back; None: the training rows judge themselves.
    n_iter_no_change, tol : int, float, default=10, 1e-7
        Rounds without a gain of `tol` that end it.
    verbose : int, default=0
        1 prints every tenth round, 2 every one.
    random_state : int, RandomState or None, default=None
        Draws of columns and of rows that are held back. There are no others.
    method : {"memory", "passes"}, default="memory"
        "memory" gathers the rows of any source as bytes. "passes" reads them again for every level of a tree: files
        and clusters of any size. The trees are the same.
    n_jobs : int or None, default=None
        Threads; None is all. No bit depends on it.

    Attributes
    ----------
    trees_ : BoostedTrees
        All nodes, as arrays.
    n_iter_, n_trees_per_iteration_, train_score_, validation_score_, is_categorical_
        As in scikit-learn; the scores are there with early stopping.

    Examples
    --------
    >>> from sumlearn import HistGradientBoostingRegressor
    >>> from sumlearn.data import load_example
    >>> rows = load_example("faithful").X
    >>> model = HistGradientBoostingRegressor(max_iter=30).fit(rows[:, :1], rows[:, 1])
    >>> print(f"{model.score(rows[:, :1], rows[:, 1]):.3f}")
    0.850

    References
    ----------
    Friedman, "Greedy function approximation: a gradient boosting machine", 2001; Ke et al., "LightGBM: a highly
    efficient gradient boosting decision tree", 2017; Chen & Guestrin, "XGBoost: a scalable tree boosting system", 2016.
    """

    description = Description(
        offers=(
            Offer("boosting", "boosted trees", 55, {"random_state": 0}, Tuning("learning_rate", (0.05, 0.1, 0.3))),
        ),
        complexity=ROUNDS,
        parts=(BinEdges, BoostedTrees),
        variants={**VARIANTS, "loss": ("squared_error", "absolute_error")},
        lacks={"sample": NO_DRAWS},
        grows=True,
    )

    def __init__(
        self,
        loss: str = "squared_error",
        *,
        quantile: float | None = None,
        learning_rate: float = 0.1,
        max_iter: int = 100,
        max_leaf_nodes: int | None = 31,
        max_depth: int | None = None,
        min_samples_leaf: int = 20,
        l2_regularization: float = 0.0,
        max_features: float = 1.0,
        max_bins: int = 255,
        categorical_features: Any = "from_dtype",
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        warm_start: bool = False,
        early_stopping: Any = "auto",
        scoring: Any = "loss",
        validation_fraction: float | None = 0.1,
        n_iter_no_change: int = 10,
        tol: float = 1e-7,
        verbose: int = 0,
        random_state: Any = None,
        method: str = "memory",
        n_jobs: int | None = None,
    ) -> None:
        self.loss = loss
        self.quantile = quantile
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.l2_regularization = l2_regularization
        self.max_features = max_features
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.warm_start = warm_start
        self.early_stopping = early_stopping
        self.scoring = scoring
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state
        self.method = method
        self.n_jobs = n_jobs

    def check_task(self) -> None:
        one_of(self.loss, "loss", ("squared_error", "absolute_error", "gamma", "poisson", "quantile"))
        if self.loss == "quantile" or self.quantile is not None:
            check_number(self.quantile, "quantile", 0.0, 1.0)

    def quantile_of(self) -> float | None:
        """The quantile of the loss, just inside of its range."""
        return None if self.quantile is None else float(np.clip(self.quantile, 1e-12, 1.0 - 1e-12))


class HistGradientBoostingClassifier(HistParameters, BoostedLabels, Roads):
    """A sum of small trees, each grown on the gradients of the log-loss at the sum so far; for labels.

        P(1 | x) = sigma(f(x)),   or softmax of one sum of trees for each class;   f, values and gains as in
        HistGradientBoostingRegressor

    Statistic: whole-number histograms of G and H for each leaf. Many passes, each a sum: in memory, or out of core and
    on Dask (`method`). No merge, no forget. Cost: O(n d) a level of a tree, K trees a round for K > 2 classes.

    Parameters
    ----------
    loss : {"log_loss"}, default="log_loss"
        Minus the log-likelihood: logistic for two classes, softmax for more.
    class_weight : dict, "balanced" or None, default=None
        Factor on the weight of every row of a class.
    learning_rate, max_iter, max_leaf_nodes, max_depth, min_samples_leaf, l2_regularization, max_features, max_bins, \
categorical_features, monotonic_cst, interaction_cst, warm_start, early_stopping, scoring, validation_fraction, \
n_iter_no_change, tol, verbose, random_state, method, n_jobs
        As in HistGradientBoostingRegressor. Monotonic constraints act on the score of the second class.

    Attributes
    ----------
    classes_ : array
        Labels, sorted.
    trees_, n_iter_, n_trees_per_iteration_, train_score_, validation_score_, is_categorical_
        As in HistGradientBoostingRegressor.

    Examples
    --------
    >>> from sumlearn import HistGradientBoostingClassifier
    >>> from sumlearn.data import load_example
    >>> pima = load_example("pima")
    >>> model = HistGradientBoostingClassifier(max_iter=20).fit(pima.X[::2], pima.y[::2])
    >>> print(f"{model.score(pima.X[1::2], pima.y[1::2]):.3f}")
    0.771

    References
    ----------
    As for HistGradientBoostingRegressor.
    """

    description = Description(
        offers=HistGradientBoostingRegressor.description.offers,
        complexity=ROUNDS,
        parts=(BinEdges, BoostedTrees),
        variants=VARIANTS,
        grows=True,
    )

    def __init__(
        self,
        loss: str = "log_loss",
        *,
        learning_rate: float = 0.1,
        max_iter: int = 100,
        max_leaf_nodes: int | None = 31,
        max_depth: int | None = None,
        min_samples_leaf: int = 20,
        l2_regularization: float = 0.0,
        max_features: float = 1.0,
        max_bins: int = 255,
        categorical_features: Any = "from_dtype",
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        warm_start: bool = False,
        early_stopping: Any = "auto",
        scoring: Any = "loss",
        validation_fraction: float | None = 0.1,
        n_iter_no_change: int = 10,
        tol: float = 1e-7,
        verbose: int = 0,
        random_state: Any = None,
        class_weight: Any = None,
        method: str = "memory",
        n_jobs: int | None = None,
    ) -> None:
        self.loss = loss
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.l2_regularization = l2_regularization
        self.max_features = max_features
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.warm_start = warm_start
        self.early_stopping = early_stopping
        self.scoring = scoring
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state
        self.class_weight = class_weight
        self.method = method
        self.n_jobs = n_jobs

    def check_task(self) -> None:
        one_of(self.loss, "loss", ("log_loss",))
