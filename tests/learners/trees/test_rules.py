"""Rules say what their tree says; simplified ones say less, nearly as well. And drawings."""

import itertools
import re
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import sumlearn as sl
from sumlearn import DecisionTreeClassifier, DecisionTreeRegressor, RuleList
from sumlearn.data import load_example

IRIS = load_example("iris")


def mixed(seed, rows=300, gaps=0.1):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({
        "size": rng.standard_normal(rows), "city": rng.choice(["Oslo", "Rome", "Bern", "Kiel"], rows),
        "age": rng.integers(20, 60, rows).astype(float)})  # fmt: skip
    inside = (frame["size"] > 0) & frame["city"].isin(["Oslo", "Bern"])
    y = np.where(inside, "in", np.where(frame["age"] > 40, "out", "at"))
    y = np.where(rng.random(rows) < 0.1, rng.choice(["in", "out", "at"], rows), y)
    return frame.mask(rng.random(frame.shape) < gaps), y


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "options",
    [{}, {"max_depth": 4}, {"split": "multiway", "criterion": "entropy"}, {"costs": [[0, 9, 9], [1, 0, 1], [1, 1, 0]]},
     {"pruning": "error_based", "criterion": "gain_ratio", "split": "multiway"}],
)  # fmt: skip
def test_rules_of_leaves_predict_as_their_tree(options, seed):
    X, y = mixed(seed)
    model = DecisionTreeClassifier(**options).fit(X[:200], y[:200])
    rules = model.rules()
    assert len(rules.rules_) == model.get_n_leaves()
    np.testing.assert_array_equal(rules.predict(X), model.predict(X))
    np.testing.assert_allclose(rules.predict_proba(X), model.predict_proba(X))


def test_rules_of_fractions_predict_as_their_tree_where_nothing_is_missing():
    X, y = mixed(5, gaps=0.0)
    model = DecisionTreeClassifier(split="multiway", criterion="gain_ratio", missing="fractions").fit(X, y)
    np.testing.assert_array_equal(model.rules().predict(X), model.predict(X))


def test_simplified_rules_are_fewer_and_as_good():
    X, y = mixed(1, rows=900)
    grown = DecisionTreeClassifier(min_samples_leaf=2).fit(X[:600], y[:600])
    rules = grown.rules(X[:600], y[:600])
    assert len(rules.rules_) < 0.6 * grown.get_n_leaves()
    assert rules.score(X[600:], y[600:]) > grown.score(X[600:], y[600:]) - 0.02
    fitted = RuleList(DecisionTreeClassifier(min_samples_leaf=2)).fit(X[:600], y[:600])
    assert fitted.text() == rules.text() and (fitted.predict(X) == rules.predict(X)).all()


def test_conditions_go_that_do_not_help():
    """y is x0 > 0; a tree that asked about x1 first has the condition in both rules, and they lose it."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 2))
    model = RuleList().fit(X, X[:, 0] > 0)
    assert [[one.feature for one in rule.conditions] for rule in model.rules_] == [[0]]


def test_text_tells_weights_and_errors():
    text = DecisionTreeClassifier(max_depth=2).fit(IRIS.X, IRIS.y).text().splitlines()
    assert text == [
        "x2 <= 2.45: setosa (50)", "x2 > 2.45", "|   x3 <= 1.75: versicolor (54/5)", "|   x3 > 1.75: virginica (46/1)",
    ]  # fmt: skip
    shorter = DecisionTreeClassifier().fit(IRIS.X, IRIS.y).text(max_depth=2).splitlines()
    assert len(shorter) == 4 and shorter[-1].endswith("...")
    assert DecisionTreeRegressor().fit([[0.0], [1.0]], [2.0, 2.0]).text() == "2 (2)"


def test_names_are_escaped_in_pictures():
    frame = pd.DataFrame({"<script>alert(1)</script>": [1.0, 2.0, 3.0, 4.0], "a&b": ["<x>", "y", "<x>", "y"]})
    for y in (["p<", "p<", 'q"', 'q"'], ["p<", 'q"', "p<", 'q"']):
        picture = DecisionTreeClassifier().fit(frame, y).svg()
        assert "<script" not in picture and "<x>" not in picture
        drawn = ElementTree.fromstring(picture)
        words = " ".join("".join(t.itertext()) for t in drawn.iter("{http://www.w3.org/2000/svg}text"))
        assert "p<" in words and 'q"' in words


@pytest.mark.parametrize("seed", range(3))
def test_boxes_of_a_picture_do_not_overlap(seed):
    X, y = mixed(seed)
    picture = DecisionTreeClassifier(max_depth=5).fit(X, y).svg()
    pattern = r'<rect x="([\d.-]+)" y="([\d.-]+)" width="([\d.-]+)"'
    boxes = sorted((float(y), float(x), float(x) + float(w)) for x, y, w in re.findall(pattern, picture))
    assert len(boxes) > 15
    for (top, _, right), (below, left, _) in itertools.pairwise(boxes):
        assert top != below or left >= right - 0.2
    assert min(left for _, left, _ in boxes) >= 0
    assert DecisionTreeClassifier(max_depth=5).fit(X, y).svg(max_depth=1).count("<rect") == 3


def test_rules_are_saved(tmp_path):
    X, y = mixed(2)
    for model in (DecisionTreeClassifier(max_depth=4).fit(X, y).rules(), RuleList().fit(X, y)):
        sl.save(model, tmp_path / "rules.sumlearn")
        again = sl.load(tmp_path / "rules.sumlearn")
        assert again.text() == model.text() and (again.predict(X) == model.predict(X)).all()


def test_bad_parameters():
    with pytest.raises(ValueError, match="confidence must lie between 0 and 1"):
        RuleList(confidence=0).fit(IRIS.X, IRIS.y)
    with pytest.raises(TypeError, match="tree must be a DecisionTreeClassifier"):
        RuleList(tree=DecisionTreeRegressor()).fit(IRIS.X, IRIS.y)
