"""Entries of canon.toml point at what exists: public names, tests, pages; the method index says the same."""

import ast
import importlib
import re
import tomllib
from pathlib import Path

import pytest

import sumlearn

ROOT = Path(__file__).parent.parent
ITEMS = tomllib.loads((ROOT / "canon.toml").read_text(encoding="utf-8"))["item"]
LAST_NUMBER = 143
TABLE = (ROOT / "docs/methods/index.md").read_text(encoding="utf-8")


each_item = pytest.mark.parametrize("item", ITEMS, ids=lambda item: f"item{item['number']}")


def rows_of(text):
    """Number -> the other cells of its row; a number may have one row only."""
    rows = re.findall(r"^\| *(\d+) *\| (.*) \|$", text, re.MULTILINE)
    assert len(rows) == len({number for number, _ in rows}), "a number has two rows"
    return {int(number): cells.split(" | ") for number, cells in rows}


def missing_as_written(item):
    """What is missing, as the index writes it: names as code, words as words."""
    names = (name if " " in name else f"`{name.removeprefix('sumlearn.')}`" for name in item.get("missing", []))
    return ", ".join(names)


def as_list(value):
    return [value] if isinstance(value, str) else value


def resolve(name):
    """The object behind a dotted name: the longest module, then attributes."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        module_name = ".".join(parts[:length])
        try:
            found = importlib.import_module(module_name)
        except ModuleNotFoundError as error:
            if not module_name.startswith(error.name or " "):
                raise  # something inside the module is missing, not the module
            continue
        for attribute in parts[length:]:
            found = getattr(found, attribute)
        return found
    raise ImportError(f"{name} cannot be imported")


def names_defined(path):
    """Functions and classes of a Python file, methods as Class::method."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        if isinstance(node, ast.ClassDef):
            methods = [inner.name for inner in node.body if isinstance(inner, ast.FunctionDef)]
            yield from (f"{node.name}::{method}" for method in methods)


def test_every_number_has_one_entry():
    assert [item["number"] for item in ITEMS] == list(range(1, LAST_NUMBER + 1))


@each_item
def test_entry_is_complete(item):
    wanted = {"number", "method", "home", "test", "page"}
    assert wanted <= set(item) <= wanted | {"missing"}
    assert all(as_list(value) for key, value in item.items() if key != "number")


def is_public(name):
    try:
        resolve(name)
    except (ImportError, AttributeError, ValueError):  # ValueError: an empty name of a module
        return False
    return True


def test_what_is_missing_is_not_there():
    for item in ITEMS:
        for name in item.get("missing", []):
            assert " " in name or not is_public(name), f"{name} is there: it is a home of item {item['number']}"


@each_item
def test_home_is_importable(item):
    for home in as_list(item["home"]):
        assert home.startswith("sumlearn.")
        resolve(home)


@each_item
def test_test_exists(item):
    for test in as_list(item["test"]):
        file, _, name = test.partition("::")
        path = ROOT / file
        assert path.is_file(), f"{file} does not exist"
        defined = set(names_defined(path))
        assert any(n.split("::")[-1].startswith("test") for n in defined), f"{file} holds no test"
        assert not name or name in defined, f"{file} has no {name}"


@each_item
def test_page_exists_and_mentions_every_home(item):
    pages = as_list(item["page"])
    text = "\n".join((ROOT / page).read_text(encoding="utf-8") for page in pages)
    for home in as_list(item["home"]):
        name = home.split(".")[-1]
        assert re.search(rf"\b{name}\b", text), f"{' and '.join(pages)}: no word about {name}"


@each_item
def test_page_of_a_method_bears_its_number(item):
    for page in as_list(item["page"]):
        numbers = re.search(r"\bcanon ((?:\d+(?:,\s+)?)+)", (ROOT / page).read_text(encoding="utf-8"))
        if page.startswith("docs/methods/"):
            assert numbers and str(item["number"]) in re.split(r",\s+", numbers[1].strip()), page


def test_method_index_has_a_row_for_every_number():
    assert list(rows_of(TABLE)) == [item["number"] for item in ITEMS]


@each_item
def test_method_index_says_the_same(item):
    """The title, the names, no others, what is missing, and the pages."""
    method, names, pages = rows_of(TABLE)[item["number"]]
    there, _, missing = names.partition("; not there yet: ")
    public = {f"sumlearn.{name}" for name in re.findall(r"`([^`]+)`", there) if is_public(f"sumlearn.{name}")}
    assert method == item["method"]
    assert public == set(item["home"])
    assert missing == missing_as_written(item)
    assert [Path(link).name for link in re.findall(r"\(([^()]+\.md)\)", pages)] == [
        Path(page).name for page in as_list(item["page"])
    ]


def test_every_page_is_in_the_contents():
    """A page that no list names is built, but nobody finds it, and `make docs` fails."""
    contents = set(TABLE[TABLE.index("```{toctree}") :].split())
    pages = {page.stem for page in (ROOT / "docs/methods").glob("*.md")} - {"index", "_template"}
    assert pages <= contents and len(pages) > 90


def test_what_the_sums_allow_is_what_learners_can():
    """Every estimator has a row in the last table of the index; a plain yes or no is what `abilities` says."""
    table = TABLE[TABLE.index("## What the sums allow") : TABLE.index("```{toctree}")]
    listed = {}
    for names, *cells in re.findall(r"^\| (`.*?) \|" + r" (.*?) \|" * 6 + "$", table, re.MULTILINE):
        listed |= dict.fromkeys(re.findall(r"`(\w+)`", names), cells[2:])
    estimators = {name for name in sumlearn.__all__ if hasattr(getattr(sumlearn, name), "get_params")}
    assert set(listed) == estimators
    for name, cells in listed.items():
        found = set(sumlearn.abilities(getattr(sumlearn, name)()))
        for ability, cell in zip(("merge", "forget", "decay", "restrict"), cells, strict=True):
            assert cell not in ("yes", "no") or (cell == "yes") == (ability in found), f"{name}: {ability}"
