"""Naive Bayes on tables of categories, truth values, counts and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ...data import Chunk
from ...data.coded_columns import CodedColumns
from ...data.mixed import MixedRows
from ...data.schema import LEFT_OUT, NUMERIC, Schema
from ...data.schema_matching import matched, not_empty, opened
from ...features.table.design import checked_unknown
from ...features.table.encoder import names_of, with_table_tags
from ...features.table.sums import TableSums
from ...statistics import Grouped, Moments
from ..classifier import LabelMixin
from ..description import Description, Offer, Tuning
from ..fitted import Fitted
from ..one_pass import OnePass
from ..posterior import PosteriorMixin
from ..table_rows import ignored_by, rows_of_table, split_named
from .parts.discrete import logarithm
from .parts.explanation import Explanation
from .parts.factors import Factors, LevelShares, refuse_negative
from .parts.factors_of_sums import factors_of


class NaiveBayes(PosteriorMixin, LabelMixin, OnePass):
    """Classes with independent columns of any kind: categories, truth values, counts and numbers in one table.

        ln p(k | x) = ln p(k) + sum_j ln p(x_j | k) + const

        category, truth value    (N_jk(x_j) + alpha) / (N_jk + alpha levels_j)
        count                    t_kj^x_j,  t_kj = (C_kj + alpha) / sum_i (C_ki + alpha), over all columns of counts
        number, date             normal, of variance  v_kj + var_smoothing Var(x_j)

    Tables are read as they are: words, gaps, files. A gap is left out of the product, and so is a level that nobody
    had at the fit, so that the priors and the other columns decide. New classes and new levels may come with any row.
    The smoothing enters in `solve`, never in the sums. Without it (alpha = 0) what a class never had rules it out;
    where that leaves no class, the priors decide.

    Statistic: TableSums[Grouped[Moments]], diagonal, of coded columns: the mean of a flag is a count. One pass. Can
    merge, forget, decay, restrict. Cost: summarise O(n (columns and levels)), solve O(K (columns and levels)).

    Parameters
    ----------
    alpha : float, default=1.0
        What is added to the weight of every level in every class (Laplace), and to every sum of counts.
    priors : dict or array of shape (classes,), default=None
        Prior probabilities by label, or by the place of the classes. None takes the share of the weights.
    var_smoothing : float, default=1e-9
        Share of the variance of a column over all rows that is added to that within a class.
    count_features : list of str, default=None
        Columns of numbers that are counts.
    categorical_features : list of str, default=None
        Columns of numbers that are levels.
    ids, drop : list of str, default=None
        Columns that are identifiers, or that are not wanted.
    max_levels : int, default=100
        A category that comes to more levels is left out.
    handle_unknown : {"prior", "error"}, default="prior"
        A level that was not there at the fit says nothing, with a warning, or is refused.

    Attributes
    ----------
    classes_, class_count_, class_prior_ : labels, their weights and prior probabilities.
    level_probabilities_ : {column: {level: p(level | k)}}.
    factors_ : what every column says, for each class.
    schema_, left_out_ : kinds of the columns; {column: reason} of those that are not read.
    statistic_ : the sums.

    Examples
    --------
    >>> import pandas as pd
    >>> from sumlearn import NaiveBayes
    >>> from sumlearn.data import load_example
    >>> tennis = load_example("play_tennis")
    >>> days = pd.DataFrame(tennis.X, columns=["outlook", "temperature", "humidity", "wind"])
    >>> model = NaiveBayes(alpha=0.0).fit(days, tennis.y)
    >>> today = pd.DataFrame([["Sunny", "Cool", "High", "Strong"]], columns=days.columns)
    >>> np.exp(model.predict_joint_log_proba(today)).round(6).tolist()  # of No and Yes
    [[0.020571, 0.005291]]
    >>> print(model.explain(today))
    No against Yes: log-odds 1.36, probability 0.795
      prior                 -0.59  ------------------
      outlook = Sunny       +0.99  ++++++++++++++++++++++++++++++
      temperature = Cool    -0.51  ---------------
      humidity = High       +0.88  ++++++++++++++++++++++++++
      wind = Strong         +0.59  ++++++++++++++++++

    References
    ----------
    Lecture note 000; Mitchell, "Machine learning", 1997, sec. 6.9.
    """

    description = Description(
        offers=(Offer("mixed_bayes", "naive Bayes on columns as they are", 32, tuning=Tuning("alpha", (0.1, 1.0))),),
        variants={"alpha": (0.0, 0.3, 1.0)},
    )
    reads = "table"
    statistic_type = TableSums[Grouped[Moments]]
    chunk_factor = 8

    class_count_ = Fitted("Weight of each class.")
    class_prior_ = Fitted("Prior probabilities.")
    factors_ = Fitted("What every column says.")

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        priors: Any = None,
        var_smoothing: float = 1e-9,
        count_features: Sequence[str] | None = None,
        categorical_features: Sequence[str] | None = None,
        ids: Sequence[str] | None = None,
        drop: Sequence[str] | None = None,
        max_levels: int = 100,
        handle_unknown: str = "prior",
    ) -> None:
        self.alpha = alpha
        self.priors = priors
        self.var_smoothing = var_smoothing
        self.count_features = count_features
        self.categorical_features = categorical_features
        self.ids = ids
        self.drop = drop
        self.max_levels = max_levels
        self.handle_unknown = handle_unknown

    def check(self) -> None:
        for name, least in (("alpha", 0.0), ("var_smoothing", np.finfo(float).tiny)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not least <= value < np.inf:
                what = "positive" if least else "not negative"
                raise ValueError(f"{name} must be a number that is {what}, got {value!r}")
        checked_unknown(self.handle_unknown)
        both = set(self.counted) & set(names_of(self.categorical_features, "categorical_features"))
        if both:
            raise ValueError(f"count_features and categorical_features both name {sorted(both)[0]!r}")

    @property
    def counted(self) -> list[str]:
        return names_of(self.count_features, "count_features")

    # -- learning -----------------------------------------------------------------------------------------------------

    def summarise(self, chunk: Chunk, look: Any = None) -> TableSums[Any]:
        schema: Any = chunk.columns
        self.check_counts(chunk, schema)
        return TableSums.by_class(chunk, schema)

    def check_counts(self, chunk: Chunk, schema: Schema) -> None:
        """Columns of counts are numbers, and not below zero where a row weighs something."""
        for name in self.counted:
            if name not in schema.by_name:
                raise ValueError(f"count_features names {name!r}, and the table has no such column")
            if schema[name].kind not in (*NUMERIC, "empty"):
                raise ValueError(f"count_features names {name!r}, which holds no numbers: {schema[name].kind}")
            if schema[name].kind != "empty":
                values = chunk.X.read_as(schema).numbers(name)
                there = values if chunk.weight is None else np.where(chunk.weight != 0, values, 0.0)
                refuse_negative(there, schema.places[name])

    def solution(self, statistic: TableSums[Any]) -> dict[str, Any]:
        self.check()
        labels = self.labels_of(statistic)
        numbers = float(self.alpha), float(self.var_smoothing)
        weights, columns, parts = factors_of(statistic, labels, *numbers, self.counted)
        prior = self.priors_of(weights, labels)
        return {
            "classes_": labels,
            "class_count_": weights,
            "class_prior_": prior,
            "factors_": Factors(columns, logarithm(prior), parts, self.handle_unknown == "error"),
        }

    def parameters_on(self, columns: np.ndarray, features: int) -> dict[str, Any] | None:
        kept = {self.schema_.names[j] for j in columns}
        cut = {name: getattr(self, name) for name in ("count_features", "categorical_features", "ids", "drop")}
        return {name: [c for c in names_of(value, name) if c in kept] for name, value in cut.items() if value} or None

    # -- using --------------------------------------------------------------------------------------------------------

    @property
    def schema_(self) -> Schema:
        """Kinds of the columns."""
        if "statistic_" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'schema_'")
        return self.statistic_.schema

    @property
    def left_out_(self) -> dict[str, str]:
        """Columns that say nothing, and why: identifiers, free text, too many levels, no value, or asked for."""
        return {c.name: c.reason or "no values" for c in self.schema_.columns if c.kind in (LEFT_OUT, "empty")}

    @property
    def level_probabilities_(self) -> dict[str, dict[str, np.ndarray]]:
        """p(level | k) of every category."""
        return {
            part.name: dict(zip(part.levels, np.exp(part.logs), strict=True))
            for part in self.factors_.parts
            if isinstance(part, LevelShares)
        }

    def of_coded_rows(self, columns: CodedColumns) -> Self:
        """The same model, asked about rows that come coded."""
        work = self.twin()
        work.columns_ = columns
        return work

    def joint_rows(self, X: Any) -> np.ndarray:
        self.check_ready()
        factors: Any = self.solved()["factors_"]
        if "columns_" in vars(self):
            X = self.columns_.checked(X)
            return factors.joint(factors.coded_values(X, self.columns_), len(X))
        return rows_of_table(factors, X, ignored_by(self), type(self).__name__)

    def predict_joint_log_proba(self, X: Any) -> np.ndarray:
        """ln p(x, k), one column per class."""
        return self.joint_rows(X)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Share of the rows whose label is predicted; y may name a column of the table."""
        return float(super().score(*split_named(X, y), sample_weight))

    def explain(self, X: Any, label: Any = None, against: Any = None) -> Explanation:
        """Why one row is taken for a class: what the prior and every column add to the log-odds.

        `label` is the class that is explained, the most probable one unless it is given, and `against` the one it is
        compared with, the next probable one. The answer is text; ``report.plots.contributions`` draws it.
        """
        check_is_fitted(self)
        table = not_empty(opened(X))
        if table.rows != 1:
            raise ValueError(f"one row is explained at a time, got {table.rows}: give a table of one row, X[i : i + 1]")
        factors, classes = self.solved()["factors_"], self.classes_.tolist()
        if len(classes) < 2:
            raise ValueError("there is a single class, so there is nothing to compare it with")
        for name, value in (("label", label), ("against", against)):
            if value is not None and value not in classes:
                raise ValueError(f"{name} must be one of {classes}, got {value!r}")
        words: dict[str, str] = {}
        if "columns_" in vars(self):
            values = list(factors.coded_values(self.columns_.checked(X), self.columns_))
        else:
            table = matched(table, factors.schema, ignored_by(self), type(self).__name__, factors.level_names)
            rows = MixedRows(table, factors.schema)
            values = list(factors.values(rows))
            own = {name: rows.levels(name) for name in factors.level_names}
            words = {name: names[codes[0]] for name, (names, codes) in own.items() if codes[0] >= 0}
        return Explanation.of(factors, values, words, classes, label, against)

    def __sklearn_tags__(self) -> Any:
        return with_table_tags(super().__sklearn_tags__())
