"""One ranking of documents of different weights, where scikit-learn has a formula."""

import numpy as np

from sklearn_irmetrics._core.aggregate import aggregate, scale_weights
from sklearn_irmetrics._core.checks import check_weights
from sklearn_irmetrics._core.inputs import check_judgments
from sklearn_irmetrics._core.namespace import to_numpy
from sklearn_irmetrics._core.parameters import check_parameters
from sklearn_irmetrics._core.sets import is_one_ranking
from sklearn_irmetrics._core.values import Documents, Relevant


def weighs_documents(arguments):
    """Whether documents of one ranking have weights that differ."""
    y_true, y_score, qid = (arguments[name] for name in ("y_true", "y_score", "qid"))
    weights = arguments["sample_weight"]
    if weights is None or not is_one_ranking(y_true, y_score, qid):
        return False
    weights = check_weights(weights, len(y_true), "row")
    return bool((weights != weights[0]).any())


def score_weighted_documents(name, formula, arguments):
    """Do what `score_ranking` does for documents that have weights.

    `formula` takes relevance, ranks from the last one up (-1: not retrieved) and
    weights, and returns one value. Tied documents are one step.
    """
    parameters = dict(arguments)
    policy = {
        option: parameters.pop(option)
        for option in ("average", "replace_undefined_by", "epsilon")
        if option in parameters
    }
    y_true, y_score, weights, labels = (
        parameters.pop(array)
        for array in ("y_true", "y_score", "sample_weight", "labels")
    )
    del parameters["qid"]
    defaults = {"ties": "average", "k": None, "denominator": "relevant"}
    for option, default in defaults.items():
        if parameters.pop(option, default) != default:
            raise ValueError(
                f"{option} must be {default!r} for {name} where sample_weight differs "
                f"between documents; got {arguments[option]!r}."
            )
    judgments = check_judgments(y_true, y_score, labels=labels)
    parameters = check_parameters(parameters, judgments)
    grades, scores = (
        to_numpy(array).ravel() for array in (judgments.grades, judgments.scores)
    )
    weights = scale_weights(to_numpy(check_weights(weights, len(grades), "row")))
    counted = weights > 0
    if parameters["judged_only"]:
        counted &= ~np.isnan(grades)
    grades, scores, weights = grades[counted], scores[counted], weights[counted]
    relevant = Relevant(parameters["relevance_threshold"])(Documents(grades, {}))
    ranks = np.unique(scores, return_inverse=True)[1]
    ranks[scores == -np.inf] = -1
    value = formula(relevant, ranks, weights)
    return aggregate(np.array([value]), None, name=name, **policy)


def roc_auc(relevant, ranks, weights):
    """Return the area under the ROC curve, NaN where there is one kind only."""
    if relevant.all() or not relevant.any():
        return np.nan
    from sklearn.metrics import roc_auc_score

    return roc_auc_score(relevant, ranks, sample_weight=weights)


def average_precision(relevant, ranks, weights):
    """Return average precision, NaN where nothing is relevant."""
    if not relevant.any():
        return np.nan
    found = ranks >= 0
    if not (relevant & found).any():
        return 0.0
    # Precision counts what was retrieved, recall all that is relevant.
    from sklearn.metrics import average_precision_score

    value = average_precision_score(
        relevant[found], ranks[found], sample_weight=weights[found]
    )
    return value * weights[relevant & found].sum() / weights[relevant].sum()
