"""Models for other runtimes: linear and Gaussian models and networks as ONNX graphs, in double precision.

A learner names its graph, ``description.onnx``; the graphs of that name are here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from ..learners.description import described_classes, description_of
from ..learners.networks.activations import ELU, Activation, Identity, LeakyReLU, Maxout, ReLU, Sigmoid, Tanh
from ..learners.networks.parts.place import target_unit

OPSET = 17
FORMAT = 9  # of the file, as old as the operators allow
INPUT = "X"


def to_onnx(model: Any) -> Any:
    """An ONNX model that answers as a fitted model does.

        regression: variable = (X - centre) coef' + level, or what the layers of a network make of X
        classes:    label, and probabilities = softmax or logistic function of the scores; scores where there are none

    The input is ``X``, a matrix of doubles. A regression has the output ``variable``, of several targets a column for
    each; a classifier ``label`` and ``probabilities`` or ``scores``, with a column for each of ``classes_`` (of two
    classes, ``scores`` is one column, as ``decision_function``; of several labels at once both are tables).

    Parameters
    ----------
    model : fitted learner whose description names a graph
        LinearRegression, Ridge, RidgeCV, LinearRegressor, LinearDiscriminantAnalysis, LogisticRegression,
        LinearClassifier, LeastSquaresClassifier, GaussianNB, QuadraticDiscriminantAnalysis, MLPClassifier,
        MLPRegressor, or one of your own. On numbers, without a basis.

    Returns
    -------
    onnx.ModelProto
        ``onnx.save(found, "model.onnx")`` writes it.

    Examples
    --------
    >>> from sumlearn import LinearDiscriminantAnalysis
    >>> from sumlearn.data import load_example
    >>> from sumlearn.saving import to_onnx
    >>> iris = load_example("iris")
    >>> found = to_onnx(LinearDiscriminantAnalysis().fit(iris.X, iris.y))   # doctest: +SKIP
    >>> [output.name for output in found.graph.output]                      # doctest: +SKIP
    ['label', 'probabilities']

    References
    ----------
    ONNX operators, opset 17.
    """
    try:
        import onnx
    except ImportError as missing:
        raise ImportError("ONNX models are made by onnx: pip install 'sumlearn[onnx]'") from missing

    from sklearn.utils.validation import check_is_fitted

    from ..version import __version__

    kind, scores = type(model).__name__, GRAPHS.get(str(description_of(model).onnx))
    if scores is None:
        raise TypeError(f"{kind} has no ONNX form here; there is one for {', '.join(convertible())}")
    check_is_fitted(model)
    if getattr(model, "basis", None) is not None:
        raise ValueError(f"{kind} with a basis has no ONNX form here: convert the model on the features")
    graph = Graph(onnx)
    if is_classifier(model):
        outputs = class_outputs(graph, model, *scores(graph, model))
    else:
        outputs = [numbers(graph, model, *scores(graph, model))]
    rows = onnx.helper.make_tensor_value_info(INPUT, onnx.TensorProto.DOUBLE, [None, model.n_features_in_])
    made = onnx.helper.make_graph(graph.nodes, kind, [rows], outputs, graph.constants)
    version = [onnx.helper.make_opsetid("", OPSET)]
    found = onnx.helper.make_model(made, opset_imports=version, ir_version=FORMAT, producer_name="sumlearn")
    found.producer_version = __version__
    onnx.checker.check_model(found)
    return found


def convertible() -> list[str]:
    """Names of the public learners that have a form, regressions first."""
    kinds: list[Any] = [kind for kind in described_classes() if description_of(kind).onnx is not None]
    return [kind.__name__ for kind in sorted(kinds, key=lambda kind: is_classifier(kind()))]


class Graph:
    """Nodes and constants, named as they come."""

    def __init__(self, onnx: Any) -> None:
        self.onnx = onnx
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, values: Any) -> str:
        name, array = f"constant{len(self.constants)}", np.asarray(values)
        if array.dtype.kind in "UO":
            texts = [str(text).encode() for text in array.ravel().tolist()]
            kind = self.onnx.TensorProto.STRING
            self.constants.append(self.onnx.helper.make_tensor(name, kind, array.shape, texts))
        else:
            self.constants.append(self.onnx.numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def add(self, operator: str, *inputs: str, **attributes: Any) -> str:
        name = f"value{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(operator, list(inputs), [name], **attributes))
        return name

    def output(self, value: str, name: str, shape: tuple[Any, ...], kind: str = "DOUBLE") -> Any:
        self.nodes.append(self.onnx.helper.make_node("Identity", [value], [name]))
        return self.onnx.helper.make_tensor_value_info(name, getattr(self.onnx.TensorProto, kind), list(shape))


# -- scores ---------------------------------------------------------------------------------------------------------

Scores = tuple[str, int]  # a value of the graph, and its columns
GRAPHS: dict[str, Callable[[Graph, Any], Scores]] = {}


def named(word: str) -> Callable[[Callable[[Graph, Any], Scores]], Callable[[Graph, Any], Scores]]:
    """Enter a graph under the word that learners have for it."""

    def enter(scores: Callable[[Graph, Any], Scores]) -> Callable[[Graph, Any], Scores]:
        GRAPHS[word] = scores
        return scores

    return enter


@named("linear")
def plane(graph: Graph, model: Any) -> Scores:
    """(X - centre) coef' + level, one column for each row of coefficients."""
    coef = np.atleast_2d(np.asarray(model.coef_, dtype=float))
    intercept = np.broadcast_to(np.asarray(model.intercept_, dtype=float), (len(coef),))
    solution = model.solved() if hasattr(model, "solved") else {}
    centre, rows = solution.get("centre"), INPUT
    if centre is not None:  # far from zero the intercept alone has lost its digits
        rows = graph.add("Sub", INPUT, graph.constant(np.asarray(centre, dtype=float)))
        intercept = np.broadcast_to(np.asarray(solution["level"], dtype=float), (len(coef),))
    product = graph.add("MatMul", rows, graph.constant(coef.T))
    return graph.add("Add", product, graph.constant(np.ascontiguousarray(intercept))), len(coef)


@named("naive_bayes")
def naive_bayes(graph: Graph, model: Any) -> Scores:
    """ln prior - sum_j (x_j - m_kj)^2 / (2 v_kj) - ln(2 pi v_kj) / 2."""
    columns = []
    for mean, variance, prior in zip(model.theta_, model.var_, model.class_prior_, strict=True):
        apart = graph.add("Sub", INPUT, graph.constant(mean))
        square = graph.add("Mul", apart, apart)
        quadratic = graph.add("MatMul", square, graph.constant((-0.5 / variance)[:, None]))
        level = np.log(prior) - 0.5 * np.log(2.0 * np.pi * variance).sum()
        columns.append(graph.add("Add", quadratic, graph.constant(np.array([level]))))
    return graph.add("Concat", *columns, axis=1), len(columns)


@named("quadratic_discriminant")
def quadratic(graph: Graph, model: Any) -> Scores:
    """ln prior - |R'(x - m)|^2 / 2 - ln |C| / 2, with C^-1 = R R'."""
    columns = []
    for mean, turn, scale, prior in zip(model.means_, model.rotations_, model.scalings_, model.priors_, strict=True):
        apart = graph.add("Sub", INPUT, graph.constant(np.asarray(mean, dtype=float)))
        turned = graph.add("MatMul", apart, graph.constant(np.asarray(turn / np.sqrt(scale), dtype=float)))
        halves = graph.constant(np.full((turn.shape[1], 1), -0.5))
        square = graph.add("MatMul", graph.add("Mul", turned, turned), halves)
        level = np.log(prior) - 0.5 * np.log(scale).sum()
        columns.append(graph.add("Add", square, graph.constant(np.array([level]))))
    return graph.add("Concat", *columns, axis=1), len(columns)


@named("network")
def network(graph: Graph, model: Any) -> Scores:
    """Layer by layer, x W + b and the activation; of numbers what the head says, of classes the last sums."""
    weights, value = model.inside(), INPUT
    model.refuse_another_network(vars(model), model.out_activation_)
    place = vars(model).get("place_")
    if place is not None:  # rows are moved to where the network learnt them; 2^-e may be beyond the doubles
        for half in (place["exponent"] // 2, place["exponent"] - place["exponent"] // 2):
            value = graph.add("Mul", value, graph.constant(np.exp2(-half.astype(float))))
        value = graph.add("Sub", value, graph.constant(np.ldexp(place["offset"], -place["exponent"])))
    for layer, (W, b) in enumerate(zip(*weights, strict=True)):
        f = model.f if layer < len(weights[0]) - 1 else Identity()
        pieces = (np.hsplit(np.asarray(part, dtype=float), f.pieces) for part in (np.atleast_2d(W), b))
        sums = [
            graph.add("Add", graph.add("MatMul", value, graph.constant(w)), graph.constant(c))
            for w, c in zip(*pieces, strict=True)
        ]
        value = bent(graph, f, sums)
    if model.out_activation_ == "exp":
        value = graph.add("Exp", value)
    if place is not None and model.target == "number":
        value = graph.add("Mul", value, graph.constant(np.exp2(target_unit(place).astype(float))))
        value = graph.add("Add", value, graph.constant(place["target"]))
    return value, model.n_outputs_


def bent(graph: Graph, f: Activation, sums: list[str]) -> str:
    """An activation, of the weighted sums of its pieces."""
    z, simple = sums[0], {Sigmoid: "Sigmoid", Tanh: "Tanh", ReLU: "Relu"}
    if isinstance(f, Identity):
        return z
    if type(f) in simple:
        return graph.add(simple[type(f)], z)
    if isinstance(f, Maxout):
        return graph.add("Max", *sums)
    zero = graph.constant(np.zeros(1))
    if isinstance(f, LeakyReLU):
        return graph.add("Max", z, graph.add("Mul", z, graph.constant(np.array([f.leak]))))
    if isinstance(f, ELU):
        fallen = graph.add("Sub", graph.add("Exp", graph.add("Min", z, zero)), graph.constant(np.ones(1)))
        return graph.add(
            "Add", graph.add("Max", z, zero), graph.add("Mul", fallen, graph.constant(np.array([f.scale])))
        )
    raise TypeError(f"{type(f).__name__} has no ONNX form here: only the activations of sumlearn.networks have one")


# -- answers --------------------------------------------------------------------------------------------------------


def numbers(graph: Graph, model: Any, scores: str, columns: int) -> Any:
    """What a regression says: a vector, or a table of several targets."""
    if not vars(model).get("_single_target", columns == 1):
        return graph.output(scores, "variable", (None, columns))
    vector = graph.add("Reshape", scores, graph.constant(np.array([-1], dtype=np.int64)))
    return graph.output(vector, "variable", (None,))


def class_outputs(graph: Graph, model: Any, scores: str, columns: int) -> list[Any]:
    """The label, and probabilities or scores."""
    both, classes = scores, np.asarray(model.classes_)
    if not vars(model).get("_single_target", True):  # several labels at once, each by itself
        likely = graph.add("Sigmoid", scores)
        yes = graph.add("Greater", likely, graph.constant(np.array([0.5])))
        labels = graph.add("Cast", yes, to=graph.onnx.TensorProto.INT64)
        shape = (None, columns)
        return [graph.output(labels, "label", shape, "INT64"), graph.output(likely, "probabilities", shape)]
    if columns == 1 and len(classes) == 2:  # one score, high for the second class
        both = graph.add("Concat", graph.add("Neg", scores), scores, axis=1)
    winner = graph.add("ArgMax", both, axis=1, keepdims=0)
    words = classes.dtype.kind in "UO"
    labels = graph.constant(classes if words else classes.astype(np.int64))
    label = graph.output(graph.add("Gather", labels, winner), "label", (None,), "STRING" if words else "INT64")
    if not hasattr(model, "predict_proba"):
        width = both if len(classes) > 2 else scores
        return [label, graph.output(width, "scores", (None, len(classes) if len(classes) > 2 else 1))]
    if hasattr(model, "score_slope_"):  # log-odds are the scores times a number
        scores = graph.add("Mul", scores, graph.constant(np.array([model.score_slope_])))
        both = scores if columns > 1 else both
    if both is not scores:
        likely = graph.add("Sigmoid", scores)
        shares = graph.add("Concat", graph.add("Sub", graph.constant(np.ones(1)), likely), likely, axis=1)
    else:
        shares = graph.add("Softmax", scores, axis=1)
    return [label, graph.output(shares, "probabilities", (None, len(classes)))]
