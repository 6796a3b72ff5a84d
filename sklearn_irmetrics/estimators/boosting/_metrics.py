"""A measure as a metric of LightGBM, XGBoost and CatBoost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sklearn_irmetrics._arrays.query_ids import group_rows
from sklearn_irmetrics._checks import TIES, check_count, check_option
from sklearn_irmetrics._typing import Ids, Ties
from sklearn_irmetrics._warnings import suppress_warnings
from sklearn_irmetrics.metrics._measure import Measures, as_averaged
from sklearn_irmetrics.metrics._ranking.averages import check_replacement
from sklearn_irmetrics.metrics._ranking.batch import check_batch
from sklearn_irmetrics.reports.evaluator import RankingEvaluator
from sklearn_irmetrics.scorers.scorer import check_scorable

_KEPT = 16  # data sets whose judgments are kept ready

Data = Sequence[tuple[Any, Ids]]


class BoostingMetric:
    """Measures of the data sets of one training run.

    Libraries pass the same grades in every round. They are grouped, checked and copied
    in the first round; in later rounds they are compared with the copy, which is cheap
    and cannot confuse data sets.

    Attributes
    ----------
    measures : dict of str to Measure
        By the name shown in logs.
    greater_is_better : bool
        The direction of the first measure.
    """

    parameter = "metrics"  # what the measures were given as

    def __init__(self, metrics, data, ties, replace_undefined_by):
        self.measures = check_measures(self.parameter, metrics)
        self.ties = check_option("ties", ties, TIES)
        self.replace_undefined_by = check_replacement(replace_undefined_by)
        self._data = _check_data(data)
        self._ready = []

    @property
    def greater_is_better(self):
        """Whether larger values of the first measure are better."""
        return next(iter(self.measures.values())).metric.greater_is_better

    def values(self, y_true, y_score, *, sizes=None, weights=None):
        """Return the mean of each measure.

        Parameters
        ----------
        y_true, y_score : ndarray of shape (n_rows,)
            Grades and scores of a data set.
        sizes : ndarray of shape (n_queries,) or None
            How many rows each query has, one after the other; None: look the grades
            up in `data`.
        weights : ndarray of shape (n_rows,), (n_queries,) or None
            Weights.

        Returns
        -------
        dict of str to float
        """
        parts = [
            None if part is None else np.asarray(part)
            for part in (y_true, sizes, weights)
        ]
        for kept, evaluator in self._ready:
            if all(map(_equal, kept, parts)):
                with suppress_warnings():  # the first round warned of undefined queries
                    return evaluator(y_score)
        kept = [None if part is None else part.copy() for part in parts]
        evaluator = self._prepare(*kept)
        self._ready = [*self._ready[1 - _KEPT :], (kept, evaluator)]
        return evaluator(y_score)

    def _prepare(self, y_true, sizes, weights):
        if sizes is None:
            y_true, qid = self._look_up(y_true)
        else:
            qid = np.repeat(np.arange(len(sizes)), sizes)
        if weights is not None and sizes is not None and len(weights) == len(sizes):
            weights = np.repeat(weights, sizes)
        return RankingEvaluator(
            y_true,
            self.measures,
            qid=qid,
            sample_weight=weights,
            ties=self.ties,
            replace_undefined_by=self.replace_undefined_by,
        )

    def _look_up(self, y_true):
        """Return grades as given in `data`, and the ids of their queries."""
        for grades, qid in self._data:
            if _equal(as_stored(grades), as_stored(y_true)):
                return grades, qid
        raise ValueError(
            f"data must hold (y_true, qid) of the data set of {len(y_true)} rows that "
            f"is evaluated, in the order of its rows; it holds {len(self._data)} "
            f"of {[len(grades) for grades, _ in self._data]} rows. The library does "
            "not pass query ids to metrics here."
        )

    def __getstate__(self):
        """Leave out data that the next training run recreates."""
        return {**vars(self), "_ready": []}


def _equal(a, b):
    if a is None or b is None:
        return a is b
    return a.shape == b.shape and bool((a == b).all())


def as_stored(grades):
    """Return grades in the form that the libraries store."""
    return np.asarray(grades, dtype=np.float32)


def check_measures(parameter, metrics):
    """Return measures that rank by scores alone, by their names in logs."""
    measures = as_averaged(parameter, metrics)
    for label, measure in measures.items():
        metric = measure.metric
        needed = ["y_true by subtopic"] if metric.subtopics else list(metric.marks)
        if metric.judges_predictions or needed:
            raise ValueError(
                f"{parameter} must rank documents by their scores alone; {label!r} "
                f"needs {', '.join(needed) or 'predicted sets or labels'}."
            )
        try:
            check_scorable(measure)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{parameter}: {error}") from None
    return measures


def _check_data(data):
    if data is None:
        return []
    if not isinstance(data, list | tuple) or not all(
        isinstance(pair, list | tuple) and len(pair) == 2 for pair in data
    ):
        raise TypeError(
            "data must be a list of pairs (y_true, qid), one for each data set that "
            f"is evaluated; got {type(data).__name__}."
        )
    checked = []
    for i, (y_true, qid) in enumerate(data):
        try:
            grades = check_batch(y_true, np.zeros(np.shape(y_true))).grades.ravel()
            codes = group_rows(qid, len(grades)).codes()
        except (TypeError, ValueError) as error:
            raise type(error)(f"data[{i}]: {error}") from None
        for j, (others, other_codes) in enumerate(checked):
            same = _equal(as_stored(others), as_stored(grades))
            if same and not _equal(other_codes, codes):
                raise ValueError(
                    f"data[{j}] and data[{i}] have the same grades but different "
                    "queries, so they cannot be told apart."
                )
        checked.append((grades, codes))
    return checked


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
    >>> from sklearn_irmetrics.estimators.boosting import catboost_metric
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
    >>> from sklearn_irmetrics.estimators.boosting import lightgbm_metric
    >>> metric = lightgbm_metric(["ndcg@10", "mrr"])
    >>> metric([1, 0, 0, 2], [0.9, 0.1, 0.7, 0.8], None, [2, 2])
    [('ndcg@10', 1.0, True), ('mrr', 1.0, True)]
    """
    return LightGBMMetric(metrics, data, ties, replace_undefined_by)


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
        from sklearn_irmetrics.estimators.boosting._xgboost_callback import LogMeasures

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
    >>> from sklearn_irmetrics.estimators.boosting import xgboost_metric
    >>> xgboost_metric("mrr").greater_is_better
    True
    """
    return XGBoostMetric(metrics, data, ties, replace_undefined_by)
