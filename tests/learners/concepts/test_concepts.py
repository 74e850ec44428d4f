"""Conjunctions, version spaces and Bayes' vote: against all hypotheses of small worlds, one by one."""

import time
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sumlearn as sl
from sumlearn.learners.concepts import (
    Attributes,
    BayesOptimalClassifier,
    CandidateElimination,
    Conjunction,
    FindS,
    VersionSpace,
)
from sumlearn.learners.concepts.version_space import constraints
from sumlearn.report import plots
from sumlearn.testing import check_statistic

LEVELS = ("a", "b", "c")


@st.composite
def worlds(draw, rows=6):
    """Attributes, and labelled rows of them; some are labelled by a conjunction, some anyhow."""
    d = draw(st.integers(1, 3))
    levels = tuple(LEVELS[: draw(st.integers(2, 3))] for _ in range(d))
    attributes = Attributes(tuple("xyz"[:d]), levels, tuple(draw(st.booleans()) for _ in range(d)))
    row = st.tuples(*(st.sampled_from(own) for own in levels))
    X = draw(st.lists(row, max_size=rows))
    if draw(st.booleans()):
        concept = draw(st.sampled_from(everything(attributes)))
        y = [concept.covers(x) for x in X]
    else:
        y = draw(st.lists(st.booleans(), min_size=len(X), max_size=len(X)))
    return attributes, X, y


def everything(attributes):
    choices = [constraints(own, ordered) for own, ordered in zip(attributes.levels, attributes.ordered, strict=True)]
    return [*map(Conjunction, product(*choices)), Conjunction.empty(len(choices))]


def space_of(attributes, X, y):
    return VersionSpace.of(
        attributes, [x for x, one in zip(X, y, strict=True) if one], [x for x, one in zip(X, y, strict=True) if not one]
    )


def frame_of(attributes, X):
    columns = {}
    for j, (name, levels, ordered) in enumerate(
        zip(attributes.names, attributes.levels, attributes.ordered, strict=True)
    ):
        columns[name] = (
            pd.Categorical([x[j] for x in X], categories=levels, ordered=True) if ordered else [x[j] for x in X]
        )
    return pd.DataFrame(columns)


@settings(max_examples=60)
@given(worlds())
def test_the_order_is_that_of_the_rows_covered(world):
    attributes, _, _ = world
    instances, all_of_them = list(product(*attributes.levels)), everything(attributes)
    covered = {h: {x for x in instances if h.covers(x)} for h in all_of_them}
    for h in all_of_them[:: max(1, len(all_of_them) // 12)]:
        for g in all_of_them:
            assert (h >= g) == (covered[h] >= covered[g]) and (h > g) == (covered[h] > covered[g])
        for x in instances:
            above = [g for g in all_of_them if covered[g] >= covered[h] | {x}]
            least = h.generalised(x, attributes)
            assert least in above and all(g >= least for g in above)
            if not h.is_empty:
                below = [g for g in all_of_them if not g.is_empty and g <= h and x not in covered[g]]
                assert set(h.specialised(x, attributes)) == {g for g in below if not any(f > g for f in below)}


@settings(max_examples=150)
@given(worlds())
def test_the_boundaries_are_those_of_all_hypotheses_one_by_one(world):
    attributes, X, y = world
    space = space_of(attributes, X, y)
    members = [h for h in everything(attributes) if all(h.covers(x) == one for x, one in zip(X, y, strict=True))]
    assert space.collapsed == (not members) and bool(space.reason) == space.collapsed
    assert set(space.S) == {h for h in members if not any(h > g for g in members)}
    assert set(space.G) == {h for h in members if not any(g > h for g in members)}
    assert set(space.members()) == set(members) and [h in space for h in members] == [True] * len(members)
    assert sum(h in space for h in everything(attributes)) == len(members)
    assert space.converged == (len(members) == 1)
    if members:
        assert space.size == len(members)
        instances = list(product(*attributes.levels))
        shares = [np.mean([h.covers(x) for h in members]) for x in instances]
        np.testing.assert_allclose([space.vote(x) for x in instances], shares, rtol=1e-12)
        asked = space.query()
        assert asked is None or abs(asked[1] - 0.5) == pytest.approx(np.abs(np.array(shares) - 0.5).min())
        assert (asked is None) == (set(shares) <= {0.0, 1.0})
    else:
        assert all(", ".join(x) in space.reason for x in space.culprits[:3])
        with pytest.raises(ValueError, match="no conjunction agrees"):
            space.vote(X[0])


@settings(max_examples=40)
@given(worlds(), st.randoms())
def test_version_spaces_intersect_by_merging(world, random):
    attributes, X, y = world
    whole = space_of(attributes, X, y)
    order = list(range(len(X)))
    random.shuffle(order)
    parts = [order[k::3] for k in range(3)]
    pieces = [space_of(attributes, [X[i] for i in part], [y[i] for i in part]) for part in parts]
    assert set(sum(pieces).members()) == set(whole.members())
    common = set(pieces[0].members()) & set(pieces[1].members()) & set(pieces[2].members())
    assert common == set(whole.members())
    check_statistic(pieces, whole)


@settings(max_examples=40)
@given(worlds(), st.sampled_from([0.0, 0.1, 0.3]), st.booleans())
def test_posteriors_are_bayes_rule(world, noise, weighted):
    attributes, X, y = world
    if not X or not any(y) or all(y):
        return
    all_of_them = everything(attributes)
    weight = np.random.default_rng(len(X)).integers(1, 4, len(X)).astype(float) if weighted else np.ones(len(X))
    prior = np.arange(1.0, len(all_of_them) + 1.0)
    model = BayesOptimalClassifier(all_of_them, prior=prior, noise=noise)
    wrong = np.array(
        [sum(w for x, one, w in zip(X, y, weight, strict=True) if h.covers(x) != one) for h in all_of_them]
    )
    mass = prior * (1 - noise) ** (weight.sum() - wrong) * np.where(wrong > 0, float(noise), 1.0) ** wrong
    if not mass.any():
        with pytest.raises(ValueError, match="no hypothesis of positive prior agrees"):
            model.fit(frame_of(attributes, X), np.array(y), weight)
        return
    model.fit(frame_of(attributes, X), np.array(y), weight)
    np.testing.assert_allclose(model.posterior_, mass / mass.sum(), rtol=1e-9)
    assert mass[model.hypotheses_.index(model.map_)] == pytest.approx(mass.max())
    votes = [
        sum(p * (1 - noise if h.covers(x) else noise) for h, p in zip(all_of_them, mass / mass.sum(), strict=True))
        for x in X
    ]
    np.testing.assert_allclose(model.predict_proba(frame_of(attributes, X))[:, 1], votes, rtol=1e-9, atol=1e-12)


def errors_of(concepts, prior, noise, instances, sample):
    """Exact expected errors of the vote and of the most probable hypothesis, over concepts and labels of the sample.

    Every concept is true with its prior, every label wrong with the share of noise, and the answer is judged by what
    the concept says, on all instances alike.
    """
    covered = np.array([[h.covers(x) for x in instances] for h in concepts])
    place = [instances.index(x) for x in sample]
    errors = np.zeros(2)
    for labels in product((False, True), repeat=len(sample)):
        wrong = (covered[:, place] != np.array(labels, dtype=bool)).sum(axis=1)
        joint = prior * noise**wrong * (1 - noise) ** (len(sample) - wrong)  # 0**0 is one
        vote = joint @ covered > joint @ ~covered
        best = covered[np.argmax(joint)]
        errors += [joint @ (covered != answer).mean(axis=1) for answer in (vote, best)]
    return errors


@settings(max_examples=60)
@given(worlds(rows=3), st.sampled_from([0.0, 0.1, 0.4]), st.integers(0, 2**32 - 1))
def test_the_vote_errs_at_most_as_often_as_the_most_probable_hypothesis(world, noise, seed):
    """In the exact expectation, for any world, priors and noise; and the classifier gives these very answers."""
    attributes, sample, _ = world
    instances, concepts = list(product(*attributes.levels)), everything(attributes)
    prior = np.random.default_rng(seed).dirichlet(np.full(len(concepts), 0.5)) + 1e-6
    vote, best = errors_of(concepts, prior / prior.sum(), noise, instances, sample)
    assert vote <= best + 1e-12
    if not sample:
        return
    concept = concepts[seed % len(concepts)]
    told = np.array([concept.covers(x) for x in sample])
    model = BayesOptimalClassifier(concepts, prior=prior, noise=noise, positive=True).fit(
        frame_of(attributes, sample), told
    )
    covered = np.array([[h.covers(x) for x in instances] for h in concepts])
    wrong = (covered[:, [instances.index(x) for x in sample]] != told).sum(axis=1)
    joint = prior * noise**wrong * (1 - noise) ** (len(sample) - wrong)
    margin = joint @ covered - joint @ ~covered
    clear = np.abs(margin) > 1e-9 * joint.sum()
    rows = [x for x, is_clear in zip(instances, clear, strict=True) if is_clear]
    assert model.predict(frame_of(attributes, rows)).tolist() == (margin[clear] > 0).tolist()
    assert model.map_ == concepts[int(np.argmax(joint))] or joint[concepts.index(model.map_)] == pytest.approx(
        joint.max()
    )


def test_the_vote_errs_less_than_the_most_probable_hypothesis():
    """All concepts of a small world and all samples of two rows: no tie in the expectation."""
    attributes = Attributes(("x", "y"), (("a", "b"), ("a", "b")), (False, False))
    instances, concepts = list(product(*attributes.levels)), everything(attributes)
    prior = np.full(len(concepts), 1.0 / len(concepts))
    samples = list(product(instances, repeat=2))
    errors = np.sum([errors_of(concepts, prior, 0.0, instances, sample) for sample in samples], axis=0)
    assert errors[0] < errors[1]


DAYS = pd.DataFrame(
    {
        "sky": ["Sunny", "Sunny", "Rainy", "Sunny"],
        "warm": [True, True, False, True],
        "wind": ["low", "mid", "low", "high"],
    }
)
PLAY = np.array(["Yes", "Yes", "No", "Yes"])


def test_ordered_attributes_have_intervals():
    table = DAYS.assign(wind=pd.Categorical(DAYS.wind, categories=["low", "mid", "high", "storm"], ordered=True))
    model = CandidateElimination().fit(table, PLAY)
    assert str(model.S_[0]) == "<Sunny, True, low..high>" and FindS().fit(table, PLAY).hypothesis_ == model.S_[0]
    assert model.predict_proba(
        table.assign(wind=pd.Categorical(["storm"] * 4, ["low", "mid", "high", "storm"], ordered=True))
    )[0].tolist() == [0.5, 0.5]


def test_sites_merge_levels_and_answers(tmp_path):
    for kind in (CandidateElimination, FindS, BayesOptimalClassifier):
        whole = kind().fit(DAYS, PLAY)
        both = kind().fit(DAYS[:2], PLAY[:2]) + kind().fit(DAYS[2:], PLAY[2:])
        assert both.predict(DAYS).tolist() == whole.predict(DAYS).tolist() == PLAY.tolist()
        rows = kind().partial_fit(DAYS[:1], PLAY[:1]).partial_fit(DAYS[1:], PLAY[1:])
        assert rows.predict(DAYS).tolist() == PLAY.tolist() and not hasattr(rows, "forget")
        sl.save(whole, tmp_path / kind.__name__)
        copy = sl.load(tmp_path / kind.__name__)
        assert copy.predict(DAYS).tolist() == PLAY.tolist() and (copy + both).statistic_.rows == 8
        DAYS.assign(play=PLAY).to_csv(tmp_path / "days.csv", index=False)
        assert kind().fit(tmp_path / "days.csv", "play").predict(DAYS).tolist() == PLAY.tolist()
        assert kind().fit(DAYS, PLAY, [1, 1, 0, 1]).statistic_.rows == 3


def test_noisy_labels_collapse_the_space_and_are_named():
    with pytest.warns(UserWarning, match=r"covers the negative \(Sunny, True, mid\)"):
        model = CandidateElimination().fit(DAYS, ["Yes", "No", "Yes", "Yes"])
    assert model.collapsed_ and model.S_ == model.G_ == [] and model.size_ == 0
    with pytest.raises(ValueError, match="A label is wrong, or the concept is no conjunction"):
        model.predict(DAYS)
    with pytest.raises(ValueError, match="give noise the share of wrong labels"):
        BayesOptimalClassifier().fit(DAYS, ["Yes", "No", "Yes", "Yes"])
    assert BayesOptimalClassifier(noise=0.2).fit(DAYS, ["Yes", "No", "Yes", "Yes"]).posterior_.sum() == pytest.approx(
        1.0
    )


def test_questions_converge():
    """Asking what halves the space finds the concept in few questions."""
    names = tuple("uvwxy")
    attributes, concept = Attributes(names, (("a", "b"),) * 5, (False,) * 5), Conjunction(("a", "?", "b", "?", "?"))
    rows = [("a", "a", "b", "a", "b"), ("b", "a", "b", "a", "b")]
    for _ in range(12):
        space = space_of(attributes, rows, [concept.covers(x) for x in rows])
        asked = space.query()
        if asked is None:
            break
        rows.append(asked[0])
    assert space.converged and space.S == [concept] == space.G and len(rows) <= 10


def test_a_large_boundary_is_bounded_with_a_reason():
    names = [f"x{j}" for j in range(16)]
    rows = np.full((8, 16), "a")
    for i in range(8):
        rows[i, 2 * i : 2 * i + 2] = "b"
    frame = pd.DataFrame(np.vstack([np.full((1, 16), "a"), rows]), columns=names)
    with pytest.raises(ValueError, match="more than 100 members after 7 of 8 negative rows"):
        CandidateElimination(max_general=100).fit(frame, ["yes"] + ["no"] * 8)
    assert len(CandidateElimination().fit(frame, ["yes"] + ["no"] * 8).G_) == 256


def test_a_boundary_is_bounded_soon_also_where_every_row_opens_many_ways():
    """Twenty-two attributes of four levels: sixty-six ways to go below every member at every row."""
    rng = np.random.default_rng(0)
    rows = [tuple(row) for row in rng.choice(list("abcd"), (30, 22)).tolist()]
    attributes = Attributes(tuple(f"x{j:02}" for j in range(22)), (tuple("abcd"),) * 22, (False,) * 22)
    began = time.process_time()
    with pytest.raises(ValueError, match="more than 5000 members after"):
        VersionSpace.of(attributes, [], rows).general(5000)
    assert time.process_time() - began < 5.0  # compared one by one it took half a minute
    few = VersionSpace.of(attributes, [], rows[:3])
    members = few.general(3000)
    assert all(not any(map(g.covers, rows[:3])) for g in members) and len(set(members)) == len(members)
    assert not any(g > h for g in members[::50] for h in members)


@pytest.mark.parametrize(
    ("frame", "labels", "said"),
    [
        (DAYS.assign(heat=[1.5, 2.5, 0.5, 9.0]), PLAY, "column 'heat' holds numbers: .* categorical_features"),
        (DAYS.assign(sky=["Sunny", None, "Rainy", "Sunny"]), PLAY, "column 'sky' has no value in row 1"),
        (DAYS.assign(sky=["Sunny", "?", "Rainy", "Sunny"]), PLAY, "column 'sky' has the level '\\?'"),
        (DAYS.assign(sky=["Sunny", "∅", "Rainy", "Sunny"]), PLAY, "column 'sky' has the level '∅', which .* in row 1"),
        (DAYS, ["a", "b", "a", "b"], "`positive` says which"),
        (DAYS, ["yes", "b", "a", "b"], "a concept has two"),
    ],
)
@pytest.mark.parametrize("kind", [CandidateElimination, FindS, BayesOptimalClassifier])
def test_refusals(kind, frame, labels, said):
    with pytest.raises(ValueError, match=said):
        kind().fit(frame, labels)


def test_parameters():
    assert CandidateElimination(positive="b").fit(DAYS, ["b", "b", "a", "b"]).predict(DAYS).tolist() == [
        "b",
        "b",
        "a",
        "b",
    ]
    with pytest.raises(ValueError, match="not what the rows were learnt with: fit anew"):
        FindS().fit(DAYS, PLAY).set_params(positive="No").predict(DAYS)
    only = FindS().fit(DAYS[:2], ["Yes", "Yes"])
    assert only.predict(DAYS).tolist() == ["Yes", "Yes", "No", "Yes"]
    with pytest.raises(ValueError, match="noise must be"):
        BayesOptimalClassifier(noise=0.5).fit(DAYS, PLAY)
    with pytest.raises(ValueError, match="more than max_hypotheses=10"):
        BayesOptimalClassifier(max_hypotheses=10).fit(DAYS, PLAY)
    with pytest.raises(ValueError, match="prior must have a number for each"):
        BayesOptimalClassifier(prior=[1.0]).fit(DAYS, PLAY)
    numbers = DAYS.assign(heat=[1, 2, 1, 2])
    assert "heat" in CandidateElimination(categorical_features=["heat"]).fit(numbers, PLAY).statistic_.attributes.names
    assert CandidateElimination(drop=["heat"]).fit(numbers, PLAY).predict(numbers).tolist() == PLAY.tolist()
    with pytest.raises(ValueError, match="empty in all"):
        Conjunction(("∅", "a"))


def test_the_picture(tmp_path):
    model = CandidateElimination().fit(DAYS, PLAY)
    figure = plots.lattice(model)
    figure.save(tmp_path / "lattice.png")
    assert sum(hasattr(item, "text") for item in figure.panels[0].items) == model.size_


@pytest.mark.parametrize("kind", [CandidateElimination, FindS, BayesOptimalClassifier])
def test_blocks_of_a_dask_frame_are_sites_that_merge(kind):
    dask = pytest.importorskip("dask.dataframe")
    table = DAYS.assign(wind=pd.Categorical(DAYS.wind, categories=["low", "mid", "high", "storm"], ordered=True))
    whole = kind().fit(table, PLAY)
    blocks = dask.from_pandas(table.assign(play=PLAY), npartitions=4)
    found = kind().fit(blocks, "play")
    assert found.predict(table).tolist() == whole.predict(table).tolist()
    assert found.statistic_.attributes == whole.statistic_.attributes and found.statistic_.rows == 4
    two = kind().fit(table[:2], PLAY[:2]).partial_fit(dask.from_pandas(table[2:].assign(play=PLAY[2:]), 2), "play")
    assert two.predict(table).tolist() == PLAY.tolist()
    with pytest.raises(ValueError, match="wnd"):
        found.partial_fit(blocks.rename(columns={"wind": "wnd"}), "play")
