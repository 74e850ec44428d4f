"""What a search says, beside the sentence, when columns depend on each other."""

from __future__ import annotations


class CannotJudge(ValueError):
    """No subset of a size that counts can be judged: columns depend on others, or rows are too few."""


class DependentColumnsWarning(UserWarning):
    """A search begins without some columns, because they depend on others."""
