/* The moving parts of a report: charts when their section opens, two sliders, and least squares solved again. */
(function () {
  "use strict";
  const report = JSON.parse(document.getElementById("report-data").textContent);
  const byId = (id) => document.getElementById(id);
  const drawn = new Set();

  /* ---- numbers for people ---- */

  function signed(text) { return text.startsWith("-") ? "\u2212" + text.slice(1) : text; }

  function three(value) {
    if (!Number.isFinite(value)) return "\u2013";
    return signed(Math.abs(value) < 10 ? value.toFixed(3) : Number(value.toPrecision(4)).toLocaleString("en"));
  }

  function short(value) {
    if (!Number.isFinite(value)) return "\u221e";
    const size = Math.abs(value);
    return signed(size === 0 || (size >= 1e-3 && size < 1e4) ? String(Number(value.toPrecision(4))) : value.toPrecision(3));
  }

  function whole(value) { return Number(value.toPrecision(12)).toLocaleString("en"); }

  function tell(element, value, text) {
    element.dataset.value = String(value);
    element.textContent = text;
  }

  /* ---- light and dark ---- */

  const system = window.matchMedia("(prefers-color-scheme: dark)");
  let printing = false;

  function dark() {
    const asked = document.documentElement.dataset.theme;
    return !printing && (asked ? asked === "dark" : system.matches);
  }

  /* The figures are in the light colours; on dark ground each has another in its place. */
  function coloured(value) {
    if (typeof value === "string") return dark() && Object.hasOwn(report.colours, value) ? report.colours[value] : value;
    if (Array.isArray(value)) return value.every((part) => typeof part === "number") ? value : value.map(coloured);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, coloured(part)]));
  }

  /* ---- charts ---- */

  function draw(name) {
    const place = byId("chart-" + name);
    const figure = report.figures[name];
    const width = Math.min(place.clientWidth || figure.width, figure.width);
    const names = figure.names.concat(name === "roc" && counts ? [10, 13] : []);
    const beside = Math.max(1, Math.floor((width - 70) / (7 * Math.max(...names, 4) + 46)));
    const legend = figure.layout.showlegend ? 20 * Math.ceil(names.length / beside) + 6 : 0;
    const height = Math.min(figure.layout.height, Math.max(260, width * figure.layout.height / figure.width)) + legend;
    const layout = Object.assign(coloured(figure.layout), { width: width, height: height, dragmode: false, hovermode: "closest" });
    if (width < 480) {
      Object.keys(layout).filter((key) => key.includes("axis") && layout[key].title).forEach((key) => {
        layout[key].title = Object.assign({}, layout[key].title, { font: { size: 10 } });
      });
    }
    layout.margin = Object.assign({}, layout.margin, { b: layout.margin.b + legend });
    layout.font = Object.assign({}, layout.font, { family: getComputedStyle(document.body).fontFamily });
    const data = coloured(figure.data).concat(name === "roc" ? coloured(liveTraces()) : []);
    Plotly.react(place, data, layout, { displayModeBar: false, responsive: false });
    drawn.add(name);
  }

  function drawIn(section) {
    section.querySelectorAll("[data-chart]").forEach((place) => { if (!drawn.has(place.dataset.chart)) draw(place.dataset.chart); });
  }

  function redraw() { drawn.forEach(draw); }

  /* ---- the working point ---- */

  const counts = report.threshold;
  let point = counts ? counts.start : 0;
  let ratio = counts && counts.cost ? counts.cost : 1;

  function at(index) {
    const last = counts.tp.length - 1;
    const tp = counts.tp[index], fp = counts.fp[index];
    return { tp: tp, fp: fp, fn: counts.tp[last] - tp, tn: counts.fp[last] - fp };
  }

  function ratesOf(c) {
    const share = (part, rest) => part / (part + rest);
    return {
      tpr: share(c.tp, c.fn), fnr: share(c.fn, c.tp), fpr: share(c.fp, c.tn), tnr: share(c.tn, c.fp),
      precision: share(c.tp, c.fp), garbage: share(c.fp, c.tp), waste: share(c.fn, c.tn), care: share(c.tn, c.fn),
      f: share(c.tp, (c.fp + c.fn) / 2), accuracy: share(c.tp + c.tn, c.fp + c.fn)
    };
  }

  /* The cheapest threshold if a false acceptance costs as much as so many false rejections; of equals the highest. */
  function cheapest(price) {
    let best = 0, least = Infinity;
    for (let i = 0; i < counts.tp.length; i++) {
      const c = at(i), cost = price * c.fp + c.fn;
      if (cost < least) { least = cost; best = i; }
    }
    return best;
  }

  /* The working point and the line of equal cost through it, for the ROC chart. */
  function liveTraces() {
    if (!counts) return [];
    const last = counts.tp.length - 1, r = ratesOf(at(point));
    const slope = ratio * counts.fp[last] / counts.tp[last];
    const xs = [0, 1, r.fpr - r.tpr / slope, r.fpr + (1 - r.tpr) / slope];
    const inside = xs.map((x) => [x, r.tpr + slope * (x - r.fpr)])
      .filter((p) => p[0] >= -1e-9 && p[0] <= 1 + 1e-9 && p[1] >= -1e-9 && p[1] <= 1 + 1e-9)
      .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const ends = inside.length > 1 ? [inside[0], inside[inside.length - 1]] : [];
    return [
      { type: "scatter", mode: "lines", x: ends.map((p) => p[0]), y: ends.map((p) => p[1]), name: "equal cost",
        line: { color: "#d55e00", width: 1.4, dash: "dash" }, hoverinfo: "skip", meta: "equal cost" },
      { type: "scatter", mode: "markers", x: [r.fpr], y: [r.tpr], name: "working point", meta: "working point",
        marker: { color: "#d55e00", size: 13, line: { color: "#ffffff", width: 2 } },
        hovertemplate: "%{x:.3f}, %{y:.3f}<extra></extra>" }
    ];
  }

  function showPoint() {
    const c = at(point), r = ratesOf(c), threshold = counts.thresholds[point];
    byId("threshold-slider").value = point;
    tell(byId("threshold-value"), threshold === null ? Infinity : threshold, threshold === null ? "above all scores" : short(threshold));
    tell(byId("cost-value"), ratio, short(ratio));
    Object.entries(c).forEach(([name, value]) => {
      const cell = document.querySelector(`[data-count="${name}"]`);
      const row = name === "tp" || name === "fn" ? c.tp + c.fn : c.fp + c.tn;
      tell(cell, value, whole(value));
      cell.style.setProperty("--share", (100 * value / row).toFixed(2) + "%");
    });
    Object.entries(r).forEach(([name, value]) => tell(document.querySelector(`[data-rate="${name}"]`), value, three(value)));
    if (drawn.has("roc")) draw("roc");
  }

  function startThreshold() {
    const slider = byId("threshold-slider"), cost = byId("cost-slider");
    slider.max = counts.tp.length - 1;
    cost.value = Math.round(4 * Math.log2(ratio));
    slider.addEventListener("input", () => { point = Number(slider.value); showPoint(); });
    cost.addEventListener("input", () => { ratio = Math.pow(2, Number(cost.value) / 4); point = cheapest(ratio); showPoint(); });
    byId("threshold-reset").addEventListener("click", () => { point = counts.start; showPoint(); });
    if (counts.all > counts.tp.length) {
      byId("threshold-note").textContent = `The slider stops at ${whole(counts.tp.length)} of ${whole(counts.all)} thresholds.`;
    }
    showPoint();
  }

  /* ---- least squares from sums ---- */

  function opened(packed) {
    const text = atob(packed.numbers), bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    const numbers = new Float64Array(bytes.buffer), n = packed.size;
    const scatter = new Float64Array(n * n);
    let k = n;
    for (let i = 0; i < n; i++) for (let j = i; j < n; j++) scatter[i * n + j] = scatter[j * n + i] = numbers[k++];
    return { weight: packed.weight, size: n, mean: numbers.slice(0, n), scatter: scatter };
  }

  /* Cholesky factor of a matrix with unit diagonal, or null where columns depend on each other. */
  function factor(A, n) {
    const L = new Float64Array(n * n);
    for (let j = 0; j < n; j++) {
      for (let i = j; i < n; i++) {
        let s = A[i * n + j];
        for (let k = 0; k < j; k++) s -= L[i * n + k] * L[j * n + k];
        if (i === j) {
          if (!(s > 1e-11)) return null;
          L[j * n + j] = Math.sqrt(s);
        } else L[i * n + j] = s / L[j * n + j];
      }
    }
    return L;
  }

  function substitute(L, n, b) {
    const x = Float64Array.from(b);
    for (let i = 0; i < n; i++) {
      for (let k = 0; k < i; k++) x[i] -= L[i * n + k] * x[k];
      x[i] /= L[i * n + i];
    }
    for (let i = n - 1; i >= 0; i--) {
      for (let k = i + 1; k < n; k++) x[i] -= L[k * n + i] * x[k];
      x[i] /= L[i * n + i];
    }
    return x;
  }

  /* b = (S + alpha I)^-1 s on some features, scaled to unit diagonal, with two steps of refinement. */
  function solve(sums, kept, alpha) {
    const n = sums.size, d = kept.length, target = n - 1;
    const S = (i, j) => sums.scatter[i * n + j];
    const scale = kept.map((i) => 1 / Math.sqrt(S(i, i) + alpha));
    const A = new Float64Array(d * d);
    for (let a = 0; a < d; a++) for (let b = 0; b < d; b++) {
      A[a * d + b] = (S(kept[a], kept[b]) + (a === b ? alpha : 0)) * scale[a] * scale[b];
    }
    const right = kept.map((i, a) => S(i, target) * scale[a]);
    const L = factor(A, d);
    if (L === null || !scale.every(Number.isFinite)) return null;
    const x = substitute(L, d, right);
    for (let step = 0; step < 2; step++) {
      const left = right.map((value, a) => {
        let r = value;
        for (let b = 0; b < d; b++) r -= A[a * d + b] * x[b];
        return r;
      });
      substitute(L, d, left).forEach((value, a) => { x[a] += value; });
    }
    const coef = Array.from(x, (value, a) => value * scale[a]);
    return { coef: coef, intercept: sums.mean[target] - coef.reduce((sum, c, a) => sum + c * sums.mean[kept[a]], 0) };
  }

  function squaredError(sums, kept, model) {
    const n = sums.size, target = n - 1;
    let off = sums.mean[target] - model.intercept, spread = sums.scatter[target * n + target];
    kept.forEach((i, a) => {
      off -= model.coef[a] * sums.mean[i];
      let row = -2 * sums.scatter[i * n + target];
      kept.forEach((j, b) => { row += model.coef[b] * sums.scatter[i * n + j]; });
      spread += model.coef[a] * row;
    });
    return spread + sums.weight * off * off;
  }

  let folds = [], everything = null, first = null;

  function keptOf(columns, ticked) { return columns.map((c, j) => j).filter((j) => ticked.has(columns[j])); }

  function crossValidated(ticked, alpha) {
    let r2 = 0, squares = 0, weight = 0;
    for (const fold of folds) {
      const kept = keptOf(fold.column, ticked), model = solve(fold.train, kept, alpha);
      if (model === null) return null;
      const error = squaredError(fold.test, kept, model), n = fold.test.size;
      r2 += (1 - error / fold.test.scatter[n * n - 1]) / folds.length;
      squares += error;
      weight += fold.test.weight;
    }
    return { r2: r2, rmse: Math.sqrt(squares / weight) };
  }

  function penalty() {
    const step = Number(byId("refit-slider").value);
    return step === first.step ? first.alpha : step === -31 ? 0 : Math.pow(10, step / 10);
  }

  function ticks() { return Array.from(document.querySelectorAll("#refit-live [data-column]")); }

  function showRefit() {
    const ticked = new Set(ticks().filter((box) => box.checked).map((box) => Number(box.dataset.column)));
    const alpha = penalty(), found = crossValidated(ticked, alpha), kept = keptOf(everything.column, ticked);
    const model = solve(everything.train, kept, alpha), body = document.querySelector("#refit-coefficients tbody");
    tell(byId("refit-alpha"), alpha, short(alpha));
    body.replaceChildren();
    byId("refit-note").textContent = found && model ? "" : "These columns depend on each other: no single solution. Raise \u03bb or take a column out.";
    tell(byId("refit-r2"), found ? found.r2 : NaN, found ? three(found.r2) : "\u2013");
    tell(byId("refit-rmse"), found ? found.rmse : NaN, found ? three(found.rmse) : "\u2013");
    byId("refit-change").textContent = found && first.r2 !== null ? (found.r2 >= first.r2 ? "+" : "") + three(found.r2 - first.r2) : "\u2013";
    if (!model) return;
    const row = (name, value) => {
      const line = body.insertRow(), cell = line.insertCell();
      cell.textContent = name;
      const number = line.insertCell();
      number.className = "number";
      tell(number, value, short(value));
    };
    kept.map((j, a) => [everything.names[j], model.coef[a]])
      .sort((a, b) => Math.abs(b[1]) - Math.abs(a[1])).forEach(([name, value]) => row(name, value));
    row("(intercept)", model.intercept);
  }

  function startRefit() {
    const given = report.refit;
    folds = given.folds.map((fold) => ({ column: fold.column, train: opened(fold.train), test: opened(fold.test) }));
    everything = { column: given.all.column, names: given.all.names, train: opened(given.all.train) };
    const step = given.alpha > 0 ? Math.max(-30, Math.min(50, Math.round(10 * Math.log10(given.alpha)))) : -31;
    byId("refit-slider").value = step;
    const saved = crossValidated(new Set(given.start), given.alpha);
    first = { alpha: given.alpha, step: step, r2: saved ? saved.r2 : null };
    byId("refit-slider").addEventListener("input", showRefit);
    ticks().forEach((box) => box.addEventListener("change", showRefit));
    const tick = (id, wanted) => byId(id).addEventListener("click", () => {
      ticks().forEach((box) => { box.checked = wanted(Number(box.dataset.column)); });
      showRefit();
    });
    tick("refit-all", () => true);
    tick("refit-none", () => false);
    tick("refit-saved", (column) => given.start.includes(column));
    byId("refit-saved").addEventListener("click", () => { byId("refit-slider").value = step; showRefit(); });
    showRefit();
  }

  /* ---- long tables show their first rows ---- */

  document.querySelectorAll("table.long").forEach((table) => {
    const more = document.createElement("button");
    const fold = (on) => {
      table.classList.toggle("folded", on);
      more.textContent = on ? "all rows" : "fewer rows";
    };
    more.type = "button";
    more.className = "more";
    more.addEventListener("click", () => fold(!table.classList.contains("folded")));
    table.parentElement.after(more);
    fold(true);
  });

  /* ---- beginning ---- */

  const toggle = byId("theme");
  const label = () => { toggle.textContent = dark() ? "light" : "dark"; };
  toggle.hidden = false;
  toggle.addEventListener("click", () => {
    document.documentElement.dataset.theme = dark() ? "light" : "dark";
    label();
    redraw();
  });
  system.addEventListener("change", () => { label(); redraw(); });
  label();

  if (counts) startThreshold();
  if (report.refit) startRefit();
  const sections = Array.from(document.querySelectorAll("details.section"));
  sections.forEach((section) => {
    if (section.open) drawIn(section);
    section.addEventListener("toggle", () => { if (section.open) drawIn(section); });
  });
  const show = () => {
    const wanted = location.hash.length > 1 ? byId(decodeURIComponent(location.hash.slice(1))) : null;
    if (wanted && wanted.matches("details.section")) wanted.open = true;
  };
  window.addEventListener("hashchange", show);
  show();
  let width = window.innerWidth, waiting = 0;
  window.addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => { if (window.innerWidth !== width) { width = window.innerWidth; redraw(); } }, 150);
  });
  let folded = [];
  window.addEventListener("beforeprint", () => {
    printing = true;
    folded = sections.filter((section) => !section.open);
    folded.forEach((section) => { section.open = true; drawIn(section); });
    redraw();
  });
  window.addEventListener("afterprint", () => {
    printing = false;
    folded.forEach((section) => { section.open = false; });
    redraw();
  });
})();
