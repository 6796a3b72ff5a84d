"""Arguments that hold for all measures of a call."""

import numpy as np

from sklearn_irmetrics._core.parameters import check_flag, check_real
from sklearn_irmetrics._measures.measure import with_arguments


def with_general(measures, *, relevance_threshold, judged_only, gain):
    """Return measures with arguments that each takes which has such a parameter.

    A measure's own argument goes before; None, and False, say nothing.

    Parameters
    ----------
    measures : dict of str to Measure
        By label.
    relevance_threshold, judged_only, gain : object
        As for `score_queries`.
    """
    given = {}
    if relevance_threshold is not None:
        rule = "a finite number"
        check_real("relevance_threshold", relevance_threshold, -np.inf, np.inf, rule)
        given["relevance_threshold"] = relevance_threshold
    if check_flag("judged_only", judged_only):
        given["judged_only"] = True
    if gain is not None:
        given["gain"] = gain
    if not given:
        return measures
    for name, value in given.items():
        _refuse_unused(name, value, measures)

    def fill(measure):
        taken = {k: v for k, v in given.items() if k in measure.metric.parameters}
        return with_arguments(measure, {**taken, **measure.arguments})

    return {label: fill(measure) for label, measure in measures.items()}


def _refuse_unused(name, value, measures):
    """Refuse an argument that no measure takes: it would change nothing."""
    if not any(name in measure.metric.parameters for measure in measures.values()):
        raise ValueError(
            f"{name} must be a parameter of a measure that is asked for; got {value!r} "
            f"for {', '.join(measures)}."
        )
