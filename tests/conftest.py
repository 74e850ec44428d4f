"""Settings that all tests share."""

import os

from hypothesis import settings

# The first call of a compiled function may take seconds, so no example has a time limit. Where a change is judged (CI)
# the examples are the same every time; elsewhere new ones are drawn at every run.
settings.register_profile("sumlearn", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("sumlearn")
