"""The expected score of a random ranking, and scores relative to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sklearn_irmetrics._arrays.numbers import as_array, as_floats, issparse, to_numpy
from sklearn_irmetrics._checks import check_count, check_real
from sklearn_irmetrics._typing import Ids, RandomState, Rankings, Score
from sklearn_irmetrics._warnings import suppress_warnings
from sklearn_irmetrics.metrics._measure import Measure, as_measure, measure_of_function
from sklearn_irmetrics.metrics._points import weighs_documents
from sklearn_irmetrics.metrics._ranking.averages import aggregate
from sklearn_irmetrics.metrics._ranking.judgments import Judgments
from sklearn_irmetrics.metrics._ranking.marks import is_per_document


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
    `precision_recall_auc_score`, `max_fbeta_score` and recall at a precision or a false
    positive rate, for EE-L, EE-D and AWRF, for measures of `make_metric`, and for
    average precision if documents have different weights, it is the mean over
    `n_permutations` random orders.

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
    adjust_for_chance : Rescale a score so that chance is 0 and the best value 1.

    Examples
    --------
    >>> from sklearn_irmetrics.metrics import chance_level
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
    # The area of equal scores is 1/2, whatever the weights.
    may_weigh = facts.weighs_documents and facts.row_measure != "area"
    weighs = may_weigh and weighs_documents(
        judgments.y_true, equal, judgments.qid, judgments.sample_weight
    )
    if facts.exact_ties and not weighs:
        arguments |= judgments.arguments()
        return facts.function(judgments.y_true, equal, **arguments)
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
    return aggregate(
        values,
        weights,
        name=facts.function.__name__,
        undefined_if=facts.undefined_if,
        **options,
    )


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
    array: Any = to_numpy(y_true)
    shape = array.shape if issparse(array) else as_array("y_true", array).shape
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


def adjust_for_chance(
    score: ArrayLike, chance: ArrayLike, *, best: float = 1.0
) -> Score:
    """Rescale a score, a rank or a loss so that chance is 0 and the best value is 1.

    ``(score - chance) / (best - chance)``, as Cohen's kappa does for agreement. Of a
    mean rank, this is the adjusted mean rank index. Lift needs no adjustment: chance is
    1 in every query, and the best value differs between queries.

    Parameters
    ----------
    score, chance : float or array-like
        Values of a measure, and its `chance_level`, which is below `best` for scores,
        and above it for ranks and losses.
    best : float, default=1.0
        The best value of the measure: 1 for scores and for ranks, such as
        `first_rank_loss` and `last_rank_loss`, 0 for other losses.

    Returns
    -------
    float or ndarray
        At most 1, negative if worse than chance; NaN if chance is the best value.

    Raises
    ------
    ValueError
        If a score is better than `best`, or the shapes do not fit.

    Examples
    --------
    >>> from sklearn_irmetrics.metrics import adjust_for_chance
    >>> adjust_for_chance(0.75, 0.5)
    0.5

    A rank of 3 where chance is 5, and a loss of 0.125 where chance is 0.5:

    >>> adjust_for_chance(3, 5), adjust_for_chance(0.125, 0.5, best=0)
    (0.5, 0.75)
    """
    scores, levels = as_floats("score", score), as_floats("chance", chance)
    best = check_real("best", best)
    try:
        shape = np.broadcast_shapes(scores.shape, levels.shape)
    except ValueError as error:
        raise ValueError(
            "score and chance must have the same shape, unless one is a number; got "
            f"{scores.shape} and {levels.shape}."
        ) from error
    scores, levels = np.broadcast_to(scores, shape), np.broadcast_to(levels, shape)
    gained, attainable = scores - levels, best - levels
    # Means of perfect queries may be off by a rounding error.
    is_beyond = np.abs(gained) > np.abs(attainable) + 1e-9
    is_beyond &= gained * attainable > 0
    if is_beyond.any():
        pair = scores[is_beyond][0], levels[is_beyond][0]
        raise ValueError(
            "score must not be better than best; got a score of {:g} where chance is "
            "{:g}, and best={:g}. Pass best=0 for losses, best=1 for scores and "
            "ranks.".format(*pair, best)
        )
    adjusted = np.full(shape, np.nan)
    np.divide(gained, attainable, out=adjusted, where=attainable != 0)
    return adjusted if adjusted.ndim else float(adjusted)
