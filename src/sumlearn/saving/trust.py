"""For those who write models with skops themselves, as MLflow does: which types of ours they may trust."""

from __future__ import annotations

from typing import Any

from .estimators import skops_io
from .names import PACKAGE

PLAIN = ("numpy.dtype",)  # data about arrays; skops asks about it all the same


def trusted_types(model: Any) -> list[str]:
    """The types in a model that skops asks about and that are safe: this library's own, and NumPy's dtype.

    Other types, such as an estimator from elsewhere inside a TableModel, are not in the list: whoever loads the file is
    asked about them.

    Examples
    --------
    >>> import numpy as np
    >>> from sumlearn import Ridge
    >>> from sumlearn.saving import trusted_types
    >>> model = Ridge().fit(np.eye(3), np.arange(3.0))
    >>> "sumlearn.learners.regression.ridge.Ridge" in trusted_types(model)
    True
    """
    skops = skops_io()
    asked = skops.get_untrusted_types(data=skops.dumps(model))
    return [name for name in asked if name.startswith(f"{PACKAGE}.") or name in PLAIN]
