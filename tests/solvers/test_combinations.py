"""Every loss with every penalty and every solver: the minimum, or an error that names who can."""

import re
from pathlib import Path

import pytest

from sumlearn.objectives import LOSSES, PENALTIES
from sumlearn.solvers import SOLVERS

from tests.solvers.combinations import CONVEX, as_markdown, every_combination, is_rough, row, support

PAGE = Path(__file__).parents[2] / "docs/methods/risk_minimisation.md"
CLOSE = 1e-8  # of the minimum
ROUGH = 3e-2  # of steps along subgradients
SLOW = {"perceptron", "hinge", "absolute", "epsilon_insensitive", "quantile"}  # gradient steps on rounded kinks


def each_combination():
    """Steps along gradients where kinks are rounded, and searches over all subsets, take seconds."""
    for loss, penalty, solver in every_combination():
        slow = solver == "proximal" and (penalty == "l0" or (loss in SLOW and penalty != "l1"))
        yield pytest.param(loss, penalty, solver, marks=[pytest.mark.slow] if slow else [])


def table_of_the_page():
    """{loss: {solver: [penalty, ...]}} as the page has it."""
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    head = next(i for i, line in enumerate(lines) if line.startswith("| loss | `newton`"))
    solvers = re.findall(r"`(\w+)`", lines[head])
    found = {}
    for line in lines[head + 2 : head + 2 + len(CONVEX)]:
        loss, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        taken = [[] if cell == "no" else [name.strip() for name in cell.split(",")] for cell in cells]
        found[loss.strip("`")] = dict(zip(solvers, taken, strict=True))
    return found


TABLE = table_of_the_page()


@pytest.mark.thinned(3)
@pytest.mark.parametrize(("loss", "penalty", "solver"), list(each_combination()))
def test_combination(loss, penalty, solver):
    """The page says who can; those reach the minimum that SciPy finds, and the others say who can."""
    found = row(loss, penalty, solver)
    assert found.supported == (penalty in TABLE[loss][solver])
    if found.supported:
        limit = CLOSE if solver != "proximal" or loss not in SLOW else 1e-7
        assert found.gap < (ROUGH if is_rough(loss, solver) else limit)
        return
    able = [name for name, taken in TABLE[loss].items() if penalty in taken]
    if loss == "squared":  # the others see sums, which have no rows for it
        able = [name for name in able if name != "sgd"]
    named = [name for name in SOLVERS if f"'{name}'" in found.refusal and f"solver='{name}'" not in found.refusal]
    assert named == able, found.refusal
    assert able or "no solver" in found.refusal
    assert f"'{loss}'" in found.refusal or f"'{penalty}'" in found.refusal


def test_page_has_the_generated_table():
    assert as_markdown(support()) in PAGE.read_text(encoding="utf-8")


def test_table_is_complete():
    assert list(TABLE) == CONVEX == [name for name in LOSSES if name != "zero_one"]
    assert all(list(taken) == list(SOLVERS) for taken in TABLE.values())
    assert {p for taken in TABLE.values() for names in taken.values() for p in names} == set(PENALTIES)
    assert all(p in TABLE[loss]["proximal"] for loss in CONVEX for p in PENALTIES)
