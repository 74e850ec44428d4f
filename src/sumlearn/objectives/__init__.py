"""What is minimised: losses, penalties, and their sum over rows; links between scores, odds and probabilities."""

from ..lazy import lazily

_HOMES = {
    **dict.fromkeys(("Huber", "Logistic", "Loss", "Softmax", "Squared", "SquaredHinge", "ZeroOne"), "losses"),
    **dict.fromkeys(
        ("Absolute", "EpsilonInsensitive", "Hinge", "Kinked", "PerceptronLoss", "Quantile"), "kinked_losses"
    ),
    **dict.fromkeys(("ClassHinge", "SquaredEpsilonInsensitive"), "margin_losses"),
    "LOSSES": "named_losses",
    **dict.fromkeys(("PENALTIES", "ElasticNet", "Free", "L0", "L1", "L2", "Penalty"), "penalties"),
    "Coding": "coding",
    "Frame": "frame",
    "LinearObjective": "linear_objective",
    **dict.fromkeys(("OFFERS", "Kink", "Objective"), "objective"),
    "OwnFunction": "own_function",
    "Penalised": "penalised",
    "Quadratic": "quadratic",
    "links": "",
}  # fmt: skip

__all__ = sorted(_HOMES)
__getattr__, __dir__ = lazily(__name__, _HOMES)
