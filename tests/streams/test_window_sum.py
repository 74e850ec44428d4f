"""WindowSum: the sum of what is in a window, by merges alone."""

import numpy as np
import pytest

from sumlearn.statistics import Counts, Moments
from sumlearn.streams import WindowSum


class Merges:
    """How often moments were merged."""

    def __init__(self, monkeypatch):
        self.count, merge = 0, Moments.merge

        def counted(a, b):
            self.count += 1
            return merge(a, b)

        monkeypatch.setattr(Moments, "merge", counted)


def test_any_pushes_and_pops_leave_the_sum_of_what_is_there():
    rng = np.random.default_rng(0)
    window, there = WindowSum(), []
    for step in range(600):
        draw = rng.random()
        if there and draw < 0.45:
            assert window.pop() is there.pop(0)
        elif there and draw < 0.5:
            gone = int(rng.integers(0, len(there) + 1))
            window.drop_newest(gone)
            there = there[: len(there) - gone]
        else:
            there.append(Moments.of(rng.standard_normal((3, 2)) + 1e6))
            window.push(there[-1])
        assert len(window) == len(there)
        if there and step % 7 == 0:
            right = sum(there)
            assert window.total.mean == pytest.approx(right.mean, rel=1e-15)
            assert window.total.scatter == pytest.approx(right.scatter, rel=1e-13)


def test_what_is_gone_leaves_no_trace():
    window, ones = WindowSum(), Moments.of([[0.0], [1.0]])
    window.push(Moments.of([[1e150]]))
    window.push(ones)
    window.pop()
    assert window.total is ones


def test_merges_per_step_do_not_grow_with_the_window(monkeypatch):
    one, merges = Moments.of([[1.0, 2.0]]), Merges(monkeypatch)
    for size in (10, 1000):
        window, merges.count = WindowSum(), 0
        for _ in range(3 * size):
            window.push(one)
            if len(window) > size:
                window.pop()
        assert merges.count <= 3 * 3 * size


def test_by_time():
    window = WindowSum()
    for time in (1, 1, 4, 9):
        window.push(Moments.of([[float(time)]]), time=time)
    assert window.pop_until(3) == 2 and window.oldest == 4
    assert window.pop_until(3) == 0
    with pytest.raises(ValueError, match="time goes back: 8 after 9"):
        window.push(Moments.of([[8.0]]), time=8)
    with pytest.raises(ValueError, match="either all have a time or none"):
        window.push(Moments.of([[8.0]]))


def test_bad_input_changes_nothing():
    window = WindowSum()
    for empty in (window.pop, lambda: window.total, lambda: window.oldest, lambda: window.drop_newest()):
        with pytest.raises(IndexError):
            empty()
    window.push(Moments.of([[1.0, 2.0]]))
    with pytest.raises(TypeError, match="adds up statistics, got int"):
        window.push(3)
    with pytest.raises(TypeError, match="of one kind, got Moments and Counts"):
        window.push(Counts.of(np.array(["a", "b"])))
    for _ in range(2):  # in the younger stack, then beneath the older one
        with pytest.raises(ValueError, match="moments differ in columns"):
            window.push(Moments.of([[1.0]]))
        window.push(Moments.of([[5.0, 6.0]]))
        window.pop()
    assert len(window) == 1 and window.total.mean.tolist() == [5.0, 6.0]


def test_a_copy_goes_its_own_way():
    window = WindowSum()
    window.push(Moments.of([[1.0]]))
    other = window.copy()
    other.push(Moments.of([[3.0]]))
    assert len(window) == 1 and other.total.mean == [2.0]
