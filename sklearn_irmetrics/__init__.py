"""Information-retrieval evaluation that behaves like scikit-learn."""

from importlib import import_module
from typing import TYPE_CHECKING

from sklearn_irmetrics import metrics

if TYPE_CHECKING:
    from sklearn_irmetrics._measures.chance import adjust_for_chance, chance_level
    from sklearn_irmetrics._measures.contingency import (
        ContingencyTable,
        contingency_table,
    )
    from sklearn_irmetrics._measures.cutoffs import metric_at_cutoffs
    from sklearn_irmetrics._measures.evaluator import RankingEvaluator
    from sklearn_irmetrics._measures.frames import score_frame
    from sklearn_irmetrics._measures.measure import Measure
    from sklearn_irmetrics._measures.presets import PRESETS, preset
    from sklearn_irmetrics._measures.query_scores import QueryScores
    from sklearn_irmetrics._measures.rankings import score_queries
    from sklearn_irmetrics._measures.report import ranking_report
    from sklearn_irmetrics._measures.scorer import (
        get_scorer,
        get_scorer_names,
        get_scorers,
        make_ranking_scorer,
    )
    from sklearn_irmetrics.estimators import QueryRanker
    from sklearn_irmetrics.metrics import *  # noqa: F403 (its __all__ is explicit)
    from sklearn_irmetrics.runs import fuse_runs, score_run

__version__ = "0.1.0"

__all__ = [
    "ContingencyTable",
    "Measure",
    "PRESETS",
    "QueryRanker",
    "QueryScores",
    "RankingEvaluator",
    "adjust_for_chance",
    "chance_level",
    "contingency_table",
    "fuse_runs",
    "get_scorer",
    "get_scorer_names",
    "get_scorers",
    "make_ranking_scorer",
    "metric_at_cutoffs",
    "preset",
    "ranking_report",
    "score_frame",
    "score_queries",
    "score_run",
    *metrics.__all__,
]

# Where names come from, when they are first asked for: what scores arrays and files
# needs no scikit-learn, which takes longer to import than most calls take.
_NAMES_OF = {
    "_measures.chance": ("adjust_for_chance", "chance_level"),
    "_measures.contingency": ("ContingencyTable", "contingency_table"),
    "_measures.cutoffs": ("metric_at_cutoffs",),
    "_measures.evaluator": ("RankingEvaluator",),
    "_measures.frames": ("score_frame",),
    "_measures.measure": ("Measure",),
    "_measures.presets": ("PRESETS", "preset"),
    "_measures.query_scores": ("QueryScores",),
    "_measures.rankings": ("score_queries",),
    "_measures.report": ("ranking_report",),
    "_measures.scorer": (
        "get_scorer",
        "get_scorer_names",
        "get_scorers",
        "make_ranking_scorer",
    ),
    "estimators": ("QueryRanker",),
    "runs": ("fuse_runs", "score_run"),
    "metrics": metrics.__all__,
}
_HOME = {name: module for module, names in _NAMES_OF.items() for name in names}
_MODULES = (
    "boosting",
    "datasets",
    "estimators",
    "exceptions",
    "model_selection",
    "plot",
    "runs",
    "trec",
)

if not TYPE_CHECKING:

    def __getattr__(name):
        if name in _HOME:
            value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
        elif name in _MODULES:
            value = import_module(f"{__name__}.{name}")
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = value
        return value

    def __dir__():
        return sorted({*globals(), *__all__, *_MODULES})
