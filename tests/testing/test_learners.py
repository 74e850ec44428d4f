"""check_learner names every law that is broken: one liar for each."""

import numpy as np
import pytest

from sumlearn import PCA, GaussianNB, LinearRegression, Ridge
from sumlearn.statistics import Moments
from sumlearn.testing import check_learner

RNG = np.random.default_rng(0)
X = np.round(RNG.standard_normal((60, 3)) * 1024) / 1024
Y = np.round((X @ [1.0, -2.0, 0.5] + RNG.standard_normal(60)) * 1024) / 1024


class Prior(Ridge):
    def summarise(self, chunk, look):
        pull = Moments.of(np.zeros((1, chunk.X.shape[1])), np.zeros(1))
        return super().summarise(chunk, look).merge(pull)


class LosesWhenSummed(Ridge):
    def __radd__(self, other):
        return super().__radd__(other).decay(0.5)


class OnlineStep(Ridge):
    def partial_fit(self, X, y=None, sample_weight=None):
        return super().partial_fit(X, np.asarray(y) + 0.01, sample_weight)


class PartialFitReturnsNothing(Ridge):
    def partial_fit(self, X, y=None, sample_weight=None):
        super().partial_fit(X, y, sample_weight)


class FirstRowLeads(Ridge):
    """The first row of all weighs more."""

    def fit(self, X, y=None, sample_weight=None):
        return super().fit(X, y, sample_weight if len(X) < 60 else np.where(X[:, 0] == X[0, 0], 1.5, 1.0))


class KeepsAll(Ridge):
    def __sub__(self, other):
        super().__sub__(other)
        return self


class ForgetsNothing(Ridge):
    def forget(self, X, y=None, sample_weight=None):
        super().forget(X, y, sample_weight)
        return type(self)().set_params(**self.get_params()).fit(X, y)


class ForgetsAnything(Ridge):
    def forget(self, X, y=None, sample_weight=None):
        try:
            return super().forget(X, y, sample_weight)
        except ValueError:
            return self


class NoWeights(Ridge):
    def fit(self, X, y=None, sample_weight=None):
        return super().fit(X, y)


class ZeroWeighsALittle(Ridge):
    def fit(self, X, y=None, sample_weight=None):
        return super().fit(X, y, None if sample_weight is None else np.maximum(sample_weight, 0.01))


class DecayOfOneRounds(Ridge):
    def decay(self, factor):
        return super().decay(factor if factor < 1.0 else 1.0 - 1e-9)


class NoDecay(Ridge):
    def decay(self, factor):
        return self


class AddsWhatDiffers(Ridge):
    def __add__(self, other):
        return super().__add__(other.set_params(**self.get_params()))


class SubtractsWhatDiffers(Ridge):
    def __sub__(self, other):
        return super().__sub__(other.set_params(**self.get_params()))


class SolvesAnother(Ridge):
    def solve(self, statistic, like=None):
        return super().solve(statistic.decay(0.5), like)


class PickledLighter(Ridge):
    def __copy__(self):
        twin = type(self)()
        vars(twin).update(vars(self))
        return twin

    def __getstate__(self):
        return {**super().__getstate__(), "statistic_": self.statistic_.decay(0.5)}


class RestrictsToTheFirst(Ridge):
    def restrict(self, columns):
        return super().restrict(list(range(len(columns))))


class PenaltyOfTheFit(Ridge):
    """Solves with the penalty that was set at the fit."""

    def fit(self, X, y=None, sample_weight=None):
        super().fit(X, y, sample_weight)
        self.penalty_ = self.alpha
        return self

    def predict(self, X):
        return Ridge(getattr(self, "penalty_", self.alpha)).solve(self.statistic_).predict(X)


LEARNERS = {
    Prior: r"^fit\(all\) = fit \+ fit: predict: ",
    LosesWhenSummed: r"^fit\(all\) = sum\(models\): predict: ",
    OnlineStep: r"^fit\(all\) = partial_fit in pieces: predict: ",
    PartialFitReturnsNothing: r"^fit\(all\) = partial_fit in pieces: partial_fit does not return self",
    FirstRowLeads: r"^fit\(all\) = fit \+ fit: predict: ",
    KeepsAll: r"^fit\(all\) - fit\(some\) = fit\(the others\): predict: ",
    ForgetsNothing: r"^forget\(rows\) = fit\(the others\): predict: ",
    ForgetsAnything: "^more than there is cannot be forgotten: it was not refused",
    NoWeights: "^weight 2 = the row twice: predict: ",
    ZeroWeighsALittle: "^weight 0 = the row absent: predict: ",
    DecayOfOneRounds: r"^decay\(1\) = same: predict: ",
    NoDecay: r"^decay\(0\.5\) = a fit with half the weights: predict: ",
    AddsWhatDiffers: "^models that differ in .* are not added: it was not refused",
    SubtractsWhatDiffers: "^models that differ in .* are not subtracted: it was not refused",
    SolvesAnother: r"^solve\(statistic_\) = the model: predict: ",
    PickledLighter: "^a pickled model predicts the same and learns on: predict: ",
    RestrictsToTheFirst: r"^restrict\(\[1\]\) = a fit on those columns: predict: ",
    PenaltyOfTheFit: "^set_params after the fit = a fit with those parameters: predict: ",
}


@pytest.mark.parametrize("kind", LEARNERS, ids=lambda kind: kind.__name__)
def test_a_broken_law_of_a_learner_is_named(kind):
    with pytest.raises(AssertionError, match=LEARNERS[kind]):
        check_learner(kind(alpha=2.0), X, Y)


class DecaysByAny(GaussianNB):
    def decay(self, factor):
        return self if factor in (0.0, 1.5) or factor != factor else super().decay(factor)


def test_a_decay_that_is_not_refused_is_named():
    with pytest.raises(AssertionError, match=r"^decay\(0\.0\) is refused: it was not refused"):
        check_learner(DecaysByAny(), X, Y > 0)


def test_honest_learners_pass():
    check_learner(Ridge(alpha=2.0), X, Y)
    check_learner(LinearRegression(), X, Y)
    check_learner(PCA(2), X)
    check_learner(GaussianNB(), X, Y > 0)
