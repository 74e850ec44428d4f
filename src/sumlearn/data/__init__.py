"""Where chunks come from: arrays, sparse matrices, data frames; and bundled examples."""

from .chunk import Chunk, Columns, Rows, chunk_rows
from .examples import (
    Example,
    list_examples,
    load_example,
    make_noisy_polynomial,
    make_toy_points,
    make_two_gaussians,
    make_xor,
)
from .source import InMemory, Source, open_source, split_target, vector

__all__ = [
    "Chunk",
    "Columns",
    "Example",
    "InMemory",
    "Rows",
    "Source",
    "chunk_rows",
    "list_examples",
    "load_example",
    "make_noisy_polynomial",
    "make_toy_points",
    "make_two_gaussians",
    "make_xor",
    "open_source",
    "split_target",
    "vector",
]
