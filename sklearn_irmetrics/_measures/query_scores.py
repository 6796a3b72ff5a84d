"""Scores per query and their averages."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from sklearn_irmetrics._core.aggregate import aggregate
from sklearn_irmetrics._core.namespace import namespace, to_numpy
from sklearn_irmetrics._core.parameters import (
    INTERVALS,
    check_confidence_level,
    check_option,
    check_parameters,
)
from sklearn_irmetrics._core.sets import score_counts
from sklearn_irmetrics._measures.measure import (
    as_measure,
    kernel_parameters,
    with_arguments,
)
from sklearn_irmetrics._measures.tabular import Tabular
from sklearn_irmetrics._tables import Number, Table, count, import_pandas, write_text
from sklearn_irmetrics._typing import ArrayLike, Bounds, Intervals

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, eq=False)
class QueryScores(Tabular):
    """Scores per query, and their means, by measure.

    Attributes
    ----------
    query_ids : ndarray of shape (n_queries,)
        Ids in order of first appearance, or row numbers for 2-D input.
    scores : dict of str to ndarray of shape (n_queries,)
        One value per query by measure, under the given name; NaN where undefined.
    mean : dict of str to float
        The average over queries by measure.
    n_defined : dict of str to int
        Number of queries in each average; queries left out are undefined.
    metrics : dict of str to str, or None
        The measure behind each name, such as ``"ap"`` behind a label, with the rules of
        the call that are not the usual ones; None: unknown.
    """

    query_ids: np.ndarray
    scores: dict[str, np.ndarray]
    mean: dict[str, float]
    metrics: dict[str, str] | None = None

    @property
    def n_defined(self) -> dict[str, int]:
        """Number of queries in each average, by measure.

        Text and tables show it if it differs between measures, because their averages
        are then over different queries.
        """
        return {
            name: int((~np.isnan(to_numpy(values))).sum())
            for name, values in self.scores.items()
        }

    def interval(
        self,
        metric: str | None = None,
        *,
        confidence_level: float = 0.95,
        method: Intervals = "auto",
        bounds: Bounds = None,
        groups: ArrayLike | None = None,
        strata: ArrayLike | None = None,
    ) -> tuple[float, float]:
        """Return the confidence interval of an average over queries.

        Parameters
        ----------
        metric : str or None, default=None
            Which measure. None: the first.
        confidence_level : float, default=0.95
            Of the interval.
        method : {"auto", "t", "bca", "betting", "dirichlet"}, default="auto"
            How it is made; see `ranking_report`.
        bounds : tuple of float or None, default=None
            The lowest and the highest value that is possible, where you know more than
            the range of the measure.
        groups : array-like of shape (n_queries,), default=None
            Queries with one id are one unit, such as variants of one question.
        strata : array-like of shape (n_queries,), default=None
            The stratum of each query, such as the data set it is from: the interval is
            that of the mean of the means of strata then.

        Returns
        -------
        low, high : float
            NaN where the data allow none.

        Raises
        ------
        ValueError
            If an argument breaks the rules above, or the average is weighted.

        Examples
        --------
        >>> from sklearn_irmetrics import score_queries
        >>> found = score_queries([[1, 0], [0, 1], [1, 0]], [[2, 1]] * 3, "mrr")
        >>> low, high = found.interval()
        >>> round(low, 2), round(high, 2)
        (0.14, 1.0)
        """
        # SciPy takes long to import, and means do not need it.
        from sklearn_irmetrics._measures.alignment import check_plain_mean
        from sklearn_irmetrics._measures.intervals import (
            check_range,
            measure_interval,
            number_groups,
            number_strata,
        )

        metric = next(iter(self.scores)) if metric is None else metric
        check_option("metric", metric, self.scores)
        check_option("method", method, INTERVALS)
        level = check_confidence_level(confidence_level)
        values = to_numpy(self.scores[metric])
        measure = as_measure((self.metrics or {}).get(metric, metric))
        if measure.average == "macro":
            check_plain_mean("self", metric, values, self.mean.get(metric))
        groups = number_groups(groups, len(values))
        return measure_interval(
            values,
            measure,
            groups=groups,
            strata=number_strata(strata, groups, len(values)),
            method=method,
            bounds=check_range(bounds, self.scores),
            confidence_level=level,
        )[0]

    def to_frame(self) -> DataFrame:
        """Return the scores as a table.

        Returns
        -------
        pandas.DataFrame of shape (n_queries, n_measures)
            Query ids in the index.
        """
        (name, ids), *scores = self._data()
        pd = import_pandas()
        return pd.DataFrame(dict(scores), index=pd.Index(ids, name=name))

    def __repr__(self):
        """Show the averages, one measure a line."""
        table = self._table()
        return write_text(table, header=len(table.header) > 2)

    def _table(self):
        rows = [(name, Number(float(value))) for name, value in self.mean.items()]
        title = [f"QueryScores of {count(len(self.query_ids), 'query')}"]
        counts = self.n_defined.values()
        if len(set(counts)) < 2:
            return Table(title, ("measure", "mean"), rows, "<>")
        rows = [(*row, str(n)) for row, n in zip(rows, counts, strict=True)]
        return Table(title, ("measure", "mean", "queries"), rows, "<>>")

    def _data(self):
        columns = [("qid", self.query_ids), *self.scores.items()]
        return [(name, to_numpy(values)) for name, values in columns]


def average_values(measures, values, query_ids, weights, ties, replace_undefined_by):
    """Return `QueryScores` of what `values_per_query` returned."""
    scores, mean = {}, {}
    for label, measure in measures.items():
        own = measure, values[label], weights, replace_undefined_by
        mean[label] = average_of(*own)
        scores[label] = average_of(*own, average=None)
    rules = {} if ties == "average" else {"ties": ties}
    if not np.isnan(replace_undefined_by):
        rules["replace_undefined_by"] = replace_undefined_by
    metrics = {label: _by_rules(one, rules) for label, one in measures.items()}
    return QueryScores(query_ids, scores, mean, metrics)


def _by_rules(measure, rules):
    """Return the name of a measure with the rules of a call, its own apart."""
    taken = {name: rules[name] for name in rules if name in measure.metric.takes}
    return with_arguments(measure, taken | measure.arguments).label


def average_of(measure, values, weights, replace_undefined_by, **options):
    """Return the average of what `values_per_query` returned of a measure.

    With ``average=None`` the values themselves.
    """
    policy = {"replace_undefined_by": replace_undefined_by, "average": "macro"}
    options = {**policy, **measure.averaging, **options}
    name = measure.metric.function.__name__
    if measure.metric.kind != "set":
        return aggregate(values, weights, name=name, **options)
    *counts, ranked = values
    if not ranked.any():  # in no query
        raise ValueError(
            "y_score must be -inf, or False, for documents that were not retrieved; "
            "it holds zeros and ones only. Pass what was retrieved as y_pred, or as "
            "booleans."
        )
    parameters = kernel_parameters(measure)
    for of_counting in ("relevance_threshold", "judged_only", "pos_label"):
        del parameters[of_counting]
    formula = partial(measure.metric.kernel, **check_parameters(parameters, None))
    counts = namespace(ranked).stack(counts)
    return score_counts(name, formula, counts, weights, **options)
