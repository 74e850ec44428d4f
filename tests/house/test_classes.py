"""Abstract or final: what a base implements, nobody says again; few floors above a learner; one name, one class."""

import abc
from functools import cached_property

import pytest
from sklearn.base import BaseEstimator

from tests.house.classes import classes, depth, folder, is_one_line, namesakes, overridden

STRICT = ("statistics", "engines", "solvers", "learners", "selection")
ONE_LINE_DEFAULTS = ("data", "report")
DEEPEST = 3



def told(kind, name, base):
    return f"{kind.__module__}.{kind.__name__}.{name} (of {base.__name__})"



@pytest.mark.parametrize("floor", STRICT)
def test_no_implemented_method_is_overridden(floor):
    here = [kind for kind in classes() if folder(kind) == floor]
    again = [told(kind, name, base) for kind in here for name, base, _ in overridden(kind)]
    assert not again, "\n".join([f"{len(again)} implemented methods are overridden:", *again])



@pytest.mark.parametrize("floor", ONE_LINE_DEFAULTS)
def test_only_defaults_of_one_line_are_overridden(floor):
    again = [
        told(kind, name, base)
        for kind in classes()
        if folder(kind) == floor
        for name, base, method in overridden(kind)
        if not is_one_line(method)
    ]
    assert not again, "\n".join([f"{len(again)} implemented methods are overridden:", *again])



def test_learners_are_few_classes_deep():
    deep = {kind.__name__: depth(kind) for kind in classes() if issubclass(kind, BaseEstimator)}
    assert not {name: floors for name, floors in deep.items() if floors > DEEPEST}



def test_no_two_classes_have_one_name():
    both = {"ElasticNet"}  # the penalty and scikit-learn's estimator, each public under the name that it has everywhere
    assert set(namesakes()) == both


# -- the reading can fail ---------------------------------------------------------------------------------------------


class Base(BaseEstimator, metaclass=abc.ABCMeta):
    limit = 3

    @abc.abstractmethod
    def said(self): ...

    @property
    @abc.abstractmethod
    def size(self): ...

    def done(self):
        """One line."""
        return self.limit

    def longer(self):
        first = self.done()
        return first + 1

    @property
    def half(self):
        return 2

    @cached_property
    def kept(self):
        return 3

    @classmethod
    def made(cls):
        return cls()


class Good(Base):
    limit = 4

    def said(self):
        return 1

    @property
    def size(self):
        return 2

    def __sklearn_tags__(self):
        return super().__sklearn_tags__()


class Bad(Good):
    def said(self):
        return 2

    def done(self):
        return 5

    def longer(self):
        return 6

    @property
    def half(self):
        return 7

    @cached_property
    def kept(self):
        return 8

    @classmethod
    def made(cls):
        return cls()


def test_what_is_overridden_is_seen(monkeypatch):
    monkeypatch.setattr("tests.house.classes.PACKAGE", __name__.split(".")[0])
    assert not list(overridden(Good))
    again = {name: (base, is_one_line(method)) for name, base, method in overridden(Bad)}
    assert again == {
        "said": (Good, True),
        "done": (Base, True),
        "longer": (Base, False),
        "half": (Base, True),
        "kept": (Base, True),
        "made": (Base, True),
    }


def test_depth_is_seen():
    assert [depth(kind) for kind in (Base, Good, Bad)] == [1, 2, 3]
    assert depth(type("Deeper", (Bad,), {})) == 4


def test_the_reading_finds_the_classes_of_every_folder():
    assert {"Moments", "Source", "Engine", "Ridge", "SubsetSearch"} <= {kind.__name__ for kind in classes()}
    assert {*STRICT, *ONE_LINE_DEFAULTS} <= {folder(kind) for kind in classes()}
