"""The ledger of rows is a multiset that knows what it holds."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sumlearn.product import train
from sumlearn.product.problems import DataProblem
from sumlearn.product.row_ledger import MOST_ROWS, LedgerPart, RowLedger, row_words
from sumlearn.product.tables import as_table

CELLS = st.tuples(st.sampled_from([0.0, -0.0, 1.0, 2.5, float("nan")]), st.sampled_from(["a", "b", "", None]))


def words(rows):
    table = row_words([np.array([r[0] for r in rows], float), np.array([r[1] for r in rows], dtype=object)])
    return lambda columns: table


def key(row):
    return ("nan" if row[0] != row[0] else row[0] + 0.0, row[1])


@given(learnt=st.lists(CELLS, min_size=1, max_size=30), asked=st.lists(CELLS, min_size=1, max_size=10))
def test_it_gives_back_what_it_was_given_and_nothing_else(learnt, asked):
    """Against a plain list: every row may be taken as often as it was given."""
    left = [key(row) for row in learnt]
    strangers = []
    for number, row in enumerate(asked):
        if key(row) in left:
            left.remove(key(row))
        else:
            strangers.append(number)
    ledger = RowLedger.empty(["x", "w"]).added(words(learnt))
    if strangers:
        with pytest.raises(DataProblem, match=f"never learnt rows? {strangers[0]}"):
            ledger.removed(words(asked))
    else:
        assert ledger.removed(words(asked)).count == len(left)


def test_merged_ledgers_keep_both_salts():
    a, b = [(1.0, "a"), (2.0, "b")], [(1.0, "a"), (3.0, None)]
    both = RowLedger.empty(["x", "w"]).added(words(a)).joined(RowLedger.empty(["x", "w"]).added(words(b)))
    assert len({part.salt for part in both.parts}) == 2
    assert both.removed(words([(3.0, None), (1.0, "a"), (1.0, "a")])).count == 1
    with pytest.raises(DataProblem, match="never learnt row 2"):
        both.removed(words([(1.0, "a")] * 3))


def test_a_missing_word_is_not_an_empty_one():
    ledger = RowLedger.empty(["x", "w"]).added(words([(1.0, None)]))
    with pytest.raises(DataProblem):
        ledger.removed(words([(1.0, "")]))


def test_round_trip_and_limit():
    ledger = RowLedger.empty(["x", "w"]).added(words([(1.0, "a"), (2.0, "b")]))
    again = RowLedger.of_dict(ledger.as_dict())
    assert again.removed(words([(2.0, "b")])).count == 1
    full = RowLedger((LedgerPart("00" * 16, ["x"], np.zeros(MOST_ROWS + 1, np.uint64)),))
    assert full.as_dict() is None


def test_a_row_is_the_same_in_every_format(tmp_path):
    """Also its dates, which are days in one format, moments in another and text in a third."""
    rng = np.random.default_rng(0)
    days = [f"2023-{1 + k // 28:02d}-{1 + k % 28:02d}" for k in range(60)]
    table = pa.table({"x": np.round(rng.normal(size=60), 3), "day": days, "at": [f"{d} 08:30:00" for d in days]})
    table = table.append_column("y", pa.array(np.round(table["x"].to_numpy() * 2 + rng.normal(size=60), 3)))
    pa.csv.write_csv(table, tmp_path / "rows.csv")
    moments = [table[name].cast(pa.timestamp("us")) for name in ("day", "at")]
    pa.parquet.write_table(table.set_column(1, "day", moments[0]).set_column(2, "at", moments[1]), tmp_path / "rows.pq")
    lines = [json.dumps(row | {"day": f"{row['day']}T00:00:00.000"}) for row in table.to_pylist()]
    (tmp_path / "rows.jsonl").write_text("\n".join(lines))
    files = [tmp_path / f"rows.{ending}" for ending in ("csv", "pq", "jsonl")]
    for learnt in files:
        model = train(learnt, "y", models="ridge", cv="2").model
        for asked in files:
            with pytest.raises(DataProblem, match="already"):
                model.update(as_table(str(asked), reading=model.reading(labelled=True)))
            assert model.forget(as_table(str(asked), reading=model.reading(labelled=True))).facts["rows"] == 0
