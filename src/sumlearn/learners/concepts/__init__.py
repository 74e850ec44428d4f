"""Learning of concepts: hypotheses over discrete attributes, their order, version spaces and Bayes' vote."""

from ...lazy import lazily

_HOMES = {
    "Attributes": "attributes",
    "BayesOptimalClassifier": "bayes_optimal",
    "CandidateElimination": "candidate_elimination",
    "Conjunction": "conjunction",
    "FindS": "find_s",
    "Interval": "conjunction",
    "VersionSpace": "version_space",
}

__all__ = sorted(_HOMES)
__getattr__, __dir__ = lazily(__name__, _HOMES)
