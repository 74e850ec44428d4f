"""What a source knows of its target: kind, columns, order, and whether it is partly known."""

import numpy as np
import pandas as pd
import pytest

from sumlearn.data import open_source
from sumlearn.data.collections import DaskSource
from sumlearn.data.files import FileSource
from sumlearn.data.mapped import mapped
from sumlearn.data.mixed_sources import open_mixed
from sumlearn.data.target import Target, is_labelled, partly_labelled
from sumlearn.features import Polynomial

dd = pytest.importorskip("dask.dataframe")
pl = pytest.importorskip("polars")

FRAME = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "y": ["x", None, "z", "x"]})
PARTLY = Target("label", partly=True)


def test_words_and_targets_mean_the_same():
    assert Target.named("label") == Target("label") == Target.named(Target("label"))
    assert Target.named(None).kind is None
    with pytest.raises(ValueError, match="a target is one of 'number', 'label', 'ordered', None, got 'class'"):
        Target("class")


def test_columns_of_y_are_counted():
    X = np.zeros((3, 2))
    for y, single, columns in ((None, True, 1), (np.zeros(3), True, 1), (np.zeros((3, 1)), False, 1)):
        source = open_source(X, y).known_as(Target("number"))
        assert (source.single_target, source.targets, source.target.kind) == (single, columns, "number")
    two = open_source(X, np.zeros((3, 2)))
    assert (two.single_target, two.targets) == (False, 2)
    assert mapped(two, Polynomial(2).fit(X)).target == two.target


def test_an_order_is_asked_of_labels_alone():
    y = pd.Series(pd.Categorical([1, 2], categories=[2, 1], ordered=True))
    assert Target("label").of(y).levels == (2, 1)
    assert Target("number").of(y).levels is None
    assert Target("label").of(pl.Series(["a"], dtype=pl.Categorical)).levels is None
    assert Target("label").of(pl.Series(["a"], dtype=pl.Enum(["b", "a"]))).levels == ("b", "a")


def test_a_partly_known_target_is_carried(tmp_path):
    FRAME.to_parquet(tmp_path / "t.parquet")
    FRAME.to_csv(tmp_path / "t.csv", index=False)
    blocks = dd.from_pandas(FRAME, npartitions=2)
    sources = [open_mixed(given, "y", target=PARTLY) for given in (FRAME, pl.from_pandas(FRAME), blocks)]
    sources += [open_mixed(tmp_path / name, "y", target=PARTLY) for name in ("t.csv", "t.parquet")]
    sources += [FileSource(tmp_path / "t.csv", "y", PARTLY, None, None), DaskSource(blocks, "y", None, PARTLY)]
    for source in sources:
        assert source.target.partly and source.target.kind == "label"
        y = source.number().y if hasattr(source, "number") else source.y
        assert is_labelled(y).tolist() == [True, False, True, True]
        assert y[is_labelled(y)].tolist() == ["x", "z", "x"]


def test_a_missing_label_is_refused_where_all_are_asked_for(tmp_path):
    FRAME.to_csv(tmp_path / "t.csv", index=False)
    for given in (FRAME, tmp_path / "t.csv", dd.from_pandas(FRAME, npartitions=1)):
        with pytest.raises(ValueError, match="Input y contains NaN"):
            source = open_mixed(given, "y", target="label")
            source.number() if hasattr(source, "number") else None


def test_signs_of_a_missing_label():
    assert is_labelled(np.array([0.0, -1.0, np.nan, 2.0])).tolist() == [True, False, False, True]
    assert is_labelled(np.array(["a", "-1"])).tolist() == [True, True]
    assert is_labelled(np.array(["a", None, np.nan, pd.NA, -1], dtype=object)).tolist() == [True, *[False] * 4]


def test_partly_known_labels_have_one_spelling():
    for given, expected in (
        ([1, None, 0], [1, -1, 0]),
        ([1.0, np.nan, 0.0], [1.0, -1.0, 0.0]),
        (["a", None, np.nan, pd.NA, -1, "-1"], ["a", None, None, None, None, "-1"]),
        ([True, None], [True, None]),
        ([None, None], [None, None]),
    ):
        found = partly_labelled(np.array(given, dtype=object))
        assert found.tolist() == expected and (found.dtype.kind == "O") == (None in expected)
    assert partly_labelled(np.array([0.0, np.nan, -1.0])).tolist() == [0.0, -1.0, -1.0]
    assert partly_labelled(np.array(["a", "b"])).tolist() == ["a", "b"]
    for wrong, words in (
        (np.array(["a", "-1"]), "y is an array of text and holds '-1' in row 1"),
        (np.array([0.5, 1.0]), "continuous.*row 0 holds 0.5"),
        (np.array([0.0, np.inf]), "infinity: first at row 1"),
        (np.array(["a", None, 3], dtype=object), "labels of different kinds: 'a' in row 0 and 3 in row 2"),
    ):
        with pytest.raises(ValueError, match=words):
            partly_labelled(wrong)


def test_partly_known_labels_of_files_are_checked(tmp_path):
    pd.DataFrame({"a": [1.0, 2.0, 3.0], "y": ["x", "-1", "z"]}).to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(ValueError, match="holds '-1' in row"):
        list(FileSource(tmp_path / "t.csv", "y", PARTLY, None, None).chunks())
