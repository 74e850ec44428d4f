"""The name `sumlearn.networks` of `sumlearn.learners.networks`, for imports from it and from what is in it."""

import sys

from .learners import networks

sys.modules[__name__] = networks
sys.modules |= {f"{__name__}.{part}": getattr(networks, part) for part in ("activations", "optimisers", "schedules")}
