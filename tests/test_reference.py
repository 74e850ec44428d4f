"""The pages of the reference agree with the house: faults with tests, the bibliography with what is cited."""

import fnmatch
import inspect
import re
import tomllib
import unicodedata
from pathlib import Path

import pytest
from sklearn.utils import all_estimators

import sumlearn

ROOT = Path(__file__).parent.parent
REFERENCE = ROOT / "docs" / "reference"
FAULTS = (REFERENCE / "faults.md").read_text(encoding="utf-8")
NOTES = (REFERENCE / "notes.md").read_text(encoding="utf-8")
SHOWN_BY = sorted(set(re.findall(r"`(test_\w+\.py::[\w*]+)`", FAULTS + NOTES)))
DOCSTRINGS = r"^ *References\n *-+\n(.*?)(?=\n *\n|\Z)"
PAGES = r"^## References\n(.*?)(?=^## |\Z)"
LAST_NUMBER = 143


# -- the table of faults ----------------------------------------------------------------------------------------------


def names_of_tests(path):
    return re.findall(r"^\s*def (test_\w+)\(", path.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("shown_by", SHOWN_BY)
def test_what_is_said_is_shown_by_a_test_that_exists(shown_by):
    file, _, name = shown_by.partition("::")
    found = [test for path in (ROOT / "tests").rglob(file) for test in names_of_tests(path)]
    assert fnmatch.filter(found, name), f"no {file} has {name}"


def test_every_fault_is_shown():
    lines = [line for line in FAULTS.splitlines() if line.startswith("| ") and not line.startswith("| |")]
    assert len(lines) > 30
    assert not [line for line in lines if "`test_" not in line and "shown by" not in line]


def test_numbered_tests_are_in_the_table():
    """A test that bears the number of a fault shows a line that is there."""
    found = {name for path in (ROOT / "tests").rglob("test_*.py") for name in names_of_tests(path)}
    numbers = {match[1].upper() for name in found if (match := re.match(r"test_([abcfs]\d+)_", name))}
    assert len(numbers) > 20
    assert numbers <= set(re.findall(r"^\| ([A-Z]\d+) \|", FAULTS, re.MULTILINE))


# -- the bibliography -------------------------------------------------------------------------------------------------


def plain(text):
    """Without accents, and with ö as oe: as citations spell names in code."""
    text = text.translate({ord("ö"): "oe", ord("ü"): "ue", ord("ä"): "ae"})
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()


ENTRIES = [
    plain(line[2:])
    for line in (REFERENCE / "bibliography.md").read_text(encoding="utf-8").splitlines()
    if re.match(r"- .*\b(1[89]|20)\d\d\.$", line)
]


def references():
    """(file, text) of every section References, of docstrings and of pages."""
    for path in sorted((ROOT / "src").rglob("*.py")):
        for text in re.findall(DOCSTRINGS, path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
            yield path, text.partition('"""')[0]
    for path in sorted((ROOT / "docs").rglob("[!_]*.md")):
        for text in re.findall(PAGES, path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
            yield path, text


def citations(text):
    """(first word, year) of every work: a work ends with its year, and begins with its author or its title."""
    text = plain(" ".join(text.split()))
    text = re.sub(r"\([^()]*\)", "", text)  # what is said of it
    text = re.sub(r"[Ll]ecture notes?\b.*?(;|\.(?=\s)|$)", "", text)
    text = re.sub(r"\b[A-Z]\w+: (?=[A-Z]\w+, )", "", text)  # a heading within the list
    begin = 0
    for year in re.finditer(r"\b(1[89]|20)\d\d\b", text):
        if word := re.search(r"\b[A-Z][A-Za-z-]+", text[begin : year.start()]):
            yield word[0], year[0]
        begin = year.end()


CITED = sorted({(word, year, path) for path, text in references() for word, year in citations(text)})


@pytest.mark.parametrize("path", sorted({path for *_, path in CITED}), ids=lambda path: str(path.relative_to(ROOT)))
def test_what_is_cited_is_in_the_bibliography(path):
    for word, year in [(word, year) for word, year, where in CITED if where == path]:
        known = [entry for entry in ENTRIES if entry.endswith(f"{year}.") and re.search(rf"\b{word}\b", entry)]
        assert known, f"{word} {year} is not in docs/reference/bibliography.md"


def test_what_is_in_the_bibliography_is_cited():
    for entry in ENTRIES:
        cited = [word for word, year, _ in CITED if entry.endswith(f"{year}.") and re.search(rf"\b{word}\b", entry)]
        assert cited, f"nobody cites {entry}"


def test_the_bibliography_is_sorted():
    first_authors = [re.split(",| &| et al", entry)[0].lower() for entry in ENTRIES]
    assert len(ENTRIES) > 100
    assert first_authors == sorted(first_authors)


def test_works_are_found_in_a_text():
    text = 'Lecture note 000 (2.3), which prints 1964; Doe & Roe, "On sums", 1990, sec. 3; Poe 2001; Sums again, 2002.'
    assert list(citations(text)) == [("Doe", "1990"), ("Poe", "2001"), ("Sums", "2002")]


# -- examples ---------------------------------------------------------------------------------------------------------


def test_examples_on_pages_import_what_is_public():
    """What a page shows, a reader may do: compiled loops and inner parts are nobody's to call."""
    for page in [*(ROOT / "docs").rglob("[!_]*.md"), ROOT / "README.md"]:
        examples = [line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith((">>>", "..."))]
        assert not [line for line in examples if re.search(r"\bsumlearn\.(compiled|[\w.]*parts)\b", line)], page.name


# -- the notes --------------------------------------------------------------------------------------------------------


def test_every_method_of_the_canon_stands_in_a_note():
    rows = "\n".join(line for line in NOTES.splitlines() if line.startswith("| "))
    assert set(range(1, LAST_NUMBER + 1)) <= {int(n) for n in re.findall(r" (\d+)(?=[\],]| \|)", rows)}


def test_methods_that_are_there_have_a_link():
    items = tomllib.loads((ROOT / "canon.toml").read_text(encoding="utf-8"))["item"]
    rows = "\n".join(line for line in NOTES.splitlines() if line.startswith("| "))
    assert {int(n) for n in re.findall(r" (\d+)\]\(", rows)} == {item["number"] for item in items if "home" in item}


def test_links_of_the_reference_lead_somewhere():
    for page in REFERENCE.glob("*.md"):
        for link in re.findall(r"\]\(([\w/.-]+\.md)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / link).is_file(), f"{page.name}: {link}"


# -- defaults ---------------------------------------------------------------------------------------------------------


def test_defaults_that_differ_from_scikit_learn_are_listed():
    """Every one, and no other."""
    theirs = dict(all_estimators())
    differing = set()
    for name in set(sumlearn.__all__) & set(theirs):
        ours, other = (inspect.signature(kind).parameters for kind in (getattr(sumlearn, name), theirs[name]))
        both = [parameter for parameter in other if parameter in ours]
        differing |= {
            (name, p, repr(ours[p].default), repr(other[p].default))
            for p in both
            if ours[p].default != other[p].default
        }
    page = (REFERENCE / "defaults.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(\w+)` \| `(\w+)` \| `([^`]+)` \| `([^`]+)` \|", page, re.MULTILINE)
    assert {(a, b, c.replace('"', "'"), d.replace('"', "'")) for a, b, c, d in listed} == differing
