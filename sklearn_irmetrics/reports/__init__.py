"""Scores of queries by many measures, and reports of them.

Importing this package loads none of its files, since reports need SciPy and
`score_queries` does not.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sklearn_irmetrics.reports.abstention import AbstentionCurve as AbstentionCurve
    from sklearn_irmetrics.reports.abstention import (
        abstention_curve as abstention_curve,
    )
    from sklearn_irmetrics.reports.classes import ClassReport as ClassReport
    from sklearn_irmetrics.reports.classes import class_report as class_report
    from sklearn_irmetrics.reports.contingency import (
        ContingencyTable as ContingencyTable,
    )
    from sklearn_irmetrics.reports.contingency import (
        contingency_table as contingency_table,
    )
    from sklearn_irmetrics.reports.cutoffs import metric_at_cutoffs as metric_at_cutoffs
    from sklearn_irmetrics.reports.evaluator import RankingEvaluator as RankingEvaluator
    from sklearn_irmetrics.reports.query_scores import QueryScores as QueryScores
    from sklearn_irmetrics.reports.query_scores import RunScores as RunScores
    from sklearn_irmetrics.reports.query_scores import score_queries as score_queries
    from sklearn_irmetrics.reports.report import ranking_report as ranking_report
    from sklearn_irmetrics.reports.results import RankingReport as RankingReport
    from sklearn_irmetrics.reports.results import RankingReports as RankingReports
    from sklearn_irmetrics.reports.sampled import SampledScores as SampledScores
    from sklearn_irmetrics.reports.sampled import score_sampled as score_sampled
    from sklearn_irmetrics.reports.thresholds import ThresholdCurve as ThresholdCurve
    from sklearn_irmetrics.reports.thresholds import threshold_curve as threshold_curve

_HOME = {
    "AbstentionCurve": "abstention",
    "ClassReport": "classes",
    "ContingencyTable": "contingency",
    "SampledScores": "sampled",
    "QueryScores": "query_scores",
    "RankingEvaluator": "evaluator",
    "RankingReport": "results",
    "RankingReports": "results",
    "RunScores": "query_scores",
    "abstention_curve": "abstention",
    "ThresholdCurve": "thresholds",
    "class_report": "classes",
    "contingency_table": "contingency",
    "metric_at_cutoffs": "cutoffs",
    "ranking_report": "report",
    "score_queries": "query_scores",
    "score_sampled": "sampled",
    "threshold_curve": "thresholds",
}

if not TYPE_CHECKING:
    __all__ = list(_HOME)

    def __getattr__(name):
        if name not in _HOME:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
        globals()[name] = value
        return value

    def __dir__():
        return sorted({*globals(), *__all__})
