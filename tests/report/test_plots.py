"""Plots: what they show is what was computed, and both libraries draw all of it."""

import inspect
import json
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.calibration import calibration_curve
from sklearn.exceptions import ConvergenceWarning
from statsmodels.stats.proportion import proportion_confint

from sumlearn import GaussianMixture, GaussianNB, MLPClassifier, OutputCodeClassifier, Perceptron, Ridge
from sumlearn.data import load_example
from sumlearn.evaluation import Confusion, RocCurve, bias_variance, learning_curve
from sumlearn.report import plots
from sumlearn.report.charts import colours, drawing, numbers_of
from sumlearn.report.plots.figure import Box, Figure, Line, Mark, Panel, Points, Regions, Spans, thinned
from sumlearn.report.plots.palette import THEMES, mixed, readable_on


def curve(n=300, seed=0, shift=1.5):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return RocCurve(y, rng.standard_normal(n) + shift * y)


def drifting():
    return SimpleNamespace(
        rows=[100, 200, 300],
        errors=[0.5, 0.4, 0.2],
        error_name="error rate",
        coefficients=np.arange(24.0).reshape(3, 8) ** 2,
        names=[f"<b>{j}" for j in range(8)],
    )


def learning():
    rng = np.random.default_rng(0)
    sizes = np.array([10, 50, 400])
    return SimpleNamespace(
        sizes=sizes, train_scores=rng.uniform(size=(3, 4)), test_scores=rng.uniform(size=(3, 4)), score_name="R2"
    )


def course(share):
    losses = share ** np.arange(30.0)
    return SimpleNamespace(loss_curve_=losses.tolist(), validation_scores_=(1.0 - losses).tolist())


def splitting():
    x = np.arange(1.0, 6.0)
    return SimpleNamespace(
        complexity=x, bias2=1 / x, variance=0.1 * x, noise=np.full(5, 0.2), error=1 / x + 0.1 * x + 0.2
    )


TWO = {"one": curve(), "a <b> & $x": curve(seed=1, shift=0.7)}
Y = np.arange(300) % 2
SCORE = np.random.default_rng(3).standard_normal(300) + Y
SPANS = (
    Spans(np.array([1.0, -2.0]), np.array([0.0, -1.0]), np.array([0.5, -3.0]), np.array([2.0, -1.5]), "one <b>", 0),
    Spans(np.array([1.5, -1.0]), np.array([-0.2, -1.2]), np.array([0.5, -3.0]), np.array([2.0, -0.5]), "other", 1, 3.0),
)
GROUND = Regions(np.arange(4.0), np.arange(3.0), np.arange(12).reshape(3, 4) % 3, ("a", "<b>", "c"), (0, 1, "quiet"))
FIGURES = {
    "roc": plots.roc(TWO, point=0.3, costs=(2.0, 1.0), prior=0.3),
    "roc of one": plots.roc(curve()),
    "threshold_curves": plots.threshold_curves(curve()),
    "det": plots.det(TWO),
    "precision_recall": plots.precision_recall(TWO),
    "score_box": plots.score_box(np.array(["n$o", "<y>"])[Y], SCORE),
    "reliability": plots.reliability(Y, 1 / (1 + np.exp(-SCORE))),
    "confusion": plots.confusion(Confusion.of(Y, SCORE > 0.5, labels=[0, 1, 2])),
    "learning_curve": plots.learning_curve(learning()),
    "loss_curve": plots.loss_curve({"<a>": course(0.9), "b": course(0.8)}),
    "bias_variance": plots.bias_variance(splitting()),
    "drift": plots.drift(drifting()),
    "emptying_space": plots.emptying_space(),
    "code_matrix": plots.code_matrix(OutputCodeClassifier().fit(load_example("iris").X, load_example("iris").y)),
    "mixture": plots.mixture(GaussianMixture(2).fit(load_example("iris").X), load_example("iris").X, (2, 0), True),
    "spans": Figure((Panel(SPANS, "x", "y", y_ticks=((0.0, "<b>"), (-1.0, "$y")), legend="above"),)),
    "regions": Figure((Panel((GROUND, *SPANS[:1]), "x", "y", legend="above"),)),
}
each_figure = pytest.mark.parametrize("figure", FIGURES.values(), ids=FIGURES)
each_theme = pytest.mark.parametrize("theme", THEMES)


def lines(figure, panel=0):
    return [item for item in figure.panels[panel].items if isinstance(item, Line)]


def marks(figure):
    return [item for item in figure.panels[0].items if isinstance(item, Mark)]


# -- both drawers ---------------------------------------------------------------------------------------------------


@each_figure
@each_theme
def test_matplotlib_draws_every_line_and_text(figure, theme):
    canvas = figure.matplotlib(theme)
    canvas.canvas.draw()
    assert len(canvas.axes) == len(figure.panels)
    for panel, ax in zip(figure.panels, canvas.axes, strict=True):
        drawn = [np.column_stack(line.get_data()) for line in ax.get_lines()]
        for item in panel.items:
            if isinstance(item, Line):
                assert any(np.array_equal(np.column_stack([item.x, item.y]), xy) for xy in drawn)
            if isinstance(item, Mark):
                assert item.text in [text.get_text() for text in ax.texts]
        assert ax.get_ylabel() == panel.y_label
        labels = [item.label for item in panel.items if getattr(item, "label", "")]
        if panel.legend:
            assert [text.get_text() for text in ax.get_legend().get_texts()] == labels
            assert ax.get_legend().get_window_extent().x1 <= canvas.bbox.x1
        if panel.x_range:
            assert ax.get_xlim() == pytest.approx(panel.x_range)
    assert canvas.get_facecolor()[:3] == pytest.approx(
        [int(THEMES[theme].ground[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    )


@each_figure
@each_theme
def test_plotly_draws_every_line_and_text(figure, theme):
    canvas = figure.plotly(theme)
    made = json.loads(canvas.to_json())
    drawn = [(np.asarray(trace.x), np.asarray(trace.y)) for trace in canvas.data if trace.type == "scatter"]
    texts = [note.text for note in canvas.layout.annotations]
    for panel in figure.panels:
        for item in panel.items:
            if isinstance(item, Line):
                assert any(np.array_equal(item.x, x) and np.array_equal(item.y, y) for x, y in drawn)
            if isinstance(item, Mark):
                assert item.text in texts
    titles = [axis["title"]["text"] for key, axis in made["layout"].items() if key.startswith("yaxis")]
    assert titles == [panel.y_label.replace("'", "&#x27;") for panel in figure.panels]
    assert made["layout"]["paper_bgcolor"] == THEMES[theme].ground


def test_texts_are_escaped_in_html():
    html = plots.roc({"<script>alert(1)</script>": curve()}).html(library=False)
    assert "<script>alert" not in html and "alert(1)" in html
    names = [trace.name for trace in FIGURES["precision_recall"].plotly().data]
    assert any("a &lt;b&gt; &amp; $x" in name for name in names if name)
    ticks = FIGURES["score_box"].plotly().layout.xaxis.ticktext
    assert ticks == ("&lt;y&gt;", "n$o")


def test_dollars_are_no_formulas():
    """Matplotlib would read two dollar signs as a formula, and fail on this one."""
    for figure in (
        plots.roc({r"$\nonsense{$": curve()}),
        plots.score_box([r"$\bad{$", "b", "b"], [1.0, 2.0, 3.0]),
        plots.confusion(Confusion.of([r"$\bad{$", "b"], ["b", "b"])),
    ):
        assert figure._repr_png_().startswith(b"\x89PNG")


def test_files(tmp_path):
    figure = FIGURES["roc"]
    figure.save(tmp_path / "roc.png")
    figure.save(tmp_path / "roc.svg", theme="dark")
    figure.save(tmp_path / "roc.html")
    assert (tmp_path / "roc.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (tmp_path / "roc.svg").read_text(encoding="utf-8")
    page = (tmp_path / "roc.html").read_text(encoding="utf-8")
    assert "Plotly.newPlot" in page and 'src="http' not in page  # no network
    assert figure._repr_png_().startswith(b"\x89PNG")


@pytest.mark.slow
def test_no_figure_stays_open():
    code = (
        "import sys; from sumlearn.report import plots; "
        "assert not {'matplotlib', 'plotly'} & set(sys.modules); "
        "plots.emptying_space().matplotlib(); print('matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "False", done.stderr


@pytest.mark.parametrize(("library", "extra"), [("matplotlib", "plot"), ("plotly", "cli")])
def test_missing_library_names_its_extra(monkeypatch, library, extra):
    for name in [name for name in sys.modules if name.split(".")[0] == library]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ImportError, match=rf"pip install 'sumlearn\[{extra}\]'"):
        getattr(FIGURES["roc"], library)()


def test_unknown_theme():
    for draw in (FIGURES["roc"].matplotlib, FIGURES["roc"].plotly):
        with pytest.raises(ValueError, match="theme must be one of 'light', 'dark'"):
            draw("sepia")


def luminance(color):
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts]
    return np.dot(linear, [0.2126, 0.7152, 0.0722])


def contrast(a, b):
    high, low = sorted([luminance(a), luminance(b)], reverse=True)
    return (high + 0.05) / (low + 0.05)


@each_theme
def test_colours_can_be_read(theme):
    """Contrast as the web guidelines define it: 4.5 for text, 2 and more for thick lines of the series."""
    colors = THEMES[theme]
    assert contrast(colors.ink, colors.ground) > 10
    assert min(contrast(color, colors.ground) for color in colors.series) > 2
    for share in np.linspace(0, 1, 21):
        assert contrast(readable_on(share, colors), mixed(share, colors)) > 4.5


# -- what is shown --------------------------------------------------------------------------------------------------


def test_roc_shows_the_curve():
    one = TWO["one"]
    chance, first, second = lines(plots.roc(TWO))
    assert chance.x.tolist() == chance.y.tolist() == [0.0, 1.0]
    assert np.array_equal(first.x, one.fpr) and np.array_equal(first.y, one.tpr)
    assert first.label == f"one: AUC {one.auc():.3f}" and second.color == 1
    (mark,) = marks(plots.roc(one, point=one.tangent_point))
    assert (mark.x, mark.y) == (one.tangent_point.fpr, one.tangent_point.tpr)
    (mark,) = marks(plots.roc(one, point=0.3))
    assert (mark.x, mark.y) == one.at(0.3)[2:0:-1]


@pytest.mark.parametrize("prior", [None, 0.1, 0.8])
def test_equal_cost_lines(prior):
    """Slope rho_FA (1 - prior) / (rho_FR prior); the first is the cheapest that meets the curve."""
    one = curve()
    figure = plots.roc(one, costs=(2.0, 3.0), prior=prior)
    best = one.iso_cost_point(2.0, 3.0, prior)
    share = 0.5 if prior is None else prior
    slope = 2.0 * (1 - share) / (3.0 * share)
    costs = []
    for line in lines(figure)[2:]:
        assert np.diff(line.y)[0] / np.diff(line.x)[0] == pytest.approx(slope, rel=1e-9)
        cost = 2.0 * (1 - share) * line.x + 3.0 * share * (1 - line.y)
        assert cost[0] == pytest.approx(cost[1], rel=1e-9)
        costs.append(cost[0])
    assert costs[0] == pytest.approx(one.expected_cost(2.0, 3.0, prior).min(), rel=1e-9)
    assert costs == sorted(costs)
    (mark,) = marks(figure)
    assert (mark.x, mark.y) == (best.fpr, best.tpr)


def test_threshold_curves_cross_at_eer_and_bep():
    one = curve()
    figure = plots.threshold_curves(one)
    tpr, tnr, precision, fnr, fpr = lines(figure)
    assert np.array_equal(tpr.x, one.thresholds[1:])
    shown = (tpr, one.tpr), (tnr, one.tnr), (precision, one.precision), (fnr, one.fnr), (fpr, one.fpr)
    for line, values in shown:
        assert np.array_equal(line.y, values[1:])
    assert (fnr.style, fnr.color, fpr.style, fpr.color) == ("dot", tpr.color, "dot", tnr.color)
    equal, even = marks(figure)
    assert equal.text == f"EER {one.eer:.3f}" and even.text == f"BEP {one.bep:.3f}"
    at = np.flatnonzero(tpr.x == equal.x)[0]
    assert abs(tpr.y[at] - tnr.y[at]) == np.abs(tpr.y - tnr.y).min() and equal.y == one.eer
    assert fnr.y[at] == pytest.approx(one.eer, rel=1e-15)
    at = np.flatnonzero(tpr.x == even.x)[0]
    assert abs(tpr.y[at] - precision.y[at]) == np.abs(tpr.y - precision.y).min() and even.y == tpr.y[at]


def test_roc_over_the_true_negative_rate():
    """The same picture over an axis that runs from 1 to 0."""
    one = curve()
    over, usual = (plots.roc(one, point=0.3, costs=(1.0, 2.0), over=name).panels[0] for name in ("tnr", "fpr"))
    assert over.x_range == usual.x_range[::-1] and "True negative rate" in over.x_label
    for mirrored, item in zip(over.items, usual.items, strict=True):
        assert np.array_equal(mirrored.x, 1.0 - np.asarray(item.x)) and np.array_equal(mirrored.y, item.y)
    with pytest.raises(ValueError, match="over must be one of 'fpr', 'tnr'"):
        plots.roc(one, over="ppv")


def test_rates_among_ties_are_said():
    tied = RocCurve([0, 1, 0, 1], [1.0, 1.0, 1.0, 1.0])
    assert [mark.text for mark in marks(plots.threshold_curves(tied))] == ["EER 0.500 (ties)", "BEP 0.500 (ties)"]


def test_weights_are_numbers_of_rows():
    rng = np.random.default_rng(3)
    y, p, weight = rng.integers(0, 2, 60), rng.random(60), rng.integers(0, 4, 60)
    again = np.repeat(np.arange(60), weight)
    boxes = (plots.score_box(y, p, weight), plots.score_box(y[again], p[again]))
    for a, b in zip(*(figure.panels[0].items for figure in boxes), strict=True):
        assert (a.median, *a.quartiles, *a.whiskers) == pytest.approx((b.median, *b.quartiles, *b.whiskers))
    bins = (plots.reliability(y, p, 5, sample_weight=weight), plots.reliability(y[again], p[again], 5))
    a, b = (figure.panels[0].items[1] for figure in bins)
    for name in ("x", "y", "low", "high"):
        assert getattr(a, name) == pytest.approx(getattr(b, name))
    assert bins[0].panels[1].items[0].height.tolist() == bins[1].panels[1].items[0].height.tolist()
    parts = plots.score_box(y, p, weight / 8.0).panels[0].items[0]  # in any unit
    assert parts.median == np.quantile(p[y == 0], 0.5, weights=weight[y == 0], method="inverted_cdf")
    for plot in (plots.score_box, lambda *rows, **more: plots.reliability(*rows, **more)):
        with pytest.raises(ValueError, match="no row has a weight above zero"):
            plot(y, p, sample_weight=np.zeros(60))


def test_an_empty_det_curve_says_why():
    """A constant score was said to separate the classes."""
    for y, score, words in (
        ([0, 1, 0, 1], [2.0, 2.0, 2.0, 2.0], "is empty: all scores are equal"),
        ([0, 0, 1, 1], [1.0, 2.0, 3.0, 4.0], "is empty: the scores separate the classes"),
        ([1, 1, 0, 0], [1.0, 2.0, 3.0, 4.0], "is empty: the scores separate the classes"),
        ([1, 0, 0, 1], [2.0, 1.0, 2.0, 2.0], "is empty: no threshold leaves both rates between 0 and 1"),
    ):
        with pytest.raises(ValueError, match=words):
            plots.det(RocCurve(y, score))


def test_det_and_precision_recall():
    one = curve()
    (line,) = lines(plots.det(one))
    inside = (one.fpr > 0) & (one.fpr < 1) & (one.tpr > 0) & (one.tpr < 1)
    assert norm.cdf(line.x) == pytest.approx(one.fpr[inside], rel=1e-9)
    assert norm.cdf(line.y) == pytest.approx(one.fnr[inside], rel=1e-9)
    ticks = plots.det(one).panels[0].x_ticks
    assert all(f"{100 * norm.cdf(at):.4g} %" == text for at, text in ticks)
    base, line = lines(plots.precision_recall(one))
    assert np.array_equal(line.x, one.tpr) and np.array_equal(line.y, one.precision)
    assert base.y.tolist() == [0.5, 0.5]
    with pytest.raises(ValueError, match="the scores separate the classes"):
        plots.det(RocCurve([0, 1], [0.0, 1.0]))


def test_box_is_tukeys():
    values = np.append(np.arange(1.0, 12.0), [20.0, -50.0])
    (box,) = (item for item in plots.score_box(["a"] * 13, values).panels[0].items if isinstance(item, Box))
    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75])
    assert (box.median, box.quartiles) == (middle, (low, high))
    assert box.whiskers == (1.0, 11.0) and box.beyond.tolist() == [-50.0, 20.0]


def test_many_outliers_are_cut():
    values = np.concatenate([np.zeros(10_000), np.arange(1.0, 1001.0), -np.arange(1.0, 1001.0)])
    (box,) = plots.score_box(np.zeros(len(values), int), values).panels[0].items
    assert len(box.beyond) == 200 and box.beyond[0] == -1000.0 and box.beyond[-1] == 1000.0


def test_reliability_agrees_with_scikit_learn():
    p = np.random.default_rng(0).uniform(size=500)
    y = (np.random.default_rng(1).uniform(size=500) < p**1.5).astype(int)
    upper, lower = plots.reliability(y, p, bins=8).panels
    points = upper.items[1]
    share, said = calibration_curve(y, p, n_bins=8)
    assert points.x == pytest.approx(said, rel=1e-12) and points.y == pytest.approx(share, rel=1e-12)
    assert lower.items[0].height.tolist() == np.histogram(p, bins=8, range=(0, 1))[0].tolist()
    counts = lower.items[0].height
    low, high = proportion_confint(np.round(share * counts), counts, method="wilson")
    assert points.low == pytest.approx(low, abs=1e-12) and points.high == pytest.approx(high, abs=1e-12)
    edge = plots.reliability([0, 1], [0.0, 1.0], bins=5)
    assert edge.panels[1].items[0].height.tolist() == [1, 0, 0, 0, 1]


def test_confusion_shows_counts_and_shares():
    heat = plots.confusion(Confusion.of(["a"] * 3 + ["b"], ["a", "a", "b", "b"], labels="abc")).panels[0].items[0]
    assert heat.values.tolist() == [[2 / 3, 1 / 3, 0], [0, 1, 0], [0, 0, 0]]
    assert heat.texts[0] == ("2\n67%", "1\n33%", "0\n0%") and heat.texts[2] == ("0", "0", "0")
    assert heat.rows == heat.columns == ("a", "b", "c")


def test_learning_curve_and_bias_variance():
    found = learning()
    figure = plots.learning_curve(found)
    train, test = lines(figure)
    assert test.y == pytest.approx(found.test_scores.mean(axis=1))
    assert train.high - train.y == pytest.approx(found.train_scores.std(axis=1))
    assert figure.panels[0].y_label == "R2" and figure.panels[0].log_x
    assert [text for _, text in figure.panels[0].x_ticks] == ["10", "50", "400"]
    one = SimpleNamespace(sizes=[5, 10], train_scores=[1.0, 1.0], test_scores=[0.5, 0.6], score_name="accuracy")
    assert lines(plots.learning_curve(one))[0].low is None and not plots.learning_curve(one).panels[0].log_x
    split = splitting()
    *_, error = lines(plots.bias_variance(split))
    assert error.y == pytest.approx(split.error)
    (mark,) = marks(plots.bias_variance(split))
    assert (mark.x, mark.y) == (3.0, pytest.approx(split.error.min()))


def test_loss_curve_is_that_of_the_model():
    iris = load_example("iris")
    with pytest.warns(ConvergenceWarning):
        model = MLPClassifier((5,), early_stopping=True, max_iter=4, learning_rate_init=0.1).fit(iris.X, iris.y)
    loss, scores = plots.loss_curve(model).panels
    assert loss.items[0].y.tolist() == model.loss_curve_ and loss.items[0].x.tolist() == [1, 2, 3, 4]
    assert scores.items[0].y.tolist() == model.validation_scores_
    assert scores.items[1].y.tolist() == [model.best_validation_score_]
    assert len(plots.loss_curve(Perceptron().fit(iris.X, iris.y == "setosa")).panels) == 1
    with pytest.raises(ValueError, match="MLPClassifier has no loss_curve_"):
        plots.loss_curve(MLPClassifier())


def test_results_of_the_library_can_be_drawn():
    X = np.vander(np.linspace(-1, 1, 30), 8)
    found = bias_variance(
        Ridge(),
        lambda rng: (X, X[:, 3] + 0.5 * rng.standard_normal(30)),
        truth=lambda X: X[:, 3],
        test=X,
        noise=0.25,
        n=20,
        parameter="alpha",
        values=[1e-6, 1e-2, 1.0, 100.0],
        random_state=0,
    )
    panel = plots.bias_variance(found).panels[0]
    assert (panel.x_label, panel.y_label, panel.log_x) == ("alpha", "Expected squared error", True)
    assert panel.items[3].y == pytest.approx(found.error)
    iris = load_example("iris")
    curve = learning_curve(GaussianNB(), iris.X, iris.y, cv=3, shuffle=True, random_state=0)
    figure = plots.learning_curve(curve)
    assert figure.panels[0].y_label == curve.score_name
    assert lines(figure)[1].y == pytest.approx(curve.test_scores.mean(axis=1))
    for drawn in (figure, plots.bias_variance(found)):
        drawn.matplotlib().canvas.draw()


def test_complexities_that_are_no_numbers():
    split = SimpleNamespace(
        complexity=["flat", "deep"], bias2=[2, 1], variance=[0, 2], noise=[0, 0], error=[2, 3], loss="zero_one"
    )
    panel = plots.bias_variance(split).panels[0]
    assert panel.x_ticks == ((0.0, "flat"), (1.0, "deep")) and panel.items[-1].text == "least error 2 at flat"
    assert [item.label for item in panel.items[:4]] == ["bias", "variance", "noise", "error"]
    assert panel.y_label == "Expected share of errors"
    one = SimpleNamespace(complexity=[0.0], bias2=[2], variance=[0], noise=[0], error=[2])
    assert all(isinstance(item, Points | Mark) for item in plots.bias_variance(one).panels[0].items)


@each_theme
def test_spans_run_across(theme):
    """From low to high, in both libraries."""
    one = FIGURES["spans"].plotly(theme).data[0]
    assert one.x + np.array(one.error_x.array) == pytest.approx(SPANS[0].high)
    assert one.x - np.array(one.error_x.arrayminus) == pytest.approx(SPANS[0].low)
    ax = FIGURES["spans"].matplotlib(theme).axes[0]
    ends = [segment for lines in ax.collections for segment in lines.get_segments()]
    assert [[0.5, 0.0], [2.0, 0.0]] in [segment.tolist() for segment in ends]


@each_theme
def test_regions_have_a_step_of_colour_for_every_name(theme):
    heat = FIGURES["regions"].plotly(theme).data[0]
    assert np.array_equal(heat.z, GROUND.codes) and (heat.zmin, heat.zmax) == (-0.5, 2.5)
    places, tints = zip(*heat.colorscale, strict=True)
    assert places == pytest.approx([0, 1 / 3, 1 / 3, 2 / 3, 2 / 3, 1]) and len(set(tints)) == 3
    (mesh,) = [c for c in FIGURES["regions"].matplotlib(theme).axes[0].collections if hasattr(c, "get_coordinates")]
    assert np.array_equal(np.asarray(mesh.get_array()).reshape(3, 4), GROUND.codes)


def test_spans_and_regions_have_their_numbers_in_a_table():
    rows = numbers_of(FIGURES["spans"]).rows
    assert rows[0] == ["<b>: one <b>", 1.0, None, 0.5, 2.0] and rows[3][0] == "$y: other"
    assert [row[0] for row in numbers_of(FIGURES["regions"]).rows[:3]] == [
        "a: 33% of the picture",
        "<b>: 33% of the picture",
        "c: 33% of the picture",
    ]


def test_panels_share_one_legend_in_a_page():
    made = drawing(FIGURES["reliability"])
    assert "legend2" not in made["layout"] and {trace.get("legend") for trace in made["data"]} == {"legend"}


def test_emptying_space():
    figure = plots.emptying_space(dimensions=10, shells=(0.1,), edges=(0.25,))
    d = np.arange(1, 11)
    assert lines(figure)[0].y == pytest.approx(1 - 0.9**d)
    assert 10 ** lines(figure, 1)[0].y == pytest.approx(4.0**d)


def test_mixture():
    """Ellipses of one and two deviations, and the regression by the same two columns."""
    X = load_example("faithful").X
    model = GaussianMixture(2).fit(X)
    *rings, expected = lines(plots.mixture(model, X, regression=True))
    for ring, k, deviations in zip(rings, (0, 0, 1, 1), (1.0, 2.0, 1.0, 2.0), strict=True):
        away = np.column_stack([ring.x, ring.y]) - model.means_[k]
        assert np.einsum("ni,ij,nj->n", away, model.precisions_[k], away) == pytest.approx(deviations**2)
    mean, deviation = model.conditional(expected.x[:, None], [0], return_std=True)
    assert expected.y == pytest.approx(mean[:, 0]) and expected.high - expected.y == pytest.approx(2 * deviation[:, 0])


def test_long_curves_are_thinned():
    """A million points are not sent to a browser; what is left stays within a step of the curve."""
    long = curve(200_000)
    line = lines(plots.roc(long))[1]
    assert len(line.x) <= 1502
    assert line.x[0] == line.y[0] == 0.0 and line.x[-1] == line.y[-1] == 1.0
    assert np.abs(np.interp(long.fpr, line.x, line.y) - long.tpr).max() < 0.005
    assert thinned(np.arange(5.0), np.arange(5.0))[0].tolist() == [0, 1, 2, 3, 4]
    assert len(thinned(np.zeros(10_000), np.zeros(10_000))[0]) >= 1


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: plots.roc([0, 1]), TypeError, "curves must be"),
        (lambda: plots.roc({}), TypeError, "curves must be"),
        (lambda: plots.roc(curve(), costs=(-1.0, 1.0)), ValueError, "costs"),
        (lambda: plots.score_box([], []), ValueError, "no rows"),
        (lambda: plots.score_box([0, 1], [0.0, np.nan]), ValueError, "score contains NaN: first at row 1"),
        (lambda: plots.reliability([0, 1], [0.5, 1.5]), ValueError, "between 0 and 1, got 1.5 at row 1"),
        (lambda: plots.reliability([0, 1], [0.5, 0.6], bins=0), ValueError, "bins"),
        (lambda: plots.reliability([0, 0], [0.5, 0.6]), ValueError, "one class only"),
        (lambda: plots.confusion(Confusion.of([], [])), ValueError, "no classes"),
        (lambda: plots.emptying_space(1), ValueError, "dimensions"),
        (lambda: plots.mixture(GaussianMixture().fit(np.eye(3)), columns=(1, 1)), ValueError, "two different numbers"),
    ],
)
def test_bad_input(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_panels_are_immutable():
    with pytest.raises(AttributeError):
        FIGURES["roc"].title = "other"
    assert isinstance(FIGURES["roc"].panels[0], Panel)


def test_a_line_of_one_point_is_a_dot():
    figure = Figure((Panel((Line(np.array([1.0]), np.array([2.0]), "alone"),), "x", "y"),))
    assert figure.matplotlib().axes[0].get_lines()[0].get_marker() == "o"
    assert figure.plotly().data[0].mode == "markers"


def test_long_names_of_classes_do_not_lie_over_each_other():
    names = [f"a rather long name {k}" for k in range(4)]
    short, long = (plots.confusion(Confusion.of(labels, labels)).matplotlib() for labels in (list("abcd"), names))
    assert {label.get_rotation() for label in short.axes[0].get_xticklabels()} == {0.0}
    assert {label.get_rotation() for label in long.axes[0].get_xticklabels()} == {45.0}


def test_the_page_calls_every_plot_by_its_parameters():
    page = Path(__file__).parents[2].joinpath("docs/methods/plots.md").read_text()
    rows = dict(re.findall(r"^\| `(\w+)\((.*?)\)` \|", page, re.MULTILINE))
    for name in set(plots.__all__) - {"Figure"}:
        listed = [part for part in rows[name].split(", ") if part]
        assert listed == list(inspect.signature(getattr(plots, name)).parameters)[: len(listed)], name


def test_a_light_colour_has_one_place_on_dark_ground():
    """The page draws in light colours and looks up the dark ones: the first series is not the end of a heat map."""
    light, dark = THEMES["light"], THEMES["dark"]
    found = colours()
    assert [found[color] for color in light.series] == list(dark.series)
    assert [found[color] for color in light.heat] == list(dark.heat)
