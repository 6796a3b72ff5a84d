"""Information-retrieval evaluation that behaves like scikit-learn."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sklearn_irmetrics.estimators import QueryRanker as QueryRanker
    from sklearn_irmetrics.frames import score_frame as score_frame
    from sklearn_irmetrics.metrics import *  # noqa: F403 (its __all__ is explicit)
    from sklearn_irmetrics.metrics._measure import Measure as Measure
    from sklearn_irmetrics.metrics.chance import adjust_for_chance as adjust_for_chance
    from sklearn_irmetrics.metrics.chance import chance_level as chance_level
    from sklearn_irmetrics.metrics.presets import preset as preset
    from sklearn_irmetrics.reports.contingency import (
        ContingencyTable as ContingencyTable,
    )
    from sklearn_irmetrics.reports.contingency import (
        contingency_table as contingency_table,
    )
    from sklearn_irmetrics.reports.cutoffs import metric_at_cutoffs as metric_at_cutoffs
    from sklearn_irmetrics.reports.evaluator import RankingEvaluator as RankingEvaluator
    from sklearn_irmetrics.reports.query_scores import QueryScores as QueryScores
    from sklearn_irmetrics.reports.query_scores import score_queries as score_queries
    from sklearn_irmetrics.reports.report import ranking_report as ranking_report
    from sklearn_irmetrics.reports.sampled import CorrectedMean as CorrectedMean
    from sklearn_irmetrics.reports.sampled import score_sampled as score_sampled
    from sklearn_irmetrics.runs import fuse_runs as fuse_runs
    from sklearn_irmetrics.runs import score_run as score_run
    from sklearn_irmetrics.scorers.scorer import get_scorer as get_scorer
    from sklearn_irmetrics.scorers.scorer import get_scorer_names as get_scorer_names
    from sklearn_irmetrics.scorers.scorer import get_scorers as get_scorers
    from sklearn_irmetrics.scorers.scorer import (
        make_ranking_scorer as make_ranking_scorer,
    )
    from sklearn_irmetrics.streaming import *  # noqa: F403

__version__ = "0.1.0"

# Where names come from, when they are first asked for: what scores arrays and files
# needs no scikit-learn, which takes longer to import than most calls take.
_NAMES_OF = {
    "estimators": ("QueryRanker",),
    "frames": ("score_frame",),
    "metrics._measure": ("Measure",),
    "metrics.chance": ("adjust_for_chance", "chance_level"),
    "metrics.presets": ("preset",),
    "reports.contingency": ("ContingencyTable", "contingency_table"),
    "reports.cutoffs": ("metric_at_cutoffs",),
    "reports.evaluator": ("RankingEvaluator",),
    "reports.query_scores": ("QueryScores", "score_queries"),
    "reports.report": ("ranking_report",),
    "reports.sampled": ("CorrectedMean", "score_sampled"),
    "runs": ("fuse_runs", "score_run"),
    "scorers.scorer": (
        "get_scorer",
        "get_scorer_names",
        "get_scorers",
        "make_ranking_scorer",
    ),
    "streaming": ("ScoreSummary", "StreamingEvaluator"),
}
_HOME = {name: module for module, names in _NAMES_OF.items() for name in names}
_MODULES = (
    "comparison",
    "datasets",
    "estimators",
    "exceptions",
    "frames",
    "judging",
    "metrics",
    "model_selection",
    "plot",
    "reports",
    "runs",
    "scorers",
    "streaming",
)

if not TYPE_CHECKING:

    def __getattr__(name):
        if name in _HOME:
            value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
        elif name in _MODULES:
            value = import_module(f"{__name__}.{name}")
        else:
            functions = import_module(f"{__name__}.metrics")
            if name == "__all__":
                value = [*_HOME, *functions.__all__]
            elif name in functions.__all__:
                value = getattr(functions, name)
            else:
                raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = value
        return value

    def __dir__():
        return sorted({*globals(), *__getattr__("__all__"), *_MODULES})
