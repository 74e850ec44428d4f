"""Whether two parts of a cube have the same coefficients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...learners.regression.linear_regression import LinearRegression
from ...learners.regression.parts.linear_model import residual_moments, squared_errors
from ...statistics import Moments, in_words
from .cube_keys import parted
from .cube_tree import keys_of, steps_of

if TYPE_CHECKING:
    from ..model_cube import ModelCube


@dataclass(frozen=True)
class ChowTest:
    """What a Chow test says: F with its degrees of freedom and p value, and every coefficient's change.

    `change` is after less before, by name, ``intercept`` first; `standard_error`, `t` and `p_values` are those of the
    change under noise of one variance, `noise_variance`. `before` and `after` are the least-squares models.
    """

    statistic: float
    degrees: tuple[int, float]
    p_value: float
    change: dict[str, float]
    standard_error: dict[str, float]
    t: dict[str, float]
    p_values: dict[str, float]
    noise_variance: float
    before: Any
    after: Any

    def __str__(self) -> str:
        k, rest = self.degrees
        lines = [f"Chow test: F({k}, {rest:g}) = {self.statistic:.4g}, p = {self.p_value:.3g}"]
        lines.append(f"{'':<20}{'change':>12}{'std. error':>12}{'t':>9}{'p':>10}")
        for name, moved in self.change.items():
            error, t, p = self.standard_error[name], self.t[name], self.p_values[name]
            lines.append(f"{name[:20]:<20}{moved:>12.4g}{error:>12.3g}{t:>9.2f}{p:>10.3g}")
        return "\n".join(lines)


def chow(cube: ModelCube, before: Any, after: Any) -> ChowTest:
    """The test; see `ModelCube.compare`."""
    from scipy.stats import f, t

    learner = cube._fitted()._model
    first, second = (leaves_under(cube, item) for item in (before, after))
    shared = np.intersect1d(first, second)
    if len(shared):
        raise ValueError(
            f"{before!r} and {after!r} share {len(shared)} steps of a group: a test needs rows of two kinds"
        )
    sums = [in_words(cube[item].statistic_) for item in (before, after)]
    if type(sums[0]) is not Moments or sums[0].form != "full" or sums[0].targets != 1 or cube._model.reads != "numbers":
        raise ValueError(
            f"compare is for regressions of one target on sums of (x, y); a {type(learner).__name__} has others"
        )
    intercept = bool(getattr(learner, "fit_intercept", True))
    k = sums[0].features + intercept
    for item, part in zip((before, after), sums, strict=True):
        if part.weight <= k:
            raise ValueError(f"{item!r} holds {part.weight:g} rows: a test of {k} coefficients needs more than {k}")
    models = [solved(learner, part, intercept) for part in sums]
    for item, model in zip((before, after), models, strict=True):
        if len(model.aliased_):
            name = name_of(learner, int(model.aliased_[0]))
            raise ValueError(f"column {name!r} is constant or depends on others in {item!r}: leave it out of the cube")
    errors = [float(squared_errors(residual_moments(m.statistic_, m.solved()))[0]) for m in models]
    pooled = solved(learner, sums[0].merge(sums[1]), intercept)
    whole = float(squared_errors(residual_moments(pooled.statistic_, pooled.solved()))[0])
    rest = sums[0].weight + sums[1].weight - 2 * k
    variance = sum(errors) / rest
    with np.errstate(divide="ignore", invalid="ignore"):
        F = max(whole - sum(errors), 0.0) / k / variance if variance > 0 else np.inf
    moved = parameters(models[1], intercept) - parameters(models[0], intercept)
    spread = sum(np.diag(m.covariance_) / m.noise_variance_ for m in models if m.noise_variance_ > 0)
    error = np.sqrt(variance * np.broadcast_to(np.asarray(spread, dtype=float), moved.shape))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = moved / error
    names = [*(["intercept"] if intercept else []), *(name_of(learner, j) for j in range(sums[0].features))]
    columns = [
        dict(zip(names, map(float, values), strict=True))
        for values in (moved, error, ratio, 2 * t.sf(np.abs(ratio), rest))
    ]
    change, errors_of, ratios, p_values = columns
    return ChowTest(
        statistic=float(F),
        degrees=(k, float(rest)),
        p_value=float(f.sf(F, k, rest)),
        change=change,
        standard_error=errors_of,
        t=ratios,
        p_values=p_values,
        noise_variance=float(variance),
        before=models[0],
        after=models[1],
    )


def leaves_under(cube: ModelCube, item: Any) -> np.ndarray:
    """Codes of the leaves of a window and its groups."""
    window, groups = parted(item)
    keys = cube._keys.chosen(groups)
    first, last = cube._axes.grain.window(window, str(cube._axes.zone))
    codes = cube._tree.leaves.codes
    steps = steps_of(codes)
    inside = np.isin(keys_of(codes), keys)
    inside &= (steps >= first) if first is not None else True
    inside &= (steps < last) if last is not None else True
    return codes[inside]


def solved(learner: Any, sums: Moments, intercept: bool) -> LinearRegression:
    """Least squares of these sums, with the names of the columns."""
    model = LinearRegression(fit_intercept=intercept).solve(sums)
    if hasattr(learner, "feature_names_in_") and len(learner.feature_names_in_) == sums.features:
        model.feature_names_in_ = learner.feature_names_in_
    return model


def parameters(model: Any, intercept: bool) -> np.ndarray:
    coef = np.ravel(model.coef_)
    return np.append(np.ravel(model.intercept_), coef) if intercept else coef


def name_of(learner: Any, column: int) -> str:
    names = getattr(learner, "feature_names_in_", None)
    return str(names[column]) if names is not None and column < len(names) else f"x{column}"
