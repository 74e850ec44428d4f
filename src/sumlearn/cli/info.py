"""`sumlearn info`: what a model file says about itself."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

from .files import load_any, model_path
from .options import Debug, Json, Model
from .output import Output


def info(model: Model, as_json: Json = False, debug: Debug = False) -> None:
    """Show what a model file says about itself."""
    from ..product.certificate import certificate_of

    out = Output(as_json)
    path = model_path(model)
    trained = load_any(path)
    facts = trained.facts
    if facts["task"] == "cluster":
        sizes = ", ".join(f"{n:g}" for n in facts["sizes"])
        return tell_unlabelled(out, path, facts, "clusters", f"{facts['k']}, {facts['chosen_by']}; rows: {sizes}")
    if facts["task"] == "one class":
        of = "" if facts["normal"] is None else f" {facts['normal']!r}"
        text = f"the class{of} or an outlier; {facts['acceptance']:.0%} of {facts['rows']} rows accepted"
        return tell_unlabelled(out, path, facts, "one class", text)
    certificate = certificate_of(trained, path)
    classes = facts["classes"]
    what = f"{len(classes)} classes: {', '.join(map(str, classes[:8]))}" if classes else "a number"
    out.result("file", f"{path}   {path.stat().st_size:,} bytes   sumlearn {facts['sumlearn']}")
    out.result("predicts", f"{facts['target']!r}, {what}")
    if facts["positive"] is not None:
        threshold = "the learner's own" if facts["threshold"] is None else f"{facts['threshold']:.6g}"
        out.result("positive", f'"{facts["positive"]}", threshold {threshold}')
    out.result("model", f"{facts['model']['title']}   {parameters(facts['model']['params'])}")
    out.result("can", ", ".join(facts["model"]["can"]) or "not update, forget or merge")
    if facts["rival"] is not None:
        rival = facts["rival"]
        out.result("rival", f"{rival['title']}   {parameters(rival['params'])}   can {', '.join(rival['can'])}")
    out.result("from", f"{len(facts['columns'])} columns: {', '.join(facts['columns'][:12])}")
    if trained.is_scored:
        low, high = facts["interval"]
        score = f"{facts['metric']} {facts['score']:.4g} [{low:.4g}, {high:.4g}]"
        out.result("score", f"{score} at its training, on rows left out")
    else:
        out.result("score", "none: its classes are no longer those of its training; sumlearn report measures it")
    out.result("rows", str(facts["rows"]) if facts["rows"] else "0: the model has forgotten everything")
    for number, event in enumerate(facts["history"]):
        out.result("" if number else "history", told(event))
    out.result("hashes", "kept" if trained.ledger is not None else "not kept")
    out.result("sha256", certificate["sha256"])
    more = {"can": list(trained.can), "row_hashes": trained.ledger is not None}
    more |= {} if trained.is_scored else {"score": None, "interval": [None, None]}
    shared = vars(trained).get("_done")
    if shared is not None:
        out.result("shared", f"least {shared['least']} rows; {'; '.join(shared['done']) or 'nothing was changed'}")
        more["shared"] = shared
    out.document({"file": str(path), **facts, **more, **certificate})


def tell_unlabelled(out: Output, path: Path, facts: dict[str, Any], label: str, text: str) -> None:
    """What a file says that holds clusters or one class."""
    out.result("file", f"{path}   {path.stat().st_size:,} bytes   sumlearn {facts['sumlearn']}")
    out.result(label, text)
    out.result("model", facts["model"]["title"])
    out.result("from", f"{len(facts['columns'])} columns: {', '.join(facts['columns'][:12])}")
    for number, event in enumerate(facts["history"]):
        out.result("" if number else "history", told(event))
    digest = sha256(path.read_bytes()).hexdigest()
    out.result("sha256", digest)
    out.document({"file": str(path), **facts, "sha256": digest})


def told(event: dict[str, Any]) -> str:
    """What happened to a model once.

    >>> told({"what": "update", "rows": 68, "source": "more", "metric": "auc", "score": 0.8123})
    'update   68 rows of more   auc 0.8123 before they were learnt'
    """
    text = f"{event['what']:<8} {event['rows']} rows" + (f" of {event['source']}" if event["source"] else "")
    score = event.get("score")
    return text if score is None else f"{text}   {event['metric']} {score:.4g} before they were learnt"


def parameters(params: dict[str, object]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in params.items()) or "no hyperparameters"
