"""Turn what was computed for each query into values and their average."""

from functools import partial

import numpy as np

from sklearn_irmetrics._core.aggregate import aggregate
from sklearn_irmetrics._core.parameters import check_parameters
from sklearn_irmetrics._core.sets import score_counts
from sklearn_irmetrics._measures.measure import kernel_parameters, with_arguments


def rules_of(measures, ties, replace_undefined_by):
    """Return the names of measures, including the rules of a call, by label."""
    rules = {} if ties == "average" else {"ties": ties}
    if not np.isnan(replace_undefined_by):
        rules["replace_undefined_by"] = replace_undefined_by
    return {label: _by_rules(one, rules) for label, one in measures.items()}


def _by_rules(measure, rules):
    """Return the name of a measure with those rules that it does not set itself."""
    taken = {name: rules[name] for name in rules if name in measure.metric.takes}
    if not taken:
        return measure.label
    return with_arguments(measure, taken | measure.arguments).label


def average_of(measure, values, weights, replace_undefined_by, **options):
    """Return the average of what `values_per_query` returned for a measure.

    With ``average=None``, return the values themselves.
    """
    policy = {"replace_undefined_by": replace_undefined_by, "average": "macro"}
    options = {**policy, **measure.averaging, **options}
    name = measure.metric.function.__name__
    if measure.metric.kind != "set":
        return aggregate(values, weights, name=name, **options)
    *counts, ranked = values
    if not ranked.any():  # in no query
        refuse_predictions()
    parameters = kernel_parameters(measure)
    for of_counting in ("relevance_threshold", "judged_only", "pos_label"):
        del parameters[of_counting]
    formula = partial(measure.metric.kernel, **check_parameters(parameters, None))
    counts = np.stack(counts)
    return score_counts(name, formula, counts, weights, **options)


def refuse_predictions():
    """Refuse scores that may be predictions."""
    raise ValueError(
        "y_score must be -inf, or False, for documents that were not retrieved; it "
        "holds only zeros and ones. Pass what was retrieved as y_pred, or as booleans."
    )
