"""The zoo of error rates at a fixed working point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Rates:
    """Rates of one class, the positive one, against all others.

        TPR = N_tt / N_t.     FNR = N_tf / N_t.     FPR = N_ft / N_f.       TNR = N_ff / N_f.      of the truth
        precision = N_tt / N_.t    garbage = N_ft / N_.t    waste = N_tf / N_.f    care = N_ff / N_.f   of the decision
        accuracy = (N_tt + N_ff) / N..    error = (N_tf + N_ft) / N..                              of all rows

    The first index of N is the truth, the second the decision, t for positive and f for not. Lecture note 002 prints
    the rates of the decision with sums over the truth; the right form is computed here.

    A rate whose rows do not exist is 0/0. It raises ValueError, unless `empty` gives the number to stand for it.

    >>> rates = Rates(tp=40.0, fn=10.0, fp=5.0, tn=45.0)
    >>> print(rates.tpr, rates.fpr, round(rates.precision, 4), rates.accuracy, round(rates.f(), 4))
    0.8 0.1 0.8889 0.85 0.8421
    """

    tp: float
    fn: float
    fp: float
    tn: float
    label: Any = True
    empty: float | None = None

    @property
    def tpr(self) -> float:
        """Recall, sensitivity: share of the positive rows that are accepted."""
        return self._share("tpr", self.tp, self.fn, "is of the class")

    @property
    def fnr(self) -> float:
        """Loss: share of the positive rows that are rejected."""
        return self._share("fnr", self.fn, self.tp, "is of the class")

    @property
    def fpr(self) -> float:
        """Fallout: share of the negative rows that are accepted."""
        return self._share("fpr", self.fp, self.tn, "is of another class")

    @property
    def tnr(self) -> float:
        """Vigilance, specificity: share of the negative rows that are rejected."""
        return self._share("tnr", self.tn, self.fp, "is of another class")

    @property
    def precision(self) -> float:
        """Share of the accepted rows that are positive."""
        return self._share("precision", self.tp, self.fp, "is predicted to be of the class")

    @property
    def garbage(self) -> float:
        """Share of the accepted rows that are negative."""
        return self._share("garbage", self.fp, self.tp, "is predicted to be of the class")

    @property
    def waste(self) -> float:
        """Share of the rejected rows that are positive."""
        return self._share("waste", self.fn, self.tn, "is predicted to be of another class")

    @property
    def care(self) -> float:
        """Share of the rejected rows that are negative."""
        return self._share("care", self.tn, self.fn, "is predicted to be of another class")

    @property
    def accuracy(self) -> float:
        """Share of all rows that are decided rightly."""
        return self._share("accuracy", self.tp + self.tn, self.fn + self.fp, "has been counted")

    @property
    def error(self) -> float:
        """Share of all rows that are decided wrongly."""
        return self._share("error", self.fn + self.fp, self.tp + self.tn, "has been counted")

    recall = tpr

    def f(self, weight: float = 0.5) -> float:
        """Weighted harmonic mean of precision and recall: (b / PRE + (1 - b) / REC)^-1 with b = `weight`.

        Computed as N_tt / (N_tt + b N_ft + (1 - b) N_tf), which is also right where nothing is accepted. It is van
        Rijsbergen's F_beta with beta^2 = (1 - b) / b: b = 1/2 is F_1.
        """
        if not 0.0 <= weight <= 1.0:
            raise ValueError(f"weight must be between 0 and 1, got {weight!r}")
        wrong = weight * self.fp + (1.0 - weight) * self.fn
        return self._share("f", self.tp, wrong, "is of the class or predicted to be")

    def _share(self, name: str, part: float, rest: float, of_rows: str) -> float:
        if part + rest > 0:
            return part / (part + rest)
        if self.empty is None:
            raise ValueError(
                f"{name} of class {self.label!r} is 0/0: no row {of_rows}; give empty= a value to use then"
            )
        return self.empty
