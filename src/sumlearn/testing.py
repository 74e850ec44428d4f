"""The laws of sums, as checks: put your own statistics and learners through them.

Every check raises AssertionError with the name of the law that failed. They need no test runner:

>>> import numpy as np
>>> from sumlearn import Ridge
>>> from sumlearn.statistics import Moments
>>> from sumlearn.testing import check_learner, check_statistic
>>> rng = np.random.default_rng(0)
>>> X = rng.standard_normal((60, 3)) + 1e9
>>> check_statistic([Moments.of(X[:0]), Moments.of(X[:20]), Moments.of(X[20:21]), Moments.of(X[21:])], Moments.of(X))
>>> check_learner(Ridge(alpha=0.1), X, X @ [1.0, 2.0, 0.0] + rng.standard_normal(60))
"""

from __future__ import annotations

import copy
import dataclasses
import operator
import pickle
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import reduce
from typing import Any, TypeVar

import numpy as np
from sklearn.base import clone

from .learners.learner import OnePass
from .statistics import Counts, Grouped, IllConditionedWarning, Ledger, Moments, Removable, Statistic

__all__ = ["assert_same_model", "assert_same_statistic", "check_learner", "check_statistic"]

S = TypeVar("S", bound=Statistic)
EPS = float(np.finfo(float).eps)
TWO_WORDS = 2.0**-96  # the last bits of a number of two words, after the few operations of a removal
REFUSABLE = 1e5  # a removal may be refused where what goes deviates this many times more than what stays


# -- statistics -----------------------------------------------------------------------------------------------------


def check_statistic(parts: Sequence[Statistic], whole: Statistic | None = None, tolerance: float = 1e-12) -> None:
    """Check every law of addition, and for a Removable of removal and decay, on summaries of disjoint rows.

    `whole` is the summary of all their rows, made in one piece. The laws:

    - zero on either side changes no bit; a + b = b + a; (a + b) + c = a + (b + c); any bracketing, and ``sum``, give
      the whole;
    - (a + b) - b = a; a - a has no rows; what was never there cannot be removed;
    - decay(1) changes nothing; decay(f)(a + b) = decay(f)(a) + decay(f)(b);
    - where there is a ``restrict``, it commutes with merging.

    >>> from sumlearn.statistics import Counts
    >>> check_statistic([Counts.of(["a", "b"]), Counts.of(["b"]), Counts.of([])])
    """
    if not parts:
        raise ValueError("check_statistic needs one or more statistics")
    with law("sum(parts) = whole"):
        total: Statistic = sum(parts)  # type: ignore[assignment]
        assert_same_statistic(total, total if whole is None else whole, tolerance)
    whole = total if whole is None else whole
    check_identity(parts)
    with law("parts added from the right = whole"):
        assert_same_statistic(reduce(lambda after, part: part.merge(after), reversed(parts)), whole, tolerance)
    with law("parts added as a tree = whole"):
        assert_same_statistic(as_tree(parts), whole, tolerance)
    for a, b in pairs(parts):
        with law("a + b = b + a"):
            assert_same_statistic(a.merge(b), b.merge(a), tolerance)
    for a, b, c in zip(parts, parts[1:], parts[2:], strict=False):
        with law("(a + b) + c = a + (b + c)"):
            assert_same_statistic(a.merge(b).merge(c), a.merge(b.merge(c)), tolerance)
    if hasattr(whole, "restrict"):
        check_restrict(parts, tolerance)
    removable = [part for part in parts if isinstance(part, Removable)]
    if len(removable) == len(parts):
        check_removable(removable, tolerance)


def check_identity(parts: Sequence[Statistic]) -> None:
    for a in parts:
        zero = a.zero()
        with law("zero has no rows"):
            ensure(zero.rows == 0 and zero.weight == 0, f"it has {zero.rows} rows of weight {zero.weight}")
        with law("a + 0 = a, to the bit"):
            assert_same_bits(a.merge(zero), a)
        with law("0 + a = a, to the bit"):
            assert_same_bits(zero.merge(a), a)
        with law("0 + 0 = 0"):
            assert_same_bits(zero.merge(zero), zero)


def check_restrict(parts: Sequence[Any], tolerance: float) -> None:
    """restrict(a + b) = restrict(a) + restrict(b), for a few choices of columns in any order."""
    features = max(width(part) for part in parts)
    known = [part for part in parts if width(part) == features]
    choices = [list(range(features)), list(range(features))[::-1], list(range(0, features, 2))]
    for columns in [c for c in choices if c]:
        for a, b in pairs(known):
            with law(f"restrict(a + b) = restrict(a) + restrict(b), columns {columns}"):
                together = a.merge(b).restrict(columns)
                assert_same_statistic(together, a.restrict(columns).merge(b.restrict(columns)), tolerance)
                ensure(width(together) == len(columns), f"{width(together)} columns are left")


def check_removable(parts: Sequence[Removable], tolerance: float) -> None:
    for a, b in pairs(parts):
        whole = a.merge(b)
        with law("(a + b) - b = a"):
            left = removed(whole, b, a)
            if left is not None:
                assert_same_statistic(left, a, tolerance, within=whole)
        if b.rows:
            with law("more than there is cannot be removed"):
                assert_refused(a.remove, whole)
        for factor in (0.5, 0.7):
            with law(f"decay({factor})(a + b) = decay({factor})(a) + decay({factor})(b)"):
                assert_same_statistic(whole.decay(factor), a.decay(factor).merge(b.decay(factor)), tolerance)
    for a in parts:
        with law("a - a has no rows"):
            nothing = a.remove(a)
            ensure(
                nothing.rows == 0 and nothing.weight == 0, f"{nothing.rows} rows of weight {nothing.weight} are left"
            )
        with law("a - 0 = a, to the bit"):
            assert_same_bits(a.remove(a.zero()), a)
        with law("decay(1) = same, to the bit"):
            assert_same_bits(a.decay(1.0), a)
        for factor in (0.0, -0.5, 1.5, np.nan, np.inf):
            with law(f"decay({factor}) is refused"):
                assert_refused(a.decay, factor)
        with law("decay(f) multiplies the weight by f"):
            ensure(a.decay(0.25).rows == a.rows, "the number of rows changed")
            if isinstance(a, Ledger):  # it does not weigh its rows
                continue
            ensure(abs(a.decay(0.25).weight - 0.25 * a.weight) <= tolerance * a.weight, "the weight is another")


def removed(whole: Removable, part: Removable, rest: Removable) -> Removable | None:
    """whole - part; None where it was refused for want of digits, and rightly so."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", IllConditionedWarning)
            return whole.remove(part)
    except ValueError as error:
        if "digits" in str(error) and dwarfed(rest, whole):
            return None
        raise


def dwarfed(part: Any, whole: Any) -> bool:
    """Whether a column deviates REFUSABLE times more in the whole than in the part."""
    if isinstance(part, Moments):
        return bool((whole.deviation > REFUSABLE * part.deviation).any())
    if isinstance(part, Mapping):
        return any(dwarfed(value, whole[key]) for key, value in part.items())
    if dataclasses.is_dataclass(part):
        return any(dwarfed(getattr(part, f.name), getattr(whole, f.name)) for f in dataclasses.fields(part))
    return False


def as_tree(parts: Sequence[S]) -> S:
    level = list(parts)
    while len(level) > 1:
        level = [level[i].merge(level[i + 1]) if i + 1 < len(level) else level[i] for i in range(0, len(level), 2)]
    return level[0]


def pairs(parts: Sequence[S]) -> Iterator[tuple[S, S]]:
    """Each part with the next one, and the last with the first."""
    return zip(parts, [*parts[1:], parts[0]], strict=True)


def width(statistic: Any) -> int:
    """Number of columns that ``restrict`` chooses from; zero where no row has said it."""
    if isinstance(statistic, Grouped):
        return max((width(part) for part in statistic.groups.values()), default=0)
    return len(statistic.levels) if isinstance(statistic, Counts) else int(statistic.features)


# -- sameness of statistics -----------------------------------------------------------------------------------------


def assert_same_statistic(a: Any, b: Any, tolerance: float = 1e-12, *, within: Any = None) -> None:
    """Raise AssertionError unless two statistics say the same of the same number of rows.

    Moments: the difference of S_ij relative to sqrt(S_ii S_jj), beyond the rounding bound that both carry; the
    difference of a mean relative to the deviation of its column, beyond the last bit of the mean. Where one of them was
    taken out of a larger sum, that is `within`: the last bit of two words of its mean and deviation is allowed too. Any
    other dataclass: field by field, numbers relative to the largest of their field.

    >>> from sumlearn.statistics import Moments
    >>> a = Moments.of([[1.0], [2.0]]) + Moments.of([[6.0]])
    >>> assert_same_statistic(a, Moments.of([[6.0], [2.0], [1.0]]))
    >>> assert_same_statistic(a, Moments.of([[6.0], [2.0], [1.001]]))
    Traceback (most recent call last):
    AssertionError: the mean of column 0 differs by 0.000333, 0.000154 of its deviation
    """
    ensure(type(a) is type(b), f"{type(a).__name__} and {type(b).__name__} are no two of a kind")
    if isinstance(a, Moments):
        assert_same_moments(a, b, tolerance, within)
    elif isinstance(a, Mapping):
        ensure(list(a) == list(b), f"the labels are {list(a)} and {list(b)}")
        for key in a:
            with law(f"label {key!r}"):
                assert_same_statistic(a[key], b[key], tolerance, within=within and within[key])
    elif dataclasses.is_dataclass(a):
        for field in dataclasses.fields(a):
            with law(field.name):
                around = getattr(within, field.name, None)
                assert_same_statistic(getattr(a, field.name), getattr(b, field.name), tolerance, within=around)
    elif isinstance(a, np.ndarray | float) and np.asarray(a).dtype.kind == "f":
        assert_close(a, b, tolerance)
    elif isinstance(a, np.ndarray):
        ensure(np.array_equal(a, b), f"{a} and {b}")
    else:
        ensure(a == b, f"{a} and {b}")


def assert_same_moments(a: Moments, b: Moments, tolerance: float, within: Moments | None) -> None:
    for name in ("columns", "targets", "form", "rows"):
        x, y = getattr(a, name), getattr(b, name)
        ensure(x == y, f"{name} differ: {x} and {y}")
    ensure(
        abs(a.weight - b.weight) <= tolerance * max(a.weight, b.weight), f"weights differ: {a.weight} and {b.weight}"
    )
    if a.rows == 0:
        return
    deviation = np.maximum(a.deviation, b.deviation)
    with np.errstate(over="ignore", under="ignore", divide="ignore", invalid="ignore"):
        mean = np.maximum(np.abs(a.mean), np.abs(b.mean))
        apart = np.abs(natural(a, a.centre.hi, a.centre.lo, b))
        bound = tolerance * deviation + EPS * mean
        if within is not None:
            bound += TWO_WORDS * (np.abs(within.mean) + within.deviation)
        worst = int(np.argmax(apart - bound))
        ensure(
            apart[worst] <= bound[worst],
            f"the mean of column {worst} differs by {apart[worst]:.3g}, {apart[worst] / deviation[worst]:.3g} of its "
            "deviation",
        )
        # scatters in units of a power of two near the deviation: they neither overflow nor vanish
        unit = np.frexp(deviation)[1]
        (A, a_low, a_rounding), (B, b_low, b_rounding) = in_units(a, unit), in_units(b, unit)
        apart = np.abs((A - B) + (a_low - b_low))
        sizes = np.sqrt(np.maximum(diagonal(A), diagonal(B)))
        bounds = np.sqrt(a_rounding), np.sqrt(b_rounding)
        if a.form == "full":
            allowed = tolerance * np.outer(sizes, sizes) + sum(np.outer(bound, bound) for bound in bounds)
        else:
            allowed = tolerance * sizes**2 + a_rounding + b_rounding
        worst_at = np.unravel_index(int(np.argmax(apart - allowed)), apart.shape)
        size = sizes[worst_at[0]] * sizes[worst_at[-1]]
        ensure(
            apart[worst_at] <= allowed[worst_at],
            f"scatter entry {tuple(map(int, worst_at))} differs by {apart[worst_at] / size:.3g} of sqrt(S_ii S_jj)",
        )


def natural(a: Moments, high: np.ndarray, low: np.ndarray, b: Moments) -> np.ndarray:
    """Difference of the means of a and b, in natural units and in two words."""
    ours, theirs = (np.ldexp(high, a.exponent), np.ldexp(low, a.exponent)), (b.centre.hi, b.centre.lo)
    return (ours[0] - np.ldexp(theirs[0], b.exponent)) + (ours[1] - np.ldexp(theirs[1], b.exponent))


def in_units(m: Moments, unit: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Both words of the scatter, and the rounding bound, in units of 2**unit."""
    shift = m.exponent - unit
    both = shift[:, None] + shift if m.form == "full" else 2 * shift
    return np.ldexp(m.spread.hi, both), np.ldexp(m.spread.lo, both), np.ldexp(m.rounding, 2 * shift)


def diagonal(A: np.ndarray) -> np.ndarray:
    return np.maximum(A.diagonal() if A.ndim == 2 else A, 0.0)


def assert_close(a: Any, b: Any, tolerance: float) -> None:
    """Equal shapes, NaN and infinity at the same places, and differences relative to the largest number."""
    a, b = np.asarray(a), np.asarray(b)
    ensure(a.shape == b.shape, f"shapes differ: {a.shape} and {b.shape}")
    finite = np.isfinite(a) & np.isfinite(b)
    ensure(np.array_equal(a[~finite], b[~finite], equal_nan=True), "NaN or infinity on one side only")
    a, b = a[finite].astype(float), b[finite].astype(float)
    size = np.abs(np.concatenate([a, b])).max(initial=0.0)
    apart = np.abs(a - b).max(initial=0.0)
    ensure(apart <= tolerance * size, f"they differ by {apart:.3g}, where the largest is {size:.3g}")


def assert_same_bits(a: Any, b: Any) -> None:
    """Equal in every field of every statistic inside."""
    if dataclasses.is_dataclass(a):
        ensure(type(a) is type(b), f"{type(a).__name__} became {type(b).__name__}")
        for field in dataclasses.fields(a):
            assert_same_bits(getattr(a, field.name), getattr(b, field.name))
    elif isinstance(a, Mapping):
        ensure(list(a) == list(b), f"the labels are {list(a)} and {list(b)}")
        for key in a:
            assert_same_bits(a[key], b[key])
    elif isinstance(a, tuple) and isinstance(b, tuple):
        ensure(len(a) == len(b), f"{a} and {b}")
        for x, y in zip(a, b, strict=True):
            assert_same_bits(x, y)
    else:
        ensure(np.array_equal(a, b), f"{a} and {b}")


# -- learners -------------------------------------------------------------------------------------------------------


def check_learner(learner: OnePass, X: Any, y: Any = None, tolerance: float = 1e-9) -> None:
    """Check that a learner adds up, on rows that are enough for three models.

    The laws:

    - fit on all rows = fit + fit = ``sum(models)`` = ``partial_fit`` in pieces = fit on the rows in any order;
    - a + b = b + a; models of differing hyperparameters are not added, and the error names them;
    - unlearning a model or rows = a fit without them;
    - weight 2 = the row twice, weight 0 = the row absent; decay(1) = same, decay(f) = all weights times f;
    - restrict = a fit on those columns; ``solve(statistic_)`` = the model; a pickled model learns on;
    - ``set_params`` after the fit = a fit with those parameters.

    Models are compared by what they predict or transform, relative to the largest prediction.

    >>> import numpy as np
    >>> from sumlearn import GaussianNB
    >>> X = np.random.default_rng(0).standard_normal((40, 2))
    >>> check_learner(GaussianNB(var_smoothing=0.1), X, X[:, 0] > 0)
    """
    X, y = np.asarray(X), None if y is None else np.asarray(y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IllConditionedWarning)
        check_adding(learner, X, y, tolerance)
        check_unlearning(learner, X, y, tolerance)
        check_weights(learner, X, y, tolerance)
        check_refusals(learner, X, y)
        check_changes(learner, X, y, tolerance)


def check_adding(learner: OnePass, X: np.ndarray, y: np.ndarray | None, tolerance: float) -> None:
    everything = fitted(learner, X, y)
    parts = thirds(X, y)
    models = [fitted(learner, X[i], rows_of(y, i)) for i in parts]
    a, b, c = models
    with law("fit(all) = fit + fit"):
        assert_same_model(a + b + c, everything, X, tolerance)
    with law("fit(all) = sum(models)"):
        assert_same_model(sum(models), everything, X, tolerance)
    with law("+ leaves its sides unchanged"):
        assert_same_model(a, fitted(learner, X[parts[0]], rows_of(y, parts[0])), X, 0.0)
    with law("a + b = b + a"):
        assert_same_model(a + b, b + a, X, tolerance)
    with law("(a + b) + c = a + (b + c)"):
        assert_same_model((a + b) + c, a + (b + c), X, tolerance)
    with law("fit(all) = partial_fit in pieces"):
        model = clone(learner)
        for i in parts:
            ensure(model.partial_fit(X[i], rows_of(y, i)) is model, "partial_fit does not return self")
        assert_same_model(model, everything, X, tolerance)
    with law("a piece without rows changes nothing"):
        assert_same_model(model.partial_fit(X[:0], rows_of(y, slice(0))), everything, X, tolerance)
    with law("rows in any order"):
        order = np.random.default_rng(0).permutation(len(X))
        assert_same_model(fitted(learner, X[order], rows_of(y, order)), everything, X, tolerance)


def check_unlearning(learner: OnePass, X: np.ndarray, y: np.ndarray | None, tolerance: float) -> None:
    first, *others = thirds(X, y)
    rest = np.sort(np.concatenate(others))
    expected = fitted(learner, X[rest], rows_of(y, rest))
    with law("fit(all) - fit(some) = fit(the others)"):
        everything, some = fitted(learner, X, y), fitted(learner, X[first], rows_of(y, first))
        assert_same_model(everything - some, expected, X, tolerance)
    with law("forget(rows) = fit(the others)"):
        assert_same_model(everything.forget(X[first], rows_of(y, first)), expected, X, tolerance)
    with law("forget of no rows changes nothing"):
        assert_same_model(everything.forget(X[:0], rows_of(y, slice(0))), expected, X, tolerance)
    with law("more than there is cannot be forgotten"):
        assert_refused(operator.sub, some, fitted(learner, X, y))
        assert_refused(some.forget, X, y)
        assert_same_model(some, fitted(learner, X[first], rows_of(y, first)), X, 0.0)


def check_weights(learner: OnePass, X: np.ndarray, y: np.ndarray | None, tolerance: float) -> None:
    everything = fitted(learner, X, y)
    first, second, _ = thirds(X, y)
    with law("weight 1 = no weight"):
        assert_same_model(fitted(learner, X, y, np.ones(len(X))), everything, X, tolerance)
    with law("weight 2 = the row twice"):
        weight = np.ones(len(X))
        weight[first] = 2.0
        twice = np.repeat(np.arange(len(X)), weight.astype(int))
        assert_same_model(fitted(learner, X, y, weight), fitted(learner, X[twice], rows_of(y, twice)), X, tolerance)
    with law("weight 0 = the row absent"):
        weight = np.ones(len(X))
        weight[second] = 0.0
        left = np.flatnonzero(weight)
        assert_same_model(fitted(learner, X, y, weight), fitted(learner, X[left], rows_of(y, left)), X, tolerance)
    with law("decay(1) = same"):
        assert_same_model(fitted(learner, X, y).decay(1.0), everything, X, 0.0)
    with law("decay(0.5) = a fit with half the weights"):
        half = fitted(learner, X, y, np.full(len(X), 0.5))
        assert_same_model(fitted(learner, X, y).decay(0.5), half, X, tolerance)
    for factor in (0.0, 1.5, np.nan):
        with law(f"decay({factor}) is refused"):
            assert_refused(fitted(learner, X, y).decay, factor)


def check_refusals(learner: OnePass, X: np.ndarray, y: np.ndarray | None) -> None:
    model = fitted(learner, X, y)
    for name in learner.get_params(deep=False):
        other = copy.deepcopy(model).set_params(**{name: "another value"})
        with law(f"models that differ in {name} are not added"):
            assert_refused(operator.add, model, other, names=name)
        with law(f"models that differ in {name} are not subtracted"):
            assert_refused(operator.sub, model, other, names=name)


def check_changes(learner: OnePass, X: np.ndarray, y: np.ndarray | None, tolerance: float) -> None:
    everything = fitted(learner, X, y)
    first, *others = thirds(X, y)
    with law("solve(statistic_) = the model"):
        assert_same_model(clone(learner).solve(everything.statistic_), everything, X, tolerance)
    with law("a pickled model predicts the same and learns on"):
        part = pickle.loads(pickle.dumps(fitted(learner, X[first], rows_of(y, first))))
        assert_same_model(part, fitted(learner, X[first], rows_of(y, first)), X, 0.0)
        for i in others:
            part.partial_fit(X[i], rows_of(y, i))
        assert_same_model(part, everything, X, tolerance)
    d = X.shape[1]
    for columns in [[j] for j in range(min(d, 2))] + ([list(range(d))[:0:-1]] if d > 1 else []):
        with law(f"restrict({columns}) = a fit on those columns"):
            check_restricted(everything, learner, X, y, columns, tolerance)
    with law("set_params after the fit = a fit with those parameters"):
        plain = type(learner)()
        try:
            plain.fit(X, y)
            plain.set_params(**learner.get_params(deep=False))
            outputs(plain, X)
        except ValueError:  # a parameter that chooses another statistic asks for a new fit
            return
        assert_same_model(plain, everything, X, tolerance)


def check_restricted(
    everything: Any, learner: OnePass, X: np.ndarray, y: np.ndarray | None, columns: list[int], tolerance: float
) -> None:
    """The restricted model is that of a fit on those columns, or both are refused."""
    part = X[:, columns]
    try:
        expected = fitted(learner, part, y)
    except ValueError:
        assert_refused(lambda: outputs(everything.restrict(columns), part))
        return
    assert_same_model(everything.restrict(columns), expected, part, tolerance)


def fitted(learner: Any, X: Any, y: Any, weight: Any = None) -> Any:
    return clone(learner).fit(X, y) if weight is None else clone(learner).fit(X, y, sample_weight=weight)


def rows_of(y: np.ndarray | None, index: Any) -> np.ndarray | None:
    return None if y is None else y[index]


def thirds(X: np.ndarray, y: np.ndarray | None) -> list[np.ndarray]:
    """Three parts of the rows with about equal shares of every class, or of small and large targets."""
    order = np.arange(len(X)) if y is None else np.argsort(y.reshape(len(y), -1)[:, 0], kind="stable")
    return [np.sort(order[k::3]) for k in range(3)]


# -- sameness of models ---------------------------------------------------------------------------------------------


def assert_same_model(a: Any, b: Any, X: Any, tolerance: float = 1e-9) -> None:
    """Raise AssertionError unless two fitted models say the same of the rows of X.

    >>> import numpy as np
    >>> from sumlearn import PCA
    >>> X = np.array([[0.0, 1.0], [2.0, 2.0], [4.0, 4.0], [7.0, 4.0]])
    >>> assert_same_model(PCA(1).fit(X[:2]) + PCA(1).fit(X[2:]), PCA(1).fit(X), X)
    """
    ours, theirs = outputs(a, X), outputs(b, X)
    ensure(list(ours) == list(theirs), f"one has {list(ours)}, the other {list(theirs)}")
    for name in ours:
        with law(name):
            if ours[name].dtype.kind == "f":
                assert_close(ours[name], theirs[name], tolerance)
            else:
                ensure(np.array_equal(ours[name], theirs[name]), f"{ours[name]} and {theirs[name]}")


def outputs(model: Any, X: Any) -> dict[str, np.ndarray]:
    """What a model says of rows: probabilities and classes, or predictions, and what it transforms them to."""
    found = {}
    if hasattr(model, "predict_proba"):
        found["predict_proba"] = np.asarray(model.predict_proba(X))
        found["classes_"] = np.asarray(model.classes_)
    elif hasattr(model, "predict"):
        found["predict"] = np.asarray(model.predict(X))
    if hasattr(model, "transform"):
        found["transform"] = np.asarray(model.transform(X))
    if not found:
        raise ValueError(f"{type(model).__name__} neither predicts nor transforms: there is nothing to compare")
    return found


# -- how ------------------------------------------------------------------------------------------------------------


@contextmanager
def law(name: str) -> Iterator[None]:
    """Failures inside bear the name of the law."""
    try:
        yield
    except AssertionError as error:
        raise AssertionError(f"{name}: {error}") from error
    except Exception as error:
        raise AssertionError(f"{name}: {type(error).__name__}: {error}") from error


def ensure(holds: Any, otherwise: str) -> None:
    """An assertion that optimised Python keeps too."""
    if not holds:
        raise AssertionError(otherwise)


def assert_refused(action: Callable[..., Any], *arguments: Any, names: str = "") -> None:
    """The action raises ValueError, with these names in the message."""
    try:
        action(*arguments)
    except ValueError as error:
        ensure(names in str(error), f"the error does not name {names!r}: {error}")
    else:
        raise AssertionError("it was not refused")
