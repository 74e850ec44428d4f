"""Real tables into any learner."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, Self

import numpy as np
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..data import Chunk, Columns, Source
from ..data.schema import Schema
from ..features.table.encoder import design_of, encoder_sums, with_table_tags
from ..features.table.sums import TableSums
from .fitted import Fitted, Holder
from .learner import OnePass, is_sum
from .table_rows import features_of_part, ignored_by, open_table, rows_of_table, split_named


def additive(model: Any) -> bool:
    return bool(model.adds_up)


def learner_has(name: str) -> Any:
    return available_if(lambda model: hasattr(model.plain_learner, name))


class TableModel(OnePass):
    """A learner on real tables: numbers, booleans, categories and dates, with missing values.

        x = A'z + c,   z = (value or 0, missing?), (level?, level?, ...)

    Rows are coded without any state, so the sums of coded rows add up, also over tables that have different levels.
    Fills, scales, rare levels and reference levels are a matrix A that is computed from the sums and applied to them: a
    model that was updated, merged or has unlearnt rows is the model of a new fit, and cross-validation learns the
    preprocessing inside every fold.

    With a learner on moments (LinearRegression, Ridge, the Gaussian classifiers, LeastSquaresClassifier,
    FisherDiscriminant) the model is one-pass itself. Any other estimator, of scikit-learn too, is fitted on the
    rows after one pass for the sums, and has neither ``+`` nor ``-``.

    Statistic: TableSums, the learner's own over coded columns. One pass. Can merge, forget, decay, restrict, as the
    learner can. Cost: summarise O(n d^2), solve O(d^2 + the learner's), d coded columns.

    Parameters
    ----------
    learner : estimator, default=None
        Any classifier or regressor; None is ``Ridge()``.
    ids, drop : list of str, default=None
        Columns that are identifiers, or that are not wanted.
    max_levels : int, default=100
        A category that comes to more levels is left out.
    rare : int or float, default=10
        Weight, or below 1 the share, that a level or the missing values of a column must have for a feature of their
        own. Rare levels are pooled: a coefficient that rests on a few rows says little.
    scale : bool, default=True
        Bring numbers and dates to mean zero and unit variance, so that a penalty treats them alike.
    handle_unknown : {"prior", "error"}, default="prior"
        A level that was not there at the fit gets the mean contribution of the levels, or is refused.

    Attributes
    ----------
    learner_ : the fitted learner, on the features.
    schema_ : kinds of the columns.
    feature_names_out_ : names of the features.
    report_ : what was left out, filled, pooled: (column, what, why, weight of the rows).
    statistic_ : the sums.

    Examples
    --------
    >>> import pandas as pd
    >>> from sumlearn import LinearRegression, TableModel
    >>> rome = pd.DataFrame({"size": [50.0, 70.0, None, 90.0], "city": ["Rome"] * 4, "rent": [9.0, 11.0, 12.0, 13.0]})
    >>> oslo = pd.DataFrame({"size": [40.0, 60.0, 80.0], "city": ["Oslo"] * 3, "rent": [12.0, 14.0, 16.0]})
    >>> a, b = (TableModel(LinearRegression(), rare=1).fit(site, "rent") for site in (rome, oslo))
    >>> for name, coefficient in (a + b).coef_table():       # no row has left its site
    ...     print(f"{name:14} {coefficient:6.2f}")
    (intercept)      4.00
    size             0.10
    size: missing    1.50
    city=Oslo        4.00
    >>> (a + b).predict(pd.DataFrame({"size": [100.0], "city": ["Oslo"]})).round(2).tolist()
    [18.0]

    References
    ----------
    Hastie, Tibshirani & Friedman, "The elements of statistical learning", 2009, sec. 9.6.
    """

    learner_ = Fitted("The learner, fitted on the features.")
    feature_names_out_ = Fitted("Names of the features, in their order.")
    report_ = Fitted("What was done with the columns: (column, what, why, weight of the rows).")
    design_ = Fitted("The map from coded rows to features.")
    classes_ = Fitted("Labels, sorted; of classifiers.")

    def __init__(
        self,
        learner: Any = None,
        *,
        ids: Sequence[str] | None = None,
        drop: Sequence[str] | None = None,
        max_levels: int = 100,
        rare: float = 10,
        scale: bool = True,
        handle_unknown: str = "prior",
    ) -> None:
        self.learner = learner
        self.ids = ids
        self.drop = drop
        self.max_levels = max_levels
        self.rare = rare
        self.scale = scale
        self.handle_unknown = handle_unknown

    # -- what the learner decides -------------------------------------------------------------------------------------

    @property
    def plain_learner(self) -> Any:
        if self.learner is None:
            from .regression.ridge import Ridge

            return Ridge()
        return self.learner

    @property
    def target(self) -> str | None:  # type: ignore[override]
        learner = self.plain_learner
        if isinstance(learner, OnePass):
            return learner.target
        if not hasattr(learner, "__sklearn_tags__"):  # no estimator, which fit will say
            return None
        return "label" if is_classifier(learner) else "number" if is_regressor(learner) else None

    @property
    def chunk_factor(self) -> int:  # type: ignore[override]
        return int(getattr(self.plain_learner, "chunk_factor", 2))

    @property
    def adds_up(self) -> bool:
        """Whether the learner is a sum over rows, of a kind that can be recoded."""
        learner = self.plain_learner
        if not is_sum(learner) or getattr(learner, "basis", None) is not None:
            return False
        y = {"number": np.arange(2.0), "label": np.array(["a", "b"]), None: None}[learner.target]
        try:
            return hasattr(learner.summarise(Chunk(np.zeros((2, 1)), y)), "recode")
        except ValueError:  # it has numbers for every column of its own, such as centres: its sums cannot be recoded
            return False

    one_pass = mergeable = forgettable = adds_up

    # -- learning -----------------------------------------------------------------------------------------------------

    def summarise(self, chunk: Chunk) -> TableSums:
        schema: Any = chunk.columns
        return TableSums.of(chunk, schema, self.plain_learner.summarise)

    def solution(self, statistic: TableSums) -> dict[str, Any]:
        if "on_rows_" in self.__dict__:
            return found(*self.on_rows_)
        design = design_of(statistic, self)
        learner = clone(self.plain_learner)
        if "_classes" in self.__dict__:
            learner._classes = self._classes
        names: Any = SimpleNamespace(
            features=len(design.names),
            columns=Columns(tuple(design.names), ("number",) * len(design.names)),
            dtype=np.dtype(np.float64),
            single_target=self.__dict__.get("_single_target", True),
            targets=statistic.sums.targets if hasattr(statistic.sums, "targets") else 1,
        )
        return found(learner.solve(design.apply(statistic), like=names).without_names(), design)

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from a table: a data frame, an array, or paths of files; y an array or the name of a column."""
        if not hasattr(self.plain_learner, "predict") or isinstance(self.plain_learner, type):
            raise TypeError(f"learner must be a classifier or a regressor, got {self.learner!r}")
        if self.adds_up:
            return super().fit(X, y, sample_weight)
        return self._fit_rows(X, y, sample_weight)

    @available_if(additive)
    def partial_fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, classes: Any = None
    ) -> Self:
        """Learn from more rows, also with new levels; `classes` at the first call fixes the labels of a classifier."""
        fixed = self.__dict__.get("_classes") if "statistic_" in self.__dict__ else None
        if classes is not None:
            classes = np.unique(np.asarray(classes))
            if fixed is not None and not np.array_equal(fixed, classes):
                raise ValueError(f"`classes={classes.tolist()}` differs from the earlier call, {fixed.tolist()}")
            fixed = classes
        before = self.__dict__.copy()
        super().partial_fit(X, y, sample_weight)
        if fixed is not None:
            unknown = sorted(set(self.statistic_.labels) - set(fixed.tolist()))
            if unknown:
                self.__dict__ = before
                raise ValueError(f"The target label(s) {unknown} in y do not exist in the initial classes")
            self._classes, self._holder = fixed, Holder()
        return self

    forget = available_if(additive)(OnePass.forget)
    decay = available_if(additive)(OnePass.decay)
    merge = available_if(additive)(OnePass.merge)
    restrict = available_if(additive)(OnePass.restrict)
    solve = available_if(additive)(OnePass.solve)
    # a ledger is a fingerprint of rows of numbers
    keep_ledger = available_if(lambda model: False)(OnePass.keep_ledger)
    verify = available_if(lambda model: False)(OnePass.verify)

    def __add__(self, other: Any) -> Self:
        return super().__add__(other) if self.adds_up else NotImplemented

    def __sub__(self, other: Any) -> Self:
        return super().__sub__(other) if self.adds_up else NotImplemented

    def open_table(
        self, X: Any, y: Any, weight: Any, *, reset: bool, empty_ok: bool = False, left_out: Sequence[str] = ()
    ) -> Source:
        """The source of a table; called wherever rows are opened."""
        return open_table(self, X, y, weight, reset=reset, empty_ok=empty_ok, left_out=left_out)

    def _fit_rows(self, X: Any, y: Any, sample_weight: Any) -> Self:
        """One pass for the design, then the learner on the rows in memory."""
        work = self._without_fit()
        source = work.open_table(X, y, sample_weight, reset=True)
        work.statistic_ = encoder_sums(source)
        design = design_of(work.statistic_, self)
        chunks = [(part, source.chunk(part)) for part in source.parts()]
        rows = np.concatenate([features_of_part(design, chunk, part) for part, chunk in chunks])
        targets = [chunk.y for _, chunk in chunks if chunk.y is not None]
        weights = [chunk.weight for _, chunk in chunks if chunk.weight is not None]
        extra = {"sample_weight": np.concatenate(weights)} if weights else {}
        learner = clone(self.plain_learner)
        if source.target.levels and getattr(learner, "order", ()) is None:  # the rows alone would not tell the order
            learner.set_params(order=source.target.levels)
        learner.fit(rows, np.concatenate(targets) if targets else None, **extra)
        work._remember(source)
        work.on_rows_ = learner, design  # no function of the sums
        return self._commit(work)

    def _remember(self, source: Any) -> None:
        super()._remember(source)
        if source is not None:
            self._single_target = source.single_target
            self.target_name_, self.weight_name_ = source.target_name, source.weight_name

    # -- using --------------------------------------------------------------------------------------------------------

    @property
    def schema_(self) -> Schema:
        """Kinds of the columns."""
        if "statistic_" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'schema_'")
        return self.statistic_.schema

    @learner_has("predict")
    def predict(self, X: Any) -> np.ndarray:
        """What the learner predicts for every row of a table, which may also be named by a path."""
        return self._solved_learner().predict(self.features_of(X))

    @learner_has("predict_proba")
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes."""
        return self._solved_learner().predict_proba(self.features_of(X))

    @learner_has("predict_log_proba")
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithms of the probabilities of the classes."""
        return self._solved_learner().predict_log_proba(self.features_of(X))

    @learner_has("decision_function")
    def decision_function(self, X: Any) -> np.ndarray:
        """Scores of the classes."""
        return self._solved_learner().decision_function(self.features_of(X))

    @learner_has("sample")
    def sample(self, X: Any, random_state: Any = None) -> np.ndarray:
        """Draw an answer for every row from the distribution that the learner has fitted."""
        return self._solved_learner().sample(self.features_of(X), random_state)

    @learner_has("score")
    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The score of the learner: accuracy or R^2."""
        X, y = split_named(X, y)
        extra = {} if sample_weight is None else {"sample_weight": sample_weight}
        return float(self._solved_learner().score(self.features_of(X), y, **extra))

    def features_of(self, X: Any) -> np.ndarray:
        """The features of every row of a table: what the learner sees."""
        check_is_fitted(self)
        return rows_of_table(self.design_, X, ignored_by(self), type(self).__name__)

    def coef_table(self) -> list[tuple[str, Any]]:
        """(feature, coefficient) in the units of the table, the intercept first; of several classes a list for each."""
        from .table_coefficients import coef_table

        check_is_fitted(self)
        return coef_table(self.solved()["learner_"], self.solved()["design_"])

    def _solved_learner(self) -> Any:
        check_is_fitted(self)
        return self.solved()["learner_"]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if not hasattr(self.plain_learner, "__sklearn_tags__"):
            return with_table_tags(tags)
        inner = get_tags(self.plain_learner)
        for name in ("estimator_type", "target_tags", "classifier_tags", "regressor_tags"):
            setattr(tags, name, getattr(inner, name))
        return with_table_tags(tags)


def found(learner: Any, design: Any) -> dict[str, Any]:
    """The fitted attributes."""
    values = {
        "learner_": learner,
        "design_": design,
        "feature_names_out_": design.names,
        "report_": design.notes,
    }
    return values | ({"classes_": learner.classes_} if hasattr(learner, "classes_") else {})
