"""Every entry of canon.toml points at something that exists: a public name, a test, a page."""

import ast
import importlib
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ITEMS = tomllib.loads((ROOT / "canon.toml").read_text(encoding="utf-8"))["item"]
LAST_NUMBER = 143


def each_item(function):
    return pytest.mark.parametrize("item", ITEMS, ids=lambda item: f"item{item['number']}")(function)


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


def test_numbers_are_unique_and_in_order():
    numbers = [item["number"] for item in ITEMS]
    assert numbers == sorted(set(numbers))
    assert all(1 <= number <= LAST_NUMBER for number in numbers)


@each_item
def test_entry_is_complete(item):
    assert set(item) == {"number", "method", "home", "test", "page"}
    assert all(as_list(item[key]) for key in ("home", "test", "page"))


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
def test_method_index_has_a_row(item):
    index = (ROOT / "docs/methods/index.md").read_text(encoding="utf-8")
    rows = [line for line in index.splitlines() if re.match(rf"\|\s*{item['number']}\s*\|", line)]
    assert len(rows) == 1, f"docs/methods/index.md must have one row for item {item['number']}"
    row = rows[0]
    assert item["method"] in row
    for home in as_list(item["home"]):
        assert home.removeprefix("sumlearn.") in row
    for page in as_list(item["page"]):
        assert f"({Path(page).name})" in row
