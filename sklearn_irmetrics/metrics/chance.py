"""The expected score of a random ranking, and scores relative to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sklearn_irmetrics._arrays.numbers import as_array, as_floats, issparse, to_numpy
from sklearn_irmetrics._checks import check_count
from sklearn_irmetrics._typing import Ids, RandomState, Rankings, Score
from sklearn_irmetrics._warnings import suppress_warnings
from sklearn_irmetrics.metrics._measure import Measure, as_measure, measure_of_function
from sklearn_irmetrics.metrics._points import weighs_documents
from sklearn_irmetrics.metrics._ranking.averages import aggregate
from sklearn_irmetrics.metrics._ranking.judgments import Judgments
from sklearn_irmetrics.metrics._ranking.marks import is_per_document
from sklearn_irmetrics.metrics.binary import average_precision_score


def chance_level(
    metric: str | Callable[..., Any],
    y_true: Rankings,
    *,
    qid: Ids | None = None,
    candidates: Rankings | None = None,
    n_permutations: int = 1000,
    random_state: RandomState = None,
    **kwargs: Any,
) -> Score:
    """Return the expected value of a measure for a random ranking of all documents.

    For every measure that averages ties exactly, it is exact: the value with all scores
    equal. For interpolated precision, eleven-point precision,
    `precision_recall_auc_score` and `max_fbeta_score`, for EE-L, EE-D and AWRF, for
    measures of `make_metric`, and for average precision if documents have different
    weights, it is the mean over `n_permutations` random orders.

    Parameters
    ----------
    metric : str or callable
        A name such as ``"ndcg@10"``, or a ranking measure of this package.
    y_true : array-like of shape (n_documents,) or (n_queries, n_documents), or CSR
        Grades; larger is better, NaN: unjudged. For a measure of subtopics, of shape
        (n_documents, n_subtopics).
    qid : array-like of shape (n_documents,), default=None
        Query ids, for 1-D input. None: all rows are one ranking.
    candidates : array-like of the shape of `y_true`, or CSR, default=None
        Whether each document may be ranked. All others, such as items that a user has
        seen, are ignored. Entries that CSR does not store are False. None: all may.
    n_permutations : int, default=1000
        Number of random orders for measures without an exact value, at least 1.
    random_state : int, RandomState instance or None, default=None
        Seed of the random orders.
    **kwargs
        Further arguments of the measure, such as `k`, `average` or `sample_weight`.

    Returns
    -------
    float, or ndarray of shape (n_queries,) with ``average=None``
        In the range of the measure; undefined if the measure is.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    adjust_for_chance : Rescale a score so that chance is 0.

    Examples
    --------
    >>> from sklearn_irmetrics import chance_level
    >>> chance_level("map", [1, 0, 0, 1, 0])
    0.5925
    """
    measure = _measure_that_ranks(metric)
    facts, arguments = measure.metric, {**measure.arguments, **kwargs}
    if "ties" in arguments:
        raise ValueError(
            "ties must not be given: a chance level averages over all orders."
        )
    check_count("n_permutations", n_permutations)
    equal = _equal_scores(y_true, facts.subtopics)
    marks = [name for name in arguments if is_per_document(name, arguments[name])]
    judgments = Judgments(
        y_true,
        qid,
        arguments.pop("sample_weight", None),
        {name: arguments.pop(name) for name in marks},
        candidates,
    )
    judgments, equal = judgments.among_candidates(equal)
    weighs = facts.function is average_precision_score and weighs_documents(
        judgments.y_true, equal, judgments.qid, judgments.sample_weight
    )
    if facts.exact_ties and not weighs:
        given = judgments.arguments()
        return facts.function(judgments.y_true, equal, **given, **arguments)
    options = {
        name: arguments.pop(name)
        for name in ("average", "replace_undefined_by", "epsilon")
        if name in arguments
    }
    weights = None
    if not weighs:
        weights = replace(judgments, marks=None).batch(equal).weights
        judgments = replace(judgments, sample_weight=None)
    arguments |= judgments.arguments()
    function = partial(facts.function, judgments.y_true, average=None, **arguments)
    values = _mean_of_random_orders(function, equal.shape, n_permutations, random_state)
    return aggregate(values, weights, name=facts.function.__name__, **options)


def _measure_that_ranks(metric):
    """Return the measure of a name or a function; refuse those that do not rank."""
    if callable(metric) and not isinstance(metric, Measure):
        measure = measure_of_function(metric)
    else:
        measure = as_measure("metric", metric)
    if measure is None or not measure.metric.ranks:
        raise ValueError(
            "metric must rank documents, since only such measures have a chance level; "
            f"got {metric!r}."
        )
    return measure


def _equal_scores(y_true, of_subtopics):
    """Return scores that tie all documents."""
    given: Any = to_numpy(y_true)
    shape = given.shape if issparse(given) else as_array("y_true", given).shape
    return np.broadcast_to(np.float32(0), shape[:1] if of_subtopics else shape)


def _mean_of_random_orders(function, shape, n_permutations, random_state):
    """Return the mean values per query over random scores."""
    from sklearn.utils import check_random_state

    rng = check_random_state(random_state)
    total = 0.0
    with suppress_warnings():
        for _ in range(n_permutations):
            total += function(rng.random_sample(shape))
    return total / n_permutations


def adjust_for_chance(score: ArrayLike, chance: ArrayLike) -> Score:
    """Rescale a score so that chance is 0 and a perfect score stays 1.

    ``(score - chance) / (1 - chance)``, as Cohen's kappa does for agreement.

    Parameters
    ----------
    score, chance : float or array-like
        Scores of a measure whose largest value is 1, and its `chance_level`.

    Returns
    -------
    float or ndarray
        At most 1, negative below chance; NaN if chance is 1.

    Raises
    ------
    ValueError
        If `chance` is above 1, or the shapes do not fit.

    Examples
    --------
    >>> from sklearn_irmetrics import adjust_for_chance
    >>> adjust_for_chance(0.75, 0.5)
    0.5
    """
    scores, levels = as_floats("score", score), as_floats("chance", chance)
    if (levels > 1).any():
        raise ValueError(f"chance must be at most 1; got {levels.max()}.")
    try:
        shape = np.broadcast_shapes(scores.shape, levels.shape)
    except ValueError as error:
        raise ValueError(
            "score and chance must have the same shape, unless one is a number; got "
            f"{scores.shape} and {levels.shape}."
        ) from error
    adjusted = np.full(shape, np.nan)
    np.divide(scores - levels, 1.0 - levels, out=adjusted, where=levels < 1)
    return adjusted if adjusted.ndim else float(adjusted)
