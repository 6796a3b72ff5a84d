"""Measures of how all lists together show a catalogue."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from sklearn_irmetrics._arrays.labels import check_column_order, check_row_order
from sklearn_irmetrics._arrays.numbers import as_array
from sklearn_irmetrics._arrays.query_ids import group_rows
from sklearn_irmetrics._checks import check_confidence_level, check_count, check_option
from sklearn_irmetrics._results.tables import (
    Column,
    count,
    decimals,
    interval_column,
)
from sklearn_irmetrics._results.tabular import Tabular
from sklearn_irmetrics._typing import Ids, PlainTies
from sklearn_irmetrics.metrics._formulas import exposures
from sklearn_irmetrics.metrics._ranking.batch import check_batch
from sklearn_irmetrics.metrics._ranking.blocks import iter_blocks
from sklearn_irmetrics.metrics._ranking.ranking import Ranking

if TYPE_CHECKING:
    from sklearn_irmetrics._statistics.intervals import ConfidenceInterval

_MOST_GROUPS = 100  # of users that the jackknife leaves out together


@dataclass(frozen=True, repr=False)
class CatalogueEstimate(Tabular):
    """A measure of all lists together, with an interval over users.

    Attributes
    ----------
    estimate : float
        Between 0 and 1.
    standard_error : float
        Of the estimate, by the jackknife; that of coverage allows for one more user.
    confidence_interval : ConfidenceInterval
        For the mean of as many other users. It and the standard error are NaN for a
        single user, and for a Gini index that stays the same whoever is left out.
    confidence_level : float
        Of the interval.
    n_users, n_items : int
        Number of users and items.

    See Also
    --------
    catalogue_coverage : The share of the items that anyone sees.
    catalogue_gini : How unequally items are shown.
    """

    estimate: float
    standard_error: float
    confidence_interval: ConfidenceInterval
    confidence_level: float
    n_users: int
    n_items: int

    def _title(self):
        return [f"{count(self.n_users, 'user')}, {count(self.n_items, 'item')}"]

    def _columns(self):
        form = f".{decimals(self.standard_error)}f"
        ends = [self.confidence_interval]
        return [
            Column("estimate", [self.estimate], form),
            Column("standard_error", [self.standard_error], shown=False),
            interval_column(ends, self.confidence_level, form=form),
        ]


@dataclass(frozen=True)
class _Shown:
    """Pairs of user and item, with the probability that the user is shown the item."""

    users: np.ndarray
    items: np.ndarray
    chances: np.ndarray
    n_users: int
    n_items: int


def catalogue_coverage(
    y_score: ArrayLike,
    *,
    items: ArrayLike | None = None,
    n_items: int | None = None,
    k: int | None = None,
    qid: Ids | None = None,
    ties: PlainTies = "average",
    confidence_level: float = 0.95,
) -> CatalogueEstimate:
    r"""Catalogue coverage: the share of all items that any of the lists shows.

    Use it to see how much of the catalogue a recommender shows. It is not the coverage
    ratio of `coverage_ratio_score`, which is about relevant documents.

    Parameters
    ----------
    y_score : array-like of shape (n_rows,) or (n_users, n_items)
        Scores; larger ranks higher, -inf: not shown.
    items : array-like of the shape of `y_score`, default=None
        The item of each score, a number or a text. None: the columns are the items.
    n_items : int, default=None
        The size of the catalogue; None: the number of distinct items in the input.
    k : int, default=None
        Number of items that a list shows, at least 1; None: all with a score above
        -inf.
    qid : array-like of shape (n_rows,), default=None
        The user of each row, for 1-D input. None: all rows are one list.
    ties : {"average", "stable"}, default="average"
        Return the exact expectation over all orders of tied items, in which users are
        independent, or take the order of the rows.
    confidence_level : float, default=0.95
        The level of the interval, strictly between 0 and 1.

    Returns
    -------
    CatalogueEstimate
        The share, 0 if nothing is shown, and its interval.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    catalogue_gini : How unequally the items are shown.
    self_information_score : How rarely users know what a list shows.

    Notes
    -----
    .. math::

       \frac{1}{|I|} \left| \bigcup_u L_u \right|

    where :math:`L_u` are the k items shown to user u, and I the catalogue.

    Tools differ in what I holds: all items on offer (RecTools, RecPack, RecBole), or
    those of the training data (Microsoft's recommenders); pass the number as `n_items`.
    The value grows with the number of users, so compare systems on the same users only.
    The interval covers the mean for the same number of new users. The variance is that
    of a jackknife, which leaves out one user at a time, or one of 100 groups of users
    if there are more; it is on average too large rather than too small (Efron and Stein
    [2]_). To it is added what one user can change who differs from all others: the
    squares of 1 / n and of m / n, where n is the number of items and m the longest
    list. So the standard error is above 0 even if all users see the same items.

    References
    ----------
    .. [1] M. Ge, C. Delgado-Battenfeld, D. Jannach, "Beyond accuracy: evaluating
       recommender systems by coverage and serendipity", RecSys 2010.
    .. [2] B. Efron, C. Stein, "The jackknife estimate of variance", Annals of
       Statistics 9(3), 1981.

    Examples
    --------
    >>> from sklearn_irmetrics.metrics.experimental import catalogue_coverage
    >>> y_score = [[4, 3, 2, 1], [4, 3, 1, 2], [3, 1, 4, 2]]
    >>> catalogue_coverage(y_score, k=2)
    3 users, 4 items
    <BLANKLINE>
    estimate  95 % interval
        0.75   [0.00, 1.00]
    """
    shown = _find_shown(y_score, items, n_items, k, qid, ties)
    certain = shown.chances == 1.0
    # Users miss an item independently, so logarithms of probabilities add up.
    missed = np.log1p(-np.where(certain, 0.0, shown.chances))
    longest = np.bincount(shown.users, shown.chances).max(initial=0.0)
    steps = 1.0 / shown.n_items, longest / shown.n_items
    return _estimate(_coverage, [certain, missed], shown, confidence_level, steps)


def catalogue_gini(
    y_score: ArrayLike,
    *,
    items: ArrayLike | None = None,
    n_items: int | None = None,
    k: int | None = None,
    qid: Ids | None = None,
    ties: PlainTies = "average",
    confidence_level: float = 0.95,
) -> CatalogueEstimate:
    r"""Gini index of exposure: how unequally all lists together show the items.

    Use it to see whether a recommender shows the same few items to everyone. 0 means
    that all items are shown equally often; smaller is usually better.

    Parameters
    ----------
    y_score : array-like of shape (n_rows,) or (n_users, n_items)
        Scores; larger ranks higher, -inf: not shown.
    items : array-like of the shape of `y_score`, default=None
        The item of each score, a number or a text. None: the columns are the items.
    n_items : int, default=None
        The size of the catalogue; None: the number of distinct items in the input.
    k : int, default=None
        Number of items that a list shows, at least 1; None: all with a score above
        -inf.
    qid : array-like of shape (n_rows,), default=None
        The user of each row, for 1-D input. None: all rows are one list.
    ties : {"average", "stable"}, default="average"
        Count tied items by their expected exposure, or take the order of the rows.
    confidence_level : float, default=0.95
        The level of the interval, strictly between 0 and 1.

    Returns
    -------
    CatalogueEstimate
        The index, NaN if nothing is shown, and its interval.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above; the message names it.

    See Also
    --------
    catalogue_coverage : The share of the items that anyone sees.

    Notes
    -----
    .. math::

       \frac{\sum_{i=1}^{n} (2 i - n - 1)\, x_{(i)}}{n \sum_i x_i}

    where :math:`x_{(1)} \le \ldots \le x_{(n)}` are the numbers of lists that show each
    item, of all n items of the catalogue.

    Tools differ in the sign, the denominator and the items that nobody sees. This is
    RecBole's ``GiniIndex``, in which they count as 0, the largest value is 1 - 1 / n,
    and smaller is more equal. Elliot returns 1 minus the index with n - 1 instead of n:
    larger is more equal. Under ties it is the index of the expected counts, not the
    mean of the indices of all orders.

    The value depends on the number of users: with few users, some items stay unseen by
    chance. The interval covers the mean for the same number of new users, by a
    jackknife. It is too narrow if most users are shown the same items and a few are
    shown others, as the guide shows.

    References
    ----------
    .. [1] G. Shani, A. Gunawardana, "Evaluating recommendation systems", Recommender
       Systems Handbook, Springer, 2011.

    Examples
    --------
    >>> from sklearn_irmetrics.metrics.experimental import catalogue_gini
    >>> y_score = [[4, 3, 2, 1], [4, 3, 1, 2], [3, 1, 4, 2]]
    >>> round(catalogue_gini(y_score, k=2).estimate, 4)
    0.4167
    """
    shown = _find_shown(y_score, items, n_items, k, qid, ties)
    return _estimate(_gini, [shown.chances], shown, confidence_level)


def _coverage(n_certain, log_missed):
    """Return the share of items that are expected to be shown."""
    return np.where(n_certain > 0, 1.0, -np.expm1(log_missed)).mean()


def _gini(counts):
    """Return the Gini coefficient of counts, NaN if nothing is shown."""
    n, total = len(counts), counts.sum()
    if total == 0:
        return np.nan
    # The gap above i items separates i (n - i) pairs; no term is negative.
    below = np.arange(1.0, n)
    return (below * (n - below)) @ np.diff(np.sort(counts)) / (n * total)


def _find_shown(y_score, items, n_items, k, qid, ties):
    """Return the items that each user is shown, with their probabilities."""
    check_row_order(y_score=y_score, items=items, qid=qid)
    check_column_order(y_score=y_score, items=items)
    y_score = as_array("y_score", y_score)
    if items is None:
        if y_score.ndim != 2:
            raise ValueError(
                "items is required for 1-D y_score: the item of each row; got None."
            )
        names = np.arange(y_score.shape[1])
        codes = np.broadcast_to(names, y_score.shape)
    else:
        items = as_array("items", items)
        if items.shape != y_score.shape:
            raise ValueError(
                f"items must have the shape of y_score, {y_score.shape}; got "
                f"{items.shape}."
            )
        grouped = group_rows(items.ravel(), items.size, "items")
        names, codes = grouped.ids, grouped.codes()
    if n_items is None:
        n_items = len(names)
    n_items = check_count("n_items", n_items, least=len(names))
    k = np.inf if k is None else check_count("k", k)
    check_option("ties", ties, ("average", "stable"))
    batch = check_batch(codes.reshape(y_score.shape), y_score, qid=qid)
    parts = []
    for block in iter_blocks(batch):
        if items is not None and (np.diff(np.sort(block.grades)) == 0).any():
            raise ValueError(
                "items must not hold an item twice for one user; pass qid to assign "
                "rows to users."
            )
        ranking = Ranking.of(block, ties=ties)
        chances = exposures(ranking, np.where(ranking.ranks <= k, 1.0, 0.0))
        rows, columns = np.nonzero(chances)
        shown = ranking.documents.grades[rows, columns].astype(np.intp)
        parts.append((block.queries[rows], shown, chances[rows, columns]))
    users, shown, chances = map(np.concatenate, zip(*parts, strict=True))
    return _Shown(users, shown, chances, batch.n_queries, n_items)


def _estimate(measure, parts, shown, confidence_level, steps=(0.0, 0.0)):
    """Return a measure of sums by item, with a jackknife over groups of users.

    `steps` is how far another user might lower and raise the value. One such user is
    added on either side; otherwise users who are all alike would leave no uncertainty.
    """
    from sklearn_irmetrics._statistics.intervals import ConfidenceInterval

    level = check_confidence_level(confidence_level)
    totals = [np.bincount(shown.items, part, shown.n_items) for part in parts]
    n_groups = min(shown.n_users, _MOST_GROUPS)
    dealt = np.random.default_rng(0).permutation(shown.n_users) % n_groups
    group = dealt[shown.users]
    without = []
    for number in range(n_groups):
        own = group == number
        items = shown.items[own]
        rest = [
            total - np.bincount(items, part[own], shown.n_items)
            for total, part in zip(totals, parts, strict=True)
        ]
        without.append(measure(*rest))
    value = measure(*totals)
    low = high = error = np.nan
    if n_groups > 1:
        from scipy import special  # slow to import

        variance = np.var(without) * (n_groups - 1.0)
        if variance > 0.0 or steps[0]:
            error = np.sqrt(variance + steps[0] ** 2 + steps[1] ** 2)
            t = special.stdtrit(n_groups - 1.0, (1.0 + level) / 2.0)
            below, above = (t * np.sqrt(variance + 2.0 * step**2) for step in steps)
            low, high = max(0.0, value - below), min(1.0, value + above)
    return CatalogueEstimate(
        estimate=float(value),
        standard_error=float(error),
        confidence_interval=ConfidenceInterval(float(low), float(high)),
        confidence_level=level,
        n_users=shown.n_users,
        n_items=shown.n_items,
    )
