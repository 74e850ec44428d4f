"""How examples are drawn: the same ones on every machine, or new ones in every round of `make fuzz`.

A test says with ``@settings(max_examples=...)`` how many examples show what it is about. That many are drawn every day;
`make fuzz` draws several times as many in a round (tests/fuzz/plugin.py), and as many rounds as there is time for.
"""

from hypothesis import HealthCheck, settings

EVERYDAY_EXAMPLES = 50  # of tests that do not say how many


def register_profiles() -> None:
    """Profiles `everyday`, which is taken, and `fuzz`.

    Nothing depends on time: the first call of a compiled function may take seconds, and a machine may be busy. Nothing
    is remembered from one run to the next.
    """
    shared = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow], "print_blob": True, "database": None}
    settings.register_profile("everyday", derandomize=True, max_examples=EVERYDAY_EXAMPLES, **shared)
    settings.register_profile("fuzz", derandomize=False, max_examples=EVERYDAY_EXAMPLES, **shared)
    settings.load_profile("everyday")
    forget_constants_of_modules()


def forget_constants_of_modules() -> None:
    """Hypothesis likes to draw numbers that occur in the sources of modules that are loaded.

    Which ones are, depends on the tests that ran before in the same process, and on the name of the folder that the
    project lies in (one called `tests` counts as none of the project). So they are left out.
    """
    from hypothesis.internal.conjecture import providers

    if hasattr(providers, "_get_local_constants"):  # not in all versions
        nothing = providers.Constants()
        providers._get_local_constants = lambda: nothing
