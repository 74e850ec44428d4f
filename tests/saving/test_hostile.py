"""Files from strangers: nothing in them is run, nothing is unpickled, and no memory is set aside on their word."""

import dataclasses
import io
import json
import os
import pickle
import struct
import subprocess
import sys
import tracemalloc
import zipfile

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sumlearn as sl
from sumlearn.saving import archive, describe, estimators

from tests.saving.crafted import (
    inner_members,
    members_of,
    node,
    with_schema,
    with_statistic,
    write,
    zipped,
)


class Evil:
    """Leaves a file behind where it is unpickled."""

    def __init__(self, trace):
        self.trace = trace

    def __reduce__(self):
        return open, (str(self.trace), "w")


@pytest.fixture
def path(tmp_path):
    X = np.random.default_rng(0).standard_normal((30, 3))
    sl.save(sl.Ridge().fit(X, X.sum(axis=1)), tmp_path / "model.sumlearn")
    return tmp_path / "model.sumlearn"


def refusal(path):
    """Why a file is not loaded; nothing, if the error does not name it."""
    with pytest.raises(ValueError) as caught:
        sl.load(path)
    named, _, reason = str(caught.value).partition(" cannot be loaded: ")
    return reason if path.name in named else ""


def with_system(path):
    """A model whose kind is a function of the operating system."""
    evil = node("os", "system", "FunctionNode")
    return with_schema(path, lambda schema: schema["content"]["content"].update(kind=evil))


def text(value):
    return node("builtins", "str", "JsonNode", content=json.dumps(value), is_json=True)


def listed(*items):
    return node("builtins", "list", "ListNode", content=list(items))


def as_tuple(*items):
    return node("builtins", "tuple", "TupleNode", content=list(items))


def dictionary(**items):
    types = node("builtins", "list", "ListNode", content=[node("builtins", "str", "TypeNode") for _ in items])
    return node("builtins", "dict", "DictNode", content=items, key_types=types)


# -- code ------------------------------------------------------------------------------------------------------------

RUNS_CODE = {
    "os.system": lambda trace: node("os", "system", "FunctionNode"),
    "eval as a type": lambda trace: node("builtins", "eval", "TypeNode"),
    "a constructor": lambda trace: node(
        "subprocess", "Popen", "ConstructorFromReduceNode", content=as_tuple(text(["touch", str(trace)]))
    ),
    "open as a constructor": lambda trace: node(
        "builtins", "open", "ConstructorFromReduceNode", content=as_tuple(text(str(trace)), text("w"))
    ),
    "reduce of a tree": lambda trace: node(
        "sklearn.tree._tree", "Tree", "TreeNode", content=listed(), __reduce__={"args": as_tuple(text(str(trace)))}
    ),
    "reduce of a loss": lambda trace: node(
        "builtins", "open", "LossNode", content=dictionary(), __reduce__={"args": as_tuple(text(str(trace)), text("w"))}
    ),
    "a partial function": lambda trace: node(
        "functools", "partial", "PartialNode",
        content={"func": node("builtins", "open", "TypeNode"), "args": as_tuple(text(str(trace)), text("w")),
                 "kwds": dictionary(), "namespace": text(None)},
    ),
    "a method": lambda trace: node("builtins", "str", "MethodNode", content={"func": "format", "obj": text("x")}),
    "an operator": lambda trace: node("operator", "methodcaller", "OperatorFuncNode", attrs=as_tuple(text("x"))),
    "a list that is none": lambda trace: node("builtins", "open", "ListNode", content=[text(str(trace))]),
    "a dictionary that is none": lambda trace: {**dictionary(), "__module__": "builtins", "__class__": "exit"},
    "keys by a function": lambda trace: node(
        "builtins", "dict", "DictNode", content={str(trace): text(1)},
        key_types=listed(node("builtins", "float", "TypeNode")),
    ),
    "an array that is none": lambda trace: node("numpy", "save", "NdArrayNode", type="numpy", file="0.npy"),
    "an array of void": lambda trace: node("numpy", "void", "NdArrayNode", type="numpy", file="0.npy"),
    "a generator": lambda trace: node(
        "numpy.random._generator", "Generator", "RandomGeneratorNode",
        content={"bit_generator": dictionary(bit_generator=text("PCG64")), "seed_seq": dictionary(pool_size=text(9))},
    ),
    "a module of ours": lambda trace: node("sumlearn.demo", "main", "FunctionNode"),
    "one of ours as an object": lambda trace: node("sumlearn.learners.regression.ridge", "Ridge", "ObjectNode"),
    "an unknown loader": lambda trace: node("builtins", "str", "PickleNode"),
    "no loader": lambda trace: {"__module__": "os", "__class__": "system", "__id__": 5},
    "nested deep": lambda trace: json.loads('{"content":' * 900 + "1" + "}" * 900),
}  # fmt: skip


@pytest.mark.parametrize("name", RUNS_CODE)
@pytest.mark.parametrize("where", ["whole", "inside"])
def test_types_that_run_code_are_refused(name, where, path, tmp_path):
    evil = RUNS_CODE[name](tmp_path / "trace")

    def change(schema):
        if where == "whole":
            return {**evil, "protocol": schema["protocol"], "_skops_version": schema["_skops_version"]}
        schema["content"]["content"]["kind"] = evil
        return None

    assert refusal(with_schema(path, change))
    assert not (tmp_path / "trace").exists()


def test_an_unknown_type_is_named(path):
    assert "may not hold: os.system" in refusal(with_system(path))


def test_the_list_stands_before_the_audit_of_skops(path, monkeypatch):
    """Were the audit of skops to let everything pass, nothing on our list of refusals would."""
    import skops.io

    monkeypatch.setattr(skops.io, "loads", lambda *a, **k: pytest.fail("skops saw the file"))
    for name, make in RUNS_CODE.items():
        if name != "nested deep":
            with pytest.raises(ValueError, match="types that a model file may not hold|keys that are no text"):
                estimators.refuse_unknown(make("trace"))
    assert refusal(with_system(path))


@pytest.mark.parametrize("protocol", [0, 1, -1, True, None, "2", 10**6])
def test_other_protocols(path, protocol):
    assert refusal(with_schema(path, lambda schema: schema.update(protocol=protocol)))


def test_a_pickle_is_not_unpickled(tmp_path):
    trace = tmp_path / "trace"
    (tmp_path / "bare.sumlearn").write_bytes(pickle.dumps(Evil(trace)))
    assert "not a model file" in refusal(tmp_path / "bare.sumlearn")
    assert not trace.exists()


@pytest.mark.parametrize("member", ["estimator.skops", "statistics/0.bin", "statistics/0.json", "manifest.json"])
def test_a_pickle_as_a_member(member, path, tmp_path):
    members = members_of(path)
    members[member] = pickle.dumps(Evil(tmp_path / "trace"))
    if member == "manifest.json":
        path.write_bytes(archive.pack(members))
    else:
        write(path, members)
    assert refusal(path)
    assert not (tmp_path / "trace").exists()


def test_a_pickle_in_an_array(path, tmp_path):
    out = io.BytesIO()
    np.save(out, np.array([Evil(tmp_path / "trace")], dtype=object), allow_pickle=True)
    assert "dtype object" in refusal(with_schema(path, lambda schema: None, {"0.npy": out.getvalue()}))
    assert not (tmp_path / "trace").exists()


@pytest.mark.parametrize(
    "kind, state",
    [
        ("os.system", {}),
        ("..os.system", {}),
        ("__builtins__", {}),
        ("cross_validate", {}),
        ("data.load_example", {}),
        ("report.plots", {}),
        ("statistics.RowError", {}),
        ("statistics.Moments", {}),
        ("features.Basis", {}),
        ("Ridge", {"predict": 1}),
        ("Ridge", {"__class__": 1}),
        ("Ridge", {"statistic_": 1, "rho": 2, "alpha": 3, "solve": 4}),
        ("objectives.Huber", {"value": 3}),
        ("array", {"shape": [5], "items": []}),
        ("array", {"shape": [-1, 0], "items": [1]}),
        ("sparse", {"form": "open", "shape": [1, 1], "data": [], "indices": [], "indptr": []}),
        ("sparse", {"form": "csr_matrix", "shape": [1, 1], "data": [1.0], "indices": [99999], "indptr": [0, 1]}),
    ],
)
def test_objects_of_ours_that_are_none(kind, state, path):
    def change(schema):
        schema["content"]["content"]["kind"] = text(kind)
        schema["content"]["content"]["state"] = dictionary(**{name: text(value) for name, value in state.items()})

    assert refusal(with_schema(path, change))


@pytest.mark.parametrize("number", [1, -1, 10**9, "0", None, 0.0, True])
def test_a_statistic_that_is_not_there(number, path):
    def change(schema):
        reference = node("sumlearn.saving.packing", "Reference", "ObjectNode", content=dictionary(number=text(number)))
        schema["content"]["content"]["state"]["content"]["statistic_"] = reference

    assert "none of number" in refusal(with_schema(path, change))


# -- sizes -----------------------------------------------------------------------------------------------------------


def npy(header):
    body = header.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(body)) + body


@pytest.mark.parametrize("shape", ["(1000000000000,)", "(-5,)", "(2, 3)", "(4294967296, 4294967296)"])
def test_arrays_that_promise_more_than_they_hold(shape, path):
    data = npy(f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}}}")
    assert "7.npy" in refusal(with_schema(path, lambda schema: None, {"7.npy": data}))


@pytest.mark.parametrize("descr", ["'|O'", "[('a', '|O')]", "'|V1000000000'", "'<M8[s]'"])
def test_arrays_of_other_things(descr, path):
    data = npy(f"{{'descr': {descr}, 'fortran_order': False, 'shape': (0,)}}")
    assert "7.npy" in refusal(with_schema(path, lambda schema: None, {"7.npy": data}))


def test_array_headers_that_are_code(path, tmp_path):
    data = npy(f"{{'descr': open({str(tmp_path / 'trace')!r}, 'w'), 'fortran_order': False, 'shape': (0,)}}")
    assert refusal(with_schema(path, lambda schema: None, {"7.npy": data}))
    assert not (tmp_path / "trace").exists()


def test_a_zip_bomb(path):
    bomb = zipped([("manifest.json", b"0" * 50_000_000)], zipfile.ZIP_DEFLATED)
    assert len(bomb) < 100_000
    path.write_bytes(bomb)
    assert "compressed" in refusal(path)


def test_a_zip_bomb_inside(path):
    bomb = zipped([("schema.json", b"0" * 50_000_000)], zipfile.ZIP_DEFLATED)
    assert "compressed" in refusal(write(path, {**members_of(path), "estimator.skops": bomb}))


def test_members_that_overlap(path):
    """Two entries of the directory that point at the same bytes: more is claimed than is there."""

    def overlap(raw):
        first, second = raw.index(b"PK\x01\x02"), raw.rindex(b"PK\x01\x02")
        raw[second + 16 : second + 28] = raw[first + 16 : first + 28]  # checksum and sizes
        raw[second + 42 : second + 46] = raw[first + 42 : first + 46]  # place

    path.write_bytes(zipped([("manifest.json", b"x" * 10_000), ("estimator.skops", b"")], change=overlap))
    assert "more bytes than the file has" in refusal(path)


@pytest.mark.parametrize("claim", [2**31, 5])
def test_a_size_that_is_not_true(claim, path):
    def lie(raw):
        place = raw.index(b"PK\x01\x02")
        raw[place + 24 : place + 28] = struct.pack("<I", claim)

    path.write_bytes(zipped([("manifest.json", b"{}")], change=lie))
    assert "claims" in refusal(path)


@pytest.mark.parametrize("text", [b"[" + b"{}," * 3_000_000 + b"{}]", b"[" + b'{"a":0},' * 1_000_000 + b"{}]"])
@pytest.mark.parametrize("member", ["manifest.json", "statistics/0.json", "schema.json"])
def test_brackets_without_content(member, text, path):
    """Nine million bytes of brackets would be hundreds of millions in memory: refused before they are read."""
    members = members_of(path)
    if member == "manifest.json":
        path.write_bytes(archive.pack({**members, member: text}))
    elif member == "schema.json":
        inside = {**inner_members(members["estimator.skops"]), member: text}
        write(path, {**members, "estimator.skops": archive.pack(inside)})
    else:
        write(path, {**members, member: text})
    tracemalloc.start()
    try:
        assert "more brackets than content" in refusal(path)
        assert tracemalloc.get_traced_memory()[1] < 6 * len(text)
    finally:
        tracemalloc.stop()


# -- what is no file ---------------------------------------------------------------------------------------------------


def test_what_is_no_file_is_refused_at_once(tmp_path):
    """A device without end, a pipe that nobody writes to, a folder."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("/dev/zero")
    for name in ("pipe", "folder", "link"):
        assert "it is no file" in refusal(tmp_path / name)
        with pytest.raises(ValueError, match="it is no file"):
            describe(tmp_path / name)


# -- caches and contradictions -----------------------------------------------------------------------------------------


def test_a_pipeline_brings_no_cache(tmp_path):
    """The folder of a cache is unpickled at the next fit: neither is it written nor is it read."""
    cache = tmp_path / "cache"
    plain = make_pipeline(StandardScaler(), LinearRegression())
    sl.save(make_pipeline(plain, sl.Ridge(), memory=str(cache)), tmp_path / "model")
    assert b"cache" not in members_of(tmp_path / "model")["estimator.skops"]
    assert sl.load(tmp_path / "model").memory is None
    sl.save(make_pipeline(StandardScaler(), sl.Ridge()), tmp_path / "model")

    def change(schema):
        state = schema["content"]["content"]
        assert "memory" in state
        state["memory"] = text(str(cache))

    assert sl.load(with_schema(tmp_path / "model", change)).memory is None


@pytest.mark.parametrize("name", ["coef_", "intercept_", "rank_"])
def test_a_solution_beside_the_sums_is_refused(name, path):
    """What follows from the sums could contradict them."""

    def change(schema):
        schema["content"]["content"]["state"]["content"][name] = text(1.0)
        schema["content"]["content"]["state"]["key_types"]["content"].append(node("builtins", "str", "TypeNode"))

    assert f"stored as its sums, the file has its {name!r} as well" in refusal(with_schema(path, change))


@pytest.mark.parametrize("learner", [sl.RidgeCV(), sl.LassoCV()], ids=["ridge", "lasso"])
def test_a_solution_of_the_chosen_learner_is_its_own(learner, tmp_path):
    """The file of a version that stored it as well, and says something else there."""
    rows = np.random.default_rng(0).standard_normal((30, 2))
    model = learner.fit(rows, rows @ [1.0, 2.0])
    said = model.coef_.copy()
    model.__dict__["coef_"] = said + 1.0
    sl.save(model, tmp_path / "model")
    loaded = sl.load(tmp_path / "model")
    assert np.array_equal(loaded.coef_, said) and "coef_" not in vars(loaded)


ANSWERING = {
    "coef_": sl.LogisticRegression(),
    "dual_coef_": sl.SVC(),
    "cluster_centers_": sl.KMeans(2, random_state=0),
    "means_": sl.GaussianMixture(2, random_state=0),
    "coefs_": sl.MLPClassifier((3,), max_iter=200, random_state=0),
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", ANSWERING)
def test_numbers_that_are_none_are_refused(name, tmp_path):
    """Answers would be NaN for finite rows."""
    rows = np.random.default_rng(0).standard_normal((30, 2))
    model = ANSWERING[name].fit(rows, rows.sum(axis=1) > 0)
    found = vars(model)[name]
    for lie in (np.nan, np.inf):
        array = np.array(found[0] if isinstance(found, list) else found)
        array.flat[0] = lie
        vars(model)[name] = [array, *found[1:]] if isinstance(found, list) else array
        sl.save(model, tmp_path / "model")
        with pytest.raises(ValueError, match=f"the {name} of a .* is NaN or infinite"):
            sl.load(tmp_path / "model")
    vars(model)[name] = found


def test_columns_that_the_sums_do_not_have(path):
    def change(schema):
        schema["content"]["content"]["state"]["content"]["n_features_in_"] = text(7)

    assert "the sums are of 3 columns, the model says 7" in refusal(with_schema(path, change))


# -- names -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["../evil", "/etc/passwd", "statistics/../../evil.bin", "..\\evil", "C:\\evil", "statistics/0.bin\0.json",
     "statistics/", "statistics/x.bin", "estimator.pkl", "statistics/0.json\n"],
)  # fmt: skip
def test_names_that_are_not_expected(name, path, tmp_path):
    path.write_bytes(zipped([*members_of(path).items(), (name, b"evil")]))
    assert "not expected" in refusal(path)
    assert sorted(p.name for p in tmp_path.iterdir()) == [path.name]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_that_is_there_twice(path):
    path.write_bytes(zipped([*members_of(path).items(), ("manifest.json", b"{}")]))
    assert "twice" in refusal(path)


def test_members_that_are_not_listed(path):
    members = members_of(path)
    path.write_bytes(archive.pack({**members, "statistics/1.bin": b""}))
    assert "not those that its manifest lists" in refusal(path)
    path.write_bytes(archive.pack({k: v for k, v in members.items() if k != "statistics/0.bin"}))
    assert "not those that its manifest lists" in refusal(path)
    path.write_bytes(archive.pack({k: v for k, v in members.items() if k != "manifest.json"}))
    assert "no manifest" in refusal(path)


# -- accidents -------------------------------------------------------------------------------------------------------


def test_every_flipped_bit_is_noticed(path):
    data = path.read_bytes()
    for place in range(0, len(data), 7):
        changed = bytearray(data)
        changed[place] ^= 1 << place % 8
        path.write_bytes(changed)
        assert "checksum" in refusal(path)


def test_every_truncation_is_noticed(path):
    data = path.read_bytes()
    for size in [*range(0, 200), *range(200, len(data), 61), len(data) - 1]:
        path.write_bytes(data[:size])
        assert "checksum" in refusal(path)
    path.write_bytes(data + b"\n")
    assert "checksum" in refusal(path)


def test_a_member_that_is_not_the_one_described(path):
    members = members_of(path)
    members["statistics/0.bin"] = bytes(len(members["statistics/0.bin"]))
    path.write_bytes(archive.pack(members))
    assert "'statistics/0.bin' is not the one that its manifest describes" in refusal(path)


def test_other_files(path, tmp_path):
    for name, data in {"empty": b"", "text": b"hello", "zip": zipped([("a", b"b")])}.items():
        (tmp_path / name).write_bytes(data)
        assert refusal(tmp_path / name)
        why = "a member named 'a' is not expected" if name == "zip" else "it is not a model file, or it is damaged"
        with pytest.raises(ValueError, match=f"{name}' cannot be read: {why}"):
            describe(tmp_path / name)
    import skops.io

    skops.io.dump(LinearRegression(), tmp_path / "other.skops")
    assert "not a model file" in refusal(tmp_path / "other.skops")
    with pytest.raises(FileNotFoundError):
        sl.load(tmp_path / "absent")


def test_newer_formats_are_named(path):
    newer = write(path, members_of(path), lambda said: said.update(format=99))
    assert "written by a newer sumlearn: format 99, this version reads up to 1" in refusal(newer)
    with pytest.raises(ValueError, match="newer sumlearn: format 99"):
        describe(newer)


@pytest.mark.parametrize("value", [None, "1", 0, -1, True, 1.0])
def test_a_format_that_is_none(value, path):
    assert "no format number" in refusal(write(path, members_of(path), lambda said: said.update(format=value)))


def test_a_newer_statistic_is_named(path):
    assert "newer sumlearn: format 7" in refusal(with_statistic(path, lambda fields: fields.update(format=7)))


def test_a_statistic_of_other_numbers(path):
    assert "bytes" in refusal(with_statistic(path, lambda fields: None, lambda run: run[:-8]))


# -- saving ----------------------------------------------------------------------------------------------------------


class Mine(sl.Ridge):
    """A learner that no list knows."""


@pytest.mark.parametrize(
    "model, named",
    [
        (Mine(), "Mine"),
        (sl.Ridge(alpha=lambda: 1.0), "<lambda>|function"),
        (sl.RidgeCV(cv=(pair for pair in ())), "generator"),
        (sl.RidgeCV(scoring=print), "builtins.print"),
        (sl.Perceptron(random_state=np.random.default_rng(0)), "Generator"),
    ],
)
def test_what_cannot_be_loaded_is_not_saved(model, named, tmp_path):
    with pytest.raises(ValueError, match=f"cannot be saved.*({named})"):
        sl.save(model, tmp_path / "model.sumlearn")
    assert not list(tmp_path.iterdir())


def test_save_takes_models_only(tmp_path):
    with pytest.raises(TypeError, match="estimator or a statistic, got dict"):
        sl.save({"a": 1}, tmp_path / "model.sumlearn")
    with pytest.raises(ValueError, match="notes must be"):
        sl.save(sl.Ridge(), tmp_path / "model.sumlearn", notes={1: 2})


def test_without_skops_the_extra_is_named(path):
    code = (
        "import sys; sys.modules['skops'] = None\n"
        "import sumlearn as sl\n"
        "for call in (lambda: sl.load(sys.argv[1]), lambda: sl.save(sl.Ridge(), sys.argv[1])):\n"
        "    try: call()\n"
        "    except ImportError as error: assert 'sumlearn[cli]' in str(error)\n"
        "    else: raise SystemExit('no error')\n"
        "assert sl.saving.describe(sys.argv[1])['class'] == 'Ridge'\n"
    )
    ended = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr


def test_nothing_but_known_nodes_is_written(path):
    schema = json.loads(inner_members(members_of(path)["estimator.skops"])["schema.json"])
    used = {found["__loader__"] for found in estimators.nodes_of(schema)}
    assert used <= set(estimators.allowed()) and "pickle" not in json.dumps(schema).lower()


TREE = sl.DecisionTreeRegressor(max_depth=2).fit(np.arange(24.0).reshape(12, 2), np.arange(12.0) % 5)
LIES = {
    "feature": [2, -1, 10**9],
    "first": [10**9, -1],
    "branches": [0, 10**9, -(10**9)],
    "gap": [2, -2],
    "place": [10**9],
    "threshold": [np.nan],
    "value": [np.nan, np.inf],
    "weighted_n_node_samples": [-1.0, np.nan],
}


@pytest.mark.parametrize("field", LIES)
def test_a_tree_that_a_walk_could_leave_is_refused(field, tmp_path):
    """Compiled walks trust places and columns: such a file ended the process."""
    sl.save(TREE, tmp_path / "tree")
    assert np.array_equal(sl.load(tmp_path / "tree").tree_.value, TREE.tree_.value)
    for lie in LIES[field]:
        array = np.array(getattr(TREE.tree_, field))
        array.flat[0 if field in ("feature", "gap", "place", "threshold") else array.size - 1] = lie
        model = clone(TREE)
        model.__dict__ |= vars(TREE) | {"tree_": dataclasses.replace(TREE.tree_, **{field: array})}
        sl.save(model, tmp_path / "tree")
        with pytest.raises(ValueError, match="the nodes of a tree do not fit together"):
            sl.load(tmp_path / "tree")


def test_rows_of_other_columns_are_not_asked():
    tree = dataclasses.replace(TREE.tree_, n_features=3)
    with pytest.raises(ValueError, match="asks about 3 columns, the rows have 2"):
        tree.apply(np.zeros((1, 2)))


def test_rows_that_are_none_are_refused(tmp_path):
    """Neighbours hold rows: NaN, weights below zero and labels that are not there."""
    rows, labels = np.arange(20.0).reshape(10, 2), list("ab" * 5)
    for place, lie in ((0, np.nan), (20, 7.0), (20, 0.5), (30, -1.0), (30, np.inf)):
        sl.save(sl.KNeighborsClassifier(1).fit(rows, labels), tmp_path / "rows")
        with_statistic(
            tmp_path / "rows",
            lambda fields: None,
            lambda run, place=place, lie=lie: run[: 8 * place] + np.float64(lie).tobytes() + run[8 * place + 8 :],
        )
        with pytest.raises(ValueError, match="are no sums of rows"):
            sl.load(tmp_path / "rows")
