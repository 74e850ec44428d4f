"""Searches with the printed stop: they end when a step makes nothing better."""

import numpy as np
import pytest

from sumlearn.selection import SubsetSearch

from tests.selection.references import grown, random_worth, shrunk

D = 9


def best(worth, subsets):
    return max((tuple(sorted(s)) for s in subsets), key=worth)


def printed(method, worth, plus=2, minus=1):
    """The algorithms of note 002 with their stop: J(S') <= J(S) upwards, J(S') < J(S) downwards."""
    up = method == "sfs" or (method == "pta" and plus > minus)
    S, met = ((), []) if up else (tuple(range(D)), [tuple(range(D))])
    while len(S) < D if up else len(S) > 1:
        after = S
        into, out = {"sfs": (1, 0), "sbe": (0, 1)}.get(method, (plus, minus))
        if not up and len(S) - out < 1:  # the last round ends at one feature: none comes back
            into = 0
        for step, many in ((grown, into), (shrunk, out)) if up else ((shrunk, out), (grown, into)):
            for _ in range(min(many, D - len(after)) if step is grown else min(many, len(after) - 1)):
                after = best(worth, step(after, D) if step is grown else step(after))
                met.append(after)
        worse = worth(after) <= (worth(S) if S else -np.inf) if up else worth(after) < worth(S)
        if worse:
            break
        S = after
    return S, met


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("method, options", [("sfs", {}), ("sbe", {}), ("pta", {}), ("pta", {"plus": 1, "minus": 2})])
def test_the_printed_stop(method, options, seed):
    """The search ends where the printed one does; its answer is the best that it has met."""
    worth = random_worth(D, seed, 0.6)
    search = SubsetSearch(method, criterion=worth, stop="worse", **options).fit(np.zeros((2, D)))
    S, met = printed(method, worth, **options)
    if method != "pta":
        assert search.subset_.tolist() == list(S)
    assert search.score_ == pytest.approx(max(map(worth, met)), rel=1e-12)
    whole = SubsetSearch(method, criterion=worth, **options).fit(np.zeros((2, D)))
    assert search.evaluations_ <= whole.evaluations_ and search.score_ <= whole.score_ + 1e-12


def test_a_useless_feature_is_dropped_and_does_not_enter():
    def worth(subset):
        return float(len({0, 1} & set(subset)))

    down = SubsetSearch("sbe", criterion=worth, stop="worse").fit(np.zeros((2, 5)))
    up = SubsetSearch("sfs", criterion=worth, stop="worse").fit(np.zeros((2, 5)))
    assert down.subset_.tolist() == up.subset_.tolist() == [0, 1]
    assert up.evaluations_ == 5 + 4 + 3


def test_a_stop_where_there_is_none_is_refused():
    for options in ({"method": "sffs"}, {"method": "sfs", "k": 3}):
        with pytest.raises(ValueError, match="stop='worse' ends methods 'sfs', 'sbe', 'pta', 'gpta', and k is then"):
            SubsetSearch(stop="worse", criterion=len, **options).fit(np.zeros((2, 5)))
    with pytest.raises(ValueError, match="stop must be one of None, 'worse', got 'better'"):
        SubsetSearch(stop="better", criterion=len).fit(np.zeros((2, 5)))
