"""Measures as metrics of LightGBM."""

from __future__ import annotations

from typing import Any

import numpy as np

from sklearn_irmetrics._typing import Measures, Ties
from sklearn_irmetrics.boosting._metric import BoostingMetric, Data


class LightGBMMetric(BoostingMetric):
    """The result of `lightgbm_metric`."""

    # LightGBM counts the parameters: four are grades, scores, weights and group sizes.
    def __call__(self, y_true, y_pred, weight=None, group=None):
        """Return the name, the value and the direction of each measure."""
        if hasattr(y_pred, "get_label"):  # of lightgbm.train: scores and a Dataset
            scores, dataset = y_true, y_pred
            y_true, weight = dataset.get_label(), dataset.get_weight()
            group = dataset.get_group()
        else:
            scores = y_pred
        values = self.values(y_true, scores, sizes=group, weights=weight)
        return [
            (label, value, self.measures[label].metric.greater_is_better)
            for label, value in values.items()
        ]


def lightgbm_metric(
    metrics: Measures,
    *,
    data: Data | None = None,
    ties: Ties = "average",
    replace_undefined_by: float = np.nan,
) -> Any:
    """Return measures as a metric of LightGBM.

    Pass it to ``LGBMRanker.fit(eval_metric=...)`` or ``lightgbm.train(feval=...)``.
    LightGBM passes groups and weights to it. Set ``metric="None"`` to log only these
    measures and stop early by them.

    Parameters
    ----------
    metrics : str or Measure, list of them, or dict of str to them
        Such as ``"ndcg@10"``; logs show them by the names given here.
    data : list of (y_true, qid), default=None
        Grades and query ids of each validation set, row by row, for regressors, whose
        metrics get no groups from LightGBM.
    ties : {"average", "optimistic", "pessimistic", "stable"}, default="average"
        As for `score_queries`.
    replace_undefined_by : float, default=np.nan
        Value of an undefined query; NaN leaves it out of the mean and warns in the
        first round.

    Returns
    -------
    callable
        With the attribute `greater_is_better` of the first measure.

    Raises
    ------
    TypeError, ValueError
        If a measure needs more than scores to rank by, or would be the same for all
        models; or `data` are no pairs, or two of them cannot be told apart. In
        training, if there are neither groups nor such `data`.

    See Also
    --------
    sklearn_irmetrics.estimators.QueryRanker : Sets it up, as its `eval_metric`.

    Notes
    -----
    LightGBM stores grades and weights as float32, so fractions are rounded; values
    equal those of `score_queries` for the stored numbers.

    Examples
    --------
    >>> from sklearn_irmetrics.boosting import lightgbm_metric
    >>> metric = lightgbm_metric(["ndcg@10", "mrr"])
    >>> metric([1, 0, 0, 2], [0.9, 0.1, 0.7, 0.8], None, [2, 2])
    [('ndcg@10', 1.0, True), ('mrr', 1.0, True)]
    """
    return LightGBMMetric(metrics, data, ties, replace_undefined_by)
