"""The page: one file that carries everything, escapes everything, and says the numbers it was given."""

import hashlib
import json
import re
import time
from datetime import UTC, datetime
from html.parser import HTMLParser

import numpy as np
import pyarrow as pa
import pytest

import sumlearn as sl
from sumlearn.product import train
from sumlearn.report.html_report import report_of
from sumlearn.report.numbers import json_value, script_json, shown, three
from sumlearn.report.page import PLOTLY

from .tables import BREAKOUT, HOSTILE, TRAININGS, mixed, numbers, two_classes

NOON = datetime(2026, 1, 2, 12, 0, tzinfo=UTC)
PLOTLY_VERSION = "4.1.1"
PLOTLY_SHA256 = "79542150855a52c567260e3137095dbe2b744e6d702a5cabe67da246942fba7a"
MOST_BYTES = 2_500_000
each_training = pytest.mark.parametrize("name", TRAININGS)
VOID = {"meta", "input", "br", "img", "link", "hr"}


class Seen(HTMLParser):
    """Elements, attributes and texts of a page; elements must be closed in order."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.scripts, self.cells, self.texts = [], [], [], [], []
        self.open = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, *pair) for pair in attrs]
        if tag == "script":
            self.scripts.append([dict(attrs), ""])
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts[-1][1] += data
        elif self.open and self.open[-1] != "style":
            self.texts.append(data)
            if self.open[-1] in ("td", "th"):
                self.cells.append(data)

    @property
    def data(self):
        return json.loads(next(text for attrs, text in self.scripts if attrs.get("id") == "report-data"))


def section(html, key):
    """The part of a page that is one section."""
    start = html.index(f'<details class="section" id="{key}"')
    return html[start : html.index('<details class="section"', start + 1)]


def page(name):
    return report_of(TRAININGS[name](), "sumlearn train").html


@pytest.fixture(scope="module")
def pages():
    return {name: page(name) for name in TRAININGS}


# -- the file -------------------------------------------------------------------------------------------------------


def test_plotly_is_the_file_that_was_vendored():
    content = PLOTLY.read_bytes()
    assert hashlib.sha256(content).hexdigest() == PLOTLY_SHA256
    assert f"v{PLOTLY_VERSION}" in content[:200].decode()
    assert "MIT" in (PLOTLY.parent / "plotly-LICENSE.txt").read_text()
    assert b"</script" not in content.lower() and b"<!--" not in content


@each_training
def test_one_file_without_a_network(pages, name):
    html = pages[name]
    assert len(html.encode()) <= MOST_BYTES
    seen = Seen(html)
    loading = {"src", "srcset", "href", "action", "data", "poster", "background", "formaction"}
    targets = [value for _, key, value in seen.attributes if key in loading]
    assert targets and all(value.startswith("#") for value in targets)
    assert not {"link", "iframe", "img", "object", "embed", "base", "form"} & set(seen.tags)
    style = html[html.index("<style>") : html.index("</style>")]
    assert "url(" not in style and "@import" not in style


@each_training
def test_the_policy_allows_the_scripts_of_the_page_and_no_others(pages, name):
    """A browser compares these hashes with the text between the tags, so they must be of exactly that."""
    import base64

    seen = Seen(pages[name])
    policy = next(value for _, key, value in seen.attributes if key == "content" and "default-src" in value)
    run = [text for attrs, text in seen.scripts if attrs.get("type") != "application/json"]
    assert len(run) == 2
    for text in run:
        code = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"'sha256-{code}'" in policy
    assert policy.startswith("default-src 'none'") and "connect-src" not in policy
    assert "unsafe-inline" not in policy.split("style-src")[0]


@pytest.mark.thinned(3)
@pytest.mark.parametrize(
    ("data", "options"),
    [
        ("iris", {"models": "lda", "cv": "2"}),
        ("diabetes", {"models": "ridge", "cv": "2"}),
        ("pima2", {"models": "lda", "cv": "2", "features": "sffs"}),
    ],
)
def test_two_pages_differ_in_the_time_stamp_alone(data, options):
    first, second = (report_of(train(data, **options), "x") for _ in range(2))
    assert first.evidence is not second.evidence
    at_noon = [sl.report.html_report.page_of(r.evidence, NOON) for r in (first, second)]
    assert at_noon[0] == at_noon[1]
    later = sl.report.html_report.page_of(first.evidence, NOON.replace(hour=13))
    assert later != at_noon[0] and later.replace("13:00", "12:00") == at_noon[0]


@pytest.mark.thinned(3)
@pytest.mark.parametrize("name", ["two", "numbers", "searched"])
def test_a_page_takes_less_than_three_seconds(name):
    found = TRAININGS[name]()
    assert report_of(found).html  # imports and compiled functions
    took = []
    for _ in range(2):
        start = time.process_time()
        assert report_of(found).html
        took.append(time.process_time() - start)
    assert min(took) < 3.0


@pytest.mark.slow
@pytest.mark.parametrize("columns", [70, pytest.param(1000, marks=pytest.mark.slow)])
def test_many_columns_and_classes_stay_below_the_limit(columns):
    rng = np.random.default_rng(0)
    labels = np.array([chr(ord("a") + k % 26) * 3 for k in range(520)])
    X = rng.normal(size=(520, columns))
    X[:, :26] += 3.0 * (np.arange(26) == (np.arange(520) % 26)[:, None])
    table = pa.table({f"a column with a long name {j}": X[:, j] for j in range(columns)} | {"y": labels})
    html = report_of(train(table, "y", models="naive_bayes", cv="2", row_hashes=False)).html
    assert len(html.encode()) <= MOST_BYTES
    seen = Seen(html)
    assert f"… and {columns - 60} more, which are not shown." in seen.texts
    assert "refit" not in seen.data


# -- text that would like to be something else ----------------------------------------------------------------------


def test_hostile_names_are_text(pages):
    html = pages["hostile"]
    seen = Seen(html)
    assert "img" not in seen.tags and "u" not in seen.tags
    assert len(seen.scripts) == 3
    assert not [key for _, key, _ in seen.attributes if key.startswith("on")]
    assert HOSTILE in seen.cells and BREAKOUT in seen.cells
    assert any("<u>target</u>" in text for text in seen.texts)
    assert HOSTILE not in html and BREAKOUT not in html
    names = seen.data["refit"]["columns"]
    assert HOSTILE in names and BREAKOUT in names  # the script gets them whole, and writes them as text


@pytest.mark.parametrize("name", ["hostile", "hostile-search", "hostile-numbers"])
def test_charts_get_their_texts_escaped(pages, name):
    """Plotly reads tags in texts."""
    text = json.dumps(Seen(pages[name]).data["figures"])
    assert "<img" not in text and "<script" not in text and "&lt;img" in text


@pytest.mark.parametrize("name", ["hostile-search", "hostile-numbers"])
def test_hostile_names_are_text_in_every_section(pages, name):
    html = pages[name]
    seen = Seen(html)
    assert not {"img", "u"} & set(seen.tags) and len(seen.scripts) == 3
    assert not [key for _, key, _ in seen.attributes if key.startswith("on")]
    assert HOSTILE not in html and BREAKOUT not in html
    assert any(HOSTILE in cell for cell in Seen(section(html, "selection")).cells)
    shown = {"hostile-search": f"+ {HOSTILE}", "hostile-numbers": f"{HOSTILE[:21]}…: 95 % interval"}
    assert shown[name] in seen.cells


@pytest.mark.parametrize("value", ["</script>", "<!--", "\u2028\u2029", "]]>", "&lt;", "\x00", '"'])
def test_json_in_a_script_ends_no_script(value):
    text = script_json({value: [value]})
    assert json.loads(text) == {value: [value]}
    assert not re.search(r"[<>&\u2028\u2029]", text)


def test_script_json_refuses_what_json_has_no_word_for():
    with pytest.raises(ValueError, match="Out of range float values"):
        script_json({"x": float("nan")})


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.83251, "0.8325"),
        (-0.5, "−0.5"),
        (123456.7, "123,457"),
        (1e-7, "1e-07"),
        (float("nan"), "–"),
        (float("-inf"), "−∞"),
        (True, "yes"),
        (np.int64(1234), "1,234"),
        (0.0, "0"),
    ],
)
def test_numbers_for_people(value, text):
    assert shown(value) == text


def test_scores_have_three_decimals():
    assert (three(0.5), three(-1.23456), three(54.5432), three(float("nan"))) == ("0.500", "−1.235", "54.54", "–")


def test_numbers_for_charts_are_short_and_finite():
    assert json_value([np.float64(1 / 3), float("inf"), np.array([1e20, 2.0])]) == [0.33333, None, [1e20, 2]]


# -- what the page says ---------------------------------------------------------------------------------------------


@each_training
def test_the_first_five_sections_are_open_and_every_chart_has_its_numbers(pages, name):
    html = pages[name]
    folded = re.findall(r'<details class="section" id="([a-z-]+)"( open)?>', html)
    assert [bool(is_open) for _, is_open in folded] == [True] * 5 + [False] * (len(folded) - 5)
    keys = [key for key, _ in folded]
    assert keys[:2] == ["checks", "data"] and keys[-3:] == ["use", "provenance", "limits"]
    assert len(set(re.findall(r'\bid="([^"]+)"', html))) == len(re.findall(r'\bid="([^"]+)"', html))
    figures = Seen(html).data["figures"]
    assert set(re.findall(r'data-chart="([a-z-]+)"', html)) == set(figures)
    assert html.count("The numbers</summary>") == len(figures)
    for figure in figures.values():
        assert figure["data"] and "template" not in figure["layout"]


TWO = {"threshold", "rates", "trade-offs", "calibration", "confusion", "regions", "growth", "complexity", "refit"}
EXPECTED = {
    "two": TWO | {"projections", "selection", "worst"},
    "many": {"one-against-rest", "confusion", "projections", "regions", "growth", "complexity", "selection", "worst"},
    "numbers": {"fit", "residuals", "bayes", "refit", "projections", "growth", "complexity", "selection", "worst"},
    "mixed": {"fit", "residuals", "bayes", "refit", "complexity", "selection", "worst"},
    "hostile": {"threshold", "rates", "refit", "confusion", "regions", "selection", "worst"},
    "searched": TWO | {"selection", "worst"},
    "hostile-search": {"threshold", "selection", "regions", "complexity"},
    "hostile-numbers": {"fit", "residuals", "bayes", "refit", "complexity", "selection"},
}
ONLY = {  # sections of one kind of target
    "threshold": True,
    "one-against-rest": True,
    "regions": True,
    "fit": False,
    "residuals": False,
    "bayes": False,
}


@each_training
def test_each_kind_of_task_has_its_sections(pages, name):
    keys = set(re.findall(r'<details class="section" id="([a-z-]+)"', pages[name]))
    common = {"checks", "data", "model", "use", "provenance", "limits"}
    common |= {"leaderboard"} if len(TRAININGS[name]().metrics["leaderboard"]) > 1 else set()
    assert EXPECTED[name] | common <= keys
    labels = TRAININGS[name]().target.task == "classify"
    assert not {key for key, of_labels in ONLY.items() if of_labels != labels or key not in EXPECTED[name]} & keys
    assert "history" not in keys


SHOWN = {  # charts that a kind of training has, and others do not
    "search-sizes": {"searched", "hostile-search"},
    "search-steps": {"searched", "hostile-search"},
    "regions": {"two", "many", "hostile", "searched", "hostile-search"},
    "forest": {"numbers", "mixed", "hostile-numbers"},
    "band": {"numbers", "mixed", "hostile-numbers"},
    "evidence": {"numbers", "mixed", "hostile-numbers"},
    "bias-variance": {"numbers", "mixed", "hostile-numbers"},
}


@each_training
def test_each_chart_is_where_it_belongs(pages, name):
    figures = set(Seen(pages[name]).data["figures"])
    for chart, trainings in SHOWN.items():
        assert (chart in figures) == (name in trainings), chart


@each_training
def test_the_headline_is_the_score_of_rows_left_out(pages, name):
    metrics = TRAININGS[name]().metrics
    text = " ".join(Seen(pages[name]).texts)
    low, high = metrics["interval"]
    assert f"<strong>{three(metrics['score'])}</strong>" in pages[name]
    assert f"95 % interval {three(low)} to {three(high)}" in text
    assert three(metrics["baseline"][metrics["metric"]]) in text
    assert "optimistic" in text
    training = three(metrics["training"][metrics["metric"]])
    assert f'<p class="small"><b>{training}</b> on the rows it learnt: optimistic</p>' in pages[name]


def test_what_was_done_with_columns_is_listed_with_counts(pages):
    cells = Seen(pages["mixed"]).cells
    table = mixed().problem.frame
    gaps = table.column("size").null_count
    at = next(i for i, cell in enumerate(cells) if cell == "size" and cells[i + 1] == "number")
    assert cells[at + 2] == str(gaps)
    notes = [note for note in mixed().model.model.report_ if note.column == "key"]
    assert notes and any(cell == notes[0].why for cell in cells)


def test_provenance_names_command_seed_hash_and_versions():
    found = two_classes()
    text = " ".join(Seen(report_of(found, "sumlearn train 'my pima.csv' --seed 0").html).texts)
    assert "sumlearn train 'my pima.csv' --seed 0" in text
    assert found.metrics["data"]["sha256"] in text
    assert found.metrics["versions"]["scikit-learn"] in text


def test_the_leaderboard_says_when_models_do_not_differ(pages):
    text = " ".join(Seen(pages["two"]).texts)
    lines = two_classes().metrics["leaderboard"]
    assert sum(not line["differs"] for line in lines) == text.count("no significant difference") + 1


def test_worst_errors_are_the_largest(pages):
    found = numbers()
    off = np.abs(np.array(found.predictions["prediction"]) - np.array(found.predictions["progression"]))
    rows = [str(found.predictions["row"][i]) for i in np.argsort(-off)[:5]]
    html = pages["numbers"]
    cells = Seen(section(html, "worst")).cells
    assert cells[4:24:4] == rows


def test_worst_errors_show_ids_and_no_other_values(pages):
    html = pages["mixed"]
    cells = Seen(section(html, "worst")).cells
    assert cells[:5] == ["row", "key", "true rent", "answer", "error"]
    assert cells[6] == f"k{cells[5]}"
