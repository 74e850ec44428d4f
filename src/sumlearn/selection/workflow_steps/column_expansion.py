"""Steps 2 to 4: columns made comparable, their products, and their linear combinations."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler

from ...features import Polynomial
from ...features.input_ranges import whole_number
from ...learners.gaussian.linear_discriminant import LinearDiscriminantAnalysis
from ...learners.projections.pca import PCA
from .step import Step, fitted, listed, skipped

MOST_FEATURES = 20_000  # more products than that are a mistake, or another method's business
COMBINATIONS = ("pca", "lda")


class ColumnExpansion:
    """The features that a table is given: its own columns first, then products, then linear combinations.

    Attributes
    ----------
    names : list of str
        Of all features.
    steps : list of Step

    Examples
    --------
    >>> from sumlearn.data import load_example
    >>> iris = load_example("iris")
    >>> made = ColumnExpansion(True, 2, "pca", 1).fit(iris.X[:, :2], iris.y, ["length", "width"], "classification")
    >>> made.names
    ['length', 'width', 'length^2', 'length width', 'width^2', 'pca1']
    >>> made.transform(iris.X[:1, :2]).round(2).tolist()
    [[-0.9, 1.02, 0.81, -0.92, 1.04, 1.36]]
    """

    def __init__(self, normalise: Any, products: Any, combinations: Any, n_combinations: int) -> None:
        self.normalise, self.products = normalise, products
        self.combinations, self.n_combinations = combinations, n_combinations

    def fit(self, rows: np.ndarray, y: np.ndarray, names: list[str], task: str, weight: Any = None) -> Self:
        """Learn means, deviations and directions."""
        self.scaler: Any = None
        self.polynomial: Polynomial | None = None
        self.maps: list[Any] = []
        self.names = list(names)
        self.steps: list[Step] = []
        rows = self._fit_scaler(rows, weight)
        self._fit_products(rows, names)
        self._fit_combinations(rows, y, task, weight)
        return self

    def transform(self, rows: np.ndarray) -> np.ndarray:
        """All features of some rows."""
        if self.scaler is not None:
            rows = self.scaler.transform(rows)
        parts = [rows if self.polynomial is None else self.polynomial.transform(rows)]
        parts += [np.asarray(projection.transform(rows), dtype=float) for projection in self.maps]
        return np.hstack(parts)

    # -- the three steps ----------------------------------------------------------------------------------------------

    def _fit_scaler(self, rows: np.ndarray, weight: Any) -> np.ndarray:
        if self.normalise is None or self.normalise is False:
            self.steps.append(skipped("normalise"))
            return rows
        self.scaler = StandardScaler() if self.normalise is True else clone(self.normalise)
        scaled = fitted(self.scaler, rows, None, weight).transform(rows)
        if np.shape(scaled) != rows.shape:
            raise ValueError(f"normalise must keep the {rows.shape[1]} columns, it gave shape {np.shape(scaled)}")
        constant = [name for name, spread in zip(self.names, np.ptp(rows, axis=0), strict=True) if spread == 0]
        what = "mean 0, deviation 1" if self.normalise is True else type(self.scaler).__name__
        what += f"; constant: {listed(constant)}" if constant else ""
        self.steps.append(Step("normalise", what, {"constant": constant}))
        return np.asarray(scaled, dtype=float)

    def _fit_products(self, rows: np.ndarray, names: list[str]) -> None:
        if self.products is None or self.products is False:
            self.steps.append(skipped("products"))
            return
        basis = Polynomial(whole_number(self.products, "products", 2))
        count = basis.size(rows.shape[1])
        if count > MOST_FEATURES:
            raise ValueError(
                f"products={self.products} of {rows.shape[1]} columns are {count} features, more than {MOST_FEATURES}: "
                "give fewer columns, or products=None"
            )
        self.polynomial = basis.fit(rows)
        self.names = [str(name) for name in basis.get_feature_names_out(names)]
        added = count - len(names)
        what = f"{added} of up to {self.products} columns added"
        self.steps.append(Step("products", what, {"added": added}))

    def _fit_combinations(self, rows: np.ndarray, y: np.ndarray, task: str, weight: Any) -> None:
        given = self.combinations
        kinds = [] if given is None or given is False else [given] if isinstance(given, str) else list(given)
        for kind in kinds:
            if kind not in COMBINATIONS:
                raise ValueError(f"combinations must be 'pca', 'lda', both or None, got {kind!r}")
        if "lda" in kinds and task == "regression":
            raise ValueError("combinations 'lda' are directions between classes: use 'pca' with numbers")
        wanted = {"pca": min(whole_number(self.n_combinations, "n_combinations", 1), *rows.shape)}
        wanted["lda"] = min(wanted["pca"], len(np.unique(y)) - 1)
        names = []
        for kind in kinds if rows.shape[1] > 1 else []:  # of one column it would be the column
            projection = PCA(wanted[kind]) if kind == "pca" else LinearDiscriminantAnalysis(n_components=wanted[kind])
            self.maps.append(projection.fit(rows, y, weight))
            names += [f"{kind}{number}" for number in range(1, wanted[kind] + 1)]
        self.names += names
        what = f"added {listed(names)}"
        self.steps.append(Step("combinations", what, {"added": names}) if names else skipped("combinations"))


Expansion = ColumnExpansion  # files of the first release call it that
