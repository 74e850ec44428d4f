"""Certified standard deviations: moments are as good as NumPy's two passes, in every form and over any parts."""

import numpy as np
import pytest

from sumlearn.statistics import Moments

from tests.nist.loader import UNIVARIATE, correct_digits, load_univariate

LESS = 0.3  # digits that may be missing against np.std


@pytest.fixture(params=UNIVARIATE)
def problem(request):
    y, certified = load_univariate(request.param)
    return y[:, None], certified


@pytest.fixture(params=["full", "diagonal"])
def form(request):
    return request.param


def deviation(moments):
    """The certified one: divisor n - 1."""
    return float(np.sqrt(moments.scatter.ravel()[0] / (moments.rows - 1)))


def check(moments, y, certified):
    reference = correct_digits(np.std(y, ddof=1), certified["sd"])
    assert correct_digits(deviation(moments), certified["sd"]) >= reference - LESS
    mean = correct_digits(np.mean(y), certified["mean"])
    assert correct_digits(moments.mean[0], certified["mean"]) >= mean - LESS


def test_at_once(problem, form):
    y, certified = problem
    check(Moments.of(y, form=form), y, certified)


def test_sum_of_seven_parts(problem, form):
    y, certified = problem
    parts = [part for part in np.array_split(y, 7) if len(part)]
    check(sum(Moments.of(part, form=form) for part in parts), y, certified)


def test_row_by_row(problem, form):
    y, certified = problem
    total = Moments.empty(1, form=form)
    for row in y:
        total = total + Moments.of(row[None], form=form)
    check(total, y, certified)


def test_deviation_divides_by_n(problem, form):
    y, _ = problem
    moments = Moments.of(y, form=form)
    assert moments.deviation[0] == pytest.approx(deviation(moments) * np.sqrt((len(y) - 1) / len(y)), rel=1e-15)
