"""The name `sumlearn.concepts` of `sumlearn.learners.concepts`, for imports from it."""

import sys

from .learners import concepts

sys.modules[__name__] = concepts
