"""Where chunks come from: arrays, sparse matrices, data frames, files, clusters; and bundled examples."""

from ..lazy import lazily

_HOMES = {
    "Chunk": "chunk",
    "Columns": "chunk",
    "Example": "examples",
    "InMemory": "source",
    "Rows": "chunk",
    "Source": "source",
    "Stream": "stream",
    "chunk_rows": "chunk",
    "list_examples": "examples",
    "load_example": "examples",
    "make_noisy_polynomial": "examples",
    "make_toy_points": "examples",
    "make_two_gaussians": "examples",
    "make_xor": "examples",
    "open_source": "source",
    "split_target": "source",
    "vector": "source",
}

__all__ = sorted(_HOMES)
__getattr__, __dir__ = lazily(__name__, _HOMES)
