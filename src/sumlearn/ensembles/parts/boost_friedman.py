"""The parameters of Friedman's gradient boosting, checked and as a plan."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any

import numpy as np

from ...features.input_ranges import is_number, one_of, whole_number
from ...learners.trees.parts.binning import BinEdges
from .boost_losses import BoostLoss
from .boost_model import check_number, check_roads, most_of
from .boost_plan import BoostPlan
from .boost_stopping import Stopping
from .boost_trees import BoostedTrees, TreeView


class FriedmanParameters:
    """The parameters of GradientBoosting*, as a plan of trees and of stopping."""

    rounds_name = "n_estimators"

    n_estimators: int
    learning_rate: float
    subsample: float
    criterion: str
    min_samples_split: Any
    min_samples_leaf: Any
    min_weight_fraction_leaf: float
    max_depth: int | None
    min_impurity_decrease: float
    init: Any
    max_features: Any
    max_leaf_nodes: int | None
    validation_fraction: float
    n_iter_no_change: int | None
    tol: float
    ccp_alpha: float
    method: str
    n_features_in_: int
    n_iter_: int
    trees_: BoostedTrees

    @property
    def keeps_rows(self) -> bool:
        return not (self.init is None or isinstance(self.init, str))

    def check(self) -> None:
        check_number(self.learning_rate, "learning_rate", 0.0, np.inf)
        whole_number(self.n_estimators, "n_estimators", 1)
        check_number(self.subsample, "subsample", 0.0, 1.0, open_low=True)
        one_of(self.criterion, "criterion", ("deprecated", "friedman_mse", "squared_error"))
        if self.criterion != "deprecated":
            message = "criterion is deprecated, as in scikit-learn: both values mean least squares on the gradients"
            warnings.warn(message, FutureWarning, stacklevel=2)
        check_share(self.min_samples_split, "min_samples_split", 2)
        check_share(self.min_samples_leaf, "min_samples_leaf", 1)
        check_number(self.min_weight_fraction_leaf, "min_weight_fraction_leaf", 0.0, 0.5)
        most_of(self.max_depth, "max_depth", 1)
        most_of(self.max_leaf_nodes, "max_leaf_nodes", 2)
        check_number(self.min_impurity_decrease, "min_impurity_decrease", 0.0, np.inf)
        check_number(self.ccp_alpha, "ccp_alpha", 0.0, np.inf)
        check_number(self.validation_fraction, "validation_fraction", 0.0, 1.0, open_low=True, open_high=True)
        most_of(self.n_iter_no_change, "n_iter_no_change", 1)
        check_number(self.tol, "tol", 0.0, np.inf)
        self.check_max_features()
        self.check_init()
        check_roads(self)
        self.check_task()  # type: ignore[attr-defined]

    def check_max_features(self) -> None:
        if self.max_features is None:
            return
        if isinstance(self.max_features, str):
            one_of(self.max_features, "max_features", ("sqrt", "log2"))
        elif isinstance(self.max_features, Integral):
            whole_number(self.max_features, "max_features", 1)
        else:
            check_number(self.max_features, "max_features", 0.0, 1.0, open_low=True)

    def check_init(self) -> None:
        if self.init is None or (isinstance(self.init, str) and self.init == "zero"):
            return
        needed = ("fit", "predict") if self.target == "number" else ("fit", "predict_proba")  # type: ignore[attr-defined]
        able = not isinstance(self.init, str | type) and all(hasattr(self.init, name) for name in needed)
        if not able:
            raise ValueError(
                f"The 'init' parameter of {type(self).__name__} must be a str among {{'zero'}}, None or an object "
                f"implementing 'fit' and '{needed[1]}'. Got {self.init!r} instead."
            )
        if self.method == "passes":
            raise ValueError(
                "init: a model to start from needs the rows in memory; use method='memory', 'zero' or None"
            )

    def plan_of(self, loss: BoostLoss, features: int, names: Any, weight: float, seed: int) -> BoostPlan:
        drawn = self.drawn_of(features)
        return BoostPlan(
            loss,
            self.n_estimators,
            float(self.learning_rate),
            self.max_leaf_nodes,
            self.max_depth,
            least=number_of(self.min_samples_leaf, weight),
            split=max(number_of(self.min_samples_split, weight), 2),
            share=float(self.min_weight_fraction_leaf),
            drawn=0 if drawn == features else drawn,
            newton=False,
            least_gain=float(self.min_impurity_decrease),
            prune=float(self.ccp_alpha),
            sample=float(self.subsample),
            step=(loss.outputs - 1) / loss.outputs if loss.outputs > 1 else 1.0,  # Friedman 2001, equation 36
            watched=True,
            start="loss" if self.init is None else self.init,
            seed=seed,
        )

    def drawn_of(self, features: int) -> int:
        """Columns that are drawn for a split."""
        if self.max_features is None:
            return features
        if isinstance(self.max_features, str):
            return max(1, int(np.sqrt(features) if self.max_features == "sqrt" else np.log2(features)))
        if isinstance(self.max_features, Integral):
            return min(int(self.max_features), features)
        return max(1, int(self.max_features * features))

    def stopping_of(self, weight: float) -> Stopping | None:
        if self.n_iter_no_change is None:
            return None
        return Stopping("loss", float(self.validation_fraction), self.n_iter_no_change, float(self.tol), True)

    def told_of(self, loss: BoostLoss) -> dict[str, Any]:
        """What else is known of a fit."""
        return {"n_trees_per_iteration_": loss.outputs, "max_features_": self.drawn_of(self.n_features_in_)}

    # -- after the fit ------------------------------------------------------------------------------------------------

    @property
    def n_estimators_(self) -> int:
        """Rounds that were made."""
        return self.n_iter_

    @property
    def feature_importances_(self) -> np.ndarray:
        """What the splits by a column have gained, in the mean over the trees; they add up to one."""
        trees, total = self.trees_, np.zeros(self.n_features_in_)
        for start, stop in zip(trees.starts[:-1], trees.starts[1:], strict=True):
            links, numbers = trees.links[start:stop], trees.numbers[start:stop]
            if len(links) > 1:
                inner = links[:, 0] >= 0
                total += np.bincount(links[inner, 0], numbers[inner, 0], len(total)) / numbers[0, 2]
        return total / total.sum() if total.any() else total

    @property
    def estimators_(self) -> np.ndarray:
        """Views of the trees, (rounds, trees in a round); categories have no threshold (NaN)."""
        edges: BinEdges = self.look_data()  # type: ignore[attr-defined]

        def threshold(feature: int, place: int) -> float:
            return np.nan if edges.sizes[feature] else edges.threshold(feature, place)

        views = [TreeView(tree, threshold, self) for tree in self.trees_.trees()]
        array = np.empty(len(views), dtype=object)
        array[:] = views
        return array.reshape(-1, self.trees_.outputs)

    def leaves_of(self, X: Any) -> np.ndarray:
        """The leaf of every row in every tree, (n, rounds, trees in a round): places of nodes in their tree."""
        codes = self.codes_of(X)  # type: ignore[attr-defined]
        leaves = self.trees_.leaves(codes)
        return leaves.reshape(len(leaves), -1, self.trees_.outputs).astype(np.float64)


def check_share(value: Any, name: str, least: int) -> None:
    """A number of rows, or a share of them."""
    if is_number(value) and not isinstance(value, Integral):
        check_number(value, name, 0.0, 1.0, open_low=True, open_high=least == 1)
    else:
        whole_number(value, name, least)


def number_of(value: Any, weight: float) -> int:
    """A share of the rows as their number."""
    return int(value) if isinstance(value, Integral) else int(np.ceil(value * weight))


PARTS = (BinEdges, BoostedTrees)
