"""The parameters of histogram boosting, checked and as a plan."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.metrics import get_scorer_names

from ...features.input_ranges import is_number, one_of, whole_number
from .boost_losses import BoostLoss
from .boost_model import check_number, check_roads, most_of
from .boost_plan import BoostPlan, checked_directions, checked_groups
from .boost_stopping import Stopping

MANY = 10_000  # rows from which early_stopping="auto" stops early


class HistParameters:
    """The parameters of HistGradientBoosting*, as a plan of trees and of stopping."""

    rounds_name = "max_iter"
    look_parameters: ClassVar[tuple[str, ...]] = ("max_bins",)

    max_iter: int
    learning_rate: float
    max_leaf_nodes: int | None
    max_depth: int | None
    min_samples_leaf: int
    l2_regularization: float
    max_features: float
    max_bins: int
    monotonic_cst: Any
    interaction_cst: Any
    early_stopping: Any
    scoring: Any
    validation_fraction: Any
    n_iter_no_change: int
    tol: float
    columns_: Any

    def check(self) -> None:
        check_number(self.learning_rate, "learning_rate", 0.0, np.inf, open_low=True)
        whole_number(self.max_iter, "max_iter", 1)
        most_of(self.max_leaf_nodes, "max_leaf_nodes", 2)
        most_of(self.max_depth, "max_depth", 1)
        whole_number(self.min_samples_leaf, "min_samples_leaf", 1)
        check_number(self.l2_regularization, "l2_regularization", 0.0, np.inf)
        check_number(self.max_features, "max_features", 0.0, 1.0, open_low=True)
        whole_number(self.max_bins, "max_bins", 2)
        if self.max_bins > 255:
            raise ValueError(f"max_bins must be between 2 and 255, got {self.max_bins}")
        whole_number(self.n_iter_no_change, "n_iter_no_change", 1)
        check_number(self.tol, "tol", 0.0, np.inf)
        one_of(self.early_stopping, "early_stopping", ("auto", True, False))
        if self.validation_fraction is not None:
            fraction = self.validation_fraction
            if not (is_number(fraction) and (0 < fraction < 1 or (fraction >= 1 and int(fraction) == fraction))):
                raise ValueError(
                    f"validation_fraction must lie between 0 and 1, or be a number of rows, got {fraction!r}"
                )
        if isinstance(self.scoring, str):
            one_of(self.scoring, "scoring", ("loss", *get_scorer_names()))
        elif not (self.scoring is None or callable(self.scoring)):
            raise ValueError(f"scoring must be 'loss', the name of a scorer, a callable or None, got {self.scoring!r}")
        if isinstance(self.interaction_cst, str):
            one_of(self.interaction_cst, "interaction_cst", ("pairwise", "no_interactions"))
        check_roads(self)
        self.check_task()  # type: ignore[attr-defined]

    def plan_of(self, loss: BoostLoss, features: int, names: Any, weight: float, seed: int) -> BoostPlan:
        directions = checked_directions(self.monotonic_cst, features, names)
        if directions is not None and loss.outputs > 1:
            raise ValueError("monotonic constraints are not supported for multiclass classification.")
        if directions is not None and (directions[self.columns_.sizes > 0] != 0).any():
            raise ValueError("Categorical features cannot have monotonic constraints.")
        share = float(self.max_features)
        return BoostPlan(
            loss,
            self.max_iter,
            float(self.learning_rate),
            self.max_leaf_nodes,
            self.max_depth,
            self.min_samples_leaf,
            penalty=float(self.l2_regularization),
            drawn=0 if share == 1.0 else -int(np.ceil(share * 2**30)),
            directions=directions,
            groups=checked_groups(self.interaction_cst, features),
            seed=seed,
        )

    def stopping_of(self, weight: float) -> Stopping | None:
        stops = weight > MANY if isinstance(self.early_stopping, str) else self.early_stopping
        fraction = self.validation_fraction
        if fraction is not None and fraction >= 1:
            fraction = min(fraction / weight, 0.999)
        return Stopping(self.scoring, fraction, self.n_iter_no_change, float(self.tol)) if stops else None

    def told_of(self, loss: BoostLoss) -> dict[str, Any]:
        """What else is known of a fit."""
        category = self.columns_.sizes > 0
        return {
            "n_trees_per_iteration_": loss.outputs,
            "is_categorical_": category if category.any() else None,
        }
