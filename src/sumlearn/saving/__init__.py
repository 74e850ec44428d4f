"""Models as files: written whole or not at all, read without running code. README.md says what is in a file."""

from .disclosure import disclosure
from .onnx import to_onnx
from .pass_keeper import checkpoints
from .reading import describe, load
from .trust import trusted_types
from .writing import save

__all__ = ["checkpoints", "describe", "disclosure", "load", "save", "to_onnx", "trusted_types"]
