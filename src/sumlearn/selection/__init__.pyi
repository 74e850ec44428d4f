from .fcbf import FCBF as FCBF
from .nested_scores import NestedScore as NestedScore
from .nested_scores import nested_score as nested_score
from .prophet import Prophet as Prophet
from .ranker import Ranker as Ranker
from .subset_search import SubsetSearch as SubsetSearch
from .trace import Trace as Trace
from .workflow import Workflow as Workflow
