"""Where chunks come from: arrays, sparse matrices, data frames, files, clusters, mixed tables; bundled examples."""

from ..lazy import lazily

_HOMES = {
    "Chunk": "chunk",
    "Columns": "chunk",
    "Example": "examples",
    "Files": "chosen_files",
    "InMemory": "source",
    "Levels": "levels",
    "MixedRows": "mixed",
    "Rows": "chunk",
    "Schema": "schema",
    "Source": "source",
    "Stream": "stream",
    "Target": "target",
    "chunk_rows": "chunk",
    "is_labelled": "target",
    "list_examples": "examples",
    "load_example": "examples",
    "make_noisy_polynomial": "generators",
    "make_occluded_digits": "generators",
    "make_toy_points": "generators",
    "make_two_class_scores": "generators",
    "make_two_gaussians": "generators",
    "make_xor": "generators",
    "open_mixed": "mixed_sources",
    "open_source": "source",
    "split_target": "source",
    "vector": "source",
}

__all__ = sorted(_HOMES)
__getattr__, __dir__ = lazily(__name__, _HOMES)
