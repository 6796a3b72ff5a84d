"""What a system gains if it leaves out the queries that it is least confident of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from sklearn_irmetrics._arrays.numbers import as_floats
from sklearn_irmetrics._arrays.query_values import align_to_queries
from sklearn_irmetrics._checks import (
    check_confidence_level,
    check_count,
    check_flag,
    check_option,
    check_seed,
)
from sklearn_irmetrics._results.tables import (
    Column,
    Interval,
    count,
    decimals,
    interval_column,
)
from sklearn_irmetrics._results.tabular import Tabular
from sklearn_irmetrics._statistics.draws import batches
from sklearn_irmetrics._statistics.intervals import (
    ConfidenceInterval,
    interval_of_mean,
    percentile_interval,
)
from sklearn_irmetrics._typing import PerQuery, RandomState
from sklearn_irmetrics.reports.query_scores import (
    QueryScores,
    check_order,
    measure_behind,
)

if TYPE_CHECKING:
    from sklearn_irmetrics.plot import AbstentionDisplay

_RATES = np.arange(10) / 10
# The multiples of 0.1 in floats decide how half queries are rounded. These are MTEB's.
_ROUNDED_RATES = np.linspace(0, 1, 11)[:-1]


@dataclass(frozen=True, eq=False, repr=False)
class AbstentionCurve(Tabular):
    """The mean over the queries that are kept, as more of them are left out.

    `abstention_curve` returns it; ``print`` shows its table.

    Attributes
    ----------
    rates : ndarray of shape (n_rates,)
        Share of the queries left out: 0, 0.1, ..., 0.9.
    n_kept : int ndarray of shape (n_rates,)
        Number of queries that are kept.
    estimate : ndarray of shape (n_rates,)
        Their mean.
    standard_error : ndarray of shape (n_rates,)
        Of each mean.
    confidence_interval : ndarray of shape (n_rates, 2)
        Of each mean, over the queries that are kept; NaN where there are too few.
    confidence_level : float
        Of the intervals.
    ideal : ndarray of shape (n_rates,)
        The mean if those of the worst values were left out.
    nauc : float
        The normalised area: 0 for a confidence that tells nothing, 1 for the ideal,
        negative for a confidence that misleads; NaN if all values are equal.
    nauc_interval : ConfidenceInterval
        Of the normalised area, over queries.
    metric : str or None
        The measure, if it is known.
    """

    rates: np.ndarray
    n_kept: np.ndarray
    estimate: np.ndarray
    standard_error: np.ndarray
    confidence_interval: np.ndarray
    confidence_level: float
    ideal: np.ndarray
    nauc: float
    nauc_interval: ConfidenceInterval
    metric: str | None = None

    def plot(self, **kwargs: Any) -> AbstentionDisplay:
        """Draw the curve with its intervals, the ideal and chance; needs matplotlib.

        Parameters
        ----------
        **kwargs
            Passed to :meth:`sklearn_irmetrics.plot.AbstentionDisplay.from_result`.

        Returns
        -------
        sklearn_irmetrics.plot.AbstentionDisplay
        """
        from sklearn_irmetrics.plot import AbstentionDisplay

        return AbstentionDisplay.from_result(self, **kwargs)

    def _title(self):
        what = "mean" if self.metric is None else self.metric
        queries = count(int(self.n_kept[0]), "query")
        return [f"{what} as the least confident of {queries} are left out"]

    def _notes(self):
        if np.isnan(self.nauc):
            return ["No nAUC: all queries have the same value."]
        ends = Interval(*self.nauc_interval, ".3f")
        level = f"{100 * self.confidence_level:g} % interval"
        area = f"nAUC {self.nauc:.3f}"
        if not np.isnan(self.nauc_interval.low):
            area += f", {level} {ends}"
        notes = [
            f"{area}: 0 for a confidence that tells nothing, 1 for the ideal one.",
            "Interval: the mean on new queries that are kept like these. ideal: the "
            "mean without the worst queries.",
        ]
        if np.isnan(self.confidence_interval).any():
            notes.append("–: too few queries are kept for an interval.")
        return notes

    def _columns(self):
        form = f".{decimals(self.standard_error)}f"
        ends = self.confidence_interval.tolist()
        return [
            Column(
                "rate", self.rates.tolist(), ".1f", heading="left out", in_index=True
            ),
            Column("n_kept", self.n_kept.tolist(), "d", heading="queries"),
            Column("estimate", self.estimate.tolist(), form, heading="mean"),
            Column("standard_error", self.standard_error.tolist(), shown=False),
            interval_column(ends, self.confidence_level, form=form),
            Column("ideal", self.ideal.tolist(), form),
        ]


def abstention_curve(
    values: QueryScores | ArrayLike,
    confidence: PerQuery,
    *,
    metric: str | None = None,
    greater_is_better: bool | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    random_state: RandomState = None,
) -> AbstentionCurve:
    r"""Return the mean over queries as the least confident ones are left out.

    Use it where a system may decline to answer: it tells whether the confidence, such
    as the largest score of a query or its distance to the next one, knows which queries
    are hard.

    Parameters
    ----------
    values : QueryScores, or array-like of shape (n_queries,)
        The value of each query by a measure; NaN where undefined. Undefined queries are
        left out. The index of a Series holds the query ids.
    confidence : dict by query id, or array-like of shape (n_queries,)
        How confident the system is of each query; larger is more confident, -inf is
        allowed. Only the order matters. Of queries with equal confidence, all are
        equally likely to be left out first.
    metric : str, default=None
        Which measure of `values`; required if there are several.
    greater_is_better : bool, default=None
        Whether larger values are better; None: as the measure says, True for an array.
    confidence_level : float, default=0.95
        Of the intervals, between 0 and 1.
    n_resamples : int, default=2000
        Number of bootstrap resamples of the queries, at least 2.
    random_state : int, RandomState instance or None, default=None
        Seed of the resamples.

    Returns
    -------
    AbstentionCurve
        With `rates`, the mean at each (`estimate`), `nauc` and their intervals, and a
        method `plot`.

    Raises
    ------
    TypeError, ValueError
        If an argument breaks the rules above, no query is defined, or queries have
        different weights; the message names it.

    See Also
    --------
    threshold_curve : A measure at thresholds of the scores of documents.
    sklearn_irmetrics.plot.AbstentionDisplay : Draws the curve.

    Notes
    -----
    The area A under the means at the rates 0, 0.1, ..., 0.9 is compared with that of a
    flat curve, which leaves out queries at random, and with that of the ideal, which
    leaves out those of the worst values:

    .. math::

       \mathrm{nAUC}
         = \frac{A - A_\text{flat}}{A_\text{ideal} - A_\text{flat}}

    At each rate, the number of queries left out is rounded to the nearest whole number,
    a half as MTEB does, and one query is always kept.

    The interval of nAUC is the percentile bootstrap over queries. It is too narrow for
    fewer than about 50 queries, and where few queries have another value than the
    others. Those of the means are the usual ones, over the queries that are kept.

    Elsewhere: ``nAUC`` in MTEB, which leaves out queries with equal confidence in the
    order of the rows.

    References
    ----------
    .. [1] H. Gisserot-Boukhlef, M. Faysse, E. Malherbe, C. Hudelot, P. Colombo,
       "Towards trustworthy reranking: a simple yet effective abstention mechanism",
       TMLR 2024, arXiv:2402.12997.

    Examples
    --------
    >>> from sklearn_irmetrics.reports import abstention_curve
    >>> values = [1, 0.5, 1, 0, 0.5, 1, 0, 0, 0.5, 0]
    >>> confidence = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05]
    >>> curve = abstention_curve(values, confidence, random_state=0)
    >>> round(curve.nauc, 4)
    0.6136
    >>> curve.estimate[[0, 5, 9]]
    array([0.45, 0.6 , 1.  ])
    """
    level = check_confidence_level(confidence_level)
    n_resamples = check_count("n_resamples", n_resamples, least=2)
    rng = np.random.default_rng(check_seed(random_state))
    if greater_is_better is not None:
        check_flag("greater_is_better", greater_is_better)
    if isinstance(values, QueryScores):
        check_order(values, confidence=confidence)
        if metric is None and len(values.scores) == 1:
            metric = next(iter(values.scores))
        check_option("metric", metric, values.scores)
        known, query_ids, bounds, rises = _of_measure(values, metric)
    else:
        known, query_ids, bounds, rises = _of_array(values, metric)
    if greater_is_better is None:
        greater_is_better = rises
    known, certain = _order_defined(known, confidence, query_ids)
    sign = 1.0 if greater_is_better else -1.0
    groups = np.unique(certain, return_inverse=True)[1]
    n = len(known)
    areas = np.empty(n_resamples)
    for part in batches(n_resamples, n):
        drawn = rng.integers(n, size=(part.stop - part.start, n))
        drawn += n * np.arange(len(drawn))[:, np.newaxis]
        counts = np.bincount(drawn.ravel(), minlength=drawn.size).reshape(drawn.shape)
        areas[part] = _normalised_areas(sign * known, groups, counts)
    once = np.ones((1, n), dtype=np.int64)
    # How likely each query is kept, a row per rate; equal confidences are alike.
    sizes = np.bincount(groups)
    shares = np.stack(
        [
            (np.bincount(groups, weights=np.arange(n) >= n_out) / sizes)[groups]
            for n_out in _n_left_out(n)
        ]
    )
    intervals = [
        interval_of_mean(
            known[share > 0],
            weights=share[share > 0],
            bounds=bounds,
            confidence_level=level,
            rng=0,
        )
        for share in shares
    ]
    return AbstentionCurve(
        rates=_RATES.copy(),
        n_kept=n - _n_left_out(n),
        estimate=(shares @ known) / shares.sum(axis=1),
        standard_error=np.array([error for error, _, _ in intervals]),
        confidence_interval=np.array([ends for _, ends, _ in intervals]),
        confidence_level=level,
        ideal=sign * _means_kept(np.sort(sign * known)[np.newaxis])[0],
        nauc=float(_normalised_areas(sign * known, groups, once)[0]),
        nauc_interval=percentile_interval(areas, level, "bootstrap")[1],
        metric=metric,
    )


def _of_measure(scores, label):
    """Return values, query ids, range and direction of a measure of `QueryScores`."""
    values = scores.scores[label]
    if scores.weights is not None:
        counted = scores.weights > 0
        if len(set(scores.weights[counted].tolist())) > 1:
            raise ValueError(
                "values must be of queries with equal weights, since shares of the "
                "queries are left out; got different ones."
            )
        values = np.where(counted, values, np.nan)
    try:
        measure = measure_behind(scores, label)
    except ValueError:  # it is not one of this package
        return values, scores.query_ids, None, True
    if measure.average != "macro":
        raise ValueError(
            "metric must be averaged over queries with average='macro'; got "
            f"{label!r}, with average={measure.average!r}."
        )
    return values, scores.query_ids, measure.range, measure.metric.greater_is_better


def _of_array(values, metric):
    """Return values of an array, query ids, no range, and that larger is better."""
    if metric is not None:
        raise ValueError(
            "metric must be None unless values are QueryScores; got "
            f"{metric!r} for a {type(values).__name__}."
        )
    is_series = hasattr(values, "to_numpy") and hasattr(values, "index")
    numbers = as_floats("values", values)
    query_ids = values.index.to_numpy() if is_series else np.arange(numbers.size)
    if numbers.ndim != 1 or np.isinf(numbers).any():
        raise ValueError(
            "values must be 1-D and finite, or NaN where undefined; got an array of "
            f"shape {numbers.shape}."
        )
    return numbers, query_ids, None, True


def _order_defined(values, confidence, query_ids):
    """Return the defined values by rising confidence, and their confidence."""
    defined = ~np.isnan(values)
    if not defined.any():
        raise ValueError(
            "values must be defined for at least one query; got "
            f"{count(len(values), 'query')}, none of them defined."
        )
    aligned = align_to_queries("confidence", confidence, query_ids)
    certain = as_floats("confidence", aligned)
    unknown = np.isnan(certain) & defined
    if unknown.any():
        raise ValueError(
            "confidence must be a number for every query that is defined; got NaN for "
            f"query {query_ids[unknown].tolist()[0]!r}."
        )
    values, certain = values[defined], certain[defined]
    order = np.argsort(certain, kind="stable")
    return values[order], certain[order]


def _n_left_out(n):
    """Return the number of n queries that are left out at each rate."""
    return np.minimum(np.rint(_ROUNDED_RATES * n), n - 1).astype(np.int64)


def _means_kept(values):
    """Return the means of those kept at each rate, of rows of rising confidence."""
    n = values.shape[1]
    total = np.cumsum(values[:, ::-1], axis=1)
    n_kept = n - _n_left_out(n)
    return total[:, n_kept - 1] / n_kept


def _normalised_areas(values, groups, counts):
    """Return nAUC of resamples of queries; larger values are better.

    Parameters
    ----------
    values : ndarray of shape (n,)
        In the order of rising confidence.
    groups : int array of shape (n,)
        Numbers the queries by confidence, those of equal confidence alike.
    counts : int array of shape (n_resamples, n)
        How often each query is in each resample, n times in all.
    """
    n_rows, n = counts.shape
    rows = np.arange(n_rows)[:, np.newaxis]
    expected = _repeat(values, counts)
    if groups[-1] < n - 1:
        # The mean over all orders of tied queries gives each the mean of its group.
        cells = _repeat(groups, counts) + n * rows
        sums = np.bincount(cells.ravel(), expected.ravel(), minlength=n * n_rows)
        sizes = np.bincount(cells.ravel(), minlength=n * n_rows)
        expected = sums[cells] / sizes[cells]
    by_value = np.argsort(values)
    ordered = _repeat(values[by_value], counts[:, by_value])
    flat = ordered.mean(axis=1)[:, np.newaxis]
    heights = np.stack([_means_kept(expected), _means_kept(ordered)]) - flat
    # By trapezoids between rates that are 0.1 apart.
    gained, ideal = (heights[..., 1:] + heights[..., :-1]).sum(axis=2) * 0.05
    is_possible = ideal > 1e-12 * np.abs(values).max()
    return np.divide(gained, ideal, out=np.full(n_rows, np.nan), where=is_possible)


def _repeat(values, counts):
    """Return each value as often as a row of counts says, a row for each."""
    tiled = np.broadcast_to(values, counts.shape).ravel()
    return np.repeat(tiled, counts.ravel()).reshape(counts.shape)
