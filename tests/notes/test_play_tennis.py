"""Note 000: the tree of PlayTennis, its entropy and the gains of its attributes."""

import numpy as np
import pandas as pd
import pytest

from sumlearn import DecisionTreeClassifier
from sumlearn.data import load_example

TENNIS = load_example("play_tennis")
DAYS = pd.DataFrame(TENNIS.X, columns=["outlook", "temperature", "humidity", "wind"])
GAINS = {"outlook": 0.2467, "humidity": 0.1518, "wind": 0.0481, "temperature": 0.0292}
ID3 = {"split": "multiway", "criterion": "entropy"}


def gain(tree):
    mass = tree.weighted_n_node_samples / tree.weighted_n_node_samples[0]
    return tree.impurity[0] - sum(mass[k] * tree.impurity[k] for k in tree.below(0))


@pytest.mark.parametrize("name", GAINS)
def test_gains(name):
    """The whole set has .940286 bits; the note prints gains with four digits."""
    tree = DecisionTreeClassifier(max_depth=1, **ID3).fit(DAYS[[name]], TENNIS.y).tree_
    assert tree.impurity[0] == pytest.approx(0.940286, abs=5e-7)
    assert gain(tree) == pytest.approx(GAINS[name], abs=5e-5)


def test_the_tree():
    model = DecisionTreeClassifier(**ID3).fit(DAYS, TENNIS.y)
    assert model.text().splitlines() == [
        "outlook = Overcast: Yes (4)",
        "outlook = Rain",
        "|   wind = Strong: No (2)",
        "|   wind = Weak: Yes (3)",
        "outlook = Sunny",
        "|   humidity = High: No (3)",
        "|   humidity = Normal: Yes (2)",
    ]
    assert model.score(DAYS, TENNIS.y) == 1.0
    assert model.predict(pd.DataFrame([["Sunny", "Cool", "High", "Strong"]], columns=DAYS.columns)) == ["No"]


def test_gain_ratios_of_quinlan():
    """Outlook: gain .247 over split information 1.577 (Quinlan 1993, section 2.2)."""
    share = np.array([5, 4, 5]) / 14
    information = -(share * np.log2(share)).sum()
    assert information == pytest.approx(1.577, abs=5e-4)
    tree = DecisionTreeClassifier(split="multiway", criterion="gain_ratio").fit(DAYS, TENNIS.y).tree_
    assert tree.feature[0] == 0 and gain(tree) / information == pytest.approx(0.156, abs=5e-4)


def test_entropy_is_largest_where_both_classes_are_equally_frequent():
    """Note 000: at p = 0.5, and it is one bit there."""
    rows, entropy = pd.DataFrame({"x": list("uv") * 10}), []
    for positive in range(1, 20):
        y = np.arange(20) < positive
        entropy.append(DecisionTreeClassifier(max_depth=1, **ID3).fit(rows, y).tree_.impurity[0])
    assert np.argmax(entropy) == 9 and entropy[9] == 1.0
    assert entropy == pytest.approx(entropy[::-1], rel=1e-14)
