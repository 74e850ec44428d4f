"""Trainings for the tests of the report: small, of every kind, some with names that would like to be scripts."""

from functools import cache

import numpy as np
import pyarrow as pa

from sumlearn.product import train

HOSTILE = '<img src=x onerror="window.hacked=1">'
BREAKOUT = "</script><script>window.hacked=1</script><!-- \u2028"


@cache
def two_classes():
    return train("pima2", models="lda,logistic", cv="3")


@cache
def many_classes():
    return train("iris", models="lda,qda", cv="3")


@cache
def numbers():
    return train("diabetes", models="linear,ridge", cv="3")


def mixed_table(n=240, seed=0):
    """Numbers with gaps, a category, a boolean and an identifier; the target is a number."""
    rng = np.random.default_rng(seed)
    size, age, city = rng.normal(50, 10, n), rng.normal(40, 12, n), rng.choice(["Rome", "Oslo", "Bonn"], n)
    new = rng.random(n) < 0.4
    rent = 0.3 * size - 0.1 * age + 5.0 * (city == "Oslo") + 2.0 * new + rng.normal(0, 2, n)
    gaps = rng.random(n) < 0.15
    return pa.table(
        {
            "key": [f"k{i}" for i in range(n)],
            "size": pa.array(size, mask=gaps),
            "age": age,
            "city": city,
            "new": new,
            "rent": rent,
        }
    )


@cache
def mixed():
    return train(mixed_table(), "rent", models="ridge,linear", ids=["key"], cv="3")


def hostile_table(n=360, seed=1):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return pa.table(
        {
            HOSTILE: x,
            BREAKOUT: rng.choice([HOSTILE, "plain", BREAKOUT], n),
            "javascript:alert(1)": rng.normal(size=n),
            "<b>id</b>": [f"{HOSTILE}{i}" for i in range(n)],
            "<u>target</u>": np.where(x + rng.normal(size=n) > 0, BREAKOUT, HOSTILE),
        }
    )


@cache
def hostile():
    return train(hostile_table(), "<u>target</u>", models="lda,naive_bayes", ids=["<b>id</b>"], cv="3")


@cache
def searched():
    """Columns chosen by a floating search, within the splits and on all rows."""
    return train("pima2", models="lda", features="sffs", cv="3")


@cache
def hostile_search():
    return train(hostile_table(), "<u>target</u>", models="lda", features="sfs", drop=["<b>id</b>"], cv="3")


@cache
def hostile_numbers():
    table = hostile_table().drop_columns(["<u>target</u>", "<b>id</b>"])
    noise = np.random.default_rng(2).normal(size=table.num_rows)
    target = 2 * table[HOSTILE].to_numpy() + noise
    return train(table.append_column(BREAKOUT + "y", pa.array(target)), BREAKOUT + "y", models="linear,ridge", cv="3")


TRAININGS = {
    "two": two_classes,
    "many": many_classes,
    "numbers": numbers,
    "mixed": mixed,
    "hostile": hostile,
    "searched": searched,
    "hostile-search": hostile_search,
    "hostile-numbers": hostile_numbers,
}
