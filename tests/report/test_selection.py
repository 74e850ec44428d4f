"""Which columns matter: the ranking, the trace of a search and the stability of the choice, computed anew."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as TheirLDA
from sklearn.linear_model import LinearRegression as TheirLine
from sklearn.model_selection import KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sumlearn as sl
from sumlearn.features import TableEncoder
from sumlearn.product import read_table, train
from sumlearn.report import report_on
from sumlearn.report.blocks import Chart, Grid, Prose
from sumlearn.report.evidence import evidence_of
from sumlearn.report.sections.complexity import complexity
from sumlearn.report.sections.model_card import model_card
from sumlearn.report.sections.selection import selection
from sumlearn.selection import FCBF, Ranker, SubsetSearch

from .tables import hostile_search, many_classes, mixed, numbers, searched, two_classes
from tests.cli.tables import shuffled


@pytest.fixture(scope="module")
def pima():
    """A training whose columns a floating search chose, and the table as numbers."""
    found = train("pima", models="lda", features="sffs", cv="3")
    frame = found.problem.frame
    return found, np.column_stack([frame[name].to_numpy() for name in frame.column_names])


def blocks(found, kind):
    return [block for block in selection(evidence_of(found)).blocks if isinstance(block, kind)]


def search_anew(found, rows=slice(None)):
    """The search itself, on rows scaled as they are in a training: rounding may turn pairs of equal scores."""
    some = np.arange(len(found.target.values))[rows]
    frame = found.problem.frame.take(some)
    X = TableEncoder().fit(frame).transform(frame)
    search = SubsetSearch("sffs", sl.LinearDiscriminantAnalysis(), "auc", cv=shuffled())
    return search.fit(X, found.target.values[some])


def test_the_trace_is_that_of_the_search(pima):
    found, _ = pima
    search = search_anew(found)
    sizes, steps = blocks(found, Chart)
    asked, best, chosen = sizes.figure.panels[0].items
    assert len(asked.x) == search.evaluations_
    assert best.x.tolist() == list(search.scores_by_size_)
    assert best.y == pytest.approx(list(search.scores_by_size_.values()), rel=1e-12)
    assert (chosen.x, chosen.y) == (len(search.subset_), pytest.approx(search.score_, rel=1e-12))
    upper, lower = steps.figure.panels
    assert lower.items[1].y.tolist() == search.trace_.move_size.tolist()
    assert upper.items[1].y == pytest.approx(search.trace_.move_score, rel=1e-12)
    trace = search.trace_
    wanted = [trace.score[trace.step == step].max() for step in np.unique(trace.step)]
    assert upper.items[0].y == pytest.approx(wanted, rel=1e-12)
    assert np.min(np.diff(lower.items[0].y)) < 0  # a floating search looks back


def test_j_of_one_column_is_scikit_learns(pima):
    found, X = pima
    alone = [
        cross_val_score(TheirLDA(), X[:, [j]], found.target.values == "pos", cv=shuffled(), scoring="roc_auc").mean()
        for j in range(X.shape[1])
    ]
    sizes, _ = blocks(found, Chart)
    assert sizes.figure.panels[0].items[1].y[0] == pytest.approx(max(alone), rel=1e-9)
    ranking = blocks(found, Grid)[-1]
    names = found.problem.frame.column_names
    assert [row[0] for row in ranking.rows] == [names[j] for j in np.argsort(-np.array(alone))]
    assert [row[1] for row in ranking.rows] == pytest.approx(sorted(alone, reverse=True), rel=1e-9)


def test_stability_is_that_of_searches_within_the_splits(pima):
    found, _ = pima
    names = found.problem.frame.column_names
    chosen = [{names[j] for j in search_anew(found, rows).subset_} for rows, _ in found.nested.splits]
    *_, ranking = blocks(found, Grid)
    for name, *_, times, _, mark in ranking.rows:
        assert times == f"{sum(name in some for some in chosen)} of 3"
        assert (mark == "chosen") == (name in found.model.facts["columns"])
    either = set().union(*chosen, found.model.facts["columns"])
    assert found.metrics["features"]["times"] == {name: sum(name in some for some in chosen) for name in either}
    pairs = [(a, b) for i, a in enumerate(chosen) for b in chosen[i + 1 :]]
    share = np.mean([len(a & b) / len(a | b) for a, b in pairs])
    assert f"share {share:.0%} of the columns" in blocks(found, Prose)[-1].text


def test_of_a_sample_no_choice_within_the_splits_is_claimed(pima):
    """The headline of a table larger than memory is of other rows, and its choice was made once."""
    evidence = evidence_of(pima[0])
    assert "within every split" in selection(evidence).lead
    sampled = replace(evidence, metrics=evidence.metrics | {"sample": {"rows": 768, "scored": 9}})
    for section in (selection(sampled), complexity(sampled), model_card(sampled)):
        told = [section.lead, *(getattr(block, "caption", "") for block in section.blocks), str(section.blocks[0])]
        assert not any("within every split" in text for text in told)
    assert "of other rows" in selection(sampled).lead


def test_the_path_names_what_comes_and_goes(pima):
    found, _ = pima
    search, names = search_anew(found), found.problem.frame.column_names
    path, _ = blocks(found, Grid)
    assert [row[0] for row in path.rows] == list(search.path_)
    assert path.rows[0][2] == f"+ {names[search.path_[1][0]]}"
    assert [row[0] for row in path.rows if row[3] == "chosen"] == [len(search.subset_)]


def test_without_a_choice_there_is_a_ranking_alone():
    (only,) = selection(evidence_of(numbers())).blocks
    assert only.headers == ["column", "R² alone", ""]
    found = numbers()
    X = np.column_stack([found.problem.frame[name].to_numpy() for name in found.problem.frame.column_names])
    folds = KFold(5, shuffle=True, random_state=0)
    wanted = [cross_val_score(TheirLine(), X[:, [j]], found.target.values, cv=folds).mean() for j in range(10)]
    assert [row[1] for row in only.rows] == pytest.approx(sorted(wanted, reverse=True), rel=1e-6, abs=1e-9)
    (labels,) = selection(evidence_of(many_classes())).blocks
    assert labels.headers[1] == "accuracy alone" and labels.rows[0][0] == "Petal.Width"


def test_a_category_is_one_column():
    (only,) = selection(evidence_of(mixed())).blocks
    assert sorted(row[0] for row in only.rows) == ["age", "city", "new", "size"]


def test_a_filter_tells_what_became_of_each_column():
    found = train("pima", models="lda", features="fcbf:0.02", cv="3")
    table, ranking = blocks(found, Grid)
    fate = {row[0]: row[3] for row in table.rows}
    assert {name for name, what in fate.items() if what == "chosen"} == set(found.model.facts["columns"])
    assert any(what.startswith("redundant: ") for what in fate.values()) and "says too little" in fate.values()
    assert [row[1] for row in table.rows] == sorted((row[1] for row in table.rows), reverse=True)
    assert ranking.headers[3] == "chosen in splits" and not blocks(found, Chart)


@pytest.mark.slow
def test_pipelines_that_select_are_understood():
    pipeline = make_pipeline(StandardScaler(), SubsetSearch("sfs", k=3), sl.LinearDiscriminantAnalysis())
    evidence = sl.evaluate(pipeline, "pima", "diabetes", cv=3).evidence
    section = selection(evidence)
    assert [block.name for block in section.blocks if isinstance(block, Chart)] == ["search-sizes", "search-steps"]
    assert all(len(read) == 3 for read in evidence.nested.read) and "3 of 8 were chosen" in section.lead
    ranked = selection(sl.evaluate(make_pipeline(Ranker("f", k=2), sl.GaussianNB()), "iris", cv=3).evidence)
    assert [row[0] for row in ranked.blocks[0].rows] == ["Petal.Length", "Petal.Width", "Sepal.Length", "Sepal.Width"]
    assert [row[3] for row in ranked.blocks[0].rows] == ["chosen", "chosen", "", ""]
    one = make_pipeline(FCBF(0.01, bins=6), sl.LinearDiscriminantAnalysis())
    held = selection(sl.evaluate(one, "pima", cv="holdout:0.3").evidence)
    assert [block.text for block in held.blocks if isinstance(block, Prose)] == [
        "There was one split, so that nothing is known of how stable the choice is."
    ]


@pytest.mark.slow
def test_fresh_rows_and_one_column_have_no_such_section():
    frame = read_table("pima").frame
    assert selection(report_on(two_classes().model, read_table("pima2")).evidence) is None
    small = frame.select(["glucose", "diabetes"])
    assert selection(evidence_of(train(small, "diabetes", models="lda", cv="2"))) is None


def test_names_come_whole():
    tables = blocks(hostile_search(), Grid)
    named = {row[0] for row in tables[-1].rows}
    assert set(hostile_search().problem.frame.column_names) - {"<b>id</b>"} == named
    assert searched().metrics["features"]["how"] == "sffs"
