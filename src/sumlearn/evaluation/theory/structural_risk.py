"""Structural risk: nested families of models, their errors on rows learnt, and what a bound adds to them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.model_selection import StratifiedKFold

from ...data import split_target, vector
from ..resampling.cross_validation import cross_validate
from ..row_values import row_weights


@dataclass(frozen=True)
class StructuralRisk:
    """The outcome of `structural_risk`, one number for each family, the smallest first.

    Attributes
    ----------
    names : tuple of str
    dimensions : array
        Vapnik-Chervonenkis dimensions (NaN where they are not known and not needed).
    empirical, penalty, bound : array
        Error on the rows learnt, what is added, and their sum: the true error is below it with `confidence`, for all
        families at once. A bound above one says nothing.
    cross_validated : array
        Error on rows left out, without a bound.
    kind : {"vc", "rademacher"}
    confidence, rows : float
    """

    names: tuple[str, ...]
    dimensions: np.ndarray
    empirical: np.ndarray
    penalty: np.ndarray
    bound: np.ndarray
    cross_validated: np.ndarray
    kind: str
    confidence: float
    rows: float

    @property
    def chosen(self) -> str:
        """The family of the least bound."""
        return self.names[int(self.bound.argmin())]

    @property
    def chosen_by_cv(self) -> str:
        """The family of the least error on rows left out, the smallest of them."""
        return self.names[int(self.cross_validated.argmin())]

    def __str__(self) -> str:
        wide = max(6, *map(len, self.names))
        head = f"{'family':<{wide}} {'h':>6} {'learnt':>8} {'added':>8} {'bound':>8} {'left out':>9}"
        lines = [
            f"{name:<{wide}} {h:>6.0f} {a:>8.4f} {b:>8.4f} {c:>8.4f} {d:>9.4f}"
            for name, h, a, b, c, d in zip(
                self.names, self.dimensions, self.empirical, self.penalty, self.bound, self.cross_validated, strict=True
            )
        ]
        end = f"least {self.kind} bound: {self.chosen}; least error on rows left out: {self.chosen_by_cv}"
        return "\n".join([head, *lines, end])


def structural_risk(
    family: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    bound: str = "vc",
    dimensions: Any = None,
    confidence: float = 0.95,
    cv: Any = 5,
    draws: int = 10,
    random_state: Any = 0,
    sample_weight: Any = None,
) -> StructuralRisk:
    """Choose among nested families of two-class models by error plus a bound of the gap, beside cross-validation.

        vc           R <= R_N + sqrt((h (ln(2N / h) + 1) + ln(4 / delta)) / N)
        rademacher   R <= R_N + E_s[1 - 2 e(s)] + 3 sqrt(ln(2 / delta) / (2N))

    R is the true error and R_N that on the N rows learnt; delta = (1 - confidence) / number of families, so that all
    hold at once. h is the Vapnik-Chervonenkis dimension: the number of rows that a family can label in every way; of a
    hyperplane, its coefficients and the intercept. e(s) is the error that the family reaches on labels s drawn by coin:
    what it can learn of noise. It is the learner's error, not the least of the family, so that the second bound is that
    of the learner as it is, and holds for the family only as far as the learner finds its least error.

    Both are true for every distribution, and therefore wide: their order is worth more than their size. The penalty of
    regularised risk, alpha |w|^2 / 2, stands for such a bound; alpha is then chosen by cross-validation, not by it.

    Parameters
    ----------
    family : mapping of names to classifiers
        The smallest family first.
    X, y : arrays or tables; y may name a column
        Two classes.
    bound : {"vc", "rademacher"}, default="vc"
        Which.
    dimensions : array-like, default=None
        h of every family; None counts the coefficients of linear models.
    confidence : float, default=0.95
        Of all bounds together.
    cv : int or splitter, default=5
        Folds, shuffled and stratified if a number.
    draws : int, default=10
        Labels by coin, for "rademacher".
    random_state : int, default=0
        Of folds and coins.
    sample_weight : array, default=None
        A weight is a number of rows.

    Returns
    -------
    StructuralRisk

    Examples
    --------
    >>> from sumlearn import PolynomialClassifier
    >>> from sumlearn.data import load_example
    >>> from sumlearn.evaluation import structural_risk
    >>> pima = load_example("pima")
    >>> family = {f"degree {k}": PolynomialClassifier(degree=k) for k in (1, 2, 3)}
    >>> risk = structural_risk(family, pima.X[:, :4], pima.y, dimensions=[5, 15, 35])
    >>> risk.empirical.round(3), risk.bound.round(3), risk.chosen, risk.chosen_by_cv
    (array([0.251, 0.238, 0.232]), array([0.477, 0.58 , 0.706]), 'degree 1', 'degree 1')

    References
    ----------
    Lecture note 003; Vapnik, "The nature of statistical learning theory", 1995, ch. 3 and 4; Bartlett & Mendelson,
    "Rademacher and Gaussian complexities", 2002.
    """
    names, models = checked_family(family, bound, confidence)
    X, y = split_target(X, y)
    y = vector(y, "y")
    weight = row_weights(sample_weight, len(y))
    classes = np.unique(y[weight > 0])
    if len(classes) != 2:
        raise ValueError(f"structural_risk is for two classes, y has {len(classes)}")
    extra = {} if sample_weight is None else {"sample_weight": sample_weight}
    fitted = [clone(model).fit(X, y, **extra) for model in models]
    N, delta = float(weight.sum()), (1.0 - confidence) / len(models)
    empirical = np.array([error(model, X, y, weight) for model in fitted])
    h = np.array([dimension_of(model) for model in fitted]) if dimensions is None else np.asarray(dimensions, float)
    if h.shape != (len(models),) or (h <= 0).any():
        raise ValueError(f"dimensions must be {len(models)} positive numbers, got {dimensions!r}")
    if bound == "vc":
        if np.isnan(h).any():
            name = names[int(np.isnan(h).argmax())]
            raise ValueError(f"the dimension of {name!r} is not known: give dimensions, or use bound='rademacher'")
        penalty = np.sqrt((h * (np.log(np.maximum(2.0 * N / h, 1.0)) + 1.0) + np.log(4.0 / delta)) / N)
    else:
        rng = np.random.default_rng(random_state)
        coins = [rng.choice(classes, len(y)) for _ in range(draws)]
        noise = [np.mean([learnt_of_noise(model, X, s, weight, extra) for s in coins]) for model in models]
        penalty = np.maximum(noise, 0.0) + 3.0 * np.sqrt(np.log(2.0 / delta) / (2.0 * N))
    folds = StratifiedKFold(cv, shuffle=True, random_state=random_state) if isinstance(cv, int) else cv
    scores = [cross_validate(m, X, y, cv=folds, scoring="accuracy", sample_weight=sample_weight) for m in models]
    left_out = np.array([1.0 - float(np.mean(score["test_score"])) for score in scores])
    return StructuralRisk(names, h, empirical, penalty, empirical + penalty, left_out, bound, confidence, N)


def checked_family(family: Any, bound: str, confidence: float) -> tuple[tuple[str, ...], list[Any]]:
    """Names and models, if they are some."""
    if not isinstance(family, Mapping) or not family:
        raise ValueError("family must be a mapping of names to classifiers, the smallest first")
    for name, model in family.items():
        if not is_classifier(model):
            raise ValueError(f"{name!r} is no classifier: the bounds are those of the share of wrong labels")
    if bound not in ("vc", "rademacher"):
        raise ValueError(f"bound must be 'vc' or 'rademacher', got {bound!r}")
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must be between 0 and 1, got {confidence!r}")
    return tuple(map(str, family)), list(family.values())


def dimension_of(model: Any) -> float:
    """Coefficients and intercept of a hyperplane; NaN where there is none."""
    coef = getattr(model, "coef_", None)
    return np.nan if coef is None else float(np.atleast_2d(coef).shape[1] + bool(getattr(model, "fit_intercept", True)))


def error(model: Any, X: Any, y: np.ndarray, weight: np.ndarray) -> float:
    return float(np.average(np.asarray(model.predict(X)) != y, weights=weight))


def learnt_of_noise(model: Any, X: Any, coins: np.ndarray, weight: np.ndarray, extra: dict[str, Any]) -> float:
    """1 - 2 e: one where labels by coin are learnt without an error, zero where nothing is learnt of them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what labels by coin do to a model is no news
        return 1.0 - 2.0 * error(clone(model).fit(X, coins, **extra), X, coins, weight)
