"""The notes' inverse, row by row: right where it can be, and it knows where it is not."""

from fractions import Fraction

import numpy as np
import pytest

from sumlearn.statistics import IllConditionedWarning, InverseCovariance, Moments


def exact_inverse(rows):
    """The inverse of the covariance of these very doubles, in fractions."""
    n, d = rows.shape
    values = [[Fraction(float(v)) for v in row] for row in rows]
    mean = [sum(row[j] for row in values) / n for j in range(d)]
    A = [
        [sum((r[i] - mean[i]) * (r[j] - mean[j]) for r in values) / n for j in range(d)]
        + [Fraction(int(i == j)) for j in range(d)]
        for i in range(d)
    ]
    for i in range(d):
        pivot = A[i][i]
        A[i] = [v / pivot for v in A[i]]
        for k in set(range(d)) - {i}:
            factor = A[k][i]
            A[k] = [a - factor * b for a, b in zip(A[k], A[i], strict=True)]
    return np.array([[float(v) for v in row[d:]] for row in A])


def carried(rows, block=1):
    model = InverseCovariance.of(rows[:10])
    for start in range(10, len(rows), block):
        model = model.learn(rows[start : start + block])
    return model


@pytest.fixture(scope="module")
def rows():
    return np.random.default_rng(0).standard_normal((120, 3))


@pytest.mark.parametrize("block", [1, 7, 200])
def test_it_is_the_inverse(rows, block):
    model, right = carried(rows, block), exact_inverse(rows)
    assert model.weight == 120 and model.mean == pytest.approx(rows.mean(axis=0), rel=1e-12)
    assert model.second_moment == pytest.approx(rows.T @ rows / 120, rel=1e-13)
    assert model.covariance == pytest.approx(Moments.of(rows).covariance(), rel=1e-12)
    assert model.inverse_covariance == pytest.approx(right, rel=1e-12, abs=1e-13)


@pytest.mark.parametrize("offset", [0.0, 10.0, 100.0, 300.0, 1e3, 1e4, 1e6])
def test_it_promises_no_more_digits_than_it_has(rows, offset):
    rows = rows + offset
    model, right = carried(rows), exact_inverse(rows)
    if model.digits < 3:
        with pytest.raises(ValueError, match="digits are left: use Moments"):
            _ = model.inverse_covariance
    elif model.digits < 6:
        with pytest.warns(IllConditionedWarning, match="digits are left"):
            found = model.inverse_covariance
    else:
        found = model.inverse_covariance
    if model.digits >= 3:
        assert np.abs(found - right).max() <= 10.0**-model.digits * np.abs(right).max()
    condition = np.linalg.cond(model.second_moment)
    assert (model.digits < 3) == (condition > 1e6)  # nothing is left from there on
    scatter = Moments.of(rows).covariance()
    assert np.abs(np.linalg.inv(scatter) - right).max() <= 1e-14 * np.abs(right).max()


@pytest.mark.parametrize("apart", [1e-2, 1e-4, 1e-6])
def test_nearly_dependent_columns(rows, apart):
    rows = rows.copy()
    rows[:, 2] = rows[:, 0] + apart * rows[:, 2]
    model, right = carried(rows), exact_inverse(rows)
    if model.digits < 3:
        return
    assert np.abs(model.inverse_covariance - right).max() <= 10.0**-model.digits * np.abs(right).max()


def test_bad_input(rows):
    with pytest.raises(ValueError, match="from 4 rows on, got 3"):
        InverseCovariance.of(rows[:3])
    with pytest.raises(ValueError, match=r"columns are dependent|digits"):
        _ = InverseCovariance.of(np.ones((9, 3))).inverse_covariance
    model = carried(rows)
    with pytest.raises(ValueError, match="of 3 columns are carried along, got 2"):
        model.learn(rows[:, :2])
    with pytest.raises(ValueError, match="NaN"):
        model.learn([np.nan, 0.0, 0.0])
    assert model.learn(rows[:0]) is model
