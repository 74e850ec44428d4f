"""Statistics as arrays and JSON: to the bit, with their own format number, and refused where they cannot be true."""

import inspect
import json
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sumlearn as sl
from sumlearn import evaluation, statistics
from sumlearn.data.schema import Column, Schema
from sumlearn.evaluation import BinnedRoc, Confusion
from sumlearn.features.table.sums import TableSums
from sumlearn.learners.concepts import Attributes, VersionSpace
from sumlearn.learners.linear.parts.polynomial_sums import PolynomialSums
from sumlearn.saving.fields import FORMAT, from_fields, to_fields
from sumlearn.saving.soundness import CHECKS
from sumlearn.statistics import (
    ClassTotals,
    Counts,
    ExactMoments,
    Expansion,
    Grouped,
    Ledger,
    LevelCounts,
    Moments,
    Pooled,
    RowSample,
    Statistic,
    Strips,
    Total,
    Words,
)

rng = np.random.default_rng(0)
X = rng.standard_normal((20, 3))
names = np.array(["a", "b"])[(X[:, 0] > 0).astype(int)]

EXAMPLES = {
    "full moments": Moments.of(X),
    "moments with a target": Moments.of(X[:, :2], X[:, 2], rng.random(20)),
    "diagonal moments": Moments.of(X, form="diagonal"),
    "moments of no rows": Moments.empty(3),
    "moments far out": Moments.of(X * 1e180 + 1e200),
    "decayed": Moments.of(X).decay(0.3),
    "exact moments": ExactMoments.of(X, rng.random(20), rng.random(20)),
    "exact diagonal moments": ExactMoments.of(X * 1e-300 + 1e300, form="diagonal"),
    "exact moments of no rows": ExactMoments.of(X[:0]),
    "grouped exact moments": Grouped.of(X, names, exact=True),
    "grouped by text": Grouped.of(X, names),
    "grouped by numbers": Grouped.of(X, (X[:, 0] > 0) + 2**40),
    "grouped by truth values": Grouped.of(X, X[:, 0] > 0, form="diagonal"),
    "grouped by floats": Grouped.of(X, np.where(X[:, 0] > 0, 0.5, -np.inf)),
    "nothing grouped": Grouped({}),
    "grouped by nothing": Grouped({None: Moments.of(X)}),
    "pooled": Pooled.of(X, names),
    "counts": Counts.of(names, X[:, 0] > 0, [1, 2] * 10),
    "counts of levels": LevelCounts.of(X > 0, names),
    "totals of classes": ClassTotals.of(np.abs(X), names),
    "version space": VersionSpace.of(
        Attributes(("size", "wet"), (("low", "mid", "high", "top"), ("no", "yes")), (True, False)),
        [("low", "yes"), ("high", "yes")],
        [("low", "no")],
        [False, True],
        [True],
    ),
    "rows of a concept": sl.BayesOptimalClassifier()
    .fit(pd.DataFrame({"sky": ["clear", "grey", "clear"], "wet": [True, False, False]}), [True, False, True])
    .statistic_,
    "counts of pairs in bins": LevelCounts.of(X, names, form="pairs", edges=np.array([[0.0, 1.0]] * 3)),
    "strips": Strips.of(np.tile(X, 12), X[:, 0]),
    "ledger": Ledger.of(X, names),
    "row sample": RowSample.of(X, size=7),
    "numbered row sample": RowSample.numbered(range(20), X[:, :2], X[:, 2], np.arange(20.0), size=7),
    "total": Total(np.array([1.5, np.inf]), 2.0, 2),
    "expansion": Expansion(1.0, X[0], X[:3], -np.inf, 2.0, 2),
    "polynomial sums": PolynomialSums.of(X, names, degree=2),
    "polynomial sums of products": PolynomialSums.of(X, names, degree=5, interactions="only"),
    "table sums with ordered levels": TableSums(
        Schema((Column("a", "ordered", order=("low", "high")),)), (("a", "=low"), ("a", "=high")), Moments.of(X[:, :2])
    ),
    "table sums": sl.TableModel().fit(pd.DataFrame({"a": X[:, 0], "b": names}), X[:, 1]).statistic_,
    "confusion": Confusion.of(names, names[::-1], labels=["a", "b", "c"]),
    "binned roc": BinnedRoc.of(names, X[:, 1], grid=[-1.0, 0.0, 1.0], positive="b"),
}


def again(statistic):
    fields, run = to_fields(statistic)
    return from_fields(json.loads(json.dumps(fields, allow_nan=False)), run)


def same(a, b):
    if isinstance(a, np.ndarray | np.generic):
        return type(a) is type(b) and a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(a, Statistic):
        return type(a) is type(b) and all(same(getattr(a, n), getattr(b, n)) for n in a.__dataclass_fields__)
    if isinstance(a, tuple | list):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if hasattr(a, "items"):
        return same(list(a.items()), list(b.items()))
    return type(a) is type(b) and (a == b or (a != a and b != b))


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_statistic_comes_back_to_the_bit(name):
    assert same(EXAMPLES[name], again(EXAMPLES[name]))


def test_every_public_statistic_has_an_example_and_a_check():
    public = [getattr(module, name) for module in (statistics, evaluation) for name in module.__all__]
    kinds = {k for k in public if inspect.isclass(k) and issubclass(k, Statistic) and not inspect.isabstract(k)}
    assert kinds <= {type(example) for example in EXAMPLES.values()}
    assert {kind.__name__ for kind in kinds} <= {name.rpartition(".")[2] for name in CHECKS}


@settings(max_examples=40, deadline=None)
@given(
    labels=st.one_of(
        st.lists(st.text(max_size=5), unique=True, max_size=4),
        st.lists(st.integers(), unique=True, max_size=4),
        st.lists(st.floats(allow_nan=False), unique=True, max_size=4),
        st.just([None]),
        st.just([False, True]),
    ),
    number=st.floats(),
)
def test_labels_and_numbers_of_any_kind(labels, number):
    part = Total(np.array([number]), 1.0, 1)
    found = again(Grouped(dict.fromkeys(labels, part)))
    assert same(found, Grouped(dict.fromkeys(labels, part)))


def test_order_of_an_array_is_kept():
    values = np.asfortranarray(X)
    assert again(Total(values, 1.0, 1)).values.flags.fnc and again(Total(X, 1.0, 1)).values.flags.c_contiguous


def test_numbers_are_little_endian():
    fields, run = to_fields(Total(np.array([1.0]).astype(">f8"), 1.0, 1))
    assert fields["sum"]["statistic"][1]["values"] == {"array": ["<f8", [1], "C"]} and run == bytes([0] * 6 + [240, 63])


@pytest.mark.filterwarnings("ignore:the smallest group")
def test_a_statistic_is_saved_by_itself(tmp_path):
    for example in EXAMPLES.values():
        sl.save(example, tmp_path / "sum.sumlearn")
        assert same(sl.load(tmp_path / "sum.sumlearn"), example)


def field(name, value):
    def change(fields):
        fields["sum"]["statistic"][1][name] = value

    return change


def array(shape, dtype="<f8", order="C"):
    return {"array": [dtype, shape, order]}


def words(shape):
    return {"words": [array(shape), array(shape)]}


BAD = {
    "negative shape": field("rounding", array([-3])),
    "huge shape": field("rounding", array([2**60])),
    "shape that overflows": field("rounding", array([2**40, 2**40])),
    "shape of fractions": field("rounding", array([1.5])),
    "shape of truth values": field("rounding", array([True])),
    "too many dimensions": field("rounding", array([1] * 40)),
    "objects": field("rounding", array([3], "|O")),
    "dtype that is no text": field("rounding", array([3], ["<f8"])),
    "no order": field("rounding", array([3], order="A")),
    "array in the wrong shape": field("centre", words([2])),
    "words of different lengths": field("centre", {"words": [array([6]), array([0])]}),
    "spread in the wrong shape": field("spread", words([3, 1])),
    "integers for floats": field("rounding", array([3], "<i8")),
    "negative count": field("count", -1),
    "count that is a float": field("count", 3.0),
    "more targets than columns": field("targets", 9),
    "unknown tag": field("count", {"pickle": "gASV"}),
    "two tags": field("count", {"list": [], "tuple": []}),
    "a bare list": field("count", [1]),
    "odd float": field("count", {"float": "1.0"}),
    "no statistic": lambda fields: fields.update(sum=3),
    "another class": lambda fields: fields["sum"].update(statistic=["statistics.Words", {}]),
    "an unknown class": lambda fields: fields["sum"].update(statistic=["os.system", {"command": "x"}]),
    "a hidden class": lambda fields: fields["sum"].update(statistic=["..os.system", {}]),
    "fewer fields": lambda fields: fields["sum"]["statistic"][1].pop("count"),
    "more fields": field("evil", 1),
    "no format": lambda fields: fields.pop("format"),
    "format zero": lambda fields: fields.update(format=0),
}


REFUSAL = "|".join([
    "is no shape of an array$", r"^an array of shape .* needs \d+ bytes, \d+ are left$", "^arrays of .* are not read$",
    r"^the fields of a statistics\.Moments do not fit together, or are no sums of rows$",
    "^a field of a statistic is ", "is no float$",
    r"^a statistics\.Moments has the fields ", "is no statistic$", "is not known to this version of sumlearn$",
    "^a statistic has no format number$", "^there is no format 0 of statistics$", r"take \d+ bytes, \d+ are there$",
])  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_is_refused(name):
    fields, run = to_fields(EXAMPLES["full moments"])
    BAD[name](fields)
    with pytest.raises(ValueError, match=REFUSAL):
        from_fields(fields, run)


def moments_with(**changed):
    """Moments whose numbers are others."""
    return replace(Moments.of(X), **changed)


def spread_with(value, *places):
    spread = Moments.of(X).spread.hi.copy()
    for place in places:
        spread[place] = value
    return Words(spread, np.zeros((3, 3)))


NO_SUMS = {
    "NaN as a mean": moments_with(centre=Words(np.array([0.0, np.nan, 0.0]), np.zeros(3))),
    "NaN in the lower word": moments_with(centre=Words(np.zeros(3), np.array([0.0, np.nan, 0.0]))),
    "a lower word that is none": moments_with(centre=Words(np.ones(3), np.array([0.0, 1e300, 0.0]))),
    "an asymmetric lower word": moments_with(
        spread=Words(Moments.of(X).spread.hi, np.triu(Moments.of(X).spread.hi, 1))
    ),
    "a weight by its lower word": moments_with(total=Words(20.0, -60.0)),
    "infinite scatter": moments_with(spread=spread_with(np.inf, (0, 1), (1, 0))),
    "NaN as a scatter": moments_with(spread=spread_with(np.nan, (2, 2))),
    "negative variance": moments_with(spread=spread_with(-1.0, (1, 1))),
    "asymmetric": moments_with(spread=spread_with(3.0, (0, 1))),
    "a correlation above one": moments_with(spread=spread_with(500.0, (0, 1), (1, 0))),
    "correlations that contradict each other": moments_with(
        spread=Words(np.array([[1.0, 0.9, -0.9], [0.9, 1.0, 0.9], [-0.9, 0.9, 1.0]]), np.zeros((3, 3)))
    ),
    "negative weight": moments_with(total=Words(-20.0, 0.0)),
    "infinite weight": moments_with(total=Words(np.inf, 0.0)),
    "weight that is none": moments_with(total=Words(np.nan, 0.0)),
    "negative bound": moments_with(rounding=np.array([0.0, -1.0, 0.0])),
    "infinite bound": moments_with(rounding=np.full(3, np.inf)),
    "absurd exponents": moments_with(exponent=np.array([0, 10**9, 0])),
    "smallest exponents": moments_with(exponent=np.array([0, -(2**63), 0])),
    "negative diagonal": replace(Moments.of(X, form="diagonal"), spread=Words(-np.ones(3), np.zeros(3))),
    "inside a group": Grouped({"a": moments_with(total=Words(-1.0, 0.0))}),
    "negative counts": Counts((("a", "b"),), np.array([3.0, -1.0]), 2),
    "counts that are none": Counts((("a", "b"),), np.array([3.0, np.nan]), 2),
    "pairs that are not symmetric": replace(
        EXAMPLES["counts of pairs in bins"], pairs=np.triu(EXAMPLES["counts of pairs in bins"].pairs)
    ),
    "negative table": replace(EXAMPLES["counts of levels"], table=-EXAMPLES["counts of levels"].table),
    "a total of negative weight": Total(np.zeros(1), -1.0, 1),
}


@pytest.mark.parametrize("name", NO_SUMS)
def test_sums_that_are_none_are_refused(name):
    with pytest.raises(ValueError, match="no sums of rows"):
        again(NO_SUMS[name])


def test_numbers_that_json_has_no_word_for():
    """NaN and Infinity as bare words, which Python's reader takes."""
    fields, run = to_fields(Moments.of(X))
    for value in ("NaN", "Infinity", "-1.0"):
        text = json.dumps(fields).replace('"total": {"words": [20.0, 0.0]}', f'"total": {{"words": [{value}, 0.0]}}')
        assert text != json.dumps(fields)
        with pytest.raises(ValueError, match="no sums of rows"):
            from_fields(json.loads(text), run)


@pytest.mark.parametrize("seed", range(6))
def test_sums_with_a_history_are_sums(seed):
    """Rows far apart, offsets, removals, decays and merges leave what is taken for a sum."""
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((60, 5)) * 10.0 ** rng.integers(-6, 6, 5) + 10.0 ** rng.integers(0, 9)
    rows[:, 4] = rows[:, 3] * 2 + rows[:, 2]
    rows[:, 1] = 7.0
    whole = Moments.of(rows[:30]).decay(0.9) + Moments.of(rows[30:], weight=rng.random(30))
    assert same(again(whole), whole)
    for all_rows, gone in ((whole, Moments.of(rows[:20]).decay(0.9)), (Moments.of(rows), Moments.of(rows[:58]))):
        try:
            part = all_rows - gone
        except ValueError as error:  # of two rows that are left, columns far from zero may have too few digits
            assert "fewer than 3 digits" in str(error)
        else:
            assert same(again(part), part)


def test_more_or_fewer_numbers_than_said():
    fields, run = to_fields(EXAMPLES["full moments"])
    with pytest.raises(ValueError, match=f"take {len(run)} bytes, {len(run) + 8} are there"):
        from_fields(fields, run + bytes(8))
    with pytest.raises(ValueError, match="needs .* bytes"):
        from_fields(fields, run[:-8])


@pytest.mark.parametrize(
    "name",
    ["pooled", "counts", "ledger", "total", "expansion", "polynomial sums", "table sums", "confusion", "binned roc"],
)
def test_fields_that_do_not_fit_together(name):
    """Every field in turn is replaced by a number that cannot be its value."""
    for changed in EXAMPLES[name].__dataclass_fields__:
        if changed in ("positive", "labels"):
            continue
        fields, run = to_fields(EXAMPLES[name])
        field(changed, -1)(fields)
        with pytest.raises(ValueError, match="do not fit together"):
            from_fields(fields, run)


def test_groups_of_different_sums():
    mixed = Grouped({"a": Moments.of(X), "b": Moments.of(X[:, :2])})
    fields, run = to_fields(mixed)
    with pytest.raises(ValueError, match="Grouped do not fit together"):
        from_fields(fields, run)


@pytest.mark.parametrize("degree", [3, 10**9])
def test_monomials_that_are_not_there(degree):
    fields, run = to_fields(EXAMPLES["polynomial sums"])
    field("degree", degree)(fields)
    with pytest.raises(ValueError, match="PolynomialSums do not fit together"):
        from_fields(fields, run)


def test_a_newer_format_is_named():
    fields, run = to_fields(EXAMPLES["total"])
    fields["format"] = FORMAT + 1
    with pytest.raises(ValueError, match=f"newer sumlearn: format {FORMAT + 1}, this version reads up to {FORMAT}"):
        from_fields(fields, run)


def test_what_cannot_be_written():
    for values in (np.array(["a"], dtype=object), np.array(["a"]), np.array([1j])):
        with pytest.raises(ValueError, match="cannot be saved"):
            to_fields(Total(values, 1.0, 1))
    with pytest.raises(ValueError, match="a complex in a statistic"):
        to_fields(Total(np.ones(1), 1j, 1))
    assert math.isnan(again(Total(np.ones(1), float("nan"), 1)).total)
