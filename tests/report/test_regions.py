"""Decision regions: the plane, the answers on it, and what is said where there is nothing to draw."""

import numpy as np
import pyarrow as pa
import pytest
from scipy.linalg import eigh

import sumlearn as sl
from sumlearn.product import train
from sumlearn.report.blocks import Prose
from sumlearn.report.evidence import evidence_of
from sumlearn.report.plots.figure import Line, Points, Regions
from sumlearn.report.sections.regions import OTHERS, plane_of, regions

from .tables import many_classes, mixed, numbers, two_classes


def items(section, kind):
    return [item for item in section.blocks[0].figure.panels[0].items if isinstance(item, kind)]


@pytest.mark.parametrize("make", [two_classes, many_classes])
def test_the_ground_is_what_the_saved_model_says_there(make):
    found = make()
    evidence = evidence_of(found)
    (ground,) = items(regions(evidence), Regions)
    features = found.model.model.features_of(found.problem.frame)
    plane, _ = plane_of(features, found.target.values)
    rng = np.random.default_rng(0)
    for i, j in zip(rng.integers(0, len(ground.y), 40), rng.integers(0, len(ground.x), 40), strict=True):
        point = features.mean(axis=0) + plane @ [ground.x[j], ground.y[i]]
        wanted = found.model.model.learner_.predict(point[None, :])[0]
        assert ground.names[ground.codes[i, j]] == str(wanted)
    assert len(np.unique(ground.codes)) == len(found.target.classes)


def test_the_plane_of_three_classes_solves_the_eigenproblem():
    """B w = l W w, with 1 % of W shrunk to its mean variance: the first direction, and the span of both."""
    found = many_classes()
    X, y = found.model.model.features_of(found.problem.frame), found.target.values
    plane, names = plane_of(X, y)
    assert names == ("first discriminant", "second discriminant")
    means = np.array([X[y == label].mean(axis=0) for label in y])
    W, B = ((X - means).T @ (X - means) / len(X), np.cov(means.T, bias=True))
    W = 0.99 * W + 0.01 * np.trace(W) / len(W) * np.eye(len(W))
    directions = eigh(B, W)[1][:, :-3:-1]
    assert plane.T @ plane == pytest.approx(np.eye(2), abs=1e-12)
    assert np.abs(plane[:, 0] @ directions[:, 0]) == pytest.approx(np.linalg.norm(directions[:, 0]), rel=1e-9)
    assert plane @ (plane.T @ directions) == pytest.approx(directions, rel=1e-6, abs=1e-8)


def test_two_classes_leave_the_first_component_of_the_rest():
    found = two_classes()
    features = found.model.model.features_of(found.problem.frame)
    plane, _ = plane_of(features, found.target.values)
    centred = features - features.mean(axis=0)
    rest = centred - np.outer(centred @ plane[:, 0], plane[:, 0])
    component = np.linalg.svd(rest, full_matrices=False)[2][0]
    assert np.abs(component @ plane[:, 1]) == pytest.approx(1.0, abs=1e-9)
    assert (plane[np.abs(plane).argmax(axis=0), [0, 1]] > 0).all()  # a picture that does not depend on a sign


@pytest.mark.filterwarnings("ignore:the classes do not vary")
def test_where_nothing_varies_within_a_class_components_are_taken():
    X, y = np.repeat([[0.0, 5.0, 5.0], [1.0, 1.0, 1.0], [2.0, 2.0, 9.0]], 20, axis=0), np.repeat([0, 1, 2], 20)
    plane, names = plane_of(X, y)
    assert names == ("first component", "second component")
    wanted = np.linalg.svd(X - X.mean(axis=0))[2][:2].T
    assert plane @ plane.T == pytest.approx(wanted @ wanted.T, abs=1e-9)


def test_dots_are_rows_and_errors_are_marked():
    found = many_classes()
    evidence = evidence_of(found)
    *dots, wrong = items(regions(evidence), Points)
    assert [dot.label for dot in dots] == [str(label) for label in found.target.classes]
    assert sum(len(dot.x) for dot in dots) == len(found.target.values)
    assert len(wrong.x) == np.sum(evidence.chosen.labels != evidence.truth)
    section = regions(evidence)
    assert "not the model" in section.blocks[0].caption and "150 of 150 rows" in section.blocks[0].caption


def test_points_are_capped_and_it_is_said():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2000, 2))
    table = pa.table({"a": x[:, 0], "b": x[:, 1], "y": np.where(x[:, 0] > 0, "p", "n")})
    section = regions(evidence_of(train(table, "y", models="lda", cv="2", row_hashes=False)))
    dots = [dot for dot in items(section, Points) if not dot.small]
    assert sum(len(dot.x) for dot in dots) == 800 and "800 of 2,000 rows" in section.blocks[0].caption


def test_of_many_classes_the_frequent_ones_have_a_colour():
    rng = np.random.default_rng(0)
    labels = np.array([f"c{k}" for k in np.repeat(np.arange(9), [30, 30, 30, 30, 30, 30, 9, 9, 9])])
    X = rng.normal(size=(len(labels), 3)) + 4 * rng.normal(size=(9, 3))[np.repeat(np.arange(9), [30] * 6 + [9] * 3)]
    table = pa.table({f"x{j}": X[:, j] for j in range(3)} | {"y": labels})
    section = regions(evidence_of(train(table, "y", models="lda", cv="2")))
    (ground,) = items(section, Regions)
    assert ground.names == ("c0", "c1", "c2", "c3", "c4", "c5", OTHERS) and ground.colors[-1] == "quiet"
    assert "6 most frequent of 9 classes" in section.blocks[0].caption


def test_one_feature_is_drawn_as_its_score():
    rng = np.random.default_rng(1)
    x = rng.normal(size=80)
    table = pa.table({"x": x, "y": np.where(x + rng.normal(size=80) > 0, "p", "n")})
    found = train(table, "y", models="lda", cv="2")
    section = regions(evidence_of(found))
    score, level = items(section, Line)
    wanted = found.model.model.learner_.predict_proba(score.x[:, None])[:, 1]
    assert score.y == pytest.approx(wanted) and level.y.tolist() == [0.5, 0.5]
    assert sum(len(dot.x) for dot in items(section, Points)) == 80
    three = sl.evaluate(sl.GaussianNB(), pa.table({"x": x, "y": np.digitize(x, [-0.5, 0.5])}), "y", cv=2)
    assert [line.label for line in items(regions(three.evidence), Line)] == ["0", "1", "2"]


def test_where_there_is_nothing_to_draw_the_reason_is_given():
    rng = np.random.default_rng(0)
    words = {"w": rng.choice(list("abc"), 90), "v": rng.choice(list("de"), 90), "y": rng.choice(["n", "p"], 90)}
    (block,) = regions(evidence_of(train(pa.table(words), "y", models="lda", cv="2"))).blocks
    assert isinstance(block, Prose) and "no column is a number" in block.text
    wide = pa.table({f"x{j}": rng.normal(size=60) for j in range(201)} | {"y": rng.choice(["n", "p"], 60)})
    (block,) = regions(evidence_of(train(wide, "y", models="naive_bayes", cv="2"))).blocks
    assert "201 features" in block.text
    assert regions(evidence_of(numbers())) is None and regions(evidence_of(mixed())) is None
