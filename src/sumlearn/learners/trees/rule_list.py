"""Rule lists: the leaves of a tree as sentences, simplified and put in order."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, clone

from ...data import Chunk
from ...features.input_ranges import is_number
from ..description import Description, Offer
from ..sampling import LabelSamplingMixin
from ..whole_rows import WholeRows
from .decision_tree_classifier import DecisionTreeClassifier
from .parts.rules import Condition, Learnt, TreeRule, chosen, rules_of, simplified
from .parts.tree import Tree
from .parts.wording import Wording


class RuleList(LabelSamplingMixin, ClassifierMixin, WholeRows):
    """Classes by the first rule of a list that applies; the rules are read off a tree (C4.5 rules).

        if x in A_1 and ... and x in A_m: class k          errors expected of N rows: N U,  P(at most E errors | U) = CF

    Every leaf is a rule. Of each, conditions go one after the other as long as the expected share of errors does not
    rise; equal rules become one. The most reliable rules come first; one stays if it is right about rows that none
    before it speaks of, and the list ends where it has fewest errors on the rows learnt, with the most frequent class
    of the rest as default. (Quinlan's program chooses subsets of rules for every class by description length instead.)

    Statistic: none, all rows are kept. Cost: that of the tree, and O(n L^2) for each of its leaves at depth L.

    Parameters
    ----------
    tree : DecisionTreeClassifier or None, default=None
        The tree whose leaves become rules; None is C4.5's, unpruned: a branch for each level, gain ratio, gaps by
        fractions, two rows in a leaf at least.
    confidence : float, default=0.25
        CF of the upper limits of errors.
    simplify : bool, default=True
        Whether rules lose conditions and are put in order. Without, they say what the tree says.

    Attributes
    ----------
    rules_ : tuple of TreeRule
        In the order in which they are asked.
    default_ : array (classes,)
        Masses of the classes of rows that no rule is for.
    classes_ : array

    Examples
    --------
    >>> from sumlearn import RuleList
    >>> from sumlearn.data import load_example
    >>> iris = load_example("iris")
    >>> model = RuleList().fit(iris.X, iris.y)
    >>> print(model.text())
    if x2 <= 2.45: setosa (50)
    if 2.45 < x2 <= 4.95 and x3 <= 1.75 and x0 > 4.95: versicolor (46)
    else: virginica (54/4)
    >>> round(model.score(iris.X, iris.y), 4)
    0.9733

    References
    ----------
    Quinlan, "C4.5: programs for machine learning", 1993, chapter 5.
    """

    description = Description(
        offers=(Offer("rules", "rules of a tree", 46, extra=True),),
        parts=(TreeRule, Condition, Tree),
        variants={"confidence": (0.25, 0.1), "simplify": (True, False)},
    )

    target, reads, copies = "label", "mixed", 2

    def __init__(self, tree: Any = None, *, confidence: float = 0.25, simplify: bool = True) -> None:
        self.tree = tree
        self.confidence = confidence
        self.simplify = simplify

    def check(self) -> None:
        if not is_number(self.confidence) or not 0.0 < self.confidence < 1.0:
            raise ValueError(f"confidence must lie between 0 and 1, got {self.confidence!r}")
        if not (self.tree is None or isinstance(self.tree, DecisionTreeClassifier)):
            raise TypeError(f"tree must be a DecisionTreeClassifier or None, got {type(self.tree).__name__}")

    def grower(self) -> DecisionTreeClassifier:
        """The tree, unfitted."""
        if self.tree is not None:
            return clone(self.tree)
        return DecisionTreeClassifier(
            split="multiway", criterion="gain_ratio", missing="fractions", min_samples_leaf=2
        )

    def learn(self, rows: Chunk) -> dict[str, Any]:
        grower = self.grower()
        grower.check()
        learnt = grower.learnt(rows.X, self.columns_.sizes, np.asarray(rows.y), np.asarray(rows.weight))
        grower.__dict__.update(learnt)
        return self.of_tree(grower, rows)

    def of_tree(self, model: DecisionTreeClassifier, rows: Chunk | None) -> dict[str, Any]:
        """Rules of a fitted tree; with its rows they can be simplified."""
        tree, classes = model.tree_, model.classes_
        rules = rules_of(tree, (tree.value[:, 0] @ model.cost_matrix(len(classes))).argmin(axis=1))
        default = tree.value[0, 0] * tree.weighted_n_node_samples[0]
        if self.simplify and rows is not None:
            code = np.searchsorted(classes, np.asarray(rows.y))
            learnt = Learnt(np.asarray(rows.X), code, np.asarray(rows.weight), len(classes))
            rules, default = chosen(
                [simplified(rule, learnt, float(self.confidence)) for rule in rules], learnt, float(self.confidence)
            )
        return {"rules_": tuple(rules), "default_": default, "classes_": classes}

    def firing(self, X: Any) -> np.ndarray:
        """The place of the first rule that applies to every row; as many as there are rules where none does."""
        rows = self.rows_of(X)
        place, left = np.full(len(rows), len(self.rules_)), np.arange(len(rows))
        for number, rule in enumerate(self.rules_):
            inside = rule.holds(rows[left])
            place[left[inside]] = number
            left = left[~inside]
        return place

    def predict(self, X: Any) -> np.ndarray:
        """The class of the first rule that applies."""
        place = self.firing(X)
        return self.classes_[np.array([rule.label for rule in self.rules_] + [int(self.default_.argmax())])[place]]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Shares of the classes among the rows learnt to which the rule applies."""
        place = self.firing(X)
        counts = np.array([rule.counts for rule in self.rules_] + [self.default_])
        return (counts / counts.sum(axis=1, keepdims=True))[place]

    def text(self) -> str:
        """The rules, one in a line: the weight of rows they apply to, and of those of other classes."""
        self.check_ready()
        words = Wording(self.columns_, self.n_features_in_, self.classes_)
        mass, wrong = self.default_.sum(), self.default_.sum() - self.default_.max()
        errors = f"/{wrong:.4g}" if wrong > 1e-9 * mass else ""
        last = f"else: {self.classes_[int(self.default_.argmax())]} ({mass:.6g}{errors})"
        return "\n".join([*(rule.text(words) for rule in self.rules_), last])
