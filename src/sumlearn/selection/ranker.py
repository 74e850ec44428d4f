"""Features in the order of what each of them says about the target."""

from __future__ import annotations

from typing import Any, get_origin

import numpy as np

from ..data import Chunk, InMemory, Source
from ..engines.summing import NO_WEIGHT
from ..features.bin_edges import edges_of
from ..learners.ability import Abilities
from ..learners.fitted import Fitted, Holder
from ..learners.learner import Learner
from ..learners.one_pass import OnePass
from ..learners.roads import Roads
from ..learners.validation import rows_by_number
from ..statistics import Grouped, LevelCounts, Moments, Strips, Total
from .filter import FilterMixin, levels_of, looks_for_edges, refuse_other_bins
from .scores.kinds import Kind, check_options, kind_of
from .scores.moment_scores import RankScores
from .target_kinds import FEW_VALUES, may_be_labels, whole_values


class Ranker(FilterMixin, Roads):
    """Features ranked by a score of each alone; the best `k`, or those at or above a threshold, are selected.

        S_theta = {x_d : r(d) >= theta}

        pearson                 r = |Cov[x, y]| / sqrt(Var[x] Var[y])
        f                       F = (B / (K - 1)) / (S / (W - K)), B and S the squares between and within classes
        fisher                  B / S
        mutual_information      I = sum p(x, y) log p(x, y) / (p(x) p(y)), in nats
        symmetric_uncertainty   SU = 2 I / (H(x) + H(y))
        one_feature             cross-validated accuracy (or R^2) of a model that sees this feature alone

    A ranker is quick and blind: it keeps copies of a good feature, and drops features that are useful only together.
    `FCBF` and `SubsetSearch` look at features together.

    Statistic: Grouped[Moments], diagonal, for labels; Strips, moments of (x, y), for numbers; LevelCounts for
    information. One pass. Can merge, forget, decay, restrict. Cost: summarise O(n d), solve O(d). Scores by
    ``one_feature`` and by ``estimator="knn"`` need the rows, and are no sums.

    Parameters
    ----------
    score : str, default=None
        One of the names above. None is ``"f"`` for labels and ``"pearson"`` for numbers.
    k : int, default=None
        How many features to select; None is all of them.
    threshold : float, default=None
        Select only features whose score is at least this.
    task : {"classification", "regression"}, default=None
        What y is: labels or numbers. None is what suits the score, numbers for ``"pearson"`` and labels for all others,
        unless y may be either: three to ten different whole numbers with ``"pearson"``, or more of them with another
        score that knows both, are asked about, and so are more than ten with ``"pearson"`` or without a score that
        come up in five rows each. Labels suit ``"pearson"`` where there are two.
    bins : int, list of edges for each column, or None, default=None
        For information. None: the values of a column are its levels, at most 256. A number: quantiles of the rows of
        the first `fit` (of some of them, if the table has more than 2^23 numbers), which later rows share. Edges make
        rankers of different tables addable: ``Ranker(score, bins=other.edges_)``. Words and categories are levels in
        any case.
    estimator : str, default=None
        ``"counts"`` (default) or ``"knn"`` for mutual information: from nearest neighbours, for continuous features and
        labels (Ross) or numbers (Kraskov). ``"lda"`` (default) or ``"naive_bayes"`` for one feature's classifier.
    n_neighbors : int, default=3
        For ``"knn"``.
    cv : int, splitter or iterable, default=5
        For ``"one_feature"``: folds, stratified for labels.
    scoring : {"accuracy", "auc"}, default="accuracy"
        For ``"one_feature"`` with labels.

    Attributes
    ----------
    scores_ : the score of each feature; zero for one that is constant.
    p_values_ : how probable such a score is by chance (F test, G test); not for scores that need rows.
    order_ : column numbers, best first; of equal scores the earlier column.
    ranking_ : the place of each feature, 1 for the best.
    edges_ : edges of the bins, a row for each column, padded by infinity; -infinity for words.

    Examples
    --------
    >>> from sumlearn.data import load_example
    >>> from sumlearn.selection import Ranker
    >>> iris = load_example("iris")
    >>> ranker = Ranker("f", k=2).fit(iris.X, iris.y)
    >>> ranker.order_.tolist(), ranker.scores_.round(1).tolist()
    ([2, 3, 0, 1], [119.3, 49.2, 1180.2, 960.0])
    >>> east, west = (Ranker("f", k=2).fit(iris.X[i::2], iris.y[i::2]) for i in range(2))
    >>> (east + west).scores_.round(1).tolist()              # the same, and no row has moved
    [119.3, 49.2, 1180.2, 960.0]

    References
    ----------
    Lecture note 002; Guyon & Elisseeff, "An introduction to variable and feature selection", 2003; Kraskov,
    Stoegbauer & Grassberger, "Estimating mutual information", 2004; Ross, "Mutual information between discrete and
    continuous data sets", 2014.
    """

    look_parameters = ("bins", "score")
    private = ("_target", "_bins")
    chunk_factor = 8  # passes of little work want few merges

    scores_ = Fitted("The score of each feature.")
    p_values_ = Fitted("How probable such a score is by chance.")
    order_ = Fitted("Column numbers, best first.")
    ranking_ = Fitted("The place of each feature, 1 for the best.")
    edges_ = Fitted("Edges of the bins.")

    def __init__(
        self,
        score: str | None = None,
        k: int | None = None,
        threshold: float | None = None,
        *,
        task: str | None = None,
        bins: Any = None,
        estimator: str | None = None,
        n_neighbors: int = 3,
        cv: Any = 5,
        scoring: str = "accuracy",
    ) -> None:
        self.score = score
        self.k = k
        self.threshold = threshold
        self.task = task
        self.bins = bins
        self.estimator = estimator
        self.n_neighbors = n_neighbors
        self.cv = cv
        self.scoring = scoring

    # -- what the score decides ---------------------------------------------------------------------------------------

    @property
    def chosen_score(self) -> Any:
        return ("f" if self.target == "label" else "pearson") if self.score is None else self.score

    @property
    def kind(self) -> Kind:
        return kind_of(self.chosen_score, self.estimator)

    @property
    def target(self) -> str:
        """What y is: as it was said, as the score has it, or as it looked where neither was given."""
        if self.task is not None or self.score is not None:
            return "number" if (self.task or self.kind.tasks[0]) == "regression" else "label"
        if "statistic_" in self.__dict__:
            return "label" if isinstance(self.statistic_, Grouped) else "number"
        return self.__dict__.get("_target", "number")

    @property
    def counts_levels(self) -> bool:
        return self.kind.sums == "levels"

    @property
    def reads(self) -> str:  # type: ignore[override]
        return "levels" if self.counts_levels else "numbers"

    @property
    def needs_look(self) -> bool:
        return self.counts_levels and looks_for_edges(self.bins)

    def road(self) -> Any:
        """RankScores that are functions of sums come from these; others need all rows."""
        decided = self.without_fit()
        if self.task is None and self.score is None:
            decided.task = "classification" if self.target == "label" else "regression"
        return RowScores(decided) if self.kind.function is None else SumScores(decided, "statistic_" not in vars(self))

    # -- learning -----------------------------------------------------------------------------------------------------

    def check(self) -> None:
        check_options(self.chosen_score, self.task, self.estimator)

    @property
    def target_advice(self) -> str:
        """What to do with a target of the other kind."""
        if self.target == "number":
            return "words are labels, say task='classification'"
        known = "regression" in self.kind.tasks
        return f"numbers are ranked with task='regression'{'' if known else ', by another score or estimator'}"

    def look(self, source: Source) -> np.ndarray | None:
        both = self.task is None and len(self.kind.tasks) == 2
        if both and (self.target == "number" or isinstance(source, InMemory)):  # labels of a stream are in its sums
            target = told(rows_by_number(source).y, self.score, self.target)  # type: ignore[arg-type]
            if self.score is None:
                self._target = target
        self._bins = self.bins if looks_for_edges(self.bins) else None
        return edges_of(self.bins, source) if self.counts_levels else None

    # -- using --------------------------------------------------------------------------------------------------------

    def _get_support_mask(self) -> np.ndarray:
        solution = self.solved()
        mask = np.zeros(len(solution["order_"]), bool)
        mask[solution["order_"][: self.k]] = True
        return mask if self.threshold is None else mask & (solution["scores_"] >= self.threshold)


class SumScores(OnePass):
    """The road of scores that are functions of sums; whether labels may be numbers is asked at the `first` fit."""

    chunk_factor = Ranker.chunk_factor

    def __init__(self, ranker: Ranker, first: bool = False) -> None:
        self.ranker, self.first = ranker, first

    @property
    def needs_look(self) -> bool:
        return self.ranker.needs_look

    @property
    def statistic_type(self) -> Any:
        if self.ranker.counts_levels:
            return LevelCounts
        return Grouped[Moments] if self.ranker.target == "label" else Strips

    def summarise(self, chunk: Chunk, look: Any = None) -> Any:
        if self.ranker.counts_levels:
            return levels_of(chunk, look, "classes")
        if self.ranker.target == "label":
            return Grouped.of(chunk.X, chunk.y, chunk.weight, form="diagonal")
        return Strips.of(chunk.X, chunk.y, chunk.weight)

    def solution(self, statistic: Any) -> dict[str, Any]:
        ranker = self.ranker
        ranker.check()
        made = get_origin(self.statistic_type) or self.statistic_type
        if not isinstance(statistic, made):
            asked = f"score={ranker.chosen_score!r}, task={ranker.task!r}"
            raise ValueError(f"{asked} is no function of the sums learnt: fit anew")
        if self.first and ranker.task is None and len(ranker.kind.tasks) == 2 and isinstance(statistic, Grouped):
            told(np.array(list(statistic)), ranker.score, "label", statistic.rows)
        edges, score = getattr(statistic, "edges", None), ranker.kind.function
        assert score is not None
        if ranker.counts_levels:
            refuse_other_bins(self, ranker.bins, edges)
        return ranked(ranker, score(statistic)) | ({} if edges is None else {"edges_": edges})


class RowScores(Learner):
    """The road of scores that need all rows: what is kept is the scores themselves."""

    def __init__(self, ranker: Ranker) -> None:
        self.ranker = ranker

    def learn_from(self, source: Source, watch: Any) -> None:
        numbered = rows_by_number(source)
        weight = float(numbered.rows if numbered.weight is None else np.sum(numbered.weight))  # type: ignore[arg-type]
        if weight == 0:
            raise ValueError(NO_WEIGHT)
        self.statistic_ = Total(row_scores(self.ranker, numbered), weight, numbered.rows)  # type: ignore[arg-type]
        self._holder = Holder()

    def own_abilities(self) -> Abilities:
        return Abilities()

    def solution(self, statistic: Any) -> dict[str, Any]:
        if not isinstance(statistic, Total):
            raise ValueError(f"score={self.ranker.chosen_score!r} is no function of the sums learnt: fit anew")
        return ranked(self.ranker, RankScores(statistic.values))


def ranked(ranker: Ranker, scores: RankScores) -> dict[str, Any]:
    """Features in the order of their scores."""
    order = np.argsort(-scores.values, kind="stable")
    ranking = np.empty(len(order), dtype=np.intp)
    ranking[order] = np.arange(1, len(order) + 1)
    check_choice(ranker.k, ranker.threshold, len(order))
    values = {"scores_": scores.values, "order_": order, "ranking_": ranking}
    return values | ({} if scores.p_values is None else {"p_values_": scores.p_values})


def told(y: np.ndarray, score: str | None, target: str, rows: int | None = None) -> str:
    """Labels or numbers. Whole numbers that may be either are asked about: without a score a few of them are labels,
    whose codes may be any, if there are two rows for each, and many of them numbers, unless they come up often."""
    some = np.unique(y) if y.dtype.kind == "b" else whole_values(y, FEW_VALUES)
    few = some is not None and len(some) <= FEW_VALUES
    n = len(y) if rows is None else rows
    labels = some is not None and few and 2 * len(some) <= n
    often = some is not None and not few and may_be_labels(some, n)  # such as the codes of letters, or ages
    if score is None and labels is few and not often:
        return "label" if labels else "number"
    named = score is not None and (some is None or len(some) <= 2 or labels is (target == "label"))
    if named and not (often and target == "number"):
        return target
    many = f"more than {FEW_VALUES}" if some is None or not few else len(some)
    what = f" (score={score!r} takes them for {target}s)" if score else ""
    what += f": n_samples = {n} is too few to tell" if score is None and not often else ""
    raise ValueError(
        f"y holds {many} different whole numbers, which may be labels or numbers: say task='classification' or "
        f"task='regression'{what}"
    )


def check_choice(k: Any, threshold: Any, features: int) -> None:
    whole = isinstance(k, int | np.integer) and not isinstance(k, bool)
    if k is not None and not (whole and 1 <= k <= features):
        raise ValueError(f"k must be between 1 and n_features = {features}, or None; got {k!r}")
    if threshold is not None and (not isinstance(threshold, int | float | np.number) or np.isnan(threshold)):
        raise ValueError(f"threshold must be a number or None, got {threshold!r}")


def row_scores(ranker: Ranker, source: Any) -> np.ndarray:
    """RankScores that are no function of sums."""
    from .scores import neighbour_information as neighbours
    from .scores import one_feature

    labels = ranker.target == "label"
    if ranker.estimator == "knn":
        return neighbours.information(source, ranker.n_neighbors, labels)
    if not labels:
        return one_feature.scores_by_line(source, ranker.cv)
    if ranker.scoring not in ("accuracy", "auc"):
        raise ValueError(f"scoring must be 'accuracy' or 'auc', got {ranker.scoring!r}")
    return one_feature.scores_by_class(source, ranker.cv, ranker.estimator or "lda", ranker.scoring)
