"""The command `sumlearn`. Nothing heavy is imported before a command needs it."""

from .running import main

__all__ = ["main"]
