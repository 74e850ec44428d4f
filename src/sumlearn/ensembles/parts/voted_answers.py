"""VotedAnswers: what a committee whose members have votes says, at the end and round by round."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.metrics import accuracy_score

from ...learners.label_columns import logarithms
from ...objectives.links import softmax
from .boosted_rows import numbers_of
from .stumps import Stumps


class VotedAnswers:
    """Of a fitted classifier with `estimator_weights_`, and `stumps_` or `learners_`."""

    estimator: Any
    n_jobs: int | None
    rounds: Any  # of the classifier
    classes_: np.ndarray
    n_classes_: int
    estimator_weights_: np.ndarray
    stumps_: Stumps
    learners_: list[Any]
    rows_of: Any  # of the learner
    float_dtype: Any

    def votes(self, X: Any) -> np.ndarray:
        """The votes for every class as shares of all, (rows, classes)."""
        rows = self.rows_of(X, sparse_ok=self.estimator is not None)
        votes = self.estimator_weights_[: self.rounds]
        if "stumps_" in vars(self):
            return self.stumps_.votes(rows, votes, self.n_jobs) / votes.sum()
        out = np.zeros((rows.shape[0], self.n_classes_))
        for vote, answers in zip(votes, self.answers(rows), strict=True):
            add_vote(out, answers, vote)
        return out / votes.sum()

    def answers(self, rows: Any) -> Iterator[np.ndarray]:
        """What each member says, as numbers of classes; -1 for a label that there is not."""
        for m in range(self.rounds):
            if "stumps_" in vars(self):
                yield self.stumps_.says(m, rows)
            else:
                yield numbers_of(np.asarray(self.learners_[m].predict(rows)), self.classes_)

    def staged_votes(self, X: Any) -> Iterator[np.ndarray]:
        """`votes` of the first member, of the first two, and so on."""
        rows = self.rows_of(X, sparse_ok=self.estimator is not None)
        out, whole = np.zeros((rows.shape[0], self.n_classes_)), 0.0
        for vote, answers in zip(self.estimator_weights_, self.answers(rows), strict=False):
            add_vote(out, answers, vote)
            whole += vote
            yield out / whole

    def decision_function(self, X: Any) -> np.ndarray:
        """Votes for a class less the mean vote for the others, over all votes; for two classes twice their difference,
        positive for the second, as in scikit-learn."""
        return decision(self.votes(X)).astype(self.float_dtype)

    def staged_decision_function(self, X: Any) -> Iterator[np.ndarray]:
        """`decision_function` after every round."""
        return map(decision, self.staged_votes(X))

    def predict(self, X: Any) -> np.ndarray:
        """The class of most votes."""
        return self.labels(self.votes(X))

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """`predict` after every round."""
        return map(self.labels, self.staged_votes(X))

    def labels(self, votes: np.ndarray) -> np.ndarray:
        if votes.shape[1] == 2:
            return self.classes_.take(votes[:, 1] > votes[:, 0])
        return self.classes_.take(decision(votes).argmax(axis=1))

    def predict_proba(self, X: Any) -> np.ndarray:
        """exp(f_k / (K - 1)) over their sum, f the decision function (Zhu et al. 2009, equation 15).

        An order of rows and classes more than a probability: calibrate it where it is to be one.
        """
        return probabilities(self.votes(X)).astype(self.float_dtype)

    def staged_predict_proba(self, X: Any) -> Iterator[np.ndarray]:
        """`predict_proba` after every round."""
        return map(probabilities, self.staged_votes(X))

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithms of the probabilities."""
        return logarithms(self.predict_proba(X))

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """The accuracy after every round."""
        for labels in self.staged_predict(X):
            yield accuracy_score(y, labels, sample_weight=sample_weight)

    def margins(self, X: Any, y: Any) -> np.ndarray:
        """Votes for the true class less those for the best other one, as shares: -1 to 1, below 0 where wrong."""
        votes, y = self.votes(X), np.asarray(y)
        if y.shape != (len(votes),):
            raise ValueError(f"y must have a label for each of {len(votes)} rows, got shape {y.shape}")
        code = numbers_of(y, self.classes_)
        if (code < 0).any():
            row = int(np.argmax(code < 0))
            raise ValueError(f"y holds {y[row].item()!r} in row {row}, which is not among the classes of the fit")
        every = np.arange(len(votes))
        own = votes[every, code]
        others = votes.copy()
        others[every, code] = -np.inf
        return own - (others.max(axis=1) if votes.shape[1] > 1 else 0.0)


def add_vote(out: np.ndarray, answers: np.ndarray, vote: float) -> None:
    heard = np.flatnonzero(answers >= 0)
    out[heard, answers[heard]] += vote


def decision(shares: np.ndarray) -> np.ndarray:
    """Scores of classes from their shares of the votes."""
    classes = shares.shape[1]
    if classes == 1:
        return np.zeros((len(shares), 1))
    if classes == 2:
        return 2.0 * (shares[:, 1] - shares[:, 0])
    return shares - (1.0 - shares) / (classes - 1)


def probabilities(shares: np.ndarray) -> np.ndarray:
    """Softmax of the scores over K - 1."""
    scores = decision(shares)
    if scores.ndim == 1:
        return softmax(np.column_stack([-scores, scores]) / 2.0)
    return softmax(scores / max(shares.shape[1] - 1, 1))
