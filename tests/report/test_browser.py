"""The page in a real browser: it draws, moves and refits, calls nobody, and no name in it becomes a script."""

import io
import shutil
from contextlib import closing

import numpy as np
import pytest
from matplotlib.image import imread
from sklearn.metrics import confusion_matrix, r2_score

from sumlearn import Ridge, TableModel
from sumlearn.report.html_report import report_of

from .tables import TRAININGS, hostile, mixed, numbers, two_classes

sync_api = pytest.importorskip("playwright.sync_api", reason="the browser is driven by playwright")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium to look at the page with"),
]
INKED = {  # charts of which a picture is taken, which takes its time
    "two": None,  # all
    "many": {"regions"},
    "numbers": {"forest", "band", "band-left-out", "evidence", "complexity", "bias-variance"},
    "searched": {"search-sizes", "search-steps", "complexity", "regions"},
}


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    return {name: report_of(make(), "sumlearn train").save(folder / f"{name}.html") for name, make in TRAININGS.items()}


class Opened:
    """A page in the browser, with everything it said and asked for."""

    def __init__(self, browser, file, **options):
        self.page = browser.new_page(**options)
        self.said, self.asked = [], []
        self.page.on("console", lambda message: self.said.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("dialog", lambda dialog: (self.said.append("a dialog"), dialog.dismiss()))
        self.page.goto(file.as_uri())

    def columns(self):
        """Those that can be ticked."""
        return self.page.evaluate("JSON.parse(document.getElementById('report-data').textContent).refit.columns")

    def unfold(self):
        self.page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
        self.page.wait_for_function(
            "[...document.querySelectorAll('[data-chart]')].every((place) => place.querySelector('.main-svg'))"
        )

    def value(self, selector):
        return float(self.page.eval_on_selector(selector, "element => element.dataset.value"))

    def slide(self, selector, value):
        script = "(element, value) => { element.value = value; element.dispatchEvent(new Event('input')); }"
        self.page.eval_on_selector(selector, script, value)


@pytest.fixture
def opened(browser, files):
    pages = []

    def call(name, **options):
        pages.append(Opened(browser, files[name], **options))
        return pages[-1]

    yield call
    for one in pages:
        one.page.close()


@pytest.mark.parametrize(
    ("name", "scheme"),
    [
        ("two", "light"),
        ("two", "dark"),
        ("many", "dark"),
        ("numbers", "light"),
        ("searched", "dark"),
        ("hostile", "light"),
        ("hostile-search", "light"),
        ("hostile-numbers", "light"),
    ],
)
def test_it_draws_everything_silently_and_alone(opened, files, name, scheme):
    here = opened(name, color_scheme=scheme)
    here.unfold()
    assert here.said == []
    assert here.asked == [files[name].as_uri()]
    charts = here.page.query_selector_all("[data-chart]")
    assert charts
    for chart in charts:
        drawn = chart.evaluate("place => place.calcdata.filter((trace) => trace.length > 0).length")
        assert drawn == chart.evaluate("place => place.data.length"), chart.get_attribute("id")
        wanted = INKED.get(name, ())
        if (name, scheme) != ("two", "dark") and (wanted is None or chart.get_attribute("data-chart") in wanted):
            inked(chart)


def inked(chart):
    """A chart has ink where its curves are, not only on the axes: pixels of several colours in its middle."""
    pixels = imread(io.BytesIO(chart.screenshot()), format="png")[..., :3]
    height, width = pixels.shape[:2]
    middle = pixels[height // 8 : 3 * height // 5, width // 6 : -width // 20].reshape(-1, 3)
    ground = np.median(middle, axis=0)
    away = np.abs(middle - ground).max(axis=1)
    coloured = (np.ptp(middle, axis=1) > 0.15) & (away > 0.15)
    assert coloured.sum() > 50, chart.get_attribute("id")


@pytest.mark.parametrize("name", ["hostile", "hostile-search", "hostile-numbers"])
def test_names_that_are_scripts_do_nothing(opened, name):
    here = opened(name)
    here.unfold()
    here.page.eval_on_selector("#refit-live [data-column='0']", "box => box.click()")
    assert here.page.evaluate("window.hacked === undefined")
    assert here.page.query_selector_all("main img, main script, main u") == []


def test_the_slider_counts_what_the_rows_say(opened):
    found = two_classes()
    winner = found.metrics["chosen"]["model"]
    rows, answers = found.nested.pooled(winner)
    truth = found.target.values[rows] == found.target.positive
    here = opened("two")
    last = int(here.page.get_attribute("#threshold-slider", "max"))
    assert last == len(np.unique(answers.scores))
    for index in (0, 1, 57, last // 2, last - 1, last):
        here.slide("#threshold-slider", index)
        threshold = here.value("#threshold-value")
        (tn, fp), (fn, tp) = confusion_matrix(truth, answers.scores >= threshold)
        counts = {name: here.value(f"[data-count={name}]") for name in ("tp", "fp", "fn", "tn")}
        assert counts == {"tp": tp, "fp": fp, "fn": fn, "tn": tn}
        with np.errstate(invalid="ignore"):
            tp, fp, fn, tn = map(np.float64, (tp, fp, fn, tn))
            rates = {
                "tpr": tp / (tp + fn),
                "fnr": fn / (tp + fn),
                "fpr": fp / (fp + tn),
                "tnr": tn / (fp + tn),
                "precision": tp / (tp + fp),
                "garbage": fp / (tp + fp),
                "waste": fn / (fn + tn),
                "care": tn / (fn + tn),
                "f": 2 * tp / (2 * tp + fp + fn),
                "accuracy": (tp + tn) / len(truth),
            }
        for name, rate in rates.items():
            np.testing.assert_allclose(here.value(f"[data-rate={name}]"), rate, rtol=1e-12, err_msg=name)
        point = here.page.evaluate("document.getElementById('chart-roc').data.at(-1)")
        np.testing.assert_allclose([point["x"][0], point["y"][0]], [rates["fpr"], rates["tpr"]])


def test_costs_move_the_threshold_to_the_cheapest(opened):
    found = two_classes()
    rows, answers = found.nested.pooled(found.metrics["chosen"]["model"])
    truth = found.target.values[rows] == found.target.positive
    scores = np.unique(answers.scores)
    here = opened("two")
    for step in (-12, -4, 0, 6, 20):
        here.slide("#cost-slider", step)
        price = 2.0 ** (step / 4)
        assert here.value("#cost-value") == pytest.approx(price)
        paid = [price * np.sum(~truth & (answers.scores >= t)) + np.sum(truth & (answers.scores < t)) for t in scores]
        here_paid = price * here.value("[data-count=fp]") + here.value("[data-count=fn]")
        assert here_paid == pytest.approx(min(*paid, truth.sum()))
    line = here.page.evaluate("document.getElementById('chart-roc').data.at(-2)")
    slope = np.diff(line["y"]) / np.diff(line["x"])
    assert slope == pytest.approx(price * np.sum(~truth) / np.sum(truth))


def test_the_saved_threshold_comes_back(opened):
    here = opened("two")
    start = here.page.inner_text("#confusion-live")
    here.slide("#threshold-slider", 3)
    assert here.page.inner_text("#confusion-live") != start
    here.page.click("#threshold-reset")
    assert here.page.inner_text("#confusion-live") == start


def refitted(found, dropped, alpha):
    """The same scores by fits: fills, scales and levels learnt within each split, without the dropped columns."""
    values = found.target.values
    if found.target.two_classes:
        values = (values == found.target.positive).astype(float)
    shares, squares = [], 0.0
    ids = found.problem.columns["ids"]
    for train, test in found.nested.splits:
        model = TableModel(Ridge(alpha=alpha), drop=dropped, ids=ids).fit(
            found.problem.frame.take(train), values[train]
        )
        answers = model.predict(found.problem.frame.take(test))
        shares.append(r2_score(values[test], answers))
        squares += np.sum((values[test] - answers) ** 2)
    return np.mean(shares), np.sqrt(squares / len(values))


@pytest.mark.parametrize("name", ["two", "numbers", "mixed"])
def test_refitting_in_the_page_equals_fits_in_python(opened, name):
    found = TRAININGS[name]()
    here = opened(name)
    here.unfold()
    columns = here.columns()
    hidden = [name for name in found.model.facts["columns"] if name not in columns]  # they tell of few rows
    for dropped, step in ([(), None], [(0,), 0], [(1, 2), 13], [(0, 1, 3), 35], [(2,), -31]):
        here.page.click("#refit-all")
        dropped = [k for k in dropped if k < len(columns)]
        for k in dropped:
            here.page.eval_on_selector(f"#refit-live [data-column='{k}']", "box => box.click()")
        if step is not None:
            here.slide("#refit-slider", step)
        alpha = here.value("#refit-alpha")
        if step is not None:
            assert alpha == pytest.approx(0.0 if step == -31 else 10 ** (step / 10), rel=1e-12)
        r2, rmse = refitted(found, [*hidden, *(columns[k] for k in dropped)], alpha)
        assert here.value("#refit-r2") == pytest.approx(r2, rel=1e-9, abs=1e-11)
        assert here.value("#refit-rmse") == pytest.approx(rmse, rel=1e-9)


def test_coefficients_in_the_page_equal_those_of_python(opened):
    found = mixed()
    here = opened("mixed")
    here.unfold()
    here.page.eval_on_selector("#refit-live [data-column='1']", "box => box.click()")
    here.slide("#refit-slider", 10)
    shown = here.page.eval_on_selector_all(
        "#refit-coefficients tbody tr",
        "rows => rows.map((row) => [row.cells[0].textContent, Number(row.cells[1].dataset.value)])",
    )
    kept = here.columns()
    dropped = [name for name in found.model.facts["columns"] if name not in kept] + kept[1:2]
    model = TableModel(Ridge(alpha=10.0), drop=dropped, ids=["key"]).fit(found.problem.frame, found.target.values)
    wanted = dict(zip(model.feature_names_out_, model.learner_.coef_, strict=True)) | {
        "(intercept)": model.learner_.intercept_
    }
    assert dict(shown) == pytest.approx(wanted, rel=1e-9)


def test_no_columns_leave_the_mean(opened):
    here = opened("numbers")
    here.unfold()
    here.page.click("#refit-none")
    found = numbers()
    off = [found.target.values[test] - found.target.values[train].mean() for train, test in found.nested.splits]
    assert here.value("#refit-rmse") == pytest.approx(np.sqrt(np.mean(np.concatenate(off) ** 2)), rel=1e-9)
    assert here.value("#refit-r2") < 0


def test_the_theme_can_be_changed_and_charts_follow(opened):
    here = opened("two", color_scheme="light")
    colour = "getComputedStyle(document.body).backgroundColor"
    ground = "document.getElementById('chart-roc').layout.paper_bgcolor"
    assert (here.page.evaluate(colour), here.page.evaluate(ground)) == ("rgb(255, 255, 255)", "#ffffff")
    here.page.click("#theme")
    assert (here.page.evaluate(colour), here.page.evaluate(ground)) == ("rgb(21, 25, 30)", "#15191e")
    here.page.click("#theme")
    assert here.page.evaluate(ground) == "#ffffff"
    assert here.said == []


@pytest.mark.parametrize("name", ["two", "hostile", "searched", "hostile-search", "hostile-numbers"])
def test_a_phone_shows_it_without_sliding_sideways(opened, name):
    here = opened(name, viewport={"width": 380, "height": 800})
    here.unfold()
    assert here.page.evaluate("document.documentElement.scrollWidth") <= 380


def test_it_can_be_read_without_scripts(browser, files):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(files["two"].as_uri())
    text = page.inner_text("body")
    rate = page.inner_text("[data-rate=tpr]")
    assert "95 % interval" in text and 0 < float(rate) < 1
    assert page.inner_text("#refit-r2", timeout=1000) is not None
    context.close()


def test_printing_unfolds_everything(opened):
    here = opened("numbers")
    here.page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert here.page.evaluate("[...document.querySelectorAll('details.section')].every((part) => part.open)")
    drawn = "[...document.querySelectorAll('[data-chart]')].every((place) => place.querySelector('.main-svg'))"
    assert here.page.evaluate(drawn)
    here.page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert here.page.evaluate("document.querySelectorAll('details.section:not([open])').length") > 0


def test_regions_follow_the_theme(opened):
    here = opened("two", color_scheme="light")
    here.unfold()
    tint = "document.getElementById('chart-regions').data[0].colorscale[0][1]"
    light = here.page.evaluate(tint)
    here.page.click("#theme")
    assert (light, here.page.evaluate(tint)) == ("rgba(0,114,178,0.18)", "rgba(86,180,233,0.18)")


def test_a_notebook_keeps_it_in_a_frame(browser):
    page = browser.new_page()
    page.set_content(f"<p>before</p>{report_of(hostile())._repr_html_()}<p>after</p>")
    frame = page.frames[1]
    frame.wait_for_selector("#chart-roc .main-svg", state="attached")
    assert page.evaluate("window.hacked === undefined")
    page.close()


@pytest.mark.parametrize("name", ["two", "many", "numbers", "mixed"])
def test_a_phone_scrolls_nothing_but_confusion_tables(browser, files, name):
    """All sections unfolded, at 390 px: neither the page nor a table in it is wider than the screen."""
    with closing(Opened(browser, files[name], viewport={"width": 390, "height": 800}).page) as page:
        page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        boxes = "[...document.querySelectorAll('.scroll:not(.tile), pre, .live')]"
        wider = f"{boxes}.filter((box) => box.scrollWidth > box.clientWidth + 2)"
        assert page.evaluate(f"{wider}.map((box) => box.textContent.slice(0, 60))") == []


def test_a_long_table_shows_ten_rows_until_it_is_asked(browser, files):
    with closing(Opened(browser, files["two"]).page) as page:
        page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
        rows = "[...document.querySelector('table.long').tBodies[0].rows].filter((row) => row.offsetHeight).length"
        assert page.evaluate(rows) == 10
        page.click("button.more >> nth=0")
        assert page.evaluate(rows) > 12
