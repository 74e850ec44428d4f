"""What is said of every method, for longer than there is time every day."""

import pytest

import sumlearn as sl

from tests.agreement.test_few_rows import check_span_of_the_rows
from tests.faults.test_algebra import LEARNERS, check_long_forgetting
from tests.laws.test_histories import ALIVE, BASES, check_history, check_terms

LIVES = 4000
pytestmark = pytest.mark.slow


@pytest.mark.parametrize("kind", ALIVE, ids=lambda kind: kind.__name__)
def test_thousands_of_histories_equal_refits(kind):
    for seed in range(-(-LIVES // len(ALIVE))):
        wide = seed % 10 == 9 and kind not in (sl.PolynomialClassifier, sl.Loess)  # of which all products are too many
        columns = 130 if wide else 1 + seed % 3
        check_history(kind(), seed, steps=12, columns=columns, offset=(0.0, 1e3)[seed % 2])


@pytest.mark.parametrize("basis", BASES.values(), ids=BASES)
def test_hundreds_of_histories_of_terms(basis):
    for seed in range(200):
        check_terms(basis, seed, steps=12, columns=1 + seed % 3, offset=(0.0, 1e3)[seed % 2])


@pytest.mark.parametrize("learner", [sl.Ridge(), sl.LinearDiscriminantAnalysis(), sl.GaussianNB()], ids=str)
def test_hundreds_of_histories_of_tables(learner):
    for seed in range(100):
        check_history(sl.TableModel(learner), seed, steps=12, table=True)


@pytest.mark.parametrize("kind", LEARNERS, ids=lambda kind: kind.__name__)
def test_forgetting_for_a_thousand_steps_and_more(kind):
    check_long_forgetting(kind, steps=1500)


@pytest.mark.parametrize(
    ("learner", "weighted", "offset"),
    [
        (sl.LogisticRegression(fit_intercept=False), True, 0.0),
        (sl.LinearClassifier("hinge", alpha=0.3), True, 1e6),
        (sl.LinearRegressor("absolute", fit_intercept=False), False, 3.0),
    ],
    ids=str,
)
def test_more_risks_in_the_span_of_the_rows(learner, weighted, offset, monkeypatch):
    check_span_of_the_rows(learner, weighted, offset, monkeypatch)
