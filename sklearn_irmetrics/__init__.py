"""Information-retrieval evaluation that behaves like scikit-learn."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sklearn_irmetrics._measures.chance import (
        adjust_for_chance as adjust_for_chance,
    )
    from sklearn_irmetrics._measures.chance import chance_level as chance_level
    from sklearn_irmetrics._measures.contingency import (
        ContingencyTable as ContingencyTable,
    )
    from sklearn_irmetrics._measures.contingency import (
        contingency_table as contingency_table,
    )
    from sklearn_irmetrics._measures.cutoffs import (
        metric_at_cutoffs as metric_at_cutoffs,
    )
    from sklearn_irmetrics._measures.evaluator import (
        RankingEvaluator as RankingEvaluator,
    )
    from sklearn_irmetrics._measures.frames import score_frame as score_frame
    from sklearn_irmetrics._measures.measure import Measure as Measure
    from sklearn_irmetrics._measures.presets import preset as preset
    from sklearn_irmetrics._measures.query_scores import QueryScores as QueryScores
    from sklearn_irmetrics._measures.rankings import score_queries as score_queries
    from sklearn_irmetrics._measures.report import ranking_report as ranking_report
    from sklearn_irmetrics._measures.sampled import CorrectedMean as CorrectedMean
    from sklearn_irmetrics._measures.sampled import score_sampled as score_sampled
    from sklearn_irmetrics._measures.score_summary import ScoreSummary as ScoreSummary
    from sklearn_irmetrics._measures.scorer import get_scorer as get_scorer
    from sklearn_irmetrics._measures.scorer import get_scorer_names as get_scorer_names
    from sklearn_irmetrics._measures.scorer import get_scorers as get_scorers
    from sklearn_irmetrics._measures.scorer import (
        make_ranking_scorer as make_ranking_scorer,
    )
    from sklearn_irmetrics._measures.streaming import (
        StreamingEvaluator as StreamingEvaluator,
    )
    from sklearn_irmetrics.estimators import QueryRanker as QueryRanker
    from sklearn_irmetrics.metrics import *  # noqa: F403 (its __all__ is explicit)
    from sklearn_irmetrics.runs import fuse_runs as fuse_runs
    from sklearn_irmetrics.runs import score_run as score_run

__version__ = "0.1.0"

# Where names come from, when they are first asked for: what scores arrays and files
# needs no scikit-learn, which takes longer to import than most calls take.
_NAMES_OF = {
    "_measures.chance": ("adjust_for_chance", "chance_level"),
    "_measures.contingency": ("ContingencyTable", "contingency_table"),
    "_measures.cutoffs": ("metric_at_cutoffs",),
    "_measures.evaluator": ("RankingEvaluator",),
    "_measures.frames": ("score_frame",),
    "_measures.measure": ("Measure",),
    "_measures.presets": ("preset",),
    "_measures.query_scores": ("QueryScores",),
    "_measures.rankings": ("score_queries",),
    "_measures.report": ("ranking_report",),
    "_measures.sampled": ("CorrectedMean", "score_sampled"),
    "_measures.score_summary": ("ScoreSummary",),
    "_measures.scorer": (
        "get_scorer",
        "get_scorer_names",
        "get_scorers",
        "make_ranking_scorer",
    ),
    "_measures.streaming": ("StreamingEvaluator",),
    "estimators": ("QueryRanker",),
    "runs": ("fuse_runs", "score_run"),
}
_HOME = {name: module for module, names in _NAMES_OF.items() for name in names}
_MODULES = (
    "boosting",
    "datasets",
    "emerging",
    "estimators",
    "exceptions",
    "judging",
    "metrics",
    "model_selection",
    "plot",
    "runs",
    "scorers",
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
