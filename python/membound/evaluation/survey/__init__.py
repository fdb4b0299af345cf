"""The survey: recall over data sets of questions, beside other rankers, with intervals and curves.

report = survey(load_sets(["sets"]))
print(as_table(report))
Path("report.html").write_text(as_page(report), encoding="utf-8")
"""

from __future__ import annotations

from membound.evaluation.survey.earlier import read_earlier
from membound.evaluation.survey.page import as_page
from membound.evaluation.survey.report import SurveyReport
from membound.evaluation.survey.run import survey
from membound.evaluation.survey.sets import DataSet, load_sets
from membound.evaluation.survey.table import as_table

__all__ = [
    "DataSet",
    "SurveyReport",
    "as_page",
    "as_table",
    "load_sets",
    "read_earlier",
    "survey",
]
