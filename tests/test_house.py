"""The order of the house: a folder imports only from those above it, and the public names are said once."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import sumlearn

PACKAGE = Path(sumlearn.__file__).parent
ABOVE = ["version", "lazy", "compiled"]  # help for every folder, each on its own
FLOORS = [
    "statistics",
    "data",
    "engines",
    "objectives",
    "solvers",
    "features",
    "learners",
    "evaluation",
    "decision",
    "ensembles",
    "saving",
    "streams",
    "selection",
    "product",
    "report",
    "cli",
]
BESIDE = dict.fromkeys(("concepts", "networks"), "learners") | dict.fromkeys(("testing", "demo"), "selection")
BESIDE["__main__"] = "cli"  # and the last folder that each may use
PUBLIC = sumlearn._HOMES


def folder_of(parts: tuple[str, ...]) -> str:
    """The folder of a path below the package; a public name of the package is at home somewhere in it."""
    home = PUBLIC.get(parts[0]) if parts else None
    return home.split(".")[0] if home else parts[0] if parts else "sumlearn"


def imported_folders(path: Path, package: Path = PACKAGE) -> set[str]:
    """Folders of the package that a file imports, inside functions too; "sumlearn" is the package as a whole."""
    here = path.relative_to(package).with_suffix("").parts
    imports: list[tuple[str, ...]] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            words = (node.module or "").split(".") if node.module else []
            if node.level:
                base = [*here[: len(here) - node.level], *words]
            elif words[:1] == ["sumlearn"]:
                base = words[1:]
            else:
                continue
            imports += [(*base, alias.name) for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
            imports += [tuple(words[1:]) for words in names if words[0] == "sumlearn"]
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "sumlearn":
            imports.append((node.attr,))
    return {folder_of(parts) for parts in imports}


def forbidden(path: Path, package: Path = PACKAGE) -> set[str]:
    """What a file imports although it is below it."""
    floor = path.relative_to(package).with_suffix("").parts[0]
    if floor == "__init__":
        return imported_folders(path, package) - set(ABOVE)
    if floor in ABOVE:
        return imported_folders(path, package) - {floor}
    order = {name: number for number, name in enumerate(FLOORS)}
    limit = order[BESIDE.get(floor, floor)]
    # Who has a learner's name from somebody else asks the package for it, below the learners; the tour is a command.
    order |= dict.fromkeys(ABOVE, -1) | {"sumlearn": order["learners"] + 1, "demo": order["cli"], floor: limit}
    return {name for name in imported_folders(path, package) if order.get(name, len(order)) > limit}


FILES = sorted(PACKAGE.rglob("*.py"))


def test_imports_go_upwards():
    assert len(FILES) > 300
    assert not {str(path.relative_to(PACKAGE)): below for path in FILES if (below := forbidden(path))}


def test_every_file_has_its_place():
    places = {path.relative_to(PACKAGE).with_suffix("").parts[0] for path in FILES}
    assert places <= {"__init__", *ABOVE, *FLOORS, *BESIDE}


@pytest.mark.parametrize(
    ("file", "line", "found"),
    [
        ("statistics/moments.py", "from ..data import Chunk", {"data"}),
        ("statistics/moments.py", "from .. import Ridge", {"learners"}),
        ("statistics/moments.py", "from sumlearn import save", {"saving"}),
        ("statistics/moments.py", "def f():\n    import sumlearn.learners", {"learners"}),
        ("statistics/moments.py", "from ..testing import check_statistic", {"testing"}),
        ("statistics/moments.py", "from ..compiled.sums import f\nfrom ..lazy import lazily\nfrom . import g", set()),
        ("learners/ridge.py", "import sumlearn", {"sumlearn"}),
        ("product/catalogue.py", "import sumlearn\nsumlearn.report.page", {"report"}),
        ("product/catalogue.py", "import sumlearn\nsumlearn.Ridge()", set()),
        ("compiled/sums.py", "from ..statistics import Moments", {"statistics"}),
        ("lazy.py", "from .data import load_example", {"data"}),
        ("demo.py", "from . import evaluate", {"report"}),
        ("demo.py", "from . import Ridge\nfrom .data import load_example", set()),
        ("cli/demo.py", "from ..demo import main", set()),
        ("report/page.py", "from ..demo import main", {"demo"}),
        ("testing/laws.py", "from ..cli import main", {"cli"}),
        ("testing/laws.py", "from ..learners import learner\nfrom .statistics import check_statistic", set()),
        ("__init__.py", "from .learners import learner", {"learners"}),
    ],
)
def test_an_import_from_below_is_seen(file, line, found, tmp_path):
    path = tmp_path / file
    path.parent.mkdir(exist_ok=True)
    path.write_text(line, encoding="utf-8")
    assert forbidden(path, tmp_path) == found


def test_stub_and_package_agree():
    stub = ast.parse((PACKAGE / "__init__.pyi").read_text(encoding="utf-8"))
    named = {alias.asname for node in ast.walk(stub) if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert named == set(sumlearn.__all__)


def test_names_that_come_late_are_no_modules():
    """A module that somebody imports first takes its name in the package, and the name would be that module."""
    inits = [path for path in FILES if path.name == "__init__.py"]
    late = [path.parent for path in inits if "lazily(__name__" in path.read_text(encoding="utf-8")]
    assert PACKAGE / "product" in late
    for folder in late:
        package = importlib.import_module(".".join(["sumlearn", *folder.relative_to(PACKAGE).parts]))
        below = {path.stem for path in folder.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
        hidden = [name for name in below if package._HOMES.get(name)]
        assert set(hidden) <= ({"concepts", "networks"} if package is sumlearn else set())  # modules, and the same ones


MODULES_OF_LEARNERS = ("concepts", "networks.activations", "networks.optimisers", "networks.schedules")
IN_A_CHILD = """
import os, sys, sklearn.base, scipy.sparse
for code in sys.argv[1:]:
    child = os.fork()
    if not child:
        exec(code)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0, code
"""


def test_modules_of_the_learners_can_be_imported_from():
    """Each as the first that a process imports; what it stands on is imported once, and the process is forked."""
    codes = [
        f"import sumlearn.{name} as found; import sumlearn; assert found is sumlearn.{name}; "
        f"from sumlearn.learners import {name.partition('.')[0]}; assert found is {name}"
        for name in MODULES_OF_LEARNERS
    ]
    done = subprocess.run([sys.executable, "-c", IN_A_CHILD, *codes], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", sumlearn.__all__)
def test_every_public_name_is_there(name):
    assert getattr(sumlearn, name) is not None


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'Rigde'"):
        _ = sumlearn.Rigde
