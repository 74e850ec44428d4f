"""The product behind the command line: a table and a column name in, a model and an honest account of it out."""

from ..lazy import lazily

_HOMES = {
    "CANDIDATES": "catalogue",
    "CannotDo": "problems",
    "ClusteredModel": "clusters.clustered_model",
    "Clustering": "clusters.clustering",
    "DataProblem": "problems",
    "OneClass": "one_class.learning",
    "OneClassModel": "one_class.one_class_model",
    "Table": "opened_table",
    "TrainedModel": "trained",
    "Training": "training",
    "UsageProblem": "problems",
    "cluster": "clusters.clustering",
    "one_class": "one_class.learning",
    "read_table": "tables",
    "train": "training",
}

__all__ = list(_HOMES)
__getattr__, __dir__ = lazily(__name__, _HOMES)
