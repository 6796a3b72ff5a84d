"""Measures as metrics of XGBoost."""

from __future__ import annotations

from typing import Any

import numpy as np

from sklearn_irmetrics._core.parameters import check_count
from sklearn_irmetrics._typing import Measures, Ties
from sklearn_irmetrics.boosting._metric import BoostingMetric, Data


class XGBoostMetric(BoostingMetric):
    """The result of `xgboost_metric`."""

    @property
    def __name__(self):
        """The name in logs of the scikit-learn interface."""
        return _name_in_log(next(iter(self.measures)))

    def __call__(self, y_score, dmatrix, sample_weight=None):
        """Return the name and value of each measure, or the value of a single one."""
        if not hasattr(dmatrix, "get_uint_info"):
            return self._of_arrays(y_score, dmatrix, sample_weight)
        values = self.of_dmatrix(y_score, dmatrix)
        return [(_name_in_log(label), value) for label, value in values.items()]

    def of_dmatrix(self, y_score, dmatrix):
        """Return the mean of each measure by name."""
        bounds = dmatrix.get_uint_info("group_ptr")
        weights = dmatrix.get_weight()
        return self.values(
            dmatrix.get_label(),
            y_score,
            sizes=np.diff(bounds.astype(np.intp)) if len(bounds) else None,
            weights=weights if len(weights) else None,
        )

    def _of_arrays(self, y_true, y_score, sample_weight):
        if len(y_true) not in [len(grades) for grades, _ in self._data]:
            raise ValueError(
                "XGBRanker calls eval_metric with one group at a time, skips groups of "
                "one document, and averages over groups by size. Use "
                "QueryRanker(XGBRanker(), eval_metric=...), "
                "xgboost.train(custom_metric=...), or XGBRanker(callbacks=[this "
                "metric's .callback(eval_set, eval_qid)]); for XGBRegressor pass data="
                "[(y_true, qid)]."
            )
        if len(self.measures) > 1:
            raise ValueError(
                "metrics must be one measure for eval_metric of XGBoost's scikit-learn "
                f"interface; got {', '.join(self.measures)}."
            )
        (value,) = self.values(y_true, y_score, weights=sample_weight).values()
        return value

    def callback(
        self,
        eval_set,
        eval_qid,
        eval_sample_weight=None,
        *,
        early_stopping_rounds=None,
        **options,
    ):
        """Return a callback that logs the measures of validation sets.

        Parameters
        ----------
        eval_set : list of (X, y)
            Validation sets, which XGBoost itself needs no more. In logs they are
            ``validation_0`` and so on.
        eval_qid : list of array-like
            The query of each row, of each set.
        eval_sample_weight : list of array-like, default=None
            Weights of the rows, equal inside a query.
        early_stopping_rounds : int, default=None
            Stop when the first measure of the last set has not become better for so
            many rounds.
        **options
            Further arguments of `xgboost.DMatrix`, such as ``missing``.

        Returns
        -------
        xgboost.callback.TrainingCallback
        """
        from sklearn_irmetrics.boosting._xgboost_callback import LogMeasures

        if (rounds := early_stopping_rounds) is not None:
            check_count("early_stopping_rounds", rounds)
        return LogMeasures(
            self, eval_set, eval_qid, eval_sample_weight, rounds, options
        )


def _name_in_log(label):
    """Return a name without the characters at which XGBoost splits its log."""
    if ":" in label:
        raise ValueError(
            "metrics must have names without ':' in XGBoost's log; pass a dict of "
            f"names and measures for {label!r}."
        )
    return label.replace(" ", "")


def xgboost_metric(
    metrics: Measures,
    *,
    data: Data | None = None,
    ties: Ties = "average",
    replace_undefined_by: float = np.nan,
) -> Any:
    """Return measures as a metric of XGBoost.

    Pass it to ``xgboost.train(custom_metric=...)``, which passes groups and weights to
    it. ``XGBRanker(eval_metric=...)`` calls functions once per group, leaves out groups
    of one document and weights the others by size, so no function can return a mean
    over queries there, and this one raises an error. Use `QueryRanker` instead, or the
    callback of the metric: ``XGBRanker(callbacks=[metric.callback([(X, y)], [qid])])``.

    Parameters
    ----------
    metrics : str or Measure, list of them, or dict of str to them
        Such as ``"ndcg@10"``; logs show them by the names given here, without blanks.
    data : list of (y_true, qid), default=None
        Grades and query ids of each validation set, row by row, for regressors: to
        their metrics get no groups from XGBoost.
    ties : {"average", "optimistic", "pessimistic", "stable"}, default="average"
        As for `score_queries`.
    replace_undefined_by : float, default=np.nan
        Value of an undefined query; NaN leaves it out of the mean and warns in the
        first round.

    Returns
    -------
    callable
        With the attribute `greater_is_better` of the first measure and the method
        ``callback(eval_set, eval_qid, eval_sample_weight=None, *,
        early_stopping_rounds=None)``.

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
    XGBoost guesses from the name of a metric whether to maximise it, and recognises
    only a few names: pass ``maximize=metric.greater_is_better`` to ``xgboost.train``.
    It writes values of ``custom_metric`` with six decimals; the callback logs them in
    full.

    Examples
    --------
    >>> from sklearn_irmetrics.boosting import xgboost_metric
    >>> xgboost_metric("mrr").greater_is_better
    True
    """
    return XGBoostMetric(metrics, data, ties, replace_undefined_by)
