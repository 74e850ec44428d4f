"""Models over time: recent rows, any window and any group, exactly."""

from ..lazy import lazily

_HOMES = {
    "ModelCube": "model_cube",
}

__all__ = sorted(_HOMES)
__getattr__, __dir__ = lazily(__name__, _HOMES)
