"""Classification trees: ID3, C4.5 and CART."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import ClassifierMixin, clone

from ...features.input_ranges import finite_numbers, is_number, one_of
from ..description import Complexity, Description, Offer, Tuning
from ..label_columns import coded_labels, column_factors, in_sklearn_form, logarithms, most_probable
from ..roads import Roads
from ..sampling import drawn_labels
from .parts.binning import BinEdges
from .parts.draft import drafted, settled
from .parts.exact_rows import ExactRows
from .parts.many_branches import ManyBranches
from .parts.pruning import ErrorBased, at_cost, chosen_price
from .parts.settings import check_growth, columns_tried, growth_of
from .parts.tree import Tree
from .parts.tree_mixin import TreeMixin
from .parts.two_roads import TwoRoads

if TYPE_CHECKING:
    from .rule_list import RuleList

CRITERIA = ("gini", "entropy", "log_loss", "gain_ratio")
OF_TWO = {"splitter": "best", "max_features": None, "max_leaf_nodes": None, "monotonic_cst": None, "method": "exact"}
OF_SEVERAL = {"split": "binary", "missing": "direction", "pruning": None, "costs": None, "method": "exact"}
SHARED = ("n_features_in_", "feature_names_in_", "columns_", "_dtype", "_single_target", "_column_target", "_spelling")


class DecisionTreeClassifier(TwoRoads, TreeMixin, ClassifierMixin, Roads):
    """Classes by questions about one column at a time: ID3, C4.5 and CART are settings of it.

        gain = I(S) - sum_b |S_b| / |S| I(S_b),     I = -sum_k p_k log2 p_k  or  1 - sum_k p_k^2
        gain ratio = gain / -sum_b |S_b| / |S| log2(|S_b| / |S|)

    A node asks the question of most gain (gain ratio: of those with at least the average gain) and hands its rows to
    the branches S_b; a leaf tells the shares p_k of the classes. Every cut between two values of a column is tried,
    and every cut of the levels of a category in the order of the share of a class: for two classes the best of all
    divisions is among them (Fisher 1958); for more classes up to nine levels are divided in all ways, more along the
    share of each class in turn. Gaps and words come as they are. Sums are exact, so the order of rows changes nothing;
    of equally good questions the first column's is asked.

        ID3    split="multiway", criterion="entropy"
        C4.5   split="multiway", criterion="gain_ratio", missing="fractions", pruning="error_based", min_samples_leaf=2
        CART   the defaults, pruning="cost_complexity"

    Statistic: none, all rows are kept while the tree grows; "histogram": whole-number sums of bins, one pass for each
    level. No merge, no forget. Cost: O(n d log n) to sort, O(n d) for each level of depth.

    Parameters
    ----------
    criterion : {"gini", "entropy", "log_loss", "gain_ratio"}, default="gini"
        Impurity I; "log_loss" is entropy.
    splitter : {"best", "random"}, default="best"
        Whether all cuts are tried, or one at a random place of every column.
    max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, max_features, random_state, \
max_leaf_nodes, min_impurity_decrease, class_weight, monotonic_cst
        As in scikit-learn; `min_samples_*` count rows whatever they weigh. With "multiway", "fractions" and
        "gain_ratio" they count weight, and at least two branches have `min_samples_leaf` (Quinlan).
    ccp_alpha : float, default=0.0
        Price of a leaf in impurity: branches that are not worth theirs go.
    split : {"binary", "multiway"}, default="binary"
        Whether a category has two branches or one for each level. Numbers have two.
    pruning : {None, "cost_complexity", "error_based"}, default=None
        None leaves the tree as `ccp_alpha` does. "cost_complexity" chooses `ccp_alpha` by five folds and one standard
        error, unless it is given. "error_based" replaces a subtree by a leaf, or by its largest branch, where the
        upper limits of the errors say so.
    confidence : float, default=0.25
        Of these limits; less prunes more.
    missing : {"direction", "fractions"}, default="direction"
        Whether a gap takes the branch that gains most (with "multiway" or "gain_ratio": the heaviest one), or all
        branches by their masses, in training and prediction.
    costs : array (classes, classes) or None, default=None
        costs[i][j] of saying class j where i is true, in the order of `classes_`. Leaves say the class of least
        expected cost, and "cost_complexity" chooses by costs; splits do not know them.
    method : {"exact", "histogram"}, default="exact"
        "exact" has all rows in memory, says so beforehand, and tries every cut. "histogram" reads files and Dask
        collections chunk by chunk, a pass for each level of depth, and cuts between at most `max_bins` bins of a
        column, of about equal weight: rows that share a bin stay together, so a cut may miss the best place by the
        weight of a bin, W / max_bins (columns of fewer values lose nothing). Sums are whole numbers: any chunks and
        any cluster give the same bits. It is level by level, so it has no `max_leaf_nodes`, nor random cuts.
    max_bins : int, default=255
        Most bins of a column, for "histogram".
    categorical_features : "from_dtype", mask, places or names, default="from_dtype"
        Columns that are categories; by default those that a table says are.

    Attributes
    ----------
    tree_ : Tree
        Nodes as arrays, under scikit-learn's names.
    classes_, n_classes_, n_outputs_, max_features_, feature_importances_
        As in scikit-learn: where y has several columns, the tree is grown by the mean of their impurities, and
        `classes_` and the answers are lists.
    columns_ : CodedColumns
        Names and levels of the columns.

    Examples
    --------
    >>> from sumlearn import DecisionTreeClassifier
    >>> from sumlearn.data import load_example
    >>> iris = load_example("iris")
    >>> model = DecisionTreeClassifier(max_depth=2).fit(iris.X, iris.y)
    >>> model.get_n_leaves(), round(model.score(iris.X, iris.y), 4)
    (3, 0.96)

    References
    ----------
    Lecture note 000; Quinlan, "Induction of decision trees", 1986; Quinlan, "C4.5: programs for machine learning",
    1993; Breiman, Friedman, Olshen & Stone, "Classification and regression trees", 1984; Fisher, "On grouping for
    maximum homogeneity", 1958.
    """

    description = Description(
        offers=(
            Offer("tree", "decision tree", 44, {"pruning": "error_based", "min_samples_leaf": 5}, extra=True),
            Offer("shallow_tree", "shallow decision tree", 45, {"min_samples_leaf": 5},
                  tuning=Tuning("max_depth", (2, 4, 6)), extra=True),
        ),
        complexity=Complexity("max_depth", "depth of the tree", (1, 2, 3, 4, 6, 8, 12), log=False, freer="right"),
        parts=(Tree, BinEdges),
        variants={
            "ccp_alpha": (0.0, 0.02),
            "criterion": ("gini", "entropy", "gain_ratio"),
            "max_depth": (None, 3),
            "missing": ("direction", "fractions"),
            "pruning": (None, "error_based"),
            "split": ("binary", "multiway"),
        },
    )

    target = "label"
    many_targets = True

    def __init__(
        self,
        *,
        criterion: str = "gini",
        splitter: str = "best",
        max_depth: int | None = None,
        min_samples_split: Any = 2,
        min_samples_leaf: Any = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = None,
        random_state: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        class_weight: Any = None,
        ccp_alpha: float = 0.0,
        monotonic_cst: Any = None,
        split: str = "binary",
        pruning: str | None = None,
        confidence: float = 0.25,
        missing: str = "direction",
        costs: Any = None,
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
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.monotonic_cst = monotonic_cst
        self.split = split
        self.pruning = pruning
        self.confidence = confidence
        self.missing = missing
        self.costs = costs
        self.method = method
        self.max_bins = max_bins
        self.categorical_features = categorical_features

    def check(self) -> None:
        check_growth(self, CRITERIA)
        self.check_roads()
        if self.method == "histogram" and self.pruning is not None:
            raise ValueError(f"pruning must be None with method='histogram', got {self.pruning!r}: use ccp_alpha")
        one_of(self.split, "split", ("binary", "multiway"))
        one_of(self.pruning, "pruning", (None, "cost_complexity", "error_based"))
        one_of(self.missing, "missing", ("direction", "fractions"))
        if not is_number(self.confidence) or not 0.0 < self.confidence < 1.0:
            raise ValueError(f"confidence must lie between 0 and 1, got {self.confidence!r}")
        for name, only in OF_TWO.items() if self.many_branches else ():
            if getattr(self, name) is not only and getattr(self, name) != only:
                raise ValueError(
                    f"{name} must be {only!r} with split='multiway', missing='fractions' or criterion='gain_ratio', "
                    f"got {getattr(self, name)!r}"
                )

    @property
    def many_branches(self) -> bool:
        """Whether rows may go down several branches, or a node have more than two."""
        return self.split == "multiway" or self.missing == "fractions" or self.criterion == "gain_ratio"

    def learnt(self, X: np.ndarray, sizes: np.ndarray, y: np.ndarray, weight: np.ndarray) -> dict[str, Any]:
        """Fitted attributes, from coded rows."""
        classes, codes = coded_labels(y)
        factors = column_factors(self.class_weight, classes, codes, weight)
        weight = weight if factors is None else weight * factors
        if len(classes) == 1:
            return self.described(self.pruned(X, sizes, codes[0], len(classes[0]), weight), classes[0])
        for name, only in OF_SEVERAL.items():
            value = getattr(self, name)
            if value is not only and not (isinstance(value, str) and value == only):
                raise ValueError(f"{name} must be {only!r} where y has several columns, got {value!r}")
        if self.criterion == "gain_ratio":
            raise ValueError("criterion must be 'gini' or 'entropy' where y has several columns, got 'gain_ratio'")
        counts = tuple(len(own) for own in classes)
        growth = growth_of(self, len(X), float(weight.sum()), sizes, max(counts), len(classes))
        return self.described(growth.tree_of_labels(X, sizes, codes, counts, weight), classes)

    def described(self, tree: Tree, classes: Any) -> dict[str, Any]:
        """Fitted attributes of a tree; `classes` is a list where there are several targets."""
        return {
            "tree_": at_cost(tree, float(self.ccp_alpha)),
            **in_sklearn_form(classes if isinstance(classes, list) else [classes]),
            "max_features_": columns_tried(self.max_features, tree.n_features),
        }

    def grown(self, X: np.ndarray, sizes: np.ndarray, code: np.ndarray, classes: int, weight: np.ndarray) -> Tree:
        """The tree as it grows."""
        growth = growth_of(self, len(X), float(weight.sum()), sizes, classes)
        if not self.many_branches:
            return growth.tree(X, sizes, code, classes, weight)
        ratio, squares = self.criterion == "gain_ratio", self.criterion == "gini"
        return ManyBranches(growth, self.split == "multiway", self.missing == "fractions", ratio, squares).tree(
            X, sizes, code, classes, weight
        )

    def pruned(self, X: np.ndarray, sizes: np.ndarray, code: np.ndarray, classes: int, weight: np.ndarray) -> Tree:
        """The tree as it stays."""
        costs, tree = self.cost_matrix(classes), self.grown(X, sizes, code, classes, weight)
        if self.pruning == "cost_complexity" and self.ccp_alpha == 0.0:
            alpha = chosen_price(lambda X, y, w: self.grown(X, sizes, y, classes, w), X, code, weight, costs)
            return at_cost(tree, alpha)
        if self.pruning == "error_based":
            pruner = ErrorBased(float(self.confidence), classes)
            return settled(pruner.pruned(drafted(tree), X, code, weight), X.shape[1])
        return tree

    def cost_matrix(self, classes: int) -> np.ndarray:
        """costs[i, j] of saying j where i is true; one for every error, unless they are given."""
        if self.costs is None:
            return 1.0 - np.eye(classes)
        costs = finite_numbers(self.costs, "costs")
        if costs.shape != (classes, classes):
            raise ValueError(f"costs must have a row and a column for each of {classes} classes, got {costs.shape}")
        if (costs < 0).any():
            raise ValueError(f"costs must not be negative, got {costs.min():g}")
        return costs

    def rules(self, X: Any = None, y: Any = None, sample_weight: Any = None) -> RuleList:
        """The leaves as a list of rules, a classifier by itself.

        Without rows the rules say what the tree says (of a tree with missing="fractions", where nothing is missing).
        With rows, those of the fit, they are simplified by the errors to be expected with this `confidence`, ordered,
        and those that are of no use left out; see `RuleList`.
        """
        from .rule_list import RuleList

        self.check_ready()
        if isinstance(self.classes_, list):
            raise ValueError("rules say one label: fit a tree for each column of y")
        rules = RuleList(clone(self), confidence=self.confidence, simplify=X is not None)
        rows = None
        if X is not None:
            rows = ExactRows(self).gathered(self.twin().open(X, y, sample_weight, reset=False))
        kept = {name: value for name, value in vars(self).items() if name in SHARED}
        rules.__dict__.update(kept | rules.of_tree(self, rows))
        return rules

    def predict_proba(self, X: Any, check_input: bool = True) -> Any:
        """Shares of the classes in the leaf of every row; of several targets a list of them."""
        rows = self.rows_of(X)
        return self.shares(self.tree_.predict(rows))

    def shares(self, values: np.ndarray) -> Any:
        """What a tree answers (rows, targets, classes) as shares of the classes of each target."""
        if not isinstance(self.classes_, list):
            return values[:, 0]
        return [values[:, t, : len(own)] for t, own in enumerate(self.classes_)]

    def sample(self, X: Any, random_state: Any = None, *, n: int | None = None) -> np.ndarray:
        """Draw a label for every row, with `n` so many times: (n, rows).

        A leaf of one row is no certainty: every class has one row more than there are (Laplace's rule). Several targets
        are drawn each by itself.
        """
        rows = self.rows_of(X)
        mass = self.tree_.weighted_n_node_samples[:, None]
        several = self.classes_ if isinstance(self.classes_, list) else [self.classes_]
        value = self.tree_.value.copy()
        for t, own in enumerate(several):
            value[:, t, : len(own)] = (value[:, t, : len(own)] * mass + 1.0) / (mass + len(own))
        more = replace(self.tree_, value=value)
        return drawn_labels(self.shares(more.predict(rows)), self.classes_, random_state, n)

    def predict_log_proba(self, X: Any) -> Any:
        """Logarithms of the shares of the classes."""
        return logarithms(self.predict_proba(X))

    def predict(self, X: Any, check_input: bool = True) -> np.ndarray:
        """The most frequent class of the leaf of every row; with `costs` the class of least expected cost."""
        shares = self.predict_proba(X)
        if self.costs is None:
            return most_probable(shares, self.classes_)
        return self.classes_[(shares @ self.cost_matrix(len(self.classes_))).argmin(axis=1)]
