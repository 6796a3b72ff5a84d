"""A scorer for each metric function, under its name.

``from sklearn_irmetrics.scorers import ndcg_scorer, set_f1_scorer`` gives what
``get_scorer("ndcg")`` and ``get_scorer("set_f1")`` return: scorers that take query ids
through metadata routing. Every import gives a new object, because `set_score_request`
changes it in place. Measures that need a cutoff have the cutoff 10, which the scorer
shows; :func:`~sklearn_irmetrics.get_scorer` takes any other argument.
"""

from typing import Any

from sklearn_irmetrics.metrics._registry import METRICS
from sklearn_irmetrics.scorers.scorer import complete_name, get_scorer


def _name(function):
    name = function.__name__.removesuffix("_score").removesuffix("_loss")
    return f"{name}_scorer"


_SCORERS = {
    _name(metric.function): complete_name(name)
    for name, metric in METRICS.items()
    if metric.has_direction and not metric.arguments
}
__all__ = sorted(_SCORERS)


def __getattr__(name: str) -> Any:
    if name not in _SCORERS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return get_scorer(_SCORERS[name])


def __dir__():
    return __all__
