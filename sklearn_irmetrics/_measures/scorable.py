"""Check which measures may score an estimator."""

from sklearn_irmetrics._measures.measure import check_complete, try_out
from sklearn_irmetrics._measures.metric import ALIASES
from sklearn_irmetrics._measures.registry import METRICS


def refuse_constant(metric, arguments, name=None):
    """Refuse measures that cannot tell one model from another."""
    if not metric.has_direction:
        raise ValueError(
            f"{metric.name!r} cannot be a scorer: neither larger nor smaller values "
            "are better."
        )
    if not (metric.ranks_without_k or "k" in arguments):
        name = name or metric.name
        names = f"set_{name}".lower(), f"set_{metric.name}"
        of_sets = next(filter(METRICS.__contains__, names), None)
        labels = f", or {of_sets!r} for predicted labels" if of_sets else ""
        raise ValueError(
            f"{name!r} without a cutoff is the same for every model, because an "
            f"estimator scores all documents: write '{name}@10'{labels}. For "
            "estimators that return -inf for documents not retrieved, write k=None."
        )


def check_scorable(measure, name=None):
    """Refuse a measure that lacks an argument, has a bad one, or is constant."""
    check_complete(measure)
    refuse_constant(measure.metric, measure.arguments, name)
    try_out(measure)


# Arguments that `get_scorer_names` shows if a measure needs one.
_EXAMPLES = {"k": 10, "n_expected": 10, "target": "'relevant'"}


def with_needed(name):
    """Return the name of a measure with examples of the arguments a scorer needs."""
    metric = METRICS[ALIASES.get(name, name)]
    needed = [*metric.required, *([] if metric.ranks_without_k else ["k"])]
    at = f"@{_EXAMPLES[metric.at]}" if metric.at in needed else ""
    inside = [f"{one}={_EXAMPLES[one]}" for one in needed if one != metric.at]
    return name + (f"({', '.join(inside)})" if inside else "") + at
