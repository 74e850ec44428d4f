"""Progress: whoever watches a fit hears of every part, and is let go at the end."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from sumlearn import LinearRegression, Ridge
from sumlearn.data import chunk_rows
from sumlearn.data.files import FileSource

RNG = np.random.default_rng(0)
X = RNG.standard_normal((40_000, 3))
Y = X @ [1.0, 2.0, 3.0]


class Recorder:
    """A callback that writes down what it hears."""

    def __init__(self):
        self.events, self.planned = [], []

    def setup(self, estimator, context):
        self.events.append("setup")
        self.planned.append(context.max_subtasks)

    def on_fit_task_begin(self, estimator, context):
        self.events.append("begin")

    def on_fit_task_end(self, estimator, context):
        self.events.append("end")

    def teardown(self, estimator, context):
        self.events.append("teardown")


def test_every_part_is_heard_of():
    recorder = Recorder()
    model = Ridge().set_callbacks(recorder).fit(X, Y)
    parts = -(-len(X) // chunk_rows(3, Ridge.chunk_factor))
    assert recorder.planned == [parts] and parts > 1
    assert recorder.events[0] == "setup" and recorder.events[-1] == "teardown"
    assert recorder.events.count("begin") == recorder.events.count("end") == parts + 1  # and the whole
    assert np.array_equal(model.coef_, Ridge().fit(X, Y).coef_)


def test_the_watcher_is_let_go_after_an_error():
    recorder = Recorder()
    bad = X.copy()
    bad[30_000, 1] = np.nan
    model = Ridge().set_callbacks(recorder)
    with pytest.raises(ValueError, match="row 30000"):
        model.fit(bad, Y)
    assert recorder.events.count("setup") == recorder.events.count("teardown") == 1
    assert recorder.events[-1] == "teardown"
    assert not hasattr(model, "statistic_")
    assert np.array_equal(model.fit(X, Y).coef_, Ridge().fit(X, Y).coef_)


def test_a_clone_keeps_its_watcher_and_a_search_passes_it_on():
    recorder = Recorder()
    watched = Ridge().set_callbacks(recorder)
    clone(watched).fit(X, Y)
    assert recorder.events.count("setup") == recorder.events.count("teardown") == 1
    search = GridSearchCV(watched, {"alpha": [1.0, 2.0]}, cv=2).fit(X[:100], Y[:100])
    assert search.best_params_["alpha"] == 1.0
    assert recorder.events.count("setup") == recorder.events.count("teardown") == 1 + 2 * 2 + 1  # and the best again


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl", "csv.gz"])
def test_files_say_how_many_parts_to_expect(tmp_path, ending):
    import pandas as pd

    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=Y)
    path = tmp_path / f"table.{ending}"
    if ending == "parquet":
        frame.to_parquet(path)
    elif ending == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_csv(path, index=False)
    source = FileSource(path, "y", "number", None, None)
    expected, found = source.expected_parts(), len(list(source.parts()))
    if ending == "csv.gz":
        assert expected is None
    else:
        assert abs(expected - found) <= 1 and found > 5
    recorder = Recorder()
    LinearRegression().set_callbacks(recorder).fit(path, "y")
    assert recorder.planned == [source.expected_parts(LinearRegression.chunk_factor)]
    parts = -(-len(X) // chunk_rows(3, LinearRegression.chunk_factor))
    assert recorder.events.count("end") == parts + 1  # and the whole
