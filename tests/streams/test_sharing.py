"""What is shared of models over time: their versions, and windows of a cube, do not subtract to few rows."""

import numpy as np
import pandas as pd
import pytest

import sumlearn as sl
from sumlearn.streams import ModelCube

pytestmark = pytest.mark.filterwarnings("ignore:the smallest group of rows in this file")

RNG = np.random.default_rng(0)
TABLE = pd.DataFrame(RNG.standard_normal((401, 3)), columns=["a", "b", "y"]).assign(day=np.arange(401) // 10)
ROWS, TARGET = TABLE[["a", "b"]].to_numpy(), TABLE["y"].to_numpy()  # one row on the last day


@pytest.mark.parametrize("kind", [sl.Fading, sl.TumblingWindow, sl.SlidingWindow])
def test_the_next_version_of_a_learner_over_time_waits(kind, tmp_path):
    size = {"size": 1000} if kind is sl.SlidingWindow else {}
    model = kind(sl.Ridge(), **size).fit(ROWS[:400], TARGET[:400])
    sl.save(model.learner_, tmp_path / "first", share=True)
    model.partial_fit(ROWS[400:], TARGET[400:])
    with pytest.raises(ValueError, match="since the model was shared 1 row changed"):
        sl.save(model.learner_, tmp_path / "second", share=True)
    sl.save(model, tmp_path / "home")
    with pytest.raises(ValueError, match="since the model was shared 1 row changed"):
        sl.save(sl.load(tmp_path / "home").learner_, tmp_path / "second", share=True)


def cube():
    return ModelCube(sl.Ridge(), time="day", grain=1).fit(TABLE[["a", "b", "day"]], TABLE["y"])


def test_windows_of_a_cube_that_overlap_are_not_both_shared(tmp_path):
    """Three of them subtract to one row, though any two differ by many."""
    whole = cube()
    for window in (slice(0, 20), slice(20, 40), slice(0, 20)):
        sl.save(whole[window], tmp_path / "shared", share=True)
    whole.save(tmp_path / "home")
    for known in (whole, sl.load(tmp_path / "home")):
        with pytest.raises(ValueError, match="a part of the cube that overlaps with it was shared"):
            sl.save(known[0:41], tmp_path / "all", share=True)
    known.append(TABLE[["a", "b", "day"]].iloc[:1], TABLE["y"].iloc[:1])
    with pytest.raises(ValueError, match="since the model was shared 1 row changed"):
        sl.save(known[0:20], tmp_path / "all", share=True)


def test_what_was_shared_is_written_where_nothing_else_has_changed(tmp_path):
    whole = cube()
    whole.save(tmp_path / "home")
    sl.save(whole[0:20], tmp_path / "shared", share=True)
    whole.save(tmp_path / "home")
    with pytest.raises(ValueError, match="overlaps"):
        sl.save(sl.load(tmp_path / "home")[10:30], tmp_path / "second", share=True)
