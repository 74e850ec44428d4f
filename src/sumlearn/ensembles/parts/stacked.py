"""What stacks of classifiers and of regressors share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sparse
from sklearn.base import TransformerMixin, clone
from sklearn.utils import Bunch
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from ...data import InMemory
from .left_out import AnswersLeftOut, columns_of
from .members import Asked, refuse_weights

AUTO = ("predict_proba", "decision_function", "predict")


def final_has(method: str) -> Callable[[Any], Any]:
    """Whether the final estimator has a method; that of the fit, if there was one."""

    def check(stack: Any) -> bool:
        getattr(vars(stack).get("final_estimator_", stack.final), method)
        return True

    return check


class Stacked(TransformerMixin):
    """A final estimator on what members say of rows that they have not learnt. A stack says what it asks them."""

    estimators: Any
    final_estimator: Any
    cv: Any
    passthrough: bool
    default_final: Any  # of the stack
    float_dtype: Any
    members: Any
    classes_: np.ndarray
    estimators_: list[Any]
    stack_method_: list[str]
    final_estimator_: Any
    n_features_in_: int
    _n_feature_outs: list[int]

    @property
    def final(self) -> Any:
        """The final estimator, unfitted."""
        return self.default_final() if self.final_estimator is None else self.final_estimator

    def check_final(self) -> None:
        if isinstance(self.final, type) or not hasattr(self.final, "fit"):
            raise TypeError(f"final_estimator must be an estimator or None, got {self.final!r}")
        if not isinstance(self.passthrough, bool | np.bool_):
            raise ValueError(f"passthrough must be True or False, got {self.passthrough!r}")

    def method_of(self, name: str, member: Any, wanted: Any) -> str:
        """What a member is asked."""
        asked = AUTO if wanted == "auto" else (wanted,)
        method = next((m for m in asked if hasattr(member, m)), None)
        if method is None:
            raise ValueError(f"Underlying estimator {name} does not implement the method {wanted}.")
        return method

    def stacked(self, found: AnswersLeftOut, rows: InMemory) -> dict[str, Any]:
        """Fitted attributes: the final estimator has learnt from the rows, in their order."""
        if not np.array_equal(found.rows, np.arange(rows.rows)):
            raise ValueError(
                "cv must leave every row out once: the final estimator learns from one answer for each row"
            )
        methods = [self.method_of(name, member, self.wanted) for name, member in self.members()]
        answers = [self.kept(said, method) for said, method in zip(found.answers, methods, strict=True)]
        every = rows.read(slice(0, rows.rows)) if self.passthrough else None
        weight = rows.weight
        final = clone(self.final)
        if weight is not None:
            refuse_weights([("final_estimator", final)])
        weighted = {} if weight is None else {"sample_weight": weight}
        final.fit(side_by_side(answers, every), rows.y, **weighted)
        return {
            "estimators_": found.models,
            "final_estimator_": final,
            "stack_method_": methods,
            "_n_feature_outs": [said.shape[1] for said in answers],
        }

    @property
    def wanted(self) -> Any:
        """What members are asked: of regressors their prediction."""
        return getattr(self, "stack_method", "predict")

    def kept(self, said: np.ndarray, method: str) -> np.ndarray:
        """Columns that the final estimator sees: of the probabilities of two classes that of the second."""
        (columns,) = columns_of([said])
        two = method == "predict_proba" and columns.shape[1] == 2 and len(self.classes_) == 2
        return columns[:, 1:] if two else columns

    @property
    def named_estimators_(self) -> Bunch:
        """The fitted members by name; "drop" is that of one that was left out."""
        fitted = iter(self.estimators_)
        entries = self.members() if self.estimators is None else self.estimators
        return Bunch(**{name: member if isinstance(member, str) else next(fitted) for name, member in entries})

    def transform(self, X: Any) -> Any:
        """What the members say of rows, as the final estimator is asked about it."""
        asked = Asked(self, X)
        answers = []
        for model, method in zip(self.estimators_, self.stack_method_, strict=True):
            said = self.in_place(asked.answers(model, method), getattr(model, "classes_", None), method)
            answers.append(self.kept(said, method))
        return self.narrowed(side_by_side(answers, asked.rows if self.passthrough else None))

    in_place: Any

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the columns of `transform`."""
        check_is_fitted(self)
        given = _check_feature_names_in(self, input_features, generate_names=self.passthrough)
        prefix, names = type(self).__name__.lower(), []
        for (name, _), count in zip(self.members(), self._n_feature_outs, strict=True):
            names += [f"{prefix}_{name}"] if count == 1 else [f"{prefix}_{name}{k}" for k in range(count)]
        own = np.array(names, dtype=object)
        return np.concatenate([own, given]) if self.passthrough else own

    def narrowed(self, answers: Any) -> Any:
        """Numbers as float32 where all rows learnt were."""
        real = isinstance(answers, np.ndarray) and answers.dtype == np.float64
        return answers.astype(self.float_dtype, copy=False) if real else answers

    @available_if(final_has("predict"))
    def predict(self, X: Any, **predict_params: Any) -> np.ndarray:
        """What the final estimator predicts; `predict_params` are handed to it."""
        said = self.transform(X)
        answers = self.final_estimator_.predict(said, **predict_params)
        return self.narrowed(answers)


def side_by_side(answers: list[np.ndarray], X: Any) -> Any:
    """Answers of the members, and the rows behind them where there are any."""
    if X is None:
        return np.hstack(answers)
    if sparse.issparse(X):
        return sparse.hstack([*answers, X], format=X.format)
    return np.hstack([*answers, X])
