"""A learner describes itself: one that is defined here is trained, judged, shown, saved and tested without a list."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from sklearn.base import BaseEstimator, RegressorMixin, is_classifier
from sklearn.datasets import load_diabetes

import sumlearn as sl
from sumlearn.learners import Complexity, Description, Fitted, Offer, OnePass, Tuning
from sumlearn.learners.description import described_classes, description_of
from sumlearn.product import UsageProblem, train
from sumlearn.product.candidates import ABILITIES, Candidate, candidates_of
from sumlearn.product.catalogue import CANDIDATES, named_candidates
from sumlearn.report.evidence import evidence_of
from sumlearn.report.sections.bayes import bayes
from sumlearn.report.sections.complexity import axis_of, complexity
from sumlearn.report.sections.forest import deviations
from sumlearn.saving import describe, to_onnx
from sumlearn.saving.names import INTERNAL
from sumlearn.saving.onnx import GRAPHS
from sumlearn.selection.judging import JUDGES, case_for
from sumlearn.statistics import Moments, Statistic
from sumlearn.testing import check_learner

from tests.laws.discovered import values_of, variants

X, y = load_diabetes(return_X_y=True, scaled=False)


class Shrunk(RegressorMixin, OnePass):
    """Coefficients pulled to zero, w = (S_xx + alpha I)^-1 S_xy: ridge, by a stranger."""

    description = Description(
        offers=(
            Offer("shrunk", "a stranger's ridge", 15, tuning=Tuning("alpha", (1.0, 10.0))),
            Offer("hard", "a stranger's hard ridge", 12, fixed={"alpha": 1000.0}, table={"scale": False}),
        ),
        complexity=Complexity("alpha", "strength", (0.1, 1.0, 10.0)),
        judge="least_squares",
        onnx="linear",
        posterior="penalty",
        variants={"alpha": (0.5, 7.0)},
    )
    target = "number"
    statistic_type = Moments
    coef_ = Fitted("Weights.")
    intercept_ = Fitted("Constant.")
    noise_precision_ = Fitted("One over the mean square of the residuals.")

    def __init__(self, alpha=1.0):
        self.alpha = alpha

    def summarise(self, chunk, look):
        return Moments.of(chunk.X, chunk.y, chunk.weight)

    def solution(self, statistic):
        d, S = statistic.features, statistic.scatter
        coef = np.linalg.solve(S[:d, :d] + self.alpha * np.eye(d), S[:d, d])
        residual = S[d, d] - 2.0 * coef @ S[:d, d] + coef @ S[:d, :d] @ coef
        intercept = statistic.mean[d] - statistic.mean[:d] @ coef
        return {"coef_": coef, "intercept_": intercept, "noise_precision_": statistic.weight / residual}

    def predict(self, X):
        """w'x + w0."""
        return self.rows_of(X) @ self.coef_ + self.intercept_


class Heir(Shrunk):
    """Says nothing of itself."""


class Named(Shrunk):
    """Takes over what its parent says."""

    description = Shrunk.description


@dataclass(frozen=True)
class Longest(Statistic):
    """The largest length of a row: merges, and no more."""

    length: float
    count: int

    def merge(self, other):
        return Longest(max(self.length, other.length), self.count + other.count)

    def zero(self):
        return Longest(0.0, 0)

    @property
    def weight(self):
        return float(self.count)

    @property
    def rows(self):
        return self.count


# -- a stranger ------------------------------------------------------------------------------------------------------


def test_a_description_is_that_of_its_own_class():
    assert description_of(Shrunk()) is description_of(Shrunk) is Shrunk.description
    assert description_of(Heir) == Description()
    assert description_of(Named) is Shrunk.description


def test_one_of_scikit_learn_has_that_of_ours():
    from sklearn.linear_model import Lars, Ridge

    assert description_of(Ridge()) is sl.Ridge.description
    assert description_of(Lars()) == Description()


def test_train_tries_it_as_it_offers_itself():
    hard, shrunk = sorted(candidates_of([Shrunk]), key=lambda c: c.rank)
    assert (hard.name, hard.task, hard.table, hard.learner().alpha) == ("hard", "regress", {"scale": False}, 1000.0)
    assert shrunk.grid(y) == [{"learner__alpha": 1.0}, {"learner__alpha": 10.0}]
    assert set(shrunk.can) == set(ABILITIES)
    found = train("diabetes", models=[Shrunk, "linear"], cv=3)
    lines = {line["model"]: line for line in found.metrics["leaderboard"]}
    assert lines.keys() == {"hard", "shrunk", "linear"} and lines["shrunk"]["title"] == "a stranger's ridge"
    ours = train("diabetes", models=[Candidate.of(sl.Ridge, Shrunk.description.offers[0])], cv=3)
    assert lines["shrunk"]["folds"] == pytest.approx(ours.metrics["folds"], rel=1e-9)


def test_names_and_classes_stand_side_by_side():
    assert [c.name for c in named_candidates(["ridge", Shrunk], "regress")] == ["ridge", "hard", "shrunk"]
    with pytest.raises(UsageProblem, match="Shrunk offers no model for this task"):
        named_candidates(["lda", Shrunk], "classify")
    with pytest.raises(UsageProblem, match="two models are called 'hard'"):
        named_candidates([Shrunk, Named], "regress")


@pytest.mark.parametrize("criterion", ["r2", "mse", "bic", "loo"])
def test_subsets_are_judged_from_its_sums(criterion):
    found, wanted = (
        sl.SubsetSearch("sfs", learner, criterion, k=4).fit(X, y) for learner in (Shrunk(3.0), sl.Ridge(3.0))
    )
    assert found.get_support().tolist() == wanted.get_support().tolist()
    judges = [case_for(search, X, y, None, None).judge for search in (found, wanted)]
    assert type(judges[0]) is type(judges[1])
    assert judges[0].score((2, 8)) == judges[1].score((2, 8))


def test_a_judge_that_is_not_here_is_named():
    class Lost(Shrunk):
        description = Description(judge="nobody")

    with pytest.raises(ValueError, match="Lost asks for the judge 'nobody'; there are least_squares, "):
        sl.SubsetSearch("sfs", Lost(), k=2).fit(X, y)


def test_the_report_moves_along_its_axis_and_knows_its_posterior():
    evidence = evidence_of(train("diabetes", models=[Shrunk], cv=3))
    axis = axis_of(evidence)
    assert (axis.parameter, axis.title, axis.values.tolist()) == ("alpha", "strength", [0.1, 1.0, 10.0])
    assert complexity(evidence).blocks[0].name == "complexity"
    ridge = evidence_of(train("diabetes", models=[Candidate.of(sl.Ridge, Shrunk.description.offers[0])], cv=3))
    np.testing.assert_allclose(deviations(evidence), deviations(ridge), rtol=1e-9)
    assert [block.name for block in bayes(evidence).blocks if hasattr(block, "figure")][:1] == ["band"]


def test_it_has_an_onnx_graph():
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    model = Shrunk(2.0).fit(X, y)
    session = runtime.InferenceSession(to_onnx(model).SerializeToString(), providers=["CPUExecutionProvider"])
    np.testing.assert_allclose(session.run(None, {"X": X})[0], model.predict(X), rtol=1e-12)
    with pytest.raises(TypeError, match="Heir has no ONNX form here"):
        to_onnx(Heir().fit(X, y))


@settings(max_examples=4)
@given(learner=variants(Shrunk))
def test_laws_are_tried_with_its_variants(learner):
    assert values_of(Shrunk, "alpha", 1.0) == (0.5, 7.0) and learner.alpha in (0.5, 7.0)
    check_learner(learner, X, y)


# -- files -----------------------------------------------------------------------------------------------------------


def test_it_loads_where_it_is_handed_over(tmp_path):
    model, path = Shrunk(2.0).fit(X[:300], y[:300]), tmp_path / "model.sumlearn"
    sl.save(model, path)
    assert describe(path)["class"] == f"{__name__}:Shrunk"
    with pytest.raises(ValueError, match=r"test_description:Shrunk' is none of sumlearn's: load\(path, classes="):
        sl.load(path)
    with pytest.raises(ValueError, match="none of sumlearn's"):
        sl.load(path, classes=[Named, sl.Ridge])
    loaded = sl.load(path, classes=[Shrunk])
    assert type(loaded) is Shrunk and (loaded.predict(X) == model.predict(X)).all()
    np.testing.assert_allclose(loaded.partial_fit(X[300:], y[300:]).coef_, Shrunk(2.0).fit(X, y).coef_, rtol=1e-9)


def test_it_loads_from_within_others(tmp_path):
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    path = tmp_path / "model.sumlearn"
    for model in (sl.TableModel(Shrunk()), make_pipeline(StandardScaler(), Shrunk())):
        sl.save(model.fit(X, y), path)
        with pytest.raises(ValueError, match="none of sumlearn's"):
            sl.load(path)
        assert (sl.load(path, classes=[Shrunk]).predict(X) == model.predict(X)).all()


def test_what_does_not_describe_itself_is_not_saved(tmp_path):
    with pytest.raises(ValueError, match=r"cannot be saved.*Heir"):
        sl.save(Heir(), tmp_path / "model.sumlearn")
    assert not list(tmp_path.iterdir())


def test_a_statistic_of_a_stranger_is_handed_over_too(tmp_path):
    path = tmp_path / "sum.sumlearn"
    sl.save(Longest(2.5, 7), path)
    with pytest.raises(ValueError, match="test_description:Longest"):
        sl.load(path)
    assert sl.load(path, classes=[Longest]) + Longest(3.5, 1) == Longest(3.5, 8)


def test_parts_come_with_the_class_that_names_them(tmp_path):
    class Holder(Shrunk):
        description = Description(parts=(Longest,))

    model, path = Holder().fit(X, y), tmp_path / "model.sumlearn"
    model.longest_ = Longest(2.5, 7)
    sl.save(model, path)
    assert sl.load(path, classes=[Holder]).longest_ == Longest(2.5, 7)


def test_only_classes_are_handed_over(tmp_path):
    with pytest.raises(TypeError, match="classes must be classes, got 'Ridge'"):
        sl.load(tmp_path / "model.sumlearn", classes=["Ridge"])


def test_a_file_cannot_pass_a_strangers_class_off_as_ours(tmp_path):
    """Handing over a class of our name changes nothing for files that mean ours."""

    class Ridge(Shrunk):
        description = Shrunk.description

    sl.save(sl.Ridge().fit(X, y), tmp_path / "model.sumlearn")
    assert type(sl.load(tmp_path / "model.sumlearn", classes=[Ridge])) is sl.Ridge


# -- all that are public ---------------------------------------------------------------------------------------------


ESTIMATORS = [kind for kind in described_classes() if issubclass(kind, BaseEstimator)]


@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
def test_words_mean_something(kind):
    found, params = description_of(kind), kind().get_params(deep=False)
    assert found.judge is None or found.judge in JUDGES
    assert found.onnx is None or found.onnx in GRAPHS
    assert found.posterior in (None, "flat", "penalty", "prior")
    assert set(found.variants) <= set(params)
    axis = found.complexity
    if axis is not None and axis.parameter is not None:
        varied = kind if axis.stand_in is None else getattr(sl, axis.stand_in)
        assert axis.parameter in varied().get_params(deep=False)
        assert set(axis.instead) | set(axis.keeps) <= set(params)
    for offer in found.offers:
        tuned = {tuning.parameter for tuning in offer.tunings}
        assert set(offer.fixed) | tuned <= set(params)
        assert offer.degree == 1 or "basis" in params


def test_names_are_given_once():
    places = [(c.task, c.name) for c in CANDIDATES]
    ranks = [(c.task, c.rank) for c in CANDIDATES if not c.foreign]
    assert len(set(places)) == len(places) and len(set(ranks)) == len(ranks)
    parts = {part for kind in described_classes() for part in description_of(kind).parts}
    assert len({part.__name__ for part in parts} | set(INTERNAL)) == len(parts) + len(INTERNAL)


def test_classes_come_before_numbers_and_yardsticks_last():
    assert [c.task for c in CANDIDATES] == sorted(c.task for c in CANDIDATES)
    for task in ("classify", "regress"):
        here = [c for c in CANDIDATES if c.task == task]
        assert here[-1].foreign and not any(c.foreign for c in here[:-1])
        assert all(is_classifier(c.learner()) == (task == "classify") for c in here)
