"""A random forest for labels: trees, each on rows that were drawn and with a choice of columns at every node."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils._param_validation import StrOptions

from ..data import Chunk
from ..learners.description import Description
from ..learners.label_columns import (
    coded_labels,
    column_factors,
    in_sklearn_form,
    logarithms,
    most_probable,
    split_shares,
)
from ..learners.sampling import LabelSamplingMixin
from ..learners.trees.parts.binning import BinEdges
from ..learners.whole_rows import WholeRows
from .parts.forest import CONSTRAINTS, LEAVES, OFFER, Forest
from .parts.forest_growth import ForestRows
from .parts.forest_trees import ForestTrees


class RandomForestClassifier(Forest, LabelSamplingMixin, ClassifierMixin, WholeRows):
    """Trees that vote by the shares of the classes in their leaves.

        P(k | x) = 1/T sum_t n_tk(leaf_t(x)) / n_t(leaf_t(x)),   leaf_t: of a tree on rows drawn with replacement
        a node asks of `max_features` columns, drawn anew, for the cut of largest decrease of  1 - sum_k p_k^2

    Trees grow on at most 255 bins of every column, so thresholds lie between bins; a column of fewer values loses
    nothing. Categories are split as sets of levels, a gap goes to the side that suits it better. Masses are whole
    numbers, and every tree has a seed of its own: any number of threads gives the same bits. Rows are drawn from an
    order of their own, so that the order in which they come does not matter, and a weight of two is the row twice.

    Kind: all rows, as codes of one byte; also of files and Dask. No merge, no forget. Cost: O(T m n log n) for m
    columns at a node.

    Parameters
    ----------
    n_estimators : int, default=100
    criterion : {"gini", "entropy", "log_loss"}, default="gini"
    max_depth, max_leaf_nodes : int or None, default=None
        With `max_leaf_nodes` the node of largest gain is split first.
    min_samples_split, min_samples_leaf : int or float, default=2, 1
        Rows, or a share of them; a row of whole weight w is w rows where none are drawn.
    min_weight_fraction_leaf : float, default=0.0
    max_features : "sqrt", "log2", int, float or None, default="sqrt"
        Columns that a node looks at, of those that vary; more only if all of these are constant there.
    min_impurity_decrease : float, default=0.0
    bootstrap : bool, default=True
        Whether rows are drawn, with probabilities like their weights.
    oob_score : bool or callable, default=False
        Judge by the rows that a tree has not drawn: by accuracy, or by score(y, labels).
    n_jobs : int or None, default=None
        Threads; None and -1 take all processors.
    random_state : int, RandomState or None, default=None
        None is a seed like any other: two fits give the same forest.
    verbose : int, default=0
    warm_start : bool, default=False
        Keep the trees of the last fit and add more.
    class_weight : dict, list, "balanced", "balanced_subsample" or None, default=None
        Factors of the weights by class; of several targets a list with a dictionary for each, and factors multiply.
    ccp_alpha : float, default=0.0
        Price of a leaf, by which trees are pruned.
    max_samples : int, float or None, default=None
        Rows that are drawn, or a share of the sum of weights. None: as many as there are; the sum of weights where
        these are whole numbers.
    monotonic_cst : array of -1, 0, 1, default=None
        Columns that P(second class) may only fall (-1) or rise (1) with; for two classes.

    Attributes
    ----------
    classes_, n_classes_, n_outputs_, n_features_in_
        Where y has several columns, the criterion is the mean over them, and classes and answers are lists.
    estimators_, estimators_samples_ : list
        Trees, made when asked for, with children, features, thresholds and the values of leaves; and the rows that
        each has drawn, which are known to the model that was fitted, and in no file.
    feature_importances_ : array (n_features,)
        Decrease of impurity, as shares. Many-valued columns gain by chance: see the report for importances by
        permutation on rows left out.
    oob_score_, oob_decision_function_
        With `oob_score`; NaN for a row that every tree has drawn.
    trees_ : ForestTrees
        All trees, as they are kept.

    Examples
    --------
    >>> from sumlearn import RandomForestClassifier
    >>> from sumlearn.data import load_example
    >>> iris = load_example("iris")
    >>> model = RandomForestClassifier(50, oob_score=True).fit(iris.X, iris.y)
    >>> print(round(model.oob_score_, 3), model.predict(iris.X[:1]))
    0.953 ['setosa']

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
            "criterion": ("gini", "entropy"),
            "max_depth": (None, 3),
            "max_leaf_nodes": (None, 5),
            "max_features": ("sqrt", None),
            "class_weight": (None, "balanced"),
            "ccp_alpha": (0.0, 0.01),
            "bootstrap": (True, False),
        },
    )

    target = "label"

    _parameter_constraints: dict[str, Any] = CONSTRAINTS | {
        "criterion": [StrOptions({"gini", "entropy", "log_loss"})],
        "class_weight": [StrOptions({"balanced", "balanced_subsample"}), dict, list, None],
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = "sqrt",
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = True,
        oob_score: Any = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        class_weight: Any = None,
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
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.monotonic_cst = monotonic_cst

    def learn(self, rows: Chunk) -> dict[str, Any]:
        classes, labels = coded_labels(np.asarray(rows.y))
        told = in_sklearn_form(classes)
        if "classes_" in self.previous and not same_labels(told["classes_"], self.previous["classes_"]):
            raise ValueError("warm_start goes on with other labels: fit anew")
        weight, factor = np.asarray(rows.weight), None
        subsample = self.class_weight == "balanced_subsample" and self.bootstrap
        if self.class_weight is not None and not subsample:
            wanted = "balanced" if isinstance(self.class_weight, str) else self.class_weight
            factor = column_factors(wanted, classes, labels, weight, zero_ok=True)
        known = labels.astype(np.int32), tuple(len(own) for own in classes), np.zeros((0, 0))
        coded = ForestRows(rows.X, self.columns_.sizes, *known, weight, factor)
        if self.oob_score and len(classes) > 1 and max(coded.counts) > 2:
            raise ValueError(
                "The type of target cannot be used to compute OOB estimates. Got multiclass-multioutput while only the "
                "following are supported: continuous, continuous-multioutput, binary, multiclass, multilabel-indicator."
            )
        learnt = self.forest_of(coded, subsample) | told
        if self.oob_score:
            learnt |= self.out_of_bag(coded, learnt)
        return learnt

    def out_of_bag(self, rows: ForestRows, learnt: dict[str, Any]) -> dict[str, Any]:
        shares = self.left_out(rows, learnt)
        known, classes = ~np.isnan(shares[:, 0]), learnt["classes_"]
        said = most_probable(split_shares(shares[known], classes), classes)
        if isinstance(classes, list):
            truth = np.stack([own[code[known]] for own, code in zip(classes, rows.labels, strict=True)], axis=1)
            parts = [np.pad(p, ((0, 0), (0, 2 - p.shape[1]))) for p in split_shares(shares, classes)]
            shares = np.stack(parts, axis=2)
        else:
            truth = classes[rows.labels[0, known]]
        if callable(self.oob_score):
            score = self.oob_score(truth, said)
        else:
            score = accuracy_score(truth, said, sample_weight=rows.weight[known]) if known.any() else np.nan
        return {"oob_decision_function_": shares, "oob_score_": score}

    def predict_proba(self, X: Any) -> Any:
        """The mean over the trees of the shares of the classes in the leaf of each row; a list for several targets."""
        codes = self.codes_of(X)
        return split_shares(self.trees_.answers(codes, self.workers)[0] / len(self.trees_), self.classes_)

    def predict_log_proba(self, X: Any) -> Any:
        """The logarithms of the probabilities; -infinity where no tree votes for a class."""
        return logarithms(self.predict_proba(X))

    def predict(self, X: Any) -> np.ndarray:
        """The most probable label of every row; of several targets (rows, targets)."""
        return most_probable(self.predict_proba(X), self.classes_)


def same_labels(first: Any, second: Any) -> bool:
    """Whether labels are the same, those of one target or of several."""
    if isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        return all(map(np.array_equal, first, second))
    return not isinstance(first, list) and not isinstance(second, list) and np.array_equal(first, second)
