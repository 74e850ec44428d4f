"""The product behind the command line: a table and a column name in, a model and an honest account of it out."""

from ..lazy import lazily

_HOMES = {
    "CANDIDATES": "catalogue",
    "CannotDo": "problems",
    "ClusteredModel": "clusters.clustered_model",
    "Clustering": "clusters.clustering",
    "DataProblem": "problems",
    "OneClass": "acceptance.learning",
    "OneClassModel": "acceptance.one_class_model",
    "Table": "opened_table",
    "TrainedModel": "trained",
    "Training": "training",
    "UsageProblem": "problems",
    "cluster": "clusters.clustering",
    "one_class": "acceptance.learning",
    "read_table": "tables",
    "train": "training",
}

__all__ = list(_HOMES)
__getattr__, __dir__ = lazily(__name__, _HOMES)
