"""Left out: what members say of rows that they have not learnt, and what is learnt from that."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.utils.validation import check_is_fitted

from ...data import Chunk, InMemory, Source
from ...data.mapped import inputs_of
from ...data.views import viewed
from ...engines import in_threads
from ...engines.folds import ConsecutiveFolds
from ...engines.summing import NO_WEIGHT, summary_of_part
from ...evaluation.resampling.splits import Split, checked_splits
from ...learners import Abilities, Learner
from ...learners.teaching import teach
from ...learners.validation import rows_by_number, usable_rows
from .common_sums import in_rows, left_out_answers, on_all_rows, sums_alone, sums_in_common
from .members import NamedMembers, checked_members, placed, present, refuse_tables, refuse_weights, takes_gaps
from .picked_rows import PickedRows
from .voting import workers_of

PREFIT = "prefit"


class AnswersLeftOut(NamedTuple):
    """Rows left out, in their order if each was so once; what members said of them; the members of all rows."""

    rows: np.ndarray
    answers: list[np.ndarray]
    models: list[Any]


class OnLeftOutRows(NamedMembers, Learner):
    """Base of ensembles that learn how to combine their members from rows that those have not seen.

    Members that add up are solved from sums of folds: one read for each kind of sums, however many members share it,
    and the models of all rows come from the same sums. All others are fitted once for each split, and once more.
    """

    numbered = True  # rows are told apart by their numbers, as folds do
    cv: Any
    n_jobs: int | None
    classes_: np.ndarray

    # -- what a method writes ---------------------------------------------------------------------------------------

    @abstractmethod
    def default_members(self) -> list[tuple[str, Any]]:
        """Names and members where none are given."""

    @abstractmethod
    def methods(self, members: list[tuple[str, Any]]) -> list[str]:
        """What each member is asked: predict, predict_proba, ..."""

    @abstractmethod
    def learnt(self, found: AnswersLeftOut, rows: InMemory) -> dict[str, Any]:
        """Fitted attributes, from what the members said of rows left out."""

    # -- what follows -----------------------------------------------------------------------------------------------

    def members(self) -> list[tuple[str, Any]]:
        """Names and members, unfitted unless they are given fitted."""
        if self.estimators is None:
            return self.default_members()
        return checked_members(self, self.estimators)

    @property
    def prefit(self) -> bool:
        return isinstance(self.cv, str) and self.cv == PREFIT

    def check(self) -> None:
        members = self.members()
        refuse_tables(members, type(self).__name__)
        if isinstance(self.cv, str) and not self.prefit:
            raise ValueError(f"cv must be a number of folds, a splitter, splits or 'prefit', got {self.cv!r}")
        if self.prefit:
            for _, member in members:
                check_is_fitted(member)
        self.methods(members)

    @property
    def takes_gaps(self) -> bool:
        """Whether NaN is left to the members: all of them take it."""
        return takes_gaps(member for _, member in self.members())

    def own_abilities(self) -> Abilities:
        return Abilities()

    def learn_from(self, source: Source, watch: Any) -> None:
        whole = gathered(source)
        check_rows(whole)
        members, rows = self.members(), present(whole)
        assert isinstance(rows, InMemory)
        if rows.weight is not None and not self.prefit:
            refuse_weights(members)
        if is_classifier(self):
            self.classes_ = np.unique(np.asarray(rows.y))
        methods = self.methods(members)
        found = self.asked_prefit(members, methods, rows) if self.prefit else self.asked(members, methods, rows, whole)
        self.__dict__.update(self.learnt(found, rows))

    def asked_prefit(self, members: list[tuple[str, Any]], methods: list[str], rows: InMemory) -> AnswersLeftOut:
        """What members say that were fitted before, on rows of which we know that they are others."""
        every, models = np.arange(rows.rows), [member for _, member in members]
        answers = [
            self.in_place(answer(model, method, rows, every), getattr(model, "classes_", None), method)
            for model, method in zip(models, methods, strict=True)
        ]
        return AnswersLeftOut(every, answers, models)

    def asked(
        self, members: list[tuple[str, Any]], methods: list[str], rows: InMemory, whole: InMemory
    ) -> AnswersLeftOut:
        """What members say of rows that are left out of their fit, split by split."""
        splits = self.splits(rows, whole)
        names, workers = vars(self).get("feature_names_in_"), workers_of(self.n_jobs)
        kinds = [member for _, member in members]
        coded = with_codes(rows, self.classes_) if is_classifier(self) else rows
        views: list[Any] = [coded if is_regressor(member) else rows for member in kinds]
        said: list[list[Any]] = [[None] * len(splits) for _ in members]
        models: list[Any] = [None] * len(members)
        adding = {m: (member, views[m]) for m, member in enumerate(kinds) if sums_alone(member)}
        for common in sums_in_common(adding, names, splits, workers):
            ours = [kinds[m] for m in common.members]
            answers = left_out_answers(common, ours, [methods[m] for m in common.members], rows, len(splits))
            for m, member, heard in zip(common.members, ours, answers, strict=True):
                models[m], said[m] = on_all_rows(common, member), heard

        def fitted(task: tuple[int, int | None]) -> Any:
            m, split = task
            if split is None:
                return teach(clone(kinds[m]), views[m], names)
            train, test = splits[split]
            model = teach(clone(kinds[m]), PickedRows(views[m], train), names)
            return getattr(model, "classes_", None), answer(model, methods[m], rows, test)

        rest = [m for m in range(len(members)) if m not in adding]
        tasks: list[tuple[int, int | None]] = [(m, split) for m in rest for split in range(len(splits))]
        tasks += [(m, None) for m in range(len(members)) if models[m] is None]
        heard = in_threads(fitted, tasks, 1 if self.n_jobs is None else workers)
        for (m, split), one in zip(tasks, heard, strict=True):
            if split is None:
                models[m] = one
            else:
                said[m][split] = one
        tests = np.concatenate([np.asarray(test) for _, test in splits])
        once = len(tests) == rows.rows and bool((np.bincount(tests, minlength=rows.rows) == 1).all())
        order = np.arange(rows.rows) if once else tests
        ends = np.cumsum([0, *(len(test) for _, test in splits)])
        places: list[Any] = [test for _, test in splits] if once else [slice(*pair) for pair in pairwise(ends)]
        columns = []
        for told, method in zip(said, methods, strict=True):
            values = [self.in_place(part, own, method) for own, part in told]
            column = np.empty((len(tests), *values[0].shape[1:]))
            for place, part in zip(places, values, strict=True):
                column[place] = part
            columns.append(column)
        return AnswersLeftOut(order, columns, models)

    def splits(self, rows: InMemory, whole: InMemory) -> list[Split]:
        """Splits of the rows that weigh something; those that are given are splits of all rows."""
        if is_classifier(self) and len(self.classes_) == 1:  # there is nothing to tell apart
            every = np.arange(rows.rows)
            return [(every, every)]
        folds = 5 if self.cv is None else self.cv
        if isinstance(folds, int) and rows.rows < folds:
            raise ValueError(
                f"{type(self).__name__} leaves rows out in {folds} folds: it needs at least {folds} rows that weigh "
                f"something, got n_samples={rows.rows}; lower cv"
            )
        if rows is whole or isinstance(folds, int | float):
            return apart(checked_splits(self, rows.rows, rows.y, None, self.scheme(rows)))
        place = np.full(whole.rows, -1)
        assert isinstance(rows, PickedRows)
        place[rows.numbers] = np.arange(rows.rows)
        given = checked_splits(self, whole.rows, whole.y, None, self.cv)
        cut = [tuple(place[part][place[part] >= 0] for part in split) for split in given]
        return apart(checked_splits(self, rows.rows, rows.y, None, cut))

    def scheme(self, rows: InMemory) -> Any:
        """What `cv` says."""
        return self.cv

    def in_place(self, values: np.ndarray, own: Any, method: str) -> np.ndarray:
        """What a member said, with a column for every class where it said something of each that it knows."""
        if not is_classifier(self):
            return values.astype(np.float64, copy=False)
        if method == "predict":
            return (
                values.astype(np.float64, copy=False)
                if own is None
                else np.searchsorted(self.classes_, values).astype(float)
            )
        if own is None or values.ndim == 1 or len(own) == len(self.classes_):
            return values.astype(np.float64, copy=False)
        absent = 0.0 if method == "predict_proba" else float(np.finfo(np.float64).min)
        return placed(values.astype(np.float64, copy=False), own, self.classes_, absent)


def apart(splits: Any) -> Any:
    """Splits, refused where a model would be asked about rows that it has learnt."""
    for number, (train, test) in enumerate(() if isinstance(splits, ConsecutiveFolds) else splits):
        both = np.intersect1d(train, test)
        if len(both):
            raise ValueError(f"split {number} of cv learns row {int(both[0])} and leaves it out as well")
    return splits


def gathered(source: Source) -> InMemory:
    """Rows in memory: of files and clusters, all of them are read."""
    if isinstance(source, InMemory):
        return source
    numbered: Any = rows_by_number(source)
    (rows,) = numbered.gather([np.arange(numbered.rows)])
    return rows


def check_rows(source: InMemory) -> None:
    """Refuse rows that cannot be learnt from, by their numbers in the whole: members see parts of it."""
    check = partial(usable_rows, gaps=source.gaps)
    weigh = [summary_of_part(check, source, part).X.shape[0] for part in source.parts()]
    if not sum(weigh):
        raise ValueError(NO_WEIGHT)


def with_codes(rows: InMemory, classes: np.ndarray) -> Source:
    """The same rows with numbers of classes as targets, for regressions among classifiers."""
    codes = np.searchsorted(classes, np.asarray(rows.y)).astype(np.float64)

    def change(chunk: Chunk) -> Chunk:
        return chunk._replace(y=codes)

    return viewed(rows, change)


def answer(model: Any, method: str, rows: InMemory, numbers: Any) -> np.ndarray:
    """What a model says of some rows, as it wants them."""
    if hasattr(model, "without_names"):
        return np.asarray(getattr(model.without_names(), method)(in_rows(rows.read(numbers))))
    X = inputs_of(rows).native(numbers) if hasattr(model, "feature_names_in_") else rows.read(numbers)  # type: ignore
    return np.asarray(getattr(model, method)(X))


def columns_of(answers: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Answers as columns."""
    return [values[:, None] if values.ndim == 1 else values for values in answers]
