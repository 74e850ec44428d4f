"""Sums that hold rows in the place of their scatter: files as long as the rows, of a format of their own."""

import json
import zipfile

import numpy as np
import pytest

import sumlearn as sl
from sumlearn.saving.fields import ADDED, from_fields, to_fields
from sumlearn.statistics import Moments, Pooled
from sumlearn.testing import assert_same_bits, assert_same_model

RNG = np.random.default_rng(0)
X, Y, LABELS = RNG.standard_normal((12, 600)), RNG.standard_normal(12), np.arange(12) % 2


@pytest.mark.parametrize("statistic", [Moments.of(X, Y), Pooled.of(X, LABELS), Moments.of(X, Y).decay(0.3)])
def test_to_the_bit(statistic):
    fields, run = to_fields(statistic)
    assert fields["format"] == ADDED["HeldRows"] == 2
    assert_same_bits(from_fields(json.loads(json.dumps(fields)), run), statistic)
    assert len(run) < 8 * 8 * X.size


def test_sums_without_rows_keep_the_format_that_older_versions_read():
    assert to_fields(Moments.of(X, Y).squared())[0]["format"] == 1
    assert to_fields(Moments.of(X[:, :5], Y))[0]["format"] == 1


@pytest.mark.filterwarnings("ignore:the smallest group")
def test_a_model_goes_on_from_its_file(tmp_path):
    path = tmp_path / "m"
    sl.save(sl.Ridge().fit(X[:8], Y[:8]), path)
    assert path.stat().st_size < 100_000 + 3 * X.nbytes
    model = sl.load(path).partial_fit(X[8:], Y[8:])
    assert_same_model(model, sl.Ridge().fit(X, Y), X)
    assert_same_model(model.forget(X[8:], Y[8:]), sl.Ridge().fit(X[:8], Y[:8]), X)
    with zipfile.ZipFile(path) as archive:
        assert json.loads(archive.read("statistics/0.json"))["format"] == 2


WRONG = {
    "a row too few": lambda held: held["mass"]["words"][0]["array"].__setitem__(1, [11]),
    "no mass": lambda held: held.pop("mass"),
}


@pytest.mark.parametrize("change", WRONG.values(), ids=WRONG)
def test_rows_that_do_not_fit_together_are_refused(change):
    fields, run = to_fields(Moments.of(X, Y))
    change(fields["sum"]["statistic"][1]["spread"]["record"][1])
    with pytest.raises(ValueError, match="fit together|has the fields|bytes"):
        from_fields(fields, run)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_rows_that_are_no_numbers_are_refused(value):
    fields, run = to_fields(Moments.of(X, Y))
    start = run.index(X[3].tobytes())
    with pytest.raises(ValueError, match="fit together"):
        from_fields(fields, run[:start] + np.array([value]).tobytes() + run[start + 8 :])
