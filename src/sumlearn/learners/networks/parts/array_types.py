"""Arrays of NumPy and tensors of others, by one set of functions: the array API."""

from __future__ import annotations

from typing import Any

import numpy as np


def namespace(array: Any) -> Any:
    """The functions for arrays of this kind."""
    if isinstance(array, np.ndarray | np.generic):
        return np
    from sklearn.externals import array_api_compat  # as scikit-learn asks for it

    return array_api_compat.array_namespace(array)
