"""Real tables into any learner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..data.schema import Schema
from ..features.table.encoder import with_table_tags
from .fitted import Fitted
from .learner import Learner
from .roads import Roads
from .table_roads import CodedRows, CodedSums, MixedTable, OwnSums, is_recodable
from .table_rows import ignored_by, rows_of_table, split_named


def learner_has(name: str) -> Any:
    return available_if(lambda model: hasattr(model.plain_learner, name))


class TableModel(Roads):
    """A learner on real tables: numbers, booleans, categories and dates, with missing values.

        x = A'z + c,   z = (value or 0, missing?), (level?, level?, ...)

    Rows are coded without any state, so the sums of coded rows add up, also over tables that have different levels.
    Fills, scales, rare levels and reference levels are a matrix A that is computed from the sums and applied to them: a
    model that was updated, merged or has unlearnt rows is the model of a new fit, and cross-validation learns the
    preprocessing inside every fold.

    With a learner on moments (LinearRegression, Ridge, the Gaussian classifiers, LeastSquaresClassifier,
    FisherDiscriminant) the model is one-pass itself. Any other estimator, of scikit-learn too, is fitted on the
    rows after one pass for the sums, and has neither ``+`` nor ``-``. Learners that read mixed columns, such as trees,
    take categories and gaps as they are: nothing is filled, scaled or pooled for them. So does NaiveBayes, which makes
    its own sums of the table.

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
    >>> for name, coefficient in (a + b).coef_table():       # from the sums of two sites
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

    reads = "table"

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
    def target(self) -> str | None:
        learner = self.plain_learner
        if isinstance(learner, Learner):
            return learner.target
        if isinstance(learner, type) or not hasattr(learner, "__sklearn_tags__"):  # no estimator, which fit will say
            return None
        return "label" if is_classifier(learner) else "number" if is_regressor(learner) else None

    @property
    def reads_itself(self) -> bool:
        """Whether the learner makes sums of tables itself, and can be asked about rows that come coded."""
        return hasattr(self.plain_learner, "of_coded_rows")

    @property
    def categorical_features(self) -> Any:
        """Columns of numbers that a learner takes for levels which reads tables itself."""
        return self.plain_learner.categorical_features if self.reads_itself else None

    @property
    def many_targets(self) -> bool:  # type: ignore[override]
        return bool(getattr(self.plain_learner, "many_targets", True))

    @property
    def chunk_factor(self) -> int:  # type: ignore[override]
        return int(getattr(self.plain_learner, "chunk_factor", 2))

    def road(self) -> Any:
        """A learner on sums that can be recoded learns from the sums of coded rows, any other from the rows.

        One that reads mixed columns takes them as they are, and one that reads tables makes the sums itself.
        """
        if self.reads_itself:
            return OwnSums(self.without_fit())
        mixed = getattr(self.plain_learner, "reads", "numbers") == "mixed"
        road = MixedTable if mixed else CodedSums if is_recodable(self.plain_learner) else CodedRows
        return road(self.without_fit())

    def check(self) -> None:
        if not hasattr(self.plain_learner, "predict") or isinstance(self.plain_learner, type):
            raise TypeError(f"learner must be a classifier or a regressor, got {self.learner!r}")
        reads = getattr(self.plain_learner, "reads", "numbers")
        if reads == "table" and not self.reads_itself:
            raise TypeError(f"{type(self.plain_learner).__name__} reads tables itself: use it without TableModel")
        own = {name: getattr(self.plain_learner, name, None) for name in ("ids", "drop")} if self.reads_itself else {}
        for name in (name for name, value in own.items() if value):
            raise ValueError(f"{name} of the {type(self.plain_learner).__name__} inside: give it to the TableModel")

    def parameters_on(self, columns: np.ndarray, features: int) -> dict[str, Any] | None:
        inner = self._solved_learner()
        if self.reads_itself:
            cut = inner.parameters_on(columns, features)
            return None if cut is None else {"learner": clone(self.plain_learner).set_params(**cut)}
        size = inner.n_features_in_
        if hasattr(inner, "parameters_on") and inner.parameters_on(np.arange(size), size):
            raise ValueError(
                f"{type(inner).__name__} has hyperparameters for each of the {size} features that the table was coded "
                "as, and others would go with the columns: fit a model on those columns"
            )
        return None

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
    def sample(self, X: Any, random_state: Any = None, *, n: int | None = None) -> np.ndarray:
        """Draw an answer for every row from the distribution that the learner has fitted; with `n`, so many times."""
        return self._solved_learner().sample(self.features_of(X), random_state, **({} if n is None else {"n": n}))

    @learner_has("explain")
    def explain(self, X: Any, label: Any = None, against: Any = None) -> Any:
        """Why one row is taken for a class, where the learner can say so (`NaiveBayes.explain`)."""
        return self._solved_learner().explain(self.features_of(X), label, against)

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
