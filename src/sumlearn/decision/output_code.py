"""Error-correcting output codes: two-class problems that cut the classes in many ways."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import is_regressor

from ..features.input_ranges import is_number
from ..learners import Description, Roads
from .parts.by_label import OneAnswer
from .parts.codes import bch_words, checked_words, exhaustive_words, random_words
from .parts.many_classes import ManyClasses, confidence, has_odds, log_odds
from .parts.seen import SeenClasses

CODES = ("random", "exhaustive", "bch")
DECODING = ("distance", "hinge", "logistic")


class OutputCodeClassifier(ManyClasses, Roads):
    """A code word for every class, a two-class model for every place of it; the nearest word names the class.

        "distance":  argmin_k sum_j (s_j - c_kj)^2
        "hinge":     argmin_k sum_j max(0, 1 - c_kj s_j),      "logistic":  argmin_k sum_j ln(1 + exp(-c_kj s_j))

    with c_kj = +1 or -1 and s_j the score of model j (by "logistic" its log-odds, where it has probabilities). Models
    that err are outvoted where words differ in many places. A learner on moments is asked for its sums class by class,
    once, and every problem is solved from them.

    Statistic: Grouped, the learner's own by class, where the learner is one on moments without a basis; then it can
    merge, forget, decay and restrict as far as that can. One pass. Any other estimator, of scikit-learn too, is fitted
    on the rows of every problem. Cost: summarise as the learner, solve for each place of the code.

    Parameters
    ----------
    estimator : estimator, default=None
        A classifier, or a regressor on 0 and 1; None is LinearDiscriminantAnalysis().
    code : {"random", "exhaustive", "bch"} or table, default="random"
        "random" tosses coins, as scikit-learn does with the same seed; "exhaustive" cuts the classes in every way
        (up to 12 of them); "bch" takes words of a BCH code, any two of which differ in many places. A table has a row
        for each class, in the order of the labels, of truth values or of +1 and -1.
    code_size : float, default=1.5
        Problems for each class; "bch" has the first length 2^m - 1 at or above that. Counts for these two alone.
    decoding : {"distance", "hinge", "logistic"}, default="distance"
        "distance" is scikit-learn's.
    random_state : int, default=None
        Of a random code; None is a seed like any other. A draw in which two classes share a word is drawn anew.
        Generators are refused: the code is drawn again from the number wherever it is needed.
    n_jobs : int, default=None
        Threads of the pass over the rows.

    Attributes
    ----------
    classes_ : array
    code_book_ : array of shape (classes with rows, problems)
        +1 and -1; for estimators without a decision function 1 and 0.
    coded_classes_ : array
        The classes that have rows, in the order of the code book.
    estimators_ : list
        Models of the problems; a drawn one may have all classes on one side, and then its model knows one answer.

    Examples
    --------
    >>> from sumlearn import OutputCodeClassifier, QuadraticDiscriminantAnalysis
    >>> from sumlearn.data import load_example
    >>> iris = load_example("iris")
    >>> model = OutputCodeClassifier(QuadraticDiscriminantAnalysis(), code="exhaustive").fit(iris.X, iris.y)
    >>> print(f"{model.score(iris.X, iris.y):.3f}", model.code_book_.shape)
    0.980 (3, 3)

    References
    ----------
    Dietterich & Bakiri, Solving multiclass learning problems via error-correcting output codes, 1995; Allwein, Schapire
    & Singer, Reducing multiclass to binary, 2000; lecture note 002.
    """

    description = Description(
        parts=(SeenClasses, OneAnswer),
        variants={"code": CODES, "decoding": DECODING, "code_size": (1.5, 3)},
        lacks={"sample": "distances to code words are no probabilities"},
    )

    def __init__(
        self,
        estimator: Any = None,
        *,
        code: Any = "random",
        code_size: float = 1.5,
        decoding: str = "distance",
        random_state: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.code = code
        self.code_size = code_size
        self.decoding = decoding
        self.random_state = random_state
        self.n_jobs = n_jobs

    def table(self, K: int) -> tuple[np.ndarray, np.ndarray]:
        words = self.words(K)
        return words.T, ~words.T

    def words(self, K: int) -> np.ndarray:
        """The code of K classes, of truth values."""
        if self.decoding not in DECODING:
            raise ValueError(f"decoding must be one of {', '.join(DECODING)}, got {self.decoding!r}")
        if not isinstance(self.code, str):
            given = np.asarray(self.code)
            if not np.isin(given, (-1, 0, 1)).all() or {-1, 0} <= set(given.ravel().tolist()):
                raise ValueError("a code is made of truth values, or of +1 and -1")
            return checked_words(given == 1, K)
        if self.code not in CODES:
            raise ValueError(f"code must be one of {', '.join(CODES)} or a table, got {self.code!r}")
        if self.code == "exhaustive":
            return exhaustive_words(K)
        if not is_number(self.code_size) or not 0.0 < self.code_size < np.inf:
            raise ValueError(f"code_size must be positive and finite, got {self.code_size!r}")
        length = int(K * self.code_size)
        if self.code == "bch":
            return bch_words(K, length)
        if not (self.random_state is None or (is_number(self.random_state) and self.random_state % 1 == 0)):
            raise ValueError(f"random_state must be a whole number or None, got {self.random_state!r}")
        return random_words(K, length, 0 if self.random_state is None else self.random_state)

    @property
    def code_book_(self) -> np.ndarray:
        """The words of the classes that have rows."""
        self.shown(0)
        try:
            return self.book()
        except ValueError as error:  # another code was set
            raise AttributeError(f"{type(self).__name__!r} object has no code book: {error}") from error

    def book(self) -> np.ndarray:
        K = int(self.found()[1].sum())
        words = self.words(K) if K > 1 else np.zeros((K, 0), dtype=bool)
        low = -1.0 if is_regressor(self.base) or hasattr(self.base, "decision_function") else 0.0
        return np.where(words, 1.0, low)

    @property
    def coded_classes_(self) -> np.ndarray:
        """The classes that have rows, and so a word."""
        return self.shown(0)[self.shown(1)]

    def decision_function(self, X: Any) -> np.ndarray:
        """Minus the distance to every word; for two classes one number, positive for the second."""
        scores = self.scores(X)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def predict(self, X: Any) -> np.ndarray:
        """The class of the nearest word."""
        scores = self.scores(X)
        return self.classes_[scores.argmax(axis=1)]

    def many_scores(self, rows: Any, models: Iterator[Any]) -> np.ndarray:
        """Minus the loss of every word."""
        book = self.book()
        loss = np.zeros((rows.shape[0], len(book)))
        for column, model in zip(book.T, models, strict=True):
            sign = np.where(column == 1.0, 1.0, -1.0)
            if self.decoding == "distance":
                score = 2.0 * confidence(model, rows) if is_regressor(model) else confidence(model, rows)
                loss += (score[:, None] - column) ** 2
            elif self.decoding == "logistic":
                score = log_odds(model, rows) if has_odds(self) else confidence(model, rows)
                loss += np.logaddexp(0.0, -score[:, None] * sign)
            else:
                score = confidence(model, rows)
                score = (
                    score
                    if hasattr(model, "decision_function")
                    else 2.0 * score - (0.0 if is_regressor(model) else 1.0)
                )
                loss += np.maximum(0.0, 1.0 - score[:, None] * sign)
        return -loss
