"""Note 000: naive Bayes of PlayTennis, unsmoothed, for a day that is sunny, cool, humid and windy."""

import numpy as np
import pandas as pd
import pytest

import sumlearn as sl
from sumlearn.data import load_example

TENNIS = load_example("play_tennis")
DAYS = pd.DataFrame(TENNIS.X, columns=["outlook", "temperature", "humidity", "wind"])
TODAY = pd.DataFrame([["Sunny", "Cool", "High", "Strong"]], columns=DAYS.columns)


def test_the_products():
    model = sl.NaiveBayes(alpha=0.0).fit(DAYS, TENNIS.y)
    no, yes = np.exp(model.predict_joint_log_proba(TODAY))[0]
    assert yes == pytest.approx(9 / 14 * 2 / 9 * 3 / 9 * 3 / 9 * 3 / 9, rel=1e-12)
    assert (yes, no) == pytest.approx((0.005291, 0.020571), abs=5e-7)
    assert model.predict_proba(TODAY)[0, 0] == pytest.approx(0.795417, abs=5e-7)
    assert model.predict(TODAY) == ["No"]


def test_one_zero_kills_a_class_and_smoothing_does_not():
    cloudy = TODAY.assign(outlook="Overcast")
    assert sl.NaiveBayes(alpha=0.0).fit(DAYS, TENNIS.y).predict_proba(cloudy).tolist() == [[0.0, 1.0]]
    no = 5 / 14 * 1 / 8 * 2 / 8 * 5 / 7 * 4 / 7
    yes = 9 / 14 * 5 / 12 * 4 / 12 * 4 / 11 * 4 / 11
    assert sl.NaiveBayes().fit(DAYS, TENNIS.y).predict_proba(cloudy)[0, 0] == pytest.approx(no / (no + yes), rel=1e-12)
