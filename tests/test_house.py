"""The order of the house: a folder imports only from those above it, and the public names are said once."""

import ast
from pathlib import Path

import pytest

import sumlearn

PACKAGE = Path(sumlearn.__file__).parent
FLOORS = [
    "statistics",
    "data",
    "engines",
    "objectives",
    "solvers",
    "features",
    "learners",
    "evaluation",
    "saving",
    "decision",
    "ensembles",
    "selection",
    "product",
    "report",
    "cli",
]


def imported_folders(path: Path) -> set[str]:
    """Folders of the package that a file imports, inside functions too."""
    here = path.relative_to(PACKAGE).with_suffix("").parts
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = here[: len(here) - node.level]
            names = [node.module] if node.module else [alias.name for alias in node.names]
            found |= {(*base, *name.split("."))[0] for name in names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sumlearn."):
            found.add(node.module.split(".")[1])
    return found


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_go_upwards(path):
    floor = path.relative_to(PACKAGE).parts[0]
    if floor in FLOORS:
        below = {f for f in imported_folders(path) if f in FLOORS and FLOORS.index(f) > FLOORS.index(floor)}
        assert not below, f"{floor} imports from below: {below}"
    elif floor == "compiled":
        assert imported_folders(path) <= {"compiled", "two_words"}


def test_stub_and_package_agree():
    stub = ast.parse((PACKAGE / "__init__.pyi").read_text(encoding="utf-8"))
    named = {alias.asname for node in ast.walk(stub) if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert named == set(sumlearn.__all__)


@pytest.mark.parametrize("name", sumlearn.__all__)
def test_every_public_name_is_there(name):
    assert getattr(sumlearn, name) is not None


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'Rigde'"):
        _ = sumlearn.Rigde
