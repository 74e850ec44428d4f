"""Criteria of subset searches: J(S) from sums, from counts, from rows left out, or by refitting any estimator."""

from ...lazy import lazily

_HOMES = {
    "DiscriminantJudge": "discriminants",
    "Judge": "judge",
    "JudgesFolds": "judge",
    "JudgesNeighbours": "judge",
    "LeastSquaresJudge": "least_squares",
    "LeaveOneOutJudge": "leave_one_out",
    "NearestNeighbourJudge": "neighbours",
    "SeparabilityJudge": "separability",
}

__all__ = sorted(_HOMES)
__getattr__, __dir__ = lazily(__name__, _HOMES)
