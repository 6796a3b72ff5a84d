"""Measures of one's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from sklearn_irmetrics._checks import check_flag
from sklearn_irmetrics.metrics._measure import Measure
from sklearn_irmetrics.metrics._names import check_new_name
from sklearn_irmetrics.metrics._ranking.custom import CustomFunction
from sklearn_irmetrics.metrics._ranking.gains import hashable
from sklearn_irmetrics.metrics._registry import metric_of


def make_metric(
    function: Callable[[NDArray[np.float64], NDArray[np.float64]], float],
    *,
    name: str,
    range: Sequence[float] | None = None,
    greater_is_better: bool = True,
) -> Measure:
    """Make a measure of a function that scores the ranking of one query.

    You can pass the result wherever the name of a measure is accepted, alone, in lists
    and in dicts: `score_queries`, `get_scorer` and every ``scoring=``, `evaluate`,
    `compare`, leaderboards, reports, runs, tables, streams, displays and training.
    Averages, weights, undefined queries and intervals are those of all measures. The
    command line accepts names only.

    Parameters
    ----------
    function : callable
        ``function(y_true, y_score)`` gets the grades (NaN: unjudged) and the scores of
        the documents of one query, best first, as arrays of float64 that it may change.
        Documents that were not retrieved come last, with the score -inf. Tied documents
        are in the order of the rows. It returns a number, or NaN if the query has no
        value. It may be called from several threads or processes.
    name : str
        A name that no measure has, of letters, digits and underscores. Results and
        messages call it so.
    range : (float, float), default=None
        The smallest and the largest value, which narrows intervals; either may be
        infinite. None: unknown.
    greater_is_better : bool, default=True
        False: a loss. Scorers negate it.

    Returns
    -------
    Measure
        ``measure(y_true, y_score, qid=qid)`` returns its mean over queries.
        ``Measure(measure, k=10)`` is the same with a cutoff: documents below rank 10
        then count as not retrieved, and have the score -inf. It can be pickled if the
        function can.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above. Where the measure is computed, if the
        function raises an error, or returns anything but a number in the range or NaN;
        the message names the measure and the query. So does ``ties="optimistic"`` or
        ``"pessimistic"``.

    See Also
    --------
    Measure : A measure of this package with its arguments.
    make_ranking_scorer : A scorer of a function that averages over queries itself.

    Notes
    -----
    The function is called once per query, so it takes longer than the measures of this
    package, which score many queries at once: about 0.1 s per 10,000 queries for a few
    operations of NumPy.

    Tied documents are not averaged over their orders. If many scores are equal, as
    those of a decision tree are, shuffle the rows first: rows that are sorted by grade
    would make ties look like perfect rankings.

    Examples
    --------
    >>> from sklearn_irmetrics import make_metric, score_queries
    >>> def wasted_clicks(y_true, y_score):
    ...     relevant = y_true > 0
    ...     return relevant.argmax() if relevant.any() else float("nan")
    >>> wasted = make_metric(wasted_clicks, name="wasted", greater_is_better=False)
    >>> y_true, y_score, qid = [0, 0, 1, 1, 0], [3, 2, 1, 2, 1], [1, 1, 1, 2, 2]
    >>> score_queries(y_true, y_score, [wasted, "mrr"], qid=qid)
    2 queries
    <BLANKLINE>
    measure                    mean  queries
    wasted (lower is better)  1.000        2
    mrr                       0.667        2
    """
    if not callable(function):
        raise TypeError(
            "function must be callable, as function(y_true, y_score); got "
            f"{function!r}."
        )
    made = CustomFunction(
        hashable(function),
        check_new_name(name),
        _check_range(range),
        check_flag("greater_is_better", greater_is_better),
    )
    return Measure(metric_of(made))


def _check_range(bounds):
    """Return the smallest and the largest value as floats."""
    if bounds is None:
        return -np.inf, np.inf
    try:
        low, high = map(float, bounds)
    except (TypeError, ValueError):
        low = high = np.nan
    if not low < high or low == np.inf or high == -np.inf:
        raise ValueError(
            "range must be the smallest and the largest value, or None; got "
            f"{bounds!r}."
        )
    return low, high
