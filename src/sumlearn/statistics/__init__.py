"""What is added up. README.md in this folder states the laws."""

from .class_totals import ClassTotals
from .counts import Counts
from .exact_moments import ExactMoments
from .expansion import Expansion
from .grouped import Grouped
from .in_words import in_words
from .inverse_covariance import InverseCovariance
from .ledger import Ledger
from .level_counts import LevelCounts
from .moments import Moments
from .pooled import Pooled
from .row_sample import RowSample
from .statistic import (
    Decayable,
    Recodable,
    Removable,
    Restrictable,
    RowError,
    Statistic,
    Words,
    capabilities,
)
from .strips import Strips
from .total import Total
from .warnings import IllConditionedWarning

__all__ = [
    "ClassTotals",
    "Counts",
    "Decayable",
    "ExactMoments",
    "Expansion",
    "Grouped",
    "IllConditionedWarning",
    "InverseCovariance",
    "Ledger",
    "LevelCounts",
    "Moments",
    "Pooled",
    "Recodable",
    "Removable",
    "Restrictable",
    "RowError",
    "RowSample",
    "Statistic",
    "Strips",
    "Total",
    "Words",
    "capabilities",
    "in_words",
]
