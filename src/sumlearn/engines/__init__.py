"""Who adds the chunks up, and the algebra of folds."""

from .choice import engine_for
from .engine import Engine, Serial, Threads, one_blas_thread
from .folds import Round, all_but_one, merge_all, pattern_sums, rounds, sums_of_patterns, training_sums
from .pool import cores, in_threads
from .sampling import sample_of
from .summing import Fold, fold_sums, round_sums, total

__all__ = [
    "Engine",
    "Fold",
    "Round",
    "Serial",
    "Threads",
    "all_but_one",
    "cores",
    "engine_for",
    "fold_sums",
    "in_threads",
    "merge_all",
    "one_blas_thread",
    "pattern_sums",
    "round_sums",
    "rounds",
    "sample_of",
    "sums_of_patterns",
    "total",
    "training_sums",
]
