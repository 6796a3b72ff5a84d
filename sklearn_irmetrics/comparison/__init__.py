"""Compare systems: ``compare``, ``leaderboard``, plans of experiments."""

from sklearn_irmetrics.comparison.leaderboards import (
    Leaderboard,
    Leaderboards,
    leaderboard,
)
from sklearn_irmetrics.comparison.orders import OrderAgreement, order_agreement
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
    "OrderAgreement",
    "QueryPlan",
    "compare",
    "leaderboard",
    "order_agreement",
    "plan_queries",
]
