"""Models as files: written whole or not at all, read without running code. README.md says what is in a file."""

from .reading import describe, load
from .writing import save

__all__ = ["describe", "load", "save"]
