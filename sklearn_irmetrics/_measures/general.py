"""Arguments that hold for all measures of a call."""

import numpy as np

from sklearn_irmetrics._core.parameters import check_real
from sklearn_irmetrics._measures.measure import with_arguments


def with_general(measures, **arguments):
    """Return measures with arguments that each takes which has such a parameter.

    A measure's own argument goes before.

    Parameters
    ----------
    measures : dict of str to Measure
        By label.
    **arguments
        None, and False for flags, where nothing was said.
    """
    threshold = arguments.get("relevance_threshold")
    if threshold is not None:
        check_real("relevance_threshold", threshold, -np.inf, np.inf, "a finite number")
    given = {k: v for k, v in arguments.items() if v is not None and v is not False}
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
