"""Note 000: Find-S, the version space of EnjoySport, its vote, and the posterior of its hypotheses."""

import pandas as pd
import pytest

from sumlearn.data import load_example
from sumlearn.learners.concepts import BayesOptimalClassifier, CandidateElimination, Conjunction, FindS

SPORT = load_example("enjoy_sport")
DAYS = pd.DataFrame(SPORT.X, columns=SPORT.columns)
MODEL = CandidateElimination().fit(DAYS, SPORT.y)


def test_boundaries():
    assert list(map(str, MODEL.S_)) == ["<Sunny, Warm, ?, Strong, ?, ?>"]
    assert set(map(str, MODEL.G_)) == {"<Sunny, ?, ?, ?, ?, ?>", "<?, Warm, ?, ?, ?, ?>"}
    assert MODEL.size_ == 6 and not MODEL.converged_
    assert FindS().fit(DAYS, SPORT.y).hypothesis_ == MODEL.S_[0]
    assert {str(h) for h in MODEL.statistic_.members()} == {
        "<Sunny, Warm, ?, Strong, ?, ?>",
        "<Sunny, ?, ?, Strong, ?, ?>",
        "<Sunny, Warm, ?, ?, ?, ?>",
        "<?, Warm, ?, Strong, ?, ?>",
        "<Sunny, ?, ?, ?, ?, ?>",
        "<?, Warm, ?, ?, ?, ?>",
    }


def test_boundaries_after_each_row():
    """Mitchell's figures 2.4 to 2.6: G stays at <?, ...> for two rows, has three members, then two."""
    counts = [len(CandidateElimination().fit(DAYS[:n], SPORT.y[:n]).G_) for n in (1, 2, 3, 4)]
    assert counts == [1, 1, 3, 2]


def test_votes_of_four_days():
    """Mitchell's table 2.6: all for it, none, three of six, two of six."""
    asked = pd.DataFrame(
        [
            ["Sunny", "Warm", "Normal", "Strong", "Cool", "Change"],
            ["Rainy", "Cold", "Normal", "Light", "Warm", "Same"],
            ["Sunny", "Warm", "Normal", "Light", "Warm", "Same"],
            ["Sunny", "Cold", "Normal", "Strong", "Warm", "Same"],
        ],
        columns=DAYS.columns,
    )
    assert MODEL.predict_proba(asked)[:, 1].tolist() == pytest.approx([1.0, 0.0, 3 / 6, 2 / 6])


def test_posterior_is_one_over_the_size_of_the_space():
    model = BayesOptimalClassifier().fit(DAYS, SPORT.y)
    assert {str(h): p for h, p in zip(model.hypotheses_, model.posterior_, strict=True) if p} == pytest.approx(
        {str(h): 1 / 6 for h in MODEL.statistic_.members()}
    )


def test_more_general():
    h = Conjunction(("Sunny", "?", "?", "?", "?", "?"))
    assert h > MODEL.S_[0] and h >= h and not h > h and not MODEL.G_[0] >= MODEL.G_[1]
