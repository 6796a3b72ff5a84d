"""Compare systems: ``compare``, ``leaderboard``, plans of experiments."""

from sklearn_irmetrics.comparison.leaderboards import (
    Leaderboard,
    Leaderboards,
    leaderboard,
)
from sklearn_irmetrics.comparison.pairs import (
    ComparisonResult,
    ComparisonResults,
    compare,
)
from sklearn_irmetrics.comparison.planning import QueryPlan, plan_queries

__all__ = [
    "ComparisonResult",
    "ComparisonResults",
    "Leaderboard",
    "Leaderboards",
    "QueryPlan",
    "compare",
    "leaderboard",
    "plan_queries",
]
