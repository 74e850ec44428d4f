"""What all bases share: scikit-learn's protocol, the raw map for chunks, and when two of them are the same."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ..engines import one_blas_thread
from ..statistics.row_checks import available_memory, raise_if_not_finite
from .dense_rows import dense_rows


class Basis(TransformerMixin, BaseEstimator, ABC):
    """Functions of a row, phi(x) = (phi_1(x), ..., phi_M(x)); a model that is linear in phi is curved in x.

        y(x) = w_0 + sum_j w_j phi_j(x)

    A basis is a scikit-learn transformer. Learners use it chunk by chunk through `map`; sums over chunks that went
    through the same basis (`same_as`) may be added. A `stateless` basis is the same for all rows there are, so it needs
    no look at the data beforehand.

    A basis of your own writes `stateless`, `size`, `learn`, `evaluate`, `names` and `may_overflow`, and has a parameter
    `bias`.
    """

    bias: bool
    double: bool = False  # whether outputs are float64 whatever the rows are; older files have no word about it
    row_by_row: ClassVar[bool] = False  # whether a row is mapped to the same bits whatever rows stand beside it
    seeded: ClassVar[bool] = False  # whether the seed decides about the map by itself, not only among rows
    placed_by: ClassVar[dict[str, str]] = {}  # parameters that count only through a fitted attribute, and which it is

    @property
    @abstractmethod
    def stateless(self) -> bool:
        """Whether `fit` looks at nothing but the number and names of the columns."""

    @abstractmethod
    def size(self, n_features: int) -> int:
        """Number of outputs for so many columns."""

    @abstractmethod
    def learn(self, rows: np.ndarray) -> dict[str, Any]:
        """Check the parameters, and return the fitted attributes by name."""

    @abstractmethod
    def evaluate(self, X: np.ndarray, out: np.ndarray, first: int) -> None:
        """Write phi(x) of every row into ``out[:, first:]``."""

    @abstractmethod
    def names(self, inputs: list[str]) -> list[str]:
        """Names of the outputs, without the constant."""

    @abstractmethod
    def may_overflow(self, X: np.ndarray) -> bool:
        """Whether outputs may be too large for their type; then `transform` looks at each of them."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn what the basis needs to know about the columns; y is not used."""
        fresh = copy.copy(self)  # so that a refused X changes nothing
        fresh.__dict__ = {name: value for name, value in vars(self).items() if not name.endswith("_")}
        rows = dense_rows(fresh, X, reset=True)
        fresh.__dict__.update(fresh.learn(rows))
        self.__dict__ = fresh.__dict__
        return self

    def map(self, X: np.ndarray) -> np.ndarray:
        """phi(x) of every row of a float32 or float64 array, in the same type unless `double`, without any check."""
        first = int(self.bias)
        out = np.empty((X.shape[0], self.size(X.shape[1])), dtype=np.float64 if self.double else X.dtype)
        out[:, :first] = 1.0
        self.evaluate(X, out, first)
        return out

    def transform(self, X: Any) -> np.ndarray:
        """phi(x) of every row."""
        check_is_fitted(self)
        rows = dense_rows(self, X, reset=False)
        outputs = self.size(rows.shape[1])
        need, have = rows.shape[0] * outputs * rows.itemsize, available_memory()
        if need > have:
            raise ValueError(
                f"X has {rows.shape[0]} rows and {outputs} outputs, which needs {need / 2**30:.1f} GiB; "
                f"{have / 2**30:.1f} GiB are free: transform fewer rows at a time, or take a smaller basis"
            )
        with one_blas_thread():  # its threads spin at the barriers of small products
            out = self.map(rows)
        if self.may_overflow(rows):
            self.refuse_overflow(out)
        return out

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the outputs."""
        inputs = OneToOneFeatureMixin.get_feature_names_out(self, input_features)
        return np.array(["1"] * int(self.bias) + self.names([str(name) for name in inputs]), dtype=object)

    def same_as(self, other: Any) -> bool:
        """Whether the other basis maps every row alike: same parameters and same fitted arrays.

        A seed that only chooses among the rows is left out: what it chose is compared.
        """
        return type(self) is type(other) and not self.differing(other)

    def differing(self, other: Self) -> list[str]:
        """Names of what differs between two bases of a kind, with its values where they are numbers or texts."""
        a, b = self.decisive(), other.decisive()
        names = [name for name in {**a, **b} if not (name in a and name in b and equal(a[name], b[name]))]
        return [described(name, a.get(name), b.get(name)) for name in names]

    def decisive(self) -> dict[str, Any]:
        """Parameters and fitted attributes that decide about the map."""
        fitted = {k: v for k, v in vars(self).items() if k.endswith("_") and k != "feature_names_in_"}
        silent = {name for name, attribute in self.placed_by.items() if attribute in fitted}
        silent |= set() if self.seeded else {"random_state"}
        return {name: value for name, value in self.get_params().items() if name not in silent} | fitted

    def advice(self, other: Self) -> str:
        """How two bases of a kind, of which rows or chance have decided, would have been the same."""
        missing: dict[str, str] = {}
        for name, attribute in self.placed_by.items():
            if attribute in vars(self) and not equal(getattr(self, attribute), getattr(other, attribute)):
                missing.setdefault(attribute, f"{name} (such as basis_.{attribute} of one of them)")
        return f"give both the same {' and '.join(missing.values()) or 'basis'}"

    def refuse_overflow(self, out: np.ndarray) -> None:
        try:
            raise_if_not_finite(out)
        except ValueError as error:
            row, column = error.row, error.column  # type: ignore[attr-defined]
            name = self.get_feature_names_out()[column]
            raise ValueError(f"X is too large for {out.dtype}: {name!r} overflows, first at row {row}.") from None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def equal(a: Any, b: Any) -> bool:
    """Equal values; arrays and lists of the same numbers are equal."""
    return np.array_equal(np.asarray(a), np.asarray(b))


def described(name: str, a: Any, b: Any) -> str:
    return f"{name} ({a!r} and {b!r})" if all(value is None or np.isscalar(value) for value in (a, b)) else name
