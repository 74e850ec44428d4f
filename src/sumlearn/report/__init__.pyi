from . import plots as plots
from .evaluating import evaluate as evaluate
from .fresh import report_on as report_on
from .html_report import Report as Report
from .html_report import report_of as report_of
