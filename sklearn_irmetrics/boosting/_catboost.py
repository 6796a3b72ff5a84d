"""Measures as metrics of CatBoost."""

from __future__ import annotations

from typing import Any

import numpy as np

from sklearn_irmetrics._typing import Measures, Ties
from sklearn_irmetrics.boosting._metric import (
    BoostingMetric,
    Data,
    as_stored,
    check_measures,
)

_UNKNOWN = -1.0  # CatBoost cannot log NaN


class CatBoostMetric(BoostingMetric):
    """What `catboost_metric` returns: of a class of its own, by whose name logs go."""

    parameter = "metric"
    # Or CatBoost would try to compile `evaluate` by Numba, and warn that it cannot.
    no_jit = True

    def is_max_optimal(self):
        """Whether larger values are better."""
        return self.greater_is_better

    def evaluate(self, approxes, target, weight):
        """Return the value, and a weight, which CatBoost requires."""
        (scores,) = approxes
        # CatBoost frees the arrays after the call.
        (value,) = self.values(target, np.array(scores), weights=weight).values()
        if np.isnan(value):
            raise ValueError(
                f"{type(self).__name__} is undefined in every query of a data set, and "
                "CatBoost cannot log NaN; set replace_undefined_by to a number."
            )
        return value, 1.0

    def get_final_error(self, error, weight):
        """Return the value."""
        return error

    def _prepare(self, y_true, sizes, weights):
        grades, stored = as_stored(self._data[0][0]), as_stored(y_true)
        alike = (
            len(grades) == len(stored) and (np.sort(grades) == np.sort(stored)).all()
        )
        if alike and not any(
            np.array_equal(as_stored(grades), stored) for grades, _ in self._data
        ):
            # The queries of training rows that CatBoost shuffled are unknown.
            return lambda y_score: dict.fromkeys(self.measures, _UNKNOWN)
        return super()._prepare(y_true, sizes, weights)

    def __reduce__(self):
        """Recreate the class when unpickled."""
        return _make, (self.measures, self._data, self.ties, self.replace_undefined_by)


def _make(measures, data, ties, replace_undefined_by):
    (label,) = measures
    named = type(label, (CatBoostMetric,), {"__module__": __name__})
    return named(measures, data, ties, replace_undefined_by)


def catboost_metric(
    metric: Measures,
    data: Data,
    *,
    ties: Ties = "average",
    replace_undefined_by: float = np.nan,
) -> Any:
    """Return a measure as a metric of CatBoost.

    Pass it to ``CatBoostRanker(eval_metric=...)``, to the regressor, or in the
    parameters of ``catboost.train``. CatBoost does not pass groups to metrics, so pass
    them here; the metric recognises data sets by their grades. CatBoost also evaluates
    the training set in every round. If it shuffles the training rows, as it does with
    categorical features, their value is unknown and logged as -1.

    Parameters
    ----------
    metric : str or Measure, or dict of str to one of them
        Such as ``"ndcg@10"``; logs show it by the name given here. CatBoost takes one.
    data : list of (y_true, qid)
        Grades and query ids, row by row: first those of the training set, then those
        of each validation set.
    ties : {"average", "optimistic", "pessimistic", "stable"}, default="average"
        As for `score_queries`.
    replace_undefined_by : float, default=np.nan
        Value of an undefined query; NaN leaves it out of the mean and warns in the
        first round.

    Returns
    -------
    object
        With the methods that CatBoost requires.

    Raises
    ------
    TypeError, ValueError
        If the measure needs more than scores to rank by, or would be the same for all
        models; or `data` are not pairs, or two of them cannot be told apart. In
        training, if grades are not among `data`, or the measure is undefined for all
        their queries.

    See Also
    --------
    sklearn_irmetrics.estimators.QueryRanker : Sets it up, as its `eval_metric`.

    Examples
    --------
    >>> from sklearn_irmetrics.boosting import catboost_metric
    >>> metric = catboost_metric("ndcg@10", [([1, 0, 0, 2], [5, 5, 6, 6])])
    >>> metric.is_max_optimal()
    True
    """
    if not data:
        raise ValueError(
            "data must hold (y_true, qid) of the training set and of each validation "
            f"set, because CatBoost passes no groups to metrics; got {data!r}."
        )
    return _make(one_measure("metric", metric), data, ties, replace_undefined_by)


def one_measure(parameter, metric):
    """Return a measure by name; CatBoost takes only one."""
    measures = check_measures(parameter, metric)
    if len(measures) > 1:
        raise ValueError(
            f"{parameter} must be one measure, because CatBoost takes only one; got "
            f"{len(measures)}: {', '.join(measures)}."
        )
    return measures
