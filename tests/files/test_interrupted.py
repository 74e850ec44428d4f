"""Files that are cut short, change or vanish, and passes that are broken off: an error, and the model as it was."""

import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import sumlearn
from sumlearn import GaussianNB, LinearRegression
from sumlearn.data.files import FileSource
from sumlearn.data.readers import parquet, reader_of
from sumlearn.data.readers.text import TextReader

from tests.files.tables import (
    SCORE,
    WRITERS,
    X,
    assert_same_fit,
    columns,
    text_file,
    write_arrow,
    write_csv,
    write_parquet,
)

N = 40_000  # five chunks
LONG = {"csv": write_csv, "parquet": lambda f, p: write_parquet(f, p, row_group_size=9_000), "arrow": write_arrow}
each_format = pytest.mark.parametrize("ending", LONG)


@pytest.fixture
def small_batches(monkeypatch):
    """Files are read in many pieces, so that something can happen between them."""
    monkeypatch.setattr(TextReader, "AT_A_TIME", 1 << 16)
    monkeypatch.setattr(parquet, "DECODED", 1)
    monkeypatch.setattr(parquet, "SMALL_GROUP", 0)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    for ending, write in LONG.items():
        write(columns("number", rows=slice(0, N)), folder / f"t.{ending}")
    return folder


@pytest.fixture
def long_file(written, tmp_path):
    """A function that copies a file of that ending, which may then be spoilt."""
    return lambda ending: Path(shutil.copy(written / f"t.{ending}", tmp_path))


def noise(size):
    return np.random.default_rng(0).bytes(size)


# -- C2: cut short ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.0, 1e-5, 0.1, 0.5, 0.9, 0.999, 0.99999])
@pytest.mark.parametrize("name", ["t.parquet", "t.arrow", "t.feather"])
def test_files_cut_short(tmp_path, name, share):
    """The end of these formats says what is in them."""
    whole = tmp_path / "whole"
    WRITERS[f"table{Path(name).suffix}"](columns("number"), whole)
    data = whole.read_bytes()
    (tmp_path / name).write_bytes(data[: int(share * len(data))])
    model = LinearRegression()
    with pytest.raises(ValueError, match=rf"{re.escape(name)}' cannot be read"):
        model.fit(tmp_path / name, "number")
    assert not hasattr(model, "statistic_")


@pytest.mark.parametrize("share", [0.3, 0.9])
def test_damage_inside_parquet(tmp_path, share):
    """The end is whole, a page in the middle is not."""
    frame = columns("number")
    write_parquet(frame, tmp_path / "t.parquet", compression="gzip", use_dictionary=False)
    data = bytearray((tmp_path / "t.parquet").read_bytes())
    at = int(share * len(data))
    data[at : at + 4096] = noise(4096)
    (tmp_path / "t.parquet").write_bytes(bytes(data))
    with pytest.raises(ValueError, match=r"t\.parquet' cannot be read"):
        LinearRegression().fit(tmp_path / "t.parquet", "number")


def test_a_stream_cut_short(tmp_path):
    whole = tmp_path / "whole"
    WRITERS["table.ipc"](columns("number"), whole)
    data = whole.read_bytes()
    for share in (0.01, 0.4, 0.95):
        (tmp_path / "t.ipc").write_bytes(data[: int(share * len(data))])
        with pytest.raises(ValueError, match=r"t\.ipc' cannot be read"):
            LinearRegression().fit(tmp_path / "t.ipc", "number")


@pytest.mark.parametrize("ending", ["parquet", "arrow", "feather", "pq"])
def test_something_else_under_that_name(tmp_path, ending):
    for content in (b"", b"hello\n", b"PAR1", b"ARROW1", noise(1000)):
        path = text_file(tmp_path, content, f"t.{ending}")
        with pytest.raises(ValueError, match=rf"t\.{ending}' cannot be read"):
            LinearRegression().fit(path, "number")


# -- C2: changed ------------------------------------------------------------------------------------------------------


def append(path):
    with open(path, "ab") as file:
        file.write(path.read_bytes()[-100:])


def rewrite(path):
    """In place, and shorter."""
    path.write_bytes(path.read_bytes()[:50_000])


def overwrite(path):
    """In place, other rows, the same size."""
    data = path.read_bytes()
    path.write_bytes(data[::-1])


def replace(path):
    """By another file under the same name, with the time and size of the first."""
    status = path.stat()
    other = path.with_name("other")
    other.write_bytes(path.read_bytes())
    os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns))
    os.replace(other, path)


@each_format
@pytest.mark.parametrize("change", [append, rewrite, overwrite, replace])
def test_a_file_that_changes_while_it_is_read(monkeypatch, small_batches, ending, change, long_file):
    path = long_file(ending)
    model = LinearRegression().fit(path, "number")
    before = model.statistic_
    parts = FileSource.parts

    def changing(self, factor=1):
        for number, part in enumerate(parts(self, factor)):
            if number == 1:
                change(path)
            yield part

    monkeypatch.setattr(FileSource, "parts", changing)
    with pytest.raises(ValueError, match=rf"t\.{ending}' changed while it was read"):
        model.fit(path, "number")
    assert model.statistic_ is before


@each_format
def test_a_file_that_changes_after_it_was_opened(ending, long_file):
    path = long_file(ending)
    source = FileSource(path, "number", "number", None, None)
    append(path)
    with pytest.raises(ValueError, match=rf"t\.{ending}' changed while it was read"):
        list(source.parts())


@each_format
def test_rows_read_after_a_change_are_not_handed_on(small_batches, ending, long_file):
    path = long_file(ending)
    file = reader_of(str(path))
    batches = file.batches(file.types, 4096)
    assert 0 < next(batches)[1].num_rows <= N // 2
    append(path)
    with pytest.raises(ValueError, match=rf"t\.{ending}' changed while it was read"):
        next(batches)


@each_format
def test_a_change_after_the_last_batch(tmp_path, ending):
    path = tmp_path / f"t.{ending}"
    LONG[ending](columns("number", rows=slice(0, 60)), path)
    file = reader_of(str(path))
    batches = file.batches(file.types, 4096)
    assert next(batches)[1].num_rows == 60
    append(path)
    with pytest.raises(ValueError, match=rf"t\.{ending}' changed while it was read"):
        next(batches)


@each_format
def test_a_file_that_is_removed_while_it_is_read(monkeypatch, small_batches, ending, long_file):
    path = long_file(ending)
    parts = FileSource.parts

    def removing(self, factor=1):
        for number, part in enumerate(parts(self, factor)):
            if number == 1:
                path.unlink()
            yield part

    monkeypatch.setattr(FileSource, "parts", removing)
    model = LinearRegression()
    with pytest.raises(FileNotFoundError, match=rf"t\.{ending}"):
        model.fit(path, "number")
    assert not hasattr(model, "statistic_")


def test_a_file_that_may_not_be_read(long_file):
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    path = long_file("csv")
    path.chmod(0)
    with pytest.raises(PermissionError, match=r"t\.csv"):
        LinearRegression().fit(path, "number")


def test_a_refusal_of_the_system_is_handed_on(monkeypatch, long_file):
    def refused(self):
        raise PermissionError("not yours")

    path = long_file("csv")
    monkeypatch.setattr(TextReader, "stream", refused)
    with pytest.raises(PermissionError, match="not yours"):
        LinearRegression().fit(path, "number")


# -- F3: broken off ---------------------------------------------------------------------------------------------------


@each_format
@pytest.mark.parametrize(
    "method, stop",
    [("fit", KeyboardInterrupt), ("partial_fit", KeyboardInterrupt), ("forget", MemoryError), ("fit", OSError)],
)
def test_a_pass_broken_off_changes_nothing(monkeypatch, ending, method, stop, long_file):
    """In the reader, between two parts."""
    path = long_file(ending)
    model = LinearRegression().fit(path, "number")
    state = dict(model.__dict__)
    parts = FileSource.parts

    def broken(self, factor=1):
        for number, part in enumerate(parts(self, factor)):
            if number == 3:
                raise stop("enough")
            yield part

    with monkeypatch.context() as patch:
        patch.setattr(FileSource, "parts", broken)
        with pytest.raises(stop, match="enough"):
            getattr(model, method)(path, "number")
    assert model.__dict__.keys() == state.keys()
    assert all(model.__dict__[name] is value for name, value in state.items())
    assert_same_fit(model.fit(path, "number"), LinearRegression().fit(X[:N], SCORE[:N]))  # nothing stands in the way


@pytest.mark.parametrize("number", [0, 1, 4])
def test_an_error_in_any_chunk_changes_nothing(monkeypatch, number, long_file):
    """In the thread that sums."""
    path = long_file("parquet")
    model = LinearRegression().fit(path, "number")
    state = dict(model.__dict__)
    chunk, first = FileSource.chunk, number * 8192

    def failing(self, part):
        if part.origin[0][1] == first:
            raise ValueError(f"no more at row {part.name(0)}")
        return chunk(self, part)

    monkeypatch.setattr(FileSource, "chunk", failing)
    with pytest.raises(ValueError, match=rf"no more at row {first} of '.*t\.parquet'"):
        model.partial_fit(path, "number")
    assert all(model.__dict__[name] is value for name, value in state.items())


def test_no_thread_and_no_file_stays_behind(tmp_path, long_file):
    path = long_file("csv")
    frame = columns("number", rows=slice(0, N))
    frame.loc[30_000, "a"] = np.nan
    write_csv(frame, tmp_path / "bad.csv")
    LinearRegression().fit(path, "number")
    threads, opened = threading.active_count(), open_files()
    for _ in range(5):
        with pytest.raises(ValueError, match="row 30000"):
            LinearRegression().fit(tmp_path / "bad.csv", "number")
    assert threading.active_count() <= threads
    assert open_files() <= opened


def open_files():
    folder = Path("/proc/self/fd")
    if not folder.exists():
        pytest.skip("open files are counted in /proc, which only Linux has")
    names = [os.readlink(link) for link in folder.iterdir() if link.is_symlink()]
    return sum(name.endswith(".csv") for name in names)


INTERRUPTED = """
import os, signal, sys, threading
import numpy as np
from sumlearn import LinearRegression
from sumlearn.data.files import FileSource
path = sys.argv[1]
model = LinearRegression().fit(path, "number")
before = model.statistic_
parts = FileSource.parts

def slow(self, factor=1):
    for number, part in enumerate(parts(self, factor)):
        if number == 2:
            os.kill(os.getpid(), signal.SIGINT)
        yield part

FileSource.parts = slow
try:
    model.fit(path, "number")
except KeyboardInterrupt:
    print("interrupted", model.statistic_ is before, threading.active_count())
"""


def test_control_c(long_file):
    """A real signal, in a process of its own."""
    ended = in_process(INTERRUPTED, long_file("parquet"))
    assert ended.stdout.split()[:2] == ["interrupted", "True"], ended.stderr


# -- without pyarrow --------------------------------------------------------------------------------------------------


WITHOUT_PYARROW = """
import sys

class Nowhere:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "pyarrow":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Nowhere())
import numpy as np
from sumlearn import LinearRegression
print(LinearRegression().fit(np.arange(6.0).reshape(3, 2), [1.0, 2.0, 3.0]).n_features_in_)
assert "sumlearn.data.readers" not in sys.modules
for _ in range(2):
    try:
        LinearRegression().fit(sys.argv[1], "number")
    except ImportError as error:
        print(error)
"""


def in_process(program, *arguments):
    environment = os.environ | {"PYTHONPATH": str(Path(sumlearn.__file__).parents[1])}
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=environment)


def test_without_pyarrow_the_extra_is_named(long_file):
    ended = in_process(WITHOUT_PYARROW, long_file("csv"))
    assert ended.returncode == 0, ended.stderr
    number, *errors = ended.stdout.splitlines()
    assert number == "2"  # arrays need none
    message = "reading tables from files needs pyarrow: pip install 'sumlearn[cli]' (or pip install pyarrow)"
    assert errors == [message] * 2


def test_labels_over_files_after_an_error(tmp_path):
    """A refused file leaves classes as they were."""
    good = text_file(tmp_path, "x,y\n1,u\n2,v\n4,u\n", "0.csv")
    bad = text_file(tmp_path, "x,y\n1,w\n,w\n", "1.csv")
    model = GaussianNB().fit(good, "y")
    with pytest.raises(ValueError, match=r"row 1 of '.*1\.csv', line 3, column 'x'"):
        model.partial_fit(bad, "y")
    assert model.classes_.tolist() == ["u", "v"]
