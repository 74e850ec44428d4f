"""What a model of recent rows answers: what the learner inside says, asked without the times."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ...data.files import is_path
from ...data.source import frame_of, is_frame
from .times import dropped


def learner_has(name: str) -> Any:
    return available_if(lambda model: hasattr(model.plain_learner, name))


class AnswersOfLearner:
    """The methods of `learner_`, where the learner has them; the columns of times are no features."""

    learner_: Any
    time: Any
    _time_in_rows: bool

    def features_of(self, X: Any) -> Any:
        """The rows without their times, where these are among their columns."""
        check_is_fitted(self)
        if self.time is None or is_path(X):
            return X
        if is_frame(X):
            frame = frame_of(X)
            name = self.time if isinstance(self.time, str) else list(frame.columns)[self.time]
            return frame.drop(name).to_native() if name in frame.columns else X
        array = X if hasattr(X, "shape") and hasattr(X, "dtype") else np.asarray(X)
        return dropped(array, self.time) if self._time_in_rows and array.ndim == 2 else X

    @learner_has("predict")
    def predict(self, X: Any) -> np.ndarray:
        """What the learner predicts."""
        X = self.features_of(X)
        return self.learner_.predict(X)

    @learner_has("predict_proba")
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes."""
        X = self.features_of(X)
        return self.learner_.predict_proba(X)

    @learner_has("predict_log_proba")
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithms of the probabilities of the classes."""
        X = self.features_of(X)
        return self.learner_.predict_log_proba(X)

    @learner_has("decision_function")
    def decision_function(self, X: Any) -> np.ndarray:
        """Scores of the classes."""
        X = self.features_of(X)
        return self.learner_.decision_function(X)

    @learner_has("sample")
    def sample(self, X: Any, random_state: Any = None, *, n: int | None = None) -> np.ndarray:
        """Draw an answer for every row from the distribution that the learner has fitted; with `n`, so many times."""
        X = self.features_of(X)
        return self.learner_.sample(X, random_state, **({} if n is None else {"n": n}))

    @learner_has("transform")
    def transform(self, X: Any) -> Any:
        """What the learner makes of the rows."""
        X = self.features_of(X)
        return self.learner_.transform(X)

    @learner_has("score")
    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The score of the learner: accuracy or R^2."""
        X = self.features_of(X)
        extra = {} if sample_weight is None else {"sample_weight": sample_weight}
        return float(self.learner_.score(X, y, **extra))
