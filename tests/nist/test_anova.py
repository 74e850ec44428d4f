"""Certified F values from moments by group: as good as SciPy's analysis of variance, which sees all rows at once."""

import numpy as np
import pytest
from scipy.stats import f_oneway

from sumlearn.statistics import Grouped, Pooled

from tests.nist.loader import ANOVA, correct_digits, load_anova

LESS = 0.3  # digits that may be missing against scipy.stats.f_oneway


@pytest.fixture(params=ANOVA, scope="module")
def problem(request):
    group, y, certified = load_anova(request.param)
    samples = [y[group == label] for label in np.unique(group)]
    reference = correct_digits(f_oneway(*samples).statistic, certified["F"])
    return group, y[:, None], certified["F"], reference


def f_value(within, groups, rows):
    """(SS_between / (K - 1)) / (SS_within / (n - K))."""
    between = between_squares(groups)
    return (between / (len(groups) - 1)) / (within / (rows - len(groups)))


def between_squares(groups):
    """Sum of n_k (m_k - m)^2, from the moments of the group means."""
    means = [part.shift(-next(iter(groups.values())).mean) for _, part in groups.items()]
    apart = np.array([part.mean[0] for part in means])
    counts = np.array([part.weight for part in means])
    return float(counts @ (apart - counts @ apart / counts.sum()) ** 2)


def from_pooled(statistic):
    groups = dict(statistic.groups.items())
    return f_value(statistic.within.scatter[0, 0], groups, statistic.rows)


def from_grouped(statistic):
    groups = dict(statistic.items())
    within = sum(part.scatter.ravel()[0] for part in groups.values())
    return f_value(within, groups, statistic.rows)


ROADS = {
    "pooled": (lambda X, g: Pooled.of(X, g), from_pooled),
    "grouped, full": (lambda X, g: Grouped.of(X, g), from_grouped),
    "grouped, diagonal": (lambda X, g: Grouped.of(X, g, form="diagonal"), from_grouped),
}


@pytest.mark.parametrize("road", ROADS)
def test_at_once(problem, road):
    group, X, certified, reference = problem
    summarise, f = ROADS[road]
    assert correct_digits(f(summarise(X, group)), certified) >= reference - LESS


@pytest.mark.parametrize("road", ROADS)
def test_sum_of_seven_parts(problem, road):
    group, X, certified, reference = problem
    summarise, f = ROADS[road]
    order = np.random.default_rng(0).permutation(len(group))
    total = sum(summarise(X[part], group[part]) for part in np.array_split(order, 7))
    assert correct_digits(f(total), certified) >= reference - LESS


@pytest.mark.parametrize("road", ["pooled", "grouped, full"])
def test_total_is_within_plus_between(problem, road):
    group, X, _, _ = problem
    summarise, _ = ROADS[road]
    statistic = summarise(X, group)
    groups = dict((statistic.groups if road == "pooled" else statistic).items())
    within = sum(part.scatter.ravel()[0] for part in groups.values())
    total = statistic.moments().scatter[0, 0]
    assert total == pytest.approx(within + between_squares(groups), rel=1e-14)
