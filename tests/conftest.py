"""Settings that all tests share."""

from hypothesis import settings

# The first call of a compiled function may take seconds, so no example has a time limit.
settings.register_profile("sumlearn", deadline=None)
settings.load_profile("sumlearn")
